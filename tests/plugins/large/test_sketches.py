"""A sketch gives the answers of clusters by its buckets, for any split of the samples."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare import plugs
from modelcompare.plugins.large.hashing import bucket_of
from tests.plugged import needs, of_plugins
from tests.small_blocks import ROW_BLOCK

SNLI = mc.load_example("snli")[["bow_pair", "naive_bayes", "mlp"]]
METRICS = [
    "accuracy", "f1", "f1_macro", "cf1_macro", "mcc", "cmcc", "balanced_accuracy", "log_loss",
    "brier_score", "brier_resolution", "ece", "ece_classwise", "top_2_accuracy", "confusion_entropy",
]  # fmt: skip


def named(predictions, prefix="s"):
    """The same predictions with names of samples."""
    n = len(predictions)
    outputs = {m: predictions.probabilities(m) for m in predictions.models}
    return mc.Predictions(
        predictions.y_true,
        outputs,
        labels=predictions.labels,
        ids=[f"{prefix}{i}" for i in range(n)],
    )


PREDS = named(SNLI.subset(range(3000)))


def in_buckets(predictions, n_buckets, salt="modelcompare"):
    """The samples themselves, with their buckets as clusters."""
    return predictions.with_columns(groups=bucket_of(predictions.ids, n_buckets, salt))


def same_numbers(one, two):
    assert one.about == two.about
    np.testing.assert_array_equal(one.counts, two.counts)
    assert one.numbers.keys() == two.numbers.keys()
    for key, found in one.numbers.items():
        np.testing.assert_allclose(found, two.numbers[key], rtol=1e-12, atol=1e-12)


@needs("calibration")
@pytest.mark.parametrize(
    ("n_buckets", "metrics"), [(1024, ["f1", "cmcc", "ece", "ece_classwise"]), (90, METRICS)]
)
def test_comparing_a_sketch_is_comparing_its_buckets_as_clusters_to_the_bit(n_buckets, metrics):
    sketch = mc.io.sketch(PREDS, metrics, buckets=n_buckets)
    with pytest.warns(match="ece, ece_classwise: .* these have the buckets of a sketch"):
        ours = mc.compare(sketch, n_resamples=99)
    with pytest.warns(match="ece, ece_classwise: .* these have clusters, so none is given"):
        theirs = mc.compare(in_buckets(PREDS, n_buckets), metrics, n_resamples=99)
    pd.testing.assert_frame_equal(ours.scores, theirs.scores, check_exact=True)
    pd.testing.assert_frame_equal(ours.differences, theirs.differences, check_exact=True)
    # The single losses, and so the infinite ones, are not in a sketch, which a note reports.
    of_losses = [
        [note for note in found.evidence.notes if "log loss is infinite" in note]
        for found in (ours, theirs)
    ]
    assert [*map(len, of_losses)] == ["log_loss" in metrics] * 2
    assert "log_loss" not in metrics or of_losses[0][0].startswith("Sums of samples do not show")
    first, second = (
        [t for t in found.verdict().splitlines() if t not in notes]
        for found, notes in zip((ours, theirs), of_losses, strict=True)
    )
    assert first == second
    assert ours.evidence.n_samples == 3000


@pytest.fixture(scope="module")
def bootstraps():
    """The bootstrap of a sketch, and that of its buckets as clusters."""
    metrics = ["f1_macro", "cf1"]
    return (
        mc.bootstrap(mc.io.sketch(PREDS, metrics), n_resamples=199),
        mc.bootstrap(in_buckets(PREDS, 1024), metrics, n_resamples=199),
    )


@pytest.mark.parametrize("method", ["auto", "BCa", "studentized", "percentile", "normal"])
def test_replicates_and_intervals_of_a_sketch_are_those_of_clusters(method, bootstraps):
    ours, theirs = bootstraps
    np.testing.assert_array_equal(ours.draws, theirs.draws)
    pd.testing.assert_frame_equal(
        ours.confidence_interval(method=method), theirs.confidence_interval(method=method)
    )


@pytest.mark.parametrize(
    "method", ["studentized-permutation", "permutation", "bootstrap", "wald", "sign-flip"]
)
def test_paired_tests_of_a_sketch_are_those_of_clusters(method):
    pair = "bow_pair", "naive_bayes", "f1_macro"
    ours = mc.paired_test(mc.io.sketch(PREDS, "f1_macro"), *pair, method=method, n_resamples=99)
    theirs = mc.paired_test(in_buckets(PREDS, 1024), *pair, method=method, n_resamples=99)
    assert ours == theirs


def test_the_gate_runs_on_a_sketch_and_counts_samples():
    rules = ["f1_macro:-0.03", "recall[neutral]:-0.05"]
    sketched = mc.io.sketch(PREDS, ["f1_macro", "recall"])
    ours = mc.gate(sketched, "bow_pair", "naive_bayes", rules, n_resamples=99)
    theirs = mc.gate(in_buckets(PREDS, 1024), "bow_pair", "naive_bayes", rules, n_resamples=99)
    whole = mc.gate(PREDS, "bow_pair", "naive_bayes", rules, n_resamples=99)
    for one, two, of_all in zip(ours.decisions, theirs.decisions, whole.decisions, strict=True):
        assert one.gain == two.gain == pytest.approx(of_all.gain)
        assert (one.n_samples, one.unit) == (3000, "samples")
        # A failure that was not seen is one of a sample, not of a bucket.
        assert two.ci_low < one.ci_low
        assert two.p_value >= one.p_value
        assert one.ci_low == pytest.approx(of_all.ci_low, abs=2e-3)
        assert not one.n_needed / 3000 > 1.01 * two.n_needed / two.n_samples


def test_the_failure_that_a_sketch_may_not_have_seen_is_one_of_a_sample_not_of_a_bucket():
    asked = {"metric": "accuracy", "margin": 0.03, "n_resamples": 299}
    ours, clustered, whole = (
        mc.decide(given, "bow_pair", "naive_bayes", **asked)
        for given in (mc.io.sketch(PREDS, "accuracy"), in_buckets(PREDS, 1024), PREDS)
    )
    assert ours.gain == clustered.gain
    assert clustered.ci_low < ours.ci_low - 5e-4
    assert ours.ci_low == pytest.approx(whole.ci_low, abs=5e-4)


def test_the_values_are_those_of_all_samples_and_the_errors_nearly():
    sketched = mc.compare(mc.io.sketch(PREDS, ["accuracy", "cf1_macro"]), n_resamples=99).scores
    whole = mc.compare(PREDS, ["accuracy", "cf1_macro"], n_resamples=99).scores
    np.testing.assert_allclose(sketched["estimate"], whole["estimate"], rtol=1e-12)
    # Within four times the 1 / sqrt(2 * 1024) that the docstring promises.
    ratio = sketched["standard_error"] / whole["standard_error"]
    assert np.abs(ratio - 1).max() < 4 / np.sqrt(2 * 1024)


@needs("calibration")
def test_parts_add_up_to_the_whole_in_any_order():
    parts = [PREDS.subset(range(*ends)) for ends in ((0, 5), (5, 1700), (1700, 3000))]
    whole = mc.io.sketch(PREDS, METRICS)
    one, two, three = (mc.io.sketch(part, METRICS) for part in parts)
    for merged in (one + two + three, three + (two + one), sum([two, three, one])):
        same_numbers(merged, whole)
    same_numbers(mc.io.sketch(iter(parts), METRICS), whole)
    same_numbers(mc.io.sketch(parts, METRICS), whole)


@needs("calibration")
def test_a_source_of_blocks_is_read_block_by_block():
    class Source:
        def blocks(self):
            yield from (PREDS.subset(range(i, i + 1000)) for i in (0, 1000, 2000))

    same_numbers(mc.io.sketch(Source(), METRICS), mc.io.sketch(PREDS, METRICS))


def test_counts_are_bit_identical_for_any_split():
    whole = mc.io.sketch(PREDS, ["f1_macro"])
    merged = sum(
        mc.io.sketch(PREDS.subset(range(i, i + 250)), ["f1_macro"]) for i in range(0, 3000, 250)
    )
    for key, found in whole.numbers.items():
        np.testing.assert_array_equal(found, merged.numbers[key])


def test_rows_without_names_are_spread_by_their_number():
    nameless = PREDS.with_columns(ids=None)
    halves = iter([nameless.subset(range(1500)), nameless.subset(range(1500, 3000))])
    same_numbers(mc.io.sketch(halves, "accuracy"), mc.io.sketch(nameless, "accuracy"))
    bucket = bucket_of(np.arange(3000), 1024, "modelcompare")
    counts = np.bincount(bucket, minlength=1024)
    np.testing.assert_array_equal(mc.io.sketch(nameless, "accuracy").counts, counts)


def test_clusters_stay_whole():
    groups = np.arange(3000) // 30
    ours = mc.io.sketch(PREDS.with_columns(groups=groups), "accuracy", buckets=4096)
    bucket = bucket_of(groups, 4096, "modelcompare")
    np.testing.assert_array_equal(ours.counts, np.bincount(bucket, minlength=4096))
    clustered = PREDS.with_columns(groups=bucket)
    theirs = mc.compare(clustered, "accuracy", n_resamples=99).scores
    pd.testing.assert_frame_equal(mc.compare(ours, n_resamples=99).scores, theirs)


def test_weights_count_in_the_sums():
    weight = np.random.default_rng(0).gamma(2, size=3000)
    weighted = mc.Predictions(
        PREDS.y_true, {m: PREDS.probabilities(m) for m in PREDS.models}, labels=PREDS.labels,
        ids=PREDS.ids, sample_weight=weight,
    )  # fmt: skip
    metrics = ["accuracy", "f1_macro", "cf1", "log_loss"]
    ours = mc.compare(mc.io.sketch(weighted, metrics), n_resamples=399)
    theirs = mc.compare(in_buckets(weighted, 1024), metrics, n_resamples=399)
    pd.testing.assert_frame_equal(ours.scores, theirs.scores)
    pd.testing.assert_frame_equal(ours.differences, theirs.differences)
    assert ours.evidence.n_samples == 3000


def test_classes_that_a_sketch_lacks_are_united_by_their_names():
    truth = np.array(["cat", "dog", "cat", "dog", "eel", "cat", "eel", "ant"])
    predicted = np.array(["cat", "cat", "cat", "dog", "eel", "eel", "dog", "ant"])
    ids = list("abcdefgh")
    whole = mc.Predictions(truth, {"m": predicted}, ids=ids)
    parts = [
        mc.Predictions(truth[s], {"m": predicted[s]}, ids=ids[s]) for s in (slice(4), slice(4, 8))
    ]
    metrics = ["f1", "confusion_entropy"]
    merged = sum(mc.io.sketch(part, metrics) for part in parts)
    assert merged.about.labels == ("ant", "cat", "dog", "eel")
    same_numbers(merged, mc.io.sketch(whole, metrics))


@pytest.mark.parametrize(
    ("preds", "metrics"),
    [
        (mc.Predictions.from_scores({"a": [1, 0, 1, 1] * 20, "b": [1, 1, 0, 1] * 20}), "mean_score"),
        (mc.Predictions.from_scores({"a": [0.5, 2, 1] * 20, "b": [1, 3, 0] * 20}), "mean_score"),
        (
            mc.Predictions.from_scores(
                {m: {"acc": [1, 0] * 30, "loss": [0.5, i] * 30} for i, m in enumerate("ab")},
                greater_is_better={"loss": False},
            ),
            ["acc", "loss"],
        ),
        (mc.Predictions([0.5, 2, 1, 4] * 15, {m: [1, 2, i, 3.5] * 15 for i, m in enumerate("ab")}),
         ["rmse", "mae"]),
        (mc.Predictions([[0.7, 0.3], [0.2, 0.8]] * 25, {"a": [[0.6, 0.4], [0.3, 0.7]] * 25}),
         ["cf1_macro", "kl_divergence"]),
    ],
    ids=["judged", "scores", "several scores", "values", "soft labels"],
)  # fmt: skip
def test_every_kind_of_output_is_sketched(preds, metrics, tmp_path):
    clustered = preds.with_columns(groups=bucket_of(np.arange(len(preds)), 1024, "modelcompare"))
    sketched = mc.io.read_sketch(mc.io.sketch(preds, metrics).save(tmp_path / "s.parquet"))
    ours = mc.compare(sketched, metrics, n_resamples=99)
    theirs = mc.compare(clustered, metrics, n_resamples=99)
    pd.testing.assert_frame_equal(ours.scores, theirs.scores)
    pd.testing.assert_frame_equal(ours.differences, theirs.differences)


@needs("texts")
def test_texts_are_sketched(tmp_path):
    outputs = {"a": ["a b", "c d"] * 20, "b": ["a", "c x e"] * 20}
    preds = mc.Predictions(["a b", "c d e"] * 20, outputs, kind="texts")
    test_every_kind_of_output_is_sketched(preds, ["wer", "exact_match"], tmp_path)


@needs("calibration")
def test_a_saved_sketch_is_the_same_to_the_bit(tmp_path):
    sketched = mc.io.sketch(PREDS, METRICS, buckets=90)
    read = mc.io.read_sketch(sketched.save(tmp_path / "day.sketch.parquet"))
    assert read.about == sketched.about
    np.testing.assert_array_equal(read.counts, sketched.counts)
    for key, found in sketched.numbers.items():
        np.testing.assert_array_equal(read.numbers[key], found)
    assert [path.name for path in tmp_path.iterdir()] == ["day.sketch.parquet"]


def test_rows_of_several_sketches_add_up():
    truth = np.array(["cat", "dog", "eel", "cat", "ant", "eel"] * 20)
    whole = mc.Predictions(truth, {"m": np.roll(truth, 1)}, ids=np.arange(120))
    parts = [whole.subset(truth == "cat"), whole.subset(truth != "cat")]
    rows = pd.concat([mc.io.sketch(part, "f1").to_frame() for part in parts])
    same_numbers(mc.io.read_sketch(rows), mc.io.sketch(whole, "f1"))


def test_models_can_be_chosen():
    pair = mc.io.sketch(PREDS, "accuracy")[["mlp", "bow_pair"]]
    assert pair.models == ("mlp", "bow_pair")
    ours = mc.compare(pair, n_resamples=99).differences
    theirs = mc.compare(in_buckets(PREDS[["mlp", "bow_pair"]], 1024), "accuracy", n_resamples=99)
    pd.testing.assert_frame_equal(ours, theirs.differences)


OTHER = mc.Predictions(["no", "yes"], {"cnn": ["no", "no"]})
LIKE_BUT = {
    "salts": lambda: mc.io.sketch(PREDS, "accuracy", salt="other"),
    "numbers of buckets": lambda: mc.io.sketch(PREDS, "accuracy", buckets=512),
    "models": lambda: mc.io.sketch(PREDS[["mlp", "bow_pair"]], "accuracy"),
    "statistics": lambda: mc.io.sketch(PREDS, ["accuracy", "log_loss"]),
}


@pytest.mark.parametrize("what", LIKE_BUT)
def test_sketches_that_do_not_fit_are_not_added(what):
    with pytest.raises(ValueError, match=f"the sketches have different {what}.*cannot be added"):
        mc.io.sketch(PREDS, "accuracy") + LIKE_BUT[what]()


def test_classes_of_numbers_and_of_texts_are_not_united():
    one, two = (
        mc.io.sketch(mc.Predictions(truth, {"m": truth}), "accuracy")
        for truth in ([0, 1], ["0", "1"])
    )
    with pytest.raises(
        ValueError, match=r"classes are 0, 1 in one sketch and '0', '1' in the other"
    ):
        one + two


@needs("calibration")
@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("roc_auc_ovr", "'roc_auc_ovr' is no sum"),
        ("ece_mass", "'ece_mass' depends on the test set as a whole"),
        (lambda y, p: float((y == p).mean()), "is no sum"),
    ],
)
def test_what_does_not_add_up_is_not_sketched(metric, message):
    with pytest.raises(ValueError, match=f"{message}.*leave it out here"):
        mc.io.sketch(PREDS, ["accuracy", metric])


def test_correlations_have_a_centre_of_their_own_and_are_refused():
    preds = mc.Predictions([0.5, 2.5, 1.5], {"a": [1.5, 2, 3]})
    with pytest.raises(ValueError, match="'r2' depends on the test set as a whole"):
        mc.io.sketch(preds, "r2")


SKETCHED = mc.io.sketch(PREDS, "accuracy")
ASKED = {
    "holds no sums for metric 'log_loss', it was made for accuracy": lambda: mc.compare(
        SKETCHED, "log_loss"
    ),
    "'roc_auc_ovr' is not a sum over samples": lambda: mc.compare(SKETCHED, "roc_auc_ovr"),
    "test 'mcnemar-exact' needs single samples": lambda: mc.paired_test(
        SKETCHED, "mlp", "bow_pair", "accuracy", method="mcnemar-exact"
    ),
    "undefined='stratify' needs single samples": lambda: mc.bootstrap(
        SKETCHED, undefined="stratify"
    ),
    "is a sketch, which has no samples: compare": lambda: mc.compare_groups(SKETCHED),
    "a subset needs single samples": lambda: SKETCHED.subset([0, 1]),
    "a column of strata needs single samples": lambda: SKETCHED.with_columns(strata=[1]),
    "`source` is a sketch": lambda: mc.io.sketch(SKETCHED),
}


@pytest.mark.parametrize(
    "message", of_plugins(ASKED, classical=[each for each in ASKED if "mcnemar" in each])
)
def test_what_a_sketch_cannot_serve_is_refused_in_words(message):
    with pytest.raises(ValueError, match=message):
        ASKED[message]()


@needs("charts")
@needs("agreement", "curves")
def test_disagreements_need_the_samples():
    result = mc.compare(SKETCHED, n_resamples=99)
    with pytest.raises(ValueError, match="has no samples"):
        mc.diagnostics.disagreements(SKETCHED, "mlp", "bow_pair")
    result.plot.forest()
    for figure in (result.plot.confusion, result.plot.roc):
        with pytest.raises(ValueError, match="this figure needs single samples"):
            figure()


def test_files_say_what_they_are(tmp_path):
    path = SKETCHED.save(tmp_path / "day.parquet")
    with pytest.raises(ValueError, match=r"day.parquet is a sketch; read it with .*read_sketch"):
        mc.read_predictions(path)
    other = tmp_path / "other.parquet"
    pd.DataFrame({"y_true": [0, 1], "m": [0, 1]}).to_parquet(other)
    with pytest.raises(
        ValueError, match=r"other.parquet is no sketch; it needs the columns bucket"
    ):
        mc.io.read_sketch(other)
    frame = pd.read_parquet(path)
    newer = frame.replace({"label": {r'"version": 1': '"version": 2'}}, regex=True)
    with pytest.raises(ValueError, match="of version 2, and this program reads version 1"):
        mc.io.read_sketch(newer)


def test_nothing_is_no_sketch():
    with pytest.raises(ValueError, match="has no predictions"):
        mc.io.sketch(iter([]))


@pytest.mark.parametrize("names", ["texts", "numbers", "none"])
@pytest.mark.parametrize("kind", ["labels", "probabilities"])
@pytest.mark.usefixtures("small_blocks")
def test_rows_that_are_scanned_go_into_the_buckets_of_their_names(kind, names, tmp_path):
    pytest.importorskip("pyarrow")
    n = ROW_BLOCK + 1
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"y_true": rng.integers(0, 2, n)})
    for model in "ab":
        if kind == "labels":
            frame[model] = rng.integers(0, 2, n)
        else:
            chance = rng.random(n)
            frame[f"{model}:0"], frame[f"{model}:1"] = chance, 1 - chance
    shuffled = rng.permutation(n)
    if names != "none":
        frame["id"] = [f"s{i}" for i in shuffled] if names == "texts" else shuffled
    frame.to_parquet(path := tmp_path / "rows.parquet")
    metrics = ["accuracy", "f1_macro"] + ["cf1"] * (kind == "probabilities")
    whole = mc.read_predictions(path)
    for scanned, read in (
        (mc.io.scan_predictions(path), whole),
        (mc.io.scan_predictions(path)["b"], whole["b"]),
    ):
        one, two = (mc.io.sketch(each, metrics, buckets=64).to_frame() for each in (scanned, read))
        pd.testing.assert_frame_equal(one, two, check_exact=True)


def test_the_default_metrics_of_a_scan_are_those_of_its_rows():
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"id": np.arange(60), "a": np.arange(60) % 2, "b": np.arange(60) % 3 % 2})
    scores = {model: frame[model] for model in "ab"}
    read = mc.Predictions(None, scores, kind="scores", ids=frame["id"])
    same_numbers(
        mc.io.sketch(mc.io.scan_predictions(frame, kind="scores", models=["a", "b"])),
        mc.io.sketch(read),
    )


def test_a_sketch_and_its_copy_are_not_added(tmp_path):
    days = [mc.io.sketch(named(SNLI.subset(range(200)), prefix), "accuracy") for prefix in "ab"]
    copy = mc.io.read_sketch(days[0].save(tmp_path / "copy.parquet"))
    for wrong in ([days[0], copy], [*days, copy]):
        with pytest.raises(ValueError, match=r"as a sketch and its copy have \(200 samples\)"):
            sum(wrong)
    # Few samples may be in the same buckets, and have the same sums, by chance.
    one = mc.io.sketch(named(SNLI.subset([0, 1])), "accuracy", buckets=2)
    assert len(one + one) == 4
    assert len(sum(days)) == 400


@pytest.mark.filterwarnings("ignore:.*takes the classes in this order")
def test_classes_in_different_orders_are_refused_where_ranks_matter():
    rng = np.random.default_rng(0)

    def sketched(labels, metric):
        truth, said = rng.choice(["low", "mid", "top"], (2, 200))
        preds = mc.Predictions(truth, {"a": said}, ids=np.arange(200), labels=labels)
        return mc.io.sketch(preds, metric)

    orders = ["low", "mid", "top"], ["top", "low", "mid"]
    one, other = (sketched(order, "accuracy") for order in orders)
    assert len(one + other) == 400
    one, other = (sketched(order, "cohen_kappa_quadratic") for order in orders)
    with pytest.raises(ValueError, match=r"different orders \(low, mid, top and top, low, mid\)"):
        one + other


@needs("runs")
def test_a_sketch_of_several_runs_is_refused_where_their_plugin_is_absent(monkeypatch, tmp_path):
    few = SNLI.subset(range(400)).with_columns(
        groups=np.arange(400) // 2, runs=np.arange(400) % 2
    )  # fmt: skip
    path = mc.io.sketch(few, "accuracy").save(tmp_path / "runs.sketch.parquet")
    assert len(mc.io.read_sketch(path).access.sums.parts) == 2
    left = {name: each for name, each in plugs.plugins().items() if name != "runs"}
    monkeypatch.setattr(plugs, "plugins", lambda: left)
    with pytest.raises(ValueError, match=r"^`runs` needs the plugin runs$"):
        mc.io.read_sketch(path)
