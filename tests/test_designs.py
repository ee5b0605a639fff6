"""docs/designs.md: what each function answers about two designs together is what the code does."""

import re

import pytest

from tests import designs
from tests.designs import ALONE, NO, PAGE, YES, cells, rows, shown, updated
from tests.plugged import needed

needed("battles", "ledgers", "paper", "time")


def test_each_design_by_itself_has_the_answers_of_the_page():
    alone = cells(ALONE)
    assert {*rows(alone)} <= {*shown(PAGE.read_text("utf-8")).splitlines()}
    answers = {(cell.designs, cell.function): cell.answer for cell in alone}
    for each in ALONE:
        assert answers[each, "compare"] == answers[each, "gate"] == YES, each


# One test, as every process that runs one asks all questions.
@pytest.mark.pages
def test_the_page_has_the_answers_of_today():
    text = PAGE.read_text("utf-8")
    assert shown(updated(text)) == shown(text), "run `python -m tests.designs` and commit the page."
    _what_has_no_answer_is_refused_in_one_sentence_with_a_remedy()
    _every_reason_is_that_of_a_cell_and_has_a_remedy()


def _what_has_no_answer_is_refused_in_one_sentence_with_a_remedy():
    refusals = {cell.refusal: cell for cell in cells() if cell.reason}
    assert "" not in refusals
    for refusal in refusals:
        assert re.search("; | must be one of ", refusal), refusal
        assert refusal.endswith(".")
        assert not re.search(r"\. [A-Z]", refusal), refusal


def _every_reason_is_that_of_a_cell_and_has_a_remedy():
    reasons = {reason for _, _, reason in designs.DOES_NOT_HOLD}
    assert reasons == {cell.reason for cell in cells() if cell.answer == NO} - {""}
    assert all("; " in reason for reason in reasons)
