"""The cells of the grid: a plain dict each, and the few that the quick tier takes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

Cell = dict[str, Any]
LAWS = ("equal", "lognormal", "pareto", "half")
LABELS = "accuracy precision recall f1 f1_macro f1_weighted balanced_accuracy matthews_corrcoef"
SOFT = "accuracy cf1 cf1_macro roc_auc"
AVERAGES = "f1 f1_macro f1_weighted balanced_accuracy"


def cell_id(cell: Cell) -> str:
    """Name of a cell: its kind and its parameters in the alphabet's order."""
    rest = (f"{key}={cell[key]}" for key in sorted(cell) if key not in ("kind", "B"))
    return ",".join([cell["kind"], *rest]).replace(" ", "+")


def full() -> list[Cell]:
    """Every cell."""
    return [*_intervals(), *_families(), *_tests(), *_gates()]


def quick() -> list[Cell]:
    """A few cells of each kind: what breaks first, and what must go on to hold."""
    return [cell for cell in full() if cell_id(cell) in QUICK]


def _labels(**more: Any) -> Cell:
    return {"kind": "intervals", "world": "labels", "metrics": LABELS, "B": 999} | more


def _intervals() -> Iterator[Cell]:
    for share, n in product((0.5, 0.3, 0.1, 0.05, 0.02, 0.01), (20, 50, 100, 200, 1000, 5000)):
        yield _labels(share=share, n=n)
    for share, n in product((0.5, 0.1, 0.05), (50, 200, 1000)):
        yield _labels(share=share, n=n, agreement=0.97)
    # Beside cells of equal models, where any interval around 0 holds the difference.
    sparse = ((0.05, 50), (0.02, 100), (0.01, 200), (0.02, 200), (0.1, 50), (0.05, 100))
    for (share, n), gap in product(sparse, (0.05, 0.15)):
        if n * share > 2 or gap == 0.05:
            yield _labels(share=share, n=n, gap=gap, gap_in="f1_macro")
    for gap in (0.005, 0.015):
        yield _labels(share=0.05, n=1000, agreement=0.97, gap=gap, gap_in="f1_macro")
    for classes, support in product((2, 3, 10, 50, 150), (1, 2, 5, 10, 30)):
        if classes * support >= 20:
            yield _labels(classes=classes, support=support, low=0.6, high=0.95, metrics=AVERAGES)
    for share, n in product((0.5, 0.1, 0.05), (50, 200, 1000)):
        yield _labels(world="soft", share=share, n=n, metrics=SOFT)
        yield _labels(world="soft", share=share, n=n, metrics="log_loss")
    for n in (50, 200):
        yield _labels(world="soft", classes=10, n=n, metrics="accuracy cf1_macro")
    for clusters, sizes in product((5, 8, 15, 30, 50), LAWS):
        where = {"clusters": clusters, "sizes": sizes, "n": 20 * clusters}
        yield _labels(**where, metrics="accuracy f1 f1_macro")
        yield _labels(**where, world="means", metrics="mean_score")
    for n in (50, 200):
        yield _labels(n=n, strata=2, metrics="accuracy recall f1 f1_macro")
        yield _labels(n=n, share=0.1, weighted=True)
    for n, sigma in product((20, 50, 200), (0.0, 1.0, 1.5)):
        yield _labels(world="texts", n=n, sigma=sigma, metrics="wer")
    for n, skewed in product((20, 50, 200), (False, True)):
        yield _labels(world="means", n=n, skewed=skewed, metrics="mean_score")


def _family(metrics: str, tests: int = 1, **more: Any) -> Cell:
    """Enough resamples that Holm could reject the smallest p-value of the family."""
    resamples = max(999, 40 * tests - 1)
    cell = {"kind": "families", "world": "labels", "metrics": metrics, "B": resamples}
    return cell | {"agreement": 0.3} | more


def _families() -> Iterator[Cell]:
    supports = [(60, 1), (60, 2), (60, 3), (40, 5), (40, 8), (30, 8), (8, 25), (150, 1), (150, 4)]
    for classes, support in supports:
        yield _family(
            "f1 f1_macro", classes, classes=classes, support=support, drawn="fixed", low=0.7
        )
    yield _family("f1", 90, classes=30, support=3, drawn="fixed", low=0.7, models=3)
    for (clusters, n), sizes in product(((10, 100), (20, 200)), LAWS):
        yield _family("accuracy f1 f1_macro", 2, clusters=clusters, sizes=sizes, n=n)
        yield _family("mean_score", clusters=clusters, sizes=sizes, n=n, world="means")
    for n in (40, 100):
        yield _family("accuracy f1 f1_macro", 2, n=n, strata=2)
    for n, share in product((60, 200), (0.5, 0.17)):
        yield _family("accuracy f1 f1_macro", 2, n=n, share=share, weighted=True)
    for n, sigma in product((20, 50), (0.0, 1.0, 1.5)):
        yield _family("wer", world="texts", n=n, sigma=sigma)
    for n, share in product((50, 200), (0.1, 0.05)):
        yield _family("accuracy cf1 cf1_macro log_loss roc_auc", 2, world="soft", n=n, share=share)
        yield _family("accuracy f1 f1_macro", 2, n=n, share=share, agreement=0.97)

    for asked in ({"correction": "min-p"}, {"correction": "max-t"}, {"correction": "fdr_bh"},
                  {"family": "all"}, {"baseline": "m0"}):  # fmt: skip
        yield _family(
            "accuracy f1_macro cf1_macro", 6, world="soft", n=200, share=0.1, models=4, **asked
        )
        yield _family(
            "f1 f1_macro", 40, classes=10, support=5, drawn="fixed", low=0.7, models=4, **asked
        )
    # Few samples carry a difference, for so many tests.
    for n, correction in product((50, 100), ("max-t", "min-p", "holm")):
        yield _family("accuracy", 45, n=n, share=0.5, models=10, correction=correction)


def _test(metrics: str, **more: Any) -> Cell:
    return {"kind": "tests", "world": "labels", "metrics": metrics, "B": 499} | more


def _tests() -> Iterator[Cell]:
    for trade, (n, share) in product(
        (".9/.64", "1/.33"), ((200, 0.05), (400, 0.05), (1000, 0.05), (1000, 0.3), (200, 0.3))
    ):
        yield _test("f1", trade=trade, n=n, share=share)
    yield _test("f1", trade="1/.33", n=1000, share=0.3, clusters=100)
    for classes, n in ((3, 201), (3, 1000), (10, 200), (10, 1000)):
        yield _test("f1_macro", trade="classes", classes=classes, n=n)
    for trade, n in product(("f1", "cf1"), (200, 1000)):
        yield _test(trade, world="soft", trade=trade, n=n, share=0.3)
    for n in (20, 50, 200):
        yield _test("mean_score", world="means", skewed=True, n=n)
    # Each power beside the size in the same cell.
    for (n, share), gap in product(((200, 0.05), (200, 0.3), (1000, 0.05), (1000, 0.3)), (0, 0.06)):
        yield _gapped("accuracy f1 f1_macro", gap, n=n, share=share)
    for sizes, gap in product(("equal", "lognormal"), (0, 0.15)):
        yield _gapped("accuracy f1", gap, n=200, clusters=20, sizes=sizes)
    for gap in (0, 0.05):
        yield _gapped("wer", gap, world="texts", n=50, sigma=1.0)
    for gap in (0, 0.4):
        yield _gapped("mean_score", gap, world="means", n=50)
        yield _gapped("roc_auc cf1 log_loss", gap, world="soft", n=200, share=0.3)


def _gapped(metrics: str, gap: float, **more: Any) -> Cell:
    return _test(metrics, **more, **({"gap": gap} if gap else {}))


def _gates() -> Iterator[Cell]:
    for n, margin, metric in product(
        (30, 50, 100, 300, 1000), (0.005, 0.02, 0.05), ("accuracy", "f1_macro")
    ):
        share = 0.5 if metric == "accuracy" else 0.2
        yield {
            "kind": "gates", "world": "labels", "n": n, "gap": margin, "gap_in": metric,
            "share": share, "agreement": 0.8, "B": 999,
        }  # fmt: skip


_QUICK = (
    _labels(share=0.05, n=50),
    _labels(share=0.3, n=200),
    _labels(share=0.05, n=200),
    _labels(classes=10, support=5, low=0.6, high=0.95, metrics=AVERAGES),
    _labels(world="soft", share=0.1, n=50, metrics=SOFT),
    _labels(clusters=8, sizes="lognormal", n=160, metrics="accuracy f1 f1_macro"),
    _labels(n=50, strata=2, metrics="accuracy recall f1 f1_macro"),
    _labels(world="texts", n=50, sigma=1.0, metrics="wer"),
    _family("f1 f1_macro", 60, classes=60, support=2, drawn="fixed", low=0.7),
    _family("f1 f1_macro", 8, classes=8, support=25, drawn="fixed", low=0.7),
    _family("accuracy f1 f1_macro", 2, clusters=20, sizes="lognormal", n=200),
    _family("wer", world="texts", n=20, sigma=1.5),
    _test("f1", trade="1/.33", n=200, share=0.05),
    _test("f1", trade="1/.33", n=1000, share=0.3),
    _gapped("accuracy f1 f1_macro", 0, n=200, share=0.3),
    _gapped("accuracy f1 f1_macro", 0.06, n=200, share=0.3),
    *(gate for gate in _gates() if gate["n"] in (30, 300) and gate["gap"] == 0.02),
)
QUICK = frozenset(map(cell_id, _QUICK))
