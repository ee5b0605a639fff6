"""Decisions about several test sets: their mean, each of them, any of them."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare.cli.app import main
from modelcompare.intervals.ratios import t_quantile
from modelcompare.plugins.suites.gains import mean_unseen
from modelcompare.questions.gate_result import RuleAnswer
from modelcompare.questions.rules import read_rule
from modelcompare.questions.unseen import Unseen, unseen_units
from modelcompare.significance.corrections import adjust

RNG = np.random.default_rng(4)
SIZES = {"law": 300, "maths": 200, "code": 250}
MODELS = {"new": 0.8, "old": 0.7}


def made(gains, sizes=SIZES, seed=0, base=0.8):
    """Return test sets of 0/1 scores in which the candidate is better by given shares."""
    rng = np.random.default_rng(seed)
    sets = {}
    for (name, n), gain in zip(sizes.items(), gains, strict=True):
        old = (np.arange(n) < round(base * n)).astype(float)
        new = old.copy()
        k = round(abs(gain) * n)
        new[np.flatnonzero(old == (gain < 0))[:k]] = float(gain > 0)
        order = rng.permutation(n)
        sets[name] = mc.Predictions.from_scores(
            {"old": old[order], "new": new[order]}, greater_is_better=True, bounds=(0, 1)
        )
    return sets


BETTER = made([0.1, 0.08, 0.12])
MIXED = made([0.1, -0.15, 0.0])


def decided(sets, margin=0.05, **options):
    if {"weights", "missing"} & {*options}:
        rule = {"metric": "mean_score", "margin": margin}
        return mc.gate(sets, "old", "new", rule, **options).decisions[0]
    return mc.decide(sets, "old", "new", "mean_score", margin=margin, **options)


def test_the_mean_has_bounds_of_its_sets_joined():
    found = decided(MIXED)
    parts = [decided(each) for each in MIXED.values()]
    seen = [mc.compare(each, n_resamples=99).differences.iloc[0] for each in MIXED.values()]
    assert found.gain == pytest.approx(np.mean([part.gain for part in parts]))
    assert found.gain == pytest.approx(-np.mean([row["difference"] for row in seen]))
    assert (found.n_samples, found.test_set) == (750, "mean of 3 test sets")
    widths = [part.ci_high - part.ci_low for part in parts]
    assert found.ci_high - found.ci_low < np.linalg.norm(widths) / 3 * 1.01
    assert "in mean_score (mean of 3 test sets): gain" in found.sentence()
    assert "|sets:3" in found.signature


NORMAL = {
    name: mc.Predictions.from_scores(
        {"new": x + 0.2 + 0.3 * RNG.normal(size=n), "old": x}, greater_is_better=True
    )
    for name, n in SIZES.items()
    if (x := RNG.normal(size=n)) is not None
}
LABELLED = {
    name: mc.Predictions(
        y := RNG.integers(0, 3, n),
        {m: np.where(RNG.random(n) < p, y, RNG.integers(0, 3, n)) for m, p in MODELS.items()},
    )
    for name, n in SIZES.items()
}  # fmt: skip
WEIGHTS = ["equal", "samples", {"law": 1, "maths": 0, "code": 3}]


@pytest.mark.parametrize("method", ["percentile", "BCa", "basic", "normal", "auto"])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_a_decision_has_the_interval_of_a_comparison(method, weights):
    for metric, sets in (("mean_score", NORMAL), ("f1_macro", LABELLED)):
        options = {"method": method, "weights": weights, "n_resamples": 99, "rng": 2}
        found = mc.compare_groups(sets, metric, confidence_level=0.9, test="wald", **options)
        decision = mc.gate(sets, "old", "new", f"mean({metric}):-0.05", **options).decisions[0]
        row = found.pooled_differences.iloc[0]
        assert decision.gain == pytest.approx(row["difference"], rel=1e-12)
        ends, shown = [decision.ci_low, decision.ci_high], [row["ci_low"], row["ci_high"]]
        if metric == "mean_score":
            assert ends == pytest.approx(shown, rel=1e-12)
        else:  # of counts, unobserved failures may widen it
            assert ends[0] <= shown[0] + 1e-12
            assert ends[1] >= shown[1] - 1e-12
        assert f"|ci:{method}|" in found.signature
        assert f"|ci:{method}|" in decision.signature


def test_a_decision_about_new_sets_has_the_interval_of_a_comparison():
    found = mc.compare_groups(LABELLED, "f1_macro", confidence_level=0.9, generalize_to="sets")
    decision = mc.decide(LABELLED, "old", "new", "f1_macro", margin=0.05, generalize_to="sets")
    row = found.pooled_differences.iloc[0]
    assert [decision.ci_low, decision.ci_high] == pytest.approx([row["ci_low"], row["ci_high"]])


def test_a_set_with_all_of_the_weight_is_decided_as_it_is_alone():
    scores = {
        m: np.exp(np.random.default_rng(k).normal(size=60)) for k, m in enumerate(("old", "new"))
    }
    one = mc.Predictions.from_scores(scores, greater_is_better=True)
    rule, asked = {"metric": "mean_score", "margin": 0.2}, {"method": "BCa", "n_resamples": 999}
    sets, weights = {"one": one, "other": one}, {"one": 1.0, "other": 0.0}
    (found,) = mc.gate(sets, "old", "new", [rule], weights=weights, **asked).decisions
    alone = mc.decide(one, "old", "new", **rule, **asked)
    ends = (found.ci_low, found.ci_high, found.p_value, found.test_set)
    assert ends == (alone.ci_low, alone.ci_high, alone.p_value, "one")


def test_the_p_value_is_the_level_at_which_the_bound_is_the_margin():
    found = decided(MIXED)
    for times, passes in ((0.999, False), (1.001, True)):
        assert decided(MIXED, margin=-found.ci_low * times).passed == passes
    at = decided(MIXED, margin=0.05, alpha=found.p_value)
    assert at.ci_low == pytest.approx(-0.05, abs=1e-6)


def test_unseen_failures_may_all_be_in_the_set_where_they_weigh_most():
    same = {name: each[["old"]] for name, each in BETTER.items()}
    equal = {
        name: mc.Predictions.from_scores(
            {"old": p.output("old").array, "new": p.output("old").array}, bounds=(0, 1),
            greater_is_better=True,
        )
        for name, p in same.items()
    }  # fmt: skip
    found = decided(equal)
    # 200 samples of a third: as 600 samples of one set.
    n, added = 600, unseen_units(0.05)
    share = added / (n + added)
    spread = share / math.sqrt(added)
    low = -share - float(t_quantile(np.array(n), 0.9)) * spread
    assert found.ci_low <= low + 1e-12
    parts = [Unseen(0.0, 0.0, float(size), -1.0, 1.0, (-2.0, 2.0), True) for size in SIZES.values()]
    joined = mean_unseen(parts, np.full(3, 1 / 3))
    assert joined.size == 600
    assert not mean_unseen([*parts[:2], Unseen(0.0, 0.0, 9.0, 0.0, math.inf, None)],
                              np.full(3, 1 / 3)).of_means  # fmt: skip


def test_a_mean_for_new_sets_is_wider():
    fixed, new = decided(MIXED), decided(MIXED, generalize_to="sets")
    gains = [decided(each).gain for each in MIXED.values()]
    half = stats.t.ppf(0.95, 2) * stats.sem(gains)
    assert new.ci_low == pytest.approx(min(fixed.ci_low, max(np.mean(gains) - half, -1)))
    assert new.ci_high - new.ci_low > fixed.ci_high - fixed.ci_low
    assert math.isnan(new.n_needed)
    assert "More test sets would be, or more samples." in new.sentence()
    assert (
        "For test sets like these 3: new ones are allowed for, but sets of a kind rarer"
        in new.sentence()
    )
    assert "generalize_to:items+sets" in new.signature


def test_rules_of_one_gate():
    found = mc.gate(BETTER, "old", "new", ["mean:+0", "each:-0.05", "any(mean_score):+0"])
    assert found.answer == "shown"
    assert [len(rule.decisions) for rule in found.by_rule] == [1, 3, 3]
    assert [d.test_set for d in found.decisions[1:4]] == [*SIZES]
    # A claim about any of three sets is at a third of the level.
    assert {d.alpha for d in found.decisions[4:]} == {0.05 / 3}
    assert found.decisions[1].p_value == decided(BETTER["law"]).p_value
    sentences = found.sentences
    assert (
        "new is non-inferior to old (margin 0.05) in mean_score on 3 of 3 test sets." in sentences
    )
    assert "new is better than old in mean_score on 3 of 3 test sets (law, maths and code)." in (
        sentences
    )


def test_one_bad_set_closes_the_gate_and_is_named():
    found = mc.gate(MIXED, "old", "new", "each:-0.05")
    assert found.answer == "shown otherwise"
    assert [d.answer for d in found.decisions] == ["shown", "shown otherwise", "shown"]
    text = " ".join(found.sentences)
    assert "on 2 of 3 test sets. new is inferior to old (margin 0.05) in mean_score (maths)" in text
    assert mc.gate(MIXED, "old", "new", "any:+0").answer == "shown"


def test_losses_on_single_sets_are_corrected():
    sizes = {f"s{i}": 200 for i in range(10)}
    found = mc.gate(made([-0.1] + [0.0] * 9, sizes), "old", "new", "each:-0.055")
    alone = found.decisions[0]
    p = np.array([1 - d.p_value for d in found.decisions])
    assert p[0] < 0.05 <= adjust(p, "holm")[0]
    assert alone.answer == "not enough data"
    assert alone.n_needed > 200
    assert "Its opposite is not shown once corrected for 10 claims (Holm)." in alone.sentence()
    assert found.answer == "not enough data"


def test_any_is_refuted_where_all_are():
    worse = made([-0.2, -0.25, -0.2])
    assert mc.gate(worse, "old", "new", "any:+0").answer == "shown otherwise"
    assert mc.gate(MIXED, "old", "new", "any:+0.5").answer == "shown otherwise"
    assert mc.gate(made([0.0, 0.0, 0.0]), "old", "new", "any:+0").answer == "not enough data"


def test_a_claim_about_any_set_that_fails_is_answered_for_each():
    for sets, words in ((made([0.0, 0.0, 0.0]), "not enough"), (made([-0.2] * 3), "not better")):
        first, *others = mc.gate(sets, "old", "new", "any:+0").sentences
        assert first.endswith("on 0 of 3 test sets.")
        assert len(others) == 3
        assert all(words in other for other in others)
    assert len(mc.gate(MIXED, "old", "new", "any:+0").sentences) == 1


def test_classes_and_mappings_name_what_a_rule_is_about():
    y = {name: RNG.integers(0, 2, n) for name, n in SIZES.items()}
    sets = {
        name: mc.Predictions(y[name], {"old": y[name], "new": y[name]}, labels=[0, 1])
        for name in SIZES
    }
    text = mc.gate(sets, "old", "new", ["each(recall[1]):-0.1"])
    mapped = {"over": "each", "metric": "recall", "label": 1, "margin": 0.1}
    same = mc.gate(sets, "old", "new", [mapped])
    assert [d.row for d in text.decisions] == [d.row for d in same.decisions]
    named = mc.decide(sets, "old", "new", "recall[1]", margin=0.1)
    assert named.gain == mc.decide(sets, "old", "new", ("recall", 1), margin=0.1).gain
    mean = mc.gate(sets, "old", "new", [{"metric": "accuracy", "margin": 0.1}])
    assert mean.by_rule == (RuleAnswer(mean.decisions),)
    assert mean.decisions[0].test_set == "mean of 3 test sets"


@pytest.mark.parametrize("rule", ["accuracy:-0.1", "all:-0.1", "mean(:-0.1", "mean:0.1", "each"])
def test_rules_of_sets_that_cannot_be_read(rule):
    with pytest.raises(ValueError, match=r"must read OVER\(METRIC\):-MARGIN"):
        mc.gate(BETTER, "old", "new", [rule])


def test_rules_of_one_test_set_are_not_about_several():
    assert read_rule("mean:-0.1")["metric"] == "mean"
    with pytest.raises(ValueError, match="mean"):
        mc.gate(BETTER["law"], "old", "new", "mean:-0.1")
    for name, value in (("weights", "samples"), ("missing", "drop")):
        with pytest.raises(TypeError, match=rf"decide\(\) has no argument `{name}`"):
            mc.gate(BETTER, "old", "new", [{"margin": 0.1, name: value}])
    with pytest.raises(ValueError, match="`generalize_to` must be one of"):
        mc.gate(BETTER, "old", "new", [{"margin": 0.1, "generalize_to": "x"}])
    with pytest.raises(ValueError, match="a rule is over 'mean', 'each' or 'any' test set"):
        mc.gate(BETTER, "old", "new", [{"over": "most", "margin": 0.1}])
    with pytest.raises(ValueError, match="maps one test set"):
        decided({"law": BETTER["law"]})
    with pytest.raises(TypeError, match="must map names to predictions"):
        decided({"law": BETTER["law"], "maths": 3})


def test_classes_that_differ_between_sets_are_refused():
    y = np.arange(60) % 3
    one = mc.Predictions(y, {"old": y, "new": y})
    two = mc.Predictions(y % 2, {"old": y % 2, "new": y % 2})
    with pytest.raises(ValueError, match="different classes, and recall is per class"):
        mc.decide({"s": one, "t": two}, "old", "new", "recall[1]", margin=0.1)


def test_gates_of_suites_from_the_command_line(tmp_path, capsys):
    rows = [
        {"set": name, "item": i, "model": m, "score": x}
        for name, p in MIXED.items() for m in p.models
        for i, x in enumerate(p.output(m).array)
    ]  # fmt: skip
    path = tmp_path / "suite.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    given = ["gate", str(path), "--baseline", "old", "--candidate", "new", "--higher-is-better"]
    assert main([*given, "--rule", "mean:-0.05", "--rule", "any:+0"]) == 0
    out = capsys.readouterr().out
    assert "new is non-inferior to old (margin 0.05) in mean_score (mean of 3 test sets)" in out
    assert "on 1 of 3 test sets (law)" in out
    assert main([*given, "--rule", "each:-0.05"]) == 1
    assert "new is inferior to old (margin 0.05) in mean_score (maths)" in capsys.readouterr().out
    assert (
        main([*given, "--rule", "mean:-0.05", "--generalize-to", "sets", "--format", "json"]) == 1
    )
    assert '"test_set": "mean of 3 test sets"' in capsys.readouterr().out
    assert main([*given, "--margin", "0.05"]) == 2
    assert "set" in capsys.readouterr().err


def test_a_table_of_rules_with_several_levels_names_that_of_each():
    y = np.repeat([0, 1], 50)
    sets = {
        name: mc.Predictions(y, {"a": y ^ (np.arange(100) < 3 * k), "b": y ^ (np.arange(100) < 9)})
        for k, name in enumerate("ABC")
    }
    mixed = mc.gate(sets, "b", "a", ["mean(accuracy):-0.05", "any(accuracy):+0"])
    shown = str(mixed)
    assert "90 % CI  " not in shown
    assert shown.index("\n CI level 90 %\n") < shown.index("\n CI level 96.6667 %\n")
    (header, _, *rows) = [line for line in mixed.to_markdown().splitlines() if line[:1] == "|"]
    assert "| CI level | CI |" in header
    assert ["90 % |" in row or "96.6667 % |" in row for row in rows] == [True] * 4
    alike = mc.gate(sets, "b", "a", ["mean(accuracy):-0.05", "each(accuracy):-0.1"])
    assert "90 % CI" in str(alike)
    assert "CI level" not in str(alike)


def test_what_is_for_new_sets_states_which_kinds_would_not_have_been_seen():
    sets, ask = made([0.1, -0.15, 0.02, 0.1], {**SIZES, "more": 300}), {"generalize_to": "sets"}
    new = [
        mc.compare_groups(sets, n_resamples=99, **ask).verdict(),
        decided(sets, **ask).sentence(),
        "".join(mc.gate(sets, "old", "new", ["mean:-0.1"], **ask).sentences),
        "".join(mc.sample_size(sets, "old", "new", "mean_score", **ask).notes),
    ]
    for text in new:
        assert "but sets of a kind rarer than 3 in 4 would not have been seen" in text
    assert "rarer than" not in decided(sets).sentence()


def test_a_pilot_set_on_which_two_models_never_differ_is_refused_by_name():
    with pytest.raises(ValueError, match=r"test set 'code'.*standard error \(0\).*is wider\. No"):
        mc.sample_size(MIXED, "old", "new", "mean_score", generalize_to="sets")
