"""What is no source of predictions, a data set of Hugging Face included."""

import modelcompare as mc
from tests.bad_input.case import Call

CASES = [
    Call("a source that is a number", lambda _: mc.read_predictions(5), "`source` must be a path, several paths, or a data frame (pandas, polars, pyarrow, DuckDB), got 5.", TypeError),
]  # fmt: skip
