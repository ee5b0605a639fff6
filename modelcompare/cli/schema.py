"""``modelcompare schema``: the members of documents in JSON."""

from __future__ import annotations

from typing import Any

import modelcompare as mc
from modelcompare.cli import metrics
from modelcompare.cli.streams import answer_document
from modelcompare.comparison import disagreements as disagreements
from modelcompare.report import schema as schemas
from modelcompare.report.json_text import json_document
from modelcompare.report.result import documents


def schema() -> None:
    """Print the JSON Schema of everything that --format json writes."""
    answer_document(json_document(whole_schema()))


def whole_schema() -> dict[str, Any]:
    """The JSON schema of all results; public ones are loaded by their names."""
    for name in dir(mc):
        getattr(mc, name)
    return schemas.schema({**documents(), metrics.DOCUMENT: metrics.MEMBERS})
