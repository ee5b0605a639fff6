"""One text a line, a file for each model and reference.

As sacrebleu's command reads them (mjpost/sacrebleu 2.6.0, sacrebleu/sacrebleu.py: ``REF...
-i SYSTEM...``) and jiwer's (jitsi/jiwer 4.0.0, jiwer/cli.py: ``-r REF -h HYP``), but that jiwer
leaves out lines of fewer than two characters; here an empty line is an empty answer.

## logs

- [sacrebleu](https://github.com/mjpost/sacrebleu), [jiwer](https://github.com/jitsi/jiwer) | text |
  any other text of as many lines | the file | folder | line number | text beside that of the
  reference file | `modelcompare compare formats/lines/*.txt -m wer`
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from modelcompare.plugins.logs.named_texts import by_folder, texts_by_name
from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format
from modelcompare.readers.records import Records


def _are_no_table(file: File) -> bool:
    """Return whether lines differ in their number of tabs, or have none."""
    tabs = {line.count("\t") for line in file.payload}
    return len(tabs) > 1 or tabs == {0}


def read_lines(files: Sequence[File], *, true: str | None = None) -> Records:
    """Read rows by line number; names, or `true`, show which file is the reference."""
    for places in by_folder(files).values():
        _check_lengths([files[place] for place in places])
    texts = [pd.Series(file.payload, range(1, len(file.payload) + 1), str) for file in files]
    return texts_by_name(files, texts, true=true)


def _check_lengths(files: Sequence[File]) -> None:
    first = files[0]
    for file in files:
        if len(file.payload) != len(first.payload):
            raise ValueError(
                f"{first.name} has {len(first.payload):,} lines and {file.name} "
                f"{len(file.payload):,}; line n of each must be the same segment, empty lines too."
            )


FORMAT = Format(
    "one text a line", frozenset({"text"}), read_lines, looks_like=_are_no_table,
    truth_is_a_file=True, any_text=True,
)  # fmt: skip
