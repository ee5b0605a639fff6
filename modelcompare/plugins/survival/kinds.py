"""Output types of models of times until an event: risks, and probabilities to survive times."""

from __future__ import annotations

from modelcompare.data.kinds import Kind

_OUTPUTS = "modelcompare.plugins.survival.outputs"
_EVENTS = (
    "y_true", "array-like of shape (n_samples, 2), or structured array",
    "Time of each sample, and 1 if its event was seen then, 0 if it was censored.",
)  # fmt: skip
_ALONE = (
    "{}, and a single sample does not show which of them is right; compare the models over all "
    "samples, by {}."
)
RISKS = Kind(
    "risks", "risks", "survival-analysis",
    (_EVENTS, ("y_pred", "array-like of shape (n_samples,)", "Risks, higher for earlier events.")),
    measured=True, cells="modelcompare.readers.cell_types:numbers",
    check="modelcompare.data.outputs:real_numbers", read=f"{_OUTPUTS}:as_survival",
    fits="modelcompare.data.inputs:is_structured", counted=f"{_OUTPUTS}:events_of",
    columns=("event",), default_metrics=("c_index", "c_index_ipcw"),
    alone=_ALONE.format("risks", "c_index"),
)  # fmt: skip
SURVIVAL_PROBABILITIES = Kind(
    "survival_probabilities", "survival", "survival-analysis",
    (
        _EVENTS,
        ("y_prob", "array-like of shape (n_samples, n_times)",
         "Probability to survive each time of `labels`, which are below the last of `y_true`."),
    ),
    soft=True, axis="times", read=RISKS.read, counted=RISKS.counted, columns=RISKS.columns,
    default_metrics=("integrated_brier_score",),
    alone=_ALONE.format("probabilities to survive", "integrated_brier_score"),
)  # fmt: skip
KINDS = (RISKS, SURVIVAL_PROBABILITIES)
