"""The robustness runs on a small scale: their page holds their counts, and their cases hold."""

import sys
import warnings
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from experiments.robustness import commands, faults, fuzz, mutations, tables
from modelcompare import words
from modelcompare.cli.app import COMMANDS
from modelcompare.data.kinds import all_kinds
from modelcompare.plugins.logs.formats import FORMATS
from modelcompare.readers.formats import format_of
from modelcompare.readers.opening import all_opened

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")


def test_the_readme_holds_the_counts_of_the_files():
    assert tables.FIRST + tables.counts() + tables.LAST in tables.README.read_text()


def test_every_command_that_writes_is_ended():
    tried = {command.arguments.split()[0] for command in commands.COMMANDS}
    # These print; what the gate adds to the log of a workflow is no separate file.
    assert tried == {command.name.split()[0] for command in COMMANDS} - {"gate", "metrics"}


def test_a_sketch_survives_what_it_is_tried_with(tmp_path):
    commands.make_inputs(tmp_path / "in")
    (command,) = [c for c in commands.COMMANDS if c.name == "sketch, files with names"]
    trial = faults.Trial(replace(command, other=""), tmp_path / "work", np.random.default_rng(0))
    rows = [
        trial.row("kill -9 while it writes", 1, lambda _: trial.ended(9, 1)),
        trial.row("no room for a file", 1, trial.without_room),
        trial.row("Ctrl-C", 2, lambda turn: trial.ended(2, turn)),
    ]
    assert [row["wrong"] for row in rows] == [0, 0, 0]
    assert rows[-1]["while it ran"] > 0


@pytest.mark.parametrize("name", sorted(fuzz.sources()))
def test_mutated_files_are_read_or_refused_and_the_same_again(name):
    for number in range(8):
        assert fuzz.complaints_of(name, (2, number))[1] == []


def test_a_mutation_follows_from_its_number():
    for mutate in {*mutations.TEXT, *mutations.JSON}:
        one, other = (mutate(np.random.default_rng(3), b'{"a": 1}\n{"b": [2, "x"]}') for _ in "ab")
        assert one == other


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory):
    """What the formats of the mutated files are, and what is read, before they are mutated."""
    formats, kinds, types = set(), set(), set()
    for number, source in enumerate(fuzz.sources().values()):
        folder, paths = tmp_path_factory.mktemp(str(number)), []
        for name, data in source.files.items():
            paths.append(folder / name)
            paths[-1].parent.mkdir(parents=True, exist_ok=True)
            paths[-1].write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = source.read(paths, **source.options)
        access = getattr(found, "access", None)
        kinds |= set() if access is None else {*access.kinds.values()}
        if source.read is not fuzz._ranked:
            with all_opened(paths) as files:
                formats |= {log.name for file in files if (log := format_of(file))}
                types |= {file.kind for file in files}
    return formats, kinds, types


def test_files_of_every_format_and_type_are_mutated(unchanged):
    formats, kinds, types = unchanged
    assert formats == {log.name for log in FORMATS}
    assert types >= {*get_args(words.FileKind)}
    assert kinds == {*all_kinds()} - {"text_lists"}
