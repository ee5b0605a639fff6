"""Several runs of an item are one cluster, in every way, and answers are for these runs."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.cli.app import main
from tests.plugged import needs, of_plugins

ITEMS, RUNS = 20, 10
RNG = np.random.default_rng(0)
# Runs of a model mostly say the same of an item, so 200 rows are worth little more than 20.
EASY = RNG.normal(size=(2, ITEMS))
SAID = {
    m: (np.tile(EASY[k], RUNS) + 0.5 * RNG.normal(size=ITEMS * RUNS) > -0.5 * k).astype(float)
    for k, m in enumerate("ab")
}
ITEM, RUN = np.tile([f"q{i}" for i in range(ITEMS)], RUNS), np.repeat(np.arange(RUNS), ITEMS)
UNKNOWN = mc.Predictions.from_scores(SAID, runs=RUN, greater_is_better=True)
BY_IDS = mc.Predictions.from_scores(SAID, runs=RUN, ids=ITEM, greater_is_better=True)
BY_GROUPS = mc.Predictions.from_scores(SAID, runs=RUN, groups=ITEM, greater_is_better=True)
CLUSTERS = mc.Predictions.from_scores(SAID, groups=ITEM, greater_is_better=True)
NOTE = "For these 10 runs: others of the same models would vary more."

QUESTIONS: dict[str, Callable[[mc.Predictions], object]] = {
    "compare": lambda p: mc.compare(p, "mean_score", generalize_to="items", n_resamples=99),
    "decide": lambda p: mc.decide(
        p, "a", "b", "mean_score", margin=0.05, generalize_to="items", n_resamples=99
    ),
    "gate": lambda p: mc.gate(
        p, "a", "b", ["mean_score:-0.05"], generalize_to="items", n_resamples=99
    ),
    "paired_test": lambda p: mc.paired_test(
        p, "a", "b", "mean_score", generalize_to="items", n_resamples=99
    ),
    "unpaired_test": lambda p: mc.inference.unpaired_test(
        p["a"], p["b"], "mean_score", n_resamples=99
    ),
    "sample_size": lambda p: mc.sample_size(p, "a", "b", "mean_score", generalize_to="items"),
    "bootstrap": lambda p: mc.bootstrap(p, "mean_score", n_resamples=99),
    "sets": lambda p: mc.compare_groups(
        {"x": p, "y": p}, "mean_score", n_resamples=99, generalize_to="items"
    ),
    "selfcheck": lambda p: mc.diagnostics.selfcheck(
        p, "a", "b", "mean_score", n_trials=2, n_resamples=19
    ),
    "sketch": lambda p: mc.io.sketch(p, metrics="mean_score"),
}


@needs("large", "suites")
@pytest.mark.parametrize(
    "name", of_plugins(QUESTIONS, selfcheck=["selfcheck"], unpaired=["unpaired_test"])
)
def test_runs_of_nobody_knows_which_items_are_refused_with_the_remedy(name: str):
    with pytest.raises(ValueError, match=r"runs.* names 10 runs.*200 rows.*`groups`.*`ids`"):
        QUESTIONS[name](UNKNOWN)
    ids_of_rows = mc.Predictions.from_scores(
        SAID, runs=RUN, ids=np.arange(ITEMS * RUNS), greater_is_better=True
    )
    with pytest.raises(ValueError, match="`ids` that repeat from run to run"):
        QUESTIONS[name](ids_of_rows)


@needs("large", "suites")
@pytest.mark.parametrize(
    "name", of_plugins(QUESTIONS, selfcheck=["selfcheck"], unpaired=["unpaired_test"])
)
def test_items_by_ids_or_by_groups_are_clusters(name: str):
    """The answers are those of declared clusters, to the last digit."""

    def numbers(p: mc.Predictions) -> object:
        found = QUESTIONS[name](p)
        if isinstance(found, pd.DataFrame):
            return found.to_dict()
        if isinstance(found, mc.io.Sketch):
            return mc.compare(found, "mean_score", n_resamples=99).scores.to_dict()
        frame = (
            found.to_frame()
            if name == "bootstrap"
            else next(iter(found.document().frames().values()))
        )
        return frame.to_dict()

    by_ids, by_groups, clusters = (
        repr(numbers(p)).replace(f" {NOTE}", "") for p in (BY_IDS, BY_GROUPS, CLUSTERS)
    )
    assert by_ids == by_groups == clusters


@needs("large", "suites")
@pytest.mark.parametrize(
    "name", of_plugins(sorted({*QUESTIONS} - {"selfcheck", "sketch"}), unpaired=["unpaired_test"])
)
def test_answers_say_that_they_are_for_these_runs(name: str):
    of_runs, of_clusters = QUESTIONS[name](BY_IDS), QUESTIONS[name](CLUSTERS)
    assert "|for these runs" in of_runs.signature
    assert "for these runs" not in of_clusters.signature
    if name == "bootstrap":
        return
    text = "\n".join([*of_runs.document().sentences, *of_runs.document().tables.popitem()[1].notes])
    assert NOTE in text
    assert NOTE not in "\n".join([*of_clusters.document().sentences])


@needs("large")
def test_answers_from_a_sketch_say_it_too(tmp_path):
    half = np.arange(ITEMS * RUNS) < ITEMS * RUNS // 2
    several, one = mc.io.sketch(BY_IDS, "mean_score"), mc.io.sketch(CLUSTERS, "mean_score")
    # One run each, and both runs together.
    first, second = (
        mc.io.sketch(BY_IDS.subset(np.flatnonzero(run == RUN)), "mean_score") for run in (0, 1)
    )
    saved = mc.io.read_sketch(several.save(tmp_path / "runs.parquet"))
    parts = [
        mc.io.sketch(BY_IDS.subset(np.flatnonzero(rows)), "mean_score") for rows in (half, ~half)
    ]
    for found in (several, saved, first + second, sum(parts)):
        text = mc.compare(found, "mean_score", n_resamples=99)
        assert "For these runs: others of the same models" in text.verdict()
        assert "|for these runs" in text.signature
    for found in (one, first, second):
        assert "for these runs" not in mc.compare(found, "mean_score", n_resamples=99).signature


def test_subgroups_say_it_too():
    halves = {"half": np.where(np.arange(ITEMS * RUNS) % ITEMS < 10, "first", "second")}
    preds = mc.Predictions.from_scores(
        SAID, runs=RUN, ids=ITEM, slices=halves, greater_is_better=True
    )
    found = mc.compare_groups(preds, "mean_score", n_resamples=99, generalize_to="items")
    assert found.document().sentences[-1] == NOTE
    assert "|for these runs" in found.signature


@needs("large")
def test_the_verdict_and_the_decision_say_it():
    result = mc.compare(BY_IDS, "mean_score", generalize_to="items", n_resamples=99)
    assert result.verdict().endswith(NOTE)
    assert "|clusters:20|for these runs|" in result.signature
    assert QUESTIONS["decide"](BY_IDS).sentence().endswith(NOTE)


def test_ten_runs_of_twenty_items_are_no_200_samples():
    """The error is that of the items' means, by hand."""
    found = mc.bootstrap(BY_IDS, "mean_score", n_resamples=2).to_frame()
    means = pd.Series(SAID["a"]).groupby(ITEM).mean()
    assert found["standard_error"][0] == pytest.approx(means.sem(), rel=1e-9)
    assert means.sem() > 2 * pd.Series(SAID["a"]).sem()


def test_where_the_runs_are_the_clusters_nothing_is_reported_of_these_runs():
    preds = mc.Predictions.from_scores(SAID, runs=RUN, groups=RUN, greater_is_better=True)
    assert "for these runs" not in mc.compare(preds, "mean_score", n_resamples=99).signature


def test_one_run_is_no_run():
    alone = BY_IDS.subset(RUN == 3)
    assert "for these runs" not in mc.compare(alone, "mean_score", n_resamples=99).signature
    mc.compare(
        mc.Predictions.from_scores({"a": SAID["a"]}, runs=np.zeros(200), greater_is_better=True),
        n_resamples=99,
    )


def test_ids_repeat_between_runs_alone():
    with pytest.raises(ValueError, match="repeats 20 ids within a run"):
        mc.Predictions.from_scores(SAID, runs=RUN // 2, ids=ITEM, greater_is_better=True)
    with pytest.raises(ValueError, match="`groups` split the runs of an item"):
        mc.Predictions.from_scores(
            SAID, runs=RUN, ids=ITEM, groups=np.arange(200) // 2, greater_is_better=True
        )
    # A passage of several items holds all of their runs.
    passage = np.tile(np.arange(ITEMS) // 4, RUNS)
    assert (
        mc.Predictions.from_scores(
            SAID, runs=RUN, ids=ITEM, groups=passage, greater_is_better=True
        ).groups[5]
        == 1
    )


def test_columns_that_come_later_keep_runs_together():
    plain = mc.Predictions.from_scores(SAID, ids=np.arange(200), greater_is_better=True)
    with pytest.raises(ValueError, match="names 10 runs"):
        mc.compare(plain.with_columns(runs=RUN), "mean_score", n_resamples=99)
    kept = BY_IDS.with_columns(groups=None).with_columns(runs=RUN)
    assert kept.groups.tolist() == ITEM.tolist()


def test_variance_components_look_at_runs_and_items_apart():
    by_ids, by_groups = (
        mc.diagnostics.variance_components(p, "mean_score", n_resamples=99)
        for p in (BY_IDS, BY_GROUPS)
    )
    pd.testing.assert_frame_equal(by_ids, by_groups)


def test_the_command_line_reads_a_wide_table_of_runs(tmp_path, capsys):
    path = tmp_path / "answers.csv"
    frame = pd.DataFrame({"id": ITEM, "run": RUN, "y_true": 1, **SAID}).astype(
        dict.fromkeys(SAID, int)
    )
    frame.loc[::3, ["y_true"]] = 0
    frame["y_true"] = frame.groupby("id")["y_true"].transform("first")
    frame.to_csv(path, index=False)
    options = [
        str(path),
        "--read",
        "run=run",
        "--metric",
        "accuracy",
        "--resamples",
        "99",
        "--generalize-to",
        "items",
    ]
    assert main(["compare", *options, "--id", "id"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert NOTE in text
    assert "|clusters:20|for these runs|" in text.replace("| ", "|")

    frame.drop(columns="id").to_csv(path, index=False)
    assert main(["compare", *options]) == 2
    assert "--groups COLUMN" in " ".join(capsys.readouterr().err.split())
