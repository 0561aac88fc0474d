"""Airline tools that change reservations.

Source: `tau_bench/envs/airline/tools/`, `cancel_reservation.py` and
`update_reservation_*.py`.
"""

import json
from typing import Any

from envscaler_eval.benchmarks.tau_bench.airline.fares import priced
from envscaler_eval.benchmarks.tau_bench.tables import Record
from envscaler_eval.benchmarks.tau_bench.tool import Database


def cancel_reservation(db: Database, reservation_id: str) -> str:
    """Cancel a reservation and note a refund for each entry of its payment history.

    Gift cards are not credited, and a second cancellation notes all again.
    """
    if reservation_id not in db["reservations"]:
        return "Error: reservation not found"
    refunds = [
        {"payment_id": payment["payment_id"], "amount": -payment["amount"]}
        for payment in db["reservations"][reservation_id]["payment_history"]
    ]
    reservation = db["reservations"].own(reservation_id)
    reservation["payment_history"].extend(refunds)
    reservation["status"] = "cancelled"
    return json.dumps(reservation)


def update_reservation_passengers(
    db: Database, reservation_id: str, passengers: list[Record]
) -> str:
    """Replace the passengers by as many others."""
    if reservation_id not in db["reservations"]:
        return "Error: reservation not found"
    if len(passengers) != len(db["reservations"][reservation_id]["passengers"]):
        return "Error: number of passengers does not match"
    reservation = db["reservations"].own(reservation_id)
    reservation["passengers"] = passengers
    return json.dumps(reservation)


def update_reservation_baggages(
    db: Database,
    reservation_id: str,
    total_baggages: int,
    nonfree_baggages: int,
    payment_id: str,
) -> str:
    """Change the number of bags; fewer of them are not refunded."""
    if reservation_id not in db["reservations"]:
        return "Error: reservation not found"
    reservation = db["reservations"][reservation_id]
    price = 50 * max(0, nonfree_baggages - reservation["nonfree_baggages"])
    fault = _payment_fault(db, reservation, payment_id, price)
    if fault is not None:
        return fault

    reservation = db["reservations"].own(reservation_id)
    reservation["total_baggages"] = total_baggages
    reservation["nonfree_baggages"] = nonfree_baggages
    _settle(db, reservation, payment_id, price)
    return json.dumps(reservation)


def update_reservation_flights(
    db: Database, reservation_id: str, cabin: str, flights: list[Record], payment_id: str
) -> str:
    """Replace the flights, and settle the difference to the old prices.

    A flight that the reservation has already keeps its price. The cabin only
    decides the prices: the reservation's own stays as it was, and later calls
    compare with that one, as upstream's do.
    """
    if reservation_id not in db["reservations"]:
        return "Error: reservation not found"
    reservation = db["reservations"][reservation_id]
    passengers = reservation["passengers"]
    price = 0
    for flight in flights:
        same = [
            old
            for old in reservation["flights"]
            if old["flight_number"] == flight["flight_number"]
            and old["date"] == flight["date"]
            and cabin == reservation["cabin"]
        ]
        if same:
            for key in ("price", "origin", "destination"):
                flight[key] = same[0][key]
        else:
            fault = priced(db, flight, cabin, passengers)
            if fault is not None:
                return fault
        price += flight["price"] * len(passengers)
    price -= sum(flight["price"] for flight in reservation["flights"]) * len(passengers)
    fault = _payment_fault(db, reservation, payment_id, price)
    if fault is not None:
        return fault

    reservation = db["reservations"].own(reservation_id)
    reservation["flights"] = flights
    _settle(db, reservation, payment_id, price)
    return json.dumps(reservation)


def _payment_fault(db: Database, reservation: Record, payment_id: str, price: Any) -> str | None:
    """Return the observation if a price cannot be paid so, else None."""
    methods = db["users"][reservation["user_id"]]["payment_methods"]
    if payment_id not in methods:
        return "Error: payment method not found"
    method = methods[payment_id]
    if method["source"] == "certificate":
        return "Error: certificate cannot be used to update reservation"
    if method["source"] == "gift_card" and method["amount"] < price:
        return "Error: gift card balance is not enough"
    return None


def _settle(db: Database, reservation: Record, payment_id: str, price: Any) -> None:
    """Charge a gift card, and note a payment or a refund that is not zero."""
    method = db["users"][reservation["user_id"]]["payment_methods"][payment_id]
    if method["source"] == "gift_card":
        user = db["users"].own(reservation["user_id"])
        user["payment_methods"][payment_id]["amount"] -= price
    if price != 0:
        reservation["payment_history"].append({"payment_id": payment_id, "amount": price})
