"""The list of metrics, of texts."""

import json

from tests.plugged import needed

needed("catalogue", "texts")
from tests.plugins.catalogue import test_metrics as pages


def test_a_page_says_what_the_docstring_of_a_twin_says(run):
    pages.test_a_page_says_what_the_docstring_says(run, "cslot_error_rate")


def test_texts_are_counted_once(run):
    listed = json.loads(run("metrics", "--format", "json").out)["metrics"]
    costs = {each["name"]: each["cost"] for each in listed}
    assert {costs["bleu"], costs["wer"]} == {"texts once"}
