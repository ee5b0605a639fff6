"""Files opened as readers of formats get them."""

import json
from pathlib import Path

import pandas as pd

from modelcompare.readers.content import Content
from modelcompare.readers.formats import Opened
from modelcompare.readers.tables import Table, read_table


def opened(path):
    path = Path(path)
    kind = {".json": "json", ".eval": "eval", ".txt": "text", ".trn": "text"}
    kind = kind.get(path.suffix, path.suffix[1:])
    if kind == "json":
        try:
            return Opened(path, "json", json.loads(path.read_text("utf-8")))
        except json.JSONDecodeError:
            kind = "jsonl"
    if kind == "jsonl":
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return Opened(path, "jsonl", Table(pd.DataFrame(rows, dtype=object)))
    if kind == "text":
        lines = path.read_text("utf-8").split("\n")
        return Opened(path, "text", lines[:-1] if lines[-1] == "" else lines)
    if kind == "eval":
        return Opened(path, "eval", Content(path.name, "eval", path.open("rb")))
    return Opened(path, kind, read_table(path))
