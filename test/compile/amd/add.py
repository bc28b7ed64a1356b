# A vector add for AMD GPUs: 128 bits a thread, no branch around masked loads, one around the store.

# RUN: tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp32:16,*fp32:16,*fp32:16,i32:16,1024" --target hip:gfx942 --emit amdgcn -o - | FileCheck %s --check-prefixes=CHECK,CDNA
# RUN: tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp32:16,*fp32:16,*fp32:16,i32:16,1024" --target hip:gfx1100 --emit amdgcn -o - | FileCheck %s --check-prefixes=CHECK,RDNA
# RUN: tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp32:16,*fp32:16,*fp32:16,i32:16,1024" --target hip:gfx1201 --emit amdgcn -o - | FileCheck %s --check-prefixes=CHECK,RDNA

# CHECK:     .amdgcn_target "amdgcn-amd-amdhsa--gfx
# CHECK:     add_kernel:
# CDNA:      s_cbranch_execz
# CDNA:      global_load_dwordx4
# CDNA:      global_load_dwordx4
# CDNA:      global_store_dwordx4
# RDNA:      global_load_b128
# RDNA:      global_load_b128
# RDNA:      global_store_b128

# The selects of the masked loads are gone: where the mask is false nothing is stored.
# CHECK-NOT: v_cndmask{{.*}} 0,
# CHECK:     .amdhsa_kernel add_kernel
# CHECK:     .amdhsa_group_segment_fixed_size 0

# Nothing asks for hidden arguments: three pointers, a number and two pointers of Tessera's.
# CHECK:     .amdhsa_kernarg_size 48
# CDNA:      .wavefront_size: 64
# RDNA:      .wavefront_size: 32
