"""Tables of scores on the command line."""

import json

import pandas as pd
import pytest

import modelcompare as mc
from tests.plugged import needs
from tests.plugins.published.test_ranks import DEMSAR


def test_ranks_come_with_a_diagram(run, tmp_path):
    DEMSAR.to_csv(tmp_path / "auc.tsv", sep="\t", index_label="Dataset")
    done = run("ranks", "auc.tsv", "--higher-is-better", "--alpha", 0.1, "--plot", "cd.svg")
    assert done.out.startswith("The models differ over 14 data sets (Friedman, p = 0.017).")
    assert "Critical difference at 0.1: 1.12 (Nemenyi)." in done.out
    assert done.err == "wrote cd.svg\n"
    assert "CD = 1.12" in (tmp_path / "cd.svg").read_text()


LEADERBOARD = """Model,Params,Average,mmlu,gsm8k,arc
a,7,80.0,93.3 ± 0.5,70.1,71
b,13,81.0,**94.3** (0.2),71.1,-
c,70,82.0,91.0,72.1,68
"""


def test_a_leaderboard_is_ranked_as_it_is(run, tmp_path):
    (tmp_path / "t.csv").write_text(LEADERBOARD)
    done = run("ranks", "t.csv", "--missing", "drop", "--higher-is-better", "--format", "json")
    assert done.read == (
        "modelcompare: read data sets: 2 (mmlu, gsm8k); models: 3 (a, b, c); left out: 2 (Params, "
        "Average); data sets dropped: 1 (arc); left out of cells: ± 0.5, (0.2); direction: higher "
        "is better\n"
    )
    expected = mc.inference.critical_difference(
        {"a": [93.3, 70.1], "b": [94.3, 71.1], "c": [91, 72.1]}, greater_is_better=True
    )
    written = json.loads(done.out)
    assert written["ranks"] == expected.ranks.to_dict("records")
    assert done.read == f"modelcompare: read {written['reading']}\n"
    refused = run("ranks", "t.csv")
    assert refused.code == 2
    assert "lacks the score of b on data set 'arc' (1 missing in all)" in refused.err
    kept = run("ranks", "t.csv", "--model", "a", "--model", "c")
    assert "the table has 2" in kept.err


@needs("runs")
def test_columns_are_named_by_options(run, tmp_path):
    (tmp_path / "t.csv").write_text(
        "who,where,acc,f1,rep\n" + "".join(
            f"{m},{d},{x},0.5,{r}\n" for m, x in (("a", 0.9), ("b", 0.8), ("c", "?"))
            for d in "uvw" for r in (1, 2)
        )
    )  # fmt: skip
    keys = ["model-column=who", "run=rep", "score=acc", "na=?"]
    read = [text for key in keys for text in ("--read", key)]
    done = run("ranks", "t.csv", "--id", "where", *read)
    assert "lacks the score of c on data set 'u' (3 missing in all)" in done.err
    fewer = run("ranks", "t.csv", "--id", "where", *read[:-2])
    assert "'?' of 'c' on 'u' is no score" in fewer.err


def leaderboards(folder, **dropped):
    """Write a file for each model, as benchmarks of forecasts are published."""
    folder.mkdir()
    for place, model in enumerate(["net", "tree", "naive"]):
        rows = [(f"d{i}", model, 0.8 + place / 10 + i / 20, 0.1 * (place + 1)) for i in range(6)]
        frame = pd.DataFrame(rows, columns=["dataset", "model", "MASE", "WQL"])
        frame.drop(columns=[*dropped.get("columns", [])]).to_csv(
            folder / f"{model}-zero.csv", index=False
        )


ASKED = ("--read", "score=MASE", "--lower-is-better", "--format", "json")


def test_ranks_of_a_folder_and_of_several_files_are_of_all_rows(run, tmp_path):
    leaderboards(tmp_path / "f")
    asked = run("ranks", "f")
    assert "columns={'score': 'MASE'} (--read score=MASE)" in asked.err
    done = run("ranks", "f", *ASKED)
    ranks = {row["model"]: row["mean_rank"] for row in json.loads(done.out)["ranks"]}
    assert ranks == {"net": 1.0, "tree": 2.0, "naive": 3.0}
    files = run("ranks", *sorted((tmp_path / "f").iterdir()), *ASKED)
    assert files.out == done.out


def test_files_that_name_no_models_are_models_and_those_without_data_sets_are_these(run, tmp_path):
    leaderboards(tmp_path / "f", columns=["model"])
    done = run("ranks", "f", *ASKED)
    assert [row["model"] for row in json.loads(done.out)["ranks"]] == [
        "net-zero", "tree-zero", "naive-zero"
    ]  # fmt: skip
    leaderboards(tmp_path / "g")
    frame = pd.concat(pd.read_csv(path) for path in (tmp_path / "g").iterdir())
    (tmp_path / "sets").mkdir()
    for name, part in frame.groupby("dataset"):
        part.drop(columns="dataset").to_csv(tmp_path / "sets" / f"{name}.csv", index=False)
    by_set = run("ranks", "sets", *ASKED)
    assert [row["mean_rank"] for row in json.loads(by_set.out)["ranks"]] == [1.0, 2.0, 3.0]


def test_files_that_may_be_models_or_data_sets_are_refused(run, tmp_path):
    leaderboards(tmp_path / "f", columns=["model", "dataset"])
    assert "names neither models nor data sets (its columns: MASE, WQL)" in run("ranks", "f").err
    leaderboards(tmp_path / "g")
    (tmp_path / "g" / "net-zero.csv").write_text("dataset,model,mase\nd0,net,1\n")
    assert "lacks the score of net on data set 'd0'" in run("ranks", "g", *ASKED).err
    (tmp_path / "g" / "meta.json").write_text("{}")
    assert "meta.json" in run("ranks", "g").err


def test_a_row_for_each_model_takes_the_columns_of_data_sets(run, tmp_path):
    rows = [(f"net{i}", 224, 80 - i, 20 + i, 95 - i / 2, 25.5 + i) for i in range(8)]
    frame = pd.DataFrame(rows, columns=["model", "img_size", "imagenet", "err", "real", "params"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    asked = run("ranks", "t.csv")
    assert "(--read score=imagenet --read score=real)" in asked.err
    named = ["--read", "score=imagenet", "--read", "score=real", "--higher-is-better"]
    done = run("ranks", "t.csv", *named, *ASKED[-2:])
    assert json.loads(done.out)["ranks"][0] == {"model": "net0", "mean_rank": 1.0}
    one = run("ranks", "t.csv", "--read", "model-column=model", *named[:2], "--higher-is-better")
    assert "`table` needs a row for each of 2 data sets or more; it has 1." in one.err


MODELS = (("net", 0.8), ("tree", 0.9), ("naive", 1.2))


def published(path, name):
    rows = [(f"d{i}", model, x + i / 20) for i in range(6) for model, x in MODELS]
    pd.DataFrame(rows, columns=["dataset", "model", name]).to_csv(path, index=False)


@pytest.mark.parametrize("name", ["MASE", "nrmse", "wis", "WQL", "hd95"])
def test_ranks_of_errors_put_the_smallest_first(run, tmp_path, name):
    published(tmp_path / "r.csv", name)
    done = run("ranks", "r.csv", "--read", f"score={name}")
    assert done.code == 0
    assert "net has the best mean rank (1.00)" in done.out


def test_the_command_that_ranks_ask_for_works(run, tmp_path):
    published(tmp_path / "r.csv", "score")
    done = run("ranks", "r.csv")
    assert done.code == 2
    assert "is not known; declare it with greater_is_better=True or False" in done.err
    for flag, first in (("--higher-is-better", "naive"), ("--lower-is-better", "net")):
        assert f"{first} has the best mean rank" in run("ranks", "r.csv", flag).out
