"""Scans of several files: files and folder names must form one table."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.plugins.large.datasets import _same

pa = pytest.importorskip("pyarrow")
ds = pytest.importorskip("pyarrow.dataset")


def table(n=200):
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], n)
    predicted = {
        m: np.where(rng.random(n) < share, y, "no") for m, share in (("a", 0.8), ("b", 0.6))
    }
    return pd.DataFrame({"id": np.arange(n), "y_true": y, **predicted})


FRAME = table()
WHOLE = FRAME.assign(**{c: (FRAME[c] == "yes").astype(int) for c in ("y_true", "a", "b")})


def write(folder, **parts):
    """Files in folders: their paths by part, with / written as __ and = as _is_."""
    for name, part in parts.items():
        path = folder / f"{name.replace('__', '/').replace('_is_', '=')}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        part.to_parquet(path, index=False)
    return folder


def halves(frame):
    return frame.iloc[:100], frame.iloc[100:]


def accuracies(predictions):
    return (
        mc.compare(predictions, "accuracy", n_resamples=9)
        .scores.set_index("model")
        .estimate.to_dict()
    )


def on_every_road(folder, **options):
    """The accuracies of a scan by its blocks, counted at its source, read whole, sketched."""
    scan = mc.io.scan_predictions(folder, **options)
    sketched = mc.io.sketch(scan, "accuracy")
    blocks = mc.io.sketch(iter([*scan.access.blocks()]), "accuracy")
    found = [accuracies(each) for each in (scan, scan.load(), sketched, blocks)]
    assert all(each == found[0] for each in found)
    return found[0]


@pytest.mark.parametrize("opened", [str, lambda path: ds.dataset(path, partitioning="hive")])
@pytest.mark.parametrize("column", ["y_true", "a"])
def test_a_folder_name_that_differs_from_its_file_is_refused(column, opened, tmp_path):
    first, second = halves(WHOLE.astype({column: "int32"}))
    write(tmp_path, **{f"{column}_is_0__p": first, f"{column}_is_1__p": second})
    message = f"{column}=0/p.parquet: the folder is named {column}=0, but .* {column!r} has 1; "
    with pytest.raises(ValueError, match=message):
        mc.io.scan_predictions(opened(tmp_path), models=["a", "b"])


def test_a_folder_name_of_texts_that_differs_is_refused(tmp_path):
    first, second = halves(FRAME)
    write(tmp_path, y_true_is_no__p=first, y_true_is_yes__p=second)
    with pytest.raises(ValueError, match="y_true=no, but the file's column 'y_true' has 'yes'"):
        mc.io.scan_predictions(tmp_path)


@pytest.mark.parametrize("frame", [FRAME, WHOLE])
def test_a_folder_name_that_agrees_with_its_file_is_read(frame, tmp_path):
    write(tmp_path, **{f"y_true_is_{c}__p": part for c, part in frame.groupby("y_true")})
    assert on_every_road(tmp_path) == accuracies(mc.read_predictions(frame))


def test_a_folder_may_hold_the_truth_alone(tmp_path):
    parts = {
        f"y_true_is_{c}__p": part.drop(columns="y_true") for c, part in FRAME.groupby("y_true")
    }
    scan = mc.io.scan_predictions(
        write(tmp_path, **parts), columns={"true": "y_true"}, models=["a", "b"]
    )
    assert accuracies(scan) == accuracies(mc.read_predictions(FRAME))


def test_a_folder_that_no_answer_depends_on_may_write_a_column_otherwise(tmp_path):
    day = pd.Timestamp("2026-11-23 12:00")
    write(tmp_path, **{"day_is_2026-11-23__p": FRAME.assign(day=day)})
    assert on_every_road(tmp_path) == accuracies(mc.read_predictions(FRAME))


@pytest.mark.parametrize("short", [0, 1])
def test_a_model_that_a_file_lacks_is_named_with_the_file(short, tmp_path):
    parts = [*halves(FRAME)]
    parts[short] = parts[short].drop(columns="b")
    write(tmp_path, **{f"p{place}": part for place, part in enumerate(parts)})
    message = rf"p{short}.parquet lacks the column 'b', which .*/p{1 - short}.parquet has"
    for options in ({}, {"models": ["a", "b"]}):
        with pytest.raises(ValueError, match=message):
            mc.io.scan_predictions(tmp_path, **options)
    assert on_every_road(tmp_path, models=["a"]) == {"a": (FRAME.a == FRAME.y_true).mean()}


def test_a_truth_that_a_file_lacks_is_named_with_the_file(tmp_path):
    first, second = halves(FRAME)
    write(tmp_path, p0=first, p1=second.drop(columns="y_true"))
    with pytest.raises(ValueError, match=r"p1.parquet lacks the column 'y_true'"):
        mc.io.scan_predictions(tmp_path, columns={"true": "y_true"}, models=["a", "b"])


def test_models_that_differ_in_case_are_two(tmp_path):
    write(tmp_path, p=FRAME.rename(columns={"a": "BERT", "b": "bert"}))
    read = accuracies(mc.read_predictions(tmp_path / "p.parquet"))
    assert on_every_road(tmp_path) == read
    assert read["BERT"] != read["bert"]


@pytest.mark.parametrize("order", [1, -1])
def test_texts_in_one_file_and_numbers_in_another_are_refused(order, tmp_path):
    (first, _), (_, second) = halves(WHOLE), halves(FRAME)
    for place, part in enumerate([first, second][::order]):
        write(tmp_path, **{f"p{place}": part})
    with pytest.raises(ValueError, match=r"'y_true' has \w+ in .*p0.* and \w+ in .*p1.*one type"):
        mc.io.scan_predictions(tmp_path)


@pytest.mark.parametrize("order", [1, -1])
def test_whole_numbers_beside_fractions_are_read_as_fractions(order, tmp_path):
    """DuckDB casts to the first file's type: 0.5 counted as 0, in silence."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"y_true": np.arange(200) % 4, "a": rng.integers(0, 4, 200)})
    first, second = halves(frame)
    second = second.assign(a=second.a + 0.5)
    for place, part in enumerate([first, second][::order]):
        write(tmp_path, **{f"p{place}": part})
    with pytest.raises(ValueError, match="real numbers for 4 classes"):
        accuracies(mc.io.scan_predictions(tmp_path, models=["a"]))
    values = mc.io.scan_predictions(tmp_path, models=["a"], kind="values")
    whole = pd.concat([first, second][::order])
    expected = np.sqrt(((whole.a - whole.y_true) ** 2).mean())
    assert mc.compare(values, "rmse").scores.estimate.item() == pytest.approx(expected, rel=1e-12)


def test_files_of_types_that_hold_each_other_are_one_table(tmp_path):
    first, second = halves(WHOLE)
    write(tmp_path, p0=first.astype("int8"), p1=second.astype(float).astype({"id": int}))
    assert on_every_road(tmp_path) == accuracies(mc.read_predictions(WHOLE))


def test_a_file_of_no_rows_among_files_changes_nothing(tmp_path):
    first, second = halves(FRAME)
    write(tmp_path, p0=FRAME[:0], p1=first, p2=FRAME[:0], p3=second, p4=FRAME[:0])
    assert on_every_road(tmp_path) == accuracies(mc.read_predictions(FRAME))


def test_columns_in_another_order_are_found_by_their_names(tmp_path):
    first, second = halves(FRAME)
    write(tmp_path, p0=first, p1=second[["b", "y_true", "a", "id"]])
    assert on_every_road(tmp_path) == accuracies(mc.read_predictions(FRAME))


def test_a_dataset_that_is_filtered_has_the_rows_that_are_left(tmp_path):
    write(tmp_path, p0=FRAME)
    kept = ds.dataset(tmp_path).filter(ds.field("id") < 50)
    assert on_every_road(kept) == accuracies(mc.read_predictions(FRAME[:50]))


@pytest.mark.parametrize(
    ("value", "of_folder", "same"),
    [(1, "1", True), (1, "01", True), ("1", "01", False), (2, "01", False), ("x", "x", True)],
)
def test_a_cell_equals_the_value_of_its_folder_as_a_number_or_a_text(value, of_folder, same):
    assert _same(value, of_folder) is same
