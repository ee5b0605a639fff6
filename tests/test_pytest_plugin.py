"""The fixture `model_gate`, in separate sessions of pytest."""

import re

from tests.in_pytest import FEW, TABLE
from tests.plugged import needs

pytest_plugins = ["pytester"]


@needs("suites")
def test_a_gate_passes_fails_or_skips_and_shows_no_line_of_the_package(session):
    TABLE[["id", "y_true", "b"]].to_csv("b.csv", index=False)
    TABLE[["id", "y_true", "a"]].to_csv("a.csv", index=False)
    done = session(f"""
        import modelcompare as mc
        def test_path(model_gate):
            found = model_gate("preds.csv", "b", "a", "accuracy:-0.01", {FEW})
            assert (found.answer, found.ledger) == ("shown", "")
        def test_paths(model_gate):
            assert model_gate(["b.csv", "a.csv"], "b", "a", ["accuracy:-0.01"], {FEW}).passed
        def test_sets(model_gate):
            preds = mc.read_predictions("preds.csv")
            rules = ["mean(accuracy):-0.01", "each(accuracy):-0.1"]
            assert model_gate({{"one": preds, "two": preds}}, "b", "a", rules, {FEW}).passed
        def test_worse(model_gate):
            model_gate("preds.csv", "a", "b", ["accuracy:-0.01", "accuracy:-0.9"], {FEW})
        def test_few(model_gate):
            model_gate("preds.csv", "a", "c", "accuracy:-0.01", {FEW})
        def test_skipped(model_gate):
            model_gate("preds.csv", "a", "c", "accuracy:-0.01", on_inconclusive="skip", {FEW})
        def test_may_pass(model_gate):
            found = model_gate("preds.csv", "a", "c", "accuracy:-0.01", on_inconclusive="pass", {FEW})
            assert not found.passed
    """)
    done.assert_outcomes(passed=4, failed=2, skipped=1)
    text = done.stdout.str()
    assert "AssertionError: b is inferior to a (margin 0.01) in accuracy" in text
    assert "AssertionError: 101 samples are not enough to decide whether c is non-inferior" in text
    assert "margin 0.9" not in text
    assert not re.search(r"assertions\.py|pytest_plugin\.py|ledger", text)


def test_a_session_without_a_gate_loads_nothing_slow(session):
    done = session(
        """
        import sys
        def test_nothing():
            assert "modelcompare.pytest_plugin" in sys.modules
            assert not {"numpy", "pandas", "scipy", "click"} & {*sys.modules}
    """,
        fresh=True,
    )
    done.assert_outcomes(passed=1)


def test_a_gate_has_the_workers_that_a_fixture_sets(session):
    done = session(f"""
        import joblib
        import pytest
        import modelcompare as mc

        @pytest.fixture(autouse=True)
        def two_jobs():
            with mc.config_context(n_jobs=2):
                yield

        def test_gate(model_gate, monkeypatch):
            asked = []
            monkeypatch.setattr(joblib, "effective_n_jobs", lambda n: asked.append(n) or 1)
            model_gate("preds.csv", "b", "a", "accuracy:-0.1", method="percentile", {FEW})
            assert {{*asked}} == {{2}}
    """)
    done.assert_outcomes(passed=1)
