"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="calibration",
    package=__package__,
    public={
        "diagnostics.Reliability": "reliability:Reliability",
        "diagnostics.reliability": "reliability:reliability",
        "diagnostics.calibration_line": "line:calibration_line",
        "inference.CalibrationTest": "calibration_test:CalibrationTest",
        "inference.calibration_test": "calibration_test:calibration_test",
    },
    pages="on_page:PAGES",
    metrics="metrics:METRICS",
    phrases="intervals:PHRASES",
    terms={
        "ece": "expected calibration error",
        "debiased_ece": "debiased expected calibration error",
        "mce": "maximum calibration error",
    },
)
