"""Any small table reads back as it was written, or is refused."""

import csv
import io

import numpy as np
import pytest

from modelcompare import read_predictions

CELLS = [
    "a", "A", "b", "yes", "Yes", "no", " a", "a ", "1", "2", "0", "-1", "01", "1.0", "1e3", "1000",
    "+1", "-0", "5e1", "50", "nan", "NaN", "NA", "null", "None", "inf", "true", "True", "1_0", "0x10",
    "12345678901234567890123", "12345678901234567890124", "9223372036854775807", "\u0661", "\u00e9",
    "a,b", 'a"b', "a\nb", "a\tb", "", "1\n", "#", "y_true",
]  # fmt: skip


def written(table):
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(table)
    return file.getvalue()


def as_written(values):
    """Texts, and integers only where they are written as they were."""
    assert all(type(value) in (str, int) for value in values)
    return [str(value) for value in values]


@pytest.mark.parametrize(("kind", "seed"), [("auto", 0), ("labels", 1)])
@pytest.mark.filterwarnings("ignore::modelcompare.data.checks.DataWarning")
def test_labels_and_ids_read_back_as_they_were_written_or_are_refused(tmp_path, kind, seed):
    rng = np.random.default_rng(seed)
    path = tmp_path / "t.csv"
    n_read = 0
    for _ in range(50):
        vocabulary = rng.choice(CELLS, size=rng.integers(2, 5), replace=False)
        truth, outputs = rng.choice(vocabulary, size=(2, rng.integers(2, 7))).tolist()
        ids = rng.choice(CELLS, size=len(truth), replace=False).tolist()
        rows = list(zip(ids, truth, outputs, strict=True))
        path.write_text(written([("id", "y_true", "m"), *rows]), encoding="utf-8")
        try:
            preds = read_predictions(path, columns={"id": "id"}, kind=kind)
        except ValueError:
            continue
        if preds.labels is None:
            continue
        n_read += 1
        assert as_written(preds.ids.tolist()) == ids
        assert as_written(preds.y_true.tolist()) == truth
        assert as_written(preds.labels[preds.predicted("m")].tolist()) == outputs
    assert n_read > 10
