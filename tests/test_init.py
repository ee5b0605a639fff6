import subprocess
import sys
from importlib.metadata import version

import pytest

import modelcompare
from tests.plugged import all_plugins


@pytest.mark.parametrize("name", modelcompare.__all__)
def test_every_public_name_can_be_loaded(name):
    assert getattr(modelcompare, name) is getattr(modelcompare, name)
    assert name in dir(modelcompare)


def test_an_unknown_name_is_an_attribute_error():
    # The second name is that of a plugin's function.
    second = " or " if all_plugins() else ""
    message = rf"has no attribute 'compair'; did you mean compare{second}"
    with pytest.raises(AttributeError, match=message):
        modelcompare.compair  # noqa: B018


def test_the_version_is_that_of_the_package():
    assert modelcompare.__version__ == version("modelcompare-stats")


@pytest.mark.parametrize("program", ["import modelcompare", "import modelcompare.cli"])
def test_the_import_is_cheap(program):
    slow = [
        "html.entities", "json", "matplotlib", "modelcompare.arguments", "numpy", "pandas", "scipy",
        "secrets", "sklearn", "statsmodels", "tqdm",
    ]  # fmt: skip
    code = f"import sys; {program}; print([name for name in {slow} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_plain_comparison_imports_nothing_that_it_does_not_need(tmp_path):
    rows = [f"{i % 2},{i % 2},{i % 3 == 0:d}" for i in range(40)]
    path = tmp_path / "small.csv"
    path.write_text("\n".join(["y_true,a,b", *rows]))
    slow = [
        "dask", "duckdb", "jinja2", "joblib", "matplotlib", "polars", "scipy.optimize",
        "scipy.stats", "sklearn", "statsmodels", "numpy.f2py.f2py2e", "pydantic", "unittest",
    ]  # fmt: skip
    code = (
        "import sys; from modelcompare.cli import main; "
        f"code = main(['compare', {str(path)!r}, '--resamples', '99', '-o', {str(path)!r} + '.md']); "
        f"print(code, [name for name in {slow} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0 []"


def test_what_is_not_loaded_at_the_start_is_loaded_when_it_is_used(tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("\n".join(["y_true,a,b", *("1,1,0" for _ in range(4)), "0,0,1"]))
    code = (
        "import sys; from modelcompare.cli import main; "
        f"main(['compare', {str(path)!r}, '--resamples', '9', '-o', {str(path)!r} + '.md']); "
        "import numpy as np; np.testing.assert_allclose(np.polynomial.Polynomial([1, 2])(3), 7); "
        "from numpy.testing import assert_equal; print(np.f2py.__name__, assert_equal.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "numpy.f2py assert_equal"
