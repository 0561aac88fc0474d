"""Trajectories as data sets for supervised fine-tuning."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from envscaler_eval import core_yaml
from envscaler_eval.errors import UsageError
from envscaler_eval.exports import llama_factory
from envscaler_eval.exports.conversation import conversation
from envscaler_eval.exports.llama_factory import Form
from envscaler_eval.exports.tables import (
    Columns,
    Format,
    Table,
    card_header,
    write_lines,
    write_table,
)
from envscaler_eval.exports.training_envs import refuse_test_environments
from envscaler_eval.exports.trajectories import LoggedTrajectory, TrajectoryLogs
from envscaler_eval.exports.trajectory_filter import KEPT, FilterCounts, TrajectoryFilter
from envscaler_eval.exports.whole_folder import whole_folder
from envscaler_eval.results.manifest import Manifest

CountRows = Sequence[tuple[str, int, int]]
"""Verdicts on trajectories, with their numbers in Non-Conv and Conv."""

_TABLE = "sft"

Style = Literal["conversational", "paper"]
ModeChoice = Literal["non_conv", "conv", "both"]

COLUMNS: Columns = {
    "messages": "messages",
    "tools": "json",
    "reward": "number",
    "success": "number",
    "paper_reward": "number",
    "env": "text",
    "scenario": "text",
    "mode": "text",
    "split": "text",
    "model": "text",
    "trial": "integer",
    "ended_by": "text",
    "steps": "integer",
}
"""The columns of a conversational data set."""


@dataclass(frozen=True)
class SftSource:
    """Logs, and which of their trajectories to take.

    Attributes:
        logs: The logs.
        wanted: What a trajectory must be.
    """

    logs: TrajectoryLogs
    wanted: TrajectoryFilter


@dataclass(frozen=True)
class SftChoices:
    """How to write trajectories.

    Attributes:
        mode: Which modes.
        envs: Which environments; all when empty.
        manifest: The set of environments, instead of `envs`; their packs must be
            those that were played.
        style: `conversational`, a row for each trajectory with all its messages, or
            `paper`, a sample for each turn, for LLaMA-Factory.
        form: The form of the paper's samples.
        table: The form of a conversational data set's table.
    """

    mode: ModeChoice = "both"
    envs: tuple[str, ...] = ()
    manifest: Manifest | None = None
    style: Style = "conversational"
    form: Form = "alpaca"
    table: Format = "parquet"

    @property
    def hashes(self) -> dict[str, str | None] | None:
        """The chosen environments and the hashes that their packs must have; or all."""
        if self.manifest is not None:
            return {env.id: env.hash for env in self.manifest.environments}
        return dict.fromkeys(self.envs) or None


def export_sft(sources: Sequence[SftSource], out: Path, choices: SftChoices) -> FilterCounts:
    """Write trajectories as a data set; the folder appears complete or not at all.

    Args:
        sources: Where the trajectories come from.
        out: The folder, which must not be there yet.
        choices: How to write them.

    Returns:
        How many were kept, and how many dropped for which reason.

    Raises:
        UsageError: Environments to test on are among them, a pack is not the one of
            the manifest, no trajectory is left, or the folder is there.
    """
    chosen = choices.hashes
    found = {pair for source in sources for pair in source.logs.environments()}
    refuse_test_environments(pair for pair in found if chosen is None or pair[0] in chosen)
    for env in chosen or ():
        if env not in {name for name, _ in found}:
            raise UsageError(f"{env}: no log holds this environment; leave it out or collect it")
    counts = FilterCounts()
    with whole_folder(out) as folder:
        kept = _kept(sources, choices, counts)
        file = None
        if choices.style == "paper":
            _write_samples(folder, kept, choices.form)
        else:
            file = write_table(folder / _TABLE, "train", map(_row, kept), COLUMNS, choices.table)
        if not counts.number_kept:
            raise UsageError(
                f"no trajectory is left of {counts.total}: "
                f"{counts.summary() or 'the logs hold none of these environments and modes'}"
            )
        card = _card(out.name, file, counts.rows())
        (folder / "README.md").write_text(card, encoding="utf-8")
    return counts


def write_conversations(
    rows: Iterable[Mapping[str, Any]], counts: Callable[[], CountRows], out: Path, table: Format
) -> None:
    """Write rows that others have made as a conversational data set.

    Args:
        rows: The rows, with all of `COLUMNS`.
        counts: Tells what was kept and dropped, once all rows are written.
        out: The folder, which must not be there yet.
        table: The form of the table.

    Raises:
        UsageError: The folder is there, or no row is left.
    """
    with whole_folder(out) as folder:
        file = write_table(folder / _TABLE, "train", rows, COLUMNS, table)
        numbers = counts()
        if not any(alone + conv for verdict, alone, conv in numbers if verdict == KEPT):
            raise UsageError(f"{out}: no trajectory is left to write; see what was left out")
        card = _card(out.name, file, numbers)
        (folder / "README.md").write_text(card, encoding="utf-8")


_Tooled = tuple[LoggedTrajectory, list[dict[str, Any]], str]
"""A trajectory, its messages and its tools."""


def _kept(
    sources: Sequence[SftSource], choices: SftChoices, counts: FilterCounts
) -> Iterator[_Tooled]:
    chosen = choices.hashes
    for source in sources:
        for trajectory in source.logs.read(chosen):
            if choices.mode not in ("both", trajectory.mode):
                continue
            wanted = chosen[trajectory.env] if chosen else None
            if wanted not in (None, trajectory.pack_hash):
                raise UsageError(
                    f"{trajectory.log}: environment '{trajectory.env}' was played with the hash "
                    f"{trajectory.pack_hash[:12]}, the manifest has {wanted[:12]}; collect anew"
                )
            verdict = source.wanted.verdict(trajectory)
            messages = conversation(trajectory.messages) if verdict == KEPT else []
            if choices.style == "paper" and not llama_factory.alternates(messages):
                verdict = "turns do not alternate"
            counts.add(verdict, trajectory.mode)
            if verdict == KEPT:
                yield trajectory, messages, source.logs.tools(trajectory)


def _row(kept: _Tooled) -> dict[str, Any]:
    trajectory, messages, tools = kept
    assert trajectory.record is not None
    return {
        "messages": messages,
        "tools": tools,
        **{name: trajectory.scores.get(name) for name in ("reward", "success", "paper_reward")},
        **_origin(trajectory),
        "split": trajectory.split,
        "model": trajectory.model,
        "trial": trajectory.epoch,
        "ended_by": trajectory.record.ended_by,
        "steps": trajectory.record.steps,
    }


def _origin(trajectory: LoggedTrajectory) -> dict[str, Any]:
    return {"env": trajectory.env, "scenario": trajectory.scenario, "mode": trajectory.mode}


def _write_samples(folder: Path, kept: Iterator[_Tooled], form: Form) -> None:
    file = f"{llama_factory.DATASET}.jsonl"
    write_lines(
        folder / file,
        (
            {**sample, **_origin(trajectory)}
            for trajectory, messages, tools in kept
            for sample in llama_factory.samples(messages, tools, form)
        ),
    )
    info = json.dumps(llama_factory.dataset_info(file, form), indent=2)
    (folder / "dataset_info.json").write_text(f"{info}\n", encoding="utf-8")


def _card(name: str, file: str | None, counts: CountRows) -> str:
    header = core_yaml.dump({"pretty_name": name, "tags": ["agents", "tool-use", "sft"]})
    if file is not None:
        header += card_header({_TABLE: Table(COLUMNS, {"train": file})})
    lines = [
        "| trajectories | Non-Conv | Conv |",
        "|---|---|---|",
        *(f"| {verdict} | {alone} | {talking} |" for verdict, alone, talking in counts),
    ]
    return f"---\n{header}---\n\n# {name}\n\nTrajectories to train on.\n\n" + "\n".join(
        [*lines, ""]
    )
