"""Airline tools that return one record, or the airports.

Source: `tau_bench/envs/airline/tools/`, one file for each tool.
"""

import json

from envscaler_eval.benchmarks.tau_bench.tool import Database

AIRPORTS = (
    ("SFO", "San Francisco"),
    ("JFK", "New York"),
    ("LAX", "Los Angeles"),
    ("ORD", "Chicago"),
    ("DFW", "Dallas"),
    ("DEN", "Denver"),
    ("SEA", "Seattle"),
    ("ATL", "Atlanta"),
    ("MIA", "Miami"),
    ("BOS", "Boston"),
    ("PHX", "Phoenix"),
    ("IAH", "Houston"),
    ("LAS", "Las Vegas"),
    ("MCO", "Orlando"),
    ("EWR", "Newark"),
    ("CLT", "Charlotte"),
    ("MSP", "Minneapolis"),
    ("DTW", "Detroit"),
    ("PHL", "Philadelphia"),
    ("LGA", "LaGuardia"),
)


def get_user_details(db: Database, user_id: str) -> str:
    """Return a user."""
    if user_id not in db["users"]:
        return "Error: user not found"
    return json.dumps(db["users"][user_id])


def get_reservation_details(db: Database, reservation_id: str) -> str:
    """Return a reservation; the error speaks of a user, as upstream's does."""
    if reservation_id not in db["reservations"]:
        return "Error: user not found"
    return json.dumps(db["reservations"][reservation_id])


def list_all_airports(db: Database) -> str:
    """Return the fixed airports, as city by code."""
    return json.dumps(dict(AIRPORTS))
