"""The base of results: every form of text, from a document."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from os import PathLike
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.report.document import Document, Finding
from modelcompare.report.figures.types import Figure
from modelcompare.report.tables import Table
from modelcompare.report.writers import files, notebook
from modelcompare.report.writers.formats import WRITERS
from modelcompare.report.writers.page import page
from modelcompare.report.writers.terminal import screen_text


class Result(ABC):
    """A document, and from it every form of text.

    A result gives `document` and `signature`; its class variables name its kind.
    """

    stem: ClassVar[str] = "result"
    # Heading above the tables of a page.
    page_title: ClassVar[str] = "Results"
    # Goes up whenever a name in the JSON document is added, removed or means something else.
    schema_version: ClassVar[int] = 1
    # Members of the JSON document, and the columns of its tables behind their names. What ends in ?
    # may be missing. A colon stands before what a member is where fields.py says something else of
    # its name.
    _members: ClassVar[str] = ""

    @property
    @abstractmethod
    def signature(self) -> str:
        """The settings behind the numbers, in one line."""

    @abstractmethod
    def document(self) -> Document:
        """Return everything that there is to show: findings, tables, frames, figures, notes."""

    def _document(
        self, tables: Mapping[str, Table], *, findings: Iterable[str | Finding] = (),
        frames: Callable[[], Mapping[str, pd.DataFrame]] | None = None,
        printed: Callable[[], Sequence[Table]] | None = None,
        figures: Mapping[str, Callable[[], Figure]] | None = None,
        settings: Mapping[str, object] | None = None, **others: Any,
    ) -> Document:  # fmt: skip
        """Make a document: frames are those of the tables, the figure is `plot`, unless given."""
        plot = getattr(self, "plot", None)
        return Document(
            self.stem,
            self.page_title,
            f"modelcompare/{self.stem}/{self.schema_version}",
            self.signature,
            tables,
            printed or (lambda: list(tables.values())),
            frames or (lambda: {name: table.frame for name, table in tables.items()}),
            findings=[each if isinstance(each, Finding) else Finding(each) for each in findings],
            figures=({} if plot is None else {self.stem: plot}) if figures is None else figures,
            settings=self._plain_fields() if settings is None else settings,
            **others,
        )

    def _plain_fields(self) -> dict[str, object]:
        """Collect the fields that are one number or word."""
        plain = (str, int, float, bool, type(None), np.generic)
        names: list[str] = [field.name for field in fields(self)] if is_dataclass(self) else []
        found = {name: getattr(self, name) for name in names}
        return {name: value for name, value in found.items() if isinstance(value, plain)}

    def to_markdown(self) -> str:
        """Write findings and tables as Markdown, with the signature."""
        return WRITERS["markdown"](self.document())

    def to_latex(self) -> str:
        """Write tables as LaTeX (booktabs, siunitx, longtable beyond 40 rows) and signature."""
        return WRITERS["latex"](self.document())

    def to_csv(self) -> str:
        """Write all frames as one CSV, unrounded; texts are no formulas (``'=cmd``)."""
        return WRITERS["csv"](self.document())

    def to_json(self) -> str:
        """Write settings, frames and signature as unrounded JSON: see `modelcompare schema`."""
        return WRITERS["json"](self.document())

    def to_html(self, path: str | PathLike[str], more: Sequence[Result] = ()) -> None:
        """Write one self-contained page: findings, tables, figures and method.

        Below stand `more` results, such as subgroups or calibration of the same models.
        """
        others = [each.document() for each in more]
        files.write_text(path, page(self.document(), others))

    def __str__(self) -> str:
        """Write the findings, and the tables without their particulars."""
        return screen_text(self.document(), brief=True)

    def _repr_html_(self) -> str:
        """Show findings and the first rows of each table in a notebook."""
        return notebook.fragment(self.document())


def documents(kind: type[Result] = Result) -> dict[str, str]:
    """Members of the JSON documents of all results that are loaded, by kind and version."""
    own = {f"{kind.stem}/{kind.schema_version}": kind._members} if "_members" in vars(kind) else {}
    below = [documents(each) for each in kind.__subclasses__()]
    return {name: text for found in (own, *below) for name, text in found.items() if text}
