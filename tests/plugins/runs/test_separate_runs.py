"""Tables with runs: shared by the models, or each model's own; in rows, or beside the models."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.cli.app import main
from modelcompare.data.checks import DataWarning
from modelcompare.data.sizes import run_counts
from modelcompare.readers import checked_columns, read
from tests.plugged import needs

N = 25
SAME = {"a": (1, 2, 3), "b": (1, 2, 3)}
OTHER = {"a": (1, 2, 3), "b": (11, 12, 13)}
UNEQUAL = {"a": (1, 2, 3), "b": (11, 12, 13, 14, 15)}
OVERLAP = {"a": (1, 2, 3), "b": (1, 2, 3, 4, 5)}


def table(seeds, run="seed", item="item"):
    """Return scores of every model, run and item, in an order at random."""
    rng = np.random.default_rng(3)
    rows = [
        (model, seed, f"q{i}", 0.5 + 0.1 * model.count("b") + rng.normal() + i / N)
        for model, own in seeds.items() for seed in own for i in range(N)
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["model", run, item, "score"])
    # All models are in the first rows.
    head = frame.drop_duplicates("model")
    rest = frame.drop(index=head.index).sample(frac=1, random_state=1)
    return pd.concat([head, rest], ignore_index=True)


def mapped(seeds):
    """Return the same predictions, made from arrays: rows as many as the numbers of runs need."""
    frame, n_rows = table(seeds).set_index(["model", "seed", "item"])["score"], 1
    n_rows = int(np.lcm.reduce([len(own) for own in seeds.values()]))
    items = [f"q{i}" for i in range(N)]
    runs = {m: [own[r % len(own)] for r in range(n_rows)] for m, own in seeds.items()}
    return mc.Predictions.from_scores(
        {m: [frame[m, run, item] for item in items for run in runs[m]] for m in seeds},
        groups=np.repeat(items, n_rows),
        runs={m: [f"{m}{run}" for run in own] * N for m, own in runs.items()},
    )  # fmt: skip


@pytest.mark.parametrize("seeds", [OTHER, UNEQUAL, {**UNEQUAL, "c": (21, 22)}])
@pytest.mark.parametrize("run", ["seed", "run"])
def test_a_long_table_of_different_runs_is_the_mapping_of_separate_runs(seeds, run):
    found = mc.compare(mc.read_predictions(table(seeds, run)), n_resamples=99)
    expected = mc.compare(mapped(seeds), n_resamples=99)
    assert "generalize_to:items+runs" in found.signature
    for name in ("scores", "differences"):
        of_table, of_arrays = (
            getattr(each, name).drop(columns="metric") for each in (found, expected)
        )
        pd.testing.assert_frame_equal(of_table, of_arrays)


def test_models_of_one_set_of_runs_share_them_beside_one_with_runs_of_its_own():
    preds = mc.read_predictions(table({**SAME, "c": (7, 8)}))
    a, b, c = (preds.access.runs_of(model) for model in "abc")
    assert (a == b).all()
    assert [len({*map(str, own)}) for own in (a, c)] == [3, 2]
    pair = mc.compare(preds, generalize_to="items+runs", n_resamples=99).differences.iloc[0]
    same = mc.compare(mc.read_predictions(table(SAME)), n_resamples=99).differences.iloc[0]
    # Scores of the models are drawn first, so that they are the same.
    assert pair["difference"] == pytest.approx(same["difference"])
    assert pair["standard_error"] == pytest.approx(same["standard_error"])


@needs("runs")
def test_equal_runs_are_shared_as_before():
    preds = mc.read_predictions(table(SAME))
    assert len(preds) == 3 * N
    assert {*map(str, preds.runs)} == {"1", "2", "3"}
    assert "q0 run 1" in preds.ids


@needs("runs")
def test_runs_that_overlap_are_separate_and_a_warning_names_the_other_way():
    message = (
        "models a, b share some runs and not others; they are read as separate trainings. If runs "
        "of one name belong together, keep those that all have by ids='intersect' (--read "
        "ids=intersect)."
    )
    with pytest.warns(DataWarning, match=re.escape(message)):
        preds = mc.read_predictions(table(OVERLAP))
    assert {*preds.access.runs_of("a")} == {"a 1", "a 2", "a 3"}
    assert {*preds.access.runs_of("b")} == {f"b {run}" for run in (1, 2, 3, 4, 5)}
    with pytest.warns(DataWarning, match="kept the 75 ids that all files share"):
        shared = mc.read_predictions(table(OVERLAP), ids="intersect")
    assert {*map(str, shared.runs)} == {"1", "2", "3"}


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        (SAME, "the file of model 'b' has 1 ids that 'a' lacks (q7 run 2)"),
        (OTHER, "model 'a' has separate runs and lacks 1 results (q7 in run 2); each item must "
                "occur in every run of a model: add the rows, or leave out the items."),
        ({"a": range(7), "b": range(10, 21), "c": range(30, 43)}, "the models have different "
         "numbers of runs (7 of a, 11 of b, 13 of c), which would need 1,001 rows of an item; "
         "give them equal numbers, or name fewer with models= (--model)."),
    ],
)  # fmt: skip
def test_a_missing_cell_and_numbers_without_a_common_multiple_are_refused(seeds, message):
    frame = table(seeds)
    gap = (frame["model"] == "a") & (frame["seed"] == 2) & (frame["item"] == "q7")
    frame = frame[~gap]
    with pytest.raises(ValueError, match=re.escape(message)):
        mc.read_predictions(frame)


def test_samples_without_repeats_have_no_runs():
    preds = mc.read_predictions(table({"a": (1,), "b": (2,)}))
    assert preds.runs is None
    assert len(preds) == N


@needs("runs")
@pytest.mark.parametrize("seeds", [SAME, OTHER, UNEQUAL])
def test_the_command_reads_a_file(seeds, tmp_path, capsys):
    path = tmp_path / "runs.csv"
    table(seeds).to_csv(path, index=False)
    assert main(["compare", str(path), "--resamples", "99", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    expected = mc.compare(mc.read_predictions(table(seeds)), n_resamples=99)
    found = pd.DataFrame(json.loads(out)["scores"])["standard_error"]
    assert found.tolist() == pytest.approx(expected.scores["standard_error"].tolist(), rel=1e-6)
    separate = "" if seeds is SAME else " (separate runs of the models)"
    assert f"run: column seed{separate};" in err
    counts = " or ".join(dict.fromkeys(str(len(own)) for own in seeds.values()))
    assert f"clusters: the {counts} runs of each sample" in err


@needs("runs")
def test_a_folder_of_runs_is_read_so_too(tmp_path):
    for model, own in UNEQUAL.items():
        for seed in own:
            frame = table(UNEQUAL)
            rows = frame[(frame["model"] == model) & (frame["seed"] == seed)]
            path = tmp_path / model / f"seed_{seed}.csv"
            path.parent.mkdir(exist_ok=True)
            rows[["item", "score"]].to_csv(path, index=False)
    preds = mc.read_predictions(tmp_path)
    assert [len({*preds.access.runs_of(model)}) for model in "ab"] == [3, 5]


def wide(**columns):
    frame = table(SAME).pivot_table(index=["item", "seed"], columns="model", values="score")
    return frame.reset_index().rename_axis(columns=None).assign(**columns)


@needs("runs")
def test_a_column_seed_beside_the_models_numbers_the_runs_of_items_that_repeat():
    found = read(wide(), checked_columns())
    assert "id: item; run: seed; models: 2 (a, b)" in found.sentence
    ours, theirs = (
        mc.compare(preds, n_resamples=99).differences.drop(columns="metric")
        for preds in (found.predictions, mc.read_predictions(table(SAME)))
    )
    pd.testing.assert_frame_equal(ours, theirs)
    named = wide().rename(columns={"item": "question"})
    assert len({*mc.read_predictions(named, columns={"id": "question"}).groups}) == N
    truth = wide(y_true=["no", "yes", "yes"] * N, a="no", b="yes")
    assert len({*mc.read_predictions(truth).runs}) == 3


@pytest.mark.parametrize("frame", [
    wide().assign(item=range(3 * N)),  # each row is a sample
    wide().assign(seed=1).drop_duplicates("item"),  # one run
    wide().assign(item=wide()["item"].str[:2]),  # several rows of an item in a run
])  # fmt: skip
def test_a_column_seed_that_repeats_no_item_is_asked_about(frame):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=r"column 'seed' .*name all models with"):
            mc.read_predictions(frame)


@needs("runs", "large")
def test_a_scan_of_runs_reads_them_whole(tmp_path):
    path = tmp_path / "t.parquet"
    wide().to_parquet(path)
    with pytest.raises(ValueError, match=r"several runs of a sample \(column 'seed'\)"):
        mc.io.scan_predictions(path)
    assert main(["compare", str(path), "--resamples", "99"]) == 0


def test_a_model_that_was_trained_once_needs_no_name_of_its_run():
    rows = [("old", i, None, 0.5 + i % 3) for i in range(6)]
    rows += [("new", i, r, i % 4 + r / 10) for i in range(6) for r in range(3)]
    frame = pd.DataFrame(rows, columns=["model", "item", "seed", "score"])
    preds = mc.read_predictions(frame)
    assert run_counts(preds) == [1, 3]
    means = frame.groupby("model")["score"].mean()
    with pytest.warns(DataWarning, match="model 'old' has one run"):
        scores = mc.compare(preds, n_resamples=99).scores.set_index("model")
    assert scores["estimate"].to_dict() == pytest.approx(means.to_dict())


@needs("answers", "runs")
@pytest.mark.parametrize("name", ["epoch", "attempt"])
@pytest.mark.parametrize("layout", ["long", "wide"])
def test_numbered_answers_are_clusters_of_their_item_and_no_runs(name, layout):
    frame = table(SAME, run=name)
    if layout == "wide":
        frame = frame.pivot(index=["item", name], columns="model", values="score").reset_index()
    found = read(frame, checked_columns(greater_is_better=True))
    preds = found.predictions
    assert preds.runs is None
    assert (len(preds), len({*preds.groups})) == (3 * N, N)
    assert name in found.sentence
    assert "none (column" not in found.sentence
    same = mc.Predictions.from_scores(
        {m: preds.output(m).array for m in preds.models},
        groups=preds.groups,
        greater_is_better=True,
    )
    ours, expected = (mc.compare(p, n_resamples=99) for p in (preds, same))
    pd.testing.assert_frame_equal(ours.differences, expected.differences)
    assert mc.compare(preds, "best_of_2", n_resamples=99).scores["estimate"].notna().all()
    if layout == "long":
        assert mc.read_predictions(frame, columns={"runs": name}).runs is not None


@needs("runs")
def test_a_model_trained_once_needs_no_name_of_its_run_and_numbers_of_others_stay():
    frame = table({"a": (1,), "b": (11, 12, 13)})
    frame["seed"] = frame["seed"].where(frame["model"] == "b")
    found = mc.read_predictions(frame, columns={"runs": "seed"})
    assert run_counts(found) == [1, 3]
    assert {*found.access.runs_of("b")} == {"11", "12", "13"}


@needs("runs")
@pytest.mark.parametrize("columns", [{}, {"runs": "seed"}])
def test_rows_without_a_run_beside_rows_with_one_are_counted(columns):
    frame = table(SAME)
    frame["seed"] = frame["seed"].where(frame["seed"] != 2)
    message = "25 rows of model 'a' name no run, and its others do"
    with pytest.raises(ValueError, match=message):
        mc.read_predictions(frame, columns=columns)
