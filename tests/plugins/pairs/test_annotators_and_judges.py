"""Labels by several people beside a judge."""

import pytest

import modelcompare as mc
from tests.plugged import needed

needed("annotators", "judges")

from modelcompare.plugins.judges.verdicts import judge_of
from tests.plugins.annotators.test_annotators import table


def test_a_judge_stands_beside_the_majority() -> None:
    frame = table(300, texts=True)
    frame["verdict"] = frame["ann0"]
    frame.loc[100:, ["ann0", "ann1", "ann2"]] = None
    tied = frame.loc[:99, ["ann0", "ann1", "ann2"]].nunique(axis=1) == 3
    frame = frame.drop(index=tied.index[tied])
    with pytest.raises(ValueError, match=r"are one label beside a judge"):
        mc.read_predictions(frame, columns={"true": "ann*", "judge": "verdict"})
    found = mc.read_predictions(
        frame, columns={"true": "ann*", "judge": "verdict", "annotators": "majority"}
    )
    assert judge_of(found) is not None
    assert judge_of(found).n_labels == 100 - tied.sum()


def test_a_judge_does_not_hide_ties() -> None:
    frame = table(300, 2, texts=True)
    frame["verdict"] = frame["ann0"]
    with pytest.raises(ValueError, match=r"as another in .*; with a judge add labels"):
        mc.read_predictions(
            frame,
            columns={"true": "ann*", "judge": "verdict", "annotators": "majority"},
            missing="drop",
        )
