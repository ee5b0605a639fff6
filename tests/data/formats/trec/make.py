"""Two runs and their judgements: make.py FOLDER_OF_TREC_EVAL/test FOLDER."""

import sys
from pathlib import Path

source, folder = map(Path, sys.argv[1:])
judged = [line.split() for line in (source / "qrels.test").read_text().splitlines()]
kept = [" ".join(fields) for fields in judged if fields[3] != "0" or fields[2] < "FBIS3-1"]
(folder / "test.qrels").write_text("\n".join(kept) + "\n")
run = [line.split() for line in (source / "results.test").read_text().splitlines()]
whole = ["\t".join([*fields[:5], "whole"]) for fields in run]
(folder / "whole.run").write_text("\n".join(whole) + "\n")
(folder / "trunc.run").write_bytes((source / "results.trunc").read_bytes())
for name in ("out.test.aq", "out.test.aqc"):
    lines = (source / name).read_text().splitlines()
    wanted = ("map ", "recip_rank ", "P_10 ", "recall_100 ", "ndcg_cut_10 ")
    (folder / name).write_text("\n".join(line for line in lines if line.startswith(wanted)) + "\n")
