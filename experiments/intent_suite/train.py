"""Four quick classifiers on five sets of intents, each trained with five seeds: a suite with runs.

Usage: python -m experiments.intent_suite.train [--data FOLDER] [-o predictions.npz]

FOLDER holds ``intent_atis``, ``intent_snips``, ``intent_banking77``, ``intent_hwu64`` and
``intent_clinc150``. A seed draws 90 % of the training texts and shuffles them. The archive has
``SET__y_true`` and ``SET__MODEL__SEED``, codes of intents in uint8, and is written whole or not at
all. Trainings that a partial archive has are kept (``predictions.npz.part``).
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline

HERE = Path(__file__).parent
SEEDS = range(5)
SHARE = 0.9
Texts = list[tuple[str, str]]


def models(seed: int) -> Iterator[tuple[str, BaseEstimator]]:
    """Yield names and untrained pipelines; the hashed one has a thousand features."""
    linear = SGDClassifier(loss="log_loss", alpha=1e-5, random_state=seed)
    words = {"ngram_range": (1, 2), "sublinear_tf": True}
    chars = {"analyzer": "char_wb", "ngram_range": (2, 4), "sublinear_tf": True}
    yield "words", make_pipeline(TfidfVectorizer(**words), linear)
    yield "chars", make_pipeline(TfidfVectorizer(**chars), linear)
    yield "hashed", make_pipeline(HashingVectorizer(n_features=1024), linear)
    yield "bayes", make_pipeline(CountVectorizer(binary=True), ComplementNB(alpha=0.1))


def sets(folder: Path) -> Iterator[tuple[str, Texts, Texts]]:
    """Yield names, training texts and test texts, each with its intent."""
    for name in ("atis", "snips"):
        train, test = (
            _table(folder / f"intent_{name}" / f"{name}_{part}.tsv.gz", "text", "intent", "\t")
            for part in ("train", "test")
        )
        yield name, train, test
    yield (
        "banking77",
        *(
            _table(
                folder / "intent_banking77" / f"banking77_{part}.csv.gz", "text", "category", ","
            )
            for part in ("train", "test")
        ),
    )
    with gzip.open(folder / "intent_hwu64" / "hwu64_10fold.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [*csv.DictReader(file, delimiter="\t")]
    # The last fold is the test set.
    parts = [[r for r in rows if (r["fold"] == "10") == of_test] for of_test in (False, True)]
    yield "hwu64", *([(r["text"], r["intent"]) for r in part] for part in parts)
    with gzip.open(
        folder / "intent_clinc150" / "data_full.json.gz", "rt", encoding="utf-8"
    ) as file:
        data = json.load(file)
    yield "clinc150", *([(text, intent) for text, intent in data[p]] for p in ("train", "test"))


def _table(path: Path, text: str, intent: str, delimiter: str) -> Texts:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return [(row[text], row[intent]) for row in csv.DictReader(file, delimiter=delimiter)]


def predictions(train: Texts, test: Texts, seed: int) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the intents that each model predicts, trained on a part of the texts."""
    rng = np.random.default_rng(seed)
    part = rng.choice(len(train), round(SHARE * len(train)), replace=False)
    texts, intents = zip(*(train[place] for place in part), strict=True)
    for name, model in models(seed):
        yield name, model.fit(texts, intents).predict([text for text, _ in test])


def main() -> None:
    """Train what is not there yet, and write the archive."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, default=HERE / "predictions.npz")
    options = parser.parse_args()
    part = options.output.with_name(f"{options.output.name}.part")
    found = dict(np.load(part)) if part.exists() else {}
    for name, train, test in sets(options.data):
        known = sorted({intent for _, intent in (*train, *test)})
        code = {intent: place for place, intent in enumerate(known)}
        found[f"{name}__y_true"] = np.array([code[intent] for _, intent in test], np.uint8)
        for seed in SEEDS:
            if f"{name}__bayes__{seed}" in found:
                continue
            for model, labels in predictions(train, test, seed):
                codes = np.array([code[label] for label in labels], np.uint8)
                found[f"{name}__{model}__{seed}"] = codes
                right = (codes == found[f"{name}__y_true"]).mean()
                print(f"{name} {model} {seed}: accuracy {right:.3f}", flush=True)
            with part.open("wb") as file:
                np.savez_compressed(file, **found)
    os.replace(part, options.output)


if __name__ == "__main__":
    main()
