"""Write the reports of two made-up tasks: ``python make.py``, with pydantic-evals."""

from dataclasses import dataclass
from pathlib import Path

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected, Evaluator
from pydantic_evals.reporting import EvaluationReportAdapter


@dataclass
class Length(Evaluator):
    """The share of the expected length, and a text."""

    def evaluate(self, ctx):
        return {"length": len(ctx.output) / 2, "kind": "short"}


NUMBERS = range(12)
CASES = [Case(name=f"case {n}", inputs={"n": n}, expected_output=f"{n:02}") for n in NUMBERS]
SUMS = Dataset(name="sums", cases=CASES, evaluators=[EqualsExpected(), Length()])


def small(given):
    if given["n"] == 7:
        raise ValueError("no answer")
    return str(given["n"])


def large(given):
    return f"{given['n']:02}" if given["n"] % 4 else "none"


for task, repeat in ((small, 1), (large, 1), (large, 2)):
    report = SUMS.evaluate_sync(task, progress=False, repeat=repeat)
    for failure in report.failures:
        failure.error_stacktrace = ""
    name = task.__name__ + ("_twice" if repeat == 2 else "")
    text = EvaluationReportAdapter.dump_json(report).decode()
    Path(__file__).with_name(f"{name}.json").write_text(text + "\n")
