"""Description of a comparison's method: a paragraph with references for a paper, and code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from modelcompare import significance
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.evidence import RESAMPLED
from modelcompare.comparison.notes import design_in_words
from modelcompare.comparison.selected import SelectedResult
from modelcompare.comparison.tables import by_interval
from modelcompare.intervals import METHODS
from modelcompare.plugs import rows
from modelcompare.report.numbers import format_percent, joined
from modelcompare.version import __version__
from modelcompare.works import (
    BELL,
    BONETT,
    EFRON,
    EFRON_BOOK,
    HALL,
    HESTERBERG,
    INFLUENCE,
    NYBLOM,
    ORDER,
    PUSTEJOVSKY,
    WESTFALL,
    WILSON,
    WOODRUFF,
    ZOU,
    Phrase,
)

# Phrases by the names in the column `method` of the frames.
INTERVALS: Mapping[str, Phrase] = {
    **{name: row.phrase for name, row in METHODS.items() if row.phrase[0]},
    "effective-size": (
        "Wilson's interval of the effective number of samples that the influences of the samples "
        "leave", (WILSON, INFLUENCE),
    ),
    "mover": ("the intervals of its parts, joined with their correlation (MOVER)", (ZOU,)),
    "half-count": (
        "a normal interval with half a sample, or one, more in each cell of disagreement",
        (BONETT,),
    ),
    "shrunk-influence": (
        "Student's interval from influences at shares drawn towards each other",
        (INFLUENCE, BONETT),
    ),
    "t": ("Student's interval with the standard error of the influences", (INFLUENCE,)),
    "bias-reduced-t": (
        "Student's interval with the bias-reduced standard error (CR2) and the degrees of freedom "
        "of Bell and McCaffrey, or fewer where few units carry the difference",
        (BELL, PUSTEJOVSKY)),
    "logit-t": (
        "Student's interval on the logit scale with the standard error of the influences",
        (INFLUENCE,)),
    "log-t": (
        "Student's interval on the logarithmic scale with the standard error of the influences, "
        "and for independent samples at least as wide on the unbounded side as after Hall's "
        "transformation", (INFLUENCE, HALL)),
    "hall-t": (
        "Student's interval with the standard error and the skewness of the influences, after "
        "Hall's transformation", (INFLUENCE, HALL)),
    "order-statistics": (
        "the interval between order statistics of Hettmansperger and Sheather, and of Nyblom; of "
        "clusters, strata and weights for Woodruff's effective number of samples",
        (ORDER, NYBLOM, WOODRUFF)),
    "expanded-BCa": (
        "the bias-corrected and accelerated bootstrap (BCa), further out by as much as Student's "
        "quantile is than the normal one", (EFRON, HESTERBERG)),
    "expanded-percentile": (
        "percentiles of the bootstrap replicates, further out by as much as Student's quantile is "
        "than the normal one", (EFRON_BOOK, HESTERBERG)),
    "design-t": (
        "Student's interval with the variance that the design of the sample gives", ()),
    "none": ("no interval, where the value lies on a bound", ()),
    **dict(rows("phrases")),
}  # fmt: skip

# Phrases by the names in the column `test`; {n} is the number of resamples.
TESTS = {name: row.phrase for name, row in significance.TESTS.items() if row.phrase[0]}

CORRECTIONS: Mapping[str, Phrase] = {
    "holm": ("Holm's method", (
        "Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian "
        "Journal of Statistics 6, 65-70.",)),
    "hochberg": ("Hochberg's method", (
        "Hochberg (1988). A sharper Bonferroni procedure for multiple tests of significance. "
        "Biometrika 75, 800-802. doi:10.1093/biomet/75.4.800",)),
    "hommel": ("Hommel's method", (
        "Hommel (1988). A stagewise rejective multiple test procedure based on a modified "
        "Bonferroni test. Biometrika 75, 383-386. doi:10.1093/biomet/75.2.383",)),
    "bonferroni": ("Bonferroni's method", (
        "Dunn (1961). Multiple comparisons among means. Journal of the American Statistical "
        "Association 56, 52-64. doi:10.1080/01621459.1961.10482090",)),
    "sidak": ("Sidak's method", (
        "Sidak (1967). Rectangular confidence regions for the means of multivariate normal "
        "distributions. Journal of the American Statistical Association 62, 626-633. "
        "doi:10.1080/01621459.1967.10482935",)),
    "fdr_bh": ("the false discovery rate of Benjamini and Hochberg", (
        "Benjamini & Hochberg (1995). Controlling the false discovery rate. Journal of the Royal "
        "Statistical Society B 57, 289-300. doi:10.1111/j.2517-6161.1995.tb02031.x",)),
    "fdr_by": ("the false discovery rate of Benjamini and Yekutieli", (
        "Benjamini & Yekutieli (2001). The control of the false discovery rate in multiple testing "
        "under dependency. Annals of Statistics 29, 1165-1188. doi:10.1214/aos/1013699998",)),
    "max-t": ("the step-down of the largest studentized difference over resamples (max-t)", (
        "Romano & Wolf (2005). Stepwise multiple testing as formalized data snooping. "
        "Econometrica 73, 1237-1282. doi:10.1111/j.1468-0262.2005.00615.x",)),
    "min-p": ("the step-down of the smallest p-value over swaps (min-p)", (WESTFALL,)),
    "step-down": ("the step-down of the same swaps", (WESTFALL,)),
}  # fmt: skip


def _cited(works: Iterable[str], references: list[str]) -> str:
    """Return the numbers of works in brackets after a space, and add them to the references."""
    references += [work for work in dict.fromkeys(works) if work not in references]
    places = [str(1 + references.index(work)) for work in dict.fromkeys(works)]
    return f" [{', '.join(places)}]" if places else ""


def _phrase(phrase: Phrase, references: list[str], n_resamples: int = 0) -> str:
    """Return a phrase and the numbers of its references."""
    text, works = phrase
    return text.format(n=f"{n_resamples:,}") + _cited(works, references)


def _listed(
    phrases: Mapping[str, Phrase], names: Mapping[str, Sequence[str]], references: list[str],
    n_resamples: int = 0,
) -> str:  # fmt: skip
    """Join phrases, each with the metrics that it was used for unless it was used for all."""
    found = {
        name: _phrase(phrases.get(name, (name, ())), references, n_resamples) for name in names
    }
    if len(found) == 1:
        return "".join(found.values())
    return "; ".join(f"{text} for {joined(names[name])}" for name, text in found.items())


def comparison_method(result: Compared) -> tuple[str, list[str]]:
    """Describe how the numbers were computed, with a numbered list of references."""
    references: list[str] = []
    parts = [
        _measured(result, references),
        *filter(None, [design_in_words(result.bootstrap.evaluation)]),
    ]
    parts.append(_intervals(result, references))
    if len(result.differences):
        parts += [_tests(result, references), *_swapped_groups(result)]
    seed = f", seed {result.rng_label}" if result.n_resamples else ", without resamples"
    parts.append(f"Computed with modelcompare {__version__}{seed}.")
    return " ".join(parts), references


def _measured(result: Compared, references: list[str]) -> str:
    models = len(result.models)
    cited = [f"{name}{_cited(m.references, references)}" for name, m in result.metric_info.items()]
    crossed = result.bootstrap.design.crossed
    size = result.size if crossed else f"{result.n_samples:,} test samples"
    return (
        f"We measured {joined(cited)} of {models:,} model{'s' * (models != 1)} on "
        f"{'the same ' if models > 1 else ''}{size}."
    )


def _intervals(result: Compared, references: list[str]) -> str:
    level = format_percent(result.confidence_level)
    used = _listed(INTERVALS, _by_name(result.scores, "method"), references)
    drawn = f" Resampled intervals are from {result.n_resamples:,} resamples that all models share."
    frames = (result.scores, result.differences)
    is_drawn = any(not RESAMPLED.isdisjoint(frame["method"]) for frame in frames if len(frame))
    return f"Intervals of scores are {level} intervals: {used}.{drawn if is_drawn else ''}"


def _tests(result: Compared, references: list[str]) -> str:
    made = _listed(INTERVALS, _by_name(result.differences, "method"), references)
    corrected = max(map(result.n_tests, result.metrics)) > 1
    if result.correction == "max-t":
        tested = _phrase(CORRECTIONS["max-t"], references)
    else:
        by_test: dict[str, list[str]] = {}
        for metric, test in result.tests.items():
            by_test.setdefault(test, []).append(metric)
        tested = _listed(TESTS, by_test, references, result.n_resamples)
    adjusted = f", {_adjusted(result, references)}" if corrected else ", not adjusted"
    beside = "; intervals given beside them are corrected for as many tests" if corrected else ""
    named = by_interval(result, result.metrics)
    of = f"of {joined(named)}, whose test is of exchangeable models, " if named else ""
    by = f"the {'adjusted ' * corrected}p-value is below {result.alpha:g}"
    if named:
        others = f"{by} or, {of}" if len(named) < len(result.metrics) else of
        by = f"{others}the interval excludes 0"
    return (
        f"Differences of models are paired; their intervals are {made}. P-values of differences "
        f"are two-sided, from {tested}{adjusted}{beside}. We call one model better than another "
        f"where {by}, and give ranks as the ranges that these tests leave open."
    )


def _swapped_groups(result: Compared) -> Iterator[str]:
    if groups := result.swapped_groups:
        yield f"Swaps are of {groups:,} groups of samples, drawn before any output was seen."


def _adjusted(result: Compared, references: list[str]) -> str:
    if result.correction == "max-t":
        return _family(result)
    asked = _phrase(CORRECTIONS[result.correction], references)
    used = result.corrections_used
    instead = [
        f"{_phrase(CORRECTIONS[name], references)} for "
        f"{joined([metric for metric in used if used[metric] == name])}"
        for name in dict.fromkeys(used.values())
    ]
    where = f" (where it could show nothing, {'; '.join(instead)})" if instead else ""
    return f"adjusted by {asked}{where}, {_family(result)}"


def _family(result: Compared) -> str:
    sizes = sorted({*map(result.n_tests, result.metrics)})
    if result.family == "all":
        return f"over all {sizes[-1]:,} tests"
    over = "all pairs and classes" if result.baseline is None else "all differences and classes"
    return f"over {over} of a metric ({joined([f'{size:,}' for size in sizes], 'or')} tests)"


def _by_name(frame: pd.DataFrame, column: str) -> dict[str, list[str]]:
    """Return the metrics of each name in a column."""
    found: dict[str, list[str]] = {}
    for name, metric in dict.fromkeys(
        zip(frame[column].tolist(), frame["metric"].tolist(), strict=True)
    ):
        # Undefined values have no interval.
        if not pd.isna(name):
            found.setdefault(str(name), []).append(metric)
    return found


def comparison_code(result: Compared) -> str:
    """Return code that repeats the call, with the options that the result records."""
    scope = result.bootstrap.scope
    options: dict[str, Any] = {
        "n_resamples": result.n_resamples, "confidence_level": result.confidence_level,
        "method": result.method, "test": result.test, "correction": result.correction,
        "generalize_to": scope.generalize_to or ("items" if scope.at_hand else None),
        "family": result.family, "baseline": result.baseline, "alpha": result.alpha,
    }  # fmt: skip
    if result.rng_label.isdigit():
        options["rng"] = int(result.rng_label)
    lines = [f"    {name}={value!r}," for name, value in options.items() if value is not None]
    found = result.bootstrap
    metrics = found.names if isinstance(found, SelectedResult) else [*result.metrics]
    source = "..." if result.name is None else repr(result.name)
    return "\n".join([
        "import modelcompare as mc", "", f"predictions = mc.read_predictions({source})",
        "result = mc.compare(", "    predictions,", f"    {metrics!r},", *lines,
        ")", 'result.to_html("report.html")',
    ])  # fmt: skip
