"""`keep` and looks: words, levels, exit codes, the report and the budget."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import modelcompare as mc
from modelcompare.significance.repeated import level_of_candidate, level_of_look

N = 2000
TRUTH = np.random.default_rng(0).integers(0, 3, N)
FEW = {"n_resamples": 20}


def model(seed, share):
    right = np.random.default_rng(seed).random(N) < share
    return np.where(right, TRUTH, (TRUTH + 1) % 3)


MODELS = {"base": model(1, 0.7), "same": model(2, 0.7), "good": model(3, 0.78), "bad": model(4, 0.6),
          "best": model(5, 0.86)}  # fmt: skip
PREDS = mc.Predictions(TRUTH, MODELS)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.jsonl"


def ask(path, baseline, candidate, **options):
    return mc.keep(PREDS, baseline, candidate, "accuracy:+0", ledger=path, **FEW, **options)


def test_words_levels_and_baselines(path):
    found = [ask(path, "base", name) for name in ("same", "bad", "good")]
    assert [each.word for each in found] == ["undecided", "discard", "keep"]
    assert [each.level for each in found] == [level_of_candidate(k, 0, k, 0.05) for k in (1, 2, 3)]
    with pytest.raises(ValueError, match="'good', kept as candidate 3; 'base' has other outputs"):
        ask(path, "base", "best")
    last = ask(path, "good", "best")
    assert (last.word, last.number, last.kept) == ("keep", 4, 2)
    assert last.level == level_of_candidate(4, 1, 1, 0.05)


def test_the_word_is_that_of_a_gate_at_the_level(path):
    for k, name in enumerate(("same", "good"), start=1):
        found = ask(path, "base", name)
        level = level_of_candidate(k, 0, k, 0.05)
        assert (
            found.passed == mc.gate(PREDS, "base", name, "accuracy:+0", alpha=level, **FEW).passed
        )


def test_a_baseline_is_known_by_its_outputs(path):
    ask(path, "base", "good")
    renamed = mc.Predictions(TRUTH, {"kept": MODELS["good"], "new": MODELS["best"]})
    assert mc.keep(renamed, "kept", "new", "accuracy:+0", ledger=path, **FEW).passed


def test_the_same_candidate_spends_nothing(path):
    first = ask(path, "base", "same")
    again = ask(path, "base", "same")
    assert again.repeated
    assert (again.head, again.number, again.word) == (first.head, 1, first.word)
    assert "asked before, as candidate 1" in again.reason


def test_an_answer_contains_no_estimate(path, tmp_path):
    """Test sets with other gains and equal answers have the same words."""
    first = ask(path, "base", "good")
    half = PREDS.subset(range(1000))
    other = mc.keep(half, "base", "good", "accuracy:+0", ledger=tmp_path / "other.jsonl", **FEW)
    assert first.sentence() == other.sentence()
    assert "several runs" in first.reason


def test_planned_candidates_are_used_up(path):
    ask(path, "base", "same", n_candidates=2)
    ask(path, "base", "bad", n_candidates=2)
    with pytest.raises(ValueError, match=r"the 2 planned candidates .* are used"):
        ask(path, "base", "good", n_candidates=2)


def test_several_sets_and_rules(path):
    sets = {"x": PREDS.subset(range(1000)), "y": PREDS.subset(range(1000, N))}
    rules = ["mean(accuracy):+0", "each(accuracy):-0.05"]
    found = mc.keep(sets, "base", "good", rules, ledger=path, **FEW)
    assert found.word == "keep"
    with pytest.raises(ValueError, match="the test set is not that of"):
        mc.keep(
            {**sets, "y": PREDS.subset(range(900, N))}, "good", "best", rules, ledger=path, **FEW
        )


def test_gains_of_losses_are_good(path):
    rng = np.random.default_rng(0)
    losses = {"a": rng.random(500) + 1.0, "b": rng.random(500)}
    preds = mc.Predictions.from_scores(losses, greater_is_better=False)
    assert mc.keep(preds, "a", "b", "mean_score:+0", ledger=path, **FEW).word == "keep"


def test_the_report_corrects_and_sums(path):
    for pair in (("base", "same"), ("base", "good"), ("good", "best")):
        ask(path, *pair)
    report = mc.diagnostics.keep_report(path)
    values = {name: np.mean(array == TRUTH) for name, array in MODELS.items()}
    assert report.measured == pytest.approx(values["best"] - values["base"])
    assert report.corrected <= report.measured
    assert report.luck == pytest.approx(report.measured - report.corrected)
    assert report.history["word"].tolist() == ["undecided", "keep", "keep"]
    assert report.history["corrected"].isna().tolist() == [True, False, False]
    assert f"{report.n_kept} of {report.n_asked} candidates were kept" in report.sentence()


def test_the_budget_is_that_of_a_normal_gain(path):
    found = [ask(path, "base", name) for name in ("same", "bad")]
    budget = mc.diagnostics.budget(path, margin=0.05)
    errors = []
    for each in found:
        decision = mc.decide(PREDS, "base", each.candidate, "accuracy", kind="superior",
                             alpha=each.level, **FEW)  # fmt: skip
        errors.append((decision.gain - decision.ci_low) / norm.isf(each.level))
    error = np.median(errors)
    powers = {
        k: norm.cdf(0.05 / error - norm.isf(level_of_candidate(2 + k, 0, 2 + k, 0.05)))
        for k in range(1, 3000)
    }
    assert budget.left == sum(power >= 0.8 for power in powers.values())
    row = budget.ahead.set_index("further").loc[5]
    assert row["power"] == pytest.approx(powers[5])
    level = level_of_candidate(2, 0, 2, 0.05)
    fresh = N * ((norm.isf(level) + norm.ppf(0.8)) * error / 0.05) ** 2
    assert budget.n_fresh == math.ceil(fresh)


# -- looks --------------------------------------------------------------------------------------


def look(path, n, candidate="same", preds=PREDS, **options):
    part = preds.subset(range(n))
    return mc.gate(part, "base", candidate, "accuracy:+0", ledger=path, **FEW, **options)


def test_looks_have_their_levels_and_are_used_up(path):
    found = [look(path, n, looks=3) for n in (500, 1200, N)]
    sizes = [500.0, 1200.0, float(N)]
    assert [each.alpha for each in found] == [level_of_look(sizes[:k], 3, 0.05) for k in (1, 2, 3)]
    assert found[1].ledger.startswith("Look 2 of 3 (alpha 0.05 in all")
    more = mc.Predictions(np.r_[TRUTH, TRUTH[:5]], {m: np.r_[a, a[:5]] for m, a in MODELS.items()})
    with pytest.raises(ValueError, match=r"all 3 looks in .* are used"):
        look(path, N + 5, looks=3, preds=more)


def test_the_same_samples_are_no_other_look(path):
    assert [look(path, n, looks=2).alpha for n in (500, 500)] == [level_of_look([500], 2, 0.05)] * 2
    assert look(path, 900, looks=2).ledger.startswith("Look 2 of 2")


def test_a_decisive_look_stands(path):
    assert look(path, 1500, "best", looks=3).answer == "shown"
    with pytest.raises(ValueError, match=r"look 1 in .* answered 'shown', and that stands"):
        look(path, N, "best", looks=3)


@pytest.mark.parametrize("changed", ["truth", "candidate", "fewer"])
def test_only_samples_may_be_added(path, changed):
    look(path, 800, looks=3)
    truth, models = TRUTH.copy(), dict(MODELS)
    if changed == "truth":
        truth[3] = (truth[3] + 1) % 3
    if changed == "candidate":
        models["same"] = np.r_[(MODELS["same"][:1] + 1) % 3, MODELS["same"][1:]]
    n, message = (700 if changed == "fewer" else 1000), "outputs of the candidate"
    with pytest.raises(ValueError, match=message if changed == "candidate" else "have changed"):
        look(path, n, looks=3, preds=mc.Predictions(truth, models))


def test_a_class_that_comes_with_more_samples_changes_nothing_before(path):
    rare = np.r_[TRUTH, 3]
    models = {m: np.r_[a, 3] for m, a in MODELS.items()}
    look(path, 800, looks=3)
    found = mc.gate(
        mc.Predictions(rare, models), "base", "same", "accuracy:+0", looks=3, ledger=path, **FEW
    )
    assert found.ledger.startswith("Look 2 of 3")


def test_any_time_in_a_ledger_has_no_last_look(path):
    found = [look(path, n, any_time=True) for n in range(400, 2001, 400)]
    assert found[-1].ledger.startswith("Look 5 (alpha 0.05 in all, at any time)")
    with pytest.raises(ValueError, match=r"number of looks .* cannot change"):
        look(path, N, looks=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"looks": 2}, "`ledger`"), ({"ledger": "x.jsonl"}, "needs `looks`"),
        ({"ledger": "x.jsonl", "looks": 2, "any_time": True}, "exclude each other"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        mc.gate(PREDS, "base", "same", "accuracy:+0", **options)
