"""A made-up BFCL: a few entries and two small backends, in the form of the unpacked wheel."""

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envscaler_eval.benchmarks.bfcl.backends import MODULES, PACKAGE
from envscaler_eval.benchmarks.bfcl.dataset import CATEGORIES

TICKETS = """
class TicketAPI:
    def __init__(self):
        self._log = []

    def _load_scenario(self, scenario, long_context=False):
        self.tickets = scenario.get("tickets", {})
        self.note_text = None

    def open_ticket(self, title: str, tags: list = None):
        number = len(self.tickets) + 1
        self.tickets[str(number)] = {"title": title, "tags": tags}
        return {"number": number, "title": title}

    def close_ticket(self, number: int):
        if str(number) not in self.tickets:
            return {"error": f"no ticket {number}"}
        self.tickets.pop(str(number))
        return {"closed": number}

    def titles(self):
        return [ticket["title"] for ticket in self.tickets.values()]

    def note(self, text):
        self.note_text = text
        return text

    def forget(self):
        self.note_text = None

    def whole(self):
        return {"self": self.__class__}

    def crash(self):
        raise RuntimeError("it broke")
"""

TRAVEL = '''
from random import Random

from bfcl_eval.eval_checker.multi_turn_eval.func_source_code.long_context import (
    CARDS,
)


class TravelAPI:
    def _load_scenario(self, scenario, long_context=False):
        self._random = Random(141053)
        self.cards = scenario.get("cards", {})
        if long_context:
            for name, card in CARDS.items():
                self.cards.setdefault(name, card)

    def pay(self, card: str, amount: float):
        """Take an amount from a card."""
        self.cards[card]["balance"] -= amount
        return {"receipt": self._random.randint(1000, 9999)}

    def balance(self, card: str):
        return {"balance": self.cards[card]["balance"]}
'''

CONSTANTS = 'CARDS = {"gold": {"balance": 100}, "silver": {"balance": 50}}\n'

PROMPTS = """
MAXIMUM_STEP_LIMIT = 20
DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC = "More tools. And now?"
DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_PROMPTING = "{functions}; more tools. And now?"
DEFAULT_SYSTEM_PROMPT = "Old. {functions}"
PROMPT_STYLE_TEMPLATES = {
    "classic": {
        "persona": "You.",
        "task": "Do.",
        "tool_call_no_tag": "Call as {output_format}. {param_types}",
        "multiturn_behavior": "Go on.",
        "available_tools": "As {format}: {functions}",
    }
}
PROMPT_TEMPLATE_MAPPING = {
    "plaintext": "{persona} {task} {tool_call_format} {multiturn_behavior} {available_tools}"
}
OUTPUT_FORMAT_MAPPING = {"python": "[f(a=1)]"}
PARAM_TYPE_MAPPING = {"python": ""}
"""


def doc(name: str, **properties: Any) -> dict[str, Any]:
    """Return a tool's description."""
    return {
        "name": name,
        "description": f"Does {name}.",
        "parameters": {"type": "dict", "properties": properties, "required": list(properties)},
        "response": {"type": "dict", "properties": {}},
    }


DOCS = {
    "ticket_api": [
        doc(
            "open_ticket",
            title={"type": "string", "description": "The title."},
            tags={"type": "array", "items": {"type": "string"}, "description": "Tags."},
        ),
        doc("close_ticket", number={"type": "integer", "description": "The number."}),
        doc("titles"),
        doc("note", text={"type": "any", "description": "What to note."}),
    ],
    "travel_booking": [
        doc(
            "pay",
            card={"type": "string", "description": "The card."},
            amount={"type": "float", "description": "How much."},
        ),
        doc("balance", card={"type": "string", "description": "The card."}),
    ],
}


def entry(category: str, number: int, turns: list[str], **more: Any) -> dict[str, Any]:
    """Return a question."""
    return {
        "id": f"multi_turn_{category}_{number}",
        "question": [[{"role": "user", "content": said}] if said else [] for said in turns],
        "initial_config": {"TicketAPI": {"tickets": {"1": {"title": "Old", "tags": None}}}},
        "involved_classes": ["TicketAPI", "TravelAPI"],
        **more,
    }


# The questions and answers of each category.
ENTRIES: Mapping[str, list[tuple[dict[str, Any], list[list[str]]]]] = {
    "base": [
        (
            entry("base", 0, ["Open one called Leak.", "Close the first one, then list."]),
            [["open_ticket('Leak', tags=['wet'])"], ["close_ticket(number=1)", "titles()"]],
        ),
        (
            entry("base", 1, ["Pay 5 by red card.", "And?", "Pay 7 more."])
            | {"initial_config": {"TravelAPI": {"cards": {"red": {"balance": 50}}}}},
            [
                ["pay(card='red', amount=5)", "balance(card='red')"],
                ["balance('red')"],
                ["pay(card='red', amount=7)"],
            ],
        ),
        # An answer too many, as in one entry of v3.
        (entry("base", 2, ["Close the first one."]), [["close_ticket(1)"], ["titles()"]]),
    ],
    "miss_func": [
        (
            entry(
                "miss_func",
                0,
                ["List them.", "Close the first one.", "", "Thanks, list them."],
                missed_function={"2": ["close_ticket", "note"]},
            ),
            [["titles()"], [], ["close_ticket(number=1)"], ["titles()"]],
        )
    ],
    "miss_param": [
        (
            entry(
                "miss_param",
                0,
                ["Close it.", "The first.", "Done?"],
                excluded_function=["note"],
            ),
            [[], ["close_ticket(number=1)"], []],
        )
    ],
    "long_context": [
        (
            entry("long_context", 0, ["Pay 40 by gold card.", "What is left?"]),
            [["pay(card='gold', amount=40)"], ["balance(card='gold')"]],
        )
    ],
}


def files(snapshot: str) -> dict[str, str]:
    """Return the files of a snapshot, by path."""
    place = PACKAGE.replace(".", "/")
    content = {
        f"{place}/{module}.py": f"class {name}:\n    def _load_scenario(self, scenario): ...\n"
        for name, module in MODULES.items()
    }
    content |= {
        f"{place}/ticket_api.py": TICKETS,
        f"{place}/travel_booking.py": TRAVEL,
        f"{place}/long_context.py": CONSTANTS,
        "bfcl_eval/constants/default_prompts.py": PROMPTS,
    }
    for module in MODULES.values():
        content[f"bfcl_eval/data/multi_turn_func_doc/{module}.json"] = _lines(DOCS.get(module, []))
    for category in CATEGORIES:
        name = f"BFCL_{snapshot}_multi_turn_{category}.json"
        pairs = ENTRIES[category]
        content[f"bfcl_eval/data/{name}"] = _lines([question for question, _ in pairs])
        content[f"bfcl_eval/data/possible_answer/{name}"] = _lines(
            [{"id": question["id"], "ground_truth": truth} for question, truth in pairs]
        )
    return content


def manifest(snapshot: str) -> dict[str, str]:
    """Return the sha256 of each file."""
    return {
        path: hashlib.sha256(text.encode()).hexdigest() for path, text in files(snapshot).items()
    }


def write(root: Path) -> Path:
    """Write both snapshots as a data folder has them."""
    for snapshot in ("v4", "v3"):
        for path, text in files(snapshot).items():
            place = root / "bfcl" / snapshot / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
    return root


def wheel(snapshot: str) -> bytes:
    """Return a snapshot as a wheel."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as content:
        for path, text in {**files(snapshot), "bfcl_eval/unused.py": "raise SystemExit"}.items():
            content.writestr(path, text)
    return archive.getvalue()


def _lines(values: list[Any]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)
