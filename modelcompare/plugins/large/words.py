"""Choices of scans and sketches."""

from typing import Literal

Dialect = Literal["duckdb", "spark"]
# Roles of columns that are read block by block.
ROLES = ("true", "id", "groups", "strata", "weight")
# Output types that scans read.
KINDS = ("labels", "probabilities", "values", "scores", "texts")
