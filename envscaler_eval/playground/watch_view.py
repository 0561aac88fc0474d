"""A watched episode as the page shows it."""

from collections.abc import Sequence

from envscaler_eval.playground.site import Reply, Site
from envscaler_eval.playground.talk import Item
from envscaler_eval.playground.tool_forms import ToolForms
from envscaler_eval.playground.tree import tree
from envscaler_eval.playground.watched_episode import WatchedEpisode
from envscaler_eval.playground.words import STATUS_WORDS, observed

PACES = {"0": "at once", "1": "a step a second", "3": "slowly"}
"""How many seconds a turn takes at least."""


class WatchView:
    """Draws watched episodes."""

    def __init__(self, site: Site) -> None:
        """Draw for a playground."""
        self._site = site

    def whole(self, episode: WatchedEpisode, room: str) -> str:
        """Return all that is shown of an episode.

        Args:
            episode: The episode.
            room: The name of the visitor's room.
        """
        listing = episode.listing
        return self._site.draw(
            "watch.html.j2",
            room=room,
            listing=listing,
            pack=listing.pack,
            scenario=listing.scenario,
            episode=episode,
            talk=self._talk(episode.items),
            parts=self._controls(episode) | self._world(episode),
            shown=len(episode.items),
        )

    def news(self, episode: WatchedEpisode, shown: int) -> Reply:
        """Return what changes in a page that shows so many items."""
        new = episode.items[shown:]
        if not new:
            return Reply(self._controls(episode))
        return Reply(self._controls(episode) | self._world(episode), {"talk": self._talk(new)})

    def _controls(self, episode: WatchedEpisode) -> dict[str, str]:
        person = episode.turn is not None and episode.turn[1] == "person"
        role = episode.turn[0] if person and episode.turn else ""
        return {
            "controls": self._site.draw("watch_controls.html.j2", episode=episode, paces=PACES),
            "status": self._site.draw(
                "watch_status.html.j2", episode=episode, told=_status(episode)
            ),
            "turn": self._site.draw(
                "watch_turn.html.j2",
                role=role,
                episode=episode,
                tools=self._drawn_forms(episode) if role == "agent" else "",
            ),
        }

    def forms(self, episode: WatchedEpisode) -> ToolForms:
        """Return the tools as forms, for when the visitor plays the agent."""
        return ToolForms(self._site, "watch", episode.listing.pack)

    def _drawn_forms(self, episode: WatchedEpisode) -> str:
        forms = self.forms(episode)
        return forms.draw(episode.state) + forms.draw_suggestions(episode.state)

    def _world(self, episode: WatchedEpisode) -> dict[str, str]:
        told = [item for item in episode.items if item.differences is not None]
        last = told[-1].differences if told else ()
        return {"state": self._site.draw("world.html.j2", nodes=tree(episode.state, last or ()))}

    def _talk(self, items: Sequence[Item]) -> str:
        return self._site.draw(
            "talk.html.j2", items=items, status_words=STATUS_WORDS, observed=observed
        )


def _status(episode: WatchedEpisode) -> str:
    if episode.ending is not None:
        if episode.ending["event"] == "failed":
            return f"It failed: {episode.ending['why']}"
        return f"Ended: {episode.ending['ended_by'].replace('_', ' ')}."
    if episode.turn is None:
        return "Starting, which takes some seconds …"
    role, waits = episode.turn
    match waits:
        case "person":
            return f"Your turn, as the {role}."
        case "step":
            return f"Paused before the {role}'s turn."
        case "pace":
            return f"The {role} is next."
        case "sent":
            return "Sent."
        case _:
            yours = " The turn after this one is yours." if role in episode.taken else ""
            return f"{episode.players[role]} is thinking …{yours}"
