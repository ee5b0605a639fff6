"""The program, ``modelcompare`` or ``python -m modelcompare``; slow imports come last."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys


def run() -> int:
    """Run the command line as the main program and return its exit code."""
    # Ctrl-C ends the process at once, also during imports; the shell's code is 130.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Imports make some 150,000 objects and no garbage; collecting takes a tenth of the start.
    gc.set_threshold(300_000)
    _open_streams()
    from modelcompare.cli import main

    code = main()
    # What is left goes with the process; collecting it would take longer than most commands.
    gc.freeze()
    return code


def _open_streams() -> None:
    """Make both streams writable with any text, also where the caller has closed them.

    A closed stderr discards messages. A closed stdout fails when an answer is written to it, as a
    full disk does.
    """
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(run())
