"""A city food bank: donated lots, referred households, parcels, pantries, agencies, volunteers."""

from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict

Allergen = Literal["gluten", "milk", "egg", "nuts", "soya", "fish", "sesame"]
Group = Literal["staple", "protein", "produce", "dairy", "treat"]
Diet = Literal["any", "vegetarian", "vegan", "halal"]
Clearance = Literal["safeguarding", "food_hygiene", "driving"]
Duty = Literal["counter", "cold_store", "driver"]
WriteOff = Literal["out_of_date", "warmed", "recalled"]
Decline = Literal[
    "referral_missing",
    "referral_limit",
    "too_soon",
    "no_place",
    "not_step_free",
    "points_spent",
    "agency_suspended",
    "agency_quota_spent",
]

CLEARED_FOR: dict[Duty, Clearance] = {
    "counter": "safeguarding",
    "cold_store": "food_hygiene",
    "driver": "driving",
}


class Settings(TypedDict):
    """What the trustees have decided."""

    adult_points: int  # allowance for a calendar month
    child_points: int
    visit_gap_days: int  # least number of days between two visits of a household
    referral_days: int  # how long a referral is valid
    visits_per_referral: int
    referrals_in_180_days: int  # most that a household gets
    households_per_counter: int  # visits in a slot that one counter volunteer can look after
    pack_days_ahead: int
    grace_days: int  # days after its best-before date for which food is still given away
    warm_minutes: int  # minutes outside the cold after which chilled food is lost


class Product(TypedDict):
    """A kind of food, counted in units of one weight."""

    name: str
    group: Group
    unit_g: int
    points: int
    allergens: list[Allergen]
    suits: list[Diet]
    chilled: bool
    cooking: bool  # has to be cooked


class Site(TypedDict):
    """The warehouse or a pantry."""

    name: str
    step_free: bool
    cold_units: int  # chilled units that fit into its cold store


class Lot(TypedDict):
    """Units of one donation, at one site."""

    product_id: str
    site_id: str
    units: int
    batch: str
    date: str
    date_kind: Literal["use_by", "best_before"]
    minutes_warm: int
    written_off: WriteOff | None


class Recall(TypedDict):
    """A batch that a producer or the authorities have called back."""

    product_id: str
    batch: str
    since: str


class Household(TypedDict):
    """People who share a kitchen, or do without one."""

    name: str
    adults: int
    children: int
    diet: Diet
    allergies: list[Allergen]
    kitchen: bool
    needs_step_free: bool
    carries_g: int
    points_used: int  # this month


class Referral(TypedDict):
    """An agency's word that a household needs help."""

    household_id: str
    agency_id: str
    issued_on: str
    valid_until: str
    visits: int


class Agency(TypedDict):
    """A partner that refers households and orders food for those it feeds."""

    name: str
    people_fed: int
    fridge: bool
    suspended: bool
    referrals_left: int  # this quarter


class Order(TypedDict):
    """An agency's order for a product."""

    agency_id: str
    product_id: str
    units: int
    allotted: int | None


class Slot(TypedDict):
    """An opening hour of a pantry and the visits for which there is room."""

    site_id: str
    starts_at: str
    places: int
    crew: dict[str, Duty]


class Visit(TypedDict):
    """A household's appointment."""

    slot_id: str
    household_id: str
    referral_id: str  # the one on which it was booked
    status: Literal["booked", "kept", "cancelled"]


class Parcel(TypedDict):
    """Food packed for a visit: units by lot."""

    visit_id: str
    units: dict[str, int]
    points: int
    weight_g: int
    status: Literal["packed", "handed_over", "unpacked"]


class Volunteer(TypedDict):
    """A volunteer, with the day on which each clearance ends."""

    name: str
    clearances: dict[Clearance, str]
    shifts_a_week: int


class Vehicle(TypedDict):
    """A van or car."""

    name: str
    refrigerated: bool
    load_g: int


class Item(TypedDict):
    """A wish for a parcel.

    Attributes:
        product_id: The product.
        units: How many units, at least 1.
    """

    product_id: str
    units: int


def _fault(text: str) -> dict[str, Any]:
    return {"success": False, "error": text}


class FoodBank:
    """The food bank of a city, with its warehouse, pantries and partners."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.settings: Settings = {
            "adult_points": 0,
            "child_points": 0,
            "visit_gap_days": 0,
            "referral_days": 0,
            "visits_per_referral": 0,
            "referrals_in_180_days": 0,
            "households_per_counter": 0,
            "pack_days_ahead": 0,
            "grace_days": 0,
            "warm_minutes": 0,
        }
        self.products: dict[str, Product] = {}
        self.sites: dict[str, Site] = {}
        self.lots: dict[str, Lot] = {}
        self.recalls: dict[str, Recall] = {}
        self.households: dict[str, Household] = {}
        self.referrals: dict[str, Referral] = {}
        self.agencies: dict[str, Agency] = {}
        self.orders: dict[str, Order] = {}
        self.slots: dict[str, Slot] = {}
        self.visits: dict[str, Visit] = {}
        self.parcels: dict[str, Parcel] = {}
        self.volunteers: dict[str, Volunteer] = {}
        self.vehicles: dict[str, Vehicle] = {}
        self.declines: dict[str, dict[str, str]] = {}
        self.warehouse_id: str = ""
        self.next_id: int = 1

    # Days and numbers

    def _day(self, ahead: int = 0) -> str:
        return (datetime.now() + timedelta(days=ahead)).date().isoformat()

    def _gap(self, one: str, other: str) -> int:
        return abs((datetime.fromisoformat(one[:10]) - datetime.fromisoformat(other[:10])).days)

    def _number(self, prefix: str) -> str:
        record_id = f"{prefix}-{self.next_id}"
        self.next_id += 1
        return record_id

    # Food

    def _unfit(self, lot: Lot, day: str) -> WriteOff | None:
        """Why food cannot be given away on a day, or None."""
        recalled = [(r["product_id"], r["batch"]) for r in self.recalls.values()]
        if (lot["product_id"], lot["batch"]) in recalled:
            return "recalled"
        if lot["minutes_warm"] > self.settings["warm_minutes"]:
            return "warmed"
        grace = self.settings["grace_days"] if lot["date_kind"] == "best_before" else 0
        last = datetime.fromisoformat(lot["date"]) + timedelta(days=grace)
        return "out_of_date" if last.date().isoformat() < day else None

    def _stock(self, product_id: str, site_id: str, day: str) -> list[str]:
        """Lots of a product that a site can give away on a day, the earliest date first."""
        usable = [
            i
            for i, lot in self.lots.items()
            if (lot["product_id"], lot["site_id"]) == (product_id, site_id)
            and lot["units"] > 0
            and lot["written_off"] is None
            and self._unfit(lot, day) is None
        ]
        return sorted(usable, key=lambda i: (self.lots[i]["date"], i))

    def _draw(self, product_id: str, site_id: str, day: str, units: int) -> dict[str, int]:
        """Units by lot that make up a quantity, or nothing if there is too little."""
        drawn: dict[str, int] = {}
        for lot_id in self._stock(product_id, site_id, day):
            take = min(units - sum(drawn.values()), self.lots[lot_id]["units"])
            if take > 0:
                drawn[lot_id] = take
        return drawn if sum(drawn.values()) == units else {}

    def _cold_room(self, site_id: str) -> int:
        """Chilled units for which a site's cold store has room."""
        stored = sum(
            lot["units"]
            for lot in self.lots.values()
            if lot["site_id"] == site_id
            and lot["written_off"] is None
            and self.products[lot["product_id"]]["chilled"]
        )
        return self.sites[site_id]["cold_units"] - stored

    def _parcel_with(self, lot_id: str) -> str | None:
        """A packed parcel that holds food of a lot, or None."""
        for parcel_id, parcel in self.parcels.items():
            if parcel["status"] == "packed" and lot_id in parcel["units"]:
                return parcel_id
        return None

    # People

    def _allowance(self, household: Household) -> int:
        adults = household["adults"] * self.settings["adult_points"]
        return adults + household["children"] * self.settings["child_points"]

    def _visits_of(self, household_id: str) -> dict[str, Visit]:
        return {
            i: v
            for i, v in self.visits.items()
            if v["household_id"] == household_id and v["status"] != "cancelled"
        }

    def _day_of(self, visit: Visit) -> str:
        return self.slots[visit["slot_id"]]["starts_at"][:10]

    def _visits_left(self, referral_id: str) -> int:
        """Visits of a referral that are neither booked nor kept."""
        taken = [
            v
            for v in self.visits.values()
            if v["referral_id"] == referral_id and v["status"] != "cancelled"
        ]
        return self.referrals[referral_id]["visits"] - len(taken)

    def _referral(self, household_id: str, day: str) -> str | None:
        """The referral on which a visit is booked: of those that serve, the first to end."""
        usable = [
            i
            for i, r in self.referrals.items()
            if r["household_id"] == household_id
            and r["issued_on"] <= day <= r["valid_until"]
            and self._visits_left(i) > 0
        ]
        return min(usable, key=lambda i: (self.referrals[i]["valid_until"], i), default=None)

    def _room(self, slot_id: str) -> int:
        """Visits that a slot can still take, by its places and its counter crew."""
        slot = self.slots[slot_id]
        counter = sum(duty == "counter" for duty in slot["crew"].values())
        most = min(slot["places"], counter * self.settings["households_per_counter"])
        booked = [
            v
            for v in self.visits.values()
            if v["slot_id"] == slot_id and v["status"] != "cancelled"
        ]
        return most - len(booked)

    def _unsuitable(self, product: Product, household: Household) -> str | None:
        """Say why a household should not get a product, or return None."""
        harmful = sorted(set(product["allergens"]) & set(household["allergies"]))
        if harmful:
            return f"{product['name']} contains {harmful[0]}"
        if household["diet"] != "any" and household["diet"] not in product["suits"]:
            return f"{product['name']} is not {household['diet']}"
        if product["cooking"] and not household["kitchen"]:
            return f"{product['name']} has to be cooked, and {household['name']} cannot cook"
        return None

    def _unbalanced(self, household: Household, items: list[Item]) -> str | None:
        """Say what a parcel lacks, or has too much of, for the people it is to feed."""
        people = household["adults"] + household["children"]
        least = (people + 1) // 2
        for group in ("staple", "protein", "produce"):
            units = sum(
                i["units"] for i in items if self.products[i["product_id"]]["group"] == group
            )
            if units < least:
                return f"{people} people get at least {least} units of {group}"
        treats = sum(
            i["units"] for i in items if self.products[i["product_id"]]["group"] == "treat"
        )
        if treats * 5 > sum(i["units"] for i in items):
            return "At most a fifth of the units are treats"
        return None

    # Queries

    def get_rules(self) -> dict[str, Any]:
        """Show the trustees' settings, the sites, the vehicles and the recalls."""
        return {
            "success": True,
            "settings": self.settings,
            "warehouse_id": self.warehouse_id,
            "sites": {i: {**s, "cold_room": self._cold_room(i)} for i, s in self.sites.items()},
            "vehicles": self.vehicles,
            "recalls": self.recalls,
        }

    def find_products(self, text: str = "", group: Group | None = None) -> dict[str, Any]:
        """Find products by part of their name.

        Args:
            text: Part of the name, any case; empty for all.
            group: Only products of this food group.
        """
        found = [
            {"product_id": i, **p}
            for i, p in self.products.items()
            if text.lower() in p["name"].lower() and group in (None, p["group"])
        ]
        return {"success": True, "products": found}

    def list_stock(
        self, site_id: str | None = None, product_id: str | None = None
    ) -> dict[str, Any]:
        """List lots by date, with what makes them unfit today.

        Args:
            site_id: Only lots at this site.
            product_id: Only lots of this product.
        """
        found = [
            {
                "lot_id": i,
                "product": self.products[lot["product_id"]]["name"],
                **lot,
                "unfit_today": self._unfit(lot, self._day()),
            }
            for i, lot in self.lots.items()
            if site_id in (None, lot["site_id"]) and product_id in (None, lot["product_id"])
        ]
        return {"success": True, "lots": sorted(found, key=lambda row: str(row["date"]))}

    def find_households(self, text: str = "") -> dict[str, Any]:
        """Find households by part of their name.

        Args:
            text: Part of the name, any case; empty for all.
        """
        found = [
            {"household_id": i, "name": h["name"], "people": h["adults"] + h["children"]}
            for i, h in self.households.items()
            if text.lower() in h["name"].lower()
        ]
        return {"success": True, "households": found}

    def get_household(self, household_id: str) -> dict[str, Any]:
        """Show a household with its points, referrals, visits and what was declined.

        Args:
            household_id: The household.
        """
        if household_id not in self.households:
            return _fault(f"There is no household {household_id}")
        household = self.households[household_id]
        return {
            "success": True,
            "household": household,
            "points_left": self._allowance(household) - household["points_used"],
            "referrals": [
                {"referral_id": i, **r, "visits_left": self._visits_left(i)}
                for i, r in self.referrals.items()
                if r["household_id"] == household_id
            ],
            "visits": [
                {"visit_id": i, **v, "starts_at": self.slots[v["slot_id"]]["starts_at"]}
                for i, v in self.visits.items()
                if v["household_id"] == household_id
            ],
            "declined": [
                d["reason"] for d in self.declines.values() if d["record_id"] == household_id
            ],
        }

    def list_slots(self, site_id: str | None = None, day: str | None = None) -> dict[str, Any]:
        """List opening slots in order, with the visits that they can still take.

        Args:
            site_id: Only slots of this pantry.
            day: Only slots on this day, YYYY-MM-DD.
        """
        found = [
            {
                "slot_id": i,
                "site": self.sites[s["site_id"]]["name"],
                **s,
                "room": self._room(i),
            }
            for i, s in self.slots.items()
            if site_id in (None, s["site_id"]) and day in (None, s["starts_at"][:10])
        ]
        return {"success": True, "slots": sorted(found, key=lambda row: str(row["starts_at"]))}

    def get_slot(self, slot_id: str) -> dict[str, Any]:
        """Show a slot with its crew and visits.

        Args:
            slot_id: The slot.
        """
        if slot_id not in self.slots:
            return _fault(f"There is no slot {slot_id}")
        slot = self.slots[slot_id]
        return {
            "success": True,
            "slot": slot,
            "room": self._room(slot_id),
            "crew": {self.volunteers[i]["name"]: duty for i, duty in slot["crew"].items()},
            "visits": [
                {"visit_id": i, **v, "household": self.households[v["household_id"]]["name"]}
                for i, v in self.visits.items()
                if v["slot_id"] == slot_id
            ],
        }

    def find_volunteers(self, text: str = "", cleared_for: Duty | None = None) -> dict[str, Any]:
        """Find volunteers by part of their name, with clearances and shifts.

        Args:
            text: Part of the name, any case; empty for all.
            cleared_for: Only those whose clearance for this duty is valid today.
        """
        found = [
            {
                "volunteer_id": i,
                **v,
                "shifts": sorted(s["starts_at"] for s in self.slots.values() if i in s["crew"]),
            }
            for i, v in self.volunteers.items()
            if text.lower() in v["name"].lower()
            and (
                cleared_for is None
                or v["clearances"].get(CLEARED_FOR[cleared_for], "") >= self._day()
            )
        ]
        return {"success": True, "volunteers": found}

    def list_agencies(self) -> dict[str, Any]:
        """List the partner agencies."""
        return {
            "success": True,
            "agencies": [{"agency_id": i, **a} for i, a in self.agencies.items()],
        }

    def get_agency(self, agency_id: str) -> dict[str, Any]:
        """Show an agency with its referrals, its orders and what was declined.

        Args:
            agency_id: The agency.
        """
        if agency_id not in self.agencies:
            return _fault(f"There is no agency {agency_id}")
        return {
            "success": True,
            "agency": self.agencies[agency_id],
            "referrals": [
                {"referral_id": i, **r, "visits_left": self._visits_left(i)}
                for i, r in self.referrals.items()
                if r["agency_id"] == agency_id
            ],
            "orders": [
                {"order_id": i, **o} for i, o in self.orders.items() if o["agency_id"] == agency_id
            ],
            "declined": [
                d["reason"] for d in self.declines.values() if d["record_id"] == agency_id
            ],
        }

    def list_orders(self, product_id: str | None = None) -> dict[str, Any]:
        """List the agencies' orders, with the units allotted to them so far, if any.

        Args:
            product_id: Only orders for this product.
        """
        found = [
            {"order_id": i, "agency": self.agencies[o["agency_id"]]["name"], **o}
            for i, o in self.orders.items()
            if product_id in (None, o["product_id"])
        ]
        return {"success": True, "orders": found}

    def list_parcels(
        self, status: Literal["packed", "handed_over", "unpacked"] | None = None
    ) -> dict[str, Any]:
        """List parcels with their household and what is in them, by lot.

        Args:
            status: Only parcels in this status.
        """
        found = [
            {
                "parcel_id": i,
                "household": self.households[self.visits[p["visit_id"]]["household_id"]]["name"],
                **p,
            }
            for i, p in self.parcels.items()
            if status in (None, p["status"])
        ]
        return {"success": True, "parcels": found}

    # Changes

    def register_referral(self, household_id: str, agency_id: str, visits: int) -> dict[str, Any]:
        """Take in an agency's referral of a household, valid from today.

        Args:
            household_id: The household.
            agency_id: The agency that refers it.
            visits: For how many visits.
        """
        if household_id not in self.households or agency_id not in self.agencies:
            return _fault("The household and the agency have to be known")
        agency, today = self.agencies[agency_id], self._day()
        if agency["suspended"]:
            return _fault(f"{agency['name']} is suspended")
        if agency["referrals_left"] < 1:
            return _fault(f"{agency['name']} has no referrals left this quarter")
        if not 1 <= visits <= self.settings["visits_per_referral"]:
            return _fault(f"A referral is for 1 to {self.settings['visits_per_referral']} visits")
        own = {i: r for i, r in self.referrals.items() if r["household_id"] == household_id}
        for referral_id, referral in own.items():
            if referral["valid_until"] >= today and self._visits_left(referral_id) > 0:
                return _fault(f"{referral_id} still has visits")
        recent = [r for r in own.values() if r["issued_on"] > self._day(-180)]
        if len(recent) >= self.settings["referrals_in_180_days"]:
            return _fault(f"{household_id} has had {len(recent)} referrals in 180 days")
        referral_id = self._number("RF")
        self.referrals[referral_id] = {
            "household_id": household_id,
            "agency_id": agency_id,
            "issued_on": today,
            "valid_until": self._day(self.settings["referral_days"]),
            "visits": visits,
        }
        agency["referrals_left"] -= 1
        return {"success": True, "referral_id": referral_id, **self.referrals[referral_id]}

    def book_visit(self, household_id: str, slot_id: str) -> dict[str, Any]:
        """Book a household into a slot of a pantry.

        Args:
            household_id: A household with a valid referral.
            slot_id: A slot to come that can take another visit.
        """
        if household_id not in self.households or slot_id not in self.slots:
            return _fault("The household and the slot have to exist")
        household, slot = self.households[household_id], self.slots[slot_id]
        day = slot["starts_at"][:10]
        if slot["starts_at"] <= datetime.now().isoformat():
            return _fault(f"Slot {slot_id} has begun")
        if household["needs_step_free"] and not self.sites[slot["site_id"]]["step_free"]:
            return _fault(f"{self.sites[slot['site_id']]['name']} is not step-free")
        for visit_id, visit in self._visits_of(household_id).items():
            if self._gap(self._day_of(visit), day) < self.settings["visit_gap_days"]:
                return _fault(f"Visit {visit_id} on {self._day_of(visit)} is too close")
        referral_id = self._referral(household_id, day)
        if referral_id is None:
            return _fault(f"No referral with visits left is valid on {day}")
        if self._room(slot_id) < 1:
            return _fault(f"Slot {slot_id} has no room, by its places or its counter crew")
        visit_id = self._number("VS")
        self.visits[visit_id] = {
            "slot_id": slot_id,
            "household_id": household_id,
            "referral_id": referral_id,
            "status": "booked",
        }
        return {
            "success": True,
            "visit_id": visit_id,
            "referral_id": referral_id,
            "room_left": self._room(slot_id),
        }

    def cancel_visit(self, visit_id: str) -> dict[str, Any]:
        """Cancel a booked visit for which no parcel is packed.

        Args:
            visit_id: The visit.
        """
        if visit_id not in self.visits or self.visits[visit_id]["status"] != "booked":
            return _fault(f"There is no booked visit {visit_id}")
        for parcel_id, parcel in self.parcels.items():
            if (parcel["visit_id"], parcel["status"]) == (visit_id, "packed"):
                return _fault(f"Parcel {parcel_id} is packed: unpack it first")
        self.visits[visit_id]["status"] = "cancelled"
        return {"success": True, "visit_id": visit_id, "status": "cancelled"}

    def pack_parcel(self, visit_id: str, items: list[Item]) -> dict[str, Any]:
        """Pack the parcel for a visit from the pantry's stock, the earliest dates first.

        Args:
            visit_id: A booked visit of today or of the days ahead that the settings allow.
            items: Products and units.
        """
        if visit_id not in self.visits or self.visits[visit_id]["status"] != "booked":
            return _fault(f"There is no booked visit {visit_id}")
        visit = self.visits[visit_id]
        slot, household = self.slots[visit["slot_id"]], self.households[visit["household_id"]]
        day = slot["starts_at"][:10]
        if not self._day() <= day <= self._day(self.settings["pack_days_ahead"]):
            return _fault(f"Parcels are packed {self.settings['pack_days_ahead']} days ahead")
        if any((p["visit_id"], p["status"]) == (visit_id, "packed") for p in self.parcels.values()):
            return _fault(f"Visit {visit_id} has its parcel")
        names = [item["product_id"] for item in items]
        if len(set(names)) < len(names) or any(name not in self.products for name in names):
            return _fault("Each line names another product that exists")
        units: dict[str, int] = {}
        points = weight_g = 0
        for item in items:
            product = self.products[item["product_id"]]
            if problem := self._unsuitable(product, household):
                return _fault(problem)
            drawn = self._draw(item["product_id"], slot["site_id"], day, item["units"])
            if item["units"] < 1 or not drawn:
                return _fault(f"There are not {item['units']} fit units of {product['name']}")
            units.update(drawn)
            points += item["units"] * product["points"]
            weight_g += item["units"] * product["unit_g"]
        left = self._allowance(household) - household["points_used"]
        if points > left:
            return _fault(f"{points} points are over the {left} that are left this month")
        if weight_g > household["carries_g"]:
            return _fault(f"{weight_g} g are over the {household['carries_g']} g they can carry")
        if problem := self._unbalanced(household, items):
            return _fault(problem)
        parcel_id = self._number("PA")
        self.parcels[parcel_id] = {
            "visit_id": visit_id,
            "units": units,
            "points": points,
            "weight_g": weight_g,
            "status": "packed",
        }
        household["points_used"] += points
        for lot_id, taken in units.items():
            self.lots[lot_id]["units"] -= taken
        return {"success": True, "parcel_id": parcel_id, "points": points, "weight_g": weight_g}

    def unpack_parcel(self, parcel_id: str) -> dict[str, Any]:
        """Put the food of a packed parcel back on the shelf and give the points back.

        Args:
            parcel_id: The parcel.
        """
        if parcel_id not in self.parcels or self.parcels[parcel_id]["status"] != "packed":
            return _fault(f"There is no packed parcel {parcel_id}")
        parcel = self.parcels[parcel_id]
        parcel["status"] = "unpacked"
        for lot_id, units in parcel["units"].items():
            self.lots[lot_id]["units"] += units
        household_id = self.visits[parcel["visit_id"]]["household_id"]
        self.households[household_id]["points_used"] -= parcel["points"]
        return {"success": True, "parcel_id": parcel_id, "status": "unpacked"}

    def hand_over(self, parcel_id: str) -> dict[str, Any]:
        """Hand a packed parcel over on the day of the visit.

        Args:
            parcel_id: The parcel.
        """
        if parcel_id not in self.parcels or self.parcels[parcel_id]["status"] != "packed":
            return _fault(f"There is no packed parcel {parcel_id}")
        parcel = self.parcels[parcel_id]
        visit = self.visits[parcel["visit_id"]]
        if self._day_of(visit) != self._day():
            return _fault(f"The visit is on {self._day_of(visit)}")
        spoilt = [i for i in parcel["units"] if self._unfit(self.lots[i], self._day())]
        if spoilt:
            return _fault(f"{spoilt[0]} is {self._unfit(self.lots[spoilt[0]], self._day())}")
        parcel["status"] = "handed_over"
        visit["status"] = "kept"
        return {"success": True, "parcel_id": parcel_id, "status": "handed_over"}

    def assign_volunteer(self, slot_id: str, volunteer_id: str, duty: Duty) -> dict[str, Any]:
        """Put a volunteer on the crew of a slot.

        Args:
            slot_id: A slot to come.
            volunteer_id: Someone whose clearance for the duty is valid on that day.
            duty: What they do there.
        """
        if slot_id not in self.slots or volunteer_id not in self.volunteers:
            return _fault("The slot and the volunteer have to exist")
        slot, volunteer = self.slots[slot_id], self.volunteers[volunteer_id]
        day = slot["starts_at"][:10]
        if slot["starts_at"] <= datetime.now().isoformat():
            return _fault(f"Slot {slot_id} has begun")
        valid_until = volunteer["clearances"].get(CLEARED_FOR[duty], "")
        if valid_until < day:
            return _fault(f"{volunteer['name']} has no valid {CLEARED_FOR[duty]} clearance")
        shifts = [s["starts_at"] for s in self.slots.values() if volunteer_id in s["crew"]]
        if slot["starts_at"] in shifts:
            return _fault(f"{volunteer['name']} is on a crew at that time already")
        week = datetime.fromisoformat(day).isocalendar()[:2]
        same = [s for s in shifts if datetime.fromisoformat(s).isocalendar()[:2] == week]
        if len(same) >= volunteer["shifts_a_week"]:
            return _fault(f"{volunteer['name']} has {len(same)} shifts in that week")
        slot["crew"][volunteer_id] = duty
        return {"success": True, "slot_id": slot_id, "room": self._room(slot_id)}

    def release_volunteer(self, slot_id: str, volunteer_id: str) -> dict[str, Any]:
        """Take a volunteer off the crew of a slot, unless booked visits would be left over.

        Args:
            slot_id: A slot to come.
            volunteer_id: A member of its crew.
        """
        if slot_id not in self.slots or volunteer_id not in self.slots[slot_id]["crew"]:
            return _fault(f"{volunteer_id} is not on the crew of {slot_id}")
        if self.slots[slot_id]["starts_at"] <= datetime.now().isoformat():
            return _fault(f"Slot {slot_id} has begun")
        crew = self.slots[slot_id]["crew"]
        duty = crew.pop(volunteer_id)
        if self._room(slot_id) < 0:
            crew[volunteer_id] = duty
            return _fault(f"Without {volunteer_id} slot {slot_id} has too few at the counter")
        return {"success": True, "slot_id": slot_id, "room": self._room(slot_id)}

    def move_stock(
        self, lot_id: str, site_id: str, units: int, vehicle_id: str, minutes: int
    ) -> dict[str, Any]:
        """Drive units of a lot to another site.

        Args:
            lot_id: The lot.
            site_id: Where to.
            units: How many units; a part becomes a lot of its own, and so does all that is on
                the shelf while packed parcels hold food of the lot.
            vehicle_id: The vehicle.
            minutes: Minutes on the road.
        """
        if lot_id not in self.lots or site_id not in self.sites or vehicle_id not in self.vehicles:
            return _fault("The lot, the site and the vehicle have to exist")
        lot, vehicle = self.lots[lot_id], self.vehicles[vehicle_id]
        product = self.products[lot["product_id"]]
        if lot["site_id"] == site_id or not 1 <= units <= lot["units"] or minutes < 1:
            return _fault(f"{lot_id} has {lot['units']} units at {lot['site_id']}")
        if lot["written_off"] or self._unfit(lot, self._day()):
            return _fault(f"Lot {lot_id} is not fit to be given away")
        if units * product["unit_g"] > vehicle["load_g"]:
            return _fault(f"{vehicle['name']} takes {vehicle['load_g']} g")
        warmed = lot["minutes_warm"]
        if product["chilled"]:
            warmed += 0 if vehicle["refrigerated"] else minutes
            if warmed > self.settings["warm_minutes"]:
                return _fault(f"{lot_id} would have been warm for {warmed} minutes")
            if units > self._cold_room(site_id):
                return _fault(f"The cold store there has room for {self._cold_room(site_id)} units")
        moved = lot_id
        if units < lot["units"] or self._parcel_with(lot_id):
            lot["units"] -= units
            moved = self._number("LT")
            self.lots[moved] = {**lot, "units": units}
        self.lots[moved]["site_id"] = site_id
        self.lots[moved]["minutes_warm"] = warmed
        return {"success": True, "lot_id": moved, "minutes_warm": warmed}

    def write_off(self, lot_id: str, reason: WriteOff) -> dict[str, Any]:
        """Take a lot that is not fit to be given away out of stock.

        Args:
            lot_id: The lot; packed parcels with food of it are unpacked first.
            reason: Why: past its date, too long outside the cold, or called back.
        """
        if lot_id not in self.lots or self.lots[lot_id]["written_off"] is not None:
            return _fault(f"There is no lot {lot_id} in stock")
        lot = self.lots[lot_id]
        if self._unfit(lot, self._day()) != reason:
            return _fault(f"Lot {lot_id} is not {reason}, or has a graver fault")
        if parcel_id := self._parcel_with(lot_id):
            return _fault(f"Parcel {parcel_id} holds food of {lot_id}")
        lot["written_off"] = reason
        return {"success": True, "lot_id": lot_id, "units": lot["units"]}

    def allot_product(self, product_id: str, keep_units: int) -> dict[str, Any]:
        """Share the warehouse's stock of a product among the open orders of agencies.

        Each unit goes to an order of the agency that has had the fewest units for each person
        it feeds, until every order is filled or the stock is down to what is kept. Orders that
        took part are closed, even those that got nothing.

        Args:
            product_id: The product.
            keep_units: Units that stay in the warehouse for the pantries.
        """
        if product_id not in self.products or keep_units < 0:
            return _fault("The product has to exist and what is kept is not negative")
        today = self._day()
        fit = self._stock(product_id, self.warehouse_id, today)
        free = sum(self.lots[i]["units"] for i in fit) - keep_units
        shares = {
            i: 0
            for i, o in self.orders.items()
            if (o["product_id"], o["allotted"]) == (product_id, None)
            and not self.agencies[o["agency_id"]]["suspended"]
            and (
                self.agencies[o["agency_id"]]["fridge"] or not self.products[product_id]["chilled"]
            )
        }
        if free < 1 or not shares:
            return _fault("There is nothing to share, or nobody with whom")
        had = {self.orders[i]["agency_id"]: 0 for i in shares}

        def had_each(order_id: str) -> float:
            agency_id = self.orders[order_id]["agency_id"]
            return had[agency_id] / self.agencies[agency_id]["people_fed"]

        for _ in range(free):
            hungry = [i for i in shares if shares[i] < self.orders[i]["units"]]
            if not hungry:
                break
            neediest = min(hungry, key=had_each)
            shares[neediest] += 1
            had[self.orders[neediest]["agency_id"]] += 1
        given = sum(shares.values())
        for lot_id, units in self._draw(product_id, self.warehouse_id, today, given).items():
            self.lots[lot_id]["units"] -= units
        for order_id, units in shares.items():
            self.orders[order_id]["allotted"] = units
        return {"success": True, "allotted": shares, "left_in_warehouse": free + keep_units - given}

    def decline(self, record_id: str, reason: Decline) -> dict[str, Any]:
        """Put on record that a household or an agency had to be turned down.

        Args:
            record_id: The household; for agency_suspended and agency_quota_spent, the agency.
            reason: What stood in the way.
        """
        about_agency = reason in ("agency_suspended", "agency_quota_spent")
        if record_id not in (self.agencies if about_agency else self.households):
            return _fault(f"{reason} is not filed on {record_id}")
        entry = {"record_id": record_id, "reason": reason}
        if entry in self.declines.values():
            return _fault("That is on record already")
        decline_id = self._number("DC")
        self.declines[decline_id] = entry
        return {"success": True, "decline_id": decline_id}
