"""Every command that a refusal prints answers, or is refused for another reason."""

import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from modelcompare.cli import main
from tests.advice import commands_in
from tests.bad_input.test_catalogue import RUNS
from tests.plugged import needs, plugged

DATA = Path(__file__).with_name("data")
ERROR = "modelcompare: error: "
# So many refusals in a row are followed.
DEPTH = 4
FEW = {"compare": ("--resamples", "99"), "groups": ("--resamples", "99")}


@pytest.fixture
def follow(capsys):
    """Run a command and those that its refusals print; return how many of these there are."""

    def _follow(asked, before=()):
        code = main([*asked, *(() if "--resamples" in asked else FEW.get(asked[0], ()))])
        captured = capsys.readouterr().err
        refusal = captured.rpartition(ERROR)[2].strip()
        if code != 2:
            return 0
        assert refusal not in before, f"{shlex.join(asked)}: again {refusal}"
        printed = [*commands_in(refusal, asked)]
        if len(before) == DEPTH:
            return 0
        return sum(1 + _follow(command, (*before, refusal)) for command in printed)

    return _follow


@pytest.mark.parametrize("case", [case for case in RUNS if case.files], ids=lambda case: case.name)
def test_commands_of_the_catalogue_of_refusals(case, tmp_path, monkeypatch, follow):
    monkeypatch.chdir(tmp_path)
    for name, content in case.files.items():
        data = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(data)
    follow(shlex.split(case.arguments))


@needs("logs")
@pytest.mark.parametrize("deeper", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("command", ["compare", *plugged("ADVISING")])
def test_commands_for_the_files_of_the_tests(command, deeper, monkeypatch, follow):
    monkeypatch.chdir(DATA)
    paths = [path for path in sorted(Path().rglob("*")) if (len(path.parts) > 2) == deeper]
    assert sum(follow([command, str(path)]) for path in paths) > 0


N = 40
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, N)
OUTPUTS = {"a": TRUTH ^ (RNG.random(N) < 0.1), "b": TRUTH ^ (RNG.random(N) < 0.3)}
WORDS = {name: np.array(["no", "yes"])[cells] for name, cells in OUTPUTS.items()}
REAL = RNG.normal(size=N).round(3)
VALUES = {"a": REAL + 0.25, "b": REAL + RNG.normal(size=N).round(3)}
BESIDE = {
    "channel": ["web", "app"] * (N // 2), "user": [f"u{i // 4}" for i in range(N)],
    "latency_ms": RNG.integers(10, 400, N), "price": RNG.random(N).round(3),
}  # fmt: skip
TABLES = {
    "labels": {"y_true": np.array(["no", "yes"])[TRUTH], **WORDS},
    "codes": {"y_true": TRUTH, **OUTPUTS},
    "values": {"y_true": REAL, **VALUES},
    "measured": {"exp": REAL, **VALUES},
    "scores": {"a": RNG.random(N), "b": RNG.random(N)},
    "out of fold": {"ddg": REAL, "prediction_oof": VALUES["a"]},
    "metrics": {"faithfulness": RNG.random(N), "context_recall": RNG.random(N)},
    "index": {"sample": np.arange(N) % 4, "pesq": RNG.random(N), "stoi": RNG.random(N)},
    "expected": {
        "pair_id": np.arange(N) // 2, "expected_label": TRUTH, "a_label": OUTPUTS["a"],
        "a_score": RNG.random(N), "b_label": OUTPUTS["b"], "b_score": RNG.random(N),
    },
    "routing": {
        "true_label": TRUTH, "predicted_label": OUTPUTS["a"], "assigned_model": np.arange(N) % 4,
        "complexity": REAL,
    },
    "matches": {
        "winner_name": [f"P{i % 3}" for i in range(N)], "minutes": range(90, 90 + N),
        "loser_name": [f"P{(i + 1) % 3}" for i in range(N)], "loser_rank": [2, 3, 1, 4] * (N // 4),
    },
    "rows of models": {
        "model": [f"net{i}" for i in range(N)], "img_size": 224, "top1": np.linspace(60, 80, N),
        "top1_err": np.linspace(40, 20, N), "params": np.linspace(5, 30, N),
        "interpolation": ["bicubic", "bilinear"] * (N // 2),
    },
    "models again": {
        "model": [f"net{i // 2}" for i in range(N)], "top1": np.linspace(60, 80, N),
        "interpolation": ["bicubic"] * N, "crop": ["c1"] * (N // 2) + ["c2"] * (N // 2),
    },
}  # fmt: skip


FEWER = [
    pytest.param(names, marks=pytest.mark.slow) for names in ((), *((each,) for each in BESIDE))
]


@pytest.mark.parametrize("beside", [*FEWER, tuple(BESIDE)], ids=str)
@pytest.mark.parametrize("name", TABLES)
def test_commands_for_tables_of_users(name, beside, tmp_path, monkeypatch, follow):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(TABLES[name]).assign(**{each: BESIDE[each] for each in beside})
    frame.to_csv("t.csv", index=False)
    frame.mask(RNG.random(frame.shape) < 0.02).to_csv("gaps.csv", index=False)
    for command in ("compare", "groups", *plugged("ADVISING")):
        for file in ("t.csv", "gaps.csv"):
            follow([command, file])
    follow(["compare", "t.csv", "--true", next(iter(frame)), "-m", "accuracy"])
    follow(["gate", "t.csv", "--baseline", "a", "--candidate", "b", "--margin", "0.1"])


@pytest.mark.shared_data
@pytest.mark.parametrize("command", ["compare", *plugged("ADVISING")])
def test_commands_for_shared_cases(shared_data, command, monkeypatch, follow):
    folder = shared_data.parent / "cases_turn4"
    if not folder.is_dir():
        pytest.skip(f"the folder {folder.name} is absent")
    monkeypatch.chdir(folder)
    cases = [path for path in sorted(Path().iterdir()) if path.suffix not in (".md", ".txt")]
    assert sum(follow([command, str(path)]) for path in cases) > 0
    follow(["compare", "label_loop.csv", "--true", "expected_label"])
    follow(["compare", "spaced_header.csv", "--true", "label1", "--model", "label2"])
