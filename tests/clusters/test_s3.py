"""Predictions in a bucket are scanned where they lie, with the numbers of memory."""

import io

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.cli import main

boto3 = pytest.importorskip("boto3")
server = pytest.importorskip("moto.server")
pytest.importorskip("pyarrow")

METRICS = ["accuracy", "f1_macro", "cf1_macro"]


@pytest.fixture(scope="module")
def table():
    preds = mc.load_example("snli")[["bow_pair", "naive_bayes"]].subset(range(3000))
    columns = {"item": [f"item {n}" for n in range(3000)], "y_true": preds.y_true}
    for model in preds.models:
        p = preds.probabilities(model)
        columns |= {f"{model}:{label}": p[:, k] for k, label in enumerate(preds.labels)}
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def bucket(table):
    """A server of S3 on this machine that holds the table in the folders of three days."""
    local = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    local.start()
    host, port = local.get_host_and_port()
    with pytest.MonkeyPatch.context() as patched:
        for name, value in {
            "AWS_ACCESS_KEY_ID": "anyone",
            "AWS_SECRET_ACCESS_KEY": "anything",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_EC2_METADATA_DISABLED": "true",
        }.items():
            patched.setenv(name, value)
        client = boto3.client("s3")
        client.create_bucket(Bucket="predictions")
        for day, rows in enumerate(np.array_split(np.arange(len(table)), 3)):
            file = io.BytesIO()
            table.iloc[rows].to_parquet(file)
            client.put_object(
                Bucket="predictions", Key=f"day={day}/part.parquet", Body=file.getvalue()
            )
        yield "s3://predictions"
        local.stop()


@pytest.mark.parametrize("where", ["", "/*/part.parquet", "/day=*/*.parquet"])
def test_a_bucket_is_scanned_with_the_numbers_of_memory(bucket, table, where):
    scan = mc.io.scan_predictions(bucket + where)
    here = mc.read_predictions(table)
    for of in ("scores", "differences"):
        found, expected = (
            getattr(mc.compare(preds, METRICS, n_resamples=300), of) for preds in (scan, here)
        )
        pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_a_bucket_is_sketched_where_it_lies(bucket, table):
    found, expected = (
        mc.io.sketch(preds, METRICS)
        for preds in (mc.io.scan_predictions(f"{bucket}/day=*/*.parquet"), table)
    )
    for key, numbers in expected.numbers.items():
        assert found.numbers[key].tobytes() == numbers.tobytes()


def test_the_command_line_takes_a_bucket(bucket, capsys):
    asked = [f"{bucket}/day=*/*.parquet", "-m", "accuracy", "--resamples", "300"]
    assert main(["compare", *asked]) == 0
    assert "bow_pair" in capsys.readouterr().out


@pytest.mark.usefixtures("bucket")
def test_a_bucket_that_is_not_there_is_named(capsys):
    assert main(["compare", "s3://nowhere/*.parquet", "--read", "scan"]) == 2
    assert "nowhere" in capsys.readouterr().err
