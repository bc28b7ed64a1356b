# Tessera's TTIR of every example is read by Triton, and Triton's by Tessera.
# REQUIRES: triton
# RUN: %triton_python -B %S/../../../scripts/check-triton-roundtrip ^examples/ | FileCheck %s
# CHECK: 0 do not, 0 have no signature
