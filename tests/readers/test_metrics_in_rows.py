"""Tables with a row for each sample, model and metric have scores with the metrics' names."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from tests.plugged import needs

RNG = np.random.default_rng(0)
WIDE = pd.DataFrame({
    "id": [f"s{i}" for i in range(20)] * 2, "model": np.repeat(["cnn", "bert"], 20),
    "accuracy": RNG.integers(0, 2, 40), "wer": RNG.random(40).round(3), "lang": ["de", "en"] * 20,
})  # fmt: skip
LONG = WIDE.melt(["id", "model", "lang"], var_name="metric").sample(frac=1, random_state=1)


@pytest.fixture(params=["csv", "frame"])
def form(request, tmp_path):
    def _form(frame):
        if request.param == "frame":
            return frame
        frame.to_csv(tmp_path / "t.csv", index=False)
        return tmp_path / "t.csv"

    return _form


def values(found, name):
    return {
        m: dict(zip(found.ids, found.output(m).array[:, name], strict=True)) for m in found.models
    }


@pytest.mark.parametrize("heading", ["metric", "metric_name", "Measure"])
def test_each_metric_is_a_score_with_its_name_and_direction(form, heading):
    found = mc.read_predictions(form(LONG.rename(columns={"metric": heading, "value": "score"})))
    expected = mc.read_predictions(WIDE, columns={"score": ["accuracy", "wer"]})
    names = found.access.scores.names
    assert {*names} == {"accuracy", "wer"}
    assert found.access.scores.greater_is_better == {"accuracy": True, "wer": False}
    for name in names:
        at = expected.access.scores.names.index(name)
        assert values(found, names.index(name)) == values(expected, at)


def test_a_single_metric_is_asked_by_its_name(form):
    found = mc.read_predictions(form(LONG[LONG["metric"] == "wer"]))
    assert found.access.scores.names == ("wer",)
    assert mc.compare(found, "wer", n_resamples=99).scores["estimate"].tolist() == pytest.approx(
        WIDE.groupby("model")["wer"].mean().sort_values().tolist()
    )


def test_one_of_several_metrics_is_read_by_its_name(form):
    found = mc.read_predictions(form(LONG), columns={"filter": "wer", "slices": ["lang"]})
    assert found.access.scores.names == ("wer",)
    assert found.slices["lang"].value_counts().to_dict() == {"de": 10, "en": 10}


def test_descriptions_stay_with_their_samples(form):
    found = mc.read_predictions(form(LONG), columns={"slices": ["lang"]})
    lang = dict(zip(WIDE["id"], WIDE["lang"], strict=True))
    assert found.slices["lang"].tolist() == [lang[each] for each in found.ids]


@needs("judges")
def test_a_column_that_differs_between_metrics_keeps_them_apart(form):
    judged = LONG.assign(judge=RNG.random(len(LONG)).round(3))
    with pytest.raises(ValueError, match=r"2 filters \(accuracy, wer\); choose one"):
        mc.read_predictions(form(judged), columns={"judge": "judge"})


def test_two_results_of_one_metric_are_refused(form):
    with pytest.raises(ValueError, match=r"filters? \(accuracy, wer\)|repeats"):
        mc.read_predictions(form(pd.concat([LONG, LONG.iloc[:1]])))


def test_filters_of_one_metric_are_still_chosen(form):
    with pytest.raises(ValueError, match=r"2 filters \(accuracy, wer\); choose one"):
        mc.read_predictions(form(LONG.rename(columns={"metric": "filter"})))


@needs("suites")
def test_each_test_set_has_its_metrics(form):
    table = LONG.assign(dataset=np.where(LONG["lang"] == "de", "x", "y"))
    found = mc.io.read_sets(form(table))
    assert {name: len(preds) for name, preds in found.items()} == {"x": 10, "y": 10}
    assert {*found["x"].access.scores.names} == {"accuracy", "wer"}
