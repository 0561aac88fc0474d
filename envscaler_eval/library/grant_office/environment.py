"""University grant office: awards, budgets, purchasing, the ledger and its periods."""

from collections.abc import Container, Mapping
from datetime import date, datetime
from typing import Any, Literal, TypedDict

Role = Literal[
    "principal_investigator", "project_staff", "department_administrator", "department_chair",
    "grants_accountant", "grants_manager", "associate_dean",
]  # fmt: skip
Category = Literal[
    "personnel", "equipment", "supplies", "travel", "subaward", "participant_support"
]
ExpenseType = Literal[
    "salary", "equipment", "lab_supplies", "services", "computing", "publication",
    "hospitality", "domestic_travel", "foreign_travel", "subaward", "participant_stipend",
]  # fmt: skip
GrantStatus = Literal["active", "suspended", "closed"]
VendorStatus = Literal["active", "on_hold", "debarred"]
AccountKind = Literal["clearing", "suspense", "institutional", "gift", "federal"]
RequisitionStatus = Literal["pending", "approved", "declined"]
CommitmentStatus = Literal["open", "settled", "released"]
EntryKind = Literal["invoice", "payroll", "cost_transfer", "reversal", "cost_share"]
PeriodStatus = Literal["open", "closed"]
RefusedRequest = Literal[
    "requisition", "invoice", "budget_transfer", "cost_transfer", "reversal", "cost_share",
    "period_close",
]  # fmt: skip
RefusalReason = Literal[
    "insufficient_funds", "over_transfer_limit", "protected_participant_support",
    "late_cost_transfer", "unallowable_cost", "outside_award_dates", "vendor_not_usable",
    "duplicate_invoice", "ineligible_cost_share_source", "period_not_ready",
]  # fmt: skip

EQUIPMENT_UNIT_PRICE = 10_000
GOODS = ("equipment", "lab_supplies", "computing")
OWN_FUNDS = ("institutional", "gift")
SPENDABLE = (*OWN_FUNDS, "federal")
OFFICE_ROLES = ("grants_manager", "associate_dean")
APPROVING_ROLES = ("department_administrator", "department_chair", *OFFICE_ROLES)
CATEGORY_OF: dict[str, Category] = {
    "salary": "personnel",
    "equipment": "equipment",
    "lab_supplies": "supplies",
    "services": "supplies",
    "computing": "supplies",
    "publication": "supplies",
    "hospitality": "supplies",
    "domestic_travel": "travel",
    "foreign_travel": "travel",
    "subaward": "subaward",
    "participant_stipend": "participant_support",
}


class StaffMember(TypedDict):
    name: str
    role: Role
    department: str
    approval_limit: int
    available: bool


class Sponsor(TypedDict):
    name: str
    federal: bool
    transfer_limit_percent: int
    late_transfer_days: int
    unallowable: list[ExpenseType]


class Vendor(TypedDict):
    name: str
    supplies: str
    status: VendorStatus


class Grant(TypedDict):
    award_number: str
    title: str
    sponsor_id: str
    pi_id: str
    department: str
    award_total: int
    start_date: str
    end_date: str
    status: GrantStatus
    approved_transfers: int


class BudgetLine(TypedDict):
    grant_id: str
    category: Category
    original_budget: int
    prior_charges: int


class Account(TypedDict):
    name: str
    kind: AccountKind
    department: str
    allocation: int


class Pledge(TypedDict):
    grant_id: str
    pledged: int
    due_date: str


class Transfer(TypedDict):
    from_line: str
    to_line: str
    amount: int
    posted_on: str
    justification: str


class Requisition(TypedDict):
    line_id: str
    vendor_id: str
    expense_type: ExpenseType
    description: str
    quantity: int
    unit_price: int
    requester_id: str
    approver_id: str
    submitted_on: str
    status: RequisitionStatus
    decline_reason: RefusalReason | None


class Commitment(TypedDict):
    requisition_id: str
    line_id: str
    vendor_id: str
    amount: int
    opened_on: str
    status: CommitmentStatus


class Entry(TypedDict):
    kind: EntryKind
    debit: str
    credit: str
    amount: int
    cost_date: str
    period: str
    posted_on: str
    expense_type: ExpenseType | None
    reference: str
    memo: str
    commitment_id: str | None
    corrects: str | None


class Period(TypedDict):
    status: PeriodStatus
    closed_on: str | None


class Refusal(TypedDict):
    request: RefusedRequest
    subject_id: str
    reason: RefusalReason
    note: str
    recorded_on: str


def _amount(requisition: Requisition) -> int:
    return requisition["quantity"] * requisition["unit_price"]


def _error(message: str) -> dict[str, Any]:
    return {"success": False, "error": message}


def _contains(text: str, *fields: str) -> bool:
    """Whether any field contains the text, ignoring case; an empty text is in all."""
    return any(text.lower() in field.lower() for field in fields)


def _unfit(
    kind: str, records: Mapping[str, Mapping[str, Any]], key: str, status: str
) -> str | None:
    """Why a record cannot be used: it does not exist, or is not in the status needed."""
    if key not in records:
        return f"{kind} {key} does not exist"
    present = records[key]["status"]
    return None if present == status else f"{kind} {key} is {present}"


def _is_date(text: str) -> bool:
    """Whether a text is a date of the form YYYY-MM-DD, so that it compares as one."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _today() -> str:
    return datetime.now().date().isoformat()


class GrantOffice:
    """The post-award ledger of a university grant office.

    Balances are never stored. The budget of a line is its original budget plus posted
    transfers; its charges are those of earlier ledgers plus the entries that debit it
    less those that credit it; what is left after open commitments is available. Every
    entry has one debit and one credit of the same amount, so the ledger balances.
    """

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.staff: dict[str, StaffMember] = {}
        self.sponsors: dict[str, Sponsor] = {}
        self.vendors: dict[str, Vendor] = {}
        self.grants: dict[str, Grant] = {}
        self.budget_lines: dict[str, BudgetLine] = {}
        self.accounts: dict[str, Account] = {}
        self.pledges: dict[str, Pledge] = {}
        self.transfers: dict[str, Transfer] = {}
        self.requisitions: dict[str, Requisition] = {}
        self.commitments: dict[str, Commitment] = {}
        self.entries: dict[str, Entry] = {}
        self.periods: dict[str, Period] = {}
        self.refusals: dict[str, Refusal] = {}
        self.next_number: dict[str, int] = {
            "transfer": 1,
            "requisition": 1,
            "commitment": 1,
            "entry": 1,
            "refusal": 1,
        }

    def _new_id(self, kind: str, prefix: str) -> str:
        number = self.next_number[kind]
        self.next_number[kind] = number + 1
        return f"{prefix}-{number}"

    def _grant_of(self, line_id: str) -> Grant:
        return self.grants[self.budget_lines[line_id]["grant_id"]]

    def _lines_of(self, grant_id: str) -> list[str]:
        return [key for key, line in self.budget_lines.items() if line["grant_id"] == grant_id]

    def _budget(self, line_id: str) -> int:
        moved = 0
        for transfer in self.transfers.values():
            moved += transfer["amount"] * (transfer["to_line"] == line_id)
            moved -= transfer["amount"] * (transfer["from_line"] == line_id)
        return self.budget_lines[line_id]["original_budget"] + moved

    def _net_debit(self, place_id: str) -> int:
        """Debits less credits of a budget line, account or pledge."""
        net = 0
        for entry in self.entries.values():
            net += entry["amount"] * (entry["debit"] == place_id)
            net -= entry["amount"] * (entry["credit"] == place_id)
        return net

    def _reversed(self, entry_id: str) -> bool:
        return any(
            entry["kind"] == "reversal" and entry["corrects"] == entry_id
            for entry in self.entries.values()
        )

    def _uncorrected(self, entry_id: str) -> int:
        """What corrections have left of an entry; a reversed correction counts for nothing."""
        return self.entries[entry_id]["amount"] - sum(
            entry["amount"]
            for key, entry in self.entries.items()
            if entry["corrects"] == entry_id and not self._reversed(key)
        )

    def _invoiced(self, commitment_id: str) -> int:
        return sum(
            entry["amount"]
            for key, entry in self.entries.items()
            if entry["kind"] == "invoice"
            and entry["commitment_id"] == commitment_id
            and not self._reversed(key)
        )

    def _outstanding(self, commitment_id: str) -> int:
        """What an open commitment still reserves; settled and released ones reserve nothing."""
        commitment = self.commitments[commitment_id]
        if commitment["status"] != "open":
            return 0
        return commitment["amount"] - self._invoiced(commitment_id)

    def _charged(self, line_id: str) -> int:
        return self.budget_lines[line_id]["prior_charges"] + self._net_debit(line_id)

    def _committed(self, line_id: str) -> int:
        return sum(
            self._outstanding(key)
            for key, commitment in self.commitments.items()
            if commitment["line_id"] == line_id
        )

    def _has_funds(self, place_id: str) -> bool:
        """Whether a place that entries debit is one whose funds can be used up."""
        return place_id in self.budget_lines or (
            place_id in self.accounts and self.accounts[place_id]["kind"] in SPENDABLE
        )

    def _available(self, place_id: str) -> int:
        """What a budget line or a departmental account can still bear."""
        if place_id in self.budget_lines:
            return self._budget(place_id) - self._committed(place_id) - self._charged(place_id)
        return self.accounts[place_id]["allocation"] - self._net_debit(place_id)

    def _moved(self, grant_id: str, from_line: str = "", to_line: str = "", amount: int = 0) -> int:
        """How far lines of a grant lie above their original budgets, after one more transfer."""
        moved = 0
        for key in self._lines_of(grant_id):
            rise = self._budget(key) - self.budget_lines[key]["original_budget"]
            moved += max(0, rise + amount * ((key == to_line) - (key == from_line)))
        return moved

    def _transfer_limit(self, grant_id: str) -> int:
        """The sponsor's share of the award, plus what the sponsor approved beyond it."""
        grant = self.grants[grant_id]
        percent = self.sponsors[grant["sponsor_id"]]["transfer_limit_percent"]
        return grant["award_total"] * percent // 100 + grant["approved_transfers"]

    def _open_months(self) -> list[str]:
        return sorted(key for key, period in self.periods.items() if period["status"] == "open")

    def _posting_period(self, cost_date: str) -> str:
        """The month of the cost while it is open, otherwise the earliest open month.

        The current month cannot be closed, so some month is always open.
        """
        open_months = self._open_months()
        return cost_date[:7] if cost_date[:7] in open_months else open_months[0]

    def _suspense_of(self, period_id: str) -> list[str]:
        return [
            key
            for key, entry in self.entries.items()
            if entry["period"] == period_id
            and entry["debit"] in self.accounts
            and self.accounts[entry["debit"]]["kind"] == "suspense"
            and self._uncorrected(key) > 0
        ]

    def _award_problem(self, line_id: str, on: str) -> str | None:
        grant_id = self.budget_lines[line_id]["grant_id"]
        if problem := _unfit("Grant", self.grants, grant_id, "active"):
            return problem
        grant = self.grants[grant_id]
        if not grant["start_date"] <= on <= grant["end_date"]:
            return f"{on} is outside the award period {grant['start_date']} to {grant['end_date']}"
        return None

    def _cost_problem(
        self, line_id: str, expense_type: ExpenseType | None, on: str, amount: int
    ) -> str | None:
        """Why a cost of this type, date and amount may not be put on a budget line."""
        line = self.budget_lines[line_id]
        sponsor = self.sponsors[self._grant_of(line_id)["sponsor_id"]]
        if problem := self._award_problem(line_id, on):
            return problem
        if expense_type is None or CATEGORY_OF[expense_type] != line["category"]:
            return f"Line {line_id} is for {line['category']}, not for {expense_type} costs"
        if expense_type in sponsor["unallowable"]:
            return f"{sponsor['name']} does not allow {expense_type} costs"
        if amount > self._available(line_id):
            return f"Line {line_id} has {self._available(line_id)} available, {amount} needed"
        return None

    def _purchase_problem(self, requisition: Requisition) -> str | None:
        """Why a purchase may not be requested or approved today."""
        if problem := _unfit("Vendor", self.vendors, requisition["vendor_id"], "active"):
            return problem
        return self._cost_problem(
            requisition["line_id"],
            requisition["expense_type"],
            _today(),
            _amount(requisition),
        )

    def _signing_problem(self, requisition: Requisition, approver_id: str) -> str | None:
        """Why a person may not sign a requisition."""
        approver = self.staff.get(approver_id)
        grant = self._grant_of(requisition["line_id"])
        amount = _amount(requisition)
        if approver is None:
            return f"Staff member {approver_id} does not exist"
        if approver["role"] not in APPROVING_ROLES:
            return f"{approver['name']} is a {approver['role']}, not an approver"
        if not approver["available"]:
            return f"{approver['name']} is not available"
        if approver_id in (requisition["requester_id"], grant["pi_id"]):
            return f"{approver['name']} is the requester or the PI and may not sign"
        if approver["role"] not in OFFICE_ROLES and approver["department"] != grant["department"]:
            return f"{approver['name']} signs only for {approver['department']}"
        if amount > approver["approval_limit"]:
            return f"{amount} is over {approver['name']}'s limit of {approver['approval_limit']}"
        return None

    def _routing_problem(self, requisition: Requisition, approver_id: str) -> str | None:
        """Why a requisition may not be sent to a person for signature."""
        if problem := self._signing_problem(requisition, approver_id):
            return problem
        lower = any(
            person["approval_limit"] < self.staff[approver_id]["approval_limit"]
            and self._signing_problem(requisition, key) is None
            for key, person in self.staff.items()
        )
        return "Someone with a lower limit may sign this requisition" if lower else None

    def _correct(
        self, kind: EntryKind, entry_id: str, to_id: str, amount: int, justification: str
    ) -> dict[str, Any]:
        """Move part or all of an entry's amount off the place it debits."""
        entry = self.entries[entry_id]
        own_period = kind == "reversal"
        period = entry["period"] if own_period else self._posting_period(entry["cost_date"])
        new_id = self._new_id("entry", "J")
        self.entries[new_id] = {
            **entry,
            "kind": kind,
            "debit": to_id,
            "credit": entry["debit"],
            "amount": amount,
            "period": period,
            "posted_on": _today(),
            "memo": justification,
            "commitment_id": None,
            "corrects": entry_id,
        }
        return {"success": True, "entry_id": new_id, "period": period}

    def search_staff(
        self, name: str = "", role: Role | None = None, department: str = ""
    ) -> dict[str, Any]:
        """Find people by name, role or department, with their approval limits.

        Args:
            name: Part of the name; empty for everyone.
            role: Only this role.
            department: Part of the department's name; empty for all departments.
        """
        found = [
            {"staff_id": key, **person}
            for key, person in self.staff.items()
            if _contains(name, person["name"])
            and role in (None, person["role"])
            and _contains(department, person["department"])
        ]
        return {"success": True, "staff": found}

    def search_vendors(self, text: str = "") -> dict[str, Any]:
        """Find vendors by name or by what they supply, with their standing.

        Args:
            text: Part of the vendor's name or of its goods; empty for all vendors.
        """
        found = [
            {"vendor_id": key, **vendor}
            for key, vendor in self.vendors.items()
            if _contains(text, vendor["name"], vendor["supplies"])
        ]
        return {"success": True, "vendors": found}

    def search_grants(self, text: str = "", status: GrantStatus | None = None) -> dict[str, Any]:
        """Find grants by title, award number, department, sponsor or principal investigator.

        Args:
            text: Part of any of these; empty for all grants.
            status: Only grants in this status.
        """
        found = []
        for key, grant in self.grants.items():
            pi_name = self.staff[grant["pi_id"]]["name"]
            sponsor_name = self.sponsors[grant["sponsor_id"]]["name"]
            fields = (grant["title"], grant["award_number"], grant["department"])
            found_text = _contains(text, *fields, pi_name, sponsor_name)
            if found_text and status in (None, grant["status"]):
                found.append({"grant_id": key, "pi": pi_name, "sponsor": sponsor_name, **grant})
        return {"success": True, "grants": found}

    def get_grant(self, grant_id: str) -> dict[str, Any]:
        """Show a grant with its sponsor's terms, budget lines, balances and transfer headroom.

        Transfers may raise lines above their original budgets by the transfer limit: the
        sponsor's percentage of the award total plus the approved transfers beyond it.

        Args:
            grant_id: The grant, e.g. "G-2301".
        """
        grant = self.grants.get(grant_id)
        if grant is None:
            return _error(f"Grant {grant_id} does not exist")
        lines = [
            {
                "line_id": key,
                **self.budget_lines[key],
                "budget": self._budget(key),
                "charged": self._charged(key),
                "committed": self._committed(key),
                "available": self._available(key),
            }
            for key in self._lines_of(grant_id)
        ]
        limit, moved = self._transfer_limit(grant_id), self._moved(grant_id)
        return {
            "success": True,
            "grant_id": grant_id,
            **grant,
            "sponsor": self.sponsors[grant["sponsor_id"]],
            "lines": lines,
            "transfers": [
                {"transfer_id": key, **transfer}
                for key, transfer in self.transfers.items()
                if self.budget_lines[transfer["to_line"]]["grant_id"] == grant_id
            ],
            "transfer_limit": limit,
            "transfer_headroom": limit - moved,
        }

    def search_requisitions(
        self,
        grant_id: str | None = None,
        approver_id: str | None = None,
        status: RequisitionStatus | None = None,
    ) -> dict[str, Any]:
        """Find purchase requisitions, oldest first.

        Args:
            grant_id: Only requisitions on this grant.
            approver_id: Only requisitions sent to this person.
            status: Only requisitions in this status.
        """
        oldest_first = sorted(self.requisitions.items(), key=lambda item: item[1]["submitted_on"])
        found = [
            {"requisition_id": key, **requisition, "amount": _amount(requisition)}
            for key, requisition in oldest_first
            if grant_id in (None, self.budget_lines[requisition["line_id"]]["grant_id"])
            and approver_id in (None, requisition["approver_id"])
            and status in (None, requisition["status"])
        ]
        return {"success": True, "requisitions": found}

    def search_commitments(
        self,
        grant_id: str | None = None,
        vendor_id: str | None = None,
        status: CommitmentStatus | None = None,
    ) -> dict[str, Any]:
        """Find commitments (approved purchases), with what is still to be invoiced.

        Args:
            grant_id: Only commitments on this grant.
            vendor_id: Only commitments to this vendor.
            status: Only commitments in this status.
        """
        found = [
            {
                "commitment_id": key,
                **commitment,
                "outstanding": self._outstanding(key),
                "description": self.requisitions[commitment["requisition_id"]]["description"],
            }
            for key, commitment in self.commitments.items()
            if grant_id in (None, self.budget_lines[commitment["line_id"]]["grant_id"])
            and vendor_id in (None, commitment["vendor_id"])
            and status in (None, commitment["status"])
        ]
        return {"success": True, "commitments": found}

    def search_entries(
        self,
        place_id: str | None = None,
        period_id: str | None = None,
        kind: EntryKind | None = None,
        text: str = "",
    ) -> dict[str, Any]:
        """Find ledger entries, with the part that no correction has touched yet.

        Args:
            place_id: Only entries that debit or credit this budget line, account or pledge.
            period_id: Only entries posted in this period, YYYY-MM.
            kind: Only entries of this kind.
            text: Part of the reference or the memo; empty for all.
        """
        found = [
            {"entry_id": key, **entry, "uncorrected": self._uncorrected(key)}
            for key, entry in self.entries.items()
            if place_id in (None, entry["debit"], entry["credit"])
            and period_id in (None, entry["period"])
            and kind in (None, entry["kind"])
            and _contains(text, entry["reference"], entry["memo"])
        ]
        return {"success": True, "entries": found}

    def list_accounts(self) -> dict[str, Any]:
        """List the general and departmental accounts, with what spendable ones have left."""
        found = [
            {
                "account_id": key,
                **account,
                "available": self._available(key) if self._has_funds(key) else None,
            }
            for key, account in self.accounts.items()
        ]
        return {"success": True, "accounts": found}

    def list_cost_share(self, grant_id: str | None = None) -> dict[str, Any]:
        """List cost-share pledges, with what has been contributed and what is still owed.

        Args:
            grant_id: Only pledges to this grant.
        """
        found = []
        for key, pledge in self.pledges.items():
            if grant_id in (None, pledge["grant_id"]):
                met = -self._net_debit(key)
                owed = pledge["pledged"] - met
                found.append({"pledge_id": key, **pledge, "contributed": met, "owed": owed})
        return {"success": True, "pledges": found}

    def list_periods(self) -> dict[str, Any]:
        """List the monthly periods, with the uncleared suspense entries of each."""
        found = [
            {"period_id": key, **period, "uncleared_suspense": self._suspense_of(key)}
            for key, period in self.periods.items()
        ]
        return {"success": True, "periods": found}

    def get_vendor(self, vendor_id: str) -> dict[str, Any]:
        """Show a vendor with the commitments to it and the invoices it was credited for.

        An invoice counts as reversed when its posting was cancelled; its number may then be
        posted again.

        Args:
            vendor_id: The vendor.
        """
        vendor = self.vendors.get(vendor_id)
        if vendor is None:
            return _error(f"Vendor {vendor_id} does not exist")
        mine = {key: c for key, c in self.commitments.items() if c["vendor_id"] == vendor_id}
        return {
            "success": True,
            **vendor,
            "commitments": {
                key: {
                    "description": self.requisitions[commitment["requisition_id"]]["description"],
                    **commitment,
                    "invoiced": self._invoiced(key),
                    "outstanding": self._outstanding(key),
                }
                for key, commitment in mine.items()
            },
            "invoices": [
                {
                    "entry_id": key,
                    "invoice_number": entry["reference"],
                    "invoice_date": entry["cost_date"],
                    "amount": entry["amount"],
                    "commitment_id": entry["commitment_id"],
                    "reversed": self._reversed(key),
                }
                for key, entry in self.entries.items()
                if entry["kind"] == "invoice" and entry["commitment_id"] in mine
            ],
        }

    def get_spending(
        self, grant_id: str, period_from: str | None = None, period_to: str | None = None
    ) -> dict[str, Any]:
        """Show what was charged to the lines of a grant, net, by period and type of cost.

        Charges of earlier ledgers have no period and are left out.

        Args:
            grant_id: The grant.
            period_from: First period to include, YYYY-MM.
            period_to: Last period to include, YYYY-MM.
        """
        if grant_id not in self.grants:
            return _error(f"Grant {grant_id} does not exist")
        for period_id in (period_from, period_to):
            if period_id is not None and not _is_date(f"{period_id}-01"):
                return _error(f"{period_id!r} is not a period; give YYYY-MM")
        lines, spending = self._lines_of(grant_id), dict[str, dict[str, int]]()
        for entry in sorted(self.entries.values(), key=lambda entry: entry["period"]):
            net = entry["amount"] * ((entry["debit"] in lines) - (entry["credit"] in lines))
            period = entry["period"]
            if net and (period_from or period) <= period <= (period_to or period):
                month, kind = spending.setdefault(period, {}), entry["expense_type"] or "other"
                month[kind] = month.get(kind, 0) + net
        total = sum(sum(month.values()) for month in spending.values())
        return {"success": True, "by_period": spending, "total": total}

    def list_refusals(
        self, request: RefusedRequest | None = None, subject_id: str | None = None
    ) -> dict[str, Any]:
        """List the requests that were refused and the requisitions that were declined.

        Args:
            request: Only this kind of request.
            subject_id: Only refusals about this record; for a requisition, also its budget line.
        """
        refusals = [
            {"refusal_id": key, **refusal}
            for key, refusal in self.refusals.items()
            if request in (None, refusal["request"]) and subject_id in (None, refusal["subject_id"])
        ]
        declined = [
            {
                "requisition_id": key,
                "line_id": requisition["line_id"],
                "reason": requisition["decline_reason"],
                "approver_id": requisition["approver_id"],
            }
            for key, requisition in self.requisitions.items()
            if requisition["status"] == "declined"
            and request in (None, "requisition")
            and subject_id in (None, key, requisition["line_id"])
        ]
        return {"success": True, "refusals": refusals, "declined_requisitions": declined}

    def submit_requisition(
        self,
        line_id: str,
        vendor_id: str,
        expense_type: ExpenseType,
        description: str,
        quantity: int,
        unit_price: int,
        requester_id: str,
        approver_id: str,
    ) -> dict[str, Any]:
        """Ask for a purchase on a budget line and send it to an approver.

        The money is committed when the approver approves.

        Args:
            line_id: The budget line to buy on.
            vendor_id: The vendor to buy from.
            expense_type: The type of cost, which must fit the line's category.
            description: What is bought, in words.
            quantity: How many units, at least 1.
            unit_price: Price of one unit in whole US dollars, at least 1.
            requester_id: The staff member who asks for the purchase.
            approver_id: The approver to send it to.
        """
        if line_id not in self.budget_lines:
            return _error(f"Budget line {line_id} does not exist")
        if requester_id not in self.staff:
            return _error(f"Staff member {requester_id} does not exist")
        if not description.strip():
            return _error("The description is empty")
        if quantity < 1 or unit_price < 1:
            return _error("Quantity and unit price must be at least 1")
        dear = unit_price >= EQUIPMENT_UNIT_PRICE
        if expense_type in GOODS and (expense_type == "equipment") != dear:
            return _error(
                f"Goods with a unit price of {EQUIPMENT_UNIT_PRICE} or more are equipment, "
                "cheaper goods are not"
            )
        requisition: Requisition = {
            "line_id": line_id,
            "vendor_id": vendor_id,
            "expense_type": expense_type,
            "description": description,
            "quantity": quantity,
            "unit_price": unit_price,
            "requester_id": requester_id,
            "approver_id": approver_id,
            "submitted_on": _today(),
            "status": "pending",
            "decline_reason": None,
        }
        if problem := self._purchase_problem(requisition) or self._routing_problem(
            requisition, approver_id
        ):
            return _error(problem)
        requisition_id = self._new_id("requisition", "R")
        self.requisitions[requisition_id] = requisition
        return {
            "success": True,
            "requisition_id": requisition_id,
            "amount": _amount(requisition),
        }

    def reroute_requisition(self, requisition_id: str, approver_id: str) -> dict[str, Any]:
        """Send a pending requisition to another approver.

        Args:
            requisition_id: The pending requisition.
            approver_id: The approver to send it to.
        """
        if problem := _unfit("Requisition", self.requisitions, requisition_id, "pending"):
            return _error(problem)
        requisition = self.requisitions[requisition_id]
        if requisition["approver_id"] == approver_id:
            return _error(f"Requisition {requisition_id} already waits for {approver_id}")
        if problem := self._routing_problem(requisition, approver_id):
            return _error(problem)
        requisition["approver_id"] = approver_id
        return {"success": True, "requisition_id": requisition_id, "approver_id": approver_id}

    def decide_requisition(
        self,
        requisition_id: str,
        approver_id: str,
        decision: Literal["approve", "decline"],
        decline_reason: RefusalReason | None = None,
    ) -> dict[str, Any]:
        """Record the decision of the approver to whom a requisition was sent.

        Approval opens a commitment for the full amount.

        Args:
            requisition_id: The pending requisition.
            approver_id: The approver whose decision this is.
            decision: The decision.
            decline_reason: The ground for declining; leave it out when approving.
        """
        if problem := _unfit("Requisition", self.requisitions, requisition_id, "pending"):
            return _error(problem)
        requisition = self.requisitions[requisition_id]
        if requisition["approver_id"] != approver_id:
            return _error(f"Requisition {requisition_id} waits for {requisition['approver_id']}")
        if (decision == "decline") != (decline_reason is not None):
            return _error("Give a reason when declining, and only then")
        if problem := self._signing_problem(requisition, approver_id):
            return _error(problem)
        if decision == "decline":
            requisition["status"] = "declined"
            requisition["decline_reason"] = decline_reason
            return {"success": True, "requisition_id": requisition_id, "status": "declined"}
        if problem := self._purchase_problem(requisition):
            return _error(problem)
        requisition["status"] = "approved"
        commitment_id = self._new_id("commitment", "C")
        self.commitments[commitment_id] = {
            "requisition_id": requisition_id,
            "line_id": requisition["line_id"],
            "vendor_id": requisition["vendor_id"],
            "amount": _amount(requisition),
            "opened_on": _today(),
            "status": "open",
        }
        return {
            "success": True,
            "requisition_id": requisition_id,
            "commitment_id": commitment_id,
            "line_available": self._available(requisition["line_id"]),
        }

    def post_invoice(
        self,
        commitment_id: str,
        invoice_number: str,
        invoice_date: str,
        amount: int,
        final: bool,
    ) -> dict[str, Any]:
        """Charge a vendor's invoice against an open commitment.

        Args:
            commitment_id: The open commitment.
            invoice_number: The vendor's invoice number.
            invoice_date: Date of the invoice, YYYY-MM-DD, not in the future.
            amount: Amount in whole US dollars, at least 1.
            final: Whether nothing more will be billed; settles the commitment, as an invoice
                for all that is outstanding does, and frees what is left of it.
        """
        if problem := _unfit("Commitment", self.commitments, commitment_id, "open"):
            return _error(problem)
        commitment = self.commitments[commitment_id]
        if not _is_date(invoice_date) or invoice_date > _today():
            return _error("The invoice date must be YYYY-MM-DD and not in the future")
        if not invoice_number.strip():
            return _error("The invoice number is empty")
        vendor_id = commitment["vendor_id"]
        if problem := _unfit("Vendor", self.vendors, vendor_id, "active"):
            return _error(problem)
        for key, entry in self.entries.items():
            if (
                entry["commitment_id"] is not None
                and self.commitments[entry["commitment_id"]]["vendor_id"] == vendor_id
                and entry["kind"] == "invoice"
                and entry["reference"] == invoice_number
                and not self._reversed(key)
            ):
                return _error(f"Invoice {invoice_number} was already posted as {key}")
        outstanding = self._outstanding(commitment_id)
        if not 1 <= amount <= outstanding:
            return _error(f"The amount must be 1 to {outstanding}, what is outstanding")
        if problem := self._award_problem(commitment["line_id"], invoice_date):
            return _error(problem)
        period = self._posting_period(invoice_date)
        entry_id = self._new_id("entry", "J")
        self.entries[entry_id] = {
            "kind": "invoice",
            "debit": commitment["line_id"],
            "credit": "AP",
            "amount": amount,
            "cost_date": invoice_date,
            "period": period,
            "posted_on": _today(),
            "expense_type": self.requisitions[commitment["requisition_id"]]["expense_type"],
            "reference": invoice_number,
            "memo": self.vendors[vendor_id]["name"],
            "commitment_id": commitment_id,
            "corrects": None,
        }
        if final or amount == outstanding:
            commitment["status"] = "settled"
        return {
            "success": True,
            "entry_id": entry_id,
            "period": period,
            "outstanding": self._outstanding(commitment_id),
        }

    def release_commitment(self, commitment_id: str) -> dict[str, Any]:
        """Cancel what is outstanding on a commitment and free the money.

        Args:
            commitment_id: The open commitment.
        """
        if problem := _unfit("Commitment", self.commitments, commitment_id, "open"):
            return _error(problem)
        commitment = self.commitments[commitment_id]
        freed = self._outstanding(commitment_id)
        commitment["status"] = "released"
        return {
            "success": True,
            "freed": freed,
            "line_available": self._available(commitment["line_id"]),
        }

    def transfer_budget(
        self, from_line: str, to_line: str, amount: int, justification: str
    ) -> dict[str, Any]:
        """Move budget between two lines of one grant.

        Args:
            from_line: The line that gives.
            to_line: The line that receives.
            amount: Amount in whole US dollars, at least 1.
            justification: Why, in words.
        """
        for line_id in (from_line, to_line):
            if line_id not in self.budget_lines:
                return _error(f"Budget line {line_id} does not exist")
        grant_id = self.budget_lines[from_line]["grant_id"]
        if from_line == to_line or self.budget_lines[to_line]["grant_id"] != grant_id:
            return _error("A transfer needs two different lines of the same grant")
        if amount < 1 or not justification.strip():
            return _error("A transfer needs an amount of at least 1 and a justification")
        if self.budget_lines[from_line]["category"] == "participant_support":
            return _error("Participant support may not be moved to other lines")
        if problem := self._award_problem(from_line, _today()):
            return _error(problem)
        if amount > self._available(from_line):
            return _error(f"Line {from_line} has {self._available(from_line)} available")
        limit = self._transfer_limit(grant_id)
        after = self._moved(grant_id, from_line, to_line, amount)
        if after > limit:
            return _error(
                f"This would bring transfers on {grant_id} to {after}; the sponsor's limit, "
                f"with what it approved beyond, is {limit}"
            )
        transfer_id = self._new_id("transfer", "T")
        self.transfers[transfer_id] = {
            "from_line": from_line,
            "to_line": to_line,
            "amount": amount,
            "posted_on": _today(),
            "justification": justification,
        }
        return {
            "success": True,
            "transfer_id": transfer_id,
            "from_available": self._available(from_line),
            "to_available": self._available(to_line),
            "transfer_headroom": limit - after,
        }

    def transfer_cost(
        self, entry_id: str, to_id: str, amount: int, justification: str
    ) -> dict[str, Any]:
        """Move a posted charge to another budget line or to a departmental account.

        Args:
            entry_id: The invoice, payroll or cost-transfer entry whose charge is moved.
            to_id: The budget line, or the institutional or gift account, that takes it.
            amount: Amount in whole US dollars, at most what is uncorrected of the entry.
            justification: Why, in words.
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _error(f"Entry {entry_id} does not exist")
        if entry["kind"] not in ("invoice", "payroll", "cost_transfer"):
            return _error(f"A {entry['kind']} entry cannot be moved")
        if not 1 <= amount <= self._uncorrected(entry_id):
            return _error(f"The amount must be 1 to {self._uncorrected(entry_id)}")
        if not justification.strip():
            return _error("The justification is empty")
        if to_id == entry["debit"]:
            return _error(f"The charge is already on {to_id}")
        if to_id in self.budget_lines:
            sponsor = self.sponsors[self._grant_of(to_id)["sponsor_id"]]
            age = (date.fromisoformat(_today()) - date.fromisoformat(entry["cost_date"])).days
            if age > sponsor["late_transfer_days"]:
                return _error(
                    f"The cost is {age} days old; {sponsor['name']} accepts cost transfers "
                    f"within {sponsor['late_transfer_days']} days"
                )
            problem = self._cost_problem(to_id, entry["expense_type"], entry["cost_date"], amount)
            if problem:
                return _error(problem)
        elif to_id in self.accounts:
            if self.accounts[to_id]["kind"] not in OWN_FUNDS:
                return _error(f"A {self.accounts[to_id]['kind']} account takes no moved charges")
            if amount > self._available(to_id):
                return _error(f"Account {to_id} has {self._available(to_id)} available")
        else:
            return _error(f"There is no budget line or account {to_id}")
        return self._correct("cost_transfer", entry_id, to_id, amount, justification)

    def reverse_entry(self, entry_id: str, justification: str) -> dict[str, Any]:
        """Cancel a whole entry in its own period.

        An invoice becomes outstanding again: a commitment that was settled reopens, while
        one that was released stays so.

        Args:
            entry_id: The entry, untouched by other corrections, in an open period.
            justification: Why, in words.
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _error(f"Entry {entry_id} does not exist")
        if entry["kind"] == "reversal" or self._uncorrected(entry_id) != entry["amount"]:
            return _error(f"Entry {entry_id} is a reversal or has been corrected already")
        if self.periods[entry["period"]]["status"] != "open":
            return _error(
                f"Period {entry['period']} is closed; only a cost transfer can correct the entry"
            )
        if not justification.strip():
            return _error("The justification is empty")
        commitment_id, reopened = entry["commitment_id"], None
        place, back = entry["credit"], entry["amount"]
        if commitment_id is not None and self.commitments[commitment_id]["status"] == "settled":
            reopened = self.commitments[commitment_id]
            place, back = entry["debit"], reopened["amount"] - self._invoiced(commitment_id)
        if self._has_funds(place) and back > self._available(place):
            return _error(
                f"{back} would come back to {place}, which has {self._available(place)} available"
            )
        if reopened is not None:
            reopened["status"] = "open"
        return self._correct("reversal", entry_id, entry["credit"], entry["amount"], justification)

    def record_cost_share(self, pledge_id: str, account_id: str, amount: int) -> dict[str, Any]:
        """Contribute money from a departmental account towards a cost-share pledge.

        Args:
            pledge_id: The pledge.
            account_id: The account that gives: non-federal, of the grant's own department.
            amount: Amount in whole US dollars, at least 1, at most what is owed.
        """
        pledge = self.pledges.get(pledge_id)
        account = self.accounts.get(account_id)
        if pledge is None:
            return _error(f"Pledge {pledge_id} does not exist")
        if account is None:
            return _error(f"Account {account_id} does not exist")
        grant = self.grants[pledge["grant_id"]]
        if account["kind"] not in OWN_FUNDS:
            return _error(f"A {account['kind']} account may not fund cost share")
        if account["department"] != grant["department"]:
            return _error(f"Account {account_id} does not belong to {grant['department']}")
        if problem := _unfit("Grant", self.grants, pledge["grant_id"], "active"):
            return _error(problem)
        owed = pledge["pledged"] + self._net_debit(pledge_id)
        if not 1 <= amount <= owed:
            return _error(f"The amount must be 1 to {owed}, what is owed")
        if amount > self._available(account_id):
            return _error(f"Account {account_id} has {self._available(account_id)} available")
        today = _today()
        entry_id = self._new_id("entry", "J")
        self.entries[entry_id] = {
            "kind": "cost_share",
            "debit": account_id,
            "credit": pledge_id,
            "amount": amount,
            "cost_date": today,
            "period": today[:7],
            "posted_on": today,
            "expense_type": None,
            "reference": pledge_id,
            "memo": f"Cost share for {pledge['grant_id']}",
            "commitment_id": None,
            "corrects": None,
        }
        return {"success": True, "entry_id": entry_id, "owed": owed - amount}

    def close_period(self, period_id: str) -> dict[str, Any]:
        """Close a month to further postings.

        Args:
            period_id: The period, YYYY-MM; earlier ones must be closed already.
        """
        period = self.periods.get(period_id)
        if period is None:
            return _error(f"Period {period_id} does not exist")
        if period["status"] == "closed":
            return _error(f"Period {period_id} is closed already")
        today = _today()
        if period_id >= today[:7]:
            return _error(f"Period {period_id} has not ended")
        if period_id != self._open_months()[0]:
            return _error("Earlier periods are still open")
        if uncleared := self._suspense_of(period_id):
            return _error(f"Suspense entries not cleared: {', '.join(uncleared)}")
        period["status"] = "closed"
        period["closed_on"] = today
        return {"success": True, "period_id": period_id, "status": "closed"}

    def refuse_request(
        self, request: RefusedRequest, subject_id: str, reason: RefusalReason, note: str
    ) -> dict[str, Any]:
        """Record that the office turned down a request that the rules forbid.

        Pending requisitions are turned down with decide_requisition instead.

        Args:
            request: What was asked for.
            subject_id: The record that the request was about: the budget line that would
                be bought on (requisition) or would give (budget_transfer), the commitment
                (invoice), the entry (cost_transfer, reversal), the pledge (cost_share) or
                the period (period_close).
            reason: The rule that forbids it.
            note: Explanation for the person who asked, in words.
        """
        subjects: dict[RefusedRequest, Container[str]] = {
            "requisition": self.budget_lines,
            "budget_transfer": self.budget_lines,
            "invoice": self.commitments,
            "cost_transfer": self.entries,
            "reversal": self.entries,
            "cost_share": self.pledges,
            "period_close": self.periods,
        }
        if request == "requisition" and subject_id in self.requisitions:
            return _error(f"Requisition {subject_id} is turned down by declining it")
        if subject_id not in subjects[request]:
            return _error(f"{subject_id} is no record that a refused {request} can be about")
        if not note.strip():
            return _error("The note is empty")
        if any(
            refusal["request"] == request and refusal["subject_id"] == subject_id
            for refusal in self.refusals.values()
        ):
            return _error(f"A refusal of this {request} for {subject_id} is on record")
        refusal_id = self._new_id("refusal", "X")
        self.refusals[refusal_id] = {
            "request": request,
            "subject_id": subject_id,
            "reason": reason,
            "note": note,
            "recorded_on": _today(),
        }
        return {"success": True, "refusal_id": refusal_id}
