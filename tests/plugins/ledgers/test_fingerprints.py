"""What a ledger knows a test set by, and what it names if that is another."""

import json

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.plugins.ledgers import budget as budgets
from modelcompare.plugins.ledgers import fingerprints
from modelcompare.plugins.ledgers import history as histories
from modelcompare.plugins.ledgers.history import History
from modelcompare.plugins.ledgers.levels import level_of_look
from tests import candidates as sets
from tests.plugged import needs

RULE = "accuracy:+0"
OVER_SETS = ["mean(accuracy):+0"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.jsonl"


def as_before_parts(path):
    """Write a ledger as it was before it had parts of fingerprints."""
    lines, previous = [], ""
    for text in path.read_text(encoding="utf-8").splitlines():
        line = {name: each for name, each in json.loads(text).items() if name != "parts"}
        line["previous"] = previous
        line["hash"] = previous = histories._hash_of(line)
        lines.append(histories._text(line))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


# -- several test sets --------------------------------------------------------------------------


@needs("suites")
@pytest.mark.parametrize("old", [False, True])
def test_test_sets_in_another_order_are_the_same(path, old):
    def ask(names, candidate):
        found = {name: {"b": sets.of(), "c": sets.of(200), "a": sets.of(100)}[name]
                 for name in names}  # fmt: skip
        return mc.keep(found, "old", candidate, OVER_SETS, ledger=path)

    ask("bca", "close")
    if old:
        as_before_parts(path)
    kept = path.read_bytes()
    assert ask("abc", "close").repeated
    assert path.read_bytes() == kept
    assert ask("cab", "bad").number == 2
    assert ask("bca", "bad").repeated


@needs("suites")
def test_test_sets_of_looks_in_another_order_are_the_same(path):
    def ask(names, n):
        found = {name: sets.of(n + 10 * (name == "b")) for name in names}
        return mc.gate(found, "old", "close", ["mean(f1_macro):+0"], ledger=mc.Ledger(path, looks=4),
                       method="BCa", n_resamples=99)  # fmt: skip

    first, again = ask("ba", 100), ask("ab", 100)
    assert (again.ledger, again.decisions) == (first.ledger, first.decisions)
    assert ask("ab", 200).ledger.startswith("Look 2 of 4")
    with pytest.raises(ValueError, match=r"changed: number of samples of 'b' \(210 then, 160 now"):
        ask("ab", 150)
    with pytest.raises(ValueError, match=r"changed: test sets \('b', 'a' then, .*'c' now\)"):
        ask("abc", 300)


# -- what has changed ---------------------------------------------------------------------------


def scored(**options):
    columns = sets.columns(100)
    scores = {name: columns[name] / 2 for name in ("old", "close", "bad")}
    return mc.Predictions.from_scores(scores, **{"greater_is_better": True, **options})


ITEMS = np.arange(sets.N)


@pytest.mark.parametrize(
    ("first", "other", "part"),
    [
        (sets.of, lambda: sets.of(groups=ITEMS // 2), r"clusters \(--groups\)"),
        (sets.of, lambda: sets.of(strata=ITEMS // 100), r"strata \(--read strata\)"),
        (
            sets.of,
            lambda: sets.of(sample_weight=ITEMS % 3 + 1.0),
            r"weights \(--read weight\)",
        ),
        (sets.of, lambda: sets.of(labels=[0, 1, 2]), "classes"),
        (sets.of, lambda: sets.of(ids=True), "ids"),
        (sets.of, lambda: sets.of(250), r"number of samples \(300 then, 250 now\)"),
        (scored, lambda: scored(greater_is_better=False), r"direction or range of scores .*range\)"),
        (scored, lambda: scored(bounds=(0, 1)), r"direction or range of scores .*range\)"),
        (
            sets.of,
            lambda: sets.of(groups=ITEMS // 2, strata=ITEMS // 100),
            r"clusters \(--groups\), strata \(--read strata\)",
        ),
    ],
)  # fmt: skip
def test_a_refusal_names_what_has_changed_and_nothing_else(path, first, other, part):
    rule = "mean_score:-0.9" if first is scored else RULE
    mc.keep(first(), "old", "close", rule, ledger=path)
    with pytest.raises(ValueError, match=rf"is not that of .*; changed: {part}\. Ask with"):
        mc.keep(other(), "old", "bad", rule, ledger=path)
    as_before_parts(path)
    of_all = r"any of samples, ids, true labels or values, .*clusters \(--groups\), strata .*scores"
    with pytest.raises(ValueError, match=part if "number" in part else of_all):
        mc.keep(other(), "old", "bad", rule, ledger=path)


def test_looks_name_what_has_changed(path):
    def ask(n, **options):
        return mc.gate(
            sets.of(n, **options), "old", "close", [RULE], ledger=mc.Ledger(path, looks=3)
        )

    ask(100)
    with pytest.raises(ValueError, match=r"\) have changed: weights \(--read weight\); looks are"):
        ask(200, sample_weight=np.ones(200) * 2)
    as_before_parts(path)
    with pytest.raises(ValueError, match=r"have changed: any of samples, ids, .*weights"):
        ask(200, sample_weight=np.ones(200) * 2)
    assert ask(200).ledger.startswith("Look 2")


def test_a_baseline_with_other_outputs_is_not_told_to_name_itself(path):
    found = sets.columns()
    mc.keep(sets.of(), "old", "close", RULE, ledger=path)
    trained = mc.Predictions(found["y_true"], {"old": found["good"], "bad": found["bad"]})
    with pytest.raises(ValueError, match="the outputs of the baseline 'old' are not those in"):
        mc.keep(trained, "old", "bad", RULE, ledger=path)


# -- blocks in time -----------------------------------------------------------------------------


def series(n=240):
    """Return forecasts; the errors of the slow model are similar from day to day."""
    rng = np.random.default_rng(3)
    truth, found = rng.normal(size=400), {}
    for model, like in (("old", 0.0), ("steady", 0.0), ("slow", 0.95)):
        errors = rng.normal(size=400)
        for day in range(1, 400):
            errors[day] += like * errors[day - 1]
        found[model] = truth + errors
    return mc.Predictions(truth[:n], {m: out[:n] for m, out in found.items()}, kind="values")


def in_blocks(candidate, n=240, days=None):
    return mc.io.in_time_blocks(
        series(n)[["old", candidate]], np.arange(n) if days is None else days
    )


@needs("time")
def test_looks_at_blocks_in_time_are_refused_before_any_is_spent(path):
    preds = in_blocks("steady")
    for looks in (3, "any"):
        for each in (preds, preds.subset(range(100))):
            with pytest.raises(ValueError, match=r"blocks in time \(--time, .*as `groups`.*once"):
                mc.gate(each, "old", "steady", ["mae:+0"], ledger=mc.Ledger(path, looks=looks))
    assert not path.exists()
    assert mc.gate(preds, "old", "steady", ["mae:+0"]).decisions
    # Clusters that were given since stay.
    weeks = preds.with_columns(groups=np.arange(240) // 7)
    for n in (105, 210):
        mc.gate(
            weeks.subset(range(n)), "old", "steady", ["mae:+0"], ledger=mc.Ledger(path, looks=3)
        )
    assert len(History.read(path).entries) == 2


@needs("time")
def test_candidates_in_blocks_of_their_own_are_asked_about_on_the_same_samples(path):
    steady, slow = in_blocks("steady"), in_blocks("slow")
    assert steady.access.unit_of.max() > slow.access.unit_of.max()
    assert mc.keep(steady, "old", "steady", "mae:+0", ledger=path).number == 1
    assert mc.keep(slow, "old", "slow", "mae:+0", ledger=path).number == 2
    assert mc.keep(steady, "old", "steady", "mae:+0", ledger=path).repeated
    days = np.arange(240)
    days[[5, 200]] = days[[200, 5]]
    with pytest.raises(ValueError, match=r"changed: times \(--time\)\. Ask"):
        mc.keep(in_blocks("slow", days=days), "old", "slow", "mae:+0", ledger=path)
    with pytest.raises(ValueError, match=r"changed: times \(--time\), clusters \(--groups\)\."):
        mc.keep(series().with_columns(groups=np.arange(240) // 7), "old", "slow", "mae:+0",
                ledger=path)  # fmt: skip


@needs("time")
def test_a_ledger_that_knows_blocks_by_their_clusters_goes_on(path, monkeypatch):
    monkeypatch.setattr(fingerprints, "times_of_blocks", lambda _: None)
    mc.keep(in_blocks("steady"), "old", "steady", "mae:+0", ledger=path)
    as_before_parts(path)
    monkeypatch.undo()
    assert mc.keep(in_blocks("steady"), "old", "steady", "mae:+0", ledger=path).repeated


@needs("time")
def test_time_on_the_command_line(run, tmp_path):
    preds = series()
    table = pd.DataFrame({"day": np.arange(240), "y_true": preds.y_true})
    for model in preds.models:
        table[model] = preds.output(model).array
    table.to_csv(tmp_path / "series.csv", index=False)

    def ask(command, candidate, *more):
        return run(command, "series.csv", "--time", "day", "--baseline", "old", "--candidate",
                   candidate, "-m", "mae", "--ledger", "l.jsonl", "--inconclusive-exit", "3",
                   *more)  # fmt: skip

    refused = ask("gate", "steady", "--superior", "--looks", "3")
    assert (refused.code, "give clusters that stay" in refused.err.lower()) == (2, True)
    assert not (tmp_path / "l.jsonl").exists()
    for number, candidate in enumerate(("steady", "slow"), start=1):
        assert f"Candidate {number}" in ask("keep", candidate).err


# -- levels ahead -------------------------------------------------------------------------------


def test_levels_of_all_further_looks_are_computed_at_once(path, monkeypatch):
    for n in (100, 150):
        mc.gate(sets.of(n), "old", "close", [RULE], ledger=mc.Ledger(path, looks=60))
    asked, levels_at = [], budgets.levels_at
    monkeypatch.setattr(budgets, "levels_at", lambda *args: asked.append(1) or levels_at(*args))
    found = mc.diagnostics.budget(path, margin=0.1)
    assert len(asked) == 1
    assert found.ahead["further"].tolist() == [1, 2, 5, 10, 20, 50]
    for further, level in zip(found.ahead["further"], found.ahead["level"], strict=True):
        sizes = [100, 150, *(150 + 75 * k for k in range(1, further + 1))]
        assert level == level_of_look(sizes, 60, 0.05)


def test_equal_outputs_with_other_scores_beside_them_are_another_candidate(path):
    noise = np.random.default_rng(0).normal(size=(2, 200))

    def of(latency):
        levels = dict(zip(("old", "good"), (5.0 + noise[0], latency + noise[1]), strict=True))
        beside = {model: {"ms": level} for model, level in levels.items()}
        return sets.of(200)[["old", "good"]].with_scores(beside, greater_is_better=False)

    rule = {"metric": "ms", "margin": 0.0, "kind": "superior"}
    slow = mc.keep(of(9.0), "old", "good", rule, ledger=path)
    fast = mc.keep(of(2.0), "old", "good", rule, ledger=path)
    assert slow.word != "keep"
    assert fast.word == "keep"
    assert (fast.number, fast.repeated) == (2, False)
    assert mc.keep(of(2.0), "old", "good", rule, ledger=path).repeated
