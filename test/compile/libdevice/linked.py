# exp of fp64 is a function of libdevice; linked, inlined, and nothing of it left undefined.
# REQUIRES: libdevice
# RUN: tessera compile %kernels/elementwise.py -n exponential -s "*fp64,*fp64,i32,128" --emit ptx -o - | FileCheck %s
# CHECK:     .entry exponential(
# CHECK-NOT: call
# CHECK:     fma.rn.f64
# CHECK-NOT: {{__nv_|reflect}}
