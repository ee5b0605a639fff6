"""Compare models on one test set: scores, paired differences, ranks, a verdict."""

from modelcompare.comparison.annotators import annotator_agreement, model_agreement
from modelcompare.comparison.assembly import compare
from modelcompare.comparison.bootstrapping import bootstrap
from modelcompare.comparison.components import variance_components
from modelcompare.comparison.confidence_bins import Reliability, reliability
from modelcompare.comparison.curves import CurveResult, curve, operating_point
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
    "CurveResult",
    "DecisionResult",
    "EstimatorComparison",
    "MetricInfo",
    "OmnibusResult",
    "PairedTestResult",
    "Reliability",
    "SetComparison",
    "SliceComparison",
    "annotator_agreement",
    "bootstrap",
    "compare",
    "compare_estimators",
    "compare_scorers",
    "compare_sets",
    "compare_slices",
    "curve",
    "decide",
    "model_agreement",
    "omnibus_test",
    "operating_point",
    "paired_test",
    "reliability",
    "selfcheck",
    "unpaired_test",
    "variance_components",
]
