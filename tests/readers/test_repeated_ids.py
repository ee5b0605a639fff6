"""Wide tables whose ids repeat, and those with a column of test sets."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.arrays import ROW_BLOCK
from tests.plugged import needs

N = 40


def labels(n=N, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.choice(["cat", "dog"], n)
    outputs = {
        model: np.where(rng.random(n) < 0.8, true, rng.choice(["cat", "dog"], n)) for model in "ab"
    }
    return pd.DataFrame({"y_true": true, **outputs})


def copies():
    once = labels().assign(id=np.arange(N))
    return pd.concat([once] * 4, ignore_index=True)


REFUSED = r"column 'id' is named like the samples' ids, and repeats 40 of them \(0, 1, 2, ...\)"


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_wide_table_written_four_times_is_refused_as_a_long_one_is(tmp_path, suffix):
    path = tmp_path / f"w.{suffix}"
    if suffix == "csv":
        # The index that pandas writes only counts the rows.
        copies().to_csv(path)
    elif suffix == "jsonl":
        copies().to_json(path, orient="records", lines=True)
    else:
        copies().to_parquet(path, index=False)
    with pytest.raises(ValueError, match=REFUSED + r".*{'groups': 'id'} \(--groups id\).*'runs'"):
        mc.read_predictions(path)
    found = mc.read_predictions(path, columns={"groups": "id"})
    assert (len(found), len({*found.groups})) == (4 * N, N)


@needs("large")
@pytest.mark.parametrize("groups", [None, "id"])
def test_ids_that_only_repeat_beyond_the_first_block_are_refused_by_a_scan(tmp_path, groups):
    ids = np.append(np.arange(ROW_BLOCK + 100), np.arange(7))
    labels(len(ids)).assign(id=ids).to_parquet(tmp_path / "w.parquet", index=False)
    if groups is None:
        with pytest.raises(ValueError, match=r"'id' is named like .* repeats 7 of them"):
            mc.io.scan_predictions(tmp_path / "w.parquet")
    else:
        assert len(
            mc.io.scan_predictions(tmp_path / "w.parquet", columns={"groups": groups})
        ) == len(ids)


@needs("runs")
def test_repeated_ids_are_no_error_where_they_are_declared_or_have_another_use():
    repeated = labels().assign(item=np.arange(N) // 2, seed=np.arange(N) % 2)
    assert {*mc.read_predictions(repeated).runs} == {0, 1}
    by_item = mc.read_predictions(repeated.drop(columns="seed"), columns={"groups": "item"})
    assert len({*by_item.groups}) == N // 2
    named = repeated.drop(columns="seed").assign(guid=np.arange(N))
    assert mc.read_predictions(named, columns={"id": "guid"}).ids.tolist() == [*range(N)]
    described = mc.read_predictions(
        named.rename(columns={"guid": "id"}), columns={"slices": ["item"]}
    )
    assert described.ids.tolist() == [*range(N)]


def suite():
    return pd.concat(
        [labels(seed=i).assign(item=np.arange(N), set=name) for i, name in enumerate("xyz")],
        ignore_index=True,
    )


@needs("suites")
def test_a_wide_table_with_a_column_of_test_sets_is_the_suite_that_the_long_one_is():
    wide = suite()
    long = wide.melt(["y_true", "item", "set"], var_name="model", value_name="y_pred")
    found, expected = mc.io.read_sets(wide), mc.io.read_sets(long)
    assert [*found] == [*expected] == ["x", "y", "z"]
    for name, of_set in found.items():
        assert of_set.ids.tolist() == [*range(N)]
        assert of_set.models == expected[name].models
        for model in of_set.models:
            np.testing.assert_array_equal(of_set.predicted(model), expected[name].predicted(model))


@needs("suites")
def test_one_of_its_test_sets_is_chosen_by_name_or_all_are_refused_as_one():
    assert len(mc.read_predictions(suite(), columns={"set": "y"})) == N
    with pytest.raises(ValueError, match="there is no test set 'w'"):
        mc.read_predictions(suite(), columns={"set": "w"})
    with pytest.raises(
        ValueError, match=r"there are 3 test sets \(x, y, z\); choose one .*{'strata': 'set'}"
    ):
        mc.read_predictions(suite())
    numbered = suite().assign(item=np.arange(3 * N))
    assert len(mc.read_predictions(numbered, columns={"strata": "set"})) == 3 * N
    assert mc.read_predictions(numbered, columns={"slices": ["set"]}).models == ("a", "b")


@needs("large")
def test_a_scan_refuses_several_test_sets_wherever_the_second_begins(tmp_path):
    names = np.where(np.arange(ROW_BLOCK + 9) < ROW_BLOCK, "x", "y")
    table = labels(len(names)).assign(id=np.arange(len(names)), task=names)
    table.to_parquet(tmp_path / "w.parquet", index=False)
    with pytest.raises(ValueError, match=r"several test sets \(column 'task'\)"):
        mc.io.scan_predictions(tmp_path / "w.parquet")


@needs("suites")
def test_a_model_without_results_in_one_of_the_sets_is_left_out_there():
    wide = suite()
    wide.loc[wide["set"] == "y", "b"] = None
    assert mc.io.read_sets(wide)["y"].models == ("a",)
    wide.loc[3, "set"] = None
    with pytest.raises(ValueError, match="column 'set' names no test set in 1 rows"):
        mc.io.read_sets(wide)
