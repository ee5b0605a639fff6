"""Studies of metrics: those of Yacouby and Axman (2020), and what follows from them."""

from modelcompare.plugins.paper.agreement import agreement_study as agreement_study
from modelcompare.plugins.paper.agreement_result import AgreementStudy as AgreementStudy
from modelcompare.plugins.paper.card import model_card as model_card
from modelcompare.plugins.paper.pairs import PAPER_PAIRS as PAPER_PAIRS
from modelcompare.plugins.paper.pairs import PAPER_RATIOS as PAPER_RATIOS
from modelcompare.plugins.paper.quantization import QuantizationStudy as QuantizationStudy
from modelcompare.plugins.paper.quantization import quantization_study as quantization_study
from modelcompare.plugins.paper.sensitivity import SensitivityStudy as SensitivityStudy
from modelcompare.plugins.paper.sensitivity import sensitivity_study as sensitivity_study
from modelcompare.plugins.paper.undefined import UndefinedStudy as UndefinedStudy
from modelcompare.plugins.paper.undefined import undefined_study as undefined_study
from modelcompare.plugins.paper.variance import variance_study as variance_study
from modelcompare.plugins.paper.variance_result import VarianceStudy as VarianceStudy
