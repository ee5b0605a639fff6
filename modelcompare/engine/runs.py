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
from dataclasses import dataclass, field

import numpy as np
from scipy.special import chdtri

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.test_set import TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.engine.memory import check_tables
from modelcompare.engine.units import each_its_cluster
from modelcompare.words import Random

# Below this number of runs of a model, the runs decide about width and significance.
FEW_RUNS = 5
# Chance of a mean square of runs below the one that degrees of freedom assume.
_CLOSE_BY_CHANCE = 1 / 3
# The remedy of every refusal.
INSTEAD = "for an answer about these runs use random='items' (--random items)"


def runs_are_random(predictions: TestSet, random: Random) -> bool:
    """Return whether an answer is for new runs, by what is declared.

    Raises
    ------
    ValueError
        If new runs are asked for explicitly, and the data do not determine how they vary.
    """
    if random == "items":
        return False
    flaw = _flaw(predictions)
    if flaw and random == "items+runs":
        raise ValueError(f"random='items+runs' asks about new runs, but {flaw}; {INSTEAD}.")
    return not flaw


def check_crossed(evaluation: Evaluation) -> None:
    """Refuse strata, and metrics without influences, whose errors for new runs are unknown."""
    rough = [metric.name for metric in evaluation.metrics if not metric.smooth]
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


def check_named(what: str, name: str, instead: Sequence[str]) -> None:
    """Refuse a method whose numbers are for these runs, where new ones are asked about."""
    if name not in instead:
        raise ValueError(
            f"`runs` are declared, and {what}={name!r} does not know how new runs vary; use "
            f"{what}={instead[0]!r}, or {INSTEAD}."
        )


def run_counts(predictions: TestSet) -> list[int]:
    """Return the number of runs of every model."""
    return [int(_codes(predictions.runs_of(m)).max()) + 1 for m in predictions.models]


def _flaw(predictions: TestSet) -> str:
    """Return why the rows are not items x runs; empty if they are."""
    if "rows" not in predictions.abilities:
        return "that needs all rows in memory (.load() reads a scan)"
    if predictions.runs is None:
        return "no column names them: give `runs` (--read run=COLUMN)"
    if predictions.groups is None:
        return "no column names the items: give `ids` that repeat from run to run, or `groups`"
    if each_its_cluster(predictions):
        return "the runs are the clusters already"
    for model in predictions.models:
        counts = _rows_of_cells(predictions, model)
        if counts.shape[1] < 2:
            return f"model {model!r} has one run, which does not show how runs vary"
        if (counts == 0).any() or (counts != counts[:, :1]).any():
            return f"items and runs of model {model!r} are not crossed: {_gap(predictions, counts)}"
    return _overlap(predictions)


def _rows_of_cells(predictions: TestSet, model: str) -> IntArray:
    """Count the rows of every item in every run, of shape (n_items, n_runs)."""
    item, run = predictions.unit_of, _codes(predictions.runs_of(model))
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
    for place, a in enumerate(models):
        for b in models[:place]:
            mine, others = (np.asarray(predictions.runs_of(m)) for m in (a, b))
            if not _shared(mine, others) and np.isin(mine, others).any():
                return (
                    f"models {b!r} and {a!r} share some runs and not others; name the runs of each "
                    "model apart where they are separate trainings"
                )
    return ""


def _codes(column: AnyArray | None) -> IntArray:
    return np.unique(np.asarray(column), return_inverse=True)[1]


def _shared(a: AnyArray | None, b: AnyArray | None) -> bool:
    return a is b or bool(np.array_equal(np.asarray(a), np.asarray(b)))


@dataclass(frozen=True)
class Layers:
    """Parts of the variance of a mean: of items (or of test sets), of runs, and of the rest.

    Parameters
    ----------
    items, rest : ndarray of shape (2, n_values)
        Mean square divided by IR, and its square divided by the degrees of freedom. Both add up
        over procedures and over independent test sets.
    runs : sequence of ndarray of shape (n_values, n_runs)
        Means of the runs, for each procedure with separate runs; none if there are no new runs.
    """

    items: FloatArray
    rest: FloatArray
    runs: Sequence[FloatArray] = ()

    @classmethod
    def of(cls, means: FloatArray, tables: Sequence[FloatArray] = ()) -> Layers:
        """Compute the parts from items, or test sets, that are crossed with runs.

        Parameters
        ----------
        means : ndarray of shape (n_values, n_items)
            Means of the items over the runs, or differences of two such means.
        tables : sequence of ndarray of shape (n_values, n_items, n_runs)
            The table of each procedure with separate runs.
        """
        n_items = means.shape[-1]
        rest = np.zeros((2, len(means)))
        for x in tables:
            centred = x - x.mean(axis=-1, keepdims=True) - x.mean(axis=-2)[:, None]
            centred += x.mean(axis=(-2, -1))[:, None, None]
            degrees = (n_items - 1.0) * (x.shape[-1] - 1.0)
            rest += _terms((centred**2).sum(axis=(-2, -1)) / degrees / x[0].size, degrees)
        items = _terms(means.var(axis=-1, ddof=1) / n_items, n_items - 1.0)
        return cls(items, rest, [x.mean(axis=-2) for x in tables])

    @classmethod
    def of_sets(cls, parts: Sequence[Layers], weights: FloatArray, *, crossed: bool) -> Layers:
        """Return the parts for a weighted mean over test sets, whose items are independent.

        The runs of all sets are the same where they are `crossed` with the sets, else separate.
        """
        powers = np.array([weights**2, weights**4])[..., None]
        items, rest = (
            np.sum(np.stack(terms, axis=1) * powers, axis=1)
            for terms in ([part.items for part in parts], [part.rest for part in parts])
        )
        runs = [w * x for w, part in zip(weights.tolist(), parts, strict=True) for x in part.runs]
        if crossed and runs:
            n_procedures = len(parts[0].runs)
            runs = [np.sum(runs[k::n_procedures], axis=0) for k in range(n_procedures)]
        return cls(items, rest, runs)

    @property
    def variance(self) -> FloatArray:
        """Variance of the mean and its degrees of freedom, of shape (2, n_values).

        ``items + runs - rest``, where runs and rest are sums over the procedures. It may be below
        its parts, even negative: the floor is the larger of items and runs. Degrees of freedom are
        Satterthwaite's of the same sum, or floor, with the mean square of runs at its upper bound
        of confidence 2/3: where few runs are close by chance, variance and share of the runs are
        both too small, and intervals with the degrees of that share cover 0.89 of 0.95 at two runs.
        """
        (items, of_items), (rest, of_rest) = self.items, self.rest
        runs, of_runs = np.zeros_like(self.items) + sum(
            _terms(x.var(axis=-1, ddof=1) / x.shape[-1], x.shape[-1] - 1.0) for x in self.runs
        )
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


def _terms(mean_square: FloatArray, degrees: float) -> FloatArray:
    """Return mean squares, and their squares divided by their degrees of freedom."""
    return np.stack([mean_square, mean_square**2 / degrees])


@dataclass(frozen=True)
class RunVariances:
    """Variances of values, and of differences, for new items and new runs.

    Parameters
    ----------
    tables : list of ndarray of shape (n_values, n_items, n_runs)
        Influences of each model on its values, whose mean has the variance of the value.
    owners : ndarray of int of shape (n_models,)
        Models with the same number share their runs.
    """

    tables: list[FloatArray]
    owners: IntArray
    _known: dict[tuple[int, int], Layers] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, evaluation: Evaluation, point: FloatArray) -> RunVariances:
        """Compute the tables of all models of an evaluation whose rows are items x runs."""
        predictions = evaluation.predictions
        check_tables(len(predictions), *point.shape)
        rows = Evaluation(predictions.without("groups", "runs"), evaluation.metrics, collapse=False)
        every = np.empty((*point.shape, len(predictions)))
        for some in rows.row_steps():
            every[..., some] = rows.influence(slice(None), some, point).transpose(1, 2, 0)
        item, columns = predictions.unit_of, [predictions.runs_of(m) for m in predictions.models]
        tables = [_table(u, item, _codes(run)) for u, run in zip(every, columns, strict=True)]
        owners = [
            next(b for b in range(a + 1) if _shared(columns[a], columns[b]))
            for a in range(len(columns))
        ]
        return cls(tables, np.array(owners))

    def standard_error(self, pairs: Pairs | None = None) -> FloatArray:
        """Return standard errors of values, or of differences of pairs, (n_rows, n_values)."""
        return np.sqrt(self._found(pairs)[:, 0])

    def degrees_of_freedom(self, pairs: Pairs | None) -> FloatArray:
        """Return Satterthwaite's degrees of freedom of the squared standard errors."""
        return self._found(pairs)[:, 1]

    def layers(self, pairs: Pairs | None) -> list[Layers]:
        """Return the parts of the variance of each value, or of each difference."""
        rows = [(a, a) for a in range(len(self.tables))]
        if pairs is not None:
            rows = [*zip(*(side.tolist() for side in pairs), strict=True)]
        for row in rows:
            if row not in self._known:
                self._known[row] = self._of(*row)
        return [self._known[row] for row in rows]

    def _found(self, pairs: Pairs | None) -> FloatArray:
        """Return variance and degrees of freedom, of shape (n_rows, 2, n_values)."""
        layers = self.layers(pairs)
        found = np.array([each.variance for each in layers])
        return found.reshape(len(layers), 2, len(self.tables[0]))

    def _of(self, a: int, b: int) -> Layers:
        """Return the parts of a model's value, or of a difference of two models."""
        if a == b:
            return Layers.of(self.tables[a].mean(axis=-1), [self.tables[a]])
        if self.owners[a] == self.owners[b]:
            table = self.tables[a] - self.tables[b]
            return Layers.of(table.mean(axis=-1), [table])
        both = [self.tables[a], self.tables[b]]
        return Layers.of(both[0].mean(axis=-1) - both[1].mean(axis=-1), both)


def _table(u: FloatArray, item: IntArray, run: IntArray) -> FloatArray:
    """Arrange influences (n_values, n_rows) as items x runs, with the same mean."""
    n_items, n_runs = int(item.max()) + 1, int(run.max()) + 1
    u = u - u.mean(axis=-1, keepdims=True)
    cells: FloatArray = np.zeros((len(u), n_items, n_runs))
    for cell, each in zip(cells, u, strict=True):
        np.add.at(cell, (item, run), each)
    return cells * (n_items * n_runs / len(item))
