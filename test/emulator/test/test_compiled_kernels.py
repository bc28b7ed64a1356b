"""Kernels that Tessera compiles for wgmma, with one of their barriers, waits or fences taken out: the emulator reports it.
What can go without a report is either superfluous or a race that the emulator does not see."""
import copy
import dataclasses
import pathlib

import numpy as np
import pytest

import emulator
from emulated_session import EmulatedSession

PIPELINE = str(pathlib.Path(__file__).parents[2] / "run" / "kernels" / "pipeline.py")
M, N, BK = 128, 64, 32


def orders(instruction):
    return instruction.name in ("bar", "barrier") or instruction.one_of("commit_group", "wait_group") or instruction.text.startswith(
        ("wgmma.fence", "fence.proxy.async"))


def compiled(stages, warps):
    signature = f"*fp16:16,*fp16:16,*fp32:16,i32:16,i32:1,i32:16,i32:16,i32:1,{M},{N},{BK}"
    return EmulatedSession().program(PIPELINE, None, "matmul", signature, f"num-stages={stages},num-warps={warps},tma=off")


def run(program, shared, seed, depth=5 * BK):
    """What is wrong; None if nothing."""
    random = np.random.default_rng(1)
    a, b = (random.integers(-3, 4, shape).astype(np.float16) for shape in ((M, depth), (depth, N)))
    memory = emulator.GlobalMemory()
    addresses = [memory.place(array.tobytes()) for array in (a, b, np.zeros((M, N), np.float32))]
    result = memory.arrays[-1][1]
    try:
        problems = emulator.run(program, (1, 1, 1), [*addresses, depth, depth, N, memory.place(bytes(16)), 0], shared, memory, seed)
    except emulator.Fault as fault:
        return str(fault)
    right = (result.view(np.float32).reshape(M, N) == a.astype(np.float32) @ b.astype(np.float32)).all()
    return "\n".join(problems) or (None if right else "wrong results")


@pytest.mark.parametrize("stages,warps", [(3, 8), (4, 4)])
def test_matmul(stages, warps):
    program, record = compiled(stages, warps)
    if not any(instruction.name == "wgmma" for instruction in program.code):
        pytest.skip("compiled without wgmma")
    for seed in range(3):
        assert run(program, record["shared"], seed) is None
    missed = []
    for place, instruction in enumerate(program.code):
        if orders(instruction):
            changed = copy.copy(program)
            changed.code = list(program.code)
            changed.code[place] = dataclasses.replace(instruction, name="membar", modifiers=["cta"], operands=[], text="membar.cta")
            if run(changed, record["shared"], 0) is None:
                missed.append(f"line {instruction.line}: {instruction.text}")
    fences = [line for line in missed if "fence.proxy.async" in line]
    # Here a wait ends the reads of all warps of the group. The ISA speaks of those of the warp that waits, so there is a barrier
    # before copies overwrite what one group has read.
    barriers = [line for line in missed if "bar.sync" in line]
    assert len(barriers) <= (warps == 4) and len(missed) == len(fences) + len(barriers), "taken out without a report:\n" + "\n".join(missed)
    assert len(fences) < sum(i.text.startswith("fence.proxy.async") for i in program.code), "no fence.proxy.async is missed"


# ---- matrices whose addresses are in memory -------------------------------------------------------

GROUPED = """
import triton
import triton.language as tl

@triton.jit
def grouped(a_addresses, b_addresses, c_addresses, sizes, groups, PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    passed = 0
    for group in range(groups):
        M, N, K = tl.load(sizes + group * 4), tl.load(sizes + group * 4 + 1), tl.load(sizes + group * 4 + 2)
        columns = tl.cdiv(N, BN)
        tiles = tl.cdiv(M, BM) * columns
        if tile >= passed and tile < passed + tiles:
            a = tl.load(a_addresses + group).to(tl.pointer_type(tl.float16))
            b = tl.load(b_addresses + group).to(tl.pointer_type(tl.float16))
            c = tl.load(c_addresses + group).to(tl.pointer_type(tl.float16))
            stride = tl.load(sizes + group * 4 + 3)
            left = tl.make_tensor_descriptor(a, [M, K], [stride, 1], [BM, BK])
            right = tl.make_tensor_descriptor(b, [N, K], [stride, 1], [BN, BK])
            out = tl.make_tensor_descriptor(c, [M, N], [stride, 1], [BM, BN])
            while tile >= passed and tile < passed + tiles:
                row, column = (tile - passed) // columns * BM, (tile - passed) % columns * BN
                acc = tl.zeros((BM, BN), tl.float32)
                for k in range(tl.cdiv(K, BK)):
                    acc = tl.dot(left.load([row, k * BK]), right.load([column, k * BK]).T, acc)
                out.store([row, column], acc.to(tl.float16))
                tile += PROGRAMS
        passed += tiles
"""
SIZES = [(150, 70, 100), (64, 64, 0), (1, 130, 33), (200, 64, 64)]


@pytest.mark.parametrize("options", ["num-stages=3,num-warps=4", "num-stages=4,num-warps=8", "num-stages=1,num-warps=4", "num-stages=3,num-warps=8,tma=off"])
def test_matrices_with_addresses_in_memory(options):
    """The kernel makes three maps for each group, again and again in the same memory."""
    program, record = EmulatedSession().program("grouped.py", GROUPED, "grouped", "*i64:16,*i64:16,*i64:16,*i32:16,i32,2,64,64,32", options)
    assert ("tensormap" in " ".join(instruction.text for instruction in program.code)) == ("tma=off" not in options)
    random, stride = np.random.default_rng(1), 160
    for seed in range(3):
        memory, tables, results, rights = emulator.GlobalMemory(), [[], [], []], [], []
        for M_, N_, K_ in SIZES:
            a, b, c = (random.integers(-3, 4, (rows, stride)).astype(np.float16) for rows in (M_, N_, M_))
            for table, array in zip(tables, (a, b, c)):
                table.append(memory.place(array.tobytes()))
            results.append(memory.arrays[-1][1])
            right = c.copy()
            right[:, :N_] = a[:, :K_].astype(np.float32) @ b[:, :K_].astype(np.float32).T
            rights.append(right)
        arguments = [memory.place(np.array(table, np.int64).tobytes()) for table in tables]
        arguments.append(memory.place(np.array([(*sizes, stride) for sizes in SIZES], np.int32).tobytes()))
        problems = emulator.run(program, (2, 1, 1), [*arguments, len(SIZES), memory.place(bytes(4096)), 0], record["shared"], memory, seed)
        assert not problems
        for result, right in zip(results, rights):
            assert np.array_equal(result.view(np.float16).reshape(right.shape), right)
