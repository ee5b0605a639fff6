"""Train four plain classifiers on SNLI and write their test probabilities.

The predictions ship with the package as `modelcompare.load_example("snli")`.

Usage: python train.py [--snli FOLDER] [-o snli.npz]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline

REPOSITORY = Path(__file__).resolve().parents[2]
LABELS = np.array(["entailment", "neutral", "contradiction"])


class Hypotheses(TransformerMixin, BaseEstimator):
    """The second sentence of each pair, alone."""

    def fit(self, pairs: pd.DataFrame, y: object = None) -> Hypotheses:  # noqa: ARG002
        """Nothing to learn."""
        return self

    def transform(self, pairs: pd.DataFrame) -> list[str]:
        """Sentences in the order of the pairs."""
        return list(pairs["sentence2"])


class PairWords(TransformerMixin, BaseEstimator):
    """Words of the hypothesis, those it shares with the premise, and those it does not."""

    def fit(self, pairs: pd.DataFrame, y: object = None) -> PairWords:  # noqa: ARG002
        """Learn the vocabulary."""
        self.vectorizer_ = CountVectorizer(
            analyzer=str.split, binary=True, min_df=2, dtype=np.float32
        ).fit(self._documents(pairs))
        return self

    def transform(self, pairs: pd.DataFrame) -> sparse.csr_matrix:
        """Presence of each marked word."""
        return self.vectorizer_.transform(self._documents(pairs))

    @staticmethod
    def _documents(pairs: pd.DataFrame) -> Iterator[str]:
        for premise, hypothesis in zip(pairs["sentence1"], pairs["sentence2"], strict=True):
            before, after = (s.lower().rstrip(".").split() for s in (premise, hypothesis))
            seen = set(before)
            marks = [f"{'same' if word in seen else 'new'}:{word}" for word in after]
            words = [f"h:{word}" for word in after]
            pairs_of = [f"h:{a}_{b}" for a, b in pairwise(after)]
            share = sum(word in seen for word in after) * 4 // max(1, len(after))
            yield " ".join([*words, *marks, *pairs_of, f"overlap:{share}"])


class PairVectors(TransformerMixin, BaseEstimator):
    """Dense vectors u and v of both sentences, with |u - v| and u * v."""

    def __init__(self, n_components: int = 100) -> None:
        self.n_components = n_components

    def fit(self, pairs: pd.DataFrame, y: object = None) -> PairVectors:  # noqa: ARG002
        """Learn tf-idf weights and the directions of largest variance."""
        self.embed_ = make_pipeline(
            TfidfVectorizer(min_df=3, sublinear_tf=True),
            TruncatedSVD(self.n_components, random_state=0),
        ).fit(pd.concat([pairs["sentence1"], pairs["sentence2"]]))
        return self

    def transform(self, pairs: pd.DataFrame) -> np.ndarray:
        """Four blocks of `n_components` columns."""
        u, v = (self.embed_.transform(pairs[side]) for side in ("sentence1", "sentence2"))
        return np.hstack([u, v, np.abs(u - v), u * v])


def models() -> dict[str, Pipeline]:
    """The classifiers by name."""
    return {
        "hypothesis_only": make_pipeline(
            Hypotheses(),
            TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True),
            LogisticRegression(C=2.0, max_iter=500),
        ),
        "bow_pair": make_pipeline(PairWords(), LogisticRegression(C=0.1, max_iter=500)),
        "naive_bayes": make_pipeline(PairWords(), MultinomialNB(alpha=1.0)),
        "mlp": make_pipeline(
            PairVectors(),
            MLPClassifier((128,), alpha=1e-2, early_stopping=True, random_state=0, max_iter=60),
        ),
    }


def read(folder: Path, *parts: str) -> pd.DataFrame:
    """Sentence pairs of some parts of SNLI."""
    files = [folder / f"snli_{part}.tsv.gz" for part in parts]
    return pd.concat(
        [pd.read_csv(f, sep="\t", quoting=3, keep_default_na=False) for f in files],
        ignore_index=True,
    )


def main() -> None:
    """Train, predict, write, report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--snli", type=Path, default=REPOSITORY.parent / "shared/data/snli")
    parser.add_argument(
        "-o", "--output", type=Path, default=REPOSITORY / "modelcompare/examples/snli.npz"
    )
    options = parser.parse_args()
    train, test = read(options.snli, "train_sample", "dev"), read(options.snli, "test")
    code = {label: i for i, label in enumerate(LABELS)}
    y_train, y_test = (part["gold_label"].map(code).to_numpy() for part in (train, test))
    arrays: dict[str, np.ndarray] = {"y_true": y_test.astype(np.int8), "labels": LABELS}
    for name, model in models().items():
        start = time.perf_counter()
        model.fit(train, y_train)
        probabilities = model.predict_proba(test).astype(np.float16)
        arrays[f"probs__{name}"] = probabilities
        accuracy = (probabilities.argmax(axis=1) == y_test).mean()
        print(f"{name:16} accuracy {accuracy:.4f}  {time.perf_counter() - start:5.1f} s")
    temporary = options.output.with_suffix(".tmp.npz")
    np.savez_compressed(temporary, **arrays)
    os.replace(temporary, options.output)
    print(
        f"{options.output.name}: {len(train):,} training pairs, {len(test):,} test pairs, "
        f"{options.output.stat().st_size / 1e3:.0f} kB"
    )


if __name__ == "__main__":
    main()
