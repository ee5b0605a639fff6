"""The study of values near the ceiling: its worlds, what it counts as a warning, and its table."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn import metrics as sk

import modelcompare as mc
from experiments.validity import ceiling as study

pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.metrics.SparseDataWarning")
CELL = {"level": "one test", "n": 100, "errors": 5, "classes": 3, "shares": "rare", "models": 3}


def test_the_cells_are_those_near_the_ceiling():
    cells = pd.DataFrame(study.cells())
    assert not cells.duplicated().any()
    one = cells[cells["level"] == "one test"]
    assert (
        len(one)
        == 3 * 3 * 3 * 2
        == len(one[["n", "errors", "classes", "shares"]].drop_duplicates())
    )
    assert {*cells.loc[cells["level"] == "corrected", "models"]} == {3, 8, 20}


def test_models_err_as_often_as_a_cell_says_and_two_of_them_alike():
    truth, named = study.draw(np.random.default_rng(0), CELL, 100_000, 1)
    wrong = named[0] != truth
    np.testing.assert_allclose(wrong.mean(axis=1), [0.05, 0.05, 0.15], atol=0.004)
    np.testing.assert_allclose(np.bincount(truth) / len(truth), [0.6, 0.3, 0.1], atol=0.006)
    # Half of the first one's errors are common to all.
    assert (wrong[0] & wrong[1]).mean() == pytest.approx(0.025, abs=0.003)


def test_accuracies_cover_by_summing_binomial_probabilities():
    covered = {}
    for n in (40, 100, 200):
        truth, k = np.arange(n) % 2, np.arange(n + 1)
        named = np.where(np.arange(n) < k[:, None], 1 - truth, truth)
        found = study.values(
            mc.Predictions(truth, dict(zip(map(str, k), named, strict=True))), ["accuracy"]
        )
        interval = found.score_interval("auto", 0.95)
        np.testing.assert_allclose(found.point[:, 0], 1 - k / n)
        for errors in (1, 2, 3, 5, 6, 15):
            value = 1 - errors / n
            holds = (interval.low[:, 0] <= value) & (value <= interval.high[:, 0])
            covered[n, errors] = binom.pmf(k, n, errors / n)[holds].sum()
    # Of 4,000 trials it is 0.925 by chance, the lowest of five cells with the same law.
    assert covered[100, 15] == pytest.approx(0.9332, abs=5e-5) == min(covered.values())
    assert covered[100, 15] >= study.PASSED


def test_the_population_errs_as_models_do():
    truth, named, of_model = study.population(CELL)
    drawn, models = study.draw(np.random.default_rng(3), CELL, study.MANY, 1)
    for model, which in enumerate(of_model):
        table, expected = (
            sk.confusion_matrix(true, one, normalize="all")
            for true, one in ((drawn, models[0, model]), (truth, named[which]))
        )
        np.testing.assert_allclose(table, expected, atol=0.004)


def test_true_values_are_scikit_learn_s_of_a_large_sample():
    rng, again = (np.random.default_rng(1) for _ in range(2))
    names = ["accuracy", "f1_macro", "precision_weighted", "recall", "brier_score", "roc_auc_ovr"]
    found = study.true_values(rng, CELL, names)
    truth, (named, _), _ = study.population(CELL)
    outputs = study.graded(again, study.population(CELL)[1], truth, 3)[0]
    every = np.ones(3, dtype=bool)
    expected = {
        "accuracy": sk.accuracy_score(truth, named),
        "f1_macro": sk.f1_score(truth, named, average="macro"),
        "precision_weighted": sk.precision_score(truth, named, average="weighted"),
        "recall": sk.recall_score(truth, named, average=None)[-1],
        "roc_auc_ovr": sk.roc_auc_score(truth, outputs, multi_class="ovr"),
    }
    for name, value in expected.items():
        assert study.of_trial(name, found, every, CELL)[0] == pytest.approx(value, abs=1e-9)
    # A class that a test set lacks is in none of its averages.
    two = study.of_trial("f1_macro", found, np.array([True, True, False]), CELL)
    np.testing.assert_allclose(two, found["f1"][:, :2].mean(axis=1))


@pytest.mark.parametrize("n", [40, 100])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_trial_is_warned_of_where_a_comparison_warns(n, classes):
    cell = CELL | {"n": n, "classes": classes, "errors": 1}
    rng = np.random.default_rng(2)
    codes, named = study.draw(rng, cell, n, 4)
    preds = study.predictions(codes, study.graded(rng, named, codes, classes))
    names = ["accuracy", "f1_macro", "precision_macro", "cohen_kappa", "log_loss"]
    found = study.values(preds, names)
    counted = study.warned(found, 4)
    for trial in range(4):
        for place, name in enumerate(names):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                mc.compare(preds[[*preds.models[3 * trial : 3 * trial + 3]]], name, n_resamples=99,
                           baseline=preds.models[3 * trial])  # fmt: skip
            texts = [str(w.message) for w in caught if w.category is mc.metrics.SparseDataWarning]
            # Which differences no test can find is no matter of the intervals.
            told = [text for text in texts if text.startswith(name) and "p-value" not in text]
            assert counted[trial, place] == bool(told)


def test_a_part_of_the_cells_is_simulated_and_goes_on_where_it_stopped(tmp_path, monkeypatch):
    path = tmp_path / "found.csv"
    arguments = ["--trials", "3", "--only", "^one test 40 1 2 even", "-o", str(path)]
    study.main(arguments)
    table = pd.read_csv(path)
    (cell,) = [cell for cell in study.cells() if cell == study.cells()[0]]
    assert [*table["metric"]] == study.metrics_of(cell)
    assert table["trials"].isin([3, 15]).all()
    assert table["gate"].notna().all()
    monkeypatch.setattr(study, "simulated", lambda *_: pytest.fail("the cell was there"))
    study.main(arguments)
    pd.testing.assert_frame_equal(pd.read_csv(path), table)


def test_intervals_of_several_models_are_judged_together():
    cell = {
        "level": "corrected",
        "n": 100,
        "errors": 2,
        "classes": 2,
        "shares": "even",
        "models": 3,
    }
    table = study.simulated(cell, 4)
    assert [*table["metric"]] == [*study.OF_MANY, "roc_auc"]
    assert table["gate"].isna().all()
    assert table[["value", "worse", "equal"]].notna().all(axis=None)


def test_what_falls_short_is_named_beyond_the_noise_of_few_silent_trials():
    row = {"value": 0.95, "worse": 0.95, "equal": 0.95, "gap": 0.95, "gate": 0.05, "silent": 0.95,
           "silent gate": 0.05, "warned": 0.0, "trials": 4000}  # fmt: skip
    often = row | {"value": 0.94, "warned": 0.9}
    table = pd.DataFrame([
        row, row | {"worse": 0.929}, row | {"gate": 0.061}, row | {"silent": 0.929},
        often | {"silent": 0.925}, often | {"silent": 0.88},
        row | {"warned": 0.2},
    ])  # fmt: skip
    assert study.short(table).tolist() == [False, True, True, True, False, True, False]
    assert study.needless(table).tolist() == [*[False] * 6, True]


def test_the_kept_rows_are_of_the_cells_and_what_falls_short_is_named():
    table = pd.read_csv(study.RESULTS)
    cells = pd.DataFrame(study.cells())
    assert len(table.merge(cells)) == len(table)
    assert not table.duplicated([*cells, "metric"]).any()
    assert (table["trials"] >= 800).all()
    short = table[study.short(table)]
    holds = {"balanced_accuracy", "f1_macro", "jaccard_macro", "roc_auc"}
    assert not {*short["metric"]} & {*holds, "roc_auc_ovr", "average_precision_macro"}
    # Lowest and highest are those of the precision of a class of two or four samples.
    others = short[~short["metric"].isin(["precision", "f1"])]
    assert others[study.COVERAGES].min(axis=None) > 0.91
    assert others["gate"].max() < 0.095
    assert short[study.COVERAGES].min(axis=None) > 0.87
    assert short["gate"].max() < 0.11
    assert not study.needless(table).any()


def test_some_metrics_are_simulated_and_the_rows_of_others_are_kept(tmp_path):
    path = tmp_path / "ceiling.csv"
    options = ["--only", "^one test 40 1 2 even", "-o", str(path)]
    study.main(["--trials", "4", "--metrics", "^accuracy|brier", *options])
    before = pd.read_csv(path).set_index("metric")
    study.main(["--trials", "6", "--metrics", "^accuracy|matthews", *options])
    after = pd.read_csv(path).set_index("metric")
    assert [*after.index] == ["accuracy", "matthews_corrcoef", "brier_score"]
    pd.testing.assert_series_equal(after.loc["brier_score"], before.loc["brier_score"])
    assert (after["trials"] % 6 == 0).tolist() == [True, True, False]
