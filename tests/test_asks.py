"""Thirty public questions: the first command answers, or is refused with what would answer.

Each row has the thread, the command, and the whole line or lines of the answer that decide. Options
state the question only: a truth, a metric, a direction, sizes of folds. "Before" is what it took on
2135f1bc: 1 where the first command answered, 2 after one hint, 0 where nothing did.
"""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from modelcompare.cli.app import main
from tests.asks import SHAPES, write_all
from tests.plugged import needs


@dataclass(frozen=True)
class Ask:
    """A question, its first command, and patterns of what stderr and stdout must contain."""

    shape: str
    thread: str
    command: str
    before: int
    read: str
    answer: str = ""
    code: int = 0
    plugin: str = ""


KEEP = "--baseline {} --candidate {} --higher-is-better --ledger l.jsonl"
ANSWERED = [
    Ask("two_runs", "dotnet/skills#952", "compare two_runs.csv", 1,
        r"models: 2 \(run_a, run_b\); left out: 1 \(eval\)",
        r"run_a is highest \(0\.78\) but is not significantly different from"),
    Ask("all_wins", "dotnet/skills PR #1027", "compare all_wins.csv", 2,
        r"id: scenario \(by its values\); run: run; models: 2 \(baseline, skilled\)",
        r"4 items x 3 runs.*not significantly different.*p = 0\.12", plugin="runs"),
    Ask("equal_candidate", "skillberry-ai/cap-evolve PR #317",
        "keep equal_candidate.csv " + KEEP.format("baseline", "candidate"), 1,
        r"id: task_id \(by its values\)", r"undecided: it is not shown that candidate is better", 1,
        "ledgers"),
    Ask("robots", "huggingface/lerobot PR #4629, #4619, #3578", "compare act smolvla", 0,
        r"format: LeRobot evaluation; models: 2 \(act, smolvla\)",
        r"200 answers of 10 items.*success: smolvla leads \(0\.840\)", plugin="logs"),
    Ask("segmentation", "torchgeo-bench#202, nnUNet#3050", "groups segmentation.csv", 2,
        r"id: column case \(by its values\); model: column model; set: column dataset; scores: dice",
        r"mean of 16 test sets: unet leads \(0\.8229\)", plugin="suites"),
    Ask("forecasts", "xskillscore#192, scikit-learn#29692",
        "compare forecasts.csv --true actual --time date", 1,
        r"22 blocks of consecutive samples", r"rmse: arima leads", plugin="time"),
    Ask("epidemics", "epiforecasts/scoringutils#37", "compare epidemics.csv", 0,
        r"those of one forecast_date count as independent; .*--groups forecast_date.*"
        r"id: column forecast_date\+location \(by its values\).*wis: lower is better",
        r"60 samples.*EuroCOVIDhub-ensemble leads.*better than\s+UMass-MechBayes"),
    Ask("free_energies", "OpenFreeEnergy/cinnabar PR #174",
        "compare free_energies.csv --true exp -m rmse -m kendall", 1,
        r"truth: exp; id: ligand \(by its values\); models: 3", r"rmse: fep leads.*kendall: fep leads"),
    Ask("folds_in_rows", "breimanntools/aaanalysis#91",
        "ranks folds_in_rows.csv --n-train 4 --n-test 1", 1, "",
        r"svm has the highest mean over 25 folds", plugin="folds"),
    Ask("logged_tables", "mlflow/mlflow#3237, #4277", "compare mlruns", 1,
        r"format: MLflow evaluation; models: 2", r"exact_match: .*leads \(0\.833\)", plugin="logs"),
    Ask("survival", "bhklab/survcomp#12", "compare survival.csv", 1, r"truth: time and event",
        r"c_index: risk_genomic leads", plugin="survival"),
    Ask("judged", "Hephaestus#1440",
        "compare judged.csv --judge verdict --groups repo --read weight=weight", 0,
        r"truth: truth; judge: 1 \(verdict\); models: 2 \(linter, agent\)",
        r"agent leads \(0\.884\) and is better than linter", plugin="judges"),
    Ask("latencies", "mlcommons/inference#1095",
        "compare latencies.csv -m p90 --confidence-level 0.9", 0,
        r"id: query \(by its values\); models: 1 \(latency_ms\).*lower is better",
        r"p90: latency_ms scores 257\.5 \(90 % CI 2\d\d\.\d to 26\d\.\d\)"),
    Ask("candidates", "gepa-ai/gepa#133, stanfordnlp/dspy#9062",
        "keep candidates.csv " + KEEP.format("seed_prompt", "candidate_2"), 1,
        r"models: 2 \(seed_prompt, candidate_2\)", r"undecided", 1, "ledgers"),
    Ask("pass_at_k", "prime-rl PR #1834, strands-labs/robots PR #3521",
        "compare pass_at_k.csv -m pass@4 -m pass^4", 0,
        r"id: column task \(by its values\).*answer: column attempt",
        r"240 answers of 30 items.*pass_at_4: .*pass_hat_4: ", plugin="answers"),
    Ask("rewards", "allenai/reward-bench#269", "groups rewards.csv --slice subset", 1,
        r"models: 2 \(rm_7b, rm_70b\)", r"rm_70b is highest in 4 of 4 subgroups"),
    Ask("speech", "kaldi#442", "compare speech.csv -m wer --groups speaker", 2,
        r"truth: reference .*id: utt", r"wer: tdnn leads \(0\.095\) and is better than chain", plugin="texts"),
    Ask("systems", "neulab/ExplainaBoard#325", "compare systems.csv", 1, r"truth: true_label",
        r"accuracy: bert leads"),
    Ask("fairness", "fairlearn#1443", "groups fairness.csv --by sex --gaps -m accuracy", 1,
        r"truth: y_true", r"unmitigated: accuracy differs by up to 0\.002", plugin="gaps"),
    Ask("two_judges", "SynapseKit#980", "compare two_judges.csv --true human -m kappa", 1,
        r"truth: human", r"cohen_kappa: gpt_judge leads \(0\.840\)"),
    Ask("one_configuration", "tau2-bench#540, localOllamaRAG#243", "compare one_configuration.csv", 0,
        r"id: task_id \(by its values\); run: trial \(--read model=trial compares its runs\)",
        r"40 items x 4 runs.*reward scores 0\.669.*new runs are allowed for", plugin="runs"),
    Ask("recommenders", "RecBole PR #1644, ml4ir PR #136", "compare recommenders.csv", 1,
        r"id: column user .*ndcg@10: higher is better", r"LightGCN leads \(0\.287\) and is better"),
    Ask("schedulers", "srs-benchmark PR #36", "compare schedulers.csv", 2,
        r"id: column user .*scores: logloss; left out: 1 \(reviews\)", r"FSRS-5 leads"),
    Ask("medals", "openai/mle-bench PR #104", "compare medals.csv", 0,
        r"id: column competition .*model: column agent .*run: column seed",
        r"25 items x 2 to 4 runs.*aide is highest \(0\.253\)", plugin="runs"),
    Ask("reports", "pydantic-evals", "compare reports", 0,
        r"format: Pydantic Evals report; models: 2 \(gpt, haiku\)",
        r"similarity: gpt is highest.*EqualsExpected: gpt is highest", plugin="logs"),
    Ask("ten_folds", "stats.SE 240453, 575720",
        "ranks ten_folds.csv --n-train 9 --n-test 1 --higher-is-better", 1, "",
        r"has the highest mean over 10 folds", plugin="folds"),
]  # fmt: skip
# Refused, or answered in part, with the next command; why.
REFUSED = [
    Ask("at_least", "fullsend-ai/fullsend#2460, eval-view#4", "gate at_least.csv --rule accuracy>=0.9",
        0, r"compare FILE --confidence-level 0\.9", code=2),  # a limit is no rule yet
    Ask("stored_number", "vllm-project/vllm PR #44704, #34333",
        "gate stored_number.csv --rule exact_match>=0.87", 0, r"Name two models", code=2),
    Ask("stream", "tensorzero PR #4627", "compare stream.csv", 0, r"models: 1 \(value\)",
        r"scores 0\.802 \(95 % CI 0\.761 to 0\.839\)"),  # the interval; no rule of stopping
    Ask("benchmarks", "llvm-test-suite PR #377, llama.cpp PR #12557", "compare benchmarks.csv", 0,
        r"each row is a data set \(column 'benchmark'\)", code=2),  # no differences in per cent
]  # fmt: skip


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("asks")
    write_all(folder)
    return folder


@pytest.mark.filterwarnings("default::modelcompare.data.checks.DataWarning")
@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(ask, id=ask.shape, marks=needs(ask.plugin) if ask.plugin else ())
        for ask in [*ANSWERED, *REFUSED]
    ],
)
def test_the_first_command_answers_or_is_refused_with_the_next(ask, inputs, monkeypatch, capsys):
    monkeypatch.chdir(inputs / ask.shape)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    code = main(ask.command.split())
    printed = capsys.readouterr()
    assert code == ask.code, printed.err
    for pattern, text in ((ask.read, printed.err), (ask.answer, printed.out)):
        assert re.search(" *".join(pattern.split(" ")), " ".join(text.split())), text


def test_each_of_thirty_shapes_is_asked_once():
    assert sorted(SHAPES) == sorted(ask.shape for ask in [*ANSWERED, *REFUSED])
    assert (len(SHAPES), len(ANSWERED)) == (30, 26)
    assert sum(ask.before == 1 for ask in [*ANSWERED, *REFUSED]) < len(ANSWERED)


@needs("runs")
@pytest.mark.filterwarnings("default::modelcompare.data.checks.DataWarning")
def test_numbers_of_some_answers_are_those_of_pandas(inputs, monkeypatch, capsys):
    values = {
        "epidemics": ("wis", "model"), "medals": ("medal", "agent"), "schedulers": ("logloss", "model"),
    }  # fmt: skip
    for shape, (score, model) in values.items():
        monkeypatch.chdir(inputs / shape)
        assert main(["compare", f"{shape}.csv", "--format", "csv", "--resamples", "99"]) == 0
        found = pd.read_csv(pd.io.common.StringIO(capsys.readouterr().out))
        rows = found[found["table"] == "scores"].set_index("model")["estimate"]
        frame = pd.read_csv(f"{shape}.csv")
        expected = frame.groupby(model)[score].mean()
        np.testing.assert_allclose(rows.loc[expected.index], expected, rtol=1e-12)


def test_slices_of_groups_and_keys_by_the_names_of_the_library(inputs, monkeypatch, capsys):
    monkeypatch.chdir(inputs / "rewards")
    answers = []
    for flag in ("--by", "--slice"):
        assert main(["groups", "rewards.csv", flag, "subset", "--resamples", "99"]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]
    monkeypatch.chdir(inputs / "one_configuration")
    for key in ("model", "model-column"):
        assert main(["compare", "one_configuration.csv", "--read", f"{key}=trial"]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[2] == answers[3]
    assert "4 models, 40 samples" in answers[3]


@needs("runs")
def test_two_models_are_asked_of_by_name_or_one_is_read_as_its_runs(inputs, monkeypatch, capsys):
    monkeypatch.chdir(inputs / "one_configuration")
    assert main(["sample-size", "one_configuration.csv"]) == 2
    assert "there is one model (reward)" in (found := capsys.readouterr().err)
    assert "--read model=COLUMN" in found
    chosen = ["--read", "model=trial", "--model", "0", "--model", "1"]
    assert main(["sample-size", "one_configuration.csv", *chosen]) == 0
