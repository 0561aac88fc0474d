"""The `openai` package, and any client like it, against the server."""

from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletionMessage

from envscaler_eval.errors import UsageError
from envscaler_eval.serving import CONTENT_FAULTS, Player, PolicyServer, build_app
from tests.pack_files import a_scenario, write_pack
from tests.serving.requests import TOOLS
from tests.serving.served import client, serving

ASKED: Any = {
    "model": "oracle",
    "messages": [
        {"role": "user", "content": "Take three bolts out. Then order nuts. It is urgent."}
    ],
    "tools": TOOLS,
}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return write_pack(tmp_path)


def test_the_served_policy_is_the_one_model_on_the_list(pack: Path) -> None:
    with serving("noop", [pack]) as url:
        assert [model.id for model in client(url).models.list()] == ["noop"]


def test_a_completion_holds_the_call_and_its_usage(pack: Path) -> None:
    with serving("oracle", [pack]) as url:
        completion = client(url).chat.completions.create(**ASKED)
    (choice,) = completion.choices
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content is None
    assert [_called(call) for call in choice.message.tool_calls or []] == [("list_items", "{}")]
    usage = completion.usage
    assert usage is not None
    assert usage.prompt_tokens > 20
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


def test_calls_can_come_in_parallel(pack: Path) -> None:
    with serving("oracle", [pack], "several_calls=1") as url:
        message = client(url).chat.completions.create(**ASKED).choices[0].message
    calls = message.tool_calls or []
    assert [_called(call)[0] for call in calls] == ["list_items", "take_item"]
    assert len({call.id for call in calls}) == 2


@pytest.mark.parametrize("fault", [None, *CONTENT_FAULTS])
def test_a_stream_adds_up_to_the_completion(fault: str | None, pack: Path) -> None:
    with serving("oracle", [pack], *([f"{fault}=1"] if fault else [])) as url:
        whole = client(url).chat.completions.create(**ASKED)
        with client(url).chat.completions.stream(
            **ASKED, stream_options={"include_usage": True}
        ) as stream:
            pieces = [event.chunk for event in stream if event.type == "chunk"]
            streamed = stream.current_completion_snapshot
    assert len(pieces) > 2
    assert streamed.choices[0].finish_reason == whole.choices[0].finish_reason
    assert _said(streamed.choices[0].message) == _said(whole.choices[0].message)
    assert streamed.usage == whole.usage


def test_a_stream_tells_usage_only_when_asked(pack: Path) -> None:
    with serving("noop", [pack]) as url:
        stream = client(url).chat.completions.create(**ASKED, stream=True)
        assert all(chunk.usage is None and chunk.choices for chunk in stream)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("429", openai.RateLimitError),
        ("500", openai.InternalServerError),
        ("dropped", openai.APIConnectionError),
    ],
)
def test_a_reply_that_does_not_arrive_raises_what_clients_expect(
    fault: str, error: type[Exception], pack: Path
) -> None:
    with serving("noop", [pack], fault) as url:
        with pytest.raises(error):
            client(url).chat.completions.create(**ASKED)
        answer = client(url).chat.completions.create(**ASKED)
    assert answer.choices[0].message.content == "Task Completed"


def test_a_client_that_is_impatient_leaves_a_slow_reply(pack: Path) -> None:
    with serving("noop", [pack], "timeout") as url:
        with pytest.raises(openai.APITimeoutError):
            client(url).with_options(timeout=0.1).chat.completions.create(**ASKED)
        assert client(url).chat.completions.create(**ASKED).choices


def test_a_patient_client_gets_the_slow_reply(pack: Path) -> None:
    with serving("noop", [pack], "timeout", delay=0.01) as url:
        assert client(url).chat.completions.create(**ASKED).choices


def test_a_stream_can_break_off_in_its_middle(pack: Path) -> None:
    with serving("noop", [pack], "dropped") as url:
        stream = client(url).chat.completions.create(**ASKED, stream=True)
        with pytest.raises(openai.APIConnectionError):
            list(stream)


def test_the_server_tells_which_faults_it_had(pack: Path) -> None:
    with serving("noop", [pack], "empty_reply", "429") as url:
        chat = client(url).with_options(max_retries=1)
        chat.chat.completions.create(**ASKED)
        response = chat.get(url.removesuffix("/v1") + "/faults", cast_to=object)
    assert response == {"429": 1, "empty_reply": 1}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"messages": [{"role": "user", "content": "Hello"}]}, "no scenario is recognised"),
        ({"n": 2}, "leave 'n' out"),
        ({"messages": []}, "at least one message"),
    ],
)
def test_a_request_that_cannot_be_answered_is_refused_with_the_reason(
    changes: Any, told: str, pack: Path
) -> None:
    with serving("oracle", [pack]) as url, pytest.raises(openai.BadRequestError, match=told):
        client(url).chat.completions.create(**{**ASKED, **changes})


def test_a_scenario_without_a_solution_is_refused_and_not_asked_for_again(tmp_path: Path) -> None:
    imported = write_pack(tmp_path, scenarios=[a_scenario(solution=[], checks=[])])
    told = "no solution for the oracle to play"
    with serving("oracle", [imported]) as url, pytest.raises(openai.BadRequestError, match=told):
        client(url).chat.completions.create(**ASKED)


def test_the_responses_interface_is_refused_with_the_remedy(pack: Path) -> None:
    remedy = "-M responses_api=false"
    with serving("oracle", [pack]) as url, pytest.raises(openai.NotFoundError, match=remedy):
        client(url).responses.create(model="oracle", input="Hello")


def test_only_this_machine_reaches_the_server_by_default(pack: Path) -> None:
    with serving("noop", [pack]) as url:
        assert url.startswith("http://127.0.0.1:")


def test_an_address_that_is_taken_is_refused_with_the_remedy(pack: Path) -> None:
    with serving("noop", [pack]) as url:
        port = int(url.rpartition(":")[2].removesuffix("/v1"))
        with pytest.raises(UsageError, match=f"127.0.0.1:{port}: .*choose another --port"):
            PolicyServer(build_app(Player("noop", [])), port=port)


def _called(call: Any) -> tuple[str, str]:
    return call.function.name, call.function.arguments


def _said(message: ChatCompletionMessage) -> tuple[Any, ...]:
    calls = [_called(call) for call in message.tool_calls or []]
    reasoning = getattr(message, "reasoning_content", None)
    return message.content or "", message.refusal, reasoning, calls
