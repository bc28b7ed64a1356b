# How wide the accesses are follows from what the signature promises.

# All of it divisible by 16: 128 bits a thread, one predicate for the four.
# RUN: tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp32:16,*fp32:16,*fp32:16,i32:16,1024" --emit ptx -o - | FileCheck %s --check-prefix=WIDE

# The count may end inside a vector: threads in which it does move element by element.
# RUN: tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp32:16,*fp32:16,*fp32:16,i32,1024" --emit ptx -o - | FileCheck %s --check-prefix=PARTIAL

# Unknown pointers: element by element.
# RUN: tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,1024" --emit ptx -o - | FileCheck %s --check-prefix=NARROW

# Eight half-precision values are 128 bits too.
# RUN: tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,1024" --emit ptx -o - | FileCheck %s --check-prefix=WIDE

# WIDE:      .target sm_90
# WIDE:      .entry add_kernel(
# WIDE-NOT:  ld.global.b32
# WIDE:      ld.global.v4.b32
# WIDE:      ld.global.v4.b32
# WIDE:      st.global.v4.b32
# WIDE-NOT:  st.global.b32

# PARTIAL:     .entry add_kernel(
# PARTIAL-DAG: ld.global.b32
# PARTIAL-DAG: ld.global.v4.b32
# PARTIAL-DAG: st.global.b32
# PARTIAL-DAG: st.global.v4.b32

# NARROW:     .entry add_kernel(
# NARROW-NOT: .global.v
# NARROW:     ld.global.b32
# NARROW:     st.global.b32
# NARROW-NOT: .global.v
