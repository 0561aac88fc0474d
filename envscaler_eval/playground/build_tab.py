"""Building an environment from one line, each stage as it happens."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from envscaler_eval.playground.build_items import BuildItem
from envscaler_eval.playground.following import follow
from envscaler_eval.playground.form_entries import Texts
from envscaler_eval.playground.running_build import RunningBuild
from envscaler_eval.playground.site import Refused, Reply, Site
from envscaler_eval.playground.visitors import Visitor
from envscaler_eval.playground.words import STATUS_WORDS

LONGEST_IDEA = 400
RECORDING = "recorded session"


class BuildTab:
    """The tab in which environments are made."""

    name = "build"
    title = "Build"

    def routes(self, site: Site) -> Sequence[Route]:
        """Return what answers the tab's requests."""
        desk = _Desk(site, self)
        return [
            Route("/build", desk.page),
            Route("/build/stream", desk.stream),
            Route("/build/pack.zip", desk.pack),
            site.action("/build/start", desk.start, admits=True),
            site.action("/build/leave", desk.leave, admits=True),
        ]


class _Desk:
    """Answers the requests of the tab."""

    def __init__(self, site: Site, tab: BuildTab) -> None:
        self._site = site
        self._tab = tab
        self._running: list[RunningBuild] = []

    async def page(self, request: Request) -> Response:
        visitor = self._site.visitor(request)
        return self._site.page(request, self._tab, f'<div id="stage">{self._stage(visitor)}</div>')

    async def start(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        settings = self._site.settings
        idea: str | None = None
        model = RECORDING
        if "recorded" not in texts:
            idea, model = " ".join(texts.get("idea", "").split()), texts.get("model", "")
            if model not in settings.models:
                raise Refused("There is no such model here.")
            if not idea:
                raise Refused("Write a request first, such as people would make of the system.")
            if len(idea) > LONGEST_IDEA:
                raise Refused(f"The request has {len(idea)} characters; {LONGEST_IDEA} will do.")
        if not settings.bounds.builds:
            raise Refused("This playground was started without builds (--builds 0).")
        await _give_up(visitor)
        self._running = [one for one in self._running if one.running]
        if len(self._running) >= settings.bounds.builds:
            raise Refused(
                "As many environments as this playground bears at once are being built already "
                f"({len(self._running)}). Try again in some minutes."
            )
        build = RunningBuild(idea, model, settings)
        # It counts, and is closed with the visitor, before it runs.
        self._running.append(build)
        visitor.enter(build)
        self._site.keep(await build.start())
        return Reply({"stage": self._stage(visitor)}, say="Building")

    async def leave(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        await _give_up(visitor)
        return Reply({"stage": self._stage(visitor)}, say="Write an idea")

    async def pack(self, request: Request) -> Response:
        visitor = self._site.visitor(request)
        build = visitor.room(RunningBuild) if visitor else None
        file = build.pack if build else None
        if file is None:
            return PlainTextResponse("There is no pack yet.", 404)
        return FileResponse(file, filename=file.name)

    async def stream(self, request: Request) -> Response:
        shown: dict[str, str] = {}

        def tell(build: RunningBuild, items: int) -> Reply:
            nonlocal shown
            before, shown = shown, self._parts(build)
            new = build.story.items[items:]
            return Reply(
                {id: text for id, text in shown.items() if before.get(id) != text},
                {"story": self._items(new)} if new else {},
            )

        return follow(self._site, request, RunningBuild, tell)

    def _stage(self, visitor: Visitor | None) -> str:
        build = visitor.room(RunningBuild) if visitor else None
        if visitor is None or build is None:
            return self._site.draw(
                "build_choose.html.j2",
                models=self._site.settings.models,
                recorded=self._recorded(),
                longest=LONGEST_IDEA,
            )
        return self._site.draw(
            "build.html.j2",
            room=visitor.name(RunningBuild),
            build=build,
            story=self._items(build.story.items),
            parts=self._parts(build),
            shown=len(build.story.items),
        )

    def _recorded(self) -> Sequence[str]:
        from envscaler_eval.synth.small_build import recorded_session, recorded_tasks

        with recorded_session() as session:
            return [task.text for task in recorded_tasks(session)]

    def _parts(self, build: RunningBuild) -> dict[str, str]:
        return {
            name: self._site.draw(f"build_{name}.html.j2", build=build, story=build.story)
            for name in ("controls", "way", "status", "made")
        }

    def _items(self, items: Sequence[BuildItem]) -> str:
        return self._site.draw("build_items.html.j2", items=items, status_words=STATUS_WORDS)


async def _give_up(visitor: Visitor) -> None:
    """End a visitor's build, and wait until its place is free."""
    build = visitor.room(RunningBuild)
    visitor.leave(RunningBuild)
    if build is not None:
        await build.gone()
