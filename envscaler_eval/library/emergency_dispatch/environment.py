"""County control room: incidents, ambulances and fire engines, cover, hospitals, mutual aid."""

from collections.abc import Mapping
from datetime import datetime
from math import ceil, hypot
from typing import Any, Literal, TypedDict

Service = Literal["ambulance", "fire"]
Kind = Literal["ambulance", "response_car", "pump", "aerial", "rescue_tender"]
Skill = Literal["paramedic", "critical_care", "water_rescue", "hazmat", "rope_rescue"]
UnitState = Literal[
    "available", "assigned", "mobile", "on_scene", "transporting", "at_hospital", "off_road"
]
Stage = Literal["mobile", "on_scene", "left_scene", "at_hospital", "clear"]
Specialty = Literal["trauma", "stroke", "maternity", "burns"]
HospitalStatus = Literal["open", "diverting", "closed"]
StandDown = Literal["not_needed", "false_alarm", "diverted", "breakdown"]
Outcome = Literal["conveyed", "treated_at_scene", "no_casualties", "false_alarm", "duplicate"]
Declined = Literal[
    "cover_would_fall",
    "no_suitable_unit",
    "not_the_quickest",
    "no_crew_on_scene",
    "hospital_unsuitable",
    "units_still_committed",
    "log_closed",
    "mutual_aid_not_due",
]

ROAD_FACTOR = 1.3  # road metres for each metre as the crow flies
WITHOUT_LIGHTS = 0.75  # share of the speed that is reached on priorities 3 and 4
LAST_MINUTES_OF_SHIFT = 30
MUTUAL_AID_MINUTES = 20
DUPLICATE_METRES = 500

SERVICES: dict[Kind, Service] = {
    "ambulance": "ambulance",
    "response_car": "ambulance",
    "pump": "fire",
    "aerial": "fire",
    "rescue_tender": "fire",
}
STAGES: tuple[Stage, ...] = ("mobile", "on_scene", "left_scene", "at_hospital", "clear")


class Place(TypedDict):
    """A named spot of the gazetteer, on the county grid in metres."""

    name: str
    x: int
    y: int


class Station(TypedDict):
    """A station and how many units that cover it are to stay available."""

    name: str
    service: Service
    x: int
    y: int
    keep: int


class Person(TypedDict):
    """A member of a crew."""

    name: str
    skills: list[Skill]
    shift_ends_at: str


class Unit(TypedDict):
    """A vehicle with its crew."""

    callsign: str
    kind: Kind
    station_id: str  # home
    covers: str  # the station that counts it while it is available
    x: int
    y: int
    speed_kmh: int  # with lights
    crew: list[str]
    state: UnitState


class Need(TypedDict):
    """Units of one kind, each with a skill on board if one is named."""

    kind: Kind
    skill: Skill | None
    units: int


class IncidentType(TypedDict):
    """What a kind of incident calls for."""

    name: str
    priority: int
    needs: list[Need]  # ambulances are counted anew from the casualties
    specialty: Specialty | None


class Incident(TypedDict):
    """An incident; needs are numbered from 0."""

    type_id: str
    place: str
    x: int
    y: int
    priority: int
    casualties: int
    conveyed: int
    needs: list[Need]
    opened_at: str
    state: Literal["open", "closed"]
    outcome: Outcome | None


class Assignment(TypedDict):
    """A unit's part in an incident, with the times of its stages."""

    incident_id: str
    unit_id: str
    need: int
    assigned_at: str
    times: dict[str, str]
    ended: Literal["cleared"] | StandDown | None


class Hospital(TypedDict):
    """A receiving hospital."""

    name: str
    x: int
    y: int
    free_beds: int
    specialties: list[Specialty]
    status: HospitalStatus


class Conveyance(TypedDict):
    """Casualties taken to a hospital."""

    incident_id: str
    unit_id: str
    hospital_id: str
    casualties: int


class Partner(TypedDict):
    """A neighbouring county and the units that it can lend now."""

    name: str
    x: int
    y: int
    speed_kmh: int
    lends: dict[str, int]  # by kind


class Aid(TypedDict):
    """A unit lent by a neighbour."""

    incident_id: str
    partner_id: str
    need: int


class Correction(TypedDict):
    """A logged time that was put right; the log keeps both."""

    assignment_id: str
    stage: Stage
    was: str
    corrected_to: str


class Refusal(TypedDict):
    """A request that control turned down."""

    incident_id: str
    reason: Declined


def _error(text: str) -> dict[str, Any]:
    return {"success": False, "error": text}


def _parse(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M") if len(text) == 16 else None
    except ValueError:
        return None


def _seconds(start: Mapping[str, Any], end: Mapping[str, Any], kmh: float) -> int:
    """Driving time between two points of the grid."""
    metres = ROAD_FACTOR * hypot(start["x"] - end["x"], start["y"] - end["y"])
    return round(metres / (kmh / 3.6))


def _minutes(seconds: int) -> int:
    return ceil(seconds / 60)


class EmergencyDispatch:
    """The command and control system of a county's ambulance and fire services."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.county: str = ""
        self.places: dict[str, Place] = {}
        self.stations: dict[str, Station] = {}
        self.people: dict[str, Person] = {}
        self.units: dict[str, Unit] = {}
        self.incident_types: dict[str, IncidentType] = {}
        self.incidents: dict[str, Incident] = {}
        self.assignments: dict[str, Assignment] = {}
        self.hospitals: dict[str, Hospital] = {}
        self.conveyances: dict[str, Conveyance] = {}
        self.partners: dict[str, Partner] = {}
        self.mutual_aid: dict[str, Aid] = {}
        self.corrections: dict[str, Correction] = {}
        self.refusals: dict[str, Refusal] = {}
        self.serials: dict[str, int] = {}

    # Inner workings

    def _serial(self, prefix: str) -> str:
        self.serials[prefix] = self.serials.get(prefix, 0) + 1
        return f"{prefix}-{self.serials[prefix]}"

    def _now(self) -> str:
        return f"{datetime.now():%Y-%m-%dT%H:%M}"

    def _current(self, unit_id: str) -> str | None:
        """The assignment that a unit is working on."""
        mine = (
            i for i, a in self.assignments.items() if a["unit_id"] == unit_id and a["ended"] is None
        )
        return next(mine, None)

    def _skills(self, unit: Unit) -> list[Skill]:
        return sorted({skill for i in unit["crew"] for skill in self.people[i]["skills"]})

    def _drive(self, unit: Unit, to: Mapping[str, Any], priority: int) -> int:
        """Seconds that a unit needs to a place, with lights for priorities 1 and 2."""
        return _seconds(unit, to, unit["speed_kmh"] * (1 if priority <= 2 else WITHOUT_LIGHTS))

    def _late_in_shift(self, unit: Unit) -> bool:
        ends = min(self.people[i]["shift_ends_at"] for i in unit["crew"])
        left = datetime.fromisoformat(ends) - datetime.now()
        return left.total_seconds() < LAST_MINUTES_OF_SHIFT * 60

    def _cover(self, station_id: str) -> int:
        """Units that are available and count for a station."""
        return sum(
            u["covers"] == station_id and u["state"] == "available" for u in self.units.values()
        )

    def _cover_falls(self, unit: Unit) -> bool:
        """Whether a station would be left short if an available unit went away."""
        station_id = unit["covers"]
        return self._cover(station_id) <= self.stations[station_id]["keep"]

    def _open_needs(self, incident_id: str) -> list[tuple[int, Need]]:
        """What is still to be sent to an incident, with the number of each need."""
        sent = [
            a["need"]
            for a in self.assignments.values()
            if a["incident_id"] == incident_id and a["ended"] in (None, "cleared")
        ]
        sent += [m["need"] for m in self.mutual_aid.values() if m["incident_id"] == incident_id]
        needs = enumerate(self.incidents[incident_id]["needs"])
        left = [(n, need, need["units"] - sent.count(n)) for n, need in needs]
        return [(n, {**need, "units": units}) for n, need, units in left if units > 0]

    def _fits(self, unit: Unit, need: Need) -> bool:
        return unit["kind"] == need["kind"] and (
            need["skill"] is None or need["skill"] in self._skills(unit)
        )

    def _unfree(self, unit_id: str, priority: int) -> str | None:
        """Say why a unit cannot be sent to an incident of a priority, or return None."""
        unit = self.units[unit_id]
        if unit["state"] in ("assigned", "mobile") and priority == 1:
            assignment_id = self._current(unit_id)
            other = self.assignments[str(assignment_id)]["incident_id"]
            if self.incidents[other]["priority"] <= 2:
                return f"{unit['callsign']} is on its way to {other}, priority 1 or 2"
        elif unit["state"] != "available":
            return f"{unit['callsign']} is {unit['state']}"
        elif priority > 1 and self._cover_falls(unit):
            return f"{self.stations[unit['covers']]['name']} would fall below its cover"
        if priority > 2 and self._late_in_shift(unit):
            return f"The crew of {unit['callsign']} is in its last {LAST_MINUTES_OF_SHIFT} minutes"
        return None

    def _quickest(self, incident_id: str, need: Need) -> tuple[str, int] | None:
        """The suitable unit that reaches an incident first, and in how many seconds."""
        incident = self.incidents[incident_id]
        times = [
            (self._drive(u, incident, incident["priority"]), i)
            for i, u in self.units.items()
            if self._fits(u, need) and self._unfree(i, incident["priority"]) is None
        ]
        if not times:
            return None
        seconds, unit_id = min(times)
        return unit_id, seconds

    def _lender(self, incident: Incident, kind: Kind) -> tuple[int, str] | None:
        """In how many seconds the quickest neighbour that lends a kind is there, and which."""
        times = [
            (_seconds(p, incident, p["speed_kmh"]), i)
            for i, p in self.partners.items()
            if p["lends"].get(kind, 0) > 0
        ]
        return min(times, default=None)

    def _borrowed_instead(self, incident: Incident, kind: Kind, seconds: int) -> str | None:
        """The neighbour whose unit goes because ours takes so long, or None."""
        if incident["priority"] > 1 or _minutes(seconds) <= MUTUAL_AID_MINUTES:
            return None
        lender = self._lender(incident, kind)
        return lender[1] if lender is not None and lender[0] < seconds else None

    def _ambulances(self, needs: list[Need], casualties: int, priority: int) -> list[Need]:
        """Needs with ambulances for so many casualties: one each on priority 1, else two."""
        carries = 1 if priority == 1 else 2
        return [
            {**n, "units": max(1, ceil(casualties / carries))}
            if n["kind"] == "ambulance"
            else {**n}
            for n in needs
        ]

    def _incident_problem(self, incident_id: str) -> str | None:
        if incident_id not in self.incidents:
            return f"There is no incident {incident_id}"
        if self.incidents[incident_id]["state"] == "closed":
            return f"Incident {incident_id} is closed"
        return None

    def _time_problem(self, at: str, not_before: str) -> str | None:
        """Say why a stage cannot have happened at a time, or return None."""
        moment = _parse(at)
        if moment is None:
            return f"{at!r} is not a time in the form YYYY-MM-DDTHH:MM"
        if moment > datetime.now():
            return f"{at} has not come yet"
        return f"{at} is before {not_before}, the stage before it" if at < not_before else None

    def _hospital_problem(
        self, hospital_id: str, incident: Incident, casualties: int
    ) -> str | None:
        """Say why a hospital does not take casualties of an incident, or return None."""
        hospital = self.hospitals[hospital_id]
        specialty = self.incident_types[incident["type_id"]]["specialty"]
        if hospital["status"] == "closed":
            return f"{hospital['name']} is closed"
        if hospital["status"] == "diverting" and incident["priority"] > 1:
            return f"{hospital['name']} is diverting all but priority 1"
        if specialty is not None and specialty not in hospital["specialties"]:
            return f"{hospital['name']} has no {specialty} service"
        if hospital["free_beds"] < casualties:
            return f"{hospital['name']} has {hospital['free_beds']} beds free"
        return None

    def _free(self, unit_id: str, state: UnitState) -> None:
        """End a unit's work where it stands; it counts for its home station again."""
        self.units[unit_id]["state"] = state
        self.units[unit_id]["covers"] = self.units[unit_id]["station_id"]

    def _unit_row(self, unit_id: str) -> dict[str, Any]:
        unit = self.units[unit_id]
        assignment_id = self._current(unit_id)
        incident = self.assignments[assignment_id]["incident_id"] if assignment_id else None
        ends = min(self.people[i]["shift_ends_at"] for i in unit["crew"])
        row = {"unit_id": unit_id, **unit, "skills": self._skills(unit)}
        return {**row, "shift_ends_at": ends, "incident_id": incident}

    # Asking

    def find_place(self, text: str) -> dict[str, Any]:
        """Find grid coordinates, in metres, of places by part of their name.

        Args:
            text: Part of the name, any case.
        """
        found = [
            {"place_id": i, **p}
            for i, p in self.places.items()
            if text.lower() in p["name"].lower()
        ]
        return {"success": True, "places": found}

    def list_incidents(
        self,
        state: Literal["open", "closed"] | None = None,
        priority: int | None = None,
        text: str = "",
    ) -> dict[str, Any]:
        """List incidents, most urgent and then oldest first.

        Args:
            state: Only incidents in this state.
            priority: Only incidents of this priority, 1 to 4.
            text: Part of the place or of the type's name, any case; empty for all.
        """
        found = []
        for incident_id, incident in self.incidents.items():
            name = self.incident_types[incident["type_id"]]["name"]
            if (
                state in (None, incident["state"])
                and priority in (None, incident["priority"])
                and text.lower() in f"{incident['place']} {name}".lower()
            ):
                row: dict[str, Any] = {"incident_id": incident_id, "type": name}
                row |= {k: v for k, v in incident.items() if k != "needs"}
                found.append({**row, "units_missing": bool(self._open_needs(incident_id))})
        order = sorted(found, key=lambda r: (r["priority"], r["opened_at"]))
        return {"success": True, "incidents": order}

    def get_incident(self, incident_id: str) -> dict[str, Any]:
        """Show an incident with its needs, what is still to be sent, and all who were sent.

        Args:
            incident_id: The incident.
        """
        if incident_id not in self.incidents:
            return _error(f"There is no incident {incident_id}")
        mine = {i: a for i, a in self.assignments.items() if a["incident_id"] == incident_id}
        rows = self.conveyances.values()
        return {
            "success": True,
            "incident": self.incidents[incident_id],
            "type": self.incident_types[self.incidents[incident_id]["type_id"]],
            "still_needed": [need for _, need in self._open_needs(incident_id)],
            "assignments": mine,
            "conveyances": [c for c in rows if c["incident_id"] == incident_id],
            "mutual_aid": [m for m in self.mutual_aid.values() if m["incident_id"] == incident_id],
            "refusals": [
                r["reason"] for r in self.refusals.values() if r["incident_id"] == incident_id
            ],
        }

    def list_units(
        self, kind: Kind | None = None, state: UnitState | None = None, station: str = ""
    ) -> dict[str, Any]:
        """List units with position, skills on board, end of shift and incident.

        Args:
            kind: Only units of this kind.
            state: Only units in this state.
            station: Part of the home station's name, any case; empty for all.
        """
        found = [
            self._unit_row(i)
            for i, u in self.units.items()
            if kind in (None, u["kind"])
            and state in (None, u["state"])
            and station.lower() in self.stations[u["station_id"]]["name"].lower()
        ]
        return {"success": True, "units": found}

    def get_unit(self, callsign: str) -> dict[str, Any]:
        """Show a unit by its callsign, with crew and the times of its current assignment.

        Args:
            callsign: The callsign, any case.
        """
        for unit_id, unit in self.units.items():
            if unit["callsign"].lower() == callsign.lower():
                assignment_id = self._current(unit_id)
                current = self.assignments[assignment_id] if assignment_id else None
                return {
                    "success": True,
                    "unit": self._unit_row(unit_id),
                    "crew": [self.people[i] for i in unit["crew"]],
                    "assignment_id": assignment_id,
                    "assignment": current,
                }
        return _error(f"No unit has the callsign {callsign}")

    def travel_times(self, incident_id: str, kind: Kind | None = None) -> dict[str, Any]:
        """List how long units and neighbours would take to an incident, quickest first.

        All units are listed, whether or not they are free or suit the incident.

        Args:
            incident_id: An open incident.
            kind: Only units of this kind.
        """
        if problem := self._incident_problem(incident_id):
            return _error(problem)
        incident = self.incidents[incident_id]
        units = []
        for unit_id, unit in self.units.items():
            if kind in (None, unit["kind"]):
                seconds = self._drive(unit, incident, incident["priority"])
                row = {"unit_id": unit_id, "callsign": unit["callsign"], "kind": unit["kind"]}
                state = {"state": unit["state"], "skills": self._skills(unit)}
                units.append({**row, **state, "seconds": seconds, "minutes": _minutes(seconds)})
        partners = [
            {"partner_id": i, "name": p["name"], "lends": p["lends"]}
            | {"seconds": seconds, "minutes": _minutes(seconds)}
            for i, p in self.partners.items()
            for seconds in [_seconds(p, incident, p["speed_kmh"])]
        ]
        return {
            "success": True,
            "units": sorted(units, key=lambda u: u["seconds"]),
            "partners": sorted(partners, key=lambda p: p["seconds"]),
        }

    def times_to_station(self, station_id: str) -> dict[str, Any]:
        """List how long available units of its service would take to a station, without lights.

        All of them are listed, whether or not the station that each covers can spare it.

        Args:
            station_id: The station.
        """
        if station_id not in self.stations:
            return _error(f"There is no station {station_id}")
        station = self.stations[station_id]
        units = []
        for unit_id, unit in self.units.items():
            if SERVICES[unit["kind"]] == station["service"] and unit["state"] == "available":
                row = {"unit_id": unit_id, "callsign": unit["callsign"], "covers": unit["covers"]}
                units.append({**row, "seconds": self._drive(unit, station, 3)})
        return {"success": True, "units": sorted(units, key=lambda u: u["seconds"])}

    def cover_report(self, service: Service | None = None) -> dict[str, Any]:
        """Compare each station's available units with what is to stay there.

        Args:
            service: Only stations of this service.
        """
        report = [
            {
                "station_id": i,
                "name": s["name"],
                "service": s["service"],
                "keep": s["keep"],
                "available": self._cover(i),
                "short": self._cover(i) < s["keep"],
            }
            for i, s in self.stations.items()
            if service in (None, s["service"])
        ]
        return {"success": True, "stations": report}

    def list_hospitals(
        self, specialty: Specialty | None = None, from_unit_id: str | None = None
    ) -> dict[str, Any]:
        """List hospitals with beds, specialties and status, and the drive from a unit.

        Args:
            specialty: Only hospitals with this service.
            from_unit_id: A unit from which the drive with lights is timed.
        """
        if from_unit_id is not None and from_unit_id not in self.units:
            return _error(f"There is no unit {from_unit_id}")
        found = []
        for hospital_id, hospital in self.hospitals.items():
            if specialty is None or specialty in hospital["specialties"]:
                row: dict[str, Any] = {"hospital_id": hospital_id, **hospital}
                if from_unit_id is not None:
                    row["seconds"] = self._drive(self.units[from_unit_id], hospital, 1)
                found.append(row)
        return {"success": True, "hospitals": found}

    def list_partners(self) -> dict[str, Any]:
        """List neighbouring counties with the units that they can lend now."""
        return {
            "success": True,
            "partners": [{"partner_id": i, **p} for i, p in self.partners.items()],
        }

    def list_incident_types(self, text: str = "") -> dict[str, Any]:
        """List types of incident with priority, units needed and hospital service.

        Args:
            text: Part of the name, any case; empty for all.
        """
        found = [
            {"type_id": i, **t}
            for i, t in self.incident_types.items()
            if text.lower() in t["name"].lower()
        ]
        return {"success": True, "types": found}

    def read_log(self, callsign: str = "", incident_id: str | None = None) -> dict[str, Any]:
        """Read assignments with the times of their stages, and corrections made to them.

        Args:
            callsign: Only of the unit with this callsign, any case; empty for all.
            incident_id: Only of this incident.
        """
        rows = [
            {"assignment_id": i, "callsign": self.units[a["unit_id"]]["callsign"], **a}
            for i, a in self.assignments.items()
            if incident_id in (None, a["incident_id"])
            and callsign.lower() in ("", self.units[a["unit_id"]]["callsign"].lower())
        ]
        shown = {row["assignment_id"] for row in rows}
        corrections = [c for c in self.corrections.values() if c["assignment_id"] in shown]
        return {"success": True, "assignments": rows, "corrections": corrections}

    # Acting

    def open_incident(self, type_id: str, place_id: str, casualties: int) -> dict[str, Any]:
        """Open an incident at a place of the gazetteer.

        Args:
            type_id: The type, which sets priority and needs.
            place_id: The place.
            casualties: Number of casualties reported, 0 to 20.
        """
        if type_id not in self.incident_types:
            return _error(f"There is no incident type {type_id}")
        if place_id not in self.places:
            return _error(f"There is no place {place_id}")
        if not 0 <= casualties <= 20:
            return _error("Between 0 and 20 casualties are handled as one incident")
        kind, place = self.incident_types[type_id], self.places[place_id]
        incident_id = self._serial("INC")
        self.incidents[incident_id] = {
            "type_id": type_id,
            "place": place["name"],
            "x": place["x"],
            "y": place["y"],
            "priority": kind["priority"],
            "casualties": casualties,
            "conveyed": 0,
            "needs": self._ambulances(kind["needs"], casualties, kind["priority"]),
            "opened_at": self._now(),
            "state": "open",
            "outcome": None,
        }
        needs = self.incidents[incident_id]["needs"]
        return {"success": True, "incident_id": incident_id, "needs": needs}

    def update_incident(
        self, incident_id: str, priority: int | None = None, casualties: int | None = None
    ) -> dict[str, Any]:
        """Change the priority or the number of casualties; ambulances needed follow from both.

        Args:
            incident_id: An open incident.
            priority: New priority, 1 (life at risk) to 4; left out if unchanged.
            casualties: New number of casualties; left out if unchanged.
        """
        if problem := self._incident_problem(incident_id):
            return _error(problem)
        incident = self.incidents[incident_id]
        grade = incident["priority"] if priority is None else priority
        count = incident["casualties"] if casualties is None else casualties
        if (grade, count) == (incident["priority"], incident["casualties"]):
            return _error("That is how the incident stands already")
        if not 1 <= grade <= 4:
            return _error("Priorities run from 1 to 4")
        if not incident["conveyed"] <= count <= 20:
            return _error(f"{incident['conveyed']} have been conveyed, and 20 are the most")
        there = [
            a
            for a in self.assignments.values()
            if a["incident_id"] == incident_id and a["ended"] is None and "on_scene" in a["times"]
        ]
        if grade > incident["priority"] and not there:
            return _error("Only a crew on scene lowers the priority")
        incident["priority"], incident["casualties"] = grade, count
        incident["needs"] = self._ambulances(incident["needs"], count, grade)
        missing = [need for _, need in self._open_needs(incident_id)]
        return {"success": True, "incident_id": incident_id, "still_needed": missing}

    def assign_unit(self, incident_id: str, unit_id: str) -> dict[str, Any]:
        """Send a unit to an incident, if need be diverting it from a less urgent one.

        Args:
            incident_id: An open incident which still needs such a unit.
            unit_id: The quickest suitable unit.
        """
        if problem := self._incident_problem(incident_id):
            return _error(problem)
        if unit_id not in self.units:
            return _error(f"There is no unit {unit_id}")
        unit, incident = self.units[unit_id], self.incidents[incident_id]
        fitting = [(n, need) for n, need in self._open_needs(incident_id) if self._fits(unit, need)]
        if not fitting:
            return _error(f"{incident_id} needs no {unit['kind']} with these skills")
        if problem := self._unfree(unit_id, incident["priority"]):
            return _error(problem)
        number, need = fitting[0]
        mine = self._drive(unit, incident, incident["priority"])
        best = self._quickest(incident_id, need)
        if best is not None and best[1] < mine:
            callsign = self.units[best[0]]["callsign"]
            return _error(f"{callsign} is there sooner, {_minutes(best[1])} minutes")
        if lender := self._borrowed_instead(incident, unit["kind"], mine):
            name, why = self.partners[lender]["name"], f"{_minutes(mine)} minutes are too long"
            return _error(f"{why}: {name} is there sooner and lends a {unit['kind']}")
        former = self._current(unit_id)
        if former is not None:
            self.assignments[former]["ended"] = "diverted"
        assignment_id = self._serial("ASG")
        self.assignments[assignment_id] = {
            "incident_id": incident_id,
            "unit_id": unit_id,
            "need": number,
            "assigned_at": self._now(),
            "times": {},
            "ended": None,
        }
        unit["state"] = "assigned"
        return {"success": True, "assignment_id": assignment_id, "minutes": _minutes(mine)}

    def log_stage(
        self, unit_id: str, stage: Literal["mobile", "on_scene", "at_hospital", "clear"], at: str
    ) -> dict[str, Any]:
        """Log what a unit reports: on its way, on scene, at hospital, or clear and free again.

        Args:
            unit_id: A unit with an assignment.
            stage: The stage, next in line; a unit is clear from the scene or from hospital.
            at: When, YYYY-MM-DDTHH:MM.
        """
        if unit_id not in self.units:
            return _error(f"There is no unit {unit_id}")
        unit, assignment_id = self.units[unit_id], self._current(unit_id)
        follows: dict[UnitState, tuple[str, ...]] = {
            "assigned": ("mobile",),
            "mobile": ("on_scene",),
            "on_scene": ("clear",),
            "transporting": ("at_hospital",),
            "at_hospital": ("clear",),
        }
        if assignment_id is None or stage not in follows.get(unit["state"], ()):
            return _error(f"{unit['callsign']} is {unit['state']}, which {stage} does not follow")
        assignment = self.assignments[assignment_id]
        last = max([assignment["assigned_at"], *assignment["times"].values()])
        if problem := self._time_problem(at, last):
            return _error(problem)
        assignment["times"][stage] = at
        if stage == "clear":
            assignment["ended"] = "cleared"
            self._free(unit_id, "available")
            return {"success": True, "state": "available"}
        unit["state"] = stage
        target: Mapping[str, Any] | None = None
        if stage == "on_scene":
            target = self.incidents[assignment["incident_id"]]
        if stage == "at_hospital":
            trips = [c for c in self.conveyances.values() if c["unit_id"] == unit_id]
            target = self.hospitals[trips[-1]["hospital_id"]]
        if target is not None:
            unit["x"], unit["y"] = target["x"], target["y"]
        return {"success": True, "state": unit["state"]}

    def convey(self, unit_id: str, hospital_id: str, casualties: int, at: str) -> dict[str, Any]:
        """Log that an ambulance leaves the scene for a hospital, which holds beds for it.

        Args:
            unit_id: An ambulance on scene.
            hospital_id: The quickest hospital that takes them.
            casualties: How many it carries.
            at: When it left, YYYY-MM-DDTHH:MM.
        """
        if unit_id not in self.units:
            return _error(f"There is no unit {unit_id}")
        if hospital_id not in self.hospitals:
            return _error(f"There is no hospital {hospital_id}")
        unit, assignment_id = self.units[unit_id], self._current(unit_id)
        if assignment_id is None or unit["state"] != "on_scene" or unit["kind"] != "ambulance":
            return _error(f"{unit['callsign']} is not an ambulance on scene")
        assignment = self.assignments[assignment_id]
        incident_id = assignment["incident_id"]
        incident = self.incidents[incident_id]
        most = min(
            1 if incident["priority"] == 1 else 2, incident["casualties"] - incident["conveyed"]
        )
        if not 1 <= casualties <= most:
            return _error(f"{unit['callsign']} takes 1 to {most} casualties of {incident_id}")
        if problem := self._hospital_problem(hospital_id, incident, casualties):
            return _error(problem)
        drives = {
            i: self._drive(unit, h, 1)
            for i, h in self.hospitals.items()
            if self._hospital_problem(i, incident, casualties) is None
        }
        first = min(drives, key=lambda i: drives[i])
        if drives[first] < drives[hospital_id]:
            return _error(f"{self.hospitals[first]['name']} is nearer and takes them")
        if problem := self._time_problem(at, assignment["times"]["on_scene"]):
            return _error(problem)
        assignment["times"]["left_scene"] = at
        unit["state"] = "transporting"
        incident["conveyed"] += casualties
        self.hospitals[hospital_id]["free_beds"] -= casualties
        conveyance_id = self._serial("CNV")
        self.conveyances[conveyance_id] = {
            "incident_id": incident_id,
            "unit_id": unit_id,
            "hospital_id": hospital_id,
            "casualties": casualties,
        }
        left = self.hospitals[hospital_id]["free_beds"]
        return {"success": True, "conveyance_id": conveyance_id, "free_beds": left}

    def stand_down(
        self, unit_id: str, reason: Literal["not_needed", "false_alarm", "breakdown"]
    ) -> dict[str, Any]:
        """Take a unit off an incident before it has casualties on board.

        Args:
            unit_id: A unit that is assigned, on its way or on scene.
            reason: Why; a broken-down unit goes off the road, others are free again.
        """
        if unit_id not in self.units:
            return _error(f"There is no unit {unit_id}")
        unit, assignment_id = self.units[unit_id], self._current(unit_id)
        if assignment_id is None or unit["state"] not in ("assigned", "mobile", "on_scene"):
            return _error(f"{unit['callsign']} is {unit['state']} and cannot be stood down")
        self.assignments[assignment_id]["ended"] = reason
        self._free(unit_id, "off_road" if reason == "breakdown" else "available")
        return {"success": True, "state": unit["state"]}

    def correct_time(self, assignment_id: str, stage: Stage, at: str) -> dict[str, Any]:
        """Put a logged time right; the old one is kept with the correction.

        Args:
            assignment_id: An assignment to an incident that is still open.
            stage: A stage that has been logged.
            at: The right time, YYYY-MM-DDTHH:MM, between the stages before and after it.
        """
        if assignment_id not in self.assignments:
            return _error(f"There is no assignment {assignment_id}")
        assignment = self.assignments[assignment_id]
        if self.incidents[assignment["incident_id"]]["state"] == "closed":
            return _error(f"The log of {assignment['incident_id']} is closed")
        times = assignment["times"]
        if stage not in times:
            return _error(f"{stage} has not been logged for {assignment_id}")
        place = STAGES.index(stage)
        earlier = [assignment["assigned_at"], *(times[s] for s in STAGES[:place] if s in times)]
        if problem := self._time_problem(at, max(earlier)):
            return _error(problem)
        if any(times[s] < at for s in STAGES[place + 1 :] if s in times):
            return _error(f"{at} is after a stage that follows {stage}")
        if times[stage] == at:
            return _error(f"{at} is what the log says")
        self.corrections[self._serial("COR")] = {
            "assignment_id": assignment_id,
            "stage": stage,
            "was": times[stage],
            "corrected_to": at,
        }
        times[stage] = at
        return {"success": True, "times": times}

    def request_mutual_aid(self, incident_id: str, partner_id: str, kind: Kind) -> dict[str, Any]:
        """Borrow a unit from a neighbouring county for an incident.

        Args:
            incident_id: An open incident that still needs such a unit.
            partner_id: The quickest neighbour that lends one.
            kind: The kind of unit.
        """
        if problem := self._incident_problem(incident_id):
            return _error(problem)
        if partner_id not in self.partners:
            return _error(f"There is no partner {partner_id}")
        incident, partner = self.incidents[incident_id], self.partners[partner_id]
        wanted = [(n, need) for n, need in self._open_needs(incident_id) if need["kind"] == kind]
        if not wanted:
            return _error(f"{incident_id} needs no {kind} any more")
        number, need = wanted[0]
        if partner["lends"].get(kind, 0) < 1:
            return _error(f"{partner['name']} has no {kind} to lend")
        own = self._quickest(incident_id, need)
        if own is not None and self._borrowed_instead(incident, kind, own[1]) is None:
            callsign = self.units[own[0]]["callsign"]
            return _error(f"{callsign} of our own is to go, {_minutes(own[1])} minutes")
        seconds = _seconds(partner, incident, partner["speed_kmh"])
        nearest = self._lender(incident, kind)
        if nearest is not None and nearest[0] < seconds:
            return _error(f"{self.partners[nearest[1]]['name']} is nearer and lends one")
        partner["lends"][kind] -= 1
        self.mutual_aid[self._serial("AID")] = {
            "incident_id": incident_id,
            "partner_id": partner_id,
            "need": number,
        }
        return {"success": True, "minutes": _minutes(seconds)}

    def stand_by(self, unit_id: str, station_id: str) -> dict[str, Any]:
        """Move an available unit to a station that is short of cover.

        Args:
            unit_id: The unit that is there soonest of those whose own station can spare them.
            station_id: A station of the unit's service.
        """
        if unit_id not in self.units:
            return _error(f"There is no unit {unit_id}")
        if station_id not in self.stations:
            return _error(f"There is no station {station_id}")
        station = self.stations[station_id]
        if self._cover(station_id) >= station["keep"]:
            return _error(f"{station['name']} has its cover")
        spare = {
            i: self._drive(u, station, 3)
            for i, u in self.units.items()
            if SERVICES[u["kind"]] == station["service"]
            and u["state"] == "available"
            and u["covers"] != station_id
            and not self._cover_falls(u)
        }
        if unit_id not in spare:
            unit = self.units[unit_id]
            if SERVICES[unit["kind"]] != station["service"]:
                return _error(f"{unit['callsign']} is no {station['service']} unit")
            if unit["state"] != "available":
                return _error(f"{unit['callsign']} is {unit['state']}")
            home = self.stations[unit["covers"]]["name"]
            return _error(f"{unit['callsign']} cannot be spared: {home} would fall below its cover")
        first = min(spare, key=lambda i: spare[i])
        if spare[first] < spare[unit_id]:
            return _error(f"{self.units[first]['callsign']} is there sooner")
        unit = self.units[unit_id]
        unit["covers"], unit["x"], unit["y"] = station_id, station["x"], station["y"]
        return {"success": True, "covers": station_id, "available": self._cover(station_id)}

    def set_hospital(
        self,
        hospital_id: str,
        status: HospitalStatus | None = None,
        free_beds: int | None = None,
    ) -> dict[str, Any]:
        """Record what a hospital reports about itself.

        Args:
            hospital_id: The hospital.
            status: Open, diverting all but priority 1, or closed; left out if unchanged.
            free_beds: Emergency beds free now; left out if unchanged.
        """
        if hospital_id not in self.hospitals:
            return _error(f"There is no hospital {hospital_id}")
        hospital = self.hospitals[hospital_id]
        state = hospital["status"] if status is None else status
        beds = hospital["free_beds"] if free_beds is None else free_beds
        if not 0 <= beds <= 99:
            return _error("Between 0 and 99 beds")
        if (state, beds) == (hospital["status"], hospital["free_beds"]):
            return _error("That is on record already")
        hospital["status"], hospital["free_beds"] = state, beds
        return {"success": True, "status": state, "free_beds": beds}

    def close_incident(self, incident_id: str, outcome: Outcome) -> dict[str, Any]:
        """Close an incident to which no unit is committed any more.

        Args:
            incident_id: The incident.
            outcome: How it ended. Conveyed when all casualties were; treated_at_scene or
                no_casualties when a unit has cleared from the scene; false_alarm or duplicate
                (of an open incident of the type within 500 m) when none has.
        """
        if problem := self._incident_problem(incident_id):
            return _error(problem)
        incident = self.incidents[incident_id]
        busy = [
            self.units[a["unit_id"]]["callsign"]
            for a in self.assignments.values()
            if a["incident_id"] == incident_id and a["ended"] is None
        ]
        if busy:
            return _error(f"Still committed: {', '.join(busy)}")
        twins = [
            i
            for i, other in self.incidents.items()
            if i != incident_id
            and (other["state"], other["type_id"]) == ("open", incident["type_id"])
            and hypot(other["x"] - incident["x"], other["y"] - incident["y"]) <= DUPLICATE_METRES
        ]
        cleared = any(
            (a["incident_id"], a["ended"]) == (incident_id, "cleared")
            for a in self.assignments.values()
        )
        holds = {
            "conveyed": incident["conveyed"] == incident["casualties"] > 0,
            "treated_at_scene": cleared and incident["conveyed"] < incident["casualties"],
            "no_casualties": cleared and incident["casualties"] == 0,
            "false_alarm": incident["conveyed"] == 0 and not cleared,
            "duplicate": bool(twins) and not cleared,
        }
        if not holds[outcome]:
            return _error(f"{outcome} does not agree with the log of {incident_id}")
        incident["state"], incident["outcome"] = "closed", outcome
        return {"success": True, "incident_id": incident_id, "outcome": outcome}

    def decline_request(self, incident_id: str, reason: Declined) -> dict[str, Any]:
        """Put on an incident that a request about it was turned down.

        Args:
            incident_id: The incident, open or closed.
            reason: The rule that stood in the way.
        """
        if incident_id not in self.incidents:
            return _error(f"There is no incident {incident_id}")
        entry: Refusal = {"incident_id": incident_id, "reason": reason}
        if entry in self.refusals.values():
            return _error("That is on record already")
        refusal_id = self._serial("REF")
        self.refusals[refusal_id] = entry
        return {"success": True, "refusal_id": refusal_id}
