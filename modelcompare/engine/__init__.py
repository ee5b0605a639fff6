"""Weights x statistics -> totals -> values: every metric of every model, block by block."""

from modelcompare.engine.evaluation import Evaluation, ValueKey
from modelcompare.engine.influence import (
    InfluenceMoments,
    influence_moments,
    row_chunks,
    signed_sums,
)
from modelcompare.engine.parallel import map_blocks
from modelcompare.engine.swaps import Swaps

__all__ = [
    "Evaluation",
    "InfluenceMoments",
    "Swaps",
    "ValueKey",
    "influence_moments",
    "map_blocks",
    "row_chunks",
    "signed_sums",
]
