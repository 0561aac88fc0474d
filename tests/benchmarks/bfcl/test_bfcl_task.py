"""The task from end to end, offline, on the miniature."""

from pathlib import Path
from typing import Any

import pytest
from bfcl_runs import Runs, error_type, sample, scored, values
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.log import EvalLog

from envscaler_eval.errors import UsageError
from envscaler_eval.results import read_results
from envscaler_eval.scorers import bfcl
from envscaler_eval.solvers import bfcl_conversation, start_bfcl
from envscaler_eval.solvers.bfcl.record import observations_hash
from envscaler_eval.tasks import bfcl_multi_turn


class TestPolicies:
    @pytest.mark.parametrize("snapshot", ["v4", "v3"])
    @pytest.mark.parametrize("mode", ["fc", "prompt"])
    def test_the_oracle_passes_what_can_be_passed(
        self, runs: Runs, snapshot: str, mode: str
    ) -> None:
        log = runs(snapshot=snapshot, mode=mode)
        faulty = {"multi_turn_base_2": (0.0, 0.0)}
        assert values(log) == {name: (1.0, 1.0) for name in values(log)} | faulty
        assert len(values(log)) == 6

    def test_a_log_is_read_by_item_whatever_the_category(self, runs: Runs) -> None:
        table = read_results([runs().location])
        assert len(table.rows) > len({row.cluster for row in table.rows})
        assert {row.sample.rpartition("_")[2] for row in table.rows} == {
            row.cluster for row in table.rows
        }
        assert {row.group for row in table.rows} == {
            *("base", "miss_func", "miss_param", "long_context")
        }
        assert table.logs[0].data and table.logs[0].primary == "accuracy"

    def test_doing_nothing_passes_nothing(self, runs: Runs) -> None:
        log = runs("policy/noop")
        assert {accuracy for accuracy, _ in values(log).values()} == {0.0}
        assert error_type(log, "multi_turn_base_0") == "multi_turn:empty_turn_model_response"
        assert values(log)["multi_turn_miss_param_0"] == (0.0, 1 / 3)

    def test_chance_is_bound_by_the_limit_of_steps(self, runs: Runs) -> None:
        log = runs("policy/random")
        assert error_type(log, "multi_turn_base_0") == "multi_turn:force_terminated"

    def test_categories_and_their_mean_are_reported(self, runs: Runs) -> None:
        (accuracy, partial) = runs().results.scores  # type: ignore[union-attr]
        assert (accuracy.name, partial.name) == ("accuracy", "envscaler_partial")
        # The name of a metric of our own may come with that of the package.
        figures = {
            name.removeprefix("envscaler_eval/"): metric.value
            for name, metric in accuracy.metrics.items()
        }
        assert figures["grouped_base"] == pytest.approx(2 / 3)
        assert figures["macro"] == pytest.approx((2 / 3 + 1 + 1 + 1) / 4)

    def test_runs_are_the_same_again(self, runs: Runs) -> None:
        def told(log: EvalLog) -> list[Any]:
            return [(s.id, s.store, scored(s).metadata) for s in log.samples or []]

        assert told(runs()) == told(runs())


class TestSolvers:
    def test_the_solvers_serve_a_task_of_somebody_else(self, miniature: Path) -> None:
        theirs = bfcl_multi_turn(data_dir=str(miniature))
        task = Task(
            dataset=theirs.dataset,
            setup=start_bfcl(snapshot="v4", data_dir=str(miniature)),
            solver=bfcl_conversation(),
            scorer=bfcl(str(miniature)),
        )
        (log,) = inspect_eval(
            task, model="policy/oracle", log_realtime=False, display="none", log_dir=str(miniature)
        )
        assert values(log)["multi_turn_base_0"] == (1.0, 1.0)


class TestRescoring:
    def test_a_saved_log_gets_the_same_scores(self, runs: Runs, miniature: Path) -> None:
        log = runs()
        again = inspect_score(log, bfcl(str(miniature)), action="overwrite", display="none")
        assert values(again) == values(log)

    def test_a_log_that_plays_differently_is_refused(self, runs: Runs, miniature: Path) -> None:
        log = runs(categories="base")
        record = (log.samples or [])[0].store["envscaler_eval"]
        record["result"][0][0] = [{"open_ticket": '{"title": "Other"}'}]
        with pytest.raises(UsageError, match="multi_turn_base_0: playing the log's calls again"):
            inspect_score(log, bfcl(str(miniature)), action="overwrite", display="none")

    def test_a_set_that_is_listed_in_another_order_is_the_same_observation(self) -> None:
        here, there = '{"found": ["oil, 2", "gas"]}', '{"found": ["gas", "oil, 2"]}'
        assert observations_hash([here]) == observations_hash([there])
        assert observations_hash([here]) != observations_hash(['{"found": ["oil, 2"]}'])
        assert observations_hash([here, there]) != observations_hash([here])

    def test_a_log_of_other_data_is_refused(self, runs: Runs, miniature: Path) -> None:
        log = runs(categories="base")
        (log.samples or [])[0].store["envscaler_eval"]["wheel"] = "0" * 64
        with pytest.raises(UsageError, match="was made with the wheel 000000000000"):
            inspect_score(log, bfcl(str(miniature)), action="overwrite", display="none")

    def test_logs_hold_the_official_result(self, runs: Runs) -> None:
        record = sample(runs(categories="base"), "multi_turn_base_0").store["envscaler_eval"]
        assert record["result"] == [
            [[{"open_ticket": '{"title": "Leak", "tags": ["wet"]}'}], "That is all for now."],
            [[{"close_ticket": '{"number": 1}'}, {"titles": "{}"}], "That is all for now."],
        ]


class TestParameters:
    def test_samples_tell_their_faults_and_not_their_answers(
        self, runs: Runs, miniature: Path
    ) -> None:
        task = bfcl_multi_turn(data_dir=str(miniature))
        assert task.dataset[2].metadata == {
            "category": "base",
            "number": "2",
            "snapshot": "v4",
            "turns": 1,
            "classes": ["TicketAPI", "TravelAPI"],
            "faults": ["extra_answer"],
        }

    def test_faulty_entries_can_be_left_out(self, miniature: Path) -> None:
        task = bfcl_multi_turn(data_dir=str(miniature), skip_faulty=True)
        assert [sample.id for sample in task.dataset][:3] == [
            "multi_turn_base_0", "multi_turn_base_1", "multi_turn_miss_func_0",
        ]  # fmt: skip

    def test_entries_can_be_limited(self, miniature: Path) -> None:
        task = bfcl_multi_turn("base,miss_func", data_dir=str(miniature), limit=1)
        assert [s.id for s in task.dataset] == ["multi_turn_base_0", "multi_turn_miss_func_0"]

    def test_the_papers_protocol_uses_the_papers_data(self, miniature: Path) -> None:
        task = bfcl_multi_turn(data_dir=str(miniature), protocol="paper")
        assert task.metadata and task.metadata["snapshot"] == "v3"

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            ({"categories": "best"}, "categories is 'best'; use one of base, miss_func"),
            ({"snapshot": "v5"}, "snapshot is 'v5'; use one of v4, v3"),
            ({"mode": "x"}, "mode is 'x'; use one of fc, prompt"),
            ({"protocol": "x"}, "protocol is 'x'; use one of official, paper"),
            ({"protocol": "paper", "snapshot": "v4"}, "snapshot=v3 and mode=fc"),
            ({"limit": 0}, "no entry is left with limit=0"),
        ],
    )
    def test_mistakes_are_one_line(
        self, miniature: Path, arguments: dict[str, Any], told: str
    ) -> None:
        with pytest.raises(UsageError, match=told):
            bfcl_multi_turn(data_dir=str(miniature), **arguments)
