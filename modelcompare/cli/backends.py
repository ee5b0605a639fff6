"""Where the work of a command is done: threads, processes, or other machines, through joblib."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from modelcompare.words import Backend


@contextmanager
def working_on(backend: Backend | None, scheduler: str | None) -> Iterator[None]:
    """Work on a backend of joblib's; with neither backend nor scheduler, as ever."""
    if scheduler is not None and backend not in ("dask", "ray"):
        raise ValueError("--scheduler is the address of a cluster; say --backend dask or ray.")
    if backend is None:
        yield
        return
    from joblib import parallel_config

    name = "threading" if backend == "threads" else backend
    with _cluster(backend, scheduler), parallel_config(name):
        yield


def _cluster(backend: Backend, scheduler: str | None) -> AbstractContextManager[Any]:
    """The cluster of a backend; without an address, one on this machine."""
    if backend == "dask":
        return _dask(scheduler)
    return _ray(scheduler) if backend == "ray" else nullcontext()


def _dask(scheduler: str | None) -> AbstractContextManager[Any]:
    try:
        from dask import distributed
    except ImportError as error:
        raise ImportError(
            '--backend dask needs dask.distributed: pip install "modelcompare[dask]"'
        ) from error
    client: Any = distributed.Client
    # A scheduler elsewhere has a page of its own; one here needs none.
    return client(scheduler) if scheduler else client(dashboard_address=None)


@contextmanager
def _ray(scheduler: str | None) -> Iterator[None]:
    try:
        import ray
        from ray.util import joblib
    except ImportError as error:
        raise ImportError("--backend ray needs ray: pip install ray") from error
    with ray.init(address=scheduler):
        register: Any = joblib.register_ray
        register()
        yield
