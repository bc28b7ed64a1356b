# The C launcher compiles whatever a kernel's parameters are called, and a grid may use their names.
# REQUIRES: ptxas
# RUN: rm -rf %t && mkdir %t
# RUN: tessera compile %s --signature "*i32,i32,i32,i32,i32,i32,fp32,i32,u1,fp64" --grid "gX + int_,stream,(double > 0) + (new != 0)" --emit c -o %t/named
# RUN: clang-22 -Wall -Wextra -Werror -c %t/named.c -o %t/named.o
# RUN: clang-22 -Wall -Wextra -Werror -x c++ -c %t/named.c -o %t/named.o
# RUN: tessera compile %s --signature "*i32,i32,i32,i32,i32,i32,fp32,i32,u1,fp64" --emit c -o %t/free
# RUN: clang-22 -Wall -Wextra -Werror -c %t/free.c -o %t/free.o
# RUN: FileCheck %s < %t/named.c
# CHECK: (CUstream stream_, CUdeviceptr arg_int, int32_t stream, int32_t args, int32_t gX, int32_t int_, int32_t scratch, float arg_double,
# CHECK: unsigned gX_ = (unsigned)(gX + int_), gY = (unsigned)(stream), gZ = (unsigned)((arg_double > 0) + (arg_new != 0));
# CHECK: void *args_[] = {&arg_int, &stream, &args, &gX, &int_, &scratch, &arg_double, &arg_new, &arg_NULL, &gridX, &scratch_, &scratch_};

# RUN: not tessera compile %s --signature "*i32,i32,i32,i32,i32,i32,fp32,i32,u1,fp64" --emit c --out-name "a b" -o %t/bad 2>&1 | FileCheck %s --check-prefix=NAME
# NAME: --out-name: 'a b' becomes a C function's name
import triton
import triton.language as tl


@triton.jit
def k(int, stream, args, gX, int_, scratch, double, new, NULL, gridX):
    tl.store(int, stream + args + gX + int_ + scratch)
