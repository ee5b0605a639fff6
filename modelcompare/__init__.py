"""Statistical comparison of models from their predictions on a test set.

The public names are loaded when they are first used, so that ``import modelcompare`` stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from modelcompare import metrics
    from modelcompare.comparison import (
        BootstrapResult,
        Comparison,
        CurveResult,
        DecisionResult,
        EstimatorComparison,
        OmnibusResult,
        PairedTestResult,
        Reliability,
        SetComparison,
        SliceComparison,
        annotator_agreement,
        bootstrap,
        compare,
        compare_estimators,
        compare_scorers,
        compare_sets,
        compare_slices,
        curve,
        decide,
        model_agreement,
        omnibus_test,
        operating_point,
        paired_test,
        reliability,
        selfcheck,
        unpaired_test,
        variance_components,
    )
    from modelcompare.confidences import bin_values, from_bins, from_nbest, missing_mass, quantize
    from modelcompare.examples import load_example
    from modelcompare.metrics import (
        Metric,
        UndefinedMetricWarning,
        confusion_matrix,
        get_metric,
        probabilistic_confusion_matrix,
    )
    from modelcompare.predictions import Predictions
    from modelcompare.readers import read_predictions
    from modelcompare.report import model_card
    from modelcompare.significance import variance_tests
    from modelcompare.studies import (
        PAPER_PAIRS,
        PAPER_RATIOS,
        AgreementStudy,
        QuantizationStudy,
        SampleSize,
        SensitivityStudy,
        UndefinedStudy,
        VarianceStudy,
        agreement_study,
        quantization_study,
        sample_size,
        sensitivity_study,
        undefined_study,
        variance_study,
    )

    __version__: str

__all__ = [
    "PAPER_PAIRS",
    "PAPER_RATIOS",
    "AgreementStudy",
    "BootstrapResult",
    "Comparison",
    "CurveResult",
    "DecisionResult",
    "EstimatorComparison",
    "Metric",
    "OmnibusResult",
    "PairedTestResult",
    "Predictions",
    "QuantizationStudy",
    "Reliability",
    "SampleSize",
    "SensitivityStudy",
    "SetComparison",
    "SliceComparison",
    "UndefinedMetricWarning",
    "UndefinedStudy",
    "VarianceStudy",
    "agreement_study",
    "annotator_agreement",
    "bin_values",
    "bootstrap",
    "compare",
    "compare_estimators",
    "compare_scorers",
    "compare_sets",
    "compare_slices",
    "confusion_matrix",
    "curve",
    "decide",
    "from_bins",
    "from_nbest",
    "get_metric",
    "load_example",
    "metrics",
    "missing_mass",
    "model_agreement",
    "model_card",
    "omnibus_test",
    "operating_point",
    "paired_test",
    "probabilistic_confusion_matrix",
    "quantization_study",
    "quantize",
    "read_predictions",
    "reliability",
    "sample_size",
    "selfcheck",
    "sensitivity_study",
    "undefined_study",
    "unpaired_test",
    "variance_components",
    "variance_study",
    "variance_tests",
]

# Where each public name lives; tests/test_init.py holds it against the imports above.
_NAMES_OF_MODULE = {
    "comparison": (
        "BootstrapResult",
        "Comparison",
        "CurveResult",
        "DecisionResult",
        "EstimatorComparison",
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
    ),
    "confidences": ("bin_values", "from_bins", "from_nbest", "missing_mass", "quantize"),
    "examples": ("load_example",),
    "metrics": (
        "Metric",
        "UndefinedMetricWarning",
        "confusion_matrix",
        "get_metric",
        "probabilistic_confusion_matrix",
    ),
    "predictions": ("Predictions",),
    "readers": ("read_predictions",),
    "report": ("model_card",),
    "significance": ("variance_tests",),
    "studies": (
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
    ),
}
_MODULE_OF_NAME = {name: module for module, names in _NAMES_OF_MODULE.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name on first use (PEP 562)."""
    if name in _MODULE_OF_NAME:
        value = getattr(import_module(f"{__name__}.{_MODULE_OF_NAME[name]}"), name)
    elif name == "metrics":
        value = import_module(f"{__name__}.metrics")
    elif name == "__version__":
        from importlib.metadata import version

        value = version("modelcompare")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return [*__all__, "__version__"]
