# The C launchers compile whatever a kernel, its parameters and its constants are called.
# REQUIRES: ptxas
# RUN: rm -rf %t && mkdir %t
# RUN: python3 %S/Inputs/c-names.py %t
#
# Names that a function cannot have in C are refused; there is --out-name.
# RUN: not tessera compile %s -n exit -s "*fp32" --target cpu --emit c -o %t/exit 2>&1 | FileCheck %s --check-prefix=LIBRARY
# LIBRARY: error: 'exit' cannot be a function's name in C: the C library has the name already; choose another with --out-name
# RUN: tessera compile %s -n exit -s "*fp32" --target cpu --emit c --out-name leave -o %t/leave
# RUN: clang-22 -Wall -Wextra -Werror -c %t/leave.c -o %t/leave.o
# RUN: not tessera compile %s -n exit -s "*fp32" --target cpu --emit c --out-name uint8_t -o %t/type 2>&1 | FileCheck %s --check-prefix=TYPE
# TYPE: error: 'uint8_t' cannot be a function's name in C: C or C++ has the name already
# RUN: not tessera compile %s -n exit -s "*fp32" --target cpu --emit c --out-name leave --symbol 0start -o %t/symbol 2>&1 | FileCheck %s --check-prefix=SYMBOL
# RUN: not tessera compile %s -n exit -s "*fp32" --target cpu --emit c --out-name leave --symbol int -o %t/symbol 2>&1 | FileCheck %s --check-prefix=SYMBOL
# RUN: not tessera compile %s -n exit -s "*fp32" --target cpu --emit c --out-name leave --symbol a.b -o %t/symbol 2>&1 | FileCheck %s --check-prefix=SYMBOL
# SYMBOL: --symbol: {{.*}} cannot be called from C
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, TEXT: tl.constexpr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 1.0)


@triton.jit
def exit(x_ptr):
    tl.store(x_ptr, 1.0)
