"""Environments that say the same are near, copies are caught, and gains are related to it."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from envscaler_eval.benchmarks.data import DataError
from envscaler_eval.errors import UsageError
from envscaler_eval.pack import Pack, read_pack
from envscaler_eval.results.aligning import score_grids
from envscaler_eval.results.comparing import Accepted
from envscaler_eval.results.document import as_text
from envscaler_eval.results.labels import by_player, read_labelled
from envscaler_eval.results.manifest import manifest_packs, read_manifest
from envscaler_eval.results.similarity.comparison import Comparison, compare_texts
from envscaler_eval.results.similarity.gain import GainRelation, gain_relations
from envscaler_eval.results.similarity.map_figure import map_svg
from envscaler_eval.results.similarity.overlap import overlap
from envscaler_eval.results.similarity.report import similarity_document, similarity_report
from envscaler_eval.results.similarity.selection import write_subsets
from envscaler_eval.results.similarity.texts import (
    BENCHMARK_TEXTS,
    EnvironmentText,
    named_texts,
    pack_texts,
    words,
)
from envscaler_eval.world import ToolSpec
from tests.pack_files import write_pack
from tests.results.log_files import write_log

SHARED = Path(__file__).parents[3] / "shared" / "benchmarks"
DATA = Path(os.environ.get("ENVSCALER_DATA") or SHARED)


def _text(name: str, introduction: str, *tools: str, **parameters: str) -> EnvironmentText:
    """Return an environment whose tools all have the same parameters, name -> type."""
    properties = {key: {"type": kind} for key, kind in parameters.items()}
    schema = {"type": "object", "properties": properties}
    specs = tuple(ToolSpec(tool, f"Does {words(tool)}.", schema) for tool in tools)
    return EnvironmentText(name, name.partition("/")[0], introduction, specs)


HOTEL = _text("hotel", "Rooms and guests of a hotel.", "book_room", "cancel_stay", guest="string")
CLINIC = _text("clinic", "Patients and doctors of a clinic.", "admit_patient", patient="string")
FARM = _text("farm", "Fields, seeds and harvests.", "sow_field", "harvest_field", field="integer")
INN = _text("bench/inn", "An inn: rooms and guests.", "book_room", guest="string")
HOSPITAL = _text("bench/hospital", "Doctors admit patients.", "discharge_patient")


def _compared() -> Comparison:
    return compare_texts([HOTEL, CLINIC, FARM], [INN, HOSPITAL])


def test_the_nearest_is_the_one_of_the_same_field() -> None:
    nearest = {pair.test: pair for pair in _compared().nearest()}
    assert nearest["bench/inn"].train == "hotel"
    assert nearest["bench/hospital"].train == "clinic"
    assert 0 < nearest["bench/inn"].similarity < 1


def test_training_environments_are_ranked_by_their_closest_test() -> None:
    ranking = _compared().ranking()
    assert {env for env, _ in ranking[:2]} == {"hotel", "clinic"}
    assert ranking[2][0] == "farm"
    assert ranking[2][1] == pytest.approx(0, abs=0.05)


def test_overlap_is_the_share_of_names_that_both_have() -> None:
    assert overlap(HOTEL, INN) == (0.5, 1.0)
    assert overlap(HOTEL, FARM) == (0, 0)
    assert overlap(HOTEL, HOTEL) == (1, 1)
    empty = _text("empty", "Nothing.")
    assert overlap(empty, empty) == (0, 0)


def test_a_parameter_of_another_type_is_another_parameter() -> None:
    other = _text("other", "", "book_room", guest="integer")
    assert overlap(INN, other) == (1, 0)


def _copies(train: Sequence[EnvironmentText], test: Sequence[EnvironmentText]) -> list[set[str]]:
    report = similarity_report(compare_texts(train, test), 0.8)
    return [{pair.first, pair.second} for pair in report.duplicates]


def test_copies_are_found_by_text_and_by_tools() -> None:
    reworded = _text("bench/lodge", "Huts in the mountains.", "book_room", "cancel_stay")
    retooled = EnvironmentText("bench/farm", "bench", FARM.introduction, FARM.tools)
    found = _copies([HOTEL, CLINIC, FARM], [INN, reworded, retooled])
    assert sorted(map(sorted, found)) == [["bench/farm", "farm"], ["bench/lodge", "hotel"]]


def test_copies_are_found_among_environments_to_train_on() -> None:
    again = EnvironmentText("hostel", "hostel", HOTEL.introduction, HOTEL.tools)
    assert _copies([HOTEL, CLINIC, again], [INN]) == [{"hotel", "hostel"}]


def test_copies_are_found_among_packs_of_a_test_but_not_within_benchmarks() -> None:
    pack = EnvironmentText("farm", "packs", FARM.introduction, FARM.tools)
    twin = EnvironmentText("estate", "packs", FARM.introduction, FARM.tools)
    assert _copies([HOTEL], [pack, twin]) == [{"farm", "estate"}]
    bench = EnvironmentText("bench/inn_again", "bench", INN.introduction, INN.tools)
    assert _copies([CLINIC], [INN, bench]) == []


def test_the_map_puts_near_texts_near_and_is_the_same_again() -> None:
    comparison = compare_texts([HOTEL, CLINIC, FARM], [INN, HOSPITAL, HOTEL])
    places = comparison.map()
    assert places.tolist() == comparison.map().tolist()
    distances = np.linalg.norm(places - places[0], axis=1)
    assert distances[5] == min(distances[1:])


@pytest.mark.parametrize("count", [1, 2])
def test_few_environments_have_a_map_too(count: int) -> None:
    assert compare_texts([HOTEL, CLINIC][:count], [INN]).map().shape == (count + 1, 2)


def test_the_report_is_for_people_and_programs(tmp_path: Path) -> None:
    report = similarity_report(_compared(), 0.8)
    document = similarity_document(report, ["a remark"])
    told = as_text(document)
    for expected in ("bench/inn", "no duplicates", "closest are", "a remark", "tfidf"):
        assert expected in told
    numbers = json.loads(document.numbers)
    assert numbers["similarity"]["bench/inn"]["hotel"] > numbers["similarity"]["bench/inn"]["farm"]
    assert {(point["id"], point["role"]) for point in numbers["map"]} >= {
        ("hotel", "train"),
        ("bench/inn", "test"),
    }
    copies = similarity_report(compare_texts([HOTEL, CLINIC], [HOTEL]), 0.8)
    assert "Duplicates: similarity or tools of 0.8 or more" in as_text(similarity_document(copies))


def test_the_map_is_drawn_with_every_name() -> None:
    drawn = map_svg(similarity_report(_compared(), 0.8))
    texts = {node.text for node in ElementTree.fromstring(drawn).iter()}
    assert texts >= {"hotel", "clinic", "farm", "inn", "hospital"}


def _packs(folder: Path, count: int) -> list[Pack]:
    topics = ["rooms and guests of an inn", "an inn", "tractors", "telescopes", "violins"]
    return [
        read_pack(write_pack(folder, f"pack_{n}", introduction=f"About {topics[n]}."))
        for n in range(count)
    ]


def test_the_most_and_the_least_similar_are_written_as_manifests(tmp_path: Path) -> None:
    packs = _packs(tmp_path, 5)
    comparison = compare_texts(pack_texts(packs), [INN])
    top, bottom = write_subsets(comparison, packs, 2, tmp_path / "subsets")
    assert {chosen.id for chosen in top.environments} == {"pack_0", "pack_1"}
    assert not {chosen.id for chosen in bottom.environments} & {"pack_0", "pack_1"}
    assert read_manifest(tmp_path / "subsets" / "top-002.yaml") == top
    assert len(manifest_packs(tmp_path / "subsets" / "bottom-002.yaml")) == 2
    assert top.purpose == "similarity"
    assert top.made["test"] == ["bench/inn"]
    assert min(top.made["similarity"].values()) > max(bottom.made["similarity"].values())


@pytest.mark.parametrize("size", [0, 2])
def test_sets_that_would_overlap_are_refused(tmp_path: Path, size: int) -> None:
    packs = _packs(tmp_path, 3)
    with pytest.raises(UsageError, match=f"two sets of {size} environments cannot be had of 3"):
        write_subsets(compare_texts(pack_texts(packs), [INN]), packs, size, tmp_path)


def test_names_of_tools_are_read_as_words() -> None:
    assert words("book_room") == "book room"
    assert words("TicketAPI") == "Ticket API"
    assert INN.parts == ("An inn: rooms and guests.", "book room: Does book room.")


def test_an_unknown_test_is_told() -> None:
    with pytest.raises(UsageError, match="one of the benchmarks acebench, bfcl, tau_bench"):
        named_texts(["nowhere"])


@pytest.mark.parametrize(
    ("benchmark", "expected"),
    [
        ("tau_bench", {"tau_bench/retail": 16, "tau_bench/airline": 14}),
        (
            "bfcl",
            {
                "bfcl/GorillaFileSystem": 18,
                "bfcl/MathAPI": 17,
                "bfcl/MessageAPI": 10,
                "bfcl/TwitterAPI": 14,
                "bfcl/TicketAPI": 9,
                "bfcl/TradingBot": 20,
                "bfcl/TravelAPI": 18,
                "bfcl/VehicleControlAPI": 22,
            },
        ),
        (
            "acebench",
            {
                "acebench/BaseApi": 2,
                "acebench/MessageApi": 6,
                "acebench/ReminderApi": 2,
                "acebench/FoodPlatform": 4,
                "acebench/Travel": 7,
            },
        ),
    ],
)
def test_benchmarks_tell_their_environments(benchmark: str, expected: dict[str, int]) -> None:
    try:
        texts = BENCHMARK_TEXTS[benchmark](DATA if (DATA / benchmark).is_dir() else None)
    except DataError as fault:
        pytest.skip(fault.message)
    assert {text.id: len(text.tools) for text in texts} == expected


def _related(folder: Path, gains: Sequence[tuple[str, float]], task: str) -> list[GainRelation]:
    """Relate gains of samples, each of a class, to similarity with HOTEL and CLINIC."""
    metadata = {
        f"s{place}": {"classes": [name], "subset": "multi_turn", "task": f"s{place}"}
        for place, (name, _) in enumerate(gains)
    }
    arguments = [
        f"{label}="
        + str(
            write_log(
                folder / label,
                {f"s{place}": [rise * gain] for place, (_, gain) in enumerate(gains)},
                task=task,
                sample_metadata=metadata,
            )
        )
        for label, rise in (("before", 0.0), ("after", 1.0))
    ]
    logs = read_labelled(arguments, by_player)
    tests = [
        EnvironmentText(f"acebench/{text.id}", "acebench", text.introduction, text.tools)
        for text in (HOTEL, INN, FARM, HOSPITAL)
    ]
    comparison = compare_texts([HOTEL, CLINIC], tests)
    return gain_relations(score_grids(logs, Accepted()), logs.tables["after"], comparison)


ACEBENCH = "envscaler_eval/acebench_agent"


def test_gains_that_grow_with_similarity_correlate(tmp_path: Path) -> None:
    gains = [("hotel", 0.9), ("hotel", 0.8), ("bench/inn", 0.5), ("bench/hospital", 0.4)]
    gains += [("farm", 0.0), ("farm", 0.1)]
    (found,) = _related(tmp_path, gains, ACEBENCH)
    assert found.correlation.rho is not None
    assert found.correlation.rho > 0.7
    assert (found.correlation.clusters, found.correlation.samples) == (4, 6)
    assert found.adjusted_p == found.correlation.p
    assert found.seen == 0


def test_an_environment_that_was_not_compared_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="acebench/Moon is not compared; add --to acebench"):
        _related(tmp_path, [("Moon", 1.0)], ACEBENCH)


def test_a_task_of_unknown_environments_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="quiz: nothing tells the environments"):
        _related(tmp_path, [("hotel", 1.0)], "quiz")
