"""Figures of metrics: the value as a growing share of perfect outputs is spoiled."""

import io
from typing import Any

import numpy as np

import modelcompare as mc
from modelcompare.metrics.base import AnyMetric
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.style import LEADING, Look, plain_axes
from modelcompare.report.figures.types import Axes

_SHARES = np.linspace(0, 1, 11)
_N = 600
# Of an item, for metrics of repeated answers.
_ANSWERS = 10
_TAGGED = ("slot_error_rate", "span_f1")
_OF_TWO = ("roc_auc", "average_precision", "probabilistic_auc", "scored_auc", "soft_auc")
_SPOILED = {
    "labels": "spoiled: another class",
    "probabilities": "spoiled: the probability goes to another class",
    "scores": "spoiled: 0 instead of 1",
    "values": "spoiled: the values of other samples, or lower log-probabilities",
    "texts": "spoiled: words missing and in reverse order, or another sentence",
    "text_lists": "spoiled: words missing and in reverse order",
    "label_sets": "spoiled: every label that is not true",
    "label_probabilities": "spoiled: the probability of every label is turned round",
    "risks": "spoiled: the risk of another patient",
    "survival_probabilities": "spoiled: the curve of another patient",
    "label_detections": "spoiled: boxes somewhere else",
}
_WORDS = "the cat sat on a mat and saw one small grey mouse run over its old red rug"


def drawn(metric: AnyMetric) -> bytes:
    """Draw a metric against the share of spoiled outputs, as SVG."""
    values = _values(metric)

    def draw(axes: Axes) -> None:
        plain_axes(axes)
        axes.plot(_SHARES, values, **Look(LEADING, "o").options())
        axes.set_xlabel(f"share of {_N} perfect outputs that were spoiled")
        axes.set_ylabel(metric.name)

    caption = Caption(f"{metric.name} as outputs get worse", "", note=_SPOILED[metric.needs])
    figure = draw_panels(caption, [[draw]], (3.9, 2.4))
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def _values(metric: AnyMetric) -> list[float]:
    truth, perfect, spoiled, options = _outputs(metric)
    order = np.random.Generator(np.random.PCG64(1)).permutation(_N)
    outputs = {}
    for share in _SHARES:
        made = perfect.copy()
        rows = order[: round(share * _N)]
        made[rows] = spoiled[rows]
        outputs[f"{share:.1f}"] = made
    up = True if metric.needs == "scores" else None
    preds = mc.Predictions(truth, outputs, greater_is_better=up, **options)
    found = mc.bootstrap(preds, [metric.name], n_resamples=2).estimate
    return found.groupby(level="model", sort=False).mean().tolist()


def _outputs(metric: AnyMetric) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Return true values, perfect and spoiled outputs, and options of `Predictions`."""
    rng = np.random.Generator(np.random.PCG64(0))
    n_classes = 2 if metric.stem in _OF_TWO else 5 if metric.stem == "top_k_accuracy" else 3
    truth = rng.integers(0, n_classes, _N)
    if metric.stem in _TAGGED:
        tagged = np.array(["B-PER I-PER O B-LOC", "O B-ORG O O", "B-LOC O B-PER I-PER"])
        return tagged[truth], tagged[truth], tagged[truth - 1], {"kind": "texts"}
    if metric.stem == "perplexity":
        tokens = rng.integers(4, 12, _N).astype(float)
        return tokens, -1.0 * tokens, -3.0 * tokens, {"kind": "values"}
    if metric.needs == "scores":
        items = {"groups": np.arange(_N) // _ANSWERS} if metric.of_items else {}
        return None, np.ones(_N), np.zeros(_N), {"kind": "scores", **items}
    if metric.needs == "values":
        values = rng.gamma(4.0, 1.0, _N)
        return values, values.copy(), rng.permutation(values), {"kind": "values"}
    if metric.needs in ("texts", "text_lists"):
        words = rng.choice(_WORDS.split(), (_N, 8))
        texts = np.array([" ".join(row) for row in words], dtype=object)
        worse = np.array([" ".join(row[::-1][:6]) for row in words], dtype=object)
        return texts, texts.copy(), worse, {"kind": "texts"}
    if metric.needs.startswith("label_"):
        return _multilabel(metric, rng)
    if metric.needs in ("risks", "survival_probabilities"):
        return _of_times(metric, rng)
    if metric.needs == "labels":
        return truth, truth.copy(), (truth + 1) % n_classes, {"kind": "labels"}
    sure = rng.uniform(0.6, 1.0, _N)
    perfect, spoiled = (_around(label, sure, n_classes) for label in (truth, truth + 1))
    if metric.stem == "kl_divergence":
        return perfect, perfect.copy(), spoiled, {"kind": "probabilities"}
    return truth, perfect, spoiled, {"kind": "probabilities"}


def _multilabel(metric: AnyMetric, rng: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Return sets of labels: rows of 0 and 1, probabilities, or detections."""
    options = {"kind": metric.needs}
    if metric.needs == "label_detections":
        boxes = [[0.0, 0.0, *rng.integers(10, 30, 2).tolist()] for _ in range(_N)]
        found = {
            name: [{"image_id": k, "category_id": 1, "bbox": [x, 0.0, *box[2:]], "score": 0.9}
                   for k, box in enumerate(boxes)]
            for name, x in (("perfect", 0.0), ("spoiled", 100.0))
        }  # fmt: skip
        truth = {
            "images": [{"id": k} for k in range(_N)], "categories": [{"id": 1, "name": "cat"}],
            "annotations": [
                {"id": k, "image_id": k, "category_id": 1, "bbox": box, "iscrowd": 0,
                 "area": box[2] * box[3]} for k, box in enumerate(boxes)
            ],
        }  # fmt: skip
        preds = mc.io.from_coco(truth, found)
        arrays = (preds.output(name).array for name in found)
        return preds.access.true_distribution, *arrays, {**options, "labels": preds.labels}
    truth = rng.integers(0, 2, (_N, 3))
    if metric.needs == "label_sets":
        return truth, truth.copy(), 1 - truth, options
    return truth, 0.1 + 0.8 * truth, 0.9 - 0.8 * truth, options


def _of_times(metric: AnyMetric, rng: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Return times of events, and risks, or probabilities to survive until some times."""
    times = rng.exponential(size=_N)
    truth, options = np.column_stack([times, np.ones(_N)]), {"kind": metric.needs}
    if metric.needs == "risks":
        return truth, -times, -rng.permutation(times), options
    until = np.quantile(times, [0.2, 0.4, 0.6, 0.8])
    curves = (times[:, None] > until).astype(float)
    return truth, curves, rng.permutation(curves), {**options, "labels": until}


def _around(label: Any, sure: Any, n_classes: int) -> Any:
    """Return rows of probabilities: `sure` of the label, less and less of those after it."""
    steps = (np.arange(n_classes) - label[:, None]) % n_classes
    rest = np.where(steps == 0, 0.0, 2.0**-steps)
    rest *= (1 - sure[:, None]) / rest.sum(axis=1, keepdims=True)
    return np.where(steps == 0, sure[:, None], rest)
