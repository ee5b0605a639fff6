"""Words on a judge: where labels by people are few, how they were drawn, what they are worth."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from modelcompare.arrays import IntArray
from modelcompare.data.checks import warn_of_data
from modelcompare.data.test_set import TestSet
from modelcompare.engine.axis import ValueKey
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import SparseDataWarning
from modelcompare.plugins.judges.cells import LEAST
from modelcompare.plugins.judges.judged import Judged
from modelcompare.plugins.judges.labels_drawn import (
    NOT_AT_RANDOM,
    not_drawn,
    p_at_random,
    p_of_places,
)
from modelcompare.words import warn_caller

# Share of the samples from which on a cell matters.
_MATTERS = 0.05


def warn_of_few_labels(
    evaluation: Evaluation, judged: Judged, places: IntArray | None
) -> list[str]:
    """Warn of few labels, of cells that matter and of classes, and of others than random ones.

    Classes are those of the values at `places`, all if there are none.
    """
    texts, n_samples = [], len(evaluation.predictions)
    few = [
        (float(labels), float(share))
        for cells in (
            rows.cells for rows in judged.blocks(np.arange(len(evaluation.models))[:, None])
        )
        for labels, share in zip(cells.labels, cells.sizes / n_samples, strict=True)
        if labels < LEAST and share > _MATTERS
    ]
    if few:
        labels, share = min(few)
        texts.append(
            f"{labels:.3g} labels by people stand for {share:.0%} of the samples, those with the "
            f"same answers and verdict: with fewer than {LEAST}, intervals may cover the true "
            "value less often than their level. Label more of these samples.".replace("%", " %")
        )
    every = np.arange(len(evaluation.keys))
    texts += _few_of_classes(evaluation, judged, every if places is None else places)
    for text in texts:
        warn_caller(text, SparseDataWarning)
    warn_if_not_drawn(evaluation.predictions)
    return texts


def _few_of_classes(evaluation: Evaluation, judged: Judged, places: IntArray) -> list[str]:
    """Return a text on the class with the fewest labels, if its value or a mean depends on it."""
    codes, labels = evaluation.access.codes, evaluation.predictions.labels
    if codes is None or labels is None:
        return []
    counts = np.bincount(codes[judged.judge.labelled], minlength=len(labels))
    averaged = {m.name for m in evaluation.metrics if getattr(m, "average", None) == "macro"}
    asked: dict[int, str] = {}
    for key in (evaluation.keys[place] for place in places.tolist()):
        if key.metric in averaged:
            asked[int(counts.argmin())] = key.metric
        elif key.label is not None:
            asked[labels.tolist().index(key.label)] = key.metric
    few = min(asked, key=counts.__getitem__, default=None)
    if few is None or counts[few] >= LEAST:
        return []
    return [
        f"{asked[few]}: {counts[few]:,} labels by people are of class {labels[few]}: with fewer "
        f"than {LEAST}, intervals may cover the true value less often than their level. Label "
        "more samples that the judge gives this class."
    ]


def warn_if_not_drawn(predictions: TestSet) -> None:
    """Warn of labels that were not drawn at random, by answers and verdicts or by their rows."""
    if p_at_random(predictions) < NOT_AT_RANDOM:
        warn_of_data(str(not_drawn(predictions)))
    if (p := p_of_places(predictions)) < NOT_AT_RANDOM:
        warn_of_data(
            f"samples with labels by people are not spread over the rows as a random part is (p = "
            f"{p:.2g}): if the order means something (time, source), the judge may err otherwise "
            "where there are no labels, and nothing here shows it. Label samples drawn from all "
            "rows, or give the strata of the draw (strata, --read strata=COLUMN)."
        )


def worth(judged: Judged, key: ValueKey) -> str:
    """Return how many labels those with a judge are worth, for one value."""
    worth = judged.worth[:, judged.keys.index(key)].tolist()
    return worth_in_words(judged.judge.n_labels, dict(zip(judged.models, worth, strict=True)))


def worth_in_words(n_labels: int, worth: Mapping[str, float]) -> str:
    """Write how many labels some are worth, by what they are worth for each model."""
    worth = {model: each for model, each in worth.items() if each == each}
    if not worth:
        return ""
    low, high = min(worth.values()), max(worth.values())
    text = f"With the judge, {n_labels:,} labels are worth {low:,.0f}"
    text += f" to {high:,.0f}" if round(low) < round(high) else ""
    costly = [model for model, each in worth.items() if each < n_labels]
    if costly:
        text += f"; for {', '.join(costly[:3])} it costs more than it gains"
    return f"{text}."
