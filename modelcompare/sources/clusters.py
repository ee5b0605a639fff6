"""Clusters of a scan, as test sets of their sums: exactly those that resamples draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.data.columns import nested
from modelcompare.metrics.base import AnyMetric
from modelcompare.sources.scanned import ScannedPredictions
from modelcompare.sources.sketches import Sketch
from modelcompare.sources.summing import block_sums


class ClusterSums(Sketch):
    """A sketch with a bucket for each cluster, in the order of their names, and their strata."""

    __slots__ = ()
    _refusal = (
        "{} needs single samples, and the clusters of a scan are summed; read everything into "
        "memory with .load()."
    )

    def __init__(self, sums: Sketch, strata: AnyArray | None) -> None:
        super().__init__(sums.about, sums.counts, sums.numbers)
        self._columns = {**self._columns, "strata": strata}

    @property
    def unit(self) -> str:
        return "clusters"

    def _of_models(self, models: Sequence[str]) -> ClusterSums:
        return ClusterSums(super()._of_models(models), self.strata)


def by_cluster(scan: ScannedPredictions, metrics: Sequence[AnyMetric]) -> ClusterSums:
    """Sum the statistics of metrics over each cluster of a scan."""
    names = pd.Index(scan.names("groups"))
    total: Any = None
    pairs = list[pd.DataFrame]()
    for block in scan.blocks():
        place = names.get_indexer(pd.Index(block.groups))
        part = block_sums(block.without("strata"), place, metrics, len(names))
        total = part if total is None else total + part
        if block.strata is not None:
            pair = pd.DataFrame({"cluster": place, "stratum": block.strata})
            pairs = [pd.concat([*pairs, pair]).drop_duplicates()]
    if not pairs:
        return ClusterSums(total, None)
    groups, strata = pairs[0].sort_values("cluster").to_numpy(dtype=object).T
    nested({"ids": None, "groups": groups, "strata": strata, "runs": None})
    return ClusterSums(total, strata)
