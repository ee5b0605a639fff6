"""Results by OpenCompass' own code for details, without a model: make.py OPENCOMPASS."""

import importlib.util
import json
import sys
import types
from pathlib import Path


class Registry:
    def register_module(self):
        return lambda made: made


def quiet(*_):
    return types.SimpleNamespace(info=quiet, warning=quiet)


REGISTRIES = ("ICL_EVALUATORS", "MODELS", "TASKS", "TEXT_POSTPROCESSORS")
NEEDED = {
    "datasets": {"Dataset": type("Dataset", (), {})}, "mmengine": {},
    "mmengine.config": {"Config": dict, "ConfigDict": dict},
    "mmengine.utils": {"mkdir_or_exist": None},
    "opencompass": {}, "opencompass.registry": dict.fromkeys(REGISTRIES, Registry()),
    "opencompass.tasks": {},
    "opencompass.tasks.base": {"BaseTask": object, "extract_role_pred": None},
    "opencompass.utils": {"build_dataset_from_cfg": None, "get_infer_output_path": None, "get_logger": quiet},
    "opencompass.utils.logging": {"get_logger": quiet},
}  # fmt: skip


def module(path):
    spec = importlib.util.spec_from_file_location(Path(path).stem, Path(sys.argv[1], path))
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def written(model, name, result):
    path = Path(__file__).parent / model / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(result, indent=4, ensure_ascii=False))


for name, members in NEEDED.items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(members)
task = module("opencompass/tasks/openicl_eval.py").OpenICLEvalTask
base = module("opencompass/openicl/icl_evaluator/icl_base_evaluator.py").BaseEvaluator


class Right(base):
    def score(self, predictions, references):
        pairs = zip(predictions, references, strict=True)
        details = [{"pred": p, "answer": r, "correct": p == r} for p, r in pairs]
        return {
            "accuracy": 100 * sum(d["correct"] for d in details) / len(details),
            "details": details,
        }


# An evaluator without details, as AccEvaluator, whose accuracy counts equal texts.
for model, answers in {"small": "ACDDBB", "large": "ACBDAC"}.items():
    true = "ACBDAB"
    prompts = [{"origin_prompt": f"question {n}", "prediction": p} for n, p in enumerate(answers)]
    accuracy = 100 * sum(map(str.__eq__, answers, true)) / len(true)
    details = task.format_details(None, [*answers], [*true], None, prompts)
    written(model, "letters", {"accuracy": accuracy, "details": details})
# One with details, of three samples in two replications.
samples = [{"subdivision": "letters", "idx": n % 3} for n in range(6)]
for model, answers in {"small": "ACDABB", "large": "ACBACC"}.items():
    written(
        model, "repeated",
        Right().evaluate(1, 2, samples, predictions=[*answers], references=[*"ACBACB"]),
    )  # fmt: skip
