"""A seed exchange: packets that members bring and take."""

from typing import Any, Literal


class SeedExchange:
    """The seed exchange of a gardening club."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.packets: dict[str, dict[str, Any]] = {}
        self.members: dict[str, dict[str, Any]] = {}

    def look_up_packets(self, text: str) -> dict[str, Any]:
        """Look up packets of seed by variety.

        Args:
            text: Part of the variety's name.
        """
        found = [
            {"packet_id": packet_id, **packet}
            for packet_id, packet in self.packets.items()
            if text.lower() in packet["variety"].lower()
        ]
        return {"success": True, "packets": found}

    def look_up_members(self, text: str) -> dict[str, Any]:
        """Look up members by name.

        Args:
            text: Part of the name.
        """
        found = [
            {"member_id": member_id, **member}
            for member_id, member in self.members.items()
            if text.lower() in member["name"].lower()
        ]
        return {"success": True, "members": found}

    def give_packet(self, packet_id: str, member_id: str) -> dict[str, Any]:
        """Give a packet to a member.

        Args:
            packet_id: The packet.
            member_id: Who gets it.
        """
        if packet_id not in self.packets or member_id not in self.members:
            return {"success": False, "error": "No such packet or member"}
        if self._gone(packet_id):
            return {"success": False, "error": "The packet is gone"}
        self.packets[packet_id]["member_id"] = member_id
        return {"success": True}

    def withdraw_packet(
        self, packet_id: str, reason: Literal["mouldy", "expired", "mislabelled"]
    ) -> dict[str, Any]:
        """Take a packet off the shelf for good.

        Args:
            packet_id: The packet.
            reason: Why.
        """
        if packet_id not in self.packets:
            return {"success": False, "error": "No such packet"}
        if self._gone(packet_id):
            return {"success": False, "error": "The packet is gone"}
        self.packets[packet_id]["withdrawn"] = reason
        return {"success": True}

    def _gone(self, packet_id: str) -> bool:
        packet = self.packets[packet_id]
        return packet["member_id"] is not None or packet["withdrawn"] is not None
