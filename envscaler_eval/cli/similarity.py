"""The command that compares environments to train on with those of tests."""

from pathlib import Path
from typing import Annotated

import typer

from envscaler_eval.cli.log_options import (
    ACCEPT_DIFFERENCES,
    HTML,
    JSON,
    MARKDOWN,
    REPEATS_AS_TRIALS,
    SCORE,
    tell,
)
from envscaler_eval.output_files import check_writable


def similarity(
    train: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ENV]...",
            help="Packs to train on, by id or folder, or a folder of packs; by default the "
            "library's training split.",
        ),
    ] = None,
    to: Annotated[
        list[str] | None,
        typer.Option(
            help="What to compare with: acebench, bfcl, tau_bench, or a pack; may be repeated. "
            "By default the library's test packs and the benchmarks whose data is there."
        ),
    ] = None,
    representation: Annotated[
        str,
        typer.Option(
            help="tfidf; minilm, openai/MODEL or a model of sentence-transformers (needs the "
            "extra 'embeddings')."
        ),
    ] = "tfidf",
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="Similarity from which two are duplicates.")
    ] = 0.8,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if there are duplicates.")
    ] = False,
    gain: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="BEFORE AFTER",
            help="Logs or folders of the model before and after training on these packs: does it "
            "gain more where tests are similar?",
        ),
    ] = None,
    score: SCORE = None,
    repeats_as_trials: REPEATS_AS_TRIALS = False,
    accept_differences: ACCEPT_DIFFERENCES = False,
    subsets: Annotated[
        int | None,
        typer.Option(help="Write manifests of so many most and least similar packs to --out."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder for manifests.")] = Path("subsets"),
    markdown_file: MARKDOWN = None,
    json_file: JSON = None,
    html_file: HTML = None,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the map of environments to this .svg file.")
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="A folder that holds a folder for each benchmark.")
    ] = None,
) -> None:
    """Tell how similar environments to train on are to those of tests.

    Compares introductions and tools, lists duplicates, and writes the manifests of the most
    and the least similar packs.
    """
    from dataclasses import replace

    from envscaler_eval.results.aligning import score_grids
    from envscaler_eval.results.comparing import Accepted
    from envscaler_eval.results.figures import write_svg
    from envscaler_eval.results.labels import by_player, read_labelled
    from envscaler_eval.results.manifest import training_packs
    from envscaler_eval.results.similarity.comparison import compare_texts
    from envscaler_eval.results.similarity.gain import AFTER, BEFORE, gain_relations
    from envscaler_eval.results.similarity.map_figure import map_svg
    from envscaler_eval.results.similarity.report import similarity_document, similarity_report
    from envscaler_eval.results.similarity.selection import write_subsets
    from envscaler_eval.results.similarity.texts import named_texts, pack_texts, texts_at_hand
    from envscaler_eval.results.tables import remarks

    check_writable(markdown_file, json_file, html_file, figure)
    packs = training_packs(train or ())
    tests, left_out = (named_texts(to, data_dir), []) if to else texts_at_hand(data_dir)
    comparison = compare_texts(pack_texts(packs), tests, representation)
    report, notes = similarity_report(comparison, threshold), left_out
    if gain:
        logs = read_labelled([f"{BEFORE}={gain[0]}", f"{AFTER}={gain[1]}"], by_player)
        grids = score_grids(logs, Accepted(accept_differences, repeats_as_trials), score)
        report = replace(report, gains=gain_relations(grids, logs.tables[AFTER], comparison))
        notes += remarks(logs, grids)
    tell(similarity_document(report, notes), markdown_file, json_file, html_file)
    if subsets is not None:
        for manifest in write_subsets(comparison, packs, subsets, out):
            names = ", ".join(chosen.id for chosen in manifest.environments)
            typer.echo(f"{out / manifest.name}.yaml: {names}")
    if figure:
        write_svg(figure, map_svg(report))
    if strict and report.duplicates:
        raise typer.Exit(1)
