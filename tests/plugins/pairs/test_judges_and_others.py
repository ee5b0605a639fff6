"""A judge with several test sets, ledgers and studies."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import modelcompare as mc
from modelcompare.questions.components import Size
from tests.plugged import needed, needs

needed("judges")

from modelcompare.plugins.judges.verdicts import judge_of
from tests.plugins.judges.sets import answers, drawn
from tests.plugins.judges.test_questions import judged

pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning")


@needs("suites")
def test_the_mean_over_test_sets_has_the_errors_of_the_sets():
    sets = {f"s{k}": judged(k) for k in range(3)}
    each = [mc.compare(p, "accuracy", correction="none").differences.iloc[0] for p in sets.values()]
    error = np.sqrt(np.sum([row["standard_error"] ** 2 for row in each])) / 3
    difference = np.mean([row["difference"] for row in each])
    found = mc.paired_test(sets, "a", "b", "accuracy")
    assert found.difference == pytest.approx(difference)
    # Student's intervals of many degrees are nearly normal.
    z = difference / error
    assert found.p_value == pytest.approx(2 * norm.sf(abs(z)), abs=0.02)
    decided = mc.decide(sets, "b", "a", "accuracy", margin=0.02)
    half = (decided.ci_high - decided.ci_low) / 2
    assert 1.645 * error < half < 1.1 * 1.645 * error
    assert (decided.n_samples, decided.unit) == (900, "labels")
    gate = mc.gate(sets, "b", "a", ["mean(accuracy):-0.02", "each(accuracy):-0.1"])
    assert gate.decisions[0].ci_low == decided.ci_low
    of_set = mc.decide(sets["s0"], "b", "a", "accuracy", margin=0.1)
    assert gate.decisions[1].ci_low == of_set.ci_low


@needs("suites")
def test_labels_on_each_of_several_test_sets_are_planned():
    sets = {name: judged(k) for k, name in enumerate(("news", "mails"))}
    found = mc.sample_size(sets, "a", "b", "accuracy", margin=0.04)
    assert (found.size.sets, found.n_samples, found.unit) == (2, 300, "labels")
    of_sets = [mc.sample_size(each, "a", "b", "accuracy") for each in sets.values()]
    for n in (100, 300, 700):
        for way in ("at_random", "allocated"):
            errors = [getattr(each.plan, way).standard_error(Size(items=n)) for each in of_sets]
            mean = getattr(found.plan, way).standard_error(Size(items=n))
            assert mean == pytest.approx(np.hypot(*errors) / 2)
    # The interval of the mean difference has the errors of the sets.
    row = mc.compare_groups(sets, "accuracy", correction="none").pooled_differences.iloc[0]
    half = found.components.thresholds(found.size, 0.95)[0]
    halves = [each.components.thresholds(each.size, 0.95)[0] for each in of_sets]
    assert half == pytest.approx(np.hypot(*halves) / 2)
    assert half == pytest.approx((row["ci_high"] - row["ci_low"]) / 2, rel=0.05)
    assert found.difference == pytest.approx(row["difference"])
    assert "2 sets of 300 labels" in found.sentence()
    assert re.search(r"about [0-9,]+ labels of each drawn at random, or ", found.sentence())


@needs("suites")
def test_the_queue_of_several_test_sets_is_of_each():
    sets = {name: judged(k) for k, name in enumerate(("news", "mails"))}
    queue = mc.sample_size(sets, "a", "b", "accuracy").queue(25, rng=7)
    assert queue["set"].drop_duplicates().tolist() == [*sets]
    for name, part in queue.groupby("set"):
        assert part["label_next"].sum() == 25
        labelled = np.flatnonzero(judge_of(sets[name]).labelled)
        assert not part.set_index("row").loc[labelled, "label_next"].any()
        alone = mc.sample_size(sets[name], "a", "b", "accuracy").queue(25)
        counts = [each.groupby("stratum")["label_next"].sum() for each in (part, alone)]
        pd.testing.assert_series_equal(*counts)


@needs("suites")
def test_labels_are_planned_for_these_test_sets_that_all_have_a_judge():
    sets = {"x": judged(0), "y": judged(1)}
    with pytest.raises(
        ValueError, match=r"labels are planned for these test sets.*--generalize-to"
    ):
        mc.sample_size(sets, "a", "b", "accuracy", generalize_to="sets")
    plain = mc.Predictions([0, 1] * 50, {"a": [0, 1] * 50, "b": [0, 1, 1, 1] * 25})
    for mixed in ({"x": sets["x"], "plain": plain}, {"plain": plain, "x": sets["x"]}):
        with pytest.raises(ValueError, match="that all have a `judge`; leave out 'plain'"):
            mc.sample_size(mixed, "a", "b", "accuracy")


@needs("suites")
def test_test_sets_with_and_without_a_judge_have_one_mean():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 400)
    plain = mc.Predictions(truth, {m: answers(rng, truth, 0.8, 2) for m in "ab"})
    sets = {"people": plain, "judge": judged(2)}
    both = mc.decide(sets, "b", "a", "accuracy", margin=0.05)
    assert (both.n_samples, both.unit) == (700, "samples and labels")
    parts = [mc.decide(p, "b", "a", "accuracy", margin=0.05) for p in sets.values()]
    assert both.gain == pytest.approx(np.mean([part.gain for part in parts]))
    # Failures that the samples without a judge do not contain are allowed for.
    again = mc.compare_groups(sets, "accuracy", confidence_level=0.9, alpha=0.1)
    low, high = again.pooled_differences[["ci_low", "ci_high"]].iloc[0]
    assert both.ci_low <= low + 1e-12
    assert both.ci_high >= high - 1e-12


@needs("paper")
def test_agreement_counts_the_differences_that_compare_finds():
    preds, _ = drawn(4, 300, models=(0.9, 0.8, 0.6))
    study = mc.studies.agreement_study(preds, [("accuracy", "f1_macro")], alpha=0.05)
    assert study.test == "wald"
    found = mc.compare(preds, ["accuracy", "f1_macro"], correction="none").differences
    for side, metric in (("a", "accuracy"), ("b", "f1_macro")):
        of_metric = found[found["metric"] == metric]
        assert study.pairs[f"p_value_{side}"].tolist() == of_metric["p_value"].tolist()
        assert study.pairs[f"difference_{side}"].tolist() == of_metric["difference"].tolist()
    with pytest.raises(ValueError, match="test='permutation' does not know the error of a judge"):
        mc.studies.agreement_study(preds, [("accuracy", "f1_macro")], test="permutation")


@needs("ledgers")
def test_kept_is_what_a_gate_shows(tmp_path):
    preds, _ = drawn(0, 400, models=(0.7, 0.9))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = mc.keep(preds, "m0", "m1", "accuracy:+0", ledger=tmp_path / "ledger.jsonl")
        gate = mc.gate(preds, "m0", "m1", ["accuracy:+0"], alpha=kept.level)
    assert kept.word == "keep"
    assert gate.passed
