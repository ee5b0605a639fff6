"""A copy of the repository without some plugins: ``python -m tests.unplugged FOLDER NAME...``."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.pages import ROOT

_LEFT = shutil.ignore_patterns(
    ".git", ".venv*", "__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis", "site", "build"
)


def unplug(names, folder):
    """Copy the repository into an empty folder, take plugins out, and write the generated files."""
    shutil.copytree(ROOT, folder, ignore=_LEFT, dirs_exist_ok=True)
    for name in names:
        shutil.rmtree(folder / "modelcompare" / "plugins" / name)
        shutil.rmtree(folder / "tests" / "plugins" / name, ignore_errors=True)
    for generator in ("tests.test_public_api", "tests.documents"):
        done = run(folder, "-m", generator)
        assert done.returncode == 0, done.stderr


def run(folder, *arguments):
    """Run Python in the copy, whose package it imports."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(folder)},
    )  # fmt: skip


if __name__ == "__main__":
    unplug(sys.argv[2:], Path(sys.argv[1]))
