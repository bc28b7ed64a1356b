#: A file without kernels.
def add(x, y):
    return x + y

# A Python file without kernels.
# $ tessera compile no_kernels.py --kernel-name add --signature "fp32,fp32"
# | no_kernels.py:1:1: error: 'add' is not a kernel: it is not decorated with @triton.jit; the file has no function decorated with @triton.jit
# | def add(x, y):
# | ^
# = 1
# $ tessera compile no_kernels.py --signature "fp32,fp32"
# | no_kernels.py: error: the file has no function decorated with @triton.jit
# = 1
