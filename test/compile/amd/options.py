# Options that a chip cannot have are refused with what would work.

# RUN: not tessera compile %s --kernel-name f --signature "*fp32" --target hip:gfx942 --num-warps 32 --emit amdgcn -o - 2>&1 | FileCheck %s --check-prefix=WARPS
# WARPS: unsupported: num_warps = 32 on gfx942, whose warps have 64 threads; use a power of two from 1 to 16

# RUN: not tessera compile %s --kernel-name f --signature "*fp32" --target hip:gfx942 --num-ctas 2 --emit amdgcn -o - 2>&1 | FileCheck %s --check-prefix=CTAS
# CTAS: unsupported: num_ctas = 2 on gfx942, which has no thread-block clusters; use 1

# RUN: not tessera compile %s --kernel-name f --signature "*fp32" --target hip:gfx942 --waves-per-eu 9 --emit amdgcn -o - 2>&1 | FileCheck %s --check-prefix=WAVES
# WAVES: unsupported: waves_per_eu = 9 on gfx942; use 1 to 8, or 0 to let the compiler choose

# RUN: not tessera compile %s --kernel-name f --signature "*fp32" --target hip:gfx942 --kpack 3 --emit amdgcn -o - 2>&1 | FileCheck %s --check-prefix=KPACK
# KPACK: unsupported: kpack = 3; use 1 or 2

# RUN: not tessera compile %s --kernel-name f --signature "*fp32" --target hip:gfx1250 --emit amdgcn -o - 2>&1 | FileCheck %s --check-prefix=CHIP
# CHIP: unknown target 'hip:gfx1250'; known are {{.*}}hip:gfx942
import triton
import triton.language as tl


@triton.jit
def f(x_ptr):
    tl.store(x_ptr, 1.0)
