"""The query in a database makes the sketch that Python makes."""

import hashlib
import re

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.sources.queries import sketch_query

duckdb = pytest.importorskip("duckdb")
CLASSES = ["maybe", "no", "yes"]


def table(n=4000):
    rng = np.random.default_rng(1)
    y = rng.choice(CLASSES, n)
    said = {m: np.where(rng.random(n) < share, y, "no") for m, share in (("a", 0.7), ("b", 0.6))}
    return pd.DataFrame({"item": [f"café {i}" for i in range(n)], "y": y, **said})


def by_query(frame, **options):
    """What DuckDB answers to the query about this table."""
    query = sketch_query("duckdb", table="preds", true="y", models=["a", "b"], id="item", **options)
    with duckdb.connect() as connection:
        connection.register("preds", frame)
        return connection.sql(query).df()


@pytest.mark.parametrize("options", [{}, {"buckets": 7, "salt": "another"}])
def test_labels_are_counted_to_the_bit(options):
    frame = table()
    preds = mc.Predictions(frame["y"], {m: frame[m] for m in "ab"}, ids=frame["item"])
    ours = mc.sketch(preds, ["accuracy", "f1_macro"], **options)
    theirs = mc.read_sketch(by_query(frame, **options))
    assert theirs.about == ours.about
    np.testing.assert_array_equal(theirs.counts, ours.counts)
    for key, found in ours.numbers.items():
        np.testing.assert_array_equal(theirs.numbers[key], found)


def test_the_sketch_of_a_query_is_compared_and_added():
    frame = table()
    halves = [mc.read_sketch(by_query(part)) for part in (frame[:1000], frame[1000:])]
    preds = mc.Predictions(frame["y"], {m: frame[m] for m in "ab"}, ids=frame["item"])
    ours = mc.compare(sum(halves), n_resamples=199)
    theirs = mc.compare(mc.sketch(preds, ["accuracy", "f1_macro"]), n_resamples=199)
    pd.testing.assert_frame_equal(ours.scores, theirs.scores)
    pd.testing.assert_frame_equal(ours.differences, theirs.differences)


def test_the_rows_of_a_query_and_of_a_file_are_the_same_table(tmp_path):
    frame = table()
    preds = mc.Predictions(frame["y"], {m: frame[m] for m in "ab"}, ids=frame["item"])
    path = mc.sketch(preds, ["accuracy", "f1_macro"]).save(tmp_path / "s.parquet")
    rows = [
        t[t["statistic"] != "about"].sort_values([*t.columns[:5]]).reset_index(drop=True)
        for t in (by_query(frame), pd.read_parquet(path))
    ]
    pd.testing.assert_frame_equal(*rows, check_dtype=False)


def test_columns_in_capitals_are_read():
    frame = by_query(table())
    assert mc.read_sketch(frame.rename(columns=str.upper)).about == mc.read_sketch(frame).about


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
    ours = mc.sketch(preds, ["accuracy", "f1_macro", "cf1_macro"])
    theirs = mc.read_sketch(by_query(wide, classes=CLASSES))
    assert theirs.about == ours.about
    for key, found in ours.numbers.items():
        np.testing.assert_allclose(theirs.numbers[key], found, rtol=1e-12, atol=1e-12)
    hits = ours.numbers["hits", "a"]
    np.testing.assert_array_equal(theirs.numbers["hits", "a"], hits)


def test_whole_numbers_are_classes_and_names():
    frame = pd.DataFrame({"item": np.arange(500), "y": np.arange(500) % 11})
    frame["a"], frame["b"] = frame["y"], (frame["y"] + frame["item"] // 250) % 11
    found = mc.read_sketch(by_query(frame))
    assert found.about.labels == tuple(range(11))
    preds = mc.Predictions(frame["y"], {m: frame[m] for m in "ab"}, ids=frame["item"])
    ours = mc.sketch(preds, ["accuracy", "f1_macro"])
    for key, numbers in ours.numbers.items():
        np.testing.assert_array_equal(found.numbers[key], numbers)


# What the manuals of the three say of a text s of hexadecimal digits:
# BigQuery, "Format of INT64 in casts": CAST('0x...' AS INT64); TO_HEX of the BYTES of MD5.
# Snowflake, TO_NUMBER(s, 'XXXXXXXX'); MD5 gives 32 hexadecimal digits.
# Spark SQL, conv(s, 16, 10) gives a text of decimal digits; md5 gives 32 hexadecimal digits.
SAID = {
    "bigquery": "MOD(CAST(CONCAT('0x', SUBSTR(TO_HEX(MD5(CONCAT('modelcompare:', "
    "CAST(id AS STRING)))), 1, 8)) AS INT64), 1024) AS bucket",
    "snowflake": "MOD(TO_NUMBER(SUBSTR(MD5(CONCAT('modelcompare:', CAST(id AS VARCHAR))), 1, 8), "
    "'XXXXXXXX'), 1024) AS bucket",
    "spark": "MOD(CAST(CONV(SUBSTR(MD5(CONCAT('modelcompare:', CAST(id AS STRING))), 1, 8), 16, 10)"
    " AS BIGINT), 1024) AS bucket",
}


@pytest.mark.parametrize("dialect", SAID)
def test_other_databases_hash_by_their_documented_functions(dialect):
    query = sketch_query(dialect, table="preds", true="y", models=["a"], id="id")
    assert SAID[dialect] in query
    # All else is what DuckDB, which ran above, was asked, but for the names of types.
    types = {"STRING": "VARCHAR", "FLOAT64": "DOUBLE"}
    plain = re.sub(r"STRING|FLOAT64", lambda found: types[found[0]], query)
    duck = sketch_query("duckdb", table="preds", true="y", models=["a"], id="id")
    without = [re.sub(r"SELECT MOD\(.*\) AS bucket", "", text) for text in (plain, duck)]
    assert without[0] == without[1]


def test_names_that_need_it_are_quoted_as_each_database_does():
    for dialect, column in (("bigquery", "`my model`"), ("snowflake", '"my model"')):
        query = sketch_query(dialect, table="t", true="y", models=["my model"], id="id")
        assert f"CAST({column} AS " in query
        assert "'my model'" in query


@pytest.mark.parametrize("name", ["it's", 'a"b', "a`b", "a\\b"])
def test_names_with_quotes_are_refused(name):
    with pytest.raises(ValueError, match="holds a quote or a backslash; rename it"):
        sketch_query("duckdb", table="t", true="y", models=[name], id="id")


def test_missing_labels_are_told_not_dropped():
    frame = table(100)
    frame.loc[3, "a"] = None
    with pytest.raises(ValueError, match="'' is none of the classes"):
        mc.read_sketch(by_query(frame))


def test_the_bucket_is_md5_by_hand():
    (row,) = by_query(table(1)).query("statistic == 'samples'").itertuples()
    assert row.bucket == int(hashlib.md5("modelcompare:café 0".encode()).hexdigest()[:8], 16) % 1024
