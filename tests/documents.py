"""Rows of plugins in tables and lists of the documentation: ``python -m tests.documents`` writes them.

A table, or a list, follows a line ``<!-- plugins: NAME -->``. Its rows without a mark are written by hand; those with a
mark at their end are of the plugin that it names, which has them in its folder, in ``documents.md`` or in the docstring
of a module: a heading for each table, and a list of its rows.
The table ``plugins`` has what each plugin adds.
"""

import ast
import re

from modelcompare import plugs
from tests.pages import ROOT

PAGES = {
    ROOT / page: names
    for page, names in {
        "README.md": ("questions",), "docs/reading.md": ("sources", "logs"),
        "docs/plugins.md": ("plugins",), "llms.txt": ("pages",),
    }.items()
}  # fmt: skip
_BLOCK = re.compile(r"(?<=^<!-- plugins: {} -->\n)(?:.+\n)+", re.MULTILINE)
_OF_PLUGIN = re.compile(r"<!-- \w+ -->(?: \|)?$")
FOLDER = ROOT / "modelcompare" / "plugins"


def written_rows(name):
    """Rows that are written in the folder of a plugin, by table."""
    found = {}
    for text in texts_of(name):
        _, *sections = re.split(r"^## (\w+)\n", text, flags=re.MULTILINE)
        for table, rows in zip(sections[::2], sections[1::2], strict=True):
            found.setdefault(table, []).extend(re.findall("^- (.+)$", rows, re.MULTILINE))
    return found


def texts_of(name):
    """Texts with rows: of the file, and of the docstrings of modules, whose rows may have several lines."""
    folder = FOLDER / name
    texts = [path.read_text("utf-8") for path in folder.glob("documents.md")]
    trees = [ast.parse(path.read_text("utf-8")) for path in sorted(folder.glob("*.py"))]
    docstrings = [ast.get_docstring(tree) or "" for tree in trees]
    return [*texts, *(re.sub(r"(?<=\S)\n +", " ", each) for each in docstrings if "\n## " in each)]


def rows_of(plugin, table):
    """Rows that a plugin has in a table."""
    return [_added(plugin)] if table == "plugins" else written_rows(plugin.name).get(table, ())


def _added(plugin):
    """Names, commands and options that a plugin adds."""
    additions = plugin.load(plugin.additions) if plugin.additions else ()
    commands = plugin.load(plugin.commands) if plugin.commands else ()
    steps = plugin.load(plugin.steps) if plugin.steps else ()
    cells = (
        [f"mc.{name}" for name in plugin.public],
        [each.name for each in commands],
        [
            *dict.fromkeys(
                f"{each.command} {option.flag}" for each in additions for option in each.options
            ),
            *(option.flag for each in steps for option in each.options),
            *(f"--format {form}" for form in plugin.writers),
        ],
    )
    return " | ".join([plugin.name, *(", ".join(f"`{each}`" for each in cell) for cell in cells)])


def updated(text, table):
    """The text of a page whose table has the rows of the plugins that are there, after all others."""

    def written(block):
        own = [line for line in block[0].splitlines() if not _OF_PLUGIN.search(line)]
        form = "| {} <!-- {} --> |" if own[0].startswith("|") else "- {} <!-- {} -->"
        rows = [
            form.format(row, name)
            for name, plugin in plugs.plugins().items()
            for row in rows_of(plugin, table)
        ]
        return "\n".join([*own, *rows, ""])

    return re.sub(_BLOCK.pattern.format(table), written, text, count=1, flags=re.MULTILINE)


def pages():
    """The text of each page, and as it must be."""
    for page, tables in PAGES.items():
        text = before = page.read_text("utf-8")
        for table in tables:
            text = updated(text, table)
        yield page, before, text


if __name__ == "__main__":
    for page, _, text in pages():
        page.write_text(text, "utf-8", newline="\n")
