"""Files of a command that are read block by block, or are sketches."""

from __future__ import annotations

import re
from typing import Any

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
    if not wanted and (unused or not by_blocks or not _too_large(reading)):
        return None
    if not by_blocks:
        raise ValueError(
            "--read scan, --read checkpoint and URLs are for compare, study variance, gate and "
            "sketch; leave them out."
        )
    if unused:
        raise ValueError(f"{unused[0]} needs all rows in memory; leave it out of a scan.")
    try:
        found: Any = load(f"{_SCAN}:scan_predictions")(
            places, columns={role: getattr(reading, role) for role in ROLES},
            **{name: getattr(reading, name) for name in _SCANNED},
        )  # fmt: skip
    except load(f"{_LAYOUTS}:CannotScanError"):
        if wanted:
            raise
        return None
    say(f"modelcompare: read block by block, {found.access.sentence}")
    read: TestSet = found
    return read


def _too_large(reading: Reading) -> bool:
    """Return whether there is one Parquet file that would take too much of the memory."""
    if len(reading.files) != 1 or reading.files[0].suffix.lower() != ".parquet":
        return False
    return bool(load("modelcompare.plugins.large.planning:is_large")(reading.files[0]))


SOURCES = (read_sketches, scan_files)
