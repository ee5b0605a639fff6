"""Mergeable sums of metric statistics, bucketed by a hash of the sample id.

As a table a sketch has a row for each bucket, statistic, model and class. The columns are bucket,
statistic, model (empty where all models share the statistic), label and `predicted` (the classes of
a number; `predicted` is empty unless there are two), place (of several numbers of a class), value
and, only if there are strata, stratum: each has separate buckets. Numbers that are 0 are left
out. One row, of the statistic "about", describes the others: its label is JSON.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import gammaln

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data import checks
from modelcompare.data.columns import Source
from modelcompare.data.kinds import all_kinds
from modelcompare.data.outputs import Output
from modelcompare.data.positive import positive_of
from modelcompare.data.scores import Scores
from modelcompare.data.sums import EVERY_MODEL, Numbers, Sums
from modelcompare.data.test_set import Access, TestSet
from modelcompare.engine.partition import is_of_rows
from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.paths import write_bytes
from modelcompare.plugins.large.about import ABOUT, COLUMNS, SAMPLES, STRATUM, About, Summed
from modelcompare.words import Need, optional

_NOTHING = np.empty(0)
# Probability below which two equal sketches are of the same samples.
_COINCIDENCE = 1e-9


class Sketch(TestSet):
    """A test set whose samples were summed in buckets, by a hash of their items.

    `modelcompare.io.sketch` makes it. `compare`, `bootstrap`, `paired_test`, `decide` and `gate`
    take a sketch instead of Predictions, and resample its buckets like clusters. Sketches of
    different samples are added: ``monday + tuesday``.

    Attributes
    ----------
    about : About
        Description of its numbers.
    counts : ndarray of int of shape (n_buckets,)
        Samples in each bucket; with strata those of the first stratum, then of the second.
    numbers : mapping of (str, str) to ndarray of shape (n_buckets, n_columns)
        Sums by the names of the statistic and of the model; "" if all models share them.
    """

    __slots__ = ("__dict__", "about", "counts", "numbers")
    about: About

    def __init__(self, about: About, counts: IntArray, numbers: Numbers) -> None:
        self.about, self.counts, self.numbers = about, counts, numbers
        self._name, self._missing_mass, self._attachments = about.name, False, {}
        kinds = map(all_kinds().__getitem__, about.kinds)
        self._kinds = dict(zip(about.models, kinds, strict=True))
        scored, names = self.kind.scored, about.score_names
        self._scores = Scores(
            names if scored else (), () if scored else names, about.greater_is_better, about.bounds
        )
        self._source = Source()
        self._labels = None if about.labels is None else np.array(about.labels)
        two = self._labels if self.access.n_classes == 2 and self.kind.exclusive else None
        self._positive = None if two is None else positive_of(about.positive, two)
        strata = None
        if about.strata:
            strata = np.repeat(np.arange(len(about.strata)), self.n_buckets)[counts > 0]
        self._columns = {"groups": np.arange(np.count_nonzero(counts)), "strata": strata}

    def __len__(self) -> int:
        return int(self.counts.sum())

    @property
    def n_buckets(self) -> int:
        """Number of buckets, of each stratum if there are any."""
        return len(self.counts) // max(1, len(self.about.strata))

    @property
    def access(self) -> SumAccess:
        return SumAccess(self)

    @cached_property
    def _parts(self) -> frozenset[bytes]:
        """Hashes of the sketches that were added up; of none whose counts may be another's too."""
        if _chance_of(self.counts.reshape(-1, self.n_buckets)) > _COINCIDENCE:
            return frozenset()
        found = hashlib.sha256(repr((self.about.labels, self.about.strata)).encode())
        found.update(self.counts.tobytes())
        for key in sorted(self.numbers):
            found.update(repr(key).encode() + np.ascontiguousarray(self.numbers[key]).tobytes())
        return frozenset({found.digest()})

    @cached_property
    def _sums(self) -> Sums:
        """Sums of the buckets that have samples.

        A sketch to be added may have a single sample or class; a test set may not.
        """
        checks.check_size(len(self))
        if self.labels is not None:
            checks.classes(self.labels, self.labels)
        about, filled = self.about, self.counts > 0
        return Sums(
            numbers={key: found[filled] for key, found in self.numbers.items()},
            metrics=about.metrics, binary=about.binary, parts=about.runs,
            hard=about.labels is not None and not about.soft_truth,
            sizes=self.counts[filled].astype(np.float64) if about.strata else None,
        )  # fmt: skip

    def __add__(self, other: object) -> Sketch:
        if not isinstance(other, Sketch):
            return NotImplemented
        parts = self._parts | other._parts
        if len(parts) < len(self._parts) + len(other._parts):
            raise ValueError(
                "two of the sketches have equal sums in all buckets, as a sketch and its copy have "
                f"({len(other):,} samples), so they cannot be added; leave one of them out."
            )
        both = self._with_block(other)
        both._parts = parts
        return both

    def _with_block(self, other: Sketch) -> Sketch:
        """Return the sum with the sketch of another block of rows, which may have equal sums."""
        mine, theirs = _identity(self), _identity(other)
        for what in mine:
            if mine[what] != theirs[what]:
                raise ValueError(
                    f"the sketches have different {what}, {mine[what]} and {theirs[what]}, so they "
                    "cannot be added; sketch both with the same."
                )
        a, b = self.about, other.about
        _check_order(a, b)
        about = replace(
            a, labels=_union(a.labels, b.labels), strata=_union(a.strata, b.strata) or (),
            metrics=tuple(dict.fromkeys(a.metrics + b.metrics)),
            binary=tuple(name for name in a.binary if name in b.binary),
            runs=tuple(dict.fromkeys(a.runs + b.runs))[:2],
            weighted=a.weighted or b.weighted, missing_mass=a.missing_mass or b.missing_mass,
            name=a.name if a.name == b.name else None,
            positive=a.positive if a.positive == b.positive else None,
        )  # fmt: skip
        about.n_units(self.n_buckets)
        (counts, one), (more, two) = (each._laid_out(about) for each in (self, other))
        return Sketch(about, counts + more, {key: one[key] + two[key] for key in one})

    def __radd__(self, other: object) -> Sketch:
        return self if other == 0 else NotImplemented  # `sum` starts with 0.

    def output(self, model: str) -> Output:
        """Return the output type of a model, without samples."""
        checks.check_models(self.models, model=model)
        return Output(self._kinds[model], _NOTHING)

    def save(self, path: str | Path) -> Path:
        """Write the sketch as Parquet; `modelcompare.io.read_sketch` reads it."""
        pq = optional("pyarrow.parquet", "sketches are written as Parquet", "parquet")
        import pyarrow as pa

        buffer = io.BytesIO()
        pq.write_table(pa.Table.from_pandas(self.to_frame(), preserve_index=False), buffer)
        return write_bytes(Path(path), buffer.getvalue())

    def to_frame(self) -> pd.DataFrame:
        """Return the sketch as a table, which `modelcompare.io.read_sketch` reads."""
        about, description = self.about, self.about.to_json(self.n_buckets)
        first = (0, ABOUT, EVERY_MODEL, description, "", 0, 0.0, "")
        parts = [
            pd.DataFrame([first], columns=[*COLUMNS, STRATUM]),
            _rows(SAMPLES, EVERY_MODEL, self.counts[:, None].astype(np.float64), about),
        ]
        parts += [_rows(s, model, self.numbers[s.name, model], about) for s, model in about.summed]
        found = pd.concat(parts, ignore_index=True)
        return found if about.strata else found.drop(columns=STRATUM)

    def __repr__(self) -> str:
        about = self.about
        classes = f", {self.access.n_classes} classes" if about.labels is not None else ""
        return (
            f"Sketch: {len(self):,} samples in {self.n_buckets:,} buckets{classes}, "
            f"{len(self.models)} model{'s' * (len(self.models) > 1)} ({', '.join(self.models)})\n"
            f"  for {', '.join(about.metrics)}"
        )

    def _of_models(self, models: Sequence[str]) -> Sketch:
        kinds = tuple(self._kinds[model].name for model in models)
        kept = {*models, EVERY_MODEL}
        numbers = {key: found for key, found in self.numbers.items() if key[1] in kept}
        return Sketch(replace(self.about, models=tuple(models), kinds=kinds), self.counts, numbers)

    def _laid_out(self, about: About) -> tuple[IntArray, Numbers]:
        """Return counts and numbers of all strata and classes of `about`, in their order."""
        own, labels = self.about, about.labels or ()
        if about.labels == own.labels and about.strata == own.strata:
            return self.counts, self.numbers
        strata = np.array([about.strata.index(name) for name in own.strata] or [0])
        classes = np.array([labels.index(label) for label in own.labels or ()], dtype=np.intp)
        n_strata = max(1, len(about.strata))

        def spread(found: AnyArray, axes: int) -> AnyArray:
            width = found.shape[1] // max(1, len(classes)) ** axes
            cells = found.reshape(len(strata), self.n_buckets, *(len(classes),) * axes, width)
            sizes = (n_strata, self.n_buckets, *(len(labels),) * axes, width)
            out = np.zeros(sizes, dtype=found.dtype)
            out[np.ix_(strata, np.arange(self.n_buckets), *(classes,) * axes)] = cells
            return out.reshape(n_strata * self.n_buckets, -1)

        axes = {summed.name: summed.class_axes for summed in own.statistics}
        numbers = {key: spread(found, axes[key[0]]) for key, found in self.numbers.items()}
        return spread(self.counts[:, None], 0)[:, 0], numbers


class SumAccess(Access[Sketch]):
    """Access to sums of buckets of samples."""

    __slots__ = ()

    abilities = frozenset[Need]({"units", "sums"})
    _refusal = (
        "{} needs single samples, and a sketch has their sums only; read the predictions "
        "themselves for that."
    )
    _lacking = (
        "`{}` is a sketch, which has no samples: compare, bootstrap, paired_test, decide and "
        "gate run on its sums; for anything else read the predictions themselves."
    )

    @property
    def unit(self) -> str:
        return "buckets"

    @property
    def sums(self) -> Sums:
        return self.test_set._sums

    def check_metric(self, metric: AnyMetric) -> None:
        if not isinstance(metric, Metric) or metric.of_items:
            raise ValueError(
                f"metric {metric.name!r} is not a sum over samples, and a sketch stores sums only; "
                "compute it from the predictions."
            )
        if not {name for name, _ in self.sums.numbers} >= {each.name for each in metric.statistics}:
            raise ValueError(
                f"the sketch holds no sums for metric {metric.name!r}, it was made for "
                f"{', '.join(self.sums.metrics)}; sketch the predictions again and name it too."
            )
        check_summed([metric], self.sums.parts)

    def unit_weights(self, *, by_class: bool = False) -> FloatArray:
        return self.sums.numbers["support" if by_class else "count", EVERY_MODEL]


def check_summed(metrics: Sequence[AnyMetric], parts: Sequence[str]) -> None:
    """Refuse metrics of a sketch of several runs, whose sums are of all of them."""
    apart = [metric.name for metric in metrics if not is_of_rows(metric)]
    if apart and len(parts) > 1:
        raise ValueError(
            f"a sketch sums the rows of several runs, and {', '.join(apart)} is the mean of the "
            "values of the runs; sketch each run by itself, or compare the predictions themselves."
        )


def _chance_of(counts: IntArray) -> float:
    """Compute the probability that other samples, as many in each row, have the same counts."""
    sizes = counts.sum(axis=1)
    ways = gammaln(sizes + 1) - gammaln(counts + 1).sum(axis=1) - sizes * np.log(counts.shape[1])
    return float(np.exp(ways.sum()))


def _identity(sketch: Sketch) -> dict[str, Any]:
    """Return the properties that sketches must share to be added, by name."""
    about, of_classes = sketch.about, "soft labels" if sketch.about.soft_truth else "classes"
    return {
        "versions": about.version,
        "salts": about.salt,
        "numbers of buckets": sketch.n_buckets,
        "models": sorted(about.models),
        "output types": {model: kind.name for model, kind in sketch.access.kinds.items()},
        "designs": "strata" if about.strata else "no strata",
        "statistics": sorted(summed.name for summed in about.statistics),
        "types of true labels": "no classes" if about.labels is None else of_classes,
        "scores": about.score_names,
        "directions": about.greater_is_better,
        "ranges": about.bounds,
    }


def _check_order(a: About, b: About) -> None:
    """Refuse classes in different orders where a metric takes the order as that of their ranks."""
    ordinal = [name for name in (*a.metrics, *b.metrics) if "cohen_kappa_" in name]
    both = {*(a.labels or ())} & {*(b.labels or ())}
    first, second = ([x for x in each.labels or () if x in both] for each in (a, b))
    if ordinal and first != second:
        raise ValueError(
            f"the sketches have the classes in different orders ({', '.join(map(str, first))} and "
            f"{', '.join(map(str, second))}), on which {ordinal[0]} depends; sketch both with the "
            "same `labels` (--read labels=...)."
        )


def _union(first: tuple[Any, ...] | None, second: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """Return all classes: in the order of the sketch that has them all, else sorted."""
    if first is None or second is None or {*second} <= {*first}:
        return first
    if {*first} <= {*second}:
        return second
    every = {*first, *second}
    if len({isinstance(label, str) for label in every}) > 1:
        raise ValueError(
            f"the classes are {', '.join(map(repr, first[:3]))} in one sketch and "
            f"{', '.join(map(repr, second[:3]))} in the other; write them in one type."
        )
    return tuple(sorted(every))


def _rows(summed: Summed, model: str, numbers: FloatArray, about: About) -> pd.DataFrame:
    """Return the non-zero numbers of one statistic and model."""
    labels = np.array([str(label) for label in about.labels or ()], dtype=object)
    strata = np.array(about.strata or ("",), dtype=object)
    n_buckets = len(numbers) // len(strata)
    axes = (len(labels),) * summed.class_axes
    cells = numbers.reshape(len(strata), n_buckets, *axes, summed.width)
    stratum, bucket, *classes, place = np.nonzero(cells)
    named = [labels[codes] for codes in classes] + [""] * (2 - len(classes))
    return pd.DataFrame(
        {
            "bucket": bucket, "statistic": summed.name, "model": model, "label": named[0],
            "predicted": named[1], "place": place,
            "value": cells[(stratum, bucket, *classes, place)], STRATUM: strata[stratum],
        }
    )  # fmt: skip
