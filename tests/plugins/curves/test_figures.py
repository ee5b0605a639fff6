"""Figures of curves."""

import pytest

import modelcompare as mc
from tests.plugins.curves.rows import FIGURES, compared, curves
from tests.report.drawn import preds

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")


def test_curves_of_the_other_kind_are_refused():
    with pytest.raises(ValueError, match="these are roc curves; ask for the others by curve"):
        curves("roc", 5, 3).plot.pr()


def test_scores_have_no_curves():
    scores = mc.Predictions.from_scores({"a": [1, 0, 1] * 9, "b": [0, 1, 1] * 9})
    with pytest.raises(ValueError, match="average_precision"):
        mc.compare(scores, n_resamples=40).plot.roc()


def test_curves_are_figures_of_a_comparison_and_of_a_result():
    assert repr(curves("roc", 5, 3).plot).startswith("figures: plot.")
    assert {"roc", "pr"} < {*compared(5, 3).plot.figures}


@pytest.mark.parametrize(("kind", "name"), [("roc", "AUC"), ("precision-recall", "AP")])
def test_curves_state_the_area_under_them(kind, name):
    from sklearn.metrics import average_precision_score, roc_auc_score

    data = preds(5, 3)
    area = roc_auc_score if kind == "roc" else average_precision_score
    for model in data.models:
        value = area(data.access.codes == 1, data.probabilities(model)[:, 1])
        row = curves(kind, 5, 3).areas.set_index("model").loc[model]
        assert row["area"] == pytest.approx(value, rel=1e-6)
        method = "roc" if kind == "roc" else "pr"
        for drawn in (FIGURES[method](5, 3), FIGURES[f"{method}, plain"](5, 3)):
            keys = " ".join(text.get_text() for text in drawn.legends[0].get_texts())
            assert f"{model}  {name} {value:.3f}" in keys.replace("\n", " ")
