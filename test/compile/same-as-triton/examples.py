# Our TTIR is Triton's, up to value names, locations and the order of constants, and Triton compiles it.
# REQUIRES: triton
# RUN: rm -rf %t && mkdir %t
# RUN: tessera compile %examples/add.py -n add_kernel -s "*fp32:16,*fp32:16,*fp32:16,i32:16,1024" --emit ttir -o %t/hints
# RUN: %triton_python %S/Inputs/same-as-triton.py %examples/add.py add_kernel %t/hints.ttir "*fp32:16" "*fp32:16" "*fp32:16" i32:16 1024 | FileCheck %s
# RUN: tessera compile %examples/add.py -n add_kernel -s "*fp32,*fp32,*fp32,i32,64" --emit ttir -o %t/plain
# RUN: %triton_python %S/Inputs/same-as-triton.py %examples/add.py add_kernel %t/plain.ttir "*fp32" "*fp32" "*fp32" i32 64 | FileCheck %s
# RUN: tessera compile %examples/add.py -n add_kernel -s "*bf16,*bf16,*bf16,i64,256" --emit ttir -o %t/bf16
# RUN: %triton_python %S/Inputs/same-as-triton.py %examples/add.py add_kernel %t/bf16.ttir "*bf16" "*bf16" "*bf16" i64 256 | FileCheck %s
# RUN: tessera compile %kernels/grids.py -n add_matrix -s "*fp32,*fp32,*fp32,i32,i32,16,32" --emit ttir -o %t/matrix
# RUN: %triton_python %S/Inputs/same-as-triton.py %kernels/grids.py add_matrix %t/matrix.ttir "*fp32" "*fp32" "*fp32" i32 i32 16 32 | FileCheck %s
# CHECK: the same text{{.*}}; {{[0-9]+}} bytes of cubin from it
