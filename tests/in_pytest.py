"""Sessions of pytest on a file of three models, for tests of the fixture `model_gate`."""

import multiprocessing
import os
import sys

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
    """Run tests on a file of three models, in a process with this plugin and no other.

    It is forked from one that has imported numpy and pandas, unless it must be `fresh`.
    """
    # Where the package is installed, its entry point would load the plugin a second time.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    TABLE.to_csv(pytester.path / "preds.csv", index=False)

    def _session(tests, *arguments, fresh=False):
        pytester.makepyfile(test_models=tests)
        arguments = ("-p", "modelcompare.pytest_plugin", *arguments)
        if fresh or sys.platform != "linux":
            return pytester.runpytest_subprocess(*arguments)
        return _forked(arguments, pytester.path)

    return _session


def _forked(arguments, folder):
    kept = [folder / ".stdout", folder / ".stderr"]
    process = multiprocessing.get_context("forkserver").Process(
        target=_become, args=([*arguments], str(folder), [*map(str, kept)], {**os.environ})
    )
    process.start()
    process.join()
    lines = [path.read_text(encoding="utf-8").splitlines() for path in kept]
    return pytest.RunResult(process.exitcode, *lines, duration=0.0)


def _become(arguments, folder, streams, environment):
    """Run pytest in the forked process, and end it with the exit code."""
    os.chdir(folder)
    os.environ.clear()
    os.environ |= environment
    for descriptor, path in enumerate(streams, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8")
    code = pytest.main(arguments)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)
