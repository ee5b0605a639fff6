"""Files as the readers of formats are given them."""

import json
from pathlib import Path

from modelcompare.readers.content import Content, file_kind
from modelcompare.readers.formats import Opened
from modelcompare.readers.tables import read_table

DATA = Path(__file__).parents[2] / "data" / "formats"


def opened(path):
    """A file and what is in it, by its kind."""
    kind = file_kind(path)
    if kind == "json":
        return Opened(path, kind, json.loads(path.read_text()))
    if kind == "text":
        return Opened(path, kind, path.read_text().splitlines())
    if kind == "eval":
        return Opened(path, kind, Content(path.name, kind, path.open("rb")))
    return Opened(path, kind, read_table(path))
