"""How often each sample is run, and how its runs are put together."""

from inspect_ai import Epochs

from envscaler_eval.errors import UsageError


def epochs(trials: int) -> Epochs:
    """Return epochs that report the mean and, of several trials, pass@k and pass^k.

    Raises:
        UsageError: There is to be no trial.
    """
    if trials < 1:
        raise UsageError(f"trials is {trials}; use 1 or more")
    if trials == 1:
        return Epochs(1)
    return Epochs(trials, ["mean", f"pass_at_{trials}", f"pass_k_{trials}"])
