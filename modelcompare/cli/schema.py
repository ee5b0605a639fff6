"""``modelcompare metrics --schema``: the members of documents in JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from modelcompare.report import schema as schemas

OF_METRICS = "metrics/1"
MEMBERS = """
    metrics: name summary variant text bounds greater_is_better needs per_class method cost
        references
"""


def whole_schema() -> dict[str, Any]:
    """The JSON schema of all results, as they declare them, and of the list of metrics."""
    sources = sorted(Path(__file__).parents[1].rglob("*.py"))
    documents = {kind: text for source in sources for kind, text in schemas.declared(source)}
    return schemas.schema({**documents, OF_METRICS: MEMBERS})
