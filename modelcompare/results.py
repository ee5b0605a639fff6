"""Classes of the results that the functions of `modelcompare` return, for annotations."""

from modelcompare import plugs
from modelcompare.comparison.bootstrap_result import BootstrapResult as BootstrapResult
from modelcompare.comparison.groups import GroupComparison as GroupComparison
from modelcompare.comparison.result import Comparison as Comparison
from modelcompare.questions.decide import DecisionResult as DecisionResult
from modelcompare.questions.gate_result import GateResult as GateResult
from modelcompare.questions.paired import PairedTestResult as PairedTestResult
from modelcompare.questions.sizes import SampleSize as SampleSize

__getattr__, __dir__ = plugs.room(__name__)
