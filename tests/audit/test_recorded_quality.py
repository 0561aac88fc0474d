"""What packs say of their quality is what was measured on them as they are."""

from pathlib import Path

import pytest

from envscaler_eval.audit import audited_hash
from envscaler_eval.pack import find_packs, read_pack


@pytest.mark.parametrize("folder", find_packs(), ids=lambda folder: folder.name)
def test_each_shipped_pack_records_a_current_audit_that_it_passed(folder: Path) -> None:
    pack = read_pack(folder)
    quality = pack.info.quality
    assert quality, f"{folder.name} has no audit; run `envscaler audit {folder.name} --record`"
    assert quality["audited"] == audited_hash(pack), (
        f"{folder.name} has changed since its audit; run `envscaler audit {folder.name} --record`"
    )
    assert quality["passed"]
    assert quality["scenarios"] == len(pack.scenarios)
    assert quality["oracle"] == quality["determinism"] == 1.0
    assert quality["random_reward"]["mean"] < 0.05
