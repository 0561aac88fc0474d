"""Each wall holds alone: what one of them refuses without the help of the others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from envscaler_eval.runtime.isolated import shared_server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the walls")

TRIAL = """
from envscaler_eval.runtime.confined import kernel, landlock, namespaces, seccomp
from envscaler_eval.runtime.confined.confinement import denied_here

kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
{wall}
print(*denied_here())
"""


def refused_by(wall: str) -> set[str]:
    """What a process behind one wall may not do."""
    trial = subprocess.run(
        [sys.executable, "-c", TRIAL.format(wall=wall)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(trial.stdout.split())


def test_without_walls_nothing_is_refused() -> None:
    assert "files" not in refused_by("")
    assert "processes" not in refused_by("")


def test_seccomp_alone_refuses_everything() -> None:
    if not shared_server().get().walls.seccomp:
        pytest.skip("no seccomp here")
    wall = "seccomp.install(seccomp.filter_of('compute'))"
    assert refused_by(wall) == {"files", "network", "processes", "signals"}


def test_seccomp_for_files_still_refuses_network_processes_and_signals() -> None:
    if not shared_server().get().walls.seccomp:
        pytest.skip("no seccomp here")
    wall = "seccomp.install(seccomp.filter_of('files'))"
    assert refused_by(wall) == {"network", "processes", "signals"}


def test_landlock_alone_refuses_files_and_signals() -> None:
    abi = shared_server().get().walls.landlock_abi
    if not abi:
        pytest.skip("no Landlock here")
    expected = {"files", "signals"} if abi >= 6 else {"files"}
    assert refused_by("landlock.restrict(landlock.abi())") >= expected


@pytest.mark.parametrize("abi", [1, 2, 3, 4, 5, 6])
def test_older_versions_of_landlock_refuse_files_too(abi: int) -> None:
    if shared_server().get().walls.landlock_abi < abi:
        pytest.skip("an older kernel")
    assert "files" in refused_by(f"landlock.restrict({abi})")


def test_a_namespace_alone_refuses_the_network() -> None:
    if "network" not in shared_server().get().walls.namespaces:
        pytest.skip("no namespaces here")
    assert "network" in refused_by("namespaces.enter()")
