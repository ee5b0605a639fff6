"""Rainclouds, heatmaps of pairs, values by class, and confusion matrices of a comparison."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd

from modelcompare.comparison.compared import Compared
from modelcompare.comparison.evidence import by_difference, places_of
from modelcompare.comparison.forest import select_models
from modelcompare.comparison.plots import metrics_of, predictions_of
from modelcompare.comparison.tables import significance_of
from modelcompare.data.checks import check_models
from modelcompare.data.test_set import TestSet
from modelcompare.directions import words_of
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.metrics.confusion import confusion_matrix, probabilistic_confusion_matrix
from modelcompare.plugins.charts import raincloud, squares
from modelcompare.report.figures.layout import Caption
from modelcompare.report.figures.matrices import MAX_CLASSES
from modelcompare.report.figures.selection import among, part_shown
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.words import value_name


def of_replicates(result: Compared, ax: Axes | None = None, *, metric: str | None = None) -> Figure:
    """Draw the bootstrap replicates: a cloud, a box and points for each model."""
    heaps = {}
    for name in metrics_of(result, metric):
        places = places_of(result, name)
        most = raincloud.MAX_MODELS if result.keys[places[0]].label is None else None
        shown, remark = select_models(
            result, places, max_models=most, max_classes=raincloud.MAX_CLASSES,
            max_rows=raincloud.MAX_ROWS,
        )  # fmt: skip
        of_classes = {
            result.keys[at].label: [result.models[model] for model in models]
            for at, models in shown.items()
        }
        heaps[name] = [*of_classes.items()], remark
    title = f"{result.headline}; {result.n_resamples:,} resamples"
    return raincloud.plot_raincloud(
        result.bootstrap.values_of, heaps, title, result.signature, result.confidence_level, ax
    )


def heatmap(
    result: Compared, ax: Axes | None = None, *, metric: str | None = None, label: Any = None,
    show: Literal["p_value", "wins"] = "p_value",
) -> Figure:  # fmt: skip
    """Draw p-values and shares of wins of all pairs, of one metric and class.

    The defaults are the first metric, and the class where models differ most. In a given `ax`, one
    of the two is drawn: `show`.
    """
    among("show", show, ("p_value", "wins"))
    at = place_of(result, metric, label)
    found, shown = select_models(result, [at], max_models=squares.MAX_MODELS)
    key, alpha, kept = result.keys[at], result.alpha, np.array(found[at])
    better = result.ahead[at][np.ix_(kept, kept)]
    names = [result.models[model] for model in kept]
    (a, b), p_values = result.pairs, np.full((len(result.models),) * 2, np.nan)
    p_values[a, b] = p_values[b, a] = result.p_adjusted[:, at]
    words = words_of(result.metric_info[key.metric].greater_is_better)
    wins = squares.share_of_wins(result.direction[at] * result.bootstrap.draws[:, kept, at])
    _, criterion = significance_of(result, [key.metric])
    caption = Caption(
        f"{result.headline}; {value_name(key.metric, key.label)}, all pairs, tests at {alpha:g}",
        result.signature, shown,
        note=f"p adjusted by {result.correction}; bold: {criterion}\n"
        f"wins: share of resamples on which the model of the row is {words.better}; ties count "
        "half",
    )  # fmt: skip
    of_pairs, of_wins = (
        pd.DataFrame(values, names, names) for values in (p_values[np.ix_(kept, kept)], wins)
    )
    return squares.plot_heatmap(of_pairs, of_wins, caption, better | better.T, show=show, ax=ax)


def confusion(
    result: Compared, ax: Axes | None = None, *, model: str | None = None, soft: bool = False
) -> Figure:
    """Draw the confusion matrix of a model, next to the probabilistic one.

    The default is the best model by the first metric. In a given `ax`, one matrix is drawn, the
    probabilistic one if `soft`.
    """
    first = result.models[result.order[0, place_of(result, None, None)]]
    chosen = first if model is None else model
    caption = Caption(f"{result.headline}; confusion of {chosen}", result.signature)
    counted = _confused(predictions_of(result), chosen)
    return squares.plot_confusion(chosen, counted, caption, soft=soft, ax=ax)


def classes(result: Compared, ax: Axes | None = None, *, metric: str | None = None) -> Figure:
    """Draw a square for each model and class: its value of a metric per class.

    The default is the first metric per class, or F1 if there is none. Of many models the best are
    drawn, and of many classes those where models differ most.
    """
    per_class = [name for name, info in result.metric_info.items() if info.per_class]
    if metric is None and not per_class:
        kept, preds = result.order[:MAX_CLASSES, 0], predictions_of(result)
        named, remark, strong = "f1", part_shown(len(kept), len(result.models), "model"), None
        found = Evaluation(preds, resolve_metrics(named, preds))
        values, labels = found.estimate()[kept], [key.label for key in found.keys]
    else:
        named = per_class[0] if metric is None else among("metric", metric, per_class)
        places = places_of(result, named)
        shown, remark = select_models(result, places, max_models=MAX_CLASSES)
        columns = [*shown]
        kept = np.array(sorted(shown[columns[0]], key=result.ranks[:, columns].mean(1).__getitem__))
        chosen = np.ix_(kept, np.array(columns))
        values, strong = result.point[chosen], result.rank_range[0][chosen] == 1
        strong = strong if result.directed[columns].all() else None
        labels = [result.keys[at].label for at in columns]
    note = "" if strong is None else "bold: no model is significantly better on the class"
    caption = Caption(f"{result.headline}; values by class", result.signature, remark, note)
    frame = pd.DataFrame(values, [result.models[model] for model in kept], labels)
    return squares.plot_classes(f"{named} by class", frame, strong, caption, ax=ax)


def of_classes(result: Compared) -> bool:
    """Return whether the models predict classes, and the rows are in memory."""
    preds, access = result.bootstrap.evaluation.predictions, result.bootstrap.evaluation.access
    return (
        access.unit == "samples" and preds.labels is not None and "rows" in access.abilities
        and access.codes is not None and preds.kind.has_classes
    )  # fmt: skip


def _confused(preds: TestSet, model: str) -> dict[str, pd.DataFrame]:
    """Return the confusion matrix, and the probabilistic one if there are probabilities."""
    access = preds.access
    check_models(preds.models, model=model)
    if preds.labels is None or access.codes is None or access.kinds[model].real:
        raise ValueError(f"a confusion matrix needs classes; {model!r} gave {access.kinds[model]}.")
    labels, weight = preds.labels, preds.sample_weight
    truth = labels[access.codes]
    predicted = labels[preds.predicted(model)]
    found = {"labels": confusion_matrix(truth, predicted, labels=labels, sample_weight=weight)}
    if access.kinds[model].distribution and not access.missing_mass:
        found["probabilities"] = probabilistic_confusion_matrix(
            truth, preds.probabilities(model), labels=labels, sample_weight=weight
        )
    return found


def place_of(result: Compared, metric: str | None, label: Any) -> int:
    """Return the position of a metric and class; by default the class where models differ most."""
    places = places_of(result, metrics_of(result, metric)[0])
    if label is None:
        return by_difference(result, places, 1)[0]
    labels = [result.keys[at].label for at in places]
    return places[labels.index(among("label", label, labels))]


FIGURES = (
    ("raincloud", of_replicates, None), ("heatmap", heatmap, None),
    ("classes", classes, of_classes), ("confusion", confusion, of_classes),
)  # fmt: skip
