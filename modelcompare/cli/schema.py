"""``modelcompare schema``: the members of documents in JSON."""

from __future__ import annotations

from modelcompare.cli.streams import answer_document
from modelcompare.report import schema as schemas
from modelcompare.report.json_text import json_document


def schema() -> None:
    """Print the JSON Schema of everything that --format json writes."""
    answer_document(json_document(schemas.schema()))
