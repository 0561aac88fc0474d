"""Coastal fisheries office: licences, quota, trips, landings in live weight, sales and closures."""

from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

Gear = Literal["trawl", "longline", "gillnet", "pots", "seine", "jig"]
ClosedTo = Gear | Literal["all"]
Presentation = Literal["whole", "gutted", "headed_gutted", "tails"]
TripStatus = Literal["at_sea", "landed", "closed"]
ClosureReason = Literal["juveniles", "spawning", "toxin", "marine_mammals"]
Finding = Literal["none", "bycatch", "weight", "logbook", "gear"]
VesselReason = Literal[
    "licence_not_valid",
    "gear_not_endorsed",
    "area_closed",
    "season_closed",
    "no_quota",
    "lease_limit",
    "unequal_swap",
]
TripReason = Literal[
    "bycatch_over", "logbook_mismatch", "inspection_pending", "late_correction", "late_declaration"
]
NoteReason = Literal["weight_mismatch", "presentation_mismatch"]

OVERFISHING_GRACE_PERCENT = 5
OVERFISHING_FACTOR = 1.2
LONGEST_CLOSURE_DAYS = 21
DEPARTURE_WINDOW = timedelta(hours=72)


class Settings(TypedDict):
    """The regulation of the year; all quota is live weight."""

    year: int
    logbook_tolerance_percent: int  # of the live weight landed
    sale_tolerance_percent: int  # of the landed weight
    lease_percent: int  # of its holding that a vessel may lease out in a year
    swap_tolerance_percent: int  # of the larger side, in points
    leases_close_on: str
    declaration_hours: int  # after landing
    correction_hours: int  # after landing, for the logbook


class Stock(TypedDict):
    """A managed stock: where and when it may be targeted, and how it is weighed."""

    name: str
    area_ids: list[str]
    gears: list[Gear]
    season_opens: str  # MM-DD
    season_closes: str  # MM-DD
    bycatch_percent: int  # the most of a trip's live weight where another stock is the target
    points_per_kg: float  # what a kilogram is worth in a swap
    factors: dict[Presentation, float]  # landed weight times the factor is live weight


class Area(TypedDict):
    """A statistical area."""

    name: str


class Vessel(TypedDict):
    """A registered fishing vessel and its licence."""

    name: str
    home_port: str
    owner: str
    licence: Literal["active", "suspended"]
    licence_until: str


class Endorsement(TypedDict):
    """Permission for a vessel to use a gear."""

    vessel_id: str
    gear: Gear
    valid_until: str


class Holding(TypedDict):
    """The quota of a vessel for a stock this year, and what it landed before the records here."""

    vessel_id: str
    stock_id: str
    kg: int
    landed_earlier_kg: int


class Lease(TypedDict):
    """Quota of this year that one vessel lets another fish."""

    from_vessel_id: str
    to_vessel_id: str
    stock_id: str
    kg: int
    agreed_on: str


class Swap(TypedDict):
    """Quota of one stock against quota of another, between two vessels."""

    vessel_a: str
    stock_a: str
    kg_a: int
    vessel_b: str
    stock_b: str
    kg_b: int
    agreed_on: str


class Trip(TypedDict):
    """A fishing trip with one gear in one area."""

    vessel_id: str
    gear: Gear
    area_id: str
    target_stock_id: str
    sailed_at: str
    landed_at: str | None
    port: str | None
    status: TripStatus


class LogbookLine(TypedDict):
    """The skipper's estimate of live weight caught, and the first one if it was corrected."""

    trip_id: str
    stock_id: str
    kg: int
    first_kg: int | None


class Landing(TypedDict):
    """A declared landing: weighed as landed, counted as live weight."""

    trip_id: str
    stock_id: str
    presentation: Presentation
    landed_kg: int
    live_kg: int


class SalesNote(TypedDict):
    """What a buyer says to have bought from a trip."""

    trip_id: str
    stock_id: str
    presentation: Presentation
    sold_kg: int
    buyer: str
    landing_id: str | None


class Closure(TypedDict):
    """Days on which an area is shut to a gear, or to all."""

    area_id: str
    gear: ClosedTo
    from_day: str
    to_day: str
    reason: ClosureReason


class Inspection(TypedDict):
    """A port inspection of a trip; without a finding it is still planned."""

    trip_id: str
    planned_on: str
    finding: Finding | None


class Deduction(TypedDict):
    """Overfished quota that is taken off next year's holding."""

    vessel_id: str
    stock_id: str
    year: int
    over_kg: int
    kg: int


class Refusal(TypedDict):
    """A request that was turned down."""

    record_id: str
    reason: VesselReason | TripReason | NoteReason
    refused_on: str


def _no(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_minute(text: str) -> bool:
    try:
        return f"{datetime.fromisoformat(text):%Y-%m-%dT%H:%M}" == text
    except ValueError:
        return False


def _off_by(one: float, other: float, base: float, percent: int) -> bool:
    """Whether two weights differ by more than a percentage of a third."""
    return round(abs(one - other) * 100, 6) > round(base * percent, 6)


class CoastalFisheriesOffice:
    """The quota and landings office of a coastal fishery."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.settings: Settings = {
            "year": 0,
            "logbook_tolerance_percent": 0,
            "sale_tolerance_percent": 0,
            "lease_percent": 0,
            "swap_tolerance_percent": 0,
            "leases_close_on": "",
            "declaration_hours": 0,
            "correction_hours": 0,
        }
        self.areas: dict[str, Area] = {}
        self.stocks: dict[str, Stock] = {}
        self.vessels: dict[str, Vessel] = {}
        self.endorsements: dict[str, Endorsement] = {}
        self.holdings: dict[str, Holding] = {}
        self.leases: dict[str, Lease] = {}
        self.swaps: dict[str, Swap] = {}
        self.trips: dict[str, Trip] = {}
        self.logbook: dict[str, LogbookLine] = {}
        self.landings: dict[str, Landing] = {}
        self.sales_notes: dict[str, SalesNote] = {}
        self.closures: dict[str, Closure] = {}
        self.inspections: dict[str, Inspection] = {}
        self.deductions: dict[str, Deduction] = {}
        self.refusals: dict[str, Refusal] = {}
        self.next_lease: int = 1
        self.next_swap: int = 1
        self.next_trip: int = 1
        self.next_landing: int = 1
        self.next_closure: int = 1
        self.next_deduction: int = 1
        self.next_refusal: int = 1

    # Quota

    def _today(self) -> str:
        return datetime.now().date().isoformat()

    def _held(self, vessel_id: str, stock_id: str) -> int:
        return sum(
            h["kg"]
            for h in self.holdings.values()
            if (h["vessel_id"], h["stock_id"]) == (vessel_id, stock_id)
        )

    def _leased_out(self, vessel_id: str, stock_id: str) -> int:
        return sum(
            lease["kg"]
            for lease in self.leases.values()
            if (lease["from_vessel_id"], lease["stock_id"]) == (vessel_id, stock_id)
        )

    def _quota(self, vessel_id: str, stock_id: str) -> int:
        """Quota in kg live weight after leases and swaps."""
        pair = (vessel_id, stock_id)
        leased_in = sum(
            lease["kg"]
            for lease in self.leases.values()
            if (lease["to_vessel_id"], lease["stock_id"]) == pair
        )
        swapped = 0
        for swap in self.swaps.values():
            swapped -= swap["kg_a"] if (swap["vessel_a"], swap["stock_a"]) == pair else 0
            swapped -= swap["kg_b"] if (swap["vessel_b"], swap["stock_b"]) == pair else 0
            swapped += swap["kg_b"] if (swap["vessel_a"], swap["stock_b"]) == pair else 0
            swapped += swap["kg_a"] if (swap["vessel_b"], swap["stock_a"]) == pair else 0
        return self._held(*pair) + leased_in - self._leased_out(*pair) + swapped

    def _landed(self, vessel_id: str, stock_id: str) -> int:
        """Live weight that counts against the quota, overfishing already deducted left out."""
        earlier = sum(
            h["landed_earlier_kg"]
            for h in self.holdings.values()
            if (h["vessel_id"], h["stock_id"]) == (vessel_id, stock_id)
        )
        recorded = sum(
            landing["live_kg"]
            for landing in self.landings.values()
            if landing["stock_id"] == stock_id
            and self.trips[landing["trip_id"]]["vessel_id"] == vessel_id
        )
        deducted = sum(d["over_kg"] for d in self._deducted(vessel_id, stock_id))
        return earlier + recorded - deducted

    def _deducted(self, vessel_id: str, stock_id: str) -> list[Deduction]:
        """This year's deductions from a vessel's holding of next year."""
        key = (vessel_id, stock_id, self.settings["year"] + 1)
        return [
            d for d in self.deductions.values() if (d["vessel_id"], d["stock_id"], d["year"]) == key
        ]

    def _balance(self, vessel_id: str, stock_id: str) -> int:
        return self._quota(vessel_id, stock_id) - self._landed(vessel_id, stock_id)

    def _account(self, vessel_id: str, stock_id: str) -> dict[str, int]:
        held, out = self._held(vessel_id, stock_id), self._leased_out(vessel_id, stock_id)
        return {
            "holding_kg": held,
            "quota_kg": self._quota(vessel_id, stock_id),
            "landed_kg": self._landed(vessel_id, stock_id),
            "balance_kg": self._balance(vessel_id, stock_id),
            "leased_out_kg": out,
            "may_lease_out_kg": held * self.settings["lease_percent"] // 100 - out,
        }

    def _stocks_of(self, vessel_id: str) -> list[str]:
        """Stocks in which a vessel has quota or landings."""
        return [
            stock_id
            for stock_id in self.stocks
            if self._held(vessel_id, stock_id)
            or self._quota(vessel_id, stock_id)
            or self._landed(vessel_id, stock_id)
        ]

    def _taker_problem(self, vessel_id: str, stock_id: str) -> str | None:
        """Say why a vessel may not take over quota of a stock, or return None."""
        if problem := self._licence_problem(vessel_id, self._today()):
            return problem
        gears = self.stocks[stock_id]["gears"]
        if not any(self._endorsed(vessel_id, gear, self._today()) for gear in gears):
            return f"{vessel_id} has no endorsement for {' or '.join(gears)}"
        return None

    # Licences and trips

    def _licence_problem(self, vessel_id: str, day: str) -> str | None:
        vessel = self.vessels[vessel_id]
        if vessel["licence"] == "suspended":
            return f"The licence of {vessel_id} is suspended"
        if vessel["licence_until"] < day:
            return f"The licence of {vessel_id} ended on {vessel['licence_until']}"
        return None

    def _endorsed(self, vessel_id: str, gear: Gear, day: str) -> bool:
        return any(
            (e["vessel_id"], e["gear"]) == (vessel_id, gear) and e["valid_until"] >= day
            for e in self.endorsements.values()
        )

    def _in_season(self, stock_id: str, day: str) -> bool:
        """Whether a stock may be targeted on a day; a season may run over the new year."""
        opens, closes = (
            self.stocks[stock_id]["season_opens"],
            self.stocks[stock_id]["season_closes"],
        )
        if opens <= closes:
            return opens <= day[5:] <= closes
        return day[5:] >= opens or day[5:] <= closes

    def _live(self, stock_id: str, presentation: Presentation, kg: int) -> int | None:
        factor = self.stocks[stock_id]["factors"].get(presentation)
        return None if factor is None else round(kg * factor)

    def _live_landed(self, trip_id: str) -> dict[str, int]:
        """Live weight landed from a trip, by stock."""
        live: dict[str, int] = {}
        for landing in self.landings.values():
            if landing["trip_id"] == trip_id:
                before = live.get(landing["stock_id"], 0)
                live[landing["stock_id"]] = before + landing["live_kg"]
        return live

    def _trip_problem(self, trip_id: str) -> str | None:
        """Say why a trip cannot be worked on, or return None."""
        if trip_id not in self.trips:
            return f"Trip {trip_id} does not exist"
        if (status := self.trips[trip_id]["status"]) != "landed":
            return f"Trip {trip_id} is {status}"
        return None

    def _hours_over(self, trip_id: str, hours: int) -> bool:
        """Whether more hours than these have gone since a trip landed."""
        landed_at = datetime.fromisoformat(str(self.trips[trip_id]["landed_at"]))
        return datetime.now() > landed_at + timedelta(hours=hours)

    def _inspection_pending(self, trip_id: str) -> str | None:
        for inspection_id, inspection in self.inspections.items():
            if inspection["trip_id"] == trip_id and inspection["finding"] is None:
                return f"Inspection {inspection_id} of trip {trip_id} is still to come"
        return None

    def _bycatch_problem(self, trip_id: str) -> str | None:
        """Say which stock is over its share of a trip; an inspection may have dealt with it."""
        if any(
            (i["trip_id"], i["finding"]) == (trip_id, "bycatch") for i in self.inspections.values()
        ):
            return None
        live = self._live_landed(trip_id)
        for stock_id, kg in live.items():
            most = self.stocks[stock_id]["bycatch_percent"]
            other = stock_id != self.trips[trip_id]["target_stock_id"]
            if other and kg * 100 > sum(live.values()) * most:
                share = round(100 * kg / sum(live.values()), 1)
                return f"{stock_id} is {share} percent of trip {trip_id}, {most} are allowed"
        return None

    def _quota_problem(self, trip_id: str) -> str | None:
        """Say which stock of a trip its vessel has fished over its quota, or return None."""
        vessel_id = self.trips[trip_id]["vessel_id"]
        for stock_id in self._live_landed(trip_id):
            if (balance := self._balance(vessel_id, stock_id)) < 0:
                return f"{vessel_id} is {-balance} kg over its quota of {stock_id}"
        return None

    def _matching_problem(self, trip_id: str) -> str | None:
        """Say which landings and sales notes of a trip wait to be matched, or return None."""
        notes = {i: n for i, n in self.sales_notes.items() if n["trip_id"] == trip_id}
        sold = {n["landing_id"] for n in notes.values()}
        waiting = [i for i, n in notes.items() if n["landing_id"] is None]
        waiting += [
            i for i, x in self.landings.items() if x["trip_id"] == trip_id and i not in sold
        ]
        return f"Not matched: {', '.join(waiting)}" if waiting else None

    def _open_points(self, trip_id: str) -> list[str]:
        """What keeps the file of a landed trip from being closed."""
        if not self._live_landed(trip_id):
            return [f"Trip {trip_id} has no landing"]
        findings = (
            self._inspection_pending(trip_id),
            self._logbook_problem(trip_id),
            self._bycatch_problem(trip_id),
            self._matching_problem(trip_id),
            self._quota_problem(trip_id),
        )
        return [finding for finding in findings if finding]

    def _logbook_problem(self, trip_id: str) -> str | None:
        lines = [line for line in self.logbook.values() if line["trip_id"] == trip_id]
        live = self._live_landed(trip_id)
        for stock_id in sorted({*live, *(line["stock_id"] for line in lines)}):
            logged = sum(line["kg"] for line in lines if line["stock_id"] == stock_id)
            landed = live.get(stock_id, 0)
            if _off_by(logged, landed, landed, self.settings["logbook_tolerance_percent"]):
                return f"The logbook says {logged} kg of {stock_id}, {landed} kg were landed"
        return None

    # Queries

    def get_settings(self) -> dict[str, Any]:
        """Show this year's tolerances, deadlines and limits, and the statistical areas."""
        return {"success": True, "settings": self.settings, "areas": self.areas}

    def list_stocks(self, text: str = "") -> dict[str, Any]:
        """List stocks with season, gears, by-catch limit, swap points and conversion factors.

        Args:
            text: Part of the stock's name or id, any case; empty for all.
        """
        found = [
            {"stock_id": stock_id, **stock}
            for stock_id, stock in self.stocks.items()
            if text.lower() in f"{stock_id} {stock['name']}".lower()
        ]
        return {"success": True, "stocks": found}

    def search_vessels(self, text: str = "", gear: Gear | None = None) -> dict[str, Any]:
        """Find vessels with their licence.

        Args:
            text: Part of the number, name, owner or home port, any case; empty for all.
            gear: Only vessels that are endorsed for this gear today.
        """
        found = [
            {"vessel_id": vessel_id, **vessel}
            for vessel_id, vessel in self.vessels.items()
            if text.lower()
            in f"{vessel_id} {vessel['name']} {vessel['owner']} {vessel['home_port']}".lower()
            and (gear is None or self._endorsed(vessel_id, gear, self._today()))
        ]
        return {"success": True, "vessels": found}

    def get_vessel(self, vessel_id: str) -> dict[str, Any]:
        """Show a vessel with endorsements, quota accounts in kg live weight, and refusals.

        Args:
            vessel_id: The vessel.
        """
        if vessel_id not in self.vessels:
            return _no(f"Vessel {vessel_id} does not exist")
        return {
            "success": True,
            "vessel": {"vessel_id": vessel_id, **self.vessels[vessel_id]},
            "endorsements": [
                {"gear": e["gear"], "valid_until": e["valid_until"]}
                for e in self.endorsements.values()
                if e["vessel_id"] == vessel_id
            ],
            "quota": {s: self._account(vessel_id, s) for s in self._stocks_of(vessel_id)},
            "deductions": {i: d for i, d in self.deductions.items() if d["vessel_id"] == vessel_id},
            "refusals": {i: r for i, r in self.refusals.items() if r["record_id"] == vessel_id},
        }

    def list_quota(self, stock_id: str) -> dict[str, Any]:
        """List all accounts for a stock, in kg live weight, with its leases and swaps.

        Args:
            stock_id: The stock.
        """
        if stock_id not in self.stocks:
            return _no(f"Stock {stock_id} does not exist")
        accounts = [
            {"vessel_id": vessel_id, "name": vessel["name"], **self._account(vessel_id, stock_id)}
            for vessel_id, vessel in self.vessels.items()
            if stock_id in self._stocks_of(vessel_id)
        ]
        return {
            "success": True,
            "accounts": accounts,
            "leases": {i: x for i, x in self.leases.items() if x["stock_id"] == stock_id},
            "swaps": {
                i: x for i, x in self.swaps.items() if stock_id in (x["stock_a"], x["stock_b"])
            },
        }

    def list_trips(
        self, vessel_id: str | None = None, status: TripStatus | None = None, port: str = ""
    ) -> dict[str, Any]:
        """List trips by the time at which they sailed.

        Args:
            vessel_id: Only trips of this vessel.
            status: Only trips in this status.
            port: Part of the port of landing, any case; empty for all.
        """
        found = [
            {"trip_id": trip_id, "vessel": self.vessels[trip["vessel_id"]]["name"], **trip}
            for trip_id, trip in self.trips.items()
            if vessel_id in (None, trip["vessel_id"])
            and status in (None, trip["status"])
            and port.lower() in (trip["port"] or "").lower()
        ]
        return {"success": True, "trips": sorted(found, key=lambda t: str(t["sailed_at"]))}

    def get_trip(self, trip_id: str) -> dict[str, Any]:
        """Show a trip with its logbook, landings, sales notes, inspections and refusals.

        Args:
            trip_id: The trip.
        """
        if trip_id not in self.trips:
            return _no(f"Trip {trip_id} does not exist")
        return {
            "success": True,
            "trip": {"trip_id": trip_id, **self.trips[trip_id]},
            "logbook": {i: x for i, x in self.logbook.items() if x["trip_id"] == trip_id},
            "landings": {i: x for i, x in self.landings.items() if x["trip_id"] == trip_id},
            "sales_notes": {i: x for i, x in self.sales_notes.items() if x["trip_id"] == trip_id},
            "inspections": {i: x for i, x in self.inspections.items() if x["trip_id"] == trip_id},
            "refusals": {i: x for i, x in self.refusals.items() if x["record_id"] == trip_id},
        }

    def check_trip(self, trip_id: str) -> dict[str, Any]:
        """Show the live weight of a landed trip by stock, and what keeps its file open.

        Args:
            trip_id: A landed trip.
        """
        if problem := self._trip_problem(trip_id):
            return _no(problem)
        return {
            "success": True,
            "live_kg": self._live_landed(trip_id),
            "open_points": self._open_points(trip_id),
        }

    def list_closures(self, area_id: str | None = None, day: str | None = None) -> dict[str, Any]:
        """List closures of areas.

        Args:
            area_id: Only closures of this area.
            day: Only closures in force on this ISO date, YYYY-MM-DD.
        """
        if day is not None and not _is_date(day):
            return _no("Dates are written YYYY-MM-DD")
        found = {
            closure_id: closure
            for closure_id, closure in self.closures.items()
            if area_id in (None, closure["area_id"])
            and (day is None or closure["from_day"] <= day <= closure["to_day"])
        }
        return {"success": True, "closures": found}

    def list_sales_notes(self, unmatched_only: bool = False, buyer: str = "") -> dict[str, Any]:
        """List sales notes, with the vessel that landed the fish.

        Args:
            unmatched_only: Only notes that no landing was matched with.
            buyer: Part of the buyer's name, any case; empty for all.
        """
        found = [
            {
                "note_id": note_id,
                **note,
                "vessel": self.vessels[self.trips[note["trip_id"]]["vessel_id"]]["name"],
            }
            for note_id, note in self.sales_notes.items()
            if buyer.lower() in note["buyer"].lower()
            and not (unmatched_only and note["landing_id"] is not None)
        ]
        return {"success": True, "sales_notes": found}

    def list_inspections(self, planned_only: bool = False) -> dict[str, Any]:
        """List port inspections.

        Args:
            planned_only: Only inspections without a finding yet.
        """
        found = {
            inspection_id: inspection
            for inspection_id, inspection in self.inspections.items()
            if not (planned_only and inspection["finding"] is not None)
        }
        return {"success": True, "inspections": found}

    def convert_weight(
        self, stock_id: str, presentation: Presentation, landed_kg: int
    ) -> dict[str, Any]:
        """Reckon live weight in kg from landed weight.

        Args:
            stock_id: The stock.
            presentation: How the fish is landed.
            landed_kg: Weight as landed, in kg.
        """
        if stock_id not in self.stocks:
            return _no(f"Stock {stock_id} does not exist")
        live = self._live(stock_id, presentation, landed_kg)
        if live is None:
            return _no(f"{stock_id} is not landed {presentation}")
        factor = self.stocks[stock_id]["factors"][presentation]
        return {"success": True, "factor": factor, "live_kg": live}

    # Changes

    def open_trip(
        self, vessel_id: str, gear: Gear, area_id: str, target_stock_id: str, sails_at: str
    ) -> dict[str, Any]:
        """Clear a vessel for a trip.

        Args:
            vessel_id: A vessel that is not at sea.
            gear: The gear it will use.
            area_id: Where it will fish.
            target_stock_id: What it is after.
            sails_at: Departure within the next 72 hours, YYYY-MM-DDTHH:MM.
        """
        if vessel_id not in self.vessels:
            return _no(f"Vessel {vessel_id} does not exist")
        if area_id not in self.areas:
            return _no(f"Area {area_id} does not exist")
        if target_stock_id not in self.stocks:
            return _no(f"Stock {target_stock_id} does not exist")
        now = datetime.now()
        if not _is_minute(sails_at) or not (
            now <= datetime.fromisoformat(sails_at) <= now + DEPARTURE_WINDOW
        ):
            return _no("Departure is within 72 hours, written YYYY-MM-DDTHH:MM")
        day, stock = sails_at[:10], self.stocks[target_stock_id]
        if problem := self._licence_problem(vessel_id, day):
            return _no(problem)
        if any((t["vessel_id"], t["status"]) == (vessel_id, "at_sea") for t in self.trips.values()):
            return _no(f"{vessel_id} is at sea or cleared for it already")
        if not self._endorsed(vessel_id, gear, day):
            return _no(f"{vessel_id} has no {gear} endorsement on {day}")
        if gear not in stock["gears"] or area_id not in stock["area_ids"]:
            return _no(f"{target_stock_id} is not fished with {gear} in {area_id}")
        if not self._in_season(target_stock_id, day):
            return _no(f"{target_stock_id} is out of season on {day}")
        for closure_id, closure in self.closures.items():
            if (
                closure["area_id"] == area_id
                and closure["gear"] in (gear, "all")
                and closure["from_day"] <= day <= closure["to_day"]
            ):
                return _no(f"{area_id} is closed ({closure_id}, {closure['reason']})")
        balance = self._balance(vessel_id, target_stock_id)
        if balance <= 0:
            return _no(f"{vessel_id} has {balance} kg of {target_stock_id} left")
        trip_id = f"TP-{self.next_trip}"
        self.next_trip += 1
        self.trips[trip_id] = {
            "vessel_id": vessel_id,
            "gear": gear,
            "area_id": area_id,
            "target_stock_id": target_stock_id,
            "sailed_at": sails_at,
            "landed_at": None,
            "port": None,
            "status": "at_sea",
        }
        return {"success": True, "trip_id": trip_id, "balance_kg": balance}

    def declare_landing(
        self, trip_id: str, stock_id: str, presentation: Presentation, landed_kg: int
    ) -> dict[str, Any]:
        """Declare what a trip landed of a stock in one presentation; it counts as live weight.

        Args:
            trip_id: A landed trip.
            stock_id: The stock.
            presentation: How the fish is landed.
            landed_kg: Weight as landed, in kg, at least 1.
        """
        if problem := self._trip_problem(trip_id):
            return _no(problem)
        if stock_id not in self.stocks:
            return _no(f"Stock {stock_id} does not exist")
        live = self._live(stock_id, presentation, landed_kg)
        if live is None or landed_kg < 1:
            return _no(f"{landed_kg} kg {presentation} is no landing of {stock_id}")
        hours = self.settings["declaration_hours"]
        if self._hours_over(trip_id, hours):
            return _no(f"Landings are declared within {hours} hours")
        for landing_id, landing in self.landings.items():
            key = (landing["trip_id"], landing["stock_id"], landing["presentation"])
            if key == (trip_id, stock_id, presentation):
                return _no(f"{landing_id} declares that already: correct it instead")
        landing_id = f"LD-{self.next_landing}"
        self.next_landing += 1
        self.landings[landing_id] = {
            "trip_id": trip_id,
            "stock_id": stock_id,
            "presentation": presentation,
            "landed_kg": landed_kg,
            "live_kg": live,
        }
        balance = self._balance(self.trips[trip_id]["vessel_id"], stock_id)
        return {"success": True, "landing_id": landing_id, "live_kg": live, "balance_kg": balance}

    def correct_landing(self, landing_id: str, landed_kg: int) -> dict[str, Any]:
        """Correct the weight of a landing, before a sales note is matched with it.

        Args:
            landing_id: A landing of a trip that is not closed.
            landed_kg: The right weight as landed, in kg.
        """
        if landing_id not in self.landings:
            return _no(f"Landing {landing_id} does not exist")
        landing = self.landings[landing_id]
        trip_id = landing["trip_id"]
        if problem := self._trip_problem(trip_id) or self._inspection_pending(trip_id):
            return _no(problem)
        if any(note["landing_id"] == landing_id for note in self.sales_notes.values()):
            return _no(f"Landing {landing_id} is matched with its sales note")
        if landed_kg < 1 or landed_kg == landing["landed_kg"]:
            return _no(f"{landing_id} says {landing['landed_kg']} kg; give another weight above 0")
        factor = self.stocks[landing["stock_id"]]["factors"][landing["presentation"]]
        landing["landed_kg"] = landed_kg
        landing["live_kg"] = round(landed_kg * factor)
        balance = self._balance(self.trips[trip_id]["vessel_id"], landing["stock_id"])
        return {"success": True, "live_kg": landing["live_kg"], "balance_kg": balance}

    def correct_logbook(self, line_id: str, kg: int) -> dict[str, Any]:
        """Correct a skipper's estimate, once and soon after the landing.

        Args:
            line_id: A logbook line of a landed trip.
            kg: The right live weight, in kg.
        """
        if line_id not in self.logbook:
            return _no(f"Logbook line {line_id} does not exist")
        line = self.logbook[line_id]
        trip_id = line["trip_id"]
        if problem := self._trip_problem(trip_id) or self._inspection_pending(trip_id):
            return _no(problem)
        hours = self.settings["correction_hours"]
        if self._hours_over(trip_id, hours):
            return _no(f"The logbook is corrected within {hours} hours of landing")
        if line["first_kg"] is not None:
            return _no(f"{line_id} was corrected before")
        if kg < 0 or kg == line["kg"]:
            return _no(f"{line_id} says {line['kg']} kg; give another weight")
        line["first_kg"] = line["kg"]
        line["kg"] = kg
        return {"success": True, "trip_id": trip_id, "was_kg": line["first_kg"]}

    def match_sales_note(self, note_id: str, landing_id: str) -> dict[str, Any]:
        """Match a buyer's sales note with the landing that it is about.

        Args:
            note_id: A sales note without a landing.
            landing_id: A landing of the same trip, stock and presentation.
        """
        if note_id not in self.sales_notes:
            return _no(f"Sales note {note_id} does not exist")
        if landing_id not in self.landings:
            return _no(f"Landing {landing_id} does not exist")
        note, landing = self.sales_notes[note_id], self.landings[landing_id]
        if note["landing_id"] is not None:
            return _no(f"{note_id} is matched with {note['landing_id']}")
        if any(other["landing_id"] == landing_id for other in self.sales_notes.values()):
            return _no(f"{landing_id} is matched with another note")
        if (note["trip_id"], note["stock_id"]) != (landing["trip_id"], landing["stock_id"]):
            return _no(f"{note_id} and {landing_id} are about different fish")
        if note["presentation"] != landing["presentation"]:
            return _no(f"{note_id} is {note['presentation']}, not {landing['presentation']}")
        sold, landed = note["sold_kg"], landing["landed_kg"]
        if _off_by(sold, landed, landed, self.settings["sale_tolerance_percent"]):
            return _no(f"{sold} kg were sold, {landed} kg landed: out of tolerance")
        note["landing_id"] = landing_id
        return {"success": True, "difference_kg": sold - landed}

    def close_trip(self, trip_id: str) -> dict[str, Any]:
        """Close the file of a landed trip when everything in it agrees.

        Args:
            trip_id: A landed trip.
        """
        if problem := self._trip_problem(trip_id):
            return _no(problem)
        if points := self._open_points(trip_id):
            return _no("; ".join(points))
        self.trips[trip_id]["status"] = "closed"
        return {"success": True, "live_kg": self._live_landed(trip_id)}

    def register_lease(
        self, from_vessel_id: str, to_vessel_id: str, stock_id: str, kg: int
    ) -> dict[str, Any]:
        """Register that a vessel lets another fish some of its quota this year.

        Args:
            from_vessel_id: The vessel that gives quota.
            to_vessel_id: The vessel that takes it.
            stock_id: The stock.
            kg: Live weight in kg, at least 1.
        """
        for vessel_id in (from_vessel_id, to_vessel_id):
            if vessel_id not in self.vessels:
                return _no(f"Vessel {vessel_id} does not exist")
        if stock_id not in self.stocks:
            return _no(f"Stock {stock_id} does not exist")
        if from_vessel_id == to_vessel_id or kg < 1:
            return _no("A lease is at least 1 kg, between two vessels")
        if self._today() > self.settings["leases_close_on"]:
            return _no(f"Leases closed on {self.settings['leases_close_on']}")
        if problem := self._taker_problem(to_vessel_id, stock_id):
            return _no(problem)
        account = self._account(from_vessel_id, stock_id)
        most = min(account["balance_kg"], account["may_lease_out_kg"])
        if kg > most:
            return _no(f"{from_vessel_id} may lease out {max(most, 0)} kg of {stock_id} more")
        lease_id = f"LS-{self.next_lease}"
        self.next_lease += 1
        self.leases[lease_id] = {
            "from_vessel_id": from_vessel_id,
            "to_vessel_id": to_vessel_id,
            "stock_id": stock_id,
            "kg": kg,
            "agreed_on": self._today(),
        }
        return {
            "success": True,
            "lease_id": lease_id,
            "from_balance_kg": self._balance(from_vessel_id, stock_id),
            "to_balance_kg": self._balance(to_vessel_id, stock_id),
        }

    def register_swap(
        self, vessel_a: str, stock_a: str, kg_a: int, vessel_b: str, stock_b: str, kg_b: int
    ) -> dict[str, Any]:
        """Register a swap of quota between two vessels, worth about the same in points.

        Args:
            vessel_a: The first vessel.
            stock_a: What the first vessel gives.
            kg_a: How much of it, live weight in kg.
            vessel_b: The second vessel.
            stock_b: What the second vessel gives.
            kg_b: How much of it, live weight in kg.
        """
        sides = ((vessel_a, stock_a, kg_a), (vessel_b, stock_b, kg_b))
        for vessel_id, stock_id, kg in sides:
            if vessel_id not in self.vessels:
                return _no(f"Vessel {vessel_id} does not exist")
            if stock_id not in self.stocks:
                return _no(f"Stock {stock_id} does not exist")
            balance = self._balance(vessel_id, stock_id)
            if not 1 <= kg <= balance:
                return _no(f"{vessel_id} cannot give {kg} kg: it has {balance} kg of {stock_id}")
        if vessel_a == vessel_b or stock_a == stock_b:
            return _no("A swap is between two vessels and two stocks")
        if self._today() > self.settings["leases_close_on"]:
            return _no(f"Swaps closed on {self.settings['leases_close_on']}")
        for vessel_id, stock_id in ((vessel_a, stock_b), (vessel_b, stock_a)):
            if problem := self._taker_problem(vessel_id, stock_id):
                return _no(problem)
        worth_a = round(kg_a * self.stocks[stock_a]["points_per_kg"], 1)
        worth_b = round(kg_b * self.stocks[stock_b]["points_per_kg"], 1)
        tolerance = self.settings["swap_tolerance_percent"]
        if _off_by(worth_a, worth_b, max(worth_a, worth_b), tolerance):
            return _no(f"{worth_a} against {worth_b} points is not an even swap")
        swap_id = f"SW-{self.next_swap}"
        self.next_swap += 1
        self.swaps[swap_id] = {
            "vessel_a": vessel_a,
            "stock_a": stock_a,
            "kg_a": kg_a,
            "vessel_b": vessel_b,
            "stock_b": stock_b,
            "kg_b": kg_b,
            "agreed_on": self._today(),
        }
        return {"success": True, "swap_id": swap_id, "worth_a": worth_a, "worth_b": worth_b}

    def apply_deduction(self, vessel_id: str, stock_id: str) -> dict[str, Any]:
        """Take a vessel's overfishing of a stock off its holding of next year.

        Kilogram for kilogram up to 5 percent of the quota, 1.2 times the whole beyond that; what
        was deducted before for this year counts in the whole.

        Args:
            vessel_id: A vessel with a negative balance.
            stock_id: The stock.
        """
        if vessel_id not in self.vessels:
            return _no(f"Vessel {vessel_id} does not exist")
        if stock_id not in self.stocks:
            return _no(f"Stock {stock_id} does not exist")
        over = -self._balance(vessel_id, stock_id)
        if over <= 0:
            return _no(f"{vessel_id} is not over its quota of {stock_id}")
        if self._held(vessel_id, stock_id) == 0:
            return _no(f"{vessel_id} holds no {stock_id} that could be deducted: lease it")
        before = self._deducted(vessel_id, stock_id)
        whole = over + sum(d["over_kg"] for d in before)
        grace = self._quota(vessel_id, stock_id) * OVERFISHING_GRACE_PERCENT
        due = whole if whole * 100 <= grace else round(whole * OVERFISHING_FACTOR)
        kg = due - sum(d["kg"] for d in before)
        deduction_id = f"DD-{self.next_deduction}"
        self.next_deduction += 1
        self.deductions[deduction_id] = {
            "vessel_id": vessel_id,
            "stock_id": stock_id,
            "year": self.settings["year"] + 1,
            "over_kg": over,
            "kg": kg,
        }
        return {"success": True, "deduction_id": deduction_id, "over_kg": over, "kg": kg}

    def close_area(
        self, area_id: str, gear: ClosedTo, from_day: str, to_day: str, reason: ClosureReason
    ) -> dict[str, Any]:
        """Close an area to a gear, or to all, for at most 21 days.

        Args:
            area_id: The area.
            gear: The gear that is shut out, or all.
            from_day: First ISO date, YYYY-MM-DD, tomorrow or later.
            to_day: Last ISO date, YYYY-MM-DD.
            reason: What is protected.
        """
        if area_id not in self.areas:
            return _no(f"Area {area_id} does not exist")
        if not _is_date(from_day) or not _is_date(to_day) or not self._today() < from_day <= to_day:
            return _no("A closure runs between two dates, YYYY-MM-DD, from tomorrow on")
        days = (date.fromisoformat(to_day) - date.fromisoformat(from_day)).days + 1
        if days > LONGEST_CLOSURE_DAYS:
            return _no(f"A closure lasts {LONGEST_CLOSURE_DAYS} days at most")
        for closure_id, other in self.closures.items():
            overlaps = other["from_day"] <= to_day and from_day <= other["to_day"]
            if overlaps and (other["area_id"], other["gear"]) == (area_id, gear):
                return _no(f"{closure_id} closes {area_id} to {gear} in those days")
        closure_id = f"CL-{self.next_closure}"
        self.next_closure += 1
        self.closures[closure_id] = {
            "area_id": area_id,
            "gear": gear,
            "from_day": from_day,
            "to_day": to_day,
            "reason": reason,
        }
        return {"success": True, "closure_id": closure_id, "days": days}

    def record_inspection(self, inspection_id: str, finding: Finding) -> dict[str, Any]:
        """Enter the finding of a port inspection.

        Args:
            inspection_id: An inspection that was planned for today or earlier.
            finding: What was found wrong, or none.
        """
        if inspection_id not in self.inspections:
            return _no(f"Inspection {inspection_id} does not exist")
        inspection = self.inspections[inspection_id]
        if inspection["finding"] is not None:
            return _no(f"Inspection {inspection_id} found {inspection['finding']} already")
        if inspection["planned_on"] > self._today():
            return _no(f"Inspection {inspection_id} is planned for {inspection['planned_on']}")
        inspection["finding"] = finding
        return {"success": True, "trip_id": inspection["trip_id"]}

    def refuse_request(
        self, record_id: str, reason: VesselReason | TripReason | NoteReason
    ) -> dict[str, Any]:
        """Put on record that a request was turned down.

        Reasons about licence, gear, area, season and quota are filed on the vessel they are
        about, lease_limit and unequal_swap on the vessel that asked to give, reasons about
        by-catch, logbook, inspection and lateness on the trip, mismatches on the sales note.

        Args:
            record_id: The vessel, trip or sales note.
            reason: The rule that stood in the way.
        """
        if reason in ("weight_mismatch", "presentation_mismatch"):
            kind, known = "sales note", tuple(self.sales_notes)
        elif reason.startswith(("bycatch", "logbook", "inspection", "late")):
            kind, known = "trip", tuple(self.trips)
        else:
            kind, known = "vessel", tuple(self.vessels)
        if record_id not in known:
            return _no(f"{reason} is filed on a {kind}, and {record_id!r} is none")
        for refusal_id, refusal in self.refusals.items():
            if (refusal["record_id"], refusal["reason"]) == (record_id, reason):
                return _no(f"{refusal_id} says so already")
        refusal_id = f"RF-{self.next_refusal}"
        self.next_refusal += 1
        entry: Refusal = {"record_id": record_id, "reason": reason, "refused_on": self._today()}
        self.refusals[refusal_id] = entry
        return {"success": True, "refusal_id": refusal_id}
