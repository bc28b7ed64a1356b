"""examples/add.py, the vector add, over types, sizes, blocks, warps and alignment hints.

Every result is compared bit for bit: a sum of two values has one correctly rounded answer in each type.
The output starts as noise and is longer than n, so a store outside the mask shows.
"""
import os

import numpy as np
import pytest

from launch import (BF16, EXAMPLES, FLOATS, FP16, FP32, I8, I32, INTS, UNSIGNED, assert_same, assert_same_bits, blocks,
                    launch, poison, random)

ADD = os.path.join(EXAMPLES, "add.py")


def add(tmp_path, device, dtype, n, block, hint="", num_warps=None, grid=None):
    x, y = random(dtype, n, seed=1), random(dtype, n, seed=2)
    out = poison(dtype, blocks(n, block) * block + 64)
    signature = f"*{dtype.name}{hint},*{dtype.name}{hint},*{dtype.name}{hint},i32,{block}"
    after = launch(tmp_path, device, ADD, "add_kernel", signature, grid or (blocks(n, block),),
                   {"x_ptr": x, "y_ptr": y, "output_ptr": out, "n_elements": n}, num_warps)
    with np.errstate(all="ignore"):
        assert_same(dtype, after["output_ptr"][:n], dtype.widen(x) + dtype.widen(y), "sum")
    assert_same_bits(after["output_ptr"][n:], out[n:], "beyond the mask")
    assert_same_bits(after["x_ptr"], x, "first input")
    assert_same_bits(after["y_ptr"], y, "second input")


@pytest.mark.parametrize("n", [1, 2, 31, 97, 1023, 1024, 1025, 98432])
@pytest.mark.parametrize("dtype", FLOATS + INTS, ids=lambda t: t.name)
def test_types_and_sizes(tmp_path, device, dtype, n):
    add(tmp_path, device, dtype, n, block=1024)


@pytest.mark.parametrize("dtype", UNSIGNED, ids=lambda t: t.name)
def test_unsigned(tmp_path, device, dtype):
    add(tmp_path, device, dtype, 1025, block=256)


@pytest.mark.parametrize("block", [2**k for k in range(6, 17)])
@pytest.mark.parametrize("n", [97, 98432])
def test_block_sizes(tmp_path, device, block, n):
    add(tmp_path, device, FP32, n, block)


@pytest.mark.parametrize("block", [1, 2, 4, 8, 16, 32])
def test_blocks_smaller_than_a_warp(tmp_path, device, block):
    add(tmp_path, device, FP32, 97, block)


def test_largest_block(tmp_path):
    """On the CPU a block may be as large as the language allows: code size does not grow with it."""
    add(tmp_path, "cpu", FP32, 1500000, block=1048576)


@pytest.mark.parametrize("num_warps", [1, 2, 4, 8])
@pytest.mark.parametrize("dtype", [I8, BF16, FP32], ids=lambda t: t.name)
def test_warps(tmp_path, device, num_warps, dtype):
    add(tmp_path, device, dtype, 98431, block=512, num_warps=num_warps)


@pytest.mark.parametrize("hint", ["", ":16"], ids=["unknown", "aligned"])
@pytest.mark.parametrize("n", [1024, 98427])
@pytest.mark.parametrize("dtype", [FP16, FP32, I8], ids=lambda t: t.name)
def test_alignment_hints(tmp_path, device, hint, n, dtype):
    """n may be odd though the pointers are aligned: the wide accesses at the end must still honour the mask."""
    add(tmp_path, device, dtype, n, block=1024, hint=hint)


def test_divisible_count(tmp_path, device):
    """`i32:16` on the count allows the mask itself to be vectorised."""
    n = 98432
    x, y, out = random(FP32, n, 1), random(FP32, n, 2), poison(FP32, n + 64)
    after = launch(tmp_path, device, ADD, "add_kernel", "*fp32:16,*fp32:16,*fp32:16,i32:16,1024", (blocks(n, 1024),),
                   {"x_ptr": x, "y_ptr": y, "output_ptr": out, "n_elements": n})
    assert_same(FP32, after["output_ptr"][:n], FP32.widen(x) + FP32.widen(y), "sum")
    assert_same_bits(after["output_ptr"][n:], out[n:], "beyond the mask")


def test_count_fixed_to_one(tmp_path, device):
    """`i32:1` fixes the argument to 1 at compile time; it is not passed any more."""
    out = poison(I32, 64)
    x, y = random(I32, 64, 1), random(I32, 64, 2)
    after = launch(tmp_path, device, ADD, "add_kernel", "*i32,*i32,*i32,i32:1,64", (1,),
                   {"x_ptr": x, "y_ptr": y, "output_ptr": out})
    assert_same(I32, after["output_ptr"][:1], I32.widen(x[:1]) + I32.widen(y[:1]), "sum")
    assert_same_bits(after["output_ptr"][1:], out[1:], "beyond the mask")


def test_nothing_to_do(tmp_path, device):
    """n = 0: every lane is masked off, and arrays may be empty."""
    out = poison(FP32, 128)
    empty = np.zeros(0, np.float32)
    after = launch(tmp_path, device, ADD, "add_kernel", "*fp32,*fp32,*fp32,i32,64", (2,),
                   {"x_ptr": empty, "y_ptr": empty, "output_ptr": out, "n_elements": 0})
    assert_same_bits(after["output_ptr"], out, "output")


def test_more_programs_than_blocks(tmp_path, device):
    add(tmp_path, device, FP32, 1000, block=64, grid=(4096,))


def test_fewer_programs_than_blocks(tmp_path, device):
    """Only the blocks of the grid are written."""
    x, y, out = random(FP32, 1024, 1), random(FP32, 1024, 2), poison(FP32, 1024)
    after = launch(tmp_path, device, ADD, "add_kernel", "*fp32,*fp32,*fp32,i32,64", (3,),
                   {"x_ptr": x, "y_ptr": y, "output_ptr": out, "n_elements": 1024})
    assert_same(FP32, after["output_ptr"][:192], FP32.widen(x[:192]) + FP32.widen(y[:192]), "sum")
    assert_same_bits(after["output_ptr"][192:], out[192:], "blocks outside the grid")
