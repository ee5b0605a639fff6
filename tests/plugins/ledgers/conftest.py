"""Fixtures of other rooms."""

from tests.cli.conftest import run

__all__ = ["run"]
