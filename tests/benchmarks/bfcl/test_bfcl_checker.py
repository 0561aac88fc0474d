"""Verdicts, on the miniature."""

from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.benchmarks.bfcl import CATEGORIES, Dataset, Verdict, check, load
from envscaler_eval.benchmarks.bfcl.checker import judge
from envscaler_eval.benchmarks.bfcl.faults import FAULTS, UNFAIR, faults
from envscaler_eval.benchmarks.bfcl.oracle import oracle_calls
from envscaler_eval.benchmarks.data import DataError

EMPTY = "multi_turn:empty_turn_model_response"
STATE = "multi_turn:instance_state_mismatch"
RESPONSE = "multi_turn:execution_response_mismatch"
TERMINATED = "multi_turn:force_terminated"


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """Return a call as `check` takes it."""
    return {"name": name, "arguments": arguments}


OPEN = call("open_ticket", title="Leak", tags=["wet"])
CLOSE = call("close_ticket", number=1)
LIST = call("titles")


class TestVerdicts:
    @pytest.mark.parametrize(
        ("turns", "error_type", "passed"),
        [
            ([[[OPEN]], [[CLOSE, LIST]]], None, 2),
            ([[[OPEN]], [[CLOSE], [LIST]]], None, 2),
            ([[[OPEN], []], [[], [CLOSE], [LIST, LIST]]], None, 2),
            ([[[OPEN]], [[LIST], [CLOSE], [LIST]]], None, 2),
            ([[[OPEN, CLOSE, LIST]], [[CLOSE]]], STATE, 0),
            ([[[OPEN]], [[call("close_ticket", number=1.0), LIST]]], STATE, 1),
            ([[[OPEN]], [[call("close_ticket", number="1"), LIST]]], RESPONSE, 1),
            ([[[OPEN]], [[LIST, CLOSE]]], RESPONSE, 1),
            ([[[OPEN]], [[CLOSE, LIST, call("nope", x=1)]]], None, 2),
            ([[[OPEN]], [[call("nope")]]], STATE, 1),
            ([[[OPEN]], []], EMPTY, 1),
            ([[[OPEN]], [[]]], EMPTY, 1),
            ([[[OPEN]], [[], []]], EMPTY, 1),
            ([[], [[OPEN, CLOSE, LIST]]], EMPTY, 0),
            ([[[OPEN]], [[{"name": "close_ticket", "arguments": "{"}]]], EMPTY, 1),
            ([[[OPEN]], [[{"name": "close_ticket", "arguments": '{"number": 1}'}, LIST]]], None, 2),
            ([[[OPEN]]], TERMINATED, 0),
            ([[[OPEN]], [[CLOSE, LIST]], []], TERMINATED, 2),
            ([], TERMINATED, 0),
            ("Error during inference", "multi_turn:inference_error", 0),
        ],
    )
    def test_each_error_has_its_official_name(
        self, miniature: Path, turns: Any, error_type: str | None, passed: int
    ) -> None:
        verdict = check("v4", "multi_turn_base_0", turns, miniature)
        assert verdict == Verdict(error_type is None, error_type)
        assert verdict.turns_passed == passed

    def test_results_of_earlier_turns_count_again(self, miniature: Path) -> None:
        pay, balance = call("pay", card="red", amount=5), call("balance", card="red")
        last = [[call("pay", card="red", amount=7)]]
        harmless = [[LIST]]
        turns = [[[pay, balance]], harmless, last]
        assert check("v4", "multi_turn_base_1", turns, miniature).valid

    def test_where_nothing_is_expected_nothing_is_checked_yet(self, miniature: Path) -> None:
        close = [[CLOSE]]
        assert check("v4", "multi_turn_miss_param_0", [[], close, [[OPEN]]], miniature).valid
        early = check("v4", "multi_turn_miss_param_0", [[[OPEN]], close, []], miniature)
        assert early == Verdict(False, STATE)
        assert early.failed_class == "TicketAPI"

    def test_an_entry_with_an_answer_too_many_cannot_pass(self, miniature: Path) -> None:
        for turns in ([[[CLOSE]]], [[[CLOSE]], [[LIST]]]):
            verdict = check("v3", "multi_turn_base_2", turns, miniature)
            assert verdict == Verdict(False, TERMINATED)

    def test_both_sides_of_a_long_entry_share_their_constants(self, miniature: Path) -> None:
        """Officially both pay from one balance: the fault of the benchmark is kept."""
        pay, ask = call("pay", card="gold", amount=40), call("balance", card="gold")
        other = call("pay", card="gold", amount=1)
        assert check("v4", "multi_turn_long_context_0", [[[pay]], [[ask]]], miniature).valid
        more = check("v4", "multi_turn_long_context_0", [[[pay, other]], [[ask]]], miniature)
        assert more == Verdict(True, None)
        early = check("v4", "multi_turn_long_context_0", [[[pay, ask]], [[LIST]]], miniature)
        assert early == Verdict(False, RESPONSE)


class TestIndependence:
    def test_the_ground_truth_passes_in_any_order_again_and_again(self, small: Dataset) -> None:
        entries = list(small.entries.values())
        for order in (entries, entries[::-1], entries):
            for entry in order:
                verdict = judge(small, entry, [[calls] for calls in oracle_calls(small, entry)])
                assert verdict.valid is (entry.id != "multi_turn_base_2"), entry.id

    def test_checking_changes_neither_turns_nor_entries(
        self, miniature: Path, small: Dataset
    ) -> None:
        turns = [[[call("open_ticket", title="Leak", tags=["wet"])]], [[CLOSE, LIST]]]
        before = repr(turns), repr(small.entry("multi_turn_base_0"))
        check("v4", "multi_turn_base_0", turns, miniature)
        assert (repr(turns), repr(small.entry("multi_turn_base_0"))) == before


class TestEntries:
    def test_every_category_is_read(self, small: Dataset) -> None:
        assert [entry.category for entry in small.entries.values()] == [
            "base", "base", "base", *CATEGORIES[1:],
        ]  # fmt: skip

    def test_an_unknown_entry_is_named(self, miniature: Path) -> None:
        with pytest.raises(DataError, match="bfcl v4: no entry 'multi_turn_base_9'"):
            check("v4", "multi_turn_base_9", [], miniature)

    def test_known_faults_are_tagged(self, small: Dataset) -> None:
        def tags(entry_id: str) -> tuple[str, ...]:
            return faults("v4", small.entry(entry_id))

        assert tags("multi_turn_base_0") == ()
        assert tags("multi_turn_base_2") == ("extra_answer",)
        assert tags("multi_turn_miss_param_0") == ("exclusion_ignored", "last_turn_unchecked")
        assert set(FAULTS) >= UNFAIR

    def test_data_is_loaded_once(self, miniature: Path) -> None:
        assert load("v4", miniature) is load("v4", miniature)
