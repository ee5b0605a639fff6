"""All that a person looks at: tables, figures, pages and the terminal's screen."""

from modelcompare.report.files import check_writable, figure_format, write_figure, write_text
from modelcompare.report.html import comparison_html
from modelcompare.report.plots import plot_comparison
from modelcompare.report.tables import (
    comparison_csv,
    comparison_json,
    comparison_latex,
    comparison_markdown,
)
from modelcompare.report.terminal import comparison_screen, comparison_text

__all__ = [
    "check_writable",
    "comparison_csv",
    "comparison_html",
    "comparison_json",
    "comparison_latex",
    "comparison_markdown",
    "comparison_screen",
    "comparison_text",
    "figure_format",
    "plot_comparison",
    "write_figure",
    "write_text",
]
