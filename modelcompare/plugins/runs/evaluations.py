"""Evaluations of the runs of models, one by one: influences, values, and values on resamples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.data.sizes import once
from modelcompare.data.test_set import TestSet
from modelcompare.engine.crossed import CrossedTables
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.memory import check_tables
from modelcompare.engine.partition import mean_of_parts
from modelcompare.metrics.base import AnyMetric
from modelcompare.plugins.runs.declared import run_codes, share_runs
from modelcompare.resampling.seeds import child_seed
from modelcompare.resampling.weights import BootstrapWeights, Units


def owners_of_runs(predictions: TestSet) -> IntArray:
    """Return for each model the position of the first one that has the same runs."""
    places = range(len(predictions.models))
    owners = [next(b for b in places if share_runs(predictions, a, b)) for a in places]
    return np.array(owners)


def evaluations_of_runs(
    predictions: TestSet, metrics: Sequence[AnyMetric], models: Sequence[str]
) -> list[Evaluation]:
    """Return an evaluation of each run of models that share their runs, whose units are the items.

    Items and runs are crossed, and the items in one order.
    """
    part, found = once(predictions[models], models[0]), []
    item, run = part.access.unit_of, run_codes(part.access, models[0])
    for one in range(int(run.max()) + 1):
        rows = np.flatnonzero(run == one)
        rows = rows[np.argsort(item[rows], kind="stable")]
        # Leaving out a sample is faster than leaving out a cluster.
        alone = len(np.unique(item[rows])) == len(rows)
        left_out = ("groups", "runs") if alone else ("runs",)
        of_run = part.subset(rows).with_columns(**dict.fromkeys(left_out))
        found.append(Evaluation(of_run, metrics, collapse=False))
    return found


def run_tables(evaluation: Evaluation, point: FloatArray) -> CrossedTables:
    """Return the influences of each model's items in its runs.

    Those on the run's own value, and the difference of that from the mean of the runs' values.
    """
    check_tables(len(evaluation.predictions), *point.shape)
    found: dict[int, FloatArray] = {}
    for own, models in _sharing(evaluation.predictions):
        tables = []
        for run in evaluations_of_runs(evaluation.predictions, evaluation.metrics, models):
            value = run.estimate()
            parts = [run.influence(rows, value) for rows in run.row_steps()]
            influence = np.concatenate(parts).transpose(1, 2, 0)
            tables.append(influence - influence.mean(axis=-1, keepdims=True) + value[..., None])
        table = np.stack(tables, axis=-1)
        table -= table.mean(axis=(-2, -1), keepdims=True)
        found |= dict(zip(own, table, strict=True))
    tables = [found[place] for place in range(len(evaluation.models))]
    owners, strata = owners_of_runs(evaluation.predictions), evaluation.units.strata
    return CrossedTables(tables, owners, strata)


def _sharing(predictions: TestSet) -> Iterator[tuple[list[int], list[str]]]:
    """Yield places and names of the models that share their runs."""
    owners = owners_of_runs(predictions)
    for owner in np.unique(owners).tolist():
        own = np.flatnonzero(owners == owner).tolist()
        yield own, [predictions.models[place] for place in own]


def run_replicates(evaluation: Evaluation, weights: BootstrapWeights) -> FloatArray:
    """Compute the values on resamples of items and of runs, (n_resamples, n_models, n_values).

    Items are drawn by their `weights`. So are, separately, as many runs as there are; models with
    the same runs share these draws.

    References
    ----------
    .. [1] Owen (2007), Annals of Applied Statistics 1, 386-411.
    """
    out = np.empty((weights.n_resamples, len(evaluation.models), len(evaluation.keys)))
    for own, models in _sharing(evaluation.predictions):
        runs = evaluations_of_runs(evaluation.predictions, evaluation.metrics, models)
        values = np.stack([run.replicates(weights) for run in runs], axis=-1)
        seed = child_seed(weights.seed, own[0])
        drawn = replace(weights, units=Units(len(runs)), size=None, seed=seed)
        out[:, own] = mean_of_parts(values, np.vstack([*drawn.blocks()])[:, None, None])
    return out
