"""The grid of sparse cells: it resumes, it judges, and its populations know their values."""

import contextlib
import json
import lzma
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn import metrics as sklearn_metrics

from experiments.validity import beyond_labels, catalogue, grid, promises, results, worlds
from experiments.validity.chunks import ChunkFile

ROOT = Path(grid.__file__).parents[2]
GATE = {
    "kind": "gates", "world": "labels", "n": 30, "gap": 0.05, "gap_in": "accuracy", "B": 99,
}  # fmt: skip
TEST = {"kind": "tests", "world": "labels", "metrics": "f1", "n": 60, "share": 0.3, "B": 99}
INTERVAL = {
    "kind": "intervals", "world": "labels", "metrics": "accuracy recall", "n": 50, "share": 0.05,
    "B": 99,
}  # fmt: skip
FAMILY = {
    "kind": "families", "world": "labels", "metrics": "f1", "classes": 12, "support": 2,
    "drawn": "fixed", "B": 499,
}  # fmt: skip
TINY = [GATE, TEST, INTERVAL, FAMILY]


def table(file, cells=TINY):
    return results.table_of(file.chunks().values(), cells)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    file = ChunkFile(tmp_path_factory.mktemp("whole") / "chunks.jsonl", "code")
    grid.simulate(TINY, 6, file, chunk=2)
    return table(file)


def test_a_run_that_was_cut_off_in_the_middle_of_a_line_gives_the_table_of_a_whole_one(
    tmp_path, whole
):
    file = ChunkFile(tmp_path / "chunks.jsonl", "code")
    grid.simulate(TINY, 2, file, chunk=2)
    text = file.path.read_text()
    file.path.write_text(text[: len(text) - 40])
    assert len(file.chunks()) == 3
    grid.simulate(TINY, 6, file, chunk=2)
    assert len(file.path.read_text().splitlines()) == 12
    pd.testing.assert_frame_equal(
        table(file).sort_values(results.KEYS, ignore_index=True),
        whole.sort_values(results.KEYS, ignore_index=True),
    )


@pytest.mark.slow
def test_a_killed_process_goes_on_and_counts_no_chunk_twice(tmp_path):
    arguments = ["--only", "^gates.*n=30,", "--trials", "8", "--chunk", "1", "--jobs", "1"]
    arguments += ["-o", str(tmp_path)]
    command = [sys.executable, "-m", "experiments.validity.grid", *arguments]
    file = tmp_path / "chunks.jsonl"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (file.exists() and file.stat().st_size > 2000):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = [line for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]
    assert 0 < len(before) < 48
    with contextlib.suppress(SystemExit):
        grid.main(arguments)
    after = file.read_text().splitlines(keepends=True)
    assert after[: len(before)] == before
    keys = [(line["cell"], line["chunk"]) for line in map(json.loads, after)]
    assert len(keys) == len({*keys}) == 48
    gates = pd.read_csv(tmp_path / "gates.csv")
    assert gates["trials"].tolist() == [8] * 6


def test_lines_that_are_there_twice_and_those_of_other_code_do_not_count(tmp_path, whole):
    file = ChunkFile(tmp_path / "chunks.jsonl", "code")
    grid.simulate(TINY, 6, file, chunk=2)
    first = file.path.read_text().splitlines()[0]
    other = first.replace('"code": "code"', '"code": "older"').replace('"chunk": 0', '"chunk": 7')
    with file.path.open("a") as handle:
        handle.write(f"{first}\n{other}\n")
    assert file.n_of_other_code == 1
    pd.testing.assert_frame_equal(table(file), whole)


def test_an_archive_counts_as_its_chunks_do_and_a_run_goes_on_from_it(tmp_path, whole):
    file = ChunkFile(tmp_path / "chunks.jsonl", "code")
    grid.simulate(TINY, 4, file, chunk=2)
    file.archive()
    kept = file.archive_path.read_bytes()
    file.path.unlink()
    assert len(file.chunks()) == 8
    grid.simulate(TINY, 6, file, chunk=2)
    assert len(file.path.read_text().splitlines()) == 4
    # A chunk that is in both counts once, and other code's archive does not.
    again = ChunkFile(tmp_path / "again" / "chunks.jsonl", "code")
    grid.simulate(TINY, 6, again, chunk=2)
    again.archive_path.write_bytes(kept)
    by = {"by": results.KEYS, "ignore_index": True}
    for found in (file, again):
        pd.testing.assert_frame_equal(table(found).sort_values(**by), whole.sort_values(**by))
        assert ChunkFile(found.path, "newer").chunks() == {}
        assert ChunkFile(found.path, "newer", None).chunks().keys() == found.chunks().keys()
    file.archive()
    file.archive()
    assert lzma.decompress(file.archive_path.read_bytes()).count(b"\n") == len(TINY)
    with pytest.raises(ValueError, match="holds chunks of other code"):
        ChunkFile(file.path, "newer").archive()


@pytest.mark.slow
def test_the_number_of_jobs_does_not_change_the_numbers(tmp_path, whole):
    file = ChunkFile(tmp_path / "chunks.jsonl", "code")
    grid.simulate(TINY, 6, file, chunk=2, jobs=2)
    by = {"by": results.KEYS, "ignore_index": True}
    pd.testing.assert_frame_equal(table(file).sort_values(**by), whole.sort_values(**by))


def test_every_cell_has_an_id_of_its_own_that_does_not_depend_on_order_or_resamples():
    full = catalogue.full()
    ids = [catalogue.cell_id(cell) for cell in full]
    assert len({*ids}) == len(ids) > 200
    turned = dict(reversed(full[0].items())) | {"B": 7}
    assert catalogue.cell_id(turned) == ids[0]
    assert catalogue.cell_id(GATE) == "gates,gap=0.05,gap_in=accuracy,n=30,world=labels"


def test_the_quick_cells_are_cells_of_the_full_grid_and_the_axes_are_all_there():
    assert len(catalogue.quick()) == len(catalogue.QUICK) == 20
    full = pd.DataFrame(catalogue.full())
    assert {*full["kind"]} == {cell["kind"] for cell in catalogue.quick()}
    assert {2, 150} <= {*full["classes"]}
    assert {1, 30} <= {*full["support"]}
    assert {0.01, 0.5} <= {*full["share"]}
    assert {20, 5000} <= {*full["n"]}
    assert {5, 50} <= {*full["clusters"]}
    assert {*catalogue.LAWS} <= {*full["sizes"]}


def rows(kind, measure, value, *, trials=800, n=200, method="default", **facts):
    about = {"cell": f"{kind} cell", "metric": "f1", "quantity": "score", "expected": n}
    about |= {"clusters": 0, "sizes": "", "gap": 0, "null_cell": "", "error": 0.01}
    about |= {"kind": kind, "method": method, "measure": measure, "value": value}
    return about | {"trials": trials, "n": n} | facts


def missed(*found):
    return promises.falls_short(pd.DataFrame(list(found)))


@pytest.mark.parametrize(
    ("row", "broken"),
    [
        (rows("families", "false finding", 0.09), True),
        (rows("families", "false finding", 0.07), False),  # within 2.5 errors of 0.0084
        (rows("families", "false finding", 0.2, trials=10), False),
        (rows("families", "false finding", 0.09, method="wald"), False),
        (rows("tests", "rejected", 0.09), True),
        (rows("tests", "rejected", 0.09, expected=30), False),
        (rows("tests", "rejected", 0.5, expected=10), False),
        (rows("tests", "rejected", 0.5, gap=0.1), False),
        (rows("intervals", "covered", 0.90), True),
        (rows("intervals", "covered", 0.90, expected=3), False),
        (rows("intervals", "covered", 0.5, n=20), False),
        (rows("intervals", "covered", 0.85, clusters=8, sizes="equal"), True),
        (rows("intervals", "covered", 0.85, clusters=8, sizes="half"), True),
        (rows("intervals", "covered or warned", 0.85, clusters=8, sizes="half"), False),
        (rows("intervals", "width 0", 0.00125), True),
        (rows("gates", "passed", 0.12, n=30), True),
        (rows("gates", "passed", 0.05, n=30), False),
    ],
)
def test_a_share_falls_short_beyond_its_promise_and_the_noise(row, broken):
    others = [row | {"measure": m, "value": v} for m, v in (("width", 0.1), ("width 0", 0.0))]
    table = [row, *(other for other in others if other["measure"] != row["measure"])]
    assert (len(missed(*table)) == 1) is broken


def beyond(measure, value, **more):
    return rows("beyond_labels", measure, value, **({"n": 100, "trials": 4000} | more))


@pytest.mark.parametrize(
    ("row", "broken"),
    [
        (beyond("covered", 0.90), False),
        (beyond("outside its range", 0.001), True),
        (beyond("passed", 0.09), True),
        (beyond("power", 0.09), False),
    ],
)
def test_scores_and_functions_have_promises_of_their_own(row, broken):
    assert (len(missed(row | {"quantity": "test"})) == 1) is broken


@pytest.mark.parametrize(
    ("measure", "value", "warned", "broken"),
    [
        ("found, unwarned", 0.09, 0.0, True),
        ("found, unwarned", 0.06, 0.0, False),
        ("found, unwarned", 0.05, 0.5, True),  # a tenth of those without a warning
        ("rejected, unwarned", 0.09, 0.0, True),
        ("covered or warned", 0.90, 0.0, True),
        ("covered or warned", 0.96, 0.75, True),  # 0.84 of those without a warning
        ("covered or warned", 0.96, 0.4, False),  # 0.933 of them
        ("covered or warned", 0.96, 0.95, False),  # nearly all trials warn
    ],
)
def test_a_warning_excuses_no_trial_without_one(measure, value, warned, broken):
    row = beyond(measure, value, quantity="test")
    short = missed(row, row | {"measure": "warned", "value": warned})
    assert (len(short) == 1) is broken
    if broken:
        assert short["trials"].tolist() == [4000 * (1 - warned)]


def test_few_trials_warn_of_what_covers_well():
    def cell(covered, warned):
        both = (("covered", covered), ("warned", warned))
        return [beyond(measure, value) for measure, value in both]

    assert missed(*cell(0.95, 0.11)).empty  # within the noise
    assert missed(*cell(0.94, 0.9)).empty
    (short,) = missed(*cell(0.95, 0.2)).itertuples()
    assert (short.promise, short.value) == ("warnings where intervals hold", 0.2)


def test_shares_of_modules_have_the_error_of_a_share_and_widths_have_none():
    cell = {"kind": "beyond_labels", "part": "sets", "sets": 2, "n": 50, "share": 0.9}
    rows = [("f1", "score", "default", name, 200, 200 * mean, 200 * mean**2)
            for name, mean in (("covered", 0.95), ("width", 3.0))]  # fmt: skip
    chunks = [{"cell": results.cell_id(cell), "code": "x", "rows": rows} for _ in range(2)]
    errors = results.table_of(chunks, [cell]).set_index("measure")["error"]
    assert errors["covered"] == pytest.approx(np.sqrt(0.95 * 0.05 / 400))
    assert np.isnan(errors["width"])


def test_the_bound_of_the_highest_family_error_holds_for_all_families_at_once():
    found = pd.DataFrame(
        [rows("families", "false finding", 0.05, cell=f"cell {place}") for place in range(20)]
    )
    row = results.highest_family_error(found).iloc[0]
    upper = binomtest(40, 800).proportion_ci(1 - 2 * 0.05 / 20, "exact").high
    assert row["below, all at 95%"] == pytest.approx(upper)
    assert row["families"] == "20"


def test_coverage_is_published_by_quantiles_over_cells():
    found = pd.DataFrame(
        [
            rows("intervals", "covered", 0.94 + place / 1000, cell=f"cell {place}")
            for place in range(21)
        ]
    )
    row = results.coverage_quantiles(found).loc["f1, score"]
    assert row[["lowest", "5 %", "median"]].tolist() == pytest.approx([0.94, 0.941, 0.95])
    assert row["values"] == "21"


def test_the_models_of_calibration_cells_have_the_errors_that_are_stated():
    confidences, right = beyond_labels._confidences(
        {"laws": "unlike", "n_classes": 10}, 400_000, np.random.default_rng(0)
    )
    for confidence, calibrated in zip(confidences, (True, False), strict=True):
        bins = pd.cut(confidence, np.linspace(0.1, 1, 10))
        gaps = pd.Series(right - confidence).groupby(bins, observed=True).mean()
        assert bool(gaps.abs().max() < 0.03) is calibrated


def test_power_is_measured_against_tests_that_hold_their_size_in_the_same_cell():
    names = ("default", "permutation", "wald")
    sizes = {"default": 0.05, "permutation": 0.05, "wald": 0.3}
    powers = {"default": 0.4, "permutation": 0.6, "wald": 0.9}
    found = [rows("tests", "rejected", sizes[m], method=m, cell="null") for m in names]
    found += [
        rows("tests", "rejected", powers[m], method=m, gap=0.1, null_cell="null") for m in names
    ]
    (short,) = missed(*found).itertuples()
    assert (short.promise, short.value) == ("power beside permutation", 0.4)
    assert short.limit == pytest.approx(0.57)


def test_what_falls_short_is_printed_before_anything_is_written(tmp_path):
    file = ChunkFile(tmp_path / "chunks.jsonl", "code")
    found = [("f1", "family", "default", "false finding", 50, 40.0, 40.0)]
    file.add(catalogue.cell_id(FAMILY), 50, 0, found)
    heard = []

    def say(text):
        heard.append((text, (tmp_path / "summary.md").exists()))

    assert not grid.write(file, [FAMILY], tmp_path, say)
    ((text, written),) = heard
    assert not written
    assert text.splitlines()[0].startswith("1 values fall short")
    assert "0.800 for 0.060" in text
    assert (tmp_path / "summary.md").read_text().index("falls short") < 200
    assert pd.read_csv(tmp_path / "short.csv")["value"].tolist() == [0.8]


def test_chunks_of_other_code_count_where_they_are_named(tmp_path):
    path = tmp_path / "chunks.jsonl"
    (cell,) = [cell for cell in grid.cells_of("quick") if cell["kind"] == "gates"][:1]
    name = catalogue.cell_id(cell)
    for code, passed, number in (("old", 4, 0), ("old", 4, 1), ("new", 0, 1)):
        rows = [["accuracy", "gate", "default", "passed", 4, passed, passed]]
        ChunkFile(path, code).add(name, 4, number, rows)
    alone, both = ChunkFile(path, "new"), ChunkFile(path, "new", ["old"])
    assert table(alone, [cell])[["trials", "value", "code"]].values.tolist() == [[4, 0, "new"]]
    assert table(both, [cell])[["trials", "value"]].values.tolist() == [[8, 0.5]]
    assert {*table(both, [cell])["code"][0].split()} == {"old", "new"}
    assert (alone.n_of_other_code, both.n_of_other_code) == (2, 0)


def test_a_fingerprint_does_not_see_comments_and_docstrings(monkeypatch, tmp_path):
    def of(text):
        (tmp_path / "a.py").write_text(text)
        monkeypatch.setattr(grid.mc, "__file__", str(tmp_path / "a.py"))
        return grid.fingerprint()

    plain = of("def f():\n    return 1\n")
    assert of('"""Doc."""\ndef f():\n    """Doc."""\n    return 1  # why\n') == plain
    assert of("def f():\n    return 2\n") != plain


def test_a_module_with_cells_of_its_own_joins_by_name(monkeypatch, tmp_path):
    class Own:
        @staticmethod
        def cells(tier):
            return [{"tier": tier, "n": 7}]

        @staticmethod
        def run_cell(params, n_trials, seed):
            assert seed >= 0
            assert params == {"tier": "quick", "n": 7}
            return {
                "ece[0] score": {"covered": 0.5, "width": float("nan"), "n_trials": n_trials},
                "ece difference": {"covered": 1.0, "n_trials": n_trials - 1},
            }

    monkeypatch.setattr(grid, "MODULES", ("own",))
    monkeypatch.setattr(grid, "_module", {"own": Own}.get)
    cells = [cell for cell in grid.cells_of("quick") if cell["kind"] == "own"]
    file = ChunkFile(tmp_path / "chunks.jsonl", "code")
    grid.simulate(cells, 8, file, chunk=4)
    found = table(file, cells).set_index(["metric", "quantity", "measure"])
    assert found["value"].to_dict() == {
        ("ece", "difference", "covered"): 1.0, ("ece[0]", "score", "covered"): 0.5,
    }  # fmt: skip
    assert found["trials"].tolist() == [6, 8]


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "f1_weighted", "matthews_corrcoef"])
def test_the_values_of_a_population_of_labels_are_those_of_a_large_test_set(metric):
    cell = {"world": "labels", "n": 200_000, "classes": 4, "share": 0.5, "low": 0.6, "high": 0.9}
    world = worlds.world_of(cell)
    preds = world.draw(np.random.default_rng(1))
    name, _, average = metric.partition("_")
    y, confidences = preds.access.codes, preds.predicted("m0")
    value = {
        "accuracy": sklearn_metrics.accuracy_score,
        "matthews": sklearn_metrics.matthews_corrcoef,
        "f1": lambda a, b: sklearn_metrics.f1_score(a, b, average=average),
    }[name](y, confidences)
    assert world.truth(metric, None, preds)[0] == pytest.approx(value, abs=0.004)


@pytest.mark.parametrize("trade", [".9/.64", "1/.33"])
def test_models_that_trade_recall_for_precision_have_equal_f1(trade):
    world = worlds.world_of({"world": "labels", "n": 500, "share": 0.05, "trade": trade})
    preds = world.draw(np.random.default_rng(0))
    recall, precision, f1 = (world.truth(m, 1, preds) for m in ("recall", "precision", "f1"))
    assert f1[0] == pytest.approx(f1[1], abs=1e-12)
    assert recall == pytest.approx(precision[::-1])
    assert recall[0] == float(trade.split("/")[0])


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro"])
def test_a_gate_s_candidate_is_worse_by_exactly_the_margin(metric):
    cell = {"world": "labels", "n": 300, "share": 0.2, "gap": 0.02, "gap_in": metric}
    world = worlds.world_of(cell)
    baseline, candidate = world.truth(metric, None, world.draw(np.random.default_rng(0)))
    assert baseline - candidate == pytest.approx(0.02, abs=1e-9)


@pytest.mark.parametrize("law", catalogue.LAWS)
def test_clusters_follow_their_law_and_none_is_empty(law):
    units = worlds.Units(200, clusters=10, sizes=law)
    sizes = np.bincount(units.cluster_of(np.random.default_rng(3)), minlength=10)
    assert sizes.sum() == 200
    assert sizes.min() >= 1
    assert (sizes.max() == 20) == (law == "equal")
    if law == "half":
        assert sizes.max() == pytest.approx(100, abs=10)


def test_the_interval_and_the_test_of_calibration_are_judged(tmp_path):
    cells = [
        {"kind": "calibration", "model": model, "n_classes": 2, "n": 100}
        for model in ("calibrated", "overconfident")
    ]
    file = ChunkFile(tmp_path / "chunks.jsonl", "code")
    grid.simulate(cells, 10, file, chunk=10)

    judged = promises.with_limits(table(file, cells)).dropna(subset=["limit"])

    assert list(judged["promise"]) == [
        "size of the calibration test", "debiased ECE's interval", "debiased ECE's interval",
    ]  # fmt: skip
    assert set(judged["measure"]) == {"covered", "rejected"}
