import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn import metrics as sk

import modelcompare as mc
from modelcompare.cli import main
from modelcompare.metrics import METRICS, Metric, from_callable, register
from tests.plugged import needs

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 300)
P = np.round(np.clip(0.3 * Y + 0.7 * RNG.random(300), 0, 1), 2)
SAID = (P > 0.5).astype(int)


@pytest.fixture
def _registry():
    """Forget what a test registers."""
    before = dict(METRICS)
    yield
    METRICS.clear()
    METRICS.update(before)


def estimate(metric, output):
    return mc.bootstrap(mc.Predictions(Y, {"a": output}), metric, n_resamples=2).point[0]


@pytest.mark.parametrize("max_fpr", [0.0123456789, 1e-5, 0.1, 1 / 3, 1])
def test_a_false_positive_rate_keeps_its_digits(max_fpr):
    expected = sk.roc_auc_score(Y, P, max_fpr=max_fpr)
    metric = mc.get_metric("roc_auc", max_fpr=max_fpr)
    assert mc.metrics.roc_auc(Y, P, max_fpr=max_fpr) == pytest.approx(expected, rel=1e-14)
    assert estimate(metric, P)[0] == pytest.approx(expected, rel=1e-14)
    assert estimate(metric.name, P)[0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("beta", [1e-7, 0.123456789, 1 / 3, 2, 1e6])
def test_beta_keeps_its_digits(beta):
    expected = sk.fbeta_score(Y, SAID, beta=beta, average=None)
    metric = mc.get_metric("fbeta", beta=beta)
    np.testing.assert_allclose(mc.metrics.fbeta(Y, SAID, beta=beta), expected, rtol=1e-14)
    np.testing.assert_allclose(estimate(metric, SAID), expected, rtol=1e-14)
    np.testing.assert_allclose(estimate(metric.name, SAID), expected, rtol=1e-14)
    macro = mc.get_metric("fbeta", beta=beta, average="macro")
    assert estimate(macro, SAID)[0] == pytest.approx(expected.mean(), rel=1e-14)


@needs("calibration")
@pytest.mark.parametrize(
    ("written", "name"),
    [("f2", "f2"), ("f0.5_macro", "f0.5_macro"), ("cf2_weighted", "cf2_weighted"),
     ("f2.0", "f2"), ("roc_auc_at_.1", "roc_auc_at_0.1"), ("top_7_accuracy", "top_7_accuracy"),
     ("ece_20", "ece_20"), ("ece_15", "ece_15"), ("ece_classwise_mass_10", "ece_classwise_mass_10"),
     ("mce_classwise", "mce_classwise"), ("mcc", "matthews_corrcoef")],
)  # fmt: skip
def test_names_that_hold_a_number(written, name):
    assert mc.get_metric(written).name == name


@needs("calibration")
@pytest.mark.parametrize("name", ["f", "f_macro", "top_0_accuracy", "ece_0", "ece_1.5", "finf",
                                  "f1_0", "roc_auc_at_", "cece_10", "f2_micro_macro"])  # fmt: skip
def test_other_names_are_unknown(name):
    with pytest.raises(ValueError, match=f"^unknown metric '{name}'"):
        mc.get_metric(name)


@needs("calibration")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: mc.get_metric("fbeta"), ValueError, "metric 'fbeta' needs beta; write f2, for"),
        (lambda: mc.get_metric("fbeta", beta=np.inf), ValueError, "`beta` must be finite and at l"),
        (
            lambda: mc.get_metric("accuracy", beta=2),
            TypeError,
            "accuracy has no option 'beta'; it has none.",
        ),
        (lambda: mc.get_metric("accuracy", average="macro"), TypeError, "no option 'average'"),
        (lambda: mc.get_metric("roc_auc", max_fpr=2), ValueError, "rate must be in (0, 1], got 2"),
        (lambda: mc.get_metric("ece", n_bins=0), ValueError, "`n_bins` must be at least 1, got 0"),
        (lambda: mc.get_metric("f1", average="mean"), ValueError, "`average` must be one of"),
        (lambda: register("f1"), TypeError, "must be a Metric or a function, got the name 'f1'"),
        (lambda: register(mc.get_metric("f1")), ValueError, "a metric 'f1' already exists; choose"),
        (lambda: register(replace(mc.get_metric("f1"), name="f3")), ValueError, "metric 'f3' alr"),
    ],
)
def test_errors_say_what_is_wrong(call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call()


def test_a_number_in_the_place_of_0_over_0_stays_with_averages_and_twins():
    metric = mc.get_metric("f1_macro", zero_division=1.0)
    assert metric.zero_division == metric.soft.zero_division == 1.0
    empty = [np.zeros(2)] * 3
    assert metric.value(*empty) == 1.0
    assert mc.get_metric("accuracy", zero_division=1.0) is mc.get_metric("accuracy")


def miss_rate(**prose):
    return Metric(
        name="miss_rate",
        statistics=mc.get_metric("recall").statistics,
        ratio=lambda hits, _, support: (support - hits, support),
        per_class=True,
        greater_is_better=False,
        **prose,
    )


@pytest.mark.usefixtures("_registry")
def test_a_registered_metric_is_a_name_everywhere():
    register(miss_rate(description="Share of a class that was missed."))
    recall = sk.recall_score(Y, SAID, average=None)
    np.testing.assert_allclose(estimate("miss_rate", SAID), 1 - recall)
    assert estimate("miss_rate_macro", SAID)[0] == pytest.approx(1 - recall.mean())
    np.testing.assert_allclose(mc.metrics.miss_rate(Y, SAID), 1 - recall)
    assert mc.metrics.miss_rate(Y, SAID, average="micro") == pytest.approx((Y != SAID).mean())
    result = mc.compare(mc.Predictions(Y, {"a": SAID, "b": 1 - SAID}), "miss_rate_macro",
                        n_resamples=99)  # fmt: skip
    assert result.differences.better[0] == ("a" if recall.mean() > 0.5 else "b")
    assert mc.get_metric("miss_rate_macro").variant == "the mean over classes"


@needs("catalogue")
@pytest.mark.usefixtures("_registry")
def test_a_metric_without_prose_is_listed_and_explained(capsys):
    register(replace(miss_rate(), name="plain_words"))
    assert main(["metrics"]) == 0
    assert "plain_words " in capsys.readouterr().out
    assert main(["metrics", "plain_words"]) == 0
    assert "Registered without a description." in capsys.readouterr().out


@pytest.mark.usefixtures("_registry")
def test_a_registered_function_is_explained_by_its_docstring():
    def disagreement(y_true, y_pred):
        """Share of labels that differ.

        Values nothing.
        """
        return (y_true != y_pred).mean()

    register(disagreement)
    assert mc.get_metric("disagreement").summary == "Share of labels that differ."
    assert mc.metrics.disagreement(Y, SAID) == pytest.approx((Y != SAID).mean())
    assert estimate("disagreement", SAID)[0] == pytest.approx((Y != SAID).mean())
    named = np.array(["no", "yes"])
    assert mc.metrics.disagreement(named[Y], named[SAID]) == pytest.approx((Y != SAID).mean())


def test_averages_are_of_quotients_alone():
    own = replace(
        mc.get_metric("recall"), name="own", ratio=None, proportion=False,
        value=lambda *totals: totals[0],
    )  # fmt: skip
    assert not own.has_averages
    with pytest.raises(TypeError, match="own is not a quotient for each class"):
        own.averaged("macro")
    with pytest.raises(TypeError, match="metric 'nothing' has no formula; give `value` or `ratio`"):
        Metric(name="nothing", statistics=own.statistics)


def test_from_callable_takes_the_docstring():
    assert from_callable(sk.accuracy_score, name="x").description.startswith(
        "Accuracy classification"
    )


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "f1:x", "f1[toxic]", "]", "a\n::error::", "-f1", "<lambda>", "a,b", 5]
)
def test_a_name_that_rules_and_files_could_not_tell_is_refused(name):
    metric = replace(mc.get_metric("accuracy"), name=name, soft=None)
    with pytest.raises(ValueError, match=f"{re.escape(repr(name))} cannot be registered: a metric"):
        register(metric)
    assert name not in METRICS


@pytest.mark.parametrize("name", ["précision_2", "f0.7_own", "hits@1", "7x"])
@pytest.mark.usefixtures("_registry")
def test_a_name_of_letters_and_digits_is_registered(name):
    made = replace(mc.get_metric("accuracy"), name=name, soft=None)
    assert register(made) is made
    assert mc.get_metric(name) is made
