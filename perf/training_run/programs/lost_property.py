"""A lost property office: what was found, and whose it is."""

from typing import Any, Literal


class LostProperty:
    """The lost property office of a railway station."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.claims: dict[str, dict[str, Any]] = {}

    def search_items(self, text: str) -> dict[str, Any]:
        """Search the items that were found.

        Args:
            text: Part of the description.
        """
        found = [
            {"item_id": item_id, **item}
            for item_id, item in self.items.items()
            if text.lower() in item["what"].lower()
        ]
        return {"success": True, "items": found}

    def search_claims(self, text: str) -> dict[str, Any]:
        """Search the claims of people who have lost something.

        Args:
            text: Part of the person's name.
        """
        found = [
            {"claim_id": claim_id, **claim}
            for claim_id, claim in self.claims.items()
            if text.lower() in claim["name"].lower()
        ]
        return {"success": True, "claims": found}

    def return_item(self, item_id: str, claim_id: str) -> dict[str, Any]:
        """Return an item to the person who claims it.

        Args:
            item_id: The item.
            claim_id: The person's claim.
        """
        if item_id not in self.items or claim_id not in self.claims:
            return {"success": False, "error": "No such item or claim"}
        if self._gone(item_id):
            return {"success": False, "error": "The item is gone"}
        self.items[item_id]["claim_id"] = claim_id
        return {"success": True}

    def give_away(
        self, item_id: str, to: Literal["charity", "auction", "recycling"]
    ) -> dict[str, Any]:
        """Give away an item that nobody has claimed.

        Args:
            item_id: The item.
            to: Where it goes.
        """
        if item_id not in self.items:
            return {"success": False, "error": "No such item"}
        if self._gone(item_id):
            return {"success": False, "error": "The item is gone"}
        self.items[item_id]["given_to"] = to
        return {"success": True}

    def _gone(self, item_id: str) -> bool:
        item = self.items[item_id]
        return item["claim_id"] is not None or item["given_to"] is not None
