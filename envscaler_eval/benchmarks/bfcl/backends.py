"""The official backends, executed anew for each sample.

They keep state in their modules: in long-context entries, instances share the
constants that they were filled from, so that a booking in one changes another.
Within a sample that is part of the official verdict, between samples it is a
fault. Therefore each sample has modules of its own, which the instances of the
model and of the ground truth share.
"""

import __future__

import builtins
import decimal
import importlib
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, MappingProxyType, ModuleType
from typing import Any

from envscaler_eval.benchmarks.data import DataError

PACKAGE = "bfcl_eval.eval_checker.multi_turn_eval.func_source_code"

# Class -> the module that defines it, also the name of its tools' document.
MODULES: Mapping[str, str] = MappingProxyType(
    {
        "GorillaFileSystem": "gorilla_file_system",
        "MathAPI": "math_api",
        "MessageAPI": "message_api",
        "TwitterAPI": "posting_api",
        "TicketAPI": "ticket_api",
        "TradingBot": "trading_bot",
        "TravelAPI": "travel_booking",
        "VehicleControlAPI": "vehicle_control",
    }
)
CONSTANTS = "long_context"
WITHOUT_SCENARIO = frozenset({"MathAPI"})

# Annotations have no effect here, but evaluating them each time costs.
_FLAGS = __future__.annotations.compiler_flag


class BackendCode:
    """The compiled modules of a snapshot, from which samples get theirs."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        """Compile the modules.

        Args:
            sources: Module name, without package -> source text.
        """
        self.modules: Mapping[str, CodeType] = {
            name: compile(source, f"<{name}>", "exec", _FLAGS, dont_inherit=True)
            for name, source in sources.items()
        }
        self._methods: dict[str, tuple[str, ...]] = {}
        self._untouched: ModuleType | None = None

    @classmethod
    def read(cls, folder: Path) -> "BackendCode":
        """Read the modules from the folder of an unpacked wheel."""
        place = folder / PACKAGE.replace(".", "/")
        names = (*MODULES.values(), CONSTANTS)
        return cls({name: (place / f"{name}.py").read_text("utf-8") for name in names})

    def methods(self, class_name: str, instance: object) -> tuple[str, ...]:
        """Return the names of a class's tools: its public methods."""
        if class_name not in self._methods:
            members = inspect.getmembers(instance, predicate=inspect.ismethod)
            self._methods[class_name] = tuple(n for n, _ in members if not n.startswith("_"))
        return self._methods[class_name]

    def untouched_constants(self) -> ModuleType:
        """Return the module of constants for samples in which nothing reads them."""
        if self._untouched is None:
            self._untouched = ModuleType(f"{PACKAGE}.{CONSTANTS}")
            exec(self.modules[CONSTANTS], vars(self._untouched))
        return self._untouched


class Backends:
    """A sample's own modules."""

    def __init__(self, code: BackendCode, long_context: bool) -> None:
        """Execute nothing yet.

        Args:
            code: The compiled modules.
            long_context: Whether instances are filled up to be long. Only then
                are the module's constants read, and made anew: that is most of
                the cost of a fresh set of modules.
        """
        self._code = code
        self._long_context = long_context
        self._modules: dict[str, ModuleType] = {}
        self._builtins = {**vars(builtins), "__import__": self._import}
        self._decimal = decimal.Context()
        self._digits = 15

    def create(self, class_name: str, scenario: Any) -> tuple[object, tuple[str, ...]]:
        """Return a new instance of a backend, and the names of its tools.

        Args:
            class_name: A key of `MODULES`.
            scenario: Its initial state, which becomes the instance's own.
        """
        instance = getattr(self._module(MODULES[class_name]), class_name)()
        if class_name not in WITHOUT_SCENARIO:
            instance._load_scenario(scenario, long_context=self._long_context)
        return instance, self._code.methods(class_name, instance)

    @contextmanager
    def precision(self) -> Iterator[None]:
        """Give the calculator the sample's precision, for it sets a global one and leaves it."""
        mpmath: Any = importlib.import_module("mpmath")
        digits, context = mpmath.mp.dps, decimal.getcontext()
        decimal.setcontext(self._decimal)
        mpmath.mp.dps = self._digits
        try:
            yield
        finally:
            self._digits, mpmath.mp.dps = mpmath.mp.dps, digits
            decimal.setcontext(context)

    def _module(self, name: str) -> ModuleType:
        if name == CONSTANTS and not self._long_context:
            return self._code.untouched_constants()
        if name not in self._modules:
            module = ModuleType(f"{PACKAGE}.{name}")
            vars(module)["__builtins__"] = self._builtins
            self._modules[name] = module
            exec(self._code.modules[name], vars(module))
        return self._modules[name]

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: tuple[str, ...] = (),
        level: int = 0,
    ) -> ModuleType:
        package, _, module = name.rpartition(".")
        if package == PACKAGE:
            return self._module(module)
        try:
            return builtins.__import__(name, globals, locals, fromlist, level)
        except ModuleNotFoundError as error:
            raise DataError(
                f"BFCL's backends need {error.name}; run `pip install 'envscaler-eval[bfcl]'`"
            ) from None
