"""LDS: barriers, waits before barriers, bounds, alignment, copies; deadlocks and traps."""
import numpy as np
import pytest

import emulator
from assembly import Kernel, without

# Each thread writes a word, and reads the one of the opposite thread of another wave, twice.
EXCHANGE = """
s_load_dwordx2 s[6:7], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
v_xor_b32_e32 v2, 0x3fc, v1
v_mul_u32_u24_e32 v3, 3, v0
ds_write_b32 v1, v3
s_waitcnt lgkmcnt(0)
s_barrier
ds_read_b32 v4, v2
s_waitcnt lgkmcnt(0) ; the read is done
s_barrier ; the second one
v_add_u32_e32 v5, 1, v3
ds_write_b32 v1, v5
s_waitcnt lgkmcnt(0) ; the second write is done
s_barrier ; the third one
ds_read_b32 v5, v2
s_waitcnt lgkmcnt(0) ; the second read is done
v_add_u32_e32 v4, v4, v5
global_store_dword v1, v4, s[6:7]
"""


def run(body=EXCHANGE, chip="gfx942", lds=1024):
    return Kernel(body, chip, 256, 1, lds).run([np.zeros(256, np.uint32)])[0]


def test_exchange():
    assert (run() == 6 * (255 - np.arange(256)) + 1).all()
    assert (run(chip="gfx90a") == run()).all()


@pytest.mark.parametrize("dropped,complaint", [
    ("s_barrier", "read without a barrier after a write|nobody wrote"),
    ("s_barrier ; the second one", "write without a barrier after a read"),
    ("s_barrier ; the third one", "read without a barrier after a write"),
    ("s_waitcnt lgkmcnt(0)", "read without a barrier after a write|nobody wrote"),  # the barrier comes before the write is done
    ("s_waitcnt lgkmcnt(0) ; the read is done", "write without a barrier after a read"),
    ("s_waitcnt lgkmcnt(0) ; the second read is done", "v5 belongs to a load"),
])
def test_without(dropped, complaint):
    with pytest.raises(emulator.Fault, match=complaint):
        run(without(EXCHANGE, dropped))


def test_lanes_of_a_wave_need_no_barrier():
    body = """
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    v_xor_b32_e32 v2, 0xfc, v1
    ds_write_b32 v1, v0
    ds_read_b32 v4, v2
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v4, s[6:7]
    """
    assert (Kernel(body, threads=64, arguments=1, lds=256).run([np.zeros(64, np.uint32)])[0] == 63 - np.arange(64)).all()


def test_bounds_and_alignment():
    with pytest.raises(emulator.Fault, match="LDS out of bounds"):
        run(lds=1020)
    with pytest.raises(emulator.Fault, match="not a multiple of 4"):
        run(EXCHANGE.replace("v_lshlrev_b32_e32 v1, 2, v0", "v_lshlrev_b32_e32 v1, 1, v0"))
    with pytest.raises(emulator.Fault, match="nobody wrote"):
        run("v_mov_b32_e32 v1, 0\nds_read_b32 v4, v1 offset:4\ns_waitcnt lgkmcnt(0)")


SPLIT = EXCHANGE.replace("dwordx2", "b64").replace("v_add_u32", "v_add_nc_u32").replace("store_dword", "store_b32").replace("ds_write", "ds_store").replace(
    "ds_read", "ds_load").replace("s_waitcnt lgkmcnt(0)", "s_wait_kmcnt 0x0\ns_wait_dscnt 0x0")
SPLIT = "\n".join("s_barrier_signal -1\ns_barrier_wait -1" if line.startswith("s_barrier") else line for line in SPLIT.split("\n"))


def test_split_barriers():
    assert (run(SPLIT, "gfx1201") == 6 * (255 - np.arange(256)) + 1).all()


def test_an_access_between_signal_and_wait_is_a_race():
    late = """
    v_lshlrev_b32_e32 v1, 2, v0
    v_xor_b32_e32 v2, 0x3fc, v1
    s_barrier_signal -1
    ds_store_b32 v1, v0
    s_wait_dscnt 0x0
    s_barrier_wait -1
    ds_load_b32 v4, v2
    s_wait_dscnt 0x0
    """
    with pytest.raises(emulator.Fault, match="read without a barrier after a write"):
        run(late, "gfx1201")


def test_a_deadlock():
    """Both waves wait, and only the second one signals."""
    body = """
    v_readfirstlane_b32 s4, v0
    s_cmp_eq_u32 s4, 32
    s_cbranch_scc0 .LBB0_1
    s_barrier_signal -1
    .LBB0_1:
    s_barrier_wait -1
    """
    with pytest.raises(emulator.Fault, match="a deadlock: waves 0, 1 wait at a barrier in lines 13"):
        Kernel(body, "gfx1201", 64, 1).run([np.zeros(1, np.uint32)])


def test_a_trap():
    with pytest.raises(emulator.Fault, match="the kernel stops itself: s_trap 2"):
        run("s_trap 2")


def test_histogram_by_atomics():
    body = """
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    v_mov_b32_e32 v2, 0
    v_mov_b32_e32 v3, 1
    ds_write_b32 v1, v2
    s_waitcnt lgkmcnt(0)
    s_barrier
    global_load_dword v4, v1, s[4:5]
    s_waitcnt vmcnt(0)
    v_lshlrev_b32_e32 v4, 2, v4
    ds_add_u32 v4, v3
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_read_b32 v5, v1
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v5, s[6:7]
    """
    x = np.random.default_rng(3).integers(0, 16, 256).astype(np.uint32)
    got = Kernel(body, threads=256, lds=1024).run([x, np.zeros(256, np.uint32)])[1]
    assert (got[:16] == np.bincount(x, minlength=16)).all() and not got[16:].any()
