# The standard library's TTIR is Triton's: its files compiled by Triton, and kernels compiled by both.
# The whole comparison takes minutes (scripts/compare-stdlib --tessera); this is every function once or more.
# REQUIRES: triton
# RUN: %triton_python %S/../../../scripts/compare-stdlib --tessera -k "(fp32|i8|u16|u64) (4x8|scalar)" | FileCheck %s
# CHECK: {{^}}0 unexplained
