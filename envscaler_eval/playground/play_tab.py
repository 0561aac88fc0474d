"""Playing a scenario by hand."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from envscaler_eval.playground.catalogue import Listing
from envscaler_eval.playground.choosing import chooser, found
from envscaler_eval.playground.forms import (
    Field,
    FormError,
    Texts,
    arguments_from_json,
    arguments_of,
    form_of,
    place_of,
    shown_entries,
    with_entry,
    without_entry,
)
from envscaler_eval.playground.played_episode import PlayedEpisode
from envscaler_eval.playground.site import Refused, Reply, Site, in_thread
from envscaler_eval.playground.suggestions import suggestions
from envscaler_eval.playground.traces import solution_yaml
from envscaler_eval.playground.tree import Node, tree
from envscaler_eval.playground.visitors import Visitor

STATUS_WORDS = {
    "ok": "done",
    "failed": "refused",
    "raised": "broke down",
    "invalid": "wrong arguments",
    "unknown": "no such tool",
}


@dataclass(frozen=True)
class Played:
    """An episode that a visitor plays.

    Attributes:
        listing: The scenario.
        episode: The episode.
        forms: The fields of each tool.
    """

    listing: Listing
    episode: PlayedEpisode
    forms: Mapping[str, Sequence[Field]]

    def close(self) -> None:
        """Give up the episode."""
        self.episode.close()


class PlayTab:
    """The tab in which a person acts."""

    name = "play"
    title = "Play"

    def routes(self, site: Site) -> Sequence[Route]:
        """Return what answers the tab's requests."""
        desk = _Desk(site, self)
        return [
            Route("/play", desk.page),
            Route("/play/find", desk.find),
            Route("/play/solution.yaml", desk.solution),
            site.action("/play/start", desk.start, admits=True),
            site.action("/play/leave", desk.leave, admits=True),
            site.action("/play/call/{tool}", desk.call),
            site.action("/play/form/{tool}", desk.form),
            site.action("/play/undo", desk.undo),
            site.action("/play/reset", desk.reset),
            site.action("/play/reference", desk.reference),
            site.action("/play/grade", desk.grade),
        ]


class _Desk:
    """Answers the requests of the tab."""

    def __init__(self, site: Site, tab: PlayTab) -> None:
        self._site = site
        self._tab = tab

    async def page(self, request: Request) -> Response:
        visitor = self._site.visitor(request)
        played = visitor.room(Played) if visitor else None
        body = self._stage(played, request.query_params.get("find", ""))
        return self._site.page(request, self._tab, f'<div id="stage">{body}</div>')

    async def find(self, request: Request) -> Response:
        return JSONResponse(Reply({"found": found(self._site, "play", request)}).content)

    async def start(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        listing = self._site.catalogue.find(texts.get("env", ""), texts.get("scenario", ""))
        if listing is None:
            raise Refused("There is no such scenario here.")
        limit = self._site.settings.bounds.calls

        def start() -> PlayedEpisode:
            return PlayedEpisode(listing.scenario, self._site.runtime(listing.pack), limit)

        # One at a time: the former worker goes before the next comes.
        visitor.leave(Played)
        episode = await in_thread(start)
        tools = listing.pack.environment.tools
        played = Played(listing, episode, {tool.name: form_of(tool.parameters) for tool in tools})
        visitor.enter(played)
        return Reply({"stage": self._stage(played)}, say=f"Playing {listing.scenario.name}")

    async def leave(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        visitor.leave(Played)
        return Reply({"stage": self._stage(None)}, say="Choose a scenario")

    async def call(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        played, name, fields = self._tool(request, visitor)
        try:
            arguments = (
                arguments_from_json(texts.get("json", ""))
                if "raw" in texts
                else arguments_of(fields, texts)
            )
        except FormError as fault:
            form = self._form(played, name, texts, fault.faults, next(iter(fault.faults)))
            return Reply({f"form--{name}": form}, say=f"Not called: {fault}")
        step = await in_thread(lambda: played.episode.call(name, arguments))
        changed = len(step.differences)
        told = f"{name}: {STATUS_WORDS[step.status]}, {changed} changes"
        return Reply(self._parts(played), say=told)

    async def form(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        played, name, fields = self._tool(request, visitor)
        if "add" in texts:
            at = texts["add"]
            place = _entries_at(fields, at)
            shown = shown_entries(place, at, texts)
            changed, focus = with_entry(texts, at, shown), _first(place, f"{at}/{shown}")
            told = "Added an entry"
        else:
            at, _, number = texts.get("remove", "").rpartition("/")
            place = _entries_at(fields, at)
            shown = shown_entries(place, at, texts)
            if not number.isdecimal():
                raise Refused("There is no such entry.")
            changed, focus = without_entry(texts, at, int(number), shown), ""
            told = "Removed an entry"
        return Reply({f"form--{name}": self._form(played, name, changed, {}, focus)}, say=told)

    async def undo(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        played = _playing(visitor)
        await in_thread(played.episode.undo)
        return Reply(self._parts(played), say="The last call was taken back")

    async def reset(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        played = _playing(visitor)
        await in_thread(played.episode.reset)
        return Reply(self._parts(played), say="Back at the start")

    async def reference(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        played = _playing(visitor)
        step = await in_thread(played.episode.follow_solution)
        if step is None:
            raise Refused("This scenario has no reference solution.")
        return Reply(self._parts(played), say=f"The reference called {step.call.name}")

    async def grade(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        played = _playing(visitor)
        grade = await in_thread(played.episode.judge)
        drawn = self._site.draw("checklist.html.j2", **self._told(played))
        return Reply({"checklist": drawn}, say=f"Reward {grade.reward:.3f}")

    async def solution(self, request: Request) -> Response:
        visitor = self._site.visitor(request)
        played = visitor.room(Played) if visitor else None
        if visitor is None or played is None:
            return PlainTextResponse("Nothing is being played.", 404)
        async with visitor.turn:
            episode = played.episode
            grade = await in_thread(episode.judge)
            calls = [step.call for step in episode.steps]
        scenario = played.listing.scenario
        name = f"{scenario.env}.{scenario.id}.solution.yaml"
        return PlainTextResponse(
            solution_yaml(scenario, calls, grade),
            media_type="application/yaml",
            headers={"content-disposition": f'attachment; filename="{name}"'},
        )

    def _tool(self, request: Request, visitor: Visitor) -> tuple[Played, str, Sequence[Field]]:
        played = _playing(visitor)
        name = str(request.path_params["tool"])
        fields = played.forms.get(name)
        if fields is None:
            raise Refused("There is no such tool here.")
        return played, name, fields

    def _stage(self, played: Played | None, words: str = "") -> str:
        if played is None:
            return self._site.draw("play_choose.html.j2", **chooser(self._site, "play", words))
        told = self._told(played)
        forms = [
            (tool, self._form(played, tool.name, {}, {}, ""))
            for tool in played.listing.pack.environment.tools
        ]
        return self._site.draw("play.html.j2", forms=forms, **told)

    def _parts(self, played: Played) -> dict[str, str]:
        told = self._told(played)
        names = {
            **{"banner": "play_banner", "trace": "trace", "checklist": "checklist"},
            **{"state": "world", "suggestions": "suggestions"},
        }
        return {
            place: self._site.draw(f"{name}.html.j2", **told) for place, name in names.items()
        }

    def _told(self, played: Played) -> dict[str, Any]:
        episode, scenario = played.episode, played.listing.scenario
        checks = episode.grade.checks if episode.grade else scenario.checks
        last = episode.steps[-1].differences if episode.steps else ()
        return {
            "listing": played.listing,
            "pack": played.listing.pack,
            "scenario": scenario,
            "played": episode,
            "results": lambda kind: [check for check in checks if check.kind == kind],
            "status_words": STATUS_WORDS,
            "observed": observed,
            "nodes": tree(episode.state, last),
            "suggestions": suggestions(played.listing.pack.environment.tools, episode.state),
            "can_save": False,
        }

    def _form(
        self, played: Played, name: str, texts: Texts, faults: Mapping[str, str], focus: str
    ) -> str:
        known = suggestions(played.listing.pack.environment.tools, played.episode.state)
        return self._site.draw(
            "form.html.j2",
            tool=name,
            fields=played.forms[name],
            texts=texts,
            faults=faults,
            focus=focus,
            entries=lambda place, at: shown_entries(place, at, texts),
            suggested=lambda key: key in known,
        )


def observed(text: str) -> Sequence[Node] | None:
    """Return an observation as a tree, or `None` where it is just text."""
    try:
        content = json.loads(text)
    except ValueError:
        return None
    return tree(content) if isinstance(content, dict | list) and content else None


def _playing(visitor: Visitor) -> Played:
    played = visitor.room(Played)
    if played is None:
        raise Refused("Nothing is being played; choose a scenario.")
    return played


def _entries_at(fields: Sequence[Field], name: str) -> Field:
    place = place_of(fields, name)
    if place is None or place.kind not in ("list", "mapping"):
        raise Refused("There is no such list.")
    return place


def _first(place: Field, name: str) -> str:
    """Return the first field of a new entry, where typing goes on."""
    if place.kind == "mapping":
        return f"{name}/key"
    entry = place.entry
    while entry is not None and entry.kind == "object" and entry.fields:
        entry = entry.fields[0]
        name = f"{name}/{entry.key}"
    return name
