"""What a tool of the library quotes, or finds free, agrees with what is done next."""

import json
from collections.abc import Iterator
from typing import Any

from envscaler_eval.episode import Episode
from envscaler_eval.pack import find_packs, read_pack
from envscaler_eval.runtime import InProcessRuntime


def _before_each(pack_name: str, tool: str) -> Iterator[tuple[Episode, dict[str, Any]]]:
    """Play the solutions of a pack, and halt just before each call of a tool."""
    pack = next(read_pack(folder) for folder in find_packs() if folder.name == pack_name)
    runtime = InProcessRuntime(pack.environment)
    halts = 0
    for scenario in pack.scenarios:
        with Episode(scenario, runtime) as episode:
            for call in scenario.solution:
                if call.name == tool:
                    halts += 1
                    yield episode, dict(call.arguments)
                else:
                    episode.call(call.name, call.arguments)
    assert halts, f"no solution of {pack_name} calls {tool}"


def _call(episode: Episode, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(episode.call(name, arguments))
    assert answer["success"], (name, arguments, answer)
    return answer


def _asked(arguments: dict[str, Any], *names: str) -> dict[str, Any]:
    """Of some arguments those with these names."""
    return {name: arguments[name] for name in names}


def test_a_delivery_is_settled_for_what_was_quoted() -> None:
    for episode, arguments in _before_each("farm_cooperative", "settle_delivery"):
        quote = _call(episode, "quote_settlement", arguments)
        paid = _call(episode, "settle_delivery", arguments)
        assert (quote["kg"], quote["amount_cents"]) == (paid["kg"], paid["amount_cents"])


def test_a_load_is_weighed_in_as_it_was_quoted() -> None:
    for episode, arguments in _before_each("farm_cooperative", "receive_delivery"):
        ticket = _call(episode, "receive_delivery", arguments)
        sample = {k: v for k, v in arguments.items() if k not in ("member_id", "quantity", "unit")}
        quote = _call(episode, "quote_load", {**sample, "gross_kg": ticket["gross_kg"]})
        assert (quote["net_kg"], quote["grade"]) == (ticket["net_kg"], ticket["grade"])


def test_a_machine_is_booked_on_days_that_were_free() -> None:
    for episode, arguments in _before_each("farm_cooperative", "book_machine"):
        wanted = (arguments["starts_on"], arguments["ends_on"])
        asked = {
            "machine_id": arguments["machine_id"],
            "first_day": wanted[0],
            "last_day": wanted[1],
        }
        free = _call(episode, "find_free_days", asked)["free"]
        assert [(span["from"], span["until"]) for span in free] == [wanted]
        _call(episode, "book_machine", arguments)
        assert _call(episode, "find_free_days", asked)["free"] == []


def _quote(episode: Episode, stay: dict[str, Any]) -> dict[str, Any]:
    """The quote for a stay at its rate plan."""
    asked = _asked(stay, "arrival", "departure", "room_type_id")
    quotes: list[dict[str, Any]] = _call(episode, "quote_stay", asked)["quotes"]
    return next(quote for quote in quotes if quote["rate_plan_id"] == stay["rate_plan_id"])


def test_a_stay_is_sold_at_a_rate_and_out_of_rooms_that_were_quoted() -> None:
    for episode, arguments in _before_each("hotel_operations", "book_stay"):
        before = _quote(episode, arguments)
        booked = _call(episode, "book_stay", arguments)["reservation_id"]
        after = _quote(episode, arguments)
        reservation = episode.state()["reservations"][booked]
        assert reservation["nightly_cents"] == before["nightly_cents"]
        assert after["sellable"] == before["sellable"] - 1


def test_a_task_adds_the_credits_that_the_workload_then_tells() -> None:
    for episode, arguments in _before_each("hotel_operations", "assign_task"):
        credits = _call(episode, "assign_task", arguments)["credits"]
        day = episode.state()["tasks"][arguments["task_id"]]["due_on"]
        load = {
            row["attendant_id"]: row["credits"]
            for row in _call(episode, "list_workloads", {"day": day})["attendants"]
        }
        assert load[arguments["attendant_id"]] == credits


def test_a_shift_goes_to_somebody_whose_shifts_are_a_week_away() -> None:
    for episode, arguments in _before_each("release_control", "reassign_shift"):
        cover = _call(episode, "find_cover", {"shift_id": arguments["shift_id"]})
        taker = next(
            row for row in cover["members"] if row["engineer_id"] == arguments["engineer_id"]
        )
        assert all(shift["days_between"] >= 7 for shift in taker["shifts"])
        _call(episode, "reassign_shift", arguments)


def test_a_bill_is_issued_for_what_its_readings_were_quoted_at() -> None:
    for episode, arguments in _before_each("utility_billing", "issue_bill"):
        bill = _call(episode, "issue_bill", arguments)
        quote = _call(episode, "quote_bill", _asked(bill, "from_reading_id", "to_reading_id"))
        assert quote["amount_cents"] == bill["amount_cents"]
        tiers = sum(tier["cents"] for tier in quote["tiers"])
        assert quote["fixed_cents"] + tiers == bill["amount_cents"]
        assert sum(tier["units"] for tier in quote["tiers"]) == bill["usage"]


def test_the_instalments_of_a_plan_come_to_its_total_a_month_apart() -> None:
    for episode, arguments in _before_each("utility_billing", "start_plan"):
        plan = _call(episode, "start_plan", arguments)
        schedule = _call(episode, "get_instalments", _asked(plan, "plan_id"))["schedule"]
        assert sum(row["amount_cents"] for row in schedule) == plan["total_cents"]
        due = [row["due_on"] for row in schedule]
        assert due == sorted(set(due))
        assert due[0] == plan["first_due_on"]
        assert {day[-2:] for day in due} == {due[0][-2:]}


def test_a_room_or_device_that_is_given_away_was_listed_as_free() -> None:
    for episode, arguments in _before_each("clinic_scheduling", "assign_resource"):
        visit = episode.state()["appointments"][arguments["appointment_id"]]
        free = _call(episode, "list_free_resources", _asked(visit, "date", "start", "end"))
        listed = [row["room_id"] for row in free["rooms"]]
        listed += [row["equipment_id"] for row in free["equipment"]]
        assert arguments["resource_id"] in listed
        _call(episode, "assign_resource", arguments)


def test_a_shipment_costs_what_its_carrier_was_quoted_with() -> None:
    for episode, arguments in _before_each("warehouse_fulfilment", "book_shipment"):
        quotes = _call(episode, "quote_carriage", _asked(arguments, "order_id", "lines"))["quotes"]
        fees = {quote["carrier_id"]: quote["fee_cents"] for quote in quotes}
        shipment = _call(episode, "book_shipment", arguments)
        assert fees[arguments["carrier_id"]] == shipment["fee_cents"]
