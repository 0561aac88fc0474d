"""County library: circulation, hold queues and transits, charges, interloans, rooms, purchases."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

Kind = Literal["book", "film", "audiobook", "game", "reference"]
PatronClass = Literal["adult", "young", "student", "housebound"]
CopyStatus = Literal["shelf", "loan", "hold_shelf", "transit", "lost", "repair"]
HoldStatus = Literal["waiting", "coming", "ready", "collected", "cancelled", "expired"]
ChargeKind = Literal["overdue", "lost", "interloan", "room"]
Purchase = Literal["order", "decline_owned", "decline_budget", "decline_limit"]
RefusalReason = Literal[
    "blocked",
    "card_expired",
    "too_young",
    "limit_reached",
    "no_quota",
    "renewals_used",
    "others_waiting",
    "not_first",
    "on_the_shelf",
    "no_waiver",
    "room_unsuitable",
]

SHELF_DAYS = 7
LATE_RENEWAL_DAYS = 14
HANDLING_PENCE = 300  # on top of the price of a lost copy
WAIVER_PENCE = 500
ROOM_AGE = 18
ROOM_DAYS_AHEAD = 30
ROOM_BOOKINGS = 2
SUGGESTIONS_A_YEAR = 2
REFUSED_ON: dict[str, tuple[RefusalReason, ...]] = {
    "patrons": ("blocked", "card_expired", "too_young", "limit_reached", "no_quota"),
    "loans": ("renewals_used", "others_waiting"),
    "holds": ("not_first",),
    "titles": ("on_the_shelf",),
    "charges": ("no_waiver",),
    "rooms": ("room_unsuitable",),
}


class Branch(TypedDict):
    """A library building, open from `opens` to `closes` on its weekdays (1 is Monday)."""

    name: str
    weekdays: list[int]
    opens: str
    closes: str


class Title(TypedDict):
    """A work in the catalogue; money is in pence everywhere."""

    name: str
    author: str
    isbn: str
    kind: Kind
    min_age: int
    price: int


class Copy(TypedDict):
    """A thing with a barcode: where it belongs and where it is, or was last."""

    title_id: str
    home: str
    at: str
    status: CopyStatus


class Entitlement(TypedDict):
    """What a class of patrons may do, and what it is charged for a day overdue."""

    loans: int
    holds: int
    renewals: int
    overdue_pence: int
    overdue_cap: int  # per item
    blocked_from: int  # open charges in all
    interloans: int  # a calendar year


class Patron(TypedDict):
    """A card holder."""

    name: str
    born: str
    patron_class: PatronClass
    home: str
    card_until: str


class Loan(TypedDict):
    """A copy in a patron's hands, lent at a branch."""

    copy_id: str
    patron_id: str
    branch_id: str
    due_on: str
    renewals: int
    returned_on: str | None


class Hold(TypedDict):
    """A place in the queue for a title; once a copy is ready it waits until `keep_until`."""

    title_id: str
    patron_id: str
    pickup: str
    placed_on: str
    status: HoldStatus
    copy_id: str | None
    keep_until: str | None


class Transit(TypedDict):
    """A copy in the van."""

    copy_id: str
    origin: str
    destination: str
    sent_on: str
    hold_id: str | None
    arrived_on: str | None


class Charge(TypedDict):
    """Money that a patron owes or owed, for the copy, request or booking it is about."""

    patron_id: str
    kind: ChargeKind
    about: str
    pence: int
    charged_on: str
    status: Literal["open", "paid", "waived"]


class Lender(TypedDict):
    """A library elsewhere that lends to us, so many items a calendar month."""

    name: str
    fee: int
    monthly_quota: int


class Interloan(TypedDict):
    """A patron's wish for something that is not in the county."""

    patron_id: str
    wanted: str
    isbn: str
    asked_on: str
    lender_id: str | None
    ordered_on: str | None


class Room(TypedDict):
    """A meeting room."""

    branch_id: str
    name: str
    seats: int
    hourly: int


class Booking(TypedDict):
    """A room taken on a day, with times as HH:MM."""

    room_id: str
    patron_id: str
    on: str
    start: str
    end: str
    people: int


class Fund(TypedDict):
    """Money for new stock of some kinds."""

    name: str
    kinds: list[Kind]
    budget: int
    spent: int


class Suggestion(TypedDict):
    """A patron's wish that the county buys something."""

    patron_id: str
    name: str
    author: str
    isbn: str
    kind: Kind
    min_age: int
    price: int
    made_on: str
    decision: Purchase | None
    decided_on: str | None


class Refusal(TypedDict):
    """A request that the rules did not allow."""

    record_id: str
    reason: RefusalReason
    refused_on: str


def _sorry(problem: str) -> dict[str, Any]:
    return {"success": False, "error": problem}


def _that(records: Mapping[str, Any], **facts: Any) -> dict[str, Any]:
    """Records whose fields hold these facts."""
    return {
        key: record
        for key, record in records.items()
        if all(record[field] == value for field, value in facts.items())
    }


def _read_date(text: str) -> date | None:
    try:
        day = datetime.strptime(text, "%Y-%m-%d").date()
    except ValueError:
        return None
    return day if str(day) == text else None


def _hours(start: str, end: str) -> float | None:
    """How long a booking lasts; None if the times are not on the half-hour or the wrong way."""
    try:
        times = [datetime.strptime(text, "%H:%M") for text in (start, end)]
    except ValueError:
        return None
    exact = [f"{time:%H:%M}" for time in times] == [start, end]
    if not exact or times[0] >= times[1] or any(time.minute % 30 for time in times):
        return None
    return (times[1] - times[0]).seconds / 3600


class PublicLibrary:
    """The library system of a county with several branches."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.branches: dict[str, Branch] = {}
        self.closures: dict[str, list[str]] = {}  # by date, the branches that are shut
        self.loan_days: dict[Kind, int] = {}
        self.entitlements: dict[PatronClass, Entitlement] = {}
        self.titles: dict[str, Title] = {}
        self.copies: dict[str, Copy] = {}
        self.patrons: dict[str, Patron] = {}
        self.loans: dict[str, Loan] = {}
        self.holds: dict[str, Hold] = {}
        self.transits: dict[str, Transit] = {}
        self.charges: dict[str, Charge] = {}
        self.lenders: dict[str, Lender] = {}
        self.interloans: dict[str, Interloan] = {}
        self.rooms: dict[str, Room] = {}
        self.bookings: dict[str, Booking] = {}
        self.funds: dict[str, Fund] = {}
        self.suggestions: dict[str, Suggestion] = {}
        self.refusals: dict[str, Refusal] = {}
        self.counter: int = 0

    # Calendar and counters

    def _today(self) -> str:
        return str(datetime.now().date())

    def _new(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def _is_open(self, branch_id: str, day: date) -> bool:
        shut = self.closures.get(str(day), [])
        return day.isoweekday() in self.branches[branch_id]["weekdays"] and branch_id not in shut

    def _open_day(self, branch_id: str, days_ahead: int) -> str:
        """The day so many days from today, or the next one on which the branch is open."""
        day = datetime.now().date() + timedelta(days=days_ahead)
        while not self._is_open(branch_id, day):
            day += timedelta(days=1)
        return str(day)

    # Patrons

    def _age(self, patron_id: str) -> int:
        born, today = self.patrons[patron_id]["born"], self._today()
        return int(today[:4]) - int(born[:4]) - (today[5:] < born[5:])

    def _may(self, patron_id: str) -> Entitlement:
        return self.entitlements[self.patrons[patron_id]["patron_class"]]

    def _owed(self, patron_id: str) -> int:
        unpaid = _that(self.charges, patron_id=patron_id, status="open")
        return sum(charge["pence"] for charge in unpaid.values())

    def _out(self, patron_id: str) -> dict[str, Loan]:
        return _that(self.loans, patron_id=patron_id, returned_on=None)

    def _standing(self, patron_id: str) -> str | None:
        """Say why a patron gets nothing at the moment, or return None."""
        if patron_id not in self.patrons:
            return f"Patron {patron_id} does not exist"
        patron = self.patrons[patron_id]
        if patron["card_until"] < self._today():
            return f"The card of {patron['name']} expired on {patron['card_until']}"
        owed, blocked_from = self._owed(patron_id), self._may(patron_id)["blocked_from"]
        if owed >= blocked_from:
            return f"{patron['name']} owes {owed} pence and is blocked from {blocked_from}"
        return None

    def _too_young(self, patron_id: str, title_id: str) -> str | None:
        title, age = self.titles[title_id], self._age(patron_id)
        return f"{title['name']} is from {title['min_age']}" if age < title["min_age"] else None

    def _charge(self, patron_id: str, kind: ChargeKind, about: str, pence: int) -> dict[str, Any]:
        """Charge a patron; what cost nothing leaves no trace."""
        if pence == 0:
            return {"charge_id": None, "pence": 0}
        charge_id, today = self._new("CH"), self._today()
        self.charges[charge_id] = Charge(
            patron_id=patron_id,
            kind=kind,
            about=about,
            pence=pence,
            charged_on=today,
            status="open",
        )
        return {"charge_id": charge_id, "pence": pence}

    def _overdue_pence(self, loan: Loan, branch_id: str) -> int:
        """Charge for the days overdue on which the branch was open, capped by class and price."""
        may = self._may(loan["patron_id"])
        day, days = date.fromisoformat(loan["due_on"]), 0
        while str(day) < self._today():
            day += timedelta(days=1)
            days += self._is_open(branch_id, day)
        price = self.titles[self.copies[loan["copy_id"]]["title_id"]]["price"]
        return min(days * may["overdue_pence"], may["overdue_cap"], price)

    # Queues and the van

    def _queue(self, title_id: str) -> list[str]:
        """Holds that wait for a copy of a title, first come first served."""
        waiting = _that(self.holds, title_id=title_id, status="waiting")
        return sorted(waiting, key=lambda key: (waiting[key]["placed_on"], int(key[1:])))

    def _earmark(self, copy_id: str, hold_id: str) -> str:
        """Put a copy on the hold shelf of its branch, or into the van to the pick-up branch."""
        copy, hold = self.copies[copy_id], self.holds[hold_id]
        hold["copy_id"] = copy_id
        if copy["at"] != hold["pickup"]:
            hold["status"] = "coming"
            return self._send(copy_id, hold["pickup"], hold_id)
        copy["status"], hold["status"] = "hold_shelf", "ready"
        hold["keep_until"] = self._open_day(hold["pickup"], SHELF_DAYS)
        return f"hold shelf for {hold['patron_id']} until {hold['keep_until']}"

    def _send(self, copy_id: str, branch_id: str, hold_id: str | None) -> str:
        copy, transit_id = self.copies[copy_id], self._new("V")
        copy["status"] = "transit"
        self.transits[transit_id] = {
            "copy_id": copy_id,
            "origin": copy["at"],
            "destination": branch_id,
            "sent_on": self._today(),
            "hold_id": hold_id,
            "arrived_on": None,
        }
        return f"transit {transit_id} to {branch_id}"

    def _route(self, copy_id: str) -> str:
        """Decide where a copy goes that has just become free: queue, home or shelf."""
        copy = self.copies[copy_id]
        if queue := self._queue(copy["title_id"]):
            return self._earmark(copy_id, queue[0])
        if copy["at"] != copy["home"]:
            return self._send(copy_id, copy["home"], None)
        copy["status"] = "shelf"
        return "shelf"

    # Look-ups

    def search_titles(self, text: str = "", kind: Kind | None = None) -> dict[str, Any]:
        """Find titles with their copies on the shelf by branch and the length of the queue.

        Args:
            text: Part of the name, author or ISBN, any case; empty for all.
            kind: Only titles of this kind.
        """
        found = []
        for title_id, title in self.titles.items():
            words = f"{title['name']} {title['author']} {title['isbn']}".lower()
            if text.lower() in words and kind in (None, title["kind"]):
                on_shelf = _that(self.copies, title_id=title_id, status="shelf").values()
                here = sorted(copy["at"] for copy in on_shelf)
                queue = len(self._queue(title_id))
                found.append({"title_id": title_id, **title, "on_shelf_at": here, "queue": queue})
        return {"success": True, "titles": found}

    def get_title(self, title_id: str) -> dict[str, Any]:
        """Show a title with all its copies, its holds and the order of its queue.

        Args:
            title_id: The title.
        """
        if title_id not in self.titles:
            return _sorry(f"Title {title_id} does not exist")
        return {
            "success": True,
            "title_id": title_id,
            **self.titles[title_id],
            "copies": _that(self.copies, title_id=title_id),
            "queue": self._queue(title_id),
            "holds": _that(self.holds, title_id=title_id),
            "refusals": _that(self.refusals, record_id=title_id),
        }

    def search_patrons(self, text: str = "", home: str | None = None) -> dict[str, Any]:
        """Find card holders with their age and what they owe in pence.

        Args:
            text: Part of the name, any case; empty for all.
            home: Only patrons of this home branch.
        """
        found = [
            {"patron_id": key, **patron, "age": self._age(key), "owes": self._owed(key)}
            for key, patron in self.patrons.items()
            if text.lower() in patron["name"].lower() and home in (None, patron["home"])
        ]
        return {"success": True, "patrons": found}

    def get_patron(self, patron_id: str) -> dict[str, Any]:
        """Show a patron with entitlement, open loans, live holds, charges, interloans, bookings.

        The refusals are those on the patron and on these loans, holds and charges.

        Args:
            patron_id: The patron.
        """
        if patron_id not in self.patrons:
            return _sorry(f"Patron {patron_id} does not exist")
        live = ("waiting", "coming", "ready")
        placed = _that(self.holds, patron_id=patron_id)
        holds = {key: hold for key, hold in placed.items() if hold["status"] in live}
        loans, charges = self._out(patron_id), _that(self.charges, patron_id=patron_id)
        records = {patron_id, *loans, *holds, *charges}
        return {
            "success": True,
            "patron_id": patron_id,
            **self.patrons[patron_id],
            "age": self._age(patron_id),
            "gets_nothing_because": self._standing(patron_id),
            "entitlement": self._may(patron_id),
            "loans": loans,
            "holds": holds,
            "charges": charges,
            "interloans": _that(self.interloans, patron_id=patron_id),
            "bookings": _that(self.bookings, patron_id=patron_id),
            "refusals": {k: r for k, r in self.refusals.items() if r["record_id"] in records},
        }

    def list_loans(self, due_by: str | None = None, branch_id: str | None = None) -> dict[str, Any]:
        """List open loans by due date, with title and patron.

        Args:
            due_by: Only loans due on or before this date, YYYY-MM-DD.
            branch_id: Only loans made at this branch.
        """
        if due_by is not None and _read_date(due_by) is None:
            return _sorry(f"{due_by!r} is not a date, YYYY-MM-DD")
        found = []
        for loan_id, loan in _that(self.loans, returned_on=None).items():
            title_id = self.copies[loan["copy_id"]]["title_id"]
            if loan["due_on"] <= (due_by or "9999") and branch_id in (None, loan["branch_id"]):
                names = {"title": self.titles[title_id]["name"], "title_id": title_id}
                names["patron"] = self.patrons[loan["patron_id"]]["name"]
                found.append({"loan_id": loan_id, **loan, **names})
        return {"success": True, "loans": sorted(found, key=lambda row: row["due_on"])}

    def list_holds(
        self, status: HoldStatus | None = None, pickup: str | None = None
    ) -> dict[str, Any]:
        """List holds by date, with title and patron.

        Args:
            status: Only holds in this status.
            pickup: Only holds for this pick-up branch.
        """
        found = [
            {
                "hold_id": key,
                **hold,
                "title": self.titles[hold["title_id"]]["name"],
                "patron": self.patrons[hold["patron_id"]]["name"],
            }
            for key, hold in self.holds.items()
            if status in (None, hold["status"]) and pickup in (None, hold["pickup"])
        ]
        return {"success": True, "holds": sorted(found, key=lambda row: row["placed_on"])}

    def list_copies(
        self, at: str | None = None, status: CopyStatus | None = None
    ) -> dict[str, Any]:
        """List copies with their title; those in transit with the transit that is under way.

        Args:
            at: Only copies that are, or were last, at this branch.
            status: Only copies in this status.
        """
        found = []
        for copy_id, copy in self.copies.items():
            if at in (None, copy["at"]) and status in (None, copy["status"]):
                name = self.titles[copy["title_id"]]["name"]
                van = _that(self.transits, copy_id=copy_id, arrived_on=None)
                found.append({"copy_id": copy_id, **copy, "title": name, "transit": van})
        return {"success": True, "copies": found}

    def list_rooms(self, branch_id: str | None = None) -> dict[str, Any]:
        """List meeting rooms with seats, pence an hour and the bookings from today on.

        Args:
            branch_id: Only rooms of this branch.
        """
        found = []
        for room_id, room in self.rooms.items():
            if branch_id in (None, room["branch_id"]):
                taken = _that(self.bookings, room_id=room_id).values()
                ahead = [booking for booking in taken if booking["on"] >= self._today()]
                found.append({"room_id": room_id, **room, "bookings": ahead})
        return {"success": True, "rooms": found}

    def list_interloans(self, ordered: bool | None = None) -> dict[str, Any]:
        """List wishes for interloans by date, and the lenders with what is left this month.

        Args:
            ordered: Only those that have been ordered, or only those that have not.
        """
        found = [
            {"interloan_id": key, **wish, "patron": self.patrons[wish["patron_id"]]["name"]}
            for key, wish in self.interloans.items()
            if ordered in (None, wish["lender_id"] is not None)
        ]
        lenders = {
            key: {**lender, "left_this_month": self._lender_left(key)}
            for key, lender in self.lenders.items()
        }
        wishes = sorted(found, key=lambda row: str(row["asked_on"]))
        return {"success": True, "interloans": wishes, "lenders": lenders}

    def list_suggestions(self, decided: bool | None = None) -> dict[str, Any]:
        """List purchase suggestions by date, and the funds with what is left of them.

        Args:
            decided: Only those that have been decided, or only those that have not.
        """
        found = [
            {"suggestion_id": key, **wish, "patron": self.patrons[wish["patron_id"]]["name"]}
            for key, wish in self.suggestions.items()
            if decided in (None, wish["decision"] is not None)
        ]
        funds = {key: {**f, "left": f["budget"] - f["spent"]} for key, f in self.funds.items()}
        wishes = sorted(found, key=lambda row: str(row["made_on"]))
        return {"success": True, "suggestions": wishes, "funds": funds}

    def library_rules(self) -> dict[str, Any]:
        """Show branches with opening times, closures by date, loan days and entitlements."""
        return {
            "success": True,
            "branches": self.branches,
            "closures": self.closures,
            "loan_days": self.loan_days,
            "entitlements": self.entitlements,
        }

    # Circulation

    def check_out(self, copy_id: str, patron_id: str) -> dict[str, Any]:
        """Lend a copy at the branch where it is; a hold of the patron on it is collected.

        Args:
            copy_id: A copy on the shelf, or on the hold shelf for this patron.
            patron_id: The borrower.
        """
        if problem := self._standing(patron_id):
            return _sorry(problem)
        if copy_id not in self.copies:
            return _sorry(f"Copy {copy_id} does not exist")
        copy = self.copies[copy_id]
        title_id = copy["title_id"]
        title = self.titles[title_id]
        if title["kind"] == "reference":
            return _sorry(f"{title['name']} is for use in the library only")
        if problem := self._too_young(patron_id, title_id):
            return _sorry(problem)
        mine = _that(self.holds, copy_id=copy_id, patron_id=patron_id, status="ready")
        queue = self._queue(title_id)
        first = _that(self.holds, patron_id=patron_id).keys() & set(queue[:1])
        if copy["status"] != "shelf" and not mine:
            return _sorry(f"Copy {copy_id} is not for this patron now: {copy['status']}")
        if queue and not mine and not first:
            return _sorry(f"{len(queue)} patrons are waiting for {title['name']}")
        have = len(self._out(patron_id))
        if have >= self._may(patron_id)["loans"]:
            return _sorry(f"{patron_id} has {have} loans, which is the limit")
        for hold_id in [*mine, *([] if mine else first)]:
            self.holds[hold_id]["status"] = "collected"
        copy["status"] = "loan"
        loan_id = self._new("L")
        self.loans[loan_id] = {
            "copy_id": copy_id,
            "patron_id": patron_id,
            "branch_id": copy["at"],
            "due_on": self._open_day(copy["at"], self.loan_days[title["kind"]]),
            "renewals": 0,
            "returned_on": None,
        }
        return {"success": True, "loan_id": loan_id, "due_on": self.loans[loan_id]["due_on"]}

    def check_in(self, copy_id: str, branch_id: str) -> dict[str, Any]:
        """Take in a copy that came back from a loan or out of the van, and send it on its way.

        It goes to the first in the queue, else home, else on the shelf. Overdue loans are
        charged; when a lost copy turns up, the open charge for its loss is dropped.

        Args:
            copy_id: A copy on loan, in transit to this branch, or lost.
            branch_id: Where it is handed in.
        """
        if copy_id not in self.copies or branch_id not in self.branches:
            return _sorry(f"{copy_id} or {branch_id} does not exist")
        copy = self.copies[copy_id]
        if copy["status"] not in ("loan", "transit", "lost"):
            return _sorry(f"Copy {copy_id} is neither out nor under way: {copy['status']}")
        answer: dict[str, Any] = {"success": True}
        if copy["status"] == "transit":
            ((transit_id, transit),) = _that(
                self.transits, copy_id=copy_id, arrived_on=None
            ).items()
            if transit["destination"] != branch_id:
                return _sorry(f"Transit {transit_id} goes to {transit['destination']}")
            transit["arrived_on"], copy["at"] = self._today(), branch_id
            hold_id = transit["hold_id"]
            copy["status"] = "shelf"
            answer["goes_to"] = self._earmark(copy_id, hold_id) if hold_id else self._route(copy_id)
            return answer
        for loan in _that(self.loans, copy_id=copy_id, returned_on=None).values():
            loan["returned_on"] = self._today()
            pence = self._overdue_pence(loan, branch_id)
            answer |= self._charge(loan["patron_id"], "overdue", copy_id, pence)
        if copy["status"] == "lost":
            for charge in _that(self.charges, about=copy_id, kind="lost", status="open").values():
                charge["status"] = "waived"
        copy["at"] = branch_id
        answer["goes_to"] = self._route(copy_id)
        return answer

    def renew_loan(self, loan_id: str) -> dict[str, Any]:
        """Lend a copy to its borrower again from today.

        Args:
            loan_id: An open loan that is not overdue by more than 14 days.
        """
        if loan_id not in self.loans or self.loans[loan_id]["returned_on"] is not None:
            return _sorry(f"Loan {loan_id} is not open")
        loan = self.loans[loan_id]
        if problem := self._standing(loan["patron_id"]):
            return _sorry(problem)
        title_id = self.copies[loan["copy_id"]]["title_id"]
        if loan["renewals"] >= self._may(loan["patron_id"])["renewals"]:
            return _sorry(f"Loan {loan_id} has been renewed {loan['renewals']} times")
        if queue := self._queue(title_id):
            return _sorry(f"{len(queue)} patrons are waiting for {title_id}")
        late = datetime.now().date() - date.fromisoformat(loan["due_on"])
        if late.days > LATE_RENEWAL_DAYS:
            return _sorry(f"Loan {loan_id} is {late.days} days overdue")
        due_on = self._open_day(loan["branch_id"], self.loan_days[self.titles[title_id]["kind"]])
        if due_on <= loan["due_on"]:
            return _sorry(f"Loan {loan_id} runs until {loan['due_on']} anyway")
        loan["due_on"], loan["renewals"] = due_on, loan["renewals"] + 1
        return {"success": True, "due_on": due_on}

    def report_lost(self, loan_id: str) -> dict[str, Any]:
        """Write off a copy that its borrower has lost; price and handling are charged.

        Args:
            loan_id: An open loan.
        """
        if loan_id not in self.loans or self.loans[loan_id]["returned_on"] is not None:
            return _sorry(f"Loan {loan_id} is not open")
        loan = self.loans[loan_id]
        copy = self.copies[loan["copy_id"]]
        copy["status"], loan["returned_on"] = "lost", self._today()
        pence = self.titles[copy["title_id"]]["price"] + HANDLING_PENCE
        return {"success": True, **self._charge(loan["patron_id"], "lost", loan["copy_id"], pence)}

    def settle_charge(self, charge_id: str, how: Literal["paid", "waived"]) -> dict[str, Any]:
        """Enter that a charge was paid in full, or waive it.

        Args:
            charge_id: An open charge.
            how: Waived only if overdue, 500 pence at most, and the first for this patron in
                the calendar year.
        """
        charge = self.charges.get(charge_id)
        if charge is None or charge["status"] != "open":
            return _sorry(f"Charge {charge_id} is not open")
        if how == "waived":
            if charge["kind"] != "overdue" or charge["pence"] > WAIVER_PENCE:
                return _sorry(f"Only overdue charges up to {WAIVER_PENCE} pence are waived")
            before = _that(
                self.charges, patron_id=charge["patron_id"], kind="overdue", status="waived"
            )
            if any(c["charged_on"][:4] == charge["charged_on"][:4] for c in before.values()):
                return _sorry(f"{charge['patron_id']} has had the waiver of that year")
        charge["status"] = how
        return {"success": True, "still_owed": self._owed(charge["patron_id"])}

    # Holds

    def place_hold(self, title_id: str, patron_id: str, pickup: str) -> dict[str, Any]:
        """Put a patron into the queue for a title.

        Args:
            title_id: A title that no branch can hand over at once where it is wanted.
            patron_id: The patron.
            pickup: Branch at which the patron will collect it.
        """
        if problem := self._standing(patron_id):
            return _sorry(problem)
        if title_id not in self.titles or pickup not in self.branches:
            return _sorry(f"{title_id} or {pickup} does not exist")
        if self.titles[title_id]["kind"] == "reference":
            return _sorry(f"{title_id} is for use in the library only")
        if problem := self._too_young(patron_id, title_id):
            return _sorry(problem)
        copies = _that(self.copies, title_id=title_id)
        if any(loan["copy_id"] in copies for loan in self._out(patron_id).values()):
            return _sorry(f"{patron_id} has {title_id} on loan")
        live = [
            hold
            for hold in _that(self.holds, patron_id=patron_id).values()
            if hold["status"] in ("waiting", "coming", "ready")
        ]
        if any(hold["title_id"] == title_id for hold in live):
            return _sorry(f"{patron_id} has a hold on {title_id} already")
        if len(live) >= self._may(patron_id)["holds"]:
            return _sorry(f"{patron_id} has {len(live)} holds, which is the limit")
        if not self._queue(title_id) and _that(copies, at=pickup, status="shelf"):
            return _sorry(f"A copy of {title_id} is on the shelf at {pickup}")
        hold_id = self._new("H")
        self.holds[hold_id] = {
            "title_id": title_id,
            "patron_id": patron_id,
            "pickup": pickup,
            "placed_on": self._today(),
            "status": "waiting",
            "copy_id": None,
            "keep_until": None,
        }
        return {"success": True, "hold_id": hold_id, "place": len(self._queue(title_id))}

    def send_copy(self, copy_id: str, hold_id: str) -> dict[str, Any]:
        """Take a copy off the shelf for the first hold in the queue of its title.

        Args:
            copy_id: A copy on the shelf, at the pick-up branch if one is there.
            hold_id: The hold.
        """
        if copy_id not in self.copies or hold_id not in self.holds:
            return _sorry(f"{copy_id} or {hold_id} does not exist")
        copy, hold = self.copies[copy_id], self.holds[hold_id]
        if copy["title_id"] != hold["title_id"] or copy["status"] != "shelf":
            return _sorry(f"Copy {copy_id} cannot serve hold {hold_id}: {copy['status']}")
        if self._queue(copy["title_id"])[:1] != [hold_id]:
            return _sorry(f"Hold {hold_id} is not the first in the queue")
        near = _that(self.copies, title_id=copy["title_id"], at=hold["pickup"], status="shelf")
        if near and copy_id not in near:
            return _sorry(f"{', '.join(near)} is on the shelf at {hold['pickup']} itself")
        return {"success": True, "goes_to": self._earmark(copy_id, hold_id)}

    def close_hold(self, hold_id: str, reason: Literal["cancelled", "expired"]) -> dict[str, Any]:
        """End a hold that was not collected; its copy goes to the next in the queue, or home.

        Args:
            hold_id: A hold that is waiting or ready, not one whose copy is in the van.
            reason: Cancelled at the patron's wish, or expired after the last day on the
                hold shelf.
        """
        if hold_id not in self.holds:
            return _sorry(f"Hold {hold_id} does not exist")
        hold = self.holds[hold_id]
        if hold["status"] not in ("waiting", "ready"):
            return _sorry(f"Hold {hold_id} cannot be closed while it is {hold['status']}")
        over = hold["keep_until"] is not None and hold["keep_until"] < self._today()
        if over != (reason == "expired"):
            return _sorry(f"Hold {hold_id} is kept until {hold['keep_until']}: not {reason}")
        hold["status"] = reason
        goes_to = None if hold["copy_id"] is None else self._route(hold["copy_id"])
        return {"success": True, "copy_goes_to": goes_to}

    # Interloans, rooms and purchases

    def _lender_left(self, lender_id: str) -> int:
        this_month = [
            wish
            for wish in _that(self.interloans, lender_id=lender_id).values()
            if (wish["ordered_on"] or "")[:7] == self._today()[:7]
        ]
        return self.lenders[lender_id]["monthly_quota"] - len(this_month)

    def order_interloan(self, interloan_id: str, lender_id: str) -> dict[str, Any]:
        """Order an item from another library; the lender's fee is charged to the patron.

        Args:
            interloan_id: A wish that has not been ordered, for something not in our catalogue.
            lender_id: A lender with quota left this month.
        """
        if interloan_id not in self.interloans or lender_id not in self.lenders:
            return _sorry(f"{interloan_id} or {lender_id} does not exist")
        wish = self.interloans[interloan_id]
        if wish["lender_id"] is not None:
            return _sorry(f"{interloan_id} was ordered on {wish['ordered_on']}")
        if problem := self._standing(wish["patron_id"]):
            return _sorry(problem)
        if owned := _that(self.titles, isbn=wish["isbn"]):
            return _sorry(f"We have that ourselves, as {', '.join(owned)}")
        this_year = [
            other
            for other in _that(self.interloans, patron_id=wish["patron_id"]).values()
            if (other["ordered_on"] or "")[:4] == self._today()[:4]
        ]
        if len(this_year) >= self._may(wish["patron_id"])["interloans"]:
            return _sorry(f"{wish['patron_id']} has had {len(this_year)} interloans this year")
        if self._lender_left(lender_id) < 1:
            return _sorry(f"{self.lenders[lender_id]['name']} lends us nothing more this month")
        wish["lender_id"], wish["ordered_on"] = lender_id, self._today()
        fee = self.lenders[lender_id]["fee"]
        return {"success": True, **self._charge(wish["patron_id"], "interloan", interloan_id, fee)}

    def _room_problem(self, room: Room, on: str, start: str, end: str, people: int) -> str | None:
        """Say why a room does not suit a meeting, whoever else has booked it, or return None."""
        day, hours, branch = _read_date(on), _hours(start, end), self.branches[room["branch_id"]]
        if day is None or hours is None:
            return "Dates are YYYY-MM-DD; times are on the half-hour, HH:MM, start before end"
        if not 0 <= (day - datetime.now().date()).days <= ROOM_DAYS_AHEAD:
            return f"Rooms are booked from today to {ROOM_DAYS_AHEAD} days ahead"
        if not self._is_open(room["branch_id"], day):
            return f"{branch['name']} is shut on {on}"
        if not branch["opens"] <= start < end <= branch["closes"]:
            return f"{branch['name']} is open from {branch['opens']} to {branch['closes']}"
        if not 1 <= people <= room["seats"]:
            return f"{room['name']} seats {room['seats']}"
        return None

    def book_room(
        self, room_id: str, patron_id: str, on: str, start: str, end: str, people: int
    ) -> dict[str, Any]:
        """Book a meeting room for an adult patron; the hours are charged.

        Args:
            room_id: The room.
            patron_id: Who books, 18 or older, with fewer than two bookings to come.
            on: Day, YYYY-MM-DD, up to 30 days ahead.
            start: HH:MM, on the half-hour.
            end: HH:MM, on the half-hour.
            people: How many will come.
        """
        if problem := self._standing(patron_id):
            return _sorry(problem)
        if room_id not in self.rooms:
            return _sorry(f"Room {room_id} does not exist")
        room = self.rooms[room_id]
        if problem := self._room_problem(room, on, start, end, people):
            return _sorry(problem)
        for booking_id, other in _that(self.bookings, room_id=room_id, on=on).items():
            if start < other["end"] and other["start"] < end:
                return _sorry(f"Booking {booking_id} has the room {other['start']}-{other['end']}")
        if self._age(patron_id) < ROOM_AGE:
            return _sorry(f"Rooms are booked from {ROOM_AGE} years on")
        ahead = _that(self.bookings, patron_id=patron_id).values()
        if sum(b["on"] >= self._today() for b in ahead) >= ROOM_BOOKINGS:
            return _sorry(f"{patron_id} has {ROOM_BOOKINGS} bookings to come")
        booking_id = self._new("B")
        self.bookings[booking_id] = {
            "room_id": room_id,
            "patron_id": patron_id,
            "on": on,
            "start": start,
            "end": end,
            "people": people,
        }
        pence = round(room["hourly"] * (_hours(start, end) or 0))
        charged = self._charge(patron_id, "room", booking_id, pence)
        return {"success": True, "booking_id": booking_id, **charged}

    def decide_suggestion(
        self, suggestion_id: str, decision: Purchase, fund_id: str | None = None
    ) -> dict[str, Any]:
        """Order what a patron suggested, or decline it for a reason that holds.

        What is ordered enters the catalogue, with a hold for the suggester at the home branch.

        Args:
            suggestion_id: A suggestion that has not been decided.
            decision: Order, or decline: owned (its ISBN is in the catalogue), budget (no fund
                of its kind has enough left), limit (two ordered for this patron this year).
            fund_id: The fund that pays, for orders only.
        """
        if suggestion_id not in self.suggestions:
            return _sorry(f"Suggestion {suggestion_id} does not exist")
        wish = self.suggestions[suggestion_id]
        if wish["decision"] is not None:
            return _sorry(f"Suggestion {suggestion_id} was decided on {wish['decided_on']}")
        able = [
            key
            for key, fund in self.funds.items()
            if wish["kind"] in fund["kinds"] and fund["budget"] - fund["spent"] >= wish["price"]
        ]
        had = _that(self.suggestions, patron_id=wish["patron_id"], decision="order").values()
        ordered = sum((h["decided_on"] or "")[:4] == self._today()[:4] for h in had)
        against: dict[Purchase, bool] = {
            "decline_owned": bool(_that(self.titles, isbn=wish["isbn"])),
            "decline_limit": ordered >= SUGGESTIONS_A_YEAR,
            "decline_budget": not able,
        }
        if (decision == "order") != (fund_id is not None):
            return _sorry("A fund pays for orders, and only for these")
        if decision == "order" and any(against.values()):
            return _sorry(
                f"Against it: {', '.join(key for key, holds in against.items() if holds)}"
            )
        if fund_id is not None and fund_id not in able:
            return _sorry(f"Funds that can pay: {', '.join(able)}")
        if decision != "order" and not against[decision]:
            return _sorry(f"{decision} does not hold for {suggestion_id}")
        wish["decision"], wish["decided_on"] = decision, self._today()
        if fund_id is None:
            return {"success": True}
        self.funds[fund_id]["spent"] += wish["price"]
        title_id, hold_id = self._new("T"), self._new("H")
        self.titles[title_id] = {
            "name": wish["name"],
            "author": wish["author"],
            "isbn": wish["isbn"],
            "kind": wish["kind"],
            "min_age": wish["min_age"],
            "price": wish["price"],
        }
        self.holds[hold_id] = {
            "title_id": title_id,
            "patron_id": wish["patron_id"],
            "pickup": self.patrons[wish["patron_id"]]["home"],
            "placed_on": self._today(),
            "status": "waiting",
            "copy_id": None,
            "keep_until": None,
        }
        return {"success": True, "title_id": title_id, "hold_id": hold_id}

    def refuse_request(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record that a request could not be granted.

        Filed on the patron: blocked by charges, card expired, too young, limit of loans, holds
        or bookings, quota of interloans. On the loan: renewals used, others waiting. On the
        hold: not the first. On the title: a copy is on the shelf where it is wanted. On the
        charge: no waiver. On the room: unsuitable, be it shut, taken or too small.

        Args:
            record_id: The record that the reason is filed on.
            reason: What stands in the way.
        """
        kind = next(name for name, reasons in REFUSED_ON.items() if reason in reasons)
        if record_id not in getattr(self, kind):
            return _sorry(f"{reason} is filed on one of the {kind}, and {record_id!r} is none")
        if _that(self.refusals, record_id=record_id, reason=reason):
            return _sorry(f"{reason} is on record for {record_id}")
        refusal_id = self._new("R")
        today = self._today()
        self.refusals[refusal_id] = Refusal(record_id=record_id, reason=reason, refused_on=today)
        return {"success": True, "refusal_id": refusal_id}
