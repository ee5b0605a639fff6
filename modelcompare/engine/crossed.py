"""Variances over items and a crossed factor together: errors for new items and new levels.

Rows are items x levels, such as seeds of a training, and every row has an influence on a value. Of
a table of influences with I items and L levels, the variance of the mean is
``(MS_items + MS_levels - MS_rest) / (IL)``: the mean squares are those of the analysis of variance
of two crossed factors. With ``MS_items / (IL)`` alone, the answer is for these levels. Two models
that share their levels are one table, that of differences. Models with separate levels share the
items alone, and every model has separate mean squares of levels and of the rest (`engine.layers`).

Where the numbers of items are fixed in strata, those of items and of the rest are within strata:
``sum_h (n_h / I)^2 MS_h / (n_h L)``. Levels that differ by stratum are in the means of the levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.influence import Pairs, of_rows, stratum_scale
from modelcompare.engine.layers import Layers, centred, terms


@dataclass(frozen=True)
class CrossedTables:
    """Influences of all models, of each item in each level of a factor that is crossed with them.

    Parameters
    ----------
    tables : sequence of ndarray of shape (n_values, n_items, n_levels)
        Influences of each model.
    owners : ndarray of int of shape (n_models,)
        Models with the same number share their levels.
    strata : ndarray of int of shape (n_items,), optional
        Strata of the items, within which their numbers are fixed.
    """

    tables: Sequence[FloatArray]
    owners: IntArray
    strata: IntArray | None = None


@dataclass(frozen=True)
class CrossedVariances:
    """Variances of values, and of differences, for new items and new levels.

    All are differences of sums of products of the models' influences, so those of all pairs take
    one pass over the models.

    Parameters
    ----------
    items, rest : ndarray of shape (n_values, n_models, n_models)
        Covariances of the models' means of items and of what is left without items and levels,
        as mean squares divided by IL; the latter are 0 for models with separate levels.
    levels : ndarray of shape (n_models, n_values, n_levels)
        Means of the models' levels; NaN where a model has less of them than another.
    owners : ndarray of int of shape (n_models,)
        Models with the same number share their levels.
    n_items, n_strata : int
        Number of items, and of the strata within which they vary.
    """

    items: FloatArray
    rest: FloatArray
    levels: FloatArray
    owners: IntArray
    n_items: int
    n_strata: int = 1

    @classmethod
    def of(cls, crossed: CrossedTables) -> CrossedVariances:
        """Compute the covariances of all models from their influences."""
        tables, owners, strata = crossed.tables, crossed.owners, crossed.strata
        n_items, most = tables[0].shape[1], max(x.shape[-1] for x in tables)
        means = np.stack([x.mean(axis=-1) for x in tables], axis=1)
        means -= means.mean(axis=-1, keepdims=True)
        if strata is not None:
            means = _within(means[..., None], strata)[..., 0]
        items = means @ means.transpose(0, 2, 1) / ((n_items - 1) * n_items)
        levels = np.full((len(tables), len(items), most), np.nan)
        rest = np.zeros_like(items)
        for owner in dict.fromkeys(owners.tolist()):
            own = np.flatnonzero(owners == owner)
            x = np.stack([tables[model] for model in own.tolist()], axis=1)
            n_levels = x.shape[-1]
            of_levels = x.mean(axis=-2)
            levels[own, :, :n_levels] = of_levels.transpose(1, 0, 2)
            left = x - x.mean(axis=-1, keepdims=True) - of_levels[:, :, None]
            left += x.mean(axis=(-2, -1), keepdims=True)
            if strata is not None:
                left = _within(left, strata)
            left = left.reshape(*x.shape[:2], -1)
            scale = (n_items - 1) * (n_levels - 1) * n_items * n_levels
            rest[:, own[:, None], own] = left @ left.transpose(0, 2, 1) / scale
        n_strata = 1 if strata is None else int(strata.max()) + 1
        return cls(items, rest, levels, owners, n_items, n_strata)

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the items."""
        return float(max(self.n_items - self.n_strata, 1))

    @property
    def of_resamples(self) -> FloatArray:
        """Variances of values on resamples of items and levels, in linear approximation.

        Drawn again, L levels vary by (L - 1) / L of what they should, and what is left without
        items and levels counts three times (Owen 2007). Drawn in strata, items vary by
        (n_h - 1) / n_h, here by its value in strata of equal numbers.

        Of shape (n_models, n_values).
        """
        deviations, n_levels = centred(self.levels)
        of_items = of_rows(self.items, None) * self.degrees / self.n_items
        of_levels = np.nansum(deviations**2, axis=-1) / n_levels**2
        rest = of_rows(self.rest, None) * self.degrees / self.n_items
        return np.asarray(of_items + of_levels + rest * (n_levels - 1) / n_levels)

    @property
    def covariance(self) -> FloatArray:
        """Covariances of the models' values for new items and levels, without a floor.

        Of shape (n_values, n_models, n_models).
        """
        deviations, n_levels = centred(self.levels)
        each = np.nan_to_num(deviations / np.sqrt(n_levels * (n_levels - 1))[..., None])
        shared = self.owners[:, None] == self.owners
        return self.items + np.einsum("ivr,jvr->vij", each, each) * shared - self.rest

    def layers(self, pairs: Pairs | None = None) -> Layers:
        """Return the parts of the variances of values, or of differences of pairs."""
        items = terms(of_rows(self.items, pairs), self.degrees)
        counts = np.isfinite(self.levels[:, 0]).sum(axis=-1)
        degrees = self.degrees * (counts[:, None] - 1.0)
        own = of_rows(self.rest, None)
        if pairs is None:
            return Layers(items, terms(own, degrees)[:, None], self.levels[None])
        a, b = pairs
        apart = (self.owners[a] != self.owners[b])[:, None]
        separate = np.stack([terms(own[side], degrees[side]) for side in pairs], axis=1)
        shared = terms(of_rows(self.rest, pairs), degrees[a])[:, None]
        shared = np.concatenate([shared, np.zeros_like(shared)], axis=1)
        levels = np.stack([self.levels[a], self.levels[b]])
        together = np.stack([levels[0] - levels[1], np.full_like(levels[1], np.nan)])
        return Layers(
            items, np.where(apart, separate, shared), np.where(apart[..., None], levels, together)
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
