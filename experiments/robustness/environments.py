"""The package in fresh environments: as it is built, extra by extra, at its oldest versions.

uv makes them, below a folder that is removed. The builds and the extras are tried in an empty
folder, away from this checkout; the suite runs in it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.robustness.commands import ROOT, make_inputs

Row = dict[str, str | int | float]
_PROGRAM = "-m modelcompare"
_RUNS = "tests/data/formats/trec"
# What each extra is for, as arguments of Python; without it, each error names what to install.
EXTRAS = {
    "plot": f"{_PROGRAM} compare in/p.npz --resamples 99 --plot forest.png",
    "html": f"{_PROGRAM} compare in/p.npz --resamples 99 -o scores.html",
    "ir": f"{_PROGRAM} compare {ROOT}/{_RUNS}/test.qrels {ROOT}/{_RUNS}/trunc.run "
    f"{ROOT}/{_RUNS}/whole.run --resamples 99",
    "parquet": f"{_PROGRAM} sketch in/p.npz -o p.sketch.parquet",
    "sklearn": "in/estimators.py",
    "sequence": "in/texts.py",
    "dask": "in/cluster.py",
    "xlsx": f"{_PROGRAM} compare {ROOT}/tests/data/formats/xlsx/predictions.xlsx --resamples 99",
    "yaml": f"{_PROGRAM} ranks {ROOT}/tests/data/formats/eval_results",
}
_SCRIPTS = {
    "estimators": """
        import numpy as np
        import modelcompare as mc
        try:
            from sklearn.dummy import DummyClassifier as Model
        except ImportError:
            class Model:
                fit = None
        estimators = {"a": Model(), "b": Model()}
        mc.crossval.compare_estimators(
            estimators, np.zeros((60, 1)), np.arange(60) % 2, metrics="accuracy")
    """,
    "texts": """
        import modelcompare as mc
        outputs = {"a": ["a b c d e f"] * 30, "b": ["a b c d e g"] * 30}
        texts = mc.Predictions(["a b c d e f"] * 30, outputs, kind="texts")
        mc.compare(texts, ["wer", "bleu"], n_resamples=99)
    """,
    "cluster": """
        import sys
        import joblib
        import modelcompare as mc
        try:
            from dask.distributed import Client
        except ImportError:
            sys.exit('Dask is missing: pip install "modelcompare-stats[dask]"')
        if __name__ == "__main__":
            with Client(dashboard_address=None), joblib.parallel_config("dask", n_jobs=-1):
                mc.bootstrap(mc.load_example("snli"), "accuracy", n_resamples=99)
    """,
}
_VERSIONS = """
import importlib.metadata as m, json, platform
core = ("numpy", "pandas", "scipy", "statsmodels")
print(json.dumps({"python": platform.python_version(), **{name: m.version(name) for name in core}}))
"""
SUITE = ["-m", "pytest", "--numprocesses", "auto", "--dist", "loadfile"]
# Old versions warn of what has changed since in others.
OLD = ["-W", "ignore::DeprecationWarning", "-W", "ignore::FutureWarning"]
# Newer ones warn old matplotlib of names that it uses.
OF_THEIR_TIME = "pyparsing<3.3\n"
TARGET = ".[dev]"


@dataclass(frozen=True)
class Checked:
    """How many checks of an environment passed, were skipped and failed."""

    passed: int
    skipped: int
    failed: int


@dataclass(frozen=True)
class Environment:
    """What is installed, and what is then tried."""

    name: str
    install: Callable[[Path], list[str]]
    check: Callable[[Path], Checked]


def environments() -> list[Environment]:
    """The builds, each extra alone, the oldest versions, and those of today."""
    return [
        Environment("wheel", _built("*.whl"), _alone),
        Environment("sdist", _built("*.tar.gz"), _alone),
        *(Environment(f"wheel, {extra}", _built("*.whl", extra), _alone) for extra in EXTRAS),
        Environment("oldest versions", _oldest, lambda python: _suite(python, *OLD)),
        Environment("locked versions", _locked, _suite),
        Environment("newest versions", lambda _: ["--editable", TARGET], _suite),
    ]


def run(python: str, names: Sequence[str], keep: Callable[[list[Row]], None]) -> None:
    """Make each environment with a Python, try what it is for, and keep its row.

    Exits with 1 if a check failed.
    """
    known = {each.name: each for each in environments()}
    strange = [name for name in names if name not in known]
    if strange:
        sys.exit(f"there is no environment {strange[0]!r}; there are {'; '.join(known)}.")
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _uv("build", "--python", python, "--out-dir", str(folder / "dist"))
        for environment in [known[name] for name in names or known]:
            started = time.monotonic()
            made = folder / "made"
            _uv("venv", "--clear", "--python", python, str(made))
            interpreter = made / ("Scripts" if os.name == "nt" else "bin") / "python"
            _uv("pip", "install", "--python", str(interpreter), *environment.install(folder))
            versions = json.loads(_output(interpreter, "-c", _VERSIONS))
            checked = environment.check(interpreter)
            minutes = round((time.monotonic() - started) / 60, 1)
            release = ".".join(versions["python"].split(".")[:2])
            wrong += checked.failed
            keep([{
                "environment": environment.name, "on": release, **versions, **vars(checked),
                "minutes": minutes,
            }])  # fmt: skip
    if wrong:
        sys.exit(f"{wrong} checks failed")


def _built(pattern: str, extra: str = "") -> Callable[[Path], list[str]]:
    def install(folder: Path) -> list[str]:
        (package,) = (folder / "dist").glob(pattern)
        return [f"{package}[{extra}]" if extra else str(package)]

    return install


def _oldest(folder: Path) -> list[str]:
    """Lower bounds of the core and of all extras; tools as they are today."""
    bounds, beside = folder / "oldest.txt", folder / "beside.txt"
    beside.write_text(OF_THEIR_TIME)
    _uv(
        "pip", "compile", "--resolution", "lowest-direct", "--extra", "all",
        "--constraint", str(beside), "--output-file", str(bounds), "pyproject.toml",
    )  # fmt: skip
    return ["--constraint", str(bounds), "--editable", TARGET]


def _locked(_: Path) -> list[str]:
    return ["--requirements", "requirements-dev.txt", "--no-deps", "--editable", "."]


def _alone(python: Path) -> Checked:
    """Away from the checkout: the demo, and each extra's work, done or refused in our words."""
    present = {name for name, needs in _needs().items() if _has(python, needs)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_inputs(folder / "in")
        for script, text in _SCRIPTS.items():
            (folder / "in" / f"{script}.py").write_text(textwrap.dedent(text))
        failed = [] if _works(python, f"{_PROGRAM} demo", folder) else ["demo"]
        for extra, job in EXTRAS.items():
            if extra in present:
                holds = _works(python, job, folder)
            else:
                # What is still missing of an extra may be another extra's.
                message = _refusal(python, job, folder)
                holds = re.search(r'pip install "modelcompare-stats\[\w+\]"', message) is not None
            failed += [] if holds else [extra]
    if failed:
        print(f"{python}: failed {', '.join(failed)}", flush=True)
    return Checked(1 + len(EXTRAS) - len(failed), 0, len(failed))


def _suite(python: Path, *more: str) -> Checked:
    """The tests and doctests of this checkout."""
    done = _run(python, [*SUITE, *more], ROOT)
    if done.returncode:
        print(done.stdout, flush=True)
    count = {what: int(n) for n, what in re.findall(r"(\d+) (\w+)", done.stdout.splitlines()[-1])}
    wrong = sum(count.get(what, 0) for what in ("failed", "error", "errors"))
    if done.returncode and not wrong:
        sys.exit(f"the suite did not run: {done.stderr}")
    return Checked(count.get("passed", 0), count.get("skipped", 0), wrong)


def _needs() -> dict[str, list[str]]:
    """The packages of each extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    return {extra: [re.split(r"[\[<>=!]", each)[0] for each in extras[extra]] for extra in EXTRAS}


def _has(python: Path, packages: Sequence[str]) -> bool:
    code = f"import importlib.metadata as m; [m.version(name) for name in {[*packages]!r}]"
    return _run(python, ["-c", code], ROOT).returncode == 0


def _works(python: Path, job: str, folder: Path) -> bool:
    done = _run(python, job.split(), folder)
    if done.returncode:
        print(f"{job}: {done.stderr[-1000:]}", flush=True)
    return done.returncode == 0


def _refusal(python: Path, job: str, folder: Path) -> str:
    """Return the error of a job that cannot be done; nothing if it is done."""
    done = _run(python, job.split(), folder)
    return done.stderr if done.returncode else ""


def _output(python: Path, *arguments: str) -> str:
    return subprocess.run(
        [python, *arguments], check=True, capture_output=True, text=True, cwd=ROOT
    ).stdout


def _run(python: Path, arguments: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with what is installed and nothing else."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [python, *arguments], cwd=folder, env={**own, "MPLBACKEND": "agg"},
        capture_output=True, text=True,
    )  # fmt: skip


def _uv(*arguments: str) -> None:
    found = shutil.which(
        "uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    if found is None:
        sys.exit("fresh environments are made by uv: pip install uv")
    subprocess.run([found, *arguments, "--quiet"], cwd=ROOT, check=True)
