# Random expressions mean at compile time what they mean in CPython, to the last digit.
# RUN: rm -rf %t && mkdir %t
# RUN: python3 %S/Inputs/random-host-expressions.py 1 400 %t | FileCheck %s
# RUN: python3 %S/Inputs/random-host-expressions.py 2 400 %t | FileCheck %s
# CHECK: 400 of 400 the same
