"""Predictions that a command reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from types import SimpleNamespace
from typing import Any

from modelcompare import plugs
from modelcompare.cli.options import READING, spelled
from modelcompare.cli.steps import Step
from modelcompare.cli.streams import say, typed
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import without_slices
from modelcompare.metrics.registry import kind_asked
from modelcompare.options import Option
from modelcompare.readers import checked_columns, read
from modelcompare.readers.messages import DoubtError, flags
from modelcompare.readers.options import Columns

_STEPS: tuple[Step, ...] = plugs.rows("steps")


class Reading(SimpleNamespace):
    """Options of reading predictions, by their names in the library.

    Where a command compares two models by name, `compared`, columns of others are left out. If all
    metrics `asked` for are of texts, outputs are texts. Some commands take `several` test sets.
    """

    compared: tuple[str, str] | None = None
    asked: Sequence[str | None] = ()
    several: bool = False

    def read(
        self, *, sliced: bool = False, by_blocks: bool = False, functions: bool = False
    ) -> Any:
        """Read the files and keep the models asked for.

        Parameters
        ----------
        sliced : bool
            Whether subgroups are compared.
        by_blocks : bool
            Whether a file that does not fit into memory may be read block by block.
        functions : bool
            Whether the direction is for functions too, or for them alone.
        """
        if self.slices and not sliced:
            raise ValueError(
                "--slice is for compare and report, which show subgroups; leave it out, or run "
                "modelcompare groups --by."
            )
        self._check_one_case()
        found = plugs.first("sources", self, by_blocks=by_blocks)
        if found is not None:
            return found
        if self.scan or self.checkpoint is not None:
            raise ValueError(plugs.needed("--read scan"))
        columns = self.with_steps(checked_columns(**self.columns(), directs_functions=functions))
        with with_command(sliced=sliced):
            reading = read(self.files, columns)
        say(f"modelcompare: read {reading.sentence}")
        return self.changed(reading.predictions, columns)

    def _steps(self) -> Iterator[tuple[Step, Option]]:
        """Yield the steps that are taken, each with an option of it that is given."""
        for step in _STEPS:
            given = (each for each in step.options if getattr(self, each.name) != each.default)
            for option in islice(given, 1):
                yield step, option

    def with_steps(self, columns: Columns) -> Columns:
        """Return the columns with those that steps need."""
        names = [getattr(self, name) for step, _ in self._steps() for name in step.columns]
        own = [name for name in dict.fromkeys(names) if name not in columns.slices]
        return replace(columns, slices=(*columns.slices, *own), described=tuple(own))

    def changed(self, predictions: Predictions, columns: Columns) -> Predictions:
        """Return the predictions after the steps that are taken, without the columns of these."""
        for step, _ in self._steps():
            predictions = plugs.load(f"{step.package}.{step.place}")(predictions, self, columns)
        return without_slices(predictions, columns.described) if columns.described else predictions

    def refuse_of_one(self, *, several: bool = False) -> None:
        """Refuse options that are for one test set, read whole, or for `several` too."""
        for step, option in self._steps():
            if not (several and step.of_each):
                raise ValueError(f"{option.flag} is for one test set without missing results.")

    def read_worst(self, *, functions: bool) -> Predictions:
        """Read the files with missing results at their worst."""
        self.refuse_of_one()
        given = {**self.columns(), "missing": "worst", "directs_functions": functions}
        with with_command():
            found = read(self.files, checked_columns(**given))
        say(f"modelcompare: read {found.sentence}")
        return found.predictions

    def refuse_beside(self, used: Sequence[str], why: str) -> None:
        """Refuse options that would have no effect."""
        for flag in self.given_beside({*used}):
            raise ValueError(f"{flag} {why}.")

    def given_beside(self, used: set[str]) -> list[str]:
        """Return flags of given options that are not used."""
        return [
            spelled(option, READING)
            for option in READING.every
            if option.name not in used and getattr(self, option.name) != option.default
        ]

    def _check_one_case(self) -> None:
        if self.missing == "bounds":
            raise ValueError(
                "--missing bounds is for compare, and for groups and gate of several test sets, "
                "which answer for all cases; choose refuse, drop or worst."
            )

    def columns(self) -> dict[str, Any]:
        """Return the options as arguments of `read_predictions`."""
        columns = {**vars(self), "slices": self.slices or ()}
        columns["models"] = self.models or (self.compared and [*self.compared])
        columns["kind"] = kind_asked(self.asked) if self.kind == "auto" else self.kind
        own = (option.name for step in _STEPS for option in step.options)
        for name in ("files", "scan", "checkpoint", *own):
            del columns[name]
        for name in ("compared", "asked", "several"):
            columns.pop(name, None)
        return columns


@contextmanager
def with_command(*, sliced: bool = True) -> Iterator[None]:
    """End errors of columns in doubt with the typed command and the options that settle them."""
    try:
        yield
    except DoubtError as error:
        options = {n: value for n, value in error.options.items() if sliced or n != "slices"}
        command = f" Try: {typed(*flags(**options))}" if options else ""
        raise ValueError(f"{error.problem}{command}") from None
