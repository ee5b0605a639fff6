"""`keep` and its report: levels, words, exit codes, and no estimate in an answer."""

import json
import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm

import modelcompare as mc
from modelcompare.plugins.ledgers.chosen import of_chosen
from modelcompare.plugins.ledgers.history import History
from tests import candidates as sets
from tests.plugged import needs
from tests.report.written import as_json

RULE = "accuracy:+0"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.jsonl"


def keep(path, baseline, candidate, rules=RULE, **options):
    return mc.keep(sets.of(), baseline, candidate, rules, ledger=path, **options)


def test_words_and_levels_depend_on_what_was_kept(path):
    """Level 6 / (pi s)^2 6 / (pi (k + 1))^2 of alpha, for s since the last of k kept ones."""
    found = [keep(path, *two) for two in (
        ("old", "close"), ("old", "bad"), ("old", "good"), ("good", "bad"), ("good", "old"),
        ("good", "best"),
    )]  # fmt: skip
    assert [each.word for each in found] == [
        "undecided", "discard", "keep", "discard", "discard", "keep",
    ]  # fmt: skip
    since_and_kept = [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1)]
    for each, (since, kept) in zip(found, since_and_kept, strict=True):
        level = 0.05 * 6 / (math.pi * since) ** 2 * 6 / (math.pi * (kept + 1)) ** 2
        assert each.level == pytest.approx(level, rel=1e-12)
    assert [each.kept for each in found] == [0, 0, 1, 1, 1, 2]
    assert [each.number for each in found] == [1, 2, 3, 4, 5, 6]
    assert [each.passed for each in found] == [False, False, True, False, False, True]


def test_answers_are_those_of_a_gate_at_the_level_of_the_candidate(path):
    for baseline, candidate in (("old", "close"), ("old", "good"), ("good", "best")):
        found = keep(path, baseline, candidate)
        gate = mc.gate(sets.of(), baseline, candidate, [RULE], alpha=found.level)
        entry = History.read(path).entries[-1]
        assert entry["answer"] == gate.answer
        decision = gate.decisions[0]
        assert entry["found"][0]["gain"] == decision.gain
        assert entry["found"][0]["ci_low"] == decision.ci_low
        assert entry["level"] == decision.alpha


def test_what_is_kept_is_significant_by_mcnemars_exact_test(path):
    # One-sided, of disagreements, by scipy; the gate adds a sample that was not seen, and is wider.
    found, columns = keep(path, "old", "good"), sets.columns()
    old, good = (columns[name] == columns["y_true"] for name in ("old", "good"))
    wins, losses = (good & ~old).sum(), (old & ~good).sum()
    p = binomtest(int(wins), int(wins + losses), alternative="greater").pvalue
    recorded = History.read(path).entries[0]["found"][0]["p_value"]
    assert p < recorded < 10 * p
    assert recorded < found.level
    assert found.word == "keep"


def test_the_share_of_false_ones_has_levels_of_lond(path):
    share = mc.Ledger(path, control="share")
    found = [keep(share, *two, alpha=0.1) for two in (("old", "close"), ("old", "good"),
                                                    ("good", "bad"))]  # fmt: skip
    harmonic = [1, 1 + 1 / 2, 1 + 1 / 2 + 1 / 3]
    for n, (each, kept) in enumerate(zip(found, (0, 0, 1), strict=True), start=1):
        level = 0.1 * 6 / (math.pi * n) ** 2 * (kept + 1) / harmonic[n - 1]
        assert each.level == pytest.approx(level, rel=1e-12)


def test_an_answer_has_no_estimate_in_it(tmp_path):
    """Two test sets whose answers are equal have equal texts, but for the heads."""
    texts, documents = [], []
    for number, first in enumerate((0, 1)):
        found = {name: values[first * 300 : first * 300 + 300]
                 for name, values in sets.columns(600).items()}  # fmt: skip
        preds = mc.Predictions(found.pop("y_true"), found)
        for baseline, candidate in (("old", "bad"), ("old", "good"), ("good", "close")):
            answer = mc.keep(preds, baseline, candidate, RULE, ledger=tmp_path / f"{number}.jsonl")
            texts.append(answer.sentence())
            document = json.loads(as_json(answer))
            assert document.pop("head") == answer.head
            documents.append(json.dumps(document).replace(answer.head, "HEAD"))
            text = answer.to_markdown().replace(answer.head, "HEAD")
            documents.append(text)
    assert texts[:3] == texts[3:]
    assert documents[:6] == documents[6:]
    # The gains do differ.
    gains = [[entry["found"][0]["gain"] for entry in History.read(each).entries]
             for each in sorted(tmp_path.glob("*.jsonl"))]  # fmt: skip
    assert all(a != b for a, b in zip(*gains, strict=True))


@needs("runs")
def test_a_candidate_of_one_training_is_kept_with_a_note_on_seeds(path, tmp_path):
    assert keep(path, "old", "good").reason.endswith("several runs (--read run=COLUMN).")
    found = sets.columns(600)
    runs = {"runs": np.arange(600) % 2, "ids": np.arange(600) // 2}
    preds = mc.Predictions(found.pop("y_true"), found, **runs)
    kept = mc.keep(preds, "old", "best", RULE, ledger=tmp_path / "r.jsonl", generalize_to="items")
    assert kept.reason == "best is better than old in accuracy."


def test_any_time_is_refused(path):
    with pytest.raises(
        ValueError, match="method='any-time' is for samples that are added, `keep` for"
    ):
        keep(path, "old", "good", method="any-time")
    assert not path.exists()


@pytest.mark.parametrize("metric", ["log_loss", "brier_score"])
def test_of_losses_a_lower_one_is_kept(tmp_path, metric):
    truth, rng = sets.columns()["y_true"], np.random.default_rng(0)

    def sure(share):
        p = np.clip(np.where(truth == 1, share, 1 - share) + rng.normal(0, 0.05, len(truth)), 0, 1)
        p = np.clip(p, 0.01, 0.99)
        return np.column_stack([1 - p, p])

    preds = mc.Predictions(truth, {"old": sure(0.6), "sharp": sure(0.8)}, labels=[0, 1])
    up = mc.keep(preds, "old", "sharp", f"{metric}:+0", ledger=tmp_path / "a.jsonl")
    down = mc.keep(preds, "sharp", "old", f"{metric}:+0", ledger=tmp_path / "b.jsonl")
    assert (up.word, down.word) == ("keep", "discard")
    report = mc.diagnostics.keep_report(tmp_path / "a.jsonl")
    assert report.measured > 0
    chances = [preds.probabilities(name)[np.arange(sets.N), truth] for name in ("old", "sharp")]
    loss = {"log_loss": lambda p: -np.log(p), "brier_score": lambda p: (1 - p) ** 2}[metric]
    old, new = (loss(p).mean() for p in chances)
    assert report.measured == pytest.approx(old - new)


# -- report and budget --------------------------------------------------------------------------


def searched(path):
    """Ask until two are kept, the first of them narrowly."""
    keep(path, "old", "bad")
    narrow = sets.of()
    mc.keep(narrow, "old", "good", RULE, ledger=path)
    keep(path, "good", "close")
    keep(path, "good", "best")
    return History.read(path).entries


def test_the_report_sums_gains_as_measured_and_corrected(path):
    entries = searched(path)
    report = mc.diagnostics.keep_report(path)
    kept = [entry for entry in entries if entry["answer"] == "shown"]
    assert (report.n_asked, report.n_kept) == (4, 2)
    assert report.measured == pytest.approx(sum(each["found"][0]["gain"] for each in kept))
    corrected = []
    for each in kept:
        # The bar is the least gain with this error that passes.
        first, z = each["found"][0], norm.isf(each["level"])
        reach = first["gain"] - first["ci_low"]
        corrected.append(of_chosen(first["gain"], reach / z, reach))
    assert report.corrected == pytest.approx(sum(max(each[0], 0) for each in corrected))
    assert report.luck == pytest.approx(report.measured - report.corrected)
    rows = report.history.set_index("number")
    assert rows.loc[[2, 4], ["ci_low", "ci_high"]].to_numpy() == pytest.approx(
        np.array([each[1:] for each in corrected])
    )
    assert rows.loc[[1, 3], "corrected"].isna().all()
    assert list(report.history["gain"]) == [each["found"][0]["gain"] for each in entries]


@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_what_is_kept_narrowly_is_corrected_downwards(tmp_path, margin):
    """Candidates with the least number of right answers that is kept."""
    truth = np.zeros(400, int)
    old = np.where(np.arange(400) < 120, 1, 0)
    for right in range(280, 401):
        path = tmp_path / f"{margin}-{right}.jsonl"
        new = np.where(np.arange(400) < 400 - right, 1, 0)
        preds = mc.Predictions(truth, {"old": old, "new": new}, labels=[0, 1])
        if mc.keep(preds, "old", "new", f"accuracy:+{margin}", ledger=path).word == "keep":
            break
    report = mc.diagnostics.keep_report(path)
    assert margin <= report.corrected < report.measured
    assert report.luck > 0.2 * (report.measured - margin)


def test_a_report_is_of_a_ledger_with_candidates(path, tmp_path):
    with pytest.raises(ValueError, match="nothing was asked yet in the `ledger`"):
        mc.diagnostics.keep_report(path)
    mc.gate(sets.of(), "old", "close", [RULE], ledger=mc.Ledger(path, looks=3))
    with pytest.raises(ValueError, match="is a ledger of looks; `keep_report` is of candidates"):
        mc.diagnostics.keep_report(path, margin=0.1)
    other = tmp_path / "other.jsonl"
    keep(other, "old", "close")
    assert mc.diagnostics.keep_report(other, margin=0.1).n_kept == 0


def test_the_budget_is_that_of_a_loop_over_further_candidates(path):
    """Power of the next candidates at their levels, with normal errors, until it is too low."""
    entries, margin, power = searched(path), 0.16, 0.8
    found = mc.diagnostics.budget(path, margin=margin, power=power)
    errors = [(each["found"][0]["gain"] - each["found"][0]["ci_low"]) / norm.isf(each["level"])
              for each in entries]  # fmt: skip
    error, powers = float(np.median(errors)), []
    for since in range(1, 2000):
        level = 0.05 * (6 / math.pi**2) ** 2 / (since * 3) ** 2
        powers.append(norm.cdf(margin / error - norm.isf(level)))
    assert found.left == sum(each >= power for each in powers)
    assert 0 < found.left < 1999
    rows = found.ahead.set_index("further")
    assert rows.loc[5, "power"] == pytest.approx(powers[4])
    assert rows.loc[5, "level"] == pytest.approx(0.05 * (6 / math.pi**2) ** 2 / 15**2)
    detectable = (norm.isf(rows.loc[5, "level"]) + norm.ppf(power)) * error
    assert rows.loc[5, "detectable"] == pytest.approx(detectable)
    # Fresh samples on which four candidates have the power again.
    last = norm.isf(0.05 * (6 / math.pi**2) ** 2 / 16)
    assert found.n_fresh == math.ceil(300 * ((last + norm.ppf(power)) * error / margin) ** 2)


def test_the_budget_needs_an_interval(path):
    found = sets.columns()
    never = {"old": np.zeros(sets.N, int), "new": np.zeros(sets.N, int)}
    never["new"][:3] = 1
    preds = mc.Predictions(found["y_true"], never, labels=[0, 1])
    with pytest.warns(mc.metrics.UndefinedMetricWarning):
        asked = mc.keep(preds, "old", "new", "precision[1]:+0", ledger=path)
    assert asked.word == "undecided"
    with pytest.raises(ValueError, match=r"has no interval in .*; begin another ledger"):
        mc.diagnostics.keep_report(path, margin=0.1)


# -- the command line ---------------------------------------------------------------------------


def arguments(baseline, candidate, *more):
    return ("keep", "preds.csv", "--ledger", "l.jsonl", "--baseline", baseline, "--candidate",
            candidate, "--metric", "accuracy", *more)  # fmt: skip


@pytest.fixture
def ask(run, tmp_path):
    """Run `keep` in a folder with a table of predictions."""
    sets.written(tmp_path / "preds.csv")
    return lambda *two, **_: run(*arguments(*two))


def test_exit_codes_give_the_word(ask):
    close, bad, good = ask("old", "close"), ask("old", "bad"), ask("old", "good")
    assert [each.code for each in (close, bad, good)] == [1, 1, 0]
    words = [each.out.split(":")[0] for each in (close, bad, good)]
    assert words == ["undecided", "discard", "keep"]
    undecided = ask("good", "best", "--inconclusive-exit", "3")
    assert undecided.code in (0, 3)
    again = ask("old", "close", "--inconclusive-exit", "3")
    assert (again.code, again.out) == (
        3, "undecided: it is not shown that close is better than old in accuracy. It was asked "
        "before, as candidate 1.\n",
    )  # fmt: skip
    # A discard has the code 1 still.
    assert ask("old", "bad", "--inconclusive-exit", "3").code == 1


def test_the_head_is_printed_and_may_be_given_back(ask, tmp_path):
    first = ask("old", "close")
    head = History.read(tmp_path / "l.jsonl").head
    assert first.err == f"modelcompare: Candidate 1, 0 kept; ledger head {head}.\n"
    assert ask("old", "bad", "--expect-head", head).code == 1
    refused = ask("old", "good", "--expect-head", head)
    assert refused.code == 2
    assert "--expect-head" in refused.err
    assert len(History.read(tmp_path / "l.jsonl").entries) == 2


def test_gate_with_a_ledger_and_no_looks_is_keep(run, ask, tmp_path):
    ask("old", "close")
    done = run("gate", "preds.csv", "--ledger", "l.jsonl", "--baseline", "old", "--candidate",
               "good", "--metric", "accuracy", "--superior")  # fmt: skip
    assert done.code == 0
    assert done.out.startswith("keep: good is better than old in accuracy.")
    head = History.read(tmp_path / "l.jsonl").head
    assert done.err == f"modelcompare: Candidate 2, 1 kept; ledger head {head}.\n"


def test_a_file_in_another_order_is_the_same_question(ask, tmp_path):
    first = ask("old", "close")
    order = np.random.default_rng(0).permutation(sets.N)
    sets.written(tmp_path / "preds.csv", order=order)
    again = ask("old", "close")
    assert (again.code, first.out.strip() in again.out) == (1, True)
    sets.written(tmp_path / "preds.csv", sets.N - 1)
    refused = ask("old", "good")
    assert refused.code == 2
    assert "the test set is not that of l.jsonl" in refused.err


def test_json_and_the_report(run, ask, tmp_path):
    document = json.loads(ask("old", "good", "--format", "json").out)
    assert document["schema"].startswith("modelcompare/keep/")
    assert (document["word"], document["number"], document["passed"]) == ("keep", 1, True)
    assert document["head"] == History.read(tmp_path / "l.jsonl").head
    report = run("keep", "--report", "--ledger", "l.jsonl")
    assert report.code == 0
    assert report.out.startswith("1 of 1 candidates were kept. Their gains in accuracy sum to +0.")
    drawn = run("keep", "--report", "--ledger", "l.jsonl", "--plot", "history.svg")
    assert drawn.code == 0
    assert (tmp_path / "history.svg").stat().st_size > 1000
    size = run("sample-size", "--ledger", "l.jsonl", "--margin", "0.2")
    assert size.code == 0
    assert "These 300 samples can bear about" in size.out.replace("\n", " ")


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (("--report", "preds.csv"), "FILE has no effect with --report; leave it out."),
        (("--report", "-m", "f1"), "--metric has no effect with --report; leave it out."),
        (("--report", "--control", "share"), "--control has no effect with --report"),
        (("preds.csv", "--baseline", "old"), "--baseline MODEL and --candidate MODEL; or --report"),
        (("preds.csv", "--baseline", "old", "--candidate", "good", "--plot", "a.svg"),
         "--plot draws the history; add --report"),
        (("preds.csv", "--baseline", "old", "--candidate", "good", "--rule", "accuracy:+0", "-m",
          "f1"), "--rule gives metric, class, margin and type of decision, as in f1:-0.01"),
        (("preds.csv", "--baseline", "old", "--candidate", "good", "--read", "scan"),
         "--read scan"),
        (("preds.csv", "--baseline", "old", "--candidate", "god"), "no model 'god'"),
        (("preds.csv", "--baseline", "old", "--candidate", "good", "--inconclusive-exit", "2"),
         "--inconclusive-exit must be from 0 to 255"),
        (("--report",), "nothing was asked yet in the `ledger`"),
    ],
)  # fmt: skip
def test_bad_input_of_keep(run, ask, tmp_path, given, part):
    del ask
    done = run("keep", "--ledger", "l.jsonl", *given)
    assert done.code == 2
    assert part in done.err
    assert not (tmp_path / "l.jsonl").exists()
