"""Everything that a study has to show, written into one folder under fixed names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from modelcompare.report.agreement_plots import (
    plot_agreement,
    plot_population,
    plot_sample_size,
    plot_sensitivity,
    plot_undefined,
)
from modelcompare.report.files import FIGURE_FORMATS, write_figure, write_text
from modelcompare.report.study_contents import (
    TextTable,
    agreement_tables,
    sample_size_tables,
    sensitivity_tables,
    tables_latex,
    tables_markdown,
    undefined_tables,
    variance_tables,
)
from modelcompare.report.study_figures import plot_intervals, plot_variances

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from modelcompare.questions.sample_size import SampleSize
    from modelcompare.studies.agreement import AgreementStudy
    from modelcompare.studies.sensitivity import SensitivityStudy
    from modelcompare.studies.undefined import UndefinedStudy
    from modelcompare.studies.variance import VarianceStudy


def write_variance(study: VarianceStudy, folder: Path) -> list[Path]:
    """Write the variance study: five frames, a summary, two figures for each pair of metrics."""
    frames = {
        "variance": study.distribution,
        "variance_tests": study.tests,
        "variance_ratios": study.variance_ratios,
    }
    if len(study.models) > 1:
        frames["separation"] = study.separated()
        frames["relative_efficiency"] = study.relative_efficiency
    figures = {}
    firsts = [pair[0] for pair in study.pairs]
    for pair in study.pairs:
        # One metric beside two others needs both names.
        name = pair[0] if firsts.count(pair[0]) == 1 else "_".join(pair)
        figures[f"variances_{name}"] = plot_variances(study, pair)
        figures[f"intervals_{name}"] = plot_intervals(study, pair)
    return _write(folder, "variance", variance_tables(study), study.signature, frames, figures)


def write_agreement(study: AgreementStudy, folder: Path) -> list[Path]:
    """Write the agreement study: table 1, all pairs, the order on parts of the test set."""
    population = study.population()
    frames = {
        "agreement": study.table,
        "agreement_pairs": study.pairs,
        "agreement_population": population,
    }
    figures = {
        "agreement": plot_agreement(study),
        "agreement_population": plot_population(study, population),
    }
    return _write(folder, "agreement", agreement_tables(study), study.signature, frames, figures)


def write_undefined(study: UndefinedStudy, folder: Path) -> list[Path]:
    """Write the study of undefined values."""
    frames, figures = {"undefined": study.table}, {"undefined": plot_undefined(study)}
    return _write(folder, "undefined", undefined_tables(study), study.signature, frames, figures)


def write_sensitivity(study: SensitivityStudy, folder: Path) -> list[Path]:
    """Write the sensitivity study."""
    frames, figures = {"sensitivity": study.table}, {"sensitivity": plot_sensitivity(study)}
    tables = sensitivity_tables(study)
    return _write(folder, "sensitivity", tables, study.signature, frames, figures)


def write_sample_size(size: SampleSize, folder: Path) -> list[Path]:
    """Write the curve of sample sizes."""
    frames, figures = {"sample_size": size.curve()}, {"sample_size": plot_sample_size(size)}
    tables = sample_size_tables(size)
    return _write(folder, "sample_size", tables, size.signature, frames, figures)


def _write(
    folder: Path,
    name: str,
    tables: Sequence[TextTable],
    signature: str,
    frames: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Figure],
) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    written = [
        write_text(folder / f"{name}.md", tables_markdown(tables, signature)),
        write_text(folder / f"{name}.tex", tables_latex(tables, signature)),
    ]
    written += [
        write_text(folder / f"{stem}.csv", frame.to_csv(index=False, float_format="%.10g"))
        for stem, frame in frames.items()
    ]
    for stem, figure in figures.items():
        for form in FIGURE_FORMATS:
            written.append(write_figure(folder / f"{stem}.{form}", figure, dpi=200))
    return written
