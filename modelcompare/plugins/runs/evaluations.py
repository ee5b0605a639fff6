"""Evaluations of the runs of models, one by one: influences, values, and values on resamples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.data.sizes import once
from modelcompare.data.test_set import TestSet
from modelcompare.engine.crossed import CrossedTables
from modelcompare.engine.design import Estimator
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


def parts_of_runs(predictions: TestSet, model: str) -> list[TestSet]:
    """Return each run of a model as a test set, whose rows are in the order of the items.

    Items and runs are crossed.
    """
    part, found = once(predictions, model), []
    item, run = part.access.unit_of, run_codes(part.access, model)
    for one in range(int(run.max()) + 1):
        rows = np.flatnonzero(run == one)
        rows = rows[np.argsort(item[rows], kind="stable")]
        # Leaving out a sample is faster than leaving out a cluster.
        alone = len(np.unique(item[rows])) == len(rows)
        left_out = ("groups", "runs") if alone else ("runs",)
        found.append(part.subset(rows).with_columns(**dict.fromkeys(left_out)))
    return found


def evaluations_of_runs(
    predictions: TestSet, metrics: Sequence[AnyMetric], models: Sequence[str]
) -> list[Evaluation]:
    """Return an evaluation of each run of models that share their runs, whose units are the items.

    Items and runs are crossed, and the items in one order.
    """
    parts = parts_of_runs(predictions[models], models[0])
    return [Evaluation(part, metrics, collapse=False) for part in parts]


# Places of models that share their runs, and the values of each run.
OfRuns = Iterable[tuple[list[int], Iterable[Estimator]]]


def run_tables(evaluation: Evaluation, shape: tuple[int, ...], of_runs: OfRuns) -> CrossedTables:
    """Return the influences of each model's items in its runs.

    Those on the run's own value, and the difference of that from the mean of the runs' values.
    """
    check_tables(len(evaluation.predictions), *shape)
    found: dict[int, FloatArray] = {}
    for own, runs in of_runs:
        tables = []
        for run in runs:
            influence = np.concatenate([*run.influences()]).transpose(1, 2, 0)
            value = run.point[..., None]
            tables.append(influence - influence.mean(axis=-1, keepdims=True) + value)
        table = np.stack(tables, axis=-1)
        table -= table.mean(axis=(-2, -1), keepdims=True)
        found |= dict(zip(own, table, strict=True))
    tables = [found[place] for place in range(len(evaluation.models))]
    owners, strata = owners_of_runs(evaluation.predictions), evaluation.units.strata
    return CrossedTables(tables, owners, strata)


def sharing(predictions: TestSet) -> Iterator[tuple[list[int], list[str]]]:
    """Yield places and names of the models that share their runs."""
    owners = owners_of_runs(predictions)
    for owner in np.unique(owners).tolist():
        own = np.flatnonzero(owners == owner).tolist()
        yield own, [predictions.models[place] for place in own]


def run_replicates(
    evaluation: Evaluation, weights: BootstrapWeights, of_runs: OfRuns
) -> FloatArray:
    """Compute the values on resamples of items and of runs, (n_resamples, n_models, n_values).

    Items are drawn by their `weights`. So are, separately, as many runs as there are; models with
    the same runs share these draws.

    References
    ----------
    .. [1] Owen (2007), Annals of Applied Statistics 1, 386-411.
    """
    out = np.empty((weights.n_resamples, len(evaluation.models), len(evaluation.keys)))
    for own, runs in of_runs:
        values = np.stack([run.drawn(weights) for run in runs], axis=-1)
        seed = child_seed(weights.seed, own[0])
        drawn = replace(weights, units=Units(values.shape[-1]), size=None, seed=seed)
        out[:, own] = mean_of_parts(values, np.vstack([*drawn.blocks()])[:, None, None])
    return out
