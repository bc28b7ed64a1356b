"""What AMD's targets say they cannot do, by the beginning of the message, and why. A test that is skipped on an emulated AMD chip for another
reason fails: either the target lost something, or the list lacks a line.

    is_listed("unsupported: call of '__nv_sinf' in library '' on hip:gfx942")
"""
import re

UNSUPPORTED = [
    (r"the target has no type fp8e4b15", "AMD's chips and Triton's AMD backend have no such type"),
    (r"unsupported: call of '__nv_[jy]nf?'", "Bessel functions of any order: neither LLVM nor libclc nor ROCm's ocml has them"),
    (r"unsupported: call of '__ocml_[jy][01]_f(32|64)' on \S+, for which there is no code", "Bessel functions come from ROCm's ocml.bc"),
    (r"unsupported: product of 'f8", "8-bit floats that the chip's matrix instructions do not take"),
    (r"unsupported: kernel '\w+' needs \d+ bytes of shared memory", "LDS has 64 KiB a workgroup, 160 on gfx950"),
    (r'unsupported: input_precision "(tf32|tf32x3)"', "TF32 products exist on gfx942 only, and tf32x3 on none"),
    (r"unsupported: .*, on the emulator$", "arrays and grids too large to emulate"),
]


def is_listed(reason):
    return any(re.match(pattern, reason) for pattern, _ in UNSUPPORTED)
