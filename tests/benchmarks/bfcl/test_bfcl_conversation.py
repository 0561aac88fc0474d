"""The official conversation, with models that do as they are told."""

from collections.abc import Sequence
from typing import Any

from bfcl_runs import Runs, assistants, error_type, sample, scored, scripted, turn_of, values
from inspect_ai.model import ChatMessage, ChatMessageTool, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolCall, ToolInfo


class TestConversation:
    def test_a_turn_has_21_generations_and_then_all_ends(self, runs: Runs) -> None:
        log = runs(scripted(lambda messages, tools: [("titles", {})]), categories="base")
        first = sample(log, "multi_turn_base_0")
        assert assistants(first.messages) == 21
        assert turn_of(first.messages) == 1
        assert scored(first).answer == "step_limit"
        assert error_type(log, "multi_turn_base_0") == "multi_turn:force_terminated"

    def test_the_limit_in_the_last_turn_is_no_failure(self, runs: Runs) -> None:
        def reply(messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Any:
            if turn_of(messages) == 1:
                done = isinstance(messages[-1], ChatMessageTool)
                return "Done." if done else [("open_ticket", {"title": "Leak", "tags": ["wet"]})]
            return [("close_ticket", {"number": 1}), ("titles", {})]

        log = runs(scripted(reply), categories="base", limit=1)
        assert assistants(sample(log, "multi_turn_base_0").messages) == 23
        assert values(log) == {"multi_turn_base_0": (1.0, 1.0)}
        assert scored(sample(log, "multi_turn_base_0")).answer == "step_limit"

    def test_calls_that_cannot_be_read_end_the_turn_unanswered(self, runs: Runs) -> None:
        bad = ToolCall("1", "titles", {}, parse_error="Error parsing: {")

        def reply(messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Any:
            return [("titles", {}), bad] if turn_of(messages) == 1 else "No."

        log = runs(scripted(reply), categories="base", limit=1)
        first = sample(log, "multi_turn_base_0")
        assert not any(isinstance(message, ChatMessageTool) for message in first.messages)
        assert assistants(first.messages) == 2
        assert scored(first).metadata["malformed"] == 1
        assert error_type(log, "multi_turn_base_0") == "multi_turn:empty_turn_model_response"

    def test_a_history_that_a_provider_refuses_is_a_failed_inference(self, runs: Runs) -> None:
        bad = ToolCall("1", "titles", {}, parse_error="Error parsing: {")

        def reply(messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Any:
            if turn_of(messages) == 1:
                return [bad]
            raise RuntimeError("400: tool_call_ids did not have response messages")

        log = runs(scripted(reply), categories="base", limit=1)
        assert error_type(log, "multi_turn_base_0") == "multi_turn:inference_error"
        assert scored(sample(log, "multi_turn_base_0")).answer == "error"

    def test_a_context_that_overflows_is_a_failed_inference(self, runs: Runs) -> None:
        def output(*_: Any) -> ModelOutput:
            made = ModelOutput.from_content("m", "", stop_reason="model_length")
            made.usage = ModelUsage()
            return made

        model = get_model("mockllm/model", custom_outputs=output, memoize=False)
        log = runs(model, categories="base", limit=1)
        assert error_type(log, "multi_turn_base_0") == "multi_turn:inference_error"
        assert scored(sample(log, "multi_turn_base_0")).answer == "context_length"

    def test_arguments_arrive_as_they_are(self, runs: Runs) -> None:
        calls = [("close_ticket", {"number": "1"}), ("titles", {"x": 1}), ("nope", {"a-b": 1.0})]

        def reply(messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Any:
            return "Done." if isinstance(messages[-1], ChatMessageTool) else calls

        log = runs(scripted(reply), categories="base", limit=1)
        told = [m.text for m in sample(log, "multi_turn_base_0").messages if m.role == "tool"]
        assert told[0] == '{"closed": "1"}'
        assert told[1].startswith("Error during execution: TicketAPI.titles() got an unexpected")
        assert told[2].startswith("Error during execution: expression cannot contain assignment")

    def test_held_out_tools_are_revealed_in_their_turn(self, runs: Runs) -> None:
        seen: list[tuple[str, list[str]]] = []

        def reply(messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Any:
            seen.append((messages[-1].text, [tool.name for tool in tools]))
            return "No."

        runs(scripted(reply), categories="miss_func")
        first = ["open_ticket", "titles", "pay", "balance"]
        assert seen == [
            ("List them.", first),
            ("Close the first one.", first),
            ("More tools. And now?", [*first, "close_ticket", "note"]),
            ("Thanks, list them.", [*first, "close_ticket", "note"]),
        ]

    def test_a_held_out_tool_works_before_it_is_revealed(self, runs: Runs) -> None:
        def reply(messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Any:
            acted = isinstance(messages[-1], ChatMessageTool)
            return "Done." if acted else [("close_ticket", {"number": 1})]

        log = runs(scripted(reply), categories="miss_func")
        told = [m.text for m in sample(log, "multi_turn_miss_func_0").messages if m.role == "tool"]
        assert told[0] == '{"closed": 1}'

    def test_calls_in_text_are_answered_in_text(self, runs: Runs) -> None:
        seen: list[Sequence[ChatMessage]] = []

        def reply(messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Any:
            seen.append(list(messages))
            assert not tools
            return "[titles(), nope(x=1)]" if messages[-1].text == "List them." else "No."

        runs(scripted(reply), categories="miss_func", mode="prompt")
        assert seen[0][0].text.startswith("You. Do. Call as [f(a=1)].")
        assert seen[1][-1].text == (
            "[{'role': 'tool', 'name': 'titles()', 'content': \"['Old']\"}, {'role': 'tool', "
            "'name': 'nope(x=1)', 'content': \"Error during execution: name 'nope' is not "
            'defined"}]'
        )
        assert seen[3][-1].text.startswith("[{'name': 'close_ticket', 'description': 'Does close")
        assert seen[3][-1].text.endswith("; more tools. And now?")
