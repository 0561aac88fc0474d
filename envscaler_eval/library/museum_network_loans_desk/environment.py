"""Museum network loans desk: objects, venues, loans, couriers and transports."""

from datetime import date, datetime
from typing import Literal, TypedDict

Material = Literal["painting", "paper", "textile", "ceramic", "metal", "wood"]
Climate = Literal["basic", "steady", "strict"]
Condition = Literal["good", "fair", "unfit"]
Reason = Literal["dates", "climate", "light", "indemnity", "condition", "withdrawn"]
Direction = Literal["out", "back"]

CLIMATES = ("basic", "steady", "strict")  # from the least to the most steady
PROMISED = ("agreed", "away")  # items that bind an object to a loan
GAP_DAYS = 14  # between two loans of an object
HANDLING_DAYS = 14  # for the journey before the opening and after the closing
EXAMINATION_DAYS = 30
ESCORTED_FROM = 200_000  # euros


class Venue(TypedDict):
    """A museum of the network."""

    name: str
    town: str
    climate: Climate
    lux: int
    indemnity: int


class MuseumObject(TypedDict):
    """An object, what it needs, and its last condition report."""

    title: str
    maker: str
    material: Material
    owner: str
    value: int
    climate: Climate
    max_lux: int
    condition: Condition
    examined_on: str
    condition_note: str


class Loan(TypedDict):
    """A loan of objects to an exhibition."""

    venue: str
    exhibition: str
    opens: str
    closes: str


class LoanItem(TypedDict):
    """An object that a loan has asked for."""

    loan: str
    object: str
    status: Literal["asked", "agreed", "declined", "away", "returned"]
    reason: Reason | None


class Courier(TypedDict):
    """A person who may travel with objects."""

    name: str
    base: str
    trained_for: list[Material]


class Transport(TypedDict):
    """A journey of objects of one loan."""

    items: list[str]
    direction: Direction
    day: str
    courier: str | None
    status: Literal["booked", "completed", "cancelled"]


def _fail(error: str) -> dict:
    return {"success": False, "error": error}


def _day_problem(text: str) -> str | None:
    """Say that a text is no day in the form YYYY-MM-DD, or return None."""
    try:
        well_formed = date.fromisoformat(text).isoformat() == text
    except ValueError:
        well_formed = False
    return None if well_formed else f"{text!r} is not a day in the form YYYY-MM-DD"


def _days_between(earlier: str, later: str) -> int:
    """Count the days from one day to another; below zero when they are the other way round."""
    return (date.fromisoformat(later) - date.fromisoformat(earlier)).days


def _in_window(direction: str, day: str, opens: str, closes: str) -> bool:
    """Tell whether objects may travel on a day: shortly before the opening or after the closing."""
    if direction == "out":
        return 0 <= _days_between(day, opens) <= HANDLING_DAYS
    return 0 <= _days_between(closes, day) <= HANDLING_DAYS


class LoansDesk:
    """The loans desk of a network of museums."""

    def __init__(self, init_config: dict) -> None:
        self.venues: dict[str, Venue] = {}
        self.objects: dict[str, MuseumObject] = {}
        self.loans: dict[str, Loan] = {}
        self.loan_items: dict[str, LoanItem] = {}
        self.couriers: dict[str, Courier] = {}
        self.transports: dict[str, Transport] = {}
        self.next_loan: int = 1
        self.next_item: int = 1
        self.next_transport: int = 1

    def _today(self) -> str:
        return datetime.now().date().isoformat()

    def _items_of(self, loan_id: str, statuses: tuple[str, ...] = ()) -> list[str]:
        """The items of a loan, of all statuses or of some."""
        return sorted(
            key
            for key, item in self.loan_items.items()
            if item["loan"] == loan_id and (not statuses or item["status"] in statuses)
        )

    def _transports_of(self, loan_id: str) -> list[str]:
        """The transports of a loan, of all statuses."""
        items = set(self._items_of(loan_id))
        return sorted(key for key, t in self.transports.items() if items & set(t["items"]))

    def _booking_of(self, item_id: str) -> str | None:
        """The transport that is booked for an item, if there is one."""
        for key, transport in self.transports.items():
            if transport["status"] == "booked" and item_id in transport["items"]:
                return key
        return None

    def _days_of(self, courier_id: str) -> list[str]:
        """The days on which a courier travels, cancelled transports aside."""
        return sorted(
            t["day"]
            for t in self.transports.values()
            if t["courier"] == courier_id and t["status"] != "cancelled"
        )

    def _clash(self, object_id: str, loan_id: str, opens: str, closes: str) -> str | None:
        """Say which other loan holds an object too near a period, or return None."""
        for key in sorted(self.loan_items):
            item = self.loan_items[key]
            if (
                item["object"] != object_id
                or item["loan"] == loan_id
                or item["status"] not in PROMISED
            ):
                continue
            other = self.loans[item["loan"]]
            if (
                _days_between(other["closes"], opens) < GAP_DAYS
                and _days_between(closes, other["opens"]) < GAP_DAYS
            ):
                return (
                    f"{object_id} is promised to {item['loan']} from {other['opens']} to "
                    f"{other['closes']}, and {GAP_DAYS} days must lie between two loans"
                )
        return None

    def _insured(self, loan_id: str) -> int:
        """The value of all objects that are promised to a loan or away on it."""
        items = self._items_of(loan_id, PROMISED)
        return sum(self.objects[self.loan_items[key]["object"]]["value"] for key in items)

    def _room(self, loan_id: str, opens: str, closes: str) -> int:
        """What the venue's indemnity has left on the fullest day, were this a loan's period."""
        venue_id = self.loans[loan_id]["venue"]
        others = [
            (loan["opens"], loan["closes"], self._insured(key))
            for key, loan in self.loans.items()
            if key != loan_id
            and loan["venue"] == venue_id
            and loan["opens"] <= closes
            and opens <= loan["closes"]
        ]
        # The sum rises only where a loan opens.
        days = {opens, *(first for first, _, _ in others if first > opens)}
        fullest = max(
            sum(value for first, last, value in others if first <= day <= last) for day in days
        )
        return self.venues[venue_id]["indemnity"] - fullest - self._insured(loan_id)

    def find_objects(
        self, text: str = "", owner: str | None = None, condition: Condition | None = None
    ) -> dict:
        """List objects with their owner, value, needs and last condition report, sorted by id.

        Args:
            text: A part of the title or of the maker's name, in any case; empty for all.
            owner: Only objects of this museum, such as V-2; null for all.
            condition: Only objects that were last found in this condition; null for all.
        """
        if owner is not None and owner not in self.venues:
            return _fail(f"There is no venue {owner}")
        found = [
            {"object_id": key, **thing}
            for key, thing in sorted(self.objects.items())
            if text.strip().lower() in f"{thing['title']} {thing['maker']}".lower()
            and owner in (None, thing["owner"])
            and condition in (None, thing["condition"])
        ]
        return {"success": True, "objects": found}

    def find_venues(
        self, text: str = "", climate: Climate | None = None, lux: int | None = None
    ) -> dict:
        """List venues with their climate, light and indemnity, sorted by id.

        Args:
            text: A part of the name or of the town, in any case; empty for all.
            climate: Only venues whose climate is at least this steady; null for all.
            lux: Only venues whose galleries can be dimmed to this level, at least 1; null for all.
        """
        if lux is not None and lux < 1:
            return _fail(f"{lux} is no light level; give 1 lux or more")
        found = [
            {"venue_id": key, **venue}
            for key, venue in sorted(self.venues.items())
            if text.strip().lower() in f"{venue['name']} {venue['town']}".lower()
            and (climate is None or CLIMATES.index(venue["climate"]) >= CLIMATES.index(climate))
            and (lux is None or venue["lux"] <= lux)
        ]
        return {"success": True, "venues": found}

    def find_loans(
        self, text: str = "", venue_id: str | None = None, object_id: str | None = None
    ) -> dict:
        """List loans with their period and their items, sorted by opening day.

        Args:
            text: A part of the exhibition's title, in any case; empty for all.
            venue_id: Only loans to this venue, such as V-2; null for all.
            object_id: Only loans that have asked for this object, such as OB-14; null for all.
        """
        if venue_id is not None and venue_id not in self.venues:
            return _fail(f"There is no venue {venue_id}")
        if object_id is not None and object_id not in self.objects:
            return _fail(f"There is no object {object_id}")
        found = []
        for key, loan in sorted(self.loans.items(), key=lambda one: (one[1]["opens"], one[0])):
            items = [
                {
                    "item_id": item_id,
                    "object_id": self.loan_items[item_id]["object"],
                    "status": self.loan_items[item_id]["status"],
                }
                for item_id in self._items_of(key)
            ]
            if (
                text.strip().lower() in loan["exhibition"].lower()
                and venue_id in (None, loan["venue"])
                and (object_id is None or any(i["object_id"] == object_id for i in items))
            ):
                found.append({"loan_id": key, **loan, "items": items})
        return {"success": True, "loans": found}

    def get_loan(self, loan_id: str) -> dict:
        """Give a loan in full: its items, its transports, and the indemnity left in its period.

        Args:
            loan_id: The loan, such as LN-2.
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _fail(f"There is no loan {loan_id}")
        items = []
        for key in self._items_of(loan_id):
            item = self.loan_items[key]
            thing = self.objects[item["object"]]
            items.append(
                {
                    "item_id": key,
                    "object_id": item["object"],
                    "title": thing["title"],
                    "value": thing["value"],
                    "status": item["status"],
                    "reason": item["reason"],
                }
            )
        transports = [
            {
                "transport_id": key,
                **self.transports[key],
                "items": list(self.transports[key]["items"]),
            }
            for key in self._transports_of(loan_id)
        ]
        return {
            "success": True,
            "loan_id": loan_id,
            **loan,
            "items": items,
            "transports": transports,
            "indemnity_left": self._room(loan_id, loan["opens"], loan["closes"]),
        }

    def find_couriers(self, material: Material | None = None, free_on: str | None = None) -> dict:
        """List couriers with their training and the days on which they travel, sorted by id.

        Args:
            material: Only couriers who are trained for this material; null for all.
            free_on: Only couriers who do not travel on this day, YYYY-MM-DD; null for all.
        """
        if free_on is not None and (problem := _day_problem(free_on)):
            return _fail(problem)
        found = [
            {
                "courier_id": key,
                "name": courier["name"],
                "base": courier["base"],
                "trained_for": list(courier["trained_for"]),
                "travels_on": self._days_of(key),
            }
            for key, courier in sorted(self.couriers.items())
            if (material is None or material in courier["trained_for"])
            and free_on not in self._days_of(key)
        ]
        return {"success": True, "couriers": found}

    def open_loan(self, venue_id: str, exhibition: str, opens: str, closes: str) -> dict:
        """Open a loan to an exhibition, to which objects are added afterwards.

        Args:
            venue_id: Where the exhibition is, such as V-2.
            exhibition: Its title, which the venue has not used yet.
            opens: The first day of the loan's period, YYYY-MM-DD, today or later.
            closes: The last day of the loan's period, YYYY-MM-DD, after the first.
        """
        title = exhibition.strip()
        if venue_id not in self.venues:
            return _fail(f"There is no venue {venue_id}")
        if not title:
            return _fail("Give the title of the exhibition")
        if problem := _day_problem(opens) or _day_problem(closes):
            return _fail(problem)
        if opens < self._today():
            return _fail(f"{opens} is in the past; a loan opens today or later")
        if closes <= opens:
            return _fail(f"The loan must close after it opens on {opens}")
        for key, loan in sorted(self.loans.items()):
            if loan["venue"] == venue_id and loan["exhibition"].lower() == title.lower():
                return _fail(f"{venue_id} has a loan for '{loan['exhibition']}' already, {key}")
        loan_id = f"LN-{self.next_loan}"
        self.loans[loan_id] = {
            "venue": venue_id,
            "exhibition": title,
            "opens": opens,
            "closes": closes,
        }
        self.next_loan += 1
        return {"success": True, "loan_id": loan_id}

    def request_object(self, loan_id: str, object_id: str) -> dict:
        """Put an object on a loan as asked for, to be agreed or declined.

        Args:
            loan_id: The loan, such as LN-2; it is not over.
            object_id: The object, such as OB-14; it is not the venue's own.
        """
        loan, thing = self.loans.get(loan_id), self.objects.get(object_id)
        if loan is None:
            return _fail(f"There is no loan {loan_id}")
        if thing is None:
            return _fail(f"There is no object {object_id}")
        if loan["closes"] < self._today():
            return _fail(f"Loan {loan_id} closed on {loan['closes']}")
        if thing["owner"] == loan["venue"]:
            return _fail(f"{object_id} belongs to {loan['venue']} itself, and needs no loan")
        for key in self._items_of(loan_id, ("asked", *PROMISED)):
            if self.loan_items[key]["object"] == object_id:
                status = self.loan_items[key]["status"]
                return _fail(f"{object_id} is on loan {loan_id} already, as {key}, {status}")
        item_id = f"LI-{self.next_item}"
        self.loan_items[item_id] = {
            "loan": loan_id,
            "object": object_id,
            "status": "asked",
            "reason": None,
        }
        self.next_item += 1
        return {"success": True, "item_id": item_id}

    def agree_item(self, item_id: str) -> dict:
        """Promise an object to the loan that has asked for it.

        Args:
            item_id: The item of the loan, such as LI-6; it is asked for.
        """
        item = self.loan_items.get(item_id)
        if item is None:
            return _fail(f"There is no item {item_id}")
        if item["status"] != "asked":
            return _fail(f"Item {item_id} is {item['status']}, not asked for")
        object_id, loan_id = item["object"], item["loan"]
        thing, loan = self.objects[object_id], self.loans[loan_id]
        venue = self.venues[loan["venue"]]
        if loan["closes"] < self._today():
            return _fail(f"Loan {loan_id} closed on {loan['closes']}")
        if problem := self._clash(object_id, loan_id, loan["opens"], loan["closes"]):
            return _fail(problem)
        if CLIMATES.index(venue["climate"]) < CLIMATES.index(thing["climate"]):
            return _fail(f"{object_id} needs a {thing['climate']} climate, not {venue['climate']}")
        if venue["lux"] > thing["max_lux"]:
            return _fail(f"{object_id} bears {thing['max_lux']} lux; there it is {venue['lux']}")
        left = self._room(loan_id, loan["opens"], loan["closes"]) - thing["value"]
        if left < 0:
            return _fail(f"{object_id} would exceed the venue's indemnity by {-left} euros")
        item["status"] = "agreed"
        return {"success": True, "item_id": item_id, "status": "agreed", "indemnity_left": left}

    def decline_item(self, item_id: str, reason: Reason) -> dict:
        """Decline an object that is asked for, or take back a promise.

        Args:
            item_id: The item of the loan, such as LI-6; no transport is booked for it.
            reason: What stands in the way, or `withdrawn` if it is no longer wanted.
        """
        item = self.loan_items.get(item_id)
        if item is None:
            return _fail(f"There is no item {item_id}")
        if item["status"] not in ("asked", "agreed"):
            return _fail(f"Item {item_id} is {item['status']}, and can no longer be declined")
        booking = self._booking_of(item_id)
        if booking is not None:
            return _fail(f"Transport {booking} is booked for {item_id}; cancel it first")
        item["status"] = "declined"
        item["reason"] = reason
        return {"success": True, "item_id": item_id, "status": "declined", "reason": reason}

    def move_loan(self, loan_id: str, opens: str, closes: str) -> dict:
        """Give a loan another period, provided that its objects, transports and indemnity allow it.

        Args:
            loan_id: The loan, such as LN-2; it is not over.
            opens: The first day, YYYY-MM-DD; unchanged, or today or later while no object is away.
            closes: The last day, YYYY-MM-DD, today or later and after the first.
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _fail(f"There is no loan {loan_id}")
        if problem := _day_problem(opens) or _day_problem(closes):
            return _fail(problem)
        today = self._today()
        if min(loan["closes"], closes) < today:
            return _fail(f"Loan {loan_id} is over, or would be: today is {today}")
        if closes <= opens:
            return _fail(f"The loan must close after it opens on {opens}")
        if opens != loan["opens"] and (opens < today or self._items_of(loan_id, ("away",))):
            return _fail(f"The opening of {loan_id} on {loan['opens']} can no longer be moved so")
        for key in self._transports_of(loan_id):
            transport = self.transports[key]
            if transport["status"] == "booked" and not _in_window(
                transport["direction"], transport["day"], opens, closes
            ):
                return _fail(f"Transport {key} on {transport['day']} would not fit; cancel it")
        for key in self._items_of(loan_id, PROMISED):
            if problem := self._clash(self.loan_items[key]["object"], loan_id, opens, closes):
                return _fail(problem)
        left = self._room(loan_id, opens, closes)
        if left < 0:
            return _fail(f"The venue's indemnity would be exceeded by {-left} euros")
        loan["opens"] = opens
        loan["closes"] = closes
        return {"success": True, "loan_id": loan_id, "opens": opens, "closes": closes}

    def record_condition(self, object_id: str, condition: Condition, note: str) -> dict:
        """Record that an object was examined today, which replaces its last condition report.

        Args:
            object_id: The object, such as OB-14.
            condition: What was found; `good` and `fair` are fit to travel.
            note: What the report says, in a few words.
        """
        thing = self.objects.get(object_id)
        if thing is None:
            return _fail(f"There is no object {object_id}")
        if not note.strip():
            return _fail("Say in the note what the examination found")
        thing["condition"] = condition
        thing["examined_on"] = self._today()
        thing["condition_note"] = note.strip()
        return {
            "success": True,
            "object_id": object_id,
            "condition": condition,
            "examined_on": thing["examined_on"],
        }

    def book_transport(
        self, item_ids: list[str], direction: Direction, day: str, courier_id: str | None = None
    ) -> dict:
        """Book a journey for items of one loan, to the venue or back to their owners.

        Promised items go out in the 14 days up to the opening; items that are away come back in
        the 14 days from the closing day.

        Args:
            item_ids: The items that travel together, such as LI-6.
            direction: `out` to the venue or `back` from it.
            day: The day of the journey, YYYY-MM-DD, today or later.
            courier_id: Who travels with them, such as C-3; null for nobody.
        """
        if not item_ids or len(set(item_ids)) < len(item_ids):
            return _fail("Name at least one item, and each once")
        wanted = "agreed" if direction == "out" else "away"
        for item_id in item_ids:
            item = self.loan_items.get(item_id)
            if item is None:
                return _fail(f"There is no item {item_id}")
            if item["loan"] != self.loan_items[item_ids[0]]["loan"]:
                return _fail("The items are of different loans; book a transport for each")
            if item["status"] != wanted:
                return _fail(f"{item_id} is {item['status']}; {wanted} items travel {direction}")
            booking = self._booking_of(item_id)
            if booking is not None:
                return _fail(f"Transport {booking} is booked for {item_id} already")
        if problem := _day_problem(day):
            return _fail(problem)
        if day < self._today():
            return _fail(f"{day} is in the past")
        loan = self.loans[self.loan_items[item_ids[0]]["loan"]]
        opens, closes = loan["opens"], loan["closes"]
        if not _in_window(direction, day, opens, closes):
            return _fail(f"{day} is not in the {HANDLING_DAYS} days up to {opens} or from {closes}")
        if courier_id is not None and courier_id not in self.couriers:
            return _fail(f"There is no courier {courier_id}")
        for object_id in [self.loan_items[item_id]["object"] for item_id in item_ids]:
            thing = self.objects[object_id]
            if direction == "out" and thing["condition"] == "unfit":
                return _fail(f"{object_id} was found unfit to travel on {thing['examined_on']}")
            if direction == "out" and _days_between(thing["examined_on"], day) > EXAMINATION_DAYS:
                last = thing["examined_on"]
                return _fail(f"{object_id} was last examined on {last}, too long before {day}")
            trained = self.couriers[courier_id]["trained_for"] if courier_id is not None else []
            if thing["value"] >= ESCORTED_FROM and thing["material"] not in trained:
                return _fail(f"{object_id} needs a courier who is trained for {thing['material']}")
        if courier_id is not None and day in self._days_of(courier_id):
            return _fail(f"{courier_id} travels with another transport on {day}")
        transport_id = f"TR-{self.next_transport}"
        self.transports[transport_id] = {
            "items": sorted(item_ids),
            "direction": direction,
            "day": day,
            "courier": courier_id,
            "status": "booked",
        }
        self.next_transport += 1
        return {"success": True, "transport_id": transport_id}

    def cancel_transport(self, transport_id: str) -> dict:
        """Cancel a booked transport; its items can then be booked anew.

        Args:
            transport_id: The transport, such as TR-2.
        """
        transport = self.transports.get(transport_id)
        if transport is None:
            return _fail(f"There is no transport {transport_id}")
        if transport["status"] != "booked":
            return _fail(f"Transport {transport_id} is {transport['status']}, not booked")
        transport["status"] = "cancelled"
        return {"success": True, "transport_id": transport_id, "status": "cancelled"}

    def complete_transport(self, transport_id: str) -> dict:
        """Note that a booked transport has taken place; its items are then away, or returned.

        Args:
            transport_id: The transport, such as TR-2; its day is today or earlier.
        """
        transport = self.transports.get(transport_id)
        if transport is None:
            return _fail(f"There is no transport {transport_id}")
        if transport["status"] != "booked":
            return _fail(f"Transport {transport_id} is {transport['status']}, not booked")
        if transport["day"] > self._today():
            return _fail(f"Transport {transport_id} is not due before {transport['day']}")
        for object_id in [self.loan_items[key]["object"] for key in transport["items"]]:
            thing = self.objects[object_id]
            if transport["direction"] == "out" and thing["condition"] == "unfit":
                return _fail(f"{object_id} was found unfit to travel on {thing['examined_on']}")
        arrived = "away" if transport["direction"] == "out" else "returned"
        for key in transport["items"]:
            self.loan_items[key]["status"] = arrived
        transport["status"] = "completed"
        return {"success": True, "transport_id": transport_id, "items_now": arrived}
