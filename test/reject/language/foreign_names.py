#: Names of torch, NumPy and CUDA: what to write instead.
import triton
import triton.language as tl


@triton.jit
def method_mean(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).mean())


@triton.jit
def method_size(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).size())


@triton.jit
def method_dim(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).dim())


@triton.jit
def method_t(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).t())


@triton.jit
def method_astype(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).astype())


@triton.jit
def method_float(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).float())


@triton.jit
def method_half(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).half())


@triton.jit
def method_add_(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).add_())


@triton.jit
def method_clone(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).clone())


@triton.jit
def method_matmul(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).matmul())


@triton.jit
def name_threadIdx(x_ptr):
    tl.store(x_ptr, tl.threadIdx)


@triton.jit
def name_blockIdx(x_ptr):
    tl.store(x_ptr, tl.blockIdx)


@triton.jit
def name_syncthreads(x_ptr):
    tl.store(x_ptr, tl.syncthreads)


@triton.jit
def name_shared(x_ptr):
    tl.store(x_ptr, tl.shared)


@triton.jit
def name_relu(x_ptr):
    tl.store(x_ptr, tl.relu)


@triton.jit
def name_ones(x_ptr):
    tl.store(x_ptr, tl.ones)


@triton.jit
def name_concat(x_ptr):
    tl.store(x_ptr, tl.concat)


@triton.jit
def name_printf(x_ptr):
    tl.store(x_ptr, tl.printf)


@triton.jit
def name_inf(x_ptr):
    tl.store(x_ptr, tl.inf)


@triton.jit
def name_mean(x_ptr):
    tl.store(x_ptr, tl.mean)


@triton.jit
def length_of_a_pointer(x_ptr):
    for i in range(len(x_ptr)):
        tl.store(x_ptr + i, 1.0)


@triton.jit
def length_of_a_tensor(x_ptr):
    tl.store(x_ptr, len(tl.arange(0, 4)))


@triton.jit
def largest_of_one_tensor(x_ptr):
    tl.store(x_ptr, max(tl.load(x_ptr + tl.arange(0, 4))))


@triton.jit
def formatted(x_ptr):
    print("x: %f" % tl.load(x_ptr))

# % try() { tessera compile foreign_names.py --kernel-name "$1" --signature "*fp32" --emit ttir -o -; }

# $ try method_mean
# | foreign_names.py:7:21: error: a tensor has no attribute 'mean'; tl.sum(x, axis) / n is the mean
# |     tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).mean())
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try method_size
# | foreign_names.py:12:21: error: a tensor has no attribute 'size'; x.shape is a tuple of ints
# |     tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).size())
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try method_dim
# | foreign_names.py:17:21: error: a tensor has no attribute 'dim'; len(x.shape) is the number of axes
# |     tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).dim())
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try method_t
# | foreign_names.py:22:21: error: a tensor has no attribute 't'; x.T transposes a matrix, tl.permute(x, axes) other tensors
# |     tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).t())
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try method_astype
# | foreign_names.py:27:21: error: a tensor has no attribute 'astype'; write x.to(tl.float16)
# |     tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).astype())
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try method_float
# | foreign_names.py:32:21: error: a tensor has no attribute 'float'; write x.to(tl.float32)
# |     tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).float())
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try method_half
# | foreign_names.py:37:21: error: a tensor has no attribute 'half'; write x.to(tl.float16)
# |     tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).half())
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try method_add_
# | foreign_names.py:42:21: error: a tensor has no attribute 'add_'; tensors do not change in place: assign the result to a name
# |     tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).add_())
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try method_clone
# | foreign_names.py:47:21: error: a tensor has no attribute 'clone'; tensors do not change: use it as it is
# |     tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).clone())
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try method_matmul
# | foreign_names.py:52:21: error: a tensor has no attribute 'matmul'; write tl.dot(a, b)
# |     tl.store(x_ptr, tl.load(x_ptr + tl.arange(0, 4)).matmul())
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try name_threadIdx
# | foreign_names.py:57:21: error: triton.language has no 'threadIdx'; a kernel works on whole tensors: tl.arange(0, BLOCK) gives the offsets of a program's elements, and BLOCK is a tl.constexpr parameter
# |     tl.store(x_ptr, tl.threadIdx)
# |                     ^~~~~~~~~~~~
# = 1
# $ try name_blockIdx
# | foreign_names.py:62:21: error: triton.language has no 'blockIdx'; tl.program_id(axis) is the index of the program
# |     tl.store(x_ptr, tl.blockIdx)
# |                     ^~~~~~~~~~~
# = 1
# $ try name_syncthreads
# | foreign_names.py:67:21: error: triton.language has no 'syncthreads'; tensors need no barrier; tl.debug_barrier() is one
# |     tl.store(x_ptr, tl.syncthreads)
# |                     ^~~~~~~~~~~~~~
# = 1
# $ try name_shared
# | foreign_names.py:72:21: error: triton.language has no 'shared'; the compiler places tensors in registers and shared memory by itself
# |     tl.store(x_ptr, tl.shared)
# |                     ^~~~~~~~~
# = 1
# $ try name_relu
# | foreign_names.py:77:21: error: triton.language has no 'relu'; write tl.maximum(x, 0)
# |     tl.store(x_ptr, tl.relu)
# |                     ^~~~~~~
# = 1
# $ try name_ones
# | foreign_names.py:82:21: error: triton.language has no 'ones'; write tl.full(shape, 1, dtype)
# |     tl.store(x_ptr, tl.ones)
# |                     ^~~~~~~
# = 1
# $ try name_concat
# | foreign_names.py:87:21: error: triton.language has no 'concat'; tl.cat and tl.join combine two tensors
# |     tl.store(x_ptr, tl.concat)
# |                     ^~~~~~~~~
# = 1
# $ try name_printf
# | foreign_names.py:92:21: error: triton.language has no 'printf'; write tl.device_print("x", x)
# |     tl.store(x_ptr, tl.printf)
# |                     ^~~~~~~~~
# = 1
# $ try name_inf
# | foreign_names.py:97:21: error: triton.language has no 'inf'; write float("inf")
# |     tl.store(x_ptr, tl.inf)
# |                     ^~~~~~
# = 1
# $ try name_mean
# | foreign_names.py:102:21: error: triton.language has no 'mean'; tl.sum(x, axis) / n is the mean
# |     tl.store(x_ptr, tl.mean)
# |                     ^~~~~~~
# = 1
# $ try length_of_a_pointer
# | foreign_names.py:107:20: error: len takes a tuple or a string, not a run-time scalar *fp32; pass the number of elements as an argument
# |     for i in range(len(x_ptr)):
# |                    ^~~~~~~~~~
# | foreign_names.py:106:25: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ try length_of_a_tensor
# | foreign_names.py:113:21: error: len takes a tuple or a string, not a block i32[4]; x.shape is a tuple of its extents
# |     tl.store(x_ptr, len(tl.arange(0, 4)))
# |                     ^~~~~~~~~~~~~~~~~~~~
# = 1
# $ try largest_of_one_tensor
# | foreign_names.py:118:21: error: min and max take two operands or more here; tl.min(x, axis) and tl.max(x, axis) reduce a tensor
# |     tl.store(x_ptr, max(tl.load(x_ptr + tl.arange(0, 4))))
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try formatted
# | foreign_names.py:123:11: error: operator '%' does not take the string 'x: %f' and a run-time scalar fp32; tl.device_print("x", x) prints a tensor
# |     print("x: %f" % tl.load(x_ptr))
# |           ^~~~~~~~~~~~~~~~~~~~~~~~
# = 1
