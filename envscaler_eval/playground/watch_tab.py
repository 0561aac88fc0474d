"""Watching a model, stepping in for it or for its user, and reading what a log has kept."""

from collections.abc import Sequence
from typing import cast, get_args

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from envscaler_eval.playground.choosing import chooser, found
from envscaler_eval.playground.following import follow
from envscaler_eval.playground.form_entries import Texts
from envscaler_eval.playground.gate import Role
from envscaler_eval.playground.log_desk import MOST_LOGS, LogDesk, Replayed
from envscaler_eval.playground.site import Refused, Reply, Site, in_thread
from envscaler_eval.playground.visitors import Visitor
from envscaler_eval.playground.watch_view import PACES, WatchView
from envscaler_eval.playground.watched_episode import WatchedEpisode
from envscaler_eval.policies import STOP
from envscaler_eval.solvers.protocol import Mode

_LONGEST_SAYING = 10_000


class WatchTab:
    """The tab in which a model acts."""

    name = "watch"
    title = "Watch"

    def routes(self, site: Site) -> Sequence[Route]:
        """Return what answers the tab's requests."""
        desk = _Desk(site, self)
        return [
            Route("/watch", desk.page),
            Route("/watch/find", desk.find),
            Route("/watch/stream", desk.stream),
            Route("/watch/log.eval", desk.log),
            site.action("/watch/start", desk.start, admits=True),
            site.action("/watch/leave", desk.leave, admits=True),
            site.action("/watch/order", desk.order),
            site.action("/watch/say", desk.say),
            site.action("/watch/call/{tool}", desk.call),
            site.action("/watch/form/{tool}", desk.form),
            *desk.logs.routes(),
        ]


class _Desk:
    """Answers the requests of the tab."""

    def __init__(self, site: Site, tab: WatchTab) -> None:
        self._site = site
        self._tab = tab
        self._running: list[WatchedEpisode] = []
        self._view = WatchView(site)
        self.logs = LogDesk(site, self.stage)

    async def page(self, request: Request) -> Response:
        visitor = self._site.visitor(request)
        stage = await self.stage(visitor)
        return self._site.page(request, self._tab, f'<div id="stage">{stage}</div>')

    async def find(self, request: Request) -> Response:
        return Reply({"found": found(self._site, "watch", request)}).response()

    async def start(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        listing = self._site.catalogue.find(texts.get("env", ""), texts.get("scenario", ""))
        if listing is None:
            raise Refused("There is no such scenario here.")
        settings = self._site.settings
        mode, agent = texts.get("mode", "non_conv"), texts.get("agent", settings.agents[0])
        user, pace = texts.get("user", settings.users[0]), texts.get("pace", "1")
        person = user == "you"
        if person:
            # Whoever wants to talk need not look for the mode.
            mode = "conv"
        known = agent in settings.agents and (person or user in settings.users)
        if mode not in get_args(Mode) or not known or pace not in PACES:
            raise Refused("There is no such model, mode or pace here.")
        if not settings.bounds.watched:
            raise Refused("This playground was started without models to watch (--watched 0).")
        visitor.leave(WatchedEpisode)
        visitor.leave(Replayed)
        self._running = [one for one in self._running if one.running]
        if len(self._running) >= settings.bounds.watched:
            raise Refused(
                f"{len(self._running)} models are being watched already, which is all that this "
                "playground bears at once. Try again in some minutes."
            )
        episode = WatchedEpisode(
            listing,
            cast(Mode, mode),
            {"agent": agent, "user": settings.users[0] if person else user},
            settings,
            frozenset({"user"} if person else ()),
        )
        # It counts, and is closed with the visitor, before it runs.
        self._running.append(episode)
        visitor.enter(episode)
        self._site.keep(await episode.start(float(pace)))
        return Reply({"stage": await self.stage(visitor)}, say=f"Watching {agent}")

    async def leave(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        visitor.leave(WatchedEpisode)
        visitor.leave(Replayed)
        return Reply({"stage": await self.stage(visitor)}, say="Choose a scenario")

    async def order(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        episode = _watching(visitor)
        name, role = texts.get("order", ""), texts.get("role", "agent")
        if name in ("take", "give") and role in get_args(Role):
            episode.order(order=name, role=role)
        elif name in ("pause", "run", "step"):
            episode.order(order=name)
        elif name == "pace" and texts.get("seconds") in PACES:
            episode.order(order=name, seconds=float(texts["seconds"]))
        else:
            raise Refused("There is no such order.")
        # What it changes comes with the stream: two ways could overtake each other.
        return Reply()

    async def say(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        episode = _watching(visitor)
        role = _persons_turn(episode)
        text = texts.get("text", "").strip()[:_LONGEST_SAYING]
        if role == "user" and "stop" in texts:
            text = STOP
        if not text:
            raise Refused("There is nothing to say yet; write something.")
        episode.order(order="turn", role=role, text=text)
        return Reply(say="Said")

    async def call(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        episode = _watching(visitor)
        if _persons_turn(episode) != "agent":
            raise Refused("It is not the agent's turn.")
        call = self._view.forms(episode).read(request, texts, episode.state)
        if isinstance(call, Reply):
            return call
        episode.order(order="turn", role="agent", call=[call.name, call.arguments])
        return Reply(say=f"Called {call.name}")

    async def form(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        episode = _watching(visitor)
        return self._view.forms(episode).edit(request, texts, episode.state)

    async def log(self, request: Request) -> Response:
        visitor = self._site.visitor(request)
        episode = visitor.room(WatchedEpisode) if visitor else None
        file = episode.log if episode else None
        if file is None:
            return PlainTextResponse("There is no log yet.", 404)
        return FileResponse(file, filename=file.name)

    async def stream(self, request: Request) -> Response:
        return follow(self._site, request, WatchedEpisode, self._view.news)

    async def stage(self, visitor: Visitor | None) -> str:
        """Return what the tab shows a visitor."""
        # There may be many, on a slow disk.
        logs = await in_thread(self.logs.names)
        episode = visitor.room(WatchedEpisode) if visitor else None
        replayed = visitor.room(Replayed) if visitor else None
        if visitor is not None and episode is not None:
            return self._view.whole(episode, visitor.name(WatchedEpisode))
        if visitor is not None and replayed is not None:
            return self.logs.draw(replayed, visitor.name(Replayed))
        settings = self._site.settings
        return self._site.draw(
            "watch_choose.html.j2",
            agents=settings.agents,
            users=settings.users,
            paces=PACES,
            log_count=len(logs),
            logs=logs[:MOST_LOGS],
            **chooser(self._site, "watch"),
        )


def _watching(visitor: Visitor) -> WatchedEpisode:
    episode = visitor.room(WatchedEpisode)
    if episode is None:
        raise Refused("Nothing is being watched; choose a scenario.")
    return episode


def _persons_turn(episode: WatchedEpisode) -> Role:
    if episode.turn is None or episode.turn[1] != "person":
        raise Refused("It is not your turn.")
    return episode.turn[0]
