"""SkelBuilder: environment programs from plain tasks."""

from envscaler_eval.synth.skel_builder.assessing import AssessmentRules
from envscaler_eval.synth.skel_builder.build import (
    ORDER,
    SkelBuilder,
    skeleton_pack,
    write_skeletons,
)
from envscaler_eval.synth.skel_builder.selection import SelectionRules
from envscaler_eval.synth.skel_builder.skeleton import Skeleton, kept_skeletons
from envscaler_eval.synth.skel_builder.task import Task, draw, read_tasks

__all__ = [
    "ORDER",
    "AssessmentRules",
    "SelectionRules",
    "SkelBuilder",
    "Skeleton",
    "Task",
    "draw",
    "kept_skeletons",
    "read_tasks",
    "skeleton_pack",
    "write_skeletons",
]
