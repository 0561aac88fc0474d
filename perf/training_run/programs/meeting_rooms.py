"""Meeting rooms: who has which on what day."""

from typing import Any, Literal


class MeetingRooms:
    """The meeting rooms of an office, booked by the day."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.rooms: dict[str, dict[str, Any]] = {}
        self.bookings: dict[str, dict[str, Any]] = {}
        self.next_booking: int = 1

    def find_rooms(self, text: str) -> dict[str, Any]:
        """Find rooms by name.

        Args:
            text: Part of the room's name.
        """
        found = [
            {"room_id": room_id, **room}
            for room_id, room in self.rooms.items()
            if text.lower() in room["room"].lower()
        ]
        return {"success": True, "rooms": found}

    def find_bookings(self, text: str) -> dict[str, Any]:
        """Find bookings by the name they are under.

        Args:
            text: Part of the name.
        """
        found = [
            {"booking_id": booking_id, **booking}
            for booking_id, booking in self.bookings.items()
            if text.lower() in booking["name"].lower()
        ]
        return {"success": True, "bookings": found}

    def book_room(
        self, room_id: str, day: Literal["Mon", "Tue", "Wed", "Thu", "Fri"], name: str
    ) -> dict[str, Any]:
        """Book a room for a day.

        Args:
            room_id: The room.
            day: The day.
            name: Whose booking it is, as the person is called.
        """
        if room_id not in self.rooms:
            return {"success": False, "error": "No such room"}
        if any((b["room_id"], b["day"]) == (room_id, day) for b in self.bookings.values()):
            return {"success": False, "error": "The room is taken"}
        booking_id = f"BK-{self.next_booking}"
        self.next_booking += 1
        self.bookings[booking_id] = {"room_id": room_id, "day": day, "name": name}
        return {"success": True, "booking_id": booking_id}

    def cancel_booking(self, booking_id: str) -> dict[str, Any]:
        """Cancel a booking.

        Args:
            booking_id: The booking.
        """
        if booking_id not in self.bookings:
            return {"success": False, "error": "No such booking"}
        del self.bookings[booking_id]
        return {"success": True}
