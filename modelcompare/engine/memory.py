"""Memory that a request needs, and errors for requests that do not fit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from modelcompare.arrays import CACHE_BYTES, HELD_BYTES

# Intervals sort a copy of the replicates.
_COPIES = 2
# Sums of clusters, and what tests and intervals make of them.
_SUM_COPIES = 5
# Influences, and tables of them by items and runs.
_TABLE_COPIES = 3
# Size of a pair's row in the frames of a comparison, with names, bounds and p-values.
_PAIR_BYTES = 550
# Size of a pair of models in the products of influences, and copies of them.
_SHARED_BYTES = 60
# Version 1 of control groups writes a large number for no limit.
_NO_LIMIT = 2**60
_GROUPS = Path("/proc/self/cgroup")
# By the controllers of a line there, for versions 2 and 1: root of the groups, files of the limit
# and of the used memory, and the reclaimable cache in it.
_LIMITS = {
    "": (Path("/sys/fs/cgroup"), "memory.max", "memory.current", "inactive_file"),
    "memory": (
        Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes", "memory.usage_in_bytes",
        "total_inactive_file",
    ),
}  # fmt: skip


def check_replicates(n_resamples: int, n_models: int, n_values: int) -> None:
    """Refuse replicates that do not fit into memory.

    Raises
    ------
    ValueError
        With the memory needed, the free memory, and the number of resamples that fit.
    """
    each = 8 * _COPIES * n_models * n_values
    if _fits(n_resamples * each):
        return
    most = free_memory() // each
    # A handful of resamples is no remedy.
    instead = f"at most {most:,} resamples fit; or " if most >= 1000 else ""
    what = f"{n_resamples:,} resamples of {_counted(n_models, 'model')} in {_values(n_values)}"
    check_memory(n_resamples * each, what, f"{instead}take fewer resamples, metrics or models")


def bytes_of_pairs(n_pairs: int, n_models: int, n_values: int) -> int:
    """Return the memory of the differences of pairs and of the covariances of models."""
    return (_PAIR_BYTES * n_pairs + _SHARED_BYTES * n_models**2) * n_values


def check_pairs(n_pairs: int, n_values: int) -> None:
    """Refuse the differences of more pairs than fit into memory.

    Raises
    ------
    ValueError
        With the memory needed, the free memory, and the remedy.
    """
    what = f"the differences of {_counted(n_pairs, 'pair')} of models in {_values(n_values)}"
    remedy = "name a baseline (--baseline), choose models (--model), or take fewer metrics"
    check_memory(_PAIR_BYTES * n_pairs * n_values, what, remedy)


def check_covariances(n_models: int, n_values: int) -> None:
    """Refuse more models than those whose covariances fit into memory.

    Raises
    ------
    ValueError
        With the memory needed, the free memory, and the remedy.
    """
    what = f"the covariances of {_counted(n_models, 'model')} in {_values(n_values)}"
    remedy = "choose models (--model), a part after the other, or take fewer metrics"
    check_memory(_SHARED_BYTES * n_models**2 * n_values, what, remedy)


def check_tables(n_rows: int, n_models: int, n_values: int) -> None:
    """Refuse tables of items x runs that do not fit into memory.

    Raises
    ------
    ValueError
        With the memory needed, the free memory, and the remedy.
    """
    rows = f"{n_rows:,} rows on {_counted(n_models, 'model')} in {_values(n_values)}"
    remedy = "choose models (--model), or take fewer metrics"
    check_memory(
        8 * _TABLE_COPIES * n_rows * n_models * n_values, f"the influences of {rows}", remedy
    )


def check_clusters(n_clusters: int, n_numbers: int) -> None:
    """Refuse sums of more clusters than fit into memory, of so many numbers each.

    Raises
    ------
    ValueError
        With the memory needed, the free memory, and the remedy.
    """
    what = f"the sums of {n_clusters:,} clusters, of {_counted(n_numbers, 'number')} each,"
    remedy = (
        "take fewer models or metrics, or a sketch (mc.io.sketch), whose size does not depend on "
        "the clusters"
    )
    check_memory(8 * _SUM_COPIES * n_clusters * n_numbers, what, remedy)


def free_memory() -> int:
    """Return the bytes available without swapping, as reported by the system and containers."""
    return max(0, min([_free_on_machine(), *_left_by_limits()]))


def _free_on_machine() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if "MemAvailable" in line)
    except (OSError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return HELD_BYTES


def _left_by_limits() -> Iterator[int]:
    """Yield the bytes left by the limits of this process's control groups, set by containers."""
    try:
        groups = [line.split(":", 2) for line in _GROUPS.read_text().splitlines()]
    except OSError:
        return
    for _, controllers, own in groups:
        if controllers not in _LIMITS:
            continue
        root, limit, used, cache = _LIMITS[controllers]
        # Within a container the group's path may be the host's, and the root the container's.
        place = root / own.strip("/")
        for folder in (place, *place.parents):
            with suppress(OSError, ValueError):
                most = int((folder / limit).read_text())
                if most < _NO_LIMIT:
                    stat = (folder / "memory.stat").read_text().splitlines()
                    given_back = int(dict(line.split() for line in stat).get(cache, 0))
                    yield most - int((folder / used).read_text()) + given_back
            if folder == root:
                break


def _fits(needed: int) -> bool:
    """True if so many bytes fit into memory; small requests skip the slow check."""
    return needed <= 16 * CACHE_BYTES or needed <= free_memory()


def check_memory(needed: int, what: str, remedy: str) -> None:
    """Refuse what does not fit into memory, before any of it is taken.

    Raises
    ------
    ValueError
        With the memory needed, the free memory, and the remedy.
    """
    if not _fits(needed):
        raise ValueError(
            f"{what} need about {needed / 2**30:,.1f} GiB of memory, and "
            f"{free_memory() / 2**30:,.1f} GiB are free; {remedy}."
        )


def _values(number: int) -> str:
    return f"{_counted(number, 'value')} (metrics, and classes of those per class)"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
