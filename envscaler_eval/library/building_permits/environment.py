"""Town building department: applications, plan review, permits, inspections and occupancy."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

Use = Literal["single_family", "multi_family", "commercial", "industrial"]
Overlay = Literal["flood", "historic", "septic"]
PermitKind = Literal["new_building", "addition", "fit_out", "demolition", "deck"]
Paper = Literal[
    "site_plan",
    "floor_plans",
    "structural_calcs",
    "energy_report",
    "asbestos_survey",
    "utility_letters",
    "revised_plans",
    "amended_plans",
]
Stage = Literal[
    "footing", "framing", "rough_services", "insulation", "utility_cut", "final", "safety"
]
LicenceClass = Literal["unrestricted", "restricted", "demolition"]
ApplicationStatus = Literal["filed", "in_review", "approved", "issued", "denied", "withdrawn"]
ReviewOutcome = Literal["approved", "corrections", "denied"]
Variance = Literal["use", "height", "setback"]
FeeKind = Literal["plan_review", "reinspection", "extension", "investigation"]
StopReason = Literal["contractor_lapsed", "unsafe_work", "beyond_plans"]
DeclineReason = Literal[
    "incomplete",
    "use_not_permitted",
    "review_outstanding",
    "notice_period",
    "contractor_unfit",
    "fee_unpaid",
    "out_of_sequence",
    "stop_work_order",
    "permit_expired",
    "no_extension_left",
    "inspections_outstanding",
]

USES: tuple[Use, ...] = ("single_family", "multi_family", "commercial", "industrial")
BOARD = "ZBA"
NOTICE_DAYS = 14
BOOKING_DAYS = 21
EXTENSION_DAYS = 180
EXTENSION_WINDOW_DAYS = 60
MAX_EXTENSIONS = 2
TEMPORARY_DAYS = 90
ON_APPLICATIONS: tuple[DeclineReason, ...] = (
    "incomplete",
    "use_not_permitted",
    "review_outstanding",
    "notice_period",
    "contractor_unfit",
)


class Zone(TypedDict):
    """A district of the zoning by-law; heights and setbacks are in feet."""

    name: str
    heaviest_use: Use
    max_height_ft: int
    min_setback_ft: int


class Parcel(TypedDict):
    """A lot on the assessor's map."""

    address: str
    owner: str
    zone: str
    overlays: list[Overlay]


class PermitType(TypedDict):
    """What an application of a kind needs, and what follows its permit."""

    name: str
    papers: list[Paper]
    inspections: list[Stage]
    licence_class: LicenceClass
    valid_days: int
    occupancy: bool  # whether it ends with a certificate of occupancy


class Department(TypedDict):
    """Who reviews plans; empty `zones` stands for every zone, no overlay for every parcel."""

    name: str
    turn: int
    permit_types: list[PermitKind]
    zones: list[str]
    overlay: Overlay | None


class Contractor(TypedDict):
    """A licensed builder."""

    name: str
    licence_class: LicenceClass
    licence_until: str
    insured_until: str
    suspended: bool


class Inspector(TypedDict):
    """A field inspector, with weekdays from 1 (Monday) to 7."""

    name: str
    stages: list[Stage]
    weekdays: list[int]
    daily_limit: int


class Application(TypedDict):
    """Plans put before the department."""

    parcel_id: str
    permit_type: PermitKind
    applicant: str
    use: Use
    construction_class: str
    floor_area_sqft: int
    height_ft: int
    setback_ft: int
    work_begun: bool
    papers: list[Paper]
    filed_on: str
    accepted_on: str | None
    status: ApplicationStatus


class Review(TypedDict):
    """A department's look at an application."""

    application_id: str
    department: str
    status: Literal["pending", "approved", "corrections", "denied"]
    decided_on: str | None


class Fee(TypedDict):
    """Money owed on an application, in cents."""

    application_id: str
    kind: FeeKind
    amount_cents: int
    charged_on: str
    status: Literal["unpaid", "paid"]


class Permit(TypedDict):
    """Leave to build, in force up to and including `expires_on`."""

    application_id: str
    contractor_id: str
    issued_on: str
    expires_on: str
    extensions: int
    status: Literal["active", "closed"]


class Inspection(TypedDict):
    """A visit to the site."""

    permit_id: str
    stage: Stage
    inspector_id: str
    on: str
    status: Literal["booked", "passed", "failed", "called_off"]


class StopOrder(TypedDict):
    """A red card on the site; plans answer it that were amended after it was posted."""

    permit_id: str
    reason: StopReason
    posted_on: str
    plans_amended_on: str | None
    status: Literal["open", "lifted"]


class Certificate(TypedDict):
    """Leave to move in; only a temporary one runs out."""

    permit_id: str
    kind: Literal["permanent", "temporary"]
    issued_on: str
    expires_on: str | None


class Decline(TypedDict):
    """A request that the by-laws did not allow."""

    record_id: str
    reason: DeclineReason
    declined_on: str


def _no(why: str) -> dict[str, Any]:
    return {"success": False, "error": why}


def _day(text: str) -> date | None:
    """Read a date that is spelt YYYY-MM-DD, and nothing else."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.isoformat() == text else None


def _later(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _of(field: str, value: str, records: Mapping[str, Any]) -> dict[str, Any]:
    """Records that belong to another one, by id."""
    return {key: record for key, record in records.items() if record[field] == value}


def _mentions(text: str, parts: Iterable[str]) -> bool:
    return text.casefold() in " ".join(parts).casefold()


class BuildingPermits:
    """The building department of a small town, from the counter to the final inspection."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.zones: dict[str, Zone] = {}
        self.parcels: dict[str, Parcel] = {}
        self.permit_types: dict[PermitKind, PermitType] = {}
        self.departments: dict[str, Department] = {}
        self.class_rates: dict[str, int] = {}  # cents of plan review per square foot
        self.fixed_fees: dict[str, int] = {}  # cents
        self.closed_days: dict[str, str] = {}  # holidays by date
        self.contractors: dict[str, Contractor] = {}
        self.inspectors: dict[str, Inspector] = {}
        self.applications: dict[str, Application] = {}
        self.reviews: dict[str, Review] = {}
        self.fees: dict[str, Fee] = {}
        self.permits: dict[str, Permit] = {}
        self.inspections: dict[str, Inspection] = {}
        self.stop_orders: dict[str, StopOrder] = {}
        self.certificates: dict[str, Certificate] = {}
        self.declines: dict[str, Decline] = {}
        self.last_number: int = 0  # of records made by this office, whatever their kind

    def _today(self) -> str:
        return datetime.now().date().isoformat()

    def _number(self, prefix: str) -> str:
        self.last_number += 1
        return f"{prefix}-{self.last_number}"

    # Zoning and plan review

    def _variances(self, application: Application) -> list[Variance]:
        """What an application asks for beyond the by-law of its zone."""
        zone = self.zones[self.parcels[application["parcel_id"]]["zone"]]
        beyond: dict[Variance, bool] = {
            "use": USES.index(application["use"]) > USES.index(zone["heaviest_use"]),
            "height": application["height_ft"] > zone["max_height_ft"],
            "setback": application["setback_ft"] < zone["min_setback_ft"],
        }
        return [kind for kind, needed in beyond.items() if needed]

    def _missing_papers(self, application: Application) -> list[Paper]:
        needed = self.permit_types[application["permit_type"]]["papers"]
        return [paper for paper in needed if paper not in application["papers"]]

    def _reviewers(self, application: Application) -> list[str]:
        """Departments that must approve an application, in the order of their turns."""
        parcel = self.parcels[application["parcel_id"]]
        called = [
            code
            for code, department in self.departments.items()
            if application["permit_type"] in department["permit_types"]
            and (not department["zones"] or parcel["zone"] in department["zones"])
            and department["overlay"] in (None, *parcel["overlays"])
            and (code != BOARD or self._variances(application))
        ]
        return sorted(called, key=lambda code: self.departments[code]["turn"])

    def _plan_fee(self, application: Application) -> int:
        by_area = (
            application["floor_area_sqft"] * self.class_rates[application["construction_class"]]
        )
        amount = max(by_area, self.fixed_fees["plan_review_minimum"])
        return 2 * amount if application["work_begun"] else amount

    def _charge(self, application_id: str, kind: FeeKind, amount_cents: int) -> str:
        fee_id = self._number("FEE")
        self.fees[fee_id] = {
            "application_id": application_id,
            "kind": kind,
            "amount_cents": amount_cents,
            "charged_on": self._today(),
            "status": "unpaid",
        }
        return fee_id

    def _unpaid(self, application_id: str) -> list[str]:
        fees = _of("application_id", application_id, self.fees)
        return [fee_id for fee_id, fee in fees.items() if fee["status"] == "unpaid"]

    def _before(self, review: Review) -> list[str]:
        """Departments whose approval a review of the same application waits for."""
        mine = _of("application_id", review["application_id"], self.reviews).values()
        turn = self.departments[review["department"]]["turn"]
        return [
            r["department"]
            for r in mine
            if self.departments[r["department"]]["turn"] < turn and r["status"] != "approved"
        ]

    # Permits in the field

    def _lapse(self, contractor_id: str) -> str | None:
        """Say why a contractor may not work today, or return None."""
        contractor = self.contractors[contractor_id]
        today = self._today()
        if contractor["suspended"]:
            return f"The licence of {contractor['name']} is suspended"
        if contractor["licence_until"] < today:
            return f"The licence of {contractor['name']} ran out on {contractor['licence_until']}"
        if contractor["insured_until"] < today:
            return f"{contractor['name']} has been uninsured since {contractor['insured_until']}"
        return None

    def _open_orders(self, permit_id: str) -> list[str]:
        orders = _of("permit_id", permit_id, self.stop_orders)
        return [order_id for order_id, order in orders.items() if order["status"] == "open"]

    def _unanswered(self, application_id: str) -> list[str]:
        """Open orders against work beyond the plans that no plans were amended for yet."""
        return [
            order_id
            for permit_id in _of("application_id", application_id, self.permits)
            for order_id in self._open_orders(permit_id)
            if self.stop_orders[order_id]["reason"] == "beyond_plans"
            and self.stop_orders[order_id]["plans_amended_on"] is None
        ]

    def _passed(self, permit_id: str) -> list[Stage]:
        visits = _of("permit_id", permit_id, self.inspections).values()
        return [visit["stage"] for visit in visits if visit["status"] == "passed"]

    def _to_come(self, permit_id: str) -> list[Stage]:
        """Stages that still have to be passed, the next one first."""
        kind = self.applications[self.permits[permit_id]["application_id"]]["permit_type"]
        passed = self._passed(permit_id)
        return [stage for stage in self.permit_types[kind]["inspections"] if stage not in passed]

    def _permit_problem(self, permit_id: str) -> str | None:
        """Say why nothing can be done under a permit any more, or return None."""
        permit = self.permits.get(permit_id)
        if permit is None:
            return f"Permit {permit_id} does not exist"
        if permit["status"] == "closed":
            return f"Permit {permit_id} is closed"
        if permit["expires_on"] < self._today():
            return f"Permit {permit_id} expired on {permit['expires_on']}"
        return None

    def _held_up(self, permit_id: str) -> str | None:
        """Say which stop-work order or unpaid fee holds a permit up, or return None."""
        if orders := self._open_orders(permit_id):
            return f"Permit {permit_id} is under stop-work order {orders[0]}"
        if unpaid := self._unpaid(self.permits[permit_id]["application_id"]):
            return f"Fees are unpaid: {', '.join(unpaid)}"
        return None

    def _visit_problem(self, inspector_id: str, stage: Stage, on: str) -> str | None:
        """Say why an inspector cannot make a visit of this kind on a day, or return None."""
        inspector = self.inspectors.get(inspector_id)
        if inspector is None:
            return f"Inspector {inspector_id} does not exist"
        day = _day(on)
        if day is None:
            return f"{on!r} is not a date, YYYY-MM-DD"
        if stage not in inspector["stages"]:
            return f"{inspector['name']} is not certified for {stage}"
        ahead = (day - date.fromisoformat(self._today())).days
        if not 1 <= ahead <= BOOKING_DAYS:
            return f"Visits are booked from tomorrow to {BOOKING_DAYS} days ahead"
        if on in self.closed_days:
            return f"The office is closed on {on}: {self.closed_days[on]}"
        if day.isoweekday() not in inspector["weekdays"]:
            return f"{inspector['name']} does not work on that weekday"
        if self._load(inspector_id, on) >= inspector["daily_limit"]:
            return f"{inspector['name']} has no visit left on {on}"
        return None

    def _load(self, inspector_id: str, on: str) -> int:
        return sum(
            (visit["inspector_id"], visit["on"]) == (inspector_id, on)
            and visit["status"] != "called_off"
            for visit in self.inspections.values()
        )

    def _permit_row(self, permit_id: str) -> dict[str, Any]:
        permit = self.permits[permit_id]
        application = self.applications[permit["application_id"]]
        parcel = self.parcels[application["parcel_id"]]
        return {
            "permit_id": permit_id,
            **permit,
            "permit_type": application["permit_type"],
            "applicant": application["applicant"],
            "address": parcel["address"],
            "contractor": self.contractors[permit["contractor_id"]]["name"],
            "expired": permit["expires_on"] < self._today(),
            "stopped": bool(self._open_orders(permit_id)),
        }

    # Look-ups

    def search_parcels(self, text: str = "", zone: str | None = None) -> dict[str, Any]:
        """Find parcels, each with the limits of its zone in feet and its overlays.

        Args:
            text: Part of the address or the owner's name, any case; empty for all.
            zone: Only parcels in the zone with this code.
        """
        found = [
            {"parcel_id": parcel_id, **parcel, "zone_limits": self.zones[parcel["zone"]]}
            for parcel_id, parcel in self.parcels.items()
            if zone in (None, parcel["zone"])
            and _mentions(text, (parcel["address"], parcel["owner"]))
        ]
        return {"success": True, "parcels": found}

    def list_permit_types(self) -> dict[str, Any]:
        """Show what each type of permit needs, and the fee schedule in cents.

        The schedule holds the plan review rate per square foot of each construction class.
        """
        return {
            "success": True,
            "permit_types": self.permit_types,
            "cents_per_sqft": self.class_rates,
            "fixed_fees_cents": self.fixed_fees,
        }

    def list_departments(self, permit_type: PermitKind | None = None) -> dict[str, Any]:
        """List the reviewing departments in the order of their turns.

        Args:
            permit_type: Only departments that look at this type of permit.
        """
        found = [
            {"department": code, **department}
            for code, department in self.departments.items()
            if permit_type is None or permit_type in department["permit_types"]
        ]
        return {"success": True, "departments": sorted(found, key=lambda row: row["turn"])}

    def search_contractors(
        self, text: str = "", licence_class: LicenceClass | None = None
    ) -> dict[str, Any]:
        """Find contractors with their licence, insurance and the permits that they work on.

        Args:
            text: Part of the name, any case; empty for all.
            licence_class: Only holders of this class of licence.
        """
        found = []
        for contractor_id, contractor in self.contractors.items():
            wanted = licence_class in (None, contractor["licence_class"])
            if wanted and _mentions(text, (contractor["name"],)):
                permits = _of("contractor_id", contractor_id, self.permits)
                at_work = [key for key, p in permits.items() if p["status"] == "active"]
                found.append({"contractor_id": contractor_id, **contractor, "permits": at_work})
        return {"success": True, "contractors": found}

    def list_applications(
        self, text: str = "", status: ApplicationStatus | None = None
    ) -> dict[str, Any]:
        """List applications by date of filing.

        Args:
            text: Part of the applicant's name or the address, any case; empty for all.
            status: Only applications in this status.
        """
        found = []
        for application_id, application in self.applications.items():
            address = self.parcels[application["parcel_id"]]["address"]
            if status not in (None, application["status"]):
                continue
            if _mentions(text, (application["applicant"], address)):
                row = {
                    "application_id": application_id,
                    "applicant": application["applicant"],
                    "address": address,
                    "permit_type": application["permit_type"],
                    "filed_on": application["filed_on"],
                    "status": application["status"],
                }
                found.append(row)
        return {"success": True, "applications": sorted(found, key=lambda row: row["filed_on"])}

    def get_application(self, application_id: str) -> dict[str, Any]:
        """Show an application: what is missing, who reviews it, its fees and its permit.

        Args:
            application_id: The application.
        """
        if application_id not in self.applications:
            return _no(f"Application {application_id} does not exist")
        application = self.applications[application_id]
        return {
            "success": True,
            "application_id": application_id,
            **application,
            "parcel": self.parcels[application["parcel_id"]],
            "missing_papers": self._missing_papers(application),
            "variances_needed": self._variances(application),
            "departments": self._reviewers(application),
            "plan_review_fee_cents": self._plan_fee(application),
            "reviews": _of("application_id", application_id, self.reviews),
            "fees": _of("application_id", application_id, self.fees),
            "permits": list(_of("application_id", application_id, self.permits)),
            "declines": _of("record_id", application_id, self.declines),
        }

    def list_reviews(
        self,
        department: str | None = None,
        status: Literal["pending", "approved", "corrections", "denied"] | None = None,
        text: str = "",
    ) -> dict[str, Any]:
        """List reviews; `waits_for` names the departments that have to approve before.

        Args:
            department: Only reviews by the department with this code.
            status: Only reviews in this status.
            text: Part of the applicant's name or the address, any case; empty for all.
        """
        found = []
        for review_id, review in self.reviews.items():
            application = self.applications[review["application_id"]]
            address = self.parcels[application["parcel_id"]]["address"]
            wanted = department in (None, review["department"])
            if wanted and status in (None, review["status"]):
                row = {
                    "review_id": review_id,
                    **review,
                    "applicant": application["applicant"],
                    "address": address,
                    "accepted_on": application["accepted_on"],
                    "waits_for": self._before(review),
                }
                found += [row] if _mentions(text, (application["applicant"], address)) else []
        return {"success": True, "reviews": found}

    def list_permits(
        self,
        text: str = "",
        status: Literal["active", "closed"] | None = None,
        expires_by: str | None = None,
    ) -> dict[str, Any]:
        """List permits by expiry; `expired` and `stopped` tell how they stand today.

        Args:
            text: Part of the address or of the applicant's or contractor's name, any case.
            status: Only active permits (expired ones included) or closed ones.
            expires_by: Only permits that expire on or before this date, YYYY-MM-DD.
        """
        if expires_by is not None and _day(expires_by) is None:
            return _no(f"{expires_by!r} is not a date, YYYY-MM-DD")
        rows = [self._permit_row(permit_id) for permit_id in self.permits]
        found = [
            row
            for row in rows
            if status in (None, row["status"])
            and (expires_by is None or row["expires_on"] <= expires_by)
            and _mentions(text, (row["address"], row["applicant"], row["contractor"]))
        ]
        return {"success": True, "permits": sorted(found, key=lambda row: row["expires_on"])}

    def get_permit(self, permit_id: str) -> dict[str, Any]:
        """Show a permit with its stages to come, visits, unpaid fees, orders and certificates.

        Args:
            permit_id: The permit.
        """
        if permit_id not in self.permits:
            return _no(f"Permit {permit_id} does not exist")
        unpaid = self._unpaid(self.permits[permit_id]["application_id"])
        return {
            "success": True,
            **self._permit_row(permit_id),
            "contractor_lapse": self._lapse(self.permits[permit_id]["contractor_id"]),
            "stages_to_come": self._to_come(permit_id),
            "inspections": _of("permit_id", permit_id, self.inspections),
            "unpaid_fees": {fee_id: self.fees[fee_id] for fee_id in unpaid},
            "stop_orders": _of("permit_id", permit_id, self.stop_orders),
            "certificates": _of("permit_id", permit_id, self.certificates),
            "declines": _of("record_id", permit_id, self.declines),
        }

    def list_fees(
        self, status: Literal["unpaid", "paid"] | None = None, kind: FeeKind | None = None
    ) -> dict[str, Any]:
        """List fees in cents, with applicant and address.

        Args:
            status: Only fees in this status.
            kind: Only fees of this kind.
        """
        found = []
        for fee_id, fee in self.fees.items():
            if status in (None, fee["status"]) and kind in (None, fee["kind"]):
                application = self.applications[fee["application_id"]]
                address = self.parcels[application["parcel_id"]]["address"]
                names = {"applicant": application["applicant"], "address": address}
                found.append({"fee_id": fee_id, **fee, **names})
        return {"success": True, "fees": found}

    def list_inspectors(self, stage: Stage | None = None) -> dict[str, Any]:
        """List inspectors with stages, weekdays (1 is Monday) and visits a day; also holidays.

        Args:
            stage: Only inspectors certified for this stage.
        """
        found = [
            {"inspector_id": key, **inspector}
            for key, inspector in self.inspectors.items()
            if stage is None or stage in inspector["stages"]
        ]
        return {"success": True, "inspectors": found, "closed_days": self.closed_days}

    def list_inspections(
        self,
        on: str | None = None,
        inspector_id: str | None = None,
        status: Literal["booked", "passed", "failed", "called_off"] | None = None,
    ) -> dict[str, Any]:
        """List visits by date, with the address.

        Args:
            on: Only visits on this date, YYYY-MM-DD.
            inspector_id: Only visits of this inspector.
            status: Only visits in this status.
        """
        if on is not None and _day(on) is None:
            return _no(f"{on!r} is not a date, YYYY-MM-DD")
        found = [
            {
                "inspection_id": key,
                **visit,
                "address": self._permit_row(visit["permit_id"])["address"],
            }
            for key, visit in self.inspections.items()
            if on in (None, visit["on"])
            and inspector_id in (None, visit["inspector_id"])
            and status in (None, visit["status"])
        ]
        return {"success": True, "inspections": sorted(found, key=lambda row: row["on"])}

    # The counter

    def record_paper(self, application_id: str, paper: Paper) -> dict[str, Any]:
        """File a paper that came in; revised plans put reviews with corrections back to pending.

        Args:
            application_id: The application.
            paper: What came in. Revised plans answer corrections; amended plans show work
                that went beyond the approved ones, and each order against such work needs them
                anew.
        """
        application = self.applications.get(application_id)
        if application is None:
            return _no(f"Application {application_id} does not exist")
        status = application["status"]
        phases: dict[str, tuple[ApplicationStatus, ...]] = {
            "revised_plans": ("in_review",),
            "amended_plans": ("issued",),
        }
        if status not in phases.get(paper, ("filed",)):
            return _no(f"Application {application_id} is {status}; it takes no {paper} now")
        reviews = _of("application_id", application_id, self.reviews)
        reopened = [key for key, r in reviews.items() if r["status"] == "corrections"]
        if paper == "revised_plans" and not reopened:
            return _no(f"No department asked for corrections on {application_id}")
        unanswered = self._unanswered(application_id) if paper == "amended_plans" else []
        if paper in application["papers"] and paper != "revised_plans" and not unanswered:
            return _no(f"{paper} is already on file for {application_id}")
        if paper not in application["papers"]:
            application["papers"].append(paper)
        if paper == "revised_plans":
            for review_id in reopened:
                self.reviews[review_id]["status"] = "pending"
                self.reviews[review_id]["decided_on"] = None
        for order_id in unanswered:
            self.stop_orders[order_id]["plans_amended_on"] = self._today()
        return {"success": True, "missing_papers": self._missing_papers(application)}

    def accept_application(self, application_id: str) -> dict[str, Any]:
        """Take a complete application into review; its reviews open and the plan fee is charged.

        Args:
            application_id: A filed application.
        """
        application = self.applications.get(application_id)
        if application is None:
            return _no(f"Application {application_id} does not exist")
        if application["status"] != "filed":
            return _no(f"Application {application_id} is {application['status']}, not filed")
        if missing := self._missing_papers(application):
            return _no(f"Application {application_id} is incomplete: {', '.join(missing)}")
        zone = self.zones[self.parcels[application["parcel_id"]]["zone"]]
        steps = USES.index(application["use"]) - USES.index(zone["heaviest_use"])
        if steps > 1:
            return _no(f"No variance puts {application['use']} use into {zone['name']}")
        fee_id = self._charge(application_id, "plan_review", self._plan_fee(application))
        opened = {}
        for code in self._reviewers(application):
            review_id = self._number("REV")
            self.reviews[review_id] = {
                "application_id": application_id,
                "department": code,
                "status": "pending",
                "decided_on": None,
            }
            opened[review_id] = code
        application["accepted_on"] = self._today()
        application["status"] = "in_review"
        charged = {"fee_id": fee_id, "amount_cents": self.fees[fee_id]["amount_cents"]}
        return {"success": True, **charged, "reviews": opened}

    def pay_fee(self, fee_id: str, amount_cents: int) -> dict[str, Any]:
        """Book the payment of a fee.

        Args:
            fee_id: An unpaid fee.
            amount_cents: What was handed over, in cents; fees are paid in full.
        """
        fee = self.fees.get(fee_id)
        if fee is None:
            return _no(f"Fee {fee_id} does not exist")
        if fee["status"] == "paid":
            return _no(f"Fee {fee_id} is already paid")
        if amount_cents != fee["amount_cents"]:
            return _no(f"Fee {fee_id} is {fee['amount_cents']} cents, to be paid in full")
        fee["status"] = "paid"
        return {"success": True, "still_unpaid": self._unpaid(fee["application_id"])}

    def decide_review(self, review_id: str, outcome: ReviewOutcome) -> dict[str, Any]:
        """Enter what a department decided; approval by the board of appeals is the variance.

        The last approval makes the application approved, one denial makes it denied.

        Args:
            review_id: A pending review whose turn has come.
            outcome: Approved, corrections wanted, or denied.
        """
        review = self.reviews.get(review_id)
        if review is None:
            return _no(f"Review {review_id} does not exist")
        application = self.applications[review["application_id"]]
        if application["status"] != "in_review" or review["status"] != "pending":
            where = f"{review['status']}, its application {application['status']}"
            return _no(f"Review {review_id} is {where}")
        if unpaid := self._unpaid(review["application_id"]):
            return _no(f"Review starts when the plan fee is paid: {', '.join(unpaid)}")
        if waiting := self._before(review):
            return _no(f"{review['department']} follows {', '.join(waiting)}")
        heard_from = _later(application["accepted_on"] or self._today(), NOTICE_DAYS)
        if review["department"] == BOARD and self._today() < heard_from:
            return _no(f"Abutters have notice until {heard_from}; the board decides after that")
        review["status"] = outcome
        review["decided_on"] = self._today()
        if outcome == "denied":
            application["status"] = "denied"
        mine = _of("application_id", review["application_id"], self.reviews).values()
        if all(r["status"] == "approved" for r in mine):
            application["status"] = "approved"
        return {"success": True, "application_status": application["status"]}

    # Permits

    def issue_permit(self, application_id: str, contractor_id: str) -> dict[str, Any]:
        """Issue the permit of an approved application to the contractor who will build.

        Args:
            application_id: An approved application whose fees are paid.
            contractor_id: A contractor fit for this type of work today.
        """
        application = self.applications.get(application_id)
        contractor = self.contractors.get(contractor_id)
        if application is None or contractor is None:
            return _no(f"{application_id} or {contractor_id} does not exist")
        if application["status"] != "approved":
            return _no(f"Application {application_id} is {application['status']}, not approved")
        if unpaid := self._unpaid(application_id):
            return _no(f"Fees are unpaid: {', '.join(unpaid)}")
        kind = self.permit_types[application["permit_type"]]
        held, needed = contractor["licence_class"], kind["licence_class"]
        if held != needed and (held, needed) != ("unrestricted", "restricted"):
            return _no(f"{contractor['name']} holds a {held} licence; this takes {needed}")
        if lapse := self._lapse(contractor_id):
            return _no(lapse)
        for permit_id, permit in self.permits.items():
            same = self.applications[permit["application_id"]]["parcel_id"]
            if same == application["parcel_id"] and self._open_orders(permit_id):
                return _no(f"The parcel is under a stop-work order, on permit {permit_id}")
        permit_id = self._number("BP")
        self.permits[permit_id] = {
            "application_id": application_id,
            "contractor_id": contractor_id,
            "issued_on": self._today(),
            "expires_on": _later(self._today(), kind["valid_days"]),
            "extensions": 0,
            "status": "active",
        }
        application["status"] = "issued"
        expires_on = self.permits[permit_id]["expires_on"]
        return {"success": True, "permit_id": permit_id, "expires_on": expires_on}

    def extend_permit(self, permit_id: str) -> dict[str, Any]:
        """Prolong a permit by 180 days; the extension fee is charged.

        Args:
            permit_id: An active permit that expires within 60 days.
        """
        if problem := self._permit_problem(permit_id):
            return _no(problem)
        permit = self.permits[permit_id]
        if permit["extensions"] >= MAX_EXTENSIONS:
            return _no(f"Permit {permit_id} was extended {MAX_EXTENSIONS} times already")
        if permit["expires_on"] > _later(self._today(), EXTENSION_WINDOW_DAYS):
            return _no(f"Permit {permit_id} runs until {permit['expires_on']}: too early")
        if problem := self._held_up(permit_id) or self._lapse(permit["contractor_id"]):
            return _no(problem)
        amount = self.fixed_fees["extension"]
        fee_id = self._charge(permit["application_id"], "extension", amount)
        permit["expires_on"] = _later(permit["expires_on"], EXTENSION_DAYS)
        permit["extensions"] += 1
        charged = {"fee_id": fee_id, "amount_cents": amount}
        return {"success": True, "expires_on": permit["expires_on"], **charged}

    def issue_certificate(
        self, permit_id: str, kind: Literal["permanent", "temporary"]
    ) -> dict[str, Any]:
        """Issue a certificate of occupancy; a permanent one closes the permit.

        Args:
            permit_id: An active permit of a type that ends with a certificate.
            kind: Permanent after every stage, or temporary for 90 days when only the final
                inspection is to come.
        """
        if problem := self._permit_problem(permit_id) or self._held_up(permit_id):
            return _no(problem)
        permit = self.permits[permit_id]
        application = self.applications[permit["application_id"]]
        if not self.permit_types[application["permit_type"]]["occupancy"]:
            return _no(f"A {application['permit_type']} has no certificate of occupancy")
        to_come = self._to_come(permit_id)
        if to_come and (kind == "permanent" or to_come != ["final"]):
            return _no(f"Stages of {permit_id} are still to come: {', '.join(to_come)}")
        if kind == "temporary":
            if not to_come:
                return _no(f"Permit {permit_id} has passed everything: make it permanent")
            if any(c["permit_id"] == permit_id for c in self.certificates.values()):
                return _no(f"Permit {permit_id} has had its temporary certificate")
        certificate_id = self._number("CO")
        temporary = kind == "temporary"
        self.certificates[certificate_id] = {
            "permit_id": permit_id,
            "kind": kind,
            "issued_on": self._today(),
            "expires_on": _later(self._today(), TEMPORARY_DAYS) if temporary else None,
        }
        if not temporary:
            permit["status"] = "closed"
        return {"success": True, "certificate_id": certificate_id}

    # In the field

    def book_inspection(
        self, permit_id: str, stage: Stage, inspector_id: str, on: str
    ) -> dict[str, Any]:
        """Book a visit for the next stage of a permit.

        Args:
            permit_id: An active permit without a booked visit.
            stage: Its next stage; a safety visit is for sites stopped for unsafe work.
            inspector_id: An inspector certified for the stage.
            on: Day of the visit, YYYY-MM-DD, not after the permit's expiry.
        """
        if problem := self._permit_problem(permit_id):
            return _no(problem)
        permit = self.permits[permit_id]
        if stage == "safety":
            reasons = [self.stop_orders[key]["reason"] for key in self._open_orders(permit_id)]
            if "unsafe_work" not in reasons:
                return _no(f"Permit {permit_id} is not stopped for unsafe work")
        elif problem := self._held_up(permit_id):
            return _no(problem)
        elif [stage] != self._to_come(permit_id)[:1]:
            return _no(f"Stages to come, in this order: {', '.join(self._to_come(permit_id))}")
        for key, visit in self.inspections.items():
            if (visit["permit_id"], visit["status"]) == (permit_id, "booked"):
                return _no(f"Visit {key} is still booked for permit {permit_id}")
        if problem := self._visit_problem(inspector_id, stage, on):
            return _no(problem)
        if on > permit["expires_on"]:
            return _no(f"Permit {permit_id} expires on {permit['expires_on']}")
        inspection_id = self._number("INS")
        self.inspections[inspection_id] = {
            "permit_id": permit_id,
            "stage": stage,
            "inspector_id": inspector_id,
            "on": on,
            "status": "booked",
        }
        return {"success": True, "inspection_id": inspection_id}

    def record_inspection(
        self, inspection_id: str, result: Literal["passed", "failed", "called_off"]
    ) -> dict[str, Any]:
        """Enter how a visit went, or call it off; a failure charges the re-inspection fee.

        Passing the last stage closes a permit whose type has no certificate of occupancy.

        Args:
            inspection_id: A booked visit.
            result: Passed or failed once its day has come, called off before that day.
        """
        visit = self.inspections.get(inspection_id)
        if visit is None:
            return _no(f"Visit {inspection_id} does not exist")
        if visit["status"] != "booked":
            return _no(f"Visit {inspection_id} is {visit['status']}")
        due = visit["on"] <= self._today()
        if due == (result == "called_off"):
            return _no(f"Visit {inspection_id} is on {visit['on']}: {result} does not fit")
        permit = self.permits[visit["permit_id"]]
        orders = self._open_orders(visit["permit_id"])
        if orders and result == "passed" and visit["stage"] != "safety":
            return _no(f"Nothing passes under stop-work order {orders[0]}")
        visit["status"] = result
        answer: dict[str, Any] = {
            "success": True,
            "stages_to_come": self._to_come(visit["permit_id"]),
        }
        if result == "failed":
            failures = sum(
                (v["permit_id"], v["stage"], v["status"])
                == (visit["permit_id"], visit["stage"], "failed")
                for v in self.inspections.values()
            )
            amount = self.fixed_fees["reinspection"] * failures
            fee_id = self._charge(permit["application_id"], "reinspection", amount)
            answer |= {"fee_id": fee_id, "amount_cents": amount}
        kind = self.applications[permit["application_id"]]["permit_type"]
        if not answer["stages_to_come"] and not self.permit_types[kind]["occupancy"]:
            permit["status"] = "closed"
        return answer

    def post_stop_order(self, permit_id: str, reason: StopReason) -> dict[str, Any]:
        """Stop the work under a permit; the investigation fee is charged.

        Args:
            permit_id: An active permit that is not stopped yet.
            reason: Contractor without licence or insurance, unsafe work, or work beyond the
                approved plans.
        """
        if problem := self._permit_problem(permit_id):
            return _no(problem)
        if orders := self._open_orders(permit_id):
            return _no(f"Permit {permit_id} is already under stop-work order {orders[0]}")
        permit = self.permits[permit_id]
        if reason == "contractor_lapsed" and self._lapse(permit["contractor_id"]) is None:
            return _no(f"Licence and insurance of {permit['contractor_id']} are in order")
        order_id = self._number("SWO")
        self.stop_orders[order_id] = {
            "permit_id": permit_id,
            "reason": reason,
            "posted_on": self._today(),
            "plans_amended_on": None,
            "status": "open",
        }
        amount = self.fixed_fees["investigation"]
        fee_id = self._charge(permit["application_id"], "investigation", amount)
        return {"success": True, "order_id": order_id, "fee_id": fee_id, "amount_cents": amount}

    def lift_stop_order(self, order_id: str) -> dict[str, Any]:
        """Lift a stop-work order whose cause is gone and whose fee is paid.

        Args:
            order_id: An open order.
        """
        order = self.stop_orders.get(order_id)
        if order is None:
            return _no(f"Order {order_id} does not exist")
        if order["status"] == "lifted":
            return _no(f"Order {order_id} is already lifted")
        permit = self.permits[order["permit_id"]]
        if unpaid := self._unpaid(permit["application_id"]):
            return _no(f"Fees are unpaid: {', '.join(unpaid)}")
        if order["reason"] == "contractor_lapsed":
            if lapse := self._lapse(permit["contractor_id"]):
                return _no(lapse)
        elif order["reason"] == "beyond_plans":
            if order["plans_amended_on"] is None:
                return _no("No amended plans have been filed since the order")
        elif not any(
            (v["permit_id"], v["stage"], v["status"]) == (order["permit_id"], "safety", "passed")
            and v["on"] > order["posted_on"]  # booked for a later day than it was asked for
            for v in self.inspections.values()
        ):
            return _no("The site has not passed a safety visit since the order")
        order["status"] = "lifted"
        return {"success": True, "permit_id": order["permit_id"]}

    def decline_request(self, record_id: str, reason: DeclineReason) -> dict[str, Any]:
        """Put on record that a request could not be granted.

        `incomplete`, `use_not_permitted`, `review_outstanding`, `notice_period` and
        `contractor_unfit` (licence, class or insurance) are filed on the application, the
        others on the permit.

        Args:
            record_id: The application or permit that the request was about.
            reason: What stands in the way.
        """
        on_application = reason in ON_APPLICATIONS
        known = record_id in (self.applications if on_application else self.permits)
        if not known:
            kind = "an application" if on_application else "a permit"
            return _no(f"{reason} is filed on {kind}, and {record_id!r} is none")
        if any(
            (d["record_id"], d["reason"]) == (record_id, reason) for d in self.declines.values()
        ):
            return _no(f"That is already on record for {record_id}")
        decline_id = self._number("DCL")
        self.declines[decline_id] = {
            "record_id": record_id,
            "reason": reason,
            "declined_on": self._today(),
        }
        return {"success": True, "decline_id": decline_id}
