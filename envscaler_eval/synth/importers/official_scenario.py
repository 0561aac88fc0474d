"""EnvScaler's scenarios, their checks sorted by running them at the start."""

from pydantic import ValidationError

from envscaler_eval.episode import Episode, Grade
from envscaler_eval.pack import Pack
from envscaler_eval.runtime import EnvironmentFault, Runtime
from envscaler_eval.runtime.gate import violations
from envscaler_eval.scenario import Check, Scenario
from envscaler_eval.synth.importers.official_checks import UnusableCheckError, adapted, never
from envscaler_eval.synth.importers.official_environment import renamed
from envscaler_eval.synth.importers.official_record import OfficialRecord

_FIELD = {"id": "task_id", "state": "init_config", "checks": "checklist_with_func", "now": "now"}


def scenario_of(
    record: OfficialRecord, pack: Pack, runtime: Runtime, scenario_id: str, now: str, index: int
) -> tuple[Scenario, list[str]]:
    """Return a scenario, and what is worth knowing of it.

    Its checks run on the initial state: those that hold are guards. Without
    checks it is not graded. It has no solution, and changes that no check asks
    for are free, as in the paper.

    Args:
        record: The released record.
        pack: Its environment.
        runtime: Where the environment runs.
        scenario_id: The scenario's id.
        now: The moment at which it plays; the release tells none.
        index: Its position in the file from 0, by which EnvScaler's code names it.

    Raises:
        ItemFault: The record is not as it must be, or its checks may not run.
    """
    class_name = record.text("env_class_name")
    if class_name != pack.info.class_name:
        raise record.fault(
            "env_class_name",
            f"is '{class_name}', but {pack.info.id} has '{pack.info.class_name}'; give both files "
            "of one release",
        )
    state = record.mapping("init_config")
    for tool in pack.environment.tools:
        if tool.name in state:
            raise record.fault(
                "init_config", f"'{tool.name}' would hide the tool of that name; rename one"
            )
    notes: list[str] = []
    checks, unusable = _checks(record, notes)
    try:
        draft = Scenario(
            id=scenario_id,
            env=pack.info.id,
            state=state,
            now=now,
            task=record.text("task"),
            checks=tuple(checks),
            tags=(f"task_index={index}",),
            collateral=False,
        )
    except ValidationError as error:
        raise renamed(record, error, _FIELD) from None
    grade = _grade_at_start(record, draft, runtime)
    return _sorted_by_start(record, draft, grade, unusable, notes), notes


def _checks(record: OfficialRecord, notes: list[str]) -> tuple[list[Check], set[int]]:
    """Return the checklist, all goals until they have been run, and the positions
    from 0 of those that cannot run at all."""
    entries = record.listing("checklist_with_func")
    if not entries and record.listing("checklist"):
        notes.append(f"{record.place}: checklist has no functions; the scenario is not graded")
    checks: list[Check] = []
    unusable: set[int] = set()
    for number, entry in enumerate(entries, start=1):
        item = OfficialRecord(f"{record.place}: checklist_with_func {number}", entry)
        about = item.optional_text("check_item").strip() or f"check {number}"
        try:
            code = adapted(item.optional_text("check_func"))
        except UnusableCheckError as fault:
            notes.append(f"{item.place}: check_func: {fault}; it can never pass")
            unusable.add(number - 1)
            code = never(str(fault))
        for violation in violations(code):
            raise item.fault("check_func", f"{violation.fault}; no isolated check may do so")
        try:
            checks.append(Check(about=about, kind="goal", code=code))
        except ValidationError as error:
            raise renamed(item, error, {"code": "check_func"}) from None
    return checks, unusable


def _sorted_by_start(
    record: OfficialRecord, draft: Scenario, grade: Grade, unusable: set[int], notes: list[str]
) -> Scenario:
    """Make guards of the checks that are true at the start."""
    raising = [
        str(position + 1)
        for position, check in enumerate(grade.checks)
        if check.broken and position not in unusable
    ]
    if raising:
        notes.append(
            f"{record.place}: checklist_with_func {', '.join(raising)}: no answer at the start"
        )
    if draft.checks and all(check.passed for check in grade.checks):
        notes.append(
            f"{record.place}: every check is true at the start; reward stays 0, and "
            "paper_reward is 1 for doing nothing"
        )
    checks = [
        check.model_copy(update={"kind": "guard"}) if result.passed else check
        for check, result in zip(draft.checks, grade.checks, strict=True)
    ]
    return draft.model_copy(update={"checks": tuple(checks)})


def _grade_at_start(record: OfficialRecord, draft: Scenario, runtime: Runtime) -> Grade:
    try:
        with Episode(draft, runtime) as episode:
            return episode.grade()
    except EnvironmentFault as fault:
        raise record.fault("init_config", f"{fault}; repair the state or the program") from None
