"""Structure decides which columns name samples, runs and models, and is refused where it is doubtful."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from modelcompare.readers import checked_columns, read
from modelcompare.readers.messages import DoubtError
from tests.by_role import by_role
from tests.plugged import needs

RNG = np.random.default_rng(5)


def crossed(**columns):
    return pd.MultiIndex.from_product(columns.values(), names=[*columns]).to_frame(index=False)


def reading(frame, **options):
    return read(frame, checked_columns(**options))


PLACES = crossed(
    date=[f"2021-0{m}-01" for m in range(1, 7)], place=["DE", "FR", "IT"], model=["a", "b"]
)
PLACES["wis"] = RNG.gamma(2, size=len(PLACES)).round(4)


# -- samples under any name ------------------------------------------------------------------


def test_columns_that_name_the_samples_together_are_their_id():
    with pytest.warns(
        DataWarning, match=r"those of one date count as independent; .*--groups date"
    ):
        found = reading(PLACES.sample(frac=1, random_state=1))
    assert "id: column date+place (by its values)" in found.sentence
    pairs = PLACES.pivot(index=["date", "place"], columns="model", values="wis")
    ids = [", ".join(key) for key in pairs.index]
    preds = found.predictions
    order = [preds.ids.tolist().index(each) for each in ids]
    for model in ("a", "b"):
        np.testing.assert_array_equal(preds.output(model).array[order], pairs[model])
    grouped = mc.read_predictions(PLACES, columns={"groups": "place"})
    assert len({*grouped.groups}) == 3
    named = mc.read_predictions(PLACES, columns={"id": "place+date", "groups": "date+place"})
    assert len({*named.ids}) == len({*named.groups}) == 18


def test_columns_of_a_wide_table_that_are_named_as_one_id_propose_clusters():
    wide = PLACES.pivot(index=["place", "date"], columns="model", values="wis").reset_index()
    with pytest.warns(DataWarning, match=r"those of one date count as .*--groups date"):
        found = reading(wide, id="place+date", models=["a", "b"])
    assert len({*found.predictions.ids}) == 18


def test_no_column_more_than_needed_names_the_samples():
    frame = PLACES.assign(case=np.arange(len(PLACES)) // 2, horizon=1)
    assert "id: column case (by its values)" in reading(frame).sentence


def test_keys_of_different_samples_are_refused_with_the_option():
    # Each answer has a rank by a and one by b: either names every row beside the model.
    frame = crossed(number=range(12), model=["a", "b"])
    frame["place"] = np.where(frame["model"] == "a", frame["number"], (frame["number"] + 5) % 12)
    frame["place"] = "p" + frame["place"].astype(str)
    frame["wis"] = RNG.random(24)
    with pytest.raises(
        DoubtError, match="'number' and 'place' may both name the samples"
    ) as caught:
        mc.read_predictions(frame)
    assert caught.value.options == {"id": "number"}
    assert len(mc.read_predictions(frame, **by_role(caught.value.options))) == 12


def test_ranks_and_other_results_are_no_ids():
    frame = crossed(rank=range(1, 13), model=["a", "b"]).assign(dice=RNG.random(24))
    with pytest.raises(ValueError, match="no column names the samples"):
        mc.read_predictions(frame.rename(columns={"rank": "correct"}).assign(dice=frame["dice"]))
    assert (
        "rank" not in reading(frame.assign(case=np.arange(24) // 2)).sentence.partition("model:")[0]
    )


def test_a_key_that_some_model_lacks_is_no_structure():
    frame = PLACES.drop(index=PLACES.index[3])
    with pytest.raises(ValueError, match="no column names the samples"):
        mc.read_predictions(frame)


def test_numbers_that_all_models_share_describe_the_samples():
    frame = crossed(user=[f"u{i}" for i in range(12)], model=["a", "b"])
    frame["reviews"] = RNG.integers(5, 900, 12).repeat(2)
    frame["logloss"] = RNG.random(24).round(3)
    found = reading(frame)
    assert "scores: logloss; left out: 1 (reviews)" in found.sentence
    assert found.predictions.sample_weight is None
    weighed = mc.read_predictions(frame, columns={"weight": "reviews"})
    assert weighed.sample_weight is not None
    # Models may be equal in a score.
    with pytest.raises(ValueError, match="several columns of numbers"):
        mc.read_predictions(frame.rename(columns={"reviews": "f1"}))


def test_numbers_that_may_be_the_truth_of_others_are_refused_with_the_command():
    frame = crossed(shop=[f"s{i}" for i in range(12)], model=["a", "b"])
    frame["demand"] = RNG.normal(50, 9, 12).round(1).repeat(2)
    frame["forecast"] = (frame["demand"] + RNG.normal(size=24)).round(1)
    with pytest.raises(
        DoubtError, match="share the number in column 'demand', as they do"
    ) as caught:
        mc.read_predictions(frame)
    assert caught.value.options == {"true": "demand", "pred": "forecast"}
    found = mc.read_predictions(frame, **by_role(caught.value.options))
    values = mc.bootstrap(found, "mae", n_resamples=2).estimate.to_numpy().ravel()
    errors = (frame["forecast"] - frame["demand"]).abs().groupby(frame["model"]).mean()
    np.testing.assert_allclose(values, errors)


def test_rows_that_are_numbered_have_that_number_as_id():
    frame = pd.DataFrame({"query": range(3, 43), "fast": RNG.random(40), "slow": RNG.random(40)})
    assert "id: query (by its values); models: 2 (fast, slow)" in reading(frame).sentence
    # Whole scores, of a table sorted by them, are none.
    scores = np.sort(RNG.choice(10_000, 40, replace=False))
    with pytest.raises(ValueError, match="has another whole number in each row"):
        mc.read_predictions(frame.assign(query=scores))


# -- runs ------------------------------------------------------------------------------------


@needs("runs")
def test_items_of_any_name_that_repeat_in_each_run_are_samples():
    frame = crossed(scenario=[f"s{i}" for i in range(6)], run=[1, 2, 3])
    frame = frame.assign(old=RNG.random(18), new=RNG.random(18))
    found = reading(frame)
    assert "id: scenario (by its values); run: run; models: 2 (old, new)" in found.sentence
    assert len({*found.predictions.groups}) == 6
    with pytest.raises(ValueError, match="'run' is not named like a model"):
        mc.read_predictions(frame.iloc[:-1])


@needs("runs")
def test_one_model_in_several_runs_has_the_spread_of_its_runs():
    frame = crossed(case_name=[f"s{i}" for i in range(20)], trial=range(4))
    frame["reward"] = (RNG.random(80) < 0.6).astype(int)
    found = reading(frame)
    assert "run: trial (--read model=trial compares its runs); models: 1 (reward)" in found.sentence
    assert len({*found.predictions.runs}) == 4
    paired = mc.read_predictions(frame, columns={"model": "trial"})
    assert paired.models == ("0", "1", "2", "3")
    expected = frame.groupby("trial")["reward"].mean()
    np.testing.assert_allclose(
        mc.bootstrap(paired, n_resamples=2).estimate.to_numpy().ravel(), expected
    )


@needs("runs")
def test_trials_with_a_truth_of_their_own_repeat_nothing():
    frame = crossed(subject=[f"p{i}" for i in range(6)], trial=range(10))
    truth = RNG.integers(0, 2, 60)
    frame = frame.assign(y_true=truth, cnn=truth ^ (RNG.random(60) < 0.2))
    with pytest.raises(ValueError, match="'trial' has other values than 'y_true'"):
        mc.read_predictions(frame)
    same = frame.assign(y_true=(np.arange(60) // 10) % 2)
    assert "id: subject (by its values); run: trial" in reading(same).sentence


# -- sets ------------------------------------------------------------------------------------


def test_tasks_with_a_mark_of_each_attempt_are_items():
    frame = crossed(task=[f"t{i}" for i in range(10)], attempt=range(4), model=["a", "b"])
    frame["success"] = (RNG.random(80) < 0.5).astype(int)
    found = reading(frame)
    assert "id: column task (by its values); model: column model; scores: success; answer:" in (
        found.sentence
    )
    assert len({*found.predictions.groups}) == 10
    wide = frame.pivot(index=["task", "attempt"], columns="model", values="success").reset_index()
    np.testing.assert_array_equal(
        mc.read_predictions(wide).output("a").array, found.predictions.output("a").array
    )


def test_examples_of_a_data_set_are_no_attempts():
    frame = crossed(dataset=["x", "y", "z"], trial=range(20), model=["a", "b"])
    frame["y_true"] = RNG.integers(0, 2, 60).repeat(2)
    frame["y_pred"] = RNG.integers(0, 2, 120)
    with pytest.raises(ValueError, match="none for a sample"):
        mc.read_predictions(frame)


def test_mean_scores_of_data_sets_and_seeds_are_for_ranks():
    frame = crossed(dataset=["x", "y", "z"], seed=range(4), model=["a", "b"])
    with pytest.raises(ValueError, match="such scores are for `modelcompare ranks`"):
        mc.read_predictions(frame.assign(score=RNG.random(24)))


# -- models ----------------------------------------------------------------------------------


def test_agents_that_share_samples_are_models():
    frame = crossed(puzzle=[f"c{i}" for i in range(8)], agent=["aide", "mlab"])
    frame["medal"] = (RNG.random(16) < 0.4).astype(int)
    found = reading(frame)
    assert "model: column agent (by its values)" in found.sentence
    expected = frame.groupby("agent")["medal"].mean()
    values = mc.bootstrap(found.predictions, n_resamples=2).estimate.to_numpy().ravel()
    np.testing.assert_allclose(values, expected[[*found.predictions.models]])


def test_agents_that_answer_calls_are_no_models():
    truth = RNG.integers(0, 2, 90)
    frame = pd.DataFrame(
        {"y_true": truth, "cnn": truth ^ (RNG.random(90) < 0.1),
         "bow": truth ^ (RNG.random(90) < 0.3), "agent": np.resize(["ann", "bob", "eve"], 90)}
    )  # fmt: skip
    found = reading(frame)
    assert found.predictions.models == ("cnn", "bow")
    assert "left out: 1 (agent), see --slice agent" in found.sentence


def test_times_beside_a_truth_are_no_models_and_beside_numbers_alone_are_asked_about():
    truth = RNG.normal(size=40)
    frame = pd.DataFrame({"y_true": truth, "ridge": truth + RNG.normal(size=40)})
    frame["week"] = np.arange(40) % 9
    assert "models: 1 (ridge)" in reading(frame).sentence
    with pytest.raises(ValueError, match="'week' "):
        mc.read_predictions(frame.rename(columns={"y_true": "sales"}))
    with pytest.raises(ValueError, match="'week' is not named like a model"):
        mc.read_predictions(frame.rename(columns={"y_true": "sales"}).assign(week=range(40)))


# -- direction -------------------------------------------------------------------------------


def test_the_name_of_the_only_column_of_scores_gives_their_direction():
    frame = pd.DataFrame({"query": range(30), "latency_ms": RNG.random(30)})
    found = reading(frame)
    assert "direction: latency_ms: lower is better, by its name" in found.sentence
    assert (
        "direction: direction not known"
        in reading(frame.set_axis(["query", "cnn"], axis=1)).sentence
    )


# -- any long table --------------------------------------------------------------------------

KEYS = ("case", "place", "date", "turn", "sentence", "user", "index", "number", "year", "group")
VALUES = ("score", "wis", "logloss", "dice", "gain", "ndcg@10", "x")
SHARED = ("reviews", "demand", "size", "price", "difficulty", "n_items")


def long_table(rng):
    """Return a long table under any names, in any order, with its columns of keys, model, score."""
    n_keys = rng.integers(1, 4)
    keys, levels = [*map(str, rng.choice(KEYS, n_keys, replace=False))], {}
    for name in keys:
        n = int(rng.integers(3, 9) if n_keys > 1 else rng.integers(12, 30))
        numbers = rng.choice(200, n, replace=False).tolist()
        levels[name] = numbers if rng.random() < 0.5 else [f"{name} {i}" for i in numbers]
    runs = {str(rng.choice(["seed", "trial"])): [0, 1, 2]} if rng.random() < 0.3 else {}
    model = str(rng.choice(["model", "system", "agent", "variant", "who"]))
    frame = crossed(**levels, **runs, **{model: ["m0", "m1", "m2"][: rng.integers(2, 4)]})
    item = frame.groupby(keys, sort=False).ngroup().to_numpy()
    score = str(rng.choice(VALUES))
    frame[score] = rng.integers(0, 6, len(frame)) / rng.choice([1, 7])
    for name in rng.choice(SHARED, rng.integers(0, 3), replace=False):
        frame[name] = rng.normal(50, 9, item.max() + 1).round(2)[item]
    order = rng.permutation(frame.columns)
    return frame[order].sample(frac=1, random_state=rng), [*keys, *runs], model, score


@pytest.mark.filterwarnings("ignore::modelcompare.data.checks.DataWarning")
@pytest.mark.parametrize(
    "seeds",
    [
        range(0, 120, 4),
        pytest.param([seed for seed in range(120) if seed % 4], marks=pytest.mark.slow),
    ],
)
def test_any_long_table_is_read_right_or_refused(seeds):
    n_read = 0
    for seed in seeds:
        frame, key, model, score = long_table(np.random.default_rng(seed))
        try:
            preds = mc.read_predictions(frame)
        except ValueError:
            continue
        n_read += 1
        wide = frame.pivot(index=key, columns=model, values=score)
        assert sorted(preds.models) == [*wide.columns], seed
        assert len(preds) == len(wide), seed
        ours = {m: preds.output(m).array.ravel() for m in wide.columns}
        # Means, and the pairs of models' scores.
        for one in wide.columns:
            np.testing.assert_allclose(ours[one].mean(), wide[one].mean())
            np.testing.assert_allclose(
                np.sort(ours["m0"] - 9 * ours[one]), np.sort(wide["m0"] - 9 * wide[one]), atol=1e-9
            )
    assert n_read > len(seeds) / 5
