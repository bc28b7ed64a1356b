"""tl.inline_asm_elementwise on a GPU: packing, several results, statements with effects."""
import os

import numpy as np
import pytest

from launch import BF16, FP32, I16, I32, I8, KERNELS, U8, assert_same_bits, is_amd, poison, random
from tiles import kernel


@pytest.fixture(autouse=True)
def only_where_it_is_known(device, request):
    if device == "cpu":
        pytest.skip("there is no assembly that all processors know")
    if is_amd(device) != ("amdgcn" in request.node.name):
        pytest.skip("the test's assembly is another vendor's")


def call(run, body, arguments, signature, num_warps=4):
    return run(kernel(", ".join(arguments), body), "kernel", signature, (1,), arguments, options=f"num-warps={num_warps}")


@pytest.mark.parametrize("size", [1, 64, 128, 512, 4096])
def test_one_element_at_a_time(run, size):
    x, y = random(I32, size, 1), random(I32, size, 2)
    after = call(run, f"""
        i = tl.arange(0, {size})
        r = tl.inline_asm_elementwise("sub.s32 $0, $1, $2;", "=r,r,r", [tl.load(x_ptr + i), tl.load(y_ptr + i)],
                                      dtype=tl.int32, is_pure=True, pack=1)
        tl.store(out_ptr + i, r)
    """, {"x_ptr": x, "y_ptr": y, "out_ptr": poison(I32, size)}, "*i32,*i32,*i32")
    assert_same_bits(after["out_ptr"], x - y, "differences")


@pytest.mark.parametrize("size", [64, 512, 2048])
def test_four_bytes_at_once(run, size):
    """The bits of four bytes are inverted in one register."""
    x = random(U8, size, 3)
    after = call(run, f"""
        i = tl.arange(0, {size})
        r = tl.inline_asm_elementwise("not.b32 $0, $1;", "=r,r", [tl.load(x_ptr + i)], dtype=tl.uint8, is_pure=True, pack=4)
        tl.store(out_ptr + i, r)
    """, {"x_ptr": x, "out_ptr": poison(U8, size)}, "*u8,*u8")
    assert_same_bits(after["out_ptr"], ~x, "inverted")


def test_bytes_to_halfwords(run):
    """Four bytes make two registers of two halfwords, the first in the lowest bits."""
    x = random(U8, 512, 4)
    after = call(run, """
        i = tl.arange(0, 512)
        r = tl.inline_asm_elementwise("prmt.b32 $0, $2, 0, 0x4140; prmt.b32 $1, $2, 0, 0x4342;", "=r,=r,r",
                                      [tl.load(x_ptr + i)], dtype=tl.int16, is_pure=True, pack=4)
        tl.store(out_ptr + i, r)
    """, {"x_ptr": x, "out_ptr": poison(I16, 512)}, "*u8,*i16")
    assert_same_bits(after["out_ptr"], x.astype(np.int16), "halfwords")


def test_several_results(run):
    x = np.random.default_rng(5).standard_normal(256).astype(np.float32)
    after = call(run, """
        i = tl.arange(0, 256)
        bits, twice = tl.inline_asm_elementwise("mov.b32 $0, $2; add.f32 $1, $2, $2;", "=r,=f,f", [tl.load(x_ptr + i)],
                                                dtype=(tl.int32, tl.float32), is_pure=True, pack=1)
        tl.store(bits_ptr + i, bits)
        tl.store(twice_ptr + i, twice)
    """, {"x_ptr": x, "bits_ptr": poison(I32, 256), "twice_ptr": poison(FP32, 256)}, "*fp32,*i32,*fp32")
    assert_same_bits(after["bits_ptr"], x.view(np.int32), "bits")
    assert_same_bits(after["twice_ptr"], 2 * x, "sums")


def test_effects_are_kept(run):
    """A statement that is not pure stays, though nobody uses its result."""
    after = call(run, """
        i = tl.arange(0, 128)
        tl.inline_asm_elementwise("st.global.b32 [$1], $2; mov.b32 $0, 0;", "=r,l,r", [out_ptr + i, i], dtype=tl.int32,
                                  is_pure=False, pack=1)
    """, {"out_ptr": poison(I32, 128)}, "*i32")
    assert after["out_ptr"].tolist() == list(range(128))


def test_signed_bytes(run):
    x = random(I8, 256, 6)
    after = call(run, """
        i = tl.arange(0, 256)
        r = tl.inline_asm_elementwise("neg.s16 $0, $1;", "=h,h", [tl.load(x_ptr + i).to(tl.int16)], dtype=tl.int16,
                                      is_pure=True, pack=1)
        tl.store(out_ptr + i, r)
    """, {"x_ptr": x, "out_ptr": poison(I16, 256)}, "*i8,*i16")
    assert_same_bits(after["out_ptr"], -x.astype(np.int16), "negated")


# ---- groups of elements: neighbours in memory ------------------------------------------------------

PACKED = os.path.join(KERNELS, "packed.py")


def reversed_groups(x, axis, pack):
    """The elements of each aligned run of `pack` along the axis in the opposite order."""
    x = np.moveaxis(x, axis, -1)
    return np.moveaxis(x.reshape(*x.shape[:-1], -1, pack)[..., ::-1].reshape(x.shape), -1, axis)


@pytest.mark.parametrize("dtype,pack", [(U8, 4), (U8, 2), (I16, 2)], ids=["bytes-4", "bytes-2", "halfwords-2"])
@pytest.mark.parametrize("stored", [0, 1])
@pytest.mark.parametrize("loaded", [0, 1])
@pytest.mark.parametrize("shape,warps", [((128, 64), 4), ((64, 32), 1), ((16, 8), 4), ((256, 128), 8), ((8, 512), 4)], ids=str)
def test_groups_lie_along_the_contiguous_axis(run, shape, warps, loaded, stored, dtype, pack):
    x = random(dtype, shape[0] * shape[1], 6).reshape(shape)
    strides = {1: (shape[1], 1), 0: (1, shape[0])}
    text = {s: f"i32{':1' if s == 1 else ':16' if s % 16 == 0 else ''}" for s in (1, *shape)}
    signature = ",".join([f"*{dtype.name}:16", f"*{dtype.name}:16", *(text[s] for s in strides[loaded] + strides[stored]),
                          *map(str, shape), str(pack)])
    scalars = dict(zip(["x_stride_m", "x_stride_n", "out_stride_m", "out_stride_n"], strides[loaded] + strides[stored]))
    after = run(PACKED, "reverse_tile", signature, (1,),
                {"x_ptr": x if loaded == 1 else np.ascontiguousarray(x.T), "out_ptr": poison(dtype, x.size).reshape(shape[::2 * stored - 1]),
                 **{name: value for name, value in scalars.items() if value != 1}}, options=f"num-warps={warps}")
    out = after["out_ptr"] if stored == 1 else after["out_ptr"].T
    assert_same_bits(np.ascontiguousarray(out), np.ascontiguousarray(reversed_groups(x, loaded, pack)), "reversed groups")


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("how", ["trans", "cast", "reshape", "permute", "split"])
def test_groups_through_other_shapes(run, how, warps):
    x = random(U8, 64 * 32, 7).reshape(64, 32)
    after = run(PACKED, "reverse_rearranged", f"*u8:16,*u8:16,64,32,'{how}'", (1,), {"x_ptr": x, "out_ptr": poison(U8, x.size).reshape(x.shape)},
                options=f"num-warps={warps}")["out_ptr"]
    if how == "cast":
        expected = reversed_groups((x.astype(np.int32) * 3 + 1).astype(np.uint8), 1, 4)
    elif how == "split":  # of each half four neighbours, of what is left
        expected = np.stack([reversed_groups(x[:, half::2], 1, 4) for half in (0, 1)], -1).reshape(x.shape)
    else:
        expected = reversed_groups(x, 1, 4)
    assert_same_bits(after, expected, how)


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("K,N", [(256, 128), (64, 64)])
def test_upcast_of_four_bits(run, K, N, warps):
    rng = np.random.default_rng(8)
    values = rng.integers(0, 16, (N // 4, K // 2, 8)).astype(np.int32)  # words of eight numbers
    words = np.zeros((N // 4, K // 2, 4), np.uint8)
    for i in range(8):
        for byte in range(4):
            words[..., byte] |= (values[..., i] >> byte & 1).astype(np.uint8) << i
    scale = np.exp2(rng.integers(-3, 4, (K // 32, N))).astype(np.float32)
    after = run(PACKED, "upcast_along_first", f"*u8:16,*fp32:16,*bf16:16,{K},{N}", (1,),
                {"x_ptr": words.reshape(N // 4, 2 * K), "scale_ptr": scale, "out_ptr": poison(BF16, K * N)}, options=f"num-warps={warps}")
    tile = values.reshape(N // 16, 4, K // 64, 2, 4, 8, 2, 2).transpose(0, 6, 1, 3, 2, 5, 4, 7).reshape(N, K).T
    np.testing.assert_array_equal(BF16.widen(after["out_ptr"]).reshape(K, N), tile * np.repeat(scale, 32, 0))


def test_unpacking_without_assembly(run):
    """LLVM's vectorisers would leave half of a packed sum undefined here."""
    x = np.tile(np.arange(256, dtype=np.uint8), 2)
    after = run(PACKED, "unpack_fp4", "*u8:16,*bf16:16,512", (1,), {"x_ptr": x, "out_ptr": poison(BF16, 1024)})
    magnitude = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    numbers = np.stack([x & 15, x >> 4], -1).reshape(-1)
    expected = magnitude[numbers & 7] * np.where(numbers & 8, -1.0, 1.0)
    assert_same_bits(after["out_ptr"], BF16.narrow(expected), "bf16")


@pytest.mark.parametrize("stages", [1, 3, 4])
@pytest.mark.parametrize("a_axis,b_axis", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_groups_in_a_pipelined_product(run, a_axis, b_axis, stages):
    M, N, K, steps = 32, 64, 64, 5
    a, b = (np.random.default_rng(seed).integers(0, 5, shape).astype(np.uint8) for seed, shape in ((9, (M, K * steps)), (10, (K * steps, N))))

    def laid_out(x, axis):
        """In memory, and its strides."""
        return (x, (x.shape[1], 1)) if axis == 1 else (np.ascontiguousarray(x.T), (1, x.shape[0]))

    (a_memory, a_strides), (b_memory, b_strides) = laid_out(a, a_axis), laid_out(b, b_axis)
    names = ["a_stride_m", "a_stride_k", "b_stride_k", "b_stride_n"]
    strides = dict(zip(names, a_strides + b_strides))
    signature = ",".join(["*u8:16,*u8:16,*fp32:16,i32", *(f"i32:{1 if s == 1 else 16}" for s in strides.values()), f"{M},{N},{K}"])
    after = run(PACKED, "product_of_reversed", signature, (1,),
                {"a_ptr": a_memory, "b_ptr": b_memory, "out_ptr": poison(FP32, M * N).reshape(M, N), "steps": steps,
                 **{name: s for name, s in strides.items() if s != 1}}, options=f"num-stages={stages}")
    expected = reversed_groups(a, a_axis, 4).astype(np.float32) @ reversed_groups(b, b_axis, 4).astype(np.float32)
    np.testing.assert_array_equal(after["out_ptr"], expected)


@pytest.mark.parametrize("size", [1, 64, 512])
def test_amdgcn(run, size):
    x, y = random(I32, size, 1), random(I32, size, 2)
    after = call(run, f"""
        i = tl.arange(0, {size})
        r = tl.inline_asm_elementwise("v_xad_u32 $0, $1, $2, 1", "=v,v,v", [tl.load(x_ptr + i), tl.load(y_ptr + i)],
                                      dtype=tl.int32, is_pure=True, pack=1)
        tl.store(out_ptr + i, r)
    """, {"x_ptr": x, "y_ptr": y, "out_ptr": poison(I32, size)}, "*i32,*i32,*i32")
    assert_same_bits(after["out_ptr"], (x ^ y) + 1, "sums")


@pytest.mark.parametrize("size", [64, 512])
def test_amdgcn_four_bytes_at_once(run, size):
    x = random(U8, size, 3)
    after = call(run, f"""
        i = tl.arange(0, {size})
        r = tl.inline_asm_elementwise("v_not_b32_e32 $0, $1", "=v,v", [tl.load(x_ptr + i)], dtype=tl.uint8, is_pure=True, pack=4)
        tl.store(out_ptr + i, r)
    """, {"x_ptr": x, "out_ptr": poison(U8, size)}, "*u8,*u8")
    assert_same_bits(after["out_ptr"], ~x, "inverted bytes")
