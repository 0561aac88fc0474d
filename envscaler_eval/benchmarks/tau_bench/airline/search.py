"""Airline tools that search flights.

Source: `tau_bench/envs/airline/tools/`, `search_direct_flight.py` and
`search_onestop_flight.py`.
"""

import json

from envscaler_eval.benchmarks.tau_bench.tables import Record
from envscaler_eval.benchmarks.tau_bench.tool import Database


def search_direct_flight(db: Database, origin: str, destination: str, date: str) -> str:
    """Return the flights between two airports that can be booked on a date."""
    results = []
    for _, flight in db["flights"].items():
        if flight["origin"] == origin and flight["destination"] == destination:
            dates = flight["dates"]
            if date in dates and dates[date]["status"] == "available":
                results.append(_on_date(flight, date))
    return json.dumps(results)


def search_onestop_flight(db: Database, origin: str, destination: str, date: str) -> str:
    """Return pairs of connecting flights that can be booked.

    Two faults of upstream's are kept. The next day is written without a
    leading zero, so that it is never found before the 10th. And the second
    flight is described by its data for the first day.
    """
    flights = [flight for _, flight in db["flights"].items()]
    arriving = [flight for flight in flights if flight["destination"] == destination]
    results = []
    for first in flights:
        if first["origin"] != origin:
            continue
        arrival = first["scheduled_arrival_time_est"]
        for second in arriving:
            if first["destination"] != second["origin"]:
                continue
            second_date = f"2024-05-{int(date[-2:]) + 1}" if "+1" in arrival else date
            if arrival > second["scheduled_departure_time_est"]:
                continue
            if (
                date in first["dates"]
                and second_date in second["dates"]
                and first["dates"][date]["status"] == "available"
                and second["dates"][second_date]["status"] == "available"
            ):
                results.append(
                    [
                        _on_date(first, date) | {"date": date},
                        _on_date(second, date) | {"date": second_date},
                    ]
                )
    return json.dumps(results)


def _on_date(flight: Record, date: str) -> Record:
    """Describe a flight, with the data of one date in place of all dates."""
    on_date: Record = flight["dates"][date]
    return {key: value for key, value in flight.items() if key != "dates"} | on_date
