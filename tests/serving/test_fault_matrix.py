"""The fault matrix of the documents is what runs give."""

from pathlib import Path

from tests.serving.fault_matrix import documented, table


def test_the_documented_fault_matrix_is_what_comes_of_each_fault(tmp_path: Path) -> None:
    assert documented() == table(tmp_path), "python -m tests.serving.fault_matrix writes it anew"
