"""Counts as a table of a file each, and the part of the README that shows them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from modelcompare.report.writers.files import write_text

HERE = Path(__file__).resolve().parent
RESULTS, README = HERE / "results", HERE / "README.md"
FIRST, LAST = "<!-- counts -->\n", "<!-- end of counts -->\n"
NAMES = {
    "faults": "Writers that are ended, meet or have no room",
    "fuzz": "Mutated files",
    "memory": "Peak memory",
    "environments": "Environments",
    "catalogue": "The catalogue of bad input",
}


def keep(name: str, rows: Sequence[dict[str, Any]], key: Sequence[str]) -> None:
    """Put rows into a table instead of those with the same key."""
    path = RESULTS / f"{name}.csv"
    found = pd.DataFrame(rows)
    if path.exists():
        found = pd.concat([table(name), found]).drop_duplicates([*key], keep="last")
    write_text(path, found.to_csv(index=False))
    write_page()


def table(name: str) -> pd.DataFrame:
    """What is kept."""
    # A version is no number.
    return pd.read_csv(RESULTS / f"{name}.csv", dtype={"on": str})


def write_page() -> None:
    """Put the counts that there are into the README."""
    before, _, rest = README.read_text().partition(FIRST)
    write_text(README, before + FIRST + counts() + LAST + rest.partition(LAST)[2])


def counts() -> str:
    """All tables, each under its heading and above its sum."""
    parts = []
    for name, heading in NAMES.items():
        if (RESULTS / f"{name}.csv").exists():
            frame = table(name)
            shown = "\n".join(map(markdown, _shown(name, frame)))
            parts.append(f"\n### {heading}\n\n{_summary(name, frame)}\n\n{shown}")
    return "".join(parts)


def _shown(name: str, frame: pd.DataFrame) -> list[pd.DataFrame]:
    """A table as the page shows it: kills by command and the rest by fault, seeds added up."""
    if name == "faults":
        killed = frame["fault"] == "kill -9"
        others = frame[~killed].groupby("fault", sort=False).sum(numeric_only=True).reset_index()
        return [frame[killed].drop(columns="fault"), others]
    if name == "fuzz":
        whole = frame.groupby("format", sort=False).sum().drop(columns="seed").reset_index()
        return [whole.assign(minutes=whole["minutes"].round(1))]
    return [frame]


def _summary(name: str, frame: pd.DataFrame) -> str:
    """What the rows of a table come to."""
    if name == "faults":
        killed = frame[frame["fault"] == "kill -9"]
        return (
            f"{killed['times'].sum():,} kills of {len(killed)} commands, "
            f"{killed['while it ran'].sum():,} of them before the end; "
            f"{frame['temporary'].sum():,} temporary files left until the next writer came; "
            f"{frame['wrong'].sum():,} outcomes of {frame['times'].sum():,} wrong."
        )
    if name == "fuzz":
        return (
            f"{frame['cases'].sum():,} cases of {frame['format'].nunique()} formats in "
            f"{frame['minutes'].sum():.1f} minutes; {frame['complaints'].sum():,} complaints, "
            f"{frame['hangs or crashes'].sum():,} hangs or crashes."
        )
    if name == "memory":
        return "Samples, models and classes; 999 resamples where a command resamples."
    if name == "environments":
        passed = frame["failed"] == 0
        return (
            f"{passed.sum():,} of {len(frame)} fresh environments passed, with "
            f"{frame['on'].nunique()} versions of Python."
        )
    whole = frame[frame["of"] == "all"].set_index("what")["inputs"]
    return f"{whole.iloc[0]:,} cases word for word, {whole.iloc[-1]:,} values of options."


def markdown(frame: pd.DataFrame) -> str:
    """A table of a page."""
    lines = [[*map(str, frame.columns)], ["---"] * len(frame.columns)]
    lines += [[_cell(each) for each in row] for row in frame.itertuples(index=False)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else str(value)
