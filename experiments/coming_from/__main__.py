"""Do the same tasks with other packages and with this one, and keep the tables.

Run: ``python -m experiments.coming_from [NAME ...]``, in a separate environment (README.md).
"""

import sys
import warnings

from experiments.coming_from import python_tasks, r_tasks
from experiments.coming_from.tables import Task

RESULTS = r_tasks.HERE / "results"
TASKS = {
    task.__name__: task
    for task in (
        python_tasks.scikit_learn, python_tasks.stambo, python_tasks.confidenceinterval,
        python_tasks.sacrebleu, python_tasks.evalstats, python_tasks.rliable, python_tasks.autorank,
        r_tasks.proc, r_tasks.yardstick,
    )
}  # fmt: skip


def kept(task: Task) -> str:
    """The file of a task: what it was, and its table."""
    return f"The task: {task.what}.\n\n{task.table()}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    RESULTS.mkdir(exist_ok=True)
    for name in sys.argv[1:] or TASKS:
        made = kept(TASKS[name]())
        (RESULTS / f"{name}.md").write_text(made, "utf-8")
        print(f"{name}\n{made}")
