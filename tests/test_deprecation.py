"""Names and arguments that go warn where they are used, and say what takes their place."""

import inspect
import warnings
from datetime import date

import pytest

from modelcompare.deprecation import Deprecation, deprecated, deprecations, renamed_arguments

DATES = {"since": "0.2", "gone": "2027-06-01"}


@deprecated(**DATES, instead="new")
def former(a, *, b=2):
    """Docstring."""
    return a + b


@renamed_arguments({"reps": "n_resamples", "seed": "rng"}, **DATES)
def drawn(n_resamples=99, *, rng=None):
    return n_resamples, rng


def test_the_warning_names_the_replacement_and_the_date_and_points_at_the_caller():
    with pytest.warns(DeprecationWarning, match="former") as caught:
        assert former(1, b=3) == 4
    assert str(caught[0].message) == (
        "`former` is deprecated since version 0.2 and will be removed after 2027-06-01: use `new`."
    )
    assert caught[0].filename == __file__


def test_what_is_decorated_keeps_its_name_docstring_and_signature():
    assert (former.__name__, former.__doc__) == ("former", "Docstring.")
    assert str(inspect.signature(former)) == "(a, *, b=2)"
    assert deprecations(former) == (Deprecation("former", "0.2", date(2027, 6, 1), "new"),)
    assert deprecations(None) == ()


def test_the_former_name_of_an_argument_is_taken_for_the_new_one():
    with pytest.warns(DeprecationWarning, match=r"^`drawn\(reps=\)` .*: use `n_resamples=`\.$"):
        assert drawn(reps=5) == (5, None)
    with pytest.warns(DeprecationWarning, match=r"^`drawn\(seed=\)` .*: use `rng=`\.$") as caught:
        assert drawn(7, seed=1) == (7, 1)
    assert caught[0].filename == __file__
    assert [what.name for what in deprecations(drawn)] == ["drawn(reps=)", "drawn(seed=)"]


def test_both_names_at_once_are_refused():
    with pytest.raises(
        TypeError, match=r"^`seed` is the former name of `rng`; give only the new one\.$"
    ):
        drawn(seed=1, rng=2)
    with (
        pytest.warns(DeprecationWarning, match="reps"),
        pytest.raises(TypeError, match=r"multiple values for argument 'n_resamples'$"),
    ):
        drawn(3, reps=5)


def test_the_new_names_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert drawn(3, rng=0) == (3, 0)


def test_a_date_that_is_none_is_refused():
    with pytest.raises(ValueError, match="June"):
        deprecated(since="0.2", gone="June", instead="new")(len)


def test_two_decorators_on_one_function_are_refused():
    with pytest.raises(TypeError, match="`former` is deprecated twice"):
        deprecated(**DATES, instead="new")(former)
