"""Weights x statistics -> totals -> values: every metric of every model, block by block."""

from modelcompare.engine.evaluation import Evaluation, ValueKey
from modelcompare.engine.influence import (
    InfluenceMoments,
    influence_moments,
    row_chunks,
    signed_sums,
)
from modelcompare.engine.swaps import swapped_differences

__all__ = [
    "Evaluation",
    "InfluenceMoments",
    "ValueKey",
    "influence_moments",
    "row_chunks",
    "signed_sums",
    "swapped_differences",
]
