"""Rows of the tables of other tests."""

import modelcompare as mc
from tests.made_up import made_up, sliced
from tests.senseless import COUNTS, METRICS, PLAIN, PREDS, Door

FEW = {"n_resamples": 20}
TYPED = ("--resamples", "60")
MADE = {
    "VarianceStudy": lambda: mc.studies.variance_study(
        sliced(), ["f1"], ratios=[1, 0.5], n_resamples=99
    ),
    "AgreementStudy": lambda: mc.studies.agreement_study(sliced(), ["f1"], n_resamples=99),
    "UndefinedStudy": lambda: mc.studies.undefined_study(
        sliced(), ["f1"], ratios=[1, 0.5], n_resamples=99
    ),
    "SensitivityStudy": lambda: mc.studies.sensitivity_study(
        sliced(), ["f1_macro", "cf1_macro"], temperatures=[0.5], noises=[0.5], n_resamples=99
    ),
    "QuantizationStudy": lambda: mc.studies.quantization_study(sliced(), "cf1_macro", n_bins=[2]),
}
PICKLED = {
    "variance_study": lambda _: mc.studies.variance_study(made_up(90), ["f1"], ratios=(0.5, 1.0), **FEW),
    "agreement_study": lambda _: mc.studies.agreement_study(sliced(), ["f1"], **FEW),
    "undefined_study": lambda _: mc.studies.undefined_study(made_up(90), ratios=(0.5, 1.0), **FEW),
    "sensitivity_study": lambda _: mc.studies.sensitivity_study(made_up(90)),
    "quantization_study": lambda _: mc.studies.quantization_study(made_up(90)),
}  # fmt: skip
LIBRARY = {
    "study variance": mc.studies.variance_study, "study agreement": mc.studies.agreement_study,
    "study undefined": mc.studies.undefined_study,
    "study quantization": mc.studies.quantization_study,
}  # fmt: skip
ASKED = {
    "study variance": (("snli.npz", "--pair", "f1", "--ratio", "0.1", *TYPED), "variance"),
    "study agreement": (("snli.npz", "--pair", "f1", *TYPED), "agreement"),
    "study undefined": (("snli.npz", "--pair", "f1", "--ratio", "0.1", *TYPED), "undefined"),
    "study sensitivity": (("snli.npz", "-m", "cf1_macro", *TYPED), "sensitivity"),
    "study quantization": (("snli.npz", "-m", "cf1_macro"), "quantization"),
}

SNLI = mc.load_example("snli")


def _tables(study):
    return [*study.document().frames().values()]


WORK = {
    "agreement_study": lambda n: [mc.studies.agreement_study(SNLI, n_jobs=n, **FEW).table],
    "sensitivity_study": lambda n: _tables(
        mc.studies.sensitivity_study(SNLI, "cf1_macro", n_jobs=n, **FEW)
    ),
    "undefined_study": lambda n: _tables(
        mc.studies.undefined_study(SNLI, "precision", ratios=[0.1], n_jobs=n, **FEW)
    ),
    "variance_study": lambda n: [
        mc.studies.variance_study(SNLI, ratios=[0.5, 1.0], n_jobs=n, **FEW).distribution
    ],
}


def DOORS():
    variance = mc.studies.variance_study(PLAIN, ["f1_macro"], ratios=[1.0], **FEW)
    agreement = mc.studies.agreement_study(PLAIN, ["f1_macro"], **FEW)
    return {
        "agreement_study": Door(mc.studies.agreement_study, {"predictions": PLAIN, **FEW}),
        "model_card": Door(
            mc.studies.model_card, {"predictions": PREDS, "model": "a", "metrics": "accuracy", **FEW}
        ),
        "quantization_study": Door(
            mc.studies.quantization_study, {"predictions": PLAIN}, instead={"n_bins": [*COUNTS, None]}
        ),
        "sensitivity_study": Door(
            mc.studies.sensitivity_study, {"predictions": PLAIN, "metrics": "accuracy", **FEW},
            instead={"metrics": METRICS},
        ),
        "undefined_study": Door(
            mc.studies.undefined_study, {"predictions": PLAIN, "ratios": [1.0], **FEW}
        ),
        "variance_study": Door(mc.studies.variance_study, {"predictions": PLAIN, "ratios": [1.0], **FEW}),
        "VarianceStudy.separated": Door(variance.separated, {}),
        "VarianceStudy.plot.intervals": Door(variance.plot.intervals, {}, data=("ax",)),
        "VarianceStudy.plot.variances": Door(variance.plot.variances, {}, data=("ax",)),
        "AgreementStudy.population": Door(
            agreement.population, {"ratios": [1.0], "n_subsamples": 2}
        ),
    }  # fmt: skip
