"""Plans are nested and hold each domain's share at every size."""

from collections import Counter
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_eval.errors import UsageError
from envscaler_eval.results.scaling.plan import nested_order, plan_sizes

SIZES_OF_DOMAINS = st.lists(st.integers(1, 30), min_size=1, max_size=12)


def _domains(sizes: list[int]) -> dict[str, str]:
    return {f"env_{d}_{e}": f"domain_{d}" for d, size in enumerate(sizes) for e in range(size)}


@given(SIZES_OF_DOMAINS, st.integers(0, 5))
def test_every_first_part_holds_the_share_of_each_domain(sizes: list[int], seed: int) -> None:
    domains = _domains(sizes)
    order = nested_order(domains, seed)
    assert sorted(order) == sorted(domains)
    taken: Counter[str] = Counter()
    for size, env in enumerate(order, start=1):
        taken[domains[env]] += 1
        for domain, of_all in Counter(domains.values()).items():
            share = size * of_all / len(domains)
            assert floor(share + 1e-9) <= taken[domain] <= ceil(share - 1e-9)


def test_the_seed_fixes_the_order() -> None:
    domains = _domains([5, 9, 4])
    assert nested_order(domains, 1) == nested_order(dict(reversed(domains.items())), 1)
    assert nested_order(domains, 1) != nested_order(domains, 2)


def test_the_order_of_191_environments_is_quick_and_whole() -> None:
    domains = {f"env_{n}": f"domain_{n % 40}" for n in range(191)}
    assert len(set(nested_order(domains, 0))) == 191


def test_by_default_the_sizes_are_the_paper_s_as_far_as_they_go() -> None:
    assert plan_sizes([], 141) == [0, 20, 50, 100, 141]
    assert plan_sizes([], 60) == [0, 20, 50, 60]
    assert plan_sizes([30, 10], 60) == [10, 30]


@pytest.mark.parametrize("size", [-1, 61])
def test_a_size_that_cannot_be_had_is_refused(size: int) -> None:
    with pytest.raises(UsageError, match="cannot be had of 60"):
        plan_sizes([size], 60)
