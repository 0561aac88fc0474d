"""The card of a data set of packs: what it holds, and how well it is proven."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment as Templates
from jinja2 import FileSystemLoader, StrictUndefined

from envscaler_eval import core_yaml
from envscaler_eval.audit import audited_hash
from envscaler_eval.exports.tables import Table, card_header
from envscaler_eval.pack import Pack


def dataset_card(packs: Sequence[Pack], tables: Mapping[str, Table], name: str) -> str:
    """Return the card: YAML header and text.

    The numbers are those that `envscaler audit --record` wrote into the packs. A
    pack that has changed since, or was never audited, is said to be so.

    Args:
        packs: The packs in the data set.
        tables: Its tables.
        name: What to call it.
    """
    splits = sorted({pack.info.split for pack in packs}, reverse=True)
    header = core_yaml.dump(_facts_of_all(packs, name)) + card_header(tables)
    text = (
        Templates(
            loader=FileSystemLoader(Path(__file__).parent),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        .get_template("dataset_card.md.j2")
        .render(
            name=name,
            licences=sorted({pack.info.licence for pack in packs}),
            splits=[(split, *_sizes(packs, split)) for split in splits],
            packs=[_facts(pack) for pack in sorted(packs, key=lambda pack: pack.info.id)],
            tables={title: list(table.columns) for title, table in tables.items()},
        )
    )
    return f"---\n{header}---\n\n{text}"


def _facts_of_all(packs: Sequence[Pack], name: str) -> dict[str, Any]:
    licences = {pack.info.licence.lower() for pack in packs}
    return {
        "pretty_name": name,
        "license": licences.pop() if len(licences) == 1 else "other",
        "language": ["en"],
        "tags": ["agents", "tool-use", "environments", "envscaler-eval"],
    }


def _sizes(packs: Sequence[Pack], split: str) -> tuple[int, int]:
    chosen = [pack for pack in packs if pack.info.split == split]
    return len(chosen), sum(len(pack.scenarios) for pack in chosen)


def _facts(pack: Pack) -> dict[str, Any]:
    quality = pack.info.quality
    if not quality:
        state = "not audited"
    elif quality.get("audited") != audited_hash(pack):
        state = "changed since its audit"
    else:
        state = "passed" if quality.get("passed") else "not passed"
    return {
        "info": pack.info,
        "scenarios": len(pack.scenarios),
        "ungraded": sum(not scenario.checks for scenario in pack.scenarios),
        "unsolved": sum(not scenario.solution for scenario in pack.scenarios),
        "audit": state,
        "quality": quality if state in ("passed", "not passed") else {},
    }
