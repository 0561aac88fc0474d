"""A miniature Tau-Bench of our own invention, in the normalised form.

It is small enough to reason about and has each thing that the tools look at.
"""

import json
from collections.abc import Callable
from typing import Any

from envscaler_eval.benchmarks.tau_bench.dataset import DOMAINS
from envscaler_eval.benchmarks.tau_bench.tool import parameters


def _variant(item_id: str, price: float, available: bool = True, **options: str) -> dict[str, Any]:
    return {"item_id": item_id, "options": options, "available": available, "price": price}


def _item(name: str, product_id: str, variant: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "product_id": product_id,
        "item_id": variant["item_id"],
        "price": variant["price"],
        "options": variant["options"],
    }


def _order(order_id: str, user_id: str, status: str, items: list[Any], method: str) -> Any:
    return {
        "order_id": order_id,
        "user_id": user_id,
        "address": _address("1 Quay"),
        "items": items,
        "fulfillments": [],
        "status": status,
        "payment_history": [
            {
                "transaction_type": "payment",
                "amount": sum(item["price"] for item in items),
                "payment_method_id": method,
            }
        ],
    }


def _address(line: str) -> dict[str, str]:
    return {
        "address1": line,
        "address2": "",
        "city": "Port Ellis",
        "country": "USA",
        "state": "OR",
        "zip": "97000",
    }


KITES = {
    variant["item_id"]: variant
    for variant in (
        _variant("11", 10.1, color="red"),
        _variant("12", 12.4, color="blue"),
        _variant("13", 9.9, color="green"),
        _variant("14", 8.0, available=False, color="grey"),
    )
}
LAMPS = {"21": _variant("21", 30.0, size="S"), "22": _variant("22", 34.5, size="L")}
RED, LAMP = _item("Kite", "1", KITES["11"]), _item("Lamp", "2", LAMPS["21"])

RETAIL: dict[str, Any] = {
    "products": {
        "2": {"name": "Lamp", "product_id": "2", "variants": LAMPS},
        "1": {"name": "Kite", "product_id": "1", "variants": KITES},
    },
    "orders": {
        "#W2": _order("#W2", "ada_1", "delivered", [RED, LAMP], "credit_card_1"),
        "#W1": _order("#W1", "ada_1", "pending", [RED, LAMP], "credit_card_1"),
        "#W3": _order("#W3", "bob_2", "pending", [RED], "gift_card_2"),
        "#W4": _order("#W4", "ada_1", "pending", [RED, RED], "paypal_1"),
        "#W5": _order("#W5", "ada_1", "processed", [LAMP], "credit_card_1"),
        "#W6": _order("#W6", "bob_2", "delivered", [LAMP], "gift_card_2"),
        "#W7": _order("#W7", "bob_2", "pending", [LAMP], "gift_card_lost"),
    },
    "users": {
        "bob_2": {
            "name": {"first_name": "Bob", "last_name": "Ørsted"},
            "address": _address("2 Quay"),
            "email": "bob@example.com",
            "payment_methods": {
                "gift_card_2": {"source": "gift_card", "balance": 3, "id": "gift_card_2"},
                "paypal_2": {"source": "paypal", "id": "paypal_2"},
            },
            "orders": ["#W3", "#W6", "#W7"],
        },
        "ada_1": {
            "name": {"first_name": "Ada", "last_name": "Lind"},
            "address": _address("1 Quay"),
            "email": "Ada@example.com",
            "payment_methods": {
                "credit_card_1": {
                    "source": "credit_card",
                    "brand": "visa",
                    "last_four": "1111",
                    "id": "credit_card_1",
                },
                "paypal_1": {"source": "paypal", "id": "paypal_1"},
                "gift_card_1": {"source": "gift_card", "balance": 50, "id": "gift_card_1"},
            },
            "orders": ["#W1", "#W2", "#W4", "#W5"],
        },
    },
}


def _flight(number: str, origin: str, destination: str, times: str, **dates: Any) -> Any:
    departure, arrival = times.split()
    return {
        "flight_number": number,
        "origin": origin,
        "destination": destination,
        "scheduled_departure_time_est": departure,
        "scheduled_arrival_time_est": arrival,
        "dates": {f"2024-05-{day.removeprefix('d')}": data for day, data in dates.items()},
    }


def _open(seats: int, price: int) -> dict[str, Any]:
    cabins = ("basic_economy", "economy", "business")
    return {
        "status": "available",
        "available_seats": {cabin: seats for cabin in cabins},
        "prices": {cabin: price * factor for factor, cabin in enumerate(cabins, 1)},
    }


AIRLINE: dict[str, Any] = {
    "flights": {
        "X3": _flight("X3", "BBB", "CCC", "12:00:00 14:00:00", d10=_open(5, 30), d11=_open(5, 33)),
        "X1": _flight(
            "X1",
            "AAA",
            "BBB",
            "08:00:00 10:00:00",
            d09=_open(5, 20),
            d10=_open(2, 25),
            d12={"status": "cancelled"},
        ),
        "X2": _flight(
            "X2", "AAA", "BBB", "22:00:00 01:00:00+1", d09=_open(5, 22), d10=_open(5, 27)
        ),
        "X4": _flight("X4", "AAA", "CCC", "09:00:00 11:00:00", d10=_open(0, 90)),
    },
    "reservations": {
        "R1": {
            "reservation_id": "R1",
            "user_id": "cy_3",
            "origin": "AAA",
            "destination": "BBB",
            "flight_type": "one_way",
            "cabin": "economy",
            "flights": [
                {
                    "origin": "AAA",
                    "destination": "BBB",
                    "flight_number": "X1",
                    "date": "2024-05-10",
                    "price": 41,
                }
            ],
            "passengers": [{"first_name": "Cy", "last_name": "Odd", "dob": "1980-01-01"}],
            "payment_history": [{"payment_id": "credit_card_3", "amount": 41}],
            "created_at": "2024-05-01T00:00:00",
            "total_baggages": 1,
            "nonfree_baggages": 0,
            "insurance": "no",
        },
        "R0": {
            "reservation_id": "R0",
            "user_id": "cy_3",
            "origin": "BBB",
            "destination": "CCC",
            "flight_type": "one_way",
            "cabin": "business",
            "flights": [],
            "passengers": [],
            "payment_history": [],
            "created_at": "2024-05-01T00:00:00",
            "total_baggages": 0,
            "nonfree_baggages": 0,
            "insurance": "yes",
        },
    },
    "users": {
        "cy_3": {
            "name": {"first_name": "Cy", "last_name": "Odd"},
            "email": "cy@example.com",
            "dob": "1980-01-01",
            "payment_methods": {
                "credit_card_3": {"source": "credit_card", "id": "credit_card_3"},
                "gift_card_3": {"source": "gift_card", "amount": 60, "id": "gift_card_3"},
                "certificate_3": {"source": "certificate", "amount": 100, "id": "certificate_3"},
            },
            "membership": "gold",
            "reservations": ["R1", "R0"],
        },
        "di_4": {
            "name": {"first_name": "Di", "last_name": "Even"},
            "email": "di@example.com",
            "dob": "1990-01-01",
            "payment_methods": {},
            "membership": "regular",
            "reservations": [],
        },
    },
}

RETAIL_TASKS = [
    {
        "user_id": "ada_1",
        "instruction": "You are Ada. Cancel #W1, for you do not need it, and ask what it cost.",
        "actions": [
            {"name": "get_order_details", "kwargs": {"order_id": "#W1"}},
            {
                "name": "cancel_pending_order",
                "kwargs": {"order_id": "#W1", "reason": "no longer needed"},
            },
        ],
        "outputs": ["40.1", "Kite"],
    },
    {
        "user_id": "bob_2",
        "instruction": "You are Bob and want something that cannot be done.",
        "actions": [
            {
                "name": "cancel_pending_order",
                "kwargs": {"order_id": "#W6", "reason": "no longer needed"},
            },
            {"name": "transfer_to_human_agents", "kwargs": {"summary": "Bob insists."}},
        ],
        "outputs": [],
    },
]
AIRLINE_TASKS = [
    {
        "user_id": "cy_3",
        "instruction": "You are Cy. Cancel R1.",
        "actions": [{"name": "cancel_reservation", "kwargs": {"reservation_id": "R1"}}],
        "outputs": [],
    }
]

PROMPTS = {
    "user_LLMUserSimulationEnv": "Play a customer.{instruction_display}Say {nothing} else.",
    "user_ReactUserSimulationEnv": "Think and play a customer.{instruction_display}",
    "user_first_message_seen_by_simulator": "Good day!",
    "verify": "Good?\n{transcript}\n--\n{response}",
    "reflect": "Why not?\n{transcript}\n--\n{response}",
    "agent_REACT_INSTRUCTION": "\nThink, then act.",
    "agent_ACT_INSTRUCTION": "\nAct.",
}


def _schemas(domain: str) -> list[Any]:
    _, functions = DOMAINS[domain]
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": f"Does {name}.",
                "parameters": {
                    "type": "object",
                    "properties": {parameter: {} for parameter in parameters(function)},
                    "required": list(parameters(function)),
                },
            },
        }
        for name, function in functions.items()
    ]


def reader() -> Callable[[str], bytes]:
    """Return what gives the content of a file of the miniature by its path."""
    return contents().__getitem__


def contents() -> dict[str, bytes]:
    """Return the files of the miniature by their paths."""
    files: dict[str, Any] = {"prompts.json": PROMPTS}
    for domain, tables, tasks in (
        ("retail", RETAIL, RETAIL_TASKS),
        ("airline", AIRLINE, AIRLINE_TASKS),
    ):
        files |= {f"{domain}/{name}.json": table for name, table in tables.items()}
        files[f"{domain}/tasks_test.json"] = tasks
        files[f"{domain}/tools.json"] = _schemas(domain)
    texts = {path: json.dumps(value).encode() for path, value in files.items()}
    texts |= {f"{domain}/policy.md": f"Be kind ({domain}).".encode() for domain in DOMAINS}
    return texts
