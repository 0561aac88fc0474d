"""The command that makes packs of assessed environments."""

from typing import Annotated

import typer
from rich.console import Console

from envscaler_eval.cli.audit import print_cards
from envscaler_eval.cli.engine_options import (
    CPUS,
    MEMORY,
    RAY_ADDRESS,
    SLURM_DIR,
    SLURM_OPTION,
    SUBMIT,
)
from envscaler_eval.cli.synth import (
    Concurrency,
    Connections,
    Model,
    ModelRole,
    Out,
    PriceTable,
    ResponseSchema,
    WeakIsolation,
)
from envscaler_eval.cli.synth_engines import ENGINE, STORE, WORKERS, chosen_places, tell_outcome
from envscaler_eval.errors import UsageError


def scenarios(
    out: Out,
    model: Model = None,
    model_role: ModelRole = None,
    envs: Annotated[
        str | None, typer.Option(help="Ids of environments, comma-separated; all else.")
    ] = None,
    states: Annotated[int, typer.Option(min=1, help="Initial states of an environment.")] = 3,
    tasks: Annotated[int, typer.Option(min=1, help="Tasks tried in each state.")] = 4,
    fewest_records: Annotated[int, typer.Option(min=1, help="Records in a state.")] = 20,
    turns: Annotated[int, typer.Option(min=1, help="How often the solver is asked.")] = 16,
    calls: Annotated[int, typer.Option(min=1, help="Calls that the solver may make.")] = 60,
    repairs: Annotated[int, typer.Option(min=0, help="How often faults go back.")] = 2,
    accept_unsolved: Annotated[
        bool, typer.Option("--accept-unsolved", help="Keep what nobody solved, as EnvScaler does.")
    ] = False,
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
    """Give the environments of a run scenarios that are solved and audited.

    Takes what `synth skeletons` has kept in the same folder, and writes packs. Exits
    with 1 when no pack passes the audit, or something is unfinished. With several workers,
    another engine or a store, the scenarios of each environment are made by one worker.
    """
    from envscaler_eval.audit import Selection, audit_packs, record_quality
    from envscaler_eval.cli.synth_display import Display
    from envscaler_eval.isolation import IsolationPolicy
    from envscaler_eval.prices import read_prices
    from envscaler_eval.synth.artefacts import Artefacts
    from envscaler_eval.synth.models import Models, role_models
    from envscaler_eval.synth.pack_folders import write_packs
    from envscaler_eval.synth.scen_generator.build import ORDER, ScenGenerator
    from envscaler_eval.synth.scen_generator.proving import ProofRules
    from envscaler_eval.synth.scen_generator.solving import SolverRules
    from envscaler_eval.synth.skel_builder import kept_skeletons

    isolation = IsolationPolicy(allow_weak=allow_weak_isolation)
    generator = ScenGenerator(
        states,
        tasks,
        fewest_records,
        ProofRules(SolverRules(turns, calls), repairs, accept_unsolved),
        isolation,
    )
    models = Models(
        model, role_models(model_role or []), max_connections, response_schema=response_schema
    )
    priced = read_prices(prices)
    skeletons = kept_skeletons(out, envs.split(",") if envs else [])
    if not skeletons:
        raise UsageError(
            f"{out}: holds no environments; make them with `envscaler synth skeletons`"
        )
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
            lambda run: generator.generate_all(run, skeletons),
            lambda shared: shared.generate(generator, skeletons),
        )
        folders = write_packs(outcome.made, out / "packs")
    cards = audit_packs([Selection(folder) for folder in folders], 1, isolation=isolation)
    if cards:
        for folder, card in zip(folders, cards, strict=True):
            record_quality(folder, card)
        print_cards(console, cards)
    tell_outcome(console, outcome, places, is_good=any(card.passed for card in cards))
