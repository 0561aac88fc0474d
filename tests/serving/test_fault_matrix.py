"""The fault matrix of the documents is what runs give, and all that is served is explained."""

from pathlib import Path

import pytest

from envscaler_eval.serving import FAULTS, PLAYERS
from tests.serving.fault_matrix import BEGIN, DOCS, documented, table


def test_the_documented_fault_matrix_is_what_comes_of_each_fault(tmp_path: Path) -> None:
    assert documented() == table(tmp_path), "python -m tests.serving.fault_matrix writes it anew"


@pytest.mark.parametrize("name", [*FAULTS, *PLAYERS])
def test_every_fault_and_every_policy_is_explained(name: str) -> None:
    explained = DOCS.read_text(encoding="utf-8").partition(BEGIN)[0]
    assert f"`{name}`" in explained
