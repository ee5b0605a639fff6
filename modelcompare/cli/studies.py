"""``modelcompare variance``, ``agreement``, ``undefined``, ``sensitivity`` and ``sample-size``."""

from __future__ import annotations

from typing import Annotated, cast

from modelcompare.cli.options import (
    Command,
    ReadingOptions,
    StudyOptions,
    StudyOutputOptions,
    Text,
    Texts,
    class_named,
    statistics,
)
from modelcompare.cli.output import check_folder, emit_study
from modelcompare.words import AgreementTest, VarianceTest, listed

PairOption = Annotated[
    Texts,
    statistics(
        "NAME",
        "Pair of metrics (repeatable): f1 is f1 with cf1, f1:log_loss any two. By default f1, "
        "precision and recall with their probabilistic twins.",
        "--pair",
    ),
]
RatioOption = Annotated[
    list[float] | None,
    statistics(
        "FRACTION",
        "Part of the test set (repeatable); by default 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01.",
        "--ratio",
    ),
]
AlphaOption = Annotated[float, statistics("FRACTION", "Level.")]


def variance(
    reading: ReadingOptions,
    *,
    pair: PairOption = None,
    ratio: RatioOption = None,
    test: Annotated[
        Texts,
        statistics(
            "NAME",
            f"Test of equal variances (repeatable): {listed(VarianceTest)}; by default the "
            "paper's, f, bartlett and levene.",
            "--test",
        ),
    ] = None,
    subsamples: Annotated[int, statistics("N", "Down-samplings at each ratio.", min=1)] = 1,
    stratify: Annotated[
        bool, statistics("", "Keep the classes' proportions when down-sampling.", "--stratify")
    ] = False,
    study: StudyOptions,
    output: StudyOutputOptions,
) -> None:
    """How a metric's spread depends on the size of the test set (paper, section 6.1)."""
    check_folder(output)
    predictions = reading.read()
    from modelcompare.studies.pairs import PAPER_PAIRS, PAPER_RATIOS
    from modelcompare.studies.variance import PAPER_TESTS, variance_study

    result = variance_study(
        predictions, _pairs(pair) or PAPER_PAIRS, ratios=ratio or PAPER_RATIOS,
        tests=cast("list[VarianceTest]", test) or PAPER_TESTS, n_subsamples=subsamples,
        stratify=stratify, **study.options(), progress=True,
    )  # fmt: skip
    emit_study(result, output)


def agreement(
    reading: ReadingOptions,
    *,
    pair: PairOption = None,
    test: Annotated[
        AgreementTest,
        statistics(
            "NAME",
            f"{listed(AgreementTest)}; t (Welch's, the paper's) and paired-t run on replicates, "
            "the others are valid.",
        ),
    ] = "t",
    alpha: AlphaOption = 0.01,
    study: StudyOptions,
    output: StudyOutputOptions,
) -> None:
    """Whether two metrics prefer the same models, over all pairs (paper, section 6.2)."""
    check_folder(output)
    predictions = reading.read()
    from modelcompare.studies.agreement import agreement_study
    from modelcompare.studies.pairs import PAPER_PAIRS

    result = agreement_study(
        predictions, _pairs(pair) or PAPER_PAIRS, alpha=alpha, test=test, **study.options(),
        progress=True,
    )  # fmt: skip
    emit_study(result, output)


def undefined(
    reading: ReadingOptions,
    *,
    pair: PairOption = None,
    ratio: RatioOption = None,
    study: StudyOptions,
    output: StudyOutputOptions,
) -> None:
    """How often a metric has no value, by class and size (paper, section 4)."""
    check_folder(output)
    predictions = reading.read()
    from modelcompare.studies.pairs import PAPER_PAIRS, PAPER_RATIOS
    from modelcompare.studies.undefined import undefined_study

    result = undefined_study(
        predictions, _pairs(pair) or PAPER_PAIRS, ratios=ratio or PAPER_RATIOS, **study.options(),
        progress=True,
    )  # fmt: skip
    emit_study(result, output)


def sensitivity(
    reading: ReadingOptions,
    *,
    metric: Annotated[
        Texts, statistics("NAME", "What to watch (repeatable).", "--metric", "-m")
    ] = None,
    study: StudyOptions,
    output: StudyOutputOptions,
) -> None:
    """Which metrics notice other confidences behind the same decisions (paper, section 5)."""
    check_folder(output)
    predictions = reading.read()
    from modelcompare.studies.sensitivity import DEFAULT_METRICS, sensitivity_study

    result = sensitivity_study(predictions, metric or DEFAULT_METRICS, **study.options())
    emit_study(result, output)


def sample_size(
    reading: ReadingOptions,
    *,
    metric: Annotated[
        str, statistics("NAME", "What to compare by.", "--metric", "-m")
    ] = "f1_macro",
    label: Annotated[Text, statistics("CLASS", "The class, for a metric per class.")] = None,
    alpha: AlphaOption = 0.05,
    power: Annotated[float, statistics("FRACTION", "Wanted power.")] = 0.8,
    output: StudyOutputOptions,
) -> None:
    """How many samples tell two models apart, and what this test set can show."""
    check_folder(output)
    predictions = reading.read()
    if len(predictions.models) != 2:
        raise ValueError(
            f"there are {len(predictions.models)} models; name two with --model A --model B."
        )
    from modelcompare.questions.sample_size import sample_size as size_of

    result = size_of(
        predictions, *predictions.models, metric, label=class_named(predictions, label),
        alpha=alpha, power=power,
    )  # fmt: skip
    emit_study(result, output)


COMMANDS: tuple[Command, ...] = (
    ("variance", variance, ("predictions.npz --pair f1 -o study/",)),
    ("agreement", agreement, ("predictions.npz --test permutation -o study/",)),
    ("undefined", undefined, ("intents.npz --pair precision -o study/",)),
    ("sensitivity", sensitivity, ("predictions.npz --metric cf1_macro --metric log_loss",)),
    ("sample-size", sample_size, ("predictions.npz --model cnn --model lstm --metric f1_macro",)),
)


def _pairs(names: list[str] | None) -> list[str | tuple[str, str]]:
    """Read ``f1`` or ``f1:log_loss``."""
    pairs: list[str | tuple[str, str]] = []
    for name in names or []:
        first, colon, second = name.partition(":")
        pairs.append((first, second) if colon else first)
    return pairs
