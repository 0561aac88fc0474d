"""Outpatient scheduling: slots, rooms, devices, referrals, the waitlist and late cancellations."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict, get_args

Priority = Literal["urgent", "soon", "routine"]
AppointmentStatus = Literal["booked", "completed", "missed", "cancelled"]
CancelReason = Literal["patient_request", "clinic_request", "booked_in_error"]
CloseReason = Literal["patient_withdrew", "referral_lapsed", "treated_elsewhere"]
BlockReason = Literal["leave", "training", "meeting", "maintenance", "cleaning"]
WaiverReason = Literal["clinic_error", "hospital_admission", "bereavement"]
DeclinedRequest = Literal["booking", "move", "fee_waiver"]
DeclineReason = Literal[
    "no_valid_referral",
    "no_recent_visit",
    "waitlist_order",
    "preparation_time",
    "no_free_slot",
    "outstanding_fees",
    "waiver_already_used",
    "move_limit",
    "short_notice",
]

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
PRIORITIES = get_args(Priority)
GRID_MINUTES = 15
NOTICE = timedelta(hours=24)
LATE_FEE = 40
DEBT_LIMIT = 80
PATIENT_MOVES = 2
REFERRAL_DAYS = 180
REFERRAL_VISITS = 12
FOLLOW_UP_DAYS = 365
SEARCH_DAYS = 14


class Provider(TypedDict):
    """A clinician; `sessions` maps a weekday to its working sessions, each [start, end]."""

    name: str
    role: str
    visit_type_ids: list[str]
    sessions: dict[str, list[list[str]]]


class Room(TypedDict):
    """A room; visit types ask for its `kind`."""

    name: str
    kind: str
    step_free: bool


class Equipment(TypedDict):
    """A device; visit types ask for its `kind`."""

    name: str
    kind: str


class VisitType(TypedDict):
    """What can be booked, and what it takes."""

    name: str
    specialty: str
    minutes: int
    room_kind: str
    equipment_kind: str | None
    needs_referral: bool
    follow_up: bool
    preparation_days: int


class Patient(TypedDict):
    """A registered patient; `practice` is the general practice that refers them."""

    name: str
    born: str
    phone: str
    practice: str
    step_free: bool


class Referral(TypedDict):
    """A letter that covers a number of visits in one specialty until it expires."""

    patient_id: str
    specialty: str
    referred_by: str
    issued_on: str
    expires_on: str
    visits: int


class Placement(TypedDict):
    """Where and when a visit takes place."""

    provider_id: str
    room_id: str
    equipment_id: str | None
    date: str
    start: str
    end: str


class Appointment(Placement):
    """A visit; `patient_moves` counts how often the patient had it moved."""

    patient_id: str
    visit_type_id: str
    referral_id: str | None
    status: AppointmentStatus
    cancel_reason: CancelReason | None
    patient_moves: int


class WaitlistEntry(TypedDict):
    """A wish for the next opening; without `provider_id` any provider will do."""

    patient_id: str
    visit_type_id: str
    provider_id: str | None
    priority: Priority
    requested_on: str
    available_from: str
    status: Literal["waiting", "placed", "closed"]
    close_reason: CloseReason | None


class Block(TypedDict):
    """Time in which a provider, a room or a device is not available."""

    resource_id: str
    date: str
    start: str
    end: str
    reason: BlockReason


class Fee(TypedDict):
    """A late cancellation fee, in euros."""

    patient_id: str
    appointment_id: str
    amount: int
    charged_on: str
    status: Literal["unpaid", "paid", "waived"]
    waiver_reason: WaiverReason | None
    waived_on: str | None


class Refusal(TypedDict):
    """A request that was turned down, and the rule that stood against it."""

    patient_id: str
    request: DeclinedRequest
    reason: DeclineReason
    recorded_on: str


def _failure(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _rows(
    records: Mapping[str, Mapping[str, Any]], id_name: str, **wanted: str | None
) -> list[dict[str, Any]]:
    """Records with their ids, of those whose fields have the wanted values; None wants any."""
    return [
        {id_name: key, **record}
        for key, record in sorted(records.items())
        if all(value in (None, record[field]) for field, value in wanted.items())
    ]


def _format_error(form: str, *values: str) -> str | None:
    """Name a value that is not a date or time; only the zero-padded spelling compares as text."""
    for value in values:
        try:
            if datetime.strptime(value, form).strftime(form) == value:
                continue
        except ValueError:
            pass
        return f"'{value}' does not have the form {'YYYY-MM-DD' if '%d' in form else 'HH:MM'}"
    return None


def _calendar_error(*days: str) -> str | None:
    return _format_error("%Y-%m-%d", *days)


def _clock_error(*times: str) -> str | None:
    if error := _format_error("%H:%M", *times):
        return error
    off_grid = [time for time in times if int(time[3:]) % GRID_MINUTES]
    return f"{off_grid[0]} is not on a quarter-hour" if off_grid else None


def _moment(day: str, time: str) -> datetime:
    return datetime.strptime(f"{day} {time}", "%Y-%m-%d %H:%M")


def _today() -> str:
    return datetime.now().strftime("%Y-%m-%d")


def _shift_day(day: str, days: int) -> str:
    return (_moment(day, "00:00") + timedelta(days=days)).strftime("%Y-%m-%d")


def _shift_time(time: str, minutes: int) -> str:
    """Add minutes to a time of day; past midnight the hours run on, so that texts compare."""
    hours, rest = divmod(int(time[:2]) * 60 + int(time[3:]) + minutes, 60)
    return f"{hours:02d}:{rest:02d}"


class ClinicScheduling:
    """The appointment desk of an outpatient clinic.

    Dates and times are ISO texts of fixed width, so that comparing them compares what
    they mean.
    """

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.providers: dict[str, Provider] = {}
        self.rooms: dict[str, Room] = {}
        self.equipment: dict[str, Equipment] = {}
        self.visit_types: dict[str, VisitType] = {}
        self.patients: dict[str, Patient] = {}
        self.referrals: dict[str, Referral] = {}
        self.appointments: dict[str, Appointment] = {}
        self.waitlist: dict[str, WaitlistEntry] = {}
        self.blocks: dict[str, Block] = {}
        self.fees: dict[str, Fee] = {}
        self.refusals: dict[str, Refusal] = {}
        self.counters: dict[str, int] = {}

    def search_patients(self, name: str) -> dict[str, Any]:
        """Find patients by name.

        Args:
            name: Any part of the name, in upper or lower case.
        """
        found = [
            {"patient_id": key, "name": patient["name"], "born": patient["born"]}
            for key, patient in sorted(self.patients.items())
            if name.casefold() in patient["name"].casefold()
        ]
        return {"success": True, "patients": found}

    def get_patient(self, patient_id: str) -> dict[str, Any]:
        """Show a patient's file.

        It has the personal details, the referrals with the visits left on each, upcoming
        appointments, places on the waitlist, all late cancellation fees with the sum owed
        (euros), and declined requests.

        Args:
            patient_id: The patient.
        """
        if error := self._missing(patient_id):
            return _failure(error)
        referrals = _rows(self.referrals, "referral_id", patient_id=patient_id)
        for referral in referrals:
            referral["visits_left"] = self._visits_left(referral["referral_id"])
        return {
            "success": True,
            "patient": {"patient_id": patient_id, **self.patients[patient_id]},
            "referrals": referrals,
            "upcoming_appointments": [
                self._summary(key)
                for key, appointment in self._by_time()
                if appointment["patient_id"] == patient_id and not self._change_error(key)
            ],
            "waiting": _rows(self.waitlist, "entry_id", patient_id=patient_id, status="waiting"),
            "fees": _rows(self.fees, "fee_id", patient_id=patient_id),
            "owed": self._owed(patient_id),
            "declined_requests": _rows(self.refusals, "refusal_id", patient_id=patient_id),
        }

    def list_providers(self, visit_type_id: str | None = None) -> dict[str, Any]:
        """List the clinicians with their visit types and weekly working sessions.

        Args:
            visit_type_id: Only those who perform this visit type.
        """
        found = [
            row
            for row in _rows(self.providers, "provider_id")
            if visit_type_id is None or visit_type_id in row["visit_type_ids"]
        ]
        return {"success": True, "providers": found}

    def list_visit_types(self, specialty: str | None = None) -> dict[str, Any]:
        """List what can be booked: length in minutes, room and device needed, conditions.

        Args:
            specialty: Only visit types of this specialty.
        """
        found = _rows(self.visit_types, "visit_type_id", specialty=specialty)
        return {"success": True, "visit_types": found}

    def list_resources(self, kind: str | None = None) -> dict[str, Any]:
        """List rooms and devices.

        Args:
            kind: Only those of this kind, such as the `room_kind` of a visit type.
        """
        return {
            "success": True,
            "rooms": _rows(self.rooms, "room_id", kind=kind),
            "equipment": _rows(self.equipment, "equipment_id", kind=kind),
        }

    def list_appointments(
        self,
        date_from: str | None = None,
        date_to: str | None = None,
        patient_id: str | None = None,
        provider_id: str | None = None,
        resource_id: str | None = None,
        status: AppointmentStatus | None = None,
    ) -> dict[str, Any]:
        """List appointments in order of time; all conditions that are given must hold.

        Args:
            date_from: First day, ISO date, YYYY-MM-DD.
            date_to: Last day, included, ISO date, YYYY-MM-DD.
            patient_id: Only those of this patient.
            provider_id: Only those with this clinician.
            resource_id: Only those that use this room or device.
            status: Only those in this status.
        """
        if error := _calendar_error(*(day for day in (date_from, date_to) if day is not None)):
            return _failure(error)
        found = [
            self._summary(key)
            for key, appointment in self._by_time()
            if (date_from is None or date_from <= appointment["date"])
            and (date_to is None or appointment["date"] <= date_to)
            and all(
                participant is None or self._takes_part(appointment, participant)
                for participant in (patient_id, provider_id, resource_id)
            )
            and status in (None, appointment["status"])
        ]
        return {"success": True, "appointments": found}

    def get_appointment(self, appointment_id: str) -> dict[str, Any]:
        """Show one appointment in full.

        It adds the referral used, the reason of a cancellation, and how often the patient had
        it moved.

        Args:
            appointment_id: The appointment.
        """
        if appointment_id not in self.appointments:
            return _failure(f"There is no appointment {appointment_id}")
        full = {**self._summary(appointment_id), **self.appointments[appointment_id]}
        return {"success": True, "appointment": full}

    def find_free_slots(
        self,
        visit_type_id: str,
        provider_id: str,
        date_from: str,
        date_to: str,
        patient_id: str | None = None,
    ) -> dict[str, Any]:
        """List the times at which a visit could start.

        The provider, a suitable room and a device are free then, and the preparation days
        are kept. Referrals, fees and the waitlist are not looked at.

        Args:
            visit_type_id: The kind of visit.
            provider_id: The clinician.
            date_from: First day, ISO date, YYYY-MM-DD.
            date_to: Last day, included, ISO date, YYYY-MM-DD; at most 14 days in one search.
            patient_id: Leave out times at which this patient is booked elsewhere, or has no
                step-free room although one is needed.
        """
        if error := self._missing(patient_id, visit_type_id, provider_id):
            return _failure(error)
        if error := _calendar_error(date_from, date_to):
            return _failure(error)
        span = (_moment(date_to, "00:00") - _moment(date_from, "00:00")).days
        if not 0 <= span < SEARCH_DAYS:
            return _failure(f"A search covers 1 to {SEARCH_DAYS} days, from date_from to date_to")
        free: dict[str, list[str]] = {}
        for day in (_shift_day(date_from, ahead) for ahead in range(span + 1)):
            for start, closes in self._sessions(provider_id, day):
                while start < closes:
                    placement = self._place(visit_type_id, provider_id, day, start, patient_id)
                    if not isinstance(placement, str):
                        free.setdefault(day, []).append(start)
                    start = _shift_time(start, GRID_MINUTES)
        minutes = self.visit_types[visit_type_id]["minutes"]
        return {"success": True, "minutes": minutes, "free_starts": free}

    def list_waitlist(self, visit_type_id: str | None = None) -> dict[str, Any]:
        """List who is waiting, in the order in which openings are to be filled.

        Args:
            visit_type_id: Only entries for this visit type.
        """
        found = [
            {"entry_id": key, "patient": self.patients[entry["patient_id"]]["name"], **entry}
            for key, entry in self._queue()
            if visit_type_id in (None, entry["visit_type_id"])
        ]
        return {"success": True, "entries": found}

    def list_blocks(self, resource_id: str | None = None) -> dict[str, Any]:
        """List the blocked time of providers, rooms and devices.

        Args:
            resource_id: Only blocks of this provider, room or device.
        """
        found = _rows(self.blocks, "block_id", resource_id=resource_id)
        found.sort(key=lambda row: (row["date"], row["start"]))
        return {"success": True, "blocks": found}

    def list_free_resources(
        self, date: str, start: str, end: str, kind: str | None = None
    ) -> dict[str, Any]:
        """List the rooms and devices that have neither appointment nor block in a span of time.

        Args:
            date: The day, ISO date, YYYY-MM-DD.
            start: From when, HH:MM, on a quarter-hour.
            end: Until when, HH:MM, on a quarter-hour.
            kind: Only those of this kind, such as the `room_kind` of a visit type.
        """
        if error := _calendar_error(date) or _clock_error(start, end):
            return _failure(error)
        if start >= end:
            return _failure(f"The span has to end after its start at {start}")
        found = {
            id_name: [
                row
                for row in _rows(records, id_name, kind=kind)
                if self._clash(row[id_name], date, start, end) is None
            ]
            for id_name, records in (("room_id", self.rooms), ("equipment_id", self.equipment))
        }
        return {"success": True, "rooms": found["room_id"], "equipment": found["equipment_id"]}

    def list_referrals(
        self, specialty: str | None = None, expires_by: str | None = None
    ) -> dict[str, Any]:
        """List the referrals that are valid today, the first to expire first, with visits left.

        Args:
            specialty: Only referrals to this specialty.
            expires_by: Only those that expire on or before this day, ISO date, YYYY-MM-DD.
        """
        if expires_by is not None and (error := _calendar_error(expires_by)):
            return _failure(error)
        found = [
            {
                **row,
                "patient": self.patients[row["patient_id"]]["name"],
                "visits_left": self._visits_left(row["referral_id"]),
            }
            for row in _rows(self.referrals, "referral_id", specialty=specialty)
            if _today() <= row["expires_on"] <= (expires_by or row["expires_on"])
        ]
        found.sort(key=lambda row: (row["expires_on"], row["referral_id"]))
        return {"success": True, "referrals": found}

    def list_fees(
        self,
        status: Literal["unpaid", "paid", "waived"] | None = None,
        patient_id: str | None = None,
    ) -> dict[str, Any]:
        """List late cancellation fees with the visit that was cancelled, and their sum in euros.

        Args:
            status: Only fees in this status.
            patient_id: Only fees of this patient.
        """
        if error := self._missing(patient_id):
            return _failure(error)
        found = [
            {
                **row,
                "patient": self.patients[row["patient_id"]]["name"],
                "visit": self._summary(row["appointment_id"]),
            }
            for row in _rows(self.fees, "fee_id", status=status, patient_id=patient_id)
        ]
        return {"success": True, "fees": found, "sum": sum(row["amount"] for row in found)}

    def book_appointment(
        self, patient_id: str, visit_type_id: str, provider_id: str, date: str, start: str
    ) -> dict[str, Any]:
        """Book a visit.

        It takes the first suitable room and device that are free, and the referral that
        expires first. If the patient is waiting for this visit type, that entry is filled.

        Args:
            patient_id: The patient.
            visit_type_id: The kind of visit.
            provider_id: The clinician.
            date: Day of the visit, ISO date, YYYY-MM-DD.
            start: When it starts, HH:MM, on a quarter-hour.
        """
        if error := self._missing(patient_id, visit_type_id, provider_id):
            return _failure(error)
        placement = self._place(visit_type_id, provider_id, date, start, patient_id)
        if isinstance(placement, str):
            return _failure(placement)
        if error := self._entitlement_error(patient_id, visit_type_id, date):
            return _failure(error)
        if error := self._queue_error(patient_id, visit_type_id, provider_id, date):
            return _failure(error)
        appointment_id = self._new_id("AP")
        self.appointments[appointment_id] = Appointment(
            **placement,
            patient_id=patient_id,
            visit_type_id=visit_type_id,
            referral_id=self._referral(patient_id, visit_type_id, date),
            status="booked",
            cancel_reason=None,
            patient_moves=0,
        )
        entry_id = self._waiting_entry(patient_id, visit_type_id)
        if entry_id is not None:
            self.waitlist[entry_id]["status"] = "placed"
        booked = self._summary(appointment_id)
        return {"success": True, "appointment": booked, "waitlist_entry_filled": entry_id}

    def reschedule_appointment(
        self,
        appointment_id: str,
        date: str,
        start: str,
        requested_by: Literal["patient", "clinic"],
        provider_id: str | None = None,
    ) -> dict[str, Any]:
        """Move a booked appointment to another time, and to another provider if one is given.

        It keeps its room and device if they are free at the new time, and uses the referral
        that expires first of those valid on the new day.

        Args:
            appointment_id: The appointment to move.
            date: The new day, ISO date, YYYY-MM-DD.
            start: The new start, HH:MM, on a quarter-hour.
            requested_by: Who asked for the move.
            provider_id: The new clinician; the present one when left out.
        """
        if error := self._change_error(appointment_id):
            return _failure(error)
        appointment = self.appointments[appointment_id]
        provider_id = appointment["provider_id"] if provider_id is None else provider_id
        if error := self._missing(provider_id=provider_id):
            return _failure(error)
        present = (appointment["provider_id"], appointment["date"], appointment["start"])
        if (provider_id, date, start) == present:
            return _failure(f"Appointment {appointment_id} is already at that time")
        if requested_by == "patient":
            if appointment["patient_moves"] >= PATIENT_MOVES:
                return _failure(f"The patient had {appointment_id} moved {PATIENT_MOVES} times")
            if self._is_late(appointment):
                return _failure(f"{appointment_id} starts in less than 24 hours")
        patient_id, visit_type_id = appointment["patient_id"], appointment["visit_type_id"]
        placement = self._place(visit_type_id, provider_id, date, start, patient_id, appointment_id)
        if isinstance(placement, str):
            return _failure(placement)
        if error := self._entitlement_error(patient_id, visit_type_id, date, appointment_id):
            return _failure(error)
        appointment["referral_id"] = self._referral(patient_id, visit_type_id, date, appointment_id)
        appointment["patient_moves"] += requested_by == "patient"
        self.appointments[appointment_id] = {**appointment, **placement}
        return {"success": True, "appointment": self._summary(appointment_id)}

    def cancel_appointment(self, appointment_id: str, reason: CancelReason) -> dict[str, Any]:
        """Cancel a booked appointment that has not started.

        A late fee is charged if the patient asks for it less than 24 hours before the start.

        Args:
            appointment_id: The appointment to cancel.
            reason: Whether the patient cannot come, the clinic cannot hold it, or it should
                never have been booked.
        """
        if error := self._change_error(appointment_id):
            return _failure(error)
        appointment = self.appointments[appointment_id]
        appointment["status"] = "cancelled"
        appointment["cancel_reason"] = reason
        fee_id = None
        if reason == "patient_request" and self._is_late(appointment):
            fee_id = self._new_id("FE")
            self.fees[fee_id] = Fee(
                patient_id=appointment["patient_id"],
                appointment_id=appointment_id,
                amount=LATE_FEE,
                charged_on=_today(),
                status="unpaid",
                waiver_reason=None,
                waived_on=None,
            )
        return {"success": True, "appointment_id": appointment_id, "late_fee_id": fee_id}

    def assign_resource(self, appointment_id: str, resource_id: str) -> dict[str, Any]:
        """Give a booked appointment another room or another device at the same time.

        Args:
            appointment_id: The appointment.
            resource_id: The room or device that takes the place of the present one.
        """
        if error := self._change_error(appointment_id):
            return _failure(error)
        appointment = self.appointments[appointment_id]
        if resource_id not in {**self.rooms, **self.equipment}:
            return _failure(f"There is no room or device {resource_id}")
        if self._takes_part(appointment, resource_id):
            return _failure(f"Appointment {appointment_id} uses {resource_id} already")
        visit_type_id = appointment["visit_type_id"]
        rooms = self._suitable_rooms(visit_type_id, appointment["patient_id"])
        if resource_id not in rooms + self._devices(visit_type_id):
            if resource_id in self._suitable_rooms(visit_type_id, None):
                return _failure(f"The patient needs a step-free room, and {resource_id} is not")
            return _failure(f"{resource_id} is not what {visit_type_id} needs")
        span = (appointment["date"], appointment["start"], appointment["end"])
        if clash := self._clash(resource_id, *span):
            return _failure(clash)
        if resource_id in self.rooms:
            appointment["room_id"] = resource_id
        else:
            appointment["equipment_id"] = resource_id
        return {"success": True, "appointment": self._summary(appointment_id)}

    def block_time(
        self, resource_id: str, date: str, start: str, end: str, reason: BlockReason
    ) -> dict[str, Any]:
        """Keep a provider, a room or a device from being booked for part of a day.

        Args:
            resource_id: The provider, room or device.
            date: The day, ISO date, YYYY-MM-DD.
            start: From when, HH:MM, on a quarter-hour.
            end: Until when, HH:MM, on a quarter-hour.
            reason: Why: leave, training or meeting for a provider; maintenance or cleaning
                for a room or a device.
        """
        if resource_id not in {**self.providers, **self.rooms, **self.equipment}:
            return _failure(f"There is no provider, room or device {resource_id}")
        if error := _calendar_error(date) or _clock_error(start, end):
            return _failure(error)
        if start >= end:
            return _failure(f"The block has to end after its start at {start}")
        if _moment(date, start) < datetime.now():
            return _failure("Time that has passed cannot be blocked")
        if (reason in ("maintenance", "cleaning")) == (resource_id in self.providers):
            return _failure(f"'{reason}' is not a reason to block {resource_id}")
        if clash := self._clash(resource_id, date, start, end):
            return _failure(clash)
        block_id = self._new_id("BL")
        self.blocks[block_id] = Block(
            resource_id=resource_id, date=date, start=start, end=end, reason=reason
        )
        return {"success": True, "block_id": block_id}

    def remove_block(self, block_id: str) -> dict[str, Any]:
        """Open blocked time for booking again.

        Args:
            block_id: The block, which must not be over yet.
        """
        if block_id not in self.blocks:
            return _failure(f"There is no block {block_id}")
        if _moment(self.blocks[block_id]["date"], self.blocks[block_id]["end"]) <= datetime.now():
            return _failure(f"Block {block_id} is over")
        return {"success": True, "removed": self.blocks.pop(block_id)}

    def add_to_waitlist(
        self,
        patient_id: str,
        visit_type_id: str,
        priority: Priority,
        available_from: str,
        provider_id: str | None = None,
    ) -> dict[str, Any]:
        """Put a patient on the waitlist for a visit type; today is the date of request.

        The patient must be entitled to the visit on the first day asked for, and can wait
        for a visit type only once.

        Args:
            patient_id: The patient.
            visit_type_id: The kind of visit.
            priority: How pressing it is; urgent comes first.
            available_from: First day on which the patient can come, ISO date, YYYY-MM-DD.
            provider_id: The only clinician wanted; any when left out.
        """
        if error := self._missing(patient_id, visit_type_id, provider_id):
            return _failure(error)
        if provider_id and visit_type_id not in self.providers[provider_id]["visit_type_ids"]:
            return _failure(f"{provider_id} does not perform {visit_type_id}")
        if error := _calendar_error(available_from):
            return _failure(error)
        if available_from < _today():
            return _failure(f"{available_from} has passed")
        if entry_id := self._waiting_entry(patient_id, visit_type_id):
            return _failure(f"The patient is waiting for {visit_type_id} already: {entry_id}")
        if error := self._entitlement_error(patient_id, visit_type_id, available_from):
            return _failure(error)
        entry_id = self._new_id("WL")
        self.waitlist[entry_id] = WaitlistEntry(
            patient_id=patient_id,
            visit_type_id=visit_type_id,
            provider_id=provider_id,
            priority=priority,
            requested_on=_today(),
            available_from=available_from,
            status="waiting",
            close_reason=None,
        )
        return {"success": True, "entry_id": entry_id}

    def close_waitlist_entry(self, entry_id: str, reason: CloseReason) -> dict[str, Any]:
        """Take a waiting patient off the waitlist without an appointment.

        Args:
            entry_id: The waitlist entry.
            reason: Why; referral_lapsed only when no referral covers the visit type today.
        """
        if entry_id not in self.waitlist:
            return _failure(f"There is no waitlist entry {entry_id}")
        entry = self.waitlist[entry_id]
        if entry["status"] != "waiting":
            return _failure(f"Waitlist entry {entry_id} is {entry['status']}, not waiting")
        subject = (entry["patient_id"], entry["visit_type_id"])
        if reason == "referral_lapsed" and not self._referral_error(*subject, _today()):
            return _failure(f"The referral of waitlist entry {entry_id} has not lapsed")
        entry["status"] = "closed"
        entry["close_reason"] = reason
        return {"success": True, "entry_id": entry_id}

    def record_referral(
        self, patient_id: str, specialty: str, issued_on: str, visits: int
    ) -> dict[str, Any]:
        """File a referral letter from the patient's own practice.

        Args:
            patient_id: The patient.
            specialty: The specialty referred to, as in the list of visit types.
            issued_on: Date of the letter, ISO date, YYYY-MM-DD; at most 180 days ago.
            visits: How many visits the letter covers, 1 to 12.
        """
        if error := self._missing(patient_id):
            return _failure(error)
        specialties = sorted({item["specialty"] for item in self.visit_types.values()})
        if specialty not in specialties:
            return _failure(f"'{specialty}' is none of {', '.join(specialties)}")
        if error := _calendar_error(issued_on):
            return _failure(error)
        if not _shift_day(_today(), -REFERRAL_DAYS) <= issued_on <= _today():
            return _failure(
                f"A letter is valid for {REFERRAL_DAYS} days; one of {issued_on} is not valid today"
            )
        if not 1 <= visits <= REFERRAL_VISITS:
            return _failure(f"A referral covers 1 to {REFERRAL_VISITS} visits, not {visits}")
        referral_id = self._new_id("RF")
        self.referrals[referral_id] = Referral(
            patient_id=patient_id,
            specialty=specialty,
            referred_by=self.patients[patient_id]["practice"],
            issued_on=issued_on,
            expires_on=_shift_day(issued_on, REFERRAL_DAYS),
            visits=visits,
        )
        return {"success": True, "referral_id": referral_id, **self.referrals[referral_id]}

    def waive_fee(self, fee_id: str, reason: WaiverReason) -> dict[str, Any]:
        """Waive an unpaid late cancellation fee.

        Args:
            fee_id: The fee.
            reason: What excuses the late cancellation.
        """
        if fee_id not in self.fees:
            return _failure(f"There is no fee {fee_id}")
        fee = self.fees[fee_id]
        if fee["status"] != "unpaid":
            return _failure(f"Fee {fee_id} is {fee['status']}, not unpaid")
        for row in _rows(self.fees, "fee_id", patient_id=fee["patient_id"], status="waived"):
            if row["waived_on"][:4] == _today()[:4]:
                return _failure(f"The one waiver of this calendar year went to {row['fee_id']}")
        fee["status"] = "waived"
        fee["waiver_reason"] = reason
        fee["waived_on"] = _today()
        return {"success": True, "fee_id": fee_id, "owed": self._owed(fee["patient_id"])}

    def decline_request(
        self, patient_id: str, request: DeclinedRequest, reason: DeclineReason
    ) -> dict[str, Any]:
        """Put on record that a patient's request was turned down; once a day will do.

        Args:
            patient_id: The patient who asked, or for whom it was asked.
            request: What was asked for: a new booking, moving an appointment, or waiving a fee.
            reason: What stands against it: no referral that covers the visit, no completed
                visit to follow up, another patient first in line, too few preparation days, no
                free slot, 80 euros or more in fees, this year's waiver already granted, both
                moves used up, or less than 24 hours' notice.
        """
        if error := self._missing(patient_id):
            return _failure(error)
        refusal = Refusal(
            patient_id=patient_id, request=request, reason=reason, recorded_on=_today()
        )
        if refusal in self.refusals.values():
            return _failure("This refusal is on record already")
        refusal_id = self._new_id("RQ")
        self.refusals[refusal_id] = refusal
        return {"success": True, "refusal_id": refusal_id}

    def _new_id(self, prefix: str) -> str:
        number = self.counters[prefix]
        self.counters[prefix] = number + 1
        return f"{prefix}-{number}"

    def _missing(
        self,
        patient_id: str | None = None,
        visit_type_id: str | None = None,
        provider_id: str | None = None,
    ) -> str | None:
        """Name an id that does not exist, of those that are given."""
        if patient_id is not None and patient_id not in self.patients:
            return f"There is no patient {patient_id}"
        if visit_type_id is not None and visit_type_id not in self.visit_types:
            return f"There is no visit type {visit_type_id}"
        if provider_id is not None and provider_id not in self.providers:
            return f"There is no provider {provider_id}"
        return None

    def _by_time(self) -> list[tuple[str, Appointment]]:
        return sorted(
            self.appointments.items(),
            key=lambda item: (item[1]["date"], item[1]["start"], item[0]),
        )

    def _summary(self, appointment_id: str) -> dict[str, Any]:
        """The main facts about an appointment, with names."""
        appointment = self.appointments[appointment_id]
        facts = {
            "appointment_id": appointment_id,
            **appointment,
            "patient": self.patients[appointment["patient_id"]]["name"],
            "provider": self.providers[appointment["provider_id"]]["name"],
        }
        details = ("referral_id", "cancel_reason", "patient_moves")
        return {key: value for key, value in facts.items() if key not in details}

    def _change_error(self, appointment_id: str) -> str | None:
        """Why an appointment cannot be changed, if it is unknown, not booked or has started."""
        if appointment_id not in self.appointments:
            return f"There is no appointment {appointment_id}"
        appointment = self.appointments[appointment_id]
        if appointment["status"] != "booked":
            return f"Appointment {appointment_id} is {appointment['status']}"
        if _moment(appointment["date"], appointment["start"]) <= datetime.now():
            return f"Appointment {appointment_id} has started"
        return None

    def _is_late(self, appointment: Appointment) -> bool:
        return _moment(appointment["date"], appointment["start"]) - datetime.now() < NOTICE

    def _owed(self, patient_id: str) -> int:
        unpaid = _rows(self.fees, "fee_id", patient_id=patient_id, status="unpaid")
        return sum(fee["amount"] for fee in unpaid)

    def _visits_left(self, referral_id: str, moving: str | None = None) -> int:
        used = sum(
            appointment["referral_id"] == referral_id
            and appointment["status"] != "cancelled"
            and key != moving
            for key, appointment in self.appointments.items()
        )
        return self.referrals[referral_id]["visits"] - used

    def _referral(
        self, patient_id: str, visit_type_id: str, day: str, moving: str | None = None
    ) -> str | None:
        """The referral that a visit uses: of those that cover it, the first to expire."""
        visit_type = self.visit_types[visit_type_id]
        covering = [
            (referral["expires_on"], key)
            for key, referral in self.referrals.items()
            if visit_type["needs_referral"]
            and referral["patient_id"] == patient_id
            and referral["specialty"] == visit_type["specialty"]
            and referral["issued_on"] <= day <= referral["expires_on"]
            and self._visits_left(key, moving) > 0
        ]
        return min(covering)[1] if covering else None

    def _referral_error(
        self, patient_id: str, visit_type_id: str, day: str, moving: str | None = None
    ) -> str | None:
        """Why a visit that needs a referral has none to use."""
        visit_type = self.visit_types[visit_type_id]
        if not visit_type["needs_referral"] or self._referral(
            patient_id, visit_type_id, day, moving
        ):
            return None
        return f"{patient_id} has no {visit_type['specialty']} referral with a visit left on {day}"

    def _entitlement_error(
        self, patient_id: str, visit_type_id: str, day: str, moving: str | None = None
    ) -> str | None:
        """Why a patient is not entitled to a visit: debts, no referral, nothing to follow up.

        Debts do not stand against `moving` an appointment.
        """
        if moving is None and (owed := self._owed(patient_id)) >= DEBT_LIMIT:
            return f"{patient_id} owes {owed} euros in late fees, which is {DEBT_LIMIT} or more"
        if error := self._referral_error(patient_id, visit_type_id, day, moving):
            return error
        visit_type = self.visit_types[visit_type_id]
        if visit_type["follow_up"] and not any(
            appointment["patient_id"] == patient_id
            and appointment["status"] == "completed"
            and self.visit_types[appointment["visit_type_id"]]["specialty"]
            == visit_type["specialty"]
            and _shift_day(day, -FOLLOW_UP_DAYS) <= appointment["date"]
            for appointment in self.appointments.values()
        ):
            return (
                f"{visit_type_id} needs a completed {visit_type['specialty']} visit in the "
                f"{FOLLOW_UP_DAYS} days before {day}; {patient_id} has none"
            )
        return None

    def _queue(self) -> list[tuple[str, WaitlistEntry]]:
        """Waiting entries, in the order in which openings are filled."""
        return sorted(
            (item for item in self.waitlist.items() if item[1]["status"] == "waiting"),
            key=lambda item: (
                PRIORITIES.index(item[1]["priority"]),
                item[1]["requested_on"],
                item[0],
            ),
        )

    def _waiting_entry(self, patient_id: str, visit_type_id: str) -> str | None:
        for key, entry in self._queue():
            if (entry["patient_id"], entry["visit_type_id"]) == (patient_id, visit_type_id):
                return key
        return None

    def _queue_error(
        self, patient_id: str, visit_type_id: str, provider_id: str, day: str
    ) -> str | None:
        """Who is ahead of a patient for an opening, if anyone is."""
        for key, entry in self._queue():
            if (
                entry["visit_type_id"] == visit_type_id
                and entry["provider_id"] in (None, provider_id)
                and entry["available_from"] <= day
            ):
                if entry["patient_id"] == patient_id:
                    return None
                return f"{key} is first in line for {visit_type_id} with {provider_id} on {day}"
        return None

    def _takes_part(self, appointment: Appointment, participant: str) -> bool:
        """Whether a patient, provider, room or device is booked; their ids never coincide."""
        return participant in (
            appointment["patient_id"],
            appointment["provider_id"],
            appointment["room_id"],
            appointment["equipment_id"],
        )

    def _sessions(self, provider_id: str, day: str) -> list[list[str]]:
        weekday = WEEKDAYS[_moment(day, "00:00").weekday()]
        return self.providers[provider_id]["sessions"].get(weekday, [])

    def _clash(
        self, participant: str, day: str, start: str, end: str, moving: str | None = None
    ) -> str | None:
        """What keeps a patient, provider, room or device busy in a span of time."""

        def overlaps(other: Appointment | Block) -> bool:
            return other["date"] == day and other["start"] < end and start < other["end"]

        for key, appointment in self._by_time():
            if (
                key != moving
                and appointment["status"] == "booked"
                and overlaps(appointment)
                and self._takes_part(appointment, participant)
            ):
                return f"{participant} has appointment {key} on {day} at {appointment['start']}"
        for key, block in sorted(self.blocks.items()):
            if block["resource_id"] == participant and overlaps(block):
                return f"{participant} is blocked on {day} {block['start']}-{block['end']} ({key})"
        return None

    def _needs_step_free(self, patient_id: str | None) -> bool:
        return patient_id is not None and self.patients[patient_id]["step_free"]

    def _suitable_rooms(self, visit_type_id: str, patient_id: str | None) -> list[str]:
        kind = self.visit_types[visit_type_id]["room_kind"]
        rooms = _rows(self.rooms, "room_id", kind=kind)
        step_free = self._needs_step_free(patient_id)
        return [row["room_id"] for row in rooms if row["step_free"] or not step_free]

    def _devices(self, visit_type_id: str) -> list[str]:
        kind = self.visit_types[visit_type_id]["equipment_kind"]
        return [key for key, device in sorted(self.equipment.items()) if device["kind"] == kind]

    def _first_free(
        self, keys: list[str], day: str, start: str, end: str, moving: str | None
    ) -> str | None:
        """The first free one of some rooms or devices; what `moving` uses now goes first."""
        if moving is not None:
            present = self.appointments[moving]
            keys = sorted(keys, key=lambda key: not self._takes_part(present, key))
        free = (key for key in keys if not self._clash(key, day, start, end, moving))
        return next(free, None)

    def _place(
        self,
        visit_type_id: str,
        provider_id: str,
        day: str,
        start: str,
        patient_id: str | None,
        moving: str | None = None,
    ) -> Placement | str:
        """Find a room and a device for a visit, or say why it cannot take place then.

        `moving` is an appointment that gives up its present time.
        """
        if error := _calendar_error(day) or _clock_error(start):
            return error
        visit_type = self.visit_types[visit_type_id]
        if visit_type_id not in self.providers[provider_id]["visit_type_ids"]:
            return f"{provider_id} does not perform {visit_type_id}"
        if _moment(day, start) <= datetime.now():
            return f"{day} {start} has passed"
        earliest = _shift_day(_today(), visit_type["preparation_days"])
        if day < earliest:
            return f"{visit_type_id} takes preparation; the first possible day is {earliest}"
        end = _shift_time(start, visit_type["minutes"])
        sessions = self._sessions(provider_id, day)
        if not any(opens <= start and end <= closes for opens, closes in sessions):
            return f"{provider_id} has no working session on {day} from {start} to {end}"
        for person in (provider_id, patient_id):
            if person is not None and (clash := self._clash(person, day, start, end, moving)):
                return clash
        rooms = self._suitable_rooms(visit_type_id, patient_id)
        room_id = self._first_free(rooms, day, start, end, moving)
        if room_id is None:
            wanted = "step-free room" if self._needs_step_free(patient_id) else "room"
            return f"No {wanted} for {visit_type_id} is free then"
        devices = self._devices(visit_type_id)
        equipment_id = self._first_free(devices, day, start, end, moving)
        if equipment_id is None and visit_type["equipment_kind"] is not None:
            return f"No device for {visit_type_id} is free then"
        return Placement(
            provider_id=provider_id,
            room_id=room_id,
            equipment_id=equipment_id,
            date=day,
            start=start,
            end=end,
        )
