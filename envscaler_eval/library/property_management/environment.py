"""Residential property management: leases, rent, deposits, repairs, charges, arrears and keys."""

from calendar import monthrange
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any, Literal, TypedDict

LeaseStatus = Literal["signed", "active", "notice", "ended"]
Urgency = Literal["emergency", "urgent", "routine"]
Trade = Literal["plumbing", "electrics", "heating", "joinery", "locks"]
RepairStatus = Literal["open", "ordered", "done"]
InspectionKind = Literal["move_in", "mid_term", "move_out"]
Condition = Literal["good", "worn", "damaged", "missing"]
Item = Literal["carpet", "walls", "oven", "fridge", "blinds", "mattress"]
Kept = Literal["carpet", "walls", "oven", "fridge", "blinds", "mattress", "arrears"]
Scheme = Literal["DPS", "TDS", "mydeposits"]
Step = Literal["reminder", "first_letter", "final_letter", "claim"]
Holder = Literal["office", "tenant", "contractor"]
Weekday = Literal["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
RefusalReason = Literal[
    "rent_terms",
    "notice_terms",
    "deposit_terms",
    "arrears_step",
    "payment_terms",
    "inspection_terms",
    "contractor_unsuitable",
    "over_limit",
    "visit_date",
    "invoice_too_high",
    "not_rechargeable",
    "key_terms",
    "charge_terms",
]

WEEKDAYS: tuple[Weekday, ...] = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
STEPS: tuple[Step, ...] = ("reminder", "first_letter", "final_letter", "claim")
STEP_MONTHS = {
    "reminder": Fraction(0),
    "first_letter": Fraction(1, 2),
    "final_letter": Fraction(1),
    "claim": Fraction(2),
}  # arrears, in months' rent, that a step needs
STEP_GAP_DAYS = 14
REPAIR_DAYS = {"emergency": 1, "urgent": 7, "routine": 28}
VISITS_A_DAY = 2
INVOICE_MARGIN_PERCENT = 10
INCREASE_MONTHS = 12
INCREASE_NOTICE_MONTHS = 2
NOTICE_MONTHS = {"tenant": 1, "landlord": 2}
DEPOSIT_WEEKS = 5
MOVE_OUT_DAYS = 7
INSPECTION_GAP_DAYS = 90


class Lease(TypedDict):
    """A tenancy of one unit; the rent is monthly and due on the first."""

    unit_id: str
    tenant_id: str
    rent_pence: int
    rent_since: str
    next_rent_pence: int | None
    next_rent_from: str | None
    starts_on: str
    fixed_until: str
    ends_on: str | None
    notice_by: Literal["tenant", "landlord"] | None
    status: LeaseStatus
    pays_service_charge: bool
    access_days: list[Weekday]
    plan_until: str | None


class Repair(TypedDict):
    """A defect that was reported, and the order that mends it."""

    unit_id: str
    trade: Trade
    urgency: Urgency
    cause: Literal["wear", "misuse"]
    reported_on: str
    contractor_id: str | None
    quote_pence: int | None
    visit_on: str | None
    invoice_pence: int | None
    status: RepairStatus


class Deposit(TypedDict):
    """What a tenant lodged against damage and arrears."""

    lease_id: str
    pence: int
    scheme: Scheme | None
    status: Literal["held", "settled"]
    returned_pence: int | None
    deductions: dict[str, int]


class Finding(TypedDict):
    """The condition of an item of the inventory."""

    item: Item
    condition: Condition


class Deduction(TypedDict):
    """What is kept of a deposit, for an item or for arrears."""

    item: Kept
    pence: int


def _turned_down(why: str) -> dict[str, Any]:
    return {"success": False, "error": why}


def _date_fault(text: str) -> str | None:
    try:
        fault = date.fromisoformat(text).isoformat() != text
    except ValueError:
        fault = True
    return f"{text!r} is not an ISO date, YYYY-MM-DD" if fault else None


def _plus_months(day: str, months: int) -> str:
    """The same day some months later, or the last of that month where there is none."""
    start = date.fromisoformat(day)
    years, month = divmod(start.month - 1 + months, 12)
    year = start.year + years
    last = monthrange(year, month + 1)[1]
    return date(year, month + 1, min(start.day, last)).isoformat()


def _plus_days(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _full_years(since: str, until: str) -> int:
    return int(until[:4]) - int(since[:4]) - (until[5:] < since[5:])


def _pounds(pence: int) -> str:
    return f"{pence // 100}.{pence % 100:02d}"


class PropertyManagement:
    """The managing agent of a few blocks of flats."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.buildings: dict[str, dict[str, Any]] = {}
        self.units: dict[str, dict[str, Any]] = {}
        self.price_list: dict[str, dict[str, int]] = {}
        self.tenants: dict[str, dict[str, str]] = {}
        self.leases: dict[str, Lease] = {}
        self.rent_ledger: dict[str, dict[str, Any]] = {}
        self.rent_index: dict[str, float] = {}
        self.deposits: dict[str, Deposit] = {}
        self.contractors: dict[str, dict[str, Any]] = {}
        self.repairs: dict[str, Repair] = {}
        self.approvals: dict[str, dict[str, Any]] = {}
        self.inspections: dict[str, dict[str, Any]] = {}
        self.keys: dict[str, dict[str, Any]] = {}
        self.service_charges: dict[str, dict[str, Any]] = {}
        self.charge_shares: dict[str, dict[str, Any]] = {}
        self.arrears_steps: dict[str, dict[str, str]] = {}
        self.refusals: dict[str, dict[str, str]] = {}
        self.next_numbers: dict[str, int] = {}

    # Shared by the tools

    def _today(self) -> str:
        return datetime.now().date().isoformat()

    def _next_id(self, prefix: str) -> str:
        number = self.next_numbers[prefix]
        self.next_numbers[prefix] = number + 1
        return f"{prefix}-{number}"

    def _unit_name(self, unit_id: str) -> str:
        unit = self.units[unit_id]
        return f"{unit['label']}, {self.buildings[unit['building_id']]['name']}"

    def _lease_of(self, unit_id: str) -> str | None:
        """The lease that a unit is let on now, if any."""
        for lease_id, lease in self.leases.items():
            if lease["unit_id"] == unit_id and lease["status"] in ("active", "notice"):
                return lease_id
        return None

    def _deposit_of(self, lease_id: str) -> str:
        """Every lease has one deposit."""
        return next(i for i, d in self.deposits.items() if d["lease_id"] == lease_id)

    def _balance(self, lease_id: str) -> int:
        """Pence that a tenant owes; negative if the account is in credit."""
        return sum(e["pence"] for e in self.rent_ledger.values() if e["lease_id"] == lease_id)

    def _book(self, lease_id: str, kind: str, pence: int) -> None:
        self.rent_ledger[self._next_id("E")] = {
            "lease_id": lease_id,
            "kind": kind,
            "pence": pence,
            "booked_on": self._today(),
        }

    def _open_steps(self, lease_id: str) -> dict[str, dict[str, str]]:
        """Steps taken since the account was last clear."""
        return {
            step_id: step
            for step_id, step in self.arrears_steps.items()
            if (step["lease_id"], step["status"]) == (lease_id, "open")
        }

    def _clear_if_paid(self, lease_id: str) -> None:
        if self._balance(lease_id) <= 0:
            for step in self._open_steps(lease_id).values():
                step["status"] = "closed"

    def _inspection(self, lease_id: str, kind: InspectionKind) -> dict[str, str] | None:
        """What an inspection of a tenancy found, by item."""
        for inspection in self.inspections.values():
            if (inspection["lease_id"], inspection["kind"]) == (lease_id, kind):
                findings: dict[str, str] = inspection["findings"]
                return findings
        return None

    def _worth(self, unit_id: str, item: str, day: str) -> int:
        """What is left of the price of an item after its age in full years."""
        terms = self.price_list[item]
        years_left = terms["life_years"] - _full_years(self.units[unit_id]["inventory"][item], day)
        return terms["pence"] * max(0, years_left) // terms["life_years"]

    def _highest_rent(self, lease: Lease) -> int:
        """The rent lifted by the index since it was set, down to whole pounds."""
        newest = self.rent_index[max(self.rent_index)]
        then = self.rent_index.get(lease["rent_since"][:7], newest)
        raised = lease["rent_pence"] * Fraction(str(newest)) / Fraction(str(then))
        return int(raised) // 100 * 100

    def _refusals_on(self, record_id: str) -> list[str]:
        return [r["reason"] for r in self.refusals.values() if r["record_id"] == record_id]

    # Queries

    def search_units(
        self, text: str = "", let: Literal["let", "vacant"] | None = None
    ) -> dict[str, Any]:
        """Find units by building, street, town or label, with floor area and current lease.

        Args:
            text: Part of the building's name, its street or town, or the unit's label, any
                case; empty for all.
            let: Only units that are let, or only vacant ones.
        """
        found = []
        for unit_id, unit in self.units.items():
            building = self.buildings[unit["building_id"]]
            place = f"{unit['label']} {building['name']} {building['street']} {building['town']}"
            lease_id = self._lease_of(unit_id)
            if text.lower() in place.lower() and let in (None, "let" if lease_id else "vacant"):
                row = {"unit_id": unit_id, "unit": self._unit_name(unit_id), "lease_id": lease_id}
                found.append({**row, "floor_area_m2": unit["floor_area_m2"]})
        return {"success": True, "units": found}

    def get_unit(self, unit_id: str) -> dict[str, Any]:
        """Show a unit with its building, inventory and present worth, leases, repairs and keys.

        The inventory tells since when each item is there; its worth is as of today.

        Args:
            unit_id: The unit.
        """
        if unit_id not in self.units:
            return _turned_down(f"Unit {unit_id} does not exist")
        unit = self.units[unit_id]
        return {
            "success": True,
            "unit": unit,
            "building": self.buildings[unit["building_id"]],
            "worth_today_pence": {
                item: self._worth(unit_id, item, self._today()) for item in unit["inventory"]
            },
            "leases": {
                i: lease["status"]
                for i, lease in self.leases.items()
                if lease["unit_id"] == unit_id
            },
            "repairs": {i: r["status"] for i, r in self.repairs.items() if r["unit_id"] == unit_id},
            "keys": {i: k for i, k in self.keys.items() if k["unit_id"] == unit_id},
        }

    def get_price_list(self) -> dict[str, Any]:
        """Show the price of each kind of item when new, in pence, and its life in years."""
        return {"success": True, "prices": self.price_list}

    def search_tenants(self, text: str = "") -> dict[str, Any]:
        """Find tenants by name, with their leases, units and balances in pence.

        Args:
            text: Part of the name, any case; empty for all.
        """
        found = []
        for tenant_id, tenant in self.tenants.items():
            if text.lower() in tenant["name"].lower():
                leases = [
                    {
                        "lease_id": lease_id,
                        "unit": self._unit_name(lease["unit_id"]),
                        "status": lease["status"],
                        "owes_pence": self._balance(lease_id),
                    }
                    for lease_id, lease in self.leases.items()
                    if lease["tenant_id"] == tenant_id
                ]
                found.append({"tenant_id": tenant_id, **tenant, "leases": leases})
        return {"success": True, "tenants": found}

    def get_lease(self, lease_id: str) -> dict[str, Any]:
        """Show a lease with tenant, deposit, balance, open arrears steps and refusals.

        Args:
            lease_id: The lease.
        """
        if lease_id not in self.leases:
            return _turned_down(f"Lease {lease_id} does not exist")
        lease = self.leases[lease_id]
        deposit_id = self._deposit_of(lease_id)
        return {
            "success": True,
            "lease": lease,
            "tenant": self.tenants[lease["tenant_id"]]["name"],
            "unit": self._unit_name(lease["unit_id"]),
            "deposit_id": deposit_id,
            "deposit": self.deposits[deposit_id],
            "owes_pence": self._balance(lease_id),
            "arrears_steps": self._open_steps(lease_id),
            "refusals": self._refusals_on(lease_id),
        }

    def get_ledger(self, lease_id: str) -> dict[str, Any]:
        """Show the rent account of a lease; what is due is positive, what was paid negative.

        Args:
            lease_id: The lease.
        """
        if lease_id not in self.leases:
            return _turned_down(f"Lease {lease_id} does not exist")
        entries = [e for e in self.rent_ledger.values() if e["lease_id"] == lease_id]
        return {"success": True, "entries": entries, "owes_pence": self._balance(lease_id)}

    def list_repairs(
        self, status: RepairStatus | None = None, urgency: Urgency | None = None
    ) -> dict[str, Any]:
        """List repairs with unit, cause, order and terms.

        due_on is the end of a repair's time, visit_by the last day on which a visit can still be
        had. approved_pence is the building's limit, or what the owner approved above it.

        Args:
            status: Only repairs in this status.
            urgency: Only repairs of this urgency.
        """
        found = []
        for repair_id, repair in self.repairs.items():
            if status in (None, repair["status"]) and urgency in (None, repair["urgency"]):
                lease_id = self._lease_of(repair["unit_id"])
                row = {
                    "repair_id": repair_id,
                    "unit": self._unit_name(repair["unit_id"]),
                    **repair,
                    "due_on": self._due_on(repair),
                    "visit_by": self._visit_by(repair),
                    "approved_pence": self._approved(repair_id),
                    "access_days": self.leases[lease_id]["access_days"] if lease_id else None,
                    "refusals": self._refusals_on(repair_id),
                }
                found.append(row)
        return {"success": True, "repairs": found}

    def _due_on(self, repair: Repair) -> str:
        return _plus_days(repair["reported_on"], REPAIR_DAYS[repair["urgency"]])

    def _visit_by(self, repair: Repair) -> str:
        return max(self._due_on(repair), _plus_days(self._today(), 1))

    def _approved(self, repair_id: str) -> int:
        """Pence up to which the owner lets a repair be ordered."""
        building = self.buildings[self.units[self.repairs[repair_id]["unit_id"]]["building_id"]]
        given = [int(a["pence"]) for a in self.approvals.values() if a["repair_id"] == repair_id]
        return max([int(building["repair_limit_pence"]), *given])

    def list_contractors(self, trade: Trade | None = None) -> dict[str, Any]:
        """List contractors with trades, order limit, insurance and the visits that they have.

        Args:
            trade: Only contractors of this trade.
        """
        found = []
        for contractor_id, contractor in self.contractors.items():
            if trade is None or trade in contractor["trades"]:
                visits = sorted(
                    str(r["visit_on"])
                    for r in self.repairs.values()
                    if (r["contractor_id"], r["status"]) == (contractor_id, "ordered")
                )
                found.append({"contractor_id": contractor_id, **contractor, "visits": visits})
        return {"success": True, "contractors": found}

    def list_inspections(self, lease_id: str) -> dict[str, Any]:
        """List the inspections of a tenancy with the condition of each item.

        Args:
            lease_id: The lease.
        """
        found = {i: x for i, x in self.inspections.items() if x["lease_id"] == lease_id}
        return {"success": True, "inspections": found}

    def list_keys(self, holder: Holder | None = None) -> dict[str, Any]:
        """List keys with their unit and who has them.

        Args:
            holder: Only keys at the office, with tenants or with contractors.
        """
        found = [
            {
                "key_id": i,
                **k,
                "unit": self._unit_name(k["unit_id"]),
                "refusals": self._refusals_on(i),
            }
            for i, k in self.keys.items()
            if holder in (None, k["holder"])
        ]
        return {"success": True, "keys": found}

    def get_rent_index(self) -> dict[str, Any]:
        """Show the rent index by month; the newest month counts as today's."""
        return {"success": True, "index": self.rent_index, "newest": max(self.rent_index)}

    def list_service_charges(self) -> dict[str, Any]:
        """List service charges by building and year, with the shares of those apportioned."""
        found = [
            {
                "charge_id": charge_id,
                **charge,
                "building": self.buildings[charge["building_id"]]["name"],
                "shares": [s for s in self.charge_shares.values() if s["charge_id"] == charge_id],
                "refusals": self._refusals_on(charge_id),
            }
            for charge_id, charge in self.service_charges.items()
        ]
        return {"success": True, "service_charges": found}

    # Changes: rent and notice

    def book_payment(
        self,
        lease_id: str,
        pence: int,
        method: Literal["transfer", "standing_order", "cash", "benefit"],
    ) -> dict[str, Any]:
        """Book what a tenant paid today; an account that is clear closes its arrears steps.

        Args:
            lease_id: The lease.
            pence: What was paid, in pence.
            method: How.
        """
        if lease_id not in self.leases:
            return _turned_down(f"Lease {lease_id} does not exist")
        most = self._balance(lease_id) + self.leases[lease_id]["rent_pence"]
        if not 1 <= pence <= most:
            return _turned_down(f"Up to {_pounds(most)} can be booked: a month's rent in credit")
        self._book(lease_id, method, -pence)
        self._clear_if_paid(lease_id)
        return {"success": True, "owes_pence": self._balance(lease_id)}

    def increase_rent(self, lease_id: str, new_rent_pence: int, from_on: str) -> dict[str, Any]:
        """Announce a higher rent to a tenant.

        Args:
            lease_id: An active lease.
            new_rent_pence: The new monthly rent in pence, whole pounds.
            from_on: First day of the new rent, the first of a month, YYYY-MM-DD.
        """
        if lease_id not in self.leases:
            return _turned_down(f"Lease {lease_id} does not exist")
        if fault := _date_fault(from_on):
            return _turned_down(fault)
        lease = self.leases[lease_id]
        if lease["status"] != "active" or lease["next_rent_from"] is not None:
            return _turned_down(
                f"{lease_id} is {lease['status']}, next rent from {lease['next_rent_from']}"
            )
        if from_on[8:] != "01" or from_on < _plus_months(self._today(), INCREASE_NOTICE_MONTHS):
            return _turned_down(
                "A rent rises on a first, two months after it is announced or later"
            )
        if from_on <= lease["fixed_until"]:
            return _turned_down(f"The rent is fixed until {lease['fixed_until']}")
        if from_on < _plus_months(lease["rent_since"], INCREASE_MONTHS):
            return _turned_down(
                f"The rent was set on {lease['rent_since']}, under 12 months before"
            )
        highest = self._highest_rent(lease)
        if new_rent_pence % 100 or not lease["rent_pence"] < new_rent_pence <= highest:
            return _turned_down(f"The new rent is in whole pounds, at most {_pounds(highest)}")
        lease["next_rent_pence"], lease["next_rent_from"] = new_rent_pence, from_on
        return {"success": True, "highest_rent_pence": highest}

    def give_notice(
        self, lease_id: str, by: Literal["tenant", "landlord"], ends_on: str
    ) -> dict[str, Any]:
        """End a tenancy on the last day of a month.

        Args:
            lease_id: An active lease.
            by: Who gives notice.
            ends_on: Last day of the tenancy, YYYY-MM-DD.
        """
        if lease_id not in self.leases:
            return _turned_down(f"Lease {lease_id} does not exist")
        if fault := _date_fault(ends_on):
            return _turned_down(fault)
        lease = self.leases[lease_id]
        if lease["status"] != "active":
            return _turned_down(f"Lease {lease_id} is {lease['status']}")
        months = NOTICE_MONTHS[by]
        if _plus_days(ends_on, 1)[8:] != "01" or ends_on < _plus_months(self._today(), months):
            return _turned_down(f"The {by} gives {months} months' notice to the end of a month")
        if ends_on < lease["fixed_until"]:
            return _turned_down(f"The lease runs to {lease['fixed_until']} at least")
        if by == "landlord":
            if self.deposits[self._deposit_of(lease_id)]["scheme"] is None:
                return _turned_down("No notice by the landlord while the deposit is unprotected")
            late = [
                i
                for i, r in self.repairs.items()
                if (r["unit_id"], r["status"]) == (lease["unit_id"], "open")
                and self._due_on(r) < self._today()
            ]
            if late:
                return _turned_down(f"No notice by the landlord while repairs are late: {late[0]}")
        lease["status"], lease["ends_on"], lease["notice_by"] = "notice", ends_on, by
        return {"success": True}

    # Changes: deposits and inspections

    def protect_deposit(self, lease_id: str, scheme: Scheme) -> dict[str, Any]:
        """Register a deposit with a protection scheme.

        Args:
            lease_id: The lease.
            scheme: The scheme.
        """
        if lease_id not in self.leases:
            return _turned_down(f"Lease {lease_id} does not exist")
        deposit = self.deposits[self._deposit_of(lease_id)]
        if deposit["scheme"] is not None:
            return _turned_down(f"The deposit is protected by {deposit['scheme']}")
        most = self.leases[lease_id]["rent_pence"] * 12 * DEPOSIT_WEEKS // 52
        if deposit["pence"] > most:
            return _turned_down(f"A deposit is at most 5 weeks' rent, {_pounds(most)}")
        deposit["scheme"] = scheme
        return {"success": True}

    def record_inspection(
        self, lease_id: str, kind: InspectionKind, findings: list[Finding]
    ) -> dict[str, Any]:
        """Record today's inspection, item by item of the unit's inventory.

        Args:
            lease_id: The lease.
            kind: Before the keys are handed over, in between, or in the last week.
            findings: Each item of the inventory with its condition; worn is fair wear.
        """
        if lease_id not in self.leases:
            return _turned_down(f"Lease {lease_id} does not exist")
        lease, today = self.leases[lease_id], self._today()
        items = sorted(self.units[lease["unit_id"]]["inventory"])
        if sorted(finding["item"] for finding in findings) != items:
            return _turned_down(f"Record each item once: {', '.join(items)}")
        if kind != "mid_term" and self._inspection(lease_id, kind) is not None:
            return _turned_down(f"{lease_id} has its {kind} inspection")
        if (kind == "move_in") != (lease["status"] == "signed"):
            return _turned_down(
                f"{lease_id} is {lease['status']}: before the lease is active there is a move_in,"
                " later a mid_term or a move_out"
            )
        if kind == "move_out" and not (
            lease["ends_on"] and _plus_days(lease["ends_on"], -MOVE_OUT_DAYS) <= today
        ):
            return _turned_down(
                f"A move-out is inspected {MOVE_OUT_DAYS} days before the end or later"
            )
        if kind == "mid_term" and any(
            i["lease_id"] == lease_id and _plus_days(i["held_on"], INSPECTION_GAP_DAYS) > today
            for i in self.inspections.values()
        ):
            return _turned_down(f"Tenants are inspected every {INSPECTION_GAP_DAYS} days at most")
        inspection_id = self._next_id("I")
        self.inspections[inspection_id] = {
            "lease_id": lease_id,
            "kind": kind,
            "held_on": today,
            "findings": {finding["item"]: finding["condition"] for finding in findings},
        }
        return {"success": True, "inspection_id": inspection_id}

    def settle_deposit(self, lease_id: str, deductions: list[Deduction]) -> dict[str, Any]:
        """Close a tenancy: keep what is due of the deposit and return the rest.

        Args:
            lease_id: A lease whose last day is over, with move-out inspection and keys returned.
            deductions: What is kept, item by item; arrears for the balance of the rent account.
        """
        if lease_id not in self.leases:
            return _turned_down(f"Lease {lease_id} does not exist")
        lease = self.leases[lease_id]
        deposit = self.deposits[self._deposit_of(lease_id)]
        if lease["ends_on"] is None or lease["ends_on"] >= self._today():
            return _turned_down(f"The tenancy runs to {lease['ends_on']}")
        if deposit["status"] == "settled" or deposit["scheme"] is None:
            return _turned_down(f"The deposit is {deposit['status']}, scheme {deposit['scheme']}")
        before, after = (self._inspection(lease_id, k) for k in ("move_in", "move_out"))
        if before is None or after is None:
            return _turned_down("Without a move-in and a move-out inspection nothing is settled")
        if any(k["lease_id"] == lease_id for k in self.keys.values()):
            return _turned_down("The tenant still has keys")
        kept: dict[str, int] = {deduction["item"]: deduction["pence"] for deduction in deductions}
        if len(kept) < len(deductions):
            return _turned_down("Name each item once")
        for item, pence in kept.items():
            if item == "arrears":
                most = max(0, self._balance(lease_id))
            elif before.get(item) == "good" and after[item] in ("damaged", "missing"):
                most = self._worth(lease["unit_id"], item, lease["ends_on"])
            else:
                most = 0
            if not 1 <= pence <= most:
                return _turned_down(f"For {item} at most {_pounds(most)} can be kept")
        back = deposit["pence"] - sum(kept.values())
        if back < 0:
            return _turned_down(f"The deposit is only {_pounds(deposit['pence'])}")
        if kept.get("arrears"):
            self._book(lease_id, "from_deposit", -kept["arrears"])
            self._clear_if_paid(lease_id)
        deposit["status"], deposit["returned_pence"] = "settled", back
        deposit["deductions"] = kept
        lease["status"] = "ended"
        return {"success": True, "returned_pence": back}

    # Changes: repairs and keys

    def order_repair(
        self, repair_id: str, contractor_id: str, quote_pence: int, visit_on: str
    ) -> dict[str, Any]:
        """Order an open repair at a contractor's quote.

        Args:
            repair_id: The repair.
            contractor_id: The contractor.
            quote_pence: The quote in pence.
            visit_on: Day of the visit, YYYY-MM-DD.
        """
        if repair_id not in self.repairs:
            return _turned_down(f"Repair {repair_id} does not exist")
        if contractor_id not in self.contractors:
            return _turned_down(f"Contractor {contractor_id} does not exist")
        if fault := _date_fault(visit_on):
            return _turned_down(fault)
        repair, contractor = self.repairs[repair_id], self.contractors[contractor_id]
        if repair["status"] != "open":
            return _turned_down(f"Repair {repair_id} is {repair['status']}")
        if repair["trade"] not in contractor["trades"] or contractor["insured_until"] < visit_on:
            return _turned_down(
                f"{contractor['name']} does {', '.join(contractor['trades'])}"
                f" and is insured until {contractor['insured_until']}"
            )
        most = min(self._approved(repair_id), contractor["order_limit_pence"])
        if not 1 <= quote_pence <= most:
            return _turned_down(f"{contractor['name']} can have this for {_pounds(most)} at most")
        if problem := self._visit_problem(repair, contractor_id, visit_on):
            return _turned_down(problem)
        repair["contractor_id"], repair["quote_pence"] = contractor_id, quote_pence
        repair["visit_on"], repair["status"] = visit_on, "ordered"
        return {"success": True}

    def _visit_problem(self, repair: Repair, contractor_id: str, visit_on: str) -> str | None:
        """Say why a contractor cannot come to a repair on a day, or return None."""
        emergency = repair["urgency"] == "emergency"
        first = self._today() if emergency else _plus_days(self._today(), 1)
        if not first <= visit_on <= self._visit_by(repair):
            return f"The visit is between {first} and {self._visit_by(repair)}"
        lease_id = self._lease_of(repair["unit_id"])
        if lease_id and not emergency:
            days = self.leases[lease_id]["access_days"]
            if WEEKDAYS[date.fromisoformat(visit_on).weekday()] not in days:
                return f"The tenant gives access on {', '.join(days)}"
        same_day = sum(
            (r["contractor_id"], r["visit_on"], r["status"]) == (contractor_id, visit_on, "ordered")
            for r in self.repairs.values()
        )
        if same_day >= VISITS_A_DAY:
            return f"{contractor_id} has {same_day} visits on {visit_on}"
        return None

    def complete_repair(self, repair_id: str, invoice_pence: int, recharge: bool) -> dict[str, Any]:
        """Enter the invoice of a repair that was carried out.

        Args:
            repair_id: A repair whose day of visit has come.
            invoice_pence: The invoice in pence.
            recharge: Whether the tenant's account is charged with it.
        """
        if repair_id not in self.repairs:
            return _turned_down(f"Repair {repair_id} does not exist")
        repair = self.repairs[repair_id]
        if repair["status"] != "ordered" or (repair["visit_on"] or "") > self._today():
            return _turned_down(f"{repair_id} is {repair['status']}, visit on {repair['visit_on']}")
        most = (repair["quote_pence"] or 0) * (100 + INVOICE_MARGIN_PERCENT) // 100
        if not 1 <= invoice_pence <= most:
            return _turned_down(f"The quote lets {_pounds(most)} be paid")
        lease_id = self._lease_of(repair["unit_id"])
        if recharge and (repair["cause"] != "misuse" or lease_id is None):
            return _turned_down(
                f"{repair_id} was caused by {repair['cause']}, tenancy {lease_id}: the owner pays"
            )
        repair["invoice_pence"], repair["status"] = invoice_pence, "done"
        if recharge and lease_id:
            self._book(lease_id, "recharge", invoice_pence)
        return {"success": True, "recharged_to": lease_id if recharge else None}

    def hand_over_key(
        self, key_id: str, holder: Holder, holder_id: str | None = None
    ) -> dict[str, Any]:
        """Hand a key out, or take it back to the office.

        Handing a signed lease its first key makes it active.

        Args:
            key_id: The key.
            holder: Who has it from now on.
            holder_id: The tenant's lease, or the contractor; left out for the office.
        """
        if key_id not in self.keys:
            return _turned_down(f"Key {key_id} does not exist")
        key = self.keys[key_id]
        if (key["holder"] == "office") == (holder == "office"):
            return _turned_down(f"Key {key_id} is with {key['holder']}; keys pass by the office")
        if holder == "tenant":
            problem = self._tenant_key_problem(key["unit_id"], holder_id)
        elif holder == "contractor":
            problem = self._contractor_key_problem(key["unit_id"], holder_id)
        else:
            problem = "The office needs no holder" if holder_id else None
        if problem:
            return _turned_down(problem)
        key["holder"] = holder
        key["lease_id"] = holder_id if holder == "tenant" else None
        key["contractor_id"] = holder_id if holder == "contractor" else None
        if holder == "tenant" and self.leases[str(holder_id)]["status"] == "signed":
            self.leases[str(holder_id)]["status"] = "active"
        return {"success": True}

    def _tenant_key_problem(self, unit_id: str, lease_id: str | None) -> str | None:
        if lease_id not in self.leases or self.leases[lease_id]["unit_id"] != unit_id:
            return f"{lease_id} is no lease of {self._unit_name(unit_id)}"
        lease = self.leases[lease_id]
        if lease["status"] not in ("signed", "active") or lease["starts_on"] > self._today():
            return f"{lease_id} is {lease['status']} and starts on {lease['starts_on']}"
        if self.deposits[self._deposit_of(lease_id)]["scheme"] is None:
            return "The deposit is not protected yet"
        if self._balance(lease_id) > 0:
            return f"{_pounds(self._balance(lease_id))} of rent are still due"
        if self._inspection(lease_id, "move_in") is None:
            return "There was no move-in inspection"
        return None

    def _contractor_key_problem(self, unit_id: str, contractor_id: str | None) -> str | None:
        today = self._today()
        if not any(
            (r["unit_id"], r["contractor_id"], r["status"]) == (unit_id, contractor_id, "ordered")
            and (r["visit_on"] or "") in (today, _plus_days(today, 1))
            for r in self.repairs.values()
        ):
            return f"{contractor_id} has no visit there today or tomorrow"
        return None

    # Changes: charges and arrears

    def apportion_service_charge(self, charge_id: str) -> dict[str, Any]:
        """Divide a building's charge by floor area and book the shares.

        Shares are rounded down to a penny; the pence left over go one each to the largest
        units. The share of a unit that is vacant, or whose lease includes it, is the owner's.

        Args:
            charge_id: A charge whose accounts are approved.
        """
        if charge_id not in self.service_charges:
            return _turned_down(f"Service charge {charge_id} does not exist")
        charge = self.service_charges[charge_id]
        if charge["status"] != "approved":
            return _turned_down(f"Service charge {charge_id} is {charge['status']}, not approved")
        areas = {
            unit_id: unit["floor_area_m2"]
            for unit_id, unit in self.units.items()
            if unit["building_id"] == charge["building_id"]
        }
        shares = {
            unit_id: charge["total_pence"] * area // sum(areas.values())
            for unit_id, area in areas.items()
        }
        left = charge["total_pence"] - sum(shares.values())
        for unit_id in sorted(areas, key=lambda unit_id: -areas[unit_id])[:left]:
            shares[unit_id] += 1
        for unit_id, pence in shares.items():
            lease_id = self._lease_of(unit_id)
            payer = lease_id if lease_id and self.leases[lease_id]["pays_service_charge"] else None
            self.charge_shares[self._next_id("SH")] = {
                "charge_id": charge_id,
                "unit_id": unit_id,
                "lease_id": payer,
                "pence": pence,
            }
            if payer:
                self._book(payer, "service_charge", pence)
        charge["status"] = "apportioned"
        return {"success": True, "shares_pence": shares}

    def take_arrears_step(self, lease_id: str, step: Step) -> dict[str, Any]:
        """Take the next step against a tenant in arrears.

        Args:
            lease_id: The lease.
            step: reminder, first_letter, final_letter or claim, in this order.
        """
        if lease_id not in self.leases:
            return _turned_down(f"Lease {lease_id} does not exist")
        lease, today = self.leases[lease_id], self._today()
        if (lease["plan_until"] or "") >= today:
            return _turned_down(f"A repayment plan runs to {lease['plan_until']}")
        taken = list(self._open_steps(lease_id).values())
        due = STEPS[len(taken)] if len(taken) < len(STEPS) else None
        if step != due:
            return _turned_down(f"The next step is {due or 'none: the claim was made'}")
        if taken and _plus_days(taken[-1]["taken_on"], STEP_GAP_DAYS) > today:
            return _turned_down(f"The last step was taken on {taken[-1]['taken_on']}")
        owes = self._balance(lease_id)
        needed = int(STEP_MONTHS[step] * lease["rent_pence"])
        if owes <= 0 or owes < needed:
            return _turned_down(f"{step} needs arrears of {_pounds(needed)}")
        step_id = self._next_id("A")
        self.arrears_steps[step_id] = {
            "lease_id": lease_id,
            "step": step,
            "taken_on": today,
            "status": "open",
        }
        return {"success": True, "step_id": step_id, "owes_pence": owes}

    def decline_request(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record that a request was turned down.

        rent_terms, notice_terms, deposit_terms, arrears_step, payment_terms and inspection_terms
        are filed on the lease; contractor_unsuitable, over_limit, visit_date, invoice_too_high
        and not_rechargeable on the repair; key_terms on the key; charge_terms on the service
        charge.

        Args:
            record_id: The record that the refusal is filed on.
            reason: What stood in the way; contractor_unsuitable for trade or insurance,
                over_limit for a quote, visit_date for a day that is too late or without access.
        """
        if reason == "key_terms":
            known = record_id in self.keys
        elif reason == "charge_terms":
            known = record_id in self.service_charges
        elif reason.endswith("_terms") or reason == "arrears_step":
            known = record_id in self.leases
        else:
            known = record_id in self.repairs
        if not known:
            return _turned_down(f"{reason} is not filed on {record_id!r}")
        if reason in self._refusals_on(record_id):
            return _turned_down(f"{reason} is on record for {record_id} already")
        refusal_id = self._next_id("R")
        self.refusals[refusal_id] = {
            "record_id": record_id,
            "reason": reason,
            "refused_on": self._today(),
        }
        return {"success": True, "refusal_id": refusal_id}
