"""General ledger of a group of trading companies: journals, periods, intercompany and banks."""

from calendar import monthrange
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any, Literal, TypedDict

Currency = Literal["EUR", "GBP", "PLN", "DKK", "SEK", "CHF", "USD"]
AccountKind = Literal["asset", "liability", "equity", "income", "expense"]
Role = Literal["clerk", "accountant", "controller"]
PeriodStatus = Literal["open", "soft_closed", "closed"]
JournalStatus = Literal["awaiting", "posted", "rejected"]
Verdict = Literal["approve", "reject"]
RefusalReason = Literal[
    "period_closed",
    "not_ready_to_close",
    "already_reversed",
    "own_journal",
    "over_limit",
    "nothing_to_match",
    "already_run",
    "rate_in_use",
    "one_sided_intercompany",
]

WHOLE = 1_000_000  # rates are millionths of a euro per unit of the currency
MATCH_WINDOW_DAYS = 5


class Company(TypedDict):
    """A company of the group, with the currency of its books."""

    name: str
    country: str
    currency: Currency


class Account(TypedDict):
    """An account of the group's chart; headers only add up what is below them."""

    name: str
    kind: AccountKind
    parent: str | None
    postable: bool
    blocked: bool
    intercompany: bool


class Period(TypedDict):
    """A month of one company's books, with who took the steps to its present status."""

    company_id: str
    month: str
    status: PeriodStatus
    soft_closed_by: str | None
    closed_by: str | None
    reopened_by: str | None


class User(TypedDict):
    """Somebody who keeps books; the limit is in euro cents per journal."""

    name: str
    role: Role
    companies: list[str]
    limit_cents: int
    active: bool


class Rate(TypedDict):
    """The rate of a month: for its bookings and for valuing balances at its end."""

    currency: Currency
    month: str
    eur_micros: int
    set_by: str


class Journal(TypedDict):
    """A double entry. Debits and credits are account -> cents of the journal's currency.

    `rate_micros` turns them into the currency of the company's books.
    """

    company_id: str
    day: str
    document: str
    currency: Currency
    rate_micros: int
    debits: dict[str, int]
    credits: dict[str, int]
    status: JournalStatus
    prepared_by: str
    decided_by: str | None
    reverses: str | None
    pair_id: str | None


class Template(TypedDict):
    """A recurring month-end booking; `last_month` None means until further notice."""

    company_id: str
    document: str
    debits: dict[str, int]
    credits: dict[str, int]
    first_month: str
    last_month: str | None
    ended_by: str | None
    reversed_next_day: bool
    runs: list[str]


class Agreement(TypedDict):
    """What one company charges to another, and where it goes in either's books."""

    provider_id: str
    recipient_id: str
    service: Literal["goods", "management_fee", "licence"]
    currency: Currency
    income_account: str
    expense_account: str


class Bank(TypedDict):
    """A bank account and the ledger account that stands for it."""

    company_id: str
    name: str
    account: str
    currency: Currency


class StatementLine(TypedDict):
    """A movement that the bank reports; money out is negative."""

    bank_id: str
    day: str
    counterparty: str
    amount_cents: int


class Match(TypedDict):
    """A statement line found in the books."""

    line_id: str
    journal_id: str
    matched_by: str


class Unmatching(TypedDict):
    """A match that was undone."""

    line_id: str
    journal_id: str
    unmatched_by: str


class Refusal(TypedDict):
    """A request that the books do not allow."""

    record_id: str
    reason: RefusalReason
    refused_on: str


def _no(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _rounded(amount: int, numerator: int, denominator: int) -> int:
    """Give amount x numerator / denominator, halves away from zero."""
    doubled = 2 * abs(amount) * numerator
    share = (doubled + denominator) // (2 * denominator)
    return share if amount >= 0 else -share


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_month(text: str) -> bool:
    return _is_day(f"{text}-01")


def _last_day(month: str) -> str:
    year, number = int(month[:4]), int(month[5:])
    return f"{month}-{monthrange(year, number)[1]:02d}"


def _neighbour(month: str, step: Literal[-1, 1]) -> str:
    count = int(month[:4]) * 12 + int(month[5:]) - 1 + step
    return f"{count // 12:04d}-{count % 12 + 1:02d}"


class JournalLedger:
    """The books of a trading group. Nothing that is posted is ever edited."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.companies: dict[str, Company] = {}
        self.accounts: dict[str, Account] = {}
        self.periods: dict[str, Period] = {}
        self.users: dict[str, User] = {}
        self.rates: dict[str, Rate] = {}
        self.journals: dict[str, Journal] = {}
        self.templates: dict[str, Template] = {}
        self.agreements: dict[str, Agreement] = {}
        self.banks: dict[str, Bank] = {}
        self.statement_lines: dict[str, StatementLine] = {}
        self.matches: dict[str, Match] = {}
        self.unmatchings: dict[str, Unmatching] = {}
        self.refusals: dict[str, Refusal] = {}
        self.receivable_account: str = ""
        self.payable_account: str = ""
        self.exchange_gain_account: str = ""
        self.exchange_loss_account: str = ""
        self.next_journal: int = 1
        self.next_pair: int = 1
        self.next_match: int = 1
        self.next_unmatching: int = 1
        self.next_refusal: int = 1

    # Money

    def _rate(self, currency: str, month: str) -> int | None:
        """Millionths of a euro per unit of a currency in a month, if it is on file."""
        if currency == "EUR":
            return WHOLE
        rate = self.rates.get(f"{currency}-{month}")
        return rate["eur_micros"] if rate is not None else None

    def _book_rate(self, company_id: str, currency: str, month: str) -> int | None:
        """Millionths of the books' currency per unit of another one."""
        of_journal = self._rate(currency, month)
        of_books = self._rate(self.companies[company_id]["currency"], month)
        if currency == self.companies[company_id]["currency"]:
            return WHOLE
        if of_journal is None or of_books is None:
            return None
        return _rounded(WHOLE, of_journal, of_books)

    def _in_euro(self, currency: str, month: str, cents: int) -> int | None:
        rate = self._rate(currency, month)
        return _rounded(cents, rate, WHOLE) if rate is not None else None

    def _movement(self, journal: Journal, account: str) -> int:
        """Debit less credit that a journal puts on one account, in its own currency."""
        return journal["debits"].get(account, 0) - journal["credits"].get(account, 0)

    def _posted(self, company_id: str, up_to: str) -> list[Journal]:
        return [
            j
            for j in self.journals.values()
            if (j["company_id"], j["status"]) == (company_id, "posted") and j["day"] <= up_to
        ]

    def _family(self, account: str) -> list[str]:
        """An account and all accounts below it."""
        below = [code for code, a in self.accounts.items() if a["parent"] == account]
        return [account, *(code for child in below for code in self._family(child))]

    def _balance(
        self, company_id: str, accounts: Iterable[str], up_to: str
    ) -> tuple[dict[str, int], int]:
        """Balance by currency of the journals, and its value in the currency of the books."""
        by_currency: dict[str, int] = {}
        value = 0
        codes = list(accounts)
        for journal in self._posted(company_id, up_to):
            moved = sum(self._movement(journal, code) for code in codes)
            if moved:
                currency = journal["currency"]
                by_currency[currency] = by_currency.get(currency, 0) + moved
                value += _rounded(moved, journal["rate_micros"], WHOLE)
        return by_currency, value

    def _valuation_gap(self, bank: Bank, month: str) -> int | None:
        """What a foreign bank balance is worth at the end of a month above its book value."""
        rate = self._book_rate(bank["company_id"], bank["currency"], month)
        if rate is None:
            return None
        held, value = self._balance(bank["company_id"], [bank["account"]], _last_day(month))
        return _rounded(held.get(bank["currency"], 0), rate, WHOLE) - value

    # What stands in the way

    def _user_problem(self, user_id: str, *company_ids: str) -> str | None:
        """Say why somebody cannot work on the books of some companies, or return None."""
        if user_id not in self.users:
            return f"There is no user {user_id}"
        user = self.users[user_id]
        if not user["active"]:
            return f"{user['name']} no longer has access"
        barred = [c for c in company_ids if c not in user["companies"]]
        return f"{user['name']} does not keep the books of {barred[0]}" if barred else None

    def _controller_problem(self, user_id: str, *company_ids: str) -> str | None:
        if problem := self._user_problem(user_id, *company_ids):
            return problem
        if self.users[user_id]["role"] != "controller":
            return f"{self.users[user_id]['name']} is not a controller"
        return None

    def _period_problem(self, company_id: str, day: str, user_id: str) -> str | None:
        """Say why a known user cannot book on a day, or return None."""
        if not _is_day(day):
            return f"{day!r} is not a date in the form YYYY-MM-DD"
        period_id = f"{company_id}-{day[:7]}"
        if period_id not in self.periods:
            return f"There is no period {period_id}"
        status = self.periods[period_id]["status"]
        if status == "closed":
            return f"Period {period_id} is closed"
        if status == "soft_closed" and self.users[user_id]["role"] != "controller":
            return f"Period {period_id} is soft-closed: only controllers book in it"
        return None

    def _account_problem(self, code: str, company_id: str, currency: str) -> str | None:
        """Say why an account takes no ordinary booking, or return None."""
        if code not in self.accounts:
            return f"There is no account {code}"
        account = self.accounts[code]
        if not account["postable"]:
            return f"{code} {account['name']} is a header"
        if account["blocked"]:
            return f"{code} {account['name']} is blocked"
        if account["intercompany"]:
            return f"{code} {account['name']} is booked through intercompany agreements only"
        for bank in self.banks.values():
            kept = (bank["company_id"], bank["account"]) == (company_id, code)
            if kept and bank["currency"] != currency:
                return f"{code} is kept in {bank['currency']}"
        return None

    def _sides_problem(self, debits: dict[str, int], credits: dict[str, int]) -> str | None:
        if not debits or not credits or set(debits) & set(credits):
            return "A journal has debits and credits, and no account on both sides"
        if min(*debits.values(), *credits.values()) < 1:
            return "Debits and credits are positive amounts"
        owed, owned = sum(debits.values()), sum(credits.values())
        return None if owed == owned else f"Debits of {owed} and credits of {owned} do not balance"

    def _over_limit(self, user_id: str, currency: str, month: str, cents: int) -> str | None:
        """Say that a journal is over somebody's limit, or return None."""
        euros = self._in_euro(currency, month, cents)
        limit = self.users[user_id]["limit_cents"]
        if euros is None:
            return f"There is no rate of {currency} for {month}"
        return f"{euros} euro cents are over the limit of {limit}" if euros > limit else None

    def _reversal(self, journal_id: str, status: JournalStatus) -> str | None:
        for other_id, other in self.journals.items():
            if (other["reverses"], other["status"]) == (journal_id, status):
                return other_id
        return None

    def _reversal_of(self, journal_id: str) -> str | None:
        """The reversal that took a journal back; one that awaits approval has not yet."""
        return self._reversal(journal_id, "posted")

    def _reversal_under_way(self, journal_id: str) -> str | None:
        """The reversal that took a journal back, or will once it is approved."""
        return self._reversal_of(journal_id) or self._reversal(journal_id, "awaiting")

    def _match_of(self, journal_id: str) -> str | None:
        return next((i for i, m in self.matches.items() if m["journal_id"] == journal_id), None)

    def _match_of_line(self, line_id: str) -> str | None:
        return next((i for i, m in self.matches.items() if m["line_id"] == line_id), None)

    def _partners(self, journal_id: str) -> list[str]:
        """A journal and, if it is one half of an intercompany pair, the other half."""
        pair_id = self.journals[journal_id]["pair_id"]
        if pair_id is None:
            return [journal_id]
        return [i for i, j in self.journals.items() if j["pair_id"] == pair_id]

    def _one_sided(self, company_id: str | None = None) -> list[str]:
        """Posted journals on intercompany accounts that nothing mirrors and nothing reverses."""
        group = {code for code, a in self.accounts.items() if a["intercompany"]}
        return [
            i
            for i, j in self.journals.items()
            if company_id in (None, j["company_id"])
            and (j["status"], j["pair_id"], j["reverses"]) == ("posted", None, None)
            and group & {*j["debits"], *j["credits"]}
            and self._reversal_of(i) is None
        ]

    def _to_do(self, company_id: str, month: str) -> list[dict[str, Any]]:
        """All that has to be done before a month can be soft-closed."""
        end = _last_day(month)
        todo: list[dict[str, Any]] = [
            {"kind": "template_not_run", "record_id": i}
            for i, t in self.templates.items()
            if t["company_id"] == company_id
            and t["first_month"] <= month <= (t["last_month"] or month)
            and month not in t["runs"]
        ]
        todo += [
            {"kind": "journal_awaiting", "record_id": i}
            for i, j in self.journals.items()
            if (j["company_id"], j["status"], j["day"][:7]) == (company_id, "awaiting", month)
        ]
        banks = {i: b for i, b in self.banks.items() if b["company_id"] == company_id}
        todo += [
            {"kind": "line_unmatched", "record_id": i}
            for i, line in self.statement_lines.items()
            if line["bank_id"] in banks and line["day"] <= end and self._match_of_line(i) is None
        ]
        todo += [
            {"kind": "bank_not_revalued", "record_id": i}
            for i, bank in banks.items()
            if self._valuation_gap(bank, month) != 0
        ]
        todo += [
            {"kind": "one_sided_intercompany", "record_id": i}
            for i in self._one_sided(company_id)
            if self.journals[i]["day"] <= end
        ]
        return todo

    # Writing

    def _write(
        self,
        company_id: str,
        day: str,
        document: str,
        currency: Currency,
        debits: dict[str, int],
        credits: dict[str, int],
        user_id: str,
        status: JournalStatus,
        rate_micros: int,
        pair_id: str | None = None,
    ) -> str:
        journal_id = f"J-{self.next_journal}"
        self.next_journal += 1
        self.journals[journal_id] = {
            "company_id": company_id,
            "day": day,
            "document": document,
            "currency": currency,
            "rate_micros": rate_micros,
            "debits": dict(sorted(debits.items())),
            "credits": dict(sorted(credits.items())),
            "status": status,
            "prepared_by": user_id,
            "decided_by": None,
            "reverses": None,
            "pair_id": pair_id,
        }
        return journal_id

    def _write_reversal(
        self,
        journal_id: str,
        day: str,
        user_id: str,
        status: JournalStatus = "posted",
        pair_id: str | None = None,
    ) -> str:
        """Write a journal's mirror image, at the journal's own rate."""
        reversal_id = f"J-{self.next_journal}"
        self.next_journal += 1
        original = self.journals[journal_id]
        self.journals[reversal_id] = {
            **original,
            "day": day,
            "debits": dict(original["credits"]),
            "credits": dict(original["debits"]),
            "status": status,
            "prepared_by": user_id,
            "decided_by": None,
            "reverses": journal_id,
            "pair_id": pair_id,
        }
        return reversal_id

    def _summary(self, journal_id: str) -> dict[str, Any]:
        journal = self.journals[journal_id]
        shown = ("company_id", "day", "document", "currency", "status", "prepared_by", "reverses")
        facts = {key: value for key, value in journal.items() if key in shown}
        return {"journal_id": journal_id, **facts, "total_cents": sum(journal["debits"].values())}

    # Queries

    def list_companies(self, text: str = "") -> dict[str, Any]:
        """List companies with the currency of their books, periods and bank accounts.

        Args:
            text: Part of the name, country or id, any case.
        """
        found = []
        for company_id, company in self.companies.items():
            if text.lower() in f"{company_id} {company['name']} {company['country']}".lower():
                periods = [p for p in self.periods.values() if p["company_id"] == company_id]
                banks = {i: b for i, b in self.banks.items() if b["company_id"] == company_id}
                months = {p["month"]: p["status"] for p in periods}
                row = {"company_id": company_id, **company, "periods": months, "banks": banks}
                found.append(row)
        return {"success": True, "companies": found}

    def search_accounts(self, text: str = "", kind: AccountKind | None = None) -> dict[str, Any]:
        """Find accounts of the chart.

        Args:
            text: Part of the code or name, any case.
            kind: Only accounts of this kind.
        """
        found = [
            {"account": code, **account}
            for code, account in self.accounts.items()
            if text.lower() in f"{code} {account['name']}".lower()
            and kind in (None, account["kind"])
        ]
        return {"success": True, "accounts": found}

    def get_balance(self, company_id: str, account: str, up_to: str) -> dict[str, Any]:
        """Show the balance of an account with all accounts below it; debits are positive.

        Args:
            company_id: The company.
            account: Code of an account or of a header.
            up_to: Last day that counts, YYYY-MM-DD.
        """
        if company_id not in self.companies or account not in self.accounts:
            return _no(f"There is no company {company_id} or no account {account}")
        if not _is_day(up_to):
            return _no(f"{up_to!r} is not a date in the form YYYY-MM-DD")
        by_currency, value = self._balance(company_id, self._family(account), up_to)
        return {"success": True, "by_currency_cents": by_currency, "book_value_cents": value}

    def get_account_statement(
        self, company_id: str, account: str, first_day: str, last_day: str
    ) -> dict[str, Any]:
        """Show what moved an account, with all accounts below it, from one day to another.

        Opening, running and closing balances are in the currency of the company's books; debits
        are positive. Each posted journal that moves the account is one line.

        Args:
            company_id: The company.
            account: Code of an account or of a header.
            first_day: First day that is shown, YYYY-MM-DD.
            last_day: Last day that is shown, YYYY-MM-DD.
        """
        if company_id not in self.companies or account not in self.accounts:
            return _no(f"There is no company {company_id} or no account {account}")
        if not _is_day(first_day) or not _is_day(last_day) or first_day > last_day:
            return _no("Two dates in the form YYYY-MM-DD are needed, the earlier one first")
        codes = self._family(account)
        opening = 0
        lines: list[dict[str, Any]] = []
        for journal_id, journal in self.journals.items():
            if (journal["company_id"], journal["status"]) == (company_id, "posted"):
                moved = sum(self._movement(journal, code) for code in codes)
                value = _rounded(moved, journal["rate_micros"], WHOLE)
                if journal["day"] < first_day:
                    opening += value
                elif moved and journal["day"] <= last_day:
                    lines.append(
                        {
                            "journal_id": journal_id,
                            "day": journal["day"],
                            "document": journal["document"],
                            "currency": journal["currency"],
                            "amount_cents": moved,
                            "book_value_cents": value,
                        }
                    )
        lines.sort(key=lambda row: row["day"])
        running = opening
        for row in lines:
            running += row["book_value_cents"]
            row["running_cents"] = running
        return {
            "success": True,
            "opening_cents": opening,
            "lines": lines,
            "closing_cents": running,
        }

    def check_closing(self, company_id: str, month: str) -> dict[str, Any]:
        """List what has to be done before a company's month can be soft-closed or closed.

        Also says who took the month to its present status.

        Args:
            company_id: The company.
            month: The month, YYYY-MM.
        """
        if f"{company_id}-{month}" not in self.periods:
            return _no(f"There is no period {company_id}-{month}")
        period = self.periods[f"{company_id}-{month}"]
        todo = self._to_do(company_id, month)
        return {"success": True, **period, "to_do": todo}

    def list_journals(
        self,
        company_id: str | None = None,
        month: str | None = None,
        account: str | None = None,
        status: JournalStatus | None = None,
        document: str = "",
    ) -> dict[str, Any]:
        """List journals by date, with total and status; the lines come from get_journal.

        Args:
            company_id: Only journals of this company.
            month: Only journals of this month, YYYY-MM.
            account: Only journals with a line on this account.
            status: Only journals in this status.
            document: Part of the document number, any case.
        """
        found = [
            self._summary(i)
            for i, j in self.journals.items()
            if company_id in (None, j["company_id"])
            and month in (None, j["day"][:7])
            and account in (None, *j["debits"], *j["credits"])
            and status in (None, j["status"])
            and document.lower() in j["document"].lower()
        ]
        return {"success": True, "journals": sorted(found, key=lambda row: row["day"])}

    def get_journal(self, journal_id: str) -> dict[str, Any]:
        """Show a journal with its lines, its value in euros, reversal, pair and bank match.

        Args:
            journal_id: The journal.
        """
        if journal_id not in self.journals:
            return _no(f"There is no journal {journal_id}")
        journal = self.journals[journal_id]
        total = sum(journal["debits"].values())
        match_id = self._match_of(journal_id)
        return {
            "success": True,
            "journal_id": journal_id,
            **journal,
            "euro_cents": self._in_euro(journal["currency"], journal["day"][:7], total),
            "reversed_by": self._reversal_of(journal_id),
            "reversal_awaiting": self._reversal(journal_id, "awaiting"),
            "pair": self._partners(journal_id),
            "matched_line_id": self.matches[match_id]["line_id"] if match_id else None,
        }

    def list_users(self, text: str = "", company_id: str | None = None) -> dict[str, Any]:
        """List users with role, companies and posting limit in euro cents.

        Args:
            text: Part of the name, any case.
            company_id: Only users who keep the books of this company.
        """
        found = [
            {"user_id": i, **u}
            for i, u in self.users.items()
            if text.lower() in u["name"].lower() and company_id in (None, *u["companies"])
        ]
        return {"success": True, "users": found}

    def list_rates(
        self, currency: Currency | None = None, month: str | None = None
    ) -> dict[str, Any]:
        """List rates in millionths of a euro per unit of the currency.

        Args:
            currency: Only this currency.
            month: Only this month, YYYY-MM.
        """
        found = [
            {"rate_id": i, **r}
            for i, r in self.rates.items()
            if currency in (None, r["currency"]) and month in (None, r["month"])
        ]
        return {"success": True, "rates": found}

    def list_templates(self, company_id: str | None = None, text: str = "") -> dict[str, Any]:
        """List recurring bookings with their amounts and the months they were run for.

        Args:
            company_id: Only templates of this company.
            text: Part of the document number, any case.
        """
        found = [
            {"template_id": i, **t}
            for i, t in self.templates.items()
            if company_id in (None, t["company_id"]) and text.lower() in t["document"].lower()
        ]
        return {"success": True, "templates": found}

    def list_statement_lines(
        self,
        bank_id: str | None = None,
        counterparty: str = "",
        unmatched_only: bool = False,
    ) -> dict[str, Any]:
        """List lines of bank statements by date, each with the journal it is matched to.

        Args:
            bank_id: Only lines of this bank account.
            counterparty: Part of the counterparty's name, any case.
            unmatched_only: Leave out the lines that are matched.
        """
        found = []
        for line_id, line in self.statement_lines.items():
            match_id = self._match_of_line(line_id)
            wanted = bank_id in (None, line["bank_id"]) and (
                counterparty.lower() in line["counterparty"].lower()
            )
            if wanted and not (unmatched_only and match_id):
                journal_id = self.matches[match_id]["journal_id"] if match_id else None
                found.append({"line_id": line_id, **line, "journal_id": journal_id})
        return {"success": True, "lines": sorted(found, key=lambda row: row["day"])}

    def check_intercompany(self) -> dict[str, Any]:
        """Show agreements with what was charged under them, and journals that nothing mirrors."""
        agreements = []
        for agreement_id, agreement in self.agreements.items():
            charges = [
                self._summary(i)
                for i, j in self.journals.items()
                if (j["company_id"], j["currency"])
                == (agreement["provider_id"], agreement["currency"])
                and j["pair_id"] is not None
                and agreement["income_account"] in {*j["debits"], *j["credits"]}
                and any(
                    self.journals[other]["company_id"] == agreement["recipient_id"]
                    for other in self._partners(i)
                )
            ]
            agreements.append({"agreement_id": agreement_id, **agreement, "charges": charges})
        one_sided = [self._summary(i) for i in self._one_sided()]
        return {"success": True, "agreements": agreements, "one_sided": one_sided}

    # Changes

    def post_journal(
        self,
        company_id: str,
        day: str,
        document: str,
        currency: Currency,
        debits: dict[str, int],
        credits: dict[str, int],
        prepared_by: str,
    ) -> dict[str, Any]:
        """Book a journal; over the preparer's limit it awaits a second person.

        Args:
            company_id: Whose books.
            day: Booking date, YYYY-MM-DD.
            document: Number of the document that it rests on, such as an invoice number.
            currency: Currency of the amounts.
            debits: Account code -> amount in cents.
            credits: Account code -> amount in cents.
            prepared_by: User who books it.
        """
        if company_id not in self.companies:
            return _no(f"There is no company {company_id}")
        if problem := (
            self._user_problem(prepared_by, company_id)
            or self._period_problem(company_id, day, prepared_by)
            or self._sides_problem(debits, credits)
        ):
            return _no(problem)
        for code in (*debits, *credits):
            if problem := self._account_problem(code, company_id, currency):
                return _no(problem)
        if not document.strip():
            return _no("No booking without a document")
        same = (company_id, document, debits, credits)
        for other_id, other in self.journals.items():
            known = (other["company_id"], other["document"], other["debits"], other["credits"])
            live = other["status"] != "rejected" and self._reversal_of(other_id) is None
            if known == same and live:
                return _no(f"The same booking stands as {other_id}")
        month, total = day[:7], sum(debits.values())
        rate = self._book_rate(company_id, currency, month)
        if rate is None or self._in_euro(currency, month, total) is None:
            return _no(f"A rate for {month} is missing")
        over = self._over_limit(prepared_by, currency, month, total)
        status: JournalStatus = "awaiting" if over else "posted"
        journal_id = self._write(
            company_id, day, document, currency, debits, credits, prepared_by, status, rate
        )
        return {"success": True, "journal_id": journal_id, "status": status}

    def decide_journal(self, journal_id: str, verdict: Verdict, decided_by: str) -> dict[str, Any]:
        """Approve or reject a journal that awaits a second person; a pair is decided together.

        Args:
            journal_id: An awaiting journal, or either half of an awaiting pair.
            verdict: Approve, which posts it, or reject.
            decided_by: Somebody else who keeps these books; to approve, with limit enough.
        """
        if journal_id not in self.journals:
            return _no(f"There is no journal {journal_id}")
        members = [self.journals[i] for i in self._partners(journal_id)]
        journal = self.journals[journal_id]
        if journal["status"] != "awaiting":
            return _no(f"Journal {journal_id} is {journal['status']}")
        if problem := self._user_problem(decided_by, *(m["company_id"] for m in members)):
            return _no(problem)
        if decided_by == journal["prepared_by"]:
            return _no("Nobody decides on a journal of their own")
        if verdict == "approve":
            total = sum(journal["debits"].values())
            if problem := self._over_limit(
                decided_by, journal["currency"], journal["day"][:7], total
            ):
                return _no(problem)
            for member in members:
                if problem := self._period_problem(member["company_id"], member["day"], decided_by):
                    return _no(problem)
        for member in members:
            member["status"] = "posted" if verdict == "approve" else "rejected"
            member["decided_by"] = decided_by
        return {"success": True, "journals": self._partners(journal_id)}

    def reverse_journal(self, journal_id: str, day: str, prepared_by: str) -> dict[str, Any]:
        """Take a posted journal back by one with the sides exchanged; a pair goes together.

        Args:
            journal_id: A posted journal that is neither a reversal, nor reversed, nor matched.
            day: Date of the reversal, YYYY-MM-DD, not before the journal's own.
            prepared_by: User who reverses it; over their limit the reversal awaits approval.
        """
        if journal_id not in self.journals:
            return _no(f"There is no journal {journal_id}")
        members = self._partners(journal_id)
        companies = [self.journals[i]["company_id"] for i in members]
        if problem := self._user_problem(prepared_by, *companies):
            return _no(problem)
        for member_id in members:
            member = self.journals[member_id]
            if member["status"] != "posted" or member["reverses"] is not None:
                return _no(f"Journal {member_id} is {member['status']} or a reversal itself")
            if (reversal_id := self._reversal_under_way(member_id)) is not None:
                standing = self.journals[reversal_id]["status"]
                return _no(f"{reversal_id} reverses journal {member_id} and is {standing}")
            if self._match_of(member_id) is not None:
                return _no(f"Journal {member_id} is matched to a bank statement")
            if problem := self._period_problem(member["company_id"], day, prepared_by):
                return _no(problem)
            if day < member["day"]:
                return _no(f"A reversal is not dated before the journal's own {member['day']}")
        original = self.journals[journal_id]
        total = sum(original["debits"].values())
        over = self._over_limit(prepared_by, original["currency"], original["day"][:7], total)
        status: JournalStatus = "awaiting" if over else "posted"
        pair_id = None
        if len(members) > 1:
            pair_id = f"IC-{self.next_pair}"
            self.next_pair += 1
        created = [self._write_reversal(i, day, prepared_by, status, pair_id) for i in members]
        return {"success": True, "reversals": created, "status": status}

    def post_intercompany(
        self, agreement_id: str, day: str, document: str, amount_cents: int, prepared_by: str
    ) -> dict[str, Any]:
        """Charge a group company: one journal in either's books, mirroring each other.

        Args:
            agreement_id: The agreement, which settles accounts and currency.
            day: Booking date in both books, YYYY-MM-DD.
            document: Number of the provider's invoice.
            amount_cents: How much, in cents of the agreement's currency.
            prepared_by: User who keeps both companies' books.
        """
        if agreement_id not in self.agreements:
            return _no(f"There is no agreement {agreement_id}")
        deal = self.agreements[agreement_id]
        sides = (deal["provider_id"], deal["recipient_id"])
        if problem := self._user_problem(prepared_by, *sides):
            return _no(problem)
        if amount_cents < 1 or not document.strip():
            return _no("A charge has a positive amount and a document")
        for company_id in sides:
            if problem := self._period_problem(company_id, day, prepared_by):
                return _no(problem)
        for other_id, other in self.journals.items():
            standing = other["status"] != "rejected" and self._reversal_of(other_id) is None
            charge = (other["document"], other["company_id"]) == (document, sides[0])
            if charge and standing and other["pair_id"] and other["reverses"] is None:
                return _no(f"Document {document} is charged already in {other_id}")
        currency, month = deal["currency"], day[:7]
        rates = [self._book_rate(company_id, currency, month) for company_id in sides]
        if None in rates or self._rate(currency, month) is None:
            return _no(f"A rate for {month} is missing")
        over = self._over_limit(prepared_by, currency, month, amount_cents)
        status: JournalStatus = "awaiting" if over else "posted"
        entries = (
            ({self.receivable_account: amount_cents}, {deal["income_account"]: amount_cents}),
            ({deal["expense_account"]: amount_cents}, {self.payable_account: amount_cents}),
        )
        pair_id = f"IC-{self.next_pair}"
        self.next_pair += 1
        head = (day, document, currency)
        created = [
            self._write(side, *head, *entry, prepared_by, status, rate or WHOLE, pair_id)
            for side, rate, entry in zip(sides, rates, entries, strict=True)
        ]
        return {"success": True, "journals": created, "status": status}

    def run_template(self, template_id: str, month: str, prepared_by: str) -> dict[str, Any]:
        """Book a recurring entry on the last day of a month, reversed the next day if it says so.

        Args:
            template_id: The template.
            month: The month, YYYY-MM.
            prepared_by: User who runs it; templates are approved, so no limit applies.
        """
        if template_id not in self.templates:
            return _no(f"There is no template {template_id}")
        template = self.templates[template_id]
        company_id = template["company_id"]
        if not _is_month(month):
            return _no(f"{month!r} is not a month in the form YYYY-MM")
        if problem := self._user_problem(prepared_by, company_id):
            return _no(problem)
        if not template["first_month"] <= month <= (template["last_month"] or month):
            return _no(f"Template {template_id} does not run in {month}")
        if month in template["runs"]:
            return _no(f"Template {template_id} was run for {month}")
        end, after = _last_day(month), f"{_neighbour(month, 1)}-01"
        days = [end, after] if template["reversed_next_day"] else [end]
        for day in days:
            if problem := self._period_problem(company_id, day, prepared_by):
                return _no(problem)
        currency = self.companies[company_id]["currency"]
        document, debits, credits = template["document"], template["debits"], template["credits"]
        created = [
            self._write(
                company_id, end, document, currency, debits, credits, prepared_by, "posted", WHOLE
            )
        ]
        if template["reversed_next_day"]:
            created.append(self._write_reversal(created[0], after, prepared_by))
        template["runs"] = sorted([*template["runs"], month])
        return {"success": True, "journals": created}

    def end_template(self, template_id: str, last_month: str, ended_by: str) -> dict[str, Any]:
        """Set the last month for which a recurring entry is booked.

        Args:
            template_id: The template.
            last_month: Its last month, YYYY-MM, not before one that it was run for.
            ended_by: User who keeps these books.
        """
        if template_id not in self.templates:
            return _no(f"There is no template {template_id}")
        template = self.templates[template_id]
        if problem := self._user_problem(ended_by, template["company_id"]):
            return _no(problem)
        if not _is_month(last_month):
            return _no(f"{last_month!r} is not a month in the form YYYY-MM")
        if last_month == template["last_month"]:
            return _no("That is its last month already")
        if last_month < max([template["first_month"], *template["runs"]]):
            return _no(f"Template {template_id} started or was run after {last_month}")
        template["last_month"] = last_month
        template["ended_by"] = ended_by
        return {"success": True, "last_month": last_month}

    def match_line(self, line_id: str, journal_id: str, matched_by: str) -> dict[str, Any]:
        """Match a bank statement line to the posted journal that books it.

        Args:
            line_id: An unmatched line.
            journal_id: A journal that moves the bank's ledger account by the same amount.
            matched_by: User who keeps these books.
        """
        if line_id not in self.statement_lines or journal_id not in self.journals:
            return _no(f"There is no line {line_id} or no journal {journal_id}")
        line, journal = self.statement_lines[line_id], self.journals[journal_id]
        bank = self.banks[line["bank_id"]]
        if problem := self._user_problem(matched_by, bank["company_id"]):
            return _no(problem)
        if self._match_of_line(line_id) or self._match_of(journal_id):
            return _no(f"Line {line_id} or journal {journal_id} is matched already")
        found = (journal["company_id"], journal["status"], journal["currency"])
        if found != (bank["company_id"], "posted", bank["currency"]):
            return _no(f"Journal {journal_id} is not a posted one of this account's company")
        if self._movement(journal, bank["account"]) != line["amount_cents"]:
            return _no(f"Journal {journal_id} does not move {bank['account']} by that amount")
        if self._reversal_under_way(journal_id) is not None or journal["reverses"] is not None:
            return _no(f"Journal {journal_id} is a reversal, or one is posted or awaited for it")
        apart = abs((date.fromisoformat(line["day"]) - date.fromisoformat(journal["day"])).days)
        if apart > MATCH_WINDOW_DAYS:
            return _no(f"{apart} days lie between them; {MATCH_WINDOW_DAYS} at most")
        match_id = f"M-{self.next_match}"
        self.next_match += 1
        self.matches[match_id] = {
            "line_id": line_id,
            "journal_id": journal_id,
            "matched_by": matched_by,
        }
        return {"success": True, "match_id": match_id}

    def unmatch_line(self, line_id: str, unmatched_by: str) -> dict[str, Any]:
        """Undo the match of a statement line whose month is not closed.

        Args:
            line_id: A matched line.
            unmatched_by: User who keeps these books.
        """
        match_id = self._match_of_line(line_id)
        if match_id is None:
            return _no(f"Line {line_id} is not matched")
        line = self.statement_lines[line_id]
        company_id = self.banks[line["bank_id"]]["company_id"]
        if problem := self._user_problem(unmatched_by, company_id):
            return _no(problem)
        period = self.periods[f"{company_id}-{line['day'][:7]}"]
        if period["status"] == "closed":
            return _no(f"Period {company_id}-{line['day'][:7]} is closed")
        match = self.matches.pop(match_id)
        self.unmatchings[f"UM-{self.next_unmatching}"] = {
            "line_id": line_id,
            "journal_id": match["journal_id"],
            "unmatched_by": unmatched_by,
        }
        self.next_unmatching += 1
        return {"success": True, "line_id": line_id}

    def set_period(
        self, company_id: str, month: str, status: PeriodStatus, decided_by: str
    ) -> dict[str, Any]:
        """Soft-close, close or reopen a month of a company.

        Args:
            company_id: The company.
            month: The month, YYYY-MM.
            status: soft_closed for an open month with nothing left to do; closed for a
                soft-closed one after the month before is closed; open for a soft-closed one.
            decided_by: A controller of the company.
        """
        if problem := self._controller_problem(decided_by, company_id):
            return _no(problem)
        period_id = f"{company_id}-{month}"
        if period_id not in self.periods:
            return _no(f"There is no period {period_id}")
        period = self.periods[period_id]
        now = period["status"]
        steps = {"open": ["soft_closed"], "soft_closed": ["open", "closed"], "closed": []}
        if status not in steps[now]:
            return _no(f"Period {period_id} is {now} and cannot become {status}")
        if status != "open":
            if todo := self._to_do(company_id, month):
                first = todo[0]
                return _no(
                    f"Still to do: {first['kind']} {first['record_id']} ({len(todo)} in all)"
                )
            before = self.periods.get(f"{company_id}-{_neighbour(month, -1)}")
            if status == "closed" and before is not None and before["status"] != "closed":
                return _no(f"{before['month']} of {company_id} is {before['status']}")
        period["status"] = status
        if status == "closed":
            period["closed_by"] = decided_by
        else:
            period["soft_closed_by"] = decided_by if status == "soft_closed" else None
            period["reopened_by"] = decided_by if status == "open" else None
        return {"success": True, "status": status}

    def set_rate(
        self, currency: Currency, month: str, eur_micros: int, decided_by: str
    ) -> dict[str, Any]:
        """Enter the rate of a currency for a month, or correct it while no booking rests on it.

        Args:
            currency: A currency other than the euro.
            month: The month, YYYY-MM.
            eur_micros: Millionths of a euro per unit: 234500 for 0.2345 euros.
            decided_by: A controller.
        """
        if problem := self._controller_problem(decided_by):
            return _no(problem)
        if not _is_month(month) or currency == "EUR" or eur_micros < 1:
            return _no("A rate is positive, for a month YYYY-MM and not for the euro")
        rate_id = f"{currency}-{month}"
        if self._rate(currency, month) == eur_micros:
            return _no("That is the rate already")
        if rate_id in self.rates and any(
            j["day"][:7] == month
            and (j["status"], j["reverses"]) in (("posted", None), ("awaiting", None))
            and currency in (j["currency"], self.companies[j["company_id"]]["currency"])
            and j["currency"] != self.companies[j["company_id"]]["currency"]
            for j in self.journals.values()
        ):
            return _no(f"Bookings of {month} use the rate {rate_id}")
        self.rates[rate_id] = {
            "currency": currency,
            "month": month,
            "eur_micros": eur_micros,
            "set_by": decided_by,
        }
        return {"success": True, "rate_id": rate_id}

    def revalue_bank(self, bank_id: str, month: str, prepared_by: str) -> dict[str, Any]:
        """Bring a foreign bank balance to the month's rate on its last day, document REVALUATION.

        Args:
            bank_id: A bank account in another currency than its company's books.
            month: The month, YYYY-MM.
            prepared_by: User who books it; over their limit it awaits approval.
        """
        if bank_id not in self.banks:
            return _no(f"There is no bank account {bank_id}")
        bank = self.banks[bank_id]
        company_id = bank["company_id"]
        if not _is_month(month):
            return _no(f"{month!r} is not a month in the form YYYY-MM")
        end = _last_day(month)
        if problem := (
            self._user_problem(prepared_by, company_id)
            or self._period_problem(company_id, end, prepared_by)
        ):
            return _no(problem)
        gap = self._valuation_gap(bank, month)
        if gap is None:
            return _no(f"A rate for {month} is missing")
        waits = any(
            (j["company_id"], j["document"], j["day"], j["status"])
            == (company_id, "REVALUATION", end, "awaiting")
            and bank["account"] in {*j["debits"], *j["credits"]}
            for j in self.journals.values()
        )
        if gap == 0 or waits:
            return _no(f"{bank_id} is at the rate of {month}, or will be once approved")
        if gap > 0:
            debits, credits = {bank["account"]: gap}, {self.exchange_gain_account: gap}
        else:
            debits, credits = {self.exchange_loss_account: -gap}, {bank["account"]: -gap}
        currency = self.companies[company_id]["currency"]
        over = self._over_limit(prepared_by, currency, month, abs(gap))
        status: JournalStatus = "awaiting" if over else "posted"
        journal_id = self._write(
            company_id, end, "REVALUATION", currency, debits, credits, prepared_by, status, WHOLE
        )
        return {"success": True, "journal_id": journal_id, "gap_cents": gap, "status": status}

    def record_refusal(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record that a request cannot be met.

        period_closed and not_ready_to_close are filed on the period, as in "AB-2026-05";
        already_reversed, own_journal, over_limit and one_sided_intercompany on the journal;
        nothing_to_match on the statement line, already_run on the template, rate_in_use on
        the rate.

        Args:
            record_id: The period, journal, statement line, template or rate.
            reason: Why; own_journal where somebody was to approve a journal of their own,
                over_limit where it is above what somebody else may approve.
        """
        if reason in ("period_closed", "not_ready_to_close"):
            known = record_id in self.periods
        elif reason == "nothing_to_match":
            known = record_id in self.statement_lines
        elif reason == "already_run":
            known = record_id in self.templates
        elif reason == "rate_in_use":
            known = record_id in self.rates
        else:
            known = record_id in self.journals
        if not known:
            return _no(f"{reason} cannot be filed on {record_id}")
        entry: Refusal = {
            "record_id": record_id,
            "reason": reason,
            "refused_on": datetime.now().date().isoformat(),
        }
        if (record_id, reason) in [(r["record_id"], r["reason"]) for r in self.refusals.values()]:
            return _no("That is on record already")
        refusal_id = f"R-{self.next_refusal}"
        self.next_refusal += 1
        self.refusals[refusal_id] = entry
        return {"success": True, "refusal_id": refusal_id}
