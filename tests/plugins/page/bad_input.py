"""Pages that cannot be written."""

from tests.bad_input.case import Run

PREDS = {"preds.csv": "y_true,a,b\nx,x,x\ny,y,x\n"}

CASES: list[Run] = [
    Run(
        "report: -o names the input",
        "report preds.html -o preds.html",
        "preds.html is read here and would be lost; write to another place.",
        {"preds.html": PREDS["preds.csv"]},
    ),
    Run(
        "report: the page's own name is that of the input",
        "report report.html",
        "report.html is read here and would be lost; write to another place.",
        {"report.html": PREDS["preds.csv"]},
    ),
    Run(
        "report: a page is no PDF",
        "report preds.csv -o page.pdf",
        "page.pdf: .html or .htm is written here; choose such a name.",
        PREDS,
    ),
    Run(
        "report: too few threads",
        "report preds.csv --jobs -2",
        "--jobs must be -1 or from 1 to 1024, got -2.",
        PREDS,
    ),
]
