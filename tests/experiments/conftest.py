"""Mark all tests of this folder: what they test is no part of the package."""

import pytest


def pytest_itemcollected(item):
    """Mark a test of an experiment."""
    item.add_marker(pytest.mark.experiments)
