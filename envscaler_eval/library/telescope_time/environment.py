"""Observatory: proposals, observing blocks, nights, alerts, time accounts and data rights."""

import math
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

Rank = Literal["A", "B", "C"]
Mode = Literal["queue", "classical"]
Moon = Literal["dark", "grey", "bright"]
BlockStatus = Literal["ready", "scheduled", "observed", "withdrawn"]
SlotStatus = Literal[
    "planned", "observed", "weather", "fault", "out_of_spec", "interrupted", "removed"
]
AlertStatus = Literal["open", "triggered", "lapsed"]
RefusalReason = Literal[
    "not_visible",
    "moon_too_bright",
    "no_time_left",
    "instrument_not_mounted",
    "higher_rank_fits",
    "night_not_free",
    "alert_expired",
    "protected_time",
    "share_exhausted",
    "nothing_to_compensate",
    "extension_not_allowed",
    "instrument_in_use",
]

MOONS: tuple[Moon, ...] = ("dark", "grey", "bright")
START_STEP_MINUTES = 5
WEATHER_PERCENT = 50
LONGEST_EXTENSION_MONTHS = 6


class Semester(TypedDict):
    """The semester and the site; hours are telescope hours, times are universal time."""

    label: str
    starts_on: str
    ends_on: str
    latitude_deg: float
    science_hours: int


class Partner(TypedDict):
    """An institution with a share of the science hours."""

    name: str
    share_percent: float


class Proposal(TypedDict):
    """An approved proposal with its time allotment."""

    title: str
    investigator: str
    partner_id: str
    rank: Rank
    mode: Mode
    target_of_opportunity: bool
    hours: float
    proprietary_months: int


class Target(TypedDict):
    """A position on the sky and the conditions that it needs."""

    proposal_id: str
    name: str
    ra_hours: float
    dec_deg: float
    max_airmass: float
    moon: Moon  # the brightest moon under which it may be observed
    seeing_arcsec: float  # the worst seeing


class Block(TypedDict):
    """An observation that is done in one go, overheads included."""

    target_id: str
    instrument_id: str
    minutes: int
    status: BlockStatus


class Instrument(TypedDict):
    """An instrument; the gap is left before a slot that follows one with another instrument."""

    name: str
    gap_minutes: int
    status: Literal["available", "broken"]


class Night(TypedDict):
    """A night, named by the date of its evening."""

    starts_at: str
    ends_at: str
    sidereal_hours: float  # local sidereal time at its start
    moon: Moon
    mode: Mode
    proposal_id: str | None  # of a classical night
    instruments: list[str]  # mounted that night
    seeing_arcsec: float | None  # as measured
    status: Literal["open", "closed"]


class Slot(TypedDict):
    """A stretch of a night that is given to a block."""

    night: str
    block_id: str
    starts_at: str
    ends_at: str
    status: SlotStatus


class Charge(TypedDict):
    """Time that a proposal has used."""

    proposal_id: str
    slot_id: str
    minutes: int


class Grant(TypedDict):
    """Time that a proposal got back for a loss."""

    proposal_id: str
    cause: Literal["fault", "weather"]
    minutes: int
    granted_on: str


class Alert(TypedDict):
    """A call to observe a target of opportunity before it fades."""

    block_id: str
    received_at: str
    expires_at: str
    status: AlertStatus


class DataSet(TypedDict):
    """Data of an observed block; they belong to the investigator until they become public."""

    block_id: str
    taken_on: str
    public_on: str
    extended_months: int


class Refusal(TypedDict):
    """A request that was turned down."""

    record_id: str
    reason: RefusalReason
    refused_on: str


def _fault(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _time(text: str) -> datetime | None:
    """Read YYYY-MM-DDTHH:MM on a step of five minutes, or return None."""
    try:
        moment = datetime.strptime(text, "%Y-%m-%dT%H:%M")
    except ValueError:
        return None
    steady = f"{moment:%Y-%m-%dT%H:%M}" == text and moment.minute % START_STEP_MINUTES == 0
    return moment if steady else None


def _text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M}"


def _minutes(start: str, end: str) -> int:
    return int((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() // 60)


def _months_later(day: str, months: int) -> str:
    """The same day some months later, or the last day of a shorter month."""
    first = date.fromisoformat(day)
    month = first.month - 1 + months
    year, month = first.year + month // 12, month % 12 + 1
    following = date(year + month // 12, month % 12 + 1, 1)
    return date(year, month, min(first.day, (following - timedelta(days=1)).day)).isoformat()


class ObservatoryTimeOffice:
    """The time allocation office of an optical observatory."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.semester: Semester = {
            "label": "",
            "starts_on": "",
            "ends_on": "",
            "latitude_deg": 0.0,
            "science_hours": 0,
        }
        self.partners: dict[str, Partner] = {}
        self.proposals: dict[str, Proposal] = {}
        self.targets: dict[str, Target] = {}
        self.blocks: dict[str, Block] = {}
        self.instruments: dict[str, Instrument] = {}
        self.nights: dict[str, Night] = {}
        self.slots: dict[str, Slot] = {}
        self.charges: dict[str, Charge] = {}
        self.grants: dict[str, Grant] = {}
        self.alerts: dict[str, Alert] = {}
        self.datasets: dict[str, DataSet] = {}
        self.refusals: dict[str, Refusal] = {}
        self.next_slot: int = 1
        self.next_charge: int = 1
        self.next_grant: int = 1
        self.next_dataset: int = 1
        self.next_refusal: int = 1

    # Sky

    def _now(self) -> str:
        return _text(datetime.now())

    def _airmass(self, target_id: str, night: str, moment: str) -> float:
        """Airmass of a target at a moment of a night; 99 when it is below 10 degrees."""
        target, opened = self.targets[target_id], self.nights[night]
        sidereal = opened["sidereal_hours"] + _minutes(opened["starts_at"], moment) / 60
        hour_angle = math.radians(15 * (sidereal - target["ra_hours"]))
        latitude = math.radians(self.semester["latitude_deg"])
        declination = math.radians(target["dec_deg"])
        height = math.sin(latitude) * math.sin(declination)
        height += math.cos(latitude) * math.cos(declination) * math.cos(hour_angle)
        return round(1 / height, 2) if height > math.sin(math.radians(10)) else 99.0

    def _moments(self, night: str) -> list[str]:
        """The five-minute steps of a night."""
        opened = self.nights[night]
        first = datetime.fromisoformat(opened["starts_at"])
        steps = _minutes(opened["starts_at"], opened["ends_at"]) // START_STEP_MINUTES
        return [_text(first + timedelta(minutes=START_STEP_MINUTES * n)) for n in range(steps + 1)]

    # Accounts, in minutes

    def _owner(self, block_id: str) -> str:
        """The proposal that a block belongs to."""
        return self.targets[self.blocks[block_id]["target_id"]]["proposal_id"]

    def _target(self, block_id: str) -> str:
        """The name of a block's target."""
        return self.targets[self.blocks[block_id]["target_id"]]["name"]

    def _charged(self, proposal_id: str) -> int:
        return sum(c["minutes"] for c in self.charges.values() if c["proposal_id"] == proposal_id)

    def _granted(self, proposal_id: str, cause: str | None = None) -> int:
        return sum(
            g["minutes"]
            for g in self.grants.values()
            if g["proposal_id"] == proposal_id and cause in (None, g["cause"])
        )

    def _slots_of(self, proposal_id: str, status: SlotStatus) -> list[Slot]:
        return [
            s
            for s in self.slots.values()
            if s["status"] == status and self._owner(s["block_id"]) == proposal_id
        ]

    def _account(self, proposal_id: str) -> dict[str, int]:
        allotted = round(self.proposals[proposal_id]["hours"] * 60)
        granted, charged = self._granted(proposal_id), self._charged(proposal_id)
        planned = sum(
            _minutes(s["starts_at"], s["ends_at"]) for s in self._slots_of(proposal_id, "planned")
        )
        return {
            "allotted": allotted,
            "granted": granted,
            "charged": charged,
            "planned": planned,
            "left": allotted + granted - charged - planned,
        }

    def _partner_room(self, partner_id: str) -> int:
        """Minutes of a partner's share that are neither allotted nor granted."""
        share = self.partners[partner_id]["share_percent"]
        given = sum(
            round(p["hours"] * 60) + self._granted(proposal_id)
            for proposal_id, p in self.proposals.items()
            if p["partner_id"] == partner_id
        )
        return round(self.semester["science_hours"] * 60 * share / 100) - given

    def _claim(self, proposal_id: str, cause: Literal["fault", "weather"]) -> int:
        """Minutes that a proposal may still get back for a cause."""
        lost = [
            _minutes(s["starts_at"], s["ends_at"])
            for s in self._slots_of(proposal_id, cause)
            if cause == "fault" or self.nights[s["night"]]["mode"] == "classical"
        ]
        percent = 100 if cause == "fault" else WEATHER_PERCENT
        return sum(lost) * percent // 100 - self._granted(proposal_id, cause)

    # Scheduling

    def _planned(self, night: str) -> list[tuple[str, Slot]]:
        found = [
            (i, s) for i, s in self.slots.items() if (s["night"], s["status"]) == (night, "planned")
        ]
        return sorted(found, key=lambda item: item[1]["starts_at"])

    def _gap(self, slot: Slot, other: Slot) -> int:
        """Minutes that lie between two slots, the later one's gap if the instrument changes."""
        later = max(slot, other, key=lambda s: s["starts_at"])
        used = {self.blocks[s["block_id"]]["instrument_id"] for s in (slot, other)}
        instrument_id = self.blocks[later["block_id"]]["instrument_id"]
        return self.instruments[instrument_id]["gap_minutes"] if len(used) > 1 else 0

    def _clashes(self, slot: Slot) -> list[str]:
        """Planned slots that a slot would overlap, gaps for the instrument included."""
        clashes = []
        for other_id, other in self._planned(slot["night"]):
            gap = timedelta(minutes=self._gap(slot, other))
            start, end = sorted((slot, other), key=lambda s: s["starts_at"])
            if datetime.fromisoformat(start["ends_at"]) + gap > datetime.fromisoformat(
                end["starts_at"]
            ):
                clashes.append(other_id)
        return clashes

    def _conditions_problem(self, slot: Slot) -> str | None:
        """Say what about the sky, the night or the account stands against a slot, or None."""
        block, night = self.blocks[slot["block_id"]], self.nights[slot["night"]]
        target_id, owner = block["target_id"], self._owner(slot["block_id"])
        target = self.targets[target_id]
        if night["status"] == "closed" or slot["starts_at"] < self._now():
            return f"That part of the night of {slot['night']} is over"
        if slot["starts_at"] < night["starts_at"] or slot["ends_at"] > night["ends_at"]:
            return f"The night lasts from {night['starts_at']} to {night['ends_at']}"
        if night["proposal_id"] not in (None, owner):
            return f"The night of {slot['night']} belongs to {night['proposal_id']}"
        instrument_id = block["instrument_id"]
        if instrument_id not in night["instruments"]:
            return f"{instrument_id} is not mounted on {slot['night']}"
        if self.instruments[instrument_id]["status"] == "broken":
            return f"{instrument_id} is broken"
        if MOONS.index(night["moon"]) > MOONS.index(target["moon"]):
            return f"The moon is {night['moon']}; {target['name']} needs {target['moon']}"
        for moment in (slot["starts_at"], slot["ends_at"]):
            airmass = self._airmass(target_id, slot["night"], moment)
            if airmass > target["max_airmass"]:
                return f"{target['name']} is at airmass {airmass} at {moment}"
        left = self._account(owner)["left"]
        if left < block["minutes"]:
            return f"{owner} has {left} minutes left, the block takes {block['minutes']}"
        return None

    def _slot(self, block_id: str, night: str, starts_at: str) -> Slot | str:
        """Make up a slot for a ready block, or say why that cannot be."""
        if block_id not in self.blocks:
            return f"Block {block_id} does not exist"
        if night not in self.nights:
            return f"There is no night of {night}"
        start = _time(starts_at)
        if start is None:
            return "Slots start on a step of five minutes, written YYYY-MM-DDTHH:MM"
        if (status := self.blocks[block_id]["status"]) != "ready":
            return f"Block {block_id} is {status}"
        slot: Slot = {
            "night": night,
            "block_id": block_id,
            "starts_at": starts_at,
            "ends_at": _text(start + timedelta(minutes=self.blocks[block_id]["minutes"])),
            "status": "planned",
        }
        return self._conditions_problem(slot) or slot

    def _queue_slot(self, block_id: str, night: str, starts_at: str) -> Slot | str:
        """Make up a slot that can be planned by the ordinary way, or say why there is none."""
        slot = self._slot(block_id, night, starts_at)
        if isinstance(slot, str):
            return slot
        proposal = self.proposals[self._owner(block_id)]
        if proposal["target_of_opportunity"]:
            return f"Block {block_id} waits for an alert"
        if clashes := self._clashes(slot):
            return f"No room beside {', '.join(clashes)}"
        if proposal["rank"] == "C":
            instrument_id = self.blocks[block_id]["instrument_id"]
            for other_id, other in self.blocks.items():
                rival = self.proposals[self._owner(other_id)]
                if other["instrument_id"] != instrument_id or rival["rank"] == "C":
                    continue
                if isinstance(self._queue_slot(other_id, night, starts_at), dict):
                    return f"Block {other_id} of rank {rival['rank']} fits there"
        return slot

    def _plan(self, slot: Slot) -> str:
        slot_id = f"SL-{self.next_slot}"
        self.next_slot += 1
        self.slots[slot_id] = slot
        self.blocks[slot["block_id"]]["status"] = "scheduled"
        return slot_id

    # Queries

    def get_semester(self) -> dict[str, Any]:
        """Show the semester and, for each partner, the minutes of its share not given out yet."""
        partners = {
            partner_id: {**partner, "room_minutes": self._partner_room(partner_id)}
            for partner_id, partner in self.partners.items()
        }
        return {"success": True, "semester": self.semester, "partners": partners}

    def list_proposals(
        self, text: str = "", rank: Rank | None = None, partner_id: str | None = None
    ) -> dict[str, Any]:
        """List proposals with the minutes they have left.

        Args:
            text: Part of the id, title or investigator, any case; empty for all.
            rank: Only proposals of this rank.
            partner_id: Only proposals of this partner.
        """
        found = [
            {"proposal_id": i, **p, "left_minutes": self._account(i)["left"]}
            for i, p in self.proposals.items()
            if text.lower() in f"{i} {p['title']} {p['investigator']}".lower()
            and rank in (None, p["rank"])
            and partner_id in (None, p["partner_id"])
        ]
        return {"success": True, "proposals": found}

    def get_proposal(self, proposal_id: str) -> dict[str, Any]:
        """Show a proposal with its account in minutes, targets, blocks, slots and refusals.

        Args:
            proposal_id: The proposal.
        """
        if proposal_id not in self.proposals:
            return _fault(f"Proposal {proposal_id} does not exist")
        return {
            "success": True,
            "proposal": {"proposal_id": proposal_id, **self.proposals[proposal_id]},
            "account": self._account(proposal_id),
            "claims": {
                "fault": self._claim(proposal_id, "fault"),
                "weather": self._claim(proposal_id, "weather"),
            },
            "targets": {i: t for i, t in self.targets.items() if t["proposal_id"] == proposal_id},
            "blocks": {i: b for i, b in self.blocks.items() if self._owner(i) == proposal_id},
            "slots": {
                i: s for i, s in self.slots.items() if self._owner(s["block_id"]) == proposal_id
            },
            "refusals": {i: r for i, r in self.refusals.items() if r["record_id"] == proposal_id},
        }

    def list_blocks(
        self, status: BlockStatus | None = None, instrument_id: str | None = None, text: str = ""
    ) -> dict[str, Any]:
        """List observing blocks with target, proposal and rank.

        Args:
            status: Only blocks in this status.
            instrument_id: Only blocks for this instrument.
            text: Part of the target's name, any case; empty for all.
        """
        found = [
            {
                "block_id": block_id,
                **block,
                "target": self._target(block_id),
                "proposal_id": self._owner(block_id),
                "rank": self.proposals[self._owner(block_id)]["rank"],
            }
            for block_id, block in self.blocks.items()
            if status in (None, block["status"])
            and instrument_id in (None, block["instrument_id"])
            and text.lower() in self._target(block_id).lower()
        ]
        return {"success": True, "blocks": found}

    def get_visibility(self, target_id: str, night: str) -> dict[str, Any]:
        """Show when a target stays within its airmass limit during a night.

        Args:
            target_id: The target.
            night: The night, by the date of its evening, YYYY-MM-DD.
        """
        if target_id not in self.targets:
            return _fault(f"Target {target_id} does not exist")
        if night not in self.nights:
            return _fault(f"There is no night of {night}")
        most = self.targets[target_id]["max_airmass"]
        curve = {m: self._airmass(target_id, night, m) for m in self._moments(night)}
        good = [moment for moment, airmass in curve.items() if airmass <= most]
        best = min(curve, key=lambda moment: curve[moment])
        return {
            "success": True,
            "target": self.targets[target_id],
            "night_moon": self.nights[night]["moon"],
            "from": good[0] if good else None,
            "to": good[-1] if good else None,
            "best_at": best,
            "best_airmass": curve[best],
        }

    def list_nights(
        self, from_night: str = "", moon: Moon | None = None, mode: Mode | None = None
    ) -> dict[str, Any]:
        """List nights with mode, moon, instruments and the number of planned slots.

        Args:
            from_night: First night, YYYY-MM-DD; empty for all.
            moon: Only nights with this moon.
            mode: Only nights in this mode.
        """
        found = [
            {"night": night, **opened, "planned_slots": len(self._planned(night))}
            for night, opened in self.nights.items()
            if night >= from_night
            and moon in (None, opened["moon"])
            and mode in (None, opened["mode"])
        ]
        return {"success": True, "nights": found}

    def get_night(self, night: str) -> dict[str, Any]:
        """Show a night with its slots in order of time.

        Args:
            night: The date of its evening, YYYY-MM-DD.
        """
        if night not in self.nights:
            return _fault(f"There is no night of {night}")
        slots = [
            {
                "slot_id": slot_id,
                **slot,
                "target": self._target(slot["block_id"]),
                "proposal_id": self._owner(slot["block_id"]),
                "rank": self.proposals[self._owner(slot["block_id"])]["rank"],
                "instrument_id": self.blocks[slot["block_id"]]["instrument_id"],
            }
            for slot_id, slot in self.slots.items()
            if slot["night"] == night
        ]
        ordered = sorted(slots, key=lambda s: str(s["starts_at"]))
        return {"success": True, "night": self.nights[night], "slots": ordered}

    def list_instruments(self) -> dict[str, Any]:
        """List instruments with their gap in minutes and the open nights they are mounted for."""
        found = {
            i: {
                **instrument,
                "mounted_on": [
                    night
                    for night, n in self.nights.items()
                    if i in n["instruments"] and n["status"] == "open"
                ],
            }
            for i, instrument in self.instruments.items()
        }
        return {"success": True, "instruments": found}

    def list_alerts(self, status: AlertStatus | None = None) -> dict[str, Any]:
        """List alerts for targets of opportunity.

        Args:
            status: Only alerts in this status.
        """
        found = {
            i: {
                **a,
                "target": self._target(a["block_id"]),
                "proposal_id": self._owner(a["block_id"]),
                "block": self.blocks[a["block_id"]],
            }
            for i, a in self.alerts.items()
            if status in (None, a["status"])
        }
        return {"success": True, "alerts": found}

    def list_datasets(self, proposal_id: str | None = None) -> dict[str, Any]:
        """List data sets with the day on which they become public.

        Args:
            proposal_id: Only data of this proposal.
        """
        found = {
            i: {
                **d,
                "target": self._target(d["block_id"]),
                "proposal_id": self._owner(d["block_id"]),
            }
            for i, d in self.datasets.items()
            if proposal_id in (None, self._owner(d["block_id"]))
        }
        return {"success": True, "datasets": found}

    def list_refusals(self, record_id: str | None = None) -> dict[str, Any]:
        """List requests that were turned down, with the record that each is filed on.

        Args:
            record_id: Only refusals on this alert, data set, instrument, block or proposal.
        """
        found = {
            i: refusal
            for i, refusal in self.refusals.items()
            if record_id in (None, refusal["record_id"])
        }
        return {"success": True, "refusals": found}

    def check_slot(self, block_id: str, night: str, starts_at: str) -> dict[str, Any]:
        """Say whether a block can be scheduled at a time, without scheduling it.

        Args:
            block_id: A ready block.
            night: The night, by the date of its evening, YYYY-MM-DD.
            starts_at: Start in universal time, on a step of five minutes, YYYY-MM-DDTHH:MM.
        """
        slot = self._queue_slot(block_id, night, starts_at)
        if isinstance(slot, str):
            return _fault(slot)
        return {"success": True, "ends_at": slot["ends_at"]}

    # Changes

    def schedule_block(self, block_id: str, night: str, starts_at: str) -> dict[str, Any]:
        """Plan a ready block into a night.

        Args:
            block_id: A ready block.
            night: The night, by the date of its evening, YYYY-MM-DD.
            starts_at: Start in universal time, on a step of five minutes, YYYY-MM-DDTHH:MM.
        """
        slot = self._queue_slot(block_id, night, starts_at)
        if isinstance(slot, str):
            return _fault(slot)
        slot_id = self._plan(slot)
        left = self._account(self._owner(block_id))["left"]
        return {
            "success": True,
            "slot_id": slot_id,
            "ends_at": slot["ends_at"],
            "left_minutes": left,
        }

    def remove_slot(self, slot_id: str) -> dict[str, Any]:
        """Mark a planned slot that has not begun as removed; its block is ready again.

        Args:
            slot_id: The slot.
        """
        if slot_id not in self.slots:
            return _fault(f"Slot {slot_id} does not exist")
        slot = self.slots[slot_id]
        if slot["status"] != "planned":
            return _fault(f"Slot {slot_id} is {slot['status']}")
        if slot["starts_at"] <= self._now():
            return _fault(f"Slot {slot_id} began at {slot['starts_at']}: account for it instead")
        slot["status"] = "removed"
        self.blocks[slot["block_id"]]["status"] = "ready"
        return {"success": True, "block_id": slot["block_id"]}

    def trigger_alert(self, alert_id: str, night: str, starts_at: str) -> dict[str, Any]:
        """Observe a target of opportunity; planned slots in its way are interrupted.

        Args:
            alert_id: An open alert.
            night: The night, by the date of its evening, YYYY-MM-DD.
            starts_at: Start in universal time, on a step of five minutes, before the alert expires.
        """
        if alert_id not in self.alerts:
            return _fault(f"Alert {alert_id} does not exist")
        alert = self.alerts[alert_id]
        if alert["status"] != "open":
            return _fault(f"Alert {alert_id} is {alert['status']}")
        slot = self._slot(alert["block_id"], night, starts_at)
        if isinstance(slot, str):
            return _fault(slot)
        if starts_at > alert["expires_at"]:
            return _fault(f"Alert {alert_id} expires at {alert['expires_at']}")
        clashes = self._clashes(slot)
        for slot_id in clashes:
            other = self.slots[slot_id]
            if self.proposals[self._owner(other["block_id"])]["rank"] == "A":
                return _fault(f"Slot {slot_id} is of rank A")
            if other["starts_at"] <= self._now():
                return _fault(f"Slot {slot_id} has begun")
        for slot_id in clashes:
            self.slots[slot_id]["status"] = "interrupted"
            self.blocks[self.slots[slot_id]["block_id"]]["status"] = "ready"
        alert["status"] = "triggered"
        return {
            "success": True,
            "slot_id": self._plan(slot),
            "ends_at": slot["ends_at"],
            "interrupted": clashes,
        }

    def log_seeing(self, night: str, arcsec: float) -> dict[str, Any]:
        """Enter the seeing that was measured in a night.

        Args:
            night: A night that has begun, by the date of its evening, YYYY-MM-DD.
            arcsec: Seeing in arcseconds, 0.2 to 5.
        """
        if night not in self.nights:
            return _fault(f"There is no night of {night}")
        opened = self.nights[night]
        if opened["status"] == "closed":
            return _fault(f"The night of {night} is closed")
        if self._now() < opened["starts_at"]:
            return _fault(f"The night of {night} begins at {opened['starts_at']}")
        if not 0.2 <= arcsec <= 5:
            return _fault("Seeing is between 0.2 and 5 arcseconds")
        if opened["seeing_arcsec"] == arcsec:
            return _fault(f"The seeing of {night} is {arcsec} already")
        known = opened["seeing_arcsec"]
        for slot_id, slot in self.slots.items():
            judged = slot["night"] == night and slot["status"] in ("observed", "out_of_spec")
            if known is not None and judged:
                return _fault(f"{slot_id} was accounted for at {known} arcseconds")
        opened["seeing_arcsec"] = arcsec
        return {"success": True, "night": night}

    def close_slot(
        self, slot_id: str, outcome: Literal["observed", "weather", "fault", "out_of_spec"]
    ) -> dict[str, Any]:
        """Account for a slot that is over: observed is charged, all else makes the block ready.

        Args:
            slot_id: A planned slot that has ended.
            outcome: What became of it; out_of_spec where the seeing was worse than the target's.
        """
        if slot_id not in self.slots:
            return _fault(f"Slot {slot_id} does not exist")
        slot = self.slots[slot_id]
        if slot["status"] != "planned":
            return _fault(f"Slot {slot_id} is {slot['status']}")
        if self._now() < slot["ends_at"]:
            return _fault(f"Slot {slot_id} ends at {slot['ends_at']}")
        block_id = slot["block_id"]
        owner, seeing = self._owner(block_id), self.nights[slot["night"]]["seeing_arcsec"]
        if outcome in ("observed", "out_of_spec"):
            if seeing is None:
                return _fault(f"Enter the seeing of {slot['night']} first")
            worst = self.targets[self.blocks[block_id]["target_id"]]["seeing_arcsec"]
            if (seeing > worst) != (outcome == "out_of_spec"):
                return _fault(f"The seeing was {seeing}, the target takes {worst}")
        slot["status"] = outcome
        if outcome != "observed":
            self.blocks[block_id]["status"] = "ready"
            return {"success": True, "charged_minutes": 0, "block_id": block_id}
        self.blocks[block_id]["status"] = "observed"
        minutes = _minutes(slot["starts_at"], slot["ends_at"])
        self.charges[f"CH-{self.next_charge}"] = {
            "proposal_id": owner,
            "slot_id": slot_id,
            "minutes": minutes,
        }
        self.next_charge += 1
        dataset_id = f"DS-{self.next_dataset}"
        self.next_dataset += 1
        public_on = _months_later(slot["night"], self.proposals[owner]["proprietary_months"])
        self.datasets[dataset_id] = {
            "block_id": block_id,
            "taken_on": slot["night"],
            "public_on": public_on,
            "extended_months": 0,
        }
        return {"success": True, "charged_minutes": minutes, "dataset_id": dataset_id}

    def close_night(self, night: str) -> dict[str, Any]:
        """Close the books of a night that is over and fully accounted for.

        Args:
            night: The date of its evening, YYYY-MM-DD.
        """
        if night not in self.nights:
            return _fault(f"There is no night of {night}")
        opened = self.nights[night]
        if opened["status"] == "closed":
            return _fault(f"The night of {night} is closed already")
        if self._now() < opened["ends_at"]:
            return _fault(f"The night lasts until {opened['ends_at']}")
        if waiting := [slot_id for slot_id, _ in self._planned(night)]:
            return _fault(f"Slots are not accounted for: {', '.join(waiting)}")
        opened["status"] = "closed"
        return {"success": True, "night": night}

    def assign_night(self, night: str, proposal_id: str) -> dict[str, Any]:
        """Give a whole free queue night to a classical proposal.

        Args:
            night: A night to come, by the date of its evening, YYYY-MM-DD.
            proposal_id: A classical proposal with time for all of it.
        """
        if night not in self.nights:
            return _fault(f"There is no night of {night}")
        if proposal_id not in self.proposals:
            return _fault(f"Proposal {proposal_id} does not exist")
        opened = self.nights[night]
        if opened["mode"] == "classical" or self._planned(night):
            return _fault(f"The night of {night} is not free")
        if opened["starts_at"] <= self._now():
            return _fault(f"The night of {night} has begun")
        if self.proposals[proposal_id]["mode"] != "classical":
            return _fault(f"{proposal_id} is a queue proposal")
        length = _minutes(opened["starts_at"], opened["ends_at"])
        taken = sum(
            _minutes(n["starts_at"], n["ends_at"])
            for n in self.nights.values()
            if n["proposal_id"] == proposal_id and n["status"] == "open"
        )
        left = self._account(proposal_id)
        free = left["left"] + left["planned"] - taken
        if free < length:
            return _fault(f"{proposal_id} has {free} minutes for a night of {length}")
        needed = [t["moon"] for t in self.targets.values() if t["proposal_id"] == proposal_id]
        if any(MOONS.index(opened["moon"]) > MOONS.index(moon) for moon in needed):
            return _fault(f"The moon of {night} is {opened['moon']}, too bright for {proposal_id}")
        opened["mode"] = "classical"
        opened["proposal_id"] = proposal_id
        return {"success": True, "minutes": length, "free_minutes": free - length}

    def change_instrument(self, from_night: str, out: str, into: str) -> dict[str, Any]:
        """Exchange an instrument by day, for a night and all open nights after it.

        Args:
            from_night: First night with the new instrument, tomorrow or later, YYYY-MM-DD.
            out: The instrument that is taken off.
            into: The instrument that is mounted.
        """
        if from_night not in self.nights:
            return _fault(f"There is no night of {from_night}")
        for instrument_id in (out, into):
            if instrument_id not in self.instruments:
                return _fault(f"Instrument {instrument_id} does not exist")
        if from_night <= self._now()[:10]:
            return _fault("Instruments are exchanged for tomorrow's night or a later one")
        if self.instruments[into]["status"] == "broken":
            return _fault(f"{into} is broken")
        mounted = self.nights[from_night]["instruments"]
        if out not in mounted or into in mounted:
            return _fault(f"{', '.join(mounted)} are mounted on {from_night}")
        later = [
            night
            for day, night in self.nights.items()
            if day >= from_night and night["status"] == "open" and into not in night["instruments"]
        ]
        for slot_id, slot in self.slots.items():
            used = self.blocks[slot["block_id"]]["instrument_id"]
            if slot["status"] == "planned" and slot["night"] >= from_night and used == out:
                return _fault(f"Slot {slot_id} of {slot['night']} needs {out}")
        for night in later:
            night["instruments"] = [into if i == out else i for i in night["instruments"]]
        return {"success": True, "nights": len(later)}

    def grant_time(
        self, proposal_id: str, cause: Literal["fault", "weather"], minutes: int
    ) -> dict[str, Any]:
        """Give a proposal back time that it lost.

        Args:
            proposal_id: The proposal.
            cause: Faults are made good in full, weather by half and on classical nights only.
            minutes: How much, within what it may claim and its partner's share.
        """
        if proposal_id not in self.proposals:
            return _fault(f"Proposal {proposal_id} does not exist")
        claim = self._claim(proposal_id, cause)
        if not 1 <= minutes <= claim:
            return _fault(f"{proposal_id} may claim {claim} minutes for {cause}")
        room = self._partner_room(self.proposals[proposal_id]["partner_id"])
        if minutes > room:
            return _fault(f"The share of the proposal's partner has room for {room} minutes")
        grant_id = f"GR-{self.next_grant}"
        self.next_grant += 1
        self.grants[grant_id] = {
            "proposal_id": proposal_id,
            "cause": cause,
            "minutes": minutes,
            "granted_on": self._now()[:10],
        }
        left = self._account(proposal_id)["left"]
        return {"success": True, "grant_id": grant_id, "left_minutes": left}

    def extend_data_rights(self, dataset_id: str, months: int) -> dict[str, Any]:
        """Let data become public later, once and before they are public.

        Args:
            dataset_id: The data set; data of targets of opportunity are not extended.
            months: 1 to 6.
        """
        if dataset_id not in self.datasets:
            return _fault(f"Data set {dataset_id} does not exist")
        data = self.datasets[dataset_id]
        if self.proposals[self._owner(data["block_id"])]["target_of_opportunity"]:
            return _fault(f"{dataset_id} is of a target of opportunity")
        if data["extended_months"] or data["public_on"] <= self._now()[:10]:
            return _fault(f"{dataset_id} was extended before or is public")
        if not 1 <= months <= LONGEST_EXTENSION_MONTHS:
            return _fault(f"Data rights are extended by 1 to {LONGEST_EXTENSION_MONTHS} months")
        data["extended_months"] = months
        data["public_on"] = _months_later(data["public_on"], months)
        return {"success": True, "public_on": data["public_on"]}

    def refuse_request(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record that a request was turned down.

        Reasons about an alert are filed on the alert (alert_expired, protected_time), those
        about data on the data set (extension_not_allowed), about an instrument exchange on the
        instrument (instrument_in_use), about a block on the block (not_visible,
        moon_too_bright, no_time_left, instrument_not_mounted, higher_rank_fits), and all others
        on the proposal.

        Args:
            record_id: The alert, data set, instrument, block or proposal.
            reason: The rule that stood in the way.
        """
        places: dict[str, tuple[str, tuple[str, ...]]] = {
            "alert_expired": ("an alert", tuple(self.alerts)),
            "protected_time": ("an alert", tuple(self.alerts)),
            "extension_not_allowed": ("a data set", tuple(self.datasets)),
            "instrument_in_use": ("an instrument", tuple(self.instruments)),
            "night_not_free": ("a proposal", tuple(self.proposals)),
            "share_exhausted": ("a proposal", tuple(self.proposals)),
            "nothing_to_compensate": ("a proposal", tuple(self.proposals)),
        }
        kind, known = places.get(reason, ("a block", tuple(self.blocks)))
        if record_id not in known:
            return _fault(f"{reason} is filed on {kind}, and {record_id!r} is none")
        if (record_id, reason) in [(r["record_id"], r["reason"]) for r in self.refusals.values()]:
            return _fault(f"{record_id} has that refusal already")
        refusal_id = f"RQ-{self.next_refusal}"
        self.next_refusal += 1
        self.refusals[refusal_id] = {
            "record_id": record_id,
            "reason": reason,
            "refused_on": self._now()[:10],
        }
        return {"success": True, "refusal_id": refusal_id}
