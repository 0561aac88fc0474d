"""Regional warehouse: lots in bins, order allocation, shipments, holds, returns and counts."""

from collections.abc import Container, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

Storage = Literal["ambient", "chilled", "hazmat"]
Weekday = Literal["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
LotStatus = Literal["available", "on_hold"]
OrderStatus = Literal["open", "closed", "cancelled"]
ShipmentStatus = Literal["booked", "picked", "dispatched", "cancelled"]
HoldReason = Literal["recall", "quality", "temperature", "damage"]
Disposition = Literal["restock", "vendor", "scrap"]
RefusalReason = Literal[
    "no_stock",
    "short_shelf_life",
    "complete_delivery_only",
    "already_picked",
    "lot_on_hold",
    "recalled_lot",
    "not_restockable",
    "count_unconfirmed",
]

WEEKDAYS: tuple[Weekday, ...] = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
BOOKING_WINDOW_DAYS = 14
COUNT_TOLERANCE_PERCENT = 5


class Sku(TypedDict):
    """An article; every quantity in the system is in cases of it."""

    name: str
    storage: Storage
    hazard_class: str | None  # UN transport class, for example "3"
    food: bool
    case_weight_g: int
    vendor_takes_back: bool


class Bin(TypedDict):
    """A storage place."""

    zone: Storage
    capacity: int
    status: Literal["active", "blocked"]


class Lot(TypedDict):
    """Cases of one batch, together in one bin."""

    sku_id: str
    bin_id: str
    cases: int
    received_on: str
    expires_on: str | None
    status: LotStatus


class Hold(TypedDict):
    """A stop on a lot."""

    lot_id: str
    reason: HoldReason
    placed_on: str
    status: Literal["open", "released"]


class Customer(TypedDict):
    """Who orders, and on which delivery terms."""

    name: str
    city: str
    complete_only: bool
    min_shelf_days: int


class OrderLine(TypedDict):
    """One article of an order; lines are numbered from 1."""

    sku_id: str
    ordered: int
    backordered: int


class Order(TypedDict):
    """A customer order."""

    customer_id: str
    due_on: str
    status: OrderStatus
    lines: list[OrderLine]


class Reservation(TypedDict):
    """Cases of a lot set aside for an order line; once dispatched, what was sent."""

    order_id: str
    line: int
    lot_id: str
    cases: int
    shipment_id: str | None


class Carrier(TypedDict):
    """A haulier, what it may carry and when it collects."""

    name: str
    cutoff: str
    run_days: list[Weekday]
    hazard_classes: list[str]
    refrigerated: bool
    max_kg: int
    base_cents: int
    cents_per_kg: int


class Shipment(TypedDict):
    """A collection booked with a carrier; its contents are the reservations that name it."""

    order_id: str
    carrier_id: str
    ship_on: str
    status: ShipmentStatus
    weight_g: int
    fee_cents: int


class Return(TypedDict):
    """Cases that a customer sent back."""

    order_id: str
    lot_id: str
    cases: int
    condition: Literal["sealed", "opened", "damaged"]
    received_on: str
    status: Literal["awaiting", "settled"]
    disposition: Disposition | None


class Count(TypedDict):
    """A cycle count of a lot."""

    lot_id: str
    counted_cases: int
    counted_by: str
    counted_on: str
    status: Literal["open", "posted"]


class Refusal(TypedDict):
    """A request that was turned down, and why."""

    record_id: str
    reason: RefusalReason
    refused_on: str


def _fail(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _date_problem(text: str | None) -> str | None:
    """Say that a text is not YYYY-MM-DD; None stands for no date, with which nothing is wrong."""
    try:
        well_formed = text is None or date.fromisoformat(text).isoformat() == text
    except ValueError:
        well_formed = False
    return None if well_formed else f"{text!r} is not a date in the form YYYY-MM-DD"


def _rows(
    id_name: str, records: Mapping[str, Mapping[str, Any]], **wanted: str | None
) -> list[dict[str, Any]]:
    """Rows of a collection whose fields equal the wanted values; None stands for any."""
    return [
        {id_name: record_id, **record}
        for record_id, record in records.items()
        if all(value in (None, record[field]) for field, value in wanted.items())
    ]


def _carriage_cents(carrier: Carrier, weight_g: int) -> int:
    """The fee of a shipment, by every started kilogram."""
    return carrier["base_cents"] + -(-weight_g // 1000) * carrier["cents_per_kg"]


class WarehouseFulfilment:
    """The fulfilment system of a regional warehouse."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.skus: dict[str, Sku] = {}
        self.bins: dict[str, Bin] = {}
        self.lots: dict[str, Lot] = {}
        self.holds: dict[str, Hold] = {}
        self.customers: dict[str, Customer] = {}
        self.orders: dict[str, Order] = {}
        self.reservations: dict[str, Reservation] = {}
        self.carriers: dict[str, Carrier] = {}
        self.shipments: dict[str, Shipment] = {}
        self.returns: dict[str, Return] = {}
        self.counts: dict[str, Count] = {}
        self.refusals: dict[str, Refusal] = {}
        self.next_hold: int = 1
        self.next_reservation: int = 1
        self.next_shipment: int = 1
        self.next_refusal: int = 1

    # Look-ups shared by the tools

    def _today(self) -> str:
        return datetime.now().date().isoformat()

    def _reserved(self, lot_id: str) -> int:
        """Cases of a lot that are spoken for and still in the building."""
        return sum(r["cases"] for r in self._waiting(lot_id).values())

    def _waiting(self, lot_id: str) -> dict[str, Reservation]:
        return {
            reservation_id: r
            for reservation_id, r in self.reservations.items()
            if r["lot_id"] == lot_id
            and (
                r["shipment_id"] is None
                or self.shipments[r["shipment_id"]]["status"] != "dispatched"
            )
        }

    def _rotation(self, lot_id: str) -> tuple[str, str]:
        """Order in which lots of one SKU leave: by expiry, undated last, and then by receipt."""
        lot = self.lots[lot_id]
        return (lot["expires_on"] or "9999-12-31", lot["received_on"])

    def _free(self, lot_id: str) -> int:
        return self.lots[lot_id]["cases"] - self._reserved(lot_id)

    def _room(self, bin_id: str) -> int:
        stored = sum(lot["cases"] for lot in self.lots.values() if lot["bin_id"] == bin_id)
        return self.bins[bin_id]["capacity"] - stored

    def _bin_problem(self, bin_id: str, cases: int) -> str | None:
        """Say why a bin cannot take in so many cases, or return None."""
        if self.bins[bin_id]["status"] == "blocked":
            return f"Bin {bin_id} is blocked"
        room = self._room(bin_id)
        return f"Bin {bin_id} has room for {room} of {cases} cases" if cases > room else None

    def _line_problem(self, order_id: str, line: int) -> str | None:
        """Say why an order line cannot be worked on, or return None."""
        if order_id not in self.orders:
            return f"Order {order_id} does not exist"
        order = self.orders[order_id]
        if order["status"] != "open":
            return f"Order {order_id} is {order['status']}"
        if not 1 <= line <= len(order["lines"]):
            return f"Order {order_id} has no line {line}"
        return None

    def _unassigned(self, order_id: str, line: int) -> int:
        """Cases of an order line that are neither reserved, shipped nor backordered."""
        order_line = self.orders[order_id]["lines"][line - 1]
        taken = sum(
            r["cases"]
            for r in self.reservations.values()
            if (r["order_id"], r["line"]) == (order_id, line)
        )
        return order_line["ordered"] - order_line["backordered"] - taken

    def _long_enough(self, lot: Lot, order: Order) -> bool:
        """Whether a lot keeps the customer's minimum shelf life when the order is due."""
        if lot["expires_on"] is None:
            return True
        leaves = date.fromisoformat(max(order["due_on"], self._today()))
        days_left = (date.fromisoformat(lot["expires_on"]) - leaves).days
        return days_left >= self.customers[order["customer_id"]]["min_shelf_days"]

    def _usable_lots(self, order_id: str, line: int) -> list[str]:
        """Lots with free cases that an order line may take, in the order in which they leave."""
        order = self.orders[order_id]
        usable = [
            lot_id
            for lot_id, lot in self.lots.items()
            if lot["sku_id"] == order["lines"][line - 1]["sku_id"]
            and lot["status"] == "available"
            and self._free(lot_id) > 0
            and self._long_enough(lot, order)
        ]
        return sorted(usable, key=self._rotation)

    def _lot_summary(self, lot_id: str) -> dict[str, Any]:
        lot = self.lots[lot_id]
        name = self.skus[lot["sku_id"]]["name"]
        return {"lot_id": lot_id, **lot, "sku_name": name, "free_cases": self._free(lot_id)}

    def _load(self, order_id: str, lines: list[int]) -> list[Reservation]:
        """What is reserved on some lines of an order and on no shipment."""
        return [
            r
            for r in self.reservations.values()
            if r["order_id"] == order_id and r["line"] in lines and r["shipment_id"] is None
        ]

    def _weight_g(self, load: list[Reservation]) -> int:
        return sum(
            r["cases"] * self.skus[self.lots[r["lot_id"]]["sku_id"]]["case_weight_g"] for r in load
        )

    def _carriage_problem(self, carrier: Carrier, lots: list[str], weight_g: int) -> str | None:
        """Say why a carrier cannot take these goods together, or return None."""
        skus = [self.skus[self.lots[lot_id]["sku_id"]] for lot_id in lots]
        classes = sorted({s["hazard_class"] for s in skus if s["hazard_class"] is not None})
        if classes and any(sku["food"] for sku in skus):
            return "Hazardous goods and food cannot travel in one shipment"
        for hazard_class in classes:
            if hazard_class not in carrier["hazard_classes"]:
                return f"{carrier['name']} is not approved for hazard class {hazard_class}"
        if not carrier["refrigerated"] and any(sku["storage"] == "chilled" for sku in skus):
            return f"{carrier['name']} does not carry chilled goods"
        if weight_g > carrier["max_kg"] * 1000:
            return f"{weight_g / 1000} kg is over the {carrier['max_kg']} kg of {carrier['name']}"
        return None

    def _collection_problem(self, carrier: Carrier, ship_on: str) -> str | None:
        """Say why a carrier does not collect on a date, or return None."""
        if problem := _date_problem(ship_on):
            return problem
        now = datetime.now()
        day, today = date.fromisoformat(ship_on), now.date()
        if not today <= day <= today + timedelta(days=BOOKING_WINDOW_DAYS):
            return f"Collections are booked from today to {BOOKING_WINDOW_DAYS} days ahead"
        if WEEKDAYS[day.weekday()] not in carrier["run_days"]:
            return f"{carrier['name']} runs on {', '.join(carrier['run_days'])} only"
        if day == today and now.strftime("%H:%M") >= carrier["cutoff"]:
            return f"Today's cut-off of {carrier['name']} was at {carrier['cutoff']}"
        return None

    # Queries

    def search_skus(self, text: str = "", storage: Storage | None = None) -> dict[str, Any]:
        """Find articles by part of their name or SKU, with storage, hazard class and weight.

        Args:
            text: Part of the name or SKU, any case; empty for all.
            storage: Only articles kept in this climate.
        """
        rows = _rows("sku_id", self.skus, storage=storage)
        found = [r for r in rows if text.lower() in f"{r['sku_id']} {r['name']}".lower()]
        return {"success": True, "skus": found}

    def list_lots(
        self, sku_id: str | None = None, bin_id: str | None = None, status: LotStatus | None = None
    ) -> dict[str, Any]:
        """List lots in the order in which they have to leave, with their free cases.

        Args:
            sku_id: Only lots of this SKU.
            bin_id: Only lots in this bin.
            status: Only lots in this status.
        """
        rows = _rows("lot_id", self.lots, sku_id=sku_id, bin_id=bin_id, status=status)
        found = sorted((r["lot_id"] for r in rows), key=self._rotation)
        return {"success": True, "lots": [self._lot_summary(lot_id) for lot_id in found]}

    def get_lot(self, lot_id: str) -> dict[str, Any]:
        """Show a lot with its holds, refusals and the reservations that still wait in it.

        Args:
            lot_id: The lot.
        """
        if lot_id not in self.lots:
            return _fail(f"Lot {lot_id} does not exist")
        return {
            "success": True,
            "lot": self._lot_summary(lot_id),
            "holds": _rows("hold_id", self.holds, lot_id=lot_id),
            "reservations": _rows("reservation_id", self._waiting(lot_id)),
            "refusals": _rows("refusal_id", self.refusals, record_id=lot_id),
        }

    def list_bins(self, zone: Storage | None = None) -> dict[str, Any]:
        """List bins with their capacity and the room left, in cases.

        Args:
            zone: Only bins of this zone.
        """
        rows = _rows("bin_id", self.bins, zone=zone)
        return {"success": True, "bins": [{**r, "room": self._room(r["bin_id"])} for r in rows]}

    def list_orders(
        self, customer: str = "", due_by: str | None = None, status: OrderStatus | None = None
    ) -> dict[str, Any]:
        """List orders by due date, with the SKUs on their lines.

        Args:
            customer: Part of the customer's name or city, any case; empty for all.
            due_by: Only orders due on or before this ISO date, YYYY-MM-DD.
            status: Only orders in this status.
        """
        if problem := _date_problem(due_by):
            return _fail(problem)
        found = []
        for row in _rows("order_id", self.orders, status=status):
            buyer = self.customers[row.pop("customer_id")]
            skus = [line["sku_id"] for line in row.pop("lines")]
            named = customer.lower() in f"{buyer['name']} {buyer['city']}".lower()
            if named and (due_by is None or row["due_on"] <= due_by):
                found.append({**row, "customer": buyer["name"], "skus": skus})
        return {"success": True, "orders": sorted(found, key=lambda row: row["due_on"])}

    def get_order(self, order_id: str) -> dict[str, Any]:
        """Show an order with the customer's terms, its lines, reservations, shipments and refusals.

        Args:
            order_id: The order.
        """
        if order_id not in self.orders:
            return _fail(f"Order {order_id} does not exist")
        order = self.orders[order_id]
        lines = [
            {
                "line": number,
                **line,
                "sku_name": self.skus[line["sku_id"]]["name"],
                "unassigned": self._unassigned(order_id, number),
            }
            for number, line in enumerate(order["lines"], start=1)
        ]
        return {
            "success": True,
            "order_id": order_id,
            "customer": self.customers[order["customer_id"]],
            "due_on": order["due_on"],
            "status": order["status"],
            "lines": lines,
            "reservations": _rows("reservation_id", self.reservations, order_id=order_id),
            "shipments": _rows("shipment_id", self.shipments, order_id=order_id),
            "refusals": _rows("refusal_id", self.refusals, record_id=order_id),
        }

    def list_carriers(self, runs_on: Weekday | None = None) -> dict[str, Any]:
        """List carriers with run days, cut-off time, approvals, weight limit and tariff.

        A shipment costs base_cents plus cents_per_kg for every started kilogram.

        Args:
            runs_on: Only carriers that collect on this weekday.
        """
        rows = _rows("carrier_id", self.carriers)
        found = [r for r in rows if runs_on is None or runs_on in r["run_days"]]
        return {"success": True, "carriers": found}

    def list_shipments(
        self, carrier: str = "", ship_on: str | None = None, status: ShipmentStatus | None = None
    ) -> dict[str, Any]:
        """List shipments with their order, carrier, date, weight and fee.

        Args:
            carrier: Part of the carrier's name, any case; empty for all.
            ship_on: Only shipments of this ISO date, YYYY-MM-DD.
            status: Only shipments in this status.
        """
        if problem := _date_problem(ship_on):
            return _fail(problem)
        found = []
        for row in _rows("shipment_id", self.shipments, ship_on=ship_on, status=status):
            name = self.carriers[row["carrier_id"]]["name"]
            if carrier.lower() in name.lower():
                found.append({**row, "carrier": name})
        return {"success": True, "shipments": found}

    def list_returns(self, status: Literal["awaiting", "settled"] | None = None) -> dict[str, Any]:
        """List customer returns with the article and its condition.

        Args:
            status: Only returns in this status.
        """
        found = []
        for row in _rows("return_id", self.returns, status=status):
            customer_id = self.orders[row["order_id"]]["customer_id"]
            sku_id = self.lots[row["lot_id"]]["sku_id"]
            found.append({**row, "customer": self.customers[customer_id]["name"], "sku_id": sku_id})
        return {"success": True, "returns": found}

    def list_counts(self, status: Literal["open", "posted"] | None = None) -> dict[str, Any]:
        """List cycle counts beside the cases now on the books.

        Args:
            status: Only counts in this status.
        """
        found = []
        for row in _rows("count_id", self.counts, status=status):
            lot = self.lots[row["lot_id"]]
            place = {"sku_id": lot["sku_id"], "bin_id": lot["bin_id"], "book_cases": lot["cases"]}
            found.append({**row, **place})
        return {"success": True, "counts": found}

    def compare_stock_with_orders(self, storage: Storage | None = None) -> dict[str, Any]:
        """Compare for each article what is in the building with what open orders still need.

        All figures are cases: free ones are neither reserved nor on hold, still_needed is what
        open orders have neither reserved nor backordered. Shelf life is not looked at.

        Args:
            storage: Only articles kept in this climate.
        """
        needed: dict[str, int] = {}
        backordered: dict[str, int] = {}
        for order_id, order in self.orders.items():
            if order["status"] != "open":
                continue
            for number, line in enumerate(order["lines"], start=1):
                sku_id = line["sku_id"]
                needed[sku_id] = needed.get(sku_id, 0) + self._unassigned(order_id, number)
                backordered[sku_id] = backordered.get(sku_id, 0) + line["backordered"]
        report = []
        for row in _rows("sku_id", self.skus, storage=storage):
            lots = _rows("lot_id", self.lots, sku_id=row["sku_id"])
            stopped = [lot["lot_id"] for lot in lots if lot["status"] == "on_hold"]
            free = sum(self._free(lot["lot_id"]) for lot in lots if lot["lot_id"] not in stopped)
            report.append(
                {
                    "sku_id": row["sku_id"],
                    "name": row["name"],
                    "in_building": sum(lot["cases"] for lot in lots),
                    "on_hold": sum(self.lots[lot_id]["cases"] for lot_id in stopped),
                    "free": free,
                    "still_needed": needed.get(row["sku_id"], 0),
                    "backordered": backordered.get(row["sku_id"], 0),
                }
            )
        return {"success": True, "articles": report}

    def get_shipment(self, shipment_id: str) -> dict[str, Any]:
        """Show a shipment with what is on it, where it goes and what it weighs, in grams.

        Args:
            shipment_id: The shipment.
        """
        if shipment_id not in self.shipments:
            return _fail(f"Shipment {shipment_id} does not exist")
        shipment = self.shipments[shipment_id]
        customer = self.customers[self.orders[shipment["order_id"]]["customer_id"]]
        contents = []
        for row in _rows("reservation_id", self.reservations, shipment_id=shipment_id):
            lot = self.lots[row["lot_id"]]
            sku = {"sku_id": lot["sku_id"], "sku_name": self.skus[lot["sku_id"]]["name"]}
            contents.append({**row, **sku, "bin_id": lot["bin_id"]})
        return {
            "success": True,
            **shipment,
            "carrier": self.carriers[shipment["carrier_id"]]["name"],
            "customer": customer["name"],
            "city": customer["city"],
            "contents": contents,
            "refusals": _rows("refusal_id", self.refusals, record_id=shipment_id),
        }

    def quote_carriage(self, order_id: str, lines: list[int]) -> dict[str, Any]:
        """Tell what each carrier would charge for the cases reserved on some lines of an order.

        Only cases that are on no shipment count. Whether a carrier may take the goods, and when
        it collects, is not looked at.

        Args:
            order_id: The order.
            lines: Line numbers whose reservations would go together.
        """
        for line in lines:
            if problem := self._line_problem(order_id, line):
                return _fail(problem)
        load = self._load(order_id, lines)
        if not load:
            return _fail(f"No cases are reserved and unbooked on lines {lines} of {order_id}")
        weight_g = self._weight_g(load)
        quotes: list[dict[str, Any]] = [
            {"carrier_id": key, "carrier": carrier["name"], "max_kg": carrier["max_kg"]}
            | {"fee_cents": _carriage_cents(carrier, weight_g)}
            for key, carrier in self.carriers.items()
        ]
        quotes.sort(key=lambda quote: quote["fee_cents"])
        return {"success": True, "weight_g": weight_g, "quotes": quotes}

    # Changes

    def reserve_stock(self, order_id: str, line: int, lot_id: str, cases: int) -> dict[str, Any]:
        """Set cases of a lot aside for an order line, more of them if some already are.

        Args:
            order_id: The order.
            line: Line number in the order, from 1.
            lot_id: The lot to take from.
            cases: How many cases, at least 1.
        """
        if problem := self._line_problem(order_id, line):
            return _fail(problem)
        if lot_id not in self.lots:
            return _fail(f"Lot {lot_id} does not exist")
        lot = self.lots[lot_id]
        if lot["sku_id"] != self.orders[order_id]["lines"][line - 1]["sku_id"]:
            return _fail(f"Lot {lot_id} holds {lot['sku_id']}, which line {line} does not ask for")
        if lot["status"] == "on_hold":
            return _fail(f"Lot {lot_id} is on hold")
        if not self._long_enough(lot, self.orders[order_id]):
            return _fail(f"Lot {lot_id} expires {lot['expires_on']}, too soon for the customer")
        usable = self._usable_lots(order_id, line)
        if lot_id not in usable:
            return _fail(f"Lot {lot_id} has no free cases")
        if self._rotation(usable[0]) < self._rotation(lot_id):
            return _fail(f"Lot {usable[0]} has to leave before {lot_id} and has free cases")
        if self.bins[lot["bin_id"]]["status"] == "blocked":
            return _fail(f"Bin {lot['bin_id']} is blocked: move lot {lot_id} first")
        most = min(self._free(lot_id), self._unassigned(order_id, line))
        if not 1 <= cases <= most:
            return _fail(f"At most {most} cases of {lot_id} can be reserved for line {line}")
        key = (order_id, line, lot_id, None)
        same = [
            i
            for i, r in self.reservations.items()
            if (r["order_id"], r["line"], r["lot_id"], r["shipment_id"]) == key
        ]
        if same:
            reservation_id = same[0]
            self.reservations[reservation_id]["cases"] += cases
        else:
            reservation_id = f"RES-{self.next_reservation}"
            self.next_reservation += 1
            self.reservations[reservation_id] = {
                "order_id": order_id,
                "line": line,
                "lot_id": lot_id,
                "cases": cases,
                "shipment_id": None,
            }
        return {
            "success": True,
            "reservation_id": reservation_id,
            "reserved_cases": self.reservations[reservation_id]["cases"],
            "unassigned": self._unassigned(order_id, line),
        }

    def release_reservation(self, reservation_id: str) -> dict[str, Any]:
        """Give the cases of a reservation back to its lot; the reservation disappears.

        Args:
            reservation_id: A reservation that is not on a shipment.
        """
        if reservation_id not in self.reservations:
            return _fail(f"Reservation {reservation_id} does not exist")
        reservation = self.reservations[reservation_id]
        if reservation["shipment_id"] is not None:
            return _fail(f"{reservation_id} is on shipment {reservation['shipment_id']}")
        del self.reservations[reservation_id]
        lot_id = reservation["lot_id"]
        return {"success": True, "lot_id": lot_id, "free_cases": self._free(lot_id)}

    def backorder_line(self, order_id: str, line: int, cases: int) -> dict[str, Any]:
        """Promise cases of an order line for a later delivery, for want of stock.

        Args:
            order_id: The order.
            line: Line number in the order, from 1.
            cases: How many cases, at least 1.
        """
        if problem := self._line_problem(order_id, line):
            return _fail(problem)
        order = self.orders[order_id]
        customer = self.customers[order["customer_id"]]
        if customer["complete_only"]:
            return _fail(f"{customer['name']} takes complete deliveries only")
        usable = self._usable_lots(order_id, line)
        if usable:
            return _fail(f"Stock is still free for line {line}: {', '.join(usable)}")
        most = self._unassigned(order_id, line)
        if not 1 <= cases <= most:
            return _fail(f"At most {most} cases of line {line} can be backordered")
        order["lines"][line - 1]["backordered"] += cases
        return {"success": True, "unassigned": self._unassigned(order_id, line)}

    def book_shipment(
        self, order_id: str, carrier_id: str, ship_on: str, lines: list[int]
    ) -> dict[str, Any]:
        """Book a carrier for everything that is reserved on some lines of an order.

        Args:
            order_id: The order.
            carrier_id: The carrier.
            ship_on: Day of collection, ISO date, YYYY-MM-DD.
            lines: Line numbers whose reservations go with this shipment.
        """
        for line in lines:
            if problem := self._line_problem(order_id, line):
                return _fail(problem)
        if carrier_id not in self.carriers:
            return _fail(f"Carrier {carrier_id} does not exist")
        carrier = self.carriers[carrier_id]
        load = self._load(order_id, lines)
        if not lines or {r["line"] for r in load} != set(lines):
            return _fail(f"Each line of a shipment needs reserved cases: {lines}")
        order = self.orders[order_id]
        customer = self.customers[order["customer_id"]]
        ordered = sum(line["ordered"] for line in order["lines"])
        if customer["complete_only"] and sum(r["cases"] for r in load) < ordered:
            return _fail(f"{customer['name']} takes complete deliveries only: all {ordered} cases")
        lot_ids = [r["lot_id"] for r in load]
        weight_g = self._weight_g(load)
        if problem := (
            self._carriage_problem(carrier, lot_ids, weight_g)
            or self._collection_problem(carrier, ship_on)
        ):
            return _fail(problem)
        shipment_id = f"SHP-{self.next_shipment}"
        self.next_shipment += 1
        self.shipments[shipment_id] = {
            "order_id": order_id,
            "carrier_id": carrier_id,
            "ship_on": ship_on,
            "status": "booked",
            "weight_g": weight_g,
            "fee_cents": _carriage_cents(carrier, weight_g),
        }
        for reservation in load:
            reservation["shipment_id"] = shipment_id
        return {"success": True, "shipment_id": shipment_id, **self.shipments[shipment_id]}

    def cancel_shipment(self, shipment_id: str) -> dict[str, Any]:
        """Cancel a booked collection; its reservations stay and can be booked again.

        Args:
            shipment_id: A shipment that has not been picked.
        """
        if shipment_id not in self.shipments:
            return _fail(f"Shipment {shipment_id} does not exist")
        shipment = self.shipments[shipment_id]
        if shipment["status"] != "booked":
            return _fail(f"Shipment {shipment_id} is {shipment['status']}, not booked")
        shipment["status"] = "cancelled"
        kept = [i for i, r in self.reservations.items() if r["shipment_id"] == shipment_id]
        for reservation_id in kept:
            self.reservations[reservation_id]["shipment_id"] = None
        return {"success": True, "reservations": kept}

    def place_hold(self, lot_id: str, reason: HoldReason) -> dict[str, Any]:
        """Stop a lot: it is not reserved, moved or restocked until the hold is released.

        Args:
            lot_id: A lot in which no reservation waits.
            reason: Why it is stopped; a recall comes from the supplier or an authority.
        """
        if lot_id not in self.lots:
            return _fail(f"Lot {lot_id} does not exist")
        if self.lots[lot_id]["status"] == "on_hold":
            return _fail(f"Lot {lot_id} is already on hold")
        waiting = self._waiting(lot_id)
        if waiting:
            return _fail(f"Reservations still wait in lot {lot_id}: {', '.join(waiting)}")
        hold_id = f"HLD-{self.next_hold}"
        self.next_hold += 1
        self.holds[hold_id] = {
            "lot_id": lot_id,
            "reason": reason,
            "placed_on": self._today(),
            "status": "open",
        }
        self.lots[lot_id]["status"] = "on_hold"
        return {"success": True, "hold_id": hold_id}

    def release_hold(self, hold_id: str) -> dict[str, Any]:
        """Lift a hold, so that the lot is available again.

        Args:
            hold_id: An open hold that is not a recall.
        """
        if hold_id not in self.holds:
            return _fail(f"Hold {hold_id} does not exist")
        hold = self.holds[hold_id]
        if hold["status"] == "released":
            return _fail(f"Hold {hold_id} is already released")
        if hold["reason"] == "recall":
            return _fail(f"Hold {hold_id} is a recall, which the warehouse cannot lift")
        hold["status"] = "released"
        self.lots[hold["lot_id"]]["status"] = "available"
        return {"success": True, "lot_id": hold["lot_id"]}

    def move_lot(self, lot_id: str, bin_id: str) -> dict[str, Any]:
        """Move a whole lot, reservations included, to another bin.

        Args:
            lot_id: The lot.
            bin_id: An active bin of the right zone with room for the whole lot.
        """
        if lot_id not in self.lots:
            return _fail(f"Lot {lot_id} does not exist")
        if bin_id not in self.bins:
            return _fail(f"Bin {bin_id} does not exist")
        lot, place = self.lots[lot_id], self.bins[bin_id]
        if lot["bin_id"] == bin_id:
            return _fail(f"Lot {lot_id} is already in {bin_id}")
        if lot["status"] == "on_hold":
            return _fail(f"Lot {lot_id} is on hold")
        storage = self.skus[lot["sku_id"]]["storage"]
        if place["zone"] != storage:
            return _fail(f"Bin {bin_id} is {place['zone']}; {lot['sku_id']} is kept {storage}")
        if problem := self._bin_problem(bin_id, lot["cases"]):
            return _fail(problem)
        lot["bin_id"] = bin_id
        return {"success": True, "room_left": self._room(bin_id)}

    def settle_return(self, return_id: str, disposition: Disposition) -> dict[str, Any]:
        """Decide what becomes of a customer return.

        Args:
            return_id: A return that awaits its decision.
            disposition: Back into its lot, back to the supplier, or scrap.
        """
        if return_id not in self.returns:
            return _fail(f"Return {return_id} does not exist")
        returned = self.returns[return_id]
        if returned["status"] == "settled":
            return _fail(f"Return {return_id} is already settled")
        lot = self.lots[returned["lot_id"]]
        sku = self.skus[lot["sku_id"]]
        if disposition == "vendor" and not sku["vendor_takes_back"]:
            return _fail(f"The supplier of {lot['sku_id']} takes nothing back")
        if disposition == "restock":
            if returned["condition"] != "sealed":
                return _fail(f"Return {return_id} is {returned['condition']}, not sealed")
            if sku["storage"] == "chilled":
                return _fail("Chilled goods never go back into stock")
            if lot["status"] == "on_hold":
                return _fail(f"Lot {returned['lot_id']} is on hold")
            if problem := self._bin_problem(lot["bin_id"], returned["cases"]):
                return _fail(problem)
            lot["cases"] += returned["cases"]
        returned["status"] = "settled"
        returned["disposition"] = disposition
        return {"success": True, "lot_id": returned["lot_id"], "lot_cases": lot["cases"]}

    def post_count(self, count_id: str, recount_cases: int | None = None) -> dict[str, Any]:
        """Correct the books of a lot to its cycle count.

        Args:
            count_id: An open count.
            recount_cases: Result of an independent second count in cases, for a count
                that is out of tolerance.
        """
        if count_id not in self.counts:
            return _fail(f"Count {count_id} does not exist")
        count = self.counts[count_id]
        if count["status"] == "posted":
            return _fail(f"Count {count_id} is already posted")
        lot, counted = self.lots[count["lot_id"]], count["counted_cases"]
        if recount_cases is not None and recount_cases != counted:
            return _fail(f"The recount of {recount_cases} cases contradicts the count of {counted}")
        difference = abs(counted - lot["cases"])
        if recount_cases is None and difference * 100 > lot["cases"] * COUNT_TOLERANCE_PERCENT:
            return _fail(f"{difference} cases off the books is out of tolerance: recount first")
        reserved = self._reserved(count["lot_id"])
        if counted < reserved:
            return _fail(f"{reserved} cases of {count['lot_id']} are reserved, {counted} counted")
        lot["cases"] = counted
        count["status"] = "posted"
        return {"success": True, "lot_id": count["lot_id"], "cases": counted}

    def decline_request(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record that a request was turned down.

        Stock, shelf-life and delivery-term reasons are filed on the order, already_picked
        on the shipment, lot_on_hold and recalled_lot on the lot, not_restockable on the
        return and count_unconfirmed on the count.

        Args:
            record_id: The order, shipment, lot, return or count that the request was about.
            reason: The rule or fact that stood in the way; recalled_lot where a recall was
                to be lifted, lot_on_hold where held stock was wanted or to be moved.
        """
        collections: dict[RefusalReason, tuple[str, Container[str]]] = {
            "no_stock": ("an order", self.orders),
            "short_shelf_life": ("an order", self.orders),
            "complete_delivery_only": ("an order", self.orders),
            "already_picked": ("a shipment", self.shipments),
            "lot_on_hold": ("a lot", self.lots),
            "recalled_lot": ("a lot", self.lots),
            "not_restockable": ("a return", self.returns),
            "count_unconfirmed": ("a count", self.counts),
        }
        kind, records = collections[reason]
        if record_id not in records:
            return _fail(f"{reason} is filed on {kind}, and {record_id!r} is none")
        if any(
            (r["record_id"], r["reason"]) == (record_id, reason) for r in self.refusals.values()
        ):
            return _fail(f"That refusal is already on record for {record_id}")
        refusal_id = f"REF-{self.next_refusal}"
        self.next_refusal += 1
        self.refusals[refusal_id] = {
            "record_id": record_id,
            "reason": reason,
            "refused_on": self._today(),
        }
        return {"success": True, "refusal_id": refusal_id}
