"""Every question notes where few samples decide, warns where intervals are in doubt, or neither."""

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import skew

import modelcompare as mc
from modelcompare.cli.app import main
from modelcompare.comparison.tails import spreads_of as _spreads_of
from modelcompare.engine.influence import influence_moments
from modelcompare.metrics import SparseDataWarning
from modelcompare.report.writers.formats import as_json, writer
from modelcompare.report.writers.terminal import screen_text
from tests.plugged import needs, of_plugins

N = 120


def warned_by(ask: Callable[[], object]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ask()
    return [each for each in caught if each.category is SparseDataWarning]


def three_positives() -> mc.Predictions:
    rng = np.random.default_rng(0)
    y = (np.arange(N) < 3).astype(int)
    wrong = rng.random((2, N)) < 0.1
    return mc.Predictions(y, {"a": y ^ wrong[0], "b": y ^ wrong[1]})


def scores(draw: Callable[[np.random.Generator, int], np.ndarray], n: int = 100) -> mc.Predictions:
    rng = np.random.default_rng(1)
    return mc.Predictions.from_scores(
        {"a": draw(rng, n), "b": draw(rng, n)}, greater_is_better=True
    )


PREDS = three_positives()
OF_RARE: dict[str, Callable[[], object]] = {
    "compare": lambda: mc.compare(PREDS, "f1", n_resamples=999, correction="none"),
    "decide": lambda: mc.decide(PREDS, "a", "b", "f1[1]", margin=0.1),
    "gate": lambda: mc.gate(PREDS, "a", "b", ["f1[1]:-0.1", "f1[1]:+0"]),
    "paired_test": lambda: mc.paired_test(PREDS, "a", "b", "f1[1]", n_resamples=99),
    "sample_size": lambda: mc.sample_size(PREDS, "a", "b", "f1[1]"),
    "compare_groups": lambda: mc.compare_groups(
        {"news": PREDS, "mails": PREDS}, "f1", n_resamples=999, correction="none"
    ),
    "sketch": lambda: mc.decide(
        mc.io.sketch(PREDS, metrics="f1"), "a", "b", "f1[1]", margin=0.1
    ),
    "gaps": lambda: mc.diagnostics.gaps(
        mc.Predictions(
            [*PREDS.y_true] * 2, {m: [*PREDS.predicted(m)] * 2 for m in "ab"},
            slices={"half": ["x"] * N + ["y"] * N}
        ), "f1[1]", n_resamples=99,
    ),
}  # fmt: skip
NOTE = "f1 of 1: as uncertain as 3 samples; class 1 has 3."


def shown_by(answer: Any) -> str:
    """All texts of an answer on a page: its sentences, and notes below its tables."""
    made = answer.document()
    return " ".join([*made.sentences, *(n for t in made.tables.values() for n in t.notes)])


@needs("page")
@needs("large")
@pytest.mark.parametrize(
    "name", of_plugins(OF_RARE, suites=["compare_groups"], large=["sketch"], gaps=["gaps"])
)
def test_every_question_about_three_positives_has_a_note_and_no_warning(name: str):
    answers: list[Any] = []
    assert not warned_by(lambda: answers.append(OF_RARE[name]()))
    (answer,) = answers
    note = "f1 of 1: as uncertain as 3 of" if name == "sketch" else NOTE
    # A gate has a decision by each rule.
    assert shown_by(answer).count(note) == (2 if name == "gate" else 1)
    made = answer.document()
    assert note in writer("html")(made)
    assert note in screen_text(made, show_all=True).replace("\n", " ").replace("  ", " ")
    assert note in as_json(made)


@needs("page")
def test_values_in_a_notebook_have_the_note():
    assert NOTE in mc.bootstrap(PREDS, "f1", n_resamples=9)._repr_html_()


@pytest.mark.parametrize(
    "ask",
    [
        lambda: mc.compare(PREDS, "f1", n_resamples=99, method="percentile", test="wald"),
        lambda: mc.bootstrap(PREDS, "f1", n_resamples=99).confidence_interval(method="BCa"),
        lambda: mc.decide(PREDS, "a", "b", "f1[1]", margin=0.1, method="percentile"),
        pytest.param(
            lambda: mc.diagnostics.selfcheck(
                PREDS, "a", "b", "f1[1]", method="BCa", n_trials=2, n_resamples=19
            ),
            marks=needs("selfcheck"),
        ),
    ],
)
def test_where_few_samples_decide_intervals_by_name_are_in_doubt(ask: Callable[[], object]):
    """Of rare classes BCa covers 0.42 to 0.89 where the default covers 0.95."""
    (warning,) = warned_by(ask)
    assert str(warning.message) == (
        "f1 of 1: as uncertain as 3 samples. With so few, intervals cover the true value less "
        "often than their level. Those of method='auto' (--method auto) hold."
    )
    assert warning.filename == __file__


@needs("suites")
@pytest.mark.filterwarnings("ignore::modelcompare.metrics.UndefinedMetricWarning")
def test_notes_that_test_sets_share_are_written_once_and_others_with_their_names():
    assert mc.compare_groups({"news": PREDS, "mails": PREDS}, "f1").verdict().count(NOTE) == 1
    healthy = by_class(60, 60)
    mixed = mc.compare_groups({"news": PREDS, "mails": healthy}, "f1").verdict()
    assert mixed.splitlines()[-1] == f"news: {NOTE}"
    several = {f"s{k}": by_class(100, k) for k in range(3, 9)} | {"enough": healthy}
    lines = mc.compare_groups(several, "recall", test="wald").verdict().splitlines()
    assert lines[-4:] == [
        *(f"s{k}: recall of 1: as uncertain as {k} samples; class 1 has {k}." for k in (3, 4, 5)),
        "And 3 more notes.",
    ]


def test_only_the_class_that_is_asked_for_is_looked_at():
    assert not mc.decide(PREDS, "a", "b", "f1[0]", margin=0.1).notes


@pytest.mark.parametrize("command", ["compare", "gate", "sample-size"])
def test_a_command_writes_the_note_once(command: str, tmp_path: Path, capsys):
    path, p = tmp_path / "rare.csv", PREDS
    rows = zip(range(N), p.y_true, p.predicted("a"), p.predicted("b"), strict=True)
    path.write_text("id,y_true,a,b\n" + "".join(f"{i},{y},{a},{b}\n" for i, y, a, b in rows))
    options = {
        "compare": ["--metric", "f1[1]"],
        "gate": ["--baseline", "a", "--candidate", "b", "--rule", "f1[1]:-0.1"],
        "sample-size": ["--model", "a", "--model", "b", "--metric", "f1", "--label", "1"],
    }

    main([command, str(path), *options[command]])

    out, err = (" ".join(text.split()) for text in capsys.readouterr())
    assert (out.count(NOTE), err.count("as uncertain")) == (1, 0)


@pytest.mark.filterwarnings("ignore::modelcompare.metrics.UndefinedMetricWarning")
def test_several_values_have_one_note_with_the_fewest_samples_first():
    found = mc.compare(PREDS, ["f1_macro", "f1", "recall", "balanced_accuracy"], test="wald")
    assert found.verdict().splitlines()[-1] == (
        "f1 of 1 and recall of 1: as uncertain as 3 samples; balanced_accuracy and f1_macro: as "
        "uncertain as 3.1 samples; class 1 has 3."
    )


def test_a_number_of_few_clusters_is_beside_that_of_all():
    found = mc.decide(
        PREDS.with_columns(groups=np.arange(N) // 15), "a", "b", "accuracy", margin=0.1
    )
    assert found.notes == ("accuracy: as uncertain as 8 of 8 clusters.",)


def test_under_ten_samples_in_all_put_losses_in_doubt_and_not_counts():
    """Differences of Brier scores of six samples are covered 0.87 times, those of counts 1.00."""
    preds = probabilities(0.5, 8)
    (warning,) = warned_by(lambda: mc.compare(preds, ["accuracy", "brier_score"], test="wald"))
    assert str(warning.message).startswith("brier_score: as uncertain as ")
    assert not warned_by(lambda: mc.compare(probabilities(0.5, 10), "brier_score", test="wald"))


@needs("time")
def test_few_clusters_put_percentiles_and_blocks_in_time_in_doubt_and_no_other_value():
    rng = np.random.default_rng(0)
    losses = rng.lognormal(size=(2, 80))
    preds = mc.Predictions.from_scores(
        dict(zip("ab", losses, strict=True)), greater_is_better=False, bounds=(0, 99),
        groups=np.arange(80) // 10,
    )  # fmt: skip
    found = warned_by(lambda: mc.compare(preds, ["mean_score", "p50"], n_resamples=99))
    assert [str(w.message)[:22] for w in found] == ["p50: as uncertain as 8"]
    slow = dict(
        zip("ab", 9 + np.cumsum(losses - losses.mean(axis=1)[:, None], axis=1), strict=True)
    )
    days = mc.io.in_time_blocks(scores_of(**slow), np.arange(80))
    (warning,) = warned_by(lambda: mc.compare(days, "mean_score", test="wald"))
    assert str(warning.message).startswith(
        "mean_score: as uncertain as 6 of 6 clusters. With so few, intervals cover"
    )


@needs("large")
def test_scans_by_blocks_say_it(tmp_path: Path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    p = three_positives()
    prob = {m: np.where(p.predicted(m) == 1, 0.8, 0.3) for m in "ab"}
    table = {"y_true": p.y_true}
    for m in "ab":
        table |= {f"{m}:0": 1 - prob[m], f"{m}:1": prob[m]}
    pq.write_table(pa.table(table), tmp_path / "rare.parquet")
    scan = mc.io.scan_predictions(tmp_path / "rare.parquet")

    (warning,) = warned_by(
        lambda: mc.compare(scan, "cf1", method="normal", test="wald", correction="none")
    )

    assert str(warning.message).startswith("cf1 of 1: as uncertain as 3 samples. With so few,")


# -- what decides -----------------------------------------------------------------------------


def weighted(share: float) -> mc.Predictions:
    """One of many samples holds a share of the weight."""
    y = np.arange(N) % 2
    wrong = np.random.default_rng(2).random((2, N)) < 0.3
    weights = np.r_[share / (1 - share) * (N - 1), np.ones(N - 1)]
    return mc.Predictions(y, {"a": y ^ wrong[0], "b": y ^ wrong[1]}, sample_weight=weights)


@pytest.mark.parametrize(
    "ask",
    [
        lambda p: mc.compare(p, "accuracy", n_resamples=99),
        lambda p: mc.decide(p, "a", "b", "accuracy", margin=0.1),
        lambda p: mc.paired_test(p, "a", "b", "accuracy", n_resamples=99),
    ],
)
def test_one_weight_of_thirty_per_cent_is_reported(ask: Callable[[mc.Predictions], object]):
    (warning,) = warned_by(lambda: ask(weighted(0.3)))
    assert str(warning.message).startswith(
        f"accuracy: 1 of {N} samples holds 30 % of the weight. With so few, intervals cover"
    )
    assert not warned_by(lambda: ask(weighted(0.05)))


def test_one_cluster_of_thirty_per_cent_is_reported():
    y = np.arange(400) % 2
    wrong = np.random.default_rng(2).random((2, 400)) < 0.3
    groups = np.maximum(np.arange(400) - 119, 0)
    preds = mc.Predictions(y, {"a": y ^ wrong[0], "b": y ^ wrong[1]}, groups=groups)
    (warning,) = warned_by(lambda: mc.decide(preds, "a", "b", "accuracy", margin=0.1))
    assert str(warning.message).startswith("accuracy: 1 of 281 clusters holds 30 % of the weight.")


def by_class(*support: int) -> mc.Predictions:
    y, rng = np.repeat(np.arange(len(support)), support), np.random.default_rng(3)
    outputs = {m: np.where(rng.random(len(y)) < 0.2, rng.permutation(y), y) for m in "ab"}
    return mc.Predictions(y, outputs, labels=np.arange(len(support)))


@pytest.mark.parametrize(
    ("support", "number"),
    [
        # A class of n samples adds 1 / n to the variance of the mean; of two this is nearly all.
        ((117, 3), (1 / 117 + 1 / 3) ** 2 / (1 / 117**3 + 1 / 27)),
        ((500, 480, 3), (1 / 500 + 1 / 480 + 1 / 3) ** 2 / (1 / 500**3 + 1 / 480**3 + 1 / 27)),
        # Many rare classes are many samples together, but the average is biased.
        ((2,) * 60, 2),
    ],
)
def test_averages_over_rare_classes_have_a_note(support: tuple[int, ...], number: float):
    preds = by_class(*support)
    for found in (
        mc.compare(preds, "f1_macro", n_resamples=99),
        mc.decide(preds, "a", "b", "f1_macro", margin=0.1),
        mc.sample_size(preds, "a", "b", "f1_macro"),
    ):
        rarest = f"class {len(support) - 1} has 3" if len(support) < 9 else "57 more have 2"
        note = re.search(
            rf"f1_macro: as uncertain as ([\d.]+) samples; .*{rarest}", shown_by(found)
        )
        # Fewer where the rare class is also that whose value varies.
        assert note is not None
        assert float(note[1]) == pytest.approx(number, rel=0.06)


def lognormal(sigma: float) -> Callable[[np.random.Generator, int], np.ndarray]:
    return lambda rng, n: rng.lognormal(0, sigma, n)


def test_heavy_tails_are_reported_with_how_many_samples_carry_the_variance():
    preds = scores(lognormal(2))
    result = mc.bootstrap(preds, "mean_score", n_resamples=2)
    x = preds.output("a").array.astype(float)
    u = x - x.mean()
    carriers = (u**2).sum() ** 2 / (u**4).sum()
    assert carriers < 10
    # The influences of a mean are its deviations, whose sums the engine gives.
    moments = influence_moments(result.evaluation, result.point)
    np.testing.assert_allclose(moments.carriers()[0, 0], carriers, rtol=1e-9)

    for ask in (
        lambda: mc.compare(preds, "mean_score", n_resamples=99),
        lambda: mc.decide(preds, "a", "b", "mean_score", margin=1.0),
        lambda: mc.paired_test(preds, "a", "b", "mean_score", n_resamples=99),
        lambda: mc.sample_size(preds, "a", "b", "mean_score"),
        lambda: result.confidence_interval(method="percentile"),
    ):
        (warning,) = warned_by(ask)
        assert f"mean_score of 'a': {carriers:.2g} of 100 samples carry its variance" in str(
            warning.message
        )
        assert "intervals cover the true value less often" in str(warning.message)


def test_heavy_tails_of_a_difference_alone_are_reported():
    """Two per cent of the items lose 0.8, and the models agree but for little elsewhere."""
    rng = np.random.default_rng(4)
    shared = rng.normal(0, 0.3, 100)
    lost = shared + rng.normal(0, 0.02, 100) - 0.8 * (np.arange(100) < 2)
    preds = mc.Predictions.from_scores({"a": shared, "b": lost}, greater_is_better=True)
    (warning,) = warned_by(lambda: mc.decide(preds, "a", "b", "mean_score", margin=0.1))
    assert str(warning.message).startswith("mean_score of 'b' - 'a': 2")
    assert not warned_by(lambda: mc.compare(preds["a"], "mean_score", n_resamples=99))


def test_the_lognormal_mean_is_warned_of_where_it_covers_too_little_and_the_normal_one_is_not():
    """Of 100 lognormal(2) numbers the default covers 0.82 and nearly all trials warn.

    Of 60 trials each at least 48 must warn: at the share of 0.9 that a larger simulation gives,
    fewer have probability 0.01.
    """
    warned = {"lognormal": 0, "normal": 0, "exponential": 0}
    rng = np.random.default_rng(5)
    for _ in range(60):
        drawn = {
            "lognormal": rng.lognormal(0, 2, 100), "normal": rng.normal(size=100),
            "exponential": rng.exponential(size=100),
        }  # fmt: skip
        for name, x in drawn.items():
            preds = mc.Predictions.from_scores({"a": x}, greater_is_better=True)
            result = mc.bootstrap(preds, "mean_score", n_resamples=2)
            warned[name] += bool(warned_by(result.to_frame))
    assert warned["lognormal"] >= 48
    assert warned["normal"] == warned["exponential"] == 0


def probabilities(share: float, n: int) -> mc.Predictions:
    rng = np.random.default_rng(6)
    y = (np.arange(n) < share * n).astype(int)
    logits = {m: 2 * y - 1 + rng.normal(size=n) for m in "ab"}
    return mc.Predictions(
        y, {m: 1 / (1 + np.exp(-np.c_[-x, x])) for m, x in logits.items()}, labels=[0, 1]
    )


HEALTHY: dict[str, tuple[mc.Predictions, list[str]]] = {
    "labels": (by_class(60, 60), ["accuracy", "f1", "f1_macro", "matthews_corrcoef"]),
    "a rare class": (by_class(400, 20), ["recall", "precision", "f1", "f1_macro"]),
    "many classes": (by_class(*[8] * 50), ["f1_macro", "balanced_accuracy", "f1_weighted"]),
    "near-identical models": (
        mc.Predictions(np.arange(300) % 2, {
            "a": np.arange(300) % 2, "b": np.where(np.arange(300) < 3, 0, np.arange(300) % 2)
        }), ["accuracy", "f1"],
    ),
    "probabilities": (probabilities(0.3, 100), ["cf1", "cf1_macro", "log_loss", "brier_score"]),
    "areas": (probabilities(0.2, 100), ["roc_auc", "average_precision"]),
    "normal scores": (scores(lambda rng, n: rng.normal(size=n), 40), ["mean_score"]),
    "exponential scores": (scores(lambda rng, n: rng.exponential(size=n)), ["mean_score"]),
    "lognormal scores": (scores(lognormal(1), 1000), ["mean_score"]),
    "right or wrong": (
        scores(lambda rng, n: (rng.random(n) < 0.97).astype(float)), ["mean_score"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HEALTHY)
def test_where_intervals_hold_nothing_is_reported(name: str):
    preds, metrics = HEALTHY[name]
    assert not warned_by(lambda: mc.compare(preds, metrics, n_resamples=999, correction="none"))
    for metric in metrics:
        label = preds.labels[-1] if metric in ("f1", "recall", "precision", "cf1") else None
        assert not warned_by(
            lambda metric=metric, label=label: mc.decide(
                preds, "a", "b", (metric, label), margin=0.1
            )
        )


def test_a_page_says_what_the_warning_says():
    with pytest.warns(SparseDataWarning) as caught:
        result = mc.compare(scores(lognormal(2)), "mean_score", n_resamples=99)
    assert result.document().notes[0] == str(caught[0].message)
    assert json.dumps(result.document().notes)


def of_one_class(n=40, k=2):
    """Predictions of samples of one class, on k of which one model errs."""
    return {"y_true": ["x"] * n, "a": ["x"] * n, "b": ["x"] * (n - k) + ["y"] * k}


@needs("large", "suites")
def test_no_number_of_samples_is_planned_where_the_error_knows_nothing_of_a_class(tmp_path):
    one = mc.read_predictions(pd.DataFrame(of_one_class()))
    decides = "few samples, or none of a class, decide f1_macro on"
    with pytest.raises(ValueError, match=rf"{decides} this test set.* to 1\.00, is 31 times"):
        mc.sample_size(one, "a", "b", "f1_macro")
    both = mc.Predictions(
        ["x", "y"] * 50, {"a": ["x", "y"] * 50, "b": ["y"] * 9 + ["x", "y", "x"] * 30 + ["y"]}
    )
    with pytest.raises(ValueError, match=f"{decides} test set 'one'.*leave it out, or take a"):
        mc.sample_size({"both": both, "one": one}, "a", "b", "f1_macro")
    assert mc.sample_size(one, "a", "b", "accuracy").n_needed == 153
    pd.DataFrame(of_one_class(400, 20)).to_parquet(tmp_path / "one.parquet")
    with pytest.raises(ValueError, match=f"{decides} this test set"):
        mc.sample_size(mc.io.scan_predictions(tmp_path / "one.parquet"), "a", "b", "f1_macro")


def test_one_sample_is_counted_in_the_singular():
    y = (np.arange(30) < 1).astype(int)
    preds = mc.Predictions(y, {"a": y, "b": 0 * y})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mc.UndefinedMetricWarning)
        found = mc.paired_test(preds, "a", "b", "recall[1]", n_resamples=99)
    assert found.notes == ("recall of 1: as uncertain as 1 sample; class 1 has 1.",)


def scores_of(**of_models: np.ndarray) -> mc.Predictions:
    return mc.Predictions.from_scores(of_models, greater_is_better=True)


def test_a_lognormal_tail_that_no_sample_shows_is_warned_of_on_every_road():
    *_, x, y = sorted(lognormals(2, 1000, 40), key=carriers_of)
    assert carriers_of(x) > 10
    preds = scores_of(a=x, b=y)
    for ask in (
        lambda: mc.compare(preds, "mean_score", n_resamples=99),
        lambda: mc.decide(preds, "a", "b", "mean_score", margin=1.0),
        lambda: mc.gate(preds, "a", "b", ["mean_score:-1"]),
        lambda: mc.paired_test(preds, "a", "b", "mean_score", n_resamples=99),
        lambda: mc.sample_size(preds, "a", "b", "mean_score"),
    ):
        (warning,) = warned_by(ask)
        text = str(warning.message)
        assert "mean_score of 'a': by their logarithms, larger samples than all 1,000 may" in text
        assert "With so few, intervals cover the true value less often" in text


def lognormals(sigma: float, n: int, n_drawn: int) -> np.ndarray:
    return np.random.default_rng(7).lognormal(0, sigma, (n_drawn, n))


def carriers_of(x: np.ndarray) -> float:
    u = x - x.mean()
    return (u**2).sum() ** 2 / (u**4).sum()


def test_numbers_whose_means_are_covered_are_seldom_warned_of():
    """Lognormal (sigma 1) and exponential numbers of 50 samples: 0.95 of 0.95, by simulation."""
    seen = [carriers_of(x) < 10 for x in lognormals(1, 50, 60)]
    assert np.mean(seen) > 0.4  # which is no reason to warn
    for drawn in (lognormals(1, 50, 60), np.random.default_rng(8).exponential(size=(60, 50))):
        found = [mc.bootstrap(scores_of(a=x), "mean_score", n_resamples=2) for x in drawn]
        assert np.mean([bool(warned_by(each.to_frame)) for each in found]) <= 0.1


def test_spreads_of_logarithms_are_those_of_numpy_and_scipy():
    rng = np.random.default_rng(2)
    x = rng.lognormal(1, 1.3, 200)
    negative, zeros = rng.normal(size=200), np.where(np.arange(200) < 120, 0, x)
    found = spreads_of(scores_of(a=x, b=negative, c=zeros))
    logs = np.log(x)
    limit = logs.std() * (1 + 1.64 / np.sqrt(400))
    expected = limit, limit * min(1, 1 + skew(logs) / 2), x.var() / x.mean() ** 2
    np.testing.assert_allclose([each[0] for each in found], expected, rtol=1e-9)
    assert np.isnan([each[1:] for each in found[:2]]).all()


def spreads_of(preds: mc.Predictions):
    result = mc.bootstrap(preds, "mean_score", n_resamples=2)
    return _spreads_of(result.evaluation, *result.evaluation.metrics)


def test_a_difference_has_a_heavy_tail_if_one_model_has_it_and_the_other_has_not():
    rng = np.random.default_rng(3)
    heavy, other, light = rng.lognormal(0, 2, 200), rng.lognormal(0, 2, 200), rng.normal(7, 1, 200)
    both = [str(w.message) for w in warned_by(lambda: mc.compare(scores_of(a=heavy, b=other)))]
    assert "'a' - 'b'" not in " ".join(both)
    one = [str(w.message) for w in warned_by(lambda: mc.compare(scores_of(a=heavy, b=light)))]
    assert "mean_score of 'a' - 'b'" in " ".join(one)


@pytest.mark.parametrize(("n", "judged"), [(100_000, True), (100_001, False)])
def test_logarithms_are_looked_at_up_to_a_hundred_thousand_samples(n: int, judged: bool):
    found = spreads_of(scores_of(a=np.exp(np.linspace(-1, 1, n))))
    assert (found is not None) == judged
    if found is not None:
        # Even logarithms from -1 to 1 have the variance 1/3, and no skewness.
        limit = np.sqrt(1 / 3) * (1 + 1.64 / np.sqrt(2 * n))
        assert [float(each[0]) for each in found[:2]] == pytest.approx([limit, limit], rel=1e-4)


@needs("large")
def test_logarithms_of_rows_in_files_are_not_looked_at(tmp_path: Path):
    pd.DataFrame({"id": range(50), "a": np.exp(np.linspace(-1, 1, 50))}).to_parquet(
        tmp_path / "p.parquet"
    )
    preds = mc.io.scan_predictions(tmp_path / "p.parquet", greater_is_better=True)
    assert spreads_of(preds) is None
