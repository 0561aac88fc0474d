"""The making of one environment, as an item of work for any machine."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from envscaler_eval import synth
from envscaler_eval.audit.cache import engine_hash
from envscaler_eval.errors import UsageError
from envscaler_eval.sweep.store import Store
from envscaler_eval.sweep.synth_records import Entry, StoredRecords, packed, unpacked
from envscaler_eval.sweep.work import Item, content_key, read_result
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.scen_generator.build import ScenGenerator
from envscaler_eval.synth.skel_builder import SkelBuilder, Skeleton
from envscaler_eval.synth.skel_builder.mining import Topic
from envscaler_eval.synth.step import Role

FUNCTION = "envscaler_eval.sweep.synth_work:make_environment"

Maker = SkelBuilder | ScenGenerator
Given = Topic | Skeleton
MakerKind = Literal["skeletons", "scenarios"]

# How topics were chosen is past, and where programs run does not change what they do.
_OF_NO_EFFECT = ("selection", "isolation")


@dataclass(frozen=True)
class _Form:
    """How a maker, and what it makes an environment of, are written as JSON."""

    maker: TypeAdapter[Any]
    given: TypeAdapter[Any]


_FORMS: Mapping[MakerKind, _Form] = {
    "skeletons": _Form(TypeAdapter(SkelBuilder), TypeAdapter(Topic)),
    "scenarios": _Form(TypeAdapter(ScenGenerator), TypeAdapter(Skeleton)),
}


async def make(maker: Maker, run: Run, given: Given) -> None:
    """Take an environment along its way; `run.unfinished` tells whether it came to the end."""
    match maker, given:
        case SkelBuilder(), Topic():
            await run.each([given], lambda topic: maker.make(run, topic))
        case ScenGenerator(), Skeleton():
            await run.each([given], lambda skeleton: maker.generate(run, skeleton))
        case _:
            raise TypeError(f"{type(maker).__name__} makes nothing of a {type(given).__name__}")


def synth_item(
    maker: Maker, given: Given, models: Models, connections: int, concurrency: int
) -> Item:
    """Return the making of an environment as an item of work.

    Args:
        maker: The SkelBuilder or the ScenGenerator.
        given: The topic or the skeleton.
        models: Who answers, by names that all machines understand.
        connections: How many requests to a model the item may have in flight.
        concurrency: How many scenarios it works on at once.

    Raises:
        UsageError: There is no model for a role.
    """
    kind: MakerKind = "skeletons" if isinstance(maker, SkelBuilder) else "scenarios"
    settings = _FORMS[kind].maker.dump_python(maker, mode="json")
    steps = (step for stage in maker.stages for step in stage.steps)
    roles: list[Role] = list(dict.fromkeys(step.role for step in steps))
    text = json.dumps(given.model_dump(mode="json"))
    decisive = {name: value for name, value in settings.items() if name not in _OF_NO_EFFECT}
    payload = {
        "kind": kind,
        "maker": settings,
        "given": text,
        "models": {role: models.roles.get(role, models.default) for role in roles},
        "max_connections": connections,
        "max_retries": models.max_retries,
        "response_schema": models.response_schema,
        "concurrency": concurrency,
        "release": _release(maker),
    }
    names = [[role, models.name(role)] for role in roles]
    key = content_key(["synth", kind, decisive, text, names, payload["release"]])
    return Item(key, payload)


def make_environment(key: str, payload: Mapping[str, Any], store: Store) -> Mapping[str, Any]:
    """Make an environment as far as it gets, kept or dropped; a `WorkFunction`.

    Args:
        key: The item's key.
        payload: See `synth_item`.
        store: Where each record goes as it is made, and the result.

    Returns:
        All records of the environment, packed.

    Raises:
        UsageError: This machine has another release, cannot isolate, or lacks a model.
        RuntimeError: Something is unfinished.
    """
    form = _FORMS[payload["kind"]]
    maker: Maker = form.maker.validate_python(payload["maker"])
    if payload["release"] != _release(maker):
        raise UsageError(
            "this machine has another release of envscaler-eval, or of what it needs, than the "
            "one that plans the synthesis; install the same"
        )
    given: Given = form.given.validate_json(payload["given"])
    models = Models(
        None,
        payload["models"],
        payload["max_connections"],
        payload["max_retries"],
        payload["response_schema"],
    )
    records = StoredRecords(store, key)
    records.forget_prompts()
    run = Run(records, models, payload["concurrency"])
    asyncio.run(make(maker, run, given))
    if run.unfinished:
        (stage, item), reason = next(iter(run.unfinished.items()))
        more = f" (and {len(run.unfinished) - 1} more)" if len(run.unfinished) > 1 else ""
        raise RuntimeError(f"{stage}: {item}: {reason}{more}")
    return {"records": packed(records)}


def synth_result(key: str, store: Store) -> list[Entry]:
    """Return the records of an item that is done.

    Raises:
        FileNotFoundError: It is not done.
        UsageError: The result is damaged.
    """
    return read_result(store, key, lambda result: unpacked(result["records"]))


def _release(maker: Maker) -> str:
    """Return a hash of what decides questions and outcomes on a machine but the settings."""
    # The form of an answer is also decided by pydantic, whose schemas are in the fingerprints.
    asked = [stage.fingerprint for stage in maker.stages]
    return content_key([engine_hash(), _code_hash(), asked])


@cache
def _code_hash() -> str:
    folder = Path(synth.__file__).parent
    digest = sha256()
    for file in sorted([*folder.rglob("*.py"), *folder.rglob("*.md")]):
        digest.update(file.read_bytes())
    return digest.hexdigest()
