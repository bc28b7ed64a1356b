"""Dots of at least 64 rows: one to four warp groups, all types, orders in memory, stages and iterations."""
import os

import numpy as np
import pytest

from launch import KERNELS

WARP_GROUPS = os.path.join(KERNELS, "warp_groups.py")


def integers(shape, seed, dtype=np.float16):
    """Products and sums of these are exact."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


def product(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


@pytest.mark.parametrize("warps", [4, 8, 16])
@pytest.mark.parametrize("M,N,block", [(64, 64, 32), (128, 128, 64), (256, 64, 16), (64, 256, 64), (128, 16, 32)])
def test_shapes(run, M, N, block, warps):
    K = 3 * block + 16
    a, b = integers((M, K), 1), integers((K, N), 2)
    after = run(WARP_GROUPS, "matmul", f"*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:1,i32:16,i32:1,{M},{N},{block},0", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.ones((M, N), np.float32), "K": K, "stride_am": K, "stride_bk": N},
                options=f"num-stages=3,num-warps={warps}")
    assert (after["out_ptr"] == product(a, b)).all()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 9])
@pytest.mark.parametrize("stages", [1, 2, 3, 4, 6])
def test_stages(run, stages, count):
    M, N, block = 64, 32, 32
    K = count * block
    a, b = integers((M, max(K, 1)), 1), integers((max(K, 1), N), 2)
    after = run(WARP_GROUPS, "matmul", f"*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:1,i32:16,i32:1,{M},{N},{block},0", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.ones((M, N), np.float32), "K": K, "stride_am": K, "stride_bk": N},
                options=f"num-stages={stages},num-warps={8 if count % 2 else 4}")
    assert (after["out_ptr"] == product(a[:, :K], b[:K])).all()


@pytest.mark.parametrize("by_rows", [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize("name,dtype,sum_name,sum_dtype", [
    ("fp16", np.float16, "fp32", np.float32), ("fp16", np.float16, "fp16", np.float16), ("fp32", np.float32, "fp32", np.float32),
    ("i8", np.int8, "int32", np.int32)])
def test_types(run, name, dtype, sum_name, sum_dtype, by_rows):
    M, N, K = 128, 64, 128
    a, b = integers((M, K), 1, dtype), integers((K, N), 2, dtype)
    in_memory = [np.ascontiguousarray(x if rows else x.T) for x, rows in zip((a, b), by_rows)]
    strides = ["i32:16,i32:1" if rows else "i32:1,i32:16" for rows in by_rows]
    given = {"stride_am" if by_rows[0] else "stride_ak": K if by_rows[0] else M, "stride_bk" if by_rows[1] else "stride_bn": N if by_rows[1] else K}
    kind, out = {"fp32": (0, "fp32"), "fp16": (1, "fp16"), "int32": (2, "i32")}[sum_name]
    after = run(WARP_GROUPS, "matmul", f"*{name}:16,*{name}:16,*{out}:16,i32:16,{strides[0]},{strides[1]},{M},{N},64,{kind}", (1,),
                {"a_ptr": in_memory[0], "b_ptr": in_memory[1], "out_ptr": np.ones((M, N), sum_dtype), "K": K, **given},
                options="num-stages=3,num-warps=4")
    assert (after["out_ptr"].astype(np.float64) == product(a, b)).all()


# Operands that the unit cannot transpose, and fewer than 64 rows: the transpose of B^T * A^T, or A through registers.
@pytest.mark.parametrize("warps", [4, 8, 16])
@pytest.mark.parametrize("M,N", [(16, 128), (32, 64), (64, 256), (128, 128), (128, 64)])
@pytest.mark.parametrize("name,dtype", [("fp16", np.float16), ("fp32", np.float32), ("i8", np.int8)])
def test_swapped(run, name, dtype, M, N, warps):
    block = 32 if name == "fp32" else 64
    K = 3 * block + 16
    a, b = integers((M, K), 1, dtype), integers((K, N), 2, dtype)
    kind, out, sums = (2, "i32", np.int32) if name == "i8" else (0, "fp32", np.float32)
    after = run(WARP_GROUPS, "matmul", f"*{name}:16,*{name}:16,*{out}:16,i32:16,i32:16,i32:1,i32:16,i32:1,{M},{N},{block},{kind}", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.ones((M, N), sums), "K": K, "stride_am": K, "stride_bk": N},
                options=f"num-stages=3,num-warps={warps}")
    assert (after["out_ptr"].astype(np.float64) == product(a, b)).all()


FP8 = {"fp8e4nv": np.array([0x38, 0x40, 0xB8], np.uint8), "fp8e5": np.array([0x3C, 0x40, 0xBC], np.uint8)}  # 1, 2, -1


@pytest.mark.parametrize("left,right", [("fp8e4nv", "fp8e4nv"), ("fp8e4nv", "fp8e5"), ("fp8e5", "fp8e4nv")])
@pytest.mark.parametrize("M,warps", [(16, 4), (128, 8)])
def test_swapped_fp8(run, M, warps, left, right):
    """The instruction's name has the type of B first."""
    N, K = 128, 192
    values = np.array([1.0, 2.0, -1.0])
    a, b = (np.random.default_rng(seed).integers(0, 3, shape) for seed, shape in ((1, (M, K)), (2, (K, N))))
    after = run(WARP_GROUPS, "matmul", f"*{left}:16,*{right}:16,*fp32:16,i32:16,i32:16,i32:1,i32:16,i32:1,{M},{N},64,0", (1,),
                {"a_ptr": FP8[left][a], "b_ptr": FP8[right][b], "out_ptr": np.ones((M, N), np.float32), "K": K, "stride_am": K, "stride_bk": N},
                options=f"num-stages=3,num-warps={warps}")
    assert (after["out_ptr"] == product(values[a], values[b])).all()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7])
@pytest.mark.parametrize("stages", [1, 2, 3, 5])
@pytest.mark.parametrize("by_rows", [(True, True), (False, False)])
def test_through_registers(run, by_rows, stages, count):
    """B (or A, which then lies by columns) is contiguous along N (M): it is transposed on its way through registers."""
    M, N, block = 64, 64, 32
    K = count * block
    a, b = integers((M, max(K, 4)), 1, np.float32), integers((max(K, 4), N), 2, np.float32)
    in_memory = [np.ascontiguousarray(x if rows else x.T) for x, rows in zip((a, b), by_rows)]
    strides = ["i32:16,i32:1" if rows else "i32:1,i32:16" for rows in by_rows]
    given = {"stride_am" if by_rows[0] else "stride_ak": a.shape[1] if by_rows[0] else M,
             "stride_bk" if by_rows[1] else "stride_bn": N if by_rows[1] else b.shape[0]}
    after = run(WARP_GROUPS, "matmul", f"*fp32:16,*fp32:16,*fp32:16,i32:16,{strides[0]},{strides[1]},{M},{N},{block},0", (1,),
                {"a_ptr": in_memory[0], "b_ptr": in_memory[1], "out_ptr": np.ones((M, N), np.float32), "K": K, **given},
                options=f"num-stages={stages},num-warps=4")
    assert (after["out_ptr"] == product(a[:, :K], b[:K])).all()


@pytest.mark.parametrize("warps", [4, 8, 16])
@pytest.mark.parametrize("batch,M,N,K", [(2, 64, 64, 32), (4, 64, 16, 32), (1, 128, 32, 32)])
@pytest.mark.parametrize("name,dtype,by_rows", [("fp16", np.float16, True), ("fp16", np.float16, False), ("i8", np.int8, False), ("fp32", np.float32, True)])
def test_batched(run, name, dtype, by_rows, batch, M, N, K, warps):
    count = 3
    a, b = integers((count, batch, M, K), 1, dtype), integers((count, batch, K, N), 2, dtype)
    in_memory = b if by_rows else np.ascontiguousarray(np.swapaxes(b, 2, 3))
    strides, given = ("i32:16,i32:1", {"stride_bk": N}) if by_rows else ("i32:1,i32:16", {"stride_bn": K})
    out, sums, kind = ("i32", np.int32, 2) if name == "i8" else ("fp32", np.float32, 0)
    after = run(WARP_GROUPS, "batched", f"*{name}:16,*{name}:16,*{out}:16,i32,{strides},{batch},{M},{N},{K},{kind}", (1,),
                {"a_ptr": a, "b_ptr": in_memory, "out_ptr": np.ones((batch, M, N), sums), "count": count, **given},
                options=f"num-stages=3,num-warps={warps}")
    assert (after["out_ptr"].astype(np.float64) == product(a, b).sum(axis=0)).all()


@pytest.mark.parametrize("count", [0, 1, 2, 5])
@pytest.mark.parametrize("stages", [2, 4])
def test_two_sums(run, stages, count):
    M, N, K = 64, 32, 32
    a, b, c = integers((5, M, K), 1), integers((5, K, N), 2), integers((5, K, N), 3)
    after = run(WARP_GROUPS, "two_sums", f"*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,{M},{N},{K}", (1,),
                {"a_ptr": a, "b_ptr": b, "c_ptr": c, "out_ptr": np.ones((M, N), np.float32), "count": count},
                options=f"num-stages={stages},num-warps=4")
    expected = sum((product(a[i], b[i]) - 2 * product(a[i], c[i]) for i in range(count)), np.full((M, N), -10.0))
    assert (after["out_ptr"] == expected).all()


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("count", [0, 1, 2, 5])
@pytest.mark.parametrize("stages", [1, 2, 3, 5])
def test_chained(run, stages, count, warps):
    M, N, D = 64 * warps // 4, 32, 64
    q, k, v = integers((M, D), 1), integers((5 * N, D), 2), integers((5 * N, D), 3)
    after = run(WARP_GROUPS, "chained", f"*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,{M},{N},{D}", (1,),
                {"q_ptr": q, "k_ptr": k, "v_ptr": v, "out_ptr": np.ones((M, D), np.float32), "count": count},
                options=f"num-stages={stages},num-warps={warps}")
    expected = np.zeros((M, D))
    for i in range(count):
        part = slice(i * N, (i + 1) * N)
        expected = expected * 0.5 + product((product(q, k[part].T) * 0.25).astype(np.float16), v[part])
    assert (after["out_ptr"] == expected).all()


@pytest.mark.parametrize("count", [0, 1, 2, 5])
@pytest.mark.parametrize("stages", [1, 2, 3])
def test_transposed_result(run, stages, count):
    M, N, K = 64, 64, 32
    a, b, c = integers((5, M, K), 1), integers((5, N, K), 2), integers((5, N, K), 3)
    after = run(WARP_GROUPS, "transposed_result", f"*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,{M},{N},{K}", (1,),
                {"a_ptr": a, "b_ptr": b, "c_ptr": c, "out_ptr": np.ones((N + M, K), np.float32), "count": count},
                options=f"num-stages={stages},num-warps=4")
    first, second = np.zeros((N, K)), np.zeros((M, K))
    for i in range(count):
        p = product(a[i], b[i].T)
        first, second = first + product(p.T, a[i]), second + product(p, c[i])
    assert (after["out_ptr"] == np.concatenate([first, second])).all()


@pytest.mark.parametrize("count", [0, 1, 2, 5])
@pytest.mark.parametrize("stages", [1, 2, 3])
def test_three_sums(run, stages, count):
    M, N, K = 64, 32, 32
    a, b, c = integers((5, M, K), 1), integers((5, K, N), 2, np.float32), integers((5, K, N), 3, np.float32)
    after = run(WARP_GROUPS, "three_sums", f"*fp16:16,*fp32:16,*fp32:16,*fp32:16,i32,{M},{N},{K}", (1,),
                {"a_ptr": a, "b_ptr": b, "c_ptr": c, "out_ptr": np.ones(M * M + 2 * M * N, np.float32), "count": count},
                options=f"num-stages={stages},num-warps=4")
    sums = [sum((product(a[i], y) for i, y in enumerate(right[:count])), np.zeros((M, right[0].shape[1])))
            for right in ([x.T for x in a], b, c)]
    assert (after["out_ptr"] == np.concatenate([x.flatten() for x in sums])).all()


@pytest.mark.parametrize("count", [0, 1, 4])
@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("warps", [4, 8])
def test_from_registers(run, stages, count, warps):
    M, N, K = 128, 64, 64
    a, b = integers((4, M, K), 1, np.int8), integers((4, K, N), 2, np.int8)
    after = run(WARP_GROUPS, "from_registers", f"*i8:16,*i8:16,*fp32:16,i32,{M},{N},{K}", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.ones((M, N), np.float32), "count": count},
                options=f"num-stages={stages},num-warps={warps}")
    expected = sum((product(a[i] * 2.0, b[i] + 1.0) for i in range(count)), np.zeros((M, N)))
    assert (after["out_ptr"] == expected).all()


@pytest.mark.parametrize("count", [0, 1, 4])
@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("M,N,warps", [(16, 64, 4), (64, 128, 4), (32, 128, 8), (128, 64, 8)])
def test_computed_weights(run, M, N, warps, stages, count):
    K = 64
    a, b = integers((4, M, K), 1), np.random.default_rng(2).integers(0, 256, (4, K // 2, N)).astype(np.uint8)
    weights = np.stack([b & 15, b >> 4], 2).reshape(4, K, N) - 8.0
    after = run(WARP_GROUPS, "weights", f"*fp16:16,*u8:16,*fp32:16,i32,{M},{N},{K}", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.ones((M, N), np.float32), "count": count},
                options=f"num-stages={stages},num-warps={warps}")
    assert (after["out_ptr"] == sum((product(a[i], weights[i]) for i in range(count)), np.zeros((M, N)))).all()


@pytest.mark.parametrize("limit", [0, 32, 64, 128])
def test_limited_fp8_sums(run, limit):
    M, N, K = 64, 32, 128
    # 1, 2 and -1 in e4m3.
    codes, values = np.array([0x38, 0x40, 0xB8], np.uint8), np.array([1.0, 2.0, -1.0])
    chosen = [np.random.default_rng(seed).integers(0, 3, shape) for seed, shape in ((1, (M, K)), (2, (N, K)))]
    after = run(WARP_GROUPS, "limited", f"*fp8e4nv:16,*fp8e4nv:16,*fp32:16,{M},{N},{K},{limit}", (1,),
                {"a_ptr": codes[chosen[0]], "b_ptr": codes[chosen[1]], "out_ptr": np.ones((M, N), np.float32)},
                options="num-warps=4")
    assert (after["out_ptr"] == 3 + product(values[chosen[0]], values[chosen[1]].T)).all()
