"""Files and frames that cannot be read as they are."""

import modelcompare as mc
from tests.bad_input.case import Call, Run

CASES: list[Call | Run] = [
    Call(
        "a file that is not there",
        lambda folder: mc.read_predictions(folder / "absent.csv"),
        "FOLDER/absent.csv: there is no such file.",
        FileNotFoundError,
    ),
]
