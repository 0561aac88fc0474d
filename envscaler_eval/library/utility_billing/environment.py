"""Municipal power and water: meters, tiered bills, arrears, disconnections and credits."""

from calendar import monthrange
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any, Literal, TypedDict

Service = Literal["electricity", "water"]
CustomerClass = Literal["residential", "commercial"]
ReadingKind = Literal["staff", "customer", "estimated"]
BillStatus = Literal["open", "settled", "replaced"]
CreditReason = Literal["outage", "leak", "goodwill"]
ProtectionKind = Literal["medical", "hardship"]
OrderKind = Literal["disconnect", "reconnect", "meter_test"]
OrderStatus = Literal["booked", "done", "cancelled"]
Request = Literal[
    "billing", "bill_correction", "credit", "payment_plan", "disconnection", "reconnection"
]
Ground = Literal[
    "estimated_too_often",
    "back_billing_limit",
    "no_claim",
    "already_credited",
    "broken_plan",
    "moratorium",
    "medical_protection",
    "debt_too_small",
    "no_timely_notice",
    "still_overdue",
]

ESTIMATES_IN_A_ROW = 2
DAYS_TO_PAY = 21
YEARS_TO_CHARGE_MORE, YEARS_TO_CHARGE_LESS = 1, 2
OUTAGE_HOURS = 12
OUTAGE_CENTS: dict[str, int] = {"residential": 2500, "commercial": 6000}
GOODWILL_CENTS_A_YEAR = 3000
INSTALMENTS, INSTALMENTS_IN_HARDSHIP = 6, 12
DISCONNECTION_CENTS = 15000
NOTICE_DAYS = 14
PLANNING_DAYS = 30
FRIDAY, SATURDAY = 4, 5


class Account(TypedDict):
    customer: str
    address: str
    zone: str
    customer_class: CustomerClass


class Meter(TypedDict):
    account_id: str
    service: Service
    serial: str
    supply: Literal["on", "off"]


class Reading(TypedDict):
    meter_id: str
    read_on: str
    value: int
    kind: ReadingKind


class Tier(TypedDict):
    up_to: int | None
    cents_per_unit: int


class Tariff(TypedDict):
    service: Service
    customer_class: CustomerClass
    valid_from: str
    valid_until: str
    fixed_cents: int
    tiers: list[Tier]


class Credit(TypedDict):
    reason: CreditReason
    amount_cents: int
    outage_id: str | None
    given_on: str


class Bill(TypedDict):
    account_id: str
    meter_id: str
    from_reading_id: str
    to_reading_id: str
    tariff_id: str
    usage: int
    amount_cents: int
    paid_cents: int
    credits: list[Credit]
    issued_on: str
    due_on: str
    final_notice_on: str | None
    status: BillStatus


class Plan(TypedDict):
    account_id: str
    bill_ids: list[str]
    total_cents: int
    instalments: int
    instalment_cents: int
    first_due_on: str
    status: Literal["active", "completed", "broken"]
    ended_on: str | None


class Protection(TypedDict):
    account_id: str
    kind: ProtectionKind
    starts_on: str
    ends_on: str


class Moratorium(TypedDict):
    name: str
    service: Service
    starts_on: str
    ends_on: str


class Order(TypedDict):
    meter_id: str
    kind: OrderKind
    visit_on: str
    status: OrderStatus


class Outage(TypedDict):
    service: Service
    zone: str
    cause: Literal["weather", "equipment", "third_party"]
    started_at: str
    ended_at: str


class Denial(TypedDict):
    account_id: str
    request: Request
    ground: Ground
    denied_on: str


def _fail(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _rows(id_key: str, records: Mapping[str, Any], **wanted: object) -> list[dict[str, Any]]:
    """Records with their ids, as far as no field has another value than the wanted one, if any."""
    rows = []
    for record_id, record in records.items():
        differing = [field for field, value in wanted.items() if value not in (None, record[field])]
        if not differing:
            rows.append({id_key: record_id, **record})
    return rows


def _bad_date(day: str | None) -> str | None:
    """The error about a day that is no ISO date; None stands for one not given."""
    try:
        if day is None or date.fromisoformat(day).isoformat() == day:
            return None
    except ValueError:
        pass
    return f"{day!r} is not a date; give YYYY-MM-DD"


def _covers(period: Mapping[str, Any], day: str | None) -> bool:
    """Whether the day lies in a protection or moratorium; None asks for no day."""
    return day is None or bool(period["starts_on"] <= day <= period["ends_on"])


def _days_after(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _today() -> str:
    return datetime.now().date().isoformat()


def _years_ago(years: int) -> str:
    """The same day in an earlier year."""
    today = _today()
    return f"{int(today[:4]) - years:04}{today[4:]}"


def _months_after(day: str, months: int) -> str:
    """The same day of a later month, or the last day of that month where it is shorter."""
    years, month = divmod(int(day[5:7]) - 1 + months, 12)
    year = int(day[:4]) + years
    last = monthrange(year, month + 1)[1]
    return f"{year:04}-{month + 1:02}-{min(int(day[8:]), last):02}"


def _tier_charges(tariff: Tariff, usage: int) -> list[dict[str, int]]:
    """The units that fall in each tier, the price of one, and what they cost together."""
    charges, charged = [], 0
    for tier in tariff["tiers"]:
        reached = usage if tier["up_to"] is None else min(usage, tier["up_to"])
        units, price = reached - charged, tier["cents_per_unit"]
        charges.append({"units": units, "cents_per_unit": price, "cents": units * price})
        charged = reached
    return charges


def _charge(tariff: Tariff, usage: int) -> int:
    """Price in cents: the fixed charge, and each unit at the price of the tier it falls in."""
    return tariff["fixed_cents"] + sum(row["cents"] for row in _tier_charges(tariff, usage))


def _balance(bill: Bill) -> int:
    """What is still owed in cents; below zero, what the customer has in hand."""
    credited = sum(credit["amount_cents"] for credit in bill["credits"])
    return bill["amount_cents"] - credited - bill["paid_cents"]


class UtilityBilling:
    """The customer accounts of a city's electricity and water utility."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.accounts: dict[str, Account] = {}
        self.meters: dict[str, Meter] = {}
        self.readings: dict[str, Reading] = {}
        self.tariffs: dict[str, Tariff] = {}
        self.bills: dict[str, Bill] = {}
        self.plans: dict[str, Plan] = {}
        self.protections: dict[str, Protection] = {}
        self.moratoriums: dict[str, Moratorium] = {}
        self.orders: dict[str, Order] = {}
        self.outages: dict[str, Outage] = {}
        self.denials: dict[str, Denial] = {}
        self.last_numbers: dict[str, int] = {}

    # Look-ups

    def find_accounts(
        self,
        text: str | None = None,
        zone: str | None = None,
        customer_class: CustomerClass | None = None,
    ) -> dict[str, Any]:
        """List customer accounts with address, network zone and customer class.

        Args:
            text: Part of the customer's name or of the address.
            zone: Name of the network zone, such as Northgate.
            customer_class: Only accounts of this class.
        """
        accounts = [
            row
            for row in _rows("account_id", self.accounts, customer_class=customer_class)
            if (text or "").lower() in f"{row['customer']}\n{row['address']}".lower()
            and (zone or row["zone"]).lower() == row["zone"].lower()
        ]
        return {"success": True, "accounts": accounts}

    def get_account(self, account_id: str) -> dict[str, Any]:
        """Show an account with its meters, payment plans and protections, past ones included.

        Args:
            account_id: The account, such as ACC-2041.
        """
        if error := self._unknown(account=account_id):
            return _fail(error)
        return {
            "success": True,
            **self.accounts[account_id],
            "meters": _rows("meter_id", self.meters, account_id=account_id),
            "plans": _rows("plan_id", self.plans, account_id=account_id),
            "protections": _rows("protection_id", self.protections, account_id=account_id),
        }

    def find_readings(
        self, meter_id: str | None = None, kind: ReadingKind | None = None
    ) -> dict[str, Any]:
        """List meter readings by date, in kWh or cubic metres, and whether each was billed.

        Args:
            meter_id: Only readings of this meter.
            kind: Who made the reading: staff, the customer, or nobody (estimated).
        """
        if error := self._unknown(meter=meter_id):
            return _fail(error)
        readings = [
            {**row, "billed": row["read_on"] <= self._billed_until(row["meter_id"])["read_on"]}
            for row in _rows("reading_id", self.readings, meter_id=meter_id, kind=kind)
        ]
        return {"success": True, "readings": sorted(readings, key=lambda row: row["read_on"])}

    def find_tariffs(
        self, service: Service | None = None, customer_class: CustomerClass | None = None
    ) -> dict[str, Any]:
        """List tariffs with their fixed charge and tier prices, in cents.

        A tier covers the units of one bill above the tier before it, up to and including
        its limit in kWh or cubic metres; the last tier has no limit.

        Args:
            service: Only tariffs of this service.
            customer_class: Only tariffs of this class of customers.
        """
        tariffs = _rows("tariff_id", self.tariffs, service=service, customer_class=customer_class)
        return {"success": True, "tariffs": tariffs}

    def find_bills(
        self,
        account_id: str | None = None,
        meter_id: str | None = None,
        status: BillStatus | None = None,
        overdue: bool | None = None,
    ) -> dict[str, Any]:
        """List bills by issue date, with credits, what is still owed, and whether it is overdue.

        Args:
            account_id: Only bills of this account.
            meter_id: Only bills of this meter.
            status: open while money is owed, settled, or replaced by a corrected bill.
            overdue: true for bills that count as overdue today only, false for the others.
        """
        if error := self._unknown(account=account_id, meter=meter_id):
            return _fail(error)
        bills = [
            {
                "customer": self.accounts[row["account_id"]]["customer"],
                "service": self.meters[row["meter_id"]]["service"],
                "overdue": self._is_overdue(row["bill_id"]),
                "balance_cents": _balance(self.bills[row["bill_id"]]),
                **row,
            }
            for row in _rows(
                "bill_id", self.bills, account_id=account_id, meter_id=meter_id, status=status
            )
            if overdue in (None, self._is_overdue(row["bill_id"]))
        ]
        return {"success": True, "bills": sorted(bills, key=lambda row: row["issued_on"])}

    def find_moratoriums(self) -> dict[str, Any]:
        """List the periods without residential disconnections, first and last day included."""
        return {"success": True, "moratoriums": _rows("moratorium_id", self.moratoriums)}

    def find_orders(
        self,
        account_id: str | None = None,
        kind: OrderKind | None = None,
        status: OrderStatus | None = None,
    ) -> dict[str, Any]:
        """List service orders, that is visits of the field crew to a meter.

        Args:
            account_id: Only orders for meters of this account.
            kind: Only orders of this kind.
            status: Only orders that stand like this.
        """
        if error := self._unknown(account=account_id):
            return _fail(error)
        orders = [
            {
                "account_id": self.meters[row["meter_id"]]["account_id"],
                "service": self.meters[row["meter_id"]]["service"],
                **row,
            }
            for row in _rows("order_id", self.orders, kind=kind, status=status)
            if account_id in (None, self.meters[row["meter_id"]]["account_id"])
        ]
        return {"success": True, "orders": orders}

    def find_outages(
        self, service: Service | None = None, zone: str | None = None
    ) -> dict[str, Any]:
        """List supply outages with their zone, cause, beginning and end.

        Args:
            service: Only outages of this service.
            zone: Name of the network zone, such as Northgate.
        """
        outages = [
            row
            for row in _rows("outage_id", self.outages, service=service)
            if (zone or row["zone"]).lower() == row["zone"].lower()
        ]
        return {"success": True, "outages": outages}

    def get_usage_history(self, meter_id: str) -> dict[str, Any]:
        """Show what a meter counted between each two readings, in all and a day, oldest first.

        bill_id is the standing bill that closes on the later reading; null if there is none.

        Args:
            meter_id: The meter.
        """
        if error := self._unknown(meter=meter_id):
            return _fail(error)
        by_day = sorted(
            _rows("reading_id", self.readings, meter_id=meter_id), key=lambda row: row["read_on"]
        )
        bills = {bill["to_reading_id"]: bill["bill_id"] for bill in self._bills_of(meter_id)}
        periods = []
        for opening, closing in pairwise(by_day):
            usage = closing["value"] - opening["value"]
            first, last = (date.fromisoformat(row["read_on"]) for row in (opening, closing))
            periods.append(
                {
                    "from_reading_id": opening["reading_id"],
                    "to_reading_id": closing["reading_id"],
                    "from": opening["read_on"],
                    "to": closing["read_on"],
                    "closing_kind": closing["kind"],
                    "usage": usage,
                    "usage_a_day": round(usage / max(1, (last - first).days), 2),
                    "bill_id": bills.get(closing["reading_id"]),
                }
            )
        return {"success": True, **self.meters[meter_id], "periods": periods}

    def quote_bill(self, from_reading_id: str, to_reading_id: str) -> dict[str, Any]:
        """Price what a meter counted between two readings, tier by tier; no bill is issued.

        Args:
            from_reading_id: The opening reading.
            to_reading_id: The closing reading, of the same meter and a later day.
        """
        for reading_id in (from_reading_id, to_reading_id):
            if error := self._unknown(reading=reading_id):
                return _fail(error)
        opening, closing = self.readings[from_reading_id], self.readings[to_reading_id]
        if opening["meter_id"] != closing["meter_id"] or opening["read_on"] >= closing["read_on"]:
            return _fail("The readings are of one meter, the closing one of the later day")
        tariff_id, usage, amount_cents = self._price(from_reading_id, to_reading_id)
        tariff = self.tariffs[tariff_id]
        return {
            "success": True,
            "tariff_id": tariff_id,
            "usage": usage,
            "fixed_cents": tariff["fixed_cents"],
            "tiers": _tier_charges(tariff, usage),
            "amount_cents": amount_cents,
        }

    def find_credits(
        self,
        account_id: str | None = None,
        reason: CreditReason | None = None,
        given_from: str | None = None,
    ) -> dict[str, Any]:
        """List the credits on the bills that stand, oldest first, and their sum in cents.

        Args:
            account_id: Only credits of this account.
            reason: Only credits for this reason.
            given_from: First day to include, ISO date, YYYY-MM-DD.
        """
        if error := self._unknown(account=account_id) or _bad_date(given_from):
            return _fail(error)
        found = [
            {"account_id": bill["account_id"], "bill_id": bill["bill_id"], **credit}
            for bill in _rows("bill_id", self.bills, account_id=account_id)
            if bill["status"] != "replaced"
            for credit in bill["credits"]
            if reason in (None, credit["reason"]) and credit["given_on"] >= (given_from or "")
        ]
        found.sort(key=lambda row: row["given_on"])
        total = sum(row["amount_cents"] for row in found)
        return {"success": True, "credits": found, "sum_cents": total}

    def list_arrears(
        self, service: Service | None = None, zone: str | None = None
    ) -> dict[str, Any]:
        """List the meters with overdue bills, the largest debt first, with what was notified when.

        Bills in an active payment plan are not overdue.

        Args:
            service: Only meters of this service.
            zone: Name of the network zone, such as Northgate.
        """
        found = []
        for meter in _rows("meter_id", self.meters, service=service):
            account = self.accounts[meter["account_id"]]
            overdue = [
                {
                    "bill_id": bill["bill_id"],
                    "balance_cents": _balance(self.bills[bill["bill_id"]]),
                    "due_on": bill["due_on"],
                    "final_notice_on": bill["final_notice_on"],
                }
                for bill in self._bills_of(meter["meter_id"])
                if self._is_overdue(bill["bill_id"])
            ]
            if overdue and (zone or account["zone"]).lower() == account["zone"].lower():
                owner = {"customer": account["customer"], "class": account["customer_class"]}
                owed = sum(bill["balance_cents"] for bill in overdue)
                found.append({**meter, **owner, "overdue_cents": owed, "bills": overdue})
        found.sort(key=lambda row: -row["overdue_cents"])
        return {"success": True, "meters": found}

    def get_instalments(self, plan_id: str) -> dict[str, Any]:
        """Show when each instalment of a payment plan is due, how much it is, and the bills in it.

        Args:
            plan_id: The plan.
        """
        if error := self._unknown(plan=plan_id):
            return _fail(error)
        plan = self.plans[plan_id]
        left, instalments = plan["total_cents"], []
        for month in range(plan["instalments"]):
            cents = min(plan["instalment_cents"], left)
            left -= cents
            instalments.append(
                {"due_on": _months_after(plan["first_due_on"], month), "amount_cents": cents}
            )
        bills = {bill_id: _balance(self.bills[bill_id]) for bill_id in plan["bill_ids"]}
        return {
            "success": True,
            "account_id": plan["account_id"],
            "status": plan["status"],
            "ended_on": plan["ended_on"],
            "schedule": instalments,
            "bill_balances_cents": bills,
        }

    def find_denials(
        self, account_id: str | None = None, request: Request | None = None
    ) -> dict[str, Any]:
        """List the requests that were turned down, with ground and day.

        Args:
            account_id: Only about this account.
            request: Only requests of this kind.
        """
        if error := self._unknown(account=account_id):
            return _fail(error)
        found = _rows("denial_id", self.denials, account_id=account_id, request=request)
        return {"success": True, "denials": found}

    # Readings, bills and credits

    def correct_reading(
        self, reading_id: str, value: int, kind: Literal["staff", "customer"]
    ) -> dict[str, Any]:
        """Put the true figure in place of an estimated or mistaken reading; bills stay as issued.

        Args:
            reading_id: The reading to correct.
            value: What the meter showed on that day, in whole kWh or cubic metres.
            kind: Who read the true figure off the meter: the utility's staff, or the customer.
        """
        if error := self._unknown(reading=reading_id):
            return _fail(error)
        reading = self.readings[reading_id]
        if (value, kind) == (reading["value"], reading["kind"]):
            return _fail(f"Reading {reading_id} says so already")
        if value < 0:
            return _fail("A meter cannot show less than 0")
        for other_id, other in self.readings.items():
            if other["meter_id"] != reading["meter_id"]:
                continue
            if other["read_on"] < reading["read_on"] and other["value"] > value:
                return _fail(f"{value} is below the earlier reading {other_id}: {other['value']}")
            if other["read_on"] > reading["read_on"] and other["value"] < value:
                return _fail(f"{value} is above the later reading {other_id}: {other['value']}")
        reading["value"] = value
        reading["kind"] = kind
        return {"success": True, "reading_id": reading_id, "value": value, "kind": kind}

    def issue_bill(self, reading_id: str) -> dict[str, Any]:
        """Bill what a meter has counted since it was last billed, payable within 21 days.

        Args:
            reading_id: The closing reading, later than the last billed one of its meter.
        """
        if error := self._unknown(reading=reading_id):
            return _fail(error)
        closing = self.readings[reading_id]
        meter_id = closing["meter_id"]
        opening = self._billed_until(meter_id)
        if closing["read_on"] <= opening["read_on"]:
            return _fail(f"Meter {meter_id} is billed until {opening['read_on']} already")
        kinds = [
            self.readings[bill["to_reading_id"]]["kind"]
            for bill in self._bills_of(meter_id)[-ESTIMATES_IN_A_ROW:]
        ]
        if [*kinds, closing["kind"]] == ["estimated"] * (ESTIMATES_IN_A_ROW + 1):
            return _fail(f"The last {ESTIMATES_IN_A_ROW} bills of {meter_id} are estimated already")
        return self._add_bill(opening["reading_id"], reading_id, paid_cents=0, credits=[])

    def replace_bill(self, bill_id: str) -> dict[str, Any]:
        """Issue a bill anew from its corrected readings; payments and credits move to the new one.

        Args:
            bill_id: The bill to replace, whose readings now give another amount.
        """
        if error := self._unknown(bill=bill_id) or self._closed_error(bill_id):
            return _fail(error)
        bill = self.bills[bill_id]
        _, _, amount_cents = self._price(bill["from_reading_id"], bill["to_reading_id"])
        if amount_cents == bill["amount_cents"]:
            return _fail(f"Bill {bill_id} agrees with its readings")
        dearer = amount_cents > bill["amount_cents"]
        years = YEARS_TO_CHARGE_MORE if dearer else YEARS_TO_CHARGE_LESS
        if bill["issued_on"] < _years_ago(years):
            return _fail(
                f"Bill {bill_id} was issued on {bill['issued_on']}, "
                f"too long ago to become {'dearer' if dearer else 'cheaper'}"
            )
        bill["status"] = "replaced"
        return self._add_bill(
            bill["from_reading_id"], bill["to_reading_id"], bill["paid_cents"], [*bill["credits"]]
        )

    def credit_bill(
        self,
        bill_id: str,
        amount_cents: int,
        reason: CreditReason,
        outage_id: str | None = None,
    ) -> dict[str, Any]:
        """Take an amount off a bill; what exceeds the bill stays in the customer's favour.

        Args:
            bill_id: The open or settled bill.
            amount_cents: The credit in cents, at least 1.
            reason: outage, leak (half of the rise over the water meter's bill before), or goodwill.
            outage_id: The outage that is made good; none for the other reasons.
        """
        if error := self._unknown(bill=bill_id, outage=outage_id) or self._closed_error(bill_id):
            return _fail(error)
        if amount_cents < 1:
            return _fail("A credit is at least 1 cent")
        if (reason == "outage") != (outage_id is not None):
            return _fail("An outage credit names its outage; other credits name none")
        bill = self.bills[bill_id]
        if outage_id is not None:
            error = self._outage_error(bill, outage_id, amount_cents)
        elif reason == "leak":
            error = self._leak_error(bill_id, amount_cents)
        else:
            error = self._goodwill_error(bill, amount_cents)
        if error is not None:
            return _fail(error)
        bill["credits"].append(
            {
                "reason": reason,
                "amount_cents": amount_cents,
                "outage_id": outage_id,
                "given_on": _today(),
            }
        )
        bill["status"] = "open" if _balance(bill) > 0 else "settled"
        return {"success": True, "bill_id": bill_id, "balance_cents": _balance(bill)}

    # Arrears, visits and denials

    def start_plan(self, account_id: str, instalments: int, first_due_on: str) -> dict[str, Any]:
        """Spread everything overdue on an account over equal monthly instalments.

        Each instalment is rounded up to whole cents; the last one is the remainder.

        Args:
            account_id: The residential account.
            instalments: Number of monthly instalments, at least 2.
            first_due_on: When the first is due, at most 30 days ahead, ISO date, YYYY-MM-DD.
        """
        if error := self._unknown(account=account_id) or _bad_date(first_due_on):
            return _fail(error)
        if self.accounts[account_id]["customer_class"] != "residential":
            return _fail("Payment plans are for residential accounts")
        for plan in _rows("plan_id", self.plans, account_id=account_id):
            if plan["status"] == "active":
                return _fail(f"Plan {plan['plan_id']} of the account is active")
            if plan["status"] == "broken" and plan["ended_on"] >= _years_ago(1):
                return _fail(f"Plan {plan['plan_id']} was broken on {plan['ended_on']}")
        hardship = self._protection(account_id, "hardship", _today()) is not None
        most = INSTALMENTS_IN_HARDSHIP if hardship else INSTALMENTS
        if not 2 <= instalments <= most:
            return _fail(f"This account can pay in 2 to {most} instalments")
        if error := self._ahead_error(first_due_on):
            return _fail(error)
        bill_ids = [
            bill_id
            for bill_id, bill in self.bills.items()
            if bill["account_id"] == account_id and self._is_overdue(bill_id)
        ]
        if not bill_ids:
            return _fail("Nothing is overdue on the account")
        total_cents = sum(_balance(self.bills[bill_id]) for bill_id in bill_ids)
        plan_id = self._new_id("PLN")
        self.plans[plan_id] = {
            "account_id": account_id,
            "bill_ids": bill_ids,
            "total_cents": total_cents,
            "instalments": instalments,
            "instalment_cents": -(-total_cents // instalments),
            "first_due_on": first_due_on,
            "status": "active",
            "ended_on": None,
        }
        return {"success": True, "plan_id": plan_id, **self.plans[plan_id]}

    def register_protection(
        self, account_id: str, kind: ProtectionKind, ends_on: str
    ) -> dict[str, Any]:
        """Put a residential account under protection from today on; booked visits stay booked.

        Args:
            account_id: The account.
            kind: medical on a doctor's certificate, hardship on a statement of social services.
            ends_on: Last day of the protection, within one year, ISO date, YYYY-MM-DD.
        """
        if error := self._unknown(account=account_id) or _bad_date(ends_on):
            return _fail(error)
        if self.accounts[account_id]["customer_class"] != "residential":
            return _fail("Protections are for residential accounts")
        today = _today()
        if not today <= ends_on <= _years_ago(-1):
            return _fail(f"{ends_on} is not within one year from today, {today}")
        if running := self._protection(account_id, kind, today):
            return _fail(f"Protection {running} of this kind is in force")
        protection_id = self._new_id("PRO")
        self.protections[protection_id] = {
            "account_id": account_id,
            "kind": kind,
            "starts_on": today,
            "ends_on": ends_on,
        }
        return {"success": True, "protection_id": protection_id}

    def book_order(self, meter_id: str, kind: OrderKind, visit_on: str) -> dict[str, Any]:
        """Book a visit of the field crew; a meter has one booked visit at a time.

        Args:
            meter_id: The meter to visit.
            kind: What the crew does there.
            visit_on: A working day, tomorrow to 30 days ahead, ISO date, YYYY-MM-DD.
        """
        if error := self._unknown(meter=meter_id) or _bad_date(visit_on):
            return _fail(error)
        for order_id, order in self.orders.items():
            if order["meter_id"] == meter_id and order["status"] == "booked":
                return _fail(f"Order {order_id} for this meter is booked for {order['visit_on']}")
        error = self._ahead_error(visit_on)
        if error is None and date.fromisoformat(visit_on).weekday() >= SATURDAY:
            error = f"{visit_on} is on a weekend"
        if error is None and kind == "disconnect":
            error = self._disconnection_error(meter_id, visit_on)
        elif error is None and kind == "reconnect":
            error = self._reconnection_error(meter_id)
        if error is not None:
            return _fail(error)
        order_id = self._new_id("ORD")
        self.orders[order_id] = {
            "meter_id": meter_id,
            "kind": kind,
            "visit_on": visit_on,
            "status": "booked",
        }
        return {"success": True, "order_id": order_id}

    def cancel_order(self, order_id: str) -> dict[str, Any]:
        """Call off a booked visit.

        Args:
            order_id: The booked service order.
        """
        if error := self._unknown(order=order_id):
            return _fail(error)
        order = self.orders[order_id]
        if order["status"] != "booked":
            return _fail(f"Order {order_id} is {order['status']}")
        order["status"] = "cancelled"
        return {"success": True, "order_id": order_id, "status": "cancelled"}

    def deny_request(self, account_id: str, request: Request, ground: Ground) -> dict[str, Any]:
        """Put on record that a request about an account was turned down, and why.

        Args:
            account_id: The account that the request was about.
            request: What was asked for, by the customer or by a colleague.
            ground: The first of these that applies. estimated_too_often: a third estimated bill.
                back_billing_limit: the bill is too old to correct. no_claim: the outage or bill
                gives no right to a credit. already_credited. broken_plan: a payment plan was
                broken in the last year. moratorium. medical_protection. debt_too_small: under
                $150 overdue at the meter. no_timely_notice: final notice missing or too recent.
                still_overdue: the meter's overdue bills are in the way of a reconnection.
        """
        if error := self._unknown(account=account_id):
            return _fail(error)
        if _rows("denial_id", self.denials, account_id=account_id, request=request, ground=ground):
            return _fail("This denial is on record already")
        denial_id = self._new_id("DEN")
        self.denials[denial_id] = {
            "account_id": account_id,
            "request": request,
            "ground": ground,
            "denied_on": _today(),
        }
        return {"success": True, "denial_id": denial_id}

    # Rules

    def _unknown(
        self,
        account: str | None = None,
        meter: str | None = None,
        reading: str | None = None,
        bill: str | None = None,
        plan: str | None = None,
        order: str | None = None,
        outage: str | None = None,
    ) -> str | None:
        """The error about an id that is given and names nothing."""
        asked: tuple[tuple[str, str | None, Mapping[str, object]], ...] = (
            ("Account", account, self.accounts),
            ("Meter", meter, self.meters),
            ("Reading", reading, self.readings),
            ("Bill", bill, self.bills),
            ("Plan", plan, self.plans),
            ("Order", order, self.orders),
            ("Outage", outage, self.outages),
        )
        return next(
            (
                f"{kind} {record_id!r} does not exist"
                for kind, record_id, records in asked
                if record_id is not None and record_id not in records
            ),
            None,
        )

    def _new_id(self, prefix: str) -> str:
        self.last_numbers[prefix] += 1
        return f"{prefix}-{self.last_numbers[prefix]}"

    def _bills_of(self, meter_id: str) -> list[dict[str, Any]]:
        """The bills of a meter that stand, each with its id, in the order of their periods."""
        bills = [
            row
            for row in _rows("bill_id", self.bills, meter_id=meter_id)
            if row["status"] != "replaced"
        ]
        return sorted(bills, key=lambda row: self.readings[row["to_reading_id"]]["read_on"])

    def _billed_until(self, meter_id: str) -> dict[str, Any]:
        """The last billed reading of a meter, with its id; its first reading if none was billed."""
        readings = _rows("reading_id", self.readings, meter_id=meter_id)
        closings = [bill["to_reading_id"] for bill in self._bills_of(meter_id)[-1:]]
        return min(
            (row for row in readings if not closings or row["reading_id"] in closings),
            key=lambda row: row["read_on"],
        )

    def _price(self, from_reading_id: str, to_reading_id: str) -> tuple[str, int, int]:
        """Tariff, usage and amount in cents between two readings; there is always one tariff."""
        opening, closing = self.readings[from_reading_id], self.readings[to_reading_id]
        meter = self.meters[closing["meter_id"]]
        customer_class = self.accounts[meter["account_id"]]["customer_class"]
        tariff_id = next(
            tariff_id
            for tariff_id, tariff in self.tariffs.items()
            if (tariff["service"], tariff["customer_class"]) == (meter["service"], customer_class)
            and tariff["valid_from"] <= closing["read_on"] <= tariff["valid_until"]
        )
        usage = closing["value"] - opening["value"]
        return tariff_id, usage, _charge(self.tariffs[tariff_id], usage)

    def _add_bill(
        self, from_reading_id: str, to_reading_id: str, paid_cents: int, credits: list[Credit]
    ) -> dict[str, Any]:
        """Write the bill between two readings and answer with it."""
        tariff_id, usage, amount_cents = self._price(from_reading_id, to_reading_id)
        meter_id = self.readings[to_reading_id]["meter_id"]
        bill: Bill = {
            "account_id": self.meters[meter_id]["account_id"],
            "meter_id": meter_id,
            "from_reading_id": from_reading_id,
            "to_reading_id": to_reading_id,
            "tariff_id": tariff_id,
            "usage": usage,
            "amount_cents": amount_cents,
            "paid_cents": paid_cents,
            "credits": credits,
            "issued_on": _today(),
            "due_on": _days_after(_today(), DAYS_TO_PAY),
            "final_notice_on": None,
            "status": "open",
        }
        bill["status"] = "open" if _balance(bill) > 0 else "settled"
        bill_id = self._new_id("BIL")
        self.bills[bill_id] = bill
        return {"success": True, "bill_id": bill_id, "balance_cents": _balance(bill), **bill}

    def _active_plan(self, bill_id: str) -> str | None:
        for plan_id, plan in self.plans.items():
            if plan["status"] == "active" and bill_id in plan["bill_ids"]:
                return plan_id
        return None

    def _closed_error(self, bill_id: str) -> str | None:
        """Why a bill can neither be replaced nor credited."""
        if self.bills[bill_id]["status"] == "replaced":
            return f"Bill {bill_id} has been replaced"
        if plan_id := self._active_plan(bill_id):
            return f"Bill {bill_id} is being paid under plan {plan_id}"
        return None

    def _is_overdue(self, bill_id: str) -> bool:
        bill = self.bills[bill_id]
        late = bill["status"] == "open" and bill["due_on"] < _today()
        return late and self._active_plan(bill_id) is None

    def _protection(self, account_id: str, kind: ProtectionKind, day: str) -> str | None:
        """The id of the account's protection of a kind on a day."""
        for row in _rows("protection_id", self.protections, account_id=account_id, kind=kind):
            if _covers(row, day):
                return str(row["protection_id"])
        return None

    def _ahead_error(self, day: str) -> str | None:
        """Why a day is not in the planning period."""
        if not _today() < day <= _days_after(_today(), PLANNING_DAYS):
            return f"{day} is not within the next {PLANNING_DAYS} days"
        return None

    def _credits(self, account_id: str) -> list[Credit]:
        """The credits on the bills of an account that stand."""
        return [
            credit
            for bill in self.bills.values()
            if bill["account_id"] == account_id and bill["status"] != "replaced"
            for credit in bill["credits"]
        ]

    def _outage_error(self, bill: Bill, outage_id: str, amount_cents: int) -> str | None:
        """Why an outage does not give the account this credit on the bill."""
        outage, account = self.outages[outage_id], self.accounts[bill["account_id"]]
        started, ended = (datetime.fromisoformat(outage[end]) for end in ("started_at", "ended_at"))
        if outage["zone"] != account["zone"]:
            return f"Outage {outage_id} was in {outage['zone']}, not in {account['zone']}"
        if outage["service"] != self.meters[bill["meter_id"]]["service"]:
            return f"Outage {outage_id} was of {outage['service']}; credit a bill of that service"
        if outage["cause"] == "weather" or ended - started < timedelta(hours=OUTAGE_HOURS):
            return f"Outage {outage_id} was due to the weather or under {OUTAGE_HOURS} hours"
        if amount_cents != OUTAGE_CENTS[account["customer_class"]]:
            return f"The credit is {OUTAGE_CENTS[account['customer_class']]} cents"
        if any(credit["outage_id"] == outage_id for credit in self._credits(bill["account_id"])):
            return f"The account has its credit for outage {outage_id} already"
        return None

    def _goodwill_error(self, bill: Bill, amount_cents: int) -> str | None:
        """Why the account does not get this much goodwill."""
        given = sum(
            credit["amount_cents"]
            for credit in self._credits(bill["account_id"])
            if credit["reason"] == "goodwill" and credit["given_on"] >= _years_ago(1)
        )
        if given + amount_cents > GOODWILL_CENTS_A_YEAR:
            return f"With {given} cents of goodwill in the last year, this exceeds the limit"
        return None

    def _leak_error(self, bill_id: str, amount_cents: int) -> str | None:
        """Why the bill does not get this leak allowance."""
        bill = self.bills[bill_id]
        if self.meters[bill["meter_id"]]["service"] != "water":
            return "The leak allowance is for water bills"
        if any(
            credit["reason"] == "leak" and credit["given_on"] >= _years_ago(2)
            for credit in self._credits(bill["account_id"])
        ):
            return "The account had a leak allowance in the last two years"
        rows = self._bills_of(bill["meter_id"])
        position = [row["bill_id"] for row in rows].index(bill_id)
        before = rows[position - 1]["amount_cents"] if position else bill["amount_cents"]
        if amount_cents != (bill["amount_cents"] - before) // 2:
            return "The allowance is half of the rise over the meter's bill before, rounded down"
        return None

    def _disconnection_error(self, meter_id: str, visit_on: str) -> str | None:
        """Why a supply cannot be cut off on a day."""
        meter = self.meters[meter_id]
        account_id = meter["account_id"]
        if meter["supply"] == "off":
            return f"Meter {meter_id} is disconnected already"
        if date.fromisoformat(visit_on).weekday() >= FRIDAY:
            return "Disconnections are from Monday to Thursday"
        for moratorium in self.moratoriums.values():
            if (
                self.accounts[account_id]["customer_class"] == "residential"
                and moratorium["service"] == meter["service"]
                and _covers(moratorium, visit_on)
            ):
                return f"{moratorium['name']} is in force on {visit_on}"
        if protection_id := self._protection(account_id, "medical", visit_on):
            return f"Medical protection {protection_id} is in force on {visit_on}"
        owed = sum(
            _balance(self.bills[bill["bill_id"]])
            for bill in self._bills_of(meter_id)
            if self._is_overdue(bill["bill_id"])
            and bill["final_notice_on"] is not None
            and _days_after(bill["final_notice_on"], NOTICE_DAYS) <= visit_on
        )
        if owed < DISCONNECTION_CENTS:
            return (
                f"Only {owed} cents are overdue at this meter with a final notice "
                f"{NOTICE_DAYS} days before {visit_on}; it takes {DISCONNECTION_CENTS}"
            )
        return None

    def _reconnection_error(self, meter_id: str) -> str | None:
        """Why a supply cannot be restored."""
        if self.meters[meter_id]["supply"] == "on":
            return f"Meter {meter_id} is connected"
        for bill in self._bills_of(meter_id):
            if self._is_overdue(bill["bill_id"]):
                return f"Bill {bill['bill_id']} of this meter is overdue"
        return None
