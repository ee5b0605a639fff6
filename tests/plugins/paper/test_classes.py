"""A class in the name of a metric, in the studies: the rows of all classes, without the others."""

import pandas as pd
import pytest
from matplotlib.text import Text

import modelcompare as mc

PREDS = mc.load_example("snli").subset(range(600))
STUDIES = {
    "variance": lambda pairs: mc.studies.variance_study(
        PREDS, pairs, ratios=[1.0, 0.5], n_resamples=20
    ),
    "agreement": lambda pairs: mc.studies.agreement_study(PREDS, pairs, n_resamples=20),
    "undefined": lambda pairs: mc.studies.undefined_study(PREDS, pairs, n_resamples=20),
}
FRAMES = {
    "variance": ("distribution", "tests", "variance_ratios", "separation", "relative_efficiency"),
    "agreement": ("table", "pairs"),
    "undefined": ("table",),
}


@pytest.fixture(scope="module")
def of_every_class():
    return {name: study(["f1"]) for name, study in STUDIES.items()}


def of_labels(frame, *labels):
    return frame[frame["label"].isin(labels)].reset_index(drop=True)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize(
    ("pairs", "labels"),
    [
        (["f1[neutral]"], ["neutral"]),
        ([("f1[neutral]", "cf1[neutral]"), "f1:entailment"], ["neutral", "entailment"]),
    ],
)
def test_a_study_of_a_class_has_the_rows_of_it(of_every_class, study, pairs, labels):
    some, every = STUDIES[study](pairs), of_every_class[study]
    for name in FRAMES[study]:
        expected = of_labels(getattr(every, name), *labels)
        pd.testing.assert_frame_equal(getattr(some, name), expected)
    assert "contradiction" not in str(some)
    assert "contradiction" not in some.to_markdown()
    texts = [text.get_text() for text in some.plot().findobj(match=Text)]
    assert "contradiction" not in " ".join(texts)


def test_the_agreement_with_the_population_is_of_the_class():
    some, every = (
        STUDIES["agreement"](pairs).population(ratios=[0.5], n_subsamples=3)
        for pairs in (["f1[neutral]"], ["f1"])
    )
    pd.testing.assert_frame_equal(some, of_labels(every, "neutral"))


def test_quantization_of_a_class_has_the_rows_of_it():
    some, every = (
        mc.studies.quantization_study(PREDS, metrics, n_bins=[3])
        for metrics in (["f1", "cf1[neutral]"], ["f1", "cf1"])
    )
    for name in ("values", "pairs"):
        frame = getattr(every, name)
        expected = frame[(frame["metric"] == "f1") | (frame["label"] == "neutral")]
        pd.testing.assert_frame_equal(getattr(some, name), expected.reset_index(drop=True))


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (
            [("f1[neutral]", "cf1")],
            r"\('f1\[neutral\]', 'cf1'\), which are not of the same classes",
        ),
        ([("f1[neutral]", "cf1[entailment]")], "which are not of the same classes"),
        ([("recall[neutral]", "recall")], "which are not of the same classes"),
        (["f1[neutral]", "f1"], "and of a metric in all pairs, or none"),
        (["f1[neutrl]"], r"f1\[neutrl\]: there is no class 'neutrl'; did you mean neutral"),
    ],
)
def test_pairs_of_different_or_unknown_classes_are_refused(pairs, message):
    with pytest.raises(ValueError, match=message):
        STUDIES["undefined"](pairs)
