"""Tensor descriptors: tiles partly or wholly outside, padding, ranks 1 to 5, rows by a list, atomic combinations."""
import os
import random as pyrandom

import numpy as np
import pytest

from launch import BF16, FP16, FP32, FP64, I8, I16, I32, I64, KERNELS, U32, U64, assert_same_bits, poison, random
from memory_blocks import read, write
from tiles import kernel, offsets

FILE = os.path.join(KERNELS, "descriptors.py")


@pytest.mark.parametrize("seed", range(30))
def test_random_tiles(run, seed):
    rng = pyrandom.Random(seed)
    dtype = rng.choice([FP32, FP16, BF16, FP64, I8, I16, I32, I64])
    rank = 1 + seed % 5
    size = np.dtype(dtype.storage).itemsize
    block = [rng.choice([1, 2, 4]) for _ in range(rank - 1)] + [max(16 // size, rng.choice([1, 16]))]
    shape = [rng.randrange(1, 2 * b + 3) for b in block]
    row = -(-shape[-1] * size // 16) * 16 // size  # strides are multiples of 16 bytes
    strides = [1] if rank == 1 else [row, 1]
    for extent in reversed(shape[1:-1]):
        strides.insert(0, strides[0] * extent)
    room = strides[0] * shape[0]
    start, target = ([rng.randrange(-b - 1, n + 2) for b, n in zip(block, shape)] for _ in range(2))
    for place in (start, target):
        place[-1] = place[-1] * size // 16 * 16 // size  # tiles begin at multiples of 16 bytes
    padding = rng.choice(["zero", "nan"]) if dtype.is_float else "zero"
    names = [f"s{i}" for i in range(rank)], [f"t{i}" for i in range(rank)], [f"n{i}" for i in range(rank)]
    starts, targets, sizes = (f"[{', '.join(n)}]" for n in names)
    text = kernel(f"x_ptr, out_ptr, copy_ptr, {', '.join(sum(names, []))}", f"""
        x = tl.make_tensor_descriptor(x_ptr, {sizes}, {strides}, {block}, padding_option="{padding}")
        out = tl.make_tensor_descriptor(out_ptr, {sizes}, {strides}, {block})
        tile = x.load({starts})
        tl.store(copy_ptr + {offsets(block)}, tile)
        out.store({targets}, tile)
    """)
    x, out = random(dtype, room, seed), poison(dtype, room)
    after = run(text, "kernel", ",".join([f"*{dtype.name}:16"] * 3 + ["i32"] * (3 * rank)), (1,),
                {"x_ptr": x, "out_ptr": out, "copy_ptr": poison(dtype, int(np.prod(block))),
                 **dict(zip(sum(names, []), [*start, *target, *shape]))})
    fill = np.zeros(1, x.dtype)[0] if padding == "zero" else dtype.narrow(np.array([np.nan]))[0]
    tile = read(x, shape, strides, start, block, fill)
    assert_same_bits(after["copy_ptr"], tile.reshape(-1), "loaded")
    write(out, shape, strides, target, tile)
    assert_same_bits(after["out_ptr"], out, "stored")


@pytest.mark.parametrize("rows,columns", [(1, 4), (8, 16), (21, 52)])
def test_copy_tiles(run, rows, columns):
    x = random(FP32, rows * columns, 1).reshape(rows, columns)
    after = run(FILE, "copy_tiles", "*fp32:16,*fp32:16,i32,i32,8,16", (-(-rows // 8), -(-columns // 16)),
                {"x_ptr": x, "out_ptr": poison(FP32, x.size), "rows": rows, "columns": columns}, threads=(1, 2, 7))
    assert_same_bits(after["out_ptr"], (x * 2).reshape(-1), "doubled")


@pytest.mark.parametrize("columns", [16, 24, 4])
def test_gather_and_scatter(run, columns):
    rows = 11
    x, wanted = random(FP32, rows * columns, 2).reshape(rows, columns), np.array([3, 0, 10, 10, -1, 11, 5, 7], np.int32)
    out = poison(FP32, x.size)
    after = run(FILE, "gather_and_scatter", "*fp32:16,*fp32:16,*i32,i32,i32,8,16", (1,),
                {"x_ptr": x, "out_ptr": out, "rows_ptr": wanted, "rows": rows, "columns": columns})
    expected = out.reshape(rows, columns).copy()
    for i, row in enumerate(wanted):
        expected[7 - i] = x[row] if 0 <= row < rows else 0
    assert_same_bits(after["out_ptr"], expected.reshape(-1), "rows")


@pytest.mark.parametrize("op", ["add", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"])
@pytest.mark.parametrize("dtype", [I32, U32, I64, U64, FP32], ids=lambda t: t.name)
def test_combine_tiles(run, op, dtype):
    if dtype is FP32 and op != "add" or dtype is I64 and op == "add":
        pytest.skip("the language has no such atomic of the type")
    programs, rows, columns = 9, 8, 13
    number = ["add", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"].index(op)
    shape = (programs * rows - 3, 16)
    x = np.random.default_rng(1).integers(-99, 99, shape).astype(np.float32) if dtype is FP32 else \
        random(dtype, shape[0] * shape[1], 3).reshape(shape)
    out = np.arange(16 * rows).astype(dtype.storage)
    # 13 columns of 16: the descriptor's rows are the matrix's, and both cut the tile.
    text = open(FILE).read().replace("[columns, 1]", "[16, 1]")
    after = run(text, "combine_tiles", f"*{dtype.name}:16,*{dtype.name}:16,i32,i32,8,16,{number}", (programs,),
                {"x_ptr": x, "out_ptr": out, "rows": shape[0], "columns": columns}, threads=(1, 2, 7))
    full = np.zeros((programs * rows, 16), dtype.storage)
    full[:shape[0], :columns] = x[:, :columns]
    expected = out.reshape(rows, 16).copy()
    for tile in full.reshape(programs, rows, 16):
        expected[:rows - 1, :columns] = getattr(np, op)(expected, tile)[:rows - 1, :columns]
    assert_same_bits(after["out_ptr"], expected.reshape(-1), op)


def test_passed_on(run):
    rows, columns = 9, 20
    x = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    after = run(FILE, "passed_on", "*fp32:16,*fp32,i32,i32,8,16", (1,),
                {"x_ptr": x, "out_ptr": poison(FP32, 128), "rows": rows, "columns": columns})
    expected = np.zeros((8, 16), np.float32)
    for step, size in enumerate([rows, rows, rows - 1]):
        expected += 2 * read(x.reshape(-1), (size, columns), (columns, 1), (step, 0), (8, 16), 0)
    assert_same_bits(after["out_ptr"], expected.reshape(-1), "sums")
