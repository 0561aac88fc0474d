"""An environment as SkelBuilder leaves it, small enough to read."""

from typing import Any, Literal

from envscaler_eval.synth.skel_builder.assessment import Assessment
from envscaler_eval.synth.skel_builder.coding import Program
from envscaler_eval.synth.skel_builder.mining import Topic
from envscaler_eval.synth.skel_builder.plan import (
    Attribute,
    Entity,
    Operation,
    Plan,
    StatePlan,
)
from envscaler_eval.synth.skel_builder.skeleton import Skeleton
from envscaler_eval.synth.skel_builder.trial import Start

SOURCE = '''"""A shared kiln: firings, shelves and members."""

from typing import Literal, TypedDict


class Firing(TypedDict):
    date: str
    cone: str
    shelves_free: int
    status: Literal["open", "closed"]


class Load(TypedDict):
    member_id: str
    firing_id: str
    shelves: int
    glaze: str


class Member(TypedDict):
    name: str
    balance: int


class KilnShare:
    """A kiln that members share by the shelf."""

    def __init__(self, init_config: dict) -> None:
        self.firings: dict[str, Firing] = {}
        self.loads: dict[str, Load] = {}
        self.members: dict[str, Member] = {}
        self.next_load: int = 1

    def list_firings(self) -> dict:
        """List all firings with their free shelves."""
        return {"success": True, "firings": self.firings}

    def list_loads(self, firing_id: str) -> dict:
        """List the loads of a firing.

        Args:
            firing_id: The firing.
        """
        found = {k: v for k, v in self.loads.items() if v["firing_id"] == firing_id}
        return {"success": True, "loads": found}

    def find_members(self, name: str) -> dict:
        """Find members by a part of their name.

        Args:
            name: Any part of the name.
        """
        found = {k: v for k, v in self.members.items() if name.lower() in v["name"].lower()}
        return {"success": True, "members": found}

    def book_shelves(self, member_id: str, firing_id: str, shelves: int, glaze: str) -> dict:
        """Book shelves of a firing, at 5 a shelf.

        Args:
            member_id: Who books.
            firing_id: The firing.
            shelves: How many shelves, at least 1.
            glaze: The glaze of the ware.
        """
        member, firing = self.members.get(member_id), self.firings.get(firing_id)
        if member is None or firing is None:
            return {"success": False, "error": "No such member or firing"}
        if firing["status"] != "open":
            return {"success": False, "error": f"Firing {firing_id} is closed"}
        if not 1 <= shelves <= firing["shelves_free"]:
            return {"success": False, "error": f"{firing['shelves_free']} shelves are free"}
        if member["balance"] < 5 * shelves:
            return {"success": False, "error": "The balance does not suffice"}
        load_id = f"L-{self.next_load}"
        self.next_load += 1
        member["balance"] -= 5 * shelves
        firing["shelves_free"] -= shelves
        self.loads[load_id] = {
            "member_id": member_id,
            "firing_id": firing_id,
            "shelves": shelves,
            "glaze": glaze,
        }
        return {"success": True, "load_id": load_id}

    def cancel_load(self, load_id: str) -> dict:
        """Take a load off its firing and refund it.

        Args:
            load_id: The load.
        """
        load = self.loads.get(load_id)
        if load is None:
            return {"success": False, "error": f"No load {load_id}"}
        firing = self.firings[load["firing_id"]]
        if firing["status"] != "open":
            return {"success": False, "error": "The firing is closed"}
        del self.loads[load_id]
        firing["shelves_free"] += load["shelves"]
        self.members[load["member_id"]]["balance"] += 5 * load["shelves"]
        return {"success": True, "refund": 5 * load["shelves"]}
'''

_MEMBERS = (
    "Mira Sandoval",
    "Tom Okoro",
    "Tomas Okafor",
    "Ada Lindqvist",
    "Yusuf Demir",
    "Ines Faro",
)
_GLAZES = ("celadon", "tenmoku", "shino", "ash", "chun")

STATE: dict[str, Any] = {
    "firings": {
        "F-1": {"date": "2026-04-04", "cone": "6", "shelves_free": 3, "status": "open"},
        "F-2": {"date": "2026-04-11", "cone": "6", "shelves_free": 4, "status": "open"},
        "F-3": {"date": "2026-04-05", "cone": "06", "shelves_free": 2, "status": "closed"},
        "F-4": {"date": "2026-04-18", "cone": "10", "shelves_free": 5, "status": "open"},
        "F-5": {"date": "2026-04-25", "cone": "6", "shelves_free": 6, "status": "open"},
    },
    "loads": {
        "L-1": {"member_id": "M-1", "firing_id": "F-1", "shelves": 2, "glaze": "celadon"},
        "L-2": {"member_id": "M-2", "firing_id": "F-2", "shelves": 1, "glaze": "tenmoku"},
        "L-3": {"member_id": "M-3", "firing_id": "F-4", "shelves": 1, "glaze": "shino"},
        **{
            f"L-{number}": {
                "member_id": f"M-{4 + number % 3}",
                "firing_id": f"F-{number % 5 + 1}",
                "shelves": 1 + number % 3,
                "glaze": _GLAZES[number % 5],
            }
            for number in range(4, 20)
        },
    },
    "members": {
        f"M-{number}": {"name": name, "balance": 20 + 10 * number}
        for number, name in enumerate(_MEMBERS, start=1)
    },
    "next_load": 20,
}
NOW = "2026-03-30T10:00:00"


def _attributes(*named: str) -> tuple[Attribute, ...]:
    """Return attributes from texts such as `shelves: int` or `member_id: str > members`."""
    made = []
    for text in named:
        name, _, kind = text.partition(": ")
        kind, _, target = kind.partition(" > ")
        made.append(Attribute(name=name, type=kind, about=name, refers_to=target or None))
    return tuple(made)


_OPERATIONS: tuple[tuple[str, Literal["query", "state_change"], tuple[int, ...]], ...] = (
    ("list_firings", "query", ()),
    ("list_loads", "query", ()),
    ("find_members", "query", ()),
    ("book_shelves", "state_change", (1, 2, 3)),
    ("cancel_load", "state_change", (1,)),
)

PLAN = Plan(
    topic=Topic(
        id="kiln_share",
        title="Kiln share",
        introduction="A kiln whose shelves members book, firing by firing.",
        domain="crafts",
        usefulness=8,
        modelability=9,
        tasks=("Put me down for two shelves on Saturday.",),
    ),
    state=StatePlan(
        class_name="KilnShare",
        entities=(
            Entity(
                name="Firing",
                container="firings",
                key="firing id, F-1",
                about="A firing of the kiln.",
                attributes=_attributes(
                    "date: str", "cone: str", "shelves_free: int", "status: str"
                ),
            ),
            Entity(
                name="Load",
                container="loads",
                key="load id, L-1",
                about="Shelves that a member has booked.",
                attributes=_attributes(
                    "member_id: str > members",
                    "firing_id: str > firings",
                    "shelves: int",
                    "glaze: str",
                ),
            ),
            Entity(
                name="Member",
                container="members",
                key="member id, M-1",
                about="A member.",
                attributes=_attributes("name: str", "balance: int"),
            ),
        ),
        values=_attributes("next_load: int"),
        rules=(
            "Nothing is booked or cancelled in a closed firing.",
            "Nobody books more shelves than are free.",
            "Nobody books what their balance does not cover.",
        ),
    ),
    operations=tuple(
        Operation(name=name, kind=kind, about=f"To {name} in the share.", enforces=rules)
        for name, kind, rules in _OPERATIONS
    ),
)

SKELETON = Skeleton(
    program=Program(plan=PLAN, source=SOURCE),
    starts=(Start(about="A quiet week.", now=NOW, state=STATE),),
    assessment=Assessment(tested=(), items=(), rejections=(), unproven={}, least_pass_rate=0.85),
    history=(1.0,),
)
