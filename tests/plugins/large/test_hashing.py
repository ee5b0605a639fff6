"""Buckets are those that any program finds by MD5."""

import hashlib

import numpy as np
import pytest

from modelcompare.plugins.large.hashing import bucket_of


def by_hashlib(names, n_buckets, salt):
    digests = [hashlib.md5(f"{salt}:{name}".encode()).hexdigest() for name in names]
    return [int(digest[:8], 16) % n_buckets for digest in digests]


LENGTHS = [n for n in range(80) if n % 7 in (0, 1, 6)] + [200]
NAMES = [
    "", "a", "ü", "日本", "🙂" * 13, "🙂" * 14, "nul\0", "\0", "nul\0\0" * 10, "a b",
    *("x" * n for n in LENGTHS), *("y" * n + "\0" for n in LENGTHS),
]  # fmt: skip


@pytest.mark.parametrize("salt", ["", "modelcompare", "s" * 54, "s" * 70])
def test_names_of_any_length_and_letters_hash_as_in_hashlib(salt):
    names = np.array(NAMES, dtype=object)
    assert bucket_of(names, 1009, salt).tolist() == by_hashlib(NAMES, 1009, salt)


def test_whole_numbers_hash_as_the_text_they_are_written_as():
    numbers = np.r_[np.arange(-5, 20_000), [2**62, -(2**63), 2**63 - 1]]
    expected = by_hashlib(numbers.tolist(), 1024, "modelcompare")
    for names in (numbers, numbers.astype(object), numbers.astype(str)):
        assert bucket_of(names, 1024, "modelcompare").tolist() == expected


def test_names_that_programs_write_differently_are_refused():
    with pytest.raises(TypeError, match=r"texts or whole numbers.*got 1\.5; write them as texts"):
        bucket_of(np.array([1.5, 2.0]), 1024, "modelcompare")
    with pytest.raises(TypeError, match="got True"):
        bucket_of(np.array(["a", True], dtype=object), 1024, "modelcompare")


def test_buckets_are_even_and_another_salt_has_others():
    names = np.arange(100_000)
    first, second = (bucket_of(names, 100, salt) for salt in ("monday", "tuesday"))
    for bucket in (first, second):
        counts = np.bincount(bucket, minlength=100)
        # chi-square of 99 degrees: above 172 with a chance of 1e-5
        assert ((counts - 1000) ** 2 / 1000).sum() < 172
    assert (first == second).mean() == pytest.approx(0.01, abs=0.002)
