"""What is asked of a scan is answered as memory answers it, or refused with what to do."""

import re
from typing import get_args

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.plugins.large import planning
from modelcompare.significance import TESTS
from modelcompare.words import PairsTest
from tests.plugged import needs
from tests.small_blocks import ROW_BLOCK

N = ROW_BLOCK + 1_000
pytestmark = [
    pytest.mark.usefixtures("small_blocks"),
    pytest.mark.filterwarnings("ignore:.* resamples are too few for"),
]
SOFT = ["accuracy", "f1", "cf1"]
METHODS = ["normal", "percentile", "basic", "BCa", "logit"]
BY_BLOCKS = ["wald", "bootstrap", "sign-flip", "permutation"]


@pytest.fixture(scope="module")
def soft():
    rng = np.random.default_rng(1)
    columns = {"y_true": rng.choice(["x", "y", "z"], N, p=[0.5, 0.45, 0.05])}
    for model in "ab":
        p = rng.dirichlet([1, 2, 1], N)
        columns |= {f"{model}:{label}": p[:, j] for j, label in enumerate("xyz")}
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def hard():
    rng = np.random.default_rng(2)
    true = rng.choice(["no", "yes", "?"], N)
    predicted = {m: np.where(rng.random(N) < 0.2, rng.permutation(true), true) for m in "abc"}
    return pd.DataFrame({"y_true": true, **predicted})


@pytest.fixture
def never_loaded(monkeypatch):
    """As if no scan fitted into memory."""
    monkeypatch.setattr(planning, "free_memory", lambda: 1_000)
    monkeypatch.setattr(mc.io.ScannedPredictions, "load", lambda _: pytest.fail("was loaded"))


def without_effects(result):
    """Numbers of a result without effect sizes, which a scan does not have."""
    return {k: v for k, v in vars(result).items() if k not in ("cohens_dz", "cliffs_delta")}


def same(memory, scan, *frames):
    assert memory.signature == scan.signature
    for name in frames:
        pd.testing.assert_frame_equal(
            getattr(memory, name), getattr(scan, name), check_exact=True, obj=name
        )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.usefixtures("never_loaded")
def test_intervals_by_blocks_are_those_of_memory(method, soft):
    asked = {"n_resamples": 20, "method": method, "test": "bootstrap"}
    memory = mc.compare(mc.read_predictions(soft), SOFT, **asked)
    scan = mc.compare(mc.io.scan_predictions(soft), SOFT, **asked)
    same(memory.evidence, scan.evidence, "scores", "differences", "standings", "leads")


@pytest.mark.usefixtures("never_loaded")
@pytest.mark.parametrize("test", BY_BLOCKS)
def test_tests_by_blocks_are_those_of_memory(test, soft):
    asked = {"n_resamples": 20, "method": "percentile", "test": test}
    memory = mc.compare(mc.read_predictions(soft), SOFT, **asked)
    scan = mc.compare(mc.io.scan_predictions(soft), SOFT, **asked)
    same(memory, scan, "differences")
    asked = {"metric": "cf1_macro", "n_resamples": 20, "method": test}
    memory = mc.paired_test(mc.read_predictions(soft), "b", "a", **asked)
    assert memory == mc.paired_test(mc.io.scan_predictions(soft), "b", "a", **asked)


@pytest.mark.usefixtures("never_loaded")
@pytest.mark.parametrize("metrics", [["accuracy", "f1", "f1_macro"], ["mcc", "f1_weighted"]])
def test_labels_are_answered_by_the_defaults_of_memory(metrics, hard):
    memory = mc.compare(mc.read_predictions(hard), metrics, n_resamples=99)
    scan = mc.compare(mc.io.scan_predictions(hard), metrics, n_resamples=99)
    same(memory, scan, "scores", "differences", "standings")
    assert "|collapsed" in scan.signature
    assert "ci:auto|test:studentized-permutation" in scan.signature


@pytest.mark.usefixtures("never_loaded")
def test_labels_step_down_and_swap_as_in_memory(hard):
    asked = {"n_resamples": 99, "correction": "min-p"}
    memory = mc.compare(mc.read_predictions(hard), "f1", **asked)
    same(memory, mc.compare(mc.io.scan_predictions(hard), "f1", **asked), "differences")
    for metric in ("accuracy", "f1_macro"):
        of_memory = mc.paired_test(mc.read_predictions(hard), "b", "a", metric, n_resamples=99)
        assert of_memory == mc.paired_test(
            mc.io.scan_predictions(hard), "b", "a", metric, n_resamples=99
        )


@pytest.fixture(scope="module")
def stratified(soft, hard):
    rng = np.random.default_rng(3)
    beside = {"s": rng.choice(["web", "call", "mail"], N, p=[0.7, 0.25, 0.05])}
    beside["w"] = rng.uniform(0, 2, N)
    return soft.assign(**beside), hard.assign(**beside)


@pytest.mark.usefixtures("never_loaded")
@pytest.mark.parametrize(
    "asked",
    [
        {"method": "normal"},
        {"method": "normal", "correction": "max-t"},
        *({"method": "BCa", "test": test} for test in BY_BLOCKS),
    ],
    ids=str,
)
@pytest.mark.parametrize("weight", [None, "w"])
def test_strata_of_samples_are_those_of_memory(asked, weight, stratified):
    rows = stratified[0] if weight else stratified[0].drop(columns="w")
    memory, scan = (
        mc.compare(
            read(rows, columns={"strata": "s", "weight": weight}), SOFT, n_resamples=20, **asked
        )
        for read in (mc.read_predictions, mc.io.scan_predictions)
    )
    if asked == {"method": "normal"}:
        # Resamples of memory are those of its ranks.
        one, other = (re.sub(r"B:\d+", "B", found.signature) for found in (memory, scan))
        assert one == other
        pd.testing.assert_frame_equal(memory.differences, scan.differences, check_exact=True)
    else:
        same(memory, scan, "scores", "differences")
    assert "|stratified" in scan.signature
    plain = mc.compare(
        mc.io.scan_predictions(rows.drop(columns="s"), columns={"weight": weight}),
        SOFT,
        n_resamples=20,
        **asked,
    )
    assert not plain.differences["standard_error"].equals(scan.differences["standard_error"])


@pytest.mark.usefixtures("never_loaded")
@pytest.mark.parametrize("metrics", [["accuracy", "f1", "f1_macro"], ["mcc", "f1_weighted"]])
def test_labels_in_strata_are_answered_by_the_defaults_of_memory(metrics, stratified):
    rows = stratified[1].drop(columns="w")
    memory, scan = (
        mc.compare(read(rows, columns={"strata": "s"}), metrics, n_resamples=99)
        for read in (mc.read_predictions, mc.io.scan_predictions)
    )
    same(memory, scan, "scores", "differences", "standings")
    assert scan.signature.endswith("|stratified|collapsed")


@pytest.mark.usefixtures("never_loaded")
def test_two_models_in_strata_are_tested_and_decided_as_in_memory(stratified):
    rows = stratified[0].drop(columns="w")
    memory, scan = (
        read(rows, columns={"strata": "s"})
        for read in (mc.read_predictions, mc.io.scan_predictions)
    )
    for ask in (
        lambda preds: without_effects(mc.paired_test(preds, "a", "b", "cf1_macro", n_resamples=99)),
        lambda preds: without_effects(
            mc.decide(preds, "a", "b", "log_loss", margin=0.01, method="normal", n_resamples=99)
        ),
        lambda preds: mc.bootstrap(preds, "cf1", n_resamples=9).draws.tobytes(),
        lambda preds: str(mc.sample_size(preds, "a", "b", "log_loss")),
        lambda preds: str(mc.compare(preds.subset(range(1, N, 3)), "cf1", method="normal")),
    ):
        # Resamples of memory are those of its ranks.
        found = [ask(preds) for preds in (memory, scan)]
        if isinstance(found[0], str):
            found = [re.sub(r"B:\d+", "B", text) for text in found]
        assert found[0] == found[1]


@pytest.mark.usefixtures("never_loaded")
def test_missing_strata_are_refused_by_the_row_as_in_memory(stratified):
    rows = stratified[1].drop(columns="w")
    rows.loc[N - 5, "s"] = None
    for read in (mc.read_predictions, mc.io.scan_predictions):
        with pytest.raises(ValueError, match=rf"`strata` has missing values.*row {N - 5}\)"):
            mc.compare(read(rows, columns={"strata": "s"}), "accuracy", n_resamples=20)


@pytest.mark.usefixtures("never_loaded")
@pytest.mark.parametrize("method", ["normal", "percentile"])
def test_decisions_are_those_of_memory(method, soft, hard):
    asked = {"margin": 0.01, "n_resamples": 20, "method": method}
    memory = mc.decide(mc.read_predictions(soft), "a", "b", "cf1_macro", **asked)
    scanned = mc.decide(mc.io.scan_predictions(soft), "a", "b", "cf1_macro", **asked)
    # Python 3.13 finds no result equal to another that holds the same NaN.
    assert without_effects(memory) == without_effects(scanned)
    memory = mc.decide(mc.read_predictions(hard), "a", "b", "f1_macro", margin=0.01)
    scanned = mc.decide(mc.io.scan_predictions(hard), "a", "b", "f1_macro", margin=0.01)
    assert without_effects(memory) == without_effects(scanned)


@needs("calibration")
@pytest.mark.usefixtures("never_loaded")
def test_large_scans_of_soft_metrics_have_normal_intervals_and_the_swaps_of_memory(soft):
    found = mc.compare(mc.io.scan_predictions(soft), SOFT, n_resamples=99)
    assert f"n:{N}|B:0|ci:normal|test:studentized-permutation|" in found.signature
    assert found.signature.endswith("groups:4096")
    asked = {"method": "normal", "n_resamples": 99}
    memory = mc.compare(mc.read_predictions(soft), SOFT, **asked)
    columns = ["estimate", "standard_error", "ci_low", "ci_high", "rank", "method"]
    pd.testing.assert_frame_equal(memory.scores[columns], found.scores[columns], check_exact=True)
    pd.testing.assert_frame_equal(memory.differences, found.differences, check_exact=True)
    assert "(of swaps of the two models' outputs" in found.document().method
    assert "Swaps are of 4,096 groups of samples" in found.document().method
    assert found.standings["p_best"].isna().all()
    asked = {"metric": "cf1_macro", "n_resamples": 99}
    tested = mc.paired_test(mc.io.scan_predictions(soft), "a", "b", **asked)
    assert tested == mc.paired_test(mc.read_predictions(soft), "a", "b", **asked)
    plain = mc.compare(mc.io.scan_predictions(soft), SOFT, test="wald")
    assert "|B:0|ci:normal|test:wald|" in plain.signature
    assert "without resamples" in plain.document().method
    decided = mc.decide(mc.io.scan_predictions(soft), "a", "b", "cf1_macro", margin=0.01)
    assert "ci:normal" in decided.signature
    with pytest.raises(ValueError, match="no resamples were drawn"):
        found.simultaneous_intervals()


@needs("latex", "page")
@pytest.mark.usefixtures("never_loaded")
def test_every_form_of_a_result_without_resamples_can_be_written(soft, tmp_path):
    found = mc.compare(mc.io.scan_predictions(soft), SOFT)
    found.to_html(tmp_path / "x.html")
    assert "nan" not in str(found)
    assert found.to_markdown()
    assert found.to_latex()


@needs("classical")
def test_what_blocks_cannot_answer_is_read_whole_where_it_fits(soft):
    scan, memory = mc.io.scan_predictions(soft), mc.read_predictions(soft)
    asked = {"n_resamples": 30}
    same(mc.compare(memory, SOFT, **asked), mc.compare(scan, SOFT, **asked), "scores")
    auc = mc.bootstrap(scan, "roc_auc_ovr", **asked)
    np.testing.assert_array_equal(auc.draws, mc.bootstrap(memory, "roc_auc_ovr", **asked).draws)
    asked = {"metric": "accuracy", "method": "mcnemar-exact"}
    assert mc.paired_test(memory, "a", "b", **asked) == mc.paired_test(scan, "a", "b", **asked)


@pytest.mark.parametrize(
    ("ask", "named"),
    [
        (lambda scan: mc.compare(scan, "roc_auc_ovr"), "roc_auc_ovr"),
        (lambda scan: mc.bootstrap(scan, "roc_auc_ovr"), "roc_auc_ovr"),
        (lambda scan: mc.compare(scan, "cf1", method="studentized"), "method='studentized'"),
        pytest.param(
            lambda scan: mc.paired_test(scan, "a", "b", "cf1_macro", method="t"),
            "test 't'",
            marks=needs("classical"),
        ),
        pytest.param(
            lambda scan: mc.paired_test(scan, "a", "b", "accuracy", method="mcnemar-exact"),
            "test 'mcnemar-exact'",
            marks=needs("classical"),
        ),
    ],
)
def test_what_neither_blocks_nor_memory_can_answer_is_refused(ask, named, soft, monkeypatch):
    monkeypatch.setattr(planning, "free_memory", lambda: 1_000)
    with pytest.raises(ValueError, match=f"{named} needs all samples at once.*method=normal"):
        ask(mc.io.scan_predictions(soft))


def test_free_memory_is_read_off_the_system():
    assert 2**20 < planning.free_memory() < 2**60


def test_every_test_of_all_pairs_is_served_or_stood_in_for():
    served = {name for name, row in TESTS.items() if row.reads == "sums"}
    assert {*get_args(PairsTest)} <= served


@needs("calibration")
@pytest.mark.usefixtures("never_loaded")
def test_calibration_errors_keep_their_interval_by_blocks(soft):
    asked = {"n_resamples": 20, "test": "bootstrap"}
    memory = mc.compare(mc.read_predictions(soft), ["debiased_ece", "ece"], **asked)
    scan = mc.compare(mc.io.scan_predictions(soft), ["debiased_ece", "ece"], **asked)
    same(memory, scan, "scores", "differences")
    assert set(scan.scores["method"]) == {"test-inversion"}
    assert set(scan.differences["method"]) == {"mover"}
    with pytest.raises(ValueError, match=r"ece needs another interval.* ask for it alone"):
        mc.compare(mc.io.scan_predictions(soft), ["ece", "log_loss"], **asked)
    # Named, the stand-in is what it is elsewhere.
    mixed = mc.compare(mc.io.scan_predictions(soft), ["ece", "log_loss"], method="normal", **asked)
    assert set(mixed.scores["method"]) == {"normal"}
