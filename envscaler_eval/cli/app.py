"""The commands. Each imports what it needs when it is called, to start fast."""

import sys

import typer

from envscaler_eval.cli.ablation import ablation
from envscaler_eval.cli.audit import audit, audit_benchmark
from envscaler_eval.cli.collect import collect
from envscaler_eval.cli.compare import compare_models
from envscaler_eval.cli.data import data
from envscaler_eval.cli.demo import demo
from envscaler_eval.cli.doctor import doctor
from envscaler_eval.cli.estimate import estimate
from envscaler_eval.cli.export import export_app
from envscaler_eval.cli.export_rl import export_rl
from envscaler_eval.cli.import_packs import import_app
from envscaler_eval.cli.packs import list_packs, show, validate
from envscaler_eval.cli.play import play
from envscaler_eval.cli.probe import probe
from envscaler_eval.cli.report import report
from envscaler_eval.cli.scaling import scaling
from envscaler_eval.cli.serve import serve_policy
from envscaler_eval.cli.similarity import similarity
from envscaler_eval.cli.stability import stability
from envscaler_eval.cli.sweep import sweep
from envscaler_eval.cli.sweep_plan import plan
from envscaler_eval.cli.synth import synth
from envscaler_eval.cli.synth_demo import demo as synth_demo
from envscaler_eval.cli.synth_scenarios import scenarios
from envscaler_eval.errors import UsageError

app = typer.Typer(
    name="envscaler",
    help="Executable tool environments for language-model agents, with rewards that are proven.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("demo")(demo)
app.command("list")(list_packs)
app.command("show")(show)
app.command("validate")(validate)
app.command("audit")(audit)
app.command("compare")(compare_models)
app.command("stability")(stability)
app.command("doctor")(doctor)
app.command("serve-policy")(serve_policy)
app.command("play")(play)
app.command("estimate")(estimate)
app.command("audit-benchmark")(audit_benchmark)
app.add_typer(data, name="data")
synth.command("scenarios")(scenarios)
synth.command("demo")(synth_demo)
app.add_typer(synth, name="synth")
app.command("collect")(collect)
app.add_typer(import_app, name="import")
export_app.command("rl")(export_rl)
app.add_typer(export_app, name="export")
app.add_typer(scaling, name="scaling")
app.command("similarity")(similarity)
app.command("report")(report)
app.command("probe")(probe)
app.command("ablation")(ablation)
sweep.command("plan")(plan)
app.add_typer(sweep, name="sweep")


def main() -> None:
    """Run the command line; the person's mistakes end in one line and exit code 2."""
    try:
        app()
    except UsageError as fault:
        fault.show()
        sys.exit(fault.exit_code)
