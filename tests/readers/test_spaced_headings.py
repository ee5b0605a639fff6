"""Headings and whole numbers that are written apart, and mean the same."""

import io

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.data.checks import DataWarning

SPACED = """row, annotator, label1, label2
0, ann0, Not hateful, Not hateful
1, ann1, Hateful, Hateful
2, ann2, Not hateful, Hateful
3, ann0, Hateful, "Not hateful"
"""


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_blanks_after_separators_are_skipped_as_pandas_can(tmp_path, suffix):
    (tmp_path / f"t.{suffix}").write_text(
        SPACED.replace(", ", "\t " if suffix == "tsv" else ", "), encoding="utf-8"
    )
    found = mc.read_predictions(
        tmp_path / f"t.{suffix}", columns={"true": "label1"}, models=["label2"]
    )
    frame = pd.read_csv(io.StringIO(SPACED), skipinitialspace=True)
    assert found.labels.tolist() == sorted(frame["label1"].unique())
    assert (found.predicted("label2") == found.access.codes).mean() == (
        (frame["label1"] == frame["label2"]).mean()
    )


def test_blanks_inside_cells_stay_where_headings_have_none(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y_true,a\n x,x\ny, x\n x,y\n", encoding="utf-8")
    with pytest.warns(DataWarning, match="they differ in blanks"):
        assert mc.read_predictions(path).labels.tolist() == [" x", "x", "y"]


@pytest.mark.parametrize("save", ["csv", "parquet", "xlsx", "frame"])
def test_blanks_around_headings_belong_to_no_name(tmp_path, save):
    frame = pd.DataFrame({"y_true ": ["x", "y"] * 5, "a ": ["x", "y"] * 5, "b": ["x"] * 10})
    source = frame
    if save != "frame":
        source = tmp_path / f"t.{save}"
        write = {"csv": frame.to_csv, "parquet": frame.to_parquet, "xlsx": frame.to_excel}[save]
        write(source, index=False)
    found = mc.read_predictions(source, columns={"true": "y_true"})
    assert found.models == ("a", "b")


def test_headings_that_differ_in_blanks_alone_are_refused():
    frame = pd.DataFrame({"y_true": ["x", "y"] * 5, "a": ["x", "y"] * 5, " a": ["x"] * 10})
    with pytest.raises(ValueError, match="column 'a' occurs twice"):
        mc.read_predictions(frame)


RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 40)
OUTPUTS = {"a": TRUTH ^ (RNG.random(40) < 0.1), "b": TRUTH ^ (RNG.random(40) < 0.3)}


def written(column, form):
    return [format(float(cell), form) if form else str(cell) for cell in column]


@pytest.mark.parametrize("forms", [("", "", ".6f"), (".6f", "", ".6f"), ("", ".1f", ".1f")])
@pytest.mark.parametrize("long", [False, True])
def test_whole_numbers_with_a_point_are_the_classes_they_equal(tmp_path, forms, long):
    columns = {"y_true": TRUTH, **OUTPUTS}
    frame = pd.DataFrame(
        {name: written(c, form) for (name, c), form in zip(columns.items(), forms, strict=True)}
    )
    if long:
        frame = frame.reset_index(names="id").melt(
            ["id", "y_true"], var_name="model", value_name="y_pred"
        )
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = mc.read_predictions(tmp_path / "t.csv")
    assert found.labels.tolist() == [0, 1]
    for model, output in OUTPUTS.items():
        assert found.predicted(model).tolist() == output.tolist()


def test_names_of_versions_keep_their_points(tmp_path):
    frame = pd.DataFrame({"y_true": ["1.0", "2.0"] * 9, "a": ["1.0", "2.0"] * 9, "b": "1.0"})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert mc.read_predictions(tmp_path / "t.csv").labels.tolist() == ["1.0", "2.0"]


def test_a_missing_cell_beside_whole_numbers_with_a_point_is_missing(tmp_path):
    frame = pd.DataFrame({"y_true": written(TRUTH, ""), "a": written(OUTPUTS["a"], ".6f")})
    frame.loc[3, "a"] = ""
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.warns(DataWarning, match="left out 1 of 40"):
        found = mc.read_predictions(tmp_path / "t.csv", missing="drop")
    assert found.labels.tolist() == [0, 1]
