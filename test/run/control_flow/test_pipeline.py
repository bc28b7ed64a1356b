"""Software pipelining: every number of stages and of iterations gives what the plain loop gives."""
import os

import numpy as np
import pytest

from launch import KERNELS

PIPELINE = os.path.join(KERNELS, "pipeline.py")
STAGES = [2, 3, 5]


def integers(shape, seed, dtype=np.float16):
    """Products and sums of these are exact."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


@pytest.mark.parametrize("warps", [1, 8])
@pytest.mark.parametrize("K", [16, 96, 200])
@pytest.mark.parametrize("stages", STAGES)
def test_matmul(run, stages, K, warps):
    M, N = 64, 32
    a, b = integers((M, K), 1), integers((K, N), 2)
    aligned = ":16" if K % 16 == 0 else ""
    after = run(PIPELINE, "matmul", f"*fp16:16,*fp16:16,*fp32:16,i32{aligned},i32:1,i32{aligned},i32:16,i32:1,{M},{N},32", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.ones((M, N), np.float32), "K": K, "stride_am": K,
                 "stride_bk": N}, options=f"num-stages={stages},num-warps={warps}")
    assert (after["out_ptr"] == a.astype(np.float32) @ b.astype(np.float32)).all()


@pytest.mark.parametrize("stages", STAGES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_operands_stored_by_columns(run, stages, dtype):
    M, N, K = 32, 64, 160
    a, b = integers((M, K), 1, dtype), integers((K, N), 2, dtype)
    name = {np.float16: "fp16", np.float32: "fp32"}[dtype]
    after = run(PIPELINE, "matmul", f"*{name}:16,*{name}:16,*fp32:16,i32:16,i32:16,i32:1,i32:1,i32:16,{M},{N},32", (1,),
                {"a_ptr": np.ascontiguousarray(a.T), "b_ptr": np.ascontiguousarray(b.T), "out_ptr": np.ones((M, N), np.float32),
                 "K": K, "stride_ak": M, "stride_bn": K}, options=f"num-stages={stages}")
    assert (after["out_ptr"] == a.astype(np.float32) @ b.astype(np.float32)).all()


@pytest.mark.parametrize("count", [0, 1, 2, 7])
@pytest.mark.parametrize("stages", STAGES)
def test_paged(run, stages, count):
    M, N, K = 32, 32, 64
    a, b, pages = integers((8, M, K), 1), integers((8, K, N), 2), np.array([3, 0, 7, 7, 1, 5, 2, 4], np.int32)
    after = run(PIPELINE, "paged", f"*fp16:16,*fp16:16,*i32:16,*fp32:16,i32,{M},{N},{K}", (1,),
                {"a_ptr": a, "b_ptr": b, "pages_ptr": pages, "out_ptr": np.ones((M, N), np.float32), "count": count},
                options=f"num-stages={stages}")
    expected = np.zeros((M, N), np.float32)
    for page in pages[:count]:
        expected += a[page].astype(np.float32) @ b[page].astype(np.float32)
    assert (after["out_ptr"] == expected).all()


@pytest.mark.parametrize("n", [0, 16, 208, 512])
@pytest.mark.parametrize("stages", STAGES)
def test_loop_without_dot(run, stages, n):
    x = integers(max(n, 16), 1, np.float32)
    after = run(PIPELINE, "running_max", f"*fp32:16,*fp32:16,i32:16,64,{stages}", (1,),
                {"x_ptr": x, "out_ptr": np.zeros(64, np.float32), "n": n})
    expected = np.full(64, -1.0e9, np.float32)
    for start in range(0, n, 64):
        columns = start + np.arange(64)
        inside = columns < n - 3
        expected = np.maximum(expected, np.where(inside, x[np.where(inside, columns, 0)], -7.0))
    assert (after["out_ptr"] == expected).all()


@pytest.mark.parametrize("count", [0, 1, 4])
@pytest.mark.parametrize("stages", STAGES)
def test_loop_that_stores_what_it_loads(run, stages, count):
    M = 32
    a, b = integers((M, M), 1), integers((4, M, M), 2)
    after = run(PIPELINE, "overwritten", f"*fp16:16,*fp16:16,*fp32:16,i32,{M}", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.ones((M, M), np.float32), "count": count}, options=f"num-stages={stages}")
    expected = np.zeros((M, M), np.float32)
    for i in range(count):
        expected += (a + i).astype(np.float32) @ b[i].astype(np.float32)
    assert (after["out_ptr"] == expected).all()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 8])
@pytest.mark.parametrize("stages", [2, 3, 4, 5, 7])
def test_gathered(run, stages, count, dtype):
    """The copy of one tile needs another tile, whose copy must have arrived: in the prologue as in the loop."""
    M, N, K, rows = 32, 32, 64, 50
    a, b = integers((rows, K), 1), integers((8, K, N), 2)
    named = np.random.default_rng(3).integers(0, rows, (8, M)).astype(dtype)
    after = run(PIPELINE, "gathered", f"*fp16:16,*fp16:16,*{'i32' if dtype == np.int32 else 'i64'}:16,*fp32:16,i32,{M},{N},{K}", (1,),
                {"a_ptr": a, "b_ptr": b, "rows_ptr": named, "out_ptr": np.ones((M, N), np.float32), "count": count},
                options=f"num-stages={stages}")
    expected = sum((a[named[i]].astype(np.float32) @ b[i].astype(np.float32) for i in range(count)), np.zeros((M, N), np.float32))
    assert (after["out_ptr"] == expected).all()


@pytest.mark.parametrize("count", [0, 1, 4, 9])
@pytest.mark.parametrize("stages", [3, 5])
def test_rows_that_the_loop_overwrites(run, stages, count):
    M = 32
    a, b, rows = integers((M, M), 1), integers((M, M), 2), np.random.default_rng(3).permutation(M).astype(np.int32)
    after = run(PIPELINE, "overwritten_rows", f"*fp16:16,*fp16:16,*i32:16,*fp32:16,i32,{M}", (1,),
                {"a_ptr": a, "b_ptr": b, "rows_ptr": rows, "out_ptr": np.ones((M, M), np.float32), "count": count},
                options=f"num-stages={stages}")
    expected = sum((a[(rows + i) % M].astype(np.float32) @ b.astype(np.float32) for i in range(count)), np.zeros((M, M), np.float32))
    assert (after["out_ptr"] == expected).all() and (after["rows_ptr"] == (rows + count) % M).all()


@pytest.mark.parametrize("count", [0, 1, 5])
@pytest.mark.parametrize("stages", STAGES)
def test_tiles_taken_from_a_queue(run, stages, count):
    M = 32
    a, b = integers((8, M, M), 1), integers((M, M), 2)
    after = run(PIPELINE, "taken_from_queue", f"*fp16:16,*fp16:16,*i32:16,*fp32:16,i32,{M}", (1,),
                {"a_ptr": a, "b_ptr": b, "head_ptr": np.array([2], np.int32), "out_ptr": np.ones((M, M), np.float32), "count": count},
                options=f"num-stages={stages}")
    expected = sum((a[2 + i].astype(np.float32) @ b.astype(np.float32) for i in range(count)), np.zeros((M, M), np.float32))
    assert (after["out_ptr"] == expected).all() and (after["head_ptr"] == 2 + count).all()


def ragged(K, columns, dtype):
    """Matrices whose rows end before the next begins; what lies between would show in any result."""
    M, pitch = 32, 16
    lda, ldb = -(-K // pitch) * pitch, -(-columns // pitch) * pitch
    a, b = integers((M, lda), 1, dtype), integers((max(K, 1), ldb), 2, dtype)
    a[:, K:], b[:, columns:] = 100, 100
    expected = np.zeros((M, 64), np.float32)
    expected[:, :columns] = a[:, :K].astype(np.float32) @ b[:K, :columns].astype(np.float32)
    return a, b, expected, {"K": K, "columns": columns, "lda": lda, "ldb": ldb}


@pytest.mark.parametrize("K, columns", [(1, 1), (7, 64), (64, 33), (65, 63), (129, 50), (200, 8)])
@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("dtype", [np.float16, np.int8])
def test_rows_that_end_inside_a_copy(run, dtype, stages, K, columns):
    a, b, expected, sizes = ragged(K, columns, dtype)
    name, out = {np.float16: ("fp16", "fp32"), np.int8: ("i8", "i32")}[dtype]
    after = run(PIPELINE, "ragged_product", f"*{name}:16,*{name}:16,*{out}:16,i32,i32,i32:16,i32:16,32,64,64", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.ones((32, 64), np.float32 if out == "fp32" else np.int32), **sizes},
                options=f"num-stages={stages}")
    assert (after["out_ptr"] == expected).all()


@pytest.mark.parametrize("K, columns", [(1, 1), (65, 63), (129, 50), (200, 64)])
def test_descriptors_whose_rows_end_inside_a_copy(run, K, columns):
    a, b, expected, sizes = ragged(K, columns, np.float16)
    after = run(PIPELINE, "ragged_descriptors", "*fp16,*fp16,*fp32,i32,i32,i32,i32,32,64,64", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.ones((32, 64), np.float32), **sizes}, options="num-stages=3")
    assert (after["out_ptr"] == expected).all()
