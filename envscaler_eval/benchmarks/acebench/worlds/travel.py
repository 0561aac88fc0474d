"""Flights: searching, booking, changing and cancelling."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar

from envscaler_eval.benchmarks.acebench.texts import Texts
from envscaler_eval.benchmarks.acebench.worlds.platform import Platform, Tool

# The cancellation rules' clock, a day behind the one in the policy that agents read.
_NOW = datetime.fromisoformat("2024-07-14 06:00:00")
_BAG_PRICE = 50
_LATE_CANCELLATION_SHARE = 0.1

# Free bags of each membership level, in economy and in business.
_FREE_BAGS = (("regular", 1, 2), ("silver", 2, 3), ("gold", 3, 3))


class Travel(Platform):
    """The airline's accounts, flights and reservations."""

    saved: ClassVar[tuple[str, ...]] = ("users", "reservations")

    def __init__(
        self, initial: Mapping[str, Any], settings: Mapping[str, Any], texts: Texts
    ) -> None:
        """Open the accounts and the timetable."""
        super().__init__(initial, settings, texts)
        self.users: dict[str, dict[str, Any]] = self._initial["users"]
        self.flights: list[dict[str, Any]] = self._initial["flights"]
        self.reservations: list[dict[str, Any]] = self._initial["reservations"]
        self._economy = texts("travel.economy")
        business = texts("travel.business")
        self._free_bags: dict[Any, dict[Any, int]] = {
            level: {self._economy: in_economy, business: in_business}
            for level, in_economy, in_business in _FREE_BAGS
        }
        self._price_keys = {self._economy: "economy_price", business: "business_price"}

    def tools(self) -> Mapping[str, Tool]:
        """Return the tools, and the steps of theirs that upstream leaves callable."""
        return {
            "get_flight_details": self.get_flight_details,
            "get_user_details": self.get_user_details,
            "get_reservation_details": self.get_reservation_details,
            "authenticate_user": self.authenticate_user,
            "get_baggage_allowance": self.get_baggage_allowance,
            "find_transfer_flights": self.find_transfer_flights,
            "calculate_baggage_fee": self.calculate_baggage_fee,
            "update_balance": self.update_balance,
            "reserve_flight": self.reserve_flight,
            "modify_flight": self.modify_flight,
            "cancel_reservation": self.cancel_reservation,
            "process_refund": self.process_refund,
            "calculate_price_difference": self.calculate_price_difference,
        }

    def get_flight_details(self, origin: Any = None, destination: Any = None) -> Any:
        """Return the flights between two places; an empty place means any."""
        found = [
            dict(flight)
            for flight in self.flights
            if (not origin or flight["origin"] == origin)
            and (not destination or flight["destination"] == destination)
        ]
        return found or self._say("travel.no_flights")

    def get_user_details(self, user_id: Any, password: Any) -> Any:
        """Return a user's profile without the password."""
        user = self.users.get(user_id)
        if user and user["password"] == password:
            return {key: value for key, value in user.items() if key != "password"}
        return self._wrong_login()

    def get_reservation_details(self, reservation_id: Any = None, user_id: Any = None) -> Any:
        """Return reservations by id, else by user, each with its flight or None."""
        if reservation_id:
            key, wanted = "reservation_id", reservation_id
        elif user_id:
            key, wanted = "user_id", user_id
        else:
            return {"status": "error", "message": self._say("travel.which_reservation")}
        return [
            {**reservation, "flight_info": _first(self.flights, flight_no=reservation["flight_no"])}
            for reservation in self.reservations
            if reservation[key] == wanted
        ]

    def authenticate_user(self, user_id: Any, password: Any) -> Any:
        """Return a user's account, or an error that is no less true."""
        user = self.users.get(user_id)
        if user and user["password"] == password:
            return user
        return self._wrong_login()

    def get_baggage_allowance(self, membership_level: Any, cabin_class: Any) -> Any:
        """Return the number of free bags, 0 for a level or cabin that does not exist."""
        return self._free_bags.get(membership_level, {}).get(cabin_class, 0)

    def find_transfer_flights(
        self, origin_city: Any, transfer_city: Any, destination_city: Any
    ) -> Any:
        """Return the pairs of available flights of which one arrives before the other leaves."""

        def available(origin: Any, destination: Any) -> list[dict[str, Any]]:
            return _all(self.flights, origin=origin, destination=destination, status="available")

        found = [
            {"first_leg": first, "second_leg": second}
            for first in available(origin_city, transfer_city)
            for second in available(transfer_city, destination_city)
            if datetime.fromisoformat(first["arrival_time"])
            < datetime.fromisoformat(second["depart_time"])
        ]
        return found or self._say("travel.no_transfer")

    def calculate_baggage_fee(
        self, membership_level: Any, cabin_class: Any, baggage_count: Any
    ) -> Any:
        """Return what bags beyond the free ones cost."""
        free = self._free_bags[membership_level][cabin_class]
        return max(baggage_count - free, 0) * _BAG_PRICE

    def update_balance(self, user: Any, payment_method: Any, amount: Any) -> Any:
        """Add to a balance unless it would fall below 0; other methods change nothing."""
        if payment_method in ("cash", "bank"):
            balance = f"{payment_method}_balance"
            if user[balance] + amount < 0:
                return False
            user[balance] += amount
        return True

    def reserve_flight(
        self,
        user_id: Any,
        password: Any,
        flight_no: Any,
        cabin: Any,
        payment_method: Any,
        baggage_count: Any,
    ) -> Any:
        """Book a seat and pay it.

        A wrong password and an unknown flight raise, as upstream does: it takes
        the error of `authenticate_user` for an account.
        """
        user = self.authenticate_user(user_id, password)
        flight = _first(self.flights, flight_no=flight_no, status="available")
        cost = self._price(flight, cabin)
        cost += self.calculate_baggage_fee(user["membership_level"], cabin, baggage_count)
        if payment_method not in ["cash", "bank"]:
            return self._say("travel.bad_payment")
        balance = f"{payment_method}_balance"
        if cost > user[balance]:
            return self._say("travel.too_expensive", payment=payment_method)
        user[balance] -= cost
        flight["seats_available"] -= 1
        reservation_id = f"res_{len(self.reservations) + 1}"
        self.reservations.append(
            {
                "reservation_id": reservation_id,
                "user_id": user_id,
                "flight_no": flight_no,
                "payment_method": payment_method,
                "cabin": cabin,
                "baggage": baggage_count,
            }
        )
        return self._say("travel.booked", id=reservation_id, cost=cost)

    def modify_flight(
        self,
        user_id: Any,
        reservation_id: Any,
        new_flight_no: Any = None,
        new_cabin: Any = None,
        add_baggage: Any = 0,
        new_payment_method: Any = None,
    ) -> Any:
        """Change a reservation's flight, then its cabin, then its bags."""
        reservation = _first(self.reservations, reservation_id=reservation_id, user_id=user_id)
        if not reservation:
            return self._say("travel.no_reservation")
        flight = _first(self.flights, flight_no=reservation["flight_no"])
        if not flight:
            return self._say("travel.no_flight")
        payment_method = new_payment_method or reservation["payment_method"]
        user = self.users[user_id]
        said = []
        if new_flight_no and new_flight_no != reservation["flight_no"]:
            new_flight = _first(self.flights, flight_no=new_flight_no)
            if not new_flight or any(
                new_flight[place] != flight[place] for place in ("origin", "destination")
            ):
                return self._say("travel.flight_not_changed")
            reservation["flight_no"] = new_flight_no
            said.append(self._say("travel.flight_changed"))
        if new_cabin and new_cabin != reservation["cabin"]:
            said += self._change_cabin(user, reservation, flight, new_cabin, payment_method)
        if add_baggage > 0:
            said += self._add_bags(user, reservation, add_baggage, payment_method)
        return " ".join(said or [self._say("travel.modified")])

    def _change_cabin(
        self, user: Any, reservation: dict[str, Any], flight: Any, cabin: Any, payment_method: Any
    ) -> list[str]:
        # The old flight's prices count, and the cabin changes even if it is not paid.
        difference = self.calculate_price_difference(flight, reservation["cabin"], cabin)
        reservation["cabin"] = cabin
        if difference > 0:
            if self.update_balance(user, payment_method, -difference):
                return [self._say("travel.cabin_paid", amount=difference)]
            return [self._say("travel.cabin_unpaid")]
        if difference < 0:
            self.update_balance(user, payment_method, -difference)
            return [self._say("travel.cabin_refunded", amount=-difference)]
        return []

    def _add_bags(
        self, user: Any, reservation: dict[str, Any], added: Any, payment_method: Any
    ) -> list[str]:
        # All bags beyond the free ones are charged, those paid before too, and the
        # bags are added even if they are not paid.
        free = self.get_baggage_allowance(user["membership_level"], reservation["cabin"])
        total = reservation["baggage"] + added
        cost = max(0, total - free) * _BAG_PRICE
        said = []
        if cost > 0:
            if self.update_balance(user, payment_method, -cost):
                said.append(self._say("travel.baggage_paid", amount=cost))
            else:
                said.append(self._say("travel.baggage_unpaid"))
        reservation["baggage"] = total
        return said

    def cancel_reservation(self, user_id: Any, reservation_id: Any, reason: Any) -> Any:
        """Refund a flight in cash; the reservation stays, so this can be repeated."""
        user = self.users.get(user_id)
        if not user:
            return self._say("travel.no_user_to_cancel")
        reservation = _first(self.reservations, reservation_id=reservation_id, user_id=user_id)
        if not reservation:
            return self._say("travel.no_reservation_to_cancel")
        flight = _first(self.flights, flight_no=reservation["flight_no"])
        if not flight:
            return self._say("travel.no_flight_to_cancel")
        departure = datetime.fromisoformat(flight["depart_time"])
        if departure < _NOW:
            return self._say("travel.flown")
        price = self._price(flight, reservation["cabin"])
        if reason == self._say("travel.airline_reason"):
            self.process_refund(user, price)
            return self._say("travel.airline_canceled", refund=price)
        if departure - _NOW > timedelta(days=1):
            self.process_refund(user, price)
            return self._say("travel.canceled_early", refund=price)
        fee = price * _LATE_CANCELLATION_SHARE
        self.process_refund(user, price - fee)
        return self._say("travel.canceled_late", fee=fee, refund=price - fee)

    def process_refund(self, user: Any, amount: Any) -> Any:
        """Add to a user's cash."""
        user["cash_balance"] += amount
        # Upstream prints the name, so that an account without one raises.
        _ = user["user_name"]

    def calculate_price_difference(self, flight: Any, old_cabin: Any, new_cabin: Any) -> Any:
        """Return what a cabin costs more than another; one that does not exist costs 0."""
        prices = {cabin: flight[key] for cabin, key in self._price_keys.items()}
        return prices.get(new_cabin, 0) - prices.get(old_cabin, 0)

    def _price(self, flight: Any, cabin: Any) -> Any:
        return flight["economy_price" if cabin == self._economy else "business_price"]

    def _wrong_login(self) -> dict[str, Any]:
        return {"status": "error", "message": self._say("travel.wrong_login")}


def _all(items: list[dict[str, Any]], **wanted: Any) -> list[dict[str, Any]]:
    return [item for item in items if all(item[key] == value for key, value in wanted.items())]


def _first(items: list[dict[str, Any]], **wanted: Any) -> Any:
    return next(iter(_all(items, **wanted)), None)
