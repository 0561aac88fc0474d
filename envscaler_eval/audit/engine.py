"""Auditing many packs: in parallel, and not twice."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from envscaler_eval.audit.findings import PackCard
from envscaler_eval.audit.parts import PackAudit, do_part
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import read_pack

Progress = Callable[[int, int], None]
"""Called with how many parts are done, and of how many."""


@dataclass(frozen=True)
class Selection:
    """What to audit of a pack.

    Attributes:
        folder: The pack.
        scenarios: Ids of the scenarios; all when empty.
    """

    folder: Path
    scenarios: tuple[str, ...] = ()


def open_audits(selections: Sequence[Selection], isolation: IsolationPolicy) -> Sequence[PackAudit]:
    """Open the audits of packs, once all of them are admitted.

    Args:
        selections: The packs.
        isolation: Where they run.

    Raises:
        PackError: A pack cannot be read.
        UsageError: This machine cannot isolate one.
        GateError: A program or a check does what isolated code may not do.
    """
    packs = [read_pack(selection.folder) for selection in selections]
    for pack in packs:
        isolation.admit(pack)
    return [
        PackAudit(pack, selection.scenarios)
        for pack, selection in zip(packs, selections, strict=True)
    ]


def audit_packs(
    selections: Sequence[Selection],
    jobs: int,
    progress: Progress = lambda done, total: None,
    isolation: IsolationPolicy | None = None,
) -> list[PackCard]:
    """Audit packs; what was audited before and has not changed costs nothing.

    Args:
        selections: The packs.
        jobs: How many processes to use.
        progress: Told of each part that is done.
        isolation: Where the packs run; by default isolated unless they are of
            the library.

    Raises:
        PackError: A pack cannot be read.
        UsageError: This machine cannot isolate one.
        GateError: A program or a check does what isolated code may not do.
    """
    isolation = isolation or IsolationPolicy()
    audits = open_audits(selections, isolation)
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        owners = {
            pool.submit(do_part, part, audit.pack.folder, isolation): (audit, part)
            for audit in audits
            for part in audit.parts
        }
        progress(0, len(owners))
        for done, future in enumerate(as_completed(owners), start=1):
            audit, part = owners[future]
            audit.take(part, future.result())
            progress(done, len(owners))
    return [audit.card() for audit in audits]
