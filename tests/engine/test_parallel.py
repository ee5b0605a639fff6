"""Work on items as they come: in order, few of them in memory, errors let through."""

import threading
from collections.abc import Iterator

import joblib
import pytest

from modelcompare import config_context
from modelcompare.engine import parallel


@pytest.fixture
def four_threads(monkeypatch):
    monkeypatch.setattr(parallel._Blas, "n_free", 4)


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
@pytest.mark.parametrize("n_items", [0, 1, 3, 30])
@pytest.mark.usefixtures("four_threads")
def test_results_come_in_the_order_of_the_items(n_jobs, n_items):
    with config_context(n_jobs=n_jobs):
        found = list(parallel.as_they_come(lambda x: x * x, iter(range(n_items))))
    assert found == [x * x for x in range(n_items)]


@pytest.mark.usefixtures("four_threads")
def test_joblib_is_asked_where_it_is_configured():
    with joblib.parallel_config("threading", n_jobs=2):
        assert [*parallel.as_they_come(str, iter(range(20)))] == [*map(str, range(20))]


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.usefixtures("four_threads")
def test_few_items_are_read_ahead(n_jobs):
    read = []

    def items() -> Iterator[int]:
        for item in range(100):
            read.append(item)
            yield item

    with config_context(n_jobs=n_jobs):
        found = parallel.as_they_come(lambda x: x, items())
        ahead = [len(read) - 1 - result for result in found]
    assert max(ahead) <= 8


@pytest.mark.usefixtures("four_threads")
def test_items_are_worked_on_while_others_are_read():
    started = threading.Event()

    def items() -> Iterator[int]:
        yield 0
        assert started.wait(10)
        yield 1

    def task(item: int) -> int:
        started.set()
        return item

    assert [*parallel.as_they_come(task, items())] == [0, 1]


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
@pytest.mark.usefixtures("four_threads")
def test_an_error_of_a_task_or_an_item_is_let_through(n_jobs):
    with config_context(n_jobs=n_jobs), pytest.raises(ZeroDivisionError):
        list(parallel.as_they_come(lambda x: 1 / x, iter([2, 1, 0, 1])))

    def items() -> Iterator[int]:
        yield 1
        raise KeyError

    with config_context(n_jobs=n_jobs), pytest.raises(KeyError):
        list(parallel.as_they_come(lambda x: x, items()))
