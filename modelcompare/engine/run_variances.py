"""Variances over items and runs together: errors for new runs of the same training procedures.

Rows are items x runs, and every row has an influence on a value. Of a table of influences with I
items and R runs, the variance of the mean is ``(MS_items + MS_runs - MS_rest) / (IR)``: the mean
squares are those of the analysis of variance of two crossed factors. With ``MS_items / (IR)``
alone, the answer is for these runs. Two models that share their runs are one table, that of
differences. Models with separate runs share the items alone, and every model has separate mean
squares of runs and of the rest (`engine.layers`).

Where the numbers of items are fixed in strata, those of items and of the rest are within strata:
``sum_h (n_h / I)^2 MS_h / (n_h R)``. Runs that differ by stratum are in the means of the runs.
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
from modelcompare.engine.influence import Pairs, of_rows, stratum_scale
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
    n_items, n_strata : int
        Number of items, and of the strata within which they vary.
    """

    items: FloatArray
    rest: FloatArray
    runs: FloatArray
    owners: IntArray
    n_items: int
    n_strata: int = 1

    @classmethod
    def of(cls, evaluation: Evaluation, point: FloatArray) -> RunVariances:
        """Compute the covariances of all models of an evaluation whose rows are items x runs."""
        tables, owners = run_tables(evaluation, point), owners_of_runs(evaluation.predictions)
        return cls.of_tables(tables, owners, evaluation.units.strata)

    @classmethod
    def of_tables(
        cls, tables: Sequence[FloatArray], owners: IntArray, strata: IntArray | None = None
    ) -> RunVariances:
        """Compute the covariances from the influences (n_values, n_items, n_runs) of each model.

        The `strata` of the items are codes of shape (n_items,).
        """
        n_items, most = tables[0].shape[1], max(x.shape[-1] for x in tables)
        means = np.stack([x.mean(axis=-1) for x in tables], axis=1)
        means -= means.mean(axis=-1, keepdims=True)
        if strata is not None:
            means = _within(means[..., None], strata)[..., 0]
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
            left += x.mean(axis=(-2, -1), keepdims=True)
            if strata is not None:
                left = _within(left, strata)
            left = left.reshape(*x.shape[:2], -1)
            scale = (n_items - 1) * (n_runs - 1) * n_items * n_runs
            rest[:, own[:, None], own] = left @ left.transpose(0, 2, 1) / scale
        n_strata = 1 if strata is None else int(strata.max()) + 1
        return cls(items, rest, runs, owners, n_items, n_strata)

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the items."""
        return float(max(self.n_items - self.n_strata, 1))

    @property
    def of_resamples(self) -> FloatArray:
        """Variances of values on resamples of items and runs, in linear approximation.

        Drawn again, R runs vary by (R - 1) / R of what they should, and what is left without items
        and runs counts three times (Owen 2007); drawn in strata, items vary by (n_h - 1) / n_h,
        here by its value in strata of equal numbers. Of shape (n_models, n_values).
        """
        deviations, n_runs = centred(self.runs)
        of_items = of_rows(self.items, None) * self.degrees / self.n_items
        of_runs = np.nansum(deviations**2, axis=-1) / n_runs**2
        rest = of_rows(self.rest, None) * self.degrees / self.n_items
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
        items = terms(of_rows(self.items, pairs), self.degrees)
        counts = np.isfinite(self.runs[:, 0]).sum(axis=-1)
        degrees = self.degrees * (counts[:, None] - 1.0)
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


def _within(x: FloatArray, strata: IntArray) -> FloatArray:
    """Return deviations of items, the axis -2, from the means of their strata.

    They are scaled so that divisors ``I - 1`` of all items stand for those of each stratum.
    """
    rows, sizes = np.moveaxis(x, -2, 0), np.bincount(strata)
    sums = np.zeros((len(sizes), *rows.shape[1:]))
    np.add.at(sums, strata, rows)
    of_strata = (slice(None), *[None] * (rows.ndim - 1))
    away = rows - (sums / np.maximum(sizes, 1)[of_strata])[strata]
    return np.moveaxis(away * stratum_scale(sizes)[strata][of_strata], 0, -2)


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
