"""Races between threads, wgmma and cp.async: the sound form passes with every seed, the form without its fix is reported."""
import numpy as np
import pytest

import emulator
from handwritten import Kernel, accumulators, fill_shared, store_registers, without

SEEDS = range(6)
FENCE, BARRIER, GROUP_FENCE = "fence.proxy.async.shared::cta;", "bar.sync 0;", "wgmma.fence.sync.aligned;"
COMMIT, WAIT = "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"
DESCRIPTORS = ("mov.u32 %r1, global_smem; shr.u32 %r1, %r1, 4; cvt.u64.u32 %rd1, %r1; "
               f"or.b64 %rd4, %rd1, {3 << 62 | 16 << 32 | 1 << 16}; add.u64 %rd5, %rd4, 128; add.u64 %rd6, %rd4, 144;")
ADDRESSES = ("mov.u32 %r2, %tid.x; mov.u32 %r3, global_smem; and.b32 %r4, %r2, 63; shl.b32 %r4, %r4, 2; add.u32 %r3, %r3, %r4; "
             "ld.param.u64 %rd7, [image]; cvt.u64.u32 %rd8, %r4; add.u64 %rd7, %rd7, %rd8;")
A_BYTES, B_BYTES = 2048, 256  # 64x16 and 8x16 halves


def product(b="%rd5", a="%rd4", scale=1, first=100):
    registers = "{" + ", ".join(accumulators(8, "f32", first)) + "}"
    transposition = "0, 0" if a.startswith("%") else "0"
    return f"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {registers}, {a}, {b}, {scale}, 1, 1, {transposition};"


def zero_sums(first=100):
    return " ".join(f"mov.b32 {name}, 0;" for name in accumulators(8, "f32", first))


def kernel_of(lines, threads, **changes):
    return Kernel(without(lines, **changes), threads, ["image", "out"])


def run(kernel, seed=0, shared=A_BYTES + 2 * B_BYTES, threads=256):
    image = np.random.default_rng(1).integers(-2, 3, shared // 2).astype(np.float16)
    return kernel.run([image, np.zeros(4 * threads, np.uint32)], shared, seed)


def check_sound(lines, threads=256, **changes):
    kernel = kernel_of(lines, threads, **changes)
    results = [run(kernel, seed, threads=threads)[1] for seed in SEEDS]
    assert all((result == results[0]).all() for result in results)


def check_fault(lines, complaint, threads=256, **changes):
    kernel = kernel_of(lines, threads, **changes)
    for seed in SEEDS:
        with pytest.raises(emulator.Fault, match=complaint):
            run(kernel, seed, threads=threads)


# Two warp groups multiply by the same B, and then B is written anew by half of group 0's threads.
REFILL_BARRIER = "bar.sync 0, 256;"
REFILL = [fill_shared("image", A_BYTES + 2 * B_BYTES, 256), FENCE, BARRIER, DESCRIPTORS, ADDRESSES, zero_sums(), "ld.global.b32 %r5, [%rd7+64];",
          GROUP_FENCE, product(), COMMIT, WAIT, REFILL_BARRIER,
          "setp.lt.u32 %p1, %r2, 64; @%p1 st.shared.b32 [%r3+2048], %r5;",
          "fence.proxy.async;", "bar.sync 0, 256; ", "wgmma.fence.sync.aligned; ", product() + " ", COMMIT + " ", WAIT + " ",
          store_registers("out", accumulators(8, "f32"), 256)]


def test_refill_is_sound():
    check_sound(REFILL)


@pytest.mark.parametrize("changes,complaint", [
    ({"dropped": REFILL_BARRIER}, "without a barrier after a (wgmma of warp group 1 read|write)"),  # own group's wait only
    ({"dropped": [WAIT, REFILL_BARRIER]}, "write to bytes that a wgmma under way reads"),
    ({"dropped": WAIT}, "write to bytes that a wgmma under way reads"),
    ({"dropped": FENCE}, "a wgmma reads without a fence.proxy.async after a write"),
    ({"dropped": BARRIER}, "a wgmma reads without a barrier after a write"),
    ({"dropped": "fence.proxy.async;"}, "a wgmma reads without a fence.proxy.async after a write"),
    ({"dropped": "fence.proxy.async;", "added": {"bar.sync 0, 256; ": "fence.proxy.async;"}}, "without a fence.proxy.async"),
    ({"dropped": "bar.sync 0, 256; "}, "a wgmma reads without a barrier after a write"),
    ({"dropped": GROUP_FENCE}, "no wgmma.fence before the first wgmma"),
    ({"added": {WAIT: "add.f32 %r100, %r100, %r101;"}, "dropped": "wgmma.fence.sync.aligned; "}, "no wgmma.fence after the last access to %r100"),
    ({"dropped": WAIT + " "}, "belongs to a wgmma that has not been waited for"),
    ({"dropped": COMMIT + " "}, "belongs to a wgmma that has not been waited for"),
])
def test_refill(changes, complaint):
    check_fault(REFILL, complaint, **changes)


def test_products_of_one_accumulator_need_no_fence():
    check_sound(REFILL, dropped=["wgmma.fence.sync.aligned; "])


# cp.async fills B; wait, proxy fence, barrier, product.
COPY, COPY_COMMIT, COPY_WAIT = "setp.lt.u32 %p1, %r2, 64; @%p1 cp.async.ca.shared.global [%r3+2304], [%rd7], 4;", "cp.async.commit_group;", "cp.async.wait_group 0;"
COPIES = [fill_shared("image", A_BYTES + B_BYTES, 128), DESCRIPTORS, ADDRESSES, zero_sums(), COPY, COPY_COMMIT, COPY_WAIT, FENCE, BARRIER,
          GROUP_FENCE, product("%rd6"), COMMIT, WAIT, store_registers("out", accumulators(8, "f32"), 128)]


def test_copies_are_sound():
    check_sound(COPIES, 128)


@pytest.mark.parametrize("changes,complaint", [
    ({"dropped": FENCE}, "without a fence.proxy.async after a write"),
    ({"dropped": COPY_WAIT}, "a wgmma reads bytes that a copy under way writes"),
    ({"dropped": COPY_COMMIT}, "a wgmma reads bytes that a copy under way writes"),
    ({"dropped": [COPY_WAIT, FENCE], "added": {BARRIER: COPY_WAIT + FENCE}}, "without a barrier after a write"),
    ({"added": {WAIT: COPY}}, "ends before its copies were waited for"),
    ({"added": {WAIT: COPY + COPY_COMMIT + "ld.shared.b32 %r9, [%r3+2304];" + COPY_WAIT}}, "read of bytes that a copy under way writes"),
    ({"added": {COMMIT: COPY + COPY_COMMIT + COPY_WAIT}}, "write to bytes that a wgmma under way reads"),
    ({"dropped": [WAIT, store_registers("out", accumulators(8, "f32"), 128)]}, "ends before its wgmmas were waited for"),
])
def test_copies(changes, complaint):
    check_fault(COPIES, complaint, 128, **changes)


# Attention's second product: P comes from registers, which are packed for the next round only after the wait.
PACK = "mov.b32 %r20, 0; mov.b32 %r21, 1; mov.b32 %r22, 2; mov.b32 %r23, 3;"
PACKED = [fill_shared("image", A_BYTES + B_BYTES, 128), FENCE, BARRIER, DESCRIPTORS, zero_sums(), PACK, GROUP_FENCE, product(a="{%r20, %r21, %r22, %r23}"),
          COMMIT, WAIT, PACK + " ", store_registers("out", accumulators(8, "f32"), 128)]


def test_packing_is_sound():
    check_sound(PACKED, 128)


@pytest.mark.parametrize("changes,complaint", [
    ({"dropped": WAIT, "added": {PACK + " ": WAIT}}, "%r20 belongs to a wgmma"),
    ({"dropped": GROUP_FENCE, "added": {DESCRIPTORS: GROUP_FENCE}}, "no wgmma.fence after the last access"),
])
def test_packing(changes, complaint):
    check_fault(PACKED, complaint, 128, **changes)


# Two products in flight: `wait_group 1` ends the first alone.
TWO = [fill_shared("image", A_BYTES + B_BYTES, 128), FENCE, BARRIER, DESCRIPTORS, zero_sums(), zero_sums(200), GROUP_FENCE, product(), COMMIT,
       product(first=200), COMMIT + " ", "wgmma.wait_group.sync.aligned 1;", "add.f32 %r50, %r100, %r101;", WAIT, "add.f32 %r51, %r200, %r201;",
       store_registers("out", ["%r50", "%r51"], 128)]


def test_two_products():
    check_sound(TWO, 128)
    check_fault(TWO, "%r100 belongs", 128, dropped="wgmma.wait_group.sync.aligned 1;")
    check_fault(TWO, "%r200 belongs", 128, dropped=WAIT)
    check_fault(TWO, "%r100 belongs", 128, dropped=COMMIT + " ")
