"""A load's registers may be touched after the wait that covers it, and not before: the sound form passes, the form without its wait
is reported."""
import numpy as np
import pytest

import emulator
from assembly import Kernel, without

ADD = """
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
global_load_dword v2, v1, s[4:5]
global_load_dword v3, v1, s[4:5] offset:256
s_waitcnt vmcnt(1)
v_add_u32_e32 v4, 1, v2
s_waitcnt vmcnt(0)
v_add_u32_e32 v4, v4, v3
global_store_dword v1, v4, s[6:7]
"""
ADD_GFX1100 = ADD.replace("dwordx4", "b128").replace("load_dword", "load_b32").replace("store_dword", "store_b32").replace("v_add_u32", "v_add_nc_u32").replace(
    "offset:256", "offset:128")
ADD_GFX1201 = ADD_GFX1100.replace("s_waitcnt lgkmcnt(0)", "s_wait_kmcnt 0x0").replace("s_waitcnt vmcnt(1)", "s_wait_loadcnt 0x1").replace(
    "s_waitcnt vmcnt(0)", "s_wait_loadcnt 0x0")
ADDS = {"gfx942": ADD, "gfx90a": ADD, "gfx1100": ADD_GFX1100, "gfx1201": ADD_GFX1201}


def run(body, chip):
    lanes = 64 if chip.startswith("gfx9") else 32
    x, out = np.arange(2 * lanes, dtype=np.uint32), np.zeros(lanes, np.uint32)
    return x, Kernel(body, chip, lanes).run([x, out])[1]


@pytest.mark.parametrize("chip", ADDS)
def test_loads_that_are_waited_for(chip):
    x, out = run(ADDS[chip], chip)
    assert (out == x[:len(out)] + x[len(out):] + 1).all()


@pytest.mark.parametrize("chip", ADDS)
@pytest.mark.parametrize("place,complaint", [(0, "s[4-7] belongs to a load"), (1, "v2 belongs to a load"), (2, "v3 belongs to a load")])
def test_a_wait_is_missing(chip, place, complaint):
    wait = [line for line in ADDS[chip].split("\n") if line.startswith("s_wait")][place]
    with pytest.raises(emulator.Fault, match=complaint):
        run(without(ADDS[chip], wait), chip)


def test_a_counter_that_is_too_high():
    with pytest.raises(emulator.Fault, match="v2 belongs to a load"):
        run(without(ADD, "s_waitcnt vmcnt(1)", "s_waitcnt vmcnt(2)"), "gfx942")


def test_a_register_is_written_while_a_load_is_under_way():
    with pytest.raises(emulator.Fault, match="v2 belongs to a load"):
        run(without(ADD, "s_waitcnt vmcnt(1)", "v_mov_b32_e32 v2, 0"), "gfx942")


def test_scalar_loads_return_in_any_order():
    """lgkmcnt(1) does not say which of two scalar loads has returned."""
    body = """
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dwordx2 s[6:7], s[0:1], 0x8
    s_waitcnt lgkmcnt(1)
    s_add_u32 s8, s4, 1
    """
    with pytest.raises(emulator.Fault, match="s4 belongs to a load"):
        run(body, "gfx942")
    run(body.replace("lgkmcnt(1)", "lgkmcnt(0)"), "gfx942")


def test_stores_count_with_loads_on_gfx9_only():
    """After a load and a store, vmcnt(1) covers the load on gfx942; on gfx1100 stores have a counter of their own."""
    body = """
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5]
    global_store_dword v1, v0, s[6:7]
    s_waitcnt vmcnt(1)
    v_mov_b32_e32 v3, v2
    """
    run(body, "gfx942")
    renamed = body.replace("dwordx4", "b128").replace("load_dword", "load_b32").replace("store_dword", "store_b32")
    with pytest.raises(emulator.Fault, match="v2 belongs to a load"):
        run(renamed, "gfx1100")


COPY = """
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_mov_b32 m0, 0
s_waitcnt lgkmcnt(0)
global_load_lds_dword v1, s[4:5]
s_waitcnt vmcnt(0)
ds_read_b32 v2, v1
s_waitcnt lgkmcnt(0)
global_store_dword v1, v2, s[6:7]
"""


def test_copies_to_lds_arrive_at_the_wait():
    x, out = np.arange(64, dtype=np.uint32) * 3, np.zeros(64, np.uint32)
    assert (Kernel(COPY, "gfx950", lds=256).run([x, out])[1] == x).all()
    with pytest.raises(emulator.Fault, match="bytes that a copy under way writes"):
        Kernel(without(COPY, "s_waitcnt vmcnt(0)"), "gfx950", lds=256).run([x, out])
