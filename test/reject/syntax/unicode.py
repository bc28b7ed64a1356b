#: A syntax error: a character that Python does not know.
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr):
    größe = tl.load(x_ptr) ÷ 2
    tl.store(x_ptr, größe)

# The caret counts characters, not bytes.
# $ tessera compile unicode.py --kernel-name kernel --signature "*fp32"
# | unicode.py:7:28: error: invalid character '÷' (U+00F7)
# |     größe = tl.load(x_ptr) ÷ 2
# |                            ^
# = 1
