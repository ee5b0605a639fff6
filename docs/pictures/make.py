"""Write the pictures of the README and of pages here: ``python -m docs.pictures.make``."""

import contextlib
import io
import os
import re
from pathlib import Path
from unittest import mock

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

import modelcompare as mc
from modelcompare.cli import main

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXAMPLE = ROOT / "modelcompare" / "examples" / "snli.npz"
COMMAND = ["compare", "snli.npz", "--metric", "accuracy"]
# No font is loaded from a server.
_SVG = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
# The answer is written with the colours of a terminal.
_TERMINAL = {"FORCE_COLOR": "1", "NO_COLOR": "", "TERM": "xterm-256color"}


def printed() -> Text:
    """Return the output of the command, run in the folder of its file, with its colours."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with (
        contextlib.chdir(EXAMPLE.parent),
        contextlib.redirect_stdout(out),
        mock.patch.dict(os.environ, _TERMINAL),
    ):
        main(COMMAND)
    return Text.from_ansi(out.buffer.getvalue().decode())


def terminal() -> str:
    """Draw the command and its answer as a terminal shows them."""
    command = f"$ modelcompare {' '.join(COMMAND)}"
    text = Text.assemble((f"{command}\n", "bold green"), printed())
    console = Console(record=True, width=80, file=io.StringIO(), force_terminal=True)
    console.print(text)
    return console.export_svg(
        title="modelcompare", theme=MONOKAI, code_format=_SVG, unique_id="terminal"
    )


def figure_two() -> None:
    """Draw F1 and cF1 of three networks by size of the test set, as in figure 2 of the paper."""
    archive = ROOT / "experiments" / "snli_sepcnn" / "predictions" / "section61.npz"
    preds = mc.read_predictions(archive, normalize=True)
    study = mc.studies.variance_study(preds, pairs=[("f1", "cf1")])
    study.plot.intervals(label="neutral").save(HERE / "figure2.svg")


def suite() -> None:
    """Draw the scores of three models on each test set of a suite."""
    path = ROOT / "modelcompare" / "examples" / "benchmarks.csv"
    sets = mc.io.read_sets(path, greater_is_better=True)
    mc.compare_groups(sets).plot.groups().save(HERE / "suite.svg")


if __name__ == "__main__":
    (HERE / "terminal.svg").write_text(terminal(), "utf-8")
    figure_two()
    suite()
