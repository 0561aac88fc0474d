"""Island ferry freight desk: sailings, units on deck, customers on account, standby lists."""

from datetime import datetime, timedelta
from typing import Literal, TypedDict

Goods = Literal["ordinary", "dangerous", "livestock"]
Reason = Literal[
    "deck_full", "dangerous_limit", "livestock_apart", "credit", "closed", "standby_first"
]


class Sailing(TypedDict):
    port_from: str
    port_to: str
    departs: str
    status: Literal["open", "held", "sailed", "cancelled"]
    deck_metres: int
    dangerous_limit: int
    metre_rate: int


class Customer(TypedDict):
    name: str
    credit_limit: int
    balance: int


class Booking(TypedDict):
    customer: str
    sailing: str
    plate: str
    length: int
    goods: Goods
    price: int
    status: Literal["booked", "checked_in", "cancelled"]


class StandbyRequest(TypedDict):
    customer: str
    sailing: str
    plate: str
    length: int
    goods: Goods
    since: str


class Refusal(TypedDict):
    customer: str
    sailing: str
    reason: Reason
    day: str


class FreightDesk:
    """The freight desk of an island ferry line."""

    def __init__(self, init_config: dict) -> None:
        self.sailings: dict[str, Sailing] = {}
        self.customers: dict[str, Customer] = {}
        self.bookings: dict[str, Booking] = {}
        self.standby: dict[str, StandbyRequest] = {}
        self.refusals: dict[str, Refusal] = {}
        self.next_booking: int = 1
        self.next_request: int = 1
        self.next_refusal: int = 1
        self.cutoff_minutes: int = 45
        self.late_hours: int = 24

    def _unknown(self, customer_id: str | None = None, sailing_id: str | None = None) -> str | None:
        """What of a customer and a sailing does not exist, if anything."""
        if customer_id is not None and customer_id not in self.customers:
            return f"There is no customer {customer_id}"
        if sailing_id is not None and sailing_id not in self.sailings:
            return f"There is no sailing {sailing_id}"
        return None

    def _malformed(self, plate: str, length: int) -> str | None:
        """What is wrong with a unit's description, if anything."""
        if not plate.strip():
            return "Give the plate of the unit"
        if not 2 <= length <= 25:
            return f"A unit is 2 to 25 metres long, not {length}"
        return None

    def _left(self, sailing_id: str) -> timedelta:
        """The time until a sailing departs."""
        return datetime.fromisoformat(self.sailings[sailing_id]["departs"]) - datetime.now()

    def _gone(self, sailing_id: str) -> bool:
        """Whether a sailing has left the quay."""
        status = self.sailings[sailing_id]["status"]
        return status == "sailed" or (status == "open" and self._left(sailing_id) <= timedelta(0))

    def _closed(self, sailing_id: str) -> str | None:
        """Why nothing can be booked onto a sailing any more, if so."""
        sailing = self.sailings[sailing_id]
        if sailing["status"] != "open":
            return f"Sailing {sailing_id} is {sailing['status']}, not open"
        if self._left(sailing_id) < timedelta(minutes=self.cutoff_minutes):
            return (
                f"Sailing {sailing_id} departs {sailing['departs']} and has closed, "
                f"{self.cutoff_minutes} minutes before"
            )
        return None

    def _aboard(self, sailing_id: str, without: str | None = None) -> dict[str, Booking]:
        """The bookings of a sailing that hold space, perhaps without one of them."""
        return {
            key: booking
            for key, booking in self.bookings.items()
            if booking["sailing"] == sailing_id
            and booking["status"] != "cancelled"
            and key != without
        }

    def _free_metres(self, sailing_id: str, without: str | None = None) -> int:
        """The metres of a sailing that nobody has booked."""
        taken = sum(b["length"] for b in self._aboard(sailing_id, without).values())
        return self.sailings[sailing_id]["deck_metres"] - taken

    def _plate_aboard(self, sailing_id: str, plate: str, without: str | None = None) -> str | None:
        """Why a plate cannot be booked onto a sailing, if it is there already."""
        for key, booking in self._aboard(sailing_id, without).items():
            if booking["plate"] == plate:
                return f"{plate} is on sailing {sailing_id} already, as {key}"
        return None

    def _no_room(
        self, sailing_id: str, length: int, goods: str, without: str | None = None
    ) -> str | None:
        """Why a unit does not fit onto a sailing, if so."""
        free = self._free_metres(sailing_id, without)
        if length > free:
            return f"Sailing {sailing_id} has {free} metres left, and the unit needs {length}"
        carried = [b["goods"] for b in self._aboard(sailing_id, without).values()]
        limit = self.sailings[sailing_id]["dangerous_limit"]
        if goods == "dangerous" and carried.count("dangerous") >= limit:
            return f"Sailing {sailing_id} has reached its limit of dangerous units, which is {limit}"
        if {goods, *carried} >= {"dangerous", "livestock"}:
            return f"Livestock and dangerous goods cannot both go on sailing {sailing_id}"
        return None

    def _no_credit(self, customer_id: str, more: int) -> str | None:
        """Why a customer cannot owe more, if so."""
        customer = self.customers[customer_id]
        left = customer["credit_limit"] - customer["balance"]
        if more > 0 and more > left:
            return f"{customer_id} has credit for {left} cents more, and this costs {more}"
        return None

    def _queue(self, sailing_id: str) -> list[str]:
        """The standby requests for a sailing, longest waiting first."""
        keys = [key for key, request in self.standby.items() if request["sailing"] == sailing_id]
        return sorted(keys, key=lambda key: (self.standby[key]["since"], len(key), key))

    def _others_first(self, sailing_id: str, request_id: str | None = None) -> str | None:
        """Why space goes to somebody else, if a request that waited longer can be met."""
        rate = self.sailings[sailing_id]["metre_rate"]
        for key in self._queue(sailing_id):
            if key == request_id:
                break
            request = self.standby[key]
            price = rate * request["length"]
            if self._no_room(sailing_id, request["length"], request["goods"]) is None:
                if self._no_credit(request["customer"], price) is None:
                    return f"Standby request {key} for sailing {sailing_id} comes first, and fits"
        return None

    def _settled(self, booking_id: str) -> str | None:
        """Why a booking can no longer be changed, moved or cancelled, if so."""
        booking = self.bookings.get(booking_id)
        if booking is None:
            return f"There is no booking {booking_id}"
        if booking["status"] == "cancelled":
            return f"Booking {booking_id} is cancelled"
        if booking["status"] == "checked_in":
            return f"Booking {booking_id} is checked in, and is not changed, moved or cancelled"
        return None

    def find_sailings(
        self, port_from: str | None = None, port_to: str | None = None, day: str | None = None
    ) -> dict:
        """List sailings with what is free and what is booked on them, by departure.

        Args:
            port_from: Only sailings from this port, in any case; null for all.
            port_to: Only sailings to this port, in any case; null for all.
            day: Only sailings of this day, such as 2026-03-09; null for all.
        """
        if day is not None:
            try:
                day = datetime.strptime(day, "%Y-%m-%d").date().isoformat()
            except ValueError:
                return {"success": False, "error": f"'{day}' is no day; write it as 2026-03-09"}
        found = []
        for key in sorted(self.sailings, key=lambda key: (self.sailings[key]["departs"], key)):
            sailing = self.sailings[key]
            if port_from is not None and port_from.strip().lower() != sailing["port_from"].lower():
                continue
            if port_to is not None and port_to.strip().lower() != sailing["port_to"].lower():
                continue
            if day is not None and not sailing["departs"].startswith(day):
                continue
            carried = [booking["goods"] for booking in self._aboard(key).values()]
            found.append(
                {
                    "sailing_id": key,
                    **sailing,
                    "free_metres": self._free_metres(key),
                    "dangerous_units": carried.count("dangerous"),
                    "livestock_units": carried.count("livestock"),
                    "waiting": len(self._queue(key)),
                }
            )
        return {"success": True, "sailings": found}

    def find_customers(self, name: str) -> dict:
        """Find customers whose name contains a text, with the credit that they have left.

        Args:
            name: A part of the name, in any case, such as "haul".
        """
        wanted = name.strip().lower()
        if not wanted:
            return {"success": False, "error": "Give a part of the name to look for"}
        found = [
            {
                "customer_id": key,
                **customer,
                "credit_left": customer["credit_limit"] - customer["balance"],
            }
            for key, customer in sorted(self.customers.items())
            if wanted in customer["name"].lower()
        ]
        return {"success": True, "customers": found}

    def find_bookings(
        self,
        customer_id: str | None = None,
        sailing_id: str | None = None,
        plate: str | None = None,
    ) -> dict:
        """List bookings, cancelled ones as well, sorted by id.

        Args:
            customer_id: Only bookings of this customer, such as C-07; null for all.
            sailing_id: Only bookings on this sailing, such as SL-14; null for all.
            plate: Only units whose plate contains this text, in any case; null for all.
        """
        fault = self._unknown(customer_id, sailing_id)
        if fault:
            return {"success": False, "error": fault}
        part = "" if plate is None else plate.strip().upper()
        found = [
            {"booking_id": key, **booking}
            for key, booking in sorted(self.bookings.items())
            if customer_id in (None, booking["customer"])
            and sailing_id in (None, booking["sailing"])
            and part in booking["plate"]
        ]
        return {"success": True, "bookings": found}

    def find_standby(self, sailing_id: str | None = None, customer_id: str | None = None) -> dict:
        """List standby requests by sailing, each with its place; the longest waiting come first.

        Args:
            sailing_id: Only requests for this sailing, such as SL-14; null for all.
            customer_id: Only requests of this customer, such as C-07; null for all.
        """
        fault = self._unknown(customer_id, sailing_id)
        if fault:
            return {"success": False, "error": fault}
        found = [
            {"request_id": key, "place": place, **self.standby[key]}
            for sailing in sorted(self.sailings)
            if sailing_id in (None, sailing)
            for place, key in enumerate(self._queue(sailing), start=1)
            if customer_id in (None, self.standby[key]["customer"])
        ]
        return {"success": True, "requests": found}

    def book_unit(
        self, customer_id: str, sailing_id: str, plate: str, length: int, goods: Goods
    ) -> dict:
        """Book a unit onto a sailing, and charge the customer its length at the sailing's rate.

        Args:
            customer_id: Who pays, such as C-07.
            sailing_id: The sailing, such as SL-14.
            plate: The registration of the lorry or trailer.
            length: Its length in metres, rounded up, from 2 to 25.
            goods: What it carries.
        """
        fault = self._unknown(customer_id, sailing_id) or self._malformed(plate, length)
        if fault:
            return {"success": False, "error": fault}
        plate = plate.strip().upper()
        price = self.sailings[sailing_id]["metre_rate"] * length
        fault = (
            self._closed(sailing_id)
            or self._plate_aboard(sailing_id, plate)
            or self._no_room(sailing_id, length, goods)
            or self._no_credit(customer_id, price)
            or self._others_first(sailing_id)
        )
        if fault:
            return {"success": False, "error": fault}
        booking_id = f"BK-{self.next_booking}"
        self.next_booking += 1
        self.bookings[booking_id] = {
            "customer": customer_id,
            "sailing": sailing_id,
            "plate": plate,
            "length": length,
            "goods": goods,
            "price": price,
            "status": "booked",
        }
        self.customers[customer_id]["balance"] += price
        return {"success": True, "booking_id": booking_id, "price": price}

    def amend_unit(
        self,
        booking_id: str,
        plate: str | None = None,
        length: int | None = None,
        goods: Goods | None = None,
    ) -> dict:
        """Correct a booked unit's plate, length or goods, and settle the difference in price.

        Args:
            booking_id: The booking, such as BK-102.
            plate: The right registration; null keeps what is booked.
            length: The right length in metres, from 2 to 25; null keeps what is booked.
            goods: What it really carries; null keeps what is booked.
        """
        fault = self._settled(booking_id)
        if fault:
            return {"success": False, "error": fault}
        booking = self.bookings[booking_id]
        new_plate = booking["plate"] if plate is None else plate
        new_length = booking["length"] if length is None else length
        new_goods = booking["goods"] if goods is None else goods
        fault = self._malformed(new_plate, new_length)
        if fault:
            return {"success": False, "error": fault}
        new_plate = new_plate.strip().upper()
        before = (booking["plate"], booking["length"], booking["goods"])
        if before == (new_plate, new_length, new_goods):
            return {"success": False, "error": f"Booking {booking_id} is like that already"}
        sailing_id = booking["sailing"]
        more = self.sailings[sailing_id]["metre_rate"] * new_length - booking["price"]
        fault = (
            self._closed(sailing_id)
            or self._plate_aboard(sailing_id, new_plate, booking_id)
            or self._no_room(sailing_id, new_length, new_goods, booking_id)
            or self._no_credit(booking["customer"], more)
        )
        if fault is None and new_length > booking["length"]:
            fault = self._others_first(sailing_id)
        if fault:
            return {"success": False, "error": fault}
        booking["plate"] = new_plate
        booking["length"] = new_length
        booking["goods"] = new_goods
        booking["price"] += more
        self.customers[booking["customer"]]["balance"] += more
        return {"success": True, "booking_id": booking_id, "price": booking["price"]}

    def move_booking(self, booking_id: str, sailing_id: str) -> dict:
        """Move a booking to another sailing between the same ports, at that sailing's rate.

        Args:
            booking_id: The booking, such as BK-102.
            sailing_id: The sailing that it moves to, such as SL-14.
        """
        fault = self._settled(booking_id) or self._unknown(sailing_id=sailing_id)
        if fault:
            return {"success": False, "error": fault}
        booking = self.bookings[booking_id]
        old, new = self.sailings[booking["sailing"]], self.sailings[sailing_id]
        if booking["sailing"] == sailing_id:
            return {"success": False, "error": f"Booking {booking_id} is on {sailing_id} already"}
        if (old["port_from"], old["port_to"]) != (new["port_from"], new["port_to"]):
            return {
                "success": False,
                "error": f"Sailing {sailing_id} does not run between the same ports",
            }
        if self._gone(booking["sailing"]):
            return {"success": False, "error": f"Sailing {booking['sailing']} has left"}
        more = new["metre_rate"] * booking["length"] - booking["price"]
        fault = (
            self._closed(sailing_id)
            or self._plate_aboard(sailing_id, booking["plate"])
            or self._no_room(sailing_id, booking["length"], booking["goods"])
            or self._no_credit(booking["customer"], more)
            or self._others_first(sailing_id)
        )
        if fault:
            return {"success": False, "error": fault}
        booking["sailing"] = sailing_id
        booking["price"] += more
        self.customers[booking["customer"]]["balance"] += more
        return {"success": True, "booking_id": booking_id, "price": booking["price"]}

    def cancel_booking(self, booking_id: str) -> dict:
        """Cancel a booking, and credit its price less the fee for late cancellation.

        Args:
            booking_id: The booking, such as BK-102.
        """
        fault = self._settled(booking_id)
        if fault:
            return {"success": False, "error": fault}
        booking = self.bookings[booking_id]
        sailing_id = booking["sailing"]
        if self._gone(sailing_id):
            return {"success": False, "error": f"Sailing {sailing_id} has left"}
        late = self._left(sailing_id) < timedelta(hours=self.late_hours)
        fee = booking["price"] // 2 if late and self.sailings[sailing_id]["status"] == "open" else 0
        credit = booking["price"] - fee
        booking["status"] = "cancelled"
        booking["price"] = fee
        self.customers[booking["customer"]]["balance"] -= credit
        return {"success": True, "booking_id": booking_id, "fee": fee, "credited": credit}

    def check_in(self, booking_id: str) -> dict:
        """Check a booked unit in at the quay.

        Args:
            booking_id: The booking, such as BK-102.
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return {"success": False, "error": f"There is no booking {booking_id}"}
        if booking["status"] != "booked":
            return {"success": False, "error": f"Booking {booking_id} is {booking['status']}, not booked"}
        fault = self._closed(booking["sailing"])
        if fault:
            return {"success": False, "error": fault}
        booking["status"] = "checked_in"
        return {"success": True, "booking_id": booking_id, "plate": booking["plate"]}

    def join_standby(
        self, customer_id: str, sailing_id: str, plate: str, length: int, goods: Goods
    ) -> dict:
        """Put a unit at the end of a sailing's standby list, to wait for space.

        Args:
            customer_id: Who asks, such as C-07.
            sailing_id: The sailing, such as SL-14.
            plate: The registration of the lorry or trailer.
            length: Its length in metres, rounded up, from 2 to 25.
            goods: What it carries.
        """
        fault = self._unknown(customer_id, sailing_id) or self._malformed(plate, length)
        if fault:
            return {"success": False, "error": fault}
        plate = plate.strip().upper()
        fault = self._closed(sailing_id) or self._plate_aboard(sailing_id, plate)
        if fault:
            return {"success": False, "error": fault}
        if any(self.standby[key]["plate"] == plate for key in self._queue(sailing_id)):
            return {"success": False, "error": f"{plate} waits for sailing {sailing_id} already"}
        full = self._no_room(sailing_id, length, goods) or self._others_first(sailing_id)
        if full is None:
            return {"success": False, "error": f"Sailing {sailing_id} has room for {plate}; book it"}
        request_id = f"SB-{self.next_request}"
        self.next_request += 1
        self.standby[request_id] = {
            "customer": customer_id,
            "sailing": sailing_id,
            "plate": plate,
            "length": length,
            "goods": goods,
            "since": datetime.now().isoformat(timespec="seconds"),
        }
        return {"success": True, "request_id": request_id, "place": len(self._queue(sailing_id))}

    def confirm_standby(self, request_id: str) -> dict:
        """Turn a standby request into a booking, and charge it at the sailing's rate.

        Args:
            request_id: The standby request, such as SB-21.
        """
        request = self.standby.get(request_id)
        if request is None:
            return {"success": False, "error": f"There is no standby request {request_id}"}
        sailing_id, length = request["sailing"], request["length"]
        price = self.sailings[sailing_id]["metre_rate"] * length
        fault = (
            self._closed(sailing_id)
            or self._plate_aboard(sailing_id, request["plate"])
            or self._no_room(sailing_id, length, request["goods"])
            or self._no_credit(request["customer"], price)
            or self._others_first(sailing_id, request_id)
        )
        if fault:
            return {"success": False, "error": fault}
        booking_id = f"BK-{self.next_booking}"
        self.next_booking += 1
        self.bookings[booking_id] = {
            "customer": request["customer"],
            "sailing": sailing_id,
            "plate": request["plate"],
            "length": length,
            "goods": request["goods"],
            "price": price,
            "status": "booked",
        }
        self.customers[request["customer"]]["balance"] += price
        del self.standby[request_id]
        return {"success": True, "booking_id": booking_id, "price": price}

    def leave_standby(self, request_id: str) -> dict:
        """Take a standby request off the list of its sailing.

        Args:
            request_id: The standby request, such as SB-21.
        """
        request = self.standby.pop(request_id, None)
        if request is None:
            return {"success": False, "error": f"There is no standby request {request_id}"}
        return {"success": True, "plate": request["plate"], "sailing_id": request["sailing"]}

    def record_refusal(self, customer_id: str, sailing_id: str, reason: Reason) -> dict:
        """Record that a customer's request for space on a sailing was turned down, and why.

        Args:
            customer_id: Who asked, such as C-07.
            sailing_id: The sailing that was asked for, such as SL-14.
            reason: Which limit stood in the way.
        """
        fault = self._unknown(customer_id, sailing_id)
        if fault:
            return {"success": False, "error": fault}
        refusal_id = f"RF-{self.next_refusal}"
        self.next_refusal += 1
        self.refusals[refusal_id] = {
            "customer": customer_id,
            "sailing": sailing_id,
            "reason": reason,
            "day": datetime.now().date().isoformat(),
        }
        return {"success": True, "refusal_id": refusal_id}
