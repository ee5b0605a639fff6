"""The table of real files: enough of them, each with an answer that can fail."""

import shutil
from dataclasses import replace

from experiments.real_files.__main__ import row
from experiments.real_files.cases import CASES
from tests.readers.opening import DATA


def test_there_are_thirty_files_of_fifteen_repositories():
    assert len(CASES) >= 30
    assert len({case.repository for case in CASES}) >= 15
    second = [case for case in CASES if case.harvest == 2]
    assert len(second) == len({case.repository for case in second}) == 30
    for case in CASES:
        assert bool(case.refused) != bool(case.metric)


def test_an_answer_is_compared_with_the_reference(tmp_path):
    case = next(case for case in CASES if case.model == "70-g")
    shutil.copytree(DATA / "evalplus", tmp_path / case.repository / "results")
    (tmp_path / case.repository / "results/phi_1_samples_eval_results.json").unlink()
    cells, holds = row(replace(case, value=2 / 3), tmp_path)
    assert (holds, cells[5]) == (True, "base of 70-g: 0.666667")
    assert not row(replace(case, value=0.76), tmp_path)[1]


def test_a_refusal_must_name_the_way_out(tmp_path):
    case = next(case for case in CASES if case.refused and "bbox" in case.files[0])
    shutil.copytree(DATA / "coco", tmp_path / case.repository / "results")
    assert row(case, tmp_path)[1]
    assert not row(replace(case, refused="something else"), tmp_path)[1]
