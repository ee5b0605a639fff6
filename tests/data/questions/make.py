"""Write the files that docs/questions.md asks: `python make.py`, with scikit-learn 1.7."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_digits
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier

import modelcompare as mc

HERE = Path(__file__).parent
rng = np.random.default_rng(0)


# Files that ship with the package.
EXAMPLES = ("digits.csv", "benchmarks.csv", "loans.csv")


def write(name, frame):
    folder = Path(mc.__file__).parent / "examples" if name in EXAMPLES else HERE
    frame.to_csv(folder / name, index=False)


def digits():
    """Three classifiers of handwritten digits."""
    X, y = load_digits(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, train_size=600, random_state=0)
    models = {
        "logistic": LogisticRegression(C=0.001, max_iter=2000),
        "forest": RandomForestClassifier(50, random_state=0),
        "bayes": GaussianNB(var_smoothing=1e-2),
    }
    predicted = {name: model.fit(train, y_train).predict(test) for name, model in models.items()}
    ink = np.where(test.sum(axis=1) > np.median(test.sum(axis=1)), "dark", "light")
    frame = pd.DataFrame({"id": np.arange(len(test)), "ink": ink, "y_true": y_test, **predicted})
    write("digits.csv", frame[:600])
    (HERE / "digits").mkdir(exist_ok=True)
    for name in ("logistic", "forest"):
        columns = {"id": "id", "y_true": "y_true", name: "y_pred"}
        write(f"digits/{name}.csv", frame[[*columns]].rename(columns=columns)[:600])
    keep = (y_test != 8) | (np.cumsum(y_test == 8) <= 18)
    labels = frame[keep].iloc[:, 2:] == 8
    write("eights.csv", labels.replace({True: "eight", False: "other"}))


def diabetes():
    """Two regressions of the progress of diabetes."""
    X, y = load_diabetes(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    models = {"ridge": Ridge(0.1), "forest": RandomForestRegressor(50, random_state=0)}
    predicted = {m: f.fit(train, y_train).predict(test).round(1) for m, f in models.items()}
    write("diabetes.csv", pd.DataFrame({"y_true": y_test, **predicted}))


def markers():
    """Two markers of 113 patients: tests/data/asah.csv without its comment."""
    write("markers.csv", pd.read_csv(HERE.parent / "asah.csv", comment="#"))


def answers():
    """Made up: 90 questions about 30 texts, each asked three times of three language models."""
    passage, item = np.repeat(np.arange(30), 3), np.arange(90)
    hard = rng.normal(size=30)[passage] + rng.normal(size=90)
    rows = [
        (model, f"q{i}", f"text{passage[i]}", run, int(skill - hard[i] + rng.logistic() > 0))
        for model, skill in {"large": 1.1, "medium": 0.8, "small": -0.2}.items()
        for i in item
        for run in (1, 2, 3)
    ]
    write("answers.csv", pd.DataFrame(rows, columns=["model", "item", "passage", "run", "score"]))


def translations():
    """Made up: marks from 0 to 100 that people gave 240 sentences of 30 documents."""
    doc = np.repeat(np.arange(30), 8)
    easy = rng.normal(75, 8, 30)[doc] + rng.normal(0, 8, 240)
    marks = {
        name: np.clip(easy + gain + rng.normal(0, 3, 30)[doc] + rng.normal(0, 6, 240), 0, 100)
        for name, gain in {"online": 4, "research": 3, "baseline": -2}.items()
    }
    frame = pd.DataFrame({"doc": doc, "seg_id": np.arange(240), **marks})
    write("translations.csv", frame.round(0).astype(int))


def benchmarks():
    """Made up: three models on six benchmarks of 40 questions."""
    skills = {"alpha": 0.9, "beta": 0.6, "gamma": 0.0}
    rows = [
        (name, f"{name}-{i}", model, int(skill + ease + rng.logistic() > 0))
        for name, ease in zip(["law", "logic", "maths", "code", "poems", "trivia"], rng.normal(0, 0.7, 6), strict=True)
        for i in range(40)
        for model, skill in skills.items()
    ]  # fmt: skip
    write("benchmarks.csv", pd.DataFrame(rows, columns=["set", "item", "model", "score"]))


def days():
    """Sketches of two parts of the example that ships, which docs/large.md describes as of days."""
    preds = mc.load_example("snli")[["bow_pair", "naive_bayes"]]
    for name, first, last in (("monday", 0, 5000), ("tuesday", 5000, 9824)):
        part = preds.subset(np.arange(first, last))
        outputs = {model: part.probabilities(model) for model in part.models}
        named = mc.Predictions(part.y_true, outputs, labels=part.labels, ids=np.arange(first, last))
        mc.io.sketch(named, "f1_macro", buckets=256).save(HERE / f"{name}.sketch.parquet")


def tags():
    """Made up: 400 articles with tags, and those that two models give, as JSON lines."""
    rng = np.random.default_rng(3)
    names = np.array(["art", "law", "sport", "war"])
    true = rng.random((400, 4)) < [0.4, 0.3, 0.2, 0.05]

    def marked(wrong):
        rows = true ^ (rng.random((400, 4)) < wrong)
        return [names[row].tolist() for row in rows]

    columns = {"id": range(400), "y_true": [names[row].tolist() for row in true]}
    frame = pd.DataFrame({**columns, "large": marked(0.06), "small": marked(0.1)})
    frame.to_json(HERE / "tags.jsonl", orient="records", lines=True)


def entities():
    """Made up: counts of entities of two types that two taggers found in 60 documents."""
    rng = np.random.default_rng(4)
    rows = []
    for doc in range(60):
        ease = rng.normal(0, 0.7)
        for label in ("person", "place"):
            n_true = rng.poisson(rng.lognormal(1, 0.8))
            for model, skill in (("crf", 0.9), ("bert", 1.5)):
                tp = rng.binomial(n_true, 1 / (1 + np.exp(-skill - ease)))
                rows.append((doc, model, label, tp, rng.poisson(0.8), n_true - tp))
    columns = ["doc_id", "model", "label", "tp", "fp", "fn"]
    write("entities.csv", pd.DataFrame(rows, columns=columns))


def patients():
    """Made up: risks that two models give 300 patients, of whom 40 % are censored."""
    rng = np.random.default_rng(6)
    risk = rng.normal(0, 1, 300)
    relapse, last = rng.exponential(24 * np.exp(-risk)), rng.exponential(36, 300)
    frame = pd.DataFrame({
        "patient": [f"p{k:03d}" for k in range(300)],
        "time": (np.minimum(relapse, last) + 0.1).round(1), "event": (relapse <= last).astype(int),
    })  # fmt: skip
    for model, noise in (("forest", 0.4), ("cox", 0.9)):
        frame[model] = (risk + rng.normal(0, noise, 300)).round(3)
    write("patients.csv", frame)


def loans():
    """Made up: two models' probabilities that a loan is granted, on test and validation data."""
    rng = np.random.default_rng(5)
    for name, n in (("loans", 900), ("loans_validation", 400)):
        sex, granted = rng.choice(["f", "m"], n), rng.random(n) < 0.35
        frame = pd.DataFrame({"y_true": np.where(granted, "granted", "refused"), "sex": sex})
        for model, bias, skill in (("tree", 0.0, 1.3), ("net", 0.8, 1.7)):
            score = skill * (2 * granted - 1) + rng.normal(0, 1.2, n) - bias * (sex == "f") - 0.3
            p = (1 / (1 + np.exp(-score))).round(3)
            frame[f"{model}:granted"], frame[f"{model}:refused"] = p, (1 - p).round(3)
        write(f"{name}.csv", frame)
    (HERE / "costs.csv").write_text(",granted,refused\ngranted,0,1\nrefused,5,0\n")


def demand():
    """Made up: two forecasts of a daily demand, whose errors resemble those of the day before."""
    rng = np.random.default_rng(6)
    errors = rng.normal(size=(2, 365))
    for day in range(1, 365):
        errors[:, day] += 0.6 * errors[:, day - 1]
    true = 20 + 5 * np.sin(np.arange(365) / 58) + rng.normal(size=365)
    dates = pd.date_range("2025-01-01", periods=365).strftime("%Y-%m-%d")
    columns = {"arima": true + errors[0], "ets": true + 1.15 * errors[1]}
    write("demand.csv", pd.DataFrame({"date": dates, "y_true": true, **columns}).round(2))


def detections():
    """Made up: boxes of two labels in 60 images, and detections by two models, as COCO has them."""
    rng = np.random.default_rng(7)
    boxes, found = [], {"large": [], "small": []}
    for image in range(60):
        for label, mean in ((1, 2.0), (2, 0.7)):
            for corner in rng.integers(0, 80, (rng.poisson(mean), 2)).tolist():
                box = [*corner, *rng.integers(15, 40, 2).tolist()]
                place = {"image_id": image, "category_id": label}
                boxes.append({**place, "bbox": box})
                for model, error in (("large", 1.5), ("small", 3.0)):
                    near = (box + rng.normal(0, error, 4)).round(1).tolist()
                    if rng.random() < 0.85:
                        found[model].append(
                            {**place, "bbox": near, "score": round(rng.beta(4, 2), 3)}
                        )
                    if rng.random() < 0.25:
                        near[0] += 60
                        found[model].append(
                            {**place, "bbox": near, "score": round(rng.beta(2, 3), 3)}
                        )
    labels = [{"id": 1, "name": "car"}, {"id": 2, "name": "bicycle"}]
    images = [{"id": image} for image in range(60)]
    truth = {"images": images, "categories": labels, "annotations": boxes}
    for name, content in {"boxes": truth, **{f"boxes_{m}": x for m, x in found.items()}}.items():
        (HERE / f"{name}.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


def moderated():
    """Made up: 1,200 comments with a judge's verdict, of which three people labelled some."""
    rng = np.random.default_rng(2)
    toxic = rng.random(1200) < 0.25

    def said(right):
        return np.where(np.where(rng.random(1200) < right, toxic, ~toxic), "toxic", "fine")

    frame = pd.DataFrame({"id": np.arange(1200), "large": said(0.9), "small": said(0.83)})
    frame["judge"] = said(0.88)
    # Comments that the judge finds toxic are labelled three times as often.
    probability = np.where(frame["judge"] == "toxic", 0.45, 0.15)
    labelled = rng.random(1200) < probability
    frame["weight"] = np.where(labelled, (1 / probability).round(2), np.nan)
    for person in ("ann1", "ann2", "ann3"):
        frame[person] = np.where(labelled, said(0.93), "")
    write("moderated.csv", frame)


def battles():
    """Made up: 900 battles of four chat models, judged by 40 users who have tastes and like length."""
    rng = np.random.default_rng(4)
    names = np.array(["oak", "elm", "fir", "ash"])
    first = rng.integers(4, size=900)
    second = (first + rng.integers(1, 4, size=900)) % 4
    user = rng.integers(40, size=900)
    strength = np.array([0.7, 0.4, 0.0, -0.6]) + rng.normal(0, 0.4, (40, 4))
    length = (rng.gamma(4, np.array([90, 50, 60, 60])[np.stack([first, second])]) + 10).astype(int)
    eta = strength[user, first] - strength[user, second] + 0.2 + (length[0] - length[1]) / 400
    level = rng.random(900) * (np.exp(eta / 2) + np.exp(-eta / 2) + 0.6)
    won = [level < np.exp(eta / 2), level < np.exp(eta / 2) + np.exp(-eta / 2)]
    write("battles.csv", pd.DataFrame({
        "model_a": names[first], "model_b": names[second],
        "winner": np.select(won, ["model_a", "model_b"], "tie"), "user": user,
        "length_a": length[0], "length_b": length[1],
    }))  # fmt: skip


def clicks():
    """Made up: two models' probabilities that each of 800 views was clicked on, in two files."""
    rng = np.random.default_rng(1)
    wish = rng.normal(-1, 1.5, 800)
    clicked = np.where(rng.logistic(size=800) < wish, "yes", "no")
    columns = {"y_true": clicked}
    for name, noise in {"deep": 0.4, "linear": 1.2}.items():
        p = (1 / (1 + np.exp(-wish - rng.normal(0, noise, 800)))).round(3)
        columns |= {f"{name}:no": 1 - p, f"{name}:yes": p}
    frame = pd.DataFrame(columns)
    (HERE / "clicks").mkdir(exist_ok=True)
    for part in (0, 1):
        frame[400 * part :][:400].to_parquet(HERE / "clicks" / f"{part}.parquet", index=False)


def seeds():
    """Six trainings of two networks, each on 400 other digits: right or wrong on 120 digits."""
    X, y = load_digits(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X / 16, y, test_size=120, random_state=0)
    rows = []
    for run in range(6):
        some = np.random.default_rng(run).choice(len(train), 400, replace=False)
        for name, width in (("narrow", 16), ("wide", 32)):
            network = MLPClassifier((width,), max_iter=200, random_state=run)
            right = network.fit(train[some], y_train[some]).predict(test) == y_test
            rows += [(name, i, run + 1, int(score)) for i, score in enumerate(right)]
    write("seeds.csv", pd.DataFrame(rows, columns=["model", "item", "run", "score"]))


def latencies():
    """Made up: right answers and latencies of two versions of a service to 500 requests."""
    rng = np.random.default_rng(4)
    hard, rows = rng.normal(size=500), []
    for model, skill, scale in (("v1", 0.9, 6.5), ("v2", 1.0, 6.15)):
        correct = (rng.normal(size=500) < skill - 0.8 * hard).astype(int)
        retried = (rng.random(500) < 0.05) * rng.exponential(0.6, 500)
        latency = np.exp(scale + 0.35 * hard + 0.3 * rng.normal(size=500) + retried)
        rows += zip([model] * 500, range(500), correct, latency.round().astype(int), strict=True)
    write("latencies.csv", pd.DataFrame(rows, columns=["model", "id", "correct", "latency_ms"]))


def tickets():
    """Made up: topics of 400 tickets by five models, and the latency of each answer."""
    rng, topics = np.random.default_rng(8), np.array(["billing", "bug", "other"])
    truth, hard, length = rng.integers(0, 3, 400), rng.random(400), rng.normal(size=400)
    columns = {"y_true": topics[truth]}
    spec = {"tiny": (0.62, 30), "small": (0.8, 75), "quantized": (0.8, 50), "large": (0.91, 310),
            "legacy": (0.66, 180)}  # fmt: skip
    for model, (right, _) in spec.items():
        wrong = 0.75 * hard + 0.25 * rng.random(400) > right - 0.06
        columns[model] = topics[np.where(wrong, (truth + rng.integers(1, 3, 400)) % 3, truth)]
    for model, (_, milliseconds) in spec.items():
        latency = milliseconds * np.exp(0.35 * length + 0.25 * rng.normal(size=400))
        columns[f"latency_ms_{model}"] = latency.round(1)
    write("tickets.csv", pd.DataFrame(columns))


def search():
    """Made up: a ledger of 20 changes of a classifier, of which the 3rd, 9th and 14th are real."""
    (HERE / "search.jsonl").unlink(missing_ok=True)
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 3000)
    best, name = np.where(rng.random(3000) < 0.7, truth, 1 - truth), "v0"
    for number in range(1, 21):
        real = 0.1 if number in (3, 9, 14) else 0
        flipped = rng.random(3000) < np.where(best == truth, 0.02, 0.05 + real)
        change = np.where(flipped, 1 - best, best)
        preds = mc.Predictions(truth, {name: best, f"v{number}": change})
        found = mc.keep(preds, name, f"v{number}", "accuracy:+0", ledger=HERE / "search.jsonl")
        if found.passed:
            best, name = change, f"v{number}"


for make in (
    digits, diabetes, markers, answers, translations, benchmarks, days, moderated, clicks, seeds,
    search, tags, entities, loans, demand, battles, latencies, patients,
    detections, tickets,
):  # fmt: skip
    make()
