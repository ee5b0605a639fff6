"""Files of texts that cannot be compared as they are."""

import json

import modelcompare as mc
from modelcompare.plugins.logs import lines, nemo, trn
from tests.bad_input.case import Call
from tests.readers.opening import opened


def _texts(read, /, suffix="txt", true=None, **files):
    def call(folder):
        for name, content in files.items():
            (folder / f"{name}.{suffix}").write_text(content)
        return read([opened(folder / f"{name}.{suffix}") for name in files], true=true)

    return call


def _manifest(*rows):
    def call(folder):
        path = folder / "cnn.jsonl"
        path.write_text("".join(json.dumps({"pred_text": "a", **row}) + "\n" for row in rows))
        return nemo.FORMAT.read([opened(path)])

    return call


def _twice(folder):
    row = {"audio_filepath": "x.wav", "text": "a", "pred_text": "b"}
    (folder / "cnn.jsonl").write_text(2 * (json.dumps(row) + "\n"))
    return mc.read_predictions(folder / "cnn.jsonl")


TWO = "a\nb\n"
CASES = [
    Call(
        "texts of different numbers of lines",
        _texts(lines.read_lines, ref=TWO, bot="a\n", cat=TWO),
        "ref.txt has 2 lines and bot.txt 1; line n of each must be the same segment, empty lines too.",
    ),
    Call(
        "texts without reference",
        _texts(lines.read_lines, cat=TWO, dog=TWO),
        "the names of cat.txt, dog.txt do not show which is the reference (ref, gold, tgt); name it with columns={'true': 'NAME'} (--true NAME).",
    ),
    Call(
        "texts that are all named like references",
        _texts(lines.read_lines, ref=TWO, ref2=TWO),
        "the names of ref.txt, ref2.txt do not show which is the reference (ref, gold, tgt); name it with columns={'true': 'NAME'} (--true NAME).",
    ),
    Call(
        "one file of texts",
        _texts(lines.read_lines, bot=TWO),
        "bot.txt is alone; give the file of the reference texts with it.",
    ),
    Call(
        "a reference text that is not there",
        _texts(lines.read_lines, bot=TWO, ref=TWO, true="human"),
        "columns={'true': 'human'} (--true human) is none of the files bot.txt, ref.txt.",
    ),
    Call(
        "the source of a translation among its texts",
        _texts(lines.read_lines, ref=TWO, bot=TWO, src=TWO),
        "src.txt is named like the source of a translation; leave it out.",
    ),
    Call(
        "transcripts with alternative words",
        _texts(trn.read_transcripts, "trn", ref="a (u_1)\nb { c / d } (u_2)\n", bot="a (u_1)\nb (u_2)\n"),
        "ref.trn: line 2 has alternative or optional words, which are scored by sclite only; keep one wording.",
    ),
    Call(
        "transcripts with optional words",
        _texts(trn.read_transcripts, "trn", ref="a (b) c (u_1)\n", bot="a (u_1)\n"),
        "ref.trn: line 1 has alternative or optional words, which are scored by sclite only; keep one wording.",
    ),
    Call(
        "transcripts that repeat an utterance",
        _texts(trn.read_transcripts, "trn", ref="a (u_1)\nb (u_2)\n", bot="a (u_1)\nb (u_1)\n"),
        "bot.trn: line 2 repeats the utterance u_1.",
    ),
    Call(
        "transcripts with a line without id",
        _texts(trn.read_transcripts, "trn", ref="a (u_1)\nb (u_2)\n", bot="a (u_1)\nb\n"),
        "bot.trn: line 2 does not end with an (utterance_id).",
    ),
    Call(
        "a manifest without references",
        _manifest({"audio_filepath": "x.wav"}),
        "cnn.jsonl lacks the field text, the reference in 1 row (row 0); NeMo keeps it where it transcribes a dataset_manifest.",
    ),
    Call(
        "a manifest with one reference missing",
        _manifest({"audio_filepath": "x.wav", "text": "a"}, {"audio_filepath": "y.wav"}),
        "cnn.jsonl lacks the field text, the reference in 1 row (row 1); NeMo keeps it where it transcribes a dataset_manifest.",
    ),
    Call(
        "a manifest with an audio file twice",
        _twice,
        "the file of model 'cnn' repeats 1 ids (x.wav); keep one result of each sample.",
    ),
]  # fmt: skip
