"""Several trials of each sample."""

from inspect_ai import Epochs

from envscaler_eval.errors import UsageError


def trial_epochs(trials: int, *, curve: bool = False) -> Epochs:
    """Return epochs that report, with more than one trial, more than the mean.

    Args:
        trials: How often each sample is run.
        curve: Report pass^k for each k from 2 to the number of trials, instead
            of pass@k and pass^k for all trials together.

    Raises:
        UsageError: There is to be no trial.
    """
    if trials < 1:
        raise UsageError(f"trials is {trials}; use 1 or more")
    if trials == 1:
        return Epochs(1)
    if curve:
        return Epochs(trials, ["mean", *(f"pass_k_{k}" for k in range(2, trials + 1))])
    return Epochs(trials, ["mean", f"pass_at_{trials}", f"pass_k_{trials}"])
