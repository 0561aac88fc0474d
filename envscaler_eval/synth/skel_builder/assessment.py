"""What is known of a program after testing, and whether it is good enough."""

from collections.abc import Iterator
from typing import Any

from envscaler_eval.audit import Item
from envscaler_eval.scenario import Frozen, Rejection
from envscaler_eval.synth.skel_builder.testing import Tested

ASKED = ("robustness", "failure_atomicity", "serialisable", "replay", "tools_succeed",
         "rules_reject")  # fmt: skip
"""The audit's questions about an environment that can be asked before it has scenarios."""

_CASES_SHOWN = 4
_NOTES_SHOWN = 4


class Assessment(Frozen):
    """The assessment of one version of a program.

    Attributes:
        tested: The tests of both agents.
        items: The answers of the audit, found without a model.
        rejections: Calls that prove the rules.
        unproven: Why a rule has no proof, by its number.
        least_pass_rate: The bar for the share of tests that pass.
    """

    tested: tuple[Tested, ...]
    items: tuple[Item, ...]
    rejections: tuple[Rejection, ...]
    unproven: dict[int, str]
    least_pass_rate: float

    @property
    def pass_rate(self) -> float:
        """The share of tests that pass; a warning has not passed."""
        passed = sum(tested.verdict == "pass" for tested in self.tested)
        return passed / len(self.tested) if self.tested else 0.0

    @property
    def accepted(self) -> bool:
        """Whether the program may be kept."""
        return self.pass_rate >= self.least_pass_rate and all(item.passed for item in self.items)

    @property
    def faults(self) -> dict[str, list[Tested]]:
        """The tests that did not pass, by tool, for each tool that failed one."""
        failing = {tested.tool for tested in self.tested if tested.verdict == "fail"}
        if not failing and self.pass_rate < self.least_pass_rate:
            failing = {tested.tool for tested in self.tested if tested.verdict == "warning"}
        found: dict[str, list[Tested]] = {}
        for tested in self.tested:
            if tested.tool in failing and tested.verdict != "pass":
                found.setdefault(tested.tool, []).append(tested)
        return {tool: cases[:_CASES_SHOWN] for tool, cases in found.items()}

    @property
    def notes(self) -> list[str]:
        """What the audit found wrong, a line each."""
        lines = [
            note
            for item in self.items
            if not item.passed and item.name != "rules_reject"
            for note in item.notes[:_NOTES_SHOWN]
        ]
        return [*lines, *(f"rule {rule}: {why}" for rule, why in self.unproven.items())]

    @property
    def wants_repair(self) -> bool:
        """Whether anything failed, be it few enough to be kept."""
        return bool(self.faults) or bool(self.notes)

    @property
    def told(self) -> dict[str, Any]:
        """The assessment for who watches, as JSON data."""
        return {
            "summary": self.summary,
            "pass_rate": self.pass_rate,
            "accepted": self.accepted,
            "wants_repair": self.wants_repair,
            "audit": [item.model_dump(mode="json") for item in self.items],
            "faults": {
                tool: [f"{one.verdict}: {one.reason}" for one in tests]
                for tool, tests in self.faults.items()
            },
            "notes": self.notes,
        }

    @property
    def summary(self) -> str:
        """The assessment in a line."""
        return ", ".join(self._parts())

    def _parts(self) -> Iterator[str]:
        count = {verdict: 0 for verdict in ("pass", "warning", "fail")}
        for tested in self.tested:
            count[tested.verdict] += 1
        yield (
            f"pass rate {self.pass_rate:.2f} ({count['pass']} passed, {count['warning']} with "
            f"warnings, {count['fail']} failed)"
        )
        for item in self.items:
            if not item.passed:
                yield f"{item.name}: {item.notes[0] if item.notes else 'failed'}"
