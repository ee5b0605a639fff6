import io
import runpy
import subprocess
import sys
import unittest
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.testing import assert_not_worse

# Right in 90, 60 and 89 of 100.
TABLE = pd.DataFrame(
    {"y_true": ["x"] * 100 + ["y"]}
    | {name: ["x"] * n + ["y"] * (101 - n) for name, n in {"a": 90, "b": 60, "c": 89}.items()}
)
CLEAR = {"metric": "accuracy", "margin": 0.01, "n_resamples": 99}


@pytest.fixture
def path(tmp_path):
    TABLE.to_csv(tmp_path / "preds.csv", index=False)
    return tmp_path / "preds.csv"


def test_what_is_shown_passes_and_comes_back(path):
    expected = mc.decide(
        mc.read_predictions(TABLE), "b", "a", "accuracy", margin=0.01, n_resamples=99
    )
    for given in (path, [path], TABLE, mc.read_predictions(TABLE)):
        (decision,) = assert_not_worse(given, "b", "a", **CLEAR).decisions
        # Python 3.13 finds no result equal to another that holds the same NaN.
        assert vars(decision) == vars(expected)


@pytest.mark.parametrize("on_inconclusive", ["fail", "pass", "skip"])
def test_what_is_shown_otherwise_fails_whatever_becomes_of_too_few_data(on_inconclusive):
    with pytest.raises(AssertionError) as caught:
        assert_not_worse(TABLE, "a", "b", **CLEAR, on_inconclusive=on_inconclusive)
    decision = mc.decide(
        mc.read_predictions(TABLE), "a", "b", "accuracy", margin=0.01, n_resamples=99
    )
    assert str(caught.value) == decision.sentence()
    assert "b is inferior to a (margin 0.01) in accuracy" in str(caught.value)


def test_too_few_data_fail_pass_or_skip():
    with pytest.raises(
        AssertionError, match=r"^101 samples are not enough to decide whether c is non-inferior"
    ):
        assert_not_worse(TABLE, "a", "c", **CLEAR)
    found = assert_not_worse(TABLE, "a", "c", **CLEAR, on_inconclusive="pass")
    assert (found.answer, found.passed) == ("not enough data", False)
    with pytest.raises(
        SkipTest, match=r"^101 samples are not enough to decide whether c is non-inferior"
    ):
        assert_not_worse(TABLE, "a", "c", **CLEAR, on_inconclusive="skip")


def test_of_several_rules_those_that_do_not_hold_are_reported():
    rules = ["accuracy:+0.5", "recall[x]:-0.01", "accuracy:-0.01"]
    with pytest.raises(AssertionError) as caught:
        assert_not_worse(TABLE, "b", "a", rules=rules, n_resamples=99)
    assert "not better than b by more than 0.5 in accuracy" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(assert_not_worse(TABLE, "b", "a", rules=rules[1:], n_resamples=99).decisions) == 2


def test_a_class_and_a_metric_of_one_s_own_count():
    found = assert_not_worse(TABLE, "b", "a", "recall[x]", margin=0.1, n_resamples=99)
    assert found.decisions[0].gain == pytest.approx(0.3)

    def success(y_true, y_pred):
        return float(np.mean(np.asarray(y_true) == np.asarray(y_pred)))

    own = assert_not_worse(TABLE, "b", "a", success, margin=0.1, n_resamples=99)
    assert own.decisions[0].gain == pytest.approx(30 / 101)


@pytest.mark.parametrize("on_inconclusive", ["fail", "skip"])
def test_no_name_is_an_order_in_what_an_assertion_shows(on_inconclusive):
    truth, right = np.resize(["x", "y"], 40), np.arange(40) < 34
    old, new = "::error::old", "new\n::error::pwned\x1b[31m##[error]"
    outputs = {old: truth, new: np.where(right, truth, truth[::-1])}
    preds = mc.Predictions(truth, outputs)
    for baseline, candidate, margin in ((old, new, 0.01), (new, old, 0.0)):
        rules = [f"accuracy:{-margin:+}"] if margin else ["accuracy:+0.5"]
        with pytest.raises((AssertionError, SkipTest, pytest.skip.Exception)) as shown:
            assert_not_worse(
                preds, baseline, candidate, rules=rules, n_resamples=99,
                on_inconclusive=on_inconclusive,
            )  # fmt: skip
        text = str(shown.value)
        assert "pwned" in text
        assert [x for x in text.splitlines() if x.lstrip().startswith("::") or "##[" in x] == []
        assert "\x1b" not in text


def test_pytest_and_unittest_skip_where_data_are_too_few_and_show_no_line_of_the_package(tmp_path):
    (tmp_path / "test_models.py").write_text(f"""
import unittest
import pandas as pd
from modelcompare.testing import assert_not_worse
TABLE = pd.DataFrame({TABLE.to_dict("list")})
def test_skipped():
    assert_not_worse(TABLE, "a", "c", "accuracy", margin=0.01, n_resamples=99, on_inconclusive="skip")
def test_failed():
    assert_not_worse(TABLE, "a", "b", "accuracy", margin=0.01, n_resamples=99)
class Test(unittest.TestCase):
    def test_skipped_too(self):
        test_skipped()
""")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_models.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 failed, 2 skipped" in done.stdout, done.stdout
    assert "AssertionError: b is inferior to a" in done.stdout
    assert "testing.py" not in done.stdout
    names, stream = runpy.run_path(str(tmp_path / "test_models.py")), io.StringIO()
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(names["Test"])
    unittest.TextTestRunner(stream).run(tests)
    assert "OK (skipped=1)" in stream.getvalue(), stream.getvalue()
