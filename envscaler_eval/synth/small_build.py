"""The whole way from a request to a pack, with as little of everything as shows it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import Pack
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.scen_generator.build import ScenGenerator
from envscaler_eval.synth.skel_builder import (
    AssessmentRules,
    SelectionRules,
    SkelBuilder,
    Task,
    read_tasks,
)

_RECORDED = "allotments"
_TASKS = "tasks.txt"


async def build_small(run: Run, tasks: Sequence[Task], isolation: IsolationPolicy) -> list[Pack]:
    """Build one environment, tested in one round and one situation, with five scenarios tried.

    Args:
        run: The run.
        tasks: The requests from which it is mined.
        isolation: How programs and checks run.

    Returns:
        The pack, if one came of it.

    Raises:
        UsageError: The run cannot go on, for want of a model or of isolation.
    """
    builder = SkelBuilder(
        SelectionRules(clusters=1),
        assessment=AssessmentRules(rounds=1, starts=1),
        isolation=isolation,
    )
    generator = ScenGenerator(states=1, tasks=5, fewest_records=30, isolation=isolation)
    return await generator.generate_all(run, await builder.build(run, tasks))


@contextmanager
def recorded_session() -> Iterator[Path]:
    """Give the folder of a recorded session, which answers all that `build_small` asks."""
    with as_file(files("envscaler_eval.synth") / "recorded" / _RECORDED) as folder:
        yield folder


def recorded_tasks(session: Path) -> list[Task]:
    """Return the requests with which a recorded session begins."""
    return read_tasks(str(session / _TASKS))
