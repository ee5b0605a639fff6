"""Samples in two stages: some of the clusters that there are, and some of the items of each."""

from dataclasses import dataclass, replace

import numpy as np

from modelcompare import Predictions
from modelcompare.data.attachments import Attachment
from modelcompare.data.variants import with_attachment


@dataclass(frozen=True)
class Draw(Attachment):
    """Number of clusters that there are, and of items in the cluster of each sample."""

    n_clusters: int
    n_items: np.ndarray
    name = "two-stage"

    def rows(self, index):
        return replace(self, n_items=self.n_items[index])

    def of_models(self, models):  # noqa: ARG002  items are those of all models
        return self

    def check_known(self, argument):
        raise ValueError(f"`{argument}` has two stages, which compare, decide and gate know.")


def two_stage(y_true, outputs, *, clusters, n_clusters, n_items, **options):
    """Return predictions, weighted by the numbers of items that clusters have (a mapping)."""
    of, size = np.unique(clusters, return_inverse=True, return_counts=True)[1:]
    n, have = size[of], np.array([n_items[cluster] for cluster in clusters])
    if n_clusters < len(size) or (have < n).any() or ((n == 1) & (have > 1)).any():
        raise ValueError("a cluster has two samples or more unless it is whole, and none too many.")
    weight = have / n
    preds = Predictions(y_true, outputs, groups=clusters, sample_weight=weight, **options)
    return with_attachment(preds, Draw(n_clusters, have))
