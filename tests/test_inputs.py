"""Arrays, tensors and columns of other libraries become arrays of numpy."""

import pickle
import subprocess
import sys
from decimal import Decimal

import duckdb
import ml_dtypes
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import modelcompare as mc
from modelcompare.data.checks import as_array
from tests.plugged import plugged

SAID = ["no", "yes", "no"]
RELATION = "select unnest(['no', 'yes', 'no']) as x"


class Tensor:
    """An array with DLPack only."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Far:
    """A tensor of torch as it looks from outside: of gradients, on a device, in half the bits."""

    def __init__(self, array, steps=("detach", "cpu", "float")):
        self.array, self.steps = array, steps

    def __dlpack__(self, **_):
        raise BufferError(f"not before {self.steps}")

    def __dlpack_device__(self):
        return (2, 0)

    def __array__(self):
        raise TypeError("can't convert")

    def detach(self):
        return self._after("detach")

    def cpu(self):
        return self._after("cpu")

    def float(self):
        return self._after("float")

    def _after(self, step):
        left = tuple(s for s in self.steps if s != step)
        return Far(self.array, left) if left else Tensor(self.array)


# Exact in a few bits.
PROBABILITIES = np.array([[0.25, 0.75], [0.5, 0.5]], dtype=np.float32)


@pytest.mark.parametrize(
    "tensor",
    [
        Tensor(PROBABILITIES),
        [Tensor(row) for row in PROBABILITIES],
        Far(PROBABILITIES),
        Far(PROBABILITIES, ("detach", "cpu")),
        PROBABILITIES.astype(ml_dtypes.bfloat16),
        PROBABILITIES.astype(ml_dtypes.float8_e5m2),
    ],
    ids=["dlpack", "a list of rows", "bfloat16 far away", "far away", "bfloat16", "float8"],
)
def test_tensors_are_read(tensor):
    found = as_array(tensor)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, PROBABILITIES)
    preds = mc.Predictions(Tensor(np.array([0, 1])), {"a": tensor})
    np.testing.assert_array_equal(preds.probabilities("a"), PROBABILITIES)


def test_predictions_do_not_share_a_tensor_s_memory():
    array = PROBABILITIES.copy()
    preds = mc.Predictions([0, 1], {"a": Tensor(array)})
    array[:] = 0
    np.testing.assert_array_equal(preds.probabilities("a"), PROBABILITIES)


def test_torch():
    torch = pytest.importorskip("torch")
    made = torch.tensor(PROBABILITIES, dtype=torch.bfloat16, requires_grad=True)
    np.testing.assert_array_equal(as_array(made), PROBABILITIES)
    np.testing.assert_array_equal(as_array(torch.tensor([1, 0])), [1, 0])


def test_jax():
    jnp = pytest.importorskip("jax.numpy")
    made = jnp.array(PROBABILITIES, dtype=jnp.bfloat16)
    np.testing.assert_array_equal(as_array(made), PROBABILITIES)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(SAID),
        pl.Series(SAID, dtype=pl.Categorical),
        pl.Series(SAID, dtype=pl.Enum(["no", "yes"])),
        pl.LazyFrame({"x": SAID}),
        pa.array(SAID),
        pa.array(SAID).dictionary_encode(),
        pa.chunked_array([SAID[:1], SAID[1:]]),
        duckdb.sql(RELATION),
    ],
    ids=lambda column: type(column).__name__,
)
def test_columns_of_texts_are_read_as_labels(column):
    found = as_array(column)
    assert (found.dtype, found.tolist()) == (object, SAID)
    preds = mc.Predictions(column, {"a": column})
    assert preds.access.codes.tolist() == preds.predicted("a").tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("column", "expected", "kind"),
    [
        (pa.array([1, 2]), [1, 2], "i"),
        (pl.Series([1, None]), [1.0, np.nan], "f"),
        (pl.Series([2**60 + 1, None]), [2**60 + 1, None], "O"),
        (pl.Series([Decimal("0.5"), None]), [0.5, np.nan], "f"),
        (pa.array([0.5, None]), [0.5, np.nan], "f"),
        (pl.Series([True, False]), [True, False], "b"),
        (pl.Series(["2020-01-02"]).str.to_date(), ["2020-01-02"], "O"),
        (pl.Series([[0.25, 0.75], [0.5, 0.5]]), [[0.25, 0.75], [0.5, 0.5]], "f"),
        (pl.DataFrame({"a": [0.25], "b": [0.75]}), [[0.25, 0.75]], "f"),
    ],
)
def test_columns_keep_the_type_of_their_cells(column, expected, kind):
    found = as_array(column)
    assert found.dtype.kind == kind
    np.testing.assert_array_equal(found, np.array(expected, dtype=found.dtype))


def test_slices_come_in_frames_of_other_libraries():
    preds = mc.Predictions([0, 1], {"a": [0, 1]}, slices=pl.DataFrame({"half": ["x", "y"]}))
    assert preds.slices["half"].tolist() == ["x", "y"]


def test_a_missing_label_of_another_library_is_refused_as_ever():
    with pytest.raises(ValueError, match="`y_true` has missing values in 1 row \\(row 1\\)"):
        mc.Predictions(pl.Series(["a", None, "b"]), {"m": ["a", "b", "b"]})


def test_narwhals_is_imported_only_for_frames_of_other_libraries():
    code = (
        "import sys, numpy as np, pandas as pd, modelcompare as mc; "
        "mc.read_predictions(pd.DataFrame({'y_true': [0, 1], 'a': [0, 1]})); "
        "mc.Predictions([0, 1], {'a': pd.Series([0, 1]), 'b': (0, 1), 'c': np.array([0, 1]), 'd': range(2)}); "
        "print('narwhals' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


LABELS = np.array([0, 1, 2, 1] * 10)
P = np.random.default_rng(0).dirichlet([1, 1, 1], 40)
SWAPPED = {"i4": ">i4", "u2": ">u2", "i8": ">i8", "f4": ">f4", "f8": ">f8"}


@pytest.mark.parametrize("kind", SWAPPED)
def test_numbers_in_the_other_order_of_bytes_are_the_same_numbers(kind):
    def both(make):
        here, there = (make(dtype) for dtype in (kind, SWAPPED[kind]))
        return here, there

    frames = both(lambda t: pd.DataFrame({"y_true": LABELS.astype(t), "a": np.roll(LABELS, 4).astype(t),
                                          "b": np.roll(LABELS, 1).astype(t)}))  # fmt: skip
    made = {
        "labels": both(lambda t: mc.Predictions(
            LABELS.astype(t), {"a": np.roll(LABELS, 4).astype(t), "b": np.roll(LABELS, 1).astype(t)},
            sample_weight=np.arange(1, 41).astype(t), groups=np.repeat(np.arange(20), 2).astype(t),
            slices={"s": LABELS.astype(t)},
        )),
        "scores": both(lambda t: mc.Predictions.from_scores(
            {"a": LABELS.astype(t), "b": np.roll(LABELS, 1).astype(t)}
        )),
        "frame": [mc.read_predictions(frame, kind="labels") for frame in frames],
        "frame of scores": [mc.read_predictions(f[["a", "b"]], kind="scores") for f in frames],
    }  # fmt: skip
    for name, (here, there) in made.items():
        results = [mc.compare(preds, n_resamples=49) for preds in (here, there)]
        for attribute in ("scores", "differences"):
            pd.testing.assert_frame_equal(
                *(getattr(r, attribute) for r in results), obj=f"{name}.{attribute}"
            )


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_probabilities_and_values_in_the_other_order_of_bytes_are_the_same(kind):
    for metric in ("log_loss", "roc_auc_ovr", "cf1_macro"):
        function = getattr(mc.metrics, metric)
        y = LABELS.astype(">i4")
        p = (P / P.sum(axis=1, keepdims=True)).astype(kind)
        assert function(y, p.astype(f">{kind}")) == function(LABELS, p)
    for metric in ("rmse", "spearman", "kendall", "median_absolute_error"):
        function = getattr(mc.metrics, metric)
        a, b = P[:, 0].astype(kind), P[:, 1].astype(kind)
        assert function(a.astype(f">{kind}"), b.astype(f">{kind}")) == function(a, b)


RIGHT = np.random.default_rng(0).random(60)
NULLABLE = {
    "Float64": lambda data: data.convert_dtypes(),
    "pyarrow": lambda data: data.convert_dtypes(dtype_backend="pyarrow"),
    "object": lambda data: data.astype(object),
}


@pytest.mark.parametrize("convert", NULLABLE.values(), ids=NULLABLE)
def test_numbers_of_nullable_types_are_numbers(convert):
    truth, both = [0, 1] * 30, pd.DataFrame({0: 1 - RIGHT, 1: RIGHT})
    for given in (convert(pd.Series(RIGHT)), convert(both)):
        found = mc.Predictions(truth, {"a": given}).probabilities("a")
        np.testing.assert_array_equal(found, both)
    found = mc.Predictions.from_logits(truth, {"a": convert(both)})
    np.testing.assert_array_equal(
        found.probabilities("a"), mc.Predictions.from_logits(truth, {"a": both}).probabilities("a")
    )
    table = pd.DataFrame({"id": [f"s{i}" for i in range(60)], "a": RIGHT, "b": RIGHT**2})
    read = mc.read_predictions(table.assign(a=convert(table["a"]), b=convert(table["b"])))
    np.testing.assert_array_equal(read.output("a").array, RIGHT)
    both.loc[5] = None
    with pytest.raises(ValueError, match=r"model 'a' has NaN .* in 1 row \(row 5\)"):
        mc.Predictions(truth, {"a": convert(both)})


NAMED = pd.Series([0, 1, 1] * 20, index=[f"i{k}" for k in range(60)])
MIXED = NAMED.sample(frac=1, random_state=1)
MATCHED = {
    "outputs": lambda a, b: mc.Predictions(a, {"m": b}),
    "two outputs": lambda a, b: mc.Predictions(a, {"m": a, "n": b}),
    "groups": lambda a, b: mc.Predictions(a, {"m": a}, groups=b.index.to_series()),
    "weights": lambda a, b: mc.Predictions(a, {"m": a}, sample_weight=b + 1),
    "slices": lambda a, b: mc.Predictions(a, {"m": a}, slices=pd.DataFrame({"x": b})),
    "scores": lambda a, b: mc.Predictions.from_scores({"m": a, "n": b}),
    "named scores": lambda a, b: mc.Predictions.from_scores(
        {"m": pd.DataFrame({"x": a}), "n": pd.DataFrame({"x": b})}
    ),
    "logits": lambda a, b: mc.Predictions.from_logits(a, {"m": pd.DataFrame({"x": -b, "y": b})}),
    "metrics": lambda a, b: mc.metrics.accuracy(a, b),
} | plugged("MATCHED")


@pytest.mark.parametrize("match", MATCHED.values(), ids=MATCHED)
def test_series_are_matched_by_their_index_whatever_its_order(match):
    found, expected = match(NAMED, MIXED), match(NAMED, NAMED)
    assert pickle.dumps(found) == pickle.dumps(expected)


@pytest.mark.parametrize("match", MATCHED.values(), ids=MATCHED)
@pytest.mark.parametrize(
    ("other", "why"),
    [
        (MIXED.iloc[1:], "lacks 1 of the rows of .*first: 'i"),
        (pd.concat([MIXED.iloc[1:], MIXED.iloc[5:6]]), "has 'i[0-9]+' in several rows"),
        (MIXED.rename({"i7": "x"}), "lacks 1 of the rows of .*first: 'i7'"),
    ],
    ids=["fewer", "repeated", "others"],
)
def test_series_whose_labels_differ_are_refused(match, other, why):
    with pytest.raises(ValueError, match=why):
        match(NAMED, other)


@pytest.mark.parametrize(
    ("match", "first"),
    [
        (lambda a, b: mc.Predictions(a.to_numpy(), {"m": a, "n": b}), "`y_true`"),
        (lambda a, b: mc.Predictions(a, {"m": b, "n": a.to_numpy()}), "model 'n'"),
        (lambda a, b: mc.Predictions(a, {"m": b}, groups=range(60)), "`groups`"),
        (lambda a, b: mc.metrics.accuracy(a, b, sample_weight=[*range(60)]), "`sample_weight`"),
    ],
)
def test_a_column_without_an_index_fits_no_two_orders(match, first):
    with pytest.raises(ValueError, match=f"indexes that differ, and {first} is matched by positi"):
        match(NAMED, MIXED)


def test_an_index_that_names_no_samples_is_not_compared():
    plain = pd.Series(NAMED.to_numpy())
    for first, second in ((NAMED, plain), (plain, NAMED), (MIXED, MIXED.copy())):
        assert mc.metrics.accuracy(first, second) == 1
    # The same numbers in another order name the samples.
    with pytest.raises(ValueError, match="`y_pred` and `y_true` have indexes that differ"):
        mc.metrics.accuracy(plain, plain.sample(frac=1, random_state=1))
    assert len(mc.Predictions(MIXED, {"m": MIXED}, groups=pd.Series(range(60)))) == 60
