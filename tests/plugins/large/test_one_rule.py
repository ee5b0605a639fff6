"""One rule for every source: scans, sketches and queries refuse what memory does."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.plugins.large.queries import DatabaseTable, sketch_query
from tests.by_role import by_role

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")
pl = pytest.importorskip("polars")
# Few buckets are soon written and read; no defect is one of theirs.
N, BUCKETS = 60, 16
DATABASE = duckdb.connect()


def hard():
    y = np.where(np.arange(N) % 3 > 0, "no", "yes")
    predicted = {m: np.where(np.arange(N) % k > 0, y, "no") for m, k in (("a", 5), ("b", 4))}
    return pd.DataFrame({"id": [f"s{i}" for i in range(N)], "y_true": y, **predicted})


def soft():
    frame = hard()
    for model in "ab":
        chance = np.where(frame.pop(model) == "yes", 0.75, 0.25)
        frame[f"{model}:no"], frame[f"{model}:yes"] = 1 - chance, chance
    return frame


def scored():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"id": [f"s{i}" for i in range(N)], **{m: rng.random(N) for m in "ab"}})


def with_cell(frame, column, value, row=7):
    """The table with another cell."""
    cells = frame[column].tolist()
    cells[row] = value
    return frame.assign(**{column: cells})


def weighted(cells):
    return hard().assign(w=cells)


LABELS, CHANCES, SCORES = {"models": ["a", "b"]}, {}, {"models": ["a", "b"], "kind": "scores"}
WEIGHTS = LABELS | {"weight": "w"}
ONE = np.ones(N)
# Each defect: the table, its message, and the words that begin the refusal.
DEFECTS = {
    "a true label is missing": (with_cell(hard(), "y_true", None), LABELS, "has missing cells"),
    "a model's label is missing": (with_cell(hard(), "a", None), LABELS, "has missing cells"),
    "a mark of a missing label": (with_cell(hard(), "a", "NA"), LABELS, "has missing cells"),
    "labels in other case": (
        hard().assign(a=hard()["a"].str.capitalize()), LABELS,
        "the labels of model 'a' do not match those of `y_true`",
    ),
    "labels with spaces": (
        hard().assign(b=hard()["b"] + " "), LABELS,
        "the labels of model 'b' do not match those of `y_true`",
    ),
    "some labels in other case": (
        hard().replace({"a": {"yes": "Yes"}}), LABELS,
        "the labels of model 'a' do not match those of `y_true`",
    ),
    "codes counted from 1": (
        pd.DataFrame({"id": hard()["id"], "y_true": np.arange(N) % 3, "a": np.arange(N) % 3 + 1,
                      "b": np.arange(N) % 3}), LABELS,
        "the labels of model 'a' do not match those of `y_true`",
    ),
    "fractions for three classes": (
        pd.DataFrame({"id": hard()["id"], "y_true": np.arange(N) % 3, "a": np.arange(N) % 3 + 0.5,
                      "b": np.arange(N) % 3}), LABELS,
        "model 'a' gave real numbers for 3 classes|the labels of model 'a' do not match",
    ),
    "a single class": (
        hard().assign(y_true="no", a="no", b="no"), LABELS, "there is a single class",
    ),
    "a single row": (hard()[1:2], LABELS, "there is 1 sample"),
    "no rows": (hard()[:0], LABELS, "there are 0 samples"),
    "a name that is missing": (with_cell(hard(), "id", None), LABELS, "`ids` has missing values"),
    "names that repeat": (with_cell(hard(), "id", "s8"), LABELS, "`ids` repeats 1 ids"),
    "a probability that is missing": (
        with_cell(soft(), "a:no", None), CHANCES, "has missing cells",
    ),
    "a probability that is infinite": (
        with_cell(soft(), "a:no", np.inf), CHANCES, "model 'a' has NaN or infinite probabilities",
    ),
    "a negative probability": (
        with_cell(with_cell(soft(), "a:no", -0.5), "a:yes", 1.5), CHANCES,
        "model 'a' has negative probabilities",
    ),
    "probabilities that sum to 2": (
        with_cell(soft(), "a:no", 1.75), CHANCES,
        "model 'a' has probabilities that do not sum to 1 in 1 row",
    ),
    "probabilities in per cent": (
        soft().assign(**{f"b:{c}": 100 * soft()[f"b:{c}"] for c in ("no", "yes")}), CHANCES,
        "model 'b' has probabilities that do not sum to 1 in 60 rows",
    ),
    "a true class without a probability": (
        with_cell(soft(), "y_true", "eel"), CHANCES, r"`y_true` contains unknown labels \('eel'\) in 1 row",
    ),
    "a score that is missing": (with_cell(scored(), "a", None), SCORES, "has missing cells"),
    "a score that is infinite": (
        with_cell(scored(), "a", np.inf), SCORES, "model 'a' is NaN or infinite",
    ),
    "a score that cannot be squared": (
        with_cell(scored(), "a", 1e200), SCORES, "model 'a' contains numbers that cannot be squared",
    ),
    "a negative weight": (
        weighted(np.where(np.arange(N) == 7, -1.0, ONE)), WEIGHTS, "`sample_weight` is negative",
    ),
    "an infinite weight": (
        weighted(np.where(np.arange(N) == 7, np.inf, ONE)), WEIGHTS,
        "`sample_weight` is NaN or infinite",
    ),
    "a weight that is missing": (
        weighted(np.where(np.arange(N) == 7, np.nan, ONE)), WEIGHTS,
        "`sample_weight` is NaN or infinite",
    ),
    "weights of 0": (weighted(0 * ONE), WEIGHTS, "`sample_weight` is 0 for every sample"),
    "weights of texts": (weighted("x"), WEIGHTS, "`sample_weight` must contain numbers"),
    "no such model": (hard(), {"models": ["c"]}, "there is no model 'c'"),
    "a model without a name": (
        hard().rename(columns={"a": " "}), {"models": [" ", "b"]}, "model names must not be empty|there is no model ' '",
    ),
    "a name of two models": (
        hard().rename(columns={"b": "a "}), {"models": ["a", "a "]}, "(model name|column) 'a' occurs twice",
    ),
    "no such truth": (hard(), LABELS | {"true": "gold"}, "has no column 'gold'"),
}  # fmt: skip


def answered(predictions):
    return mc.compare(predictions, n_resamples=99).scores


def by_query(table, _, true="y_true", models=(), kind="auto", weight=None):
    """Return DuckDB's answer; it has no scores, weights or patterns."""
    if kind == "scores" or weight is not None or "c" in models:
        pytest.skip("a query has neither scores nor weights, and takes columns as they are named")
    classes = [] if models else ["no", "yes"]
    query = sketch_query(
        DatabaseTable("duckdb", "preds", classes), true=true, models=models or ["a", "b"], id="id",
        buckets=BUCKETS,
    )  # fmt: skip
    DATABASE.register("preds", table)
    try:
        return mc.io.read_sketch(DATABASE.sql(query).df())
    finally:
        DATABASE.unregister("preds")


def file_of(table, folder):
    path = folder / "the table.parquet"
    pq.write_table(table, path)
    return path


def read_sketch_of(table, folder, **options):
    sketched = mc.io.sketch(
        mc.read_predictions(table, **by_role({"id": "id", **options})), buckets=BUCKETS
    )
    return mc.io.read_sketch(sketched.save(folder / "s.parquet"))


def blocks_of(scan):
    return lambda table, folder, **options: mc.io.sketch(SOURCES[scan](table, folder, **options))


SOURCES = {
    "memory": lambda t, _, **o: mc.read_predictions(t, **by_role({"id": "id", **o})),
    "a scan of a file": lambda t, f, **o: mc.io.scan_predictions(file_of(t, f), **by_role({"id": "id", **o})),
    "a scan of a frame": lambda t, _, **o: mc.io.scan_predictions(t, **by_role({"id": "id", **o})),
    "a scan of lazy polars": lambda t, _, **o: mc.io.scan_predictions(
        pl.from_arrow(t).lazy(), **by_role({"id": "id", **o})
    ),
    "a scan of DuckDB": lambda t, _, **o: mc.io.scan_predictions(
        duckdb.from_arrow(t), **by_role({"id": "id", **o})
    ),
}  # fmt: skip
SCANS = [name for name in SOURCES if "scan" in name]
BLOCKS = [f"blocks of {scan}" for scan in SCANS]
SOURCES |= dict(zip(BLOCKS, map(blocks_of, SCANS), strict=True))
SOURCES |= {"a sketch": read_sketch_of, "a query": by_query}


# Scans read rows of Arrow, for any source: each defect is compared in one of them, and made a
# sketch in another, in turn.
ASKED = [
    (source, defect)
    for number, defect in enumerate(DEFECTS)
    for source in ("memory", SCANS[number % 4], BLOCKS[(number + 2) % 4], "a sketch", "a query")
]  # fmt: skip


@pytest.mark.parametrize(("source", "defect"), ASKED)
@pytest.mark.filterwarnings("ignore")
def test_a_defect_is_refused_for_every_source(source, defect, tmp_path):
    frame, options, words = DEFECTS[defect]
    if (source, defect) in EXCUSED:
        pytest.skip(EXCUSED[source, defect])
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with pytest.raises(ValueError, match=words):
        answered(SOURCES[source](table, tmp_path, **options))


# A query keeps rows of one name together, as clusters: that a name repeats moves no answer.
EXCUSED = {
    ("a query", "names that repeat"): "rows of one name are a cluster",
    ("a query", "no such truth"): "the database refuses it",
}


@pytest.mark.parametrize("source", [s for s in SOURCES if s not in ("memory", *BLOCKS[1:])])
@pytest.mark.parametrize("make", [hard, soft, scored])
def test_without_a_defect_every_source_gives_the_values_of_memory(source, make, tmp_path):
    options = {hard: LABELS, soft: CHANCES, scored: SCORES}[make]
    table = pa.Table.from_pandas(make(), preserve_index=False)
    metric = "mean_score" if make is scored else "accuracy"
    found, memory = (
        mc.compare(each, metric, n_resamples=99).scores.set_index("model").estimate
        for each in (
            SOURCES[source](table, tmp_path, **options),
            mc.read_predictions(table, **by_role({"id": "id", **options})),
        )
    )
    pd.testing.assert_series_equal(found, memory, rtol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("source", SCANS)
@pytest.mark.parametrize("make", [hard, soft, scored])
def test_a_weighted_scan_is_answered_as_memory_is(source, make, tmp_path):
    options = {hard: LABELS, soft: CHANCES, scored: SCORES}[make] | {"weight": "w"}
    frame = make().assign(w=np.random.default_rng(1).gamma(2, size=N))
    table = pa.Table.from_pandas(frame, preserve_index=False)
    metrics = {hard: ["accuracy", "f1", "precision"], soft: ["accuracy", "cf1", "log_loss"]}
    found, memory = (
        mc.compare(
            each, metrics.get(make, "mean_score"), n_resamples=99, method="normal", test="wald"
        )
        for each in (
            SOURCES[source](table, tmp_path, **options),
            mc.read_predictions(table, **by_role({"id": "id", **options})),
        )
    )
    pd.testing.assert_frame_equal(found.scores, memory.scores, rtol=1e-12)
    pd.testing.assert_frame_equal(found.differences, memory.differences, rtol=1e-12)
