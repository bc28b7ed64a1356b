"""Clusters: shared memory of other blocks, the cluster's barrier, remote arrivals, copies to several blocks."""
import numpy as np
import pytest

import emulator
from emulator import TensorMap
from handwritten import Kernel, wait, without

SEEDS = range(6)
ARRIVE, WAIT = "barrier.cluster.arrive.release.aligned;", "barrier.cluster.wait.acquire.aligned;"
START = "mov.u32 %r1, %tid.x; mov.u32 %r2, global_smem; mov.u32 %r3, %cluster_ctarank; xor.b32 %r4, %r3, 1; shl.b32 %r5, %r1, 2; add.u32 %r5, %r5, %r2;"
NUMBER = "mad.lo.u32 %r6, %r3, 100, %r1;"
OUT = "ld.param.u64 %rd1, [out]; mad.lo.u32 %r9, %r3, 64, %r1; mul.wide.u32 %rd2, %r9, 4; add.u64 %rd1, %rd1, %rd2; st.global.b32 [%rd1], %r8;"
EXCHANGE = [START, NUMBER, "st.shared.b32 [%r5], %r6;", ARRIVE, WAIT, "mapa.shared::cluster.u32 %r7, %r5, %r4; ld.shared::cluster.b32 %r8, [%r7];",
            ARRIVE + " ", WAIT + " ", OUT]


def run(lines, seed, **changes):
    return Kernel(without(lines, **changes), 64, ["out"], 2).run([np.zeros(128, np.uint32)], 1024, seed)[0]


def test_exchange():
    for seed in SEEDS:
        assert (run(EXCHANGE, seed) == np.concatenate([100 + np.arange(64), np.arange(64)])).all()


@pytest.mark.parametrize("changes,complaint", [
    ({"dropped": [ARRIVE, WAIT]}, "read without a barrier after a write|that nobody wrote"),
    ({"dropped": WAIT}, "a thread arrives twice|read without a barrier|that nobody wrote"),
    ({"dropped": ARRIVE}, "waits at the cluster's barrier before it arrives"),
    ({"dropped": ARRIVE, "added": {NUMBER: ARRIVE}}, "read without a barrier"),
    ({"dropped": [ARRIVE], "added": {"st.shared.b32 [%r5], %r6;": "barrier.cluster.arrive.relaxed.aligned;"}}, "read without a barrier"),
    ({"dropped": [ARRIVE, WAIT], "added": {NUMBER: "bar.sync 0;"}}, "read without a barrier|that nobody wrote"),
    ({"dropped": EXCHANGE[5], "added": {WAIT: "mov.b32 %r4, 2; " + EXCHANGE[5]}}, "no such rank"),
])
def test_exchange_races(changes, complaint):
    for seed in SEEDS:
        with pytest.raises(emulator.Fault, match=complaint):
            run(EXCHANGE, seed, **changes)


def test_block_that_ends():
    for seed in SEEDS:
        with pytest.raises(emulator.Fault, match="has ended|ends while another may still use its shared memory"):
            run(EXCHANGE, seed, dropped=[ARRIVE + " ", WAIT + " "])


# The first block's elected thread copies a tile to both blocks; each waits for its own barrier, and the second tells the
# first that it has read it.
INIT = "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared::cta.b64 [%r2], 1; @%p1 mbarrier.init.shared::cta.b64 [%r2+8], 64;"
INIT_FENCE = "@%p1 fence.mbarrier_init.release.cluster;"
EXPECT = "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256;"
COPY = ("setp.eq.u32 %p2, %r3, 0; and.pred %p2, %p1, %p2; mov.b64 %rd3, a_map; mov.b16 %rs1, 3; "
        "@%p2 cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r2+128], [%rd3, {64}], [%r2], %rs1;")
AWAIT, READ = wait("%r2", 0), "ld.shared.b32 %r8, [%r5+128];"
TELL = "mapa.shared::cluster.u32 %r7, %r2, 0; setp.eq.u32 %p3, %r3, 1; @%p3 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7+8];"
HEAR = "setp.eq.u32 %p4, %r3, 1; @%p4 bra $out; " + wait("%r2+8", 0) + " $out:"
MULTICAST = [START, INIT, INIT_FENCE, ARRIVE, WAIT, EXPECT, COPY, AWAIT, READ, TELL, HEAR, ARRIVE + " ", WAIT + " ", OUT]


def run_multicast(seed, **changes):
    tensor = np.arange(200, dtype=np.float32)
    kernel = Kernel(without(MULTICAST, **changes), 64, ["a_map", "out"], 2)
    return kernel.run([(lambda address: TensorMap(address, "f32", (200,), (), (64,)), tensor), np.zeros(128, np.float32)], 1024, seed)[1]


def test_multicast():
    for seed in SEEDS:
        assert (run_multicast(seed) == np.tile(np.arange(64, 128), 2)).all()


@pytest.mark.parametrize("changes,complaint", [
    ({"dropped": INIT_FENCE}, "no fence.mbarrier_init"),
    ({"dropped": [ARRIVE, WAIT]}, "no barrier after the mbarrier|there is no mbarrier"),
    ({"dropped": AWAIT}, "copy"),
    ({"dropped": EXPECT}, "deadlock"),
    ({"dropped": TELL}, "deadlock"),
    ({"dropped": COPY, "added": {EXPECT: COPY.replace("%rs1, 3", "%rs1, 4")}}, "a multicast to blocks"),
])
def test_multicast_faults(changes, complaint):
    for seed in SEEDS:
        with pytest.raises(emulator.Fault, match=complaint):
            run_multicast(seed, **changes)


def test_bytes_before_they_are_expected():
    """A multicast's bytes may reach a block before its own thread has said how many it expects."""
    for seed in SEEDS:
        late = "bar.sync 0;" * 3
        assert (run_multicast(seed, dropped=EXPECT, added={COPY: late + EXPECT}) == np.tile(np.arange(64, 128), 2)).all()
