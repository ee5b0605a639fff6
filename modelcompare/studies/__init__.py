"""Studies of metrics: those of Yacouby and Axman (2020), and what follows from them."""

from modelcompare.studies.agreement import AgreementStudy as AgreementStudy
from modelcompare.studies.agreement import agreement_study as agreement_study
from modelcompare.studies.card import model_card as model_card
from modelcompare.studies.pairs import PAPER_PAIRS as PAPER_PAIRS
from modelcompare.studies.pairs import PAPER_RATIOS as PAPER_RATIOS
from modelcompare.studies.quantization import QuantizationStudy as QuantizationStudy
from modelcompare.studies.quantization import quantization_study as quantization_study
from modelcompare.studies.sensitivity import SensitivityStudy as SensitivityStudy
from modelcompare.studies.sensitivity import sensitivity_study as sensitivity_study
from modelcompare.studies.undefined import UndefinedStudy as UndefinedStudy
from modelcompare.studies.undefined import undefined_study as undefined_study
from modelcompare.studies.variance import variance_study as variance_study
from modelcompare.studies.variance_result import VarianceStudy as VarianceStudy
