"""The commands that synthesise environments."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from envscaler_eval.cli.engine_options import (
    CPUS,
    MEMORY,
    RAY_ADDRESS,
    SLURM_DIR,
    SLURM_OPTION,
    SUBMIT,
)
from envscaler_eval.cli.synth_engines import ENGINE, STORE, WORKERS, chosen_places, tell_outcome
from envscaler_eval.errors import UsageError

synth = typer.Typer(help="Make environments and scenarios with language models.",
                    no_args_is_help=True)  # fmt: skip

Model = Annotated[
    str | None, typer.Option(help="For all roles, by Inspect's name; INSPECT_EVAL_MODEL else.")
]
ModelRole = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ROLE=MODEL",
        help="For one role: miner, planner, coder, tester, checker, author. May be repeated.",
    ),
]
Out = Annotated[
    Path, typer.Option(help="The folder of the run; one that is there is gone on with.")
]
Concurrency = Annotated[int, typer.Option(min=1, help="Items worked on at once.")]
Connections = Annotated[int, typer.Option(min=1, help="Requests at once to one model.")]
ResponseSchema = Annotated[
    bool, typer.Option(help="Hand the schema of answers to providers that take one.")
]
WeakIsolation = Annotated[
    bool, typer.Option(help="Go on where this machine cannot confine programs.")
]
PriceTable = Annotated[
    Path | None,
    typer.Option(help="YAML: a model's name to {input: $, output: $} for a million tokens."),
]


@synth.command("skeletons")
def skeletons(
    tasks: Annotated[
        str,
        typer.Option(help="api-bank, toolace, a .jsonl file of {task: ...}, or one task a line."),
    ],
    out: Out,
    model: Model = None,
    model_role: ModelRole = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many tasks, drawn by chance.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Fixes what is drawn.")] = 0,
    clusters: Annotated[
        int | None, typer.Option(min=1, help="Topics to build; the silhouette decides else.")
    ] = None,
    least_score: Annotated[
        int, typer.Option(min=1, max=10, help="Of usefulness and of modelability.")
    ] = 7,
    likeness: Annotated[
        float, typer.Option(min=0, max=1, help="The cosine from which two topics are one.")
    ] = 0.75,
    representation: Annotated[
        str, typer.Option(help="Of texts: tfidf, minilm, openai/MODEL, a sentence transformer.")
    ] = "tfidf",
    fewest_tools: Annotated[int, typer.Option(min=4)] = 8,
    most_tools: Annotated[int, typer.Option(min=4)] = 24,
    rounds: Annotated[int, typer.Option(min=1, help="How often every tool is tested.")] = 2,
    situations: Annotated[int, typer.Option(min=1, help="Initial states to test in.")] = 2,
    pass_rate: Annotated[
        float, typer.Option(min=0, max=1, help="The least share of tests that must pass.")
    ] = 0.85,
    repairs: Annotated[int, typer.Option(min=0, help="How often faults go back.")] = 2,
    concurrency: Concurrency = 10,
    max_connections: Connections = 10,
    response_schema: ResponseSchema = True,
    prices: PriceTable = None,
    allow_weak_isolation: WeakIsolation = False,
    engine: ENGINE = "local",
    workers: WORKERS = 1,
    store: STORE = None,
    cpus: CPUS = 1.0,
    memory_gb: MEMORY = None,
    ray_address: RAY_ADDRESS = None,
    slurm_dir: SLURM_DIR = None,
    slurm_option: SLURM_OPTION = None,
    submit: SUBMIT = False,
) -> None:
    """Build environment programs from plain tasks, and prove them.

    Exits with 1 when nothing was kept, or something is unfinished. With several workers,
    another engine or a store, each environment is made by one worker.
    """
    from envscaler_eval.cli.synth_display import Display
    from envscaler_eval.isolation import IsolationPolicy
    from envscaler_eval.prices import read_prices
    from envscaler_eval.synth.artefacts import Artefacts
    from envscaler_eval.synth.models import Models, role_models
    from envscaler_eval.synth.skel_builder import (
        ORDER,
        AssessmentRules,
        SelectionRules,
        SkelBuilder,
        draw,
        read_tasks,
        write_skeletons,
    )

    if fewest_tools > most_tools:
        raise UsageError(f"--fewest-tools {fewest_tools} is above --most-tools {most_tools}")
    builder = SkelBuilder(
        SelectionRules(least_score, likeness, clusters, representation=representation),
        fewest_tools,
        most_tools,
        AssessmentRules(rounds, situations, pass_rate, repairs),
        IsolationPolicy(allow_weak=allow_weak_isolation),
    )
    models = Models(
        model, role_models(model_role or []), max_connections, response_schema=response_schema
    )
    priced = read_prices(prices)
    found = draw(read_tasks(tasks), limit, seed)
    places = chosen_places(
        out,
        engine,
        workers,
        store,
        slurm_dir=slurm_dir,
        submit=submit,
        ray_address=ray_address,
        cpus=cpus,
        memory_gb=memory_gb,
        slurm_option=slurm_option,
    )
    console = Console()
    with Artefacts(out) as artefacts:
        outcome = places.outcome(
            artefacts,
            models,
            concurrency,
            Display(Console(stderr=True), priced, ORDER),
            lambda run: builder.build(run, found),
            lambda shared: shared.build(builder, found),
        )
        write_skeletons(outcome.made, out / "skeletons")
    for skeleton in outcome.made:
        console.print(f"{out / 'skeletons' / skeleton.id}: {skeleton.assessment.summary}")
    tell_outcome(console, outcome, places, is_good=bool(outcome.made))


@synth.command("report")
def report(
    folder: Annotated[Path, typer.Argument(help="The folder of a run, finished or not.")],
    prices: PriceTable = None,
) -> None:
    """Show how many went through each stage of a run, why others did not, and the cost."""
    from envscaler_eval.cli.synth_display import funnel_report
    from envscaler_eval.prices import read_prices
    from envscaler_eval.synth.funnel import read_funnel
    from envscaler_eval.synth.scen_generator.build import ORDER as SCENARIO_ORDER
    from envscaler_eval.synth.skel_builder import ORDER

    Console().print(funnel_report(read_funnel(folder, read_prices(prices), ORDER + SCENARIO_ORDER)))
