"""Playing a scenario by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from envscaler_eval.errors import UsageError
from envscaler_eval.playground.catalogue import Listing
from envscaler_eval.playground.choosing import chooser, found
from envscaler_eval.playground.form_entries import Texts
from envscaler_eval.playground.played_episode import PlayedEpisode
from envscaler_eval.playground.site import Refused, Reply, Site, in_thread
from envscaler_eval.playground.tool_forms import ToolForms
from envscaler_eval.playground.traces import solution_yaml
from envscaler_eval.playground.tree import tree
from envscaler_eval.playground.visitors import Visitor
from envscaler_eval.playground.words import STATUS_WORDS, observed
from envscaler_eval.runtime import EnvironmentFault

_TREES = 20
"""How many observations can be browsed, the last ones; the others are text, which is shorter."""


@dataclass(frozen=True)
class Played:
    """An episode that a visitor plays.

    Attributes:
        listing: The scenario.
        episode: The episode.
        forms: Its tools as forms.
    """

    listing: Listing
    episode: PlayedEpisode
    forms: ToolForms

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
        body = self._stage(self._site.visitor(request), request.query_params.get("find", ""))
        return self._site.page(request, self._tab, f'<div id="stage">{body}</div>')

    async def find(self, request: Request) -> Response:
        return Reply({"found": found(self._site, "play", request)}).response()

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
        visitor.enter(Played(listing, episode, ToolForms(self._site, "play", listing.pack)))
        return Reply({"stage": self._stage(visitor)}, say=f"Playing {listing.scenario.name}")

    async def leave(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        visitor.leave(Played)
        return Reply({"stage": self._stage(visitor)}, say="Choose a scenario")

    async def call(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        played = _playing(visitor)
        call = played.forms.read(request, texts, played.episode.state)
        if isinstance(call, Reply):
            return call
        step = await in_thread(lambda: played.episode.call(call.name, call.arguments))
        changed = len(step.differences)
        told = f"{call.name}: {STATUS_WORDS[step.status]}, {changed} changes"
        return Reply(self._parts(played), say=told)

    async def form(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        played = _playing(visitor)
        return played.forms.edit(request, texts, played.episode.state)

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
        scenario = played.listing.scenario
        async with visitor.turn:
            try:
                grade = await in_thread(played.episode.judge)
                calls = [step.call for step in played.episode.steps]
                written = solution_yaml(scenario, calls, grade)
            except (EnvironmentFault, UsageError) as fault:
                return PlainTextResponse(f"There is nothing to save: {fault}", 409)
        name = f"{scenario.env}.{scenario.id}.solution.yaml"
        return PlainTextResponse(
            written,
            media_type="application/yaml",
            headers={"content-disposition": f'attachment; filename="{name}"'},
        )

    def _stage(self, visitor: Visitor | None, words: str = "") -> str:
        played = visitor.room(Played) if visitor else None
        if visitor is None or played is None:
            return self._site.draw("play_choose.html.j2", **chooser(self._site, "play", words))
        tools = played.forms.draw(played.episode.state)
        return self._site.draw(
            "play.html.j2", room=visitor.name(Played), tools=tools, **self._told(played)
        )

    def _parts(self, played: Played) -> dict[str, str]:
        told = self._told(played)
        names = {
            **{"banner": "play_banner", "trace": "trace", "checklist": "checklist"},
            "state": "world",
        }
        drawn = {place: self._site.draw(f"{name}.html.j2", **told) for place, name in names.items()}
        return {**drawn, "suggestions": told["suggestions"]}

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
            "trees": _TREES,
            "nodes": tree(episode.state, last),
            "suggestions": played.forms.draw_suggestions(episode.state),
        }


def _playing(visitor: Visitor) -> Played:
    played = visitor.room(Played)
    if played is None:
        raise Refused("Nothing is being played; choose a scenario.")
    return played
