"""Plugins: the folders here that `modelcompare.plugs` finds, by name; the first answers first."""

PLUGINS = (
    "battles",
    "detection",
    "folds",
    "hugging_face",
    "judges",
    "label_sets",
    "large",
    "ledgers",
    "logs",
    "paper",
    "published",
    "runs",
    "suites",
    "survival",
)
