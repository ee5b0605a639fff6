"""Choices of sketches."""

from typing import Literal

Dialect = Literal["duckdb", "spark"]
# Roles of columns that are read block by block.
ROLES = ("true", "id", "groups", "strata", "weight")
