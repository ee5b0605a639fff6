"""Averages over some classes are scikit-learn's with labels=."""

import re

import numpy as np
import pytest
from sklearn import metrics as sk

import modelcompare as mc
from modelcompare.resampling.weights import BootstrapWeights

RNG = np.random.default_rng(0)
TAGS = np.array(["O", "PER", "LOC", "ORG"])
Y = RNG.choice(TAGS, 200, p=[0.7, 0.15, 0.1, 0.05])
P = {
    m: np.where(RNG.random(200) < right, Y, RNG.choice(TAGS, 200))
    for m, right in (("a", 0.8), ("b", 0.6))
}
PREDS = mc.Predictions(Y, P)
OF = {
    "f1": sk.f1_score, "precision": sk.precision_score, "recall": sk.recall_score,
    "jaccard": sk.jaccard_score,
}  # fmt: skip


@pytest.mark.parametrize("text", ["-O", "PER,LOC", "-O,ORG", "LOC, PER"])
@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
@pytest.mark.parametrize("name", OF)
def test_an_average_over_some_classes_is_scikit_learns(name, average, text):
    named = {each.strip() for each in text.removeprefix("-").split(",")}
    labels = sorted({*TAGS} - named if text.startswith("-") else named)
    result = mc.bootstrap(PREDS, f"{name}_{average}[{text}]", n_resamples=2)
    for place, said in enumerate(P.values()):
        expected = OF[name](Y, said, labels=labels, average=average)
        assert result.point[place, 0] == pytest.approx(expected)


def test_resamples_are_averages_over_the_same_classes():
    result = mc.bootstrap(PREDS, "f1_micro[-O]", n_resamples=5, collapse=False)
    weights = BootstrapWeights(result.evaluation.units, 5, result.seed).draw_all(0)
    for row, value in zip(weights, result.draws[:, 0, 0], strict=True):
        rows = np.repeat(np.arange(200), row.astype(int))
        expected = sk.f1_score(Y[rows], P["a"][rows], labels=["LOC", "ORG", "PER"], average="micro")
        assert value == pytest.approx(expected)


def test_soft_twins_and_other_names_take_classes_too():
    prob = np.stack([(P["a"][:, None] == tag) * 0.6 + 0.1 for tag in sorted(TAGS)], axis=-1)[:, 0]
    preds = mc.Predictions(Y, {"a": prob}, labels=sorted(TAGS))
    found = mc.bootstrap(preds, "cf1_macro[-O]", n_resamples=2).point[0, 0]
    each = mc.metrics.cf1(Y, prob, labels=sorted(TAGS))
    assert found == pytest.approx(np.delete(each, sorted(TAGS).index("O")).mean())


def test_a_rule_and_a_comparison_take_the_same_name():
    decided = mc.gate(PREDS, "b", "a", ["f1_micro[-O]:+0", "recall[PER]:-0.5"], n_resamples=99)
    first = decided.decisions[0]
    assert (first.metric, first.label) == ("f1_micro[-O]", None)
    compared = mc.compare(PREDS, ["f1_micro[-O]", "f1[PER]"], n_resamples=99)
    assert {*compared.scores["metric"]} == {"f1_micro[-O]", "f1"}
    row = compared.differences.query("metric == 'f1_micro[-O]'").iloc[0]
    assert first.gain == pytest.approx(row.difference)
    assert mc.paired_test(PREDS, "a", "b", "f1_micro[-O]", n_resamples=99).p_value < 0.05


@pytest.mark.parametrize("metric", ["f1_micro[-O]", "f1_macro[-O]"])
def test_intervals_of_some_classes_cover(metric):
    # Of 300 test sets; three standard errors are 0.038.
    rng, right = np.random.default_rng(1), np.array([[0.9], [0.7]])
    covered, n = [], 150
    for _ in range(10):
        y = rng.choice(4, n, p=[0.55, 0.15, 0.15, 0.15])
        said = {
            f"m{i}": np.where(rng.random(n) < right[int(rng.integers(1))], y, rng.choice(4, n))
            for i in range(30)
        }
        preds = mc.Predictions(TAGS[y], {m: TAGS[x] for m, x in said.items()}, labels=TAGS)
        found = mc.bootstrap(preds, metric, n_resamples=2).score_interval("auto", 0.95)
        # Each class: right with 0.9 + 0.1 / 4; wrong ones are spread over the other classes.
        hit, wrong = 0.925, 0.025
        share, others = 0.15, 0.85
        predicted = share * hit + others * wrong
        true = 2 * share * hit / (share + predicted)
        covered += [((found.low <= true) & (found.high >= true)).ravel()]
    assert np.mean(covered) > 0.912


REFUSED = {
    "f1_micro[-X]: there is no class 'X'; the classes are LOC, O, ORG, PER.": "f1_micro[-X]",
    "accuracy[-O]: accuracy is no average over classes; name f1_micro[-O]": "accuracy[-O]",
    "specificity_macro[-O]: specificity_macro counts true negatives": "specificity_macro[-O]",
    "f1_micro[-O,PER,LOC,ORG] leaves out every class; keep at least one.":
        "f1_micro[-O,PER,LOC,ORG]",
    "f1[-O]: there is no class '-O'": "f1[-O]",
    "f1_macro[PER]: f1_macro has no value per class; leave 'PER' out.": "f1_macro[PER]",
    "roc_auc_ovr[-O]: roc_auc_ovr is no average over classes": "roc_auc_ovr[-O]",
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_has_no_average_over_these_classes_is_refused(message):
    prob = np.full((200, 4), 0.25)
    preds = mc.Predictions(Y, {"a": prob}, labels=sorted(TAGS))
    with pytest.raises(ValueError, match=re.escape(message)):
        mc.compare(preds, REFUSED[message], n_resamples=9)


def test_the_papers_convention_has_no_such_average():
    with pytest.raises(ValueError, match="no value by the paper's convention"):
        mc.compare(PREDS, "f1_macro[-O]", zero_division="paper", n_resamples=9)
