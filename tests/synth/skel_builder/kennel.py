"""A small plan for tests, and a program of it."""

from typing import Literal

from envscaler_eval.synth.skel_builder.mining import Topic
from envscaler_eval.synth.skel_builder.plan import Operation, StatePlan
from envscaler_eval.synth.skel_builder.trial import Start

STATE = StatePlan.model_validate_json("""
{"class_name": "Kennel",
 "entities": [
  {"name": "Dog", "container": "dogs", "key": "D-1", "about": "A dog.", "attributes": [
    {"name": "name", "type": "str", "about": "Its name.", "refers_to": null},
    {"name": "box", "type": "str | None", "about": "Where it is.", "refers_to": "boxes"}]},
  {"name": "Box", "container": "boxes", "key": "X-1", "about": "A box.", "attributes": [
    {"name": "places", "type": "int", "about": "How many fit.", "refers_to": null}]}],
 "values": [{"name": "next_dog", "type": "int", "about": "The next number.", "refers_to": null}],
 "rules": ["A full box takes no further dog.", "A dog is never in two boxes.",
           "A box with dogs is not closed."]}
""")

_KINDS: dict[str, tuple[Literal["query", "state_change"], tuple[int, ...]]] = {
    "find_dogs": ("query", ()),
    "list_boxes": ("query", ()),
    "move_dog": ("state_change", (1, 2)),
    "close_box": ("state_change", (3,)),
}

OPERATIONS = tuple(
    Operation(name=name, kind=kind, about="It does what its name says.", enforces=enforces)
    for name, (kind, enforces) in _KINDS.items()
)

CLASS = '''"""A kennel."""

from typing import TypedDict


class Dog(TypedDict):
    name: str
    box: str | None


class Box(TypedDict):
    places: int


class Kennel:
    """A kennel."""

    def __init__(self, init_config: dict) -> None:
        self.dogs: dict[str, Dog] = {}
        self.boxes: dict[str, Box] = {}
        self.next_dog: int = 1  # the number of the next dog

    def _in_box(self, box_id: str) -> list[str]:
        return sorted(key for key, dog in self.dogs.items() if dog["box"] == box_id)
'''

FIND_DOGS = '''def find_dogs(self, name: str) -> dict:
    """Find dogs by name.

    Args:
        name: The name.
    """
    # In the order of their numbers.
    return {"success": True, "dogs": [key for key in sorted(self.dogs) if name == key]}
'''

TOPIC = Topic(
    id="kennel",
    title="Kennel",
    introduction="A kennel takes dogs in.",
    domain="animals",
    usefulness=8,
    modelability=9,
    tasks=("Move Rex to the large box.",),
)
START = Start(
    about="Two dogs.",
    now="2026-03-09T08:30:00",
    state={
        "dogs": {"D-1": {"name": "Rex", "box": "X-1"}, "D-2": {"name": "Lux", "box": None}},
        "boxes": {"X-1": {"places": 2}},
        "next_dog": 3,
    },
)
