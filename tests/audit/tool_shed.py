"""A small sound pack, and the means to spoil it in one place."""

import json
from pathlib import Path
from typing import Any

from envscaler_eval import core_yaml

SOURCE = '''
"""A neighbourhood's tool shed."""

from datetime import datetime, timedelta
from typing import Literal


class ToolShed:
    """Lends tools to members."""

    def __init__(self, init_config: dict) -> None:
        self.tools: dict[str, dict] = {}
        self.members: dict[str, dict] = {}
        self.loans: dict[str, dict] = {}
        self.next_loan: int = 1

    def list_tools(self) -> dict:
        """List the tools."""
        return {"success": True, "tools": self.tools}

    def list_members(self) -> dict:
        """List the members."""
        return {"success": True, "members": self.members}

    def list_loans(self) -> dict:
        """List the loans."""
        return {"success": True, "loans": self.loans}

    def lend(self, tool_id: str, member_id: str, days: int) -> dict:
        """Lend a tool.

        Args:
            tool_id: The tool.
            member_id: Who takes it.
            days: For how many days, 1 to 14.
        """
        tool = self.tools.get(tool_id)
        if tool is None or tool["status"] != "in":
            return {"success": False, "error": f"Tool {tool_id} is not in the shed"}
        if member_id not in self.members:
            return {"success": False, "error": f"No member {member_id}"}
        if not 1 <= days <= 14:
            return {"success": False, "error": "A loan lasts 1 to 14 days"}
        loan_id = f"LN-{self.next_loan}"
        self.next_loan += 1
        due = datetime.now() + timedelta(days=days)
        self.loans[loan_id] = {
            "tool_id": tool_id,
            "member_id": member_id,
            "days": days,
            "made_at": datetime.now().isoformat(timespec="seconds"),
            "due": due.date().isoformat(),
            "condition": None,
        }
        tool["status"] = "out"
        return {"success": True, "loan_id": loan_id}

    def take_back(self, loan_id: str, condition: Literal["good", "worn", "broken"]) -> dict:
        """Take a tool back.

        Args:
            loan_id: The loan that ends.
            condition: How the tool looks.
        """
        loan = self.loans.get(loan_id)
        if loan is None or loan["condition"] is not None:
            return {"success": False, "error": f"No open loan {loan_id}"}
        loan["condition"] = condition
        self.tools[loan["tool_id"]]["status"] = "in"
        return {"success": True}

    def set_phone(self, member_id: str, phone: str) -> dict:
        """Note a member's telephone number.

        Args:
            member_id: The member.
            phone: The number.
        """
        if member_id not in self.members:
            return {"success": False, "error": f"No member {member_id}"}
        self.members[member_id]["phone"] = phone
        return {"success": True}
'''

# Enough open loans that chance rarely ends the right one in the right way.
STATE: dict[str, Any] = {
    "tools": {
        "T-1": {"name": "hammer drill", "status": "in"},
        "T-2": {"name": "ladder", "status": "in"},
        "T-3": {"name": "pruning saw", "status": "out"},
        **{f"T-{n}": {"name": f"garden fork {n}", "status": "out"} for n in range(10, 35)},
    },
    "members": {
        "M-1": {"name": "Ana Silva", "phone": "555-0101"},
        "M-2": {"name": "Ben Okafor", "phone": "555-0102"},
        "M-3": {"name": "Cleo Marsh", "phone": "555-0103"},
    },
    "loans": {
        f"LN-{loan}": {
            "tool_id": tool,
            "member_id": "M-2",
            "days": 7,
            "made_at": "2026-05-01T10:00:00",
            "due": "2026-05-08",
            "condition": None,
        }
        for loan, tool in [(40, "T-3"), *((n, f"T-{n}") for n in range(10, 35))]
    },
    "next_loan": 41,
}

DRILL = """
def check(initial, final):
    new = [loan for key, loan in final["loans"].items() if key not in initial["loans"]]
    return [(n["tool_id"], n["member_id"], n["days"], n["condition"]) for n in new] == [
        ("T-1", "M-1", 5, None)
    ]
"""

SAW = """
def check(initial, final):
    return final["loans"]["LN-40"]["condition"] == "worn"
"""

SCENARIO: dict[str, Any] = {
    "id": "saturday",
    "state": "may",
    "now": "2026-05-09T09:00:00",
    "task": "Ana Silva takes the hammer drill for 5 days. Ben brought the saw back, worn.",
    "checks": [
        {"about": "the drill is lent to Ana for 5 days", "kind": "goal", "code": DRILL},
        {"about": "the saw is back, worn", "kind": "goal", "code": SAW},
    ],
    "solution": [
        {"name": "list_tools"},
        {"name": "list_members"},
        {"name": "lend", "arguments": {"tool_id": "T-1", "member_id": "M-1", "days": 5}},
        {"name": "take_back", "arguments": {"loan_id": "LN-40", "condition": "worn"}},
    ],
    "alternatives": [
        [
            {"name": "take_back", "arguments": {"loan_id": "LN-40", "condition": "worn"}},
            {"name": "lend", "arguments": {"tool_id": "T-1", "member_id": "M-1", "days": 5}},
        ]
    ],
}

REJECTIONS: list[dict[str, Any]] = [
    {
        "rule": 1,
        "state": "may",
        "now": "2026-05-09T09:00:00",
        "calls": [
            {"name": "lend", "arguments": {"tool_id": "T-1", "member_id": "M-1", "days": 15}}
        ],
    }
]

INFO: dict[str, Any] = {
    "id": "tool_shed",
    "title": "Tool shed",
    "introduction": "A neighbourhood's tool shed lends tools to its members.",
    "rules": ["A loan lasts 1 to 14 days."],
    "class_name": "ToolShed",
    "domain": "community",
    "split": "train",
    "licence": "MIT",
    "canary": "envscaler-eval:tool_shed:test",
}


def write_pack(
    root: Path,
    *,
    source: str = SOURCE,
    state: dict[str, Any] = STATE,
    rejections: list[dict[str, Any]] = REJECTIONS,
    **scenario: Any,
) -> Path:
    """Write the pack, spoilt where told, and return its folder.

    Args:
        root: Where to put it.
        source: The program.
        state: The initial state.
        rejections: The rejections.
        **scenario: Fields of the scenario to replace.
    """
    folder = root / "tool_shed"
    (folder / "states").mkdir(parents=True)
    (folder / "pack.yaml").write_text(core_yaml.dump(INFO))
    (folder / "environment.py").write_text(source)
    (folder / "states" / "may.json").write_text(json.dumps(state))
    (folder / "scenarios.yaml").write_text(core_yaml.dump([{**SCENARIO, **scenario}]))
    (folder / "rejections.yaml").write_text(core_yaml.dump(rejections))
    return folder


def checks(**changed: str) -> list[dict[str, Any]]:
    """Return the scenario's checks with other code for `drill` or `saw`."""
    codes = {"drill": DRILL, "saw": SAW, **changed}
    return [
        {**check, "code": code}
        for check, code in zip(SCENARIO["checks"], (codes["drill"], codes["saw"]), strict=True)
    ]


def guard(code: str, about: str = "a guard") -> dict[str, Any]:
    """Return a guard."""
    return {"about": about, "kind": "guard", "code": code}
