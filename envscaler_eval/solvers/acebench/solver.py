"""The dialogue between agent, simulated user and world."""

from functools import partial

from inspect_ai.model import GenerateConfig, Model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from envscaler_eval.benchmarks.acebench.data import data_hash
from envscaler_eval.benchmarks.acebench.dialogues import Said, result_hash
from envscaler_eval.benchmarks.acebench.official import MultiStepDialogue
from envscaler_eval.benchmarks.acebench.paper import PaperDialogue
from envscaler_eval.solvers.acebench.official import OfficialAgent, as_chat
from envscaler_eval.solvers.acebench.paper import PaperAgent
from envscaler_eval.solvers.acebench.record import DialogueRecord, write_record
from envscaler_eval.solvers.acebench.start import LiveDialogue, require_dialogue
from envscaler_eval.solvers.ending import EpisodeEnded, ending
from envscaler_eval.solvers.record import EndedBy
from envscaler_eval.solvers.simulated_user import UserFault, usable_reply, user_model

# `APIModel_user.py` upstream, and EnvScaler's `acebench_env/utils/user_agent.py`.
_USER_SAMPLING = GenerateConfig(temperature=0.001)


@solver
def acebench_dialogue() -> Solver:
    """Hold the sample's dialogue to its end.

    In multi_turn tasks the user is the model bound to the role `user`, which must
    be bound. Its temperature is 0.001 where the role sets none.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        live = require_dialogue()
        state.messages = [] if live.dialogue.turn == "user" else state.messages
        agent: OfficialAgent | PaperAgent = (
            PaperAgent(state, live, live.dialogue)
            if isinstance(live.dialogue, PaperDialogue)
            else OfficialAgent(state, live, live.dialogue)
        )
        user = user_model(live.name, _USER_SAMPLING) if live.dialogue.turn == "user" else None
        async with ending(partial(_finish, state, live)):
            while live.dialogue.turn is not None:
                if live.dialogue.turn == "agent":
                    await agent.act()
                elif user is not None:
                    agent.hear(await _user_speaks(user, live))
            assert live.dialogue.ended_by is not None
            raise EpisodeEnded(live.dialogue.ended_by)
        return state

    return solve


async def _user_speaks(user: Model, live: LiveDialogue) -> str:
    assert not isinstance(live.dialogue, MultiStepDialogue)
    try:
        output = await usable_reply(user, as_chat(live.dialogue.user_prompt()))
    except UserFault:
        raise EpisodeEnded("user_fault") from None
    live.tell(Said(by="user", text=output.completion))
    return output.completion


def _finish(state: TaskState, live: LiveDialogue, ended_by: EndedBy) -> None:
    write_record(
        state,
        DialogueRecord(
            protocol="paper" if isinstance(live.dialogue, PaperDialogue) else "official",
            data=data_hash(),
            ended_by=ended_by,
            said=live.said,
            result=result_hash(live.dialogue.result()),
        ),
    )
