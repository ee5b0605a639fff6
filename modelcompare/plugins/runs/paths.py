"""Files and folders named like runs: ``cnn_seed1.csv``, ``seed_1/cnn.csv``, ``1/cnn.csv``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from modelcompare.readers.content import File, file_stem

# Names of repetitions: seed_1, run-02, and folders that are only numbered.
_RUN = re.compile(r"(seed|run|rep|repeat|trial|epoch)[-_ ]?[0-9]+", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,3}")
# A model and its run: cnn_seed1. Epochs of a training are checkpoints, and so models.
_OF_RUN = re.compile(r"(.+?)[-_ ]((?:seed|run|rep|repeat|trial)[-_ ]?[0-9]+)", re.IGNORECASE)


def named_by_runs(files: Sequence[File], *, alone: bool) -> list[File]:
    """Name the models and runs of files; a folder that is named `alone` has those of all models."""
    single = [file for file in files if file.set is None]
    inner = [_of_folder(file, alone) for file in files if file.set is not None]
    return [*_in_runs(single), *_runs_inside(inner)]


def _in_runs(files: list[File]) -> list[File]:
    """Name models and runs of files such as ``cnn_seed1``, if several models are then left."""
    split = [_OF_RUN.fullmatch(file.model) for file in files]
    counts = Counter(each[1] for each in split if each)
    named = [
        replace(file, model=each[1], run=each[2]) if each and counts[each[1]] > 1 else file
        for file, each in zip(files, split, strict=True)
    ]
    return named if len({file.model for file in named}) > 1 else files


def _of_folder(file: File, alone: bool) -> File:
    """Name the run of a file in a folder that is named like a run, or the file itself is."""
    above, _, folder = file.model.rpartition("/")
    if alone and (_RUN.fullmatch(folder) or _NUMBER.fullmatch(folder)):
        model = "/".join(filter(None, [above, file_stem(file.path)]))
        return replace(file, model=model, set=None, run=folder)
    return replace(file, set=None, run=file.set) if _RUN.fullmatch(file.set or "") else file


def _runs_inside(files: list[File]) -> list[File]:
    """Name models and runs of files in folders that are all named like ``cnn_seed1``.

    Folders are test sets if one has several models, else models.
    """
    split = [_OF_RUN.fullmatch(file.set or "") for file in files]
    if not all(split):
        return files
    models = {(file.model, each[1]) for file, each in zip(files, split, strict=True) if each}
    are_sets = len(models) > len({file.model for file in files})
    return [
        replace(file, model=each[1], set=file.model, run=each[2])
        if are_sets
        else replace(file, set=None, run=each[2])
        for file, each in zip(files, split, strict=True)
        if each
    ]


PATHS = (named_by_runs,)
