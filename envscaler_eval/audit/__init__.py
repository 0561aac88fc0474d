"""Proofs about scenarios and environments."""

from envscaler_eval.audit.engine import Selection, audit_packs
from envscaler_eval.audit.environment_assessment import assess_environment
from envscaler_eval.audit.findings import EnvironmentCard, Item, PackCard, Rate, ScenarioCard
from envscaler_eval.audit.parts import audited_hash
from envscaler_eval.audit.quality import quality, record_quality
from envscaler_eval.audit.scenario_audit import audit_scenario

__all__ = [
    "EnvironmentCard",
    "Item",
    "PackCard",
    "Rate",
    "ScenarioCard",
    "Selection",
    "assess_environment",
    "audit_packs",
    "audit_scenario",
    "audited_hash",
    "quality",
    "record_quality",
]
