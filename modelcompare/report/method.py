"""The method of a comparison, in words for a paper with references, and as code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from modelcompare.report.compared import Compared
from modelcompare.report.numbers import format_percent

# What a phrase is said of, and the works it rests on.
Phrase = tuple[str, tuple[str, ...]]

_BONETT = (
    "Bonett & Price (2012). Adjusted Wald confidence interval for a difference of binomial "
    "proportions based on paired data. Journal of Educational and Behavioral Statistics 37, "
    "479-488. doi:10.3102/1076998611411915"
)
_BROECKER = (
    "Broecker & Smith (2007). Increasing the reliability of reliability diagrams. Weather and "
    "Forecasting 22, 651-661. doi:10.1175/WAF993.1"
)
_BROWN = (
    "Brown, Cai & DasGupta (2001). Interval estimation for a binomial proportion. Statistical "
    "Science 16, 101-133. doi:10.1214/ss/1009213286"
)
_CHUNG = (
    "Chung & Romano (2013). Exact and asymptotically robust permutation tests. Annals of "
    "Statistics 41, 484-507. doi:10.1214/13-AOS1090"
)
_CLOPPER = (
    "Clopper & Pearson (1934). The use of confidence or fiducial limits illustrated in the case of "
    "the binomial. Biometrika 26, 404-413. doi:10.1093/biomet/26.4.404"
)
_DAVISON = (
    "Davison & Hinkley (1997). Bootstrap Methods and their Application. Cambridge University Press."
)
_DELONG = (
    "DeLong, DeLong & Clarke-Pearson (1988). Comparing the areas under two or more correlated "
    "receiver operating characteristic curves. Biometrics 44, 837-845. doi:10.2307/2531595"
)
_EFRON = (
    "Efron (1987). Better bootstrap confidence intervals. Journal of the American Statistical "
    "Association 82, 171-185. doi:10.1080/01621459.1987.10478410"
)
_EFRON_BOOK = "Efron & Tibshirani (1993). An Introduction to the Bootstrap. Chapman & Hall."
_HALL = (
    "Hall (1992). On the removal of skewness by transformation. Journal of the Royal Statistical "
    "Society B 54, 221-228."
)
_HESTERBERG = (
    "Hesterberg (2015). What teachers should know about the bootstrap: resampling in the "
    "undergraduate statistics curriculum. The American Statistician 69, 371-386. "
    "doi:10.1080/00031305.2015.1089789"
)
_INFLUENCE = "Efron (1982). The Jackknife, the Bootstrap and Other Resampling Plans. SIAM."
_JANSSEN = (
    "Janssen (1997). Studentized permutation tests for non-i.i.d. hypotheses and the generalized "
    "Behrens-Fisher problem. Statistics & Probability Letters 36, 9-21. "
    "doi:10.1016/S0167-7152(97)00043-6"
)
_NOREEN = "Noreen (1989). Computer-Intensive Methods for Testing Hypotheses. Wiley."
_ORDER = (
    "Hettmansperger & Sheather (1986). Confidence intervals based on interpolated order "
    "statistics. Statistics & Probability Letters 4, 75-79."
)
_PHIPSON = (
    "Phipson & Smyth (2010). Permutation p-values should never be zero. Statistical Applications "
    "in Genetics and Molecular Biology 9, 39. doi:10.2202/1544-6115.1585"
)
_WESTFALL = "Westfall & Young (1993). Resampling-Based Multiple Testing. Wiley."
_WILSON = (
    "Wilson (1927). Probable inference, the law of succession, and statistical inference. Journal "
    "of the American Statistical Association 22, 209-212. doi:10.1080/01621459.1927.10502953"
)
_ZOU = (
    "Zou & Donner (2008). Construction of confidence limits about effect measures: a general "
    "approach. Statistics in Medicine 27, 1693-1702. doi:10.1002/sim.3095"
)

# By the names in the column `method` of the frames.
INTERVALS: Mapping[str, Phrase] = {
    "wilson": ("Wilson's score interval, modified near 0 and 1", (_WILSON, _BROWN)),
    "effective-size": (
        "Wilson's interval of the effective number of samples that the influences of the samples "
        "leave", (_WILSON, _INFLUENCE),
    ),
    "mover": ("the intervals of its parts, joined with their correlation (MOVER)", (_ZOU,)),
    "half-count": (
        "a normal interval with half a sample more in each cell of disagreement", (_BONETT,)),
    "shrunk-influence": (
        "Student's interval from influences at shares drawn towards each other",
        (_INFLUENCE, _BONETT),
    ),
    "t": ("Student's interval with the standard error of the influences", (_INFLUENCE,)),
    "logit-t": (
        "Student's interval on the logit scale with the standard error of the influences",
        (_INFLUENCE,)),
    "log-t": (
        "Student's interval on the logarithmic scale with the standard error of the influences, "
        "where samples are independent at least as far as Hall's transformation takes the long "
        "tail", (_INFLUENCE, _HALL)),
    "hall-t": (
        "Student's interval with the standard error and the skewness of the influences, after "
        "Hall's transformation", (_INFLUENCE, _HALL)),
    "order-statistics": (
        "the interval of Hettmansperger and Sheather between order statistics", (_ORDER,)),
    "expanded-BCa": (
        "the bias-corrected and accelerated bootstrap (BCa), further out by as much as Student's "
        "quantile is than the normal one", (_EFRON, _HESTERBERG)),
    "expanded-percentile": (
        "percentiles of the bootstrap replicates, further out by as much as Student's quantile is "
        "than the normal one", (_EFRON_BOOK, _HESTERBERG)),
    "BCa": ("the bias-corrected and accelerated bootstrap (BCa)", (_EFRON,)),
    "percentile": ("percentiles of the bootstrap replicates", (_EFRON_BOOK,)),
    "basic": ("the basic bootstrap", (_DAVISON,)),
    "studentized": ("the studentized bootstrap", (_DAVISON,)),
    "normal": ("a normal interval with the standard error of the influences", (_INFLUENCE,)),
    "logit": (
        "a normal interval on the logit scale with the standard error of the influences",
        (_INFLUENCE,)),
    "clopper-pearson": ("the interval of Clopper and Pearson", (_CLOPPER,)),
    "delong": ("the covariance of DeLong et al.", (_DELONG,)),
    "test-inversion": ("inversion of two tests of the plug-in calibration error", (_BROECKER,)),
    "simultaneous": (
        "simultaneous intervals of Clopper and Pearson of the accuracy in each bin", (_CLOPPER,)),
    "refused": ("no interval, as calibration errors of such samples have none that covers", ()),
    "none": ("no interval, where the value lies on a bound", ()),
}  # fmt: skip

# By the names in the column `test`; {n} is the number of resamples.
TESTS: Mapping[str, Phrase] = {
    "studentized-permutation": (
        "the studentized paired permutation test ({n} random swaps of the two models' outputs, or "
        "all of them where they are fewer; skewed means after Hall's transformation)",
        (_JANSSEN, _CHUNG, _PHIPSON, _HALL)),
    "permutation": (
        "the paired permutation test ({n} random swaps of the two models' outputs)",
        (_NOREEN, _PHIPSON)),
    "sign-flip": (
        "the sign-flip test of the influences ({n} random flips)", (_NOREEN, _PHIPSON)),
    "bootstrap": (
        "the bootstrap test of the difference shifted to the null ({n} paired resamples)",
        (_EFRON_BOOK, _PHIPSON)),
    "wald": (
        "Wald's test with Student's distribution and the standard error of the influences",
        (_INFLUENCE,)),
}  # fmt: skip

CORRECTIONS: Mapping[str, Phrase] = {
    "holm": ("Holm's method", (
        "Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian "
        "Journal of Statistics 6, 65-70.",)),
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
    "min-p": ("the step-down of the smallest p-value over swaps (min-p)", (_WESTFALL,)),
    "step-down": ("the step-down of the same swaps", (_WESTFALL,)),
}  # fmt: skip


@dataclass
class Method:
    """Sentences whose references are numbered as they come."""

    references: list[str] = field(default_factory=list)

    def cite(self, works: Iterable[str]) -> str:
        """Numbers of works in brackets, after a space; nothing without works."""
        for work in works:
            if work not in self.references:
                self.references.append(work)
        places = [str(1 + self.references.index(work)) for work in dict.fromkeys(works)]
        return f" [{', '.join(places)}]" if places else ""

    def phrase(self, of: Phrase, n_resamples: int = 0) -> str:
        """A phrase and its references."""
        text, works = of
        return text.format(n=f"{n_resamples:,}") + self.cite(works)

    def listed(self, phrases: Mapping[str, Phrase], names: Mapping[str, Sequence[str]],
               n_resamples: int = 0) -> str:  # fmt: skip
        """Phrases, each with the metrics that it was used for unless it was used for all."""
        found = {name: self.phrase(phrases.get(name, (name, ())), n_resamples) for name in names}
        if len(found) == 1:
            return "".join(found.values())
        return "; ".join(f"{text} for {_and(names[name])}" for name, text in found.items())


def comparison_method(
    result: Compared, sources: Mapping[str, Sequence[str]], design: str = ""
) -> tuple[str, list[str]]:
    """Describe how the numbers were made, with references that the numbers in brackets refer to.

    `sources` has the works behind each metric; `design` says what is taken whole.
    """
    method = Method()
    parts = [*_measured(result, method, sources), *filter(None, [design])]
    parts.append(_intervals(result, method))
    if len(result.differences):
        parts += [_tests(result, method), *_swapped_groups(result)]
    name, _, version = result.signature.split("|")[0].partition(":")
    seed = f", seed {result.rng_label}" if result.n_resamples else ", without resamples"
    parts.append(f"Computed with {name} {version}{seed}.")
    return " ".join(parts), method.references


def _measured(
    result: Compared, method: Method, sources: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    models = result.scores["model"].nunique()
    metrics = [f"{name}{method.cite(sources.get(name, ()))}" for name in result.upwards]
    yield (
        f"We measured {_and(metrics)} of {models:,} model{'s' * (models != 1)} on "
        f"{'the same ' if models > 1 else ''}{result.n_samples:,} test samples."
    )


def _intervals(result: Compared, method: Method) -> str:
    level = format_percent(result.confidence_level)
    used = method.listed(INTERVALS, _by_name(result.scores, "method"))
    drawn = f" Resampled intervals are from {result.n_resamples:,} resamples that all models share."
    resampled = {"BCa", "percentile", "basic", "studentized"}
    frames = (result.scores, result.differences)
    is_drawn = any(not resampled.isdisjoint(frame["method"]) for frame in frames if len(frame))
    return f"Intervals of scores are {level} intervals: {used}.{drawn if is_drawn else ''}"


def _tests(result: Compared, method: Method) -> str:
    made = method.listed(INTERVALS, _by_name(result.differences, "method"))
    corrected = max(result.n_tests.values()) > 1
    if result.correction == "max-t":
        tested = method.phrase(CORRECTIONS["max-t"])
    else:
        tested = method.listed(TESTS, _by_name(result.differences, "test"), result.n_resamples)
    adjusted = f", {_adjusted(result, method)}" if corrected else ", not adjusted"
    beside = "; intervals given beside them are corrected for as many tests" if corrected else ""
    return (
        f"Differences of models are paired; their intervals are {made}. P-values of differences "
        f"are two-sided, from {tested}{adjusted}{beside}. We call one model better than another "
        f"where the {'adjusted ' * corrected}p-value is below {result.alpha:g}, and give ranks as "
        "the ranges that these tests leave open."
    )


def _swapped_groups(result: Compared) -> Iterator[str]:
    _, found, number = result.signature.partition("|groups:")
    if found:
        groups = int(number.split("|")[0])
        yield f"Swaps are of {groups:,} groups of samples, drawn before any output was seen."


def _adjusted(result: Compared, method: Method) -> str:
    if result.correction == "max-t":
        return _family(result)
    asked = method.phrase(CORRECTIONS[result.correction])
    instead = [
        f"{method.phrase(CORRECTIONS[name])} for {_and(metrics)}"
        for name, metrics in _grouped(result.corrections_used.items()).items()
    ]
    where = f" (where it could show nothing, {'; '.join(instead)})" if instead else ""
    return f"adjusted by {asked}{where}, {_family(result)}"


def _family(result: Compared) -> str:
    sizes = sorted({result.n_tests[metric] for metric in result.upwards})
    if result.family == "all":
        return f"over all {sizes[-1]:,} tests"
    over = "all pairs and classes" if result.baseline is None else "all differences and classes"
    return f"over {over} of a metric ({_and([f'{size:,}' for size in sizes], 'or')} tests)"


def _by_name(frame: pd.DataFrame, column: str) -> dict[str, list[str]]:
    """The metrics for which each name stands in a column."""
    # What has no value has no interval either.
    pairs = frame[["metric", column]].dropna().drop_duplicates()
    return _grouped(pairs.itertuples(index=False))


def _grouped(used: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The metrics of each name."""
    found: dict[str, list[str]] = {}
    for metric, name in used:
        found.setdefault(name, []).append(metric)
    return found


def _and(names: Sequence[str], word: str = "and") -> str:
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last


def comparison_code(result: Compared) -> str:
    """Write the call with what was asked for, as far as a result knows it."""
    options: dict[str, Any] = {
        "n_resamples": result.n_resamples, "confidence_level": result.confidence_level,
        "method": result.method, "test": result.test, "correction": result.correction,
        "family": result.family, "baseline": result.baseline, "alpha": result.alpha,
    }  # fmt: skip
    if result.rng_label.isdigit():
        options["rng"] = int(result.rng_label)
    lines = [f"    {name}={value!r}," for name, value in options.items() if value is not None]
    source = "..." if result.name is None else repr(result.name)
    return "\n".join([
        "import modelcompare as mc", "", f"predictions = mc.read_predictions({source})",
        "result = mc.compare(", "    predictions,", f"    {list(result.upwards)!r},", *lines,
        ")", 'result.to_html("report.html")',
    ])  # fmt: skip
