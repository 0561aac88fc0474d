"""Quality unit of a medicines plant: testing, investigations, stability and release of batches."""

from collections.abc import Container, Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Literal, TypedDict

Role = Literal["sampler", "analyst", "quality_assurance", "qualified_person"]
Stage = Literal["release", "shelf_life"]
BatchStatus = Literal["quarantine", "released", "rejected", "recalled"]
ResultStatus = Literal["entered", "reviewed", "returned", "invalidated"]
OpenClosed = Literal["open", "closed"]
PullStatus = Literal["planned", "pulled"]
InstrumentKind = Literal["hplc", "balance", "titrator", "ph_meter", "dissolution", "spectrometer"]
Unit = Literal[
    "%", "mg/g", "ug/g", "ppm", "mg", "g", "mg/mL", "g/L", "ug/mL", "mL", "L", "s", "min", "pH"
]
Cause = Literal[
    "weighing_error", "dilution_error", "integration_error", "instrument_fault", "none_found"
]
DeviationKind = Literal[
    "temperature_excursion", "line_clearance", "labelling", "equipment_failure", "missed_pull"
]
Severity = Literal["minor", "major", "critical"]
ActionTask = Literal[
    "retrain_staff", "revise_procedure", "repair_equipment", "extra_monitoring", "change_supplier"
]
RecallGround = Literal[
    "critical_deviation", "stability_failure", "labelling_error", "authority_request"
]
RefusalReason = Literal[
    "own_result",
    "not_trained",
    "instrument_unfit",
    "reagent_unfit",
    "outside_pull_window",
    "retests_used_up",
    "no_laboratory_error",
    "release_blocked",
    "no_ground_for_rejection",
    "no_ground_for_recall",
    "actions_open",
    "own_action",
]

# What one of each unit is worth in the basic unit of its family.
UNITS: dict[str, tuple[str, Decimal]] = {
    "%": ("mass fraction", Decimal("10000")),
    "mg/g": ("mass fraction", Decimal("1000")),
    "ug/g": ("mass fraction", Decimal("1")),
    "ppm": ("mass fraction", Decimal("1")),
    "mg": ("mass", Decimal("1")),
    "g": ("mass", Decimal("1000")),
    "mg/mL": ("mass concentration", Decimal("1000")),
    "g/L": ("mass concentration", Decimal("1000")),
    "ug/mL": ("mass concentration", Decimal("1")),
    "mL": ("volume", Decimal("1")),
    "L": ("volume", Decimal("1000")),
    "s": ("time", Decimal("1")),
    "min": ("time", Decimal("60")),
    "pH": ("acidity", Decimal("1")),
}
RETESTS = 2
ACTION_DAYS: dict[Severity, int] = {"minor": 60, "major": 60, "critical": 14}
RECALL_CLASS: dict[RecallGround, int] = {
    "critical_deviation": 1,
    "stability_failure": 2,
    "labelling_error": 3,
    "authority_request": 1,
}


class Person(TypedDict):  # methods are those that the person is trained in
    name: str
    roles: list[Role]
    methods: list[str]
    on_site: bool


class Product(TypedDict):  # A release sample takes at least sample_units; shelf life in months
    name: str
    form: str
    shelf_life_months: int
    sample_units: int


class Method(TypedDict):
    title: str
    instrument_kind: InstrumentKind
    reagent: str | None


class SpecificationLine(TypedDict):  # Limits are in the unit of the line
    product_id: str
    test: str
    method_id: str
    stage: Stage
    unit: Unit
    lower: float | None
    upper: float | None
    decimals: int


class Batch(TypedDict):  # units_in_store: neither sampled nor sent out
    product_id: str
    number: str
    made_on: str
    expires_on: str
    units_in_store: int
    status: BatchStatus
    certified_by: str | None


class Sample(TypedDict):
    batch_id: str
    stage: Stage
    units: int
    taken_by: str
    taken_on: str


class Result(TypedDict):  # reported is the reading as its specification line asks for it
    sample_id: str
    line_id: str
    analyst_id: str
    instrument_id: str
    reagent_id: str | None
    reading: float
    unit: Unit
    reported: float
    within: bool
    tested_on: str
    status: ResultStatus
    reviewer_id: str | None
    investigation_id: str | None  # for a retest


class Investigation(TypedDict):
    result_id: str
    lead_id: str
    opened_on: str
    status: OpenClosed
    cause: Cause | None
    conclusion: Literal["laboratory_error", "confirmed"] | None
    closer_id: str | None


class Deviation(TypedDict):
    batch_id: str
    kind: DeviationKind
    severity: Severity
    reporter_id: str
    reported_on: str
    status: OpenClosed
    closer_id: str | None


class Action(TypedDict):
    deviation_id: str
    task: ActionTask
    owner_id: str
    due_on: str
    status: OpenClosed
    verifier_id: str | None


class Pull(TypedDict):  # A time point of a stability study; its units wait in the climate chamber
    batch_id: str
    condition: str
    month: int
    due_on: str
    window_days: int
    units: int
    status: PullStatus
    sample_id: str | None


class Instrument(TypedDict):  # Fit for use up to and including calibrated_until
    name: str
    kind: InstrumentKind
    calibrated_until: str
    status: Literal["in_service", "out_of_service"]


class Reagent(TypedDict):  # A bottle; once opened it also has to be used within so many days
    name: str
    lot: str
    expires_on: str
    opened_on: str | None
    days_once_open: int


class Consignment(TypedDict):
    batch_id: str
    customer: str
    units: int
    sent_on: str
    status: Literal["delivered", "recalled"]


class Recall(TypedDict):  # Class 1 is the gravest
    batch_id: str
    ground: RecallGround
    recall_class: int
    started_by: str
    started_on: str


class Refusal(TypedDict):
    record_id: str
    reason: RefusalReason
    refused_on: str


def _no(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _not_a_date(text: str | None) -> str | None:
    """Complain about a text that is not a calendar date; leaving it out is fine."""
    if text is not None:
        try:
            datetime.strptime(text, "%Y-%m-%d")
        except ValueError:
            return f"Write dates as YYYY-MM-DD, not {text!r}"
    return None


def _matching(
    table: Mapping[str, Mapping[str, Any]], key: str, **fields: Any
) -> Iterator[dict[str, Any]]:
    """Yield the records that have these field values; None for a field asks for nothing."""
    asked = {field: value for field, value in fields.items() if value is not None}
    for record_id, record in table.items():
        if asked.items() <= {field: record[field] for field in asked}.items():
            yield {key: record_id, **record}


def _reported(reading: float, unit: str, line: SpecificationLine) -> Decimal:
    """Convert a reading to the unit of its line and round half up to the line's decimals."""
    exact = Decimal(str(reading)) * UNITS[unit][1] / UNITS[line["unit"]][1]
    return exact.quantize(Decimal(1).scaleb(-line["decimals"]), rounding=ROUND_HALF_UP)


def _meets(value: Decimal, line: SpecificationLine) -> bool:
    low, high = line["lower"], line["upper"]
    return (low is None or value >= Decimal(str(low))) and (
        high is None or value <= Decimal(str(high))
    )


class BatchReleaseLab:
    """Laboratory and batch record system of the quality unit."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.staff: dict[str, Person] = {}
        self.products: dict[str, Product] = {}
        self.methods: dict[str, Method] = {}
        self.specifications: dict[str, SpecificationLine] = {}
        self.batches: dict[str, Batch] = {}
        self.samples: dict[str, Sample] = {}
        self.results: dict[str, Result] = {}
        self.investigations: dict[str, Investigation] = {}
        self.deviations: dict[str, Deviation] = {}
        self.actions: dict[str, Action] = {}
        self.pulls: dict[str, Pull] = {}
        self.instruments: dict[str, Instrument] = {}
        self.reagents: dict[str, Reagent] = {}
        self.consignments: dict[str, Consignment] = {}
        self.recalls: dict[str, Recall] = {}
        self.refusals: dict[str, Refusal] = {}
        self.next_sample: int = 1
        self.next_result: int = 1
        self.next_investigation: int = 1
        self.next_deviation: int = 1
        self.next_action: int = 1
        self.next_recall: int = 1
        self.next_refusal: int = 1

    # What the tools share

    def _today(self) -> str:
        return datetime.now().strftime("%Y-%m-%d")

    def _acting(self, staff_id: str, role: Role) -> str | None:
        """Say why a person cannot act in a role today, or return None."""
        person = self.staff.get(staff_id)
        if person is None:
            return f"Nobody on the staff list is {staff_id}"
        if not person["on_site"]:
            return f"{person['name']} is not on site"
        if role not in person["roles"]:
            return f"{person['name']} does not have the role {role}"
        return None

    def _untrained(self, staff_id: str, method_id: str) -> str | None:
        person = self.staff[staff_id]
        if method_id in person["methods"]:
            return None
        return f"{person['name']} is not trained in {method_id}"

    def _unfit_instrument(self, instrument_id: str, kind: str) -> str | None:
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return f"There is no instrument {instrument_id}"
        if instrument["kind"] != kind:
            return f"{instrument['name']} is no {kind}"
        if instrument["status"] == "out_of_service":
            return f"{instrument['name']} is out of service"
        if instrument["calibrated_until"] < self._today():
            return f"The calibration of {instrument['name']} ended {instrument['calibrated_until']}"
        return None

    def _usable_until(self, bottle: Reagent) -> str:
        """Last day on which a bottle may be used, were it opened today if it is sealed."""
        opened = date.fromisoformat(bottle["opened_on"] or self._today())
        last = opened + timedelta(days=bottle["days_once_open"])
        return min(bottle["expires_on"], last.isoformat())

    def _first_bottle(self, name: str) -> str | None:
        """The bottle of a reagent that is used next: an open one, else the first to expire."""
        good = [
            reagent_id
            for reagent_id, bottle in self.reagents.items()
            if bottle["name"] == name and self._usable_until(bottle) >= self._today()
        ]
        return min(
            good,
            key=lambda i: (self.reagents[i]["opened_on"] is None, self.reagents[i]["expires_on"]),
            default=None,
        )

    def _wrong_reagent(self, reagent_id: str | None, name: str | None) -> str | None:
        """Say why a bottle, or none, is not what a method takes next, or return None."""
        if name is None:
            return None if reagent_id is None else "The method takes no reagent"
        bottle = self.reagents.get(reagent_id or "")
        if bottle is None or bottle["name"] != name:
            return f"The method takes a bottle of {name}"
        if self._usable_until(bottle) < self._today():
            return f"Bottle {reagent_id} was usable until {self._usable_until(bottle)}"
        first = self._first_bottle(name)
        return None if first == reagent_id else f"Bottle {first} of {name} has to be used first"

    def _batch_of(self, result: Mapping[str, Any]) -> str:
        return self.samples[result["sample_id"]]["batch_id"]

    def _retests(self, investigation_id: str) -> list[Result]:
        return [
            result
            for result in self.results.values()
            if result["investigation_id"] == investigation_id and result["status"] != "returned"
        ]

    def _investigated(self, batch_id: str, **fields: str) -> list[str]:
        """Investigations of a batch that have these field values."""
        return [
            row["investigation_id"]
            for row in _matching(self.investigations, "investigation_id", **fields)
            if self._batch_of(self.results[row["result_id"]]) == batch_id
        ]

    def _untested(self, batch_id: str) -> list[str]:
        """Release tests of a batch that lack a reviewed result which counts."""
        met = {
            result["line_id"]
            for result in self.results.values()
            if self._batch_of(result) == batch_id
            and result["status"] == "reviewed"
            and result["within"]
            and (
                result["investigation_id"] is None
                or self.investigations[result["investigation_id"]]["conclusion"]
                == "laboratory_error"
            )
        }
        lines = _matching(
            self.specifications,
            "line_id",
            product_id=self.batches[batch_id]["product_id"],
            stage="release",
        )
        return [line["test"] for line in lines if line["line_id"] not in met]

    def _release_bar(self, batch_id: str) -> str | None:
        """Say what stands against the release of a batch, or return None."""
        if pending := self._investigated(batch_id, status="open"):
            return f"Investigation {pending[0]} is open"
        if failed := self._investigated(batch_id, conclusion="confirmed"):
            return f"Investigation {failed[0]} confirmed a result out of specification"
        for outside in _matching(self.results, "result_id", within=False):
            standing = outside["status"] in ("entered", "reviewed")
            if standing and self._batch_of(outside) == batch_id:
                return f"{outside['result_id']} is out of specification and not investigated"
        for deviation in _matching(
            self.deviations, "deviation_id", batch_id=batch_id, status="open"
        ):
            if deviation["severity"] != "minor":
                return f"{deviation['severity']} deviation {deviation['deviation_id']} is open"
        if untested := self._untested(batch_id):
            return f"Without a reviewed result within limits: {', '.join(untested)}"
        return None

    def _pull_window(self, pull: Pull) -> tuple[str, str]:
        due, days = date.fromisoformat(pull["due_on"]), timedelta(days=pull["window_days"])
        return (due - days).isoformat(), (due + days).isoformat()

    def _pull_problem(self, pull_id: str, batch_id: str, units: int) -> str | None:
        """Say why a stability time point cannot be sampled like this today, or return None."""
        pull = self.pulls.get(pull_id)
        if pull is None or pull["batch_id"] != batch_id:
            return f"Batch {batch_id} has no stability pull {pull_id}"
        if pull["status"] == "pulled":
            return f"Pull {pull_id} was taken as sample {pull['sample_id']}"
        opens, closes = self._pull_window(pull)
        if not opens <= self._today() <= closes:
            return f"Pull {pull_id} may be taken from {opens} to {closes}"
        if units != pull["units"]:
            return f"The protocol asks for {pull['units']} units"
        return None

    def _release_sample_problem(self, batch: Batch, units: int) -> str | None:
        least = self.products[batch["product_id"]]["sample_units"]
        if batch["status"] != "quarantine":
            return f"Release samples come from quarantine; the batch is {batch['status']}"
        if not least <= units <= batch["units_in_store"]:
            return f"Take {least} units at least and {batch['units_in_store']} at most"
        return None

    def _recall_ground_missing(self, batch_id: str, ground: RecallGround) -> str | None:
        """Say that the files hold no ground like this for a recall, or return None."""
        deviations = list(_matching(self.deviations, "deviation_id", batch_id=batch_id))
        failures = [
            investigation_id
            for investigation_id in self._investigated(batch_id, conclusion="confirmed")
            if self.samples[
                self.results[self.investigations[investigation_id]["result_id"]]["sample_id"]
            ]["stage"]
            == "shelf_life"
        ]
        on_file = {
            "critical_deviation": any(d["severity"] == "critical" for d in deviations),
            "stability_failure": bool(failures),
            "labelling_error": any(d["kind"] == "labelling" for d in deviations),
            "authority_request": True,
        }
        return None if on_file[ground] else f"Nothing on file for {batch_id} is a {ground}"

    # Queries

    def find_batches(
        self, text: str = "", status: BatchStatus | None = None, product_id: str | None = None
    ) -> dict[str, Any]:
        """Find batches by part of their number or product name.

        Args:
            text: Part of the batch number or product name, any case; empty for all.
            status: Only batches in this status.
            product_id: Only batches of this product.
        """
        found = []
        for row in _matching(self.batches, "batch_id", status=status, product_id=product_id):
            row["product"] = self.products[row["product_id"]]["name"]
            if text.casefold() in f"{row['number']} {row['product']}".casefold():
                found.append(row)
        return {"success": True, "batches": found}

    def get_batch(self, batch_id: str) -> dict[str, Any]:
        """Show a batch with its product, samples, consignments, recalls and refusals.

        Args:
            batch_id: The batch.
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _no(f"There is no batch {batch_id}")
        return {
            "success": True,
            "batch": {"batch_id": batch_id, **batch},
            "product": self.products[batch["product_id"]],
            "samples": list(_matching(self.samples, "sample_id", batch_id=batch_id)),
            "consignments": list(_matching(self.consignments, "consignment_id", batch_id=batch_id)),
            "recalls": list(_matching(self.recalls, "recall_id", batch_id=batch_id)),
            "refusals": list(_matching(self.refusals, "refusal_id", record_id=batch_id)),
        }

    def list_specifications(self, product_id: str, stage: Stage | None = None) -> dict[str, Any]:
        """List the tests of a product: limits, unit, decimals, method, equipment and reagent.

        Args:
            product_id: The product.
            stage: Only the tests for release, or only those over the shelf life.
        """
        if product_id not in self.products:
            return _no(f"There is no product {product_id}")
        lines = []
        for row in _matching(self.specifications, "line_id", product_id=product_id, stage=stage):
            method = self.methods[row["method_id"]]
            lines.append(
                {**row, "instrument_kind": method["instrument_kind"], "reagent": method["reagent"]}
            )
        return {"success": True, "lines": lines}

    def list_results(
        self,
        batch_id: str | None = None,
        analyst_id: str | None = None,
        status: ResultStatus | None = None,
        within: bool | None = None,
    ) -> dict[str, Any]:
        """List test results with their batch and test.

        Args:
            batch_id: Only results of this batch.
            analyst_id: Only results of this analyst.
            status: Only results in this status.
            within: Only results within specification, or only those outside.
        """
        rows = []
        for row in _matching(
            self.results, "result_id", analyst_id=analyst_id, status=status, within=within
        ):
            row["batch_id"] = self._batch_of(row)
            row["test"] = self.specifications[row["line_id"]]["test"]
            row["method_id"] = self.specifications[row["line_id"]]["method_id"]
            if batch_id in (None, row["batch_id"]):
                rows.append(row)
        return {"success": True, "results": rows}

    def list_investigations(
        self, batch_id: str | None = None, status: OpenClosed | None = None
    ) -> dict[str, Any]:
        """List investigations of results out of specification, with their retests.

        Args:
            batch_id: Only those into results of this batch.
            status: Only those in this status.
        """
        rows = []
        for row in _matching(self.investigations, "investigation_id", status=status):
            row["batch_id"] = self._batch_of(self.results[row["result_id"]])
            key = row["investigation_id"]
            row["retests"] = list(_matching(self.results, "result_id", investigation_id=key))
            if batch_id in (None, row["batch_id"]):
                rows.append(row)
        return {"success": True, "investigations": rows}

    def list_deviations(
        self,
        batch_id: str | None = None,
        status: OpenClosed | None = None,
        severity: Severity | None = None,
    ) -> dict[str, Any]:
        """List deviations, the oldest first.

        Args:
            batch_id: Only those that touch this batch.
            status: Only those in this status.
            severity: Only those of this severity.
        """
        rows = _matching(
            self.deviations, "deviation_id", batch_id=batch_id, status=status, severity=severity
        )
        return {"success": True, "deviations": sorted(rows, key=lambda d: d["reported_on"])}

    def list_actions(
        self,
        deviation_id: str | None = None,
        status: OpenClosed | None = None,
        due_by: str | None = None,
    ) -> dict[str, Any]:
        """List corrective actions by due date.

        Args:
            deviation_id: Only actions of this deviation.
            status: Only actions in this status.
            due_by: Only actions due on or before this date, YYYY-MM-DD.
        """
        if complaint := _not_a_date(due_by):
            return _no(complaint)
        rows = _matching(self.actions, "action_id", deviation_id=deviation_id, status=status)
        due = [row for row in rows if due_by is None or row["due_on"] <= due_by]
        return {"success": True, "actions": sorted(due, key=lambda row: row["due_on"])}

    def list_stability_pulls(
        self, due_by: str | None = None, status: PullStatus | None = None
    ) -> dict[str, Any]:
        """List the time points of the stability studies with the window of each.

        Args:
            due_by: Only time points due on or before this date, YYYY-MM-DD.
            status: Only those still planned, or only those taken.
        """
        if complaint := _not_a_date(due_by):
            return _no(complaint)
        rows = []
        for row in _matching(self.pulls, "pull_id", status=status):
            if due_by is None or row["due_on"] <= due_by:
                opens, closes = self._pull_window(self.pulls[row["pull_id"]])
                rows.append({**row, "window_opens": opens, "window_closes": closes})
        return {"success": True, "pulls": sorted(rows, key=lambda row: row["due_on"])}

    def list_instruments(self, kind: InstrumentKind | None = None) -> dict[str, Any]:
        """List laboratory instruments with the last day of their calibration.

        Args:
            kind: Only instruments of this kind.
        """
        rows = list(_matching(self.instruments, "instrument_id", kind=kind))
        return {"success": True, "instruments": rows}

    def list_reagents(self, text: str = "") -> dict[str, Any]:
        """List reagent bottles with the last day on which each may be used.

        Args:
            text: Part of the reagent's name or lot, any case; empty for all.
        """
        rows = [
            {**row, "usable_until": self._usable_until(self.reagents[row["reagent_id"]])}
            for row in _matching(self.reagents, "reagent_id")
            if text.casefold() in f"{row['name']} {row['lot']}".casefold()
        ]
        return {"success": True, "reagents": rows}

    def find_staff(
        self, text: str = "", role: Role | None = None, method_id: str | None = None
    ) -> dict[str, Any]:
        """Find people of the quality unit with their roles and training.

        Args:
            text: Part of the name, any case; empty for all.
            role: Only people with this role.
            method_id: Only people trained in this method.
        """
        rows = [
            row
            for row in _matching(self.staff, "staff_id")
            if text.casefold() in row["name"].casefold()
            and (role is None or role in row["roles"])
            and (method_id is None or method_id in row["methods"])
        ]
        return {"success": True, "staff": rows}

    # Work in the laboratory

    def draw_sample(
        self, batch_id: str, sampler_id: str, units: int, pull_id: str | None = None
    ) -> dict[str, Any]:
        """Take a release sample out of quarantine, or a stability sample out of its chamber.

        Args:
            batch_id: The batch.
            sampler_id: Who takes it.
            units: How many units are taken.
            pull_id: The stability time point that it is for; left out for a release sample.
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _no(f"There is no batch {batch_id}")
        if problem := self._acting(sampler_id, "sampler") or (
            self._release_sample_problem(batch, units)
            if pull_id is None
            else self._pull_problem(pull_id, batch_id, units)
        ):
            return _no(problem)
        sample_id = f"SMP-{self.next_sample}"
        self.next_sample += 1
        if pull_id is None:
            batch["units_in_store"] -= units
        else:
            self.pulls[pull_id]["status"] = "pulled"
            self.pulls[pull_id]["sample_id"] = sample_id
        self.samples[sample_id] = {
            "batch_id": batch_id,
            "stage": "release" if pull_id is None else "shelf_life",
            "units": units,
            "taken_by": sampler_id,
            "taken_on": self._today(),
        }
        return {"success": True, "sample_id": sample_id, "stage": self.samples[sample_id]["stage"]}

    def record_result(
        self,
        sample_id: str,
        line_id: str,
        analyst_id: str,
        instrument_id: str,
        reading: float,
        unit: Unit,
        reagent_id: str | None = None,
        investigation_id: str | None = None,
    ) -> dict[str, Any]:
        """Record a reading of today; it is converted and rounded as the specification asks.

        A sealed bottle counts as opened today.

        Args:
            sample_id: The sample.
            line_id: The specification line that is tested.
            analyst_id: Who ran the test.
            instrument_id: What it was run on.
            reading: The figure as read, not converted and not rounded.
            unit: The unit of the reading.
            reagent_id: The bottle that was used, for a method that takes a reagent.
            investigation_id: The open investigation that this is a retest for.
        """
        if sample_id not in self.samples:
            return _no(f"There is no sample {sample_id}")
        if line_id not in self.specifications:
            return _no(f"There is no specification line {line_id}")
        sample, line = self.samples[sample_id], self.specifications[line_id]
        method = self.methods[line["method_id"]]
        product_id = self.batches[sample["batch_id"]]["product_id"]
        if (line["product_id"], line["stage"]) != (product_id, sample["stage"]):
            return _no(f"{line_id} is not a {sample['stage']} test of the product of {sample_id}")
        if problem := (
            self._acting(analyst_id, "analyst")
            or self._untrained(analyst_id, line["method_id"])
            or self._unfit_instrument(instrument_id, method["instrument_kind"])
            or self._wrong_reagent(reagent_id, method["reagent"])
            or self._repeat_problem(sample_id, line_id, analyst_id, investigation_id)
        ):
            return _no(problem)
        if UNITS[unit][0] != UNITS[line["unit"]][0] or reading < 0:
            return _no(f"{reading} {unit} cannot be reported in {line['unit']}")
        reported = _reported(reading, unit, line)
        result_id = f"RES-{self.next_result}"
        self.next_result += 1
        if reagent_id is not None and self.reagents[reagent_id]["opened_on"] is None:
            self.reagents[reagent_id]["opened_on"] = self._today()
        self.results[result_id] = {
            "sample_id": sample_id,
            "line_id": line_id,
            "analyst_id": analyst_id,
            "instrument_id": instrument_id,
            "reagent_id": reagent_id,
            "reading": reading,
            "unit": unit,
            "reported": float(reported),
            "within": _meets(reported, line),
            "tested_on": self._today(),
            "status": "entered",
            "reviewer_id": None,
            "investigation_id": investigation_id,
        }
        return {
            "success": True,
            "result_id": result_id,
            "reported": f"{reported} {line['unit']}",
            "within": _meets(reported, line),
        }

    def _repeat_problem(
        self, sample_id: str, line_id: str, analyst_id: str, investigation_id: str | None
    ) -> str | None:
        """Say why a test is one repetition too many, or return None."""
        if investigation_id is None:
            for result_id, result in self.results.items():
                same = (result["sample_id"], result["line_id"]) == (sample_id, line_id)
                if same and result["status"] != "returned":
                    return f"{result_id} is the result of this test: retest in an investigation"
            return None
        if investigation_id not in self.investigations:
            return f"There is no investigation {investigation_id}"
        investigation = self.investigations[investigation_id]
        first = self.results[investigation["result_id"]]
        if investigation["status"] == "closed":
            return f"Investigation {investigation_id} is closed"
        if (first["sample_id"], first["line_id"]) != (sample_id, line_id):
            return f"{investigation_id} is about {first['line_id']} of {first['sample_id']}"
        if first["analyst_id"] == analyst_id:
            return "A retest is run by another analyst than the first test"
        if len(self._retests(investigation_id)) >= RETESTS:
            return f"The {RETESTS} retests of {investigation_id} are used up"
        return None

    def review_result(
        self, result_id: str, reviewer_id: str, decision: Literal["accept", "return"]
    ) -> dict[str, Any]:
        """Check a result as second person: accept it as recorded, or return it as wrongly recorded.

        Whether it is within specification does not matter here. A returned result does not
        count, and the test is recorded anew.

        Args:
            result_id: A result that has been entered.
            reviewer_id: An analyst trained in the method, not the one who ran the test.
            decision: Accept or return.
        """
        if result_id not in self.results:
            return _no(f"There is no result {result_id}")
        result = self.results[result_id]
        if result["status"] != "entered":
            return _no(f"Result {result_id} is {result['status']}")
        method_id = self.specifications[result["line_id"]]["method_id"]
        if problem := (
            self._acting(reviewer_id, "analyst") or self._untrained(reviewer_id, method_id)
        ):
            return _no(problem)
        if reviewer_id == result["analyst_id"]:
            return _no("Nobody reviews a result of their own")
        result["status"] = "reviewed" if decision == "accept" else "returned"
        result["reviewer_id"] = reviewer_id
        return {"success": True, "status": result["status"], "within": result["within"]}

    def open_investigation(self, result_id: str, lead_id: str) -> dict[str, Any]:
        """Open the investigation of a result out of specification.

        Args:
            result_id: A reviewed result out of specification that is no retest.
            lead_id: Somebody of quality assurance who leads it.
        """
        if result_id not in self.results:
            return _no(f"There is no result {result_id}")
        result = self.results[result_id]
        if result["within"] or result["investigation_id"] is not None:
            return _no(f"{result_id} is not a first result out of specification")
        if result["status"] != "reviewed":
            return _no(f"Result {result_id} is {result['status']}, not reviewed")
        if any(_matching(self.investigations, "investigation_id", result_id=result_id)):
            return _no(f"Result {result_id} has its investigation")
        if problem := self._acting(lead_id, "quality_assurance"):
            return _no(problem)
        investigation_id = f"OOS-{self.next_investigation}"
        self.next_investigation += 1
        self.investigations[investigation_id] = {
            "result_id": result_id,
            "lead_id": lead_id,
            "opened_on": self._today(),
            "status": "open",
            "cause": None,
            "conclusion": None,
            "closer_id": None,
        }
        return {"success": True, "investigation_id": investigation_id}

    def close_investigation(
        self, investigation_id: str, closer_id: str, cause: Cause
    ) -> dict[str, Any]:
        """Conclude an investigation: the result is invalidated for its cause, or confirmed.

        Args:
            investigation_id: An open investigation.
            closer_id: Somebody of quality assurance other than its lead.
            cause: The laboratory error that was found; none_found confirms the result.
        """
        investigation = self.investigations.get(investigation_id)
        if investigation is None or investigation["status"] == "closed":
            return _no(f"There is no open investigation {investigation_id}")
        if problem := self._acting(closer_id, "quality_assurance"):
            return _no(problem)
        if closer_id == investigation["lead_id"]:
            return _no("The lead of an investigation does not close it")
        retests = self._retests(investigation_id)
        if any(retest["status"] != "reviewed" for retest in retests):
            return _no("A retest has not been reviewed")
        if cause == "none_found":
            investigation["conclusion"] = "confirmed"
        else:
            if len([r for r in retests if r["within"]]) < RETESTS:
                return _no(f"A laboratory error needs {RETESTS} retests within specification")
            investigation["conclusion"] = "laboratory_error"
            self.results[investigation["result_id"]]["status"] = "invalidated"
        investigation["cause"] = cause
        investigation["status"] = "closed"
        investigation["closer_id"] = closer_id
        return {"success": True, "conclusion": investigation["conclusion"]}

    # Work of quality assurance

    def report_deviation(
        self, batch_id: str, kind: DeviationKind, severity: Severity, reporter_id: str
    ) -> dict[str, Any]:
        """Report a deviation; a critical one puts a released batch back into quarantine.

        Args:
            batch_id: The batch that it touches.
            kind: What happened.
            severity: How grave it is.
            reporter_id: Who reports it.
        """
        if batch_id not in self.batches:
            return _no(f"There is no batch {batch_id}")
        if reporter_id not in self.staff:
            return _no(f"Nobody on the staff list is {reporter_id}")
        if any(
            _matching(self.deviations, "deviation_id", batch_id=batch_id, kind=kind, status="open")
        ):
            return _no(f"An open deviation of {batch_id} is about {kind} already")
        deviation_id = f"DEV-{self.next_deviation}"
        self.next_deviation += 1
        self.deviations[deviation_id] = {
            "batch_id": batch_id,
            "kind": kind,
            "severity": severity,
            "reporter_id": reporter_id,
            "reported_on": self._today(),
            "status": "open",
            "closer_id": None,
        }
        batch = self.batches[batch_id]
        if severity == "critical" and batch["status"] == "released":
            batch["status"] = "quarantine"
            batch["certified_by"] = None
        return {"success": True, "deviation_id": deviation_id, "batch_status": batch["status"]}

    def assign_action(
        self, deviation_id: str, task: ActionTask, owner_id: str, due_on: str
    ) -> dict[str, Any]:
        """Give somebody a corrective action for an open deviation.

        Args:
            deviation_id: The deviation.
            task: What is to be done.
            owner_id: Who does it.
            due_on: Until when, YYYY-MM-DD.
        """
        deviation = self.deviations.get(deviation_id)
        if deviation is None or deviation["status"] == "closed":
            return _no(f"There is no open deviation {deviation_id}")
        if owner_id not in self.staff:
            return _no(f"Nobody on the staff list is {owner_id}")
        if complaint := _not_a_date(due_on):
            return _no(complaint)
        days = ACTION_DAYS[deviation["severity"]]
        latest = (datetime.now() + timedelta(days=days)).strftime("%Y-%m-%d")
        if not self._today() < due_on <= latest:
            return _no(f"The action falls due after today and by {latest}")
        if any(_matching(self.actions, "action_id", deviation_id=deviation_id, task=task)):
            return _no(f"{deviation_id} has an action to {task} already")
        action_id = f"ACT-{self.next_action}"
        self.next_action += 1
        self.actions[action_id] = {
            "deviation_id": deviation_id,
            "task": task,
            "owner_id": owner_id,
            "due_on": due_on,
            "status": "open",
            "verifier_id": None,
        }
        return {"success": True, "action_id": action_id}

    def close_action(self, action_id: str, verifier_id: str) -> dict[str, Any]:
        """Close a corrective action that has been done and verified.

        Args:
            action_id: An open action.
            verifier_id: Somebody of quality assurance, not the owner of the action.
        """
        action = self.actions.get(action_id)
        if action is None or action["status"] == "closed":
            return _no(f"There is no open action {action_id}")
        if problem := self._acting(verifier_id, "quality_assurance"):
            return _no(problem)
        if verifier_id == action["owner_id"]:
            return _no("Nobody verifies an action of their own")
        action["status"] = "closed"
        action["verifier_id"] = verifier_id
        return {"success": True, "deviation_id": action["deviation_id"]}

    def close_deviation(self, deviation_id: str, closer_id: str) -> dict[str, Any]:
        """Close a deviation whose actions are all closed.

        Args:
            deviation_id: An open deviation.
            closer_id: Somebody of quality assurance other than who reported it.
        """
        deviation = self.deviations.get(deviation_id)
        if deviation is None or deviation["status"] == "closed":
            return _no(f"There is no open deviation {deviation_id}")
        if problem := self._acting(closer_id, "quality_assurance"):
            return _no(problem)
        if closer_id == deviation["reporter_id"]:
            return _no("Whoever reported a deviation does not close it")
        actions = list(_matching(self.actions, "action_id", deviation_id=deviation_id))
        waiting = [action["action_id"] for action in actions if action["status"] == "open"]
        if waiting:
            return _no(f"Actions still open: {', '.join(waiting)}")
        if deviation["severity"] != "minor" and not actions:
            return _no(f"A {deviation['severity']} deviation needs a corrective action")
        deviation["status"] = "closed"
        deviation["closer_id"] = closer_id
        return {"success": True, "batch_id": deviation["batch_id"]}

    def certify_batch(
        self, batch_id: str, qp_id: str, decision: Literal["release", "reject"]
    ) -> dict[str, Any]:
        """Release a batch out of quarantine to the market, or reject it.

        Args:
            batch_id: A batch in quarantine.
            qp_id: The qualified person who decides.
            decision: Release or reject.
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _no(f"There is no batch {batch_id}")
        if batch["status"] != "quarantine":
            return _no(f"Batch {batch_id} is {batch['status']}, not in quarantine")
        if problem := self._acting(qp_id, "qualified_person"):
            return _no(problem)
        for result_id, result in self.results.items():
            hands = (result["analyst_id"], result["reviewer_id"])
            if self._batch_of(result) == batch_id and qp_id in hands:
                return _no(f"{qp_id} tested or reviewed {result_id} and cannot certify the batch")
        if decision == "release":
            if bar := self._release_bar(batch_id):
                return _no(bar)
            batch["status"] = "released"
        else:
            grave = _matching(
                self.deviations, "deviation_id", batch_id=batch_id, severity="critical"
            )
            if not self._investigated(batch_id, conclusion="confirmed") and not any(grave):
                return _no("Only a confirmed result or a critical deviation allows a rejection")
            batch["status"] = "rejected"
        batch["certified_by"] = qp_id
        return {"success": True, "status": batch["status"]}

    def start_recall(self, batch_id: str, ground: RecallGround, starter_id: str) -> dict[str, Any]:
        """Call a batch back from everybody it was sent to; its class follows from the ground.

        Args:
            batch_id: A batch of which something has been sent out.
            ground: Why; except for an authority's request it must be on file for the batch.
            starter_id: The qualified person who decides.
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _no(f"There is no batch {batch_id}")
        if batch["status"] == "recalled":
            return _no(f"Batch {batch_id} is recalled already")
        sent = [c for c in self.consignments.values() if c["batch_id"] == batch_id]
        if not sent:
            return _no(f"Nothing of batch {batch_id} has been sent out")
        if problem := self._acting(starter_id, "qualified_person") or self._recall_ground_missing(
            batch_id, ground
        ):
            return _no(problem)
        recall_id = f"RCL-{self.next_recall}"
        self.next_recall += 1
        self.recalls[recall_id] = {
            "batch_id": batch_id,
            "ground": ground,
            "recall_class": RECALL_CLASS[ground],
            "started_by": starter_id,
            "started_on": self._today(),
        }
        for consignment in sent:
            consignment["status"] = "recalled"
        batch["status"] = "recalled"
        units = sum(consignment["units"] for consignment in sent)
        return {
            "success": True,
            "recall_id": recall_id,
            "recall_class": RECALL_CLASS[ground],
            "units_out": units,
        }

    def decline_request(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record that a request was turned down.

        own_result is filed on the result; not_trained on the person; instrument_unfit on
        the instrument; reagent_unfit on the bottle; outside_pull_window on the stability pull;
        retests_used_up and no_laboratory_error on the investigation; release_blocked,
        no_ground_for_rejection and no_ground_for_recall on the batch; actions_open on the
        deviation; own_action on the corrective action.

        Args:
            record_id: The record that the refusal is filed on.
            reason: The rule or fact that stood in the way.
        """
        tables: dict[RefusalReason, Container[str]] = {
            "own_result": self.results,
            "not_trained": self.staff,
            "instrument_unfit": self.instruments,
            "reagent_unfit": self.reagents,
            "outside_pull_window": self.pulls,
            "retests_used_up": self.investigations,
            "no_laboratory_error": self.investigations,
            "release_blocked": self.batches,
            "no_ground_for_rejection": self.batches,
            "no_ground_for_recall": self.batches,
            "actions_open": self.deviations,
            "own_action": self.actions,
        }
        if record_id not in tables[reason]:
            return _no(f"{reason} is not filed on {record_id!r}")
        if any(_matching(self.refusals, "refusal_id", record_id=record_id, reason=reason)):
            return _no(f"{reason} is on record for {record_id} already")
        refusal_id = f"REF-{self.next_refusal}"
        self.next_refusal += 1
        self.refusals[refusal_id] = {
            "record_id": record_id,
            "reason": reason,
            "refused_on": self._today(),
        }
        return {"success": True, "refusal_id": refusal_id}
