"""Options of commands: those that several share, and groups of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from modelcompare.options import OPTIONS, REQUIRED, Option
from modelcompare.words import FileKind, Format, Missing, SameIds, Told, ToldOrAuto, listed

Texts = list[str] | None


@dataclass(frozen=True)
class Group:
    """Options that reach a command as one argument.

    Parameters
    ----------
    name : str
        The argument.
    maker : str
        What is made of them: a class of a module of this package, ``module:Class``.
    options : tuple of Option
        The options.
    """

    name: str
    maker: str
    options: tuple[Option, ...]


def metric_names(incomplete: str) -> list[str]:
    """Complete the name of a metric."""
    from modelcompare.metrics.registry import ALIASES, METRICS

    return sorted(name for name in (*METRICS, *ALIASES) if name.startswith(incomplete))


def named(name: str, help: str = "", **changes: Any) -> Option:
    """Take a named option, with the help of this command or further changes."""
    option = OPTIONS[name]
    return replace(option, help=help or option.help, **changes)


COMPLETED = {"autocompletion": metric_names}
metrics = partial(named, "metrics", more=COMPLETED)
metric = partial(named, "metric", more=COMPLETED)
statistics = partial(Option, panel="Statistics", metavar="NAME")
_input = partial(Option, panel="Input", metavar="COLUMN")
output = partial(Option, panel="Output", type=Path | None)


def _bounds(text: str) -> tuple[float, float]:
    """Read LOW,HIGH."""
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise ValueError(f"--range must be LOW,HIGH, as in 0,1; got {text!r}.") from None
    return low, high


def pairs(names: list[str]) -> list[str | tuple[str, str]]:
    """Read pairs of metrics: ``f1`` or ``f1:log_loss``."""
    found: list[str | tuple[str, str]] = []
    for name in names:
        first, colon, second = name.partition(":")
        if first == second:
            raise ValueError(f"--pair {name} is one metric twice; name two.")
        found.append((first, second) if colon else first)
    return found


FILES = Option(
    name="files", flags="FILE", type=list[Path], default=REQUIRED, metavar="FILE",
    help=f"Predictions: {listed(FileKind)}; several files hold one model each, a folder holds a "
    "file or a folder for each model.",
)  # fmt: skip
READING = Group(
    "reading",
    "reading:Reading",
    (
        FILES,
        _input(
            name="models", flags="--model", type=Texts, metavar="NAME",
            help="Keep this model, or those of a pattern with * (repeatable).",
        ),
        _input(
            name="true", help="Column of the truth; found by its name (y_true, label, gold).",
        ),
        _input(name="id", help="Column that names the samples; found if it can be."),
        _input(
            name="pred", help="Column of what the model gave, where each row is of one model.",
        ),
        _input(
            name="model_column",
            help="Column that names the model of each row; model by default.",
        ),
        _input(
            name="runs", flags="--run", help="Column of repetitions (run, seed, epoch).",
        ),
        _input(
            name="set", metavar="NAME", help="Read this test set, where there are several.",
        ),
        _input(
            name="filter", metavar="NAME",
            help="Filter of the answers, in logs that hold several.",
        ),
        _input(
            name="groups",
            help="Column of clusters, which are resampled whole; id for those of no log.",
        ),
        _input(name="strata", help="Column of strata, whose sizes are kept."),
        _input(name="weight", help="Column of sample weights."),
        _input(
            name="slices", flags="--slice", type=Texts,
            help="Column that defines subgroups (repeatable).",
        ),
        _input(
            name="kind", type=ToldOrAuto, default="auto", metavar="NAME",
            help=f"What the models gave: {listed(Told)} (values in regression); by its look if "
            "auto.",
        ),
        _input(
            name="scores", type=bool, default=False,
            help="The model columns are scores per example, not predictions.",
        ),
        _input(
            name="score", type=Texts, metavar="NAME",
            help="Score to read from logs and long tables (repeatable); all if none.",
        ),
        _input(
            name="lower_is_better", flags="--lower-is-better/--higher-is-better",
            type=bool | None, metavar="",
            help="Whether low or high values are good, of scores per example and of functions; by "
            "default what the name says (wer, val_loss), else high.",
        ),
        _input(
            name="bounds", flags="--range", metavar="LOW,HIGH", parse=_bounds,
            help="Lowest and highest possible score per example; a gate needs it, and assumes 0,1 "
            "of scores within 0 and 1.",
        ),
        _input(
            name="ids", type=SameIds, default="same", metavar=None,
            help="Files with different samples: refuse them, or keep the common ones.",
        ),
        _input(
            name="missing", type=Missing, default="refuse", metavar=None,
            help="Missing results: refuse, drop samples that any model lacks, count as the worst "
            "result, or answer for the worst and the best case (bounds, in compare).",
        ),
        _input(
            name="na", type=Texts, metavar="TEXT",
            help="How a missing cell is written (repeatable); NA, NaN, null, - by default.",
        ),
        _input(
            name="labels", type=Texts, metavar="NAME",
            help="Class, in the order of probabilities that stand in lists (repeatable).",
        ),
        _input(
            name="normalize", type=bool, default=False,
            help="Divide probabilities by their sum.",
        ),
        _input(
            name="scan", type=bool, default=False,
            help="Read Parquet files, patterns, folders or URLs of them block by block, as is done "
            "by itself with a file that takes over a quarter of the memory; several files are "
            "parts of one table.",
        ),
        _input(
            name="checkpoint", type=Path | None, metavar="FOLDER",
            help="Keep the work there while files are scanned, to go on where it ended.",
        ),
    ),
)  # fmt: skip

RESAMPLING = tuple(OPTIONS[name] for name in ("n_resamples", "rng", "n_jobs"))
# Studies compute everything at every ratio.
STUDY_RESAMPLING = (replace(RESAMPLING[0], default=1000), *RESAMPLING[1:])

_ALL = output(
    name="all", type=bool, default=False,
    help="Show every row of the table.",
)  # fmt: skip
_OUTPUT = (
    output(
        name="format", type=Format | None, metavar="FORM",
        help=f"{listed(Format)}; by default what the suffix of -o says, else a table.",
    ),
    output(name="output", flags="--output -o", metavar="PATH", help="Write to a file."),
    _ALL,
)  # fmt: skip
OUTPUT = Group("output", "output:Output", _OUTPUT)
FOLDER = Group(
    "output",
    "output:Output",
    (
        output(
            name="folder", flags="--output -o", metavar="FOLDER",
            help="Write all tables (csv, md, tex) and figures (png, svg, pdf) into a folder.",
        ),
        output(
            name="format", type=Format | None, metavar="FORM",
            help=f"What to print: {listed(Format)}.",
        ),
        _ALL,
    ),
)  # fmt: skip


def plotted(help: str) -> Group:
    """Output with a figure."""
    plot = output(name="plot", flags="--plot", metavar="PATH", help=help)
    return replace(OUTPUT, options=(*_OUTPUT, plot))
