"""Playing a policy by requests alone: each tells the whole conversation so far."""

from collections.abc import Sequence
from typing import Literal, get_args

from envscaler_eval.errors import UsageError
from envscaler_eval.pack import Pack
from envscaler_eval.policies import Policy, RandomCalls, Turn, View, noop, oracle, scripted_user
from envscaler_eval.serving.conversation import BadRequest, Conversation, Moment
from envscaler_eval.serving.fault_plan import FaultPlan
from envscaler_eval.serving.faults import ContentFault, Occasion, loses_the_turn
from envscaler_eval.serving.recognition import ScenarioIndex
from envscaler_eval.serving.reply import Reply, reply_of

PlayerName = Literal["oracle", "noop", "random", "scripted"]

PLAYERS: tuple[PlayerName, ...] = get_args(PlayerName)
"""The policies that can be served; `scripted` is the user without a model."""

_REPLY = "# Reply:"
"""What precedes the spoken part of a user's message (EnvScaler, `user_agent.py`)."""


class Player:
    """Takes a policy's next turn in any conversation, well or with a fault.

    It keeps nothing between requests. Where the policy's script stands follows
    from replaying the replies that the conversation holds: the same beginning
    always had the same reply, with the same fault.

    Attributes:
        name: The policy's name.
        plan: When it misbehaves.
    """

    def __init__(
        self, name: str, packs: Sequence[Pack], plan: FaultPlan | None = None, seed: int = 0
    ) -> None:
        """Prepare to play.

        Args:
            name: One of `PLAYERS`.
            packs: The packs whose scenarios can be recognised.
            plan: When the player misbehaves; never by default.
            seed: Fixes the choices of `random`.

        Raises:
            UsageError: There is no such player.
        """
        if name not in PLAYERS:
            raise UsageError(f"there is no policy '{name}' to serve; use {', '.join(PLAYERS)}")
        self.name = name
        self._index = ScenarioIndex(packs)
        self.plan = plan or FaultPlan()
        self._seed = seed

    def reply(self, conversation: Conversation) -> tuple[Reply, ContentFault | None]:
        """Return the next reply, and what is wrong with it.

        Raises:
            BadRequest: The conversation does not tell what the policy needs.
            UsageError: The scenario has no solution that the oracle could play.
        """
        policy = self._policy(conversation)
        *earlier, now = conversation.moments
        step = len(earlier)
        done: set[ContentFault] = set()
        if self.plan.spoils_replies:
            step = 0
            for moment in earlier:
                _, fault = self._turn(policy, conversation, moment, step, done)
                step += _advance(moment, fault)
                done |= {fault} if fault else set()
        turn, fault = self._turn(policy, conversation, now, step, done)
        return reply_of(turn, fault, len(earlier), conversation.native), fault

    def _policy(self, conversation: Conversation) -> Policy:
        match self.name:
            case "noop":
                return noop()
            case "random":
                if not conversation.tools:
                    raise BadRequest("the policy random draws from tools; the request has none")
                opening = conversation.moments[0].digest
                return RandomCalls(conversation.tools, f"{opening}#{self._seed}")
            case "scripted":
                user = scripted_user(self._index.find(conversation).scenario)
                return _thinking_aloud(user) if _REPLY in conversation.prompt else user
            case _:
                found = self._index.find(conversation)
                return oracle(found.scenario, "non_conv" if found.whole else "conv")

    def _turn(
        self,
        policy: Policy,
        conversation: Conversation,
        moment: Moment,
        step: int,
        done: set[ContentFault],
    ) -> tuple[Turn, ContentFault | None]:
        turn = policy(moment.view(step))
        if not self.plan.spoils_replies:
            return turn, None
        following = policy(moment.view(step + 1))
        occasion = Occasion(turn, following, conversation.native)
        fault = self.plan.of_reply(moment.digest, occasion, done)
        if fault == "several_calls":
            turn = Turn(turn.text, turn.calls + following.calls)
        return turn, fault


def _thinking_aloud(user: Policy) -> Policy:
    """Return a user in the form that some prompts want: a thought, and then what is said."""

    def next_turn(view: View) -> Turn:
        return Turn(f"# Thought:\nI go on as I was told.\n{_REPLY}\n{user(view).text}")

    return next_turn


def _advance(moment: Moment, fault: ContentFault | None) -> int:
    """Return how many turns of its script a policy took with a reply."""
    if loses_the_turn(fault):
        return 0
    if fault == "several_calls" and moment.kept is not None:
        # A client may keep but the first of several calls.
        return moment.kept.calls
    return 1
