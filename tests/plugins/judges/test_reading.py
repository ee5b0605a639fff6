"""Tables that people labelled in part, with columns of a judge."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.cli import main
from modelcompare.data.checks import DataWarning
from modelcompare.plugins.judges.verdicts import judge_of
from tests.by_role import by_role
from tests.plugged import needs
from tests.plugins.judges.sets import drawn

NAMES = np.array(["maybe", "no", "yes"], dtype=object)


def table(*, texts: bool = False) -> tuple[pd.DataFrame, mc.Predictions]:
    """Return a wide table and the predictions in it."""
    preds, truth = drawn(3, 150, 600)
    assert judge_of(preds) is not None
    columns = {m: preds.predicted(m) for m in preds.models}
    columns["verdict"] = judge_of(preds).verdicts["m0"]
    labelled = judge_of(preds).labelled
    if texts:
        columns = {name: NAMES[codes] for name, codes in columns.items()}
    seen = np.where(labelled, NAMES[truth] if texts else truth, None if texts else np.nan)
    frame = pd.DataFrame({"id": [f"s{k}" for k in range(600)], "y_true": seen, **columns})
    models = {m: frame[m].to_numpy() for m in preds.models}
    direct = mc.Predictions(seen, models, judge=frame["verdict"].to_numpy())
    return frame, direct


def in_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each model and sample."""
    shared = frame[["id", "y_true", "verdict"]].rename(columns={"id": "item"})
    return pd.concat([shared.assign(model=m, y_pred=frame[m]) for m in ("m0", "m1")])


def scored() -> tuple[pd.DataFrame, mc.Predictions]:
    """Return a wide table of scores by people and by a judge, and the predictions in it."""
    rng = np.random.default_rng(1)
    by_judge = {m: rng.integers(0, 2, 400).astype(float) for m in "ab"}
    labelled = rng.random(400) < 0.3
    by_people = {
        m: np.where(labelled, np.where(rng.random(400) < 0.8, scores, 1 - scores), np.nan)
        for m, scores in by_judge.items()
    }
    verdicts = {f"{m}.judge": scores for m, scores in by_judge.items()}
    frame = pd.DataFrame({"item": [f"s{k}" for k in range(400)], **by_people, **verdicts})
    return frame, mc.Predictions.from_scores(by_people, judge=by_judge)


def same(found: mc.Predictions, direct: mc.Predictions, metric: str) -> None:
    """Compare what was read with what was given."""
    assert found.models == direct.models
    assert judge_of(found) is not None
    assert judge_of(direct) is not None
    np.testing.assert_array_equal(judge_of(found).labelled, judge_of(direct).labelled)
    for model in found.models:
        verdicts = judge_of(found).verdicts[model], judge_of(direct).verdicts[model]
        np.testing.assert_array_equal(*verdicts)
    scores, expected = (mc.compare(each, metric).scores for each in (found, direct))
    pd.testing.assert_frame_equal(scores, expected)


def written(frame: pd.DataFrame, folder: Path, name: str = "table.csv") -> Path:
    path = folder / name
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("texts", [False, True], ids=["codes", "texts"])
@pytest.mark.parametrize("form", ["frame", "csv", "nullable", "rows", "rows in csv"])
def test_a_table_with_a_judge_is_what_it_would_be_as_arrays(
    tmp_path: Path, form: str, texts: bool
) -> None:
    frame, direct = table(texts=texts)
    frame = in_rows(frame) if form.startswith("rows") else frame
    source: Any = written(frame, tmp_path) if "csv" in form else frame
    source = frame.convert_dtypes() if form == "nullable" else source
    found = mc.read_predictions(source, columns={"judge": "verdict"})
    # Whole numbers beside empty cells are written 1.0, and are classes 0, 1, 2 all the same.
    assert found.labels.tolist() == direct.labels.tolist()
    assert found.ids.tolist() == [f"s{k}" for k in range(600)]
    same(found, direct, "f1_macro")


def test_a_file_for_each_model_has_the_judge_s_column(tmp_path: Path) -> None:
    frame, direct = table()
    rows = in_rows(frame)
    files = [written(rows[rows["model"] == m].drop(columns="model"), tmp_path, f"{m}.csv")
             for m in ("m0", "m1")]  # fmt: skip
    same(mc.read_predictions(files, columns={"judge": "verdict", "id": "item"}), direct, "f1_macro")


def test_an_archive_has_the_judge_s_array(tmp_path: Path) -> None:
    frame, direct = table()
    arrays = {name: frame[name].to_numpy() for name in ("y_true", "m0", "m1", "verdict")}
    np.savez(tmp_path / "arrays.npz", **arrays)
    found = mc.read_predictions(tmp_path / "arrays.npz", columns={"judge": "verdict"})
    same(found, direct, "f1_macro")


@pytest.mark.parametrize("form", ["frame", "csv", "rows", "rows in csv"])
def test_scores_of_people_beside_those_of_a_judge(tmp_path: Path, form: str) -> None:
    frame, direct = scored()
    judge = "{model}.judge"
    if form.startswith("rows"):
        judge = "verdict"
        frame = pd.concat(
            pd.DataFrame({"model": m, "item": frame["item"], "score": frame[m],
                          "verdict": frame[f"{m}.judge"]})
            for m in "ab"
        )  # fmt: skip
    source: Any = written(frame, tmp_path) if "csv" in form else frame
    same(mc.read_predictions(source, columns={"judge": judge}), direct, "mean_score")


def test_one_of_several_judged_models_is_read_with_its_judge() -> None:
    frame, direct = scored()
    found = mc.read_predictions(frame, columns={"judge": "{model}.judge"}, models=["b"])
    same(found, direct["b"], "mean_score")


def test_weights_of_labels_and_strata_are_read(tmp_path: Path) -> None:
    frame, _ = table()
    weight = np.where(frame["y_true"].notna(), 4.0, np.nan)
    frame = frame.assign(weight_of_label=weight, block=np.arange(600) % 3)
    for source in (frame, written(frame, tmp_path)):
        found = mc.read_predictions(
            source,
            columns={"judge": "verdict", "label_weight": "weight_of_label", "strata": "block"},
        )
        assert judge_of(found) is not None
        assert found.models == ("m0", "m1")
        np.testing.assert_array_equal(judge_of(found).weight, np.nan_to_num(weight))
        assert found.strata.tolist() == (np.arange(600) % 3).tolist()


def test_samples_without_an_output_or_a_verdict_are_dropped_on_request_only() -> None:
    frame, _ = table(texts=True)
    frame.loc[[3, 7], "verdict"] = None
    frame.loc[5, "m1"] = None
    with pytest.raises(ValueError, match=r"m1 1, verdict 2; first rows: 3, 5, 7"):
        mc.read_predictions(frame, columns={"judge": "verdict"})
    with pytest.warns(DataWarning, match="left out 3 of 600 rows"):
        found = mc.read_predictions(frame, columns={"judge": "verdict"}, missing="drop")
    assert judge_of(found) is not None
    assert len(found) == 597
    assert judge_of(found).n_labels == frame.drop([3, 5, 7])["y_true"].notna().sum()


def test_a_mark_of_a_missing_verdict_is_no_verdict() -> None:
    frame, _ = table(texts=True)
    frame.loc[[3, 4], "verdict"] = "NA"
    with pytest.raises(ValueError, match="verdict 2; first rows: 3, 4"):
        mc.read_predictions(frame, columns={"judge": "verdict"})


def one_score(frame: pd.DataFrame) -> pd.DataFrame:
    frame.loc[np.flatnonzero(frame["a"].isna())[0], "a"] = 1.0
    return frame


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda f: f.drop(columns="b.judge"), {}, "no column 'b.judge'; there are a.judge"),
        (lambda f: f, {"judge": "{model}.llm"}, "no column '{model}.llm'"),
        (lambda f: f, {"judge": "nobody"}, "no column 'nobody'"),
        (lambda f: f, {"label_weight": "nobody"}, "no column 'nobody'"),
        (lambda f: f, {"judge": "a.judge"}, "verdicts on each model's answers"),
        (one_score, {}, "people scored some of the models only in 1 row"),
        (lambda f: f, {"missing": "worst"}, "missing='worst' .* does not go with a judge"),
        (lambda f: f.fillna(1.0), {}, "every sample has a label by people; leave `judge`"),
    ],
    ids=[
        "no column",
        "no columns",
        "nobody",
        "no weight",
        "one column",
        "one score",
        "worst",
        "all labelled",
    ],
)
def test_scores_that_no_judge_completes_are_refused(
    change: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        mc.read_predictions(change(scored()[0]), **by_role({"judge": "{model}.judge", **options}))


def test_a_pattern_is_for_a_column_of_each_model() -> None:
    frame, _ = scored()
    rows = pd.DataFrame({"model": "a", "item": frame["item"], "score": frame["a"]})
    rows = pd.concat([rows.assign(model=m, **{"x.judge": frame["b.judge"]}) for m in "ab"])
    with pytest.raises(ValueError, match=r"names several columns \(x.judge\)"):
        mc.read_predictions(rows, columns={"judge": "{model}.judge"})


def test_the_command_line_reads_a_judge(tmp_path: Path, capsys: Any) -> None:
    path = written(table(texts=True)[0], tmp_path)
    assert main(["compare", str(path), "--judge", "verdict", "-m", "f1_macro"]) == 0
    shown = capsys.readouterr()
    assert "judge: 1 (verdict); models: 2 (m0, m1); missing: 450 in y_true" in shown.err
    assert "Labels by people on 150 of 600 samples, a judge on all" in shown.out.replace("\n", " ")


def test_a_gate_reads_a_judge_of_each_model(tmp_path: Path, capsys: Any) -> None:
    path = written(scored()[0], tmp_path)
    gate = ["gate", str(path), "--judge", "{model}.judge", "--baseline", "a", "--candidate", "b"]
    assert main([*gate, "--margin", "0.5", "--higher-is-better"]) == 0
    shown = capsys.readouterr()
    assert "judge: 2 (a.judge, b.judge); models: 2 (a, b)" in shown.err
    assert "b is non-inferior to a (margin 0.5)" in shown.out


@needs("large")
def test_a_scan_has_no_judge(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "table.parquet"
    table()[0].to_parquet(path)
    assert main(["compare", str(path), "--judge", "verdict", "--read", "scan"]) == 2
    assert "--judge needs all rows in memory" in capsys.readouterr().err
