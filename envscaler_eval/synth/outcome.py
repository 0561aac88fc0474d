"""How an item's way through the pipeline ends early."""


class Dropped(Exception):
    """The item is not good enough: a result, which is recorded and never tried again."""


class Unfinished(Exception):
    """Something else failed, such as a provider: nothing is recorded, and a resumed run
    tries the item again."""
