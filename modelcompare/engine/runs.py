"""Variances over items and runs together: errors for new runs of the same training procedures.

Rows are items x runs, and every row has an influence on a value. Of a table of influences with I
items and R runs, the variance of the mean is ``(MS_items + MS_runs - MS_rest) / (IR)``: the mean
squares are those of the analysis of variance of two crossed factors. With ``MS_items / (IR)``
alone, the answer is for these runs. Two models that share their runs are one table, that of
differences. Models with separate runs share the items alone, and every model has separate mean
squares of runs and of the rest. `Layers` are these parts, which add up over test sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.data.checks import warn_of_data
from modelcompare.data.test_set import TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs, of_rows
from modelcompare.engine.memory import check_tables
from modelcompare.engine.units import each_its_cluster, run_counts
from modelcompare.words import Random

# Below this number of runs of a model, the runs decide about width and significance.
FEW_RUNS = 5
# Chance of a mean square of runs below the one that degrees of freedom assume.
_CLOSE_BY_CHANCE = 1 / 3
# Test that exchanges whole runs.
RUN_TEST = "run-permutation"
# The remedy of every refusal.
INSTEAD = "for an answer about these runs use random='items' (--random items)"


def runs_are_random(predictions: TestSet, random: Random, test: str = "") -> bool:
    """Return whether an answer is for new runs, by what is declared, or for a test of runs.

    Raises
    ------
    ValueError
        If new runs are asked for explicitly, and the data do not determine how they vary.

    Warns
    -----
    DataWarning
        If runs are declared, and some models, items or runs lack others.
    """
    these = random == "items"
    flaw = "random='items' (--random items) asks about these" if these else _flaw(predictions)
    gap = "" if flaw else _incomplete(predictions)
    if gap and random == "auto" and test != RUN_TEST:
        warn_of_data(
            f"runs are declared, but {gap}. The answer is therefore for these runs, and not for "
            "new ones; leave such models, items or runs out, or ask about these runs with "
            "random='items' (--random items).",
        )  # fmt: skip
    flaw = flaw or gap
    if flaw and test == RUN_TEST:
        raise ValueError(f"test={test!r} exchanges runs, but {flaw}; use another test.")
    if flaw and random == "items+runs":
        raise ValueError(f"random='items+runs' asks about new runs, but {flaw}; {INSTEAD}.")
    return not flaw


def check_crossed(evaluation: Evaluation) -> None:
    """Refuse strata, and metrics without influences, whose errors for new runs are unknown."""
    rough = [each.name for each in evaluation.metrics if not each.smooth or each.of_items]
    if rough:
        raise ValueError(
            f"`runs` are declared, and {', '.join(rough)} has no influences that give its error "
            f"for new runs; leave it out, or {INSTEAD}."
        )
    if evaluation.units.strata is not None:
        raise ValueError(
            "`runs` are declared, and errors for new runs are not known within strata; leave "
            f"`strata` (and undefined='stratify') out, or {INSTEAD}."
        )


def check_named(what: str, name: str, instead: Sequence[str], *, judged: bool = False) -> None:
    """Refuse a method that knows the items alone, where new runs or a judge add to the error."""
    if name in instead:
        return
    if judged:
        raise ValueError(
            f"{what}={name!r} does not know the error of a judge; use "
            f"{what}={' or '.join(map(repr, instead))}, or leave `judge` (--judge) out."
        )
    raise ValueError(
        f"`runs` are declared, and {what}={name!r} does not know how new runs vary; use "
        f"{what}={' or '.join(map(repr, instead))}, or {INSTEAD}."
    )


def check_these_runs(random: Random, name: str) -> None:
    """Refuse a question about new runs that a study of resampled items does not answer."""
    if random == "items+runs":
        raise ValueError(
            f"random='items+runs' asks about new runs, and {name} resamples items, which does not "
            "show how runs vary; for errors of metrics over new runs use compare(..., "
            f"random='items+runs') (modelcompare compare --random items+runs), {INSTEAD}."
        )


def run_codes(predictions: TestSet, model: str) -> IntArray:
    """Return the number of the run of each row of a model."""
    return np.unique(np.asarray(predictions.runs_of(model)), return_inverse=True)[1]


def share_runs(predictions: TestSet, a: int, b: int) -> bool:
    """Return whether the models at two positions have the same runs, such as the same seeds."""
    first, second = (predictions.runs_of(predictions.models[k]) for k in (a, b))
    return first is second or bool(np.array_equal(np.asarray(first), np.asarray(second)))


def _flaw(predictions: TestSet) -> str:
    """Return why no runs of items are declared; empty if they are."""
    if "rows" not in predictions.abilities:
        return "that needs all rows in memory (.load() reads a scan)"
    if predictions.runs is None:
        return "no column names them: give `runs` (--read run=COLUMN)"
    if predictions.groups is None:
        return "no column names the items: give `ids` that repeat from run to run, or `groups`"
    if each_its_cluster(predictions):
        return "the runs are the clusters already"
    if max(run_counts(predictions)) < 2:
        return f"model {predictions.models[0]!r} has one run, which does not show how runs vary"
    return ""


def _incomplete(predictions: TestSet) -> str:
    """Return why the rows of declared runs are not items x runs; empty if they are."""
    for model, n_runs in zip(predictions.models, run_counts(predictions), strict=True):
        if n_runs < 2:
            return f"model {model!r} has one run, which does not show how runs vary"
        counts = _rows_of_cells(predictions, model)
        if (counts == 0).any() or (counts != counts[:, :1]).any():
            return f"items and runs of model {model!r} are not crossed: {_gap(predictions, counts)}"
    return _overlap(predictions)


def check_runs_of_sets(test_sets: Sequence[TestSet]) -> bool:
    """Return whether the same runs were evaluated on all test sets; False for separate runs.

    Raises
    ------
    ValueError
        If a model has some runs on two sets, and others on one of them only.
    """
    crossed = True
    for model in test_sets[0].models:
        first, *others = ({*np.unique(np.asarray(p.runs_of(model)))} for p in test_sets)
        if any(first & other and first != other for other in others):
            raise ValueError(
                f"model {model!r} has some runs on all test sets and others on one of them; "
                "evaluate all runs on all sets, or name the runs of each set apart where they are "
                "separate trainings."
            )
        crossed &= all(first == other for other in others)
    return crossed


def _rows_of_cells(predictions: TestSet, model: str) -> IntArray:
    """Count the rows of every item in every run, of shape (n_items, n_runs)."""
    item, run = predictions.unit_of, run_codes(predictions, model)
    shape = int(item.max()) + 1, int(run.max()) + 1
    return np.bincount(item * shape[1] + run, minlength=shape[0] * shape[1]).reshape(shape)


def _gap(predictions: TestSet, counts: IntArray) -> str:
    """Describe the first item whose numbers of rows differ between runs."""
    item = int(np.argmax((counts != counts[:, :1]).any(axis=1)))
    low, high = int(counts[item].min()), int(counts[item].max())
    name = np.unique(np.asarray(predictions.groups))[item]
    return f"item {name} has {high:,} rows in one run and {low:,} in another"


def _overlap(predictions: TestSet) -> str:
    """Return which models have some runs in common, and others not; empty for none."""
    models = predictions.models
    names = [{*np.unique(np.asarray(predictions.runs_of(model)))} for model in models]
    for place, a in enumerate(models):
        for other, b in enumerate(models[:place]):
            if names[place] & names[other] and not share_runs(predictions, place, other):
                return (
                    f"models {b!r} and {a!r} share some runs and not others; name the runs of each "
                    "model apart where they are separate trainings"
                )
    return ""


@dataclass(frozen=True)
class Layers:
    """Parts of the variances of means: of items (or of test sets), of runs, and of the rest.

    Parameters
    ----------
    items : ndarray of shape (2, n_rows, n_values)
        Mean square divided by IR, and its square divided by the degrees of freedom. Both add up
        over procedures and over independent test sets.
    rest : ndarray of shape (2, n_procedures, n_rows, n_values)
        The same of what is left without items and runs, for each procedure with separate runs.
    runs : ndarray of shape (n_procedures, n_rows, n_values, n_runs)
        Means of the runs, for each procedure with separate runs; NaN for less runs or procedures.
    """

    items: FloatArray
    rest: FloatArray
    runs: FloatArray

    @classmethod
    def of_items(cls, variance: FloatArray, degrees: FloatArray | float) -> Layers:
        """Return the parts where only items vary, or only test sets: (n_rows, n_values)."""
        none = np.empty((2, 0, *variance.shape))
        return cls(terms(variance, degrees), none, np.empty((0, *variance.shape, 1)))

    @classmethod
    def of_sets(cls, parts: Sequence[Layers], weights: FloatArray, *, crossed: bool) -> Layers:
        """Return the parts for a weighted mean over test sets, whose items are independent.

        The runs of all sets are the same where they are `crossed` with the sets, else separate.
        """
        powers = np.array([weights**2, weights**4])
        items = np.einsum("ts,strv->trv", powers, [part.items for part in parts])
        rest = [part.rest * w[:, None, None, None] for part, w in zip(parts, powers.T, strict=True)]
        runs = [w * part.runs for w, part in zip(weights.tolist(), parts, strict=True)]
        most = max(x.shape[-1] for x in runs)
        padded = [
            np.pad(x, [(0, 0)] * 3 + [(0, most - x.shape[-1])], constant_values=np.nan)
            for x in runs
        ]
        if crossed:
            return cls(items, np.sum(rest, axis=0), np.sum(padded, axis=0))
        return cls(items, np.concatenate(rest, axis=1), np.concatenate(padded))

    @classmethod
    def of_new_sets(cls, values: FloatArray, parts: Sequence[Layers], *, crossed: bool) -> Layers:
        """Return the parts for the mean of new sets, by the values (n_sets, n_rows, n_values)."""
        n_sets = len(values)
        found = cls.of_items(values.var(axis=0, ddof=1) / n_sets, n_sets - 1.0)
        if not crossed:
            return found
        runs = np.stack([part.runs for part in parts])
        of_runs = runs.mean(axis=0)
        by_set, n_runs = _centred(runs)
        left = by_set - by_set.mean(axis=0)
        degrees = (n_sets - 1.0) * (n_runs[0] - 1.0)
        squares = np.nansum(left**2, axis=(0, -1)) / degrees / (n_sets * n_runs[0])
        return cls(found.items, terms(squares, degrees), of_runs)

    def at(self, places: IntArray) -> Layers:
        """Return the parts of some values."""
        return Layers(self.items[..., places], self.rest[..., places], self.runs[:, :, places])

    @property
    def variance(self) -> FloatArray:
        """Variances of the means and their degrees of freedom, of shape (2, n_rows, n_values)."""
        centred, n_runs = _centred(self.runs)
        squares = np.nansum(centred**2, axis=-1) / (n_runs - 1) / n_runs
        return combined(self.items, terms(squares, n_runs - 1.0).sum(axis=1), self.rest.sum(axis=1))


def combined(items: FloatArray, runs: FloatArray, rest: FloatArray) -> FloatArray:
    """Return variances of means and their degrees of freedom from mean squares (`terms`).

    ``items + runs - rest``, where runs and rest are sums over the procedures. It may be below its
    parts, even negative: the floor is the larger of items and runs. Degrees of freedom are
    Satterthwaite's of the same sum, or floor, with the mean square of runs at its upper bound of
    confidence 2/3: where few runs are close by chance, variance and share of the runs are both too
    small, and intervals with the degrees of that share cover 0.89 of 0.95 at two runs.
    """
    (items, of_items), (runs, of_runs), (rest, of_rest) = items, runs, rest
    variance = np.maximum(items + runs - rest, np.maximum(items, runs))
    degrees = np.divide(runs**2, of_runs, out=np.ones_like(runs), where=of_runs > 0)
    likely = runs * np.maximum(degrees / chdtri(degrees, 1 - _CLOSE_BY_CHANCE), 1.0)
    of_likely = likely**2 / degrees
    sums = np.stack([items + likely - rest, items, likely])
    squares = np.stack([of_items + of_likely + of_rest, of_items, of_likely])
    chosen = sums.argmax(axis=0)[None]
    total, square = (np.take_along_axis(each, chosen, axis=0)[0] for each in (sums, squares))
    degrees = np.divide(total**2, square, out=np.ones_like(total), where=square > 0)
    return np.stack([variance, np.maximum(degrees, 1.0)])


def _centred(runs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return deviations from the mean of the runs, and their number, at least 2; NaN is none."""
    known = np.isfinite(runs)
    n_runs = np.maximum(known.sum(axis=-1), 2.0)
    means = np.where(known, runs, 0.0).sum(axis=-1, keepdims=True) / n_runs[..., None]
    return runs - means, n_runs


def terms(mean_square: FloatArray | float, degrees: FloatArray | float) -> FloatArray:
    """Return mean squares, and their squares divided by their degrees of freedom."""
    return np.stack([mean_square, mean_square**2 / degrees])


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
        predictions = evaluation.predictions
        check_tables(len(predictions), *point.shape)
        rows = Evaluation(predictions.without("groups", "runs"), evaluation.metrics, collapse=False)
        every = np.empty((*point.shape, len(predictions)))
        for some in rows.row_steps():
            every[..., some] = rows.influence(some, point).transpose(1, 2, 0)
        item, models = predictions.unit_of, predictions.models
        runs = [run_codes(predictions, model) for model in models]
        tables = [_table(u, item, run) for u, run in zip(every, runs, strict=True)]
        owners = [
            next(b for b in range(a + 1) if share_runs(predictions, a, b))
            for a in range(len(models))
        ]
        return cls.of_tables(tables, np.array(owners))

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


def _table(u: FloatArray, item: IntArray, run: IntArray) -> FloatArray:
    """Arrange influences (n_values, n_rows) as items x runs, with the same mean."""
    n_items, n_runs = int(item.max()) + 1, int(run.max()) + 1
    u = u - u.mean(axis=-1, keepdims=True)
    cells: FloatArray = np.zeros((len(u), n_items, n_runs))
    for cell, each in zip(cells, u, strict=True):
        np.add.at(cell, (item, run), each)
    return cells * (n_items * n_runs / len(item))
