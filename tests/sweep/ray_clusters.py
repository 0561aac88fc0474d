"""Several raylets on this machine, as if they were several machines."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_MEMORY = 100 * 2**20


@contextmanager
def cluster(nodes: int) -> Iterator[tuple[Any, list[Any]]]:
    """Give a Ray cluster whose nodes have one logical CPU each, and its worker nodes.

    The node that drives has none, so that all work is on nodes that can be lost. Each has
    a loopback address of its own: of 127.0.0.1 Ray makes the address of the network.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    from ray.cluster_utils import Cluster

    common: dict[str, Any] = {"object_store_memory": _MEMORY, "include_dashboard": False}
    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "node_ip_address": "127.0.0.2"} | common,
    )
    try:
        workers = [
            made.add_node(num_cpus=1, node_ip_address=f"127.0.0.{3 + place}", **common)
            for place in range(nodes)
        ]
        ray.init(address=made.address, log_to_driver=False, _node_ip_address="127.0.0.2")
        yield made, workers
    finally:
        ray.shutdown()
        made.shutdown()
