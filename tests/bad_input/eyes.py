"""Evaluations as people have them, which hold no predictions, or could be read in two ways."""

import pandas as pd

import modelcompare as mc
from tests.bad_input.case import Call, Run

N = 12
TRUTH = ["ant", "cat", "dog"] * 4


def _table(separator=",", **columns):
    return {"t.csv": pd.DataFrame(columns).to_csv(index=False, sep=separator)}


def _hits(*names):
    return {name: [0, 1] * (N // 2) for name in names}


def _ranked(what, message):
    return (
        f"t.csv: each row is a {what} ({message}), not a sample; such scores are for "
        "`modelcompare ranks`; if the "
        "rows are samples name the models with models= (--model)."
    )


def _doubtful(heading, why, columns, options):
    return (
        f"t.csv: column {heading!r} {why} (columns: {columns}); name all models with models= "
        f"(--model), and it among them if it is one. Try: modelcompare compare t.csv {options}"
    )


def _of_sets(folder):
    for model in "ab":
        (folder / model).mkdir()
        for name in "xy":
            rows = "".join(f"{name}{i},{label},ant\n" for i, label in enumerate(TRUTH))
            (folder / model / f"{name}.csv").write_text("id,label,pred\n" + rows)
    return mc.read_predictions(folder)


BENCHMARKS = {"MMLU": [0.5, 0.25, 0.75], "GSM8K": [0.25, 0.5, 0.125]}
SHARES = {"bert_ant": 0.5, "bert_cat": 0.25, "bert_dog": 0.25}

CASES: list[Call | Run] = [
    Run(
        "a leaderboard", "compare t.csv", _ranked("model", "column 'Model'"),
        _table(Model=["a", "b", "c"], **BENCHMARKS),
    ),
    Run(
        "a leaderboard whose models have no usual name", "compare t.csv",
        _ranked("model", "columns MMLU, GSM8K, ..."), _table(who=["a", "b", "c"], **BENCHMARKS),
    ),
    Run(
        "a leaderboard turned round", "compare t.csv", _ranked("data set", "column 'dataset'"),
        _table(dataset=["x", "y", "z"], a=[0.5, 0.25, 0.75], b=[0.25, 0.5, 0.125]),
    ),
    Run(
        "a leaderboard of one score a row",
        "compare t.csv",
        "t.csv has one row for each model and data set (column 'benchmark'), and none for a "
        "sample; such scores are for `modelcompare ranks`, in columns dataset, model and score; if "
        "they are of samples name those with columns={'id': 'COLUMN'} (--id COLUMN).",
        _table(model=["a", "b"] * 2, benchmark=["x", "x", "y", "y"], score=[0.5, 0.25, 0.5, 0.75]),
    ),
    Run(
        "a score of each row under a name that is no model's", "compare t.csv",
        "t.csv: column 'score' is named like a score, not like a model; if 'who' names the model "
        "of each row pass columns={'model': 'who'} (--read model-column=who), else name the model with "
        "models= (--model score).",
        _table(who=["a", "b"] * 6, item=[i // 2 for i in range(N)], **_hits("score")),
    ),
    Run(
        "several scores of one model", "compare t.csv",
        "t.csv: columns 'accuracy', 'f1' are named like scores, not like models (columns: item, "
        "accuracy, f1); if they are of one model name them with columns={'score': 'COLUMN'} (--read score=COLUMN), else "
        "name the models with models= (--model). Try: modelcompare compare t.csv --read "
        "score=accuracy --read score=f1",
        _table(item=range(N), accuracy=[0, 1] * 6, f1=[0.5, 0.25] * 6),
    ),
    Run(
        "a time beside scores", "compare t.csv",
        _doubtful("latency_ms", "is not named like a model", "item, a, b, latency_ms", "--model a --model b"),
        _table(item=range(N), **_hits("a", "b"), latency_ms=[0.5 * i for i in range(N)]),
    ),
    Run(
        "a time beside probabilities of two classes", "compare t.csv",
        _doubtful("latency", "has other values than 'label'", "label, bert, latency", "--model bert"),
        _table(label=[0, 1] * 6, bert=[0.25, 0.75] * 6, latency=[0.5 * i for i in range(N)]),
    ),
    Run(
        "the label of another annotator", "compare t.csv",
        _doubtful("annotator_2", "has other values than 'label'", "label, bert, annotator_2", "--model bert"),
        _table(label=TRUTH, bert=TRUTH[1:] + TRUTH[:1], annotator_2=TRUTH),
    ),
    Run(
        "a truth of a column for each class", "compare t.csv",
        "t.csv: columns such as 'true:x' have one class each, but none has the true labels; give these "
        "in one column, and name it with columns={'true': 'COLUMN'} (--true COLUMN).",
        _table(**{"true:x": [0, 1] * 6, "true:y": [1, 0] * 6, "a:x": [0.5] * N, "a:y": [0.5] * N}),
    ),
    Run(
        "probabilities under headings without a colon", "compare t.csv",
        "t.csv: columns 'bert_ant', 'bert_cat', ... have probabilities of the classes; head them "
        "model:class, as bert:ant.",
        # Nothing but 0 and 1 may be the categories of a description.
        _table(label=TRUTH, **{name: [int(share == 0.5)] * N for name, share in SHARES.items()}),
    ),
    Run(
        "a row of totals", "compare t.csv",
        "t.csv: the last row has 'Total' in column 'item', and sums up the others; delete it.",
        _table(item=[*range(N), "Total"], a=[*[0, 1] * 6, 6], b=[*[1, 0] * 6, 6]),
    ),
    Run(
        "scores whose comma may part thousands",
        "compare t.csv",
        "t.csv: column 'a' has '1,250', which may be a number; write numbers with a point (0.5) "
        "and no other sign, or name the models with models= (--model).",
        {"t.csv": "id;a;b\n1;1,250;2\n2;3,500;3\n"},
    ),
    Run(
        "scores in percent",
        "compare t.csv",
        "t.csv: column 'a' has '91.2%', which may be a number; write numbers with a point (0.5) "
        "and no other sign, or name the models with models= (--model).",
        {"t.csv": "id,a,b\n1,91.2%,0.5\n2,80%,0.25\n"},
    ),
    Run(
        "truth values beside 0 and 1", "compare t.csv",
        "the labels of model 'a' do not match those of `y_true`: it gives 'False', 'True', `y_true` "
        "contains '0', '1'; 'False' looks like '0' (they differ in how a truth value is written); "
        "write them the same way.",
        _table(label=[0, 1] * 6, a=[True, False] * 6, b=[0, 1] * 6),
    ),
    Run(
        "several scorers in rows", "compare t.csv",
        "there are results by 2 filters (acc, em); choose one with columns={'filter': 'acc'} (--read filter=acc).",
        _table(
            model=["a"] * 8 + ["b"] * 8, item=[*range(4)] * 4, value=[0, 1] * 8,
            scorer=(["acc"] * 4 + ["em"] * 4) * 2,
        ),
    ),
    Call(
        "two test sets of each model in a folder", _of_sets,
        "there are 2 test sets (x, y); choose one with columns={'set': 'x'} (--read set=x), or compare on all with "
        "`modelcompare groups`, or decide on all with `modelcompare gate --rule mean:-MARGIN`.",
    ),
]  # fmt: skip
