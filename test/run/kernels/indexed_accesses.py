"""Accesses whose addresses come from memory: gathers and scatters, which processors have for four and eight bytes only."""
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


# signature: *fp16,*i32,*fp16,i32,64
# signature: *i8,*i32,*i8,i32,256
@triton.jit
def indexed_store(x_ptr, index_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """y[index[i]] = x[i] where the index is below n."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + i)
    tl.store(y_ptr + index, tl.load(x_ptr + i), mask=index < n)
