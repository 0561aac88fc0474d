"""Reminders on the phone."""

from collections.abc import Mapping
from typing import Any, ClassVar

from envscaler_eval.benchmarks.acebench.texts import Texts
from envscaler_eval.benchmarks.acebench.worlds.device import BaseApi
from envscaler_eval.benchmarks.acebench.worlds.platform import Tool


class ReminderApi(BaseApi):
    """The list of reminders."""

    saved: ClassVar[tuple[str, ...]] = ("reminder_list",)

    def __init__(
        self, initial: Mapping[str, Any], settings: Mapping[str, Any], texts: Texts
    ) -> None:
        """Fill the list."""
        super().__init__(initial, settings, texts)
        self.max_capacity: int = self._initial["max_capacity"]
        self.reminder_list: dict[int, dict[str, Any]] = self._initial["reminder_list"]
        self.reminder_id_counter: int = self._initial["reminder_id_counter"]

    def tools(self) -> Mapping[str, Tool]:
        """Return the switches and the tools for reminders.

        English tasks list `search_reminders` to the agent, yet only the Chinese
        platform has it.
        """
        tools: dict[str, Tool] = {
            **super().tools(),
            "view_reminder_by_title": self.view_reminder_by_title,
            "add_reminder": self.add_reminder,
            "delete_reminder": self.delete_reminder,
            "view_all_reminders": self.view_all_reminders,
        }
        if self._say.language == "zh":
            tools["mark_as_notified"] = self.mark_as_notified
            tools["search_reminders"] = self.search_reminders
        return tools

    def view_reminder_by_title(self, title: Any) -> Any:
        """Return the first reminder of exactly this title."""
        if not self.logged_in:
            return self.failure("reminder.view_logged_out")
        for reminder in self.reminder_list.values():
            if reminder["title"] == title:
                return {"status": True, "reminder": reminder}
        return self.failure("reminder.no_title", title=title)

    def add_reminder(self, title: Any, description: Any, time: Any) -> Any:
        """Add a reminder, whose id is its key in the list, unlike the first three."""
        if not self.logged_in:
            return self.failure("reminder.add_logged_out")
        if len(self.reminder_list) >= self.max_capacity:
            return self.failure("reminder.full")
        self.reminder_id_counter += 1
        self.reminder_list[self.reminder_id_counter] = {
            "reminder_id": self.reminder_id_counter,
            "title": title,
            "description": description,
            "time": time,
            "notified": False,
        }
        return self.success("reminder.added", title=title)

    def delete_reminder(self, reminder_id: Any) -> Any:
        """Delete a reminder by its key in the list."""
        if not self.logged_in:
            return self.failure("reminder.delete_logged_out")
        if reminder_id not in self.reminder_list:
            return self.failure("reminder.no_id")
        del self.reminder_list[reminder_id]
        return self.success("reminder.deleted", id=reminder_id)

    def view_all_reminders(self) -> Any:
        """Return all reminders without their ids."""
        if not self.reminder_list:
            return self.failure("reminder.none")
        shown = ("title", "description", "time", "notified")
        return {
            "status": True,
            "reminders": [
                {key: reminder[key] for key in shown} for reminder in self.reminder_list.values()
            ],
        }

    def mark_as_notified(self, reminder_id: Any) -> Any:
        """Mark a reminder, by its key in the list, as notified."""
        if reminder_id not in self.reminder_list:
            return self.failure("reminder.no_id")
        self.reminder_list[reminder_id]["notified"] = True
        return self.success("reminder.notified", id=reminder_id)

    def search_reminders(self, keyword: Any) -> Any:
        """Return the reminders that hold a keyword in any case, or rather fail.

        Times are stored as strings and upstream formats them as datetimes, so
        every hit raises.
        """
        found = [
            {
                "title": reminder["title"],
                "description": reminder["description"],
                "time": reminder["time"].strftime("%Y-%m-%d %H:%M"),
            }
            for reminder in self.reminder_list.values()
            if keyword.lower() in reminder["title"].lower()
            or keyword.lower() in reminder["description"].lower()
        ]
        if not found:
            return self.failure("reminder.none_matching")
        return {"status": True, "reminders": found}
