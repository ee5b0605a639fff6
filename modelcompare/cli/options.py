"""Options that several commands share, in groups that a command asks for as one argument.

A command takes ``reading: ReadingOptions`` and is registered through `commands.expanded`, which
gives the command line one option per field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from modelcompare.cli.streams import say
from modelcompare.words import (
    MOST_JOBS,
    FileKind,
    Format,
    Missing,
    SameIds,
    Told,
    ToldOrAuto,
    listed,
)

if TYPE_CHECKING:
    from modelcompare.comparison.bounds import BoundedComparison
    from modelcompare.data.test_set import TestSet

Text = str | None
Texts = list[str] | None


def option(
    metavar: str | None, help: str, *names: str, panel: str | None = None, **more: Any
) -> Any:
    """Declare an option; a flag is one with a name and without a metavar."""
    return typer.Option(*names, metavar=metavar, help=help, rich_help_panel=panel, **more)


def metric_names(incomplete: str) -> list[str]:
    """Complete the name of a metric."""
    from modelcompare.metrics.registry import ALIASES, METRICS

    return sorted(name for name in (*METRICS, *ALIASES) if name.startswith(incomplete))


def measured(help: str, panel: str | None = "Statistics") -> Any:
    """Declare the option that names what is measured."""
    return option("NAME", help, "--metric", "-m", panel=panel, autocompletion=metric_names)


_input = partial(option, panel="Input")
statistics = partial(option, panel="Statistics")
_resampling = partial(option, panel="Resampling")
written = partial(option, panel="Output")

_FILES = (
    f"Predictions: {listed(FileKind)}; several files hold one model each, a folder holds a file or "
    "a folder for each model."
)
_KINDS = f"What the models gave: {listed(Told)} (values in regression); by its look if auto."
_MISSING = (
    "Missing results: refuse, drop samples that any model lacks, count as the worst result, or "
    "answer for the worst and the best case (bounds, in compare)."
)
_SCAN = (
    "Read Parquet files, patterns, folders or URLs of them block by block, as is done by itself "
    "with a file that takes over a quarter of the memory; several files are parts of one table."
)
# What reading block by block can be told of columns.
_SCANNED = (
    "true", "id", "weight", "scores", "lower_is_better", "range", "na", "normalize", "kind"
)  # fmt: skip
_URL = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):/+")
_FOLDER = "Write all tables (csv, md, tex) and figures (png, svg, pdf) into a folder."

Resamples = Annotated[int, _resampling("N", "Number of resamples.", min=2)]
Every = Annotated[bool, written("", "Show every row of the table.", "--all")]


@dataclass(frozen=True)
class ReadingOptions:
    """Which predictions to read, and how."""

    files: Annotated[list[Path], typer.Argument(metavar="FILE", help=_FILES)]
    model: Annotated[
        Texts, _input("NAME", "Keep this model, or those of a pattern with * (repeatable).")
    ] = None
    true: Annotated[
        Text, _input("COLUMN", "Column of the truth; found by its name (y_true, label, gold).")
    ] = None
    id: Annotated[Text, _input("COLUMN", "Column that names the samples; found if it can be.")] = (
        None
    )
    pred: Annotated[
        Text, _input("COLUMN", "Column of what the model gave, where each row is of one model.")
    ] = None
    model_column: Annotated[
        Text, _input("COLUMN", "Column that names the model of each row; model by default.")
    ] = None
    run: Annotated[Text, _input("COLUMN", "Column of repetitions (run, seed, epoch).")] = None
    set: Annotated[Text, _input("NAME", "Read this test set, where there are several.")] = None
    filter: Annotated[Text, _input("NAME", "Filter of the answers, in logs that hold several.")] = (
        None
    )
    groups: Annotated[
        Text,
        _input("COLUMN", "Column of clusters, which are resampled whole; id for those of no log."),
    ] = None
    strata: Annotated[Text, _input("COLUMN", "Column of strata, whose sizes are kept.")] = None
    weight: Annotated[Text, _input("COLUMN", "Column of sample weights.")] = None
    slice: Annotated[Texts, _input("COLUMN", "Column that defines subgroups (repeatable).")] = None
    kind: Annotated[ToldOrAuto, _input("NAME", _KINDS)] = "auto"
    scores: Annotated[
        bool, _input("", "The model columns are scores per example, not predictions.", "--scores")
    ] = False
    score: Annotated[
        Texts,
        _input("NAME", "Score to read from logs and long tables (repeatable); all if none."),
    ] = None
    lower_is_better: Annotated[
        bool | None,
        _input(
            "",
            "Whether low or high values are good, of scores per example and of functions; by "
            "default what the name says (wer, val_loss), else high.",
            "--lower-is-better/--higher-is-better",
        ),
    ] = None
    range: Annotated[
        Text,
        _input(
            "LOW,HIGH",
            "Lowest and highest possible score per example; a gate needs it, and assumes 0,1 of "
            "scores within 0 and 1.",
        ),
    ] = None
    ids: Annotated[
        SameIds, _input(None, "Files with different samples: refuse them, or keep the common ones.")
    ] = "same"
    missing: Annotated[Missing, _input(None, _MISSING)] = "refuse"
    na: Annotated[
        Texts,
        _input("TEXT", "How a missing cell is written (repeatable); NA, NaN, null, - by default."),
    ] = None
    labels: Annotated[
        Texts,
        _input("NAME", "Class, in the order of probabilities that stand in lists (repeatable)."),
    ] = None
    normalize: Annotated[bool, _input("", "Divide probabilities by their sum.", "--normalize")] = (
        False
    )
    scan: Annotated[bool, _input("", _SCAN, "--scan")] = False
    checkpoint: Annotated[
        Path | None,
        _input("FOLDER", "Keep the work there while files are scanned, to go on where it ended."),
    ] = None

    def read(
        self, *, sliced: bool = False, by_blocks: bool = False, functions: bool = False
    ) -> Any:
        """Read the files and keep the models asked for.

        Parameters
        ----------
        sliced : bool
            Whether subgroups are looked at.
        by_blocks : bool
            Whether what does not fit into memory may be read block by block.
        functions : bool
            Whether the direction is for functions too, or for them alone.
        """
        if self.slice and not sliced:
            raise ValueError(
                "--slice is for compare, slices and report, which show subgroups; leave it out."
            )
        self._check_one_case()
        sketched = self._read_sketches()
        if sketched is not None:
            return sketched
        scanned = self._scanned(by_blocks=by_blocks)
        if scanned is not None:
            return scanned
        from modelcompare.readers import asked, read

        reading = read(self.files, asked(**self.columns(), directs_functions=functions), self.ids)
        say(f"modelcompare: read {reading.sentence}")
        return reading.predictions

    def _read_sketches(self) -> TestSet | None:
        """The sum of the files if they are sketches, None if none is."""
        if not any(path.suffix.lower() == ".parquet" for path in self.files):
            return None
        from modelcompare.sources.sketch_files import holds_sketch, read_sketch
        from modelcompare.spelling import chosen

        kinds = [holds_sketch(path) for path in self.files]
        if not any(kinds):
            return None
        if not all(kinds):
            other = self.files[kinds.index(False)]
            raise ValueError(f"{other} is no sketch and others are; sketch it too.")
        self.refuse_beside(("files", "model"), "is for predictions; leave it out of sketches")
        first, *others = map(read_sketch, self.files)
        total = sum(others, first)
        count = f"{len(kinds)} sketches" if others else "a sketch"
        say(f"modelcompare: read {count} of {len(total):,} samples")
        return total[chosen(total.models, self.model, "the sketch")] if self.model else total

    def _scanned(self, *, by_blocks: bool) -> TestSet | None:
        """Predictions that stay in their files, where that was asked for or memory is too small."""
        asked = self.scan or self.checkpoint is not None or any(map(_URL.match, self._places))
        unserved = [
            f"--{field.name.replace('_', '-')}" for field in fields(self)
            if field.name not in ("files", "model", "scan", "checkpoint", *_SCANNED)
            and getattr(self, field.name) != field.default
        ]  # fmt: skip
        if not asked and (unserved or not by_blocks or not self._too_large()):
            return None
        if not by_blocks:
            raise ValueError(
                "--scan, --checkpoint and URLs are for compare, variance, gate and sketch; leave "
                "them out."
            )
        if unserved:
            raise ValueError(f"{unserved[0]} needs all rows in memory; leave it out of a scan.")
        from modelcompare.sources.layouts import CannotScanError
        from modelcompare.sources.scanned import scan_predictions

        names = (*_SCANNED, "checkpoint")
        options = {name: getattr(self, name) for name in names if name != "range"}
        options["bounds"] = self._bounds
        try:
            found = scan_predictions(self._places, models=self.model, **options)
        except CannotScanError:
            if asked:
                raise
            return None
        say(f"modelcompare: read block by block, {found.sentence}")
        return found

    @property
    def _places(self) -> list[str]:
        """The files; of a URL, its slashes, which a path has but once."""
        return [_URL.sub(r"\1://", path.as_posix()) for path in self.files]

    def _too_large(self) -> bool:
        """Whether there is one Parquet file that would take too much of the memory."""
        if len(self.files) != 1 or self.files[0].suffix.lower() != ".parquet":
            return False
        from modelcompare.sources.planning import is_large

        return is_large(self.files[0])

    @property
    def _bounds(self) -> tuple[float, float] | None:
        """The declared range of the scores."""
        if self.range is None:
            return None
        try:
            low, high = map(float, self.range.split(","))
        except ValueError:
            raise ValueError(f"--range must be LOW,HIGH, as in 0,1; got {self.range!r}.") from None
        return low, high

    def read_sets(self) -> dict[str, Any]:
        """Read each test set of the files, by its name."""
        if self.slice:
            raise ValueError("--slice is for one test set; leave it out of sets.")
        self._check_one_case()
        from modelcompare.readers import asked, readings_of_sets

        readings = readings_of_sets(self.files, asked(**self.columns()), self.ids)
        for name, reading in readings.items():
            say(f"modelcompare: read {name}: {reading.sentence}")
        return {name: reading.predictions for name, reading in readings.items()}

    def compare_bounds(
        self, metrics_on: Callable[[TestSet], Any], *, functions: bool, **options: Any
    ) -> BoundedComparison:
        """Compare with missing results at their worst and at their best.

        Parameters are those of `read` and of `bounded_comparison`; what the metrics are may depend
        on what the models gave.
        """
        from modelcompare.comparison.bounds import bounded_comparison
        from modelcompare.readers import asked, read

        told = {**self.columns(), "missing": "worst", "directs_functions": functions}
        worst = asked(**told)
        found = read(self.files, worst, self.ids)
        best = read(self.files, replace(worst, as_best=True), self.ids)
        say(f"modelcompare: read {found.sentence}")
        metrics = metrics_on(found.predictions)
        return bounded_comparison(found.predictions, best.predictions, metrics, **options)

    def refuse_beside(self, used: Sequence[str], why: str) -> None:
        """Refuse options that would change nothing about what is asked."""
        for field in fields(self):
            if field.name not in used and getattr(self, field.name) != field.default:
                raise ValueError(f"--{field.name.replace('_', '-')} {why}.")

    def _check_one_case(self) -> None:
        if self.missing == "bounds":
            raise ValueError(
                "--missing bounds is for compare, which answers for both cases; choose refuse, "
                "drop or worst."
            )

    def columns(self) -> dict[str, Any]:
        """The same as arguments of `read_predictions`, without `ids`."""
        columns = {
            **vars(self), "models": self.model, "slices": self.slice or (), "runs": self.run,
            "score": self.score, "bounds": self._bounds,
        }  # fmt: skip
        for name in ("files", "model", "slice", "run", "ids", "scan", "checkpoint", "range"):
            del columns[name]
        return columns


@dataclass(frozen=True)
class ResamplingOptions:
    """How to draw."""

    resamples: Resamples = 9999
    seed: Annotated[int, _resampling("N", "Seed of the random numbers.", min=0)] = 0
    jobs: Annotated[
        int | None,
        _resampling("N", "Threads; -1 for all. Results do not depend on it."),
    ] = None

    def options(self) -> dict[str, Any]:
        """The same as arguments of the library."""
        if self.jobs is not None and self.jobs != -1 and not 1 <= self.jobs <= MOST_JOBS:
            raise ValueError(f"--jobs must be -1 or from 1 to {MOST_JOBS}, got {self.jobs}.")
        return {"n_resamples": self.resamples, "rng": self.seed, "n_jobs": self.jobs}


@dataclass(frozen=True)
class StudyOptions(ResamplingOptions):
    """How a study draws."""

    resamples: Resamples = 1000


@dataclass(frozen=True)
class OutputOptions:
    """Where the answer goes, and in which form."""

    format: Annotated[
        Format | None,
        written("FORM", f"{listed(Format)}; by default what the suffix of -o says, else a table."),
    ] = None
    output: Annotated[Path | None, written("PATH", "Write to a file.", "--output", "-o")] = None
    all: Every = False


@dataclass(frozen=True)
class StudyOutputOptions:
    """Where a study's tables and figures go."""

    output: Annotated[
        Path | None,
        written("FOLDER", _FOLDER, "--output", "-o"),
    ] = None
    format: Annotated[Format | None, written("FORM", f"What to print: {listed(Format)}.")] = None
    all: Every = False
