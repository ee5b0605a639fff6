"""Refusals of questions about single rows, of outputs that have a meaning only together."""

from __future__ import annotations

from typing import Any

from modelcompare.data.test_set import Access


def refuse_pseudo_values(access: Access[Any], what: str) -> None:
    """Refuse a question, named by `what`, that takes scores for those of rows, of pseudo-values.

    Pseudo-values depend on all rows, also those without the model: their mean is a value relative
    to the other models, and they have no other meaning.
    """
    if access.source.pseudo:
        (name,), called = access.scores.names, access.source.called
        raise ValueError(
            f"{what} cannot be of scores of {called}, which are pseudo-values of a fit to all "
            f"{called}, also those without the model: only their mean has a meaning, the {name} "
            f"relative to the other models; compare the models of one fit by {name}."
        )
