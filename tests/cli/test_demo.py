"""The demonstration."""

from pathlib import Path

from inspect_ai.log import list_eval_logs

from envscaler_eval.pack import find_packs
from tests.cli.commands import Command


def test_the_demonstration_ends_with_a_table_and_the_logs(
    envscaler: Command, tmp_path: Path
) -> None:
    shipped = find_packs()[0].name
    code, output, _ = envscaler("demo", shipped, "--log-dir", tmp_path)
    assert code == 0
    rows = [line.split() for line in output.splitlines() if "conv" in line and "[" in line]
    assert [(row[0], row[1], row[2]) for row in rows] == [
        (policy, mode, "1")
        for policy in ("oracle", "noop", "random")
        for mode in ("non_conv", "conv")
    ]
    rewards = {(row[0], row[1]): float(row[3]) for row in rows}
    for mode in ("non_conv", "conv"):
        assert rewards["oracle", mode] == 1
        assert rewards["noop", mode] == 0
        assert rewards["random", mode] < 0.2
    assert {(row[1], row[-1]) for row in rows} == {("non_conv", "-"), ("conv", "0.000")}
    assert str(tmp_path) in output
    assert "inspect" in output
    assert "view --log-dir" in output
    assert len(list_eval_logs(str(tmp_path))) == 6
