"""Tuples and named tuples as kernel arguments: flattened at the launch, whole in the kernel; constants among their elements."""
import collections
from typing import Any, NamedTuple

import numpy as np
import pytest

import tessera
import tessera.language as tl

Pair = collections.namedtuple("Pair", ["first", "second"])


class Inner(NamedTuple):
    scale: Any
    shift: Any = 0


class Outer(NamedTuple):
    ptr: Any
    inner: Inner
    n: Any


def outputs(put, count=16, dtype="float32"):
    return put(np.full(count, 77, dtype))


@tessera.jit
def add_all(pointers, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(len(pointers)):
        total += tl.load(pointers[k] + i, i < n, 0)
    tl.store(out + i, total, i < n)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_tuple_of_pointers(device, put, get, count):
    arrays = [np.random.default_rng(k).random(13, "float32") for k in range(count)]
    out = outputs(put, 13)
    add_all[(1,)](tuple(put(a) for a in arrays), out, 13, BLOCK=16)
    expected = np.zeros(13, "float32")
    for array in arrays:
        expected += array
    assert np.array_equal(get(out), expected)


@tessera.jit
def numbers(t, out):
    tl.store(out, t[0])
    tl.store(out + 1, t[1][0])
    tl.store(out + 2, t[1][1])
    tl.store(out + 3, t[2])


@pytest.mark.parametrize("t", [
    (5, (2.5, True), 7),
    (16, (-1.0, False), 1),  # divisible by 16, and a constant
    (0, (float("inf"), True), 2**31 - 1),
    (-3, (1, 1), 1),
])
def test_numbers_in_nested_tuples(device, put, get, t):
    out = outputs(put, 4, "float64")
    numbers[(1,)](t, out)
    assert list(get(out)) == [t[0], t[1][0], t[1][1], t[2]]


@tessera.jit
def wide(t, out):
    tl.store(out, t[0])
    tl.store(out + 1, t[1])


def test_types_of_integers(device, put, get):
    out = outputs(put, 2, "int64")
    wide[(1,)]((2**31, -2**63), out)
    assert list(get(out)) == [2**31, -2**63]
    out = outputs(put, 2, "uint64")
    wide[(1,)]((2**64 - 1, 5), out)
    assert list(get(out)) == [2**64 - 1, 5]
    with pytest.raises(OverflowError):
        wide[(1,)]((2**64, 5), out)


@tessera.jit
def constants(t, out):
    tl.static_assert(t[0] is None)
    tl.static_assert(t[1] == 1)  # the value 1 is a constant in a tuple as elsewhere
    tl.static_assert(t[2] == 64)
    if t[3] is None:
        tl.store(out, 0)
    else:
        tl.store(out, tl.load(t[3]))


def test_none_and_constants(device, put, get):
    out = outputs(put, 1)
    constants[(1,)]((None, 1, tl.constexpr(64), None), out)
    assert get(out)[0] == 0
    constants[(1,)]((None, 1, tl.constexpr(64), put(np.full(1, 9, "float32"))), out)
    assert get(out)[0] == 9


@tessera.jit
def empty(t, out):
    tl.static_assert(len(t) == 0)
    tl.store(out, 3)


def test_empty_tuple(device, put, get):
    out = outputs(put, 1)
    empty[(1,)]((), out)
    assert get(out)[0] == 3


@tessera.jit
def double(x):
    return x * 2


@tessera.jit
def triple(x):
    return x * 3


@tessera.jit
def apply(functions, out):
    value = 1.0
    for k in tl.static_range(len(functions)):
        value = functions[k](value)
    tl.store(out, value)


def test_functions_in_tuples(device, put, get):
    out = outputs(put, 1)
    apply[(1,)]((double, triple, double), out)
    assert get(out)[0] == 12
    apply[(1,)]((triple, triple, double), out)
    assert get(out)[0] == 18


@tessera.jit
def named(t, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(t.ptr + i) * t.inner.scale + t.inner.shift + t[2])


def test_named_tuples(device, put, get):
    x, out = np.arange(16, dtype="float32"), outputs(put)
    named[(1,)](Outer(put(x), Inner(0.5), 3), out)
    assert np.array_equal(get(out), x * 0.5 + 3)
    named[(1,)](Outer(put(x), Inner(scale=2.0, shift=10), 1), out)
    assert np.array_equal(get(out), x * 2 + 11)


@tessera.jit
def fields(t, out):
    tl.store(out, t.first - t.second)


def test_the_class_is_part_of_the_key(device, put, get):
    """Two classes with the same elements and other names of fields are two kernels."""
    Riap = collections.namedtuple("Riap", ["second", "first"])
    out = outputs(put, 1)
    fields[(1,)](Pair(20, 5), out)
    assert get(out)[0] == 15
    fields[(1,)](Riap(20, 5), out)
    assert get(out)[0] == -15
    with pytest.raises(tessera.CompilationError):
        fields[(1,)]((20, 5), out)


@tessera.jit
def make_pair(a, b):
    return Pair(b, a)


@tessera.jit
def hand_on(t, out):
    swapped = make_pair(t.first, t.second)
    for _ in range(3):
        swapped = make_pair(swapped.first, swapped.second)
    tl.store(out, swapped.first)
    tl.store(out + 1, swapped.second)


def test_through_calls_and_loops(device, put, get):
    out = outputs(put, 2, "int32")
    hand_on[(1,)](Pair(40, 50), out)
    assert list(get(out)) == [40, 50]


@tessera.jit
def unpack(t, out, SCALE: tl.constexpr = 1):
    a, (b, c) = t
    both = (a, b) + (c, )
    tl.static_assert(len(both) == 3)
    tl.store(out, (both[0] + both[1] * 10 + both[2] * 100) * SCALE)


def test_unpacking_and_adding(device, put, get):
    out = outputs(put, 1, "int32")
    unpack[(1,)]((2, (3, 4)), out)
    assert get(out)[0] == 432
    unpack[(1,)]((2, (3, 4)), out, SCALE=2)
    assert get(out)[0] == 864


def test_specialization_of_elements(device, put):
    """Elements follow the default rules, whatever the parameter says."""
    @tessera.jit(do_not_specialize=["t"])
    def kernel(t, out):
        tl.store(out, t[0])

    out = outputs(put, 1, "int32")
    for value, variants in [(2, 1), (3, 1), (16, 2), (32, 2), (1, 3)]:
        kernel[(1,)]((value,), out)
        assert len(kernel.specializations()) == variants, value


def test_lists_are_no_tuples(device, put):
    with pytest.raises(TypeError, match="list"):
        empty[(1,)]([], outputs(put, 1))
    with pytest.raises(TypeError, match="str"):
        empty[(1,)](("text",), outputs(put, 1))


def test_deep_nesting(device, put):
    """An error, not the end of the stack."""
    nested = ()
    for _ in range(100000):
        nested = (nested,)
    with pytest.raises((RecursionError, tessera.CompilationError, ValueError, TypeError)):
        empty[(1,)](nested, outputs(put, 1))


def test_many_elements(device, put, get):
    @tessera.jit
    def total(t, out):
        result = 0
        for k in tl.static_range(len(t)):
            result += t[k]
        tl.store(out, result)

    values, out = tuple(range(2, 302)), outputs(put, 1, "int32")
    total[(1,)](values, out)
    assert get(out)[0] == sum(values)


def test_signature_of_a_compilation(device, put):
    out = outputs(put, 16)
    x = put(np.zeros(16, "float32"))
    kernel = named.warmup(Outer(x, Inner(0.5), 3), out, grid=(1,))
    assert "tt.func public @named" in kernel.asm["ttir"]
