"""Airline tools that make new things: reservations and certificates.

Source: `tau_bench/envs/airline/tools/`, `book_reservation.py` and
`send_certificate.py`.
"""

import json
from typing import Any

from envscaler_eval.benchmarks.tau_bench.airline.fares import priced
from envscaler_eval.benchmarks.tau_bench.tables import Record
from envscaler_eval.benchmarks.tau_bench.tool import Database, TrialCrash

# The clock of the domain stands still, and ids are handed out in this order;
# the last one is handed out again and again.
NOW = "2024-05-15T15:00:00"
RESERVATION_IDS = ("HATHAT", "HATHAU", "HATHAV")
CERTIFICATE_IDS = ("certificate_3221322", "certificate_3221323", "certificate_3221324")


def book_reservation(
    db: Database,
    user_id: str,
    origin: str,
    destination: str,
    flight_type: str,
    cabin: str,
    flights: list[Record],
    passengers: list[Record],
    payment_methods: list[Record],
    total_baggages: int,
    nonfree_baggages: int,
    insurance: str,
) -> str:
    """Book flights for passengers, and charge the payment methods.

    The balance of a gift card is checked for each payment by itself. A
    certificate is used up whole. Seats are not taken.
    """
    if user_id not in db["users"]:
        return "Error: user not found"
    total = 0
    for flight in flights:
        fault = priced(db, flight, cabin, passengers)
        if fault is not None:
            return fault
        total += flight["price"] * len(passengers)
    if insurance == "yes":
        total += 30 * len(passengers)
    total += 50 * nonfree_baggages
    fault = _payment_fault(db["users"][user_id], payment_methods, total)
    if fault is not None:
        return fault

    user = db["users"].own(user_id)
    for payment in payment_methods:
        method_id, amount = payment["payment_id"], payment["amount"]
        method = user["payment_methods"][method_id]
        if method["source"] == "gift_card":
            method["amount"] -= amount
        elif method["source"] == "certificate":
            del user["payment_methods"][method_id]
    reservation_id = next(
        (new for new in RESERVATION_IDS if new not in db["reservations"]), RESERVATION_IDS[-1]
    )
    reservation = {
        "reservation_id": reservation_id,
        "user_id": user_id,
        "origin": origin,
        "destination": destination,
        "flight_type": flight_type,
        "cabin": cabin,
        "flights": flights,
        "passengers": passengers,
        "payment_history": payment_methods,
        "created_at": NOW,
        "total_baggages": total_baggages,
        "nonfree_baggages": nonfree_baggages,
        "insurance": insurance,
    }
    db["reservations"].put(reservation_id, reservation)
    user["reservations"].append(reservation_id)
    return json.dumps(reservation)


def _payment_fault(user: Record, payments: list[Record], total: Any) -> str | None:
    """Return the observation if payments do not cover a total exactly, else None."""
    methods = user["payment_methods"]
    for payment in payments:
        method_id, amount = payment["payment_id"], payment["amount"]
        if method_id not in methods:
            return f"Error: payment method {method_id} not found"
        method = methods[method_id]
        if method["source"] in ("gift_card", "certificate") and method["amount"] < amount:
            return f"Error: not enough balance in payment method {method_id}"
    paid = sum(payment["amount"] for payment in payments)
    if paid != total:
        return f"Error: payment amount does not add up, total price is {total}, but paid {paid}"
    return None


def send_certificate(db: Database, user_id: str, amount: int) -> str:
    """Give a user a certificate, at most three of them.

    Raises:
        TrialCrash: It would be the fourth; upstream returns None there, which
            its own types reject.
    """
    if user_id not in db["users"]:
        return "Error: user not found"
    methods = db["users"][user_id]["payment_methods"]
    for certificate_id in CERTIFICATE_IDS:
        if certificate_id not in methods:
            db["users"].own(user_id)["payment_methods"][certificate_id] = {
                "source": "certificate",
                "amount": amount,
                "id": certificate_id,
            }
            return f"Certificate {certificate_id} added to user {user_id} with amount {amount}."
    raise TrialCrash(f"send_certificate has no fourth certificate for user {user_id}")
