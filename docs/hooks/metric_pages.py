"""A page for each metric, made from its record: description, formula, figure, names, function."""

import inspect
import textwrap
from collections.abc import Iterable
from itertools import groupby

from griffe import (
    Docstring,
    DocstringParameter,
    DocstringReturn,
    DocstringSectionParameters,
    DocstringSectionReturns,
)

from docs.hooks.formulas import formula_of, legend_of, mathml
from docs.hooks.responses import drawn
from modelcompare import metrics
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.named import METRICS
from modelcompare.metrics.terms import terms_of

_INDEX = """# Metrics

{count} names, one page for each formula. `modelcompare metrics` lists the same, `modelcompare
metrics NAME` explains one, and `mc.get_metric(NAME)` gives it. A `c` in front is the probabilistic
twin: the same formula, with the probability of a class instead of the decision for it. Names may
contain numbers: `f0.7_macro`, `top_7_accuracy`, `roc_auc_at_0.05`.

| metric | what it is | names |
| --- | --- | --- |
"""


def pages() -> dict[str, str | bytes]:
    """Return the text of each page, and its figure, by its place in the site."""
    families = {
        family: list(group)
        for family, group in groupby(sorted(METRICS.values(), key=_family), key=_family)
    }
    made: dict[str, str | bytes] = {}
    for name, group in families.items():
        made[f"metrics/{name}.md"] = _page(name, group)
        made[f"metrics/responses/{name}.svg"] = drawn(group[0])
    return made | {"metrics/index.md": _index(families)}


def _family(metric: AnyMetric) -> str:
    return metric.stem


def _index(families: dict[str, list[AnyMetric]]) -> str:
    rows = (
        f"| [{name}]({name}.md) | {group[0].summary} | {_named(group)} |\n"
        for name, group in families.items()
    )
    return _INDEX.format(count=sum(map(len, families.values()))) + "".join(rows)


def _named(group: Iterable[AnyMetric]) -> str:
    return ", ".join(f"`{found.name}`" for found in group)


def _page(family: str, group: list[AnyMetric]) -> str:
    first = group[0]
    parts = [
        f"# {family}\n\n{first.summary}\n\n{mathml(formula_of(first))}\n\n{legend_of(first)}",
        f"{first.text}\n\n![{first.name} as outputs get worse](responses/{family}.svg)",
        "## Names\n\n" + _names(group),
        f"```console\n$ modelcompare metrics {first.name}\n```",
        _function(family),
        "## Sources\n\n" + "".join(f"- {source}\n" for source in first.references),
    ]
    return "\n\n".join(parts if first.references else parts[:-1])


def _names(group: list[AnyMetric]) -> str:
    """Return the table of the names of a family, without empty columns, and other names."""
    head = ["name", "how it differs", "needs", "a resample costs"]
    rows = [[_breakable(found.name), found.variant, found.needs, found.cost] for found in group]
    kept = [place for place in range(len(head)) if any(row[place] for row in rows)]
    lines = [head, ["---"] * len(head), *rows]
    table = "".join(f"| {' | '.join(line[place] for place in kept)} |\n" for line in lines)
    others = [
        f"`{found.name}` is also known as {', '.join(terms)}."
        for found in group
        if (terms := terms_of(found.name))
    ]
    return "\n\n".join([table, *others])


def _breakable(name: str) -> str:
    """Return a name as code that a narrow table breaks after its underscores."""
    return f"<code>{name.replace('_', '_<wbr>')}</code>"


def _function(family: str) -> str:
    """Return the call, the arguments and the example of the plain function."""
    function = getattr(metrics, family, None)
    if function is None:
        return ""
    text = inspect.getdoc(function) or ""
    call = textwrap.fill(
        f"mc.metrics.{family}{_bare(inspect.signature(function))}", 80, subsequent_indent="    "
    )
    example = text.partition("Examples\n--------\n")[2]
    arguments = "".join(
        f"- {_titled(argument)}: {' '.join(argument.description.split())}\n"
        for section in Docstring(text).parse("numpy")
        if isinstance(section, DocstringSectionParameters | DocstringSectionReturns)
        for argument in section.value
    )
    return f"## As a function\n\n```python\n{call}\n```\n\n{arguments}\n```pycon\n{example}\n```"


def _bare(signature: inspect.Signature) -> inspect.Signature:
    """Return a signature without its types, which the list of arguments gives in words."""
    bare = [
        each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()
    ]
    return inspect.Signature(bare)


def _titled(argument: DocstringParameter | DocstringReturn) -> str:
    return f"`{argument.name}` ({argument.annotation})" if argument.name else "returns"
