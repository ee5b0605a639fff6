"""Options of the command line about missing results keep to each other."""

import json

import pytest

from tests.cli.test_classes import CLASSES, document
from tests.readers.test_missing import SCORES, SHARED, _files, _means


@pytest.mark.filterwarnings("default")
def test_both_ids_and_missing_are_honoured(run, tmp_path):
    files = [path.name for path in _files(tmp_path)]
    asked = [
        "compare",
        *files,
        "--read",
        "ids=intersect",
        "--higher-is-better",
        "--resamples",
        99,
        "--format",
        "json",
    ]
    worst = run(*asked, "--missing", "worst")
    assert worst.code == 0, worst.err
    assert "kept the 30 ids that all files share" in worst.err
    found = {row["model"]: row["estimate"] for row in json.loads(worst.out)["scores"]}
    means = _means(SHARED)
    assert found == {model: means[model] for model in found}
    bounds = json.loads(run(*asked, "--missing", "bounds").out)
    best = {m: sum(1.0 if s[i] is None else s[i] for i in SHARED) / 30 for m, s in SCORES.items()}
    rows = {row["model"]: (row["worst"], row["best"]) for row in bounds["scores"]}
    assert rows == {model: (means[model], best[model]) for model in means}


def test_bounds_are_of_a_class(run, tmp_path):
    rows = [
        ",".join([CLASSES[i % 3], CLASSES[i * i % 7 % 3], CLASSES[i // 2 % 3]]) for i in range(90)
    ]
    (tmp_path / "lacking.csv").write_text("\n".join(["y_true,a,b", "fraud,,fraud", *rows]) + "\n")
    models = ("--model", "a", "--model", "b", "-m", "f1[fraud]")
    bounds = document(run, "compare", "lacking.csv", *models, "--missing", "bounds")
    assert {row["label"] for row in bounds["scores"]} == {"fraud"}
    assert bounds["scores"][0]["worst"] < bounds["scores"][0]["best"]
