"""docs/from_the_paper.md: each item of the paper and the course has the number that the page shows."""

import pytest

from tests.pages import prepare
from tests.paper_and_course import course, paper
from tests.paper_and_course.items import agrees, numbers, ours, plain
from tests.paper_and_course.page import ITEMS, PAGE, tables, updated
from tests.plugged import needed

needed("calibration", "catalogue", "class_report", "confidences", "curves", "folds", "gaps", "likelihoods", "paper", "published", "soft_auc", "texts")  # fmt: skip


@pytest.fixture(autouse=True)
def _in_the_folder_of_examples(tmp_path, monkeypatch):
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)


def _wrong(items):
    wrong = {}
    for item in items:
        try:
            if not agrees(item):
                wrong[item.place, item.term] = ours(item)
        except Exception as error:
            wrong[item.place, item.term] = str(error)
    return wrong


def test_all_items_are_in_the_tables():
    assert (len(paper.ITEMS), len(course.ITEMS)) == (89, 92)
    assert len({(item.place, item.term) for item in ITEMS}) == 181
    assert len([item for item in ITEMS if not item.absent]) >= 170


def test_each_number_is_that_of_the_text_or_of_its_formula():
    assert _wrong(item for item in ITEMS if not item.heavy) == {}


@pytest.mark.pages
def test_the_numbers_of_the_hundred_networks_are_those_of_a_loop():
    heavy = [item for item in ITEMS if item.heavy]
    assert len(heavy) > 6
    assert _wrong(heavy) == {}


def test_errata_are_wrong_in_the_text():
    errata = [item for item in ITEMS if item.section == "Errata"]
    assert len(errata) == 4
    for item in errata:
        printed = [float(each) for each in item.there.split()]
        assert printed != pytest.approx(numbers(plain(item)).tolist(), abs=0.001), item.term


@pytest.mark.parametrize(("name", "weakness"), [each[1::2] for each in course._BOUNDS])
def test_weaknesses_of_the_course_are_in_the_explanation(run, name, weakness):
    assert weakness in " ".join(run("metrics", name).out.split())


@pytest.mark.pages
def test_the_page_has_the_numbers_of_today():
    text = PAGE.read_text("utf-8")
    assert tables(updated(text)) == tables(text), "run `python -m tests.paper_and_course.page`."
