# Random elementwise kernels: the same TTIR as Triton's, or refused by both.
# REQUIRES: triton
# RUN: %triton_python %S/../../../scripts/compare-ttir --count 150 --seed 0 | FileCheck %s
# CHECK: 0 unexplained
