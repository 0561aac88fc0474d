"""A vehicle pool: who drives what, and what is in the workshop."""

from typing import Any, Literal


class VehiclePool:
    """The vehicle pool of a town's works department."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.vehicles: dict[str, dict[str, Any]] = {}
        self.drivers: dict[str, dict[str, Any]] = {}

    def find_vehicles(self, text: str) -> dict[str, Any]:
        """Find vehicles by what they are.

        Args:
            text: Part of the description.
        """
        found = [
            {"vehicle_id": vehicle_id, **vehicle}
            for vehicle_id, vehicle in self.vehicles.items()
            if text.lower() in vehicle["kind"].lower()
        ]
        return {"success": True, "vehicles": found}

    def find_drivers(self, text: str) -> dict[str, Any]:
        """Find drivers by name.

        Args:
            text: Part of the name.
        """
        found = [
            {"driver_id": driver_id, **driver}
            for driver_id, driver in self.drivers.items()
            if text.lower() in driver["name"].lower()
        ]
        return {"success": True, "drivers": found}

    def assign_vehicle(self, vehicle_id: str, driver_id: str) -> dict[str, Any]:
        """Give a vehicle to a driver.

        Args:
            vehicle_id: The vehicle.
            driver_id: Who drives it.
        """
        if vehicle_id not in self.vehicles or driver_id not in self.drivers:
            return {"success": False, "error": "No such vehicle or driver"}
        if self._gone(vehicle_id):
            return {"success": False, "error": "The vehicle is not free"}
        self.vehicles[vehicle_id]["driver_id"] = driver_id
        return {"success": True}

    def send_to_workshop(
        self, vehicle_id: str, fault: Literal["brakes", "lights", "tyres", "engine"]
    ) -> dict[str, Any]:
        """Take a vehicle out of use and have it repaired.

        Args:
            vehicle_id: The vehicle.
            fault: What is wrong with it.
        """
        if vehicle_id not in self.vehicles:
            return {"success": False, "error": "No such vehicle"}
        if self._gone(vehicle_id):
            return {"success": False, "error": "The vehicle is not free"}
        self.vehicles[vehicle_id]["fault"] = fault
        return {"success": True}

    def _gone(self, vehicle_id: str) -> bool:
        vehicle = self.vehicles[vehicle_id]
        return vehicle["driver_id"] is not None or vehicle["fault"] is not None
