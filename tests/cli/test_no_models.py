"""Columns that are no models: refused with a command that works, or named beside the reading."""

import shlex

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, mean_squared_error
from statsmodels.stats.inter_rater import cohens_kappa

import modelcompare as mc
from modelcompare.comparison.compare_groups import MIN_SIZE
from modelcompare.readers import checked_columns, read
from modelcompare.readers.messages import DoubtError
from modelcompare.readers.profile import agree_by_chance
from modelcompare.readers.unused import LEAST_SLICE
from tests.by_role import by_role
from tests.plugged import needs

N = 120
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, N)
GOOD = {"cnn": TRUTH ^ (RNG.random(N) < 0.1), "bert": TRUTH ^ (RNG.random(N) < 0.2)}
REAL = RNG.normal(size=N).round(3)
NEAR = {
    "cnn": (REAL + RNG.normal(0, 0.1, N)).round(3),
    "bert": (REAL + RNG.normal(0, 1, N)).round(3),
}


def refused(frame, **options):
    with pytest.raises(ValueError, match=r" Try: ") as caught:
        mc.read_predictions(frame, **options)
    return caught.value


def advised(frame, tmp_path, run, *more):
    """Return the answer to the command that a refusal of the table prints, and what was read."""
    frame.to_csv(tmp_path / "t.csv", index=False)
    asked = run("compare", "t.csv")
    assert asked.code == 2
    command = shlex.split(asked.err.partition(" Try: modelcompare ")[2])
    done = run(*command, "--resamples", "99", *more)
    assert done.code == 0, done.err
    return command, done


# -- a truth among its predictions -----------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["exp", "measured", "observed", "gt", "actual", "reference", "y", "price"]
)
def test_measured_values_are_no_model_of_themselves(name):
    error = refused(pd.DataFrame({name: REAL, **NEAR}))
    assert isinstance(error, DoubtError)
    assert error.options == {"true": name, "models": ["cnn", "bert"]}
    preds = mc.read_predictions(pd.DataFrame({name: REAL, **NEAR}), **by_role(error.options))
    found = mc.bootstrap(preds, "rmse", n_resamples=2).estimate.to_numpy().ravel()
    expected = [mean_squared_error(REAL, each) ** 0.5 for each in NEAR.values()]
    np.testing.assert_allclose(found, expected)


@needs("suites", "page")
@needs("large")
def test_every_road_refuses_a_measured_column(tmp_path, run):
    frame = pd.DataFrame({"exp": REAL, **NEAR})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_parquet(tmp_path / "u.parquet")
    with pytest.raises(DoubtError, match=r"\(--true exp --model cnn --model bert\)"):
        mc.io.scan_predictions(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"'exp' is named like the truth"):
        mc.io.read_sets([tmp_path / "t.parquet", tmp_path / "u.parquet"])
    gated = ("--baseline", "bert", "--candidate", "cnn", "--superior", "--higher-is-better")
    for command in (
        ("compare", "t.parquet"), ("compare", "t.parquet", "--read", "scan"),
        ("groups", "t.parquet", "u.parquet"), ("report", "t.parquet"),
        ("sample-size", "t.parquet"),
    ):  # fmt: skip
        done = run(*command)
        assert (done.code, done.out) == (2, "")
        assert "'exp' is named like the truth" in done.err
    # Models that are named are these.
    assert run("gate", "t.parquet", *gated).code != 2


def test_a_truth_of_0_and_1_is_no_model_either():
    for name in ("gt", "observed", "is_fraud", "has_disease"):
        error = refused(pd.DataFrame({name: TRUTH, **GOOD}))
        assert error.options == {"true": name, "models": ["cnn", "bert"]}


def test_a_column_beside_predictions_may_be_their_truth(tmp_path, run):
    frame = pd.DataFrame({"complex": [f"c{i // 3}" for i in range(N)], "ddg": REAL,
                          "prediction_oof": NEAR["cnn"]})  # fmt: skip
    command, done = advised(frame, tmp_path, run)
    assert command[2:] == ["--true", "ddg", "--model", "prediction_oof"]
    assert "models: 1 (prediction_oof)" in done.read
    frame.insert(1, "charge", RNG.random(N).round(3))
    assert advised(frame, tmp_path, run)[0] == command


def test_quantities_beside_scores_are_no_truth(tmp_path, run):
    frame = pd.DataFrame({"a": RNG.random(N), "b": RNG.random(N), "price": RNG.random(N)})
    assert advised(frame, tmp_path, run)[0][2:] == ["--model", "a", "--model", "b"]


# -- scores, indices and properties -----------------------------------------------------------


def test_columns_of_different_scores_are_scores_of_one_model(tmp_path, run):
    scores = ["faithfulness", "answer_relevancy", "context_recall"]
    frame = pd.DataFrame(RNG.random((N, 3)).round(3), columns=scores)
    frame.insert(0, "user_input", [f"question {i}?" for i in range(N)])
    command, _ = advised(frame, tmp_path, run)
    assert command[2:] == [word for name in scores for word in ("--read", f"score={name}")]
    preds = mc.read_predictions(tmp_path / "t.csv", columns={"score": scores})
    assert preds.models == ("t",)
    found = mc.bootstrap(preds, scores, n_resamples=2).estimate.to_numpy().ravel()
    np.testing.assert_allclose(found, frame[scores].mean())


@pytest.mark.parametrize(
    "names", [("score_a", "score_b"), ("f1_cnn", "f1_map"), ("focal_loss", "dice_loss", "ce_loss")]
)
def test_models_whose_names_share_a_score_are_models(names):
    frame = pd.DataFrame(RNG.random((N, len(names))), columns=names)
    assert mc.read_predictions(frame).models == names


def test_numbers_of_samples_are_no_model(tmp_path, run):
    frame = pd.DataFrame({"sample": np.arange(N) % 4, "a": RNG.random(N), "b": RNG.random(N)})
    for first in (0, 1):
        command, done = advised(frame.assign(sample=frame["sample"] + first), tmp_path, run)
        assert command[2:] == ["--model", "a", "--model", "b", "--slice", "sample"]
        assert "models: 2 (a, b)" in done.read
    stars = frame.assign(a=frame["sample"] + 1, b=3 - frame["sample"])
    assert mc.read_predictions(stars, kind="scores").models == ("sample", "a", "b")


@pytest.mark.parametrize("name", ["is_weekend", "has_image", "female", "wasRepeated"])
def test_a_property_of_samples_is_left_out(name):
    frame = pd.DataFrame({"y_true": TRUTH, **GOOD, name: np.arange(N) % 7 < 2})
    found = read(frame, checked_columns())
    assert found.predictions.models == ("cnn", "bert")
    assert f"left out: 1 ({name})" in found.sentence
    assert mc.read_predictions(frame, models=["cnn", name]).models == ("cnn", name)
    # Without a truth it might be the truth, unless no column predicts it.
    error = refused(frame.drop(columns="y_true"))
    assert error.options == {"models": ["cnn", "bert"]}


def test_names_that_begin_like_a_property_are_models():
    frame = pd.DataFrame({"y_true": TRUTH, "island": GOOD["cnn"], "hasher": GOOD["bert"]})
    assert mc.read_predictions(frame).models == ("island", "hasher")
    assert mc.read_predictions(pd.DataFrame(GOOD)).models == ("cnn", "bert")


def test_codes_that_the_truth_lacks_are_of_another_thing(tmp_path, run):
    frame = pd.DataFrame({"true_label": TRUTH, "predicted_label": GOOD["cnn"],
                          "assigned_model": np.arange(N) % 4, "complexity": REAL})  # fmt: skip
    command, done = advised(frame, tmp_path, run, "-m", "accuracy")
    assert command[2:] == ["--model", "predicted_label", "--slice", "assigned_model"]
    expected = accuracy_score(TRUTH, GOOD["cnn"])
    assert f"accuracy: predicted_label scores {expected:.3f}" in done.out
    unnamed = frame.rename(columns={"predicted_label": "cnn"}).drop(columns="complexity")
    assert refused(unnamed).options["models"] == ["cnn"]


def test_a_class_that_the_truth_lacks_is_an_output_where_the_others_are_right():
    frame = pd.DataFrame({"y_true": TRUTH, **GOOD}).astype(str)
    frame.loc[:4, "bert"] = "2"
    assert mc.read_predictions(frame).models == ("cnn", "bert")


def test_real_numbers_beside_labels_are_asked_about():
    frame = pd.DataFrame({"y_true": TRUTH, **GOOD, "complexity": REAL})
    error = refused(frame)
    assert "'complexity' has real numbers beyond [0, 1] where others have labels" in str(error)
    named = mc.read_predictions(frame.assign(complexity=RNG.random(N)))
    assert named.output("complexity").kind == "probabilities"


def test_numbers_beside_those_named_like_predictions_are_asked_about():
    frame = pd.DataFrame({"y_true": REAL, "pred_a": NEAR["cnn"], "pred_b": NEAR["bert"],
                          "area": RNG.random(N)})  # fmt: skip
    assert refused(frame).options == {"models": ["pred_a", "pred_b"]}


# -- agreement by chance ---------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_agreement_by_chance_is_a_kappa_that_is_not_above_0(seed):
    rng = np.random.default_rng(seed)
    truth, other = (rng.choice(4, 80, p=rng.dirichlet(np.ones(4))) for _ in range(2))
    other = np.where(rng.random(80) < 0.12, truth, other)
    table = np.zeros((4, 4))
    np.add.at(table, (truth, other), 1)
    expected = cohens_kappa(table).pvalue_one_sided > 0.05
    assert agree_by_chance(other, truth) == expected


def test_a_model_no_better_than_chance_is_named_beside_those_that_are():
    noise = np.random.default_rng(3).integers(0, 2, N)
    table = pd.DataFrame({"y_true": TRUTH, **GOOD, "promo": noise})
    found = read(table, checked_columns())
    assert found.predictions.models == ("cnn", "bert", "promo")
    assert "; no better than chance: 1 (promo)" in found.sentence
    for other in (table.drop(columns="promo"), table[["y_true", "promo"]]):
        assert "chance" not in read(other, checked_columns()).sentence
    named = checked_columns(models=["cnn", "promo"])
    assert "chance" not in read(table, named).sentence


# -- texts -----------------------------------------------------------------------------------


@needs("texts")
def test_answers_of_many_texts_are_no_classes():
    kinds = np.array(["the cat sat", "a dog barks", "we see", "it rains", "good day"])
    truth = kinds[np.arange(N) % 5]
    answers = [t if i % 2 else f"{t} so {i}" for i, t in enumerate(truth)]
    for frame in (
        pd.DataFrame({"y_true": truth, "a": answers}),
        pd.DataFrame(
            {"y_true": truth, "a": [f"{t} {i % 4}" for i, t in enumerate(truth)], "b": answers}
        ),
    ):
        with pytest.raises(ValueError, match=r"different texts that 'y_true', of 5, lacks"):
            mc.read_predictions(frame)
        assert mc.read_predictions(frame, kind="texts").output("a").kind == "texts"
    # A few answers that are no class are wrong answers.
    few = np.where(np.arange(N) % 10 == 0, "I do not know", truth)
    assert mc.read_predictions(pd.DataFrame({"y_true": truth, "a": few})).models == ("a",)


# -- what is beside labels ---------------------------------------------------------------------


def beside_labels():
    words = np.array(["no", "yes"])
    frame = pd.DataFrame({"y_true": words[TRUTH], **{m: words[x] for m, x in GOOD.items()}})
    frame["channel"] = np.array(["web", "app", "shop"])[np.arange(N) % 3]
    frame["user"] = [f"u{i // 4}" for i in range(N)]
    frame["latency_ms"] = RNG.integers(10, 400, N)
    return frame


def test_columns_beside_labels_are_left_out_with_the_options_that_use_them(tmp_path, run):
    frame = beside_labels()
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = run("compare", "t.csv", "--resamples", "99")
    assert done.code == 0, done.err
    told = "left out: 3 (channel, user, latency_ms), see --groups user, --slice channel"
    assert f"models: 2 (cnn, bert); {told}" in done.read
    used = run("compare", "t.csv", *told.partition("see ")[2].replace(",", "").split())
    assert used.code == 0, used.err
    assert "leads in 3 of 3 subgroups" in " ".join(used.out.split())
    assert mc.read_predictions(frame).models == ("cnn", "bert")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("bert_2", TRUTH), ("pred_c", np.where(TRUTH, "ja", "nein")),
        ("split", np.where(np.arange(N) % 2, "dev", "test")), ("seed", np.arange(N) % 2 + 7),
        ("capitals", np.where(TRUTH, "YES", "NO")),
        ("gpt", np.where(TRUTH ^ (np.arange(N) % 7 == 0), "positive", "negative")),
    ],
)  # fmt: skip
def test_what_may_be_a_model_or_change_the_rows_is_not_left_out(name, values):
    with pytest.raises(ValueError, match=name):
        mc.read_predictions(beside_labels().drop(columns="latency_ms").assign(**{name: values}))


def test_options_that_were_given_are_in_the_command(tmp_path, run):
    frame = pd.DataFrame({"gold thing": TRUTH, **GOOD, "split": ["web", "app"] * (N // 2)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    asked = run("compare", "t.csv", "--true", "gold thing", "--kind", "labels")
    command = asked.err.partition(" Try: modelcompare ")[2].strip()
    assert command == (
        "compare t.csv --true 'gold thing' --kind labels --model cnn --model bert --slice split"
    )
    assert run(*shlex.split(command), "--resamples", "99").code == 0


def test_subgroups_that_are_suggested_are_large_enough():
    assert LEAST_SLICE == MIN_SIZE
    frame = pd.DataFrame({"y_true": TRUTH, **GOOD, "page": np.arange(N) % 5 + 7})
    assert read(frame, checked_columns()).sentence.endswith("left out: 1 (page); classes: 0, 1 "
                                                            "(positive: 1)")  # fmt: skip
