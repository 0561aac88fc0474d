"""Regional airline crew control: duties, flight duty limits, rest, standby, swaps and layovers."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any, Literal, NamedTuple, TypedDict

Rank = Literal["captain", "first_officer", "cabin"]
AssignmentStatus = Literal["active", "released"]
StandbyStatus = Literal["planned", "called", "cancelled"]
SwapStatus = Literal["pending", "approved", "declined"]
AbsenceKind = Literal["sick", "leave", "training"]
DelayCause = Literal["weather", "technical", "air_traffic_control", "late_crew", "airport"]
ReleaseReason = Literal["sickness", "flight_duty_limit", "rest", "qualification", "operational"]
RosterRule = Literal[
    "qualification", "recency", "rest", "flight_duty_limit", "not_in_position", "absence"
]
DeclineReason = RosterRule | Literal["late_request", "rank"]
RefusalReason = RosterRule | Literal["no_crew_available", "no_crew_seat", "no_room_left"]

TURNROUND = timedelta(minutes=30)
RELEASE_AFTER = timedelta(minutes=30)
POSITIONING_REPORT = timedelta(minutes=30)
JOINED_WITHIN = timedelta(hours=3)
TRAVEL_LATER = timedelta(hours=24)
REST_AT_BASE = timedelta(hours=12)
REST_AWAY = timedelta(hours=10)
STANDBY_FREE = timedelta(hours=6)
CALL_OUT_NOTICE = timedelta(minutes=90)
SWAP_NOTICE = timedelta(hours=24)
RECENCY_DAYS: dict[Rank, int] = {"captain": 90, "first_officer": 90, "cabin": 180}


class Station(TypedDict):
    """An airport by its IATA code; the offset holds for the whole roster period."""

    city: str
    utc_offset_minutes: int
    report_minutes: int  # crew report so long before the first departure
    crew_base: bool


class AircraftType(TypedDict):
    """A type and the crew that a duty on it needs."""

    name: str
    complement: dict[Rank, int]


class CrewMember(TypedDict):
    """A crew member; at the start of the roster period everybody is at base."""

    name: str
    rank: Rank
    base: str


class Rating(TypedDict):
    """A qualification on a type; `last_flown_on` counts for recency."""

    crew_id: str
    aircraft_type: str
    valid_until: str
    last_flown_on: str


class Flight(TypedDict):
    """A flight with its off-block and on-block times in UTC, as now expected."""

    number: str
    origin: str
    destination: str
    off_utc: str
    on_utc: str
    aircraft_type: str
    crew_seats: int


class Duty(TypedDict):
    """A day's work: flights flown one after the other by one crew."""

    aircraft_type: str
    flight_ids: list[str]


class Assignment(TypedDict):
    """A crew member on a duty; from a call-out it names the standby."""

    duty_id: str
    crew_id: str
    standby_id: str | None
    status: AssignmentStatus
    release_reason: ReleaseReason | None


class Standby(TypedDict):
    """Hours at home, near the base, during which a crew member can be called."""

    crew_id: str
    start_utc: str
    end_utc: str
    status: StandbyStatus


class Absence(TypedDict):
    """Days off the roster, first and last included, as dates at the base."""

    crew_id: str
    kind: AbsenceKind
    first_day: str
    last_day: str


class Positioning(TypedDict):
    """A journey as a passenger on one of the airline's own flights."""

    crew_id: str
    flight_id: str
    status: Literal["booked", "cancelled"]


class HotelBlock(TypedDict):
    """Rooms contracted for one night; `night` is the local date on which it begins."""

    hotel: str
    station: str
    night: str
    rooms: int
    book_by_utc: str


class HotelBooking(TypedDict):
    """A room out of a block."""

    block_id: str
    crew_id: str
    status: Literal["booked", "cancelled"]


class Swap(TypedDict):
    """A wish of two crew members to take each other's duty."""

    crew_id: str
    duty_id: str
    other_crew_id: str
    other_duty_id: str
    status: SwapStatus
    decline_reason: DeclineReason | None


class Delay(TypedDict):
    """A reported delay of a flight's departure."""

    flight_id: str
    minutes: int
    cause: DelayCause
    crew_waits: bool  # its crew begin their day with it and had reported already


class Refusal(TypedDict):
    """A wish that crew control could not grant."""

    record_id: str
    reason: RefusalReason
    refused_on: str


class Activity(NamedTuple):
    """A piece of a crew member's roster, in UTC; a call-out is a standby that led to a duty."""

    kind: Literal["duty", "positioning", "standby", "call_out"]
    record_id: str
    start: datetime
    end: datetime
    origin: str
    destination: str


def _error(text: str) -> dict[str, Any]:
    return {"success": False, "error": text}


def _bad_day(*days: str | None) -> str | None:
    """Name the first text that is no calendar date."""
    for day in days:
        try:
            if day is not None and date.fromisoformat(day).isoformat() != day:
                return f"{day!r} is not written YYYY-MM-DD"
        except ValueError:
            return f"{day!r} is not a date, YYYY-MM-DD"
    return None


def _pick(
    id_name: str, records: Mapping[str, Mapping[str, Any]], **wanted: str | None
) -> list[dict[str, Any]]:
    """List the records that have the wanted values, each with its id; None asks for nothing."""
    return [
        {id_name: key, **record}
        for key, record in records.items()
        if all(value is None or record[field] == value for field, value in wanted.items())
    ]


def _hours(span: timedelta) -> str:
    minutes = int(span.total_seconds()) // 60
    return f"{minutes // 60}:{minutes % 60:02d}"


def _flight_duty_limit(report: time, sectors: int) -> timedelta:
    """The longest flight duty for a local report time and a number of sectors flown."""
    minute = report.hour * 60 + report.minute
    if minute < 300 or minute >= 1020:
        limit = 660
    elif minute < 360:
        limit = 720 + (minute - 300) // 15 * 15
    elif minute < 810:
        limit = 780
    else:
        limit = 780 - ((minute - 810) // 30 + 1) * 15
    return timedelta(minutes=max(540, limit - 30 * max(0, sectors - 2)))


class CrewControl:
    """Day-to-day crew control of a regional airline."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.stations: dict[str, Station] = {}
        self.aircraft_types: dict[str, AircraftType] = {}
        self.crew: dict[str, CrewMember] = {}
        self.ratings: dict[str, Rating] = {}
        self.flights: dict[str, Flight] = {}
        self.duties: dict[str, Duty] = {}
        self.assignments: dict[str, Assignment] = {}
        self.standbys: dict[str, Standby] = {}
        self.absences: dict[str, Absence] = {}
        self.positionings: dict[str, Positioning] = {}
        self.hotel_blocks: dict[str, HotelBlock] = {}
        self.hotel_bookings: dict[str, HotelBooking] = {}
        self.swaps: dict[str, Swap] = {}
        self.delays: dict[str, Delay] = {}
        self.refusals: dict[str, Refusal] = {}
        self.next_number: int = 1

    # Time and numbering

    def _unknown(self, **ids: str) -> str | None:
        """Name the first id that no record has."""
        kept_in: dict[str, Mapping[str, object]] = {
            "crew member": self.crew,
            "duty": self.duties,
            "flight": self.flights,
            "standby": self.standbys,
            "hotel block": self.hotel_blocks,
            "hotel booking": self.hotel_bookings,
            "swap": self.swaps,
        }
        for name, record_id in ids.items():
            kind = name.replace("_", " ")
            if record_id not in kept_in[kind]:
                return f"There is no {kind} {record_id}"
        return None

    def _number(self, series: str) -> str:
        """Give out the next number, such as AS-401; all series share one count."""
        self.next_number += 1
        return f"{series}-{self.next_number - 1}"

    def _at(self, station: str, moment: datetime) -> datetime:
        """A UTC moment on the clocks of a station."""
        zone = timezone(timedelta(minutes=self.stations[station]["utc_offset_minutes"]))
        return moment.replace(tzinfo=UTC).astimezone(zone)

    def _local(self, station: str, moment: datetime) -> str:
        return self._at(station, moment).isoformat(timespec="minutes")

    def _off(self, flight_id: str) -> datetime:
        return datetime.fromisoformat(self.flights[flight_id]["off_utc"])

    def _on(self, flight_id: str) -> datetime:
        return datetime.fromisoformat(self.flights[flight_id]["on_utc"])

    # What a crew member does, and what is wrong with it

    def _report(self, duty_id: str) -> datetime:
        """When the crew of a duty report; a delay that came after that moves it no more."""
        first = self.duties[duty_id]["flight_ids"][0]
        early = self.stations[self.flights[first]["origin"]]["report_minutes"]
        for row in _pick("delay_id", self.delays, flight_id=first):
            early += row["minutes"] if row["crew_waits"] else 0
        return self._off(first) - timedelta(minutes=early)

    def _duty(self, duty_id: str) -> Activity:
        legs = self.duties[duty_id]["flight_ids"]
        origin = self.flights[legs[0]]["origin"]
        destination = self.flights[legs[-1]]["destination"]
        released = self._on(legs[-1]) + RELEASE_AFTER
        return Activity("duty", duty_id, self._report(duty_id), released, origin, destination)

    def _journey(self, flight_id: str) -> Activity:
        origin, destination = (self.flights[flight_id][end] for end in ("origin", "destination"))
        boards = self._off(flight_id) - POSITIONING_REPORT
        return Activity("positioning", flight_id, boards, self._on(flight_id), origin, destination)

    def _waiting(self, standby_id: str, called_for: str | None = None) -> Activity:
        """A standby; one that led to a duty ends when that duty begins."""
        standby = self.standbys[standby_id]
        base = self.crew[standby["crew_id"]]["base"]
        start, end = (datetime.fromisoformat(standby[at]) for at in ("start_utc", "end_utc"))
        if called_for is not None:
            return Activity("call_out", standby_id, start, self._report(called_for), base, base)
        return Activity("standby", standby_id, start, end, base, base)

    def _activities(self, crew_id: str, *, without: str | None = None) -> list[Activity]:
        """Everything on a crew member's roster, leaving out one duty or standby."""
        found = []
        for row in _pick("assignment_id", self.assignments, crew_id=crew_id, status="active"):
            if row["duty_id"] != without:
                found.append(self._duty(row["duty_id"]))
                if row["standby_id"] is not None:
                    found.append(self._waiting(row["standby_id"], row["duty_id"]))
        found += [
            self._waiting(row["standby_id"])
            for row in _pick("standby_id", self.standbys, crew_id=crew_id, status="planned")
            if row["standby_id"] != without
        ]
        found += [
            self._journey(row["flight_id"])
            for row in _pick("positioning_id", self.positionings, crew_id=crew_id, status="booked")
        ]
        return sorted(found, key=lambda activity: activity.start)

    @staticmethod
    def _periods(activities: list[Activity]) -> list[list[Activity]]:
        """Put together what makes one duty period, in order of time."""
        periods: list[list[Activity]] = []
        for activity in sorted(activities, key=lambda a: a.start):
            last = periods[-1][-1] if periods else None
            if last is not None and (
                last.kind == "call_out"
                or (
                    "positioning" in (last.kind, activity.kind)
                    and activity.start - last.end < JOINED_WITHIN
                )
            ):
                periods[-1].append(activity)
            else:
                periods.append([activity])
        return periods

    def _flight_duty(self, period: list[Activity]) -> tuple[timedelta, timedelta] | None:
        """Flight duty and its limit in a duty period, or None if nothing is flown in it."""
        duty_ids = [a.record_id for a in period if a.kind == "duty"]
        if not duty_ids:
            return None
        working = [a for a in period if a.kind != "call_out"]
        begin = working[0]
        sectors = sum(len(self.duties[duty_id]["flight_ids"]) for duty_id in duty_ids)
        limit = _flight_duty_limit(self._at(begin.origin, begin.start).time(), sectors)
        if period[0].kind == "call_out":
            waited = begin.start - period[0].start
            limit -= max(timedelta(0), waited - STANDBY_FREE)
        return self._on(self.duties[duty_ids[-1]]["flight_ids"][-1]) - begin.start, limit

    def _roster_problem(
        self, crew_id: str, activities: list[Activity], added: Activity | None = None
    ) -> str | None:
        """Say what makes a roster illegal: place, overlap, absence, flight duty or rest.

        With an added activity the journey to a later one may be missing, if there is time.
        """
        if added is not None:
            activities = [*activities, added]
        person = self.crew[crew_id]
        place = person["base"]
        rested_from: tuple[datetime, timedelta] | None = None
        for period in self._periods(activities):
            for before, after in zip([None, *period], period, strict=False):
                what = f"{after.kind} {after.record_id}"
                if after.origin != place and not (
                    rested_from is not None
                    and after is not added
                    and after.start - rested_from[0] > TRAVEL_LATER
                ):
                    return f"{person['name']} is in {place} before {what} from {after.origin}"
                place = after.destination
                if before is not None and after.start < before.end:
                    return f"{what} overlaps {before.kind} {before.record_id}"
                if away := self._absence_between(crew_id, *self._days(crew_id, after)):
                    return f"{person['name']} has {away} on the day of {what}"
            flown = self._flight_duty(period)
            if flown is not None and flown[0] > flown[1]:
                over = f"flight duty {_hours(flown[0])} is over the limit of {_hours(flown[1])}"
                return f"For {person['name']} the {over}"
            if rested_from is not None:
                rest, needed = period[0].start - rested_from[0], rested_from[1]
                if rest < needed:
                    had = _hours(rest) if rest > timedelta(0) else "no"
                    when = f"{had} rest before {period[0].kind} {period[0].record_id}"
                    return f"{person['name']} would have {when}, and needs {_hours(needed)}"
            rested_from = (period[-1].end, self._rest_after(crew_id, period))
        return None

    def _rest_after(self, crew_id: str, period: list[Activity]) -> timedelta:
        """Rest that a duty period asks for; time on standby is no duty."""
        at_base = period[-1].destination == self.crew[crew_id]["base"]
        working = [a for a in period if a.kind not in ("standby", "call_out")]
        length = working[-1].end - working[0].start if working else timedelta(0)
        return max(length, REST_AT_BASE if at_base else REST_AWAY)

    def _days(self, crew_id: str, activity: Activity) -> tuple[str, str]:
        """First and last day of an activity at the crew member's base."""
        base = self.crew[crew_id]["base"]
        return self._local(base, activity.start)[:10], self._local(base, activity.end)[:10]

    def _absence_between(self, crew_id: str, first: str, last: str) -> str | None:
        """What keeps a crew member off the roster on one of some days."""
        for absence in self.absences.values():
            mine = absence["crew_id"] == crew_id
            if mine and absence["first_day"] <= last and first <= absence["last_day"]:
                return absence["kind"]
        return None

    def _rating_problem(self, crew_id: str, duty_id: str) -> str | None:
        """Say why a crew member may not work on the type of a duty on its day."""
        person, aircraft_type = self.crew[crew_id], self.duties[duty_id]["aircraft_type"]
        duty = self._duty(duty_id)
        day = self._at(duty.origin, duty.start).date()
        held = _pick("rating_id", self.ratings, crew_id=crew_id, aircraft_type=aircraft_type)
        if not held:
            return f"{person['name']} holds no {aircraft_type} rating"
        if held[0]["valid_until"] < day.isoformat():
            return f"The rating of {person['name']} ended before that day"
        idle = (day - date.fromisoformat(held[0]["last_flown_on"])).days
        if idle > RECENCY_DAYS[person["rank"]]:
            return f"{person['name']} last flew {aircraft_type} {idle} days before"
        return None

    def _fit_problem(self, crew_id: str, duty_id: str, roster: list[Activity]) -> str | None:
        """Say why a duty does not fit a crew member with the rest of their roster."""
        return self._rating_problem(crew_id, duty_id) or self._roster_problem(
            crew_id, roster, self._duty(duty_id)
        )

    def _on_duty(self, duty_id: str) -> dict[str, str]:
        """Active assignments of a duty, as assignment to crew member."""
        rows = _pick("assignment_id", self.assignments, duty_id=duty_id, status="active")
        return {row["assignment_id"]: row["crew_id"] for row in rows}

    def _missing_crew(self, duty_id: str) -> dict[Rank, int]:
        """How many of each rank a duty still needs; ranks that are complete are left out."""
        wanted = self.aircraft_types[self.duties[duty_id]["aircraft_type"]]["complement"]
        ranks = [self.crew[crew_id]["rank"] for crew_id in self._on_duty(duty_id).values()]
        missing: dict[Rank, int] = {}
        for rank, number in wanted.items():
            if number > ranks.count(rank):
                missing[rank] = number - ranks.count(rank)
        return missing

    def _place_problem(self, duty_id: str, crew_id: str) -> str | None:
        """Say why a duty takes no such crew member, whatever else they do."""
        if problem := self._unknown(duty=duty_id, crew_member=crew_id):
            return problem
        if self._report(duty_id) <= datetime.now():
            return f"Duty {duty_id} has already reported"
        if crew_id in self._on_duty(duty_id).values():
            return f"{crew_id} is already on duty {duty_id}"
        rank = self.crew[crew_id]["rank"]
        if rank not in self._missing_crew(duty_id):
            return f"Duty {duty_id} needs no further {rank}"
        return None

    def _crew_problems(self, duty_id: str) -> list[dict[str, str]]:
        """Whose roster has become illegal among the crew of a duty."""
        crew_ids = self._on_duty(duty_id).values()
        found = {c: self._roster_problem(c, self._activities(c)) for c in crew_ids}
        return [{"crew_id": c, "problem": problem} for c, problem in found.items() if problem]

    def _assign(self, duty_id: str, crew_id: str, standby_id: str | None) -> dict[str, Any]:
        assignment_id = self._number("AS")
        self.assignments[assignment_id] = {
            "duty_id": duty_id,
            "crew_id": crew_id,
            "standby_id": standby_id,
            "status": "active",
            "release_reason": None,
        }
        missing = self._missing_crew(duty_id)
        return {"success": True, "assignment_id": assignment_id, "still_missing": missing}

    # Rows for the screens

    def _flight_row(self, flight_id: str) -> dict[str, Any]:
        flight = self.flights[flight_id]
        taken = _pick("positioning_id", self.positionings, flight_id=flight_id, status="booked")
        return {
            "flight_id": flight_id,
            **flight,
            "off_local": self._local(flight["origin"], self._off(flight_id)),
            "on_local": self._local(flight["destination"], self._on(flight_id)),
            "free_crew_seats": flight["crew_seats"] - len(taken),
        }

    def _duty_row(self, duty_id: str) -> dict[str, Any]:
        duty, activity = self.duties[duty_id], self._duty(duty_id)
        return {
            "duty_id": duty_id,
            "aircraft_type": duty["aircraft_type"],
            "flights": [self.flights[f]["number"] for f in duty["flight_ids"]],
            "from": activity.origin,
            "to": activity.destination,
            "report_local": self._local(activity.origin, activity.start),
            "release_local": self._local(activity.destination, activity.end),
            "missing": self._missing_crew(duty_id),
        }

    def _activity_row(self, activity: Activity) -> dict[str, str]:
        begins = self._local(activity.origin, activity.start)
        ends = self._local(activity.destination, activity.end)
        what = {"kind": activity.kind, "record_id": activity.record_id}
        where = {"from": activity.origin, "to": activity.destination}
        return {**what, **where, "start_local": begins, "end_local": ends}

    def _refusals_of(self, record_id: str) -> list[dict[str, Any]]:
        return _pick("refusal_id", self.refusals, record_id=record_id)

    # Queries

    def list_stations(self) -> dict[str, Any]:
        """List stations with city, offset from UTC, reporting time and whether they are a base."""
        return {"success": True, "stations": _pick("code", self.stations)}

    def search_crew(
        self, text: str = "", rank: Rank | None = None, base: str | None = None
    ) -> dict[str, Any]:
        """Find crew members by part of their name or number.

        Args:
            text: Part of the name or number, any case; empty for all.
            rank: Only this rank.
            base: Only crew of this base, IATA code.
        """
        rows = _pick("crew_id", self.crew, rank=rank, base=base)
        found = [r for r in rows if text.lower() in f"{r['crew_id']} {r['name']}".lower()]
        return {"success": True, "crew": found}

    def get_crew(self, crew_id: str) -> dict[str, Any]:
        """Show a crew member with ratings, absences, hotel rooms and refusals.

        Args:
            crew_id: The crew member.
        """
        if problem := self._unknown(crew_member=crew_id):
            return _error(problem)
        return {
            "success": True,
            "crew_id": crew_id,
            **self.crew[crew_id],
            "ratings": _pick("rating_id", self.ratings, crew_id=crew_id),
            "absences": _pick("absence_id", self.absences, crew_id=crew_id),
            "hotel_rooms": [
                {**row, **self._night_of(row["block_id"])}
                for row in _pick("booking_id", self.hotel_bookings, crew_id=crew_id)
            ],
            "refusals": self._refusals_of(crew_id),
        }

    def _night_of(self, block_id: str) -> dict[str, str]:
        block = self.hotel_blocks[block_id]
        return {"hotel": block["hotel"], "station": block["station"], "night": block["night"]}

    def get_roster(self, crew_id: str) -> dict[str, Any]:
        """Show a crew member's roster, one entry a duty period, with flight duty and rest.

        Times are local to the place where each activity begins or ends. `rest_needed` is
        the rest that has to follow the period; the first problem, if any, is named.

        Args:
            crew_id: The crew member.
        """
        if problem := self._unknown(crew_member=crew_id):
            return _error(problem)
        activities = self._activities(crew_id)
        periods = []
        for period in self._periods(activities):
            flown = self._flight_duty(period)
            row: dict[str, Any] = {"activities": [self._activity_row(a) for a in period]}
            row["flight_duty"] = _hours(flown[0]) if flown else None
            row["flight_duty_limit"] = _hours(flown[1]) if flown else None
            row["rest_needed"] = _hours(self._rest_after(crew_id, period))
            periods.append(row)
        name, illegal = self.crew[crew_id]["name"], self._roster_problem(crew_id, activities)
        return {"success": True, "name": name, "periods": periods, "problem": illegal}

    def list_rated_crew(self, aircraft_type: str, rank: Rank) -> dict[str, Any]:
        """List who holds a rating on a type, with its end and the last day flown on it.

        Args:
            aircraft_type: The type's code.
            rank: The rank wanted.
        """
        if aircraft_type not in self.aircraft_types:
            return _error(f"The aircraft types are {', '.join(self.aircraft_types)}")
        found = [
            {**rating, **self.crew[rating["crew_id"]]}
            for rating in _pick("rating_id", self.ratings, aircraft_type=aircraft_type)
            if self.crew[rating["crew_id"]]["rank"] == rank
        ]
        return {"success": True, "crew": found}

    def list_duties(
        self, day: str | None = None, station: str | None = None, incomplete: bool = False
    ) -> dict[str, Any]:
        """List duties in order of report, with the ranks that they still lack.

        Args:
            day: Only duties that report on this local date, YYYY-MM-DD.
            station: Only duties that report here, IATA code.
            incomplete: Only duties with a place to fill.
        """
        if problem := _bad_day(day):
            return _error(problem)
        rows = [self._duty_row(d) for d in sorted(self.duties, key=self._report)]
        rows = [row for row in rows if row["missing"] or not incomplete]
        rows = [row for row in rows if day in (None, row["report_local"][:10])]
        return {"success": True, "duties": [r for r in rows if station in (None, r["from"])]}

    def get_duty(self, duty_id: str) -> dict[str, Any]:
        """Show a duty: flights, flight duty and its limit, crew with problems, delays, refusals.

        The limit is that of a crew who report for this duty rested, without standby before.

        Args:
            duty_id: The duty.
        """
        if problem := self._unknown(duty=duty_id):
            return _error(problem)
        legs = self.duties[duty_id]["flight_ids"]
        flown = self._flight_duty([self._duty(duty_id)])
        assert flown is not None
        return {
            "success": True,
            **self._duty_row(duty_id),
            "flights": [self._flight_row(flight_id) for flight_id in legs],
            "flight_duty": _hours(flown[0]),
            "flight_duty_limit": _hours(flown[1]),
            "crew": [{"crew_id": c, **self.crew[c]} for c in self._on_duty(duty_id).values()],
            "crew_problems": self._crew_problems(duty_id),
            "delays": [d for d in self.delays.values() if d["flight_id"] in legs],
            "refusals": self._refusals_of(duty_id),
        }

    def list_flights(
        self, day: str | None = None, origin: str | None = None, destination: str | None = None
    ) -> dict[str, Any]:
        """List flights in order of departure, with the crew seats left for positioning.

        Args:
            day: Only departures on this local date, YYYY-MM-DD.
            origin: Only from here, IATA code.
            destination: Only to here, IATA code.
        """
        if problem := _bad_day(day):
            return _error(problem)
        there = _pick("flight_id", self.flights, origin=origin, destination=destination)
        there.sort(key=lambda row: str(row["off_utc"]))
        rows = [self._flight_row(row["flight_id"]) for row in there]
        found = [row for row in rows if day in (None, row["off_local"][:10])]
        return {"success": True, "flights": found}

    def list_standbys(
        self, day: str | None = None, rank: Rank | None = None, status: StandbyStatus | None = None
    ) -> dict[str, Any]:
        """List standbys with the crew member and local hours.

        Args:
            day: Only those that begin on this local date, YYYY-MM-DD.
            rank: Only this rank.
            status: Only those in this status.
        """
        if problem := _bad_day(day):
            return _error(problem)
        found = []
        for row in _pick("standby_id", self.standbys, status=status):
            person = self.crew[row["crew_id"]]
            for end in ("start", "end"):
                moment = datetime.fromisoformat(row.pop(f"{end}_utc"))
                row[f"{end}_local"] = self._local(person["base"], moment)
            if day in (None, row["start_local"][:10]) and rank in (None, person["rank"]):
                found.append({**row, **person})
        return {"success": True, "standbys": found}

    def list_absences(
        self, day: str | None = None, kind: AbsenceKind | None = None
    ) -> dict[str, Any]:
        """List who is sick, on leave or in training, and when.

        Args:
            day: Only absences that take in this date, YYYY-MM-DD.
            kind: Only this kind.
        """
        if problem := _bad_day(day):
            return _error(problem)
        found = [
            {**row, **self.crew[row["crew_id"]]}
            for row in _pick("absence_id", self.absences, kind=kind)
            if day is None or row["first_day"] <= day <= row["last_day"]
        ]
        return {"success": True, "absences": found}

    def list_swaps(self, status: SwapStatus | None = None) -> dict[str, Any]:
        """List swap requests with the numbers of both crew members and duties.

        Args:
            status: Only those in this status.
        """
        return {"success": True, "swaps": _pick("swap_id", self.swaps, status=status)}

    def list_hotel_blocks(
        self, station: str | None = None, night: str | None = None
    ) -> dict[str, Any]:
        """List contracted rooms with those left and who has the others.

        Args:
            station: Only at this station, IATA code.
            night: Only the night that begins on this local date, YYYY-MM-DD.
        """
        if problem := _bad_day(night):
            return _error(problem)
        found = _pick("block_id", self.hotel_blocks, station=station, night=night)
        for row in found:
            block_id = row["block_id"]
            row["bookings"] = _pick("booking_id", self.hotel_bookings, block_id=block_id)
            row["rooms_left"] = self._rooms_left(block_id)
        return {"success": True, "blocks": found}

    def _rooms_left(self, block_id: str) -> int:
        guests = _pick("booking_id", self.hotel_bookings, block_id=block_id, status="booked")
        return self.hotel_blocks[block_id]["rooms"] - len(guests)

    # Changes

    def assign_crew(self, duty_id: str, crew_id: str) -> dict[str, Any]:
        """Put a crew member who is not on standby at the time on a duty, in their own rank.

        Args:
            duty_id: A duty that has not reported yet and lacks that rank.
            crew_id: The crew member.
        """
        problem = self._place_problem(duty_id, crew_id)
        if problem or (problem := self._fit_problem(crew_id, duty_id, self._activities(crew_id))):
            return _error(problem)
        return self._assign(duty_id, crew_id, None)

    def unassign_crew(self, duty_id: str, crew_id: str, reason: ReleaseReason) -> dict[str, Any]:
        """Take a crew member off a duty that has not reported yet.

        Whoever was called out for it is back on standby while its hours last.

        Args:
            duty_id: The duty.
            crew_id: Who comes off.
            reason: Why; operational where no rule or sickness asks for it.
        """
        if problem := self._unknown(duty=duty_id):
            return _error(problem)
        mine = [key for key, who in self._on_duty(duty_id).items() if who == crew_id]
        if not mine:
            return _error(f"{crew_id} is not on duty {duty_id}")
        if self._report(duty_id) <= datetime.now():
            return _error(f"Duty {duty_id} has already reported")
        assignment = self.assignments[mine[0]]
        assignment["status"], assignment["release_reason"] = "released", reason
        standby_id = assignment["standby_id"]
        if standby_id and self._waiting(standby_id).end > datetime.now():
            self.standbys[standby_id]["status"] = "planned"
        return {"success": True, "missing": self._missing_crew(duty_id)}

    def call_out_standby(self, standby_id: str, duty_id: str) -> dict[str, Any]:
        """Call a crew member from standby to a duty, in which the standby ends.

        Args:
            standby_id: A planned standby in whose hours the duty reports.
            duty_id: The duty, at least 90 minutes before its report.
        """
        if problem := self._unknown(standby=standby_id):
            return _error(problem)
        standby = self.standbys[standby_id]
        if standby["status"] != "planned":
            return _error(f"Standby {standby_id} is {standby['status']}")
        crew_id = standby["crew_id"]
        if problem := self._place_problem(duty_id, crew_id):
            return _error(problem)
        report = self._report(duty_id)
        if report - datetime.now() < CALL_OUT_NOTICE:
            return _error(f"Duty {duty_id} reports in less than 90 minutes")
        if not standby["start_utc"] <= report.isoformat(timespec="minutes") <= standby["end_utc"]:
            return _error(f"Duty {duty_id} does not report within standby {standby_id}")
        roster = self._activities(crew_id, without=standby_id)
        roster.append(self._waiting(standby_id, duty_id))
        if problem := self._fit_problem(crew_id, duty_id, roster):
            return _error(problem)
        standby["status"] = "called"
        return self._assign(duty_id, crew_id, standby_id)

    def book_positioning(self, crew_id: str, flight_id: str) -> dict[str, Any]:
        """Give a crew member a crew seat as a passenger.

        Less than three hours from a duty it belongs to the same duty period: flight duty
        then runs from 30 minutes before its departure, though it is no sector flown.

        Args:
            crew_id: Who travels.
            flight_id: A flight that has not left yet.
        """
        if problem := self._unknown(crew_member=crew_id, flight=flight_id):
            return _error(problem)
        if self._off(flight_id) - POSITIONING_REPORT <= datetime.now():
            return _error(f"Boarding of flight {flight_id} is over")
        if self._flight_row(flight_id)["free_crew_seats"] < 1:
            return _error(f"No crew seat is left on flight {flight_id}")
        journey = self._journey(flight_id)
        if problem := self._roster_problem(crew_id, self._activities(crew_id), journey):
            return _error(problem)
        positioning_id = self._number("PX")
        seat = Positioning(crew_id=crew_id, flight_id=flight_id, status="booked")
        self.positionings[positioning_id] = seat
        return {"success": True, "positioning_id": positioning_id}

    def book_hotel_room(self, crew_id: str, block_id: str) -> dict[str, Any]:
        """Take a room from a contracted block for a crew member who spends that night there.

        Args:
            crew_id: The guest.
            block_id: The block of rooms of one hotel and night.
        """
        if problem := self._unknown(crew_member=crew_id, hotel_block=block_id):
            return _error(problem)
        block, person = self.hotel_blocks[block_id], self.crew[crew_id]
        if block["station"] == person["base"]:
            return _error(f"{person['name']} is based in {block['station']}")
        place = self._sleeps_in(crew_id, block["night"])
        if place != block["station"]:
            return _error(f"{person['name']} spends that night in {place}")
        if any(
            (b["crew_id"], b["status"]) == (crew_id, "booked")
            and self._night_of(b["block_id"])["night"] == block["night"]
            for b in self.hotel_bookings.values()
        ):
            return _error(f"{person['name']} has a room for that night")
        if datetime.now().isoformat() > block["book_by_utc"]:
            return _error(f"Block {block_id} was open until {block['book_by_utc']} UTC")
        if self._rooms_left(block_id) < 1:
            return _error(f"No room is left in block {block_id}")
        booking_id = self._number("HB")
        room = HotelBooking(block_id=block_id, crew_id=crew_id, status="booked")
        self.hotel_bookings[booking_id] = room
        return {"success": True, "booking_id": booking_id, "rooms_left": self._rooms_left(block_id)}

    def _sleeps_in(self, crew_id: str, night: str) -> str:
        """Where a crew member is at 03:00 local after the evening of a date."""
        place = self.crew[crew_id]["base"]
        for activity in self._activities(crew_id):
            there = activity.destination
            morning = datetime.combine(date.fromisoformat(night) + timedelta(days=1), time(3))
            morning -= timedelta(minutes=self.stations[there]["utc_offset_minutes"])
            if activity.end <= morning:
                place = there
        return place

    def cancel_hotel_room(self, booking_id: str) -> dict[str, Any]:
        """Give a room back to its block, before 18:00 at the hotel on the day of arrival.

        Args:
            booking_id: The room booking.
        """
        if problem := self._unknown(hotel_booking=booking_id):
            return _error(problem)
        booking = self.hotel_bookings[booking_id]
        if booking["status"] == "cancelled":
            return _error(f"Hotel booking {booking_id} is already cancelled")
        block = self.hotel_blocks[booking["block_id"]]
        here = self._local(block["station"], datetime.now())
        if here[:16] >= f"{block['night']}T18:00":
            return _error(f"Rooms in {block['station']} are cancelled before 18:00 local")
        booking["status"] = "cancelled"
        return {"success": True, "rooms_left": self._rooms_left(booking["block_id"])}

    def record_delay(self, flight_id: str, minutes: int, cause: DelayCause) -> dict[str, Any]:
        """Record that a flight leaves later than now expected.

        Later flights of the same duty move as far as turnrounds of 30 minutes ask for. A
        delayed first flight moves the report of its crew too, unless they have reported.

        Args:
            flight_id: A flight that has not left yet.
            minutes: By how many minutes, 1 to 720.
            cause: Why.
        """
        if problem := self._unknown(flight=flight_id):
            return _error(problem)
        if not 1 <= minutes <= 720:
            return _error("A delay is 1 to 720 minutes")
        if self._off(flight_id) <= datetime.now():
            return _error(f"Flight {flight_id} has left")
        reported = any(
            duty["flight_ids"][0] == flight_id and self._report(duty_id) <= datetime.now()
            for duty_id, duty in self.duties.items()
        )
        self.delays[self._number("DL")] = Delay(
            flight_id=flight_id, minutes=minutes, cause=cause, crew_waits=reported
        )
        self._shift(flight_id, timedelta(minutes=minutes))
        moved, problems = [flight_id], []
        for duty_id, duty in self.duties.items():
            legs = duty["flight_ids"]
            if flight_id not in legs:
                continue
            start = legs.index(flight_id)
            for before, after in zip(legs[start:], legs[start + 1 :], strict=False):
                late = self._on(before) + TURNROUND - self._off(after)
                if late > timedelta(0):
                    self._shift(after, late)
                    moved.append(after)
            problems += self._crew_problems(duty_id)
        rows = [self._flight_row(moved_id) for moved_id in moved]
        return {"success": True, "flights": rows, "crew_problems": problems}

    def _shift(self, flight_id: str, late: timedelta) -> None:
        flight = self.flights[flight_id]
        flight["off_utc"] = (self._off(flight_id) + late).isoformat(timespec="minutes")
        flight["on_utc"] = (self._on(flight_id) + late).isoformat(timespec="minutes")

    def approve_swap(self, swap_id: str) -> dict[str, Any]:
        """Exchange the duties of two crew members of one rank, at their request.

        Args:
            swap_id: A pending request, at least 24 hours before the earlier report.
        """
        if problem := self._swap_problem(swap_id):
            return _error(problem)
        swap = self.swaps[swap_id]
        one, other = swap["crew_id"], swap["other_crew_id"]
        duty, other_duty = swap["duty_id"], swap["other_duty_id"]
        held = [key for key, who in self._on_duty(duty).items() if who == one]
        other_held = [key for key, who in self._on_duty(other_duty).items() if who == other]
        if not held or not other_held:
            return _error("One of the two is no longer on the duty that they offer")
        if self.assignments[held[0]]["standby_id"] or self.assignments[other_held[0]]["standby_id"]:
            return _error("A duty that began with a call-out is not swapped")
        if self.crew[one]["rank"] != self.crew[other]["rank"]:
            return _error("Only crew of the same rank swap")
        if min(self._report(duty), self._report(other_duty)) - datetime.now() < SWAP_NOTICE:
            return _error("The earlier report is less than 24 hours ahead")
        for crew_id, gives, takes in ((one, duty, other_duty), (other, other_duty, duty)):
            roster = self._activities(crew_id, without=gives)
            if problem := self._fit_problem(crew_id, takes, roster):
                return _error(problem)
        self.assignments[held[0]]["duty_id"] = other_duty
        self.assignments[other_held[0]]["duty_id"] = duty
        swap["status"] = "approved"
        return {"success": True, "swap": swap}

    def _swap_problem(self, swap_id: str) -> str | None:
        if problem := self._unknown(swap=swap_id):
            return problem
        status = self.swaps[swap_id]["status"]
        return None if status == "pending" else f"Swap {swap_id} is {status}"

    def decline_swap(self, swap_id: str, reason: DeclineReason) -> dict[str, Any]:
        """Turn a swap request down.

        Args:
            swap_id: A pending request.
            reason: The rule that stands in the way of the exchange.
        """
        if problem := self._swap_problem(swap_id):
            return _error(problem)
        swap = self.swaps[swap_id]
        swap["status"] = "declined"
        swap["decline_reason"] = reason
        return {"success": True, "swap": swap}

    def record_absence(
        self, crew_id: str, kind: AbsenceKind, first_day: str, last_day: str
    ) -> dict[str, Any]:
        """Enter days off the roster.

        Sickness takes the crew member off every duty, standby and crew seat of those days
        that has not begun; leave and training need days that are free. Hotel rooms stay.

        Args:
            crew_id: The crew member.
            kind: What it is.
            first_day: First day, date at the base, YYYY-MM-DD, today or later.
            last_day: Last day, included, date at the base, YYYY-MM-DD.
        """
        if problem := self._unknown(crew_member=crew_id) or _bad_day(first_day, last_day):
            return _error(problem)
        today = self._local(self.crew[crew_id]["base"], datetime.now())[:10]
        if not today <= first_day <= last_day:
            return _error("An absence runs from today or later to its last day")
        if away := self._absence_between(crew_id, first_day, last_day):
            return _error(f"{crew_id} already has {away} on one of these days")
        touched = [a for a in self._activities(crew_id) if self._days(crew_id, a)[0] <= last_day]
        touched = [a for a in touched if first_day <= self._days(crew_id, a)[1]]
        if kind != "sick" and touched:
            return _error(f"{crew_id} has {touched[0].kind} {touched[0].record_id} then")
        touched = [a for a in touched if a.start > datetime.now()]
        for activity in touched:
            self._take_off(crew_id, activity.record_id)
        absence_id = self._number("AB")
        self.absences[absence_id] = Absence(
            crew_id=crew_id, kind=kind, first_day=first_day, last_day=last_day
        )
        freed = [a.record_id for a in touched]
        return {"success": True, "absence_id": absence_id, "taken_off": freed}

    def _take_off(self, crew_id: str, record_id: str) -> None:
        """End what a sick crew member had to do: a duty, a standby or a journey."""
        for assignment in self.assignments.values():
            key = (assignment["crew_id"], assignment["duty_id"], assignment["status"])
            if key == (crew_id, record_id, "active"):
                assignment["status"] = "released"
                assignment["release_reason"] = "sickness"
        for positioning in self.positionings.values():
            if (positioning["crew_id"], positioning["flight_id"]) == (crew_id, record_id):
                positioning["status"] = "cancelled"
        if record_id in self.standbys and self.standbys[record_id]["status"] == "planned":
            self.standbys[record_id]["status"] = "cancelled"

    def record_refusal(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record what crew control could not do.

        Reasons about a person are filed on the crew member, no_crew_available on the duty,
        no_crew_seat on the flight and no_room_left on the hotel block.

        Args:
            record_id: The crew member, duty, flight or hotel block.
            reason: The rule or fact that stood in the way.
        """
        about = {
            "no_crew_available": "duty",
            "no_crew_seat": "flight",
            "no_room_left": "hotel_block",
        }
        if problem := self._unknown(**{about.get(reason, "crew_member"): record_id}):
            return _error(f"{problem}, on which {reason} would be filed")
        if any(r["reason"] == reason for r in self._refusals_of(record_id)):
            return _error(f"That refusal of {record_id} is already on record")
        refusal_id = self._number("RF")
        today = datetime.now().date().isoformat()
        self.refusals[refusal_id] = Refusal(record_id=record_id, reason=reason, refused_on=today)
        return {"success": True, "refusal_id": refusal_id}
