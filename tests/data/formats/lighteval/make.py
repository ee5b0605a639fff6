"""Write the details of this folder: ``python make.py`` with lighteval 0.13.0, offline.

Writing needs no deep learning: the packages that would run a model are stood in for.
"""

# ruff: noqa: ARG002

import importlib.abc
import importlib.machinery
import sys
from unittest.mock import MagicMock

ABSENT = {"accelerate", "inspect_ai", "openai", "sentencepiece", "spacy", "torch",
          "transformers"}  # fmt: skip


class StandIn(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Find an empty module in place of each absent one."""

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ABSENT:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return MagicMock(name=spec.name, __path__=[], __spec__=spec)

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, StandIn())
import torch  # noqa: E402

torch.Tensor = torch.dtype = type("Tensor", (), {})
from lighteval.logging.evaluation_tracker import EvaluationTracker  # noqa: E402
from lighteval.metrics import apply_metric  # noqa: E402
from lighteval.metrics.metrics import Metrics  # noqa: E402
from lighteval.models.abstract_model import ModelConfig  # noqa: E402
from lighteval.models.model_output import ModelResponse  # noqa: E402
from lighteval.tasks.requests import Doc  # noqa: E402

for stood_in in [name for name in sys.modules if name.split(".")[0] in ABSENT]:
    del sys.modules[stood_in]

QUESTIONS = [("The largest planet?", "Jupiter", "space"), ("The smallest prime?", "two", "numbers"),
             ("The red planet?", "Mars", "space"), ("Half of ten?", "five", "numbers"),
             ("Who wrote Faust?", "Johann Wolfgang von Goethe", "books")]  # fmt: skip
ANSWERS = {
    "made-up/large": ["Jupiter", "two", "Mars", "five", "Goethe"],
    "made-up/small": ["Saturn", "two", "the planet Mars", "ten", "Goethe"],
}
METRICS = [Metrics.exact_match.value, Metrics.f1_score.value]

if __name__ == "__main__":
    for name, answers in ANSWERS.items():
        tracker = EvaluationTracker(output_dir=".", save_details=True)
        tracker.general_config_logger.log_model_info(ModelConfig(model_name=name))
        docs = [
            Doc(query=query, choices=[answer], gold_index=0, id=str(n), task_name="trivia|0",
                specific={"subject": subject})
            for n, (query, answer, subject) in enumerate(QUESTIONS)
        ]  # fmt: skip
        responses_made = [ModelResponse(text=[answer], input=doc.query, input_tokens=[1], output_tokens=[[2]])
                for doc, answer in zip(docs, answers, strict=True)]  # fmt: skip
        for doc, response, metrics in zip(
            docs,
            responses_made,
            apply_metric(responses=responses_made, docs=docs, metrics=METRICS),
            strict=True,
        ):
            tracker.details_logger.log("trivia|0", doc, response, metrics)
        tracker.details_logger.aggregate()
        tracker.save()
