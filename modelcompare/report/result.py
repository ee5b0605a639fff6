"""The base of results: every form of text, from a document."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from modelcompare.arguments import missing_attribute
from modelcompare.plugs import first
from modelcompare.report.document import Document, Finding
from modelcompare.report.fields import Field, Member, members_of
from modelcompare.report.figures.types import Figure
from modelcompare.report.tables import VALUE, Column, Table, column_of, interval_column
from modelcompare.report.writers import files
from modelcompare.report.writers.formats import WRITERS, form_of, writer
from modelcompare.report.writers.terminal import screen_text


class Result(ABC):
    """A document, and from it every form of text.

    A result gives `document` and `signature`; keywords of its class describe its document.

    Parameters
    ----------
    stem : str
        Name of the document; a class without one is the base of others.
    title : str
        Heading above the tables of a page.
    version : int
        Goes up whenever a name in the JSON document is added, removed or means something else.
    row : str
        Name of the frame that has the values in a row, if there is one.
    """

    _stem: ClassVar[str]
    _page_title: ClassVar[str]
    _schema_version: ClassVar[int]
    _row_name: ClassVar[str]
    # Members of its document that are neither fields nor marked by `member`.
    _members: ClassVar[tuple[Member, ...]] = ()

    def __init_subclass__(
        cls, *, stem: str = "", title: str = "Results", version: int = 1, row: str = ""
    ) -> None:
        super().__init_subclass__()
        if stem:
            cls._stem, cls._page_title = stem, title
            cls._schema_version, cls._row_name = version, row

    # Assigned, not defined, so that type checkers go on to refuse unknown attributes.
    __getattr__ = missing_attribute

    @property
    @abstractmethod
    def signature(self) -> str:
        """Settings of the computation, in one line."""

    @abstractmethod
    def document(self) -> Document:
        """Return the content: findings, tables, frames, figures and notes."""

    def _document(
        self, tables: Mapping[str, Table], *, findings: Iterable[str | Finding] = (),
        printed: Callable[[], Sequence[Table]] | None = None,
        figures: Mapping[str, Callable[[], Figure]] | None = None,
        without: Sequence[str] = (), **others: Any,
    ) -> Document:  # fmt: skip
        """Make a document; the figure is `plot` unless others are given.

        Values and frames are the declared ones, `without` those that this result lacks.
        """
        plot = getattr(self, "plot", None)
        values = self._values
        frames = [each for each in members_of(type(self)) if each.is_frame]
        frames = [each for each in frames if each.name not in without]
        row = [self._row_name] if self._row_name else []
        return Document(
            self._stem,
            self._page_title,
            f"modelcompare/{self._stem}/{self._schema_version}",
            str(values["signature"]),
            tables,
            printed or (lambda: list(tables.values())),
            lambda: {each.name: each.of(self) for each in frames} | dict.fromkeys(row, self._row),
            findings=[each if isinstance(each, Finding) else Finding(each) for each in findings],
            figures=({} if plot is None else {self._stem: plot}) if figures is None else figures,
            settings=values,
            **others,
        )

    @property
    def _values(self) -> dict[str, object]:
        """Values that are declared."""
        return {each.name: each.of(self) for each in members_of(type(self)) if not each.is_frame}

    @property
    def _row(self) -> pd.DataFrame:
        """Values that are declared, as a table of one row."""
        beside = {each.name for each in members_of(type(self)) if not each.in_row}
        return pd.DataFrame([{k: v for k, v in self._values.items() if k not in beside}])

    def _table(
        self, title: str, frame: pd.DataFrame, *shown: Column | str, **others: Any
    ) -> Table:  # fmt: skip
        """Make a table of a frame; the name is enough for a column that is declared here."""
        own = {
            each.name: column_of(each)
            for found in members_of(type(self))
            for each in found.columns or [Field(found.name, found.kind)]
        }
        made = [own.get(each, each) if isinstance(each, str) else each for each in shown]
        return Table.of(title, frame, *made, **others)

    def _whole_table(self, name: str, title: str, level: float, **others: Any) -> Table:
        """Make a table of all columns of a frame that are declared as shown."""
        (found,) = (each for each in members_of(type(self)) if each.name == name)
        frame, interval = found.of(self), interval_column(level)
        together = {"metric": VALUE, "ci_low": interval, "label": None, "ci_high": None}
        shown = [
            together.get(each.name, column_of(each))
            for each in found.columns if each.shown and each.name in frame
        ]  # fmt: skip
        return Table.of(title, frame, *filter(None, shown), **others)

    def to_markdown(self) -> str:
        """Write findings and tables as Markdown, with the signature."""
        return WRITERS["markdown"](self.document())

    def to_latex(self) -> str:
        """Write tables as LaTeX (booktabs, siunitx, longtable beyond 40 rows) and signature."""
        return writer("latex")(self.document())

    def save(self, path: str | PathLike[str]) -> None:
        """Write to a file in the form of its suffix: .csv, .html, .json, .md, .tex or .txt.

        Numbers of .csv (all frames) and .json are not rounded; texts of .csv are no formulas
        (``'=cmd``), and `modelcompare metrics --schema` describes .json. Figures have their own
        ``save``.

        Raises
        ------
        ValueError
            If the name implies no form.
        """
        path = Path(path)
        files.write_text(path, writer(form_of(path))(self.document()))

    def to_html(self, path: str | PathLike[str], more: Sequence[Result] = ()) -> None:
        """Write one self-contained page: findings, tables, figures and method.

        Below are `more` results, such as subgroups or calibration of the same models.
        """
        others = [each.document() for each in more]
        files.write_text(path, writer("html")(self.document(), others))

    def __str__(self) -> str:
        """Write the findings, and the tables without their particulars."""
        return screen_text(self.document(), brief=True)

    def _repr_html_(self) -> Any:
        """Show findings and the first rows of each table in a notebook; as text if it is None."""
        shown = self.document()
        return first("notebooks", shown.tables.values(), shown.signature, shown)
