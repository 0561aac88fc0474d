"""Access to a cloud platform: inherited roles, approvals, elevation, keys, limits, offboarding."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict

NodeKind = Literal["organisation", "folder", "project"]
Limited = Literal["budget_eur", "vcpus", "gpus", "storage_tb"]
GrantKind = Literal["standing", "elevated", "break_glass"]
RequestStatus = Literal["pending", "granted", "denied"]
Verdict = Literal["justified", "not_justified"]
Denial = Literal[
    "already_held",
    "separation_of_duties",
    "scope_too_wide",
    "training_lapsed",
    "leaving",
    "key_overdue",
    "sensitive_for_machines",
]


class Settings(TypedDict):
    """What the security office has laid down."""

    security_duty_id: str  # the member of security who signs today
    wide_teams: list[str]  # teams that may hold roles on folders and on the organisation
    key_days: int  # age at which a service account's key is overdue for rotation
    quiet_days: int  # days without use after which a replaced key is disabled
    grave_days: int  # days for which a key stays disabled before it is destroyed
    idle_days: int  # days without use after which an orphaned resource may be deleted
    break_glass_role_id: str
    break_glass_hours: int


class Person(TypedDict):
    """Someone with an account on the platform."""

    name: str
    team: str
    status: Literal["active", "suspended", "left"]
    last_day: str | None
    trained_until: str  # security training


class Node(TypedDict):
    """A place in the hierarchy; roles and limits come down from above."""

    kind: NodeKind
    name: str
    parent_id: str | None
    owner_id: str


class Role(TypedDict):
    """A role; those with a maximum of hours are given as elevation only."""

    name: str
    sensitive: bool  # needs a second signature, of the security duty
    most_hours: int | None
    conflicts_with: list[str]


class Grant(TypedDict):
    """A role that someone holds on a node and on everything below it."""

    principal_id: str
    role_id: str
    node_id: str
    kind: GrantKind
    expires_at: str | None
    revoked: bool
    incident_id: str | None
    verdict: Verdict | None
    reviewed_by: str | None


class Request(TypedDict):
    """A request for a role, with the signatures that it has so far."""

    principal_id: str
    role_id: str
    node_id: str
    hours: int | None
    status: RequestStatus
    owner_signed: str | None
    security_signed: str | None
    denied_by: str | None
    reason: Denial | None


class ServiceAccount(TypedDict):
    """An identity for machines, which lives in a project."""

    name: str
    node_id: str
    owner_id: str


class Key(TypedDict):
    """A key of a service account."""

    account_id: str
    created_on: str
    last_used_on: str | None
    status: Literal["active", "disabled", "destroyed"]
    disabled_on: str | None
    leaked: bool  # seen in public by the scanner


class Resource(TypedDict):
    """Something that runs or lies in a project and counts against its limits."""

    name: str
    kind: Literal["machine", "bucket", "database", "notebook"]
    node_id: str
    owner_id: str
    last_used_on: str
    backup_on: str | None
    protected: bool
    counts_as: Limited
    amount: int


class Limit(TypedDict):
    """A monthly budget or a quota of a node."""

    node_id: str
    what: Limited
    limit: int
    used: int  # in a project; folders and the organisation use what is below them


class Incident(TypedDict):
    """An incident in a project, and who is on call for it."""

    title: str
    node_id: str
    severity: int  # 1 is the gravest
    status: Literal["open", "closed"]
    on_call: list[str]


def _refuse(reason: str) -> dict[str, Any]:
    return {"success": False, "error": reason}


class CloudAccessDesk:
    """The desk that hands out, watches and takes back access to a cloud platform."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.settings: Settings = {
            "security_duty_id": "",
            "wide_teams": [],
            "key_days": 0,
            "quiet_days": 0,
            "grave_days": 0,
            "idle_days": 0,
            "break_glass_role_id": "",
            "break_glass_hours": 0,
        }
        self.people: dict[str, Person] = {}
        self.nodes: dict[str, Node] = {}
        self.roles: dict[str, Role] = {}
        self.grants: dict[str, Grant] = {}
        self.requests: dict[str, Request] = {}
        self.service_accounts: dict[str, ServiceAccount] = {}
        self.keys: dict[str, Key] = {}
        self.resources: dict[str, Resource] = {}
        self.limits: dict[str, Limit] = {}
        self.incidents: dict[str, Incident] = {}
        self.next_grant: int = 1
        self.next_request: int = 1
        self.next_key: int = 1

    # Clock and hierarchy

    def _today(self, days_ago: int = 0) -> str:
        return (datetime.now() - timedelta(days=days_ago)).date().isoformat()

    def _upwards(self, node_id: str) -> Iterator[str]:
        """A node and everything above it, nearest first."""
        current: str | None = node_id
        while current is not None:
            yield current
            current = self.nodes[current]["parent_id"]

    def _related(self, one: str, other: str) -> bool:
        """Whether two nodes lie on one line, so that roles on one reach the other."""
        return one in self._upwards(other) or other in self._upwards(one)

    def _path(self, node_id: str) -> str:
        names = [self.nodes[n]["name"] for n in self._upwards(node_id)]
        return " / ".join(reversed(names))

    def _children(self, node_id: str) -> list[str]:
        return [i for i, n in self.nodes.items() if n["parent_id"] == node_id]

    # Who holds what

    def _live(self, grant: Grant) -> bool:
        now = datetime.now().isoformat(timespec="minutes")
        return not grant["revoked"] and (grant["expires_at"] is None or grant["expires_at"] > now)

    def _grants_of(self, principal_id: str) -> dict[str, Grant]:
        return {
            i: g
            for i, g in self.grants.items()
            if g["principal_id"] == principal_id and self._live(g)
        }

    def _reach(self, principal_id: str, node_id: str) -> list[dict[str, Any]]:
        """Live grants of someone that reach a node, with where they come from."""
        above = list(self._upwards(node_id))
        return [
            {"grant_id": i, **self._grant_row(g), "inherited": g["node_id"] != node_id}
            for i, g in self._grants_of(principal_id).items()
            if g["node_id"] in above
        ]

    def _grant_row(self, grant: Grant) -> dict[str, Any]:
        known = {k: v for k, v in grant.items() if v not in (None, False)}
        return {**known, "role": self.roles[grant["role_id"]]["name"], "live": self._live(grant)}

    def _human(self, principal_id: str) -> str:
        """The person behind a principal: a service account acts for its owner."""
        account = self.service_accounts.get(principal_id)
        return principal_id if account is None else account["owner_id"]

    def _clash(self, person_id: str, role_id: str, node_id: str) -> str | None:
        """A live grant of a person, or of an account they own, that conflicts with a role."""
        for grant_id, grant in self.grants.items():
            theirs = self._human(grant["principal_id"]) == person_id and self._live(grant)
            clash = grant["role_id"] in self.roles[role_id]["conflicts_with"]
            if theirs and clash and self._related(grant["node_id"], node_id):
                return grant_id
        return None

    def _staying(self, person_id: str) -> bool:
        person = self.people[person_id]
        return person["status"] == "active" and person["last_day"] is None

    def _signatory(self, node_id: str, principal_id: str) -> str | None:
        """Owner of the nearest node upwards who is active and does not stand to gain."""
        for above in self._upwards(node_id):
            owner_id = self.nodes[above]["owner_id"]
            active = self.people[owner_id]["status"] == "active"
            if active and owner_id != self._human(principal_id):
                return owner_id
        return None

    def _overdue(self, account_id: str) -> bool:
        oldest = self._today(self.settings["key_days"])
        return any(
            k["account_id"] == account_id and k["status"] == "active" and k["created_on"] < oldest
            for k in self.keys.values()
        )

    def _objections(self, request: Request) -> dict[Denial, str]:
        """Everything that forbids granting a request."""
        found: dict[Denial, str] = {}
        principal_id, role_id, node_id = (
            request["principal_id"],
            request["role_id"],
            request["node_id"],
        )
        held = self._reach(principal_id, node_id)
        same = [h["grant_id"] for h in held if h["role_id"] == role_id]
        if same:
            found["already_held"] = f"{same[0]} gives that role already"
        if clash := self._clash(self._human(principal_id), role_id, node_id):
            found["separation_of_duties"] = f"{role_id} does not go together with {clash}"
        human = self.people[self._human(principal_id)]
        wide = self.nodes[node_id]["kind"] != "project"
        if wide and human["team"] not in self.settings["wide_teams"]:
            found["scope_too_wide"] = f"{human['team']} holds roles in projects only"
        if human["trained_until"] < self._today():
            found["training_lapsed"] = f"Training was valid until {human['trained_until']}"
        if not self._staying(self._human(principal_id)):
            found["leaving"] = f"{human['name']} is leaving or not active"
        if principal_id in self.service_accounts:
            if self._overdue(principal_id):
                found["key_overdue"] = f"A key of {principal_id} is overdue for rotation"
            if self.roles[role_id]["sensitive"]:
                found["sensitive_for_machines"] = f"{role_id} is for people only"
        return found

    def _give(
        self,
        principal_id: str,
        role_id: str,
        node_id: str,
        hours: int | None,
        incident_id: str | None = None,
    ) -> str:
        grant_id = f"GR-{self.next_grant}"
        self.next_grant += 1
        kind: GrantKind = "standing" if hours is None else "elevated"
        expires = None
        if hours is not None:
            ends = datetime.now() + timedelta(hours=hours)
            expires = ends.isoformat(timespec="minutes")
        self.grants[grant_id] = {
            "principal_id": principal_id,
            "role_id": role_id,
            "node_id": node_id,
            "kind": kind if incident_id is None else "break_glass",
            "expires_at": expires,
            "revoked": False,
            "incident_id": incident_id,
            "verdict": None,
            "reviewed_by": None,
        }
        return grant_id

    # Limits and belongings

    def _limit(self, node_id: str, what: Limited) -> Limit | None:
        for limit in self.limits.values():
            if (limit["node_id"], limit["what"]) == (node_id, what):
                return limit
        return None

    def _handed_down(self, node_id: str, what: Limited) -> int:
        """What the nodes right below a node may use together."""
        below = [self._limit(child, what) for child in self._children(node_id)]
        return sum(limit["limit"] for limit in below if limit is not None)

    def _used(self, node_id: str, what: Limited) -> int:
        limit = self._limit(node_id, what)
        own = limit["used"] if limit is not None else 0
        return own + sum(self._used(child, what) for child in self._children(node_id))

    def _belongings(self, person_id: str) -> list[str]:
        nodes = [i for i, n in self.nodes.items() if n["owner_id"] == person_id]
        accounts = [i for i, a in self.service_accounts.items() if a["owner_id"] == person_id]
        return (
            nodes + accounts + [i for i, r in self.resources.items() if r["owner_id"] == person_id]
        )

    # Queries

    def get_rulebook(self) -> dict[str, Any]:
        """Show the security office's settings and the roles with their conflicts."""
        return {"success": True, "settings": self.settings, "roles": self.roles}

    def find_people(
        self, text: str = "", status: Literal["active", "suspended", "left"] | None = None
    ) -> dict[str, Any]:
        """Find people by part of their name or team.

        Args:
            text: Part of the name or team, any case; empty for all.
            status: Only people in this status.
        """
        found = [
            {"person_id": i, **p}
            for i, p in self.people.items()
            if text.lower() in f"{p['name']} {p['team']}".lower() and status in (None, p["status"])
        ]
        return {"success": True, "people": found}

    def get_person(self, person_id: str) -> dict[str, Any]:
        """Show someone with all grants of theirs, what they own and their open requests.

        Args:
            person_id: The person.
        """
        if person_id not in self.people:
            return _refuse(f"There is no person {person_id}")
        return {
            "success": True,
            "person": self.people[person_id],
            "grants": [
                {"grant_id": i, "path": self._path(g["node_id"]), **self._grant_row(g)}
                for i, g in self.grants.items()
                if g["principal_id"] == person_id
            ],
            "owns": self._belongings(person_id),
            "pending_requests": [
                i
                for i, r in self.requests.items()
                if (r["principal_id"], r["status"]) == (person_id, "pending")
            ],
        }

    def find_nodes(self, text: str = "", kind: NodeKind | None = None) -> dict[str, Any]:
        """Find organisation, folders and projects by part of their path.

        Args:
            text: Part of the path of names, any case; empty for all.
            kind: Only nodes of this kind.
        """
        found = [
            {"node_id": i, "path": self._path(i), **n, "owner": self.people[n["owner_id"]]["name"]}
            for i, n in self.nodes.items()
            if text.lower() in self._path(i).lower() and kind in (None, n["kind"])
        ]
        return {"success": True, "nodes": found}

    def get_node(self, node_id: str) -> dict[str, Any]:
        """Show a node with its limits, what they are spoken for and the grants that reach it.

        Args:
            node_id: The organisation, a folder or a project.
        """
        if node_id not in self.nodes:
            return _refuse(f"There is no node {node_id}")
        above = list(self._upwards(node_id))
        limits = [
            {
                "what": limit["what"],
                "limit": limit["limit"],
                "used": self._used(node_id, limit["what"]),
                "handed_down": self._handed_down(node_id, limit["what"]),
            }
            for limit in self.limits.values()
            if limit["node_id"] == node_id
        ]
        return {
            "success": True,
            "path": self._path(node_id),
            "node": self.nodes[node_id],
            "children": self._children(node_id),
            "limits": limits,
            "grants": [
                {"grant_id": i, **self._grant_row(g), "inherited": g["node_id"] != node_id}
                for i, g in self.grants.items()
                if g["node_id"] in above and self._live(g)
            ],
        }

    def list_limits(self, what: Limited, node_id: str | None = None) -> dict[str, Any]:
        """Compare the limits of one kind from node to node.

        Args:
            what: Budget or kind of quota.
            node_id: Only this node and those below it.
        """
        if node_id is not None and node_id not in self.nodes:
            return _refuse(f"There is no node {node_id}")
        found = [
            {
                "node_id": limit["node_id"],
                "path": self._path(limit["node_id"]),
                "limit": limit["limit"],
                "used": self._used(limit["node_id"], what),
                "handed_down": self._handed_down(limit["node_id"], what),
            }
            for limit in self.limits.values()
            if limit["what"] == what and node_id in (None, *self._upwards(limit["node_id"]))
        ]
        return {"success": True, "limits": found}

    def explain_access(self, principal_id: str, node_id: str) -> dict[str, Any]:
        """Show which roles reach a node for someone, and who signs requests of theirs there.

        Args:
            principal_id: A person or service account.
            node_id: The node.
        """
        if principal_id not in self.people and principal_id not in self.service_accounts:
            return _refuse(f"There is no principal {principal_id}")
        if node_id not in self.nodes:
            return _refuse(f"There is no node {node_id}")
        return {
            "success": True,
            "roles": self._reach(principal_id, node_id),
            "signatory": self._signatory(node_id, principal_id),
        }

    def list_requests(self, status: RequestStatus | None = None) -> dict[str, Any]:
        """List access requests with the path of their node.

        Args:
            status: Only requests in this status.
        """
        found = [
            {"request_id": i, **r, "path": self._path(r["node_id"])}
            for i, r in self.requests.items()
            if status in (None, r["status"])
        ]
        return {"success": True, "requests": found}

    def list_grants(
        self, kind: GrantKind | None = None, live: bool | None = None
    ) -> dict[str, Any]:
        """List grants, with who holds them.

        Args:
            kind: Only grants of this kind.
            live: Only grants that are in force, or only those that are not.
        """
        found = [
            {"grant_id": i, **self._grant_row(g), "path": self._path(g["node_id"])}
            for i, g in self.grants.items()
            if kind in (None, g["kind"]) and live in (None, self._live(g))
        ]
        return {"success": True, "grants": found}

    def list_service_accounts(self, text: str = "") -> dict[str, Any]:
        """List service accounts with their owner and keys.

        Args:
            text: Part of the name or of the project's path, any case; empty for all.
        """
        found = [
            {
                "account_id": i,
                **a,
                "path": self._path(a["node_id"]),
                "keys": {k: key for k, key in self.keys.items() if key["account_id"] == i},
                "rotation_overdue": self._overdue(i),
            }
            for i, a in self.service_accounts.items()
            if text.lower() in f"{a['name']} {self._path(a['node_id'])}".lower()
        ]
        return {"success": True, "service_accounts": found}

    def list_resources(
        self, node_id: str | None = None, orphaned: bool | None = None
    ) -> dict[str, Any]:
        """List resources, with what they count as and whether their owner is gone.

        Args:
            node_id: Only resources in this project or below this node.
            orphaned: Only resources whose owner has left, or only others.
        """
        found = []
        for resource_id, resource in self.resources.items():
            gone = self.people[resource["owner_id"]]["status"] == "left"
            inside = node_id is None or node_id in self._upwards(resource["node_id"])
            if inside and orphaned in (None, gone):
                found.append({"resource_id": resource_id, **resource, "orphaned": gone})
        return {"success": True, "resources": found}

    def list_incidents(self, status: Literal["open", "closed"] | None = None) -> dict[str, Any]:
        """List incidents with their project and who is on call.

        Args:
            status: Only incidents in this status.
        """
        found = [
            {"incident_id": i, **n, "path": self._path(n["node_id"])}
            for i, n in self.incidents.items()
            if status in (None, n["status"])
        ]
        return {"success": True, "incidents": found}

    # Changes

    def request_access(
        self, principal_id: str, role_id: str, node_id: str, hours: int | None = None
    ) -> dict[str, Any]:
        """Enter a request for a role; it waits for its signatures.

        Args:
            principal_id: The person or service account that is to hold the role.
            role_id: The role.
            node_id: Where; the role reaches everything below.
            hours: For how long, for roles that are given as elevation; none for standing roles.
        """
        if principal_id not in self.people and principal_id not in self.service_accounts:
            return _refuse(f"There is no principal {principal_id}")
        if role_id not in self.roles or node_id not in self.nodes:
            return _refuse("The role and the node have to exist")
        if role_id == self.settings["break_glass_role_id"]:
            return _refuse("That role comes by breaking glass only")
        most = self.roles[role_id]["most_hours"]
        if (hours is None) != (most is None):
            return _refuse(f"{role_id} is {'a standing role' if most is None else 'elevation'}")
        if hours is not None and most is not None and not 1 <= hours <= most:
            return _refuse(f"{role_id} is given for 1 to {most} hours")
        wanted = (principal_id, role_id, node_id, "pending")
        for other_id, other in self.requests.items():
            if wanted == (
                other["principal_id"],
                other["role_id"],
                other["node_id"],
                other["status"],
            ):
                return _refuse(f"{other_id} asks for the same")
        request_id = f"RQ-{self.next_request}"
        self.next_request += 1
        self.requests[request_id] = {
            "principal_id": principal_id,
            "role_id": role_id,
            "node_id": node_id,
            "hours": hours,
            "status": "pending",
            "owner_signed": None,
            "security_signed": None,
            "denied_by": None,
            "reason": None,
        }
        return {"success": True, "request_id": request_id}

    def _signature_problem(self, request_id: str, signer_id: str) -> str | None:
        """Say why someone has no say in a request, or return None."""
        if request_id not in self.requests:
            return f"There is no request {request_id}"
        request = self.requests[request_id]
        if request["status"] != "pending":
            return f"Request {request_id} is {request['status']}"
        if signer_id == self._human(request["principal_id"]):
            return "Nobody signs for themselves"
        signatory = self._signatory(request["node_id"], request["principal_id"])
        second = self.settings["security_duty_id"]
        if signer_id == signatory:
            return None
        if signer_id != second or not self.roles[request["role_id"]]["sensitive"]:
            return f"{signer_id} has no say in {request_id}"
        return None

    def sign_request(self, request_id: str, signer_id: str) -> dict[str, Any]:
        """Sign a request; the last signature that it needs makes it a grant.

        Args:
            request_id: A pending request.
            signer_id: The owner who signs for that place, or the security duty.
        """
        if problem := self._signature_problem(request_id, signer_id):
            return _refuse(problem)
        request = self.requests[request_id]
        for denial, detail in self._objections(request).items():
            return _refuse(f"{denial}: {detail}")
        if signer_id in (request["owner_signed"], request["security_signed"]):
            return _refuse(f"{signer_id} has signed {request_id} already")
        if signer_id == self._signatory(request["node_id"], request["principal_id"]):
            request["owner_signed"] = signer_id
        else:
            request["security_signed"] = signer_id
        sensitive = self.roles[request["role_id"]]["sensitive"]
        if request["owner_signed"] is None or (sensitive and request["security_signed"] is None):
            return {"success": True, "status": "pending", "grant_id": None}
        request["status"] = "granted"
        grant_id = self._give(
            request["principal_id"], request["role_id"], request["node_id"], request["hours"]
        )
        return {
            "success": True,
            "status": "granted",
            "grant_id": grant_id,
            "expires_at": self.grants[grant_id]["expires_at"],
        }

    def deny_request(self, request_id: str, signer_id: str, reason: Denial) -> dict[str, Any]:
        """Deny a request for something that forbids it.

        Args:
            request_id: A pending request.
            signer_id: The owner who signs for that place, or the security duty for a
                sensitive role.
            reason: What forbids it.
        """
        if problem := self._signature_problem(request_id, signer_id):
            return _refuse(problem)
        request = self.requests[request_id]
        if reason not in self._objections(request):
            return _refuse(f"{reason} is not true of {request_id}")
        request["status"] = "denied"
        request["denied_by"] = signer_id
        request["reason"] = reason
        return {"success": True, "request_id": request_id, "status": "denied"}

    def revoke_grant(self, grant_id: str) -> dict[str, Any]:
        """Take a role back at once.

        Args:
            grant_id: A grant that is in force.
        """
        if grant_id not in self.grants or not self._live(self.grants[grant_id]):
            return _refuse(f"There is no grant {grant_id} in force")
        self.grants[grant_id]["revoked"] = True
        return {"success": True, "grant_id": grant_id, "revoked": True}

    def break_glass(self, person_id: str, incident_id: str) -> dict[str, Any]:
        """Give someone on call full access to the project of a grave incident, unsigned.

        Args:
            person_id: Who needs it.
            incident_id: An open incident of severity 1 or 2.
        """
        if person_id not in self.people or incident_id not in self.incidents:
            return _refuse("The person and the incident have to exist")
        incident, person = self.incidents[incident_id], self.people[person_id]
        if incident["status"] != "open" or incident["severity"] > 2:
            return _refuse(
                f"{incident_id} is {incident['status']}, severity {incident['severity']}"
            )
        if person_id not in incident["on_call"] or person["status"] != "active":
            return _refuse(f"{person_id} is not on call for {incident_id}")
        if person["trained_until"] < self._today():
            return _refuse(f"The training of {person_id} has lapsed")
        unreviewed = [
            i
            for i, g in self.grants.items()
            if (g["principal_id"], g["kind"]) == (person_id, "break_glass") and g["verdict"] is None
        ]
        if unreviewed:
            return _refuse(f"{unreviewed[0]} has not been reviewed")
        grant_id = self._give(
            person_id,
            self.settings["break_glass_role_id"],
            incident["node_id"],
            self.settings["break_glass_hours"],
            incident_id,
        )
        return {"success": True, "grant_id": grant_id, **self._grant_row(self.grants[grant_id])}

    def review_break_glass(
        self, grant_id: str, reviewer_id: str, verdict: Verdict
    ) -> dict[str, Any]:
        """Judge afterwards whether breaking glass was justified.

        Args:
            grant_id: A break-glass grant that has expired or been revoked.
            reviewer_id: The security duty, if it was not theirs; then the project's signatory.
            verdict: The judgement.
        """
        if grant_id not in self.grants or self.grants[grant_id]["kind"] != "break_glass":
            return _refuse(f"There is no break-glass grant {grant_id}")
        grant = self.grants[grant_id]
        if self._live(grant) or grant["verdict"] is not None:
            return _refuse(f"{grant_id} is still in force, or reviewed already")
        reviewer = self.settings["security_duty_id"]
        if reviewer == grant["principal_id"]:
            reviewer = self._signatory(grant["node_id"], reviewer) or ""
        if reviewer_id != reviewer:
            return _refuse(f"{reviewer_id} does not review {grant_id}")
        grant["verdict"] = verdict
        grant["reviewed_by"] = reviewer_id
        return {"success": True, "grant_id": grant_id, "verdict": verdict}

    def create_key(self, account_id: str) -> dict[str, Any]:
        """Create a key for a service account, which has two active ones at most.

        The account's owner has to be active.

        Args:
            account_id: The service account.
        """
        if account_id not in self.service_accounts:
            return _refuse(f"There is no service account {account_id}")
        owner_id = self.service_accounts[account_id]["owner_id"]
        if self.people[owner_id]["status"] != "active":
            return _refuse(f"The owner {owner_id} is not active: hand {account_id} over first")
        keys = self.keys.values()
        active = [k for k in keys if (k["account_id"], k["status"]) == (account_id, "active")]
        if len(active) >= 2:
            return _refuse(f"{account_id} has two active keys")
        key_id = f"KEY-{self.next_key}"
        self.next_key += 1
        self.keys[key_id] = {
            "account_id": account_id,
            "created_on": self._today(),
            "last_used_on": None,
            "status": "active",
            "disabled_on": None,
            "leaked": False,
        }
        return {"success": True, "key_id": key_id}

    def retire_key(self, key_id: str) -> dict[str, Any]:
        """Disable an active key, or destroy one that has been disabled long enough.

        Args:
            key_id: A leaked key, a key that has a successor and is no longer used, or a
                disabled key.
        """
        if key_id not in self.keys:
            return _refuse(f"There is no key {key_id}")
        key = self.keys[key_id]
        if key["status"] == "destroyed":
            return _refuse(f"Key {key_id} is destroyed")
        if key["status"] == "disabled":
            if (key["disabled_on"] or "") > self._today(self.settings["grave_days"]):
                return _refuse(f"{key_id} was disabled only on {key['disabled_on']}")
            key["status"] = "destroyed"
            return {"success": True, "key_id": key_id, "status": "destroyed"}
        successors = [
            i
            for i, k in self.keys.items()
            if k["account_id"] == key["account_id"]
            and k["status"] == "active"
            and i != key_id
            and k["created_on"] >= key["created_on"]
        ]
        if not key["leaked"]:
            if not successors:
                return _refuse(f"{key_id} has no successor")
            if (key["last_used_on"] or "") > self._today(self.settings["quiet_days"]):
                return _refuse(f"{key_id} was used on {key['last_used_on']}")
        key["status"], key["disabled_on"] = "disabled", self._today()
        return {"success": True, "key_id": key_id, "status": "disabled"}

    def transfer_ownership(self, item_id: str, new_owner_id: str) -> dict[str, Any]:
        """Hand a node, a service account or a resource over to someone with a role there.

        Args:
            item_id: The node, service account or resource.
            new_owner_id: Someone who stays and has a standing role that reaches the place.
        """
        item: Node | ServiceAccount | Resource
        if item_id in self.nodes:
            item, place = self.nodes[item_id], item_id
        elif item_id in self.service_accounts:
            item = self.service_accounts[item_id]
            place = item["node_id"]
        elif item_id in self.resources:
            item = self.resources[item_id]
            place = item["node_id"]
        else:
            return _refuse(f"There is no node, service account or resource {item_id}")
        if new_owner_id not in self.people or not self._staying(new_owner_id):
            return _refuse(f"{new_owner_id} is nobody who is active and stays")
        if item["owner_id"] == new_owner_id:
            return _refuse(f"{new_owner_id} owns {item_id} already")
        held = self._reach(new_owner_id, place)
        if not any(h["kind"] == "standing" for h in held):
            return _refuse(f"{new_owner_id} has no standing role on {self._path(place)}")
        for grant in self._grants_of(item_id).values():
            if clash := self._clash(new_owner_id, grant["role_id"], grant["node_id"]):
                return _refuse(f"{grant['role_id']} of {item_id} does not go together with {clash}")
        before, item["owner_id"] = item["owner_id"], new_owner_id
        return {"success": True, "item_id": item_id, "previous_owner_id": before}

    def set_limit(self, node_id: str, what: Limited, limit: int) -> dict[str, Any]:
        """Set a monthly budget in euros or a quota of a node.

        Args:
            node_id: A node below the organisation that has such a limit.
            what: Budget or kind of quota.
            limit: The new limit, in euros, vCPUs, GPUs or terabytes.
        """
        entry = self._limit(node_id, what)
        if entry is None or self.nodes[node_id]["parent_id"] is None:
            return _refuse(f"{node_id} has no {what} that is set here")
        if limit == entry["limit"]:
            return _refuse(f"The {what} of {node_id} is {limit} already")
        least = max(self._used(node_id, what), self._handed_down(node_id, what))
        if limit < least:
            return _refuse(f"{least} of {what} are used or handed down in {node_id}")
        parent_id = self.nodes[node_id]["parent_id"] or ""
        cap = self._limit(parent_id, what)
        others = self._handed_down(parent_id, what) - entry["limit"]
        if cap is not None and others + limit > cap["limit"]:
            return _refuse(
                f"{parent_id} has {cap['limit'] - others} of {what} for {node_id} at most"
            )
        budget = self._limit(node_id, "budget_eur")
        spent = budget is not None and self._used(node_id, "budget_eur") >= budget["limit"]
        if spent and what != "budget_eur" and limit > entry["limit"]:
            return _refuse(f"{node_id} has spent its budget and gets no more {what}")
        entry["limit"] = limit
        return {"success": True, "node_id": node_id, "what": what, "limit": limit}

    def delete_resource(self, resource_id: str) -> dict[str, Any]:
        """Delete a resource that nobody owns or uses any more, and free its quota.

        Args:
            resource_id: An orphaned, idle and unprotected resource.
        """
        if resource_id not in self.resources:
            return _refuse(f"There is no resource {resource_id}")
        resource = self.resources[resource_id]
        if self.people[resource["owner_id"]]["status"] != "left":
            return _refuse(f"{resource_id} has an owner")
        if resource["last_used_on"] > self._today(self.settings["idle_days"]):
            return _refuse(f"{resource_id} was used on {resource['last_used_on']}")
        if resource["protected"]:
            return _refuse(f"{resource_id} is protected from deletion")
        if (
            resource["kind"] == "database"
            and (resource["backup_on"] or "") < resource["last_used_on"]
        ):
            return _refuse(f"Database {resource_id} has no backup since its last use")
        limit = self._limit(resource["node_id"], resource["counts_as"])
        if limit is not None:
            limit["used"] -= resource["amount"]
        del self.resources[resource_id]
        return {"success": True, "freed": resource["amount"], "of": resource["counts_as"]}

    def offboard_person(self, person_id: str) -> dict[str, Any]:
        """Close the account of someone whose last day has come.

        Args:
            person_id: Someone who holds no role, owns nothing and waits for nothing.
        """
        if person_id not in self.people:
            return _refuse(f"There is no person {person_id}")
        person = self.people[person_id]
        if person["status"] == "left":
            return _refuse(f"{person_id} has left already")
        if person["last_day"] is None or person["last_day"] > self._today():
            return _refuse(f"The last day of {person_id} has not come")
        waiting = [
            i
            for i, r in self.requests.items()
            if (r["principal_id"], r["status"]) == (person_id, "pending")
        ]
        rest = [*self._grants_of(person_id), *self._belongings(person_id), *waiting]
        if rest:
            return _refuse(f"{person_id} still has {', '.join(rest)}")
        person["status"] = "left"
        return {"success": True, "person_id": person_id, "status": "left"}
