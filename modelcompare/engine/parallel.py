"""Work on blocks of resamples in several threads, or on a joblib backend; BLAS uses one thread.

Threads of BLAS split sums by their number, so that the last bit of a product depends on the machine
and its settings. Here every product uses one thread, and separate threads process whole blocks: the
numbers do not depend on their number, and no thread waits for another within a product.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from dataclasses import replace
from functools import cached_property
from itertools import islice
from math import inf
from threading import Lock
from time import monotonic
from typing import Any, Literal, TypeVar

from modelcompare.execution import execution, set_within

Item = TypeVar("Item")
Result = TypeVar("Result")

# Numbers processed by a task that is worth a thread. Threads with less work mostly wait for the
# interpreter, and take up to twice the time of a single thread.
WORTH_A_THREAD = 2**21

# Threads that work while items are read, and items in memory for each worker of joblib.
_AT_ONCE = 4

_inside: ContextVar[bool] = ContextVar("_inside", default=False)
_counting: ContextVar[Bar | None] = ContextVar("_counting", default=None)

# Seconds after which a command's bar is shown.
DELAY = 2.0


class Bar:
    """Progress on stderr, if that is a terminal, once work lasts longer than a delay."""

    def __init__(self, total: int, unit: str, delay: float, *, leave: bool) -> None:
        self.total, self.n = total, 0
        self._unit, self._shown_at, self._leave = unit, monotonic() + delay, leave
        self._bar: Any = None

    def update(self, n: int = 1) -> None:
        """Count finished work."""
        self.n += n
        if self._bar is None and monotonic() > self._shown_at:
            # Imported here, because the import takes longer than most comparisons.
            from tqdm import tqdm

            self._bar = tqdm(
                total=self.total, initial=self.n - n, disable=None, unit=self._unit,
                leave=self._leave,
            )  # fmt: skip
        if self._bar is not None:
            self._bar.total = self.total
            self._bar.update(n)

    def close(self) -> None:
        """Remove the bar, or leave it."""
        if self._bar is not None:
            self._bar.close()


@contextmanager
def progress_bar(total: int, *, unit: str = " parts", counts: bool = False) -> Iterator[Bar]:
    """Show a progress bar if `config_context` asks for it, and no other bar within it.

    It `counts` blocks of work within it; else these are not counted.
    """
    settings = execution.get()
    bar = Bar(total, unit, DELAY if settings.progress else inf, leave=total > 0)
    counting = bar if settings.progress and counts else None
    inner = settings if counts else replace(settings, progress=False)
    try:
        with set_within(_counting, counting), set_within(execution, inner):
            yield bar
    finally:
        bar.close()


def watched(total: int = 0) -> AbstractContextManager[Bar]:
    """Show the progress of blocks of work that take long: of a total, or as many as there are.

    Within such a bar they are blocks of that one.
    """
    if (bar := _counting.get()) is not None:
        bar.total = max(bar.total, bar.n + total)
        return nullcontext(bar)
    return progress_bar(total, unit=" blocks", counts=True)


def tallied(results: Iterable[Result], n_tasks: int) -> Iterator[Result]:
    """Yield results of tasks, and count them for a bar; tasks within tasks are not counted."""
    bar = None if _inside.get() else _counting.get()
    if bar is not None:
        bar.total = max(bar.total, bar.n + n_tasks)
    for result in results:
        yield result
        if bar is not None:
            bar.update()


class _Blas:
    """Threads of BLAS: limited to one during products, and restored afterwards."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._before: list[int] = []
        self._n_limits = 0

    @property
    def n_free(self) -> int:
        """Number of threads of BLAS without the limit."""
        return max(self._before) if self._before else os.cpu_count() or 1

    def limit(self) -> None:
        """Limit BLAS to one thread."""
        with self._lock:
            if not self._n_limits:
                self._before = [library.num_threads for library in self._libraries]
            self._n_limits += 1
            # OpenMP has a separate limit for each thread.
            for library in self._libraries:
                library.set_num_threads(1)

    def release(self) -> None:
        """Restore the number of threads, unless another product needs the limit."""
        with self._lock:
            self._n_limits -= 1
            if not self._n_limits:
                for library, n_threads in zip(self._libraries, self._before, strict=True):
                    library.set_num_threads(n_threads)

    @cached_property
    def _libraries(self) -> list[Any]:
        from threadpoolctl import ThreadpoolController

        # Searched once: numpy has loaded its library by now.
        return list(ThreadpoolController().select(user_api="blas").lib_controllers)


_BLAS = _Blas()


def n_workers() -> int:
    """Return about how many threads, or processes, share blocks of work."""
    n_jobs = execution.get().n_jobs
    return n_jobs if n_jobs is not None and n_jobs > 0 else _BLAS.n_free


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread; also a decorator of functions that multiply matrices."""
    _BLAS.limit()
    try:
        yield
    finally:
        _BLAS.release()


def map_blocks(
    task: Callable[[int], Result],
    blocks: Sequence[int],
    *,
    prefer: Literal["threads", "processes"] = "threads",
    numbers: float = inf,
) -> list[Result]:
    """Return results of a task on each block, in order; the same wherever it runs.

    Workers are those of `config_context`: `n_jobs` as in joblib. None takes the value of
    ``joblib.parallel_config``; if that is not set, arrays use as many threads as BLAS would, and a
    user's function one process.

    Parameters
    ----------
    task : callable
        Returns the result of a block without side effects: it may run in another process.
    blocks : sequence of int
        The blocks.
    prefer : {"threads", "processes"}
        Threads for arrays, whose operations release the interpreter; processes for a user's Python
        function.
    numbers : float
        Number of numbers that a task processes; few are not worth a thread. See `work`.
    """
    with one_blas_thread():
        return list(tallied(_results(task, blocks, prefer, numbers), len(blocks)))


def _results(
    task: Callable[[int], Result], blocks: Sequence[int],
    prefer: Literal["threads", "processes"], numbers: float,
) -> Iterable[Result]:  # fmt: skip
    n_jobs = execution.get().n_jobs
    if n_jobs is None and prefer == "threads" and "joblib" not in sys.modules:
        # joblib cannot have been configured, and loading it would take longer than most work.
        return _shared_out(task, blocks, numbers)
    from joblib import Parallel, delayed, effective_n_jobs
    from joblib.parallel import get_active_backend

    n_workers = effective_n_jobs(n_jobs)
    if n_jobs is None and n_workers == 1 and prefer == "threads":
        return _shared_out(task, blocks, numbers)
    backend = get_active_backend(prefer)[0]
    too_short = getattr(backend, "uses_threads", False) and numbers < WORTH_A_THREAD
    if n_workers == 1 or len(blocks) < 2 or too_short:
        return map(task, blocks)
    # Not every backend returns results one by one.
    one_by_one = getattr(backend, "supports_return_generator", False)
    jobs = (delayed(_alone)(task, block) for block in blocks)
    kind = "generator" if one_by_one else "list"
    results: Iterable[Result] = Parallel(n_jobs=n_jobs, prefer=prefer, return_as=kind)(jobs)
    return results


def work(n_weights: float, n_columns: float, *, uniform: bool = True) -> float:
    """Return the numbers to process in drawing weights and multiplying them by columns.

    Units that are not `uniform` are drawn one by one, which takes ten times as long.
    """
    return n_weights * ((2 if uniform else 20) + n_columns / 32)


def on_threads(
    task: Callable[[int], Result], blocks: Sequence[int], *, numbers: float
) -> list[Result]:
    """Return results of a task on each block, on threads of this process, which share arrays."""
    with one_blas_thread():
        return list(_shared_out(task, blocks, numbers))


def _shared_out(
    task: Callable[[int], Result], blocks: Sequence[int], numbers: float
) -> Iterator[Result]:
    free = 1 if _inside.get() else _BLAS.n_free
    n_threads = min(free, len(blocks)) if numbers >= WORTH_A_THREAD else 1
    if n_threads < 2:
        return map(task, blocks)
    return _threaded(task, blocks, n_threads, len(blocks))


def as_they_come(task: Callable[[Item], Result], items: Iterator[Item]) -> Iterator[Result]:
    """Yield results of a task on each item, in order; only a few items are in memory at once.

    Without a joblib backend, threads of this process work while further items are read.
    """
    from joblib import Parallel, delayed, effective_n_jobs

    n_jobs = execution.get().n_jobs
    n_workers = effective_n_jobs(n_jobs)
    if n_workers > 1:
        # Lists, since not every backend of joblib returns results one by one.
        with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
            while some := list(islice(items, _AT_ONCE * n_workers)):
                yield from parallel(delayed(_alone)(task, item) for item in some)
        return
    # Each thread keeps an item in memory, which may be large.
    n_threads = min(_AT_ONCE, _BLAS.n_free) if n_jobs is None and not _inside.get() else 1
    if n_threads > 1:
        yield from _threaded(task, items, n_threads, n_threads)
    else:
        yield from map(task, items)


def _threaded(
    task: Callable[[Item], Result], items: Iterable[Item], n_threads: int, n_waiting: int
) -> Iterator[Result]:
    """Yield results in order, on threads of this process; `n_waiting` items may wait at once."""
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        for item in items:
            # Each task has its own copy of the context, which contains the caller's `errstate`.
            waiting.append(pool.submit(copy_context().run, _alone, task, item))
            if len(waiting) > n_waiting:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _alone(task: Callable[[Item], Result], item: Item) -> Result:
    """Run a task next to others, with one thread for everything that it calls."""
    token = _inside.set(True)
    try:
        with one_blas_thread():
            return task(item)
    finally:
        _inside.reset(token)
