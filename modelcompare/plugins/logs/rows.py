"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="logs",
    package=__package__,
    readers="rankings:READERS",
    formats="formats:FORMATS",
    unread="unread:UNREAD",
    documents={
        "sources": (
            "rankings | `query_id, doc_id, relevance` and a column of scores for each model "
            "(or `model, score`): nDCG@10 and others, `-m ndcg`",
            "logs of inspect_ai, lm-evaluation-harness, HELM, promptfoo, AlpacaEval, EvalPlus, "
            "SWE-bench, TREC, WMT, ... | name them, or their folder: [logs](#logs)",
        ),
        "logs": (
            "[inspect_ai](https://inspect.aisi.org.uk) | `.eval`, `.json` | an archive "
            "with `header.json`; `eval` and `samples` | `eval.model` | `eval.task` | "
            "sample id; epoch is a run, the runs of a sample its cluster; a sample and "
            "epoch may occur only once | every scorer (C, I, P, N are 1, 0, 0.5, 0; keys "
            "of dicts are `SCORER/KEY`); failed samples are missing | `modelcompare "
            "compare formats/inspect/*.eval --missing drop`",
            "[lm-evaluation-harness](https://github.com/EleutherAI/lm-evaluation-harness) "
            "| `samples_TASK_DATE.jsonl` | fields `doc_id`, `target`, `filtered_resps` | "
            "the folder, or the file's name | the task in the file's name | `doc_id`; "
            "`--filter` where there are several; the newest of several dates | every "
            "metric that is a number for each sample | `modelcompare compare "
            "formats/lm_eval --read set=signs`",
            "[lighteval](https://github.com/huggingface/lighteval) | `details_*.parquet` "
            "| columns `doc`, `metric`, `model_response` | `details/ORG/NAME/DATE/` | "
            "`doc.task_name` | `doc.id` | every metric | `modelcompare compare "
            "formats/lighteval`",
            "[Every Eval Ever](https://github.com/evaleval/every_eval_ever) | "
            "`*_samples.jsonl` | `schema_version`, `evaluation_id`, `sample_id` | "
            "`model_id` | `evaluation_name` | `sample_id`; epochs are runs | one for "
            "each `evaluation_result_id`; errors are missing | `modelcompare compare "
            "formats/every_eval_ever --missing drop`",
            "[promptfoo](https://www.promptfoo.dev) | `.json`, `.jsonl` | "
            "`results.results` with `provider` and `vars` | provider, and prompt where "
            "there are several | one | the variables; repeats are runs | `success`, "
            "`score`, every named score; errors (`failureReason` 2) are missing | "
            "`modelcompare compare formats/promptfoo/results.json --missing worst`",
            "[HELM](https://crfm.stanford.edu/helm) | `per_instance_stats.json`, "
            "`display_predictions.json` | fields `instance_id`, `train_trial_index`, "
            "`stats` | `model=` in the folder's name | the rest of that name; each split "
            "and perturbation is a separate set | instance; the trial is a run | every "
            "statistic of the answer | `modelcompare compare formats/helm --read "
            'set="mmlu-subject=philosophy,method=multiple_choice_joint test"`',
            "[AlpacaEval](https://github.com/tatsu-lab/alpaca_eval) | "
            "`annotations.json`, one or several | `generator_1`, `generator_2`, "
            "`preference` | `generator_2` | one; the baseline and the annotator must be "
            "the same | instruction | `win_rate`: the preference less 1, 0.5 for a tie; "
            "failed judgements are missing | `modelcompare compare "
            "formats/alpaca_eval/*/annotations.json`",
            "[MT-Bench](https://github.com/lm-sys/FastChat) | `gpt-4_single.jsonl` | "
            "`question_id`, `model`, `judge`, `score`, `turn` | `model` | one | question "
            "and turn; the question is the cluster | `score`; -1 (no rating) is missing "
            "| `modelcompare compare formats/mt_bench/gpt-4_single.jsonl --missing drop`",
            "[DeepEval](https://deepeval.com) | `test_run_*.json`, "
            "`.latest_test_run.json` | `testCases` with `metricsData` | the "
            "hyperparameter `model`, or the file | one | the input; repeats are answers "
            "| every metric; errors are missing | `modelcompare compare "
            "formats/deepeval/*.json --missing drop`",
            "[OpenCompass](https://github.com/open-compass/opencompass) | "
            "`results/MODEL/DATASET.json` with `--dump-eval-details` | `details` with "
            "`correct`, or `predictions` and `references` | the folder | the file | "
            "number of the sample; replications are answers | `correct`; where the file "
            "has none, equality if that is its accuracy | `modelcompare compare "
            "formats/opencompass --read set=letters`",
            "[EvalPlus](https://github.com/evalplus/evalplus) | `*_eval_results.json` | "
            "`eval` with `base_status` | the folder or the file | one | task; solutions "
            "are answers | `base`, and `plus` where both pass | `modelcompare compare "
            "formats/evalplus/70-bad/*.json formats/evalplus/70-g/*.json`",
            "[BigCodeBench](https://github.com/bigcode-project/bigcodebench) | "
            "`*_eval_results.json` | `eval` with `status` | the file | one | task; "
            "solutions are answers | `status` | `modelcompare compare "
            "formats/bigcodebench/*.json`",
            "[HumanEval](https://github.com/openai/human-eval) | `*_results.jsonl` | "
            "`task_id`, `completion`, `passed` | the file | one | task; samples are "
            "answers | `passed` | `modelcompare compare formats/humaneval/*.jsonl`",
            "[BigCode "
            "harness](https://github.com/bigcode-project/bigcode-evaluation-harness) | "
            "`logs.json` | pairs of a number and a result with `passed`, for each "
            "problem | the file | one | problem; programs are answers | `passed` | "
            "`modelcompare compare formats/bigcode/*_logs.json`",
            "[MLflow](https://mlflow.org) | `eval_results_table.json` | columns "
            "`METRIC/v1/score` | the file | one | `inputs` | every metric | "
            "`modelcompare compare formats/mlflow/eval_results_table.json`",
            "[Pydantic Evals](https://ai.pydantic.dev/evals/) | `.json`, a report by "
            "`EvaluationReportAdapter` | `cases` with `inputs`, `scores` and "
            "`assertions` | the file | one | the case; repeats are runs | every score "
            "and assertion; of cases that failed they are missing | `modelcompare "
            "compare formats/pydantic_evals/small.json formats/pydantic_evals/large.json "
            "--missing drop`",
            "[LeRobot](https://github.com/huggingface/lerobot) | `eval_info.json` | "
            "`per_task` with `metrics.successes` | the folder | one | the task; episodes "
            "are answers | `success`, `sum_reward`, `max_reward` | `modelcompare compare "
            "formats/lerobot`",
            "[WMT MQM](https://github.com/google/wmt-mqm-human-evaluation) | `mqm_*.tsv` "
            "| `system`, `doc`, `seg_id`, `rater`, `category`, `severity` | `system` | "
            "one | segment; the document is the cluster | `mqm`: minus the weights of "
            "the errors, averaged over the raters, as published | `modelcompare compare "
            "formats/mqm/mqm_ted_ende.tsv`",
            "[model-vs-human](https://github.com/bethgelab/model-vs-human) | "
            "`DATASET_*_session_*.csv` | `subj`, `object_response`, `category`, "
            "`imagename` | `subj`, a person or a network | start of the file's name | "
            "end of the image's name, with the condition if there are several | response "
            "beside category; no response is a wrong one | `modelcompare compare "
            "formats/model_vs_human/colour`",
            "[SWE-bench](https://github.com/SWE-bench/SWE-bench) | `MODEL.RUN.json` | "
            "`resolved_ids`, `unresolved_ids` | the file's name; several reports of a "
            "model are runs | one | instance; its repository is the cluster where there "
            "are several | resolved is 1, unresolved and empty patches 0, errors and "
            "incomplete ones missing | `modelcompare compare formats/swebench --missing "
            "worst`",
            "[WMT metrics](https://github.com/google-research/mt-metrics-eval) | "
            "`.seg.score`, `.doc.score` | lines of a system and a score, in a file so "
            "named | the system | language pair in the name or folder | line number "
            "within the system | the metric in the file's name; `None` is missing | "
            "`modelcompare compare formats/wmt/human-scores`",
            "TREC runs and qrels | text of any name | six, and four, columns | the run's "
            "tag, or the file | one | query | nDCG@10, AP, RR, P@10, R@100 by "
            "[ir-measures](https://ir-measur.es); a query that a run lacks is 0 | "
            "`modelcompare compare formats/trec/*.run formats/trec/test.qrels`",
            "[NeMo](https://github.com/NVIDIA/NeMo) | JSON lines (`.json`, `.jsonl`) | "
            "fields `audio_filepath` and `pred_text` | the file, or `pred_text_MODEL` "
            "for each | | audio file's name, with `offset` where it repeats | "
            "`pred_text` beside `text` | `modelcompare compare formats/manifests -m wer`",
            "[Open ASR Leaderboard](https://github.com/huggingface/open_asr_leaderboard) "
            "| `MODEL_*_DATASET_*.jsonl` | the same | the file's name | the file's name "
            "| the same | the same | `modelcompare compare formats/manifests/*.jsonl -m "
            "wer`",
            "[sclite](https://github.com/usnistgov/SCTK) | text (`.trn`) | every line "
            "ends with `(utterance_id)` | the file | folder | utterance; `--groups "
            "speaker` where ids begin with it | text beside that of the reference file | "
            "`modelcompare compare formats/trn/*.trn -m wer`",
            "[sacrebleu](https://github.com/mjpost/sacrebleu), "
            "[jiwer](https://github.com/jitsi/jiwer) | text | any other text of as many "
            "lines | the file | folder | line number | text beside that of the reference "
            "file | `modelcompare compare formats/lines/*.txt -m wer`",
        ),
    },
)
