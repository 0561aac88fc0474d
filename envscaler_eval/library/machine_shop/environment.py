"""Machine shop: routings, shifts, tools, bar stock, subcontracted steps, scrap and rework."""

from collections.abc import Container, Iterator
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, Literal, TypedDict

MachineKind = Literal["lathe", "mill", "grinder"]
Process = Literal["hardening", "anodising", "zinc_plating"]
Priority = Literal["A", "B", "C"]
OrderStatus = Literal["open", "finished"]
JobStatus = Literal["planned", "done", "cancelled"]
FaultCause = Literal["dimension", "surface", "tool_breakage", "material"]
RefusalReason = Literal[
    "due_date_impossible",
    "no_certificate",
    "tool_worn_out",
    "no_material",
    "mixed_heats",
    "priority_a_stays",
    "job_has_begun",
    "subcontractor_not_approved",
    "maintenance_overdue",
    "too_few_pieces",
]

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
KERF_MM = 3
CLAMPING_END_MM = 50
REGRIND_PERCENT = 25

# A moment is YYYY-MM-DDTHH:MM, a day YYYY-MM-DD; both sort as text. Durations are in minutes.


class Shift(TypedDict):
    starts: str
    ends: str
    days: list[str]


class Machine(TypedDict):
    name: str
    kind: MachineKind
    shifts: list[str]
    status: Literal["running", "down"]


# A service window; it may be moved, but has to be over by the end of latest_on.
class Maintenance(TypedDict):
    machine_id: str
    starts: str
    minutes: int
    latest_on: str


# A step of a routing; without a machine it is done outside, as the process that it names.
class Step(TypedDict):
    step: int
    machine_kind: MachineKind | None
    process: Process | None
    setup_min: int
    piece_min: int
    certificate: str | None
    tool_type: str | None


# What is made; spares are blanks that may be cut beyond the pieces of an order.
class Part(TypedDict):
    number: str
    name: str
    material: str
    blank_mm: int
    spares: int
    one_heat: bool
    steps: list[Step]


# Who orders; short_percent of the pieces may be missing from a delivery.
class Customer(TypedDict):
    name: str
    short_percent: int


class Order(TypedDict):
    customer_id: str
    part_id: str
    pieces: int
    due_on: str
    priority: Priority
    status: OrderStatus
    finished_pieces: int


# A step of an order on a machine.
class Job(TypedDict):
    order_id: str
    step: int
    machine_id: str
    operator_id: str
    tool_id: str | None
    starts: str
    ends: str
    tool_min: int
    status: JobStatus
    good: int
    scrap: int


# Who works in one shift; certificates with the last day on which each is valid.
class Operator(TypedDict):
    name: str
    shift: str
    certificates: dict[str, str]
    away_on: list[str]


# A cutting tool; its life counts minutes of machining, not of setting up.
class Tool(TypedDict):
    tool_type: str
    full_life_min: int
    life_left_min: int
    regrinds_left: int


class Bar(TypedDict):
    material: str
    heat: str
    length_mm: int
    status: Literal["released", "blocked"]


class Cut(TypedDict):
    order_id: str
    bar_id: str
    pieces: int
    used_mm: int
    cut_on: str


class Subcontractor(TypedDict):
    name: str
    processes: list[Process]
    approved_until: str
    least_pieces: int
    lead_days: int
    cents_per_piece: int
    minimum_cents: int


# A step of an order that is done by a subcontractor.
class Dispatch(TypedDict):
    order_id: str
    step: int
    subcontractor_id: str
    ship_on: str
    back_on: str
    charge_cents: int
    status: Literal["booked", "returned"]
    good: int
    scrap: int


# Pieces of a job that were not good; scrap is settled from the start.
class Fault(TypedDict):
    job_id: str
    pieces: int
    cause: FaultCause
    status: Literal["rework", "accepted", "scrapped"]
    inspector_id: str | None


class Refusal(TypedDict):
    record_id: str
    reason: RefusalReason
    refused_on: str


def _error(text: str) -> dict[str, Any]:
    return {"success": False, "error": text}


def _misread(text: str | None, form: str, example: str) -> str | None:
    """Say that a text is not a day or moment in its form; a text left out is none."""
    try:
        if text is None or datetime.strptime(text, form).strftime(form) == text:
            return None
    except ValueError:
        pass
    return f"{text!r} is not written like {example}"


def _not_a_day(text: str | None) -> str | None:
    return _misread(text, "%Y-%m-%d", "2026-01-31")


def _after(moment: str, minutes: int) -> str:
    return (datetime.fromisoformat(moment) + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M")


def _days_after(day: str, days: int) -> str:
    return (datetime.fromisoformat(day) + timedelta(days=days)).strftime("%Y-%m-%d")


class MachineShop:
    """Planning system of a contract machine shop."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.shifts: dict[str, Shift] = {}
        self.machines: dict[str, Machine] = {}
        self.maintenance: dict[str, Maintenance] = {}
        self.parts: dict[str, Part] = {}
        self.customers: dict[str, Customer] = {}
        self.orders: dict[str, Order] = {}
        self.jobs: dict[str, Job] = {}
        self.operators: dict[str, Operator] = {}
        self.tools: dict[str, Tool] = {}
        self.bars: dict[str, Bar] = {}
        self.cuts: dict[str, Cut] = {}
        self.subcontractors: dict[str, Subcontractor] = {}
        self.dispatches: dict[str, Dispatch] = {}
        self.faults: dict[str, Fault] = {}
        self.refusals: dict[str, Refusal] = {}
        self.next_job: int = 1
        self.next_cut: int = 1
        self.next_dispatch: int = 1
        self.next_fault: int = 1
        self.next_refusal: int = 1

    # The state of an order along its routing

    def _now(self) -> str:
        return datetime.now().strftime("%Y-%m-%dT%H:%M")

    def _steps(self, order_id: str) -> list[Step]:
        return self.parts[self.orders[order_id]["part_id"]]["steps"]

    def _blanks(self, order_id: str) -> int:
        return sum(cut["pieces"] for cut in self.cuts.values() if cut["order_id"] == order_id)

    def _work(self, order_id: str, step: int) -> Job | Dispatch | None:
        """The job or dispatch that a step of an order has, or None while it has neither."""
        found: list[Job | Dispatch] = [
            job
            for job in self.jobs.values()
            if (job["order_id"], job["step"]) == (order_id, step) and job["status"] != "cancelled"
        ]
        found += [
            d for d in self.dispatches.values() if (d["order_id"], d["step"]) == (order_id, step)
        ]
        return found[0] if found else None

    def _former(self, order_id: str, step: int) -> Job | Dispatch | None:
        """The work of the step before a step; None for the first, or where it has none yet."""
        before = [s["step"] for s in self._steps(order_id) if s["step"] < step]
        return self._work(order_id, before[-1]) if before else None

    def _pieces(self, order_id: str, step: int) -> int:
        """Pieces that come to a step, as far as is known: good ones so far, or the blanks."""
        for earlier in reversed(self._steps(order_id)):
            if earlier["step"] < step:
                work = self._work(order_id, earlier["step"])
                if work is not None and work["status"] in ("done", "returned"):
                    return work["good"]
        return self._blanks(order_id)

    def _open_rework(self, order_id: str) -> list[str]:
        return [
            fault_id
            for fault_id, fault in self.faults.items()
            if fault["status"] == "rework" and self.jobs[fault["job_id"]]["order_id"] == order_id
        ]

    def _not_ready(self, order_id: str, step: int) -> Iterator[str]:
        """Yield what keeps a step of an order from being planned or sent out."""
        if order_id not in self.orders:
            yield f"Order {order_id} is unknown"
            return
        order = self.orders[order_id]
        numbers = [s["step"] for s in self._steps(order_id)]
        if order["status"] != "open":
            yield f"Order {order_id} is {order['status']}"
        if step not in numbers:
            yield f"The routing of {order_id} has steps {numbers}"
            return
        if self._work(order_id, step) is not None:
            yield f"Step {step} of {order_id} is planned, sent out or done"
        if self._blanks(order_id) < order["pieces"]:
            yield f"{self._blanks(order_id)} of {order['pieces']} blanks are cut for {order_id}"
        if step != numbers[0] and self._former(order_id, step) is None:
            yield f"The step before {step} of {order_id} has not been planned"
        if rework := self._open_rework(order_id):
            yield f"Rework {rework[0]} of {order_id} has not been settled"

    def _ready_at(self, order_id: str, step: int) -> str:
        """The moment from which a step may begin."""
        former = self._former(order_id, step)
        if former is None:
            return ""
        return str(former.get("ends") or former.get("back_on"))

    # Machines, people and tools over time

    def _taken(self, machine_id: str) -> list[tuple[str, str, str]]:
        """When a machine is in use: from, to and by which job or maintenance."""
        windows = [
            (m["starts"], _after(m["starts"], m["minutes"]), maintenance_id)
            for maintenance_id, m in self.maintenance.items()
            if m["machine_id"] == machine_id
        ]
        jobs = [
            (job["starts"], job["ends"], job_id)
            for job_id, job in self.jobs.items()
            if job["machine_id"] == machine_id and job["status"] != "cancelled"
        ]
        return sorted(windows + jobs)

    def _clash(self, holder_id: str, starts: str, ends: str) -> str | None:
        """The planned job that keeps a person or a tool busy at some time, if any."""
        for job_id, job in self.jobs.items():
            busy = job["status"] == "planned" and starts < job["ends"] and job["starts"] < ends
            if busy and holder_id in (job["operator_id"], job["tool_id"]):
                return job_id
        return None

    def _tool_free_min(self, tool_id: str) -> int:
        planned = sum(
            job["tool_min"]
            for job in self.jobs.values()
            if job["tool_id"] == tool_id and job["status"] == "planned"
        )
        return self.tools[tool_id]["life_left_min"] - planned

    def _machine_obstacles(self, machine_id: str, step: Step) -> Iterator[str]:
        machine = self.machines.get(machine_id)
        if machine is None or machine["kind"] != step["machine_kind"]:
            yield f"Step {step['step']} needs a {step['machine_kind'] or step['process']}"
        elif machine["status"] == "down":
            yield f"{machine['name']} is down"

    def _operator_obstacles(
        self, operator_id: str, machine_id: str, step: Step, starts: str, ends: str
    ) -> Iterator[str]:
        if operator_id not in self.operators:
            yield f"There is no operator {operator_id}"
            return
        operator = self.operators[operator_id]
        day = starts[:10]
        if operator["certificates"].get(step["certificate"] or "", "") < day:
            yield f"{operator['name']} has no {step['certificate']} certificate valid on {day}"
        if day in operator["away_on"]:
            yield f"{operator['name']} is away on {day}"
        shift = self.shifts[operator["shift"]]
        if operator["shift"] not in self.machines[machine_id]["shifts"]:
            yield f"{machine_id} does not run in the {operator['shift']} shift"
        weekday = WEEKDAYS[datetime.fromisoformat(day).weekday()]
        opens, closes = f"{day}T{shift['starts']}", f"{day}T{shift['ends']}"
        if weekday not in shift["days"] or not opens <= starts < ends <= closes:
            yield (
                f"{starts} to {ends} is not within the {operator['shift']} shift: "
                f"{', '.join(shift['days'])} {shift['starts']}-{shift['ends']}"
            )
        if job_id := self._clash(operator_id, starts, ends):
            yield f"{operator['name']} works on {job_id} then"

    def _tool_obstacles(
        self, tool_id: str | None, step: Step, minutes: int, starts: str, ends: str
    ) -> Iterator[str]:
        if step["tool_type"] is None:
            if tool_id is not None:
                yield f"Step {step['step']} takes no tool from the crib"
            return
        if tool_id is None or tool_id not in self.tools:
            yield f"Step {step['step']} takes a tool: {step['tool_type']}"
            return
        if self.tools[tool_id]["tool_type"] != step["tool_type"]:
            yield f"{tool_id} is no {step['tool_type']}"
        if self._tool_free_min(tool_id) < minutes:
            yield f"{tool_id} can give {self._tool_free_min(tool_id)} of {minutes} minutes of life"
        if job_id := self._clash(tool_id, starts, ends):
            yield f"{tool_id} is in use for {job_id} then"

    def _planning_obstacles(
        self, order_id: str, step: Step, machine_id: str, starts: str, ends: str
    ) -> Iterator[str]:
        """Yield what stands against doing a step on a machine at some time."""
        if starts < self._now():
            yield f"{starts} has passed"
        if starts < self._ready_at(order_id, step["step"]):
            yield f"The step before ends on {self._ready_at(order_id, step['step'])}"
        if ends[:10] > self.orders[order_id]["due_on"]:
            yield f"Order {order_id} is due on {self.orders[order_id]['due_on']}"
        for since, until, by in self._taken(machine_id):
            if starts < until and since < ends:
                yield f"{machine_id} is taken by {by} from {since} to {until}"

    # Bar stock

    def _yield(self, bar_id: str, part: Part) -> int:
        """How many blanks of a part a bar gives; every blank costs a saw cut as well."""
        usable = self.bars[bar_id]["length_mm"] - CLAMPING_END_MM
        return max(0, usable // (part["blank_mm"] + KERF_MM))

    def _cutting_obstacles(self, order_id: str, bar_id: str, pieces: int) -> Iterator[str]:
        order, bar = self.orders[order_id], self.bars[bar_id]
        part = self.parts[order["part_id"]]
        if order["status"] != "open":
            yield f"Order {order_id} is {order['status']}"
        if bar["status"] == "blocked" or bar["material"] != part["material"]:
            yield f"{bar_id} is {bar['status']} {bar['material']}, and {part['material']} is wanted"
        most = order["pieces"] + part["spares"] - self._blanks(order_id)
        if not 1 <= pieces <= most:
            yield f"At most {max(0, most)} more blanks may be cut for {order_id}"
        if pieces > self._yield(bar_id, part):
            yield f"{bar_id} gives {self._yield(bar_id, part)} blanks of {part['blank_mm']} mm"
        heats = {
            self.bars[cut["bar_id"]]["heat"]
            for cut in self.cuts.values()
            if cut["order_id"] == order_id
        }
        if part["one_heat"] and heats - {bar["heat"]}:
            yield f"{order_id} has to be of one heat, {sorted(heats)[0]}"
        for other_id, other in self.bars.items():
            if (
                (other["material"], other["status"]) == (bar["material"], "released")
                and other["length_mm"] < bar["length_mm"]
                and self._yield(other_id, part) >= pieces
                and not (part["one_heat"] and heats - {other["heat"]})
            ):
                yield f"{other_id} is shorter and gives {pieces} blanks: use it up first"

    # Queries

    def search_parts(self, text: str = "") -> dict[str, Any]:
        """Find parts by piece of their number or name, with material and blank length.

        Args:
            text: Piece of the part number or name, any case; empty for all.
        """
        found = [
            {"part_id": part_id, **{k: v for k, v in part.items() if k != "steps"}}
            for part_id, part in self.parts.items()
            if text.lower() in f"{part['number']} {part['name']}".lower()
        ]
        return {"success": True, "parts": found}

    def get_part(self, part_id: str) -> dict[str, Any]:
        """Show a part with its routing: machine, minutes, certificate and tool of each step.

        Args:
            part_id: The part.
        """
        if part_id not in self.parts:
            return _error(f"There is no part {part_id}")
        return {"success": True, "part_id": part_id, **self.parts[part_id]}

    def list_orders(
        self, text: str = "", status: OrderStatus | None = None, due_by: str | None = None
    ) -> dict[str, Any]:
        """List customer orders by priority and due date.

        Args:
            text: Piece of the customer's name or the part's number or name; empty for all.
            status: Only orders in this status.
            due_by: Only orders due on or before this day, YYYY-MM-DD.
        """
        if problem := _not_a_day(due_by):
            return _error(problem)
        rows = []
        for order_id, order in self.orders.items():
            part, buyer = self.parts[order["part_id"]], self.customers[order["customer_id"]]["name"]
            if (
                text.lower() in f"{buyer} {part['number']} {part['name']}".lower()
                and status in (None, order["status"])
                and (due_by is None or order["due_on"] <= due_by)
            ):
                rows.append(
                    {"order_id": order_id, **order, "customer": buyer, "part": part["name"]}
                )
        return {"success": True, "orders": sorted(rows, key=lambda r: (r["priority"], r["due_on"]))}

    def get_order(self, order_id: str) -> dict[str, Any]:
        """Show an order with its terms, blanks, work at each step, faults and refusals.

        A dispatch is booked until it is returned; faulty pieces are in rework until they are
        accepted or scrapped.

        Args:
            order_id: The order.
        """
        if order_id not in self.orders:
            return _error(f"There is no order {order_id}")
        order = self.orders[order_id]
        jobs = {i: job for i, job in self.jobs.items() if job["order_id"] == order_id}
        return {
            "success": True,
            "order_id": order_id,
            **order,
            "customer": self.customers[order["customer_id"]],
            "blanks_cut": self._blanks(order_id),
            "cuts": [c for c in self.cuts.values() if c["order_id"] == order_id],
            "steps": [s["step"] for s in self._steps(order_id)],
            "jobs": [{"job_id": i, **job} for i, job in jobs.items()],
            "dispatches": [
                {"dispatch_id": i, **d}
                for i, d in self.dispatches.items()
                if d["order_id"] == order_id
            ],
            "faults": [
                {"fault_id": i, **fault}
                for i, fault in self.faults.items()
                if fault["job_id"] in jobs
            ],
            "refusals": [r for r in self.refusals.values() if r["record_id"] == order_id],
        }

    def list_machines(self, kind: MachineKind | None = None) -> dict[str, Any]:
        """List machines with the hours of the shifts in which they run.

        Args:
            kind: Only machines of this kind.
        """
        rows = [
            {
                "machine_id": machine_id,
                **machine,
                "hours": {name: self.shifts[name] for name in machine["shifts"]},
            }
            for machine_id, machine in self.machines.items()
            if kind in (None, machine["kind"])
        ]
        return {"success": True, "machines": rows}

    def list_maintenance(self, machine_id: str | None = None) -> dict[str, Any]:
        """List maintenance windows with the last day to which each may be moved.

        Args:
            machine_id: Only windows of this machine.
        """
        rows: list[dict[str, Any]] = [
            {"maintenance_id": i, **m, "ends": _after(m["starts"], m["minutes"])}
            for i, m in self.maintenance.items()
            if machine_id in (None, m["machine_id"])
        ]
        rows.sort(key=lambda row: row["starts"])
        return {"success": True, "maintenance": rows}

    def list_jobs(
        self,
        machine_id: str | None = None,
        operator_id: str | None = None,
        day: str | None = None,
        status: JobStatus | None = None,
    ) -> dict[str, Any]:
        """List jobs by their start.

        Args:
            machine_id: Only jobs on this machine.
            operator_id: Only jobs of this operator.
            day: Only jobs of this day, YYYY-MM-DD.
            status: Only jobs in this status.
        """
        if problem := _not_a_day(day):
            return _error(problem)
        rows: list[dict[str, Any]] = [
            {"job_id": job_id, **job, "priority": self.orders[job["order_id"]]["priority"]}
            for job_id, job in self.jobs.items()
            if machine_id in (None, job["machine_id"])
            and operator_id in (None, job["operator_id"])
            and day in (None, job["starts"][:10])
            and status in (None, job["status"])
        ]
        rows.sort(key=lambda row: row["starts"])
        return {"success": True, "jobs": rows}

    def show_machine_day(self, machine_id: str, day: str) -> dict[str, Any]:
        """Show when a machine runs on a day, and what takes it up.

        Args:
            machine_id: The machine.
            day: The day, YYYY-MM-DD.
        """
        if machine_id not in self.machines:
            return _error(f"There is no machine {machine_id}")
        if problem := _not_a_day(day):
            return _error(problem)
        weekday = WEEKDAYS[datetime.fromisoformat(day).weekday()]
        runs = [
            {"shift": name, "from": self.shifts[name]["starts"], "to": self.shifts[name]["ends"]}
            for name in self.machines[machine_id]["shifts"]
            if weekday in self.shifts[name]["days"]
        ]
        taken = [
            {"from": since, "to": until, "by": by}
            for since, until, by in self._taken(machine_id)
            if since[:10] <= day <= until[:10]
        ]
        return {"success": True, "weekday": weekday, "runs": runs, "taken": taken}

    def list_operators(
        self, certificate: str | None = None, shift: str | None = None
    ) -> dict[str, Any]:
        """List operators with their shift, certificates and days of absence.

        Args:
            certificate: Only operators who hold or held this certificate.
            shift: Only operators of this shift.
        """
        rows = [
            {"operator_id": operator_id, **operator}
            for operator_id, operator in self.operators.items()
            if (certificate is None or certificate in operator["certificates"])
            and shift in (None, operator["shift"])
        ]
        return {"success": True, "operators": rows}

    def list_tools(self, tool_type: str | None = None) -> dict[str, Any]:
        """List tools with the life left, and what of it no planned job takes, in minutes.

        Args:
            tool_type: Only tools of this type.
        """
        rows = [
            {"tool_id": tool_id, **tool, "unplanned_min": self._tool_free_min(tool_id)}
            for tool_id, tool in self.tools.items()
            if tool_type in (None, tool["tool_type"])
        ]
        return {"success": True, "tools": rows}

    def list_bars(self, material: str | None = None) -> dict[str, Any]:
        """List bars of stock, the shortest first.

        Args:
            material: Only bars of this material.
        """
        rows: list[dict[str, Any]] = [
            {"bar_id": bar_id, **bar}
            for bar_id, bar in self.bars.items()
            if material in (None, bar["material"])
        ]
        rows.sort(key=lambda row: row["length_mm"])
        return {"success": True, "bars": rows}

    def list_subcontractors(self, process: Process | None = None) -> dict[str, Any]:
        """List subcontractors with approval, lead time in calendar days, minimum and prices.

        Args:
            process: Only those who do this process.
        """
        rows = [
            {"subcontractor_id": i, **firm}
            for i, firm in self.subcontractors.items()
            if process is None or process in firm["processes"]
        ]
        return {"success": True, "subcontractors": rows}

    # Changes

    def cut_blanks(self, order_id: str, bar_id: str, pieces: int) -> dict[str, Any]:
        """Saw blanks for an order off a bar.

        Args:
            order_id: The order.
            bar_id: The bar.
            pieces: How many blanks.
        """
        if order_id not in self.orders:
            return _error(f"There is no order {order_id}")
        if bar_id not in self.bars:
            return _error(f"There is no bar {bar_id}")
        if obstacle := next(self._cutting_obstacles(order_id, bar_id, pieces), None):
            return _error(obstacle)
        part = self.parts[self.orders[order_id]["part_id"]]
        used_mm = pieces * (part["blank_mm"] + KERF_MM)
        self.bars[bar_id]["length_mm"] -= used_mm
        cut_id = f"CUT-{self.next_cut}"
        self.next_cut += 1
        self.cuts[cut_id] = {
            "order_id": order_id,
            "bar_id": bar_id,
            "pieces": pieces,
            "used_mm": used_mm,
            "cut_on": self._now()[:10],
        }
        return {
            "success": True,
            "cut_id": cut_id,
            "bar_left_mm": self.bars[bar_id]["length_mm"],
            "blanks_cut": self._blanks(order_id),
        }

    def plan_job(
        self,
        order_id: str,
        step: int,
        machine_id: str,
        operator_id: str,
        starts: str,
        tool_id: str | None = None,
    ) -> dict[str, Any]:
        """Plan a step of an order on a machine; it takes the setting-up and all pieces in one go.

        Args:
            order_id: The order.
            step: The step of its routing, such as 10.
            machine_id: The machine.
            operator_id: Who works on it.
            starts: When, YYYY-MM-DDTHH:MM.
            tool_id: The tool from the crib, where the step takes one.
        """
        if obstacle := next(self._not_ready(order_id, step), None):
            return _error(obstacle)
        if problem := _misread(starts, "%Y-%m-%dT%H:%M", "2026-01-31T06:00"):
            return _error(problem)
        routing = next(s for s in self._steps(order_id) if s["step"] == step)
        machining = self._pieces(order_id, step) * routing["piece_min"]
        ends = _after(starts, routing["setup_min"] + machining)
        obstacles = chain(
            self._machine_obstacles(machine_id, routing),
            self._planning_obstacles(order_id, routing, machine_id, starts, ends),
            self._operator_obstacles(operator_id, machine_id, routing, starts, ends),
            self._tool_obstacles(tool_id, routing, machining, starts, ends),
        )
        if obstacle := next(obstacles, None):
            return _error(obstacle)
        job_id = f"JOB-{self.next_job}"
        self.next_job += 1
        self.jobs[job_id] = {
            "order_id": order_id,
            "step": step,
            "machine_id": machine_id,
            "operator_id": operator_id,
            "tool_id": tool_id,
            "starts": starts,
            "ends": ends,
            "tool_min": 0 if tool_id is None else machining,
            "status": "planned",
            "good": 0,
            "scrap": 0,
        }
        return {"success": True, "job_id": job_id, "starts": starts, "ends": ends}

    def cancel_job(self, job_id: str) -> dict[str, Any]:
        """Take a planned job off its machine, so that its step can be planned anew.

        Args:
            job_id: A planned job that has not begun.
        """
        job = self.jobs.get(job_id)
        if job is None or job["status"] != "planned":
            return _error(f"There is no planned job {job_id}")
        if job["starts"] <= self._now():
            return _error(f"{job_id} began at {job['starts']}")
        if self.orders[job["order_id"]]["priority"] == "A":
            return _error(f"{job_id} is for {job['order_id']}, an order of priority A")
        for step in self._steps(job["order_id"]):
            if step["step"] > job["step"] and self._work(job["order_id"], step["step"]) is not None:
                return _error(f"Step {step['step']} of {job['order_id']} follows and is planned")
        job["status"] = "cancelled"
        return {"success": True, "order_id": job["order_id"], "step": job["step"]}

    def report_job(
        self, job_id: str, good: int, scrap: int, rework: int, cause: FaultCause | None = None
    ) -> dict[str, Any]:
        """Report a job as done; its tool loses the life that the job took.

        Args:
            job_id: A planned job whose time is over.
            good: Good pieces.
            scrap: Pieces that are lost.
            rework: Pieces that need rework and an inspection.
            cause: What was wrong with the pieces that are not good, if there are any.
        """
        job = self.jobs.get(job_id)
        if job is None or job["status"] != "planned":
            return _error(f"There is no planned job {job_id}")
        if job["ends"] > self._now():
            return _error(f"{job_id} ends at {job['ends']}")
        order_id, step = job["order_id"], job["step"]
        former = self._former(order_id, step)
        if former is not None and former["status"] in ("planned", "booked"):
            return _error(f"The step before {step} of {order_id} has not been reported")
        if waiting := self._open_rework(order_id):
            return _error(f"Rework {waiting[0]} of {order_id} has not been settled")
        pieces = self._pieces(order_id, step)
        if min(good, scrap, rework) < 0 or good + scrap + rework != pieces:
            return _error(f"{pieces} pieces came to the job and have to be accounted for")
        if (cause is None) != (good == pieces):
            return _error("Name a cause where pieces are not good, and only there")
        job["status"], job["good"], job["scrap"] = "done", good, scrap
        if job["tool_id"] is not None:
            self.tools[job["tool_id"]]["life_left_min"] -= job["tool_min"]
        if cause is not None:
            self._file_fault(job_id, scrap, cause, "scrapped")
            self._file_fault(job_id, rework, cause, "rework")
        return {
            "success": True,
            "good": good,
            "faults": [i for i, fault in self.faults.items() if fault["job_id"] == job_id],
        }

    def _file_fault(
        self, job_id: str, pieces: int, cause: FaultCause, status: Literal["scrapped", "rework"]
    ) -> None:
        if pieces:
            self.faults[f"FLT-{self.next_fault}"] = {
                "job_id": job_id,
                "pieces": pieces,
                "cause": cause,
                "status": status,
                "inspector_id": None,
            }
            self.next_fault += 1

    def settle_rework(
        self, fault_id: str, inspector_id: str, outcome: Literal["accept", "scrap"]
    ) -> dict[str, Any]:
        """Inspect reworked pieces: accept them as good, or scrap them.

        Args:
            fault_id: A fault whose pieces are in rework.
            inspector_id: Who inspects, with a valid inspection certificate; not who ran the job.
            outcome: What becomes of the pieces.
        """
        fault = self.faults.get(fault_id)
        if fault is None or fault["status"] != "rework":
            return _error(f"There is no rework {fault_id}")
        if inspector_id not in self.operators:
            return _error(f"There is no operator {inspector_id}")
        inspector = self.operators[inspector_id]
        today, job = self._now()[:10], self.jobs[fault["job_id"]]
        if inspector["certificates"].get("inspection", "") < today:
            return _error(f"{inspector['name']} has no valid inspection certificate")
        if today in inspector["away_on"]:
            return _error(f"{inspector['name']} is away today")
        if inspector_id == job["operator_id"]:
            return _error(f"{inspector['name']} ran the job and does not inspect it")
        job["good" if outcome == "accept" else "scrap"] += fault["pieces"]
        fault["status"] = "accepted" if outcome == "accept" else "scrapped"
        fault["inspector_id"] = inspector_id
        return {"success": True, "order_id": job["order_id"], "good": job["good"]}

    def regrind_tool(self, tool_id: str) -> dict[str, Any]:
        """Regrind a worn tool, which gives it its full life again.

        Args:
            tool_id: A tool with at most a quarter of its life left and nothing planned on it.
        """
        if tool_id not in self.tools:
            return _error(f"There is no tool {tool_id}")
        tool = self.tools[tool_id]
        if tool["regrinds_left"] == 0:
            return _error(f"{tool_id} cannot be reground again")
        if tool["life_left_min"] * 100 > tool["full_life_min"] * REGRIND_PERCENT:
            return _error(
                f"{tool_id} has {tool['life_left_min']} minutes left, too many to regrind"
            )
        if self._tool_free_min(tool_id) < tool["life_left_min"]:
            return _error(f"{tool_id} is planned for a job")
        tool["life_left_min"] = tool["full_life_min"]
        tool["regrinds_left"] -= 1
        return {"success": True, **tool}

    def move_maintenance(self, maintenance_id: str, starts: str) -> dict[str, Any]:
        """Move a maintenance window to another time.

        Args:
            maintenance_id: A window that has not begun.
            starts: When it is to begin, YYYY-MM-DDTHH:MM.
        """
        window = self.maintenance.get(maintenance_id)
        if window is None or window["starts"] <= self._now():
            return _error(f"There is no maintenance {maintenance_id} ahead")
        if problem := _misread(starts, "%Y-%m-%dT%H:%M", "2026-01-31T06:00"):
            return _error(problem)
        ends = _after(starts, window["minutes"])
        if starts <= self._now():
            return _error(f"{starts} has passed")
        if starts == window["starts"]:
            return _error(f"{maintenance_id} begins at {starts} as it is")
        if ends[:10] > window["latest_on"]:
            return _error(f"{maintenance_id} has to be over by {window['latest_on']}")
        for since, until, by in self._taken(window["machine_id"]):
            if by != maintenance_id and starts < until and since < ends:
                return _error(f"{window['machine_id']} is taken by {by} from {since} to {until}")
        window["starts"] = starts
        return {"success": True, "starts": starts, "ends": ends}

    def send_out(
        self, order_id: str, step: int, subcontractor_id: str, ship_on: str
    ) -> dict[str, Any]:
        """Book an outside step with a subcontractor.

        Args:
            order_id: The order.
            step: The step of its routing that is done outside.
            subcontractor_id: Who does it.
            ship_on: Day on which the pieces leave, YYYY-MM-DD.
        """
        if obstacle := next(self._not_ready(order_id, step), None):
            return _error(obstacle)
        process = next(s["process"] for s in self._steps(order_id) if s["step"] == step)
        firm = self.subcontractors.get(subcontractor_id)
        if firm is None or process not in firm["processes"]:
            return _error(f"{subcontractor_id} does not do step {step}: {process or 'in house'}")
        if problem := _not_a_day(ship_on):
            return _error(problem)
        if firm["approved_until"] < ship_on:
            return _error(f"{firm['name']} is approved until {firm['approved_until']}")
        if ship_on < self._now()[:10]:
            return _error(f"{ship_on} has passed")
        if ship_on < self._ready_at(order_id, step)[:10]:
            return _error(f"The step before ends on {self._ready_at(order_id, step)}")
        pieces = self._pieces(order_id, step)
        if pieces < firm["least_pieces"]:
            return _error(f"{firm['name']} takes {firm['least_pieces']} pieces or more")
        back_on = _days_after(ship_on, firm["lead_days"])
        if back_on > self.orders[order_id]["due_on"]:
            return _error(f"They are back on {back_on}, after {self.orders[order_id]['due_on']}")
        dispatch_id = f"OUT-{self.next_dispatch}"
        self.next_dispatch += 1
        charge = max(firm["minimum_cents"], pieces * firm["cents_per_piece"])
        self.dispatches[dispatch_id] = {
            "order_id": order_id,
            "step": step,
            "subcontractor_id": subcontractor_id,
            "ship_on": ship_on,
            "back_on": back_on,
            "charge_cents": charge,
            "status": "booked",
            "good": 0,
            "scrap": 0,
        }
        return {
            "success": True,
            "dispatch_id": dispatch_id,
            "back_on": back_on,
            "charge_cents": charge,
        }

    def receive_back(self, dispatch_id: str, good: int, scrap: int) -> dict[str, Any]:
        """Take pieces back from a subcontractor.

        Args:
            dispatch_id: A booked dispatch that has left.
            good: Good pieces.
            scrap: Pieces that are lost.
        """
        dispatch = self.dispatches.get(dispatch_id)
        if dispatch is None or dispatch["status"] == "returned":
            return _error(f"There is no dispatch {dispatch_id} outside")
        order_id, step = dispatch["order_id"], dispatch["step"]
        former = self._former(order_id, step)
        unfinished = former is not None and former["status"] == "planned"
        if unfinished or dispatch["ship_on"] > self._now()[:10]:
            return _error(f"{dispatch_id} has not left the shop")
        pieces = self._pieces(order_id, step)
        if min(good, scrap) < 0 or good + scrap != pieces:
            return _error(f"{pieces} pieces went out and have to be accounted for")
        dispatch["status"], dispatch["good"], dispatch["scrap"] = "returned", good, scrap
        return {"success": True, "order_id": order_id, "good": good}

    def finish_order(self, order_id: str) -> dict[str, Any]:
        """Declare an order finished, with the good pieces of its last step, up to those ordered.

        Args:
            order_id: An open order whose steps are all done.
        """
        order = self.orders.get(order_id)
        if order is None or order["status"] != "open":
            return _error(f"There is no open order {order_id}")
        for step in self._steps(order_id):
            work = self._work(order_id, step["step"])
            if work is None or work["status"] in ("planned", "booked"):
                return _error(f"Step {step['step']} of {order_id} is not done")
        if rework := self._open_rework(order_id):
            return _error(f"Rework {rework[0]} of {order_id} has not been settled")
        good = self._pieces(order_id, self._steps(order_id)[-1]["step"] + 1)
        customer = self.customers[order["customer_id"]]
        if good * 100 < order["pieces"] * (100 - customer["short_percent"]):
            return _error(f"{customer['name']} does not take {good} for {order['pieces']} pieces")
        order["status"] = "finished"
        order["finished_pieces"] = min(good, order["pieces"])
        return {"success": True, "finished_pieces": order["finished_pieces"]}

    def decline_request(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record that a request was turned down.

        File no_certificate on the operator, tool_worn_out on the tool, priority_a_stays and
        job_has_begun on the job, subcontractor_not_approved on the subcontractor,
        maintenance_overdue on the maintenance, and the other reasons on the order.

        Args:
            record_id: What the refusal is filed on.
            reason: The rule or fact that stood in the way; maintenance_overdue where a window was
                to be moved beyond its last day.
        """
        places: dict[RefusalReason, tuple[str, Container[str]]] = {
            "no_certificate": ("operators", self.operators),
            "tool_worn_out": ("tools", self.tools),
            "priority_a_stays": ("jobs", self.jobs),
            "job_has_begun": ("jobs", self.jobs),
            "subcontractor_not_approved": ("subcontractors", self.subcontractors),
            "maintenance_overdue": ("maintenance", self.maintenance),
        }
        place, records = places.get(reason, ("orders", self.orders))
        if record_id not in records:
            return _error(f"{reason} is filed on one of the {place}, and {record_id!r} is none")
        if (record_id, reason) in [(r["record_id"], r["reason"]) for r in self.refusals.values()]:
            return _error(f"{record_id} has that refusal already")
        refusal_id = f"REF-{self.next_refusal}"
        self.next_refusal += 1
        self.refusals[refusal_id] = {
            "record_id": record_id,
            "reason": reason,
            "refused_on": self._now()[:10],
        }
        return {"success": True, "refusal_id": refusal_id}
