"""How many bad inputs the catalogue of the tests holds, and of what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.bad_input import test_catalogue, test_options

Row = dict[str, str | int]


def counts() -> list[Row]:
    """A row for each command, file of cases and public function: how many inputs it refuses."""
    commands = Counter(case.arguments.split()[0] for case in test_catalogue.RUNS)
    cases = {file.__name__.rpartition(".")[2]: len(file.CASES) for file in test_catalogue.FILES}
    options = Counter(
        {name: sum(len(values) for door, values in _options() if door == name)
         for name in test_options.DOORS}
    )  # fmt: skip
    return [
        _row("all", "cases of the catalogue", len(test_catalogue.CASES)),
        _row("all", "of them commands", len(test_catalogue.RUNS)),
        _row("all", "of them calls", len(test_catalogue.CALLS)),
        _row("all", "options of public functions", len([*_options()])),
        _row("all", "values that these refuse", options.total()),
        *(_row("command", name, number) for name, number in sorted(commands.items())),
        *(_row("file of cases", name, number) for name, number in sorted(cases.items())),
        *(_row("values of options", name, number) for name, number in sorted(options.items())),
    ]


def _options() -> Iterator[tuple[str, list[object]]]:
    for parameter in test_options._bad_values():
        name, _, values = parameter.values
        yield name, values


def _row(of: str, what: str, number: int) -> Row:
    return {"of": of, "what": what, "inputs": number}
