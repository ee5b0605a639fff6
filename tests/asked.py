"""Answers to what users write, one after another in one process: ``python -m tests.asked < JSON``.

A start of the interpreter for each takes a second. Given is a list of arguments of Python, which
are ``-m modelcompare ...`` or ``-c CODE``; printed is a list with the error of each, or null.
"""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout

from modelcompare.cli import main


def error_of(arguments):
    """Return what stderr would show of a failure; None where there is none."""
    shown, code = io.StringIO(), 0
    try:
        with redirect_stderr(shown), redirect_stdout(io.StringIO()):
            if arguments[0] == "-c":
                exec(arguments[1], {})
            else:
                code = main(arguments[2:])
    except SystemExit as exit_:
        code = exit_.code
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return shown.getvalue() if code else None


if __name__ == "__main__":
    json.dump([error_of(arguments) for arguments in json.load(sys.stdin)], sys.stdout)
