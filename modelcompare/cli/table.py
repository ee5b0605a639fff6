"""Every command as one row: its name, what it calls, its options, its help and examples.

The modules of the functions are imported when the command runs, so that help comes at once.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from pathlib import Path

from modelcompare.cli.commands import Command
from modelcompare.cli.gates import GATES
from modelcompare.cli.options import (
    FIGURE,
    FOLDER,
    GENERALIZE_TO,
    OUTPUT,
    READING,
    RESAMPLING,
    RESULTS,
    WHOLE,
    change_option,
    metric,
    metrics,
    named_option,
    output_with_figure,
    statistics,
)
from modelcompare.options import OPTIONS, REQUIRED, Option
from modelcompare.plugs import rows
from modelcompare.words import (
    PosthocTest,
    listed,
)

_AS_COMPARE = metrics("Metric (repeatable); by default as in compare.")
_LEVEL = OPTIONS["confidence_level"]
_LOWER = statistics(
    name="greater_is_better", flags="--lower-is-better/--higher-is-better", type=bool | None,
    metavar="", parse=lambda lower: not lower,
    help="Direction of scores; by default by their name.",
)  # fmt: skip
_STUDY_LEVEL = named_option("alpha", "Level.")
_COMMANDS = (
    Command(
        "compare",
        "compare:compare",
        (
            READING,
            metrics("Repeatable: accuracy, f1, f1[CLASS], cf1, ..."),
            OPTIONS["method"], OPTIONS["test"], OPTIONS["correction"],
            OPTIONS["baseline"], replace(OPTIONS["generalize_to"], advanced=True), _LEVEL,
            replace(OPTIONS["alpha"], advanced=True),
            replace(OPTIONS["family"], advanced=True), OPTIONS["zero_division"], *RESAMPLING,
            output_with_figure("Write a forest plot too: .png, .pdf or .svg.", FIGURE),
        ),
        "Compare models on one test set: intervals, paired tests.",
        (
            "bert.csv roberta.csv --id uid -m f1 --plot forest.png",
            "scores.tsv --lower-is-better -o table.tex",
        ),
    ),
    *GATES,
    Command(
        "groups",
        "ask:groups",
        (
            change_option(READING, "slices", flags="--by --slice", advanced=False), _AS_COMPARE,
            OPTIONS["min_size"],
            named_option("correction", "Correction for all groups: {choices}"), GENERALIZE_TO,
            _LEVEL,
            replace(OPTIONS["alpha"], advanced=True),
            OPTIONS["zero_division"], *RESAMPLING, OUTPUT,
        ),
        "Compare models in subgroups, or on several test sets.\n\n--by makes subgroups.",
        ("predictions.csv --by language --by year -m accuracy",),
    ),
    Command(
        "sample-size",
        "ask:of_two_models",
        (
            change_option(WHOLE, "files", default=()),
            metric(), OPTIONS["label"],
            named_option("margin", "Difference to detect; by default the observed one."),
            _STUDY_LEVEL, OPTIONS["power"], GENERALIZE_TO, OPTIONS["cost_item"],
            OPTIONS["cost_run"], OPTIONS["zero_division"],
            FOLDER,
        ),
        "Estimate how many samples, and runs, a difference needs.",
        (
            "preds.npz --model cnn --model lstm -m f1_macro",
            "runs.csv --margin 0.01 --cost-item 2 --cost-run 500",
        ),
        {"function": "sample_size"},
    ),
    Command(
        "ranks",
        "ask:ranks",
        (
            Option(
                name="tables", flags="TABLE", type=list[Path], default=REQUIRED, metavar="TABLE",
                help="A row for each data set or model, and a column for each model or data "
                "set; or a row for each score; several files, or a folder of them, are of a model "
                "or data set each unless they name these; or a folder of MTEB's results.",
            ),
            RESULTS,
            named_option(
                "test", type=PosthocTest, help=f"Of pairs by ranks: {listed(PosthocTest)}",
            ),
            _LOWER, OPTIONS["alpha"],
            output_with_figure("Write the critical-difference diagram: .png, .pdf or .svg."),
        ),
        """Compare models by a table of their scores.

        Scores on many data sets are compared by their ranks.
        """,
        ("results.csv --plot cd.png", "errors.csv --lower-is-better"),
    ),
    Command(
        "demo",
        "compare:demo",
        (*RESAMPLING, OUTPUT),
        "Compare the models of an example, with a forest plot.",
    ),
)  # fmt: skip


def _with_additions(command: Command) -> Command:
    """Add the options that plugins add to a command."""
    additions = (each for each in rows("additions") if each.command == command.name)
    return reduce(Command.added, additions, command)


COMMANDS = tuple(map(_with_additions, (*_COMMANDS, *rows("commands"))))
