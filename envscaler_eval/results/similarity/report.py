"""What a comparison of texts says, for people and for programs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from envscaler_eval.results.document import Document, PlainTable
from envscaler_eval.results.similarity.comparison import Comparison, Neighbour, Pair
from envscaler_eval.results.similarity.gain import (
    GainRelation,
    gain_notes,
    gain_table,
)

_SHARES = ("similarity", "tools", "parameters")


@dataclass(frozen=True)
class MapPoint:
    """An environment on the map.

    Attributes:
        id: The environment.
        role: `train` or `test`.
        source: `packs`, or the benchmark that it is of.
        x: Where it is; only who is near whom means something.
        y: Likewise.
    """

    id: str
    role: str
    source: str
    x: float
    y: float


@dataclass(frozen=True)
class SimilarityReport:
    """What a comparison of training with test environments says.

    Attributes:
        representation: How texts became vectors.
        nearest: For each test environment the nearest training environment.
        ranking: The training environments, by their similarity to the closest of the test.
        similarity: Test environment -> training environment -> cosine.
        threshold: From where two environments pass for duplicates.
        closest: The two environments, of whichever side, that are most alike.
        duplicates: The pairs that pass for copies, the closest first.
        map: All environments in the plane.
        gains: How gains of training go with similarity, for each benchmark that logs were
            given of.
    """

    representation: str
    nearest: list[Neighbour]
    ranking: list[tuple[str, float]]
    similarity: dict[str, dict[str, float]]
    threshold: float
    closest: Pair
    duplicates: list[Pair]
    map: list[MapPoint]
    gains: list[GainRelation] = field(default_factory=list)


def similarity_report(comparison: Comparison, threshold: float) -> SimilarityReport:
    """Put together what a comparison says; see `SimilarityReport`."""
    roles = [("train", text) for text in comparison.train]
    roles += [("test", text) for text in comparison.test]
    places = comparison.map().tolist()
    columns = comparison.matrix.T.tolist()
    train = [text.id for text in comparison.train]
    pairs = comparison.pairs()
    return SimilarityReport(
        comparison.representation,
        comparison.nearest(),
        comparison.ranking(),
        {
            text.id: dict(zip(train, column, strict=True))
            for text, column in zip(comparison.test, columns, strict=True)
        },
        threshold,
        pairs[0],
        [pair for pair in pairs if pair.closeness >= threshold],
        [
            MapPoint(text.id, role, text.source, x, y)
            for (role, text), (x, y) in zip(roles, places, strict=True)
        ],
    )


def similarity_document(report: SimilarityReport, remarks: Sequence[str] = ()) -> Document:
    """Tell of a report.

    Args:
        report: The report.
        remarks: What else a reader has to know.
    """
    numbers = TypeAdapter(SimilarityReport).dump_json(report, indent=2)
    return Document("Similarity", tuple(_tables(report)), (*_notes(report), *remarks), numbers)


def _tables(report: SimilarityReport) -> Iterator[PlainTable]:
    yield PlainTable(
        title=f"Test environments and the nearest to train on ({report.representation})",
        headers=("test environment", "nearest to train on", *_SHARES),
        rows=tuple((near.test, near.train, *_shares(near)) for near in report.nearest),
        note=(
            "similarity: cosine of introductions and tools. tools, parameters: share of names "
            "that both have (Jaccard)."
        ),
    )
    yield PlainTable(
        title="Environments to train on, by their closest test environment",
        headers=("to train on", "similarity"),
        rows=tuple((env, f"{value:.3f}") for env, value in report.ranking),
    )
    if report.duplicates:
        yield PlainTable(
            title=f"Duplicates: similarity or tools of {report.threshold:g} or more",
            headers=("environment", "and its copy", *_SHARES),
            rows=tuple((pair.first, pair.second, *_shares(pair)) for pair in report.duplicates),
        )
    if report.gains:
        yield gain_table(report.gains)


def _notes(report: SimilarityReport) -> Iterator[str]:
    if not report.duplicates:
        closest = report.closest
        yield (
            f"no duplicates: similarity and tools are below {report.threshold:g}; closest are "
            f"{closest.first} and {closest.second}, {closest.closeness:.3f}"
        )
    yield from gain_notes(report.gains)


def _shares(pair: Neighbour | Pair) -> tuple[str, ...]:
    shares = (pair.similarity, pair.overlap.tools, pair.overlap.parameters)
    return tuple(f"{share:.3f}" for share in shares)
