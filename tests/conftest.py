"""Fixtures that all tests share."""

import gc
import shutil
import sys
from pathlib import Path

import hypothesis
import pytest

from tests import small_blocks as blocks
from tests.in_pytest import session as session
from tests.plugged import needs

hypothesis.settings.register_profile("modelcompare", derandomize=True, deadline=None)
hypothesis.settings.load_profile("modelcompare")

# What these ask about (signals, pipes, /proc, /dev/full, modes of files, bash) is Linux's.
collect_ignore = (
    []
    if sys.platform == "linux"
    else [
        "bad_input",
        "cli/forked.py",
        "cli/test_process.py",
        "engine/test_progress.py",
        "experiments",
        "readers/test_content.py",
        "report/test_paths.py",
        "sources/test_checkpoints.py",
        "sources/test_many_machines.py",
        "test_action.py",
        "test_memory.py",
        "test_skill.py",
    ]
)

# Examples of what the core declares and a plugin answers.
_ANSWERED = {
    "modelcompare.comparison.result.Comparison.pareto": "pareto",
    "modelcompare.questions.frontier.Frontier.queue": "judges",
    "modelcompare.questions.paired.paired_test": "classical",
    "modelcompare.plugins.folds.fold_comparison.FoldComparison.with_rope": "published",
    "modelcompare.plugins.folds.fold_scores.compare_folds": "published",
}


def pytest_collection_modifyitems(items):
    """Skip the examples of plugins that are absent; begin with pages.

    A process that has nothing left to do takes tests from the end of the other's list, so that the
    site is built by one process, which is the only one to start a browser.
    """
    for item in items:
        if (plugin := _ANSWERED.get(item.name)) is not None:
            item.add_marker(needs(plugin))
    items.sort(key=lambda item: item.get_closest_marker("pages") is None)


# Collecting makes millions of objects that live as long as the tests, and no garbage. To look for
# garbage among them takes a third of the collection, and then a tenth of the tests.
gc.disable()


def pytest_collection_finish():
    """Leave what was collected to itself, and look for garbage in what tests make."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture
def undrawn(monkeypatch):
    """Save figures neither drawn nor laid out, where nothing is asked of what they show."""
    from matplotlib.figure import Figure

    from modelcompare.report.figures import layout
    from modelcompare.report.writers import files

    monkeypatch.setattr(layout, "_fit_texts", lambda _: None)
    monkeypatch.setattr(files, "_settle", lambda _: None)
    monkeypatch.setattr(
        Figure, "savefig", lambda _, file, **__: file.write(b'<svg viewBox="0 0 1 1"/>')
    )


@pytest.fixture(scope="module")
def small_blocks():
    """Cut rows into blocks of `tests.small_blocks.ROW_BLOCK`, in all tests of a file."""
    with blocks.cutting():
        yield


SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of the real data sets; skip the test where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the folder ../shared/data is absent")
    return SHARED_DATA


@pytest.fixture(scope="module")
def browser():
    """Start Chromium; skip the test where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip("needs Chromium; Debian's will do")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()
