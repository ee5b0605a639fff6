"""The table of docs/designs.md: what each function answers for each design, and each two designs together.

``python -m tests.designs`` writes it. A cell is answered or refused by the function itself, asked with its defaults about
a small test set of that design; why the mathematics of a refused one would not hold is written here, by hand.
"""

import contextlib
import io
import re
import tempfile
import warnings
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd

import modelcompare as mc
from modelcompare.cli import main
from tests.pages import ROOT

PAGE = ROOT / "docs" / "designs.md"
_PLACE = re.compile(r"(?<=<!-- designs -->\n).*?(?=<!-- end -->)", re.DOTALL)

# How samples vary, in the order of the table.
DESIGNS = {
    "strata": "numbers of samples fixed in each stratum (`strata`)",
    "clusters": "samples drawn in clusters (`groups`)",
    "weights": "samples that count differently (`sample_weight`)",
    "runs": "several runs of each model, and answers for new ones (`runs`)",
    "judge": "labels by people on some samples, a judge on all (`judge`)",
    "time": "consecutive samples are similar (`io.in_time_blocks`, `--time`)",
    "sets": "several test sets, and the mean of their values",
    "battles": "rows of two models and the winner (`from_battles`)",
}
ALONE = ((), *((each,) for each in DESIGNS))
COMBINATIONS = (*ALONE, *combinations(DESIGNS, 2))
YES, THESE, NO, NONE = "yes", "these runs", "no", "–"

# Why no function could answer, or none of some: designs, functions (empty for all), the reason, and what to do.
DOES_NOT_HOLD = (
    ({"runs", "battles"}, (), "battles do not cross items with runs, so the mean squares of items, runs and the rest "
     "are not determined; further answers of a model are further battles of the item, in its cluster"),
    ({"battles"}, ("groups",), "a strength is fitted to all battles together, and has no part that is of some of them; "
     "fit each subgroup's rows by themselves"),
    ({"battles"}, ("variance", "agreement", "undefined", "sensitivity"), "the studies set a metric of labels beside "
     "its counterpart of probabilities, and battles have neither; compare the strengths"),
    ({"sets"}, ("variance", "agreement", "undefined", "sensitivity"), "a study is about the size of one test set, and "
     "several have no common one; ask about each set"),
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """What a function answers about a combination of designs."""

    designs: tuple[str, ...]
    function: str
    answer: str
    refusal: str = ""

    @property
    def reason(self):
        """Why the mathematics does not hold; empty if it does."""
        if self.function == "groups" and "sets" in self.designs:
            return ""  # the sets are the groups
        for designs, functions, reason in DOES_NOT_HOLD:
            if {*self.designs} >= designs and (not functions or self.function in functions):
                return reason
        return ""


# -- test sets ------------------------------------------------------------------------------------


def table(designs, seed=0):
    """Outputs of two models on samples of a combination of designs, with a column for each of these."""
    if "battles" in designs:
        return _battles(designs, seed)
    rng = np.random.default_rng(seed)
    n_items, n_runs = (120, 4) if "runs" in designs else (240, 1)
    item, run = np.tile(np.arange(n_items), n_runs), np.repeat(np.arange(n_runs), n_items)
    classes, code = np.array(["x", "y", "z"]), rng.integers(0, 3, n_items)
    truth = pd.Series(classes[code]).astype(object)
    columns = {"half": np.where(item % 2, "odd", "even"), **_of_items(designs, rng, n_items, item)}
    if "runs" in designs:
        columns["run"] = run
    if "judge" in designs:
        guess = classes[rng.integers(0, 3, n_items)]
        columns["judge"] = np.where(rng.random(n_items) < 0.85, truth, guess)[item]
        truth = truth.where(rng.permutation(n_items) < n_items // 3)
    columns |= {"id": item, "y_true": truth.to_numpy()[item]}
    # Slow waves make blocks in time longer than a sample.
    wave = np.sin(np.arange(n_items) / 8)[item] if "time" in designs else 0.0
    for model, right in {"a": 2.0, "b": 1.5}.items():
        scores = rng.normal(size=(len(item), 3))
        scores[np.arange(len(item)), code[item]] += right + 1.5 * wave
        outputs = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        columns |= {
            f"{model}:{name}": column for name, column in zip(classes, outputs.T, strict=True)
        }
    return pd.DataFrame(columns)


def _battles(designs, seed):
    rng, n = np.random.default_rng(seed), 300
    first = rng.integers(0, 3, n)
    columns = {
        "model_a": np.array([*"abc"])[first],
        "model_b": np.array([*"abc"])[(first + rng.integers(1, 3, n)) % 3],
        "winner": rng.choice(["model_a", "model_b"], n), **_of_items(designs, rng, n, np.arange(n)),
    }  # fmt: skip
    if "clusters" in designs:
        columns["user"] = rng.integers(0, 40, n)
    if "runs" in designs:
        columns["run"] = np.arange(n) % 3
    if "judge" in designs:
        columns["judge"] = rng.choice(["model_a", "model_b"], n)
    return pd.DataFrame(columns)


def _of_items(designs, rng, n, item):
    """Columns of the samples."""
    columns = {
        # Clusters are within strata, and strata are seen all the time.
        "strata": np.arange(n) % 3 if "time" in designs else np.arange(n) * 3 // n, "clusters": np.arange(n) * 48 // n,
        "weights": rng.uniform(0.5, 2.0, n), "time": np.arange(n),
    }  # fmt: skip
    return {name: column[item] for name, column in columns.items() if name in designs}


def test_set(designs):
    """Predictions of a combination of designs; of several test sets by their names."""
    if "sets" in designs:
        return {f"set {k}": _predictions(designs, k) for k in range(4)}
    return _predictions(designs, 0)


def _predictions(designs, seed):
    frame = table(designs, seed)
    if "battles" in designs:
        known = {"strata": "strata", "weights": "weight", "judge": "judge", "runs": "runs"}
        columns = {"runs": "run"}
        roles = {known[name]: columns.get(name, name) for name in designs if name in known}
        found = mc.from_battles(frame, columns=roles or None)
    else:
        outputs = {model: frame[[f"{model}:{name}" for name in "xyz"]].to_numpy() for model in "ab"}
        columns = {
            "strata": "strata", "clusters": "groups", "weights": "sample_weight", "run": "runs",
            "judge": "judge",
        }  # fmt: skip
        given = {to: frame[name].to_numpy() for name, to in columns.items() if name in frame}
        slices = {"half": frame["half"].to_numpy()}
        found = mc.Predictions(
            frame["y_true"].to_numpy(), outputs, labels=[*"xyz"], ids=frame["id"].to_numpy(),
            slices=slices, **given,
        )  # fmt: skip
    return mc.io.in_time_blocks(found, frame["time"].to_numpy()) if "time" in designs else found


# -- functions ------------------------------------------------------------------------------------


def _metric(preds):
    first = next(iter(preds.values())) if isinstance(preds, dict) else preds
    return "strength" if first.kind.name == "scores" else "f1_macro"


def _rules(preds):
    return [f"mean({_metric(preds)}):-0.1" if isinstance(preds, dict) else f"{_metric(preds)}:-0.1"]


def _groups(preds):
    by = {} if isinstance(preds, dict) else {"by": "half"}
    return mc.compare_groups(preds, n_resamples=99, **by)


def _compare(preds):
    return (_groups if isinstance(preds, dict) else mc.compare)(preds)


def _keep(preds):
    with tempfile.TemporaryDirectory() as folder:
        ledger = mc.Ledger(f"{folder}/ledger.jsonl")
        return mc.keep(preds, "a", "b", _rules(preds), ledger=ledger)


FUNCTIONS = {
    "compare": _compare,
    "groups": _groups,
    "paired_test": lambda preds: mc.paired_test(preds, "a", "b", _metric(preds), n_resamples=99),
    "decide": lambda preds: mc.decide(preds, "a", "b", _metric(preds), margin=0.1),
    "gate": lambda preds: mc.gate(preds, "a", "b", _rules(preds)),
    "keep": _keep,
    "sample_size": lambda preds: mc.sample_size(preds, "a", "b", _metric(preds)),
    "variance": lambda preds: mc.studies.variance_study(preds, n_resamples=99),
    "agreement": lambda preds: mc.studies.agreement_study(preds, n_resamples=99),
    "undefined": lambda preds: mc.studies.undefined_study(preds, n_resamples=99),
    "sensitivity": lambda preds: mc.studies.sensitivity_study(preds, n_resamples=99),
}
# Options by which a command finds the columns of a table.
OPTIONS = {
    "strata": ("--read", "strata=strata"), "clusters": ("--groups", "clusters"),
    "weights": ("--read", "weight=weights"), "judge": ("--judge", "judge"),
    "time": ("--time", "time"),
}  # fmt: skip
# Users are found by their name; runs of others than battles too.
OF_BATTLES = {"clusters": (), "runs": ("--read", "run=run")}
COMMANDS = {
    "`compare FILE`": ("compare",),
    "`gate FILE`": ("gate", "--baseline", "a", "--candidate", "b"),
}


def command(name, designs):
    """Exit code of a command about files of a combination of designs, and what it prints of errors."""
    with tempfile.TemporaryDirectory() as folder:
        for k in range(4 if "sets" in designs else 1):
            frame = table(designs, k).drop(columns="half", errors="ignore")
            frame.to_csv(f"{folder}/{k}.csv", index=False)
        first, *given = COMMANDS[name]
        metric = "strength" if "battles" in designs else "f1_macro"
        if "sets" in designs:
            first = {"compare": "groups"}.get(first, first)
            metric = f"mean({metric})"
        file = folder if "sets" in designs else f"{folder}/0.csv"
        given += ["--rule", f"{metric}:-0.1"] if first == "gate" else []
        options = {**OPTIONS, **OF_BATTLES} if "battles" in designs else OPTIONS
        read = [word for each in designs for word in options.get(each, ())]
        err, out = io.StringIO(), io.TextIOWrapper(io.BytesIO(), "utf-8")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([first, file, *given, *read])
        return code, err.getvalue().rpartition("error: ")[2].strip()


# -- cells ----------------------------------------------------------------------------------------


@cache
def cells(of=COMBINATIONS):
    """Cells of some combinations, by default of all of the table, as the code answers today."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tuple(_cells(of))


def _cells(of):
    for designs in of:
        try:
            preds, refusal = test_set(designs), ""
        except (ValueError, TypeError) as error:
            preds, refusal = None, str(error)
        for name, function in FUNCTIONS.items():
            if refusal:
                yield Cell(designs, name, NO, refusal)
                continue
            try:
                found = function(preds)
            except (ValueError, TypeError) as error:
                yield Cell(designs, name, NO, str(error))
                continue
            # `keep` asks `gate`, and its signature has neither.
            silent = name != "keep" and "generalize_to:" not in found.signature
            these = "runs" in designs and silent
            yield Cell(designs, name, THESE if these else YES)
        for name in COMMANDS:
            code, printed = command(name, designs)
            yield Cell(designs, name, NO if code > 1 else YES, printed if code > 1 else "")


# -- the page -------------------------------------------------------------------------------------


def shown(text):
    """The part of a page that is written here."""
    return _PLACE.search(text)[0]


def updated(text):
    """The text of a page with the table of today."""
    return _PLACE.sub(lambda _: "\n".join(_lines()), text)


def _lines():
    holds = [cell for cell in cells() if not cell.reason]
    answered = [cell for cell in holds if cell.answer != NO]
    names = [*FUNCTIONS, *COMMANDS]
    yield from (f"- **{name}**: {what}" for name, what in DESIGNS.items())
    yield "\n" + (
        f"Of {len(cells())} combinations the mathematics of {len(holds)} holds; {len(answered)} of "
        f"these are answered, {len(answered) / len(holds):.0%}.\n"
    )
    yield f"| design | {' | '.join(names)} |"
    yield "| --- |" + " --- |" * len(names)
    yield from rows(cells())
    refused = [cell for cell in cells() if cell.answer == NO]
    yield "\n## Refused, and the mathematics holds\n"
    yield from _grouped([cell for cell in refused if not cell.reason], "refusal")
    yield "\n## Refused, and no answer exists\n"
    yield from _grouped([cell for cell in refused if cell.reason], "reason")
    yield ""


def rows(some):
    """Lines of the table: the cells of each combination."""
    for designs in dict.fromkeys(cell.designs for cell in some):
        row = [cell for cell in some if cell.designs == designs]
        marks = [NONE if each.reason and each.answer == NO else each.answer for each in row]
        yield f"| {_named(designs)} | {' | '.join(marks)} |"


def _named(designs):
    return ", ".join(designs) or "samples alone"


def _grouped(some, what):
    """A line for each sentence, and the cells that it is about."""
    sentences = {}
    for cell in some:
        sentence = re.sub(r"\s+", " ", getattr(cell, what))
        sentences.setdefault(sentence, {}).setdefault(cell.designs, []).append(cell.function)
    for sentence, of in sentences.items():
        cases = "; ".join(f"{_named(designs)}: {', '.join(names)}" for designs, names in of.items())
        yield f"- {sentence}\n  ({cases})"


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text("utf-8")), "utf-8", newline="\n")
