"""Write the logs of this folder: ``python make.py`` with inspect_ai 0.3.285, offline."""

# ruff: noqa: ARG001

from inspect_ai import Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate, solver


@solver
def fragile(first):
    """Fail at a sample, and so end the run."""

    async def solve(state, generate):
        if state.sample_id >= first:
            raise RuntimeError("the connection was lost")
        return state

    return solve


@task
def sums(first):
    samples = [Sample(id=k, input=f"{k} + 1", target=str(k + 1)) for k in range(6)]
    return Task(
        MemoryDataset(samples, name="sums"), solver=[fragile(first), generate()],
        scorer=match(location="exact"), fail_on_error=True,
    )  # fmt: skip


def output(messages, tools, choice, config):
    spoken = ModelOutput.from_content("gamma", "1")
    spoken.usage = ModelUsage(input_tokens=6, output_tokens=1, total_tokens=7)
    return spoken


def without_paths(log):
    """Remove what identifies the machine, and the transcripts, which are long."""
    log.eval.task_file = log.eval.revision = None
    for error in (log.error, *(sample.error for sample in log.samples)):
        if error:
            error.traceback = error.traceback_ansi = error.message
    for sample in log.samples:
        sample.events = []
        sample.attachments = {}
    return log


if __name__ == "__main__":
    for first, name in ((0, "none"), (2, "part"), (9, "whole")):
        model = get_model("mockllm/gamma" if first < 9 else "mockllm/delta", custom_outputs=output)
        (log,) = eval(sums(first), model=model, max_samples=1, display="none")
        for suffix in ("eval", "json"):
            write_eval_log(without_paths(log), f"{name}.{suffix}")
