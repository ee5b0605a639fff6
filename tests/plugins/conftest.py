"""Fixtures of the command line, and of the report room."""

from tests.cli.conftest import run, small_snli, wide_csv
from tests.report.conftest import hostile, make_comparison_fixture

__all__ = ["hostile", "make_comparison_fixture", "run", "small_snli", "wide_csv"]
