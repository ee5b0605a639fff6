"""Questions about labels beside a judge: tests of two models, subgroups, several test sets."""

from itertools import product

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.plugins.judges.verdicts import judge_of
from tests.plugins.judges.sets import answers

pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning")
METRICS = ["accuracy", "f1_macro", "precision[1]"]
N = 1200


def judged(seed, *, strata=False, clusters=False, share=0.25, n=N):
    """Return two models beside a judge, and the column of a subgroup."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    half = rng.choice(["x", "y"], n)
    outputs = {m: answers(rng, truth, p, 2) for m, p in {"a": 0.85, "b": 0.8}.items()}
    seen = np.where(rng.permutation(n) < share * n, truth, np.nan)
    columns = {"strata": np.arange(n) % 2} if strata else {}
    columns |= {"groups": np.arange(n) // 4} if clusters else {}
    verdicts = answers(rng, truth, 0.9, 2)
    return mc.Predictions(seen, outputs, judge=verdicts, slices={"half": half}, **columns)


DESIGNS = pytest.mark.parametrize(
    "designs", [{}, {"strata": True}, {"clusters": True}], ids=["alone", "strata", "clusters"]
)


@DESIGNS
def test_the_paired_test_is_that_of_compare(designs):
    preds = judged(0, **designs)
    row = mc.compare(preds, METRICS, correction="none").differences
    for metric, label, difference, p_value in zip(
        row["metric"], row["label"], row["difference"], row["p_value"], strict=True
    ):
        value = metric if label is None else (metric, label)
        found = mc.paired_test(preds, "a", "b", value)
        assert (found.difference, found.p_value) == pytest.approx((difference, p_value), rel=1e-12)
        assert found.method == "wald"
        greater, less = (
            mc.paired_test(preds, "a", "b", value, alternative=side).p_value
            for side in ("greater", "less")
        )
        assert greater + less == pytest.approx(1)
        assert 2 * min(greater, less) == pytest.approx(p_value)
    assert "labels:300" in found.signature
    assert "Labels by people on 300 of 1,200 samples" in "".join(found.notes)


def test_a_test_that_knows_no_judge_is_refused():
    with pytest.raises(
        ValueError, match=r"method='permutation' does not know the error of a judge"
    ):
        mc.paired_test(judged(0), "a", "b", "accuracy", method="permutation")


def by_hand(seen, answer, verdict, stratum):
    """Post-stratified accuracy: each label stands for the samples of its answer and verdict.

    Cells of fewer than 10 labels are those in which answer and verdict agree, or do not.
    """
    total, same, known = 0.0, answer == verdict, ~np.isnan(seen)
    for s in np.unique(stratum):
        fine = [
            (stratum == s) & (answer == a) & (verdict == v) for a, v in product((0, 1), repeat=2)
        ]
        few = np.logical_or.reduce([cell & ((cell & known).sum() < 10) for cell in fine])
        for cell in [*(cell & ~few for cell in fine), few & same, few & ~same]:
            if cell.any():
                total += cell.sum() * (seen[cell & known] == answer[cell & known]).mean()
    return total / len(answer)


@DESIGNS
def test_a_subgroup_is_answered_as_its_samples_by_themselves(designs):
    preds = judged(1, n=3000, **designs)
    found = mc.compare_groups(preds, "accuracy", by="half", correction="none")
    for value in ("x", "y"):
        rows = np.asarray(preds.slices["half"] == value)
        alone = mc.compare(preds.subset(rows), "accuracy", correction="none")
        scores = found.scores[found.scores["value"] == value]
        gaps = found.differences[found.differences["value"] == value]
        for column in ("estimate", "standard_error", "ci_low", "ci_high"):
            assert scores[column].tolist() == alone.scores[column].tolist()
        assert gaps["p_value"].tolist() == alone.differences["p_value"].tolist()
        judge = judge_of(preds)
        seen = np.where(judge.labelled, [-1 if y is None else y for y in preds.y_true], np.nan)
        for model, estimate in zip(scores["model"], scores["estimate"], strict=True):
            strata = np.zeros(len(preds)) if preds.strata is None else preds.strata
            parts = (seen, preds.predicted(model), judge.verdicts[model], strata)
            assert estimate == pytest.approx(by_hand(*(part[rows] for part in parts)))
    assert "labels:750" in found.signature


def test_subgroups_of_few_labels_are_left_out_and_those_of_all_are_answered():
    rng = np.random.default_rng(0)
    truth, half = rng.integers(0, 2, N), np.repeat(["all", "few", "some"], N // 3)
    share = {"all": 1.0, "few": 0.02, "some": 0.3}
    seen = np.where(rng.random(N) < [share[each] for each in half], truth, np.nan)
    outputs = {m: answers(rng, truth, p, 2) for m, p in {"a": 0.85, "b": 0.8}.items()}
    preds = mc.Predictions(
        seen, outputs, judge=answers(rng, truth, 0.9, 2), slices={"half": half}, strata=half
    )
    found = mc.compare_groups(preds, "accuracy", by="half")
    assert sorted({*found.scores["value"]}) == ["all", "some"]
    (left,) = found.left_out.to_dict("records")
    assert (left["value"], left["n_samples"]) == ("few", N // 3)
    plain = mc.Predictions(truth[: N // 3], {m: each[: N // 3] for m, each in outputs.items()})
    alone = mc.compare(plain, "accuracy", test="wald", method="normal").scores
    scores = found.scores[found.scores["value"] == "all"]
    assert scores["estimate"].tolist() == pytest.approx(alone["estimate"].tolist())
    # One label more is added to each cell.
    assert scores["standard_error"].tolist() == pytest.approx(
        alone["standard_error"].tolist(), rel=0.05
    )
