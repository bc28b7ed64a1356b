"""Overlapping memory: statements happen in their order, whole tile after whole tile, wherever the pointers lead.

The kernels are compiled once and launched with pointers into one buffer at many distances from each other.
"""
import itertools
import os

import numpy as np
import pytest

from launch import KERNELS, assert_same_bits
from session import Inside

FILE = os.path.join(KERNELS, "aliasing.py")
SIZE = 256
P = 72  # where the first pointer leads; the others to both sides of it
SHIFTS = [0, -1, -2, -7, -16, -31, -33, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 40, 64]


@pytest.fixture
def overlapping(run, device):
    """overlapping(kernel, signature, pointers, reference, **scalars): launches, and compares the buffer."""
    if device != "cpu":
        pytest.skip("the threads of a GPU's program need barriers between such accesses")

    def check(kernel, signature, pointers, reference, **scalars):
        memory = (np.arange(SIZE) * 7919 % 1000).astype(np.int32)
        arguments = {"_memory": memory, **{name: Inside("_memory", at) for name, at in pointers.items()}, **scalars}
        after = run(FILE, kernel, signature, (1,), arguments)["_memory"]
        expected = memory.copy()
        with np.errstate(over="ignore"):
            reference(expected, *pointers.values(), **scalars)
        assert_same_bits(after, expected, f"{kernel} with pointers at {pointers}, {scalars}")
    return check


I = np.arange(32)


@pytest.mark.parametrize("n", [0, 5, 32])
def test_three_pointers(overlapping, n):
    def reference(m, p, q, r, n):
        mask = I < n
        a = np.where(mask, m[p + I], 3)
        m[(q + I)[mask]] = (a + 1)[mask]
        b = np.where(mask, m[r + I], 5)
        m[p + I] = a * 2 + b
        c = m[q + I].copy()
        m[(r + I)[mask]] = (c - a)[mask]
    for q, r in itertools.product(SHIFTS, SHIFTS):
        overlapping("three_pointers", "*i32,*i32,*i32,i32,32", {"p": P, "q": P + q, "r": P + r}, reference, n=n)


def test_store_then_load(overlapping):
    def reference(m, p, q):
        m[p + I] = I * 10
        m[q + I] = m[p + I] + m[q + I]
    for q in range(P - 40, P + 40):
        overlapping("store_then_load", "*i32,*i32,32", {"p": P, "q": q}, reference)


def test_other_shapes(overlapping):
    def reference(m, p, q):
        m[p + I] = m[q + I] ^ 5
        m[q + I] = m[p + I].reshape(8, 4).T.reshape(-1)
        m[p + I[:16]] = m[q + 31 - 2 * I[:16]]
    for q in range(P - 68, P + 36):
        overlapping("other_shapes", "*i32,*i32,4,8", {"p": P, "q": q}, reference)


@pytest.mark.parametrize("n", [0, 9, 32])
def test_two_stores(overlapping, n):
    def reference(m, p, q, n):
        m[p + I] = I + 100
        m[q + 2 * I[:n]] = I[:n] + 200
        m[p + 31 - I[::3]] = I[::3] + 300
    for q in range(P - 68, P + 36):
        overlapping("two_stores", "*i32,*i32,i32,32", {"p": P, "q": q}, reference, n=n)


def test_sums_between(overlapping):
    def reference(m, p, q, out):
        first = m[p + I].sum(dtype=np.int32)
        m[q + I] = first + I
        second = m[p + I].sum(dtype=np.int32)
        m[p + I] = second - I
        third = m[q + I].max()
        m[out], m[out + 1], m[out + 2] = first, second, third
    for q, out in itertools.product(range(P - 36, P + 36, 3), (P, P - 1, P + 5, P + 31, P + 40, P + 100)):
        overlapping("sums_between", "*i32,*i32,*i32,32", {"p": P, "q": q, "out": out}, reference)


def test_other_types(run, device):
    if device != "cpu":
        pytest.skip("the threads of a GPU's program need barriers between such accesses")
    for q, r in itertools.product((P, P + 1, P - 5, P + 32), (P, P + 1, P - 3, P + 20, P - 50)):
        memory = np.random.default_rng(3).random(SIZE, np.float32)
        after = run(FILE, "other_types", "*fp32,*i32,*i16,32", (1,),
                    {"_memory": memory, "p": Inside("_memory", P), "q": Inside("_memory", q), "r": Inside("_memory", r)})["_memory"]
        floats = memory.copy()
        ints, halves = floats.view(np.int32), floats.view(np.int16)
        x = floats[P + I].copy()
        ints[q + I] += 1
        floats[P + I] = floats[P + I] + x
        halves[2 * r + 2 * I + 1] = halves[2 * r + 2 * I].copy()
        ints[q + I] ^= 3
        assert after.tobytes() == floats.tobytes(), f"q at {q}, r at {r}"


@pytest.mark.parametrize("steps", [0, 1, 2, 7])
def test_loop_over_overlap(overlapping, steps):
    j = np.arange(16)

    def reference(m, p, q, steps):
        for step in range(steps):
            m[q + step * 3 + j] = m[p + step * 4 + j] + m[q + j]
    for q in range(P - 40, P + 40):
        overlapping("loop_over_overlap", "*i32,*i32,i32,16", {"p": P, "q": q}, reference, steps=steps)


@pytest.mark.parametrize("n", [0, 1, 15])
def test_scalars_and_tiles(overlapping, n):
    j = np.arange(16)

    def reference(m, p, q, n):
        m[p + j] = j
        m[q] = 77
        m[p + j] += m[p].copy()
        m[q + n] *= 2
        m[q + j] -= m[p + n].copy()
    for q in range(P - 20, P + 20):
        overlapping("scalars_and_tiles", "*i32,*i32,i32,16", {"p": P, "q": q}, reference, n=n)


@pytest.mark.parametrize("count", [1, 8, 60])
def test_many_accesses(overlapping, count):
    j = np.arange(16)

    def reference(m, p, q):
        for k in range(count):
            m[q + j * 2 + k] = m[p + j + k] + m[q + j]
    for q in range(P - 70, P + 70, 1 if count < 60 else 5):
        overlapping("many_accesses", f"*i32,*i32,16,{count}", {"p": P, "q": q}, reference)
