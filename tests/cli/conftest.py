"""Running the command line in the test's own process, in an empty folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from modelcompare import examples
from modelcompare.cli import main


@dataclass(frozen=True)
class Run:
    """What a run of the command line left behind."""

    code: int
    out: str
    err: str
    # Return the line on stderr about what was taken for what.
    read: str = ""


def beyond_reading(stderr: str) -> str:
    """What stands on stderr after the line about what was read."""
    first, _, rest = stderr.partition("\n")
    return rest if first.startswith("modelcompare: read ") else stderr


@pytest.fixture
def run(capsys, monkeypatch, tmp_path) -> Callable[..., Run]:
    """Run ``modelcompare`` with arguments in an empty folder, 80 columns wide."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)

    def _run(*arguments: object) -> Run:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        read = captured.err.removesuffix(beyond_reading(captured.err))
        return Run(code, captured.out, beyond_reading(captured.err), read)

    return _run


@pytest.fixture(scope="session")
def small_snli(tmp_path_factory) -> Path:
    """The first thousand samples of the example, which have every class and many ties."""
    path = tmp_path_factory.mktemp("data") / "snli.npz"
    with np.load(Path(examples.__file__).with_name("snli.npz")) as whole:
        n = len(whole["y_true"])
        parts = {name: array[:1000] if len(array) == n else array for name, array in whole.items()}
    np.savez(path, **parts)
    return path


def _labels(n: int, accuracy: float, seed: int, truth: np.ndarray) -> np.ndarray:
    """Predict the truth with a given probability, else one of the other two classes."""
    rng = np.random.default_rng(seed)
    wrong = (truth + rng.integers(1, 3, n)) % 3
    return np.where(rng.random(n) < accuracy, truth, wrong)


@pytest.fixture(scope="session")
def wide_csv(tmp_path_factory) -> Path:
    """A wide file of labels: 300 rows, three classes, models good, fair and poor."""
    names = np.array(["bird", "cat", "dog"])
    truth = np.random.default_rng(0).integers(0, 3, 300)
    columns = {"id": [f"x{i}" for i in range(300)], "y_true": names[truth]}
    for seed, (model, accuracy) in enumerate({"good": 0.9, "fair": 0.86, "poor": 0.6}.items()):
        columns[model] = names[_labels(300, accuracy, seed, truth)]
    lines = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
    path = tmp_path_factory.mktemp("data") / "animals.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
