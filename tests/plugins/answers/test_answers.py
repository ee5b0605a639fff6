"""Metrics of repeated answers, by all subsets, published formulas, and sums over items."""

import itertools
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import modelcompare as mc
from modelcompare.cli.app import main
from tests.plugged import needs, of_plugins

LOGS = Path(__file__).parents[2] / "data" / "formats" / "inspect"
FAMILIES = {
    "pass_at_k": max,
    "pass_hat_k": min,
    "best_of_k": max,
    "majority_of_k": lambda drawn: sorted(drawn)[len(drawn) // 2],
}
rng = np.random.default_rng(0)
SIZES = rng.integers(5, 9, 12)
ITEM = np.repeat([f"q{i}" for i in range(len(SIZES))], SIZES)
RATE = np.repeat(rng.random(len(SIZES)), SIZES)
A, B = (rng.random((2, len(ITEM))) < RATE).astype(float)
PREDS = mc.Predictions.from_scores({"a": A, "b": B}, groups=ITEM, greater_is_better=True)


def plain(family, items, scores, k):
    return getattr(mc.metrics, family)(items, scores, k=k)


def by_item(scores, family, k, item=ITEM):
    """Return the mean over all subsets of k answers, for each item."""
    return np.array([
        np.mean([FAMILIES[family](drawn) for drawn in itertools.combinations(own, k)])
        for own in (scores[item == each] for each in pd.unique(item))
    ])  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_the_value_is_the_mean_over_items_of_all_subsets(family, k):
    if family == "majority_of_k" and k % 2 == 0:
        return
    name = f"{family.removesuffix('k')}{k}"
    order = rng.permutation(len(ITEM))
    found = mc.bootstrap(PREDS.subset(order), name, n_resamples=2).point.ravel()
    expected = [by_item(x, family, k).mean() for x in (A, B)]
    assert found == pytest.approx(expected, abs=1e-12)
    assert plain(family, ITEM[order], A[order], k) == pytest.approx(expected[0], abs=1e-12)


@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_best_of_k_is_of_scores_of_any_range_and_low_ones_where_these_are_good(k):
    scores = rng.normal(size=len(ITEM)).round(1)
    assert plain("best_of_k", ITEM, scores, k) == pytest.approx(
        by_item(scores, "best_of_k", k).mean()
    )
    low = mc.Predictions.from_scores({"a": scores}, groups=ITEM, greater_is_better=False)
    found = mc.compare(low, f"best_of_{k}", n_resamples=99).scores
    assert found["estimate"][0] == pytest.approx(-by_item(-scores, "best_of_k", k).mean())
    assert (
        not mc.bootstrap(low, f"best_of_{k}", n_resamples=2).evaluation.metrics[0].greater_is_better
    )


@pytest.mark.parametrize(("n", "k"), [(10, 5), (200, 1), (200, 100), (1000, 10)])
def test_pass_at_k_is_the_stable_product_of_chen_et_al(n, k):
    for c in {0, 1, n // 3, n - k, n - 1, n}:
        product = 1.0 if n - c < k else 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))
        scores = np.arange(n) < c
        assert plain("pass_at_k", [1] * n, scores, k) == pytest.approx(product, abs=1e-12)


@pytest.mark.parametrize("c", [0, 3, 11, 20])
def test_most_of_k_and_all_of_k_are_hypergeometric(c):
    scores = np.arange(20) < c
    drawn = stats.hypergeom(20, c, 7)
    assert plain("majority_of_k", [1] * 20, scores, 7) == pytest.approx(drawn.sf(3), abs=1e-12)
    assert plain("pass_hat_k", [1] * 20, scores, 7) == pytest.approx(drawn.pmf(7), abs=1e-12)


def test_many_answers_do_not_overflow():
    scores = np.arange(3000) < 1
    assert plain("pass_at_k", [1] * 3000, scores, 1500) == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
def test_errors_are_those_of_the_items_values(family):
    name = f"{family.removesuffix('k')}3"
    found = mc.compare(PREDS, name, n_resamples=99)
    a, b = (by_item(x, family, 3) for x in (A, B))
    root = np.sqrt(len(a))
    assert found.scores["standard_error"].tolist() == pytest.approx(
        [a.std(ddof=1) / root, b.std(ddof=1) / root]
    )
    assert found.differences["standard_error"][0] == pytest.approx((a - b).std(ddof=1) / root)


def test_the_test_swaps_whole_items():
    found = mc.paired_test(PREDS, "a", "b", "pass_at_3", method="permutation", n_resamples=20_000)
    d = by_item(A, "pass_at_k", 3) - by_item(B, "pass_at_k", 3)
    signs = np.array([*itertools.product([-1, 1], repeat=len(d))])
    expected = (abs(signs @ d) >= abs(d.sum()) - 1e-12).mean()
    # Four standard errors of the simulation.
    assert abs(found.p_value - expected) < 4 * np.sqrt(expected * (1 - expected) / 20_000) + 1e-4


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_at_the_ends_the_interval_is_wilsons_of_the_items(value):
    preds = mc.Predictions.from_scores(
        {"a": np.full(len(ITEM), value)}, groups=ITEM, greater_is_better=True
    )
    for name in ("pass_at_2", "pass_hat_2", "majority_of_3", "best_of_2"):
        (row,) = mc.compare(preds, name, n_resamples=99).scores.to_dict("records")
        expected = proportion_confint(value * len(SIZES), len(SIZES), method="wilson")
        assert row["estimate"] == pytest.approx(value)
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(expected, abs=1e-6)


def test_no_end_is_closer_than_that_of_a_value_at_the_bound():
    """Few answers pass, so that the error is small, though an item of which all pass is possible."""
    scores = np.zeros((164, 10))
    other = scores.copy()
    scores[:3, :5] = other[2:6, :5] = 1
    item = np.repeat(np.arange(164), 10)
    for sign, name in ((1, "pass_hat_5"), (-1, "pass_at_5")):
        x, y = (table.ravel() if sign == 1 else 1 - table.ravel() for table in (scores, other))
        preds = mc.Predictions.from_scores({"a": x, "b": y}, groups=item, greater_is_better=True)
        found = mc.compare(preds, name, n_resamples=99)
        (a, _), (difference,) = (
            frame.to_dict("records") for frame in (found.scores, found.differences)
        )
        low, high = proportion_confint(0 if sign == 1 else 164, 164, method="wilson")
        end = a["ci_high"] - high if sign == 1 else low - a["ci_low"]
        assert end == pytest.approx(0, abs=1e-9)
        # One unseen disagreement over the whole range, if the next is unlike the five seen.
        unseen = stats.norm.ppf(0.975) * np.sqrt(2 * (1 - 5 / 164) * 3 / 5) / 166
        assert difference["ci_high"] - difference["difference"] == pytest.approx(unseen)


def test_items_weigh_as_their_rows_do():
    weight = np.repeat(rng.random(len(SIZES)), SIZES)
    preds = mc.Predictions.from_scores(
        {"a": A}, groups=ITEM, sample_weight=weight, greater_is_better=True
    )
    found = mc.bootstrap(preds, "pass_at_3", n_resamples=2).point.item()
    own = weight[np.cumsum(SIZES) - 1]
    assert found == pytest.approx(np.average(by_item(A, "pass_at_k", 3), weights=own))


IDS, RUN = np.repeat(np.arange(10), 6), np.tile(np.arange(6), 10)
PASSAGE = IDS // 2
X, Y = (rng.random((2, 60)) < 0.4).astype(float)


def in_runs():
    return mc.Predictions.from_scores(
        {"a": X, "b": Y}, ids=IDS, runs=RUN, groups=PASSAGE, greater_is_better=True
    )


@needs("runs")
def test_items_are_the_ids_that_repeat_where_clusters_hold_several():
    found = mc.compare(in_runs(), "pass_at_3", generalize_to="items", n_resamples=99)
    values = by_item(X, "pass_at_k", 3, IDS)
    assert found.scores["estimate"][0] == pytest.approx(values.mean())
    of_passages = values.reshape(5, 2).mean(axis=1)
    error = of_passages.std(ddof=1) / np.sqrt(5)
    assert found.scores["standard_error"][0] == pytest.approx(error)


@needs("runs")
def test_new_runs_are_refused_and_these_answered():
    message = "`runs` are declared, and pass_at_3 has no influences that show how new"
    for generalize_to in ("auto", "items+runs"):
        for ask in (
            lambda r: mc.compare(in_runs(), "pass_at_3", generalize_to=r, n_resamples=99),
            lambda r: mc.decide(in_runs(), "a", "b", "pass_at_3", margin=0.1, generalize_to=r),
            lambda r: mc.gate(in_runs(), "a", "b", ["pass_at_3:-0.1"], generalize_to=r),
        ):
            with pytest.raises(ValueError, match=re.escape(message)):
                ask(generalize_to)
    decided = mc.decide(in_runs(), "a", "b", "pass_at_3", margin=0.1, generalize_to="items")
    a, b = (by_item(x, "pass_at_k", 3, IDS).mean() for x in (X, Y))
    assert decided.gain == pytest.approx(b - a)


def scored(**options):
    return mc.Predictions.from_scores({"a": A, "b": B}, **{"greater_is_better": True, **options})


def asked(preds, name="pass_at_2", **options):
    return mc.compare(preds, name, n_resamples=99, **options)


REFUSED = {
    "metric 'pass_at_2' is of several answers to each item, and no column names the items; give "
    "`groups` (--groups COLUMN), or `runs` and `ids` that repeat from run to run (--read "
    "run=COLUMN --id COLUMN).": lambda: asked(scored()),
    "pass_at_6 draws 6 answers to each item, and item q": lambda: asked(PREDS, "pass_at_6"),
    "`k` must be odd, got 4.": lambda: asked(PREDS, "majority_of_4"),
    "`k` must be at least 1, got 0.": lambda: plain("pass_at_k", ITEM, A, 0),
    "unknown metric 'pass_at_0'": lambda: asked(PREDS, "pass_at_0"),
    "pass_at_2 needs scores of 0 and 1, and there are others in": lambda: asked(
        mc.Predictions.from_scores({"a": A / 2}, groups=ITEM, greater_is_better=True)
    ),
    "counts answers with a score of 1 as passes, but low scores are good here; give 1 to right "
    "answers.": lambda: asked(scored(groups=ITEM, greater_is_better=False)),
    "metric 'pass_at_2' is of one score, and there are x, y; read one, with columns={'score': 'x'} (--read "
    "score=x).": lambda: asked(
        mc.Predictions.from_scores({"a": {"x": A, "y": B}}, groups=ITEM, greater_is_better=True)
    ),
    "metric 'best_of_5' is of one score, and there are x, y": lambda: asked(
        mc.Predictions.from_scores({"a": {"x": A, "y": B}}, groups=ITEM, greater_is_better=True), mc.get_metric("best_of_5")
    ),
    "there is no score 'pass_at2'; the models have x, and percentiles of these, such as x_p95.": lambda: asked(
        mc.Predictions.from_scores({"a": {"x": A}}, groups=ITEM, greater_is_better=True), "pass_at2"
    ),
    "metric 'pass_at_2' needs scores, but model 'a' gave labels.": lambda: asked(
        mc.Predictions(A, {"a": B}, groups=ITEM)
    ),
    "is not a sum over samples, and a sketch stores sums only; compute it from the predictions.":
        lambda: asked(mc.io.sketch(PREDS, "mean_score")),
    "metric 'pass_at_2' depends on the test set as a whole": lambda: mc.io.sketch(
        PREDS, "pass_at_2"
    ),
    "pass_at_2 needs one answer to each item in a run, and there is another in 30 rows (first: 1, "
    "3, 5); name the items by `ids`": lambda: asked(
        mc.Predictions.from_scores({"a": X}, groups=IDS, runs=RUN // 2, greater_is_better=True), generalize_to="items"
    ),
    "McNemar's tests are of accuracy, or of scores that are 0 or 1, not of pass_at_2": lambda:
        mc.paired_test(PREDS, "a", "b", "pass_at_2", method="mcnemar-exact"),
}  # fmt: skip


@needs("large", "runs")
@pytest.mark.parametrize(
    "message", of_plugins(REFUSED, classical=[each for each in REFUSED if "McNemar" in each])
)
def test_what_has_no_answer_is_refused_with_advice(message):
    with pytest.raises(ValueError, match=re.escape(message)):
        REFUSED[message]()


@needs("large")
def test_a_scan_is_refused_where_the_rows_of_an_item_are_not_read_together(tmp_path, monkeypatch):
    frame = pd.DataFrame({"item": ITEM, "a": A, "b": B})
    frame.to_parquet(tmp_path / "t.parquet")
    scan = mc.io.scan_predictions(
        tmp_path / "t.parquet", columns={"groups": "item"}, models=["a", "b"]
    )
    monkeypatch.setattr("modelcompare.plugins.large.planning.SHARE", 0)
    with pytest.raises(ValueError, match=r"pass_at_2 needs all samples at once.*load"):
        asked(scan)
    monkeypatch.undo()
    assert asked(scan.load()).scores["estimate"].tolist() == pytest.approx(
        [by_item(x, "pass_at_k", 2).mean() for x in (A, B)]
    )


def test_metrics_of_answers_are_listed_where_items_are_known():
    names = {"pass_at_5", "pass_hat_5", "majority_of_5", "best_of_5"}
    assert names <= {*mc.list_metrics()["metric"]}
    assert names <= {*mc.list_metrics(PREDS)["metric"]}
    assert names.isdisjoint(mc.list_metrics(scored())["metric"])


@needs("bounds", "runs")
def test_missing_answers_have_bounds():
    table = pd.DataFrame({"model": "a", "item": IDS, "run": RUN, "score": X})
    table.loc[[3, 20], "score"] = np.nan
    preds = mc.read_predictions(table, missing="worst", greater_is_better=True)
    found = mc.compare(preds, "pass_hat_2", generalize_to="items", missing="bounds", n_resamples=99)
    ends = [
        by_item(table["score"].fillna(fill).to_numpy(), "pass_hat_k", 2, IDS).mean()
        for fill in (0.0, 1.0)
    ]
    assert found.scores[["worst", "best"]].to_numpy().ravel() == pytest.approx(ends)


def logged(name):
    """Return the scores of a log, by sample, without the reader."""
    found = {}
    for each in json.loads((LOGS / f"{name}.json").read_text(encoding="utf-8"))["samples"]:
        value = (each.get("scores") or {}).get("match", {}).get("value")
        found.setdefault(each["id"], []).append(float(value == "C"))
    return found


@needs("logs")
def test_epochs_of_a_log_are_answers_of_their_sample(capsys):
    command = ["compare", *(str(LOGS / f"{m}.eval") for m in ("alpha", "beta")), "--missing",
               "worst", "--read", "score=match", "--resamples", "99", "--format", "json"]  # fmt: skip
    for name, best in (("pass_at_2", max), ("pass_hat_2", min)):
        assert main([*command, "-m", name]) == 0
        found = json.loads(capsys.readouterr().out)
        estimates = {row["model"]: row["estimate"] for row in found["scores"]}
        for model in ("alpha", "beta"):
            expected = np.mean([best(values) for values in logged(model).values()])
            assert estimates[f"mockllm/{model}"] == pytest.approx(expected)


@needs("runs")
def test_clusters_that_hold_several_samples_do_not_pool_their_answers(capsys, tmp_path):
    table = pd.DataFrame({"model": "a", "item": IDS, "passage": PASSAGE, "run": RUN, "score": X})
    path = tmp_path / "t.csv"
    pd.concat([table, table.assign(model="b", score=Y)]).to_csv(path, index=False)
    options = [
        "--groups",
        "passage",
        "--generalize-to",
        "items",
        "--resamples",
        "99",
        "--format",
        "json",
    ]
    assert main(["compare", str(path), "-m", "pass_at_3", *options]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    expected = [by_item(x, "pass_at_k", 3, IDS).mean() for x in (X, Y)]
    assert {row["model"]: row["estimate"] for row in scores} == pytest.approx(
        dict(zip("ab", expected, strict=True))
    )


def test_terms_of_papers_have_the_number_of_answers():
    assert mc.get_metric("pass@4").name == "pass_at_4"
    assert mc.get_metric("Pass^4").name == "pass_hat_4"


def test_the_families_are_plain_functions():
    assert mc.metrics.pass_at_k(["q", "q"], [1, 0], k=1) == 0.5
    assert {"pass_at_k", "majority_of_k"} <= {*mc.metrics.FAMILIES}
