"""Subgroups."""

import re

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.report.numbers import p_clause
from tests.report.written import screen_text


@pytest.mark.filterwarnings("ignore:.* has width 0")
def test_warnings_and_notes_name_the_subgroup_that_they_are_about():
    y = [0, 1] * 60
    preds = mc.Predictions(
        y, {"a": y, "b": [1, 0] * 8 + y[16:]}, slices={"year": ["old"] * 112 + ["new"] * 8}
    )
    few = preds.subset(range(112, 120))
    with pytest.warns(mc.metrics.SparseDataWarning) as caught:
        found = mc.compare_groups(preds, "f1", n_resamples=99, min_size=4, method="percentile")
    with pytest.warns(mc.metrics.SparseDataWarning) as alone:
        mc.compare(few, "f1", n_resamples=99, method="percentile")
    assert str(caught[0].message).startswith(f"year = new: {alone[0].message}")
    note = mc.compare(few, "f1", n_resamples=99).verdict().splitlines()[-1]
    assert note == "f1 of 0 and f1 of 1: as uncertain as 4 samples; classes 0 and 1 have 4."
    assert found.verdict().splitlines()[-1] == f"year = new: {note}"


def sliced(shares, n=200, seed=0):
    """Return subgroups in which each model is right on a given share of the samples."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n * len(shares))
    outputs = {}
    for model in next(iter(shares.values())):
        wrong = [np.arange(n) >= round(share[model] * n) for share in shares.values()]
        outputs[model] = np.where(np.concatenate(wrong), 1 - y, y)
    return mc.Predictions(y, outputs, slices={"lang": np.repeat([*shares], n)})


SHARES = {
    "de": {"a": 0.6, "b": 0.9},
    "en": {"a": 0.9, "b": 0.5},
    "fr": {"a": 0.8, "b": 0.8},
    "it": {"a": 0.95, "b": 0.6},
}


def test_the_verdict_names_subgroups_where_a_model_is_better_or_worse():
    found = mc.compare_groups(sliced(SHARES), "accuracy", n_resamples=999)
    p = found.differences.set_index("value")["p_adjusted"]
    assert p.drop("fr").max() < 0.05 <= p["fr"]
    expected = (
        "accuracy: a leads in 3 of 4 subgroups and is worse than b in lang = de and better than b in "
        f"lang = en and lang = it (all {p_clause(p.drop('fr').max(), at_most=True)}); its worst value "
        "is 0.600 (lang = de)."
    )
    assert found.verdict() == expected
    assert found.document().findings[0].metric == "accuracy"


def test_the_verdict_of_subgroups_names_the_baseline():
    found = mc.compare_groups(sliced(SHARES), "accuracy", n_resamples=999, baseline="b")
    # In one of the two it is level with a.
    assert found.verdict().startswith("accuracy: b leads in 2 of 4 subgroups and is worse than a ")
    assert "its worst value is 0.500 (lang = en)" in found.verdict()


def test_of_models_that_lead_as_often_the_better_one_is_named():
    shares = {"de": {"a": 0.86, "b": 0.85, "c": 0.6}, "en": {"a": 0.6, "b": 0.85, "c": 0.6}}
    found = mc.compare_groups(sliced(shares), "accuracy", n_resamples=999)
    assert found.verdict().startswith("accuracy: b leads in 1 of 2 subgroups and is better than a ")


def test_the_worst_value_of_a_loss_is_its_largest():
    found = mc.compare_groups(sliced(SHARES), "zero_one_loss", n_resamples=999)
    assert found.verdict().endswith("its worst value is 0.400 (lang = de).")


def test_subgroups_without_findings_say_so():
    same = {lang: {"a": 0.8, "b": 0.8} for lang in ("de", "en")}
    one = mc.compare_groups(sliced(same), "accuracy", n_resamples=99)
    assert "and no difference from it is significant; its worst value is" in one.verdict()
    alone = mc.compare_groups(sliced(same)["a"], "accuracy", n_resamples=99)
    assert alone.verdict() == "accuracy: a has its worst value, 0.800, in lang = de."


def test_each_subgroup_is_a_line_and_all_scores_and_differences_are_on_request():
    found = mc.compare_groups(sliced(SHARES), "accuracy", n_resamples=199)
    text, every = (screen_text(found, show_all=whole) for whole in (False, True))
    # The one that b leads is first, then those of a, worst first; a tie is between the two.
    lines = re.findall(r"^ lang = (\w+) +200 +(\w)", text, re.MULTILINE)
    assert [name for name, _ in lines] == ["de", "fr", "en", "it"]
    assert lines[0] == ("de", "b")
    assert " and 2 more tables: --all shows them" in text
    assert "Differences" not in text
    assert "Differences" in every
    assert len(text.splitlines()) <= 16
    leads = found.document().tables["leads"].frame
    of_de = found.results["lang", "de"].leads().iloc[0]
    assert leads.loc[0, ["lead", "ci_low", "p_adjusted"]].tolist() == pytest.approx(
        of_de[["lead", "ci_low", "p_adjusted"]].tolist()
    )


def _wrong(n, group, groups):
    """Labels of which the first so many in a group are wrong."""
    here = groups == group
    return np.where(here & (np.cumsum(here) <= n), 1, 0)


def test_models_that_lead_in_as_many_subgroups_are_all_named():
    groups = np.resize(["u", "v"], 120)
    outputs = {"first": _wrong(10, "u", groups), "second": _wrong(10, "v", groups)}
    preds = mc.Predictions(np.zeros(120, int), outputs, slices={"g": groups}, labels=[0, 1])
    for order in (["first", "second"], ["second", "first"]):
        text = mc.compare_groups(preds[order], "accuracy", n_resamples=199).verdict()
        assert text.startswith(f"accuracy: {order[0]} leads in 1 of 2 subgroups and is worse than")
        assert f"; {order[1]} leads in 1 of 2 subgroups and is worse than {order[0]} in" in text
    # The same in both subgroups: both lead in both.
    level = mc.Predictions(
        np.zeros(120, int),
        dict.fromkeys("ab", outputs["first"]),
        slices={"g": groups},
        labels=[0, 1],
    )
    text = mc.compare_groups(level, "accuracy", n_resamples=199).verdict()
    for model in "ab":
        assert f"{model} leads in 2 of 2 subgroups and no difference from it is significant" in text
