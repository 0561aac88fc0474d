"""The phone itself: its Wi-Fi and its lock."""

from collections.abc import Mapping
from typing import Any, ClassVar

from envscaler_eval.benchmarks.acebench.texts import Texts
from envscaler_eval.benchmarks.acebench.worlds.platform import Platform, Tool


class BaseApi(Platform):
    """A platform of the phone.

    Each phone platform has switches of its own; nothing but the world, which
    turns all of them at once, keeps them equal.
    """

    saved: ClassVar[tuple[str, ...]] = ("wifi", "logged_in")

    def __init__(
        self, initial: Mapping[str, Any], settings: Mapping[str, Any], texts: Texts
    ) -> None:
        """Set the switches as the task says: offline and logged in if it does not."""
        super().__init__(initial, settings, texts)
        self.wifi: bool = self._settings.get("wifi", False)
        self.logged_in: bool = self._settings.get("logged_in", True)

    def tools(self) -> Mapping[str, Tool]:
        """Return the switches."""
        return {"turn_on_wifi": self.turn_on_wifi, "login_device": self.login_device}

    def turn_on_wifi(self) -> dict[str, Any]:
        """Turn on this platform's Wi-Fi."""
        self.wifi = True
        return self.success("device.wifi_on")

    def login_device(self) -> dict[str, Any]:
        """Log in to this platform's device."""
        self.logged_in = True
        return self.success("device.logged_in")
