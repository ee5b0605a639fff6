"""Thirty-two quick scikit-learn intent classifiers on CLINC150, full and imbalanced, and ATIS.

Usage: python train.py [--data FOLDER] [-o predictions] [--jobs 2] [--set NAME]...

FOLDER holds ``intent_clinc150`` and ``intent_atis``. Each set becomes one archive
``predictions/NAME.npz`` (y_true, labels, probs__MODEL in float16), written whole or not at all;
sets that are there already are skipped. Test intents that train lacks keep a column of zeros: no
model can give them any probability.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

SETS = ("clinc150", "clinc150_imbalanced", "atis")
Texts = list[str]


def models() -> Iterator[tuple[str, BaseEstimator]]:
    """Names and untrained pipelines."""
    word = {"w": TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)}
    char = {"c": TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)}
    for name, vectorizer in (word | char).items():
        for c in (0.3, 1, 3, 10, 30):
            yield (
                f"logistic_{name}_C{c:g}",
                make_pipeline(vectorizer, LogisticRegression(C=c, max_iter=60)),
            )
        for alpha in (1e-5, 1e-4):
            yield (
                f"sgd_{name}_{alpha:g}",
                make_pipeline(
                    vectorizer, SGDClassifier(loss="log_loss", alpha=alpha, random_state=0)
                ),
            )
        for alpha in (0.01, 0.1, 1):
            yield f"bayes_{name}_{alpha:g}", make_pipeline(vectorizer, MultinomialNB(alpha=alpha))
        for alpha in (0.1, 1):
            yield (
                f"complement_{name}_{alpha:g}",
                make_pipeline(vectorizer, ComplementNB(alpha=alpha)),
            )
    counts = CountVectorizer(binary=True)
    for alpha in (0.1, 1):
        yield f"bayes_counts_{alpha:g}", make_pipeline(counts, MultinomialNB(alpha=alpha))
    for k in (5, 15):
        yield (
            f"neighbours_{k}",
            make_pipeline(word["w"], KNeighborsClassifier(k, weights="distance")),
        )
    for depth in (20, None):
        yield (
            f"forest_{depth or 'full'}",
            make_pipeline(counts, RandomForestClassifier(100, max_depth=depth, random_state=0)),
        )
    yield "extra_trees", make_pipeline(counts, ExtraTreesClassifier(100, random_state=0))
    yield (
        "svd_logistic",
        make_pipeline(
            word["w"], TruncatedSVD(100, random_state=0), LogisticRegression(C=10, max_iter=200)
        ),
    )


def read_set(folder: Path, name: str) -> tuple[Texts, Texts, Texts, Texts]:
    """Texts and intents of train and test."""
    if name == "atis":
        parts = []
        for part in ("train", "test"):
            path = folder / "intent_atis" / f"atis_{part}.tsv.gz"
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
            parts += [[row["text"] for row in rows], [row["intent"] for row in rows]]
        return tuple(parts)
    kind = "imbalanced" if name.endswith("imbalanced") else "full"
    with gzip.open(folder / "intent_clinc150" / f"data_{kind}.json.gz", "rt") as file:
        data = json.load(file)
    pairs = [data[part] for part in ("train", "test")]
    return tuple([item[place] for item in part] for part in pairs for place in (0, 1))


def probabilities(
    estimator: BaseEstimator, train: tuple[Texts, Texts], texts: Texts, labels: np.ndarray
) -> np.ndarray:
    """Test probabilities over all labels, float16; rows sum to 1 within its precision."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(*train)
    found = estimator.predict_proba(texts)
    out = np.zeros((len(texts), len(labels)))
    out[:, np.searchsorted(labels, estimator.classes_)] = found
    return out.astype(np.float16)


def train_set(folder: Path, name: str, output: Path, n_jobs: int) -> None:
    """Train all models of one set and write their predictions."""
    start = time.perf_counter()
    train_x, train_y, test_x, test_y = read_set(folder, name)
    labels = np.unique([*train_y, *test_y])
    names, estimators = zip(*models(), strict=True)
    found = Parallel(n_jobs=n_jobs)(
        delayed(probabilities)(estimator, (train_x, train_y), test_x, labels)
        for estimator in estimators
    )
    temporary = output / f".{name}.{os.getpid()}.npz"
    np.savez_compressed(
        temporary,
        y_true=np.searchsorted(labels, test_y).astype(np.int16),
        labels=labels,
        **{f"probs__{model}": array for model, array in zip(names, found, strict=True)},
    )
    os.replace(temporary, output / f"{name}.npz")
    right = [np.mean(labels[array.argmax(axis=1)] == np.array(test_y)) for array in found]
    print(
        f"{name}: {len(names)} models, {len(labels)} intents, accuracy {min(right):.3f} to "
        f"{max(right):.3f}, {time.perf_counter() - start:.0f} s", flush=True,
    )  # fmt: skip


def main() -> None:
    """Parse options."""
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=here.parents[2] / "shared" / "data")
    parser.add_argument("-o", "--output", type=Path, default=here / "predictions")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--set", action="append", choices=SETS, dest="sets")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for name in options.sets or SETS:
        if not (options.output / f"{name}.npz").exists():
            train_set(options.data, name, options.output, options.jobs)


if __name__ == "__main__":
    main()
