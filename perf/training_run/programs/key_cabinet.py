"""A key cabinet: which key hangs there, and who has the others."""

from typing import Any


class KeyCabinet:
    """The key cabinet of an office building."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.keys: dict[str, dict[str, Any]] = {}
        self.people: dict[str, dict[str, Any]] = {}

    def find_keys(self, text: str) -> dict[str, Any]:
        """Find keys by their room.

        Args:
            text: Part of the room's name.
        """
        found = [
            {"key_id": key_id, **key}
            for key_id, key in self.keys.items()
            if text.lower() in key["room"].lower()
        ]
        return {"success": True, "keys": found}

    def find_people(self, text: str) -> dict[str, Any]:
        """Find people by name.

        Args:
            text: Part of the name.
        """
        found = [
            {"person_id": person_id, **person}
            for person_id, person in self.people.items()
            if text.lower() in person["name"].lower()
        ]
        return {"success": True, "people": found}

    def issue_key(self, key_id: str, person_id: str) -> dict[str, Any]:
        """Hand a key to a person.

        Args:
            key_id: The key.
            person_id: Who gets it.
        """
        if key_id not in self.keys or person_id not in self.people:
            return {"success": False, "error": "No such key or person"}
        if self.keys[key_id]["holder"] is not None:
            return {"success": False, "error": "The key is out"}
        self.keys[key_id]["holder"] = person_id
        return {"success": True}

    def take_back_key(self, key_id: str) -> dict[str, Any]:
        """Hang a key back.

        Args:
            key_id: The key.
        """
        if key_id not in self.keys:
            return {"success": False, "error": "No such key"}
        if self.keys[key_id]["holder"] is None:
            return {"success": False, "error": "The key is here"}
        self.keys[key_id]["holder"] = None
        return {"success": True}
