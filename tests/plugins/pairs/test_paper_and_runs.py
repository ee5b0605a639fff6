"""Studies of models that were trained several times: for these runs, or for new ones."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import f1_score

import modelcompare as mc
from modelcompare.cli.app import main
from modelcompare.engine.crossed import CrossedTables, CrossedVariances
from modelcompare.resampling.weights import BootstrapWeights
from tests.plugged import needed, needs

needed("paper", "runs")
runs = import_module("modelcompare.plugins.runs.design")

N, R = 60, 6
ITEM, RUN = (each.ravel() for each in np.indices((N, R)))
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, N)[ITEM]
THESE = "For these 6 runs: others of the same models would vary more."
NEW = "For the training procedures, seen in {} runs each: new runs are allowed for."


def outputs(seed, n_runs=R):
    """Return probabilities of items x runs, with effects of both on the confidences."""
    rng = np.random.default_rng(seed)
    shift = 0.6 * rng.normal(size=n_runs)[RUN % n_runs]
    z = (2 * TRUTH - 1) * (1.5 + shift) + 0.7 * rng.normal(size=N)[ITEM] + rng.normal(size=N * R)
    p = 1 / (1 + np.exp(-z))
    return np.c_[1 - p, p]


PROBABILITIES = {m: outputs(k) for k, m in enumerate("ab")}
SHARED = mc.Predictions(TRUTH, PROBABILITIES, groups=ITEM, runs=RUN)
SEPARATE = mc.Predictions(
    TRUTH, {"a": outputs(0), "b": outputs(1, 3)}, groups=ITEM,
    runs={"a": [f"a{r}" for r in RUN], "b": [f"b{r % 3}" for r in RUN]},
)  # fmt: skip
BOTH = {"generalize_to": "items+runs", "method": "auto", "n_resamples": 99}
OF_CHANGES = {"temperatures": [0.5], "noises": []}


def beside_verdict(study):
    """Return the notes that follow the verdict."""
    n_sentences = len(study.verdict().splitlines())
    return study.document().sentences[n_sentences:]


def changed(probabilities, temperature):
    powers = probabilities ** (1 / temperature)
    return powers / powers.sum(axis=1, keepdims=True)


def error_of(x):
    """Compute the error of a mean over items x runs from sums of squares."""
    of_items, of_runs = x.mean(axis=1), x.mean(axis=0)
    left = x - of_items[:, None] - of_runs + x.mean()
    items = of_items.var(ddof=1) / x.shape[0]
    runs = of_runs.var(ddof=1) / x.shape[1]
    rest = (left**2).sum() / ((x.shape[0] - 1) * (x.shape[1] - 1)) / x.size
    return np.sqrt(max(items + runs - rest, items, runs))


def losses(preds, model, temperature):
    p = changed(preds.probabilities(model), temperature)
    loss = -np.log(p[np.arange(len(TRUTH)), TRUTH])
    # Means of the cells: a run of a model with fewer runs has several rows of each item.
    frame = pd.DataFrame({"item": ITEM, "run": preds.access.runs_of(model), "loss": loss})
    return frame.pivot_table(index="item", columns="run", values="loss").to_numpy()


@pytest.mark.filterwarnings("ignore:3 runs of a model decide")
@pytest.mark.parametrize("preds", [SHARED, SEPARATE], ids=["shared", "separate"])
def test_changes_of_confidences_have_the_error_of_items_and_runs(preds):
    study = mc.studies.sensitivity_study(preds, "log_loss", **OF_CHANGES, **BOTH)
    assert study.scope.generalize_to
    for row in study.table.itertuples():
        x = losses(preds, row.model, 0.5) - losses(preds, row.model, 1.0)
        assert row.difference == pytest.approx(x.mean())
        assert row.standard_error == pytest.approx(error_of(x), rel=1e-6)
        assert row.ci_low < row.difference - 2 * row.standard_error
        assert row.ci_high > row.difference + 2 * row.standard_error


def test_changes_are_those_of_a_comparison_of_the_variants():
    study = mc.studies.sensitivity_study(SHARED, ["cf1_macro", "log_loss"], **OF_CHANGES, **BOTH)
    variants = {"now": PROBABILITIES["a"], "sharper": changed(PROBABILITIES["a"], 0.5)}
    found = mc.compare(
        mc.Predictions(TRUTH, variants, groups=ITEM, runs=RUN), ["cf1_macro", "log_loss"],
        generalize_to="items+runs", n_resamples=99,
    ).evidence  # fmt: skip
    # Before p-values extend them, of the second model minus the first.
    interval = found.bootstrap.difference_interval(*found.pairs[::-1], "auto", 0.95)
    of_a = study.table[study.table["model"] == "a"]
    assert of_a["ci_low"].tolist() == pytest.approx(interval.low[0].tolist())
    assert of_a["ci_high"].tolist() == pytest.approx(interval.high[0].tolist())
    assert of_a["standard_error"].tolist() == pytest.approx(found.error[0].tolist())


STUDIES = {
    "variance_study": lambda p, **o: mc.studies.variance_study(
        p, ["f1"], ratios=[1, 0.5], n_resamples=20, **o
    ),
    "undefined_study": lambda p, **o: mc.studies.undefined_study(
        p, ["f1"], ratios=[1, 0.5], n_resamples=20, **o
    ),
    "sensitivity_study": lambda p, **o: mc.studies.sensitivity_study(
        p, "log_loss", **{**OF_CHANGES, "n_resamples": 20, **o}
    ),
    "agreement_study": lambda p, **o: mc.studies.agreement_study(
        p, ["f1_macro"], test="wald", zero_division=0.0, **{"n_resamples": 20, **o}
    ),
}


@pytest.mark.parametrize("name", STUDIES)
def test_answers_for_these_runs_are_marked_as_such(name):
    study = STUDIES[name](SHARED, generalize_to="items")
    assert beside_verdict(study) == [THESE]
    assert "|for these runs|" in study.signature
    assert "generalize_to:" not in study.signature
    (first, *_) = study.document().frames().values()
    (plain, *_) = STUDIES[name](SHARED.with_columns(runs=None)).document().frames().values()
    if name == "variance_study":
        rows = first.query("ratio == 1 and metric == 'f1'")
        for model, label, found in zip(rows["model"], rows["label"], rows["estimate"], strict=True):
            hard = PROBABILITIES[model].argmax(axis=1)
            runs = (np.flatnonzero(r == RUN) for r in range(R))
            each = [f1_score(TRUTH[rows], hard[rows], pos_label=label) for rows in runs]
            assert found == pytest.approx(np.mean(each))
    else:
        pd.testing.assert_frame_equal(first, plain)
    for preds in (SHARED.with_columns(runs=None), SHARED.subset(RUN == 0)):
        alone = STUDIES[name](preds)
        assert beside_verdict(alone) == []
        assert "runs" not in alone.signature


@pytest.mark.parametrize("name", STUDIES)
def test_answers_for_new_runs_are_marked_as_such(name):
    options = BOTH if name == "sensitivity_study" else {"generalize_to": "items+runs"}
    study = STUDIES[name](SHARED, **options)
    assert study.scope.generalize_to
    assert beside_verdict(study) == [NEW.format(6)]
    assert "|generalize_to:items+runs|" in study.signature
    assert "for these runs" not in study.signature
    few = SHARED.subset(RUN < 3)
    with pytest.warns(mc.SparseDataWarning, match="3 runs of a model decide"):
        assert beside_verdict(STUDIES[name](few, **options)) == [NEW.format(3)]


@pytest.mark.parametrize("name", ["variance_study", "undefined_study"])
def test_what_is_declared_decides(name):
    assert STUDIES[name](SHARED).scope.generalize_to
    with pytest.raises(ValueError, match="no column names them"):
        STUDIES[name](SHARED.with_columns(runs=None), generalize_to="items+runs")
    strata = SHARED.with_columns(strata=TRUTH)
    assert mc.studies.undefined_study(strata, ["f1"], n_resamples=20).scope.generalize_to


@pytest.mark.filterwarnings("ignore:3 runs of a model decide")
@pytest.mark.parametrize("preds", [SHARED, SEPARATE], ids=["shared", "separate"])
def test_variances_and_separations_are_those_of_a_comparison(preds):
    study = mc.studies.variance_study(
        preds, [("accuracy", "f1_macro")], ratios=[1], n_resamples=4000, zero_division=0.0
    )
    found = mc.compare(preds, ["accuracy", "f1_macro"], generalize_to="items+runs", n_resamples=99)
    sample = found.evidence.bootstrap
    # Curvature and the noise of resamples are left.
    variances = study.distribution["variance"].to_numpy().reshape(2, 2)
    assert variances == pytest.approx(sample.standard_error() ** 2, rel=0.12)
    pair = np.array([0]), np.array([1])
    (errors,) = sample.standard_error(pair)
    assert study.separation["standard_error"].tolist() == pytest.approx(errors.tolist())
    (degrees,) = sample.degrees(pair)
    z = study.separation["separation"].abs()
    assert study.separation["p_value"].tolist() == pytest.approx(2 * stats.t.sf(z, degrees))
    ratios = study.variance_ratios
    expected = sample.standard_error()[:, 0] ** 2 / sample.standard_error()[:, 1] ** 2
    assert ratios["variance_ratio"].tolist() == pytest.approx(expected.tolist())
    assert (ratios["ci_low"] < expected).all()
    assert (ratios["ci_high"] > expected).all()
    (efficiency,) = study.relative_efficiency.itertuples()
    separations = study.separation["separation"].tolist()
    assert [efficiency.separation_a, efficiency.separation_b] == pytest.approx(separations)
    assert efficiency.ci_low < (separations[0] / separations[1]) ** 2 < efficiency.ci_high


def test_of_two_runs_the_ratio_of_variances_has_no_interval():
    with pytest.warns(mc.SparseDataWarning, match="2 runs of a model decide"):
        study = mc.studies.variance_study(SHARED.subset(RUN < 2), ["f1"], ratios=[1])
    assert study.variance_ratios["variance_ratio"].notna().all()
    assert study.distribution["ci_high"].max() <= 1
    assert study.variance_ratios[["ci_low", "ci_high"]].isna().all(axis=None)


def test_the_covariance_of_models_is_that_of_their_sums_and_differences():
    sample = mc.bootstrap(SEPARATE, "log_loss", n_resamples=2)
    tables = runs.RunEstimator(sample.evaluation).tables
    x, y = (table[0] for table in tables.tables)
    assert tables.owners.tolist() == [0, 1]
    (covariance,) = CrossedVariances.of(tables).covariance
    assert covariance[0, 1] == pytest.approx(np.cov(x.mean(axis=1), y.mean(axis=1))[0, 1] / N)
    # Of models with the same runs, 4 Cov(x, z) = Var(x + z) - Var(x - z).
    z = x**3
    shared = CrossedVariances.of(CrossedTables([x[None], z[None]], np.array([0, 0])))
    added, less = (
        CrossedVariances.of(CrossedTables([each[None]], np.array([0]))).covariance
        for each in (x + z, x - z)
    )
    assert 4 * shared.covariance[0, 0, 1] == pytest.approx((added - less)[0, 0, 0])


def test_resamples_of_items_and_runs_are_those_of_a_loop():
    evaluation = mc.bootstrap(SEPARATE, ["accuracy", "log_loss"], n_resamples=2).evaluation
    weights = BootstrapWeights(evaluation.units, 300, np.random.SeedSequence(3))
    drawn = runs.RunEstimator(evaluation).drawn(weights)
    of_items = np.concatenate([*weights.blocks()])
    for model, name in enumerate(SEPARATE.models):
        p = SEPARATE.probabilities(name)[np.arange(len(TRUTH)), TRUTH]
        right, n_runs = p > 0.5, (6, 3)[model]
        # A resample's value lies between those of its runs.
        shares = np.array(
            [
                [(of_items[:, ITEM] * right * (RUN % n_runs == r)).sum(1) for r in range(n_runs)],
                [of_items[:, ITEM][:, RUN % n_runs == r].sum(1) for r in range(n_runs)],
            ]
        )
        low, high = (f(shares[0] / shares[1], axis=0) for f in (np.min, np.max))
        assert ((drawn[:, model, 0] >= low - 1e-9) & (drawn[:, model, 0] <= high + 1e-9)).all()
    spread = drawn.var(axis=0, ddof=1)
    linear = CrossedVariances.of(runs.RunEstimator(evaluation).tables).of_resamples
    assert spread == pytest.approx(linear, rel=0.3)


@needs("calibration")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"generalize_to": "items+runs", "method": "percentile"},
            "method='percentile' does not know how new runs vary; use meth",
        ),
        (
            {"method": "percentile"},
            "method='percentile' does not know how new runs vary; use method='au",
        ),
        ({**BOTH, "metrics": "ece"}, "ece has no influences that show how new runs vary"),
        ({"generalize_to": "runs"}, "`generalize_to` must be one of auto, items, items\\+runs"),
    ],
)
def test_what_knows_no_new_runs_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        mc.studies.sensitivity_study(SHARED, **{"metrics": "log_loss", **options})
    with pytest.raises(ValueError, match="no column names them"):
        mc.studies.sensitivity_study(SHARED.with_columns(runs=None), "log_loss", **BOTH)


def test_the_commands_take_the_option(tmp_path, capsys):
    frame = pd.DataFrame({"item": ITEM, "seed": RUN, "y_true": TRUTH})
    for model, p in PROBABILITIES.items():
        frame[f"{model}:0"], frame[f"{model}:1"] = p.T
    path = tmp_path / "runs.csv"
    frame.to_csv(path, index=False)
    asked = [str(path), "--read", "run=seed", "--id", "item", "--resamples", "20"]
    few = ["--pair", "f1", "--ratio", "1"]
    for study in ("variance", "undefined"):
        for generalize_to, text in (("items", THESE), ("auto", NEW.format(6))):
            assert main(["study", study, *asked, *few, "--generalize-to", generalize_to]) == 0
            assert text in " ".join(capsys.readouterr().out.split())
    changes = ["study", "sensitivity", *asked, "-m", "log_loss"]
    for given in ([], ["--generalize-to", "items+runs"], ["--method", "auto"]):
        assert main([*changes, *given]) == 0
        assert NEW.format(6) in " ".join(capsys.readouterr().out.split())
    assert main([*changes, "--method", "percentile"]) == 2
    assert "use method='auto'" in capsys.readouterr().err


def test_rounded_confidences_are_those_of_these_runs():
    study = mc.studies.quantization_study(SHARED, ["cf1_macro"], n_bins=[2])
    assert study.document().sentences == [THESE]
    assert "|for these runs|" in study.signature
    alone = mc.studies.quantization_study(SHARED.with_columns(runs=None), ["cf1_macro"], n_bins=[2])
    assert alone.document().sentences == []
    assert "runs" not in alone.signature
