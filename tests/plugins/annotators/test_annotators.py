"""Labels by several people of each item, as one truth."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.cli import main
from modelcompare.data.checks import DataWarning
from tests.by_role import by_role
from tests.plugged import needs

NAMES = np.array(["maybe", "no", "yes"], dtype=object)


def answers(rng: np.random.Generator, truth: Any, accuracy: float) -> Any:
    """Return one of three classes with errors."""
    wrong = (truth + rng.integers(1, 3, len(truth))) % 3
    return np.where(rng.random(len(truth)) < accuracy, truth, wrong)


def table(
    n_items: int = 200, n_people: int = 3, *, seen: float = 1.0, texts: bool = False
) -> pd.DataFrame:
    """Return labels by people, who saw a share of the items, and by two models."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, n_items)
    people = {f"ann{k}": answers(rng, truth, 0.85) for k in range(n_people)}
    models = {"a": answers(rng, truth, 0.8), "b": answers(rng, truth, 0.7)}
    frame = pd.DataFrame({**people, **models})
    frame = frame.apply(lambda column: NAMES[column]) if texts else frame
    for name in people:
        frame[name] = frame[name].where(rng.random(n_items) < seen)
    frame.insert(0, "id", [f"s{k}" for k in range(n_items)])
    return frame[frame[[*people]].notna().any(axis=1)].reset_index(drop=True)


def labels_of(row: Any) -> list[Any]:
    """Return the labels that people gave an item."""
    return [row[name] for name in row.index if name.startswith("ann") and not pd.isna(row[name])]


def expected_accuracy(frame: pd.DataFrame, model: str) -> tuple[float, float]:
    """Mean over items of the share of their labels that a model gives, and its standard error."""
    shares = [
        sum(label == row[model] for label in labels_of(row)) / len(labels_of(row))
        for _, row in frame.iterrows()
    ]
    return float(np.mean(shares)), float(np.std(shares, ddof=1) / np.sqrt(len(shares)))


PARTLY = pytest.mark.parametrize("seen", [1.0, 0.6], ids=["all items", "some items"])


@PARTLY
@pytest.mark.parametrize("way", ["each", "soft"])
def test_values_and_errors_are_those_of_a_person_drawn_at_random(seen: float, way: Any) -> None:
    frame = table(400, seen=seen)
    found = mc.read_predictions(frame, columns={"true": "ann*", "annotators": way})
    scores = mc.compare(found, "accuracy", method="normal").scores
    for place, model in enumerate("ab"):
        value, error = expected_accuracy(frame, model)
        assert scores["estimate"][place] == pytest.approx(value)
        assert scores["standard_error"][place] == pytest.approx(error, rel=0.01)


@PARTLY
def test_the_majority_is_that_of_a_count(seen: float) -> None:
    frame = table(seen=seen)
    expected = {}
    for name, row in zip(frame["id"], frame.to_dict("records"), strict=True):
        counts = Counter(labels_of(pd.Series(row))).most_common()
        if len(counts) == 1 or counts[0][1] > counts[1][1]:
            expected[name] = counts[0][0]
    assert len(expected) < len(frame)
    with pytest.warns(DataWarning, match=f"left out {len(frame) - len(expected)} of"):
        found = mc.read_predictions(
            frame, columns={"true": "ann*", "annotators": "majority"}, missing="drop"
        )
    assert dict(zip(found.ids, found.y_true, strict=True)) == expected


def test_ties_of_the_majority_are_refused() -> None:
    frame = pd.DataFrame({"ann1": list("xyxy"), "ann2": list("xxxy"), "a": list("xyxy")})
    with pytest.raises(
        ValueError, match=r"as another in 1 row \(row 1\); with a judge add labels .* count each"
    ):
        mc.read_predictions(frame, columns={"true": "ann*", "annotators": "majority"})


@PARTLY
def test_the_soft_truth_is_the_shares_of_the_labels(seen: float) -> None:
    frame = table(seen=seen, texts=True)
    found = mc.read_predictions(frame, columns={"true": "ann*", "annotators": "soft"})
    assert found.labels.tolist() == NAMES.tolist()
    assert found.ids.tolist() == frame["id"].tolist()
    for shares, (_, row) in zip(found.access.true_distribution, frame.iterrows(), strict=True):
        given = labels_of(row)
        assert shares.tolist() == [given.count(name) / len(given) for name in NAMES]


@PARTLY
def test_each_label_has_its_item_as_cluster_and_items_weigh_the_same(seen: float) -> None:
    frame = table(seen=seen)
    found = mc.read_predictions(frame, columns={"true": "ann*"})
    weight = found.access.weights
    place = 0
    for _, row in frame.iterrows():
        given = labels_of(row)
        rows = range(place, place + len(given))
        assert [found.y_true[k] for k in rows] == given
        assert {found.groups[k] for k in rows} == {row["id"]}
        assert sum(weight[k] for k in rows) == pytest.approx(1 if seen < 1 else 3)
        assert [found.predicted("a")[k] for k in rows] == [row["a"]] * len(given)
        place += len(given)
    assert place == len(found)
    assert found.ids[0].startswith("s0 ann")


@pytest.mark.filterwarnings("ignore:.*left out:UserWarning")
@pytest.mark.parametrize("texts", [False, True], ids=["codes", "texts"])
@pytest.mark.parametrize("way", ["each", "soft", "majority"])
def test_a_file_is_read_as_a_frame_is(tmp_path: Path, way: Any, texts: bool) -> None:
    frame = table(seen=0.7, texts=texts)
    # Pandas writes codes beside empty cells as 1.0.
    frame.to_csv(tmp_path / "table.csv", index=False)
    first, second = (
        mc.read_predictions(source, columns={"true": "ann*", "annotators": way}, missing="drop")
        for source in (frame, tmp_path / "table.csv")
    )
    assert first.labels.tolist() == second.labels.tolist()
    assert first.models == second.models == ("a", "b")
    for metric in ("f1_macro", "cohen_kappa"):
        scores = [mc.compare(each, metric).scores for each in (first, second)]
        pd.testing.assert_frame_equal(*scores)


@pytest.mark.parametrize("texts", [False, True], ids=["codes", "texts"])
def test_soft_scores_take_labels_or_shares(texts: bool) -> None:
    frame = table(150, seen=0.7, texts=texts)
    chance = np.random.default_rng(1).dirichlet(np.ones(3), len(frame))
    for k, name in enumerate(NAMES if texts else range(3)):
        frame[f"soft:{name}"] = chance[:, k]
    each, soft = (
        mc.read_predictions(frame, columns={"true": "ann*", "annotators": way})
        for way in ("each", "soft")
    )
    assert each.access.kinds == soft.access.kinds
    assert {*each.access.kinds.values()} == {"labels", "probabilities"}
    values = [mc.compare(p["soft"], ["cf1_macro", "caccuracy"]).scores for p in (each, soft)]
    np.testing.assert_allclose(*(v["estimate"] for v in values))
    # cAccuracy is the mean probability of a label drawn at random.
    shares = [
        np.mean([chance[k, [*NAMES].index(x) if texts else int(x)] for x in labels_of(row)])
        for k, row in frame.iterrows()
    ]
    assert values[0]["estimate"].iloc[-1] == pytest.approx(np.mean(shares))


def test_values_by_several_people_are_each_compared_with() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(50, 4))
    frame = pd.DataFrame(truth, columns=["ann1", "ann2", "ann3", "a"])
    found = mc.read_predictions(frame, columns={"true": "ann*"}, kind="values")
    expected = np.sqrt(np.mean((truth[:, :3] - truth[:, 3:]) ** 2))
    assert mc.compare(found, "rmse").scores["estimate"][0] == pytest.approx(expected)
    with pytest.raises(ValueError, match="is for labels; take 'each'"):
        mc.read_predictions(frame, columns={"true": "ann*", "annotators": "soft"}, kind="values")


def test_given_clusters_and_weights_stay() -> None:
    frame = table(seen=0.6)
    weight, author = np.arange(len(frame)) % 4 + 1.0, np.arange(len(frame)) // 2
    frame = frame.assign(w=weight, author=author)
    columns = {"true": "ann*", "weight": "w", "groups": "author"}
    for way in ("each", "soft"):
        found = mc.read_predictions(frame, columns={**columns, "annotators": way})
        assert {*found.groups.tolist()} == {*author.tolist()}
        shares = [
            sum(x == row["a"] for x in labels_of(row)) / len(labels_of(row))
            for _, row in frame.iterrows()
        ]
        value = mc.compare(found["a"], "accuracy").scores["estimate"][0]
        assert value == pytest.approx(np.average(shares, weights=weight))


def test_many_distinct_values_take_little_memory_and_frames_stay_as_they_are() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20_000, 4)))
    frame = frame.set_axis(["ann1", "ann2", "ann3", "a"], axis=1).set_index(np.zeros(20_000))
    frame.loc[:, "ann3"] = np.where(np.arange(20_000) % 2, frame["ann3"], np.nan)
    before = frame.copy()
    assert len(mc.read_predictions(frame, columns={"true": "ann*"}, kind="values")) == 50_000
    pd.testing.assert_frame_equal(frame, before)


def odd_output(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(a=frame["a"].where(frame.index != 4))


def odd_label(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(ann2=frame["ann2"].where(frame.index != 3, "NA"))


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda f: f.assign(ann_note=[f"doubtful {k}" for k in range(len(f))]), {},
         "'ann_note', and no other person gave a label that it has"),
        pytest.param(lambda f: f, {"kind": "texts"}, "do not go with scores .* or texts", marks=needs("texts")),
        (odd_output, {}, "missing cells .a 1; first rows: 4"),
        (odd_output, {"missing": "worst"}, "are one label .* with missing='worst'"),
        (odd_label, {}, "column 'ann2' has 'NA' in 1 row .row 3"),
        (lambda f: f, {"true": "person*"}, "no column 'person.'"),
        (lambda f: f, {"kind": "scores"}, "do not go with scores"),
        (lambda f: f, {"true": "ann0", "annotators": "soft"}, "for which annotators .--annotators. has no meaning"),
        (lambda f: f, {"annotators": "vote"}, "`annotators` must be one of each, majority, soft"),
        (lambda f: f[["id", "ann0", "ann1", "a"]].rename(columns={"a": "y_pred"}), {},
         "each row is of one model"),
    ],
    ids=["prose", "texts", "output", "worst", "mark", "nobody", "scores", "one person", "way", "one model"],
)  # fmt: skip
def test_labels_that_make_no_truth_are_refused(
    change: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        mc.read_predictions(change(table(texts=True)), **by_role({"true": "ann*", **options}))


def test_an_item_without_a_label_is_missing() -> None:
    frame = table(texts=True)
    frame.loc[7, ["ann0", "ann1", "ann2"]] = None
    for way in ("each", "soft"):
        with pytest.raises(ValueError, match="first rows: 7"):
            mc.read_predictions(frame, columns={"true": "ann*", "annotators": way})
        with pytest.warns(DataWarning, match="left out 1 of 200 rows"):
            found = mc.read_predictions(
                frame, columns={"true": "ann*", "annotators": way}, missing="drop"
            )
        assert len(found) == (597 if way == "each" else 199)


@pytest.mark.filterwarnings("ignore:.*left out:UserWarning")
@pytest.mark.parametrize("way", ["each", "soft", "majority"])
def test_the_command_line_names_the_way(tmp_path: Path, way: str, capsys: Any) -> None:
    table(texts=True).to_csv(tmp_path / "table.csv", index=False)
    options = ["--true", "ann*", "--annotators", way, "--missing", "drop", "-m", "f1_macro"]
    assert main(["compare", str(tmp_path / "table.csv"), *options]) == 0
    assert f"truth: labels by 3 (ann0, ann1, ann2), {way}; id: id" in capsys.readouterr().err


def test_labels_and_their_items_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    table().to_csv(path, index=False)
    main(["compare", str(path), "--true", "ann*", "-m", "accuracy", "--resamples", "99"])
    assert "2 models, 600 labels of 200 items" in capsys.readouterr().out


def test_shares_of_labels_are_counted_as_samples(tmp_path, capsys):
    table(seen=0.6).to_csv(tmp_path / "t.csv", index=False)
    n_items = len(table(seen=0.6))
    options = ["--true", "ann*", "--annotators", "soft", "-m", "accuracy"]
    assert main(["compare", str(tmp_path / "t.csv"), *options]) == 0
    assert f"2 models, {n_items} samples\n" in capsys.readouterr().out
    models = ["--model", "a", "--model", "b"]
    assert main(["sample-size", str(tmp_path / "t.csv"), *options, *models]) == 0
    assert f"on {n_items} samples." in " ".join(capsys.readouterr().out.split())
