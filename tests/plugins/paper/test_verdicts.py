"""Verdicts of studies, right in cases that are made for each of their sentences."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.plugins.paper.verdicts import (
    of_agreement,
    of_rows,
    of_sensitivity,
    of_undefined,
    of_variances,
)

PAIR = ("f1", "cf1")


def ratios(*rows):
    """A frame of variance ratios, each with its interval."""
    table = pd.DataFrame(rows, columns=["variance_ratio", "ci_low", "ci_high"])
    return table.assign(metric_a="f1", metric_b="cf1", label="x")


LOWER, HIGHER, NEITHER = (2.0, 1.5, 2.5), (0.5, 0.4, 0.7), (1.1, 0.8, 1.4)
UNDEFINED = (np.nan,) * 3


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        ([LOWER] * 4, "cf1 has a lower variance than f1 in all of 4 cases (models, classes and "
         "sizes), 2.00 times lower in the median."),
        ([LOWER] * 3 + [NEITHER], "cf1 has a lower variance than f1 in 3 of 4 cases (models, "
         "classes and sizes), 2.00 times lower in the median."),
        ([LOWER] * 3 + [HIGHER], "cf1 has a lower variance than f1 in 3 of 4 cases (models, "
         "classes and sizes), 2.00 times lower in the median; it has a higher one in 1."),
        ([HIGHER] * 3, "cf1 has a higher variance than f1 in all of 3 cases (models, classes and "
         "sizes), 2.00 times higher in the median."),
        ([HIGHER] * 2 + [LOWER], "cf1 has a higher variance than f1 in 2 of 3 cases (models, "
         "classes and sizes), 2.00 times higher in the median; it has a lower one in 1."),
        ([NEITHER] * 2, "f1 and cf1 do not differ in variance in any of 2 cases (models, classes "
         "and sizes)."),
        ([LOWER] * 2 + [UNDEFINED], "cf1 has a lower variance than f1 in 2 of 3 cases (models, "
         "classes and sizes), 2.00 times lower in the median; it has no ratio in 1."),
        ([UNDEFINED] * 2, "The variances of f1 and cf1 have no ratio in any of 2 cases."),
    ],
)  # fmt: skip
def test_the_verdict_on_variances(rows, verdict):
    assert [*of_variances([PAIR], ratios(*rows), None)] == [verdict]


@pytest.mark.parametrize(
    ("separated", "sentence"),
    [
        ((0, 0), " On the whole test set neither separates any of 6 pairs of models."),
        ((3, 3), " On the whole test set both separate 3 of 6 pairs of models."),
        ((3, 5), " On the whole test set cf1 separates 5 of 6 pairs of models, f1 3 of 6."),
        ((5, 3), " On the whole test set cf1 separates 3 of 6 pairs of models, f1 5 of 6."),
    ],
)
def test_a_lower_variance_is_beside_the_pairs_that_are_separated(separated, sentence):
    frame = pd.DataFrame({
        "metric": [*PAIR, *PAIR], "label": "x", "ratio": [1.0, 1.0, 0.1, 0.1], "n_pairs": 6,
        "n_separated": [*separated, 0, 0],
    })  # fmt: skip
    (found,) = of_variances([PAIR], ratios(LOWER), frame)
    assert found.endswith(sentence)


def agreement(*rows):
    """A table of agreement, of significant and agreeing pairs of ten in each class."""
    table = pd.DataFrame(rows, columns=["n_significant", "n_agree"])
    table["pct_agree"] = 100 * table["n_agree"] / table["n_significant"].where(lambda n: n > 0)
    return table.assign(metric_a="f1", metric_b="cf1", n_pairs=10, label=[*"xyz"][: len(rows)])


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        ([(10, 10)], "f1 and cf1 both find a difference (wald, p < 0.01) in all of 10 pairs of "
         "models, and prefer the same model in all of these."),
        ([(8, 6)], "f1 and cf1 both find a difference (wald, p < 0.01) in 8 of 10 pairs of "
         "models, and prefer the same model in 6 (75 %) of these."),
        ([(8, 0)], "f1 and cf1 both find a difference (wald, p < 0.01) in 8 of 10 pairs of "
         "models, and prefer the same model in 0 (0 %) of these."),
        ([(0, 0)], "f1 and cf1 both find a difference (wald, p < 0.01) in none of 10 pairs of "
         "models, so there is nothing to agree about."),
        ([(8, 4), (4, 4), (0, 0)], "f1 and cf1 both find a difference (wald, p < 0.01) in 12 of "
         "30 pairs of models and classes, and prefer the same model in 8 (66.7 %) of these (from "
         "50 % of x to 100 % of y)."),
    ],
)  # fmt: skip
def test_the_verdict_on_agreement(rows, verdict):
    assert [*of_agreement(agreement(*rows), "wald", 0.01)] == [verdict]


def undefined(**shares):
    """A table of undefined shares of one class, at two sizes, of 100 test sets."""
    rows = [
        (name, ratio, share)
        for name, both in shares.items()
        for ratio, share in zip((1.0, 0.1), both, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["metric", "ratio", "n_undefined"])
    table["n_samples"] = (200 * table["ratio"]).astype(int)
    return table.assign(label="rare", pct_undefined=table["n_undefined"].astype(float))


@pytest.mark.parametrize(
    ("shares", "verdict"),
    [
        ({"f1": (0, 0), "cf1": (0, 0)}, ["All metrics have a value on each of 100 test sets of "
         "every size."]),
        ({"f1": (0, 12), "cf1": (0, 0)}, ["Without a value on test sets of 20 samples (10 % of "
         "all): f1 in 12 %, most often f1 of rare (12 %).", "cf1 always has a value."]),
        ({"f1": (2, 12), "cf1": (1, 3)}, ["Without a value on test sets of 20 samples (10 % of "
         "all): f1 in 12 % and cf1 in 3 %, most often f1 of rare (12 %)."]),
    ],
)  # fmt: skip
def test_the_verdict_on_undefined_values(shares, verdict):
    assert [*of_undefined(undefined(**shares), 100)] == verdict


@pytest.mark.parametrize(
    ("moves", "verdict"),
    [
        ({"accuracy": 0.0, "f1": 0.0}, ["With the same decisions and other confidences, accuracy "
         "and f1 did not move."]),
        ({"accuracy": 0.0, "cf1": -0.2}, ["With the same decisions and other confidences, "
         "accuracy did not move.", "Moved: cf1 by up to 0.200 (m, noise 2)."]),
        ({"cf1": 0.1}, ["Moved: cf1 by up to 0.100 (m, noise 2)."]),
    ],
)  # fmt: skip
def test_the_verdict_on_sensitivity(moves, verdict):
    table = pd.DataFrame({
        "metric": [*moves], "difference": [*moves.values()], "model": "m", "change": "noise",
        "level": 2.0, "moves": [bool(size) for size in moves.values()], "label": None,
        "original": 0.5,
    })  # fmt: skip
    assert [*of_sensitivity(table)] == verdict


def test_sensitivity_counts_what_the_papers_convention_loses():
    # b never predicts the last of three classes.
    truth = np.resize([0, 1, 2], 90)
    codes = {"a": np.where(np.arange(90) % 5, truth, 0), "b": np.minimum(truth, 1)}
    soft = {name: 0.8 * np.eye(3)[each] + 0.2 / 3 for name, each in codes.items()}
    study = mc.studies.sensitivity_study(
        mc.Predictions(truth, soft), ["precision_macro", "precision", "accuracy"], n_resamples=20,
        temperatures=[2.0], noises=[], zero_division="paper",
    )  # fmt: skip
    assert study.verdict().splitlines() == [
        "With the same decisions and other confidences, precision_macro, precision and accuracy "
        "did not move.",
        "Undefined, so that changes are not known: precision_macro (1 of 2 models) and precision "
        "(1 of 6 values).",
    ]
    alone = mc.studies.sensitivity_study(
        mc.Predictions(truth, {"b": soft["b"]}), "precision_macro", n_resamples=20,
        temperatures=[2.0], noises=[], zero_division="paper",
    )  # fmt: skip
    assert alone.verdict() == (
        "Undefined, so that changes are not known: precision_macro (1 of 1 models)."
    )


def test_studies_open_with_their_verdict():
    preds = mc.load_example("snli").subset(range(400))[["mlp", "bow_pair"]]
    few = {"n_resamples": 50}
    for study in (
        mc.studies.variance_study(preds, ["f1"], ratios=[1.0, 0.5], **few),
        mc.studies.agreement_study(preds, ["f1"], test="wald", **few),
        mc.studies.undefined_study(preds, ["f1"], ratios=[1.0, 0.5], **few),
        mc.studies.sensitivity_study(preds, ["accuracy", "cf1_macro"], **few),
    ):
        assert study.document().sentences[0] == study.verdict().splitlines()[0]
        assert study.verdict().splitlines()[0].split()[0] in str(study)


def shares(*rows):
    """A table of % agree, each with its interval."""
    return pd.DataFrame(rows, columns=["pct_agree", "ci_low", "ci_high"])


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        ([(90, 80, 95)] * 5 + [(60, 40, 80)] * 4, "above half in 9 of 9 rows, significantly in 5"),
        ([(90, 80, 95), (50, 40, 60)], "above half in 1 of 2 rows, significantly in 1"),
        ([(40, 30, 49), (40, 30, 50)], "above half in 0 of 2 rows, significantly in 0, and significantly below half in 1"),
        ([UNDEFINED, (51, 50, 52)], "above half in 1 of 2 rows, significantly in 0"),
    ],
)  # fmt: skip
def test_the_verdict_on_rows_of_agreement(rows, verdict):
    assert of_rows(shares(*rows), 0.99) == f"% agree is {verdict} (99 % CI, models resampled)."


def test_the_verdict_on_rows_is_under_the_table():
    study = mc.studies.agreement_study(mc.load_example("snli_sepcnn"), ["f1"], n_resamples=99)
    (table,) = study.document().tables.values()
    assert (
        table.notes[0]
        == "% agree is above half in 3 of 3 rows, significantly in 0 (99 % CI, models resampled)."
    )


def test_consistency_and_discriminancy_are_counted_pair_by_pair():
    rng = np.random.default_rng(3)
    # Few samples, so that hard values tie and soft ones do not.
    y = rng.integers(0, 2, 12)
    outputs = {
        f"m{k}": np.round(np.clip(0.35 + 0.3 * y + rng.normal(0, 0.3, 12), 0.01, 0.99), 2)
        for k in range(9)
    }
    preds = mc.Predictions(y, outputs)
    study = mc.studies.agreement_study(preds, [("accuracy", "brier_score")], n_resamples=99)
    right = [((p > 0.5) == y).mean() for p in outputs.values()]
    loss = [((p - y) ** 2).mean() for p in outputs.values()]
    same = other = only_a = only_b = 0
    for i in range(9):
        for j in range(i):
            a, b = np.sign(right[i] - right[j]), -np.sign(loss[i] - loss[j])
            same += a == b != 0
            other += a == -b != 0
            only_a += a != 0 and b == 0
            only_b += b != 0 and a == 0
    row = study.table.iloc[0]
    assert row["consistency"] == same / (same + other)
    assert only_b > 0
    assert only_a == 0
    assert row["discriminancy"] == np.inf
    swapped = mc.studies.agreement_study(
        preds, [("brier_score", "accuracy")], n_resamples=99
    ).table.iloc[0]
    assert swapped["consistency"] == same / (same + other)
    assert swapped["discriminancy"] == 0
