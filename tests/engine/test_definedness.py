"""Where no resample can be without a value, and where that is not known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import modelcompare as mc
from modelcompare.engine.definedness import never_undefined
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.metrics.base import UndefinedMetricWarning
from modelcompare.resampling.weights import BootstrapWeights
from tests.plugged import needs

NAMES = [
    "accuracy", "f1", "precision", "recall", "jaccard", "specificity", "f2", "cf1", "cprecision",
    "f1_macro", "f1_weighted", "f1_micro", "cf1_macro", "log_loss", "brier_score", "roc_auc_ovr",
    "mcc", "cohen_kappa", "ccohen_kappa",
]  # fmt: skip
SNLI = mc.load_example("snli")[["mlp", "bow_pair"]]


def evaluated(preds, names, **options):
    return Evaluation(preds, resolve_metrics(names, preds, **options))


def with_columns(preds, **columns):
    """The same labels with other columns."""
    outputs = {model: preds.output(model).array for model in preds.models}
    return mc.Predictions(
        preds.access.codes, outputs, labels=range(preds.access.n_classes), **columns
    )


def labelled(rng, n, share):
    """Two models of three classes, one of them as rare as `share` in truth and predictions."""
    weights = [1 - 1.5 * share, share, share / 2]
    outputs = {name: rng.choice(3, n, p=weights) for name in "ab"}
    return mc.Predictions(rng.choice(3, n, p=weights), outputs, labels=range(3))


@pytest.mark.parametrize("zero_division", [np.nan, 0.0, "paper"])
def test_it_is_known_of_what_people_ask_for(zero_division):
    assert never_undefined(evaluated(SNLI, NAMES, zero_division=zero_division))


def test_an_average_is_defined_if_any_of_many_rare_classes_is():
    rng = np.random.default_rng(0)
    y = np.arange(900) % 300
    preds = mc.Predictions(y, {m: rng.permutation(y) for m in "ab"}, labels=range(300))
    for name in ("f1_macro", "precision_macro", "recall_weighted"):
        assert never_undefined(evaluated(preds, name))
        assert not never_undefined(evaluated(preds, name.partition("_")[0]))
    assert never_undefined(evaluated(preds, ["mcc", "cohen_kappa"]))
    # By the paper a class without predictions has no value, and an average may have none.
    for name in ("f1_macro", "precision_macro"):
        assert not never_undefined(evaluated(preds, name, zero_division="paper"))


@needs("runs")
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(5, 3_000),
    share=st.sampled_from([0.003, 0.01, 0.03, 0.1, 0.3]),
    names=st.lists(st.sampled_from(["f1", "precision", "recall", "f1_macro", "f1_weighted", "precision_macro",
                                    "matthews_corrcoef", "cohen_kappa", "accuracy"]), min_size=1, unique=True),
    zero_division=st.sampled_from([np.nan, "paper"]),
    scheme=st.sampled_from(["multinomial", "poisson", "bayesian"]),
    drawn=st.sampled_from(["samples", "clusters", "runs", "strata", "pairs"]),
)  # fmt: skip
def test_where_it_is_known_no_replicate_is_missing(
    seed, n, share, names, zero_division, scheme, drawn
):
    rng = np.random.default_rng(seed)
    preds = labelled(rng, n, share)
    if drawn == "clusters":
        preds = preds.with_columns(groups=rng.integers(0, max(n // 20, 1), n))
    elif drawn == "runs":
        preds = preds.with_columns(groups=np.arange(n) // 2, runs=np.arange(n) % 2)
    elif drawn in ("strata", "pairs"):
        # Of a pair one is drawn.
        preds = preds.with_columns(
            strata=np.arange(n) // 2 if drawn == "pairs" else np.arange(n) % 4
        )
    evaluation = evaluated(preds, names, zero_division=zero_division)
    weights = BootstrapWeights(evaluation.units, 400, np.random.SeedSequence(seed), scheme)
    if np.isnan(evaluation.replicates(weights)).any():
        assert not never_undefined(evaluation)


@needs("calibration")
@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ({"groups": np.arange(1200) // 25}, "accuracy"),
        ({"groups": np.arange(1200) // 25}, "roc_auc_ovr"),
        ({"groups": np.arange(1200) // 2}, "ece"),
        pytest.param(
            {"groups": np.arange(1200) // 2, "runs": np.arange(1200) % 2}, "f1", marks=needs("runs")
        ),
        # A single sample bears most of the weight of its class.
        ({"sample_weight": np.r_[1e4, np.ones(1199)]}, "f1"),
        ({}, lambda _truth, y_prob: float(y_prob.max())),
    ],
)
def test_it_is_not_known_of_everything(columns, names):
    preds = with_columns(SNLI.subset(range(1200)), **columns)
    assert not never_undefined(evaluated(preds, names))


@needs("runs")
def test_it_is_known_of_small_clusters_and_of_averages_over_runs():
    some = SNLI.subset(range(1200))
    assert never_undefined(evaluated(with_columns(some, groups=np.arange(1200) // 4), NAMES[0]))
    runs = {"groups": np.arange(1200) // 2, "runs": np.arange(1200) % 2}
    assert never_undefined(evaluated(with_columns(some, **runs), ["f1_macro", "accuracy"]))


def test_classes_without_weight_do_not_count_as_there():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    for weight, known in ((np.ones(400), True), (np.where(y == 1, 0.0, 1.0), False)):
        weight[:10] = 1.0
        preds = mc.Predictions(y, {"a": rng.random(400)}, kind="values", sample_weight=weight)
        assert never_undefined(evaluated(preds, "roc_auc")) == known


@pytest.mark.parametrize("weight", [1e-9, 1.0, 1e9])
def test_a_weight_that_all_samples_share_changes_nothing(weight):
    rare = labelled(np.random.default_rng(0), 2_000, 0.02)
    for preds, known in ((SNLI, True), (rare, False)):
        weighted = with_columns(preds, sample_weight=np.full(len(preds), weight))
        assert never_undefined(evaluated(weighted, ["f1", "accuracy"])) == known


def test_a_root_of_a_quotient_is_defined_where_the_quotient_is():
    x = np.random.default_rng(0).normal(size=(3, 80))
    preds = mc.Predictions(x[0], {"a": x[1], "b": x[2]}, kind="values")
    names = ["rmse", "mse", "mae"]
    assert never_undefined(Evaluation(preds, resolve_metrics(names, preds)))
    few = preds.subset(range(59))
    assert not never_undefined(Evaluation(few, resolve_metrics(["rmse"], few)))


def test_a_sample_counts_once_in_sums_over_many_classes():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 200, 2000)
    preds = mc.Predictions(truth, {m: rng.permutation(truth) for m in "ab"})
    names = ["accuracy", "f1_micro", "zero_one_loss"]
    evaluation = Evaluation(preds, resolve_metrics(names, preds))
    assert never_undefined(evaluation)
    few = preds.subset(range(59))
    assert not never_undefined(Evaluation(few, resolve_metrics(names, few)))


@needs("label_sets")
def test_many_labels_of_one_sample_do_not_define_a_value():
    names = [f"l{k}" for k in range(70)]
    truth = [names] + [[]] * 39
    preds = mc.Predictions(truth, {"a": truth, "b": [names[:60]] + [[]] * 39}, labels=names)
    with pytest.warns(UndefinedMetricWarning, match="37.1% of the resamples"):
        n_undefined = mc.compare(preds, "f1_micro", n_resamples=999).scores["n_undefined"]
    assert n_undefined.between(300, 430).all()  # 1 / e of the resamples are without the sample.


@needs("label_sets")
@pytest.mark.parametrize("n", [40, 59, 60, 200])
def test_values_of_sets_are_defined_by_enough_samples_with_labels(n):
    truth = [["x", "y"]] * n + [[]] * 50
    preds = mc.Predictions(truth, {"a": truth, "b": [["y"]] * n + [[]] * 50})
    of_sets = ["f1_micro", "f1_macro", "f1_samples", "subset_accuracy"]
    assert never_undefined(evaluated(preds, of_sets)) == (n >= 60)
    assert never_undefined(evaluated(preds, "f1")) == (n >= 60)
    assert not never_undefined(evaluated(preds, "precision"))
    groups = preds.with_columns(groups=np.arange(len(preds)) // 4)
    assert never_undefined(evaluated(groups, of_sets)) == (n >= 240)


@pytest.mark.parametrize("metric", ["spearman", "kendall", "median_absolute_error"])
def test_ranks_that_vary_are_always_correlated(metric):
    rng = np.random.default_rng(0)

    def of(truth, a, **more):
        preds = mc.Predictions(truth, {"a": a, "b": rng.normal(size=len(a))}, kind="values", **more)
        return never_undefined(Evaluation(preds, resolve_metrics([metric], preds)))

    numbers, ties = rng.normal(size=(2, 200)), np.r_[np.zeros(150), np.arange(50.0) + 1]
    assert of(*numbers)
    assert of(numbers[0], ties) == of(ties, numbers[0]) == (metric == "median_absolute_error")
    assert not of(*numbers[:, :59])
    assert not of(*numbers, sample_weight=np.r_[np.ones(59), np.zeros(141)])
    assert of(*numbers, groups=np.arange(200) // 2) == (metric == "median_absolute_error")
    assert of(*np.repeat(numbers, 3, axis=1), groups=np.arange(600) // 2)
    assert not of(*np.repeat(numbers, 3, axis=1), groups=np.arange(600) // 20)


@pytest.mark.parametrize("name", ["mcc", "cohen_kappa"])
def test_two_classes_need_enough_samples_outside_of_the_commonest(name):
    for n_others, known in ((59, False), (60, True)):
        y = (np.arange(500) < n_others).astype(int)
        preds = mc.Predictions(y, {"a": y, "b": np.arange(500) % 2}, labels=[0, 1])
        assert never_undefined(evaluated(preds, name)) == known
        weights = np.where(np.arange(500) < 10, 1.0, 0.5)
        weighted = mc.Predictions(
            y, {"a": y, "b": np.arange(500) % 2}, labels=[0, 1], sample_weight=weights
        )
        assert not never_undefined(evaluated(weighted, name))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(3, 400), offset=st.sampled_from([0.0, 1e3, 1e9]),
    levels=st.sampled_from([1, 2, 3, 400]), share=st.sampled_from([0.01, 0.1, 0.5]),
    drawn=st.sampled_from(["samples", "clusters", "strata", "weights"]),
)  # fmt: skip
def test_where_numbers_are_known_to_vary_no_replicate_is_missing(
    seed, n, offset, levels, share, drawn
):
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, levels, (3, n)) * (rng.random((3, n)) < share) + offset
    given_columns = {
        "samples": {}, "clusters": {"groups": rng.integers(0, n // 3 + 1, n)},
        "strata": {"strata": np.arange(n) // 2}, "weights": {"sample_weight": rng.random(n) < 0.5},
    }  # fmt: skip
    preds = mc.Predictions(
        columns[0], dict(zip("ab", columns[1:], strict=True)), kind="values",
        **given_columns[drawn],
    )  # fmt: skip
    for name in ("r2", "pearson", "spearman", "explained_variance"):
        evaluation = evaluated(preds, name)
        weights = BootstrapWeights(evaluation.units, 200, np.random.SeedSequence(seed))
        if np.isnan(evaluation.replicates(weights)).any():
            assert not never_undefined(evaluation)


def test_numbers_that_vary_are_known_to():
    x = np.random.default_rng(0).normal(size=(3, 400))
    preds = mc.Predictions(x[0], {"a": x[1], "b": x[2]}, kind="values")
    assert never_undefined(evaluated(preds, ["r2", "pearson", "explained_variance"]))
    assert not never_undefined(evaluated(preds, "adjusted_r2_3"))
    # Of two hundred thousand in the mean, differences of one are lost in rounding.
    far = mc.Predictions(x[0] + 2e5, {"a": x[1], "b": x[2]}, kind="values")
    assert not never_undefined(evaluated(far, "r2"))


def test_default_calls_draw_replicates_only_where_values_may_be_missing(monkeypatch):
    rng, n, drawn = np.random.default_rng(0), 400, []
    replicates = Evaluation.replicates

    def counted(evaluation, *arguments, **options):
        drawn.append(evaluation)
        return replicates(evaluation, *arguments, **options)

    monkeypatch.setattr(Evaluation, "replicates", counted)
    y, x = rng.integers(0, 3, n), rng.normal(size=n)
    odds = {m: np.exp(rng.normal(size=(n, 3)) + np.eye(3)[y]) for m in "ab"}
    shares = {m: o / o.sum(axis=1, keepdims=True) for m, o in odds.items()}
    named = {m: np.where(rng.random(n) < 0.8, y, rng.integers(0, 3, n)) for m in "ab"}
    values = {m: x + rng.normal(size=n) for m in "ab"}
    for preds in (
        mc.Predictions(y, named),
        mc.Predictions(y, shares),
        mc.Predictions(x, values),
        mc.Predictions.from_scores(values),
        mc.Predictions(y > 1, {m: share[:, 2] for m, share in shares.items()}),
        mc.Predictions(y, named, groups=np.arange(n) // 4),
        mc.Predictions(y, shares, groups=np.arange(n) // 4),
        mc.Predictions(y, shares, strata=rng.integers(0, 4, n)),
        mc.Predictions(y, shares, sample_weight=rng.random(n) + 0.5),
    ):
        mc.compare(preds)
        assert not drawn
    # A cluster of 160 samples may be all that a resample contains.
    mc.compare(mc.Predictions(y, shares, groups=np.minimum(np.arange(n) // 4, 60)))
    assert len(drawn) == 1
    assert not never_undefined(drawn[0])
