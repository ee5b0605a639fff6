"""The code that makes a comparison again."""

from __future__ import annotations

from typing import Any

from modelcompare.report.shapes import ComparisonShape


def comparison_code(result: ComparisonShape) -> str:
    """Write the call with what was asked for, as far as a result knows it."""
    options: dict[str, Any] = {
        "n_resamples": result.n_resamples, "confidence_level": result.confidence_level,
        "method": result.method, "test": result.test, "correction": result.correction,
        "family": result.family, "baseline": result.baseline, "alpha": result.alpha,
    }  # fmt: skip
    if result.rng_label.isdigit():
        options["rng"] = int(result.rng_label)
    lines = [f"    {name}={value!r}," for name, value in options.items() if value is not None]
    source = "..." if result.name is None else repr(result.name)
    return "\n".join([
        "import modelcompare as mc", "", f"predictions = mc.read_predictions({source})",
        "result = mc.compare(", "    predictions,", f"    {list(result.metric_info)!r},", *lines,
        ")", 'result.to_html("report.html")',
    ])  # fmt: skip
