"""The design of a test set that has a judge; light, as it is asked of every test set."""

from __future__ import annotations

from typing import Any

from modelcompare.data.test_set import TestSet
from modelcompare.plugs import load


def judged(predictions: TestSet, *_asked: str) -> Any:
    """Return the design of labels by people beside a judge; None without a judge."""
    if "judge" not in predictions.access.attachments:
        return None
    return load(f"{__package__}.design:LabelsBesideJudge")(predictions)


DESIGNS = (judged,)
