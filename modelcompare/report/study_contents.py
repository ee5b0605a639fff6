"""Tables of the studies: short ones to read, as Markdown, LaTeX and for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from rich.console import Group
from rich.text import Text

from modelcompare.report.columns import Column, table_lines
from modelcompare.report.screen import signature_lines
from modelcompare.report.tables import escape_latex, escape_markdown, latex_row

if TYPE_CHECKING:
    from modelcompare.questions.sample_size import SampleSize
    from modelcompare.studies.agreement import AgreementStudy
    from modelcompare.studies.sensitivity import SensitivityStudy
    from modelcompare.studies.undefined import UndefinedStudy
    from modelcompare.studies.variance import VarianceStudy

MAX_ROWS = 30
_SHORT = {
    "f": "F", "bartlett": "Bartl.", "levene": "Lev.", "brown-forsythe": "Br.-F.",
    "fligner": "Fl.-K.", "pitman-morgan": "P.-M.",
}  # fmt: skip
_KEY = (
    "sd: standard deviation, var: ratio of variances a / b, medians over models and classes. CI>1: "
    "share whose interval of the variance ratio "
    "lies above 1. F, Bartlett and so on: share with p < 0.05. sep: share of model pairs separated "
    "(p < 0.05). Shares in %. "
)


@dataclass(frozen=True)
class TextTable:
    """A table whose cells are texts already.

    Parameters
    ----------
    title : str
        What it shows.
    header : tuple of str
        Titles of the columns.
    rows : list of list of str
        One text per column.
    note : str
        What a reader must know, printed below.
    left : int
        So many columns from the left hold names; the others hold numbers.
    """

    title: str
    header: tuple[str, ...]
    rows: list[list[str]]
    note: str = ""
    left: int = 1


def tables_markdown(tables: Sequence[TextTable], signature: str) -> str:
    """Write tables as Markdown, with the signature below."""
    parts = []
    for table in tables:
        align = ["---"] * table.left + ["---:"] * (len(table.header) - table.left)
        lines = [list(table.header), align, *table.rows]
        body = "\n".join(
            f"| {' | '.join(map(escape_markdown, line) if line is not align else line)} |"
            for line in lines
        )
        parts += [f"### {table.title}", body]
        parts += [table.note] if table.note else []
    return "\n\n".join([*parts, f"`{signature}`"]) + "\n"


def tables_latex(tables: Sequence[TextTable], signature: str) -> str:
    """Write tables as LaTeX (package booktabs), the signature in each caption."""
    return "\n\n".join(_latex(table, signature) for table in tables) + "\n"


def _latex(table: TextTable, signature: str) -> str:
    columns = "l" * table.left + "r" * (len(table.header) - table.left)
    note = f" {escape_latex(table.note)}" if table.note else ""
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escape_latex(table.title)}.{note} {escape_latex(signature)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            latex_row([escape_latex(name) for name in table.header]),
            r"\midrule",
            *[latex_row([escape_latex(cell) for cell in row]) for row in table.rows],
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def tables_screen(
    tables: Sequence[TextTable], signature: str, *, width: int, show_all: bool = False
) -> Group:
    """Lay tables out for a console."""
    lines: list[Text] = []
    for table in tables:
        lines += [*_screen(table, width, show_all), Text()]
    return Group(*lines, *signature_lines(signature, width))


def _screen(table: TextTable, width: int, show_all: bool) -> Iterator[Text]:
    rows = table.rows if show_all else table.rows[:MAX_ROWS]
    yield Text(table.title, style="bold")
    columns = [
        Column(name, [row[place] for row in rows], right=place >= table.left)
        for place, name in enumerate(table.header)
    ]
    yield from table_lines(columns, [None] * len(rows))
    if len(rows) < len(table.rows):
        hidden = len(table.rows) - len(rows)
        yield Text(f" and {hidden:,} more rows: --all shows them", style="dim")
    if table.note:
        yield from (Text(f" {line}", style="dim") for line in wrap(table.note, width - 2))


def variance_tables(study: VarianceStudy) -> list[TextTable]:
    """Summaries over models and classes, then the relative efficiencies."""
    from modelcompare.studies.variance import REPLICATE_NOTE

    tables = [_variance_summary(study, pair) for pair in study.pairs]
    tables[-1] = TextTable(**{**vars(tables[-1]), "note": _KEY + REPLICATE_NOTE})
    if len(study.models) > 1:
        tables.append(_efficiency(study))
    return tables


def _variance_summary(study: VarianceStudy, pair: tuple[str, str]) -> TextTable:
    a, b = pair
    ratios = _of_pair(study.variance_ratios, pair)
    tests = _of_pair(study.tests, pair) if len(study.tests) else study.tests
    names = list(dict.fromkeys(tests["test"])) if len(tests) else []
    shown = study.separated() if len(study.models) > 1 else None
    rows = []
    for ratio in study.ratios:
        here = study.distribution[study.distribution["ratio"] == ratio]
        sd = [np.sqrt(here.loc[here["metric"] == name, "variance"].median()) for name in pair]
        of_ratio = ratios[ratios["ratio"] == ratio]
        row = [
            f"{ratio:g}",
            f"{here['n_samples'].iloc[0]:,}",
            *(_digits(value) for value in sd),
            f"{of_ratio['variance_ratio'].median():.2f}",
            _percent((of_ratio["ci_low"] > 1).mean()),
        ]
        for test in names:
            p = tests.loc[(tests["ratio"] == ratio) & (tests["test"] == test), "p_value"]
            row.append(_percent((p < 0.05).mean()))
        if shown is not None:
            for name in pair:
                part = shown[(shown["ratio"] == ratio) & (shown["metric"] == name)]
                row.append(_percent(part["n_separated"].sum() / part["n_pairs"].sum()))
        rows.append(row)
    header = ["ratio", "n", "sd a", "sd b", "var", "CI>1", *(_SHORT[n] for n in names)]
    header += ["sep a", "sep b"] if shown is not None else []
    return TextTable(title=f"{a} (a) and {b} (b)", header=tuple(header), rows=rows, left=0)


def _efficiency(study: VarianceStudy) -> TextTable:
    rows = []
    for pair in study.pairs:
        frame = _of_pair(study.relative_efficiency, pair)
        frame = frame[frame["samples_ratio"].notna()]
        for label, part in frame.groupby("label", sort=False, dropna=False):
            rows.append(
                [
                    *pair,
                    "" if _missing(label) else str(label),
                    f"{len(part):,}",
                    f"{part['samples_ratio'].median():.2f}",
                    _share((part["ci_high"] < 1).mean()),
                    _share((part["ci_low"] > 1).mean()),
                    _share((~part["same_sign"]).mean()),
                ]
            )
    return TextTable(
        title="Samples that b needs for each sample of a, for the same separation of two models",
        header=("a", "b", "class", "pairs", "median", "fewer", "more", "disagree"),
        rows=rows,
        note=f"fewer, more: share of model pairs whose {100 * study.confidence_level:g} % interval "
        "lies below 1, above 1. disagree: pairs that the two metrics order differently.",
        left=3,
    )


def agreement_tables(study: AgreementStudy) -> list[TextTable]:
    """Table 1 of the paper."""
    from modelcompare.studies.agreement import ON_REPLICATES, T_NOTE

    rows = [
        [
            _pair_name(row.metric_a, row.metric_b),
            "" if _missing(row.label) else str(row.label),
            f"{row.pct_significant:.2f}",
            _number(row.pct_agree, 2),
            "-" if math.isnan(row.ci_low) else f"{row.ci_low:.1f} to {row.ci_high:.1f}",
        ]
        for row in study.table.itertuples()
    ]
    level = f"{100 * study.confidence_level:g} %"
    return [
        TextTable(
            title=f"Agreement over {study.table['n_pairs'].iloc[0]:,} pairs of models, "
            f"test {study.test}, alpha {study.alpha:g}",
            header=("Metric", "Class", "% Sig.", "% Agree", f"{level} CI"),
            rows=rows,
            note=T_NOTE if study.test in ON_REPLICATES else "",
            left=2,
        )
    ]


def agreement_markdown(study: AgreementStudy) -> str:
    """Table 1 as Markdown."""
    return tables_markdown(agreement_tables(study), study.signature)


def agreement_latex(study: AgreementStudy) -> str:
    """Table 1 as LaTeX."""
    return tables_latex(agreement_tables(study), study.signature)


def undefined_tables(study: UndefinedStudy) -> list[TextTable]:
    """Mean share of undefined values by metric and size; then the worst classes."""
    summary = study.summary.pivot(index="metric", columns="ratio", values="pct_undefined")
    summary = summary[list(study.ratios)].reindex(dict.fromkeys(study.table["metric"]))
    first = TextTable(
        title="% undefined, mean over models and classes, by part of the test set",
        header=("metric", *(f"{ratio:g}" for ratio in study.ratios)),
        rows=[[str(name), *(f"{value:.1f}" for value in row)] for name, row in summary.iterrows()],
    )
    smallest = study.table[study.table["ratio"] == study.ratios[-1]]
    worst = smallest.groupby(["label", "support"], sort=False, dropna=False)
    with_classes = set(study.table.loc[study.table["label"].notna(), "metric"])
    per_class = [pair for pair in study.metric_pairs.pairs if pair[0] in with_classes]
    hard = (per_class or study.metric_pairs.pairs)[0]
    classes = (
        smallest.groupby("label", sort=False)["support"].first().sort_values(kind="stable").head(8)
        if len(worst)
        else {}
    )
    rows = []
    for label, support in dict(classes).items():
        part = smallest[smallest["label"] == label]
        rows.append(
            [
                str(label),
                f"{support:,.0f}",
                *(f"{part.loc[part['metric'] == n, 'pct_undefined'].mean():.1f}" for n in hard),
            ]
        )
    second = TextTable(
        title=f"% undefined at ratio {study.ratios[-1]:g}, rarest classes, mean over models",
        header=("class", "support", *hard),
        rows=rows,
    )
    return [first, second] if rows else [first]


def sensitivity_tables(study: SensitivityStudy) -> list[TextTable]:
    """Changes of each metric, by model."""
    tables = []
    level = f"{100 * study.confidence_level:g} % CI"
    for model, frame in study.table.groupby("model", sort=False):
        rows = [
            [
                f"{row.change} {row.level:g}",
                row.metric if _missing(row.label) else f"{row.metric} of {row.label}",
                f"{row.estimate:.4f}",
                f"{row.difference:+.4f}" if row.difference else "0",
                f"{row.ci_low:+.4f} to {row.ci_high:+.4f}" if row.difference else "-",
            ]
            for row in frame.itertuples()
        ]
        tables.append(
            TextTable(
                title=f"{model}: same decisions, other confidences",
                header=("change", "metric", "value", "moved by", level),
                rows=rows,
                left=2,
            )
        )
    return tables


def sample_size_tables(size: SampleSize) -> list[TextTable]:
    """Round sizes of a test set, and what they can show."""
    sizes = sorted({size.n_samples, *(m * 10**k for k in range(2, 6) for m in (1, 2, 5))})
    rows = [
        [
            f"{row.n_samples:,.0f}" + (" (here)" if row.n_samples == size.n_samples else ""),
            _digits(row.detectable),
            _digits(row.interval_width),
            _share(row.power),
        ]
        for row in size.curve(sizes).itertuples()
    ]
    what = size.metric if _missing(size.label) else f"{size.metric} of {size.label}"
    return [
        TextTable(
            title=f"{what}, {size.model_a} - {size.model_b}",
            header=(size.unit, "shows differences from", "width of CI", "power"),
            rows=rows,
            note=f"Power: probability of showing the observed difference of {size.difference:+.4g} "
            f"(alpha {size.alpha:g}).",
        )
    ]


def _of_pair(frame: pd.DataFrame, pair: tuple[str, str]) -> pd.DataFrame:
    return frame[(frame["metric_a"] == pair[0]) & (frame["metric_b"] == pair[1])]


def _pair_name(a: str, b: str) -> str:
    """(c)F1, as the paper heads it, or both names."""
    return f"(c){a}" if b == f"c{a}" else f"{a}, {b}"


def _missing(label: Any) -> bool:
    return label is None or (isinstance(label, float) and math.isnan(label))


def _number(value: float, decimals: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{decimals}f}"


def _digits(value: float) -> str:
    """Three significant digits."""
    if math.isnan(value):
        return "-"
    decimals = 3 if value == 0 else max(2 - math.floor(math.log10(abs(value))), 0)
    return f"{value:.{min(decimals, 8)}f}"


def _percent(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:.0f}"


def _share(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:.0f} %"
