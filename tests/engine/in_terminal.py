"""The program in a terminal: a function, so that a process that is forked has its imports done."""

import os
import sys

from modelcompare.cli.app import main
from modelcompare.engine import parallel


def run(terminal, answer, arguments):
    """Be the program with its errors in a terminal and its answer in a file; bars do not wait."""
    parallel.DELAY = 0.0
    os.dup2(os.open(terminal, os.O_RDWR | os.O_NOCTTY), 2)
    with open(2, "w", 1, closefd=False) as sys.stderr, open(answer, "w") as sys.stdout:
        code = main(arguments)
    sys.stderr = sys.stdout = None
    sys.exit(code)
