"""Disassembles a CUBIN, with the scheduling information of each instruction.

    Function:add_kernel
    --:-:-:Y:1      MOV R1, c[0x0][0x28];
    01:-:0:-:2      LDG.E.128 R4, [R2.64];

The first column is wait:read:write:yield:stall. `wait` is the mask of scoreboard barriers to wait for, `read` and `write` the
barriers that are set when the operands have been read and the result has been written, `yield` whether another warp may issue
first, `stall` the number of cycles until the next instruction. They are bits 41 to 57 of an instruction's upper 64 bits. Targets
of branches become labels.
"""
from __future__ import annotations

import functools
import os
import re
import subprocess
import tempfile

# cuobjdump -sass: "        /*0010*/        MOV R1, c[0x0][0x28] ;        /* 0x00000a00ff017624 */", then a line with the upper half.
_LOWER = re.compile(r"\s*/\*([0-9a-f]+)\*/\s*([^;]*?)\s*;\s*/\* 0x([0-9a-f]{16}) \*/\s*$")
_UPPER = re.compile(r"\s*/\* 0x([0-9a-f]{16}) \*/\s*$")
_FUNCTION = re.compile(r"\s*Function : (\S+)\s*$")
_BRANCH = re.compile(r"(.*\bBRA(?:\.U)? )0x([0-9a-f]+)$")


def control(upper):
    """The column "--:-:0:Y:2" from the upper 64 bits of an instruction."""
    def field(low, bits):
        return (upper >> low) & ((1 << bits) - 1)
    wait, read, write = field(52, 6), field(49, 3), field(46, 3)
    return ":".join(["--" if wait == 0 else f"{wait:02d}", "-" if read == 7 else str(read), "-" if write == 7 else str(write),
                     "-" if field(45, 1) else "Y", f"{field(41, 4):x}"])


def _instructions(lines):
    """Yields (address, text, upper half) of instructions, up to a line that is not one."""
    for lower, upper in zip(lines, lines):
        first, second = _LOWER.match(lower), _UPPER.match(upper)
        if not first or not second:
            return
        yield int(first.group(1), 16), first.group(2), int(second.group(1), 16)


def decode(listing, fun=None):
    """The code of a function in the output of `cuobjdump -sass`: the first, or the one that is named; None if there is none."""
    lines = iter(listing.splitlines())
    names = (match.group(1) for match in map(_FUNCTION.match, lines) if match)
    name = next((name for name in names if fun in (None, name)), None)
    if name is None:
        return None
    next(lines, None)  # .headerflags
    code = list(_instructions(lines))
    labels = {}
    for _, text, _ in code:
        branch = _BRANCH.match(text)
        if branch:
            labels.setdefault(int(branch.group(2), 16), len(labels))
    out = [f"Function:{name}"]
    for address, text, upper in code:
        if address in labels:
            out.append(f"LBB{labels[address]}:")
        branch = _BRANCH.match(text)
        if branch:
            text = f"{branch.group(1)}LBB{labels[int(branch.group(2), 16)]}"
        out.append(f"{control(upper)}\t{text};")
    return "\n".join(out) + "\n\n"


def path_to_cuobjdump():
    """The path of NVIDIA's cuobjdump: knobs.nvidia.cuobjdump (TRITON_CUOBJDUMP_PATH), or that of a CUDA toolkit."""
    from .. import knobs
    return knobs.nvidia.cuobjdump.path


def extract(file_path, fun=None):
    """The same for a file."""
    command = [path_to_cuobjdump(), "-sass", file_path]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {(done.stderr or done.stdout).strip()}")
    return decode(done.stdout, fun)


@functools.lru_cache(maxsize=256)
def get_sass(cubin_asm, fun=None):
    """The code of the first function of a CUBIN, or of the one that is named. Needs NVIDIA's cuobjdump."""
    handle, path = tempfile.mkstemp(suffix=".cubin")
    try:
        with open(handle, "wb") as file:
            file.write(cubin_asm)
        return extract(path, fun)
    finally:
        os.remove(path)
