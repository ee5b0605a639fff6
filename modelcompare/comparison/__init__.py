"""Compare models on one test set: scores, paired differences, ranks, a verdict."""

from modelcompare.comparison.assembly import compare
from modelcompare.comparison.bootstrapping import bootstrap
from modelcompare.comparison.components import variance_components
from modelcompare.comparison.decisions import DecisionResult, decide
from modelcompare.comparison.estimators import EstimatorComparison, compare_estimators
from modelcompare.comparison.omnibus import OmnibusResult, omnibus_test
from modelcompare.comparison.paired import PairedTestResult, paired_test
from modelcompare.comparison.realised import selfcheck
from modelcompare.comparison.replicates import BootstrapResult
from modelcompare.comparison.result import Comparison, MetricInfo
from modelcompare.comparison.scorers import compare_scorers
from modelcompare.comparison.sets import SetComparison, compare_sets
from modelcompare.comparison.slices import SliceComparison, compare_slices
from modelcompare.comparison.unpaired import unpaired_test

__all__ = [
    "BootstrapResult",
    "Comparison",
    "DecisionResult",
    "EstimatorComparison",
    "MetricInfo",
    "OmnibusResult",
    "PairedTestResult",
    "SetComparison",
    "SliceComparison",
    "bootstrap",
    "compare",
    "compare_estimators",
    "compare_scorers",
    "compare_sets",
    "compare_slices",
    "decide",
    "omnibus_test",
    "paired_test",
    "selfcheck",
    "unpaired_test",
    "variance_components",
]
