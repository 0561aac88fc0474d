"""Staff leave: entitlements, requests, cover, sickness, time off in lieu and delegated approval."""

import math
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

LeaveKind = Literal["annual", "special"]
RequestKind = Literal["annual", "special", "lieu"]
RequestStatus = Literal["pending", "approved", "declined", "withdrawn"]
ClaimStatus = Literal["claimed", "confirmed", "declined"]
Reason = Literal[
    "no_balance",
    "not_accrued",
    "short_notice",
    "blackout",
    "below_cover",
    "quota_used_up",
    "service_too_short",
    "lieu_balance",
    "claimed_late",
    "lieu_cap",
]


class Policy(TypedDict):
    """What the employer and its works council have agreed."""

    full_time_week_hours: float
    full_time_annual_hours: float
    carry_over_weeks: float  # most that is carried into a new year, in weeks of the person's own
    carry_over_until: str  # MM-DD on which carried hours lapse
    notice_days: int  # calendar days from the submission to the first day of annual leave
    certificate_from_day: int  # calendar day of a sickness from which a doctor must certify it
    lieu_valid_days: int  # days after the overtime during which lieu time can be taken
    lieu_cap_hours: float
    lieu_claim_days: int  # days after the overtime within which it has to be claimed
    sunday_factor: float  # lieu hours for an hour worked on a Sunday or public holiday


class Site(TypedDict):
    """A place of work; public holidays differ between sites."""

    name: str
    region: str


class PublicHoliday(TypedDict):
    """A day off at one site."""

    site_id: str
    on: str
    name: str


class Pattern(TypedDict):
    """A weekly working pattern: hours from Monday to Sunday."""

    name: str
    hours: list[float]


class Team(TypedDict):
    """A team and how many of it must be at work on each working day."""

    name: str
    minimum_present: int
    minimum_qualified: int  # of these, holders of the team's licence


class Contract(TypedDict):
    """The pattern that someone works from a day on."""

    from_day: str
    pattern_id: str


class Employee(TypedDict):
    """A member of staff."""

    name: str
    job: str
    team_id: str
    site_id: str
    manager_id: str | None
    may_approve: bool
    qualified: bool
    starts_on: str
    ends_on: str | None
    contracts: list[Contract]


class Delegation(TypedDict):
    """Days on which someone decides in a manager's place."""

    manager_id: str
    delegate_id: str
    first_day: str
    last_day: str


class Blackout(TypedDict):
    """A period in which a team takes no leave that is not protected."""

    team_id: str
    first_day: str
    last_day: str
    why: str


class SpecialType(TypedDict):
    """A kind of paid special leave."""

    name: str
    days_per_year: int
    service_months: int
    protected: bool  # neither blackout nor cover stands in its way


class Account(TypedDict):
    """Annual leave of one person for one calendar year, in hours."""

    employee_id: str
    year: int
    granted_hours: float
    carried_hours: float
    carried_until: str | None


class Request(TypedDict):
    """A request for leave on the working days between two dates."""

    employee_id: str
    kind: RequestKind
    special_type: str | None
    first_day: str
    last_day: str
    lieu_hours: float | None
    submitted_on: str
    status: RequestStatus
    decided_by: str | None
    reason: Reason | None
    sick_days: list[str]  # leave days given back


class Sickness(TypedDict):
    """A spell of sickness, with the days for which a doctor vouches."""

    employee_id: str
    first_day: str
    last_day: str
    certified_from: str | None
    certified_until: str | None


class Overtime(TypedDict):
    """Extra hours worked, which become lieu hours when confirmed."""

    employee_id: str
    worked_on: str
    hours: float
    claimed_on: str
    status: ClaimStatus
    lieu_hours: float
    decided_by: str | None
    reason: Reason | None


def _no(why: str) -> dict[str, Any]:
    return {"success": False, "error": why}


def _day(text: str) -> date | None:
    try:
        parsed = date.fromisoformat(text)
    except ValueError:
        return None
    return parsed if parsed.isoformat() == text else None


def _span_problem(first_day: str, last_day: str, most_days: int = 365) -> str | None:
    """Say why two texts are no period of at most so many days after the first, or return None."""
    first, last = _day(first_day), _day(last_day)
    if first is None or last is None or first > last:
        return "A period has a first and a last day, YYYY-MM-DD, in that order"
    return f"At most {most_days} days on" if (last - first).days > most_days else None


def _each_day(first_day: str, last_day: str) -> list[str]:
    first, last = date.fromisoformat(first_day), date.fromisoformat(last_day)
    return [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]


def _later(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _meet(one: Mapping[str, Any], first_day: str, last_day: str) -> bool:
    """Whether a record's period has a day in common with another period."""
    return bool(one["first_day"] <= last_day and first_day <= one["last_day"])


class LeaveOffice:
    """The office that keeps the leave and absences of an employer with several sites."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.policy: Policy = {
            "full_time_week_hours": 1.0,
            "full_time_annual_hours": 0.0,
            "carry_over_weeks": 0.0,
            "carry_over_until": "",
            "notice_days": 0,
            "certificate_from_day": 1,
            "lieu_valid_days": 0,
            "lieu_cap_hours": 0.0,
            "lieu_claim_days": 0,
            "sunday_factor": 1.0,
        }
        self.sites: dict[str, Site] = {}
        self.public_holidays: dict[str, PublicHoliday] = {}
        self.patterns: dict[str, Pattern] = {}
        self.teams: dict[str, Team] = {}
        self.employees: dict[str, Employee] = {}
        self.delegations: dict[str, Delegation] = {}
        self.blackouts: dict[str, Blackout] = {}
        self.special_types: dict[str, SpecialType] = {}
        self.accounts: dict[str, Account] = {}
        self.requests: dict[str, Request] = {}
        self.sickness: dict[str, Sickness] = {}
        self.overtime: dict[str, Overtime] = {}
        self.next_account: int = 1
        self.next_request: int = 1
        self.next_sickness: int = 1
        self.next_delegation: int = 1

    # Working time

    def _today(self) -> str:
        return datetime.now().date().isoformat()

    def _nobody(self, *person_ids: str) -> str | None:
        strangers = [i for i in person_ids if i not in self.employees]
        return f"Employee {strangers[0]} does not exist" if strangers else None

    def _employed(self, employee_id: str, day: str) -> bool:
        person = self.employees[employee_id]
        return person["starts_on"] <= day <= (person["ends_on"] or "9999-12-31")

    def _pattern_on(self, employee_id: str, day: str) -> Pattern:
        """The pattern worked on a day; before the first contract, that of the first."""
        contracts = self.employees[employee_id]["contracts"]
        begun = [c for c in contracts if c["from_day"] <= day] or contracts[:1]
        return self.patterns[begun[-1]["pattern_id"]]

    def _holiday(self, employee_id: str, day: str) -> bool:
        site_id = self.employees[employee_id]["site_id"]
        return any((h["site_id"], h["on"]) == (site_id, day) for h in self.public_holidays.values())

    def _hours_on(self, employee_id: str, day: str) -> float:
        """Hours that someone is due to work on a day, leave and sickness aside."""
        if self._holiday(employee_id, day) or not self._employed(employee_id, day):
            return 0.0
        hours = self._pattern_on(employee_id, day)["hours"]
        return hours[date.fromisoformat(day).weekday()]

    def _leave_days(self, request: Request) -> dict[str, float]:
        """Working days of a request that were not given back, with the hours of each."""
        employee_id = request["employee_id"]
        span = _each_day(request["first_day"], request["last_day"])
        days = {day: request["lieu_hours"] or self._hours_on(employee_id, day) for day in span}
        return {d: h for d, h in days.items() if h > 0 and d not in request["sick_days"]}

    def _away(self, employee_id: str, day: str) -> bool:
        """Whether someone is sick or on approved leave for all of a working day."""
        spells = [s for s in self.sickness.values() if s["employee_id"] == employee_id]
        due = self._hours_on(employee_id, day)
        return any(_meet(spell, day, day) for spell in spells) or any(
            r["employee_id"] == employee_id
            and r["status"] == "approved"
            and self._leave_days(r).get(day, 0.0) >= due > 0
            for r in self.requests.values()
        )

    # Entitlement and lieu time

    def _earned(self, employee_id: str, year: int, until_month: int = 12) -> float:
        """Annual leave for the months up to one: a twelfth each, by the pattern on their 15th."""
        fifteenths = [f"{year}-{month:02}-15" for month in range(1, until_month + 1)]
        worked = sum(
            sum(self._pattern_on(employee_id, day)["hours"])
            for day in fifteenths
            if self._employed(employee_id, day)
        )
        full_time_month = self.policy["full_time_week_hours"] * 12
        hours = self.policy["full_time_annual_hours"] * worked / full_time_month
        return math.ceil(round(hours * 2, 6)) / 2

    def _account(self, employee_id: str, year: int) -> Account | None:
        for account in self.accounts.values():
            if (account["employee_id"], account["year"]) == (employee_id, year):
                return account
        return None

    def _balance(self, account: Account, extra: Request | None = None) -> dict[str, float]:
        """What an account holds, what is used, a further request included, and what is left."""
        taken = {
            day: hours
            for r in self.requests.values()
            if (r["employee_id"], r["kind"]) == (account["employee_id"], "annual")
            and (r["status"] == "approved" or r is extra)
            for day, hours in self._leave_days(r).items()
            if day[:4] == str(account["year"])
        }
        following = self._account(account["employee_id"], account["year"] + 1)
        passed_on = following["carried_hours"] if following else 0.0
        early = sum(h for day, h in taken.items() if day <= (account["carried_until"] or ""))
        used = sum(taken.values())
        from_carried = min(account["carried_hours"], early)
        return {
            "granted_hours": account["granted_hours"],
            "carried_hours": account["carried_hours"],
            "used_hours": used,
            "carried_left_hours": account["carried_hours"] - from_carried,
            "passed_on_hours": passed_on,
            "left_hours": account["granted_hours"] - (used - from_carried) - passed_on,
        }

    def _unearned(self, request: Request) -> str | None:
        """Say by when annual leave of the year of joining would go ahead of what is earned.

        Leave counts in the month in which it ends, so that what is approved for later months
        takes nothing from an earlier one, nor an earlier one from what they rest on.
        """
        employee_id, year = request["employee_id"], request["last_day"][:4]
        ending = [
            (r["last_day"][:7], sum(self._leave_days(r).values()))
            for r in self.requests.values()
            if (r["employee_id"], r["kind"]) == (employee_id, "annual")
            and r["last_day"][:4] == year
            and (r["status"] == "approved" or r is request)
        ]
        for month in sorted({m for m, _ in ending if m >= request["last_day"][:7]}):
            used = sum(hours for m, hours in ending if m <= month)
            earned = self._earned(employee_id, int(year), int(month[5:]))
            if used > earned:
                return f"{used} hours are more than the {earned} earned by the end of {month}"
        return None

    def _lieu_left(self, employee_id: str, on_day: str) -> float:
        """Lieu hours that can be taken on a day, the oldest overtime being used first."""
        valid = self.policy["lieu_valid_days"]
        stock = sorted(
            (o["worked_on"], o["lieu_hours"])
            for o in self.overtime.values()
            if (o["employee_id"], o["status"]) == (employee_id, "confirmed")
        )
        taken = sorted(
            (day, hours)
            for r in self.requests.values()
            if (r["employee_id"], r["kind"], r["status"]) == (employee_id, "lieu", "approved")
            for day, hours in self._leave_days(r).items()
        )
        for day, hours in taken:
            for position, (worked, left) in enumerate(stock):
                if worked <= day <= _later(worked, valid):
                    drawn = min(left, hours)
                    stock[position] = (worked, left - drawn)
                    hours -= drawn
        return sum(left for worked, left in stock if worked <= on_day <= _later(worked, valid))

    def _lieu_credit(self, claim: Overtime) -> float:
        """Lieu hours for a claim; Sundays and public holidays of the site count more."""
        sunday = date.fromisoformat(claim["worked_on"]).weekday() == 6
        special = sunday or self._holiday(claim["employee_id"], claim["worked_on"])
        return claim["hours"] * (self.policy["sunday_factor"] if special else 1.0)

    # Decisions

    def _delegate_of(self, manager_id: str) -> str | None:
        today = self._today()
        for delegation in self.delegations.values():
            if delegation["manager_id"] == manager_id and _meet(delegation, today, today):
                return delegation["delegate_id"]
        return None

    def _decider(self, employee_id: str) -> str | None:
        """Who decides today for someone: manager or delegate, or else the level above."""
        manager_id = self.employees[employee_id]["manager_id"]
        while manager_id is not None:
            deputy = self._delegate_of(manager_id) or manager_id
            if deputy != employee_id and not self._away(deputy, self._today()):
                return deputy
            manager_id = self.employees[manager_id]["manager_id"]
        return None

    def _special_days(self, employee_id: str, special_type: str, year: str) -> int:
        """Working days of a kind of special leave that were approved for a year."""
        return sum(
            len(self._leave_days(r))
            for r in self.requests.values()
            if (r["employee_id"], r["special_type"]) == (employee_id, special_type)
            and r["status"] == "approved"
            and r["first_day"][:4] == year
        )

    def _allowance_obstacles(self, request: Request) -> dict[Reason, str]:
        """What a request lacks in balance, accrual, quota or service."""
        found: dict[Reason, str] = {}
        employee_id, person = request["employee_id"], self.employees[request["employee_id"]]
        year = int(request["last_day"][:4])
        if request["kind"] == "annual":
            account = self._account(employee_id, year)
            if account is None:
                return {"no_balance": f"The leave year {year} of {employee_id} is not open"}
            left = self._balance(account, request)["left_hours"]
            if left < 0:
                found["no_balance"] = f"{-left} hours are missing"
            if person["starts_on"][:4] == str(year) and (problem := self._unearned(request)):
                found["not_accrued"] = problem
        elif request["special_type"] is not None:
            kind = self.special_types[request["special_type"]]
            used = self._special_days(employee_id, request["special_type"], str(year))
            wanted = len(self._leave_days(request))
            if used + wanted > kind["days_per_year"]:
                found["quota_used_up"] = f"{used} of {kind['days_per_year']} days are used"
            started = date.fromisoformat(person["starts_on"])
            begins = date.fromisoformat(request["first_day"])
            served = (begins.year - started.year) * 12 + begins.month - started.month
            if served - (begins.day < started.day) < kind["service_months"]:
                found["service_too_short"] = f"{kind['service_months']} months of service needed"
        else:
            left = self._lieu_left(employee_id, request["first_day"])
            if (request["lieu_hours"] or 0.0) > left:
                found["lieu_balance"] = f"{left} lieu hours can be taken on {request['first_day']}"
        return found

    def _obstacles(self, request: Request) -> dict[Reason, str]:
        """Everything that stands in the way of approving a request, by reason."""
        found = self._allowance_obstacles(request)
        person = self.employees[request["employee_id"]]
        notice, days = self.policy["notice_days"], self._leave_days(request)
        in_time = _later(request["submitted_on"], notice)
        if request["kind"] == "annual" and request["first_day"] < in_time:
            found["short_notice"] = f"Annual leave is submitted {notice} days ahead"
        if request["special_type"] and self.special_types[request["special_type"]]["protected"]:
            return found
        for blackout in self.blackouts.values():
            barred = blackout["team_id"] == person["team_id"]
            if barred and any(_meet(blackout, day, day) for day in days):
                found["blackout"] = f"{blackout['why']} until {blackout['last_day']}"
        team = self.teams[person["team_id"]]
        for day, hours in days.items():
            if hours < self._hours_on(request["employee_id"], day):
                continue
            left = [
                i
                for i, p in self.employees.items()
                if p["team_id"] == person["team_id"] and i != request["employee_id"]
                if self._hours_on(i, day) > 0 and not self._away(i, day)
            ]
            qualified = [i for i in left if self.employees[i]["qualified"]]
            short = len(left) < team["minimum_present"]
            if short or len(qualified) < team["minimum_qualified"]:
                found["below_cover"] = f"{len(left)} at work on {day}, {len(qualified)} qualified"
                break
        return found

    def _claim_obstacles(self, claim: Overtime) -> dict[Reason, str]:
        found: dict[Reason, str] = {}
        if claim["claimed_on"] > _later(claim["worked_on"], self.policy["lieu_claim_days"]):
            found["claimed_late"] = f"Overtime of {claim['worked_on']} was claimed too late"
        after = self._lieu_left(claim["employee_id"], self._today()) + self._lieu_credit(claim)
        if after > self.policy["lieu_cap_hours"]:
            found["lieu_cap"] = f"{after} hours would be over the cap"
        return found

    def _ahead_in_queue(self, record_id: str) -> str | None:
        """A pending request of the team, submitted on an earlier day, with a same working day."""
        if record_id not in self.requests:
            return None
        request = self.requests[record_id]
        team_id = self.employees[request["employee_id"]]["team_id"]
        days = set(self._leave_days(request))
        for other_id, other in self.requests.items():
            waits = other["status"] == "pending"
            earlier = waits and other["submitted_on"] < request["submitted_on"]
            colleagues = self.employees[other["employee_id"]]["team_id"] == team_id
            if earlier and colleagues and days & set(self._leave_days(other)):
                return other_id
        return None

    def _who(self, employee_id: str) -> dict[str, Any]:
        person = self.employees[employee_id]
        shown = ("name", "job", "team_id", "site_id", "manager_id", "may_approve")
        return {"employee_id": employee_id, **{k: v for k, v in person.items() if k in shown}}

    # Queries

    def get_policy(self) -> dict[str, Any]:
        """Show the leave policy, the kinds of special leave and the working patterns."""
        return {
            "success": True,
            "policy": self.policy,
            "special_types": self.special_types,
            "patterns": {
                pattern_id: {**pattern, "week_hours": sum(pattern["hours"])}
                for pattern_id, pattern in self.patterns.items()
            },
        }

    def list_teams(self) -> dict[str, Any]:
        """List teams with the people they need at work each working day, and their blackouts."""
        return {
            "success": True,
            "teams": [
                {
                    "team_id": team_id,
                    **team,
                    "blackouts": [b for b in self.blackouts.values() if b["team_id"] == team_id],
                }
                for team_id, team in self.teams.items()
            ],
        }

    def list_public_holidays(self, site_id: str | None = None) -> dict[str, Any]:
        """List the public holidays of the sites by date.

        Args:
            site_id: Only those of this site.
        """
        found = [
            {**holiday, "site": self.sites[holiday["site_id"]]["name"]}
            for holiday in self.public_holidays.values()
            if site_id in (None, holiday["site_id"])
        ]
        return {"success": True, "public_holidays": sorted(found, key=lambda row: row["on"])}

    def find_employees(self, text: str = "", team_id: str | None = None) -> dict[str, Any]:
        """Find staff by part of their name, job or site.

        Args:
            text: Part of the name, job or site name, any case; empty for all.
            team_id: Only members of this team.
        """
        found = [
            self._who(employee_id)
            for employee_id, p in self.employees.items()
            if text.lower() in f"{p['name']} {p['job']} {self.sites[p['site_id']]['name']}".lower()
            and team_id in (None, p["team_id"])
        ]
        return {"success": True, "employees": found}

    def get_employee(self, employee_id: str) -> dict[str, Any]:
        """Show someone's dates, patterns, manager and the delegations that the manager gave.

        Args:
            employee_id: The member of staff.
        """
        if problem := self._nobody(employee_id):
            return _no(problem)
        person = self.employees[employee_id]
        manager_id = person["manager_id"]
        return {
            "success": True,
            "employee": person,
            "pattern_today": self._pattern_on(employee_id, self._today()),
            "manager": None if manager_id is None else self._who(manager_id),
            "manager_delegations": [
                d for d in self.delegations.values() if d["manager_id"] == manager_id
            ],
        }

    def team_calendar(self, team_id: str, first_day: str, last_day: str) -> dict[str, Any]:
        """Show who of a team is due, away and at work on each working day of a period.

        Args:
            team_id: The team.
            first_day: First day, YYYY-MM-DD.
            last_day: Last day, YYYY-MM-DD, at most 31 days later.
        """
        if team_id not in self.teams:
            return _no(f"Team {team_id} does not exist")
        if problem := _span_problem(first_day, last_day, 31):
            return _no(problem)
        members = [i for i, p in self.employees.items() if p["team_id"] == team_id]
        rows = [
            {
                "day": day,
                "weekday": date.fromisoformat(day).strftime("%a"),
                "at_work": [i for i in due if not self._away(i, day)],
                "away": [i for i in due if self._away(i, day)],
            }
            for day in _each_day(first_day, last_day)
            if (due := [i for i in members if self._hours_on(i, day) > 0])
        ]
        qualified = [i for i in members if self.employees[i]["qualified"]]
        team = {**self.teams[team_id], "qualified": qualified}
        return {"success": True, "team": team, "days": rows}

    def get_balance(self, employee_id: str, year: int) -> dict[str, Any]:
        """Show someone's annual leave and special leave of a year, and today's lieu hours.

        Args:
            employee_id: The member of staff.
            year: The calendar year.
        """
        if problem := self._nobody(employee_id):
            return _no(problem)
        account = self._account(employee_id, year)
        special = {k: self._special_days(employee_id, k, str(year)) for k in self.special_types}
        return {
            "success": True,
            "employee": self.employees[employee_id]["name"],
            "annual": account and {**self._balance(account), "until": account["carried_until"]},
            "special_days_used": {kind: used for kind, used in special.items() if used},
            "lieu_hours_today": self._lieu_left(employee_id, self._today()),
        }

    def list_requests(
        self,
        employee_id: str | None = None,
        team_id: str | None = None,
        status: RequestStatus | None = None,
        kind: RequestKind | None = None,
    ) -> dict[str, Any]:
        """List leave requests in the order in which they came in.

        Args:
            employee_id: Only those of this member of staff.
            team_id: Only those of this team.
            status: Only those in this status.
            kind: Only this kind of leave.
        """
        found = [
            {
                "request_id": request_id,
                "name": self.employees[r["employee_id"]]["name"],
                **{key: value for key, value in r.items() if value not in (None, [])},
            }
            for request_id, r in self.requests.items()
            if employee_id in (None, r["employee_id"])
            and team_id in (None, self.employees[r["employee_id"]]["team_id"])
            and status in (None, r["status"])
            and kind in (None, r["kind"])
        ]
        found.sort(key=lambda row: str(row["submitted_on"]))
        return {"success": True, "requests": found}

    def get_request(self, request_id: str) -> dict[str, Any]:
        """Show a request with its working days and the hours of each.

        Args:
            request_id: The request.
        """
        if request_id not in self.requests:
            return _no(f"Request {request_id} does not exist")
        request = self.requests[request_id]
        days = self._leave_days(request)
        return {"success": True, "request": request, "days": days, "hours": sum(days.values())}

    def list_sickness(
        self, employee_id: str | None = None, since: str | None = None
    ) -> dict[str, Any]:
        """List spells of sickness with the days that a doctor has certified.

        Args:
            employee_id: Only those of this member of staff.
            since: Only spells that end on or after this day, YYYY-MM-DD.
        """
        if since is not None and _day(since) is None:
            return _no("Days are given as YYYY-MM-DD")
        found = [
            {"sickness_id": i, "name": self.employees[s["employee_id"]]["name"], **s}
            for i, s in self.sickness.items()
            if employee_id in (None, s["employee_id"]) and s["last_day"] >= (since or "")
        ]
        return {"success": True, "sickness": found}

    def list_overtime(
        self, employee_id: str | None = None, status: ClaimStatus | None = None
    ) -> dict[str, Any]:
        """List overtime claims with the lieu hours that they are worth, and until when.

        Args:
            employee_id: Only those of this member of staff.
            status: Only claims in this status.
        """
        found = [
            {
                "overtime_id": i,
                "name": self.employees[o["employee_id"]]["name"],
                **o,
                "worth_hours": self._lieu_credit(o),
                "valid_until": _later(o["worked_on"], self.policy["lieu_valid_days"]),
            }
            for i, o in self.overtime.items()
            if employee_id in (None, o["employee_id"]) and status in (None, o["status"])
        ]
        return {"success": True, "overtime": found}

    def list_delegations(
        self, manager_id: str | None = None, on_day: str | None = None
    ) -> dict[str, Any]:
        """List who decides in which manager's place, and when.

        Args:
            manager_id: Only delegations of this manager.
            on_day: Only those that hold on this day, YYYY-MM-DD.
        """
        if on_day is not None and _day(on_day) is None:
            return _no("Days are given as YYYY-MM-DD")
        found = [
            {"delegation_id": i, **d, "delegate": self.employees[d["delegate_id"]]["name"]}
            for i, d in self.delegations.items()
            if manager_id in (None, d["manager_id"])
            and (on_day is None or _meet(d, on_day, on_day))
        ]
        return {"success": True, "delegations": found}

    # Changes

    def _file(
        self,
        employee_id: str,
        kind: RequestKind,
        first_day: str,
        last_day: str,
        special_type: str | None = None,
        lieu_hours: float | None = None,
    ) -> dict[str, Any]:
        """Take in a request, unless it has no working hours or overlaps another."""
        if first_day[:4] != last_day[:4]:
            return _no("A request stays within one calendar year")
        for other_id, other in self.requests.items():
            mine = other["employee_id"] == employee_id
            lively = other["status"] in ("pending", "approved")
            if mine and lively and _meet(other, first_day, last_day):
                return _no(f"{other_id} already covers some of these days")
        request: Request = {
            "employee_id": employee_id,
            "kind": kind,
            "special_type": special_type,
            "first_day": first_day,
            "last_day": last_day,
            "lieu_hours": lieu_hours,
            "submitted_on": self._today(),
            "status": "pending",
            "decided_by": None,
            "reason": None,
            "sick_days": [],
        }
        days = self._leave_days(request)
        if not days:
            return _no("There is no working day in that period")
        request_id = f"LR-{self.next_request}"
        self.requests[request_id] = request
        self.next_request += 1
        return {"success": True, "request_id": request_id, "hours": sum(days.values())}

    def submit_leave(
        self,
        employee_id: str,
        kind: LeaveKind,
        first_day: str,
        last_day: str,
        special_type: str | None = None,
    ) -> dict[str, Any]:
        """Enter a request for whole days of annual or special leave; it is pending at first.

        Args:
            employee_id: Who wants leave.
            kind: Annual leave from the yearly account, or special leave.
            first_day: First day away, YYYY-MM-DD.
            last_day: Last day away, YYYY-MM-DD; days off in between cost nothing.
            special_type: Code of the special leave; none for annual leave.
        """
        if problem := self._nobody(employee_id) or _span_problem(first_day, last_day):
            return _no(problem)
        if special_type not in (self.special_types if kind == "special" else (None,)):
            return _no("Special leave, and no other, names a type that exists")
        return self._file(employee_id, kind, first_day, last_day, special_type)

    def submit_lieu_time(self, employee_id: str, on_day: str, hours: float) -> dict[str, Any]:
        """Enter a request to take hours in lieu of overtime on one working day.

        Args:
            employee_id: Who wants time off.
            on_day: The day, YYYY-MM-DD, not in the past.
            hours: Hours off in steps of half an hour, at most those due on that day.
        """
        if problem := self._nobody(employee_id) or _span_problem(on_day, on_day):
            return _no(problem)
        if on_day < self._today():
            return _no("Hours in lieu are asked for before the day is over")
        due = self._hours_on(employee_id, on_day)
        if not 0.5 <= hours <= due or hours * 2 != int(hours * 2):
            return _no(f"Between half an hour and {due} hours can be taken, in half hours")
        return self._file(employee_id, "lieu", on_day, on_day, lieu_hours=float(hours))

    def _open_case(self, record_id: str, approver_id: str) -> dict[Reason, str] | str:
        """The obstacles of a waiting request or claim, or why it cannot be decided."""
        if record_id in self.requests:
            request = self.requests[record_id]
            person, waiting = request["employee_id"], request["status"] == "pending"
            obstacles = self._obstacles(request)
        elif record_id in self.overtime:
            claim = self.overtime[record_id]
            person, waiting = claim["employee_id"], claim["status"] == "claimed"
            obstacles = self._claim_obstacles(claim)
        else:
            return f"There is no request or claim {record_id}"
        if not waiting:
            return f"{record_id} is decided or withdrawn already"
        if approver_id == person:
            return "Nobody decides on their own behalf"
        if approver_id != self._decider(person):
            return f"It is not {approver_id} who decides for {person} today"
        return obstacles

    def approve(self, record_id: str, approver_id: str) -> dict[str, Any]:
        """Approve a leave request, or confirm overtime as lieu hours, if nothing is in the way.

        Args:
            record_id: The pending leave request or the overtime claim.
            approver_id: The manager or delegate who decides for this person today.
        """
        obstacles = self._open_case(record_id, approver_id)
        if isinstance(obstacles, str):
            return _no(obstacles)
        if earlier := self._ahead_in_queue(record_id):
            return _no(f"{earlier} came in earlier for some of these days and is not decided")
        for reason, detail in obstacles.items():
            return _no(f"{reason}: {detail}")
        if record_id in self.overtime:
            claim = self.overtime[record_id]
            claim["lieu_hours"] = self._lieu_credit(claim)
            claim["status"], claim["decided_by"] = "confirmed", approver_id
            return {"success": True, "lieu_hours": claim["lieu_hours"]}
        request = self.requests[record_id]
        request["status"], request["decided_by"] = "approved", approver_id
        days = self._leave_days(request)
        return {"success": True, "working_days": len(days), "hours": sum(days.values())}

    def decline(self, record_id: str, approver_id: str, reason: Reason) -> dict[str, Any]:
        """Turn down a leave request or an overtime claim, for a reason that holds.

        Args:
            record_id: The pending leave request or the overtime claim.
            approver_id: The manager or delegate who decides for this person today.
            reason: What stands in the way.
        """
        obstacles = self._open_case(record_id, approver_id)
        if isinstance(obstacles, str):
            return _no(obstacles)
        if reason not in obstacles:
            return _no(f"{reason} does not stand in the way of {record_id}")
        records: Mapping[str, Request | Overtime] = {**self.overtime, **self.requests}
        record = records[record_id]
        record["status"], record["decided_by"] = "declined", approver_id
        record["reason"] = reason
        return {"success": True, "record_id": record_id, "status": "declined"}

    def withdraw_request(self, request_id: str) -> dict[str, Any]:
        """Take back a pending or approved request whose first day is still to come.

        Args:
            request_id: The request.
        """
        if request_id not in self.requests:
            return _no(f"Request {request_id} does not exist")
        request = self.requests[request_id]
        if (
            request["status"] not in ("pending", "approved")
            or request["first_day"] <= self._today()
        ):
            return _no(f"{request_id} is {request['status']} and starts on {request['first_day']}")
        request["status"] = "withdrawn"
        return {"success": True, "request_id": request_id, "status": "withdrawn"}

    def _touching_spell(
        self, employee_id: str, first_day: str, last_day: str, besides: str = ""
    ) -> str | None:
        """Another spell of someone's on days of a period or next to it, or None."""
        for sickness_id, spell in self.sickness.items():
            own = spell["employee_id"] == employee_id and sickness_id != besides
            if own and _meet(spell, _later(first_day, -1), _later(last_day, 1)):
                return sickness_id
        return None

    def record_sickness(self, employee_id: str, first_day: str, last_day: str) -> dict[str, Any]:
        """Enter sickness that someone reports without a doctor's certificate.

        Args:
            employee_id: Who is sick.
            first_day: First day of sickness, YYYY-MM-DD, not after today.
            last_day: Last day as far as known, YYYY-MM-DD.
        """
        if problem := self._nobody(employee_id) or _span_problem(first_day, last_day):
            return _no(problem)
        if first_day > self._today() or not self._employed(employee_id, first_day):
            return _no("Sickness is recorded once it has begun, and only while employed")
        if last_day > _later(first_day, self.policy["certificate_from_day"] - 2):
            return _no("So long a spell needs a certificate: record what goes without one")
        if other_id := self._touching_spell(employee_id, first_day, last_day):
            return _no(f"{other_id} touches these days: certify that one instead")
        sickness_id = f"SK-{self.next_sickness}"
        self.next_sickness += 1
        self.sickness[sickness_id] = {
            "employee_id": employee_id,
            "first_day": first_day,
            "last_day": last_day,
            "certified_from": None,
            "certified_until": None,
        }
        return {"success": True, "sickness_id": sickness_id}

    def file_certificate(self, sickness_id: str, first_day: str, last_day: str) -> dict[str, Any]:
        """File a doctor's certificate; a longer one prolongs the spell.

        Args:
            sickness_id: The spell of sickness.
            first_day: First day that the doctor certifies, YYYY-MM-DD.
            last_day: Last day that the doctor certifies, YYYY-MM-DD; before the next spell.
        """
        if sickness_id not in self.sickness:
            return _no(f"Sickness {sickness_id} does not exist")
        if problem := _span_problem(first_day, last_day):
            return _no(problem)
        spell = self.sickness[sickness_id]
        if spell["certified_until"] is None:
            due = _later(spell["first_day"], self.policy["certificate_from_day"] - 1)
            latest = min(due, _later(spell["last_day"], 1))
            if not spell["first_day"] <= first_day <= latest:
                return _no(f"A certificate starts on {spell['first_day']} to {latest}")
        elif first_day != _later(spell["certified_until"], 1):
            return _no(f"{sickness_id} is certified until {spell['certified_until']}")
        if other_id := self._touching_spell(spell["employee_id"], first_day, last_day, sickness_id):
            return _no(f"{other_id} touches these days")
        spell["certified_from"] = spell["certified_from"] or first_day
        spell["certified_until"] = last_day
        spell["last_day"] = max(spell["last_day"], last_day)
        return {"success": True, "spell": spell}

    def credit_sick_days(self, request_id: str, sickness_id: str) -> dict[str, Any]:
        """Give back the days of approved leave on which someone was certified sick.

        Args:
            request_id: Approved annual leave or lieu time.
            sickness_id: The spell that interrupted it.
        """
        if request_id not in self.requests or sickness_id not in self.sickness:
            return _no("The request and the spell of sickness have to exist")
        request, spell = self.requests[request_id], self.sickness[sickness_id]
        same = request["employee_id"] == spell["employee_id"]
        if not same or request["status"] != "approved" or request["kind"] == "special":
            return _no(f"{request_id} is no approved annual leave or lieu time of that person")
        days = self._leave_days(request)
        vouched = [
            day
            for day in days
            if (spell["certified_from"] or "9999") <= day <= (spell["certified_until"] or "")
        ]
        if not vouched:
            return _no(f"No leave day of {request_id} is certified in {sickness_id}")
        request["sick_days"] = sorted([*request["sick_days"], *vouched])
        hours = sum(days[day] for day in vouched)
        return {"success": True, "given_back": vouched, "hours": hours}

    def appoint_delegate(
        self, manager_id: str, delegate_id: str, first_day: str, last_day: str
    ) -> dict[str, Any]:
        """Let someone decide in a manager's place for a while.

        Args:
            manager_id: The manager who hands over.
            delegate_id: Who decides instead; someone who may approve.
            first_day: First day, YYYY-MM-DD, not in the past.
            last_day: Last day, YYYY-MM-DD.
        """
        if problem := self._nobody(manager_id, delegate_id) or _span_problem(first_day, last_day):
            return _no(problem)
        if first_day < self._today():
            return _no("A delegation does not start in the past")
        if all(p["manager_id"] != manager_id for p in self.employees.values()):
            return _no(f"Nobody reports to {manager_id}")
        if manager_id == delegate_id or not self.employees[delegate_id]["may_approve"]:
            return _no(f"{delegate_id} may not approve for {manager_id}")
        for other in self.delegations.values():
            if other["manager_id"] == manager_id and _meet(other, first_day, last_day):
                return _no(f"{manager_id} has a delegate from {other['first_day']} already")
        absent = [day for day in _each_day(first_day, last_day) if self._away(delegate_id, day)]
        if absent:
            return _no(f"{delegate_id} is away on {absent[0]}")
        delegation_id = f"DG-{self.next_delegation}"
        self.next_delegation += 1
        self.delegations[delegation_id] = {
            "manager_id": manager_id,
            "delegate_id": delegate_id,
            "first_day": first_day,
            "last_day": last_day,
        }
        return {"success": True, "delegation_id": delegation_id}

    def change_pattern(self, employee_id: str, pattern_id: str, from_day: str) -> dict[str, Any]:
        """Change someone's working pattern and grant anew what leave is open from that year on.

        Args:
            employee_id: The member of staff.
            pattern_id: The new pattern.
            from_day: The first of a month to come, YYYY-MM-DD.
        """
        if employee_id not in self.employees or pattern_id not in self.patterns:
            return _no("Employee and pattern have to exist")
        if _day(from_day) is None or from_day[8:] != "01" or from_day <= self._today():
            return _no("Patterns change on the first of a month to come")
        if not self._employed(employee_id, from_day):
            return _no(f"{employee_id} is not employed on {from_day}")
        person = self.employees[employee_id]
        if self._pattern_on(employee_id, from_day) is self.patterns[pattern_id]:
            return _no(f"{employee_id} works {pattern_id} already")
        if person["contracts"][-1]["from_day"] >= from_day:
            return _no(f"A later change of {employee_id} is entered already")
        person["contracts"].append({"from_day": from_day, "pattern_id": pattern_id})
        accounts = [
            a
            for a in self.accounts.values()
            if a["employee_id"] == employee_id and a["year"] >= int(from_day[:4])
        ]
        before = [account["granted_hours"] for account in accounts]
        for account in accounts:
            account["granted_hours"] = self._earned(employee_id, account["year"])
        left = {str(account["year"]): self._balance(account)["left_hours"] for account in accounts}
        if any(hours < 0 for hours in left.values()):
            for account, granted in zip(accounts, before, strict=True):
                account["granted_hours"] = granted
            person["contracts"].pop()
            return _no(f"{-min(left.values())} hours of leave are approved beyond the new grant")
        granted_hours = {str(account["year"]): account["granted_hours"] for account in accounts}
        return {"success": True, "granted_hours": granted_hours, "left_hours": left}

    def open_leave_year(self, employee_id: str, year: int) -> dict[str, Any]:
        """Open someone's leave account for this year or the next, with what is carried over.

        Args:
            employee_id: The member of staff.
            year: The calendar year.
        """
        if problem := self._nobody(employee_id):
            return _no(problem)
        if year - int(self._today()[:4]) not in (0, 1):
            return _no("Only this year and the next are opened")
        if self._account(employee_id, year) is not None:
            return _no(f"The leave year {year} of {employee_id} is open already")
        granted = self._earned(employee_id, year)
        if granted == 0:
            return _no(f"{employee_id} earns no leave in {year}")
        carried = 0.0
        previous = self._account(employee_id, year - 1)
        if previous is not None:
            week = sum(self._pattern_on(employee_id, f"{year}-01-01")["hours"])
            most = self.policy["carry_over_weeks"] * week
            carried = max(0.0, min(most, self._balance(previous)["left_hours"]))
        account_id = f"AC-{self.next_account}"
        self.next_account += 1
        self.accounts[account_id] = {
            "employee_id": employee_id,
            "year": year,
            "granted_hours": granted,
            "carried_hours": carried,
            "carried_until": f"{year}-{self.policy['carry_over_until']}" if carried else None,
        }
        return {"success": True, "account_id": account_id, **self.accounts[account_id]}
