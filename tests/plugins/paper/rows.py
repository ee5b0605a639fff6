"""Rows of the tables of other tests."""

from functools import cache

import modelcompare as mc
from tests.made_up import made_up, sliced
from tests.report import drawn
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
    "agreement_study": lambda: [mc.studies.agreement_study(SNLI, **FEW).table],
    "sensitivity_study": lambda: _tables(mc.studies.sensitivity_study(SNLI, "cf1_macro", **FEW)),
    "undefined_study": lambda: _tables(
        mc.studies.undefined_study(SNLI, "precision", ratios=[0.1], **FEW)
    ),
    "variance_study": lambda: [
        mc.studies.variance_study(SNLI, ratios=[0.5, 1.0], **FEW).distribution
    ],
}

# Figures, by the sizes of tests/report/drawn.py.
RATIOS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02)
DRAWN = {"n_resamples": 40}


@cache
def variance(*size):
    return mc.studies.variance_study(
        drawn.preds(*size), ["f1"], ratios=RATIOS, tests=["f"], **DRAWN
    )


@cache
def agreement(*size):
    return mc.studies.agreement_study(drawn.preds(*size), ["f1", "precision"], test="wald", **DRAWN)


@cache
def undefined(*size):
    return mc.studies.undefined_study(
        drawn.preds(*size), ["f1", "precision"], ratios=RATIOS[:4], n_resamples=9
    )


@cache
def sensitivity(*size):
    metrics = ["accuracy", "cf1_macro"]  # one that keeps to 0 and one that moves
    return mc.studies.sensitivity_study(
        drawn.preds(*size)[list(drawn.preds(*size).models[:13])], metrics, **DRAWN
    )


COMPLETED = {
    "sensitivity": ("study", "sensitivity", "--metric"),
    "variance": ("study", "variance", "--pair"),
}
FIGURES = {
    "variances": lambda *size, **ax: variance(*size).plot.variances(**ax),
    "intervals": lambda *size, **ax: variance(*size).plot.intervals(**ax),
    "agreement": lambda *size, **ax: agreement(*size).plot.agreement(**ax),
    "population": lambda *size, **ax: agreement(*size).plot.population(
        RATIOS, n_subsamples=3, **ax
    ),
    "undefined": lambda *size, **ax: undefined(*size).plot.undefined(**ax),
    "sensitivity": lambda *size, **ax: sensitivity(*size).plot.sensitivity(**ax),
}
FIGURE_SIZES = {
    "variances": [drawn.MANY_CLASSES, drawn.MANY_MODELS],
    "intervals": [drawn.MOST, drawn.USUAL],
    "agreement": [drawn.ONE_PAIR],
    "population": [drawn.MANY_MODELS],
    "undefined": [drawn.USUAL],
    "sensitivity": [drawn.MANY_MODELS],
}
MARKED = {
    "variances": (drawn.MANY_CLASSES, 5), "intervals": (drawn.USUAL, 5),
    "sensitivity": (drawn.MANY_MODELS, 12),
}  # fmt: skip


# Tables of a study, the same to the last bit for any workers (tests/engine/test_same_bits.py).
PAIRS = ["f1", "precision", ("f1_macro", "cf1_macro")]
TESTS = [
    "t",
    "paired-t",
    "permutation",
    "studentized-permutation",
    "sign-flip",
    "bootstrap",
    "wald",
]


def variance_tables(preds):
    study = mc.studies.variance_study(preds, PAIRS, ratios=[1, 0.5], n_resamples=200)
    return [study.distribution, study.tests, study.variance_ratios, study.separation]


def agreement_tables(preds, test):
    study = mc.studies.agreement_study(preds, PAIRS, test=test, n_resamples=200)
    return [study.table, study.pairs]


TASKS = {"variance": variance_tables} | {
    test: (lambda preds, t=test: agreement_tables(preds, t)) for test in TESTS
}
REPEATED = {
    "undefined": lambda p: mc.studies.undefined_study(p, ratios=[1, 0.1], n_resamples=99).table,
    "variance": lambda p: mc.studies.variance_study(
        p, ratios=[1, 0.2], n_resamples=20, n_subsamples=2
    ).tests,
    "quantization": lambda p: mc.studies.quantization_study(p, n_bins=[2]),
    "card": lambda p: mc.studies.model_card(p, "a", "accuracy", min_size=5, n_resamples=99, generalize_to="items"),
}  # fmt: skip
ODD = {
    "variance of one model": lambda: mc.studies.variance_study(
        sliced()["m0"], ["f1"], ratios=[1], n_resamples=99
    ),
}


def DOORS():
    variance = mc.studies.variance_study(PLAIN, ["f1_macro"], ratios=[1.0], **FEW)
    agreement = mc.studies.agreement_study(PLAIN, ["f1_macro"], **FEW)
    return {
        "quantize": Door(mc.io.quantize, {"predictions": PLAIN}),
        "variance_tests": Door(
            mc.inference.variance_tests, {"x": [1, 2, 4], "y": [2, 3, 4]}, ("x", "y")
        ),
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
