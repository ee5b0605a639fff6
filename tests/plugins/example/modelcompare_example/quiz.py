"""Logs of a quiz: JSON Lines with a player's reply to each card, and the answer on its back."""

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats import Format
from modelcompare.readers.formats.rows import of_rows

_FIELDS = frozenset({"player", "card", "back", "reply"})


def _replies(file: File) -> pd.DataFrame:
    """Return a row for each reply."""
    return pd.DataFrame(
        {
            "model": file.payload["player"],
            "id": file.payload["card"],
            "y_true": file.payload["back"],
            "y_pred": file.payload["reply"],
        }
    )


FORMATS = (
    Format(
        "quiz", kinds=frozenset({"jsonl"}), fields=_FIELDS,
        read=of_rows(_replies, kind="labels", same=("y_true",)),
    ),
)  # fmt: skip
