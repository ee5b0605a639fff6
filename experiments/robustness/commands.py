"""The commands that write files, each with what it reads, so that faults can be tried on them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import modelcompare as mc

ROOT = Path(__file__).resolve().parents[2]
# Systems that know no file without a name: Linux plays one of them.
NAMED = "import os, sys; del os.O_TMPFILE; from modelcompare.__main__ import run; sys.exit(run())"


@dataclass(frozen=True)
class Command:
    """A command that writes.

    Parameters
    ----------
    name : str
        What the tables call it.
    arguments : str
        What follows the program's name; the command runs in an empty folder beside ``in``.
    other : str
        What is added to have another answer, for two writers at once; nothing if none can be had.
    named : bool
        Whether files are written as systems do that know no file without a name.
    resumes : bool
        Whether it keeps its work, so that what is left is judged by what the next run makes of it.
    """

    name: str
    arguments: str
    other: str = "--seed 5"
    named: bool = False
    resumes: bool = False

    def line(self, *, other: bool = False) -> list[str]:
        """The command line; or that of the other answer."""
        start = ["-c", NAMED] if self.named else ["-m", "modelcompare"]
        more = self.other.split() if other else []
        return [sys.executable, *start, *self.arguments.split(), *more]

    def start(
        self, folder: Path, *, other: bool = False, first: Callable[[], None] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start it in a folder; `first` is called in the new process."""

        def prepare() -> None:
            # What runs in the background ignores Ctrl-C, and so would all that it starts.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if first is not None:
                first()

        return subprocess.Popen(
            self.line(other=other), cwd=folder, env=environment(),
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=prepare,
        )  # fmt: skip


def environment() -> dict[str, str]:
    """One thread, and this copy of the package."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}


_FEW = "--resamples 99"
COMMANDS = (
    Command("compare", f"compare ../in/p.npz {_FEW} -o scores.md --plot forest.png"),
    Command("compare, html", f"compare ../in/p.npz {_FEW} -o scores.html"),
    Command("compare, files with names", f"compare ../in/p.npz {_FEW} -o scores.csv", named=True),
    Command(
        "compare --read checkpoint",
        f"compare ../in/scan.parquet --read scan --read checkpoint=kept {_FEW} -m cf1_macro "
        "--method percentile --test wald -o scores.json",
        other="", resumes=True,
    ),
    Command("disagreements", "disagreements ../in/p.npz --model a --model b -o apart.csv", ""),
    Command("sketch", "sketch ../in/p.npz -o p.sketch.parquet", "--buckets 64"),
    Command("sketch, files with names", "sketch ../in/p.npz -o p.sketch.parquet", "--buckets 64",
            named=True),
    Command("sets", f"groups ../in/news.csv ../in/mails.csv {_FEW} -m accuracy -o sets.tex"),
    Command("slices", f"groups ../in/news.csv --by part {_FEW} -m accuracy -o slices.md"),
    Command("variance", "study variance ../in/p.npz --pair f1_macro --resamples 20 -o study"),
    Command("agreement", "study agreement ../in/p.npz --pair f1_macro --resamples 20 -o study"),
    Command("undefined", "study undefined ../in/p.npz --pair f1 --resamples 20 -o study"),
    Command("sensitivity", "study sensitivity ../in/p.npz -m cf1_macro --resamples 20 -o study"),
    Command("sample-size", "sample-size ../in/pair.npz -o study", ""),
    # What asks of a ledger writes the time, and is tried in tests/plugins/ledgers.
    Command("keep --report", "keep --report --ledger ../in/kept.jsonl -o kept.md --plot kept.svg",
            "--margin 0.2"),
    Command("folds", "ranks ../in/folds.csv --n-train 90 --n-test 10 -o folds.md", ""),
    Command("ranks", "ranks ../in/folds.csv --higher-is-better -o ranks.csv --plot cd.svg", ""),
    Command("report", f"report ../in/p.npz {_FEW} -o report.html"),
    Command("report --card", f"report ../in/p.npz --card a {_FEW} -m f1 -o a.md"),
    Command("demo", f"demo {_FEW} -o demo.txt"),
)  # fmt: skip


def make_inputs(folder: Path) -> None:
    """What the commands read."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    truth = np.arange(600) % 3
    outputs = {name: rng.dirichlet(np.ones(3), 600) for name in "abc"}
    np.savez(folder / "p.npz", y_true=truth, **outputs)
    np.savez(folder / "pair.npz", y_true=truth, **{name: outputs[name] for name in "ab"})
    rows = {"y_true": truth, **{name: p.argmax(axis=1) for name, p in outputs.items()}}
    for name in ("news", "mails"):
        pd.DataFrame(rows).assign(part=truth % 2).to_csv(folder / f"{name}.csv", index=False)
    preds = mc.read_predictions(folder / "pair.npz")
    mc.keep(preds, "a", "b", "accuracy:+0", ledger=folder / "kept.jsonl", n_resamples=99)
    scores = pd.DataFrame(rng.normal(size=(10, 3)), columns=list("abc"))
    scores.rename_axis("fold").reset_index().to_csv(folder / "folds.csv", index=False)
    many = 300_000
    columns = {
        f"{name}:{label}": column
        for name in "ab"
        for label, column in enumerate(rng.dirichlet(np.ones(2), many).T)
    }
    pd.DataFrame({"y_true": rng.integers(0, 2, many), **columns}).to_parquet(
        folder / "scan.parquet"
    )


def files_in(folder: Path) -> dict[str, bytes]:
    """All files below a folder, hidden ones too, by their path in it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*")) if path.is_file()
    }  # fmt: skip


def written(command: Command, folder: Path, *, other: bool = False) -> dict[str, bytes]:
    """Run a command to its end in an empty folder; what it wrote."""
    fill(folder, {})
    with command.start(folder, other=other) as process:
        assert process.stderr is not None
        stderr = process.stderr.read().decode()
    if process.returncode:
        sys.exit(f"{' '.join(command.line(other=other))} failed: {stderr}")
    return files_in(folder)


def fill(folder: Path, files: dict[str, bytes]) -> None:
    """Let a folder hold these files and nothing else."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
