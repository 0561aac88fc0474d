"""An episode that a model plays in a process of its own, and what is known of it here."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from envscaler_eval.playground.catalogue import Listing
from envscaler_eval.playground.differences import differences
from envscaler_eval.playground.following import News
from envscaler_eval.playground.gate import Role
from envscaler_eval.playground.settings import PlaygroundSettings
from envscaler_eval.playground.talk import Item
from envscaler_eval.playground.worker import Worker
from envscaler_eval.policies import STOP
from envscaler_eval.scenario import ToolCall
from envscaler_eval.solvers.protocol import Mode
from envscaler_eval.state import State


class WatchedEpisode:
    """A sample being solved, as a visitor watches it.

    Attributes:
        listing: The scenario.
        mode: With or without a user to talk to.
        players: Which model plays each role.
        taken: The roles that the visitor plays.
        paused: Whether each turn waits to be let pass.
        items: What was said and done so far.
        state: The state as last told. Not to be modified.
        turn: Whose turn it is, and what it waits for: `person`, `step` or `pace`; `model`
            while one thinks, and `sent` after a person's turn. `None` before the first.
        ending: How it ended, once it has.
        news: Tells that something has happened.
    """

    def __init__(
        self,
        listing: Listing,
        mode: Mode,
        players: Mapping[Role, str],
        settings: PlaygroundSettings,
        taken: frozenset[Role] = frozenset(),
    ) -> None:
        """Know what is to be watched; `start` starts it.

        Args:
            listing: The scenario.
            mode: With or without a user to talk to.
            players: Which model plays each role.
            settings: Where environments run.
            taken: The roles that the visitor plays from the start.
        """
        self.listing = listing
        self.mode: Mode = mode
        self.players = players
        self.taken: set[Role] = set(taken)
        self.paused = False
        self.items: list[Item] = []
        self.state: State = listing.scenario.state
        self.turn: tuple[Role, str] | None = None
        self.ending: Mapping[str, Any] | None = None
        self.news = News()
        self._settings = settings
        self._worker = Worker("envscaler_eval.playground.watch_worker")
        self._statuses = 0
        self._user_by = players["user"]

    @property
    def running(self) -> bool:
        """Whether its process is alive."""
        return self._worker.running

    @property
    def told(self) -> int:
        """How many items there are."""
        return len(self.items)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.ending is not None

    @property
    def log(self) -> Path | None:
        """The log of the evaluation, once it has ended."""
        return next(iter(self._worker.folder.glob("*.eval")), None) if self.ending else None

    async def start(self, pace: float) -> asyncio.Task[None]:
        """Start the process.

        Args:
            pace: How many seconds a turn takes at least.

        Returns:
            What reads its reports; done when the process has ended.
        """
        policy = self._settings.isolation
        scenario = self.listing.scenario
        setting = {
            "pack": str(self.listing.pack.folder),
            "sample": f"{scenario.name}:{self.mode}",
            "mode": self.mode,
            "agent": self.players["agent"],
            "user": self.players["user"],
            "taken": sorted(self.taken),
            "pace": pace,
            "isolation": policy.choice,
            "allow_weak_isolation": policy.allow_weak,
            "log_dir": str(self._worker.folder),
        }
        await self._worker.start(setting)
        return asyncio.create_task(self._read())

    def order(self, **order: Any) -> None:
        """Give an order to the gate; see `Gate.order`."""
        match order["order"]:
            case "pause" | "step":
                self.paused = True
            case "run":
                self.paused = False
            case "take":
                self.taken.add(order["role"])
            case "give":
                self.taken.discard(order["role"])
            case "turn" if self.turn is not None:
                # A second click must not become the turn after this one.
                self.turn = (self.turn[0], "sent")
        self._worker.send(order)
        self.news.note()

    def close(self) -> None:
        """End the process and remove what it wrote. May be called twice."""
        self._worker.close()
        self._fail("it was ended")

    async def _read(self) -> None:
        try:
            async for event in self._worker.reports():
                self._take(event)
                self.news.note()
        except Exception as fault:
            # Whoever watches must hear of it, whatever it is.
            self._worker.kill()
            self._fail(f"what its process reports cannot be read: {fault}")
        await self._worker.gone()
        self._fail("its process ended without a word")

    def _fail(self, why: str) -> None:
        if self.ending is None:
            self.ending = {"event": "failed", "why": why}
        self.news.note()

    def _take(self, event: Mapping[str, Any]) -> None:
        match event["event"]:
            case "read":
                self._take_read(event)
            case "turn":
                self._take_turn(event)
            case "waits":
                self.turn = (event["role"], event["for"])
            case "acts":
                self.turn = (event["role"], "model")
            case "ended" | "failed":
                self.ending = event
                self.turn = None

    def _take_turn(self, event: Mapping[str, Any]) -> None:
        if event["role"] == "user":
            self._user_by = event["by"]
            if STOP in event["text"]:
                self.items.append(Item("note", "The user ends the conversation.", by=event["by"]))
            return
        calls = tuple(
            ToolCall(name=call["name"], arguments=call["arguments"]) for call in event["calls"]
        )
        self.items.append(Item("agent", event["text"], event["by"], calls))

    def _take_read(self, event: Mapping[str, Any]) -> None:
        messages = event["messages"]
        statuses = event["statuses"][self._statuses :]
        self._statuses = len(event["statuses"])
        tools = [message for message in messages if message["role"] == "tool"]
        # A call that could not be read was never made, and has no status.
        told = iter(statuses if len(statuses) == len(tools) else [""] * len(tools))
        new = [self._item(message, told) for message in messages]
        before, self.state = self.state, event["state"] or self.state
        if tools:
            last = max(place for place, item in enumerate(new) if item.kind == "observation")
            found = differences(before, self.state)
            new[last] = replace(new[last], differences=found)
        self.items.extend(new)

    def _item(self, message: Mapping[str, Any], statuses: Any) -> Item:
        if message["role"] == "tool":
            return Item(
                "observation", message["text"], tool=message["tool"] or "", status=next(statuses)
            )
        if message["role"] == "system":
            return Item("system", message["text"])
        by = self._user_by if self.mode == "conv" else ""
        return Item("user", message["text"], by)
