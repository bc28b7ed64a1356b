# What the code object says of a kernel: its shared memory, its threads, its hidden arguments.

# RUN: tessera compile %s --kernel-name total --signature "*fp32,*fp32,1024" --target hip:gfx942 --emit amdgcn -o - | FileCheck %s
# RUN: tessera compile %s --kernel-name total --signature "*fp32,*fp32,1024" --target hip:gfx942 --waves-per-eu 2 --emit llir -o - | FileCheck %s --check-prefix=WAVES
import triton
import triton.language as tl


# Four warps exchange their sums: 16 bytes of shared memory. The grid's size is a hidden argument.
# CHECK:     s_barrier
# CHECK:     .amdhsa_group_segment_fixed_size 16
# CHECK:     .value_kind:     hidden_block_count_x
# CHECK:     .group_segment_fixed_size: 16
# CHECK:     .max_flat_workgroup_size: 256
# WAVES:     "amdgpu-waves-per-eu"="2,2"
@triton.jit
def total(x_ptr, out_ptr, SIZE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, SIZE) + tl.num_programs(0))
    tl.store(out_ptr, tl.sum(x))
