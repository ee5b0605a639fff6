"""Every command as one row: its name, what it calls, its options, its help and examples.

The modules of the functions are imported when the command runs, so that help comes at once.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from modelcompare.cli.commands import Command
from modelcompare.cli.options import (
    COMPLETED,
    FILES,
    FOLDER,
    OUTPUT,
    READING,
    RESAMPLING,
    STUDY_RESAMPLING,
    Texts,
    metric,
    metric_names,
    metrics,
    named,
    output,
    pairs,
    plotted,
    statistics,
)
from modelcompare.options import OPTIONS, REQUIRED, Option
from modelcompare.words import (
    AgreementTest,
    Correction,
    Dialect,
    FoldTest,
    GateFormat,
    PosthocTest,
    Tokenizer,
    VarianceTest,
    listed,
)

_AS_COMPARE = metrics("What to measure (repeatable); by default as in compare.")
_LEVEL = OPTIONS["confidence_level"]
_LOWER = statistics(
    name="greater_is_better", flags="--lower-is-better", type=bool | None, metavar="",
    parse=lambda lower: not lower, help="Low scores are good.",
)  # fmt: skip
_RATIOS = statistics(
    name="ratios", flags="--ratio", type=list[float] | None, metavar="FRACTION",
    help="Part of the test set (repeatable); by default 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01.",
)  # fmt: skip
_PAIRS = statistics(
    name="pairs", flags="--pair", type=Texts, more=COMPLETED, parse=pairs,
    help="Pair of metrics (repeatable): f1 is f1 with cf1, f1:log_loss any two. By default f1, "
    "precision and recall with their probabilistic twins.",
)  # fmt: skip
_flag = partial(Option, type=bool, default=False)
_STUDY_LEVEL = named("alpha", "Level.")
_SKETCHED = replace(
    FILES, default=(), metavar="[FILE]",
    help="Predictions, as for compare; or sketches, which are added up.",
)  # fmt: skip


def _scores(help: str) -> Option:
    """Declare the argument of a table of scores."""
    return Option(
        name="table", flags="TABLE", type=Path, default=REQUIRED, metavar="TABLE", help=help
    )


COMMANDS = (
    Command(
        "compare",
        "compare:compare",
        (
            READING,
            metrics(
                "What to measure (repeatable), e.g. accuracy, f1 (per class), f1_macro, cf1, mcc. "
                "By default accuracy, f1_macro and cf1_macro, or the mean of scores."
            ),
            statistics(
                name="metric_from", type=Texts, metavar="FILE.py:NAME",
                help="A metric of your own (repeatable): a function of the truth and the output, "
                "or a modelcompare Metric, in a Python file, which is run.",
            ),
            statistics(
                name="tokenize", type=Tokenizer | None,
                help=f"sacrebleu's tokenizer for bleu: {listed(Tokenizer)}.",
            ),
            OPTIONS["method"], OPTIONS["test"], OPTIONS["correction"], OPTIONS["family"],
            OPTIONS["baseline"], _LEVEL, OPTIONS["alpha"], *RESAMPLING,
            plotted("Write a forest plot too: .png, .pdf or .svg."),
        ),
        "Compare models on one test set: scores, intervals, differences of all pairs.",
        (
            "predictions.npz",
            "predictions.csv --metric f1 --metric cf1 --true gold",
            "bert.csv roberta.csv --id uid --plot forest.png",
            "scores.tsv.gz --scores --lower-is-better -o table.tex",
            "predictions.npz --format json --resamples 2000 --seed 7",
        ),
    ),
    Command(
        "gate",
        "gate:gate",
        (
            READING,
            named("baseline", "What is in use.", type=str, default=REQUIRED, panel=None),
            Option(
                name="candidate", type=str, default=REQUIRED, metavar="MODEL",
                help="What would replace it.",
            ),
            metric(
                "What counts; by default f1_macro, mean_score of scores, rmse of real values.",
                panel=None,
            ),
            OPTIONS["margin"],
            _flag(name="non_inferior", help="Pass if not worse (the default)."),
            _flag(name="superior", help="Pass if better by the margin."),
            _flag(name="equivalent", help="Pass if within the margins (TOST)."),
            named("label", panel=None),
            named("alpha", "One-sided level.", panel=None),
            Option(
                name="rule", type=Texts, metavar="RULE",
                help="METRIC:-MARGIN, METRIC:+MARGIN or METRIC:+-MARGIN (repeatable), with a class "
                "as in recall[toxic]:-0.01; all must hold. Takes the place of --metric and "
                "--margin.",
            ),
            Option(
                name="inconclusive_exit", type=int, default=1, metavar="CODE",
                help="Exit code, 0 to 255, where there are not enough data to say.",
            ),
            Option(
                name="format", type=GateFormat, default="text", metavar="FORM",
                help=f"{listed(GateFormat)}; github annotates a workflow, and adds a table to its "
                "summary and the numbers to the step's outputs.",
            ),
            *RESAMPLING,
        ),
        """Exit with 0 if the candidate passes, 1 if it does not, 2 if the input is bad.

        There are three answers: shown, shown otherwise, not enough data (and how many would be).
        The exit code is 74 if the answer cannot be written: its reader has gone, or the disk is
        full.
        """,
        (
            "--baseline v1 --candidate v2 --metric f1_macro --margin 0.005 preds.npz",
            "--baseline v1 --candidate v2 --superior --format github preds.npz",
        ),
    ),
    Command(
        "disagreements",
        "ask:disagreements",
        (READING, OUTPUT),
        "List the samples on which two models part, those furthest apart first, and who is right.",
        ("predictions.npz --model cnn --model lstm --all",),
    ),
    Command(
        "sketch",
        "sketch:sketch",
        (
            replace(READING, options=(_SKETCHED, *READING.options[1:])),
            metrics(
                "What it will serve (repeatable): metrics that are sums, by default those of "
                "compare.",
                panel=None,
            ),
            OPTIONS["buckets"], OPTIONS["salt"],
            output(
                name="output", flags="--output -o", metavar="PATH",
                help="Where to: a .parquet file.",
            ),
            Option(
                name="sql", type=Dialect | None, metavar="NAME", panel="Query",
                help="Print the query that makes the sketch in a database instead: "
                f"{listed(Dialect)}; it needs --table, --true, --id and --model for each column "
                "of labels.",
            ),
            Option(
                name="table", metavar="NAME", panel="Query", help="Table that the query reads.",
            ),
            Option(
                name="classes", flags="--class", type=Texts, metavar="NAME", panel="Query",
                help="Class (repeatable), where models have columns MODEL:CLASS of probabilities.",
            ),
        ),
        """Sum a test set by a hash of its samples: compare and gate run on it, days add up.

        A day's predictions are read once and forgotten. Sketches of several days, or shards, are
        given together to compare and gate, or added to one here.
        """,
        (
            "monday.parquet -o monday.sketch.parquet --metric f1_macro --metric cf1_macro",
            "monday.sketch.parquet tuesday.sketch.parquet -o week.sketch.parquet",
            "--sql duckdb --table preds --true y --id item --model cnn --model lstm",
        ),
    ),
    Command(
        "sets",
        "ask:of_sets",
        (READING, _AS_COMPARE, OPTIONS["correction"], _LEVEL, *RESAMPLING, OUTPUT),
        "Compare models on several test sets: files that hold all models, folders, or long tables.",
        ("news.csv tweets.csv mails.csv --metric accuracy",),
        {"function": "compare_sets"},
    ),
    Command(
        "slices",
        "ask:of_predictions",
        (
            READING, _AS_COMPARE, OPTIONS["min_size"],
            named("correction", f"Adjustment for all subgroups and pairs: {listed(Correction)}."),
            _LEVEL, *RESAMPLING, OUTPUT,
        ),
        "Compare models in every subgroup that the columns named by --slice make, the worst first.",
        ("predictions.csv --slice language --slice year -m accuracy",),
        {"function": "compare_slices", "sliced": True},
    ),
    Command(
        "variance",
        "ask:of_predictions",
        (
            READING, _PAIRS, _RATIOS,
            statistics(
                name="tests", flags="--test", type=Texts,
                help=f"Test of equal variances (repeatable): {listed(VarianceTest)}; by default "
                "the paper's, f, bartlett and levene.",
            ),
            OPTIONS["n_subsamples"], OPTIONS["stratify"], *STUDY_RESAMPLING, FOLDER,
        ),
        "How a metric's spread depends on the size of the test set (paper, section 6.1).",
        ("predictions.npz --pair f1 -o study/",),
        {"function": "studies.variance_study", "by_blocks": True, "progress": True},
    ),
    Command(
        "agreement",
        "ask:of_predictions",
        (
            READING, _PAIRS,
            named(
                "test", type=AgreementTest, default="t",
                help=f"{listed(AgreementTest)}; t (Welch's, the paper's) and paired-t run on "
                "replicates, the others are valid.",
            ),
            replace(_STUDY_LEVEL, default=0.01), *STUDY_RESAMPLING, FOLDER,
        ),
        "Whether two metrics prefer the same models, over all pairs (paper, section 6.2).",
        ("predictions.npz --test permutation -o study/",),
        {"function": "studies.agreement_study", "progress": True},
    ),
    Command(
        "undefined",
        "ask:of_predictions",
        (READING, _PAIRS, _RATIOS, *STUDY_RESAMPLING, FOLDER),
        "How often a metric has no value, by class and size (paper, section 4).",
        ("intents.npz --pair precision -o study/",),
        {"function": "studies.undefined_study", "progress": True},
    ),
    Command(
        "sensitivity",
        "ask:of_predictions",
        (READING, metrics("What to watch (repeatable)."), *STUDY_RESAMPLING, FOLDER),
        "Which metrics notice other confidences behind the same decisions (paper, section 5).",
        ("predictions.npz --metric cf1_macro --metric log_loss",),
        {"function": "studies.sensitivity_study"},
    ),
    Command(
        "sample-size",
        "ask:of_two_models",
        (
            READING,
            metric(
                "What to compare by; by default f1_macro, or mean_score of scores, rmse of values."
            ),
            OPTIONS["label"], _STUDY_LEVEL, OPTIONS["power"], FOLDER,
        ),
        "How many samples tell two models apart, and what this test set can show.",
        ("predictions.npz --model cnn --model lstm --metric f1_macro",),
        {"function": "sample_size"},
    ),
    Command(
        "folds",
        "ask:of_table",
        (
            _scores(
                "A row for each fold and a column for each model; or columns model, fold, score."
            ),
            statistics(
                name="n_train", type=float | None, metavar="N",
                help="Samples that a fold trains on; 9 for ten folds does, too.",
            ),
            statistics(
                name="n_test", type=float | None, metavar="N",
                help="Samples that a fold tests on; then 1 for ten folds.",
            ),
            named("test", f"{listed(FoldTest)}.", type=FoldTest, default="corrected-t"),
            _LOWER, OPTIONS["correction"], OPTIONS["alpha"], OPTIONS["rope"], _LEVEL, OUTPUT,
        ),
        "Compare models by their scores on the folds of a cross-validation.",
        ("folds.csv --n-train 9 --n-test 1", "folds.csv --test 5x2cv-f"),
        {"function": "crossval.compare_folds"},
    ),
    Command(
        "ranks",
        "ask:of_table",
        (
            _scores(
                "A row for each data set and a column for each model; or columns dataset, model, "
                "score."
            ),
            named(
                "test", f"Of the pairs: {listed(PosthocTest)}.", type=PosthocTest,
                default="nemenyi",
            ),
            _LOWER, OPTIONS["alpha"],
            plotted("Write the critical-difference diagram: .png, .pdf or .svg."),
        ),
        "Compare models by their ranks over many data sets.",
        ("results.csv --plot cd.png", "errors.csv --lower-is-better"),
        {"function": "tests.critical_difference"},
    ),
    Command(
        "metrics",
        "metrics:metrics",
        (
            Option(
                name="name", flags="[NAME]", metavar="[NAME]", help="The metric to explain.",
                more={"autocompletion": metric_names},
            ),
            Option(
                name="format", type=Literal["text", "json"], default="text", metavar="FORM",
                help="text or json.",
            ),
        ),
        "List all metrics, or explain one: definition, bounds, value encoded, weaknesses, source.",
        ("", "cf1_macro"),
    ),
    Command(
        "report",
        "report:report",
        (
            READING, metrics(panel=None),
            Option(
                name="card", metavar="MODEL",
                help="Write the model card of this model instead of a page.",
            ),
            Option(
                name="output", flags="--output -o", type=Path | None, metavar="PATH",
                help="Where to; report.html or MODEL.md by default.",
            ),
            *RESAMPLING,
        ),
        """Write a self-contained HTML page of a comparison, or the card of one model.

        The page holds subgroups if --slice makes some, the calibration of models that gave
        probabilities, and the samples on which the best two models part. A card is what its name
        says: .md with the metadata that the Hugging Face Hub reads, .txt without them, .json the
        metadata alone.
        """,
        ("predictions.npz -o report.html", "predictions.npz --card cnn -o cnn.md --metric f1"),
    ),
    Command(
        "schema",
        "schema:schema",
        (),
        """Print the JSON Schema of everything that --format json writes.

        The member "schema" of a document names its kind and version, such as
        modelcompare/compare/1.
        """,
        ("> schema.json",),
    ),
    Command(
        "demo",
        "compare:demo",
        (*RESAMPLING, OUTPUT),
        "Compare the models of the example that ships, and draw a forest plot into demo/.",
    ),
)  # fmt: skip
