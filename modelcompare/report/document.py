"""The document of a result: the record that every writer takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from operator import attrgetter

import pandas as pd

from modelcompare.escape import terminal
from modelcompare.report.figures.types import Figure
from modelcompare.report.tables import Table
from modelcompare.words import WARNING


@dataclass(frozen=True)
class Finding:
    """A sentence of the verdict."""

    text: str
    metric: str = ""  # its metric, if it is about one
    sameness: tuple[float, float] = (0.0, 0.0)  # small where models differ most

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", terminal(self.text))


@dataclass(frozen=True)
class Document:
    """All content of a result, independent of the output format.

    Attributes
    ----------
    stem : str
        Type of result, for names of files, labels and schemas.
    title : str
        Heading above the tables of a page.
    schema : str
        Kind and version of the JSON document.
    signature : str
        Settings of the computation, in one line.
    heading : str
        Title of a page; by default the headline.
    headline : str
        Subject of the result, in one line.
    findings : sequence of Finding
        Sentences of the verdict.
    tables : mapping of str to Table
        Tables for reading, by name.
    printed : callable
        Make the tables for print.
    frames : callable
        Make the long frames by name, for CSV and JSON.
    figures : mapping of str to callable
        Draw the figures, by name; a figure with a table's name belongs to the table.
    settings : mapping
        Arguments, and results of one number or word, for JSON.
    notes : sequence of str
        Warnings about the data.
    messages : sequence of str
        Messages of the command that made the result: what it read, and its warnings.
    method : str
        Description of the method, one paragraph for a paper.
    references : sequence of str
        The works that the numbers in brackets of `method` refer to.
    reproduce : str
        Code that reproduces the result.
    command : str
        The command that made the result, if one did.
    """

    stem: str
    title: str
    schema: str
    signature: str
    tables: Mapping[str, Table]
    printed: Callable[[], Sequence[Table]]
    frames: Callable[[], Mapping[str, pd.DataFrame]]
    heading: str = ""
    headline: str = ""
    findings: Sequence[Finding] = ()
    figures: Mapping[str, Callable[[], Figure]] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    notes: Sequence[str] = ()
    messages: Sequence[str] = ()
    method: str = ""
    references: Sequence[str] = ()
    reproduce: str = ""
    command: str = ""

    @property
    def sentences(self) -> list[str]:
        """Return all findings as text."""
        return [finding.text for finding in self.findings]

    @property
    def cautions(self) -> list[str]:
        """Return all warnings: of the data, and of the command that made the result."""
        given = (text.removeprefix(WARNING) for text in self.messages if text.startswith(WARNING))
        return list(dict.fromkeys([*self.notes, *given]))

    @property
    def facts(self) -> list[str]:
        """Return the messages that are no warnings."""
        return [text for text in self.messages if not text.startswith(WARNING)]

    def top_sentences(self, most: int) -> list[str]:
        """Choose the sentences that fit a screen.

        Metrics with many classes keep those where models differ most; sentences without a metric
        stay, the answer before them and the notes after them.
        """
        by_metric: dict[str, list[Finding]] = {}
        answer = [*takewhile(lambda finding: not finding.metric, self.findings)]
        for finding in self.findings[len(answer) :]:
            by_metric.setdefault(finding.metric, []).append(finding)
        first = [finding.text for finding in answer]
        others = [finding.text for finding in by_metric.pop("", [])]
        if not by_metric:
            return first[:most]
        groups = list(by_metric.values())
        if sum(map(len, groups)) > most:
            of_classes = sum(len(group) > 1 for group in groups)
            room = max((most - len(groups) + of_classes) // max(of_classes, 1), 1)
            groups = [
                group if len(group) <= room else sorted(group, key=attrgetter("sameness"))[:room]
                for group in groups
            ]
        shown = [finding.text for group in groups for finding in group]
        return [*first, *shown[: max(most - len(first), 1)], *others]

    def with_more(self, other: Document) -> Document:
        """Return the document with the sentences and tables of another one after its own."""
        tables = {f"{other.stem}, {name}": table for name, table in other.tables.items()}
        findings = [*self.findings, *other.findings]
        return replace(self, findings=findings, tables={**self.tables, **tables})

    @property
    def all_tables(self) -> dict[str, Table]:
        """Return the tables with all rows."""
        tables = self.tables.items()
        return {name: table if table.every is None else table.every() for name, table in tables}
