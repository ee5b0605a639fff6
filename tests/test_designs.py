"""docs/designs.md: what each function answers about two designs together is what the code does."""

import re

from tests import designs
from tests.designs import NO, PAGE, cells, shown, updated
from tests.plugged import needed

needed("battles", "ledgers", "paper", "time")


# One test, as every process that runs one asks all questions.
def test_the_page_has_the_answers_of_today():
    text = PAGE.read_text("utf-8")
    assert shown(updated(text)) == shown(text), "run `python -m tests.designs` and commit the page."
    _each_design_by_itself_is_compared()
    _what_has_no_answer_is_refused_in_one_sentence_with_a_remedy()
    _every_reason_is_that_of_a_cell_and_has_a_remedy()


def _each_design_by_itself_is_compared():
    for design in designs.DESIGNS:
        row = {cell.function: cell for cell in cells() if cell.designs == (design,)}
        assert row["compare"].answer == row["gate"].answer == designs.YES, design


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
