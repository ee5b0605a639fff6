"""Items times runs: components of the variance of a score due to the items and the seeds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import run_counts
from modelcompare.engine.axis import score_frame
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.metrics.registry import MetricLike
from modelcompare.resampling.seeds import RngLike, child_seed, seed_sequence
from modelcompare.resampling.weights import BootstrapWeights, GivenWeights, Units


@checked()
def variance_components(
    predictions: Predictions,
    metrics: MetricLike | Sequence[MetricLike],
    *,
    n_resamples: int = 1999,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Split the standard error of each score into items and runs.

    Every row is the result of one item in one run (seed): `predictions.groups` gives the item and
    `predictions.runs` the run. Items, runs, and both at once are resampled; the weight of a row is
    the product of the numbers of times that its item and its run were drawn.

    Parameters
    ----------
    predictions : Predictions
        Predictions with `groups` (items) and `runs`.
    metrics : str, metric, or sequence of these
        Metrics whose standard errors are split.
    n_resamples, rng
        Number of resamples of items, of runs and of both, and their seed, as in `compare`.

    Returns
    -------
    DataFrame
        Columns model, metric, label, estimate, se_items (runs fixed), se_runs (items fixed),
        se_both.

    Raises
    ------
    ValueError
        If items or runs are missing, there is only one item or one run, or models have separate
        runs in different numbers.

    Notes
    -----
    Resampling R runs gives (R - 1) / R of their variance, half of it for two runs, so each variance
    is scaled up accordingly. Resampling items and runs at once counts the variance of single rows
    (the interaction) three times (Owen 2007). Its share is known from the same draws, so `se_both`
    counts it once, as in the analysis of variance.

    References
    ----------
    .. [1] Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1(2).

    Examples
    --------
    >>> import modelcompare as mc
    >>> scores = {"a": [1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1]}
    >>> preds = mc.Predictions.from_scores(scores, groups=[0, 1, 2, 3] * 3,
    ...                                    runs=[0] * 4 + [1] * 4 + [2] * 4)
    >>> found = mc.diagnostics.variance_components(preds, "mean_score", n_resamples=999)
    >>> found.round(2).to_dict("records")[0]["se_items"]
    0.13
    """
    if predictions.groups is None or predictions.runs is None:
        raise ValueError("variance components need `groups` (the items) and `runs` (the seeds).")
    item = predictions.access.unit_of
    run = np.unique(np.asarray(predictions.runs), return_inverse=True)[1]
    n_items, n_runs = int(item.max()) + 1, int(run.max()) + 1
    if n_items < 2 or n_runs < 2:
        raise ValueError("variance components need at least 2 items and 2 runs.")
    for model, n in zip(predictions.models, run_counts(predictions), strict=True):
        if n < n_runs:
            raise ValueError(
                f"model {model!r} repeats its {n} runs among those of models with more; ask for it "
                f"alone: p = predictions[[{model!r}]], "
                f"p.with_columns(runs=p.access.runs_of({model!r}))."
            )
    # Each row is a unit, whose weight is that of its item and of its run.
    rows = predictions.with_columns(ids=None, groups=np.arange(len(predictions)))
    evaluation = Evaluation(rows, resolve_metrics(metrics, predictions), collapse=False)
    seed = seed_sequence(rng)
    sizes = enumerate((n_items, n_runs))
    draws = (BootstrapWeights(Units(n), n_resamples, child_seed(seed, k)) for k, n in sizes)
    counts = (np.vstack([*each.blocks()]) for each in draws)
    of_items, of_runs = (drawn[:, codes] for drawn, codes in zip(counts, (item, run), strict=True))
    drawn = (of_items, of_runs, of_items * of_runs)
    weights = (GivenWeights.of(evaluation.units, each) for each in drawn)
    items, runs, both = map(evaluation.replicates, weights)
    # What is left of drawing both after the items' and the runs' own parts: single rows.
    rows_alone = both - items - runs + evaluation.estimate()
    scale_items, scale_runs = n_items / (n_items - 1), n_runs / (n_runs - 1)
    by_items = scale_items * np.nanvar(items, axis=0, ddof=1)
    by_runs = scale_runs * np.nanvar(runs, axis=0, ddof=1)
    by_rows = scale_items * scale_runs * np.nanvar(rows_alone, axis=0, ddof=1)
    by_both = np.maximum.reduce([by_items + by_runs - by_rows, by_items, by_runs])
    return score_frame(
        evaluation.models, evaluation.keys, estimate=evaluation.estimate(),
        se_items=np.sqrt(by_items), se_runs=np.sqrt(by_runs), se_both=np.sqrt(by_both),
    )  # fmt: skip
