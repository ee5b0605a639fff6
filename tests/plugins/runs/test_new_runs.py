"""Answers for new runs of training procedures: the variance over items and runs, and its ways in."""

import time
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import modelcompare as mc
from modelcompare.cli.app import main
from modelcompare.data.checks import DataWarning
from modelcompare.data.sizes import run_counts
from modelcompare.plugins.runs.declared import runs_are_random
from tests.plugged import needs

N, R = 40, 6
ITEM, RUN = np.repeat(np.arange(N), R), np.tile(np.arange(R), N)
BOTH = {"generalize_to": "items+runs", "n_resamples": 99}
NEW = "For the training procedures, seen in 6 runs each: new runs are allowed for."


def scores(seed=0, spread=0.3, n_runs=R, mean=0.0):
    rng = np.random.default_rng(seed)
    of_items, of_runs = rng.normal(size=(N, 1)), spread * rng.normal(size=n_runs)
    return mean + of_items + of_runs + 0.5 * rng.normal(size=(N, n_runs))


def preds_of(runs=RUN, item=ITEM, **tables):
    return mc.Predictions.from_scores(
        {m: x.ravel() for m, x in tables.items()}, groups=item, runs=runs, greater_is_better=True
    )


A, B = scores(0), scores(1, mean=0.4)
SHARED = preds_of(a=A, b=B)
SEPARATE = preds_of({"a": RUN, "b": RUN + 100}, a=A, b=B)
ONE = SHARED.subset(RUN == 0)
rng = np.random.default_rng(2)
TRUTH = rng.integers(0, 3, N)[ITEM]
CLASSES = mc.Predictions(
    TRUTH, {m: np.where(rng.random(N * R) < p, TRUTH, (TRUTH + 1) % 3) for m, p in
            (("a", 0.8), ("b", 0.7))},
    groups=ITEM, runs=RUN,
)  # fmt: skip


def squares(x):
    """Return the mean squares of items, runs and rest, each divided by their number of cells."""
    of_items, of_runs = x.mean(axis=1), x.mean(axis=0)
    rest = x - of_items[:, None] - of_runs + x.mean()
    return (
        of_items.var(ddof=1) / x.shape[0],
        of_runs.var(ddof=1) / x.shape[1],
        (rest**2).sum() / ((x.shape[0] - 1) * (x.shape[1] - 1)) / x.size,
    )


def floored(items, runs, rest):
    return max(items + runs - rest, items, runs)


def test_the_variance_of_a_score_is_that_of_two_crossed_factors():
    found = mc.compare(SHARED, **BOTH)
    assert found.scores["standard_error"].tolist() == pytest.approx(
        [np.sqrt(floored(*squares(x))) for x in (A, B)], rel=1e-9
    )


def test_models_that_share_runs_are_one_table_of_differences():
    (row,) = mc.compare(SHARED, **BOTH).differences.to_dict("records")
    assert row["standard_error"] == pytest.approx(np.sqrt(floored(*squares(A - B))), rel=1e-9)


@pytest.mark.parametrize("n_runs", [(6, 6), (2, 6), (3, 2)])
def test_models_with_separate_runs_add_the_variances_of_their_runs(n_runs):
    tables = {m: scores(k, n_runs=n) for k, (m, n) in enumerate(zip("ab", n_runs, strict=True))}
    slots = int(np.lcm(*n_runs))
    run, item = np.tile(np.arange(slots), N), np.repeat(np.arange(N), slots)
    repeated = {m: np.tile(x, slots // x.shape[1]) for m, x in tables.items()}
    runs = {m: [f"{m}{r % x.shape[1]}" for r in run] for m, x in tables.items()}
    preds = preds_of(runs, item, **repeated)
    assert run_counts(preds) == [*n_runs]
    (row,) = mc.compare(preds, **BOTH).differences.to_dict("records")
    a, b = tables.values()
    items = (a.mean(axis=1) - b.mean(axis=1)).var(ddof=1) / N
    (_, runs_a, rest_a), (_, runs_b, rest_b) = squares(a), squares(b)
    variance = floored(items, runs_a + runs_b, rest_a + rest_b)
    assert row["standard_error"] == pytest.approx(np.sqrt(variance), rel=1e-9)
    assert row["difference"] == pytest.approx(a.mean() - b.mean())


def test_the_error_is_that_of_a_mixed_model_with_crossed_random_effects():
    """On balanced data REML is the analysis of variance where no component is below 0."""
    from statsmodels.regression.mixed_linear_model import MixedLM

    frame = pd.DataFrame({"y": A.ravel(), "item": ITEM, "run": RUN, "all": 1})
    parts = {"item": "0 + C(item)", "run": "0 + C(run)"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MixedLM.from_formula("y ~ 1", frame, groups="all", vc_formula=parts, re_formula="0")
        fitted = model.fit(reml=True)
    ours = mc.compare(SHARED["a"], **BOTH).scores["standard_error"][0]
    assert ours == pytest.approx(float(fitted.bse_fe.iloc[0]), rel=1e-3)


def test_degrees_of_freedom_are_satterthwaites_with_runs_at_their_upper_bound():
    x = A - B
    items, runs, rest = squares(x)
    likely = runs * (R - 1) / stats.chi2.ppf(1 / 3, R - 1)
    total = items + likely - rest
    degrees = total**2 / (items**2 / (N - 1) + likely**2 / (R - 1) + rest**2 / (N - 1) / (R - 1))
    (row,) = mc.compare(SHARED, **BOTH).differences.to_dict("records")
    half = stats.t.ppf(0.975, degrees) * np.sqrt(items + runs - rest)
    assert row["ci_high"] == pytest.approx(x.mean() + half, rel=1e-9)
    assert row["ci_low"] == pytest.approx(x.mean() - half, rel=1e-9)
    t = abs(x.mean()) / np.sqrt(items + runs - rest)
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(t, degrees), rel=1e-9)


def test_where_runs_agree_more_than_chance_the_variance_is_not_below_that_of_items():
    x = scores(3, spread=0.0)
    x = x - x.mean(axis=0)
    items, runs, rest = squares(x)
    assert items + runs - rest < items
    found = mc.compare(preds_of(a=x), **BOTH).scores["standard_error"][0]
    assert found == pytest.approx(np.sqrt(items), rel=1e-9)


def test_where_items_agree_more_than_chance_the_variance_is_not_below_that_of_runs():
    x = scores(3)
    x = x - x.mean(axis=1, keepdims=True) + x.mean(axis=0)
    items, runs, rest = squares(x)
    assert items < items + runs - rest < runs
    found = mc.compare(preds_of(a=x), **BOTH).scores["standard_error"][0]
    assert found == pytest.approx(np.sqrt(runs), rel=1e-9)


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "f1", "matthews_corrcoef"])
def test_equal_copies_of_a_run_have_the_error_of_that_run(metric):
    """New copies add nothing, so the error is the usual one of the items."""
    once = CLASSES.subset(RUN == 0)
    copies = CLASSES.subset(np.flatnonzero(RUN == 0).repeat(3)).with_columns(
        runs=np.tile(np.arange(3), N)
    )
    plain = once.with_columns(groups=None, runs=None)
    for frame in ("scores", "differences"):
        new, usual = (
            getattr(mc.compare(p, metric, n_resamples=99), frame)["standard_error"]
            for p in (copies, plain)
        )
        # Leaving one of three copies out is nearer to the derivative than leaving out the item.
        assert new.tolist() == pytest.approx(usual.tolist(), rel=0.08)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(2, 12))
def test_order_and_names_of_rows_do_not_matter_and_no_interval_is_shorter(seed, n_runs, n_items):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, (2, n_items, n_runs)).astype(float)
    item, run = (each.ravel() for each in np.indices((n_items, n_runs)))
    order = rng.permutation(n_items * n_runs)
    names = rng.permutation(n_runs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = [
            mc.compare(
                mc.Predictions.from_scores(
                    {"a": x[0].ravel()[rows], "b": x[1].ravel()[rows]}, groups=item[rows],
                    runs=runs[rows], bounds=(0, 1),
                ), generalize_to=generalize_to, n_resamples=99,
            ).evidence
            for rows, runs, generalize_to in (
                (np.arange(len(order)), run, "auto"), (order, names[run], "auto"),
                (order, run, "items"),
            )
        ]  # fmt: skip
    # Intervals as they are before p-values of swaps extend them to 0.
    frames = []
    for each in results:
        interval = each.bootstrap.difference_interval(*each.pairs, "auto", 0.95)
        frames.append([each.error[0, 0], interval.low[0, 0], interval.high[0, 0]])
    first, again, these = frames
    np.testing.assert_allclose(first, again, rtol=1e-9, atol=1e-12)
    assert first[1] <= these[1] + 1e-9
    assert first[2] >= these[2] - 1e-9
    assert first[2] > first[1]


@pytest.mark.parametrize("shift", np.linspace(0, 1.2, 13))
def test_interval_and_p_value_agree(shift):
    preds = preds_of(a=A, b=A.mean() - shift + scores(1) - scores(1).mean())
    (row,) = mc.compare(preds, **BOTH).differences.to_dict("records")
    assert (row["p_value"] < 0.05) == (row["ci_low"] > 0)


def test_what_is_declared_decides_and_not_whether_runs_are_seen_to_vary():
    for spread in (0.0, 0.3):
        preds = preds_of(a=scores(0, spread), b=scores(1, spread))
        assert "|generalize_to:items+runs|" in mc.compare(preds, n_resamples=99).signature
    for preds in (ONE, SHARED.with_columns(runs=None), preds_of(RUN, RUN, a=A, b=B)):
        found = mc.compare(preds, n_resamples=99)
        assert "generalize_to:" not in found.signature
        assert found.signature == mc.compare(preds, generalize_to="items", n_resamples=99).signature


@pytest.mark.parametrize(
    ("preds", "why"),
    [
        (SHARED.subset(np.arange(N * R) != 7), "item 1 has 1 rows in one run and 0 in another"),
        (preds_of({"a": RUN, "b": RUN * 0 + 9}, a=A, b=B), "model 'b' has one run"),
        (preds_of({"a": RUN, "b": RUN + 1}, a=A, b=B), "share some runs and not others"),
    ],
)
def test_declared_runs_that_are_not_complete_are_warned_of(preds, why):
    asks = [
        lambda **how: mc.compare(preds, n_resamples=99, **how),
        lambda **how: mc.decide(preds, "a", "b", "mean_score", margin=0.1, **how),
        lambda **how: mc.sample_size(preds, "a", "b", "mean_score", **how),
    ]
    for ask in asks:
        with pytest.warns(DataWarning, match=f"{why}.*The answer is therefore for these runs"):
            found = ask()
        assert "generalize_to:" not in found.signature
        assert found.signature == ask(generalize_to="items").signature
        assert "would vary more" in " ".join(str(found).split())


def test_named_runs_of_many_rows_take_no_time():
    """Names of runs are compared once for each model, and not row by row: that took 25 s."""
    item, run = (each.ravel() for each in np.indices((10_000, 2)))
    scores = np.random.default_rng(0).random((4, len(item)))
    runs = {f"m{k}": np.array([f"m{k}-{r}" for r in run], dtype=object) for k in range(4)}
    preds = preds_of(runs, item, **dict(zip(runs, scores, strict=True)))
    start = time.process_time()
    assert runs_are_random(preds, "auto")
    assert time.process_time() - start < 5


def test_verdict_and_signature_name_the_question_that_was_answered():
    new = mc.compare(SHARED, n_resamples=99)
    these = mc.compare(SHARED, generalize_to="items", n_resamples=99)
    assert new.verdict().endswith(NEW)
    assert "|generalize_to:items+runs|" in new.signature
    assert "test:wald" in new.signature
    assert "for these runs" not in new.signature
    assert "For these 6 runs" in these.verdict()
    assert "|for these runs|" in these.signature
    assert "generalize_to='items+runs'" in new.document().reproduce
    assert "variance over items and training runs" in new.document().method
    assert "samples would be needed" not in new.verdict()
    assert new.standings["p_best"].isna().all()


def test_corrections_and_selected_classes_are_those_of_other_comparisons():
    three = preds_of(a=A, b=B, c=scores(2, mean=0.8))
    found = mc.compare(three, **BOTH).differences
    least = found["p_value"].min()
    assert found["p_adjusted"].min() == pytest.approx(3 * least)
    every = mc.compare(CLASSES, "f1", **BOTH).differences
    one = mc.compare(CLASSES, "f1[1]", **BOTH).differences
    assert one["standard_error"][0] == every["standard_error"][1]
    assert one["ci_low"][0] == every["ci_low"][1]


def test_few_runs_have_a_warning():
    few = SHARED.subset(RUN < 3)
    for ask in (
        lambda: mc.compare(few, n_resamples=99),
        lambda: mc.decide(few, "a", "b", "mean_score", margin=0.1, n_resamples=99),
    ):
        with pytest.warns(mc.SparseDataWarning, match="3 runs of a model decide how far new runs"):
            ask()


INSTEAD = r"for an answer about these runs use generalize_to='items' \(--generalize-to items\)"
REFUSED = {
    "model 'a' has one run": lambda: mc.compare(ONE, **BOTH),
    "item 1 has 1 rows in one run and 0": lambda: mc.compare(
        SHARED.subset(np.arange(N * R) != 7), **BOTH
    ),
    "no column names them": lambda: mc.compare(SHARED.with_columns(runs=None), **BOTH),
    "no column names the items": lambda: mc.sample_size(
        SHARED.with_columns(groups=None), "a", "b", "mean_score", generalize_to="items+runs"
    ),
    "the runs are the clusters": lambda: mc.compare(preds_of(RUN, RUN, a=A, b=B), **BOTH),
    "models 'a' and 'b' share some runs": lambda: mc.compare(
        preds_of({"a": RUN, "b": RUN + 1}, a=A, b=B), **BOTH
    ),
    "all rows in memory": lambda: mc.compare(mc.io.sketch(SHARED, "mean_score"), **BOTH),
    "method='BCa' does not know": lambda: mc.compare(SHARED, method="BCa"),
    "test='permutation' does not know": lambda: mc.compare(SHARED, test="permutation"),
    "correction='max-t' does not know": lambda: mc.compare(SHARED, correction="max-t"),
    "correction='min-p' does not know": lambda: mc.compare(SHARED, correction="min-p"),
    "ece has no influences": lambda: mc.compare(
        mc.Predictions(
            ITEM % 2, {"a": np.c_[np.full(N * R, 0.3), np.full(N * R, 0.7)]}, groups=ITEM, runs=RUN
        ), "ece",
    ),
    "missing='bounds' does not know how new runs vary": lambda: mc.compare(SHARED, missing="bounds"),
    "max-t is a quantile": lambda: mc.compare(SHARED, n_resamples=99).simultaneous_intervals(),
    "method='percentile' does not": lambda: mc.compare(
        SHARED, n_resamples=99
    ).bootstrap.confidence_interval(method="percentile"),
    "method='normal' does not know": lambda: mc.decide(
        SHARED, "a", "b", "mean_score", margin=0.1, method="normal"
    ),
}  # fmt: skip


@needs("large", "bounds", "calibration")
@pytest.mark.parametrize("message", REFUSED)
def test_what_does_not_know_how_runs_vary_is_refused_with_the_remedy(message):
    with pytest.raises(ValueError, match=f"{message}(.|\n)*{INSTEAD}"):
        REFUSED[message]()


def test_runs_by_model_name_all_models():
    with pytest.raises(ValueError, match="`runs` names the models a, and there are a, b; give the"):
        preds_of({"a": RUN}, a=A, b=B)


def test_separate_runs_outlive_selections():
    part = SEPARATE.subset(RUN < 4)
    assert run_counts(part[["b"]]) == [4]
    assert part.access.runs_of("b").tolist() == (RUN[RUN < 4] + 100).tolist()
    assert SEPARATE.with_columns(runs=None).access.runs_of("b") is None
    assert SEPARATE.with_columns(runs=RUN).access.runs_of("b").tolist() == RUN.tolist()


def test_components_of_models_with_different_numbers_of_runs_are_asked_for_apart():
    runs = {"a": RUN % 2, "b": RUN + 100}
    preds = preds_of(runs, a=np.tile(A[:, :2], 3), b=B)
    with pytest.raises(ValueError, match="model 'a' repeats its 2 runs among those of models"):
        mc.diagnostics.variance_components(preds, "mean_score", n_resamples=99)
    p = preds[["a"]]
    found = mc.diagnostics.variance_components(
        p.with_columns(runs=p.access.runs_of("a")), "mean_score", n_resamples=1999
    )
    assert found["se_runs"][0] == pytest.approx(np.sqrt(squares(A[:, :2])[1]), rel=0.1)


def test_decisions_are_for_new_runs_too():
    ask = {"baseline": "b", "candidate": "a", "metric": "mean_score", "margin": 0.1}
    new = mc.decide(SHARED, **ask, n_resamples=99)
    these = mc.decide(SHARED, **ask, generalize_to="items", n_resamples=99)
    assert new.sentence().endswith(NEW)
    assert new.signature.endswith("generalize_to:items+runs")
    assert new.ci_low < these.ci_low
    assert new.ci_high > these.ci_high
    full = mc.compare(SHARED, confidence_level=0.9, **BOTH).differences
    assert (new.ci_low, new.ci_high) == pytest.approx((full["ci_low"][0], full["ci_high"][0]))
    close = mc.decide(SHARED, **{**ask, "margin": 0.4}, n_resamples=99)
    assert close.answer == "not enough data"
    assert np.isnan(close.n_needed)
    assert "More runs of both models would be, or more samples." in close.sentence()
    gate = mc.gate(SHARED, "b", "a", ["mean_score:-0.1"], n_resamples=99)
    assert gate.decisions[0].ci_low == new.ci_low
    assert "generalize_to:items+runs" in gate.signature


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "seeds.csv"
    frame = pd.DataFrame({"item": ITEM, "seed": RUN, "a": A.ravel(), "b": B.ravel()})
    long = frame.melt(["item", "seed"], var_name="model", value_name="score")
    long.to_csv(path, index=False)
    return str(path)


def test_commands_answer_for_new_runs_and_for_these(table, capsys):
    few = ["--resamples", "99"]
    gate = ["--baseline", "b", "--candidate", "a", "--margin", "0.1", "--higher-is-better"]
    two = ["--model", "a", "--model", "b"]
    asked = {
        "compare": ["compare", table, *few],
        "gate": ["gate", table, *gate, *few],
    }
    for command in asked.values():
        main(command)
        assert "new runs are allowed for" in " ".join(capsys.readouterr().out.split())
        main([*command, "--generalize-to", "items"])
        assert "For these 6 runs: others" in " ".join(capsys.readouterr().out.split())
    assert main(["sample-size", table, *two]) == 0
    assert "runs of each" in capsys.readouterr().out
    assert main(["sample-size", table, *two, "--generalize-to", "items"]) == 0
    assert "runs of each" not in capsys.readouterr().out


@needs("suites")
@pytest.mark.parametrize("how", ["auto", "items+runs", "sets+runs"])
def test_runs_on_some_sets_only_are_refused_when_asked_and_not_when_printed(how):
    sets = {name: preds_of(RUN + first, a=A, b=B) for name, first in (("x", 0), ("y", 3))}
    with pytest.raises(ValueError, match="has some runs on all test sets and others on one"):
        mc.compare_groups(sets, "mean_score", generalize_to=how, n_resamples=9)
    assert mc.compare_groups(
        sets, "mean_score", generalize_to="items", n_resamples=9
    ).pooled_scores.size
    # A set without weight is in no mean.
    weights = {"x": 1.0, "z": 1.0, "y": 0.0}
    several = {**sets, "z": SHARED}
    if how != "sets+runs":
        mc.compare_groups(several, "mean_score", weights=weights, generalize_to=how, n_resamples=9)
