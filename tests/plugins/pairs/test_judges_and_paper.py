"""Studies of test sets that people labelled in part, beside a judge."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import modelcompare as mc
from tests.plugged import needed

needed("judges", "paper")
pairs = import_module("modelcompare.plugins.paper.pairs")
pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning")


def probabilities(seed, n=400, n_labels=150, quality=(1.2, 0.8, 0.4)):
    """Probabilities of models, a judge and labels of some samples."""
    rng = np.random.default_rng(seed)
    truth, easy = (rng.random(n) < 0.4).astype(int), rng.normal(size=n)
    p = [1 / (1 + np.exp(-(2 * truth - 1) * (q + easy) - rng.normal(size=n))) for q in quality]
    verdict = np.where(1.2 + easy + rng.normal(size=n) > 0, truth, 1 - truth)
    seen = np.where(np.isin(np.arange(n), rng.permutation(n)[:n_labels]), truth, np.nan)
    outputs = {name: np.c_[1 - x, x] for name, x in zip("abc", p, strict=False)}
    return mc.Predictions(seen, outputs, judge=verdict, labels=[0, 1])


PAIR = [("accuracy", "caccuracy")]


@pytest.mark.filterwarnings("ignore:samples with labels by people")
def test_variances_at_parts_are_those_of_their_samples_drawn_again():
    preds = probabilities(0)
    study = mc.studies.variance_study(preds, PAIR, ratios=[1.0, 0.5, 0.01], n_resamples=300)
    table = study.distribution.set_index(["ratio", "model", "metric"])
    rng, drawn = np.random.default_rng(1), []
    for _ in range(300):
        again = preds.subset(rng.integers(0, len(preds), len(preds)))
        found = mc.compare(again, ["accuracy", "caccuracy"]).scores
        drawn.append(found.set_index(["model", "metric"])["estimate"])
    for key, variance in pd.DataFrame(drawn).var().items():
        # Of normal ones two variances of 300 numbers are within 25 % in 19 of 20 cases.
        assert table.loc[(1.0, *key), "variance"] == pytest.approx(variance, rel=0.35)
    # 4 samples have too few labels: no resample has a value.
    of_few = study.distribution[study.distribution["ratio"] == 0.01]
    assert (of_few["n_undefined"] == 300).all()
    assert of_few["estimate"].isna().all()
    halves = study.separation[study.separation["ratio"] == 0.5]
    part = preds.subset(pairs.part_rows(preds, 0.5, study.seed))
    found = mc.compare(part, ["accuracy", "caccuracy"], correction="none").differences
    for name in ("difference", "standard_error", "p_value"):
        assert halves[name].tolist() == pytest.approx(found[name].tolist())


def test_ratios_of_variances_and_of_sample_sizes_are_those_of_the_judges_errors():
    preds = probabilities(1, 3000, 1500)
    study = mc.studies.variance_study(preds, PAIR, ratios=[1.0], n_resamples=99)
    found = mc.compare(preds, ["accuracy", "caccuracy"], correction="none")
    errors = found.scores.pivot_table(index="model", columns="metric", values="standard_error")
    ratio = (errors["accuracy"] / errors["caccuracy"]) ** 2
    ratios = study.variance_ratios.set_index("model")
    np.testing.assert_allclose(ratios["variance_ratio"], ratio[ratios.index], rtol=0.03)
    assert ((ratios["ci_low"] < ratio) & (ratio < ratios["ci_high"])).all()
    z = found.differences.assign(z=lambda x: x["difference"] / x["standard_error"])
    z = z.pivot_table(index=["model_a", "model_b"], columns="metric", values="z")
    needed_sizes = study.relative_efficiency.set_index(["model_a", "model_b"])
    expected = (z["accuracy"] / z["caccuracy"]) ** 2
    np.testing.assert_allclose(needed_sizes["samples_ratio"], expected[needed_sizes.index])
    assert (needed_sizes["ci_low"] < needed_sizes["ci_high"]).all()


def test_true_classes_of_some_samples_keep_no_proportions():
    with pytest.raises(ValueError, match=r"`stratify=True`.*labels of some samples do not show"):
        mc.studies.variance_study(probabilities(0), PAIR, ratios=[0.5], stratify=True)


def test_undefined_are_resamples_that_would_be_refused_too():
    preds = probabilities(2, 200, 40)
    study = mc.studies.undefined_study(preds, ["precision"], ratios=[1.0, 0.1], n_resamples=400)
    truth = np.asarray(preds.access.labelled.y_true)
    support = study.table.drop_duplicates("label").set_index("label")["support"]
    assert support.to_dict() == {k: int((truth == k).sum()) for k in (0, 1)}
    small = study.table[(study.table["ratio"] == 0.1) & (study.table["metric"] == "cprecision")]
    # The soft precision of a class has a value wherever there are 5 labels of 20 samples.
    share = 100 * binom.cdf(4, 20, 40 / 200)
    assert small["pct_undefined"].tolist() == pytest.approx([share] * len(small), abs=8)


def test_changes_of_confidences_beside_a_judge_are_differences_of_variants():
    preds = probabilities(3, quality=(1.0, 0.7))
    metrics = ["accuracy", "caccuracy"]
    study = mc.studies.sensitivity_study(preds, metrics, temperatures=[0.5], noises=[])
    assert study.scope.counts == {"labels": 150}
    rows = study.table.set_index(["model", "metric"])
    for model in "ab":
        p = preds.probabilities(model)
        sharp = p**2 / (p**2).sum(axis=1, keepdims=True)
        seen = np.where(
            preds.access.attachments["judge"].labelled, preds.y_true.astype(float), np.nan
        )
        verdict = preds.access.attachments["judge"].verdicts[model]
        both = mc.Predictions(seen, {"sharp": sharp, "own": p}, judge=verdict, labels=[0, 1])
        found = mc.compare(both, metrics, correction="none").differences.set_index("metric")
        for name in ("difference", "standard_error", "ci_low", "ci_high"):
            own = [rows.loc[(model, metric), name] for metric in metrics]
            assert own == pytest.approx(found[name][metrics].tolist(), rel=1e-7)
        # The decisions are the same.
        assert not rows.loc[(model, "accuracy"), ["difference", "moves"]].any()
    with pytest.raises(ValueError, match="method='BCa' does not know the error"):
        mc.studies.sensitivity_study(preds, metrics, method="BCa")


def test_orders_on_parts_are_those_of_their_labels():
    preds = probabilities(4, n_labels=100)
    study = mc.studies.agreement_study(preds, PAIR)
    found = study.population([0.3], n_subsamples=12).set_index(["metric_small", "metric_whole"])
    signs = []
    for index in range(12):
        part = preds.subset(pairs.part_rows(preds, 0.3, study.seed, index=index))
        signs.append(_orders(part))
    whole = _orders(preds)
    for (small, of_whole), share in found["pct_agree"].items():
        same = [of_part[small] == whole[of_whole] for of_part in signs]
        assert share == pytest.approx(100 * np.mean(same))
    assert [*study.document().figures] == ["agreement", "agreement_population"]


def _orders(preds):
    found = mc.compare(preds, ["accuracy", "caccuracy"], correction="none").differences
    return {name: np.sign(part["difference"].to_numpy()) for name, part in found.groupby("metric")}
