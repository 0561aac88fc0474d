"""Railway possession planning: line closures for engineering work, from notice to hand-back.

Places are metres from the zero post of a route, so kilometre post 12.4 is 12400. Moments are
local, written YYYY-MM-DDTHH:MM.
"""

from collections.abc import Iterator
from datetime import datetime, time, timedelta
from typing import Any, Literal, TypedDict

Track = Literal["up", "down", "both", "single"]
Work = Literal[
    "track_renewal",
    "ballast_cleaning",
    "tamping",
    "overhead_line",
    "bridge",
    "vegetation",
    "signalling",
]
TrainKind = Literal["express", "regional", "freight"]
Impact = Literal["express", "regional", "freight", "none"]
Weekday = Literal["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
Role = Literal["leader", "warden", "isolator"]
Competence = Literal["leader", "warden", "isolator", "track_inspector"]
PossessionStatus = Literal["planned", "taken", "handed_back", "cancelled"]
CancelReason = Literal["contractor", "train_service", "weather", "staff", "safety"]
PermitKind = Literal["isolation", "work"]
RefusalReason = Literal[
    "notice_too_short",
    "possession_conflict",
    "contractor_not_approved",
    "no_competent_staff",
    "isolation_not_possible",
    "no_work_train",
    "late_cancellation",
    "restriction_must_stay",
]

WEEKDAYS: tuple[Weekday, ...] = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
NOTICE_DAYS: dict[Impact, int] = {"express": 56, "regional": 28, "freight": 14, "none": 3}
NEEDS_ISOLATION: tuple[Work, ...] = ("overhead_line", "vegetation")
OPENS_SLOW: dict[Work, tuple[int, int]] = {"track_renewal": (50, 7), "ballast_cleaning": (70, 3)}
LONGEST = timedelta(hours=54)
REOPENED = timedelta(hours=1)  # less than that between two closures makes them one
STAFF_REST = timedelta(hours=11)
TRAIN_TRANSFER = timedelta(hours=4)
LATE_CANCELLATION = timedelta(hours=72)
LATE_REASONS: tuple[CancelReason, ...] = ("weather", "staff", "safety")


class Route(TypedDict):
    """A railway line with kilometre posts of its own."""

    name: str
    region: str


class Section(TypedDict):
    """A part of a route between two junctions or stations, with two tracks or one."""

    route_id: str
    name: str
    from_m: int
    to_m: int
    tracks: list[Track]


class Feeder(TypedDict):
    """A length of overhead line, over all tracks, that is switched off as a whole."""

    route_id: str
    name: str
    from_m: int
    to_m: int
    neighbours: list[str]  # they carry its load, so they stay on while it is off


class TrainPath(TypedDict):
    """A timetabled train in a section; one that leaves before it enters runs past midnight."""

    number: str
    kind: TrainKind
    section_id: str
    track: Track
    runs_on: list[Weekday]
    enters: str
    leaves: str


class Contractor(TypedDict):
    """A firm and the works for which it is approved."""

    name: str
    works: list[Work]
    approved_until: str


class Worker(TypedDict):
    """Protection staff: the last day of each competence, and the routes that they know."""

    name: str
    competences: dict[Competence, str]
    routes: list[str]


class WorkTrain(TypedDict):
    """An engineering train; one with a crane works only under a dead overhead line."""

    name: str
    works: list[Work]
    length_m: int
    crane: bool
    routes: list[str]
    certified_until: str


class Possession(TypedDict):
    """A piece of track given to a contractor for a time."""

    contractor_id: str
    section_id: str
    track: Track
    from_m: int
    to_m: int
    start: str
    end: str
    work: Work
    status: PossessionStatus


class StaffDuty(TypedDict):
    """Who has a role in a possession."""

    possession_id: str
    role: Role
    staff_id: str


class TrainBooking(TypedDict):
    """A work train that goes into a possession."""

    possession_id: str
    train_id: str


class Isolation(TypedDict):
    """A feeder that is off for the whole of a possession."""

    possession_id: str
    feeder_id: str


class Permit(TypedDict):
    """Leave to work on a place in a possession, or under a line that is switched off."""

    possession_id: str
    kind: PermitKind
    from_m: int
    to_m: int
    status: Literal["open", "returned"]


class Restriction(TypedDict):
    """A temporary speed restriction; `until` is the first day on which it may be lifted."""

    section_id: str
    track: Track
    from_m: int
    to_m: int
    speed_kmh: int
    until: str
    status: Literal["in_force", "lifted"]
    lifted_by: str | None


class Cancellation(TypedDict):
    """Why a possession was given up."""

    possession_id: str
    reason: CancelReason


class Shortening(TypedDict):
    """What a possession was before it was cut."""

    possession_id: str
    from_m: int
    to_m: int
    start: str
    end: str


class Refusal(TypedDict):
    """A wish that the planners turned down."""

    record_id: str
    reason: RefusalReason


class _No(Exception):
    """A tool cannot do what it was asked."""


def _done(**facts: Any) -> dict[str, Any]:
    return {"success": True, **facts}


def _no(reason: object) -> dict[str, Any]:
    return {"success": False, "error": str(reason)}


def _moment(text: str, form: str = "%Y-%m-%dT%H:%M") -> datetime:
    """Read a moment to the minute, or a day if the form says so."""
    try:
        moment = datetime.strptime(text, form)
    except ValueError:
        raise _No(f"{text!r} is not in the form {form}") from None
    if moment.strftime(form) != text:
        raise _No(f"{text!r} is not in the form {form}")
    if moment.year == datetime.max.year:
        raise _No(f"{text!r} lies beyond all planning")
    return moment


def _meet(a_from: Any, a_to: Any, b_from: Any, b_to: Any) -> bool:
    """Whether two stretches of line or time have more than an edge in common."""
    return bool(a_from < b_to and b_from < a_to)


def _same_track(one: Track, other: Track) -> bool:
    return one == other or "both" in (one, other)


class PossessionPlanning:
    """The office that plans line closures and follows them on the night."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.routes: dict[str, Route] = {}
        self.sections: dict[str, Section] = {}
        self.feeders: dict[str, Feeder] = {}
        self.train_paths: dict[str, TrainPath] = {}
        self.contractors: dict[str, Contractor] = {}
        self.staff: dict[str, Worker] = {}
        self.work_trains: dict[str, WorkTrain] = {}
        self.possessions: dict[str, Possession] = {}
        self.staff_duties: dict[str, StaffDuty] = {}
        self.train_bookings: dict[str, TrainBooking] = {}
        self.isolations: dict[str, Isolation] = {}
        self.permits: dict[str, Permit] = {}
        self.restrictions: dict[str, Restriction] = {}
        self.cancellations: dict[str, Cancellation] = {}
        self.shortenings: dict[str, Shortening] = {}
        self.refusals: dict[str, Refusal] = {}
        self.next_number: int = 1

    # Records and what they imply

    def _new(self, prefix: str) -> str:
        self.next_number += 1
        return f"{prefix}-{self.next_number - 1}"

    def _possession(self, possession_id: str, *statuses: PossessionStatus) -> Possession:
        """A possession that is in one of some statuses; in any, if none is named."""
        possession = self.possessions.get(possession_id)
        if possession is None:
            raise _No(f"There is no possession {possession_id}")
        if statuses and possession["status"] not in statuses:
            raise _No(f"Possession {possession_id} is {possession['status']}")
        return possession

    def _live(self) -> Iterator[tuple[str, Possession]]:
        """Possessions that still bind track, people and machines."""
        for possession_id, possession in self.possessions.items():
            if possession["status"] in ("planned", "taken"):
                yield possession_id, possession

    def _of(self, possession_id: str, collection: dict[str, Any]) -> dict[str, Any]:
        """What a collection holds for a possession."""
        return {
            key: record
            for key, record in collection.items()
            if record["possession_id"] == possession_id
        }

    def _route_of(self, possession: Possession) -> str:
        return self.sections[possession["section_id"]]["route_id"]

    def _feeders_over(self, possession: Possession) -> list[str]:
        """Feeders that hang over a possession; none where the line is not electrified."""
        return [
            feeder_id
            for feeder_id, feeder in self.feeders.items()
            if feeder["route_id"] == self._route_of(possession)
            and _meet(feeder["from_m"], feeder["to_m"], possession["from_m"], possession["to_m"])
        ]

    def _live_feeders(self, possession_id: str) -> list[str]:
        """Feeders over a possession for which no isolation is planned."""
        off = [i["feeder_id"] for i in self._of(possession_id, self.isolations).values()]
        over = self._feeders_over(self.possessions[possession_id])
        return [feeder_id for feeder_id in over if feeder_id not in off]

    def _roles_of(self, possession_id: str) -> dict[str, str]:
        duties = self._of(possession_id, self.staff_duties).values()
        return {duty["role"]: duty["staff_id"] for duty in duties}

    def _roles_missing(self, possession_id: str) -> list[Role]:
        """Roles that a possession needs and nobody has yet."""
        possession = self.possessions[possession_id]
        needed: list[Role] = ["leader"]
        if possession["track"] in ("up", "down"):
            needed.append("warden")
        if self._of(possession_id, self.isolations):
            needed.append("isolator")
        filled = self._roles_of(possession_id)
        return [role for role in needed if role not in filled]

    def _trains_hit(
        self, section_id: str, track: Track, start: datetime, end: datetime
    ) -> list[dict[str, Any]]:
        """Trains that would run on a closed track, one entry a day."""
        hit = []
        for path_id, path in self.train_paths.items():
            if path["section_id"] != section_id or not _same_track(path["track"], track):
                continue
            day = start.date() - timedelta(days=1)
            while day <= end.date():
                enters = datetime.combine(day, time.fromisoformat(path["enters"]))
                leaves = datetime.combine(day, time.fromisoformat(path["leaves"]))
                if leaves < enters:
                    leaves += timedelta(days=1)
                if WEEKDAYS[day.weekday()] in path["runs_on"] and _meet(enters, leaves, start, end):
                    train = {"path_id": path_id, "number": path["number"], "kind": path["kind"]}
                    hit.append({**train, "enters": enters.isoformat(timespec="minutes")})
                day += timedelta(days=1)
        return sorted(hit, key=lambda train: str(train["enters"]))

    @staticmethod
    def _impact(trains: list[dict[str, Any]]) -> Impact:
        for impact in NOTICE_DAYS:
            if any(train["kind"] == impact for train in trains):
                return impact
        return "none"

    def _closure(
        self, section_id: str, track: Track, start: str, end: str
    ) -> tuple[datetime, datetime]:
        """Start and end of a closure, unless its track or time makes no sense."""
        section = self.sections.get(section_id)
        if section is None:
            raise _No(f"There is no section {section_id}")
        double = len(section["tracks"]) == 2
        if track not in (*section["tracks"], "both" if double else "single"):
            raise _No(f"Section {section_id} has no track {track}")
        begins, ends = _moment(start), _moment(end)
        if not timedelta(0) < ends - begins <= LONGEST:
            raise _No("A possession ends after it starts, at most 54 hours later")
        return begins, ends

    def _trains_of(self, where: Possession) -> list[dict[str, Any]]:
        """The trains that a possession hits, if its place and time make sense."""
        section_id, track = where["section_id"], where["track"]
        begins, ends = self._closure(section_id, track, where["start"], where["end"])
        section = self.sections[section_id]
        if not section["from_m"] <= where["from_m"] < where["to_m"] <= section["to_m"]:
            raise _No(f"{section['name']} runs from {section['from_m']} to {section['to_m']} m")
        return self._trains_hit(section_id, track, begins, ends)

    def _check_conflict(self, where: Possession) -> None:
        """Refuse a closure that meets another, or is too long with those next to it."""
        there = {
            key: other
            for key, other in self._live()
            if other["section_id"] == where["section_id"]
            and _same_track(other["track"], where["track"])
            and _meet(other["from_m"], other["to_m"], where["from_m"], where["to_m"])
        }
        for key, other in there.items():
            if _meet(other["start"], other["end"], where["start"], where["end"]):
                raise _No(f"Possession {key} has that track from {other['start']}")
        closed = [(_moment(other["start"]), _moment(other["end"])) for other in there.values()]
        begins, ends = _moment(where["start"]), _moment(where["end"])
        for start, end in sorted(closed):
            if start >= ends and start - ends < REOPENED:
                ends = end
        for start, end in sorted(closed, reverse=True):
            if end <= begins and begins - end < REOPENED:
                begins = start
        if ends - begins > LONGEST:
            raise _No(
                f"With others the track would be closed from {begins} to {ends}: over 54 hours"
            )

    def _check_worker(self, staff_id: str, competence: Competence, route_id: str, on: str) -> None:
        """Refuse somebody who is not competent on a day or does not know the route."""
        worker = self.staff.get(staff_id)
        if worker is None:
            raise _No(f"There is nobody with number {staff_id}")
        if worker["competences"].get(competence, "") < on:
            raise _No(f"{worker['name']} is not competent as {competence} on {on}")
        if route_id not in worker["routes"]:
            raise _No(f"{worker['name']} does not know route {route_id}")

    def _check_rested(self, staff_id: str, possession_id: str) -> None:
        """Refuse somebody whose other possessions leave less than 11 hours between."""
        wanted = self.possessions[possession_id]
        for duty in self.staff_duties.values():
            other = self.possessions[duty["possession_id"]]
            if duty["staff_id"] != staff_id or other["status"] == "cancelled":
                continue
            before = _moment(other["start"]) - STAFF_REST
            after = _moment(other["end"]) + STAFF_REST
            if duty["possession_id"] == possession_id:
                raise _No(f"{staff_id} is {duty['role']} of {possession_id}")
            if _meet(before, after, _moment(wanted["start"]), _moment(wanted["end"])):
                raise _No(f"{staff_id} is at {duty['possession_id']} less than 11 hours away")

    def _possession_row(self, possession_id: str) -> dict[str, Any]:
        possession = self.possessions[possession_id]
        return {
            "possession_id": possession_id,
            **possession,
            "section": self.sections[possession["section_id"]]["name"],
            "contractor": self.contractors[possession["contractor_id"]]["name"],
        }

    def _refusals_of(self, record_id: str) -> list[str]:
        return [r["reason"] for r in self.refusals.values() if r["record_id"] == record_id]

    # Queries

    def list_sections(self, text: str = "") -> dict[str, Any]:
        """List line sections under their routes, with tracks and the metres that they span.

        Args:
            text: Part of the name of the section, the route or its region, any case.
        """
        found = []
        for section_id, section in self.sections.items():
            route = self.routes[section["route_id"]]
            if text.lower() in f"{section['name']} {route['name']} {route['region']}".lower():
                above = {"route": route["name"], "region": route["region"]}
                found.append({"section_id": section_id, **section, **above})
        return _done(sections=found)

    def list_feeders(self, route_id: str) -> dict[str, Any]:
        """List the feeders of a route, with the possessions for which they will be off.

        Args:
            route_id: The route; one that is not electrified has none.
        """
        if route_id not in self.routes:
            return _no(f"There is no route {route_id}")
        found = []
        for feeder_id, feeder in self.feeders.items():
            if feeder["route_id"] == route_id:
                off = [
                    {"possession_id": i["possession_id"], "from": p["start"], "to": p["end"]}
                    for i in self.isolations.values()
                    if i["feeder_id"] == feeder_id
                    and (p := self.possessions[i["possession_id"]])["status"] != "cancelled"
                ]
                found.append({"feeder_id": feeder_id, **feeder, "off": off})
        return _done(feeders=found)

    def find_affected_trains(
        self, section_id: str, track: Track, start: str, end: str
    ) -> dict[str, Any]:
        """Show which trains a closure would hit, the impact class and the notice it asks for.

        Args:
            section_id: The section.
            track: One track, or both.
            start: Start of the closure, YYYY-MM-DDTHH:MM.
            end: End of the closure, YYYY-MM-DDTHH:MM.
        """
        try:
            begins, ends = self._closure(section_id, track, start, end)
        except _No as reason:
            return _no(reason)
        trains = self._trains_hit(section_id, track, begins, ends)
        impact = self._impact(trains)
        return _done(trains=trains, impact=impact, notice_days=NOTICE_DAYS[impact])

    def list_timetable(
        self, section_id: str, track: Track | None = None, day: Weekday | None = None
    ) -> dict[str, Any]:
        """List the trains of a section in the order in which they enter it.

        Args:
            section_id: The section.
            track: Only trains that a closure of this track would hit.
            day: Only trains that enter on this day of the week.
        """
        if section_id not in self.sections:
            return _no(f"There is no section {section_id}")
        found = [
            {"path_id": key, **path}
            for key, path in self.train_paths.items()
            if path["section_id"] == section_id
            and (track is None or _same_track(path["track"], track))
            and (day is None or day in path["runs_on"])
        ]
        return _done(trains=sorted(found, key=lambda train: str(train["enters"])))

    def list_contractors(self, work: Work | None = None) -> dict[str, Any]:
        """List contractors with their approvals and refusals.

        Args:
            work: Only those approved, now or in the past, for this work.
        """
        found = [
            {"contractor_id": key, **firm, "refusals": self._refusals_of(key)}
            for key, firm in self.contractors.items()
            if work is None or work in firm["works"]
        ]
        return _done(contractors=found)

    def list_possessions(
        self,
        section_id: str | None = None,
        contractor: str = "",
        status: PossessionStatus | None = None,
    ) -> dict[str, Any]:
        """List possessions by start.

        Args:
            section_id: Only in this section.
            contractor: Part of the contractor's name, any case; empty for all.
            status: Only in this status.
        """
        rows = [self._possession_row(possession_id) for possession_id in self.possessions]
        found = [
            row
            for row in rows
            if section_id in (None, row["section_id"])
            and status in (None, row["status"])
            and contractor.lower() in row["contractor"].lower()
        ]
        return _done(possessions=sorted(found, key=lambda row: str(row["start"])))

    def get_possession(self, possession_id: str) -> dict[str, Any]:
        """Show a possession with staff, isolations, work trains, permits, trains hit and history.

        Args:
            possession_id: The possession.
        """
        try:
            trains = self._trains_of(self._possession(possession_id))
        except _No as reason:
            return _no(reason)
        return _done(
            possession=self._possession_row(possession_id),
            staff=self._roles_of(possession_id),
            roles_missing=self._roles_missing(possession_id),
            isolated_feeders=[
                i["feeder_id"] for i in self._of(possession_id, self.isolations).values()
            ],
            live_feeders=self._live_feeders(possession_id),
            work_trains=[
                b["train_id"] for b in self._of(possession_id, self.train_bookings).values()
            ],
            permits=self._of(possession_id, self.permits),
            impact=self._impact(trains),
            trains_hit=trains,
            cut_from=list(self._of(possession_id, self.shortenings).values()),
            cancelled_for=[
                c["reason"] for c in self._of(possession_id, self.cancellations).values()
            ],
            refusals=self._refusals_of(possession_id),
        )

    def search_staff(
        self, text: str = "", competence: Competence | None = None, route_id: str | None = None
    ) -> dict[str, Any]:
        """Find protection staff, with their competences, expired ones included, and routes.

        Args:
            text: Part of the name, any case; empty for all.
            competence: Only those who hold or held it.
            route_id: Only those who know this route.
        """
        found = [
            {"staff_id": staff_id, **worker}
            for staff_id, worker in self.staff.items()
            if text.lower() in worker["name"].lower()
            and (competence is None or competence in worker["competences"])
            and (route_id is None or route_id in worker["routes"])
        ]
        return _done(staff=found)

    def get_staff_plan(self, staff_id: str) -> dict[str, Any]:
        """Show in which possessions a member of staff has a role, by start.

        Args:
            staff_id: The member of staff.
        """
        if staff_id not in self.staff:
            return _no(f"There is nobody with number {staff_id}")
        duties = []
        for duty in self.staff_duties.values():
            possession = self.possessions[duty["possession_id"]]
            if duty["staff_id"] == staff_id and possession["status"] != "cancelled":
                times = {"start": possession["start"], "end": possession["end"]}
                duties.append(
                    {"possession_id": duty["possession_id"], "role": duty["role"]} | times
                )
        duties.sort(key=lambda duty: duty["start"])
        return _done(**self.staff[staff_id], duties=duties)

    def list_work_trains(self, work: Work | None = None) -> dict[str, Any]:
        """List work trains with the possessions that they go into.

        Args:
            work: Only those that serve this work.
        """
        found = []
        for train_id, train in self.work_trains.items():
            if work is None or work in train["works"]:
                booked = [
                    {"possession_id": b["possession_id"], "from": p["start"], "to": p["end"]}
                    for b in self.train_bookings.values()
                    if b["train_id"] == train_id
                    and (p := self.possessions[b["possession_id"]])["status"] != "cancelled"
                ]
                found.append({"train_id": train_id, **train, "booked": booked})
        return _done(work_trains=found)

    def list_restrictions(
        self, section_id: str | None = None, status: Literal["in_force", "lifted"] | None = None
    ) -> dict[str, Any]:
        """List temporary speed restrictions, with refusals to lift them.

        Args:
            section_id: Only in this section.
            status: Only in this status.
        """
        found = [
            {"restriction_id": key, **restriction, "refusals": self._refusals_of(key)}
            for key, restriction in self.restrictions.items()
            if section_id in (None, restriction["section_id"])
            and status in (None, restriction["status"])
        ]
        return _done(restrictions=found)

    def list_permits(self, status: Literal["open", "returned"] | None = None) -> dict[str, Any]:
        """List permits in the order in which they were issued.

        Args:
            status: Only those in this status.
        """
        found = [
            {"permit_id": key, **permit}
            for key, permit in self.permits.items()
            if status in (None, permit["status"])
        ]
        return _done(permits=found)

    # Planning

    def request_possession(
        self,
        contractor_id: str,
        section_id: str,
        track: Track,
        from_m: int,
        to_m: int,
        start: str,
        end: str,
        work: Work,
    ) -> dict[str, Any]:
        """Plan a possession for a contractor.

        Args:
            contractor_id: The contractor.
            section_id: The section; a possession stays within one.
            track: One track, or both; "single" where there is one.
            from_m: Lower end, metres on the route.
            to_m: Upper end, metres on the route.
            start: When it starts, YYYY-MM-DDTHH:MM.
            end: When it ends, YYYY-MM-DDTHH:MM.
            work: What is done.
        """
        wanted = Possession(
            contractor_id=contractor_id,
            section_id=section_id,
            track=track,
            from_m=from_m,
            to_m=to_m,
            start=start,
            end=end,
            work=work,
            status="planned",
        )
        try:
            firm = self.contractors.get(contractor_id)
            if firm is None:
                raise _No(f"There is no contractor {contractor_id}")
            impact = self._impact(self._trains_of(wanted))
            if work not in firm["works"] or firm["approved_until"] < end[:10]:
                raise _No(f"{firm['name']} is not approved for {work} until {end[:10]}")
            notice = (_moment(start).date() - datetime.now().date()).days
            if notice < NOTICE_DAYS[impact]:
                raise _No(
                    f"Impact {impact} asks for {NOTICE_DAYS[impact]} days of notice, "
                    f"and there are {notice}"
                )
            self._check_conflict(wanted)
        except _No as reason:
            return _no(reason)
        possession_id = self._new("POS")
        self.possessions[possession_id] = wanted
        return _done(
            possession_id=possession_id,
            impact=impact,
            roles_missing=self._roles_missing(possession_id),
            live_feeders=self._live_feeders(possession_id),
        )

    def shorten_possession(
        self,
        possession_id: str,
        start: str | None = None,
        end: str | None = None,
        from_m: int | None = None,
        to_m: int | None = None,
    ) -> dict[str, Any]:
        """Cut a planned possession in time or place; what is left out stays as it is.

        Args:
            possession_id: A planned possession.
            start: A later start, YYYY-MM-DDTHH:MM.
            end: An earlier end, YYYY-MM-DDTHH:MM.
            from_m: A higher lower end, metres.
            to_m: A lower upper end, metres.
        """
        try:
            old = self._possession(possession_id, "planned")
            new = old.copy()
            new["start"], new["end"] = start or old["start"], end or old["end"]
            new["from_m"] = old["from_m"] if from_m is None else from_m
            new["to_m"] = old["to_m"] if to_m is None else to_m
            if new == old:
                raise _No("That is what the possession is already")
            self._trains_of(new)
            grows = new["start"] < old["start"] or new["end"] > old["end"]
            if grows or new["from_m"] < old["from_m"] or new["to_m"] > old["to_m"]:
                raise _No("A possession is only cut; for more, request another one")
            trains = sum(
                self.work_trains[b["train_id"]]["length_m"]
                for b in self._of(possession_id, self.train_bookings).values()
            )
            if trains > new["to_m"] - new["from_m"]:
                raise _No(f"Its work trains need {trains} m")
        except _No as reason:
            return _no(reason)
        self.shortenings[self._new("CUT")] = Shortening(
            possession_id=possession_id,
            from_m=old["from_m"],
            to_m=old["to_m"],
            start=old["start"],
            end=old["end"],
        )
        self.possessions[possession_id] = new
        return _done(possession=self._possession_row(possession_id))

    def cancel_possession(self, possession_id: str, reason: CancelReason) -> dict[str, Any]:
        """Give a planned possession up; its people, trains and feeders are free again.

        Args:
            possession_id: A planned possession.
            reason: Why; within 72 hours of its start, or of what that was before it was cut,
                only weather, staff or safety.
        """
        try:
            possession = self._possession(possession_id, "planned")
            cuts = self._of(possession_id, self.shortenings).values()
            first = min([possession["start"], *(cut["start"] for cut in cuts)])
            left = _moment(first) - datetime.now()
            if left < LATE_CANCELLATION and reason not in LATE_REASONS:
                raise _No(f"Less than 72 hours before {first} {reason} is no reason")
        except _No as problem:
            return _no(problem)
        possession["status"] = "cancelled"
        self.cancellations[self._new("CAN")] = {"possession_id": possession_id, "reason": reason}
        return _done(possession=self._possession_row(possession_id))

    def plan_isolation(self, possession_id: str, feeder_id: str) -> dict[str, Any]:
        """Plan that a feeder is off during a possession.

        Args:
            possession_id: A planned possession.
            feeder_id: A feeder over it; each of several is planned on its own.
        """
        try:
            possession = self._possession(possession_id, "planned")
            if feeder_id not in self._feeders_over(possession):
                raise _No(f"{feeder_id} is no feeder over possession {possession_id}")
            if feeder_id not in self._live_feeders(possession_id):
                raise _No(f"Feeder {feeder_id} is already off for {possession_id}")
            for other in self.isolations.values():
                held = self.possessions[other["possession_id"]]
                if (
                    other["possession_id"] != possession_id
                    and held["status"] in ("planned", "taken")
                    and other["feeder_id"] in self.feeders[feeder_id]["neighbours"]
                    and _meet(held["start"], held["end"], possession["start"], possession["end"])
                ):
                    raise _No(
                        f"Neighbour {other['feeder_id']} is off then for {other['possession_id']}"
                    )
        except _No as reason:
            return _no(reason)
        off = Isolation(possession_id=possession_id, feeder_id=feeder_id)
        self.isolations[self._new("ISO")] = off
        missing = self._roles_missing(possession_id)
        return _done(live_feeders=self._live_feeders(possession_id), roles_missing=missing)

    def assign_staff(self, possession_id: str, role: Role, staff_id: str) -> dict[str, Any]:
        """Give a role in a planned possession to somebody; whoever had it is released.

        Args:
            possession_id: A planned possession.
            role: The leader runs it, the warden guards against an open track beside it, and
                the isolator sees to the overhead line.
            staff_id: Who.
        """
        try:
            possession = self._possession(possession_id, "planned")
            if role == "warden" and possession["track"] not in ("up", "down"):
                raise _No("No track beside this possession stays open")
            if role == "isolator" and not self._of(possession_id, self.isolations):
                raise _No(f"No isolation is planned for {possession_id}")
            last_day, route_id = possession["end"][:10], self._route_of(possession)
            self._check_worker(staff_id, role, route_id, last_day)
            self._check_rested(staff_id, possession_id)
        except _No as reason:
            return _no(reason)
        for duty_id, duty in self._of(possession_id, self.staff_duties).items():
            if duty["role"] == role:
                del self.staff_duties[duty_id]
        given = StaffDuty(possession_id=possession_id, role=role, staff_id=staff_id)
        self.staff_duties[self._new("DUT")] = given
        return _done(roles_missing=self._roles_missing(possession_id))

    def book_work_train(self, possession_id: str, train_id: str) -> dict[str, Any]:
        """Send a work train into a planned possession.

        Args:
            possession_id: A planned possession.
            train_id: The work train.
        """
        try:
            possession = self._possession(possession_id, "planned")
            train = self.work_trains.get(train_id)
            if train is None:
                raise _No(f"There is no work train {train_id}")
            if possession["work"] not in train["works"]:
                raise _No(f"{train['name']} does not serve {possession['work']}")
            if self._route_of(possession) not in train["routes"]:
                raise _No(f"{train['name']} is not cleared for {self._route_of(possession)}")
            if train["certified_until"] < possession["end"][:10]:
                raise _No(f"{train['name']} is certified until {train['certified_until']}")
            if train["crane"] and self._live_feeders(possession_id):
                live = ", ".join(self._live_feeders(possession_id))
                raise _No(f"{train['name']} has a crane, and {live} would be live")
            start, end = _moment(possession["start"]), _moment(possession["end"])
            used = train["length_m"]
            for booking in self.train_bookings.values():
                other_id = booking["possession_id"]
                other = self.possessions[other_id]
                if other_id == possession_id:
                    used += self.work_trains[booking["train_id"]]["length_m"]
                if booking["train_id"] != train_id or other["status"] == "cancelled":
                    continue
                before = _moment(other["start"]) - TRAIN_TRANSFER
                after = _moment(other["end"]) + TRAIN_TRANSFER
                if other_id == possession_id or _meet(before, after, start, end):
                    raise _No(f"{train['name']} goes into {other_id} from {other['start']}")
            if used > possession["to_m"] - possession["from_m"]:
                raise _No(f"The work trains would need {used} m")
        except _No as reason:
            return _no(reason)
        booked = TrainBooking(possession_id=possession_id, train_id=train_id)
        self.train_bookings[self._new("WTB")] = booked
        return _done(metres_used=used)

    # On the night

    def take_possession(self, possession_id: str) -> dict[str, Any]:
        """Take the track from the signaller, between the planned start and end.

        Args:
            possession_id: A planned possession with all roles filled and, where its work
                asks for it, every feeder over it off.
        """
        try:
            possession = self._possession(possession_id, "planned")
            now = datetime.now()
            if not _moment(possession["start"]) <= now < _moment(possession["end"]):
                raise _No(f"It lasts from {possession['start']} to {possession['end']}")
            missing = self._roles_missing(possession_id)
            if missing:
                raise _No(f"Nobody is {missing[0]} of {possession_id}")
            live = self._live_feeders(possession_id)
            if live and possession["work"] in NEEDS_ISOLATION:
                raise _No(f"Feeder {live[0]} would be live over {possession['work']}")
        except _No as reason:
            return _no(reason)
        possession["status"] = "taken"
        return _done(possession=self._possession_row(possession_id))

    def issue_permit(
        self,
        possession_id: str,
        kind: PermitKind,
        from_m: int | None = None,
        to_m: int | None = None,
    ) -> dict[str, Any]:
        """Issue a permit in a possession that is taken and has not run out.

        Args:
            possession_id: The possession.
            kind: The one isolation permit comes first, where feeders are off; work permits
                follow, one for each place of work.
            from_m: Lower end of the place of work, metres; left out for an isolation.
            to_m: Upper end of the place of work, metres; left out for an isolation.
        """
        try:
            possession = self._possession(possession_id, "taken")
            if datetime.now() >= _moment(possession["end"]):
                raise _No(f"It lasted until {possession['end']}: hand it back")
            given = [
                p for p in self._of(possession_id, self.permits).values() if p["status"] == "open"
            ]
            isolated = any(p["kind"] == "isolation" for p in given)
            planned = bool(self._of(possession_id, self.isolations))
            if kind == "isolation":
                if isolated or not planned:
                    raise _No("An isolation permit is open or no isolation is planned")
                low, high = possession["from_m"], possession["to_m"]
            else:
                if planned and not isolated:
                    raise _No("The isolation permit comes first")
                if from_m is None or to_m is None:
                    raise _No("A work permit names both ends of its place")
                low, high = from_m, to_m
            if not possession["from_m"] <= low < high <= possession["to_m"]:
                raise _No(f"It lies from {possession['from_m']} to {possession['to_m']} m")
            for permit in given:
                apart = not _meet(permit["from_m"], permit["to_m"], low, high)
                if permit["kind"] == kind and not apart:
                    raise _No(f"A permit from {permit['from_m']} m is open there")
        except _No as reason:
            return _no(reason)
        permit_id = self._new("PER")
        self.permits[permit_id] = Permit(
            possession_id=possession_id, kind=kind, from_m=low, to_m=high, status="open"
        )
        return _done(permit_id=permit_id)

    def return_permit(self, permit_id: str) -> dict[str, Any]:
        """Take a permit back from its holder; the isolation permit comes back last.

        Args:
            permit_id: An open permit.
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _no(f"There is no permit {permit_id}")
        if permit["status"] == "returned":
            return _no(f"Permit {permit_id} is already returned")
        others = [
            key
            for key, p in self._of(permit["possession_id"], self.permits).items()
            if p["status"] == "open" and key != permit_id
        ]
        if permit["kind"] == "isolation" and others:
            return _no(f"People still work under the line: {', '.join(others)}")
        permit["status"] = "returned"
        return _done(open_permits=others)

    def hand_back_possession(
        self, possession_id: str, speed_kmh: int | None = None, until: str | None = None
    ) -> dict[str, Any]:
        """Give the track back to the signaller, under a speed restriction after heavy work.

        Args:
            possession_id: A possession that is taken, with no permit open.
            speed_kmh: Speed allowed over it, 10 km/h or more; only after renewal or ballast
                cleaning.
            until: First day on which the restriction may be lifted, YYYY-MM-DD.
        """
        try:
            possession = self._possession(possession_id, "taken")
            for permit_id, permit in self._of(possession_id, self.permits).items():
                if permit["status"] == "open":
                    raise _No(f"Permit {permit_id} is still open")
            slow = OPENS_SLOW.get(possession["work"])
            restriction_id = None
            if slow is None and (speed_kmh is not None or until is not None):
                raise _No(f"The line opens at full speed after {possession['work']}")
            if slow is not None:
                most, days = slow
                earliest = datetime.now().date() + timedelta(days=days)
                if speed_kmh is None or until is None or not 10 <= speed_kmh <= most:
                    raise _No(f"After {possession['work']} it opens at 10 to {most} km/h")
                if _moment(until, "%Y-%m-%d").date() < earliest:
                    raise _No(f"The restriction stays until {earliest.isoformat()} at least")
                restriction_id = self._new("TSR")
                self.restrictions[restriction_id] = Restriction(
                    section_id=possession["section_id"],
                    track=possession["track"],
                    from_m=possession["from_m"],
                    to_m=possession["to_m"],
                    speed_kmh=speed_kmh,
                    until=until,
                    status="in_force",
                    lifted_by=None,
                )
        except _No as reason:
            return _no(reason)
        possession["status"] = "handed_back"
        return _done(restriction_id=restriction_id)

    def lift_restriction(self, restriction_id: str, inspector_id: str) -> dict[str, Any]:
        """Let trains run at line speed again after an inspection.

        Args:
            restriction_id: A restriction in force whose day has come.
            inspector_id: The competent track inspector who walked the place.
        """
        try:
            restriction = self.restrictions.get(restriction_id)
            if restriction is None:
                raise _No(f"There is no restriction {restriction_id}")
            if restriction["status"] == "lifted":
                raise _No(f"Restriction {restriction_id} is already lifted")
            today = datetime.now().date().isoformat()
            if today < restriction["until"]:
                raise _No(f"Restriction {restriction_id} stays until {restriction['until']}")
            route_id = self.sections[restriction["section_id"]]["route_id"]
            self._check_worker(inspector_id, "track_inspector", route_id, today)
        except _No as reason:
            return _no(reason)
        restriction["status"] = "lifted"
        restriction["lifted_by"] = inspector_id
        return _done(restriction=restriction)

    def record_refusal(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record that a wish was turned down.

        Args:
            record_id: The contractor, for a possession that was never planned; the possession,
                for staff, isolation, work trains or a late cancellation; the restriction that
                must stay.
            reason: The rule or fact in the way.
        """
        if reason == "restriction_must_stay":
            kind, known = "restriction", record_id in self.restrictions
        elif reason in ("notice_too_short", "possession_conflict", "contractor_not_approved"):
            kind, known = "contractor", record_id in self.contractors
        else:
            kind, known = "possession", record_id in self.possessions
        if not known:
            return _no(f"{reason} is filed on a {kind}, and {record_id!r} is none")
        if reason in self._refusals_of(record_id):
            return _no(f"That refusal is already on record for {record_id}")
        refusal_id = self._new("REF")
        self.refusals[refusal_id] = {"record_id": record_id, "reason": reason}
        return _done(refusal_id=refusal_id)
