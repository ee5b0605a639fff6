"""Options of commands: those that several share, and groups of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from glob import glob
from pathlib import Path
from typing import Any, Literal, get_args

from modelcompare import plugs
from modelcompare.cli.streams import say
from modelcompare.options import OPTIONS, REQUIRED, Option
from modelcompare.paths import example_file
from modelcompare.words import (
    Annotators,
    BasicFormat,
    BasicKind,
    FileKind,
    Missing,
    MissingScores,
    SameIds,
    listed,
)

Texts = list[str] | None
_FORMATS: Any = Literal[(*get_args(BasicFormat), *plugs.merged("writers"))]
_KINDS: Any = Literal[(*get_args(BasicKind), *plugs.choices("kind"))]
ComparisonFigure: Any = Literal[
    "forest", "ranks", "differences", *plugs.choices("figure"),
]  # fmt: skip


@dataclass(frozen=True)
class Group:
    """Options that reach a command as one argument.

    Parameters
    ----------
    name : str
        The argument.
    maker : str
        The class that they make, ``module:Class`` of `package`.
    options : tuple of Option
        The options.
    keys : tuple of Option
        Rare ones, which are given as ``--read KEY=VALUE``.
    package : str
        The package of the class.
    """

    name: str
    maker: str
    options: tuple[Option, ...]
    keys: tuple[Option, ...] = ()
    package: str = __package__

    @property
    def every(self) -> tuple[Option, ...]:
        """Options and keys."""
        return (*self.options, *self.keys)


def change_option(group: Group, name: str, **changes: Any) -> Group:
    """Return a group with changes to one of its options."""
    options = (replace(each, **changes) if each.name == name else each for each in group.options)
    return replace(group, options=tuple(options))


def metric_names(incomplete: str) -> list[str]:
    """Complete the name of a metric."""
    from modelcompare.metrics.named import METRICS
    from modelcompare.metrics.terms import ABBREVIATIONS

    return sorted(name for name in (*METRICS, *ABBREVIATIONS) if name.startswith(incomplete))


def named_option(name: str, help: str = "", **changes: Any) -> Option:
    """Take a named option, with the help of this command or further changes."""
    option = OPTIONS[name]
    return replace(option, help=help or option.help, **changes)


flag = partial(Option, type=bool, default=False)
metrics = partial(named_option, "metrics", complete=metric_names)
metric = partial(
    named_option, "metric",
    "Metric; by default f1_macro, mean_score of scores, rmse of real values.",
    complete=metric_names,
)  # fmt: skip
statistics = partial(Option, panel="Statistics", metavar="NAME")
GENERALIZE_TO = named_option(
    "generalize_to", "Answer for these runs (items), or for new ones: {choices}"
)
_input = partial(Option, panel="Input", metavar="COLUMN")
output = partial(Option, panel="Output", type=Path | None)


def key_of(option: Option) -> str:
    """Return the key of an option in ``--read KEY=VALUE``."""
    return option.flags or option.name.replace("_", "-")


def spelled(option: Option, group: Group) -> str:
    """Return an option of a group as it is typed."""
    rare = option in group.keys
    return f"--read {key_of(option)}" if rare else option.flag.partition("/")[0]


def _bounds(text: str) -> tuple[float, float]:
    """Read LOW,HIGH."""
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise ValueError(f"--read range must be LOW,HIGH, as in range=0,1; got {text!r}.") from None
    return low, high


def _found(files: list[Path]) -> list[Path]:
    """Return files; of names that are none, those that fit a pattern, or an example that ships."""
    found = [(path, [] if path.exists() else _meant(str(path))) for path in files]
    return [each for path, fitting in found for each in fitting or [path]]


def _meant(name: str) -> list[Path]:
    """Return the files that fit a pattern, which shells may leave, or the example of that name."""
    if fitting := sorted(glob(name)):
        return [*map(Path, fitting)]
    example = example_file(name)
    if example is None:
        return []
    say(f"modelcompare: {name} is not in this folder; it is an example that ships")
    return [example]


FILES = Option(
    name="files", flags="FILE", type=list[Path], default=REQUIRED, metavar="FILE", parse=_found,
    help=f"Predictions ({listed(FileKind)}): a file of all models, one for each, or a folder.",
)  # fmt: skip
READING = Group(
    "reading",
    "reading:Reading",
    (
        FILES,
        _input(
            name="models", flags="--model", type=Texts, metavar="NAME",
            help="Keep this model, or a pattern with * (repeatable).",
        ),
        _input(name="true", help="Column of true labels; found by its name."),
        _input(name="id", help="Column of sample ids; found by its content."),
        _input(name="groups", help="Column of clusters, resampled as wholes."),
        _input(name="judge", help="Column of a judge; of scores '{model}.judge'.", advanced=True),
        _input(name="label_weight", help="Column of 1 / probability of a label.", advanced=True),
        _input(
            name="annotators", type=Annotators, default="each", metavar="NAME", advanced=True,
            help="Use of labels by several people (--true 'ann*'): {choices}",
        ),
        _input(
            name="positive", metavar="CLASS", advanced=True,
            help="Positive one of two classes; 1, True or yes by default.",
        ),
        *(option for step in plugs.rows("steps") for option in step.options),
        _input(
            name="slices", flags="--slice", type=Texts, advanced=True,
            help="Column that defines subgroups (repeatable).",
        ),
        _input(
            name="kind", type=Literal["auto", _KINDS], default="auto", metavar="NAME",
            advanced=True,
            help=f"Type of the outputs: {listed(_KINDS)}; texts if all metrics are of texts.",
        ),
        _input(
            name="missing", type=Missing, default="refuse", metavar="NAME",
            help="{choices}",
        ),
        _input(
            name="greater_is_better", flags="--lower-is-better/--higher-is-better",
            type=bool | None, metavar="", parse=lambda lower: not lower,
            help="Direction of scores; by default by their names.",
        ),
    ),
    (
        _input(name="event", help="column of events, 1 or 0 if censored at the true time"),
        _input(name="pred", help="column of the outputs, where each row is of one model"),
        _input(name="model", flags="model-column", help="column that names the model of each row"),
        _input(name="runs", flags="run", help="column of repetitions (run, seed, epoch)"),
        _input(name="set", metavar="NAME", help="test set to read, where there are several"),
        _input(
            name="filter", metavar="NAME", help="filter of the answers, in logs with several",
        ),
        _input(name="strata", help="column of strata, whose sizes are kept"),
        _input(name="weight", help="column of sample weights"),
        _input(
            name="score", type=Texts, metavar="NAME",
            help="score to read from logs and long tables (repeatable); all by default",
        ),
        _input(
            name="bounds", flags="range", metavar="LOW,HIGH", parse=_bounds,
            help="lowest and highest possible score per example; gates need it, and assume 0,1 "
            "for scores within 0 and 1",
        ),
        _input(
            name="ids", type=SameIds, default="same", metavar="NAME",
            help=f"files with different samples: {listed(SameIds)}",
        ),
        _input(
            name="na", type=Texts, metavar="TEXT",
            help="text of a missing cell (repeatable); NA, NaN, null, - by default",
        ),
        _input(
            name="labels", type=Texts, metavar="NAME",
            help="class, in the order of ranks, and of probabilities in lists (repeatable); sorted "
            "by default",
        ),
        _input(
            name="battles", metavar="A,B,WINNER", parse=lambda text: text.split(","),
            help="columns of two models that met, and of the winner; model_a,model_b,winner by "
            "default",
        ),
        _input(
            name="normalize", type=bool, default=False, metavar="",
            help="divide probabilities by their sum",
        ),
        _input(
            name="scan", type=bool, default=False, metavar="",
            help="read Parquet files, patterns, folders or URLs block by block, as is done by "
            "default for a file that takes over a quarter of the memory; several files are parts "
            "of one table",
        ),
        _input(
            name="checkpoint", type=Path | None, metavar="FOLDER",
            help="folder that keeps the work of a scan, to resume it",
        ),
    ),
)  # fmt: skip
# Of commands that show no subgroups.
WHOLE = change_option(READING, "slices", hidden=True)
_KNOWN = {option.name: option for option in READING.every}
# Options of reading that a table of results has too.
RESULTS = Group(
    "reading",
    "ask:given",
    (
        _KNOWN["models"],
        _input(name="id", help="Column of the data sets; found by its name."),
        _input(name="missing", type=MissingScores | None, metavar="NAME", help="{choices}"),
    ),
    tuple(map(_KNOWN.__getitem__, ("model", "runs", "score", "na"))),
)
READ = _input(
    name="read", type=Texts, metavar="KEY=VALUE",
    help="Rare reading option (repeatable).",
)  # fmt: skip

RESAMPLING = tuple(OPTIONS[name] for name in ("n_resamples", "rng", "n_jobs"))

_ALL = output(
    name="all", type=bool, default=False,
    help="Show every row of the table.",
)  # fmt: skip
_FORMAT = output(
    name="format", type=_FORMATS | None, metavar="FORM",
    help=f"{listed(_FORMATS)}; by default that of -o, else a table.",
)  # fmt: skip
_OUTPUT = (
    _FORMAT,
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
        replace(_FORMAT, help=f"Form to print: {listed(_FORMATS)}."),
        _ALL,
    ),
)  # fmt: skip


def output_with_figure(help: str, *others: Option) -> Group:
    """Output with a figure, and other options of it."""
    plot = output(name="plot", flags="--plot", metavar="PATH", help=help)
    return replace(OUTPUT, options=(*_OUTPUT, plot, *others))


FIGURE = output(
    name="figure", type=ComparisonFigure | None, metavar="NAME", advanced=True,
    help=f"Figure that --plot writes: {listed(ComparisonFigure)}.",
)  # fmt: skip
