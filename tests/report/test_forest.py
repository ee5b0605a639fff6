import sys
from itertools import pairwise

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.comparison.forest import plot_comparison, select_models
from modelcompare.report.figures.style import DIFFERENT, SAME

CLASSES = ["contradiction", "entailment", "neutral"]
MANY = [f"model_{i:02d}" for i in range(20)]


def _names(axes):
    return [tick.get_text() for tick in axes.get_yticklabels()]


def _points(axes):
    """Estimates drawn, from top to bottom, and whether each is marked as different."""
    points = sorted(
        (y, float(x), look is DIFFERENT)
        for line in axes.lines for look in (SAME, DIFFERENT)
        if (line.get_marker(), line.get_color()) == (look.marker, look.colour)
        for x, y in zip(*line.get_data(), strict=True)
    )  # fmt: skip
    return [x for _, x, _ in points], [differs for _, _, differs in points]


def test_scores_and_differences_are_drawn_at_their_values(make_comparison):
    result = make_comparison()
    figure = plot_comparison(result)
    left, right = figure.axes
    assert _names(left) == ["lstm", "cnn", "bow"]
    estimates, differs = _points(left)
    np.testing.assert_allclose(estimates, [0.710, 0.705, 0.700])
    assert differs == [False, False, True]
    assert _names(right) == ["lstm − cnn", "lstm − bow", "cnn − bow"]
    np.testing.assert_allclose(_points(right)[0], [0.005, 0.010, 0.005])
    segments = [collection.get_segments()[0][:, 0] for collection in left.collections]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "best, or no significant difference", "significant difference (adjusted p < 0.05)",
    ]  # fmt: skip
    np.testing.assert_allclose(segments[0], [0.70, 0.72])


def test_the_best_is_at_the_top(make_comparison):
    left = plot_comparison(make_comparison()).axes[0]
    bottom, top = left.get_ylim()
    assert bottom > top
    assert left.get_yticks()[0] < left.get_yticks()[-1]


def test_many_models_are_compared_with_the_leader(make_comparison):
    result = make_comparison(MANY)
    left, right = plot_comparison(result).axes
    assert _names(left) == MANY[::-1]
    assert _names(right) == ["best: model_19", *[f"− {name}" for name in MANY[-2::-1]]]
    differences, differs = _points(right)
    np.testing.assert_allclose(differences, 0.005 * np.arange(1, 20), rtol=1e-9)
    assert differs == [2 * 2.0**-k < 0.05 for k in range(1, 20)]


def test_a_turned_difference_turns_its_interval(make_comparison):
    right = plot_comparison(make_comparison(MANY[:5])).axes[1]
    segment = right.collections[0].get_segments()[0][:, 0]
    np.testing.assert_allclose(segment, [0.005 - 0.01, 0.005 + 0.01], atol=1e-12)


def test_the_zero_line_is_always_in_sight(make_comparison):
    result = make_comparison(["a", "b"])
    result.differences[["difference", "ci_low", "ci_high"]] += 5
    low, high = plot_comparison(result).axes[1].get_xlim()
    assert low < -5 < 0 <= high


def test_each_class_has_a_heading(make_comparison):
    result = make_comparison(metrics=["f1"], labels={"f1": ["x", "y"]})
    left, _ = plot_comparison(result).axes
    assert _names(left) == ["class x", "lstm", "cnn", "bow", "class y", "lstm", "cnn", "bow"]
    assert [tick.get_fontweight() for tick in left.get_yticklabels()[:2]] == ["bold", "normal"]


def test_too_many_classes_and_models_are_chosen_and_counted(make_comparison):
    labels = list(range(40))
    result = make_comparison(MANY, ["f1"], {"f1": labels})
    is_telling = result.differences["label"].isin([5, 33])
    result.differences.loc[is_telling, "p_adjusted"] /= 10
    figure = plot_comparison(result)
    left, _ = figure.axes
    assert figure.texts[1].get_text() == (
        "f1: 3 of 20 models shown, the best; 12 of 40 classes shown, where models differ most"
    )
    headings = [name for name in _names(left) if name.startswith("class")]
    assert len(headings) == 12
    assert {"class 5", "class 33"} <= set(headings)


def test_max_models_keeps_the_best(make_comparison):
    left, right = plot_comparison(make_comparison(MANY), max_models=2).axes
    assert _names(left) == ["model_19", "model_18"]
    assert _names(right) == ["model_19 − model_18"]
    assert plot_comparison(make_comparison(MANY), max_models=1).axes
    with pytest.raises(ValueError, match=r"`max_models` must be at least 1, got 0."):
        plot_comparison(make_comparison(), max_models=0)


def test_a_single_model_has_one_panel(make_comparison):
    assert len(plot_comparison(make_comparison(["only"])).axes) == 1


def test_an_undefined_score_is_named_so(make_comparison):
    result = make_comparison()
    result.scores.loc[0, ["estimate", "ci_low", "ci_high"]] = np.nan
    left = plot_comparison(result).axes[0]
    assert [text.get_text() for text in left.texts] == ["undefined"]
    assert len(_points(left)[0]) == 2


# Of up to four models every pair has a row.
@pytest.mark.parametrize(
    ("n_models", "labels"), [(2, None), (4, CLASSES), (5, None), (5, CLASSES), (20, None)]
)
def test_no_names_overlap(make_comparison, n_models, labels):
    models = [f"roberta_large_mnli_checkpoint_{i:06d}" for i in range(n_models)]
    figure = plot_comparison(make_comparison(models, ["f1"], {"f1": labels} if labels else None))
    figure.draw_without_rendering()
    page = figure.bbox
    for axes in figure.axes:
        boxes = [tick.get_window_extent() for tick in axes.get_yticklabels()]
        assert all(upper.y0 >= lower.y1 - 1 for upper, lower in pairwise(boxes))
        assert all(box.x0 >= page.x0 for box in boxes)
        ticks = [tick.get_window_extent() for tick in axes.get_xticklabels()]
        assert all(a.x1 < b.x0 for a, b in pairwise(ticks))
    left, right = figure.axes
    edge = left.get_position().x1 * page.width
    assert min(tick.get_window_extent().x0 for tick in right.get_yticklabels()) > edge


def test_the_users_own_style_is_neither_used_nor_changed(make_comparison):
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black"}):
        figure = plot_comparison(make_comparison())
        assert mpl.rcParams["font.size"] == 30
    assert figure.axes[0].get_facecolor() == (1, 1, 1, 1)


def test_a_dollar_sign_in_a_name_is_no_formula(make_comparison):
    figure = plot_comparison(make_comparison([r"$\broken", "cnn$"]))
    figure.draw_without_rendering()
    assert _names(figure.axes[0]) == ["cnn$", r"$\broken"]


def test_pyplot_is_left_alone(make_comparison):
    import matplotlib.pyplot as plt

    plot_comparison(make_comparison())
    assert plt.get_fignums() == []


def test_without_matplotlib_the_extra_is_named(make_comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "modelcompare-stats\[plot\]"'):
        plot_comparison(make_comparison())


def test_where_not_all_models_fit_the_baseline_is_shown():
    y = np.arange(60) % 2
    right = {"a": 50, "b": 45, "c": 40, "worst": 30}
    models = {name: np.where(np.arange(60) < n, y, 1 - y) for name, n in right.items()}
    for baseline, expected in (("worst", [0, 3]), (None, [0, 1])):
        result = mc.compare(
            mc.Predictions(y, models), "accuracy", baseline=baseline, test="wald", n_resamples=99
        )
        shown, remark = select_models(result.evidence, [0], max_models=2)
        assert sorted(shown[0]) == expected
        assert "2 of 4 models shown" in remark
