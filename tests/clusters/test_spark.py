"""Sketches made by Spark, in Python and in SQL, are those that are made here."""

import contextlib
import os
import signal
import sys

import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.cli import main

sql = pytest.importorskip("pyspark.sql")
pa = pytest.importorskip("pyarrow")

pytestmark = pytest.mark.filterwarnings("ignore")  # of Spark, about pandas and about itself
METRICS = ["accuracy", "f1_macro"]
SCHEMA = (
    "bucket long, statistic string, model string, label string, predicted string, place long, "
    "value double"
)
SNLI = mc.load_example("snli")[["bow_pair", "naive_bayes"]].subset(range(3000))
ROWS = pd.DataFrame(
    {
        "item": [f"item {n}" for n in range(3000)],
        "y_true": SNLI.y_true,
        **{model: SNLI.labels[SNLI.predicted(model)] for model in SNLI.models},
    }
)


@pytest.fixture(scope="module")
def rows():
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYSPARK_PYTHON", sys.executable)
        # A task that fails is run again, up to four times, as on a cluster.
        builder = sql.SparkSession.builder.master("local[2,4]")
        for key, value in {
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": "4",
        }.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        yield session.createDataFrame(ROWS).repartition(5)
        session.stop()


def same(found, expected):
    assert found.about == expected.about
    for key, numbers in expected.numbers.items():
        assert found.numbers[key].tobytes() == numbers.tobytes()


def test_partitions_are_sketched_where_they_lie_and_added(rows):
    def partition(batches):
        for batch in batches:
            part = mc.io.sketch(batch.to_pandas(), METRICS)
            yield from pa.Table.from_pandas(part.to_frame(), preserve_index=False).to_batches()

    week = mc.io.read_sketch(rows.mapInArrow(partition, SCHEMA).toPandas())
    same(week, mc.io.sketch(ROWS, METRICS))


def test_a_worker_that_dies_in_mid_run_leaves_no_trace(rows, tmp_path):
    mark = tmp_path / "killed"

    def partition(batches):
        for batch in batches:
            part = mc.io.sketch(batch.to_pandas(), METRICS)
            yield from pa.Table.from_pandas(part.to_frame(), preserve_index=False).to_batches()
            # Its first rows are sent already; making the mark decides which process dies.
            with contextlib.suppress(FileExistsError):
                mark.touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGKILL)

    week = mc.io.read_sketch(rows.mapInArrow(partition, SCHEMA).toPandas())
    assert mark.exists()
    same(week, mc.io.sketch(ROWS, METRICS))


def test_the_query_that_is_printed_makes_the_same_sketch(rows, capsys):
    models = [each for model in SNLI.models for each in ("--model", model)]
    asked = ["sketch", "--sql", "spark", "--table", "preds", "--true", "y_true", "--id", "item"]
    assert main([*asked, *models]) == 0
    query = capsys.readouterr().out.rstrip().removesuffix(";")
    rows.createOrReplaceTempView("preds")
    found = mc.io.read_sketch(rows.sparkSession.sql(query).toPandas())
    for metric in METRICS:
        pd.testing.assert_frame_equal(
            mc.compare(found, metric, n_resamples=99).scores,
            mc.compare(mc.io.sketch(ROWS, METRICS), metric, n_resamples=99).scores,
        )
