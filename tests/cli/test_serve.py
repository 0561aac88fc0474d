"""`envscaler serve-policy`, as a person starts it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import Command
from tests.pack_files import write_pack
from tests.serving.served import client


def test_the_command_serves_at_the_address_that_it_prints(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("envscaler")), "serve-policy", "oracle"]
    with subprocess.Popen(
        [*command, "--env", str(write_pack(tmp_path))], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        try:
            url = said.split()[-1]
            assert [model.id for model in client(url).models.list()] == ["oracle"]
        finally:
            process.terminate()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["genius"], "there is no policy 'genius' to serve"),
        (["oracle", "--fault", "sloth"], "--fault sloth is unknown"),
        (["oracle", "--env", "nowhere"], "nowhere"),
        (["oracle", "--host", "203.0.113.7"], "cannot serve on 203.0.113.7:0"),
    ],
)
def test_mistakes_end_in_one_line(arguments: list[str], told: str, envscaler: Command) -> None:
    code, _, errors = envscaler("serve-policy", *arguments)
    assert code == 2
    assert told in errors
    assert len(errors.strip().splitlines()) == 1
