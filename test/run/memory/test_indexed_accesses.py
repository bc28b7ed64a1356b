"""Elements of every size at addresses that the data decides, up to the last one of the array."""
import os

import numpy as np
import pytest

from launch import KERNELS, assert_same_bits

FILE = os.path.join(KERNELS, "indexed_accesses.py")
TYPES = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "fp16": np.float16, "i32": np.int32, "fp32": np.float32,
         "i64": np.int64, "fp64": np.float64}


@pytest.mark.parametrize("block", [1, 2, 16, 64, 256])
@pytest.mark.parametrize("dtype", TYPES)
def test_indexed_load(run, dtype, block):
    rng = np.random.default_rng(block)
    x = rng.integers(-100, 100, 1001).astype(TYPES[dtype])  # an odd number of bytes for bytes
    index = rng.integers(0, 1001, 2 * block).astype(np.int32)
    index[[0, -1]] = 1000, 0
    y = np.zeros(2 * block, TYPES[dtype])
    for n in (1001, 500, 0):
        after = run(FILE, "indexed_load", f"*{dtype},*i32,*{dtype},i32,{block}", (2,),
                    {"x_ptr": x, "index_ptr": index, "y_ptr": y, "n": n})["y_ptr"]
        assert_same_bits(after, np.where(index < n, x[index], TYPES[dtype](1)), f"{dtype}, block {block}, n {n}")
    after = run(FILE, "indexed_load_of_all", f"*{dtype},*i32,*{dtype},{block}", (2,),
                {"x_ptr": x, "index_ptr": index, "y_ptr": y})["y_ptr"]
    assert_same_bits(after, x[index], f"{dtype}, block {block}")


@pytest.mark.parametrize("block", [1, 2, 16, 64, 256])
@pytest.mark.parametrize("dtype", TYPES)
def test_indexed_store(run, dtype, block):
    rng = np.random.default_rng(block)
    x = rng.integers(-100, 100, 2 * block).astype(TYPES[dtype])
    index = rng.permutation(2 * block + 1)[:2 * block].astype(np.int32)
    y = np.full(2 * block + 1, 7, TYPES[dtype])
    for n in (2 * block + 1, block, 0):
        after = run(FILE, "indexed_store", f"*{dtype},*i32,*{dtype},i32,{block}", (2,),
                    {"x_ptr": x, "index_ptr": index, "y_ptr": y, "n": n})["y_ptr"]
        expected = y.copy()
        expected[index[index < n]] = x[index < n]
        assert_same_bits(after, expected, f"{dtype}, block {block}, n {n}")


@pytest.mark.parametrize("warps", [1, 4, 16])
@pytest.mark.parametrize("shape", [(128, 32), (1, 64), (64, 1), (2, 2), (8, 128), (4, 8, 2), (1, 16, 8), (32, 1, 16)])
def test_places_without_neighbours(run, shape, warps):
    """Every element is read, stored and added once, however the threads share tiles that may be smaller than they are many."""
    height, width = 11, 7
    x, size = np.random.default_rng(0).integers(-100, 100, 200).astype(np.int32), int(np.prod(shape))
    *slow, column = np.indices(shape)
    layer, row = slow if len(slow) == 2 else (0, slow[0])
    kernel = "scattered_cube" if len(shape) == 3 else "scattered_matrix"
    after = run(FILE, kernel, "*i32,*i32,*i32,i32,i32," + ",".join(map(str, shape)), (1,),
                {"x_ptr": x, "y_ptr": np.zeros(size, np.int32), "sums_ptr": np.zeros(height * 16, np.int32), "height": height,
                 "width": width}, options=f"num-warps={warps}")
    expected = np.where((layer + row + column) % 3 != 0, x[(layer + row * 7) % height * 13 + column * 5 % width], np.int32(-5))
    sums = np.zeros(height * 16, np.int32)
    np.add.at(sums, ((layer + row) % height * 16 + column % width).ravel(), expected.ravel())
    assert_same_bits(after["y_ptr"], expected.ravel(), "read and stored")
    assert_same_bits(after["sums_ptr"], sums, "added")
