"""What reading knows of our tasks is true of them."""

import inspect

import pytest

from envscaler_eval import tasks
from envscaler_eval.results.task_rules import RULES, rules_of, short_name


@pytest.mark.parametrize("name", tasks.__all__)
def test_every_task_of_ours_has_rules_and_they_name_its_arguments(name: str) -> None:
    assert RULES[name].free_args <= inspect.signature(getattr(tasks, name)).parameters.keys()


@pytest.mark.parametrize("name", tasks.__all__)
def test_what_makes_a_sample_another_task_is_not_free_to_differ(name: str) -> None:
    telling = {"protocol", "seed", "snapshot", "user_strategy", "step_limit", "agent_language"}
    assert not RULES[name].free_args & telling


def test_our_tasks_are_known_with_and_without_the_package() -> None:
    assert short_name("envscaler_eval/tau_bench") == "tau_bench"
    assert short_name("inspect_evals/tau_bench") == "inspect_evals/tau_bench"
    assert rules_of("inspect_evals/tau_bench").cluster == ()
