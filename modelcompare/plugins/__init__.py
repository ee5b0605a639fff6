"""Plugins: the folders here that `modelcompare.plugs` finds, by name."""

PLUGINS = (
    "paper",
)  # fmt: skip
