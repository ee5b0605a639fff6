"""Commands of the studies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from modelcompare.cli.output import FolderOutput
from modelcompare.cli.reading import Reading
from modelcompare.report.result import Result
from modelcompare.studies.agreement import agreement_study
from modelcompare.studies.sensitivity import sensitivity_study
from modelcompare.studies.undefined import undefined_study
from modelcompare.studies.variance import variance_study


def _study(
    study: Callable[..., Result], reading: Reading, output: FolderOutput, *,
    by_blocks: bool = False, **options: Any,
) -> None:  # fmt: skip
    output.check()
    output.emit(study(reading.read(by_blocks=by_blocks), **options), reading.files)


def variance(reading: Reading, output: FolderOutput, **options: Any) -> None:
    """Study how a metric's spread depends on the size of the test set."""
    parted = options["stratify"] or options["n_subsamples"] > 1
    if {*options.get("ratios", ())} == {1.0} and parted:
        raise ValueError("--stratify and --subsamples are for parts of the set; --ratio 1 is all.")
    _study(variance_study, reading, output, by_blocks=True, **options, progress=True)


def agreement(reading: Reading, output: FolderOutput, **options: Any) -> None:
    """Study whether two metrics prefer the same models."""
    _study(agreement_study, reading, output, **options, progress=True)


def undefined(reading: Reading, output: FolderOutput, **options: Any) -> None:
    """Study how often a metric has no value."""
    _study(undefined_study, reading, output, **options, progress=True)


def sensitivity(reading: Reading, output: FolderOutput, **options: Any) -> None:
    """Study which metrics notice other confidences behind the same decisions."""
    _study(sensitivity_study, reading, output, **options)
