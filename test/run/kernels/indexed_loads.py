"""Loads whose addresses come from memory: gathers, which processors have for elements of four and eight bytes only."""
import triton
import triton.language as tl


# signature: *fp16,*i32,*fp16,i32,64
# signature: *i8,*i32,*i8,i32,256
@triton.jit
def indexed_load(x_ptr, index_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """y[i] = x[index[i]] where the index is below n, else 1."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + i)
    tl.store(y_ptr + i, tl.load(x_ptr + index, mask=index < n, other=1))


# signature: *fp16,*i32,*fp16,64
@triton.jit
def indexed_load_of_all(x_ptr, index_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + tl.load(index_ptr + i)))
