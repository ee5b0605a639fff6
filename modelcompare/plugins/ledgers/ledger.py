"""Ledgers: files that record what was asked of a test set, each with the plan of asking."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, Literal

import numpy as np

from modelcompare.arguments import checked
from modelcompare.paths import locked
from modelcompare.plugins.ledgers.history import HEADER, History
from modelcompare.plugins.ledgers.words import Control, Spending
from modelcompare.questions.decide import decide
from modelcompare.questions.gate import gate
from modelcompare.words import check_count, check_text, shown

Kind = Literal["looks", "candidates"]
_MOST_LOOKS, _MOST_CANDIDATES = 1_000, 100_000
# Settings of ledgers of each type, as their files name them, with their defaults.
_SETTINGS: Mapping[Kind, Mapping[str, Any]] = {
    "looks": {"looks": None, "spending": "obrien-fleming"},
    "candidates": {"control": "any", "n_candidates": None},
}
_OTHER_KIND: Mapping[Kind, str] = {
    "looks": "is a ledger of candidates, about which `keep` asks; that of `gate` is begun with a "
    "number of looks: Ledger(path, looks=N) (--looks N).",
    "candidates": "is a ledger of looks, at which `gate` asks; begin another one for `keep`.",
}


def _check_path(argument: str, value: object) -> None:
    """Refuse what is no path of a file."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"`{argument}` must be the path of a file, got {shown(value)}.")
    if Path(value).is_dir():
        raise ValueError(
            f"`{argument}` must name a file, such as ledger.jsonl; got {shown(value)}."
        )


def check_ledger(argument: str, value: object) -> None:
    """Refuse what is neither a ledger nor the path of a file."""
    if not isinstance(value, Ledger):
        _check_path(argument, value)


def _check_looks(argument: str, value: object) -> None:
    """Refuse what is neither a number of looks nor "any"."""
    if value != "any":
        check_count(argument, value, at_least=1, at_most=_MOST_LOOKS)


class Ledger:
    """A file that records what is asked of a test set, so that one level holds for all answers.

    One of *looks* is for `gate`, which asks about a candidate again while samples are added. One of
    *candidates* is for `keep`, which asks about many on the same samples. Of a file that exists,
    settings that are left out are those with which it was begun.

    Parameters
    ----------
    path : path
        File of JSON lines; the first question begins it if it does not exist.
    looks : int or "any", optional
        Planned number of looks; with "any" none is planned, and bounds hold at any time (see
        method "any-time" of `decide`). A ledger without looks is of candidates.
    spending : {"obrien-fleming", "pocock"}, optional
        Spending of alpha over planned looks: little at first, with almost no loss of power at the
        last one (the default), or about the same level at each.
    candidates : int, optional
        Planned number of candidates, each at an equal level; by default none is planned, and levels
        fall with the number of candidates since the last one was kept, and with those kept.
    control : {"any", "share"}, optional
        With "any", the default, no candidate is kept wrongly, but with probability alpha; with
        "share" alpha is the expected share of wrong ones among those kept (false discovery rate,
        LOND for any dependence of the p-values).
    expect_head : str, optional
        Head of the ledger after the answer before; another one is refused.

    Examples
    --------
    >>> import tempfile, modelcompare as mc
    >>> preds, models = mc.load_example("snli"), ("naive_bayes", "bow_pair")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = mc.Ledger(f"{folder}/looks.jsonl", looks=5)
    ...     found = mc.gate(preds, *models, ["accuracy:+0"], ledger=ledger)
    >>> found.ledger.partition(";")[0]
    'Look 1 of 5 (alpha 0.05 in all, obrien-fleming)'
    """

    @checked(
        path=_check_path, looks=_check_looks, expect_head=check_text,
        candidates=partial(check_count, at_least=1, at_most=_MOST_CANDIDATES),
    )  # fmt: skip
    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        looks: int | Literal["any"] | None = None,
        spending: Spending | None = None,
        candidates: int | None = None,
        control: Control | None = None,
        expect_head: str | None = None,
    ) -> None:
        self.path, self.expect_head = Path(path), expect_head
        given = {
            "looks": looks, "spending": spending, "control": control, "n_candidates": candidates,
        }  # fmt: skip
        # In a file, any number of looks is null.
        self._given: dict[str, Any] = {
            name: None if (name, value) == ("looks", "any") else value
            for name, value in given.items()
            if value is not None
        }
        if spending is not None and looks in (None, "any"):
            raise ValueError(
                "`spending` (--spending) is of a planned number of `looks` (--looks N); give both."
            )
        if len(self._kinds) > 1:
            raise ValueError(
                "a ledger is of `looks` (for `gate`), or of `candidates` and their `control` (for "
                "`keep`); begin another file for the other."
            )

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r})"

    @classmethod
    def of(cls, ledger: Ledger | str | os.PathLike[str]) -> Ledger:
        """Return a ledger itself, and of a path its ledger."""
        return ledger if isinstance(ledger, Ledger) else cls(ledger)

    @property
    def kind(self) -> Kind:
        """Questions that are recorded: those of the settings, else of the file, else candidates."""
        return self._kind_of(self.read())

    def read(self) -> History:
        """Read what was asked until now."""
        return History.read(self.path)

    @property
    def _kinds(self) -> list[Kind]:
        """Questions of the given settings."""
        return [kind for kind, names in _SETTINGS.items() if self._given.keys() & names.keys()]

    def _kind_of(self, history: History) -> Kind:
        begun = [history.plan["kind"]] if history.lines else []
        return [*self._kinds, *begun, "candidates"][0]


@contextmanager
def open_ledger(
    ledger: Ledger, kind: Kind, rules: Sequence[Mapping[str, Any]], alpha: float,
    options: Mapping[str, Any],
) -> Iterator[History]:  # fmt: skip
    """Lock a ledger, and read it; a new one begins with the plan of this question.

    A plan is what may not change from question to question. Of the options of `gate` it
    contains those that change its answer: not those left at their defaults.
    """
    _check_seed(options.get("rng"))
    with locked(ledger.path):
        history = ledger.read()
        history.check_head(ledger.expect_head)
        if ledger._kind_of(history) != kind:
            raise ValueError(f"{ledger.path} {_OTHER_KIND[kind]}")
        before = history.plan if history.lines else {}
        settings = {
            name: ledger._given.get(name, before.get(name, default))
            for name, default in _SETTINGS[kind].items()
        }
        at_any_time = kind == "looks" and settings["looks"] is None
        plan = {
            "kind": kind, "rules": [_written(rule) for rule in rules], "alpha": alpha,
            **settings, "options": _changed(options, at_any_time=at_any_time),
        }  # fmt: skip
        history = history if before else history.added({**HEADER, **plan})
        history.check_plan(plan)
        yield history


def _check_seed(rng: object) -> None:
    """Refuse a source of other random numbers at each question."""
    if rng is not None and not isinstance(rng, int | np.integer):
        raise ValueError(
            "`rng` of a ledger must be a whole number: a generator draws others at each question, "
            f"got {shown(rng)}."
        )


def _written(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return a rule with the name of its metric; a function's address is another each time."""
    metric = rule["metric"]
    return {**rule, "metric": getattr(metric, "name", getattr(metric, "__name__", metric))}


def _changed(options: Mapping[str, Any], *, at_any_time: bool) -> dict[str, str]:
    """Return the options of `gate` and `decide` that are not their defaults, as texts."""
    given = {**options, **({"method": "any-time"} if at_any_time else {})}
    known = {**signature(gate).parameters, **signature(decide).parameters}
    defaults = {name: str(each.default) for name, each in known.items()}
    return {
        name: str(value)
        for name, value in sorted(given.items())
        if str(value) != defaults.get(name)
    }
