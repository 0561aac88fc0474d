"""Purchasing desk: requisitions, approvals, budgets, contracts, orders, receipts and invoices."""

from collections.abc import Container
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

Role = Literal["employee", "buyer", "storekeeper", "accountant"]
RequisitionStatus = Literal["submitted", "approved", "rejected", "ordered"]
OrderStatus = Literal["open", "cancelled"]
InvoiceStatus = Literal["open", "disputed", "matched"]
Mismatch = Literal["price", "quantity", "wrong_supplier", "duplicate"]
ReturnReason = Literal["damaged", "wrong_article", "surplus"]
Settlement = Literal["replace", "credit"]
RefusalReason = Literal[
    "own_request",
    "not_in_chain",
    "budget_exhausted",
    "split_order",
    "lead_time",
    "ceiling_reached",
    "supplier_blocked",
    "quotes_missing",
    "goods_received",
    "nothing_to_credit",
    "delegation_not_allowed",
]

# Every amount is in euro cents, every day YYYY-MM-DD.
QUOTES_ABOVE_CENTS = 500_000
QUOTES_NEEDED = 3
TOLERANCE_PERCENT = 2
TOLERANCE_CENTS = 5_000
SPLIT_DAYS = 7
DELEGATION_DAYS = 30


class Person(TypedDict):
    name: str
    role: Role
    manager_id: str | None
    cost_centre_id: str
    limit_cents: int  # up to what value the person's approval is the last one


class Delegation(TypedDict):
    from_id: str
    to_id: str
    starts_on: str
    ends_on: str


class CostCentre(TypedDict):
    name: str
    head_id: str
    budget_cents: int
    spent_earlier_cents: int  # before the invoices that are on file here


class Supplier(TypedDict):
    name: str
    city: str
    status: Literal["active", "blocked"]


class Article(TypedDict):
    name: str
    unit: str
    list_price_cents: int
    lead_days: int


class Tier(TypedDict):
    from_units: int
    price_cents: int


class Contract(TypedDict):
    supplier_id: str
    article_id: str
    valid_from: str
    valid_to: str
    ceiling_cents: int
    called_off_earlier_cents: int
    tiers: list[Tier]


class Quote(TypedDict):
    requisition_id: str
    supplier_id: str
    price_cents: int
    valid_until: str


class Requisition(TypedDict):
    requester_id: str
    cost_centre_id: str
    article_id: str
    units: int
    needed_by: str
    value_cents: int
    submitted_on: str
    status: RequisitionStatus


class Approval(TypedDict):
    requisition_id: str
    approver_id: str  # whose place in the chain it is
    decided_by: str
    decision: Literal["approve", "reject"]
    decided_on: str


class Order(TypedDict):
    requisition_id: str
    supplier_id: str
    contract_id: str | None
    buyer_id: str
    units: int
    price_cents: int
    ordered_on: str
    status: OrderStatus


class Receipt(TypedDict):
    order_id: str
    units: int
    received_by: str
    received_on: str


class Return(TypedDict):
    order_id: str
    units: int
    reason: ReturnReason
    settlement: Settlement
    returned_on: str


class Invoice(TypedDict):
    supplier_id: str
    order_id: str
    number: str
    units: int
    price_cents: int
    status: InvoiceStatus
    mismatch: Mismatch | None
    accountant_id: str | None


class CreditNote(TypedDict):
    invoice_id: str
    ground: Literal["price", "return"]
    amount_cents: int
    booked_on: str


class Refusal(TypedDict):
    record_id: str
    reason: RefusalReason
    refused_on: str


def _refuse(*findings: str) -> dict[str, Any]:
    return {"success": False, "error": "; ".join(findings)}


def _unreadable(day: str) -> list[str]:
    """Return a finding where a text is no day, and nothing otherwise."""
    try:
        readable = str(date.fromisoformat(day)) == day
    except ValueError:
        readable = False
    return [] if readable else [f"{day!r} should be a day such as 2026-01-31"]


def _price_at(contract: Contract, units: int) -> int | None:
    """Price of the highest tier that so many units reach, or None below the first."""
    reached = [tier for tier in contract["tiers"] if tier["from_units"] <= units]
    return max(reached, key=lambda tier: tier["from_units"])["price_cents"] if reached else None


class ProcurementDesk:
    """Purchasing system of a company, from the requisition to the matched invoice."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.people: dict[str, Person] = {}
        self.delegations: dict[str, Delegation] = {}
        self.cost_centres: dict[str, CostCentre] = {}
        self.suppliers: dict[str, Supplier] = {}
        self.articles: dict[str, Article] = {}
        self.contracts: dict[str, Contract] = {}
        self.quotes: dict[str, Quote] = {}
        self.requisitions: dict[str, Requisition] = {}
        self.approvals: dict[str, Approval] = {}
        self.orders: dict[str, Order] = {}
        self.receipts: dict[str, Receipt] = {}
        self.returns: dict[str, Return] = {}
        self.invoices: dict[str, Invoice] = {}
        self.credit_notes: dict[str, CreditNote] = {}
        self.refusals: dict[str, Refusal] = {}
        self.counters: dict[str, int] = {}

    def _today(self) -> str:
        return str(datetime.now().date())

    def _number(self, prefix: str) -> str:
        """Give out the next number of a kind of document."""
        self.counters[prefix] += 1
        return f"{prefix}-{self.counters[prefix]}"

    # Who may decide

    def _managers(self, person_id: str) -> list[str]:
        """The line of managers above a person, the nearest first."""
        line: list[str] = []
        manager_id = self.people[person_id]["manager_id"]
        while manager_id is not None:
            line.append(manager_id)
            manager_id = self.people[manager_id]["manager_id"]
        return line

    def _chain(self, requisition: Requisition) -> list[str]:
        """Those who have to approve, in order: managers upwards until a limit covers the value."""
        chain: list[str] = []
        for manager_id in self._managers(requisition["requester_id"]):
            chain.append(manager_id)
            if self.people[manager_id]["limit_cents"] >= requisition["value_cents"]:
                break
        return chain

    def _given(self, requisition_id: str) -> list[Approval]:
        return [a for a in self.approvals.values() if a["requisition_id"] == requisition_id]

    def _next_approver(self, requisition_id: str) -> str | None:
        chain = self._chain(self.requisitions[requisition_id])
        given = len(self._given(requisition_id))
        waiting = self.requisitions[requisition_id]["status"] == "submitted"
        return chain[given] if waiting and given < len(chain) else None

    def _stands_in(self, decider_id: str, approver_id: str) -> bool:
        today = self._today()
        return any(
            (d["from_id"], d["to_id"]) == (approver_id, decider_id)
            and d["starts_on"] <= today <= d["ends_on"]
            for d in self.delegations.values()
        )

    def _without_role(self, person_id: str, role: Role) -> list[str]:
        person = self.people.get(person_id)
        if person is None or person["role"] != role:
            return [f"{person['name'] if person else person_id} is no {role}"]
        return []

    def _hands(self, requisition_id: str) -> dict[str, str]:
        """Who has had a part in a purchase so far, and which."""
        hands = {self.requisitions[requisition_id]["requester_id"]: "requested it"}
        hands |= {a["decided_by"]: "approved it" for a in self._given(requisition_id)}
        for order_id, order in self.orders.items():
            if order["requisition_id"] == requisition_id:
                hands[order["buyer_id"]] = "ordered it"
                hands |= {
                    r["received_by"]: "took it in"
                    for r in self.receipts.values()
                    if r["order_id"] == order_id
                }
        return hands

    def _involved(self, person_id: str, requisition_id: str) -> list[str]:
        part = self._hands(requisition_id).get(person_id)
        return [] if part is None else [f"{self.people[person_id]['name']} {part}"]

    # Goods and money

    def _net_received(self, order_id: str) -> int:
        taken_in = sum(r["units"] for r in self.receipts.values() if r["order_id"] == order_id)
        sent_back = sum(r["units"] for r in self.returns.values() if r["order_id"] == order_id)
        return taken_in - sent_back

    def _still_to_come(self, order_id: str) -> int:
        given_up = sum(
            r["units"]
            for r in self.returns.values()
            if (r["order_id"], r["settlement"]) == (order_id, "credit")
        )
        return self.orders[order_id]["units"] - given_up - self._net_received(order_id)

    def _matched_units(self, order_id: str) -> int:
        """Units of an order that are on matched invoices and were not credited as returned."""
        units = 0
        for invoice_id, invoice in self.invoices.items():
            if (invoice["order_id"], invoice["status"]) == (order_id, "matched"):
                credited = self._credited(invoice_id, "return")
                units += invoice["units"] - credited // invoice["price_cents"]
        return units

    def _credited(self, invoice_id: str, ground: str) -> int:
        return sum(
            note["amount_cents"]
            for note in self.credit_notes.values()
            if (note["invoice_id"], note["ground"]) == (invoice_id, ground)
        )

    def _spent(self, cost_centre_id: str) -> int:
        spent = self.cost_centres[cost_centre_id]["spent_earlier_cents"]
        for invoice_id, invoice in self.invoices.items():
            requisition = self.requisitions[self.orders[invoice["order_id"]]["requisition_id"]]
            charged = requisition["cost_centre_id"] == cost_centre_id
            if invoice["status"] == "matched" and charged:
                credits = self._credited(invoice_id, "price") + self._credited(invoice_id, "return")
                spent += invoice["units"] * invoice["price_cents"] - credits
        return spent

    def _committed(self, cost_centre_id: str) -> int:
        """What is promised but not invoiced: approved requisitions, and orders to their end."""
        committed = sum(
            r["value_cents"]
            for r in self.requisitions.values()
            if r["cost_centre_id"] == cost_centre_id and r["status"] == "approved"
        )
        for order_id, order in self.orders.items():
            charged = self.requisitions[order["requisition_id"]]["cost_centre_id"]
            if order["status"] == "open" and charged == cost_centre_id:
                due = self._still_to_come(order_id) + self._net_received(order_id)
                committed += max(0, due - self._matched_units(order_id)) * order["price_cents"]
        return committed

    def _free(self, cost_centre_id: str) -> int:
        budget = self.cost_centres[cost_centre_id]["budget_cents"]
        return budget - self._spent(cost_centre_id) - self._committed(cost_centre_id)

    def _called_off(self, contract_id: str) -> int:
        ordered = sum(
            order["units"] * order["price_cents"]
            for order in self.orders.values()
            if (order["contract_id"], order["status"]) == (contract_id, "open")
        )
        return self.contracts[contract_id]["called_off_earlier_cents"] + ordered

    # Where to buy

    def _contract_prices(self, article_id: str, units: int) -> dict[str, int]:
        """Unit prices of the contracts that can take such an order today."""
        prices: dict[str, int] = {}
        for contract_id, contract in self.contracts.items():
            price = _price_at(contract, units)
            if (
                price is not None
                and contract["article_id"] == article_id
                and contract["valid_from"] <= self._today() <= contract["valid_to"]
                and self.suppliers[contract["supplier_id"]]["status"] == "active"
                and self._called_off(contract_id) + units * price <= contract["ceiling_cents"]
            ):
                prices[contract_id] = price
        return prices

    def _valid_quotes(self, requisition_id: str) -> dict[str, int]:
        """Unit prices by supplier of the quotes that still hold, blocked suppliers left out."""
        return {
            quote["supplier_id"]: quote["price_cents"]
            for quote in self.quotes.values()
            if quote["requisition_id"] == requisition_id
            and quote["valid_until"] >= self._today()
            and self.suppliers[quote["supplier_id"]]["status"] == "active"
        }

    def _unit_price(
        self, requisition_id: str, supplier_id: str, contract_id: str | None
    ) -> tuple[int, list[str]]:
        """The price at which a requisition may be ordered like this, and what forbids it."""
        requisition = self.requisitions[requisition_id]
        contracts = self._contract_prices(requisition["article_id"], requisition["units"])
        if contracts:
            best = min(contracts, key=lambda i: contracts[i])
            if contract_id not in contracts:
                return 0, [f"Call it off from a contract that can take it: {', '.join(contracts)}"]
            if self.contracts[contract_id]["supplier_id"] != supplier_id:
                return 0, [f"{contract_id} is with another supplier"]
            if contracts[contract_id] > contracts[best]:
                return 0, [f"{best} has a lower price for {requisition['units']} units"]
            return contracts[contract_id], []
        if contract_id is not None:
            return 0, [f"{contract_id} cannot take it: article, validity, supplier or ceiling"]
        quotes = self._valid_quotes(requisition_id)
        needed = QUOTES_NEEDED if requisition["value_cents"] > QUOTES_ABOVE_CENTS else 1
        if len(quotes) < needed:
            return 0, [f"{len(quotes)} of {needed} valid quotes of suppliers who are not blocked"]
        if quotes.get(supplier_id) != min(quotes.values()):
            return 0, [f"The lowest valid quote is {min(quotes.values())} cents a unit"]
        return quotes[supplier_id], []

    # Invoices against orders and receipts

    def _mismatches(self, invoice_id: str) -> list[Mismatch]:
        """What keeps an invoice from being matched, the gravest first."""
        invoice = self.invoices[invoice_id]
        order = self.orders[invoice["order_id"]]
        found: list[Mismatch] = []
        for other_id, other in self.invoices.items():
            same = (other["supplier_id"], other["number"])
            if (
                other_id != invoice_id
                and same == (invoice["supplier_id"], invoice["number"])
                and other["status"] == "matched"
            ):
                found.append("duplicate")
        if invoice["supplier_id"] != order["supplier_id"]:
            found.append("wrong_supplier")
        covered = self._net_received(invoice["order_id"]) - self._matched_units(invoice["order_id"])
        if invoice["units"] > covered:
            found.append("quantity")
        excess = (invoice["price_cents"] - order["price_cents"]) * invoice["units"]
        excess -= self._credited(invoice_id, "price")
        allowed = order["price_cents"] * invoice["units"] * TOLERANCE_PERCENT // 100
        if excess > min(allowed, TOLERANCE_CENTS):
            found.append("price")
        return found

    def _credit_due(self, invoice_id: str, ground: str) -> int:
        """What a supplier still owes on an invoice, for its price or for returned goods."""
        invoice = self.invoices[invoice_id]
        order_id = invoice["order_id"]
        if ground == "price":
            excess = invoice["price_cents"] - self.orders[order_id]["price_cents"]
            disputed = invoice["mismatch"] == "price"
            return excess * invoice["units"] - self._credited(invoice_id, ground) if disputed else 0
        if invoice["status"] != "matched":
            return 0
        given_up = sum(
            r["units"]
            for r in self.returns.values()
            if (r["order_id"], r["settlement"]) == (order_id, "credit")
        )
        for other_id, other in self.invoices.items():
            if other["order_id"] == order_id:
                given_up -= self._credited(other_id, ground) // other["price_cents"]
        too_many = self._matched_units(order_id) - self._net_received(order_id)
        left = invoice["units"] - self._credited(invoice_id, ground) // invoice["price_cents"]
        return max(0, min(given_up, too_many, left)) * invoice["price_cents"]

    # Queries

    def find_people(self, text: str = "", role: Role | None = None) -> dict[str, Any]:
        """Find people with role, manager, cost centre and approval limit.

        Args:
            text: Part of the name, any case; empty for all.
            role: Only people with this role.
        """
        rows = [
            {"person_id": person_id, **person}
            for person_id, person in self.people.items()
            if text.lower() in person["name"].lower() and role in (None, person["role"])
        ]
        return {"success": True, "people": rows}

    def list_delegations(self, active: bool | None = None) -> dict[str, Any]:
        """List delegations of approvals.

        Args:
            active: Only those that hold today, or only those that do not.
        """
        rows = []
        for delegation_id, delegation in self.delegations.items():
            holds = delegation["starts_on"] <= self._today() <= delegation["ends_on"]
            if active in (None, holds):
                rows.append({"delegation_id": delegation_id, **delegation, "active": holds})
        return {"success": True, "delegations": rows}

    def list_cost_centres(self, text: str = "") -> dict[str, Any]:
        """List cost centres with budget, spent, committed and free money.

        Args:
            text: Part of the name, any case; empty for all.
        """
        rows = [
            {
                "cost_centre_id": centre_id,
                "name": centre["name"],
                "head_id": centre["head_id"],
                "budget_cents": centre["budget_cents"],
                "spent_cents": self._spent(centre_id),
                "committed_cents": self._committed(centre_id),
                "free_cents": self._free(centre_id),
            }
            for centre_id, centre in self.cost_centres.items()
            if text.lower() in centre["name"].lower()
        ]
        return {"success": True, "cost_centres": rows}

    def search_suppliers(self, text: str = "") -> dict[str, Any]:
        """Find suppliers by part of their name or city, any case.

        Args:
            text: What to look for; empty for all.
        """
        rows = [
            {"supplier_id": supplier_id, **supplier}
            for supplier_id, supplier in self.suppliers.items()
            if text.lower() in f"{supplier['name']} {supplier['city']}".lower()
        ]
        return {"success": True, "suppliers": rows}

    def search_articles(self, text: str = "") -> dict[str, Any]:
        """Find articles by part of their name, with list price and lead time in days.

        Args:
            text: What to look for, any case; empty for all.
        """
        rows = [
            {"article_id": article_id, **article}
            for article_id, article in self.articles.items()
            if text.lower() in article["name"].lower()
        ]
        return {"success": True, "articles": rows}

    def list_contracts(
        self, article_id: str | None = None, supplier_id: str | None = None
    ) -> dict[str, Any]:
        """List framework contracts with price tiers, ceiling and what is left of it.

        Args:
            article_id: Only contracts for this article.
            supplier_id: Only contracts with this supplier.
        """
        rows = [
            {
                "contract_id": contract_id,
                **contract,
                "left_cents": contract["ceiling_cents"] - self._called_off(contract_id),
                "supplier_status": self.suppliers[contract["supplier_id"]]["status"],
            }
            for contract_id, contract in self.contracts.items()
            if article_id in (None, contract["article_id"])
            and supplier_id in (None, contract["supplier_id"])
        ]
        return {"success": True, "contracts": rows}

    def list_requisitions(
        self, status: RequisitionStatus | None = None, cost_centre_id: str | None = None
    ) -> dict[str, Any]:
        """List requisitions with the person whose approval is next.

        Args:
            status: Only requisitions in this status.
            cost_centre_id: Only requisitions of this cost centre.
        """
        rows = [
            {
                "requisition_id": requisition_id,
                **requisition,
                "article": self.articles[requisition["article_id"]]["name"],
                "next_approver_id": self._next_approver(requisition_id),
            }
            for requisition_id, requisition in self.requisitions.items()
            if status in (None, requisition["status"])
            and cost_centre_id in (None, requisition["cost_centre_id"])
        ]
        return {"success": True, "requisitions": rows}

    def get_requisition(self, requisition_id: str) -> dict[str, Any]:
        """Show a requisition with its approval chain, approvals, quotes and refusals.

        Args:
            requisition_id: The requisition.
        """
        if requisition_id not in self.requisitions:
            return _refuse(f"No requisition {requisition_id}")
        requisition = self.requisitions[requisition_id]
        return {
            "success": True,
            "requisition_id": requisition_id,
            **requisition,
            "requester": self.people[requisition["requester_id"]]["name"],
            "chain": self._chain(requisition),
            "approvals": self._given(requisition_id),
            "quotes": [q for q in self.quotes.values() if q["requisition_id"] == requisition_id],
            "refusals": [r for r in self.refusals.values() if r["record_id"] == requisition_id],
        }

    def list_orders(
        self, supplier_id: str | None = None, status: OrderStatus | None = None
    ) -> dict[str, Any]:
        """List purchase orders with what has been taken in and what is still to come.

        Args:
            supplier_id: Only orders with this supplier.
            status: Only orders in this status.
        """
        rows = [
            {
                "order_id": order_id,
                **order,
                "article_id": self.requisitions[order["requisition_id"]]["article_id"],
                "net_received": self._net_received(order_id),
                "still_to_come": self._still_to_come(order_id),
            }
            for order_id, order in self.orders.items()
            if supplier_id in (None, order["supplier_id"]) and status in (None, order["status"])
        ]
        return {"success": True, "orders": rows}

    def get_order(self, order_id: str) -> dict[str, Any]:
        """Show an order with its receipts, returns, invoices and everybody who had a hand in it.

        Args:
            order_id: The order.
        """
        if order_id not in self.orders:
            return _refuse(f"No order {order_id}")
        order = self.orders[order_id]
        return {
            "success": True,
            "order_id": order_id,
            **order,
            "supplier": self.suppliers[order["supplier_id"]]["name"],
            "article": self.articles[self.requisitions[order["requisition_id"]]["article_id"]][
                "name"
            ],
            "receipts": [r for r in self.receipts.values() if r["order_id"] == order_id],
            "returns": [r for r in self.returns.values() if r["order_id"] == order_id],
            "invoices": [i for i, v in self.invoices.items() if v["order_id"] == order_id],
            "hands": self._hands(order["requisition_id"]),
        }

    def list_invoices(
        self, supplier_id: str | None = None, status: InvoiceStatus | None = None
    ) -> dict[str, Any]:
        """List invoices with their total and credit notes.

        Args:
            supplier_id: Only invoices from this supplier.
            status: Only invoices in this status.
        """
        rows = [
            {
                "invoice_id": invoice_id,
                **invoice,
                "total_cents": invoice["units"] * invoice["price_cents"],
                "credit_notes": [
                    n for n in self.credit_notes.values() if n["invoice_id"] == invoice_id
                ],
            }
            for invoice_id, invoice in self.invoices.items()
            if supplier_id in (None, invoice["supplier_id"]) and status in (None, invoice["status"])
        ]
        return {"success": True, "invoices": rows}

    def list_refusals(
        self, record_id: str | None = None, reason: RefusalReason | None = None
    ) -> dict[str, Any]:
        """List requests that were turned down, with the record that each is filed on.

        Args:
            record_id: Only refusals on this person, requisition, order, invoice or supplier.
            reason: Only refusals for this reason.
        """
        rows = [
            {"refusal_id": refusal_id, **refusal}
            for refusal_id, refusal in self.refusals.items()
            if record_id in (None, refusal["record_id"]) and reason in (None, refusal["reason"])
        ]
        return {"success": True, "refusals": rows}

    # Requesting and approving

    def submit_requisition(
        self, requester_id: str, article_id: str, units: int, needed_by: str
    ) -> dict[str, Any]:
        """Submit a requisition on the requester's cost centre.

        Its value is the best contract price of today for the units, or else the list price.

        Args:
            requester_id: Who needs it.
            article_id: The article.
            units: How many units, at least 1.
            needed_by: Day by which it is needed, YYYY-MM-DD.
        """
        if requester_id not in self.people or article_id not in self.articles:
            return _refuse(f"No person {requester_id} or no article {article_id}")
        findings = _unreadable(needed_by)
        lead = timedelta(days=self.articles[article_id]["lead_days"])
        earliest = str(datetime.now().date() + lead)
        if needed_by < earliest:
            findings.append(f"It can be here on {earliest} at the earliest")
        if units < 1:
            findings.append("Order one unit or more")
        since = str(datetime.now().date() - timedelta(days=SPLIT_DAYS))
        findings += [
            f"{requisition_id} asks for the same since {r['submitted_on']}: orders are not split"
            for requisition_id, r in self.requisitions.items()
            if (r["requester_id"], r["article_id"]) == (requester_id, article_id)
            and r["status"] != "rejected"
            and r["submitted_on"] > since
        ]
        if findings:
            return _refuse(*findings)
        prices = self._contract_prices(article_id, units)
        price = min(prices.values(), default=self.articles[article_id]["list_price_cents"])
        requisition_id = self._number("REQ")
        self.requisitions[requisition_id] = {
            "requester_id": requester_id,
            "cost_centre_id": self.people[requester_id]["cost_centre_id"],
            "article_id": article_id,
            "units": units,
            "needed_by": needed_by,
            "value_cents": units * price,
            "submitted_on": self._today(),
            "status": "submitted",
        }
        return {
            "success": True,
            "requisition_id": requisition_id,
            "value_cents": units * price,
            "chain": self._chain(self.requisitions[requisition_id]),
        }

    def decide_requisition(
        self, requisition_id: str, decider_id: str, decision: Literal["approve", "reject"]
    ) -> dict[str, Any]:
        """Take the next decision of an approval chain; the last approval commits the money.

        Args:
            requisition_id: A submitted requisition.
            decider_id: The next approver, or somebody to whom they have delegated.
            decision: Approve, or reject for good.
        """
        if requisition_id not in self.requisitions:
            return _refuse(f"No requisition {requisition_id}")
        requisition = self.requisitions[requisition_id]
        approver_id = self._next_approver(requisition_id)
        if approver_id is None:
            return _refuse(f"Nobody has to decide on {requisition_id}: {requisition['status']}")
        if decider_id == requisition["requester_id"]:
            return _refuse("Nobody decides on a requisition of their own")
        if decider_id != approver_id and not self._stands_in(decider_id, approver_id):
            return _refuse(f"The decision is with {approver_id} or a delegate of theirs")
        last = approver_id == self._chain(requisition)[-1]
        value, centre_id = requisition["value_cents"], requisition["cost_centre_id"]
        if decision == "approve" and last:
            if self.people[approver_id]["limit_cents"] < value:
                return _refuse(f"Nobody's limit covers {value} cents: it can only be rejected")
            if (free := self._free(centre_id)) < value:
                return _refuse(f"{centre_id} has {free} cents free, the value is {value}")
        self.approvals[self._number("APP")] = {
            "requisition_id": requisition_id,
            "approver_id": approver_id,
            "decided_by": decider_id,
            "decision": decision,
            "decided_on": self._today(),
        }
        if decision == "reject":
            requisition["status"] = "rejected"
        elif last:
            requisition["status"] = "approved"
        return {
            "success": True,
            "status": requisition["status"],
            "next_approver_id": self._next_approver(requisition_id),
        }

    def delegate_approval(
        self, from_id: str, to_id: str, starts_on: str, ends_on: str
    ) -> dict[str, Any]:
        """Let somebody decide in an approver's place for some days.

        Args:
            from_id: The approver who will be away.
            to_id: Who decides instead.
            starts_on: First day, YYYY-MM-DD.
            ends_on: Last day, YYYY-MM-DD.
        """
        if from_id not in self.people or to_id not in self.people or from_id == to_id:
            return _refuse(f"{from_id} and {to_id} are not two people on file")
        findings = _unreadable(starts_on) + _unreadable(ends_on)
        if findings:
            return _refuse(*findings)
        if not self._today() <= starts_on <= ends_on:
            findings.append("It runs from today or later, and does not end before it starts")
        if (date.fromisoformat(ends_on) - date.fromisoformat(starts_on)).days >= DELEGATION_DAYS:
            findings.append(f"It lasts {DELEGATION_DAYS} days at most")
        if self.people[from_id]["limit_cents"] == 0 or self.people[to_id]["limit_cents"] == 0:
            findings.append("Only approvers delegate, and only to approvers")
        if from_id in self._managers(to_id):
            findings.append("Nobody delegates to those who report to them, at any level")
        findings += [
            f"{delegation_id} covers some of these days"
            for delegation_id, d in self.delegations.items()
            if d["from_id"] == from_id and d["starts_on"] <= ends_on and starts_on <= d["ends_on"]
        ]
        if findings:
            return _refuse(*findings)
        delegation_id = self._number("DEL")
        self.delegations[delegation_id] = {
            "from_id": from_id,
            "to_id": to_id,
            "starts_on": starts_on,
            "ends_on": ends_on,
        }
        return {"success": True, "delegation_id": delegation_id}

    def transfer_budget(
        self, from_cost_centre_id: str, to_cost_centre_id: str, amount_cents: int
    ) -> dict[str, Any]:
        """Move free budget between two cost centres of the same head.

        Args:
            from_cost_centre_id: Where it is taken from.
            to_cost_centre_id: Where it goes.
            amount_cents: How much, in cents.
        """
        giver = self.cost_centres.get(from_cost_centre_id)
        taker = self.cost_centres.get(to_cost_centre_id)
        if giver is None or taker is None or giver is taker:
            return _refuse(f"{from_cost_centre_id} and {to_cost_centre_id} are not two on file")
        if giver["head_id"] != taker["head_id"]:
            return _refuse("The two have different heads")
        free = self._free(from_cost_centre_id)
        if not 1 <= amount_cents <= free:
            return _refuse(f"{from_cost_centre_id} has {free} cents free")
        giver["budget_cents"] -= amount_cents
        taker["budget_cents"] += amount_cents
        return {
            "success": True,
            "left_free_cents": self._free(from_cost_centre_id),
            "now_free_cents": self._free(to_cost_centre_id),
        }

    # Ordering and taking in

    def place_order(
        self, requisition_id: str, supplier_id: str, buyer_id: str, contract_id: str | None = None
    ) -> dict[str, Any]:
        """Order what an approved requisition asks for, in one order.

        Args:
            requisition_id: An approved requisition.
            supplier_id: The supplier.
            buyer_id: The buyer, who has had no other part in the purchase.
            contract_id: The contract that it is called off from; left out when ordered on a quote.
        """
        if requisition_id not in self.requisitions or supplier_id not in self.suppliers:
            return _refuse(f"No requisition {requisition_id} or no supplier {supplier_id}")
        requisition, supplier = self.requisitions[requisition_id], self.suppliers[supplier_id]
        if requisition["status"] != "approved":
            return _refuse(f"{requisition_id} is {requisition['status']}, not approved")
        findings = self._without_role(buyer_id, "buyer") or self._involved(buyer_id, requisition_id)
        if supplier["status"] == "blocked":
            findings.append(f"{supplier['name']} is blocked")
        price, forbidden = self._unit_price(requisition_id, supplier_id, contract_id)
        findings += forbidden
        if price * requisition["units"] > requisition["value_cents"]:
            findings.append(f"It costs more than the {requisition['value_cents']} cents approved")
        if findings:
            return _refuse(*findings)
        order_id = self._number("PO")
        self.orders[order_id] = {
            "requisition_id": requisition_id,
            "supplier_id": supplier_id,
            "contract_id": contract_id,
            "buyer_id": buyer_id,
            "units": requisition["units"],
            "price_cents": price,
            "ordered_on": self._today(),
            "status": "open",
        }
        requisition["status"] = "ordered"
        total = price * requisition["units"]
        return {"success": True, "order_id": order_id, "price_cents": price, "total_cents": total}

    def cancel_order(self, order_id: str) -> dict[str, Any]:
        """Cancel an order of which nothing has come; its requisition can be ordered anew.

        Args:
            order_id: An open order.
        """
        if order_id not in self.orders or self.orders[order_id]["status"] == "cancelled":
            return _refuse(f"No open order {order_id}")
        if any(r["order_id"] == order_id for r in self.receipts.values()):
            return _refuse(f"Goods of {order_id} have been received, so the order stands")
        self.orders[order_id]["status"] = "cancelled"
        requisition_id = self.orders[order_id]["requisition_id"]
        self.requisitions[requisition_id]["status"] = "approved"
        return {"success": True, "requisition_id": requisition_id}

    def record_receipt(self, order_id: str, units: int, storekeeper_id: str) -> dict[str, Any]:
        """Take goods in.

        Args:
            order_id: An open order.
            units: How many units have come, at most those still to come.
            storekeeper_id: The storekeeper, who is not the one who requested them.
        """
        if order_id not in self.orders or self.orders[order_id]["status"] == "cancelled":
            return _refuse(f"No open order {order_id}")
        findings = self._without_role(storekeeper_id, "storekeeper")
        if (
            storekeeper_id
            == self.requisitions[self.orders[order_id]["requisition_id"]]["requester_id"]
        ):
            findings.append("Nobody takes in what they requested")
        if not 1 <= units <= self._still_to_come(order_id):
            findings.append(f"{self._still_to_come(order_id)} units are still to come")
        if findings:
            return _refuse(*findings)
        self.receipts[self._number("GR")] = {
            "order_id": order_id,
            "units": units,
            "received_by": storekeeper_id,
            "received_on": self._today(),
        }
        return {"success": True, "still_to_come": self._still_to_come(order_id)}

    def return_goods(
        self, order_id: str, units: int, reason: ReturnReason, settlement: Settlement
    ) -> dict[str, Any]:
        """Send goods back to the supplier.

        Args:
            order_id: The order.
            units: How many units, at most those that are here.
            reason: Why; surplus goods are not replaced.
            settlement: Whether the supplier replaces the units or credits them.
        """
        if order_id not in self.orders:
            return _refuse(f"No order {order_id}")
        if not 1 <= units <= self._net_received(order_id):
            return _refuse(f"{self._net_received(order_id)} units of {order_id} are here")
        if (reason, settlement) == ("surplus", "replace"):
            return _refuse("Surplus goods are not replaced")
        self.returns[self._number("RET")] = {
            "order_id": order_id,
            "units": units,
            "reason": reason,
            "settlement": settlement,
            "returned_on": self._today(),
        }
        return {"success": True, "still_to_come": self._still_to_come(order_id)}

    # Invoices

    def match_invoice(self, invoice_id: str, accountant_id: str) -> dict[str, Any]:
        """Pass an invoice that agrees with its order and with what was taken in.

        Args:
            invoice_id: An open or disputed invoice.
            accountant_id: The accountant, who has had no other part in the purchase.
        """
        if invoice_id not in self.invoices or self.invoices[invoice_id]["status"] == "matched":
            return _refuse(f"No invoice {invoice_id} waits to be matched")
        invoice = self.invoices[invoice_id]
        requisition_id = self.orders[invoice["order_id"]]["requisition_id"]
        findings = self._without_role(accountant_id, "accountant")
        findings = findings or self._involved(accountant_id, requisition_id)
        if self.suppliers[invoice["supplier_id"]]["status"] == "blocked":
            findings.append(f"{self.suppliers[invoice['supplier_id']]['name']} is blocked")
        findings += [f"Mismatch: {mismatch}" for mismatch in self._mismatches(invoice_id)]
        if findings:
            return _refuse(*findings)
        invoice["status"] = "matched"
        invoice["accountant_id"] = accountant_id
        return {"success": True, "total_cents": invoice["units"] * invoice["price_cents"]}

    def dispute_invoice(
        self, invoice_id: str, mismatch: Mismatch, accountant_id: str
    ) -> dict[str, Any]:
        """Dispute an open invoice with its supplier.

        Args:
            invoice_id: An open invoice.
            mismatch: The gravest thing that is wrong with it: duplicate, wrong_supplier,
                quantity, price, in this order.
            accountant_id: The accountant, who has had no other part in the purchase.
        """
        if invoice_id not in self.invoices or self.invoices[invoice_id]["status"] != "open":
            return _refuse(f"No open invoice {invoice_id}")
        invoice = self.invoices[invoice_id]
        requisition_id = self.orders[invoice["order_id"]]["requisition_id"]
        findings = self._without_role(accountant_id, "accountant")
        findings = findings or self._involved(accountant_id, requisition_id)
        found = self._mismatches(invoice_id)
        if mismatch not in found[:1]:
            findings.append(f"The gravest mismatch of {invoice_id} is {(*found, 'none')[0]}")
        if findings:
            return _refuse(*findings)
        invoice["status"] = "disputed"
        invoice["mismatch"] = mismatch
        invoice["accountant_id"] = accountant_id
        return {"success": True, "supplier_id": invoice["supplier_id"]}

    def book_credit_note(
        self, invoice_id: str, ground: Literal["price", "return"], amount_cents: int
    ) -> dict[str, Any]:
        """Book a supplier's credit note on an invoice.

        Args:
            invoice_id: An invoice disputed for its price, or a matched one of returned goods.
            ground: The price, or goods that were returned after they had been invoiced.
            amount_cents: The amount, which has to be all that is due on that ground.
        """
        if invoice_id not in self.invoices:
            return _refuse(f"No invoice {invoice_id}")
        due = self._credit_due(invoice_id, ground)
        if due <= 0:
            return _refuse(f"Nothing is due on {invoice_id} for its {ground}")
        if amount_cents != due:
            return _refuse(f"{due} cents are due on {invoice_id} for its {ground}")
        note_id = self._number("CN")
        self.credit_notes[note_id] = {
            "invoice_id": invoice_id,
            "ground": ground,
            "amount_cents": amount_cents,
            "booked_on": self._today(),
        }
        return {"success": True, "credit_note_id": note_id}

    def decline_request(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record that a request was turned down.

        own_request, not_in_chain, budget_exhausted, ceiling_reached and quotes_missing are filed
        on the requisition; split_order, lead_time and delegation_not_allowed on the person who
        asked; supplier_blocked on the supplier; goods_received on the order; nothing_to_credit
        on the invoice.

        Args:
            record_id: The record that the refusal is filed on.
            reason: The rule or fact that stood in the way.
        """
        files: dict[str, Container[str]] = {
            "split_order": self.people,
            "lead_time": self.people,
            "delegation_not_allowed": self.people,
            "supplier_blocked": self.suppliers,
            "goods_received": self.orders,
            "nothing_to_credit": self.invoices,
        }
        if record_id not in files.get(reason, self.requisitions):
            return _refuse(f"{reason} is not filed on {record_id!r}")
        for refusal in self.refusals.values():
            if (refusal["record_id"], refusal["reason"]) == (record_id, reason):
                return _refuse(f"{reason} is on record for {record_id}")
        refusal_id = self._number("REF")
        self.refusals[refusal_id] = {
            "record_id": record_id,
            "reason": reason,
            "refused_on": self._today(),
        }
        return {"success": True, "refusal_id": refusal_id}
