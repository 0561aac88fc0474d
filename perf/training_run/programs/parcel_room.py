"""A parcel room: what waits for whom."""

from typing import Any, Literal


class ParcelRoom:
    """The parcel room of a block of flats."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.parcels: dict[str, dict[str, Any]] = {}

    def find_parcels(self, text: str) -> dict[str, Any]:
        """Find parcels by the name on them.

        Args:
            text: Part of the name.
        """
        found = [
            {"parcel_id": parcel_id, **parcel}
            for parcel_id, parcel in self.parcels.items()
            if text.lower() in parcel["name"].lower()
        ]
        return {"success": True, "parcels": found}

    def hand_out(self, parcel_id: str) -> dict[str, Any]:
        """Give a parcel to the person whose name is on it.

        Args:
            parcel_id: The parcel.
        """
        if problem := self._problem(parcel_id):
            return {"success": False, "error": problem}
        self.parcels[parcel_id]["handed_out"] = True
        return {"success": True}

    def send_back(
        self, parcel_id: str, reason: Literal["refused", "moved", "damaged"]
    ) -> dict[str, Any]:
        """Send a parcel back to where it came from.

        Args:
            parcel_id: The parcel.
            reason: Why.
        """
        if problem := self._problem(parcel_id):
            return {"success": False, "error": problem}
        self.parcels[parcel_id]["sent_back"] = reason
        return {"success": True}

    def _problem(self, parcel_id: str) -> str | None:
        if parcel_id not in self.parcels:
            return "No such parcel"
        parcel = self.parcels[parcel_id]
        return "The parcel has left" if parcel["handed_out"] or parcel["sent_back"] else None
