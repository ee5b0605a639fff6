"""The studies of Yacouby & Axman (2020) for any set of models, and what follows from them."""

from modelcompare.studies.agreement import AgreementStudy, agreement_study
from modelcompare.studies.pairs import PAPER_PAIRS, PAPER_RATIOS
from modelcompare.studies.quantization import QuantizationStudy, quantization_study
from modelcompare.studies.sensitivity import SensitivityStudy, sensitivity_study
from modelcompare.studies.sizing import SampleSize, sample_size
from modelcompare.studies.undefined import UndefinedStudy, undefined_study
from modelcompare.studies.variance import VarianceStudy, variance_study

__all__ = [
    "PAPER_PAIRS",
    "PAPER_RATIOS",
    "AgreementStudy",
    "QuantizationStudy",
    "SampleSize",
    "SensitivityStudy",
    "UndefinedStudy",
    "VarianceStudy",
    "agreement_study",
    "quantization_study",
    "sample_size",
    "sensitivity_study",
    "undefined_study",
    "variance_study",
]
