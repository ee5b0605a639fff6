"""What is made of a metric's record: plain functions, their looks, values that follow from ratios."""

import doctest
import inspect
from dataclasses import replace

import numpy as np
import pytest
from numpydoc.docscrape import FunctionDoc

import modelcompare as mc
from modelcompare.data.kinds import SCORES, VALUES, all_kinds
from modelcompare.data.outputs import Output
from modelcompare.metrics import FAMILIES, METRICS
from modelcompare.metrics.base import Outcomes
from modelcompare.metrics.counts import soft_twin
from modelcompare.metrics.quotient import divide
from tests.plugged import needs

# Each function that has separate prose; averages and variants share that of their family.
PLAIN = sorted(
    {m.family or m.name for m in (*METRICS.values(), *FAMILIES.values()) if m.example} - {"cfbeta"}
)
NAMES = {name: getattr(mc.metrics, name) for name in dir(mc.metrics)}


@pytest.mark.parametrize("name", PLAIN)
def test_the_example_of_a_record_is_true(name):
    test = doctest.DocTestParser().get_doctest(NAMES[name].__doc__, dict(NAMES), name, None, None)
    assert test.examples
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)


@pytest.mark.parametrize("name", [*PLAIN, "f1_macro", "roc_auc_ovr", "top_5_accuracy"])
def test_a_docstring_is_numpydocs_and_names_every_parameter(name):
    function = getattr(mc.metrics, name)
    found = FunctionDoc(function)
    assert [each.name for each in found["Parameters"]] == [*inspect.signature(function).parameters]
    assert all("".join(each.desc) for each in found["Parameters"])
    assert found["Summary"]
    assert function.__name__ == name


def test_range_and_direction_come_from_the_attributes():
    assert "    Between 0 and 1, higher is better.\n" in mc.metrics.f1.__doc__
    assert "    0 and up, lower is better.\n" in mc.metrics.log_loss.__doc__
    assert "    At most 1, higher is better.\n" in mc.metrics.r2.__doc__
    assert "    Between -1 and 1, higher is better.\n" in mc.metrics.cohen_kappa.__doc__


def test_every_metric_has_a_function_and_every_function_its_example():
    assert len(PLAIN) >= 40
    assert {*METRICS, *FAMILIES} <= {*dir(mc.metrics)}


def outcomes(needs):
    rng = np.random.default_rng(0)
    if needs in ("values", "scores"):
        y = rng.integers(1, 9, 12).astype(float)
        return Outcomes(Output(VALUES, y + rng.normal(0, 0.3, 12)), y_true=y)
    if needs in ("label_sets", "label_probabilities"):
        true = (rng.random((12, 3)) < 0.5).astype(float)
        array = rng.random((12, 3)) if needs == "label_probabilities" else 1 - true[::-1]
        return Outcomes(Output(all_kinds()[needs], array), n_classes=3, true_distribution=true)
    predicted = np.array(["a b", "a c b", "B-x O", "a"] * 3, dtype=object)
    true = np.array(["a b", "a b b", "B-x I-x", "c a"] * 3, dtype=object)
    if needs == "text_lists":
        lists = np.empty(12, dtype=object)
        lists[:] = [((text, 0.75), ("a", 0.25)) for text in predicted]
        predicted = lists
    return Outcomes(Output(all_kinds()[needs], predicted), y_true=true)


OTHERS = [
    name
    for name, metric in METRICS.items()
    if metric.needs not in ("labels", "probabilities") and getattr(metric, "ratio", None)
]


@pytest.mark.parametrize("name", OTHERS)
def test_numerators_and_denominators_are_sums_over_samples(name):
    metric, weight = METRICS[name], np.random.default_rng(1).random(12)
    given = outcomes(metric.needs)
    if metric.of_items:
        right = (given.output.array > 4).astype(float)
        given = Outcomes(Output(SCORES, right), items=np.repeat([0, 1], [5, 7]))
    if name.startswith("perplexity"):
        logs = -np.abs(given.output.array)
        given = replace(given, output=Output(VALUES, logs))
    rows = [s.compute(given) * weight[:, None] for s in metric.statistics]
    totals = [row.sum(axis=0) for row in rows]
    for part, total in zip(metric.ratio(*rows), metric.ratio(*totals), strict=True):
        assert part.sum(axis=0) == pytest.approx(total, abs=1e-12)
    quotient = divide(*metric.ratio(*totals))
    expected = {
        "rmse": np.sqrt,
        "rmsle": np.sqrt,
        "perplexity": np.exp,
        "perplexity_of_texts": np.exp,
    }.get(name, lambda x: 100 * x if name == "ter" else x)
    assert metric.value(*totals) == pytest.approx(expected(quotient))


def test_a_soft_twin_is_an_attribute():
    for name in ("f1", "f1_macro", "accuracy", "confusion_entropy"):
        twin = mc.get_metric(name).soft
        assert twin == mc.get_metric(f"c{name}")
        assert twin.soft is None
    assert mc.get_metric("log_loss").soft is None


@needs("calibration")
def test_options_are_numbers_on_the_metric():
    assert mc.get_metric("f2").factory.options == {"beta": 2.0}
    assert mc.get_metric("ece_mass_7").factory.options["n_bins"] == 7
    assert mc.get_metric("roc_auc", max_fpr=1e-5).factory.options["max_fpr"] == 1e-5


@pytest.mark.parametrize("name", ["brier_score", "mse", "mean_score", "cf1"])
def test_what_has_no_soft_statistics_has_no_soft_twin(name):
    with pytest.raises(TypeError, match=f"{name} has no soft twin: its statistics have none"):
        soft_twin(METRICS[name])


def test_a_proportion_is_one_of_a_ratio():
    recall = METRICS["recall"]
    with pytest.raises(TypeError, match="'x': `proportion` is True of a `ratio`"):
        replace(recall, name="x", ratio=None, value=lambda hits, _: hits, proportion=True)
    with pytest.raises(TypeError, match="`proportion`"):
        replace(recall, proportion=lambda hits, support: hits / support)


def test_a_class_of_each_sample_is_true_by_its_share_of_a_soft_label():
    labels = Output(all_kinds()["labels"], np.array([0, 0, 1]))
    shares = np.array([[0.7, 0.3], [0.2, 0.8], [0.0, 1.0]])
    soft = Outcomes(labels, n_classes=2, true_distribution=shares)
    np.testing.assert_array_equal(soft.truth_of(np.array([0, 0, 1])), [0.7, 0.2, 1.0])
    hard = Outcomes(labels, n_classes=2, codes=np.array([0, 1, 1]))
    np.testing.assert_array_equal(hard.truth_of(np.array([0, 0, 1])), [1.0, 0.0, 1.0])
