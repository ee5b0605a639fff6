"""Draw the pictures of the report page: ``python docs/gallery/page/make.py``.

Needs Chromium and the package playwright. The page is that of the example that ships, cut into
three genres that mean nothing.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

import modelcompare as mc
from modelcompare.diagnostics.disagreements import disagreements

HERE = Path(__file__).parent
LOOKS = {
    "desktop": {"viewport": {"width": 1100, "height": 1450}},
    "phone": {"viewport": {"width": 400, "height": 1700}, "device_scale_factor": 1.5},
    "dark": {"viewport": {"width": 1100, "height": 1450}, "color_scheme": "dark"},
}


def write_page(path: Path) -> None:
    """A comparison with subgroups, calibration and disagreements."""
    preds = mc.load_example("snli")
    genres = np.resize(["fiction", "letters", "news"], len(preds))
    preds = mc.Predictions(
        preds.labels[preds.codes], {m: preds.probabilities(m) for m in preds.models},
        labels=preds.labels, slices={"genre": genres}, name=preds.name,
    )  # fmt: skip
    metrics = ["accuracy", "f1", "cf1_macro", "log_loss"]
    more = [
        mc.compare_groups(preds, metrics), mc.diagnostics.reliability(preds),
        disagreements(preds, "bow_pair", "naive_bayes"),
    ]  # fmt: skip
    mc.compare(preds, metrics).to_html(path, more)


def main() -> None:
    """Write desktop.png, phone.png and dark.png beside this file."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "page.html")
        write_page(path)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, look in LOOKS.items():
            page = browser.new_page(**look)
            page.goto(path.as_uri())
            if name != "phone":
                page.get_by_role("combobox", name="Metric").select_option("f1")
            page.screenshot(path=HERE / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
