"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="confidences",
    package=__package__,
    public={
        f"io.{name}": f"lists:{name}"
        for name in ("bin_values", "from_bins", "from_nbest", "missing_mass")
    },
)
