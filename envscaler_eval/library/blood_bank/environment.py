"""Hospital blood bank: single units, samples, cross-matching, issue, recall and resupply."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

Abo = Literal["O", "A", "B", "AB"]
Rh = Literal["positive", "negative"]
Component = Literal["red_cells", "platelets", "plasma"]
Antigen = Literal["C", "c", "E", "K", "Fya", "Jka", "S"]
UnitStatus = Literal["available", "reserved", "issued", "transfused", "quarantined", "discarded"]
RequestStatus = Literal["open", "completed", "cancelled"]
Fate = Literal["out", "transfused", "returned", "discarded"]
MatchResult = Literal["compatible", "incompatible"]
WasteReason = Literal["expired", "out_of_temperature", "broken", "recalled"]
RecallReason = Literal["donor_infection", "bacterial_growth", "temperature_fault"]
DeclineReason = Literal[
    "group_discrepancy",
    "sample_too_old",
    "no_suitable_unit",
    "emergency_stock",
    "too_old_to_irradiate",
    "not_returnable",
    "order_not_due",
    "under_recall",
]

SAMPLE_HOURS = 72
IRRADIATE_WITHIN_DAYS = 14
IRRADIATED_KEEPS_DAYS = 14
MINUTES_OUT_OF_FRIDGE = 30
EMERGENCY_UNITS = 2

RED_CELLS_FROM: dict[Abo, tuple[Abo, ...]] = {
    "O": ("O",),
    "A": ("A", "O"),
    "B": ("B", "O"),
    "AB": ("AB", "A", "B", "O"),
}
PLASMA_FROM: dict[Abo, tuple[Abo, ...]] = {
    "O": ("O", "A", "B", "AB"),
    "A": ("A", "AB"),
    "B": ("B", "AB"),
    "AB": ("AB",),
}


class Patient(TypedDict):
    """A recipient; the group stays empty until the first sample has been tested."""

    name: str
    born_on: str
    ward: str | None  # None once discharged
    abo: Abo | None
    rh: Rh | None
    group_confirmed: bool  # two separately taken samples agree
    antibodies: list[Antigen]  # never forgotten, even if a later screen is negative
    irradiated_only: bool
    cmv_negative_only: bool


class Sample(TypedDict):
    """A tested pre-transfusion sample."""

    patient_id: str
    taken_at: str
    screen: Literal["negative", "positive"]


class Donation(TypedDict):
    """One visit of a donor, from which several components may have been made."""

    donor: str
    donated_on: str


class Unit(TypedDict):
    """One bag."""

    donation_id: str
    component: Component
    abo: Abo
    rh: Rh
    negative_for: list[Antigen]  # antigens typed and absent
    cmv_negative: bool
    irradiated: bool
    expires_on: str  # usable up to the end of this day
    status: UnitStatus


class Request(TypedDict):
    """What a ward asked for one patient."""

    patient_id: str
    component: Component
    units: int
    needed_at: str
    status: RequestStatus


class Reservation(TypedDict):
    """A unit set aside for a request."""

    request_id: str
    unit_id: str
    status: Literal["held", "issued", "released", "recalled"]


class Crossmatch(TypedDict):
    """A serological cross-match done at the bench."""

    sample_id: str
    unit_id: str
    result: MatchResult
    retrospective: bool


class Issue(TypedDict):
    """A unit that left the blood bank for a patient."""

    unit_id: str
    patient_id: str
    request_id: str | None
    issued_on: str
    emergency: bool
    crossmatch_due: bool  # emergency unit whose retrospective cross-match is outstanding
    fate: Fate


class Wastage(TypedDict):
    """A unit thrown away."""

    unit_id: str
    reason: WasteReason
    recorded_on: str


class StockLine(TypedDict):
    """What the bank keeps of one component and group, in units."""

    component: Component
    abo: Abo
    rh: Rh
    minimum: int
    target: int


class Supplier(TypedDict):
    """A blood centre that delivers."""

    name: str
    cutoff: str  # HH:MM
    lead_days: int
    unit_cents: dict[str, int]  # by component
    delivery_cents: int


class Order(TypedDict):
    """Units ordered for one stock line."""

    supplier_id: str
    line_id: str
    units: int
    deliver_on: str
    cost_cents: int
    status: Literal["placed", "received", "cancelled"]


class Recall(TypedDict):
    """A donation withdrawn by the blood service."""

    donation_id: str
    reason: RecallReason
    opened_on: str


class Lookback(TypedDict):
    """A recipient of a recalled donation who is being followed up."""

    recall_id: str
    issue_id: str
    patient_id: str
    through: Literal["consultant", "gp"]


class Declined(TypedDict):
    """Something that was asked for and not done."""

    record_id: str
    reason: DeclineReason
    declined_on: str


def _no(why: str) -> dict[str, Any]:
    return {"success": False, "error": why}


def _moment(text: str) -> datetime | None:
    """Read YYYY-MM-DDTHH:MM, or None if it is anything else."""
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M") if len(text) == 16 else None
    except ValueError:
        return None


def _group(abo: Abo | None, rh: Rh | None) -> str:
    return f"{abo} RhD {rh}" if abo else "unknown"


def _where(collection: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """The records of a collection that have these field values."""
    return {i: r for i, r in collection.items() if all(r[k] == v for k, v in fields.items())}


class BloodBank:
    """The transfusion laboratory's information system."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.hospital: str = ""
        self.patients: dict[str, Patient] = {}
        self.samples: dict[str, Sample] = {}
        self.donations: dict[str, Donation] = {}
        self.units: dict[str, Unit] = {}
        self.requests: dict[str, Request] = {}
        self.reservations: dict[str, Reservation] = {}
        self.crossmatches: dict[str, Crossmatch] = {}
        self.issues: dict[str, Issue] = {}
        self.wastages: dict[str, Wastage] = {}
        self.stock_lines: dict[str, StockLine] = {}
        self.suppliers: dict[str, Supplier] = {}
        self.orders: dict[str, Order] = {}
        self.recalls: dict[str, Recall] = {}
        self.lookbacks: dict[str, Lookback] = {}
        self.declined: dict[str, Declined] = {}
        self.last_numbers: dict[str, int] = {}

    # What the tools share

    def _number(self, kind: str) -> str:
        """The next running number of a kind of record, as its id."""
        self.last_numbers[kind] = self.last_numbers.get(kind, 0) + 1
        return f"{kind}-{self.last_numbers[kind]}"

    def _absent(self, **ids: str) -> str | None:
        """Say which of these ids is in no record of its collection."""
        unknown = (i for kind, i in ids.items() if i not in getattr(self, kind))
        return next((f"{i!r} does not exist" for i in unknown), None)

    def _valid_until(self, sample_id: str) -> datetime:
        taken = datetime.fromisoformat(self.samples[sample_id]["taken_at"])
        return taken + timedelta(hours=SAMPLE_HOURS)

    def _latest_sample(self, patient_id: str) -> str | None:
        mine = [i for i, s in self.samples.items() if s["patient_id"] == patient_id]
        return max(mine, key=lambda i: self.samples[i]["taken_at"], default=None)

    def _sample_problem(self, patient_id: str, moment: datetime) -> str | None:
        """Say why no sample of a patient covers a moment."""
        sample_id = self._latest_sample(patient_id)
        if sample_id is None:
            return f"There is no sample of patient {patient_id}"
        until = self._valid_until(sample_id)
        if moment > until:
            return f"Sample {sample_id} is valid until {until:%Y-%m-%dT%H:%M} only"
        return None

    def _group_problem(self, patient: Patient, unit: Unit) -> str | None:
        """Say why the group of a unit does not suit a patient."""
        group, component = _group(unit["abo"], unit["rh"]), unit["component"]
        abo = patient["abo"]
        if abo is None or not patient["group_confirmed"]:
            if group == "O RhD negative" and component == "red_cells":
                return None
            if unit["abo"] == "AB" and component == "plasma":
                return None
            return f"The group of the patient is not confirmed, which rules out {group} {component}"
        own = {"red_cells": RED_CELLS_FROM[abo], "plasma": PLASMA_FROM[abo], "platelets": (abo,)}
        if unit["abo"] not in own[component]:
            return f"{group} {component} do not suit a {_group(abo, patient['rh'])} patient"
        if component != "plasma" and patient["rh"] == "negative" and unit["rh"] == "positive":
            return f"An RhD negative patient does not receive RhD positive {component}"
        return None

    def _unit_problem(self, patient: Patient, unit: Unit, day: str) -> str | None:
        """Say why a unit does not suit a patient on a day, or return None."""
        if problem := self._group_problem(patient, unit):
            return problem
        if unit["expires_on"] < day:
            return f"The unit expires on {unit['expires_on']}, before {day}"
        if unit["component"] == "plasma":
            return None
        if patient["irradiated_only"] and not unit["irradiated"]:
            return "The patient needs irradiated components and the unit is not irradiated"
        if patient["cmv_negative_only"] and not unit["cmv_negative"]:
            return "The patient needs CMV negative components and the unit is not tested so"
        present = [a for a in patient["antibodies"] if a not in unit["negative_for"]]
        if unit["component"] == "red_cells" and present:
            return f"The unit is not typed negative for {', '.join(present)}"
        return None

    def _matched(self, patient_id: str, unit_id: str) -> MatchResult | None:
        """What the bench found for a unit with the patient's latest sample."""
        sample_id = self._latest_sample(patient_id)
        for match in self.crossmatches.values():
            if (match["sample_id"], match["unit_id"]) == (sample_id, unit_id):
                return match["result"]
        return None

    def _shelf(self, component: Component, abo: Abo, rh: Rh) -> list[str]:
        """Available units in date of one component and group, first to expire first."""
        group = _where(self.units, component=component, abo=abo, rh=rh, status="available")
        today = datetime.now().date().isoformat()
        usable = [i for i, u in group.items() if u["expires_on"] >= today]
        return sorted(usable, key=lambda i: self.units[i]["expires_on"])

    def _emergency_stock(self) -> list[str]:
        return self._shelf("red_cells", "O", "negative")

    def _turn(self, patient: Patient, unit: Unit) -> tuple[int, int, str]:
        """The order in which suitable units are taken for a patient, lowest first."""
        plasma = unit["component"] == "plasma"
        other = 2 if unit["abo"] == ("AB" if plasma else "O") else 1
        rank = 0 if unit["abo"] == patient["abo"] else other
        return (rank, int(not plasma and unit["rh"] != patient["rh"]), unit["expires_on"])

    def _candidates(self, request: Request) -> list[str]:
        """Available units that suit a request, in the order in which they are to be taken."""
        patient = self.patients[request["patient_id"]]
        kept = self._emergency_stock()
        found = [
            i
            for i, u in self.units.items()
            if u["component"] == request["component"]
            and u["status"] == "available"
            and (i not in kept or len(kept) > EMERGENCY_UNITS)
            and self._matched(request["patient_id"], i) != "incompatible"
            and self._unit_problem(patient, u, request["needed_at"][:10]) is None
        ]
        return sorted(found, key=lambda i: self._turn(patient, self.units[i]))

    def _holding(self, unit_id: str) -> str | None:
        """The reservation that holds a unit."""
        return next(iter(_where(self.reservations, unit_id=unit_id, status="held")), None)

    def _supplied(self, request_id: str) -> int:
        """Units held or issued for a request."""
        mine = _where(self.reservations, request_id=request_id).values()
        return sum(r["status"] in ("held", "issued") for r in mine)

    def _stock(self, line_id: str) -> tuple[int, int]:
        """Units of a stock line that are available and in date, and units on order."""
        line = self.stock_lines[line_id]
        coming = _where(self.orders, line_id=line_id, status="placed").values()
        available = self._shelf(line["component"], line["abo"], line["rh"])
        return len(available), sum(o["units"] for o in coming)

    def _declined_for(self, record_id: str) -> list[DeclineReason]:
        return [d["reason"] for d in _where(self.declined, record_id=record_id).values()]

    def _issue_rows(self, **fields: Any) -> Iterator[dict[str, Any]]:
        """Issues with these field values, each with what the unit is."""
        for issue_id, issue in _where(self.issues, **fields).items():
            unit = self.units[issue["unit_id"]]
            made = {"component": unit["component"], "donation_id": unit["donation_id"]}
            yield {"issue_id": issue_id, **issue, **made}

    # Looking things up

    def search_patients(self, text: str = "") -> dict[str, Any]:
        """Find patients by part of their name or ward, with group and date of birth.

        Args:
            text: Part of the name or ward, any case; empty for everybody.
        """
        found = []
        for patient_id, p in self.patients.items():
            if text.lower() in f"{p['name']} {p['ward'] or ''}".lower():
                row = {"patient_id": patient_id, "name": p["name"], "born_on": p["born_on"]}
                found.append({**row, "ward": p["ward"], "group": _group(p["abo"], p["rh"])})
        return {"success": True, "patients": found}

    def get_patient(self, patient_id: str) -> dict[str, Any]:
        """Show a patient's group, antibodies, needs, samples, requests and issued units.

        Args:
            patient_id: The patient.
        """
        if problem := self._absent(patients=patient_id):
            return _no(problem)
        samples = [
            {"sample_id": i, **s, "valid_until": f"{self._valid_until(i):%Y-%m-%dT%H:%M}"}
            for i, s in _where(self.samples, patient_id=patient_id).items()
        ]
        return {
            "success": True,
            "patient": self.patients[patient_id],
            "samples": samples,
            "requests": list(_where(self.requests, patient_id=patient_id)),
            "issues": list(self._issue_rows(patient_id=patient_id)),
            "declined": self._declined_for(patient_id),
        }

    def list_units(
        self,
        component: Component | None = None,
        abo: Abo | None = None,
        rh: Rh | None = None,
        status: UnitStatus | None = None,
    ) -> dict[str, Any]:
        """List units, first to expire first; units past their date stay listed until discarded.

        Args:
            component: Only this component.
            abo: Only this ABO group.
            rh: Only this RhD type.
            status: Only units in this status.
        """
        found = [
            {"unit_id": i, **u, "donated_on": self.donations[u["donation_id"]]["donated_on"]}
            for i, u in self.units.items()
            if component in (None, u["component"])
            and abo in (None, u["abo"])
            and rh in (None, u["rh"])
            and status in (None, u["status"])
        ]
        return {"success": True, "units": sorted(found, key=lambda u: u["expires_on"])}

    def get_unit(self, unit_id: str) -> dict[str, Any]:
        """Show a unit with its donation, reservations, cross-matches, issues and wastage.

        Args:
            unit_id: The unit.
        """
        if problem := self._absent(units=unit_id):
            return _no(problem)
        unit = self.units[unit_id]
        return {
            "success": True,
            "unit": unit,
            "donation": self.donations[unit["donation_id"]],
            "reservations": _where(self.reservations, unit_id=unit_id),
            "crossmatches": _where(self.crossmatches, unit_id=unit_id),
            "issues": list(self._issue_rows(unit_id=unit_id)),
            "wastage": _where(self.wastages, unit_id=unit_id),
            "declined": self._declined_for(unit_id),
        }

    def list_requests(
        self,
        status: RequestStatus | None = None,
        component: Component | None = None,
        ward: str = "",
    ) -> dict[str, Any]:
        """List requests by the time at which they are needed, with what is still missing.

        Args:
            status: Only requests in this status.
            component: Only requests for this component.
            ward: Part of the patient's ward, any case; empty for all.
        """
        found = []
        for request_id, request in self.requests.items():
            patient = self.patients[request["patient_id"]]
            if (
                status in (None, request["status"])
                and component in (None, request["component"])
                and ward.lower() in (patient["ward"] or "").lower()
            ):
                missing = request["units"] - self._supplied(request_id)
                row = {"request_id": request_id, **request, "patient": patient["name"]}
                found.append({**row, "missing": missing})
        return {"success": True, "requests": sorted(found, key=lambda r: r["needed_at"])}

    def get_request(self, request_id: str) -> dict[str, Any]:
        """Show a request with its reservations and the sample that would be used.

        Args:
            request_id: The request.
        """
        if problem := self._absent(requests=request_id):
            return _no(problem)
        request = self.requests[request_id]
        sample_id = self._latest_sample(request["patient_id"])
        until = f"{self._valid_until(sample_id):%Y-%m-%dT%H:%M}" if sample_id else None
        return {
            "success": True,
            "request": request,
            "missing": request["units"] - self._supplied(request_id),
            "reservations": _where(self.reservations, request_id=request_id),
            "latest_sample": sample_id,
            "sample_valid_until": until,
            "declined": self._declined_for(request_id),
        }

    def stock_report(self, component: Component | None = None) -> dict[str, Any]:
        """Compare each stock line with its minimum and target, in units.

        Args:
            component: Only lines of this component.
        """
        report = []
        for line_id, line in self.stock_lines.items():
            if component in (None, line["component"]):
                available, on_order = self._stock(line_id)
                row = {"line_id": line_id, **line, "available": available, "on_order": on_order}
                below = available + on_order < line["minimum"]
                report.append({**row, "below_minimum": below})
        return {"success": True, "lines": report}

    def list_suppliers(self) -> dict[str, Any]:
        """List suppliers with cut-off, lead time and prices.

        An order costs the unit price times the units plus one delivery charge. It comes
        lead_days after today if placed before the cut-off, else a day later.
        """
        return {"success": True, "suppliers": self.suppliers}

    def list_orders(
        self, status: Literal["placed", "received", "cancelled"] | None = None
    ) -> dict[str, Any]:
        """List orders to suppliers by delivery date.

        Args:
            status: Only orders in this status.
        """
        found = [
            {"order_id": i, **o, "supplier": self.suppliers[o["supplier_id"]]["name"]}
            for i, o in self.orders.items()
            if status in (None, o["status"])
        ]
        return {"success": True, "orders": sorted(found, key=lambda o: o["deliver_on"])}

    def list_issues(
        self, fate: Fate | None = None, patient: str = "", crossmatch_due: bool | None = None
    ) -> dict[str, Any]:
        """List issued units with what became of them.

        Args:
            fate: Only issues with this fate; out means that nothing has been reported yet.
            patient: Part of the patient's name, any case; empty for all.
            crossmatch_due: Only issues whose retrospective cross-match is outstanding, or not.
        """
        found = []
        for row in self._issue_rows():
            name = self.patients[row["patient_id"]]["name"]
            due = crossmatch_due in (None, row["crossmatch_due"])
            if fate in (None, row["fate"]) and patient.lower() in name.lower() and due:
                found.append({**row, "patient": name})
        return {"success": True, "issues": found}

    def trace_donation(self, donation_id: str) -> dict[str, Any]:
        """Trace a donation: its units, who received them, its recall, the donor's other donations.

        Args:
            donation_id: The donation.
        """
        if problem := self._absent(donations=donation_id):
            return _no(problem)
        donation = self.donations[donation_id]
        others = [
            {"donation_id": i, "donated_on": d["donated_on"]}
            for i, d in self.donations.items()
            if d["donor"] == donation["donor"] and i != donation_id
        ]
        units = [
            {"unit_id": i, "component": u["component"], "status": u["status"]}
            for i, u in _where(self.units, donation_id=donation_id).items()
        ]
        recipients = [row for row in self._issue_rows() if row["donation_id"] == donation_id]
        return {
            "success": True,
            "donation": donation,
            "units": units,
            "issues": recipients,
            "recalls": list(_where(self.recalls, donation_id=donation_id)),
            "other_donations_of_donor": others,
        }

    def list_recalls(self) -> dict[str, Any]:
        """List recalls with units not yet discarded, and transfusions with their look-back."""
        found = []
        for recall_id, recall in self.recalls.items():
            units = _where(self.units, donation_id=recall["donation_id"])
            left = [i for i, u in units.items() if u["status"] not in ("transfused", "discarded")]
            through = {
                b["issue_id"]: b["through"]
                for b in _where(self.lookbacks, recall_id=recall_id).values()
            }
            given = [
                {"issue_id": i, "patient_id": s["patient_id"], "lookback_through": through.get(i)}
                for i, s in _where(self.issues, fate="transfused").items()
                if s["unit_id"] in units
            ]
            row = {"recall_id": recall_id, **recall, "units_left": left}
            found.append({**row, "transfusions": given})
        return {"success": True, "recalls": found}

    # Changing things

    def record_sample(
        self,
        patient_id: str,
        taken_at: str,
        abo: Abo,
        rh: Rh,
        antibodies: list[Antigen] | None = None,
    ) -> dict[str, Any]:
        """Register a tested sample; the second one that agrees confirms the patient's group.

        Args:
            patient_id: The patient.
            taken_at: When the blood was drawn, YYYY-MM-DDTHH:MM, within the last 72 hours.
            abo: ABO group found.
            rh: RhD type found.
            antibodies: Antigens against which antibodies were found; left out when the
                antibody screen is negative.
        """
        if problem := self._absent(patients=patient_id):
            return _no(problem)
        patient, taken, now = self.patients[patient_id], _moment(taken_at), datetime.now()
        if taken is None:
            return _no(f"{taken_at!r} is not a time in the form YYYY-MM-DDTHH:MM")
        if not now - timedelta(hours=SAMPLE_HOURS) <= taken <= now:
            return _no(f"A sample is registered within {SAMPLE_HOURS} hours after it was taken")
        if _where(self.samples, patient_id=patient_id, taken_at=taken_at):
            return _no(f"The sample of {taken_at} is already registered")
        known = _group(patient["abo"], patient["rh"])
        if patient["abo"] is not None and known != _group(abo, rh):
            return _no(f"The record says {known}: wrong blood in the tube, take a new sample")
        sample_id = self._number("SMP")
        self.samples[sample_id] = {
            "patient_id": patient_id,
            "taken_at": taken_at,
            "screen": "positive" if antibodies else "negative",
        }
        patient["group_confirmed"] = patient["abo"] is not None
        patient["abo"], patient["rh"] = abo, rh
        patient["antibodies"] = sorted({*patient["antibodies"], *(antibodies or [])})
        return {
            "success": True,
            "sample_id": sample_id,
            "group_confirmed": patient["group_confirmed"],
            "valid_until": f"{self._valid_until(sample_id):%Y-%m-%dT%H:%M}",
        }

    def record_crossmatch(
        self, sample_id: str, unit_id: str, result: MatchResult
    ) -> dict[str, Any]:
        """Enter the bench result of a serological cross-match of red cells.

        For a unit that the patient was given in an emergency this is the retrospective
        cross-match; any other unit must be available and suit the patient.

        Args:
            sample_id: The patient's latest sample, not older than 72 hours.
            unit_id: The red cell unit.
            result: What the bench found.
        """
        if problem := self._absent(samples=sample_id, units=unit_id):
            return _no(problem)
        patient_id, unit = self.samples[sample_id]["patient_id"], self.units[unit_id]
        now = datetime.now()
        if sample_id != self._latest_sample(patient_id):
            return _no(f"There is a later sample of the patient than {sample_id}")
        if problem := self._sample_problem(patient_id, now):
            return _no(problem)
        if unit["component"] != "red_cells":
            return _no(f"{unit_id} is {unit['component']}; only red cells are cross-matched")
        if self._matched(patient_id, unit_id) is not None:
            return _no(f"{unit_id} has already been cross-matched with {sample_id}")
        given = _where(self.issues, unit_id=unit_id, patient_id=patient_id, crossmatch_due=True)
        due = list(given.values())
        if not due:
            if unit["status"] != "available":
                return _no(f"{unit_id} is {unit['status']}")
            today = now.date().isoformat()
            if problem := self._unit_problem(self.patients[patient_id], unit, today):
                return _no(problem)
        match_id = self._number("XM")
        self.crossmatches[match_id] = {
            "sample_id": sample_id,
            "unit_id": unit_id,
            "result": result,
            "retrospective": bool(due),
        }
        for issue in due:
            issue["crossmatch_due"] = False
        return {"success": True, "crossmatch_id": match_id, "retrospective": bool(due)}

    def reserve_unit(self, request_id: str, unit_id: str) -> dict[str, Any]:
        """Set a unit aside for a request; red cells are cross-matched electronically thereby.

        Patients with antibodies need a compatible cross-match from the bench beforehand.

        Args:
            request_id: An open request.
            unit_id: The suitable unit whose turn it is.
        """
        if problem := self._absent(requests=request_id, units=unit_id):
            return _no(problem)
        request, unit = self.requests[request_id], self.units[unit_id]
        patient_id = request["patient_id"]
        patient = self.patients[patient_id]
        if request["status"] != "open":
            return _no(f"Request {request_id} is {request['status']}")
        if self._supplied(request_id) >= request["units"]:
            return _no(f"Request {request_id} already has its {request['units']} units")
        if unit["component"] != request["component"]:
            return _no(f"Request {request_id} is for {request['component']}")
        if unit["status"] != "available":
            return _no(f"{unit_id} is {unit['status']}")
        if problem := self._unit_problem(patient, unit, request["needed_at"][:10]):
            return _no(problem)
        if unit["component"] == "red_cells":
            needed = max(datetime.fromisoformat(request["needed_at"]), datetime.now())
            if problem := self._sample_problem(patient_id, needed):
                return _no(problem)
            if any(self._issue_rows(patient_id=patient_id, crossmatch_due=True)):
                return _no("Emergency units of this patient await their cross-match")
            if self._matched(patient_id, unit_id) == "incompatible":
                return _no(f"{unit_id} is incompatible with the patient's sample")
        kept = self._emergency_stock()
        if unit_id in kept and len(kept) <= EMERGENCY_UNITS:
            return _no(f"The last {EMERGENCY_UNITS} O negative red cells are for emergencies")
        first = self._candidates(request)[0]
        if self._turn(patient, self.units[first]) < self._turn(patient, unit):
            return _no(f"{first} is to be taken before {unit_id}")
        if (
            unit["component"] == "red_cells"
            and patient["antibodies"]
            and self._matched(patient_id, unit_id) is None
        ):
            return _no(f"{unit_id} needs a cross-match at the bench, as there are antibodies")
        self.reservations[self._number("RSV")] = {
            "request_id": request_id,
            "unit_id": unit_id,
            "status": "held",
        }
        unit["status"] = "reserved"
        missing = request["units"] - self._supplied(request_id)
        return {"success": True, "unit_id": unit_id, "missing": missing}

    def release_unit(self, unit_id: str) -> dict[str, Any]:
        """Give a reserved unit back to stock.

        Args:
            unit_id: A reserved unit.
        """
        if problem := self._absent(units=unit_id):
            return _no(problem)
        reservation_id = self._holding(unit_id)
        if reservation_id is None:
            return _no(f"{unit_id} is not reserved")
        self.reservations[reservation_id]["status"] = "released"
        self.units[unit_id]["status"] = "available"
        return {"success": True, "released_from": self.reservations[reservation_id]["request_id"]}

    def issue_unit(self, unit_id: str, patient_id: str, emergency: bool = False) -> dict[str, Any]:
        """Hand a unit out to the ward for a patient.

        Args:
            unit_id: A unit reserved for the patient, or in an emergency an available
                O negative red cell unit.
            patient_id: The patient.
            emergency: Issue without sample and cross-match; the cross-match follows later.
        """
        if problem := self._absent(units=unit_id, patients=patient_id):
            return _no(problem)
        unit, now = self.units[unit_id], datetime.now()
        today = now.date().isoformat()
        mine = {
            r["unit_id"]: r
            for r in self.reservations.values()
            if r["status"] == "held" and self.requests[r["request_id"]]["patient_id"] == patient_id
        }
        request_id: str | None = None
        if emergency:
            stock = self._emergency_stock()
            if unit_id not in stock:
                return _no("Only available, in-date O negative red cells go out in an emergency")
            if any(self.units[i]["component"] == "red_cells" for i in mine):
                return _no("Cross-matched red cells are reserved for this patient: issue those")
            if self.units[stock[0]]["expires_on"] < unit["expires_on"]:
                return _no(f"{stock[0]} expires before {unit_id}")
        else:
            if unit_id not in mine:
                return _no(f"{unit_id} is not reserved for patient {patient_id}")
            if unit["expires_on"] < today:
                return _no(f"{unit_id} expired on {unit['expires_on']}")
            problem = self._sample_problem(patient_id, now)
            if unit["component"] == "red_cells" and problem:
                return _no(problem)
            mine[unit_id]["status"] = "issued"
            request_id = mine[unit_id]["request_id"]
        issue_id = self._number("ISS")
        self.issues[issue_id] = {
            "unit_id": unit_id,
            "patient_id": patient_id,
            "request_id": request_id,
            "issued_on": today,
            "emergency": emergency,
            "crossmatch_due": emergency,
            "fate": "out",
        }
        unit["status"] = "issued"
        if request_id is not None:
            issued = len(_where(self.reservations, request_id=request_id, status="issued"))
            if issued == self.requests[request_id]["units"]:
                self.requests[request_id]["status"] = "completed"
        return {"success": True, "issue_id": issue_id}

    def irradiate_unit(self, unit_id: str) -> dict[str, Any]:
        """Irradiate a unit, which shortens the shelf life of red cells.

        Args:
            unit_id: An available unit of red cells or platelets.
        """
        if problem := self._absent(units=unit_id):
            return _no(problem)
        unit, today = self.units[unit_id], datetime.now().date()
        if unit["status"] != "available" or unit["expires_on"] < today.isoformat():
            return _no(f"{unit_id} is not available and in date")
        if unit["irradiated"]:
            return _no(f"{unit_id} is already irradiated")
        if unit["component"] == "plasma":
            return _no("Plasma is not irradiated")
        if unit["component"] == "red_cells":
            donated = date.fromisoformat(self.donations[unit["donation_id"]]["donated_on"])
            age = (today - donated).days
            if age > IRRADIATE_WITHIN_DAYS:
                return _no(f"{unit_id} is {age} days old, more than {IRRADIATE_WITHIN_DAYS}")
            keeps = (today + timedelta(days=IRRADIATED_KEEPS_DAYS)).isoformat()
            unit["expires_on"] = min(unit["expires_on"], keeps)
        unit["irradiated"] = True
        return {"success": True, "expires_on": unit["expires_on"]}

    def close_issue(
        self, issue_id: str, fate: Literal["transfused", "returned"], minutes_out: int | None = None
    ) -> dict[str, Any]:
        """Record what became of an issued unit; a unit that is lost is discarded instead.

        Args:
            issue_id: An issue whose unit is still out.
            fate: Given to the patient, or brought back and fit for stock.
            minutes_out: For a returned unit, minutes outside controlled cold storage.
        """
        if problem := self._absent(issues=issue_id):
            return _no(problem)
        issue = self.issues[issue_id]
        unit = self.units[issue["unit_id"]]
        if issue["fate"] != "out":
            return _no(f"Issue {issue_id} is already closed: {issue['fate']}")
        if (fate == "returned") != (minutes_out is not None) or (minutes_out or 0) < 0:
            return _no("Give minutes_out, at least 0, for a returned unit and only for one")
        if fate == "returned":
            if unit["component"] != "red_cells":
                return _no(f"{unit['component'].capitalize()} do not go back into stock")
            if minutes_out is not None and minutes_out > MINUTES_OUT_OF_FRIDGE:
                return _no(f"Over {MINUTES_OUT_OF_FRIDGE} minutes out: the unit is to be discarded")
            if _where(self.recalls, donation_id=unit["donation_id"]):
                return _no("The unit is under recall and does not go back into stock")
            issue["crossmatch_due"] = False
        issue["fate"] = fate
        unit["status"] = "available" if fate == "returned" else "transfused"
        return {"success": True, "unit_id": issue["unit_id"], "unit_status": unit["status"]}

    def discard_unit(self, unit_id: str, reason: WasteReason) -> dict[str, Any]:
        """Throw a unit away and record the wastage.

        Args:
            unit_id: A unit in the bank that is not reserved, or one that is out on issue.
            reason: Why: past its date, spoiled by warmth or cold, bag leaking or torn, or recalled.
        """
        if problem := self._absent(units=unit_id):
            return _no(problem)
        unit, today = self.units[unit_id], datetime.now().date().isoformat()
        if unit["status"] == "reserved":
            return _no(f"{unit_id} is reserved: release it first")
        if unit["status"] in ("transfused", "discarded"):
            return _no(f"{unit_id} is {unit['status']}")
        recalled = bool(_where(self.recalls, donation_id=unit["donation_id"]))
        if recalled and reason != "recalled":
            return _no(f"{unit_id} is under recall: discard it as recalled")
        if not recalled and reason == "recalled":
            return _no(f"{unit_id} is not under recall")
        if not recalled and unit["expires_on"] < today and reason != "expired":
            return _no(f"{unit_id} expired on {unit['expires_on']}: discard it as expired")
        if unit["expires_on"] >= today and reason == "expired":
            return _no(f"{unit_id} is usable until {unit['expires_on']}")
        for issue in _where(self.issues, unit_id=unit_id, fate="out").values():
            issue["fate"] = "discarded"
            issue["crossmatch_due"] = False
        unit["status"] = "discarded"
        wastage_id = self._number("WST")
        self.wastages[wastage_id] = {"unit_id": unit_id, "reason": reason, "recorded_on": today}
        return {"success": True, "wastage_id": wastage_id}

    def place_order(self, supplier_id: str, line_id: str, units: int) -> dict[str, Any]:
        """Order units for a stock line that is below its minimum.

        Args:
            supplier_id: The supplier.
            line_id: The stock line.
            units: How many, at most as many as bring stock and orders up to the target.
        """
        if problem := self._absent(suppliers=supplier_id, stock_lines=line_id):
            return _no(problem)
        supplier, line, now = self.suppliers[supplier_id], self.stock_lines[line_id], datetime.now()
        if line["component"] not in supplier["unit_cents"]:
            return _no(f"{supplier['name']} does not supply {line['component']}")
        secured = sum(self._stock(line_id))
        if secured >= line["minimum"]:
            return _no(f"{line_id} has {secured} units, not below its {line['minimum']}")
        room = line["target"] - secured
        if not 1 <= units <= room:
            return _no(f"Between 1 and {room} units of {line_id} can be ordered")
        late = now.strftime("%H:%M") >= supplier["cutoff"]
        arrives = now.date() + timedelta(days=supplier["lead_days"] + late)
        price = units * supplier["unit_cents"][line["component"]] + supplier["delivery_cents"]
        order_id = self._number("ORD")
        self.orders[order_id] = {
            "supplier_id": supplier_id,
            "line_id": line_id,
            "units": units,
            "deliver_on": arrives.isoformat(),
            "cost_cents": price,
            "status": "placed",
        }
        return {"success": True, "order_id": order_id, **self.orders[order_id]}

    def open_recall(self, donation_id: str, reason: RecallReason) -> dict[str, Any]:
        """Withdraw a donation: its units in the bank are quarantined, reservations end.

        Units already out stay with the ward until they are reported on; recipients are
        followed up one by one with record_lookback.

        Args:
            donation_id: The donation named by the blood service.
            reason: Why it is withdrawn.
        """
        if problem := self._absent(donations=donation_id):
            return _no(problem)
        if _where(self.recalls, donation_id=donation_id):
            return _no(f"Donation {donation_id} is already recalled")
        units = _where(self.units, donation_id=donation_id)
        stopped = [i for i, u in units.items() if u["status"] in ("available", "reserved")]
        for unit_id in stopped:
            reservation_id = self._holding(unit_id)
            if reservation_id is not None:
                self.reservations[reservation_id]["status"] = "recalled"
            self.units[unit_id]["status"] = "quarantined"
        recall_id = self._number("RCL")
        self.recalls[recall_id] = {
            "donation_id": donation_id,
            "reason": reason,
            "opened_on": datetime.now().date().isoformat(),
        }
        return {"success": True, "recall_id": recall_id, "quarantined": stopped}

    def record_lookback(
        self, recall_id: str, issue_id: str, through: Literal["consultant", "gp"]
    ) -> dict[str, Any]:
        """Start the follow-up of a patient who was given a recalled unit.

        Args:
            recall_id: The recall.
            issue_id: The issue by which the patient was transfused with a unit of that donation.
            through: Who tells the patient: the consultant of an inpatient, the family
                doctor of one who has gone home.
        """
        if problem := self._absent(recalls=recall_id, issues=issue_id):
            return _no(problem)
        issue = self.issues[issue_id]
        donation_id = self.units[issue["unit_id"]]["donation_id"]
        if donation_id != self.recalls[recall_id]["donation_id"] or issue["fate"] != "transfused":
            return _no(f"{issue_id} is no transfusion of the donation recalled by {recall_id}")
        if _where(self.lookbacks, recall_id=recall_id, issue_id=issue_id):
            return _no(f"The look-back for {issue_id} is already open")
        patient = self.patients[issue["patient_id"]]
        if (through == "consultant") != (patient["ward"] is not None):
            place = "on a ward" if patient["ward"] else "at home"
            return _no(f"{patient['name']} is {place}, so not through the {through}")
        lookback_id = self._number("LBK")
        self.lookbacks[lookback_id] = {
            "recall_id": recall_id,
            "issue_id": issue_id,
            "patient_id": issue["patient_id"],
            "through": through,
        }
        return {"success": True, "lookback_id": lookback_id}

    def decline_request(self, record_id: str, reason: DeclineReason) -> dict[str, Any]:
        """Put on record that something asked of the blood bank was not done.

        Args:
            record_id: For group_discrepancy the patient; for sample_too_old, no_suitable_unit
                and emergency_stock the request; for too_old_to_irradiate and under_recall the
                unit; for not_returnable the issue; for order_not_due the stock line.
            reason: The rule or fact that stood in the way.
        """
        filed_on: dict[DeclineReason, tuple[str, dict[str, Any]]] = {
            "group_discrepancy": ("patient", {**self.patients}),
            "sample_too_old": ("request", {**self.requests}),
            "no_suitable_unit": ("request", {**self.requests}),
            "emergency_stock": ("request", {**self.requests}),
            "too_old_to_irradiate": ("unit", {**self.units}),
            "under_recall": ("unit", {**self.units}),
            "not_returnable": ("issue", {**self.issues}),
            "order_not_due": ("stock line", {**self.stock_lines}),
        }
        kind, records = filed_on[reason]
        if record_id not in records:
            return _no(f"{reason} is recorded for a {kind}, which {record_id!r} is not")
        if reason in self._declined_for(record_id):
            return _no(f"That is already on record for {record_id}")
        self.declined[self._number("DEC")] = {
            "record_id": record_id,
            "reason": reason,
            "declined_on": datetime.now().date().isoformat(),
        }
        return {"success": True, "record_id": record_id, "reason": reason}
