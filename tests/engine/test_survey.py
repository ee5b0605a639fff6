"""Estimates and errors of designs beside those of R's survey (tests/data/survey).

``Rscript survey.R samples.csv > survey.json`` in that folder writes the values again. Errors here are the jackknife's,
of all units once: those of R's replicate weights (JK1), to rounding. With strata R's jackknife (JKn) weighs the rest of a
stratum up where a unit is left out, and its errors by linearization leave terms of second order out: of means over samples
that count the same these are 0, and of others they shrink by the number of samples.
"""

import json
import shutil
import subprocess

import pandas as pd
import pytest

import modelcompare as mc
from tests.pages import ROOT
from tests.plugged import needs

FOLDER = ROOT / "tests" / "data" / "survey"
R = json.loads((FOLDER / "survey.json").read_text("utf-8"))
DESIGNS = [*R["linear"]]
WITHOUT_STRATA = [name for name in DESIGNS if "strata" not in name]
LINEAR = ("accuracy", "accuracy_apart", "mean_score")
EQUAL = 1e-10
COLUMNS = {
    "strata": ("strata", "stratum"), "clusters": ("groups", "cluster"),
    "weights": ("sample_weight", "weight"),
}  # fmt: skip
METRICS = {"accuracy": "accuracy", "precision[x]": "precision", "f1[x]": "f1"}
SECOND_ORDER = 0.015
pytestmark = [
    pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning"),
    # Labels were drawn by cell, which post-stratification allows for.
    pytest.mark.filterwarnings("ignore:samples with labels by people"),
]


def samples(copies=1):
    table = pd.read_csv(FOLDER / "samples.csv")
    parts = [table.assign(cluster=table["cluster"] + f" {k}") for k in range(copies)]
    return pd.concat(parts, ignore_index=True)


def found(preds):
    """Estimates and errors of model a, and of its differences from b, by the names that R gives them."""
    metrics = [*METRICS] if preds.labels is not None else None
    result = mc.compare(preds, metrics, n_resamples=99)
    scores = result.scores[result.scores["model"] == "a"]
    names = [*METRICS.values()] if metrics else ["mean_score"]
    out = dict(
        zip(names, zip(scores["estimate"], scores["standard_error"], strict=True), strict=True)
    )
    columns = result.differences["difference"], result.differences["standard_error"]
    apart = zip(*columns, strict=True)
    return out | {f"{name}_apart": pair for name, pair in zip(names, apart, strict=True)}


def designed(table, name):
    """What is found of labels, and of scores, with the columns of a design."""
    columns = [COLUMNS[part] for part in name.split("_") if part in COLUMNS]
    given = {option: table[column].to_numpy() for option, column in columns}
    labels = mc.Predictions(table["y_true"], {"a": table["a"], "b": table["b"]}, **given)
    scores = {"a": table["score"], "b": table["score"] / 2}
    return found(labels) | found(
        mc.Predictions.from_scores(scores, greater_is_better=True, **given)
    )


def judged(table, **given):
    by_people = table["y_true"].where(table["labelled"] == 1)
    outputs = {"a": table["a"], "b": table["b"]}
    return found(mc.Predictions(by_people, outputs, judge=table["judge"], **given))


@pytest.mark.parametrize("name", DESIGNS)
def test_estimates_of_all_designs_are_those_of_survey(name):
    ours = designed(samples(), name)
    for statistic, theirs in R["linear"][name].items():
        assert ours[statistic][0] == pytest.approx(theirs["estimate"], rel=EQUAL), statistic


@pytest.mark.parametrize("name", WITHOUT_STRATA)
def test_errors_without_strata_are_those_of_replicate_weights(name):
    ours = designed(samples(), name)
    for statistic, theirs in R["jackknife"][name].items():
        assert ours[statistic][1] == pytest.approx(theirs["error"], rel=EQUAL), statistic


@pytest.mark.parametrize("name", ["samples", "strata"])
@pytest.mark.parametrize("statistic", LINEAR)
def test_errors_of_means_are_those_of_all_methods(name, statistic):
    error = designed(samples(), name)[statistic][1]
    for method in ("linear", "jackknife"):
        assert error == pytest.approx(R[method][name][statistic]["error"], rel=EQUAL)


@pytest.mark.parametrize("name", DESIGNS)
def test_errors_differ_from_linearization_by_terms_of_second_order(name):
    few, many = designed(samples(), name), designed(samples(20), name)
    for statistic, theirs in R["linear"][name].items():
        error = R["copies"][name][statistic]["error"]
        assert few[statistic][1] == pytest.approx(theirs["error"], rel=SECOND_ORDER)
        assert many[statistic][1] == pytest.approx(error, rel=SECOND_ORDER / 20), statistic


@needs("judges")
@pytest.mark.parametrize("name", R["labels"])
def test_estimates_beside_a_judge_are_those_of_two_phases(name):
    table = samples(20 if name == "copies" else 1)
    given = {"label_weight": table["draw"]} if name == "drawn" else {}
    ours = judged(table, **given)
    for statistic, theirs in R["labels"][name].items():
        assert ours[statistic][0] == pytest.approx(theirs["estimate"], rel=EQUAL), statistic


# R's variance within a cell of n labels is s^2 / n; one more label is added to it here, and s^2 contains it. With known
# probabilities of labels (`drawn`) survey takes the numbers of samples in the cells for fixed, so that its errors are of
# the labels alone.
@needs("judges")
@pytest.mark.parametrize(("name", "within"), [("two_phases", 0.05), ("copies", 0.05 / 20)])
def test_errors_beside_a_judge_are_those_of_two_phases_but_for_the_added_labels(name, within):
    ours = judged(samples(20 if name == "copies" else 1))
    for statistic, theirs in R["labels"][name].items():
        assert ours[statistic][1] == pytest.approx(theirs["error"], rel=within), statistic


@pytest.mark.skipif(not shutil.which("Rscript"), reason="R is not installed")
def test_survey_gives_the_values_that_are_kept():
    command = ["Rscript", "survey.R", "samples.csv"]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True)
    if "no package called" in done.stderr:
        pytest.skip("R's survey is not installed")
    fresh, kept = json.loads(done.stdout), dict(R)
    assert fresh.pop("versions")
    kept.pop("versions")
    flat = [pd.json_normalize(each).iloc[0] for each in (fresh, kept)]
    pd.testing.assert_series_equal(*flat, rtol=EQUAL)
