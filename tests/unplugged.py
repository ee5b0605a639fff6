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
    """Copy the repository into an empty folder, and take plugins out."""
    shutil.copytree(ROOT, folder, ignore=_LEFT, dirs_exist_ok=True)
    for name in names:
        shutil.rmtree(folder / "modelcompare" / "plugins" / name)
        shutil.rmtree(folder / "tests" / "plugins" / name, ignore_errors=True)


def generate(folder):
    """Write the files that are generated from the plugins which are there: stubs, pages, names."""
    for generator in ("tests.test_public_api", "tests.documents"):
        done = run(folder, "-m", generator)
        assert done.returncode == 0, done.stderr


def run(folder, *arguments, given=None):
    """Run Python in the copy, whose package it imports."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, encoding="utf-8", input=given,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )  # fmt: skip


if __name__ == "__main__":
    unplug(sys.argv[2:], Path(sys.argv[1]))
    generate(Path(sys.argv[1]))
