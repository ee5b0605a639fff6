"""Text files whose names show references and models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.messages import as_options, listed
from modelcompare.readers.places import distinct_names
from modelcompare.readers.records import Records

# Words of a reference's name; the later ones count if no file has an earlier one.
_REFERENCE = (r"refs?|ref[a-z0-9]|references?", r"gold|truth|true|trg|tgt|target")
_SOURCE = r"src|source"


def by_folder(files: Sequence[File]) -> dict[Path, list[int]]:
    """Return the positions of the files in each folder."""
    folders: dict[Path, list[int]] = {}
    for place, file in enumerate(files):
        folders.setdefault(file.path.parent, []).append(place)
    return folders


def texts_by_name(
    files: Sequence[File], texts: Sequence[pd.Series[str]], *, true: str | None
) -> Records:
    """Return rows of several text files by id; references have a truth and no model.

    Files of one folder are a test set, named after the folder if there are several.
    """
    folders = by_folder(files)
    parts = {}
    for folder, places in folders.items():
        names = distinct_names([files[place].path for place in places])
        references = _references([files[place].name for place in places], names, true)
        for place, name in zip(places, names, strict=True):
            model, holds = (None, "y_true") if name in references else (name, "y_pred")
            cells = {"file": place, "set": folder.name, "model": model, "id": texts[place].index}
            parts[place] = pd.DataFrame({**cells, holds: texts[place].to_numpy()})
    frame = pd.concat([parts[place] for place in range(len(files))], ignore_index=True)
    if len(folders) == 1:
        frame = frame.drop(columns="set")
    return Records(frame=frame, kind="texts")


def _references(files: Sequence[str], names: Sequence[str], true: str | None) -> set[str]:
    """Return the names of the references among the files of one folder."""
    given = listed(files, 5)
    if len(files) == 1:
        raise ValueError(f"{given} is alone; give the file of the reference texts with it.")
    if true is not None:
        found = {name for file, name in zip(files, names, strict=True) if true in (file, name)}
        if not found:
            raise ValueError(f"{as_options(true=true)} is none of the files {given}.")
        return found
    sources = [file for file, name in zip(files, names, strict=True) if _has_word(name, _SOURCE)]
    if sources:
        raise ValueError(f"{sources[0]} is named like the source of a translation; leave it out.")
    for words in _REFERENCE:
        found = {name for file, name in zip(files, names, strict=True) if _has_word(file, words)}
        if 0 < len(found) < len(files):
            return found
    raise ValueError(
        f"the names of {given} do not show which is the reference (ref, gold, tgt); name it "
        f"with {as_options(true='NAME')}."
    )


def _has_word(name: str, words: str) -> bool:
    return any(re.fullmatch(words, word) for word in re.split(r"[^a-z0-9]+", name.lower()))
