"""Fixtures that all tests share."""

from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("modelcompare", derandomize=True, deadline=None)
hypothesis.settings.load_profile("modelcompare")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of the real data sets; skip the test where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the folder ../shared/data is absent")
    return SHARED_DATA
