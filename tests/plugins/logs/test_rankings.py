"""Tables of queries, documents, relevance and scores have the measures of TREC's runs."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import ndcg_score

import modelcompare as mc
from tests.readers.opening import DATA

pytest.importorskip("ir_measures")
TREC = DATA / "trec"
QRELS = pd.read_csv(
    TREC / "test.qrels", sep=r"\s+", header=None, names=["query_id", "_", "doc_id", "relevance"],
    usecols=["query_id", "doc_id", "relevance"],
)  # fmt: skip
RUN = pd.read_csv(
    TREC / "whole.run", sep=r"\s+", header=None, usecols=[0, 2, 4],
    names=["query_id", "q0", "doc_id", "rank", "score", "tag"],
)  # fmt: skip
RNG = np.random.default_rng(0)
WIDE = pd.DataFrame({
    "query": np.repeat([f"q{i}" for i in range(12)], 8), "docno": [f"d{i}" for i in range(8)] * 12,
    "relevance": RNG.integers(0, 4, 96), "bm25": RNG.permutation(96) / 7.0,
    "dense": RNG.permutation(96) / 100.0,
})  # fmt: skip
LONG = WIDE.melt(["query", "docno", "relevance"], var_name="model", value_name="score")


def ndcg(model):
    return [
        ndcg_score([own["relevance"]], [own[model]], k=10)
        for _, own in WIDE.groupby("query", sort=False)
    ]


def test_a_table_has_the_measures_of_the_run_and_judgements_that_it_joins(tmp_path):
    table = RUN.merge(QRELS, how="outer", on=["query_id", "doc_id"])
    table.to_csv(tmp_path / "whole.csv", index=False)
    found = mc.read_predictions(tmp_path / "whole.csv")
    expected = mc.read_predictions([TREC / "whole.run", TREC / "test.qrels"])
    assert found.models == ("whole",)
    assert found.access.scores.names == expected.access.scores.names
    by_query = [
        dict(zip(map(str, each.ids), each.output("whole").array.tolist(), strict=True))
        for each in (found, expected)
    ]
    assert by_query[0] == by_query[1]


@pytest.mark.parametrize("table", [WIDE, LONG], ids=["a column each", "a row each"])
@pytest.mark.parametrize("written", [True, False])
def test_scores_of_several_models_give_ndcg(tmp_path, table, written):
    if written:
        table.to_csv(tmp_path / "t.csv", index=False)
    found = mc.read_predictions(tmp_path / "t.csv" if written else table)
    assert found.models == ("bm25", "dense")
    values = mc.bootstrap(found, "ndcg", n_resamples=2).estimate
    # Gains of trec_eval are the grades, as in scikit-learn.
    np.testing.assert_allclose(values, [np.mean(ndcg("bm25")), np.mean(ndcg("dense"))], rtol=1e-9)


def test_the_name_of_a_score_may_lack_its_cutoff():
    found = mc.compare(WIDE.pipe(mc.read_predictions), ["ndcg", "P"], n_resamples=99)
    assert [*found.scores["metric"].unique()] == ["nDCG@10", "P@10"]
    with pytest.raises(ValueError, match="no score 'precision'; the models have nDCG@10, AP"):
        mc.compare(mc.read_predictions(WIDE), "precision")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda t: pd.concat([t, t.iloc[:1].assign(bm25=0.5)]), "two scores of document d0"),
        (lambda t: pd.concat([t, t.iloc[:1].assign(relevance=9)]), "two grades of relevance"),
    ],
)
def test_a_document_that_is_ranked_twice_is_refused(change, why):
    with pytest.raises(ValueError, match=why):
        mc.read_predictions(change(WIDE))


@pytest.mark.parametrize(
    "table",
    [WIDE.drop(columns="relevance"), WIDE.drop(columns="docno"), WIDE.assign(relevance=0.5)],
)
def test_other_tables_are_no_rankings_and_ndcg_names_the_way(table):
    with pytest.raises(ValueError, match=r"^(?!.*grades)"):
        mc.compare(mc.read_predictions(table), "ndcg", n_resamples=99)
    labels = mc.Predictions([0, 1] * 9, {"a": [0, 1, 1] * 6})
    with pytest.raises(ValueError, match="columns query_id, doc_id, relevance and each model's"):
        mc.compare(labels, "ndcg")
