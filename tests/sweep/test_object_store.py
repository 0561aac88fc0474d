"""Sweeps and synthesis that keep what they make in an object store.

Run by `make test-ray`, whose environment has a server that speaks S3.
"""

import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from envscaler_eval.results import read_results
from envscaler_eval.sweep import Store
from envscaler_eval.sweep.engines import LocalEngine
from envscaler_eval.sweep.status import sweep_status
from envscaler_eval.sweep.work import DONE
from tests.sweep.plans import a_plan, run_sweep, table_of, write_rooms
from tests.sweep.synth_runs import generated, noted_questions, records, write_session


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An empty bucket on a server of this machine, reached as real ones are."""
    server = pytest.importorskip("moto.server", reason="moto is not installed").ThreadedMotoServer(
        ip_address="127.0.0.1", port=0
    )
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    # Servers of one process share their buckets.
    name = f"sweeps-{uuid.uuid4().hex}"
    fsspec.filesystem("s3").mkdir(name)
    yield f"s3://{name}/first"
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    server.stop()


def test_a_sweep_in_an_object_store_has_the_table_of_one_in_a_folder(
    tmp_path: Path, bucket: str
) -> None:
    plan = a_plan(write_rooms(tmp_path, scenarios=2))
    run_sweep(plan, tmp_path / "sweep")
    run_sweep(plan, bucket, LocalEngine(2))
    assert sweep_status(bucket).is_complete
    assert table_of(bucket) == table_of(tmp_path / "sweep")
    assert run_sweep(plan, bucket) == []


def test_what_is_missing_in_an_object_store_is_made_up_for(tmp_path: Path, bucket: str) -> None:
    plan = a_plan(write_rooms(tmp_path, scenarios=2), samples_per_shard=2)
    run_sweep(plan, bucket)
    whole, store = table_of(bucket), Store(bucket)
    name = store.names(DONE)[0]
    store.remove(json.loads(store.read(name))["log"])
    store.remove(name)
    assert sum(row.missing is not None for row in read_results([bucket]).rows) == 2
    assert len(run_sweep(plan, bucket)) == 1
    assert table_of(bucket) == whole


def test_files_of_an_object_store_are_written_and_removed(bucket: str) -> None:
    store = Store(bucket)
    assert not store.exists("a/b.json")
    store.write("a/b.json", b"1")
    store.copy("a/b.json", "c/d.json")
    assert store.names("", ".json") == ["a/b.json", "c/d.json"]
    store.remove("a")
    assert not store.exists("a/b.json")
    assert store.read("c/d.json") == b"1"


def test_what_a_synthesis_has_asked_is_in_the_object_store_at_once(
    tmp_path: Path, bucket: str
) -> None:
    model = write_session(tmp_path / "kilns.jsonl", "write_alternative")
    outcome = generated(tmp_path / "one", model, store=bucket)
    assert (outcome.missing, len(outcome.failures)) == (2, 2)
    assert f"the prompt is in {bucket}/missing/" in outcome.failures[0]
    write_session(tmp_path / "kilns.jsonl")
    with noted_questions() as asked:
        assert not generated(tmp_path / "other", model, store=bucket).missing
    assert {question.partition(",")[0] for question in asked} == {"step 'write_alternative'"}
    generated(tmp_path / "folder", model)
    assert records(tmp_path / "other") == records(tmp_path / "folder")
    assert not Store(bucket).names("begun")
