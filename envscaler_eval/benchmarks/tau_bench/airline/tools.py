"""The 14 tools of the airline domain."""

from collections.abc import Mapping
from types import MappingProxyType

from envscaler_eval.benchmarks.tau_bench.airline import booking, lookup, search, update
from envscaler_eval.benchmarks.tau_bench.tool import (
    Tool,
    calculate_tool,
    think,
    transfer_to_human_agents,
)

TABLES = ("flights", "reservations", "users")

TOOLS: Mapping[str, Tool] = MappingProxyType(
    {
        "book_reservation": booking.book_reservation,
        "calculate": calculate_tool,
        "cancel_reservation": update.cancel_reservation,
        "get_reservation_details": lookup.get_reservation_details,
        "get_user_details": lookup.get_user_details,
        "list_all_airports": lookup.list_all_airports,
        "search_direct_flight": search.search_direct_flight,
        "search_onestop_flight": search.search_onestop_flight,
        "send_certificate": booking.send_certificate,
        "think": think,
        "transfer_to_human_agents": transfer_to_human_agents,
        "update_reservation_baggages": update.update_reservation_baggages,
        "update_reservation_flights": update.update_reservation_flights,
        "update_reservation_passengers": update.update_reservation_passengers,
    }
)
