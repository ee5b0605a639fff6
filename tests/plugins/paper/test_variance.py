import numpy as np
import pandas as pd
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare.engine.contrasts import Sample
from modelcompare.engine.design import design_of
from modelcompare.engine.evaluation import Evaluation
from modelcompare.plugins.paper.pairs import part_rows
from modelcompare.resampling.seeds import child_seed, seed_sequence
from modelcompare.resampling.weights import BootstrapWeights
from tests.made_up import made_up


@pytest.fixture(scope="module")
def study(preds):
    return mc.studies.variance_study(preds, ["f1", "recall"], ratios=[1, 0.3, 0.1], n_resamples=300)


def replicates_of(preds, study, ratio):
    """The study's replicates again, from the same seeds."""
    place, seed = study.ratios.index(ratio), seed_sequence(0)
    part = preds.subset(part_rows(preds, ratio, seed))
    evaluation = Evaluation(part, study.metric_pairs.metrics, collapse=False)
    weights = BootstrapWeights(evaluation.units, 300, child_seed(seed, place, 0))
    return evaluation, evaluation.replicates(weights)


def test_every_cell_of_the_distribution(preds, study):
    for ratio in study.ratios:
        evaluation, draws = replicates_of(preds, study, ratio)
        frame = study.distribution[study.distribution.ratio == ratio]
        assert (frame.n_samples == round(ratio * 400)).all()
        flat = draws.reshape(300, -1)
        np.testing.assert_allclose(frame["mean"], np.nanmean(flat, axis=0))
        np.testing.assert_allclose(frame["variance"], np.nanvar(flat, axis=0, ddof=1))
        np.testing.assert_allclose(frame["ci_low"], np.nanquantile(flat, 0.025, axis=0))
        np.testing.assert_allclose(frame["ci_high"], np.nanquantile(flat, 0.975, axis=0))
        assert (frame["n_undefined"] == np.isnan(flat).sum(axis=0)).all()
        np.testing.assert_allclose(frame["estimate"], evaluation.estimate().ravel())


def test_every_cell_of_the_tests(preds, study):
    for ratio in (1.0, 0.1):
        evaluation, draws = replicates_of(preds, study, ratio)
        for row in study.tests[study.tests.ratio == ratio].itertuples():
            model = preds.models.index(row.model)
            x, y = (
                draws[
                    :, model, [(k.metric, k.label) for k in evaluation.keys].index((m, row.label))
                ]
                for m in (row.metric_a, row.metric_b)
            )
            x, y = x[~np.isnan(x)], y[~np.isnan(y)]
            assert row.variance_ratio == pytest.approx(x.var(ddof=1) / y.var(ddof=1))
            if row.test == "bartlett":
                expected = stats.bartlett(x, y)
                assert row.p_value == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-300)
            if row.test == "levene":
                expected = stats.levene(x, y, center="mean")
                assert row.p_value == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-300)


def test_variances_fall_with_the_size_of_the_test_set(study):
    table = study.distribution.groupby("ratio")["variance"].mean()
    assert table.is_monotonic_decreasing
    assert table[0.1] / table[1.0] == pytest.approx(10, rel=0.5)


def test_the_variance_ratio_agrees_with_the_replicates_and_has_an_interval(study):
    ours = study.variance_ratios.query("ratio == 1").set_index(["model", "metric_a", "label"])
    seen = study.tests.query("ratio == 1 and test == 'f'").set_index(["model", "metric_a", "label"])
    np.testing.assert_allclose(
        ours.variance_ratio, seen.variance_ratio.reindex(ours.index), rtol=0.4
    )
    assert (ours.ci_low < ours.variance_ratio).all()
    assert (ours.variance_ratio < ours.ci_high).all()


def test_the_interval_of_the_variance_ratio_does_not_shrink_with_resamples(preds):
    few, many = (
        mc.studies.variance_study(preds, ["f1"], ratios=[1], n_resamples=n) for n in (50, 2000)
    )
    pd.testing.assert_frame_equal(few.variance_ratios, many.variance_ratios)
    p = [s.tests.query("test == 'bartlett'").p_value.median() for s in (few, many)]
    assert p[1] < p[0] / 100


@pytest.mark.slow
def test_the_interval_of_the_variance_ratio_covers():
    """The truth by many test sets of the same kind; accuracy against the mean probability."""
    n, hits, n_sets = 2000, 0, 100
    pair = [("accuracy", "caccuracy")]
    large = mc.studies.variance_study(
        made_up(100_000, (1.0,), seed=999), pair, ratios=[1], n_resamples=2
    )
    truth = large.variance_ratios.variance_ratio.iloc[0]
    for seed in range(n_sets):
        study = mc.studies.variance_study(
            made_up(n, (1.0,), seed=seed), pair, ratios=[1], n_resamples=2
        )
        row = study.variance_ratios.iloc[0]
        hits += row.ci_low < truth < row.ci_high
    assert hits / n_sets > 0.9


def test_separation_is_the_difference_over_its_standard_error(preds, study):
    result = mc.compare(
        preds, ["f1", "cf1"], n_resamples=2, zero_division="paper", method="normal", test="wald"
    )
    ours = study.separation.query("ratio == 1 and metric in ['f1', 'cf1']")
    theirs = result.differences
    np.testing.assert_allclose(
        ours.separation.to_numpy(),
        (theirs.difference / theirs.standard_error).to_numpy(),
        rtol=1e-9,
    )
    shown = (
        study.separated(alpha=0.05).query("metric == 'f1' and label == 0 and ratio == 1").iloc[0]
    )
    z = ours.query("metric == 'f1' and label == 0").separation.abs()
    assert (shown.n_pairs, shown.n_separated) == (6, (z > stats.norm.isf(0.025)).sum())


def test_one_cluster_is_refused_as_compare_refuses_it():
    preds = mc.Predictions([0, 1], {"a": [0, 1], "b": [1, 0]}, groups=[0, 0])
    errors = []
    for ask in (mc.compare, mc.studies.variance_study, mc.studies.agreement_study):
        with pytest.raises(ValueError, match="has one cluster") as caught:
            ask(preds, [("f1_macro", "accuracy")] if ask is not mc.compare else "accuracy")
        errors.append(str(caught.value))
    assert len({*errors}) == 1


def test_relative_efficiency_is_recovered_where_the_truth_is_known():
    """Metric b sees the same scores through noise of equal variance: it needs twice the samples."""
    rng = np.random.default_rng(5)
    n = 20_000
    gain = 0.1

    # Two 'probabilities' per sample: the score, and the score with as much noise again.
    outputs = {}
    for model, shift in (("a", gain), ("b", 0.0)):
        score = 0.5 + 0.01 * (rng.normal(size=n) + shift)
        outputs[model] = np.column_stack([score, 1 - score])
    noise = {m: 0.01 * rng.normal(size=n) for m in outputs}

    three = {
        m: np.column_stack([p[:, 0], p[:, 0] + noise[m], 1 - 2 * p[:, 0] - noise[m]]) / 1.0
        for m, p in outputs.items()
    }
    lowest = min(p.min() for p in three.values())
    three = {m: (p - lowest) / (1 - 3 * lowest) for m, p in three.items()}
    y = np.arange(n) % 3
    preds = mc.Predictions(y, three)
    metrics = [
        mc.metrics.Metric(
            name=name, per_class=False, needs="probabilities",
            statistics=(
                mc.metrics.Statistic(name, lambda o, c=column: o.probabilities[:, [c]]),
                mc.metrics.Statistic("n", lambda o: np.ones((len(o), 1)), shared=True),
            ),
            value=lambda total, count: total[..., 0] / count[..., 0],
        )
        for name, column in (("clean", 0), ("noisy", 1))
    ]  # fmt: skip
    from modelcompare.plugins.paper.efficiency import relative_efficiency
    from modelcompare.plugins.paper.pairs import MetricPairs

    pairs = MetricPairs((("clean", "noisy"),), tuple(metrics))
    evaluation = Evaluation(preds, metrics, collapse=False)
    sample = Sample(
        evaluation,
        BootstrapWeights(evaluation.units, 0, np.random.SeedSequence(0)),
        design_of(evaluation.predictions),
    )
    row = relative_efficiency(sample, pairs, confidence_level=0.95).iloc[0]
    assert row.ci_low < 2 < row.ci_high
    assert row.samples_ratio == pytest.approx(2, rel=0.5)
    assert row.agree


def test_repeated_downsampling_splits_the_spread(preds):
    study = mc.studies.variance_study(
        preds, [("accuracy", "caccuracy")], ratios=[1, 0.2], n_resamples=100, n_subsamples=30
    )
    frame = study.distribution.set_index(["ratio", "model", "metric"]).sort_index()
    assert (frame.loc[1.0, "variance_between"] < frame.loc[1.0, "variance"] / 20).all()
    part = frame.loc[0.2]
    # Without replacement a fifth of the set varies by 0.8 of what a bootstrap of it does.
    ratio = (part.variance_between / part.variance).mean()
    assert ratio == pytest.approx(0.8, rel=0.35)
    assert study.tests.subsample.nunique() == 30


def test_stratified_parts_keep_the_classes(preds):
    rows = part_rows(preds, 0.1, seed_sequence(0), stratify=True)
    whole, part = np.bincount(preds.access.codes), np.bincount(preds.access.codes[rows])
    np.testing.assert_allclose(part, whole / 10, atol=1)


def test_clusters_are_downsampled_whole():
    groups = np.repeat(np.arange(80), 5)
    preds = made_up(groups=groups)
    rows = part_rows(preds, 0.25, seed_sequence(0))
    assert (np.bincount(groups[rows], minlength=80) % 5 == 0).all()
    assert len(rows) == 100


def test_results_do_not_depend_on_jobs(preds):
    def found(n_jobs):
        with mc.config_context(n_jobs=n_jobs):
            return mc.studies.variance_study(preds, ["f1"], ratios=[1, 0.5], n_resamples=300)

    one, three = map(found, (1, 3))
    pd.testing.assert_frame_equal(one.distribution, three.distribution)


def test_figures_can_be_drawn(study):
    first, second = study.pairs
    assert len(study.plot.variances(first).axes) == 3
    assert len(study.plot.intervals(second).axes) == 6
    many = mc.studies.variance_study(made_up(100, tuple(np.linspace(0, 2, 14))), [("f1_macro", "cf1_macro")],
                             ratios=[1, 0.5], n_resamples=50)  # fmt: skip
    assert len(many.plot.variances().axes) == 1
    assert len(many.plot.intervals().axes) == 2


def test_averages_have_an_efficiency_too(preds):
    study = mc.studies.variance_study(
        preds, [("f1_macro", "cf1_macro")], ratios=[1], n_resamples=50
    )
    rows = study.document().tables["efficiency"].rows
    assert [row[:3] for row in rows] == [["f1_macro", "cf1_macro", ""]]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([],), {}, "`pairs` is empty"),
        (([("f1", "cf1_macro")],), {}, r"\('f1', 'cf1_macro'\), of which one is per class"),
        (([("f1", "cf1", "x")],), {}, "a pair names two metrics"),
        ((["f1"],), {"ratios": [1.5]}, r"`ratios` must lie in \(0, 1\], got 1.5"),
        ((["f1"],), {"ratios": [0.001]}, "`ratios` holds 0.001, which leaves 0 of 400 samples"),
        ((["f1"],), {"ratios": [0.5, 0.5]}, "`ratios` must be distinct"),
        ((["f1"],), {"ratios": []}, "`ratios` is empty"),
        ((["f1"],), {"n_subsamples": 0}, "`n_subsamples` must be at least 1, got 0"),
        ((["f1"],), {"n_resamples": 1}, "`n_resamples` must be at least 2, got 1"),
        ((["f1"],), {"tests": ["t"]}, "`tests` must be of f, bartlett"),
    ],
)
def test_bad_input(preds, arguments, options, message):
    with pytest.raises(ValueError, match=message):
        mc.studies.variance_study(preds, *arguments, **options)


def test_the_error_of_a_variance_is_its_spread_over_seeds():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    preds = mc.Predictions(y, {"a": np.where(rng.random(60) < 0.8, y, 1 - y)})
    pairs = [("accuracy", "matthews_corrcoef")]
    frames = [
        mc.studies.variance_study(
            preds, pairs, ratios=[1.0], n_resamples=200, rng=seed
        ).distribution
        for seed in range(150)
    ]
    variances = np.array([frame["variance"] for frame in frames])
    errors = np.array([frame["variance_error"] for frame in frames])
    # The standard deviation of 150 numbers is known to 6 %.
    np.testing.assert_allclose(errors.mean(axis=0), variances.std(axis=0, ddof=1), rtol=0.2)


def test_the_error_of_a_mean_of_variances_falls_with_down_samplings():
    preds = mc.load_example("snli")["mlp"]
    one, four = (
        mc.studies.variance_study(
            preds, [("f1_macro", "cf1_macro")], ratios=[0.1], n_resamples=200, n_subsamples=n
        ).distribution["variance_error"]
        for n in (1, 4)
    )
    np.testing.assert_allclose(one / four, 2, rtol=0.3)


def test_standard_deviations_of_resamples_have_two_digits():
    preds = mc.load_example("snli")["mlp"]
    study = mc.studies.variance_study(
        preds, [("f1_macro", "cf1_macro")], ratios=[1.0, 0.01], n_resamples=99
    )
    (table, *_) = study.document().tables.values()
    for row, deviation in zip(
        table.rows,
        np.sqrt(study.distribution.query("metric == 'cf1_macro'")["variance"]),
        strict=True,
    ):
        shown = row[table.header.index("sd of b")]
        assert len(shown.lstrip("0.")) == 2
        assert float(shown) == pytest.approx(deviation, rel=0.05)
