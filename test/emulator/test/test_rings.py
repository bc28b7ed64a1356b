"""A ring of tiles between a warp group that copies them (TMA) and two that multiply (wgmma): the sound kernel for every
number of rounds, and what is reported where one of its steps is missing."""
import numpy as np
import pytest

import emulator
from emulator import TensorMap
from handwritten import Kernel, accumulators, braces, matrix_of_results, store_registers, wait, without

SEEDS = range(4)
SLOTS, COLUMNS, DEPTH, ROWS = 2, 64, 64, 128  # a tile of A is 128x64 halves, one of B 64x64, both K-major
A_BYTES, B_BYTES = ROWS * DEPTH * 2, COLUMNS * DEPTH * 2
SLOT_BYTES, TILES, FULL, EMPTY = A_BYTES + B_BYTES, 1024, 0, 64
SHARED = TILES + SLOTS * SLOT_BYTES
DESCRIPTOR = 1 << 62 | 8 * 128 // 16 << 32 | 1 << 16
REGISTERS = accumulators(COLUMNS, "f32")

START = f"""mov.u32 %r1, %tid.x; mov.u32 %r2, global_smem; shr.u32 %r3, %r1, 7; and.b32 %r4, %r1, 31; setp.eq.u32 %p1, %r1, 0;
    setp.eq.u32 %p2, %r3, 0; mov.b32 %r5, 0; ld.param.u64 %rd1, [rounds]; ld.global.b32 %r6, [%rd1]; mov.b32 %r20, 0;
    {' '.join(f'mov.b32 {name}, 0;' for name in REGISTERS)}"""
INIT = " ".join(f"@%p1 mbarrier.init.shared::cta.b64 [%r2+{FULL + 8 * i}], 1; @%p1 mbarrier.init.shared::cta.b64 [%r2+{EMPTY + 8 * i}], 8;" for i in range(SLOTS))
INIT_FENCE, SYNC = "@%p1 fence.mbarrier_init.release.cluster;", "bar.sync 0;"
SLOT = f"""rem.u32 %r7, %r5, {SLOTS}; mad.lo.u32 %r8, %r7, 8, %r2; mad.lo.u32 %r9, %r7, {SLOT_BYTES}, %r2; add.u32 %r9, %r9, {TILES};"""
PARITY = f"div.u32 %r10, %r5, {SLOTS}; and.b32 %r10, %r10, 1; xor.b32 %r11, %r10, 1;"
NEXT = "add.u32 %r5, %r5, 1;"

LEAVE = "setp.ne.u32 %p3, %r1, 0; @%p3 bra $end;"  # one thread copies
FEWER, MORE = "setmaxnreg.dec.sync.aligned.u32 40;", "setmaxnreg.inc.sync.aligned.u32 232;"
ACQUIRE, AWAIT = wait(f"%r8+{EMPTY}", "%r11"), wait(f"%r8+{FULL}", "%r10")
EXPECT = f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8+{FULL}], {SLOT_BYTES};"
LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
COPY_A = f"mul.lo.u32 %r12, %r5, {DEPTH}; mov.b64 %rd2, a_map; {LOAD} [%r9], [%rd2, {{%r12, 0}}], [%r8+{FULL}];"
COPY_B = f"add.u32 %r13, %r9, {A_BYTES}; mov.b64 %rd3, b_map; {LOAD} [%r13], [%rd3, {{%r12, 0}}], [%r8+{FULL}];"

DESCRIPTORS = f"""sub.u32 %r14, %r3, 1; mad.lo.u32 %r15, %r14, {A_BYTES // 2}, %r9; shr.u32 %r15, %r15, 4; cvt.u64.u32 %rd4, %r15; or.b64 %rd4, %rd4, {DESCRIPTOR};
    add.u32 %r16, %r9, {A_BYTES}; shr.u32 %r16, %r16, 4; cvt.u64.u32 %rd5, %r16; or.b64 %rd5, %rd5, {DESCRIPTOR};"""
GROUP_FENCE, COMMIT, GROUP_WAIT = "wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"
PRODUCTS = "\n".join(f"""add.u64 %rd6, %rd4, {2 * k}; add.u64 %rd7, %rd5, {2 * k};
    wgmma.mma_async.sync.aligned.m64n{COLUMNS}k16.f32.f16.f16 {braces(REGISTERS)}, %rd6, %rd7, 1, 1, 1, 0, 0;""" for k in range(DEPTH // 16))
RELEASE = f"setp.eq.u32 %p4, %r4, 0; @%p4 mbarrier.arrive.shared::cta.b64 _, [%r8+{EMPTY}];"

KERNEL = [START, INIT, INIT_FENCE, SYNC, "@!%p2 bra $consumer;",
          FEWER, LEAVE, "$producer:", "setp.ge.u32 %p5, %r5, %r6; @%p5 bra $end;", SLOT, PARITY, ACQUIRE, EXPECT, COPY_A, COPY_B, NEXT, "bra $producer;",
          "$consumer:", MORE, "$loop:", "setp.ge.u32 %p5, %r5, %r6; @%p5 bra $end;", SLOT + " ", PARITY + " ", AWAIT, DESCRIPTORS, GROUP_FENCE, PRODUCTS, COMMIT,
          GROUP_WAIT, RELEASE, NEXT + " ", "bra $loop;", "$end:", store_registers("out", REGISTERS, 384)]


def run(seed, rounds=5, lines=None, **changes):
    random = np.random.default_rng(1)
    a, b = (random.integers(-3, 4, (rows, max(1, rounds) * DEPTH)).astype(np.float16) for rows in (ROWS, COLUMNS))

    def tensor_map(rows, array):
        return lambda address: TensorMap(address, "f16", array.shape[::-1], array.strides[:1], (DEPTH, rows), 128)
    kernel = Kernel(without(lines or KERNEL, **changes), 384, ["a_map", "b_map", "rounds", "out"])
    out = np.zeros(384 * len(REGISTERS), np.uint32)
    out = kernel.run([(tensor_map(ROWS, a), a), (tensor_map(COLUMNS, b), b), np.array([rounds], np.int32), out], SHARED, seed)[3]
    got = matrix_of_results(out.reshape(-1, 384)[:, 128:], COLUMNS, "f32", 256)
    assert (got == (a.astype(np.float32) @ b.T.astype(np.float32) if rounds else 0)).all()


@pytest.mark.parametrize("rounds", range(5))  # K = 0; fewer, as many and more than the slots
def test_ring(rounds):
    for seed in SEEDS:
        run(seed, rounds)


ONE_MORE = [KERNEL[0], INIT, INIT_FENCE, SYNC, "@%p2 add.u32 %r6, %r6, 1;", *KERNEL[4:]]


@pytest.mark.parametrize("changes,complaint", [
    ({"dropped": INIT_FENCE}, "no fence.mbarrier_init"),
    ({"dropped": SYNC}, "no barrier after the mbarrier|there is no mbarrier"),
    ({"dropped": ACQUIRE}, "without a barrier|under way|too many|deadlock"),
    ({"dropped": AWAIT}, "under way|without a barrier|without waiting|that nobody wrote|too many"),
    ({"dropped": RELEASE}, r"(?s)deadlock.*lacks 8 of 8 arrivals.*mbarrier.try_wait"),
    ({"dropped": EXPECT, "added": {ACQUIRE: EXPECT.replace(str(SLOT_BYTES), str(A_BYTES))}}, "more bytes than expected|without waiting for the copy"),
    ({"dropped": COPY_B}, rf"(?s)deadlock.*lacks 0 of 1 arrivals and {B_BYTES} bytes"),
    ({"dropped": [GROUP_WAIT], "added": {RELEASE: GROUP_WAIT}}, "under way reads|without a barrier after a wgmma"),  # a slot is given back while a wgmma reads it
    ({"dropped": PARITY, "added": {SLOT: "mov.b32 %r11, 1;"}}, "without a barrier|under way|too many|deadlock"),  # the phase of the next lap
    ({"dropped": PARITY + " ", "added": {SLOT + " ": "mov.b32 %r10, 0;"}}, "without a barrier|under way|too many|deadlock"),
    ({"dropped": GROUP_FENCE}, "no wgmma.fence"),
    ({"dropped": LEAVE}, "too many|under way write the same bytes|deadlock"),
    ({"dropped": FEWER}, "(?s)deadlock.*registers"),
    ({"added": {GROUP_WAIT: SYNC}}, "deadlock"),  # the block's barrier inside a role
    ({"dropped": RELEASE, "added": {AWAIT: RELEASE}}, "under way|without a barrier"),
    ({"lines": ONE_MORE}, "ends before its copies to shared memory"),  # the producer is one round long
    ({"lines": ONE_MORE, "dropped": "@%p2 add.u32 %r6, %r6, 1;", "added": {SYNC: "@!%p2 add.u32 %r6, %r6, 1;"}}, "(?s)deadlock.*try_wait"),  # or short
])
def test_ring_races(changes, complaint):
    for seed in SEEDS:
        with pytest.raises(emulator.Fault, match=complaint):
            run(seed, **changes)


def test_reads_of_threads_are_fenced():
    """Where threads read a tile before they give it back, a fence stands between their reads and the next copy."""
    read = "mad.lo.u32 %r30, %r4, 4, %r9; ld.shared.b32 %r31, [%r30]; bar.warp.sync -1;"
    for seed in SEEDS:
        run(seed, added={AWAIT: read + " fence.proxy.async.shared::cta; bar.warp.sync -1;"})
        with pytest.raises(emulator.Fault, match="no fence.proxy.async between a read and a copy over it"):
            run(seed, added={AWAIT: read})


def test_one_lane_waits():
    """What one lane waited for its warp knows after a barrier of the warp."""
    alone = "setp.ne.u32 %p6, %r4, 0; @%p6 bra $others; " + AWAIT + " $others:"
    for seed in SEEDS:
        run(seed, dropped=AWAIT, added={PARITY + " ": alone + " bar.warp.sync -1;"})
        with pytest.raises(emulator.Fault, match="a wgmma reads (without waiting|bytes that)"):
            run(seed, dropped=AWAIT, added={PARITY + " ": alone})
