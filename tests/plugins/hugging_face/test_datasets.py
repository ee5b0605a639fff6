"""Data sets of Hugging Face: objects, and the folders that they are saved in."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import modelcompare as mc
from modelcompare.readers import read_predictions

SAVED = Path(__file__).with_name("data")
NAMES = ["positive", "neutral", "negative"]


def table(name="labels"):
    files = sorted((SAVED / name).glob("*.arrow"))
    return pa.concat_tables([pa.ipc.open_stream(path.read_bytes()).read_all() for path in files])


class Dataset:
    """A `datasets.Dataset`, with the methods that are called."""

    def __init__(self, rows):
        self.rows, self.num_rows = rows, rows.num_rows

    def with_format(self, name):
        return {"arrow": self}[name]

    def __getitem__(self, part):
        return self.rows[part]


class DatasetDict(dict):
    """A `datasets.DatasetDict`."""


class IterableDataset:
    """A `datasets.IterableDataset`."""


for each in (Dataset, DatasetDict, IterableDataset):
    each.__module__ = "datasets.arrow_dataset"


def check(found):
    codes = table().to_pandas()
    assert found.models == ("cnn", "bert")
    assert found.labels.tolist() == NAMES
    assert found.ids.tolist() == [*range(24)]
    np.testing.assert_array_equal(found.access.codes, codes["label"])
    for model in found.models:
        np.testing.assert_array_equal(found.predicted(model), codes[model])


def test_a_saved_data_set_has_the_names_of_its_classes_in_their_order():
    check(read_predictions(SAVED / "labels"))
    check(read_predictions(Dataset(table())))


def test_lists_of_probabilities_are_in_the_order_of_the_classes():
    found, rows = read_predictions(SAVED / "lists"), table("lists").to_pandas()
    for model in found.models:
        np.testing.assert_array_equal(found.probabilities(model), [*rows[model]])
    assert found.labels.tolist() == NAMES


def test_of_several_splits_one_is_named(tmp_path):
    with pytest.raises(
        ValueError, match=rf"2 splits \(train, test\); read one, as {SAVED}/splits/t"
    ):
        read_predictions(SAVED / "splits")
    check(read_predictions(SAVED / "splits" / "test"))
    splits = DatasetDict(train=Dataset(table()), test=Dataset(table()))
    with pytest.raises(ValueError, match=r"read one, as read_predictions\(datasets\['test'\]\)"):
        read_predictions(splits)
    check(read_predictions(DatasetDict(test=Dataset(table()))))
    shutil.copytree(SAVED / "splits", tmp_path / "one")
    (tmp_path / "one" / "dataset_dict.json").write_text('{"splits": ["test"]}')
    check(read_predictions(tmp_path / "one"))


def test_rows_that_are_not_there_yet_are_not_read():
    with pytest.raises(
        TypeError, match=r"an IterableDataset has no rows .*from_list\(\[\*data\]\)"
    ):
        read_predictions(IterableDataset())


def test_codes_stay_codes_beside_others_that_may_be_predictions():
    rows = table().append_column("bow", table()["cnn"].cast(pa.int32()))
    found = read_predictions(Dataset(rows))
    assert found.models == ("cnn", "bert", "bow")
    assert found.labels.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(found.predicted("bow"), found.predicted("cnn"))


def test_a_missing_label_is_no_class():
    rows = table()
    rows = rows.set_column(1, rows.schema.field("label"), pa.array([-1] + [1] * 23))
    with pytest.raises(ValueError, match="missing"):
        read_predictions(Dataset(rows))


def test_a_code_of_no_class_is_refused():
    rows = table()
    rows = rows.set_column(1, rows.schema.field("label"), pa.array([7] + [1] * 23))
    with pytest.raises(ValueError, match="column 'label' has the code 7, and its 3 classes are"):
        read_predictions(Dataset(rows))


def test_a_folder_with_a_data_set_for_each_model_has_these_models(tmp_path):
    for model in ("cnn-1.5", "bert"):
        shutil.copytree(SAVED / "labels", tmp_path / model)
    found = read_predictions(tmp_path, columns={"pred": "bert"})
    assert found.models == ("bert", "cnn-1.5")
    found = read_predictions([tmp_path / "cnn-1.5", tmp_path / "bert"], columns={"pred": "cnn"})
    assert found.models == ("cnn-1.5", "bert")


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("data-00000-of-00002.arrow", "not an Arrow file", "not a readable Arrow file"),
        ("state.json", "{}", "'_data_files' lists nothing"),
        ("state.json", '{"_data_files": [{"filename": "../../x"}]}', "x: not a readable Arrow"),
        ("state.json", "{", "is not JSON"),
    ],
)
def test_a_damaged_data_set_is_refused(tmp_path, name, content, why):
    shutil.copytree(SAVED / "labels", tmp_path / "own")
    (tmp_path / "own" / name).write_text(content)
    with pytest.raises(ValueError, match=why):
        read_predictions(tmp_path / "own")


def test_the_library_itself_gives_the_same():
    datasets = pytest.importorskip("datasets")
    both = datasets.load_from_disk(str(SAVED / "splits"))
    check(read_predictions(both["test"]))
    with pytest.raises(ValueError, match="2 splits"):
        read_predictions(both)
    assert len(read_predictions(both["test"].select([3, 5, 9, 11, 12, 13]))) == 6
    test = both["test"]
    found = mc.Predictions(test["label"], {"cnn": test["cnn"], "bert": test["bert"]})
    np.testing.assert_array_equal(found.predicted("cnn"), test["cnn"])
