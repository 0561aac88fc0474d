"""The environments of the logs beside those trained on, for the page."""

from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

from envscaler_eval.errors import UsageError
from envscaler_eval.results.manifest import training_packs
from envscaler_eval.results.report.page import PageFigure, Section, page_tables
from envscaler_eval.results.similarity.comparison import THRESHOLD, compare_texts
from envscaler_eval.results.similarity.map_figure import map_svg
from envscaler_eval.results.similarity.report import similarity_document, similarity_report
from envscaler_eval.results.similarity.texts import named_texts, pack_texts
from envscaler_eval.results.table import ResultTable

# Task -> the benchmark whose environments its samples are of.
_BENCHMARK_OF = MappingProxyType(
    {"acebench_agent": "acebench", "bfcl_multi_turn": "bfcl", "tau_bench": "tau_bench"}
)
# Below, neighbours in the plane say nothing.
_FEWEST = 4
# Inches, for letters that can be read on a phone.
_SIZE = (5.0, 4.6)


def similarity_section(
    table: ResultTable, train: Sequence[str], data_dir: Path | None
) -> Section | None:
    """Map the environments of the logs and those trained on; `None` if it would say nothing.

    Args:
        table: The logs.
        train: Packs that were trained on, by id or folder; by default those of the
            library's training split.
        data_dir: A folder that holds a folder for each benchmark.

    Raises:
        UsageError: A pack that was trained on cannot be read.
    """
    trained = pack_texts(training_packs(train))
    known = {text.id for text in trained}
    tests, notes = [], []
    for name in _tested(table):
        if name in known or Path(name).name in known:
            continue
        try:
            tests += named_texts([name], data_dir)
        except UsageError as fault:
            notes.append(f"not on the map: {fault.message}")
    tests = [text for text in tests if text.id not in known]
    if not tests or len(trained) + len(tests) < _FEWEST:
        return None
    report = similarity_report(compare_texts(trained, tests), THRESHOLD)
    document = similarity_document(report, notes)
    return Section(
        id="similarity",
        title="Similarity",
        lead=(
            "Environments of the logs that were not trained on, beside those that were, by their "
            "introductions and tools. Filled marks: trained on."
        ),
        figures=(
            PageFigure(
                title="Map of environments",
                alternative="Each environment's nearest to train on: "
                + "; ".join(
                    f"{pair.test}: {pair.train}, similarity {pair.similarity:.3f}"
                    for pair in report.nearest
                ),
                svg=map_svg(report, *_SIZE),
                tables=page_tables(document.tables),
            ),
        ),
        notes=document.notes,
    )


def _tested(table: ResultTable) -> list[str]:
    """Return the packs and benchmarks that the logs are of."""
    packs = dict.fromkeys(
        str(row.metadata["pack"])
        for row in table.rows
        if row.log.task == "envscaler" and "pack" in row.metadata
    )
    benchmarks = [_BENCHMARK_OF[task] for task in table.tasks if task in _BENCHMARK_OF]
    return [*packs, *benchmarks]
