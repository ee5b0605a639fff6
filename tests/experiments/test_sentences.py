"""Sentences of the README and of pages with numbers of simulations, beside the tables that have them."""

import re
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "experiments" / "validity" / "results"


def kept(name):
    return pd.read_csv(RESULTS / f"{name}.csv")


def highest(name, column, **where):
    table = kept(name)
    for key, values in where.items():
        table = table[table[key].isin(values)]
    return table[column].max()


def summary(heading):
    """Rows of a table of the summary, by what they are about; a number in each cell."""
    text = (
        (RESULTS / "summary.md").read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    )
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines() if line.startswith("|")
    ]  # fmt: skip
    return pd.DataFrame(
        [[float(cell or "nan") for cell in row[1:]] for row in rows],
        index=[row[0] for row in rows], columns=head[1:],
    )  # fmt: skip


def of_best(measure, n_models, n=200):
    table = kept("others").query(f"part == 'best of equal models' and measure == '{measure}'")
    return table.query(f"what == '{n_models} models' and n == {n}")["value"].item()


def families():
    return kept("families")["value"]


def promises(text, column):
    table = summary("The promises")
    return table.loc[
        table.index.str.startswith("coverage") & table.index.str.contains(text), column
    ]


def near_the_ceiling(*metrics, others=False):
    table = kept("ceiling")
    chosen = table["metric"].str.startswith(metrics)
    return 100 * table["gate"][chosen ^ others].max()


def intents(row):
    text = (ROOT / "experiments" / "intents" / "results" / "summary.md").read_text()
    (cells,) = re.findall(rf"\| {re.escape(row)} \| (.*) \|", text)
    return [float(cell) for cell in cells.split(" | ")]


def one(values):
    return [float(values)]


# The sentence, with a group for each number, and the numbers of the tables.
SENTENCES = {
    ("README.md", r"announced in ([\d.]+) % of families on average \(level 5 %\), and in ([\d.]+) %"):
        lambda: [100 * families().mean(), 100 * families().max()],
    ("README.md", r"intervals cover ([\d.]+) % to ([\d.]+) % in the median cell of each metric"):
        lambda: [100 * f(summary("Intervals")["median"]) for f in (min, max)],
    ("README.md", r"([\d.]+) % in the worst of those with a promise"):
        lambda: one(100 * promises("clusters == 0", "worst").min()),
    ("README.md", r"([\d.]+) % in the worst of all, a difference of Brier scores"):
        lambda: one(100 * summary("Intervals").loc["brier_score, difference", "lowest"]),
    ("docs/sparse.md", r"In (\d+) simulated families .* announced in ([\d.]+) % on"):
        lambda: [len(families()), 100 * families().mean()],
    ("docs/sparse.md", r"Of ([\d,]+) types of interval, (\d+) have a coverage below"):
        lambda: [promises("", "judged").sum(), promises("", "short").sum()],
    ("docs/sparse.md", r"at most ([\d.]+) % pass gates of accuracy and macro F1"):
        lambda: one(100 * kept("gates")["value"].max()),
    ("docs/gates.md", r"At most ([\d.]+) % did in simulations of accuracy and macro F1, on (\d+)"):
        lambda: [100 * kept("gates")["value"].max(), len(kept("gates"))],
    ("docs/gates.md", r"F1 of a label, F1 of each sample \(50 samples\) \| [\d.]+, ([\d.]+), ([\d.]+)"):
        lambda: [highest("label_sets", "gate", metric=[m]) for m in ("f1, rarest", "f1_samples")],
    ("docs/gates.md", r"beside a judge, 20 to 300 labels \| ([\d.]+)"):
        lambda: one(highest("judges", "opens")),
    ("docs/gates.md", r"percentiles of samples, of clusters of 20 \| ([\d.]+), ([\d.]+)"):
        lambda: [highest("percentiles", "gates at the margin", design=[each])
                 for each in ("independent", "clusters")],
    ("docs/gates.md", r"c-index, integrated Brier score \| ([\d.]+)"):
        lambda: one(highest("survival", "gate")),
    ("docs/gates.md", r"strengths of battles \| ([\d.]+)"): lambda: one(highest("battles", "opens")),
    ("docs/gates.md", r"means over these sets, over new sets \| ([\d.]+), ([\d.]+)"):
        lambda: [highest("suites", "wrong", kind=[each]) for each in ("mean", "mean of new sets")],
    ("docs/gates.md", r"at most ([\d.]+) %, of the ROC AUC in ([\d.]+) % and of log loss, .* in ([\d.]+) %"):
        lambda: [near_the_ceiling("roc_auc", "log_loss", others=True),
                 near_the_ceiling("roc_auc"), near_the_ceiling("log_loss")],
    ("experiments/intents/README.md",
     r"% agree, t-test on replicates \(macro F1\) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+)"):
        lambda: intents("% agree, t"),
    ("experiments/intents/README.md",
     r"% agree, sign-flip test \| ([\d.]+) \| ([\d.]+) \| ([\d.]+)"):
        lambda: intents("% agree, sign-flip"),
    ("docs/results.md", r"covers its true value in (\d+) % of all test sets, with 100 models in (\d+) %"):
        lambda: [100 * of_best("alone", n) for n in (20, 100)],
    ("docs/results.md", r"whom it covers in ([\d.]+) to ([\d.]+) of the simulated test sets"):
        lambda: [f(of_best("covered, at once", n) for n in (2, 20, 100)) for f in (min, max)],
    ("docs/results.md", r"at ([\d.]+) times the width for 20 models and ([\d.]+) times for 100"):
        lambda: [of_best("times as wide", n) for n in (20, 100)],
}  # fmt: skip


@pytest.mark.parametrize(("page", "sentence"), SENTENCES, ids=lambda each: each[:60])
def test_numbers_of_simulations_in_sentences_are_those_of_the_tables(page, sentence):
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    (found,) = re.finditer(sentence.replace("\n", " "), text)
    expected = SENTENCES[page, sentence]()
    assert len(found.groups()) == len(expected)
    for written, number in zip(found.groups(), expected, strict=True):
        # As many digits as are written; a table that is rounded itself may be off by one.
        unit = 10.0 ** -len(written.partition(".")[2])
        assert float(written.replace(",", "")) == pytest.approx(number, abs=0.51 * unit)
