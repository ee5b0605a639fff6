"""Output types of sets of labels: the sets, probabilities of each label, and counts of objects."""

from __future__ import annotations

from dataclasses import replace

from modelcompare.data.kinds import Kind

_HERE = "modelcompare.plugins.label_sets"
_OUTPUTS, _SAMPLES = f"{_HERE}.outputs", f"{_HERE}.samples"
_SETS = "sequence of lists, or array-like of shape (n_samples, n_labels)"
_TRUE_SETS = "y_true", _SETS, "True labels of each sample, as lists or as rows of 0 and 1."
LABEL_SETS = Kind(
    "label_sets", "label sets", "classification",
    (_TRUE_SETS, ("y_pred", _SETS, "Predicted labels, in the same way.")),
    truth=("y_true", "true_distribution"), proportions=True, read=f"{_OUTPUTS}:as_matrices",
    fits=f"{_OUTPUTS}:are_sets", check_metric=f"{_HERE}.metrics:check_metric",
    intervals=f"{_HERE}.intervals:of_counts", thresholds=f"{_HERE}.thresholds:OF_EACH_LABEL",
    loss=f"{_SAMPLES}:loss", disagreements=f"{_SAMPLES}:disagreements",
    views={"labels": ""},
    default_metrics=("f1_micro", "f1_macro", "f1_samples", "subset_accuracy"),
)  # fmt: skip
LABEL_PROBABILITIES = replace(
    LABEL_SETS, name="label_probabilities", title="probabilities", fits="", soft=True,
    proportions=False,
    arguments=(
        _TRUE_SETS,
        ("y_prob", "array-like of shape (n_samples, n_labels)", "Probability of each label."),
    ),
    views={
        "probabilities": "",
        **dict.fromkeys(("labels", "label_sets"), f"{_OUTPUTS}:likely_labels"),
    },
    default_metrics=(*LABEL_SETS.default_metrics, "lrap"),
)  # fmt: skip
LABEL_COUNTS = Kind(
    "label_counts", "label counts", "detection", truth=LABEL_SETS.truth,
    read=f"{_OUTPUTS}:of_counts", hits=f"{_OUTPUTS}:found_objects",
    check_metric=LABEL_SETS.check_metric, intervals=LABEL_SETS.intervals,
    thresholds=LABEL_SETS.thresholds, loss=LABEL_SETS.loss,
    alone="counts of objects, which do not show which object differs; compare the items by their "
    "counts.",
    views=dict.fromkeys(("labels", "label_sets"), f"{_OUTPUTS}:given_objects"),
    default_metrics=("precision_micro", "recall_micro", "f1_micro", "f1_macro", "f1_samples"),
)  # fmt: skip
KINDS = (LABEL_SETS, LABEL_PROBABILITIES, LABEL_COUNTS)
