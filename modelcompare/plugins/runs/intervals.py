"""Intervals for new runs of the same training procedures."""

from __future__ import annotations

from modelcompare.engine.contrasts import Contrasts
from modelcompare.intervals.auto import choose
from modelcompare.intervals.base import Interval
from modelcompare.intervals.extended import extend_intervals
from modelcompare.intervals.influences import share_of_occurring
from modelcompare.works import INFLUENCE

# Name in the frames' column `method`.
NAME = "items+runs-t"
PHRASES = ((NAME, (
    "Student's interval with the variance over items and training runs of the influences (crossed "
    "random effects, Satterthwaite's degrees of freedom)", (INFLUENCE,))),)  # fmt: skip


def for_new_runs(contrasts: Contrasts, level: float) -> Interval:
    """Extend intervals for these runs to new ones."""
    found = choose(contrasts, level)
    evaluation = contrasts.evaluation
    scales = [share_of_occurring(evaluation, metric) for metric in evaluation.metrics]
    return extend_intervals(found, contrasts, level, NAME, scales)
