"""``modelcompare schema``: what documents of ``--format json`` hold."""

from __future__ import annotations

from importlib.resources import files

from modelcompare.cli.streams import answer_document


def schema() -> None:
    """Print the JSON Schema of everything that --format json writes.

    The member "schema" of a document names its kind and version, such as modelcompare/compare/1.
    """
    document = files("modelcompare.report").joinpath("schema.json").read_text(encoding="utf-8")
    answer_document(document)
