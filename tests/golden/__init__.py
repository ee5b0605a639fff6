"""Three real comparisons, as they are written in every format.

``python -m tests.golden`` writes the files again; `git diff` then shows what a change did to them.
"""

import re
import tempfile
from pathlib import Path

import modelcompare as mc
from modelcompare.plugs import plugins
from tests.report.written import as_csv, as_json

FOLDER = Path(__file__).parent
NETWORKS = FOLDER.parents[1] / "experiments/snli_sepcnn/predictions/section62_1.npz"


def classifiers():
    """The example that ships, by the defaults."""
    return mc.compare(mc.load_example("snli"), n_resamples=999)


def three_networks():
    """Each class by itself, from resamples: BCa intervals, corrected by their maximum."""
    preds = mc.load_example("snli_sepcnn")
    metrics = ["f1", "cf1", "roc_auc_ovr"]
    return mc.compare(preds, metrics, n_resamples=499, method="BCa", correction="max-t")


def networks():
    """25 networks against the first of them, by losses too."""
    preds = mc.read_predictions(NETWORKS, normalize=True)
    metrics = ["matthews_corrcoef", "log_loss", "cf1_macro"]
    return mc.compare(preds, metrics, n_resamples=199, baseline=preds.models[0])


COMPARISONS = {made.__name__: made for made in (classifiers, three_networks, networks)}


def read_on(page):
    """A page without its styles, scripts and drawings, which have separate templates and tests."""
    return re.sub(r"<(style|script|svg)\b.*?</\1>\n?", "", page, flags=re.DOTALL)


def written(name, result):
    """What a comparison looks like in each format, by the names of the files; one has a page."""
    found = {
        "txt": str(result) + "\n", "md": result.to_markdown(),
        "csv": as_csv(result), "json": as_json(result),
    }  # fmt: skip
    if "latex" in plugins():
        found["tex"] = result.to_latex()
    if name == "classifiers" and "page" in plugins():
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.html")
            result.to_html(page)
            found["html"] = read_on(page.read_text("utf-8"))
    return {f"{name}.{suffix}": text for suffix, text in found.items()}
