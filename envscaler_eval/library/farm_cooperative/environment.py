"""A growers' cooperative: deliveries, stores, contracts, settlements, dividends, machines."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Literal, TypedDict, cast

Unit = Literal["bushel", "tonne", "kilogram"]
CropKind = Literal["grain", "produce"]
Method = Literal["conventional", "organic"]
MemberStatus = Literal["active", "left"]
Scheme = Literal["organic", "farm_assured"]
ContractStatus = Literal["open", "closed"]
SettlementStatus = Literal["paid", "reversed"]
Reason = Literal[
    "not_certified",
    "too_wet",
    "grade_too_low",
    "no_room",
    "outside_period",
    "contract_closed",
    "over_30_days",
    "minimum_not_filled",
    "not_settled",
    "not_active",
    "machine_taken",
    "cleaning_day",
]

HEAVIEST_LOAD_KG = 60_000
REVERSAL_DAYS = 30
LONGEST_BOOKING_DAYS = 14
CALENDAR_DAYS = 62
HIGHEST_DIVIDEND_CENTS = 2_000


class Member(TypedDict):
    name: str
    farm: str
    place: str
    phone: str
    joined_on: str
    status: MemberStatus


class Grade(TypedDict):
    grade: int
    min_test_weight: float | None
    max_defects_percent: float
    discount_cents_per_tonne: int


class Crop(TypedDict):
    name: str
    kind: CropKind
    kg_per_bushel: float | None
    base_moisture_percent: float | None
    max_moisture_percent: float | None
    shrink_percent_per_point: float
    drying_cents_per_tonne_point: int
    spot_cents_per_tonne: dict[Method, int]
    grades: list[Grade]


class Certification(TypedDict):
    member_id: str
    scheme: Scheme
    body: str
    crop_ids: list[str]
    valid_from: str
    valid_until: str


class Store(TypedDict):
    name: str
    kind: CropKind
    crop_id: str | None
    method: Method | None
    lowest_grade: int
    capacity_kg: int
    stock_kg: int


class Delivery(TypedDict):
    member_id: str
    crop_id: str
    method: Method
    delivered_on: str
    gross_kg: int
    moisture_percent: float | None
    test_weight: float | None
    defects_percent: float
    net_kg: int
    grade: int
    store_id: str | None


class Contract(TypedDict):
    member_id: str
    crop_id: str
    method: Method
    lowest_grade: int
    min_kg: int
    max_kg: int
    price_cents_per_tonne: int
    shortfall_cents_per_tonne: int
    starts_on: str
    ends_on: str
    status: ContractStatus
    shortfall_charge_cents: int | None


class Payment(TypedDict):
    kg: int
    price_cents_per_tonne: int
    grade_discount_cents_per_tonne: int
    drying_cents_per_tonne: int
    amount_cents: int


class Settlement(Payment):
    delivery_id: str
    contract_id: str | None
    settled_on: str
    status: SettlementStatus


class Dividend(TypedDict):
    member_id: str
    season: int
    cents_per_tonne: int
    kg: int
    amount_cents: int
    paid_on: str


class Machine(TypedDict):
    name: str
    day_rate_cents: int
    status: Literal["in_service", "in_repair"]


class Booking(TypedDict):
    machine_id: str
    member_id: str
    starts_on: str
    ends_on: str
    status: Literal["booked", "cancelled"]


class Refusal(TypedDict):
    subject_id: str
    reason: Reason
    logged_on: str


def _fail(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _rows(id_key: str, records: Mapping[str, Any], **wanted: object) -> list[dict[str, Any]]:
    """The records, each with its id, whose fields equal the wanted values; None wants nothing."""
    return [
        {id_key: record_id, **record}
        for record_id, record in records.items()
        if all(value is None or record[field] == value for field, value in wanted.items())
    ]


def _like(wanted: str | None, *texts: str) -> bool:
    """Whether one of the texts contains the wanted one, case aside; None wants nothing."""
    return wanted is None or any(wanted.lower() in text.lower() for text in texts)


def _bad_date(*days: str | None) -> str | None:
    """The error about the first day that is no ISO date; None stands for one not given."""
    for day in days:
        try:
            well_formed = day is None or date.fromisoformat(day).isoformat() == day
        except ValueError:
            well_formed = False
        if not well_formed:
            return f"{day!r} is not a date; give YYYY-MM-DD"
    return None


def _within(start: str | None, day: str, end: str | None) -> bool:
    """Whether the day lies in a period, both ends included; None leaves an end open."""
    return (start is None or start <= day) and (end is None or day <= end)


def _days(start: str, end: str) -> int:
    return (date.fromisoformat(end) - date.fromisoformat(start)).days


def _exact(number: float) -> Decimal:
    """The number as it is written, so that 14.6 - 14.5 makes 0.1."""
    return Decimal(str(number))


def _whole(number: Decimal) -> int:
    """The nearest whole number, halves up."""
    return int(number.to_integral_value(rounding=ROUND_HALF_UP))


def _excess_points(crop: Crop, moisture: float | None) -> Decimal:
    """The points of moisture above the crop's base; none for produce."""
    if crop["base_moisture_percent"] is None or moisture is None:
        return Decimal(0)
    return max(Decimal(0), _exact(moisture) - _exact(crop["base_moisture_percent"]))


def _grade(crop: Crop, delivery: Delivery) -> Grade:
    """The best grade whose limits the sample meets; the last one takes every sample."""
    for grade in crop["grades"]:
        least = grade["min_test_weight"]
        heavy = least is None or (delivery["test_weight"] or 0) >= least
        if heavy and delivery["defects_percent"] <= grade["max_defects_percent"]:
            return grade
    return crop["grades"][-1]


def _assess(crop: Crop, delivery: Delivery) -> dict[str, Any]:
    """Work out the net weight, which is what is paid for, and the grade of a delivery."""
    points = _excess_points(crop, delivery["moisture_percent"])
    shrink = points * _exact(crop["shrink_percent_per_point"]) / 100
    delivery["net_kg"] = _whole(delivery["gross_kg"] * (1 - shrink))
    delivery["grade"] = _grade(crop, delivery)["grade"]
    return {field: delivery[field] for field in ("gross_kg", "net_kg", "grade")}


def _payment(crop: Crop, delivery: Delivery, kg: int, price: int) -> Payment:
    """What so much of a delivery brings at a price a tonne, less its grade and its drying."""
    points = _excess_points(crop, delivery["moisture_percent"])
    drying = _whole(points * crop["drying_cents_per_tonne_point"])
    discount = _grade(crop, delivery)["discount_cents_per_tonne"]
    return {
        "kg": kg,
        "price_cents_per_tonne": price,
        "grade_discount_cents_per_tonne": discount,
        "drying_cents_per_tonne": drying,
        "amount_cents": _whole(Decimal(kg * (price - discount - drying)) / 1000),
    }


class FarmCooperative:
    """The office of a growers' cooperative: what came in, where it lies and what was paid."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.members: dict[str, Member] = {}
        self.crops: dict[str, Crop] = {}
        self.certifications: dict[str, Certification] = {}
        self.stores: dict[str, Store] = {}
        self.deliveries: dict[str, Delivery] = {}
        self.contracts: dict[str, Contract] = {}
        self.settlements: dict[str, Settlement] = {}
        self.dividends: dict[str, Dividend] = {}
        self.machines: dict[str, Machine] = {}
        self.bookings: dict[str, Booking] = {}
        self.refusals: dict[str, Refusal] = {}
        self.next_delivery: int = 1
        self.next_settlement: int = 1
        self.next_dividend: int = 1
        self.next_booking: int = 1
        self.next_refusal: int = 1

    # Look-ups

    def find_members(
        self, name: str | None = None, status: MemberStatus | None = None
    ) -> dict[str, Any]:
        """List members with their contact, their certificates and the dividends they have had.

        A certificate covers its crops from its first to its last valid day, both included.

        Args:
            name: Part of the name of the person, the farm or the place.
            status: Whether they are active members or have left.
        """
        members = [
            {
                **row,
                "certifications": _rows(
                    "certification_id", self.certifications, member_id=row["member_id"]
                ),
                "dividends": _rows("dividend_id", self.dividends, member_id=row["member_id"]),
            }
            for row in _rows("member_id", self.members, status=status)
            if _like(name, row["name"], row["farm"], row["place"])
        ]
        return {"success": True, "members": members}

    def find_crops(self, name: str | None = None) -> dict[str, Any]:
        """List crops with bushel weight, moisture limits, charges, spot prices and grades.

        Grain shrinks by shrink_percent_per_point, and is charged drying_cents_per_tonne_point,
        for each point (1 %) of moisture above its base. A sample has the best grade, 1 being the
        best, whose test weight (kg/hl) and defect limits it meets.

        Args:
            name: Part of the crop's name.
        """
        crops = [row for row in _rows("crop_id", self.crops) if _like(name, row["name"])]
        return {"success": True, "crops": crops}

    def find_stores(
        self, crop_id: str | None = None, method: Method | None = None
    ) -> dict[str, Any]:
        """List silos and box stores with what they hold, their lowest grade and their free room.

        Grade 1 is the best; a store whose lowest grade is 2 takes grades 1 and 2. A cleaned
        store holds no crop and no method yet.

        Args:
            crop_id: Only stores that hold this crop.
            method: Only stores in use for this farming method.
        """
        if error := self._unknown(crop=crop_id):
            return _fail(error)
        stores = [
            {**row, "free_kg": row["capacity_kg"] - row["stock_kg"]}
            for row in _rows("store_id", self.stores, crop_id=crop_id, method=method)
        ]
        return {"success": True, "stores": stores}

    def find_deliveries(
        self,
        member_id: str | None = None,
        crop_id: str | None = None,
        delivered_from: str | None = None,
        delivered_until: str | None = None,
        settled: bool | None = None,
    ) -> dict[str, Any]:
        """List deliveries, oldest first, with weights, sample, grade, store and unsettled weight.

        Args:
            member_id: Only deliveries of this member.
            crop_id: Only deliveries of this crop.
            delivered_from: First day to include, ISO date, YYYY-MM-DD.
            delivered_until: Last day to include, ISO date, YYYY-MM-DD.
            settled: True for those settled in full, false for those with unsettled weight.
        """
        if error := (
            self._unknown(member=member_id, crop=crop_id)
            or _bad_date(delivered_from, delivered_until)
        ):
            return _fail(error)
        deliveries = [
            {**row, "unsettled_kg": self._unsettled_kg(row["delivery_id"])}
            for row in _rows("delivery_id", self.deliveries, member_id=member_id, crop_id=crop_id)
            if _within(delivered_from, row["delivered_on"], delivered_until)
            and (settled is None or settled == (self._unsettled_kg(row["delivery_id"]) == 0))
        ]
        return {"success": True, "deliveries": sorted(deliveries, key=lambda r: r["delivered_on"])}

    def find_contracts(
        self,
        member_id: str | None = None,
        crop_id: str | None = None,
        status: ContractStatus | None = None,
    ) -> dict[str, Any]:
        """List contracts with price, volume band, period, lowest grade and what fills them so far.

        Args:
            member_id: Only contracts of this member.
            crop_id: Only contracts for this crop.
            status: Only contracts that now stand like this.
        """
        if error := self._unknown(member=member_id, crop=crop_id):
            return _fail(error)
        contracts = [
            {**row, "filled_kg": self._filled_kg(row["contract_id"])}
            for row in _rows(
                "contract_id", self.contracts, member_id=member_id, crop_id=crop_id, status=status
            )
        ]
        return {"success": True, "contracts": contracts}

    def find_settlements(
        self,
        member_id: str | None = None,
        contract_id: str | None = None,
        season: int | None = None,
        status: SettlementStatus | None = None,
    ) -> dict[str, Any]:
        """List settlements with weight, price, deductions and amount; spot sales name no contract.

        Args:
            member_id: Only settlements with this member.
            contract_id: Only settlements under this contract.
            season: Only of deliveries made in this calendar year, such as 2026.
            status: Only settlements that now stand like this.
        """
        if error := self._unknown(member=member_id, contract=contract_id):
            return _fail(error)
        settlements = []
        for row in _rows("settlement_id", self.settlements, contract_id=contract_id, status=status):
            delivery, delivered_in = self._delivered(row["delivery_id"])
            seller = delivery["member_id"]
            if member_id in (None, seller) and season in (None, delivered_in):
                joined = {"member_id": seller, "crop_id": delivery["crop_id"]}
                settlements.append({**row, **joined, "season": delivered_in})
        return {"success": True, "settlements": settlements}

    def find_machines(
        self, name: str | None = None, booked_by: str | None = None
    ) -> dict[str, Any]:
        """List the machines of the pool with their state, rate a day and bookings.

        The first and last day belong to a booking; cancelled bookings are listed as well.

        Args:
            name: Part of the machine's name.
            booked_by: Only machines that this member has a booking of, a member id.
        """
        if error := self._unknown(member=booked_by):
            return _fail(error)
        machines = []
        for row in _rows("machine_id", self.machines):
            bookings = [
                {"member": self.members[booking["member_id"]]["name"], **booking}
                for booking in _rows("booking_id", self.bookings, machine_id=row["machine_id"])
            ]
            bookers = {booking["member_id"] for booking in bookings}
            if _like(name, row["name"]) and (booked_by is None or booked_by in bookers):
                bookings.sort(key=lambda booking: booking["starts_on"])
                machines.append({**row, "bookings": bookings})
        return {"success": True, "machines": machines}

    def get_store(self, store_id: str) -> dict[str, Any]:
        """Show a store with the loads booked into it, oldest first, and their weight by grade.

        The stock may exceed what the loads weigh by what lay there before they were booked in.

        Args:
            store_id: The store.
        """
        if error := self._unknown(store=store_id):
            return _fail(error)
        store, weight_by_grade = self.stores[store_id], dict[str, int]()
        loads = sorted(
            _rows("delivery_id", self.deliveries, store_id=store_id),
            key=lambda load: load["delivered_on"],
        )
        for load in loads:
            grade = str(load["grade"])
            weight_by_grade[grade] = weight_by_grade.get(grade, 0) + load["net_kg"]
        return {
            "success": True,
            **store,
            "free_kg": store["capacity_kg"] - store["stock_kg"],
            "loads": loads,
            "net_kg_by_grade": weight_by_grade,
        }

    def list_season_totals(self, season: int, crop_id: str | None = None) -> dict[str, Any]:
        """List what each member who delivered in a season brought, was paid and is still owed for.

        All weights are net; not_in_store_kg is of loads that are booked into no store.

        Args:
            season: The calendar year of the deliveries, such as 2026.
            crop_id: Only count this crop.
        """
        if error := self._unknown(crop=crop_id):
            return _fail(error)
        totals: dict[str, dict[str, int]] = {}
        for row in _rows("delivery_id", self.deliveries, crop_id=crop_id):
            delivery, delivered_in = self._delivered(row["delivery_id"])
            if delivered_in != season:
                continue
            total = totals.setdefault(
                delivery["member_id"],
                {"delivered_kg": 0, "settled_kg": 0, "unsettled_kg": 0, "not_in_store_kg": 0},
            )
            unsettled = self._unsettled_kg(row["delivery_id"])
            waiting = "not_in_store_kg" if delivery["store_id"] is None else "unsettled_kg"
            total["delivered_kg"] += delivery["net_kg"]
            total["settled_kg"] += delivery["net_kg"] - unsettled
            total[waiting] += unsettled
        members: list[dict[str, Any]] = [
            {
                "member_id": member_id,
                "name": self.members[member_id]["name"],
                "status": self.members[member_id]["status"],
                **total,
                "had_dividend": self._has_dividend(member_id, season),
            }
            for member_id, total in totals.items()
        ]
        members.sort(key=lambda member: (-member["delivered_kg"], member["member_id"]))
        return {"success": True, "season": season, "members": members}

    def quote_load(
        self,
        crop_id: str,
        method: Method,
        gross_kg: int,
        defects_percent: float,
        moisture_percent: float | None = None,
        test_weight: float | None = None,
    ) -> dict[str, Any]:
        """Tell what a load would weigh net, its grade and its worth at today's spot price.

        Nothing is weighed in, and nobody's certificate is looked at.

        Args:
            crop_id: The crop.
            method: How it was farmed, which decides the spot price.
            gross_kg: The gross weight in whole kilograms; at most 60 tonnes.
            defects_percent: Foreign matter and damage in the sample, 0 to 100.
            moisture_percent: Moisture of the sample, 0 to 100; for grain only.
            test_weight: Test weight in kg/hl, 0 to 100; for grain only.
        """
        if error := self._unknown(crop=crop_id):
            return _fail(error)
        crop = self.crops[crop_id]
        measures = (defects_percent, moisture_percent, test_weight)
        load = self._ticket("", crop_id, method, gross_kg, *measures)
        if error := self._sample_error(load):
            return _fail(error)
        weighed = _assess(crop, load)
        worth = _payment(crop, load, load["net_kg"], crop["spot_cents_per_tonne"][method])
        limit = crop["max_moisture_percent"]
        return {"success": True, **weighed, **worth, "max_moisture_percent": limit}

    def quote_settlement(self, delivery_id: str, contract_id: str | None = None) -> dict[str, Any]:
        """Tell what the unsettled weight of a delivery would be paid; nothing is paid.

        Whether the delivery is in store, and whether another contract comes first, is not
        looked at.

        Args:
            delivery_id: The delivery.
            contract_id: A contract that takes it; leave it out for the spot price.
        """
        if error := self._unknown(delivery=delivery_id, contract=contract_id):
            return _fail(error)
        if self._unsettled_kg(delivery_id) == 0:
            return _fail(f"Delivery {delivery_id} is settled in full")
        if contract_id and (error := self._misfit(contract_id, self.deliveries[delivery_id])):
            return _fail(error)
        return {"success": True, **self._due(delivery_id, contract_id)}

    def find_free_days(self, machine_id: str, first_day: str, last_day: str) -> dict[str, Any]:
        """List the spans of days on which nobody has a machine, with the bookings around each.

        Of these bookings it is told whether the member then holds an organic certificate.

        Args:
            machine_id: The machine.
            first_day: First day to look at, ISO date, YYYY-MM-DD.
            last_day: Last day to look at, at most 61 days later, ISO date, YYYY-MM-DD.
        """
        if error := self._unknown(machine=machine_id) or _bad_date(first_day, last_day):
            return _fail(error)
        length = _days(first_day, last_day) + 1
        if not 1 <= length <= CALENDAR_DAYS:
            return _fail(f"Look at 1 to {CALENDAR_DAYS} days")
        booked = [
            {"organic": self._grows_organic(self.bookings[row["booking_id"]]), **row}
            for row in _rows("booking_id", self.bookings, machine_id=machine_id, status="booked")
        ]
        start, spans = date.fromisoformat(first_day), list[list[str]]()
        for day in ((start + timedelta(days=k)).isoformat() for k in range(length)):
            if any(_within(row["starts_on"], day, row["ends_on"]) for row in booked):
                continue
            if spans and _days(spans[-1][-1], day) == 1:
                spans[-1].append(day)
            else:
                spans.append([day])
        free = [
            {
                "from": span[0],
                "until": span[-1],
                "before": max(
                    (row for row in booked if row["ends_on"] < span[0]),
                    key=lambda row: row["ends_on"],
                    default=None,
                ),
                "after": min(
                    (row for row in booked if row["starts_on"] > span[-1]),
                    key=lambda row: row["starts_on"],
                    default=None,
                ),
            }
            for span in spans
        ]
        status = self.machines[machine_id]["status"]
        return {"success": True, "machine_status": status, "free": free}

    def find_refusals(
        self, subject_id: str | None = None, reason: Reason | None = None
    ) -> dict[str, Any]:
        """List what is on record as refused, and why.

        Args:
            subject_id: Only about this member, delivery, store, contract, settlement, machine
                or booking.
            reason: Only for this reason.
        """
        found = _rows("refusal_id", self.refusals, subject_id=subject_id, reason=reason)
        return {"success": True, "refusals": found}

    # Deliveries and stores

    def receive_delivery(
        self,
        member_id: str,
        crop_id: str,
        quantity: float,
        unit: Unit,
        method: Method,
        defects_percent: float,
        moisture_percent: float | None = None,
        test_weight: float | None = None,
    ) -> dict[str, Any]:
        """Weigh in today's delivery: work out its weight in kilograms, net weight and grade.

        Args:
            member_id: The active member who delivers.
            crop_id: The crop.
            quantity: How much, in the unit given; at most 60 tonnes.
            unit: The unit of the quantity; a bushel has the crop's bushel weight.
            method: How it was farmed; organic needs a certificate for the crop.
            defects_percent: Foreign matter and damage in the sample, 0 to 100.
            moisture_percent: Moisture of the sample, 0 to 100; for grain only.
            test_weight: Test weight in kg/hl, 0 to 100; for grain only.
        """
        if error := self._unknown(member=member_id, crop=crop_id) or self._inactive(member_id):
            return _fail(error)
        crop = self.crops[crop_id]
        unit_kg = {"tonne": 1000.0, "kilogram": 1.0, "bushel": crop["kg_per_bushel"]}[unit]
        if unit_kg is None:
            return _fail(f"{crop['name']} is not measured in bushels")
        gross_kg = _whole(_exact(quantity) * _exact(unit_kg))
        measures = (defects_percent, moisture_percent, test_weight)
        delivery = self._ticket(member_id, crop_id, method, gross_kg, *measures)
        if error := self._ticket_error(delivery):
            return _fail(error)
        delivery_id = f"DEL-{self.next_delivery}"
        self.next_delivery += 1
        self.deliveries[delivery_id] = delivery
        return {"success": True, "delivery_id": delivery_id, **_assess(crop, delivery)}

    def correct_delivery(
        self,
        delivery_id: str,
        gross_kg: int | None = None,
        moisture_percent: float | None = None,
        test_weight: float | None = None,
        defects_percent: float | None = None,
        method: Method | None = None,
    ) -> dict[str, Any]:
        """Correct what was written down at weigh-in; net weight, grade and stock follow.

        What is not given stays. A delivery in store must still suit the store afterwards.

        Args:
            delivery_id: The delivery, of which nothing is settled.
            gross_kg: The right gross weight, in whole kilograms.
            moisture_percent: The right moisture, 0 to 100; for grain only.
            test_weight: The right test weight in kg/hl, 0 to 100; for grain only.
            defects_percent: The right share of foreign matter and damage, 0 to 100.
            method: The right farming method.
        """
        if error := self._unknown(delivery=delivery_id) or self._settled_error(delivery_id):
            return _fail(error)
        delivery = self.deliveries[delivery_id]
        given = {
            "gross_kg": gross_kg,
            "moisture_percent": moisture_percent,
            "test_weight": test_weight,
            "defects_percent": defects_percent,
            "method": method,
        }
        changed = {field: value for field, value in given.items() if value is not None}
        corrected = cast(Delivery, {**delivery, **changed})
        if corrected == delivery:
            return _fail(f"Delivery {delivery_id} stands like this already")
        if error := self._ticket_error(corrected):
            return _fail(error)
        weighed = _assess(self.crops[delivery["crop_id"]], corrected)
        if delivery["store_id"] is not None:
            store = self.stores[delivery["store_id"]]
            other_stock_kg = store["stock_kg"] - delivery["net_kg"]
            if error := self._storing_error(corrected, store, other_stock_kg):
                return _fail(error)
            store["stock_kg"] = other_stock_kg + corrected["net_kg"]
        self.deliveries[delivery_id] = corrected
        return {"success": True, "delivery_id": delivery_id, **weighed}

    def book_into_store(self, delivery_id: str, store_id: str | None = None) -> dict[str, Any]:
        """Book a delivery into a store, by its net weight, and out of any that it was booked into.

        Args:
            delivery_id: The delivery, of which nothing is settled.
            store_id: The store; leave it out to book the delivery out only.
        """
        if error := (
            self._unknown(delivery=delivery_id, store=store_id) or self._settled_error(delivery_id)
        ):
            return _fail(error)
        delivery = self.deliveries[delivery_id]
        if delivery["store_id"] == store_id:
            return _fail(f"Delivery {delivery_id} is booked like this already")
        if store_id is not None:
            store = self.stores[store_id]
            if error := self._storing_error(delivery, store, store["stock_kg"]):
                return _fail(error)
            store["crop_id"], store["method"] = delivery["crop_id"], delivery["method"]
            store["stock_kg"] += delivery["net_kg"]
        if delivery["store_id"] is not None:
            self.stores[delivery["store_id"]]["stock_kg"] -= delivery["net_kg"]
        delivery["store_id"] = store_id
        return {"success": True, "delivery_id": delivery_id, "store_id": store_id}

    def clean_store(self, store_id: str) -> dict[str, Any]:
        """Record that an empty store was cleaned, so that any crop of its kind may go in.

        Args:
            store_id: The store, which holds nothing.
        """
        if error := self._unknown(store=store_id):
            return _fail(error)
        store = self.stores[store_id]
        if store["stock_kg"] > 0:
            return _fail(f"{store['name']} still holds {store['stock_kg']} kg")
        if store["crop_id"] is None:
            return _fail(f"{store['name']} is clean already")
        store["crop_id"] = store["method"] = None
        return {"success": True, "store_id": store_id}

    # Money

    def settle_delivery(self, delivery_id: str, contract_id: str | None = None) -> dict[str, Any]:
        """Pay for the unsettled weight of a delivery, under a contract as far as it has room.

        The price is the contract's, or else the spot price of the crop and method, less the
        discount of the grade and the drying charge.

        Args:
            delivery_id: The delivery, which is in store.
            contract_id: The contract to fill; leave it out to settle at the spot price.
        """
        if error := self._unknown(delivery=delivery_id, contract=contract_id):
            return _fail(error)
        delivery = self.deliveries[delivery_id]
        if delivery["store_id"] is None:
            return _fail(f"Delivery {delivery_id} is not in store")
        if self._unsettled_kg(delivery_id) == 0:
            return _fail(f"Delivery {delivery_id} is settled in full")
        if contract_id is not None and (error := self._misfit(contract_id, delivery)):
            return _fail(error)
        first_id = min(
            (fitting for fitting in self.contracts if self._misfit(fitting, delivery) is None),
            key=lambda fitting: (self.contracts[fitting]["ends_on"], fitting),
            default=None,
        )
        if contract_id != first_id:
            return _fail(f"Contract {first_id} has room for delivery {delivery_id} and comes first")
        due = self._due(delivery_id, contract_id)
        settlement_id = f"SET-{self.next_settlement}"
        self.next_settlement += 1
        self.settlements[settlement_id] = {
            "delivery_id": delivery_id,
            "contract_id": contract_id,
            "settled_on": self._today(),
            **due,
            "status": "paid",
        }
        return {
            "success": True,
            "settlement_id": settlement_id,
            "kg": due["kg"],
            "amount_cents": due["amount_cents"],
            "unsettled_kg": self._unsettled_kg(delivery_id),
        }

    def reverse_settlement(self, settlement_id: str) -> dict[str, Any]:
        """Take a settlement back; its weight is unsettled again and leaves the contract.

        Args:
            settlement_id: The paid settlement, at most 30 days old.
        """
        if error := self._unknown(settlement=settlement_id):
            return _fail(error)
        settlement = self.settlements[settlement_id]
        delivery, season = self._delivered(settlement["delivery_id"])
        if settlement["status"] == "reversed":
            return _fail(f"Settlement {settlement_id} is reversed already")
        if _days(settlement["settled_on"], self._today()) > REVERSAL_DAYS:
            return _fail(f"Settlement {settlement_id} is over {REVERSAL_DAYS} days old")
        contract_id = settlement["contract_id"]
        if contract_id is not None and self.contracts[contract_id]["status"] == "closed":
            return _fail(f"Contract {contract_id} is closed")
        if self._has_dividend(delivery["member_id"], season):
            return _fail(f"Member {delivery['member_id']} has had the dividend of the season")
        settlement["status"] = "reversed"
        return {"success": True, "settlement_id": settlement_id, "status": "reversed"}

    def close_contract(self, contract_id: str) -> dict[str, Any]:
        """Close a contract; what is missing from its minimum is charged at its shortfall rate.

        Args:
            contract_id: The open contract.
        """
        if error := self._unknown(contract=contract_id):
            return _fail(error)
        contract = self.contracts[contract_id]
        if contract["status"] == "closed":
            return _fail(f"Contract {contract_id} is closed already")
        short_kg = max(0, contract["min_kg"] - self._filled_kg(contract_id))
        if short_kg > 0 and self._today() <= contract["ends_on"]:
            return _fail(f"Contract {contract_id} runs on, {short_kg} kg short of its minimum")
        for delivery_id in self._owed():
            if self._misfit(contract_id, self.deliveries[delivery_id]) is None:
                return _fail(f"Delivery {delivery_id} fits contract {contract_id}; settle it first")
        contract["status"] = "closed"
        charge = _whole(Decimal(short_kg * contract["shortfall_cents_per_tonne"]) / 1000)
        contract["shortfall_charge_cents"] = charge
        return {"success": True, "contract_id": contract_id, "shortfall_charge_cents": charge}

    def pay_dividend(self, member_id: str, season: int, cents_per_tonne: int) -> dict[str, Any]:
        """Pay a member the dividend on the net weight settled of what they delivered in a season.

        Args:
            member_id: The active member.
            season: The calendar year of the deliveries, such as 2026.
            cents_per_tonne: The rate, 1 to 2000 cents a tonne.
        """
        if error := self._unknown(member=member_id) or self._inactive(member_id):
            return _fail(error)
        if not 1 <= cents_per_tonne <= HIGHEST_DIVIDEND_CENTS:
            return _fail(f"The rate must lie between 1 and {HIGHEST_DIVIDEND_CENTS} cents a tonne")
        if self._has_dividend(member_id, season):
            return _fail(f"Member {member_id} has had the dividend of the season")
        for delivery_id in self._owed():
            delivery, delivered_in = self._delivered(delivery_id)
            if delivery["member_id"] == member_id and delivered_in == season:
                return _fail(f"Delivery {delivery_id} of the season is in store and not settled")
        settled = self.find_settlements(member_id=member_id, season=season, status="paid")
        kg = sum(settlement["kg"] for settlement in settled["settlements"])
        if kg == 0:
            return _fail(f"Nothing of member {member_id} is settled in the season")
        dividend_id = f"DIV-{self.next_dividend}"
        self.next_dividend += 1
        amount = _whole(Decimal(kg * cents_per_tonne) / 1000)
        self.dividends[dividend_id] = {
            "member_id": member_id,
            "season": season,
            "cents_per_tonne": cents_per_tonne,
            "kg": kg,
            "amount_cents": amount,
            "paid_on": self._today(),
        }
        return {"success": True, "dividend_id": dividend_id, "kg": kg, "amount_cents": amount}

    # Machines and refusals

    def book_machine(
        self, machine_id: str, member_id: str, starts_on: str, ends_on: str
    ) -> dict[str, Any]:
        """Book a machine of the pool for a member, for at most 14 days.

        Args:
            machine_id: The machine, which is in service.
            member_id: The active member who takes it.
            starts_on: The first day, today or later, ISO date, YYYY-MM-DD.
            ends_on: The last day, ISO date, YYYY-MM-DD; the same as the first for one day.
        """
        if error := (
            self._unknown(machine=machine_id, member=member_id)
            or self._inactive(member_id)
            or _bad_date(starts_on, ends_on)
        ):
            return _fail(error)
        if starts_on < self._today() or not 0 <= _days(starts_on, ends_on) < LONGEST_BOOKING_DAYS:
            return _fail(f"Book from today on, for 1 to {LONGEST_BOOKING_DAYS} days")
        machine = self.machines[machine_id]
        if machine["status"] == "in_repair":
            return _fail(f"{machine['name']} is in repair")
        booking: Booking = {
            "machine_id": machine_id,
            "member_id": member_id,
            "starts_on": starts_on,
            "ends_on": ends_on,
            "status": "booked",
        }
        for other_id, other in self.bookings.items():
            if other["machine_id"] != machine_id or other["status"] == "cancelled":
                continue
            if starts_on <= other["ends_on"] and other["starts_on"] <= ends_on:
                return _fail(f"{machine['name']} is taken on these days by booking {other_id}")
            earlier, later = sorted((booking, other), key=lambda either: either["starts_on"])
            if (
                self._grows_organic(later)
                and not self._grows_organic(earlier)
                and _days(earlier["ends_on"], later["starts_on"]) < 2
            ):
                return _fail(f"No full day to clean {machine['name']} between it and {other_id}")
        booking_id = f"BKG-{self.next_booking}"
        self.next_booking += 1
        self.bookings[booking_id] = booking
        return {"success": True, "booking_id": booking_id}

    def cancel_booking(self, booking_id: str) -> dict[str, Any]:
        """Cancel a booking that has not begun.

        Args:
            booking_id: The booking to cancel.
        """
        if error := self._unknown(booking=booking_id):
            return _fail(error)
        booking = self.bookings[booking_id]
        if booking["status"] == "cancelled":
            return _fail(f"Booking {booking_id} is cancelled already")
        if booking["starts_on"] <= self._today():
            return _fail(f"Booking {booking_id} began on {booking['starts_on']}")
        booking["status"] = "cancelled"
        return {"success": True, "booking_id": booking_id, "status": "cancelled"}

    def log_refusal(self, subject_id: str, reason: Reason) -> dict[str, Any]:
        """Put on record that the rules stand against something that was asked for.

        Args:
            subject_id: The member, delivery, store, contract, settlement, machine or booking.
            reason: not_certified: no organic certificate for crop and day. too_wet: above the
                moisture limit. grade_too_low: for the store or contract. no_room: too little left
                in the store or contract. outside_period: of the contract. contract_closed.
                over_30_days: a settlement too old to reverse. minimum_not_filled: of a contract
                that runs on. not_settled: weight in store is not settled. not_active: the member
                has left. machine_taken: or in repair. cleaning_day: no full day to clean it.
        """
        subjects: tuple[Mapping[str, object], ...] = (
            self.members,
            self.deliveries,
            self.stores,
            self.contracts,
            self.settlements,
            self.machines,
            self.bookings,
        )
        if all(subject_id not in records for records in subjects):
            return _fail(f"Nothing that can be refused has the id {subject_id!r}")
        for refusal_id, refusal in self.refusals.items():
            if refusal["subject_id"] == subject_id and refusal["reason"] == reason:
                return _fail(f"Refusal {refusal_id} records this already")
        refusal_id = f"REF-{self.next_refusal}"
        self.next_refusal += 1
        self.refusals[refusal_id] = {
            "subject_id": subject_id,
            "reason": reason,
            "logged_on": self._today(),
        }
        return {"success": True, "refusal_id": refusal_id}

    # Rules

    def _unknown(self, **ids: str | None) -> str | None:
        """The error about the first id that names no record; None stands for one not given."""
        known: dict[str, Mapping[str, object]] = {
            "member": self.members,
            "crop": self.crops,
            "store": self.stores,
            "delivery": self.deliveries,
            "contract": self.contracts,
            "settlement": self.settlements,
            "machine": self.machines,
            "booking": self.bookings,
        }
        for kind, record_id in ids.items():
            if record_id is not None and record_id not in known[kind]:
                return f"{kind.capitalize()} {record_id!r} does not exist"
        return None

    def _inactive(self, member_id: str) -> str | None:
        member = self.members[member_id]
        return None if member["status"] == "active" else f"{member['name']} has left"

    def _today(self) -> str:
        return datetime.now().date().isoformat()

    def _delivered(self, delivery_id: str) -> tuple[Delivery, int]:
        """The delivery and its season, the calendar year in which it came in."""
        delivery = self.deliveries[delivery_id]
        return delivery, int(delivery["delivered_on"][:4])

    def _certified(self, member_id: str, day: str, crop_id: str | None = None) -> bool:
        """Whether an organic certificate of the member covers the crop, or any crop, on the day."""
        return any(
            row["member_id"] == member_id
            and row["scheme"] == "organic"
            and (crop_id is None or crop_id in row["crop_ids"])
            and _within(row["valid_from"], day, row["valid_until"])
            for row in self.certifications.values()
        )

    def _grows_organic(self, booking: Booking) -> bool:
        return self._certified(booking["member_id"], booking["starts_on"])

    def _ticket(
        self,
        member_id: str,
        crop_id: str,
        method: Method,
        gross_kg: int,
        defects_percent: float,
        moisture_percent: float | None,
        test_weight: float | None,
    ) -> Delivery:
        """Today's delivery, not assessed yet and in no store."""
        return {
            "member_id": member_id,
            "crop_id": crop_id,
            "method": method,
            "delivered_on": self._today(),
            "gross_kg": gross_kg,
            "moisture_percent": moisture_percent,
            "test_weight": test_weight,
            "defects_percent": defects_percent,
            "net_kg": 0,
            "grade": 0,
            "store_id": None,
        }

    def _sample_error(self, delivery: Delivery) -> str | None:
        """Why the weight and the sample of a load cannot be right."""
        crop = self.crops[delivery["crop_id"]]
        measures = (delivery["moisture_percent"], delivery["test_weight"])
        if not 1 <= delivery["gross_kg"] <= HEAVIEST_LOAD_KG:
            return f"A load weighs 1 to {HEAVIEST_LOAD_KG} kg"
        if any((measure is None) != (crop["kind"] == "produce") for measure in measures):
            return f"Give moisture and test weight for grain only; {crop['name']}: {crop['kind']}"
        if any(not 0 <= measure <= 100 for measure in measures if measure is not None):
            return "Moisture and test weight lie between 0 and 100"
        if not 0 <= delivery["defects_percent"] <= 100:
            return "Defects lie between 0 and 100 %"
        return None

    def _ticket_error(self, delivery: Delivery) -> str | None:
        """Why a delivery cannot be written down like this."""
        if error := self._sample_error(delivery):
            return error
        if delivery["method"] == "organic" and not self._certified(
            delivery["member_id"], delivery["delivered_on"], delivery["crop_id"]
        ):
            member = self.members[delivery["member_id"]]["name"]
            crop, day = self.crops[delivery["crop_id"]]["name"], delivery["delivered_on"]
            return f"{member} has no organic certificate for {crop} on {day}"
        return None

    def _storing_error(self, delivery: Delivery, store: Store, stock_kg: int) -> str | None:
        """Why the store cannot take the delivery on top of the stock."""
        crop, name = self.crops[delivery["crop_id"]], store["name"]
        limit, moisture = crop["max_moisture_percent"], delivery["moisture_percent"]
        if limit is not None and moisture is not None and moisture > limit:
            return f"{moisture} % is above the moisture limit of {crop['name']}, {limit} %"
        if store["kind"] != crop["kind"]:
            return f"{name} is for {store['kind']}"
        held = store["crop_id"]
        if held is not None and held != delivery["crop_id"]:
            return f"{name} is in use for {self.crops[held]['name']}; empty and clean it first"
        if store["method"] not in (None, delivery["method"]):
            return f"{name} is in use for {store['method']} goods; empty and clean it first"
        if delivery["grade"] > store["lowest_grade"]:
            return f"{name} takes grade {store['lowest_grade']} or better, not {delivery['grade']}"
        if stock_kg + delivery["net_kg"] > store["capacity_kg"]:
            return f"{name} has room for {store['capacity_kg'] - stock_kg} kg only"
        return None

    def _settled_kg(self, field: Literal["delivery_id", "contract_id"], record_id: str) -> int:
        return sum(
            settlement["kg"]
            for settlement in self.settlements.values()
            if settlement[field] == record_id and settlement["status"] == "paid"
        )

    def _unsettled_kg(self, delivery_id: str) -> int:
        settled = self._settled_kg("delivery_id", delivery_id)
        return self.deliveries[delivery_id]["net_kg"] - settled

    def _filled_kg(self, contract_id: str) -> int:
        return self._settled_kg("contract_id", contract_id)

    def _room_kg(self, contract_id: str) -> int:
        return self.contracts[contract_id]["max_kg"] - self._filled_kg(contract_id)

    def _due(self, delivery_id: str, contract_id: str | None) -> Payment:
        """What the unsettled weight brings, under the contract as far as it has room."""
        delivery, kg = self.deliveries[delivery_id], self._unsettled_kg(delivery_id)
        crop = self.crops[delivery["crop_id"]]
        if contract_id is None:
            return _payment(crop, delivery, kg, crop["spot_cents_per_tonne"][delivery["method"]])
        price = self.contracts[contract_id]["price_cents_per_tonne"]
        return _payment(crop, delivery, min(kg, self._room_kg(contract_id)), price)

    def _settled_error(self, delivery_id: str) -> str | None:
        """Why the delivery cannot be touched: some of it is settled."""
        if self._settled_kg("delivery_id", delivery_id) > 0:
            return f"Delivery {delivery_id} is settled, in part or in full"
        return None

    def _owed(self) -> list[str]:
        """The deliveries in store that are not settled in full."""
        return [
            delivery_id
            for delivery_id, delivery in self.deliveries.items()
            if delivery["store_id"] is not None and self._unsettled_kg(delivery_id) > 0
        ]

    def _has_dividend(self, member_id: str, season: int) -> bool:
        return any(
            dividend["member_id"] == member_id and dividend["season"] == season
            for dividend in self.dividends.values()
        )

    def _misfit(self, contract_id: str, delivery: Delivery) -> str | None:
        """Why the contract does not take the delivery now."""
        contract = self.contracts[contract_id]
        if contract["status"] == "closed":
            return f"Contract {contract_id} is closed"
        if contract["member_id"] != delivery["member_id"]:
            return f"Contract {contract_id} is with member {contract['member_id']}"
        if (contract["crop_id"], contract["method"]) != (delivery["crop_id"], delivery["method"]):
            return f"Contract {contract_id} is for {contract['method']} {contract['crop_id']}"
        if delivery["grade"] > contract["lowest_grade"]:
            return f"Contract {contract_id} takes grade {contract['lowest_grade']} or better"
        if not _within(contract["starts_on"], delivery["delivered_on"], contract["ends_on"]):
            return f"The delivery is from outside the period of contract {contract_id}"
        if self._room_kg(contract_id) == 0:
            return f"Contract {contract_id} is full"
        return None
