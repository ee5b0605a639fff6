"""The table of what scans and sketches refuse is of today, and is what they do."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.plugins.large import planning
from tests.pages import ROOT
from tests.plugged import all_plugins
from tests.plugins.large import abilities
from tests.public import functions

pytest.importorskip("pyarrow")

METRICS = ["accuracy", "log_loss", "roc_auc"]
ROWS = [(what, row) for what, rows in abilities.asked().items() for row in rows]


@pytest.fixture(scope="module")
def memory():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    outputs = {m: np.clip(rng.normal(0.3 + 0.4 * y, 0.3), 0.01, 0.99) for m in "ab"}
    return mc.Predictions(y, outputs)


@pytest.fixture(scope="module")
def sources(memory):
    table = pd.DataFrame({"y_true": memory.y_true})
    for model in memory.models:
        table[[f"{model}:0", f"{model}:1"]] = memory.probabilities(model)
    return {
        "a scan": mc.io.scan_predictions(table),
        "a sketch": mc.io.sketch(memory, ["accuracy", "log_loss"], buckets=64),
    }


def is_answered(predictions, what, row, metric):
    asked = {"n_resamples": 50, "alternative": row.alternatives[0]} if what == "test" else {}
    try:
        if what == "test":
            mc.paired_test(predictions, "a", "b", metric, method=row.name, **asked)
        else:
            mc.compare(predictions, metric, method=row.name, test="wald", n_resamples=50)
    except ValueError:
        return False
    return True


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("what", "row"), ROWS, ids=[row.name for _, row in ROWS])
def test_each_source_answers_what_the_table_says(what, row, memory, sources, monkeypatch):
    monkeypatch.setattr(planning, "SHARE", 0)
    of_memory = [metric for metric in METRICS if is_answered(memory, what, row, metric)]
    assert of_memory
    for source, predictions in sources.items():
        served = [m for m in of_memory if is_answered(predictions, what, row, m)]
        said = abilities.answer(source, row)
        # No source has all order metrics, and a scan of labels alone has few distinct rows.
        sums = [metric for metric in of_memory if metric != "roc_auc"]
        expected = {
            abilities.YES: sums, abilities.NO: [], abilities.WHOLE: [],
            f"of labels; else {abilities.WHOLE}": [m for m in sums if m == "accuracy"],
        }.get(said, sums)  # fmt: skip
        assert [metric for metric in served if metric != "roc_auc"] == expected


@pytest.mark.parametrize("name", abilities.needs())
def test_functions_refuse_the_sources_that_the_table_says(name, sources):
    for source, predictions in sources.items():
        refusal = predictions.access._lacking.split("{}", 1)[1][:40]
        try:
            functions()[name](predictions)
        except Exception as error:
            refused = refusal in str(error)
        else:
            refused = False
        assert refused == (abilities.needs()[name] not in abilities.SOURCES[source].abilities)


@pytest.mark.skipif(not all_plugins(), reason="the page is of all plugins")
def test_the_table_of_the_page_is_of_today():
    page = (ROOT / "docs" / "large.md").read_text("utf-8")
    assert abilities.shown(page) == abilities.table(), (
        "run python -m tests.update_docs docs/large.md"
    )
