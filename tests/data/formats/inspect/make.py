"""Write the logs of this folder: ``python make.py`` with inspect_ai 0.3.285, offline."""

# ruff: noqa: ARG001

from inspect_ai import Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, match, mean, scorer
from inspect_ai.solver import generate, solver

QUESTIONS = [
    ("France", "Paris", "Europe"), ("Japan", "Tokyo", "Asia"), ("Kenya", "Nairobi", "Africa"),
    ("Peru", "Lima", "America"), ("Norway", "Oslo", "Europe"), ("Nepal", "Kathmandu", "Asia"),
]  # fmt: skip
ANSWERS = {
    "alpha": {"France": "Paris", "Japan": "Tokyo", "Kenya": "Nairobi", "Peru": "Cusco",
              "Norway": "Oslo", "Nepal": "Kathmandu"},
    "beta": {"France": "Paris", "Japan": "Kyoto", "Kenya": "I do not know", "Peru": "Lima",
             "Norway": "Oslo, I think", "Nepal": "Pokhara"},
}  # fmt: skip


@scorer(metrics=[accuracy()])
def graded():
    """Correct, partly so, no answer or wrong: C, P, N, I."""

    async def score(state, target):
        spoken = state.output.completion
        partly = "P" if target.text in spoken else "N" if "not know" in spoken else "I"
        return Score(value="C" if spoken == target.text else partly, answer=spoken)

    return score


@scorer(metrics={"*": [mean()]})
def style():
    """Two numbers and a text."""

    async def score(state, target):
        words = state.output.completion.split()
        return Score(value={"words": len(words), "short": len(words) == 1})

    return score


@solver
def fragile():
    """Fail where the second model is asked of Nepal for the second time."""

    async def solve(state, generate):
        if (state.model.name, state.sample_id, state.epoch) == ("beta", "Nepal", 2):
            raise RuntimeError("the connection was lost")
        return state

    return solve


@task
def capitals():
    samples = [
        Sample(id=land, input=f"What is the capital of {land}?", target=capital,
               metadata={"continent": continent})
        for land, capital, continent in QUESTIONS
    ]  # fmt: skip
    return Task(
        MemoryDataset(samples, name="capitals"), solver=[fragile(), generate()],
        scorer=[match(location="exact"), graded(), style()], fail_on_error=False,
    )  # fmt: skip


def model(name):
    def output(messages, tools, choice, config):
        land = messages[-1].text.removeprefix("What is the capital of ").rstrip("?")
        spoken = ModelOutput.from_content(name, ANSWERS[name][land])
        spoken.usage = ModelUsage(input_tokens=6, output_tokens=1, total_tokens=7)
        return spoken

    return get_model(f"mockllm/{name}", custom_outputs=output)


def without_paths(log):
    """Remove what identifies the machine, and the transcripts, which are long."""
    log.eval.task_file = log.eval.revision = None
    for sample in log.samples:
        sample.events = []
        sample.attachments = {}
        if sample.error:
            sample.error.traceback = sample.error.traceback_ansi = sample.error.message
    return log


if __name__ == "__main__":
    for name in ANSWERS:
        (log,) = eval(capitals(), model=model(name), epochs=2, max_samples=1, display="none")
        for suffix in ("eval", "json"):
            write_eval_log(without_paths(log), f"{name}.{suffix}")
