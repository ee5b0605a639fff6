"""Test runs by deepeval, with metrics that measure the length of answers: make.py."""

import os
from pathlib import Path

HERE = Path(__file__).parent
os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_RESULTS_FOLDER": str(HERE)}
from deepeval import evaluate  # noqa: E402
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig  # noqa: E402
from deepeval.metrics import BaseMetric  # noqa: E402
from deepeval.test_case import LLMTestCase  # noqa: E402

ASKED = ("Capital of Norway?", "Capital of Italy?", "Capital of France?", "2 + 2?",
         "Colour of the sky?", "What is water?")  # fmt: skip
ANSWERS = {
    "small": ("Oslo", "Rome", "It fails", "4", "blue", "H2O"),
    "large": ("The city of Oslo", "Rome", "Paris", "four", "blue", "water is H2O"),
}


class Length(BaseMetric):
    threshold = 0.5

    def __init__(self, name, limit):
        self.name, self.limit = name, limit

    def measure(self, case, *_, **__):
        if "fails" in case.actual_output:
            raise RuntimeError("no answer")
        self.score = min(1.0, len(case.actual_output) / self.limit)
        self.success = self.score >= self.threshold
        return self.score

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return self.name


for model, answers in ANSWERS.items():
    evaluate(
        [LLMTestCase(input=q, actual_output=a) for q, a in zip(ASKED, answers, strict=True)],
        metrics=[Length("Length", 8), Length("Detail", 12)], hyperparameters={"model": model},
        async_config=AsyncConfig(run_async=False), error_config=ErrorConfig(ignore_errors=True),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        cache_config=CacheConfig(write_cache=False),
    )  # fmt: skip
    max(HERE.glob("test_run_*.json")).rename(HERE / f"{model}.json")
