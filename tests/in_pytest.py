"""Sessions of pytest on a file of three models, for tests of the fixture `model_gate`."""

import pandas as pd
import pytest

# Right in 90, 60 and 89 of 100.
TABLE = pd.DataFrame(
    {"id": [f"s{i}" for i in range(101)], "y_true": ["x"] * 100 + ["y"]}
    | {name: ["x"] * n + ["y"] * (101 - n) for name, n in {"a": 90, "b": 60, "c": 89}.items()}
)
FEW = "n_resamples=99"


@pytest.fixture
def session(pytester, monkeypatch):
    """Run tests on a file of three models, in a process with this plugin and no other."""
    # Where the package is installed, its entry point would load the plugin a second time.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    TABLE.to_csv(pytester.path / "preds.csv", index=False)

    def _session(tests, *arguments, **kinds):
        pytester.makepyfile(test_models=tests)
        return pytester.runpytest_subprocess(
            "-p", "modelcompare.pytest_plugin", *arguments, **kinds
        )

    return _session
