"""Battles as scores: strengths beside other programs, their errors beside loops, and what fails."""

import json
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special

import modelcompare as mc
from modelcompare.cli.app import main
from modelcompare.data.checks import DataWarning
from modelcompare.plugins.battles.influences import crossed
from modelcompare.plugins.battles.strengths import Battles, fit_strengths
from tests.plugged import needs

NAMES = np.array(["gpt", "llama", "yi", "phi", "qwen"])
STRENGTHS = np.array([1.0, 0.4, 0.0, -0.5, -0.9])


def drawn(seed=0, n=300, *, ties=False, n_users=20):
    """Draw battles between five models, with a question, a user and two lengths."""
    rng = np.random.default_rng(seed)
    a = rng.integers(5, size=n)
    b = (a + rng.integers(1, 5, size=n)) % 5
    lengths = rng.integers(20, 900, (2, n))
    eta = STRENGTHS[a] - STRENGTHS[b] + 0.3 + 0.001 * (lengths[0] - lengths[1])
    winner = np.where(rng.random(n) < special.expit(eta), "model_a", "model_b")
    if ties:
        winner = np.where(rng.random(n) < 0.25, "tie", winner)
    return pd.DataFrame({
        "model_a": NAMES[a], "model_b": NAMES[b], "winner": winner, "judge": rng.integers(n_users, size=n),
        "length_a": lengths[0], "length_b": lengths[1],
    })  # fmt: skip


TABLE, TIED = drawn(), drawn(1, ties=True)


def strengths(table, **options):
    """Return the strengths by model."""
    preds = mc.from_battles(table, **options)
    return dict(zip(preds.models, mc.bootstrap(preds, n_resamples=2).estimate, strict=True))


def by_scipy(table, effects=()):
    """Maximize Davidson's likelihood, or without ties Bradley and Terry's, by BFGS."""
    models = sorted({*table["model_a"]} | {*table["model_b"]})
    a, b = (table[side].map(models.index).to_numpy() for side in ("model_a", "model_b"))
    won, tied = (table["winner"] == "model_a").to_numpy(), (table["winner"] == "tie").to_numpy()
    x = np.array([*effects]).reshape(len(effects), len(table))

    def loss(theta):
        eta = theta[a] - theta[b] + theta[len(models) : -1] @ x
        tie = theta[-1] if tied.any() else -np.inf
        utility = np.where(tied, tie, np.where(won, eta, -eta) / 2)
        total = special.logsumexp([eta / 2, -eta / 2, np.full(len(a), tie)], axis=0)
        return (total - utility).sum() + theta[: len(models)].sum() ** 2

    start = np.zeros(len(models) + len(effects) + 1)
    found = optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-7}).x
    return dict(zip(models, found, strict=False)), found[len(models) : -1]


@pytest.mark.parametrize("table", [TABLE, TIED], ids=["won or lost", "with ties"])
def test_strengths_are_the_maximum_of_the_likelihood(table):
    expected, _ = by_scipy(table)
    assert strengths(table) == pytest.approx(expected, abs=1e-5)
    effects = np.ones(len(table)), (table["length_a"] - table["length_b"]) / 300
    expected, found = by_scipy(table, effects)
    adjusted = strengths(table, position=True, covariates="length")
    assert adjusted == pytest.approx(expected, abs=1e-5)
    name = mc.from_battles(table, position=True, covariates="length").name
    deviation = (table["length_a"] - table["length_b"]).std(ddof=0)
    assert f"; position (model a) {found[0]:+.3g} (" in name
    assert f", length {found[1] / 300 * deviation:+.3g} (" in name


def test_strengths_are_those_of_choix():
    choix = pytest.importorskip("choix")
    place = {name: at for at, name in enumerate(NAMES)}
    won = TABLE["winner"] == "model_a"
    winner, loser = (
        TABLE[one].where(won, TABLE[other]).map(place)
        for one, other in (("model_a", "model_b"), ("model_b", "model_a"))
    )
    data = [*zip(winner, loser, strict=True)]
    found = strengths(TABLE)
    for theirs in (
        choix.ilsr_pairwise(5, data, tol=1e-12), choix.opt_pairwise(5, data, alpha=0.0, tol=1e-10)
    ):  # fmt: skip
        assert [found[name] for name in NAMES] == pytest.approx(theirs - theirs.mean(), abs=1e-6)


def test_strengths_are_those_of_evalica():
    evalica = pytest.importorskip("evalica")
    sides = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y}
    found = evalica.bradley_terry(
        TABLE["model_a"], TABLE["model_b"], [*map(sides.get, TABLE["winner"])], tolerance=1e-12,
        limit=10_000,
    )  # fmt: skip
    theirs = np.log(found.scores)
    assert strengths(TABLE) == pytest.approx((theirs - theirs.mean()).to_dict(), abs=1e-6)


def sandwich(table, unit):
    """Compute the sandwich errors of the strengths, and pseudo-values, unit by unit."""
    place = {name: at for at, name in enumerate(NAMES)}
    found = np.array([strengths(table)[name] for name in NAMES])
    bread, rows = np.zeros((5, 5)), []
    for row in table.itertuples():
        x = np.zeros(5)
        x[place[row.model_a]], x[place[row.model_b]] = 1, -1
        p = special.expit(x @ found)
        bread += np.outer(x, x) * p * (1 - p)
        rows.append((x, row.winner == "model_a"))
    bread, pseudo, variance = np.linalg.pinv(bread), np.zeros((len(rows), 5)), np.zeros(5)
    for battles in table.groupby(unit).indices.values():
        moved = bread @ sum(rows[at][0] * (rows[at][1] - special.expit(rows[at][0] @ found))
                            for at in battles)  # fmt: skip
        variance += moved**2
        for at in battles:
            x, won = rows[at]
            pseudo[at] = len(rows) * bread @ x * (won - special.expit(x @ (found - moved)))
    return dict(zip(NAMES, np.sqrt(variance), strict=True)), found + pseudo - pseudo.mean(axis=0)


def errors(preds):
    """Return the standard errors by model."""
    found = mc.bootstrap(preds, n_resamples=2).standard_error()[:, 0]
    return dict(zip(preds.models, found, strict=True))


@pytest.mark.parametrize("unit", ["battle", "judge"])
def test_errors_are_those_of_the_sandwich_without_each_unit(unit):
    table = TABLE.assign(battle=range(len(TABLE)))
    preds = mc.from_battles(table, columns={"user": unit})
    own, pseudo = sandwich(table, unit)
    for name, expected in zip(NAMES, pseudo.T, strict=True):
        assert preds.output(name).array[:, 0] == pytest.approx(expected, abs=1e-7)
        # Units pull the fit towards them, so errors are larger than those of the whole fit.
        assert 1.0 < errors(preds)[name] / own[name] < (1.15 if unit == "judge" else 1.03)


def test_errors_are_near_those_of_fits_without_each_user():
    """The jackknife of refits, times 20 / 19: leaving out pseudo-values does so once more."""
    large = drawn(3, 2000)
    whole = {name: error * 0.95 for name, error in errors(mc.from_battles(large)).items()}
    left = pd.DataFrame([strengths(large[large["judge"] != user]) for user in range(20)])
    jackknife = np.sqrt(((left - left.mean()) ** 2).sum() * 19 / 20)
    assert whole == pytest.approx(jackknife.to_dict(), rel=0.01)


# -- properties -----------------------------------------------------------------------------------

seeds = st.integers(0, 10_000)


@settings(max_examples=8)
@given(seeds, st.booleans())
def test_sides_names_and_repetition_do_not_matter(seed, ties):
    table = drawn(seed, 120, ties=ties)
    found = mc.from_battles(table)
    flipped = table.rename(columns={"model_a": "model_b", "model_b": "model_a"}).replace(
        {"winner": {"model_a": "model_b", "model_b": "model_a"}}
    )
    assert strengths(flipped) == pytest.approx(strengths(table), abs=1e-8)
    assert errors(mc.from_battles(flipped)) == pytest.approx(errors(found), rel=1e-7)
    other = dict(zip(NAMES, np.roll(NAMES, 1), strict=True))
    renamed = strengths(table.replace({"model_a": other, "model_b": other}))
    assert {name: renamed[other[name]] for name in found.models} == pytest.approx(
        strengths(table), abs=1e-8
    )
    twice = pd.concat([table, table.assign(judge=table["judge"] + 100)])
    assert strengths(twice) == pytest.approx(strengths(table), abs=1e-8)
    half = {name: error / np.sqrt(2) for name, error in errors(found).items()}
    assert errors(mc.from_battles(twice)) == pytest.approx(half, rel=0.1)
    # The same users with all battles twice know no more.
    same = mc.from_battles(pd.concat([table, table]))
    assert errors(same) == pytest.approx(errors(found), rel=1e-7)


@settings(max_examples=15)
@given(seeds)
def test_influences_are_the_changes_without_a_battle(seed):
    rng = np.random.default_rng(seed)
    a = rng.integers(4, size=400)
    b = (a + rng.integers(1, 4, size=400)) % 4
    effects = {"x": rng.standard_normal(400)}
    battles = Battles((*"abcd",), a, b, rng.choice(3, 400, p=[0.5, 0.3, 0.2]), effects)
    found = fit_strengths(battles)
    fewer = fit_strengths(Battles(
        battles.models, a[1:], b[1:], battles.outcome[1:], {"x": effects["x"][1:]}
    ))  # fmt: skip
    change = np.append(found.strength - fewer.strength, found.effects - fewer.effects)
    influence = np.stack([found.influences.of(column) for column in range(5)], axis=1)
    assert change * 400 == pytest.approx(influence[0], rel=0.01, abs=0.05)
    assert influence.mean(axis=0) == pytest.approx(np.zeros(5), abs=1e-10)


# -- half wins, and what cannot be compared -------------------------------------------------------


def lossless(n=20):
    """Return battles in which phi always wins, and others win and lose."""
    rows = [("phi", "gpt", "a"), ("yi", "phi", "b"), ("gpt", "yi", "a"), ("gpt", "yi", "b")]
    return pd.DataFrame(rows * n, columns=["model_a", "model_b", "winner"])


def test_a_model_that_never_lost_gets_half_losses_by_leverage():
    with pytest.warns(DataWarning, match=r"^phi never lost to, or tied with, any of the others and "
                      r"gpt, yi never won against"):  # fmt: skip
        preds = mc.from_battles(lossless())
    found = dict(zip(preds.models, mc.bootstrap(preds, n_resamples=2).estimate, strict=True))
    # Leverages of the pairs, here by hand: with conductances 20, 20 and 40 between the models, the
    # resistance from phi to gpt is that of 20 beside 20 and 40 in a row, and so on; they sum to 2.
    of_phi, of_others = 20 / (20 + 40 / 3), 40 / (40 + 10)
    assert 2 * of_phi + of_others == pytest.approx(2)
    halves = {("gpt", "phi"): of_phi / 2, ("phi", "yi"): of_phi / 2, ("gpt", "yi"): of_others / 2}
    wins = {("phi", "gpt"): 20, ("phi", "yi"): 20, ("gpt", "yi"): 20, ("yi", "gpt"): 20}
    for (one, other), half in halves.items():
        for pair in ((one, other), (other, one)):
            wins[pair] = wins.get(pair, 0) + half

    def loss(theta):
        s = {"phi": theta[0], "gpt": theta[1], "yi": -theta[0] - theta[1]}
        return -sum(n * special.log_expit(s[one] - s[other]) for (one, other), n in wins.items())

    best = optimize.minimize(loss, np.zeros(2), options={"gtol": 1e-8}).x
    assert [found["phi"], found["gpt"]] == pytest.approx([*best], abs=1e-5)


def test_the_error_of_a_model_that_never_lost_is_that_of_half_losses():
    """Of two models and n wins: Haldane's logit of n + 1/2 and 1/2, and nearly its error."""
    table = pd.DataFrame({"model_a": ["x"] * 40, "model_b": ["y"] * 40, "winner": ["x"] * 40})
    with pytest.warns(DataWarning, match="x never lost to"):
        preds = mc.from_battles(table)
    result = mc.bootstrap(preds, n_resamples=2)
    gap = np.subtract(*result.estimate)
    assert gap == pytest.approx(np.log(40.5 / 0.5))
    error = 2 * result.standard_error()[0, 0]
    assert error == pytest.approx(np.sqrt(1 / 40.5 + 1 / 0.5), rel=0.03)


def test_ties_that_connect_do_not_bound_strengths_without_an_upset():
    rows = [("x", "y", "a")] * 9 + [("x", "y", "tie")] * 4
    with pytest.warns(DataWarning, match="no model lost to one that it won against"):
        mc.from_battles(pd.DataFrame(rows, columns=["model_a", "model_b", "winner"]))


def test_half_wins_are_added_only_where_there_is_no_maximum():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mc.from_battles(TABLE)
        mc.from_battles(pd.concat([lossless(), lossless()[:1].assign(winner="b")]))


def refused(match, table=TABLE, **options):
    with pytest.raises(ValueError, match=match):
        mc.from_battles(table, **options)


def test_sets_of_models_that_never_met_are_named():
    one = {"gpt", "yi"}
    apart = TABLE[TABLE["model_a"].isin(one) == TABLE["model_b"].isin(one)]
    refused(r"no battle connects phi, qwen, llama with gpt, yi, .*; add battles between", apart)


def test_winners_are_read_in_all_their_spellings():
    words = {"model_a": "A", "model_b": "model_b", "tie": "tie (bothbad)"}
    others = [
        TIED["winner"].replace(words), TIED["winner"].replace({"tie": "both_bad"}),
        TIED["winner"].map({"model_a": 1, "model_b": 0, "tie": 0.5}),
        TIED["winner"].map({"model_a": "1.0", "model_b": "0", "tie": "0.5"}),
        TIED["model_a"].where(TIED["winner"] == "model_a", TIED["model_b"])
        .where(TIED["winner"] != "tie", "tie"),
    ]  # fmt: skip
    expected = strengths(TIED)
    for other in others:
        assert strengths(TIED.assign(winner=other)) == pytest.approx(expected, abs=1e-12)


def test_other_winners_are_refused_with_their_rows():
    odd = TABLE["winner"].where(TABLE.index != 7, "neither")
    refused(r"column 'winner' has neither in 1 row \(row 7\); the winner is model_a, ",
            TABLE.assign(winner=odd))  # fmt: skip
    refused(r"column 'winner' is empty in 1 row \(row 7\)",
            TABLE.assign(winner=odd.replace("neither", None)))  # fmt: skip
    refused("a model meets itself in 300 rows", TABLE.assign(model_a="gpt", model_b="gpt"))
    other = TABLE.assign(winner=TABLE["winner"].where(TABLE.index != 3, "mistral"))
    refused("has mistral in 1 row", other)


def test_a_model_named_like_a_side_is_not_guessed():
    rows = [("b", "a", "a"), ("a", "b", "b")] * 4
    refused("column 'winner' has a in 4 rows",
            pd.DataFrame(rows, columns=["model_a", "model_b", "winner"]))  # fmt: skip
    named = pd.DataFrame(rows, columns=["model_a", "model_b", "winner"]).replace(
        {"winner": {"a": "model_a", "b": "model_b"}}
    )
    with pytest.warns(DataWarning, match="b never lost to"):
        assert strengths(named)["b"] > 1


def test_effects_that_are_not_determined_are_refused():
    always = np.where(TABLE["winner"] == "model_a", 1.0, -1.0)
    refused("'x' decides nearly every battle", TABLE.assign(x=always), covariates="x")
    refused("do not determine 'x' beside", TABLE.assign(x=0.0), covariates="x")
    pairs = TABLE[TABLE["model_a"] < TABLE["model_b"]]
    one = pairs[pairs["model_a"] == "gpt"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        refused(r"do not determine 'position \(model a\)' beside", one, position=True)
    refused("has no column 'width'", covariates="width")
    text = TABLE.assign(x=TABLE["length_a"].astype(str).where(TABLE.index > 0, "long"))
    refused(r"covariate 'x' has cells that are no numbers in 1 row \(row 0\)", text, covariates="x")


def test_ties_alone_and_no_battles_are_refused():
    refused("no battle was won", TIED.assign(winner="tie"))
    refused("there are 0 battles", TABLE[:0])
    refused("battles need three columns", TABLE.rename(columns={"winner": "vote"}))
    refused("has no column 'vote'", columns={"winner": "vote"})


def test_conversations_beside_the_battles_do_no_harm():
    talks = [[{"role": "user", "content": "why?"}] for _ in range(len(TABLE))]
    table = TABLE.assign(question_id=[f"{at:x}" for at in range(len(TABLE))], prompt=talks,
                         conversation_a=talks, openai_moderation=[{"flagged": False}] * len(TABLE))  # fmt: skip
    assert strengths(table) == pytest.approx(strengths(TABLE))
    refused("column 'prompt' contains lists or objects", table, columns={"item": "prompt"})


# -- users, items and baselines -------------------------------------------------------------------


def test_clusters_are_users_or_else_items_or_both():
    questions = TABLE.assign(question_id=np.arange(300) // 3)
    # Clusters of both kinds are known by those of which there are fewer.
    assert len({*mc.from_battles(questions).groups}) == 20
    few = questions.assign(judge=np.arange(300) % 7)
    with pytest.warns(DataWarning, match="those of one 'question_id' may be related as well"):
        assert len({*mc.from_battles(few).groups}) == 7
    assert len({*mc.from_battles(questions, columns={"item": "question_id"}).groups}) == 100
    assert len({*mc.from_battles(questions.drop(columns="judge")).groups}) == 100
    assert len({*mc.from_battles(questions.assign(judge="gpt-4")).groups}) == 100
    distinct = questions.assign(question_id=range(300)).drop(columns="judge")
    assert mc.from_battles(distinct).groups is None
    refused(r"column 'judge' is empty in 1 row \(row 0\)",
            TABLE.assign(judge=TABLE["judge"].where(TABLE.index > 0)))  # fmt: skip


def annotations():
    """Return battles of two models with a baseline on 50 instructions."""
    rng = np.random.default_rng(5)
    rows = [
        {"instruction": f"do {at}", "model_1": "base", "model_2": name,
         "winner": rng.choice(["model_a", "model_b", "tie"], p=shares)}
        for name, shares in (("x", [0.3, 0.6, 0.1]), ("y", [0.5, 0.4, 0.1])) for at in range(50)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_win_rates_against_a_baseline_are_means_by_item():
    table = annotations()
    preds = mc.from_battles(table, baseline="base")
    assert preds.models == ("x", "y")
    assert preds.access.scores.bounds == {"win_rate": (0.0, 1.0)}
    won = table["winner"].map({"model_a": 0, "tie": 0.5, "model_b": 1}).groupby(table["model_2"])
    assert mc.bootstrap(preds, n_resamples=2).estimate.tolist() == pytest.approx([*won.mean()])
    scores = won.apply(list)
    direct = mc.Predictions.from_scores({m: scores[m] for m in "xy"}, bounds=(0, 1))
    ours, theirs = (mc.compare(each, n_resamples=99, rng=0).scores for each in (preds, direct))
    assert ours["ci_low"].tolist() == theirs["ci_low"].tolist()
    # Judged twice, in both orders, an item has the mean of its battles.
    other = table.assign(model_1=table["model_2"], model_2="base", winner="tie")
    both = mc.from_battles(pd.concat([table, other]), baseline="base")
    expected = (np.array(direct.output("x").array) + 0.5) / 2
    assert both.output("x").array[:, 0].tolist() == pytest.approx(expected.tolist())


def test_win_rates_need_items_and_all_battles():
    table = annotations()
    refused("no column names the item of each", table.drop(columns="instruction"), baseline="base")
    refused("'y' has no battle against 'base' on 1 of 50 items", table[:-1], baseline="base")
    refused("unknown model 'bass'", table, baseline="bass")
    refused("win rates, which have no `position`", table, baseline="base", position=True)
    more = pd.concat([table, table[:5].assign(model_1="y")])
    with pytest.warns(DataWarning, match="5 battles without 'base' were left out"):
        mc.from_battles(more, baseline="base")


# -- questions and commands -----------------------------------------------------------------------


def test_questions_are_answered_as_for_any_scores():
    preds = mc.from_battles(drawn(3, 2000))
    result = mc.compare(preds, n_resamples=499, rng=0, correction="max-t")
    assert result.scores.loc[result.scores["rank"] == 1, "model"].tolist() == ["gpt"]
    assert (result.scores["metric"] == "strength").all()
    pair = {"baseline": "phi", "candidate": "gpt", "n_resamples": 199, "rng": 0}
    assert mc.decide(preds, **pair, margin=0.1, metric="strength").answer == "shown"
    assert mc.sample_size(preds, "gpt", "llama", metric="strength").n_samples > 10


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    large = drawn(3, 2000)
    large.to_csv("battles.csv", index=False)
    large.to_json("battles.jsonl", orient="records", lines=True)
    large.to_parquet("battles.parquet")
    return large


@pytest.mark.usefixtures("folder")
def test_commands_find_the_columns(capsys):
    screens = []
    for kind in ("csv", "jsonl", "parquet"):
        assert main(["compare", f"battles.{kind}", "--resamples", "99", "--seed", "0"]) == 0
        screen = capsys.readouterr()
        assert (
            "read battles: model_a against model_b; winner: winner; clusters: judge; models: 5"
        ) in screen.err
        screens.append(screen.out.split("\n", 1)[1])
    assert screens[0] == screens[1] == screens[2]
    gate = ["gate", "battles.csv", "--baseline", "phi", "--candidate", "gpt", "--margin", "0.1"]
    assert main([*gate, "--resamples", "199"]) == 0
    assert "gpt is non-inferior to phi" in capsys.readouterr().out


def test_other_columns_are_refused_with_the_right_command(folder, capsys):
    folder.rename(columns={"winner": "vote"}).to_csv("vote.csv", index=False)
    assert main(["compare", "vote.csv"]) == 2
    assert "--read battles=model_a,model_b,vote" in capsys.readouterr().err
    read = ["--read", "battles=model_a,model_b,vote"]
    assert main(["compare", "vote.csv", *read, "--resamples", "99"]) == 0
    folder.rename(columns={"model_a": "left", "model_b": "right"}).to_csv("sides.csv", index=False)
    capsys.readouterr()
    assert main(["compare", "sides.csv"]) == 2
    assert "--read battles=left,right,winner" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--true", "winner"], "for which true (--true) has no meaning; leave it out."),
        pytest.param(["--judge", "judge"], "battles of one judge are a cluster: columns={'groups': 'judge'} (--groups judge)", marks=needs("judges")),
        (["--slice", "judge"], "a subgroup needs a separate fit"),
        (["--kind", "scores"], "for which kind (--kind) has no meaning"),
        (["--read", "battles=model_a,model_b"], "`battles` (--read battles) must be three columns, as"),
    ],
)  # fmt: skip
def test_options_without_a_meaning_are_refused(option, message, capsys):
    assert main(["compare", "battles.csv", *option]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_models_are_kept_with_strengths_of_all_battles(capsys):
    args = ["compare", "battles.csv", "--model", "gpt", "--model", "yi", "--resamples", "99"]
    assert main([*args, "--format", "json"]) == 0
    whole = strengths(drawn(3, 2000))
    assert f"{whole['gpt'] - whole['yi']:.6f}"[:7] in capsys.readouterr().out


@needs("large")
def test_battles_are_read_whole(folder, capsys, monkeypatch):
    assert main(["compare", "battles.parquet", "--read", "scan"]) == 2
    assert "battles.parquet has battles, whose strengths need all rows" in capsys.readouterr().err
    folder.to_csv("more.csv", index=False)
    assert main(["compare", "battles.csv", "more.csv"]) == 2
    assert "put all battles into one file" in capsys.readouterr().err
    # Files that would be scanned for their size are read whole, too.
    monkeypatch.setattr("modelcompare.plugins.large.planning.is_large", lambda _: True)
    assert main(["compare", "battles.parquet", "--resamples", "99"]) == 0
    assert "read battles: model_a against model_b" in capsys.readouterr().err


def test_tables_of_models_are_no_battles():
    opposed = pd.DataFrame({"y_true": [*"uv"] * 6, "model_a": [*"uv"] * 6, "model_b": [*"vu"] * 6})
    assert len(mc.read_predictions(opposed).models) == 2
    wide = pd.DataFrame({"y_true": ["u", "v"] * 6, "model_a": ["u"] * 12, "model_b": ["v"] * 12})
    assert mc.read_predictions(wide).access.kinds == {"model_a": "labels", "model_b": "labels"}


def covariance(influence, codes):
    sums = pd.DataFrame(influence).groupby(codes).sum().to_numpy()
    return sums.T @ sums * len(sums) / (len(sums) - 1)


def test_errors_by_users_and_items_are_those_of_cameron_gelbach_and_miller():
    rng = np.random.default_rng(0)
    users, items = rng.integers(0, 12, 900), rng.integers(0, 30, 900)
    influence = rng.normal(size=(900, 4)) + rng.normal(size=(12, 4))[users]
    influence += rng.normal(size=(30, 4))[items]
    influence -= influence.mean(axis=1, keepdims=True)  # strengths sum to 0
    parts = [covariance(influence, codes) for codes in (users, items, users * 30 + items)]
    found = covariance(influence @ crossed(*parts), users)
    assert found == pytest.approx(parts[0] + parts[1] - parts[2], abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_no_error_by_both_is_below_that_by_one_kind(seed):
    rng = np.random.default_rng(seed)
    users, items = rng.integers(0, 12, 200), rng.integers(0, 30, 200)
    influence = rng.normal(size=(200, 3)) * (1 + 3 * (users[:, None] == 0))
    parts = [covariance(influence, codes) for codes in (users, items, users * 30 + items)]
    found = covariance(influence @ crossed(*parts), users)
    for codes in (users, items):
        rest = np.linalg.eigvalsh(found - covariance(influence, codes))
        assert rest.min() > -1e-9 * np.abs(found).max()


def test_battles_are_counted_as_battles_and_strengths_explained(tmp_path, capsys):
    path = tmp_path / "battles.csv"
    TABLE.drop(columns="judge").to_csv(path, index=False)
    assert main(["compare", str(path), "--resamples", "99"]) == 0
    shown = capsys.readouterr().out
    assert "300 battles" in shown
    assert "Strength in log-odds" in shown
    gate = ["gate", str(path), "--baseline", *mc.from_battles(path).models[:1], "--candidate"]
    main([*gate, mc.from_battles(path).models[1], "--rule", "strength:-9"])
    assert "(300 battles, one-sided alpha" in capsys.readouterr().out


def test_scores_of_users_that_are_named_like_those_of_battles_are_plain_scores():
    scores = {"a": {"strength": [0.1, 0.5, 0.4]}, "b": {"strength": [0.3, 0.2, 0.9]}}
    own = mc.compare(mc.Predictions.from_scores(scores, greater_is_better=True), n_resamples=20)
    rows = [{"model_a": "a", "model_b": "b", "winner": w} for w in ("a", "b", "a", "tie")]
    fought = mc.compare(mc.from_battles(pd.DataFrame(rows)), n_resamples=20)
    info = own.evidence.metric_info["strength"], fought.evidence.metric_info["strength"]
    assert "log-odds" not in info[0].description
    assert "log-odds" in info[1].description


@pytest.mark.parametrize(
    ("question", "what"),
    [
        (lambda p: mc.compare(p, "p95", n_resamples=20), "'strength_p95'"),
        pytest.param(
            lambda p: mc.bootstrap(p, "best_of_2", n_resamples=2),
            "'best_of_2'",
            marks=needs("answers"),
        ),
        (lambda p: mc.bootstrap(p, lambda *x: np.median(x[1]), n_resamples=2), "'<lambda>'"),
        (lambda p: mc.decide(p, "gpt", "yi", "strength_p50", margin=0.1), "'strength_p50'"),
        pytest.param(
            lambda p: mc.diagnostics.disagreements(p, "gpt", "yi"),
            "a list of disagreements",
            marks=needs("agreement"),
        ),
        pytest.param(
            lambda p: mc.inference.omnibus_test(p, "strength", method="friedman"),
            "an omnibus test",
            marks=needs("omnibus"),
        ),
        pytest.param(
            lambda p: mc.inference.unpaired_test(p["gpt"], p["yi"], "strength"),
            "an unpaired test",
            marks=needs("unpaired"),
        ),
        pytest.param(
            lambda p: mc.paired_test(p, "gpt", "yi", "strength", method="wilcoxon"),
            "'wilcoxon'",
            marks=needs("classical"),
        ),
        pytest.param(
            lambda p: mc.paired_test(p, "gpt", "yi", "strength", method="sign"),
            "'sign'",
            marks=needs("classical"),
        ),
    ],
)
def test_pseudo_values_are_no_scores_of_single_battles(question, what):
    preds = mc.from_battles(TABLE.drop(columns="judge"))
    with pytest.raises(ValueError, match=f"{what} cannot be of scores of battles.* by strength"):
        question(preds)


@needs("classical")
def test_means_of_pseudo_values_are_strengths():
    preds = mc.from_battles(TABLE.drop(columns="judge"))
    assert mc.list_metrics(preds)["metric"].tolist() == ["mean_score"]
    by_name, by_metric = (
        mc.bootstrap(preds, metric, n_resamples=2).estimate.tolist()
        for metric in ("strength", mc.get_metric("mean_score"))
    )
    assert by_name == pytest.approx(by_metric)
    assert mc.paired_test(preds, "gpt", "yi", "strength", method="t").p_value < 0.05
    with pytest.raises(ValueError, match=r"no score 'accuracy'; the models have strength\.$"):
        mc.compare(preds, "accuracy")


@needs("agreement")
def test_win_rates_are_scores_of_single_items():
    fought = {"question_id": [*range(6)] * 2, "model_a": "gpt", "model_b": ["yi"] * 6 + ["phi"] * 6}
    table = pd.DataFrame({**fought, "winner": [*"abaabb", *"aabaab"]})
    preds = mc.from_battles(table, baseline="gpt")
    assert len(mc.diagnostics.disagreements(preds, "yi", "phi").table) == 3
    assert mc.bootstrap(preds, "p50", n_resamples=2).estimate.tolist() == [0.5, 0.0]


# -- weights and strata ---------------------------------------------------------------------------

WEIGHED = TABLE.assign(
    weight=np.random.default_rng(5).choice([0.5, 1.0, 2.5], len(TABLE)),
    language=np.random.default_rng(6).integers(3, size=len(TABLE)),
)


def weighted_sandwich(table, unit):
    """Return the sums of w x (y - p) over each unit at the fit without it, by model."""
    place = {name: at for at, name in enumerate(NAMES)}
    found = strengths(table, columns={"user": unit, "weight": "weight"})
    found = np.array([found[name] for name in NAMES])
    bread, rows = np.zeros((5, 5)), []
    for row in table.itertuples():
        x = np.zeros(5)
        x[place[row.model_a]], x[place[row.model_b]] = 1, -1
        p = special.expit(x @ found)
        bread += row.weight * np.outer(x, x) * p * (1 - p)
        rows.append((row.weight, x, row.winner == "model_a"))
    score = sum(w * x * (won - special.expit(x @ found)) for w, x, won in rows)
    assert score == pytest.approx(0, abs=1e-8)
    bread, sums = np.linalg.pinv(bread), []
    for battles in table.groupby(unit).indices.values():
        of = [rows[at] for at in battles]
        moved = bread @ sum(w * x * (won - special.expit(x @ found)) for w, x, won in of)
        sums.append(
            bread @ sum(w * x * (won - special.expit(x @ (found - moved))) for w, x, won in of)
        )
    return dict(zip(NAMES, np.transpose(sums), strict=True))


@pytest.mark.parametrize("unit", ["battle", "judge"])
def test_weighted_errors_are_those_of_a_loop_over_units(unit):
    table = WEIGHED.assign(battle=range(len(TABLE)))
    preds = mc.from_battles(table, columns={"user": unit, "weight": "weight"})
    of = table.groupby(unit)["weight"].sum() / table["weight"].sum()
    for name, own in weighted_sandwich(table, unit).items():
        # Errors are about the weighted mean of the influences.
        centred = own - of.to_numpy() * own.sum()
        expected = np.sqrt(centred @ centred * len(of) / (len(of) - 1))
        assert errors(preds)[name] == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("table", [TABLE, TIED], ids=["wins", "ties"])
def test_whole_weights_are_repeated_battles(table):
    times = np.random.default_rng(2).integers(1, 4, len(table))
    repeated = table.loc[np.repeat(table.index, times)].reset_index(drop=True)
    weighed = strengths(table.assign(times=times), columns={"weight": "times"})
    assert weighed == pytest.approx(strengths(repeated), abs=1e-8)
    in_other_units = strengths(table.assign(times=times / 700), columns={"weight": "times"})
    assert in_other_units == pytest.approx(weighed, abs=1e-10)
    ones = mc.from_battles(table.assign(times=3.0), columns={"weight": "times"})
    assert errors(ones) == pytest.approx(errors(mc.from_battles(table)), rel=1e-9)


def test_weighted_errors_are_near_those_of_weighted_fits_without_each_user():
    large = drawn(3, 2000)
    large["weight"] = np.random.default_rng(7).choice([0.5, 1.0, 2.5], 2000)
    given_weight = {"columns": {"weight": "weight"}}
    whole = {n: e * 0.95 for n, e in errors(mc.from_battles(large, **given_weight)).items()}
    left = [strengths(large[large["judge"] != user], **given_weight) for user in range(20)]
    left = pd.DataFrame(left)
    jackknife = np.sqrt(((left - left.mean()) ** 2).sum() * 19 / 20)
    assert whole == pytest.approx(jackknife.to_dict(), rel=0.05)


def test_a_model_that_never_lost_has_halves_in_any_unit_of_weight():
    with pytest.warns(DataWarning, match="never lost"):
        whole, *weighed = (
            errors(mc.from_battles(lossless().assign(w=unit), columns=columns))
            for columns, unit in ((None, 1.0), ({"weight": "w"}, 1.0), ({"weight": "w"}, 40.0))
        )
    for found in weighed:
        assert found == pytest.approx(whole, rel=1e-9)


def test_battles_of_weight_0_are_left_out_and_negative_ones_refused():
    table = WEIGHED.assign(weight=np.where(np.arange(len(TABLE)) % 3, WEIGHED["weight"], 0.0))
    with pytest.warns(DataWarning, match="left out 100 of 300 battles, whose weight is 0"):
        preds = mc.from_battles(table, columns={"weight": "weight"}, position=True)
    kept = mc.from_battles(table[table["weight"] > 0], columns={"weight": "weight"}, position=True)
    assert (len(preds), errors(preds)) == (200, pytest.approx(errors(kept)))
    assert preds.name == kept.name
    refused(
        "`sample_weight` is negative", WEIGHED.assign(weight=-1.0), columns={"weight": "weight"}
    )
    refused("weight 'winner' has cells that are no numbers", columns={"weight": "winner"})
    refused("has no column 'mass'", columns={"weight": "mass"})
    with pytest.raises(ValueError, match="a mean without weights cannot be of scores of battles"):
        preds.with_columns(sample_weight=None)


def test_strata_and_weights_of_a_command_are_those_of_python(tmp_path, capsys):
    path = tmp_path / "weighed.csv"
    WEIGHED.drop(columns="judge").to_csv(path, index=False)
    read = ["--read", "strata=language", "--read", "weight=weight", "--resamples", "400"]
    assert main(["compare", str(path), *read, "--format", "json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    preds = mc.from_battles(str(path), columns={"strata": "language", "weight": "weight"})
    own = mc.compare(preds, n_resamples=400, rng=0).scores
    assert [row["ci_low"] for row in scores] == pytest.approx(own["ci_low"].tolist())
    # Strata of who meets whom leave less to chance.
    alone = WEIGHED.drop(columns="judge").assign(pair=WEIGHED["model_a"] + WEIGHED["model_b"])
    by_pair = mc.from_battles(alone, columns={"strata": "pair"})
    assert errors(by_pair)["gpt"] != pytest.approx(errors(mc.from_battles(alone))["gpt"], rel=1e-3)


def test_win_rates_take_weights_of_items():
    fought = {"question_id": [*range(6)] * 2, "model_a": "gpt", "model_b": ["yi"] * 6 + ["phi"] * 6}
    table = pd.DataFrame(
        {**fought, "winner": [*"abaabb", *"aabaab"], "weight": [1.0, 2, 3, 1, 1, 2] * 2}
    )
    preds = mc.from_battles(table, baseline="gpt", columns={"weight": "weight"})
    assert preds.sample_weight.tolist() == [1, 2, 3, 1, 1, 2]
    found = mc.bootstrap(preds, n_resamples=2).estimate.tolist()
    assert sorted(found) == pytest.approx([0.5, 0.5])
    table.loc[0, "weight"] = 9.0
    refused(
        "battles of item 0 differ in `sample_weight`",
        table,
        baseline="gpt",
        columns={"weight": "weight"},
    )


# -- many battles ---------------------------------------------------------------------------------


def many(n, n_models, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.integers(n_models, size=n)
    b = (a + rng.integers(1, n_models, size=n)) % n_models
    names = np.array([f"m{k:03}" for k in range(n_models)], dtype=object)
    winner = rng.choice(np.array(["model_a", "model_b", "tie"], dtype=object), n, p=[0.5, 0.3, 0.2])
    return pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": winner})


@pytest.mark.parametrize("ties", [True, False])
def test_battles_of_a_kind_have_the_scores_of_single_battles(ties):
    table = many(2_000, 7)
    table = table if ties else table[table["winner"] != "tie"]
    # Of battles with weights each is computed by itself.
    alone = mc.from_battles(table.assign(weight=3.0), columns={"weight": "weight"})
    found = mc.from_battles(table)
    for model in found.models:
        scores = found.output(model).array
        assert scores == pytest.approx(alone.output(model).array, rel=1e-12, abs=1e-12)
        assert (found.output(model).rows(slice(5, 90)).array == scores[5:90]).all()
        assert (
            found.subset(scores[:, 0] > 0).output(model).array == scores[scores > 0][:, None]
        ).all()


def test_many_battles_of_many_models_take_no_matrix_of_both():
    table = many(100_000, 150)
    tracemalloc.start()
    found = mc.from_battles(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(found), len(found.models)) == (100_000, 150)
    assert peak < 8 * len(found) * len(found.models) / 2
