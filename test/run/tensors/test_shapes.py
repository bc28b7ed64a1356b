"""Rearrangements of tiles: every element says where it came from.

A tile of its own element numbers goes through a chain of rearrangements; NumPy does the same. Whatever is wrong with
an index shows as a wrong number.
"""
import random

import numpy as np
import pytest

from launch import BF16, FP16, FP64, I8, I16, I32, I64, U8, assert_same_bits, poison
from launch import random as random_values
from tiles import kernel, offsets, store

ids = dict(ids=lambda t: t.name)


def numbers(shape):
    return np.arange(np.prod(shape), dtype=np.int32).reshape(shape)


def rearrange(run, shape, expression, expected, dtype=I32, statements=""):
    """Runs `out = expression` of the tile x."""
    x = numbers(shape).astype(dtype.storage)
    text = kernel("x_ptr, out_ptr", f"x = tl.load(x_ptr + ({offsets(shape)}))\n{statements}\n{store('out_ptr', expression, expected.shape)}")
    after = run(text, "kernel", f"*{dtype.name},*{dtype.name}", (1,), {"x_ptr": x, "out_ptr": poison(dtype, expected.size)})
    assert_same_bits(after["out_ptr"], np.ascontiguousarray(expected).astype(dtype.storage).reshape(-1), expression)


SIMPLE = [
    ((64,), "tl.reshape(x, 8, 8)", lambda x: x.reshape(8, 8)),
    ((8, 8), "tl.reshape(x, (64,))", lambda x: x.reshape(64)),
    ((8, 4), "x.reshape(2, 4, 2, 2)", lambda x: x.reshape(2, 4, 2, 2)),
    ((2, 4, 2, 2), "x.reshape(16, 2)", lambda x: x.reshape(16, 2)),
    ((4, 8), "tl.ravel(x)", lambda x: x.reshape(-1)),
    ((16, 4), "x.T", lambda x: x.T),
    ((16, 4), "tl.trans(x)", lambda x: x.T),
    ((2, 16, 4), "tl.trans(x)", lambda x: x.swapaxes(1, 2)),
    ((2, 16, 4), "tl.trans(x, 2, 0, 1)", lambda x: x.transpose(2, 0, 1)),
    ((2, 4, 8), "tl.permute(x, (1, 2, 0))", lambda x: x.transpose(1, 2, 0)),
    ((2, 4, 8), "x.permute(2, 1, 0)", lambda x: x.transpose(2, 1, 0)),
    ((2, 4, 2, 8), "tl.permute(x, 3, 1, 0, 2)", lambda x: x.transpose(3, 1, 0, 2)),
    ((1, 4, 1, 8), "tl.permute(x, 2, 3, 0, 1)", lambda x: x.transpose(2, 3, 0, 1)),
    ((16,), "x[:, None]", lambda x: x[:, None]),
    ((4, 8), "x[:, None, :]", lambda x: x[:, None, :]),
    ((4, 8), "tl.expand_dims(x, (0, 2))", lambda x: x.reshape(1, 4, 1, 8)),
    ((4, 8), "tl.expand_dims(x, -1)", lambda x: x[..., None]),
    ((4, 1), "tl.broadcast_to(x, (4, 32))", lambda x: np.broadcast_to(x, (4, 32))),
    ((1, 8), "tl.broadcast_to(x, 16, 8)", lambda x: np.broadcast_to(x, (16, 8))),
    ((1, 4, 1), "tl.broadcast_to(x, (2, 4, 8))", lambda x: np.broadcast_to(x, (2, 4, 8))),
    ((1,), "tl.broadcast_to(x, (64,))", lambda x: np.broadcast_to(x, (64,))),
    ((16,), "tl.join(x, x + 100)", lambda x: np.stack([x, x + 100], -1)),
    ((4, 8), "tl.join(x, x + 100)", lambda x: np.stack([x, x + 100], -1)),
    ((16,), "tl.interleave(x, x + 100)", lambda x: np.stack([x, x + 100], -1).reshape(-1)),
    ((4, 8), "tl.interleave(x, x + 100)", lambda x: np.stack([x, x + 100], -1).reshape(4, 16)),
    ((16, 2), "tl.split(x)[0]", lambda x: x[:, 0]),
    ((4, 4, 2), "tl.split(x)[1]", lambda x: x[..., 1]),
    ((1,), "tl.join(x, x + 1)", lambda x: np.stack([x, x + 1], -1)),
    ((1, 2), "tl.split(x)[1]", lambda x: x[:, 1]),
    ((32,), "tl.flip(x, 0)", lambda x: x[::-1]),
    ((4, 1, 8), "tl.reshape(x, 4, 8)", lambda x: x.reshape(4, 8)),
]


@pytest.mark.parametrize("shape,expression,reference", SIMPLE, ids=lambda v: v if isinstance(v, str) else None)
def test_one(run, shape, expression, reference):
    rearrange(run, shape, expression, reference(numbers(shape)))


@pytest.mark.parametrize("dtype", [I8, U8, I16, I64, FP16, BF16, FP64], **ids)
def test_every_type(run, dtype):
    """The bits of any element pass through unchanged: NaNs, denormals and negative zeros too."""
    x = random_values(I8, 512 * np.dtype(dtype.storage).itemsize, 3).view(dtype.storage)
    text = kernel("x_ptr, out_ptr", f"""
        x = tl.load(x_ptr + {offsets((8, 64))})
        a, b = tl.split(x.T.reshape(16, 16, 2))
        y = tl.join(b, a).permute(2, 1, 0)
        {store("out_ptr", "y.reshape(512)", (512,))}
    """)
    after = run(text, "kernel", f"*{dtype.name},*{dtype.name}", (1,), {"x_ptr": x, "out_ptr": poison(dtype, 512)})["out_ptr"]
    pairs = x.reshape(8, 64).T.reshape(16, 16, 2)
    expected = np.stack([pairs[..., 1], pairs[..., 0]], -1).transpose(2, 1, 0).reshape(-1)
    assert after.tobytes() == np.ascontiguousarray(expected).tobytes()


def test_conditions_and_pointers(run):
    """Tiles of bools and of addresses are rearranged as well."""
    x = numbers((8, 16))
    text = kernel("x_ptr, out_ptr", f"""
        at = {offsets((8, 16))}
        p = (x_ptr + at).T.reshape(4, 32)
        keep = (at % 3 == 0).T.reshape(4, 32)
        {store("out_ptr", "tl.load(p, mask=keep, other=-1)", (4, 32))}
        q, r = tl.split((x_ptr + at).reshape(8, 8, 2))
        {store("out_ptr", "tl.load(q) * 1000 + tl.load(r)", (8, 8), 128)}
        both = tl.join(at % 2 == 0, at % 5 == 0).reshape(16, 16)
        {store("out_ptr", "both.to(tl.int32)", (16, 16), 192)}
    """)
    after = run(text, "kernel", "*i32,*i32", (1,), {"x_ptr": x, "out_ptr": poison(I32, 448)})["out_ptr"]
    turned = x.T.reshape(-1)
    flat = x.reshape(-1)
    expected = [np.where(turned % 3 == 0, turned, -1), flat[::2] * 1000 + flat[1::2],
                np.stack([flat % 2 == 0, flat % 5 == 0], -1).reshape(-1)]
    assert_same_bits(after, np.concatenate(expected).astype(np.int32), "rearranged")


def test_scalars(run):
    """Two scalars joined and split again; a tile of one element is a scalar after item and reshape."""
    text = kernel("x_ptr, out_ptr", f"""
        a = tl.load(x_ptr)
        b = tl.load(x_ptr + 1)
        pair = tl.join(a, b)
        {store("out_ptr", "pair", (2,))}
        c, d = tl.split(pair + 10)
        tl.store(out_ptr + 2, d)
        tl.store(out_ptr + 3, c)
        one = tl.load(x_ptr + 2 + tl.arange(0, 1))
        tl.store(out_ptr + 4, tl.reshape(one, ()))
        tl.store(out_ptr + 5, one.item())
        {store("out_ptr", "tl.broadcast_to(a, (2, 4)) + tl.interleave(a, b)[:, None]", (2, 4), 6)}
    """)
    after = run(text, "kernel", "*i32,*i32", (1,), {"x_ptr": np.array([3, 5, 7], np.int32), "out_ptr": poison(I32, 14)})["out_ptr"]
    assert after.tolist() == [3, 5, 15, 13, 7, 7, 6, 6, 6, 6, 8, 8, 8, 8]


@pytest.mark.parametrize("sizes", [(8,), (64,), (512,)], ids=str)
def test_concatenation(run, sizes):
    """The order of tl.cat is not specified: it holds all elements of both."""
    n, = sizes
    text = kernel("x_ptr, out_ptr", f"""
        i = tl.arange(0, {n})
        both = tl.cat(tl.load(x_ptr + i), tl.load(x_ptr + {n} + i), can_reorder=True)
        tl.store(out_ptr + tl.arange(0, {2 * n}), both)
    """)
    x = numbers((2 * n,))
    after = run(text, "kernel", "*i32,*i32", (1,), {"x_ptr": x, "out_ptr": poison(I32, 2 * n)})["out_ptr"]
    assert_same_bits(np.sort(after), x, "elements of both")


def random_chain(seed):
    """(shape, lines, array after them): a chain of up to nine rearrangements of x, some with sums between."""
    rng = random.Random(seed)
    shape = [1 << rng.randrange(5) for _ in range(rng.randrange(1, 4))]
    x, lines = numbers(tuple(shape)), []
    first = tuple(shape)
    for _ in range(rng.randrange(3, 10)):
        kind, rank = rng.randrange(9), x.ndim
        if kind == 0:
            size, new = x.size, []
            for _ in range(rng.randrange(3)):
                new.append(1 << rng.randrange(min(size.bit_length(), 5)))
                size //= new[-1]
            new.insert(rng.randrange(len(new) + 1), size)
            lines.append(f"x = tl.reshape(x, {tuple(new)})")
            x = x.reshape(new)
        elif kind == 1 and rank > 1:
            order = tuple(rng.sample(range(rank), rank))
            lines.append(f"x = tl.permute(x, {order})")
            x = x.transpose(order)
        elif kind == 2 and rank < 5:
            axis = rng.randrange(rank + 1)
            lines.append(f"x = tl.expand_dims(x, {axis})")
            x = np.expand_dims(x, axis)
        elif kind == 3 and 1 in x.shape and x.size <= 512:
            new = [(rng.choice([1, 2, 4]) if n == 1 else n) for n in x.shape]
            if np.prod(new) <= 2048:
                lines.append(f"x = tl.broadcast_to(x, {tuple(new)})")
                x = np.broadcast_to(x, new)
        elif kind == 4 and rank < 5 and x.size <= 1024:
            lines.append("x = tl.join(x, x * 3 + 1)")
            x = np.stack([x, x * 3 + 1], -1)
        elif kind == 5 and x.shape[-1] == 2 and rank > 1:
            lines += ["a, b = tl.split(x)", "x = a * 2 - b"]
            x = x[..., 0] * 2 - x[..., 1]
        elif kind == 6 and x.size <= 1024:
            lines.append("x = tl.interleave(x, -x)")
            x = np.stack([x, -x], -1).reshape(*x.shape[:-1], -1)
        elif kind == 7 and rank > 1:
            axis = rng.randrange(rank)
            lines.append(f"x = tl.sum(x, {axis}, keep_dims=True) + x" if rng.random() < 0.5 else f"x = tl.max(x, {axis})")
            x = x.sum(axis, keepdims=True, dtype=np.int32) + x if "sum" in lines[-1] else x.max(axis)
        elif kind == 8:
            axis = rng.randrange(rank)
            lines.append(f"x = tl.flip(x, {axis})")
            x = np.flip(x, axis)
    return first, lines, x


@pytest.mark.parametrize("group", range(8))
def test_random_chains(run, group):
    with np.errstate(over="ignore"):
        for seed in range(group * 12, group * 12 + 12):
            shape, lines, expected = random_chain(seed)
            rearrange(run, shape, "x", expected.astype(np.int32), statements="\n".join(lines))
