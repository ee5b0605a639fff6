"""Commands: a study each, and the card of ``modelcompare report``."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from modelcompare.cli.commands import Addition, Command
from modelcompare.cli.options import (
    FOLDER,
    RESAMPLING,
    WHOLE,
    Texts,
    metric_names,
    metrics,
    named_option,
    statistics,
)
from modelcompare.options import OPTIONS, Option
from modelcompare.plugins.paper.words import AgreementTest, VarianceTest
from modelcompare.words import listed

# A colon in the name of a class separates nothing.
_TWO_METRICS = re.compile(r"([^:\[]*(?:\[.*?\])?):(.+)")
_LEVEL = OPTIONS["confidence_level"]
_ZERO = named_option(
    "zero_division", "Value of 0 / 0: 0, 1, nan or paper; by default paper, and in averages nan.",
)  # fmt: skip
study = partial(Command, package=__package__, group="Repeat a study of Yacouby and Axman (2020).")


def pairs(names: list[str]) -> list[str | tuple[str, str]]:
    """Read pairs of metrics: ``f1`` or ``f1:log_loss``; a class is written ``f1[fraud]``."""
    found: list[str | tuple[str, str]] = []
    for name in names:
        two = _TWO_METRICS.fullmatch(name)
        if two is not None and two[1] == two[2]:
            raise ValueError(f"--pair {name} is one metric twice; name two.")
        found.append(name if two is None else (two[1], two[2]))
    return found


_RATIOS = statistics(
    name="ratios", flags="--ratio", type=list[float] | None, metavar="FRACTION",
    help="Fraction of the test set (repeatable); by default 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01.",
)  # fmt: skip
_PAIRS = statistics(
    name="pairs", flags="--pair", type=Texts, complete=metric_names, parse=pairs,
    help="Pair of metrics (repeatable): f1 is f1 with cf1, f1:log_loss any two. By default f1, "
    "precision and recall with their probabilistic twins.",
)  # fmt: skip


COMMANDS = (
    study(
        "study variance",
        "run:study",
        (
            WHOLE, _PAIRS, _RATIOS,
            statistics(
                name="tests", flags="--test", type=Texts,
                help=f"Test of equal variances (repeatable): {listed(VarianceTest)}; by default "
                "the paper's, f, bartlett and levene.",
            ),
            OPTIONS["n_subsamples"], OPTIONS["stratify"], OPTIONS["generalize_to"], _ZERO,
            *RESAMPLING, FOLDER,
        ),
        "Show how variance depends on the size of the test set.\n\nSee the paper, section 6.1.",
        ("predictions.npz --pair f1 -o study/",),
        {"function": "variance_study", "by_blocks": True},
    ),
    study(
        "study agreement",
        "run:study",
        (
            WHOLE, _PAIRS,
            named_option(
                "test", type=AgreementTest,
                help=f"{listed(AgreementTest)}; t (Welch's, the paper's) and paired-t run on "
                "replicates, the others are valid.",
            ),
            named_option("alpha", "Level."),
            OPTIONS["generalize_to"], _ZERO, *RESAMPLING, FOLDER,
        ),
        "Count how often two metrics prefer the same model.\n\nSee the paper, section 6.2.",
        ("predictions.npz --test permutation -o study/",),
        {"function": "agreement_study"},
    ),
    study(
        "study undefined",
        "run:study",
        (WHOLE, _PAIRS, _RATIOS, OPTIONS["generalize_to"], _ZERO, *RESAMPLING, FOLDER),
        "Count how often a metric is undefined, by class.\n\nSee the paper, section 4.",
        ("intents.npz --pair precision -o study/",),
        {"function": "undefined_study"},
    ),
    study(
        "study sensitivity",
        "run:study",
        (
            WHOLE, metrics("Metric (repeatable)."), OPTIONS["method"],
            OPTIONS["generalize_to"], OPTIONS["zero_division"],
            replace(OPTIONS["n_resamples"], default=1000), *RESAMPLING[1:], FOLDER,
        ),
        "Show which metrics react to confidences alone.\n\nSee the paper, section 5.",
        ("preds.npz -m cf1_macro -m log_loss",),
        {"function": "sensitivity_study"},
    ),
    study(
        "study quantization",
        "run:study",
        (
            WHOLE, metrics("Metric (repeatable)."),
            statistics(
                name="n_bins", flags="--bins", type=list[int] | None, metavar="N",
                help="Bins of the confidences (repeatable); by default 2, 3, 5 and 10.",
            ),
            _LEVEL, FOLDER,
        ),
        "Estimate the error of a metric if confidences are binned.",
        ("predictions.npz --bins 2 --bins 5",),
        {"function": "quantization_study"},
    ),
)  # fmt: skip


def _named_model(text: str) -> str:
    """Refuse an option where a model's name is expected."""
    if text.startswith("-"):
        raise ValueError(f"--card needs the name of a model before {text}: --card MODEL {text} ...")
    return text


ADDITIONS = (
    Addition(
        "report",
        (
            Option(
                name="card", metavar="MODEL", parse=_named_model,
                help="Write the model card of this model instead of a page, MODEL.md by default.",
            ),
        ),
        "run:card",
        __package__,
        """
        With --card, the suffix of the file gives the form of the card: .md with the metadata that
        the Hugging Face Hub reads, .txt without them, .json the metadata alone.
        """,
        ("preds.npz --card cnn -o cnn.md --metric f1",),
    ),
)  # fmt: skip
