"""Variances over items and runs together: errors for new runs of the same training procedures.

Rows are items x runs, and every row has an influence on a value. Of a table of influences with I
items and R runs, the variance of the mean is ``(MS_items + MS_runs - MS_rest) / (IR)``: the mean
squares are those of the analysis of variance of two crossed factors. With ``MS_items / (IR)``
alone, the answer is for these runs. Two models that share their runs are one table, that of
differences. Models with separate runs share the items alone, and every model has separate mean
squares of runs and of the rest (`engine.layers`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.data.sizes import once
from modelcompare.data.test_set import TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.in_runs import mean_of_runs
from modelcompare.engine.influence import Pairs, of_rows
from modelcompare.engine.layers import Layers, centred, terms
from modelcompare.engine.memory import check_tables
from modelcompare.engine.runs import run_codes, share_runs
from modelcompare.metrics.base import AnyMetric
from modelcompare.resampling.seeds import child_seed
from modelcompare.resampling.weights import BootstrapWeights, Units


@dataclass(frozen=True)
class RunVariances:
    """Variances of values, and of differences, for new items and new runs.

    All are differences of sums of products of the models' influences, so those of all pairs take
    one pass over the models.

    Parameters
    ----------
    items, rest : ndarray of shape (n_values, n_models, n_models)
        Covariances of the models' means of items and of what is left without items and runs, as
        mean squares divided by IR; the latter are 0 for models with separate runs.
    runs : ndarray of shape (n_models, n_values, n_runs)
        Means of the models' runs; NaN where a model has less runs than another.
    owners : ndarray of int of shape (n_models,)
        Models with the same number share their runs.
    n_items : int
        Number of items.
    """

    items: FloatArray
    rest: FloatArray
    runs: FloatArray
    owners: IntArray
    n_items: int

    @classmethod
    def of(cls, evaluation: Evaluation, point: FloatArray) -> RunVariances:
        """Compute the covariances of all models of an evaluation whose rows are items x runs."""
        return cls.of_tables(run_tables(evaluation, point), owners_of_runs(evaluation.predictions))

    @classmethod
    def of_tables(cls, tables: Sequence[FloatArray], owners: IntArray) -> RunVariances:
        """Compute the covariances from the influences (n_values, n_items, n_runs) of each model."""
        n_items, most = tables[0].shape[1], max(x.shape[-1] for x in tables)
        means = np.stack([x.mean(axis=-1) for x in tables], axis=1)
        means -= means.mean(axis=-1, keepdims=True)
        items = means @ means.transpose(0, 2, 1) / ((n_items - 1) * n_items)
        runs = np.full((len(tables), len(items), most), np.nan)
        rest = np.zeros_like(items)
        for owner in dict.fromkeys(owners.tolist()):
            own = np.flatnonzero(owners == owner)
            x = np.stack([tables[model] for model in own.tolist()], axis=1)
            n_runs = x.shape[-1]
            of_runs = x.mean(axis=-2)
            runs[own, :, :n_runs] = of_runs.transpose(1, 0, 2)
            left = x - x.mean(axis=-1, keepdims=True) - of_runs[:, :, None]
            left = (left + x.mean(axis=(-2, -1), keepdims=True)).reshape(*x.shape[:2], -1)
            scale = (n_items - 1) * (n_runs - 1) * n_items * n_runs
            rest[:, own[:, None], own] = left @ left.transpose(0, 2, 1) / scale
        return cls(items, rest, runs, owners, n_items)

    @property
    def of_resamples(self) -> FloatArray:
        """Variances of values on resamples of items and runs, in linear approximation.

        Drawn again, R runs vary by (R - 1) / R of what they should, and what is left without items
        and runs counts three times (Owen 2007). Of shape (n_models, n_values).
        """
        deviations, n_runs = centred(self.runs)
        of_items = of_rows(self.items, None) * (self.n_items - 1) / self.n_items
        of_runs = np.nansum(deviations**2, axis=-1) / n_runs**2
        rest = of_rows(self.rest, None) * (self.n_items - 1) / self.n_items
        return np.asarray(of_items + of_runs + rest * (n_runs - 1) / n_runs)

    @property
    def covariance(self) -> FloatArray:
        """Covariances of the models' values for new items and runs, without a floor.

        Of shape (n_values, n_models, n_models).
        """
        deviations, n_runs = centred(self.runs)
        each = np.nan_to_num(deviations / np.sqrt(n_runs * (n_runs - 1))[..., None])
        shared = self.owners[:, None] == self.owners
        return self.items + np.einsum("ivr,jvr->vij", each, each) * shared - self.rest

    def layers(self, pairs: Pairs | None = None) -> Layers:
        """Return the parts of the variances of values, or of differences of pairs."""
        items = terms(of_rows(self.items, pairs), self.n_items - 1.0)
        counts = np.isfinite(self.runs[:, 0]).sum(axis=-1)
        degrees = (self.n_items - 1.0) * (counts[:, None] - 1.0)
        own = of_rows(self.rest, None)
        if pairs is None:
            return Layers(items, terms(own, degrees)[:, None], self.runs[None])
        a, b = pairs
        apart = (self.owners[a] != self.owners[b])[:, None]
        separate = np.stack([terms(own[side], degrees[side]) for side in pairs], axis=1)
        shared = terms(of_rows(self.rest, pairs), degrees[a])[:, None]
        shared = np.concatenate([shared, np.zeros_like(shared)], axis=1)
        runs = np.stack([self.runs[a], self.runs[b]])
        together = np.stack([runs[0] - runs[1], np.full_like(runs[1], np.nan)])
        return Layers(
            items, np.where(apart, separate, shared), np.where(apart[..., None], runs, together)
        )


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


def run_tables(evaluation: Evaluation, point: FloatArray) -> list[FloatArray]:
    """Return the influences of each model's items in its runs, as (n_values, n_items, n_runs).

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
    return [found[place] for place in range(len(evaluation.models))]


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
        out[:, own] = mean_of_runs(values, np.vstack([*drawn.blocks()])[:, None, None])
    return out
