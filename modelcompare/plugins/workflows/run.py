"""Answers of gates for GitHub's workflows and pull requests."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator

from modelcompare.cli.streams import CannotWriteError, answer, answer_document
from modelcompare.escape import visible
from modelcompare.questions.gate_result import GateAnswer

# The line by which a comment on a pull request is found again, and GitHub's limit.
_MARKER = "<!-- modelcompare gate -->"
_LONGEST_COMMENT = 65_536


def annotate(found: GateAnswer, numbers: str) -> None:
    """Annotate a workflow, and add to its summary and outputs."""
    _leave_for_workflow(found, numbers)
    levels = {"shown": "notice", "shown otherwise": "error", "not enough data": "warning"}
    for shown, sentence in found.answered:
        answer(f"::{levels[shown]} title=modelcompare gate::{escaped(sentence)}")


def comment(found: GateAnswer, numbers: str) -> None:
    """Print a comment on a pull request."""
    answer_document(_comment(found, numbers))


def _comment(found: GateAnswer, numbers: str) -> str:
    """Write the comment on a pull request: answer, table, and the numbers folded up."""
    # A name must not call a person, nor end the block of code.
    table = found.to_markdown().replace("@", "@\u200b")
    numbers = numbers.replace("`", "\\u0060")
    text = f"{_MARKER}\n{table}"
    details = f"<details><summary>Numbers</summary>\n\n```json\n{numbers}```\n\n</details>\n"
    if len(text) + len(details) >= _LONGEST_COMMENT:
        details = "The numbers are too long for a comment; `--format json` prints them.\n"
    return f"{text}\n{details}"


def _leave_for_workflow(found: GateAnswer, numbers: str) -> None:
    """Append to the files that a workflow names: summary, outputs, and a comment."""
    texts = {
        # After a table, text without a blank line before it would be one more row.
        "GITHUB_STEP_SUMMARY": f"\n{found.to_markdown()}",
        "GITHUB_OUTPUT": "".join(output(*each) for each in _outputs(found)),
        "MODELCOMPARE_COMMENT": _comment(found, numbers),
    }
    for name, text in texts.items():
        if os.environ.get(name):
            _append(os.environ[name], text)


def _outputs(found: GateAnswer) -> Iterator[tuple[str, str]]:
    """Yield names and values for later steps; values of several rules are on separate lines."""
    yield "answer", found.answer
    yield "passed", str(found.passed).lower()
    for name in ("gain", "ci_low", "ci_high", "p_value", "n_needed"):
        numbers = [getattr(decision, name) for decision in found.decisions]
        yield name, "\n".join("" if math.isnan(each) else f"{each:.12g}" for each in numbers)
    yield "sentence", "\n".join(sentence for _, sentence in found.answered)


def _append(path: str, text: str) -> None:
    """Append to a file that other programs write to as well."""
    try:
        with open(path, "a", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise CannotWriteError(error.errno, error.strerror, path) from error


def escaped(text: str) -> str:
    """Write the message of a workflow command, as ``escapeData`` of GitHub's toolkit does.

    https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts

    >>> escaped("100 %" + chr(10) + "::error::x")
    '100 %25%0A::error::x'
    """
    for mark, code in {"%": "%25", "\r": "%0D", "\n": "%0A"}.items():
        text = text.replace(mark, code)
    return visible(text)


def output(name: str, value: str) -> str:
    """Write a value for the file at ``GITHUB_OUTPUT``, between lines that it does not hold.

    https://docs.github.com/actions/reference/workflow-commands-for-github-actions

    >>> print(output("answer", "not shown"), end="")
    answer<<END
    not shown
    END
    """
    mark = "END"
    while mark in value:
        mark += "_"
    return f"{name}<<{mark}\n{value}\n{mark}\n"
