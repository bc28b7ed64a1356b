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
