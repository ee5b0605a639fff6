"""Choices of sketches."""

from typing import Literal

Dialect = Literal["duckdb", "spark"]
