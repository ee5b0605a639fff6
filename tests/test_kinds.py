"""Records of output types: what they name exists, and no other code branches on a type."""

import ast
import pickle
from pathlib import Path

import pytest

import modelcompare as mc
from modelcompare.data.kinds import LABELS, PROBABILITIES, VALUES, all_kinds, shared_kind
from modelcompare.plugs import load

PACKAGE = Path(mc.__file__).parent
# A figure, and an argument of functions that make predictions, have names of types too.
OTHER = {"comparison/forest.py", "plugins/confidences/lists.py"}
PLACES = (
    "cells", "check", "read", "fits", "loss", "disagreements", "counted", "hits", "signed", "intervals", "check_metric",
)  # fmt: skip


@pytest.mark.parametrize("kind", all_kinds().values(), ids=str)
def test_the_functions_and_the_metrics_that_a_type_names_exist(kind):
    places = [getattr(kind, each) for each in PLACES]
    assert all(callable(load(place)) for place in [*places, *kind.views.values()] if place)
    assert {*kind.views} | {kind.twin or kind.name} <= {*all_kinds()}
    for name in (*kind.default_metrics, *kind.of_two_classes):
        assert kind.serves(mc.get_metric(name).needs) or name in kind.of_two_classes
    assert pickle.loads(pickle.dumps(kind)) == kind == kind.name


def test_outputs_are_read_together_as_the_type_that_all_can_be_read_as():
    assert shared_kind([PROBABILITIES, LABELS]) == LABELS
    assert shared_kind([LABELS, VALUES]) == VALUES
    both = mc.Predictions([0, 1, 1], {"a": [0.1, 0.8, 0.6], "b": [0, 1, 0]})
    assert both.kind == "labels"
    assert both.output("a").read_as("labels").tolist() == [0, 1, 1]
    assert both["a"].kind == "probabilities"


def test_no_code_compares_the_type_of_outputs_with_a_name():
    """What depends on a type is a field or a function of its record."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        where = path.relative_to(PACKAGE).as_posix()
        if where in OTHER:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Compare) and _is_of_types(node):
                found.append(f"{where}:{node.lineno}: {ast.unparse(node)}")
    assert not found, "\n".join(found)


def _is_of_types(node):
    words = {getattr(each, "attr", getattr(each, "id", None)) for each in ast.walk(node)}
    texts = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
    return bool(words & {"kind", "kinds", "needs"}) and bool(texts & {*all_kinds()})
