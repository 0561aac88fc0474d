"""Assessing a program: the two agents, and the audit without a model."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import anyio.to_thread

from envscaler_eval.audit import Item, assess_environment
from envscaler_eval.audit.cache import engine_hash
from envscaler_eval.pack import Pack
from envscaler_eval.runtime import EnvironmentFault
from envscaler_eval.scenario import Rejection
from envscaler_eval.synth.artefacts import content_key
from envscaler_eval.synth.outcome import Dropped
from envscaler_eval.synth.pipeline import Run, gathered
from envscaler_eval.synth.skel_builder.assessment import ASKED, Assessment
from envscaler_eval.synth.skel_builder.testing import Tested, break_rule, rejection, test_tool
from envscaler_eval.synth.skel_builder.trial import Start, Trials, as_pack, as_scenario

AUDITS = "audits"
"""The collection of what the audit has found without a model."""

# Hypothesis keeps state of its own between calls, and one assessment fills a core anyway.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True)
class AssessmentRules:
    """How much is tested, and what is good enough.

    Attributes:
        rounds: How often every tool is tested; each time by several cases.
        starts: In how many situations.
        least_pass_rate: The share of tests that must pass, as in the paper.
        repairs: How often a program with faults goes back to the coder.
    """

    rounds: int = 2
    starts: int = 2
    least_pass_rate: float = 0.85
    repairs: int = 2


async def assess(
    run: Run, trials: Trials, starts: Sequence[Start], rules: AssessmentRules
) -> Assessment:
    """Assess a program.

    Every tool is tested in every round, so that the tests are balanced by
    construction, and every rule is put to the proof.

    Args:
        run: The run.
        trials: The program.
        starts: The situations.
        rules: How much to test.

    Raises:
        Unfinished: A provider failed.
    """
    env = trials.program.plan.topic.id

    async def test(tool: str, number: int) -> list[Tested]:
        tests = await test_tool(run, trials, starts, tool, number)
        told = [_told(one) for one in tests]
        version = trials.program.version(tool)
        run.watcher.found("tested", env, {"tool": tool, "version": version, "tests": told})
        return tests

    rounds = await gathered(
        *(
            test(tool, number)
            for number in range(1, rules.rounds + 1)
            for tool in trials.program.tools
        )
    )
    tested = [one for several in rounds for one in several]
    more, unproven = await _prove_rules(run, trials, starts, tested)
    tested += more
    proofs = _proofs(tested, starts)
    pack = _with_tests(trials, starts, tested, proofs)
    run.watcher.found("auditing", env, {"what": "program"})
    items = await _audited(run, trials, pack)
    found = Assessment(
        tested=tuple(tested),
        items=items,
        rejections=proofs,
        unproven=unproven,
        least_pass_rate=rules.least_pass_rate,
    )
    run.watcher.found("assessed", env, found.told)
    return found


def _told(tested: Tested) -> dict[str, Any]:
    """Return a test for people: what it is for, the calls, the ruling."""
    return {
        "kind": tested.case.kind,
        "why": tested.case.why,
        "expects": tested.case.expects,
        "seen": [seen.model_dump(mode="json") for seen in tested.seen],
        "verdict": tested.verdict,
        "reason": tested.reason,
    }


async def _prove_rules(
    run: Run, trials: Trials, starts: Sequence[Start], tested: Sequence[Tested]
) -> tuple[list[Tested], dict[int, str]]:
    """Test the rules of which no test so far says anything."""
    tried = {one.case.breaks_rule for one in tested}
    proven = {proof.rule for proof in _proofs(tested, starts)}
    rules = range(1, len(trials.program.plan.state.rules) + 1)
    unproven = {
        rule: "the call that breaks it is not refused as it should be"
        for rule in rules
        if rule in tried and rule not in proven
    }

    async def prove(rule: int) -> list[Tested]:
        try:
            return await break_rule(run, trials, starts, rule)
        except Dropped as reason:
            unproven[rule] = f"no test showed it to be enforced: {reason}"
            return []

    found = await gathered(*(prove(rule) for rule in rules if rule not in tried))
    return [one for several in found for one in several], dict(sorted(unproven.items()))


def _proofs(tested: Sequence[Tested], starts: Sequence[Start]) -> tuple[Rejection, ...]:
    """Return the first proof of each rule that has one."""
    first: dict[int, Rejection] = {}
    for one in tested:
        proof = rejection(one, starts)
        if proof is not None:
            first.setdefault(proof.rule, proof)
    return tuple(first[rule] for rule in sorted(first))


def _with_tests(
    trials: Trials, starts: Sequence[Start], tested: Sequence[Tested], proofs: Sequence[Rejection]
) -> Pack:
    """Return the program as a pack whose scenarios are the tests that went well."""
    pack = as_pack(trials.program, starts, proofs)
    played = tuple(
        as_scenario(pack, starts[one.start], f"test_{number}", [seen.call for seen in one.seen])
        for number, one in enumerate(tested, start=1)
        if one.seen and one.seen[-1].status == "ok"
    )
    return Pack(pack.folder, pack.info, pack.environment, pack.scenarios + played, pack.rejections)


async def _audited(run: Run, trials: Trials, pack: Pack) -> tuple[Item, ...]:
    """Return the audit's answers, which are recorded, since they take a while."""
    proofs = [proof.model_dump(mode="json") for proof in pack.rejections]
    key = content_key(engine_hash(), pack.hash, proofs)
    record = run.artefacts.get(AUDITS, key)
    if record is None:
        found = await anyio.to_thread.run_sync(_assess, pack, trials)
        items = [item.model_dump(mode="json") for item in found]
        record = {"item": pack.info.id, "items": items}
        run.artefacts.put(AUDITS, key, record)
    return tuple(Item.model_validate(item) for item in record["items"])


def _assess(pack: Pack, trials: Trials) -> tuple[Item, ...]:
    with _ONE_AT_A_TIME:
        try:
            card = assess_environment(pack, trials.runtime)
        except EnvironmentFault as fault:
            # A program that dies or never ends has been found out, and not failed to be.
            return (
                Item(name="robustness", passed=False, cases=1, failures=1, notes=(str(fault),)),
            )
    return tuple(item for item in card.items if item.name in ASKED)
