"""A trial without a harness."""

from envscaler_eval.benchmarks.tau_bench import Domain, Trial, noop_script, oracle_script


def test_a_trial_keeps_calls_and_replies_and_is_graded(retail: Domain) -> None:
    trial = Trial(retail, retail.task("test", 0))
    script = oracle_script(trial.task)
    for name, arguments in script.calls:
        trial.call(name, arguments)
    assert trial.grade().reward == 0.0
    trial.say(script.reply)
    assert trial.grade().reward == 1.0
    assert (tuple(trial.calls), tuple(trial.replies)) == (script.calls, (script.reply,))


def test_a_trial_is_a_function_of_its_calls(retail: Domain) -> None:
    first, second = (Trial(retail, retail.task("test", 0)) for _ in range(2))
    assert first.data_hash() == second.data_hash()
    call = ("cancel_pending_order", {"order_id": "#W1", "reason": "no longer needed"})
    first.call(*call)
    assert first.data_hash() != second.data_hash()
    assert first.state() != second.state()
    second.call(*call)
    assert first.data_hash() == second.data_hash()


def test_refused_broken_and_unknown_calls_are_counted(retail: Domain) -> None:
    trial = Trial(retail, retail.task("test", 0))
    for name, arguments in (
        ("get_user_details", {"user_id": "nobody"}),
        ("get_user_details", {}),
        ("no_such_tool", {}),
        ("think", {"thought": "Error: none"}),
    ):
        trial.call(name, arguments)
    assert trial.failed_calls == 3


def test_a_crash_costs_the_reward(retail: Domain, airline: Domain) -> None:
    trial = Trial(retail, retail.task("test", 1))
    trial.say(noop_script().reply)
    assert trial.grade().reward == 1.0
    trial.crash = "the harness at hand says so"
    assert (trial.grade().reward, trial.grade().crash) == (0.0, trial.crash)
    desk = Trial(airline, airline.task("test", 0))
    for _ in range(4):
        desk.call("send_certificate", {"user_id": "di_4", "amount": 1})
    assert desk.crash is not None
