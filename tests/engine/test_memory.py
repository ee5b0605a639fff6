"""What cannot fit is refused with the figure and the way out; what just fits is done."""

import re
import tracemalloc

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare import plugs
from modelcompare.cli import main
from modelcompare.engine import memory
from tests.plugged import needs

TRUTH = np.arange(60) % 3
PREDS = mc.Predictions(TRUTH, {name: np.roll(TRUTH, shift) for shift, name in enumerate("abcd")})
# Four models, one average and three classes, eight bytes each, and the same again to sort.
OF_A_RESAMPLE = 4 * 4 * 8 * 2
METRICS = ["accuracy", "f1"]


@pytest.fixture(autouse=True)
def _everything_is_asked_for(monkeypatch):
    monkeypatch.setattr(memory, "CACHE_BYTES", 0)


@pytest.mark.parametrize("ask", [mc.bootstrap, mc.compare])
def test_replicates_that_would_not_fit_are_refused_and_those_that_just_fit_are_made(
    ask, monkeypatch
):
    monkeypatch.setattr(memory, "free_memory", lambda: 2000 * OF_A_RESAMPLE)
    made = ask(PREDS, METRICS, n_resamples=2000)
    assert getattr(made, "bootstrap", made).n_resamples == 2000
    with pytest.raises(ValueError, match="resamples") as caught:
        ask(PREDS, METRICS, n_resamples=2001)
    assert str(caught.value) == (
        "2,001 resamples of 4 models in 4 values (metrics, and classes of those per class) need "
        "about 0.0 GiB of memory, and 0.0 GiB are free; at most 2,000 resamples fit; or take fewer "
        "resamples, metrics or models."
    )


def test_what_is_free_is_reported_in_gib(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 3 * 2**30)
    with pytest.raises(
        ValueError, match=re.escape("need about 5,960.5 GiB of memory, and 3.0 GiB")
    ):
        memory.check_replicates(10**7, 400, 100)


def test_a_way_out_is_not_a_handful_of_resamples(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 999 * OF_A_RESAMPLE)
    with pytest.raises(ValueError, match=r"are free; take fewer resamples, metrics or models\.$"):
        mc.bootstrap(PREDS, METRICS, n_resamples=1000)


def test_pairs_that_would_not_fit_are_refused_before_a_resample_is_drawn(monkeypatch):
    # Six pairs in four values, or three with a baseline.
    monkeypatch.setattr(memory, "free_memory", lambda: 6 * 4 * 550 - 1)
    with pytest.raises(ValueError, match="pairs") as caught:
        mc.compare(PREDS, METRICS, n_resamples=10**7)
    assert str(caught.value) == (
        "the differences of 6 pairs of models in 4 values (metrics, and classes of those per class) "
        "need about 0.0 GiB of memory, and 0.0 GiB are free; name a baseline (--baseline), choose "
        "models (--model), or take fewer metrics."
    )
    assert len(mc.compare(PREDS, METRICS, n_resamples=20, baseline="a").differences) == 12


N_MANY = 1_500


@pytest.fixture(scope="module")
def many():
    return {f"m{i}": np.ones(4) * (i % 2) for i in range(N_MANY)}


@pytest.mark.parametrize(
    "ask",
    [
        lambda scores: mc.compare(mc.Predictions.from_scores(scores)),
        # To read a table takes memory for each cell.
        pytest.param(
            lambda scores: plugs.behind("friedman")(
                pd.DataFrame(scores), "score", greater_is_better=True, test="nemenyi", alpha=0.05
            ),
            marks=needs("published"),
        ),
        lambda scores: mc.compare(mc.Predictions.from_scores(scores), baseline="m0"),
    ],
    ids=["compare", "critical_difference", "baseline"],
)
def test_many_models_are_refused_before_anything_of_the_size_of_their_pairs_is_made(
    ask, many, monkeypatch
):
    # What is imported where it is first needed is none of theirs.
    ask({f"m{i}": np.arange(4.0) + i for i in range(3)})
    # Their places alone would take 18 MB.
    monkeypatch.setattr(memory, "free_memory", lambda: 2**26)
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"(pairs|covariances) of .* GiB of memory, .*--model"):
        ask(many)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 2**20


def test_a_file_with_many_models_is_refused_in_one_line(tmp_path, monkeypatch, capsys):
    n = 500
    path = tmp_path / "wide.csv"
    rows = [
        [f"m{i}" for i in range(n)],
        *([str((i * row) % 2) for i in range(n)] for row in range(4)),
    ]
    path.write_text("\n".join(",".join(row) for row in rows) + "\n")
    monkeypatch.setattr(memory, "free_memory", lambda: 2**25)
    assert main(["compare", str(path)]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.splitlines()[-1] == (
        "modelcompare: error: the differences of 124,750 pairs of models in 1 value (metrics, and "
        "classes of those per class) need about 0.1 GiB of memory, and 0.0 GiB are free; name a "
        "baseline (--baseline), choose models (--model), or take fewer metrics."
    )


def test_models_with_a_baseline_take_about_as_much_as_they_are_estimated_to():
    n = 400
    scores = {f"m{i}": np.arange(4.0) * (i % 3) for i in range(n)}
    predictions = mc.Predictions.from_scores(scores)
    tracemalloc.start()
    mc.compare(predictions, baseline="m0", n_resamples=9)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert memory._SHARED_BYTES / 3 < peak / n**2 < memory._SHARED_BYTES * 3


def test_a_pair_takes_about_as_much_as_it_is_estimated_to():
    n = 120
    rng = np.random.default_rng(0)
    predicted = {f"m{i}": np.where(rng.random(60) < 0.7, TRUTH, 0) for i in range(n)}
    tracemalloc.start()
    result = mc.compare(
        mc.Predictions(TRUTH, predicted), "accuracy", method="normal", test="wald", n_resamples=2
    )
    frame = result.differences
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(frame) == n * (n - 1) // 2
    assert memory._PAIR_BYTES / 3 < peak / len(frame) < memory._PAIR_BYTES * 3


@pytest.mark.parametrize(
    ("controllers", "limit", "used", "cache"),
    [
        ("", "memory.max", "memory.current", "inactive_file"),
        ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ],
)
def test_a_container_leaves_what_its_limit_says(
    tmp_path, monkeypatch, controllers, limit, used, cache
):
    def group(folder, most):
        folder.mkdir(exist_ok=True)
        (folder / limit).write_text(f"{most}\n")
        (folder / used).write_text("700\n")
        (folder / "memory.stat").write_text(f"anon 500\n{cache} 200\n")

    root = tmp_path / "groups"
    group(root, "max")
    group(root / "pod", 1000)
    (tmp_path / "cgroup").write_text(f"5:cpu:/\n3:{controllers}:/pod/container\n")
    monkeypatch.setattr(memory, "_GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(memory, "_LIMITS", {controllers: (root, limit, used, cache)})

    assert memory.free_memory() == 1000 - 700 + 200

    group(root / "pod" / "container", 600)
    assert memory.free_memory() == 100

    group(root / "pod" / "container", "max")
    group(root / "pod", "max")
    assert memory.free_memory() > 2**20
