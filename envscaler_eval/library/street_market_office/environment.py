"""Street market office: markets, pitches, traders, bookings, reserve lists and incidents."""

from datetime import date, datetime
from typing import Literal, TypedDict

Goods = Literal["produce", "hot_food", "baked_goods", "crafts", "clothing", "plants"]
Offence = Literal["litter", "late", "blocked_way", "no_show"]

NOTICE_DAYS = 7
OPEN_INCIDENTS = 3


class Market(TypedDict):
    name: str
    place: str
    date: str
    rate_cents: int
    hot_food_limit: int


class Pitch(TypedDict):
    place: str
    metres: int
    power: bool


class Trader(TypedDict):
    name: str
    business: str
    goods: Goods
    licence_until: str
    insurance_until: str
    owed_cents: int


class Booking(TypedDict):
    market: str
    pitch: str
    trader: str
    power: bool
    fee_cents: int
    status: Literal["booked", "cancelled"]


class ReserveEntry(TypedDict):
    market: str
    trader: str
    metres: int
    power: bool
    since: str


class Incident(TypedDict):
    trader: str
    market: str
    kind: Offence
    note: str
    status: Literal["open", "settled"]


class StreetMarketOffice:
    """The municipal office that lets pitches on street markets."""

    def __init__(self, init_config: dict) -> None:
        self.markets: dict[str, Market] = {}
        self.pitches: dict[str, Pitch] = {}
        self.traders: dict[str, Trader] = {}
        self.bookings: dict[str, Booking] = {}
        self.reserve: dict[str, ReserveEntry] = {}
        self.incidents: dict[str, Incident] = {}
        self.next_booking: int = 1
        self.next_entry: int = 1
        self.next_incident: int = 1
        self.power_cents: int = 800
        self.debt_limit_cents: int = 15000

    def _booked(self, market_id: str) -> list[str]:
        """The bookings of a market that stand, sorted by id."""
        return sorted(
            key
            for key, booking in self.bookings.items()
            if booking["market"] == market_id and booking["status"] == "booked"
        )

    def _queue(self, market_id: str) -> list[str]:
        """The entries in reserve for a market, longest waiting first."""
        entries = [key for key, entry in self.reserve.items() if entry["market"] == market_id]
        return sorted(entries, key=lambda key: (self.reserve[key]["since"], len(key), key))

    def _is_day(self, text: str) -> bool:
        """Whether a text is a day in the form 2026-05-09."""
        try:
            return date.fromisoformat(text).isoformat() == text
        except ValueError:
            return False

    def _days_until(self, market_id: str) -> int:
        """The days from today to a market; below zero when it has been."""
        day = date.fromisoformat(self.markets[market_id]["date"])
        return (day - datetime.now().date()).days

    def _fee(self, market_id: str, pitch_id: str, power: bool) -> int:
        """What a pitch costs on a market."""
        metres = self.pitches[pitch_id]["metres"]
        return self.markets[market_id]["rate_cents"] * metres + (self.power_cents if power else 0)

    def _bar(self, market_id: str, trader_id: str) -> str | None:
        """Why a trader may not be booked on a market, whatever the pitch."""
        market, trader = self.markets[market_id], self.traders[trader_id]
        if trader["licence_until"] < market["date"]:
            return f"The licence of {trader_id} runs out on {trader['licence_until']}, before the market"
        if trader["insurance_until"] < market["date"]:
            return f"The insurance of {trader_id} runs out on {trader['insurance_until']}, before the market"
        if trader["owed_cents"] > self.debt_limit_cents:
            return f"{trader_id} owes {trader['owed_cents']} cents, more than {self.debt_limit_cents}"
        against = [i for i in self.incidents.values() if i["trader"] == trader_id]
        if sum(incident["status"] == "open" for incident in against) >= OPEN_INCIDENTS:
            return f"{trader_id} has {OPEN_INCIDENTS} or more open incidents"
        there = [self.bookings[key]["trader"] for key in self._booked(market_id)]
        if trader_id in there:
            return f"{trader_id} has a pitch on market {market_id} already"
        cooking = sum(self.traders[other]["goods"] == "hot_food" for other in there)
        if trader["goods"] == "hot_food" and cooking >= market["hot_food_limit"]:
            return f"Market {market_id} has as many hot food traders as it takes, {cooking}"
        return None

    def _obstacle(self, market_id: str, pitch_id: str, power: bool, trader_id: str) -> str | None:
        """Why a pitch cannot be given to a trader on a market, whoever it is."""
        market, pitch = self.markets[market_id], self.pitches[pitch_id]
        if pitch["place"] != market["place"]:
            return f"Pitch {pitch_id} is at {pitch['place']}, the market at {market['place']}"
        if power and not pitch["power"]:
            return f"Pitch {pitch_id} has no power"
        if any(self.bookings[key]["pitch"] == pitch_id for key in self._booked(market_id)):
            return f"Pitch {pitch_id} is taken on market {market_id}"
        for key in self._queue(market_id):
            entry = self.reserve[key]
            if entry["trader"] == trader_id:
                break
            fits = pitch["metres"] >= entry["metres"] and (pitch["power"] or not entry["power"])
            if fits and self._bar(market_id, entry["trader"]) is None:
                return f"{entry['trader']} has waited longer in reserve, and pitch {pitch_id} fits"
        return None

    def find_traders(self, name: str | None = None, goods: Goods | None = None) -> dict:
        """List traders with their papers and what they owe, sorted by id.

        Args:
            name: A part of the trader's name or of the business, in any case; null for all.
            goods: Only traders who sell this; null for all.
        """
        wanted = None if name is None else name.strip().lower()
        if wanted == "":
            return {"success": False, "error": "Give a part of the name, or null for all traders"}
        found = [
            {"trader_id": key, **trader}
            for key, trader in sorted(self.traders.items())
            if goods in (None, trader["goods"])
            and (wanted is None or wanted in f"{trader['name']} / {trader['business']}".lower())
        ]
        return {"success": True, "traders": found}

    def get_trader(self, trader_id: str) -> dict:
        """Give a trader in full, with bookings, reserve entries and incidents.

        Args:
            trader_id: The trader, such as T-41.
        """
        if trader_id not in self.traders:
            return {"success": False, "error": f"There is no trader {trader_id}"}
        return {
            "success": True,
            "trader": dict(self.traders[trader_id]),
            "debt_limit_cents": self.debt_limit_cents,
            "bookings": {k: dict(b) for k, b in self.bookings.items() if b["trader"] == trader_id},
            "reserve": {k: dict(e) for k, e in self.reserve.items() if e["trader"] == trader_id},
            "incidents": {k: dict(i) for k, i in self.incidents.items() if i["trader"] == trader_id},
        }

    def find_markets(
        self, place: str | None = None, first_day: str | None = None, last_day: str | None = None
    ) -> dict:
        """List markets with their rates and limits, by date.

        Args:
            place: Only markets at this place, such as "Corn Square"; null for all.
            first_day: Only markets on this day or later, ISO 8601; null for no limit.
            last_day: Only markets on this day or earlier, ISO 8601; null for no limit.
        """
        for day in (first_day, last_day):
            if day is not None and not self._is_day(day):
                return {"success": False, "error": f"'{day}' is no date; write it as 2026-05-09"}
        found = [
            {"market_id": key, **market}
            for key, market in sorted(self.markets.items(), key=lambda pair: (pair[1]["date"], pair[0]))
            if place in (None, market["place"])
            and (first_day or market["date"]) <= market["date"] <= (last_day or market["date"])
        ]
        return {"success": True, "markets": found}

    def get_market(self, market_id: str) -> dict:
        """Give a market in full, with its bookings and who waits in reserve, longest first.

        Args:
            market_id: The market, such as MK-7.
        """
        if market_id not in self.markets:
            return {"success": False, "error": f"There is no market {market_id}"}
        return {
            "success": True,
            "market": dict(self.markets[market_id]),
            "bookings": {key: dict(self.bookings[key]) for key in self._booked(market_id)},
            "reserve": [{"entry_id": key, **self.reserve[key]} for key in self._queue(market_id)],
        }

    def find_free_pitches(self, market_id: str, metres: int = 1, power: bool = False) -> dict:
        """List the free pitches of a market with their fees, sorted by id.

        Args:
            market_id: The market, such as MK-7.
            metres: Only pitches with at least this frontage, in metres.
            power: True for pitches with a power point only.
        """
        if market_id not in self.markets:
            return {"success": False, "error": f"There is no market {market_id}"}
        taken = {self.bookings[key]["pitch"] for key in self._booked(market_id)}
        place = self.markets[market_id]["place"]
        found = [
            {
                "pitch_id": key,
                "metres": pitch["metres"],
                "power": pitch["power"],
                "fee_cents": self._fee(market_id, key, False),
                "fee_with_power_cents": self._fee(market_id, key, True) if pitch["power"] else None,
            }
            for key, pitch in sorted(self.pitches.items())
            if pitch["place"] == place
            and key not in taken
            and pitch["metres"] >= metres
            and (pitch["power"] or not power)
        ]
        return {"success": True, "pitches": found}

    def book_pitch(self, market_id: str, pitch_id: str, trader_id: str, power: bool) -> dict:
        """Let a free pitch to a trader on a market, and charge the fee to the trader's account.

        Args:
            market_id: The market, such as MK-7.
            pitch_id: The pitch, such as C-3.
            trader_id: The trader, such as T-41.
            power: Whether the trader uses the power point, which is charged.
        """
        if market_id not in self.markets:
            return {"success": False, "error": f"There is no market {market_id}"}
        if pitch_id not in self.pitches:
            return {"success": False, "error": f"There is no pitch {pitch_id}"}
        if trader_id not in self.traders:
            return {"success": False, "error": f"There is no trader {trader_id}"}
        if self._days_until(market_id) < 0:
            return {"success": False, "error": f"Market {market_id} has been"}
        error = self._bar(market_id, trader_id)
        error = error or self._obstacle(market_id, pitch_id, power, trader_id)
        if error:
            return {"success": False, "error": error}
        fee = self._fee(market_id, pitch_id, power)
        booking_id = f"B-{self.next_booking}"
        self.next_booking += 1
        self.bookings[booking_id] = {
            "market": market_id,
            "pitch": pitch_id,
            "trader": trader_id,
            "power": power,
            "fee_cents": fee,
            "status": "booked",
        }
        self.traders[trader_id]["owed_cents"] += fee
        for key in self._queue(market_id):
            if self.reserve[key]["trader"] == trader_id:
                del self.reserve[key]
        return {"success": True, "booking_id": booking_id, "fee_cents": fee}

    def move_booking(self, booking_id: str, pitch_id: str, power: bool) -> dict:
        """Move a booking to another free pitch of its market, or switch its power on or off.

        Args:
            booking_id: The booking, such as B-210.
            pitch_id: The new pitch, or the present one when only the power changes.
            power: Whether the trader uses the power point there, which is charged.
        """
        booking = self.bookings.get(booking_id)
        if booking is None or booking["status"] != "booked":
            return {"success": False, "error": f"There is no booking {booking_id} that stands"}
        if pitch_id not in self.pitches:
            return {"success": False, "error": f"There is no pitch {pitch_id}"}
        market_id = booking["market"]
        if self._days_until(market_id) <= 0:
            return {"success": False, "error": f"The day of market {market_id} has come; {booking_id} stays as it is"}
        if pitch_id == booking["pitch"]:
            lacking = power and not self.pitches[pitch_id]["power"]
            error = f"Pitch {pitch_id} has no power" if lacking else None
        else:
            error = self._obstacle(market_id, pitch_id, power, booking["trader"])
        if error:
            return {"success": False, "error": error}
        fee = self._fee(market_id, pitch_id, power)
        trader = self.traders[booking["trader"]]
        trader["owed_cents"] += fee - booking["fee_cents"]
        booking.update(pitch=pitch_id, power=power, fee_cents=fee)
        return {"success": True, "fee_cents": fee, "owed_cents": trader["owed_cents"]}

    def cancel_booking(self, booking_id: str) -> dict:
        """Cancel a booking; with fewer than seven days' notice half of the fee is kept.

        Args:
            booking_id: The booking, such as B-210.
        """
        booking = self.bookings.get(booking_id)
        if booking is None or booking["status"] != "booked":
            return {"success": False, "error": f"There is no booking {booking_id} that stands"}
        days = self._days_until(booking["market"])
        if days <= 0:
            return {"success": False, "error": f"The day of market {booking['market']} has come"}
        kept = 0 if days >= NOTICE_DAYS else booking["fee_cents"] - booking["fee_cents"] // 2
        self.traders[booking["trader"]]["owed_cents"] -= booking["fee_cents"] - kept
        booking["fee_cents"] = kept
        booking["status"] = "cancelled"
        return {"success": True, "booking_id": booking_id, "kept_cents": kept}

    def join_reserve(self, market_id: str, trader_id: str, metres: int, power: bool) -> dict:
        """Put a trader in reserve for a market, behind those who wait already.

        Args:
            market_id: The market, such as MK-7.
            trader_id: The trader, such as T-41.
            metres: The frontage that is needed, in metres.
            power: Whether a power point is needed.
        """
        market = self.markets.get(market_id)
        if market is None:
            return {"success": False, "error": f"There is no market {market_id}"}
        if trader_id not in self.traders:
            return {"success": False, "error": f"There is no trader {trader_id}"}
        if self._days_until(market_id) < 0:
            return {"success": False, "error": f"Market {market_id} has been"}
        if any(self.bookings[key]["trader"] == trader_id for key in self._booked(market_id)):
            return {"success": False, "error": f"{trader_id} is booked on market {market_id}"}
        if any(self.reserve[key]["trader"] == trader_id for key in self._queue(market_id)):
            return {"success": False, "error": f"{trader_id} waits for market {market_id} already"}
        if metres < 1 or not any(
            pitch["place"] == market["place"] and pitch["metres"] >= metres and (pitch["power"] or not power)
            for pitch in self.pitches.values()
        ):
            needs = f"{metres} metres{' with power' if power else ''}"
            return {"success": False, "error": f"No pitch at {market['place']} has {needs}"}
        entry_id = f"R-{self.next_entry}"
        self.next_entry += 1
        self.reserve[entry_id] = {
            "market": market_id,
            "trader": trader_id,
            "metres": metres,
            "power": power,
            "since": datetime.now().isoformat(timespec="seconds"),
        }
        return {"success": True, "entry_id": entry_id, "place": len(self._queue(market_id))}

    def leave_reserve(self, entry_id: str) -> dict:
        """Take an entry out of the reserve.

        Args:
            entry_id: The entry, such as R-31.
        """
        if entry_id not in self.reserve:
            return {"success": False, "error": f"There is no reserve entry {entry_id}"}
        entry = self.reserve.pop(entry_id)
        return {"success": True, "market_id": entry["market"], "trader_id": entry["trader"]}

    def record_incident(self, trader_id: str, market_id: str, kind: Offence, note: str) -> dict:
        """Record against a trader what happened on a market, which then counts as open.

        Args:
            trader_id: The trader, such as T-41.
            market_id: The market, such as MK-7, of today or earlier.
            kind: What happened; `late` is packing up late.
            note: A few words about it.
        """
        if trader_id not in self.traders:
            return {"success": False, "error": f"There is no trader {trader_id}"}
        if market_id not in self.markets:
            return {"success": False, "error": f"There is no market {market_id}"}
        if not note.strip():
            return {"success": False, "error": "Say in a note what happened"}
        if self._days_until(market_id) > 0:
            return {"success": False, "error": f"Market {market_id} has not been yet"}
        if all(self.bookings[key]["trader"] != trader_id for key in self._booked(market_id)):
            return {"success": False, "error": f"{trader_id} had no pitch on market {market_id}"}
        incident_id = f"I-{self.next_incident}"
        self.next_incident += 1
        self.incidents[incident_id] = {
            "trader": trader_id,
            "market": market_id,
            "kind": kind,
            "note": note.strip(),
            "status": "open",
        }
        return {"success": True, "incident_id": incident_id}

    def settle_incident(self, incident_id: str) -> dict:
        """Settle an open incident, which then no longer counts against the trader.

        Args:
            incident_id: The incident, such as I-9.
        """
        incident = self.incidents.get(incident_id)
        if incident is None:
            return {"success": False, "error": f"There is no incident {incident_id}"}
        if incident["status"] == "settled":
            return {"success": False, "error": f"Incident {incident_id} is settled already"}
        incident["status"] = "settled"
        return {"success": True, "incident_id": incident_id, "trader_id": incident["trader"]}

    def record_payment(self, trader_id: str, cents: int) -> dict:
        """Take a payment off what a trader owes.

        Args:
            trader_id: The trader, such as T-41.
            cents: The amount in cents, at most what is owed.
        """
        trader = self.traders.get(trader_id)
        if trader is None:
            return {"success": False, "error": f"There is no trader {trader_id}"}
        if not 0 < cents <= trader["owed_cents"]:
            return {
                "success": False,
                "error": f"{trader_id} owes {trader['owed_cents']} cents, so that {cents} cannot be paid",
            }
        trader["owed_cents"] -= cents
        return {"success": True, "owed_cents": trader["owed_cents"]}

    def renew_papers(
        self, trader_id: str, paper: Literal["licence", "insurance"], valid_until: str
    ) -> dict:
        """Enter the new last day of a trader's licence or insurance.

        Args:
            trader_id: The trader, such as T-41.
            paper: Which paper was renewed.
            valid_until: Its last day, ISO 8601, today or later.
        """
        trader = self.traders.get(trader_id)
        if trader is None:
            return {"success": False, "error": f"There is no trader {trader_id}"}
        if not self._is_day(valid_until):
            return {"success": False, "error": f"'{valid_until}' is no date; write it as 2026-05-09"}
        if valid_until < datetime.now().date().isoformat():
            return {"success": False, "error": f"{valid_until} has passed"}
        if paper == "licence":
            trader["licence_until"] = valid_until
        else:
            trader["insurance_until"] = valid_until
        return {"success": True, "trader_id": trader_id, "paper": paper, "valid_until": valid_until}
