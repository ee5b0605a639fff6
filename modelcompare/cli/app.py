"""The application: its commands, its exit codes, and the wording of errors and warnings."""

from __future__ import annotations

import errno
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete, shell_complete

import modelcompare as mc
from modelcompare.cli.commands import Program, make_command
from modelcompare.cli.streams import CannotWriteError, answer, begin, said, say
from modelcompare.cli.table import COMMANDS
from modelcompare.escape import terminal
from modelcompare.options import OPTIONS
from modelcompare.plugs import first, needed
from modelcompare.spelling import did_you_mean, nearest
from modelcompare.words import WARNING

# The third and fourth as in sysexits.h, the last as shells have it.
DONE, BAD_INPUT, INTERNAL_ERROR, CANNOT_WRITE, INTERRUPTED = 0, 2, 70, 74, 130
_HELP_ALL = "--help-all"
# The variable by which a shell asks how a command may go on.
_COMPLETE = "_MODELCOMPARE_COMPLETE"
# Commands of other tools and of earlier versions, and what replaces them.
REPLACED = {
    "decide": "gate (--non-inferior, --superior, --equivalent)",
    "schema": "metrics --schema", "slices": "groups --by COLUMN", "subgroups": "groups --by COLUMN",
    "sets": "groups", "folds": "ranks", "critical-difference": "ranks",
    "card": "report --card MODEL", "model-card": "report --card MODEL",
    "paired-test": "compare", "test": "compare", "bootstrap": "compare", "power": "sample-size",
    "list": "metrics", "merge": "sketch", "scan": "compare --read scan",
}  # fmt: skip
_TWO_MODELS = (
    "Name two models, --baseline and --candidate. The interval of one, of which a limit is asked, "
    "has modelcompare compare FILE --confidence-level 0.9: an end of it that is within the limit "
    "shows it at the one-sided level 0.05."
)
# Errors of writing; errors of reading have other numbers.
_UNWRITTEN = {errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


@cache
def application(command: str | None = None, *, everything: bool = False) -> Program:
    """Return the program with all its commands, or with one, since making options takes a while.

    Help shows the options that most users need, or everything.
    """
    program = _VERSION(Program(
        "modelcompare", no_args_is_help=True, help=_ABOUT,
        context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    ))  # fmt: skip
    program.params.append(_COMPLETION)
    for row in COMMANDS:
        first, _, within = row.name.partition(" ")
        if command in (None, first):
            group = _group(program, first, row.group) if within else program
            group.add_command(make_command(row, everything=everything))
    return program


def _group(program: Program, name: str, help: str) -> Program:
    """Return a command that others are within; add it where it is not there yet."""
    group = program.commands.get(name)
    if not isinstance(group, Program):
        group = Program(name, no_args_is_help=True, help=help)
        program.add_command(group)
    return group


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line on what follows the program's name, ``sys.argv`` by default.

    The exit code is 0 if done; 2 for bad input, with one line on stderr; 70 for an error of the
    program itself, with its traceback; 74 if the answer or a message could not be written, because
    the pipe is closed (without a message) or a disk is full. Code 1 is left to commands that can
    answer no.
    """
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            code = _run(arguments)
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError as error:
            return _cannot_write(error)
    return code


def _run(arguments: Sequence[str] | None) -> int:
    """Run a command; raise an error of writing."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    begin(given)
    names = {row.name.partition(" ")[0] for row in COMMANDS}
    everything = _HELP_ALL in given
    asked = ["--help" if each == _HELP_ALL else each for each in given]
    try:
        if given[:1] and given[0] not in names and not given[0].startswith("-"):
            raise ValueError(_unknown(given[0]))
        program = application(
            given[0] if given[:1] and given[0] in names else None, everything=everything
        )
        if completing := os.environ.get(_COMPLETE):
            return shell_complete(program, {}, "modelcompare", _COMPLETE, completing) and BAD_INPUT
        with program.make_context("modelcompare", asked) as ctx:
            program.invoke(ctx)
    except click.exceptions.Exit as end:
        return end.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except (Exception, SystemExit) as error:
        own = _own_failure(error)
        if own is None:
            return _code_of(error)
        say(f"modelcompare: error: {own}")
        return BAD_INPUT
    return DONE


def _unknown(command: str) -> str:
    """Word the error about a command that does not exist, with the one that replaces it."""
    names = [row.name for row in COMMANDS]
    written = command.lower().replace("_", "-")
    if absent := needed(written):
        return f"{absent}."
    if written in REPLACED:
        return f"there is no command {command!r}; use modelcompare {REPLACED[written]}."
    within = [name for name in names if written.removesuffix("-study") in name.split()]
    if within:
        return f"there is no command {command!r}; use modelcompare {within[0]}."
    known = sorted({name.partition(" ")[0] for name in names})
    near = nearest(written, names, cutoff=0.5, most=2)
    hint = did_you_mean(near, otherwise=f"commands: {', '.join(known)}.")
    return f"there is no command {command!r}; {hint}"


def _own_failure(error: BaseException) -> str | None:
    """Word an error that a user's own metric raised (--metric-from); None of other errors."""
    found = first("failures", error)
    return None if found is None else " ".join(found.split())


def _code_of(error: Exception | SystemExit) -> int:
    """Report the end of a command and return its exit code; raise an error of writing."""
    if isinstance(error, SystemExit) and isinstance(error.__context__, OSError):
        # Where its reader has gone, rich ends the program.
        raise error.__context__ from None
    if isinstance(error, click.NoSuchOption):
        error = _no_option(error)
    if isinstance(error, click.MissingParameter) and _names_a_model(error.param):
        error = click.UsageError(_TWO_MODELS, error.ctx)
    if isinstance(error, click.ClickException):
        error.show()
        return BAD_INPUT
    if isinstance(error, MemoryError):
        say(f"modelcompare: error: this does not fit into memory: {error}")
        return BAD_INPUT
    if isinstance(error, ValueError | OSError | ImportError):
        unwritten = isinstance(error, OSError) and error.errno in _UNWRITTEN
        if unwritten or isinstance(error, CannotWriteError):
            raise error
        say(f"modelcompare: error: {_message(error)}")
        return BAD_INPUT
    for line in "".join(traceback.format_exception(error)).splitlines():
        say(line)
    return INTERNAL_ERROR


def _names_a_model(parameter: click.Parameter | None) -> bool:
    return parameter is not None and parameter.name in ("baseline", "candidate")


def _no_option(error: click.NoSuchOption) -> click.UsageError:
    """Word the error about an option that does not exist, with the one that does what is meant."""
    if absent := needed(error.option_name):
        return click.UsageError(f"{absent}.", error.ctx)
    name, params = error.option_name, [] if error.ctx is None else error.ctx.command.params
    key = name.lstrip("-").replace("-", "_").lower()
    flags = {each.opts[0]: each for each in params if each.opts[0].startswith("--")}
    meant = [
        f"{flag} (repeatable)" if getattr(each, "multiple", False) else flag
        for flag, each in flags.items()
        if each.name and key in (each.name, *_words_elsewhere(each.name))
    ]
    having = [
        other for other, made in application().commands.items()
        if any(name in each.opts for each in made.params)
    ]  # fmt: skip
    if having and not meant:
        text = f"there is no option {terminal(name)}; it is an option of {', '.join(having)}."
        return click.UsageError(text, error.ctx)
    meant = meant or nearest(name, [*flags], cutoff=0.6)
    hint = did_you_mean(meant, otherwise="modelcompare COMMAND --help-all lists all.")
    return click.UsageError(f"there is no option {terminal(name)}; {hint}", error.ctx)


def _words_elsewhere(name: str) -> list[str]:
    """Return the names that an option has in other tools."""
    return OPTIONS[name].elsewhere.split() if name in OPTIONS else []


def _cannot_write(error: OSError) -> int:
    """Report the error if stderr is open, and drop what is still buffered."""
    with suppress(OSError):
        if error.errno != errno.EPIPE:
            say(f"modelcompare: error: the answer cannot be written: {_message(error)}")
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError), open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
    return CANNOT_WRITE


COMPLETIONS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


def _print_completion(ctx: click.Context, _: click.Parameter, shell: str | None) -> None:
    """Print the completion of a shell and leave."""
    if shell:
        completion = COMPLETIONS[shell](ctx.command, {}, "modelcompare", _COMPLETE)
        answer(completion.source())
        ctx.exit()


_ABOUT = "Compare models from their predictions on a test set: intervals, paired tests, figures."
_VERSION = click.version_option(
    mc.__version__, prog_name="modelcompare", message="%(prog)s %(version)s"
)
_COMPLETION = click.Option(
    ["--show-completion"], type=click.Choice([*COMPLETIONS]), metavar="SHELL",
    is_eager=True, expose_value=False, callback=_print_completion,
    help="Show the completion of bash, zsh or fish, for the start file of the shell.",
)  # fmt: skip


def _message(error: Exception) -> str:
    """Write an error in one line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())


def _show_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    """Write a warning once, in one line, without the place in the code that gave it."""
    text = f"{WARNING}{' '.join(str(message).split())}"
    if text not in said():
        say(f"modelcompare: {text}")
