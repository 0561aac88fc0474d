"""The command that compares environments to train on with those of tests."""

from pathlib import Path
from typing import Annotated

import typer


def similarity(
    train: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ENV]...",
            help="Packs to train on, by id or folder; by default those of the library's split.",
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
    subsets: Annotated[
        int | None,
        typer.Option(help="Write manifests of so many most and least similar packs to --out."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder for manifests.")] = Path("subsets"),
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all of it to this file.")
    ] = None,
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

    from pydantic import TypeAdapter

    from envscaler_eval.results.grid import score_grids
    from envscaler_eval.results.labels import by_player, read_labelled
    from envscaler_eval.results.manifest import training_packs
    from envscaler_eval.results.plain_table import as_text
    from envscaler_eval.results.similarity.comparison import compare_texts
    from envscaler_eval.results.similarity.gain import (
        AFTER,
        BEFORE,
        gain_notes,
        gain_relations,
        gain_table,
    )
    from envscaler_eval.results.similarity.map_figure import draw_map
    from envscaler_eval.results.similarity.report import (
        SimilarityReport,
        similarity_notes,
        similarity_report,
        similarity_tables,
    )
    from envscaler_eval.results.similarity.selection import write_subsets
    from envscaler_eval.results.similarity.texts import named_texts, pack_texts, texts_at_hand
    from envscaler_eval.results.tables import remarks

    packs = training_packs(train or ())
    tests, left_out = (named_texts(to, data_dir), []) if to else texts_at_hand(data_dir)
    comparison = compare_texts(pack_texts(packs), tests, representation)
    report = similarity_report(comparison, threshold)
    tables, notes = similarity_tables(report), similarity_notes(report) + left_out
    if gain:
        logs = read_labelled([f"{BEFORE}={gain[0]}", f"{AFTER}={gain[1]}"], by_player)
        grids = score_grids(logs)
        report = replace(report, gains=gain_relations(grids, logs.tables[AFTER], comparison))
        tables.append(gain_table(report.gains))
        notes += gain_notes(report.gains) + remarks(logs, grids)
    typer.echo(as_text(tables, notes))
    if subsets is not None:
        for manifest in write_subsets(comparison, packs, subsets, out):
            names = ", ".join(chosen.id for chosen in manifest.environments)
            typer.echo(f"{out / manifest.name}.yaml: {names}")
    if json_file:
        json_file.write_bytes(TypeAdapter(SimilarityReport).dump_json(report, indent=2))
    if figure:
        draw_map(report, figure)
    if strict and report.duplicates:
        raise typer.Exit(1)
