"""Write the files again."""

import os

from tests.golden import COMPARISONS, FOLDER, written

os.environ["COLUMNS"] = "80"
for name, compared in COMPARISONS.items():
    for file, text in written(name, compared()).items():
        (FOLDER / file).write_text(text, encoding="utf-8", newline="\n")
