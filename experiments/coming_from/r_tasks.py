"""The same tasks in R, run by Rscript."""

import subprocess
from pathlib import Path

import pandas as pd

import modelcompare as mc
from experiments.coming_from.python_tasks import EXAMPLES, N_RESAMPLES, QUESTIONS, ROOT
from experiments.coming_from.tables import Row, Task, timed

HERE = ROOT / "experiments" / "coming_from"


def proc() -> Task:
    """ROC AUC of two markers: DeLong's intervals and paired test."""
    found, program, theirs = _run("pROC", "proc.R", QUESTIONS / "markers.csv")
    table = pd.read_csv(QUESTIONS / "markers.csv")
    outputs = {name: table[name] for name in ("wfns", "s100b")}

    def by_us() -> tuple[float, float, float, float, pd.Series]:
        preds = mc.Predictions(table["poor"], outputs, kind="values")
        drawn = mc.bootstrap(preds, "roc_auc", n_resamples=N_RESAMPLES)
        ends = drawn.confidence_interval(method="delong").iloc[0]
        test = mc.paired_test(preds, "wfns", "s100b", "roc_auc", method="delong")
        percentile = drawn.confidence_interval(method="percentile").iloc[0]
        return ends.estimate, ends.ci_low, ends.ci_high, test.p_value, percentile

    (auc, low, high, p_value, percentile), ours = timed(by_us)
    return Task(program, "ROC AUC of two markers, 113 patients; 1,000 resamples of one", [
        Row("ROC AUC of wfns", found["auc"], auc),
        Row("DeLong's interval, lower end", found["low"], low),
        Row("DeLong's interval, upper end", found["high"], high),
        Row("DeLong's paired test, p-value", found["p"], p_value),
        Row("percentile interval, lower end", found["boot_low.2.5%"], percentile.ci_low),
        Row("percentile interval, upper end", found["boot_high.97.5%"], percentile.ci_high),
    ], theirs, ours)  # fmt: skip


def yardstick() -> Task:
    """Metrics of ten classes, and a bootstrap around macro F1."""
    found, program, theirs = _run("yardstick", "yardstick.R", EXAMPLES / "digits.csv")
    table = pd.read_csv(EXAMPLES / "digits.csv")
    preds = mc.Predictions(table["y_true"], {"logistic": table["logistic"]})
    names = {
        "accuracy": "accuracy", "f1_macro": "f1_macro", "precision": "precision_macro",
        "recall": "recall_macro", "mcc": "matthews_corrcoef", "kappa": "cohen_kappa",
    }  # fmt: skip
    values = mc.bootstrap(preds, [*names.values()], n_resamples=99).to_frame()
    estimates = values.set_index("metric").estimate
    ends, ours = timed(lambda: mc.bootstrap(
        preds, "f1_macro", n_resamples=N_RESAMPLES
    ).confidence_interval(method="percentile").iloc[0])  # fmt: skip
    return Task(program, "six metrics of 600 digits; 1,000 resamples of macro F1", [
        *(Row(ours_, found[theirs_], estimates[ours_]) for theirs_, ours_ in names.items()),
        Row("macro F1, lower end of 95 %", found["low"], ends.ci_low),
        Row("macro F1, upper end of 95 %", found["high"], ends.ci_high),
    ], theirs, ours)  # fmt: skip


def _run(package: str, script: str, table: Path) -> tuple[dict[str, float], str, float]:
    """Numbers that a script prints, the package with its version, and the seconds it took."""
    command = ["Rscript", str(HERE / script), str(table)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise LookupError(f"R could not run {script}: {done.stderr.strip().splitlines()[0]}")
    names, values = (line.replace(" ", "").split(",") for line in done.stdout.splitlines())
    found = dict(zip(names, values, strict=True))
    named = f"{package} {found.pop('version')}"
    numbers = {name: float(value) for name, value in found.items()}
    return numbers, named, numbers.pop("seconds")
