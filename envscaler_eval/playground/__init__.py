"""Environments to touch: playing a scenario by hand, watching a model, in a page.

The page is `envscaler play`. It needs the extra `app`; what has no page in it, such as
`PlayedEpisode` and `Visitors`, does not.
"""

from envscaler_eval.playground.catalogue import Catalogue, Listing
from envscaler_eval.playground.played_episode import PlayedEpisode, Step, TooManyCalls
from envscaler_eval.playground.settings import PlaygroundSettings
from envscaler_eval.playground.visitors import Bounds, PlaygroundFull, Visitor, Visitors

__all__ = [
    "Bounds",
    "Catalogue",
    "Listing",
    "PlayedEpisode",
    "PlaygroundFull",
    "PlaygroundSettings",
    "Step",
    "TooManyCalls",
    "Visitor",
    "Visitors",
]
