"""The command line: reads options, calls the library, prints. No statistics here.

Nothing slow is imported before a command runs, so that ``modelcompare --help`` answers at once.
"""

from modelcompare.cli.app import application, main

__all__ = ["application", "main"]
