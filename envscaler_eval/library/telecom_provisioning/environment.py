"""Telecoms provisioning: numbers, SIMs, plans, ports, bars, lines and engineers."""

import re
from calendar import monthrange
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

Technology = Literal["mobile", "fibre"]
NumberStatus = Literal["free", "assigned", "quarantined", "ported_out"]
SimKind = Literal["sim", "esim"]
SimStatus = Literal["stock", "active", "suspended", "blocked", "retired"]
SubscriptionStatus = Literal["pending", "active", "barred", "ceased"]
BarKind = Literal["lost", "fraud", "credit"]
SwapCause = Literal["lost", "damaged", "other_kind"]
CeaseCause = Literal["customer", "ported_out", "debt"]
Slot = Literal["morning", "afternoon"]
Weekday = Literal["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
RefusalReason = Literal[
    "credit_limit",
    "number_unsuitable",
    "no_capacity",
    "plan_terms",
    "addon_terms",
    "sim_swap",
    "bar_stands",
    "port_in_terms",
    "port_code",
    "cease_terms",
    "no_appointment",
]

WEEKDAYS: tuple[Weekday, ...] = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
QUARANTINE_DAYS = 90
CODE_DAYS = 30
COOLING_OFF_DAYS = 14
TERMINATION_PERCENT = 60
OVERDUE_DAYS = 30
CHECK_DAYS = 7
SWAP_FEE_CENTS = 1000
MOST_ADDONS = 2
INSTALL_NOTICE_DAYS = 2
INSTALL_WINDOW_DAYS = 21
PORT_CODE = re.compile(r"[A-Z]{3}[0-9]{6}")


class Plan(TypedDict):
    """A tariff; the price is for a calendar month."""

    name: str
    technology: Technology
    monthly_cents: int
    gigabytes: int | None  # None for unlimited
    mbps: int | None
    term_months: int
    on_sale: bool


class Addon(TypedDict):
    """An option on top of a plan."""

    name: str
    technology: Technology
    monthly_cents: int
    needs_gigabytes: int  # smallest allowance of a plan that takes it
    excludes: list[str]


class Subscription(TypedDict):
    """A plan that a customer has, on a SIM or a line, with its number."""

    customer_id: str
    plan_id: str
    number: str
    sim_id: str | None
    line_id: str | None
    addon_ids: list[str]
    starts_on: str
    term_until: str
    status: SubscriptionStatus
    ceased_on: str | None


class Line(TypedDict):
    """A fibre line from an exchange to an address."""

    exchange_id: str
    address: str
    mbps: int
    status: Literal["free", "in_use", "faulty"]


class Engineer(TypedDict):
    """Who installs and mends lines, where and on which weekdays."""

    name: str
    exchange_ids: list[str]
    weekdays: list[Weekday]


def _rejected(why: str) -> dict[str, Any]:
    return {"success": False, "error": why}


def _not_iso(*texts: str) -> str | None:
    for text in texts:
        try:
            if str(date.fromisoformat(text)) != text:
                return f"{text!r} should read YYYY-MM-DD"
        except ValueError:
            return f"{text!r} is no date, YYYY-MM-DD"
    return None


def _later(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _after_months(day: str, months: int) -> str:
    start = date.fromisoformat(day)
    years, month = divmod(start.month - 1 + months, 12)
    last = monthrange(start.year + years, month + 1)[1]
    return date(start.year + years, month + 1, min(start.day, last)).isoformat()


def _chosen(records: dict[str, Any], **values: Any) -> dict[str, Any]:
    """Records with all these values; a value of None is not looked at."""
    return {
        key: record
        for key, record in records.items()
        if all(record[name] == value for name, value in values.items() if value is not None)
    }


class TelecomProvisioning:
    """The provisioning desk of a regional operator of mobile and fibre services."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.customers: dict[str, dict[str, Any]] = {}
        self.plans: dict[str, Plan] = {}
        self.addons: dict[str, Addon] = {}
        self.subscriptions: dict[str, Subscription] = {}
        self.number_ranges: dict[str, dict[str, Any]] = {}
        self.numbers: dict[str, dict[str, Any]] = {}
        self.sims: dict[str, dict[str, str]] = {}
        self.bars: dict[str, dict[str, str]] = {}
        self.identity_checks: dict[str, dict[str, Any]] = {}
        self.operators: dict[str, dict[str, str]] = {}
        self.port_ins: dict[str, dict[str, str]] = {}
        self.port_codes: dict[str, dict[str, str]] = {}
        self.exchanges: dict[str, dict[str, Any]] = {}
        self.lines: dict[str, Line] = {}
        self.engineers: dict[str, Engineer] = {}
        self.appointments: dict[str, dict[str, str]] = {}
        self.charges: dict[str, dict[str, Any]] = {}
        self.holidays: list[str] = []
        self.refusals: dict[str, dict[str, str]] = {}
        self.next_numbers: dict[str, int] = {}

    # Calendar and counters

    def _today(self) -> str:
        return datetime.now().date().isoformat()

    def _new(self, prefix: str) -> str:
        number = self.next_numbers[prefix]
        self.next_numbers[prefix] = number + 1
        return f"{prefix}-{number}"

    def _weekday(self, day: str) -> Weekday:
        return WEEKDAYS[date.fromisoformat(day).weekday()]

    def _works(self, day: str) -> bool:
        return self._weekday(day) not in ("Sat", "Sun") and day not in self.holidays

    def _rest_of_month(self, cents: int) -> int:
        """The part of a monthly price from today to the end of the month, today included."""
        today = datetime.now().date()
        days = monthrange(today.year, today.month)[1]
        return cents * (days - today.day + 1) // days

    # Customers and money

    def _charge(self, subscription_id: str, cents: int, reason: str) -> None:
        if cents:
            self.charges[self._new("CH")] = {
                "customer_id": self.subscriptions[subscription_id]["customer_id"],
                "subscription_id": subscription_id,
                "cents": cents,
                "reason": reason,
                "booked_on": self._today(),
                "paid": False,
            }

    def _overdue(self, customer_id: str) -> int:
        """Cents unpaid for more than 30 days."""
        return sum(
            charge["cents"]
            for charge in _chosen(self.charges, customer_id=customer_id, paid=False).values()
            if _later(charge["booked_on"], OVERDUE_DAYS) < self._today()
        )

    def _monthly(self, subscription: Subscription) -> int:
        addons = sum(self.addons[a]["monthly_cents"] for a in subscription["addon_ids"])
        return self.plans[subscription["plan_id"]]["monthly_cents"] + addons

    def _room(self, customer_id: str) -> int:
        """Cents a month that the credit limit leaves; negative if it is exceeded."""
        running = sum(
            self._monthly(subscription)
            for subscription in _chosen(self.subscriptions, customer_id=customer_id).values()
            if subscription["status"] != "ceased"
        )
        return int(self.customers[customer_id]["credit_limit_cents"]) - running

    def _credit_problem(self, customer_id: str, extra: int) -> str | None:
        """Say why a customer may not take on more a month, or return None."""
        for bar in _chosen(self.bars, kind="fraud", status="open").values():
            if self.subscriptions[bar["subscription_id"]]["customer_id"] == customer_id:
                return f"{customer_id} has a fraud bar"
        if overdue := self._overdue(customer_id):
            return f"{customer_id} has {overdue} cents overdue"
        if extra > self._room(customer_id):
            return f"{extra} cents a month are over the {self._room(customer_id)} left of the limit"
        return None

    def _checked(self, customer_id: str, since: str) -> bool:
        checks = _chosen(self.identity_checks, customer_id=customer_id, passed=True)
        return any(check["held_on"] >= since for check in checks.values())

    def _open_bars(self, subscription_id: str) -> dict[str, Any]:
        return _chosen(self.bars, subscription_id=subscription_id, status="open")

    def _open_code(self, subscription_id: str) -> str | None:
        codes = _chosen(self.port_codes, subscription_id=subscription_id, status="open")
        return next((c for c, code in codes.items() if code["expires_on"] >= self._today()), None)

    def _not_active(self, subscription_id: str, technology: Technology | None = None) -> str | None:
        if subscription_id not in self.subscriptions:
            return f"Subscription {subscription_id} does not exist"
        subscription = self.subscriptions[subscription_id]
        if subscription["status"] != "active":
            return f"Subscription {subscription_id} is {subscription['status']}"
        if technology not in (None, self.plans[subscription["plan_id"]]["technology"]):
            return f"Subscription {subscription_id} is not {technology}"
        return None

    def _refused(self, record_id: str) -> list[str]:
        return [r["reason"] for r in _chosen(self.refusals, record_id=record_id).values()]

    # Numbers and lines

    def _number_status(self, number: str) -> NumberStatus:
        """A number in quarantine is free again once that is over."""
        record = self.numbers[number]
        if record["status"] == "quarantined" and record["free_from"] <= self._today():
            return "free"
        status: NumberStatus = record["status"]
        return status

    def _give_up(self, number: str, status: NumberStatus) -> None:
        """Take a number off its subscription; one that came from elsewhere goes home."""
        if self.numbers[number]["range_id"] is None and status == "quarantined":
            status = "ported_out"
        free_from = _later(self._today(), QUARANTINE_DAYS) if status == "quarantined" else None
        self.numbers[number].update(status=status, free_from=free_from)

    def _ports_left(self, exchange_id: str) -> int:
        taken = sum(
            subscription["status"] != "ceased"
            and subscription["line_id"] is not None
            and self.lines[subscription["line_id"]]["exchange_id"] == exchange_id
            for subscription in self.subscriptions.values()
        )
        return int(self.exchanges[exchange_id]["ports"]) - taken

    def _number_problem(self, number: str, customer_id: str, exchange_id: str | None) -> str | None:
        """Say why a customer cannot have a number, or return None."""
        if number not in self.numbers:
            return f"Number {number} is not one of ours"
        record = self.numbers[number]
        if self._number_status(number) != "free":
            until = f" until {record['free_from']}" if record["free_from"] else ""
            return f"Number {number} is {record['status']}{until}: take one that is free"
        if self.number_ranges[record["range_id"]]["exchange_id"] != exchange_id:
            area = self.number_ranges[record["range_id"]]["area"]
            return f"Number {number} is of the {area} range: take one of {exchange_id or 'mobile'}"
        if not self.number_ranges[record["range_id"]]["open"]:
            return f"Range {record['range_id']} is closed"
        if record["gold"] and self.customers[customer_id]["segment"] != "business":
            return f"Number {number} is a gold number, for business customers"
        return None

    def _sim_problem(self, sim_id: str) -> str | None:
        if sim_id not in self.sims:
            return f"SIM {sim_id} does not exist"
        status = self.sims[sim_id]["status"]
        return None if status == "stock" else f"SIM {sim_id} is {status}, not in stock"

    # Queries

    def search_customers(self, text: str = "") -> dict[str, Any]:
        """Find customers by name, town or a number of theirs.

        Args:
            text: Part of the name, town or number, any case; empty for all.
        """
        found = []
        for key, customer in self.customers.items():
            theirs = _chosen(self.subscriptions, customer_id=key).values()
            numbers = [s["number"] for s in theirs if s["status"] != "ceased"]
            if text.lower() in " ".join((customer["name"], customer["town"], *numbers)).lower():
                found.append({"customer_id": key, **customer, "numbers": numbers})
        return {"success": True, "customers": found}

    def get_customer(self, customer_id: str) -> dict[str, Any]:
        """Show a customer with subscriptions, charges, identity checks and room for credit.

        Args:
            customer_id: The customer.
        """
        if customer_id not in self.customers:
            return _rejected(f"Customer {customer_id} does not exist")
        return {
            "success": True,
            "customer": self.customers[customer_id],
            "subscriptions": _chosen(self.subscriptions, customer_id=customer_id),
            "charges": _chosen(self.charges, customer_id=customer_id),
            "overdue_cents": self._overdue(customer_id),
            "monthly_room_cents": self._room(customer_id),
            "identity_checks": _chosen(self.identity_checks, customer_id=customer_id),
            "refusals": self._refused(customer_id),
        }

    def get_subscription(self, subscription_id: str) -> dict[str, Any]:
        """Show a subscription with plan, add-ons, bars, port codes, visits and refusals.

        Args:
            subscription_id: The subscription.
        """
        if subscription_id not in self.subscriptions:
            return _rejected(f"Subscription {subscription_id} does not exist")
        subscription = self.subscriptions[subscription_id]
        return {
            "success": True,
            "subscription": subscription,
            "customer": self.customers[subscription["customer_id"]]["name"],
            "plan": self.plans[subscription["plan_id"]],
            "monthly_cents": self._monthly(subscription),
            "bars": _chosen(self.bars, subscription_id=subscription_id),
            "port_codes": _chosen(self.port_codes, subscription_id=subscription_id),
            "appointments": _chosen(self.appointments, subscription_id=subscription_id),
            "refusals": self._refused(subscription_id),
        }

    def list_unpaid_charges(self) -> dict[str, Any]:
        """List charges that are not paid, with the customer; overdue for more than 30 days."""
        found = [
            {
                "charge_id": key,
                **charge,
                "customer": self.customers[charge["customer_id"]]["name"],
                "overdue": _later(charge["booked_on"], OVERDUE_DAYS) < self._today(),
            }
            for key, charge in _chosen(self.charges, paid=False).items()
        ]
        return {"success": True, "charges": found}

    def list_plans(self, technology: Technology | None = None) -> dict[str, Any]:
        """List plans with price a month in cents, allowance, speed and minimum term.

        Args:
            technology: Only mobile or only fibre plans.
        """
        return {"success": True, "plans": _chosen(dict(self.plans), technology=technology)}

    def list_addons(self, technology: Technology | None = None) -> dict[str, Any]:
        """List add-ons with price, the allowance they need and what they exclude.

        Args:
            technology: Only add-ons for mobile or for fibre.
        """
        return {"success": True, "addons": _chosen(dict(self.addons), technology=technology)}

    def search_numbers(self, text: str = "", status: NumberStatus | None = None) -> dict[str, Any]:
        """Find numbers by some of their digits, with range, exchange and status today.

        Args:
            text: Digits that the number contains; empty for all.
            status: Only numbers in this status today.
        """
        found = []
        for number, record in self.numbers.items():
            now = self._number_status(number)
            if text in number and status in (None, now):
                range_id = record["range_id"]
                area = self.number_ranges[range_id] if range_id else {"exchange_id": None}
                found.append({"number": number, **record, "status": now, **area})
        return {"success": True, "numbers": found}

    def list_sims(
        self, kind: SimKind | None = None, status: SimStatus | None = None
    ) -> dict[str, Any]:
        """List SIM cards and eSIM profiles.

        Args:
            kind: Only cards, or only eSIM profiles.
            status: Only those in this status.
        """
        return {"success": True, "sims": _chosen(dict(self.sims), kind=kind, status=status)}

    def list_ports(self) -> dict[str, Any]:
        """List ports into the network, codes for ports away, other operators and holidays.

        Numbers move from Monday to Friday, save on these holidays.
        """
        return {
            "success": True,
            "port_ins": self.port_ins,
            "port_codes": self.port_codes,
            "operators": self.operators,
            "holidays": self.holidays,
        }

    def list_bars(self, status: Literal["open", "lifted"] | None = None) -> dict[str, Any]:
        """List bars with the customer whose service is stopped.

        Args:
            status: Only open or only lifted bars.
        """
        found = []
        for key, bar in _chosen(dict(self.bars), status=status).items():
            customer_id = self.subscriptions[bar["subscription_id"]]["customer_id"]
            row = {"bar_id": key, **bar, "customer_id": customer_id}
            found.append({**row, "name": self.customers[customer_id]["name"]})
        return {"success": True, "bars": found}

    def list_lines(self, text: str = "") -> dict[str, Any]:
        """Find lines by address or exchange, with the ports that the exchange has left.

        Args:
            text: Part of the address or of the exchange's name, any case; empty for all.
        """
        found = []
        for key, line in self.lines.items():
            exchange = self.exchanges[line["exchange_id"]]["name"]
            if text.lower() in f"{line['address']} {exchange}".lower():
                left = self._ports_left(line["exchange_id"])
                found.append({"line_id": key, **line, "exchange": exchange, "ports_left": left})
        return {"success": True, "lines": found}

    def list_engineers(self, exchange_id: str | None = None) -> dict[str, Any]:
        """List engineers with exchanges, weekdays and the visits that are booked.

        Args:
            exchange_id: Only engineers who work at this exchange.
        """
        found = [
            {
                "engineer_id": key,
                **engineer,
                "visits": list(_chosen(self.appointments, engineer_id=key).values()),
            }
            for key, engineer in self.engineers.items()
            if exchange_id in (None, *engineer["exchange_ids"])
        ]
        return {"success": True, "engineers": found, "holidays": self.holidays}

    # Changes: subscriptions

    def open_subscription(
        self, customer_id: str, plan_id: str, number: str, carrier_id: str
    ) -> dict[str, Any]:
        """Open a subscription today; mobile is active at once, fibre waits for its installation.

        The rest of this month is charged in proportion for mobile; fibre is charged
        when it is installed.

        Args:
            customer_id: The customer.
            plan_id: A plan on sale.
            number: A free number of the right range.
            carrier_id: A SIM in stock for mobile, a free line for fibre.
        """
        if customer_id not in self.customers:
            return _rejected(f"Customer {customer_id} does not exist")
        if plan_id not in self.plans:
            return _rejected(f"Plan {plan_id} does not exist")
        plan = self.plans[plan_id]
        if not plan["on_sale"]:
            return _rejected(f"{plan['name']} is no longer sold")
        exchange_id = None
        mobile = plan["technology"] == "mobile"
        if mobile:
            problem = self._sim_problem(carrier_id)
        else:
            problem = self._line_problem(carrier_id, plan["mbps"] or 0)
            exchange_id = self.lines[carrier_id]["exchange_id"] if not problem else None
        if problem := (
            problem
            or self._number_problem(number, customer_id, exchange_id)
            or self._credit_problem(customer_id, plan["monthly_cents"])
        ):
            return _rejected(problem)
        subscription_id = self._new("S")
        self.subscriptions[subscription_id] = {
            "customer_id": customer_id,
            "plan_id": plan_id,
            "number": number,
            "sim_id": carrier_id if mobile else None,
            "line_id": None if mobile else carrier_id,
            "addon_ids": [],
            "starts_on": self._today(),
            "term_until": _after_months(self._today(), plan["term_months"]),
            "status": "active" if mobile else "pending",
            "ceased_on": None,
        }
        self.numbers[number].update(status="assigned", free_from=None)
        if mobile:
            self.sims[carrier_id]["status"] = "active"
            self._charge(subscription_id, self._rest_of_month(plan["monthly_cents"]), "plan")
        else:
            self.lines[carrier_id]["status"] = "in_use"
        return {"success": True, "subscription_id": subscription_id}

    def _line_problem(self, line_id: str, mbps: int) -> str | None:
        if line_id not in self.lines:
            return f"Line {line_id} does not exist"
        line = self.lines[line_id]
        if line["status"] != "free":
            return f"Line {line_id} is {line['status']}"
        if line["mbps"] < mbps:
            return f"Line {line_id} carries {line['mbps']} of {mbps} Mbit/s"
        if self._ports_left(line["exchange_id"]) < 1:
            return f"Exchange {line['exchange_id']} has no port left"
        return None

    def change_plan(self, subscription_id: str, plan_id: str) -> dict[str, Any]:
        """Move a subscription to another plan today; its minimum term starts again.

        A dearer plan is charged in proportion for the rest of this month.

        Args:
            subscription_id: An active subscription.
            plan_id: A plan on sale, of the same technology.
        """
        if problem := self._not_active(subscription_id):
            return _rejected(problem)
        if plan_id not in self.plans:
            return _rejected(f"Plan {plan_id} does not exist")
        subscription, plan = self.subscriptions[subscription_id], self.plans[plan_id]
        old = self.plans[subscription["plan_id"]]
        if subscription["plan_id"] == plan_id or plan["technology"] != old["technology"]:
            return _rejected(f"{plan['name']} is no other {old['technology']} plan")
        if not plan["on_sale"]:
            return _rejected(f"{plan['name']} is no longer sold")
        more = plan["monthly_cents"] - old["monthly_cents"]
        if more < 0 and subscription["term_until"] > self._today():
            return _rejected(f"A cheaper plan has to wait until {subscription['term_until']}")
        if subscription["line_id"] and self.lines[subscription["line_id"]]["mbps"] < (
            plan["mbps"] or 0
        ):
            return _rejected(f"Line {subscription['line_id']} is too slow for {plan['name']}")
        for addon_id in subscription["addon_ids"]:
            if not self._allows(plan, self.addons[addon_id]):
                return _rejected(f"{plan['name']} does not take {addon_id}: remove it first")
        if more > 0 and (problem := self._credit_problem(subscription["customer_id"], more)):
            return _rejected(problem)
        subscription["plan_id"] = plan_id
        subscription["term_until"] = _after_months(self._today(), plan["term_months"])
        self._charge(subscription_id, max(0, self._rest_of_month(more)), "plan")
        return {"success": True, "term_until": subscription["term_until"]}

    def _allows(self, plan: Plan, addon: Addon) -> bool:
        enough = plan["gigabytes"] is None or plan["gigabytes"] >= addon["needs_gigabytes"]
        return enough and plan["technology"] == addon["technology"]

    def set_addon(
        self, subscription_id: str, addon_id: str, action: Literal["add", "remove"]
    ) -> dict[str, Any]:
        """Add or remove an add-on; an added one is charged in proportion for this month.

        Args:
            subscription_id: An active subscription.
            addon_id: The add-on.
            action: add or remove.
        """
        if problem := self._not_active(subscription_id):
            return _rejected(problem)
        if addon_id not in self.addons:
            return _rejected(f"Add-on {addon_id} does not exist")
        subscription, addon = self.subscriptions[subscription_id], self.addons[addon_id]
        taken = subscription["addon_ids"]
        if (addon_id in taken) == (action == "add"):
            has = ", ".join(taken) or "none"
            return _rejected(f"There is nothing to {action}: add-ons of {subscription_id}: {has}")
        if action == "remove":
            taken.remove(addon_id)
            return {"success": True, "addon_ids": taken}
        if not self._allows(self.plans[subscription["plan_id"]], addon):
            return _rejected(f"The plan of {subscription_id} does not take {addon['name']}")
        if len(taken) >= MOST_ADDONS:
            return _rejected(f"{subscription_id} has {len(taken)} add-ons, the most there are")
        for other_id in taken:
            if other_id in addon["excludes"] or addon_id in self.addons[other_id]["excludes"]:
                return _rejected(f"{addon['name']} does not go with {other_id}: remove that first")
        if problem := self._credit_problem(subscription["customer_id"], addon["monthly_cents"]):
            return _rejected(problem)
        taken.append(addon_id)
        self._charge(subscription_id, self._rest_of_month(addon["monthly_cents"]), "addon")
        return {"success": True, "addon_ids": taken}

    def cease_subscription(self, subscription_id: str, cause: CeaseCause) -> dict[str, Any]:
        """End a subscription today; within the minimum term an early-termination charge is due.

        The charge is 60 percent of the plan's monthly price for every month begun, none in
        the 14 days after the start. The SIM is retired, the line freed; the number rests for
        90 days, or leaves with its customer.

        Args:
            subscription_id: The subscription.
            cause: The customer's wish, a port to another operator, or debt.
        """
        if subscription_id not in self.subscriptions:
            return _rejected(f"Subscription {subscription_id} does not exist")
        subscription, today = self.subscriptions[subscription_id], self._today()
        if subscription["status"] == "ceased":
            return _rejected(f"Subscription {subscription_id} has ceased")
        bars = self._open_bars(subscription_id)
        kinds = {bar["kind"]: bar["placed_on"] for bar in bars.values()}
        code = self._open_code(subscription_id)
        if cause == "ported_out" and code is None:
            return _rejected(f"{subscription_id} has no valid port code")
        if cause == "debt" and _later(kinds.get("credit", today), OVERDUE_DAYS) > today:
            return _rejected(f"{subscription_id} has no credit bar of {OVERDUE_DAYS} days")
        if cause == "customer" and "fraud" in kinds:
            return _rejected(f"{subscription_id} has a fraud bar: nothing is closed before that")
        fee = self._termination_charge(subscription)
        self._charge(subscription_id, fee, "early_termination")
        self._give_up(
            subscription["number"], "ported_out" if cause == "ported_out" else "quarantined"
        )
        if code is not None:
            self.port_codes[code]["status"] = "used" if cause == "ported_out" else "void"
        if subscription["sim_id"]:
            self.sims[subscription["sim_id"]]["status"] = "retired"
        if subscription["line_id"]:
            self.lines[subscription["line_id"]]["status"] = "free"
        for appointment in _chosen(
            self.appointments, subscription_id=subscription_id, status="booked"
        ).values():
            appointment["status"] = "cancelled"
        for bar in bars.values():
            bar["status"] = "lifted"
        subscription["status"], subscription["ceased_on"] = "ceased", today
        return {"success": True, "early_termination_cents": fee}

    def _termination_charge(self, subscription: Subscription) -> int:
        today, months = self._today(), 0
        if today <= _later(subscription["starts_on"], COOLING_OFF_DAYS):
            return 0
        while _after_months(today, months) < subscription["term_until"]:
            months += 1
        monthly = self.plans[subscription["plan_id"]]["monthly_cents"]
        return monthly * months * TERMINATION_PERCENT // 100

    # Changes: SIMs and bars

    def swap_sim(self, subscription_id: str, sim_id: str, cause: SwapCause) -> dict[str, Any]:
        """Put a subscription on another SIM; for a lost one this lifts its bar.

        A lost or damaged SIM costs the customer 1000 cents, a change of kind nothing. A lost SIM
        is blocked, any other retired.

        Args:
            subscription_id: A mobile subscription.
            sim_id: A SIM in stock.
            cause: lost for a SIM that is barred as lost, damaged, or other_kind for a change
                between card and eSIM.
        """
        if subscription_id not in self.subscriptions:
            return _rejected(f"Subscription {subscription_id} does not exist")
        subscription = self.subscriptions[subscription_id]
        old = subscription["sim_id"]
        if old is None or subscription["status"] == "ceased":
            return _rejected(f"Subscription {subscription_id} has no SIM in use")
        if problem := self._sim_problem(sim_id):
            return _rejected(problem)
        bars = self._open_bars(subscription_id)
        kinds = {bar["kind"] for bar in bars.values()}
        if cause == "lost" and not kinds:
            return _rejected(f"{subscription_id} is not barred as lost: place that bar first")
        if kinds != ({"lost"} if cause == "lost" else set()):
            return _rejected(f"{subscription_id} has a {', '.join(sorted(kinds))} bar")
        if (self.sims[sim_id]["kind"] != self.sims[old]["kind"]) != (cause == "other_kind"):
            return _rejected("A change of kind is other_kind, any other swap keeps the kind")
        if not self._checked(subscription["customer_id"], _later(self._today(), -CHECK_DAYS)):
            return _rejected(f"No identity check passed in the last {CHECK_DAYS} days")
        if code := self._open_code(subscription_id):
            return _rejected(f"Port code {code} is out")
        self.sims[old]["status"] = "blocked" if cause == "lost" else "retired"
        self.sims[sim_id]["status"] = "active"
        subscription["sim_id"], subscription["status"] = sim_id, "active"
        for bar in bars.values():
            bar["status"] = "lifted"
        fee = 0 if cause == "other_kind" else SWAP_FEE_CENTS
        self._charge(subscription_id, fee, "sim_swap")
        return {"success": True, "fee_cents": fee}

    def place_bar(self, subscription_id: str, kind: BarKind) -> dict[str, Any]:
        """Stop a mobile subscription.

        Args:
            subscription_id: An active mobile subscription.
            kind: The SIM is lost, fraud is suspected, or the customer is overdue.
        """
        if problem := self._not_active(subscription_id, "mobile"):
            return _rejected(problem)
        subscription = self.subscriptions[subscription_id]
        if kind == "credit" and not self._overdue(subscription["customer_id"]):
            return _rejected(f"{subscription['customer_id']} has nothing overdue")
        bar_id = self._new("B")
        self.bars[bar_id] = {
            "subscription_id": subscription_id,
            "kind": kind,
            "placed_on": self._today(),
            "status": "open",
        }
        subscription["status"] = "barred"
        self.sims[str(subscription["sim_id"])]["status"] = "suspended"
        return {"success": True, "bar_id": bar_id}

    def lift_bar(self, bar_id: str) -> dict[str, Any]:
        """Lift a bar, so that the service runs again.

        Args:
            bar_id: An open bar; one for a lost SIM that was found again.
        """
        if bar_id not in self.bars:
            return _rejected(f"Bar {bar_id} does not exist")
        bar = self.bars[bar_id]
        subscription = self.subscriptions[bar["subscription_id"]]
        customer_id = subscription["customer_id"]
        if bar["status"] == "lifted":
            return _rejected(f"Bar {bar_id} is lifted already")
        if bar["kind"] == "fraud" and not self._checked(customer_id, _later(bar["placed_on"], 1)):
            return _rejected(f"{customer_id} passed no identity check after {bar['placed_on']}")
        if bar["kind"] == "credit" and self._overdue(customer_id):
            return _rejected(f"{customer_id} has {self._overdue(customer_id)} cents overdue")
        bar["status"] = "lifted"
        subscription["status"] = "active"
        self.sims[str(subscription["sim_id"])]["status"] = "active"
        return {"success": True, "subscription_id": bar["subscription_id"]}

    # Changes: ports and visits

    def request_port_in(
        self,
        subscription_id: str,
        number: str,
        operator_id: str,
        code: str,
        code_issued_on: str,
        port_on: str,
    ) -> dict[str, Any]:
        """Ask another operator for a number; on the day it replaces the subscription's own.

        Args:
            subscription_id: An active mobile subscription.
            number: The number that moves, digits only.
            operator_id: The operator that has it.
            code: That operator's port code, three letters and six digits.
            code_issued_on: Day on which the code was issued, YYYY-MM-DD.
            port_on: Day of the move, YYYY-MM-DD.
        """
        if problem := self._not_active(subscription_id, "mobile"):
            return _rejected(problem)
        if operator_id not in self.operators:
            return _rejected(f"Operator {operator_id} does not exist")
        if problem := _not_iso(code_issued_on, port_on):
            return _rejected(problem)
        if number in self.numbers and self.numbers[number]["status"] != "ported_out":
            return _rejected(f"Number {number} is on our network")
        if not re.fullmatch(r"07[0-9]{9}", number) or not PORT_CODE.fullmatch(code):
            return _rejected("A mobile number has 11 digits from 07, a code 3 letters and 6 digits")
        if code_issued_on > self._today() or port_on > _later(code_issued_on, CODE_DAYS):
            return _rejected(f"The code is good for {CODE_DAYS} days from {code_issued_on}")
        if port_on <= self._today() or not self._works(port_on):
            return _rejected("Numbers move on a working day, the next one at the earliest")
        if any(
            number == port["number"] or subscription_id == port["subscription_id"]
            for port in _chosen(self.port_ins, status="requested").values()
        ):
            return _rejected("A port of that number, or for that subscription, is under way")
        port_id = self._new("PI")
        self.port_ins[port_id] = {
            "subscription_id": subscription_id,
            "number": number,
            "operator_id": operator_id,
            "code": code,
            "code_issued_on": code_issued_on,
            "port_on": port_on,
            "status": "requested",
        }
        return {"success": True, "port_id": port_id}

    def complete_port_in(self, port_id: str) -> dict[str, Any]:
        """Put a number that moved today, or before, on its subscription; the old one rests.

        Args:
            port_id: A requested port whose day has come.
        """
        if port_id not in self.port_ins:
            return _rejected(f"Port {port_id} does not exist")
        port = self.port_ins[port_id]
        if port["status"] != "requested" or port["port_on"] > self._today():
            return _rejected(f"Port {port_id} is {port['status']}, for {port['port_on']}")
        if problem := self._not_active(port["subscription_id"]):
            return _rejected(problem)
        subscription = self.subscriptions[port["subscription_id"]]
        old, number = subscription["number"], port["number"]
        self._give_up(old, "quarantined")
        entry = {"range_id": None, "gold": False, **self.numbers.get(number, {})}
        self.numbers[number] = {**entry, "status": "assigned", "free_from": None}
        subscription["number"], port["status"] = number, "done"
        return {"success": True, "number": number, "resting": old}

    def issue_port_code(self, subscription_id: str) -> dict[str, Any]:
        """Give a customer the code for taking the number elsewhere, good for 30 days.

        Args:
            subscription_id: An active mobile subscription, or one barred for credit.
        """
        if subscription_id not in self.subscriptions:
            return _rejected(f"Subscription {subscription_id} does not exist")
        subscription = self.subscriptions[subscription_id]
        kinds = {bar["kind"] for bar in self._open_bars(subscription_id).values()}
        if subscription["sim_id"] is None or subscription["status"] == "ceased":
            return _rejected(f"{subscription_id} is {subscription['status']}, or no mobile service")
        if kinds - {"credit"}:
            return _rejected(f"{subscription_id} has a {', '.join(sorted(kinds))} bar")
        if code := self._open_code(subscription_id):
            return _rejected(f"Port code {code} is out already")
        number = self.next_numbers["TEL"]
        self.next_numbers["TEL"] = number + 1
        code = f"TEL{number:06d}"
        self.port_codes[code] = {
            "subscription_id": subscription_id,
            "issued_on": self._today(),
            "expires_on": _later(self._today(), CODE_DAYS),
            "status": "open",
        }
        fee = self._termination_charge(subscription)
        return {"success": True, "code": code, "early_termination_cents": fee}

    def book_engineer(
        self, subscription_id: str, engineer_id: str, visit_on: str, slot: Slot
    ) -> dict[str, Any]:
        """Book the installation of a fibre subscription.

        Args:
            subscription_id: A pending fibre subscription without a visit.
            engineer_id: An engineer of its exchange.
            visit_on: Day of the visit, YYYY-MM-DD.
            slot: morning or afternoon.
        """
        if subscription_id not in self.subscriptions:
            return _rejected(f"Subscription {subscription_id} does not exist")
        if engineer_id not in self.engineers:
            return _rejected(f"Engineer {engineer_id} does not exist")
        if problem := _not_iso(visit_on):
            return _rejected(problem)
        subscription, engineer = self.subscriptions[subscription_id], self.engineers[engineer_id]
        if subscription["status"] != "pending":
            return _rejected(f"Subscription {subscription_id} is {subscription['status']}")
        exchange_id = self.lines[str(subscription["line_id"])]["exchange_id"]
        if exchange_id not in engineer["exchange_ids"]:
            return _rejected(f"{engineer['name']} does not work at {exchange_id}")
        first = _later(self._today(), INSTALL_NOTICE_DAYS)
        last = _later(self._today(), INSTALL_WINDOW_DAYS)
        if not first <= visit_on <= last:
            return _rejected(f"Installations are booked from {first} to {last}")
        if self._weekday(visit_on) not in engineer["weekdays"] or visit_on in self.holidays:
            return _rejected(f"{engineer['name']} does not work on {visit_on}")
        booked = _chosen(self.appointments, status="booked")
        if _chosen(booked, engineer_id=engineer_id, visit_on=visit_on, slot=slot):
            return _rejected(f"{engineer['name']} has a visit in the {slot} of {visit_on}")
        if _chosen(booked, subscription_id=subscription_id):
            return _rejected(f"{subscription_id} has a visit already")
        appointment_id = self._new("V")
        self.appointments[appointment_id] = {
            "subscription_id": subscription_id,
            "engineer_id": engineer_id,
            "visit_on": visit_on,
            "slot": slot,
            "status": "booked",
        }
        return {"success": True, "appointment_id": appointment_id}

    def decline_request(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record that a request was turned down.

        credit_limit, number_unsuitable and no_capacity are filed on the customer, everything
        else on the subscription.

        Args:
            record_id: The record that the refusal is filed on.
            reason: The rule that stood in the way; credit_limit also for overdue charges and
                fraud bars, no_capacity for a line or an exchange, no_appointment for a visit.
        """
        on_customer = reason in ("credit_limit", "number_unsuitable", "no_capacity")
        if record_id not in (self.customers if on_customer else self.subscriptions):
            return _rejected(f"{reason} is not filed on {record_id!r}")
        if reason in self._refused(record_id):
            return _rejected(f"{reason} is on record for {record_id}")
        refusal_id = self._new("R")
        self.refusals[refusal_id] = {
            "record_id": record_id,
            "reason": reason,
            "refused_on": self._today(),
        }
        return {"success": True, "refusal_id": refusal_id}
