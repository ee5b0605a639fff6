"""Memory beyond the input: what many classes cost, in a process of its own."""

import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys, warnings
import numpy as np
import modelcompare as mc

def hard(n_classes, n=10_000):
    rng = np.random.default_rng(0)
    truth = np.arange(n) % n_classes
    said = {m: np.where(rng.random(n) < 0.7, truth, rng.integers(0, n_classes, n)) for m in "ab"}
    return mc.Predictions(truth, said)

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

warnings.simplefilter("ignore")
mc.compare(hard(3, 30), n_resamples=20)
preds = hard(int(sys.argv[1]))
before = peak()
mc.compare(preds, n_resamples=999)
print(peak() - before)
"""


@pytest.mark.parametrize("n_classes", [150, 1000])
def test_many_classes_need_little_memory(n_classes):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(n_classes)], capture_output=True, text=True, check=True
    )
    # Of 256 MB at most; 1,000 classes took four times that.
    assert float(done.stdout) < 200
