"""Choices and checks of scans and sketches."""

from functools import partial
from typing import Literal

from modelcompare.words import check_count

Dialect = Literal["duckdb", "spark"]
# Number of buckets, and the text that is hashed before the names of samples.
BUCKETS, SALT = 1024, "modelcompare"
MOST_BUCKETS = 2**20
check_buckets = partial(check_count, at_most=MOST_BUCKETS)
# Roles of columns that are read block by block.
ROLES = ("true", "id", "groups", "strata", "weight")
# Output types that scans read.
KINDS = ("labels", "probabilities", "values", "scores", "texts")
