"""Fixtures of the command line."""

from tests.cli.conftest import run, small_snli, wide_csv

__all__ = ["run", "small_snli", "wide_csv"]
