"""Looks of a gate: levels, and what may be added between them."""

import math

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.plugins.ledgers.history import History
from modelcompare.plugins.ledgers.levels import level_of_look
from tests import candidates as sets
from tests.plugged import needs

RULE = "accuracy:+0"
SIZES = (100, 200, 300)
PLAN = ("looks", "spending")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.jsonl"


def look(path, n, candidate="close", rules=(RULE,), **options):
    plan = {"looks": 3, **{name: options.pop(name) for name in PLAN if name in options}}
    ledger = mc.Ledger(path, **plan)
    return mc.gate(sets.of(n), "old", candidate, rules, ledger=ledger, **options)


@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
def test_levels_of_looks_are_spent_by_their_share(path, spending):
    found = [look(path, n, spending=spending) for n in SIZES]
    for k, each in enumerate(found, start=1):
        level = level_of_look(SIZES[:k], 3, 0.05, spending)
        assert each.alpha == each.decisions[0].alpha == level
        alone = mc.gate(sets.of(SIZES[k - 1]), "old", "close", [RULE], alpha=level)
        assert alone.decisions == each.decisions
    assert found[0].alpha < found[2].alpha < 0.05 if spending == "obrien-fleming" else True
    entries = History.read(path).entries
    assert [entry["level"] for entry in entries] == [each.alpha for each in found]
    head = History.read(path).head
    assert found[2].ledger == (
        f"Look 3 of 3 (alpha 0.05 in all, {spending}); ledger head {head}."
    )  # fmt: skip


@pytest.mark.parametrize("looks", [20, 200, 1000])
def test_the_first_of_very_many_looks_has_an_answer(path, looks):
    found = look(path, 100, "best", looks=looks)
    assert found.answer == "not enough data"
    assert found.alpha == 1e-12


def test_the_same_samples_are_no_other_look(path):
    first = look(path, 100)
    kept = path.read_bytes()
    again = look(path, 100)
    assert path.read_bytes() == kept
    assert (again.decisions, again.ledger) == (first.decisions, first.ledger)
    assert look(path, 200).ledger.startswith("Look 2 of 3")


def test_looks_are_used_up(path):
    for n in SIZES:
        assert look(path, n).answer == "not enough data"
    with pytest.raises(
        ValueError, match=r"the 3 planned looks of .* are used, and alpha with them"
    ):
        look(path, 400)
    assert look(path, 300).ledger.startswith("Look 3 of 3")


@pytest.mark.parametrize(("candidate", "answer"), [("best", "shown"), ("bad", "shown otherwise")])
def test_a_decisive_look_stands(path, candidate, answer):
    assert look(path, 100, candidate, looks=2, spending="pocock").answer == answer
    with pytest.raises(ValueError, match=rf"look 1 in .* answered '{answer}', and that stands"):
        look(path, 200, candidate, looks=2, spending="pocock")
    # With the samples of that look the answer is given again.
    assert look(path, 100, candidate, looks=2, spending="pocock").answer == answer


@pytest.mark.parametrize("rule", ["f1_macro:-0.05", "f1_macro:+0"])
def test_an_early_look_at_f1_needs_samples_in_favour_of_each_model(path, rule):
    # Candidates that gain, or lose, on 30 of 300 samples and nothing else.
    truth = np.arange(600) % 2
    outputs = {"old": np.where(np.arange(600) % 10 == 0, 1 - truth, truth), "right": truth}
    preds = mc.Predictions(truth, outputs)
    for baseline, candidate in (("old", "right"), ("right", "old")):
        at_once = mc.gate(preds.subset(range(300)), baseline, candidate, [rule], alpha=0.02)
        assert at_once.answer != "not enough data"
        asked = {"ledger": mc.Ledger(path.with_name(candidate), looks=2, spending="pocock")}
        first = mc.gate(preds.subset(range(300)), baseline, candidate, [rule], **asked)
        assert (first.answer, first.decisions[0].ci_low) == ("not enough data", -math.inf)
        assert "needs 50 samples, and 10 in favour of each model" in first.sentences[0]
        again = mc.gate(preds.subset(range(300)), baseline, candidate, [rule], **asked)
        assert again.decisions == first.decisions
        last = mc.gate(preds, baseline, candidate, [rule], **asked)
        assert last.answer == at_once.answer


@needs("suites")
def test_an_early_look_at_a_mean_of_several_test_sets_needs_them_in_each(path):
    def of(n, better):
        truth = np.arange(n) % 2
        wrong = np.arange(n) % 10 == 0
        old = np.where(wrong, 1 - truth, truth)
        mixed = np.where(np.arange(n) % 10 == 1, 1 - truth, truth)
        return mc.Predictions(truth, {"old": old, "new": truth if better else mixed})

    first, second = (mc.Ledger(each, looks=2, spending="pocock")
                     for each in (path, path.with_name("2")))  # fmt: skip
    both = {"x": of(400, False), "y": of(400, False)}
    found = mc.gate(both, "old", "new", ["mean(f1_macro):-0.1"], ledger=first)
    assert found.answer == "shown"
    one = {"x": of(400, False), "y": of(400, True)}
    found = mc.gate(one, "old", "new", ["mean(f1_macro):-0.1"], ledger=second)
    assert found.answer == "not enough data"


def grown(n, **changes):
    """Return the first samples of a test set with one cell of a column changed."""
    found = sets.columns(n)
    for name in changes:
        found[name] = found[name].copy()
        found[name][changes[name]] = 1 - found[name][changes[name]]
    return mc.Predictions(found.pop("y_true"), found)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"y_true": 5}, r"the samples of the look before \(in .*\) have changed"),
        ({"close": 5}, r"outputs of the candidate 'close' are not those of the look before"),
        ({"old": 5}, r"outputs of the baseline 'old' are not those of the look before"),
    ],
)
def test_old_samples_may_not_change(path, changes, part):
    look(path, 100)
    kept = path.read_bytes()
    for n in (100, 200):
        with pytest.raises(ValueError, match=part):
            mc.gate(grown(n, **changes), "old", "close", [RULE], ledger=mc.Ledger(path, looks=3))
    assert path.read_bytes() == kept
    # New samples, and other models, may be any.
    assert mc.gate(grown(200, close=150, bad=3), "old", "close", [RULE], ledger=mc.Ledger(path, looks=3)).ledger.startswith("Look 2")  # fmt: skip


def test_samples_that_are_gone_or_in_another_order_are_refused(path):
    look(path, 200)
    with pytest.raises(ValueError, match=r"samples of the look before .* have changed"):
        look(path, 100)
    found = {name: values[::-1] for name, values in sets.columns(200).items()}
    turned = mc.Predictions(found.pop("y_true"), found)
    with pytest.raises(ValueError, match=r"samples of the look before .* have changed"):
        mc.gate(turned, "old", "close", [RULE], ledger=mc.Ledger(path, looks=3))


def test_of_scores_alone_it_is_their_number_that_shows_lost_samples(path):
    scores = {"old": np.arange(60) % 7 / 7, "close": np.arange(60) % 5 / 5}

    def ask(n):
        first = {name: values[:n] for name, values in scores.items()}
        preds = mc.Predictions.from_scores(first, bounds=(0, 1), greater_is_better=True)
        return mc.gate(preds, "old", "close", ["mean_score:+0"], ledger=mc.Ledger(path, looks=3))

    ask(50)
    with pytest.raises(ValueError, match=r"samples of the look before .* have changed"):
        ask(40)
    assert ask(60).ledger.startswith("Look 2")


@needs("suites")
@pytest.mark.parametrize("names", [("a", "c"), ("a", "b", "c")])
def test_other_test_sets_are_refused(path, names):
    rule = ["mean(accuracy):+0"]
    mc.gate(
        {"a": sets.of(100), "b": sets.of(150)},
        "old",
        "close",
        rule,
        ledger=mc.Ledger(path, looks=5),
    )
    found = {name: sets.of(200) for name in names}
    with pytest.raises(ValueError, match="have changed"):
        mc.gate(found, "old", "close", rule, ledger=mc.Ledger(path, looks=5))


def test_another_candidate_needs_another_ledger(path):
    look(path, 100)
    with pytest.raises(ValueError, match=r"looks are at one candidate\. Another one needs"):
        look(path, 200, "bad")


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"rules": ["accuracy:+0.01"]}, r"rules .*: accuracy:\+0 when"),
        ({"alpha": 0.1}, r"level \(--alpha\)"),
        ({"looks": 4}, r"number of looks \(--looks\) of .*: 3 when it was begun, 4 now"),
        ({"looks": "any"}, r"number of looks \(--looks\) of .*: 3 when it was begun, None now"),
        ({"method": "any-time"}, "options"),
        ({"spending": "pocock"}, r"spending of looks \(--spending\)"),
        ({"method": "BCa"}, "options"),
    ],
)
def test_another_plan_is_refused(path, change, part):
    look(path, 100)
    with pytest.raises(ValueError, match=f"the ({part})"):
        look(path, 200, **change)
    with pytest.raises(ValueError, match=r"is a ledger of looks, at which `gate` asks; begin"):
        mc.keep(sets.of(200), "old", "close", RULE, ledger=path)
    assert len(History.read(path).entries) == 1


def test_later_samples_may_be_of_new_classes(path):
    truth = np.array(["b", "c"])[sets.columns(200)["y_true"]]
    wrong = np.where(np.arange(200) % 3 == 0, "b", truth)
    later = [np.concatenate([side, ["a"] * 50]) for side in (truth, wrong)]
    for n, (y_true, outputs) in ((200, (truth, wrong)), (250, later)):
        preds = mc.Predictions(y_true, {"old": outputs, "new": y_true.copy()})
        outputs[-1] = "c"
        found = mc.gate(preds, "old", "new", ["accuracy:-0.001"], ledger=mc.Ledger(path, looks=50))
        assert found.decisions[0].n_samples == n
    assert found.ledger.startswith("Look 2 of 50")


@needs("suites")
def test_several_test_sets_may_grow(path):
    rule = ["mean(accuracy):+0"]
    for a, b in ((100, 150), (200, 150), (250, 300)):
        found = mc.gate(
            {"a": sets.of(a), "b": sets.of(b)},
            "old",
            "close",
            rule,
            ledger=mc.Ledger(path, looks=5),
        )
    assert found.ledger.startswith("Look 3 of 5")
    assert found.alpha == level_of_look([250, 350, 550], 5, 0.05)
    with pytest.raises(ValueError, match="have changed"):
        mc.gate(
            {"a": sets.of(300), "b": sets.of(299)},
            "old",
            "close",
            rule,
            ledger=mc.Ledger(path, looks=5),
        )


def test_a_plan_is_of_looks_or_of_candidates():
    for given, part in (
        ({"looks": 3, "candidates": 9}, r"is of `looks` \(for `gate`\), or of `candidates`"),
        ({"looks": "any", "control": "share"}, r"of `candidates` and their `control` \(for `keep`"),
        ({"spending": "pocock"}, r"`spending` \(--spending\) is of a planned number of `looks`"),
        ({"looks": "any", "spending": "pocock"}, "is of a planned number"),
        ({"looks": 0}, "`looks` must be"),
        ({"looks": 1001}, "`looks` must be"),
        ({"candidates": 0}, "`candidates` must be"),
    ):
        with pytest.raises(ValueError, match=part):
            mc.Ledger("l.jsonl", **given)


@pytest.mark.parametrize("given", [{}, {"candidates": 9}, {"control": "share"}])
def test_a_gate_does_not_begin_a_ledger_of_candidates(path, given):
    with pytest.raises(
        ValueError, match=r"is a ledger of candidates, about which `keep` asks; .*N"
    ):
        mc.gate(sets.of(), "old", "close", [RULE], ledger=mc.Ledger(path, **given))
    assert not path.exists()


def test_a_plan_follows_from_the_file(path, tmp_path):
    first = look(path, 100, spending="pocock")
    assert (mc.Ledger(path).kind, mc.Ledger(tmp_path / "new").kind) == ("looks", "candidates")
    again = mc.gate(sets.of(200), "old", "close", [RULE], ledger=path)
    assert again.ledger.startswith("Look 2 of 3 (alpha 0.05 in all, pocock)")
    assert again.alpha == level_of_look([100, 200], 3, 0.05, "pocock") != first.alpha
    search = tmp_path / "search.jsonl"
    planned = mc.Ledger(search, candidates=9, control="share")
    mc.keep(sets.of(), "old", "close", RULE, ledger=planned)
    mc.keep(sets.of(), "old", "bad", RULE, ledger=search)
    assert History.read(search).plan["n_candidates"] == 9
    assert mc.Ledger(search).kind == "candidates"


def test_numbers_of_numpy_are_those_of_python(path):
    first = look(path, 100, looks=np.int64(3), alpha=np.float32(0.0625))
    assert first.ledger.startswith("Look 1 of 3 (alpha 0.0625 in all")
    assert look(path, 200, alpha=0.0625).ledger.startswith("Look 2 of 3")


def test_a_source_of_other_random_numbers_at_each_question_is_refused(path):
    with pytest.raises(ValueError, match="`rng` of a ledger must be a whole number"):
        look(path, 100, looks=2, rng=np.random.default_rng(0))
    assert not path.exists()
    assert look(path, 100, looks=2, rng=np.int64(7)).ledger.startswith("Look 1 of 2")


# -- the command line ---------------------------------------------------------------------------


@pytest.fixture
def ask(run, tmp_path):
    """Run `gate` with looks on the first samples."""

    def _ask(n, *more, candidate="close", ledger=("--ledger", "l.jsonl")):
        sets.written(tmp_path / "preds.csv", n)
        return run("gate", "preds.csv", *ledger, "--baseline", "old", "--candidate",
                   candidate, "--metric", "accuracy", "--superior", *more)  # fmt: skip

    return _ask


def test_exit_codes_of_looks(ask, tmp_path):
    first = ask(100, "--looks", "3")
    assert first.code == 1
    assert first.out.startswith(
        "not enough data: 100 samples are not enough to decide whether close is better"
    )
    head = History.read(tmp_path / "l.jsonl").head
    assert first.err == (
        f"modelcompare: Look 1 of 3 (alpha 0.05 in all, obrien-fleming); ledger head {head}.\n"
    )
    assert ask(200, "--looks", "3", "--inconclusive-exit", "3", "--expect-head", head).code == 3
    assert ask(200, "--looks", "3", "--expect-head", head).code == 2
    changed = ask(300, "--looks", "4")
    assert (changed.code, "number of looks (--looks)" in changed.err) == (2, True)
    ask(300, "--looks", "3")
    used = ask(400, "--looks", "3", "--inconclusive-exit", "3")
    assert (used.code, "the 3 planned looks of l.jsonl are used" in used.err) == (2, True)


@pytest.mark.parametrize(("candidate", "code"), [("best", 0), ("bad", 1)])
def test_decisive_looks_have_their_codes(ask, candidate, code):
    given = ("--looks", "2", "--spending", "pocock", "--inconclusive-exit", "3")
    assert ask(200, *given, candidate=candidate).code == code
    assert ask(300, *given, candidate=candidate).code == 2


def test_how_many_looks_are_left(ask, run):
    ask(100, "--looks", "3")
    done = run("sample-size", "--ledger", "l.jsonl", "--margin", "0.1")
    idle = run("sample-size", "--ledger", "l.jsonl", "-m", "f1_macro")
    assert idle.code == 2
    assert "--metric has no effect with --ledger; leave it out." in idle.err
    assert done.code == 0
    rows = [line.split() for line in done.out.splitlines() if line.strip()[:1] in ("1", "2")]
    # Levels after equal numbers of samples.
    levels = {row[0]: float(row[1]) for row in rows if len(row) >= 4}
    assert levels == pytest.approx({
        "1": level_of_look([100, 200], 3, 0.05), "2": level_of_look([100, 200, 300], 3, 0.05),
    }, rel=1e-4)  # fmt: skip


@needs("page")
def test_a_page_says_that_no_look_is_left(ask, run, tmp_path):
    ask(200, "--looks", "2", "--spending", "pocock", candidate="best")
    assert run("sample-size", "--ledger", "l.jsonl", "-o", "page").code == 0
    mc.diagnostics.budget(tmp_path / "l.jsonl", margin=0.1).to_html(tmp_path / "page.html")
    assert "can bear no further looks" in (tmp_path / "page.html").read_text(encoding="utf-8")
