"""Write what commands and code print into the pages that show them.

``python -m tests.update_docs [PAGE]...`` runs every command and all code of the README and the pages
under docs (or of those named) and rewrites the outputs. What a page cuts stays cut: an output
shows as many lines before its first ``...`` as it did, and after each ``...`` the lines from the one
that begins like the first there. Instead of an output not known yet stands ``?``. The table of
what scans and sketches refuse is written from `tests.plugins.large.abilities`, that of designs by `tests.designs`, and rows
of plugins by `tests.documents`, which writes those of other files too.
"""

import doctest
import os
import re
import sys
import tempfile
from pathlib import Path

from tests import designs, documents
from tests.pages import PAGES, commands, matches, parts, prepare, python
from tests.plugged import modules

CUT = "..."
_UNKNOWN = "?"
_FIRST_LINES = 24


def updated(shown, printed):
    """An output, cut where the page cut it before."""
    lines = printed.rstrip("\n").split("\n")
    if shown.strip() == _UNKNOWN:
        return [*lines[:_FIRST_LINES], CUT] if len(lines) > _FIRST_LINES else lines
    head, *others = (part.splitlines() for part in parts(shown.rstrip("\n") + "\n"))
    if not others:
        return lines
    *middle, tail = others
    place = len(head)
    kept = [*lines[:place], CUT]
    for part in middle:
        start = _found(lines, part[0], place)
        if start is not None:
            place = start + len(part)
            kept += [*lines[start:place], CUT]
    start = _found(lines, tail[0], place) if tail else len(lines)
    return [*kept, *lines[len(lines) - len(tail) if start is None else start :]]


def _found(lines, first, place):
    """The next line that begins with the same word."""
    word = re.findall(r"\w+", first)[:1]
    alike = (n for n in range(place, len(lines)) if re.findall(r"\w+", lines[n])[:1] == word)
    return next(alike, None)


class _Recorder(doctest.DocTestRunner):
    """Takes what examples print for what they should."""

    def report_failure(self, _out, _test, example, got):
        example.want = got

    def report_unexpected_exception(self, _out, test, example, exc_info):
        sys.stderr.write(f"{test.name}, line {example.lineno + 1}: {exc_info[1]}; left as it is\n")


def update_python(page):
    """Rewrite the outputs of code; what already fits stays as it is."""
    test = python(page)
    wanted = [example.want for example in test.examples]
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    _Recorder(optionflags=options).run(test, clear_globs=False)
    lines = page.read_text("utf-8").split("\n")
    for example, before in reversed([*zip(test.examples, wanted, strict=True)]):
        start = example.lineno + example.source.count("\n")
        lines[start : start + before.count("\n")] = example.want.splitlines()
    page.write_text("\n".join(lines), "utf-8")


def update_commands(page):
    """Rewrite the outputs of commands that show any."""
    text = page.read_text("utf-8")
    # In the order of the page: ledgers remember what was asked.
    printed_by = [(command, *command.run()) for command in commands(page)]
    for command, code, printed in reversed(printed_by):
        if code != command.code:
            sys.stderr.write(f"{page.name}: `{command.line}` exits with {code}; left as it is\n")
        elif command.shown.strip() and not matches(command.shown, printed):
            start, end = command.span
            text = (
                text[:start]
                + "\n".join([*updated(command.shown, printed), ""])
                + _blank(command.shown)
                + text[end:]
            )
            sys.stderr.write(f"{page.name}: `{command.line}` is new or changed\n")
    page.write_text(text, "utf-8")


def _blank(shown):
    """What separates an output from the next command."""
    return "\n" * (len(shown) - len(shown.rstrip("\n")) - 1)


def main(names):
    pages = [Path(name).resolve() for name in names] or PAGES
    home = Path.cwd()
    for page in pages:
        # Ledgers of one page are unknown to others.
        with tempfile.TemporaryDirectory() as folder:
            prepare(Path(folder))
            os.chdir(folder)
            for each in (*modules("abilities"), designs):
                page.write_text(each.updated(page.read_text("utf-8")), "utf-8")
            for table in documents.PAGES.get(page, ()):
                page.write_text(documents.updated(page.read_text("utf-8"), table), "utf-8")
            update_commands(page)
            update_python(page)
            os.chdir(home)


if __name__ == "__main__":
    main(sys.argv[1:])
