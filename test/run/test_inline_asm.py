"""tl.inline_asm_elementwise on a GPU: packing, several results, statements with effects."""
import numpy as np
import pytest

from launch import FP32, I16, I32, I8, U8, assert_same_bits, poison, random
from tiles import kernel


@pytest.fixture(autouse=True)
def only_on_gpus(device):
    if device == "cpu":
        pytest.skip("there is no assembly that all processors know")


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
