"""``modelcompare variance``, ``agreement``, ``undefined``, ``sensitivity`` and ``sample-size``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, cast

import typer

from modelcompare.cli.options import (
    ReadingOptions,
    StudyOptions,
    StudyOutputOptions,
    expanded,
)
from modelcompare.cli.output import check_folder, emit_study

AgreementTestName = Literal["t", "paired-t", "permutation", "sign-flip", "bootstrap", "wald"]
_STATISTICS = "Statistics"

PairOption = Annotated[
    list[str] | None,
    typer.Option(
        "--pair",
        metavar="NAME",
        help="Pair of metrics (repeatable): f1 is f1 with cf1, f1:log_loss any two. By default f1, "
        "precision and recall with their probabilistic twins.",
        show_default=False,
        rich_help_panel=_STATISTICS,
    ),
]
RatioOption = Annotated[
    list[float] | None,
    typer.Option(
        "--ratio",
        metavar="FRACTION",
        help="Part of the test set (repeatable); by default 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01.",
        show_default=False,
        rich_help_panel=_STATISTICS,
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    commands: dict[str, Callable[..., None]] = {
        "variance": variance,
        "agreement": agreement,
        "undefined": undefined,
        "sensitivity": sensitivity,
        "sample-size": sample_size,
    }
    for name, command in commands.items():
        example = f"\n[bold]Example[/bold]\n\n  modelcompare {name} {_EXAMPLES[name]}\n"
        app.command(name=name, epilog=example, no_args_is_help=True)(expanded(command))


_EXAMPLES = {
    "variance": "predictions.npz --pair f1 -o study/",
    "agreement": "predictions.npz --test permutation -o study/",
    "undefined": "intents.npz --pair precision -o study/",
    "sensitivity": "predictions.npz --metric cf1_macro --metric log_loss",
    "sample-size": "predictions.npz --model cnn --model lstm --metric f1_macro",
}


def variance(
    reading: ReadingOptions,
    *,
    pair: PairOption = None,
    ratio: RatioOption = None,
    test: Annotated[
        list[str] | None,
        typer.Option(
            "--test",
            metavar="NAME",
            help="Test of equal variances (repeatable): f, bartlett, levene (the paper's, and the "
            "default), brown-forsythe, fligner, pitman-morgan.",
            show_default=False,
            rich_help_panel=_STATISTICS,
        ),
    ] = None,
    subsamples: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Down-samplings at each ratio.",
            rich_help_panel=_STATISTICS,
        ),
    ] = 1,
    stratify: Annotated[
        bool,
        typer.Option(
            "--stratify",
            metavar="",
            help="Keep the classes' proportions when down-sampling.",
            rich_help_panel=_STATISTICS,
        ),
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
        predictions,
        _pairs(pair) or PAPER_PAIRS,
        ratios=ratio or PAPER_RATIOS,
        tests=cast("Any", test or PAPER_TESTS),
        n_subsamples=subsamples,
        stratify=stratify,
        **study.options(),
        progress=True,
    )
    emit_study(result, output)


def agreement(
    reading: ReadingOptions,
    *,
    pair: PairOption = None,
    test: Annotated[
        AgreementTestName,
        typer.Option(
            metavar="NAME",
            help="t (Welch, the paper's) or paired-t on replicates; permutation, sign-flip, "
            "bootstrap or wald, which are valid.",
            rich_help_panel=_STATISTICS,
        ),
    ] = "t",
    alpha: Annotated[
        float, typer.Option(metavar="FRACTION", help="Level.", rich_help_panel=_STATISTICS)
    ] = 0.01,
    study: StudyOptions,
    output: StudyOutputOptions,
) -> None:
    """Whether two metrics prefer the same models, over all pairs (paper, section 6.2)."""
    check_folder(output)
    predictions = reading.read()
    from modelcompare.studies.agreement import agreement_study
    from modelcompare.studies.pairs import PAPER_PAIRS

    result = agreement_study(
        predictions,
        _pairs(pair) or PAPER_PAIRS,
        alpha=alpha,
        test=test,
        **study.options(),
        progress=True,
    )
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
        predictions,
        _pairs(pair) or PAPER_PAIRS,
        ratios=ratio or PAPER_RATIOS,
        **study.options(),
        progress=True,
    )
    emit_study(result, output)


def sensitivity(
    reading: ReadingOptions,
    *,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", "-m", metavar="NAME", help="What to watch (repeatable).",
            show_default=False, rich_help_panel=_STATISTICS,
        ),
    ] = None,
    study: StudyOptions,
    output: StudyOutputOptions,
) -> None:  # fmt: skip
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
        str, typer.Option("--metric", "-m", metavar="NAME", help="What to compare by.",
                          rich_help_panel=_STATISTICS),
    ] = "f1_macro",
    label: Annotated[
        str | None,
        typer.Option(metavar="CLASS", help="The class, for a metric per class.",
                     rich_help_panel=_STATISTICS),
    ] = None,
    alpha: Annotated[
        float, typer.Option(metavar="FRACTION", help="Level.", rich_help_panel=_STATISTICS)
    ] = 0.05,
    power: Annotated[
        float,
        typer.Option(metavar="FRACTION", help="Wanted power.", rich_help_panel=_STATISTICS),
    ] = 0.8,
    output: StudyOutputOptions,
) -> None:  # fmt: skip
    """How many samples tell two models apart, and what this test set can show."""
    check_folder(output)
    predictions = reading.read()
    if len(predictions.models) != 2:
        raise ValueError(
            f"there are {len(predictions.models)} models; name two with --model A --model B."
        )
    from modelcompare.questions.sample_size import sample_size as size_of

    chosen = next((x for x in predictions.labels.tolist() if str(x) == label), label) if (
        label is not None and predictions.labels is not None
    ) else label  # fmt: skip
    result = size_of(
        predictions, *predictions.models, metric, label=chosen, alpha=alpha, power=power
    )
    emit_study(result, output)


def _pairs(names: list[str] | None) -> list[str | tuple[str, str]]:
    """Read ``f1`` or ``f1:log_loss``."""
    pairs: list[str | tuple[str, str]] = []
    for name in names or []:
        first, colon, second = name.partition(":")
        pairs.append((first, second) if colon else first)
    return pairs
