"""Costs of decisions: their mean by a loop, and what is no table of costs."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.cli.app import main


def table():
    return pd.DataFrame([[0, 5, 2], [1, 0, 1], [9, 1, 0]], index=[*"xyz"], columns=[*"xyz"])


def labelled(seed=0, n=200):
    rng = np.random.default_rng(seed)
    y = rng.choice([*"zyx"], n)
    p = rng.dirichlet([1, 1, 1], n) + 1.5 * (y[:, None] == np.array([*"xyz"]))
    return y, p / p.sum(axis=1, keepdims=True)


def test_the_mean_cost_is_that_of_a_loop():
    y, p = labelled()
    costs = table()
    metric = mc.metrics.cost(costs)
    preds = mc.Predictions(y, {"a": p}, labels=[*"xyz"])
    said = np.array([*"xyz"])[p.argmax(axis=1)]
    expected = np.mean([costs.loc[true, named] for true, named in zip(y, said, strict=True)])
    assert mc.bootstrap(preds, metric, n_resamples=2).estimate.item() == pytest.approx(expected)
    soft = np.mean([costs.loc[true].to_numpy() @ row for true, row in zip(y, p, strict=True)])
    found = mc.bootstrap(preds, metric.soft, n_resamples=2).estimate.item()
    assert found == pytest.approx(soft)
    turned = mc.Predictions(y, {"a": p[:, ::-1]}, labels=[*"zyx"])
    assert mc.bootstrap(turned, metric, n_resamples=2).estimate.item() == pytest.approx(expected)
    unweighted = mc.metrics.cost(1 - np.eye(3) + pd.DataFrame(0, [*"xyz"], [*"xyz"]))
    loss = mc.bootstrap(preds, [unweighted, "zero_one_loss"], n_resamples=2).estimate
    assert loss.iloc[0] == pytest.approx(loss.iloc[1])


def test_costs_from_a_file_and_of_pairs(tmp_path, capsys):
    path = tmp_path / "costs.csv"
    table().to_csv(path)
    y, p = labelled()
    preds = mc.Predictions(y, {"a": p, "b": p[::-1]}, labels=[*"xyz"])
    pairs = {(i, j): table().loc[i, j] for i in "xyz" for j in "xyz" if i != j}
    made = [mc.metrics.cost(path), mc.metrics.cost(pairs), mc.metrics.load_metric(f"{path}:cost")]
    values = [mc.bootstrap(preds, metric, n_resamples=2).estimate.tolist() for metric in made]
    assert values[0] == values[1] == values[2]
    assert made[0].bounds == (0.0, 9.0)
    said = np.array([*"xyz"])[p.argmax(axis=1)]
    pd.DataFrame({"y_true": y, "a": said, "b": said[::-1]}).to_csv(tmp_path / "t.csv", index=False)
    asked = ("compare", tmp_path / "t.csv", "--metric-from", f"{path}:money", "--resamples", "99")
    assert main([*map(str, asked)]) == 0
    assert "money (lower is better)" in capsys.readouterr().out


def test_a_gate_allows_for_costly_mistakes_that_were_not_seen():
    y = np.repeat(["x", "y", "z"], 100)
    preds = mc.Predictions(y, {"a": y, "b": y})
    metric = mc.metrics.cost(table())
    assert not mc.decide(preds, "a", "b", metric, margin=0.05).passed
    assert mc.decide(preds, "a", "b", metric, margin=0.5).passed


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (table().rename(columns={"x": "w"}), "must have the same classes"),
        (table().loc[[*"xyzx"]], "must have the same classes"),
        (table().loc[["x"], ["x"]], "must have the same classes"),
        (table().astype(object).replace(9, "high"), "must be numbers that are not all equal"),
        (table().replace(9, np.inf), "must be numbers that are not all equal"),
        (table() * 0 + 1, "must be numbers that are not all equal"),
        ({"x": 1}, "must be a table"),
    ],
    ids=["another class", "a class twice", "one class", "a text", "infinite", "all equal", "none"],
)
def test_tables_that_are_no_costs_are_refused(costs, message):
    with pytest.raises((ValueError, TypeError), match=message):
        mc.metrics.cost(costs)


def test_classes_without_a_cost_are_refused():
    metric = mc.metrics.cost({("x", "y"): 1, ("y", "x"): 2})
    y, p = labelled()
    with pytest.raises(ValueError, match="no class 'z'"):
        mc.compare(mc.Predictions(y, {"a": p, "b": p}, labels=[*"xyz"]), metric)
    with pytest.raises(ValueError, match="needs classes"):
        mc.compare(mc.Predictions.from_scores({"a": [0, 1], "b": [1, 1]}), metric)


def test_a_pair_of_costs_with_a_misspelt_class_is_refused():
    truth = np.array(["refused", "granted"] * 60)
    preds = mc.Predictions(truth, {"a": np.where(np.arange(120) % 5 == 0, truth[::-1], truth)})
    pairs = {("refused", "granted"): 5, ("granted", "refused"): 1}
    # 12 mistakes of each pair.
    assert mc.bootstrap(preds, mc.metrics.cost(pairs), n_resamples=2).estimate.item() == 0.6
    misspelt = mc.metrics.cost({("refused", "grantd"): 5, ("granted", "refused"): 1})
    text = "`costs` has pairs of the class 'grantd', and the classes are granted, refused; correct"
    for ask in (mc.compare, mc.bootstrap):
        with pytest.raises(ValueError, match=text):
            ask(preds, misspelt, n_resamples=2)
