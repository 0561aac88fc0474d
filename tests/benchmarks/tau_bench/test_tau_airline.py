"""The airline tools, on the miniature airline."""

import json
from typing import Any

import pytest

from envscaler_eval.benchmarks.tau_bench import TauWorld

PASSENGER = {"first_name": "A", "last_name": "B", "dob": "1990-01-01"}
X1 = {"flight_number": "X1", "date": "2024-05-10"}


def book(world: TauWorld, *payments: tuple[str, Any], **changes: Any) -> str:
    arguments = {
        "user_id": "cy_3",
        "origin": "AAA",
        "destination": "BBB",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [X1],
        "passengers": [PASSENGER],
        "payment_methods": [{"payment_id": name, "amount": amount} for name, amount in payments],
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
    }
    return world.call("book_reservation", arguments | changes)


def fly(world: TauWorld, cabin: str, flights: Any, payment: str, reservation: str = "R1") -> str:
    return world.call(
        "update_reservation_flights",
        {
            "reservation_id": reservation,
            "cabin": cabin,
            "flights": flights,
            "payment_id": payment,
        },
    )


def pack(world: TauWorld, total: Any, nonfree: Any, payment: str, reservation: str = "R1") -> str:
    return world.call(
        "update_reservation_baggages",
        {
            "reservation_id": reservation,
            "total_baggages": total,
            "nonfree_baggages": nonfree,
            "payment_id": payment,
        },
    )


def search(world: TauWorld, kind: str, origin: str, destination: str, date: Any) -> str:
    arguments = {"origin": origin, "destination": destination, "date": date}
    return world.call(f"search_{kind}_flight", arguments)


def methods(world: TauWorld, user_id: str = "cy_3") -> dict[str, Any]:
    found: dict[str, Any] = world.state()["users"][user_id]["payment_methods"]
    return found


class TestLookups:
    def test_an_unknown_reservation_is_called_a_user(self, desk: TauWorld) -> None:
        observation = desk.call("get_reservation_details", {"reservation_id": "?"})
        assert observation == "Error: user not found"
        assert desk.call("get_user_details", {"user_id": "?"}) == "Error: user not found"

    def test_records_are_json(self, desk: TauWorld) -> None:
        user = json.loads(desk.call("get_user_details", {"user_id": "cy_3"}))
        assert user["membership"] == "gold"
        reservation = desk.call("get_reservation_details", {"reservation_id": "R1"})
        assert json.loads(reservation)["cabin"] == "economy"

    def test_airports(self, desk: TauWorld) -> None:
        airports = json.loads(desk.call("list_all_airports", {}))
        assert list(airports)[:2] == ["SFO", "JFK"]
        assert (len(airports), airports["LGA"]) == (20, "LaGuardia")


class TestSearch:
    def test_direct_flights_carry_the_data_of_the_date(self, desk: TauWorld) -> None:
        found = json.loads(search(desk, "direct", "AAA", "BBB", "2024-05-10"))
        assert [flight["flight_number"] for flight in found] == ["X1", "X2"]
        assert list(found[0]) == [
            "flight_number",
            "origin",
            "destination",
            "scheduled_departure_time_est",
            "scheduled_arrival_time_est",
            "status",
            "available_seats",
            "prices",
        ]
        assert found[0]["prices"]["economy"] == 50

    def test_only_available_flights_are_found(self, desk: TauWorld) -> None:
        assert search(desk, "direct", "AAA", "BBB", "2024-05-12") == "[]"
        assert search(desk, "direct", "BBB", "AAA", "2024-05-10") == "[]"

    def test_connections_must_not_leave_before_arrival(self, desk: TauWorld) -> None:
        found = json.loads(search(desk, "onestop", "AAA", "CCC", "2024-05-10"))
        pairs = [[flight["flight_number"] for flight in pair] for pair in found]
        assert pairs == [["X1", "X3"], ["X2", "X3"]]

    def test_the_second_flight_shows_the_data_of_the_first_day(self, desk: TauWorld) -> None:
        _, overnight = json.loads(search(desk, "onestop", "AAA", "CCC", "2024-05-10"))
        assert overnight[0]["date"] == "2024-05-10"
        assert overnight[1]["date"] == "2024-05-11"
        assert overnight[1]["prices"]["economy"] == 60

    def test_before_the_tenth_the_next_day_lacks_a_zero(self, desk: TauWorld) -> None:
        # The data has X3 on neither the 9th nor "2024-05-9".
        assert search(desk, "onestop", "AAA", "CCC", "2024-05-08") == "[]"

    def test_missing_data_of_the_first_day_is_an_error(self, desk: TauWorld) -> None:
        # Overnight on the 9th, X3 flies on the 10th but has no data for the 9th.
        assert search(desk, "onestop", "AAA", "CCC", "2024-05-09") == "Error: '2024-05-09'"

    def test_a_date_is_only_read_for_overnight_pairs(self, desk: TauWorld) -> None:
        fault = "Error: invalid literal for int() with base 10: 'ay'"
        assert search(desk, "onestop", "AAA", "CCC", "May") == fault
        assert search(desk, "onestop", "BBB", "CCC", "May") == "[]"


class TestBook:
    def test_charges_and_records(self, desk: TauWorld) -> None:
        # 50 and 44 for the flights, 30 for the insurance, 50 for a bag.
        payments = (("gift_card_3", 50), ("certificate_3", 80), ("credit_card_3", 44))
        flights = [X1, {"flight_number": "X2", "date": "2024-05-09"}]
        booked = json.loads(
            book(desk, *payments, flights=flights, insurance="yes", nonfree_baggages=1)
        )
        assert list(booked) == [
            "reservation_id",
            "user_id",
            "origin",
            "destination",
            "flight_type",
            "cabin",
            "flights",
            "passengers",
            "payment_history",
            "created_at",
            "total_baggages",
            "nonfree_baggages",
            "insurance",
        ]
        assert booked["reservation_id"] == "HATHAT"
        assert booked["created_at"] == "2024-05-15T15:00:00"
        assert booked["flights"][0] == X1 | {"price": 50, "origin": "AAA", "destination": "BBB"}
        assert methods(desk)["gift_card_3"]["amount"] == 10
        assert "certificate_3" not in methods(desk)
        assert desk.state()["users"]["cy_3"]["reservations"] == ["R1", "R0", "HATHAT"]

    def test_the_fourth_booking_overwrites_the_third(self, desk: TauWorld) -> None:
        ids = [json.loads(book(desk, ("credit_card_3", 50)))["reservation_id"] for _ in range(4)]
        assert ids == ["HATHAT", "HATHAU", "HATHAV", "HATHAV"]
        assert len(desk.state()["reservations"]) == 5

    def test_seats_are_not_taken(self, desk: TauWorld) -> None:
        before = desk.state()["flights"]
        book(desk, ("credit_card_3", 100), passengers=[PASSENGER, PASSENGER])
        assert desk.state()["flights"] == before

    def test_balances_are_checked_payment_by_payment(self, desk: TauWorld) -> None:
        flights = [X1, {"flight_number": "X2", "date": "2024-05-10"}]
        booked = book(desk, ("gift_card_3", 54), ("gift_card_3", 50), flights=flights)
        assert not booked.startswith("Error")
        assert methods(desk)["gift_card_3"]["amount"] == -44

    def test_a_certificate_used_twice_is_gone_but_nothing_is_booked(self, desk: TauWorld) -> None:
        observation = book(desk, ("certificate_3", 20), ("certificate_3", 30))
        assert observation == "Error: 'certificate_3'"
        assert "certificate_3" not in methods(desk)
        assert "HATHAT" not in desk.state()["reservations"]

    def test_checks_come_in_order(self, desk: TauWorld) -> None:
        assert book(desk, user_id="?") == "Error: user not found"
        assert book(desk, flights=[X1 | {"flight_number": "X9"}]) == "Error: flight X9 not found"
        dated = book(desk, flights=[X1 | {"date": "2024-05-30"}])
        assert dated == "Error: flight X1 not found on date 2024-05-30"
        grounded = book(desk, flights=[X1 | {"date": "2024-05-12"}])
        assert grounded == "Error: flight X1 not available on date 2024-05-12"
        crowded = book(desk, passengers=[PASSENGER] * 3)
        assert crowded == "Error: not enough seats on flight X1"
        assert book(desk, cabin="first") == "Error: 'first'"
        assert book(desk, ("?", 50)) == "Error: payment method ? not found"
        poor = book(desk, ("gift_card_3", 61))
        assert poor == "Error: not enough balance in payment method gift_card_3"
        wrong = "Error: payment amount does not add up, total price is 50, but paid 49.5"
        assert book(desk, ("credit_card_3", 49.5)) == wrong

    def test_extra_keys_are_stored(self, desk: TauWorld) -> None:
        book(desk, ("credit_card_3", 50), passengers=[PASSENGER | {"seat": "1A"}])
        assert desk.state()["reservations"]["HATHAT"]["passengers"][0]["seat"] == "1A"


class TestCancel:
    def test_negates_all_entries_each_time(self, desk: TauWorld) -> None:
        desk.call("cancel_reservation", {"reservation_id": "R1"})
        twice = json.loads(desk.call("cancel_reservation", {"reservation_id": "R1"}))
        assert [entry["amount"] for entry in twice["payment_history"]] == [41, -41, -41, 41]
        assert list(twice)[-1] == "status"

    def test_gift_cards_are_not_credited(self, desk: TauWorld) -> None:
        book(desk, ("gift_card_3", 50))
        desk.call("cancel_reservation", {"reservation_id": "HATHAT"})
        assert methods(desk)["gift_card_3"]["amount"] == 10

    def test_a_callers_list_is_not_extended(self, desk: TauWorld) -> None:
        payments = [{"payment_id": "credit_card_3", "amount": 50}]
        book(desk, payment_methods=payments)
        desk.call("cancel_reservation", {"reservation_id": "HATHAT"})
        assert payments == [{"payment_id": "credit_card_3", "amount": 50}]

    def test_unknown(self, desk: TauWorld) -> None:
        observation = desk.call("cancel_reservation", {"reservation_id": "?"})
        assert observation == "Error: reservation not found"


class TestUpdateFlights:
    def test_a_known_flight_keeps_its_price(self, desk: TauWorld) -> None:
        after = json.loads(fly(desk, "economy", [X1], "gift_card_3"))
        assert after["flights"][0]["price"] == 41
        assert len(after["payment_history"]) == 1

    def test_the_cabin_decides_the_price_but_is_not_recorded(self, desk: TauWorld) -> None:
        after = json.loads(fly(desk, "business", [X1], "gift_card_3"))
        assert after["cabin"] == "economy"
        assert after["flights"][0]["price"] == 75
        assert after["payment_history"][-1] == {"payment_id": "gift_card_3", "amount": 34}
        assert methods(desk)["gift_card_3"]["amount"] == 26
        back = json.loads(fly(desk, "economy", [X1], "gift_card_3"))
        assert back["flights"][0]["price"] == 75

    def test_no_flights_refund_all(self, desk: TauWorld) -> None:
        after = json.loads(fly(desk, "economy", [], "gift_card_3"))
        assert after["payment_history"][-1]["amount"] == -41
        assert methods(desk)["gift_card_3"]["amount"] == 101

    def test_checks_come_in_order(self, desk: TauWorld) -> None:
        assert fly(desk, "economy", [X1], "?", "?") == "Error: reservation not found"
        full = {"flight_number": "X4", "date": "2024-05-10"}
        assert fly(desk, "economy", [full], "?") == "Error: not enough seats on flight X4"
        assert fly(desk, "economy", [X1], "?") == "Error: payment method not found"
        certificate = "Error: certificate cannot be used to update reservation"
        assert fly(desk, "economy", [X1], "certificate_3") == certificate
        dear = [X1, {"flight_number": "X2", "date": "2024-05-10"}]
        short = "Error: gift card balance is not enough"
        assert fly(desk, "business", dear, "gift_card_3") == short
        assert desk.changes() == {}


class TestUpdateBaggages:
    def test_more_bags_cost(self, desk: TauWorld) -> None:
        after = json.loads(pack(desk, 2, 1, "gift_card_3"))
        assert after["payment_history"][-1] == {"payment_id": "gift_card_3", "amount": 50}
        assert methods(desk)["gift_card_3"]["amount"] == 10

    def test_fewer_bags_are_not_refunded(self, desk: TauWorld) -> None:
        pack(desk, 2, 1, "credit_card_3")
        after = json.loads(pack(desk, 0, 0, "credit_card_3"))
        assert (after["total_baggages"], after["nonfree_baggages"]) == (0, 0)
        assert len(after["payment_history"]) == 2

    def test_checks_come_in_order(self, desk: TauWorld) -> None:
        assert pack(desk, 1, 1, "?", "?") == "Error: reservation not found"
        typed = "Error: unsupported operand type(s) for -: 'str' and 'int'"
        assert pack(desk, 1, "1", "?") == typed
        assert pack(desk, 1, 1, "?") == "Error: payment method not found"
        certificate = "Error: certificate cannot be used to update reservation"
        assert pack(desk, 1, 1, "certificate_3") == certificate
        assert pack(desk, 2, 2, "gift_card_3") == "Error: gift card balance is not enough"


class TestUpdatePassengers:
    def test_as_many_others(self, desk: TauWorld) -> None:
        arguments = {"reservation_id": "R1", "passengers": [PASSENGER]}
        after = json.loads(desk.call("update_reservation_passengers", arguments))
        assert after["passengers"] == [PASSENGER]

    @pytest.mark.parametrize(
        ("reservation", "fault"),
        [("?", "reservation not found"), ("R0", "number of passengers does not match")],
    )
    def test_refusals(self, reservation: str, fault: str, desk: TauWorld) -> None:
        arguments = {"reservation_id": reservation, "passengers": [PASSENGER]}
        assert desk.call("update_reservation_passengers", arguments) == f"Error: {fault}"


class TestCertificates:
    def test_three_are_given_and_the_fourth_crashes_the_trial(self, desk: TauWorld) -> None:
        arguments = {"user_id": "di_4", "amount": 50}
        first = desk.call("send_certificate", arguments)
        assert first == "Certificate certificate_3221322 added to user di_4 with amount 50."
        desk.call("send_certificate", arguments)
        desk.call("send_certificate", arguments)
        assert desk.crash is None
        assert desk.call("send_certificate", arguments) == "None"
        assert desk.crash is not None
        assert "fourth certificate" in desk.crash
        assert list(methods(desk, "di_4")) == [
            "certificate_3221322",
            "certificate_3221323",
            "certificate_3221324",
        ]

    def test_nobody(self, desk: TauWorld) -> None:
        arguments = {"user_id": "?", "amount": 1}
        assert desk.call("send_certificate", arguments) == "Error: user not found"
