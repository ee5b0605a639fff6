"""Weights x statistics -> totals -> values: every metric of every model, block by block."""

from modelcompare.engine.columns import ValueKey
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import (
    InfluenceMoments,
    influence_moments,
    row_chunks,
    signed_sums,
)
from modelcompare.engine.parallel import map_blocks, progress_bar
from modelcompare.engine.proportions import proportions
from modelcompare.engine.replicate_errors import replicate_second_moments
from modelcompare.engine.swaps import Swaps

__all__ = [
    "Evaluation",
    "InfluenceMoments",
    "Swaps",
    "ValueKey",
    "influence_moments",
    "map_blocks",
    "progress_bar",
    "proportions",
    "replicate_second_moments",
    "row_chunks",
    "signed_sums",
]
