"""Rows that repeat separate runs in different numbers count once, wherever a number is shown."""

import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.comparison.method import comparison_method
from modelcompare.data.sizes import n_items, n_seen, once, run_counts
from modelcompare.intervals import informative_sizes
from tests.plugged import needs, of_plugins, plugged

N = 40
ITEM = [f"q{i}" for i in range(N)]
RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, N)
FEW = {"n_resamples": 99, "generalize_to": "items"}


def results(model: str, run: str, n: int = N) -> pd.DataFrame:
    """Return probabilities of a class in one run of a model; those of b are nearly those of a."""
    seed = [*f"{'b' if model == 'a' else model} {run}".encode()]
    logit = 2.0 * TRUTH[:n] - 1 + np.random.default_rng(seed).normal(size=n)
    if model == "a":
        logit[:2] *= -1
    return pd.DataFrame({"item": ITEM[:n], "p": 1 / (1 + np.exp(-logit))})


def preds_of(n: int = N, kind: str = "probabilities", **runs: str) -> mc.Predictions:
    """Return models' runs in as many rows of an item as their numbers need."""
    n_rows = int(np.lcm.reduce([*map(len, runs.values())]))
    names = {model: [own[row % len(own)] for row in range(n_rows)] for model, own in runs.items()}
    tables = {
        model: pd.concat([results(model, run, n) for run in own]) for model, own in names.items()
    }
    outputs = {model: np.column_stack([1 - x["p"], x["p"]]) for model, x in tables.items()}
    given = {model: np.repeat(own, n) for model, own in names.items()}
    columns = {
        "ids": np.tile(ITEM[:n], n_rows),
        "runs": next(iter(given.values())) if len({*runs.values()}) == 1 else given,
    }
    truth, half = np.tile(TRUTH[:n], n_rows), np.tile(np.arange(n) % 2, n_rows)
    if kind == "scores":
        right = {m: np.where(truth, x["p"], 1 - x["p"]) for m, x in tables.items()}
        return mc.Predictions.from_scores(right, greater_is_better=True, **columns)
    return mc.Predictions(truth, outputs, slices={"half": half}, **columns)


# Of three models the rows of the first two repeat their runs three times.
SHARED = preds_of(a="xy", b="xy")
THREE = preds_of(a="xy", b="xy", c="uvw")
REPEATED = THREE[["a", "b"]]
UNEQUAL = preds_of(kind="scores", a="xyz", b="stuvw")


def test_repeated_rows_are_known():
    assert (len(SHARED), len(REPEATED), len(UNEQUAL)) == (2 * N, 6 * N, 15 * N)
    for preds in (SHARED, REPEATED):
        assert (n_items(preds), n_seen(preds), run_counts(preds)) == (N, 2 * N, [2, 2])
    assert n_items(UNEQUAL) == N
    assert [n_seen(UNEQUAL), n_seen(UNEQUAL, "a"), n_seen(UNEQUAL, "b")] == [5 * N, 3 * N, 5 * N]
    assert [len(once(UNEQUAL, model)) for model in "ab"] == [3 * N, 5 * N]
    assert once(SHARED, "a") is SHARED


def test_items_are_counted_in_clusters_and_where_runs_lack_some():
    passages = UNEQUAL.with_columns(groups=np.array([int(i[1:]) // 4 for i in UNEQUAL.ids]))
    assert (n_items(passages), n_seen(passages)) == (N, 5 * N)
    gaps = SHARED.subset(np.arange(5, 2 * N))
    assert (n_items(gaps), n_seen(gaps)) == (N, 2 * N - 5)
    plain = SHARED.with_columns(runs=None, ids=None, groups=None)
    assert n_items(plain) == n_seen(plain) == 2 * N
    of_runs = plain.with_columns(groups=np.asarray(SHARED.runs), runs=np.asarray(SHARED.runs))
    assert n_items(of_runs) == 2 * N


def sentence(found) -> str:
    return " ".join(str(found).split())


ASKED: dict[str, Callable[[mc.Predictions], object]] = {
    "compare": lambda p: mc.compare(p, ["accuracy", "f1_macro", "roc_auc"], **FEW),
    "compare for new runs": lambda p: mc.compare(
        p, ["cf1_macro", "roc_auc"], n_resamples=99
    ).differences,
    "bootstrap": lambda p: mc.bootstrap(p, "accuracy", n_resamples=99).signature,
    "subgroups": lambda p: mc.compare_groups(p, "accuracy", min_size=N, **FEW),
    "left out": lambda p: mc.compare_groups(
        p.subset(np.flatnonzero((p.slices["half"] == 0) | (p.ids == "q1"))),
        "accuracy", min_size=5, **FEW,
    ).left_out,
    "decide": lambda p: mc.decide(p, "a", "b", "accuracy", margin=0.1, **FEW),
    "unpaired": lambda p: mc.inference.unpaired_test(
        p["a"], preds_of(25, a="xy")["a"], "recall_macro", n_resamples=999
    ),
} | plugged("REPEATED")  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", of_plugins(ASKED, unpaired=["unpaired"]))
def test_answers_about_repeated_rows_are_those_about_each_once(name):
    ask = ASKED[name]
    found, expected = ask(REPEATED), ask(SHARED)
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    else:
        assert sentence(found) == sentence(expected)


def others(preds: mc.Predictions, make: Callable[..., mc.Predictions], *given) -> mc.Predictions:
    """Return other outputs of the same models in the same rows."""
    runs = {model: np.asarray(preds.access.runs_of(model)) for model in preds.models}
    return make(*given, groups=preds.groups, runs=runs)[["a", "b"]]


@pytest.mark.parametrize("share", ["p50", "p95"])
def test_intervals_of_percentiles_too(share):
    """Runs on either side of a median make clusters that seem worth many samples."""
    of_item = dict(zip(ITEM, np.random.default_rng(1).normal(size=N), strict=True))
    found = []
    for preds in (SHARED, THREE):
        first = np.asarray(preds.access.runs_of("a")) == "x"
        sign = np.where(first | np.isin(preds.ids, ITEM[:4]), 1, -1)
        number = sign * np.array([of_item[item] for item in preds.ids])
        latencies = {m: {"latency_ms": number + at} for at, m in enumerate(preds.models)}
        found.append(
            mc.compare(
                others(preds, mc.Predictions.from_scores, latencies), f"latency_ms_{share}", **FEW
            )
        )
    for frame in ("scores", "differences"):
        pd.testing.assert_frame_equal(*(getattr(each, frame) for each in found))


def test_a_class_is_as_informative_as_its_results_too():
    sizes = []
    for preds in (SHARED, THREE):
        kind = np.array([int(item[1:]) % 15 for item in preds.ids])
        right = {m: preds.predicted(m) == preds.access.codes for m in preds.models}
        said = {m: np.where(right[m], kind, (kind + 1) % 15) for m in preds.models}
        found = mc.bootstrap(others(preds, mc.Predictions, kind, said), "f1_macro", n_resamples=2)
        sizes.append(informative_sizes(found))
    # Of a typical class are three items, in two runs.
    assert (sizes[0] <= 6).all()
    np.testing.assert_array_equal(*sizes)


def test_sizes_are_written_in_items_and_runs():
    found = mc.compare(UNEQUAL, "mean_score", **FEW)
    assert found.evidence.n_samples == 5 * N
    assert f"|n:{5 * N}|clusters:{N}|" in found.signature
    assert found.document().headline == f"2 models, {N} items x 3 to 5 runs"
    assert (
        f"of 2 models on the same {N} items x 3 to 5 runs." in comparison_method(found.evidence)[0]
    )
    assert "For these 3 to 5 runs: others of the same models would vary more." in found.verdict()
    assert repr(UNEQUAL).startswith(f"Predictions: {N} items x 3 to 5 runs, 2 models, ids,")
    assert repr(SHARED).startswith(f"Predictions: {2 * N} samples, 2 classes")


def test_items_detect_as_small_a_difference_as_a_plan_has():
    found = mc.compare(UNEQUAL, "mean_score", **FEW)
    plan = mc.sample_size(UNEQUAL, "a", "b", "mean_score", generalize_to="items")
    least = plan.components.detectable(plan.size, 0.05, 0.8)
    assert found.decision["detectable"].item() == pytest.approx(least)


SETS = {"equal": preds_of(kind="scores", a="xy", b="st"), "unequal": UNEQUAL}


@needs("suites")
def test_a_set_weighs_by_its_items_and_not_by_their_runs():
    found = mc.compare_groups(SETS, "mean_score", weights="samples", **FEW)
    assert found.shares.tolist() == [0.5, 0.5]
    assert found.n_samples == 2 * N + 5 * N
    small = {**SETS, "unequal": preds_of(10, "scores", a="xyz", b="stuvw")}
    found = mc.compare_groups(small, "mean_score", weights="samples", **FEW)
    assert found.shares.tolist() == [0.8, 0.2]
    gates = [
        mc.gate(SETS, "a", "b", ["mean:-0.05"], weights=weights, **FEW).decisions[0].gain
        for weights in ("samples", "equal")
    ]
    assert gates[0] == gates[1]


@needs("suites")
@needs("large")
def test_a_sketch_of_several_runs_has_no_number_of_items():
    sketches = {name: mc.io.sketch(preds, "mean_score") for name, preds in
                {"a": SETS["equal"], "b": preds_of(kind="scores", a="x", b="s")}.items()}  # fmt: skip
    with pytest.raises(ValueError, match=r"'a' is a sketch of several runs, .*no number"):
        mc.gate(sketches, "a", "b", "mean(mean_score):-0.1", weights="samples")


@needs("large")
def test_a_sketch_of_repeated_rows_is_refused():
    message = (
        "the models have different numbers of runs (3 to 5), so that rows repeat results, and a "
        "sketch would count them several times; sketch as many runs of each model, or compare the "
        "predictions themselves."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        mc.io.sketch(UNEQUAL, "mean_score")


@needs("agreement")
@pytest.mark.parametrize("preds", [preds_of(a="xyz", b="stuvw"), preds_of(a="xy", b="st")])
def test_models_of_separate_runs_have_no_common_rows(preds):
    named = r"models 'a' and 'b' have separate runs \(.* of each\), so that no row of one"
    with pytest.raises(ValueError, match=named):
        mc.diagnostics.disagreements(preds, "a", "b")
    with pytest.raises(ValueError, match=named) as refused:
        mc.diagnostics.model_agreement(preds, n_resamples=9)
    # The remedy, as it is written.
    written = re.search(r"p\.(subset\(.*\)); in", str(refused.value))
    chosen = eval(f"p.{written[1]}", {"p": preds})
    assert run_counts(chosen) == [1, 1]
    first = np.array([results(m, r)["p"] for m, r in (("a", "x"), ("b", "s"))]) > 0.5
    apart = np.count_nonzero(first[0] != first[1])
    found = mc.diagnostics.disagreements(chosen, "a", "b")
    assert (found.n_samples, len(found.table)) == (N, apart)
    agreement = mc.diagnostics.model_agreement(chosen, n_resamples=9).set_index("statistic")
    assert agreement["estimate"]["churn"] == pytest.approx(apart / N)


def test_answers_of_one_run_that_differ_are_separate_results():
    """Six answers in three runs are not three that are repeated."""
    several = mc.Predictions.from_scores(
        {m: np.random.default_rng(seed).normal(size=6 * N) for seed, m in enumerate("ab")},
        groups=np.tile(ITEM, 6), greater_is_better=True,
        runs={"a": np.repeat([*"uvwxyz"], N), "b": np.repeat([*"rst"] * 2, N)},
    )  # fmt: skip
    assert once(several, "b") is several
    assert [n_seen(several), n_seen(several, "b")] == [6 * N, 6 * N]
    with pytest.warns(mc.SparseDataWarning):
        mean = mc.compare(several, "mean_score", n_resamples=9).scores
    means = {m: several.output(m).array.mean() for m in "ab"}
    assert mean.set_index("model")["estimate"].to_dict() == pytest.approx(means)


@pytest.mark.parametrize("groups", [None, "passage"])
def test_a_table_of_runs_is_read_in_rows_that_are_known_to_repeat(groups):
    runs = {"a": "xyz", "b": "stuvw"}
    table = pd.DataFrame([
        (model, run, item, f"p{int(item[1:]) // 4}", p)
        for model, own in runs.items() for run in own
        for item, p in results(model, run).itertuples(index=False)
    ], columns=["model", "run", "item", "passage", "score"]).sample(frac=1, random_state=0)  # fmt: skip
    read = mc.read_predictions(
        table.sort_values("model", kind="stable"), columns={"groups": groups}
    )
    assert (len(read), n_items(read)) == (15 * N, N)
    assert [n_seen(read, "a"), n_seen(read, "b"), n_seen(read)] == [3 * N, 5 * N, 5 * N]
    ours = np.sort(once(read, "a").output("a").array)
    assert ours.tolist() == np.sort(table["score"][table["model"] == "a"]).tolist()
