"""Usual names of columns, by what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

# In every list the most usual first; written in small letters with underscores.
TRUE = (
    "y_true", "true", "truth", "true_label", "gold", "gold_label", "golden", "gold_standard",
    "ground_truth", "groundtruth", "label", "labels", "target", "targets",
)  # fmt: skip
# The truth where models say the same things, and something else where they do not.
MAYBE_TRUE = (
    "reference", "references", "ref", "expected", "expected_output", "actual", "correct_answer",
    "correct_label", "answer", "answer_key", "class", "outcome", "y", "category", "intent",
)  # fmt: skip
ID = (
    "id", "uid", "doc_id", "seg_id", "sample_id", "item", "item_id", "image", "image_id",
    "example", "example_id", "question_id", "query_id", "qid", "instance_id", "segment",
    "segment_id", "pair_id", "utterance_id", "guid", "uuid", "idx", "index", "row", "row_id",
    "key", "file", "filename", "file_name", "unnamed",
)  # fmt: skip
MODEL = (
    "model", "model_name", "model_id", "system", "system_name", "system_id", "classifier",
    "algorithm", "learner", "estimator",
)  # fmt: skip
RUN = ("run", "run_id", "seed", "random_seed", "epoch", "repeat", "repetition", "trial")
SET = (
    "set", "test_set", "testset", "dataset", "data_set", "dataset_name", "task", "task_name",
    "benchmark", "corpus",
)  # fmt: skip
PRED = (
    "y_pred", "pred", "preds", "prediction", "predictions", "predicted", "predicted_label",
    "pred_label", "output", "hypothesis", "hyp", "response", "model_output", "pred_text",
)  # fmt: skip
SCORE = (
    "score", "scores", "correct", "is_correct", "acc", "accuracy", "exact_match", "em", "reward",
    "value", "metric_value", "points", "grade",
)  # fmt: skip
# What describes the samples and is never what a model gave.
BESIDE = (
    "weight", "sample_weight", "weights", "group", "groups", "cluster", "stratum", "strata", "fold",
    "split", "domain", "lang", "language", "subject", "topic", "difficulty", "source", "author",
    "annotator", "document", "doc", "text", "sentence", "sentence1", "sentence2", "premise",
    "question", "prompt", "input", "context", "url", "title", "length", "n_tokens", "date", "time",
    "timestamp", *RUN, *SET,
)  # fmt: skip


@lru_cache(maxsize=2**17)
def plain(heading: str) -> str:
    """A heading in small letters with single underscores: ``Gold-Label`` is gold_label.

    Examples
    --------
    >>> plain("Gold-Label"), plain("yTrue"), plain("Unnamed: 0")
    ('gold_label', 'y_true', 'unnamed')
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", heading)
    return re.sub(r"[\W_]+", "_", spaced).strip("_").casefold().removesuffix("_0")


def named(headings: Iterable[str], usual: tuple[str, ...]) -> list[str]:
    """Headings with a usual name, the most usual first."""
    rank = {name: place for place, name in enumerate(usual)}
    found = [heading for heading in headings if plain(heading) in rank]
    return sorted(found, key=lambda heading: rank[plain(heading)])
