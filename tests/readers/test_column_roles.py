"""Roles of columns: detected and reported, named, or refused; a wrong guess is never silent."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from modelcompare.readers import checked_columns, names, read
from modelcompare.readers.reading import in_one_line
from tests.plugged import needs

N = 40
RNG = np.random.default_rng(0)
TRUTH = RNG.choice(["ant", "cat", "dog"], N)


def labels(seed):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(N) < 0.7, TRUTH, rng.choice(["ant", "cat", "dog"], N))


def scores(seed):
    return np.random.default_rng(seed).integers(0, 2, N).astype(float)


def sentence(frame, tmp_path, **options):
    """Return the roles in a table in a file, whose cells are texts."""
    frame.to_csv(tmp_path / "t.csv", index=False)
    return in_one_line(read(tmp_path / "t.csv", checked_columns(**options)).parts)


# -- defects 1 and 2 -------------------------------------------------------------------------


def holed(mark, *rows):
    column = scores(1).astype(object)
    column[list(rows)] = mark
    return pd.DataFrame({"a": scores(0), "b": column, "c": scores(2)})


@pytest.mark.parametrize("mark", ["NA", "NaN", "null", "N/A", "", "-"])
def test_a_missing_score_is_counted_and_its_model_stays(tmp_path, mark):
    with pytest.raises(ValueError, match=r"t\.csv has missing cells \(b 2; first rows: 3, 7\)"):
        sentence(holed(mark, 3, 7), tmp_path)
    with pytest.warns(DataWarning, match="left out 2 of 40"):
        text = sentence(holed(mark, 3, 7), tmp_path, missing="drop")
    assert text == (
        "truth: none (scores); models: 3 (a, b, c); missing: 2 in b; direction: direction not known"
    )


def test_a_mark_of_one_s_own_is_refused_with_the_option_that_names_it(tmp_path):
    with pytest.raises(
        ValueError, match=r"'b' has numbers, but 'timeout' in 1 of 40 .*--read na=tim"
    ):
        sentence(holed("timeout", 3), tmp_path)
    text = sentence(
        holed("timeout", 3), tmp_path, na=["timeout"], missing="worst", greater_is_better=False
    )
    assert "missing: 1 in b; direction" in text


def test_missing_values_of_a_regression_are_missing(tmp_path):
    text = RNG.normal(size=N).round(2).astype(object)
    text[5] = "NA"
    frame = pd.DataFrame({"y_true": RNG.normal(size=N).round(2), "m": text})
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.warns(DataWarning):
        preds = mc.read_predictions(tmp_path / "t.csv", missing="drop")
    assert (preds.output("m").kind, len(preds)) == ("values", N - 1)


@pytest.mark.parametrize("name", ["label", "target", "gold", "Ground Truth", "trueLabel", "answer"])
def test_the_truth_is_found_by_its_name(tmp_path, name):
    frame = pd.DataFrame({name: TRUTH, "bert": labels(0), "cnn": labels(1)})
    reason = " (by its values)" if name == "answer" else ""
    assert sentence(frame, tmp_path) == f"truth: {name}{reason}; models: 2 (bert, cnn)"


def test_columns_that_name_or_describe_the_samples_are_no_models(tmp_path):
    images = [f"{i}.png" for i in range(N)]
    frame = pd.DataFrame({"image": images, "label": TRUTH, "bert": labels(0)})
    assert sentence(frame, tmp_path) == "truth: label; id: image; models: 1 (bert)"
    frame = pd.DataFrame({"item": range(N), "a": scores(0), "b": scores(1)})
    assert sentence(frame, tmp_path) == (
        "truth: none (scores); id: item; models: 2 (a, b); direction: direction not known"
    )
    frame = pd.DataFrame({"photo": images, "label": TRUTH, "bert": labels(0)})
    assert sentence(frame, tmp_path) == "truth: label; id: photo (by its values); models: 1 (bert)"


@needs("runs")
def test_a_long_table_is_recognised_by_its_columns(tmp_path):
    rows = [(m, i, r, (i * r) % 2) for m in ("bert", "cnn") for i in range(12) for r in (1, 2)]
    frame = pd.DataFrame(rows, columns=["model", "item", "run", "score"])
    assert sentence(frame, tmp_path) == (
        "id: column item; model: column model; run: column run; scores: score; "
        "models: 2 (bert, cnn); clusters: the 2 runs of each sample; "
        "direction: score: direction not known"
    )
    preds = read(tmp_path / "t.csv", checked_columns()).predictions
    assert (len(preds), len({*preds.groups}), len({*preds.runs})) == (24, 12, 2)
    assert preds.output("cnn").array.sum() == frame.score[frame.model == "cnn"].sum()


def test_a_long_table_of_labels_is_the_wide_one():
    wide = pd.DataFrame({"id": range(N), "gold": TRUTH, "bert": labels(0), "cnn": labels(1)})
    long = wide.melt(["id", "gold"], var_name="system", value_name="prediction")
    one = mc.read_predictions(wide)
    for shuffled in (long, long.sample(frac=1, random_state=1)):
        other = mc.read_predictions(shuffled)
        place = {name: i for i, name in enumerate(other.ids.tolist())}
        order = [place[i] for i in one.ids.tolist()]
        for model in one.models:
            assert (other.predicted(model)[order] == one.predicted(model)).all()


@needs("suites")
def test_several_test_sets_are_chosen_or_compared_one_by_one():
    wide = pd.DataFrame({"id": range(N), "gold": TRUTH, "bert": labels(0), "cnn": labels(1)})
    long = wide.melt(["id", "gold"], var_name="system", value_name="prediction")
    both = pd.concat([long.assign(task="x"), long.iloc[::2].assign(task="z")])
    with pytest.raises(
        ValueError, match=r"there are 2 test sets \(x, z\); choose one with columns={'set': 'x'}"
    ):
        mc.read_predictions(both)
    assert len(mc.read_predictions(both, columns={"set": "z"})) == N / 2
    sets = mc.io.read_sets(both)
    assert {name: len(preds) for name, preds in sets.items()} == {"x": N, "z": N / 2}


def test_a_model_may_be_called_model(tmp_path):
    frame = pd.DataFrame({"y_true": TRUTH, "model": labels(0), "other": labels(1)})
    assert sentence(frame, tmp_path) == "truth: y_true; models: 2 (model, other)"


def test_models_can_be_named_by_a_pattern(tmp_path):
    frame = pd.DataFrame({"y": TRUTH, "bert_0": labels(0), "bert_1": labels(1), "cnn": labels(2)})
    assert sentence(frame, tmp_path, models=["bert_*"]) == (
        "truth: y (by its values); models: 2 (bert_0, bert_1)"
    )


def test_fields_inside_objects_are_reached_by_dotted_names():
    rows = [
        {"doc": {"id": i, "answer": str(TRUTH[i])}, "out": {"text": [str(labels(0)[i])]}}
        for i in range(N)
    ]
    preds = mc.read_predictions(
        pd.DataFrame(rows), columns={"true": "doc.answer", "id": "doc.id", "pred": "out.text.0"}
    )
    assert (
        preds.predicted("model") == mc.Predictions(TRUTH, {"m": labels(0)}).predicted("m")
    ).all()


# -- what is doubtful ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"split": ["p", "q"] * (N // 2)}, "'split' has other values than 'y_true'"),
        ({"gold": labels(5)}, "columns 'y_true' and 'gold' are both named like the truth, and dif"),
        ({"run": [0, 1] * (N // 2)}, "'run' has other values than 'y_true'"),
        ({"pred_note": ["p", "q"] * (N // 2)}, "'pred_note' has other values than 'y_true'"),
    ],
)
def test_what_is_doubtful_beside_labels_is_refused_with_two_ways_out(columns, message):
    frame = pd.DataFrame({"y_true": TRUTH, "a": labels(0), **columns})
    with pytest.raises(ValueError, match=message) as caught:
        mc.read_predictions(frame)
    assert "models= (--model)" in str(caught.value)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"seed": [0, 1] * (N // 2)}, "'seed' is not named like a model"),
        ({"nr": RNG.permutation(N) * 3}, "'nr' has another whole number in each row"),
        ({"words": RNG.integers(3, 50, N)}, "'words' has whole numbers where the others are bet"),
    ],
)
def test_what_is_doubtful_beside_scores_is_refused_with_a_way_out(columns, message):
    with pytest.raises(ValueError, match=message) as caught:
        mc.read_predictions(pd.DataFrame({"a": scores(0), "b": scores(1), **columns}))
    assert "models= (--model)" in str(caught.value)


def test_whole_numbers_are_doubtful_only_where_all_others_are_between_0_and_1():
    unit, wide = RNG.random((2, N)) * [[1], [9]]
    frame = pd.DataFrame({"a": unit, "b": wide, "words": RNG.integers(3, 50, N)})
    assert mc.read_predictions(frame).models == ("a", "b", "words")


def test_numbers_of_each_model_are_no_probabilities_if_those_of_one_are_beyond_1():
    codes = (TRUTH == "ant").astype(int)
    frame = pd.DataFrame(
        {"y_true": codes, "a": codes, "b": np.where(RNG.random(N) < 0.7, codes, 0)}
    )
    unit, wide = (RNG.random((2, N)) * [[1], [9]]).round(3)
    for first, second in ((unit, wide), (wide, unit)):
        preds = mc.read_predictions(frame.assign(z_a=first, z_b=second))
        assert preds.models == ("a", "b")
        assert preds.access.scores.beside == ("z",)
    assert mc.read_predictions(frame.assign(z_a=unit, z_b=unit)).models == ("a", "b", "z_a", "z_b")


def test_labels_without_a_truth_are_no_scores():
    with pytest.raises(ValueError, match=r"texts \(a, b\) and none that is named like the truth"):
        mc.read_predictions(pd.DataFrame({"a": labels(0), "b": labels(1)}))


def test_of_labels_without_a_truth_the_column_that_equals_all_others_most_is_likeliest():
    def wrong(seed, share):
        rng = np.random.default_rng(seed)
        return np.where(rng.random(N) < share, rng.choice(np.unique(TRUTH), N), TRUTH)

    notes = [f"n{i}" for i in range(N)]
    frame = pd.DataFrame(
        {"v1": wrong(1, 0.3), "Verdict": TRUTH, "v2": wrong(2, 0.5), "note": notes}
    )
    refusal = r"none that is named like the truth .* Try: columns={'true': 'Verdict'} \(--true Verdict\)\.$"
    for models in (None, ["v1", "v2"]):
        with pytest.raises(ValueError, match=refusal):
            mc.read_predictions(frame, models=models)
    named = mc.read_predictions(frame.rename(columns={"Verdict": "Human Verdict"}))
    assert named.models == ("v1", "v2")
    assert named.y_true.tolist() == TRUTH.tolist()


def test_labels_that_hardly_agree_name_no_truth():
    drawn = {f"m{i}": np.random.default_rng(i).choice(["ant", "cat", "dog"], N) for i in range(5)}
    with pytest.raises(ValueError, match=r"none that is named like the truth .*--true COLUMN\)\.$"):
        mc.read_predictions(pd.DataFrame(drawn))


@needs("texts")
def test_free_texts_are_not_taken_for_a_thousand_classes(tmp_path):
    texts = [f"sentence number {i}" for i in range(1000)]
    frame = pd.DataFrame({"id": range(1000), "y_true": texts, "a": texts[::-1]})
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"1,000 different texts in 1,000 rows; .*--kind texts"):
        mc.read_predictions(tmp_path / "t.parquet")
    assert mc.read_predictions(tmp_path / "t.parquet", kind="texts").output("a").kind == "texts"


@needs("texts")
def test_answers_that_look_like_numbers_are_texts_with_kind_texts(tmp_path):
    rows = [{"id": i, "y_true": i % 7, "y_pred": i % 5} for i in range(20)]
    pd.DataFrame(rows).to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    preds = mc.read_predictions(tmp_path / "t.jsonl", kind="texts")
    assert preds.output("t").array[:6].tolist() == ["0", "1", "2", "3", "4", "0"]


# -- any table -------------------------------------------------------------------------------

OTHER_NAMES = [
    "bert",
    "cnn",
    "Model A",
    "gpt-4",
    "score",
    "system",
    "pred",
    "x1",
    "my model",
    "acc",
]


@st.composite
def tables(draw):
    """A table whose roles are known, of any order and names, with columns that could mislead."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.sampled_from([12, 40]))
    kind = draw(st.sampled_from(["labels", "codes", "scores", "unit scores", "values"]))
    models = draw(st.lists(st.sampled_from(OTHER_NAMES), min_size=1, max_size=4, unique=True))
    columns = {}
    true = None
    if kind in ("labels", "codes", "values"):
        # Real numbers of an unknown name are as well scores; the message reports how they were taken.
        unknown = [] if kind == "values" else ["mine"]
        true = draw(st.sampled_from([*names.TRUE, *names.MAYBE_TRUE, "Gold Label", *unknown]))
        classes = ["ant", "cat", "dog"] if kind == "labels" else [0, 1, 2]
        truth = rng.normal(size=n).round(3) if kind == "values" else rng.choice(classes, n)
        if kind != "values":
            # Codes that are all 0 or 1, of an unknown name, are as well scores.
            truth[: len(classes)] = classes
        columns[true] = truth
    for model in models:
        if kind == "values":
            columns[model] = (truth + rng.normal(size=n)).round(3)
        elif kind == "scores":
            columns[model] = rng.normal(size=n).round(3)
        elif kind == "unit scores":
            columns[model] = rng.integers(0, 2, n)
        else:
            columns[model] = np.where(rng.random(n) < 0.8, truth, rng.choice(classes, n))
    identity = None
    if draw(st.booleans()):
        identity = draw(st.sampled_from([*names.ID, "photo", "nr"]))
        held = rng.permutation(n)
        columns[identity] = held if draw(st.booleans()) else [f"s{i}" for i in held]
    misleading = {
        "id_again": rng.permutation(n), "split": rng.choice(["p", "q"], n),
        "note": [f"words {i} of a text" for i in rng.permutation(n)], "seed": np.full(n, 3),
        "n_tokens": rng.integers(5, 400, n), "run": np.arange(n) % 2, "Unnamed: 0": np.arange(n),
    }  # fmt: skip
    for name in draw(st.lists(st.sampled_from([*misleading]), max_size=2, unique=True)):
        columns[name] = misleading[name]
    if true is not None and draw(st.booleans()):
        columns[f"{true}_copy"] = columns[true]
    frame = pd.DataFrame(columns)
    frame = frame[draw(st.permutations(list(frame.columns)))]
    return frame, true, identity, {*models}


@given(tables(), st.booleans())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_table_is_understood_rightly_or_refused(tmp_path_factory, table, written):
    frame, true, identity, models = table
    source = frame
    if written:
        source = tmp_path_factory.mktemp("roles") / "t.csv"
        frame.to_csv(source, index=False)
    try:
        found = read(source, checked_columns())
    except ValueError:
        return
    text = {
        part: str(each).removeprefix("column ").removesuffix(" (by its values)")
        for part, each in found.parts.items()
    }
    assert {*found.predictions.models} - {f"{true}_copy"} in (models, {"t"}), text
    assert (true is None) == (found.predictions.y_true is None), text
    if true is not None:
        assert text["truth"] in (true, f"{true}_copy")
    assert text.get("id") in (None, identity, "note", "id_again", "Unnamed: 0"), text
