"""Metrics that are loaded from files."""

import re

import pytest

from modelcompare.metrics import load_metric
from tests.metrics.test_registry import SAID, Y


def test_a_metric_is_loaded_from_a_file(tmp_path):
    path = tmp_path / "ours.py"
    path.write_text(
        "from dataclasses import dataclass\n"
        "from modelcompare.metrics import get_metric\n"
        "def error(y, p):\n    return (y != p).mean()\n"
        "f7 = get_metric('f7')\n"
        "@dataclass\nclass Box:\n    size: int\n"
    )
    assert load_metric(f"{path}:error")(Y, SAID) == pytest.approx((Y != SAID).mean())
    assert load_metric(f"{path}:f7").name == "f7"
    broken = tmp_path / "broken.py"
    broken.write_text("1 / 0\n")
    for place, message in {
        f"{path}:errors": f"{path} holds no metric or function 'errors'; it has: error, f7.",
        f"{path}:Box": f"{path} holds no metric or function 'Box'",
        f"{path}": "a metric from a file is FILE.py:NAME, or FILE.csv:NAME",
        f"{tmp_path}/none.py:error": "there is no such file to load the metric 'error' from.",
        f"{broken}:error": f"{broken} does not run: ZeroDivisionError: division by zero",
    }.items():
        with pytest.raises(ValueError, match=re.escape(message)):
            load_metric(place)
