"""Formulas of metrics as MathML: Python expressions, most of them made from the record."""

import ast
import re
from html import escape

from modelcompare.metrics.base import AnyMetric, Metric

_COUNTS = ("TP", "FN", "FP", "TN")
# Formulas that are no ratio of counts and no mean of a statistic.
_OTHERS = {
    "matthews_corrcoef": "(TP * TN - FP * FN)"
    " / sqrt((TP + FP) * (TP + FN) * (TN + FP) * (TN + FN))",
    "cohen_kappa": "(p_observed - p_chance) / (1 - p_chance)",
    "weighted_kappa": "1 - distance_observed / distance_chance",
    "informedness": "(sum_k(recall_k) - 1) / (K - 1)",
    "confusion_entropy": "sum_k(P_k * entropy(confusions_k))",
    "roc_auc": "P(s_1 > s_0) + P(s_1 == s_0) / 2",
    "probabilistic_auc": "(1 + mean(s_1) - mean(s_0)) / 2",
    "scored_auc": "sum_ij(max_0(s_i - s_j)) / (n_1 * n_0)",
    "soft_auc": "sum_ij(1 / (1 + exp(-beta * (s_i - s_j)))) / (n_1 * n_0)",
    "average_precision": "sum_k((recall_k - recall_previous) * precision_k)",
    "ece": "sum_b(n_b / n * abs(accuracy_b - confidence_b))",
    "mce": "max_b(abs(accuracy_b - confidence_b))",
    "brier_reliability": "sum_b(n_b / n * (frequency_b - confidence_b)**2)",
    "brier_resolution": "sum_b(n_b / n * (frequency_b - frequency)**2)",
    "brier_uncertainty": "sum_k(frequency_k * (1 - frequency_k))",
    "debiased_ece": "sum_b(n_b / n * abs(accuracy_b - confidence_b)) - bias",
    "rms_calibration_error": "sqrt(sum_b(n_b / n * (accuracy_b - confidence_b)**2) - bias)",
    "percentile": "(s_lower + s_upper) / 2",
    "median_absolute_error": "median_i(abs(y_i - f_i))",
    "r2": "1 - sum_i((y_i - f_i)**2) / sum_i((y_i - mean(y))**2)",
    "explained_variance": "1 - var(y - f) / var(y)",
    "pearson": "cov(y, f) / sqrt(var(y) * var(f))",
    "spearman": "cov(r, s) / sqrt(var(r) * var(s))",
    "kendall": "(n_concordant - n_discordant) / sqrt(n_untied_true * n_untied_predicted)",
    "bleu": "100 * brevity * exp(sum_n(log(precision_n)) / 4)",
    "chrfpp": "100 * (1 + 2**2) * precision * recall / (2**2 * precision + recall)",
    "wer_substitutions": "substituted / words",
    "wer_deletions": "deleted / words",
    "wer_insertions": "inserted / words",
    "chrf": "100 * (1 + 2**2) * precision * recall / (2**2 * precision + recall)",
    "wer": "edits / words",
    "cer": "edits / characters",
    "ter": "100 * (edits + shifts) / words",
    "perplexity": "exp(-sum_i(log(p_i)) / n_tokens)",
    "slot_error_rate": "(substituted + missed + invented) / slots",
    "span_f1": "2 * agreeing / (predicted + true)",
    "balanced_accuracy": "sum_k(TP_k / (TP_k + FN_k)) / K",
    "accuracy": "sum_k(TP_k) / n",
    "caccuracy": "sum_k(TP_k) / n",
    "zero_one_loss": "1 - sum_k(TP_k) / n",
    "c_index": "(n_concordant + n_tied / 2) / n_comparable",
    "c_index_ipcw": "sum_i(w_i * concordant_i) / sum_i(w_i * comparable_i)",
    "integrated_brier_score": "sum_t(brier_t * width_t) / sum_t(width_t)",
    "map": "sum_k(sum_r(precision_r) / 101) / K",
    **{
        f"{name}_samples": f"sum_i({name}_i) / n"
        for name in (
            "precision",
            "recall",
            "f1",
            "jaccard",
            "cprecision",
            "crecall",
            "cf1",
            "cjaccard",
        )
    },
}
_OPERATORS = {ast.Add: "+", ast.Sub: "−", ast.Mult: "·", ast.Gt: ">", ast.Eq: "="}
_LARGE = {"sum": "∑", "max": "max", "median": "median"}


def formula_of(metric: AnyMetric) -> str:
    """Return the formula of a metric as a Python expression."""
    if metric.stem in _OTHERS:
        return _OTHERS[metric.stem]
    if not isinstance(metric, Metric):
        raise LookupError(f"docs/hooks/formulas.py has no formula of {metric.stem}.")
    if metric.class_ratio is not None:
        ratio = metric.class_ratio
        return f"({_combined(ratio.numerator)}) / ({_combined(ratio.denominator)})"
    name = "v" if metric.of_items else metric.statistics[0].name
    mean = f"sum_i({name}_i) / n"
    return mean if metric.power == 1 else f"sqrt({mean})"


def legend_of(metric: AnyMetric) -> str:
    """Return sentences on the symbols of a formula."""
    text, legend = formula_of(metric), []
    if metric.of_items:
        legend.append("The answers to item i have the value v; n counts items.")
    if "TP" in text:
        counts = "TP, FN, FP and TN count true positives, false negatives, false positives and"
        legend.append(f"{counts} true negatives of a class.")
        if metric.needs == "probabilities":
            legend.append("Each sample counts with the probability that it got.")
    if metric.stem == "matthews_corrcoef":
        legend.append("The formula is that of two classes.")
    if metric.stem in ("scored_auc", "soft_auc"):
        legend.append(
            "Sample i is positive, j negative; n<sub>1</sub> and n<sub>0</sub> count them."
        )
    if metric.stem in ("roc_auc", "probabilistic_auc"):
        legend.append("Positive samples have the score s<sub>1</sub>, negative ones s<sub>0</sub>.")
    if re.search(r"\by(_i)?\b", text):
        legend.append("True values are y, predicted values f.")
    if metric.stem == "spearman":
        legend.append("Ranks of true values are r, of predicted values s.")
    return " ".join(legend)


def mathml(expression: str) -> str:
    """Write a Python expression as MathML in a block that can be scrolled."""
    formula = _written(ast.parse(expression, mode="eval").body)
    block = '<div class="formula" role="group" aria-label="Formula" tabindex="0">'
    return f'{block}<math display="block">{formula}</math></div>'


def _combined(weights: tuple[float, ...]) -> str:
    terms = [
        name if weight == 1 else f"{weight:g} * {name}"
        for weight, name in zip(weights, _COUNTS, strict=True)
        if weight
    ]
    return " + ".join(terms)


def _written(node: ast.expr, within: int = 0) -> str:
    """Write a node; `within` is how tightly the operator around it binds."""
    match node:
        case ast.Constant():
            return f"<mn>{node.value:g}</mn>"
        case ast.Name():
            return _named(node.id)
        case ast.BinOp(left, ast.Div(), right):
            return f"<mfrac><mrow>{_written(left)}</mrow><mrow>{_written(right)}</mrow></mfrac>"
        case ast.BinOp(left, ast.Pow(), right):
            return f"<msup><mrow>{_written(left, 3)}</mrow><mrow>{_written(right)}</mrow></msup>"
        case ast.BinOp(left, operator, right):
            level = 2 if isinstance(operator, ast.Mult) else 1
            sign = f"<mo>{_OPERATORS[type(operator)]}</mo>"
            after = level + isinstance(operator, ast.Sub)
            return _bracketed(
                f"{_written(left, level)}{sign}{_written(right, after)}", level < within
            )
        case ast.UnaryOp(operand=operand):
            return f"<mo>−</mo>{_written(operand, 2)}"
        case ast.Compare(left, [operator], [right]):
            sign = f"<mo>{escape(_OPERATORS[type(operator)])}</mo>"
            return f"{_written(left)}{sign}{_written(right)}"
        case ast.Call(ast.Name(name), arguments):
            return _called(name, "<mo>,</mo>".join(map(_written, arguments)), arguments)
    raise ValueError(f"{ast.unparse(node)} is no formula.")


def _called(name: str, inside: str, arguments: list[ast.expr]) -> str:
    head, _, index = name.partition("_")
    if name == "sqrt":
        return f"<msqrt>{inside}</msqrt>"
    if name == "abs":
        return f"<mo>|</mo>{inside}<mo>|</mo>"
    if name == "mean":
        return f"<mover>{inside}<mo>¯</mo></mover>"
    if head in _LARGE:
        sums = isinstance(arguments[0], ast.BinOp) and isinstance(
            arguments[0].op, ast.Add | ast.Sub
        )
        sign = f"<munder><mo>{_LARGE[head]}</mo><mi>{index}</mi></munder>"
        return f"{sign}{_bracketed(inside, sums)}"
    return f"<mi>{name}</mi>{_bracketed(inside, True)}"


def _bracketed(text: str, needed: bool) -> str:
    return f"<mo>(</mo>{text}<mo>)</mo>" if needed else f"<mrow>{text}</mrow>"


def _named(name: str) -> str:
    """Write a name; the word after its last underscore is an index if it is short or `name` is."""
    head, _, index = name.rpartition("_")
    if head and (len(index) == 1 or len(head) == 1 or head == "recall"):
        return f"<msub><mi>{_words(head)}</mi><mi>{index}</mi></msub>"
    return f"<mi>{_words(name)}</mi>"


def _words(name: str) -> str:
    return name.replace("_", " ")
