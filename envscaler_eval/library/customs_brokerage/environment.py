"""Customs brokerage: classification, customs value, origin, duty and VAT, guarantees and holds.

Money is in euro cents, invoices in hundredths of their currency, weights in kilograms and
percentages in basis points, so that 1200 is 12 percent.
"""

from datetime import date, datetime
from typing import Any, Literal, TypedDict

Currency = Literal["EUR", "USD", "GBP", "CHF", "CNY", "TRY"]
Terms = Literal["EXW", "FOB", "CIF", "DAP"]
ProofKind = Literal["EUR.1", "origin_declaration"]
DeclarationStatus = Literal["draft", "lodged", "released", "cancelled"]
HoldKind = Literal["documents", "physical"]
CancelReason = Literal["duplicate", "wrong_client", "goods_not_arrived", "goods_returned"]
RefusalReason = Literal[
    "guarantee_exhausted",
    "guarantee_not_valid",
    "licence_exhausted",
    "licence_not_valid",
    "proof_not_valid",
    "amendment_too_late",
    "goods_on_hold",
    "goods_released",
    "no_inspection_slot",
]

FREIGHT_IS_EXTRA: tuple[Terms, ...] = ("EXW", "FOB")
DECLARED_ORIGIN_LIMIT_CENTS = 600_000
AMENDMENT_DAYS = 30


class Chapter(TypedDict):
    """The first two digits of a tariff code."""

    title: str


class Heading(TypedDict):
    """The first four digits of a tariff code."""

    title: str


class Subheading(TypedDict):
    """All six digits: the level at which goods are declared."""

    title: str
    duty_bp: int
    vat_bp: int
    preferences: dict[str, int]  # duty by agreement, in basis points
    needs_licence: bool
    ended_on: str | None


class Agreement(TypedDict):
    """A trade agreement and the countries whose goods it favours."""

    name: str
    countries: list[str]
    proofs: list[ProofKind]


class Client(TypedDict):
    """An importer; with postponed VAT, VAT is not due at the border."""

    name: str
    city: str
    guarantee_id: str
    vat_postponed: bool


class Guarantee(TypedDict):
    """A comprehensive guarantee for deferred payment."""

    limit_cents: int
    valid_until: str


class Draw(TypedDict):
    """What a declaration takes from a guarantee until it is paid."""

    guarantee_id: str
    declaration_id: str
    cents: int
    status: Literal["drawn", "released"]


class Licence(TypedDict):
    """An import licence for one subheading; declared weight is written off it."""

    client_id: str
    subheading: str
    total_kg: int
    valid_until: str


class Proof(TypedDict):
    """A proof of origin; an approved exporter declares origin for any value."""

    client_id: str
    agreement_id: str
    kind: ProofKind
    origin: str
    subheadings: list[str]
    valid_until: str
    approved_exporter: bool
    original_held: bool


class Declaration(TypedDict):
    """An import declaration; freight is to the border, in euro cents."""

    client_id: str
    reference: str
    currency: Currency
    terms: Terms
    freight_cents: int
    status: DeclarationStatus
    lodged_on: str | None
    cancel_reason: CancelReason | None


class Item(TypedDict):
    """Goods of one subheading and origin; the amounts are fixed when lodged."""

    declaration_id: str
    subheading: str
    origin: str
    invoice_minor: int
    net_kg: int
    proof_id: str | None
    licence_id: str | None
    customs_value_cents: int | None
    duty_cents: int | None
    vat_cents: int | None


class Hold(TypedDict):
    """A control by customs that keeps goods from being released."""

    declaration_id: str
    kind: HoldKind
    slot_id: str | None
    status: Literal["open", "cleared"]


class Slot(TypedDict):
    """A time at which an officer opens goods at a terminal."""

    terminal: str
    starts: str
    capacity: int


class Amendment(TypedDict):
    """A change to a lodged item, with what was due before and after."""

    item_id: str
    amended_on: str
    due_before_cents: int
    due_after_cents: int


class Refusal(TypedDict):
    """Something that was asked for a declaration and could not be done."""

    declaration_id: str
    reason: RefusalReason


Assessment = dict[str, tuple[int, int, int]]


def _failed(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _ok(**result: Any) -> dict[str, Any]:
    return {"success": True, **result}


def _half_up(numerator: int, denominator: int) -> int:
    """Divide and round to the nearest whole number, halves up."""
    return (2 * numerator + denominator) // (2 * denominator)


class CustomsBrokerage:
    """The declaration system of a customs broker."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.chapters: dict[str, Chapter] = {}
        self.headings: dict[str, Heading] = {}
        self.subheadings: dict[str, Subheading] = {}
        self.agreements: dict[str, Agreement] = {}
        self.monthly_rates: dict[str, dict[str, int]] = {}
        self.clients: dict[str, Client] = {}
        self.guarantees: dict[str, Guarantee] = {}
        self.draws: dict[str, Draw] = {}
        self.licences: dict[str, Licence] = {}
        self.proofs: dict[str, Proof] = {}
        self.declarations: dict[str, Declaration] = {}
        self.items: dict[str, Item] = {}
        self.holds: dict[str, Hold] = {}
        self.slots: dict[str, Slot] = {}
        self.amendments: dict[str, Amendment] = {}
        self.refusals: dict[str, Refusal] = {}
        self.next_number: int = 1

    # Small facts

    @staticmethod
    def _today() -> str:
        return datetime.now().date().isoformat()

    def _issue(self, series: str) -> str:
        number = self.next_number
        self.next_number += 1
        return f"{series}-{number}"

    def _items_of(self, declaration_id: str) -> dict[str, Item]:
        return {k: i for k, i in self.items.items() if i["declaration_id"] == declaration_id}

    def _free(self, guarantee_id: str) -> int:
        """What a guarantee still has to give, in cents."""
        drawn = sum(
            d["cents"]
            for d in self.draws.values()
            if (d["guarantee_id"], d["status"]) == (guarantee_id, "drawn")
        )
        return self.guarantees[guarantee_id]["limit_cents"] - drawn

    def _remaining_kg(self, licence_id: str) -> int:
        """What is left on a licence after all that was lodged under it and not cancelled."""
        used = sum(
            item["net_kg"]
            for item in self.items.values()
            if item["licence_id"] == licence_id
            and self.declarations[item["declaration_id"]]["status"] in ("lodged", "released")
        )
        return self.licences[licence_id]["total_kg"] - used

    def _guarantee_problem(self, declaration_id: str, cents: int, drawn: int = 0) -> str | None:
        """Say why the importer's guarantee does not give so many cents today.

        What the declaration has drawn already counts as free for it.
        """
        client = self.clients[self.declarations[declaration_id]["client_id"]]
        guarantee_id = client["guarantee_id"]
        if self.guarantees[guarantee_id]["valid_until"] < self._today():
            return f"Guarantee {guarantee_id} is no longer valid"
        free = self._free(guarantee_id)
        if cents - drawn <= free:
            return None
        due = f"{cents - drawn} cents more than the {drawn} drawn" if drawn else f"{cents} cents"
        return f"{due} are due, and {guarantee_id} has {free} free"

    def _open_holds(self, declaration_id: str) -> dict[str, Hold]:
        return {
            key: hold
            for key, hold in self.holds.items()
            if (hold["declaration_id"], hold["status"]) == (declaration_id, "open")
        }

    def _status_problem(self, declaration_id: str, *wanted: DeclarationStatus) -> str | None:
        """Say why a declaration is not in one of the wanted statuses."""
        if declaration_id not in self.declarations:
            return f"There is no declaration {declaration_id}"
        status = self.declarations[declaration_id]["status"]
        return None if status in wanted else f"Declaration {declaration_id} is {status}"

    def _code_problem(self, subheading: str, on: str) -> str | None:
        """Say why goods cannot be declared under a code on a day."""
        if subheading in self.chapters or subheading in self.headings:
            return f"{subheading} is not a subheading; goods are declared with six digits"
        if subheading not in self.subheadings:
            return f"There is no subheading {subheading}"
        ended = self.subheadings[subheading]["ended_on"]
        if ended is not None and ended < on:
            return f"Subheading {subheading} ended on {ended}"
        return None

    # Assessment

    def _rate(self, declaration: Declaration) -> int | None:
        """Units of the invoice currency for one euro, times 10000, in the month of lodging."""
        if declaration["currency"] == "EUR":
            return 10_000
        month = (declaration["lodged_on"] or self._today())[:7]
        return self.monthly_rates.get(month, {}).get(declaration["currency"])

    def _duty_bp(self, item: Item) -> int:
        goods = self.subheadings[item["subheading"]]
        if item["proof_id"] is None:
            return goods["duty_bp"]
        return goods["preferences"][self.proofs[item["proof_id"]]["agreement_id"]]

    def _assess(self, declaration_id: str, items: dict[str, Item]) -> Assessment | None:
        """Customs value, duty and VAT of each item, or None without a rate for the month."""
        declaration = self.declarations[declaration_id]
        rate = self._rate(declaration)
        if rate is None:
            return None
        all_kg = sum(item["net_kg"] for item in items.values())
        assessed: Assessment = {}
        for item_id, item in items.items():
            value = _half_up(item["invoice_minor"] * 10_000, rate)
            value += _half_up(declaration["freight_cents"] * item["net_kg"], all_kg)
            duty = _half_up(value * self._duty_bp(item), 10_000)
            vat_bp = self.subheadings[item["subheading"]]["vat_bp"]
            assessed[item_id] = (value, duty, _half_up((value + duty) * vat_bp, 10_000))
        return assessed

    def _due(self, declaration_id: str, assessed: Assessment) -> int:
        """What is due at the border: duty, and VAT unless the client postpones it."""
        client = self.clients[self.declarations[declaration_id]["client_id"]]
        return sum(
            duty + (0 if client["vat_postponed"] else vat) for _, duty, vat in assessed.values()
        )

    def _proof_problem(self, item: Item, on: str) -> str | None:
        """Say why a proof does not give an item preference on a day."""
        proof_id = item["proof_id"]
        if proof_id is None:
            return None
        proof = self.proofs[proof_id]
        agreement = self.agreements[proof["agreement_id"]]
        if proof["client_id"] != self.declarations[item["declaration_id"]]["client_id"]:
            return f"Proof {proof_id} was made out to another importer"
        if proof["valid_until"] < on:
            return f"Proof {proof_id} was valid until {proof['valid_until']}"
        if item["origin"] != proof["origin"] or item["origin"] not in agreement["countries"]:
            return f"Proof {proof_id} does not cover goods from {item['origin']}"
        if item["subheading"] not in proof["subheadings"]:
            return f"Proof {proof_id} does not cover {item['subheading']}"
        if proof["agreement_id"] not in self.subheadings[item["subheading"]]["preferences"]:
            return f"{agreement['name']} has no preference for {item['subheading']}"
        if proof["kind"] not in agreement["proofs"]:
            return f"{agreement['name']} does not accept an {proof['kind']}"
        return None

    def _declared_origin_problem(self, items: dict[str, Item], assessed: Assessment) -> str | None:
        """Say which origin declaration is used for goods of too high a value."""
        values: dict[str, int] = {}
        for item_id, item in items.items():
            proof_id = item["proof_id"]
            if proof_id is not None and self.proofs[proof_id]["kind"] == "origin_declaration":
                values[proof_id] = values.get(proof_id, 0) + assessed[item_id][0]
        for proof_id, cents in values.items():
            if (
                cents > DECLARED_ORIGIN_LIMIT_CENTS
                and not self.proofs[proof_id]["approved_exporter"]
            ):
                return f"{proof_id} is an origin declaration, good for 600000 cents, not {cents}"
        return None

    def _licence_problem(self, item: Item, on: str, written_off_kg: int = 0) -> str | None:
        """Say why an item is not covered by a licence that it needs or names."""
        licence_id = item["licence_id"]
        if licence_id is None:
            needed = self.subheadings[item["subheading"]]["needs_licence"]
            return f"{item['subheading']} needs an import licence" if needed else None
        licence = self.licences[licence_id]
        if licence["client_id"] != self.declarations[item["declaration_id"]]["client_id"]:
            return f"Licence {licence_id} belongs to another importer"
        if licence["subheading"] != item["subheading"]:
            return f"Licence {licence_id} is for {licence['subheading']}"
        if licence["valid_until"] < on:
            return f"Licence {licence_id} was valid until {licence['valid_until']}"
        left = self._remaining_kg(licence_id) + written_off_kg
        if item["net_kg"] > left:
            return f"Licence {licence_id} has {left} kg left"
        return None

    def _licences_overdrawn(self, items: dict[str, Item]) -> str | None:
        """Say which licence is asked for more than it has by several items together."""
        wanted: dict[str, int] = {}
        for item in items.values():
            if item["licence_id"] is not None:
                wanted[item["licence_id"]] = wanted.get(item["licence_id"], 0) + item["net_kg"]
        for licence_id, kg in wanted.items():
            if kg > self._remaining_kg(licence_id):
                return f"Licence {licence_id} has {self._remaining_kg(licence_id)} kg left"
        return None

    def _write(self, assessed: Assessment) -> None:
        for item_id, (value, duty, vat) in assessed.items():
            item = self.items[item_id]
            item["customs_value_cents"], item["duty_cents"], item["vat_cents"] = value, duty, vat

    def _draw_of(self, declaration_id: str) -> Draw | None:
        """The draw of a declaration that is not paid yet."""
        for draw in self.draws.values():
            if (draw["declaration_id"], draw["status"]) == (declaration_id, "drawn"):
                return draw
        return None

    # Queries

    def search_tariff(self, text: str) -> dict[str, Any]:
        """Find subheadings by words, in their own title or those of heading and chapter above.

        Args:
            text: Words that all have to occur, any case, for example "coffee roasted".
        """
        found = []
        for code, goods in self.subheadings.items():
            heading, chapter = self.headings[code[:4]]["title"], self.chapters[code[:2]]["title"]
            titles = f"{goods['title']} {heading} {chapter}".lower()
            if all(word in titles for word in text.lower().split()):
                found.append(
                    {
                        "subheading": code,
                        "title": goods["title"],
                        "heading": heading,
                        "chapter": chapter,
                        "ended_on": goods["ended_on"],
                    }
                )
        return _ok(subheadings=found)

    def get_tariff_entry(self, code: str) -> dict[str, Any]:
        """Show a chapter, heading or subheading with what lies below it.

        A subheading comes with duty, VAT, preferences by agreement and licence requirement.

        Args:
            code: Two, four or six digits.
        """
        if code in self.subheadings:
            return _ok(code=code, **self.subheadings[code])
        below: dict[str, str]
        if code in self.headings:
            title = self.headings[code]["title"]
            below = {k: s["title"] for k, s in self.subheadings.items() if k.startswith(code)}
        elif code in self.chapters:
            title = self.chapters[code]["title"]
            below = {k: h["title"] for k, h in self.headings.items() if k.startswith(code)}
        else:
            return _failed(f"The tariff has no code {code}")
        return _ok(code=code, title=title, below=below)

    def list_agreements(self, country: str | None = None) -> dict[str, Any]:
        """List trade agreements with their countries and the proofs that they accept.

        Args:
            country: Only those with this country, ISO code such as CH.
        """
        found = [
            {"agreement_id": key, **agreement}
            for key, agreement in self.agreements.items()
            if country is None or country in agreement["countries"]
        ]
        return _ok(agreements=found)

    def get_rates(self, month: str) -> dict[str, Any]:
        """Show the customs exchange rates of a month: foreign units for one euro, times 10000.

        Args:
            month: YYYY-MM.
        """
        if month not in self.monthly_rates:
            return _failed(f"There are no rates for {month}")
        return _ok(month=month, rates=self.monthly_rates[month])

    def search_clients(self, text: str = "") -> dict[str, Any]:
        """Find importers by name or city, with what their guarantee has free, in cents.

        Args:
            text: Part of the name or city, any case; empty for all.
        """
        found = [
            {"client_id": key, **client, "free_cents": self._free(client["guarantee_id"])}
            for key, client in self.clients.items()
            if text.lower() in f"{client['name']} {client['city']}".lower()
        ]
        return _ok(clients=found)

    def get_guarantee(self, guarantee_id: str) -> dict[str, Any]:
        """Show a guarantee with its limit, what is free and its draws, in cents.

        Args:
            guarantee_id: The guarantee.
        """
        if guarantee_id not in self.guarantees:
            return _failed(f"There is no guarantee {guarantee_id}")
        draws = [d for d in self.draws.values() if d["guarantee_id"] == guarantee_id]
        free = self._free(guarantee_id)
        return _ok(**self.guarantees[guarantee_id], free_cents=free, draws=draws)

    def list_open_debts(self, text: str = "") -> dict[str, Any]:
        """List what declarations have drawn from guarantees and importers have not paid yet.

        Args:
            text: Part of the importer's name or of the shipment reference, any case.
        """
        found = []
        for draw in self.draws.values():
            declaration = self.declarations[draw["declaration_id"]]
            name = self.clients[declaration["client_id"]]["name"]
            shown = f"{name} {declaration['reference']}".lower()
            if draw["status"] == "drawn" and text.lower() in shown:
                row = {
                    "declaration_id": draw["declaration_id"],
                    "client": name,
                    "reference": declaration["reference"],
                    "status": declaration["status"],
                    "lodged_on": declaration["lodged_on"],
                    "guarantee_id": draw["guarantee_id"],
                    "drawn_cents": draw["cents"],
                }
                found.append(row)
        return _ok(debts=found)

    def list_licences(self, client_id: str | None = None) -> dict[str, Any]:
        """List import licences with the kilograms that remain.

        Args:
            client_id: Only those of this importer.
        """
        found = [
            {"licence_id": key, **licence, "remaining_kg": self._remaining_kg(key)}
            for key, licence in self.licences.items()
            if client_id in (None, licence["client_id"])
        ]
        return _ok(licences=found)

    def list_proofs(self, client_id: str | None = None) -> dict[str, Any]:
        """List proofs of origin, expired ones included.

        Args:
            client_id: Only those made out to this importer.
        """
        found = [
            {"proof_id": key, **proof}
            for key, proof in self.proofs.items()
            if client_id in (None, proof["client_id"])
        ]
        return _ok(proofs=found)

    def list_declarations(
        self, text: str = "", status: DeclarationStatus | None = None, on_hold: bool = False
    ) -> dict[str, Any]:
        """List declarations with the importer and open holds.

        Args:
            text: Part of the importer's name or of the shipment reference, any case.
            status: Only those in this status.
            on_hold: Only those with an open hold.
        """
        found = []
        for key, declaration in self.declarations.items():
            name = self.clients[declaration["client_id"]]["name"]
            holds = [hold["kind"] for hold in self._open_holds(key).values()]
            if (
                text.lower() in f"{name} {declaration['reference']}".lower()
                and status in (None, declaration["status"])
                and (holds or not on_hold)
            ):
                row = {"declaration_id": key, "client": name, **declaration, "open_holds": holds}
                found.append(row)
        return _ok(declarations=found)

    def get_declaration(self, declaration_id: str) -> dict[str, Any]:
        """Show a declaration with its items, holds, guarantee draw, amendments and refusals.

        For a draft the amounts are an estimate at this month's rate.

        Args:
            declaration_id: The declaration.
        """
        if declaration_id not in self.declarations:
            return _failed(f"There is no declaration {declaration_id}")
        items = self._items_of(declaration_id)
        draft = self.declarations[declaration_id]["status"] == "draft"
        assessed = self._assess(declaration_id, items) if draft else None
        rows = []
        for item_id, item in items.items():
            row = {"item_id": item_id, **item}
            if assessed is not None:
                amounts = ("customs_value_cents", "duty_cents", "vat_cents")
                row.update(zip(amounts, assessed[item_id], strict=True))
            rows.append(row)
        draw = self._draw_of(declaration_id)
        return _ok(
            declaration={"declaration_id": declaration_id, **self.declarations[declaration_id]},
            items=rows,
            holds=[
                {"hold_id": key, **hold}
                for key, hold in self.holds.items()
                if hold["declaration_id"] == declaration_id
            ],
            drawn_cents=draw["cents"] if draw else 0,
            amendments=[a for a in self.amendments.values() if a["item_id"] in items],
            refusals=[
                r["reason"] for r in self.refusals.values() if r["declaration_id"] == declaration_id
            ],
        )

    def list_inspection_slots(self, terminal: str = "") -> dict[str, Any]:
        """List the times at which customs inspects, with the places left.

        Args:
            terminal: Part of the terminal's name, any case; empty for all.
        """
        found = [
            {"slot_id": key, **slot, "places_left": slot["capacity"] - self._booked(key)}
            for key, slot in self.slots.items()
            if terminal.lower() in slot["terminal"].lower()
        ]
        return _ok(slots=found)

    def _booked(self, slot_id: str) -> int:
        return sum(hold["slot_id"] == slot_id for hold in self.holds.values())

    # Preparing a declaration

    def create_declaration(
        self, client_id: str, reference: str, currency: Currency, terms: Terms, freight_cents: int
    ) -> dict[str, Any]:
        """Open the draft of an import declaration.

        Args:
            client_id: The importer.
            reference: The shipment reference on the client's papers.
            currency: Currency of the invoice.
            terms: Delivery terms; CIF and DAP prices contain the freight to the border.
            freight_cents: Freight to the border in euro cents; 0 under CIF and DAP.
        """
        if client_id not in self.clients:
            return _failed(f"There is no client {client_id}")
        if not reference.strip():
            return _failed("A declaration carries a shipment reference")
        if any(
            d["reference"].lower() == reference.lower() and d["status"] != "cancelled"
            for d in self.declarations.values()
        ):
            return _failed(f"Shipment {reference} has been declared")
        if (terms in FREIGHT_IS_EXTRA) != (freight_cents > 0) or freight_cents < 0:
            return _failed("Freight is added under EXW and FOB, and contained under CIF and DAP")
        declaration_id = self._issue("IMP")
        self.declarations[declaration_id] = {
            "client_id": client_id,
            "reference": reference,
            "currency": currency,
            "terms": terms,
            "freight_cents": freight_cents,
            "status": "draft",
            "lodged_on": None,
            "cancel_reason": None,
        }
        return _ok(declaration_id=declaration_id)

    def add_item(
        self, declaration_id: str, subheading: str, origin: str, invoice_minor: int, net_kg: int
    ) -> dict[str, Any]:
        """Add goods to a draft.

        Args:
            declaration_id: A draft.
            subheading: Tariff code, six digits.
            origin: Country of origin, ISO code of two letters.
            invoice_minor: Invoice amount in hundredths of the invoice currency.
            net_kg: Net weight in kilograms.
        """
        if problem := self._status_problem(declaration_id, "draft") or self._code_problem(
            subheading, self._today()
        ):
            return _failed(problem)
        if not (len(origin) == 2 and origin.isalpha() and origin.isupper()):
            return _failed(f"{origin!r} is not a country code of two capital letters")
        if invoice_minor < 1 or net_kg < 1:
            return _failed("Amount and weight are at least 1")
        item_id = self._issue("ITM")
        self.items[item_id] = {
            "declaration_id": declaration_id,
            "subheading": subheading,
            "origin": origin,
            "invoice_minor": invoice_minor,
            "net_kg": net_kg,
            "proof_id": None,
            "licence_id": None,
            "customs_value_cents": None,
            "duty_cents": None,
            "vat_cents": None,
        }
        return _ok(item_id=item_id, needs_licence=self.subheadings[subheading]["needs_licence"])

    def attach_document(self, item_id: str, document_id: str) -> dict[str, Any]:
        """Claim preference with a proof of origin, or cover goods with a licence, in a draft.

        Args:
            item_id: An item of a draft.
            document_id: A proof of origin or an import licence; it replaces one of its kind.
        """
        if item_id not in self.items:
            return _failed(f"There is no item {item_id}")
        item = self.items[item_id]
        if problem := self._status_problem(item["declaration_id"], "draft"):
            return _failed(problem)
        wanted = item.copy()
        if document_id in self.proofs:
            wanted["proof_id"] = document_id
            problem = self._proof_problem(wanted, self._today())
        elif document_id in self.licences:
            wanted["licence_id"] = document_id
            problem = self._licence_problem(wanted, self._today())
        else:
            problem = f"There is no proof or licence {document_id}"
        if problem:
            return _failed(problem)
        if wanted == item:
            return _failed(f"{document_id} is already attached to {item_id}")
        self.items[item_id] = wanted
        return _ok(item_id=item_id, duty_bp=self._duty_bp(wanted))

    def lodge_declaration(self, declaration_id: str) -> dict[str, Any]:
        """Lodge a draft with customs: amounts are fixed and drawn from the client's guarantee.

        Args:
            declaration_id: A draft with items.
        """
        if problem := self._status_problem(declaration_id, "draft"):
            return _failed(problem)
        declaration, items = self.declarations[declaration_id], self._items_of(declaration_id)
        if not items:
            return _failed(f"Declaration {declaration_id} has no items")
        assessed = self._assess(declaration_id, items)
        today = self._today()
        if assessed is None:
            return _failed(f"There is no rate of {declaration['currency']} for this month")
        problem = None
        for item in items.values():
            problem = problem or self._code_problem(item["subheading"], today)
            problem = problem or self._proof_problem(item, today)
            problem = problem or self._licence_problem(item, today)
        problem = problem or self._declared_origin_problem(items, assessed)
        if problem := problem or self._licences_overdrawn(items):
            return _failed(problem)
        due = self._due(declaration_id, assessed)
        if problem := self._guarantee_problem(declaration_id, due):
            return _failed(problem)
        self._write(assessed)
        declaration["status"], declaration["lodged_on"] = "lodged", today
        self._draw(declaration_id, due)
        return _ok(
            items=[
                {"item_id": k, "customs_value_cents": v, "duty_cents": d, "vat_cents": t}
                for k, (v, d, t) in assessed.items()
            ],
            drawn_cents=due,
            guarantee_free_cents=self._free(self.clients[declaration["client_id"]]["guarantee_id"]),
        )

    def _draw(self, declaration_id: str, cents: int) -> None:
        client = self.clients[self.declarations[declaration_id]["client_id"]]
        self.draws[self._issue("DRW")] = {
            "guarantee_id": client["guarantee_id"],
            "declaration_id": declaration_id,
            "cents": cents,
            "status": "drawn",
        }

    # After lodging

    def amend_item(
        self,
        item_id: str,
        subheading: str | None = None,
        invoice_minor: int | None = None,
        net_kg: int | None = None,
        drop_preference: bool = False,
    ) -> dict[str, Any]:
        """Correct an item after lodging; amounts are worked out again at the lodging rate.

        Args:
            item_id: An item lodged at most 30 days ago, without an open physical hold.
            subheading: The right code, if another.
            invoice_minor: The right invoice amount, hundredths of its currency, if another.
            net_kg: The right net weight in kilograms, if another.
            drop_preference: Give up the proof of origin and pay the full duty.
        """
        if item_id not in self.items:
            return _failed(f"There is no item {item_id}")
        item = self.items[item_id]
        declaration_id = item["declaration_id"]
        if problem := self._status_problem(declaration_id, "lodged", "released"):
            return _failed(problem)
        lodged_on = self.declarations[declaration_id]["lodged_on"] or ""
        age = (datetime.now().date() - date.fromisoformat(lodged_on)).days
        if age > AMENDMENT_DAYS:
            return _failed(f"It was lodged {age} days ago; amendments end after 30 days")
        if "physical" in [hold["kind"] for hold in self._open_holds(declaration_id).values()]:
            return _failed("Nothing is amended while an inspection is announced")
        new = item.copy()
        new["subheading"] = subheading or item["subheading"]
        new["invoice_minor"] = item["invoice_minor"] if invoice_minor is None else invoice_minor
        new["net_kg"] = item["net_kg"] if net_kg is None else net_kg
        new["proof_id"] = None if drop_preference else item["proof_id"]
        if new == item:
            return _failed(f"Item {item_id} is already like that")
        if new["invoice_minor"] < 1 or new["net_kg"] < 1:
            return _failed("Amount and weight are at least 1")
        items = {**self._items_of(declaration_id), item_id: new}
        problem = (
            self._code_problem(new["subheading"], lodged_on)
            or self._proof_problem(new, lodged_on)
            or self._licence_problem(new, lodged_on, item["net_kg"])
        )
        assessed = None if problem else self._assess(declaration_id, items)
        if assessed is None:
            return _failed(problem or "There is no rate for the month of lodging")
        if problem := self._declared_origin_problem(items, assessed):
            return _failed(problem)
        draw = self._draw_of(declaration_id)
        if draw is None:
            return _failed(f"Declaration {declaration_id} is paid; its amounts are final")
        before, after = draw["cents"], self._due(declaration_id, assessed)
        if after > before and (problem := self._guarantee_problem(declaration_id, after, before)):
            return _failed(problem)
        self.items[item_id] = new
        self._write(assessed)
        draw["cents"] = after
        self.amendments[self._issue("AMD")] = {
            "item_id": item_id,
            "amended_on": self._today(),
            "due_before_cents": before,
            "due_after_cents": after,
        }
        return _ok(due_before_cents=before, due_after_cents=after)

    def cancel_declaration(self, declaration_id: str, reason: CancelReason) -> dict[str, Any]:
        """Withdraw a declaration; its draw and its licence quantity are given back.

        Args:
            declaration_id: A draft, or one that is lodged, not released and not on hold.
            reason: Why.
        """
        if problem := self._status_problem(declaration_id, "draft", "lodged"):
            return _failed(problem)
        if self._open_holds(declaration_id):
            return _failed(f"Declaration {declaration_id} is on hold")
        self.declarations[declaration_id]["status"] = "cancelled"
        self.declarations[declaration_id]["cancel_reason"] = reason
        draw = self._draw_of(declaration_id)
        if draw is not None:
            draw["status"] = "released"
        return _ok(given_back_cents=draw["cents"] if draw else 0)

    def record_hold(self, declaration_id: str, kind: HoldKind) -> dict[str, Any]:
        """Record that customs stopped lodged goods for a control.

        Args:
            declaration_id: A lodged declaration.
            kind: A check of documents, or of the goods themselves.
        """
        if problem := self._status_problem(declaration_id, "lodged"):
            return _failed(problem)
        if kind in [hold["kind"] for hold in self._open_holds(declaration_id).values()]:
            return _failed(f"Declaration {declaration_id} has such a hold already")
        hold_id = self._issue("HLD")
        self.holds[hold_id] = {
            "declaration_id": declaration_id,
            "kind": kind,
            "slot_id": None,
            "status": "open",
        }
        return _ok(hold_id=hold_id)

    def book_inspection(self, hold_id: str, slot_id: str) -> dict[str, Any]:
        """Book a place for a physical inspection, or move it to another slot.

        Args:
            hold_id: An open physical hold.
            slot_id: A slot from tomorrow on with a place left.
        """
        if hold_id not in self.holds:
            return _failed(f"There is no hold {hold_id}")
        if slot_id not in self.slots:
            return _failed(f"There is no slot {slot_id}")
        hold, slot = self.holds[hold_id], self.slots[slot_id]
        if (hold["kind"], hold["status"]) != ("physical", "open"):
            return _failed(f"Hold {hold_id} is no open physical hold")
        if hold["slot_id"] == slot_id:
            return _failed(f"Hold {hold_id} is booked for {slot_id}")
        if slot["starts"][:10] <= self._today():
            return _failed("Inspections are booked a day ahead at the latest")
        if self._booked(slot_id) >= slot["capacity"]:
            return _failed(f"Slot {slot_id} is full")
        hold["slot_id"] = slot_id
        return _ok(terminal=slot["terminal"], starts=slot["starts"])

    def clear_hold(self, hold_id: str) -> dict[str, Any]:
        """Record that customs is satisfied.

        Args:
            hold_id: A physical hold whose slot has begun, or a documents hold on goods for
                which the originals of all proofs of origin are here.
        """
        if hold_id not in self.holds:
            return _failed(f"There is no hold {hold_id}")
        hold = self.holds[hold_id]
        if hold["status"] == "cleared":
            return _failed(f"Hold {hold_id} is already cleared")
        if hold["kind"] == "physical":
            starts = None if hold["slot_id"] is None else self.slots[hold["slot_id"]]["starts"]
            if starts is None or datetime.now() < datetime.fromisoformat(starts):
                return _failed(f"The goods of hold {hold_id} have not been inspected")
        else:
            for item in self._items_of(hold["declaration_id"]).values():
                proof_id = item["proof_id"]
                if proof_id is not None and not self.proofs[proof_id]["original_held"]:
                    return _failed(f"The original of proof {proof_id} is not here")
        hold["status"] = "cleared"
        return _ok(open_holds=list(self._open_holds(hold["declaration_id"])))

    def release_goods(self, declaration_id: str) -> dict[str, Any]:
        """Record the release of goods into free circulation.

        Args:
            declaration_id: A lodged declaration without an open hold.
        """
        if problem := self._status_problem(declaration_id, "lodged"):
            return _failed(problem)
        if holds := self._open_holds(declaration_id):
            return _failed(f"Declaration {declaration_id} is on hold: {', '.join(holds)}")
        self.declarations[declaration_id]["status"] = "released"
        return _ok(declaration_id=declaration_id)

    def pay_debt(self, declaration_id: str) -> dict[str, Any]:
        """Record that the importer paid what a declaration had drawn, which frees the guarantee.

        Args:
            declaration_id: A released declaration with a draw.
        """
        if problem := self._status_problem(declaration_id, "released"):
            return _failed(problem)
        draw = self._draw_of(declaration_id)
        if draw is None:
            return _failed(f"Nothing is open for declaration {declaration_id}")
        draw["status"] = "released"
        return _ok(paid_cents=draw["cents"], free_cents=self._free(draw["guarantee_id"]))

    def record_refusal(self, declaration_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record what could not be done for a declaration, draft or not.

        Args:
            declaration_id: The declaration that the request was about.
            reason: The rule or fact in the way.
        """
        if declaration_id not in self.declarations:
            return _failed(f"There is no declaration {declaration_id}")
        refusal = Refusal(declaration_id=declaration_id, reason=reason)
        if refusal in self.refusals.values():
            return _failed(f"That refusal of {declaration_id} is already on record")
        refusal_id = self._issue("REF")
        self.refusals[refusal_id] = refusal
        return _ok(refusal_id=refusal_id)
