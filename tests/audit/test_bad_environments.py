"""Each kind of bad environment is rejected for its own reason."""

from pathlib import Path

from envscaler_eval.audit import EnvironmentCard, assess_environment
from envscaler_eval.pack import read_pack
from envscaler_eval.runtime import InProcessRuntime
from tests.audit.tool_shed import SOURCE, write_pack


def assessed(folder: Path) -> EnvironmentCard:
    pack = read_pack(folder)
    return assess_environment(pack, InProcessRuntime(pack.environment))


def reasons(card: EnvironmentCard) -> dict[str, str]:
    return {item.name: " | ".join(item.notes) for item in card.items if not item.passed}


def test_the_sound_environment_passes_everything(tmp_path: Path) -> None:
    card = assessed(write_pack(tmp_path))
    assert reasons(card) == {}
    assert card.score == 1.0
    assert card.passed


def test_state_corrupted_by_a_failing_call(tmp_path: Path) -> None:
    early = "        self.next_loan += 1\n        tool = self.tools.get(tool_id)\n"
    source = SOURCE.replace("        tool = self.tools.get(tool_id)\n", early)
    found = reasons(assessed(write_pack(tmp_path, source=source)))
    assert set(found) == {"failure_atomicity"}
    assert "lend(" in found["failure_atomicity"]


def test_tool_that_raises(tmp_path: Path) -> None:
    source = SOURCE.replace(
        '        if member_id not in self.members:\n            return {"success": False, '
        '"error": f"No member {member_id}"}\n        self.members',
        "        self.members",
    )
    found = reasons(assessed(write_pack(tmp_path, source=source)))
    assert set(found) == {"robustness"}
    assert "KeyError" in found["robustness"]


def test_state_that_does_not_serialise(tmp_path: Path) -> None:
    source = SOURCE.replace('["phone"] = phone', '["phone"] = lambda: phone')
    found = reasons(assessed(write_pack(tmp_path, source=source)))
    assert "serialisable" in found


def test_number_that_is_not_finite(tmp_path: Path) -> None:
    source = SOURCE.replace('["phone"] = phone', '["phone"] = float("nan")')
    found = reasons(assessed(write_pack(tmp_path, source=source)))
    assert "nan at /members" in found["serialisable"]


def test_result_that_differs_from_run_to_run(tmp_path: Path) -> None:
    source = SOURCE.replace('"loans": self.loans}', '"loans": self.loans, "at": perf()}').replace(
        "from typing", "from timeit import default_timer as perf\nfrom typing"
    )
    assert set(reasons(assessed(write_pack(tmp_path, source=source)))) == {"replay"}


def test_tool_that_never_succeeds(tmp_path: Path) -> None:
    note = SOURCE.index("def set_phone")
    source = SOURCE[:note] + SOURCE[note:].replace("in self.members:", "in self.tools:")
    found = reasons(assessed(write_pack(tmp_path, source=source)))
    assert "no call of set_phone ever succeeded" in found["tools_succeed"]


def test_rule_that_the_code_does_not_enforce(tmp_path: Path) -> None:
    source = SOURCE.replace("if not 1 <= days <= 14:", "if not 1 <= days <= 500:")
    found = reasons(assessed(write_pack(tmp_path, source=source)))
    assert set(found) == {"rules_reject"}
    assert "the last call is ok, not refused" in found["rules_reject"]


def test_rule_without_a_rejection(tmp_path: Path) -> None:
    found = reasons(assessed(write_pack(tmp_path, rejections=[])))
    assert found.keys() == {"rules_reject"}
    assert "rule 1 (A loan lasts 1 to 14 days.) has no rejection" in found["rules_reject"]


def test_code_that_never_runs(tmp_path: Path) -> None:
    dead = "\n".join(f"            x{i} = {i}" for i in range(12))
    source = SOURCE.replace(
        "        loan_id = f", f"        if days > 500:\n{dead}\n        loan_id = f", 1
    )
    assert set(reasons(assessed(write_pack(tmp_path, source=source)))) == {"coverage"}


def test_pack_without_an_alternative(tmp_path: Path) -> None:
    assert set(reasons(assessed(write_pack(tmp_path, alternatives=[])))) == {"alternatives"}
