"""Official call texts are decoded as upstream decodes them, and never evaluated."""

import pytest

from envscaler_eval.benchmarks.acebench.calls import UndecodableError, decode, parse_calls


@pytest.mark.parametrize(
    ("message", "calls"),
    [
        ("[f(x=1), g(y='a')]", ["f(x=1)", "g(y='a')"]),
        (" [f()]", ["f()"]),
        ("f()", ["f()"]),
        ("[[f()]]", ["f()"]),
        ("'[f()]'", ["f()"]),
        ("(f(), g())", ["f()", "g()"]),
        ("[hello]", []),
        ("[5]", []),
        ("[a.b.f(x=1)]", ["a.b.f(x=1)"]),
        ("[f('dropped', x=1)]", ["f(x=1)"]),
        ("[f(x=1, x=2)]", ["f(x=2)"]),
        ("[f(x=bare, y=true)]", ["f(x='bare', y='true')"]),
        ("[f(x=-5, y=not 2, z=+3)]", ["f(x=-5, y=-2, z=-3)"]),
        ("[f(x=...)]", ["f(x='...')"]),
        ("[f(x=g(1), y=g(z=1))]", ["f(x='g(1)', y=g(z=1))"]),
        ("[f(x=[{'a': 1}, g(z=1)])]", ["f(x=[{'a': 1}, {'g': {'z': 1}}])"]),
        ("[f(x={'g': {'a': 1}, 'h': 2})]", ["f(x=g(a=1))"]),
        ("[f(x=a[0], y=(1, 'b'))]", ["f(x='a[0]', y=(1, 'b'))"]),
        ("[f(x='Total ' + str(2 * 99.0))]", ["f(x='Total 198.0')"]),
        ("[f(**x)]", ["f(None='x')"]),
        ("[f()(x=1)]", ["(x=1)"]),
    ],
)
def test_messages_that_decode(message: str, calls: list[str]) -> None:
    assert list(decode(message)) == calls


@pytest.mark.parametrize(
    "message",
    [
        "",
        "[]",
        "  [f()]",
        "[f()]\n",
        "Sure. [f()]",
        "[f()], [g()]",
        "[f(), 5]",
        "[f(x='It's on')]",
        "[f(x={})]",
        "[f(x={'a': 1})]",
        "[f(x=a.b)]",
        "[f(x=f'{a}')]",
        "[f(x=-a)]",
        "[f(x=-(-5))]",
        "[f(x={[]: 1})]",
        "[f(x=lambda: 1)]",
        "[f(x=a + 1)]",
        "[f(x=(",
        "[\x00]",
        "[\ud800()]",
        "[f(x=" + "[" * 5000,
    ],
)
def test_messages_that_do_not_decode(message: str) -> None:
    with pytest.raises(UndecodableError):
        decode(message)


@pytest.mark.parametrize(
    "argument",
    [
        "10 ** 10 ** 10",
        "'a' * 10 ** 9",
        "[[0] * 99999] * 99999",
        "[0] * 10 ** 9",
        "1 << 10 ** 9",
        "'%999999999d' % 1",
        "'%*d' % (999999999, 1)",
        "round(5, -10 ** 9) + 0",
        "__import__('os').getpid() + 1",
        "open('/etc/hostname').read() + ''",
        "(lambda: 1)() + 1",
        "().__class__ + 1",
    ],
)
def test_arithmetic_cannot_run_code_or_exhaust_the_host(argument: str) -> None:
    with pytest.raises(UndecodableError):
        decode(f"[f(x={argument})]")


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("1 + 2 * 3", 7),
        ("7 // 2 - 7 % 4", 0),
        ("10 / 4", 2.5),
        ("2 ** 10", 1024),
        ("-(1 + 1) + 0", -2),
        ("'ab' * 2", "abab"),
        ("2 * [1]", [1, 1]),
        ("'%s yuan' % 88.0", "88.0 yuan"),
        ("[1] + [2]", [1, 2]),
        ("round(2.345, 1) + max(1, 2)", 4.3),
        ("1 << 3", 8),
    ],
)
def test_arithmetic_over_literals_is_done(argument: str, value: object) -> None:
    assert parse_calls(f"[f(x={argument})]")[0].arguments == {"x": value}
