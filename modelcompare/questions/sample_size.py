"""`sample_size`: what to buy to detect a difference: samples, runs, test sets or labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from modelcompare import plugs
from modelcompare.arguments import checked
from modelcompare.comparison.planning import Settings
from modelcompare.data.given_arrays import check_asked
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.classes import ValueLike
from modelcompare.options import check_positive
from modelcompare.questions.claims import check_margin
from modelcompare.questions.components import Dimension, Pilot
from modelcompare.questions.contrast import Contrast
from modelcompare.questions.pilot import PilotDifference
from modelcompare.questions.sizes import SampleSize
from modelcompare.words import GeneralizeToOfSets, ZeroDivision


@checked(predictions=partial(check_asked, need="blocks"), margin=check_positive)
def sample_size(
    predictions: TestSet | Mapping[str, TestSet],
    model_a: str,
    model_b: str,
    metric: ValueLike = "f1_macro",
    *,
    margin: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    confidence_level: float = 0.95,
    generalize_to: GeneralizeToOfSets = "auto",
    zero_division: ZeroDivision = math.nan,
    cost_item: float | None = None,
    cost_run: float | None = None,
) -> SampleSize:
    """Compute the samples, runs, test sets or labels that are needed to detect a difference.

    From the models' influence functions on a pilot, for any smooth metric. Where items alone vary,
    the standard error of a paired difference falls with the root of their number. Runs of the
    models, and test sets, add parts to the variance that more items do not reduce: the answer is
    then a frontier of numbers that are enough.

    Parameters
    ----------
    predictions : Predictions, or mapping of str to Predictions
        A pilot that holds both models: a test set, or several by name. By default the answer is for
        these test sets, and declared `runs` of the models stand for new runs; see `generalize_to`.
        Beside a judge its labels are the pilot, and as many are planned for each test set.
    model_a, model_b : str
        The models; differences are a - b.
    metric : str, metric or callable, or a pair of it and a class
        What they are compared by, as in `paired_test`.
    margin : float, optional
        The difference to detect, in units of the metric; by default the observed one.
    alpha, power : float
        Two-sided level, and the probability wanted of finding the difference.
    confidence_level : float
        Of the interval whose width is predicted, 1 - `alpha`; give one of the two.
    generalize_to : {"auto", "items", "items+runs", "sets", "sets+runs"}
        As in `compare_groups`. With "items" the answer is for the runs and test sets of the pilot,
        if it has several, with "items+runs" for new runs: how many of each model are needed with
        how many items. With "sets" and "sets+runs" it is for new test sets: how many are needed.
        "auto" is for these test sets, and for new runs as in `compare`.
    zero_division : float or "paper"
        See `modelcompare.get_metric`.
    cost_item, cost_run : float, optional
        Cost of an item of a test set, or of a label beside a judge, and of a run of one model,
        which both models need. The cheapest numbers are marked.

    Returns
    -------
    SampleSize
        Answers, a curve, a frontier, a sentence, and figures.

    Raises
    ------
    ValueError
        If the metric is not smooth, is per class and names no class, a level is not in (0, 1),
        nothing varies, a cost is missing, test sets have separate runs, or the answer beside a
        judge is for new ones; or if few samples decide: the default interval is then more than
        three times as wide as the standard error predicts, as that of a macro average on samples of
        one class.

    Warns
    -----
    SparseDataWarning
        If intervals may cover less than their level, or a model has fewer than five runs; see
        `compare`.

    Notes
    -----
    The observed difference is itself uncertain; a sample size computed from it is as uncertain,
    squared. Give the smallest difference that would matter as `margin` instead.

    Components are those of the analysis of variance, unbiased and not below 0. The predicted power
    is the mean over the errors that the future test may estimate, with Student's quantile of the
    degrees of freedom that follow from each, as in `compare`. With few runs it is far from the
    normal quantile.

    Labels are planned by the cells and the variance of `compare`, with an added label in each cell:
    a pilot of few labels asks for more than a longer one would. Of a judge whose scores have many
    values cells are fifths of them, and labels drawn at random may be fewer. On several test sets
    labels are too few where each has about a hundred, as intervals of few labels are wider than
    planned: in simulations of three sets the power was 0.72 (0.78 if allocated), not 0.8.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> print(mc.sample_size(preds, "bow_pair", "naive_bayes", "f1[neutral]").sentence())
    f1 of neutral: bow_pair - naive_bayes = +0.01209 on 9,824 samples. This test set detects
    differences of 0.016 or more (power 0.8, alpha 0.05); the observed one needs about 17,918
    samples.
    """
    pilot_of: Callable[..., PilotDifference]
    pilot_of = plugs.answering(predictions, "sample_size", PilotDifference.of)
    settings = Settings(generalize_to=generalize_to, zero_division=zero_division, collapse=False)
    found = pilot_of(predictions, (model_a, model_b), metric, settings)
    first = found.contrast
    plan = found.plan
    check_margin(margin or 0.0, first.metric)
    pilot = found.pilot if plan is None else plan.pilot
    _check_costs(pilot.components.varied, cost_item, cost_run)
    _check_spread(pilot, first, model_a, model_b)
    found.check_data()
    return SampleSize(
        components=pilot.components, size=pilot.size,
        margin=abs(found.difference) if margin is None else margin, alpha=alpha, power=power,
        cost_item=cost_item, cost_run=cost_run, model_a=model_a, model_b=model_b,
        metric=first.metric.name, label=first.label, difference=found.difference,
        confidence_level=confidence_level, unit=first.unit, notes=(*found.notes, *pilot.notes),
        plan=plan, scope=found.scope, words=found.words(pilot.size),
    )  # fmt: skip


def _check_spread(pilot: Pilot, contrast: Contrast, model_a: str, model_b: str) -> None:
    """Refuse a pilot on whose samples the difference does not vary."""
    if pilot.components.standard_error(pilot.size) == 0:
        raise ValueError(
            f"{model_a} and {model_b} differ in {contrast.metric.name} by the same on every one of "
            f"the {contrast.n_units:,} {contrast.unit}; without any spread there is nothing to "
            "plan from. Take a larger pilot test set."
        )


def _check_costs(
    varied: Sequence[Dimension], cost_item: float | None, cost_run: float | None
) -> None:
    """Refuse costs but of all that could be bought."""
    costs = {"items": cost_item, "runs": cost_run}
    given = {name for name, cost in costs.items() if cost is not None}
    if given and given != {"items", *varied} & {*costs}:
        raise ValueError(
            "`cost_item` and `cost_run` (--cost-item, --cost-run) weigh items against new runs: "
            "give both for a pilot that shows how new runs vary, else `cost_item` alone."
        )
