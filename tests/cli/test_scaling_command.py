"""The commands about the number of environments."""

from collections import Counter
from pathlib import Path

import pytest

from envscaler_eval.results.manifest import read_manifest
from tests.cli.commands import Command
from tests.pack_files import write_pack


def test_the_command_writes_nested_manifests(envscaler: Command, tmp_path: Path) -> None:
    for n in range(6):
        write_pack(tmp_path / "packs", f"room_{n}", domain=f"domain {n % 2}")
    code, output, _ = envscaler(
        "scaling",
        "plan",
        tmp_path / "packs",
        "--sizes",
        "4,0,2",
        "--seed",
        7,
        "--out",
        tmp_path / "plan",
    )
    assert code == 0
    manifests = [
        read_manifest(tmp_path / "plan" / f"environments-00{size}.yaml") for size in (0, 2, 4)
    ]
    ids = [[chosen.id for chosen in manifest.environments] for manifest in manifests]
    assert [len(part) for part in ids] == [0, 2, 4]
    assert ids[2][:2] == ids[1]
    for manifest in manifests[1:]:
        domains = Counter(chosen.domain for chosen in manifest.environments)
        assert len(set(domains.values())) == 1
    assert manifests[1].made == {"seed": 7, "of": 6, "stratified_by": "domain"}
    assert "domain 0 2, domain 1 2" in output


@pytest.mark.parametrize(("sizes", "told"), [("2,x", "sizes is '2,x'"), ("9", "of 1;")])
def test_sizes_that_make_no_sense_are_told(
    envscaler: Command, tmp_path: Path, sizes: str, told: str
) -> None:
    code, _, errors = envscaler("scaling", "plan", write_pack(tmp_path), "--sizes", sizes)
    assert code == 2
    assert told in errors
