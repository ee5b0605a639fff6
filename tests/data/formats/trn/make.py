"""Write the files of texts: python make.py SCTK/src/sclite/testdata OPEN_ASR_LEADERBOARD."""

import os
import re
import sys
from pathlib import Path
from types import ModuleType

from rapidfuzz.distance import Levenshtein

sctk, leaderboard = map(Path, sys.argv[1:])
sys.path.insert(0, str(leaderboard))
sys.modules["kaldialign"] = stub = ModuleType("kaldialign")
stub.batch_error_rate = None  # for scores, which are not computed here
sys.modules["normalizer"] = package = ModuleType("normalizer")
package.__path__ = [str(leaderboard / "normalizer")]
from normalizer.eval_utils import write_manifest  # noqa: E402

FORMATS = Path(__file__).resolve().parents[1]


def texts(name):
    """Words of each utterance, in one case, as sclite takes them."""
    lines = (sctk / name).read_text().lower().splitlines()
    found = [re.fullmatch(r"(.*?)\s*\((\S+)\)\s*", line) for line in lines]
    return {match[2]: match[1] for match in found}


def wording(reference, heard):
    """The wording of a reference with alternatives that is nearest to what was heard."""
    choice = re.search(r"\{ (.*?) / (.*?) \}", reference)
    if choice is None:
        return reference
    wordings = [reference.replace(choice[0], words).replace("@ ", "") for words in choice.groups()]
    return min(wordings, key=lambda words: Levenshtein.distance(words.split(), heard.split()))


heard = texts("csrnab.hyp")
reference = {key: wording(words, heard[key]) for key, words in texts("csrnab.ref").items()}
models = {
    "csrnab": heard,
    # A better model: every third utterance is as it was spoken.
    "mended": {key: reference[key] if i % 3 == 0 else heard[key] for i, key in enumerate(heard)},
}
for name, spoken in {"ref": reference, **models}.items():
    (FORMATS / "trn" / f"{name}.trn").write_text("".join(f"{spoken[k]} ({k})\n" for k in spoken))
    (FORMATS / "lines" / f"{name}.txt").write_text("".join(f"{spoken[k]}\n" for k in reference))
os.chdir(FORMATS / "manifests")
for name, spoken in models.items():
    path = write_manifest(
        [*reference.values()], [spoken[key] for key in reference], f"nist/{name}", "nist/csrnab", "",
        "test", audio_filepaths=[f"{key}.wav" for key in reference],
    )  # fmt: skip
    Path(path).rename(Path(path).name)
os.rmdir("results")
