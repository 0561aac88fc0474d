"""The tools of an environment as forms in the page, wherever a person acts."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request

from envscaler_eval.pack import Pack
from envscaler_eval.playground.form_entries import (
    JSON_NAME,
    Texts,
    number_of,
    shown_entries,
    with_entry,
    without_entry,
)
from envscaler_eval.playground.form_fields import Field, form_of, place_of
from envscaler_eval.playground.form_reading import FormError, arguments_from_json, arguments_of
from envscaler_eval.playground.site import Refused, Reply, Site
from envscaler_eval.playground.suggestions import suggestions
from envscaler_eval.scenario import ToolCall
from envscaler_eval.state import State

_RAW, _ADD, _REMOVE = "#raw", "#add", "#remove"
"""What the buttons of a form send; no field's name begins with a `#`."""


class ToolForms:
    """The forms of one environment's tools, in one tab."""

    def __init__(self, site: Site, tab: str, pack: Pack) -> None:
        """Make the forms.

        Args:
            site: The playground.
            tab: The tab that takes the calls, at `/tab/call/TOOL`.
            pack: The environment.
        """
        self._site = site
        self._tab = tab
        self.tools = pack.environment.tools
        self._fields = {tool.name: form_of(tool.parameters) for tool in self.tools}

    def draw(self, state: State) -> str:
        """Return all forms, empty.

        Args:
            state: What fields may be filled with is taken from it.
        """
        known = self.suggestions(state)
        forms = [(tool, self._draw(tool.name, {}, {}, "", known)) for tool in self.tools]
        return self._site.draw("tools.html.j2", forms=forms, tab=self._tab)

    def suggestions(self, state: State) -> Mapping[str, Sequence[str]]:
        """Return what fields may be filled with, by parameter."""
        return suggestions(self.tools, state)

    def draw_suggestions(self, state: State) -> str:
        """Return what fields may be filled with, as the page needs it."""
        return self._site.draw("suggestions.html.j2", suggestions=self.suggestions(state))

    def read(self, request: Request, texts: Texts, state: State) -> ToolCall | Reply:
        """Return the call that was typed, or the form with what is wrong in it.

        Raises:
            Refused: There is no such tool.
        """
        name, fields = self._asked(request)
        try:
            arguments = (
                arguments_from_json(texts.get(JSON_NAME, ""))
                if _RAW in texts
                else arguments_of(fields, texts)
            )
        except FormError as fault:
            focus = next(iter(fault.faults))
            form = self._draw(name, texts, fault.faults, focus, self.suggestions(state))
            return Reply({f"form--{name}": form}, say=f"Not called: {fault}")
        return ToolCall(name=name, arguments=arguments)

    def edit(self, request: Request, texts: Texts, state: State) -> Reply:
        """Add an entry to a list in a form, or remove one.

        Raises:
            Refused: There is no such tool, list or entry.
        """
        name, fields = self._asked(request)
        if _ADD in texts:
            at = texts[_ADD]
            place = _entries_at(fields, at)
            shown = shown_entries(place, at, texts)
            changed, focus = with_entry(texts, at, shown), _first(place, f"{at}/{shown}")
            told = "Added an entry"
        else:
            at, _, told_number = texts.get(_REMOVE, "").rpartition("/")
            number = number_of(told_number)
            place = _entries_at(fields, at)
            shown = shown_entries(place, at, texts)
            if number is None or number >= shown:
                raise Refused("There is no such entry.")
            changed, focus = without_entry(texts, at, number, shown), ""
            told = "Removed an entry"
        form = self._draw(name, changed, {}, focus, self.suggestions(state))
        return Reply({f"form--{name}": form}, say=told)

    def _asked(self, request: Request) -> tuple[str, Sequence[Field]]:
        name = str(request.path_params["tool"])
        fields = self._fields.get(name)
        if fields is None:
            raise Refused("There is no such tool here.")
        return name, fields

    def _draw(
        self,
        name: str,
        texts: Texts,
        faults: Mapping[str, str],
        focus: str,
        known: Mapping[str, Any],
    ) -> str:
        def entries(place: Field, at: str) -> int:
            return shown_entries(place, at, texts)

        return self._site.draw(
            "form.html.j2",
            tab=self._tab,
            tool=name,
            fields=self._fields[name],
            texts=texts,
            faults=faults,
            focus=focus,
            entries=entries,
            suggested=lambda key: key in known,
        )


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
