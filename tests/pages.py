"""What the README and the pages under docs show: commands and code, each with its output.

Blocks that import what is not installed are left out. A line ``...`` of an output stands for any number of lines. Files that are named lie under
tests/data/questions and, as ``formats/``, tests/data/formats, or ship as examples. A command that shows no output only has to run.
"""

import ast
import contextlib
import doctest
import io
import re
import shlex
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from modelcompare import examples
from modelcompare.cli import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
_BLOCK = re.compile(r"^```{}\n(.*?)^```", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*\n)((?:(?!\$ ).*\n)*)", re.MULTILINE)
_EXIT = re.compile(r"# exits with (\d+)")


@dataclass(frozen=True)
class Command:
    """A command of a page, what the page shows of its output, and where."""

    page: Path
    line: str
    shown: str
    span: tuple[int, int]

    @property
    def code(self) -> int:
        found = _EXIT.search(self.line)
        return int(found[1]) if found else 0

    def run(self):
        return run(self.line)


def blocks(page, language):
    """Places of the blocks of a language."""
    pattern = re.compile(_BLOCK.pattern.replace("{}", language), _BLOCK.flags)
    return [found.span(1) for found in pattern.finditer(page.read_text("utf-8"))]


def commands(page):
    """The commands of a page, but those of programs that need a clone (``make``)."""
    text = page.read_text("utf-8")
    return [
        Command(page, found[1].strip(), found[2], found.span(2))
        for start, end in blocks(page, "console")
        for found in _COMMAND.finditer(text, start, end)
    ]


def table_commands(page):
    """Commands in the cells of tables, which show no output."""
    return re.findall(r"^\|.*`(modelcompare [^`]+)`", page.read_text("utf-8"), re.MULTILINE)


def prepare(folder):
    """Put the files that pages name into a folder."""
    for example in Path(examples.__file__).parent.glob("*.[cn][sp][vz]"):
        shutil.copy(example, folder)
    data = ROOT / "tests" / "data"
    shutil.copytree(data / "questions", folder, dirs_exist_ok=True)
    shutil.copytree(data / "formats", folder / "formats")


def run(line):
    """Exit code and standard output of a command, in the folder where we are."""
    program, *arguments = shlex.split(line, comments=True)
    if program != "modelcompare":
        raise ValueError(f"pages show the command modelcompare, not {program}.")
    arguments = [path for argument in arguments for path in _expanded(argument)]
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = main(arguments)
    return code, out.buffer.getvalue().decode()


def _expanded(argument):
    """Files that a pattern matches, as a shell puts them in."""
    if "*" not in argument:
        return [argument]
    return sorted(map(str, Path().glob(argument))) or [argument]


def parsed(page, start, end):
    """The examples of one block, whose line numbers are the page's."""
    text = page.read_text("utf-8")
    found = doctest.DocTestParser().get_examples(text[start:end], page.name)
    for example in found:
        example.lineno += text.count("\n", 0, start)
    return found


def python(page):
    """The code of a page as one doctest; what is not installed, the blocks that want it left out."""
    found = [parsed(page, *span) for span in blocks(page, "python")]
    kept = [example for block in found if not absent(block) for example in block]
    return doctest.DocTest(kept, {}, page.name, str(page), 0, page.read_text("utf-8"))


def absent(block):
    """Packages that a block imports and that are not installed."""
    nodes = [node for example in block for node in ast.walk(ast.parse(example.source))]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    return sorted({n.partition(".")[0] for n in names if not find_spec(n.partition(".")[0])})


def r(page):
    """The R code of a page, and what it prints: lines that begin with ``#>``."""
    text = page.read_text("utf-8")
    lines = "".join(text[start:end] for start, end in blocks(page, "r")).splitlines(keepends=True)
    shown = [line.removeprefix("#> ") for line in lines if line.startswith("#> ")]
    return "".join(line for line in lines if not line.startswith("#> ")), "".join(shown)


def parts(shown):
    """Parts of an output between the lines that stand for what is cut."""
    return re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)


def matches(shown, printed):
    """Whether an output is as shown: whole lines in their order, and all of them between cuts.

    Signatures of sacrebleu's scores name its version, which is the reader's.
    """
    shown, printed = (
        re.sub(r"version:[\d.]+", "version", text.rstrip("\n") + "\n") for text in (shown, printed)
    )
    return re.fullmatch("(?:.*\n)*".join(map(re.escape, parts(shown))), printed) is not None
