"""Several tests at once."""

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values so that a family errs no more often than one test (Holm 1979).

    Args:
        p_values: The p-values of the family.

    Returns:
        The adjusted ones, in the same order.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted
