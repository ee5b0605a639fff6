"""The replication: its preprocessing, its trainer's promise to resume, and its tables."""

import gzip
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from experiments.snli_sepcnn import claims, figure7, pack, paper, plans, preprocess, training
from tests.golden.test_golden import first_difference

FOLDER = Path(preprocess.__file__).parent
ROOT = FOLDER.parents[1]


@pytest.fixture
def few_fits(monkeypatch):
    """Draw architectures for the ends of an interval only so often as makes one."""
    monkeypatch.setattr(training, "N_RESAMPLES", 40)


def test_tokens_follow_the_appendix():
    tokens = preprocess.pair_tokens("A Man is 5.5 feet tall.", "He is TALL. Very tall...")
    assert tokens == [
        "a", "man", "is", "5", ".", "5", "feet", "tall", "[SEP]", "he", "is", "tall", ".", "very",
        "tall",
    ]  # fmt: skip
    assert len(preprocess.pair_tokens("a " * 60, "b")) == 42
    assert preprocess.tokens_of(" . ") == []


def test_rare_tokens_share_one_index_and_short_pairs_are_padded(monkeypatch):
    monkeypatch.setattr(preprocess, "N_TOKENS", 2)
    texts = [["a", "a", "b"], ["b", "c"]]
    index = preprocess.vocabulary(texts)
    assert index == {"a": 2, "b": 3}
    encoded = preprocess.encode(texts, index)
    assert encoded.dtype == np.int16
    assert encoded.shape == (2, 42)
    assert encoded[1, :3].tolist() == [3, 1, 0]


ROWS = [("entailment", "A dog runs.", "It moves."), ("-", "A.", "B."), ("neutral", "A cat", "Sits")]


@pytest.mark.parametrize("layout", ["sample", "jsonl", "txt"])
def test_each_layout_of_snli_is_read(tmp_path, layout):
    header = "gold_label\tsentence1\tsentence2\n"
    table = header + "".join("\t".join(row) + "\n" for row in ROWS)
    if layout == "sample":
        for part in ("train_sample", "dev", "test"):
            with gzip.open(tmp_path / f"snli_{part}.tsv.gz", "wt") as file:
                file.write(table)
    for part in ("train", "dev", "test"):
        if layout == "txt":
            (tmp_path / f"snli_1.0_{part}.txt").write_text(table)
        if layout == "jsonl":
            rows = [dict(zip(header.split(), row, strict=True)) for row in ROWS]
            lines = "\n".join(json.dumps(row) for row in rows)
            (tmp_path / f"snli_1.0_{part}.jsonl").write_text(lines)
    arrays = preprocess.preprocess(tmp_path)
    assert arrays["test_y"].tolist() == [0, 1]
    assert len(arrays["train_y"]) == (4 if layout == "sample" else 2)
    words = arrays["vocabulary"].tolist()
    decoded = [words[i - 2] for i in arrays["test_tokens"][0] if i >= 2]
    assert decoded == ["a", "dog", "runs", "[SEP]", "it", "moves"]


def test_a_missing_corpus_is_reported(tmp_path):
    with pytest.raises(SystemExit, match="name the folder of SNLI with --snli"):
        preprocess.preprocess(tmp_path)


def test_rounding_keeps_every_decision():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 5000).astype(np.float32)
    p[:2000, 1] = p[:2000, 0] * (1 + 1e-6)
    p /= p.sum(axis=1, keepdims=True)
    rounded = pack.rounded(p)
    np.testing.assert_array_equal(rounded.argmax(axis=1), p.argmax(axis=1))
    assert np.abs(rounded.astype(float) - p).max() < 6e-4


def test_bytes_keep_every_decision_and_the_sum():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([0.4, 0.4, 0.4], 5000)
    p[:2000, 1] = p[:2000, 0] * (1 - 1e-6)
    p /= p.sum(axis=1, keepdims=True)
    kept = pack.in_255ths(p)
    assert kept.dtype == np.uint8
    assert (kept.astype(int).sum(axis=1) == 255).all()
    ordered = np.sort(kept, axis=1)
    assert (ordered[:, 2] > ordered[:, 1]).all()
    np.testing.assert_array_equal(kept.argmax(axis=1), p.argmax(axis=1))
    assert np.abs(kept / 255 - p).max() < 2.5 / 255


def test_a_plan_is_packed_by_its_own_names(tmp_path):
    tiny_tokens(tmp_path / "tokens.npz")
    chosen = [plans.curve()[0], plans.curve()[-1], plans.paper()[0]]
    rng = np.random.default_rng(1)
    for settings in chosen:
        summary = {"settings": asdict(settings), "curve": [{"validation_loss": 0.123456}]}
        np.savez(
            tmp_path / f"{settings.name}.npz", probabilities=rng.dirichlet(np.ones(3), 30),
            summary=np.array(json.dumps(summary)),
        )  # fmt: skip
    pack.pack(tmp_path, tmp_path / "tokens.npz", "curve", tmp_path / "kept")
    lines = (tmp_path / "kept/curve.jsonl").read_text().splitlines()
    assert [json.loads(line)["name"] for line in lines] == sorted(s.name for s in chosen[:2])
    preds = mc.read_predictions(tmp_path / "kept/curve.npz", normalize=True)
    assert preds.models == tuple(sorted(s.name for s in chosen[:2]))
    # What is kept stays where its run is gone.
    (tmp_path / f"{chosen[0].name}.npz").unlink()
    before = (tmp_path / "kept/curve.jsonl").read_bytes()
    pack.pack(tmp_path, tmp_path / "tokens.npz", "curve", tmp_path / "kept")
    assert (tmp_path / "kept/curve.jsonl").read_bytes() == before
    again = mc.read_predictions(tmp_path / "kept/curve.npz", normalize=True)
    for name in preds.models:
        np.testing.assert_array_equal(again.probabilities(name), preds.probabilities(name))
    pack.pack(tmp_path, tmp_path / "tokens.npz", "variants", tmp_path / "kept")
    assert not (tmp_path / "kept/variants.npz").exists()


@pytest.mark.usefixtures("few_fits")
def test_tables_of_the_trainings_are_made_from_what_is_kept(tmp_path, monkeypatch):
    tiny_tokens(tmp_path / "tokens.npz")
    rng = np.random.default_rng(1)
    # Two architectures at two sizes, and two variants of one seed.
    chosen = [*plans.curve()[:2], *plans.curve()[10:12], *plans.variants()[:2]]
    for place, settings in enumerate(chosen):
        summary = {
            "settings": asdict(settings), "test_accuracy": 0.5 + place / 100, "seconds": 1.0,
            "accuracy_of_swapped_premises": 0.4, "n_training_pairs": 9,
            "curve": [{"validation_loss": x, "validation_accuracy": -x} for x in (1.0, 0.5, 0.7)],
        }  # fmt: skip
        np.savez(
            tmp_path / f"{settings.name}.npz", probabilities=rng.dirichlet(np.ones(3), 30),
            summary=np.array(json.dumps(summary)),
        )  # fmt: skip
    for plan in ("curve", "variants"):
        pack.pack(tmp_path, tmp_path / "tokens.npz", plan, tmp_path / "kept")
    monkeypatch.setattr(training, "PREDICTIONS", tmp_path / "kept")
    monkeypatch.setattr(plans, "section_62", list)
    models, outputs, like = training.learning_curve()
    table = training.by_size(models, outputs, like)
    assert table["n_pairs"].tolist() == [1000, 3000]
    assert table["accuracy"].tolist() == pytest.approx([0.505, 0.525])
    assert table["debiased_ece"].between(0, 1).all()
    assert table["lost"].tolist() == pytest.approx([0.105, 0.125])
    curve = training.predicted(training.kept("curve"), [1000, 30_000])
    training.draw(table, curve, tmp_path / "c.png")
    assert (tmp_path / "c.png").stat().st_size > 10_000
    starts = training.by_start(models, 549_367)
    assert starts == {}
    markdown = training.curve_markdown(table, curve, starts)
    assert "| 3,000 | 2 | 0.525 (0.520 to 0.530) | 0.125 |" in markdown
    assert "30,000 pairs: an extrapolation by a factor of 10." in markdown
    assert "where the fit begins" not in markdown
    variants = training.by_variant(training.kept("variants"))
    rows = training.variants_markdown(variants).splitlines()
    assert rows[2].startswith("| mean over tokens, not over padding | 1 | 0.550 | +0.010 (")
    assert set(training.VARIANTS_SAID) == set(plans.VARIANTS)
    first, second = variants.itertuples()
    assert (first.variant, first.change, first.best_epoch) == ("as_trained", 0, 2)
    assert second.change == pytest.approx(0.01)


def test_at_all_pairs_the_curve_begins_with_the_hundred():
    settings = {s.name: s for s in plans.curve()}
    for own in plans.section_62()[::10]:
        again = settings[f"curve_29842_{own.name}_0"]
        assert asdict(again) == asdict(own) | {"name": again.name, "n_pairs": 29_842}


@pytest.mark.usefixtures("few_fits")
def test_the_forecast_by_where_the_fit_begins():
    # A power law without a floor is a line in logarithms, wherever it begins.
    models = pd.DataFrame([
        {"name": f"curve_{n:05d}_m000_0", "n_pairs": n, "test_accuracy": 1 - 0.6 * n**-0.1}
        for n in plans.CURVE_PAIRS
    ])  # fmt: skip
    found = training.by_start(models, 549_367)
    assert [*found] == [1000, 3000, 10_000]
    assert [*found.values()] == pytest.approx([1 - 0.6 * 549_367**-0.1] * 3)
    # Of the kept networks.
    models, _, _ = training.learning_curve()
    found = training.by_start(models, training.PUBLISHED_PAIRS)
    assert [*found.values()] == pytest.approx([0.708, 0.733, 0.761], abs=5e-4)
    page = " ".join((ROOT / "docs/paper.md").read_text(encoding="utf-8").split())
    forecast = training.predicted(models, [training.PUBLISHED_PAIRS])["accuracy"][0]
    assert f"{forecast:.2f} to {found[10_000]:.2f}, depending on where its fit begins" in page


def test_mean_confidence_orders_models_without_a_label():
    preds = paper.load(*(f"section62_{part}" for part in (1, 2, 3, 4)))
    certain = [preds.probabilities(model).max(axis=1).mean() for model in preds.models]
    f1, cf1 = (
        [function(preds.access.codes, output(model), average="macro") for model in preds.models]
        for function, output in (
            (mc.metrics.f1, preds.predicted), (mc.metrics.cf1, preds.probabilities)
        )
    )  # fmt: skip
    alike = [
        (certain[a] < certain[b]) == (f1[a] < f1[b]) for a, b in combinations(range(len(f1)), 2)
    ]
    kept = pd.read_csv(FOLDER / "results/extra/population.csv")
    kept = kept[(kept["metric_small"] == claims.CONFIDENCE) & (kept["metric_whole"] == "f1_macro")]
    whole, part = kept.set_index("n_samples")["pct_agree"][[9824, 98]]
    assert whole == pytest.approx(100 * np.mean(alike), abs=1e-3)
    rank = pd.Series(cf1).corr(pd.Series(certain), method="spearman")
    assert f"rank correlation {rank:.3f}, linear" in claims.confidence_note(preds)
    again = claims.confidence(preds, 20).query("metric_whole == 'f1_macro'").set_index("n_samples")
    assert again["pct_agree"][98] == pytest.approx(part, abs=2)
    assert again["pct_agree"][9824] == pytest.approx(whole, abs=1e-3)
    for page in ("README.md", "docs/paper.md", "experiments/snli_sepcnn/README.md"):
        text = " ".join((ROOT / page).read_text(encoding="utf-8").replace("*", "").split())
        assert re.search(rf"mean confidence, [a-z ]+, {part:.0f} %", text), page
        assert re.search(rf"mean confidence \(rank correlation {rank:.3f}[,)]", text), page
    assert f"{whole:.0f} % on all 9,824" in text


def test_every_plan_has_names_of_its_own_and_the_paper_is_as_it_was():
    names = [settings.name for plan in plans.PLANS.values() for settings in plan()]
    assert len({*names}) == len(names)
    kept = (FOLDER / "predictions/models.jsonl").read_text(encoding="utf-8").splitlines()
    settings = {s.name: asdict(s) for s in plans.paper()}
    for model in map(json.loads, kept):
        assert model["settings"].items() <= settings[model["name"]].items()
    assert [len(plan()) for plan in plans.PLANS.values()] == [103, 3, 150, 36]


@pytest.mark.usefixtures("few_fits")
def test_a_power_law_is_found_again_and_predicted():
    architectures = {f"m{i:03d}": 0.30 + 0.01 * i for i in range(6)}
    models = pd.DataFrame([
        {"name": f"curve_{n:05d}_{name}_0", "n_pairs": n,
         "test_accuracy": 1 - floor - 0.35 * (n / 1000) ** -0.4}
        for name, floor in architectures.items() for n in plans.CURVE_PAIRS
    ])  # fmt: skip
    (row,) = training.predicted(models, [549_367]).itertuples()
    true = 1 - 0.325 - 0.35 * 549.367**-0.4
    assert row.accuracy == pytest.approx(true, abs=1e-3)
    assert row.low < true < row.high


def test_what_is_kept_is_whole():
    lines = (FOLDER / "predictions/models.jsonl").read_text(encoding="utf-8").splitlines()
    models = [json.loads(line) for line in lines]
    assert len(models) == 103
    assert len({json.dumps(m["settings"], sort_keys=True) for m in models}) == 103
    arrays = {}
    for path in (FOLDER / "predictions").glob("*.npz"):
        with np.load(path) as file:
            arrays |= {name: file[name] for name in file.files if name.startswith("probs__")}
            y_true = file["y_true"]
    for model in models:
        array = arrays["probs__" + model["name"]]
        assert hashlib.sha256(array.tobytes()).hexdigest() == model["sha256"]
        assert np.mean(array.argmax(axis=1) == y_true) == pytest.approx(model["test_accuracy"])
    assert sum(p.stat().st_size for p in (FOLDER / "predictions").iterdir()) < 9e6


@pytest.mark.parametrize(
    "name",
    ["claims.md", "population.md", "ranking.md", "table1.md", "strong/claims.md",
     "training/curve.md", "training/variants.md"],
)  # fmt: skip
def test_the_tables_of_the_readme_are_those_that_were_made(name):
    made = (FOLDER / "results" / name).read_text(encoding="utf-8").strip()
    assert made in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_the_kept_results_are_what_the_predictions_give():
    preds = paper.load(*(f"section62_{part}" for part in (1, 2, 3, 4)))
    study = mc.studies.agreement_study(preds)
    table = paper.table_one({"t": study})
    kept = (FOLDER / "results/section62/agreement.csv").read_text(encoding="utf-8")
    assert study.table.to_csv(index=False, float_format="%.10g") == kept
    assert len(table) == 9
    assert table["pub_sig"].tolist()[0] == 93.29


@pytest.mark.slow
def test_the_paper_made_again_has_the_same_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["paper", "-o", str(tmp_path)])
    paper.main()
    results = FOLDER / "results"
    made = [p for p in tmp_path.rglob("*") if p.suffix in (".csv", ".md", ".tex")]
    # Tables of all pairs are too large to be kept.
    kept = {p: results / p.relative_to(tmp_path) for p in made}
    kept = {p: old for p, old in kept.items() if old.exists()}
    assert len(kept) > 20
    found = {p.name: first_difference(p.read_text(), old.read_text()) for p, old in kept.items()}
    assert {name: apart for name, apart in found.items() if apart} == {}


def test_published_shares_that_are_no_whole_number_of_pairs_are_named():
    assert "93.61, 95.75, 91.71 are no whole number of 4,950 pairs" in paper.count_note()
    assert "all nine are of 9,900" in paper.count_note()
    assert paper.is_share_of(50.0, 4950)
    assert not paper.is_share_of(50.01, 4950)


def test_an_interval_over_models_is_wider_than_one_over_their_pairs():
    rng = np.random.default_rng(0)
    names = [f"m{i}" for i in range(20)]
    own = dict(zip(names, rng.normal(size=20), strict=True))
    frame = pd.DataFrame(
        [(a, b, own[a] + own[b]) for a, b in combinations(names, 2)],
        columns=["model_a", "model_b", "sum"],
    )
    mean, low, high = claims.over_models(frame, "sum", np.mean)
    assert low < mean < high
    assert mean == pytest.approx(2 * np.mean([*own.values()]))
    # The mean over pairs is twice the mean over models, whose standard error is known.
    error = 2 * np.std([*own.values()], ddof=1) / np.sqrt(20)
    assert (high - low) / (2 * 1.96) == pytest.approx(error, rel=0.25)


def test_a_verdict_follows_the_share_of_the_cases_that_hold():
    found = [claims.Finding("x", "y", held, 1.0).verdict for held in (1.0, 0.7, 0.5)]
    assert found == ["confirmed", "confirmed with a limit", "refuted"]
    of_few, of_many = (claims.Finding("x", "y", 1.0, 90, low, 100, most=50) for low in (30, 80))
    assert (of_few.verdict, of_many.verdict) == ("too few models to say", "confirmed")


def test_the_example_that_ships_is_section_61():
    example, kept = mc.load_example("snli_sepcnn"), paper.load("section61")
    assert example.models == kept.models == ("model1_full", "model2_noise10", "model3_noise20")
    np.testing.assert_allclose(
        example.probabilities("model1_full"), kept.probabilities("model1_full"), atol=1e-3
    )


def tiny_tokens(path):
    rng = np.random.default_rng(0)
    np.savez(
        path, vocabulary=np.array([f"w{i}" for i in range(30)]),
        labels=np.array(preprocess.LABELS),
        train_tokens=rng.integers(2, 32, (600, 42)).astype(np.int16),
        train_y=rng.integers(0, 3, 600).astype(np.int8),
        test_tokens=rng.integers(2, 32, (30, 42)).astype(np.int16),
        test_y=rng.integers(0, 3, 30).astype(np.int8),
    )  # fmt: skip


@pytest.mark.slow
def test_killed_three_times_nothing_is_lost_and_nothing_trained_twice(tmp_path):
    pytest.importorskip("torch")
    tiny_tokens(tmp_path / "tokens.npz")
    command = [
        sys.executable, str(FOLDER / "train.py"), "--tokens", "tokens.npz", "--models", "5",
        "--max-epochs", "4", "--workers", "1", "--device", "cpu", "--runs",
    ]  # fmt: skip

    def run(runs, *, kill_after=None):
        process = subprocess.Popen([*command, runs], cwd=tmp_path, start_new_session=True,
                                   stdout=subprocess.PIPE, text=True)  # fmt: skip
        if kill_after is None:
            return process.communicate(timeout=300)[0]
        deadline = time.time() + 120
        while process.poll() is None and time.time() < deadline and not kill_after():
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0]

    run("whole")
    folder = tmp_path / "killed"
    names = ["model1_full", "model2_noise10", "model3_noise20", "m000", "m001"]
    stamps = {}
    for number in range(3):
        seen = len(stamps)
        run("killed", kill_after=lambda seen=seen: len(list(folder.glob("*.npz"))) > seen)
        now = {p.name: p.stat().st_mtime_ns for p in folder.glob("*.npz")}
        assert len(now) > number
        assert stamps.items() <= now.items()
        stamps = now
    out = run("killed")
    trained = [line.split(":")[0] for line in out.splitlines() if "test accuracy" in line]
    assert not {f"{name}.npz" for name in trained} & set(stamps)
    assert "5 of 5 models are there." in out
    for name in names:
        with np.load(folder / f"{name}.npz") as a, np.load(tmp_path / f"whole/{name}.npz") as b:
            np.testing.assert_array_equal(a["probabilities"], b["probabilities"])


def test_the_figure_of_the_network_has_the_layers_of_its_settings():
    drawn = re.findall(r"<text[^>]*>(.*?)</text>", figure7.OUTPUT.read_text("utf-8"))
    steps = figure7.steps(plans.section_61()[0])
    assert [each for each in drawn if each in steps] == steps
    for settings in plans.section_62()[:20]:
        layers = [each for each in figure7.steps(settings) if each.startswith("separable")]
        assert (
            layers
            == [f"separable convolution {settings.kernel_size}, {settings.filters} filters"]
            * 2
            * settings.blocks
        )
