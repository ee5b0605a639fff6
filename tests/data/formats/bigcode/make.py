"""Logs of programs by code_eval of BigCode's harness, as humanevalpack.py keeps them.

HF_ALLOW_CODE_EVAL=1 python make.py HARNESS; the programs are those below.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(sys.argv[1], "bigcode_eval/tasks")))
from custom_metrics.code_eval import compute_code_eval

RIGHT = ("x + 1", "2 * x", "-x", "x * x")
TESTS = ("assert f(1) == 2", "assert f(2) == 4", "assert f(3) == -3", "assert f(4) == 16")
GOOD = {"small": (1, 0, 0, 1, 0, 1, 0, 0), "large": (1, 1, 1, 0, 1, 1, 0, 1)}
for model, good in GOOD.items():
    bodies = [
        [body if right else "0" for right in good[2 * place : 2 * place + 2]]
        for place, body in enumerate(RIGHT)
    ]
    programs = [[f"def f(x):\n    return {body}\n" for body in pair] for pair in bodies]
    _, logs = compute_code_eval(predictions=programs, references=TESTS, k=[1])
    text = json.dumps(logs, indent=4, ensure_ascii=False)
    Path(__file__).with_name(f"{model}_logs.json").write_text(text)
