"""The oracle that gets some of its calls wrong."""

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from envscaler_eval.policies import Turn, View, erring, scripted
from envscaler_eval.scenario import ToolCall

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e6, 1e6) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(st.text(min_size=1), JSON, min_size=1, max_size=3)


def _calls(error_rate: float, arguments: dict[str, JsonValue], seed: str = "s") -> list[ToolCall]:
    policy = scripted(Turn("so", (ToolCall(name="book", arguments=arguments),)))
    wrong = erring(policy, error_rate, seed)
    return [wrong(View(step)).calls[0] for step in range(200)]


def _wrong(calls: list[ToolCall], arguments: dict[str, JsonValue]) -> set[int]:
    return {step for step, call in enumerate(calls) if call.arguments != arguments}


def test_a_rate_of_zero_is_the_policy_itself() -> None:
    arguments: dict[str, JsonValue] = {"room": "R-102", "nights": 3}
    assert not _wrong(_calls(0, arguments), arguments)


def test_the_share_of_wrong_calls_is_the_rate() -> None:
    arguments: dict[str, JsonValue] = {"room": "R-102", "nights": 3}
    assert 40 <= len(_wrong(_calls(0.3, arguments), arguments)) <= 80


def test_what_goes_wrong_at_a_rate_goes_wrong_at_each_higher_one() -> None:
    arguments: dict[str, JsonValue] = {"room": "R-102", "nights": 3}
    few, more = _calls(0.2, arguments), _calls(0.6, arguments)
    wrong = _wrong(few, arguments)
    assert wrong < _wrong(more, arguments)
    assert [few[step] for step in wrong] == [more[step] for step in wrong]


def test_another_seed_errs_elsewhere() -> None:
    arguments: dict[str, JsonValue] = {"room": "R-102"}
    one, other = (_calls(0.5, arguments, seed) for seed in ("a", "b"))
    assert _wrong(one, arguments) != _wrong(other, arguments)


def test_identifiers_and_numbers_move_to_their_neighbours() -> None:
    assert _calls(1, {"room": "R-102"})[0].arguments == {"room": "R-103"}
    assert _calls(1, {"day": "2026-05-19"})[0].arguments == {"day": "2026-05-10"}
    assert _calls(1, {"nights": 3})[0].arguments == {"nights": 4}
    assert _calls(1, {"paid": True})[0].arguments == {"paid": False}


@given(ARGUMENTS)
def test_a_wrong_call_differs_in_one_argument(arguments: dict[str, JsonValue]) -> None:
    for call in _calls(1, arguments)[:3]:
        assert call.arguments.keys() == arguments.keys()
        # As text, since 1 is True and nan is no nan.
        changed = [k for k in arguments if repr(call.arguments[k]) != repr(arguments[k])]
        assert len(changed) == 1


def test_a_call_without_arguments_cannot_go_wrong() -> None:
    assert not _wrong(_calls(1, {}), {})
