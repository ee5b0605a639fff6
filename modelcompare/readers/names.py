"""Usual names of columns, by role."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import product

from modelcompare.directions import direction_of


def _forms(*usual: str, ends: Sequence[str] = ("s",)) -> tuple[str, ...]:
    """Return names and what they become with each ending, as target and targets."""
    return tuple(name + end for name in usual for end in ("", *ends))


_KEY = ("_id", "_name")
# The most usual names come first; all in lower case with underscores.
TRUE = (
    "y_true", *_forms("true", "gold", ends=("_label",)), "truth", "golden", "gold_standard",
    "ground_truth", "groundtruth", "y_test", *_forms("label", "target"),
)  # fmt: skip
# Measured values, next to computed ones.
MEASURED = (
    "exp", "expt", "experiment", "experimental", "measured", "observed", "actual", "reference",
    "gt",
)  # fmt: skip
# What people state of a sample, and so may models.
JUDGED = ("label", "verdict", "judgment", "rating", "diagnosis", "decision")
# Names of the truth only if model columns have the same values.
MAYBE_TRUE = (
    *_forms("reference", "ref", "expected", "actual", "answer", ends=("s", "_label")),
    "expected_output", "correct_answer", "correct_label", "answer_key", "class", "outcome", "y",
    "category", "intent", *(f"human_{each}" for each in JUDGED),
)  # fmt: skip
ID = (
    "id", "uid", "doc_id", "seg_id", "sample_id",
    *_forms("item", "image", "example", "segment", "row", "file", ends=_KEY), "question_id",
    "query_id", "qid", "instance_id", "pair_id", "utterance_id", "guid", "uuid", "idx", "index",
    "key", "filename", "unnamed",
)  # fmt: skip
MODEL = (
    *_forms("model", "system", "classifier", "algorithm", "llm", ends=("_name", "_id")),
    "learner", "estimator", "method", "approach", "checkpoint",
)  # fmt: skip
# Names of models only if each has a result of the same samples.
MAYBE_MODEL = ("agent", "policy", "config", "configuration", "variant")
# Numbers of repeated answers to an item, of which those with one number have nothing in common.
ANSWER = ("epoch", "attempt")
RUN = (
    *_forms("run", "seed", ends=("_id",)), "random_seed", *ANSWER, "repeat", "repetition", "trial",
)  # fmt: skip
SET = (
    *_forms("set", "test_set", "testset", "dataset", "data_set", "task", ends=("_name",)),
    "benchmark", "corpus",
)  # fmt: skip
# Names the result in a row, of several for one sample.
FILTER = _forms("filter", "metric", "measure", "scorer", ends=("_name",))
DATE = ("date", "datetime", "timestamp", "time", "day", "week", "month", "ds")
PRED = (
    "y_pred", *_forms("pred", "predicted", ends=("s", "_label", "_text")),
    *_forms("prediction", "output", "response"), "hypothesis", "hyp", "model_output",
)  # fmt: skip
_PREDICTED = frozenset(name for name in PRED if name.startswith("pred") and "_" not in name)
_ERRORS = frozenset(
    (*_forms("residual", "error"), "resid", "err", "diff", "difference", "deviation")
)
# The person that decided, and the question.
USER = _forms("judge", "user", "annotator", "rater", ends=("_id",))
# A model's probabilities of all classes, in one cell.
PROBABILITIES = (
    *_forms("y_prob", "y_proba", "prob", "proba", "class_prob"), "probability", "probabilities",
    "class_probabilities", "softmax", "distribution", "scores",
)  # fmt: skip
BOXES = (*_forms("bbox", "box", ends=("es",)), "segmentation", "keypoints")
SCORE = (
    *_forms("score"), "correct", "is_correct", "acc", "accuracy", "exact_match", "em", "reward",
    "value", "metric_value", "points", "grade",
)  # fmt: skip
_ROUGE = ("rouge_1", "rouge_2", "rouge_l")
# Columns of published results, whose rows are models; written without underscores.
BENCHMARK = frozenset(
    ("mmlu", "gsm8k", "arc", "hellaswag", "winogrande", "truthfulqa", "gpqa", "humaneval", "mbpp",
     "bbh", "ifeval", "musr", "boolq", "piqa", "squad", "sst2", "mnli", "qnli", "qqp", "rte",
     "cola", "mrpc", "stsb", "wnli", "superglue", "swebench", "livecodebench")
)  # fmt: skip
_MEANS = (*_forms("total"), "sum", "mean", "average", "avg", "median")
SUMMARY = (*_MEANS, "overall")
# Names of what is counted or numbered; a heading of signs alone (#) is empty in plain letters.
_COUNTED = ("samples", "examples", "instances", "rows")
COUNT = frozenset(
    ("", "n", "no", "nr", *_forms("count", "size"), "support", *_COUNTED, *ID,
     *(f"n_{name}" for name in _COUNTED))
)  # fmt: skip
# Texts about a sample.
PROSE = (
    *_forms("text", "sentence", "comment", ends=("s", "1", "2")), "premise", "question", "prompt",
    "input", "context", "url", "title", "explanation", "rationale",
)  # fmt: skip
# Descriptions of samples, which are never outputs.
BESIDE = (
    *_forms("weight", "group"), "sample_weight", "cluster", "stratum", "strata", "fold", "split",
    "domain", "lang", "language", "subject", "topic", "source", "author", "annotator", "rater",
    "document", "doc", "tstamp", "created", "created_at", "train_trial_index", "trial_index",
    "gender", "votes", *_MEANS, *DATE, *PROSE, *RUN, *SET,
)  # fmt: skip
# Last words of quantities measured next to a result.
MEASURE = (
    "latency", "time", "runtime", "duration", "seconds", "cost", "price", "tokens", "length",
    "difficulty", "confidence", "entropy", "agreement", "date", "minutes", "hours", "days", "rank",
    "year", "age", "count",
)  # fmt: skip
# Added to a model's name in its secondary columns.
_COMPANION = ("conf", "score", "logprob", "correct", *PROBABILITIES, *PROSE, *MEASURE)
# Standard errors and deviations, anywhere in a name.
SPREAD = ("sem", "se", "sd", "std", "stderr", "stdev")
SIZES = (*_forms("param"), "parameters", "size", "flops")
_UNITS = re.compile(r"(_(ms|s|sec|usd))?_?[0-9]*$")


@lru_cache(maxsize=2**17)
def plain(heading: str) -> str:
    """Normalize a heading: ``Gold-Label`` is gold_label, ``Unnamed: 0`` is unnamed.

    Examples
    --------
    >>> plain("Gold-Label"), plain("yTrue"), plain("Unnamed: 0")
    ('gold_label', 'y_true', 'unnamed')
    """
    return words(heading).removesuffix("_0")


@lru_cache(maxsize=2**17)
def words(heading: str) -> str:
    """Normalize a heading to lower case and single underscores; a final number stays.

    Examples
    --------
    >>> words("logP SEM (exp)"), words("true_0")
    ('log_p_sem_exp', 'true_0')
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", heading)
    return re.sub(r"[\W_]+", "_", spaced).strip("_").casefold()


def usual_and_rest(heading: str, usual: tuple[str, ...], *, prefix: bool) -> tuple[str, str]:
    """Split a heading into a usual name, which is its prefix or its suffix, and the rest.

    Examples
    --------
    >>> usual_and_rest("true_cat", TRUE, prefix=True), usual_and_rest("catTrue", TRUE, prefix=False)
    (('true', 'cat'), ('true', 'cat'))
    """
    name = words(heading)
    if "_" not in name:
        return "", ""
    cut = str.removeprefix if prefix else str.removesuffix
    rests = {each: cut(name, f"{each}_" if prefix else f"_{each}") for each in usual}
    found = max((each for each, rest in rests.items() if rest != name), key=len, default="")
    return found, rests.get(found, "")


def describes(heading: str) -> bool:
    """Return whether a column of this name describes samples: ``annotator_2``, ``latency_ms``.

    Examples
    --------
    >>> [describes(heading) for heading in ("annotator_2", "latency_ms", "bert_2")]
    [True, True, False]
    """
    name = plain(heading)
    return name in BESIDE or _UNITS.sub("", name) in BESIDE or measures(heading)


def measures(heading: str) -> bool:
    """Return whether a column of this name has a quantity beside a result: ``latency_ms``."""
    return _UNITS.sub("", plain(heading)).rpartition("_")[2] in MEASURE


# First words of properties, and properties, that samples have or have not.
_ASKS = ("is", "has", "was", "are", "had", "can", "contains", "in")
_PROPERTY = ("female", "male", "weekend", "holiday", "weekday", "smoker", "married")


def is_property(heading: str) -> bool:
    """Return whether a column of this name has a property of samples: ``is_weekend``, ``female``.

    Examples
    --------
    >>> [is_property(heading) for heading in ("has_image", "isWeekend", "is_correct", "island")]
    [True, True, False, False]
    """
    name = plain(heading)
    first, asks, _ = name.partition("_")
    return not is_metric(heading) and first in (_ASKS if asks else _PROPERTY)


def of_scores(headings: Sequence[str]) -> list[str]:
    """Find headings that name different scores, by the words that not all of them share.

    Examples
    --------
    >>> of_scores(["answer_relevancy", "context_recall", "cnn"]), of_scores(["f1_cnn", "f1_map"])
    (['answer_relevancy', 'context_recall'], [])
    >>> of_scores(["n_test", "loss_naive", "loss_lgb"])
    []
    """
    words_of = {heading: {*words(heading).split("_")} for heading in headings}
    common = set.intersection(*words_of.values()) if words_of else set()
    found = [
        heading for heading, held in words_of.items()
        if direction_of(" ".join(held - common)) is not None
    ]  # fmt: skip
    if 1 < len(found) < len(words_of):
        return of_scores(found)
    return found if len(found) > 1 else []


def predicts(heading: str) -> bool:
    """Return whether a column is named like predictions: ``pred_cnn``, ``predicted``."""
    return not _PREDICTED.isdisjoint(words(heading).split("_"))


def errs(heading: str) -> bool:
    """Return whether a column is named like errors of predictions: ``residuals``."""
    return not _ERRORS.isdisjoint(words(heading).split("_"))


def likely_outputs(headings: Sequence[str]) -> list[str]:
    """Return the columns that are named like predictions, or all if none is.

    Examples
    --------
    >>> likely_outputs(["predicted", "residuals"]), likely_outputs(["cnn", "bert"])
    (['predicted'], ['cnn', 'bert'])
    """
    return [*filter(predicts, headings)] or [*headings]


def companions(headings: Iterable[str]) -> list[str]:
    """Find headings of a model's secondary columns: ``bert_conf`` beside ``bert``.

    Examples
    --------
    >>> companions(["bert", "bert_conf", "pred_cnn", "prob_cnn", "svm_conf"])
    ['bert_conf', 'prob_cnn']
    """
    words = {heading: plain(heading) for heading in headings}
    own = {_without(name, (*PRED, "label")) or name for name in words.values()}
    predicts = not {*PRED}.isdisjoint(words.values())
    return [
        heading for heading, name in words.items()
        if _without(name, _COMPANION) in own or (predicts and name in ("conf", "confidence"))
        or _without_spread(name) in own
    ]  # fmt: skip


def of_each_model(headings: Iterable[str], models: Collection[str]) -> dict[str, dict[str, str]]:
    """Find columns of all models under one name: the column of each model, by the name.

    Examples
    --------
    >>> of_each_model(["latency_a", "b.cost", "latency_b", "a.cost", "note_a"], ["a", "b"])
    {'latency': {'a': 'latency_a', 'b': 'latency_b'}, 'cost': {'b': 'b.cost', 'a': 'a.cost'}}
    """
    found: dict[str, dict[str, str]] = {}
    for heading, model in product(headings, models):
        own = _without(words(model), PRED) or words(model)
        name = _without(words(heading), (own,))
        if name:
            found.setdefault(name, {})[model] = heading
    return {name: own for name, own in found.items() if {*own} == {*models}}


def _without_spread(name: str) -> str | None:
    """Return a name without its word for a standard error or deviation, or None."""
    parts = name.split("_")
    kept = [part for part in parts if part not in SPREAD]
    return "_".join(kept) if 0 < len(kept) < len(parts) else None


def _without(name: str, usual: tuple[str, ...]) -> str | None:
    """Return a name without the usual word that ends or begins it, or None."""
    ends = (usual_and_rest(name, usual, prefix=prefix) for prefix in (False, True))
    return next((rest for found, rest in ends if found), None)


def numbers_answers(run: str | None, given: str | None) -> bool:
    """Return whether a column of runs numbers repeated answers, and is not `given` as one of runs.

    Examples
    --------
    >>> numbers_answers("epoch", None), numbers_answers("seed", None)
    (True, False)
    """
    return run is not None and given is None and plain(run) in ANSWER


def is_score(heading: str) -> bool:
    """Return whether numbers are named like scores.

    Examples
    --------
    >>> [is_score(heading) for heading in ("wis", "grade", "judge_score", "reviews")]
    [True, True, True, False]
    """
    named = plain(heading) in SCORE or "score" in words(heading).split("_")
    return named or direction_of(heading) is not None


def is_metric(heading: str) -> bool:
    """Return whether a name is that of a score as a whole, and so of no model.

    Examples
    --------
    >>> [is_metric(heading) for heading in ("f1_score", "ROUGE-L", "a WER", "error", "time")]
    [True, True, False, False, False]
    """
    name = plain(heading)
    word = name.removesuffix("_score")
    metric = "_" not in word and direction_of(name) is not None
    return name in (*SCORE, *_ROUGE) or (metric and word not in (*_ERRORS, *MEASURE))


def named_scores(headings: Sequence[str]) -> list[str]:
    """Find headings of scores, the most usual first.

    Examples
    --------
    >>> named_scores(["cnn", "wer", "score"])
    ['score', 'wer']
    """
    return [*dict.fromkeys([*named(headings, SCORE), *filter(is_metric, headings)])]


def is_benchmark(heading: str) -> bool:
    """Return whether a column of this name has published results: ``MMLU-Pro``."""
    name = plain(heading)
    return not BENCHMARK.isdisjoint((name.replace("_", ""), name.partition("_")[0]))


def is_no_score(heading: str) -> bool:
    """Return whether numbers of this name are no scores: counts, sizes, deviations."""
    name = plain(heading)
    return name in {*COUNT, *SPREAD, *SIZES} or (describes(heading) and name not in SUMMARY)


def named(headings: Iterable[str], usual: tuple[str, ...]) -> list[str]:
    """Find headings with a usual name, the most usual first."""
    rank = {name: place for place, name in enumerate(usual)}
    found = [heading for heading in headings if plain(heading) in rank]
    return sorted(found, key=lambda heading: rank[plain(heading)])


def first(headings: Iterable[str], usual: tuple[str, ...]) -> str | None:
    """Find the heading with the most usual name, if any has one."""
    return next(iter(named(headings, usual)), None)
