"""``modelcompare variance``, ``agreement``, ``undefined``, ``sensitivity`` and ``sample-size``."""

from __future__ import annotations

from typing import Annotated, Any

from modelcompare.cli.commands import Command
from modelcompare.cli.options import (
    ReadingOptions,
    StudyOptions,
    StudyOutputOptions,
    Text,
    Texts,
    measured,
    metric_names,
    statistics,
)
from modelcompare.cli.output import check_folder, emit_study
from modelcompare.words import AgreementTest, VarianceTest, listed

_PAIRS = (
    "Pair of metrics (repeatable): f1 is f1 with cf1, f1:log_loss any two. By default f1, "
    "precision and recall with their probabilistic twins."
)
_RATIOS = "Part of the test set (repeatable); by default 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01."
_VARIANCE_TESTS = (
    f"Test of equal variances (repeatable): {listed(VarianceTest)}; by default the paper's, f, "
    "bartlett and levene."
)
_AGREEMENT_TESTS = (
    f"{listed(AgreementTest)}; t (Welch's, the paper's) and paired-t run on replicates, the others "
    "are valid."
)
PairOption = Annotated[Texts, statistics("NAME", _PAIRS, autocompletion=metric_names)]
RatioOption = Annotated[list[float] | None, statistics("FRACTION", _RATIOS)]
AlphaOption = Annotated[float, statistics("FRACTION", "Level.")]


def variance(
    reading: ReadingOptions,
    *,
    pair: PairOption = None,
    ratio: RatioOption = None,
    test: Annotated[Texts, statistics("NAME", _VARIANCE_TESTS)] = None,
    subsamples: Annotated[int, statistics("N", "Down-samplings at each ratio.", min=1)] = 1,
    stratify: Annotated[
        bool, statistics("", "Keep the classes' proportions when down-sampling.", "--stratify")
    ] = False,
    study: StudyOptions,
    output: StudyOutputOptions,
) -> None:
    """How a metric's spread depends on the size of the test set (paper, section 6.1)."""
    if set(ratio or ()) == {1.0} and (stratify or subsamples > 1):
        raise ValueError("--stratify and --subsamples are for parts of the set; --ratio 1 is all.")
    check_folder(output)
    predictions = reading.read(by_blocks=True)
    from modelcompare.studies.variance import variance_study

    options = {**_given(pairs=_pairs(pair), ratios=ratio, tests=test), **study.options()}
    result = variance_study(
        predictions, n_subsamples=subsamples, stratify=stratify, **options, progress=True
    )
    emit_study(result, output, reading.files)


def agreement(
    reading: ReadingOptions,
    *,
    pair: PairOption = None,
    test: Annotated[AgreementTest, statistics("NAME", _AGREEMENT_TESTS)] = "t",
    alpha: AlphaOption = 0.01,
    study: StudyOptions,
    output: StudyOutputOptions,
) -> None:
    """Whether two metrics prefer the same models, over all pairs (paper, section 6.2)."""
    check_folder(output)
    predictions = reading.read()
    from modelcompare.studies.agreement import agreement_study

    options = {**_given(pairs=_pairs(pair)), **study.options()}
    result = agreement_study(predictions, alpha=alpha, test=test, **options, progress=True)
    emit_study(result, output, reading.files)


def undefined(
    reading: ReadingOptions, *, pair: PairOption = None, ratio: RatioOption = None,
    study: StudyOptions, output: StudyOutputOptions,
) -> None:  # fmt: skip
    """How often a metric has no value, by class and size (paper, section 4)."""
    check_folder(output)
    predictions = reading.read()
    from modelcompare.studies.undefined import undefined_study

    options = {**_given(pairs=_pairs(pair), ratios=ratio), **study.options()}
    emit_study(undefined_study(predictions, **options, progress=True), output, reading.files)


def sensitivity(
    reading: ReadingOptions,
    *,
    metric: Annotated[Texts, measured("What to watch (repeatable).")] = None,
    study: StudyOptions,
    output: StudyOutputOptions,
) -> None:
    """Which metrics notice other confidences behind the same decisions (paper, section 5)."""
    check_folder(output)
    predictions = reading.read()
    from modelcompare.studies.sensitivity import sensitivity_study

    options = {**_given(metrics=metric), **study.options()}
    emit_study(sensitivity_study(predictions, **options), output, reading.files)


def sample_size(
    reading: ReadingOptions,
    *,
    metric: Annotated[
        Text,
        measured(
            "What to compare by; by default f1_macro, or mean_score of scores, rmse of values."
        ),
    ] = None,
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
    from modelcompare.metrics.registry import default_metric
    from modelcompare.questions.sample_size import sample_size as size_of

    model_a, model_b = predictions.models
    result = size_of(
        predictions, model_a, model_b, metric or default_metric(predictions),
        label=predictions.class_named(label), alpha=alpha, power=power,
    )  # fmt: skip
    emit_study(result, output, reading.files)


COMMANDS: tuple[Command, ...] = (
    ("variance", variance, ("predictions.npz --pair f1 -o study/",)),
    ("agreement", agreement, ("predictions.npz --test permutation -o study/",)),
    ("undefined", undefined, ("intents.npz --pair precision -o study/",)),
    ("sensitivity", sensitivity, ("predictions.npz --metric cf1_macro --metric log_loss",)),
    ("sample-size", sample_size, ("predictions.npz --model cnn --model lstm --metric f1_macro",)),
)


def _given(**options: Any) -> dict[str, Any]:
    """The options that were given: the library knows what the others are by default."""
    return {name: value for name, value in options.items() if value}


def _pairs(names: list[str] | None) -> list[str | tuple[str, str]]:
    """Read ``f1`` or ``f1:log_loss``."""
    pairs: list[str | tuple[str, str]] = []
    for name in names or []:
        first, colon, second = name.partition(":")
        if first == second:
            raise ValueError(f"--pair {name} is one metric twice; name two.")
        pairs.append((first, second) if colon else first)
    return pairs
