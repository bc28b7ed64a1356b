"""mbarriers: a ring of two slots between a warp that writes and a warp that reads; setmaxnreg."""
import numpy as np
import pytest

import emulator
from handwritten import Kernel, store_registers, wait, without

SEEDS = range(6)
FULL, EMPTY, SLOTS = 0, 16, 128  # addresses: two barriers each, then two slots of 128 bytes
INIT = " ".join(f"@%p1 mbarrier.init.shared::cta.b64 [%r10+{address}], 32;" for address in (FULL, FULL + 8, EMPTY, EMPTY + 8))
INIT_FENCE, INIT_BARRIER = "@%p1 fence.mbarrier_init.release.cluster;", "bar.sync 0;"
PLACES = """mov.u32 %r10, global_smem; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; shl.b32 %r3, %r2, 2;
    setp.eq.u32 %p1, %r1, 0; setp.ge.u32 %p2, %r1, 32; mov.b32 %r4, 0; mov.b32 %r8, 0;"""
SLOT = """and.b32 %r5, %r4, 1; shl.b32 %r6, %r5, 3; add.u32 %r6, %r6, %r10; shl.b32 %r7, %r5, 7; add.u32 %r7, %r7, %r3; add.u32 %r7, %r7, %r10;"""
PARITY = "shr.u32 %r9, %r4, 1; and.b32 %r9, %r9, 1; xor.b32 %r11, %r9, 1;"
ACQUIRE, FILL, GIVE = wait(f"%r6+{EMPTY}", "%r11"), f"mad.lo.u32 %r12, %r4, 100, %r2; st.shared.b32 [%r7+{SLOTS}], %r12;", f"mbarrier.arrive.shared::cta.b64 _, [%r6+{FULL}];"
AWAIT, READ, RELEASE = wait(f"%r6+{FULL}", "%r9"), f"ld.shared.b32 %r12, [%r7+{SLOTS}]; add.u32 %r8, %r8, %r12;", f"mbarrier.arrive.shared::cta.b64 _, [%r6+{EMPTY}];"
NEXT = "add.u32 %r4, %r4, 1;"


def ring(rounds, more_rounds=0):
    """`more_rounds` of the warp that reads."""
    return [PLACES, INIT, INIT_FENCE, INIT_BARRIER, "@%p2 bra $reader;",
            "$write:", f"setp.ge.u32 %p3, %r4, {rounds}; @%p3 bra $end;", SLOT, PARITY, ACQUIRE, FILL, GIVE, NEXT, "bra $write;",
            "$reader:", f"setp.ge.u32 %p3, %r4, {rounds + more_rounds}; @%p3 bra $end;", SLOT + " ", PARITY + " ", AWAIT, READ, RELEASE, NEXT + " ", "bra $reader;",
            "$end:", store_registers("out", ["%r8"], 64)]


def run(lines, seed, **changes):
    return Kernel(without(lines, **changes), 64, ["out"]).run([np.zeros(64, np.uint32)], 512, seed)[0]


@pytest.mark.parametrize("rounds", range(7))
def test_ring(rounds):
    for seed in SEEDS:
        expected = sum(100 * i + np.arange(32) for i in range(rounds))
        assert (run(ring(rounds), seed)[32:] == expected).all()


@pytest.mark.parametrize("changes,complaint", [
    ({"dropped": ACQUIRE}, "without a barrier|too many|deadlock"),
    ({"dropped": AWAIT}, "without a barrier|too many|read of bytes that nobody wrote"),
    ({"dropped": GIVE}, r"(?s)deadlock.*lacks 32 of 32 arrivals.*mbarrier.try_wait"),
    ({"dropped": RELEASE}, "deadlock"),
    ({"dropped": PARITY, "added": {SLOT: "mov.b32 %r9, 0; mov.b32 %r11, 1;"}}, "without a barrier|too many|deadlock"),  # the writer's phase is not toggled
    ({"dropped": PARITY + " ", "added": {SLOT + " ": "mov.b32 %r9, 0;"}}, "deadlock|without a barrier|too many"),
    ({"dropped": INIT_BARRIER}, "no barrier after the mbarrier|there is no mbarrier"),
    ({"dropped": [GIVE], "added": {ACQUIRE: GIVE}}, "without a barrier|read of bytes that nobody wrote"),
    ({"dropped": [RELEASE], "added": {AWAIT: RELEASE}}, "without a barrier"),
    ({"added": {FILL: f"st.shared.b32 [%r10+{FULL}], %r2;"}}, "write of an mbarrier"),
    ({"dropped": INIT, "added": {INIT: INIT.replace("32;", "31;")}}, "arrivals, too many"),
    ({"dropped": INIT, "added": {INIT: INIT.replace("@%p1", "")}}, "threads make an mbarrier"),
])
def test_ring_races(changes, complaint):
    for seed in SEEDS:
        with pytest.raises(emulator.Fault, match=complaint):
            run(ring(5), seed, **changes)


@pytest.mark.parametrize("more", [-1, 1])
def test_rounds_that_differ(more):
    """A reader of one more round waits in vain; one of one round less is found when the ring is used up, not before."""
    for seed in SEEDS:
        if more == 1:
            with pytest.raises(emulator.Fault, match="(?s)deadlock.*warp 1"):
                run(ring(5, 1), seed)
        else:
            with pytest.raises(emulator.Fault, match="(?s)deadlock.*warp 0"):
                run(ring(5, -3), seed)


def registers(*lines):
    entry = ["mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 128; mov.b32 %r2, 1;", "@%p1 bra $second;", lines[0], "bra $end;", "$second:", lines[1], "$end:",
             store_registers("out", ["%r2"], 384)]
    return Kernel("\n".join(entry), 384, ["out"])


@pytest.mark.parametrize("fewer,more", [(24, 240), (40, 232)])
def test_setmaxnreg(fewer, more):
    for seed in SEEDS:
        kernel = registers(f"setmaxnreg.dec.sync.aligned.u32 {fewer};", f"setmaxnreg.inc.sync.aligned.u32 {more};")
        assert (kernel.run([np.zeros(384, np.uint32)], 16, seed)[0] == 1).all()


@pytest.mark.parametrize("first,second,complaint", [
    ("setmaxnreg.dec.sync.aligned.u32 40;", "setmaxnreg.inc.sync.aligned.u32 240;", "(?s)deadlock.*waits for 9216 registers"),
    ("", "setmaxnreg.inc.sync.aligned.u32 240;", "deadlock"),
    ("setmaxnreg.dec.sync.aligned.u32 30;", "", "no such number"),
    ("setmaxnreg.dec.sync.aligned.u32 240;", "", "has 168 registers"),
    ("setp.ge.u32 %p2, %r1, 32; @%p2 bra $end; setmaxnreg.dec.sync.aligned.u32 40;", "", "only some warps|rest of its warp or warp group"),
])
def test_setmaxnreg_faults(first, second, complaint):
    for seed in SEEDS:
        with pytest.raises(emulator.Fault, match=complaint):
            registers(first, second).run([np.zeros(384, np.uint32)], 16, seed)
