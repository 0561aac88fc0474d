"""Who runs isolated, what is refused, and what the log says about it."""

import json
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score
from typer.testing import CliRunner

from envscaler_eval import isolation as isolation_module
from envscaler_eval.cli.app import app
from envscaler_eval.errors import UsageError
from envscaler_eval.isolation import IsolationPolicy, limits_of
from envscaler_eval.pack import Pack, read_pack
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.runtime.confined.walls import Walls
from envscaler_eval.runtime.gate import GateError
from envscaler_eval.runtime.isolated import IsolatedRuntime, shared_server
from envscaler_eval.scorers import checklist
from envscaler_eval.tasks import envscaler

PROGRAM = '''
class Till:
    """A till."""

    def pay(self, how: str = "well") -> dict:
        """Pay.

        Args:
            how: In which way.
        """
        if how == "hang":
            while True:
                self.balance = 1
        self.balance = 0
        return {"success": True}
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A pack from a stranger: one scenario is sound, the solution of the other hangs."""
    place = tmp_path / "till"
    place.mkdir()
    (place / "pack.yaml").write_text(
        dedent(
            """
            id: till
            title: Till
            introduction: A till.
            class_name: Till
            domain: retail
            split: test
            licence: MIT
            canary: canary-1
            """
        )
    )
    (place / "environment.py").write_text(PROGRAM)
    (place / "scenarios.yaml").write_text(
        "".join(
            dedent(
                f"""
                - id: {name}
                  state: {{balance: 10}}
                  now: 2026-03-09T08:30:00
                  task: Pay.
                  checks:
                    - about: the balance is 0
                      kind: goal
                      code: "def check(initial, final): return final['balance'] == 0"
                  solution:
                    - name: pay
                      arguments: {{how: {how}}}
                """
            )
            for name, how in (("sound", "well"), ("stuck", "hang"))
        )
    )
    return place


@pytest.fixture
def pack(folder: Path) -> Pack:
    """The same, read."""
    return read_pack(folder)


def run(folder: Path, **arguments: object) -> EvalLog:
    """Play the oracle on a pack."""
    task = envscaler(envs=str(folder), limits={"call_cpu_seconds": 0.3}, **arguments)  # type: ignore[arg-type]
    (log,) = inspect_eval(task, model="policy/oracle", display="none", log_dir=str(folder.parent))
    return log


def test_packs_given_by_path_run_isolated(pack: Pack) -> None:
    assert isinstance(IsolationPolicy().runtime(pack), IsolatedRuntime)


def test_packs_of_the_library_run_in_process(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation_module, "LIBRARY", pack.folder.parent)
    assert isinstance(IsolationPolicy().runtime(pack), InProcessRuntime)
    assert isinstance(IsolationPolicy("isolated").runtime(pack), IsolatedRuntime)


def test_a_user_may_trust_a_pack(pack: Pack) -> None:
    assert isinstance(IsolationPolicy("in_process").runtime(pack), InProcessRuntime)


def test_packs_that_keep_files_never_run_in_process(pack: Pack) -> None:
    keeps = pack.environment.model_copy(update={"scratch": True})
    with pytest.raises(UsageError, match="run it with isolation=isolated"):
        IsolationPolicy("in_process").runtime(replace(pack, environment=keeps))


def test_programs_and_checks_pass_the_gate_before_anything_runs(pack: Pack) -> None:
    program = pack.environment.model_copy(update={"source": "import os\n" + PROGRAM})
    with pytest.raises(GateError, match="environment 'till': line 1: imports os"):
        IsolationPolicy().admit(replace(pack, environment=program))
    check = (
        pack.scenarios[0]
        .checks[0]
        .model_copy(update={"code": "def check(initial, final):\n    return eval('True')"})
    )
    bad = pack.scenarios[0].model_copy(update={"checks": (check,)})
    with pytest.raises(GateError, match="till/sound: the balance is 0': line 2: uses eval"):
        IsolationPolicy().admit(replace(pack, scenarios=(bad,)))


def test_a_machine_without_walls_is_refused_unless_the_user_accepts_it() -> None:
    walls = replace(shared_server().get().walls, denied=("files", "signals"), no_new_privs=False)
    told = "denial of network, denial of processes, no_new_privs missing; see `envscaler doctor`"
    with pytest.raises(UsageError, match=told):
        IsolationPolicy().require_walls(walls)
    IsolationPolicy(allow_weak=True).require_walls(walls)


def test_a_scratch_folder_takes_walls_that_cannot_be_waived() -> None:
    walls = replace(shared_server().get().walls, namespaces=())
    with pytest.raises(UsageError, match="cannot give a scratch folder"):
        IsolationPolicy(allow_weak=True).require_walls(walls, scratch=True)


def weaken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the fork server report a machine that lets the network through."""
    server = shared_server().get()
    denied = tuple(denial for denial in server.walls.denied if denial != "network")
    monkeypatch.setattr(server, "walls", replace(server.walls, denied=denied))


def test_the_log_records_weak_isolation(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weaken(monkeypatch)
    with pytest.raises(UsageError, match="allow_weak_isolation=true"):
        run(folder)
    log = run(folder, allow_weak_isolation=True)
    assert log.eval.metadata is not None
    assert log.eval.metadata["isolation"]["weak"] == ["denial of network"]
    assert score_of(log, "sound").metadata["isolation"] == (  # type: ignore[index]
        "isolated, weakly: no denial of network"
    )


def score_of(log: EvalLog, scenario: str) -> Score:
    """The score of a scenario's sample."""
    for sample in log.samples or []:
        if scenario in str(sample.id) and sample.scores:
            return sample.scores["checklist"]
    raise AssertionError("it has no score")


def test_a_worker_that_hangs_costs_its_own_sample_and_is_missing_not_zero(folder: Path) -> None:
    log = run(folder)
    assert log.eval.metadata is not None
    told = log.eval.metadata["isolation"]
    assert told["packs"] == {"till": "isolated"}
    assert "rlimits" in told["protections"]
    assert told["limits"]["call_cpu_seconds"] == 0.3
    assert score_of(log, "sound").value == {"reward": 1.0, "success": 1.0, "paper_reward": 1.0}
    assert score_of(log, "sound").metadata["isolation"] == "isolated"  # type: ignore[index]
    (stuck,) = (sample for sample in log.samples or [] if "stuck" in str(sample.id))
    assert stuck.error is None
    assert score_of(log, "stuck").reason == (
        "environment 'till' has stopped: pay used more than 0.3 s of processor time"
    )
    assert [m.text for m in stuck.messages if m.role == "tool"] == [
        '{"success": false, "error": "The system has stopped: '
        'pay used more than 0.3 s of processor time"}'
    ]
    assert log.results is not None
    assert log.results.scores[0].scored_samples == 1


def test_a_log_with_a_missing_sample_can_be_scored_again(folder: Path) -> None:
    again = inspect_score(run(folder), checklist(), display="none")
    assert score_of(again, "sound").value == {"reward": 1.0, "success": 1.0, "paper_reward": 1.0}
    assert score_of(again, "stuck").reason == score_of(run(folder), "stuck").reason


def test_an_environment_that_does_not_start_costs_its_samples_only(folder: Path) -> None:
    file = folder / "environment.py"
    constructor = "    def __init__(self, init_config):\n        raise OSError('shut')\n\n"
    file.write_text(file.read_text().replace("    def pay", constructor + "    def pay"))
    log = run(folder)
    assert log.status == "success"
    assert "does not start" in str(score_of(log, "stuck").reason)
    assert not any(message.role == "assistant" for s in log.samples or [] for message in s.messages)


def test_a_mistake_of_the_user_ends_the_run(folder: Path) -> None:
    log = run(folder, mode="conv")
    assert log.error is not None
    assert "--model-role user=" in log.error.message


def test_in_process_runs_say_so(folder: Path) -> None:
    sound = yaml_of_one(folder)
    assert sound.count("- id:") == 1
    log = run(folder, isolation="in_process")
    assert log.eval.metadata is not None
    assert log.eval.metadata["isolation"] == {"packs": {"till": "in_process"}}
    assert score_of(log, "sound").metadata["isolation"] == "in_process"  # type: ignore[index]


def yaml_of_one(folder: Path) -> str:
    """Leave only the sound scenario."""
    file = folder / "scenarios.yaml"
    text = file.read_text()
    file.write_text(text[: text.rindex("- id:")])
    return file.read_text()


def test_limits_are_checked() -> None:
    assert limits_of({"call_seconds": 2}).call_seconds == 2
    with pytest.raises(UsageError, match="limits: there is no 'seconds'; use call_cpu_seconds"):
        limits_of({"seconds": 2})
    with pytest.raises(UsageError, match="limits: call_seconds is 0; give a number above 0"):
        limits_of({"call_seconds": 0})


def test_validate_runs_a_strangers_pack_isolated(folder: Path) -> None:
    yaml_of_one(folder)
    assert CliRunner().invoke(app, ["validate", str(folder)]).output == "1 pack is sound\n"
    (folder / "environment.py").write_text("import os\n" + PROGRAM)
    refused = CliRunner().invoke(app, ["validate", str(folder)])
    assert refused.exit_code == 2
    assert "Error: till/environment.py: line 1: imports os; use one of" in refused.output
    trusted = CliRunner().invoke(app, ["validate", str(folder), "--isolation", "in_process"])
    assert trusted.exit_code == 0


def test_validate_refuses_a_weak_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weaken(monkeypatch)
    result = CliRunner().invoke(app, ["validate", str(folder)])
    assert isinstance(result.exception, UsageError) or result.exit_code == 2


def test_doctor_shows_what_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 0
    assert "Landlock" in result.output
    assert result.output.count("refused") == 4
    weaken(monkeypatch)
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1
    assert "let through" in result.output
    assert "Missing: denial of network." in result.output


def test_walls_survive_the_way_from_the_server() -> None:
    walls = shared_server().get().walls
    assert Walls.of(json.loads(json.dumps(walls.as_report()))) == walls
