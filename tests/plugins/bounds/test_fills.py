"""The worst and the best that missing results may have been, against every way to fill them in."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import modelcompare as mc
from modelcompare.engine.axis import value_keys
from modelcompare.metrics.registry import from_callable, resolve_metrics
from modelcompare.plugins.bounds.fills import cases

FAMILIES = ["recall", "precision", "f1", "f2", "f0.5", "jaccard", "specificity"]
AVERAGES = [
    f"{family}_{average}" for family in FAMILIES for average in ("macro", "micro", "weighted")
]
BOUNDED = [*FAMILIES, *AVERAGES, "accuracy", "zero_one_loss", "balanced_accuracy"]
LABELS = [0, 1, 2]
HOLE = -1

pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning")


@st.composite
def with_holes(draw):
    """Truth and one model's labels, some of which are missing; classes may lack either."""
    n = draw(st.integers(2, 7))
    truth = draw(st.lists(st.sampled_from(LABELS), min_size=n, max_size=n))
    predicted = draw(st.lists(st.sampled_from(LABELS), min_size=n, max_size=n))
    holes = draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=4))
    return np.array(truth), np.array([HOLE if i in holes else x for i, x in enumerate(predicted)])


def bounds(source, metrics=None, *, reading=None, **options):
    of_scores = {} if "y_true" in source else {"greater_is_better": True}
    preds = mc.read_predictions(source, missing="worst", **{**of_scores, **(reading or {})})
    return mc.compare(preds, metrics, missing="bounds", **options)


def every_fill(predicted):
    holes = np.flatnonzero(predicted == HOLE)
    for chosen in product(LABELS, repeat=len(holes)):
        full = predicted.copy()
        full[holes] = chosen
        yield full


def values(truth, models, metrics):
    """Values of many models at once, of shape (n_models, n_values)."""
    named = {str(place): model for place, model in enumerate(models)}
    return mc.bootstrap(mc.Predictions(truth, named, labels=LABELS), metrics, n_resamples=2).point


@pytest.mark.parametrize("zero_division", [np.nan, 0, 1])
@pytest.mark.filterwarnings("ignore::modelcompare.UndefinedMetricWarning")
@settings(max_examples=10)
@given(drawn=with_holes())
def test_no_labels_in_the_place_of_missing_ones_leave_the_bounds(zero_division, drawn):
    truth, predicted = drawn
    start = mc.Predictions(
        truth, {"a": np.where(predicted == HOLE, truth, predicted)}, labels=LABELS
    )
    metrics = resolve_metrics(BOUNDED, start, zero_division=zero_division)
    keys = [*value_keys(metrics, start)]
    fills, found = [*every_fill(predicted)], [*cases(metrics, start, {"a": predicted == HOLE})]
    extremes = [end["a"] for _, _, *ends in found for end in ends]
    # By the value: worst is low, but of a loss.
    up = np.array([1 - 2 * (key.metric == "zero_one_loss") for key in keys])
    everything = values(truth, [*fills, *extremes], metrics) * up
    ends = everything[len(fills) :].reshape(len(found), 2, len(keys))
    seen = set()
    for (of_case, label, _, _), of_ends in zip(found, ends, strict=True):
        for key in value_keys(of_case, start):
            if label not in (None, key.label):
                continue
            place = keys.index(key)
            seen.add(place)
            reached, (low, high) = everything[: len(fills), place], of_ends[:, place]
            if not np.isnan(reached).any():
                assert (low, high) == pytest.approx((reached.min(), reached.max()))
                continue
            # Where labels decide whether there is a value, an end without one claims nothing.
            assert np.isnan(low) or low == pytest.approx(np.nanmin(reached))
            assert np.isnan(high) or high == pytest.approx(np.nanmax(reached))
            if "_" in key.metric and not np.isnan(reached).all():
                assert not np.isnan(low)
    assert seen == {*range(len(keys))}


def rare_class():
    """A class of 7 in 60, all found with 3 false alarms, and 12 labels that are missing."""
    truth = np.array(["x"] * 33 + ["y"] * 20 + ["z"] * 7, dtype=object)
    predicted = truth.copy()
    predicted[:3] = "z"
    predicted[10:22] = None
    other = np.roll(truth, 1)
    return pd.DataFrame({"y_true": truth, "a": predicted, "b": other})


def test_a_rare_class_is_as_bad_as_the_missing_labels_can_make_it():
    result = bounds(rare_class(), ["precision", "f1_macro"], n_resamples=99)
    scores = result.scores.set_index(["model", "metric"])
    of_z = scores.loc[("a", "precision")].set_index("label").loc["z"]
    # All twelve may have been z: 7 of 22. Counted as the most frequent class it was 7 of 10.
    assert (of_z["worst"], of_z["best"]) == pytest.approx((7 / 22, 7 / 10))
    frame = rare_class()
    holes = frame["a"].isna()
    reached = [
        mc.metrics.f1_macro(frame["y_true"], frame["a"].where(~holes, fill))
        for fill in [*"xyz", ["xyz"[i % 3] for i in range(60)], frame["y_true"]]
    ]
    average = result.scores.query("model == 'a' and metric == 'f1_macro'").iloc[0]
    assert average["worst"] <= min(reached)
    assert average["best"] == pytest.approx(max(reached))


def test_differences_join_the_worst_of_one_with_the_best_of_the_other():
    frame = rare_class()
    frame.loc[40:44, "b"] = None
    result = bounds(frame, ["f1", "accuracy"], n_resamples=99)
    ends = result.scores.set_index(["metric", "label", "model"])[["worst", "best"]]
    for row in result.differences.to_dict("records"):
        a, b = (ends.loc[(row["metric"], row["label"], model)] for model in "ab")
        assert row["low"] == pytest.approx(a["worst"] - b["best"])
        assert row["high"] == pytest.approx(a["best"] - b["worst"])
        assert row["ci_low"] < row["low"]
        assert row["high"] < row["ci_high"]


@pytest.mark.parametrize(
    "metric",
    ["mcc", "kappa", "confusion_entropy",
     from_callable(lambda y, p: (y == p).mean(), name="own"),
     mc.Metric(name="own", statistics=mc.get_metric("f1").statistics, greater_is_better=False,
               per_class=True, ratio=mc.get_metric("precision").ratio)],
)  # fmt: skip
def test_metrics_without_a_proof_are_refused_by_name(metric):
    name = metric if isinstance(metric, str) else metric.name
    full = {"mcc": "matthews_corrcoef", "kappa": "cohen_kappa"}.get(name, name)
    with pytest.raises(ValueError, match=f"no bounds of {full} .*there are for accuracy"):
        bounds(rare_class(), ["accuracy", metric], n_resamples=99)


def test_conventions_without_a_proof_are_refused():
    with pytest.raises(ValueError, match="no bounds of f1 with zero_division='paper'"):
        bounds(rare_class(), "f1", zero_division="paper", n_resamples=99)
    with pytest.raises(ValueError, match="no bounds of precision_macro with zero_division='paper'"):
        bounds(rare_class(), "precision_macro", zero_division="paper", n_resamples=99)
    weighted = rare_class().assign(w=np.arange(60) + 1.0)
    reading = {"columns": {"weight": "w"}}
    with pytest.raises(ValueError, match="no bounds of f1_macro where samples have weights"):
        bounds(weighted, "f1_macro", reading=reading, n_resamples=99)
    of_class = bounds(weighted, "precision", reading=reading, n_resamples=99).scores
    of_z = of_class[(of_class["model"] == "a") & (of_class["label"] == "z")].iloc[0]
    sure, alarms, lost = sum(range(54, 61)), 1 + 2 + 3, sum(range(11, 23))
    assert of_z["worst"] == pytest.approx(sure / (sure + alarms + lost))


@pytest.mark.parametrize("scores", [[1.0, 3.5], [-0.1, 0.5]])
def test_scores_of_an_unknown_range_are_refused(scores):
    frame = pd.DataFrame({"a": [*scores * 9, None], "b": [0.5] * 19})
    with pytest.raises(
        ValueError, match=r"a range, which mean_score has not; .*bounds=, --read range="
    ):
        bounds(frame, n_resamples=99)


@pytest.mark.parametrize("better", [True, False])
def test_scores_of_a_declared_range_have_its_ends(better):
    frame = pd.DataFrame({"a": [*[1.0, 3.5] * 9, None, None], "b": [2.0] * 20})
    reading = {"bounds": (0, 5), "greater_is_better": better}
    result = bounds(frame, reading=reading, n_resamples=99)
    means = [(18 * 2.25 + 2 * end) / 20 for end in (0, 5)]
    assert result.scores[["worst", "best"]].to_numpy().tolist() == [
        pytest.approx(means if better else means[::-1]), [2.0, 2.0]
    ]  # fmt: skip
    assert mc.read_predictions(frame, missing="worst", **reading).output("a").array[-1] == 5 * (
        not better
    )


def test_equal_scores_of_a_declared_range_are_not_taken_for_all_there_are():
    frame = pd.DataFrame({"a": [3.0] * 18 + [None] * 2, "b": [3.0] * 20})
    result = bounds(frame, reading={"bounds": (0, 5)}, n_resamples=99)
    assert result.n_missing == {"a": 2, "b": 0}
    assert result.scores["worst"].tolist() == [2.7, 3.0]


def test_all_models_are_of_one_kind():
    frame = rare_class().assign(**{"c:x": 0.2, "c:y": 0.3, "c:z": 0.5})
    with pytest.raises(ValueError, match="the models gave labels, probabilities, and there are"):
        bounds(frame, "accuracy", n_resamples=99)


def test_a_model_may_have_any_name():
    scores = {"a": [1.0] * 18 + [None] * 2, "a (at best)": [0.0] * 20, "b": [0.5] * 20}
    result = bounds(pd.DataFrame(scores), n_resamples=99)
    ends = result.scores.set_index("model")[["worst", "best"]]
    assert ends.loc["a"].tolist() == [0.9, 1.0]
    assert ends.loc["a (at best)"].tolist() == [0.0, 0.0]
    assert tuple(result.n_missing) == ("a", "a (at best)", "b")


def test_intervals_cover_where_results_are_missing_for_a_reason():
    """Model a lacks what it would have got wrong: the interval of all results is to cover.

    Of 40 trials at a level of 0.95, 32 or fewer cover with a probability below 0.001; it covers
    more often where results are missing, as the interval holds both ends.
    """
    rng = np.random.default_rng(11)
    covered = 0
    for _ in range(40):
        right = {"a": rng.random(80) < 0.7, "b": rng.random(80) < 0.6}
        frame = pd.DataFrame(right).astype(float)
        lost = (frame["a"] == 0) & (rng.random(80) < 0.3)
        frame.loc[lost, "a"] = np.nan
        row = bounds(frame, n_resamples=99).differences.iloc[0]
        covered += row["ci_low"] <= 0.1 <= row["ci_high"]
    assert covered > 32
