"""What the airline's booking and update tools share: the price of flights."""

from typing import Any

from envscaler_eval.benchmarks.tau_bench.tables import Record
from envscaler_eval.benchmarks.tau_bench.tool import Database


def priced(db: Database, flight: Record, cabin: str, passengers: Any) -> str | None:
    """Check that a flight has seats, and complete its record.

    Args:
        db: The database.
        flight: `flight_number` and `date`; price, origin and destination are
            written to it.
        cabin: The class of seats.
        passengers: A list, of which only the length counts.

    Returns:
        The observation if the flight cannot be booked, else None.
    """
    number = flight["flight_number"]
    if number not in db["flights"]:
        return f"Error: flight {number} not found"
    known = db["flights"][number]
    if flight["date"] not in known["dates"]:
        return f"Error: flight {number} not found on date {flight['date']}"
    on_date = known["dates"][flight["date"]]
    if on_date["status"] != "available":
        return f"Error: flight {number} not available on date {flight['date']}"
    if on_date["available_seats"][cabin] < len(passengers):
        return f"Error: not enough seats on flight {number}"
    flight["price"] = on_date["prices"][cabin]
    flight["origin"] = known["origin"]
    flight["destination"] = known["destination"]
    return None
