"""Documents as JSON, which has no NaN and whose strings must not steer what shows them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from modelcompare import escape


def json_document(document: Mapping[str, object]) -> str:
    """Write a document as JSON, which has no NaN; what is neither number nor text becomes one."""
    text = json.dumps(_plain(document), indent=2, ensure_ascii=False, allow_nan=False, default=str)
    return f"{escape.json(text)}\n"


def _plain(value: Any) -> Any:
    """Turn numpy's scalars into Python's, and what is missing into None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
