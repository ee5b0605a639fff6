"""Data that plugins alone read, where they are absent: ``python -m tests.absent NAME...``.

The plugins named are taken out before anything is loaded, as if their folders were not there. What becomes of their
data is written as JSON, by plugin and case. ``python -m tests.absent roads`` asks every question about files named like
runs, without that plugin alone.
"""

import contextlib
import io
import json
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path

# Not from the package, whose attributes are those of plugins, which would be loaded.
import modelcompare.plugins as plugins

N = 20
TRUTH = [i % 2 for i in range(N)]
LABELS = {"a": TRUTH, "b": [0, 1, 1, 0] * 5}
SCORES = {"a": [i % 7 / 10 for i in range(N)], "b": [i % 9 / 10 for i in range(N)]}
# The truth of each item in two runs.
SAMPLE = {"id": [*range(N)] * 2, "run": [1] * N + [2] * N}


def table(**columns):
    """Columns as csv."""
    return "\n".join(
        ",".join(map(str, row)) for row in [(*columns,), *zip(*columns.values(), strict=True)]
    )


def in_rows(**columns):
    """Columns of each of two models, as csv."""
    first, *rows = table(**columns).splitlines()
    return "\n".join([f"model,{first}", *(f"{model},{row}" for model in "ab" for row in rows)])


def files(*paths):
    """Files of one model in one run each, by their paths."""
    return dict.fromkeys(paths, table(id=range(N), y_true=TRUTH, y_pred=LABELS["b"]))


# By plugin: one table, or files by path, and options of reading.
CASES = {
    "annotators": {
        "labels": (table(id=range(N), ann0=TRUTH, ann1=LABELS["b"], **LABELS), {"true": "ann*"}),
    },
    "runs": {
        "rows of runs": (in_rows(**SAMPLE, y_true=TRUTH * 2, y_pred=[1] * 40), {}),
        "scores of runs": (in_rows(**SAMPLE, score=SCORES["a"] * 2), {}),
        "columns of models": (table(**SAMPLE, y_true=TRUTH * 2, a=TRUTH * 2, b=[1] * 40), {}),
        "a named column": (table(id=range(N), y_true=TRUTH, **LABELS, part=TRUTH), {"runs": "part"}),
        "files": (files("a_seed1.csv", "a_seed2.csv", "b_seed1.csv", "b_seed2.csv"), {}),
        "folders of runs": (files("seed_1/a.csv", "seed_1/b.csv", "seed_2/a.csv", "seed_2/b.csv"), {}),
        "folders of models": (files("a/seed_1.csv", "a/seed_2.csv", "b/seed_1.csv", "b/seed_2.csv"), {}),
        "separate runs": (files("a/seed_1.csv", "a/seed_2.csv", "b/seed_3.csv", "b/seed_4.csv", "b/seed_5.csv"), {}),
        "files of one model": (files("seed_1.csv", "seed_2.csv"), {}),
        "folders of one model": (files("run_1/predictions.csv", "run_2/predictions.csv"), {}),
        "numbered folders": (files("1/a.csv", "1/b.csv", "2/a.csv", "2/b.csv"), {}),
        "a folder of one run": (files("seed_1/a.csv", "seed_1/b.csv"), {}),
    },
    "battles": {
        "winners": (table(model_a=["x", "y"] * 9, model_b=["y", "x"] * 9, winner=["model_a", "tie"] * 9), {}),
        "numbers": (table(model_a=["x", "y"] * 9, model_b=["y", "x"] * 9, winner=[1, 0] * 9), {}),
        "users": (table(model_a="xy" * 9, model_b="yx" * 9, winner="ab" * 9, user=range(18)), {}),
        "other headings": (table(left=["x", "y"] * 9, right=["y", "x"] * 9, winner=[1, 0] * 9), {}),
    },
    "folds": {
        "scores of folds": (table(fold=range(N), **SCORES), {}),
        "folds as ids": (table(fold=range(N), **SCORES), {"id": "fold"}),
        "rows of models": (in_rows(fold=range(N), accuracy=SCORES["a"]), {}),
        "repeats": (table(cv_fold=[i // 2 % 5 for i in range(N)], y_true=TRUTH, **LABELS), {"models": ["a", "b"]}),
    },
    "judges": {"labels": (table(y_true=TRUTH, **LABELS, llm=TRUTH), {"judge": "llm"})},
    "label_sets": {
        "lists": ('{"y_true": ["u", "v"], "a": ["u"], "b": []}\n' * 9, {}),
        "written lists": ("y_true,a,b\n" + "['u'],['u'],['v']\n" * 9, {}),
    },
    "logs": {
        "rankings": (
            table(qid=[i // 4 for i in range(N)], doc=range(N), rel=[i % 3 for i in range(N)], **SCORES), {},
        ),
    },
    "published": {"a matrix": (",cat,dog,cow\ncat,5,1,0\ndog,2,7,1\ncow,0,1,9\n", {})},
    "survival": {
        "risks": (table(time=range(1, N + 1), event=TRUTH, **SCORES), {}),
        "named models": (table(os_time=range(1, N + 1), os_event=TRUTH, **SCORES), {"models": ["a", "b"]}),
        "probabilities": (
            table(duration=range(1, N + 1), died=TRUTH, **{"a:5": SCORES["a"], "a:9": SCORES["b"]}), {},
        ),
    },
}  # fmt: skip

# Files whose names are no runs, with their models; None of several test sets.
HONEST = {
    "names": (files("seed_oil.csv", "run_time.csv"), ("run_time", "seed_oil")),
    "numbers": (files("1.csv", "2.csv"), ("1", "2")),
    "one beside another": (files("bert.csv", "seed_1.csv"), ("bert", "seed_1")),
    "a folder beside another": (files("bert/x.csv", "seed_1/x.csv"), ("bert", "seed_1")),
    "test sets": (files("a/1.csv", "a/2.csv", "b/1.csv", "b/2.csv"), None),
}
# Questions of commands about files of a and b.
ROADS = {
    "compare": (),
    "groups": (),
    "sample-size": (),
    "gate": ("--baseline", "a", "--candidate", "b", "--rule", "accuracy:-0.2"),
    "keep": ("--baseline", "a", "--candidate", "b", "--margin", "0.2", "--ledger"),
}


def of_python(mc):
    """Calls without files, by plugin."""
    runs, items = TRUTH, [i // 2 for i in range(N)]
    own = {"a": runs, "b": [run + 2 for run in runs]}
    grouped = mc.Predictions(TRUTH, LABELS, groups=items)
    return {
        "runs": {
            "columns": lambda: mc.Predictions(TRUTH, LABELS, groups=items, runs=runs),
            "ids": lambda: mc.Predictions(TRUTH, LABELS, ids=items, runs=runs),
            "no items": lambda: mc.Predictions(TRUTH, LABELS, runs=runs),
            "separate": lambda: mc.Predictions(TRUTH, LABELS, ids=items, runs=own),
            "of scores": lambda: mc.Predictions.from_scores(SCORES, groups=items, runs=runs),
            "with_columns": lambda: grouped.with_columns(runs=runs),
            "arrays": lambda: mc.compare(grouped, generalize_to="items+runs"),
        },
        "judges": {"columns": lambda: mc.Predictions([*TRUTH[:9], *[None] * 11], LABELS, judge=TRUTH)},
        "suites": {"sets": lambda: mc.compare_groups({"x": grouped, "y": grouped})},
    }  # fmt: skip


def written(data, folder):
    """The file, or the folder of files, of a case."""
    named = (
        data if isinstance(data, dict) else {f"table.{'jsonl' if data[0] == '{' else 'csv'}": data}
    )
    for name, text in named.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder if len(named) > 1 else folder / name


def calls_about(mc, data, options, folder):
    """Calls of Python and of the command line about files."""
    source = written(data, folder)
    columns = {role: each for role, each in options.items() if role != "models"}
    models = options.get("models", [])
    given = [
        f"--{role}={each}" if role != "runs" else f"--read=run={each}"
        for role, each in columns.items()
    ]
    given += [f"--model={each}" for each in models]
    yield "Python", lambda: mc.read_predictions(source, columns=columns, models=models or None)
    yield "command", lambda: command("compare", source, *given)


def command(*arguments):
    """Run the command line, and raise what it refuses."""
    from modelcompare.cli import main

    with (
        contextlib.redirect_stderr(io.StringIO()) as errors,
        contextlib.redirect_stdout(io.StringIO()),
    ):
        code = main([*map(str, arguments)])
    if code:
        raise ValueError(errors.getvalue())


def outcomes(absent):
    """The refusal of every case of the plugins named; None where it is answered."""
    take_out(absent)
    import modelcompare as mc

    warnings.simplefilter("ignore")
    calls = {name: own for name, own in of_python(mc).items() if name in absent}
    with tempfile.TemporaryDirectory() as folder:
        for name in absent:
            for case, (data, options) in CASES.get(name, {}).items():
                for where, call in calls_about(mc, data, options, Path(folder, name, case)):
                    calls.setdefault(name, {})[f"{case}, {where}"] = call
        return {
            name: {case: refusal(call) for case, call in own.items()} for name, own in calls.items()
        }


def roads_of_files(mc, data, folder):
    """Every question about files, to the folder, and to the files or folders in it."""
    source = written(data, folder)
    ledger = folder.with_suffix(".ledger")
    several = sorted(source.iterdir())
    # Files of the only folder are read as those of no folder.
    for paths in [[source], several] if len(several) > 1 else [[source]]:
        where = "folder" if paths == [source] else "several"
        for road, given in ROADS.items():
            last = (ledger,) if "--ledger" in given else ()
            yield f"{road}, {where}", partial(command, road, *paths, *given, *last)
        yield (
            f"fixture, {where}",
            partial(mc.testing.assert_not_worse, paths, "a", "b", rules="accuracy:-0.2"),
        )
        yield f"sets, {where}", partial(mc.io.read_sets, paths)


def roads_without_runs():
    """The refusal of files named like runs by every question, and the models of those that are not."""
    take_out(["runs"])
    import modelcompare as mc

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as root:
        refused = {
            f"{case}, {road}": refusal(call)
            for case, (data, _) in CASES["runs"].items()
            if isinstance(data, dict)
            for road, call in roads_of_files(mc, data, Path(root, case))
        }
        honest = {}
        for case, (data, models) in HONEST.items():
            source = written(data, Path(root, case))
            read = mc.read_predictions if models else mc.io.read_sets
            read_data = read(source)
            honest[case] = sorted(read_data.models if models else read_data)
    return {"refused": refused, "honest": honest}


def take_out(absent):
    """Take plugins out before anything is loaded."""
    plugins.PLUGINS = tuple(name for name in plugins.PLUGINS if name not in absent)


def refusal(call):
    """The message of a call that is refused."""
    try:
        call()
    except (TypeError, ValueError) as error:
        return " ".join(str(error).split())
    return None


if __name__ == "__main__":
    asked = roads_without_runs() if sys.argv[1:] == ["roads"] else outcomes(sys.argv[1:])
    sys.stdout.write(json.dumps(asked))
