"""A field that a result declares once is in its class, frames, tables, JSON and schema."""

import io
import json
from dataclasses import dataclass, field

import pandas as pd
import pytest

from modelcompare.report.fields import HIDDEN, Field, frame, member, value
from modelcompare.report.result import Result
from modelcompare.report.writers.formats import WRITERS

ROWS = pd.DataFrame({
    "model": ["a", "b"], "metric": "f1", "label": [0, None], "height": [1.25, 0.5], "ci_low": 0.25,
    "ci_high": 0.75, "aside": [1, 2],
})  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Toy(Result, stem="toy"):
    """A result of one frame."""

    word: str
    number: int = field(metadata=value(after="answer"))
    inner: float = field(metadata=HIDDEN)
    rows: pd.DataFrame = field(
        repr=False, metadata=frame(
            "model", "metric", "label", Field("height", "estimate", "how high"), "ci_low",
            "ci_high", Field("aside", "count", shown=False), Field("absent", optional=True),
        ),
    )  # fmt: skip

    @property
    @member(before="word")
    def answer(self) -> float | None:
        return None if self.inner > 0 else self.inner

    @property
    def signature(self) -> str:
        return "toy"

    def document(self):
        return self._document({"rows": self._whole_table("rows", "Rows", 0.95, decimals=2)})


@pytest.fixture
def toy():
    return Toy(word="w", number=3, inner=1.0, rows=ROWS)


def test_a_declared_field_is_in_every_form_of_a_result(toy):
    document = toy.document()
    written = json.loads(WRITERS["json"](document))
    assert list(written) == ["schema", "answer", "number", "word", "signature", "rows"]
    assert written["rows"][0] == ROWS.astype(object).iloc[0].to_dict()
    assert list(pd.read_csv(io.StringIO(WRITERS["csv"](document)))) == [
        "table", "metric", "label", "model", "height", "ci_low", "ci_high", "aside",
    ]  # fmt: skip
    assert document.tables["rows"].header == ["model", "metric", "how high", "95 % CI"]
