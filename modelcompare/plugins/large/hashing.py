"""Buckets of samples by a hash of their names: the same in Python and in every dialect of SQL.

The bucket is the number in the first four bytes of the MD5 digest of ``SALT:NAME`` (UTF-8), modulo
the number of buckets. Every database has MD5; its weakness as a cipher is irrelevant here, as it
only has to scatter names evenly. Short texts are digested many at a time with vector instructions,
eight times as fast as by calls of hashlib.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modelcompare.arrays import CACHE_BYTES, AnyArray, IntArray

Words = NDArray[np.uint32]

# Names in one block: eight arrays fit into the cache, and calls of numpy cost little.
_LANES = CACHE_BYTES // (8 * 4)
# Bytes of a text that fill one block of MD5 together with its end mark and its length.
_ONE_BLOCK = 55
_CONSTANTS = np.array([int(abs(math.sin(i + 1)) * 2**32) for i in range(64)], dtype=np.uint32)
# Characters of 0000 to 9999, four in a word.
_FOUR_DIGITS = np.indices((10, 10, 10, 10), dtype=np.uint8).reshape(4, -1).T + np.uint8(ord("0"))
_FOUR_DIGITS = np.ascontiguousarray(_FOUR_DIGITS).view(np.uint32)[:, 0]
_SHIFTS = ((7, 12, 17, 22), (5, 9, 14, 20), (4, 11, 16, 23), (6, 10, 15, 21))
_BEGIN = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476)


def bucket_of(names: AnyArray, n_buckets: int, salt: str) -> IntArray:
    """Return the bucket of each name, from 0.

    Parameters
    ----------
    names : ndarray of shape (n_samples,)
        Texts, or whole numbers, which are hashed as their decimal digits.
    n_buckets : int
        Number of buckets.
    salt : str
        Prefix of the names, which makes the buckets of different uses independent.

    Raises
    ------
    TypeError
        If a name is neither a text nor a whole number: programs write other types differently.

    Examples
    --------
    >>> bucket_of(np.array(["a", "b", "c"]), 1024, "modelcompare")
    array([804, 434, 309])
    """
    out = np.empty(len(names), dtype=np.uint32)
    for start in range(0, len(names), _LANES):
        rows = slice(start, start + _LANES)
        out[rows] = _first_numbers(names[rows], f"{salt}:".encode())
    return (out % np.uint32(n_buckets)).astype(np.intp)


def _first_numbers(names: AnyArray, salt: bytes) -> Words:
    """Number in the first four bytes of each name's digest."""
    texts, lengths = _encode(names)
    lengths = lengths + len(salt)
    out, fits = np.empty(len(names), dtype=np.uint32), lengths <= _ONE_BLOCK
    rows = slice(None) if fits.all() else fits
    if fits.any():
        out[rows] = _digests(_pad_blocks(salt, texts[rows], lengths[rows]))
    for place in np.flatnonzero(~fits):
        # Arrays of bytes strip NUL at the end of a text.
        text = (salt + bytes(texts[place])).ljust(lengths[place], b"\0")
        digest = hashlib.md5(text, usedforsecurity=False).digest()
        out[place] = int.from_bytes(digest[:4], "big")
    return out


def _encode(names: AnyArray) -> tuple[AnyArray, IntArray]:
    """Return the names as bytes, and the length of each."""
    if names.dtype.kind in "iu":
        return _write_decimals(names)
    listed = names.tolist()
    found = {type(name) for name in listed}
    if not found <= {str, int}:
        other = next(name for name in listed if type(name) not in (str, int))
        raise TypeError(
            f"names of samples must be texts or whole numbers to have the same hash everywhere, "
            f"got {other!r}; write them as texts."
        )
    if int in found:
        listed = list(map(str, listed))
    try:
        texts = np.array(listed, dtype="S")
    except UnicodeEncodeError:
        listed = [name.encode() for name in listed]
        texts = np.array(listed)
    return texts, np.fromiter(map(len, listed), np.intp, len(listed))


def _write_decimals(numbers: AnyArray) -> tuple[AnyArray, IntArray]:
    """Write integers in decimal digits; negative and very long ones by numpy's slower method."""
    most = int(numbers.max(initial=0))
    if numbers.min(initial=0) < 0 or most >= 10**15:
        texts = numbers.astype("S20")
        return texts, np.char.str_len(texts)
    shortest, longest = len(str(numbers.min(initial=most))), len(str(most))
    lengths = np.full(len(numbers), longest)
    for length in range(longest - 1, shortest - 1, -1):
        lengths[numbers < 10**length] = length
    rest: AnyArray = numbers.astype(np.uint32 if most < 2**32 else np.uint64)
    fours = np.empty((len(numbers), -(-longest // 4)), dtype=np.uint32)
    for place in range(fours.shape[1] - 1, -1, -1):
        higher = rest // 10_000
        fours[:, place] = _FOUR_DIGITS[rest - 10_000 * higher]
        rest = higher
    digits = fours.view(np.uint8).reshape(len(numbers), -1)
    letters = np.zeros_like(digits)
    for length in range(shortest, longest + 1):
        rows: Any = slice(None) if shortest == longest else lengths == length
        letters[rows, :length] = digits[rows, digits.shape[1] - length :]
    return letters.view(f"S{letters.shape[1]}")[:, 0], lengths


def _pad_blocks(salt: bytes, texts: AnyArray, lengths: IntArray) -> list[Words]:
    """Return one block of 16 words per text; a scalar is a word that all texts share."""
    width = min(texts.dtype.itemsize, _ONE_BLOCK - len(salt))
    # Texts differ only from the word in which the salt ends to that in which the longest text does.
    first, last = len(salt) // 4, (len(salt) + width) // 4
    block = np.zeros((len(texts), 4 * (last + 1 - first)), dtype=np.uint8)
    begin = len(salt) - 4 * first
    block[:, :begin] = np.frombuffer(salt[4 * first :], dtype=np.uint8)
    if width > 0:
        letters = np.ascontiguousarray(texts).view(np.uint8).reshape(len(texts), -1)
        block[:, begin : begin + width] = letters[:, :width]
    block[np.arange(len(texts)), lengths - 4 * first] = 0x80
    own = np.ascontiguousarray(block.view("<u4").T).astype(np.uint32, copy=False)
    words = [*np.frombuffer(salt[: 4 * first], "<u4").astype(np.uint32), *own]
    words += [np.uint32(0)] * (16 - len(words))
    words[14] = (8 * lengths).astype(np.uint32)
    return words


def _digests(words: list[Words]) -> Words:
    """Compute the first four bytes of the digests of blocks of 16 words (RFC 1321)."""
    a, b, c, d = (np.full(len(words[14]), begin, dtype=np.uint32) for begin in _BEGIN)
    mixed, turned = np.empty_like(a), np.empty_like(a)
    # The other three steps do not change these bytes.
    for step in range(61):
        turn, place = divmod(step, 16)
        word = words[(place, 5 * step + 1, 3 * step + 5, 7 * step)[turn] % 16]
        constant = _CONSTANTS[step]
        _mix(turn, b, c, d, mixed)
        mixed += a
        if word.ndim:
            mixed += word
            mixed += constant
        else:
            mixed += np.uint32((int(word) + int(constant)) % 2**32)
        shift = _SHIFTS[turn][step % 4]
        np.left_shift(mixed, np.uint32(shift), out=turned)
        mixed >>= np.uint32(32 - shift)
        mixed |= turned
        mixed += b
        a, d, c, b, mixed = d, c, b, mixed, a
    return (b + np.uint32(_BEGIN[0])).byteswap()


def _mix(turn: int, b: Words, c: Words, d: Words, out: Words) -> None:
    """Compute one of the four functions of MD5, for a round of 16 steps."""
    if turn < 2:
        # The second function is the first one of other words.
        b, c, d = (d, b, c) if turn else (b, c, d)
        np.bitwise_xor(c, d, out=out)
        out &= b
        out ^= d
    elif turn == 2:
        np.bitwise_xor(b, c, out=out)
        out ^= d
    else:
        np.bitwise_not(d, out=out)
        out |= b
        out ^= c
