#: A syntax error: '=' where a comparison was meant.
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n):
    if n = 1:
        tl.load(x_ptr) = n

# $ tessera compile assignment.py --kernel-name kernel --signature "*fp32,i32"
# | assignment.py:7:8: error: invalid syntax. Maybe you meant '==' or ':=' instead of '='?
# |     if n = 1:
# |        ^~~~~
# = 1
