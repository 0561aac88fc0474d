"""Playing a policy against an episode without a harness."""

from envscaler_eval.episode import Episode
from envscaler_eval.policies.policy import Policy, View


def play(policy: Policy, episode: Episode, max_steps: int) -> None:
    """Let a policy act until it says something without calling a tool.

    Args:
        policy: The policy.
        episode: The episode; it can be graded afterwards.
        max_steps: How many turns the policy may take.
    """
    observations: list[str] = []
    for step in range(max_steps):
        turn = policy(View(step, (episode.scenario.task,), observations))
        if not turn.calls:
            return
        observations.extend(episode.call(call.name, call.arguments) for call in turn.calls)
