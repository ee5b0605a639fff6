"""Plugins: the folders here that `modelcompare.plugs` finds, by name."""

PLUGINS = (
    "detection",
    "paper",
)  # fmt: skip
