"""Predictions that ship with the package."""

from __future__ import annotations

from importlib.resources import as_file, files

from modelcompare.arguments import checked
from modelcompare.data.predictions import Predictions
from modelcompare.readers import read_predictions


def available_examples() -> tuple[str, ...]:
    """Return the names that `load_example` knows.

    Examples
    --------
    >>> "snli" in available_examples()
    True
    """
    entries = files(__name__).iterdir()
    return tuple(sorted(e.name.removesuffix(".npz") for e in entries if e.name.endswith(".npz")))


@checked()
def load_example(name: str) -> Predictions:
    """Load predictions that ship with the package.

    Parameters
    ----------
    name : str
        "snli": four scikit-learn classifiers on the 9,824 test pairs of SNLI (entailment, neutral,
        contradiction), trained by ``experiments/snli_baselines``. "snli_sepcnn": the three
        separable-convolution networks of Yacouby & Axman (2020, section 6.1) on the same pairs,
        each with less training data and more label noise, trained by ``experiments/snli_sepcnn``.

    Raises
    ------
    ValueError
        If no example has that name.

    References
    ----------
    .. [1] Bowman, Angeli, Potts & Manning (2015), A large annotated corpus for learning natural
       language inference. CC BY-SA 4.0.

    Examples
    --------
    >>> load_example("snli")["bow_pair"]
    Predictions: 9,824 samples, 3 classes (entailment, neutral, contradiction), 1 model
      bow_pair  probabilities
    """
    if name not in available_examples():
        known = ", ".join(available_examples())
        raise ValueError(f"`name` is no example: {name!r}; there are {known}.")
    with as_file(files(__name__) / f"{name}.npz") as path:
        return read_predictions(path)
