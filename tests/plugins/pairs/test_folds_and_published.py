"""Tables that are scores on folds by what is asked, and scores on data sets otherwise."""

import subprocess
import sys

import modelcompare as mc
from tests.pages import ROOT
from tests.plugged import needed

needed("folds", "published")
SCORES = {"baseline": [0.83, 0.79, 0.86], "method": [0.81, 0.76, 0.85], "system": [0.7, 0.72, 0.6]}


def test_models_may_have_names_of_columns_of_models():
    ranked = mc.inference.critical_difference(SCORES, greater_is_better=True)
    folds = mc.crossval.compare_folds(SCORES, n_train=2, n_test=1, greater_is_better=True)
    assert sorted(ranked.ranks["model"]) == folds.scores["model"].tolist() == [*SCORES]


def test_a_wide_table_is_of_data_sets_where_no_sizes_of_folds_are_given(run, tmp_path):
    rows = zip(*SCORES.values(), strict=True)
    lines = [",".join(SCORES), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    asked = ("ranks", "wide.csv", "--higher-is-better")
    assert "data sets" in run(*asked).out
    assert "over 3 folds" in run(*asked, "--n-train", "2", "--n-test", "1").out


def test_tables_of_folds_are_refused_without_the_plugin_that_reads_tables():
    call = "mc.crossval.compare_folds({'a': [0.8, 0.7], 'b': [0.6, 0.9]}, n_train=1, n_test=1)"
    code = f"from tests.absent import take_out; take_out(['published']); import modelcompare as mc; {call}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr.endswith("ValueError: `table` needs the plugin published\n")
