"""Files of a command that are read block by block, or are sketches."""

from __future__ import annotations

import re
import warnings
from typing import Any, Literal

from modelcompare.cli.reading import Reading
from modelcompare.cli.streams import say
from modelcompare.data.test_set import TestSet
from modelcompare.plugins.large.words import ROLES
from modelcompare.plugs import load
from modelcompare.spelling import chosen

# Options of reading block by block.
_SCANNED = {
    "models", "kind", "labels", "positive", "greater_is_better", "bounds", "na", "normalize",
    "checkpoint",
}  # fmt: skip
# Most files are tables, which need none of these modules.
_SCAN, _LAYOUTS = "modelcompare.plugins.large.scanned", "modelcompare.plugins.large.layouts"
_SKETCHES = "modelcompare.plugins.large.sketch_files"
_URL = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):/+")


def read_sketches(reading: Reading, **_: object) -> TestSet | None:
    """Return the sum of the files if they are sketches, None if none is."""
    if not any(path.suffix.lower() == ".parquet" for path in reading.files):
        return None
    kinds = [load(f"{_SKETCHES}:holds_sketch")(path) for path in reading.files]
    if not any(kinds):
        return None
    if not all(kinds):
        other = reading.files[kinds.index(False)]
        raise ValueError(f"{other} is no sketch and others are; sketch it too.")
    used = ("files", "models", "positive")
    reading.refuse_beside(used, "is for predictions; leave it out of sketches")
    first, *others = (
        load(f"{_SKETCHES}:read_sketch")(file, positive=reading.positive) for file in reading.files
    )
    total = sum(others, first)
    count = f"{len(kinds)} sketches" if others else "a sketch"
    say(f"modelcompare: read {count} of {len(total):,} samples")
    return total[chosen(total.models, reading.models, "the sketch")] if reading.models else total


def scan_files(reading: Reading, *, by_blocks: bool) -> TestSet | None:
    """Return predictions that stay in their files, on request or if memory is too small."""
    # A path keeps only one slash of a URL.
    places = [_URL.sub(r"\1://", path.as_posix()) for path in reading.files]
    wanted = reading.scan or reading.checkpoint is not None or any(map(_URL.match, places))
    unused = reading.given_beside({"files", "scan", *_SCANNED, *ROLES})
    large = not (wanted or unused) and by_blocks and _is(reading, "large")
    long = not (wanted or unused or large) and by_blocks and _is(reading, "long")
    if not (wanted or large or long):
        return None
    if not by_blocks:
        raise ValueError(
            "--read scan, --read checkpoint and URLs are for compare, study variance, gate and "
            "sketch; leave them out."
        )
    if unused:
        raise ValueError(f"{unused[0]} needs all rows in memory; leave it out of a scan.")
    try:
        with warnings.catch_warnings(record=long) as given:
            if long:
                warnings.simplefilter("always")
            found: Any = load(f"{_SCAN}:scan_predictions")(
                places, columns={role: getattr(reading, role) for role in ROLES},
                **{name: getattr(reading, name) for name in _SCANNED},
            )  # fmt: skip
    except load(f"{_LAYOUTS}:CannotScanError"):
        if wanted:
            raise
        return None
    except ValueError:
        # Of rows that fit into memory, reading knows which cells are wrong, and what to do.
        if long:
            return None
        raise
    if long and not found.access.counts:
        return None
    for each in given or ():
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    say(f"modelcompare: read block by block, {found.access.sentence}")
    read: TestSet = found
    return read


def _is(reading: Reading, size: Literal["large", "long"]) -> bool:
    """Return whether there is one Parquet file that is too large, or long enough to be counted."""
    if len(reading.files) != 1 or reading.files[0].suffix.lower() != ".parquet":
        return False
    return bool(load(f"modelcompare.plugins.large.planning:is_{size}")(reading.files[0]))


SOURCES = (read_sketches, scan_files)
