"""District court registry: filings and fees, service, court days, the hearing list and orders."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

CaseKind = Literal["civil", "family", "small_claims"]
CaseStatus = Literal["open", "decided"]
Role = Literal["claimant", "defendant"]
FilingKind = Literal[
    "claim",
    "defence",
    "reply",
    "motion",
    "response",
    "affidavit",
    "undertaking",
    "consent",
    "appeal",
]
FeeStatus = Literal["due", "paid", "waived", "none"]
WaiverGround = Literal["benefit", "legal_aid"]
SealGround = Literal["child", "trade_secret", "safety"]
Method = Literal["personal", "post", "email", "notice"]
HearingKind = Literal["conference", "motion", "trial"]
AdjournGround = Literal["illness", "counsel_unavailable", "settlement_talks", "court"]
OrderKind = Literal["judgment", "default_judgment", "consent_order"]
RefusalReason = Literal[
    "judge_conflict",
    "not_in_default",
    "consent_missing",
    "fee_due",
    "waiver_not_due",
    "sealed",
    "service_invalid",
    "deadline_passed",
    "extension_not_allowed",
    "late_request",
    "adjournments_used",
]

MINUTES: dict[HearingKind, int] = {"conference": 30, "motion": 60, "trial": 180}
NOTICE: dict[HearingKind, int] = {"conference": 3, "motion": 5, "trial": 10}
SITTINGS = (("09:30", "12:30"), ("13:30", "16:30"))
DEFENCE_DAYS: dict[CaseKind, int] = {"civil": 20, "family": 15, "small_claims": 10}
REPLY_DAYS = 10
RESPONSE_DAYS = 7
APPEAL_DAYS = 20
LONGEST_EXTENSION = 10
DEEMED: dict[Method, int] = {"personal": 0, "email": 1, "post": 5, "notice": 10}
ADJOURNMENTS_EACH = 2
ADJOURN_NOTICE = 3
ENTERED_ON: dict[str, tuple[RefusalReason, ...]] = {
    "cases": ("judge_conflict", "not_in_default", "consent_missing"),
    "filings": ("fee_due", "waiver_not_due", "sealed", "service_invalid"),
    "deadlines": ("deadline_passed", "extension_not_allowed"),
    "hearings": ("late_request", "adjournments_used"),
}


class Case(TypedDict):
    """A proceeding before the court."""

    title: str
    kind: CaseKind
    judge_id: str | None
    status: CaseStatus
    opened_on: str


class Person(TypedDict):
    """Somebody in a case; `language` is the one that needs an interpreter."""

    name: str
    kind: Literal["individual", "company"]
    language: str | None
    benefit_until: str | None  # last day of a benefit card


class Lawyer(TypedDict):
    """A representative on the roll."""

    name: str
    firm: str
    certified_until: str  # last day of the practising certificate


class Party(TypedDict):
    """A person's part in a case."""

    case_id: str
    person_id: str
    role: Role
    lawyer_id: str | None
    legal_aid: bool
    takes_email: bool


class Judge(TypedDict):
    """A judge, with the people and firms whose cases are closed to them."""

    name: str
    kinds: list[CaseKind]
    barred_people: list[str]
    barred_firms: list[str]


class Courtroom(TypedDict):
    """A room; family cases sit in private ones."""

    name: str
    private: bool


class Interpreter(TypedDict):
    """A sworn interpreter, with weekdays from 1 (Monday) to 5."""

    name: str
    languages: list[str]
    weekdays: list[int]


class Absence(TypedDict):
    """Days, both included, on which a judge, room or interpreter is not to be had."""

    who: str
    first: str
    last: str


class Filing(TypedDict):
    """A document on the record of a case; fees are in whole dollars."""

    case_id: str
    party_id: str
    kind: FilingKind
    filed_on: str
    fee: int
    fee_status: FeeStatus
    waiver_ground: WaiverGround | None
    sealed: SealGround | None
    open_to: list[str]  # lawyers who may see it although it is sealed


class Service(TypedDict):
    """An attempt to serve a filing; `deemed_on` is when it counts as served."""

    filing_id: str
    party_id: str
    method: Method
    attempted_on: str
    deemed_on: str | None


class Deadline(TypedDict):
    """The last court day for a filing of a party."""

    case_id: str
    party_id: str
    filing: FilingKind
    due_on: str
    extended: bool
    met: bool


class Hearing(TypedDict):
    """A sitting in a case, with clock times as HH:MM."""

    case_id: str
    kind: HearingKind
    courtroom_id: str
    interpreter_id: str | None
    on: str
    start: str
    end: str
    status: Literal["set", "adjourned", "vacated"]
    adjourned_for: str | None  # the party who asked
    adjourn_ground: AdjournGround | None


class Order(TypedDict):
    """A decision that ends a case."""

    case_id: str
    kind: OrderKind
    against: str | None
    made_on: str


class Refusal(TypedDict):
    """A request that the registry could not grant."""

    record_id: str
    reason: RefusalReason
    entered_on: str


def _denied(objection: str) -> dict[str, Any]:
    return {"success": False, "error": objection}


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _end(kind: HearingKind, start: str) -> str | None:
    """When a hearing ends that starts on the half-hour; None if that is no such time."""
    try:
        begin = datetime.strptime(start, "%H:%M")
    except ValueError:
        return None
    if begin.strftime("%H:%M") != start or begin.minute % 30:
        return None
    return (begin + timedelta(minutes=MINUTES[kind])).strftime("%H:%M")


def _in(case_id: str, records: dict[str, Any]) -> dict[str, Any]:
    """Records of a collection that belong to a case."""
    return {key: record for key, record in records.items() if record["case_id"] == case_id}


class CourtRegistry:
    """The registry of a district court."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.cases: dict[str, Case] = {}
        self.people: dict[str, Person] = {}
        self.lawyers: dict[str, Lawyer] = {}
        self.parties: dict[str, Party] = {}
        self.judges: dict[str, Judge] = {}
        self.courtrooms: dict[str, Courtroom] = {}
        self.interpreters: dict[str, Interpreter] = {}
        self.absences: dict[str, Absence] = {}
        self.holidays: dict[str, str] = {}
        self.fee_table: dict[CaseKind, dict[FilingKind, int]] = {}
        self.filings: dict[str, Filing] = {}
        self.services: dict[str, Service] = {}
        self.deadlines: dict[str, Deadline] = {}
        self.hearings: dict[str, Hearing] = {}
        self.orders: dict[str, Order] = {}
        self.refusals: dict[str, Refusal] = {}
        self.serials: dict[str, int] = {}  # last number given, by prefix

    # Days and numbers

    def _today(self) -> str:
        return datetime.now().date().isoformat()

    def _next_id(self, prefix: str) -> str:
        self.serials[prefix] = self.serials.get(prefix, 0) + 1
        return f"{prefix}-{self.serials[prefix]}"

    def _is_court_day(self, day: date) -> bool:
        return day.isoweekday() <= 5 and day.isoformat() not in self.holidays

    def _court_day(self, start: str, count: int) -> str:
        """The court day that many court days after a date; for none, the date or the next one."""
        day = date.fromisoformat(start)
        while count or not self._is_court_day(day):
            day += timedelta(days=1)
            count -= bool(count) and self._is_court_day(day)
        return day.isoformat()

    def _absences(self, who: str) -> list[Absence]:
        return [absence for absence in self.absences.values() if absence["who"] == who]

    # Cases and their people

    def _parties_of(self, case_id: str) -> dict[str, Party]:
        return _in(case_id, self.parties)

    def _people_in(self, case_id: str) -> set[str | None]:
        """Whoever has to be there when a case is heard, lawyers included."""
        parties = self._parties_of(case_id).values()
        return {p["person_id"] for p in parties} | {p["lawyer_id"] for p in parties}

    def _party_card(self, party_id: str) -> dict[str, Any]:
        party = self.parties[party_id]
        lawyer = self.lawyers[party["lawyer_id"]] if party["lawyer_id"] else None
        person = self.people[party["person_id"]]
        return {"party_id": party_id, **party, "person": person, "lawyer": lawyer}

    def _languages(self, case_id: str) -> set[str]:
        people = [self.people[p["person_id"]] for p in self._parties_of(case_id).values()]
        return {person["language"] for person in people if person["language"] is not None}

    def _conflict(self, judge_id: str, case_id: str) -> str | None:
        """Say whose part in a case bars a judge from it, or return None."""
        judge = self.judges[judge_id]
        for party in self._parties_of(case_id).values():
            if party["person_id"] in judge["barred_people"]:
                return f"{judge['name']} is barred by {self.people[party['person_id']]['name']}"
            if party["lawyer_id"] is not None:
                firm = self.lawyers[party["lawyer_id"]]["firm"]
                if firm in judge["barred_firms"]:
                    return f"{judge['name']} is barred by the firm {firm}"
        return None

    def _filings_of(self, case_id: str, kind: FilingKind) -> dict[str, Filing]:
        return {k: f for k, f in _in(case_id, self.filings).items() if f["kind"] == kind}

    def _served(self, filing_id: str, party_id: str, by: str = "9999-12-31") -> bool:
        return any(
            (s["filing_id"], s["party_id"]) == (filing_id, party_id)
            and s["deemed_on"] is not None
            and s["deemed_on"] <= by
            for s in self.services.values()
        )

    def _open_deadline(self, party_id: str, kind: FilingKind) -> str | None:
        """The deadline that a filing of a party would answer; of several the latest."""
        open_ones = [
            key
            for key, deadline in self.deadlines.items()
            if (deadline["party_id"], deadline["filing"]) == (party_id, kind)
            and not deadline["met"]
        ]
        return max(open_ones, key=self._due, default=None)

    def _due(self, deadline_id: str) -> str:
        return self.deadlines[deadline_id]["due_on"]

    def _start_deadline(self, party_id: str, kind: FilingKind, start: str, days: int) -> str:
        deadline_id, due_on = self._next_id("DL"), self._court_day(start, days)
        case_id = self.parties[party_id]["case_id"]
        self.deadlines[deadline_id] = Deadline(
            case_id=case_id,
            party_id=party_id,
            filing=kind,
            due_on=due_on,
            extended=False,
            met=False,
        )
        return deadline_id

    def _deadline_row(self, deadline_id: str) -> dict[str, Any]:
        deadline = self.deadlines[deadline_id]
        party = self.parties[deadline["party_id"]]
        return {
            "deadline_id": deadline_id,
            **deadline,
            "party": self.people[party["person_id"]]["name"],
            "passed": not deadline["met"] and deadline["due_on"] < self._today(),
        }

    # The hearing list

    def _sitting_objections(
        self, case_id: str, kind: HearingKind, courtroom_id: str, on: str, start: str
    ) -> Iterator[str]:
        """Yield what is wrong with the day, the time or the room of a hearing."""
        end = _end(kind, start)
        if not _is_date(on) or end is None:
            yield "Dates are YYYY-MM-DD, hearings start on the half-hour, HH:MM"
            return
        if not self._is_court_day(date.fromisoformat(on)):
            yield f"{on} is not a court day"
        earliest = self._court_day(self._today(), NOTICE[kind])
        if on < earliest:
            yield f"A {kind} needs {NOTICE[kind]} court days' notice: {earliest} at the earliest"
        if not any(first <= start < end <= last for first, last in SITTINGS):
            yield f"{start} to {end} does not lie within one sitting"
        if self.cases[case_id]["kind"] == "family" and not self.courtrooms[courtroom_id]["private"]:
            yield f"{self.courtrooms[courtroom_id]['name']} is not private"

    def _attendance_objections(
        self, case_id: str, judge_id: str, hearing: Hearing, but: str | None = None
    ) -> Iterator[str]:
        """Yield who or what cannot be at a hearing, the one that it replaces left aside."""
        room_id, interpreter_id = hearing["courtroom_id"], hearing["interpreter_id"]
        for who in (judge_id, room_id, interpreter_id):
            away = self._absences(who) if who is not None else []
            if any(absence["first"] <= hearing["on"] <= absence["last"] for absence in away):
                yield f"{who} is not available on {hearing['on']}"
        if interpreter_id is not None:
            interpreter = self.interpreters[interpreter_id]
            if date.fromisoformat(hearing["on"]).isoweekday() not in interpreter["weekdays"]:
                yield f"{interpreter['name']} does not work on that weekday"
        wanted = self._people_in(case_id) | {judge_id, room_id, interpreter_id}
        for key, other in self.hearings.items():
            apart = other["end"] <= hearing["start"] or hearing["end"] <= other["start"]
            if key == but or other["status"] != "set" or other["on"] != hearing["on"] or apart:
                continue
            busy = self._people_in(other["case_id"]) | {self.cases[other["case_id"]]["judge_id"]}
            busy |= {other["courtroom_id"], other["interpreter_id"]}
            if clash := sorted(str(who) for who in wanted & busy if who is not None):
                yield f"Hearing {key} already takes {', '.join(clash)} at that time"

    def _interpreter_objection(self, case_id: str, interpreter_id: str | None) -> str | None:
        needed = self._languages(case_id)
        if interpreter_id is None:
            return f"An interpreter is needed: {', '.join(sorted(needed))}" if needed else None
        if interpreter_id not in self.interpreters:
            return f"Interpreter {interpreter_id} does not exist"
        if not needed:
            return "Nobody in this case needs an interpreter"
        missing = sorted(needed - set(self.interpreters[interpreter_id]["languages"]))
        return f"{interpreter_id} does not interpret {', '.join(missing)}" if missing else None

    def _tried(self, case_id: str) -> bool:
        now = datetime.now().strftime("%Y-%m-%d %H:%M")
        sat = (h for h in _in(case_id, self.hearings).values() if h["status"] == "set")
        return any(h["kind"] == "trial" and f"{h['on']} {h['end']}" <= now for h in sat)

    # Reading the record

    def search_cases(
        self, text: str = "", kind: CaseKind | None = None, status: CaseStatus | None = None
    ) -> dict[str, Any]:
        """Find cases with their judge and the ids and names of their parties.

        Args:
            text: Part of the title or of a party's name, any case; empty for all.
            kind: Only cases of this kind.
            status: Only cases in this status.
        """
        found = []
        for case_id, case in self.cases.items():
            names = {
                key: self.people[party["person_id"]]["name"]
                for key, party in self._parties_of(case_id).items()
            }
            named = text.lower() in " / ".join([case["title"], *names.values()]).lower()
            if named and kind in (None, case["kind"]) and status in (None, case["status"]):
                found.append({"case_id": case_id, **case, "parties": names})
        return {"success": True, "cases": found}

    def get_case(self, case_id: str) -> dict[str, Any]:
        """Show a case with its parties, deadlines, filings, hearings, orders and refusals.

        Args:
            case_id: The case.
        """
        if case_id not in self.cases:
            return _denied(f"Case {case_id} does not exist")
        return {
            "success": True,
            "case_id": case_id,
            **self.cases[case_id],
            "parties": [self._party_card(key) for key in self._parties_of(case_id)],
            "deadlines": [self._deadline_row(key) for key in _in(case_id, self.deadlines)],
            "filings": _in(case_id, self.filings),
            "hearings": _in(case_id, self.hearings),
            "orders": _in(case_id, self.orders),
            "refusals": [r for r in self.refusals.values() if r["record_id"] == case_id],
        }

    def search_people(self, text: str = "") -> dict[str, Any]:
        """Find people, companies and lawyers, with the cases in which they appear.

        Args:
            text: Part of a name or of a lawyer's firm, any case; empty for all.
        """
        people = [
            {
                "person_id": key,
                **person,
                "cases": [p["case_id"] for p in self.parties.values() if p["person_id"] == key],
            }
            for key, person in self.people.items()
            if text.lower() in person["name"].lower()
        ]
        lawyers = [
            {
                "lawyer_id": key,
                **lawyer,
                "acts_for": [k for k, p in self.parties.items() if p["lawyer_id"] == key],
            }
            for key, lawyer in self.lawyers.items()
            if text.lower() in f"{lawyer['name']} {lawyer['firm']}".lower()
        ]
        return {"success": True, "people": people, "lawyers": lawyers}

    def list_filings(
        self, kind: FilingKind | None = None, fee_status: FeeStatus | None = None
    ) -> dict[str, Any]:
        """List filings of all cases by date, with fees in dollars.

        Args:
            kind: Only filings of this kind.
            fee_status: Only filings whose fee stands like this.
        """
        found = [
            {"filing_id": key, **filing, "title": self.cases[filing["case_id"]]["title"]}
            for key, filing in self.filings.items()
            if kind in (None, filing["kind"]) and fee_status in (None, filing["fee_status"])
        ]
        return {"success": True, "filings": sorted(found, key=lambda row: row["filed_on"])}

    def get_filing(self, filing_id: str) -> dict[str, Any]:
        """Show a filing with who filed it, every attempt to serve it and its refusals.

        Args:
            filing_id: The filing.
        """
        if filing_id not in self.filings:
            return _denied(f"Filing {filing_id} does not exist")
        filing = self.filings[filing_id]
        return {
            "success": True,
            "filing_id": filing_id,
            **filing,
            "filed_by": self._party_card(filing["party_id"]),
            "services": {k: s for k, s in self.services.items() if s["filing_id"] == filing_id},
            "refusals": [r for r in self.refusals.values() if r["record_id"] == filing_id],
        }

    def list_services(
        self,
        text: str = "",
        method: Method | None = None,
        failed_only: bool = False,
    ) -> dict[str, Any]:
        """List attempts to serve filings by date, with case, party and the party's lawyer.

        Args:
            text: Part of the case's title or of the name of the party to be served, any case.
            method: Only attempts in this way.
            failed_only: Leave out those that reached the party.
        """
        found = []
        for service_id, service in self.services.items():
            party = self.parties[service["party_id"]]
            name = self.people[party["person_id"]]["name"]
            title = self.cases[party["case_id"]]["title"]
            wanted = method in (None, service["method"]) and not (
                failed_only and service["deemed_on"] is not None
            )
            if wanted and text.lower() in f"{title} / {name}".lower():
                found.append(
                    {
                        "service_id": service_id,
                        **service,
                        "filing": self.filings[service["filing_id"]]["kind"],
                        "title": title,
                        "party": name,
                        "lawyer_id": party["lawyer_id"],
                    }
                )
        return {"success": True, "services": sorted(found, key=lambda row: row["attempted_on"])}

    def list_deadlines(
        self, due_by: str | None = None, filing: FilingKind | None = None
    ) -> dict[str, Any]:
        """List deadlines that have not been met, by date; `passed` tells those that are over.

        Args:
            due_by: Only deadlines on or before this date, YYYY-MM-DD.
            filing: Only deadlines for this kind of filing.
        """
        if due_by is not None and not _is_date(due_by):
            return _denied(f"{due_by!r} is not a date, YYYY-MM-DD")
        found = [
            {**self._deadline_row(key), "title": self.cases[deadline["case_id"]]["title"]}
            for key, deadline in self.deadlines.items()
            if not deadline["met"]
            and (due_by is None or deadline["due_on"] <= due_by)
            and filing in (None, deadline["filing"])
        ]
        return {"success": True, "deadlines": sorted(found, key=lambda row: row["due_on"])}

    def list_hearings(
        self, first: str | None = None, last: str | None = None, judge_id: str | None = None
    ) -> dict[str, Any]:
        """List the hearings that are set, by date and time.

        Args:
            first: Only hearings on or after this date, YYYY-MM-DD.
            last: Only hearings on or before this date, YYYY-MM-DD.
            judge_id: Only hearings of this judge's cases.
        """
        for day in (first, last):
            if day is not None and not _is_date(day):
                return _denied(f"{day!r} is not a date, YYYY-MM-DD")
        found = []
        for key, hearing in self.hearings.items():
            case = self.cases[hearing["case_id"]]
            within = (first or "") <= hearing["on"] <= (last or "9999")
            if within and hearing["status"] == "set" and judge_id in (None, case["judge_id"]):
                extra = {"title": case["title"], "judge_id": case["judge_id"]}
                found.append({"hearing_id": key, **hearing, **extra})
        return {"success": True, "hearings": sorted(found, key=lambda h: (h["on"], h["start"]))}

    def list_judges(self, kind: CaseKind | None = None) -> dict[str, Any]:
        """List judges with what they hear, who bars them, their absences and their open cases.

        Args:
            kind: Only judges who hear cases of this kind.
        """
        open_cases = [c["judge_id"] for c in self.cases.values() if c["status"] == "open"]
        found = [
            {
                "judge_id": key,
                **judge,
                "absences": self._absences(key),
                "open_cases": open_cases.count(key),
            }
            for key, judge in self.judges.items()
            if kind is None or kind in judge["kinds"]
        ]
        return {"success": True, "judges": found}

    def list_courtrooms(self) -> dict[str, Any]:
        """List courtrooms, whether they are private, and when they are closed."""
        found = [
            {"courtroom_id": key, **room, "closed": self._absences(key)}
            for key, room in self.courtrooms.items()
        ]
        return {"success": True, "courtrooms": found}

    def list_interpreters(self, language: str = "") -> dict[str, Any]:
        """List sworn interpreters with weekdays (1 is Monday) and absences.

        Args:
            language: Only interpreters for this language, any case; empty for all.
        """
        found = [
            {"interpreter_id": key, **interpreter, "absences": self._absences(key)}
            for key, interpreter in self.interpreters.items()
            if not language or language.lower() in map(str.lower, interpreter["languages"])
        ]
        return {"success": True, "interpreters": found}

    def court_calendar(self) -> dict[str, Any]:
        """Show the days on which the court is closed, and the table of fees in dollars."""
        return {"success": True, "holidays": self.holidays, "fees": self.fee_table}

    # Filings, fees and service

    def lodge_filing(self, party_id: str, kind: FilingKind) -> dict[str, Any]:
        """Put a document of a party on the record; the deadline that it answers is met.

        Args:
            party_id: The party who files.
            kind: What is filed. Claims open a case and are not lodged here.
        """
        if party_id not in self.parties:
            return _denied(f"Party {party_id} does not exist")
        party = self.parties[party_id]
        case = self.cases[party["case_id"]]
        if kind == "claim":
            return _denied("A claim opens a case of its own")
        if (case["status"] == "decided") != (kind == "appeal"):
            return _denied(f"Case {party['case_id']} is {case['status']}: no {kind} now")
        if party["lawyer_id"] is not None:
            lawyer = self.lawyers[party["lawyer_id"]]
            if lawyer["certified_until"] < self._today():
                return _denied(f"The certificate of {lawyer['name']} has lapsed")
        deadline_id = self._open_deadline(party_id, kind)
        if kind in ("defence", "reply", "response", "appeal"):
            if deadline_id is None:
                return _denied(f"No {kind} is awaited from {party_id}")
            if self.deadlines[deadline_id]["due_on"] < self._today():
                return _denied(f"Deadline {deadline_id} passed on {self._due(deadline_id)}")
        fee = self.fee_table[case["kind"]].get(kind, 0)
        filing_id = self._next_id("F")
        self.filings[filing_id] = {
            "case_id": party["case_id"],
            "party_id": party_id,
            "kind": kind,
            "filed_on": self._today(),
            "fee": fee,
            "fee_status": "due" if fee else "none",
            "waiver_ground": None,
            "sealed": None,
            "open_to": [],
        }
        if deadline_id is not None:
            self.deadlines[deadline_id]["met"] = True
        return {"success": True, "filing_id": filing_id, "fee": fee, "deadline_met": deadline_id}

    def pay_fee(self, filing_id: str, dollars: int) -> dict[str, Any]:
        """Enter the payment of a filing fee.

        Args:
            filing_id: A filing whose fee is due.
            dollars: The sum in whole dollars; fees are not paid in parts.
        """
        filing = self.filings.get(filing_id)
        if filing is None or filing["fee_status"] != "due":
            return _denied(f"No fee is due for {filing_id}")
        if dollars != filing["fee"]:
            return _denied(f"The fee of {filing_id} is {filing['fee']} dollars")
        filing["fee_status"] = "paid"
        return {"success": True, "case_id": filing["case_id"]}

    def waive_fee(self, filing_id: str, ground: WaiverGround) -> dict[str, Any]:
        """Waive a fee that is due.

        Args:
            filing_id: A filing whose fee is due.
            ground: The filer's benefit card, valid today, or legal aid granted for this case.
        """
        filing = self.filings.get(filing_id)
        if filing is None or filing["fee_status"] != "due":
            return _denied(f"No fee is due for {filing_id}")
        party = self.parties[filing["party_id"]]
        person = self.people[party["person_id"]]
        if person["kind"] == "company":
            return _denied("Companies have no fees waived")
        if ground == "benefit" and (person["benefit_until"] or "") < self._today():
            return _denied(f"{person['name']} has no benefit card that is valid today")
        if ground == "legal_aid" and not party["legal_aid"]:
            return _denied(f"{person['name']} has no legal aid in this case")
        filing["fee_status"] = "waived"
        filing["waiver_ground"] = ground
        return {"success": True, "case_id": filing["case_id"]}

    def _service_objections(self, filing_id: str, party_id: str, method: Method) -> Iterator[str]:
        filing, party = self.filings[filing_id], self.parties[party_id]
        if party["case_id"] != filing["case_id"] or party_id == filing["party_id"]:
            yield f"{party_id} is not another party of the case"
        if filing["fee_status"] == "due":
            yield f"The fee of {filing_id} is due; it is not served before"
        if self._served(filing_id, party_id):
            yield f"{filing_id} has been served on {party_id}"
        if method in ("personal", "notice") and party["lawyer_id"] is not None:
            yield f"{party_id} is served through the lawyer, by post or email"
        by_letter = method in ("post", "email")
        if by_letter and filing["kind"] == "claim" and party["lawyer_id"] is None:
            yield "A claim is served in person, or by notice, on a party without a lawyer"
        if method == "email" and party["lawyer_id"] is None and not party["takes_email"]:
            yield f"{party_id} has not agreed to service by email"
        if method == "notice":
            tries = [(s["filing_id"], s["party_id"]) for s in self.services.values()]
            if tries.count((filing_id, party_id)) < 2:
                yield "Notice is published only after two failed attempts"

    def record_service(
        self, filing_id: str, party_id: str, method: Method, outcome: Literal["served", "failed"]
    ) -> dict[str, Any]:
        """Enter today's attempt to serve a filing on another party of its case.

        Served claims start the time for the defence, served defences that for the claimant's
        reply, served motions that for the response.

        Args:
            filing_id: The filing.
            party_id: The party on whom it is served.
            method: By post or email to a lawyer; else in person, by post, by email if the party
                agreed, or by public notice after two failed attempts; claims not by post or email.
            outcome: Whether it reached the party; notices always do.
        """
        if filing_id not in self.filings or party_id not in self.parties:
            return _denied(f"{filing_id} or {party_id} does not exist")
        for objection in self._service_objections(filing_id, party_id, method):
            return _denied(objection)
        if method == "notice" and outcome == "failed":
            return _denied("A published notice cannot fail")
        served = outcome == "served"
        deemed = self._court_day(self._today(), DEEMED[method]) if served else None
        service_id = self._next_id("SV")
        self.services[service_id] = {
            "filing_id": filing_id,
            "party_id": party_id,
            "method": method,
            "attempted_on": self._today(),
            "deemed_on": deemed,
        }
        answer: dict[str, Any] = {"success": True, "service_id": service_id, "deemed_on": deemed}
        if deemed is not None and (limit := self._time_limit(filing_id, party_id)):
            deadline_id = self._start_deadline(party_id, limit[0], deemed, limit[1])
            answer |= {"deadline_id": deadline_id, "due_on": self._due(deadline_id)}
        return answer

    def _time_limit(self, filing_id: str, party_id: str) -> tuple[FilingKind, int] | None:
        """What a party has to file once a filing is served on it, and in how many court days."""
        kind, role = self.filings[filing_id]["kind"], self.parties[party_id]["role"]
        if (kind, role) == ("claim", "defendant"):
            return "defence", DEFENCE_DAYS[self.cases[self.filings[filing_id]["case_id"]]["kind"]]
        if (kind, role) == ("defence", "claimant"):
            return "reply", REPLY_DAYS
        return ("response", RESPONSE_DAYS) if kind == "motion" else None

    def extend_deadline(self, deadline_id: str, court_days: int) -> dict[str, Any]:
        """Give a party more time for a filing.

        Args:
            deadline_id: A deadline that has neither been met nor passed.
            court_days: How many court days more, 1 to 10.
        """
        if deadline_id not in self.deadlines:
            return _denied(f"Deadline {deadline_id} does not exist")
        deadline = self.deadlines[deadline_id]
        if deadline["met"] or deadline["due_on"] < self._today():
            return _denied(f"Deadline {deadline_id} is met or passed")
        small = self.cases[deadline["case_id"]]["kind"] == "small_claims"
        if small or deadline["filing"] == "appeal":
            return _denied("Time to appeal, and time in small claims, is not extended")
        if deadline["extended"]:
            return _denied(f"Deadline {deadline_id} has been extended once")
        if not 1 <= court_days <= LONGEST_EXTENSION:
            return _denied(f"The registry extends by 1 to {LONGEST_EXTENSION} court days")
        deadline["due_on"] = self._court_day(deadline["due_on"], court_days)
        deadline["extended"] = True
        return {"success": True, "due_on": deadline["due_on"]}

    def seal_filing(self, filing_id: str, ground: SealGround) -> dict[str, Any]:
        """Seal a filing; only its filer's lawyer and lawyers with access see it from then on.

        Args:
            filing_id: The filing.
            ground: A child (family cases), a trade secret (filed by a company in a civil
                case), or somebody's safety (any case).
        """
        if filing_id not in self.filings:
            return _denied(f"Filing {filing_id} does not exist")
        filing = self.filings[filing_id]
        kind = self.cases[filing["case_id"]]["kind"]
        filer = self.people[self.parties[filing["party_id"]]["person_id"]]
        if filing["sealed"] is not None:
            return _denied(f"Filing {filing_id} is sealed already")
        if ground == "child" and kind != "family":
            return _denied("That ground is for family cases")
        if ground == "trade_secret" and (kind, filer["kind"]) != ("civil", "company"):
            return _denied("That ground is for what a company files in a civil case")
        filing["sealed"] = ground
        return {"success": True, "case_id": filing["case_id"]}

    def grant_access(self, filing_id: str, lawyer_id: str) -> dict[str, Any]:
        """Let a lawyer of another party see a sealed filing.

        Args:
            filing_id: A filing that is sealed, but not for somebody's safety.
            lawyer_id: A lawyer in the same case; for a trade secret the party has an
                undertaking on the record.
        """
        if filing_id not in self.filings or lawyer_id not in self.lawyers:
            return _denied(f"{filing_id} or {lawyer_id} does not exist")
        filing = self.filings[filing_id]
        if filing["sealed"] is None:
            return _denied(f"Filing {filing_id} is not sealed")
        if filing["sealed"] == "safety":
            return _denied("What is sealed for safety is shown to nobody else")
        others = self._parties_of(filing["case_id"]).items()
        clients = [k for k, p in others if p["lawyer_id"] == lawyer_id and k != filing["party_id"]]
        if not clients:
            return _denied(f"{lawyer_id} acts for no other party of {filing['case_id']}")
        if lawyer_id in filing["open_to"]:
            return _denied(f"{lawyer_id} may see {filing_id} already")
        undertakings = self._filings_of(filing["case_id"], "undertaking").values()
        bound = {u["party_id"] for u in undertakings if u["fee_status"] != "due"}
        if filing["sealed"] == "trade_secret" and not bound & set(clients):
            return _denied(f"No undertaking of {' or '.join(clients)} is in force")
        filing["open_to"].append(lawyer_id)
        return {"success": True, "open_to": filing["open_to"]}

    # The list and the bench

    def assign_judge(self, case_id: str, judge_id: str) -> dict[str, Any]:
        """Give an open case to a judge, together with the hearings that are set in it.

        Args:
            case_id: The case.
            judge_id: A judge who hears its kind, whom nobody in it bars, and who is free at
                the hearings to come.
        """
        if case_id not in self.cases or judge_id not in self.judges:
            return _denied(f"{case_id} or {judge_id} does not exist")
        case = self.cases[case_id]
        if case["status"] != "open" or case["judge_id"] == judge_id:
            return _denied(f"{case_id} is {case['status']}, with {case['judge_id']}")
        if case["kind"] not in self.judges[judge_id]["kinds"]:
            return _denied(f"{self.judges[judge_id]['name']} hears no {case['kind']} cases")
        if conflict := self._conflict(judge_id, case_id):
            return _denied(conflict)
        for key, hearing in _in(case_id, self.hearings).items():
            if hearing["status"] == "set" and hearing["on"] >= self._today():
                for objection in self._attendance_objections(case_id, judge_id, hearing, but=key):
                    return _denied(objection)
        case["judge_id"] = judge_id
        return {"success": True, "judge": self.judges[judge_id]["name"]}

    def set_hearing(
        self,
        case_id: str,
        kind: HearingKind,
        courtroom_id: str,
        on: str,
        start: str,
        interpreter_id: str | None = None,
    ) -> dict[str, Any]:
        """Put a hearing on the list: conferences take 30 minutes, motions 60, trials 180.

        Args:
            case_id: An open case with a judge, whose claim is served on every defendant.
            kind: A trial also needs every defence in, or its time over; a motion hearing a
                motion whose fee is settled.
            courtroom_id: A room free at that time, private for family cases.
            on: A court day with enough notice, YYYY-MM-DD.
            start: On the half-hour, HH:MM; sittings are 09:30-12:30 and 13:30-16:30.
            interpreter_id: An interpreter, if and only if a party needs one.
        """
        if case_id not in self.cases or courtroom_id not in self.courtrooms:
            return _denied(f"{case_id} or {courtroom_id} does not exist")
        case = self.cases[case_id]
        judge_id = case["judge_id"]
        if case["status"] != "open" or judge_id is None:
            return _denied(f"{case_id} is {case['status']}, with judge {judge_id}")
        claims = self._filings_of(case_id, "claim")
        for party_id, party in self._parties_of(case_id).items():
            served = any(self._served(claim, party_id, by=on) for claim in claims)
            if party["role"] == "defendant" and not served:
                return _denied(f"The claim has not been served on {party_id} by {on}")
            waiting = self._open_deadline(party_id, "defence")
            if kind == "trial" and waiting and self._due(waiting) >= self._today():
                return _denied(f"The time for the defence of {party_id} is still running")
        motions = self._filings_of(case_id, "motion").values()
        if kind == "motion" and all(motion["fee_status"] == "due" for motion in motions):
            return _denied(f"No motion in {case_id} whose fee is settled")
        for objection in self._sitting_objections(case_id, kind, courtroom_id, on, start):
            return _denied(objection)
        if problem := self._interpreter_objection(case_id, interpreter_id):
            return _denied(problem)
        hearing: Hearing = {
            "case_id": case_id,
            "kind": kind,
            "courtroom_id": courtroom_id,
            "interpreter_id": interpreter_id,
            "on": on,
            "start": start,
            "end": _end(kind, start) or start,
            "status": "set",
            "adjourned_for": None,
            "adjourn_ground": None,
        }
        for objection in self._attendance_objections(case_id, judge_id, hearing):
            return _denied(objection)
        hearing_id = self._next_id("H")
        self.hearings[hearing_id] = hearing
        return {"success": True, "hearing_id": hearing_id, "end": hearing["end"]}

    def adjourn_hearing(
        self,
        hearing_id: str,
        ground: AdjournGround,
        on: str,
        start: str,
        courtroom_id: str,
        party_id: str | None = None,
    ) -> dict[str, Any]:
        """Move a hearing to another time; kind and interpreter stay, the old entry is closed.

        Args:
            hearing_id: A hearing to come.
            ground: Why; `court` stands for the court's own reasons and for no party.
            on: The new day, YYYY-MM-DD, with the notice that its kind needs.
            start: The new time, HH:MM.
            courtroom_id: The room for the new time.
            party_id: The party who asks for it; nobody on the ground `court`.
        """
        if hearing_id not in self.hearings or courtroom_id not in self.courtrooms:
            return _denied(f"{hearing_id} or {courtroom_id} does not exist")
        old = self.hearings[hearing_id]
        case_id = old["case_id"]
        judge_id = self.cases[case_id]["judge_id"]
        if old["status"] != "set" or old["on"] <= self._today() or judge_id is None:
            return _denied(f"Hearing {hearing_id} is {old['status']}, on {old['on']}")
        if (party_id is None) != (ground == "court"):
            return _denied("Name the party who asks, and nobody on the ground court")
        if party_id is not None:
            if party_id not in self._parties_of(case_id):
                return _denied(f"{party_id} is not a party of {case_id}")
            had = sum(h["adjourned_for"] == party_id for h in self.hearings.values())
            if had >= ADJOURNMENTS_EACH:
                return _denied(f"{party_id} has had {had} adjournments")
            if ground != "illness" and old["on"] < self._court_day(self._today(), ADJOURN_NOTICE):
                return _denied(f"{ADJOURN_NOTICE} court days' notice is needed, but for illness")
        for objection in self._sitting_objections(case_id, old["kind"], courtroom_id, on, start):
            return _denied(objection)
        end = _end(old["kind"], start) or start
        new: Hearing = {**old, "courtroom_id": courtroom_id, "on": on, "start": start, "end": end}
        for objection in self._attendance_objections(case_id, judge_id, new, but=hearing_id):
            return _denied(objection)
        new_id = self._next_id("H")
        old["status"], old["adjourned_for"], old["adjourn_ground"] = "adjourned", party_id, ground
        self.hearings[new_id] = new
        return {"success": True, "hearing_id": new_id, "end": new["end"]}

    def _order_objections(
        self, case_id: str, kind: OrderKind, against: str | None
    ) -> Iterator[str]:
        parties = self._parties_of(case_id)
        if (kind == "default_judgment") != (against is not None):
            yield "Name the defendant for a default judgment, and nobody otherwise"
        elif kind == "judgment":
            if not self._tried(case_id):
                yield f"No trial has been heard in {case_id}"
        elif kind == "default_judgment":
            key = self._open_deadline(against or "", "defence") if against in parties else None
            if key is None or self._due(key) >= self._today():
                yield f"{against} is not in default with a defence"
        else:
            given = self._filings_of(case_id, "consent").values()
            signed = {f["party_id"] for f in given if f["fee_status"] != "due"}
            if missing := sorted(set(parties) - signed):
                yield f"No consent in force from {', '.join(missing)}"

    def make_order(
        self, case_id: str, kind: OrderKind, against: str | None = None
    ) -> dict[str, Any]:
        """Enter the order that decides a case; hearings to come are vacated.

        The parties whom it binds get 20 court days from today to appeal, unless they
        consented: all after a judgment, the defendant after a default.

        Args:
            case_id: An open case.
            kind: Judgment after a trial, default for want of a defence, or by consent of
                every party.
            against: The party in default, and only for a default judgment.
        """
        if case_id not in self.cases:
            return _denied(f"Case {case_id} does not exist")
        case = self.cases[case_id]
        if case["status"] == "decided":
            return _denied(f"Case {case_id} is decided")
        for objection in self._order_objections(case_id, kind, against):
            return _denied(objection)
        order_id = self._next_id("O")
        today = self._today()
        self.orders[order_id] = Order(case_id=case_id, kind=kind, against=against, made_on=today)
        case["status"] = "decided"
        for hearing in _in(case_id, self.hearings).values():
            if hearing["status"] == "set" and hearing["on"] > today:
                hearing["status"] = "vacated"
        bound = list(self._parties_of(case_id)) if kind == "judgment" else [against]
        started = [
            self._start_deadline(party_id, "appeal", today, APPEAL_DAYS)
            for party_id in bound
            if party_id is not None
        ]
        return {"success": True, "order_id": order_id, "appeal_deadlines": started}

    def refuse_request(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Enter that the registry could not grant a request.

        Judge conflicts, defaults and missing consents are entered on the case; fees, waivers,
        seals and service on the filing; deadline and extension reasons on the deadline; late
        requests and used-up adjournments on the hearing.

        Args:
            record_id: The case, filing, deadline or hearing that the request was about.
            reason: What stood in the way.
        """
        kind = next(name for name, reasons in ENTERED_ON.items() if reason in reasons)
        if record_id not in getattr(self, kind):
            return _denied(f"{reason} is entered on {kind}, and {record_id!r} is none of them")
        entered = [(r["record_id"], r["reason"]) for r in self.refusals.values()]
        if (record_id, reason) in entered:
            return _denied(f"{reason} is entered on {record_id} already")
        refusal_id = self._next_id("R")
        today = self._today()
        self.refusals[refusal_id] = Refusal(record_id=record_id, reason=reason, entered_on=today)
        return {"success": True, "refusal_id": refusal_id}
