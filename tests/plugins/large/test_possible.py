"""A sketch is accepted only if some samples have its sums."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, milp

import modelcompare as mc
from tests.plugged import needed

needed("calibration")

K, BUCKETS = 3, 4


def predictions(n=60, *, soft=True, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) * 7 % K
    p = {m: rng.dirichlet(np.ones(K), n) for m in "ab"}
    outputs = p if soft else {m: each.argmax(axis=1) for m, each in p.items()}
    return mc.Predictions(y, outputs, labels=[*range(K)], ids=np.arange(n))


HARD = mc.io.sketch(predictions(soft=False), ["accuracy", "f1_macro"], buckets=BUCKETS).to_frame()
SOFT = mc.io.sketch(predictions(), ["accuracy", "cf1_macro"], buckets=BUCKETS).to_frame()


def changed(frame, statistic, value, *, model="a", row=0, column="value"):
    """The table with another number in a row of a statistic."""
    frame = frame.reset_index(drop=True)
    where = frame.index[(frame["statistic"] == statistic) & (frame["model"] == model)][row]
    frame.loc[where, column] = value
    return frame


def of_samples(sketched, bucket, model):
    """Samples by true and predicted class that a model's sums of one bucket are those of.

    By mixed integer programming; None where there are none.
    """
    support, predicted, hits = (
        sketched.numbers[name, "" if name == "support" else model][bucket]
        for name in ("support", "predicted", "hits")
    )
    cells = np.eye(K * K).reshape(K, K, K * K)
    sums = [*cells.sum(axis=1), *cells.sum(axis=0), *(cells[j, j] for j in range(K))]
    known = np.concatenate([support, predicted, hits])
    found = milp(
        np.zeros(K * K), constraints=LinearConstraint(np.array(sums), known, known),
        integrality=np.ones(K * K),
    )  # fmt: skip
    return found.x if found.success else None


def test_the_sums_of_samples_are_found_possible_by_programming_too():
    for frame in (HARD, SOFT):
        sketched = mc.io.read_sketch(frame)
        for bucket in range(BUCKETS):
            for model in "ab":
                assert of_samples(sketched, bucket, model) is not None


@settings(max_examples=60, derandomize=True, deadline=None)
@given(data=st.data(), soft=st.booleans())
def test_a_number_that_was_changed_is_refused_or_that_of_other_samples(data, soft):
    frame = (SOFT if soft else HARD).reset_index(drop=True)
    row = data.draw(st.sampled_from(frame.index[frame["statistic"] != "about"].tolist()))
    old = frame.loc[row, "value"]
    small = st.sampled_from([-5.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 1e9, 1e308, np.inf, np.nan])
    near = st.floats(-2, 2).map(lambda by: old + by)
    frame.loc[row, "value"] = data.draw(
        st.one_of(small, near, st.integers(-3, 3).map(lambda d: old + d))
    )
    try:
        sketched = mc.io.read_sketch(frame)
    except ValueError:
        return
    bucket, model = int(frame.loc[row, "bucket"]), frame.loc[row, "model"]
    for each in [model] if model else "ab":
        assert of_samples(sketched, bucket, each) is not None
    point = mc.bootstrap(sketched, n_resamples=2).point
    assert ((point >= 0) & (point <= 1)).all()


@pytest.mark.parametrize("column", ["bucket", "place"])
@pytest.mark.parametrize("value", [-1, 10**6])
def test_places_that_no_sketch_has_are_refused(column, value):
    with pytest.raises(ValueError, match=rf"(place|bucket) {value:.0f}.*does not have"):
        mc.io.read_sketch(changed(HARD, "hits", value, column=column))


def test_hits_below_0_are_refused_by_name():
    with pytest.raises(
        ValueError, match=r"the table: 'hits' of model 'a' is -5 in bucket 0, no sum of"
    ):
        mc.io.read_sketch(changed(HARD, "hits", -5))


def test_the_file_is_named(tmp_path):
    path = tmp_path / "monday.parquet"
    changed(HARD, "hits", -5).to_parquet(path)
    with pytest.raises(ValueError, match=r"monday.parquet: 'hits' of model 'a' is -5"):
        mc.io.read_sketch(path)


@pytest.mark.parametrize(
    ("frame", "statistic", "value", "known"),
    [
        (HARD, "hits", 30, "no sum of"),
        (HARD, "hits", 0.5, "no whole number"),
        (HARD, "predicted", 1, "is"),
        (SOFT, "soft_hits", 12, "is"),
        (SOFT, "soft_predicted", 0.1, "not|impossible"),
        (SOFT, "soft_hits", np.nan, "no numbers"),
    ],
)
def test_numbers_of_no_samples_are_refused(frame, statistic, value, known):
    with pytest.raises(ValueError, match=known):
        mc.io.read_sketch(changed(frame, statistic, value))


@pytest.mark.parametrize("statistic", ["count", "samples", "support"])
def test_numbers_that_models_share_are_refused_where_they_do_not_go_together(statistic):
    for by in (-1, 1, 0.5):
        value = HARD["value"][HARD["statistic"] == statistic].iloc[0] + by
        with pytest.raises(ValueError, match=r"sketch|samples in a bucket"):
            mc.io.read_sketch(changed(HARD, statistic, value, model=""))


LOSSES = mc.io.sketch(
    predictions(), ["accuracy", "cf1_macro", "brier_score", "log_loss", "confusion_entropy",
                    "top_2_accuracy", "mean_reciprocal_rank", "ece"], buckets=BUCKETS,
)  # fmt: skip


OF_LOSSES = LOSSES.to_frame()


@pytest.mark.parametrize(
    "statistic", sorted({name for name, model in LOSSES.numbers if model == "a"})
)
@pytest.mark.parametrize("value", [-1.0, 1e4, np.inf])
def test_every_statistic_of_classes_has_a_range(statistic, value):
    with pytest.raises(ValueError, match=f"{statistic}|no numbers"):
        mc.io.read_sketch(changed(OF_LOSSES, statistic, value))


def test_statistics_within_their_ranges_are_read():
    assert mc.io.read_sketch(OF_LOSSES).about == LOSSES.about


@pytest.mark.parametrize("statistic", ["squared_errors", "negative_log_likelihood"])
def test_losses_go_with_the_probabilities(statistic):
    """Jensen: the mean loss is no less than the loss of the mean probability."""
    frame = OF_LOSSES
    n = LOSSES.numbers["count", ""][0, 0]
    mean = LOSSES.numbers["soft_hits", "a"][0].sum() / n
    least = {
        "squared_errors": (1 - mean) ** 2 * K / (K - 1),
        "negative_log_likelihood": -np.log(mean),
    }
    with pytest.raises(ValueError, match=f"{statistic!r} of model 'a' .* sum to 'soft_hits'"):
        mc.io.read_sketch(changed(frame, statistic, n * least[statistic] * 0.9))
    mc.io.read_sketch(changed(frame, statistic, n * least[statistic] * 1.02))


def test_errors_of_values_have_a_mean_below_the_root_of_their_squares():
    rng = np.random.default_rng(0)
    y = rng.normal(size=40)
    preds = mc.Predictions(y, {"a": y + rng.normal(size=40)}, ids=np.arange(40))
    frame = mc.io.sketch(preds, ["rmse", "mae"], buckets=BUCKETS).to_frame()
    mc.io.read_sketch(frame)
    for statistic, value in (("squared_value_errors", 0.1), ("absolute_value_errors", 1e3)):
        with pytest.raises(ValueError, match=r"'absolute_value_errors' of model 'a' .* squares"):
            mc.io.read_sketch(changed(frame, statistic, value))
    with pytest.raises(ValueError, match="'squared_value_errors' of model 'a' is -1"):
        mc.io.read_sketch(changed(frame, "squared_value_errors", -1.0))


def test_scores_that_are_all_0_or_1_are_no_more_than_the_samples():
    preds = mc.Predictions.from_scores({"a": np.arange(40) % 2}, ids=np.arange(40))
    frame = mc.io.sketch(preds, buckets=BUCKETS).to_frame()
    mc.io.read_sketch(frame)
    for value in (-1, 100, 0.5):
        with pytest.raises(ValueError, match="'scores' of model 'a'"):
            mc.io.read_sketch(changed(frame, "scores", value))


def known(frame, **changes):
    """Return the table of a sketch with another description."""
    frame = frame.reset_index(drop=True)
    about = json.loads(frame.loc[0, "label"]) | changes
    frame.loc[0, "label"] = json.dumps(about)
    return frame


ABOUT = json.loads(HARD["label"].iloc[0])


@pytest.mark.parametrize(
    "changes",
    [
        {"buckets": 10**12}, {"buckets": 0}, {"buckets": 2.5}, {"models": ["a", "a"]},
        {"models": ["a", ""]}, {"models": ["a"]}, {"kinds": ["labels"]}, {"kinds": ["tea", "tea"]},
        {"labels": [0, 1, 1]}, {"labels": [0, 1]}, {"statistics": ABOUT["statistics"][1:]},
        {"statistics": [each | {"class_axes": 0} for each in ABOUT["statistics"]]},
        {"statistics": [each | {"width": 2} for each in ABOUT["statistics"]]},
        {"statistics": [each | {"width": 10**12} for each in ABOUT["statistics"]]},
        {"metrics": "accuracy"}, {"binary": [7]}, {"salt": 7}, {"weighted": "no"},
        {"soft_truth": None},
    ],
)  # fmt: skip
def test_the_description_in_a_file_is_checked(changes):
    with pytest.raises((ValueError, TypeError), match=r"(?i)sketch|`buckets`|class|model"):
        mc.io.read_sketch(known(HARD, **changes))


def test_files_from_before_these_checks_are_read():
    for frame in (HARD, SOFT):
        about = {k: v for k, v in json.loads(frame["label"].iloc[0]).items()
                 if k not in ("weighted", "missing_mass")}  # fmt: skip
        older = frame.reset_index(drop=True)
        older.loc[0, "label"] = json.dumps(about)
        found, ours = mc.io.read_sketch(older), mc.io.read_sketch(frame)
        for key, numbers in ours.numbers.items():
            np.testing.assert_array_equal(found.numbers[key], numbers)


@pytest.mark.parametrize("n_samples", [1, 2])
def test_a_summand_may_have_one_sample_or_class_but_not_the_sum(n_samples):
    whole = predictions(soft=False)
    part = mc.io.read_sketch(mc.io.sketch(whole.subset([*range(n_samples)]), "accuracy").to_frame())
    rest = mc.io.sketch(whole.subset(range(n_samples, 60)), "accuracy")
    assert len(part + rest) == 60
    if n_samples == 1:
        with pytest.raises(ValueError, match="there is 1 sample; at least 2 are needed"):
            mc.compare(part)
    alone = pd.DataFrame({"y_true": ["x"] * 20, "a": ["x"] * 20})
    with pytest.raises(ValueError, match="there is a single class"):
        mc.read_predictions(alone, models=["a"])
    one = known(HARD, labels=["x"], models=["a"], kinds=["labels"])
    one = one[one["model"].isin(["", "a"]) & one["label"].isin(["", "0", one["label"].iloc[0]])]
    one = one.assign(label=one["label"].replace("0", "x"))
    n = one["value"][one["statistic"] == "support"]
    for statistic in ("count", "samples", "hits", "predicted"):
        one.loc[one["statistic"] == statistic, "value"] = n.to_numpy()
    with pytest.raises(ValueError, match=r"there is a single class \('x'\)"):
        mc.compare(mc.io.read_sketch(one))
