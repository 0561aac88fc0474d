"""Claims department of a motor and home insurer, from the first notice to the closed file."""

from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

BusinessLine = Literal["motor", "home"]
Peril = Literal["collision", "theft", "fire", "glass", "storm", "escape_of_water", "liability"]
Category = Literal[
    "vehicle",
    "repair",
    "hire_car",
    "accessories",
    "building",
    "contents",
    "valuables",
    "bicycles",
    "tracing",
    "third_party_loss",
]
PartyKind = Literal["policyholder", "repairer", "third_party", "insurer", "salvage_dealer"]
GradeName = Literal["assistant", "handler", "senior", "manager"]
Team = Literal["claims", "investigation", "complaints"]
ClaimStatus = Literal["registered", "accepted", "declined", "closed"]
DeclineGround = Literal[
    "peril_not_insured", "outside_period", "after_cancellation", "late_notice", "fraud"
]
PaymentStatus = Literal["awaiting", "released", "rejected"]
Indicator = Literal[
    "early_loss", "frequent_losses", "inconsistent_account", "inflated_amount", "altered_document"
]
ReferralOutcome = Literal["cleared", "confirmed"]
Basis = Literal["subrogation", "salvage"]
Stage = Literal["demanded", "received", "waived"]
ComplaintStatus = Literal["open", "answered"]
ComplaintOutcome = Literal["upheld", "not_upheld", "out_of_time"]
RefusalReason = Literal[
    "over_payable",
    "fraud_hold",
    "file_not_ready_to_close",
    "not_recoverable",
    "over_authority",
    "needs_second_person",
    "account_unverified",
    "not_a_payee",
    "with_ombudsman",
    "handled_the_claim",
]

REFUSAL_FILED_ON: dict[RefusalReason, Literal["claim", "payment", "party", "complaint"]] = {
    "over_payable": "claim",
    "fraud_hold": "claim",
    "file_not_ready_to_close": "claim",
    "not_recoverable": "claim",
    "over_authority": "payment",
    "needs_second_person": "payment",
    "account_unverified": "party",
    "not_a_payee": "party",
    "with_ombudsman": "complaint",
    "handled_the_claim": "complaint",
}
EARLY_THEFT_DAYS = 30
COMPLAINT_WINDOW_DAYS = 183
OMBUDSMAN_DAYS = 56


class Grade(TypedDict):
    """What somebody of a grade may release and reserve alone, each per claim."""

    payment_cents: int
    reserve_cents: int


class Employee(TypedDict):
    """A colleague; `present` is false during leave or illness."""

    name: str
    grade: GradeName
    team: Team
    lines: list[BusinessLine]
    present: bool


class Party(TypedDict):
    """Anybody whom money goes to or comes from."""

    name: str
    city: str
    kind: PartyKind
    account_verified: bool


class Cover(TypedDict):
    """What one insured peril is worth per claim."""

    limit_cents: int
    deductible_cents: int


class Policy(TypedDict):
    """A contract; both days of the period are insured, the day of a cancellation is not."""

    holder_id: str
    line: BusinessLine
    subject: str
    starts_on: str
    ends_on: str
    cancelled_on: str | None
    covers: dict[str, Cover]
    sublimits: dict[str, int]  # category -> cents


class LossItem(TypedDict):
    """One head of loss: what is asked for and what the assessor found."""

    claimed_cents: int
    assessed_cents: int | None


class Claim(TypedDict):
    """A claim; `reserve_cents` is what is still set aside for it, and who else signed that."""

    policy_id: str
    peril: Peril
    loss_on: str
    notified_on: str
    handler_id: str
    liable_insurer_id: str | None
    status: ClaimStatus
    decided_on: str | None
    decline_ground: DeclineGround | None
    reserve_cents: int
    reserve_countersigned_by: str | None
    items: dict[str, LossItem]


class Payment(TypedDict):
    """Money out. Released at once within the handler's authority, else after approval."""

    claim_id: str
    payee_id: str
    amount_cents: int
    requested_by: str
    requested_on: str
    status: PaymentStatus
    decided_by: str | None


class Referral(TypedDict):
    """A suspicion handed to the investigation team."""

    claim_id: str
    indicator: Indicator
    opened_on: str
    outcome: ReferralOutcome | None
    closed_by: str | None


class RecoveryEntry(TypedDict):
    """A line of the recovery ledger: money demanded, received or given up."""

    claim_id: str
    debtor_id: str
    basis: Basis
    stage: Stage
    amount_cents: int
    booked_on: str


class Complaint(TypedDict):
    """A complaint about how a claim was dealt with."""

    claim_id: str
    topic: Literal["decision", "amount", "delay", "conduct"]
    received_on: str
    status: ComplaintStatus
    outcome: ComplaintOutcome | None
    answered_by: str | None


class Refusal(TypedDict):
    """An instruction that could not be followed, and why."""

    record_id: str
    reason: RefusalReason
    refused_on: str


class NewItem(TypedDict):
    """A head of loss as the claimant puts it."""

    category: Category
    claimed_cents: int


class Refused(Exception):
    """A business rule or a missing record stands in the way; never leaves a tool."""


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise Refused(f"{text!r} is no calendar date; write YYYY-MM-DD") from None
    if day.isoformat() != text:
        raise Refused(f"{text!r} is no calendar date; write YYYY-MM-DD")
    return day


def _refused(stop: Refused) -> dict[str, Any]:
    return {"success": False, "error": str(stop)}


def _euros(cents: int) -> str:
    return f"{cents / 100:,.2f} EUR"


class InsuranceClaims:
    """The claims system of an insurer of cars and homes."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.grades: dict[str, Grade] = {}
        self.notice_days: dict[str, int] = {}
        self.staff: dict[str, Employee] = {}
        self.parties: dict[str, Party] = {}
        self.policies: dict[str, Policy] = {}
        self.claims: dict[str, Claim] = {}
        self.payments: dict[str, Payment] = {}
        self.referrals: dict[str, Referral] = {}
        self.recoveries: dict[str, RecoveryEntry] = {}
        self.complaints: dict[str, Complaint] = {}
        self.refusals: dict[str, Refusal] = {}
        self.next_claim: int = 1
        self.next_payment: int = 1
        self.next_referral: int = 1
        self.next_recovery: int = 1
        self.next_refusal: int = 1

    # Records, or a refusal

    def _policy(self, policy_id: str) -> Policy:
        if policy_id not in self.policies:
            raise Refused(f"There is no policy {policy_id}")
        return self.policies[policy_id]

    def _claim(self, claim_id: str) -> Claim:
        if claim_id not in self.claims:
            raise Refused(f"There is no claim {claim_id}")
        return self.claims[claim_id]

    def _party(self, party_id: str) -> Party:
        if party_id not in self.parties:
            raise Refused(f"There is no party {party_id}")
        return self.parties[party_id]

    def _colleague(self, staff_id: str, line: BusinessLine | None = None) -> Employee:
        """Somebody who is at work today and, where a line is named, works on it."""
        if staff_id not in self.staff:
            raise Refused(f"Nobody on the staff has the number {staff_id}")
        colleague = self.staff[staff_id]
        if not colleague["present"]:
            raise Refused(f"{colleague['name']} is away")
        if line is not None and line not in colleague["lines"]:
            raise Refused(f"{colleague['name']} does not work on {line} claims")
        return colleague

    def _claims_handler(self, staff_id: str, line: BusinessLine) -> Employee:
        handler = self._colleague(staff_id, line)
        if handler["team"] != "claims":
            raise Refused(f"{handler['name']} is with {handler['team']}, not a claims handler")
        return handler

    # What the file says

    def _today(self) -> date:
        return datetime.now().date()

    def _claims_of(self, claim_id: str, records: dict[str, Any], key: str) -> list[dict[str, Any]]:
        return [{key: i, **r} for i, r in records.items() if r["claim_id"] == claim_id]

    def _ground_against(
        self, policy: Policy, peril: str, loss_on: str, notified_on: str
    ) -> tuple[DeclineGround, str] | None:
        """The first ground on which a loss is not insured, with the reason in words."""
        if peril not in policy["covers"]:
            return "peril_not_insured", f"{peril} is not insured"
        if not policy["starts_on"] <= loss_on <= policy["ends_on"]:
            period = f"{policy['starts_on']} to {policy['ends_on']}"
            return "outside_period", f"{loss_on} is outside the policy period {period}"
        if policy["cancelled_on"] is not None and loss_on >= policy["cancelled_on"]:
            return "after_cancellation", f"The policy was cancelled on {policy['cancelled_on']}"
        waited = (date.fromisoformat(notified_on) - date.fromisoformat(loss_on)).days
        if waited > self.notice_days[peril]:
            allowed = self.notice_days[peril]
            return "late_notice", f"Notified after {waited} days; {peril} allows {allowed}"
        return None

    def _ground_against_claim(self, claim: Claim) -> tuple[DeclineGround, str] | None:
        policy = self.policies[claim["policy_id"]]
        return self._ground_against(policy, claim["peril"], claim["loss_on"], claim["notified_on"])

    def _outcomes(self, claim_id: str) -> list[ReferralOutcome | None]:
        return [r["outcome"] for r in self.referrals.values() if r["claim_id"] == claim_id]

    def _require_no_suspicion(self, claim_id: str) -> None:
        outcomes = self._outcomes(claim_id)
        if None in outcomes:
            raise Refused(f"Claim {claim_id} is on hold: a fraud referral is open")
        if "confirmed" in outcomes:
            raise Refused(f"Fraud is confirmed on claim {claim_id}; it can only be declined")

    def _is_early_theft(self, claim: Claim) -> bool:
        start = date.fromisoformat(self.policies[claim["policy_id"]]["starts_on"])
        days = (date.fromisoformat(claim["loss_on"]) - start).days
        return claim["peril"] == "theft" and days < EARLY_THEFT_DAYS

    def _sum_of_payments(self, claim_id: str, *statuses: PaymentStatus) -> int:
        return sum(
            p["amount_cents"]
            for p in self.payments.values()
            if p["claim_id"] == claim_id and p["status"] in statuses
        )

    def _settlement(self, claim: Claim, claim_id: str) -> dict[str, Any]:
        """Work out what the policy owes on the items assessed so far."""
        policy = self.policies[claim["policy_id"]]
        cover = policy["covers"].get(claim["peril"], {"limit_cents": 0, "deductible_cents": 0})
        counted = {
            category: min(item["assessed_cents"], policy["sublimits"].get(category, 10**12))
            for category, item in claim["items"].items()
            if item["assessed_cents"] is not None
        }
        loss = sum(counted.values())
        payable = max(0, min(loss - cover["deductible_cents"], cover["limit_cents"]))
        committed = self._sum_of_payments(claim_id, "released", "awaiting")
        return {
            "counted_cents": counted,
            "deductible_cents": cover["deductible_cents"],
            "limit_cents": cover["limit_cents"],
            "payable_cents": payable,
            "paid_or_awaiting_cents": committed,
            "still_payable_cents": payable - committed,
            "unassessed": [c for c, i in claim["items"].items() if i["assessed_cents"] is None],
        }

    def _ledger(self, claim_id: str, debtor_id: str | None, stage: Stage) -> int:
        return sum(
            entry["amount_cents"]
            for entry in self.recoveries.values()
            if entry["claim_id"] == claim_id
            and debtor_id in (None, entry["debtor_id"])
            and entry["stage"] == stage
        )

    def _outstanding(self, claim_id: str, debtor_id: str | None = None) -> int:
        """Demanded on a claim, from one debtor or from all, and neither received nor waived."""
        demanded = self._ledger(claim_id, debtor_id, "demanded")
        settled = sum(self._ledger(claim_id, debtor_id, stage) for stage in ("received", "waived"))
        return demanded - settled

    def _complaint_deadline(self, complaint: Complaint) -> str:
        received = date.fromisoformat(complaint["received_on"])
        return (received + timedelta(days=OMBUDSMAN_DAYS)).isoformat()

    def _claim_line(self, claim_id: str) -> dict[str, Any]:
        claim = self.claims[claim_id]
        policy = self.policies[claim["policy_id"]]
        return {
            "claim_id": claim_id,
            "holder": self.parties[policy["holder_id"]]["name"],
            "line": policy["line"],
            "subject": policy["subject"],
            "peril": claim["peril"],
            "loss_on": claim["loss_on"],
            "status": claim["status"],
            "handler_id": claim["handler_id"],
            "reserve_cents": claim["reserve_cents"],
            "on_hold": None in self._outcomes(claim_id),
        }

    # Queries

    def search_policies(self, text: str = "", line: BusinessLine | None = None) -> dict[str, Any]:
        """Find policies by holder, insured car or address; each period of a renewal is a policy.

        Args:
            text: Part of the holder's name, the car, its plate or the address, any case.
            line: Only motor or only home policies.
        """
        found = []
        for policy_id, policy in self.policies.items():
            holder = self.parties[policy["holder_id"]]["name"]
            shown = f"{policy_id} {holder} {policy['subject']}".lower()
            if line in (None, policy["line"]) and text.lower() in shown:
                facts = {k: v for k, v in policy.items() if k not in ("covers", "sublimits")}
                found.append({"policy_id": policy_id, "holder": holder, **facts})
        return {"success": True, "policies": found}

    def get_policy(self, policy_id: str) -> dict[str, Any]:
        """Show a policy with covers, sublimits and the claims made under it.

        Args:
            policy_id: The policy.
        """
        try:
            policy = self._policy(policy_id)
        except Refused as stop:
            return _refused(stop)
        claims = [
            self._claim_line(i) for i, c in self.claims.items() if c["policy_id"] == policy_id
        ]
        return {"success": True, "policy_id": policy_id, **policy, "claims": claims}

    def check_cover(
        self, policy_id: str, peril: Peril, loss_on: str, notified_on: str
    ) -> dict[str, Any]:
        """Say whether a policy answers for a loss, and if not, on which ground it is declined.

        Args:
            policy_id: The policy.
            peril: What caused the loss.
            loss_on: Day of the loss, YYYY-MM-DD.
            notified_on: Day on which the insurer was told, YYYY-MM-DD.
        """
        try:
            policy = self._policy(policy_id)
            _day(loss_on)
            _day(notified_on)
        except Refused as stop:
            return _refused(stop)
        against = self._ground_against(policy, peril, loss_on, notified_on)
        answer = {
            "success": True,
            "covered": against is None,
            "notice_days": self.notice_days[peril],
        }
        if against is not None:
            return {**answer, "ground": against[0], "explanation": against[1]}
        return {**answer, **policy["covers"][peril]}

    def list_claims(
        self,
        text: str = "",
        status: ClaimStatus | None = None,
        handler_id: str | None = None,
        on_hold: bool | None = None,
    ) -> dict[str, Any]:
        """List claims by date of loss.

        Args:
            text: Part of the holder's name, the insured car or address, any case.
            status: Only claims in this status.
            handler_id: Only claims of this handler.
            on_hold: Only claims that are, or are not, held by an open fraud referral.
        """
        lines = [self._claim_line(claim_id) for claim_id in self.claims]
        found = [
            line
            for line in lines
            if text.lower() in f"{line['claim_id']} {line['holder']} {line['subject']}".lower()
            and status in (None, line["status"])
            and handler_id in (None, line["handler_id"])
            and on_hold in (None, line["on_hold"])
        ]
        return {"success": True, "claims": sorted(found, key=lambda line: line["loss_on"])}

    def get_claim(self, claim_id: str) -> dict[str, Any]:
        """Show the whole file of a claim.

        Args:
            claim_id: The claim.
        """
        try:
            claim = self._claim(claim_id)
        except Refused as stop:
            return _refused(stop)
        refusals = [
            {"refusal_id": i, **r} for i, r in self.refusals.items() if r["record_id"] == claim_id
        ]
        return {
            "success": True,
            "claim_id": claim_id,
            **claim,
            "payments": self._claims_of(claim_id, self.payments, "payment_id"),
            "referrals": self._claims_of(claim_id, self.referrals, "referral_id"),
            "recoveries": self._claims_of(claim_id, self.recoveries, "entry_id"),
            "complaints": self._claims_of(claim_id, self.complaints, "complaint_id"),
            "refusals": refusals,
        }

    def quote_settlement(self, claim_id: str) -> dict[str, Any]:
        """Work out what the policy owes: sublimits, then the deductible, then the limit.

        Args:
            claim_id: The claim.
        """
        try:
            claim = self._claim(claim_id)
        except Refused as stop:
            return _refused(stop)
        return {"success": True, **self._settlement(claim, claim_id)}

    def list_staff(
        self, text: str = "", line: BusinessLine | None = None, team: Team | None = None
    ) -> dict[str, Any]:
        """List colleagues with grade, presence and what they may release and reserve per claim.

        Args:
            text: Part of the name, any case.
            line: Only those who work on this line.
            team: Only this team.
        """
        found = [
            {"staff_id": staff_id, **person, **self.grades[person["grade"]]}
            for staff_id, person in self.staff.items()
            if text.lower() in person["name"].lower()
            and (line is None or line in person["lines"])
            and team in (None, person["team"])
        ]
        return {"success": True, "staff": found}

    def search_parties(self, text: str = "", kind: PartyKind | None = None) -> dict[str, Any]:
        """Find policyholders, repairers, third parties, insurers and salvage dealers.

        Args:
            text: Part of the name or town, any case.
            kind: Only parties of this kind.
        """
        found = [
            {"party_id": party_id, **party}
            for party_id, party in self.parties.items()
            if text.lower() in f"{party['name']} {party['city']}".lower()
            and kind in (None, party["kind"])
        ]
        return {"success": True, "parties": found}

    def list_payments(
        self,
        status: PaymentStatus | None = None,
        claim_id: str | None = None,
        payee_id: str | None = None,
    ) -> dict[str, Any]:
        """List payments with the payee's name.

        Args:
            status: Only payments in this status.
            claim_id: Only payments on this claim.
            payee_id: Only payments to this party.
        """
        found = [
            {"payment_id": i, **p, "payee": self.parties[p["payee_id"]]["name"]}
            for i, p in self.payments.items()
            if status in (None, p["status"])
            and claim_id in (None, p["claim_id"])
            and payee_id in (None, p["payee_id"])
        ]
        return {"success": True, "payments": found}

    def list_referrals(
        self,
        text: str = "",
        outcome: ReferralOutcome | None = None,
        open_only: bool = False,
    ) -> dict[str, Any]:
        """List what was handed to the investigation team, with the claim and what it put on hold.

        Args:
            text: Part of the holder's name, the insured car or address, any case.
            outcome: Only investigations with this result.
            open_only: Leave out those that are done.
        """
        found = []
        for referral_id, referral in self.referrals.items():
            claim = self._claim_line(referral["claim_id"])
            wanted = outcome in (None, referral["outcome"]) and not (
                open_only and referral["outcome"] is not None
            )
            if wanted and text.lower() in f"{claim['holder']} {claim['subject']}".lower():
                found.append(
                    {
                        "referral_id": referral_id,
                        **referral,
                        "holder": claim["holder"],
                        "line": claim["line"],
                        "peril": claim["peril"],
                        "claim_status": claim["status"],
                        "payments_awaiting_cents": self._sum_of_payments(
                            referral["claim_id"], "awaiting"
                        ),
                    }
                )
        return {"success": True, "referrals": found}

    def list_recoveries(self, debtor: str = "", outstanding_only: bool = False) -> dict[str, Any]:
        """List recoveries by claim and debtor, in the order of the first demand.

        Args:
            debtor: Part of the debtor's name, any case.
            outstanding_only: Leave out those that are received or waived in full.
        """
        found: list[dict[str, Any]] = []
        pairs = dict.fromkeys((e["claim_id"], e["debtor_id"]) for e in self.recoveries.values())
        for claim_id, debtor_id in pairs:
            outstanding = self._outstanding(claim_id, debtor_id)
            name = self.parties[debtor_id]["name"]
            if debtor.lower() in name.lower() and (outstanding or not outstanding_only):
                entries = self._claims_of(claim_id, self.recoveries, "entry_id")
                found.append(
                    {
                        "claim_id": claim_id,
                        "debtor_id": debtor_id,
                        "debtor": name,
                        "entries": [e for e in entries if e["debtor_id"] == debtor_id],
                        "outstanding_cents": outstanding,
                    }
                )
        return {"success": True, "recoveries": found}

    def list_complaints(
        self, status: ComplaintStatus | None = None, claim_id: str | None = None
    ) -> dict[str, Any]:
        """List complaints with the last day on which they can be answered here.

        Args:
            status: Only complaints in this status.
            claim_id: Only complaints about this claim.
        """
        found = []
        for complaint_id, complaint in self.complaints.items():
            if status in (None, complaint["status"]) and claim_id in (None, complaint["claim_id"]):
                claim = self.claims[complaint["claim_id"]]
                found.append(
                    {
                        "complaint_id": complaint_id,
                        **complaint,
                        "answer_by": self._complaint_deadline(complaint),
                        "claim_status": claim["status"],
                        "claim_decided_on": claim["decided_on"],
                        "claim_handler_id": claim["handler_id"],
                    }
                )
        return {"success": True, "complaints": found}

    # Changes

    def register_claim(
        self,
        policy_id: str,
        peril: Peril,
        loss_on: str,
        notified_on: str,
        handler_id: str,
        items: list[NewItem],
        liable_insurer_id: str | None = None,
    ) -> dict[str, Any]:
        """Open a file for a loss, whether or not it will turn out to be insured.

        Args:
            policy_id: The policy whose period the loss belongs to, or the latest one.
            peril: What caused the loss.
            loss_on: Day of the loss, YYYY-MM-DD.
            notified_on: Day on which the insurer was told, YYYY-MM-DD, today or earlier.
            handler_id: A claims handler of the line who is at work.
            items: Heads of loss with the amounts asked for, each category once.
            liable_insurer_id: Insurer of whoever caused the loss, if there is one.
        """
        try:
            policy = self._policy(policy_id)
            if not _day(loss_on) <= _day(notified_on) <= self._today():
                raise Refused("A loss comes before its notice, and the notice not after today")
            self._claims_handler(handler_id, policy["line"])
            categories = [item["category"] for item in items]
            if not items or len(set(categories)) < len(items):
                raise Refused("A claim has at least one item, and no category twice")
            if min(item["claimed_cents"] for item in items) < 1:
                raise Refused("Amounts asked for are positive")
            if (
                liable_insurer_id is not None
                and self._party(liable_insurer_id)["kind"] != "insurer"
            ):
                raise Refused(f"{liable_insurer_id} is not an insurer")
            for known_id, known in self.claims.items():
                same = (known["policy_id"], known["peril"], known["loss_on"])
                if same == (policy_id, peril, loss_on):
                    raise Refused(f"This loss is already on file as {known_id}")
        except Refused as stop:
            return _refused(stop)
        claim_id = f"CL-{self.next_claim}"
        self.next_claim += 1
        self.claims[claim_id] = {
            "policy_id": policy_id,
            "peril": peril,
            "loss_on": loss_on,
            "notified_on": notified_on,
            "handler_id": handler_id,
            "liable_insurer_id": liable_insurer_id,
            "status": "registered",
            "decided_on": None,
            "decline_ground": None,
            "reserve_cents": 0,
            "reserve_countersigned_by": None,
            "items": {
                item["category"]: {"claimed_cents": item["claimed_cents"], "assessed_cents": None}
                for item in items
            },
        }
        return {"success": True, "claim_id": claim_id}

    def decide_claim(
        self,
        claim_id: str,
        decision: Literal["accept", "decline"],
        ground: DeclineGround | None = None,
    ) -> dict[str, Any]:
        """Accept a registered claim or decline it; declining gives its reserve up.

        Args:
            claim_id: A registered claim, or an accepted one on which fraud is confirmed.
            decision: Accept or decline.
            ground: Why it is declined; nothing when it is accepted.
        """
        try:
            claim = self._claim(claim_id)
            outcomes = self._outcomes(claim_id)
            fraud = "confirmed" in outcomes
            if claim["status"] != "registered" and not (fraud and claim["status"] == "accepted"):
                raise Refused(f"Claim {claim_id} is {claim['status']}")
            if None in outcomes:
                raise Refused(f"Claim {claim_id} is on hold: a fraud referral is open")
            against = self._ground_against_claim(claim)
            if decision == "accept":
                self._require_no_suspicion(claim_id)
                if ground is not None:
                    raise Refused("A ground is given for declining only")
                if against is not None:
                    raise Refused(f"Not insured: {against[1]}")
                if self._is_early_theft(claim) and not outcomes:
                    raise Refused(
                        f"A theft in the first {EARLY_THEFT_DAYS} days of a policy is accepted "
                        "only after the investigation team has cleared it"
                    )
            else:
                valid = "fraud" if fraud else against[0] if against is not None else None
                if valid is None or ground != valid:
                    raise Refused(f"The file does not bear out {ground}; it shows {valid}")
                if self._sum_of_payments(claim_id, "released", "awaiting"):
                    raise Refused(f"Money was paid or is awaited on claim {claim_id}")
        except Refused as stop:
            return _refused(stop)
        claim["status"] = "accepted" if decision == "accept" else "declined"
        claim["decline_ground"] = ground
        claim["decided_on"] = self._today().isoformat()
        if decision == "decline":
            claim["reserve_cents"] = 0
            claim["reserve_countersigned_by"] = None
        return {"success": True, "status": claim["status"]}

    def assess_item(self, claim_id: str, category: Category, assessed_cents: int) -> dict[str, Any]:
        """Enter what the assessor found for a head of loss, for the first time or corrected.

        Args:
            claim_id: A registered or accepted claim that is not on hold.
            category: One of the claim's heads of loss.
            assessed_cents: The assessor's figure before sublimit and deductible, in cents.
        """
        try:
            claim = self._claim(claim_id)
            if claim["status"] not in ("registered", "accepted"):
                raise Refused(f"Claim {claim_id} is {claim['status']}")
            self._require_no_suspicion(claim_id)
            if category not in claim["items"]:
                raise Refused(f"Claim {claim_id} has no item {category}")
            item = claim["items"][category]
            if not 0 <= assessed_cents <= item["claimed_cents"]:
                raise Refused(f"Between nothing and the {_euros(item['claimed_cents'])} claimed")
            if item["assessed_cents"] == assessed_cents:
                raise Refused("That figure is already on file")
            before, item["assessed_cents"] = item["assessed_cents"], assessed_cents
            owed = self._settlement(claim, claim_id)
            if owed["still_payable_cents"] < 0:
                item["assessed_cents"] = before
                raise Refused(f"{_euros(owed['paid_or_awaiting_cents'])} is paid or awaited")
        except Refused as stop:
            return _refused(stop)
        figures = ("payable_cents", "still_payable_cents")
        return {"success": True, **{key: owed[key] for key in figures}}

    def set_reserve(
        self, claim_id: str, reserve_cents: int, countersigned_by: str | None = None
    ) -> dict[str, Any]:
        """Set what is still set aside for future payments on a claim.

        Args:
            claim_id: A registered or accepted claim.
            reserve_cents: The new reserve in cents; released payments have left it already.
            countersigned_by: Where paid and reserved money together are above what the
                handler's grade may reserve, a second person from claims whose grade may; else
                nothing.
        """
        try:
            claim = self._claim(claim_id)
            line = self.policies[claim["policy_id"]]["line"]
            if claim["status"] not in ("registered", "accepted"):
                raise Refused(f"Claim {claim_id} is {claim['status']}")
            if reserve_cents < self._sum_of_payments(claim_id, "awaiting"):
                raise Refused("A reserve covers at least the payments that await approval")
            if reserve_cents == claim["reserve_cents"]:
                raise Refused("That is the reserve already")
            burden = reserve_cents + self._sum_of_payments(claim_id, "released")
            limit = self._settlement(claim, claim_id)["limit_cents"]
            if burden > limit:
                raise Refused(f"The cover is limited to {_euros(limit)}")
            alone = self.grades[self.staff[claim["handler_id"]]["grade"]]["reserve_cents"]
            if burden <= alone and countersigned_by is not None:
                raise Refused(f"The handler may reserve {_euros(alone)} alone")
            if burden > alone:
                if countersigned_by in (None, claim["handler_id"]):
                    raise Refused(f"Above {_euros(alone)} a second person countersigns")
                second = self._claims_handler(str(countersigned_by), line)
                if burden > self.grades[second["grade"]]["reserve_cents"]:
                    raise Refused(f"That is above what {second['name']} may reserve")
        except Refused as stop:
            return _refused(stop)
        claim["reserve_cents"] = reserve_cents
        claim["reserve_countersigned_by"] = countersigned_by
        return {"success": True, "reserve_cents": reserve_cents}

    def request_payment(self, claim_id: str, payee_id: str, amount_cents: int) -> dict[str, Any]:
        """Pay on a claim in its handler's name; above the handler's authority it awaits approval.

        Args:
            claim_id: An accepted claim that is not on hold.
            payee_id: Whom to pay.
            amount_cents: How much, in cents.
        """
        try:
            claim = self._claim(claim_id)
            policy = self.policies[claim["policy_id"]]
            if claim["status"] != "accepted":
                raise Refused(f"Claim {claim_id} is {claim['status']}, not accepted")
            self._require_no_suspicion(claim_id)
            payee = self._party(payee_id)
            if claim["peril"] == "liability":
                entitled = payee["kind"] == "third_party"
            else:
                entitled = payee["kind"] == "repairer" or payee_id == policy["holder_id"]
            if not entitled:
                raise Refused(f"{payee['name']} ({payee['kind']}) is not paid on this claim")
            if not payee["account_verified"]:
                raise Refused(f"The account of {payee['name']} is not verified")
            owed = self._settlement(claim, claim_id)
            if not 1 <= amount_cents <= owed["still_payable_cents"]:
                raise Refused(f"{_euros(owed['still_payable_cents'])} is still payable")
            free = claim["reserve_cents"] - self._sum_of_payments(claim_id, "awaiting")
            if amount_cents > free:
                raise Refused(f"Only {_euros(free)} of the reserve is free")
        except Refused as stop:
            return _refused(stop)
        authority = self.grades[self.staff[claim["handler_id"]]["grade"]]["payment_cents"]
        alone = owed["paid_or_awaiting_cents"] + amount_cents <= authority
        payment_id = f"PAY-{self.next_payment}"
        self.next_payment += 1
        self.payments[payment_id] = {
            "claim_id": claim_id,
            "payee_id": payee_id,
            "amount_cents": amount_cents,
            "requested_by": claim["handler_id"],
            "requested_on": self._today().isoformat(),
            "status": "released" if alone else "awaiting",
            "decided_by": None,
        }
        if alone:
            claim["reserve_cents"] -= amount_cents
        return {
            "success": True,
            "payment_id": payment_id,
            "status": self.payments[payment_id]["status"],
            "reserve_cents": claim["reserve_cents"],
        }

    def decide_payment(
        self, payment_id: str, decision: Literal["release", "reject"], decided_by: str
    ) -> dict[str, Any]:
        """Release or reject a payment that awaits approval.

        Args:
            payment_id: The payment.
            decision: Release it or reject it; a rejected one leaves the reserve untouched.
            decided_by: A second person from claims; to release, one whose authority is enough.
        """
        try:
            if payment_id not in self.payments:
                raise Refused(f"There is no payment {payment_id}")
            payment = self.payments[payment_id]
            if payment["status"] != "awaiting":
                raise Refused(f"Payment {payment_id} is {payment['status']}")
            claim_id = payment["claim_id"]
            claim = self.claims[claim_id]
            second = self._claims_handler(decided_by, self.policies[claim["policy_id"]]["line"])
            if decided_by == payment["requested_by"]:
                raise Refused("Nobody decides on a payment that they asked for")
            if decision == "release":
                self._require_no_suspicion(claim_id)
                total = self._sum_of_payments(claim_id, "released") + payment["amount_cents"]
                authority = self.grades[second["grade"]]["payment_cents"]
                if total > authority:
                    raise Refused(
                        f"With this payment {_euros(total)} leaves on the claim; {second['name']} "
                        f"may release {_euros(authority)}"
                    )
        except Refused as stop:
            return _refused(stop)
        payment["decided_by"] = decided_by
        if decision == "release":
            payment["status"] = "released"
            claim["reserve_cents"] -= payment["amount_cents"]
        else:
            payment["status"] = "rejected"
        return {
            "success": True,
            "status": payment["status"],
            "reserve_cents": claim["reserve_cents"],
        }

    def refer_claim(self, claim_id: str, indicator: Indicator) -> dict[str, Any]:
        """Hand a claim to the investigation team; until they are done it is on hold.

        Args:
            claim_id: A registered or accepted claim.
            indicator: What is suspicious.
        """
        try:
            claim = self._claim(claim_id)
            if claim["status"] not in ("registered", "accepted"):
                raise Refused(f"Claim {claim_id} is {claim['status']}")
            if None in self._outcomes(claim_id) or "confirmed" in self._outcomes(claim_id):
                raise Refused(f"Claim {claim_id} is with the investigation team or confirmed")
        except Refused as stop:
            return _refused(stop)
        referral_id = f"SIU-{self.next_referral}"
        self.next_referral += 1
        self.referrals[referral_id] = {
            "claim_id": claim_id,
            "indicator": indicator,
            "opened_on": self._today().isoformat(),
            "outcome": None,
            "closed_by": None,
        }
        return {"success": True, "referral_id": referral_id}

    def close_referral(
        self, referral_id: str, outcome: ReferralOutcome, closed_by: str
    ) -> dict[str, Any]:
        """Enter the result of an investigation, which lifts the hold.

        Args:
            referral_id: An open referral.
            outcome: Whether the suspicion was cleared or fraud confirmed.
            closed_by: A member of the investigation team who is at work.
        """
        try:
            if referral_id not in self.referrals:
                raise Refused(f"There is no referral {referral_id}")
            referral = self.referrals[referral_id]
            if referral["outcome"] is not None:
                raise Refused(f"Referral {referral_id} is {referral['outcome']} already")
            line = self.policies[self.claims[referral["claim_id"]]["policy_id"]]["line"]
            investigator = self._colleague(closed_by, line)
            if investigator["team"] != "investigation":
                raise Refused(f"{investigator['name']} is not an investigator")
        except Refused as stop:
            return _refused(stop)
        referral["outcome"] = outcome
        referral["closed_by"] = closed_by
        return {"success": True, "claim_id": referral["claim_id"]}

    def record_recovery(
        self, claim_id: str, debtor_id: str, basis: Basis, stage: Stage, amount_cents: int
    ) -> dict[str, Any]:
        """Book money demanded from, received from or waived towards whoever owes it back.

        Args:
            claim_id: An accepted claim on which money was paid.
            debtor_id: The liable insurer (subrogation) or a salvage dealer (salvage).
            basis: Why money comes back.
            stage: A demand, a receipt, or the part of a demand that is given up.
            amount_cents: How much, in cents.
        """
        try:
            claim = self._claim(claim_id)
            debtor = self._party(debtor_id)
            if claim["status"] != "accepted":
                raise Refused(f"Claim {claim_id} is {claim['status']}, not accepted")
            if basis == "subrogation" and debtor_id != claim["liable_insurer_id"]:
                raise Refused(f"{debtor['name']} is not the liable insurer of claim {claim_id}")
            if basis == "salvage" and debtor["kind"] != "salvage_dealer":
                raise Refused(f"{debtor['name']} is not a salvage dealer")
            if amount_cents < 1:
                raise Refused("Amounts are positive")
            if stage == "demanded":
                paid = self._sum_of_payments(claim_id, "released")
                kept = self._ledger(claim_id, None, "demanded") - self._ledger(
                    claim_id, None, "waived"
                )
                if kept + amount_cents > paid:
                    raise Refused(
                        f"{_euros(paid)} was paid, {_euros(kept)} of it is demanded or received"
                    )
            elif amount_cents > self._outstanding(claim_id, debtor_id):
                outstanding = self._outstanding(claim_id, debtor_id)
                raise Refused(f"{debtor['name']} owes {_euros(outstanding)} on claim {claim_id}")
        except Refused as stop:
            return _refused(stop)
        entry_id = f"REC-{self.next_recovery}"
        self.next_recovery += 1
        self.recoveries[entry_id] = {
            "claim_id": claim_id,
            "debtor_id": debtor_id,
            "basis": basis,
            "stage": stage,
            "amount_cents": amount_cents,
            "booked_on": self._today().isoformat(),
        }
        outstanding = self._outstanding(claim_id, debtor_id)
        return {"success": True, "entry_id": entry_id, "outstanding_cents": outstanding}

    def answer_complaint(
        self,
        complaint_id: str,
        outcome: ComplaintOutcome,
        answered_by: str,
        new_handler_id: str | None = None,
    ) -> dict[str, Any]:
        """Give the final answer to a complaint; an upheld one may reopen the claim.

        A complaint about the decision that is upheld makes a declined claim registered again,
        one about the amount makes a closed claim accepted again; both go to a new handler.

        Args:
            complaint_id: An open complaint.
            outcome: The answer.
            answered_by: A member of the complaints team who is at work.
            new_handler_id: Who takes the claim over if the answer reopens it; else nothing.
        """
        try:
            if complaint_id not in self.complaints:
                raise Refused(f"There is no complaint {complaint_id}")
            complaint = self.complaints[complaint_id]
            if complaint["status"] == "answered":
                raise Refused(f"Complaint {complaint_id} is answered already")
            claim = self.claims[complaint["claim_id"]]
            line = self.policies[claim["policy_id"]]["line"]
            if answered_by == claim["handler_id"]:
                raise Refused("Nobody answers a complaint about their own claim")
            if self._colleague(answered_by)["team"] != "complaints":
                raise Refused(f"{answered_by} is not on the complaints team")
            deadline = self._complaint_deadline(complaint)
            if self._today().isoformat() > deadline:
                raise Refused(f"Since {deadline} the complaint has been with the ombudsman")
            decided = claim["decided_on"] or complaint["received_on"]
            waited = (_day(complaint["received_on"]) - _day(decided)).days
            if (outcome == "out_of_time") != (waited > COMPLAINT_WINDOW_DAYS):
                raise Refused(
                    f"It came {waited} days after the decision; out of time is what comes more "
                    f"than {COMPLAINT_WINDOW_DAYS} days after it"
                )
            reopened: ClaimStatus | None = None
            if outcome == "upheld" and complaint["topic"] == "decision":
                reopened = "registered" if claim["status"] == "declined" else None
            if outcome == "upheld" and complaint["topic"] == "amount":
                reopened = "accepted" if claim["status"] == "closed" else None
            if (new_handler_id is None) != (reopened is None):
                raise Refused("A new handler is named exactly when the answer reopens the claim")
            if new_handler_id is not None:
                self._claims_handler(new_handler_id, line)
                if new_handler_id == claim["handler_id"]:
                    raise Refused("A reopened claim goes to another handler")
        except Refused as stop:
            return _refused(stop)
        complaint["status"] = "answered"
        complaint["outcome"] = outcome
        complaint["answered_by"] = answered_by
        if reopened is not None and new_handler_id is not None:
            claim["status"] = reopened
            claim["handler_id"] = new_handler_id
            if reopened == "registered":
                claim["decline_ground"] = None
                claim["decided_on"] = None
        return {"success": True, "claim_id": complaint["claim_id"], "status": claim["status"]}

    def close_claim(self, claim_id: str) -> dict[str, Any]:
        """Close the file of an accepted claim on which nothing is left to do.

        Args:
            claim_id: The claim.
        """
        try:
            claim = self._claim(claim_id)
            if claim["status"] != "accepted":
                raise Refused(f"Claim {claim_id} is {claim['status']}, not accepted")
            self._require_no_suspicion(claim_id)
            owed = self._settlement(claim, claim_id)
            if owed["unassessed"]:
                raise Refused(f"Not assessed yet: {', '.join(owed['unassessed'])}")
            if self._sum_of_payments(claim_id, "awaiting"):
                raise Refused("A payment awaits approval")
            if owed["still_payable_cents"]:
                raise Refused(f"{_euros(owed['still_payable_cents'])} is still payable")
            if claim["reserve_cents"]:
                raise Refused(f"{_euros(claim['reserve_cents'])} is still reserved")
            if self._outstanding(claim_id):
                raise Refused(f"{_euros(self._outstanding(claim_id))} is still to be recovered")
            if any(
                c["claim_id"] == claim_id and c["status"] == "open"
                for c in self.complaints.values()
            ):
                raise Refused("A complaint is unanswered")
        except Refused as stop:
            return _refused(stop)
        claim["status"] = "closed"
        return {"success": True, "status": "closed"}

    def record_refusal(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on file that an instruction could not be followed.

        over_payable, fraud_hold, file_not_ready_to_close and not_recoverable are filed on the
        claim; over_authority and needs_second_person on the payment; account_unverified and
        not_a_payee on the party; with_ombudsman and handled_the_claim on the complaint.

        Args:
            record_id: The claim, payment, party or complaint.
            reason: What stood in the way; needs_second_person where somebody was to release
                their own payment, over_authority where somebody else may not release so much.
        """
        kind = REFUSAL_FILED_ON[reason]
        records: dict[str, dict[str, Any]] = {
            "claim": dict(self.claims),
            "payment": dict(self.payments),
            "party": dict(self.parties),
            "complaint": dict(self.complaints),
        }
        if record_id not in records[kind]:
            return _refused(Refused(f"{reason} is filed on a {kind}; {record_id} is none"))
        if any(
            (r["record_id"], r["reason"]) == (record_id, reason) for r in self.refusals.values()
        ):
            return _refused(Refused(f"That is on file for {record_id} already"))
        refusal_id = f"RF-{self.next_refusal}"
        self.next_refusal += 1
        self.refusals[refusal_id] = {
            "record_id": record_id,
            "reason": reason,
            "refused_on": self._today().isoformat(),
        }
        return {"success": True, "refusal_id": refusal_id}
