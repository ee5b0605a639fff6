"""Work on blocks of resamples, one after the other or several at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

Result = TypeVar("Result")


def map_blocks(
    task: Callable[[int], Result],
    blocks: Sequence[int],
    n_jobs: int | None,
    *,
    prefer: Literal["threads", "processes"] = "threads",
) -> list[Result]:
    """Results of a task on each block, in order.

    Threads suit matrix products, which release the interpreter; a user's Python function needs
    processes. Either goes wherever ``joblib.parallel_config`` says (Dask, Ray).
    """
    if len(blocks) == 1 or (n_jobs in (None, 1) and prefer == "threads"):
        return [task(block) for block in blocks]
    from joblib import Parallel, delayed
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        return list(Parallel(n_jobs=n_jobs, prefer=prefer)(delayed(task)(b) for b in blocks))


def progress_bar(total: int, progress: bool, *, unit: str = " resamples") -> Any:
    """Bar on stderr, if that is a terminal, once work lasts over a second."""
    from tqdm import tqdm

    return tqdm(total=total, delay=1, disable=None if progress else True, unit=unit)
