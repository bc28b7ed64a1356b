"""Offsets that AMD's buffer instructions take: 32 bits from a kernel argument, checked against 2 GiB. Other devices run the same."""
import os

import numpy as np
import pytest

from launch import FP16, FP32, I8, I32, I64, assert_same_bits, is_amd, poison, random
from session import Refused
from tiles import kernel

TYPES = [FP32, FP16, I8, I64]
SIZE = 1024


def copied(run, text, dtype, x, size=SIZE, **numbers):
    out = poison(dtype, size)
    signature = ",".join([f"*{dtype.name}:16", f"*{dtype.name}:16", *["i64" if abs(n) >= 2**31 else "i32" for n in numbers.values()]])
    return run(text, "kernel", signature, (1,), {"x_ptr": x, "out_ptr": out, **numbers})["out_ptr"]


@pytest.mark.parametrize("dtype", TYPES, ids=lambda d: d.name)
@pytest.mark.parametrize("index", ["SIZE - 1 - i", "SIZE - 1 + -1 * i", "(i - SIZE) + SIZE", "i * minus + (SIZE - 1)", "(i.to(tl.int64) + far) - far"])
def test_parts_of_an_offset_are_negative(run, dtype, index):
    """A constant moved from the offset into the instruction would leave a negative rest."""
    text = kernel("x_ptr, out_ptr, minus, far", f"""
        SIZE: tl.constexpr = {SIZE}
        i = tl.arange(0, SIZE)
        tl.store(out_ptr + i, tl.load(x_ptr + ({index})))
        tl.store(out_ptr + SIZE + (SIZE - 1 - i), tl.load(x_ptr + i))
    """)
    x, far = random(dtype, SIZE, 1), 2**33 + 5
    first = x if index.startswith("(") else x[::-1]
    after = copied(run, text, dtype, x, 2 * SIZE, minus=-1, far=far)
    assert_same_bits(after, np.concatenate([first, x[::-1]]), index)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda d: d.name)
def test_loops_in_both_directions(run, dtype):
    text = kernel("x_ptr, out_ptr, minus, steps", """
        i = tl.arange(0, 128)
        p = x_ptr + 896 + i
        q = out_ptr + i
        for _ in range(steps):
            tl.store(q, tl.load(p))
            p += minus
            q += 128
        tl.store(q, tl.load(p + 128 * steps))
    """)
    x = random(dtype, SIZE, 2)
    after = copied(run, text, dtype, x, SIZE + 128, minus=-128, steps=8)
    assert_same_bits(after, np.concatenate([x.reshape(8, 128)[::-1].reshape(-1), x[-128:]]), "backwards")


@pytest.mark.parametrize("dtype", TYPES, ids=lambda d: d.name)
@pytest.mark.parametrize("hints", ["", ", cache_modifier='.cg'", ", eviction_policy='evict_first'", ", cache_modifier='.ca', eviction_policy='evict_last'"])
@pytest.mark.parametrize("other", ["", ", other=0", ", other=3"])
def test_masked_off_elements(run, dtype, hints, other):
    """Elements at any address are masked off: before the tensor, more than 2 and 4 GiB after it."""
    text = kernel("x_ptr, out_ptr, n", f"""
        i = tl.arange(0, {SIZE})
        far = tl.where(i % 4 == 1, -5, tl.where(i % 4 == 2, 0x30000000, 0x7FFFFFFF))
        inside = (i % 4 == 0) & (i < n)
        v = tl.load(x_ptr + tl.where(i % 4 == 0, i, far), mask=inside{other}{hints})
        tl.store(out_ptr + tl.where(inside, i, far), v, mask=inside{hints.replace(".cg", ".wt").replace(".ca", ".cs")})
        tl.store(out_ptr + {SIZE} + i, tl.where(inside | {bool(other)}, v, 9))
    """)
    x, n = random(dtype, SIZE, 3), 901
    after = copied(run, text, dtype, x, 2 * SIZE, n=n)
    inside = (np.arange(SIZE) % 4 == 0) & (np.arange(SIZE) < n)
    expected = np.concatenate([np.where(inside, x, poison(dtype, 2 * SIZE)[:SIZE]), np.where(inside, x, x.dtype.type(int(other[-1:] or 9)))])
    assert_same_bits(after, expected, other + hints)


def test_null_pointer_without_accesses(run):
    text = kernel("x_ptr, out_ptr, n", f"""
        i = tl.arange(0, {SIZE})
        nothing = tl.cast(n, tl.int64).to(tl.pointer_type(tl.int32))
        tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=7))
        tl.store(nothing + i, i, mask=i < n)
    """)
    assert (copied(run, text, I32, random(I32, 4, 4), n=0) == 7).all()


@pytest.mark.parametrize("index", ["i - 1", "i + 1", "i + 0x20000000", "i - 0x20000000"])
@pytest.mark.parametrize("access", ["tl.store(out_ptr + i, tl.load(x_ptr + {0}))", "tl.store(out_ptr + {0}, tl.load(x_ptr + i))",
                                    "tl.store(out_ptr + i, tl.load(x_ptr + {0}, mask=i < n))"])
def test_accesses_outside_of_the_tensor_are_found(run, index, access):
    """They are neither masked off nor dropped silently."""
    if not (os.environ.get("TESSERA_TEST_DEVICE") == "emulated" and is_amd("emulated")):
        pytest.skip("only the emulator of AMD GPUs checks it")
    text = kernel("x_ptr, out_ptr, n", f"""
        i = tl.arange(0, {SIZE})
        {access.format(index)}
    """)
    with pytest.raises(Refused):
        copied(run, text, FP32, random(FP32, SIZE, 5), n=SIZE)
