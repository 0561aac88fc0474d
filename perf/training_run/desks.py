"""The desks: how the states of each are drawn, and what is asked for at it."""

from collections.abc import Callable
from dataclasses import dataclass

from perf.training_run.drawing import RECORDS, Draw, Drawn, Request, becomes, call
from perf.training_run.handover import Handover, handed_over


@dataclass(frozen=True)
class Desk:
    """An environment, and how its states and requests are drawn.

    Attributes:
        id: Also the name of its program in `programs`.
        introduction: What it is, told to the agent.
        draw: Makes a state and a few requests that do not touch the same records.
    """

    id: str
    introduction: str
    draw: Callable[[Draw], Drawn]

    @property
    def class_name(self) -> str:
        """The class in the program."""
        return self.id.title().replace("_", "")


def key_cabinet(draw: Draw) -> Drawn:
    """Draw keys, some of them out, and who wants or returns one."""
    people = draw.records("P", [{"name": name} for name in draw.people()])
    holders = [*list(people)[: RECORDS // 2], *[None] * (RECORDS // 2)]
    rooms = draw.some("rooms")
    keys = draw.records(
        "K",
        [
            {"room": r, "holder": h}
            for r, h in zip(rooms, draw.random.sample(holders, RECORDS), strict=True)
        ],
    )
    requests = []
    for key_id, key in keys.items():
        find = call("find_keys", text=key["room"])
        if key["holder"] is None:
            person_id = draw.random.choice(list(people))
            name = people[person_id]["name"]
            requests.append(
                Request(
                    f"{name} needs the key to the {key['room']}, please hand it over.",
                    f"{name} has the key to the {key['room']}",
                    becomes("keys", key_id, "holder", person_id),
                    (
                        find,
                        call("find_people", text=name),
                        call("issue_key", key_id=key_id, person_id=person_id),
                    ),
                )
            )
        else:
            requests.append(
                Request(
                    f"The key to the {key['room']} is back, hang it up again.",
                    f"the key to the {key['room']} hangs in the cabinet",
                    becomes("keys", key_id, "holder", None),
                    (find, call("take_back_key", key_id=key_id)),
                )
            )
    return {"keys": keys, "people": people}, requests


def parcel_room(draw: Draw) -> Drawn:
    """Draw parcels that wait, and what becomes of some."""
    parcels = draw.records(
        "PC", [{"name": name, "handed_out": False, "sent_back": None} for name in draw.people()]
    )
    told = {
        "refused": "{} does not want the parcel, send it back.",
        "moved": "{} has moved away, send the parcel back.",
        "damaged": "The parcel of {} is damaged, send it back.",
    }
    requests = []
    for parcel_id, parcel in parcels.items():
        name = parcel["name"]
        find = call("find_parcels", text=name)
        reason = draw.random.choice([None, None, *told])
        if reason is None:
            requests.append(
                Request(
                    f"{name} is here for a parcel, hand it out.",
                    f"the parcel of {name} was handed out",
                    f'final["parcels"]["{parcel_id}"]["handed_out"]',
                    (find, call("hand_out", parcel_id=parcel_id)),
                )
            )
        else:
            requests.append(
                Request(
                    told[reason].format(name),
                    f"the parcel of {name} was sent back: {reason}",
                    becomes("parcels", parcel_id, "sent_back", reason),
                    (find, call("send_back", parcel_id=parcel_id, reason=reason)),
                )
            )
    return {"parcels": parcels}, requests


def meeting_rooms(draw: Draw) -> Drawn:
    """Draw rooms and bookings, and who wants a room or gives one up."""
    rooms = draw.records("R", [{"room": room} for room in draw.some("rooms")])
    days = {
        "Mon": "Monday",
        "Tue": "Tuesday",
        "Wed": "Wednesday",
        "Thu": "Thursday",
        "Fri": "Friday",
    }
    people = draw.people()
    half = RECORDS // 2
    bookings = draw.records(
        "BK",
        [
            {"room_id": room_id, "day": draw.random.choice(list(days)), "name": name}
            for room_id, name in zip(draw.random.sample(list(rooms), half), people, strict=False)
        ],
    )
    requests = []
    free = [room_id for room_id in rooms if all(b["room_id"] != room_id for b in bookings.values())]
    for room_id, name in zip(free, people[half:], strict=True):
        room, day = rooms[room_id]["room"], draw.random.choice(list(days))
        wanted = {"room_id": room_id, "day": day, "name": name}
        requests.append(
            Request(
                f"Book the {room} on {days[day]} for {name}.",
                f"{name} has the {room} on {days[day]}",
                f'{wanted!r} in final["bookings"].values()',
                (
                    call("find_rooms", text=room),
                    call("book_room", room_id=room_id, day=day, name=name),
                ),
            )
        )
    for booking_id, booking in bookings.items():
        requests.append(
            Request(
                f"{booking['name']} does not need a room any more, cancel that booking.",
                f"the booking of {booking['name']} is cancelled",
                f'"{booking_id}" not in final["bookings"]',
                (
                    call("find_bookings", text=booking["name"]),
                    call("cancel_booking", booking_id=booking_id),
                ),
            )
        )
    return {"rooms": rooms, "bookings": bookings, "next_booking": 1}, requests


def vehicle_pool(draw: Draw) -> Drawn:
    """Draw vehicles and drivers, and who needs one or what is broken."""
    vehicles = draw.records(
        "V",
        [{"kind": kind, "driver_id": None, "fault": None} for kind in draw.some("vehicles")],
    )
    drivers = draw.records("D", [{"name": name} for name in draw.people()])
    wording = Handover(
        collection="vehicles", field="kind", thing="vehicle_id", person="driver_id", option="fault",
        find_thing="find_vehicles", find_person="find_drivers", hand_over="assign_vehicle",
        remove="send_to_workshop", give="{name} takes the {what} today.",
        gone="fault",
        options={
            fault: f"The {fault} of the {{what}} need seeing to, send it to the workshop."
            for fault in ("brakes", "lights", "tyres")
        } | {"engine": "The engine of the {what} stalls, send it to the workshop."},
    )  # fmt: skip
    return {"vehicles": vehicles, "drivers": drivers}, handed_over(vehicles, drivers, draw, wording)


def lost_property(draw: Draw) -> Drawn:
    """Draw items and claims, and what is returned or given away."""
    items = draw.records(
        "LP",
        [{"what": what, "claim_id": None, "given_to": None} for what in draw.some("lost")],
    )
    claims = draw.records("C", [{"name": name} for name in draw.people()])
    wording = Handover(
        collection="items", field="what", thing="item_id", person="claim_id", option="to",
        find_thing="search_items", find_person="search_claims", hand_over="return_item",
        remove="give_away", give="The {what} belongs to {name}, return it.",
        gone="given_to",
        options={
            to: f"Nobody came for the {{what}}, give it to {to}."
            for to in ("charity", "auction", "recycling")
        },
    )  # fmt: skip
    return {"items": items, "claims": claims}, handed_over(items, claims, draw, wording)


def seed_exchange(draw: Draw) -> Drawn:
    """Draw packets and members, and what is given or withdrawn."""
    packets = draw.records(
        "S",
        [
            {"variety": variety, "member_id": None, "withdrawn": None}
            for variety in draw.some("seeds")
        ],
    )
    members = draw.records("M", [{"name": name} for name in draw.people()])
    wording = Handover(
        collection="packets", field="variety", thing="packet_id", person="member_id",
        option="reason", find_thing="look_up_packets", find_person="look_up_members",
        hand_over="give_packet", remove="withdraw_packet",
        give="{name} would like the {what}, give it to them.",
        gone="withdrawn",
        options={
            reason: f"The {{what}} is {reason}, take it off the shelf."
            for reason in ("mouldy", "expired", "mislabelled")
        },
    )  # fmt: skip
    return {"packets": packets, "members": members}, handed_over(packets, members, draw, wording)


TRAINED = (
    Desk("key_cabinet", "The key cabinet of an office building.", key_cabinet),
    Desk("parcel_room", "The parcel room of a block of flats.", parcel_room),
    Desk("meeting_rooms", "The meeting rooms of an office, booked by the day.", meeting_rooms),
    Desk("vehicle_pool", "The vehicle pool of a town's works department.", vehicle_pool),
)
UNSEEN = (
    Desk("lost_property", "The lost property office of a railway station.", lost_property),
    Desk("seed_exchange", "The seed exchange of a gardening club.", seed_exchange),
)
