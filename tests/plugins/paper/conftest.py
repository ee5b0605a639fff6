import pytest

from tests.made_up import made_up


@pytest.fixture(scope="session")
def preds():
    return made_up()
