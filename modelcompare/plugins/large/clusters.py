"""Clusters of a scan, as test sets of their sums: exactly those that resamples draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, IntArray
from modelcompare.data.columns import nested
from modelcompare.data.test_set import TestSet
from modelcompare.engine.memory import check_clusters
from modelcompare.metrics.base import AnyMetric
from modelcompare.plugins.large.scanned import ScannedPredictions
from modelcompare.plugins.large.sketches import Sketch, SumAccess
from modelcompare.plugins.large.summing import block_sums


class ClusterSums(Sketch):
    """A sketch with a bucket for each cluster, in the order of their names, and their strata."""

    __slots__ = ()

    def __init__(self, sums: Sketch, strata: AnyArray | None, scan: ScannedPredictions) -> None:
        super().__init__(sums.about, sums.counts, sums.numbers)
        self.scan = scan
        self._columns = {**self._columns, "strata": strata}

    @property
    def access(self) -> ClusterAccess:
        return ClusterAccess(self)

    def _of_models(self, models: Sequence[str]) -> ClusterSums:
        return ClusterSums(super()._of_models(models), self.strata, self.scan[models])


class ClusterAccess(SumAccess):
    """Access to sums of clusters, and to blocks of the rows that were summed."""

    __slots__ = ()

    abilities = SumAccess.abilities | {"blocks"}
    _refusal = (
        "{} needs single samples, and the clusters of a scan are summed; read everything into "
        "memory with .load()."
    )

    @property
    def unit(self) -> str:
        return "clusters"

    def blocks(self, start: int = 0) -> Iterator[TestSet]:
        assert isinstance(self.test_set, ClusterSums)  # noqa: S101  alone has this access
        return self.test_set.scan.access.blocks(start)


def by_cluster(scan: ScannedPredictions, metrics: Sequence[AnyMetric]) -> ClusterSums:
    """Sum the statistics of metrics over each cluster of a scan.

    Raises
    ------
    ValueError
        If the sums of so many clusters do not fit into memory, or a cluster is in two strata.
    """
    names, strata = pd.Index(scan.access.names("groups")), scan.strata
    total: Sketch | None = None
    stratum_of, n_before = np.full(len(names), -1), 0
    for block in scan.access.blocks():
        place = names.get_indexer(pd.Index(block.groups))
        some, local = np.unique(place, return_inverse=True)
        part = block_sums(block.with_columns(strata=None), local, metrics, len(some))
        if total is None:
            check_clusters(len(names), sum(sums.shape[1] for sums in part.numbers.values()))
        total = _add_sums(total, part, some, len(names))
        if strata is not None:
            here = strata[n_before : n_before + len(block)]
            known = stratum_of[place]
            _check_nested(names[place], np.where(known < 0, here, known), here)
            stratum_of[place] = here
            n_before += len(block)
    assert total is not None  # noqa: S101  a scan has rows
    return ClusterSums(total, None if strata is None else stratum_of, scan)


def _add_sums(total: Sketch | None, part: Sketch, some: IntArray, n_clusters: int) -> Sketch:
    """Add the sums of some clusters to those of all, in place: a block has few of the clusters."""
    if total is None:
        numbers = {key: np.zeros((n_clusters, s.shape[1])) for key, s in part.numbers.items()}
        total = Sketch(part.about, np.zeros(n_clusters, dtype=np.intp), numbers)
    total.counts[some] += part.counts
    for key, sums in part.numbers.items():
        total.numbers[key][some] += sums
    return Sketch(_empty(total)._with_block(_empty(part)).about, total.counts, total.numbers)


def _empty(sums: Sketch) -> Sketch:
    numbers = {key: found[:0] for key, found in sums.numbers.items()}
    return Sketch(sums.about, sums.counts[:0], numbers)


def _check_nested(groups: AnyArray, known: IntArray, strata: IntArray) -> None:
    """Refuse clusters in two strata, of which earlier blocks may have had one."""
    groups, strata = np.concatenate([groups, groups]), np.concatenate([known, strata])
    nested({"ids": None, "groups": groups, "strata": strata, "runs": None})
