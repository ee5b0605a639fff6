"""McNemar's tests of counts, at their edges and as R has them."""

import pytest

from modelcompare.plugins.classical.pair_tests import mcnemar_test


def test_mcnemar_at_its_edges():
    for method in ("mcnemar-exact", "mcnemar-midp", "mcnemar-chi2", "mcnemar-chi2-corrected"):
        assert mcnemar_test(0, 0, method)[1] == 1.0
    # R: mcnemar.test(matrix(c(10, 7, 7, 10), 2))$p.value is 1
    assert mcnemar_test(7, 7, "mcnemar-chi2-corrected")[1] == 1.0
    # (|150 - 86| - 1)^2 / 236
    statistic, p = mcnemar_test(150, 86, "mcnemar-chi2-corrected")
    assert statistic == pytest.approx(16.818, abs=5e-4)
    assert p == pytest.approx(4.115e-05, rel=1e-3)
    assert mcnemar_test(5, 0, "mcnemar-exact", "greater")[1] == 0.5**5
    assert mcnemar_test(5, 0, "mcnemar-exact", "less")[1] == 1.0


def test_counts_are_tested_as_in_r():
    # > mcnemar.test(matrix(c(10, 7, 7, 10), 2))$p.value
    assert mcnemar_test(7, 7, "mcnemar-chi2-corrected")[1] == 1
    # > mcnemar.test(matrix(c(794, 86, 150, 570), 2))
    statistic, p_value = mcnemar_test(150, 86, "mcnemar-chi2-corrected")
    assert statistic == pytest.approx(16.818, abs=5e-4)
    assert p_value == pytest.approx(4.115e-05, abs=5e-9)
