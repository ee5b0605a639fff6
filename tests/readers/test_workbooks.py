"""Workbooks of one sheet are tables; others are refused."""

import zipfile

import pytest

import modelcompare as mc
from tests.readers.opening import DATA

openpyxl = pytest.importorskip("openpyxl")

ROWS = [(n, "yes" if n % 3 else "no", "yes" if n % 2 else "no", n / 8) for n in range(12)]


def written(path, *sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet(f"sheet {number}")
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


HEAD = ("id", "y_true", "cnn", None)


def test_a_sheet_is_read_with_its_types(tmp_path):
    rows = [HEAD, *(row[:3] for row in ROWS)]
    preds = mc.read_predictions(written(tmp_path / "t.xlsx", rows, []))
    assert (preds.models, preds.labels.tolist()) == (("cnn",), ["no", "yes"])
    assert preds.ids.tolist() == [row[0] for row in ROWS]
    right = sum(row[1] == row[2] for row in ROWS) / len(ROWS)
    assert (preds.predicted("cnn") == preds.access.codes).mean() == right


def test_a_workbook_by_openpyxl_is_read():
    preds = mc.read_predictions(DATA / "xlsx" / "predictions.xlsx")
    right = {m: (preds.predicted(m) == preds.access.codes).mean() for m in preds.models}
    assert right == {
        "bow": sum((n % 2 > 0) == (n % 3 > 0) for n in range(12)) / 12,
        "cnn": 11 / 12,
    }


def test_numbers_stay_numbers_below_blank_rows(tmp_path):
    rows = [(), ("a", "b"), *((row[3], 1 - row[3]) for row in ROWS), ()]
    preds = mc.read_predictions(written(tmp_path / "t.xlsx", rows))
    assert preds.output("a").array.tolist() == [row[3] for row in ROWS]


@pytest.mark.parametrize(
    ("sheets", "message"),
    [
        (([HEAD, *ROWS], [HEAD, *ROWS]), "has several sheets (sheet 0, sheet 1); save the sheet"),
        (([], []), "has no cells"),
        (([HEAD],), "the file has a header and no rows"),
        (([("a", "a"), (1, 2), (3, 4)],), "column 'a' occurs twice"),
    ],
)
def test_other_workbooks_are_refused(tmp_path, sheets, message):
    with pytest.raises(ValueError, match=r"^t\.xlsx") as error:
        mc.read_predictions(written(tmp_path / "t.xlsx", *sheets))
    assert message in str(error.value)


@pytest.mark.parametrize("size", [10, 2000, 0.7])
def test_a_truncated_workbook_is_refused(tmp_path, size):
    path = written(tmp_path / "t.xlsx", [HEAD, *ROWS])
    data = path.read_bytes()
    path.write_bytes(data[: size if size > 1 else int(len(data) * size)])
    with pytest.raises(ValueError, match=r"^t\.xlsx: not a readable workbook \("):
        mc.read_predictions(path)


def test_a_workbook_that_inflates_out_of_proportion_is_refused(tmp_path):
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", b" " * 150_000_000)
    with pytest.raises(ValueError, match=r"t\.xlsx inflates to over 100 times"):
        mc.read_predictions(path)
