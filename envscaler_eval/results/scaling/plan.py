"""Nested sets of environments, for training on more and more of them."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from envscaler_eval.errors import UsageError

PAPER_SIZES = (0, 20, 50, 100, 141)
"""The numbers of environments that the EnvScaler paper trains on."""


def nested_order(domains: Mapping[str, str], seed: int) -> list[str]:
    """Order environments so that each first part of the order has its share of every domain.

    The first n environments hold n times the share of a domain in all of them, rounded
    up or down, for every n. So any sizes give nested sets, and a size that is added later
    fits in between. The order of domains is Tijdeman's solution of the chairman assignment
    problem (Discrete Mathematics 32, 1980); largest remainders alone would not nest.

    Args:
        domains: Environment -> domain.
        seed: Fixes which environments of a domain come first, and ties of domains.

    Returns:
        All environments.
    """
    chance = random.Random(seed)
    waiting: dict[str, list[str]] = {}
    for env in sorted(domains):
        waiting.setdefault(domains[env], []).append(env)
    for envs in waiting.values():
        chance.shuffle(envs)
    names = sorted(waiting)
    chance.shuffle(names)
    total = len(domains)
    share = {name: Fraction(len(waiting[name]), total) for name in names}
    # Tijdeman's bound on how far a domain may be from its share.
    bound = 1 - Fraction(1, 2 * len(names) - 2) if len(names) > 1 else Fraction(1)
    taken: Counter[str] = Counter()
    order = []
    for size in range(1, total + 1):
        due = [name for name in names if size * share[name] - taken[name] >= 1 - bound]
        most_urgent = min(due, key=lambda name: (taken[name] + bound) / share[name])
        order.append(waiting[most_urgent][taken[most_urgent]])
        taken[most_urgent] += 1
    return order


def parse_sizes(text: str | None) -> list[int]:
    """Return the sizes in a comma-separated list; none for no text.

    Raises:
        UsageError: One is no whole number.
    """
    try:
        return [int(size) for size in text.split(",")] if text else []
    except ValueError:
        raise UsageError(f"sizes is '{text}'; use numbers such as 0,20,50") from None


def plan_sizes(wanted: Sequence[int], available: int) -> list[int]:
    """Return the sizes of a plan in order.

    Args:
        wanted: The sizes; by default those of the paper that can be had, and all.
        available: How many environments there are.

    Raises:
        UsageError: A size cannot be had.
    """
    sizes = wanted or [size for size in PAPER_SIZES if size < available] + [available]
    for size in sizes:
        if not 0 <= size <= available:
            raise UsageError(
                f"a set of {size} environments cannot be had of {available}; "
                f"use sizes from 0 to {available}, or name more packs"
            )
    return sorted(set(sizes))
