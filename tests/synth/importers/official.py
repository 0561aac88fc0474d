"""EnvScaler's released files, written for tests in both official forms."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PROGRAM = '''\
from typing import Dict, List, TypedDict, Optional
import time
import uuid
from datetime import datetime

class TaskInfo(TypedDict):
    task_id: str
    title: str
    status: str
    assigned_to: Optional[str]

class TaskTrackingSystem:
    def __init__(self, init_config: dict):
        """The system.

        Rules: a task can only be completed by whom it is assigned to.
        """
        self.init_config = init_config
        self.tasks: Dict[str, TaskInfo] = {}
        self.users: Dict[str, dict] = {}
        self.labels: set = set()
        self.slots: Dict[int, str] = {}
        self.log: List[dict] = []

    def get_task_by_id(self, task_id: str) -> dict:
        """Retrieve a task."""
        task = self._find(task_id)
        if task is None:
            return {"success": False, "error": "Task not found"}
        return {"success": True, "data": task}

    def set_status(self, task_id: str, status: str, note: Optional[str] = None) -> dict:
        """Change the status of a task."""
        task = self._find(task_id)
        if task is None:
            return {"success": False, "error": "Task not found"}
        task["status"] = status
        entry = {"id": str(uuid.uuid4()), "at": time.time(), "day": datetime.now().isoformat()}
        self.log.append({**entry, "note": note})
        return {"success": True, "message": "Status changed"}

    def assign(self, task_id, user_id: str) -> dict:
        """Give a task to a user."""
        self.tasks[task_id]["assigned_to"] = user_id
        return {"success": True, "message": "Assigned"}

    def _find(self, task_id: str):
        return self.tasks.get(task_id)
'''

STATE: dict[str, Any] = {
    "tasks": {
        "T1": {"task_id": "T1", "title": "Plan", "status": "open", "assigned_to": "U1"},
        "T2": {"task_id": "T2", "title": "Write", "status": "open", "assigned_to": None},
    },
    "users": {"U1": {"_id": "U1", "name": "Alice Chan"}, "U2": {"_id": "U2", "name": "Bo"}},
    "labels": ["urgent"],
    "slots": {"9": "T1"},
}

DONE = """\
def check_func(final_state):
    return final_state.get("tasks", {}).get("T1", {}).get("status") == "done"
"""
UNTOUCHED = """\
def check_func(final_state):
    # The global is the state before the first call.
    return final_state["tasks"]["T2"] == initial_state["tasks"]["T2"]
"""
IMPORTING = """\
import re
from datetime import datetime

def check_func(final_state):
    for entry in final_state.get("log", []):
        datetime.fromisoformat(entry["day"])
        if re.match(r"[0-9a-f-]{36}$", entry["id"]):
            return True
    return False
"""
MODULE_LEVEL = '''\
BEFORE = len(initial_state["users"])
TEXT = """
  kept as it stands
"""

def check_func(final_state):
    return len(final_state["users"]) == BEFORE and TEXT == "\\n  kept as it stands\\n"
'''
MUTATING = """\
def check_func(final_state):
    final_state["tasks"].pop("T1")
    return "T2" in final_state["tasks"]
"""
NO_BOOL = """\
def check_func(final_state):
    return final_state["tasks"]["T1"]["status"]
"""
RAISING = """\
def check_func(final_state):
    return final_state["log"][0]["note"] == "checked"
"""
BROKEN = "def check_func(final_state:\n    return True\n"

CHECKS = [
    ("Has T1 been completed?", DONE),
    ("Has T2 been left alone?", UNTOUCHED),
    ("Has the change been logged?", IMPORTING),
    ("Has nobody been removed?", MODULE_LEVEL),
    ("Has T2 been kept?", MUTATING),
    ("Has T1 a status?", NO_BOOL),
    ("Has the note been written?", RAISING),
    ("Has the phone number been validated?", ""),
    ("Has the syntax been learned?", BROKEN),
]
"""Check items with their functions, one of each kind that the release holds."""


def environment(env: str = "env_1_sft", **changes: Any) -> dict[str, Any]:
    """Return an environment's record as on the Hub, with changes; None drops a field."""
    function = {"name": "get_task_by_id", "description": "Retrieve a task.", "parameters": {}}
    tools = [{"type": "function", "function": function}]
    for name in ("set_status", "assign", "_find"):
        tools.append({"type": "function", "function": {**function, "name": name}})
    record = {
        "env_id": env,
        "environment_summary": "Task tracking system",
        "environment_introduction": "A system in which teams track tasks.",
        "state_space_definition": [
            {
                "entity": "Task",
                "attributes": "ask_id, title, sta",
                "description": "Represents a unit of work.",
            }
        ],
        "constraints_rules": [
            "A task can only be completed by whom it is assigned to.",
            "empty titles are refused.",
        ],
        "operation_list": [
            {
                "operation_name": "get_task_by_id",
                "operation_description": "Retrieve a task.",
                "operation_type": "query",
            }
        ],
        "env_class_name": "TaskTrackingSystem",
        "env_class_code": PROGRAM,
        "env_class_def": PROGRAM.partition("    def get_task")[0],
        "env_func_details": json.dumps({"assign": {"doc": "Give a task to a user."}}),
        "tools": json.dumps(tools),
        **changes,
    }
    return {key: value for key, value in record.items() if value is not None}


def scenario(env: str = "env_1_sft", number: int = 1, **changes: Any) -> dict[str, Any]:
    """Return a scenario's record as on the Hub, with changes; None drops a field."""
    record = {
        "env_id": env,
        "env_class_name": "TaskTrackingSystem",
        "task_id": f"{env}-task_{number}",
        "init_config": json.dumps(STATE),
        "task": "Part A - Alice has planned all there is. Part B - leave what Bo writes alone.",
        "checklist_with_func": checklist(*CHECKS[:4]),
        **changes,
    }
    return {key: value for key, value in record.items() if value is not None}


def checklist(*checks: tuple[str, str]) -> list[dict[str, str]]:
    """Return check items and functions as the release holds them."""
    return [{"check_item": item, "check_func": code} for item, code in checks]


def in_repository_form(
    environments: Sequence[Mapping[str, Any]], scenarios: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, Any], list[Any]]:
    """Return records as in EnvScaler's repository: a mapping by id, fields decoded."""
    by_id = {
        record["env_id"]: {
            **record,
            "tools": json.loads(record["tools"]),
            "env_func_details": json.loads(record["env_func_details"]),
        }
        for record in environments
    }
    tasks = [{**record, "init_config": json.loads(record["init_config"])} for record in scenarios]
    return by_id, tasks


def write_release(root: Path, environments: Any, scenarios: Any) -> tuple[Path, Path]:
    """Write both files and return them."""
    root.mkdir(parents=True, exist_ok=True)
    env_file, scenario_file = root / "envs.json", root / "scenarios.json"
    env_file.write_text(json.dumps(environments), encoding="utf-8")
    scenario_file.write_text(json.dumps(scenarios), encoding="utf-8")
    return env_file, scenario_file
