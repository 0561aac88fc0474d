"""How long texts are, in characters by kind, and what that makes in tokens."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from envscaler_eval.scenario import ToolCall
from envscaler_eval.world import ToolSpec

# Characters a token, measured with OpenAI's `o200k_base` on the prompts, tool schemas,
# observations and calls of the library's 90 reference solutions (`cl100k_base`: the same to 0.1).
_PROSE = 4.5
_SCHEMA = 3.9
_DATA = 2.7


@dataclass(frozen=True)
class Size:
    """The length of texts.

    Attributes:
        prose: Characters of prompts and messages.
        schema: Characters of tools, as JSON.
        data: Characters of calls and observations.
    """

    prose: int = 0
    schema: int = 0
    data: int = 0

    def __add__(self, other: "Size") -> "Size":
        """Return the size of both texts."""
        return Size(self.prose + other.prose, self.schema + other.schema, self.data + other.data)

    @property
    def characters(self) -> int:
        """All characters."""
        return self.prose + self.schema + self.data

    @property
    def tokens(self) -> float:
        """About how many tokens that makes."""
        return self.prose / _PROSE + self.schema / _SCHEMA + self.data / _DATA


def size_of_tools(tools: Sequence[ToolSpec]) -> Size:
    """Return the size of tools as Inspect sends them in the form of chat completions."""
    from inspect_ai.tool import ToolParams

    functions = [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": ToolParams.model_validate(tool.parameters).model_dump(
                    exclude_none=True
                ),
            },
        }
        for tool in tools
    ]
    return Size(schema=len(json.dumps(functions, ensure_ascii=False)))


def size_of_calls(calls: Sequence[ToolCall]) -> Size:
    """Return the size of calls: their names, and their arguments as JSON."""
    return Size(data=sum(len(call.name) + len(json.dumps(call.arguments)) for call in calls))
