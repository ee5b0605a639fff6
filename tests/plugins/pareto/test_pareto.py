"""Pareto fronts: a loop over pairs and metrics, three answers, margins, refusals, the figure."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.cli import main
from modelcompare.inference import adjust
from modelcompare.plugins.pareto.front import Front, undominated
from tests.comparison.test_unknown_direction import ASKED

# Shares of right answers and mean costs: "old" is dominated by "small", "twin" nearly is "small".
SPEC = {
    "small": (0.60, 1.0), "large": (0.80, 9.0), "old": (0.45, 8.0), "twin": (0.58, 1.0),
    "slow": (0.60, 3.0),
}  # fmt: skip


def predictions(n=400, spec=SPEC, seed=0):
    rng = np.random.default_rng(seed)
    common, length = rng.random(n), rng.gamma(4, 0.25, n)
    return mc.Predictions.from_scores({
        model: {
            "correct": (0.6 * common + 0.4 * rng.random(n) < right).astype(float),
            "cost_usd": length * rng.gamma(20, cost / 20, n),
        }
        for model, (right, cost) in spec.items()
    })  # fmt: skip


@pytest.fixture(scope="module")
def result():
    return mc.compare(predictions(), n_resamples=499)


@pytest.mark.parametrize("margins", [None, {"correct": 0.2}, {"correct": 0.15, "cost_usd": 0.5}])
def test_the_answers_are_those_of_a_loop_over_pairs_and_metrics(result, margins):
    rows = result.differences.assign(p=lambda d: adjust(d["p_value"].to_numpy(), "holm"))
    preds, ahead, low = predictions(), {}, {}
    for row in rows.itertuples():
        up = 1 if row.metric == "correct" else -1
        level = 1 - 0.05 / len(rows)
        again = mc.bootstrap(preds[[row.model_a, row.model_b]], row.metric, n_resamples=499)
        found = again.difference_interval(np.array([0]), np.array([1]), "auto", level)
        ends = sorted([up * found.low[0, 0], up * found.high[0, 0]])
        for pair, sign in (((row.model_a, row.model_b), 1), ((row.model_b, row.model_a), -1)):
            ahead[(*pair, row.metric)] = row.p < 0.05 and sign * up * row.difference > 0
            low[(*pair, row.metric)] = ends[0] if sign > 0 else -ends[1]
    given = {"correct": 0.0, "cost_usd": 0.0} | (margins or {})
    names = preds.models

    def dominates(a, b):
        fine = [ahead[a, b, m] or low[a, b, m] >= -given[m] for m in given]
        return all(fine) and any(ahead[a, b, m] for m in given)

    def beyond(a, b):
        return any(low[a, b, m] > given[m] if given[m] else ahead[a, b, m] for m in given)

    front = result.pareto(margins=margins).set_index("model")
    for model in names:
        others = [other for other in names if other != model]
        by = [other for other in others if dominates(other, model)]
        free = all(beyond(model, other) for other in others)
        expected = "dominated" if by else "front" if free else "undecided"
        assert front.loc[model, "status"] == expected
        assert front.loc[model, "dominated_by"] == (", ".join(by) or None)


def test_a_model_that_is_better_in_both_dominates_and_equal_ones_are_undecided(result):
    front = result.pareto().set_index("model")
    assert front["status"].to_dict() == {
        "small": "undecided", "large": "front", "old": "dominated", "twin": "undecided",
        "slow": "undecided",
    }  # fmt: skip
    assert front.loc["old", "dominated_by"] == "small, twin, slow"
    # With a margin, the cheap model of much the same quality dominates the slow one.
    loose = result.pareto(margins={"correct": 0.2}).set_index("model")
    assert loose.loc["slow", "dominated_by"] == "small, twin"
    assert loose.loc["large", "status"] == "undecided"


def test_estimates_and_resamples_are_on_the_front_as_a_loop_finds(result):
    draws = result.bootstrap.draws * [1, -1]
    for values, column in (
        (result.bootstrap.point[None] * [1, -1], "on_front"),
        (draws, "p_front"),
    ):
        expected = np.ones(values.shape[:2])
        for k, rows in enumerate(values):
            for i, j in permutations(range(len(rows)), 2):
                if (rows[i] >= rows[j]).all() and (rows[i] > rows[j]).any():
                    expected[k, j] = 0
        assert result.pareto()[column].to_numpy(float) == pytest.approx(expected.mean(axis=0))


def test_equal_values_do_not_dominate_and_undefined_ones_are_on_no_front():
    values = [[[0.9, 1.0], [0.9, 1.0], [0.9, 0.5], [np.nan, 9.0]]]
    assert undominated(np.array(values)).tolist() == [[True, True, False, False]]


def test_all_pairs_and_metrics_are_one_family_whatever_the_comparison_corrects(result):
    for options in ({"correction": "none"}, {"family": "all"}, {"correction": "max-t"}):
        other = mc.compare(predictions(), n_resamples=499, **options)
        if options != {"correction": "max-t"}:  # whose p-values are of resamples
            pd.testing.assert_frame_equal(other.pareto(), result.pareto())
    assert not Front.of(result.evidence, None, None).better[0, 3].any()


def test_costs_that_are_equal_on_every_sample_are_not_worse_by_a_margin():
    scores = {
        model: {"correct": predictions().output(model).array[:, 0], "cost_usd": np.ones(400)}
        for model in ("large", "old")
    }
    found = mc.compare(mc.Predictions.from_scores(scores), n_resamples=99)
    assert found.pareto()["status"].tolist() == ["front", "undecided"]
    front = found.pareto(margins={"cost_usd": 0.02})
    assert front["status"].tolist() == ["front", "dominated"]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda r: r.pareto(["correct"]), "a front needs two metrics, such as accuracy and"),
        (lambda r: r.pareto(["correct", "cost"]), "`metrics` 'cost' is not here; there are corr"),
        (lambda r: r.pareto(margins={"cost": 1}), "`margins` 'cost' is not here; there are corr"),
        (lambda r: r.pareto(margins={"correct": -1}), "`margins` must be finite and at least 0"),
        (lambda r: r.pareto(margins={}), "`margins` is empty; give at least one"),
        (lambda r: r.plot.pareto(x="correct"), "a front needs two metrics"),
        (
            lambda _: mc.compare(predictions(99), baseline="old", n_resamples=99).pareto(),
            "a front needs all pairs of models; compare without `baseline`",
        ),
        (
            lambda _: mc.compare(
                mc.Predictions([0, 1] * 40, {"a": [0, 1] * 40, "b": [1, 1] * 40}),
                ["accuracy", "f1"], n_resamples=99,
            ).plot.pareto(),
            "f1 and accuracy have 3 values a model; compare averages, or one class",
        ),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_is_no_front_is_refused_in_words(result, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(result)


def test_the_figure_names_the_models_and_shades_what_the_front_dominates(result):
    (axes,) = result.plot.pareto(margins={"correct": 0.2}).axes
    assert axes.get_xlabel() == "cost_usd (lower is better)"
    assert axes.get_ylabel() == "correct (higher is better)"
    assert {text.get_text() for text in axes.texts} == {*SPEC}
    (region,) = axes.patches
    scores = result.bootstrap.point
    # The worst corner is in it, the best one is not.
    inside = region.get_path().contains_points(
        [(scores[:, 1].max(), scores[:, 0].min()), (scores[:, 1].min(), scores[:, 0].max())]
    )
    assert inside.tolist() == [True, False]
    many = {f"m{k:02d}": (0.4 + k / 50, 1.0 + k) for k in range(16)} | {"bad": (0.3, 30.0)}
    (axes,) = mc.compare(predictions(300, many), test="wald", n_resamples=99).plot.pareto().axes
    assert "bad" not in {text.get_text() for text in axes.texts}


def test_a_command_draws_it(tmp_path, capsys):
    long = pd.concat(
        pd.DataFrame(predictions().output(model).array, columns=["correct", "cost_usd"]).assign(
            model=model, item=range(400)
        )
        for model in SPEC
    )
    table, figure = tmp_path / "answers.csv", tmp_path / "front.png"
    long.to_csv(table, index=False)
    read = ["--read", "score=correct", "--read", "score=cost_usd", "--resamples", "99"]
    assert main(["compare", str(table), *read, "--plot", str(figure), "--figure", "pareto"]) == 0
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert main(["compare", str(table), *read, "--figure", "pareto"]) == 2
    assert "--figure is of --plot FILE; name the file." in capsys.readouterr().err


def test_a_front_needs_directions():
    rng = np.random.default_rng(0)
    scores = {m: {"wer": rng.random(40), "judge": rng.random(40)} for m in "ab"}
    found = mc.compare(mc.Predictions.from_scores(scores), n_resamples=99)
    with pytest.raises(ValueError, match=ASKED):
        found.pareto()
