"""A chat loop in the worker's own process.

The harnesses that ship with verifiers start a program for each segment of a
rollout. Environments here need no files and no shell, so that hundreds of rollouts
can share one event loop. Others can be chosen with `--env.agent.harness.id`.
"""

import json
import ssl
from contextlib import AsyncExitStack
from functools import cache
from typing import Any, ClassVar

import httpx
import verifiers.v1 as vf
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.harnesses.utils.compaction import CONTEXT_OVERFLOW_MARKERS
from verifiers.v1.harnesses.utils.mcp import call_mcp, connect_mcp

# Hundreds of rollouts that begin together find one tool server.
_CONNECT_SECONDS = 120.0


class ChatHarnessConfig(vf.HarnessConfig):
    """Nothing beyond what all harnesses have."""


class ChatHarness(vf.Harness[ChatHarnessConfig]):
    """Generates, makes the calls, and goes on until the model calls no tool."""

    APPENDS_SYSTEM_PROMPT: ClassVar[bool] = True
    SUPPORTS_MCP: ClassVar[bool] = True
    SUPPORTS_RESUME: ClassVar[bool] = True
    EXECUTES_CODE: ClassVar[bool] = False
    NEEDS_CONTAINER: ClassVar[bool] = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Run one segment; see `Harness.launch`."""
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system}] if system else []
        if isinstance(prompt, str):
            messages.append({"role": "user", "content": prompt})
        else:
            messages.extend(map(message_to_wire, prompt or []))
        servers = {
            name: {"url": url, "connect_timeout": _CONNECT_SECONDS}
            for name, url in mcp_urls.items()
        }
        async with AsyncExitStack() as stack:
            tools, dispatch, live = await connect_mcp({"mcpServers": servers}, stack)
            client = await stack.enter_async_context(
                httpx.AsyncClient(
                    base_url=endpoint,
                    headers={"Authorization": f"Bearer {secret}"},
                    timeout=None,
                    verify=_certificates(),
                )
            )
            while True:
                body = {"model": ctx.model, "messages": messages, "tools": tools}
                response = await client.post("/chat/completions", json=body)
                if response.is_error:
                    if _is_overflow(response):
                        trace.stop("context_length")
                    # A rollout that was stopped is refused its next turn in this way, too.
                    return vf.ProgramResult(exit_code=1, stdout="", stderr=response.text)
                message = response.json()["choices"][0]["message"]
                messages.append(message)
                calls = message.get("tool_calls") or []
                if not calls:
                    return vf.ProgramResult(exit_code=0, stdout="", stderr="")
                for call in calls:
                    function = call["function"]
                    messages.append(
                        {
                            "role": "tool",
                            "tool_call_id": call["id"],
                            "content": await _observation(live, dispatch, function),
                        }
                    )


@cache
def _certificates() -> ssl.SSLContext:
    """Read the certificates once: that takes longer than all else in a short rollout."""
    return ssl.create_default_context()


def _is_overflow(response: httpx.Response) -> bool:
    """Whether the conversation no longer fits the model: a limit, and no fault."""
    told = response.text.casefold()
    return response.status_code in (400, 413) and any(m in told for m in CONTEXT_OVERFLOW_MARKERS)


async def _observation(
    servers: dict[str, Any], dispatch: dict[str, tuple[str, str]], function: dict[str, str]
) -> Any:
    """Make a call; one that cannot be read or is of no tool is an observation too."""
    name = function["name"]
    try:
        arguments = json.loads(function["arguments"] or "{}")
    except ValueError as fault:
        return f"error: the arguments are no JSON: {fault}"
    if not isinstance(arguments, dict):
        return "error: the arguments must be a JSON object"
    if name not in dispatch:
        return f"error: there is no tool named '{name}'"
    return await call_mcp(servers, dispatch, name, arguments)
