"""Packs on disk, sound and faulty."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.pack import LIBRARY, PackError, find_packs, locate, read_info, read_pack
from tests.pack_files import CHECKS, SOURCE, STATE, a_scenario, write_pack, write_scenarios


def test_a_sound_pack_is_read(pack_folder: Path) -> None:
    pack = read_pack(pack_folder)
    assert pack.info.id == "stock_room"
    assert [tool.name for tool in pack.environment.tools] == [
        "list_items",
        "take_item",
        "order_item",
        "break_down",
    ]
    assert pack.scenario("restock").state == STATE


def test_a_pack_is_read_once_for_all_who_ask(pack_folder: Path) -> None:
    assert read_pack(pack_folder) is read_pack(pack_folder)


def test_a_pack_is_the_same_by_whatever_path(
    pack_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(pack_folder.parent)
    assert read_pack(Path(pack_folder.name)) is read_pack(pack_folder)


@pytest.mark.parametrize(
    "file", ["pack.yaml", "environment.py", "scenarios.yaml", "states/full.json", "rejections.yaml"]
)
def test_a_pack_is_read_again_when_a_file_of_it_has_changed(pack_folder: Path, file: str) -> None:
    before = read_pack(pack_folder)
    place = pack_folder / file
    text = place.read_text(encoding="utf-8") if place.exists() else "[]"
    place.write_text(text + "\n", encoding="utf-8")
    assert read_pack(pack_folder) is not before


def test_scenarios_share_a_named_state(tmp_path: Path) -> None:
    scenarios = [a_scenario(id="one"), a_scenario(id="two")]
    one, two = read_pack(write_pack(tmp_path, scenarios=scenarios)).scenarios
    assert one.state["items"] is two.state["items"]


def test_a_scenario_may_bring_its_own_state(tmp_path: Path) -> None:
    own = {**STATE, "next_order": 50}
    pack = read_pack(write_pack(tmp_path, scenarios=[a_scenario(state=own)]))
    assert pack.scenarios[0].state == own


def test_an_unknown_scenario_is_refused_with_those_there_are(pack_folder: Path) -> None:
    with pytest.raises(PackError, match="no scenario 'nope'; it has restock"):
        read_pack(pack_folder).scenario("nope")


def test_reading_a_pack_runs_none_of_its_code(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    source = f"open({str(mark)!r}, 'w')\n{SOURCE}"
    read_pack(write_pack(tmp_path, source=source))
    assert not mark.exists()


def test_packs_are_found_below_a_folder_in_order(tmp_path: Path) -> None:
    write_pack(tmp_path, "beta")
    write_pack(tmp_path, "alpha")
    (tmp_path / "no_pack").mkdir()
    assert [folder.name for folder in find_packs(tmp_path)] == ["alpha", "beta"]


def test_a_pack_is_located_by_id_or_by_path(pack_folder: Path) -> None:
    shipped = find_packs()[0]
    assert locate(shipped.name) == LIBRARY / shipped.name
    assert locate(str(pack_folder)) == pack_folder


Damage = Callable[[Path], None]


def _pack_yaml(text: str) -> Damage:
    return lambda folder: _write(folder / "pack.yaml", text)


def _info(**changes: Any) -> Damage:
    def damage(folder: Path) -> None:
        content = json.loads(json.dumps(_read_yaml(folder / "pack.yaml")))
        content.update(changes)
        _write(
            folder / "pack.yaml",
            json.dumps({key: value for key, value in content.items() if value is not None}),
        )

    return damage


def _source(text: str) -> Damage:
    return lambda folder: _write(folder / "environment.py", text)


def _scenarios(*entries: dict[str, Any]) -> Damage:
    return lambda folder: write_scenarios(folder, entries)


def _scenarios_yaml(text: str) -> Damage:
    return lambda folder: _write(folder / "scenarios.yaml", text)


def _state(text: str) -> Damage:
    return lambda folder: _write(folder / "states" / "monday.json", text)


def _without(name: str) -> Damage:
    return lambda folder: (folder / name).unlink()


def _rejections(text: str) -> Damage:
    return lambda folder: _write(folder / "rejections.yaml", text)


def _latin_1(folder: Path) -> None:
    (folder / "scenarios.yaml").write_bytes(b"- id: caf\xe9")


def _folder_instead(folder: Path) -> None:
    (folder / "scenarios.yaml").unlink()
    (folder / "scenarios.yaml").mkdir()


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def _read_yaml(file: Path) -> Any:
    from envscaler_eval import core_yaml

    return core_yaml.load(file.read_text(encoding="utf-8"))


def _check(code: str) -> dict[str, Any]:
    return {"about": "something", "kind": "goal", "code": code}


FAULTS: dict[str, tuple[Damage, list[str]]] = {
    "malformed pack.yaml": (
        _pack_yaml("id: [stock_room"),
        ["stock_room/pack.yaml", "line", "valid YAML"],
    ),
    "pack.yaml that is a list": (_pack_yaml("- id: stock_room"), ["pack.yaml", "is no mapping"]),
    "duplicate keys in pack.yaml": (
        _pack_yaml("id: stock_room\nid: stock_room"),
        ["pack.yaml", "line 2", "'id' occurs twice; keep one"],
    ),
    "a missing field": (_info(domain=None), ["pack.yaml", "domain", "is missing; add it"]),
    "an unknown field": (_info(colour="red"), ["pack.yaml", "colour", "is no field"]),
    "an unknown split": (_info(split="dev"), ["pack.yaml", "split", "'dev'", "'train' or 'test'"]),
    "an id that is not the folder's name": (
        _info(id="store_room"),
        ["pack.yaml", "'store_room'", "'stock_room'", "give both one name"],
    ),
    "no environment.py": (_without("environment.py"), ["environment.py", "is missing"]),
    "an environment that is no Python": (
        _source("class StockRoom\n    pass"),
        ["environment.py", "line 1", "must be valid Python"],
    ),
    "a missing class": (
        _info(class_name="Storeroom"),
        ["environment.py", "class 'Storeroom' is missing", "StockRoom"],
    ),
    "a class without tools": (
        _source("class StockRoom:\n    def _hidden(self) -> dict:\n        return {}\n"),
        ["environment.py", "has no tools; give it public methods"],
    ),
    "no scenarios.yaml": (_without("scenarios.yaml"), ["scenarios.yaml", "is missing"]),
    "malformed scenarios.yaml": (
        _scenarios_yaml("- id: restock\n  task: a: b"),
        ["scenarios.yaml", "line 2", "valid YAML"],
    ),
    "scenarios that are no list": (
        _scenarios_yaml("id: restock"),
        ["scenarios.yaml", "is no list of mappings", "- id: ..."],
    ),
    "duplicate keys in a scenario": (
        _scenarios_yaml("- id: restock\n  task: one\n  task: two"),
        ["scenarios.yaml", "line 3", "'task' occurs twice; keep one"],
    ),
    "duplicate scenario ids": (
        _scenarios(a_scenario(), a_scenario()),
        ["scenarios.yaml", "scenario 'restock' occurs twice; give each its own id"],
    ),
    "a check with a syntax error": (
        _scenarios(a_scenario(checks=[_check("def check(initial, final)\n  return True")])),
        ["scenarios.yaml", "scenario 'restock'", "checks 1 code", "line 1"],
    ),
    "a check that no compiler takes": (
        _scenarios(a_scenario(checks=[_check("def check(initial, final):\n  continue")])),
        ["scenarios.yaml", "scenario 'restock'", "checks 1 code", "line 2"],
    ),
    "a check of one state": (
        _scenarios(a_scenario(checks=[_check("def check(final):\n  return True")])),
        ["scenario 'restock'", "must take (initial, final)"],
    ),
    "no goal": (
        _scenarios(a_scenario(checks=[CHECKS[2]])),
        ["scenario 'restock'", "has no goal; add a check"],
    ),
    "fewer goals than guards": (
        _scenarios(a_scenario(checks=[CHECKS[0], CHECKS[2], CHECKS[2]])),
        ["scenario 'restock'", "has 1 goals among 3 checks", "at least half"],
    ),
    "a solution that names a missing tool": (
        _scenarios(a_scenario(solution=[{"name": "steal_item", "arguments": {}}])),
        ["scenario 'restock'", "solution: call 1", "'steal_item'", "use one of list_items"],
    ),
    "a solution that names a private method": (
        _scenarios(a_scenario(solution=[{"name": "_secret"}])),
        ["scenario 'restock'", "solution: call 1", "'_secret'"],
    ),
    "an alternative that names a missing tool": (
        _scenarios(a_scenario(alternatives=[[{"name": "steal_item"}]])),
        ["scenario 'restock'", "alternative 1: call 1", "'steal_item'"],
    ),
    "a scenario without a state": (
        _scenarios(a_scenario(state=None)),
        ["scenario 'restock'", "state", "is missing; add it"],
    ),
    "a missing state file": (
        _scenarios(a_scenario(state="tuesday")),
        ["scenario 'restock'", "no state 'tuesday'", "states/tuesday.json", "monday"],
    ),
    "a state outside of its folder": (
        _scenarios(a_scenario(state="../pack")),
        ["scenario 'restock'", "no state '../pack'"],
    ),
    "a state file that is no JSON": (_state("{'items': {}}"), ["monday.json", "valid JSON"]),
    "a state file with NaN": (
        _state('{"items": {}, "price": NaN}'),
        ["monday.json", "NaN is no JSON value; write a number or null"],
    ),
    "a state file with a repeated key": (
        _state('{"items": {"I-1": {}, "I-1": {}}}'),
        ["monday.json", "'I-1' occurs twice", "keep one"],
    ),
    "a state file that is a list": (_state("[]"), ["scenario 'restock'", "state"]),
    "a state with NaN in YAML": (
        _scenarios_yaml(
            "- {id: restock, state: {price: .nan}, now: '2026-03-09T08:30:00', task: x}"
        ),
        ["scenarios.yaml", "scenario 'restock'", "nan at /price"],
    ),
    "a state that does not serialise": (
        _scenarios_yaml(
            "- {id: restock, state: {tags: !!set {a}}, now: '2026-03-09T08:30:00', task: x}"
        ),
        ["scenarios.yaml", "scenario 'restock'", "a set at /tags", "no JSON form"],
    ),
    "a misspelt field of a scenario": (
        _scenarios(a_scenario(soluton=[])),
        ["scenario 'restock'", "soluton", "check the spelling"],
    ),
    "a moment that is none": (
        _scenarios(a_scenario(now="09/03/2026")),
        ["scenario 'restock'", "now", "2026-03-09T08:30:00"],
    ),
    "text in another encoding": (
        _latin_1,
        ["scenarios.yaml", "save it as UTF-8"],
    ),
    "a folder in the place of a file": (
        _folder_instead,
        ["scenarios.yaml", "cannot be read"],
    ),
    "a rejection of a rule that there is not": (
        _rejections(
            "- {rule: 9, state: monday, now: '2026-03-09T08:30:00', calls: [{name: list_items}]}"
        ),
        ["rejections.yaml", "entry 1", "names rule 9", "pack.yaml has 1"],
    ),
    "a rejection that names a missing tool": (
        _rejections(
            "- {rule: 1, state: monday, now: '2026-03-09T08:30:00', calls: [{name: steal_item}]}"
        ),
        ["rejections.yaml", "entry 1", "'steal_item'"],
    ),
    "a rejection from a missing state": (
        _rejections(
            "- {rule: 1, state: sunday, now: '2026-03-09T08:30:00', calls: [{name: list_items}]}"
        ),
        ["rejections.yaml", "entry 1", "no state 'sunday'"],
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_pack_is_refused_in_one_line_with_place_and_remedy(
    fault: str, pack_folder: Path
) -> None:
    damage, told = FAULTS[fault]
    damage(pack_folder)
    with pytest.raises(PackError) as refusal:
        read_pack(pack_folder)
    message = str(refusal.value)
    assert "\n" not in message
    for part in told:
        assert part in message
    assert refusal.value.exit_code == 2


def test_an_unknown_environment_is_refused_with_those_there_are() -> None:
    with pytest.raises(PackError) as refusal:
        locate("atlantis")
    assert "there is no environment 'atlantis'" in str(refusal.value)
    assert find_packs()[0].name in str(refusal.value)


def test_the_info_of_a_pack_is_read_without_the_rest(pack_folder: Path) -> None:
    (pack_folder / "environment.py").unlink()
    assert read_info(pack_folder).title == "Stock room"


def test_a_pack_keeps_its_hash_where_it_is_moved(tmp_path: Path) -> None:
    one = read_pack(write_pack(tmp_path / "a"))
    other = read_pack(write_pack(tmp_path / "b"))
    assert one.hash == other.hash


@pytest.mark.parametrize(
    "changes",
    [
        {"source": SOURCE.replace("pieces are left", "are left")},
        {"rules": ["Anything goes."]},
        {"introduction": "Keeps big parts."},
        {"scenarios": [a_scenario(task="Take three bolts out.")]},
        {"scenarios": [a_scenario(checks=CHECKS[:2])]},
        {"states": {"monday": {**STATE, "next_order": 2}}},
    ],
)
def test_the_hash_covers_all_that_decides_an_episode(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    original = read_pack(write_pack(tmp_path / "a"))
    changed = read_pack(write_pack(tmp_path / "b", **changes))
    assert changed.hash != original.hash


def test_the_hash_leaves_out_what_decides_nothing(tmp_path: Path) -> None:
    original = read_pack(write_pack(tmp_path / "a"))
    changed = read_pack(
        write_pack(
            tmp_path / "b", title="Store", quality={"x": 1}, scenarios=[a_scenario(tags=["hard"])]
        )
    )
    assert changed.hash == original.hash
