"""Named barriers, deadlocks."""
import numpy as np
import pytest

import emulator
from handwritten import Kernel, store_registers, without

SEEDS = range(6)
# The first two warps write, the other two read what they wrote.
PLACES = "mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 63; shl.b32 %r2, %r2, 2; mov.u32 %r3, global_smem; add.u32 %r3, %r3, %r2; setp.ge.u32 %p1, %r1, 64;"
HANDOVER = [PLACES, "@%p1 bra $read;", "st.shared.b32 [%r3], %r1;", "bar.arrive 3, 128;", "bra $end;", "$read:", "bar.sync 3, 128;",
            "ld.shared.b32 %r1, [%r3];", "$end:", store_registers("out", ["%r1"], 128)]


def run(seed=0, lines=None, **changes):
    return Kernel(without(lines or HANDOVER, **changes), 128, ["out"]).run([np.zeros(128, np.uint32)], 256, seed)[0]


def test_handover():
    for seed in SEEDS:
        assert (run(seed) == np.tile(np.arange(64), 2)).all()


@pytest.mark.parametrize("changes,complaint", [
    ({"dropped": "bar.sync 3, 128;"}, "read without a barrier after a write|read of bytes that nobody wrote"),
    ({"dropped": "bar.arrive 3, 128;"}, r"(?s)deadlock.*warp 2, line \d+, waits for barrier 3: bar.sync.*warp 3"),
    ({"dropped": "bar.arrive 3, 128;", "added": {"bra $end;": "bar.arrive 3, 64;"}}, "deadlock"),
    ({"dropped": "bar.sync 3, 128;", "added": {"$read:": "bar.sync 3, 64;"}}, "barrier 3 is for|come to barrier 3|read"),
    ({"dropped": "bar.sync 3, 128;", "added": {"$read:": "bar.sync 3, 100;"}}, "barrier 3 for 100 threads"),
    ({"dropped": "bar.sync 3, 128;", "added": {"$read:": "bar.sync 0;"}}, "deadlock"),  # the block's barrier inside a role
    ({"dropped": "bar.sync 3, 128;", "added": {"$read:": "bar.sync 16, 128;"}}, "barrier 16"),
])
def test_races(changes, complaint):
    for seed in SEEDS:
        with pytest.raises(emulator.Fault, match=complaint):
            run(seed, **changes)


def test_ping_pong():
    """Two pairs of warps take turns with two barriers: each adds to what the other left."""
    body = [PLACES, "selp.b32 %r4, 2, 1, %p1; selp.b32 %r5, 1, 2, %p1; mov.b32 %r6, 0; mov.b32 %r8, 0;",
            "@%p1 bra $loop;", "st.shared.b32 [%r3], %r6;", "bra $first;", "$loop:", "bar.sync %r4, 128;",
            "ld.shared.b32 %r6, [%r3];", "$first:", "add.u32 %r6, %r6, 1;", "st.shared.b32 [%r3], %r6;", "bar.arrive %r5, 128;",
            "add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 5;", "@%p2 bra $loop;", "@%p1 bra $end;", "bar.sync %r4, 128;", "$end:",
            store_registers("out", ["%r6"], 128)]
    for seed in SEEDS:
        assert (run(seed, body) == np.repeat([9, 10], 64)).all()
    with pytest.raises(emulator.Fault, match="deadlock"):
        run(0, body, dropped="bar.sync %r4, 128;", added={"$first:": "bar.sync %r4, 128;"})
