"""Theatre box office: seat plan, sales, holds, groups, exchanges, refunds, vouchers and queues."""

from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

Section = Literal["stalls", "circle", "gallery"]
SeatKind = Literal["standard", "wheelchair", "companion"]
Concession = Literal["full", "student", "senior", "under_16", "member", "companion"]
Weekday = Literal["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
Method = Literal["card", "cash", "transfer"]
PaidBy = Literal["card", "cash", "voucher"]
RefundCause = Literal["cancelled", "returned", "illness"]
TicketStatus = Literal["sold", "refunded"]
HoldStatus = Literal["open", "collected", "released"]
GroupStatus = Literal["reserved", "deposit_paid", "paid", "cancelled"]
RefusalReason = Literal[
    "no_concession",
    "presale_or_allocation",
    "single_seat",
    "waiting_list_first",
    "access_register_only",
    "hold_terms",
    "no_exchange",
    "no_refund",
    "voucher_expired",
    "voucher_value",
    "group_too_small",
    "group_terms",
]

Record = dict[str, Any]  # its fields are told in __init__

WEEKDAYS: tuple[Weekday, ...] = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
PRESALE_SEATS = 4
HOLD_SEATS = 6
HOLD_DAYS = 5
MEMBER_DISCOUNTS = 2
EXCHANGE_FEE_CENTS = 350
EXCHANGE_NOTICE = timedelta(hours=24)
RETURN_FEE_PERCENT = 10
VOUCHER_STEP_CENTS = 500
VOUCHER_RANGE_CENTS = (1000, 25000)
GROUP_SEATS = 8
GROUP_PERCENT_OFF = 15
DEPOSIT_PERCENT = 20
DEPOSIT_DAYS = 14
BALANCE_DAYS = 28


class Ticket(TypedDict):
    """A place sold, and how it was paid."""

    performance_id: str
    seat_id: str
    customer_id: str
    concession: Concession
    price_cents: int
    paid_by: PaidBy
    voucher_id: str | None
    voucher_cents: int
    exchanged: bool
    status: TicketStatus


class Place(TypedDict):
    """A seat of an order and the concession it is sold at."""

    seat_id: str
    concession: Concession


def _refuse(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _not_a_date(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return None if str(date.fromisoformat(text)) == text else f"Write {text!r} as YYYY-MM-DD"
    except ValueError:
        return f"{text!r} is no date; write YYYY-MM-DD"


def _where(records: Mapping[str, Any], **facts: Any) -> dict[str, Any]:
    """Those of some records in which each fact given holds; None leaves a fact open."""
    asked = [(field, value) for field, value in facts.items() if value is not None]
    return {
        key: record
        for key, record in records.items()
        if all(record[field] == value for field, value in asked)
    }


def _money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


class TheatreBoxOffice:
    """The box office of a theatre with one auditorium."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.productions: dict[str, Record] = {}  # title and company
        self.performances: dict[str, Record] = {}  # start, price scale, first day of public sale
        self.price_scales: dict[str, Record] = {}  # prices by band; concessions, groups
        self.concessions: dict[str, Record] = {}  # percent off, weekdays, quota
        self.seats: dict[str, Record] = {}  # section, row, number, band, kind
        self.customers: dict[str, Record] = {}  # name, town, membership, access register
        self.allocations: dict[str, Record] = {}  # seats kept for members or by the house
        self.holds: dict[str, Record] = {}  # seats kept for a customer up to a day
        self.tickets: dict[str, Ticket] = {}
        self.exchanges: dict[str, Record] = {}  # what was paid to move a ticket
        self.refunds: dict[str, Record] = {}  # money and credit given back
        self.groups: dict[str, Record] = {}  # parties at the group rate, paid in parts
        self.group_payments: dict[str, Record] = {}  # negative when paid back
        self.vouchers: dict[str, Record] = {}  # kind and expiry; the entries are the balance
        self.voucher_entries: dict[str, Record] = {}
        self.waiting: dict[str, Record] = {}  # queue of a performance
        self.refusals: dict[str, Record] = {}
        self.next_numbers: dict[str, int] = {}

    # The calendar

    def _today(self) -> str:
        return datetime.now().date().isoformat()

    def _days_ahead(self, days: int) -> str:
        return (datetime.now().date() + timedelta(days=days)).isoformat()

    def _starts(self, performance_id: str) -> datetime:
        return datetime.fromisoformat(self.performances[performance_id]["starts_at"])

    def _new_id(self, kind: str) -> str:
        number = self.next_numbers[kind]
        self.next_numbers[kind] = number + 1
        return f"{kind}-{number}"

    # The house

    def _is_member(self, customer_id: str) -> bool:
        until = self.customers[customer_id]["member_until"]
        return until is not None and until >= self._today()

    def _live(self, hold: Record) -> bool:
        return bool(hold["status"] == "open" and hold["keep_until"] >= self._today())

    def _stands(self, group: Record) -> bool:
        """Whether a group still has its seats: without a deposit they lapse."""
        lapsed = group["status"] == "reserved" and group["deposit_due_on"] < self._today()
        return group["status"] != "cancelled" and not lapsed

    def _own_held(self, performance_id: str, customer_id: str) -> set[str]:
        own = _where(self.holds, performance_id=performance_id, customer_id=customer_id)
        return {seat_id for h in own.values() if self._live(h) for seat_id in h["seat_ids"]}

    def _sold(self, performance_id: str, customer_id: str | None = None) -> list[Ticket]:
        """Valid tickets of a performance, of everybody or of one customer."""
        facts = {"performance_id": performance_id, "customer_id": customer_id}
        return list(_where(self.tickets, status="sold", **facts).values())

    def _occupied(self, performance_id: str) -> set[str]:
        """Seats that are sold, held or in a group booking."""
        sold = {ticket["seat_id"] for ticket in self._sold(performance_id)}
        parties = [h for h in self.holds.values() if self._live(h)]
        parties += [g for g in self.groups.values() if self._stands(g)]
        kept = (p["seat_ids"] for p in parties if p["performance_id"] == performance_id)
        return sold.union(*kept)

    def _allotted(self, performance_id: str) -> dict[str, str]:
        """Seats not yet released, with whom they are kept for."""
        return {
            seat_id: allocation["holder"]
            for allocation in self.allocations.values()
            if allocation["performance_id"] == performance_id
            and allocation["released_on"] > self._today()
            for seat_id in allocation["seat_ids"]
        }

    def _free_standard(self, performance_id: str) -> set[str]:
        """Standard seats that anybody could buy."""
        gone = self._occupied(performance_id) | set(self._allotted(performance_id))
        return {s for s, seat in self.seats.items() if seat["kind"] == "standard"} - gone

    def _lonely(self, empty: Collection[str]) -> set[str]:
        """Empty standard seats with no empty standard seat beside them in their row."""
        spots = {
            (seat["section"], seat["row"], seat["number"]): seat_id
            for seat_id, seat in self.seats.items()
            if seat_id in empty and seat["kind"] == "standard"
        }
        return {
            seat_id
            for (section, row, number), seat_id in spots.items()
            if (section, row, number - 1) not in spots and (section, row, number + 1) not in spots
        }

    def _price(self, performance_id: str, seat_id: str) -> int:
        bands: dict[str, int] = self.price_scales[self.performances[performance_id]["scale"]][
            "bands"
        ]
        return bands[self.seats[seat_id]["band"]]

    def _reduced(self, performance_id: str, seat_id: str, concession: Concession) -> int:
        price = self._price(performance_id, seat_id)
        off: int = 0 if concession == "full" else self.concessions[concession]["percent_off"]
        return price * (100 - off) // 100

    def _balance(self, voucher_id: str) -> int:
        entries = _where(self.voucher_entries, voucher_id=voucher_id)
        return sum(entry["amount_cents"] for entry in entries.values())

    def _queue(self, performance_id: str) -> list[str]:
        """Who waits for a performance: members first, then by the day they joined."""
        queue = _where(self.waiting, performance_id=performance_id, status="waiting")
        joined = sorted(queue, key=lambda i: str(queue[i]["joined_on"]))
        return sorted(joined, key=lambda i: not self._is_member(queue[i]["customer_id"]))

    # What stands in the way

    def _unknown(self, performance_id: str, customer_id: str) -> str | None:
        if performance_id not in self.performances:
            return f"Performance {performance_id} does not exist"
        if customer_id not in self.customers:
            return f"Customer {customer_id} does not exist"
        performance = self.performances[performance_id]
        if performance["status"] == "cancelled":
            return f"Performance {performance_id} is cancelled"
        if self._starts(performance_id) <= datetime.now():
            return f"Performance {performance_id} began at {performance['starts_at']}"
        return None

    def _seats_problem(
        self,
        performance_id: str,
        customer_id: str,
        seat_ids: list[str],
        leaving: Collection[str] = (),
    ) -> str | None:
        """Say why a customer may not take these seats together, or return None.

        Seats that the customer holds were judged when they were held; `leaving` are the
        customer's own seats that become free in the same breath.
        """
        if not seat_ids or len(set(seat_ids)) < len(seat_ids):
            return "Name each seat once, and at least one"
        for seat_id in seat_ids:
            if seat_id not in self.seats:
                return f"Seat {seat_id} does not exist"
        own = self._own_held(performance_id, customer_id)
        fresh = [seat_id for seat_id in seat_ids if seat_id not in own]
        occupied = self._occupied(performance_id)
        if gone := sorted(occupied.intersection(fresh)):
            return f"Not free: {', '.join(gone)}"
        return (
            self._right_problem(performance_id, customer_id, fresh, leaving)
            or self._access_problem(performance_id, customer_id, seat_ids)
            or self._queue_problem(performance_id, customer_id, fresh)
            or self._gap_problem(occupied, fresh, leaving)
        )

    def _right_problem(
        self, performance_id: str, customer_id: str, fresh: list[str], leaving: Collection[str]
    ) -> str | None:
        """Presale and allocations."""
        member = self._is_member(customer_id)
        public_from = self.performances[performance_id]["public_from"]
        if fresh and public_from > self._today():
            if not member:
                return f"Until {public_from} only members buy for {performance_id}"
            mine = len(self._own_held(performance_id, customer_id)) - len(leaving)
            mine += len(self._sold(performance_id, customer_id))
            if mine + len(fresh) > PRESALE_SEATS:
                return f"In the presale a member has at most {PRESALE_SEATS} seats, {mine} taken"
        allotted = self._allotted(performance_id)
        for seat_id in fresh:
            holder = allotted.get(seat_id)
            if holder == "house" or (holder == "members" and not member):
                return f"Seat {seat_id} is kept for {holder}"
        return None

    def _access_problem(
        self, performance_id: str, customer_id: str, seat_ids: list[str]
    ) -> str | None:
        """Wheelchair places and the places beside them."""
        bought = {ticket["seat_id"] for ticket in self._sold(performance_id, customer_id)}
        theirs = bought.union(seat_ids)
        for seat_id in seat_ids:
            seat = self.seats[seat_id]
            if seat["kind"] != "standard" and not self.customers[customer_id]["access_register"]:
                return f"{seat_id} is for customers on the access register"
            if seat["kind"] == "companion" and seat["companion_of"] not in theirs:
                return f"{seat_id} goes only with wheelchair place {seat['companion_of']}"
        return None

    def _queue_problem(self, performance_id: str, customer_id: str, fresh: list[str]) -> str | None:
        """The waiting list is served in its order; who asks for too much is passed over."""
        wanted = sum(self.seats[seat_id]["kind"] == "standard" for seat_id in fresh)
        free = len(self._free_standard(performance_id))
        for entry_id in self._queue(performance_id) if wanted else ():
            entry = self.waiting[entry_id]
            if entry["customer_id"] == customer_id:
                most = entry["places"]
                return f"{entry_id} waits for {most} places only" if wanted > most else None
            if entry["places"] <= free:
                return f"{entry_id} on the waiting list comes first"
        return None

    def _gap_problem(
        self, occupied: set[str], fresh: list[str], leaving: Collection[str]
    ) -> str | None:
        before = set(self.seats) - occupied
        stranded = self._lonely((before | set(leaving)) - set(fresh)) - self._lonely(before)
        if fresh and stranded:
            return f"That would leave a single seat: {', '.join(sorted(stranded))}"
        return None

    def _concession_problem(
        self, performance_id: str, customer_id: str, places: list[Place]
    ) -> str | None:
        """Say which concession of an order is not due, or return None."""
        performance = self.performances[performance_id]
        day = WEEKDAYS[self._starts(performance_id).weekday()]
        for place in places:
            concession = place["concession"]
            if concession in ("full", "companion"):
                continue
            if not self.price_scales[performance["scale"]]["concessions"]:
                return f"The {performance['scale']} scale takes no concessions"
            terms = self.concessions[concession]
            if day not in terms["weekdays"]:
                return f"{concession} is not given on a {day}"
            if concession == "member" and not self._is_member(customer_id):
                return f"{self.customers[customer_id]['name']} is no member now"
            asked = sum(p["concession"] == concession for p in places)
            if problem := self._quota_problem(performance_id, customer_id, concession, asked):
                return problem
        return None

    def _companion_problem(self, places: list[Place]) -> str | None:
        for place in places:
            kind = self.seats[place["seat_id"]]["kind"]
            if (place["concession"] == "companion") != (kind == "companion"):
                return f"{place['seat_id']}: companion places, and only they, go to companions"
        return None

    def _quota_problem(
        self, performance_id: str, customer_id: str, concession: Concession, asked: int
    ) -> str | None:
        given = [t for t in self._sold(performance_id) if t["concession"] == concession]
        quota = self.concessions[concession]["per_performance"]
        if quota is not None and len(given) + asked > quota:
            return f"{len(given)} of {quota} {concession} tickets are gone"
        if concession == "member":
            own = sum(t["customer_id"] == customer_id for t in given)
            if own + asked > MEMBER_DISCOUNTS:
                return f"A member has {MEMBER_DISCOUNTS} reduced seats a performance, {own} taken"
        return None

    def _take_from_holds(self, performance_id: str, customer_id: str, seat_ids: list[str]) -> None:
        """Strike seats that are now bought off the customer's holds."""
        own = _where(self.holds, performance_id=performance_id, customer_id=customer_id)
        for hold in own.values():
            if self._live(hold) and set(seat_ids).intersection(hold["seat_ids"]):
                hold["seat_ids"] = [s for s in hold["seat_ids"] if s not in seat_ids]
                hold["status"] = "open" if hold["seat_ids"] else "collected"

    def _serve(self, performance_id: str, customer_id: str) -> list[str]:
        served = [
            i for i in self._queue(performance_id) if self.waiting[i]["customer_id"] == customer_id
        ]
        for entry_id in served:
            self.waiting[entry_id]["status"] = "served"
        return served

    def _book_voucher(
        self, voucher_id: str, amount: int, reason: Literal["issued", "redeemed", "returned"]
    ) -> None:
        self.voucher_entries[self._new_id("VE")] = {
            "voucher_id": voucher_id,
            "amount_cents": amount,
            "reason": reason,
            "booked_on": self._today(),
        }

    def _new_voucher(self, customer_id: str, kind: Literal["gift", "credit"], cents: int) -> str:
        voucher_id = self._new_id("V")
        self.vouchers[voucher_id] = {
            "customer_id": customer_id,
            "kind": kind,
            "expires_on": f"{datetime.now().year + 3}-12-31",
        }
        self._book_voucher(voucher_id, cents, "issued")
        return voucher_id

    # Queries

    def search_performances(
        self, text: str = "", from_on: str | None = None, to_on: str | None = None
    ) -> dict[str, Any]:
        """Find performances by title or company, with their start, price scale and weekday.

        Args:
            text: Part of the title or the company, any case; empty for all.
            from_on: Only from this ISO date on, YYYY-MM-DD.
            to_on: Only up to and including this ISO date, YYYY-MM-DD.
        """
        if problem := _not_a_date(from_on) or _not_a_date(to_on):
            return _refuse(problem)
        found = []
        for performance_id, performance in self.performances.items():
            production = self.productions[performance["production_id"]]
            day = performance["starts_at"][:10]
            if text.lower() not in f"{production['title']} {production['company']}".lower():
                continue
            if (from_on or day) <= day <= (to_on or day):
                weekday = WEEKDAYS[self._starts(performance_id).weekday()]
                row = {"performance_id": performance_id, "weekday": weekday, **performance}
                found.append({**row, "title": production["title"]})
        return {"success": True, "performances": sorted(found, key=lambda r: r["starts_at"])}

    def get_performance(self, performance_id: str) -> dict[str, Any]:
        """Show a performance: prices, concessions with quotas, seats left, allocations, refusals.

        Args:
            performance_id: The performance.
        """
        if performance_id not in self.performances:
            return _refuse(f"Performance {performance_id} does not exist")
        performance = self.performances[performance_id]
        sold = [ticket["concession"] for ticket in self._sold(performance_id)]
        return {
            "success": True,
            "performance": performance,
            "title": self.productions[performance["production_id"]]["title"],
            "weekday": WEEKDAYS[self._starts(performance_id).weekday()],
            "prices": self.price_scales[performance["scale"]],
            "concessions": self.concessions,
            "free_standard_seats": len(self._free_standard(performance_id)),
            "sold_by_concession": {name: sold.count(name) for name in sorted(set(sold))},
            "allocations": _where(self.allocations, performance_id=performance_id),
            "refusals": self._refused(performance_id),
        }

    def _refused(self, record_id: str) -> list[str]:
        return [r["reason"] for r in _where(self.refusals, record_id=record_id).values()]

    def _listed(self, id_name: str, records: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Rows of a list, each with its customer's name and the refusals on it."""
        return [
            {
                id_name: record_id,
                **record,
                "customer": self.customers[record["customer_id"]]["name"],
                "refusals": self._refused(record_id),
            }
            for record_id, record in records.items()
        ]

    def list_free_seats(
        self,
        performance_id: str,
        section: Section | None = None,
        band: str | None = None,
        kind: SeatKind | None = None,
    ) -> dict[str, Any]:
        """List the seats of a performance that are neither sold, held nor in a group.

        Seats stand row by row; kept_for says that an allocation is not released yet.

        Args:
            performance_id: The performance.
            section: Only seats of this section.
            band: Only seats of this price band, for example A.
            kind: Only places of this kind.
        """
        if performance_id not in self.performances:
            return _refuse(f"Performance {performance_id} does not exist")
        gone, allotted = self._occupied(performance_id), self._allotted(performance_id)
        free = [
            {
                "seat_id": seat_id,
                **{name: seat[name] for name in ("band", "kind", "companion_of")},
                "price_cents": self._price(performance_id, seat_id),
                "kept_for": allotted.get(seat_id),
            }
            for seat_id, seat in _where(self.seats, section=section, band=band, kind=kind).items()
            if seat_id not in gone
        ]
        return {"success": True, "seats": free}

    def search_customers(self, text: str = "") -> dict[str, Any]:
        """Find customers by name or town, with whether they are members today.

        Args:
            text: Part of the name or town, any case; empty for all.
        """
        found = [
            {"customer_id": customer_id, **customer, "is_member": self._is_member(customer_id)}
            for customer_id, customer in self.customers.items()
            if text.lower() in f"{customer['name']} {customer['town']}".lower()
        ]
        return {"success": True, "customers": found}

    def get_customer(self, customer_id: str) -> dict[str, Any]:
        """Show a customer with the tickets, holds, groups, vouchers, queue places and refusals.

        Args:
            customer_id: The customer.
        """
        if customer_id not in self.customers:
            return _refuse(f"Customer {customer_id} does not exist")
        collections: dict[str, Mapping[str, Any]] = {
            "tickets": self.tickets,
            "holds": self.holds,
            "groups": self.groups,
            "vouchers": self.vouchers,
            "waiting": self.waiting,
        }
        theirs = {name: _where(r, customer_id=customer_id) for name, r in collections.items()}
        theirs["vouchers"] = {
            voucher_id: {**voucher, "balance_cents": self._balance(voucher_id)}
            for voucher_id, voucher in theirs["vouchers"].items()
        }
        customer = {**self.customers[customer_id], "is_member": self._is_member(customer_id)}
        refusals = self._refused(customer_id)
        return {"success": True, "customer": customer, **theirs, "refusals": refusals}

    def list_tickets(
        self, performance_id: str, status: TicketStatus | None = None
    ) -> dict[str, Any]:
        """List the tickets of a performance by seat, with payment, exchanges and refunds.

        Args:
            performance_id: The performance.
            status: Only tickets in this status.
        """
        tickets = _where(self.tickets, performance_id=performance_id, status=status)
        found = self._listed("ticket_id", tickets)
        for row in found:
            row["moves"] = _where(self.exchanges, ticket_id=row["ticket_id"])
            row["refunds"] = _where(self.refunds, ticket_id=row["ticket_id"])
        return {"success": True, "tickets": sorted(found, key=lambda t: t["seat_id"])}

    def list_holds(
        self, performance_id: str | None = None, status: HoldStatus | None = None
    ) -> dict[str, Any]:
        """List holds; one that is open but past its last day has lapsed and keeps nothing.

        Args:
            performance_id: Only holds for this performance.
            status: Only holds in this status.
        """
        holds = _where(self.holds, performance_id=performance_id, status=status)
        found = self._listed("hold_id", holds)
        for row in found:
            row["lapsed"] = row["status"] == "open" and row["keep_until"] < self._today()
        return {"success": True, "holds": found}

    def list_groups(self, status: GroupStatus | None = None) -> dict[str, Any]:
        """List group bookings with what they have paid and when the rest is due.

        Args:
            status: Only group bookings in this status.
        """
        found = self._listed("group_id", _where(self.groups, status=status))
        for row in found:
            row["lapsed"] = row["status"] == "reserved" and row["deposit_due_on"] < self._today()
            row["payments"] = _where(self.group_payments, group_id=row["group_id"])
        return {"success": True, "groups": found}

    def get_voucher(self, voucher_id: str) -> dict[str, Any]:
        """Show a voucher with its balance in cents and its ledger.

        Args:
            voucher_id: The number on the voucher.
        """
        if voucher_id not in self.vouchers:
            return _refuse(f"Voucher {voucher_id} does not exist")
        return {
            "success": True,
            "voucher": self.vouchers[voucher_id],
            "balance_cents": self._balance(voucher_id),
            "entries": _where(self.voucher_entries, voucher_id=voucher_id),
            "refusals": self._refused(voucher_id),
        }

    def list_waiting(self, performance_id: str) -> dict[str, Any]:
        """List who waits for a performance, in the order in which they are served.

        Args:
            performance_id: The performance.
        """
        queue = {entry_id: self.waiting[entry_id] for entry_id in self._queue(performance_id)}
        return {"success": True, "queue": self._listed("entry_id", queue)}

    # Changes

    def hold_seats(
        self, performance_id: str, customer_id: str, seat_ids: list[str], keep_until: str
    ) -> dict[str, Any]:
        """Keep seats for a customer, unpaid, until the end of a day.

        Args:
            performance_id: The performance.
            customer_id: Who will collect them.
            seat_ids: The seats, in one hold.
            keep_until: Last day of the hold, ISO date, YYYY-MM-DD.
        """
        if problem := (
            self._unknown(performance_id, customer_id)
            or _not_a_date(keep_until)
            or self._seats_problem(performance_id, customer_id, seat_ids)
        ):
            return _refuse(problem)
        if not self._today() <= keep_until <= self._days_ahead(HOLD_DAYS):
            return _refuse(f"A hold runs to {self._days_ahead(HOLD_DAYS)} at most")
        if keep_until >= self.performances[performance_id]["starts_at"][:10]:
            return _refuse("A hold ends before the day of the performance")
        own = self._own_held(performance_id, customer_id)
        if again := sorted(own.intersection(seat_ids)):
            return _refuse(f"Already held: {', '.join(again)}")
        if len(own) + len(seat_ids) > HOLD_SEATS:
            return _refuse(f"A customer holds {HOLD_SEATS} seats at most, {len(own)} are held")
        hold_id = self._new_id("H")
        self.holds[hold_id] = {
            "performance_id": performance_id,
            "customer_id": customer_id,
            "seat_ids": list(seat_ids),
            "keep_until": keep_until,
            "status": "open",
        }
        self._serve(performance_id, customer_id)
        return {"success": True, "hold_id": hold_id}

    def release_hold(self, hold_id: str) -> dict[str, Any]:
        """Give the seats of a hold back to general sale.

        Args:
            hold_id: An open hold, lapsed or not.
        """
        if hold_id not in self.holds:
            return _refuse(f"Hold {hold_id} does not exist")
        hold = self.holds[hold_id]
        if hold["status"] != "open":
            return _refuse(f"Hold {hold_id} is {hold['status']}")
        hold["status"] = "released"
        return {"success": True, "seat_ids": hold["seat_ids"]}

    def sell_tickets(
        self,
        performance_id: str,
        customer_id: str,
        places: list[Place],
        pay_by: Literal["card", "cash"],
        voucher_id: str | None = None,
    ) -> dict[str, Any]:
        """Sell seats; seats that the customer holds are taken off the hold.

        Args:
            performance_id: The performance.
            customer_id: Who buys.
            places: Each seat with its concession; full is the full price.
            pay_by: How what a voucher does not cover is paid.
            voucher_id: A voucher that pays first, as far as it goes.
        """
        seat_ids = [place["seat_id"] for place in places]
        if problem := (
            self._unknown(performance_id, customer_id)
            or self._seats_problem(performance_id, customer_id, seat_ids)
            or self._companion_problem(places)
            or self._concession_problem(performance_id, customer_id, places)
        ):
            return _refuse(problem)
        credit = 0
        if voucher_id is not None:
            if voucher_id not in self.vouchers:
                return _refuse(f"Voucher {voucher_id} does not exist")
            if self.vouchers[voucher_id]["expires_on"] < self._today():
                return _refuse(f"Voucher {voucher_id} has expired")
            credit = self._balance(voucher_id)
            if credit <= 0:
                return _refuse(f"Voucher {voucher_id} is used up")
        self._take_from_holds(performance_id, customer_id, seat_ids)
        sold: dict[str, int] = {}
        for place in places:
            price = self._reduced(performance_id, place["seat_id"], place["concession"])
            by_voucher = min(price, credit)
            credit -= by_voucher
            ticket_id = self._new_id("T")
            self.tickets[ticket_id] = {
                "performance_id": performance_id,
                "seat_id": place["seat_id"],
                "customer_id": customer_id,
                "concession": place["concession"],
                "price_cents": price,
                "paid_by": "voucher" if by_voucher == price > 0 else pay_by,
                "voucher_id": voucher_id if by_voucher else None,
                "voucher_cents": by_voucher,
                "exchanged": False,
                "status": "sold",
            }
            if voucher_id is not None and by_voucher:
                self._book_voucher(voucher_id, -by_voucher, "redeemed")
            sold[ticket_id] = price
        served = self._serve(performance_id, customer_id)
        total = sum(sold.values())
        return {"success": True, "tickets": sold, "total_cents": total, "served": served}

    def exchange_tickets(
        self, ticket_ids: list[str], performance_id: str, seat_ids: list[str]
    ) -> dict[str, Any]:
        """Move tickets of one customer to other seats or another performance of the production.

        The concession stays; fee and price difference are paid by card.

        Args:
            ticket_ids: The tickets, all of one customer and one performance.
            performance_id: Where they go; the same performance for other seats.
            seat_ids: The new seats, one for each ticket in the same order.
        """
        if not ticket_ids or len(set(ticket_ids)) < len(ticket_ids):
            return _refuse("Name each ticket once, and at least one")
        if len(seat_ids) != len(ticket_ids):
            return _refuse(f"{len(ticket_ids)} tickets need as many seats, not {len(seat_ids)}")
        for ticket_id in ticket_ids:
            if problem := self._immovable(ticket_id):
                return _refuse(problem)
        moved = [self.tickets[ticket_id] for ticket_id in ticket_ids]
        if len({(t["customer_id"], t["performance_id"]) for t in moved}) > 1:
            return _refuse("Exchange the tickets of one customer and one performance at a time")
        customer_id, old_id = moved[0]["customer_id"], moved[0]["performance_id"]
        leaving = [t["seat_id"] for t in moved] if old_id == performance_id else []
        if problem := (
            self._unknown(performance_id, customer_id)
            or self._seats_problem(performance_id, customer_id, seat_ids, leaving)
        ):
            return _refuse(problem)
        if len({self.performances[i]["production_id"] for i in (old_id, performance_id)}) > 1:
            return _refuse("Tickets are exchanged within their production only")
        pairs = list(zip(moved, seat_ids, strict=True))
        places: list[Place] = [
            {"seat_id": seat_id, "concession": ticket["concession"]} for ticket, seat_id in pairs
        ]
        problem = self._companion_problem(places)
        if old_id != performance_id:
            problem = problem or self._concession_problem(performance_id, customer_id, places)
        if problem:
            return _refuse(problem)
        prices = [self._reduced(performance_id, p["seat_id"], p["concession"]) for p in places]
        for (ticket, seat_id), price in zip(pairs, prices, strict=True):
            if price < ticket["price_cents"]:
                return _refuse(f"{seat_id} is cheaper than the ticket, at {_money(price)}")
        fee = 0 if self._is_member(customer_id) else EXCHANGE_FEE_CENTS
        due = 0
        for ticket_id, seat_id, price in zip(ticket_ids, seat_ids, prices, strict=True):
            ticket = self.tickets[ticket_id]
            difference = price - ticket["price_cents"]
            self.exchanges[self._new_id("X")] = {
                "ticket_id": ticket_id,
                "from_performance": old_id,
                "from_seat": ticket["seat_id"],
                "fee_cents": fee,
                "difference_cents": difference,
                "exchanged_on": self._today(),
            }
            ticket["performance_id"], ticket["seat_id"] = performance_id, seat_id
            ticket["price_cents"], ticket["exchanged"] = price, True
            due += fee + difference
        self._take_from_holds(performance_id, customer_id, seat_ids)
        return {"success": True, "due_cents": due}

    def _immovable(self, ticket_id: str) -> str | None:
        """Say why a ticket cannot be exchanged, or return None."""
        if ticket_id not in self.tickets:
            return f"Ticket {ticket_id} does not exist"
        ticket = self.tickets[ticket_id]
        if ticket["status"] != "sold":
            return f"Ticket {ticket_id} is {ticket['status']}"
        if ticket["exchanged"]:
            return f"Ticket {ticket_id} has been exchanged once already"
        if self.performances[ticket["performance_id"]]["status"] == "cancelled":
            return f"The performance of {ticket_id} is cancelled: refund it"
        if self._starts(ticket["performance_id"]) - datetime.now() < EXCHANGE_NOTICE:
            return f"The performance of {ticket_id} begins within 24 hours"
        return None

    def refund_ticket(self, ticket_id: str, cause: RefundCause) -> dict[str, Any]:
        """Take a ticket back.

        What a voucher paid goes back to that voucher and the rest by the way it was paid;
        for illness the whole price becomes a new credit voucher.

        Args:
            ticket_id: The ticket.
            cause: cancelled for a cancelled performance, returned for a return to one that is
                sold out or has too long a queue, illness where a medical note was shown.
        """
        if ticket_id not in self.tickets:
            return _refuse(f"Ticket {ticket_id} does not exist")
        ticket = self.tickets[ticket_id]
        performance_id = ticket["performance_id"]
        off = self.performances[performance_id]["status"] == "cancelled"
        if ticket["status"] != "sold":
            return _refuse(f"Ticket {ticket_id} is already refunded")
        if (cause == "cancelled") != off:
            return _refuse(f"Performance {performance_id} is {'' if off else 'not '}cancelled")
        if not off and self._starts(performance_id) <= datetime.now():
            return _refuse("After the start nothing is refunded")
        free = len(self._free_standard(performance_id))
        asked = sum(self.waiting[entry_id]["places"] for entry_id in self._queue(performance_id))
        if cause == "returned" and free and free >= asked:
            return _refuse(f"{performance_id} is not sold out; nothing is taken back")
        price, voucher_part = ticket["price_cents"], ticket["voucher_cents"]
        if price == 0 and cause != "cancelled":
            return _refuse("A free ticket has nothing to give back")
        credit_id = None
        if cause == "illness":
            voucher_part = price
            credit_id = self._new_voucher(ticket["customer_id"], "credit", price)
        elif cause == "returned":
            price -= price * RETURN_FEE_PERCENT // 100
            voucher_part = min(voucher_part, price)
        if cause != "illness" and ticket["voucher_id"] is not None:
            self._book_voucher(ticket["voucher_id"], voucher_part, "returned")
        ticket["status"] = "refunded"
        self.refunds[self._new_id("RF")] = {
            "ticket_id": ticket_id,
            "cause": cause,
            "money_cents": price - voucher_part,
            "voucher_cents": voucher_part,
            "refunded_on": self._today(),
        }
        money = price - voucher_part
        return {"success": True, "money_cents": money, "credit_voucher_id": credit_id}

    def issue_voucher(self, customer_id: str, value_cents: int) -> dict[str, Any]:
        """Sell a gift voucher, valid to the end of the third year from now.

        Args:
            customer_id: Who buys it.
            value_cents: Its value in cents.
        """
        if customer_id not in self.customers:
            return _refuse(f"Customer {customer_id} does not exist")
        lowest, highest = VOUCHER_RANGE_CENTS
        if not lowest <= value_cents <= highest or value_cents % VOUCHER_STEP_CENTS:
            return _refuse(f"Vouchers run from {lowest} to {highest} cents in steps of 500")
        voucher_id = self._new_voucher(customer_id, "gift", value_cents)
        return {"success": True, "voucher_id": voucher_id}

    def book_group(
        self, performance_id: str, customer_id: str, seat_ids: list[str]
    ) -> dict[str, Any]:
        """Reserve seats for a group at the group rate; a deposit secures them.

        Args:
            performance_id: The performance.
            customer_id: Who answers for the group.
            seat_ids: All its seats.
        """
        if problem := self._unknown(performance_id, customer_id):
            return _refuse(problem)
        if problem := self._seats_problem(performance_id, customer_id, seat_ids):
            return _refuse(problem)
        scale = self.performances[performance_id]["scale"]
        if not self.price_scales[scale]["groups"]:
            return _refuse(f"The {scale} scale takes no groups")
        if len(seat_ids) < GROUP_SEATS:
            return _refuse(f"A group has at least {GROUP_SEATS} seats")
        if self._own_held(performance_id, customer_id).intersection(seat_ids):
            return _refuse("Release the hold before booking its seats as a group")
        full = sum(self._price(performance_id, seat_id) for seat_id in seat_ids)
        total = full * (100 - GROUP_PERCENT_OFF) // 100
        deposit = total * DEPOSIT_PERCENT // 100
        starts_on = self._starts(performance_id).date()
        balance_due_on = (starts_on - timedelta(days=BALANCE_DAYS)).isoformat()
        deposit_due_on = min(self._days_ahead(DEPOSIT_DAYS), starts_on.isoformat())
        group_id = self._new_id("G")
        self.groups[group_id] = {
            "performance_id": performance_id,
            "customer_id": customer_id,
            "seat_ids": list(seat_ids),
            "total_cents": total,
            "deposit_cents": deposit if balance_due_on > self._today() else total,
            "paid_cents": 0,
            "deposit_due_on": deposit_due_on,
            "balance_due_on": balance_due_on,
            "status": "reserved",
        }
        self._serve(performance_id, customer_id)
        return {"success": True, "group_id": group_id, **self.groups[group_id]}

    def pay_group(self, group_id: str, amount_cents: int, method: Method) -> dict[str, Any]:
        """Book a payment of a group; once everything is paid its tickets are ready.

        Args:
            group_id: The group booking.
            amount_cents: What was paid, in cents: at first the deposit or more, from the day the
                balance is due all that is outstanding.
            method: How.
        """
        if group_id not in self.groups:
            return _refuse(f"Group {group_id} does not exist")
        group = self.groups[group_id]
        if not self._stands(group):
            return _refuse(f"Group {group_id} is cancelled, or lapsed for want of a deposit")
        outstanding = group["total_cents"] - group["paid_cents"]
        least = max(1, group["deposit_cents"] - group["paid_cents"])
        if group["balance_due_on"] <= self._today():
            least = outstanding
        if not least <= amount_cents <= outstanding:
            return _refuse(f"Between {_money(least)} and {_money(outstanding)} can be paid now")
        self._book_group_payment(group_id, amount_cents, method)
        group["status"] = "paid" if amount_cents == outstanding else "deposit_paid"
        return {"success": True, "outstanding_cents": outstanding - amount_cents}

    def _book_group_payment(self, group_id: str, amount_cents: int, method: Method) -> None:
        self.group_payments[self._new_id("GP")] = {
            "group_id": group_id,
            "amount_cents": amount_cents,
            "method": method,
            "paid_on": self._today(),
        }
        self.groups[group_id]["paid_cents"] += amount_cents

    def cancel_group(self, group_id: str) -> dict[str, Any]:
        """Cancel a group booking; its seats go back on sale.

        Up to the day the balance is due, or if the performance is cancelled, everything paid
        goes back by transfer; otherwise everything but the deposit.

        Args:
            group_id: The group booking.
        """
        if group_id not in self.groups:
            return _refuse(f"Group {group_id} does not exist")
        group = self.groups[group_id]
        if group["status"] == "cancelled":
            return _refuse(f"Group {group_id} is already cancelled")
        off = self.performances[group["performance_id"]]["status"] == "cancelled"
        if not off and self._starts(group["performance_id"]) <= datetime.now():
            return _refuse("The performance has begun")
        kept = 0 if off or self._today() <= group["balance_due_on"] else group["deposit_cents"]
        back = max(0, group["paid_cents"] - kept)
        if back:
            self._book_group_payment(group_id, -back, "transfer")
        group["status"] = "cancelled"
        return {"success": True, "returned_cents": back, "kept_cents": group["paid_cents"]}

    def join_waiting_list(
        self, performance_id: str, customer_id: str, places: int
    ) -> dict[str, Any]:
        """Put a customer in the queue of a performance that has too few free seats.

        Args:
            performance_id: The performance.
            customer_id: Who waits.
            places: How many seats they want, from 1 to 6.
        """
        if problem := self._unknown(performance_id, customer_id):
            return _refuse(problem)
        if not 1 <= places <= HOLD_SEATS:
            return _refuse(f"Between 1 and {HOLD_SEATS} places can be waited for")
        free = len(self._free_standard(performance_id))
        if free >= places and not self._queue(performance_id):
            return _refuse(f"{free} seats are free: nobody needs to wait")
        if customer_id in [self.waiting[i]["customer_id"] for i in self._queue(performance_id)]:
            return _refuse(f"{customer_id} waits for {performance_id} already")
        entry_id = self._new_id("W")
        self.waiting[entry_id] = {
            "performance_id": performance_id,
            "customer_id": customer_id,
            "places": places,
            "joined_on": self._today(),
            "status": "waiting",
        }
        return {"success": True, "entry_id": entry_id}

    def decline_request(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record that a request was turned down.

        Filed on the customer: no_concession, access_register_only, hold_terms, voucher_value,
        group_too_small. On the performance: presale_or_allocation, single_seat,
        waiting_list_first. On the ticket: no_exchange, no_refund. On the voucher:
        voucher_expired. On the group booking: group_terms.

        Args:
            record_id: The record that the refusal is filed on.
            reason: The rule that stood in the way; hold_terms where a hold would be too long
                or too large, group_terms where a payment or repayment is not due.
        """
        places: dict[str, tuple[Collection[str], tuple[RefusalReason, ...]]] = {
            "performance": (
                self.performances,
                ("presale_or_allocation", "single_seat", "waiting_list_first"),
            ),
            "ticket": (self.tickets, ("no_exchange", "no_refund")),
            "voucher": (self.vouchers, ("voucher_expired",)),
            "group booking": (self.groups, ("group_terms",)),
        }
        kind, records = "customer", set(self.customers)
        for name, (known, reasons) in places.items():
            if reason in reasons:
                kind, records = name, set(known)
        if record_id not in records:
            return _refuse(f"{reason} is filed on a {kind}; {record_id!r} is none")
        if reason in self._refused(record_id):
            return _refuse(f"{reason} is already on record for {record_id}")
        refusal_id = self._new_id("REF")
        self.refusals[refusal_id] = {
            "record_id": record_id,
            "reason": reason,
            "refused_on": self._today(),
        }
        return {"success": True, "refusal_id": refusal_id}
