"""Processes for tests that kill them: forks of a server that has imported everything."""

import multiprocessing

from tests.cli.forked import PRELOADED

FORKED = multiprocessing.get_context("forkserver")
# The server is one for all tests of a process; dask's workers are forks of it, too.
FORKED.set_forkserver_preload([*PRELOADED, "distributed"])
