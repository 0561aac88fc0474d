"""Drafts: what a request may name."""

import pytest

from envscaler_eval.synth.answer import AnswerFault
from envscaler_eval.synth.scen_generator.draft import Request
from envscaler_eval.synth.scen_generator.drafting import require_grounded
from envscaler_eval.synth.skel_builder.trial import Start

TUBES = Start(
    about="One box.", now="2026-09-14T08:15:00", state={"tubes": {"AQ-7": {"position": "A1"}}}
)
PLOTS = Start(about="One plot.", now="2026-09-14T08:15:00", state={"plots": {"B7": {}}})


def _request(named: str) -> Request:
    words = "Please see to it today, since I shall be away from tomorrow until the end of the week"
    return Request(
        id="named_record", task=f"It is about {named}. {words}, and nobody else knows of it.",
        outcome=("It is done.",), untouched=(), persona="Somebody.", held_back=(),
    )  # fmt: skip


def test_a_request_may_name_a_record_that_is_there() -> None:
    require_grounded(_request("tube AQ-7"), TUBES)


@pytest.mark.parametrize(("named", "start"), [("AQ-8", TUBES), ("ZZ-1", TUBES), ("B4", PLOTS)])
def test_a_request_may_not_name_a_record_that_is_missing(named: str, start: Start) -> None:
    with pytest.raises(AnswerFault, match=f"names '{named}'"):
        require_grounded(_request(named), start)


def test_a_request_may_name_a_place_that_no_record_mentions_yet() -> None:
    require_grounded(_request("position B4 of the box, beside AQ-7"), TUBES)
