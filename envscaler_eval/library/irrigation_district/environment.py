"""Irrigation district: rights by priority, canals with losses, orders, and the water ledger."""

from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

OrderStatus = Literal["scheduled", "measured", "cancelled", "curtailed"]
EntryKind = Literal[
    "allotment", "carry_over", "transfer_in", "transfer_out", "delivery", "correction"
]
CorrectionCause = Literal["misread", "silted_flume", "clock_error"]
RefusalReason = Literal[
    "short_notice",
    "no_water_left",
    "outside_season",
    "transfer_limit",
    "transfer_closed",
    "other_canal",
    "carry_over_late",
    "assessment_overdue",
    "over_capacity",
    "senior_right",
    "water_running",
    "correction_late",
]

HOURS_PER_ACRE_FOOT_CFS = 12.1  # 43 560 cubic feet in an acre-foot, 3 600 seconds in an hour
CFS_STEP = 0.5
LONGEST_ORDER_HOURS = 240
CORRECTION_DAYS = 30
SUPPLY_DAYS = 14


class Season(TypedDict):
    """The irrigation season and what the board decided for it."""

    year: int
    opens_on: str
    closes_on: str
    order_notice_hours: int  # before water is turned on
    change_notice_hours: int  # before an order is cancelled or water is shut off early
    transfers_close_on: str
    transfer_percent: int  # of its allotment that a right may give away in a season
    ceiling_af_per_acre: float  # the most that a right may be credited with in a season
    carry_over_percent: int  # of last season's allotment
    carry_over_by: str


class Canal(TypedDict):
    """A canal or lateral; losses are added at its head to what is taken out along it."""

    name: str
    parent_id: str | None  # None for a main canal, which is fed from the river
    capacity_cfs: float  # at its head
    loss_percent: float  # seepage and evaporation, of what is taken out


class Turnout(TypedDict):
    """A gate from a canal to farms, with a measuring device."""

    name: str
    canal_id: str
    capacity_cfs: float
    device: Literal["flume", "weir", "meter"]


class Grower(TypedDict):
    """Who farms, orders and pays."""

    name: str
    farm: str


class Right(TypedDict):
    """A water right; the earlier its priority date, the more senior it is."""

    grower_id: str
    priority_date: str
    acres: float
    turnout_ids: list[str]


class Entry(TypedDict):
    """A line of the ledger of a right for one season; credits are positive."""

    right_id: str
    year: int
    kind: EntryKind
    acre_feet: float
    posted_on: str


class Order(TypedDict):
    """A delivery at constant flow."""

    right_id: str
    turnout_id: str
    cfs: float
    starts_at: str
    ends_at: str
    status: OrderStatus


class Measurement(TypedDict):
    """What a turnout passed for an order, and what was first read if that was corrected."""

    order_id: str
    acre_feet: float
    read_on: str
    first_reading: float | None
    cause: CorrectionCause | None


class Transfer(TypedDict):
    """Water of one season that a right gave to another."""

    from_right_id: str
    to_right_id: str
    acre_feet: float
    agreed_on: str


class Assessment(TypedDict):
    """The yearly charge of a grower, in cents."""

    grower_id: str
    year: int
    amount_cents: int
    paid_cents: int
    due_on: str


class Outage(TypedDict):
    """A stretch of time in which a canal, and all below it, is dry for work."""

    canal_id: str
    starts_at: str
    ends_at: str


class Refusal(TypedDict):
    """A request that was turned down."""

    record_id: str
    reason: RefusalReason
    refused_on: str


def _error(text: str) -> dict[str, Any]:
    return {"success": False, "error": text}


def _bad_hour(text: str) -> bool:
    """Whether a text is no full hour in the form YYYY-MM-DDTHH:00."""
    try:
        return f"{datetime.fromisoformat(text):%Y-%m-%dT%H:00}" != text
    except ValueError:
        return True


def _bad_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() != text
    except ValueError:
        return True


def _overlap(start: str, end: str, other_start: str, other_end: str) -> bool:
    """Whether two half-open stretches of time share a moment; ISO texts compare like times."""
    return start < other_end and other_start < end


def _hours(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() / 3600


def _acre_feet(cfs: float, start: str, end: str) -> float:
    """Volume of a constant flow: one cubic foot per second gives an acre-foot in 12.1 hours."""
    return round(cfs * _hours(start, end) / HOURS_PER_ACRE_FOOT_CFS, 2)


class IrrigationDistrict:
    """The water office of an irrigation district."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.season: Season = {
            "year": 0,
            "opens_on": "",
            "closes_on": "",
            "order_notice_hours": 0,
            "change_notice_hours": 0,
            "transfers_close_on": "",
            "transfer_percent": 0,
            "ceiling_af_per_acre": 0.0,
            "carry_over_percent": 0,
            "carry_over_by": "",
        }
        self.canals: dict[str, Canal] = {}
        self.turnouts: dict[str, Turnout] = {}
        self.growers: dict[str, Grower] = {}
        self.rights: dict[str, Right] = {}
        self.ledger: dict[str, Entry] = {}
        self.orders: dict[str, Order] = {}
        self.measurements: dict[str, Measurement] = {}
        self.transfers: dict[str, Transfer] = {}
        self.assessments: dict[str, Assessment] = {}
        self.outages: dict[str, Outage] = {}
        self.supply: dict[str, dict[str, float]] = {}  # cfs by main canal and day, where limited
        self.refusals: dict[str, Refusal] = {}
        self.next_entry: int = 1
        self.next_order: int = 1
        self.next_measurement: int = 1
        self.next_transfer: int = 1
        self.next_outage: int = 1
        self.next_refusal: int = 1

    # Time and canals

    def _now(self) -> str:
        return f"{datetime.now():%Y-%m-%dT%H:%M}"

    def _today(self) -> str:
        return self._now()[:10]

    def _later(self, hours: int) -> str:
        return f"{datetime.now() + timedelta(hours=hours):%Y-%m-%dT%H:%M}"

    def _way_up(self, canal_id: str) -> list[str]:
        """A canal and those that feed it, the main canal last."""
        way = [canal_id]
        while (parent := self.canals[way[-1]]["parent_id"]) is not None:
            way.append(parent)
        return way

    def _main_canal(self, right_id: str) -> str:
        """The main canal under which a right lies."""
        turnout = self.turnouts[self.rights[right_id]["turnout_ids"][0]]
        return self._way_up(turnout["canal_id"])[-1]

    def _order_way(self, order: Order) -> list[str]:
        return self._way_up(self.turnouts[order["turnout_id"]]["canal_id"])

    def _running(self, moment: str) -> list[Order]:
        return [
            o
            for o in self.orders.values()
            if o["status"] == "scheduled" and o["starts_at"] <= moment < o["ends_at"]
        ]

    def _head_flow(self, canal_id: str, moment: str) -> float:
        """Flow in cfs at the head of a canal: all that is taken out below, and the losses."""
        taken = sum(
            o["cfs"]
            for o in self._running(moment)
            if self.turnouts[o["turnout_id"]]["canal_id"] == canal_id
        )
        below = sum(
            self._head_flow(other_id, moment)
            for other_id, other in self.canals.items()
            if other["parent_id"] == canal_id
        )
        return round((taken + below) * (100 + self.canals[canal_id]["loss_percent"]) / 100, 2)

    def _limit(self, canal_id: str, moment: str) -> float:
        """The most that a canal carries at its head: its capacity, or the river's supply."""
        capacity = self.canals[canal_id]["capacity_cfs"]
        return min(capacity, self.supply.get(canal_id, {}).get(moment[:10], capacity))

    def _moments(self, start: str, end: str) -> list[str]:
        """The moments of a stretch at which a flow or a limit may change."""
        changes = {start}
        for order in self.orders.values():
            if order["status"] == "scheduled":
                changes.update((order["starts_at"], order["ends_at"]))
        for days in self.supply.values():
            for day in days:
                following = date.fromisoformat(day) + timedelta(days=1)
                changes.update((f"{day}T00:00", f"{following.isoformat()}T00:00"))
        return sorted(moment for moment in changes if start <= moment < end)

    def _flow_problem(self, order: Order) -> str | None:
        """Say which canal cannot carry an order that is among the scheduled ones, or None."""
        for canal_id in self._order_way(order):
            for moment in self._moments(order["starts_at"], order["ends_at"]):
                flow, limit = self._head_flow(canal_id, moment), self._limit(canal_id, moment)
                if flow > limit:
                    name = self.canals[canal_id]["name"]
                    return f"{name} would carry {flow} of {limit} cfs at {moment}"
        return None

    def _short_moments(self, order: Order) -> list[str]:
        """Moments of an order at which its main canal is asked for more than the river gives."""
        main_id = self._order_way(order)[-1]
        return [
            moment
            for moment in self._moments(order["starts_at"], order["ends_at"])
            if self._head_flow(main_id, moment) > self._limit(main_id, moment)
        ]

    # Accounts

    def _sum(self, right_id: str, year: int, *kinds: EntryKind) -> float:
        """Sum of a right's ledger lines of a year, of some kinds or of all."""
        lines = [
            e["acre_feet"]
            for e in self.ledger.values()
            if (e["right_id"], e["year"]) == (right_id, year) and (not kinds or e["kind"] in kinds)
        ]
        return round(sum(lines), 2)

    def _room(self, right_id: str) -> float:
        """Acre-feet that a right may still be credited with under the ceiling for its acres."""
        credited = self._sum(
            right_id, self.season["year"], "allotment", "carry_over", "transfer_in"
        )
        ceiling = self.rights[right_id]["acres"] * self.season["ceiling_af_per_acre"]
        return round(ceiling - credited, 2)

    def _committed(self, right_id: str) -> float:
        """Acre-feet of a right that are ordered and not measured yet."""
        volumes = [
            _acre_feet(o["cfs"], o["starts_at"], o["ends_at"])
            for o in self.orders.values()
            if (o["right_id"], o["status"]) == (right_id, "scheduled")
        ]
        return round(sum(volumes), 2)

    def _available(self, right_id: str) -> float:
        return round(self._sum(right_id, self.season["year"]) - self._committed(right_id), 2)

    def _overdue(self, grower_id: str) -> str | None:
        """Name an assessment of a grower that is past due and unpaid, or return None."""
        for assessment_id, a in self.assessments.items():
            unpaid = a["amount_cents"] - a["paid_cents"]
            if a["grower_id"] == grower_id and unpaid > 0 and a["due_on"] < self._today():
                name = self.growers[grower_id]["name"]
                return f"{name} owes {unpaid} cents on {assessment_id}, due {a['due_on']}"
        return None

    def _post(self, right_id: str, kind: EntryKind, acre_feet: float) -> None:
        self.ledger[f"LE-{self.next_entry}"] = {
            "right_id": right_id,
            "year": self.season["year"],
            "kind": kind,
            "acre_feet": round(acre_feet, 2),
            "posted_on": self._today(),
        }
        self.next_entry += 1

    def _account(self, right_id: str) -> dict[str, Any]:
        year = self.season["year"]
        return {
            "allotment_af": self._sum(right_id, year, "allotment"),
            "balance_af": self._sum(right_id, year),
            "committed_af": self._committed(right_id),
            "available_af": self._available(right_id),
        }

    def _measured_problem(self, order: Order, acre_feet: float) -> str | None:
        """Say why a turnout cannot have passed a volume for an order, or return None."""
        turnout = self.turnouts[order["turnout_id"]]
        most = _acre_feet(turnout["capacity_cfs"], order["starts_at"], order["ends_at"])
        if not 0 <= acre_feet <= most:
            return f"{turnout['name']} passes 0 to {most} acre-feet in that time"
        return None

    # Orders, before they are placed

    def _draft(
        self, right_id: str, turnout_id: str, cfs: float, starts_at: str, hours: int
    ) -> Order | str:
        """Make up an order that can be placed, or say why there is none."""
        if right_id not in self.rights:
            return f"Right {right_id} does not exist"
        if turnout_id not in self.turnouts:
            return f"Turnout {turnout_id} does not exist"
        if _bad_hour(starts_at):
            return "Water is turned on at a full hour, written YYYY-MM-DDTHH:00"
        if not 1 <= hours <= LONGEST_ORDER_HOURS:
            return f"An order lasts 1 to {LONGEST_ORDER_HOURS} hours"
        ends = datetime.fromisoformat(starts_at) + timedelta(hours=hours)
        order: Order = {
            "right_id": right_id,
            "turnout_id": turnout_id,
            "cfs": cfs,
            "starts_at": starts_at,
            "ends_at": f"{ends:%Y-%m-%dT%H:00}",
            "status": "scheduled",
        }
        return self._order_problem(order) or self._with_flows(order)

    def _with_flows(self, order: Order) -> Order | str:
        """The order, if the canals carry it beside what is scheduled already."""
        self.orders["draft"] = order
        problem = self._flow_problem(order)
        del self.orders["draft"]
        return problem or order

    def _order_problem(self, order: Order) -> str | None:
        """Say what stands against an order, the flow in the canals apart, or return None."""
        right, turnout = self.rights[order["right_id"]], self.turnouts[order["turnout_id"]]
        if order["turnout_id"] not in right["turnout_ids"]:
            return f"{turnout['name']} does not serve right {order['right_id']}"
        if order["cfs"] <= 0 or order["cfs"] % CFS_STEP:
            return f"Flows are ordered in steps of {CFS_STEP} cfs"
        if order["cfs"] > turnout["capacity_cfs"]:
            return f"{turnout['name']} passes {turnout['capacity_cfs']} cfs at most"
        after = date.fromisoformat(self.season["closes_on"]) + timedelta(days=1)
        last = f"{after.isoformat()}T00:00"
        if order["starts_at"][:10] < self.season["opens_on"] or order["ends_at"] > last:
            return f"The season runs {self.season['opens_on']} to {self.season['closes_on']}"
        notice = self.season["order_notice_hours"]
        if order["starts_at"] < self._later(notice):
            return f"Water is ordered {notice} hours ahead: from {self._later(notice)} on"
        if problem := self._overdue(right["grower_id"]):
            return problem
        start, end = order["starts_at"], order["ends_at"]
        for outage_id, outage in self.outages.items():
            dry = outage["canal_id"] in self._order_way(order)
            if dry and _overlap(start, end, outage["starts_at"], outage["ends_at"]):
                return f"{outage['canal_id']} is dry then ({outage_id})"
        for other_id, other in self.orders.items():
            same = (other["turnout_id"], other["status"]) == (order["turnout_id"], "scheduled")
            if same and _overlap(start, end, other["starts_at"], other["ends_at"]):
                return f"{turnout['name']} serves order {other_id} then"
        wanted = _acre_feet(order["cfs"], order["starts_at"], order["ends_at"])
        if wanted > (free := self._available(order["right_id"])):
            return f"Right {order['right_id']} has {free} acre-feet available, {wanted} needed"
        return None

    # Queries

    def get_season(self) -> dict[str, Any]:
        """Show the season's dates, notice in hours, and limits on transfers and carry-over."""
        return {"success": True, "season": self.season, "today": self._today()}

    def list_canals(self, text: str = "") -> dict[str, Any]:
        """List canals and laterals with capacity in cfs, losses, and planned outages.

        Args:
            text: Part of the name, any case; empty for all.
        """
        found = [
            {
                "canal_id": canal_id,
                **canal,
                "outages": {i: o for i, o in self.outages.items() if o["canal_id"] == canal_id},
            }
            for canal_id, canal in self.canals.items()
            if text.lower() in canal["name"].lower()
        ]
        return {"success": True, "canals": found}

    def get_flows(self, canal_id: str, from_day: str, to_day: str) -> dict[str, Any]:
        """Show the flow in cfs at the head of a canal, and its limit, wherever one changes.

        Args:
            canal_id: The canal or lateral.
            from_day: First ISO date, YYYY-MM-DD.
            to_day: Last ISO date, YYYY-MM-DD.
        """
        if canal_id not in self.canals:
            return _error(f"Canal {canal_id} does not exist")
        if _bad_day(from_day) or _bad_day(to_day) or to_day < from_day:
            return _error("Two dates are needed, YYYY-MM-DD, the first one first")
        flows = [
            {
                "from": moment,
                "head_flow_cfs": self._head_flow(canal_id, moment),
                "limit_cfs": self._limit(canal_id, moment),
            }
            for moment in self._moments(f"{from_day}T00:00", f"{to_day}T24:00")
        ]
        return {"success": True, "canal": self.canals[canal_id]["name"], "flows": flows}

    def search_turnouts(self, text: str = "", canal_id: str | None = None) -> dict[str, Any]:
        """Find turnouts with their capacity in cfs and the rights that they serve.

        Args:
            text: Part of the name, any case; empty for all.
            canal_id: Only turnouts on this canal or lateral.
        """
        found = [
            {
                "turnout_id": turnout_id,
                **turnout,
                "rights": [i for i, r in self.rights.items() if turnout_id in r["turnout_ids"]],
            }
            for turnout_id, turnout in self.turnouts.items()
            if text.lower() in turnout["name"].lower() and canal_id in (None, turnout["canal_id"])
        ]
        return {"success": True, "turnouts": found}

    def search_growers(self, text: str = "") -> dict[str, Any]:
        """Find growers with their rights.

        Args:
            text: Part of the grower's or the farm's name, any case; empty for all.
        """
        found = [
            {
                "grower_id": grower_id,
                **grower,
                "rights": [i for i, r in self.rights.items() if r["grower_id"] == grower_id],
            }
            for grower_id, grower in self.growers.items()
            if text.lower() in f"{grower['name']} {grower['farm']}".lower()
        ]
        return {"success": True, "growers": found}

    def get_grower(self, grower_id: str) -> dict[str, Any]:
        """Show a grower with rights, assessments in cents, and refusals.

        Args:
            grower_id: The grower.
        """
        if grower_id not in self.growers:
            return _error(f"Grower {grower_id} does not exist")
        return {
            "success": True,
            "grower": {"grower_id": grower_id, **self.growers[grower_id]},
            "rights": {i: r for i, r in self.rights.items() if r["grower_id"] == grower_id},
            "assessments": {
                i: a for i, a in self.assessments.items() if a["grower_id"] == grower_id
            },
            "overdue": self._overdue(grower_id),
            "refusals": {i: r for i, r in self.refusals.items() if r["record_id"] == grower_id},
        }

    def list_rights(self, main_canal_id: str | None = None) -> dict[str, Any]:
        """List rights, the most senior first, with their accounts for the season in acre-feet.

        Args:
            main_canal_id: Only rights under this main canal.
        """
        found = [
            {
                "right_id": right_id,
                "grower": self.growers[right["grower_id"]]["name"],
                "main_canal_id": self._main_canal(right_id),
                "priority_date": right["priority_date"],
                "acres": right["acres"],
                **self._account(right_id),
            }
            for right_id, right in self.rights.items()
            if main_canal_id in (None, self._main_canal(right_id))
        ]
        return {"success": True, "rights": sorted(found, key=lambda r: str(r["priority_date"]))}

    def get_right(self, right_id: str) -> dict[str, Any]:
        """Show a right with its account, its ledger of this and last season, and refusals.

        Args:
            right_id: The right.
        """
        if right_id not in self.rights:
            return _error(f"Right {right_id} does not exist")
        last = self.season["year"] - 1
        return {
            "success": True,
            "right": {"right_id": right_id, **self.rights[right_id]},
            "main_canal_id": self._main_canal(right_id),
            **self._account(right_id),
            "last_season": {
                "allotment_af": self._sum(right_id, last, "allotment"),
                "left_over_af": self._sum(right_id, last),
            },
            "ledger": {i: e for i, e in self.ledger.items() if e["right_id"] == right_id},
            "refusals": {i: r for i, r in self.refusals.items() if r["record_id"] == right_id},
        }

    def list_orders(
        self,
        day: str | None = None,
        right_id: str | None = None,
        status: OrderStatus | None = None,
    ) -> dict[str, Any]:
        """List orders by their start, with the grower and priority date of the right.

        Args:
            day: Only orders that run on this ISO date, YYYY-MM-DD.
            right_id: Only orders of this right.
            status: Only orders in this status; scheduled ones may be running.
        """
        if day is not None and _bad_day(day):
            return _error("Days are written YYYY-MM-DD")
        found = []
        for order_id, order in self.orders.items():
            right = self.rights[order["right_id"]]
            on_day = day is None or order["starts_at"][:10] <= day <= order["ends_at"][:10]
            if (
                on_day
                and right_id in (None, order["right_id"])
                and status in (None, order["status"])
            ):
                found.append(
                    {
                        "order_id": order_id,
                        **order,
                        "turnout": self.turnouts[order["turnout_id"]]["name"],
                        "grower": self.growers[right["grower_id"]]["name"],
                        "priority_date": right["priority_date"],
                        "main_canal_id": self._order_way(order)[-1],
                    }
                )
        return {"success": True, "orders": sorted(found, key=lambda o: str(o["starts_at"]))}

    def get_order(self, order_id: str) -> dict[str, Any]:
        """Show an order with its volume in acre-feet, measurements and refusals.

        Args:
            order_id: The order.
        """
        if order_id not in self.orders:
            return _error(f"Order {order_id} does not exist")
        order = self.orders[order_id]
        return {
            "success": True,
            "order": {"order_id": order_id, **order},
            "ordered_af": _acre_feet(order["cfs"], order["starts_at"], order["ends_at"]),
            "canals": self._order_way(order),
            "measurements": {
                i: m for i, m in self.measurements.items() if m["order_id"] == order_id
            },
            "refusals": {i: r for i, r in self.refusals.items() if r["record_id"] == order_id},
        }

    def list_measurements(
        self, right_id: str | None = None, read_from: str | None = None
    ) -> dict[str, Any]:
        """List measurements, with the right, grower and turnout of each.

        Args:
            right_id: Only measurements for this right.
            read_from: Only measurements read on this ISO date or later, YYYY-MM-DD.
        """
        if read_from is not None and _bad_day(read_from):
            return _error("Days are written YYYY-MM-DD")
        found = []
        for measurement_id, measurement in self.measurements.items():
            order = self.orders[measurement["order_id"]]
            right = self.rights[order["right_id"]]
            if right_id in (None, order["right_id"]) and (
                read_from is None or measurement["read_on"] >= read_from
            ):
                found.append(
                    {
                        "measurement_id": measurement_id,
                        **measurement,
                        "right_id": order["right_id"],
                        "grower": self.growers[right["grower_id"]]["name"],
                        "turnout": self.turnouts[order["turnout_id"]]["name"],
                    }
                )
        return {"success": True, "measurements": found}

    def quote_order(
        self, right_id: str, turnout_id: str, cfs: float, starts_at: str, hours: int
    ) -> dict[str, Any]:
        """Reckon the volume of an order and say whether it can be placed, without placing it.

        Args:
            right_id: The right that is charged.
            turnout_id: One of its turnouts.
            cfs: Flow at the turnout, in steps of 0.5 cubic feet per second.
            starts_at: Full hour at which water is turned on, YYYY-MM-DDTHH:00.
            hours: How long it runs.
        """
        order = self._draft(right_id, turnout_id, cfs, starts_at, hours)
        if isinstance(order, str):
            return _error(order)
        volume = _acre_feet(cfs, order["starts_at"], order["ends_at"])
        left = round(self._available(right_id) - volume, 2)
        return {"success": True, "acre_feet": volume, "available_after_af": left}

    # Changes

    def place_order(
        self, right_id: str, turnout_id: str, cfs: float, starts_at: str, hours: int
    ) -> dict[str, Any]:
        """Schedule a delivery; its volume is committed until it is measured.

        Args:
            right_id: The right that is charged.
            turnout_id: One of its turnouts.
            cfs: Flow at the turnout, in steps of 0.5 cubic feet per second.
            starts_at: Full hour at which water is turned on, YYYY-MM-DDTHH:00.
            hours: How long it runs.
        """
        order = self._draft(right_id, turnout_id, cfs, starts_at, hours)
        if isinstance(order, str):
            return _error(order)
        order_id = f"WO-{self.next_order}"
        self.next_order += 1
        self.orders[order_id] = order
        return {
            "success": True,
            "order_id": order_id,
            "acre_feet": _acre_feet(cfs, order["starts_at"], order["ends_at"]),
            "available_af": self._available(right_id),
        }

    def cancel_order(self, order_id: str) -> dict[str, Any]:
        """Cancel a scheduled order with the notice for changes; nothing is charged.

        Args:
            order_id: The order.
        """
        if order_id not in self.orders:
            return _error(f"Order {order_id} does not exist")
        order = self.orders[order_id]
        if order["status"] != "scheduled":
            return _error(f"Order {order_id} is {order['status']}")
        notice = self.season["change_notice_hours"]
        if order["starts_at"] <= self._now():
            return _error(f"Order {order_id} is running: it can only be shut off early")
        if order["starts_at"] < self._later(notice):
            return _error(
                f"Order {order_id} starts at {order['starts_at']}, in less than {notice} hours: "
                "it can only be shut off early"
            )
        order["status"] = "cancelled"
        return {"success": True, "available_af": self._available(order["right_id"])}

    def shut_off_early(self, order_id: str, ends_at: str) -> dict[str, Any]:
        """Let a scheduled or running order end sooner, with the notice for changes.

        Args:
            order_id: The order.
            ends_at: The full hour at which water is shut off, YYYY-MM-DDTHH:00.
        """
        if order_id not in self.orders:
            return _error(f"Order {order_id} does not exist")
        if _bad_hour(ends_at):
            return _error("Water is shut off at a full hour, written YYYY-MM-DDTHH:00")
        order = self.orders[order_id]
        if order["status"] != "scheduled":
            return _error(f"Order {order_id} is {order['status']}")
        if not order["starts_at"] < ends_at < order["ends_at"]:
            return _error(f"Order {order_id} runs {order['starts_at']} to {order['ends_at']}")
        notice = self.season["change_notice_hours"]
        if ends_at < self._later(notice):
            return _error(
                f"With {notice} hours' notice, that is {self._later(notice)} at the earliest"
            )
        order["ends_at"] = ends_at
        volume = _acre_feet(order["cfs"], order["starts_at"], ends_at)
        return {"success": True, "acre_feet": volume}

    def curtail_order(self, order_id: str) -> dict[str, Any]:
        """Strike a scheduled order because the river does not give enough, the junior right first.

        Args:
            order_id: An order that has not begun, in a stretch in which its main canal is short.
        """
        if order_id not in self.orders:
            return _error(f"Order {order_id} does not exist")
        order = self.orders[order_id]
        if order["status"] != "scheduled":
            return _error(f"Order {order_id} is {order['status']}")
        if order["starts_at"] <= self._now():
            return _error(f"Order {order_id} is running: it can only be shut off early")
        short = self._short_moments(order)
        if not short:
            return _error(f"The supply covers order {order_id} and all beside it")
        main_id = self._order_way(order)[-1]
        priority = self.rights[order["right_id"]]["priority_date"]
        junior: set[str] = set()
        for moment in short:
            rivals = [
                self.rights[o["right_id"]]["priority_date"]
                for o in self._running(moment)
                if o["starts_at"] > self._now() and self._order_way(o)[-1] == main_id
            ]
            if max(rivals) == priority:
                order["status"] = "curtailed"
                return {"success": True, "available_af": self._available(order["right_id"])}
            junior.add(max(rivals))
        dates = ", ".join(sorted(junior))
        return _error(f"Priority {priority} is served before {dates}: curtail the junior first")

    def set_supply(
        self, main_canal_id: str, from_day: str, to_day: str, cfs: float
    ) -> dict[str, Any]:
        """Set what the river gives to a main canal on some days; orders stay as they are.

        Args:
            main_canal_id: A main canal.
            from_day: First ISO date, YYYY-MM-DD, today or later.
            to_day: Last ISO date, at most two weeks of days in all.
            cfs: Flow at the head of the canal, in cubic feet per second.
        """
        if main_canal_id not in self.canals:
            return _error(f"Canal {main_canal_id} does not exist")
        canal = self.canals[main_canal_id]
        if canal["parent_id"] is not None:
            return _error(f"{canal['name']} is not fed from the river")
        if _bad_day(from_day) or _bad_day(to_day) or not self._today() <= from_day <= to_day:
            return _error("Two dates are needed, YYYY-MM-DD, from today on, the first one first")
        if not 0 <= cfs <= canal["capacity_cfs"]:
            return _error(f"{canal['name']} takes 0 to {canal['capacity_cfs']} cfs")
        first, last = date.fromisoformat(from_day), date.fromisoformat(to_day)
        count = (last - first).days + 1
        if count > SUPPLY_DAYS:
            return _error(f"Supply is set for {SUPPLY_DAYS} days at most")
        days = [(first + timedelta(days=n)).isoformat() for n in range(count)]
        known = self.supply.get(main_canal_id, {})
        if all(known.get(day) == cfs for day in days):
            return _error(f"The supply of {canal['name']} is {cfs} cfs on those days already")
        self.supply[main_canal_id] = {**known, **dict.fromkeys(days, cfs)}
        short = [
            {"from": moment, "head_flow_cfs": self._head_flow(main_canal_id, moment)}
            for moment in self._moments(f"{from_day}T00:00", f"{to_day}T24:00")
            if self._head_flow(main_canal_id, moment) > self._limit(main_canal_id, moment)
        ]
        return {"success": True, "short": short}

    def record_measurement(self, order_id: str, acre_feet: float) -> dict[str, Any]:
        """Enter what the turnout measured for an order that has ended, and charge the right.

        Args:
            order_id: A scheduled order that has ended.
            acre_feet: Measured volume.
        """
        if order_id not in self.orders:
            return _error(f"Order {order_id} does not exist")
        order = self.orders[order_id]
        if order["status"] != "scheduled":
            return _error(f"Order {order_id} is {order['status']}")
        if self._now() < order["ends_at"]:
            return _error(f"Order {order_id} runs until {order['ends_at']}")
        if problem := self._measured_problem(order, acre_feet):
            return _error(problem)
        measurement_id = f"MS-{self.next_measurement}"
        self.next_measurement += 1
        self.measurements[measurement_id] = {
            "order_id": order_id,
            "acre_feet": acre_feet,
            "read_on": self._today(),
            "first_reading": None,
            "cause": None,
        }
        order["status"] = "measured"
        self._post(order["right_id"], "delivery", -acre_feet)
        return {
            "success": True,
            "measurement_id": measurement_id,
            "balance_af": self._sum(order["right_id"], self.season["year"]),
        }

    def correct_measurement(
        self, measurement_id: str, acre_feet: float, cause: CorrectionCause
    ) -> dict[str, Any]:
        """Correct a measurement once; the difference is posted to the ledger of the right.

        Args:
            measurement_id: A measurement read in the last 30 days.
            acre_feet: The right volume.
            cause: What was wrong with the first reading.
        """
        if measurement_id not in self.measurements:
            return _error(f"Measurement {measurement_id} does not exist")
        measurement = self.measurements[measurement_id]
        if measurement["first_reading"] is not None:
            return _error(f"Measurement {measurement_id} was corrected before")
        oldest = (datetime.now() - timedelta(days=CORRECTION_DAYS)).date().isoformat()
        if measurement["read_on"] < oldest:
            return _error(f"{measurement_id} was read on {measurement['read_on']}, too long ago")
        order, before = self.orders[measurement["order_id"]], measurement["acre_feet"]
        if problem := self._measured_problem(order, acre_feet):
            return _error(problem)
        if acre_feet == before:
            return _error(f"{measurement_id} says {before} acre-feet already")
        extra = round(acre_feet - before, 2)
        if extra > (free := self._available(order["right_id"])):
            return _error(f"Right {order['right_id']} has {free} acre-feet available, {extra} more")
        measurement["acre_feet"] = acre_feet
        measurement["first_reading"] = before
        measurement["cause"] = cause
        self._post(order["right_id"], "correction", -extra)
        return {"success": True, "available_af": self._available(order["right_id"])}

    def transfer_water(
        self, from_right_id: str, to_right_id: str, acre_feet: float
    ) -> dict[str, Any]:
        """Move water of this season from one right to another under the same main canal.

        Args:
            from_right_id: The right that gives.
            to_right_id: The right that takes.
            acre_feet: Volume, above 0, two decimals at most.
        """
        for right_id in (from_right_id, to_right_id):
            if right_id not in self.rights:
                return _error(f"Right {right_id} does not exist")
        if from_right_id == to_right_id or acre_feet <= 0 or round(acre_feet, 2) != acre_feet:
            return _error("A transfer moves more than 0 acre-feet between two rights")
        if self._main_canal(from_right_id) != self._main_canal(to_right_id):
            return _error("Water is transferred only under the same main canal")
        if self._today() > self.season["transfers_close_on"]:
            return _error(f"Transfers closed on {self.season['transfers_close_on']}")
        for right_id in (from_right_id, to_right_id):
            if problem := self._overdue(self.rights[right_id]["grower_id"]):
                return _error(problem)
        year = self.season["year"]
        if acre_feet > (free := self._available(from_right_id)):
            return _error(f"Right {from_right_id} has {free} acre-feet available")
        allotment = self._sum(from_right_id, year, "allotment")
        given = -self._sum(from_right_id, year, "transfer_out")
        most = round(allotment * self.season["transfer_percent"] / 100 - given, 2)
        if acre_feet > most:
            return _error(f"Right {from_right_id} may give {most} acre-feet more this season")
        if acre_feet > (room := self._room(to_right_id)):
            return _error(f"Right {to_right_id} may be credited with {room} acre-feet more")
        transfer_id = f"TR-{self.next_transfer}"
        self.next_transfer += 1
        self.transfers[transfer_id] = {
            "from_right_id": from_right_id,
            "to_right_id": to_right_id,
            "acre_feet": acre_feet,
            "agreed_on": self._today(),
        }
        self._post(from_right_id, "transfer_out", -acre_feet)
        self._post(to_right_id, "transfer_in", acre_feet)
        return {
            "success": True,
            "transfer_id": transfer_id,
            "from_available_af": self._available(from_right_id),
            "to_available_af": self._available(to_right_id),
        }

    def post_carry_over(self, right_id: str) -> dict[str, Any]:
        """Credit a right, once, with what it may bring over from last season.

        Args:
            right_id: The right.
        """
        if right_id not in self.rights:
            return _error(f"Right {right_id} does not exist")
        if self._today() > self.season["carry_over_by"]:
            return _error(f"Carry-over closed on {self.season['carry_over_by']}")
        if problem := self._overdue(self.rights[right_id]["grower_id"]):
            return _error(problem)
        year = self.season["year"]
        if self._sum(right_id, year, "carry_over"):
            return _error(f"Right {right_id} has its carry-over")
        allotment = self._sum(right_id, year - 1, "allotment")
        most = round(allotment * self.season["carry_over_percent"] / 100, 2)
        acre_feet = min(self._sum(right_id, year - 1), most)
        if acre_feet <= 0:
            return _error(f"Right {right_id} has nothing left from last season")
        acre_feet = min(acre_feet, self._room(right_id))
        if acre_feet <= 0:
            return _error(f"Right {right_id} is at the ceiling for its acres")
        self._post(right_id, "carry_over", acre_feet)
        return {
            "success": True,
            "acre_feet": acre_feet,
            "available_af": self._available(right_id),
        }

    def record_payment(self, assessment_id: str, cents: int) -> dict[str, Any]:
        """Enter a payment on an assessment.

        Args:
            assessment_id: The assessment.
            cents: Amount paid now, at most what is still unpaid.
        """
        if assessment_id not in self.assessments:
            return _error(f"Assessment {assessment_id} does not exist")
        assessment = self.assessments[assessment_id]
        unpaid = assessment["amount_cents"] - assessment["paid_cents"]
        if not 1 <= cents <= unpaid:
            return _error(f"{unpaid} cents are unpaid on {assessment_id}")
        assessment["paid_cents"] += cents
        return {"success": True, "unpaid_cents": unpaid - cents}

    def schedule_outage(self, canal_id: str, starts_at: str, ends_at: str) -> dict[str, Any]:
        """Plan work for which a canal, and all below it, runs dry.

        Args:
            canal_id: The canal or lateral.
            starts_at: Full hour, YYYY-MM-DDTHH:00.
            ends_at: A later full hour.
        """
        if canal_id not in self.canals:
            return _error(f"Canal {canal_id} does not exist")
        if _bad_hour(starts_at) or _bad_hour(ends_at) or not self._now() < starts_at < ends_at:
            return _error("An outage lies ahead, between two full hours, YYYY-MM-DDTHH:00")
        for order_id, order in self.orders.items():
            runs = order["status"] == "scheduled" and canal_id in self._order_way(order)
            if runs and _overlap(starts_at, ends_at, order["starts_at"], order["ends_at"]):
                return _error(f"Order {order_id} runs in {self.canals[canal_id]['name']} then")
        for outage_id, outage in self.outages.items():
            same = outage["canal_id"] == canal_id
            if same and _overlap(starts_at, ends_at, outage["starts_at"], outage["ends_at"]):
                return _error(f"{outage_id} keeps that canal dry already")
        outage_id = f"OUT-{self.next_outage}"
        self.next_outage += 1
        self.outages[outage_id] = {
            "canal_id": canal_id,
            "starts_at": starts_at,
            "ends_at": ends_at,
        }
        return {"success": True, "outage_id": outage_id}

    def refuse_request(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record that a request was turned down.

        assessment_overdue is filed on the grower, over_capacity on the turnout, senior_right
        and water_running on the order, correction_late on the measurement, and all other
        reasons on the right that asked, for a transfer the one that was to give.

        Args:
            record_id: The right, grower, turnout, order or measurement.
            reason: The rule that stood in the way; senior_right where a junior right has to
                be curtailed first.
        """
        places: dict[str, tuple[str, tuple[str, ...]]] = {
            "assessment_overdue": ("grower", tuple(self.growers)),
            "over_capacity": ("turnout", tuple(self.turnouts)),
            "senior_right": ("order", tuple(self.orders)),
            "water_running": ("order", tuple(self.orders)),
            "correction_late": ("measurement", tuple(self.measurements)),
        }
        kind, known = places.get(reason, ("right", tuple(self.rights)))
        if record_id not in known:
            return _error(f"{reason} is filed on a {kind}, and {record_id!r} is none")
        if any(
            (r["record_id"], r["reason"]) == (record_id, reason) for r in self.refusals.values()
        ):
            return _error(f"{record_id} has that refusal on record already")
        refusal_id = f"RF-{self.next_refusal}"
        self.next_refusal += 1
        self.refusals[refusal_id] = {
            "record_id": record_id,
            "reason": reason,
            "refused_on": self._today(),
        }
        return {"success": True, "refusal_id": refusal_id}
