"""Course registry: students, sections, enrolments, waitlists, holds, petitions and grades."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, TypedDict, get_args

Letter = Literal["A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D", "F"]
PetitionKind = Literal["overload", "prerequisite_waiver", "late_add"]
DenialGround = Literal["gpa_below_minimum", "standing_not_good", "no_instructor_support"]
RemovalReason = Literal["ineligible", "student_request"]
Reason = Literal[
    "active_hold",
    "advising_pending",
    "already_registered",
    "balance_due",
    "credit_limit",
    "deadline_passed",
    "dean_only",
    "minimum_load",
    "missing_prerequisite",
    "no_seat",
    "section_cancelled",
    "time_conflict",
]

# Grade points in tenths, so that averages are sums of whole numbers.
TENTHS: dict[str, int] = dict(
    zip(get_args(Letter), (40, 37, 33, 30, 27, 23, 20, 17, 10, 0), strict=True)
)

# In the records, dates are YYYY-MM-DD, times of day HH:MM and money is in US dollars.


class Term(TypedDict):
    name: str
    starts_on: str
    add_deadline: str
    drop_deadline: str
    ends_on: str
    grade_change_deadline: str


class Programme(TypedDict):
    title: str
    minimum_load: int
    credit_limit: int
    probation_limit: int
    overload_limit: int
    overload_gpa: float


class Student(TypedDict):
    name: str
    programme_id: str
    standing: Literal["good", "probation"]
    balance_due: float
    advisor: str
    advised_on: str | None


class Course(TypedDict):
    title: str
    department: str
    credits: int
    prerequisites: list[str]
    needs_lab: bool


class Room(TypedDict):
    building: str
    seats: int
    kind: Literal["lecture", "laboratory"]


class Meeting(TypedDict):
    day: Literal["Mon", "Tue", "Wed", "Thu", "Fri"]
    start: str
    end: str


class Section(TypedDict):
    course_id: str
    instructor: str
    room_id: str
    meetings: list[Meeting]
    capacity: int
    partner_seats: int
    waitlist_limit: int
    status: Literal["open", "cancelled"]


class Enrolment(TypedDict):
    student_id: str
    section_id: str
    status: Literal["enrolled", "dropped"]
    enrolled_on: str
    dropped_on: str | None


class WaitlistEntry(TypedDict):
    student_id: str
    section_id: str
    joined_at: str
    status: Literal["waiting", "enrolled", "removed"]
    removal_reason: RemovalReason | None


class Hold(TypedDict):
    student_id: str
    kind: Literal["financial", "advising", "conduct"]
    note: str
    placed_on: str
    status: Literal["active", "released"]
    released_on: str | None


class Petition(TypedDict):
    student_id: str
    kind: PetitionKind
    course_id: str | None
    statement: str
    instructor_support: bool
    submitted_on: str
    status: Literal["pending", "approved", "denied"]
    denial_ground: DenialGround | None
    decided_on: str | None


class Grade(TypedDict):
    student_id: str
    course_id: str
    term_id: str
    grade: str
    change_basis: str | None


class DeclinedRequest(TypedDict):
    student_id: str
    request: str
    subject_id: str
    reason: Reason
    message: str
    declined_on: str


def _failure(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _refusal(barriers: dict[str, str]) -> dict[str, Any] | None:
    """The failure that the gravest barrier amounts to, or None when there is none."""
    if not barriers:
        return None
    reason, explanation = next(iter(barriers.items()))
    return {"success": False, "error": explanation, "reason": reason}


class CourseRegistry:
    """The registrar's register of one term at a college with partner colleges.

    What the rules forbid is worked out as *barriers*: reason codes with explanations, the
    gravest first. A tool acts only when there are none, and a request can be declined only
    for a reason that is among them.
    """

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.current_term: str = ""
        self.terms: dict[str, Term] = {}
        self.programmes: dict[str, Programme] = {}
        self.students: dict[str, Student] = {}
        self.courses: dict[str, Course] = {}
        self.rooms: dict[str, Room] = {}
        self.sections: dict[str, Section] = {}
        self.enrolments: dict[str, Enrolment] = {}
        self.waitlist: dict[str, WaitlistEntry] = {}
        self.holds: dict[str, Hold] = {}
        self.petitions: dict[str, Petition] = {}
        self.grades: dict[str, Grade] = {}
        self.declined_requests: dict[str, DeclinedRequest] = {}
        self.next_enrolment: int = 1
        self.next_waitlist_entry: int = 1
        self.next_declined_request: int = 1

    # Looking up

    def _today(self) -> str:
        return datetime.now().date().isoformat()

    def _unknown(self, **ids: str) -> dict[str, Any] | None:
        """The failure that names the first of these ids that is not on file, or None."""
        tables: dict[str, Mapping[str, Any]] = {
            "student_id": self.students,
            "section_id": self.sections,
            "room_id": self.rooms,
            "enrolment_id": self.enrolments,
            "entry_id": self.waitlist,
            "hold_id": self.holds,
            "petition_id": self.petitions,
            "grade_id": self.grades,
        }
        for name, record_id in ids.items():
            if record_id not in tables[name]:
                return _failure(f"{name} {record_id} does not exist")
        return None

    def _rows(
        self, id_name: str, table: Mapping[str, Any], **wanted: str | None
    ) -> list[dict[str, Any]]:
        """The records with the wanted values (None: any), each with its id and student's name."""
        rows = []
        for record_id, record in table.items():
            if all(value in (None, record[field]) for field, value in wanted.items()):
                student = self.students.get(record.get("student_id", ""))
                name = {} if student is None else {"student_name": student["name"]}
                rows.append({id_name: record_id, **name, **record})
        return rows

    def _credits(self, section_id: str) -> int:
        return self.courses[self.sections[section_id]["course_id"]]["credits"]

    def _timetable(self, student_id: str) -> dict[str, str]:
        """The sections that a student is registered in, by enrolment id."""
        return {
            enrolment_id: enrolment["section_id"]
            for enrolment_id, enrolment in self.enrolments.items()
            if enrolment["student_id"] == student_id and enrolment["status"] == "enrolled"
        }

    def _load(self, student_id: str) -> int:
        return sum(map(self._credits, self._timetable(student_id).values()))

    def _seats_taken(self, section_id: str) -> int:
        roster = self._rows("id", self.enrolments, section_id=section_id, status="enrolled")
        return self.sections[section_id]["partner_seats"] + len(roster)

    def _seats_free(self, section_id: str) -> int:
        return self.sections[section_id]["capacity"] - self._seats_taken(section_id)

    def _queue(self, section_id: str) -> list[dict[str, Any]]:
        """The waiting entries of a section, first in line first."""
        entries = self._rows("entry_id", self.waitlist, section_id=section_id, status="waiting")
        return sorted(entries, key=lambda entry: entry["joined_at"])

    def _active_holds(self, student_id: str) -> list[str]:
        rows = self._rows("hold_id", self.holds, student_id=student_id, status="active")
        return [row["hold_id"] for row in rows]

    def _has_approved(self, student_id: str, kind: PetitionKind, course_id: str | None) -> bool:
        """Whether a student has an approved petition of a kind (for a course, if given)."""
        wanted = {"student_id": student_id, "kind": kind, "course_id": course_id}
        return bool(self._rows("id", self.petitions, status="approved", **wanted))

    def _gpa(self, student_id: str) -> float | None:
        """The credit-weighted grade average to two decimals; None before the first grade."""
        graded = [
            (TENTHS[grade["grade"]], self.courses[grade["course_id"]]["credits"])
            for grade in self.grades.values()
            if grade["student_id"] == student_id and grade["grade"] in TENTHS
        ]
        if not graded:
            return None
        tenths = sum(points * weight for points, weight in graded)
        return round(tenths / (10 * sum(weight for _, weight in graded)), 2)

    def _credit_limit(self, student_id: str) -> int:
        student = self.students[student_id]
        programme = self.programmes[student["programme_id"]]
        if student["standing"] == "probation":
            return programme["probation_limit"]
        if self._has_approved(student_id, "overload", None):
            return programme["overload_limit"]
        return programme["credit_limit"]

    def _missing_prerequisites(self, student_id: str, course_id: str) -> list[str]:
        if self._has_approved(student_id, "prerequisite_waiver", course_id):
            return []
        passed = {
            grade["course_id"]
            for grade in self.grades.values()
            if grade["student_id"] == student_id and TENTHS.get(grade["grade"], 0) >= TENTHS["C"]
        }
        return [
            course for course in self.courses[course_id]["prerequisites"] if course not in passed
        ]

    def _overlap(self, section_id: str, other_id: str) -> bool:
        return any(
            mine["day"] == theirs["day"]
            and mine["start"] < theirs["end"]
            and theirs["start"] < mine["end"]
            for mine in self.sections[section_id]["meetings"]
            for theirs in self.sections[other_id]["meetings"]
        )

    def _section_row(self, section_id: str) -> dict[str, Any]:
        section = self.sections[section_id]
        course = self.courses[section["course_id"]]
        return {
            "section_id": section_id,
            "title": course["title"],
            "credits": course["credits"],
            **section,
            "seats_free": self._seats_free(section_id),
            "waiting": len(self._queue(section_id)),
        }

    # Barriers

    def _entry_barriers(self, student_id: str, section_id: str) -> dict[str, str]:
        """What keeps a student from being registered or waitlisted in a section."""
        course_id = self.sections[section_id]["course_id"]
        barriers = {}
        if self.sections[section_id]["status"] == "cancelled":
            barriers["section_cancelled"] = f"Section {section_id} is cancelled"
        if holds := self._active_holds(student_id):
            barriers["active_hold"] = f"{student_id} has an active hold: {', '.join(holds)}"
        deadline = self.terms[self.current_term]["add_deadline"]
        if self._today() > deadline and not self._has_approved(student_id, "late_add", course_id):
            barriers["deadline_passed"] = (
                f"The add deadline was {deadline}; {student_id} has no approved late_add petition "
                f"for {course_id}"
            )
        if missing := self._missing_prerequisites(student_id, course_id):
            barriers["missing_prerequisite"] = (
                f"{student_id} has no grade of C or better in {', '.join(missing)} and no approved "
                f"prerequisite_waiver petition for {course_id}"
            )
        return barriers

    def _timetable_barriers(
        self, student_id: str, section_id: str, leaving: str | None
    ) -> dict[str, str]:
        """What keeps a section from fitting in beside what is kept once `leaving` is dropped."""
        kept = [other for key, other in self._timetable(student_id).items() if key != leaving]
        barriers = {}
        for other in kept:
            if self.sections[other]["course_id"] == self.sections[section_id]["course_id"]:
                barriers["already_registered"] = f"{student_id} is already registered in {other}"
            elif self._overlap(section_id, other):
                barriers["time_conflict"] = f"{section_id} overlaps with {other} of {student_id}"
        load = sum(map(self._credits, [*kept, section_id]))
        limit = self._credit_limit(student_id)
        if load > limit:
            barriers["credit_limit"] = (
                f"{student_id} would have {load} credits; the limit is {limit}"
            )
        return barriers

    def _registration_barriers(
        self, student_id: str, section_id: str, leaving: str | None = None
    ) -> dict[str, str]:
        """What keeps a student from a seat in a section, once enrolment `leaving` is dropped."""
        barriers = {
            **self._entry_barriers(student_id, section_id),
            **self._timetable_barriers(student_id, section_id, leaving),
        }
        queue = self._queue(section_id)
        if self._seats_free(section_id) < 1:
            barriers["no_seat"] = f"Section {section_id} is full"
        elif queue and queue[0]["student_id"] != student_id:
            first = queue[0]["entry_id"]
            barriers["no_seat"] = f"The next seat in {section_id} belongs to waitlist entry {first}"
        return barriers

    def _waiting_barriers(self, entry_id: str) -> dict[str, str]:
        """What keeps a waiting student out of a section even when a seat is free."""
        entry = self.waitlist[entry_id]
        student_id, section_id = entry["student_id"], entry["section_id"]
        # Being in another section of the course is no obstacle, as the two can be swapped.
        leaving = next(
            (
                enrolment_id
                for enrolment_id, other in self._timetable(student_id).items()
                if self.sections[other]["course_id"] == self.sections[section_id]["course_id"]
            ),
            None,
        )
        return {
            **self._entry_barriers(student_id, section_id),
            **self._timetable_barriers(student_id, section_id, leaving),
        }

    def _drop_barriers(self, enrolment_id: str, gained: int = 0) -> dict[str, str]:
        """What keeps an enrolment from being given up, `gained` credits being taken for it."""
        enrolment = self.enrolments[enrolment_id]
        student_id = enrolment["student_id"]
        if enrolment["status"] == "dropped":
            return {"already_dropped": f"Enrolment {enrolment_id} is already dropped"}
        barriers = {}
        deadline = self.terms[self.current_term]["drop_deadline"]
        if self._today() > deadline:
            barriers["deadline_passed"] = f"The drop deadline was {deadline}"
        lost = self._credits(enrolment["section_id"]) - gained
        load = self._load(student_id) - lost
        minimum = self.programmes[self.students[student_id]["programme_id"]]["minimum_load"]
        if lost > 0 and load < minimum:
            barriers["minimum_load"] = (
                f"{student_id} would have {load} credits; the minimum load is {minimum}"
            )
        return barriers

    def _release_barriers(self, hold_id: str) -> dict[str, str]:
        hold = self.holds[hold_id]
        student = self.students[hold["student_id"]]
        if hold["status"] == "released":
            return {"already_released": f"Hold {hold_id} is already released"}
        if hold["kind"] == "conduct":
            return {"dean_only": "A conduct hold is released by the Dean of Students alone"}
        if hold["kind"] == "financial" and student["balance_due"] > 0:
            return {"balance_due": f"A balance of ${student['balance_due']:.2f} is still due"}
        if hold["kind"] == "advising" and (student["advised_on"] or "") < hold["placed_on"]:
            return {"advising_pending": f"No advising meeting since {hold['placed_on']}"}
        return {}

    def _approval_barriers(self, petition_id: str) -> dict[str, str]:
        petition = self.petitions[petition_id]
        if petition["kind"] != "overload":
            if petition["instructor_support"]:
                return {}
            return {"no_instructor_support": "The instructor does not support the petition"}
        student = self.students[petition["student_id"]]
        minimum = self.programmes[student["programme_id"]]["overload_gpa"]
        gpa = self._gpa(petition["student_id"])
        barriers = {}
        if student["standing"] != "good":
            barriers["standing_not_good"] = "The student is on probation"
        if gpa is None or gpa < minimum:
            barriers["gpa_below_minimum"] = f"The GPA is {gpa}; an overload takes {minimum}"
        return barriers

    def _grade_barriers(self, grade_id: str) -> dict[str, str]:
        term = self.terms[self.grades[grade_id]["term_id"]]
        if self._today() > term["grade_change_deadline"]:
            final = term["grade_change_deadline"]
            return {"deadline_passed": f"Grades of {term['name']} became final on {final}"}
        return {}

    def _request_barriers(
        self, student_id: str, request: str, subject_id: str
    ) -> dict[str, str] | None:
        """The barriers to a request, or None when its subject is none of the student's."""
        if request == "registration" and subject_id in self.sections:
            return self._registration_barriers(student_id, subject_id)
        if request == "drop" and subject_id in self._timetable(student_id):
            return self._drop_barriers(subject_id)
        if request == "hold_release" and subject_id in self._active_holds(student_id):
            return self._release_barriers(subject_id)
        owner = self.grades[subject_id]["student_id"] if subject_id in self.grades else None
        if request == "grade_change" and owner == student_id:
            return self._grade_barriers(subject_id)
        return None

    # Writing

    def _register(self, student_id: str, section_id: str) -> dict[str, Any]:
        """Write an enrolment and use up the waitlist place that the seat was given for."""
        for entry in self._queue(section_id):
            if entry["student_id"] == student_id:
                self.waitlist[entry["entry_id"]]["status"] = "enrolled"
        enrolment_id = f"E-{self.next_enrolment}"
        self.next_enrolment += 1
        self.enrolments[enrolment_id] = {
            "student_id": student_id,
            "section_id": section_id,
            "status": "enrolled",
            "enrolled_on": self._today(),
            "dropped_on": None,
        }
        return {"success": True, "enrolment_id": enrolment_id, "load": self._load(student_id)}

    def _end(self, enrolment_id: str) -> None:
        self.enrolments[enrolment_id]["status"] = "dropped"
        self.enrolments[enrolment_id]["dropped_on"] = self._today()

    def _undecided(self, petition_id: str) -> dict[str, Any] | None:
        """The failure when a petition cannot be decided any more, or None."""
        status = self.petitions[petition_id]["status"]
        return None if status == "pending" else _failure(f"{petition_id} is {status} already")

    # Query tools

    def get_calendar(self) -> dict[str, Any]:
        """Give today's date, the current term and the deadlines of the terms on file."""
        today = self._today()
        return {"success": True, "today": today, "current": self.current_term, "terms": self.terms}

    def search_students(self, name: str = "", programme_id: str | None = None) -> dict[str, Any]:
        """Find students; without arguments, list all.

        Args:
            name: Any part of the name, in upper or lower case.
            programme_id: Only students of this programme.
        """
        found = [
            {"student_id": row["student_id"], "name": row["name"], "programme": row["programme_id"]}
            for row in self._rows("student_id", self.students, programme_id=programme_id)
            if name.lower() in row["name"].lower()
        ]
        return {"success": True, "students": found}

    def get_student(self, student_id: str) -> dict[str, Any]:
        """Show a student: balance (US dollars), programme limits, load, timetable, waiting, holds.

        Args:
            student_id: The student.
        """
        if error := self._unknown(student_id=student_id):
            return error
        student = self.students[student_id]
        mine = {"student_id": student_id}
        timetable = [
            {"enrolment_id": enrolment_id, **self._section_row(section_id)}
            for enrolment_id, section_id in self._timetable(student_id).items()
        ]
        return {
            "success": True,
            **mine,
            **student,
            "programme": self.programmes[student["programme_id"]],
            "gpa": self._gpa(student_id),
            "load": self._load(student_id),
            "credit_limit": self._credit_limit(student_id),
            "timetable": timetable,
            "waiting": self._rows("entry_id", self.waitlist, status="waiting", **mine),
            "active_holds": self._active_holds(student_id),
            "declined": self._rows("declined_request_id", self.declined_requests, **mine),
        }

    def get_transcript(self, student_id: str) -> dict[str, Any]:
        """Show a student's grades of earlier terms and grade point average (A is 4.0).

        Args:
            student_id: The student.
        """
        if error := self._unknown(student_id=student_id):
            return error
        grades = [
            {**self.courses[row["course_id"]], **row}
            for row in self._rows("grade_id", self.grades, student_id=student_id)
        ]
        return {"success": True, "gpa": self._gpa(student_id), "grades": grades}

    def search_courses(self, text: str = "") -> dict[str, Any]:
        """Find courses with credits and prerequisites; without arguments, list all.

        Args:
            text: Any part of the course id, title or department, in upper or lower case.
        """
        found = [
            row
            for row in self._rows("course_id", self.courses)
            if text.lower() in f"{row['course_id']} {row['title']} {row['department']}".lower()
        ]
        return {"success": True, "courses": found}

    def list_sections(
        self, course_id: str | None = None, room_id: str | None = None
    ) -> dict[str, Any]:
        """List this term's sections with times (24-hour), seats and number of students waiting.

        Args:
            course_id: Only sections of this course.
            room_id: Only sections that meet in this room.
        """
        rows = self._rows("section_id", self.sections, course_id=course_id, room_id=room_id)
        found = [self._section_row(row["section_id"]) for row in rows]
        return {"success": True, "sections": found}

    def get_section(self, section_id: str) -> dict[str, Any]:
        """Show a section with its room, roster and waitlist, first in line first.

        Args:
            section_id: The section.
        """
        if error := self._unknown(section_id=section_id):
            return error
        wanted = {"section_id": section_id, "status": "enrolled"}
        return {
            "success": True,
            **self._section_row(section_id),
            "room": self.rooms[self.sections[section_id]["room_id"]],
            "roster": self._rows("enrolment_id", self.enrolments, **wanted),
            "waitlist": self._queue(section_id),
        }

    def list_rooms(self, minimum_seats: int = 0) -> dict[str, Any]:
        """List rooms, smallest first, with the open sections that meet in them and when.

        Args:
            minimum_seats: Only rooms with at least this many seats.
        """
        open_sections = self._rows("section_id", self.sections, status="open")
        found = [
            {
                **room,
                "bookings": {
                    section["section_id"]: section["meetings"]
                    for section in open_sections
                    if section["room_id"] == room["room_id"]
                },
            }
            for room in self._rows("room_id", self.rooms)
            if room["seats"] >= minimum_seats
        ]
        return {"success": True, "rooms": sorted(found, key=lambda room: room["seats"])}

    def list_holds(
        self, student_id: str | None = None, status: Literal["active", "released"] | None = None
    ) -> dict[str, Any]:
        """List holds on registration.

        Args:
            student_id: Only holds on this student.
            status: Only holds in this status.
        """
        found = self._rows("hold_id", self.holds, student_id=student_id, status=status)
        return {"success": True, "holds": found}

    def list_petitions(
        self,
        student_id: str | None = None,
        kind: PetitionKind | None = None,
        status: Literal["pending", "approved", "denied"] | None = None,
    ) -> dict[str, Any]:
        """List this term's petitions for exceptions, with the students' statements.

        Args:
            student_id: Only petitions of this student.
            kind: Only petitions of this kind.
            status: Only petitions in this status.
        """
        wanted = {"student_id": student_id, "kind": kind, "status": status}
        return {"success": True, "petitions": self._rows("petition_id", self.petitions, **wanted)}

    def search_timetable(
        self,
        day: Literal["Mon", "Tue", "Wed", "Thu", "Fri"] | None = None,
        not_before: str = "00:00",
        not_after: str = "23:59",
        seats: int = 0,
    ) -> dict[str, Any]:
        """Find open sections by when they meet: every meeting must lie within the hours given.

        Args:
            day: Only sections that meet on this day, among others.
            not_before: Earliest start of a meeting, HH:MM, 24-hour.
            not_after: Latest end of a meeting, HH:MM, 24-hour.
            seats: Only sections with at least this many free seats.
        """
        for clock in (not_before, not_after):
            if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", clock):
                return _failure(f"{clock!r} is not a time of day; give HH:MM")
        found = [
            self._section_row(row["section_id"])
            for row in self._rows("section_id", self.sections, status="open")
            if day is None or any(meeting["day"] == day for meeting in row["meetings"])
            if all(m["start"] >= not_before and m["end"] <= not_after for m in row["meetings"])
        ]
        return {"success": True, "sections": [row for row in found if row["seats_free"] >= seats]}

    def list_grades(
        self,
        course_id: str | None = None,
        term_id: str | None = None,
        grade: Letter | Literal["I"] | None = None,
    ) -> dict[str, Any]:
        """List grades on the transcripts, and the day until which each can be changed.

        Args:
            course_id: Only grades in this course.
            term_id: Only grades of this term.
            grade: Only this grade; I is an incomplete.
        """
        wanted = {"course_id": course_id, "term_id": term_id, "grade": grade}
        found = [
            {**row, "changeable_until": self.terms[row["term_id"]]["grade_change_deadline"]}
            for row in self._rows("grade_id", self.grades, **wanted)
        ]
        return {"success": True, "grades": found}

    def list_loads(self, programme_id: str | None = None) -> dict[str, Any]:
        """List students with their load beside its limits, standing, balance, GPA and active holds.

        Args:
            programme_id: Only students of this programme.
        """
        found = []
        for row in self._rows("student_id", self.students, programme_id=programme_id):
            student_id = row["student_id"]
            found.append(
                {
                    "student_id": student_id,
                    "name": row["name"],
                    "programme": row["programme_id"],
                    "standing": row["standing"],
                    "balance_due": row["balance_due"],
                    "gpa": self._gpa(student_id),
                    "load": self._load(student_id),
                    "minimum_load": self.programmes[row["programme_id"]]["minimum_load"],
                    "credit_limit": self._credit_limit(student_id),
                    "active_holds": self._active_holds(student_id),
                }
            )
        return {"success": True, "students": found}

    # State-changing tools

    def enrol_student(self, student_id: str, section_id: str) -> dict[str, Any]:
        """Register a student in a section; a waitlist place for it is used up.

        Args:
            student_id: The student.
            section_id: The section.
        """
        error = self._unknown(student_id=student_id, section_id=section_id) or _refusal(
            self._registration_barriers(student_id, section_id)
        )
        return error or self._register(student_id, section_id)

    def drop_enrolment(self, enrolment_id: str) -> dict[str, Any]:
        """Take a student out of a section, without a trace on the transcript.

        Args:
            enrolment_id: The enrolment to end.
        """
        if error := self._unknown(enrolment_id=enrolment_id) or _refusal(
            self._drop_barriers(enrolment_id)
        ):
            return error
        self._end(enrolment_id)
        return {"success": True, "load": self._load(self.enrolments[enrolment_id]["student_id"])}

    def swap_section(self, enrolment_id: str, section_id: str) -> dict[str, Any]:
        """Drop an enrolment and register the student in another section, both or neither.

        Conflicts and load are judged as they stand after the swap.

        Args:
            enrolment_id: The enrolment to give up.
            section_id: The section to take instead, of the same course or another.
        """
        if error := self._unknown(enrolment_id=enrolment_id, section_id=section_id):
            return error
        student_id = self.enrolments[enrolment_id]["student_id"]
        if section_id in self._timetable(student_id).values():
            return _failure(f"{student_id} is already registered in {section_id}")
        barriers = {
            **self._drop_barriers(enrolment_id, self._credits(section_id)),
            **self._registration_barriers(student_id, section_id, leaving=enrolment_id),
        }
        if error := _refusal(barriers):
            return error
        self._end(enrolment_id)
        return self._register(student_id, section_id)

    def join_waitlist(self, student_id: str, section_id: str) -> dict[str, Any]:
        """Put a student at the end of the waitlist of a section that has no seat to give.

        The student may be registered in another section of the same course meanwhile.

        Args:
            student_id: The student.
            section_id: The section to wait for.
        """
        if error := self._unknown(student_id=student_id, section_id=section_id) or _refusal(
            self._entry_barriers(student_id, section_id)
        ):
            return error
        queue = self._queue(section_id)
        if any(entry["student_id"] == student_id for entry in queue):
            return _failure(f"{student_id} is already waiting for {section_id}")
        if section_id in self._timetable(student_id).values():
            return _failure(f"{student_id} is already registered in {section_id}")
        if not queue and self._seats_free(section_id) > 0:
            return _failure(f"Section {section_id} has a free seat; there is nothing to wait for")
        if len(queue) >= self.sections[section_id]["waitlist_limit"]:
            return _failure(f"The waitlist of {section_id} is full")
        entry_id = f"W-{self.next_waitlist_entry}"
        self.next_waitlist_entry += 1
        self.waitlist[entry_id] = {
            "student_id": student_id,
            "section_id": section_id,
            "joined_at": datetime.now().isoformat(timespec="seconds"),
            "status": "waiting",
            "removal_reason": None,
        }
        return {"success": True, "entry_id": entry_id, "position": len(queue) + 1}

    def remove_from_waitlist(self, entry_id: str, reason: RemovalReason) -> dict[str, Any]:
        """Take a waiting student off a waitlist without giving a seat.

        Args:
            entry_id: The waitlist entry.
            reason: `ineligible` only when something other than the lack of a seat keeps the
                student out; being in another section of the course does not, as a swap is open.
        """
        if error := self._unknown(entry_id=entry_id):
            return error
        entry = self.waitlist[entry_id]
        if entry["status"] != "waiting":
            return _failure(f"Entry {entry_id} is {entry['status']} already")
        if reason == "ineligible" and not self._waiting_barriers(entry_id):
            return _failure(f"{entry['student_id']} is eligible for {entry['section_id']}")
        entry["status"] = "removed"
        entry["removal_reason"] = reason
        return {"success": True, "still_waiting": len(self._queue(entry["section_id"]))}

    def release_hold(self, hold_id: str) -> dict[str, Any]:
        """Release a hold whose cause has been settled.

        Args:
            hold_id: The hold.
        """
        if error := self._unknown(hold_id=hold_id) or _refusal(self._release_barriers(hold_id)):
            return error
        hold = self.holds[hold_id]
        hold["status"] = "released"
        hold["released_on"] = self._today()
        return {"success": True, "active_holds": self._active_holds(hold["student_id"])}

    def approve_petition(self, petition_id: str) -> dict[str, Any]:
        """Approve a pending petition that meets its conditions; it registers nobody by itself.

        Args:
            petition_id: The petition.
        """
        if error := (
            self._unknown(petition_id=petition_id)
            or self._undecided(petition_id)
            or _refusal(self._approval_barriers(petition_id))
        ):
            return error
        petition = self.petitions[petition_id]
        petition["status"] = "approved"
        petition["decided_on"] = self._today()
        return {"success": True, "credit_limit": self._credit_limit(petition["student_id"])}

    def deny_petition(self, petition_id: str, ground: DenialGround) -> dict[str, Any]:
        """Deny a pending petition that does not meet its conditions.

        Args:
            petition_id: The petition.
            ground: The condition that is not met.
        """
        if error := self._unknown(petition_id=petition_id) or self._undecided(petition_id):
            return error
        if ground not in self._approval_barriers(petition_id):
            return _failure(f"{petition_id} cannot be denied for {ground}: that is not the case")
        petition = self.petitions[petition_id]
        petition["status"] = "denied"
        petition["denial_ground"] = ground
        petition["decided_on"] = self._today()
        return {"success": True}

    def set_capacity(self, section_id: str, capacity: int) -> dict[str, Any]:
        """Change how many students a section takes, those of the partner colleges included.

        Args:
            section_id: The section.
            capacity: The new number of seats in all.
        """
        if error := self._unknown(section_id=section_id):
            return error
        section = self.sections[section_id]
        taken, seats = self._seats_taken(section_id), self.rooms[section["room_id"]]["seats"]
        if section["status"] == "cancelled":
            return _failure(f"Section {section_id} is cancelled")
        if capacity < max(taken, 1):
            return _failure(f"{taken} seats are taken; the least capacity is {max(taken, 1)}")
        if capacity > seats:
            return _failure(f"Room {section['room_id']} has only {seats} seats")
        if capacity == section["capacity"]:
            return _failure(f"Section {section_id} has a capacity of {capacity} already")
        section["capacity"] = capacity
        return {"success": True, "seats_free": self._seats_free(section_id)}

    def assign_room(self, section_id: str, room_id: str) -> dict[str, Any]:
        """Move a section to another room for the rest of the term, at its usual times.

        Args:
            section_id: The section.
            room_id: The room to move to.
        """
        if error := self._unknown(section_id=section_id, room_id=room_id):
            return error
        section, room = self.sections[section_id], self.rooms[room_id]
        needed = "laboratory" if self.courses[section["course_id"]]["needs_lab"] else "lecture"
        if section["status"] == "cancelled":
            return _failure(f"Section {section_id} is cancelled")
        if section["room_id"] == room_id:
            return _failure(f"Section {section_id} meets in {room_id} already")
        if room["kind"] != needed:
            return _failure(f"Room {room_id} is a {room['kind']} room, not a {needed} room")
        if room["seats"] < section["capacity"]:
            return _failure(f"Room {room_id} has only {room['seats']} seats")
        for other in self._rows("section_id", self.sections, room_id=room_id, status="open"):
            if self._overlap(section_id, other["section_id"]):
                return _failure(f"Room {room_id} is then taken by {other['section_id']}")
        section["room_id"] = room_id
        return {"success": True, "room": room}

    def cancel_section(self, section_id: str) -> dict[str, Any]:
        """Cancel a section that nobody is registered in or waiting for.

        Args:
            section_id: The section.
        """
        if error := self._unknown(section_id=section_id):
            return error
        taken, waiting = self._seats_taken(section_id), len(self._queue(section_id))
        if self.sections[section_id]["status"] == "cancelled":
            return _failure(f"Section {section_id} is already cancelled")
        if taken or waiting:
            return _failure(f"Section {section_id} has {taken} registered and {waiting} waiting")
        self.sections[section_id]["status"] = "cancelled"
        return {"success": True}

    def change_grade(
        self, grade_id: str, grade: Letter, basis: Literal["clerical_error", "incomplete_completed"]
    ) -> dict[str, Any]:
        """Correct a grade on the transcript.

        Args:
            grade_id: The grade to replace.
            grade: The right grade.
            basis: `incomplete_completed` replaces an I; anything else is a `clerical_error`.
        """
        if error := self._unknown(grade_id=grade_id) or _refusal(self._grade_barriers(grade_id)):
            return error
        record = self.grades[grade_id]
        if record["grade"] == grade:
            return _failure(f"Grade {grade_id} is {grade} already")
        if (record["grade"] == "I") != (basis == "incomplete_completed"):
            return _failure(f"Grade {grade_id} is {record['grade']}; {basis} does not apply")
        record["grade"] = grade
        record["change_basis"] = basis
        return {"success": True, "gpa": self._gpa(record["student_id"])}

    def decline_request(
        self,
        student_id: str,
        request: Literal["registration", "drop", "hold_release", "grade_change"],
        subject_id: str,
        reason: Reason,
        message: str,
    ) -> dict[str, Any]:
        """Put on record that a request about a student is refused, and why.

        Args:
            student_id: The student that the request is about.
            request: What was asked for; a swap is a registration.
            subject_id: The section for a registration, the enrolment for a drop, the hold for a
                hold release, the grade for a grade change.
            reason: The rule that stands against it at present.
            message: What the student is told, one or two sentences.
        """
        if error := self._unknown(student_id=student_id):
            return error
        barriers = self._request_barriers(student_id, request, subject_id)
        if barriers is None:
            return _failure(f"{subject_id} is not what a {request} of {student_id} is about")
        if reason not in barriers:
            return _failure(f"Nothing on file bears out {reason} for this request")
        declined_id = f"D-{self.next_declined_request}"
        self.next_declined_request += 1
        self.declined_requests[declined_id] = {
            "student_id": student_id,
            "request": request,
            "subject_id": subject_id,
            "reason": reason,
            "message": message,
            "declined_on": self._today(),
        }
        return {"success": True, "declined_request_id": declined_id}
