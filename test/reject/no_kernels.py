def add(x, y):
    return x + y

# A Python file without kernels.
# $ tessera compile no_kernels.py --kernel-name add --signature "fp32,fp32"
# $ tessera compile no_kernels.py --signature "fp32,fp32"
