"""c-indices and the integrated Brier score: loops, scikit-survival, laws, refusals, tables."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from modelcompare.metrics.base import Outcomes
from tests.plugged import needs

C_INDICES = ("c_index", "c_index_ipcw", "c_index_ipcw_at_6")
TIMES = np.array([1.0, 2.0, 4.0, 7.0])


def patients(n=40, seed=0, *, ties=False):
    rng = np.random.default_rng(seed)
    risk = rng.standard_normal(n)
    until, censored = 5 * rng.exponential(np.exp(-risk)), rng.exponential(8, n)
    time, event = np.minimum(until, censored), until <= censored
    time[0], event[0] = 20.0, False
    seen = {m: risk + s * rng.standard_normal(n) for m, s in (("a", 0.5), ("b", 1.0))}
    if ties:
        time, seen = np.ceil(time), {m: np.round(x) for m, x in seen.items()}
    return np.column_stack([time, event]), seen


def curves(seen):
    return {m: np.exp(-np.exp(x)[:, None] * TIMES / 5) for m, x in seen.items()}


def of_risks(*given, **options):
    truth, seen = patients(*given, **options)
    return mc.Predictions(truth, seen, kind="risks")


def of_curves(*given, **options):
    truth, seen = patients(*given, **options)
    return mc.Predictions(truth, curves(seen), kind="survival_probabilities", labels=TIMES)


def uncensored(truth, weight):
    """Kaplan and Meier's estimate for being censored, after events of the same time."""
    time, event = truth.T
    steps = {}
    for at in np.unique(time):
        left = weight[(time > at) | ((time == at) & (event == 0))].sum()
        gone = weight[(time == at) & (event == 0)].sum()
        steps[at] = 1 - gone / left if left else 1.0
    return lambda t: np.prod([step for at, step in steps.items() if at <= t])


def c_index_loop(truth, risk, weight, name):
    """Sum over pairs, as published."""
    time, event = truth.T
    at, last = uncensored(truth, weight), float(name.partition("_at_")[2] or np.inf)
    good = pairs = 0.0
    for i in np.flatnonzero(event * (time < last)):
        g = 1.0 if name == "c_index" else at(time[i])
        for j in range(len(time)):
            if time[j] > time[i] or (time[j] == time[i] and not event[j]):
                w = weight[i] * weight[j] / g**2 if g else 0.0
                pairs += w
                good += w * ((risk[i] > risk[j]) + (risk[i] == risk[j]) / 2)
    return good / pairs


def brier_loop(truth, survival, weight):
    time, event = truth.T
    at = uncensored(truth, weight)
    scores = []
    for k, t in enumerate(TIMES):
        total = 0.0
        for i in range(len(time)):
            if time[i] <= t and event[i]:
                total += weight[i] * survival[i, k] ** 2 / at(time[i])
            elif time[i] > t:
                total += weight[i] * (1 - survival[i, k]) ** 2 / at(t)
        scores.append(total / weight.sum())
    return np.trapezoid(scores, TIMES) / (TIMES[-1] - TIMES[0])


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", [*C_INDICES, "integrated_brier_score"])
def test_values_are_those_of_loops(name, weighted, ties):
    truth, seen = patients(seed=1, ties=ties)
    weight = np.random.default_rng(2).random(40) if weighted else np.ones(40)
    for risk, survival in zip(seen.values(), curves(seen).values(), strict=True):
        if name == "integrated_brier_score":
            found = mc.metrics.integrated_brier_score(
                truth, survival, labels=TIMES, sample_weight=weight
            )
            expected = brier_loop(truth, survival, weight)
        else:
            function = getattr(mc.metrics, name.partition("_at_")[0])
            options = {"tau": 6.0} if "_at_" in name else {}
            found = function(truth, risk, sample_weight=weight, **options)
            expected = c_index_loop(truth, risk, weight, name)
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_values_are_those_of_scikit_survival(seed):
    theirs = pytest.importorskip("sksurv.metrics")
    surv = pytest.importorskip("sksurv.util").Surv
    truth, seen = patients(60, seed, ties=seed % 2 == 1)
    y, event = surv.from_arrays(truth[:, 1] == 1, truth[:, 0]), truth[:, 1] == 1
    risk, survival = seen["a"], curves(seen)["a"]
    assert mc.metrics.c_index(y, risk) == pytest.approx(
        theirs.concordance_index_censored(event, truth[:, 0], risk)[0], abs=1e-12
    )
    for tau in (None, 6.0):
        assert mc.metrics.c_index_ipcw(y, risk, tau=tau) == pytest.approx(
            theirs.concordance_index_ipcw(y, y, risk, tau)[0], abs=1e-12
        )
    assert mc.metrics.integrated_brier_score(y, survival, labels=TIMES) == pytest.approx(
        theirs.integrated_brier_score(y, y, survival, TIMES), abs=1e-12
    )


def test_without_censoring_all_c_indices_are_shares_of_pairs():
    rng = np.random.default_rng(3)
    time, risk = rng.random((2, 30))
    truth = np.column_stack([time, np.ones(30)])
    earlier = time[:, None] < time
    expected = (earlier & (risk[:, None] > risk)).sum() / earlier.sum()
    assert mc.metrics.c_index(truth, risk) == pytest.approx(expected)
    assert mc.metrics.c_index_ipcw(truth, risk) == pytest.approx(expected)
    assert mc.metrics.c_index(truth, -time) == 1.0
    assert mc.metrics.c_index(truth, np.zeros(30)) == 0.5


@pytest.mark.parametrize("name", [*C_INDICES, "integrated_brier_score"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_weight_is_a_number_of_equal_samples(name, weighted):
    preds = (of_curves if name.startswith("integrated") else of_risks)(30, 4, ties=True)
    counts = np.random.default_rng(5).integers(0, 4, 30)
    rows = np.repeat(np.arange(30), counts)
    metric, outcomes = mc.get_metric(name), Outcomes.of(preds, "a")
    weights = counts.astype(float if weighted else np.uint8)
    repeated = Outcomes.of(preds.subset(rows), "a")
    found = metric.prepare(outcomes)(np.stack([weights, weights]))
    ones = np.ones((1, len(rows)))
    assert found == pytest.approx(np.repeat(metric.prepare(repeated)(ones), 2), abs=1e-12)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("name", [*C_INDICES, "integrated_brier_score"])
@pytest.mark.parametrize(
    "weigh", [np.ones, lambda n: np.arange(n) % 3 / 2, np.random.default_rng(7).random]
)
def test_leave_one_out_values_are_those_without_each_sample(name, ties, weigh):
    for seed in range(6, 12):
        preds = (of_curves if name.startswith("integrated") else of_risks)(25, seed, ties=ties)
        metric, outcomes = mc.get_metric(name), Outcomes.of(preds, "a")
        weight = weigh(25)
        left = np.where(np.eye(25), 0.0, weight)
        expected = metric.prepare(outcomes)(left)
        assert metric.jackknife(outcomes, weight) == pytest.approx(expected, abs=1e-12)


def test_compare_decide_and_gate_take_survival():
    preds = of_risks(200, 8)
    result = mc.compare(preds, n_resamples=500)
    assert {*result.scores["metric"]} == {"c_index", "c_index_ipcw"}
    row = result.differences.iloc[0]
    scores = [mc.metrics.c_index(preds.y_true, preds.output(m).array) for m in ("a", "b")]
    assert row["difference"] == pytest.approx(scores[0] - scores[1])
    assert row["ci_low"] < row["difference"] < row["ci_high"]
    decided = mc.decide(preds, "a", "b", "c_index", margin=0.15)
    assert decided.answer == "shown"
    assert -0.15 < decided.ci_low < row["difference"]
    lower = mc.compare(of_curves(200, 8), n_resamples=500).scores
    assert [*lower["metric"]] == ["integrated_brier_score"] * 2
    assert lower.set_index("model")["rank"].to_dict()["a"] == 1


@pytest.mark.filterwarnings("ignore:c_index is undefined")
def test_few_events_have_a_note_however_many_samples():
    truth, seen = patients(300, 9)
    truth[:, 1] = 0
    truth[1:7, 1] = 1
    few = mc.compare(mc.Predictions(truth, seen, kind="risks"), "c_index", n_resamples=200)
    assert few.verdict().splitlines()[-1] == "c_index: as uncertain as 6 samples."
    many = mc.compare(of_risks(300, 9), "c_index", n_resamples=200)
    assert "as uncertain as" not in many.verdict()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _, x: (None, x, {}), "outputs of kind 'risks' need it"),
        (lambda t, x: (t[:, 0], x, {}), "must have two numbers for each sample"),
        (lambda t, x: (t[:, ::-1], x, {}), "exchange the columns"),
        (lambda t, x: (t * [1, 0], x, {}), "every sample is censored"),
        (lambda t, x: (t * [1, 2], x, {}), "must have a time and 1 if the event was seen"),
        (lambda t, x: (t - [5, 0], x, {}), "times below 0"),
        (lambda t, x: (t, curves(x), {}), "one risk for each sample"),
        (lambda t, x: (t, x, {"labels": TIMES}), "leave them out"),
        (lambda t, x: (t, {"a": x["a"][:-1]}, {}), "samples"),
    ],
)
def test_risks_that_do_not_fit_are_refused(change, message):
    truth, outputs, options = change(*patients())
    with pytest.raises(ValueError, match=message):
        mc.Predictions(truth, outputs, kind="risks", **options)


@pytest.mark.parametrize(
    ("change", "labels", "message"),
    [
        (lambda x: x, None, "need their times"),
        (lambda x: x, TIMES[::-1], "increasing times"),
        (lambda x: x, TIMES * 10, "give times within"),
        (lambda x: x, TIMES[:3], "for each of the 3 times"),
        (lambda x: 1 - x, TIMES, "increases with time"),
        (lambda x: 2 * x, TIMES, "between 0 and 1"),
        (lambda x: x[:, 0], TIMES, "the probability to survive each of some times"),
    ],
)
def test_survival_probabilities_that_do_not_fit_are_refused(change, labels, message):
    truth, seen = patients()
    outputs = {m: change(x) for m, x in curves(seen).items()}
    with pytest.raises(ValueError, match=message):
        mc.Predictions(truth, outputs, kind="survival_probabilities", labels=labels)


def test_metrics_of_other_outputs_are_refused():
    with pytest.raises(ValueError, match="needs survival_probabilities, but model 'a' gave risks"):
        mc.compare(of_risks(), "integrated_brier_score")
    with pytest.raises(ValueError, match="needs risks, but model 'a' gave survival_prob"):
        mc.compare(of_curves(), "c_index")
    with pytest.raises(ValueError, match="`tau` must be above 0, got -1"):
        mc.get_metric("c_index_ipcw", tau=-1.0)


@needs("time")
def test_risks_have_no_blocks_in_time():
    with pytest.raises(ValueError, match="pass blocks that you know as `groups`"):
        mc.io.in_time_blocks(of_risks(), np.arange(40))


def test_structured_arrays_need_no_kind():
    truth, seen = patients()
    made = np.array([(bool(e), t) for t, e in truth], dtype=[("event", bool), ("time", float)])
    preds = mc.Predictions(made, seen)
    assert {*preds.access.kinds.values()} == {"risks"}
    assert np.array_equal(preds.y_true, truth)
    assert "4 times (1.0, 2.0, 4.0, 7.0)" in repr(mc.Predictions(made, curves(seen), labels=TIMES))


# -- tables -------------------------------------------------------------------------------------


def frames():
    truth, seen = patients(50, 11)
    base = pd.DataFrame({"id": [f"p{k}" for k in range(50)], "time": truth[:, 0],
                         "event": truth[:, 1].astype(int)})  # fmt: skip
    soft = {f"{m}:{t:g}": x[:, k] for m, x in curves(seen).items() for k, t in enumerate(TIMES)}
    return base, base.assign(**seen), base.assign(**soft)


@pytest.mark.parametrize("form", ["frame", "csv", "long", "files"])
def test_tables_of_times_and_events_are_read(form, tmp_path):
    base, wide, _ = frames()
    source = wide
    if form == "csv":
        source = tmp_path / "t.csv"
        wide.to_csv(source, index=False)
    if form == "long":
        source = wide.melt([*base], var_name="model", value_name="y_pred")
    if form == "files":
        source = [tmp_path / f"{m}.csv" for m in "ab"]
        for m, path in zip("ab", source, strict=True):
            base.assign(y_pred=wide[m]).to_csv(path, index=False)
    preds = mc.read_predictions(source)
    assert {*preds.access.kinds.values()} == {"risks"}
    assert preds.y_true == pytest.approx(wide[["time", "event"]].to_numpy())
    assert [preds.output(m).array.tolist() for m in preds.models] == [
        pytest.approx(wide[m].tolist()) for m in "ab"
    ]


def test_columns_with_other_names_and_curves_are_read(tmp_path, run):
    _, wide, soft = frames()
    path = tmp_path / "t.csv"
    wide.rename(columns={"time": "days", "event": "relapse"}).to_csv(path, index=False)
    found = run("compare", path, "--true", "days", "--read", "event=relapse")
    assert "truth: days and relapse" in found.read
    assert "c_index_ipcw" in found.out
    assert "no column of times" in run("compare", path, "--kind", "risks").err
    preds = mc.read_predictions(soft)
    assert preds.labels.tolist() == TIMES.tolist()
    assert preds.output("a").array == pytest.approx(of_curves(50, 11).output("a").array)
    with pytest.raises(ValueError, match=r"event \(--read event\) is for times|is for times until"):
        mc.read_predictions(wide, columns={"event": "event"}, kind="scores")
    with pytest.raises(ValueError, match="no column of events"):
        mc.read_predictions(wide.drop(columns="event"), kind="risks")


def test_rows_without_a_time_are_missing():
    _, wide, _ = frames()
    wide.loc[[3, 7], "time"] = np.nan
    with pytest.raises(ValueError, match="missing cells"):
        mc.read_predictions(wide)
    with pytest.warns(DataWarning, match="left out 2 of 50"):
        assert len(mc.read_predictions(wide, missing="drop")) == 48


@needs("agreement")
def test_no_single_sample_shows_which_risk_is_right():
    with pytest.raises(ValueError, match=r"risks, and a single sample does not show.* by c_index"):
        mc.diagnostics.disagreements(of_risks(30, 12), "a", "b")


@pytest.mark.parametrize("codes", [("no", "yes"), (1, 2)])
@pytest.mark.parametrize("columns", [{}, {"true": "time", "event": "event"}])
def test_events_with_other_codes_are_refused_by_these(codes, columns):
    truth = patients()[0]
    event = np.array(codes, dtype=object)[truth[:, 1].astype(int)]
    table = pd.DataFrame({"time": truth[:, 0], "event": event, "cox": truth[:, 0] / 7})
    shown = ", ".join(map(str, codes))
    with pytest.raises(ValueError, match=f"'event' has {shown}, and an event is 1, a censored"):
        mc.read_predictions(table.infer_objects(), columns=columns)


def test_columns_of_curves_may_be_in_any_order():
    truth = patients()[0]
    times = (1, 2, 4)
    table = pd.DataFrame({"time": truth[:, 0], "event": truth[:, 1]})
    table = table.assign(**{f"{m}:{t}": np.exp(-t * k / 9) for k, m in enumerate("ab", 1)
                            for t in times})  # fmt: skip
    mixed = table[["b:4", "a:2", "time", "b:1", "a:4", "event", "a:1", "b:2"]]
    found, expected = map(mc.read_predictions, (mixed, table))
    for model in "ab":
        np.testing.assert_array_equal(found.output(model).array, expected.output(model).array)


def test_times_of_survival_are_in_the_order_of_their_values():
    time, event = np.arange(1, 13.0), np.arange(12) % 2
    curves = {"cox:2.5": np.full(12, 0.9), "cox:10": np.full(12, 0.5), "cox:5": np.full(12, 0.7)}
    preds = mc.read_predictions(pd.DataFrame({"time": time, "event": event, **curves}))
    assert preds.labels.tolist() == [2.5, 5, 10]
    np.testing.assert_allclose(preds.output("cox").array[0], [0.9, 0.7, 0.5])
