"""SNLI sentence pairs -> one int16 array of tokens, as in appendix A.1 of the paper.

All text is lower case. Periods at the end of a sentence are dropped, other periods stand alone as
separate tokens. The two sentences are joined by ``[SEP]``. The 20,000 most frequent tokens of
the training pairs get an index each, all others share one; pairs are cut to, or padded to, 42
tokens.

Usage: python preprocess.py --snli FOLDER -o tokens.npz

FOLDER holds either ``snli_train_sample.tsv.gz``, ``snli_dev.tsv.gz`` and ``snli_test.tsv.gz``
(gold_label, sentence1, sentence2), or the official release, ``snli_1.0_{train,dev,test}.jsonl``
or ``.txt``. With the sample, dev joins the training pairs; with the official release it does not.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

LABELS = ("entailment", "neutral", "contradiction")
MAX_LENGTH = 42
N_TOKENS = 20_000
PADDING, OUT_OF_VOCABULARY, FIRST_TOKEN = 0, 1, 2
SEPARATOR = "[SEP]"

Pair = tuple[str, str, str]


def tokens_of(sentence: str) -> list[str]:
    """Split a sentence into lower-case tokens.

    >>> tokens_of("The U.S. team won.  Hooray...")
    ['the', 'u', '.', 's', '.', 'team', 'won', '.', 'hooray']
    """
    stripped = sentence.lower().strip().rstrip(". \t")
    return re.sub(r"\.", " . ", stripped).split()


def pair_tokens(premise: str, hypothesis: str) -> list[str]:
    """Tokens of a pair, at most `MAX_LENGTH`.

    >>> pair_tokens("A dog runs.", "It moves.")
    ['a', 'dog', 'runs', '[SEP]', 'it', 'moves']
    """
    return [*tokens_of(premise), SEPARATOR, *tokens_of(hypothesis)][:MAX_LENGTH]


def vocabulary(texts: Iterable[list[str]]) -> dict[str, int]:
    """Index of the most frequent tokens, most frequent first; ties in alphabetical order."""
    counts = Counter(token for text in texts for token in text)
    ranked = sorted(counts, key=lambda token: (-counts[token], token))[:N_TOKENS]
    return {token: FIRST_TOKEN + rank for rank, token in enumerate(ranked)}


def encode(texts: Iterable[list[str]], index: dict[str, int]) -> np.ndarray:
    """Padded token indices, int16 of shape (n_pairs, MAX_LENGTH)."""
    texts = list(texts)
    out = np.full((len(texts), MAX_LENGTH), PADDING, dtype=np.int16)
    for row, text in zip(out, texts, strict=True):
        row[: len(text)] = [index.get(token, OUT_OF_VOCABULARY) for token in text]
    return out


def read_pairs(path: Path) -> Iterator[Pair]:
    """(label, premise, hypothesis) of every pair with a gold label, in the file's order."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        rows = (
            (json.loads(line) for line in lines)
            if ".jsonl" in path.suffixes
            else csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        )
        for row in rows:
            if row["gold_label"] in LABELS:
                yield row["gold_label"], row["sentence1"], row["sentence2"]


def find_parts(folder: Path) -> dict[str, list[Path]]:
    """Files of the training and the test part, whichever layout the folder has."""
    if (folder / "snli_train_sample.tsv.gz").exists():
        train = [folder / "snli_train_sample.tsv.gz", folder / "snli_dev.tsv.gz"]
        return {"train": train, "test": [folder / "snli_test.tsv.gz"]}
    for suffix in ("jsonl", "txt"):
        if (folder / f"snli_1.0_train.{suffix}").exists():
            return {part: [folder / f"snli_1.0_{part}.{suffix}"] for part in ("train", "test")}
    raise SystemExit(
        f"{folder} holds neither snli_train_sample.tsv.gz nor snli_1.0_train.jsonl or .txt; "
        "name the folder of SNLI with --snli."
    )


def preprocess(folder: Path) -> dict[str, np.ndarray]:
    """Tokens and labels of both parts, and the vocabulary in the order of its indices."""
    parts = {
        part: [pair for path in paths for pair in read_pairs(path)]
        for part, paths in find_parts(folder).items()
    }
    texts = {part: [pair_tokens(a, b) for _, a, b in pairs] for part, pairs in parts.items()}
    index = vocabulary(texts["train"])
    arrays = {"vocabulary": np.array(list(index)), "labels": np.array(LABELS)}
    for part, pairs in parts.items():
        arrays[f"{part}_tokens"] = encode(texts[part], index)
        arrays[f"{part}_y"] = np.array([LABELS.index(label) for label, _, _ in pairs], np.int8)
    return arrays


def main() -> None:
    """Write the token cache."""
    repository = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--snli", type=Path, default=repository.parent / "shared/data/snli")
    parser.add_argument("-o", "--output", type=Path, default=Path("tokens.npz"))
    options = parser.parse_args()
    arrays = preprocess(options.snli)
    temporary = options.output.with_suffix(".tmp.npz")
    np.savez_compressed(temporary, **arrays)
    os.replace(temporary, options.output)
    print(
        f"{options.output}: {len(arrays['train_y']):,} training and {len(arrays['test_y']):,} test "
        f"pairs, {len(arrays['vocabulary']):,} tokens, {options.output.stat().st_size / 1e6:.1f} MB"
    )


if __name__ == "__main__":
    main()
