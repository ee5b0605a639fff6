"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="published",
    package=__package__,
    public={
        "io.from_counts": "counts:from_counts",
        "io.from_results": "results:from_results",
        "inference.critical_difference": "ranks:critical_difference",
        "inference.RankComparison": "mean_ranks:RankComparison",
    },
    readers="confusions:READERS",
    options={"friedman": "mean_ranks:compare_ranks", "table": "score_tables"},
    score_tables="run:SCORE_TABLES",
    set_results="run:SET_RESULTS",
    folders="folders:FOLDERS",
)
