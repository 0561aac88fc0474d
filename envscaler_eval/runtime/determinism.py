"""A clock, chance and builtins of an environment's own.

Environment programs ask for the time, for random numbers and for unique ids.
Each session gives them modules of its own whose answers are fixed by (scenario,
seed) and by the calls made so far. The host process is never patched.
"""

import builtins
import calendar
import datetime as real_datetime
import os
import random
import secrets
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

_UTC = real_datetime.UTC
_BUILTINS = vars(builtins)


class Clock:
    """A clock that moves one second a tool call and one millisecond a reading.

    Readings differ so that programs which make ids out of the time get distinct
    ones.
    """

    def __init__(self, now: str) -> None:
        """Start at `now`, ISO 8601 without zone, read as UTC."""
        self._seconds = real_datetime.datetime.fromisoformat(now).replace(tzinfo=_UTC).timestamp()
        self._milliseconds = 0

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._seconds += seconds

    def read(self) -> float:
        """Return the Unix time, in seconds."""
        self._milliseconds += 1
        return round(self._seconds + self._milliseconds / 1000, 3)


class DeterministicModules:
    """The modules and builtins that an environment program sees."""

    def __init__(self, clock: Clock, seed: str) -> None:
        """Bind the modules to a clock and to a seed."""
        self._clock = clock
        self._seed = seed
        self._modules: dict[str, ModuleType] = {}
        self._random_source: random.Random | None = None
        self.builtins: dict[str, Any] = {
            **_BUILTINS,
            "__import__": self._import,
            "print": _print_nothing,
        }

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        root = name.partition(".")[0]
        build = _BUILDERS.get(root)
        if build is None or level:
            return __import__(name, globals, locals, fromlist or (), level)
        module = self._modules.get(root)
        if module is None:
            module = self._modules[root] = build(self)
        if fromlist and name == "os.path":
            return os.path
        return module

    def random_source(self) -> random.Random:
        """The one source of chance in the session."""
        if self._random_source is None:
            self._random_source = random.Random(self._seed)
        return self._random_source

    @property
    def clock(self) -> Clock:
        """The clock that the modules read."""
        return self._clock


def _print_nothing(*values: object, **options: object) -> None:
    """Stand in for `print`, whose output would land in the host's terminal."""


def _variant(original: ModuleType, **replacements: object) -> ModuleType:
    """Return a copy of a module with some names replaced."""
    module = ModuleType(original.__name__, original.__doc__)
    vars(module).update(vars(original))
    vars(module).update(replacements)
    return module


def _time_module(modules: DeterministicModules) -> ModuleType:
    clock = modules.clock

    def moment(seconds: float | None) -> float:
        return clock.read() if seconds is None else seconds

    def nanoseconds() -> int:
        return round(clock.read() * 1000) * 1_000_000

    def utc(seconds: float | None = None) -> time.struct_time:
        return time.gmtime(moment(seconds))

    def formatted(form: str, fields: Any = None) -> str:
        return time.strftime(form, utc() if fields is None else fields)

    def text(fields: Any = None) -> str:
        return time.asctime(utc() if fields is None else fields)

    return _variant(
        time,
        time=clock.read,
        monotonic=clock.read,
        perf_counter=clock.read,
        process_time=clock.read,
        thread_time=clock.read,
        time_ns=nanoseconds,
        monotonic_ns=nanoseconds,
        perf_counter_ns=nanoseconds,
        process_time_ns=nanoseconds,
        thread_time_ns=nanoseconds,
        clock_gettime=lambda _: clock.read(),
        clock_gettime_ns=lambda _: nanoseconds(),
        gmtime=utc,
        localtime=utc,
        mktime=lambda fields: float(calendar.timegm(fields)),
        strftime=formatted,
        asctime=text,
        ctime=lambda seconds=None: time.asctime(utc(seconds)),
        sleep=clock.advance,
        timezone=0,
        altzone=0,
        daylight=0,
        tzname=("UTC", "UTC"),
    )


class _StandIn(type):
    """Lets values that were made elsewhere count as instances of a stand-in."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls.__base__ or object)


def _datetime_module(modules: DeterministicModules) -> ModuleType:
    clock = modules.clock

    class date(real_datetime.date, metaclass=_StandIn):
        @classmethod
        def today(cls) -> "date":
            return cls.fromtimestamp(clock.read())

        @classmethod
        def fromtimestamp(cls, timestamp: float, /) -> "date":
            there = real_datetime.datetime.fromtimestamp(timestamp, _UTC)
            return cls(there.year, there.month, there.day)

    class datetime(real_datetime.datetime, metaclass=_StandIn):
        @classmethod
        def now(cls, tz: real_datetime.tzinfo | None = None) -> "datetime":
            return cls.fromtimestamp(clock.read(), tz)

        @classmethod
        def utcnow(cls) -> "datetime":
            return cls.fromtimestamp(clock.read())

        @classmethod
        def today(cls) -> "datetime":
            return cls.fromtimestamp(clock.read())

        @classmethod
        def fromtimestamp(
            cls, timestamp: float, tz: real_datetime.tzinfo | None = None
        ) -> "datetime":
            there = super().fromtimestamp(timestamp, tz or _UTC)
            return there if tz else there.replace(tzinfo=None)

        def timestamp(self) -> float:
            aware = self if self.tzinfo else self.replace(tzinfo=_UTC)
            return super(datetime, aware).timestamp()

        def astimezone(self, tz: real_datetime.tzinfo | None = None) -> "datetime":
            aware = self if self.tzinfo else self.replace(tzinfo=_UTC)
            return super(datetime, aware).astimezone(tz or _UTC)

    for shown in (date, datetime):
        shown.__module__ = "datetime"
        shown.__qualname__ = shown.__name__
    return _variant(real_datetime, date=date, datetime=datetime)


def _random_module(modules: DeterministicModules) -> ModuleType:
    source = modules.random_source()

    class Random(random.Random):
        """Seeds itself from the session when the program gives no seed."""

        def __init__(self, seed: Any = None) -> None:
            super().__init__(source.getrandbits(64) if seed is None else seed)

        def seed(self, a: Any = None, version: int = 2) -> None:
            super().seed(source.getrandbits(64) if a is None else a, version)

    instance = Random(source.getrandbits(64))
    methods: dict[str, Callable[..., Any]] = {
        name: getattr(instance, name)
        for name, value in vars(random).items()
        if callable(value) and isinstance(getattr(value, "__self__", None), random.Random)
    }
    return _variant(random, Random=Random, SystemRandom=Random, **methods)


def _uuid_module(modules: DeterministicModules) -> ModuleType:
    source = modules.random_source()
    return _variant(
        uuid,
        uuid1=lambda node=None, clock_seq=None: uuid.UUID(int=source.getrandbits(128), version=1),
        uuid4=lambda: uuid.UUID(int=source.getrandbits(128), version=4),
        getnode=lambda: 0x0200_0000_0001,
    )


def _secrets_module(modules: DeterministicModules) -> ModuleType:
    source = modules.random_source()
    numbers = vars(_random_module(modules))

    def token(size: int | None = None) -> bytes:
        return source.randbytes(32 if size is None else size)

    def url_token(size: int | None = None) -> str:
        import base64

        return base64.urlsafe_b64encode(token(size)).rstrip(b"=").decode()

    return _variant(
        secrets,
        token_bytes=token,
        token_hex=lambda size=None: token(size).hex(),
        token_urlsafe=url_token,
        choice=source.choice,
        randbelow=source.randrange,
        randbits=source.getrandbits,
        SystemRandom=numbers["Random"],
    )


def _os_module(modules: DeterministicModules) -> ModuleType:
    source = modules.random_source()
    return _variant(
        os,
        urandom=source.randbytes,
        getrandom=lambda size, flags=0: source.randbytes(size),
        getpid=lambda: 1,
    )


_BUILDERS: Mapping[str, Callable[[DeterministicModules], ModuleType]] = {
    "time": _time_module,
    "datetime": _datetime_module,
    "random": _random_module,
    "uuid": _uuid_module,
    "secrets": _secrets_module,
    "os": _os_module,
}
