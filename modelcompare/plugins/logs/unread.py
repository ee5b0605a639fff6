"""Documents of tools that have no row for each sample, and what to compare instead.

Fields as in mteb 1.12 and 2.20 (results/MODEL/REVISION/TASK.json), lm_eval 0.4 (results_DATE.json),
EvalPlus 0.3 (eval_results.json), BigCode's harness (evaluation_results.json) and SWE-bench 4
(report.json of one instance).
"""

from __future__ import annotations

from modelcompare.readers.content import File

# Keys of a document, what it is, and what to do.
_KNOWN = (
    (
        {"task_name", "mteb_version", "scores"}, "a task's result by MTEB",
        "rank the folder of all models: modelcompare ranks results/",
    ),
    (
        {"results", "configs"}, "the means of lm-evaluation-harness",
        "compare its logs of samples (--log_samples), or make a table for `modelcompare ranks` "
        "with one metric of each task, in rows such as dataset,model,score = arc_easy,gpt2,0.61",
    ),
    (
        {"eval", "hash"}, "the result of EvalPlus",
        "modelcompare compare reads it, a file for each model, if it has base_status and "
        "plus_status of each solution",
    ),
    (
        {"pass@1"}, "the pass rates of BigCode's harness",
        "compare the logs.json of tasks that write one, or make a table for `modelcompare compare` "
        "with a row for each program, as model,item,attempt,score = coder,HumanEval/0,1,0",
    ),
    (
        {"accuracy"}, "an accuracy",
        "compare a log of samples (OpenCompass writes one with --dump-eval-details), or make a "
        "table for `modelcompare ranks` with rows such as dataset,model,score = arc_easy,gpt2,0.61",
    ),
    (
        {"patch_successfully_applied", "resolved"}, "the report of one SWE-bench instance",
        "compare the reports of whole runs, MODEL.RUN.json",
    ),
)  # fmt: skip


def summary_in(file: File) -> str | None:
    """Describe a document of a tool that is no log of samples; None for others."""
    inside = [file.payload, *(file.payload.values() if isinstance(file.payload, dict) else ())]
    for keys, what, remedy in _KNOWN:
        if any(isinstance(each, dict) and keys <= {*each} for each in inside):
            return f"{file.name} is {what}, not a row for each sample; {remedy}."
    queries = [*file.payload.values()] if isinstance(file.payload, dict) else []
    if queries and all(isinstance(each, dict) and each for each in queries):
        cells = [cell for each in queries for cell in each.values()]
        if all(isinstance(cell, int | float) for cell in cells):
            return (
                f"{file.name} has a number for each document of each query, as runs and judgements "
                "of retrieval have; compare them written as TREC does: a run in lines of query, "
                "Q0, document, rank, score, tag (q1 Q0 d3 1 0.7 bm25), judgements in lines of "
                "query, 0, document, relevance (q1 0 d3 1)."
            )
    return None


UNREAD = (summary_in,)
