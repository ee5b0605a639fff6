import math
import re
from functools import cache

import pytest
from threadpoolctl import threadpool_limits

from tests.golden import COMPARISONS, FOLDER, written
from tests.plugged import needs
from tests.report.written import as_json

# Processors add in other orders: what is written with all its digits agrees to nine of them, what
# is rounded to one in its last place.
RELATIVE = 1e-9
NUMBER = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")


def last_place(number):
    """One in the last place of a number as it is written."""
    digits, _, exponent = number.partition("e")
    return 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))


def agree(one, other):
    rounded = max(last_place(one), last_place(other)) if "." in one + other else 0
    a, b = float(one), float(other)
    return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=max(1e-15, 1.01 * rounded))


def first_difference(made, kept):
    """The first line that differs by more than rounding, in both texts; None if there is none."""
    lines = made.splitlines(), kept.splitlines()
    if len(lines[0]) != len(lines[1]):
        return f"{len(lines[0])} lines", f"{len(lines[1])} lines"
    for one, other in zip(*lines, strict=True):
        if one != other:
            numbers = NUMBER.findall(one), NUMBER.findall(other)
            alike = len(numbers[0]) == len(numbers[1]) and all(map(agree, *numbers))
            if NUMBER.sub("0", one) != NUMBER.sub("0", other) or not alike:
                return one, other
    return None


made = cache(lambda name: COMPARISONS[name]())


# A page has the figures of charts.
@needs("charts")
@pytest.mark.parametrize("name", COMPARISONS)
def test_a_comparison_is_written_as_it_was(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for file, text in written(name, made(name)).items():
        kept = (FOLDER / file).read_text(encoding="utf-8")
        found = first_difference(text, kept)
        assert found is None, f"{file} (python -m tests.golden writes it again): {found}"


def test_every_file_is_of_a_comparison():
    kept = {path.name.partition(".")[0] for path in FOLDER.iterdir() if path.suffix != ".py"}
    assert kept - {"__pycache__"} == set(COMPARISONS)


def test_differences_are_seen_and_rounding_is_not():
    assert first_difference("a 0.12345678901234 b", "a 0.12345678901235 b") is None
    assert first_difference("p = 0.012", "p = 0.013") is None
    assert first_difference("p = 0.012", "p = 0.014") is not None
    assert first_difference("n = 12", "n = 13") is not None
    assert first_difference("bow leads", "mlp leads") is not None
    assert first_difference("a\nb", "a") is not None


@pytest.mark.parametrize("threads", [1, 4])
def test_threads_of_the_matrix_library_change_no_byte(threads):
    with threadpool_limits(threads):
        assert as_json(COMPARISONS["classifiers"]()) == as_json(made("classifiers"))
