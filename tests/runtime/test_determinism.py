"""Time, chance and unique ids inside an environment."""

import datetime
import json
import os
import random
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.environment import Environment
from envscaler_eval.episode import Episode
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.runtime.determinism import Clock
from tests.pack_files import STATE, a_scenario, stock_room, write_pack

NOW = "2026-03-09T08:30:00"


def _world(body: str, header: str = "") -> InProcessRuntime:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    source = f"{header}\n\nclass World:\n    def tell(self) -> dict:\n{lines}\n"
    return InProcessRuntime(
        Environment(
            id="world", title="W", introduction="", rules=(), class_name="World", source=source
        )
    )


def _tell(runtime: InProcessRuntime, calls: int = 1, seed: str = "s#0", now: str = NOW) -> Any:
    session = runtime.start({}, now, seed)
    observation = ""
    for _ in range(calls):
        outcome = session.call("tell", {})
        assert outcome.status == "ok", outcome.observation
        observation = outcome.observation
    return json.loads(observation)


def test_the_clock_starts_at_now_and_advances_with_each_call() -> None:
    runtime = _world("return datetime.datetime.now().isoformat()[:19]", "import datetime")
    assert _tell(runtime, calls=1) == "2026-03-09T08:30:01"
    assert _tell(runtime, calls=5) == "2026-03-09T08:30:05"


@pytest.mark.parametrize(
    ("header", "expression"),
    [
        ("import time", "time.time()"),
        ("import time", "time.time_ns() / 1e9"),
        ("import time", "time.mktime(time.localtime())"),
        ("import time", "time.mktime(time.strptime(time.ctime()))"),
        ("from time import time, monotonic", "monotonic()"),
        ("import time as t", "t.perf_counter()"),
        ("import datetime", "datetime.datetime.now(datetime.timezone.utc).timestamp()"),
        ("from datetime import datetime", "datetime.now().timestamp()"),
        ("from datetime import datetime", "datetime.utcnow().timestamp()"),
        ("from datetime import datetime", "datetime.today().timestamp()"),
        ("import importlib", "__import__('time').time()"),
    ],
)
def test_every_clock_tells_the_scenario_s_time_in_utc(header: str, expression: str) -> None:
    expected = datetime.datetime(2026, 3, 9, 8, 30, 1, tzinfo=datetime.UTC).timestamp()
    assert _tell(_world(f"return {expression}", header)) == pytest.approx(expected, abs=1.1)


def test_the_date_is_the_scenario_s() -> None:
    runtime = _world("return date.today().isoformat()", "from datetime import date")
    assert _tell(runtime) == "2026-03-09"


def test_sleeping_takes_no_time_but_moves_the_clock() -> None:
    body = "time.sleep(86400)\nreturn time.strftime('%Y-%m-%d')"
    started = time.perf_counter()
    assert _tell(_world(body, "import time")) == "2026-03-10"
    assert time.perf_counter() - started < 60


def test_two_readings_of_the_clock_differ() -> None:
    assert _tell(_world("return time.time() < time.time()", "import time")) is True


CHANCE = {
    "random.random()": "import random",
    "random.sample(range(1000), 5)": "import random",
    "random.Random().random()": "import random",
    "random.SystemRandom().randrange(10**9)": "import random",
    "choice(range(10**9))": "from random import choice",
    "str(uuid.uuid4())": "import uuid",
    "str(uuid1())": "from uuid import uuid1",
    "secrets.token_hex(8)": "import secrets",
    "secrets.token_urlsafe()": "import secrets",
    "secrets.randbelow(10**9)": "import secrets",
    "os.urandom(8).hex()": "import os",
}


@pytest.mark.parametrize("expression", CHANCE)
def test_chance_is_fixed_by_the_seed_and_goes_on(expression: str) -> None:
    runtime = _world(f"return {expression}", CHANCE[expression])
    once = _tell(runtime)
    assert _tell(runtime) == once
    assert _tell(runtime, seed="s#1") != once
    assert _tell(runtime, calls=2) != once


def test_a_seed_that_the_program_gives_is_its_own() -> None:
    runtime = _world("return random.Random(7).random()", "import random")
    assert _tell(runtime) == random.Random(7).random()


def test_ids_have_the_form_of_their_kind() -> None:
    runtime = _world("return [str(uuid.uuid4()), str(uuid.uuid1())]", "import uuid")
    four, one = map(uuid.UUID, _tell(runtime))
    assert (four.version, one.version) == (4, 1)
    name = _world("return str(uuid.uuid5(uuid.NAMESPACE_DNS, 'x'))", "import uuid")
    assert _tell(name) == str(uuid.uuid5(uuid.NAMESPACE_DNS, "x"))


def test_moments_from_anywhere_count_as_moments() -> None:
    body = (
        "moment = datetime.fromisoformat('2026-01-01') + timedelta(days=1)\n"
        "return [isinstance(moment, datetime), isinstance(datetime.now(), date),\n"
        "        isinstance(datetime.strptime('2026', '%Y'), datetime),\n"
        "        datetime.now() > moment, isinstance('x', datetime)]"
    )
    header = "from datetime import date, datetime, timedelta"
    assert _tell(_world(body, header)) == [True, True, True, True, False]


def test_the_host_s_modules_are_left_as_they_are() -> None:
    kept = (time.time, datetime.datetime, uuid.uuid4, random.random, os.urandom)
    body = "time.time = None\nrandom.random = None\nreturn random.Random().random() >= 0"
    _tell(_world(body, "import os, random, secrets, time, uuid, datetime"))
    assert (time.time, datetime.datetime, uuid.uuid4, random.random, os.urandom) == kept
    assert abs(time.time() - datetime.datetime.now(datetime.UTC).timestamp()) < 60


def test_sessions_do_not_share_what_they_do_to_their_modules() -> None:
    runtime = _world("random.seed(1)\nreturn random.random()", "import random")
    plain = _world("return random.random()", "import random")
    before = _tell(plain)
    _tell(runtime)
    assert _tell(plain) == before


def test_printing_does_not_reach_the_host(capsys: pytest.CaptureFixture[str]) -> None:
    assert _tell(_world("print('leak')\nreturn 1")) == 1
    assert capsys.readouterr().out == ""


def test_a_moment_given_to_the_clock_is_read_as_utc() -> None:
    assert Clock("1970-01-01T00:00:10").read() == pytest.approx(10, abs=0.01)


SPREAD = '''
import datetime, os, random, secrets, time, uuid


class StockRoom:
    """Everything that could differ between two runs."""

    def __init__(self) -> None:
        self.items = {}
        self.orders = {}
        self.next_order = 1
        self.log = []

    def list_items(self) -> dict:
        """Tell all kinds of chance and time."""
        self.log.append([
            datetime.datetime.now().isoformat(), time.time(), random.random(),
            str(uuid.uuid4()), secrets.token_hex(4), os.urandom(4).hex(),
            sorted({"a", "b", "c"}),
        ])
        return {"success": True, "log": self.log, "hash": random.choice(["x", "y", "z"])}

    def take_item(self, item_id: str, quantity: int) -> dict:
        """Take."""
        return self.list_items()

    def order_item(self, item_id: str, priority: str) -> dict:
        """Order."""
        return self.list_items()
'''
TRACE = """
import json, sys
from pathlib import Path
from envscaler_eval.episode import Episode
from envscaler_eval.pack import read_pack
from envscaler_eval.policies import RandomCalls, play
from envscaler_eval.runtime import InProcessRuntime

for folder in map(Path, sys.argv[1:]):
    pack = read_pack(folder)
    runtime = InProcessRuntime(pack.environment)
    for scenario in pack.scenarios[:3]:
        with Episode(scenario, runtime, seed=3) as episode:
            for call in scenario.solution:
                print(episode.call(call.name, call.arguments))
            play(RandomCalls(episode.tools, 1, calls=10), episode, 10)
            print(json.dumps([[c.name, c.arguments, c.status] for c in episode.calls]))
            print(episode.grade())
"""


def _trace(folders: list[Path], hash_seed: str) -> bytes:
    return subprocess.run(
        [sys.executable, "-c", TRACE, *map(str, folders)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=True,
    ).stdout


def test_two_processes_give_byte_identical_traces(tmp_path: Path) -> None:
    from envscaler_eval.pack import find_packs

    folders = [write_pack(tmp_path, source=SPREAD), *find_packs()[:2]]
    one, other = _trace(folders, "1"), _trace(folders, "2")
    assert len(one) > 1000
    assert one == other


def test_the_seed_of_an_episode_decides_with_the_scenario(tmp_path: Path) -> None:
    scenarios = [a_scenario(id="one"), a_scenario(id="two")]
    pack, runtime, _ = stock_room(tmp_path, source=SPREAD, scenarios=scenarios)

    def told(scenario_id: str, seed: int) -> str:
        with Episode(pack.scenario(scenario_id), runtime, seed) as episode:
            return episode.call("list_items", {})

    assert told("one", 0) == told("one", 0)
    assert len({told("one", 0), told("one", 1), told("two", 0)}) == 3
    assert pack.scenario("one").state == STATE
