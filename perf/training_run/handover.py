"""Requests at desks where a thing either goes to a person or away for a reason."""

from dataclasses import dataclass
from typing import Any

from envscaler_eval.scenario import ToolCall
from perf.training_run.drawing import Draw, Request, becomes, call


@dataclass(frozen=True)
class Handover:
    """How a desk speaks of its things, and with which tools it moves them.

    Attributes:
        collection: Where its state keeps the things.
        field: What a thing is called.
        thing: The argument that names a thing.
        person: The argument, and the thing's field, that name a person.
        option: The argument that gives a reason.
        find_thing: The tool that finds things.
        find_person: The tool that finds people.
        hand_over: The tool that gives a thing to a person.
        remove: The tool that puts a thing away.
        give: The request that `{name}` gets `{what}`.
        gone: The thing's field that keeps the reason.
        options: For each reason, the request to put `{what}` away.
    """

    collection: str
    field: str
    thing: str
    person: str
    option: str
    find_thing: str
    find_person: str
    hand_over: str
    remove: str
    give: str
    gone: str
    options: dict[str, str]


def handed_over(
    things: dict[str, Any], people: dict[str, Any], draw: Draw, wording: Handover
) -> list[Request]:
    """Draw what becomes of each thing.

    Args:
        things: The things by id.
        people: The people by id.
        draw: The random source.
        wording: How the desk asks for it and does it.
    """
    requests = []
    for thing_id, thing in things.items():
        what = thing[wording.field]
        find = call(wording.find_thing, text=what)
        if draw.random.random() < 0.5:
            person_id = draw.random.choice(list(people))
            name = people[person_id]["name"]
            words = wording.give.format(name=name, what=what)
            field, value = wording.person, person_id
            about = f"{name} has the {what}"
            calls: tuple[ToolCall, ...] = (
                find,
                call(wording.find_person, text=name),
                call(wording.hand_over, **{wording.thing: thing_id, wording.person: person_id}),
            )
        else:
            option = draw.random.choice(list(wording.options))
            words = wording.options[option].format(what=what)
            field, value = wording.gone, option
            about = f"the {what} is gone: {option}"
            act = call(wording.remove, **{wording.thing: thing_id, wording.option: option})
            calls = (find, act)
        requests.append(
            Request(
                words,
                about,
                becomes(wording.collection, thing_id, field, value),
                calls,
            )
        )
    return requests
