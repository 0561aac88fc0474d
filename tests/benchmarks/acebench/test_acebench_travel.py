"""The airline keeps upstream's rules."""

from typing import Any

import pytest
from acebench_worlds import say

BOOKING = {
    "user_id": "t1",
    "password": "kite",
    "flight_no": "AB1",
    "cabin": "Economy Class",
    "payment_method": "bank",
    "baggage_count": 3,
}


def test_bookings_are_paid_and_kept_without_places(world: Any) -> None:
    made = world("multi_turn_1")
    assert say(made, "reserve_flight", **BOOKING) == (
        "Booking successful. Reservation ID: res_5. Total cost: 200 yuan (including baggage fees)."
    )
    travel = made.state()["Travel"]
    assert travel["users"]["t1"]["bank_balance"] == 800.0
    assert travel["reservations"][4] == {
        "reservation_id": "res_5",
        "user_id": "t1",
        "flight_no": "AB1",
        "payment_method": "bank",
        "cabin": "Economy Class",
        "baggage": 3,
    }


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"password": "x"}, "Error during execution: 'membership_level'"),
        ({"flight_no": "XX"}, "Error during execution: 'NoneType' object is not subscriptable"),
        ({"flight_no": "CA1"}, "Error during execution: 'NoneType' object is not subscriptable"),
        ({"cabin": "First"}, "Error during execution: 'First'"),
        ({"payment_method": "card"}, "Invalid payment method"),
        ({"payment_method": "cash"}, "Your cash balance is insufficient. Please consider using"),
        ({"baggage_count": "3"}, "Error during execution: unsupported operand type(s) for -:"),
    ],
)
def test_bookings_are_refused_or_fail(changes: dict[str, Any], shown: str, world: Any) -> None:
    made = world("multi_turn_1")
    before = made.state()
    assert made.call("reserve_flight", BOOKING | changes)[2:].startswith(shown)
    assert made.state() == before


def test_a_changed_cabin_counts_the_old_flight_and_need_not_be_paid(world: Any) -> None:
    made = world("multi_turn_1")
    change = {"user_id": "t1", "reservation_id": "res_1"}
    assert say(
        made, "modify_flight", **change, new_flight_no="AB2", new_cabin="Business Class"
    ) == ("Flight number has been changed. Cabin change successful. Price difference paid: 200.")
    assert say(
        made, "modify_flight", **change, new_cabin="Economy Class", new_payment_method="cash"
    ) == ("Cabin change successful. Price difference refunded: 50.")
    poor = {"user_id": "t2", "reservation_id": "res_3", "new_payment_method": "bank"}
    made.invoke("update_balance", {"user": {"bank_balance": 5}, "payment_method": "", "amount": 1})
    assert say(made, "modify_flight", **poor, new_cabin="Business Class", add_baggage=3) == (
        "Cabin change successful. Price difference paid: 10. Insufficient balance to pay the "
        "additional baggage fees."
    )
    reservation = made.state()["Travel"]["reservations"][2]
    assert (reservation["cabin"], reservation["baggage"]) == ("Business Class", 4)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"reservation_id": "res_9"}, "Reservation not found or user ID does not match."),
        ({"reservation_id": "res_3"}, "Reservation not found or user ID does not match."),
        ({"reservation_id": "res_1"}, "Modification completed with no additional fees."),
        (
            {"reservation_id": "res_1", "new_flight_no": "BC1", "add_baggage": 9},
            "Flight change failed: Invalid new flight number or destination does not match.",
        ),
        (
            {"reservation_id": "res_1", "add_baggage": 2},
            "Baggage has been added. Additional fee to be paid: 100.",
        ),
        ({"reservation_id": "res_2", "add_baggage": 1}, "Modification completed with no"),
    ],
)
def test_changes_are_answered(arguments: dict[str, Any], said: str, world: Any) -> None:
    assert say(world("multi_turn_1"), "modify_flight", user_id="t1", **arguments).startswith(said)


@pytest.mark.parametrize(
    ("user", "reservation", "reason", "said", "refund"),
    [
        ("t9", "res_1", "", "Invalid user ID.", 0),
        ("t1", "res_3", "", "Invalid reservation ID or it does not belong", 0),
        ("t2", "res_4", "", "Invalid flight information.", 0),
        ("t2", "res_3", "", "The flight segment has been used", 0),
        ("t1", "res_1", "", "More than 24 hours before departure.", 100),
        ("t1", "res_2", "", "Less than 24 hours before departure. A cancellation fee of 25.0", 225),
        ("t1", "res_2", "The airline has canceled the flight.", "The flight has been", 250),
    ],
)
def test_cancelling_refunds_in_cash_and_keeps_the_reservation(
    user: str, reservation: str, reason: str, said: str, refund: int, world: Any
) -> None:
    made = world("multi_turn_1")
    cancel = {"user_id": user, "reservation_id": reservation, "reason": reason}
    for times in (1, 2):
        assert say(made, "cancel_reservation", **cancel).startswith(said)
        assert made.state()["Travel"]["users"]["t1"]["cash_balance"] == 100.0 + refund * times
    assert len(made.state()["Travel"]["reservations"]) == 4


def test_flights_are_found_direct_and_in_two_legs(world: Any) -> None:
    made = world("multi_turn_1")
    found = say(made, "get_flight_details", origin="Bray", destination="Cove")
    assert [flight["flight_no"] for flight in found] == ["BC1", "BC2"]
    assert len(say(made, "get_flight_details")) == 6
    assert say(made, "get_flight_details", origin="Aston", destination="Cove").startswith("There")
    legs = {"origin_city": "Aston", "transfer_city": "Bray", "destination_city": "Cove"}
    pairs = [
        (pair["first_leg"]["flight_no"], pair["second_leg"]["flight_no"])
        for pair in say(made, "find_transfer_flights", **legs)
    ]
    assert pairs == [("AB1", "BC1"), ("AB2", "BC1"), ("AB2", "BC2")]
    legs = {"origin_city": "Bray", "transfer_city": "Cove", "destination_city": "Aston"}
    assert say(made, "find_transfer_flights", **legs).startswith("No connecting flights")


def test_reservations_are_found_by_id_before_user(world: Any) -> None:
    made = world("multi_turn_1")

    def found(**arguments: Any) -> list[tuple[str, bool]]:
        return [
            (item["reservation_id"], item["flight_info"] is not None)
            for item in say(made, "get_reservation_details", **arguments)
        ]

    assert found(reservation_id="res_1", user_id="t2") == [("res_1", True)]
    assert found(user_id="t2") == [("res_3", True), ("res_4", False)]
    assert found(user_id="t9") == []
    assert say(made, "get_reservation_details").startswith("Please provide")


def test_profiles_have_no_password(world: Any) -> None:
    made = world("multi_turn_1")
    assert "password" not in say(made, "get_user_details", user_id="t1", password="kite")
    assert say(made, "get_user_details", user_id="t1", password="fern") == (
        "Incorrect username or password."
    )
