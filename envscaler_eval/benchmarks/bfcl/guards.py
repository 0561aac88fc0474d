"""Calls of the calculator that would keep or kill the process.

Officially they run: nine to the power of a billion hangs the evaluation. Here
they end in an error, which is what most of them officially come to.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

_BITS = 1_000_000
_DIGITS = 100_000
_REPEATS = 10_000_000
_UNPRINTABLE = 1 << 20_000


def _power(base: object = 0, exponent: object = 0) -> None:
    if (
        isinstance(base, int)
        and isinstance(exponent, int)
        and abs(base) > 1
        and exponent * abs(base).bit_length() > _BITS
    ):
        # The result would have too many digits to be shown; so has this.
        str(_UNPRINTABLE)


def _multiply(a: object = 0, b: object = 0) -> None:
    for times, what in ((a, b), (b, a)):
        if isinstance(times, int) and isinstance(what, str | list) and times * len(what) > _REPEATS:
            raise MemoryError


def _precision(value: object = 0, base: object = 0, precision: object = 0, **_: object) -> None:
    if isinstance(precision, int | float) and precision > _DIGITS:
        raise ValueError(f"precision is limited to {_DIGITS} digits")


_GUARDS: Mapping[str, Callable[..., None]] = MappingProxyType(
    {
        "power": _power,
        "multiply": _multiply,
        "logarithm": _precision,
        "square_root": _precision,
    }
)


def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of the calculator that refuses calls which would not end.

    It raises `ValueError` or `MemoryError` for them.
    """
    check = _GUARDS.get(method.__name__)
    if check is None:
        return method

    def call(*args: Any, **kwargs: Any) -> Any:
        # Wrong arguments are not the guard's to tell; the method does.
        with suppress(TypeError):
            check(*args, **kwargs)
        return method(*args, **kwargs)

    return call
