"""What agents and simulated users are told."""

from envscaler_eval.environment import Environment
from envscaler_eval.policies import DONE, STOP
from envscaler_eval.scenario import Scenario
from envscaler_eval.solvers.protocol import Mode, Protocol
from envscaler_eval.solvers.user_strategies import REACT_FORM, UserStrategy

_ROLE = {
    "non_conv": (
        "You work on a task in the system described below, through its tools. There is nobody to "
        "ask: find out what you need with the tools."
    ),
    "conv": (
        "You serve a user of the system described below, through its tools. Ask the user for what "
        "only they can know; find out the rest with the tools. Do not act on guesses."
    ),
}
_CONDUCT = (
    "- Look things up before you change them, and use identifiers exactly as the system shows "
    "them.\n"
    "- Do what was asked and change nothing else.\n"
    "- Where a rule forbids part of the task, leave that part undone and do the rest."
)
_ENDING = {
    "non_conv": (
        f"- When all is done, reply with the words '{DONE}' and call no tool. Such a reply ends "
        "your work, so give none before."
    ),
    "conv": "- When all is done, tell the user what you did and what you could not do, and why.",
}
PAPER_CONDUCT: dict[Mode, str] = {
    "non_conv": (
        "Complete the task step by step. Call one tool in each step. Query before you modify. "
        f"When the task is complete, reply with only '{DONE}'."
    ),
    "conv": (
        "Help the user step by step. Call one tool in each step. Query before you modify. Ask the "
        "user when information is missing. Never call a tool and talk to the user in one step. "
        "When a request is complete, report it and ask whether there is more to do."
    ),
}
GREETING = "Hi! How can I help you today?"
"""What opens a conversation, before the user speaks (EnvScaler, `user_agent.py`)."""


def system_prompt(environment: Environment, now: str, mode: Mode, protocol: Protocol) -> str:
    """Return what the agent is told before it sees the task.

    Args:
        environment: The environment.
        now: The scenario's date and time.
        mode: With or without a user to talk to.
        protocol: Whose wording and which conduct.
    """
    rules = "\n".join(f"- {rule}" for rule in environment.rules)
    if protocol.name == "paper":
        return f"{PAPER_CONDUCT[mode]}\n\n{environment.introduction}\n\nRules:\n{rules}"
    return (
        f"{_ROLE[mode]}\n\n# System\n{environment.introduction}\n\n# Rules of the system\n{rules}"
        f"\n\n# Conduct\n{_CONDUCT}\n{_ENDING[mode]}\n\nIt is now {now} (UTC)."
    )


def user_prompt(scenario: Scenario, strategy: UserStrategy) -> str:
    """Return what the simulated user is told.

    Args:
        scenario: What it wants.
        strategy: The form of its messages.
    """
    persona = scenario.user.persona or "An ordinary user of the system."
    held_back = "".join(f"\n- {fact}" for fact in scenario.user.held_back)
    reserve = (
        f"\n\nDo not volunteer these facts; give them when they are asked for, or at the latest "
        f"when the assistant believes it is done without them:{held_back}"
        if held_back
        else ""
    )
    return (
        "You play a user who talks to an assistant. Your messages are read by the assistant as "
        f"they are.\n\n# Who you are\n{persona}\n\n# What you want\n{scenario.task}{reserve}\n\n"
        "# How to play\n"
        "- Begin with the heart of your request and tell the rest piece by piece, one or two "
        "facts a message, in your own words. Never send the whole request at once.\n"
        "- Keep names, numbers, dates and identifiers exactly as they stand above.\n"
        "- Add nothing: what is not above, you do not know. Say so when you are asked for it, "
        "and leave choices that you have no wish about to the assistant.\n"
        "- You see only the conversation. Do not do the assistant's work and do not suggest "
        "how to do it.\n"
        "- Do not stop while anything above is still untold, or before the assistant has reported "
        "the outcome of all of it: done, or refused with a reason.\n"
        f"- Then reply with {STOP} and nothing else. Do not thank or chat first."
        + (REACT_FORM if strategy == "llm_react" else "")
    )
