"""Refusals of questions about single rows, of outputs that have a meaning only together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from modelcompare.data.test_set import TestSet
from modelcompare.words import Kind

_OF_OBJECTS = (
    "counts of objects, which do not show which object differs; compare the items by their counts."
)
_OF_SURVIVAL = (
    "{}, and a single sample does not show which of them is right; compare the models over all "
    "samples, by {}."
)
# Why single rows of these outputs show nothing, and what to ask instead.
_TOGETHER: Mapping[Kind, str] = {
    "label_counts": _OF_OBJECTS,
    "label_detections": _OF_OBJECTS,
    "risks": _OF_SURVIVAL.format("risks", "c_index"),
    "survival_probabilities": _OF_SURVIVAL.format(
        "probabilities to survive", "integrated_brier_score"
    ),
}


def refuse_pseudo_values(predictions: TestSet, what: str) -> None:
    """Refuse a question, named by `what`, that takes scores for those of rows, of pseudo-values.

    Pseudo-values depend on all battles, also those without the model: their mean is the strength,
    relative to the other models, and they have no other meaning.
    """
    if predictions.source.pseudo:
        (name,) = predictions.score_names
        raise ValueError(
            f"{what} cannot be of scores of battles, which are pseudo-values of a fit to all "
            f"battles, also those without the model: only their mean has a meaning, the {name} "
            f"relative to the other models; compare the models of one fit by {name}."
        )


def refuse_single_rows(predictions: TestSet, models: Sequence[str], what: str) -> None:
    """Refuse a question about single rows of these models' outputs if rows show nothing alone."""
    refuse_pseudo_values(predictions, what)
    for model in models:
        reason = _TOGETHER.get(predictions.kinds[model])
        if reason is not None:
            raise ValueError(f"the models' outputs are {reason}")
