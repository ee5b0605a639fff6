"""Numbers that R gives, with the commands that gave them (R 4.2.2, pROC 1.18.0, boot 1.3-28.1).

Those to 15 digits are in pROC's tests, test-ci.auc.R and test-roc.test.R.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from tests.plugged import needs

ASAH = Path(__file__).parents[1] / "data" / "asah.csv"
# > aircondit$hours
HOURS = np.array([3, 5, 7, 18, 43, 85, 91, 98, 100, 130, 230, 487.0])


@pytest.fixture(scope="module")
def asah():
    """The markers as scores in [0, 1]; AUC depends on their order alone."""
    frame = pd.read_csv(ASAH, comment="#")
    scores = {m: frame[m].rank(method="dense") / 200 for m in ("wfns", "s100b", "ndka")}
    return mc.Predictions(frame["poor"], scores, kind="probabilities")


@needs("classical")
def test_delong_on_asah(asah):
    # > roc.test(roc(d$poor, d$wfns), roc(d$poor, d$s100b), method = "delong")
    found = mc.paired_test(asah, "wfns", "s100b", "roc_auc", method="delong")
    assert found.statistic == pytest.approx(2.208983591, abs=5e-10)
    assert found.p_value == pytest.approx(0.02717578223, abs=5e-12)
    frame = mc.bootstrap(asah, "roc_auc", n_resamples=2).confidence_interval(method="delong")
    # > auc(r1); auc(r2); ci.auc(r1); ci.auc(r2)
    np.testing.assert_allclose(frame["estimate"][:2], [0.8236788618, 0.7313685637], atol=5e-11)
    np.testing.assert_allclose(frame["ci_low"][:2], [0.7485349, 0.6301182], atol=5e-8)
    np.testing.assert_allclose(frame["ci_high"][:2], [0.8988228, 0.8326189], atol=5e-8)
    # > ci.auc(r.ndka)
    expected = [0.501244999271703, 0.611957994579946, 0.722670989888189]
    found = frame.loc[2, ["ci_low", "estimate", "ci_high"]].astype(float)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


# > t <- roc.test(r.wfns, r.s100b); t$statistic; t$p.value; t$conf.int
# > t <- roc.test(r.wfns, r.s100b, paired = FALSE); t$statistic; t$p.value
DELONG = {
    ("wfns", "s100b"): (
        (2.20898359144091, 0.0271757822291882), (0.0104061769564846, 0.174214419249478),
        (1.43490640926908, 0.152825378808796),
    ),
    ("wfns", "ndka"): (
        (2.79777591868904, 0.00514557970691098), (0.0634011709339876, 0.3600405634833566),
        (3.10125096778969, 0.00220950791756457),
    ),
    ("ndka", "s100b"): (
        (-1.39077002573558, 0.164295175223054), (-0.2876917446341914, 0.0488706064228094),
        (-1.55995743389685, 0.120192832430845),
    ),
}  # fmt: skip


@needs("classical")
@pytest.mark.parametrize("pair", DELONG)
def test_delong_of_two_areas_is_procs(asah, pair):
    paired, interval, _ = DELONG[pair]
    found = mc.paired_test(asah, *pair, "roc_auc", method="delong")
    assert (found.statistic, found.p_value) == pytest.approx(paired, rel=1e-12)
    compared = mc.compare(asah[list(pair)], "roc_auc", method="delong", n_resamples=99)
    row = compared.differences.iloc[0]
    assert (row.ci_low, row.ci_high) == pytest.approx(interval, rel=1e-12)
    assert row.method == "delong"


def test_partial_auc_on_asah(asah):
    # > auc(r2, partial.auc = c(1, 0.8), partial.auc.correct = TRUE)
    found = mc.bootstrap(asah["s100b"], "roc_auc_at_0.2", n_resamples=2).point[0, 0]
    assert found == pytest.approx(0.6683039747, abs=5e-11)


def test_other_tests_of_auc_come_near_delong(asah):
    for method in ("bootstrap", "sign-flip"):
        found = mc.paired_test(asah, "wfns", "s100b", "roc_auc", method=method)
        assert found.p_value == pytest.approx(0.0272, abs=0.015)


def test_bootstrap_intervals_of_a_mean():
    # > set.seed(1); b <- boot(aircondit$hours, function(d, i) mean(d[i]), R = 99999)
    # > boot.ci(b, type = c("perc", "bca", "basic"))
    result = mc.bootstrap(mc.Predictions.from_scores({"a": HOURS}), n_resamples=99_999)
    expected = {
        "BCa": (57.166667, 227.1577),
        "percentile": (46.916667, 191.66667),
        "basic": (24.5, 169.25),
    }
    for method, bounds in expected.items():
        frame = result.confidence_interval(method=method)
        assert (frame.ci_low[0], frame.ci_high[0]) == pytest.approx(bounds, abs=1.5), method
