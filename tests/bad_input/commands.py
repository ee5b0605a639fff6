"""Options and outputs of the commands that cannot be had."""

from tests.bad_input.case import Call, Run
from tests.plugged import plugged

PREDS = {"preds.csv": "y_true,a,b\nx,x,x\ny,y,x\n"}
THREE = {"preds.csv": "y_true,a,b,c\nx,x,x,y\ny,y,x,y\n"}
GATE = "gate preds.csv --baseline a --candidate b"
JOBS = "--jobs must be -1 or from 1 to 1024, got"
CODES = "--inconclusive-exit must be from 0 to 255 and none of 2, 70, 74, 130, which mean other things; got"
SUFFIXES = ", ".join(sorted([".csv", ".json", ".md", ".txt", *plugged("SUFFIXES")]))
FORMS = f"write {SUFFIXES}, or give one with --format."
LOST = "preds.csv is read here and would be lost; write to another place."
SLICE = "--slice is for compare and report, which show subgroups; leave it out, or run modelcompare groups --by."
RULE = "--rule gives metric, class, margin and type of decision, as in f1_macro:-0.01; leave their options out."
ALPHA = "`alpha` must be at least 1e-12, got 1e-300."

CASES: list[Call | Run] = [
    # What would be written over.
    Run("compare: -o names the input", "compare preds.csv -o preds.csv", LOST, PREDS),
    Run("compare: -o names the input by another way", "compare preds.csv -o ./preds.csv", LOST, PREDS),
    Run(
        "compare: --plot names an input",
        "compare preds.csv other.png --plot other.png",
        "other.png is read here and would be lost; write to another place.",
        PREDS | {"other.png": "y_true,c\nx,x\ny,y\n"},
    ),
    Run(
        "compare: -o and --plot name one file",
        "compare preds.csv -o out.png --plot ./out.png --format table",
        "out.png and out.png are one file; write to two.",
        PREDS,
    ),
    Run(
        "sample-size: a file of the folder is the input",
        "sample-size sample_size.csv -o . --metric accuracy",
        "sample_size.csv is read here and would be lost; write to another place.",
        {"sample_size.csv": "y_true,a,b\n" + "x,x,y\ny,y,y\n" * 10},
    ),
    # Where nothing can be written.
    Run("compare: -o names a folder", "compare preds.csv -o .", ". is a folder; name a file in it.", PREDS),
    Run(
        "compare: -o names no form",
        "compare preds.csv -o table.xlsx",
        f"table.xlsx: .xlsx names no form; {FORMS}",
        PREDS,
    ),
    Run(
        "compare: -o names a figure",
        "compare preds.csv -o forest.png",
        f"forest.png: .png names no form; {FORMS}",
        PREDS,
    ),
    Run(
        "compare: -o is below no folder",
        "compare preds.csv -o none/a.md",
        "none/a.md: the folder none does not exist; create it first.",
        PREDS,
    ),
    Run(
        "compare: --plot is no figure",
        "compare preds.csv --plot forest.gif",
        "forest.gif: a figure is written as .pdf, .png, .svg; choose such a name.",
        PREDS,
    ),
    Run(
        "compare: --plot is below no folder",
        "compare preds.csv --plot none/a.png",
        "none/a.png: the folder none does not exist; create it first.",
        PREDS,
    ),
    Run(
        "demo: -o is below no folder",
        "demo -o none/a.md",
        "none/a.md: the folder none does not exist; create it first.",
    ),
    # Options that would do nothing.
    Run(
        "compare: --slice in another form",
        "compare preds.csv --slice b --format json",
        "--slice shows more tables on the screen; for a file or another form run modelcompare groups --by.",
        PREDS,
    ),
    Run("groups: --by of a column that is absent", "groups preds.csv --by absent", "preds.csv has no column 'absent'; there are y_true, a, b.", PREDS),
    Run("gate: --slice", f"{GATE} --margin 0.1 --slice b", SLICE, PREDS),
    Run(
        "compare: --baseline of a single model",
        "compare preds.csv --model a --baseline a",
        "--baseline needs a second model to compare with; there is 1 model.",
        PREDS,
    ),
    # Arguments given twice.
    Run("compare: a file twice", "compare preds.csv preds.csv", "FILE is given 'preds.csv' twice; give each once.", PREDS),
    Run("compare: a model twice", "compare preds.csv --model a --model a", "--model is given 'a' twice; give each once.", PREDS),
    Run("compare: a metric twice", "compare preds.csv -m f1 -m mcc -m f1", "--metric is given 'f1' twice; give each once.", PREDS),
    Run("gate: a rule twice", f"{GATE} --rule mcc:-1 --rule mcc:-1", "--rule is given 'mcc:-1' twice; give each once.", PREDS),
    # The gate.
    Run(
        "a gate without a margin",
        GATE,
        "--margin is needed to ask for non-inferior: how much worse would matter?",
        PREDS,
    ),
    Run(
        "a gate of equivalence without a margin",
        f"{GATE} --equivalent",
        "--margin is needed to ask for equivalent: how much worse would matter?",
        PREDS,
    ),
    Run(
        "a gate that asks for two things",
        f"{GATE} --superior --non-inferior --margin 0.1",
        "--non-inferior and --superior exclude each other; ask for one.",
        PREDS,
    ),
    Run(
        "a gate of a model against itself",
        "gate preds.csv --baseline a --candidate a --margin 0.1",
        "--baseline and --candidate are both 'a'; name two models.",
        PREDS,
    ),
    Run("a gate of a rule and a metric", f"{GATE} --rule f1_macro:-0.1 --metric f1_macro", RULE, PREDS),
    Run("a gate of a rule and a margin", f"{GATE} --rule f1_macro:-0.1 --margin 0.1", RULE, PREDS),
    Run("a gate of a rule and a class", f"{GATE} --rule f1_macro:-0.1 --label x", RULE, PREDS),
    Run("a gate of a rule and a kind", f"{GATE} --rule f1_macro:-0.1 --superior", RULE, PREDS),
    Run("an exit code above 255", f"{GATE} --margin 0.1 --inconclusive-exit 256", f"{CODES} 256.", PREDS),
    Run("an exit code below 0", f"{GATE} --margin 0.1 --inconclusive-exit -1", f"{CODES} -1.", PREDS),
    Run("an exit code that is taken", f"{GATE} --margin 0.1 --inconclusive-exit 74", f"{CODES} 74.", PREDS),
    # Numbers that no machine, and no data, can reach.
    Run("compare: no threads", "compare preds.csv --jobs 0", f"{JOBS} 0.", PREDS),
    Run("compare: too many threads", "compare preds.csv --jobs 100000", f"{JOBS} 100000.", PREDS),
    Run("gate: too many threads", f"{GATE} --margin 0.1 --jobs 100000", f"{JOBS} 100000.", PREDS),
    Run("demo: too many threads", "demo --jobs 5000", f"{JOBS} 5000."),
    Run("compare: a level of nothing", "compare preds.csv --alpha 1e-300", ALPHA, PREDS),
    Run("gate: a level of nothing", f"{GATE} --margin 0.1 --alpha 1e-300", ALPHA, PREDS),
    Run("sample-size: a level of nothing", "sample-size preds.csv --alpha 1e-300", ALPHA, PREDS),
    Run("compare: a level of 0", "compare preds.csv --alpha 0", "`alpha` must be in (0, 1), got 0.", PREDS),
    Run("gate: a level that is no number", f"{GATE} --margin 0.1 --alpha nan", "`alpha` must be in (0, 0.5), got nan.", PREDS),
    # What does not exist.
    Run(
        "sample-size of three models",
        "sample-size preds.csv",
        "there are 3 models; name two with --model A --model B.",
        THREE,
    ),
]  # fmt: skip
