"""Questions that are those of a ledger, and others, which it refuses."""

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.plugins.ledgers.history import History
from tests import candidates as sets
from tests.plugged import needs

RULE = "accuracy:+0"


def begun(tmp_path, **options):
    """Begin a ledger by asking about one candidate."""
    path = tmp_path / "ledger.jsonl"
    mc.keep(sets.of(**options), "old", "close", RULE, ledger=path)
    return path


def changed_truth():
    found = sets.columns()
    found["y_true"][7] = 1 - found["y_true"][7]
    return mc.Predictions(found.pop("y_true"), found)


def in_order(rows, ids=None):
    found = {name: values[rows] for name, values in sets.columns().items()}
    names = {} if ids is None else {"ids": np.array(ids)[rows]}
    return mc.Predictions(found.pop("y_true"), found, **names)


IDS = [f"x{i:04d}" for i in range(sets.N)]
OTHER_ORDER = np.random.default_rng(1).permutation(sets.N)


@pytest.mark.parametrize(
    "other",
    [
        changed_truth,
        lambda: sets.of(sets.N - 1),
        lambda: sets.of(sets.N + 1),
        lambda: sets.of(ids=True),
        lambda: sets.of(sample_weight=np.arange(sets.N) % 3 + 1.0),
        lambda: sets.of(groups=np.arange(sets.N) // 2),
        lambda: sets.of(strata=np.arange(sets.N) // 100),
        lambda: sets.of(labels=[0, 1, 2]),
        lambda: in_order(OTHER_ORDER),
    ],
)
def test_another_test_set_is_refused(tmp_path, other):
    path = begun(tmp_path)
    kept = path.read_bytes()
    with pytest.raises(ValueError, match=r"the test set is not that of .*begin another ledger"):
        mc.keep(other(), "old", "bad", RULE, ledger=path)
    assert path.read_bytes() == kept
    assert mc.keep(sets.of(), "old", "bad", RULE, ledger=path).number == 2


def test_with_ids_the_order_of_a_file_does_not_matter(tmp_path):
    path = begun(tmp_path, ids=True)
    shuffled = in_order(OTHER_ORDER, IDS)
    again = mc.keep(shuffled, "old", "close", RULE, ledger=path)
    assert (again.number, again.repeated) == (1, True)
    assert mc.keep(shuffled, "old", "good", RULE, ledger=path).number == 2
    swapped = [IDS[1], IDS[0], *IDS[2:]]
    with pytest.raises(ValueError, match="the test set is not that of"):
        mc.keep(sets.of(ids=False), "old", "bad", RULE, ledger=path)
    with pytest.raises(ValueError, match="the test set is not that of"):
        mc.keep(in_order(np.arange(sets.N), [f"y{i}" for i in swapped]), "old", "bad", RULE,
                ledger=path)  # fmt: skip


def soft(share):
    truth, names = sets.columns()["y_true"], ["old", "close", "bad"]
    certain = np.where(truth == 1, share, 1 - share)
    outputs = {name: sets.columns()[name] for name in names}
    return mc.Predictions(np.column_stack([1 - certain, certain]), outputs, labels=[0, 1])


def test_soft_labels_that_change_without_another_class_are_another_test_set(tmp_path):
    path = tmp_path / "ledger.jsonl"
    mc.keep(soft(0.9), "old", "close", RULE, ledger=path)
    with pytest.raises(ValueError, match="the test set is not that of"):
        mc.keep(soft(0.8), "old", "bad", RULE, ledger=path)
    assert mc.keep(soft(0.9), "old", "bad", RULE, ledger=path).number == 2


def test_scores_of_another_direction_are_another_test_set(tmp_path):
    path, rng = tmp_path / "ledger.jsonl", np.random.default_rng(0)
    scores = {"old": rng.random(100), "new": rng.random(100) + 0.3}
    found = [mc.Predictions.from_scores(scores, greater_is_better=up) for up in (True, False)]
    assert mc.keep(found[0], "old", "new", "mean_score:+0", ledger=path).word == "keep"
    with pytest.raises(ValueError, match="the test set is not that of"):
        mc.keep(found[1], "old", "new", "mean_score:+0", ledger=path)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"rules": "accuracy:+0.01"}, r"rules .*: accuracy:\+0 when .*, accuracy:\+0\.01 now"),
        ({"rules": "f1_macro:+0"}, r"rules .*: accuracy:\+0 when it was begun, f1_macro:\+0 now"),
        ({"rules": [RULE, "f1_macro:-0.1"]}, "rules"),
        ({"alpha": 0.1}, r"level \(--alpha\) .*: 0\.05 when it was begun, 0\.1 now"),
        ({"control": "share"}, r"control of errors \(--control\)"),
        ({"candidates": 9}, r"planned number \(--candidates\)"),
        ({"method": "BCa"}, "options"),
        ({"n_resamples": 500}, "options"),
    ],
)
def test_another_plan_is_refused(tmp_path, change, part):
    path = begun(tmp_path)
    kept = path.read_bytes()
    plan = {name: change.pop(name) for name in ("control", "candidates") if name in change}
    given = {"rules": RULE, **change}
    with pytest.raises(ValueError, match=f"the {part}"):
        mc.keep(sets.of(), "old", "bad", ledger=mc.Ledger(path, **plan), **given)
    assert path.read_bytes() == kept


def test_the_same_rule_in_other_words_and_defaults_that_are_given_are_the_same_plan(tmp_path):
    path = begun(tmp_path)
    rule = {"metric": "accuracy", "kind": "superior", "margin": 0.0}
    found = mc.keep(sets.of(), "old", "bad", [rule], ledger=path, alpha=0.05, n_resamples=9999)
    assert found.number == 2


def test_numbers_of_numpy_are_those_of_python(tmp_path):
    path, level = tmp_path / "ledger.jsonl", {"alpha": np.float32(0.0625)}
    rule = {"metric": "accuracy", "kind": "superior", "margin": np.float32(0.125)}
    kept = mc.keep(
        sets.of(), "old", "best", rule, ledger=mc.Ledger(path, candidates=np.int64(9)), **level
    )
    assert kept.level == pytest.approx(0.0625 * 6 / np.pi**2 / 9)
    asked = {"alpha": 0.0625, "ledger": mc.Ledger(path, candidates=9)}
    assert mc.keep(sets.of(), "best", "bad", "accuracy:+0.125", **asked).number == 2
    assert mc.diagnostics.keep_report(path).corrected >= 0.125


def success(y_true, y_pred):
    return float(np.mean(y_true == y_pred))


def test_a_function_as_metric_is_known_by_its_name(tmp_path):
    path, rule = tmp_path / "ledger.jsonl", {"metric": success, "kind": "superior"}
    mc.keep(sets.of(60), "old", "close", [rule], ledger=path, n_resamples=99)
    assert History.read(path).plan["rules"][0]["metric"] == "success"
    other = {**rule, "metric": lambda y_true, y_pred: success(y_true, y_pred)}
    with pytest.raises(ValueError, match="rules of"):
        mc.keep(sets.of(60), "old", "bad", [other], ledger=path, n_resamples=99)


def test_the_baseline_is_the_model_that_was_kept_last(tmp_path):
    path = begun(tmp_path)
    with pytest.raises(ValueError, match="is 'old', as in the first question; 'bad' has other"):
        mc.keep(sets.of(), "bad", "good", RULE, ledger=path)
    assert mc.keep(sets.of(), "old", "good", RULE, ledger=path).word == "keep"
    with pytest.raises(ValueError, match="is 'good', kept as candidate 2; 'old' has other"):
        mc.keep(sets.of(), "old", "best", RULE, ledger=path)
    # A baseline is known by its outputs; its name may change.
    found = sets.columns()
    named = mc.Predictions(found["y_true"], {"v2": found["good"], "best": found["best"]})
    assert mc.keep(named, "v2", "best", RULE, ledger=path).number == 3


def test_the_same_candidate_asked_about_again_spends_nothing(tmp_path):
    path = begun(tmp_path)
    kept, first = path.read_bytes(), History.read(path).entries[0]
    again = mc.keep(sets.of(), "old", "close", RULE, ledger=path)
    assert path.read_bytes() == kept
    assert (again.number, again.level, again.repeated) == (1, first["level"], True)
    assert again.reason == f"{first['reason']} It was asked before, as candidate 1."
    # Under another name it is the same candidate.
    found = sets.columns()
    named = mc.Predictions(found["y_true"], {"old": found["old"], "again": found["close"]})
    assert mc.keep(named, "old", "again", RULE, ledger=path).repeated


@needs("suites")
def test_several_test_sets_are_one_question(tmp_path):
    path, rule = tmp_path / "ledger.jsonl", ["mean(accuracy):+0", "each(accuracy):-0.2"]
    two = {"a": sets.of(), "b": sets.of(200)}
    first = mc.keep(two, "old", "good", rule, ledger=path)
    assert (first.word, first.number) == ("keep", 1)
    assert History.read(path).entries[0]["sizes"] == {"a": 300, "b": 200}
    for other in ({"a": sets.of(), "b": sets.of(199)}, {"a": sets.of(), "c": sets.of(200)}):
        with pytest.raises(ValueError, match="the test set is not that of"):
            mc.keep(other, "good", "best", rule, ledger=path)
    assert mc.keep(two, "good", "bad", rule, ledger=path).word == "discard"


@needs("suites")
def test_the_reason_names_a_test_set_on_which_the_rule_holds(tmp_path):
    found, other = sets.columns(), sets.columns()
    # The candidate is worse on a, and better on b.
    a = mc.Predictions(found["y_true"], {"old": found["good"], "new": found["old"]})
    b = mc.Predictions(other["y_true"], {"old": other["old"], "new": other["good"]})
    kept = mc.keep(
        {"a": a, "b": b}, "old", "new", ["any(accuracy):+0"], ledger=tmp_path / "any.jsonl"
    )
    assert kept.word == "keep"
    assert kept.reason.startswith("new is better than old in accuracy (b).")
    refused = mc.keep(
        {"a": a, "b": b}, "old", "new", ["mean(accuracy):-0.5", "each(accuracy):-0.01"],
        ledger=tmp_path / "each.jsonl",
    )  # fmt: skip
    assert refused.word == "discard"
    assert refused.reason == "new is inferior to old (margin 0.01) in accuracy (a)."


@needs("large", "judges")
def test_looks_beside_a_judge_and_scanned_sets_are_refused_with_what_to_do(tmp_path):
    found = sets.columns()
    truth = np.where(np.arange(sets.N) < 100, found["y_true"], np.nan)
    models = {name: found[name] for name in ("old", "good")}
    judged = mc.Predictions(truth, models, judge=found["best"])
    scanned = mc.io.scan_predictions(_parquet(tmp_path, models | {"y_true": found["y_true"]}))
    path = tmp_path / "ledger.jsonl"
    asks = (
        lambda preds: mc.gate(preds, "old", "good", [RULE], ledger=mc.Ledger(path, looks=3)),
        lambda preds: mc.keep(preds, "old", "good", RULE, ledger=path),
    )
    with pytest.raises(ValueError, match=r"has a judge, .* take predictions\.access\.labelled"):
        asks[0](judged)
    for question in asks:
        with pytest.raises(ValueError, match=r"into memory with \.load\(\)"):
            question(scanned)
    assert not path.exists()
    assert mc.keep(judged.access.labelled, "old", "good", RULE, ledger=path).number == 1


def _parquet(folder, columns):
    parquet = pytest.importorskip("pyarrow.parquet")
    arrow = pytest.importorskip("pyarrow")
    parquet.write_table(arrow.table(columns), folder / "preds.parquet")
    return folder / "preds.parquet"
