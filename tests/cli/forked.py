"""The program in separate processes that have imported everything: forked from one that waits.

To start Python and to import numpy, pandas and scipy takes a second; to fork takes a hundredth.
Descriptors, signals and exit codes are a process's own, as in a start from a shell.
"""

import multiprocessing
import os
import sys
from dataclasses import dataclass

from modelcompare.__main__ import run

CLOSED, GONE = "closed", "gone"
_SERVER = multiprocessing.get_context("forkserver")
# What every fork has imported. The server is one for all tests of a process: dask's preload too.
PRELOADED = [
    "modelcompare.comparison.compare",
    "modelcompare.questions.gate",
    "modelcompare.readers",
]
_SERVER.set_forkserver_preload(PRELOADED)


@dataclass(frozen=True)
class Done:
    """Exit code of a process, and what it wrote into streams that were not put elsewhere."""

    returncode: int
    stdout: bytes
    stderr: bytes


def forked(arguments, folder, stdout=None, stderr=None, **environment):
    """Run the program with its streams in files, or ``CLOSED``, or to a reader that has ``GONE``.

    Of the environment, ``PYTHONIOENCODING`` is what Python makes of it.
    """
    kept = [folder / ".stdout", folder / ".stderr"]
    places = [
        str(kept[0] if stdout is None else stdout),
        str(kept[1] if stderr is None else stderr),
    ]
    process = _SERVER.Process(
        target=_become, args=([*map(str, arguments)], str(folder), *places, environment)
    )
    process.start()
    process.join()
    wrote = [path.read_bytes() if path.exists() else b"" for path in kept]
    for path in kept:
        path.unlink(missing_ok=True)
    return Done(process.exitcode, *wrote)


def _become(arguments, folder, stdout, stderr, environment):
    """Be the program: in the process that was forked."""
    os.chdir(folder)
    os.environ |= {"COLUMNS": "80", **environment}
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    sys.argv = ["modelcompare", *arguments]
    sys.stdout = _stream(1, stdout, encoding)
    sys.stderr = _stream(2, stderr, encoding)
    code = run()
    # What the end of an interpreter does: a stream that cannot be written then is code 120.
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except OSError:
        code = 120
    os._exit(code)


def _stream(descriptor, place, encoding):
    """Put a stream in its place; the interpreter has none where the descriptor is closed."""
    if place == CLOSED:
        os.close(descriptor)
        return None
    if place == GONE:
        reading, opened = os.pipe()
        os.close(reading)
    else:
        opened = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(opened, descriptor)
    os.close(opened)
    lines = 1 if descriptor == 2 else -1
    return open(descriptor, "w", lines, encoding=encoding, closefd=False)
