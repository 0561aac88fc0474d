"""What a comparison of texts says, for people and for programs."""

from dataclasses import dataclass

from tabulate import tabulate

from envscaler_eval.results.similarity.comparison import Comparison, Neighbour


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
        duplicates: The pairs of a test and a training environment that do.
        map: All environments in the plane.
    """

    representation: str
    nearest: list[Neighbour]
    ranking: list[tuple[str, float]]
    similarity: dict[str, dict[str, float]]
    threshold: float
    duplicates: list[Neighbour]
    map: list[MapPoint]


def similarity_report(comparison: Comparison, threshold: float) -> SimilarityReport:
    """Put together what a comparison says; see `SimilarityReport`."""
    roles = [("train", text) for text in comparison.train]
    roles += [("test", text) for text in comparison.test]
    places = comparison.map().tolist()
    columns = comparison.matrix.T.tolist()
    train = [text.id for text in comparison.train]
    return SimilarityReport(
        comparison.representation,
        comparison.nearest(),
        comparison.ranking(),
        {
            text.id: dict(zip(train, column, strict=True))
            for text, column in zip(comparison.test, columns, strict=True)
        },
        threshold,
        comparison.duplicates(threshold),
        [
            MapPoint(text.id, role, text.source, x, y)
            for (role, text), (x, y) in zip(roles, places, strict=True)
        ],
    )


def similarity_text(report: SimilarityReport) -> str:
    """Return the tables of a report for the terminal."""
    nearest = tabulate(
        [_cells(pair) for pair in report.nearest],
        ["test environment", "nearest to train on", "similarity", "tools", "parameters"],
        floatfmt=".3f",
    )
    ranking = tabulate(report.ranking, ["to train on", "to its closest test"], floatfmt=".3f")
    told = [
        f"Similarity: cosine of introductions and tools ({report.representation}). Tools, "
        "parameters:\nshare of names that both have (Jaccard).",
        nearest,
        ranking,
    ]
    if report.duplicates:
        copies = tabulate(
            [_cells(pair) for pair in report.duplicates],
            ["test environment", "to train on", "similarity", "tools", "parameters"],
            floatfmt=".3f",
        )
        told += [f"Duplicates, similarity or tools {report.threshold:g} or more:", copies]
    else:
        told.append(f"No duplicates: no pair has similarity or tools of {report.threshold:g} or more.")
    return "\n\n".join(told)


def _cells(pair: Neighbour) -> tuple[str, str, float, float, float]:
    return (pair.test, pair.train, pair.similarity, pair.overlap.tools, pair.overlap.parameters)
