"""What the fisheries office reckons over several calls."""

import json
from typing import Any

from envscaler_eval.episode import Episode
from envscaler_eval.pack import locate, read_pack
from envscaler_eval.runtime import InProcessRuntime

TRIP = {"trip_id": "TP-610"}
SARDINE = {"stock_id": "SAR", "presentation": "whole"}
OVERFISHED = {"vessel_id": "ST-11", "stock_id": "SAR"}


class Office:
    """The office of a June day on which a seiner has 800 kg of its 60,000 kg of sardine left."""

    def __init__(self) -> None:
        pack = read_pack(locate("fisheries_quota"))
        scenario = pack.scenario("sardines_and_monkfish_tails")
        self.episode = Episode(scenario, InProcessRuntime(pack.environment))
        self.do("record_inspection", inspection_id="IP-9", finding="none")

    def do(self, name: str, **arguments: Any) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.episode.call(name, arguments))
        return answer


def test_overfishing_deducted_in_two_steps_costs_what_it_costs_in_one() -> None:
    at_once = Office()
    at_once.do("declare_landing", **TRIP, **SARDINE, landed_kg=5000)
    whole = at_once.do("apply_deduction", **OVERFISHED)

    in_steps = Office()
    landing = in_steps.do("declare_landing", **TRIP, **SARDINE, landed_kg=3000)
    first = in_steps.do("apply_deduction", **OVERFISHED)
    in_steps.do("correct_landing", landing_id=landing["landing_id"], landed_kg=5000)
    second = in_steps.do("apply_deduction", **OVERFISHED)

    assert (whole["over_kg"], whole["kg"]) == (4200, 5040)
    assert (first["over_kg"], first["kg"]) == (2200, 2200)
    assert (second["over_kg"], first["kg"] + second["kg"]) == (2000, whole["kg"])


def test_a_file_is_closed_once_nothing_is_listed_that_keeps_it_open() -> None:
    office = Office()
    assert office.do("check_trip", **TRIP)["open_points"] == ["Trip TP-610 has no landing"]

    landings = [
        office.do("declare_landing", **TRIP, **SARDINE, landed_kg=5000)["landing_id"],
        office.do("declare_landing", **TRIP, stock_id="HOM", presentation="whole", landed_kg=630)[
            "landing_id"
        ],
    ]
    found = office.do("check_trip", **TRIP)
    assert found["live_kg"] == {"SAR": 5000, "HOM": 630}
    assert [point.split(":")[0] for point in found["open_points"]] == [
        "Not matched",
        "ST-11 is 4200 kg over its quota of SAR",
    ]
    assert office.do("close_trip", **TRIP)["error"] == "; ".join(found["open_points"])

    for note_id, landing_id in zip(("NV-81", "NV-82"), landings, strict=True):
        office.do("match_sales_note", note_id=note_id, landing_id=landing_id)
    office.do("apply_deduction", **OVERFISHED)
    assert office.do("check_trip", **TRIP)["open_points"] == []
    assert office.do("close_trip", **TRIP)["success"]
