"""Heatmaps, values by class, and confusion matrices of a comparison."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest

import modelcompare as mc
from tests.plugins.charts.rows import comparison
from tests.report.drawn import FEW, preds

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")


def test_probabilities_have_their_confusion_beside_that_of_the_labels():
    y = np.arange(60) % 2
    p = np.where(np.arange(60) % 7, y, 1 - y) * 0.6 + 0.2
    outputs = {"a": p, "b": (p > 0.5).astype(int)}
    plot = mc.compare(mc.Predictions(y, outputs), "accuracy", **FEW).plot
    assert [len(plot.confusion(model=model).axes) for model in "ab"] == [2, 1]


def test_replicates_are_drawn_with_a_baseline_that_is_not_among_the_best():
    data = preds(30, 3)
    base, *others = data.models[:6]
    result = mc.compare(data[[base, *others]], "f1", baseline=base, test="wald", **FEW)
    (axes,) = result.plot.raincloud(metric="f1").axes
    names = [tick.get_text().replace("\n", "") for tick in axes.get_yticklabels()]
    assert sum(base in name for name in names) == 3


def test_a_cloud_is_of_the_replicates():
    result = mc.bootstrap(preds(2, 3), "accuracy", n_resamples=500)
    (axes,) = result.plot().axes
    values = result.replicates[preds(2, 3).models[0], "accuracy"].iloc[:, 0]
    middle = [line.get_xdata()[0] for line in axes.lines]
    assert middle[0] == pytest.approx(np.median(values))
    low, high = (axes.collections[1].get_segments()[0][k][0] for k in (0, 1))
    assert [low, high] == pytest.approx(np.quantile(values, [0.025, 0.975]))


def test_what_predictions_do_not_hold_is_refused_in_words():
    scores = mc.Predictions.from_scores({"a": [1, 0, 1] * 9, "b": [0, 1, 1] * 9})
    plot = mc.compare(scores, **FEW).plot
    with pytest.raises(ValueError, match=r"a confusion matrix needs classes; 'a' gave scores."):
        plot.confusion(model="a")


def test_a_heatmap_holds_the_p_values_and_the_shares_of_wins():
    result = comparison(5, 3)
    left, right = comparison(5, 3).plot.heatmap().axes
    models = [tick.get_text().split()[0] for tick in left.get_yticklabels()]
    draws = {m: result.bootstrap.replicates[m, "accuracy"].iloc[:, 0] for m in models}
    shares = np.ma.filled(right.images[0].get_array(), np.nan)
    for (i, a), (j, b) in combinations(enumerate(models), 2):
        won = (draws[a] > draws[b]).mean() + (draws[a] == draws[b]).mean() / 2
        assert shares[i, j] == pytest.approx(won)
        assert shares[j, i] == pytest.approx(1 - won)
    written = [text.get_text() for text in left.texts]
    assert len(written) == 20
    pair = result.differences.query("metric == 'accuracy'").set_index(["model_a", "model_b"])
    assert pair.loc[tuple(sorted([models[0], models[-1]])), "p_adjusted"] < 0.001
    assert written[3] == "<.001"


def test_a_confusion_figure_holds_shares_of_the_true_class():
    from sklearn.metrics import confusion_matrix

    data = preds(5, 3)
    drawn = comparison(5, 3).plot.confusion(model=data.models[2])
    hard, soft = (np.ma.filled(axes.images[0].get_array(), np.nan) for axes in drawn.axes)
    note = data.predicted(data.models[2])
    np.testing.assert_allclose(hard, confusion_matrix(data.access.codes, note, normalize="true"))
    by_class = [
        data.probabilities(data.models[2])[data.access.codes == k].mean(axis=0) for k in range(3)
    ]
    np.testing.assert_allclose(soft, by_class, rtol=1e-6)


def test_names_are_checked():
    plot = comparison(5, 3).plot
    for call, note in (
        (partial(plot.heatmap, metric="f1", label="x"), "`label` 'x' is not here; there are "),
        (partial(plot.heatmap, show="z"), "`show` 'z' is not here; there are p_value, wins."),
        (partial(plot.confusion, model="x"), "x"),
    ):
        with pytest.raises(ValueError, match=note):
            call()
