"""Bounds for any values that the missing results would have been, against every way to fill them in."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from tests.report.written import as_json

FEW = {"n_resamples": 199}
RNG = np.random.default_rng(3)


def bounds(source, metrics=None, *, reading=None, **options):
    of_scores = {} if "y_true" in source else {"greater_is_better": True}
    preds = mc.read_predictions(source, missing="worst", **{**of_scores, **(reading or {})})
    return mc.compare(preds, metrics, missing="bounds", **options)


def fills(frame, values):
    """Every table without missing cells that this one may stand for."""
    holes = [(row, column) for column in frame for row in np.flatnonzero(frame[column].isna())]
    for chosen in product(values, repeat=len(holes)):
        full = frame.copy()
        for (row, column), value in zip(holes, chosen, strict=True):
            full.loc[row, column] = value
        yield full


def holed(n=30):
    frame = pd.DataFrame({name: RNG.integers(0, 2, n).astype(float) for name in "abc"})
    frame.loc[[1, 4], "a"] = np.nan
    frame.loc[[2], "b"] = np.nan
    return frame


@pytest.mark.parametrize("lower_is_better", [False, True])
def test_no_way_to_fill_in_scores_leaves_the_bounds(lower_is_better):
    frame = holed()
    result = bounds(frame, reading={"greater_is_better": not lower_is_better}, **FEW)
    means = np.array([full.mean().to_numpy() for full in fills(frame, [0.0, 1.0])])
    ends = result.scores[["worst", "best"]].to_numpy()
    np.testing.assert_allclose(np.sort(ends, axis=1)[:, 0], means.min(axis=0))
    np.testing.assert_allclose(np.sort(ends, axis=1)[:, 1], means.max(axis=0))
    assert ((ends[:, 0] >= ends[:, 1]) if lower_is_better else (ends[:, 0] <= ends[:, 1])).all()
    for row in result.differences.to_dict("records"):
        a, b = ("abc".index(row[side]) for side in ("model_a", "model_b"))
        differences = means[:, a] - means[:, b]
        assert row["low"] == pytest.approx(differences.min())
        assert row["high"] == pytest.approx(differences.max())
        assert row["ci_low"] < row["low"] <= row["high"] < row["ci_high"]


def test_what_is_called_better_is_better_in_every_case():
    frame = pd.DataFrame({"a": [1.0] * 38 + [None] * 2, "b": [0.0] * 30 + [1.0] * 9 + [None]})
    result = bounds(frame, **FEW)
    assert result.differences["better"].tolist() == ["a"]
    for full in fills(frame, [0.0, 1.0]):
        one = mc.compare(mc.read_predictions(full, greater_is_better=True), **FEW)
        assert one.differences["p_value"].item() <= result.differences["p_value"].item()
        assert one.differences["better"].item() == "a"


def test_a_lead_that_hangs_on_missing_results_is_not_called_one():
    frame = pd.DataFrame({"a": [1.0] * 30 + [None] * 30, "b": [1.0] * 30 + [0.0] * 30})
    result = bounds(frame, **FEW)
    assert result.differences[["low", "p_value"]].to_numpy().tolist() == [[0.0, 1.0]]
    assert result.differences["better"].isna().all()
    assert "the difference from b is not significant" in result.verdict()


def test_missing_labels_are_right_at_best_and_wrong_at_worst():
    truth = np.array(["x", "y", "z"] * 10)
    predicted = truth.astype(object).copy()
    predicted[:3] = None
    frame = pd.DataFrame({"y_true": truth, "a": predicted, "b": np.roll(truth, 1)})
    result = bounds(frame, "accuracy", **FEW)
    assert result.scores[["worst", "best"]].to_numpy().tolist() == [[0.9, 1.0], [0.0, 0.0]]
    assert result.n_missing == {"a": 3, "b": 0}


def test_samples_that_a_file_lacks_are_missing_results(tmp_path):
    for model, ids in (("a", range(20)), ("b", range(15))):
        rows = [{"id": i, "score": 1.0} for i in ids]
        pd.DataFrame(rows).to_csv(tmp_path / f"{model}.csv", index=False)
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    worst = mc.read_predictions(files, missing="worst", greater_is_better=True)
    assert worst.output("b").array.mean() == 0.75
    assert bounds(files, **FEW).n_missing == {"a": 0, "b": 5}


def test_without_missing_results_there_are_no_bounds():
    with pytest.raises(ValueError, match="no result is missing, so the worst case is the best"):
        bounds(holed().fillna(1.0), **FEW)


def test_no_metric_means_the_default_ones():
    frame = holed()
    named = bounds(frame, "mean_score", **FEW)
    assert as_json(bounds(frame, None, **FEW)) == as_json(named)


def test_the_first_sentence_answers_about_all_values_at_their_worst():
    truth = np.arange(120) % 3
    outputs = {
        "good": np.where(np.arange(120) % 11 == 0, (truth + 1) % 3, truth),
        "poor": np.where(np.arange(120) % 2 == 0, (truth + 2) % 3, truth),
    }
    frame = pd.DataFrame({"y_true": truth, **outputs}).astype(object)
    frame.loc[[1, 5], "good"] = None
    worst = mc.read_predictions(frame, missing="worst")
    found = mc.compare(worst, ["accuracy", "f1_macro"], missing="bounds", n_resamples=99)
    first, *others = found.verdict().splitlines()
    scores = found.scores.set_index(["model", "metric"])["worst"]["good"]
    assert first == (
        f"Missing results at their worst: good has the highest accuracy ({scores['accuracy']:.4f}) "
        f"and f1_macro ({scores['f1_macro']:.4f}) and is better than poor."
    )
    assert others[0].startswith("accuracy: good leads at its worst")
    assert found.differences["better"].tolist() == ["good", "good"]
    one = mc.compare(worst, "accuracy", missing="bounds", n_resamples=99)
    assert one.verdict().startswith("accuracy: good leads at its worst")
