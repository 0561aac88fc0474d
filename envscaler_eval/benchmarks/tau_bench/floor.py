"""What doing nothing earns: tasks whose own actions leave the database as it was.

Scores are to be read beside it. An agent that only apologises, and one that
transfers at once, earn reward 1 on these tasks.
"""

from collections.abc import Mapping
from types import MappingProxyType

NOOP_FLOOR: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "retail/test": (7, 115),
        "retail/dev": (1, 20),
        "retail/train": (5, 500),
        "airline/test": (19, 50),
    }
)
"""`domain/split` -> tasks on which doing nothing earns 1, and all tasks."""
