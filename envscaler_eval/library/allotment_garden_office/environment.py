"""Allotment garden office: members, plots, waiting lists and work hours."""

from typing import Literal, TypedDict
from datetime import datetime


class Member(TypedDict):
    name: str
    dues_paid: bool
    hours_done: float


class Plot(TypedDict):
    size: Literal["small", "large"]
    state: Literal["free", "let", "closed"]
    tenant: str | None


class WaitingEntry(TypedDict):
    member: str
    size: Literal["small", "large"]
    since: str


class AllotmentOffice:
    """The office of an allotment society."""

    def __init__(self, init_config: dict) -> None:
        self.members: dict[str, Member] = {}
        self.plots: dict[str, Plot] = {}
        self.waiting: dict[str, WaitingEntry] = {}
        self.next_entry: int = 1
        self.hours_owed: float = 12.0

    def _queue(self, size: str) -> list[str]:
        """The entries for a size, longest waiting first."""
        entries = [key for key, entry in self.waiting.items() if entry["size"] == size]
        return sorted(entries, key=lambda key: (self.waiting[key]["since"], int(key[2:])))

    def _plots_of(self, member_id: str) -> list[str]:
        """The plots that a member rents."""
        return sorted(key for key, plot in self.plots.items() if plot["tenant"] == member_id)

    def find_members(self, name: str) -> dict:
        """Find members whose name contains a text.

        Args:
            name: A part of the name, in any case, such as "lindq".
        """
        wanted = name.strip().lower()
        if not wanted:
            return {"success": False, "error": "Give a part of the name to look for"}
        found = [
            {"member_id": key, **self.members[key]}
            for key in sorted(self.members)
            if wanted in self.members[key]["name"].lower()
        ]
        return {"success": True, "members": found}

    def hours_report(self, member_id: str) -> dict:
        """Tell how many work hours a member has done, owes and lacks this year.

        Args:
            member_id: The member, such as M-04.
        """
        member = self.members.get(member_id)
        if member is None:
            return {"success": False, "error": f"There is no member {member_id}"}
        done = member["hours_done"]
        lacking = max(0.0, self.hours_owed - done)
        return {"success": True, "done": done, "owed": self.hours_owed, "lacking": lacking}

    def find_plots(
        self,
        size: Literal["small", "large"] | None = None,
        state: Literal["free", "let", "closed"] | None = None,
    ) -> dict:
        """List plots with their tenants, sorted by number.

        Args:
            size: Only plots of this size; null for both.
            state: Only plots in this state; null for all.
        """
        found = [
            {"plot_id": key, **plot}
            for key, plot in sorted(self.plots.items())
            if size in (None, plot["size"]) and state in (None, plot["state"])
        ]
        return {"success": True, "plots": found}

    def list_waiting(self, size: Literal["small", "large"]) -> dict:
        """List who waits for a size, longest first.

        Args:
            size: The size of plot that is waited for.
        """
        found = [{"entry_id": key, **self.waiting[key]} for key in self._queue(size)]
        return {"success": True, "waiting": found}

    def join_waiting_list(self, member_id: str, size: Literal["small", "large"]) -> dict:
        """Put a member at the end of the waiting list for a size, from today.

        Args:
            member_id: The member, such as M-04.
            size: The size of plot to wait for.
        """
        if member_id not in self.members:
            return {"success": False, "error": f"There is no member {member_id}"}
        rented = self._plots_of(member_id)
        if rented:
            return {
                "success": False,
                "error": f"{member_id} rents plot {rented[0]}, and so cannot join a waiting list",
            }
        if any(self.waiting[key]["member"] == member_id for key in self._queue(size)):
            return {"success": False, "error": f"{member_id} waits for a {size} plot already"}
        entry_id = f"W-{self.next_entry}"
        self.waiting[entry_id] = {
            "member": member_id,
            "size": size,
            "since": datetime.now().date().isoformat(),
        }
        self.next_entry += 1
        return {"success": True, "entry_id": entry_id, "place": len(self._queue(size))}

    def let_plot(self, plot_id: str, member_id: str) -> dict:
        """Let a free plot to the member who has waited longest for its size.

        Args:
            plot_id: The plot, such as B7.
            member_id: The member, such as M-04.
        """
        plot = self.plots.get(plot_id)
        if plot is None:
            return {"success": False, "error": f"There is no plot {plot_id}"}
        member = self.members.get(member_id)
        if member is None:
            return {"success": False, "error": f"There is no member {member_id}"}
        if plot["state"] != "free":
            return {"success": False, "error": f"Plot {plot_id} is {plot['state']}, not free"}
        if not member["dues_paid"]:
            return {"success": False, "error": f"The dues of {member_id} are unpaid"}
        queue = self._queue(plot["size"])
        if not queue or self.waiting[queue[0]]["member"] != member_id:
            return {
                "success": False,
                "error": f"{member_id} is not the one who has waited longest for a {plot['size']} plot",
            }
        plot["state"] = "let"
        plot["tenant"] = member_id
        del self.waiting[queue[0]]
        return {"success": True, "plot_id": plot_id, "tenant": member_id}

    def hand_back_plot(self, plot_id: str) -> dict:
        """Take a let plot back from its tenant, after which it is free.

        Args:
            plot_id: The plot, such as B7.
        """
        plot = self.plots.get(plot_id)
        if plot is None:
            return {"success": False, "error": f"There is no plot {plot_id}"}
        if plot["state"] != "let":
            return {"success": False, "error": f"Plot {plot_id} is {plot['state']}, not let"}
        tenant = plot["tenant"]
        plot["state"] = "free"
        plot["tenant"] = None
        return {"success": True, "plot_id": plot_id, "former_tenant": tenant}

    def record_hours(self, member_id: str, hours: float) -> dict:
        """Add work hours to a member's hours of this year.

        Args:
            member_id: The member, such as M-04.
            hours: How many hours, in steps of a quarter, at most 12 at once.
        """
        member = self.members.get(member_id)
        if member is None:
            return {"success": False, "error": f"There is no member {member_id}"}
        if not 0 < hours <= 12 or hours * 4 != int(hours * 4):
            return {"success": False, "error": "Give more than 0 and at most 12 hours, in quarters"}
        member["hours_done"] += hours
        return {"success": True, "done": member["hours_done"]}
