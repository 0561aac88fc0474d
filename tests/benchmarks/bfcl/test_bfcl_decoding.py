"""What counts as calls in the answers of models."""

import json
from typing import Any

import pytest

from envscaler_eval.benchmarks.bfcl.calls import Call
from envscaler_eval.benchmarks.bfcl.decoding import decode_calls, decode_text


class TestCallsThroughAnApi:
    def test_objects_and_their_json_text_are_read_alike(self) -> None:
        arguments = {"a": [1, 1.0, "x"]}
        for form in (arguments, json.dumps(arguments)):
            assert decode_calls([{"name": "f", "arguments": form}]) == [Call("f", arguments)]

    @pytest.mark.parametrize("bad", ["", "{", "[1]", "3", '"x"', "null", "{'a': 1}", [1], None])
    def test_one_unreadable_call_spoils_the_step(self, bad: Any) -> None:
        calls = [{"name": "f", "arguments": {}}, {"name": "g", "arguments": bad}]
        assert decode_calls(calls) == []


class TestCallsInText:
    @pytest.mark.parametrize(
        ("answer", "calls"),
        [
            ("[f(a=1), g()]", ["f(a=1)", "g()"]),
            ("f(a=1), g()", ["f(a=1)", "g()"]),
            ("```\n[f(a='x y')]\n```", ["f(a='x y')"]),
            ("[f(1, b=2)]", ["f(b=2)"]),
            ("[a.b.f(x=1)]", ["a.b.f(x=1)"]),
            ("[f(x=true, y=None, z=foo)]", ["f(x='true', y=None, z='foo')"]),
            ("[f(x=-1, y=not 1)]", ["f(x=-1, y=-1)"]),
            ("[f(x=2*3+1, y='a'+'b', z=7//2)]", ["f(x=7, y='ab', z=3)"]),
            ("[f(x=(1, [2]), y={'a': 1})]", ["f(x=(1, [2]), y={'a': 1})"]),
            ("[f(x=g(a=1), y=h(2))]", ["f(x=g(a=1), y='h(2)')"]),
            ("[f(x=l[0], y=...)]", ["f(x='l[0]', y='...')"]),
            ("[f(**d)]", ["f(None='d')"]),
            ("[]", []),
            ("", []),
            ("I need more information.", []),
            ("[f(a=1]", []),
            ("[f(a=1), 2]", []),
            ("[f(a={})]", []),
            ("[f(a={1, 2})]", []),
            ("[f(a=[x for x in y])]", []),
            ("[f(a=lambda: 1)]", []),
            ("[f(a=9**99999999)]", []),
            ("[f(a='x'*99999999)]", []),
            ("[f(a=1<<99999999)]", []),
            ("[f(a=open+1)]", []),
            ("[f(a=1/0)]", []),
            ("[f(a=-'x')]", []),
        ],
    )
    def test_texts_are_read_as_officially(self, answer: str, calls: list[str]) -> None:
        assert decode_text(answer, "v4") == calls

    def test_the_snapshots_strip_differently(self) -> None:
        assert decode_text("['f(a=1)']", "v3") == ["f(a=1)"]
        assert decode_text("['f(a=1)']", "v4") == []
        assert decode_text("[f(a=[1])]", "v3") == ["f(a=[1])"]
        assert decode_text("[]", "v3") == []
