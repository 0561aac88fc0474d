"""A regional newsroom: copy flow, embargoes, page space, picture rights, wire copy, corrections."""

from collections.abc import Container
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

Section = Literal["local", "business", "culture", "sport", "world"]
PageSection = Literal["front", "notices", "local", "business", "culture", "sport", "world"]
Role = Literal["reporter", "editor", "chief", "legal", "picture"]
StoryStatus = Literal["draft", "submitted", "edited", "cleared", "retracted"]
Terms = Literal["on_record", "background", "anonymous"]
Remedy = Literal["correction", "clarification", "retraction", "rejected"]
ComplaintStatus = Literal["open", "settled", "printed"]
Refusal = Literal[
    "embargo_not_lifted",
    "not_signed_off",
    "too_few_sources",
    "no_space",
    "page_closed",
    "too_old",
    "rights_territory",
    "rights_expired",
    "rights_channel",
    "no_uses_left",
    "minor_without_consent",
    "quota_exceeded",
    "wire_share_too_high",
]


class Settings(TypedDict):
    """House rules and the newsroom's own clock."""

    home_zone: str
    words_per_column_cm: int
    headline_column_cm: int  # taken by the headline of every story on a page
    notice_column_cm: int  # taken by a printed correction, clarification or retraction
    notice_days: int  # days from the decision on a complaint to the paper that prints it
    wire_share_percent: int  # most of a story that may be wire copy
    free_cut_percent: int  # bigger cuts since the editing go past editor and lawyer again
    homepage_hours: int  # age at which a story no longer goes onto the homepage


class Member(TypedDict):
    """Someone of the staff."""

    name: str
    role: Role
    section: Section | None
    on_duty: bool


class Story(TypedDict):
    """A story; words count everything, wire copy included."""

    title: str
    section: Section
    author_id: str
    words: int
    wire_agency_id: str | None
    wire_words: int
    legal_review: bool
    embargo_id: str | None
    status: StoryStatus
    edited_by: str | None
    edited_words: int | None  # length at which it was edited, by which later cuts are judged
    cleared_by: str | None
    online_since: str | None


class Source(TypedDict):
    """A source of a story and the terms on which it speaks."""

    story_id: str
    alias: str
    terms: Terms
    permitted_by: str | None


class Embargo(TypedDict):
    """The moment before which an organisation lets nobody publish, on its own clock."""

    organisation: str
    lifts_at: str
    zone: str


class Edition(TypedDict):
    """A printed edition and the territory in which it is sold."""

    name: str
    territory: str
    on_sale: str


class Page(TypedDict):
    """A page; its space is columns times depth, less what advertisements take."""

    edition_id: str
    number: int
    section: PageSection
    columns: int
    depth_cm: int
    ads_column_cm: int
    most_stories: int
    closes_at: str


class Placement(TypedDict):
    """A story on a page, with its picture."""

    page_id: str
    story_id: str
    picture_id: str | None
    picture_columns: int
    picture_cm: int


class Picture(TypedDict):
    """A picture and the licence under which the paper holds it."""

    caption: str
    credit: str
    territories: list[str]
    channels: list[Literal["print", "web"]]
    valid_until: str
    uses_left: int
    shows_minor: bool
    consent: bool


class Slot(TypedDict):
    """A position on the homepage."""

    section: Section | None  # the only section that it takes
    needs_picture: bool
    story_id: str | None
    picture_id: str | None


class Agency(TypedDict):
    """A wire agency and the words that its contract gives for this month."""

    name: str
    quota_words: int
    used_words: int
    web_allowed: bool


class Complaint(TypedDict):
    """A complaint about a story that was out."""

    story_id: str
    about: Literal["name", "figure", "fact", "picture"]
    printed_in: str | None  # name of the edition; none for a story that was online only
    received_on: str
    status: ComplaintStatus
    remedy: Remedy | None
    settled_by: str | None
    settled_on: str | None
    page_id: str | None


class LoggedRefusal(TypedDict):
    """Something that was asked of the desk and could not be done."""

    record_id: str
    reason: Refusal


def _sorry(why: str) -> dict[str, Any]:
    return {"success": False, "error": why}


def _missing(*wanted: tuple[str | None, Container[str]]) -> str | None:
    """Name the first id that is not in its collection; none stands for nothing wanted."""
    for record_id, collection in wanted:
        if record_id is not None and record_id not in collection:
            return f"There is no {record_id!r} here"
    return None


class NewsroomDesk:
    """The desk of a regional paper and its website."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.settings: Settings = {
            "home_zone": "",
            "words_per_column_cm": 1,
            "headline_column_cm": 0,
            "notice_column_cm": 0,
            "notice_days": 0,
            "wire_share_percent": 0,
            "free_cut_percent": 0,
            "homepage_hours": 0,
        }
        self.zones: dict[str, int] = {}  # minutes ahead of UTC at this time of the year
        self.staff: dict[str, Member] = {}
        self.stories: dict[str, Story] = {}
        self.sources: dict[str, Source] = {}
        self.embargoes: dict[str, Embargo] = {}
        self.editions: dict[str, Edition] = {}
        self.pages: dict[str, Page] = {}
        self.placements: dict[str, Placement] = {}
        self.pictures: dict[str, Picture] = {}
        self.homepage: dict[str, Slot] = {}
        self.agencies: dict[str, Agency] = {}
        self.complaints: dict[str, Complaint] = {}
        self.refusals: dict[str, LoggedRefusal] = {}
        self.next_placement: int = 1
        self.next_refusal: int = 1

    # Who may do what

    def _on_duty(
        self, role: Role, section: str | None, besides: Container[str | None]
    ) -> str | None:
        for member_id, member in self.staff.items():
            fits = member["role"] == role and member["section"] == section
            if fits and member["on_duty"] and member_id not in besides:
                return member_id
        return None

    def _in_charge(self, section: str, besides: Container[str | None] = ()) -> str | None:
        """The section's editor on duty; where there is none but those besides, the chief."""
        return self._on_duty("editor", section, besides) or self._on_duty("chief", None, besides)

    def _wrong_hand(self, by: str, needed: str | None, what: str) -> str | None:
        """Say that somebody is not the one who does a thing today, or return None."""
        return None if by == needed else f"{what} is not for {by} today"

    # Copy

    def _ready(self, story: Story) -> bool:
        return story["status"] == "cleared" or (
            story["status"] == "edited" and not story["legal_review"]
        )

    def _source_problem(self, story_id: str) -> str | None:
        """Say what a story lacks in sources, or return None."""
        sources = [s for s in self.sources.values() if s["story_id"] == story_id]
        waiting = [
            s["alias"] for s in sources if s["terms"] != "on_record" and not s["permitted_by"]
        ]
        if waiting:
            return f"No permission yet for source {waiting[0]}"
        if any(s["terms"] == "anonymous" for s in sources) and len(sources) < 2:
            return "A story with an anonymous source has at least two sources"
        return None

    def _share_problem(self, wire_words: int, words: int) -> str | None:
        share = self.settings["wire_share_percent"]
        if wire_words * 100 > share * words:
            return f"{wire_words} of {words} words would be wire copy, over {share} percent"
        return None

    def _lifts_at(self, embargo_id: str) -> datetime:
        """When an embargo lifts, by the newsroom's clock."""
        embargo = self.embargoes[embargo_id]
        shift = self.zones[self.settings["home_zone"]] - self.zones[embargo["zone"]]
        return datetime.fromisoformat(embargo["lifts_at"]) + timedelta(minutes=shift)

    def _embargoed(self, story: Story, at: datetime) -> str | None:
        if story["embargo_id"] is None:
            return None
        lifts = self._lifts_at(story["embargo_id"])
        return f"Under embargo until {lifts.isoformat()} by our clock" if at < lifts else None

    # Space

    def _story_cm(self, story_id: str) -> int:
        """Column centimetres of a story's text and headline."""
        text = -(-self.stories[story_id]["words"] // self.settings["words_per_column_cm"])
        return self.settings["headline_column_cm"] + text

    def _free_cm(self, page_id: str) -> int:
        page = self.pages[page_id]
        stories = sum(
            self._story_cm(p["story_id"]) + p["picture_columns"] * p["picture_cm"]
            for p in self.placements.values()
            if p["page_id"] == page_id
        )
        notices = sum(c["page_id"] == page_id for c in self.complaints.values())
        taken = page["ads_column_cm"] + stories + notices * self.settings["notice_column_cm"]
        return page["columns"] * page["depth_cm"] - taken

    def _closed(self, page_id: str) -> str | None:
        closes = self.pages[page_id]["closes_at"]
        if datetime.now() >= datetime.fromisoformat(closes):
            return f"Page {page_id} closed at {closes}"
        return None

    def _page_hand(self, page_id: str, by: str) -> str | None:
        needed = self._in_charge(self.pages[page_id]["section"])
        return self._closed(page_id) or self._wrong_hand(by, needed, f"Page {page_id}")

    def _remove(self, placement_id: str) -> None:
        picture_id = self.placements.pop(placement_id)["picture_id"]
        if picture_id is not None:
            self.pictures[picture_id]["uses_left"] += 1

    def _on_page(self, placement_id: str) -> dict[str, Any]:
        placed = self.placements[placement_id]
        return {
            "placement_id": placement_id,
            "story_id": placed["story_id"],
            "title": self.stories[placed["story_id"]]["title"],
            "column_cm": self._story_cm(placed["story_id"]),
            "picture_id": placed["picture_id"],
            "picture_column_cm": placed["picture_columns"] * placed["picture_cm"],
        }

    def _picture_problem(
        self, picture_id: str, channel: Literal["print", "web"], day: str, territory: str | None
    ) -> str | None:
        """Say why a picture cannot be used in a channel on a day, or return None."""
        picture = self.pictures[picture_id]
        if channel not in picture["channels"]:
            return f"{picture_id} is not licensed for {channel}"
        if territory is not None and territory not in picture["territories"]:
            return f"{picture_id} is not licensed for {territory}"
        if day > picture["valid_until"]:
            return f"The licence of {picture_id} ends on {picture['valid_until']}"
        if picture["shows_minor"] and not picture["consent"]:
            return f"{picture_id} shows a minor without consent"
        return f"All uses of {picture_id} are spent" if picture["uses_left"] < 1 else None

    # Queries

    def get_house_rules(self) -> dict[str, Any]:
        """Show the settings of the house, the time zones and who is in charge today."""
        sections = ("local", "business", "culture", "sport", "world")
        return {
            "success": True,
            "settings": self.settings,
            "zones_minutes_ahead_of_utc": self.zones,
            "in_charge_today": {section: self._in_charge(section) for section in sections},
        }

    def find_staff(self, text: str = "", role: Role | None = None) -> dict[str, Any]:
        """Find people by part of their name, with role, section and duty.

        Args:
            text: Part of the name, any case; empty for all.
            role: Only people in this role.
        """
        found = [
            {"member_id": i, **m}
            for i, m in self.staff.items()
            if text.lower() in m["name"].lower() and role in (None, m["role"])
        ]
        return {"success": True, "staff": found}

    def find_stories(
        self, text: str = "", section: Section | None = None, status: StoryStatus | None = None
    ) -> dict[str, Any]:
        """Find stories by part of their title or author.

        Args:
            text: Part of the title or of the author's name, any case; empty for all.
            section: Only stories of this section.
            status: Only stories at this point of the copy flow.
        """
        found = [
            {
                "story_id": i,
                "title": s["title"],
                "section": s["section"],
                "author": self.staff[s["author_id"]]["name"],
                "words": s["words"],
                "status": s["status"],
                "online_since": s["online_since"],
            }
            for i, s in self.stories.items()
            if text.lower() in f"{s['title']} {self.staff[s['author_id']]['name']}".lower()
            and section in (None, s["section"])
            and status in (None, s["status"])
        ]
        return {"success": True, "stories": found}

    def get_story(self, story_id: str) -> dict[str, Any]:
        """Show a story with its space on a page, embargo, pages, positions and refusals.

        Args:
            story_id: The story.
        """
        if problem := _missing((story_id, self.stories)):
            return _sorry(problem)
        story = self.stories[story_id]
        embargo_id = story["embargo_id"]
        return {
            "success": True,
            "story": story,
            "column_cm": self._story_cm(story_id),
            "embargo": embargo_id and self.embargoes[embargo_id],
            "placements": [
                {"placement_id": i, **p}
                for i, p in self.placements.items()
                if p["story_id"] == story_id
            ],
            "homepage": [int(n) for n, s in self.homepage.items() if s["story_id"] == story_id],
            "refusals": [r for r in self.refusals.values() if r["record_id"] == story_id],
        }

    def list_sources(self, story_id: str | None = None) -> dict[str, Any]:
        """List sources by alias, with their terms and who permitted them.

        Args:
            story_id: Only sources of this story.
        """
        found = [
            {"source_id": i, **s, "title": self.stories[s["story_id"]]["title"]}
            for i, s in self.sources.items()
            if story_id in (None, s["story_id"])
        ]
        return {"success": True, "sources": found}

    def list_editions(self) -> dict[str, Any]:
        """List editions with their pages, closing times and free column centimetres."""
        found = [
            {
                "edition_id": edition_id,
                **edition,
                "pages": [
                    {
                        "page_id": i,
                        "number": p["number"],
                        "section": p["section"],
                        "closes_at": p["closes_at"],
                        "free_column_cm": self._free_cm(i),
                    }
                    for i, p in self.pages.items()
                    if p["edition_id"] == edition_id
                ],
            }
            for edition_id, edition in self.editions.items()
        ]
        return {"success": True, "editions": found}

    def get_page(self, page_id: str) -> dict[str, Any]:
        """Show a page with what stands on it.

        Args:
            page_id: The page.
        """
        if problem := _missing((page_id, self.pages)):
            return _sorry(problem)
        return {
            "success": True,
            "page": self.pages[page_id],
            "edition": self.editions[self.pages[page_id]["edition_id"]],
            "free_column_cm": self._free_cm(page_id),
            "stories": [
                self._on_page(i) for i, p in self.placements.items() if p["page_id"] == page_id
            ],
            "notices": [i for i, c in self.complaints.items() if c["page_id"] == page_id],
        }

    def find_pictures(self, text: str = "") -> dict[str, Any]:
        """Find pictures by part of their caption or credit, with their licences.

        Args:
            text: Part of the caption or credit, any case; empty for all.
        """
        found = [
            {"picture_id": i, **p}
            for i, p in self.pictures.items()
            if text.lower() in f"{p['caption']} {p['credit']}".lower()
        ]
        return {"success": True, "pictures": found}

    def get_homepage(self) -> dict[str, Any]:
        """Show the homepage by position, with each story's title and since when it is online."""
        rows = []
        for position, slot in self.homepage.items():
            story = self.stories[slot["story_id"]] if slot["story_id"] else None
            rows.append(
                {
                    "position": int(position),
                    **slot,
                    "title": story and story["title"],
                    "online_since": story and story["online_since"],
                }
            )
        return {"success": True, "homepage": rows}

    def list_agencies(self) -> dict[str, Any]:
        """List wire agencies with the words that are left of this month's quota."""
        found = [
            {"agency_id": i, **a, "left_words": a["quota_words"] - a["used_words"]}
            for i, a in self.agencies.items()
        ]
        return {"success": True, "agencies": found}

    def list_complaints(self, status: ComplaintStatus | None = None) -> dict[str, Any]:
        """List complaints about stories that were out.

        Args:
            status: Only complaints in this status.
        """
        found = [
            {"complaint_id": i, **c, "title": self.stories[c["story_id"]]["title"]}
            for i, c in self.complaints.items()
            if status in (None, c["status"])
        ]
        return {"success": True, "complaints": found}

    def list_refusals(self, reason: Refusal | None = None) -> dict[str, Any]:
        """List what is on record as refused, of stories, pictures and agencies.

        Args:
            reason: Only what this stood in the way of.
        """
        found = [
            {"refusal_id": i, **r}
            for i, r in self.refusals.items()
            if reason in (None, r["reason"])
        ]
        return {"success": True, "refusals": found}

    # Changes

    def permit_source(self, source_id: str, by: str) -> dict[str, Any]:
        """Let a story rest on a source that is not on the record.

        Args:
            source_id: A source on background or anonymous.
            by: Whoever would edit the story, for background; for anonymity, the chief on
                duty, unless they wrote it.
        """
        if problem := _missing((source_id, self.sources), (by, self.staff)):
            return _sorry(problem)
        source = self.sources[source_id]
        story = self.stories[source["story_id"]]
        if source["terms"] == "on_record" or source["permitted_by"] is not None:
            return _sorry(f"Source {source_id} needs no permission any more")
        needed = self._on_duty("chief", None, (story["author_id"],))
        if source["terms"] == "background":
            needed = self._in_charge(story["section"], (story["author_id"],))
        if problem := self._wrong_hand(by, needed, f"Permission for {source['terms']} sources"):
            return _sorry(problem)
        source["permitted_by"] = by
        return {"success": True, "source_id": source_id, "story_id": source["story_id"]}

    def sign_off(self, story_id: str, by: str) -> dict[str, Any]:
        """Pass a submitted story as edited, or an edited one as cleared by the lawyer.

        Args:
            story_id: The story.
            by: The editor in charge, who is not the author; then the lawyer on duty.
        """
        if problem := _missing((story_id, self.stories), (by, self.staff)):
            return _sorry(problem)
        story = self.stories[story_id]
        if story["status"] == "submitted":
            needed = self._in_charge(story["section"], (story["author_id"],))
            if problem := (
                self._wrong_hand(by, needed, f"Editing {story_id}")
                or self._source_problem(story_id)
                or self._share_problem(story["wire_words"], story["words"])
            ):
                return _sorry(problem)
            story["status"], story["edited_by"] = "edited", by
            story["edited_words"] = story["words"]
        elif story["status"] == "edited" and story["legal_review"]:
            needed = self._on_duty("legal", None, ())
            if problem := self._wrong_hand(by, needed, f"Clearing {story_id}"):
                return _sorry(problem)
            story["status"], story["cleared_by"] = "cleared", by
        else:
            return _sorry(f"Story {story_id} is {story['status']} and waits for nobody's signature")
        return {"success": True, "status": story["status"], "ready": self._ready(story)}

    def cut_story(self, story_id: str, words: int, by: str) -> dict[str, Any]:
        """Cut a story to a length in words; deep cuts have to be signed off again.

        Args:
            story_id: A submitted, edited or cleared story that is not online and on no closed page.
            words: The new length, fewer than now and at least 60.
            by: The editor in charge of the section.
        """
        if problem := _missing((story_id, self.stories), (by, self.staff)):
            return _sorry(problem)
        story = self.stories[story_id]
        if not 60 <= words < story["words"]:
            return _sorry(f"{story_id} has {story['words']} words; a cut leaves at least 60")
        if story["online_since"] is not None or story["status"] in ("draft", "retracted"):
            return _sorry(f"{story_id} is online, retracted or still its author's")
        placed = [p["page_id"] for p in self.placements.values() if p["story_id"] == story_id]
        if problem := (
            self._wrong_hand(by, self._in_charge(story["section"]), f"Cutting {story_id}")
            or next((shut for page_id in placed if (shut := self._closed(page_id))), None)
            or self._share_problem(story["wire_words"], words)
        ):
            return _sorry(problem)
        edited = story["edited_words"]
        if edited and (edited - words) * 100 > self.settings["free_cut_percent"] * edited:
            if placed:
                return _sorry(f"So deep a cut needs a new signature: take {story_id} off the page")
            story["status"], story["edited_words"] = "submitted", None
            story["edited_by"], story["cleared_by"] = None, None
        story["words"] = words
        return {
            "success": True,
            "status": story["status"],
            "column_cm": self._story_cm(story_id),
        }

    def add_wire_copy(self, story_id: str, agency_id: str, words: int, by: str) -> dict[str, Any]:
        """Add agency copy to a story that has not been edited yet.

        Args:
            story_id: A submitted story; it takes copy from one agency only.
            agency_id: The agency.
            words: Words of agency copy to add.
            by: The editor in charge of the section.
        """
        if problem := _missing(
            (story_id, self.stories), (agency_id, self.agencies), (by, self.staff)
        ):
            return _sorry(problem)
        story, agency = self.stories[story_id], self.agencies[agency_id]
        if story["status"] != "submitted":
            return _sorry(f"Story {story_id} is {story['status']}, not submitted")
        if story["wire_agency_id"] not in (None, agency_id):
            return _sorry(f"{story_id} has copy of {story['wire_agency_id']} already")
        left = agency["quota_words"] - agency["used_words"]
        if not 1 <= words <= left:
            return _sorry(f"{left} words are left of the quota of {agency['name']}")
        if problem := (
            self._wrong_hand(by, self._in_charge(story["section"]), f"Wire copy in {story_id}")
            or self._share_problem(story["wire_words"] + words, story["words"] + words)
        ):
            return _sorry(problem)
        story["wire_agency_id"] = agency_id
        story["wire_words"] += words
        story["words"] += words
        agency["used_words"] += words
        return {"success": True, "words": story["words"], "quota_left": left - words}

    def place_story(self, story_id: str, page_id: str, by: str) -> dict[str, Any]:
        """Put a story on a page of an edition.

        Args:
            story_id: A story that is signed off.
            page_id: An open page of its section, or a front page.
            by: The editor in charge of the page; for a front page, the chief on duty.
        """
        if problem := _missing((story_id, self.stories), (page_id, self.pages), (by, self.staff)):
            return _sorry(problem)
        story, page = self.stories[story_id], self.pages[page_id]
        edition_id = page["edition_id"]
        if not self._ready(story):
            return _sorry(f"Story {story_id} is {story['status']} and not signed off")
        if page["section"] not in ("front", story["section"]):
            return _sorry(f"Page {page_id} is for {page['section']}, not for {story['section']}")
        if any(
            p["story_id"] == story_id and self.pages[p["page_id"]]["edition_id"] == edition_id
            for p in self.placements.values()
        ):
            return _sorry(f"Story {story_id} is in edition {edition_id} already")
        on_sale = datetime.fromisoformat(self.editions[edition_id]["on_sale"])
        if problem := self._page_hand(page_id, by) or self._embargoed(story, on_sale):
            return _sorry(problem)
        count = sum(p["page_id"] == page_id for p in self.placements.values())
        if count >= page["most_stories"]:
            return _sorry(f"Page {page_id} has its {count} stories")
        needed, free = self._story_cm(story_id), self._free_cm(page_id)
        if needed > free:
            return _sorry(f"{story_id} needs {needed} column cm, page {page_id} has {free}")
        placement_id = f"PL-{self.next_placement}"
        self.next_placement += 1
        self.placements[placement_id] = {
            "page_id": page_id,
            "story_id": story_id,
            "picture_id": None,
            "picture_columns": 0,
            "picture_cm": 0,
        }
        return {"success": True, "placement_id": placement_id, "free_column_cm": free - needed}

    def take_off_page(self, placement_id: str, by: str) -> dict[str, Any]:
        """Take a story, and its picture, off a page that is still open.

        Args:
            placement_id: The placement; it disappears, and the picture's use is given back.
            by: The editor in charge of the page; for a front page, the chief on duty.
        """
        if problem := _missing((placement_id, self.placements), (by, self.staff)):
            return _sorry(problem)
        placed = self.placements[placement_id]
        if problem := self._page_hand(placed["page_id"], by):
            return _sorry(problem)
        self._remove(placement_id)
        return {"success": True, "free_column_cm": self._free_cm(placed["page_id"])}

    def add_picture(
        self, placement_id: str, picture_id: str, columns: int, height_cm: int, by: str
    ) -> dict[str, Any]:
        """Give a story on a page its picture.

        Args:
            placement_id: A placement without a picture.
            picture_id: A picture whose licence covers the edition.
            columns: Width in columns, at least 1.
            height_cm: Height in centimetres, at least 3.
            by: The picture editor on duty.
        """
        if problem := _missing(
            (placement_id, self.placements), (picture_id, self.pictures), (by, self.staff)
        ):
            return _sorry(problem)
        placed = self.placements[placement_id]
        page = self.pages[placed["page_id"]]
        edition = self.editions[page["edition_id"]]
        if placed["picture_id"] is not None:
            return _sorry(f"{placement_id} has picture {placed['picture_id']}")
        if not 1 <= columns <= page["columns"] or not 3 <= height_cm <= page["depth_cm"]:
            return _sorry(f"The page is {page['columns']} columns by {page['depth_cm']} cm")
        if problem := (
            self._closed(placed["page_id"])
            or self._wrong_hand(by, self._on_duty("picture", None, ()), "Choosing pictures")
            or self._picture_problem(
                picture_id, "print", edition["on_sale"][:10], edition["territory"]
            )
        ):
            return _sorry(problem)
        free = self._free_cm(placed["page_id"])
        if columns * height_cm > free:
            return _sorry(f"Page {placed['page_id']} has {free} column cm left")
        placed["picture_id"] = picture_id
        placed["picture_columns"], placed["picture_cm"] = columns, height_cm
        self.pictures[picture_id]["uses_left"] -= 1
        return {"success": True, "free_column_cm": free - columns * height_cm}

    def publish_online(self, story_id: str, by: str) -> dict[str, Any]:
        """Put a story on the website now.

        Args:
            story_id: A story that is signed off and whose embargo has lifted.
            by: The editor in charge of the section.
        """
        if problem := _missing((story_id, self.stories), (by, self.staff)):
            return _sorry(problem)
        story = self.stories[story_id]
        if not self._ready(story) or story["online_since"] is not None:
            return _sorry(f"Story {story_id} is not signed off, or is online already")
        agency_id = story["wire_agency_id"]
        if agency_id is not None and not self.agencies[agency_id]["web_allowed"]:
            return _sorry(f"{self.agencies[agency_id]['name']} copy is for print only")
        if problem := (
            self._wrong_hand(by, self._in_charge(story["section"]), f"Publishing {story_id}")
            or self._embargoed(story, datetime.now())
        ):
            return _sorry(problem)
        story["online_since"] = datetime.now().isoformat(timespec="minutes")
        return {"success": True, "online_since": story["online_since"]}

    def set_homepage(
        self, position: int, story_id: str, by: str, picture_id: str | None = None
    ) -> dict[str, Any]:
        """Put an online story on the homepage; it leaves the position that it had.

        Args:
            position: Position, from 1 for the lead.
            story_id: The story; what stood there before drops off.
            by: The chief on duty.
            picture_id: Its picture, for positions that show one.
        """
        slot = self.homepage.get(str(position))
        if slot is None:
            return _sorry(f"The homepage has no position {position}")
        if problem := _missing(
            (story_id, self.stories), (picture_id, self.pictures), (by, self.staff)
        ):
            return _sorry(problem)
        story = self.stories[story_id]
        if story["online_since"] is None or story["status"] == "retracted":
            return _sorry(f"Story {story_id} is not online")
        if slot["story_id"] == story_id and slot["picture_id"] == picture_id:
            return _sorry(f"{story_id} stands there already")
        if slot["section"] not in (None, story["section"]):
            return _sorry(f"Position {position} is for {slot['section']}")
        if slot["needs_picture"] != (picture_id is not None):
            return _sorry(
                f"Position {position} {'needs' if slot['needs_picture'] else 'has no'} picture"
            )
        age = datetime.now() - datetime.fromisoformat(story["online_since"])
        if age > timedelta(hours=self.settings["homepage_hours"]):
            return _sorry(f"{story_id} has been online since {story['online_since']}: too old")
        if problem := self._wrong_hand(by, self._on_duty("chief", None, ()), "The homepage"):
            return _sorry(problem)
        if picture_id is not None:
            today = datetime.now().date().isoformat()
            if problem := self._picture_problem(picture_id, "web", today, None):
                return _sorry(problem)
            self.pictures[picture_id]["uses_left"] -= 1
        dropped = slot["story_id"]
        for other in self.homepage.values():
            if other["story_id"] == story_id:
                other["story_id"], other["picture_id"] = None, None
        slot["story_id"], slot["picture_id"] = story_id, picture_id
        return {"success": True, "dropped": dropped if dropped != story_id else None}

    def settle_complaint(self, complaint_id: str, remedy: Remedy, by: str) -> dict[str, Any]:
        """Decide a complaint; a retracted story leaves the homepage and the pages still open.

        Args:
            complaint_id: An open complaint.
            remedy: What the paper does about it.
            by: The editor in charge or else the chief on duty, whichever neither wrote nor
                edited the story; for a retraction, that chief.
        """
        if problem := _missing((complaint_id, self.complaints), (by, self.staff)):
            return _sorry(problem)
        complaint = self.complaints[complaint_id]
        if complaint["status"] != "open":
            return _sorry(f"Complaint {complaint_id} is {complaint['status']}")
        story_id = complaint["story_id"]
        story = self.stories[story_id]
        involved = (story["author_id"], story["edited_by"])
        needed = self._in_charge(story["section"], involved)
        if remedy == "retraction":
            needed = self._on_duty("chief", None, involved)
        if problem := self._wrong_hand(by, needed, f"A {remedy} of {story_id}"):
            return _sorry(problem)
        complaint["status"], complaint["remedy"] = "settled", remedy
        complaint["settled_by"] = by
        complaint["settled_on"] = datetime.now().date().isoformat()
        if remedy == "retraction":
            story["status"] = "retracted"
            for slot in self.homepage.values():
                if slot["story_id"] == story_id:
                    slot["story_id"], slot["picture_id"] = None, None
            for placement_id, placed in list(self.placements.items()):
                if placed["story_id"] == story_id and not self._closed(placed["page_id"]):
                    self._remove(placement_id)
        return {"success": True, "to_be_printed": remedy != "rejected" and complaint["printed_in"]}

    def print_notice(self, complaint_id: str, page_id: str, by: str) -> dict[str, Any]:
        """Print the correction, clarification or retraction that settles a complaint.

        Args:
            complaint_id: A settled complaint about a printed story.
            page_id: An open notices page of an edition with the name of the one that printed it.
            by: The chief on duty.
        """
        if problem := _missing(
            (complaint_id, self.complaints), (page_id, self.pages), (by, self.staff)
        ):
            return _sorry(problem)
        complaint, page = self.complaints[complaint_id], self.pages[page_id]
        edition = self.editions[page["edition_id"]]
        if complaint["status"] != "settled" or complaint["remedy"] == "rejected":
            return _sorry(f"Complaint {complaint_id} has nothing to be printed")
        if page["section"] != "notices" or edition["name"] != complaint["printed_in"]:
            return _sorry(
                f"The story was printed in {complaint['printed_in']}: a notices page of it"
            )
        if problem := self._page_hand(page_id, by):
            return _sorry(problem)
        decided = date.fromisoformat(complaint["settled_on"] or "")
        latest = (decided + timedelta(days=self.settings["notice_days"])).isoformat()
        if edition["on_sale"][:10] > latest:
            return _sorry(f"The notice is printed by {latest}")
        if self.settings["notice_column_cm"] > self._free_cm(page_id):
            return _sorry(f"Page {page_id} has {self._free_cm(page_id)} column cm left")
        complaint["status"], complaint["page_id"] = "printed", page_id
        return {"success": True, "free_column_cm": self._free_cm(page_id)}

    def log_refusal(self, record_id: str, reason: Refusal) -> dict[str, Any]:
        """Put on record that something asked of the desk could not be done.

        Picture rights (rights_..., no_uses_left, minor_without_consent) are filed on the
        picture, quota_exceeded on the agency, all other reasons on the story.

        Args:
            record_id: The story, picture or agency that the request was about.
            reason: What stood in the way.
        """
        records: Container[str] = self.stories
        if reason.startswith("rights") or reason in ("no_uses_left", "minor_without_consent"):
            records = self.pictures
        elif reason == "quota_exceeded":
            records = self.agencies
        if problem := _missing((record_id, records)):
            return _sorry(f"{problem}; see where {reason} is filed")
        if {"record_id": record_id, "reason": reason} in self.refusals.values():
            return _sorry("That is on record already")
        refusal_id = f"RF-{self.next_refusal}"
        self.next_refusal += 1
        self.refusals[refusal_id] = {"record_id": record_id, "reason": reason}
        return {"success": True, "refusal_id": refusal_id}
