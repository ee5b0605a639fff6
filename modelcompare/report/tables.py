"""A comparison as Markdown, LaTeX, CSV or JSON text."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from modelcompare.report.comparison_contents import Block, metric_blocks
from modelcompare.report.numbers import (
    format_interval,
    format_number,
    format_p_value,
    format_percent,
    format_ranks,
)

if TYPE_CHECKING:
    from modelcompare.comparison.result import Comparison

Rows = list[list[str]]
NUMBER_COLUMNS = frozenset({"estimate", "a - b"})

_CSV_COLUMNS = (
    "table", "metric", "label", "model", "model_a", "model_b", "estimate", "difference",
    "standard_error", "ci_low", "ci_high", "n_undefined", "rank", "rank_low", "rank_high",
    "p_value", "p_adjusted", "better",
)  # fmt: skip
# Columns of metrics side by side in one LaTeX table: what fits the width of a page.
_LATEX_COLUMNS = 3


def comparison_markdown(result: Comparison) -> str:
    """Write a comparison as Markdown: verdict, scores, differences and signature.

    Parameters
    ----------
    result : Comparison
        What ``compare`` returned.

    Returns
    -------
    str
        Pipe tables, as GitHub and Pandoc read them.
    """
    parts = ["\n".join(f"- {escape_markdown(line)}" for line in result.verdict().splitlines())]
    for blocks in metric_blocks(result).values():
        parts.append(f"### {blocks[0].metric}\n\n{blocks[0].direction.capitalize()}.")
        parts.append(_pipe_table(*score_table(result, blocks)))
        if any(len(block.differences) for block in blocks):
            parts.append(_pipe_table(*difference_table(result, blocks)))
    parts.append(f"`{result.signature}`")
    return "\n\n".join(parts) + "\n"


def comparison_latex(result: Comparison) -> str:
    r"""Write a comparison as LaTeX tables (packages ``booktabs`` and ``longtable``).

    Parameters
    ----------
    result : Comparison
        What ``compare`` returned.

    Returns
    -------
    str
        Tables of the scores, models in rows and up to three metrics or classes in columns, then a
        long table of all differences. Bold scores belong to models whose range of ranks includes
        the first place.
    """
    blocks = [block for group in metric_blocks(result).values() for block in group]
    parts = [
        _latex_scores(result, blocks[start : start + _LATEX_COLUMNS])
        for start in range(0, len(blocks), _LATEX_COLUMNS)
    ]
    if len(result.differences):
        parts.append(_latex_differences(result, blocks))
    return "\n\n".join(parts) + "\n"


def comparison_csv(result: Comparison) -> str:
    """Write both frames of a comparison as one CSV, unrounded.

    Parameters
    ----------
    result : Comparison
        What ``compare`` returned.

    Returns
    -------
    str
        A header and one line per row. The first column, `table`, says whether a row belongs to
        the scores or to the differences; cells that the other table fills are empty.
    """
    frames = {
        name: frame.astype(dict.fromkeys(frame.select_dtypes("integer"), "Int64"))
        for name, frame in (("scores", result.scores), ("differences", result.differences))
        if len(frame)
    }
    both = pd.concat(frames, names=["table", None]).reset_index(level="table")
    return str(both[[name for name in _CSV_COLUMNS if name in both]].to_csv(index=False))


def comparison_json(result: Comparison) -> str:
    """Write a comparison as JSON, unrounded.

    Parameters
    ----------
    result : Comparison
        What ``compare`` returned.

    Returns
    -------
    str
        An object with the settings, the verdict, and a list of objects for each frame; what is
        missing or undefined is null.
    """
    settings = (
        "name", "n_samples", "n_resamples", "confidence_level", "alpha", "method", "test",
        "correction", "signature",
    )  # fmt: skip
    document = {
        **{name: getattr(result, name) for name in settings},
        "models": list(result.models),
        "verdict": result.verdict().splitlines(),
        "scores": _records(result.scores),
        "differences": _records(result.differences),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def score_table(result: Comparison, blocks: Sequence[Block]) -> tuple[list[str], Rows]:
    """Round the scores of one metric: the header, and a row of texts per model and class."""
    header = ["rank", "model", "estimate", f"{format_percent(result.confidence_level)} CI"]
    rows = [
        [
            *([] if block.label is None else [str(block.label)]),
            format_ranks(row.rank_low, row.rank_high),
            str(row.model),
            format_number(row.estimate, block.decimals),
            format_interval(row.ci_low, row.ci_high, block.decimals),
        ]
        for block in blocks
        for row in block.scores.itertuples()
    ]
    return (header if blocks[0].label is None else ["class", *header]), rows


def difference_table(result: Comparison, blocks: Sequence[Block]) -> tuple[list[str], Rows]:
    """Round the differences of one metric: the header, and a row of texts per pair and class."""
    header = [
        "model a", "model b", "a - b", f"{format_percent(result.confidence_level)} CI", "p",
        f"p ({result.correction})", "better",
    ]  # fmt: skip
    rows = [
        [
            *([] if block.label is None else [str(block.label)]),
            str(row.model_a),
            str(row.model_b),
            format_number(row.difference, block.decimals, signed=True),
            format_interval(row.ci_low, row.ci_high, block.decimals),
            format_p_value(row.p_value),
            format_p_value(row.p_adjusted),
            str(row.better) if row.better in (row.model_a, row.model_b) else "-",
        ]
        for block in blocks
        for row in block.differences.itertuples()
    ]
    return (header if blocks[0].label is None else ["class", *header]), rows


def method_note(result: Comparison) -> str:
    """Say in one paragraph how the numbers came about."""
    adjusted = (
        "not adjusted for the number of pairs"
        if result.correction == "none"
        else f"adjusted for the number of pairs by {result.correction}"
    )
    return (
        f"Intervals: {result.method}, {format_percent(result.confidence_level)}, from "
        f"{result.n_resamples:,} resamples that all models share. P-values: {result.test} test of "
        f"the paired difference, {adjusted}; a model counts as better where the adjusted p-value "
        f"is below {result.alpha:g}. Ranks are given as a range: ties are models that the test "
        "set does not tell apart."
    )


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Turn a frame into plain Python values."""
    return [
        {str(key): _plain(value) for key, value in record.items()}
        for record in frame.to_dict("records")
    ]


def _plain(value: Any) -> Any:
    """Turn numpy's scalars into Python's, and what is missing into None."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _pipe_table(header: Sequence[str], rows: Rows) -> str:
    """Write a Markdown table, numbers to the right."""
    lines = [
        list(map(escape_markdown, header)),
        ["---:" if name in NUMBER_COLUMNS else "---" for name in header],
        *[list(map(escape_markdown, row)) for row in rows],
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escape_markdown(text: str) -> str:
    """Escape what Markdown would take for markup."""
    for character in "\\|*_`<":
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", " ")


def _latex_scores(result: Comparison, blocks: Sequence[Block]) -> str:
    """Write one table: models in rows, blocks in columns."""
    cells = {
        (row.model, place): _latex_score(row, block.decimals)
        for place, block in enumerate(blocks)
        for row in block.scores.itertuples()
    }
    models = list(blocks[0].scores["model"])
    body = [
        [
            escape_latex(str(model)),
            *[cells.get((model, place), "--") for place in range(len(blocks))],
        ]
        for model in models
    ]
    arrows = [r"$\uparrow$" if block.greater_is_better else r"$\downarrow$" for block in blocks]
    titles = [
        f"{escape_latex(block.title)} {arrow}" for block, arrow in zip(blocks, arrows, strict=True)
    ]
    level = escape_latex(format_percent(result.confidence_level))
    caption = (
        f"Scores with {level} intervals ({escape_latex(result.method)}); bold: the range of ranks "
        f"includes the first place. {escape_latex(result.signature)}"
    )
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{caption}}}",
            rf"\begin{{tabular}}{{l{'l' * len(blocks)}}}",
            r"\toprule",
            latex_row(["Model", *titles]),
            r"\midrule",
            *map(latex_row, body),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def _latex_score(row: Any, decimals: int) -> str:
    """Write an estimate and its interval in one cell; a dash for a value that is undefined."""
    if math.isnan(row.estimate):
        return "--"
    estimate = _latex_number(format_number(row.estimate, decimals))
    low, high = (_latex_number(format_number(end, decimals)) for end in (row.ci_low, row.ci_high))
    bold = rf"\textbf{{{estimate}}}" if row.rank_low == 1 else estimate
    return rf"{bold} {{\small [{low}, {high}]}}"


def _latex_differences(result: Comparison, blocks: Sequence[Block]) -> str:
    """Write the long table of all pairs."""
    header = [
        "Metric", r"Model $a$", r"Model $b$", r"$a - b$",
        f"{escape_latex(format_percent(result.confidence_level))} interval", "$p$",
        rf"$p$ ({escape_latex(result.correction)})",
    ]  # fmt: skip
    return "\n".join(
        [
            r"\begin{longtable}{lllrlll}",
            rf"\caption{{Differences of all pairs. {escape_latex(result.signature)}}}\\",
            r"\toprule",
            latex_row(header),
            r"\midrule",
            r"\endhead",
            *[latex_row(cells) for block in blocks for cells in _latex_pairs(block)],
            r"\bottomrule",
            r"\end{longtable}",
        ]
    )


def _latex_pairs(block: Block) -> Iterator[list[str]]:
    """Yield the cells of a block's pairs, the better model in bold."""
    for row in block.differences.itertuples():
        low, high = (
            _latex_number(format_number(end, block.decimals)) for end in (row.ci_low, row.ci_high)
        )
        sides = [escape_latex(str(side)) for side in (row.model_a, row.model_b)]
        if row.better in (row.model_a, row.model_b):
            winner = int(row.better == row.model_b)
            sides[winner] = rf"\textbf{{{sides[winner]}}}"
        yield [
            escape_latex(block.title),
            *sides,
            _latex_number(format_number(row.difference, block.decimals, signed=True)),
            f"[{low}, {high}]",
            *(f"${format_p_value(p)}$" for p in (row.p_value, row.p_adjusted)),
        ]


def latex_row(cells: Sequence[str]) -> str:
    """Join the cells of a row."""
    return rf"{' & '.join(cells)} \\"


def _latex_number(text: str) -> str:
    """Write a number in mathematics, for the true minus sign."""
    return f"${text}$" if text[0] in "+-" and len(text) > 1 else text


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",
    "\n": " ",
}


def escape_latex(text: str) -> str:
    """Escape the characters that LaTeX reserves."""
    return "".join(_LATEX.get(character, character) for character in text)
