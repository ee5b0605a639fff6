"""Strata of a sketch have separate buckets, and the standard errors of strata in memory."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.plugins.large.about import COLUMNS
from modelcompare.resampling.weights import BootstrapWeights

METRICS = ["accuracy", "f1", "f1_macro", "mcc"]
NAMES = np.array(["east", "north", "south", "west"])


def of_strata(n, seed=1):
    """Two models whose quality depends on the stratum, like the share of the second class."""
    rng = np.random.default_rng(seed)
    stratum = rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    share = np.array([0.05, 0.35, 0.65, 0.95])[stratum]
    y = (rng.random(n) < share).astype(int)
    a, b = (
        np.where(rng.random(n) < right, y, 1 - y)
        for right in (0.3 + 0.65 * share, 0.95 - 0.6 * share)
    )
    return mc.Predictions(y, {"a": a, "b": b}, strata=NAMES[stratum])


PREDS = of_strata(40_000)
SKETCH = mc.io.sketch(PREDS, METRICS)


def frames(result):
    return [("estimate", result.scores), ("difference", result.differences)]


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"method": "percentile", "test": "bootstrap"},
        {"method": "BCa", "test": "wald"},
        {"method": "basic", "correction": "max-t"},
    ],
    ids=str,
)
def test_a_sketch_has_the_values_and_the_errors_of_strata_in_memory(asked):
    found, memory, plain = (
        mc.compare(each, METRICS, n_resamples=999, **asked)
        for each in (SKETCH, PREDS, PREDS.with_columns(strata=None))
    )
    # Buckets know standard errors to 2.2 %, resamples widths to a little more.
    for (value, ours), (_, theirs), (_, wider) in zip(
        *map(frames, (found, memory, plain)), strict=True
    ):
        np.testing.assert_allclose(ours[value], theirs[value], rtol=1e-12)
        ratio = ours.standard_error / theirs.standard_error
        assert ratio.between(0.94, 1.06).all()
        assert (wider.standard_error / theirs.standard_error).max() > 1.15
        width = (ours.ci_high - ours.ci_low) / (theirs.ci_high - theirs.ci_low)
        assert width.between(0.88, 1.12).all()
    assert "|stratified" in found.signature


def test_standard_errors_are_those_of_the_closed_form():
    found = mc.compare(SKETCH, "accuracy", method="normal", test="wald").scores
    count = SKETCH.counts.reshape(4, 1024)
    for model, error in zip(found.model, found.standard_error, strict=True):
        hits = SKETCH.numbers["hits", model].sum(axis=1).reshape(4, 1024)
        variance = 0
        for n, right in zip(count, hits, strict=True):
            n_held = np.count_nonzero(n)
            apart = right - n * right.sum() / n.sum()
            variance += n_held / (n_held - 1) * (apart**2).sum()
        # Influences are those of leaving a bucket out, of which a total has thousands.
        assert error == pytest.approx(np.sqrt(variance) / len(PREDS), rel=5e-4)


def test_buckets_of_one_sample_are_the_samples():
    few = of_strata(60, seed=3)
    sketch = mc.io.sketch(few, METRICS, buckets=16_384)
    assert sketch.counts.max() == 1
    found, memory = (
        mc.compare(each, METRICS, method="normal", test="wald")
        for each in (sketch, few.with_columns(groups=np.arange(60)))
    )
    for (_, ours), (_, theirs) in zip(frames(found), frames(memory), strict=True):
        np.testing.assert_allclose(ours.standard_error, theirs.standard_error, rtol=1e-9)


@pytest.mark.parametrize("scheme", ["multinomial", "poisson", "bayesian"])
@pytest.mark.parametrize("size", [None, 500])
def test_resamples_keep_the_samples_of_each_stratum(scheme, size):
    units = Evaluation(SKETCH, resolve_metrics("accuracy", SKETCH)).units
    seed = np.random.SeedSequence(0)
    weights = BootstrapWeights(units, 70, seed, scheme, size)
    drawn = np.concatenate([*weights.blocks()])
    for stratum, name in enumerate(NAMES):
        here = units.strata == stratum
        n = np.count_nonzero(PREDS.strata == name)
        np.testing.assert_allclose(drawn[:, here] @ units.sizes[here], n)
    assert drawn.std() > 0


def test_a_stratum_that_poisson_did_not_draw_has_no_weight():
    tiny = mc.Predictions([0, 1] * 4, {"a": [0, 1] * 4}, strata=["x"] * 6 + ["y"] * 2)
    found = mc.bootstrap(mc.io.sketch(tiny, "accuracy"), scheme="poisson", n_resamples=99)
    assert (found.draws == 1).all()


def test_two_models_are_tested_decided_and_gated():
    found, memory = (
        mc.decide(each, "a", "b", "accuracy", margin=0.01, n_resamples=999)
        for each in (SKETCH, PREDS)
    )
    assert found.answer == memory.answer
    assert mc.paired_test(SKETCH, "a", "b", "f1_macro", method="wald").p_value == pytest.approx(
        mc.paired_test(PREDS, "a", "b", "f1_macro", method="wald").p_value, rel=0.2, abs=1e-6
    )
    gated = [
        mc.gate(each, "b", "a", ["accuracy:-0.01", "f1_macro:-0.01"], n_resamples=999)
        for each in (SKETCH, PREDS)
    ]
    assert gated[0].answer == gated[1].answer


def test_parts_have_strata_and_classes_of_their_own(tmp_path):
    three = mc.Predictions(
        np.arange(3000) % 3, {m: np.arange(3000) // k % 3 for m, k in (("a", 2), ("b", 5))},
        ids=np.arange(3000), strata=NAMES[np.arange(3000) // 7 % 4],
    )  # fmt: skip
    rows = [(three.strata == "west") | (three.access.codes < 2), (three.strata == "north")]
    rows = [rows[0] & ~rows[1], rows[1], ~rows[0] & ~rows[1]]
    whole = mc.io.sketch(three, ["f1", "mcc"])
    parts = [mc.io.sketch(three.subset(np.flatnonzero(each)), ["f1", "mcc"]) for each in rows]
    assert {part.about.strata for part in parts} != {whole.about.strata}
    read = mc.io.read_sketch(pd.concat([part.to_frame() for part in parts]))
    saved = [mc.io.read_sketch(part.save(tmp_path / "s.parquet")) for part in parts]
    for added in (sum(parts), sum(parts[::-1]), read, sum(saved)):
        assert added.about.strata == whole.about.strata == tuple(NAMES)
        np.testing.assert_array_equal(added.counts, whole.counts)
        for key, numbers in whole.numbers.items():
            np.testing.assert_array_equal(added.numbers[key], numbers)
    pd.testing.assert_frame_equal(
        mc.compare(read, "f1", n_resamples=99).scores,
        mc.compare(whole, "f1", n_resamples=99).scores,
        check_exact=True,
    )
    assert whole[["a"]].strata is not None


def test_without_strata_the_table_has_no_column_of_them():
    assert [*mc.io.sketch(PREDS.with_columns(strata=None), "accuracy").to_frame()] == [*COLUMNS]
    assert [*SKETCH.to_frame()] == [*COLUMNS, "stratum"]


def test_a_table_that_does_not_know_of_strata_is_read():
    sketch = mc.io.sketch(PREDS.with_columns(strata=None), "accuracy")
    older = sketch.to_frame().replace({"label": {', "strata": \\[\\]': ""}}, regex=True)
    assert not older.label.str.contains("strata").any()
    assert sketch.to_frame().label[0].count("strata") == 1
    assert mc.io.read_sketch(older).about == sketch.about


def test_whole_numbers_and_texts_name_the_same_strata():
    y = [0, 1] * 20
    numbers, texts = np.arange(40) // 2 % 11, [str(n) for n in np.arange(40) // 2 % 11]
    one, two = (
        mc.io.sketch(mc.Predictions(y, {"a": y}, strata=each), "accuracy", buckets=8)
        for each in (numbers, texts)
    )
    assert one.about == two.about
    assert one.about.strata[:3] == ("0", "1", "10")
    pd.testing.assert_frame_equal(one.to_frame(), two.to_frame())
    other = mc.Predictions(y, {"a": y[::-1]}, strata=texts)
    assert len(one + mc.io.sketch(other, "accuracy", buckets=8)) == 80


def test_a_scan_is_sketched_as_rows_in_memory():
    pytest.importorskip("pyarrow")
    rows = pd.DataFrame({"y_true": PREDS.y_true, "s": PREDS.strata})
    for model in PREDS.models:
        rows[model] = PREDS.output(model).array
    found = mc.io.sketch(mc.io.scan_predictions(rows, columns={"strata": "s"}), METRICS)
    pd.testing.assert_frame_equal(
        found.to_frame(),
        mc.io.sketch(mc.read_predictions(rows, columns={"strata": "s"}), METRICS).to_frame(),
    )
    np.testing.assert_array_equal(found.counts, SKETCH.counts)


def of(strata):
    n = len(strata)
    return mc.Predictions(np.arange(n) % 2, {"a": np.arange(n) % 2}, strata=strata)


def with_stratum(frame):
    return frame.assign(stratum=frame["stratum"].replace("east", "elsewhere"))


REFUSED = {
    r"1,024 buckets keeps at most 64 strata, not 65; merge": lambda: mc.io.sketch(
        of(np.arange(130) % 65), "accuracy"
    ),
    r"4,096 buckets keeps at most 16 strata, not 20": lambda: sum(
        mc.io.sketch(of(np.arange(40) // 4 + first), "accuracy", buckets=4_096) for first in (0, 10)
    ),
    r"a sketch cannot have strata of clusters: .* Leave strata ": lambda: mc.io.sketch(
        PREDS.with_columns(groups=PREDS.strata), METRICS
    ),
    r"different designs, strata and no strata, so they cannot be added": lambda: (
        SKETCH + mc.io.sketch(PREDS.with_columns(strata=None), METRICS)
    ),
    r"'elsewhere' is none of the strata of the sketch": lambda: mc.io.read_sketch(
        with_stratum(SKETCH.to_frame())
    ),
    r"its strata cannot be right": lambda: mc.io.read_sketch(
        SKETCH.to_frame().replace('"east", "north"', '"east", "east"', regex=True)
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_strata_cannot_be_is_refused(message):
    with pytest.raises(ValueError, match=message):
        REFUSED[message]()


@pytest.mark.parametrize("strata", [np.array([0.5, 1.5] * 4), np.array([True, False] * 4)])
def test_strata_without_one_spelling_are_refused(strata):
    with pytest.raises(TypeError, match=r"must be texts or whole numbers .* write them as texts"):
        mc.io.sketch(of(strata), "accuracy")


def test_an_impossible_sum_is_reported_by_its_bucket():
    frame = SKETCH.to_frame()
    place = frame.index[(frame.statistic == "hits") & (frame.stratum == "west")][0]
    frame.loc[place, "value"] = 1e6
    with pytest.raises(ValueError, match=rf"in bucket {frame.bucket[place]:,}, "):
        mc.io.read_sketch(frame)
