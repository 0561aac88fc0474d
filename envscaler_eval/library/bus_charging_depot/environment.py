"""Electric bus depot: charging sessions under power caps, blocks, faults and grid events."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict, get_args

Connector = Literal["ccs2", "pantograph"]
Size = Literal["midi", "standard", "articulated"]
Weather = Literal["mild", "cold", "hot"]
Purpose = Literal["daily", "balance"]
SessionStatus = Literal["booked", "done", "cancelled", "interrupted"]
BlockStatus = Literal["open", "released", "finished"]
HoldKind = Literal["isolation", "workshop", "recall"]
FaultCause = Literal["connector", "cooling", "communication", "earth_leak"]
EventAnswer = Literal["open", "accepted", "declined"]
BusReason = Literal["battery_limit", "balance_not_due", "peak_tariff", "recall_stands"]
ChargerReason = Literal["connector_mismatch", "charger_stopped", "contractor_only"]
BlockReason = Literal["not_enough_charge", "bus_too_small"]
EventReason = Literal["event_quota", "event_notice", "event_load"]
DeclineReason = BusReason | ChargerReason | BlockReason | EventReason | Literal["session_running"]

SIZES: tuple[Size, ...] = ("midi", "standard", "articulated")
QUARTER = timedelta(minutes=15)
POWER_STEP_KW = 10
LONGEST_SESSION = timedelta(hours=8)
BOOKING_HORIZON = timedelta(hours=36)
RELEASE_HORIZON = timedelta(hours=24)
PEAK_LEAD = timedelta(hours=4)
TAPER_PERCENT = 80


class Site(TypedDict):
    """The depot, its grid connection and its operating rules."""

    name: str
    cap_kw: int  # import limit of the grid connection
    base_kw: int  # workshop, lights and heating: always on, not on a charging feeder
    turnaround_minutes: int
    reserve_percent: int  # of the battery, still in it when the bus comes home
    cold_uplift_percent: int
    hot_uplift_percent: int
    events_per_month: int
    event_notice_minutes: int


class Feeder(TypedDict):
    """A cable from the switch room to a row of chargers."""

    name: str
    limit_kw: int


class Charger(TypedDict):
    """One charging point; it serves one bus at a time."""

    bay: str
    feeder_id: str
    connector: Connector
    max_kw: int


class BusType(TypedDict):
    """A vehicle type with the limits that its maker sets for the battery."""

    name: str
    size: Size
    battery_kwh: float  # usable
    wh_per_km: int  # in mild weather
    connectors: list[Connector]
    max_kw: int
    taper_kw: int  # the most for a session that ends above 80 percent
    daily_percent: int  # no daily session ends above this
    balance_kw: int  # the most for a balance session


class Bus(TypedDict):
    """A vehicle of the fleet."""

    plate: str
    type_id: str
    charge_kwh: float  # on arrival in the depot, later sessions and blocks not counted
    in_depot_from: str
    balance_due_on: str


class Block(TypedDict):
    """A day's work for one bus: out of the gate, back through the gate."""

    line: str
    size: Size  # the smallest bus that will do
    leaves_at: str
    returns_at: str
    km: int
    bus_id: str | None
    status: BlockStatus


class Session(TypedDict):
    """A stretch of charging at constant power."""

    bus_id: str
    charger_id: str
    starts_at: str
    ends_at: str
    power_kw: int
    purpose: Purpose
    kwh: float
    cost_cents: int
    status: SessionStatus


class Hold(TypedDict):
    """A stop on a vehicle; a recall has no end of its own."""

    bus_id: str
    kind: HoldKind
    until: str | None
    status: Literal["open", "lifted"]


class Fault(TypedDict):
    """A fault of a charger; while it is open the charger gives at most the limit, 0 for nothing."""

    charger_id: str
    cause: FaultCause
    limit_kw: int
    reported_on: str
    status: Literal["open", "cleared"]


class GridEvent(TypedDict):
    """A request of the grid operator to keep the whole site below a cap for a while."""

    starts_at: str
    ends_at: str
    cap_kw: int
    pay_cents: int
    answer: EventAnswer


class TariffBand(TypedDict):
    """Price of energy between two clock times, on weekdays or at weekends."""

    days: Literal["weekday", "weekend"]
    band: Literal["peak", "shoulder", "off_peak"]
    from_time: str
    to_time: str  # "24:00" for midnight
    cents_per_kwh: int


class Swap(TypedDict):
    """A block that was taken from one bus and given to another."""

    block_id: str
    from_bus_id: str
    to_bus_id: str
    swapped_on: str


class Reading(TypedDict):
    """A battery reading taken at the vehicle, in percent."""

    bus_id: str
    was_percent: float
    percent: float
    read_on: str


class Decline(TypedDict):
    """A request that was turned down."""

    record_id: str
    reason: DeclineReason
    declined_on: str


def _no(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _moment(text: str) -> datetime | None:
    """Read a time in the form YYYY-MM-DDTHH:MM, or return None."""
    try:
        moment = datetime.strptime(text, "%Y-%m-%dT%H:%M")
    except ValueError:
        return None
    return moment if f"{moment:%Y-%m-%dT%H:%M}" == text else None


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _overlap(start: str, end: str, other_start: str, other_end: str) -> bool:
    """Whether two half-open stretches of time share a moment; ISO texts compare like times."""
    return start < other_end and other_start < end


def _quarters(start: str, end: str) -> Iterator[str]:
    """Yield the start of each quarter-hour of a stretch."""
    moment, last = datetime.fromisoformat(start), datetime.fromisoformat(end)
    while moment < last:
        yield f"{moment:%Y-%m-%dT%H:%M}"
        moment += QUARTER


class ElectricBusDepot:
    """The charge planning desk of an electric bus depot."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.site: Site = {
            "name": "",
            "cap_kw": 0,
            "base_kw": 0,
            "turnaround_minutes": 30,
            "reserve_percent": 10,
            "cold_uplift_percent": 0,
            "hot_uplift_percent": 0,
            "events_per_month": 0,
            "event_notice_minutes": 0,
        }
        self.feeders: dict[str, Feeder] = {}
        self.chargers: dict[str, Charger] = {}
        self.bus_types: dict[str, BusType] = {}
        self.buses: dict[str, Bus] = {}
        self.blocks: dict[str, Block] = {}
        self.sessions: dict[str, Session] = {}
        self.holds: dict[str, Hold] = {}
        self.faults: dict[str, Fault] = {}
        self.events: dict[str, GridEvent] = {}
        self.tariff: list[TariffBand] = []
        self.weather: dict[str, Weather] = {}
        self.swaps: dict[str, Swap] = {}
        self.readings: dict[str, Reading] = {}
        self.declines: dict[str, Decline] = {}
        self.next_session: int = 1
        self.next_hold: int = 1
        self.next_fault: int = 1
        self.next_swap: int = 1
        self.next_reading: int = 1
        self.next_decline: int = 1

    # Energy

    def _now(self) -> str:
        return f"{datetime.now():%Y-%m-%dT%H:%M}"

    def _type(self, bus_id: str) -> BusType:
        return self.bus_types[self.buses[bus_id]["type_id"]]

    def _need(self, block: Block, bus_id: str) -> float:
        """Energy in kWh that a bus uses on a block in the weather of that day."""
        weather = self.weather.get(block["leaves_at"][:10], "mild")
        uplift = {
            "mild": 0,
            "cold": self.site["cold_uplift_percent"],
            "hot": self.site["hot_uplift_percent"],
        }[weather]
        return round(block["km"] * self._type(bus_id)["wh_per_km"] * (100 + uplift) / 100_000, 1)

    def _reserve(self, bus_id: str) -> float:
        return round(self._type(bus_id)["battery_kwh"] * self.site["reserve_percent"] / 100, 1)

    def _percent(self, bus_id: str, kwh: float) -> float:
        return round(100 * kwh / self._type(bus_id)["battery_kwh"], 1)

    def _booked(self, bus_id: str) -> list[Session]:
        found = [
            s for s in self.sessions.values() if s["bus_id"] == bus_id and s["status"] == "booked"
        ]
        return sorted(found, key=lambda s: s["starts_at"])

    def _work(self, bus_id: str) -> list[tuple[str, Block]]:
        """Blocks that a bus still has to finish, in the order in which they leave."""
        found = [
            (block_id, b)
            for block_id, b in self.blocks.items()
            if b["bus_id"] == bus_id and b["status"] != "finished"
        ]
        return sorted(found, key=lambda item: item[1]["leaves_at"])

    def _charge_at(self, bus_id: str, moment: str) -> float:
        """Expected kWh in the battery at a moment: all that has ended by then is counted."""
        charged = sum(s["kwh"] for s in self._booked(bus_id) if s["ends_at"] <= moment)
        used = sum(
            self._need(b, bus_id) for _, b in self._work(bus_id) if b["returns_at"] <= moment
        )
        return round(self.buses[bus_id]["charge_kwh"] + charged - used, 1)

    def _margin(self, block: Block, bus_id: str) -> float:
        """Expected kWh at departure over what the block uses and the reserve."""
        before = self._charge_at(bus_id, block["leaves_at"])
        return round(before - self._need(block, bus_id) - self._reserve(bus_id), 1)

    def _short_releases(self, bus_id: str) -> list[str]:
        """Released blocks of a bus for which it no longer has the charge."""
        return [
            block_id
            for block_id, b in self._work(bus_id)
            if b["status"] == "released" and self._margin(b, bus_id) < 0
        ]

    def _ceiling_problem(self, bus_id: str) -> str | None:
        """Say which booked session of a bus would end above its battery limit, or return None."""
        for session in self._booked(bus_id):
            percent = self._percent(bus_id, self._charge_at(bus_id, session["ends_at"]))
            stands = f"{bus_id} would stand at {percent} percent at {session['ends_at']}"
            daily, taper = self._type(bus_id)["daily_percent"], self._type(bus_id)["taper_kw"]
            if percent > (most := 100 if session["purpose"] == "balance" else daily):
                return f"{stands}; a {session['purpose']} session ends at {most} percent at most"
            if percent > TAPER_PERCENT and session["power_kw"] > taper:
                return f"{stands}; above {TAPER_PERCENT} percent it takes {taper} kW at most"
        return None

    # Power, price and time

    def _load(self, quarter: str, feeder_id: str | None = None) -> int:
        """Booked kW in a quarter-hour: of one feeder, or of the whole site with its base load."""
        running = [
            s
            for s in self.sessions.values()
            if s["status"] == "booked" and s["starts_at"] <= quarter < s["ends_at"]
        ]
        if feeder_id is None:
            return self.site["base_kw"] + sum(s["power_kw"] for s in running)
        return sum(
            s["power_kw"]
            for s in running
            if self.chargers[s["charger_id"]]["feeder_id"] == feeder_id
        )

    def _cap(self, quarter: str) -> int:
        """Import limit of the site in a quarter-hour, accepted grid events included."""
        agreed = [
            e["cap_kw"]
            for e in self.events.values()
            if e["answer"] == "accepted" and e["starts_at"] <= quarter < e["ends_at"]
        ]
        return min([self.site["cap_kw"], *agreed])

    def _band(self, quarter: str) -> TariffBand:
        weekend = date.fromisoformat(quarter[:10]).weekday() >= 5
        days = "weekend" if weekend else "weekday"
        return next(
            b
            for b in self.tariff
            if b["days"] == days and b["from_time"] <= quarter[11:] < b["to_time"]
        )

    def _price(self, start: str, end: str, power_kw: int) -> int:
        cents = [self._band(q)["cents_per_kwh"] * power_kw / 4 for q in _quarters(start, end)]
        return round(sum(cents))

    def _limit_of(self, charger_id: str) -> int:
        """The most that a charger gives now, open faults included."""
        limits = [
            f["limit_kw"]
            for f in self.faults.values()
            if f["charger_id"] == charger_id and f["status"] == "open"
        ]
        return min([self.chargers[charger_id]["max_kw"], *limits])

    def _held(self, bus_id: str, moment: str, *, charging: bool) -> str | None:
        """Say which open hold keeps a bus from charging or driving at a moment."""
        for hold_id, hold in self.holds.items():
            if hold["bus_id"] != bus_id or hold["status"] != "open":
                continue
            stops = not charging or hold["kind"] != "workshop"
            if stops and (hold["until"] is None or moment < hold["until"]):
                end = f" until {hold['until']}" if hold["until"] else ""
                return f"{bus_id} is on hold{end} ({hold_id}, {hold['kind']})"
        return None

    def _time_problem(self, start: str, end: str) -> str | None:
        first, last = _moment(start), _moment(end)
        if first is None or last is None:
            return "Times are written YYYY-MM-DDTHH:MM"
        if first.minute % 15 or last.minute % 15:
            return "Sessions begin and end on a quarter-hour"
        if not timedelta(0) < last - first <= LONGEST_SESSION:
            return "A session lasts from a quarter-hour to 8 hours"
        now = datetime.now()
        if not now <= first <= now + BOOKING_HORIZON:
            return "Sessions are booked from now to 36 hours ahead"
        return None

    def _presence_problem(self, bus_id: str, start: str, end: str) -> str | None:
        """Say why a bus is not free in the depot for a stretch of time, or return None."""
        if start < self.buses[bus_id]["in_depot_from"]:
            return f"{bus_id} is in the depot from {self.buses[bus_id]['in_depot_from']}"
        for block_id, block in self._work(bus_id):
            if _overlap(start, end, block["leaves_at"], block["returns_at"]):
                return f"{bus_id} is out on block {block_id}"
        for session in self._booked(bus_id):
            if _overlap(start, end, session["starts_at"], session["ends_at"]):
                return f"{bus_id} is on charger {session['charger_id']} then"
        return None

    def _peak_problem(self, bus_id: str, start: str, end: str) -> str | None:
        if all(self._band(q)["band"] != "peak" for q in _quarters(start, end)):
            return None
        latest = f"{datetime.fromisoformat(start) + PEAK_LEAD:%Y-%m-%dT%H:%M}"
        if any(end <= b["leaves_at"] <= latest for _, b in self._work(bus_id)):
            return None
        return f"Peak tariff: no block of {bus_id} leaves within 4 hours of {start}"

    def _headroom_problem(self, session: Session) -> str | None:
        feeder_id = self.chargers[session["charger_id"]]["feeder_id"]
        limit = self.feeders[feeder_id]["limit_kw"]
        for quarter in _quarters(session["starts_at"], session["ends_at"]):
            if (load := self._load(quarter) + session["power_kw"]) > self._cap(quarter):
                return f"The site would draw {load} of {self._cap(quarter)} kW at {quarter}"
            if (load := self._load(quarter, feeder_id) + session["power_kw"]) > limit:
                return f"Feeder {feeder_id} would carry {load} of {limit} kW at {quarter}"
        return None

    def _outcome(self, session: Session) -> dict[str, Any]:
        """What a session that is not booked yet would give, cost and leave in the battery."""
        bus_id = session["bus_id"]
        after = round(self._charge_at(bus_id, session["ends_at"]) + session["kwh"], 1)
        return {
            "kwh": session["kwh"],
            "cost_cents": session["cost_cents"],
            "charge_after_kwh": after,
            "percent_after": self._percent(bus_id, after),
        }

    def _session_problem(self, session: Session) -> str | None:
        """Say why a session cannot be booked, or return None."""
        bus_id, charger_id = session["bus_id"], session["charger_id"]
        start, end, power = session["starts_at"], session["ends_at"], session["power_kw"]
        bus_type = self._type(bus_id)
        connector = self.chargers[charger_id]["connector"]
        if connector not in bus_type["connectors"]:
            return f"{bus_id} has no {connector} connector"
        given = self._limit_of(charger_id)
        if given == 0:
            return f"Charger {charger_id} is stopped by a fault"
        most = min(given, bus_type["max_kw"])
        if session["purpose"] == "balance":
            most = min(most, bus_type["balance_kw"])
            if start[:10] < self.buses[bus_id]["balance_due_on"]:
                return f"{bus_id} is not due for balancing on {start[:10]}"
        if power < POWER_STEP_KW or power > most or power % POWER_STEP_KW:
            return f"{bus_id} on {charger_id} takes 10 to {most} kW in steps of {POWER_STEP_KW}"
        for other in self.sessions.values():
            if (other["charger_id"], other["status"]) == (charger_id, "booked") and _overlap(
                start, end, other["starts_at"], other["ends_at"]
            ):
                return f"Charger {charger_id} serves {other['bus_id']} then"
        return (
            self._presence_problem(bus_id, start, end)
            or self._held(bus_id, start, charging=True)
            or self._peak_problem(bus_id, start, end)
            or self._headroom_problem(session)
        )

    def _draft(
        self,
        bus_id: str,
        charger_id: str,
        starts_at: str,
        ends_at: str,
        power_kw: int,
        purpose: Purpose,
    ) -> Session | str:
        """Make up a session that can be booked, or say why there is none."""
        if bus_id not in self.buses:
            return f"Bus {bus_id} does not exist"
        if charger_id not in self.chargers:
            return f"Charger {charger_id} does not exist"
        if problem := self._time_problem(starts_at, ends_at):
            return problem
        session: Session = {
            "bus_id": bus_id,
            "charger_id": charger_id,
            "starts_at": starts_at,
            "ends_at": ends_at,
            "power_kw": power_kw,
            "purpose": purpose,
            "kwh": power_kw * len(list(_quarters(starts_at, ends_at))) / 4,
            "cost_cents": self._price(starts_at, ends_at, power_kw),
            "status": "booked",
        }
        if problem := self._session_problem(session):
            return problem
        self.sessions["draft"] = session
        problem = self._ceiling_problem(bus_id)
        del self.sessions["draft"]
        return problem or session

    def _driving_problem(self, block_id: str, bus_id: str) -> str | None:
        """Say why a bus cannot work a block, its charge apart, or return None."""
        block = self.blocks[block_id]
        size = self._type(bus_id)["size"]
        if SIZES.index(size) < SIZES.index(block["size"]):
            return f"Block {block_id} needs a bus of size {block['size']}; {bus_id} is {size}"
        if block["leaves_at"] < self.buses[bus_id]["in_depot_from"]:
            return f"{bus_id} is not in the depot before {self.buses[bus_id]['in_depot_from']}"
        if problem := self._held(bus_id, block["leaves_at"], charging=False):
            return problem
        pause = timedelta(minutes=self.site["turnaround_minutes"])
        start = f"{datetime.fromisoformat(block['leaves_at']) - pause:%Y-%m-%dT%H:%M}"
        end = f"{datetime.fromisoformat(block['returns_at']) + pause:%Y-%m-%dT%H:%M}"
        for other_id, other in self._work(bus_id):
            if other_id != block_id and _overlap(
                start, end, other["leaves_at"], other["returns_at"]
            ):
                return f"{bus_id} works block {other_id} then, or too shortly before or after"
        for session in self._booked(bus_id):
            if _overlap(
                block["leaves_at"], block["returns_at"], session["starts_at"], session["ends_at"]
            ):
                return f"{bus_id} is booked on charger {session['charger_id']} then"
        return None

    # Queries

    def get_site(self) -> dict[str, Any]:
        """Show the depot's power limits in kW, feeders, tariff, weather and operating rules."""
        return {
            "success": True,
            "site": self.site,
            "feeders": self.feeders,
            "tariff": self.tariff,
            "weather": self.weather,
        }

    def list_chargers(
        self, connector: Connector | None = None, feeder_id: str | None = None
    ) -> dict[str, Any]:
        """List chargers with what each can give now in kW, 0 for a stopped one.

        Args:
            connector: Only chargers with this connector.
            feeder_id: Only chargers on this feeder.
        """
        found = [
            {"charger_id": charger_id, **c, "available_kw": self._limit_of(charger_id)}
            for charger_id, c in self.chargers.items()
            if connector in (None, c["connector"]) and feeder_id in (None, c["feeder_id"])
        ]
        return {"success": True, "chargers": found}

    def get_charger(self, charger_id: str) -> dict[str, Any]:
        """Show a charger with its faults, sessions and declined requests.

        Args:
            charger_id: The charger.
        """
        if charger_id not in self.chargers:
            return _no(f"Charger {charger_id} does not exist")
        return {
            "success": True,
            "charger": {"charger_id": charger_id, **self.chargers[charger_id]},
            "available_kw": self._limit_of(charger_id),
            "faults": {i: f for i, f in self.faults.items() if f["charger_id"] == charger_id},
            "sessions": {i: s for i, s in self.sessions.items() if s["charger_id"] == charger_id},
            "declines": {i: d for i, d in self.declines.items() if d["record_id"] == charger_id},
        }

    def list_faults(
        self, status: Literal["open", "cleared"] | None = None, cause: FaultCause | None = None
    ) -> dict[str, Any]:
        """List faults of chargers, with the bay of each.

        Args:
            status: Only faults in this status.
            cause: Only faults with this cause.
        """
        found = [
            {"fault_id": fault_id, **f, "bay": self.chargers[f["charger_id"]]["bay"]}
            for fault_id, f in self.faults.items()
            if status in (None, f["status"]) and cause in (None, f["cause"])
        ]
        return {"success": True, "faults": found}

    def search_buses(self, text: str = "", size: Size | None = None) -> dict[str, Any]:
        """Find buses by part of their number, plate or type, with their charge in percent.

        Args:
            text: Part of the fleet number, plate or type name, any case; empty for all.
            size: Only buses of this size.
        """
        found = []
        for bus_id, bus in self.buses.items():
            bus_type = self._type(bus_id)
            known_as = f"{bus_id} {bus['plate']} {bus_type['name']}".lower()
            if text.lower() in known_as and size in (None, bus_type["size"]):
                holds = [
                    h["kind"]
                    for h in self.holds.values()
                    if (h["bus_id"], h["status"]) == (bus_id, "open")
                ]
                charge = self._percent(bus_id, self._charge_at(bus_id, self._now()))
                known = {
                    "bus_id": bus_id,
                    **bus,
                    "type": bus_type["name"],
                    "size": bus_type["size"],
                }
                found.append({**known, "charge_percent": charge, "open_holds": holds})
        return {"success": True, "buses": found}

    def get_bus(self, bus_id: str) -> dict[str, Any]:
        """Show a bus with its battery limits, holds, sessions, unfinished blocks and declines.

        Args:
            bus_id: The bus.
        """
        if bus_id not in self.buses:
            return _no(f"Bus {bus_id} does not exist")
        bus = self.buses[bus_id]
        return {
            "success": True,
            "bus": {"bus_id": bus_id, **bus},
            "charge_percent": self._percent(bus_id, self._charge_at(bus_id, self._now())),
            "type": self._type(bus_id),
            "holds": {i: h for i, h in self.holds.items() if h["bus_id"] == bus_id},
            "sessions": {i: s for i, s in self.sessions.items() if s["bus_id"] == bus_id},
            "blocks": dict(self._work(bus_id)),
            "declines": {i: d for i, d in self.declines.items() if d["record_id"] == bus_id},
        }

    def list_blocks(
        self, day: str | None = None, status: BlockStatus | None = None, line: str = ""
    ) -> dict[str, Any]:
        """List blocks in the order in which they leave.

        Args:
            day: Only blocks that leave on this ISO date, YYYY-MM-DD.
            status: Only blocks in this status.
            line: Part of the line's name, any case; empty for all.
        """
        if day is not None and not _is_day(day):
            return _no("Days are written YYYY-MM-DD")
        found = [
            {"block_id": block_id, **b}
            for block_id, b in self.blocks.items()
            if day in (None, b["leaves_at"][:10])
            and status in (None, b["status"])
            and line.lower() in b["line"].lower()
        ]
        return {"success": True, "blocks": sorted(found, key=lambda b: str(b["leaves_at"]))}

    def get_block(self, block_id: str, bus_id: str | None = None) -> dict[str, Any]:
        """Show a block and the energy in kWh it takes: with its own bus, or another to compare.

        Args:
            block_id: The block.
            bus_id: A bus to reckon with in place of the one that has the block.
        """
        if block_id not in self.blocks:
            return _no(f"Block {block_id} does not exist")
        if bus_id is not None and bus_id not in self.buses:
            return _no(f"Bus {bus_id} does not exist")
        block = self.blocks[block_id]
        answer: dict[str, Any] = {
            "success": True,
            "block": {"block_id": block_id, **block},
            "swaps": {i: s for i, s in self.swaps.items() if s["block_id"] == block_id},
            "declines": {i: d for i, d in self.declines.items() if d["record_id"] == block_id},
        }
        if reckoned := bus_id or block["bus_id"]:
            answer["reckoned_with"] = {
                "bus_id": reckoned,
                "problem": self._driving_problem(block_id, reckoned),
                "charge_at_departure_kwh": self._charge_at(reckoned, block["leaves_at"]),
                "block_uses_kwh": self._need(block, reckoned),
                "reserve_kwh": self._reserve(reckoned),
                "margin_kwh": self._margin(block, reckoned),
            }
        return answer

    def list_sessions(
        self, day: str | None = None, status: SessionStatus | None = None
    ) -> dict[str, Any]:
        """List sessions in the order in which they begin.

        Args:
            day: Only sessions that begin on this ISO date, YYYY-MM-DD.
            status: Only sessions in this status.
        """
        if day is not None and not _is_day(day):
            return _no("Days are written YYYY-MM-DD")
        found = [
            {"session_id": session_id, **s}
            for session_id, s in self.sessions.items()
            if day in (None, s["starts_at"][:10]) and status in (None, s["status"])
        ]
        return {"success": True, "sessions": sorted(found, key=lambda s: str(s["starts_at"]))}

    def get_load(self, from_time: str, to_time: str) -> dict[str, Any]:
        """Show the booked load of the site and its feeders in kW, wherever it changes.

        Args:
            from_time: First quarter-hour, YYYY-MM-DDTHH:MM.
            to_time: End of the stretch, at most 24 hours later.
        """
        first, last = _moment(from_time), _moment(to_time)
        if first is None or last is None or first.minute % 15:
            return _no("Times are written YYYY-MM-DDTHH:MM, from a quarter-hour on")
        if not timedelta(0) < last - first <= timedelta(hours=24):
            return _no("The stretch ends after it begins and lasts 24 hours at most")
        steps: list[dict[str, Any]] = []
        for quarter in _quarters(from_time, to_time):
            step = {
                "site_kw": self._load(quarter),
                "site_cap_kw": self._cap(quarter),
                "feeders_kw": {
                    feeder_id: self._load(quarter, feeder_id) for feeder_id in self.feeders
                },
            }
            if not steps or {**step, "from": steps[-1]["from"]} != steps[-1]:
                steps.append({**step, "from": quarter})
        return {"success": True, "load": steps}

    def list_events(self, answer: EventAnswer | None = None) -> dict[str, Any]:
        """List grid events with the peak of what is booked under them, in kW.

        Args:
            answer: Only events with this answer.
        """
        found = []
        for event_id, e in self.events.items():
            if answer in (None, e["answer"]):
                peak = max(self._load(q) for q in _quarters(e["starts_at"], e["ends_at"]))
                found.append({"event_id": event_id, **e, "booked_peak_kw": peak})
        return {"success": True, "events": found}

    def quote_session(
        self,
        bus_id: str,
        charger_id: str,
        starts_at: str,
        ends_at: str,
        power_kw: int,
        purpose: Purpose = "daily",
    ) -> dict[str, Any]:
        """Reckon energy, price and final charge of a session without booking it.

        Args:
            bus_id: The bus.
            charger_id: The charger.
            starts_at: A quarter-hour, YYYY-MM-DDTHH:MM.
            ends_at: A later quarter-hour, YYYY-MM-DDTHH:MM.
            power_kw: Constant power, in steps of 10 kW.
            purpose: Daily charging, or balancing the cells.
        """
        session = self._draft(bus_id, charger_id, starts_at, ends_at, power_kw, purpose)
        if isinstance(session, str):
            return _no(session)
        return {"success": True, **self._outcome(session)}

    # Changes

    def book_session(
        self,
        bus_id: str,
        charger_id: str,
        starts_at: str,
        ends_at: str,
        power_kw: int,
        purpose: Purpose = "daily",
    ) -> dict[str, Any]:
        """Book a bus on a charger at constant power.

        Args:
            bus_id: The bus.
            charger_id: The charger.
            starts_at: A quarter-hour, YYYY-MM-DDTHH:MM.
            ends_at: A later quarter-hour, YYYY-MM-DDTHH:MM.
            power_kw: Constant power, in steps of 10 kW.
            purpose: Daily charging, or balancing the cells.
        """
        session = self._draft(bus_id, charger_id, starts_at, ends_at, power_kw, purpose)
        if isinstance(session, str):
            return _no(session)
        outcome = self._outcome(session)
        session_id = f"SES-{self.next_session}"
        self.next_session += 1
        self.sessions[session_id] = session
        return {"success": True, "session_id": session_id, **outcome}

    def cancel_session(self, session_id: str) -> dict[str, Any]:
        """Cancel a booked session that has not begun.

        Args:
            session_id: The session.
        """
        session = self.sessions.get(session_id)
        if session is None:
            return _no(f"Session {session_id} does not exist")
        if session["status"] != "booked":
            return _no(f"Session {session_id} is {session['status']}")
        if session["starts_at"] <= self._now():
            return _no(f"Session {session_id} began at {session['starts_at']} and runs to its end")
        session["status"] = "cancelled"
        if short := self._short_releases(session["bus_id"]):
            session["status"] = "booked"
            return _no(f"{', '.join(short)} needs that charge: withdraw the release first")
        return {"success": True, "bus_id": session["bus_id"], "kwh_lost": session["kwh"]}

    def assign_bus(self, block_id: str, bus_id: str) -> dict[str, Any]:
        """Give a block to a bus; if another bus had it, the swap is logged.

        Args:
            block_id: An open block.
            bus_id: The bus that is to work it.
        """
        if block_id not in self.blocks:
            return _no(f"Block {block_id} does not exist")
        if bus_id not in self.buses:
            return _no(f"Bus {bus_id} does not exist")
        block = self.blocks[block_id]
        if block["status"] == "released":
            return _no(f"Block {block_id} is released: withdraw the release first")
        if block["status"] != "open" or block["leaves_at"] <= self._now():
            return _no(f"Block {block_id} left at {block['leaves_at']}")
        if block["bus_id"] == bus_id:
            return _no(f"{bus_id} already has block {block_id}")
        if problem := self._driving_problem(block_id, bus_id):
            return _no(problem)
        before, block["bus_id"] = block["bus_id"], bus_id
        if problem := self._ceiling_problem(before) if before else None:
            block["bus_id"] = before
            return _no(f"Without the block, {problem}")
        if short := self._short_releases(bus_id):
            block["bus_id"] = before
            return _no(f"{bus_id} would no longer have the charge for {', '.join(short)}")
        if before is not None:
            self.swaps[f"SWP-{self.next_swap}"] = {
                "block_id": block_id,
                "from_bus_id": before,
                "to_bus_id": bus_id,
                "swapped_on": self._now()[:10],
            }
            self.next_swap += 1
        return {"success": True, "taken_from": before, "margin_kwh": self._margin(block, bus_id)}

    def release_block(self, block_id: str) -> dict[str, Any]:
        """Sign a block off for the road: its bus will have the charge.

        Args:
            block_id: An open block with a bus, which leaves within 24 hours.
        """
        if block_id not in self.blocks:
            return _no(f"Block {block_id} does not exist")
        block = self.blocks[block_id]
        if block["status"] != "open":
            return _no(f"Block {block_id} is {block['status']}")
        bus_id = block["bus_id"]
        if bus_id is None:
            return _no(f"Block {block_id} has no bus")
        latest = datetime.now() + RELEASE_HORIZON
        if not self._now() <= block["leaves_at"] <= f"{latest:%Y-%m-%dT%H:%M}":
            return _no(f"Block {block_id} leaves at {block['leaves_at']}, not within 24 hours")
        if problem := self._held(bus_id, block["leaves_at"], charging=False):
            return _no(problem)
        margin = self._margin(block, bus_id)
        if margin < 0:
            return _no(f"{bus_id} will be {-margin} kWh short for block {block_id}")
        block["status"] = "released"
        return {"success": True, "bus_id": bus_id, "margin_kwh": margin}

    def withdraw_release(self, block_id: str) -> dict[str, Any]:
        """Take back the sign-off of a block that has not left; the bus keeps the block.

        Args:
            block_id: A released block.
        """
        if block_id not in self.blocks:
            return _no(f"Block {block_id} does not exist")
        block = self.blocks[block_id]
        if block["status"] != "released":
            return _no(f"Block {block_id} is not released")
        if block["leaves_at"] <= self._now():
            return _no(f"Block {block_id} left at {block['leaves_at']}")
        block["status"] = "open"
        return {"success": True, "bus_id": block["bus_id"]}

    def place_hold(
        self, bus_id: str, kind: Literal["isolation", "workshop"], until: str
    ) -> dict[str, Any]:
        """Keep a bus in: isolated from high voltage, or in the workshop but chargeable.

        Args:
            bus_id: The bus.
            kind: Isolation stops charging and driving; workshop stops driving.
            until: When the bus is expected back, YYYY-MM-DDTHH:MM.
        """
        if bus_id not in self.buses:
            return _no(f"Bus {bus_id} does not exist")
        if _moment(until) is None or until <= self._now():
            return _no("A hold ends at a time to come, written YYYY-MM-DDTHH:MM")
        if any(
            (h["bus_id"], h["kind"], h["status"]) == (bus_id, kind, "open")
            for h in self.holds.values()
        ):
            return _no(f"{bus_id} is already on hold ({kind})")
        for block_id, block in self._work(bus_id):
            if block["leaves_at"] < until:
                return _no(f"{bus_id} has block {block_id} before {until}: give it away first")
        for session in self._booked(bus_id):
            if kind == "isolation" and session["starts_at"] < until:
                return _no(f"{bus_id} charges at {session['starts_at']}: cancel that first")
        hold_id = f"HLD-{self.next_hold}"
        self.next_hold += 1
        self.holds[hold_id] = {"bus_id": bus_id, "kind": kind, "until": until, "status": "open"}
        return {"success": True, "hold_id": hold_id}

    def lift_hold(self, hold_id: str) -> dict[str, Any]:
        """End a hold, so that the bus charges and drives again.

        Args:
            hold_id: An open hold that the depot placed.
        """
        if hold_id not in self.holds:
            return _no(f"Hold {hold_id} does not exist")
        hold = self.holds[hold_id]
        if hold["status"] == "lifted":
            return _no(f"Hold {hold_id} is already lifted")
        if hold["kind"] == "recall":
            return _no(f"Hold {hold_id} is a recall, which only the maker lifts")
        hold["status"] = "lifted"
        return {"success": True, "bus_id": hold["bus_id"]}

    def report_fault(self, charger_id: str, cause: FaultCause, limit_kw: int) -> dict[str, Any]:
        """Report a charger's fault; booked sessions above the limit are interrupted.

        Released blocks that lose their charge by it go back to open.

        Args:
            charger_id: A charger without an open fault.
            cause: What is wrong.
            limit_kw: What the charger still gives, in steps of 10 kW; 0 if it is stopped.
        """
        if charger_id not in self.chargers:
            return _no(f"Charger {charger_id} does not exist")
        for fault_id, fault in self.faults.items():
            if (fault["charger_id"], fault["status"]) == (charger_id, "open"):
                return _no(f"Charger {charger_id} has the open fault {fault_id} already")
        most = self.chargers[charger_id]["max_kw"] - POWER_STEP_KW
        if not 0 <= limit_kw <= most or limit_kw % POWER_STEP_KW:
            return _no(f"The limit of {charger_id} is 0 to {most} kW in steps of {POWER_STEP_KW}")
        if cause == "earth_leak" and limit_kw > 0:
            return _no("A charger with an earth leak is stopped: its limit is 0")
        fault_id = f"FLT-{self.next_fault}"
        self.next_fault += 1
        self.faults[fault_id] = {
            "charger_id": charger_id,
            "cause": cause,
            "limit_kw": limit_kw,
            "reported_on": self._now()[:10],
            "status": "open",
        }
        interrupted, reopened = [], []
        for session_id, session in self.sessions.items():
            booked_here = (session["charger_id"], session["status"]) == (charger_id, "booked")
            if booked_here and session["power_kw"] > limit_kw:
                session["status"] = "interrupted"
                interrupted.append(session_id)
                for block_id in self._short_releases(session["bus_id"]):
                    self.blocks[block_id]["status"] = "open"
                    reopened.append(block_id)
        return {
            "success": True,
            "fault_id": fault_id,
            "interrupted_sessions": interrupted,
            "reopened_blocks": reopened,
        }

    def clear_fault(self, fault_id: str) -> dict[str, Any]:
        """Put a charger back to full power; interrupted sessions stay interrupted.

        Args:
            fault_id: An open fault other than an earth leak.
        """
        if fault_id not in self.faults:
            return _no(f"Fault {fault_id} does not exist")
        fault = self.faults[fault_id]
        if fault["status"] == "cleared":
            return _no(f"Fault {fault_id} is already cleared")
        if fault["cause"] == "earth_leak":
            return _no(f"Fault {fault_id} is an earth leak, which only the contractor clears")
        fault["status"] = "cleared"
        charger_id = fault["charger_id"]
        return {
            "success": True,
            "charger_id": charger_id,
            "available_kw": self._limit_of(charger_id),
        }

    def answer_event(
        self, event_id: str, answer: Literal["accepted", "declined"]
    ) -> dict[str, Any]:
        """Answer a grid event, once and for all.

        Args:
            event_id: An event that is still open.
            answer: Whether the depot keeps below the event's cap.
        """
        if event_id not in self.events:
            return _no(f"Event {event_id} does not exist")
        event = self.events[event_id]
        if event["answer"] != "open":
            return _no(f"Event {event_id} was {event['answer']}")
        if answer == "accepted":
            notice = timedelta(minutes=self.site["event_notice_minutes"])
            if datetime.fromisoformat(event["starts_at"]) < datetime.now() + notice:
                return _no(f"Event {event_id} starts at {event['starts_at']}: notice has passed")
            month = event["starts_at"][:7]
            taken = [
                e["starts_at"]
                for e in self.events.values()
                if e["answer"] == "accepted" and e["starts_at"][:7] == month
            ]
            if len(taken) >= self.site["events_per_month"]:
                return _no(f"{len(taken)} events are accepted for {month} already")
            if any(start[:10] == event["starts_at"][:10] for start in taken):
                return _no(f"An event is accepted for {event['starts_at'][:10]} already")
            for quarter in _quarters(event["starts_at"], event["ends_at"]):
                if (load := self._load(quarter)) > event["cap_kw"]:
                    return _no(f"{load} kW are booked at {quarter}, over {event['cap_kw']} kW")
        event["answer"] = answer
        return {"success": True, "pay_cents": event["pay_cents"] if answer == "accepted" else 0}

    def record_reading(self, bus_id: str, percent: float) -> dict[str, Any]:
        """Correct the charge of a bus to a reading taken at the vehicle.

        Args:
            bus_id: A bus in the depot that is not charging.
            percent: State of charge of the usable battery, 0 to 100.
        """
        if bus_id not in self.buses:
            return _no(f"Bus {bus_id} does not exist")
        if not 0 <= percent <= 100:
            return _no("A reading is between 0 and 100 percent")
        bus, now = self.buses[bus_id], self._now()
        if now < bus["in_depot_from"]:
            return _no(f"{bus_id} is on the road until {bus['in_depot_from']}")
        for block_id, block in self._work(bus_id):
            if block["leaves_at"] <= now < block["returns_at"]:
                return _no(f"{bus_id} is on block {block_id} until {block['returns_at']}")
        if any(s["starts_at"] <= now < s["ends_at"] for s in self._booked(bus_id)):
            return _no(f"{bus_id} is charging: a reading is taken at rest")
        before, expected = bus["charge_kwh"], self._charge_at(bus_id, now)
        was_percent = self._percent(bus_id, expected)
        if percent == was_percent:
            return _no(f"{bus_id} stands at {was_percent} percent in the books already")
        read_kwh = self._type(bus_id)["battery_kwh"] * percent / 100
        bus["charge_kwh"] = round(before + read_kwh - expected, 1)
        problem = self._ceiling_problem(bus_id)
        if short := self._short_releases(bus_id):
            problem = f"{', '.join(short)} would be short: withdraw the release first"
        if problem:
            bus["charge_kwh"] = before
            return _no(problem)
        self.readings[f"RDG-{self.next_reading}"] = {
            "bus_id": bus_id,
            "was_percent": was_percent,
            "percent": percent,
            "read_on": now[:10],
        }
        self.next_reading += 1
        return {"success": True, "charge_kwh": self._charge_at(bus_id, now)}

    def decline_request(self, record_id: str, reason: DeclineReason) -> dict[str, Any]:
        """Put on record that something asked for was not done.

        battery_limit, balance_not_due, peak_tariff and recall_stands are filed on the bus;
        connector_mismatch, charger_stopped and contractor_only on the charger;
        not_enough_charge and bus_too_small on the block; session_running on the session; the
        event reasons on the grid event.

        Args:
            record_id: The bus, charger, block, session or event that the request was about.
            reason: The rule that stood in the way.
        """
        kind, known = next(
            (kind, tuple(records))
            for kind, reasons, records in (
                ("bus", get_args(BusReason), self.buses),
                ("charger", get_args(ChargerReason), self.chargers),
                ("block", get_args(BlockReason), self.blocks),
                ("event", get_args(EventReason), self.events),
                ("session", ("session_running",), self.sessions),
            )
            if reason in reasons
        )
        if record_id not in known:
            return _no(f"{reason} is filed on a {kind}, and {record_id!r} is none")
        for decline_id, decline in self.declines.items():
            if (decline["record_id"], decline["reason"]) == (record_id, reason):
                return _no(f"That is on record already as {decline_id}")
        decline_id = f"DEC-{self.next_decline}"
        self.next_decline += 1
        self.declines[decline_id] = {
            "record_id": record_id,
            "reason": reason,
            "declined_on": self._now()[:10],
        }
        return {"success": True, "decline_id": decline_id}
