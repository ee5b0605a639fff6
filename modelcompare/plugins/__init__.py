"""Plugins: the folders here that `modelcompare.plugs` finds, by name; the first answers first."""

PLUGINS = (
    "battles",
    "detection",
    "folds",
    "judges",
    "large",
    "ledgers",
    "logs",
    "paper",
    "published",
    "runs",
    "suites",
    "survival",
)
