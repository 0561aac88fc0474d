"""Hotel operations: room inventory by night, stays, folios, groups and housekeeping."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict, get_args

Tier = Literal["none", "silver", "gold", "platinum"]
Condition = Literal["dirty", "clean", "inspected"]
ReservationStatus = Literal["booked", "in_house", "checked_out", "cancelled", "walked"]
Basis = Literal["paid", "loyalty", "voucher", "oversold"]
Charge = Literal["room", "breakfast", "restaurant", "minibar", "parking", "spa", "fee"]
Settlement = Literal["card", "cash", "invoice", "refund"]
TaskKind = Literal["stayover", "departure", "deep_clean"]
Reason = Literal[
    "sold_out",
    "past_cutoff",
    "not_refundable",
    "not_entitled",
    "not_covered",
    "member_not_walked",
    "room_taken",
    "workload_full",
]

MAX_NIGHTS = 31
MAX_CENTS = 10_000_000
DAILY_CREDITS = 8
CREDITS: dict[TaskKind, int] = {"stayover": 1, "departure": 2, "deep_clean": 4}
LOYALTY_RANKS: dict[Tier, int] = {"none": 0, "silver": 0, "gold": 1, "platinum": 2}
VOUCHER_DAYS = 365


class RoomType(TypedDict):
    name: str
    rank: int


class Room(TypedDict):
    room_type_id: str
    floor: int
    features: list[str]
    condition: Condition


class RatePlan(TypedDict):
    name: str
    nightly_cents: dict[str, int]
    cancel_days: int | None


class Guest(TypedDict):
    name: str
    email: str
    tier: Tier
    note: str


class Voucher(TypedDict):
    guest_id: str
    ranks: int
    valid_until: str
    status: Literal["unused", "used"]


class Group(TypedDict):
    name: str
    room_type_id: str
    rate_plan_id: str
    arrival: str
    departure: str
    rooms: int
    cutoff_on: str


class Reservation(TypedDict):
    guest_id: str
    booked_type_id: str
    room_type_id: str
    rate_plan_id: str
    nightly_cents: int
    arrival: str
    departure: str
    status: ReservationStatus
    room_id: str | None


class Folio(TypedDict):
    reservation_id: str
    company: str | None
    covers: list[Charge]
    status: Literal["open", "closed"]


class Posting(TypedDict):
    folio_id: str
    kind: Charge | Settlement
    cents: int
    posted_on: str
    text: str


class Block(TypedDict):
    room_id: str
    first_night: str
    last_night: str
    reason: str


class Task(TypedDict):
    room_id: str
    kind: TaskKind
    due_on: str
    attendant_id: str | None
    status: Literal["open", "done"]


class Attendant(TypedDict):
    name: str
    floors: list[int]


class Decline(TypedDict):
    subject_id: str
    reason: Reason
    logged_at: str


def _fail(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _rows(id_key: str, records: Mapping[str, Any], **wanted: object) -> list[dict[str, Any]]:
    """The records, each with its id, that have the wanted values; what is None is not asked for."""
    asked = {field: value for field, value in wanted.items() if value is not None}
    return [
        {id_key: key, **record}
        for key, record in records.items()
        if asked.items() <= record.items()
    ]


def _day_error(*days: str | None) -> str | None:
    """Name a day that is not written YYYY-MM-DD; None is one that was not given."""
    for day in days:
        try:
            if day is None or str(date.fromisoformat(day)) == day:
                continue
        except ValueError:
            pass
        return f"{day!r} is not a date; give YYYY-MM-DD"
    return None


def _stay_error(first: str, departure: str) -> str | None:
    """Why the two are not the first night and the departure day of a stay."""
    if error := _day_error(first, departure):
        return error
    if not 1 <= _days_between(first, departure) <= MAX_NIGHTS:
        return f"{first} to {departure} is not a stay of 1 to {MAX_NIGHTS} nights"
    return None


def _days_between(earlier: str, later: str) -> int:
    return (date.fromisoformat(later) - date.fromisoformat(earlier)).days


def _nights(first: str, departure: str) -> list[str]:
    """The nights of a stay, the departure day excluded."""
    start = date.fromisoformat(first)
    return [(start + timedelta(days=k)).isoformat() for k in range(_days_between(first, departure))]


def _today() -> str:
    return datetime.now().date().isoformat()


class HotelOperations:
    """The property management system of one hotel: who sleeps where, and who pays for it."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.room_types: dict[str, RoomType] = {}
        self.rooms: dict[str, Room] = {}
        self.rate_plans: dict[str, RatePlan] = {}
        self.guests: dict[str, Guest] = {}
        self.vouchers: dict[str, Voucher] = {}
        self.groups: dict[str, Group] = {}
        self.reservations: dict[str, Reservation] = {}
        self.folios: dict[str, Folio] = {}
        self.postings: dict[str, Posting] = {}
        self.blocks: dict[str, Block] = {}
        self.tasks: dict[str, Task] = {}
        self.attendants: dict[str, Attendant] = {}
        self.declines: dict[str, Decline] = {}
        self.next_number: int = 1

    # Look-ups

    def get_house_guide(self) -> dict[str, Any]:
        """Show today's date, room types, rate plans, groups and room attendants.

        A higher rank is a better type. A plan's nightly_cents are by room type;
        its cancel_days are the notice for giving up nights without a fee, null
        meaning not refundable. A group's plan sells the group's rooms; its peak_use
        is the rooms sold of the allotment on the fullest night, and the cut-off
        day is the last on which the allotment is held.
        """
        groups = [
            {**row, "peak_use": self._peak_use(row["group_id"])}
            for row in _rows("group_id", self.groups)
        ]
        return {
            "success": True,
            "today": _today(),
            "room_types": _rows("room_type_id", self.room_types),
            "rate_plans": _rows("rate_plan_id", self.rate_plans),
            "groups": groups,
            "attendants": _rows("attendant_id", self.attendants),
        }

    def find_guests(self, name: str | None = None, tier: Tier | None = None) -> dict[str, Any]:
        """List guests with their loyalty tier, the desk's note and their upgrade vouchers.

        Args:
            name: Part of the guest's name.
            tier: Only guests of this loyalty tier.
        """
        guests = [
            {**row, "vouchers": _rows("voucher_id", self.vouchers, guest_id=row["guest_id"])}
            for row in _rows("guest_id", self.guests, tier=tier)
            if (name or "").lower() in row["name"].lower()
        ]
        return {"success": True, "guests": guests}

    def find_reservations(
        self,
        guest_name: str | None = None,
        rate_plan_id: str | None = None,
        status: ReservationStatus | None = None,
        room_type_id: str | None = None,
        arrival: str | None = None,
        departure: str | None = None,
    ) -> dict[str, Any]:
        """List reservations with their guest, stay, rate, room and status.

        booked_type_id is the room type that the guest pays for, room_type_id the
        one that the guest gets.

        Args:
            guest_name: Part of the guest's name.
            rate_plan_id: Only reservations at this plan, which may be a group's.
            status: Only reservations that now stand like this.
            room_type_id: Only reservations that get this room type.
            arrival: Only arrivals on this day, ISO date, YYYY-MM-DD.
            departure: Only departures on this day, ISO date, YYYY-MM-DD.
        """
        reservations = [
            {"guest": self.guests[row["guest_id"]]["name"], **row}
            for row in _rows(
                "reservation_id",
                self.reservations,
                rate_plan_id=rate_plan_id,
                status=status,
                room_type_id=room_type_id,
                arrival=arrival,
                departure=departure,
            )
            if (guest_name or "").lower() in self.guests[row["guest_id"]]["name"].lower()
        ]
        return {"success": True, "reservations": reservations}

    def find_rooms(
        self, room_type_id: str | None = None, condition: Condition | None = None
    ) -> dict[str, Any]:
        """List rooms with floor, features, condition, maintenance blocks and assigned stays.

        Args:
            room_type_id: Only rooms of this type.
            condition: Only rooms in this condition.
        """
        rooms = [
            {
                **row,
                "blocks": _rows("block_id", self.blocks, room_id=row["room_id"]),
                "stays": [
                    {key: stay[key] for key in ("reservation_id", "status", "arrival", "departure")}
                    for stay in self._live_stays(room_id=row["room_id"])
                ],
            }
            for row in _rows("room_id", self.rooms, room_type_id=room_type_id, condition=condition)
        ]
        return {"success": True, "rooms": rooms}

    def get_availability(self, arrival: str, departure: str) -> dict[str, Any]:
        """Show for each night and room type the rooms in service, sold, held and still free.

        Rooms held are those that open group allotments have not used yet; free
        rooms below zero mean that the type is oversold.

        Args:
            arrival: The first night, ISO date, YYYY-MM-DD.
            departure: The day after the last night, at most 31 days later, YYYY-MM-DD.
        """
        if error := _stay_error(arrival, departure):
            return _fail(error)
        nights = [
            {"night": night, "room_type_id": room_type_id, **self._inventory(room_type_id, night)}
            for night in _nights(arrival, departure)
            for room_type_id in self.room_types
        ]
        return {"success": True, "nights": nights}

    def find_folios(self, reservation_id: str | None = None) -> dict[str, Any]:
        """List folios with their postings and balance in cents; above zero is owed to the hotel.

        A folio without a company is the guest's own.

        Args:
            reservation_id: Only folios of this reservation.
        """
        folios = [
            {
                **row,
                "balance_cents": self._balance(row["folio_id"]),
                "postings": _rows("posting_id", self.postings, folio_id=row["folio_id"]),
            }
            for row in _rows("folio_id", self.folios, reservation_id=reservation_id)
        ]
        return {"success": True, "folios": folios}

    def find_tasks(
        self, due_on: str | None = None, attendant_id: str | None = None
    ) -> dict[str, Any]:
        """List cleaning tasks with their room, floor, credits, attendant and status.

        Args:
            due_on: Only tasks of this day, ISO date, YYYY-MM-DD.
            attendant_id: Only tasks of this attendant.
        """
        tasks = [
            {**row, "floor": self.rooms[row["room_id"]]["floor"], "credits": CREDITS[row["kind"]]}
            for row in _rows("task_id", self.tasks, due_on=due_on, attendant_id=attendant_id)
        ]
        return {"success": True, "tasks": tasks}

    def quote_stay(
        self, arrival: str, departure: str, room_type_id: str | None = None
    ) -> dict[str, Any]:
        """Price a stay at each rate plan and room type that the plan has, cheapest first.

        sellable is the number of rooms left for the whole stay: of the group's allotment for
        a group's plan, of what is free to all for the others.

        Args:
            arrival: The first night, ISO date, YYYY-MM-DD.
            departure: The day of leaving, at most 31 days later, ISO date, YYYY-MM-DD.
            room_type_id: Only this room type.
        """
        if error := _stay_error(arrival, departure):
            return _fail(error)
        if room_type_id is not None and (error := self._unknown(room_types=room_type_id)):
            return _fail(error)
        nights, quotes = _nights(arrival, departure), []
        for plan in _rows("rate_plan_id", self.rate_plans):
            for type_id, cents in plan["nightly_cents"].items():
                if room_type_id in (None, type_id):
                    quotes.append(
                        {
                            "rate_plan_id": plan["rate_plan_id"],
                            "room_type_id": type_id,
                            "nightly_cents": cents,
                            "total_cents": cents * len(nights),
                            "cancel_days": plan["cancel_days"],
                            "sellable": self._sellable(plan["rate_plan_id"], type_id, nights),
                        }
                    )
        quotes.sort(key=lambda quote: quote["total_cents"])
        return {"success": True, "nights": len(nights), "quotes": quotes}

    def find_free_rooms(self, room_type_id: str, arrival: str, departure: str) -> dict[str, Any]:
        """List the rooms of a type that no block and no assigned stay has on any of the nights.

        Stays that have no room yet will need some of them.

        Args:
            room_type_id: The room type.
            arrival: The first night, ISO date, YYYY-MM-DD.
            departure: The day of leaving, at most 31 days later, ISO date, YYYY-MM-DD.
        """
        if error := self._unknown(room_types=room_type_id) or _stay_error(arrival, departure):
            return _fail(error)
        nights = _nights(arrival, departure)
        rooms = [
            row
            for row in _rows("room_id", self.rooms, room_type_id=room_type_id)
            if self._room_error(row["room_id"], nights) is None
        ]
        return {"success": True, "rooms": rooms}

    def get_day_sheet(self, day: str) -> dict[str, Any]:
        """Show who arrives, who leaves and who stays over on a day, with room and amount owed.

        Cancelled and walked reservations are left out.

        Args:
            day: The day, ISO date, YYYY-MM-DD.
        """
        if error := _day_error(day):
            return _fail(error)
        sheet: dict[str, list[dict[str, Any]]] = {"arrivals": [], "departures": [], "stayovers": []}
        for row in _rows("reservation_id", self.reservations):
            if row["status"] in ("cancelled", "walked"):
                continue
            if not row["arrival"] <= day <= row["departure"]:
                continue
            part = {row["arrival"]: "arrivals", row["departure"]: "departures"}
            room, guest = self.rooms.get(row["room_id"]), self.guests[row["guest_id"]]
            folios = _rows("folio_id", self.folios, reservation_id=row["reservation_id"])
            sheet[part.get(day, "stayovers")].append(
                {
                    "reservation_id": row["reservation_id"],
                    "guest": guest["name"],
                    "tier": guest["tier"],
                    "status": row["status"],
                    "room_type_id": row["room_type_id"],
                    "room_id": row["room_id"],
                    "room_condition": room and room["condition"],
                    "until": row["departure"],
                    "owed_cents": {f["folio_id"]: self._balance(f["folio_id"]) for f in folios},
                }
            )
        return {"success": True, "day": day, **sheet}

    def get_group(self, group_id: str) -> dict[str, Any]:
        """Show a group with its rooming list and, night by night, the rooms used and still held.

        Args:
            group_id: The group.
        """
        if error := self._unknown(groups=group_id):
            return _fail(error)
        group = self.groups[group_id]
        stays = [
            {"guest": self.guests[row["guest_id"]]["name"], **row}
            for row in self._live_stays(rate_plan_id=group["rate_plan_id"])
        ]
        nights = [
            {
                "night": night,
                "used": self._in_use(group, night),
                "held": self._held(group_id, night),
            }
            for night in _nights(group["arrival"], group["departure"])
        ]
        return {
            "success": True,
            **group,
            "nightly_cents": self.rate_plans[group["rate_plan_id"]]["nightly_cents"],
            "rooming_list": sorted(stays, key=lambda stay: stay["guest"]),
            "nights": nights,
            "declines": _rows("decline_id", self.declines, subject_id=group_id),
        }

    def find_postings(
        self,
        kind: Charge | Settlement | None = None,
        posted_from: str | None = None,
        posted_until: str | None = None,
        text: str = "",
    ) -> dict[str, Any]:
        """List postings of all folios by day, with the reservation and who pays, and their sum.

        Payments count below zero, refunds above.

        Args:
            kind: Only postings of this kind.
            posted_from: First day to include, ISO date, YYYY-MM-DD.
            posted_until: Last day to include, ISO date, YYYY-MM-DD.
            text: Part of what the bill says, any case.
        """
        if error := _day_error(posted_from, posted_until):
            return _fail(error)
        found = []
        for row in _rows("posting_id", self.postings, kind=kind):
            day = row["posted_on"]
            if (posted_from or day) <= day <= (posted_until or day) and (
                text.lower() in row["text"].lower()
            ):
                folio = self.folios[row["folio_id"]]
                payer = {"reservation_id": folio["reservation_id"], "company": folio["company"]}
                found.append({**row, **payer})
        found.sort(key=lambda row: row["posted_on"])
        return {"success": True, "postings": found, "sum_cents": sum(row["cents"] for row in found)}

    def list_workloads(self, day: str) -> dict[str, Any]:
        """List the room attendants with their floors, and the credits that they have on a day.

        Credits are those of all their tasks of the day, finished ones included; open tasks that
        nobody has are listed beside.

        Args:
            day: The day, ISO date, YYYY-MM-DD.
        """
        if error := _day_error(day):
            return _fail(error)
        attendants = [
            {
                **row,
                "credits": self._credits(row["attendant_id"], day),
                "credits_left": DAILY_CREDITS - self._credits(row["attendant_id"], day),
            }
            for row in _rows("attendant_id", self.attendants)
        ]
        nobodys = [
            {**row, "floor": self.rooms[row["room_id"]]["floor"]}
            for row in _rows("task_id", self.tasks, due_on=day, status="open")
            if row["attendant_id"] is None
        ]
        return {"success": True, "attendants": attendants, "unassigned_tasks": nobodys}

    # Stays

    def book_stay(
        self, guest_id: str, room_type_id: str, rate_plan_id: str, arrival: str, departure: str
    ) -> dict[str, Any]:
        """Book one room for a guest and open the guest's own folio.

        Args:
            guest_id: The guest in whose name the stay is.
            room_type_id: The room type.
            rate_plan_id: The rate plan; a group's plan takes a room out of its allotment.
            arrival: The first night, today or later, ISO date, YYYY-MM-DD.
            departure: The day of leaving, ISO date, YYYY-MM-DD.
        """
        if error := self._unknown(
            guests=guest_id, room_types=room_type_id, rate_plans=rate_plan_id
        ) or _stay_error(arrival, departure):
            return _fail(error)
        if arrival < _today():
            return _fail(f"{arrival} has passed")
        rates = self.rate_plans[rate_plan_id]["nightly_cents"]
        if room_type_id not in rates:
            return _fail(f"Rate plan {rate_plan_id} has no rate for room type {room_type_id}")
        if error := self._sale_error(room_type_id, _nights(arrival, departure), rate_plan_id):
            return _fail(error)
        reservation_id = self._new_id("RES")
        self.reservations[reservation_id] = {
            "guest_id": guest_id,
            "booked_type_id": room_type_id,
            "room_type_id": room_type_id,
            "rate_plan_id": rate_plan_id,
            "nightly_cents": rates[room_type_id],
            "arrival": arrival,
            "departure": departure,
            "status": "booked",
            "room_id": None,
        }
        folio_id = self._new_id("FOL")
        self.folios[folio_id] = {
            "reservation_id": reservation_id,
            "company": None,
            "covers": list(get_args(Charge)),
            "status": "open",
        }
        return {"success": True, "reservation_id": reservation_id, "folio_id": folio_id}

    def change_departure(self, reservation_id: str, departure: str) -> dict[str, Any]:
        """Extend or shorten a stay that is booked or in house, at its nightly rate.

        Args:
            reservation_id: The reservation.
            departure: The new day of leaving, ISO date, YYYY-MM-DD; today for leaving early.
        """
        if error := self._not_in(reservation_id, "booked", "in_house"):
            return _fail(error)
        stay = self.reservations[reservation_id]
        if error := _stay_error(stay["arrival"], departure):
            return _fail(error)
        if departure == stay["departure"] or departure < _today():
            return _fail(f"{departure} has passed, or is the departure already")
        if departure < stay["departure"]:
            error = self._notice_error(reservation_id, departure)
        else:
            added = _nights(stay["departure"], departure)
            error = self._sale_error(stay["room_type_id"], added, stay["rate_plan_id"])
            if error is None and stay["room_id"] is not None:
                error = self._room_error(stay["room_id"], added, reservation_id)
        if error:
            return _fail(error)
        stay["departure"] = departure
        return {"success": True, "reservation_id": reservation_id, "departure": departure}

    def change_room_type(
        self,
        reservation_id: str,
        room_type_id: str,
        basis: Basis,
        voucher_id: str | None = None,
    ) -> dict[str, Any]:
        """Move a reservation to another room type before check-in; an assigned room is given up.

        Args:
            reservation_id: The booked reservation.
            room_type_id: The new room type.
            basis: paid: at the rate plan's price of the new type, up or down. The others keep
                the rate. loyalty: by the guest's tier. voucher: by a voucher, which is used up.
                oversold: because too many rooms of the present type are sold.
            voucher_id: The guest's unused voucher; read for the basis voucher only.
        """
        if error := self._not_in(reservation_id, "booked") or self._unknown(
            room_types=room_type_id
        ):
            return _fail(error)
        stay = self.reservations[reservation_id]
        if room_type_id == stay["room_type_id"]:
            return _fail(f"Reservation {reservation_id} is for type {room_type_id} already")
        rates = self.rate_plans[stay["rate_plan_id"]]["nightly_cents"]
        if basis == "paid":
            if room_type_id not in rates:
                return _fail(f"Plan {stay['rate_plan_id']} has no rate for type {room_type_id}")
        elif error := self._upgrade_error(stay, room_type_id, basis, voucher_id):
            return _fail(error)
        if error := self._sale_error(room_type_id, _nights(stay["arrival"], stay["departure"])):
            return _fail(error)
        if basis == "paid":
            stay["booked_type_id"] = room_type_id
            stay["nightly_cents"] = rates[room_type_id]
        if basis == "voucher":
            self.vouchers[str(voucher_id)]["status"] = "used"
        stay["room_type_id"] = room_type_id
        stay["room_id"] = None
        return {"success": True, "nightly_cents": stay["nightly_cents"]}

    def assign_room(self, reservation_id: str, room_id: str) -> dict[str, Any]:
        """Set the room of a booked stay, or move a guest in house to another room at once.

        The room that a guest in house leaves is dirty and gets a departure task.

        Args:
            reservation_id: The reservation.
            room_id: The room number.
        """
        if error := self._not_in(reservation_id, "booked", "in_house") or self._unknown(
            rooms=room_id
        ):
            return _fail(error)
        stay, room = self.reservations[reservation_id], self.rooms[room_id]
        left = stay["room_id"]
        if room_id == left:
            return _fail(f"Reservation {reservation_id} has room {room_id} already")
        if room["room_type_id"] != stay["room_type_id"]:
            return _fail(f"Room {room_id} is not of the reserved type {stay['room_type_id']}")
        nights = _nights(max(stay["arrival"], _today()), stay["departure"])
        if error := self._room_error(room_id, nights, reservation_id):
            return _fail(error)
        if stay["status"] == "in_house" and left is not None:
            if error := self._entry_error(room_id):
                return _fail(error)
            self._vacate(left)
        stay["room_id"] = room_id
        return {"success": True, "reservation_id": reservation_id, "room_id": room_id}

    def check_in(self, reservation_id: str) -> dict[str, Any]:
        """Check a guest in on the arrival day, into the room that is assigned.

        Args:
            reservation_id: The booked reservation.
        """
        if error := self._not_in(reservation_id, "booked"):
            return _fail(error)
        stay = self.reservations[reservation_id]
        if stay["arrival"] != _today():
            return _fail(f"Reservation {reservation_id} arrives on {stay['arrival']}, not today")
        if stay["room_id"] is None:
            return _fail(f"Reservation {reservation_id} has no room assigned")
        if error := self._entry_error(stay["room_id"]):
            return _fail(error)
        stay["status"] = "in_house"
        return {"success": True, "reservation_id": reservation_id, "room_id": stay["room_id"]}

    def check_out(self, reservation_id: str) -> dict[str, Any]:
        """Check a guest out on the departure day; the room is dirty and gets a departure task.

        Args:
            reservation_id: The reservation in house, all its folios balanced.
        """
        if error := self._not_in(reservation_id, "in_house"):
            return _fail(error)
        stay = self.reservations[reservation_id]
        if stay["departure"] != _today():
            return _fail(f"Reservation {reservation_id} departs on {stay['departure']}, not today")
        if error := self._end(reservation_id, "checked_out"):
            return _fail(error)
        task_id = self._vacate(str(stay["room_id"]))
        return {"success": True, "reservation_id": reservation_id, "task_id": task_id}

    def cancel_reservation(self, reservation_id: str) -> dict[str, Any]:
        """Cancel a booked reservation and close its folios.

        Args:
            reservation_id: The booked reservation, all its folios balanced.
        """
        if error := self._not_in(reservation_id, "booked"):
            return _fail(error)
        arrival = self.reservations[reservation_id]["arrival"]
        if error := self._notice_error(reservation_id, arrival) or self._end(
            reservation_id, "cancelled"
        ):
            return _fail(error)
        return {"success": True, "reservation_id": reservation_id, "status": "cancelled"}

    def walk_guest(self, reservation_id: str) -> dict[str, Any]:
        """Send an arriving guest to a partner hotel, with a voucher for one rank as an apology.

        Args:
            reservation_id: The booked reservation that arrives today, all its folios balanced.
        """
        if error := self._not_in(reservation_id, "booked"):
            return _fail(error)
        stay = self.reservations[reservation_id]
        if error := self._walk_error(stay) or self._end(reservation_id, "walked"):
            return _fail(error)
        voucher_id = self._new_id("VCH")
        self.vouchers[voucher_id] = {
            "guest_id": stay["guest_id"],
            "ranks": 1,
            "valid_until": (datetime.now().date() + timedelta(days=VOUCHER_DAYS)).isoformat(),
            "status": "unused",
        }
        return {"success": True, "reservation_id": reservation_id, "voucher_id": voucher_id}

    def set_allotment(self, group_id: str, rooms: int) -> dict[str, Any]:
        """Set how many rooms a group has on each of its nights, up to its cut-off day.

        Args:
            group_id: The group.
            rooms: The new number of rooms per night, not below its peak use.
        """
        if error := self._unknown(groups=group_id):
            return _fail(error)
        group = self.groups[group_id]
        if _today() > group["cutoff_on"]:
            return _fail(f"The cut-off day of group {group_id}, {group['cutoff_on']}, has passed")
        if rooms == group["rooms"] or rooms < self._peak_use(group_id):
            return _fail(f"{rooms} is the allotment already or below its peak use")
        for night in _nights(group["arrival"], group["departure"]):
            free = self._inventory(group["room_type_id"], night)["free"]
            if rooms - group["rooms"] > max(free, 0):
                return _fail(f"Rooms free for more on {night}: {max(free, 0)}")
        group["rooms"] = rooms
        return {"success": True, "group_id": group_id, "rooms": rooms}

    # Folios

    def post(
        self, folio_id: str, kind: Charge | Settlement, cents: int, text: str
    ) -> dict[str, Any]:
        """Post a charge, a payment (card, cash or invoice) or a refund to an open folio.

        Args:
            folio_id: The folio.
            kind: What is posted; fee is for nights given up at short notice.
            cents: The amount in euro cents, always positive.
            text: What the bill says.
        """
        if error := self._folio_error(folio_id, kind):
            return _fail(error)
        if not 1 <= cents <= MAX_CENTS:
            return _fail(f"{cents} is not an amount between 1 and {MAX_CENTS} cents")
        balance = self._balance(folio_id)
        if kind in ("card", "cash", "invoice"):
            if cents > balance:
                return _fail(f"Only {balance} cents are owed on folio {folio_id}")
            signed = -cents
        elif kind == "refund" and cents > -balance:
            return _fail(f"Folio {folio_id} has no credit of {cents} cents: it owes {balance}")
        else:
            signed = cents
        posting_id = self._new_id("PST")
        self.postings[posting_id] = {
            "folio_id": folio_id,
            "kind": kind,
            "cents": signed,
            "posted_on": _today(),
            "text": text,
        }
        return {"success": True, "posting_id": posting_id, "balance_cents": balance + signed}

    def move_posting(self, posting_id: str, folio_id: str) -> dict[str, Any]:
        """Move a charge from its open folio to another open folio, of the same stay or not.

        Args:
            posting_id: The charge; payments and refunds are not moved.
            folio_id: The folio that gets it.
        """
        if error := self._unknown(postings=posting_id):
            return _fail(error)
        posting = self.postings[posting_id]
        if posting["kind"] not in get_args(Charge):
            return _fail(f"Posting {posting_id} is a {posting['kind']}, not a charge")
        if posting["folio_id"] == folio_id:
            return _fail(f"Posting {posting_id} is on folio {folio_id} already")
        for end_id in (posting["folio_id"], folio_id):
            if error := self._folio_error(end_id, posting["kind"]):
                return _fail(error)
        posting["folio_id"] = folio_id
        return {"success": True, "balance_cents": self._balance(folio_id)}

    # Rooms, housekeeping and declined requests

    def assign_task(self, task_id: str, attendant_id: str) -> dict[str, Any]:
        """Give an open cleaning task to an attendant, in place of any other.

        Args:
            task_id: The task.
            attendant_id: The attendant; a stayover counts 1 credit, a departure 2, a deep clean 4.
        """
        if error := self._unknown(tasks=task_id, attendants=attendant_id):
            return _fail(error)
        task, attendant = self.tasks[task_id], self.attendants[attendant_id]
        if task["status"] != "open" or task["attendant_id"] == attendant_id:
            return _fail(f"Task {task_id} is done, or {attendant['name']} has it already")
        floor = self.rooms[task["room_id"]]["floor"]
        if floor not in attendant["floors"]:
            return _fail(f"{attendant['name']} does not work on floor {floor}")
        load = self._credits(attendant_id, task["due_on"])
        if load + CREDITS[task["kind"]] > DAILY_CREDITS:
            return _fail(f"{attendant['name']} has {load} of {DAILY_CREDITS} credits that day")
        task["attendant_id"] = attendant_id
        return {"success": True, "credits": load + CREDITS[task["kind"]]}

    def decline_request(self, subject_id: str, reason: Reason) -> dict[str, Any]:
        """Record that something asked for was declined, and why.

        Args:
            subject_id: The reservation, group, posting or task that the request was about.
            reason: The first of these that applies. sold_out: no room of the type is free.
                past_cutoff: the group's allotment is closed. not_refundable: the rate plan.
                not_entitled: no ground for an upgrade. not_covered: the company does not pay for
                it. member_not_walked: Gold or Platinum. room_taken: blocked, or another guest's.
                workload_full: the attendant's credits.
        """
        subjects = (self.reservations, self.groups, self.postings, self.tasks)
        if not any(subject_id in records for records in subjects):
            return _fail(f"There is no record {subject_id!r} to decline anything about")
        for decline in _rows("decline_id", self.declines, subject_id=subject_id, reason=reason):
            return _fail(f"Decline {decline['decline_id']} records this already")
        decline_id = self._new_id("DEC")
        self.declines[decline_id] = {
            "subject_id": subject_id,
            "reason": reason,
            "logged_at": datetime.now().isoformat(timespec="seconds"),
        }
        return {"success": True, "decline_id": decline_id}

    # Rules

    def _unknown(self, **ids: str) -> str | None:
        """The error about the first id that its collection, the argument's name, lacks."""
        for collection, record_id in ids.items():
            if record_id not in getattr(self, collection):
                return f"There is no {record_id!r} among the {collection.replace('_', ' ')}"
        return None

    def _not_in(self, reservation_id: str, *statuses: ReservationStatus) -> str | None:
        """The error about a reservation that is missing or has none of the statuses."""
        if error := self._unknown(reservations=reservation_id):
            return error
        status = self.reservations[reservation_id]["status"]
        if status not in statuses:
            return f"Reservation {reservation_id} is {status}, not {' or '.join(statuses)}"
        return None

    def _new_id(self, prefix: str) -> str:
        number = self.next_number
        self.next_number += 1
        return f"{prefix}-{number}"

    def _live_stays(self, night: str | None = None, **wanted: object) -> list[dict[str, Any]]:
        """The stays that are booked or in house, on the night if one is given."""
        return [
            row
            for row in _rows("reservation_id", self.reservations, **wanted)
            if row["status"] in ("booked", "in_house")
            and (night is None or row["arrival"] <= night < row["departure"])
        ]

    def _blocked(self, room_id: str, night: str) -> bool:
        return any(
            block["first_night"] <= night <= block["last_night"]
            for block in _rows("block_id", self.blocks, room_id=room_id)
        )

    def _held(self, group_id: str, night: str) -> int:
        """The rooms that the group's allotment still holds on the night."""
        group = self.groups[group_id]
        if _today() > group["cutoff_on"] or not group["arrival"] <= night < group["departure"]:
            return 0
        return max(0, group["rooms"] - self._in_use(group, night))

    def _in_use(self, group: Group, night: str) -> int:
        plan_id, type_id = group["rate_plan_id"], group["room_type_id"]
        return len(self._live_stays(night, rate_plan_id=plan_id, room_type_id=type_id))

    def _peak_use(self, group_id: str) -> int:
        group = self.groups[group_id]
        nights = _nights(group["arrival"], group["departure"])
        return max(self._in_use(group, night) for night in nights)

    def _inventory(self, room_type_id: str, night: str) -> dict[str, int]:
        """The rooms of a type in service, sold, held for groups and free on the night."""
        in_service = sum(
            room["room_type_id"] == room_type_id and not self._blocked(room_id, night)
            for room_id, room in self.rooms.items()
        )
        sold = len(self._live_stays(night, room_type_id=room_type_id))
        held = sum(
            self._held(group_id, night)
            for group_id, group in self.groups.items()
            if group["room_type_id"] == room_type_id
        )
        free = in_service - sold - held
        return {"in_service": in_service, "sold": sold, "held": held, "free": free}

    def _sellable(self, rate_plan_id: str, room_type_id: str, nights: list[str]) -> int:
        """The rooms that the plan can sell for all of the nights, by what holds on the worst."""
        groups = _rows("group_id", self.groups, rate_plan_id=rate_plan_id)
        return max(
            0,
            min(
                self._held(groups[0]["group_id"], night)
                if groups
                else self._inventory(room_type_id, night)["free"]
                for night in nights
            ),
        )

    def _credits(self, attendant_id: str, day: str) -> int:
        tasks = _rows("task_id", self.tasks, attendant_id=attendant_id, due_on=day)
        return sum(CREDITS[task["kind"]] for task in tasks)

    def _sale_error(
        self, room_type_id: str, nights: list[str], rate_plan_id: str | None = None
    ) -> str | None:
        """Why one more room cannot be sold on the nights; a group's plan sells its allotment."""
        plan_groups = [
            group_id
            for group_id, group in self.groups.items()
            if group["rate_plan_id"] == rate_plan_id
        ]
        for night in nights:
            for group_id in plan_groups:
                if self._held(group_id, night) < 1:
                    return (
                        f"Group {group_id} holds no room at its rate on {night} (see its cut-off)"
                    )
            if not plan_groups and self._inventory(room_type_id, night)["free"] < 1:
                return f"Room type {room_type_id} is sold out on {night}"
        return None

    def _room_error(
        self, room_id: str, nights: list[str], reservation_id: str | None = None
    ) -> str | None:
        """Why the room cannot be given away on the nights; the reservation may have it already."""
        for night in nights:
            if self._blocked(room_id, night):
                return f"Room {room_id} is out of service on {night}"
            for stay in self._live_stays(night, room_id=room_id):
                if stay["reservation_id"] != reservation_id:
                    return f"Room {room_id} is {stay['reservation_id']}'s on {night}"
        return None

    def _entry_error(self, room_id: str) -> str | None:
        """Why nobody can move into the room now."""
        for stay in _rows("reservation_id", self.reservations, room_id=room_id, status="in_house"):
            return f"Reservation {stay['reservation_id']} has not left room {room_id}"
        condition = self.rooms[room_id]["condition"]
        return None if condition == "inspected" else f"Room {room_id} is {condition}, not inspected"

    def _vacate(self, room_id: str) -> str:
        """Leave the room to housekeeping; the id of its departure task."""
        self.rooms[room_id]["condition"] = "dirty"
        task_id = self._new_id("TSK")
        self.tasks[task_id] = {
            "room_id": room_id,
            "kind": "departure",
            "due_on": _today(),
            "attendant_id": None,
            "status": "open",
        }
        return task_id

    def _notice_error(self, reservation_id: str, first_given_up: str) -> str | None:
        """Why the nights from the given one on cannot be given up today."""
        stay = self.reservations[reservation_id]
        notice = self.rate_plans[stay["rate_plan_id"]]["cancel_days"]
        if notice is None:
            return f"Rate plan {stay['rate_plan_id']} is not refundable: no nights are given up"
        late = _days_between(_today(), first_given_up) < notice
        fees = [
            posting["cents"]
            for folio in _rows("folio_id", self.folios, reservation_id=reservation_id)
            for posting in self.postings.values()
            if posting["folio_id"] == folio["folio_id"] and posting["kind"] == "fee"
        ]
        if late and stay["nightly_cents"] not in fees:
            return (
                f"The plan's cancel_days are {notice}; at this notice, first post the fee of one "
                f"night, {stay['nightly_cents']} cents"
            )
        return None

    def _upgrade_error(
        self, stay: Reservation, room_type_id: str, basis: Basis, voucher_id: str | None
    ) -> str | None:
        """Why the reservation cannot go to the room type at its old rate."""
        booked, wanted = (self.room_types[t] for t in (stay["booked_type_id"], room_type_id))
        ranks = wanted["rank"] - booked["rank"]
        if ranks < 1:
            return f"{wanted['name']} is no upgrade from {booked['name']}"
        if basis == "oversold":
            for night in _nights(stay["arrival"], stay["departure"]):
                if self._inventory(stay["room_type_id"], night)["free"] < 0:
                    return None
            return f"Room type {stay['room_type_id']} is not oversold during the stay"
        allowed = LOYALTY_RANKS[self.guests[stay["guest_id"]]["tier"]]
        if basis == "voucher":
            voucher = self.vouchers.get(str(voucher_id))
            if voucher is None or voucher["guest_id"] != stay["guest_id"]:
                return f"The guest has no voucher {voucher_id!r}"
            if voucher["status"] == "used" or voucher["valid_until"] < stay["arrival"]:
                return f"Voucher {voucher_id} is used, or not valid on {stay['arrival']}"
            allowed = voucher["ranks"]
        if ranks > allowed:
            return f"Ranks above the type booked: {ranks}; those the {basis} gives: {allowed}"
        return None

    def _walk_error(self, stay: Reservation) -> str | None:
        """Why the guest cannot be walked."""
        tier = self.guests[stay["guest_id"]]["tier"]
        if tier in ("gold", "platinum"):
            return f"The guest is a {tier} member and is not walked"
        own = self.room_types[stay["room_type_id"]]
        if stay["arrival"] != _today():
            return f"The guest arrives on {stay['arrival']}, not today"
        if self._inventory(stay["room_type_id"], _today())["free"] >= 0:
            return f"{own['name']} is not oversold tonight"
        nights = _nights(stay["arrival"], stay["departure"])
        for other_id, other in self.room_types.items():
            if other["rank"] > own["rank"] and self._sale_error(other_id, nights) is None:
                return f"{other['name']} is free for the whole stay; upgrade the guest instead"
        return None

    def _balance(self, folio_id: str) -> int:
        """What is owed on the folio in cents; below zero the hotel owes it."""
        return sum(row["cents"] for row in _rows("posting_id", self.postings, folio_id=folio_id))

    def _folio_error(self, folio_id: str, kind: Charge | Settlement) -> str | None:
        """Why the folio cannot take, or give up, a posting of this kind."""
        if error := self._unknown(folios=folio_id):
            return error
        folio = self.folios[folio_id]
        company = folio["company"]
        if folio["status"] == "closed":
            return f"Folio {folio_id} is closed"
        if kind in get_args(Charge) and kind not in folio["covers"]:
            return f"{company} does not cover {kind} on folio {folio_id}"
        if company is None and kind == "invoice":
            return f"Folio {folio_id} is the guest's own and takes no invoice"
        if company is not None and kind in ("card", "cash"):
            return f"Folio {folio_id} of {company} is settled by invoice"
        return None

    def _end(self, reservation_id: str, status: ReservationStatus) -> str | None:
        """Close a stay and its folios, or say which folio does not balance."""
        folio_ids = [
            row["folio_id"] for row in _rows("folio_id", self.folios, reservation_id=reservation_id)
        ]
        for folio_id in folio_ids:
            if balance := self._balance(folio_id):
                return f"Folio {folio_id} does not balance: {balance} cents are owed"
        for folio_id in folio_ids:
            self.folios[folio_id]["status"] = "closed"
        self.reservations[reservation_id]["status"] = status
        return None
