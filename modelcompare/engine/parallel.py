"""Work on blocks of resamples on several threads, or wherever joblib is told to; BLAS at one.

Threads of BLAS split sums by how many they are, so that the last bit of a product depends on the
machine and on its settings. Here every product is one thread's, and threads of our own take whole
blocks: the same numbers on any number of them, and none waits for another in mid-product.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cached_property
from itertools import islice
from threading import Lock
from time import monotonic
from typing import Any, Literal, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

# Numbers that a task goes through if it is worth a thread. Threads with less to do hand the
# interpreter to each other more often than they work, and take up to twice the time of one.
WORTH_A_THREAD = 2**21

# Threads that work while items are read, and items that wait for each worker of joblib.
_AT_ONCE = 4

_inside: ContextVar[bool] = ContextVar("_inside", default=False)
_watch: ContextVar[Watch | None] = ContextVar("_watch", default=None)


class Watch:
    """Counts the tasks that are done, and shows them on stderr once they take over two seconds."""

    delay = 2.0

    def __init__(self) -> None:
        self._start, self._bar = monotonic(), None
        self.n_tasks = self.n_done = 0

    def expect(self, n_tasks: int) -> None:
        """So many tasks more."""
        self.n_tasks += n_tasks

    def done(self) -> None:
        """One of them."""
        self.n_done += 1
        if self._bar is None and monotonic() - self._start > self.delay:
            from tqdm import tqdm

            # Of a pipe nothing is seen.
            self._bar = tqdm(
                total=self.n_tasks, initial=self.n_done - 1, disable=None, unit=" blocks",
                leave=False,
            )  # fmt: skip
        if self._bar is not None:
            self._bar.total = self.n_tasks
            self._bar.update()

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()


@contextmanager
def watched() -> Iterator[Watch]:
    """Show on stderr, if that is a terminal, how far blocks of work are that take long."""
    watch = Watch()
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)
        watch.close()


def told(results: Iterable[Result], n_tasks: int) -> Iterator[Result]:
    """Pass results on and count them for a `Watch`; tasks within tasks are not counted."""
    watch = None if _inside.get() else _watch.get()
    if watch is not None:
        watch.expect(n_tasks)
    for result in results:
        yield result
        if watch is not None:
            watch.done()


class _Blas:
    """Threads of BLAS: held at one while anybody multiplies, and given back after."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._before: list[int] = []
        self._n_holders = 0

    @property
    def n_free(self) -> int:
        """Threads that BLAS has where nobody holds it."""
        return max(self._before, default=os.cpu_count() or 1)

    def hold(self) -> None:
        """Hold BLAS at one thread."""
        with self._lock:
            if not self._n_holders:
                self._before = [library.num_threads for library in self._libraries]
            self._n_holders += 1
            # Where its threads are OpenMP's, each thread of ours has a limit of its own.
            for library in self._libraries:
                library.set_num_threads(1)

    def release(self) -> None:
        """Give back its threads, unless somebody else holds it."""
        with self._lock:
            self._n_holders -= 1
            if not self._n_holders:
                for library, n_threads in zip(self._libraries, self._before, strict=True):
                    library.set_num_threads(n_threads)

    @cached_property
    def _libraries(self) -> list[Any]:
        from threadpoolctl import ThreadpoolController

        # Looked for once: numpy has loaded its own by now.
        return list(ThreadpoolController().select(user_api="blas").lib_controllers)


_BLAS = _Blas()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS at one thread; a decorator, too, of what multiplies matrices."""
    _BLAS.hold()
    try:
        yield
    finally:
        _BLAS.release()


def map_blocks(
    task: Callable[[int], Result],
    blocks: Sequence[int],
    n_jobs: int | None,
    *,
    prefer: Literal["threads", "processes"] = "threads",
    numbers: float = float("inf"),
) -> list[Result]:
    """Results of a task on each block, in order; the same wherever it runs.

    Parameters
    ----------
    task : callable
        Gives the result of a block and changes nothing else: it may run in another process.
    blocks : sequence of int
        The blocks.
    n_jobs : int, optional
        joblib's. None is what ``joblib.parallel_config`` says; where it says nothing, arrays have
        as many threads as BLAS would, and a user's function one process.
    prefer : {"threads", "processes"}
        Threads suit arrays, whose work releases the interpreter; a user's Python function needs
        processes.
    numbers : float
        How many numbers a task goes through; few are not worth a thread. See `work`.
    """
    if n_jobs is None and prefer == "threads" and "joblib" not in sys.modules:
        # Nobody can have told joblib where to work, and loading it would take longer than most.
        return on_threads(task, blocks, numbers=numbers)
    from joblib import Parallel, delayed, effective_n_jobs
    from joblib.parallel import get_active_backend

    with one_blas_thread():
        n_workers = effective_n_jobs(n_jobs)
        if n_jobs is None and n_workers == 1 and prefer == "threads":
            return on_threads(task, blocks, numbers=numbers)
        threads = getattr(get_active_backend(prefer)[0], "uses_threads", False)
        too_short = threads and numbers < WORTH_A_THREAD
        if n_workers == 1 or len(blocks) < 2 or too_short:
            return list(told(map(task, blocks), len(blocks)))
        jobs = (delayed(_alone)(task, block) for block in blocks)
        return list(told(Parallel(n_jobs=n_jobs, prefer=prefer)(jobs), len(blocks)))


def map_with_bar(
    task: Callable[[int], Result],
    blocks: Sequence[int],
    n_jobs: int | None,
    *,
    sizes: Callable[[int], int],
    progress: bool,
    prefer: Literal["threads", "processes"],
    numbers: float,
    unit: str = " resamples",
) -> list[Result]:
    """Results of `map_blocks`, with a bar that counts `sizes` of the blocks if `progress`."""
    if not progress:
        return map_blocks(task, blocks, n_jobs, prefer=prefer, numbers=numbers)
    step, found = _AT_ONCE * (os.cpu_count() or 1), list[Result]()
    with progress_bar(sum(map(sizes, blocks)), progress, unit=unit) as bar:
        for start in range(0, len(blocks), step):
            some = blocks[start : start + step]
            found += map_blocks(task, some, n_jobs, prefer=prefer, numbers=numbers)
            bar.update(sum(map(sizes, some)))
    return found


def work(n_weights: float, n_columns: float, *, alike: bool = True) -> float:
    """Numbers to go through where weights are drawn, and multiplied by so many columns.

    Units that are not `alike` take a draw of their own each, as long as those of ten that are.
    """
    return n_weights * ((2 if alike else 20) + n_columns / 32)


def on_threads(
    task: Callable[[int], Result], blocks: Sequence[int], *, numbers: float
) -> list[Result]:
    """Results of a task on each block, on threads of this process: it may write into arrays."""
    with one_blas_thread():
        free = 1 if _inside.get() else _BLAS.n_free
        n_threads = min(free, len(blocks)) if numbers >= WORTH_A_THREAD else 1
        if n_threads < 2:
            return list(told(map(task, blocks), len(blocks)))
        # Each task has a context of its own, and finds the caller's `errstate` in it.
        runs = [(copy_context(), block) for block in blocks]
        with ThreadPoolExecutor(n_threads) as pool:
            futures = [pool.submit(context.run, _alone, task, block) for context, block in runs]
            return list(told((future.result() for future in futures), len(blocks)))


def as_they_come(
    task: Callable[[Item], Result], items: Iterator[Item], n_jobs: int | None
) -> Iterator[Result]:
    """Results of a task on each item, in order; a few items are held at once.

    Where joblib is told nothing, threads of this process work on them while others are read.
    """
    from joblib import Parallel, delayed, effective_n_jobs

    n_workers = effective_n_jobs(n_jobs)
    if n_jobs is None and n_workers == 1:
        yield from _on_threads_as_they_come(task, items)
    elif n_workers == 1:
        yield from map(task, items)
    else:
        # Lists, since not every backend of joblib gives results one by one.
        with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
            while some := list(islice(items, _AT_ONCE * n_workers)):
                yield from parallel(delayed(_alone)(task, item) for item in some)


def _on_threads_as_they_come(
    task: Callable[[Item], Result], items: Iterator[Item]
) -> Iterator[Result]:
    # Each holds an item, which may be large.
    n_threads = 1 if _inside.get() else min(_AT_ONCE, _BLAS.n_free)
    if n_threads < 2:
        yield from map(task, items)
        return
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        for item in items:
            waiting.append(pool.submit(copy_context().run, _alone, task, item))
            if len(waiting) > n_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _alone(task: Callable[[Item], Result], item: Item) -> Result:
    """Run a task beside others: on one thread, whatever it calls."""
    token = _inside.set(True)
    try:
        with one_blas_thread():
            return task(item)
    finally:
        _inside.reset(token)


@contextmanager
def progress_bar(total: int, progress: bool, *, unit: str = " resamples") -> Iterator[Any]:
    """Bar on stderr, if that is a terminal, once work lasts over a second.

    Who watches the blocks looks away meanwhile.
    """
    from tqdm import tqdm

    token = _watch.set(None) if progress else None
    try:
        with tqdm(total=total, delay=1, disable=None if progress else True, unit=unit) as bar:
            yield bar
    finally:
        if token is not None:
            _watch.reset(token)
