"""Agreement of two metrics on which model is better (Yacouby & Axman 2020, section 6.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import pandas as pd

from modelcompare.arguments import checked, written_out
from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.comparison.planning import Settings
from modelcompare.data.test_set import TestSet
from modelcompare.engine.axis import long_columns, pair_rows
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.plugins.paper.agreement_result import ON_REPLICATES, AgreementStudy
from modelcompare.plugins.paper.pairs import (
    PAPER_PAIRS,
    MetricPairs,
    Pair,
)
from modelcompare.plugins.paper.ranking_consistency import share_interval, times_drawn
from modelcompare.plugins.paper.words import AgreementTest
from modelcompare.resampling.seeds import RngLike, rng_label, seed_sequence
from modelcompare.significance import PairView, run_test
from modelcompare.significance.pairwise import all_pairs
from modelcompare.words import (
    GeneralizeTo,
    ZeroDivision,
    giving,
    listed,
)

DEFAULT_TEST: AgreementTest = "t"


@checked(predictions=giving("blocks", by_design=True))
@one_blas_thread()
@written_out(tests=listed(AgreementTest))
def agreement_study(
    predictions: TestSet, pairs: Sequence[str | Pair] = PAPER_PAIRS, *, alpha: float = 0.01,
    test: AgreementTest = DEFAULT_TEST, n_resamples: int = 1000, confidence_level: float = 0.99,
    generalize_to: GeneralizeTo = "auto", zero_division: ZeroDivision | None = None,
    rng: RngLike = 0,
) -> AgreementStudy:  # fmt: skip
    """Count how often two metrics prefer the same model, over all pairs of models.

    Parameters
    ----------
    predictions : Predictions
        Test set and at least two models.
    pairs : sequence of (str, str) or str
        Pairs of metrics; a single name is paired with its probabilistic twin.
    alpha : float
        Level at which a difference counts as significant, under each of the two metrics:
        1 - `confidence_level`. Give one of the two.
    test : str
        One of {tests}.
        "t" is Welch's t-test between the two models' bootstrap replicates, "paired-t" the paired
        t-test on them; the paper does not state which of the two it used. Both treat replicates as
        data, so that with more resamples more differences become significant, even between nearly
        equal models: use them only to reproduce the paper, and the other tests for conclusions
        about the models.
    n_resamples : int
        Number of resamples, swaps or sign flips.
    confidence_level : float
        Confidence level of the interval of the percentage that agrees, 1 - `alpha`. Models are
        resampled, not pairs, because pairs share models.
    generalize_to : {"auto", "items", "items+runs"}
        What varies, as in `compare`. For new runs, and beside a judge, the default test is "wald".
    zero_division, rng
        As in `variance_study`.

    Returns
    -------
    AgreementStudy
        Frames `table` and `pairs`; `population()` compares with the order on the whole test set.

    Raises
    ------
    ValueError
        If there is a single model, or the test is unknown.

    References
    ----------
    .. [1] Yacouby & Axman (2020), table 1 (% agree),
       https://aclanthology.org/2020.eval4nlp-1.9
    .. [2] Ling, Huang & Zhang (2003), AUC: a statistically consistent and more discriminating
       measure than accuracy, IJCAI.

    Examples
    --------
    >>> import modelcompare as mc
    >>> study = mc.studies.agreement_study(mc.load_example("snli"), ["f1"], test="wald")
    >>> study.table[["label", "n_pairs", "n_significant", "n_agree"]]
               label  n_pairs  n_significant  n_agree
    0     entailment        6              5        4
    1        neutral        6              5        5
    2  contradiction        6              6        5
    """
    if len(predictions.models) < 2:
        raise ValueError("agreement is over pairs of models; there is 1 model.")
    metric_pairs = MetricPairs.of(pairs, predictions, zero_division)
    seed = seed_sequence(rng)
    settings = Settings(generalize_to=generalize_to, n_resamples=n_resamples, rng=seed)
    sample = metric_pairs.prepare(predictions, settings)
    test = cast("AgreementTest", sample.design.chosen("test", test, DEFAULT_TEST))
    view = PairView(sample, all_pairs(len(predictions.models)), n_resamples)
    p_values = run_test(ON_REPLICATES.get(test, test), view).p_value
    table, of_pairs = _frames(view, p_values, metric_pairs, alpha, confidence_level)
    return AgreementStudy(
        predictions=predictions, metric_pairs=metric_pairs, alpha=alpha, test=test,
        n_resamples=n_resamples, confidence_level=confidence_level, table=table, pairs=of_pairs,
        seed=seed, seed_label=rng_label(rng), scope=view.sample.scope,
    )  # fmt: skip


def _frames(
    view: PairView, p_values: FloatArray, metric_pairs: MetricPairs, alpha: float,
    confidence_level: float,
) -> tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    """Make `AgreementStudy.table` and `AgreementStudy.pairs`."""
    models = pair_rows(view.evaluation.models, *view.pairs)
    drawn, n_pairs = times_drawn(len(view.evaluation.models), view.seed), len(view.model_a)
    table, of_pairs = [], []
    for metrics, a, b in metric_pairs.positions(view.evaluation):
        keys = view.evaluation.keys[a]
        d_a, d_b, p_a, p_b = (n[:, side] for n in (view.estimate, p_values) for side in (a, b))
        significant = (p_a < alpha) & (p_b < alpha)
        agree = np.sign(d_a) == metric_pairs.sense(**metrics) * np.sign(d_b)
        of_pairs.append(long_columns(
            {**models, **metrics}, keys, difference_a=d_a, difference_b=d_b, p_value_a=p_a,
            p_value_b=p_b, significant=significant, agree=agree,
        ))  # fmt: skip
        both = significant & agree
        n_significant, n_agree = significant.sum(axis=0), both.sum(axis=0)
        with np.errstate(invalid="ignore"):
            share = 100 * n_agree / n_significant
        low, high = share_interval(both, significant, drawn, confidence_level)
        table.append(long_columns(
            {name: [metric] for name, metric in metrics.items()}, keys, n_pairs=n_pairs,
            n_significant=n_significant, pct_significant=100 * n_significant / n_pairs,
            n_agree=n_agree, pct_agree=share, ci_low=low, ci_high=high, **_of_ling(d_a, d_b, agree),
        ))  # fmt: skip
    frame, pairs = (metric_pairs.frame(rows).drop(columns="metric") for rows in (table, of_pairs))
    # As in pandas, integer labels become floats if others are missing.
    return frame.assign(label=pd.Series(frame["label"].tolist()).astype(object)), pairs


def _of_ling(
    difference_a: FloatArray, difference_b: FloatArray, agree: BoolArray
) -> dict[str, FloatArray]:
    """Compute consistency and discriminancy of metric b relative to metric a (Ling et al. 2003)."""
    known = np.isfinite(difference_a) & np.isfinite(difference_b)
    ordered_a, ordered_b = (known & (each != 0) for each in (difference_a, difference_b))
    both = ordered_a & ordered_b
    only_a, only_b = ((each & ~both).sum(axis=0) for each in (ordered_a, ordered_b))
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "consistency": (both & agree).sum(axis=0) / both.sum(axis=0),
            "discriminancy": only_b / only_a,
        }
