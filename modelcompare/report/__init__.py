"""All that a person looks at: tables, figures, pages and the terminal's screen."""

from modelcompare.report.agreement_plots import (
    plot_agreement,
    plot_population,
    plot_sample_size,
    plot_sensitivity,
    plot_undefined,
)
from modelcompare.report.cards import model_card
from modelcompare.report.curve_plots import plot_curve, plot_reliability
from modelcompare.report.files import check_writable, figure_format, write_figure, write_text
from modelcompare.report.fold_tables import estimators_markdown
from modelcompare.report.html import comparison_html
from modelcompare.report.plots import plot_comparison
from modelcompare.report.ranks_plot import plot_critical_difference
from modelcompare.report.study_files import (
    write_agreement,
    write_sample_size,
    write_sensitivity,
    write_undefined,
    write_variance,
)
from modelcompare.report.study_plots import plot_intervals, plot_variances
from modelcompare.report.study_tables import (
    agreement_latex,
    agreement_markdown,
    agreement_tables,
    sample_size_tables,
    sensitivity_tables,
    tables_latex,
    tables_markdown,
    tables_screen,
    undefined_tables,
    variance_tables,
)
from modelcompare.report.tables import (
    comparison_csv,
    comparison_json,
    comparison_latex,
    comparison_markdown,
)
from modelcompare.report.terminal import comparison_screen, comparison_text

__all__ = [
    "agreement_latex",
    "agreement_markdown",
    "agreement_tables",
    "check_writable",
    "comparison_csv",
    "comparison_html",
    "comparison_json",
    "comparison_latex",
    "comparison_markdown",
    "comparison_screen",
    "comparison_text",
    "estimators_markdown",
    "figure_format",
    "model_card",
    "plot_agreement",
    "plot_comparison",
    "plot_critical_difference",
    "plot_curve",
    "plot_intervals",
    "plot_population",
    "plot_reliability",
    "plot_sample_size",
    "plot_sensitivity",
    "plot_undefined",
    "plot_variances",
    "sample_size_tables",
    "sensitivity_tables",
    "tables_latex",
    "tables_markdown",
    "tables_screen",
    "undefined_tables",
    "variance_tables",
    "write_agreement",
    "write_figure",
    "write_sample_size",
    "write_sensitivity",
    "write_text",
    "write_undefined",
    "write_variance",
]
