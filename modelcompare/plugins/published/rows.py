"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="published",
    package=__package__,
    public={
        "io.from_counts": "counts:from_counts",
        "io.from_results": "results:from_results",
        "inference.critical_difference": "ranks:critical_difference",
    },
    readers="confusions:READERS",
    score_tables="run:SCORE_TABLES",
    set_results="run:SET_RESULTS",
    folders="folders:FOLDERS",
    documents={
        "sources": (
            "a confusion matrix of one model | a row and a column for each class; `--true "
            "rows`, or `columns`, unless the headings name the side of the truth",
            "two confusion matrices | no pairs: `mc.inference.unpaired_test`, each as "
            '`mc.read_predictions(FILE)` or `mc.io.from_counts(array, "cnn")`',
            "a table of published scores, a leaderboard, a folder of MTEB's results, or of "
            "models with `.eval_results` as on the Hugging Face Hub | "
            "`mc.inference.critical_difference`, and `ranks` on the command line: [many data "
            "sets](estimators.md#many-data-sets)",
        ),
    },
)
