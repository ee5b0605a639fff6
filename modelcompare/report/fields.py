"""Fields of results, by name: what each is, from which tables and the JSON schema follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

# How the cells of a column are written and aligned.
Kind = Literal[
    "text",  # one name
    "label",  # a class, or what else the data hold
    "class",  # a class, which a terminal writes as a heading above its rows
    "leader",  # the model that rows are about, written in the heading too
    "model_a", "model_b",  # the sides of a difference a - b
    "value",  # a metric and a class
    "slice",  # a variable and its value, written as a heading too
    "estimate",  # a number with as many decimals as its row bears
    "difference",  # the same with its sign
    "interval",  # two ends
    "ranks",  # the lowest and the highest
    "p-value",  # and, where there is more, whether it is marked
    "share",  # a fraction, written as a percentage
    "count",
    "size",  # a number by its three leading digits
    "setting",  # a number as it was given
    "given",  # a name, a text or a number that the data hold
    "flag",  # yes or no
]  # fmt: skip
HEADING: frozenset[Kind] = frozenset({"class", "leader", "slice"})
RIGHT: frozenset[Kind] = frozenset({"estimate", "difference", "share", "count", "size", "setting"})

_NAMES: Mapping[Kind, str] = {
    "text": "assumption baseline candidate caveat change ci correction cost method metric metric_a "
    "metric_b kind metric_small metric_whole model name needs rng_label road seed_label sentence "
    "set signature slice summary test text variant",
    "model_a": "model_a",
    "model_b": "model_b",
    "label": "label value",
    "given": "id said_a said_b y_true",
    "estimate": "accuracy apart area best ci_high ci_low confidence critical_difference "
    "debiased_ece difference_a difference_b estimate false_positive_rate gap high low mean "
    "mean_rank original part_high part_low precision quantized raw recall sd separation_a "
    "separation_b separation_quantized separation_raw standard_deviation standard_error threshold "
    "variance variance_a variance_b variance_between variance_ratio samples_ratio pct_agree "
    "pct_separated pct_significant pct_undefined worst y",
    "difference": "difference gain lead",
    "p-value": "p_adjusted p_value p_value_a p_value_b p_value_standard_error",
    "share": "p_a p_b p_equivalent power share",
    "count": "B bin fold n n_agree n_bins n_folds n_missing n_models n_pairs n_resamples n_samples "
    "n_separated n_significant n_subsamples n_test n_train n_undefined rank rank_high rank_low "
    "repeat subsample support",
    "size": "detectable interval_width n_needed statistic",
    "setting": "alpha confidence_level level margin ratio rope x",
    "flag": "agree exact greater_is_better moves passed per_class significant stratify",
}
FIELDS: Mapping[str, Kind] = {
    name: kind for kind, names in _NAMES.items() for name in names.split()
}
