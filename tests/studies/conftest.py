import pytest

from tests.studies.made_up import made_up


@pytest.fixture(scope="session")
def preds():
    return made_up()
