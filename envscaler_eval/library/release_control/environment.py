"""Release and incident control: builds, changes, deployments, freezes, incidents, flags."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

Tier = Literal[1, 2, 3]
Role = Literal["engineer", "lead", "release_manager"]
Tests = Literal["passed", "failed", "running"]
Stage = Literal["staging", "production"]
DeploymentStatus = Literal["live", "superseded", "rolled_back"]
ChangeKind = Literal["normal", "emergency"]
ChangeStatus = Literal["pending", "approved", "deployed", "declined"]
Severity = Literal["SEV1", "SEV2", "SEV3"]
IncidentStatus = Literal["open", "mitigated", "resolved"]
Reason = Literal[
    "withdrawn",
    "tests_not_passed",
    "rolled_back_before",
    "freeze",
    "incident_open",
    "not_soaked",
    "no_rest",
    "not_entitled",
    "superseded",
]

APPROVALS_NEEDED: dict[int, int] = {1: 2, 2: 1, 3: 1}
SOAK = timedelta(hours=24)
REST_DAYS = 7
CALENDAR_DAYS_AHEAD = 30
NEXT_STATUSES: dict[str, tuple[str, ...]] = {
    "open": ("mitigated",),
    "mitigated": ("open", "resolved"),
    "resolved": (),
}


class Service(TypedDict):
    name: str
    team: str
    tier: Tier
    depends_on: list[str]


class Engineer(TypedDict):
    name: str
    handle: str
    team: str
    role: Role


class Build(TypedDict):
    service_id: str
    version: str
    commit: str
    summary: str
    author_id: str
    built_at: str
    tests: Tests


class Deployment(TypedDict):
    service_id: str
    build_id: str
    stage: Stage
    status: DeploymentStatus
    deployed_at: str
    change_id: str | None
    rolled_back_for: str | None


class Change(TypedDict):
    service_id: str
    build_id: str
    requested_by: str
    kind: ChangeKind
    planned_on: str
    incident_id: str | None
    approvals: list[str]
    status: ChangeStatus
    decline_reason: Reason | None


class Freeze(TypedDict):
    name: str
    tiers: list[Tier]
    starts_on: str
    ends_on: str


class Incident(TypedDict):
    service_id: str
    severity: Severity
    status: IncidentStatus
    summary: str
    opened_at: str
    commander_id: str | None


class Shift(TypedDict):
    team: str
    rota: Literal["primary", "secondary"]
    engineer_id: str
    starts_on: str
    ends_on: str


class Flag(TypedDict):
    key: str
    service_id: str
    kind: Literal["release", "experiment", "kill_switch"]
    staging_percent: int
    production_percent: int


class Refusal(TypedDict):
    subject_id: str
    reason: Reason
    logged_at: str


def _fail(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _contains(text: str, part: str | None) -> bool:
    """Whether the text has the part in it, in capitals or not; None is in every text."""
    return part is None or part.casefold() in text.casefold()


def _bad_date(*days: str | None) -> str | None:
    """Why one of the days, as far as they are given, is no ISO date."""
    for day in (given for given in days if given is not None):
        try:
            date.fromisoformat(day)
        except ValueError:
            return f"{day!r} is not a date; give YYYY-MM-DD"
        if not day.replace("-", "").isdigit() or day.count("-") != 2:
            return f"{day!r} is not written as YYYY-MM-DD"
    return None


def _runs_on(period: Mapping[str, Any], day: str | None) -> bool:
    """Whether a freeze or shift is in force on the day; None asks for no day."""
    return day is None or bool(period["starts_on"] <= day <= period["ends_on"])


def _gap(shift: Mapping[str, Any], other: Mapping[str, Any]) -> int:
    """The days from the end of the earlier of two shifts to the start of the later one."""
    starts = max(date.fromisoformat(s["starts_on"]) for s in (shift, other))
    ends = min(date.fromisoformat(s["ends_on"]) for s in (shift, other))
    return (starts - ends).days


class ReleaseControl:
    """The release desk's system of record: what runs where, what may go out, what is broken."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.services: dict[str, Service] = {}
        self.engineers: dict[str, Engineer] = {}
        self.builds: dict[str, Build] = {}
        self.deployments: dict[str, Deployment] = {}
        self.changes: dict[str, Change] = {}
        self.freezes: dict[str, Freeze] = {}
        self.incidents: dict[str, Incident] = {}
        self.shifts: dict[str, Shift] = {}
        self.flags: dict[str, Flag] = {}
        self.refusals: dict[str, Refusal] = {}
        self.next_deployment: int = 1
        self.next_change: int = 1
        self.next_incident: int = 1
        self.next_refusal: int = 1

    # Look-ups

    def find_services(
        self, name: str | None = None, team: str | None = None, tier: Tier | None = None
    ) -> dict[str, Any]:
        """List services with their owning team, tier and the services they depend on.

        Args:
            name: Part of the service's name.
            team: Part of the owning team's name.
            tier: How critical the service is, 1 being the most critical.
        """
        services = [
            row
            for row in self._select("service", tier=tier)
            if _contains(row["name"], name) and _contains(row["team"], team)
        ]
        return {"success": True, "services": services}

    def find_engineers(
        self, name: str | None = None, team: str | None = None, role: Role | None = None
    ) -> dict[str, Any]:
        """List engineers with their chat handle, team and role.

        Args:
            name: Part of the person's name or chat handle.
            team: Part of the team's name.
            role: Their role; leads and release managers approve changes.
        """
        engineers = [
            row
            for row in self._select("engineer", role=role)
            if _contains(f"{row['name']} {row['handle']}", name) and _contains(row["team"], team)
        ]
        return {"success": True, "engineers": engineers}

    def find_builds(
        self, service_id: str | None = None, tests: Tests | None = None
    ) -> dict[str, Any]:
        """List builds, oldest first, with version, author, what they contain and test result.

        Args:
            service_id: Only builds of this service, such as SVC-12.
            tests: Only builds whose tests stand like this.
        """
        if error := self._unknown(service=service_id):
            return _fail(error)
        builds = self._select("build", service_id=service_id, tests=tests)
        return {"success": True, "builds": sorted(builds, key=lambda row: row["built_at"])}

    def find_deployments(
        self,
        service_id: str | None = None,
        stage: Stage | None = None,
        status: DeploymentStatus | None = None,
    ) -> dict[str, Any]:
        """List deployments, oldest first: which build went where, when and under which change.

        Production deployments from before changes were kept here name no change.

        Args:
            service_id: Only deployments of this service.
            stage: Only deployments to this stage.
            status: Only deployments that now stand like this.
        """
        if error := self._unknown(service=service_id):
            return _fail(error)
        deployments = [
            {"version": self.builds[row["build_id"]]["version"], **row}
            for row in self._select(
                "deployment",
                service_id=service_id,
                stage=stage,
                status=status,
            )
        ]
        deployments.sort(key=lambda row: row["deployed_at"])
        return {"success": True, "deployments": deployments}

    def find_changes(
        self,
        service_id: str | None = None,
        requested_by: str | None = None,
        status: ChangeStatus | None = None,
        planned_from: str | None = None,
        planned_until: str | None = None,
    ) -> dict[str, Any]:
        """List changes with their build, planned day, and approvals given and needed.

        Args:
            service_id: Only changes of this service.
            requested_by: Only changes requested by the engineer with this id.
            status: Only changes that now stand like this.
            planned_from: First planned day to include, ISO date, YYYY-MM-DD.
            planned_until: Last planned day to include, ISO date, YYYY-MM-DD.
        """
        if error := (
            self._unknown(service=service_id, engineer=requested_by)
            or _bad_date(planned_from, planned_until)
        ):
            return _fail(error)
        changes = [
            {
                "service": self.services[row["service_id"]]["name"],
                "version": self.builds[row["build_id"]]["version"],
                "approvals_needed": self._approvals_needed(row["service_id"]),
                **row,
            }
            for row in self._select(
                "change",
                service_id=service_id,
                requested_by=requested_by,
                status=status,
            )
            if (planned_from is None or planned_from <= row["planned_on"])
            and (planned_until is None or row["planned_on"] <= planned_until)
        ]
        return {"success": True, "changes": changes}

    def find_freezes(self, on_date: str | None = None) -> dict[str, Any]:
        """List change freezes with the tiers they cover; the first and last day belong to them.

        Args:
            on_date: Only freezes in force on this day, ISO date, YYYY-MM-DD.
        """
        if error := _bad_date(on_date):
            return _fail(error)
        freezes = [row for row in self._select("freeze") if _runs_on(row, on_date)]
        return {"success": True, "freezes": freezes}

    def find_incidents(
        self,
        service_id: str | None = None,
        status: IncidentStatus | None = None,
        severity: Severity | None = None,
    ) -> dict[str, Any]:
        """List incidents with their severity, status and commander.

        Args:
            service_id: Only incidents of this service.
            status: Only incidents that now stand like this.
            severity: Only incidents of this severity, SEV1 being the worst.
        """
        if error := self._unknown(service=service_id):
            return _fail(error)
        incidents = [
            {"service": self.services[row["service_id"]]["name"], **row}
            for row in self._select(
                "incident",
                service_id=service_id,
                status=status,
                severity=severity,
            )
        ]
        return {"success": True, "incidents": incidents}

    def find_shifts(
        self,
        team: str | None = None,
        engineer_id: str | None = None,
        on_date: str | None = None,
    ) -> dict[str, Any]:
        """List on-call shifts; the first and last day belong to the shift.

        Args:
            team: Part of the team's name.
            engineer_id: Only shifts of this engineer.
            on_date: Only shifts that run on this day, ISO date, YYYY-MM-DD.
        """
        if error := self._unknown(engineer=engineer_id) or _bad_date(on_date):
            return _fail(error)
        shifts = [
            {"engineer": self.engineers[row["engineer_id"]]["name"], **row}
            for row in self._select("shift", engineer_id=engineer_id)
            if _contains(row["team"], team) and _runs_on(row, on_date)
        ]
        return {"success": True, "shifts": shifts}

    def find_flags(self, key: str | None = None, service_id: str | None = None) -> dict[str, Any]:
        """List feature flags with the percentage of users who see each, by stage.

        Args:
            key: Part of the flag's key.
            service_id: Only flags of this service.
        """
        if error := self._unknown(service=service_id):
            return _fail(error)
        flags = [
            {"service": self.services[row["service_id"]]["name"], **row}
            for row in self._select("flag", service_id=service_id)
            if _contains(row["key"], key)
        ]
        return {"success": True, "flags": flags}

    def get_service(self, service_id: str) -> dict[str, Any]:
        """Show a service with what depends on it, what is live, who is on call and what is wrong.

        dependants are the services that depend on it directly; incidents are those of the
        service and of what it depends on directly, as long as they are not resolved.

        Args:
            service_id: The service.
        """
        if error := self._unknown(service=service_id):
            return _fail(error)
        service = self.services[service_id]
        stages: tuple[Stage, ...] = ("staging", "production")
        on_call = {
            row["rota"]: {"engineer_id": row["engineer_id"], "shift_id": row["shift_id"]}
            for row in self._select("shift", team=service["team"])
            if _runs_on(row, self._today())
        }
        watched = (service_id, *service["depends_on"])
        return {
            "success": True,
            **service,
            "dependants": [
                other_id
                for other_id, other in self.services.items()
                if service_id in other["depends_on"]
            ],
            "live": {stage: self._running(service_id, stage) for stage in stages},
            "on_call_today": on_call,
            "incidents": [
                row
                for row in self._select("incident")
                if row["service_id"] in watched and row["status"] != "resolved"
            ],
            "frozen_today_by": self._freeze_on(service_id, self._today()),
        }

    def get_release_calendar(
        self, first_day: str, last_day: str, team: str | None = None
    ) -> dict[str, Any]:
        """Show day by day the freezes in force and the changes planned and not yet deployed.

        Args:
            first_day: The first day, ISO date, YYYY-MM-DD.
            last_day: The last day, at most 30 days later, ISO date, YYYY-MM-DD.
            team: Part of the name of the team whose services are changed.
        """
        if error := _bad_date(first_day, last_day):
            return _fail(error)
        start = date.fromisoformat(first_day)
        ahead = (date.fromisoformat(last_day) - start).days
        if not 0 <= ahead <= CALENDAR_DAYS_AHEAD:
            return _fail(f"The last day is 0 to {CALENDAR_DAYS_AHEAD} days after the first")
        calendar = []
        for day in ((start + timedelta(days=k)).isoformat() for k in range(ahead + 1)):
            planned = []
            for row in self._select("change", planned_on=day):
                service = self.services[row["service_id"]]
                if row["status"] in ("pending", "approved") and _contains(service["team"], team):
                    owner = {"service": service["name"], "tier": service["tier"]}
                    planned.append({**owner, "team": service["team"], **row})
            freezes = [
                {"name": row["name"], "tiers": row["tiers"]}
                for row in self._select("freeze")
                if _runs_on(row, day)
            ]
            if planned or freezes:
                calendar.append({"day": day, "freezes": freezes, "changes": planned})
        return {"success": True, "days_with_something": calendar}

    def find_cover(self, shift_id: str) -> dict[str, Any]:
        """List the other members of the team of a shift, and how near it their own shifts lie.

        days_between counts the full days off call between the two shifts; below zero they overlap.

        Args:
            shift_id: The shift for which somebody is sought.
        """
        if error := self._unknown(shift=shift_id):
            return _fail(error)
        shift = self.shifts[shift_id]
        members = [
            {
                "engineer_id": person["engineer_id"],
                "name": person["name"],
                "shifts": [
                    {"days_between": _gap(shift, own) - 1, **own}
                    for own in self._select("shift", engineer_id=person["engineer_id"])
                ],
            }
            for person in self._select("engineer", team=shift["team"])
            if person["engineer_id"] != shift["engineer_id"]
        ]
        return {"success": True, "shift": shift, "members": members}

    def find_refusals(
        self, subject_id: str | None = None, reason: Reason | None = None
    ) -> dict[str, Any]:
        """List the refusals on record, and the changes that were declined.

        Args:
            subject_id: Only about this build, deployment, flag, incident, shift or change.
            reason: Only for this reason.
        """
        declined = [
            row
            for row in self._select("change", status="declined", decline_reason=reason)
            if subject_id in (None, row["change_id"])
        ]
        refusals = self._select("refusal", subject_id=subject_id, reason=reason)
        return {"success": True, "refusals": refusals, "declined_changes": declined}

    # Changes and deployments

    def open_change(
        self,
        build_id: str,
        requested_by: str,
        kind: ChangeKind,
        planned_on: str,
        incident_id: str | None = None,
    ) -> dict[str, Any]:
        """Ask for a build to go to production on a day; the change starts without approvals.

        Args:
            build_id: The build to release; any earlier change for it was declined.
            requested_by: The engineer who asks for it.
            kind: normal, or emergency to fix an open SEV1 or SEV2 incident of the service.
            planned_on: The day of release, today or later, ISO date, YYYY-MM-DD.
            incident_id: The incident that an emergency change fixes; none for a normal change.
        """
        if error := self._unknown(build=build_id, engineer=requested_by, incident=incident_id):
            return _fail(error)
        build = self.builds[build_id]
        if self._was_rolled_back(build_id):
            return _fail(f"Build {build_id} was rolled back from production and cannot return")
        for other_id, other in self.changes.items():
            if other["build_id"] == build_id and other["status"] != "declined":
                return _fail(f"Change {other_id} for build {build_id} is {other['status']}")
        if kind == "normal" and incident_id is not None:
            return _fail("Only an emergency change names an incident")
        error = self._planning_error(build["service_id"], kind, planned_on)
        if error is None and kind == "emergency":
            error = self._emergency_error(build["service_id"], incident_id)
        if error is not None:
            return _fail(error)
        change_id = f"CHG-{self.next_change}"
        self.next_change += 1
        self.changes[change_id] = {
            "service_id": build["service_id"],
            "build_id": build_id,
            "requested_by": requested_by,
            "kind": kind,
            "planned_on": planned_on,
            "incident_id": incident_id,
            "approvals": [],
            "status": "pending",
            "decline_reason": None,
        }
        needed = self._approvals_needed(build["service_id"])
        return {"success": True, "change_id": change_id, "approvals_needed": needed}

    def approve_change(self, change_id: str, approver_id: str) -> dict[str, Any]:
        """Record somebody's approval of a pending change; the last one needed makes it approved.

        Args:
            change_id: The pending change.
            approver_id: The lead of the owning team or the release manager who approves.
        """
        if error := self._unknown(change=change_id, engineer=approver_id):
            return _fail(error)
        change, approver = self.changes[change_id], self.engineers[approver_id]
        if change["status"] != "pending":
            return _fail(f"Change {change_id} is {change['status']}, not pending")
        team = self.services[change["service_id"]]["team"]
        leads_owner = approver["role"] == "lead" and approver["team"] == team
        if not leads_owner and approver["role"] != "release_manager":
            return _fail(f"{approver['name']} neither leads {team} nor is a release manager")
        if approver_id == change["requested_by"]:
            return _fail(f"{approver['name']} requested change {change_id}")
        if approver_id == self.builds[change["build_id"]]["author_id"]:
            return _fail(f"{approver['name']} wrote build {change['build_id']}")
        if approver_id in change["approvals"]:
            return _fail(f"{approver['name']} has already approved change {change_id}")
        change["approvals"].append(approver_id)
        missing = self._approvals_needed(change["service_id"]) - len(change["approvals"])
        if missing == 0:
            change["status"] = "approved"
        return {"success": True, "status": change["status"], "approvals_missing": missing}

    def reschedule_change(self, change_id: str, planned_on: str) -> dict[str, Any]:
        """Move a pending or approved change to another day; its approvals stay.

        Args:
            change_id: The change to move.
            planned_on: The new day, today or later, ISO date, YYYY-MM-DD.
        """
        if error := self._unknown(change=change_id):
            return _fail(error)
        change = self.changes[change_id]
        if change["status"] not in ("pending", "approved"):
            return _fail(f"Change {change_id} is already {change['status']}")
        if planned_on == change["planned_on"]:
            return _fail(f"Change {change_id} is planned for {planned_on} already")
        if error := self._planning_error(change["service_id"], change["kind"], planned_on):
            return _fail(error)
        change["planned_on"] = planned_on
        return {"success": True, "change_id": change_id, "planned_on": planned_on}

    def decline_change(self, change_id: str, reason: Reason) -> dict[str, Any]:
        """Turn down a pending or approved change for good.

        Args:
            change_id: The change to turn down.
            reason: The first of these that applies. withdrawn: the requester no longer wants it.
                tests_not_passed. rolled_back_before: from production. freeze. incident_open: on
                the service or on one it depends on. not_soaked: less than 24 hours on staging.
                no_rest: too close to another shift. not_entitled: the person may not do this.
                superseded: a later build replaces it.
        """
        if error := self._unknown(change=change_id):
            return _fail(error)
        change = self.changes[change_id]
        if change["status"] not in ("pending", "approved"):
            return _fail(f"Change {change_id} is already {change['status']}")
        change["status"] = "declined"
        change["decline_reason"] = reason
        return {"success": True, "change_id": change_id, "status": "declined"}

    def deploy_build(
        self, build_id: str, stage: Stage, change_id: str | None = None
    ) -> dict[str, Any]:
        """Deploy a build in place of the one that is live on the stage.

        Args:
            build_id: The build to deploy.
            stage: Where to deploy it.
            change_id: The approved change of this build, for production; none for staging.
        """
        if error := self._unknown(build=build_id):
            return _fail(error)
        build = self.builds[build_id]
        if build["tests"] != "passed":
            return _fail(f"The tests of build {build_id} have not passed: {build['tests']}")
        live_id = self._live(build["service_id"], stage)
        if live_id is not None and self.deployments[live_id]["build_id"] == build_id:
            return _fail(f"Build {build_id} is live on {stage} already")
        if stage == "staging":
            if change_id is not None:
                return _fail("A change governs production only; deploy to staging without one")
        else:
            change = self.changes.get(change_id or "")
            if change is None:
                return _fail(f"Production needs an existing change, not {change_id!r}")
            if change["build_id"] != build_id:
                return _fail(f"Change {change_id} is for build {change['build_id']}")
            if error := self._release_error(change):
                return _fail(error)
            change["status"] = "deployed"
        if live_id is not None:
            self.deployments[live_id]["status"] = "superseded"
        deployment_id = f"DEP-{self.next_deployment}"
        self.next_deployment += 1
        self.deployments[deployment_id] = {
            "service_id": build["service_id"],
            "build_id": build_id,
            "stage": stage,
            "status": "live",
            "deployed_at": self._now(),
            "change_id": change_id,
            "rolled_back_for": None,
        }
        return {"success": True, "deployment_id": deployment_id, "replaced": live_id}

    def roll_back(self, deployment_id: str, incident_id: str) -> dict[str, Any]:
        """Take the live production deployment of a service back to the one before it.

        Args:
            deployment_id: The live production deployment to take back.
            incident_id: The open incident of the same service that calls for it.
        """
        if error := self._unknown(deployment=deployment_id, incident=incident_id):
            return _fail(error)
        deployment, incident = self.deployments[deployment_id], self.incidents[incident_id]
        service_id = deployment["service_id"]
        if self._live(service_id, "production") != deployment_id:
            return _fail(f"Deployment {deployment_id} is not live on production")
        if incident["status"] != "open" or incident["service_id"] != service_id:
            return _fail(f"Incident {incident_id} is not an open incident of {service_id}")
        earlier = [
            (other["deployed_at"], other_id)
            for other_id, other in self.deployments.items()
            if other["service_id"] == service_id
            and other["stage"] == "production"
            and other["status"] == "superseded"
            and not self._was_rolled_back(other["build_id"])
        ]
        if not earlier:
            return _fail(f"Service {service_id} has no earlier deployment to go back to")
        _, restored_id = max(earlier)
        deployment["status"] = "rolled_back"
        deployment["rolled_back_for"] = incident_id
        restored = self.deployments[restored_id]
        restored["status"] = "live"
        return {
            "success": True,
            "live_deployment_id": restored_id,
            "live_version": self.builds[restored["build_id"]]["version"],
        }

    # Incidents, on-call, flags and refusals

    def open_incident(self, service_id: str, severity: Severity, summary: str) -> dict[str, Any]:
        """Open an incident on a service that has no open one; it starts without a commander.

        Args:
            service_id: The service that fails.
            severity: SEV1 for an outage or loss of money, SEV2 for a degraded service, else SEV3.
            summary: What users see, in one sentence.
        """
        if error := self._unknown(service=service_id):
            return _fail(error)
        if not summary.strip():
            return _fail("The summary is empty")
        for other_id, other in self.incidents.items():
            if other["service_id"] == service_id and other["status"] == "open":
                return _fail(f"Incident {other_id} is open on service {service_id} already")
        incident_id = f"INC-{self.next_incident}"
        self.next_incident += 1
        self.incidents[incident_id] = {
            "service_id": service_id,
            "severity": severity,
            "status": "open",
            "summary": summary,
            "opened_at": self._now(),
            "commander_id": None,
        }
        return {"success": True, "incident_id": incident_id}

    def assign_commander(self, incident_id: str, engineer_id: str) -> dict[str, Any]:
        """Put somebody in command of an unresolved incident, in place of any commander it has.

        Args:
            incident_id: The open or mitigated incident.
            engineer_id: Somebody on call today for the owning team, or a release manager.
        """
        if error := self._unknown(incident=incident_id, engineer=engineer_id):
            return _fail(error)
        incident, engineer = self.incidents[incident_id], self.engineers[engineer_id]
        if incident["status"] == "resolved":
            return _fail(f"Incident {incident_id} is resolved")
        for other_id, other in self.incidents.items():
            if other["commander_id"] == engineer_id and other["status"] != "resolved":
                return _fail(f"{engineer['name']} already commands incident {other_id}")
        team = self.services[incident["service_id"]]["team"]
        today = self._today()
        on_call = any(
            shift["engineer_id"] == engineer_id and shift["team"] == team and _runs_on(shift, today)
            for shift in self.shifts.values()
        )
        if not on_call and engineer["role"] != "release_manager":
            return _fail(
                f"{engineer['name']} is neither on call for {team} today nor a release manager"
            )
        incident["commander_id"] = engineer_id
        return {"success": True, "incident_id": incident_id, "commander_id": engineer_id}

    def set_incident_status(self, incident_id: str, status: IncidentStatus) -> dict[str, Any]:
        """Move an incident on: open to mitigated to resolved, or from mitigated back to open.

        Args:
            incident_id: The incident to move.
            status: The status that it takes.
        """
        if error := self._unknown(incident=incident_id):
            return _fail(error)
        incident = self.incidents[incident_id]
        if status not in NEXT_STATUSES[incident["status"]]:
            return _fail(f"Incident {incident_id} cannot go from {incident['status']} to {status}")
        if status != "open" and incident["commander_id"] is None:
            return _fail(f"Incident {incident_id} has no commander")
        incident["status"] = status
        return {"success": True, "incident_id": incident_id, "status": status}

    def reassign_shift(self, shift_id: str, engineer_id: str) -> dict[str, Any]:
        """Give an on-call shift that has not ended to another member of the team.

        Args:
            shift_id: The shift to give away.
            engineer_id: The member of the team who takes it.
        """
        if error := self._unknown(shift=shift_id, engineer=engineer_id):
            return _fail(error)
        shift, engineer = self.shifts[shift_id], self.engineers[engineer_id]
        if shift["ends_on"] < self._today():
            return _fail(f"Shift {shift_id} ended on {shift['ends_on']}")
        if shift["engineer_id"] == engineer_id:
            return _fail(f"{engineer['name']} has shift {shift_id} already")
        if engineer["team"] != shift["team"]:
            return _fail(f"{engineer['name']} is not in team {shift['team']}")
        for other_id, other in self.shifts.items():
            if other["engineer_id"] != engineer_id:
                continue
            if _gap(shift, other) <= REST_DAYS:
                return _fail(
                    f"{engineer['name']} has shift {other_id} from {other['starts_on']} to "
                    f"{other['ends_on']}: fewer than {REST_DAYS} days off call between"
                )
        shift["engineer_id"] = engineer_id
        return {"success": True, "shift_id": shift_id, "engineer_id": engineer_id}

    def set_flag(self, flag_id: str, stage: Stage, percent: int) -> dict[str, Any]:
        """Set the percentage of users on a stage who see a feature.

        Args:
            flag_id: The flag, such as FLG-3 (not its key).
            stage: The stage on which to set it.
            percent: Share of users in whole percent, 0 (off) to 100.
        """
        if error := self._unknown(flag=flag_id):
            return _fail(error)
        flag = self.flags[flag_id]
        if not 0 <= percent <= 100:
            return _fail(f"{percent} is not a percentage between 0 and 100")
        staging, production = flag["staging_percent"], flag["production_percent"]
        if percent == (staging if stage == "staging" else production):
            return _fail(f"Flag {flag_id} is at {percent} percent on {stage} already")
        if stage == "staging":
            if percent < production:
                return _fail(f"Staging cannot go below production, at {production} percent")
            flag["staging_percent"] = percent
        else:
            if percent > staging:
                return _fail(f"Production cannot exceed staging, at {staging} percent")
            freeze = self._freeze_on(flag["service_id"], self._today())
            if percent > production and freeze is not None:
                return _fail(f"{freeze}: production flags may be lowered, not raised")
            flag["production_percent"] = percent
        return {"success": True, "flag_id": flag_id, "stage": stage, "percent": percent}

    def log_refusal(self, subject_id: str, reason: Reason) -> dict[str, Any]:
        """Record that something asked for was refused, and why; changes are declined instead.

        Args:
            subject_id: The build, deployment, flag, incident or shift that the request was about.
            reason: The first of these that applies. withdrawn: the requester no longer wants it.
                tests_not_passed. rolled_back_before: from production. freeze. incident_open: on
                the service or on one it depends on. not_soaked: less than 24 hours on staging.
                no_rest: too close to another shift. not_entitled: the person may not do this.
                superseded: a later build replaces it.
        """
        if subject_id in self.changes:
            return _fail(f"{subject_id} is a change; decline it instead")
        subjects = (self.builds, self.deployments, self.flags, self.incidents, self.shifts)
        if not any(subject_id in records for records in subjects):
            return _fail(f"There is no record {subject_id!r} to refuse anything about")
        for known in self._select("refusal", subject_id=subject_id, reason=reason):
            return _fail(f"Refusal {known['refusal_id']} records this already")
        refusal: Refusal = {"subject_id": subject_id, "reason": reason, "logged_at": self._now()}
        refusal_id = f"REF-{self.next_refusal}"
        self.refusals[refusal_id] = refusal
        self.next_refusal += 1
        return {"success": True, "refusal_id": refusal_id}

    # Rules

    def _unknown(self, **ids: str | None) -> str | None:
        """Say which of the ids, each under its kind of record, is not there; None is skipped."""
        for kind, record_id in ids.items():
            if record_id is not None and record_id not in getattr(self, f"{kind}s"):
                return f"{kind.capitalize()} {record_id!r} does not exist"
        return None

    def _select(self, kind: str, **wanted: object) -> list[dict[str, Any]]:
        """The records of a kind, each with its id; a wanted value that is None is not asked for."""
        given = {field: value for field, value in wanted.items() if value is not None}
        records: dict[str, dict[str, Any]] = getattr(self, f"{kind}s")
        return [
            {f"{kind}_id": record_id, **record}
            for record_id, record in records.items()
            if given.items() <= record.items()
        ]

    def _now(self) -> str:
        return datetime.now().isoformat(timespec="seconds")

    def _today(self) -> str:
        return self._now()[:10]

    def _approvals_needed(self, service_id: str) -> int:
        return APPROVALS_NEEDED[self.services[service_id]["tier"]]

    def _live(self, service_id: str, stage: Stage) -> str | None:
        """The id of the deployment that is live; a service has at most one on a stage."""
        for deployment_id, deployment in self.deployments.items():
            if (
                deployment["service_id"] == service_id
                and deployment["stage"] == stage
                and deployment["status"] == "live"
            ):
                return deployment_id
        return None

    def _running(self, service_id: str, stage: Stage) -> dict[str, Any] | None:
        """The deployment that is live on the stage, with its id and version."""
        deployment_id = self._live(service_id, stage)
        if deployment_id is None:
            return None
        deployment = self.deployments[deployment_id]
        version = self.builds[deployment["build_id"]]["version"]
        return {"deployment_id": deployment_id, "version": version, **deployment}

    def _was_rolled_back(self, build_id: str) -> bool:
        return any(
            deployment["build_id"] == build_id and deployment["status"] == "rolled_back"
            for deployment in self.deployments.values()
        )

    def _freeze_on(self, service_id: str, day: str) -> str | None:
        """The name of a freeze that covers the service on the day."""
        for freeze in self.freezes.values():
            if self.services[service_id]["tier"] in freeze["tiers"] and _runs_on(freeze, day):
                return freeze["name"]
        return None

    def _planning_error(self, service_id: str, kind: ChangeKind, planned_on: str) -> str | None:
        """Why a change of this kind cannot be planned for the day."""
        if error := _bad_date(planned_on):
            return error
        if planned_on < self._today():
            return f"{planned_on} has passed"
        freeze = self._freeze_on(service_id, planned_on)
        if kind == "normal" and freeze is not None:
            return f"{freeze} covers {service_id} on {planned_on}"
        return None

    def _emergency_error(self, service_id: str, incident_id: str | None) -> str | None:
        """Why the incident does not justify an emergency change of the service."""
        incident = self.incidents.get(incident_id or "")
        if incident is None:
            return f"An emergency change names an existing incident, not {incident_id!r}"
        if (
            incident["service_id"] != service_id
            or incident["status"] != "open"
            or incident["severity"] == "SEV3"
        ):
            return f"Incident {incident_id} is not an open SEV1 or SEV2 incident of {service_id}"
        return None

    def _release_error(self, change: Change) -> str | None:
        """Why the change cannot be deployed to production now."""
        build_id, service_id = change["build_id"], change["service_id"]
        if change["status"] != "approved":
            given, needed = len(change["approvals"]), self._approvals_needed(service_id)
            return f"The change is {change['status']}, not approved ({given} of {needed} approvals)"
        if change["planned_on"] != self._today():
            return f"The change is planned for {change['planned_on']}, not for today"
        if self._was_rolled_back(build_id):
            return f"Build {build_id} was rolled back from production and cannot return"
        staged = [
            datetime.fromisoformat(deployment["deployed_at"])
            for deployment in self.deployments.values()
            if deployment["build_id"] == build_id and deployment["stage"] == "staging"
        ]
        if not staged:
            return f"Build {build_id} has never been on staging"
        if change["kind"] == "emergency":
            return self._emergency_error(service_id, change["incident_id"])
        if datetime.now() - min(staged) < SOAK:
            return f"Build {build_id} was first deployed to staging less than 24 hours ago"
        freeze = self._freeze_on(service_id, self._today())
        if freeze is not None:
            return f"{freeze} covers {service_id} today"
        for incident_id, incident in self.incidents.items():
            if (
                incident["status"] == "open"
                and incident["severity"] != "SEV3"
                and incident["service_id"] in (service_id, *self.services[service_id]["depends_on"])
            ):
                return f"{incident['severity']} incident {incident_id} blocks service {service_id}"
        return None
