"""Decisions and gates on test sets of which some lack a model: refused, dropped, or bounded."""

import itertools
import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare.cli.app import main
from modelcompare.data.checks import UnknownModelError
from modelcompare.questions.unseen import unseen_units
from tests.plugged import needs

SIZES = {"law": 300, "maths": 200, "code": 250, "poems": 400}
RNG = np.random.default_rng(6)
SCORES = {
    name: {"old": RNG.random(n) < 0.6, "new": RNG.random(n) < 0.8} for name, n in SIZES.items()
}
BOUNDS = {"missing": "bounds", "generalize_to": "items"}
NOTE = "Bounds for all possible results of the models that lack {}."


def without(*lacking, tables=SCORES, **columns):
    """Return the test sets of 0/1 scores without some models on some sets."""
    return {
        name: mc.Predictions.from_scores(
            {m: x.astype(float) for m, x in table.items() if (name, m) not in lacking},
            **{"greater_is_better": True, "bounds": (0, 1), **columns},
        )
        for name, table in tables.items()
    }


def decided(sets, margin=0.05, **options):
    if {"weights", "missing"} & {*options}:
        rule = {"metric": "mean_score", "margin": margin}
        return mc.gate(sets, "old", "new", rule, **options).decisions[0]
    return mc.decide(sets, "old", "new", "mean_score", margin=margin, **options)


def test_test_sets_that_lack_a_model_are_refused_with_both_remedies():
    sets = without(("maths", "new"), ("code", "old"))
    text = (
        r"test set 'maths' has no predictions of 'new' \(2 missing in all\); leave out such test "
        r"sets with missing='drop' \(compare_groups, gate; --missing drop\), or compute what holds for all possible "
        r"results with missing='bounds' \(--missing bounds\)\."
    )
    for ask in (decided, lambda p: mc.gate(p, "old", "new", ["mean:-0.05"])):
        with pytest.raises(ValueError, match=text):
            ask(sets)
    with pytest.raises(ValueError, match="test set 'maths' has no predictions of 'new'"):
        mc.gate(sets, "old", "new", ["each:-0.05"])
    for missing in ("refuse", "drop", "bounds"):
        with pytest.raises(UnknownModelError, match="unknown model 'older'; there are"):
            mc.gate(sets, "older", "new", ["each:-0.05"], missing=missing, generalize_to="items")


def test_a_model_that_is_not_asked_about_may_lack_sets():
    tables = {name: {**table, "other": table["new"]} for name, table in SCORES.items()}
    assert decided(without(("law", "other"), tables=tables)).row == decided(without()).row


@pytest.mark.parametrize("rule", ["mean:-0.05", "each:-0.3", "any:+0"])
def test_dropped_sets_do_not_count_and_are_named(rule):
    kept = {name: each for name, each in without().items() if name != "maths"}
    found = mc.gate(without(("maths", "new")), "old", "new", [rule], missing="drop")
    alone = mc.gate(kept, "old", "new", [rule])
    numbers = ["gain", "ci_low", "ci_high", "p_value", "n_samples", "alpha", "test_set"]
    for each, other in zip(found.decisions, alone.decisions, strict=True):
        assert [each.row[n] for n in numbers] == [other.row[n] for n in numbers]
    assert (
        found.sentences[0] == f"{alone.sentences[0]} Test sets dropped, which lack models: maths."
    )
    assert found.signature == alone.signature
    assert "for these runs" not in found.signature


def test_weights_of_sets_that_are_dropped_go_to_the_others():
    weights = dict(zip(SIZES, (1, 5, 3, 0), strict=True))
    found = decided(without(("maths", "old")), missing="drop", weights=weights)
    gains = {m: decided(without()[m], margin=0.05).gain for m in ("law", "code")}
    assert found.gain == pytest.approx((gains["law"] + 3 * gains["code"]) / 4)
    assert found.n_samples == 550
    assert found.test_set == "mean of 2 test sets"
    alone = decided(without(), weights=dict(zip(SIZES, (0, 1, 0, 0), strict=True)))
    named = decided(without()["maths"])
    assert alone.test_set == "maths"
    assert alone.signature == named.signature
    assert [alone.ci_low, alone.p_value, alone.n_samples] == [
        named.ci_low, named.p_value, named.n_samples
    ]  # fmt: skip


def by_hand(tables, lacking, level=0.05):
    """Compute the bounds of the mean gain: the samples' own, and with unseen units at the ends."""
    n_sets, z, ends = len(tables), stats.norm.ppf(1 - level), []
    size, added = min(map(len, (t["old"] for t in tables.values()))) * n_sets, unseen_units(level)
    for side in (-1, 1):
        gains, squares = [], []
        for name, table in tables.items():
            # Lacking, the candidate is worst (0) at the lower end, and the baseline best (1).
            worst = {"new": (1 + side) / 2, "old": (1 - side) / 2}
            a, b = (
                worst[m] if (name, m) in lacking else table[m].astype(float) for m in ("new", "old")
            )
            gains.append(np.mean(a) - np.mean(b))
            difference = np.subtract(a, b)
            squares.append(difference.var(ddof=1) / difference.size if difference.size > 1 else 0)
        gain, error = np.mean(gains), math.sqrt(sum(squares)) / n_sets
        share = added / (size + added)
        away = side - gain
        spread = math.sqrt((1 - share) ** 2 * error**2 + (share * away) ** 2 / added)
        end = gain + share * away + side * stats.t.ppf(1 - level, size - 1) * spread
        ends.append(side * max(side * (gain + side * z * error), side * end))
    return np.clip(ends, -1, 1)


LACKING = [
    [("maths", "new")],
    [("maths", "old")],
    [("law", "old"), ("maths", "new")],
    [("law", "new"), ("maths", "new"), ("code", "old"), ("poems", "old")],
    [("law", "new"), ("law", "old")],
]


@pytest.mark.parametrize("lacking", LACKING)
def test_bounds_are_those_of_the_worst_and_the_best_possible_values(lacking):
    tables = {name: {**table, "other": table["new"]} for name, table in SCORES.items()}
    found = decided(without(*lacking, tables=tables), method="normal", **BOUNDS)
    assert [found.ci_low, found.ci_high] == pytest.approx([*by_hand(SCORES, lacking)], abs=2e-4)
    assert math.isnan(found.gain)
    assert math.isnan(found.n_needed)
    named = ", ".join(dict.fromkeys(name for name in SIZES for n, _ in lacking if n == name))
    assert found.sentence().endswith(NOTE.format(named))


@pytest.mark.parametrize("lacking", LACKING[:4])
def test_losses_have_the_bounds_of_gains_turned(lacking):
    tables = {n: {m: ~x for m, x in table.items()} for n, table in SCORES.items()}
    losses = decided(without(*lacking, tables=tables, greater_is_better=False), **BOUNDS)
    gains = decided(without(*lacking), **BOUNDS)
    numbers = ["ci_low", "ci_high", "p_value"]
    assert [losses.row[n] for n in numbers] == pytest.approx([gains.row[n] for n in numbers])


def test_what_is_shown_holds_for_all_possible_results():
    """With single answers filled in, in any way, the gain is on the side that was shown."""
    rng = np.random.default_rng(0)
    seen = set()
    for gap, kind in itertools.product((-0.9, -0.3, 0.3, 0.9), ("superior", "non-inferior")):
        right = {"old": 0.5 - gap / 2, "new": 0.5 + gap / 2}
        tables = {
            name: {m: rng.random(200) < max(min(p, 1), 0) for m, p in right.items()}
            for name in "abcdef"
        }
        lacking = [("a", "new"), ("b", "old")]
        found = decided(without(*lacking, tables=tables), kind=kind, **BOUNDS)
        seen.add((found.answer, np.sign(gap)))
        for _ in range(20):
            for name, m in lacking:
                tables[name][m] = rng.random(200) < rng.choice([0.0, rng.random(), 1.0])
            gain = np.mean([table["new"].mean() - table["old"].mean() for table in tables.values()])
            assert found.ci_low < gain < found.ci_high
            threshold = 0.05 if kind == "superior" else -0.05
            assert {"shown": gain > threshold, "shown otherwise": gain < threshold}.get(
                found.answer, True
            )
        assert decided(without(tables=tables), kind=kind).gain == pytest.approx(gain)
    assert seen == {
        ("shown", 1.0), ("shown otherwise", -1.0), ("not enough data", 1.0),
        ("not enough data", -1.0),
    }  # fmt: skip


ROADS = {
    "decide": decided,
    "gate, mean": lambda sets, **options: mc.gate(sets, "old", "new", "mean:-0.05", **options),
    "gate, each": lambda sets, **options: mc.gate(sets, "old", "new", "each:-0.3", **options),
    "gate, any": lambda sets, **options: mc.gate(sets, "old", "new", "any:+0", **options),
    "groups": lambda sets, **options: mc.compare_groups(
        sets, n_resamples=99, test="wald", **options
    ),
}


def notes_of(found):
    return " ".join(note for each in getattr(found, "decisions", [found]) for note in each.notes)


@pytest.mark.parametrize("lacking", LACKING[:4])
@pytest.mark.parametrize("road", ROADS)
def test_all_roads_refuse_drop_and_bound_alike(road, lacking):
    sets, ask = without(*lacking), ROADS[road]
    names = [name for name in SIZES if name in {name for name, _ in lacking}]
    first = f"test set {names[0]!r} has no predictions of {dict(lacking)[names[0]]!r} "
    with pytest.raises(ValueError, match=re.escape(f"{first}({len(lacking)} missing in all); ")):
        ask(sets)
    left = len(SIZES) - len(names)
    if left < 2:
        with pytest.raises(ValueError, match=f"leaves {left} of 4 test sets, and a mean needs 2"):
            ask(sets, missing="drop")
    else:
        dropped = f"Test sets dropped, which lack models: {', '.join(names)}."
        assert dropped in notes_of(ask(sets, missing="drop"))
    with pytest.raises(ValueError, match="use generalize_to='items'"):
        ask(sets, missing="bounds")
    bounded = notes_of(ask(sets, **BOUNDS))
    assert f"Bounds for all possible results of the models that lack {names[0]}" in bounded


@pytest.mark.parametrize("missing", ["refuse", "drop", "bounds"])
def test_a_test_set_without_weight_may_lack_a_model(missing):
    weights = dict(zip(SIZES, (1, 0, 3, 2), strict=True))
    options = {"weights": weights, "generalize_to": "items", "missing": missing}
    sets = without(("maths", "new"))
    found = mc.compare_groups(sets, n_resamples=99, test="wald", confidence_level=0.9, **options)
    row = found.pooled_differences.iloc[0]
    gains = [np.subtract(SCORES[n]["new"], 1.0 * SCORES[n]["old"]).mean() for n in SIZES]
    expected = np.average(gains, weights=[*weights.values()])
    assert decided(sets, **options).gain == pytest.approx(expected)
    assert row["difference"] == pytest.approx(-expected)
    assert "weighted mean of 3 test sets" in found.verdict()
    assert {*found.scores["set"]} == {*SIZES}


def test_weights_name_all_sets_whether_they_are_dropped_or_not():
    weights = dict(zip(SIZES, (1, 5, 3, 2), strict=True))
    options = {"weights": weights, "generalize_to": "items", "missing": "drop"}
    sets = without(("maths", "new"))
    found = mc.compare_groups(sets, n_resamples=99, test="wald", **options).pooled_differences.iloc[
        0
    ]
    assert found["difference"] == pytest.approx(-decided(sets, **options).gain)


def test_undecided_bounds_are_not_enough_data():
    found = decided(without(("maths", "new")), margin=0.01, kind="superior", **BOUNDS)
    assert found.answer == "not enough data"
    assert found.p_value == 0.5
    low, high = found.ci_low, found.ci_high
    assert found.sentence() == (
        "1,150 samples are not enough to decide whether new is better than old by more than 0.01 "
        f"in mean_score (mean of 4 test sets): gain unknown, 90 % CI {low:.3f} to {high:.3f}, p = "
        "0.50 (one-sided alpha 0.05; assuming scores lie within 0 and 1). The lacking results may "
        "be. Bounds for all possible results of the models that lack maths."
    )
    assert "for these runs" not in found.signature


def test_p_value_and_interval_agree():
    found = decided(without(("maths", "new")), **BOUNDS)
    assert 0 < found.p_value < 0.5
    at = decided(without(("maths", "new")), alpha=found.p_value, **BOUNDS)
    assert at.ci_low == pytest.approx(-0.05, abs=1e-6)


def test_each_set_is_decided_by_its_own_bounds():
    sets = without(("maths", "old"))
    found = mc.gate(sets, "old", "new", ["each:-0.35", "any:+0"], **BOUNDS)
    complete = {d.test_set: d for d in mc.gate(without(), "old", "new", "each:-0.35").decisions}
    by_set = {d.test_set: d for d in found.decisions[:4]}
    for name in SIZES:
        if name != "maths":
            assert by_set[name].row == complete[name].row
    of_maths = by_set["maths"]
    known = SCORES["maths"]["new"].mean()
    # The baseline may be right on all: the candidate is worse by what it got wrong at most.
    assert of_maths.passed
    assert -0.35 < of_maths.ci_low < known - 1
    assert of_maths.ci_high > known
    assert of_maths.notes == (NOTE.format("maths"),)
    assert of_maths.n_samples == SIZES["maths"]
    assert found.answer == "shown"
    strict = mc.gate(sets, "old", "new", ["each:-0.1"], **BOUNDS)
    assert strict.answer == "not enough data"
    assert "(maths): gain unknown, 90 % CI" in strict.sentences[-1]


@needs("runs")
def test_rules_of_all_test_sets_repeat_what_holds_for_all():
    tables = {name: {m: np.repeat(x, 3) for m, x in t.items()} for name, t in SCORES.items()}
    sets = {
        name: mc.Predictions.from_scores(
            {m: x.astype(float) for m, x in table.items()}, bounds=(0, 1), greater_is_better=True,
            groups=np.arange(len(table["old"])) // 3, runs=np.arange(len(table["old"])) % 3,
        )
        for name, table in tables.items()
    }  # fmt: skip
    found = mc.gate(sets, "old", "new", ["each:-0.3"], generalize_to="items")
    assert found.sentences == [
        "new is non-inferior to old (margin 0.3) in mean_score on 4 of 4 test sets. For these 3 "
        "runs: others of the same models would vary more."
    ]
    assert "|for these runs" in found.signature


REFUSED = {
    "use generalize_to='items'": lambda: decided(without(("maths", "new")), missing="bounds"),
    "needs metrics with a range, which mean_score has not": lambda: decided(
        without(("maths", "new"), bounds=None, tables={
            n: {m: 9.0 * x for m, x in t.items()} for n, t in SCORES.items()
        }), **BOUNDS,
    ),
    "missing='drop' is for several test sets": lambda: decided(without()["law"], missing="drop"),
    "`missing` must be one of refuse, drop, bounds, got 'worst', which is for reading": lambda: (
        decided(without(), missing="worst")
    ),
    "leaves 1 of 2 test sets, and a mean needs 2": lambda: mc.gate(
        {n: without(("maths", "new"))[n] for n in ("law", "maths")}, "old", "new", ["each:-0.1"],
        missing="drop",
    ),
}  # fmt: skip


@pytest.mark.parametrize("part", REFUSED)
def test_what_cannot_be_bounded_or_dropped_is_refused(part):
    with pytest.raises(ValueError, match=part):
        REFUSED[part]()


def test_a_single_test_set_has_one_way_only():
    one = without()["law"]
    rule = {"metric": "mean_score", "margin": 0.1}
    found = mc.gate(one, "old", "new", [{**rule, "over": "each"}])
    assert [rule.decisions for rule in found.by_rule] == [found.decisions]
    assert found.decisions[0].test_set == ""


def test_the_command_takes_the_option(tmp_path, capsys):
    rows = [
        {"set": name, "item": i, "model": m, "score": float(x)}
        for name, table in SCORES.items() for m, column in table.items()
        for i, x in enumerate(column)
        if (name, m) != ("maths", "new")
    ]  # fmt: skip
    path = tmp_path / "suite.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    asked = ["gate", str(path), "--baseline", "old", "--candidate", "new", "--higher-is-better"]
    asked += ["--read", "range=0,1", "--rule", "mean:+0.01"]
    assert main(asked) == 2
    assert "test set 'maths' has no predictions of 'new'" in capsys.readouterr().err
    assert main([*asked, "--missing", "drop"]) == 0
    out = capsys.readouterr().out
    assert "mean of 3 test sets" in out
    assert "Test sets dropped, which lack models: maths." in out
    bounds = [*asked, "--missing", "bounds", "--generalize-to", "items"]
    assert main([*bounds, "--inconclusive-exit", "3"]) == 3
    out = capsys.readouterr().out
    expected = decided(without(("maths", "new")), margin=0.01, kind="superior", **BOUNDS).sentence()
    assert " ".join(out.split()) == f"not enough data: {expected}"
    assert main([*bounds[:-4], "--missing", "bounds"]) == 2
    assert "(--generalize-to items)" in capsys.readouterr().err
    named = ["--model", "old", "--model", "new"]
    groups = ["groups", str(path), "--higher-is-better", "--resamples", "99", *named]
    assert main(groups) == 2
    assert "test set 'maths' has no predictions of 'new' (1 missing" in capsys.readouterr().err
    assert main([*groups, "--missing", "drop"]) == 0
    assert "Test sets dropped, which lack models: maths." in capsys.readouterr().out
    assert main([*groups, "--model", "newer", "--missing", "drop"]) == 2
    assert "there is no model 'newer'" in capsys.readouterr().err
    assert main(["sample-size", str(path), "--higher-is-better", *named]) == 2
    assert "test set 'maths' has no predictions of 'new'; leave it out" in capsys.readouterr().err
    single = ["gate", str(path), "--read", "set=law", *asked[2:-2], "--margin", "0.1"]
    assert main([*single, "--missing", "bounds"]) == 2
    assert "groups and gate of several test sets" in capsys.readouterr().err


def test_wide_files_of_a_suite_may_lack_models_that_are_asked_for(tmp_path, capsys):
    rng = np.random.default_rng(6)
    for name, models in {"law": "abc", "maths": "ab", "media": "abc"}.items():
        y = rng.integers(0, 3, 60)
        outputs = {m: np.where(rng.random(60) < 0.8, y, (y + 1) % 3) for m in models}
        pd.DataFrame({"y_true": y, **outputs}).to_csv(tmp_path / f"{name}.csv", index=False)
    groups = ["groups", str(tmp_path), "-m", "accuracy", "--resamples", "99"]
    asked = [*groups, "--model", "a", "--model", "c"]
    assert main(asked) == 2
    assert (
        "test set 'maths' has no predictions of 'c' (1 missing in all)" in capsys.readouterr().err
    )
    assert main([*asked, "--missing", "drop"]) == 0
    assert "Test sets dropped, which lack models: maths." in capsys.readouterr().out
    assert main([*asked, "--missing", "bounds", "--generalize-to", "items"]) == 0
    assert "of the models that lack no test set a leads" in capsys.readouterr().out
    assert main([*groups, "--model", "a"]) == 0
    assert "Mean of 3 test sets" in capsys.readouterr().out
    assert main([*groups, "--model", "a", "--model", "z"]) == 2
    shown = capsys.readouterr().err
    assert "error: the test sets: there is no model 'z'; there are a, b, c." in shown


def test_files_that_name_the_model_of_each_row_are_a_test_set_each(tmp_path):
    for name, table in list(SCORES.items())[:2]:
        rows = [
            pd.DataFrame({"model": model, "item": np.arange(len(x)), "correct": x.astype(int)})
            for model, x in table.items()
        ]
        pd.concat(rows).to_csv(tmp_path / f"{name}.csv", index=False)
    for models in (None, ["old", "new"]):
        sets = mc.io.read_sets([tmp_path / "law.csv", tmp_path / "maths.csv"], models=models)
        assert {name: (p.models, len(p)) for name, p in sets.items()} == {
            "law": (("old", "new"), 300), "maths": (("old", "new"), 200),
        }  # fmt: skip
