"""Plugins and the rows that they add to the tables of the core, found by name.

The core imports no plugin: it asks here for the rows that its tables have from plugins. A plugin is
a folder of `modelcompare.plugins` with a light module ``rows`` and its record, ``PLUGIN``; the rest
of the folder is imported when it is used. Imports nothing slow.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from types import ModuleType
from typing import Any

_FOLDER = f"{__package__}.plugins"


@dataclass(frozen=True, kw_only=True, eq=False)
class Plugin:
    """A plugin and what it adds, as places in its package: ``module:attribute``, or ``module``.

    Parameters
    ----------
    name : str
        Name of its folder.
    package : str
        Its package.
    public : mapping of str to str
        Places of public names, which begin with the room where they are: ``io.from_coco``. The
        other places are those of tuples of rows, of which a plugin adds its own to a table.
    commands, additions : str
        Rows of the command line: tuples of `Command`, and of `Addition` to other commands.
    paths : str
        Functions that name models and runs of files after their paths: ``f(files, alone=...)``, of
        files with the models and test sets that the paths give, of a folder `alone` or of several.
    named : str
        Functions that name models as their tools did, in files beside theirs: ``f(files)``.
    records : str
        Functions that change the rows of models with runs, before they are aligned by id:
        ``f(rows, models, run, columns)``.
    readers : str
        Functions that read files together, as one test set: ``f(files, columns)`` returns a
        `modelcompare.readers.reading.Reading`, or None for other files.
    refusals : str
        Functions that refuse a table that is read whole: where it is read with others, or block by
        block.
    whole : str
        Functions that report tables which are never read block by block: ``f(frame)`` returns what
        such a table has, and an empty text for others.
    tables : str
        Functions that change a table before the roles of its columns are found: ``f(seen)`` takes
        and returns a `readers.profile.Profile`.
    roles : str
        Roles of columns that describe samples, and are left out: `readers.roles.Role`.
    beside : str
        Columns that describe samples, which options name and arguments of `Predictions` take:
        `readers.beside.Beside`.
    checks : str
        Functions that refuse a table by the roles of its columns: ``f(seen, roles)``.
    scores : str
        Records of scores that are computed from a source: `data.columns.Made`.
    designs : str
        Functions that return the design of a test set, or None: ``f(predictions, generalize_to,
        test)``; see `modelcompare.engine.design`.
    partitions : str
        Functions that return the parts of the rows of a test set that are evaluated one by one, or
        None: `modelcompare.engine.partition.Partition`.
    summed : str
        Functions that name up to two parts of the rows of a block whose sums a sketch adds, or
        none: ``f(predictions)``.
    limits : str
        Functions that name what answers about a test set are limited to, and what would show more:
        ``f(predictions)`` returns a sentence, or None.
    tests : str
        Paired tests: `modelcompare.significance.pairwise.PairTest`.
    intervals : str
        Functions that return intervals in closed form: ``f(contrasts, metric, level)``, or None.
    phrases : str
        Names of intervals in the frames, each with its phrase in a paper and the works to cite.
    kinds : str
        Output types: `modelcompare.data.kinds.Kind`.
    metrics : str
        Records of metrics.
    terms : mapping of str to str
        Other names of metrics, separated by commas, by the name of each.
    choices : mapping of str to tuple of str
        Values that options of the command line have more, by the name of each.
    score_tables : str
        Functions that compare models by a table of scores: ``f(frame, reading, figure, **options)``
        returns a result, or None if the table has other scores. The first result is taken.
    set_results : str
        Functions that compare models by results on several test sets: ``f(reading, **options)``
        returns a result, or None if files hold no such results.
    options : mapping of str to str
        Places of the functions that answer where an option of a function of the core is given. An
        option of `Predictions` is taken by a function that returns truth and outputs, completed,
        and an `Attachment`; see `data.attachments.attach`.
    several : mapping of str to str
        Places of functions for several test sets by name: in place of `compare_groups`, `decide`,
        `gate`, `paired_test`, `plan`, `plan of a decision` and `sample_size` of the core, to
        `check` them, to put them `in_order` of names, to read `rules` about them, and to read them
        from the `files` of a command or of `assertions`.
    advice : str
        Functions that name what may be asked of files that are refused as one test set:
        ``f(files, columns)`` returns a sentence, or None.
    rules : str
        Functions that read the text of a gate's rule over several test sets: ``f(rule)`` returns
        the rule, or None for others.
    steps : str
        Changes of the predictions that commands read: `modelcompare.cli.steps.Step`.
    figures : str
        Figures of a comparison: a name, a function of `comparison.compared.Compared`, and one that
        returns whether its documents have the figure, or None.
    replicates : str
        Figures of replicates: a name, and a function of `engine.contrasts.Sample`.
    pages : str
        Functions that yield further results for a page of a comparison: ``f(predictions, result)``.
    sources : str
        Functions that read the files of a command in another way, as ``f(reading, by_blocks=...)``
        where ``reading`` has its options; None for other files.
    pytest : str
        Hooks of pytest: objects whose ``assertion(request, options)`` gives the function that
        `model_gate` calls, or None.
    failures : str
        Functions that word errors in files of users: ``f(error)`` returns a sentence, or None.
    formats : str
        Formats of logs: `modelcompare.readers.formats.Format`.
    unread : str
        Functions that describe a document without a result for each sample, and what to compare
        instead: ``f(file)`` returns a sentence, or None for other documents.
    objects : str
        Functions that read objects of other libraries: ``f(source)`` returns a
        `modelcompare.readers.content.File`, or None for other objects.
    folder_files : str
        Folders that are as good as a file: `modelcompare.readers.content.FolderFile`.
    folders : str
        Functions that read a folder of published results as a table: ``f(path)``.
    notebooks : str
        Functions that show results in a notebook: ``f(tables, signature, document=None)`` returns
        HTML, with the findings of a document.
    writers : mapping of str to str
        Places of functions, by the form of text: ``f()`` returns what writes a
        `report.document.Document`, and refuses where it needs a package that is not installed.
    suffixes : mapping of str to str
        Forms of text by the suffixes of files that imply them.
    """

    name: str
    package: str
    public: Mapping[str, str] = field(default_factory=dict)
    commands: str = ""
    additions: str = ""
    paths: str = ""
    named: str = ""
    records: str = ""
    readers: str = ""
    refusals: str = ""
    whole: str = ""
    tables: str = ""
    roles: str = ""
    beside: str = ""
    checks: str = ""
    scores: str = ""
    designs: str = ""
    partitions: str = ""
    summed: str = ""
    limits: str = ""
    tests: str = ""
    intervals: str = ""
    phrases: str = ""
    kinds: str = ""
    metrics: str = ""
    terms: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    score_tables: str = ""
    set_results: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    several: Mapping[str, str] = field(default_factory=dict)
    advice: str = ""
    rules: str = ""
    steps: str = ""
    figures: str = ""
    replicates: str = ""
    pages: str = ""
    sources: str = ""
    pytest: str = ""
    failures: str = ""
    formats: str = ""
    unread: str = ""
    objects: str = ""
    folder_files: str = ""
    folders: str = ""
    notebooks: str = ""
    writers: Mapping[str, str] = field(default_factory=dict)
    suffixes: Mapping[str, str] = field(default_factory=dict)

    def load(self, place: str) -> Any:
        """Import a place in its package."""
        return load(f"{self.package}.{place}")


def load(place: str) -> Any:
    """Import a ``module:attribute``, or a ``module``.

    Examples
    --------
    >>> load("modelcompare.plugs:load") is load
    True
    """
    module, _, attribute = place.partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


@cache
def plugins() -> Mapping[str, Plugin]:
    """Return the plugins of this package by name."""
    names = import_module(_FOLDER).PLUGINS
    return {name: load(f"{_FOLDER}.{name}.rows:PLUGIN") for name in names}


@cache
def owners() -> Mapping[str, str]:
    """Return the plugin that adds each name, command and flag, absent plugins too."""
    names = import_module(_FOLDER).NAMES
    return {each: plugin for plugin, added in names.items() for each in added}


@cache
def others() -> Mapping[str, Plugin]:
    """Return the plugins of other projects by name, from the entry points of this group.

    All installed packages are searched, so this is for unknown names and for listings.

    Raises
    ------
    TypeError
        If an entry point is no `Plugin`.
    """
    found = {}
    for point in load("importlib.metadata:entry_points")(group=_FOLDER):
        found[point.name] = point.load()
        if not isinstance(found[point.name], Plugin):
            raise TypeError(
                f"the entry point {point.value} of {point.dist.name} (group {_FOLDER}) is no "
                f"modelcompare.plugs.Plugin; correct it, or uninstall {point.dist.name}."
            )
    return found


@cache
def rows(table: str) -> tuple[Any, ...]:
    """Load the rows that plugins add to a table of the core, such as ``commands``."""
    return _rows(plugins(), table)


@cache
def rows_of_others(table: str) -> tuple[Any, ...]:
    """Load the rows that plugins of other projects add."""
    return _rows(others(), table)


def _rows(of: Mapping[str, Plugin], table: str) -> tuple[Any, ...]:
    places = [(plugin, getattr(plugin, table)) for plugin in of.values()]
    return tuple(row for plugin, place in places if place for row in plugin.load(place))


def first(table: str, *given: Any, **options: Any) -> Any:
    """Return the first result of functions that plugins add to a table; None if none has one."""
    results = (answer(*given, **options) for answer in rows(table))
    return next((result for result in results if result is not None), None)


def choices(option: str) -> tuple[str, ...]:
    """Return the values that plugins add to an option of the command line."""
    return tuple(each for plugin in plugins().values() for each in plugin.choices.get(option, ()))


def merged(table: str) -> dict[str, str]:
    """Return the rows of a table by name, such as ``suffixes``."""
    return {
        name: row for plugin in plugins().values() for name, row in getattr(plugin, table).items()
    }


def public(module: str) -> dict[str, tuple[Plugin, str]]:
    """Return the names that plugins add to a public module, with their plugins and places."""
    room = module.removeprefix(__package__ or "").removeprefix(".")
    found = [
        (name.rpartition("."), plugin, place)
        for plugin in plugins().values()
        for name, place in plugin.public.items()
    ]
    return {name: (plugin, place) for (within, _, name), plugin, place in found if within == room}


def behind(option: str) -> Any:
    """Load the function of a plugin that answers where this option is given, or refuse it."""
    return _answering("options", option, f"`{option}`")


def can_answer(option: str) -> bool:
    """Return whether a plugin answers where this option is given."""
    return option in merged("options")


def writer(form: str) -> Any:
    """Load the function of a plugin that returns what writes a form, or refuse the form."""
    return _answering("writers", form, f"form '{form}'")


def several(question: str) -> Any:
    """Load the function of a plugin that answers for several test sets, or refuse them."""
    return _answering("several", question, "a question about several test sets")


def answering(predictions: object, question: str, of_one: Any) -> Any:
    """Return the function that answers for test sets by name, or that of one test set."""
    return several(question) if isinstance(predictions, Mapping) else of_one


def by_name(predictions: Any) -> Mapping[str, Any]:
    """Return test sets by name; a single one has none."""
    return predictions if isinstance(predictions, Mapping) else {"": predictions}


def _answering(table: str, asked: str, named: str) -> Any:
    for plugin in plugins().values():
        if asked in getattr(plugin, table):
            return plugin.load(getattr(plugin, table)[asked])
    raise ValueError(needed(named))


def require(name: str) -> None:
    """Refuse a name, an option or data if the plugin that adds it is absent."""
    if absent := needed(name):
        raise ValueError(absent)


def absent(table: str) -> Mapping[str, Any]:
    """Return what absent plugins alone read, by their name: ``COLUMNS``, or ``PATHS``."""
    every = getattr(import_module(_FOLDER), table)
    return {name: row for name, row in every.items() if name not in plugins()}


def room(module: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a public module to which plugins add names."""
    return partial(attribute, module), partial(names, module)


def names(module: str) -> list[str]:
    """List the names in a public module and those that plugins add, without modules."""
    own = vars(sys.modules[module]).items()
    return [*(name for name, it in own if not isinstance(it, ModuleType)), *public(module)]


def attribute(module: str, name: str) -> Any:
    """Load a name that a plugin adds to a public module, or refuse it."""
    # Programs probe for names with underscores.
    found = None if name.startswith("_") else public(module).get(name)
    if found is None:
        absent = needed(f"{module}.{name}".removeprefix(f"{__package__}."))
        raise AttributeError(absent or f"module {module!r} has no attribute {name!r}")
    plugin, place = found
    thing = vars(sys.modules[module])[name] = plugin.load(place)
    return thing


def needed(name: str) -> str | None:
    """Return the error about a name, command or flag if the plugin that adds it is absent.

    Examples
    --------
    >>> needed("compare") is None
    True
    """
    owner = owners().get(name)
    return None if owner is None or owner in plugins() else f"{name} needs the plugin {owner}"
