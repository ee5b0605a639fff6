"""Citations of Yacouby & Axman (2020), each beside the few words of the paper that it points to."""

import re
from pathlib import Path

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.metrics import get_metric
from tests.plugged import needs

ROOT = Path(__file__).parents[2]
# What the paper has at each place, in its words or symbols (M: confidence, I: indicator, y: truth,
# p: prediction, C: class), and what a text that cites the place must be about.
PAPER = {
    "eq 1": ("sum over j of M(x_i, C_j) = 1", "sum to 1"),
    "eq 2": ("p_i = arg max_j M(x_i, C_j)", "most confident|highest"),
    "eq 3": ("pCM(ref, hyp) = sum over i in S_ref of M(x_i, C_hyp)", "confusion|probabilistic"),
    "eq 4": ("TP = I(p_i = C) * I(C = y_i)", "hits"),
    "eq 5": ("cTP = M(x_i, C) * I(C = y_i)", "probability|probabilistic|confidence"),
    "eq 6": ("cFP = M(x_i, C) * I(C != y_i)", "probability given|probabilistic"),
    "eq 7": ("cPrecision = cTP / (cTP + cFP)", "cPrecision|probabilistic"),
    "eq 8": ("cRecall = cTP / (TP + FN)", "cRecall|probabilistic"),
    "section 2": ("Definitions: the same mathematical formulations", "hits|formula|Harmonic|bounds"),
    "section 3": ("Related Work: Brier score, AUC", "Brier|AUC"),
    "section 4": ("Benefit A: Robustness to NaN values", "[Uu]ndefined"),
    "section 5": ("Benefit B: Model confidence score sensitivity", "confidence|sensitivity"),
    "section 6": ("Empirical Results", "networks|classifiers|predictions"),
    "section 6.1": ("Testing Hypothesis C: Generalization; three models", "variance|size|draw|three|"
                    "less training|architecture|Three|Probabilities of|cut down|order|rank"),
    "section 6.2": ("Testing Hypothesis D: Functional Consistency; 100 models",
                    "agree|Agree|prefer|hundred|order"),
    "section 7": ("Potential Shortcomings: calibration, interpretability", "calibration"),
    "section 8": ("Future Work: HIGH, MED, LOW; extend metrics like SER", "HIGH|[Ss]lot"),
    "appendix A": ("Reproducibility Information", "[Tt]rain"),
    "appendix A.1": ("Preprocessing", "tokens"),
    "benefit A": ("Robustness to NaN values", "undefined|no value"),
    "benefit B": ("Sensitivity to model confidence score assignments", "confidence"),
    "hypothesis C": ("Generalization: lower variance, discriminancy between models",
                     "varies|variance|distinguish"),
    "hypothesis D": ("Functional Consistency: the same ranking", "order|rank|agree"),
    "table 1": ("significant model comparisons that agree", "[Aa]gree|significant|percent|README|section62|cell"),
    "table 2": ("Table of Hyperparameter choices", "hyperparameters|space"),
    "figure 1": ("variances of F1 and cF1", "[Vv]arianc"),
    "figure 2": ("F1 and cF1 at sizes of the test set", "F1|values|[Ii]ntervals|size|rank"),
    "figure 3": ("Precision and cPrecision at sizes", "[Vv]alues|[Ii]ntervals"),
    "figure 4": ("Recall and cRecall at sizes", "[Vv]alues|[Ii]ntervals"),
    "figure 5": ("variances of Precision and cPrecision", "[Vv]arianc"),
    "figure 6": ("variances of Recall and cRecall", "[Vv]arianc"),
    "figure 7": ("Sep-CNN model architecture", "pool|convolution|network"),
}  # fmt: skip
# Files of which every such place is one of the paper; elsewhere only those beside its name are.
ABOUT = re.compile(r"(modelcompare|tests)/plugins/paper/|experiments/(snli_sepcnn|paper_figures)/|"
                   r"docs/(paper|variance|agreement|from_the_paper)\.md|notebooks/02_")  # fmt: skip
NAMED = re.compile(r"Yacouby|[Tt]he paper\b|[Tt]he papers\b|in the paper|of the paper")
_ONE = r"(?:\d\d?(?:\.\d)?|[A-D](?:\.\d)?\b)"
PLACE = re.compile(
    rf"\b(eq\.|equations?|sections?|figures?|tables?|appendix|hypothesis|benefit) "
    rf"({_ONE}(?:(?:, | to | and ){_ONE})*)(?![\w%])",
    re.IGNORECASE,
)


def cited_by(text):
    """Yield each place that a text cites, the words around, and whether the paper is named."""
    flat = re.sub(r"\s+", " ", re.sub(r"\n\s*#+", "\n", text))
    for found in PLACE.finditer(flat):
        kind = found[1].lower().rstrip(".")
        kind = "eq" if kind.startswith("eq") else kind if kind == "hypothesis" else kind.rstrip("s")
        numbers = re.findall(_ONE, found[2])
        if " to " in found[2]:
            numbers = [str(n) for n in range(int(numbers[0]), int(numbers[-1]) + 1)]
        around = flat[max(0, found.start() - 220) : found.end() + 160]
        beside = flat[max(0, found.start() - 70) : found.end() + 50]
        for number in numbers:
            # Of a range only that it exists.
            about = None if " to " in found[2] and kind != "eq" else around
            yield f"{kind} {number}", about, bool(NAMED.search(beside))


def cited_in(file):
    for place, around, named in cited_by((ROOT / file).read_text(encoding="utf-8")):
        if named or ABOUT.match(file):
            yield place, around


FILES = [
    file.relative_to(ROOT).as_posix()
    for folder in ("modelcompare", "docs", "experiments", "tests", "notebooks", "skills")
    for file in sorted((ROOT / folder).rglob("*"))
    if file.suffix in (".py", ".md", ".ipynb")
    and not {"results", "golden"} & {*file.parts}
    and file != Path(__file__)
] + ["README.md", "CHANGELOG.md"]


@pytest.mark.parametrize(
    "file", [name for name in FILES if any(cited_in(name))], ids=lambda name: name
)
def test_what_cites_a_place_of_the_paper_is_about_what_stands_there(file):
    for place, around in cited_in(file):
        assert place in PAPER, f"the paper has no {place}: {around}"
        words, topic = PAPER[place]
        assert around is None or re.search(topic, around, re.IGNORECASE), (
            f"{place} is {words!r}: {around}"
        )


@needs("paper")
def test_citations_are_found_where_they_are():
    found = {place for name in FILES for place, _ in cited_in(name)}
    assert {"eq 3", "eq 4", "eq 7", "eq 8", "section 2", "section 4", "section 8"} <= found
    assert [place for place, _, _ in cited_by("Yacouby & Axman (2020), eq. 8 to 10")] == [
        "eq 8", "eq 9", "eq 10"
    ]  # fmt: skip


# -- the equations, sample by sample ------------------------

TRUTH = np.array([0, 1, 2, 1, 0, 2, 2, 1])
M = np.random.default_rng(0).dirichlet(np.ones(3), len(TRUTH))


def true_positives(j):  # eq. 4
    return sum((M[i].argmax() == j) * (j == TRUTH[i]) for i in range(len(TRUTH)))


def confident_true_positives(j):  # eq. 5
    return sum(M[i, j] * (j == TRUTH[i]) for i in range(len(TRUTH)))


def confident_false_positives(j):  # eq. 6
    return sum(M[i, j] * (j != TRUTH[i]) for i in range(len(TRUTH)))


def c_precision(j):  # eq. 5 to 7
    hits = confident_true_positives(j)
    return hits / (hits + confident_false_positives(j))


def c_recall(j):  # eq. 5 and 8, whose denominator is the number of samples of the class
    return confident_true_positives(j) / sum(j == y for y in TRUTH)


# Of each metric that cites the paper: what it cites, and its value by that.
CITING = {
    "precision": ("section 2, eq. 4", lambda j: true_positives(j) / (M.argmax(1) == j).sum()),
    "recall": ("section 2, eq. 4", lambda j: true_positives(j) / (j == TRUTH).sum()),
    "cprecision": ("eq. 5 to 7", c_precision),
    "crecall": ("eq. 5 and 8", c_recall),
    "cf1": ("section 2", lambda j: 2 / (1 / c_precision(j) + 1 / c_recall(j))),
}


@pytest.mark.parametrize("name", CITING)
def test_a_metric_has_the_value_of_the_equations_that_it_cites(name):
    where, by_equation = CITING[name]
    assert get_metric(name).references[0].startswith(f"Yacouby & Axman (2020), {where}, ")
    output = M if name.startswith("c") else M.argmax(axis=1)
    found = getattr(mc.metrics, name)(TRUTH, output, labels=[0, 1, 2])
    np.testing.assert_allclose(found, [by_equation(j) for j in range(3)], rtol=1e-12)


def test_no_other_metric_cites_the_paper():
    names = mc.list_metrics()["metric"]
    citing = {name for name in names if "Yacouby" in str(get_metric(name).references)}
    assert {name.partition("_")[0] for name in citing} == {*CITING}  # averages among them


def test_the_probabilistic_matrix_is_equation_3():
    matrix = [[sum(M[i, hyp] for i in np.flatnonzero(ref == TRUTH)) for hyp in range(3)]
              for ref in range(3)]  # fmt: skip
    found = mc.metrics.probabilistic_confusion_matrix(TRUTH, M, labels=[0, 1, 2])
    np.testing.assert_allclose(found, matrix, rtol=1e-12)
