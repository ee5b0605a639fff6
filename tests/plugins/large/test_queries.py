"""The query in a database makes the sketch that Python makes."""

import hashlib
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import modelcompare as mc
from modelcompare.plugins.large import queries

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
CLASSES = ["maybe", "no", "yes"]


def sketch_query(dialect, *, table, classes=(), **named):
    """Return the query about a table of a database."""
    return queries.sketch_query(queries.DatabaseTable(dialect, table, classes), **named)


def table(n=1500):
    rng = np.random.default_rng(1)
    y = rng.choice(CLASSES, n)
    outputs = {m: np.where(rng.random(n) < share, y, "no") for m, share in (("a", 0.7), ("b", 0.6))}
    return pd.DataFrame({"item": [f"café {i}" for i in range(n)], "y": y, **outputs})


DATABASE = duckdb.connect()


def by_query(frame, *, table="preds", **options):
    """Return DuckDB's answer to the query about this table."""
    named = {"true": "y", "models": ["a", "b"], "id": "item", **options}
    query = sketch_query("duckdb", table=f'"{table}"', **named)
    DATABASE.register(table, frame)
    try:
        return DATABASE.sql(query).df()
    finally:
        DATABASE.unregister(table)


@pytest.mark.parametrize("options", [{}, {"buckets": 7, "salt": "another"}])
def test_labels_are_counted_to_the_bit(options):
    frame = table()
    preds = mc.Predictions(frame["y"], {m: frame[m] for m in "ab"}, ids=frame["item"])
    ours = mc.io.sketch(preds, ["accuracy", "f1_macro"], **options)
    theirs = mc.io.read_sketch(by_query(frame, **options))
    assert theirs.about == ours.about
    np.testing.assert_array_equal(theirs.counts, ours.counts)
    for key, found in ours.numbers.items():
        np.testing.assert_array_equal(theirs.numbers[key], found)


def test_the_sketch_of_a_query_is_compared_and_added():
    frame = table()
    halves = [mc.io.read_sketch(by_query(part)) for part in (frame[:500], frame[500:])]
    preds = mc.Predictions(frame["y"], {m: frame[m] for m in "ab"}, ids=frame["item"])
    ours = mc.compare(sum(halves), n_resamples=99)
    theirs = mc.compare(mc.io.sketch(preds, ["accuracy", "f1_macro"]), n_resamples=99)
    pd.testing.assert_frame_equal(ours.scores, theirs.scores)
    pd.testing.assert_frame_equal(ours.differences, theirs.differences)


def test_the_rows_of_a_query_and_of_a_file_are_the_same_table(tmp_path):
    frame = table()
    preds = mc.Predictions(frame["y"], {m: frame[m] for m in "ab"}, ids=frame["item"])
    path = mc.io.sketch(preds, ["accuracy", "f1_macro"]).save(tmp_path / "s.parquet")
    rows = [
        t[~t["statistic"].isin(["about", "pairs"])]
        .sort_values([*t.columns[:5]])
        .reset_index(drop=True)
        for t in (by_query(frame), pd.read_parquet(path))
    ]
    pd.testing.assert_frame_equal(*rows, check_dtype=False)


def test_columns_in_capitals_are_read():
    frame = by_query(table(300), buckets=8)
    assert (
        mc.io.read_sketch(frame.rename(columns=str.upper)).about == mc.io.read_sketch(frame).about
    )


def test_probabilities_are_summed_and_their_likeliest_class_counted():
    frame = table()
    rng = np.random.default_rng(2)
    probabilities = {m: np.round(rng.dirichlet([1, 1, 1], len(frame)) * 8) for m in "ab"}
    for model, p in probabilities.items():
        p[:, 2] = 8 - p[:, 0] - p[:, 1]  # eighths: many ties, sums without rounding
        probabilities[model] = np.abs(p) / np.abs(p).sum(axis=1, keepdims=True)
    wide = frame[["item", "y"]].assign(
        **{f"{m}:{c}": p[:, k] for m, p in probabilities.items() for k, c in enumerate(CLASSES)}
    )
    preds = mc.Predictions(frame["y"], probabilities, labels=CLASSES, ids=frame["item"])
    ours = mc.io.sketch(preds, ["accuracy", "f1_macro", "cf1_macro"])
    theirs = mc.io.read_sketch(by_query(wide, classes=CLASSES))
    assert theirs.about == ours.about
    for key, found in ours.numbers.items():
        np.testing.assert_allclose(theirs.numbers[key], found, rtol=1e-12, atol=1e-12)
    hits = ours.numbers["hits", "a"]
    np.testing.assert_array_equal(theirs.numbers["hits", "a"], hits)


def test_whole_numbers_are_classes_and_names():
    frame = pd.DataFrame({"item": np.arange(500), "y": np.arange(500) % 11})
    frame["a"], frame["b"] = frame["y"], (frame["y"] + frame["item"] // 250) % 11
    found = mc.io.read_sketch(by_query(frame))
    assert found.about.labels == tuple(range(11))
    preds = mc.Predictions(frame["y"], {m: frame[m] for m in "ab"}, ids=frame["item"])
    ours = mc.io.sketch(preds, ["accuracy", "f1_macro"])
    for key, numbers in ours.numbers.items():
        np.testing.assert_array_equal(found.numbers[key], numbers)


# Spark's manual: conv(s, 16, 10) gives a text of decimal digits; md5 gives 32 hexadecimal digits.
SPARK = (
    "MOD(CAST(CONV(SUBSTR(MD5(CONCAT('modelcompare:', CAST(`id` AS STRING))), 1, 8), 16, "
    "10) AS BIGINT), 1024) END AS bucket"
)


@pytest.mark.parametrize("classes", [[], ["no", "yes"]])
def test_spark_hashes_by_its_documented_functions(classes):
    options = {"table": "preds", "true": "y", "models": ["a"], "id": "id", "classes": classes}
    query = sketch_query("spark", **options)
    assert SPARK in query
    # All else is what DuckDB, which ran above, was asked, but for types and the quotes of names.
    types = {"STRING": "VARCHAR", "`": '"'}
    plain = re.sub(r"STRING|`", lambda found: types[found[0]], query)
    duck = sketch_query("duckdb", **options)
    without = [
        re.sub(r"THEN MOD\(.*\) END AS bucket", "", text).replace('\\"', '"')
        for text in (plain, duck)
    ]
    assert without[0].replace("\\", "") == without[1].replace("\\", "")


# Manuals: DuckDB doubles the quote in a quoted name, Spark the backtick; in texts backslashes escape
# quotes in Spark, and DuckDB doubles these.
WRITTEN = {
    "duckdb": ('"it\'s a ""b\\"', "'it''s a \"b\\'"),
    "spark": ("`it's a \"b\\`", "'it\\'s a \"b\\\\'"),
}


@pytest.mark.parametrize("dialect", WRITTEN)
def test_names_and_texts_are_quoted_as_each_database_does(dialect):
    odd = "it's a \"b\\"
    query = sketch_query(dialect, table="t", true="y", models=[odd], id="id")
    name, text = WRITTEN[dialect]
    assert f"CAST({name} AS " in query
    assert f"'hits', {text}, truth" in query


def test_a_backtick_in_a_name_is_escaped():
    query = sketch_query("spark", table="t", true="y", models=["a`b"], id="id")
    assert "CAST(`a``b` AS " in query


HOSTILE = [
    "true", "false", "null", "select", "order", "group", "bucket", "truth", "said_0", "n", "value",
    "current_date", "it's", 'a"b', "a`b", "a\\b", "a.b", "a;--", "", "été 1", "1", "a:b", "%s{0}",
]  # fmt: skip


NAMES = [name for name in HOSTILE if name]
FEW = {"buckets": 8}


@pytest.fixture(scope="module")
def of_memory():
    """A small table's sketch by Python."""
    frame = table(300)
    preds = mc.Predictions(frame["y"], {m: frame[m] for m in "ab"}, ids=frame["item"])
    return mc.io.sketch(preds, ["accuracy", "f1_macro"], **FEW)


@pytest.mark.parametrize("place", range(len(NAMES)), ids=NAMES)
def test_no_name_of_a_column_changes_the_answer(place, of_memory):
    # Each name is that of the truth once, of a model once, and of the items once.
    true, name, item = (NAMES[(place + shift) % len(NAMES)] for shift in range(3))
    frame = table(300)
    columns = frame.rename(columns={"y": true, "a": name, "item": item})
    found = mc.io.read_sketch(by_query(columns, true=true, models=[name, "b"], id=item, **FEW))
    assert found.models == (name, "b")
    for place, model in enumerate(found.models):
        for statistic in ("hits", "predicted"):
            ours = of_memory.numbers[statistic, "ab"[place]]
            np.testing.assert_array_equal(found.numbers[statistic, model], ours)


@pytest.mark.parametrize("name", ["item", "cell", "select", "preds"])
def test_no_name_of_a_table_changes_the_answer(name, of_memory):
    found = mc.io.read_sketch(by_query(table(300), table=name, **FEW))
    for key, numbers in of_memory.numbers.items():
        np.testing.assert_array_equal(found.numbers[key], numbers)


def test_columns_that_a_database_takes_for_one_are_refused():
    two = {"table": "t", "true": "y", "id": "id", "models": ["BERT", "bert"]}
    for dialect in ("duckdb", "spark"):
        with pytest.raises(
            ValueError, match=f"'BERT' and 'bert' differ only in case, which {dialect}"
        ):
            sketch_query(dialect, **two)
    for models, message in ((["a", "a"], "'a' occurs twice"), (["a", " a"], "'a' occurs twice"),
                         (["y"], "'y' is named for the truth and for a model"),
                         (["Y"], "'y' and 'Y' differ only in case")):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            sketch_query("duckdb", **two | {"models": models})


def test_missing_labels_are_refused_not_dropped():
    frame = table(100)
    frame.loc[[3, 4], "a"] = None
    frame.loc[5, "y"] = None
    with pytest.raises(ValueError, match=r"has missing cells \(the truth 1, a 2\)"):
        mc.io.read_sketch(by_query(frame))


def test_columns_of_a_mark_of_missing_cells_are_refused():
    frame = table(100).replace("maybe", "NA")
    with pytest.raises(ValueError, match=r"missing cells .*'NA' counts as missing"):
        mc.io.read_sketch(by_query(frame))


POOLS = [
    ["no", "yes"], ["No", "no", "yes"], ["01", "1", "2"], ["0", "1"], [0, 1], [1, 2, 3], [-1, 1],
    [0.0, 1.0], [0.5, 1.5], [True, False], ["true", "True", "false"], ["it's", 'q"', "é", "a\\b"],
    ["NA", "x", "y"], ["", "x", "y"], ["x"], ["yes ", "yes", "no"], ["nan", "a"], ["inf", "1"],
]  # fmt: skip


@st.composite
def tables(draw):
    """A column of the truth, and two models' that are like it, shifted, or of another kind."""
    n = draw(st.integers(1, 30))

    def cells(pool):
        found = draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))
        if draw(st.integers(0, 9)) == 0:
            found[draw(st.integers(0, n - 1))] = None
        return found

    pool = draw(st.sampled_from(POOLS))
    frame = {"item": [f"s{i}" for i in range(n)], "y": cells(pool)}
    for model in "ab":
        frame[model] = [
            lambda: frame["y"], lambda: cells(pool), lambda: cells(draw(st.sampled_from(POOLS))),
            lambda: [s.capitalize() if isinstance(s, str) else s for s in frame["y"]],
            lambda: [s + 1 if type(s) is int else s for s in frame["y"]],
        ][draw(st.integers(0, 4))]()  # fmt: skip
    return pd.DataFrame(frame)


def answer(ask):
    try:
        found = ask()
        assert found.access.sums
    except ValueError as error:
        return str(error)
    return found


def by_text(sketched):
    """The numbers of a sketch by statistic, model and class, written in small letters."""
    labels = [str(label).lower() for label in sketched.about.labels]
    return {
        key: dict(zip(labels if len(labels) == each.shape[1] else [""], each.T.tolist(), strict=True))
        for key, each in sketched.numbers.items()
    }  # fmt: skip


@settings(max_examples=25, derandomize=True, deadline=None)
@given(tables())
@pytest.mark.filterwarnings("ignore")
def test_a_query_gives_the_sketch_of_memory_or_refuses(frame):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    memory = answer(
        lambda: mc.io.sketch(
            mc.read_predictions(table, columns={"true": "y", "id": "item"}, models=["a", "b"]),
            ["accuracy", "f1_macro"], buckets=4,
        )
    )  # fmt: skip
    found = answer(lambda: mc.io.read_sketch(by_query(table, buckets=4)))
    if isinstance(found, str):
        return
    if isinstance(memory, str):
        # 1.0 and '1.0', which are written in the same way; a database does not distinguish their types.
        assert "unknown labels" in memory or "a single class" in memory
        assert len({pd.api.types.infer_dtype(frame[c]) == "string" for c in "yab"}) == 2
        return
    assert by_text(found) == by_text(memory)


def test_the_bucket_is_md5_by_hand():
    (row,) = by_query(table(1)).query("statistic == 'samples'").itertuples()
    assert row.bucket == int(hashlib.md5("modelcompare:café 0".encode()).hexdigest()[:8], 16) % 1024
