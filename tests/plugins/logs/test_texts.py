"""Readers of texts: NeMo manifests, sclite transcripts, one text a line."""

import json
from pathlib import Path

import jiwer
import pandas as pd
import pytest
import sacrebleu

import modelcompare as mc
from modelcompare.plugins.logs import lines, nemo, trn
from modelcompare.readers.formats import format_of
from tests.plugged import needs
from tests.readers.opening import opened

DATA = Path(__file__).parents[2] / "data" / "formats"


def texts(folder, *names):
    return [opened(DATA / folder / name) for name in names]


def written(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return opened(path)


def lines_of(folder, **files):
    found = []
    for name, content in files.items():
        path = folder / f"{name}.txt"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(content.encode())
        found.append(opened(path))
    return found


def wer(frame, model):
    """jiwer's word error rate of a model, its texts joined to the truth by id."""
    truth = frame.dropna(subset="y_true").drop_duplicates("id").set_index("id")["y_true"]
    predicted = frame[frame["model"] == model].set_index("id")["y_pred"]
    return jiwer.wer(truth.tolist(), predicted.loc[truth.index].tolist())


@pytest.mark.parametrize(
    ("files", "format", "names"),
    [
        (texts("lines", "mended.txt", "ref.txt", "csrnab.txt"), lines.FORMAT, "{}"),
        (texts("trn", "mended.trn", "ref.trn", "csrnab.trn"), trn.FORMAT, "{}"),
        ([*map(opened, (DATA / "manifests").glob("*.jsonl"))], nemo.FORMAT, "nist-{}"),
    ],
    ids=["lines", "trn", "manifests"],
)
def test_the_files_give_the_word_errors_of_sclite_s_own_report(files, format, names):
    assert all(format_of(file) is format for file in files)
    records = format.read(files)
    assert records.kind == "texts"
    models = [names.format(name) for name in ("csrnab", "mended")]
    assert {*records.frame["model"].dropna()} == {*models}
    # SCTK, src/sclite/testdata/base/test1.raw; the other model errs in two sentences of three.
    assert wer(records.frame, models[0]) == pytest.approx(169 / 1406, abs=1e-12)
    assert 0 < wer(records.frame, models[1]) < 150 / 1406


def test_the_leaderboard_s_names_of_files_say_model_and_test_set():
    records = nemo.FORMAT.read([*map(opened, (DATA / "manifests").glob("*.jsonl"))])
    assert {*records.frame["set"]} == {"nist-csrnab__test"}
    assert records.frame["id"][0] == "4t0c0201.wav"
    assert [*records.beside] == ["duration", "time"]


def test_one_manifest_may_hold_several_models_and_what_was_not_heard_is_missing(tmp_path):
    rows = [
        {"audio_filepath": "/a/x.wav", "duration": 2.5, "text": "yes", "pred_text": "", "pred_text_big": "yes"},
        {"audio_filepath": "/a/y.wav", "duration": 1.5, "text": "no", "pred_text": None, "pred_text_big": "no"},
    ]  # fmt: skip
    records = nemo.FORMAT.read([written(tmp_path / "small.json", *rows)])
    frame = records.frame.set_index(["model", "id"])["y_pred"]
    assert frame["small", "x.wav"] == ""
    assert pd.isna(frame["small", "y.wav"])
    assert frame["big"].tolist() == ["yes", "no"]
    assert records.beside["duration"].tolist() == [2.5, 1.5, 2.5, 1.5]


def test_a_manifest_of_one_model_leaves_its_name_to_the_caller(tmp_path):
    row = {"audio_filepath": "x.wav", "text": "a", "pred_text": "a"}
    assert "model" not in nemo.FORMAT.read([written(tmp_path / "m.jsonl", row)]).frame


@pytest.mark.parametrize(
    ("rows", "ids"),
    [
        ([{"audio_filepath": "/data/one/x.wav"}, {"audio_filepath": "/data/two/x.wav"}], ["one/x.wav", "two/x.wav"]),
        ([{"audio_filepath": "C:\\one\\x.wav"}, {"audio_filepath": "C:\\two\\x.wav"}], ["one/x.wav", "two/x.wav"]),
        ([{"audio_filepath": "/d/x.wav", "offset": 0.0}, {"audio_filepath": "/d/x.wav", "offset": 2.5}], ["x.wav@0.0", "x.wav@2.5"]),
        ([{"audio_filepath": "a.wav"}, {"audio_filepath": "/b/b.wav"}], ["a.wav", "b.wav"]),
    ],
)  # fmt: skip
def test_ids_do_not_depend_on_where_the_audio_lies_and_differ(tmp_path, rows, ids):
    file = written(tmp_path / "m.jsonl", *({**row, "text": "a", "pred_text": "a"} for row in rows))
    assert nemo.FORMAT.read([file]).frame["id"].tolist() == ids


@pytest.mark.parametrize(
    ("names", "references"),
    [
        (["ref", "a", "b"], ["ref"]),
        (["refA", "refB", "sys"], ["refA", "refB"]),
        (["newstest.reference.de", "newstest.online-A.de"], ["newstest.reference.de"]),
        (["sys1.tgt", "sys2.tgt", "ref.tgt"], ["ref.tgt"]),
        (["gold", "reformer"], ["gold"]),
    ],
)
def test_the_reference_is_recognised_by_its_name(tmp_path, names, references):
    files = lines_of(tmp_path, **dict.fromkeys(names, "a\nb\n"))
    frame = lines.FORMAT.read(files).frame
    found = frame[frame["model"].isna()]
    assert found["y_true"].notna().all()
    assert [names[place] for place in found["file"].unique()] == references
    assert frame.loc[frame["model"].notna(), "y_true"].isna().all()


def test_a_reference_of_any_other_name_is_named(tmp_path):
    files = lines_of(tmp_path, human="a\nb\n", bot="a\nc\n", ref="b\nb\n")
    frame = lines.read_lines(files, true="human.txt").frame
    assert {*frame["model"].dropna()} == {"bot", "ref"}


def test_an_empty_line_is_an_empty_answer_and_line_numbers_are_ids(tmp_path):
    frame = lines.FORMAT.read(lines_of(tmp_path, ref="a\nb\nc\n", bot="\nb\n\n")).frame
    predicted = frame[frame["model"] == "bot"]
    assert predicted["y_pred"].tolist() == ["", "b", ""]
    assert predicted["id"].tolist() == [1, 2, 3]


def test_folders_are_test_sets(tmp_path):
    files = [
        *lines_of(tmp_path / "wmt23", ref="a\n", bot="b\n"),
        *lines_of(tmp_path / "wmt24", bot="c\nd\n", ref="e\nf\n"),
    ]
    frame = lines.FORMAT.read(files).frame
    predicted = frame[frame["model"] == "bot"]
    assert [*zip(predicted["set"], predicted["y_pred"], strict=True)] == [
        ("wmt23", "b"), ("wmt24", "c"), ("wmt24", "d")
    ]  # fmt: skip
    assert (frame["set"] == [files[place].path.parent.name for place in frame["file"]]).all()


def test_speakers_are_kept_for_transcripts_whose_ids_begin_with_them(tmp_path):
    content = ";; a comment\nYes yes (Ann_1)\n(ann-maria_2)\n\nno (bob-3)\n"
    files = lines_of(tmp_path, ref=content, bot=content)
    records = trn.FORMAT.read(files)
    assert records.beside["speaker"].tolist() == ["ann", "ann-maria", "bob"] * 2
    assert records.frame["y_true"][:3].tolist() == ["yes yes", "", "no"]


def test_plain_tables_and_prose_in_parentheses_are_no_logs(tmp_path):
    assert format_of(written(tmp_path / "t.jsonl", {"id": 1, "y_true": "a", "y_pred": "b"})) is None
    table = lines_of(tmp_path, table="id\ty_true\ty_pred\n1\ta\tb\n")[0]
    assert format_of(table) is None
    prose = lines_of(tmp_path, prose="a thing (sic)\nanother one\n")[0]
    assert not trn.FORMAT.recognises(prose)


@needs("texts")
def test_several_files_of_references_are_several_references(tmp_path):
    predicted = ["the cat sat on the mat", "a dog barked at me loudly"]
    references = {"refA": ["the cat sat on a mat", "a dog barked at me then"],
                  "refB": ["a cat sat upon the mat", "the dog barked loudly at me"]}  # fmt: skip
    for name, written in {"sys": predicted, **references}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(written) + "\n")
    preds = mc.read_predictions(tmp_path)
    result = mc.compare(preds, "bleu", n_resamples=99)
    expected = sacrebleu.corpus_bleu(predicted, list(references.values())).score
    assert result.scores["estimate"].item() == pytest.approx(expected)
    assert "nrefs:2" in result.signature
