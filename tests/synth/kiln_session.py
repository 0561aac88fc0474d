"""What a model says when it is asked for scenarios of the kiln share, right and wrong."""

import copy
from typing import Any

from tests.synth.kiln import NOW, STATE

Reply = dict[str, Any] | str

TASK = (
    "Mira Sandoval here. I can't make it to the firing on the 4th of April after all, so please "
    "take my celadon off it and put me down for the same number of shelves, celadon again, in the "
    "cone 6 firing a week later, on the 11th. Everybody else's things stay as they are."
)
IMPOSSIBLE = (
    "It's Tomas Okafor. Please book me one shelf in the low fire on the 5th of April, the cone 06 "
    "one, for a shino test tile. I know that it is late, but surely one shelf can be squeezed in "
    "somewhere, and I will bring the tile over tonight."
)

LOOSE = """def check(initial, final):
    loads = [load for load in final["loads"].values() if load["member_id"] == "M-1"]
    return [load["firing_id"] for load in loads] == ["F-2"]
"""
EXACT = """def check(initial, final):
    loads = [load for load in final["loads"].values() if load["member_id"] == "M-1"]
    found = [(load["firing_id"], load["shelves"], load["glaze"]) for load in loads]
    return found == [("F-2", 2, "celadon")]
"""
IN = """def check(initial, final):
    return any(
        load["member_id"] == "M-3" and load["firing_id"] == "F-3"
        for load in final["loads"].values()
    )
"""
KEPT = """def check(initial, final):
    return "L-3" in final["loads"]
"""


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """A call as an answer gives it."""
    return {"tool": tool, "arguments": arguments}


def turn(*calls: dict[str, Any], report: str | None = None) -> dict[str, Any]:
    """What the agent does next."""
    return {"thought": "As asked.", "calls": list(calls), "report": report}


def request(name: str, task: str, outcome: str) -> dict[str, Any]:
    """A request."""
    return {
        "id": name,
        "task": task,
        "outcome": [outcome],
        "untouched": [],
        "persona": "A potter.",
        "held_back": [],
    }


def checklist(*items: tuple[str, str]) -> dict[str, Any]:
    """A checklist without free arguments."""
    return {
        "items": [{"kind": kind, "about": about} for kind, about in items],
        "free_text": [],
    }


def _small() -> dict[str, Any]:
    state = copy.deepcopy(STATE)
    state["loads"]["L-9"] = {**state["loads"]["L-9"], "member_id": "M-7"}
    return {"about": "A week before two firings.", "now": NOW, "state": state}


MOVED = "kiln_share/moved_a_week"
SQUEEZED = "kiln_share/squeezed_in"
PLACE = "kiln_share/state 1/task"

ITEMS = (
    ("goal", "all that Mira has is two shelves of celadon on the 11th"),
    ("guard", "Tomas Okafor's load is still there"),
)
SQUEEZED_ITEMS = (("goal", "Tomas has a shelf on the 5th"), ("guard", "His other load stays"))

ANSWERS: dict[tuple[str, str, int], Reply] = {
    ("write_state", "kiln_share/state 1", 1): _small(),
    ("write_state", "kiln_share/state 1", 2): {
        "about": "A week before two firings.",
        "now": NOW,
        "state": STATE,
    },
    ("write_task", f"{PLACE} 1", 1): request("moved_a_week", TASK, "Her load is on the 11th."),
    ("write_checklist", f"{PLACE} 1", 1): checklist(*ITEMS),
    ("write_checks", f"{PLACE} 1", 1): {"codes": [KEPT, KEPT]},
    ("write_checks", f"{PLACE} 1", 2): {"codes": [LOOSE, KEPT]},
    ("solve", f"{MOVED}/attempt 1/turn 1", 1): "Let me see. {'calls': }",
    ("solve", f"{MOVED}/attempt 1/turn 1", 2): turn(
        call("list_firings"), call("find_members", name="Sandoval")
    ),
    ("solve", f"{MOVED}/attempt 1/turn 2", 1): turn(
        call("list_loads", firing_id="F-1"),
        call("book_shelves", member_id="M-1", firing_id="F-3", shelves=2, glaze="celadon"),
    ),
    ("solve", f"{MOVED}/attempt 1/turn 3", 1): turn(
        call("cancel_load", load_id="L-1"),
        call("book_shelves", member_id="M-1", firing_id="F-1", shelves=1, glaze="celadon"),
        call("cancel_load", load_id="L-20"),
        call("book_shelves", member_id="M-1", firing_id="F-2", shelves=2, glaze="celadon"),
        report="You are down for the 11th.",
    ),
    ("repair_scenario", f"{MOVED}/repair 1", 1): {
        "diagnosis": "Nothing asks for the number of shelves.",
        "verdict": "repair",
        "request": None,
        "checks": {**checklist(*ITEMS), "codes": [EXACT, KEPT]},
    },
    ("write_alternative", MOVED, 1): {
        "difference": "No look-ups.",
        "calls": [
            call("cancel_load", load_id="L-1"),
            call("book_shelves", member_id="M-1", firing_id="F-2", shelves=1, glaze="celadon"),
        ],
    },
    ("write_alternative", MOVED, 2): {
        "difference": "First the new, then the old.",
        "calls": [
            call("book_shelves", member_id="M-1", firing_id="F-2", shelves=2, glaze="celadon"),
            call("cancel_load", load_id="L-1"),
        ],
    },
    ("write_task", f"{PLACE} 2", 1): request("squeezed_in", IMPOSSIBLE, "He has a shelf."),
    ("write_checklist", f"{PLACE} 2", 1): checklist(*SQUEEZED_ITEMS),
    ("write_checks", f"{PLACE} 2", 1): {"codes": [IN, KEPT]},
    ("solve", f"{SQUEEZED}/attempt 1/turn 1", 1): turn(
        call("book_shelves", member_id="M-3", firing_id="F-3", shelves=1, glaze="shino")
    ),
    ("solve", f"{SQUEEZED}/attempt 1/turn 2", 1): turn(report="That firing is closed."),
    ("repair_scenario", f"{SQUEEZED}/repair 1", 1): {
        "diagnosis": "The firing is closed, and nothing can be recorded.",
        "verdict": "drop",
        "request": None,
        "checks": None,
    },
}
