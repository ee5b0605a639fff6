"""What every result offers once it says what its tables and its signature are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from os import PathLike
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from modelcompare.report import files, notebook, writers
from modelcompare.report.latex import latex
from modelcompare.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Result(ABC):
    """Tables, and from them every form of text.

    A result gives `tables` and `signature`; where its numbers are longer than its tables also
    `frames`, and `figures`, `findings` and a `headline` where it has any.
    """

    stem: ClassVar[str] = "result"
    # What a page writes above its tables.
    page_title: ClassVar[str] = "Results"
    # Goes up whenever a name in the JSON document is added, removed or means something else.
    schema_version: ClassVar[int] = 1

    @property
    @abstractmethod
    def signature(self) -> str:
        """How the numbers were made, in one line."""

    @abstractmethod
    def tables(self) -> Mapping[str, Table]:
        """Tables by name: columns that say what they mean, unrounded rows, notes."""

    def all_tables(self) -> Mapping[str, Table]:
        """The tables with every row that there is, for who asks for all."""
        return self.tables()

    def printed_tables(self) -> Sequence[Table]:
        """Tables as paper has room for them."""
        return list(self.tables().values())

    def frames(self) -> Mapping[str, pd.DataFrame]:
        """Long frames by name, for CSV and JSON."""
        return {name: table.frame for name, table in self.tables().items()}

    def figures(self) -> Mapping[str, Figure]:
        """Figures by name; by default what `plot` draws."""
        plot = getattr(self, "plot", None)
        return {} if plot is None else {self.stem: plot()}

    @property
    def headline(self) -> str:
        """What this is, in one line."""
        return ""

    def findings(self) -> Sequence[str]:
        """Sentences that say what was found."""
        return []

    def foremost_findings(self, most: int) -> Sequence[str]:
        """The findings that a screen has room for."""
        return self.findings()[:most]

    def method_note(self) -> str:
        """How the numbers came about, in one paragraph for a paper."""
        return ""

    def references(self) -> Sequence[str]:
        """The works that the numbers in brackets of the method's paragraph refer to."""
        return []

    def cautions(self) -> Sequence[str]:
        """What a reader should beware of."""
        return []

    def recipe(self) -> str:
        """Code that makes the same again."""
        return ""

    def page_figures(self) -> Mapping[str, Figure]:
        """Figures that a page shows, beside the tables of the same name."""
        return self.figures()

    def settings(self) -> Mapping[str, object]:
        """What was asked for, and answers of one number or word."""
        plain = (str, int, float, bool, type(None), np.generic)
        names: list[str] = [field.name for field in fields(self)] if is_dataclass(self) else []
        found = {name: getattr(self, name) for name in names}
        return {name: value for name, value in found.items() if isinstance(value, plain)}

    def to_markdown(self) -> str:
        """Findings and tables as Markdown, with the signature."""
        return writers.markdown(self.tables().values(), self.signature, self.findings())

    def to_latex(self) -> str:
        """Tables as LaTeX (booktabs, siunitx, and longtable beyond 40 rows), with the signature."""
        return latex(self.printed_tables(), self.signature, stem=self.stem)

    def to_csv(self) -> str:
        """All frames as one CSV text of long rows, unrounded; texts are no formulas (``'=cmd``)."""
        return writers.csv(self.frames())

    def to_json(self) -> str:
        """Settings, frames and signature as JSON, unrounded, as `modelcompare schema` says."""
        schema = f"modelcompare/{self.stem}/{self.schema_version}"
        return writers.as_json(schema, self.settings(), self.frames(), self.signature)

    def to_html(self, path: str | PathLike[str], more: Sequence[Result] = ()) -> None:
        """Write one self-contained page: findings, tables, figures and method.

        Below stand `more` results, such as subgroups or calibration of the same models.
        """
        from modelcompare.report.page import page

        files.write_text(path, page(self, more))

    def __str__(self) -> str:
        """What was found, and the tables without their particulars."""
        from modelcompare.report.screen import screen_text

        return screen_text(self, brief=True)

    def _repr_html_(self) -> str:
        """Show findings and the first rows of each table in a notebook."""
        return notebook.fragment(self)
