import subprocess
import sys
from typing import Literal

import pytest

from modelcompare import __version__, words

Metal = Literal["iron", "tin"]


def test_a_choice_that_is_not_there_is_answered_with_those_that_are():
    words.check_choice("metal", "tin", Metal)
    with pytest.raises(ValueError, match=r"`metal` must be one of iron, tin, got 'gold'\."):
        words.check_choice("metal", "gold", Metal)


@pytest.mark.parametrize(("value", "at_least"), [(1, 2), (0, 1), (-3, 1)])
def test_too_small_a_count_is_refused(value, at_least):
    words.check_count("n", at_least, at_least=at_least)
    with pytest.raises(ValueError, match=f"`n` must be at least {at_least}, got {value}"):
        words.check_count("n", value, at_least=at_least)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, float("nan"), float("inf")])
def test_what_is_no_fraction_is_refused(value):
    with pytest.raises(ValueError, match=r"`alpha` must be in \(0, 1\)"):
        words.check_fraction("alpha", value)


def test_a_percentage_is_answered_with_its_fraction():
    with pytest.raises(ValueError, match=r"got 95; for 95 % pass 0\.95\."):
        words.check_fraction("confidence_level", 95)
    with pytest.raises(ValueError, match=r"must be in \(0, 0\.5\), got 5; for 5 % pass 0\.05\."):
        words.check_fraction("alpha", 5, below=0.5)


def test_choices_are_written_out():
    assert words.listed(Metal) == "iron or tin"
    assert words.listed(Literal["iron"]) == "iron"


def test_a_signature_spreads_what_has_a_name_and_leaves_out_what_is_empty():
    made = words.signature("study", n=3, B=99, level=None, rng=0, collapsed=True)
    assert made == f"modelcompare:{__version__}|study|n:3|B:99|rng:0|collapsed"


@pytest.mark.parametrize(
    "work",
    ["import modelcompare.words", "from modelcompare.cli import application; application()"],
)
def test_help_waits_for_nothing_slow(work):
    program = f"import sys; {work}; print(*({{'numpy', 'pandas', 'scipy'}} & {{*sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
