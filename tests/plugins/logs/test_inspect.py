"""Logs of inspect_ai: their scores equal those of its metrics."""

import io
import json
import math
import sys
import zipfile

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from modelcompare.plugins.logs.inspect import FORMAT
from modelcompare.readers.content import File
from modelcompare.readers.formats import format_of
from tests.readers.opening import DATA, opened

ALPHA, BETA = (json.loads((DATA / "inspect" / f"{m}.json").read_text()) for m in ("alpha", "beta"))


def read(*names):
    return FORMAT.read([opened(DATA / "inspect" / name) for name in names])


def of_document(log):
    return FORMAT.read([File(DATA / "log.json", "json", log)])


def changed(**samples):
    """The second model's log with some of its samples' fields changed."""
    return {**BETA, "samples": [{**sample, **samples} for sample in BETA["samples"]]}


def scored(value):
    return {"s": {"value": value}}


def archive(members):
    """An archive like those of inspect_ai, whose members are packed as every Python can."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, held in members.items():
            file.writestr(name, json.dumps(held))
    stream.seek(0)
    return File(DATA / "log.eval", "eval", stream)


@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_both_forms_of_a_log_give_the_means_that_the_tool_reports(suffix):
    frame = read(f"alpha.{suffix}", f"beta.{suffix}").frame
    means = frame.groupby("model").mean(numeric_only=True)
    for log in (ALPHA, BETA):
        for scorer in log["results"]["scores"]:
            name = scorer["scorer"] + (
                "" if scorer["name"] == scorer["scorer"] else f"/{scorer['name']}"
            )
            (metric,) = (m for k, m in scorer["metrics"].items() if k in ("accuracy", "mean"))
            # The tool averages the epochs of a sample before it averages samples.
            own = frame[frame["model"] == log["eval"]["model"]].groupby("id")[f"score:{name}"]
            assert own.mean().mean() == pytest.approx(metric["value"])
    assert [*means.index] == ["mockllm/alpha", "mockllm/beta"]


def test_the_archive_and_the_document_say_the_same():
    archived, document = read("alpha.eval", "beta.eval"), read("alpha.json", "beta.json")
    assert archived.frame.equals(document.frame)
    assert archived.beside.equals(document.beside)


def test_epochs_are_runs_and_a_sample_that_failed_is_there_without_scores():
    records = read("beta.eval")
    assert records.frame.groupby("run")["id"].apply(set).map(len).tolist() == [6, 6]
    failed = records.frame["score:match"].isna()
    assert records.frame.loc[failed, ["id", "run"]].to_numpy().tolist() == [["Nepal", 2]]
    assert records.beside.loc[failed, "error"].tolist() == [
        "RuntimeError('the connection was lost')"
    ]
    assert records.frame.loc[failed, "score:style/short"].isna().all()


def test_epochs_are_answers_of_one_run_and_a_sample_is_their_cluster():
    """The second answer to one sample has nothing in common with that to another."""
    logs = [str(DATA / "inspect" / name) for name in ("alpha.json", "beta.json")]
    preds = mc.read_predictions(logs, missing="worst", columns={"score": "match"})
    assert preds.runs is None
    assert (len(preds), len({*preds.groups})) == (12, 6)
    assert "generalize_to:" not in mc.compare(preds, n_resamples=99).signature


def test_metadata_and_targets_are_kept_and_targets_distinguish_tasks():
    records = read("alpha.eval")
    assert records.beside["metadata"].iloc[1] == {"continent": "Asia"}
    assert records.same == ("target",)
    assert records.beside["target"].tolist()[:2] == ["Paris", "Tokyo"]
    assert set(records.beside["date"]) == {ALPHA["eval"]["created"]}


@pytest.mark.parametrize(
    ("value", "number"),
    [("C", 1), ("P", 0.5), ("I", 0), ("N", 0), ("yes", 1), ("No", 0), ("TRUE", 1), ("0.25", 0.25),
     (True, 1), (3, 3), (math.nan, math.nan)],
)  # fmt: skip
def test_values_are_read_as_the_tool_s_metrics_read_them(value, number):
    found = of_document(changed(scores=scored(value))).frame["score:s"]
    np.testing.assert_array_equal(found, np.full(12, number))


def test_values_that_are_no_numbers_are_kept_beside_the_scores():
    log = changed(scores={**scored("B"), "both": {"value": {"grade": "B", "length": 3}}})
    records = of_document(log)
    assert records.scores == ("both/length",)
    assert records.beside["s"].tolist() == ["B"] * 12
    assert records.beside["both"].iloc[0] == {"grade": "B", "length": 3}


def test_a_score_that_one_model_has_on_each_sample_is_compared_too(tmp_path):
    """One that no model has on some sample is not, unless it is named."""
    once = [sample for sample in BETA["samples"] if sample["epoch"] == 1]
    one = {"value": 1.0}
    of_first = {"a": {**scored("C"), "t": one}, "b": scored("C")}
    for model, scores in of_first.items():
        samples = [{**each, "scores": {**scored("C"), "t": one, "u": one}} for each in once]
        samples[0]["scores"] = scores
        log = {**BETA, "eval": {**BETA["eval"], "model": model, "config": {}}, "samples": samples}
        (tmp_path / f"{model}.json").write_text(json.dumps(log))

    with pytest.warns(DataWarning, match="left out 1 of 6 samples"):
        read = mc.read_predictions([tmp_path / "a.json", tmp_path / "b.json"], missing="drop")

    assert "scores s, t" in repr(read)


def test_samples_that_were_not_run_are_missing_and_not_left_out():
    stopped = {**BETA, "status": "cancelled", "samples": BETA["samples"][:7]}
    with pytest.warns(DataWarning, match="was cancelled after 7 of 12 samples; the others are mis"):
        records = of_document(stopped)
    assert len(records.frame) == 12
    assert records.frame["score:match"].isna().sum() == 5
    assert records.beside["error"].tolist().count("not run") == 5


def test_a_plan_of_endless_epochs_is_refused():
    spec = {**BETA["eval"], "config": {"epochs": 10**25}}
    message = "the log plans 6 samples in 10,000,000,000,000,000,000,000,000 epochs; at most"
    with pytest.raises(ValueError, match=message):
        of_document({**BETA, "eval": spec})


def test_epochs_of_no_samples_are_no_plan():
    spec = {**BETA["eval"], "config": {"epochs": 10**25}, "dataset": {}}
    assert len(of_document({**BETA, "eval": spec}).frame) == 12


def test_ids_that_the_data_set_holds_as_numbers_and_the_log_as_texts_are_one():
    log = {**BETA, "eval": {**BETA["eval"], "dataset": {"sample_ids": [7]}},
           "samples": [{**BETA["samples"][0], "id": "7", "epoch": epoch} for epoch in (1, 2)]}  # fmt: skip
    assert of_document(log).frame["id"].tolist() == ["7", "7"]


def test_an_evaluation_that_is_under_way_is_read_from_its_journal():
    samples = [{"id": "France", "epoch": 1, "target": "Paris", "scores": scored("C")},
               {"id": "Japan", "epoch": 1, "target": "Tokyo", "scores": scored("I")}]  # fmt: skip
    journal = archive(
        {
            "_journal/start.json": {"eval": {"model": "m", "task": "t"}},
            "_journal/summaries/10.json": samples[1:],
            "_journal/summaries/9.json": samples[:1],
        }
    )
    frame = FORMAT.read([journal]).frame
    assert frame[["id", "score:s"]].to_numpy().tolist() == [["France", 1.0], ["Japan", 0.0]]


def test_only_the_summaries_of_an_archive_are_read(monkeypatch):
    opened_members = []
    getinfo = zipfile.ZipFile.getinfo
    monkeypatch.setattr(
        zipfile.ZipFile,
        "getinfo",
        lambda self, name: opened_members.append(name) or getinfo(self, name),
    )
    read("alpha.eval")
    assert {*opened_members} == {"header.json", "summaries.json"}


def test_an_archive_is_recognised_by_its_bytes_and_can_still_be_read():
    file = opened(DATA / "inspect" / "alpha.eval")
    assert format_of(file) is FORMAT
    assert len(FORMAT.read([file]).frame) == 12


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python reads zstandard itself")
def test_members_in_zstandard_need_a_package_that_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        ImportError,
        match=r'^reading alpha.eval needs pyarrow: pip install "modelcompare-stats\[parquet\]"$',
    ):
        read("alpha.eval")


def test_a_member_whose_bytes_were_changed_is_refused():
    data = bytearray((DATA / "inspect" / "alpha.eval").read_bytes())
    place = zipfile.ZipFile(io.BytesIO(data)).getinfo("summaries.json").header_offset + 300
    data[place] ^= 1
    changed_log = io.BytesIO(bytes(data))
    with pytest.raises(
        ValueError, match=r"^alpha.eval: summaries.json in the archive is damaged \("
    ):
        FORMAT.read([File(DATA / "alpha.eval", "eval", changed_log)])


def test_a_sample_that_is_twice_in_an_epoch_is_refused_and_two_epochs_are_not():
    twice = {**BETA, "samples": [*BETA["samples"], {**BETA["samples"][0], **scored_as("I")}]}
    first = BETA["samples"][0]
    refusal = rf"1 samples have several .* \('{first['id']}' in epoch {first['epoch']}\); keep one"
    with pytest.raises(ValueError, match=refusal):
        of_document(twice)
    assert len(of_document(BETA).frame) == len(BETA["samples"])


def scored_as(letter):
    return {"scores": {"match": {"value": letter}}}


def test_an_unscored_log_is_left_out_of_its_folder_and_named(tmp_path):
    for name, log in {"alpha": ALPHA, "beta": BETA, "gamma": unscored("gamma")}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(log))
    with pytest.warns(DataWarning, match=r"left out logs without scores: 1 \(gamma\.json\)"):
        preds = mc.read_predictions(tmp_path, missing="worst", greater_is_better=True)
    # By position, so that a file before the others moves none of their names.
    (tmp_path / "gamma.json").rename(tmp_path / "a-gamma.json")
    with pytest.warns(DataWarning, match="a-gamma"):
        moved = mc.read_predictions(tmp_path, missing="worst", greater_is_better=True)
    both = [tmp_path / f"{name}.json" for name in ("alpha", "beta")]
    alone = mc.read_predictions(both, missing="worst", greater_is_better=True)
    assert preds.models == moved.models == alone.models == ("mockllm/alpha", "mockllm/beta")
    for model in alone.models:
        assert (moved.output(model).array == alone.output(model).array).all()
    with pytest.raises(ValueError, match=r"a-gamma\.json: no score is a number .*it has none"):
        mc.read_predictions([*both, tmp_path / "a-gamma.json"])


def unscored(model):
    samples = [{**sample, "scores": None} for sample in BETA["samples"]]
    return {**BETA, "eval": {**BETA["eval"], "model": model}, "samples": samples}


FAILED = DATA.parent / "inspect_failed"


@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_a_run_that_ended_in_an_error_reports_after_how_many_samples(suffix):
    with pytest.raises(
        ValueError,
        match=r"this run ended in an error after 0 of 6 samples \(RuntimeError\('the con",
    ):
        mc.read_predictions(FAILED / f"none.{suffix}")
    both = [FAILED / f"part.{suffix}", FAILED / f"whole.{suffix}"]
    with pytest.warns(DataWarning, match=r"part\..* ended in an error after 2 of 6 samples"):
        found = mc.read_predictions(both, missing="worst")
    part, whole = (found.output(f"mockllm/{m}").array for m in ("gamma", "delta"))
    assert len(part) == len(whole) == 6
    assert part[2:].ravel().tolist() == [0.0] * 4
