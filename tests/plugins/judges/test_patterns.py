"""Patterns of samples, and what is computed of them once for all questions."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.plugins.judges import labels_drawn
from modelcompare.plugins.judges.labels_drawn import p_at_random
from modelcompare.plugins.judges.patterns import are_many, fifths, joint, patterns_of
from modelcompare.plugins.judges.verdicts import judge_of, matched
from tests.plugins.judges.sets import answers, drawn


def test_patterns_are_the_distinct_answers_verdicts_and_strata() -> None:
    strata = np.arange(1000) % 3
    preds, _ = drawn(0, 100, strata=strata)
    found = patterns_of(preds, judge_of(preds), [["m0", "m1"]])
    columns = [
        preds.predicted("m0"),
        preds.predicted("m1"),
        judge_of(preds).verdicts["m0"],
        strata,
    ]
    frame = pd.DataFrame(dict(enumerate(columns)))
    np.testing.assert_array_equal(found.of[0], frame.groupby([0, 1, 2, 3], sort=False).ngroup())
    np.testing.assert_array_equal(found.sizes, frame.value_counts(sort=False).loc[
        [*zip(*found.entries, strict=True)]
    ])  # fmt: skip
    np.testing.assert_array_equal(np.stack(found.entries), frame.iloc[found.first].T)
    assert [*found.first] == [*frame.drop_duplicates().index]
    np.testing.assert_array_equal(found.of_labels[0], found.of[0, judge_of(preds).labelled])


@pytest.mark.parametrize("n_classes", [1, 2, 16, 17, 300, 70_000])
def test_joint_codes_are_distinct_for_distinct_entries(n_classes: int) -> None:
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, n_classes, 2000), rng.integers(0, n_classes, 2000)]
    columns[0][0] = columns[1][0] = n_classes - 1
    expected = [x * (columns[1].max() + 1) + y for x, y in zip(*columns, strict=True)]
    assert joint(columns).tolist() == expected


def test_fifths_are_shares_of_the_samples_below() -> None:
    rng = np.random.default_rng(1)
    for n in (1, 2, 4, 5, 6, 19, 100):
        values = rng.normal(0, 2, n).round()
        below = [sum(other < value for other in values) for value in values]
        assert fifths(values).tolist() == [5 * count // n for count in below]


def test_eleven_distinct_scores_are_many() -> None:
    assert are_many(np.repeat(np.arange(11.0), 100))
    assert not are_many(np.tile(np.arange(10.0), 100))


def test_verdicts_are_classes_by_their_texts() -> None:
    code, names = matched(np.array(["1", "2", "x", "1", "b"], dtype=object), np.array([2, 1]))
    assert code.tolist() == [1, 0, 2, 1, 3]
    assert names.tolist() == ["2", "1", "x", "b"]
    assert matched(np.array([7, 5]), np.array([5, 6, 7]))[1].tolist() == [5, 6, 7]


def test_a_gate_tests_the_draw_of_labels_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tested, rules = list[str](), ["accuracy:-0.5", "f1_macro:-0.5", "accuracy:+-0.5"]

    def counted(*given: Any) -> float:
        tested.append(given[-1])
        return compute(*given)

    compute = labels_drawn._p_value
    monkeypatch.setattr(labels_drawn, "_p_value", counted)
    preds, _ = drawn(3, 200)
    mc.gate(preds, "m0", "m1", rules)
    assert sorted(tested) == ["m0", "m1"]


def test_other_strata_and_samples_are_tested_anew() -> None:
    rng = np.random.default_rng(0)
    truth, strata = rng.integers(0, 2, 2000), np.arange(2000) % 2
    model, judge = answers(rng, truth, 0.8, 2), answers(rng, truth, 0.9, 2)
    # Where model and judge disagree labels are ten times as frequent.
    strata = (model != judge).astype(int)
    seen = np.where(rng.random(2000) < np.where(strata, 0.5, 0.05), truth, np.nan)
    preds = mc.Predictions(seen, {"a": model, "b": truth}, judge=judge)
    p = p_at_random(preds)
    assert p < 1e-6
    assert p_at_random(preds.with_columns(strata=strata)) > 1e-3
    assert p_at_random(preds.with_columns(strata=strata).with_columns(strata=None)) == p
    assert p_at_random(preds.subset(strata == 0)) > 1e-3
    assert p_at_random(preds[["b"]]) != p


def test_what_is_kept_is_right_after_a_pickle() -> None:
    rng = np.random.default_rng(0)
    people = {m: (rng.random(500) < p).astype(float) for m, p in {"a": 0.8, "b": 0.6}.items()}
    judge = {m: np.where(rng.random(500) < 0.9, x, 1 - x) for m, x in people.items()}
    seen = {m: np.where(np.arange(500) % 5 == 0, x, np.nan) for m, x in people.items()}
    preds = mc.Predictions.from_scores(seen, judge=judge, bounds=(0, 1))
    expected = mc.compare(preds).differences
    again: mc.Predictions = pickle.loads(pickle.dumps(preds))
    for some in (again, again[["b", "a"]][["a", "b"]]):
        pd.testing.assert_frame_equal(mc.compare(some).differences, expected)
