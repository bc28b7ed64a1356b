#: Kernel names that a file does not have, and files with several kernels.
import triton
import triton.language as tl

SCALE = 2


@triton.jit
def double(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * SCALE, mask=i < n)


@triton.jit
def add_one(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) + 1)


def host_function(x):
    return x


class Holder:
    pass

# A name that no kernel has: the file's kernels are listed.
# $ tessera compile kernel_name.py --kernel-name triple --signature "*fp32,i32,64"
# | kernel_name.py: error: no kernel 'triple'; the file's kernels are: double, add_one
# = 1

# One letter off.
# $ tessera compile kernel_name.py --kernel-name add_onee --signature "*fp32"
# | kernel_name.py: error: no kernel 'add_onee'; the file's kernels are: double, add_one
# = 1

# A function, but not a kernel.
# $ tessera compile kernel_name.py --kernel-name host_function --signature "fp32"
# | kernel_name.py:18:1: error: 'host_function' is not a kernel: it is not decorated with @triton.jit; the file's kernels are: double, add_one
# | def host_function(x):
# | ^
# = 1

# A name of something else.
# $ tessera compile kernel_name.py --kernel-name SCALE --signature "fp32"
# | kernel_name.py:4:1: error: 'SCALE' is not a kernel: it is not decorated with @triton.jit; the file's kernels are: double, add_one
# | SCALE = 2
# | ^
# = 1
# $ tessera compile kernel_name.py --kernel-name Holder --signature "fp32"
# | kernel_name.py:22:1: error: 'Holder' is not a kernel: it is not decorated with @triton.jit; the file's kernels are: double, add_one
# | class Holder:
# | ^
# = 1

# No name at all, where there are two kernels.
# $ tessera compile kernel_name.py --signature "*fp32,i32,64"
# | kernel_name.py: error: the file has several kernels, choose one with --kernel-name: double, add_one
# = 1

# An empty name.
# $ tessera compile kernel_name.py --kernel-name "" --signature "*fp32,i32,64"
# | kernel_name.py: error: the file has several kernels, choose one with --kernel-name: double, add_one
# = 1
# $ tessera run kernel_name.py --kernel-name triple --signature "*fp32" --grid 1 --arg x_ptr=zeros:1
# | kernel_name.py: error: no kernel 'triple'; the file's kernels are: double, add_one
# = 1
