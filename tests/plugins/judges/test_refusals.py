"""What a judge is refused for, and what refuses a judge."""

import inspect
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, chisquare

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from modelcompare.plugins.judges.labels_drawn import p_at_random, p_of_places
from modelcompare.plugins.judges.verdicts import judge_of
from tests.plugged import needs
from tests.plugins.judges.sets import Array, answers, drawn
from tests.public import functions

TAKES_A_JUDGE = {
    "in_time_blocks",
    "agreement_study", "compare", "decide", "gate", "judge_report", "keep", "paired_test",
    "plan", "sample_size", "sensitivity_study", "undefined_study", "variance_study",
}  # fmt: skip


def test_every_other_function_refuses_a_judge_and_names_the_remedy() -> None:
    preds, _ = drawn(0)
    seen = 0
    for name, function in functions().items():
        first = next(iter(inspect.signature(function).parameters), "")
        if not first.startswith("predictions") or name.rpartition(".")[2] in TAKES_A_JUDGE:
            continue
        required = {
            p.name: {"baseline": "m0", "candidate": "m1", "model_a": "m0", "model_b": "m1",
                     "metric": "accuracy", "model": "m0", "by": "half",
                     "rules": "accuracy:+0", "ledger": "never.jsonl"}.get(p.name, preds)
            for p in inspect.signature(function).parameters.values()
            if p.default is p.empty and p.kind is not p.VAR_KEYWORD
        }  # fmt: skip
        with pytest.raises((ValueError, TypeError), match="judge"):
            function(**{**required, first: preds})
        seen += 1
    assert seen > 10


@needs("suites", "any_time")
def test_the_remedies_of_a_refusal_are_not_refused() -> None:
    preds, _ = drawn(0)
    both = {"x": preds, "y": drawn(1)[0]}
    asked = ("m0", "m1", ["accuracy:-0.1"])
    remedies = (
        r"compare_groups, paired_test, decide and gate \(asked once: without a ledger\), keep"
    )
    with pytest.raises(ValueError, match=remedies):
        mc.bootstrap(preds, "accuracy")
    assert mc.gate(both, "m0", "m1", ["mean(accuracy):-0.1"]).decisions
    with pytest.raises(ValueError, match=r"not for labels beside a judge; ask once, without it"):
        mc.gate(preds, *asked, method="any-time")
    assert mc.gate(preds, *asked).decisions[0].n_samples
    assert mc.gate(preds.access.labelled, *asked, method="any-time").decisions
    found = mc.compare_groups(both, "accuracy")
    n_labels = sum(judge_of(each).n_labels for each in both.values())
    assert f"|labels:{n_labels}|" in found.signature
    assert "for these runs" not in found.signature


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"method": "BCa"}, "method"), ({"test": "permutation"}, "test"),
        ({"correction": "max-t"}, "correction"),
        pytest.param({"missing": "bounds"}, "missing", marks=needs("bounds")),
        ({"undefined": "stratify"}, "undefined"),
    ],
)  # fmt: skip
def test_compare_refuses_what_knows_no_judge(options: Any, named: str) -> None:
    with pytest.raises(ValueError, match=f"{named}=.*judge"):
        mc.compare(drawn(0)[0], "accuracy", **options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"judge": ["x"] * 1000}, "never gives a label"), ({"judge": [0.5, 0.25] * 500}, "numbers"),
        ({"judge": {"m0": [0] * 1000}}, "from_scores"), ({"judge": [0] * 5}, "shape"),
        ({"label_weight": [0.0] * 1000}, "not positive"),
        ({"label_weight": [0.25] * 1000}, "is 1 over the probability of a label, and below 1"),
    ],
)  # fmt: skip
def test_a_judge_is_refused_for_designs_and_verdicts(change: Any, message: str) -> None:
    preds, truth = drawn(0)
    assert judge_of(preds) is not None
    seen = np.where(judge_of(preds).labelled, truth, np.nan)
    outputs = {m: preds.predicted(m) for m in preds.models}
    with pytest.raises(ValueError, match=message):
        mc.Predictions(seen, outputs, **{"judge": judge_of(preds).verdicts["m0"], **change})


@pytest.mark.parametrize(("n", "message"), [(0, "people labelled 0"), (4, "4 of"), (1000, "every")])
def test_labels_must_be_some(n: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        drawn(0, n)


def test_a_part_without_labels_is_refused() -> None:
    preds, _ = drawn(0, 20)
    rows = judge_of(preds).labelled
    for part, n in ((~rows, 0), (~rows | (rows.cumsum() <= 4), 4)):
        for ask in (mc.compare, mc.diagnostics.judge_report):
            with pytest.raises(ValueError, match=f"people labelled {n}"):
                ask(preds.subset(part), "accuracy")


def test_values_and_texts_have_no_judge() -> None:
    seen = np.where(np.arange(100) < 50, np.arange(100) % 7, np.nan)
    with pytest.raises(ValueError, match="score each answer"):
        mc.Predictions(
            seen, {"a": np.linspace(0, 7.5, 100)}, judge=np.arange(100) % 7, kind="values"
        )


def test_people_score_all_models_on_a_sample() -> None:
    scores = {"a": [1.0] * 10 + [np.nan] * 10, "b": [1.0] * 9 + [np.nan] * 11}
    with pytest.raises(ValueError, match="some of the models"):
        mc.Predictions.from_scores(scores, judge={"a": [1] * 20, "b": [0] * 20})


def test_a_stratum_without_labels_is_refused() -> None:
    preds, truth = drawn(0, 40)
    first = np.arange(1000) < 3
    seen = np.where(judge_of(preds).labelled & ~first, truth, np.nan)
    outputs = {m: preds.predicted(m) for m in preds.models}
    with pytest.raises(ValueError, match="no label"):
        mc.compare(mc.Predictions(seen, outputs, judge=truth, strata=first), "accuracy")


def test_labels_that_were_not_drawn_at_random_stop_a_decision() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 2000)
    model, judge = answers(rng, truth, 0.8, 2), answers(rng, truth, 0.9, 2)
    easy = np.flatnonzero(model == judge)[::7][:200]
    seen = np.full(2000, np.nan)
    seen[easy] = truth[easy]
    other = answers(rng, truth, 0.8, 2)
    preds = mc.Predictions(seen, {"a": model, "b": other}, judge=judge)
    assert p_at_random(preds) < 1e-3
    with pytest.warns(DataWarning, match="not drawn at random"):
        mc.compare(preds, "accuracy")
    for ask in (mc.decide, lambda *a, margin: mc.gate(*a, [f"accuracy:-{margin}"])):
        with pytest.raises(ValueError, match="strata of the draw"):
            ask(preds, "a", "b", margin=0.02)


def test_the_test_of_the_draw_has_its_size() -> None:
    p = np.array([p_at_random(drawn(seed, 60, 600)[0]) for seed in range(400)])
    assert np.mean(p < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
    assert np.mean(p < 0.01) <= 0.03


def labelled_where(places: Array, **options: Any) -> mc.Predictions:
    """Return 1,000 samples with 100 labels there, and a judge that errs more from row to row."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 1000)
    wrong = rng.random(1000) < np.linspace(0, 0.4, 1000)
    seen = np.full(1000, np.nan)
    seen[places] = truth[places]
    outputs = {"a": answers(rng, truth, 0.8, 2), "b": answers(rng, truth, 0.8, 2)}
    return mc.Predictions(seen, outputs, judge=np.where(wrong, 1 - truth, truth), **options)


def test_labels_of_the_first_rows_of_a_file_are_warned_of_on_every_road() -> None:
    first = labelled_where(np.arange(0, 200, 2))
    for ask in (
        lambda: mc.compare(first, "accuracy"),
        lambda: mc.decide(first, "a", "b", "accuracy", margin=0.1),
        lambda: mc.gate(first, "a", "b", ["accuracy:-0.1"]),
        lambda: mc.sample_size(first, "a", "b", "accuracy"),
        lambda: mc.diagnostics.judge_report(first),
    ):
        with pytest.warns(DataWarning, match="not spread over the rows as a random part is"):
            ask()
    middle = labelled_where(np.arange(400, 600, 2))
    with pytest.warns(DataWarning, match="not spread over the rows"):
        mc.compare(middle, "accuracy")


def test_labels_that_are_spread_over_the_rows_or_drawn_by_strata_are_not_warned_of() -> None:
    mc.compare(labelled_where(np.arange(0, 1000, 10)), "accuracy")
    strata = np.arange(1000) // 200
    drawn_so = [200 * k + np.arange(n) * (200 // n) for k, n in enumerate((50, 20, 10, 10, 10))]
    mc.compare(labelled_where(np.concatenate(drawn_so), strata=strata), "accuracy")


def test_the_test_of_the_rows_has_its_size() -> None:
    p = np.array([p_of_places(drawn(seed, 60, 600)[0]) for seed in range(400)])
    assert np.mean(p < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
    assert np.mean(p < 0.01) <= 0.03
    # scipy's chi-squared test of the numbers in fifths, of sampling without replacement.
    preds, _ = drawn(1, 60, 600)
    counts = np.add.reduceat(judge_of(preds).labelled.astype(int), np.arange(0, 600, 120))
    expected = chi2.sf(chisquare(counts).statistic / (1 - 60 / 600), 4)
    assert p_of_places(preds) == pytest.approx(expected, rel=1e-9)


def test_selected_classes_have_the_numbers_of_all() -> None:
    preds, _ = drawn(2, 200)
    every = mc.compare(preds, "f1")
    some = mc.compare(preds, "f1[2]")
    whole = every.scores.query("label == 2")[["estimate", "ci_low", "ci_high"]].to_numpy()
    assert some.scores[["estimate", "ci_low", "ci_high"]].to_numpy() == pytest.approx(whole)
    assert "labels are worth" in some.to_markdown()


def test_classes_with_few_labels_are_warned_of() -> None:
    preds, _ = drawn(0, 60, n_classes=10)
    for metric in ("f1_macro", "f1"):
        with pytest.warns(mc.SparseDataWarning, match=f"{metric}: . labels by people are of class"):
            mc.compare(preds, metric)
    common, _ = drawn(0, 400, n_classes=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mc.compare(common, ["f1_macro", "f1", "accuracy"])
