"""The table of docs/models.md: what becomes of each fault, from runs.

`python -m tests.serving.fault_matrix` writes it anew.
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import Model
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from envscaler_eval.pack import Pack, read_pack
from envscaler_eval.serving import (
    FAULTS,
    TRANSPORT_FAULTS,
    FaultKind,
    FaultPlan,
    Player,
    PolicyServer,
    build_app,
)
from envscaler_eval.tasks import envscaler
from tests.inspect_runs import facts, score
from tests.pack_files import SOLUTION, a_scenario, write_pack
from tests.serving.served import DELAY, PATIENCE, generations, remote

TASK = "Take three bolts out. Then order nuts. It is urgent."
DOCS = Path(__file__).parents[2] / "docs" / "models.md"
BEGIN = "<!-- fault matrix: python -m tests.serving.fault_matrix -->\n"
END = "<!-- end of fault matrix -->\n"

_BEHAVIOURS = ("Non-Conv", "Conv", "Non-Conv, `paper`", "Non-Conv, emulated tools")
_PROPER = {"completed", "user_stop"}


def table(log_dir: Path) -> str:
    """Run the oracle with each fault once in a conversation and return what became of it."""
    cells = _cells(log_dir)
    header = ("fault", *_BEHAVIOURS, "counted as")
    rows = [header, ("---",) * len(header)]
    for fault in FAULTS:
        samples = [cells[fault, behaviour] for behaviour in _BEHAVIOURS]
        rows.append(
            (f"`{fault}`", *(_cell(fault, s) for s in samples), _counted(fault, samples[0]))
        )
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def documented() -> str:
    """Return the table that the document has."""
    return DOCS.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def _cells(log_dir: Path) -> Mapping[tuple[str, str], EvalSample]:
    # Without the call that only looks, so that a lost one costs reward.
    scenarios = [
        a_scenario(id=kind, task=f"Shelf {kind}. {TASK}", solution=SOLUTION[1:]) for kind in FAULTS
    ]
    folder = str(write_pack(log_dir, scenarios=scenarios))
    with PolicyServer(_each_with_its_fault([read_pack(Path(folder))])) as server:
        native = remote(server.url, client_timeout=PATIENCE)
        emulated = remote(server.url, client_timeout=PATIENCE, emulate_tools=True)
        both, paper, prompted = [
            *_run(
                [envscaler(folder, mode="both"), envscaler(folder, protocol="paper")],
                native,
                log_dir,
            ),
            *_run([envscaler(folder)], emulated, log_dir),
        ]
    cells = {}
    for log, alone in zip((both, paper, prompted), ("Non-Conv", *_BEHAVIOURS[2:]), strict=True):
        assert log.status == "success", log.error
        for sample in log.samples or []:
            behaviour = "Conv" if sample.metadata["mode"] == "conv" else alone
            cells[sample.metadata["scenario"], behaviour] = sample
    return cells


def _each_with_its_fault(packs: Sequence[Pack]) -> ASGIApp:
    """Return a server that has, in each conversation, the fault that its request names."""
    plans = {fault: FaultPlan.parse([fault]) for fault in FAULTS}
    apps = {kind: build_app(Player("oracle", packs, plan), DELAY) for kind, plan in plans.items()}

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        kind = next(kind for kind in FAULTS if f"Shelf {kind}." in body.decode())
        read = iter([{"type": "http.request", "body": body}])

        async def again() -> Message:
            return next(read, None) or await receive()

        await apps[kind](scope, again, send)

    return dispatch


def _run(tasks: list[Task], model: Model, log_dir: Path) -> list[EvalLog]:
    return inspect_eval(
        tasks,
        model=model,
        model_roles={"user": "policy/user"},
        log_dir=str(log_dir),
        log_realtime=False,
        display="none",
        max_tasks=len(tasks),
    )


def _cell(fault: FaultKind, sample: EvalSample) -> str:
    ended_by = facts(sample)["ended_by"]
    ending = f"`{ended_by}`" if ended_by in _PROPER else f"ends by `{ended_by}`"
    return f"{_answer(fault, sample)}{ending}, {score(sample)['reward']:g}"


def _answer(fault: FaultKind, sample: EvalSample) -> str:
    """Say how the harness answers the fault, as the sample shows it."""
    if fault in TRANSPORT_FAULTS and any(event.retries for event in generations(sample)):
        return "retried; "
    ended_by = facts(sample)["ended_by"]
    errors = facts(sample)["tool_errors"]
    if errors["unknown"] or any(m.role == "tool" and m.error for m in sample.messages):
        return "an observation; "
    if errors["malformed"]:
        return "asked again; "
    if ended_by == "user_stop" and facts(sample)["model_faults"]["refusal"]:
        return "told to the user; "
    return "goes on; " if ended_by in _PROPER else ""


def _counted(fault: FaultKind, sample: EvalSample) -> str:
    if fault in TRANSPORT_FAULTS and any(event.retries for event in generations(sample)):
        return "retries of the generation"
    return ", ".join(f"`{k}`" for k, count in facts(sample)["model_faults"].items() if count) or "-"


def main() -> None:
    """Write the table into the document."""
    text = DOCS.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    with tempfile.TemporaryDirectory() as folder:
        new = table(Path(folder))
    DOCS.write_text(before + BEGIN + new + END + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
