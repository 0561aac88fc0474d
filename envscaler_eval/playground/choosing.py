"""Choosing a scenario, as Play and Watch offer it."""

from typing import Any

from starlette.requests import Request

from envscaler_eval.playground.catalogue import DIFFICULTIES
from envscaler_eval.playground.site import Site

SHOWN = 30
_VERBS = {"play": "Play", "watch": "Watch"}


def chooser(site: Site, tab: str, words: str = "") -> dict[str, Any]:
    """Return what `choose.html.j2` needs.

    Args:
        site: The playground.
        tab: Which tab the choice is for.
        words: What is looked for at first.
    """
    return {
        "domains": site.catalogue.domains,
        "difficulties": DIFFICULTIES,
        **_found(site, tab, words, "", ""),
    }


def found(site: Site, tab: str, request: Request) -> str:
    """Return the list of what a request looks for."""
    asked = request.query_params
    choice = (asked.get("words", ""), asked.get("domain", ""), asked.get("difficulty", ""))
    return site.draw("found.html.j2", **_found(site, tab, *choice))


def _found(site: Site, tab: str, words: str, domain: str, hardness: str) -> dict[str, Any]:
    listings = list(site.catalogue.search(words, domain, hardness))
    return {
        "tab": tab,
        "action": "start",
        "verb": _VERBS[tab],
        "beside": "#who" if tab == "watch" else "",
        "words": words,
        "count": len(listings),
        "listings": listings[:SHOWN],
    }
