"""Amateur football league: fixtures, referees, registrations, discipline, appeals and tables."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypedDict

FixtureStatus = Literal["scheduled", "played", "postponed", "forfeited"]
Colour = Literal["yellow", "second_yellow", "red"]
Offence = Literal["five_yellows", "second_yellow", "red"]
PostponementCause = Literal["pitch_unfit", "cup_clash", "bereavement"]
ForfeitCause = Literal["no_show", "ineligible_player"]
DeductionCause = Literal["three_forfeits", "unpaid_fines"]
AppealOutcome = Literal["upheld", "dismissed"]
RefusalReason = Literal[
    "no_postponement",
    "no_rearrangement",
    "referee_not_suitable",
    "no_forfeit",
    "window_closed",
    "registration_barred",
    "club_in_arrears",
    "no_deduction",
    "no_appeal",
]

BETWEEN_KICKOFFS = timedelta(minutes=150)  # on one ground
MATCH_LENGTH = timedelta(minutes=110)
REST_DAYS = 2  # from one match of a club to its next
NOTICE_DAYS = 5
WEEKEND_HOURS = ("11:00", "16:00")
EVENING_HOURS = ("18:00", "20:00")
DARK_MONTHS = (11, 12, 1, 2)
LAST_DAYLIGHT_KICKOFF = "13:30"
REFEREE_GAP_DAYS = 14
MINIMUM_AGE = 16
CLUBS_A_SEASON = 2
BANS: dict[Offence, int] = {"five_yellows": 1, "second_yellow": 1, "red": 3}
YELLOWS_TO_A_BAN = 5
RED_FINE = 2500
FORFEIT_FINE = 6000
APPEAL_FEE = 4000
APPEAL_DAYS = 7
PROTEST_DAYS = 14
ARREARS_DAYS = 30
ARREARS_FOR_A_POINT = 15000
FORFEIT_SCORE = 3
FORFEITS_TO_A_DEDUCTION = 3


class Fixture(TypedDict):
    """A match of a league or a cup."""

    competition_id: str
    home: str
    away: str
    ground_id: str
    kickoff: str
    status: FixtureStatus
    home_goals: int | None
    away_goals: int | None
    penalties_won_by: str | None
    forfeited_by: str | None
    postponed_for: PostponementCause | None
    postponed_by: str | None


class Suspension(TypedDict):
    """Matches that a player has to sit out, and those sat out so far."""

    player_id: str
    offence: Offence
    matches: int
    decided_on: str
    served_in: list[str]
    status: Literal["in_force", "served", "quashed"]


class CardShown(TypedDict):
    """A card in a referee's report."""

    player_id: str
    colour: Colour


def _no(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _bad_date(*texts: str | None) -> str | None:
    for text in texts:
        try:
            if text is not None and date.fromisoformat(text).isoformat() != text:
                return f"{text!r} is not written YYYY-MM-DD"
        except ValueError:
            return f"{text!r} is not a date, YYYY-MM-DD"
    return None


def _bad_moment(text: str) -> str | None:
    try:
        right = datetime.fromisoformat(text).isoformat(timespec="minutes") == text
    except ValueError:
        right = False
    return None if right else f"{text!r} is not a kick-off, YYYY-MM-DDTHH:MM"


def _days(earlier: str, later: str) -> int:
    """Days from one date, or moment, to another."""
    return (date.fromisoformat(later[:10]) - date.fromisoformat(earlier[:10])).days


class SportsLeague:
    """The office of an amateur football league."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.season: dict[str, Any] = {}
        self.competitions: dict[str, dict[str, Any]] = {}
        self.clubs: dict[str, dict[str, Any]] = {}
        self.grounds: dict[str, dict[str, Any]] = {}
        self.closures: dict[str, dict[str, str]] = {}
        self.referees: dict[str, dict[str, Any]] = {}  # grade 1 is the best
        self.fixtures: dict[str, Fixture] = {}
        self.appointments: dict[str, dict[str, str]] = {}
        self.players: dict[str, dict[str, str]] = {}
        self.registrations: dict[str, dict[str, Any]] = {}
        self.team_sheets: dict[str, dict[str, Any]] = {}
        self.cards: dict[str, dict[str, str]] = {}
        self.suspensions: dict[str, Suspension] = {}
        self.deductions: dict[str, dict[str, Any]] = {}
        self.appeals: dict[str, dict[str, str]] = {}
        self.charges: dict[str, dict[str, Any]] = {}
        self.refusals: dict[str, dict[str, str]] = {}
        self.next_numbers: dict[str, int] = {}

    # Clock and numbers

    def _today(self) -> str:
        return datetime.now().date().isoformat()

    def _new_key(self, prefix: str) -> str:
        self.next_numbers[prefix] += 1
        return f"{prefix}-{self.next_numbers[prefix] - 1}"

    # Who and where

    def _club_name(self, club_id: str) -> str:
        name: str = self.clubs[club_id]["name"]
        return name

    def _is_cup(self, fixture: Fixture) -> bool:
        return bool(self.competitions[fixture["competition_id"]]["kind"] == "cup")

    def _fixtures_of(self, club_id: str) -> Iterator[tuple[str, Fixture]]:
        """Matches of a club that are played or will be on the day they stand for."""
        for fixture_id, fixture in self.fixtures.items():
            if club_id in (fixture["home"], fixture["away"]) and fixture["status"] != "postponed":
                yield fixture_id, fixture

    def _closed(self, ground_id: str, day: str) -> bool:
        return any(
            c["ground_id"] == ground_id and c["from_on"] <= day[:10] <= c["to_on"]
            for c in self.closures.values()
        )

    def _club_of(self, player_id: str, day: str) -> str | None:
        """The club that a player may play for on a day: registered the day before at the latest."""
        for registration in self.registrations.values():
            until = registration["until_on"] or day
            there = registration["from_on"] < day[:10] <= until
            if there and registration["player_id"] == player_id:
                return str(registration["club_id"])
        return None

    def _registration(self, player_id: str) -> str | None:
        """The registration that a player has now."""
        for key, registration in self.registrations.items():
            if (registration["player_id"], registration["until_on"]) == (player_id, None):
                return key
        return None

    def _referee_of(self, fixture_id: str) -> str | None:
        for appointment in self.appointments.values():
            if (appointment["fixture_id"], appointment["status"]) == (fixture_id, "appointed"):
                return appointment["referee_id"]
        return None

    def _sheet(self, fixture_id: str, club_id: str | None = None) -> list[str]:
        """Players who took part, of one club or of both."""
        return [
            player_id
            for sheet in self.team_sheets.values()
            if sheet["fixture_id"] == fixture_id and club_id in (None, sheet["club_id"])
            for player_id in sheet["player_ids"]
        ]

    def _refusals_on(self, record_id: str) -> list[str]:
        return [r["reason"] for r in self.refusals.values() if r["record_id"] == record_id]

    # Money

    def _charge(self, club_id: str, pence: int, reason: str, paid: bool) -> None:
        self.charges[self._new_key("CH")] = {
            "club_id": club_id,
            "pence": pence,
            "reason": reason,
            "booked_on": self._today(),
            "paid": paid,
        }

    def _arrears(self, club_id: str) -> int:
        """Pence that a club has owed for more than 30 days."""
        return sum(
            charge["pence"]
            for charge in self.charges.values()
            if (charge["club_id"], charge["paid"]) == (club_id, False)
            and _days(charge["booked_on"], self._today()) > ARREARS_DAYS
        )

    # Discipline

    def _banned(self, player_id: str, fixture_id: str) -> bool:
        """Whether a player had, or has, to sit a match out."""
        kickoff = self.fixtures[fixture_id]["kickoff"]
        return any(
            suspension["decided_on"] < kickoff[:10]
            and sum(self.fixtures[i]["kickoff"] < kickoff for i in suspension["served_in"])
            < suspension["matches"]
            for suspension in self.suspensions.values()
            if suspension["player_id"] == player_id and suspension["status"] != "quashed"
        )

    def _has_ban(self, player_id: str) -> bool:
        return any(
            (s["player_id"], s["status"]) == (player_id, "in_force")
            for s in self.suspensions.values()
        )

    def _cup_tied(self, player_id: str, club_id: str, fixture_id: str) -> bool:
        """Whether a player took part in this cup for another club before."""
        fixture = self.fixtures[fixture_id]
        return self._is_cup(fixture) and any(
            self.fixtures[sheet["fixture_id"]]["competition_id"] == fixture["competition_id"]
            and sheet["club_id"] != club_id
            and player_id in sheet["player_ids"]
            for sheet in self.team_sheets.values()
        )

    def _ineligible(self, fixture_id: str, club_id: str) -> dict[str, str]:
        """Players of a club's team sheet who should not have played, with the reason."""
        found = {}
        for player_id in self._sheet(fixture_id, club_id):
            if self._club_of(player_id, self.fixtures[fixture_id]["kickoff"]) != club_id:
                found[player_id] = "not registered"
            elif self._banned(player_id, fixture_id):
                found[player_id] = "suspended"
            elif self._cup_tied(player_id, club_id, fixture_id):
                found[player_id] = "cup-tied"
        return found

    def _suspend(self, player_id: str, offence: Offence) -> str:
        key = self._new_key("SU")
        self.suspensions[key] = {
            "player_id": player_id,
            "offence": offence,
            "matches": BANS[offence],
            "decided_on": self._today(),
            "served_in": [],
            "status": "in_force",
        }
        return key

    def _yellows(self, player_id: str) -> int:
        return sum(
            (c["player_id"], c["colour"]) == (player_id, "yellow") for c in self.cards.values()
        )

    def _let_serve(self, fixture_id: str) -> list[str]:
        """Count a match towards one suspension of each player who sat it out."""
        fixture = self.fixtures[fixture_id]
        took_part = self._sheet(fixture_id)
        counted: dict[str, str] = {}
        for key, suspension in self.suspensions.items():
            player_id = suspension["player_id"]
            club_id = self._club_of(player_id, fixture["kickoff"])
            if (
                suspension["status"] == "in_force"
                and suspension["decided_on"] < fixture["kickoff"][:10]
                and club_id in (fixture["home"], fixture["away"])
                and player_id not in (*took_part, *counted)
            ):
                suspension["served_in"].append(fixture_id)
                if len(suspension["served_in"]) == suspension["matches"]:
                    suspension["status"] = "served"
                counted[player_id] = key
        return list(counted.values())

    # What stands in the way of a date or a referee

    def _slot_problem(self, fixture_id: str, ground_id: str, kickoff: str) -> str | None:
        fixture = self.fixtures[fixture_id]
        competition = self.competitions[fixture["competition_id"]]
        start = datetime.fromisoformat(kickoff)
        ground, clock = self.grounds[ground_id], kickoff[11:]
        if _days(self._today(), kickoff) < NOTICE_DAYS:
            return f"A new date is given at least {NOTICE_DAYS} days ahead"
        if kickoff[:10] > competition["last_day"]:
            return f"{competition['name']} ends on {competition['last_day']}"
        if self._closed(ground_id, kickoff):
            return f"{ground['name']} is closed on {kickoff[:10]}"
        home_ground = self.clubs[fixture["home"]]["ground_id"]
        if ground_id != home_ground and not self._closed(home_ground, kickoff):
            return f"The match is played at {self.grounds[home_ground]['name']}, which is open"
        weekend = start.weekday() >= 5
        first, last = WEEKEND_HOURS if weekend else EVENING_HOURS
        if not first <= clock <= last:
            return f"Kick-off on that day is between {first} and {last}"
        dark = start.month in DARK_MONTHS and clock > LAST_DAYLIGHT_KICKOFF
        if not ground["floodlit"] and (dark or not weekend):
            return f"{ground['name']} has no floodlights"
        for other_id, other in self.fixtures.items():
            if other_id == fixture_id or other["status"] == "postponed":
                continue
            gap = abs(datetime.fromisoformat(other["kickoff"]) - start)
            if other["ground_id"] == ground_id and gap < BETWEEN_KICKOFFS:
                return f"{other_id} kicks off there at {other['kickoff']}"
            both = {fixture["home"], fixture["away"]} & {other["home"], other["away"]}
            if both and abs(_days(other["kickoff"], kickoff)) < REST_DAYS:
                return f"{self._club_name(min(both))} plays {other_id} on {other['kickoff'][:10]}"
        return None

    def _referee_problem(self, fixture_id: str, referee_id: str) -> str | None:
        fixture, referee = self.fixtures[fixture_id], self.referees[referee_id]
        needed = self.competitions[fixture["competition_id"]]["referee_grade"]
        playing, day = {fixture["home"], fixture["away"]}, fixture["kickoff"][:10]
        if referee["grade"] > needed:
            return f"{referee['name']} has grade {referee['grade']}; grade {needed} is needed"
        if referee["club_id"] in playing:
            return f"{referee['name']} belongs to {self._club_name(str(referee['club_id']))}"
        if day in referee["away_on"]:
            return f"{referee['name']} is away on {day}"
        for other_id, other in self.fixtures.items():
            if other_id == fixture_id or self._referee_of(other_id) != referee_id:
                continue
            apart = abs(_days(other["kickoff"], day))
            if apart == 0:
                return f"{referee['name']} has {other_id} that day"
            shared = playing & {other["home"], other["away"]}
            if shared and apart < REFEREE_GAP_DAYS:
                return f"{referee['name']} has {other_id} of {self._club_name(min(shared))}"
        return None

    # Queries

    def search_clubs(self, text: str = "") -> dict[str, Any]:
        """Find clubs by name or town, with their league and home ground.

        Args:
            text: Part of the name or town, any case; empty for all.
        """
        found = [
            {"club_id": key, **club}
            for key, club in self.clubs.items()
            if text.lower() in f"{club['name']} {club['town']}".lower()
        ]
        return {"success": True, "clubs": found}

    def get_club(self, club_id: str) -> dict[str, Any]:
        """Show a club with its players, charges, arrears, deductions and refusals.

        arrears_pence is the part of the unpaid charges that is older than 30 days.

        Args:
            club_id: The club.
        """
        if club_id not in self.clubs:
            return _no(f"Club {club_id} does not exist")
        squad = {
            r["player_id"]: self.players[r["player_id"]]["name"]
            for r in self.registrations.values()
            if (r["club_id"], r["until_on"]) == (club_id, None)
        }
        of_club = {
            name: {k: r for k, r in records.items() if r["club_id"] == club_id}
            for name, records in (("charges", self.charges), ("deductions", self.deductions))
        }
        return {
            "success": True,
            "club": self.clubs[club_id],
            "players": squad,
            **of_club,
            "arrears_pence": self._arrears(club_id),
            "refusals": self._refusals_on(club_id),
        }

    def list_fixtures(
        self,
        club_id: str | None = None,
        competition_id: str | None = None,
        status: FixtureStatus | None = None,
        from_on: str | None = None,
        to_on: str | None = None,
    ) -> dict[str, Any]:
        """List matches by kick-off, with the referee who is appointed.

        Args:
            club_id: Only matches of this club.
            competition_id: Only matches of this competition.
            status: Only matches in this status.
            from_on: Only from this ISO date on, YYYY-MM-DD.
            to_on: Only up to and including this ISO date, YYYY-MM-DD.
        """
        if problem := _bad_date(from_on, to_on):
            return _no(problem)
        found = []
        for key, fixture in self.fixtures.items():
            day = fixture["kickoff"][:10]
            if (
                club_id in (None, fixture["home"], fixture["away"])
                and competition_id in (None, fixture["competition_id"])
                and status in (None, fixture["status"])
                and (from_on or day) <= day <= (to_on or day)
            ):
                names = {side: self._club_name(fixture[side]) for side in ("home", "away")}
                score = (fixture["home_goals"], fixture["away_goals"])
                found.append(
                    {
                        "fixture_id": key,
                        "match": f"{names['home']} ({fixture['home']}) - "
                        f"{names['away']} ({fixture['away']})",
                        "competition_id": fixture["competition_id"],
                        "kickoff": fixture["kickoff"],
                        "ground_id": fixture["ground_id"],
                        "status": fixture["status"],
                        "score": None if score[0] is None else f"{score[0]}:{score[1]}",
                        "referee_id": self._referee_of(key),
                    }
                )
        return {"success": True, "fixtures": sorted(found, key=lambda row: str(row["kickoff"]))}

    def get_fixture(self, fixture_id: str) -> dict[str, Any]:
        """Show a match with referee, team sheets, ineligible players, cards and refusals.

        Args:
            fixture_id: The match.
        """
        if fixture_id not in self.fixtures:
            return _no(f"Fixture {fixture_id} does not exist")
        fixture = self.fixtures[fixture_id]
        cards = [c for c in self.cards.values() if c["fixture_id"] == fixture_id]
        return {
            "success": True,
            "fixture": fixture,
            "referee_id": self._referee_of(fixture_id),
            "team_sheets": {
                club_id: {
                    player_id: self.players[player_id]["name"]
                    for player_id in self._sheet(fixture_id, club_id)
                }
                for club_id in (fixture["home"], fixture["away"])
            },
            "ineligible": {
                club_id: self._ineligible(fixture_id, club_id)
                for club_id in (fixture["home"], fixture["away"])
            },
            "cards": cards,
            "refusals": self._refusals_on(fixture_id),
        }

    def list_grounds(self, text: str = "") -> dict[str, Any]:
        """List grounds with floodlights and the days on which they are closed.

        Args:
            text: Part of the name or town, any case; empty for all.
        """
        found = [
            {
                "ground_id": key,
                **ground,
                "closures": [c for c in self.closures.values() if c["ground_id"] == key],
            }
            for key, ground in self.grounds.items()
            if text.lower() in f"{ground['name']} {ground['town']}".lower()
        ]
        return {"success": True, "grounds": found}

    def list_referees(self, grade: int | None = None) -> dict[str, Any]:
        """List referees with grade, club, days away and all matches they had or have.

        Args:
            grade: Only referees of this grade or better; grade 1 is the best.
        """
        found = []
        for key, referee in self.referees.items():
            if grade is None or referee["grade"] <= grade:
                matches = {
                    fixture_id: {name: fixture[name] for name in ("kickoff", "home", "away")}
                    for fixture_id, fixture in self.fixtures.items()
                    if self._referee_of(fixture_id) == key
                }
                found.append({"referee_id": key, **referee, "matches": matches})
        return {"success": True, "referees": found}

    def search_players(self, text: str = "") -> dict[str, Any]:
        """Find players by name, with the club that they are registered for.

        Args:
            text: Part of the name, any case; empty for all.
        """
        found = []
        for key, player in self.players.items():
            if text.lower() in player["name"].lower():
                registration = self._registration(key)
                club_id = self.registrations[registration]["club_id"] if registration else None
                found.append({"player_id": key, **player, "club_id": club_id})
        return {"success": True, "players": found}

    def get_player(self, player_id: str) -> dict[str, Any]:
        """Show a player with registrations, yellow cards, suspensions, cup matches and refusals.

        Args:
            player_id: The player.
        """
        if player_id not in self.players:
            return _no(f"Player {player_id} does not exist")
        cup_clubs = [
            {"competition_id": fixture["competition_id"], "club_id": sheet["club_id"]}
            for sheet in self.team_sheets.values()
            if player_id in sheet["player_ids"]
            and self._is_cup(fixture := self.fixtures[sheet["fixture_id"]])
        ]
        return {
            "success": True,
            "player": self.players[player_id],
            "registrations": [
                r for r in self.registrations.values() if r["player_id"] == player_id
            ],
            "yellow_cards": self._yellows(player_id),
            "suspensions": {
                k: s for k, s in self.suspensions.items() if s["player_id"] == player_id
            },
            "cup_matches": cup_clubs,
            "refusals": self._refusals_on(player_id),
        }

    def get_standings(self, competition_id: str) -> dict[str, Any]:
        """Show a competition's terms and, for a league, its table after deductions.

        A win is worth 3 points, a draw 1. Level points are split by goal difference, then by
        goals scored, then by name.

        Args:
            competition_id: The league or cup.
        """
        if competition_id not in self.competitions:
            return _no(f"Competition {competition_id} does not exist")
        competition = self.competitions[competition_id]
        table = []
        if competition["kind"] == "league":
            members = [k for k, club in self.clubs.items() if club["league_id"] == competition_id]
            table = sorted(
                (self._table_row(competition_id, club_id) for club_id in members),
                key=lambda r: (-r["points"], -r["difference"], -r["goals"], r["name"]),
            )
        return {
            "success": True,
            "competition": competition,
            "season": self.season,
            "table": table,
        }

    def _table_row(self, competition_id: str, club_id: str) -> dict[str, Any]:
        row = {"played": 0, "points": 0, "difference": 0, "goals": 0}
        for _, fixture in self._fixtures_of(club_id):
            home_goals, away_goals = fixture["home_goals"], fixture["away_goals"]
            if fixture["competition_id"] != competition_id:
                continue
            if home_goals is None or away_goals is None:
                continue
            ours, theirs = home_goals, away_goals
            if fixture["away"] == club_id:
                ours, theirs = away_goals, home_goals
            row["played"] += 1
            row["points"] += 3 if ours > theirs else int(ours == theirs)
            row["difference"] += ours - theirs
            row["goals"] += ours
        lost = sum(
            d["points"]
            for d in self.deductions.values()
            if (d["club_id"], d["status"]) == (club_id, "in_force")
        )
        row["points"] -= lost
        return {"club_id": club_id, "name": self._club_name(club_id), **row, "deducted": lost}

    def list_suspensions(
        self, status: Literal["in_force", "served", "quashed"] | None = None
    ) -> dict[str, Any]:
        """List suspensions with the player's club and the matches still to sit out.

        Args:
            status: Only suspensions in this status.
        """
        found = []
        for key, suspension in self.suspensions.items():
            if status in (None, suspension["status"]):
                player_id = suspension["player_id"]
                left = suspension["matches"] - len(suspension["served_in"])
                row = {"suspension_id": key, "name": self.players[player_id]["name"], **suspension}
                row["club_id"] = self._club_of(player_id, self._today())
                found.append({**row, "left": left, "refusals": self._refusals_on(key)})
        return {"success": True, "suspensions": found}

    def list_appeals(
        self, status: Literal["open", "upheld", "dismissed"] | None = None
    ) -> dict[str, Any]:
        """List appeals with the case that they are about.

        Args:
            status: Only appeals in this status.
        """
        found = [
            {"appeal_id": key, **appeal, "case": self._case(appeal["case_id"])}
            for key, appeal in self.appeals.items()
            if status in (None, appeal["status"])
        ]
        return {"success": True, "appeals": found}

    def _case(self, case_id: str) -> dict[str, Any] | None:
        if case_id in self.suspensions:
            return {**self.suspensions[case_id]}
        return self.deductions.get(case_id)

    # Changes: matches

    def appoint_referee(self, fixture_id: str, referee_id: str) -> dict[str, Any]:
        """Appoint a referee to a match, in place of whoever was appointed before.

        Args:
            fixture_id: A scheduled match.
            referee_id: The referee.
        """
        if fixture_id not in self.fixtures:
            return _no(f"Fixture {fixture_id} does not exist")
        if referee_id not in self.referees:
            return _no(f"Referee {referee_id} does not exist")
        if self.fixtures[fixture_id]["status"] != "scheduled":
            return _no(f"Fixture {fixture_id} is {self.fixtures[fixture_id]['status']}")
        if self._referee_of(fixture_id) == referee_id:
            return _no(f"{referee_id} is already appointed to {fixture_id}")
        if problem := self._referee_problem(fixture_id, referee_id):
            return _no(problem)
        self._stand_down(fixture_id)
        self.appointments[self._new_key("AP")] = {
            "fixture_id": fixture_id,
            "referee_id": referee_id,
            "status": "appointed",
        }
        return {"success": True, "referee": self.referees[referee_id]["name"]}

    def _stand_down(self, fixture_id: str) -> None:
        for appointment in self.appointments.values():
            if (appointment["fixture_id"], appointment["status"]) == (fixture_id, "appointed"):
                appointment["status"] = "stood_down"

    def postpone_fixture(
        self, fixture_id: str, cause: PostponementCause, asked_by: str
    ) -> dict[str, Any]:
        """Call a match off before kick-off; its referee is stood down.

        Args:
            fixture_id: A scheduled match.
            cause: Why; a club that is short of players has to play or to forfeit.
            asked_by: The club of the match that asked.
        """
        if fixture_id not in self.fixtures:
            return _no(f"Fixture {fixture_id} does not exist")
        fixture = self.fixtures[fixture_id]
        clubs = (fixture["home"], fixture["away"])
        if fixture["status"] != "scheduled" or fixture["kickoff"] <= self._now_text():
            return _no(f"{fixture_id} is {fixture['status']}, kick-off {fixture['kickoff']}")
        if asked_by not in clubs:
            return _no(f"{asked_by} does not play in {fixture_id}")
        if cause == "pitch_unfit" and not self._closed(fixture["ground_id"], fixture["kickoff"]):
            return _no(f"Ground {fixture['ground_id']} is not closed that day")
        if cause == "cup_clash" and not any(
            self._is_cup(other)
            and other_id != fixture_id
            and abs(_days(other["kickoff"], fixture["kickoff"])) < REST_DAYS
            for club_id in clubs
            for other_id, other in self._fixtures_of(club_id)
        ):
            return _no("Neither club has a cup tie on that day, the day before or the day after")
        if cause == "bereavement" and any(
            (f["postponed_for"], f["postponed_by"]) == ("bereavement", asked_by)
            for f in self.fixtures.values()
        ):
            return _no(f"{asked_by} was granted that once this season")
        fixture["status"] = "postponed"
        fixture["postponed_for"], fixture["postponed_by"] = cause, asked_by
        self._stand_down(fixture_id)
        return {"success": True}

    def _now_text(self) -> str:
        return datetime.now().isoformat(timespec="minutes")

    def rearrange_fixture(self, fixture_id: str, ground_id: str, kickoff: str) -> dict[str, Any]:
        """Give a postponed match a new date; a referee has to be appointed anew.

        Args:
            fixture_id: A postponed match.
            ground_id: The home club's ground, or another one while that is closed.
            kickoff: New kick-off, YYYY-MM-DDTHH:MM.
        """
        if fixture_id not in self.fixtures:
            return _no(f"Fixture {fixture_id} does not exist")
        if ground_id not in self.grounds:
            return _no(f"Ground {ground_id} does not exist")
        if self.fixtures[fixture_id]["status"] != "postponed":
            return _no(f"Fixture {fixture_id} is {self.fixtures[fixture_id]['status']}")
        if problem := _bad_moment(kickoff) or self._slot_problem(fixture_id, ground_id, kickoff):
            return _no(problem)
        fixture = self.fixtures[fixture_id]
        fixture["ground_id"], fixture["kickoff"], fixture["status"] = (
            ground_id,
            kickoff,
            "scheduled",
        )
        return {"success": True}

    def record_result(
        self,
        fixture_id: str,
        home_goals: int,
        away_goals: int,
        cards: list[CardShown],
        penalties_won_by: str | None = None,
    ) -> dict[str, Any]:
        """Enter a referee's report: the score, the cards and what follows from them.

        Suspended players of both clubs who sat the match out have served it. A red card is a
        3-match suspension and a fine of 2500 pence, a second yellow card one match, and every
        fifth yellow card of the season one match.

        Args:
            fixture_id: A match that is over and had a referee.
            home_goals: Goals of the home club.
            away_goals: Goals of the away club.
            cards: The cards shown; an empty list for none.
            penalties_won_by: The club that won on penalties, for a cup tie that was level.
        """
        if fixture_id not in self.fixtures:
            return _no(f"Fixture {fixture_id} does not exist")
        fixture = self.fixtures[fixture_id]
        if fixture["status"] != "scheduled":
            return _no(f"Fixture {fixture_id} is {fixture['status']}")
        if datetime.fromisoformat(fixture["kickoff"]) + MATCH_LENGTH > datetime.now():
            return _no(f"{fixture_id} is not over yet")
        if self._referee_of(fixture_id) is None:
            return _no(f"{fixture_id} had no referee")
        if home_goals < 0 or away_goals < 0:
            return _no("Goals are not negative")
        level_cup = self._is_cup(fixture) and home_goals == away_goals
        if level_cup != (penalties_won_by in (fixture["home"], fixture["away"])):
            return _no("A level cup tie, and nothing else, is won on penalties by one of the clubs")
        if not level_cup and penalties_won_by is not None:
            return _no("Only a level cup tie goes to penalties")
        took_part = self._sheet(fixture_id)
        named = [card["player_id"] for card in cards]
        if strangers := sorted(set(named) - set(took_part)):
            return _no(f"Not on the team sheets: {', '.join(strangers)}")
        if len(set(named)) < len(named):
            return _no("Give each player's heaviest card only")
        fixture["home_goals"], fixture["away_goals"] = home_goals, away_goals
        fixture["penalties_won_by"], fixture["status"] = penalties_won_by, "played"
        served = self._let_serve(fixture_id)
        suspended = []
        for card in cards:
            player_id, colour = card["player_id"], card["colour"]
            self.cards[self._new_key("CA")] = {
                "fixture_id": fixture_id,
                "player_id": player_id,
                "colour": colour,
            }
            if colour != "yellow":
                suspended.append(self._suspend(player_id, colour))
            elif self._yellows(player_id) % YELLOWS_TO_A_BAN == 0:
                suspended.append(self._suspend(player_id, "five_yellows"))
            if colour == "red":
                at_home = player_id in self._sheet(fixture_id, fixture["home"])
                club_id = fixture["home"] if at_home else fixture["away"]
                self._charge(club_id, RED_FINE, "red_card", paid=False)
        return {"success": True, "served": served, "new_suspensions": suspended}

    def forfeit_fixture(self, fixture_id: str, club_id: str, cause: ForfeitCause) -> dict[str, Any]:
        """Award a match 3:0 against a club and fine the club 6000 pence.

        Args:
            fixture_id: A match whose kick-off has passed.
            club_id: The club that loses it.
            cause: no_show for a match that was not played, ineligible_player for one that was.
        """
        if fixture_id not in self.fixtures:
            return _no(f"Fixture {fixture_id} does not exist")
        fixture = self.fixtures[fixture_id]
        if club_id not in (fixture["home"], fixture["away"]):
            return _no(f"{club_id} does not play in {fixture_id}")
        if fixture["kickoff"] > self._now_text():
            return _no(f"{fixture_id} has not kicked off")
        if fixture["status"] != ("scheduled" if cause == "no_show" else "played"):
            return _no(f"{fixture_id} is {fixture['status']}")
        if cause == "no_show" and self._sheet(fixture_id, club_id):
            return _no(f"{club_id} has a team sheet for {fixture_id}: it came")
        if cause == "ineligible_player":
            if _days(fixture["kickoff"], self._today()) > PROTEST_DAYS:
                return _no(f"A result stands after {PROTEST_DAYS} days")
            if not self._ineligible(fixture_id, club_id):
                return _no(f"Everybody on the team sheet of {club_id} was eligible")
        lost_at_home = club_id == fixture["home"]
        fixture["home_goals"] = 0 if lost_at_home else FORFEIT_SCORE
        fixture["away_goals"] = FORFEIT_SCORE if lost_at_home else 0
        fixture["status"], fixture["forfeited_by"] = "forfeited", club_id
        fixture["penalties_won_by"] = None
        self._charge(club_id, FORFEIT_FINE, "forfeit", paid=False)
        return {"success": True, "forfeits_this_season": self._forfeits(club_id)}

    def _forfeits(self, club_id: str) -> int:
        return sum(fixture["forfeited_by"] == club_id for fixture in self.fixtures.values())

    # Changes: players

    def register_player(self, player_id: str, club_id: str) -> dict[str, Any]:
        """Register a player for a club from today; one who has a club is transferred.

        Args:
            player_id: The player.
            club_id: The new club.
        """
        if player_id not in self.players:
            return _no(f"Player {player_id} does not exist")
        if club_id not in self.clubs:
            return _no(f"Club {club_id} does not exist")
        today, old = self._today(), self._registration(player_id)
        past = {r["club_id"] for r in self.registrations.values() if r["player_id"] == player_id}
        if old is not None and self.registrations[old]["club_id"] == club_id:
            return _no(f"{player_id} is registered for {club_id} already")
        if arrears := self._arrears(club_id):
            return _no(f"{club_id} has owed {arrears} pence for over {ARREARS_DAYS} days")
        if self.players[player_id]["born_on"] > f"{int(today[:4]) - MINIMUM_AGE}{today[4:]}":
            return _no(f"{player_id} is not {MINIMUM_AGE} yet")
        if len(past | {club_id}) > CLUBS_A_SEASON:
            return _no(f"{player_id} has had {CLUBS_A_SEASON} clubs this season")
        if old is not None and self._has_ban(player_id):
            return _no(f"{player_id} has a suspension to serve and is not let go")
        windows = self.season["transfer_windows"]
        if old is not None and not any(w["opens_on"] <= today <= w["closes_on"] for w in windows):
            return _no("The transfer window is closed")
        if today > self.season["registration_deadline"]:
            return _no(f"Registrations closed on {self.season['registration_deadline']}")
        if old is not None:
            self.registrations[old]["until_on"] = today
        key = self._new_key("RG")
        self.registrations[key] = {
            "player_id": player_id,
            "club_id": club_id,
            "from_on": today,
            "until_on": None,
        }
        return {"success": True, "registration_id": key}

    def end_registration(self, player_id: str) -> dict[str, Any]:
        """End a player's registration today, at the club's or the player's wish.

        Args:
            player_id: A registered player who has no match left to sit out.
        """
        key = self._registration(player_id)
        if key is None:
            return _no(f"{player_id} is not registered")
        if self._has_ban(player_id):
            return _no(f"{player_id} has a suspension to serve")
        self.registrations[key]["until_on"] = self._today()
        return {"success": True, "registration_id": key}

    # Changes: penalties, appeals and money

    def deduct_points(self, club_id: str, cause: DeductionCause) -> dict[str, Any]:
        """Take points off a club: 3 for three forfeits in a season, 1 for unpaid fines.

        Args:
            club_id: The club.
            cause: Why; each cause once a season.
        """
        if club_id not in self.clubs:
            return _no(f"Club {club_id} does not exist")
        if any((d["club_id"], d["cause"]) == (club_id, cause) for d in self.deductions.values()):
            return _no(f"{club_id} has been deducted for {cause} this season")
        if cause == "three_forfeits" and self._forfeits(club_id) < FORFEITS_TO_A_DEDUCTION:
            return _no(f"{club_id} has {self._forfeits(club_id)} forfeits this season")
        if cause == "unpaid_fines" and self._arrears(club_id) <= ARREARS_FOR_A_POINT:
            return _no(f"{club_id} is {self._arrears(club_id)} pence in arrears, not over 15000")
        key = self._new_key("DE")
        self.deductions[key] = {
            "club_id": club_id,
            "cause": cause,
            "points": 3 if cause == "three_forfeits" else 1,
            "decided_on": self._today(),
            "status": "in_force",
        }
        return {"success": True, "deduction_id": key}

    def lodge_appeal(self, club_id: str, case_id: str) -> dict[str, Any]:
        """Take in an appeal with its fee of 4000 pence, which is paid at once.

        Args:
            club_id: The club that appeals.
            case_id: A red-card suspension of its player, or a deduction of its points.
        """
        if club_id not in self.clubs:
            return _no(f"Club {club_id} does not exist")
        case = self._case(case_id)
        if case is None:
            return _no(f"{case_id} is neither a suspension nor a deduction")
        concerned = case.get("club_id") or self._club_of(case["player_id"], self._today())
        if concerned != club_id:
            return _no(f"{case_id} concerns {concerned}")
        if case.get("offence", "red") != "red":
            return _no(f"{case['offence']} is an automatic suspension, without appeal")
        if _days(case["decided_on"], self._today()) > APPEAL_DAYS:
            return _no(f"The {APPEAL_DAYS} days from {case['decided_on']} are over")
        if any(appeal["case_id"] == case_id for appeal in self.appeals.values()):
            return _no(f"{case_id} was appealed before")
        if arrears := self._arrears(club_id):
            return _no(f"{club_id} has owed {arrears} pence for over {ARREARS_DAYS} days")
        key = self._new_key("PL")
        self.appeals[key] = {
            "club_id": club_id,
            "case_id": case_id,
            "lodged_on": self._today(),
            "status": "open",
        }
        self._charge(club_id, APPEAL_FEE, "appeal_fee", paid=True)
        return {"success": True, "appeal_id": key}

    def decide_appeal(self, appeal_id: str, outcome: AppealOutcome) -> dict[str, Any]:
        """Enter the panel's decision; if it is upheld the case is quashed and the fee returned.

        Args:
            appeal_id: An open appeal.
            outcome: What the panel decided.
        """
        if appeal_id not in self.appeals:
            return _no(f"Appeal {appeal_id} does not exist")
        appeal = self.appeals[appeal_id]
        if appeal["status"] != "open":
            return _no(f"Appeal {appeal_id} was {appeal['status']}")
        appeal["status"] = outcome
        if outcome == "upheld":
            if appeal["case_id"] in self.suspensions:
                self.suspensions[appeal["case_id"]]["status"] = "quashed"
            else:
                self.deductions[appeal["case_id"]]["status"] = "quashed"
            self._charge(appeal["club_id"], -APPEAL_FEE, "appeal_fee", paid=True)
        return {"success": True}

    def settle_charge(self, charge_id: str) -> dict[str, Any]:
        """Mark a fine as paid.

        Args:
            charge_id: An unpaid charge.
        """
        if charge_id not in self.charges:
            return _no(f"Charge {charge_id} does not exist")
        charge = self.charges[charge_id]
        if charge["paid"]:
            return _no(f"Charge {charge_id} is paid already")
        charge["paid"] = True
        return {"success": True, "arrears_pence": self._arrears(charge["club_id"])}

    def decline_request(self, record_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on record that a request was turned down.

        no_postponement, no_rearrangement, referee_not_suitable and no_forfeit are filed on the
        fixture; window_closed and registration_barred on the player; club_in_arrears and
        no_deduction on the club; no_appeal on the suspension or deduction.

        Args:
            record_id: The record that the refusal is filed on.
            reason: The rule that stood in the way; window_closed where the transfer window or the
                registration deadline is over, registration_barred where a player is too young,
                had too many clubs or cannot be let go, club_in_arrears where a club's debts are.
        """
        if reason in ("window_closed", "registration_barred"):
            known = record_id in self.players
        elif reason in ("club_in_arrears", "no_deduction"):
            known = record_id in self.clubs
        elif reason == "no_appeal":
            known = self._case(record_id) is not None
        else:
            known = record_id in self.fixtures
        if not known:
            return _no(f"{reason} is not filed on {record_id!r}")
        if reason in self._refusals_on(record_id):
            return _no(f"{reason} is on record for {record_id} already")
        key = self._new_key("RF")
        self.refusals[key] = {
            "record_id": record_id,
            "reason": reason,
            "refused_on": self._today(),
        }
        return {"success": True, "refusal_id": key}
