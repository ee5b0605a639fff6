"""Plugins: the folders here that `modelcompare.plugs` finds, by name; the first answers first."""

PLUGINS = (
    "battles",
    "detection",
    "folds",
    "large",
    "ledgers",
    "paper",
    "published",
    "suites",
    "survival",
)
