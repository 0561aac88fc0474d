"""Every hostile test runs beside an innocent episode and must leave nothing behind."""

import sys
from collections.abc import Iterator

import pytest

from envscaler_eval.episode import Episode
from envscaler_eval.runtime.isolated import IsolatedRuntime
from tests.hostile.arena import Traces, program, scenario, settled


@pytest.fixture(autouse=True)
def nothing_gets_out() -> Iterator[None]:
    """Hold an innocent episode through the attack; then compare processes and descriptors."""
    if sys.platform != "linux":
        pytest.skip("only Linux has the walls")
    innocent = IsolatedRuntime(program('return {"success": True}'))
    before = Traces.now()
    with Episode(scenario(), innocent) as bystander:
        yield
        assert bystander.call("pay", {}) == '{"success": true}'
        assert bystander.grade().success
    assert settled(before)
