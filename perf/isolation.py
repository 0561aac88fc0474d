"""What isolation costs, as one JSON object.

Run it alone on a quiet machine: `python perf/isolation.py [--episodes 10000]`.
Times are in milliseconds. The soak is the larger part of its time.
"""

import argparse
import gc
import json
import os
import platform
import socket
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from envscaler_eval.environment import Environment
from envscaler_eval.episode import Episode
from envscaler_eval.runtime import InProcessRuntime, Runtime
from envscaler_eval.runtime.isolated import IsolatedRuntime, shared_server
from envscaler_eval.scenario import Check, Scenario, ToolCall

SOURCE = '''
class Shop:
    """A shop."""

    def __init__(self, init_config: dict):
        self.orders = {}

    def pay(self, order_id: str, amount: int) -> dict:
        """Pay for an order."""
        order = self.orders.get(order_id)
        if order is None:
            return {"success": False, "error": "no such order"}
        order["paid"] += amount
        return {"success": True, "order": order}
'''
SHOP = Environment(id="shop", title="", introduction="", rules=(), class_name="Shop", source=SOURCE)
CALLS = 10
TOOL = "pay"
PAYMENT = {"order_id": "o1", "amount": 1}
TARGETS = {"call_p50": 0.15, "start_p50": 8.0, "live_1000_pss_gb": 2.5}


def scenario(orders: int) -> Scenario:
    """A scenario over so many orders, with four checks."""
    code = "def check(initial, final):\n    return final['orders']['o1']['paid'] == {}\n"
    checks = [Check(about=f"paid {n}", kind="goal", code=code.format(n)) for n in (CALLS, 1, 2, 3)]
    return Scenario(
        id="pay",
        env="shop",
        state={"orders": {f"o{n}": {"paid": 0, "items": [1, 2], "to": "x"} for n in range(orders)}},
        now="2026-03-09T08:30:00",
        task="Pay.",
        checks=tuple(checks),
        solution=(ToolCall(name="pay", arguments={"order_id": "o1", "amount": CALLS}),),
    )


SMALL = scenario(10)


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Percentiles in milliseconds."""
    cuts = statistics.quantiles(seconds, n=100)
    return {f"p{p}": round(cuts[p - 1] * 1000, 3) for p in (5, 50, 95)}


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """How long something takes, and what it gives."""
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


def latencies(runtime: Runtime, count: int) -> dict[str, Any]:
    """The parts of an episode, one at a time."""
    starts, calls, grades, closes = [], [], [], []
    for _ in range(count):
        seconds, episode = timed(lambda: Episode(SMALL, runtime))
        starts.append(seconds)
        for _ in range(CALLS):
            calls.append(timed(partial(episode.call, "pay", PAYMENT))[0])
        grades.append(timed(episode.grade)[0])
        closes.append(timed(episode.close)[0])
    with Episode(SMALL, runtime) as episode:
        steady = [timed(partial(episode.call, "pay", PAYMENT))[0] for _ in range(20 * count)]
    return {
        "start": spread(starts),
        "call": spread(steady),
        "call_in_fresh_episodes": spread(calls),
        "grade_of_4_checks": spread(grades),
        "close": spread(closes),
    }


def bare_round_trips(count: int) -> dict[str, float]:
    """Two processes that hand each other a few bytes: what no isolation can undercut."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        while said := theirs.recv(4096):
            theirs.send(said)
        os._exit(0)
    theirs.close()

    def round_trip() -> None:
        ours.send(b"x" * 100)
        ours.recv(4096)

    seconds = [timed(round_trip)[0] for _ in range(count)]
    ours.close()
    os.waitpid(child, 0)
    return spread(seconds)


def play(runtime: Runtime) -> None:
    """One whole episode."""
    with Episode(SMALL, runtime) as episode:
        for _ in range(CALLS):
            episode.call("pay", PAYMENT)
        episode.grade()


def play_plainly() -> None:
    """The same without this package: exec, getattr, exec of each check."""
    namespace: dict[str, Any] = {}
    exec(SOURCE, namespace)
    shop = namespace["Shop"]({})
    initial = json.loads(json.dumps(SMALL.state))
    for key, value in json.loads(json.dumps(SMALL.state)).items():
        setattr(shop, key, value)
    for _ in range(CALLS):
        json.dumps(getattr(shop, TOOL)(**PAYMENT))
    for check in SMALL.checks:
        scope: dict[str, Any] = {}
        exec(check.code, scope)
        scope["check"](initial, vars(shop))


def throughput(action: Callable[[], None], seconds: float, threads: int) -> float:
    """Episodes a second with so many threads."""
    end = time.perf_counter() + seconds

    def work(_: int) -> int:
        done = 0
        while time.perf_counter() < end:
            action()
            done += 1
        return done

    with ThreadPoolExecutor(threads) as pool:
        return round(sum(pool.map(work, range(threads))) / seconds, 1)


def children(pid: int) -> list[str]:
    """The processes that a process has not yet reaped."""
    return Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()


def pss(pid: int | str) -> int:
    """The share of memory of a process, in KiB."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def live(runtime: Runtime, count: int) -> dict[str, float]:
    """The memory of many episodes that live at once, each after some calls."""
    episodes = [Episode(SMALL, runtime) for _ in range(count)]
    for episode in episodes:
        episode.call("pay", PAYMENT)
    server = shared_server().get().pid
    processes: list[int | str] = [server, *children(server)]
    total = sum(map(pss, processes))
    for episode in episodes:
        episode.close()
    return {
        "episodes": count,
        "pss_gb": round(total / 2**20, 3),
        "mb_each": round(total / count / 1024, 2),
    }


def footprint() -> dict[str, int]:
    """What must not grow."""
    gc.collect()
    server = shared_server().get()
    while len(children(server.pid)) > 0:
        server.drop(0)
    return {
        "descriptors": len(os.listdir("/proc/self/fd")),
        "server_descriptors": len(os.listdir(f"/proc/{server.pid}/fd")),
        "processes": len(children(server.pid)),
        "host_kib": pss(os.getpid()),
        "server_kib": pss(server.pid),
    }


def soak(runtime: Runtime, episodes: int) -> dict[str, Any]:
    """Many episodes one after another, some of them graded."""

    def some(count: int) -> None:
        for number in range(count):
            with Episode(SMALL, runtime) as episode:
                episode.call("pay", PAYMENT)
                if number % 10 == 0:
                    episode.grade()

    some(max(100, episodes // 20))
    before = footprint()
    seconds, _ = timed(lambda: some(episodes))
    after = footprint()
    return {
        "episodes": episodes,
        "seconds": round(seconds, 1),
        "growth": {name: after[name] - before[name] for name in before},
    }


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=10_000, help="of the soak")
    parser.add_argument("--live", type=int, default=1000, help="episodes that live at once")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each throughput")
    arguments = parser.parse_args()
    isolated, in_process = IsolatedRuntime(SHOP), InProcessRuntime(SHOP)
    server_seconds, server = timed(shared_server().get)
    for runtime in (isolated, in_process):
        play(runtime)
    measured: dict[str, Any] = {
        "machine": {
            "system": server.walls.system,
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
            "protections": server.walls.summary,
        },
        "bare_round_trip": bare_round_trips(5000),
        "fork_server_start": round(server_seconds * 1000, 1),
        "isolated": latencies(isolated, 200),
        "in_process": latencies(in_process, 200),
        "live": live(isolated, arguments.live),
        "episodes_per_second": {
            f"isolated, {threads} threads": throughput(
                lambda: play(isolated), arguments.seconds, threads
            )
            for threads in (1, 2, 4)
        }
        | {
            "in process": throughput(lambda: play(in_process), arguments.seconds, 1),
            "plain exec": throughput(play_plainly, arguments.seconds, 1),
        },
        "soak": soak(isolated, arguments.episodes),
    }
    measured["load_at_end"] = os.getloadavg()[0]
    measured["targets"] = TARGETS
    measured["met"] = {
        "call_p50": measured["isolated"]["call"]["p50"] <= TARGETS["call_p50"],
        "start_p50": measured["isolated"]["start"]["p50"] <= TARGETS["start_p50"],
        "live_1000_pss_gb": measured["live"]["mb_each"] / 1.024 <= TARGETS["live_1000_pss_gb"],
    }
    print(json.dumps(measured, indent=2))


if __name__ == "__main__":
    main()
