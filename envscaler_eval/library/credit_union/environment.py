"""Counter of a credit union: shares, loans and their instalments, guarantors, arrears, dividend."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

MemberStatus = Literal["active", "dormant", "closed"]
AccountKind = Literal["shares", "current"]
LoanStatus = Literal["applied", "approved", "declined", "active", "cleared"]
Standing = Literal["on_schedule", "late", "arrears", "default"]
Role = Literal["teller", "loans_officer", "manager"]
Identity = Literal["passport", "driving_licence", "public_services_card"]
EntryKind = Literal[
    "deposit", "withdrawal", "repayment", "payout", "transfer", "dividend", "charge"
]
RefusalReason = Literal[
    "savings_attached",
    "below_minimum",
    "over_share_cap",
    "dividend_paid",
    "member_dormant",
    "loan_in_arrears",
    "over_shares_multiple",
    "over_income_share",
    "guarantor_unable",
    "guarantee_missing",
    "own_interest",
    "over_authority",
    "too_early_to_top_up",
    "arrangement_too_low",
]

REFUSAL_HOMES: dict[RefusalReason, Literal["account", "loan"]] = {
    "savings_attached": "account",
    "below_minimum": "account",
    "over_share_cap": "account",
    "dividend_paid": "account",
    "guarantee_missing": "loan",
    "own_interest": "loan",
    "over_authority": "loan",
    "too_early_to_top_up": "loan",
    "arrangement_too_low": "loan",
}
YEAR_DAYS = 365
APPROVAL_DAYS = 30
TOP_UP_REPAID_PERCENT = 25
ARRANGEMENT_MONTHS = 12
DEFAULT_INSTALMENTS = 3


class Member(TypedDict):
    """Somebody of the common bond; `income_cents` is net and per month."""

    name: str
    town: str
    joined_on: str
    income_cents: int
    status: MemberStatus
    last_activity_on: str
    identity_seen: Identity | None  # what a dormant membership was woken with


class Account(TypedDict):
    """A member's shares (savings that carry a vote and a dividend) or current account."""

    member_id: str
    kind: AccountKind
    balance_cents: int
    year_end_cents: int
    dividend_paid_for: str | None


class Product(TypedDict):
    """A kind of loan. `unsecured_cents` is lent without attached savings or guarantors."""

    name: str
    rate_bp: int
    max_cents: int
    max_months: int
    shares_multiple: int
    min_weeks: int
    unsecured_cents: int


class Loan(TypedDict):
    """A loan from the application on; instalments fall due monthly from `first_due_on`."""

    member_id: str
    product_id: str
    principal_cents: int
    months: int
    instalment_cents: int
    rate_bp: int
    status: LoanStatus
    taken_by: str
    decided_by: str | None
    decided_on: str | None
    first_due_on: str | None
    interest_to: str | None
    outstanding_cents: int
    paid_cents: int
    attached_cents: int
    tops_up: str | None


class Guarantee(TypedDict):
    """A member's promise for another's loan, backed by the guarantor's own shares."""

    loan_id: str
    guarantor_id: str
    amount_cents: int
    status: Literal["given", "released"]


class Arrangement(TypedDict):
    """Smaller instalments for a while; what was paid before it counts as its start."""

    loan_id: str
    instalment_cents: int
    months: int
    starts_on: str
    paid_before_cents: int
    agreed_by: str
    status: Literal["running", "ended"]


class StandingOrder(TypedDict):
    """A monthly transfer from a current account to shares or a loan."""

    account_id: str
    target_id: str
    amount_cents: int
    day: int


class Entry(TypedDict):
    """A movement on an account or a loan; of a repayment, how much of it was interest."""

    record_id: str
    kind: EntryKind
    amount_cents: int
    interest_cents: int
    booked_on: str
    staff_id: str


class Clerk(TypedDict):
    """A colleague. Most are members themselves."""

    name: str
    role: Role
    lending_limit_cents: int
    member_id: str | None


class Refusal(TypedDict):
    """A wish that had to be turned down."""

    record_id: str
    reason: RefusalReason
    refused_on: str


def _denied(why: str) -> dict[str, Any]:
    return {"success": False, "error": why}


def _dates_before(first: str, day: str) -> int:
    """How many of the monthly dates from `first` on lie before a day."""
    start, end = date.fromisoformat(first), date.fromisoformat(day)
    months = (end.year - start.year) * 12 + end.month - start.month
    return max(0, months + (1 if end.day > start.day else 0))


def _same_day_next_month(day: date) -> date:
    year, month = (day.year + 1, 1) if day.month == 12 else (day.year, day.month + 1)
    return date(year, month, min(day.day, 28))


def _instalment(principal_cents: int, rate_bp: int, months: int) -> int:
    """Level monthly instalment that clears a loan in so many months, rounded up to a cent."""
    whole = 12 * 10_000
    grown = (whole + rate_bp) ** months
    return int(-(-principal_cents * rate_bp * grown // (whole * (grown - whole**months))))


class CreditUnion:
    """The system behind the counter of a community credit union."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.members: dict[str, Member] = {}
        self.accounts: dict[str, Account] = {}
        self.products: dict[str, Product] = {}
        self.loans: dict[str, Loan] = {}
        self.guarantees: dict[str, Guarantee] = {}
        self.arrangements: dict[str, Arrangement] = {}
        self.standing_orders: dict[str, StandingOrder] = {}
        self.entries: dict[str, Entry] = {}
        self.staff: dict[str, Clerk] = {}
        self.refusals: dict[str, Refusal] = {}
        self.share_cap_cents: int = 0
        self.minimum_shares_cents: int = 0
        self.teller_cash_cents: int = 0
        self.income_share_percent: int = 0
        self.reactivation_charge_cents: int = 0
        self.dividend_year: str = ""
        self.dividend_bp: int = 0
        self.next_loan: int = 1
        self.next_guarantee: int = 1
        self.next_arrangement: int = 1
        self.next_order: int = 1
        self.next_entry: int = 1
        self.next_refusal: int = 1

    # Where members and loans stand

    def _today(self) -> str:
        return datetime.now().date().isoformat()

    def _account_of(self, member_id: str, kind: AccountKind) -> str | None:
        for account_id, account in self.accounts.items():
            if (account["member_id"], account["kind"]) == (member_id, kind):
                return account_id
        return None

    def _loans_of(self, member_id: str, *statuses: LoanStatus) -> dict[str, Loan]:
        return {
            i: loan
            for i, loan in self.loans.items()
            if loan["member_id"] == member_id and loan["status"] in statuses
        }

    def _pledged(self, member_id: str) -> int:
        """Shares that are attached to the member's own loans or stand behind others'."""
        pledged = 0
        for loan in self._loans_of(member_id, "applied", "approved", "active").values():
            taken_over = self.loans[loan["tops_up"]]["attached_cents"] if loan["tops_up"] else 0
            pledged += max(0, loan["attached_cents"] - taken_over)
        for guarantee in self.guarantees.values():
            if (guarantee["guarantor_id"], guarantee["status"]) == (member_id, "given"):
                pledged += guarantee["amount_cents"]
        return pledged

    def _free_shares(self, member_id: str) -> int:
        account_id = self._account_of(member_id, "shares")
        balance = self.accounts[account_id]["balance_cents"] if account_id else 0
        return balance - self._pledged(member_id)

    def _arrangement(self, loan_id: str) -> Arrangement | None:
        """The arrangement under which a loan is paid today."""
        loan = self.loans[loan_id]
        for arrangement in self.arrangements.values():
            if (arrangement["loan_id"], arrangement["status"]) == (loan_id, "running"):
                since = self._fallen_due(loan, self._today()) - self._fallen_due(
                    loan, arrangement["starts_on"]
                )
                if since <= arrangement["months"]:
                    return arrangement
        return None

    def _fallen_due(self, loan: Loan, day: str) -> int:
        first = loan["first_due_on"]
        return 0 if first is None else min(_dates_before(first, day), loan["months"])

    def _current_instalment(self, loan_id: str) -> int:
        arrangement = self._arrangement(loan_id)
        return (arrangement or self.loans[loan_id])["instalment_cents"]

    def _interest(self, loan: Loan) -> int:
        """Interest of an active loan from the last payment to today, by days."""
        if loan["status"] != "active" or loan["interest_to"] is None:
            return 0
        days = (date.fromisoformat(self._today()) - date.fromisoformat(loan["interest_to"])).days
        base = 10_000 * YEAR_DAYS
        return (2 * loan["outstanding_cents"] * loan["rate_bp"] * days + base) // (2 * base)

    def _settlement(self, loan: Loan) -> int:
        return loan["outstanding_cents"] + self._interest(loan)

    def _overdue(self, loan_id: str) -> int:
        """What fell due before today and was not paid."""
        loan, arrangement = self.loans[loan_id], self._arrangement(loan_id)
        if loan["status"] != "active":
            return 0
        passed = self._fallen_due(loan, self._today())
        if arrangement is None:
            expected = passed * loan["instalment_cents"]
        else:
            since = passed - self._fallen_due(loan, arrangement["starts_on"])
            expected = arrangement["paid_before_cents"] + since * arrangement["instalment_cents"]
        return max(0, min(expected - loan["paid_cents"], self._settlement(loan)))

    def _standing(self, loan_id: str) -> Standing:
        overdue, instalment = self._overdue(loan_id), self._current_instalment(loan_id)
        if overdue == 0:
            return "on_schedule"
        if overdue < instalment:
            return "late"
        return "arrears" if overdue < DEFAULT_INSTALMENTS * instalment else "default"

    def _in_arrears(self, member_id: str) -> list[str]:
        active = self._loans_of(member_id, "active")
        return [i for i in active if self._standing(i) in ("arrears", "default")]

    def _guaranteed(self, loan_id: str) -> int:
        return sum(
            g["amount_cents"]
            for g in self.guarantees.values()
            if (g["loan_id"], g["status"]) == (loan_id, "given")
        )

    def _uncovered(self, loan_id: str) -> int:
        """What a loan still lacks in attached savings and guarantees."""
        loan = self.loans[loan_id]
        unsecured = self.products[loan["product_id"]]["unsecured_cents"]
        covered = unsecured + loan["attached_cents"] + self._guaranteed(loan_id)
        return max(0, loan["principal_cents"] - covered)

    def _loan_row(self, loan_id: str) -> dict[str, Any]:
        loan = self.loans[loan_id]
        return {
            "loan_id": loan_id,
            "member": self.members[loan["member_id"]]["name"],
            "product": self.products[loan["product_id"]]["name"],
            "status": loan["status"],
            "outstanding_cents": loan["outstanding_cents"],
            "instalment_now_cents": self._current_instalment(loan_id),
            "overdue_cents": self._overdue(loan_id),
            "standing": self._standing(loan_id),
        }

    # What stands in the way

    def _member_obstacles(self, member_id: str) -> Iterator[str]:
        if member_id not in self.members:
            yield f"Nobody has the member number {member_id}"
        elif self.members[member_id]["status"] != "active":
            yield f"Membership {member_id} is {self.members[member_id]['status']}"

    def _staff_obstacles(self, staff_id: str, *roles: Role) -> Iterator[str]:
        if staff_id not in self.staff:
            yield f"There is no colleague {staff_id}"
        elif roles and self.staff[staff_id]["role"] not in roles:
            yield f"That is for a {' or '.join(roles)}, not a {self.staff[staff_id]['role']}"

    def _loan_obstacles(self, loan_id: str, status: LoanStatus) -> Iterator[str]:
        if loan_id not in self.loans:
            yield f"There is no loan {loan_id}"
        elif self.loans[loan_id]["status"] != status:
            yield f"Loan {loan_id} is {self.loans[loan_id]['status']}, not {status}"

    def _cash_obstacles(self, amount_cents: int, staff_id: str) -> Iterator[str]:
        if amount_cents < 1:
            yield "Amounts are positive"
        yield from self._staff_obstacles(staff_id)
        if amount_cents > self.teller_cash_cents and self.staff[staff_id]["role"] != "manager":
            yield f"Cash above {self.teller_cash_cents} cents is handled by the manager"

    def _taking_obstacles(
        self, account_id: str, amount_cents: int, freed_cents: int = 0
    ) -> Iterator[str]:
        """Reasons why money cannot leave an account, what it frees by that counted as free."""
        account = self.accounts[account_id]
        if account["kind"] == "shares":
            free = self._free_shares(account["member_id"]) + freed_cents
            if amount_cents > free:
                yield f"{free} cents of {account_id} are free; the rest is pledged"
            if account["balance_cents"] - amount_cents < self.minimum_shares_cents:
                yield f"A member keeps {self.minimum_shares_cents} cents of shares"
        elif amount_cents > account["balance_cents"]:
            yield f"{account_id} holds {account['balance_cents']} cents"

    def _share_cap_obstacles(self, account_id: str, amount_cents: int) -> Iterator[str]:
        account = self.accounts[account_id]
        room = self.share_cap_cents - account["balance_cents"]
        if account["kind"] == "shares" and amount_cents > room:
            yield f"Shares are capped; {account_id} takes {max(0, room)} cents more"

    def _top_up_obstacles(self, member_id: str, loan_id: str, amount_cents: int) -> Iterator[str]:
        if loan_id not in self._loans_of(member_id, "active"):
            yield f"Loan {loan_id} is no active loan of {member_id}"
            return
        loan = self.loans[loan_id]
        repaid = loan["principal_cents"] - loan["outstanding_cents"]
        if repaid * 100 < loan["principal_cents"] * TOP_UP_REPAID_PERCENT:
            yield f"Less than {TOP_UP_REPAID_PERCENT} percent of loan {loan_id} is repaid"
        if amount_cents <= self._settlement(loan):
            yield f"A top-up is more than the {self._settlement(loan)} cents that clear {loan_id}"

    def _lending_obstacles(
        self, member_id: str, product_id: str, amount_cents: int, months: int, tops_up: str | None
    ) -> Iterator[str]:
        """Everything that speaks against a loan, attached savings and guarantees apart."""
        if obstacle := next(self._member_obstacles(member_id), None):
            yield obstacle
            return
        if product_id not in self.products:
            yield f"There is no product {product_id}"
            return
        member, product = self.members[member_id], self.products[product_id]
        if (
            not 1 <= amount_cents <= product["max_cents"]
            or not 1 <= months <= product["max_months"]
        ):
            yield f"{product['name']}: {product['max_cents']} cents, {product['max_months']} months"
            return
        weeks = (
            date.fromisoformat(self._today()) - date.fromisoformat(member["joined_on"])
        ).days // 7
        if weeks < product["min_weeks"]:
            yield f"A member for {weeks} weeks; {product['name']} asks for {product['min_weeks']}"
        for loan_id in self._in_arrears(member_id):
            yield f"Loan {loan_id} is in arrears"
        if tops_up is not None:
            yield from self._top_up_obstacles(member_id, tops_up, amount_cents)
        others = {
            i: loan
            for i, loan in self._loans_of(member_id, "applied", "approved", "active").items()
            if i != tops_up
        }
        owed = amount_cents + sum(
            loan["outstanding_cents"] or loan["principal_cents"] for loan in others.values()
        )
        shares = self._account_of(member_id, "shares")
        most = self.accounts[shares]["balance_cents"] * product["shares_multiple"] if shares else 0
        if owed > most:
            yield f"{owed} cents are over {product['shares_multiple']} times the shares"
        burden = _instalment(amount_cents, product["rate_bp"], months)
        burden += sum(self._current_instalment(i) for i in others)
        if burden * 100 > member["income_cents"] * self.income_share_percent:
            yield f"Instalments of {burden} cents are over {self.income_share_percent} % of income"

    def _pledge_obstacles(self, member_id: str, more_cents: int) -> Iterator[str]:
        free = self._free_shares(member_id)
        if more_cents > free:
            yield f"{max(0, free)} cents of the shares of {member_id} are free"

    # Booking

    def _book(
        self,
        record_id: str,
        kind: EntryKind,
        amount_cents: int,
        staff_id: str,
        interest_cents: int = 0,
    ) -> None:
        self.entries[f"E-{self.next_entry}"] = {
            "record_id": record_id,
            "kind": kind,
            "amount_cents": amount_cents,
            "interest_cents": interest_cents,
            "booked_on": self._today(),
            "staff_id": staff_id,
        }
        self.next_entry += 1

    def _clear(self, loan_id: str) -> None:
        """Free what a cleared or declined loan has tied up."""
        self.loans[loan_id]["attached_cents"] = 0
        for guarantee in self.guarantees.values():
            if guarantee["loan_id"] == loan_id:
                guarantee["status"] = "released"
        for arrangement in self.arrangements.values():
            if arrangement["loan_id"] == loan_id:
                arrangement["status"] = "ended"
        targeted = [i for i, o in self.standing_orders.items() if o["target_id"] == loan_id]
        for order_id in targeted:
            del self.standing_orders[order_id]

    def _pay_off(self, loan_id: str, amount_cents: int, staff_id: str) -> None:
        """Put a payment on a loan: interest to today first, the rest on the principal."""
        loan = self.loans[loan_id]
        interest = min(self._interest(loan), amount_cents)
        cleared = amount_cents == self._settlement(loan)
        loan["outstanding_cents"] -= amount_cents - interest
        loan["paid_cents"] += amount_cents
        loan["interest_to"] = self._today()
        self._book(loan_id, "repayment", amount_cents, staff_id, interest)
        if cleared:
            loan["status"] = "cleared"
            self._clear(loan_id)

    # Queries

    def find_members(self, text: str = "", status: MemberStatus | None = None) -> dict[str, Any]:
        """Find members by part of their name or town.

        Args:
            text: Part of the name, town or member number, any case.
            status: Only members in this status.
        """
        found = [
            {"member_id": i, **m}
            for i, m in self.members.items()
            if text.lower() in f"{i} {m['name']} {m['town']}".lower()
            and status in (None, m["status"])
        ]
        return {"success": True, "members": found}

    def get_member(self, member_id: str) -> dict[str, Any]:
        """Show a member's accounts, free shares, loans, guarantees, orders and refusals.

        Args:
            member_id: The member.
        """
        if member_id not in self.members:
            return _denied(f"Nobody has the member number {member_id}")
        accounts = {i: a for i, a in self.accounts.items() if a["member_id"] == member_id}
        loans = [i for i, loan in self.loans.items() if loan["member_id"] == member_id]
        return {
            "success": True,
            **self.members[member_id],
            "accounts": accounts,
            "free_shares_cents": self._free_shares(member_id),
            "loans": [self._loan_row(i) for i in loans],
            "guarantees_given": {
                i: g for i, g in self.guarantees.items() if g["guarantor_id"] == member_id
            },
            "standing_orders": {
                i: o for i, o in self.standing_orders.items() if o["account_id"] in accounts
            },
            "refusals": [r for r in self.refusals.values() if r["record_id"] == member_id],
        }

    def list_loans(
        self, text: str = "", status: LoanStatus | None = None, standing: Standing | None = None
    ) -> dict[str, Any]:
        """List loans with what is overdue today.

        Late is less than one instalment overdue, arrears from one, default from three.

        Args:
            text: Part of the borrower's name, any case.
            status: Only loans in this status.
            standing: Only loans of this standing.
        """
        rows = [self._loan_row(i) for i in self.loans]
        found = [
            row
            for row in rows
            if text.lower() in row["member"].lower()
            and status in (None, row["status"])
            and standing in (None, row["standing"])
        ]
        return {"success": True, "loans": found}

    def get_loan(self, loan_id: str) -> dict[str, Any]:
        """Show a loan with interest to today, settlement figure, guarantees and arrangements.

        Args:
            loan_id: The loan.
        """
        if loan_id not in self.loans:
            return _denied(f"There is no loan {loan_id}")
        loan = self.loans[loan_id]
        return {
            "success": True,
            **loan,
            **self._loan_row(loan_id),
            "interest_to_today_cents": self._interest(loan),
            "settlement_cents": self._settlement(loan),
            "uncovered_cents": self._uncovered(loan_id),
            "guarantees": {i: g for i, g in self.guarantees.items() if g["loan_id"] == loan_id},
            "arrangements": [a for a in self.arrangements.values() if a["loan_id"] == loan_id],
            "refusals": [r for r in self.refusals.values() if r["record_id"] == loan_id],
        }

    def list_products(self) -> dict[str, Any]:
        """List kinds of loan and the figures of the house, such as share cap and dividend."""
        return {
            "success": True,
            "products": [{"product_id": i, **p} for i, p in self.products.items()],
            "share_cap_cents": self.share_cap_cents,
            "minimum_shares_cents": self.minimum_shares_cents,
            "teller_cash_cents": self.teller_cash_cents,
            "income_share_percent": self.income_share_percent,
            "reactivation_charge_cents": self.reactivation_charge_cents,
            "dividend_year": self.dividend_year,
            "dividend_bp": self.dividend_bp,
        }

    def quote_loan(self, product_id: str, amount_cents: int, months: int) -> dict[str, Any]:
        """Work out the monthly instalment of a loan.

        Args:
            product_id: The kind of loan.
            amount_cents: The amount in cents.
            months: The term in months.
        """
        if product_id not in self.products or amount_cents < 1 or not 1 <= months <= 600:
            return _denied("A quote takes a known product, a positive amount and 1 to 600 months")
        instalment = _instalment(amount_cents, self.products[product_id]["rate_bp"], months)
        return {"success": True, "instalment_cents": instalment}

    def check_lending(
        self,
        member_id: str,
        product_id: str,
        amount_cents: int,
        months: int,
        tops_up: str | None = None,
    ) -> dict[str, Any]:
        """List all that speaks against a loan, and what attached savings or guarantees must cover.

        Args:
            member_id: The borrower.
            product_id: The kind of loan.
            amount_cents: The amount in cents; of a top-up, the whole new loan.
            months: The term in months.
            tops_up: The loan that the new one replaces, for a top-up.
        """
        found = [*self._lending_obstacles(member_id, product_id, amount_cents, months, tops_up)]
        unsecured = (
            self.products[product_id]["unsecured_cents"] if product_id in self.products else 0
        )
        to_cover = max(0, amount_cents - unsecured)
        return {"success": True, "obstacles": found, "to_cover_cents": to_cover}

    def list_entries(
        self, record_id: str, kind: EntryKind | None = None, since: str = ""
    ) -> dict[str, Any]:
        """List movements on an account or a loan.

        Args:
            record_id: The account or loan.
            kind: Only movements of this kind.
            since: First day that counts, YYYY-MM-DD; empty for all.
        """
        found = [
            {"entry_id": i, **e}
            for i, e in self.entries.items()
            if e["record_id"] == record_id and kind in (None, e["kind"]) and e["booked_on"] >= since
        ]
        return {"success": True, "entries": found}

    def list_standing_orders(self, text: str = "") -> dict[str, Any]:
        """List standing orders with whose account they draw on.

        Args:
            text: Part of the member's name, any case.
        """
        found = []
        for order_id, order in self.standing_orders.items():
            name = self.members[self.accounts[order["account_id"]]["member_id"]]["name"]
            if text.lower() in name.lower():
                found.append({"order_id": order_id, "member": name, **order})
        return {"success": True, "standing_orders": found}

    def list_guarantees(
        self, text: str = "", status: Literal["given", "released"] | None = None
    ) -> dict[str, Any]:
        """List guarantees with the names of borrower and guarantor.

        Args:
            text: Part of either name, any case.
            status: Only guarantees in this status.
        """
        found = []
        for guarantee_id, guarantee in self.guarantees.items():
            borrower = self.members[self.loans[guarantee["loan_id"]]["member_id"]]["name"]
            guarantor = self.members[guarantee["guarantor_id"]]["name"]
            if text.lower() in f"{borrower} {guarantor}".lower() and (
                status in (None, guarantee["status"])
            ):
                names = {"borrower": borrower, "guarantor": guarantor}
                found.append({"guarantee_id": guarantee_id, **names, **guarantee})
        return {"success": True, "guarantees": found}

    def list_arrangements(
        self, text: str = "", status: Literal["running", "ended"] | None = None
    ) -> dict[str, Any]:
        """List arrangements with the borrower, whether they hold today and how the loan stands.

        A running arrangement holds for its months; after them the loan's own instalment is due.

        Args:
            text: Part of the borrower's name, any case.
            status: Only arrangements in this status.
        """
        found = []
        for arrangement_id, arrangement in self.arrangements.items():
            loan_id = arrangement["loan_id"]
            name = self.members[self.loans[loan_id]["member_id"]]["name"]
            if text.lower() in name.lower() and status in (None, arrangement["status"]):
                found.append(
                    {
                        "arrangement_id": arrangement_id,
                        "member": name,
                        **arrangement,
                        "holds_today": self._arrangement(loan_id) is arrangement,
                        "overdue_cents": self._overdue(loan_id),
                        "standing": self._standing(loan_id),
                    }
                )
        return {"success": True, "arrangements": found}

    def list_staff(self, text: str = "", role: Role | None = None) -> dict[str, Any]:
        """List colleagues with role, lending limit and their own membership.

        Args:
            text: Part of the name, any case.
            role: Only this role.
        """
        found = [
            {"staff_id": i, **s}
            for i, s in self.staff.items()
            if text.lower() in s["name"].lower() and role in (None, s["role"])
        ]
        return {"success": True, "staff": found}

    # Changes

    def post_cash(
        self,
        account_id: str,
        kind: Literal["deposit", "withdrawal"],
        amount_cents: int,
        staff_id: str,
    ) -> dict[str, Any]:
        """Take cash in for an account or pay it out.

        Args:
            account_id: The account.
            kind: Deposit or withdrawal.
            amount_cents: How much, in cents.
            staff_id: Who handles the cash.
        """
        if account_id not in self.accounts:
            return _denied(f"There is no account {account_id}")
        account = self.accounts[account_id]
        obstacles = [
            *self._member_obstacles(account["member_id"]),
            *self._cash_obstacles(amount_cents, staff_id),
        ]
        if kind == "deposit":
            obstacles += self._share_cap_obstacles(account_id, amount_cents)
        else:
            obstacles += self._taking_obstacles(account_id, amount_cents)
        if obstacles:
            return _denied(obstacles[0])
        account["balance_cents"] += amount_cents if kind == "deposit" else -amount_cents
        self.members[account["member_id"]]["last_activity_on"] = self._today()
        self._book(account_id, kind, amount_cents, staff_id)
        return {"success": True, "balance_cents": account["balance_cents"]}

    def repay_loan(
        self, loan_id: str, amount_cents: int, staff_id: str, from_account_id: str | None = None
    ) -> dict[str, Any]:
        """Put money on a loan, in cash or from one of the borrower's accounts.

        Interest to today is met first. Attached shares may be used only by a repayment that
        clears the loan they are attached to; clearing it frees all that it ties up.

        Args:
            loan_id: An active loan.
            amount_cents: How much, in cents, at most the settlement figure.
            staff_id: Who books it.
            from_account_id: The borrower's account to take it from; nothing for cash.
        """
        if obstacle := next(self._loan_obstacles(loan_id, "active"), None):
            return _denied(obstacle)
        loan = self.loans[loan_id]
        settlement = self._settlement(loan)
        if not 1 <= amount_cents <= settlement:
            return _denied(f"Loan {loan_id} is settled with {settlement} cents")
        if obstacle := next(self._member_obstacles(loan["member_id"]), None):
            return _denied(obstacle)
        if from_account_id is None:
            if obstacle := next(self._cash_obstacles(amount_cents, staff_id), None):
                return _denied(obstacle)
        else:
            account = self.accounts.get(from_account_id)
            if account is None or account["member_id"] != loan["member_id"]:
                return _denied(f"{from_account_id} is no account of the borrower")
            freed = loan["attached_cents"] if amount_cents == settlement else 0
            obstacles = [
                *self._staff_obstacles(staff_id),
                *self._taking_obstacles(from_account_id, amount_cents, freed),
            ]
            if obstacles:
                return _denied(obstacles[0])
            account["balance_cents"] -= amount_cents
            self._book(from_account_id, "transfer", amount_cents, staff_id)
        self._pay_off(loan_id, amount_cents, staff_id)
        self.members[loan["member_id"]]["last_activity_on"] = self._today()
        left = {"outstanding_cents": loan["outstanding_cents"], "status": loan["status"]}
        return {"success": True, **left, "overdue_cents": self._overdue(loan_id)}

    def apply_loan(
        self,
        member_id: str,
        product_id: str,
        amount_cents: int,
        months: int,
        attached_cents: int,
        taken_by: str,
        tops_up: str | None = None,
    ) -> dict[str, Any]:
        """Take an application; what attached savings leave uncovered needs guarantors.

        Args:
            member_id: The borrower.
            product_id: The kind of loan.
            amount_cents: The amount in cents; of a top-up, the whole new loan.
            months: The term in months.
            attached_cents: How much of the borrower's own shares is attached.
            taken_by: Loans officer or manager who takes it.
            tops_up: The loan that the new one replaces, for a top-up.
        """
        terms = (member_id, product_id, amount_cents, months, tops_up)
        obstacles = [
            *self._lending_obstacles(*terms),
            *self._staff_obstacles(taken_by, "loans_officer", "manager"),
        ]
        if obstacles:
            return _denied(obstacles[0])
        freed = self.loans[tops_up]["attached_cents"] if tops_up else 0
        pledge = next(self._pledge_obstacles(member_id, attached_cents - freed), None)
        if not 0 <= attached_cents <= amount_cents or pledge:
            return _denied(pledge or "Attached are between nothing and the amount of the loan")
        waiting = self._loans_of(member_id, "applied", "approved")
        if any(loan["product_id"] == product_id for loan in waiting.values()):
            return _denied(f"{member_id} has an application for that product: {', '.join(waiting)}")
        product = self.products[product_id]
        loan_id = f"LN-{self.next_loan}"
        self.next_loan += 1
        self.loans[loan_id] = {
            "member_id": member_id,
            "product_id": product_id,
            "principal_cents": amount_cents,
            "months": months,
            "instalment_cents": _instalment(amount_cents, product["rate_bp"], months),
            "rate_bp": product["rate_bp"],
            "status": "applied",
            "taken_by": taken_by,
            "decided_by": None,
            "decided_on": None,
            "first_due_on": None,
            "interest_to": None,
            "outstanding_cents": 0,
            "paid_cents": 0,
            "attached_cents": attached_cents,
            "tops_up": tops_up,
        }
        missing = self._uncovered(loan_id)
        return {"success": True, "loan_id": loan_id, "uncovered_cents": missing}

    def add_guarantee(self, loan_id: str, guarantor_id: str, amount_cents: int) -> dict[str, Any]:
        """Take a member's guarantee for part of a loan that is applied for.

        Args:
            loan_id: The application.
            guarantor_id: An active member other than the borrower, with no loan in arrears.
            amount_cents: How much, in cents, of the guarantor's free shares.
        """
        if obstacle := next(self._loan_obstacles(loan_id, "applied"), None):
            return _denied(obstacle)
        if obstacle := next(self._member_obstacles(guarantor_id), None):
            return _denied(obstacle)
        if guarantor_id == self.loans[loan_id]["member_id"]:
            return _denied("Nobody guarantees a loan of their own")
        if behind := self._in_arrears(guarantor_id):
            return _denied(f"The guarantor's own loan {behind[0]} is in arrears")
        if not 1 <= amount_cents <= self._uncovered(loan_id):
            return _denied(f"{self._uncovered(loan_id)} cents of the loan are uncovered")
        if obstacle := next(self._pledge_obstacles(guarantor_id, amount_cents), None):
            return _denied(obstacle)
        guarantee_id = f"G-{self.next_guarantee}"
        self.next_guarantee += 1
        self.guarantees[guarantee_id] = {
            "loan_id": loan_id,
            "guarantor_id": guarantor_id,
            "amount_cents": amount_cents,
            "status": "given",
        }
        uncovered = self._uncovered(loan_id)
        return {"success": True, "guarantee_id": guarantee_id, "uncovered_cents": uncovered}

    def decide_loan(
        self, loan_id: str, decision: Literal["approve", "decline"], decided_by: str
    ) -> dict[str, Any]:
        """Approve or decline an application.

        Args:
            loan_id: The application.
            decision: Approve or decline; declining frees savings and guarantors.
            decided_by: Loans officer or manager who did not take it, is neither borrower nor
                guarantor and, to approve, has the lending limit for it.
        """
        obstacles = [
            *self._loan_obstacles(loan_id, "applied"),
            *self._staff_obstacles(decided_by, "loans_officer", "manager"),
        ]
        if obstacles:
            return _denied(obstacles[0])
        loan, clerk = self.loans[loan_id], self.staff[decided_by]
        if decided_by == loan["taken_by"]:
            return _denied("Whoever takes an application does not decide on it")
        backers = [g["guarantor_id"] for g in self.guarantees.values() if g["loan_id"] == loan_id]
        if clerk["member_id"] in (loan["member_id"], *backers):
            return _denied(f"{clerk['name']} is borrower or guarantor of the loan")
        if decision == "approve":
            if loan["principal_cents"] > clerk["lending_limit_cents"]:
                return _denied(f"{clerk['name']} lends up to {clerk['lending_limit_cents']} cents")
            if missing := self._uncovered(loan_id):
                return _denied(f"{missing} cents need attached savings or guarantors")
        loan["status"] = "approved" if decision == "approve" else "declined"
        loan["decided_by"] = decided_by
        loan["decided_on"] = self._today()
        if decision == "decline":
            self._clear(loan_id)
        return {"success": True, "status": loan["status"]}

    def draw_loan(self, loan_id: str, staff_id: str) -> dict[str, Any]:
        """Pay an approved loan out to the borrower's current account.

        The first instalment falls due in a month. A top-up first settles the loan that it
        replaces.

        Args:
            loan_id: A loan approved at most 30 days ago.
            staff_id: Who books it.
        """
        obstacles = [
            *self._loan_obstacles(loan_id, "approved"),
            *self._staff_obstacles(staff_id),
        ]
        if obstacles:
            return _denied(obstacles[0])
        loan = self.loans[loan_id]
        if obstacle := next(self._member_obstacles(loan["member_id"]), None):
            return _denied(obstacle)
        today = datetime.now().date()
        approved = date.fromisoformat(loan["decided_on"] or self._today())
        if today > approved + timedelta(days=APPROVAL_DAYS):
            return _denied(f"The approval of {approved} has lapsed")
        account_id = self._account_of(loan["member_id"], "current")
        if account_id is None:
            return _denied("The borrower has no current account to pay it to")
        if behind := self._in_arrears(loan["member_id"]):
            return _denied(f"Loan {behind[0]} is in arrears")
        payout = loan["principal_cents"]
        if loan["tops_up"] is not None:
            if obstacle := next(self._loan_obstacles(loan["tops_up"], "active"), None):
                return _denied(f"{obstacle}; there is nothing to top up")
            settled = self._settlement(self.loans[loan["tops_up"]])
            if settled >= payout:
                return _denied(f"Clearing loan {loan['tops_up']} takes {settled} cents, all of it")
            payout -= settled
            self._pay_off(loan["tops_up"], settled, staff_id)
        loan["status"] = "active"
        loan["outstanding_cents"] = loan["principal_cents"]
        loan["interest_to"] = self._today()
        loan["first_due_on"] = _same_day_next_month(today).isoformat()
        self.accounts[account_id]["balance_cents"] += payout
        self.members[loan["member_id"]]["last_activity_on"] = self._today()
        self._book(account_id, "payout", payout, staff_id)
        return {"success": True, "payout_cents": payout, "first_due_on": loan["first_due_on"]}

    def make_arrangement(
        self, loan_id: str, instalment_cents: int, months: int, agreed_by: str
    ) -> dict[str, Any]:
        """Agree smaller instalments on a loan in arrears or default; an earlier deal is ended.

        Args:
            loan_id: The loan.
            instalment_cents: New monthly instalment in cents: at least a month's interest,
                less than the loan's own.
            months: For how many months, at most 12.
            agreed_by: Loans officer; the manager if an arrangement was made on it before.
        """
        earlier = [a for a in self.arrangements.values() if a["loan_id"] == loan_id]
        roles: tuple[Role, ...] = ("manager",) if earlier else ("loans_officer", "manager")
        obstacles = [
            *self._loan_obstacles(loan_id, "active"),
            *self._staff_obstacles(agreed_by, *roles),
        ]
        if obstacles:
            return _denied(obstacles[0])
        loan = self.loans[loan_id]
        if self._standing(loan_id) not in ("arrears", "default"):
            return _denied(f"Loan {loan_id} is {self._standing(loan_id)}")
        least = -(-loan["outstanding_cents"] * loan["rate_bp"] // 120_000)
        if not least <= instalment_cents < loan["instalment_cents"]:
            most = loan["instalment_cents"]
            return _denied(f"From {least} cents, a month's interest, to under {most}")
        if not 1 <= months <= ARRANGEMENT_MONTHS:
            return _denied(f"An arrangement is for 1 to {ARRANGEMENT_MONTHS} months")
        for arrangement in earlier:
            arrangement["status"] = "ended"
        arrangement_id = f"AR-{self.next_arrangement}"
        self.next_arrangement += 1
        self.arrangements[arrangement_id] = {
            "loan_id": loan_id,
            "instalment_cents": instalment_cents,
            "months": months,
            "starts_on": self._today(),
            "paid_before_cents": loan["paid_cents"],
            "agreed_by": agreed_by,
            "status": "running",
        }
        return {"success": True, "arrangement_id": arrangement_id}

    def set_attached(self, loan_id: str, attached_cents: int) -> dict[str, Any]:
        """Attach more of the borrower's shares to a running loan, or free some of them.

        Args:
            loan_id: An active loan.
            attached_cents: What is attached from now on; with the guarantees and the
                unsecured amount of the product it covers what is outstanding.
        """
        if obstacle := next(self._loan_obstacles(loan_id, "active"), None):
            return _denied(obstacle)
        loan = self.loans[loan_id]
        if attached_cents == loan["attached_cents"]:
            return _denied("So much is attached already")
        more = attached_cents - loan["attached_cents"]
        if more < 0 and self._standing(loan_id) != "on_schedule":
            return _denied(f"Nothing is freed while loan {loan_id} is {self._standing(loan_id)}")
        unsecured = self.products[loan["product_id"]]["unsecured_cents"]
        least = loan["outstanding_cents"] - unsecured - self._guaranteed(loan_id)
        if not max(0, least) <= attached_cents <= loan["outstanding_cents"]:
            return _denied(f"From {max(0, least)} to {loan['outstanding_cents']} cents")
        if more > 0 and (obstacle := next(self._pledge_obstacles(loan["member_id"], more), None)):
            return _denied(obstacle)
        loan["attached_cents"] = attached_cents
        return {"success": True, "free_shares_cents": self._free_shares(loan["member_id"])}

    def set_standing_order(
        self, account_id: str, target_id: str, amount_cents: int, day: int
    ) -> dict[str, Any]:
        """Set, change or end (with amount 0) the monthly transfer from an account to a target.

        Args:
            account_id: A current account.
            target_id: The same member's shares account or active loan.
            amount_cents: Monthly amount in cents, to a loan at least its instalment of today;
                0 ends the order.
            day: Day of the month, 1 to 28; of an order that ends, its present day.
        """
        if account_id not in self.accounts or self.accounts[account_id]["kind"] != "current":
            return _denied(f"{account_id} is no current account")
        member_id = self.accounts[account_id]["member_id"]
        if obstacle := next(self._member_obstacles(member_id), None):
            return _denied(obstacle)
        loans = self._loans_of(member_id, "active")
        if target_id not in loans and target_id != self._account_of(member_id, "shares"):
            return _denied(f"{target_id} is neither shares nor an active loan of {member_id}")
        known = [
            i
            for i, o in self.standing_orders.items()
            if (o["account_id"], o["target_id"]) == (account_id, target_id)
        ]
        if amount_cents == 0 and known and self.standing_orders[known[0]]["day"] == day:
            del self.standing_orders[known[0]]
            return {"success": True, "ended": known[0]}
        if amount_cents < 1 or not 1 <= day <= 28:
            return _denied("An order has a positive amount and a day from 1 to 28")
        if target_id in loans and amount_cents < self._current_instalment(target_id):
            return _denied(f"The instalment is {self._current_instalment(target_id)} cents")
        order: StandingOrder = {
            "account_id": account_id,
            "target_id": target_id,
            "amount_cents": amount_cents,
            "day": day,
        }
        if known and self.standing_orders[known[0]] == order:
            return _denied(f"That is order {known[0]} already")
        order_id = known[0] if known else f"SO-{self.next_order}"
        self.next_order += 0 if known else 1
        self.standing_orders[order_id] = order
        return {"success": True, "order_id": order_id}

    def reactivate_member(
        self, member_id: str, identity: Identity, staff_id: str
    ) -> dict[str, Any]:
        """Wake a dormant membership after seeing an identity document; the charge comes off shares.

        Args:
            member_id: A dormant member.
            identity: The document that was shown.
            staff_id: Who saw it.
        """
        if member_id not in self.members or self.members[member_id]["status"] != "dormant":
            return _denied(f"{member_id} is no dormant member")
        if obstacle := next(self._staff_obstacles(staff_id), None):
            return _denied(obstacle)
        shares_id = self._account_of(member_id, "shares")
        charge = self.reactivation_charge_cents
        if shares_id is None or next(self._taking_obstacles(shares_id, charge), None):
            return _denied(f"The shares do not bear the charge of {charge} cents")
        self.accounts[shares_id]["balance_cents"] -= charge
        self.members[member_id]["status"] = "active"
        self.members[member_id]["identity_seen"] = identity
        self.members[member_id]["last_activity_on"] = self._today()
        self._book(shares_id, "charge", charge, staff_id)
        return {"success": True, "balance_cents": self.accounts[shares_id]["balance_cents"]}

    def credit_dividend(
        self, shares_account_id: str, target_id: str, staff_id: str
    ) -> dict[str, Any]:
        """Credit a member's dividend of the year: the rate on the shares at the year's end.

        Args:
            shares_account_id: The shares that earn it.
            target_id: The same account or, if the cap leaves no room, the member's current
                account; if a loan of the member's is in arrears or default, that loan.
            staff_id: Who books it.
        """
        if shares_account_id not in self.accounts:
            return _denied(f"There is no account {shares_account_id}")
        shares = self.accounts[shares_account_id]
        member_id = shares["member_id"]
        obstacles = [*self._member_obstacles(member_id), *self._staff_obstacles(staff_id)]
        if shares["kind"] != "shares":
            obstacles.append("Dividend is earned by shares")
        if shares["dividend_paid_for"] == self.dividend_year:
            obstacles.append(f"The dividend of {self.dividend_year} is credited")
        dividend = shares["year_end_cents"] * self.dividend_bp // 10_000
        if dividend == 0:
            obstacles.append("There is no dividend on these shares")
        if obstacles:
            return _denied(obstacles[0])
        behind = self._in_arrears(member_id)
        full = next(self._share_cap_obstacles(shares_account_id, dividend), None)
        due = self._account_of(member_id, "current") if full else shares_account_id
        if target_id not in behind and (behind or target_id != due):
            return _denied(f"This dividend goes to {behind or due}")
        if behind and dividend > self._settlement(self.loans[target_id]):
            return _denied(f"{dividend} cents are more than loan {target_id} takes")
        shares["dividend_paid_for"] = self.dividend_year
        if behind:
            self._pay_off(target_id, dividend, staff_id)
        else:
            self.accounts[target_id]["balance_cents"] += dividend
            self._book(target_id, "dividend", dividend, staff_id)
        return {"success": True, "dividend_cents": dividend, "credited_to": target_id}

    def record_refusal(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record that a wish was turned down.

        savings_attached, below_minimum, over_share_cap and dividend_paid are filed on the
        account; guarantee_missing, own_interest, over_authority, too_early_to_top_up and
        arrangement_too_low on the loan; the others on the member (guarantor_unable on the
        guarantor).

        Args:
            record_id: The account, loan or member.
            reason: What stood in the way.
        """
        home = REFUSAL_HOMES.get(reason, "member")
        if home == "member":
            known = record_id in self.members
        else:
            known = record_id in (self.accounts if home == "account" else self.loans)
        if not known:
            return _denied(f"{reason} is not filed on {record_id}")
        if (record_id, reason) in [(r["record_id"], r["reason"]) for r in self.refusals.values()]:
            return _denied("That is on record already")
        refusal_id = f"N-{self.next_refusal}"
        self.next_refusal += 1
        self.refusals[refusal_id] = {
            "record_id": record_id,
            "reason": reason,
            "refused_on": self._today(),
        }
        return {"success": True, "refusal_id": refusal_id}
