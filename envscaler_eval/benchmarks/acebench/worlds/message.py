"""Text messages between the six users."""

from collections.abc import Mapping
from datetime import date
from typing import Any, ClassVar

from envscaler_eval.benchmarks.acebench.texts import Texts
from envscaler_eval.benchmarks.acebench.worlds.device import BaseApi
from envscaler_eval.benchmarks.acebench.worlds.platform import Tool


class MessageApi(BaseApi):
    """The inbox that all users share."""

    saved: ClassVar[tuple[str, ...]] = ("inbox",)

    def __init__(
        self, initial: Mapping[str, Any], settings: Mapping[str, Any], texts: Texts
    ) -> None:
        """Fill the inbox."""
        super().__init__(initial, settings, texts)
        self.max_capacity: int = self._initial["max_capacity"]
        self.user_list: dict[str, dict[str, Any]] = self._initial["user_list"]
        self.inbox: dict[int, dict[str, Any]] = self._initial["inbox"]
        self.message_id_counter: int = self._initial["message_id_counter"]

    def tools(self) -> Mapping[str, Tool]:
        """Return the switches and the tools for messages."""
        return {
            **super().tools(),
            "send_message": self.send_message,
            "delete_message": self.delete_message,
            "view_messages_between_users": self.view_messages_between_users,
            "search_messages": self.search_messages,
            "get_all_message_times_with_ids": self.get_all_message_times_with_ids,
            "get_latest_message_id": self.get_latest_message_id,
            "get_earliest_message_id": self.get_earliest_message_id,
        }

    def send_message(self, sender_name: Any, receiver_name: Any, message: Any) -> Any:
        """Add a message, which has no time, to the inbox."""
        if not self.logged_in:
            return self.failure("message.send_logged_out")
        if not self.wifi:
            return self.failure("message.send_offline")
        if len(self.inbox) >= self.max_capacity:
            return self.failure("message.full")
        if sender_name not in self.user_list or receiver_name not in self.user_list:
            return self.failure("message.no_party")
        self.message_id_counter += 1
        self.inbox[self.message_id_counter] = {
            "sender_id": self.user_list[sender_name]["user_id"],
            "receiver_id": self.user_list[receiver_name]["user_id"],
            "message": message,
        }
        return self.success("message.sent", receiver=receiver_name)

    def delete_message(self, message_id: Any) -> Any:
        """Delete a message by its integer id."""
        if not self.logged_in:
            return self.failure("message.delete_logged_out")
        if message_id not in self.inbox:
            return self.failure("message.no_id")
        del self.inbox[message_id]
        return self.success("message.deleted", id=message_id)

    def view_messages_between_users(self, sender_name: Any, receiver_name: Any) -> Any:
        """Return the messages that one user sent to another."""
        if not self.logged_in:
            return self.failure("message.view_logged_out")
        if sender_name not in self.user_list:
            return self.failure("message.no_sender")
        if receiver_name not in self.user_list:
            return self.failure("message.no_receiver")
        sender_id = self.user_list[sender_name]["user_id"]
        receiver_id = self.user_list[receiver_name]["user_id"]
        found = [
            {
                "id": id_,
                "sender": sender_name,
                "receiver": receiver_name,
                "message": stored["message"],
            }
            for id_, stored in self.inbox.items()
            if stored["sender_id"] == sender_id and stored["receiver_id"] == receiver_id
        ]
        if not found:
            return self.failure("message.none_between")
        return {"status": True, "messages": found}

    def search_messages(self, user_name: Any, keyword: Any) -> Any:
        """Return the messages from or to a user that hold a keyword in any case."""
        if user_name not in self.user_list:
            return self.failure("message.no_user")
        user_id = self.user_list[user_name]["user_id"]
        found = [
            {
                "id": id_,
                "sender_id": stored["sender_id"],
                "receiver_id": stored["receiver_id"],
                "message": stored["message"],
            }
            for id_, stored in self.inbox.items()
            if user_id in (stored["sender_id"], stored["receiver_id"])
            and keyword.lower() in stored["message"].lower()
        ]
        if not found:
            return self.failure("message.none_matching")
        return {"status": True, "messages": found}

    def get_all_message_times_with_ids(self) -> Any:
        """Return the time of each message; fails once one was sent."""
        if not self.logged_in:
            return self.failure("message.times_logged_out")
        return {id_: stored["time"] for id_, stored in self.inbox.items()}

    def get_latest_message_id(self) -> Any:
        """Return the id of the newest message; fails once one was sent."""
        if not self.logged_in:
            return self.failure("message.latest_logged_out")
        if not self.inbox:
            return self.failure("message.none")
        times = self._times()
        latest = max(times, key=times.__getitem__)
        return {**self.success("message.latest", id=latest), "message_id": latest}

    def get_earliest_message_id(self) -> Any:
        """Return the id of the oldest message; fails once one was sent."""
        if not self.logged_in:
            return self.failure("message.earliest_logged_out")
        if not self.inbox:
            return self.failure("message.none")
        times = self._times()
        earliest = min(times, key=times.__getitem__)
        return {**self.success("message.earliest", id=earliest), "message_id": earliest}

    def _times(self) -> dict[int, date]:
        # Sent messages have no time, so this raises KeyError for them, as upstream does.
        return {id_: date.fromisoformat(stored["time"]) for id_, stored in self.inbox.items()}
