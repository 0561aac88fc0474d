"""What is told of curves over the number of environments."""

from collections.abc import Iterator, Sequence

from pydantic import TypeAdapter

from envscaler_eval.results.document import Document, PlainTable
from envscaler_eval.results.scaling.curve import Curve
from envscaler_eval.results.scaling.forms import Fit
from envscaler_eval.results.tables import few_clusters, p_value, with_interval


def scaling_document(curves: Sequence[Curve], remarks: Sequence[str] = ()) -> Document:
    """Tell of curves: scores, gains and forms of each benchmark.

    Args:
        curves: The curves.
        remarks: What else a reader has to know.
    """
    tables = (table for curve in curves for table in _tables(curve))
    notes = (note for curve in curves for note in _notes(curve))
    numbers = TypeAdapter(Sequence[Curve]).dump_json(curves, indent=2)
    return Document("Environments and skill", tuple(tables), (*notes, *remarks), numbers)


def _tables(curve: Curve) -> Iterator[PlainTable]:
    clusters = curve.points[0].score.clusters
    yield PlainTable(
        title=f"{curve.task}: {curve.samples} samples in {clusters} clusters",
        headers=("environments", f"{curve.score} [95%]"),
        rows=tuple((str(one.environments), with_interval(one.score)) for one in curve.points),
    )
    yield PlainTable(
        title=f"{curve.task}: from step to step",
        headers=("environments", "gain [95%]", "per 10", "p", "p (Holm)"),
        rows=tuple(
            (
                f"{step.start} to {step.end}",
                with_interval(step.gain, sign=True),
                f"{step.per_ten:+.3f}",
                p_value(step.gain.p),
                p_value(step.adjusted_p),
            )
            for step in curve.steps
        ),
        note="Gains are paired by sample and tested by sign flips of clusters.",
    )
    if curve.forms:
        yield PlainTable(
            title=f"{curve.task}: forms of the curve",
            headers=("form", "parameters", "misfit (freedom)", "AIC", "weight"),
            rows=tuple(
                (
                    fit.formula,
                    _parameters(fit),
                    f"{fit.misfit:.1f} ({fit.freedom})",
                    f"{fit.aic:.1f}",
                    f"{fit.weight:.2f}",
                )
                for fit in curve.forms
            ),
            note="n: environments. weight: of the evidence, among these forms (Akaike).",
        )


def _parameters(fit: Fit) -> str:
    if fit.open_ended:
        return "no ceiling in sight"
    return ", ".join(f"{name} {value:.3f}" for name, value in fit.parameters.items())


def _notes(curve: Curve) -> Iterator[str]:
    yield (
        f"{curve.task}: that scores rise has p {p_value(curve.trend.p)} by Page's test over "
        f"clusters, {p_value(curve.adjusted_p)} by Holm over benchmarks"
    )
    contrast = curve.first_against_later
    if contrast is not None:
        yield (
            f"{curve.task}: the first step brings more than all later ones together by "
            f"{with_interval(contrast, sign=True)}, p {p_value(contrast.p)}"
        )
    yield from few_clusters(curve.task, curve.points[0].score)
    if not curve.forms:
        yield (
            f"{curve.task}: no forms were fitted, since scores vary too little or in too few "
            "clusters"
        )
