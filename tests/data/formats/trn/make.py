"""Write the files of texts: python make.py SCTK/src/sclite/testdata OPEN_ASR_LEADERBOARD."""

import os
import re
import sys
from pathlib import Path
from types import ModuleType

sctk, leaderboard = map(Path, sys.argv[1:])
sys.path.insert(0, str(leaderboard))
sys.modules["kaldialign"] = stub = ModuleType("kaldialign")
stub.batch_error_rate = None  # for scores, which are not computed here
sys.modules["normalizer"] = package = ModuleType("normalizer")
package.__path__ = [str(leaderboard / "normalizer")]
from normalizer.eval_utils import write_manifest  # noqa: E402

FORMATS = Path(__file__).resolve().parents[1]


def texts(name):
    lines = (sctk / name).read_text().splitlines()
    found = [re.fullmatch(r"(.*?)\s*\((\S+)\)\s*", line) for line in lines]
    # Of alternatives the first.
    return {m[2].lower(): re.sub(r"\{ (.*?) / .*?\}", r"\1", m[1]) for m in found}


reference, heard = texts("csrnab.ref"), texts("csrnab.hyp")
models = {
    "csrnab": heard,
    # A better model: every third utterance is as it was said.
    "mended": {key: reference[key] if i % 3 == 0 else heard[key] for i, key in enumerate(heard)},
}
for name, said in {"ref": reference, **models}.items():
    (FORMATS / "trn" / f"{name}.trn").write_text("".join(f"{said[k]} ({k})\n" for k in reference))
    (FORMATS / "lines" / f"{name}.txt").write_text("".join(f"{said[k]}\n" for k in reference))
os.chdir(FORMATS / "manifests")
for name, said in models.items():
    path = write_manifest(
        [*reference.values()], [said[key] for key in reference], f"nist/{name}", "nist/csrnab", "",
        "test", audio_filepaths=[f"{key}.wav" for key in reference],
    )  # fmt: skip
    Path(path).rename(Path(path).name)
os.rmdir("results")
