"""Models of a folder of MLflow's runs."""

import json
from pathlib import Path

import modelcompare as mc


def test_runs_of_mlflow_are_called_by_their_names_and_by_ids_where_these_are_equal():
    runs = Path(__file__).parents[2] / "data" / "mlflow_runs" / "mlruns"
    expected = {"cnn", "bert 39b5d31c", "bert f07b7072"}
    folders, tables = sorted(runs.glob("0/*")), sorted(runs.rglob("predictions.json"))
    for source in (runs, runs / "0", folders, tables):
        found = mc.read_predictions(source)
        assert {*found.models} == expected
        (table,) = (json.loads(t.read_text()) for t in tables if "39b5d31c" in str(t))
        codes = found.predicted("bert 39b5d31c")
        assert codes.tolist() == [row[-1] for row in table["data"]]
    assert mc.read_predictions({"own": tables[0]}).models == ("own",)
