"""The agents that call tools in plain text: `react` and `act`.

Their system prompt lists the tools, and they answer with a line `Action:` and a
JSON object. What a tool returns comes back as a message of the user.

Source: `tau_bench/agents/chat_react_agent.py`.
"""

import json

from envscaler_eval.benchmarks.tau_bench.dataset import Call, Domain
from envscaler_eval.benchmarks.tau_bench.protocol import RESPOND, AgentFault


def system_prompt(domain: Domain, *, thoughts: bool) -> str:
    """Return the system prompt: policy, tools and instruction.

    Args:
        domain: The domain.
        thoughts: Whether the agent is told to think first (`react`) or not
            (`act`).

    Returns:
        The prompt.
    """
    instruction = domain.prompts["agent_REACT_INSTRUCTION" if thoughts else "agent_ACT_INSTRUCTION"]
    return f"{domain.policy}\n#Available tools\n{json.dumps(domain.tool_schemas)}{instruction}"


def parsed_action(text: str) -> Call:
    """Read the agent's action.

    Args:
        text: What the model wrote.

    Returns:
        The call after the last `Action:`. If that is not JSON, all of it is a
        reply to the user, a call of `respond`.

    Raises:
        AgentFault: It is JSON, but not an object with a name and arguments.
    """
    action = text.split("Action:")[-1].strip()
    try:
        parsed = json.loads(action)
    except json.JSONDecodeError:
        return Call(RESPOND, {"content": action})
    if isinstance(parsed, dict):
        name, arguments = parsed.get("name"), parsed.get("arguments")
        if isinstance(name, str) and isinstance(arguments, dict):
            return Call(name, arguments)
    raise AgentFault(f"not an action with a name and arguments: {action:.200}")


def observation_message(name: str, observation: str) -> str:
    """Return the message of role `user` that tells the agent what came of an action."""
    return observation if name == RESPOND else f"API output: {observation}"
