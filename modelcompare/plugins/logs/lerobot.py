"""Results of LeRobot's evaluations: ``eval_info.json``.

huggingface/lerobot, scripts/lerobot_eval.py: ``per_task`` has for each task its group, its number
and lists of the episodes' successes and rewards. Episodes are repeated answers to a task; those of
one number start from the same seed.

## logs

- [LeRobot](https://github.com/huggingface/lerobot) | `eval_info.json` | `per_task` with
  `metrics.successes` | the folder | one | the task; episodes are answers | `success`, `sum_reward`,
  `max_reward` | `modelcompare compare formats/lerobot`
"""

from __future__ import annotations

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format
from modelcompare.readers.formats.rows import Row, of_rows
from modelcompare.readers.records import SCORE
from modelcompare.readers.tables import lookup

_SCORES = {"successes": "success", "sum_rewards": "sum_reward", "max_rewards": "max_reward"}


def _episodes(file: File) -> pd.DataFrame:
    rows = [row for task in file.payload["per_task"] for row in _of_task(file, task)]
    return pd.DataFrame(rows, dtype=object)


def _of_task(file: File, task: Row) -> list[Row]:
    """Return a row for each episode of a task."""
    name = f"{task.get('task_group')} {task.get('task_id')}"
    lists = {SCORE + score: lookup(task, ["metrics", key]) for key, score in _SCORES.items()}
    held = {score: each for score, each in lists.items() if isinstance(each, list) and each}
    numbers = range(max(map(len, held.values()), default=0))
    if any(len(each) < len(numbers) for each in held.values()) or SCORE + "success" not in held:
        raise ValueError(
            f"{file.name}: task {name!r} must have a success, and a reward if any, of each "
            "episode; write the file again."
        )
    return [{"id": name, "run": n, **{h: each[n] for h, each in held.items()}} for n in numbers]


def _is_evaluation(file: File) -> bool:
    tasks = lookup(file.payload, ["per_task"])
    lists = [lookup(each, ["metrics", "successes"]) for each in tasks or ()]
    return bool(lists) and all(isinstance(each, list) for each in lists)


FORMAT = Format(
    "LeRobot evaluation", kinds=frozenset({"json"}), looks_like=_is_evaluation,
    read=of_rows(_episodes, is_log=True),
)  # fmt: skip
