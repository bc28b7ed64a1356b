"""Instructions between the lanes of a wave, against formulas."""
import numpy as np
import pytest

import emulator
from assembly import Kernel

NAMES = {"gfx9": ("s_load_dwordx4", "global_load_dword", "global_store_dword", "s_waitcnt vmcnt(0) lgkmcnt(0)"),
         "gfx11": ("s_load_b128", "global_load_b32", "global_store_b32", "s_waitcnt vmcnt(0) lgkmcnt(0)"),
         "gfx12": ("s_load_b128", "global_load_b32", "global_store_b32", "s_wait_kmcnt 0x0\ns_wait_loadcnt 0x0\ns_wait_dscnt 0x0")}


def moved(instructions, chip, active=None):
    """What v3 holds after the instructions, with v2 the lane's input and v3 7 at first. `active`: EXEC meanwhile."""
    load, read, write, wait = NAMES["gfx9" if chip.startswith("gfx9") else chip[:5]]
    lanes = 64 if chip.startswith("gfx9") else 32
    masked = [] if active is None else [f"s_mov_b32 exec_lo, {hex(active & 0xFFFFFFFF)}"] + ([f"s_mov_b32 exec_hi, {hex(active >> 32)}"] if lanes == 64 else [])
    whole = ["s_mov_b64 exec, -1"] if lanes == 64 else ["s_mov_b32 exec_lo, -1"]
    body = [f"{load} s[4:7], s[0:1], 0x0", "v_lshlrev_b32_e32 v1, 2, v0", wait, f"{read} v2, v1, s[4:5]", "v_mov_b32_e32 v3, 7", wait, *masked, *instructions,
            wait, *whole, f"{write} v1, v3, s[6:7]"]
    x = np.arange(lanes, dtype=np.uint32) * 5 + 100
    return x, Kernel("\n".join(body), chip, lanes).run([x, np.zeros(lanes, np.uint32)])[1]


LANE = np.arange(64)
ROW, INSIDE = LANE // 16 * 16, LANE % 16
DPP = [("quad_perm:[1,0,3,2]", LANE ^ 1), ("quad_perm:[3,3,0,1]", LANE // 4 * 4 + np.array([3, 3, 0, 1])[LANE % 4]), ("row_shr:3", np.where(INSIDE >= 3, LANE - 3, -1)),
       ("row_shl:2", np.where(INSIDE < 14, LANE + 2, -1)), ("row_ror:5", ROW + (INSIDE - 5) % 16), ("row_mirror", ROW + 15 - INSIDE),
       ("row_half_mirror", LANE ^ 7)]
GFX9 = [("row_bcast:15", np.where(LANE < 16, -1, ROW - 1)), ("row_bcast:31", np.where(LANE < 32, -1, 31)), ("row_newbcast:4", ROW + 4),
        ("wave_shr:1", LANE - 1)]
RDNA = [("row_share:9", ROW + 9), ("row_xmask:6", ROW + (INSIDE ^ 6))]


@pytest.mark.parametrize("chip,modifier,sources", [(chip, *case) for chip, more in (("gfx942", GFX9[:3]), ("gfx1100", RDNA), ("gfx1201", RDNA)) for case in DPP + more])
def test_dpp(chip, modifier, sources):
    x, got = moved([f"v_mov_b32_dpp v3, v2 {modifier} row_mask:0xf bank_mask:0xf"], chip)
    sources = sources[:len(x)]
    assert (got == np.where(sources < 0, 7, x[sources])).all()
    x, got = moved([f"v_mov_b32_dpp v3, v2 {modifier} row_mask:0xf bank_mask:0xf bound_ctrl:1"], chip)
    assert (got == np.where(sources < 0, 0, x[sources])).all()


def test_dpp_masks_and_inactive_lanes():
    x, got = moved(["v_mov_b32_dpp v3, v2 quad_perm:[1,0,3,2] row_mask:0xa bank_mask:0x3"], "gfx942")
    assert (got == np.where((LANE // 16 % 2 == 1) & (INSIDE < 8), x[LANE ^ 1], 7)).all()
    active = 0xFFFFFFFFFFFFFFFE  # lane 0 is not active: lane 1 keeps its value, or gets 0
    x, got = moved(["v_mov_b32_dpp v3, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"], "gfx942", active)
    assert got[1] == 7 and got[0] == 7 and (got[2:] == x[LANE[2:] ^ 1]).all()
    x, got = moved(["v_mov_b32_dpp v3, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf bound_ctrl:1"], "gfx942", active)
    assert got[1] == 0
    x, got = moved(["v_add_f32_dpp v3, v2, v2 row_mirror row_mask:0xf bank_mask:0xf bound_ctrl:1"], "gfx942")
    assert (got.view(np.float32) == (x.view(np.float32)[ROW + 15 - INSIDE] + x.view(np.float32))).all()


@pytest.mark.parametrize("swizzle,sources", [("swizzle(SWAP,16)", LANE ^ 16), ("swizzle(REVERSE,8)", LANE ^ 7), ("swizzle(BROADCAST,4,1)", LANE // 4 * 4 + 1),
                                             ('swizzle(BITMASK_PERM,"01pip")', LANE // 32 * 32 + ((LANE % 32 & 7 | 8) ^ 2)),
                                             ("swizzle(QUAD_PERM,2,1,0,3)", LANE // 4 * 4 + np.array([2, 1, 0, 3])[LANE % 4])])
def test_swizzles(swizzle, sources):
    x, got = moved([f"ds_swizzle_b32 v3, v2 offset:{swizzle}"], "gfx942")
    assert (got == x[sources]).all()


def test_permutes():
    x, got = moved(["v_xor_b32_e32 v4, 0x84, v1", "ds_bpermute_b32 v3, v4, v2"], "gfx942")
    assert (got == x[LANE ^ 33]).all()
    x, got = moved(["v_xor_b32_e32 v4, 0x84, v1", "ds_bpermute_b32 v3, v4, v2"], "gfx942", 0xFFFFFFFF)
    assert (got[:32] == 0).all() and (got[32:] == 7).all()  # lanes that are not active give 0
    x, got = moved(["v_sub_u32_e32 v4, 0xfc, v1", "ds_permute_b32 v3, v4, v2"], "gfx942")
    assert (got == x[63 - LANE]).all()


def test_permutes_of_rows():
    lane = np.arange(32)
    x, got = moved(["s_mov_b32 s8, 0x76543210", "s_mov_b32 s9, 0xfedcba98", "v_permlanex16_b32 v3, v2, s8, s9"], "gfx1100")
    assert (got == x[lane ^ 16]).all()
    x, got = moved(["s_mov_b32 s8, 0x01234567", "s_mov_b32 s9, 0x89abcdef", "v_permlane16_b32 v3, v2, s8, s9"], "gfx1201")
    assert (got == x[lane // 16 * 16 + np.where(lane % 16 < 8, 7 - lane % 16, 23 - lane % 16)]).all()
    x, got = moved(["v_permlane32_swap_b32 v3, v2", "s_nop 1"], "gfx950")
    assert (got == np.where(LANE < 32, 7, x[LANE % 32])).all()
    x, got = moved(["v_permlane16_swap_b32 v2, v3", "v_mov_b32_e32 v3, v2"], "gfx950")
    assert (got == np.where(LANE // 16 % 2 == 0, x, 7)).all()


def test_scalars_of_lanes():
    x, got = moved(["v_readlane_b32 s8, v2, 5", "v_readfirstlane_b32 s9, v2", "s_add_u32 s8, s8, s9", "v_writelane_b32 v3, s8, 60"], "gfx942")
    assert (got == np.where(LANE == 60, x[5] + x[0], 7)).all()
    x, got = moved(["v_readfirstlane_b32 s9, v2", "v_mov_b32_e32 v3, s9"], "gfx942", 0xFF00)
    assert (got == np.where((LANE >= 8) & (LANE < 16), x[8], 7)).all()


TRANSPOSE = """
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_mul_u32_u24_e32 v1, {size}, v0
s_waitcnt lgkmcnt(0)
global_load_dwordx{words} v[2:{last}], v1, s[4:5]
s_waitcnt vmcnt(0)
ds_write_b{width} v1, v[2:{last}]
ds_read_b{width}_tr_b{bits} v[6:{target}], v1
s_waitcnt lgkmcnt(0) ; the columns are there
global_store_dwordx{words} v1, v[6:{target}], s[6:7]
"""


def transposed(bits, body=TRANSPOSE):
    """(rows of 16 elements that 16 lanes hold, what each lane gets)."""
    width = 96 if bits == 6 else 64
    count = width // bits  # rows, and the elements that a lane holds
    matrix = np.random.default_rng(bits).integers(0, 1 << bits, (4, count, 16))
    words = np.packbits(matrix.reshape(64, count, 1) >> np.arange(bits) & 1, axis=None, bitorder="little").view(np.uint32)
    body = body.format(bits=bits, width=width, size=width // 8, words=width // 32, last=1 + width // 32, target=5 + width // 32)
    got = Kernel(body, "gfx950", lds=64 * width // 8).run([words, np.zeros(len(words), np.uint32)])[1]
    elements = np.unpackbits(got.view(np.uint8), bitorder="little").reshape(64, count, bits) @ (1 << np.arange(bits))
    return matrix, elements.reshape(4, 16, count)


@pytest.mark.parametrize("bits", [16, 8, 6, 4])
def test_transposing_reads(bits):
    """gfx950's ds_read_b64_tr: 16 lanes hold rows of 16 elements, and each gets a column."""
    matrix, got = transposed(bits)
    assert (got == matrix.transpose(0, 2, 1)).all()


@pytest.mark.parametrize("before,after,complaint", [
    ("s_waitcnt lgkmcnt(0) ; the columns are there", "", "belongs to a load"),
    ("ds_write_b{width} v1, v[2:{last}]", "", "nobody wrote"),
    ("_tr_b{bits} v[6:{target}], v1", "_tr_b{bits} v[6:{target}], v1 offset:2", "not a multiple"),
    ("_tr_b{bits} v[6:{target}], v1", "_tr_b{bits} v[6:{target}], v1 offset:8", "out of bounds"),
    ("ds_read_b", "s_mov_b64 exec, 0xffff\nds_read_b", "only a part of the wave"),
])
def test_transposing_reads_go_wrong(before, after, complaint):
    assert before in TRANSPOSE
    with pytest.raises(emulator.Fault, match=complaint):
        transposed(16, TRANSPOSE.replace(before, after))


def test_transposing_reads_of_other_rows():
    """A lane that passes the address of another part of a row changes the columns of other lanes."""
    matrix, got = transposed(16, TRANSPOSE.replace("ds_read_b", "v_xor_b32_e32 v1, 8, v1\nds_read_b"))
    assert (got != matrix.transpose(0, 2, 1)).any()
