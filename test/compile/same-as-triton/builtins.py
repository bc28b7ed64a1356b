# The built-in functions' TTIR is Triton's, or both compilers refuse.
# The whole comparison takes minutes (scripts/compare-builtins --pairs 6000); this is every function once or more.
# REQUIRES: triton
# RUN: %triton_python %S/../../../scripts/compare-builtins --pairs 100 | FileCheck %s
# CHECK: {{^}}0 unexplained
