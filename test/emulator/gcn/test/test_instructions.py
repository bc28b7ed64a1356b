"""Modifiers of operands and results, masks, memory, and what a kernel finds at its start."""
import numpy as np
import pytest

import emulator
from assembly import Kernel, without

LANE = np.arange(64)


def computed(instructions, x, y=None, chip="gfx942", dtype=None, **more):
    """v4 after the instructions, with v2 and v3 of each lane."""
    y = x if y is None else y
    both = np.stack([np.resize(v, 64).view(np.uint32) for v in (x, y)], 1)
    load, read, write, wait = ("s_load_dwordx4", "global_load_dwordx2", "global_store_dword", "s_waitcnt vmcnt(0) lgkmcnt(0)")
    if not chip.startswith("gfx9"):
        load, read, write = "s_load_b128", "global_load_b64", "global_store_b32"
        wait = wait if chip == "gfx1100" else "s_wait_kmcnt 0x0\ns_wait_loadcnt 0x0"
    body = [f"{load} s[4:7], s[0:1], 0x0", "v_lshlrev_b32_e32 v1, 3, v0", wait, f"{read} v[2:3], v1, s[4:5]", wait, "v_mov_b32_e32 v4, 0x11223344",
            *instructions, "v_lshlrev_b32_e32 v1, 2, v0", f"{write} v1, v4, s[6:7]"]
    got = Kernel("\n".join(body), chip, 64, **more).run([both, np.zeros(64, np.uint32)])[1]
    return got.view(dtype) if dtype else got


F32 = np.array([1.5, -2.25, 0.75, -0.125, 100.0, -3e38, 1e-40, np.inf], np.float32)
G32 = np.roll(F32, 1)
U32 = np.array([0, 1, 0xFFFFFFFF, 0x80000000, 0x12345678, 0x0000FFFF, 0x7FFFFFFF, 0x00FF00FF], np.uint32)


def test_signs_clamp_and_factors():
    x, y = np.resize(F32, 64), np.resize(G32, 64)
    with np.errstate(all="ignore"):
        assert (computed(["v_add_f32_e64 v4, -v2, |v3|"], F32, G32, dtype=np.float32) == -x + np.abs(y)).all()
        assert (computed(["v_add_f32_e64 v4, v2, -|v3| clamp"], F32, G32, dtype=np.float32) == np.clip(np.nan_to_num(x - np.abs(y)), 0, 1)).all()
        assert (computed(["v_mul_f32_e64 v4, v2, v3 mul:2"], F32[:5], G32[:5], dtype=np.float32) == np.resize(F32[:5] * G32[:5] * 2, 64)).all()
    assert (computed(["v_add_u32_e64 v4, v2, v3 clamp"], U32, np.roll(U32, 1)) == np.minimum(np.resize(U32.astype(np.int64) + np.roll(U32, 1), 64), 0xFFFFFFFF)).all()


def test_denormals_follow_mode():
    keeps = computed(["v_mul_f32_e32 v4, 1.0, v2"], F32[6:7], dtype=np.float32)
    assert (keeps == F32[6]).all()
    assert (computed(["v_mul_f32_e32 v4, 1.0, v2"], F32[6:7], dtype=np.float32, denormals=0) == 0).all()
    switched = ["s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0", "v_mul_f32_e32 v4, 1.0, v2"]
    assert (computed(switched, F32[6:7], dtype=np.float32) == 0).all()
    assert (computed(["v_exp_f32_e32 v4, v2"], np.array([-140], np.float32), dtype=np.float32) == 0).all()  # whatever MODE says


@pytest.mark.parametrize("mode", [1, 2, 3])
def test_directions_of_mode(mode):
    """1 + 2^-40 and -1 - 2^-40, whose nearest numbers are 1 and -1; overflows; x - x."""
    x = np.array([1, -1, 1, -1, 3e38, -3e38, 1], np.float32)
    y = np.array([2.0**-40, -2.0**-40, -2.0**-40, 2.0**-40, 3e38, -3e38, -1], np.float32)
    step = lambda number, away: np.nextafter(number, np.float32(away))
    want = {1: [step(x[0], 2), -1, 1, step(x[3], 0), np.inf, -np.finfo(np.float32).max, 0.0],
            2: [1, step(x[1], -2), step(x[2], 0), -1, np.finfo(np.float32).max, -np.inf, -0.0],
            3: [1, -1, step(x[2], 0), step(x[3], 0), np.finfo(np.float32).max, -np.finfo(np.float32).max, 0.0]}[mode]
    got = computed([f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), {mode}", "v_add_f32_e32 v4, v2, v3"], x, y)
    assert (got == np.resize(np.array(want, np.float32).view(np.uint32), 64)).all()
    with pytest.raises(emulator.Fault, match="only sums and products"):
        computed([f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), {mode}", "v_rcp_f32_e32 v4, v2"], x)


def test_far_branches():
    """The distance of a label from s_getpc's result, as LLVM prints it for branches of more than 128 KiB."""
    far = ["s_getpc_b64 s[8:9]", ".Lpost_getpc0:", "s_add_u32 s8, s8, (.LBB0_2-.Lpost_getpc0)&4294967295",
           "s_addc_u32 s9, s9, (.LBB0_2-.Lpost_getpc0)>>32", "s_setpc_b64 s[8:9]", ".LBB0_1:", "v_mov_b32_e32 v4, 1", ".LBB0_2:"]
    assert (computed(far, U32) == 0x11223344).all()
    assert (computed([line.replace("LBB0_2-", "LBB0_1-") for line in far], U32) == 1).all()
    with pytest.raises(emulator.Fault, match="leaves the kernel"):
        computed(["s_mov_b64 s[8:9], 0", "s_setpc_b64 s[8:9]"], U32)


def test_halves():
    x = np.array([0x3C004000, 0xC0003800], np.uint32)
    assert (computed(["v_fma_f16 v4, v2, 1.0, v2 op_sel:[1,0,0,0]"], x) == np.resize(half_sums(x, 1, 0), 64)).all()  # gfx9 clears the rest
    kept = computed(["v_fma_f16 v4, v2, 1.0, v2 op_sel:[1,0,0,0]"], x, chip="gfx1100")
    assert (kept == np.resize(half_sums(x, 1, 0) | 0x11220000, 64)).all()
    high = computed(["v_fma_f16 v4, v2, 1.0, v2 op_sel:[0,0,0,1]"], x)
    assert (high == np.resize(half_sums(x, 0, 0) << 16 | 0x3344, 64)).all()
    both = computed(["v_pk_add_f16 v4, v2, v2 op_sel:[0,1] op_sel_hi:[1,0]"], x)
    assert (both == np.resize(half_sums(x, 0, 1) | half_sums(x, 1, 0) << 16, 64)).all()


def half_sums(x, first, second):
    halves = x.view(np.uint16).view(np.float16).reshape(-1, 2)
    return (halves[:, first] + halves[:, second]).view(np.uint16).astype(np.uint32)


def test_sdwa():
    assert (computed(["v_add_u32_sdwa v4, v2, sext(v3) dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1 src1_sel:BYTE_0"], U32)
            == np.resize(((((U32 >> 8 & 255) + U32.astype(np.int8).astype(np.uint32)) & 0xFFFF) << 16 | 0x3344), 64)).all()


def test_pairs_read_before_they_write():
    got = computed(["v_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v3, v2", "v_sub_nc_u32_e32 v4, v2, v3"], U32, np.roll(U32, 1), chip="gfx1100")
    assert (got == np.resize(np.roll(U32, 1) - U32, 64)).all()


@pytest.mark.parametrize("name,function", [
    ("s_mov_b32 s8, 0x0c070105\nv_perm_b32 v4, v2, v3, s8", lambda x, y: (x >> 24) << 16 | (y >> 8 & 255) << 8 | (x >> 8 & 255)), ("v_bfe_i32 v4, v2, 4, 8", None),
    ("v_alignbit_b32 v4, v2, v3, 8", lambda x, y: x << 24 | y >> 8), ("v_bfi_b32 v4, v2, v3, 5", lambda x, y: x & y | ~x & 5),
    ("v_mul_hi_u32 v4, v2, v3", lambda x, y: (x.astype(np.uint64) * y >> np.uint64(32)).astype(np.uint32)), ("v_bfrev_b32_e32 v4, v2", None),
    ("v_ffbh_u32_e32 v4, v2", None), ("v_bcnt_u32_b32 v4, v2, 1", None), ("v_mul_u32_u24_e32 v4, v2, v3", lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF))])
def test_bits(name, function):
    y = np.roll(U32, 1)
    plain = {"v_bfe_i32": lambda x: (x >> 4 & 255) - (256 if x >> 11 & 1 else 0), "v_bfrev_b32_e32": lambda x: int(f"{x:032b}"[::-1], 2),
             "v_ffbh_u32_e32": lambda x: 32 - x.bit_length() if x else -1, "v_bcnt_u32_b32": lambda x: bin(x).count("1") + 1}
    want = function(U32, y) if function else np.array([plain[name.split()[0]](x) & 0xFFFFFFFF for x in U32.tolist()], np.uint32)
    assert (computed([name], U32, y) == np.resize(want, 64)).all()


# ---- masks and memory -----------------------------------------------------------------------------

MASKED = """
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
v_cmp_gt_u32_e32 vcc, 50, v0
s_and_saveexec_b64 s[8:9], vcc
s_cbranch_execz .LBB0_2
s_waitcnt lgkmcnt(0)
global_load_dword v2, v1, s[4:5]
s_waitcnt vmcnt(0)
v_add_u32_e32 v2, 1, v2
global_store_dword v1, v2, s[6:7]
.LBB0_2:
s_or_b64 exec, exec, s[8:9]
"""


def test_a_mask():
    x, out = np.arange(50, dtype=np.uint32), np.zeros(50, np.uint32)
    assert (Kernel(MASKED).run([x, out])[1] == x + 1).all()
    for dropped, instead in (("s_and_saveexec_b64 s[8:9], vcc", "s_mov_b64 s[8:9], exec"), ("v_cmp_gt_u32_e32 vcc, 50, v0", "v_cmp_gt_u32_e32 vcc, 51, v0")):
        with pytest.raises(emulator.Fault, match="global memory out of bounds"):
            Kernel(without(MASKED, dropped, instead)).run([x, out])


BUFFER = """
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_mov_b32 s10, 0xa0
s_mov_b32 s11, 0x27000
s_mov_b32 s14, 0xa0
s_mov_b32 s15, 0x27000
s_waitcnt lgkmcnt(0)
s_mov_b64 s[8:9], s[4:5]
s_mov_b64 s[12:13], s[6:7]
v_mov_b32_e32 v2, 9
buffer_load_dword v2, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
v_add_u32_e32 v2, 1, v2
buffer_store_dword v2, v1, s[12:15], 0 offen
"""


def test_buffers_check_their_range():
    """40 of 64 lanes are inside: the others load 0 and store nothing, although the arrays are larger or end there."""
    x, out = np.arange(1, 41, dtype=np.uint32), np.zeros(64, np.uint32)
    assert (Kernel(BUFFER).run([x, out])[1] == np.where(LANE < 40, np.resize(x, 64) + 1, 0)).all()
    with pytest.raises(emulator.Fault, match="global memory out of bounds"):
        Kernel(BUFFER.replace("s_mov_b32 s10, 0xa0", "s_mov_b32 s10, 0xa4")).run([x, out])


def test_alignment():
    with pytest.raises(emulator.Fault, match="an address is not a multiple of 4"):
        Kernel(MASKED.replace("v_lshlrev_b32_e32 v1, 2, v0", "v_lshlrev_b32_e32 v1, 1, v0")).run([np.zeros(64, np.uint32)] * 2)


def test_private_memory():
    body = """
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    scratch_store_dword off, v0, off offset:4
    v_mov_b32_e32 v3, 4
    scratch_load_dword v2, v3, off
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_store_dword v1, v2, s[6:7]
    """
    assert (Kernel(body, arguments=1, private=8).run([np.zeros(64, np.uint32)])[0] == LANE).all()
    with pytest.raises(emulator.Fault, match="private memory out of bounds"):
        Kernel(body, arguments=1, private=4).run([np.zeros(64, np.uint32)])


def test_atomics():
    body = """
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    v_mov_b32_e32 v2, 0
    v_mov_b32_e32 v3, 2
    s_waitcnt lgkmcnt(0)
    global_atomic_add v4, v2, v3, s[4:5] sc0
    s_waitcnt vmcnt(0)
    global_store_dword v1, v4, s[6:7]
    """
    total, tickets = Kernel(body).run([np.zeros(1, np.uint32), np.zeros(64, np.uint32)])
    assert total[0] == 128 and sorted(tickets.tolist()) == list(range(0, 128, 2))
    with pytest.raises(emulator.Fault, match="v4 belongs to a load"):
        Kernel(without(body, "s_waitcnt vmcnt(0)")).run([np.zeros(1, np.uint32), np.zeros(64, np.uint32)])


# ---- what a kernel finds --------------------------------------------------------------------------

def test_workgroups_and_hidden_arguments():
    body = """
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    s_load_dword s8, s[0:1], 0x8
    s_waitcnt lgkmcnt(0)
    s_lshl_b32 s3, s2, 8
    s_add_u32 s6, s6, s3
    s_addc_u32 s7, s7, 0
    s_mul_i32 s8, s8, 0x3e8
    s_add_i32 s8, s8, s2
    v_lshlrev_b32_e32 v1, 2, v0
    v_mov_b32_e32 v2, s8
    global_store_dword v1, v2, s[6:7]
    """
    want = 70000 + np.repeat(np.arange(70), 64)
    got = Kernel(body, arguments=1, hidden=["hidden_block_count_x"]).run([np.zeros(70 * 64, np.uint32)], grid=70)[0]
    assert (got == want).all()  # more workgroups than run together
    newer = "s_mov_b32 s2, ttmp9\n" + body.replace("dwordx2", "b64").replace("s_load_dword", "s_load_b32").replace("s_waitcnt lgkmcnt(0)", "s_wait_kmcnt 0x0").replace(
        "store_dword", "store_b32")
    got = Kernel(newer, "gfx1201", 64, 1, hidden=["hidden_block_count_x"]).run([np.zeros(70 * 64, np.uint32)], grid=70)[0]
    assert (got == want).all()


def test_preloaded_arguments():
    body = "v_lshlrev_b32_e32 v1, 2, v0\nglobal_store_dword v1, v0, s[2:3]"
    assert (Kernel(body, arguments=1, preload=2).run([np.zeros(64, np.uint32)])[0] == LANE).all()


def test_waves_that_part_meet_again():
    """Waves take different numbers of iterations; EXEC ends each lane's own loop."""
    body = """
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_and_b32_e32 v2, 31, v0
    v_lshrrev_b32_e32 v3, 6, v0
    v_mul_u32_u24_e32 v3, 40, v3
    v_add_u32_e32 v2, v2, v3
    v_mov_b32_e32 v4, 0
    s_mov_b64 s[8:9], 0
    .LBB0_1:
    v_cmp_eq_u32_e32 vcc, 0, v2
    s_or_b64 s[8:9], vcc, s[8:9]
    s_andn2_b64 exec, exec, s[8:9]
    s_cbranch_execz .LBB0_2
    v_add_u32_e32 v4, 3, v4
    v_add_u32_e32 v2, -1, v2
    s_branch .LBB0_1
    .LBB0_2:
    s_mov_b64 exec, -1
    v_lshlrev_b32_e32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v4, s[6:7]
    """
    thread = np.arange(256)
    assert (Kernel(body, threads=256, arguments=1).run([np.zeros(256, np.uint32)])[0] == 3 * (thread % 32 + thread // 64 * 40)).all()


def test_a_chip_or_instruction_that_is_unknown():
    with pytest.raises(emulator.Fault, match="no such chip here: gfx803"):
        Kernel("s_nop 0", "gfx803").run([np.zeros(1, np.uint32)])
    with pytest.raises(emulator.Fault, match="no such instruction here: v_frobnicate_f32"):
        Kernel("v_frobnicate_f32 v1, v2").run([np.zeros(1, np.uint32)])


@pytest.mark.parametrize("instruction, want", [
    ("s_min_num_f32", [-0.0, 1, -5, 2]), ("s_max_num_f32", [0, 1, 3, 2]),
    ("s_minimum_f32", [-0.0, np.nan, -5, np.nan]), ("s_maximum_f32", [0, np.nan, 3, np.nan])])
def test_scalar_minima(instruction, want):
    """-0 is less than 0; a NaN is no number, except for `minimum` and `maximum`."""
    x, y = (np.array(v, np.float32) for v in ([0, np.nan, -5, 2], [-0.0, 1, 3, np.nan]))
    for a, b, wanted in zip(x, y, np.array(want, np.float32)):
        code = ["v_readfirstlane_b32 s8, v2", "v_readfirstlane_b32 s9, v3", f"{instruction} s8, s8, s9", "v_mov_b32_e32 v4, s8"]
        got = computed(code, a[None], b[None], chip="gfx1201", dtype=np.float32)
        assert np.isnan(got).all() if np.isnan(wanted) else (got.view(np.uint32) == wanted.view(np.uint32)).all()
