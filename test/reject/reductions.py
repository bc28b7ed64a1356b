# Reductions, scans and maps that cannot be made.
import triton
import triton.language as tl

@triton.jit
def add(a, b):
    return a + b


@triton.jit
def widen(a, b):
    return a.to(tl.float64) + b


@triton.jit
def first_two(a, b, c, d):
    return a, b


@triton.jit
def first_of_four(a, b, c, d):
    return a


@triton.jit
def nothing(a, b):
    pass


@triton.jit
def one_of_pair(a, b):
    return a


def on_the_host(a, b):
    return a + b


@triton.jit
def reduce_axis(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.reduce(x, 1, add)


@triton.jit
def reduce_runtime_axis(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.reduce(x, tl.program_id(0), add)


@triton.jit
def reduce_scalar(p, n):
    r = tl.reduce(tl.program_id(0), 0, add)


@triton.jit
def reduce_shapes(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.reduce((x, x.reshape(4, 4)), 0, first_two)


@triton.jit
def reduce_empty(p, n):
    r = tl.reduce((), 0, add)


@triton.jit
def reduce_type(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.reduce(x, 0, widen)


@triton.jit
def reduce_count(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.reduce((x, x), 0, add)


@triton.jit
def reduce_returns_too_few(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.reduce((x, x), 0, first_of_four)


@triton.jit
def reduce_returns_nothing(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.reduce(x, 0, nothing)


@triton.jit
def reduce_no_function(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.reduce(x, 0, 5)


@triton.jit
def reduce_host_function(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.reduce(x, 0, on_the_host)


@triton.jit
def scan_axis(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.associative_scan(x, -2, add)


@triton.jit
def scan_all(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.associative_scan(x, None, add)


@triton.jit
def scan_type(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.associative_scan(x, 0, widen)


@triton.jit
def map_number(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.map_elementwise(add, x, 5)


@triton.jit
def map_scalars(p, n):
    r = tl.map_elementwise(add, tl.program_id(0), tl.program_id(1))


@triton.jit
def map_nothing(p, n):
    r = tl.map_elementwise(add)


@triton.jit
def map_pack(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.map_elementwise(add, x, x, pack=3)


@triton.jit
def map_pack_results(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.map_elementwise(one_of_pair, x, pack=2)


@triton.jit
def histogram_of_floats(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.histogram(x, 16)


@triton.jit
def histogram_of_matrix(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = q.reshape(4, 4).histogram(16)


@triton.jit
def histogram_bins(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = tl.histogram(q, 10)


@triton.jit
def histogram_runtime_bins(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = tl.histogram(q, tl.program_id(0))


@triton.jit
def histogram_mask(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = tl.histogram(q, 16, mask=q)


@triton.jit
def gather_index(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.gather(x, x, 0)


@triton.jit
def gather_rank(p, n):
    x = tl.load(p + tl.arange(0, 16))
    q = tl.load(n + tl.arange(0, 16))
    r = tl.gather(x, q.reshape(4, 4), 0)


@triton.jit
def gather_axis(p, n):
    x = tl.load(p + tl.arange(0, 16))
    q = tl.load(n + tl.arange(0, 16))
    r = tl.gather(x, q, 1)


@triton.jit
def gather_shape(p, n):
    x = tl.load(p + tl.arange(0, 16))
    q = tl.load(n + tl.arange(0, 16))
    r = tl.gather(x.reshape(4, 4), q.reshape(8, 2), 0)

# % compile() { tessera compile reductions.py --kernel-name $1 --signature "*fp32,*i32" --emit ttir -o -; }

# Reductions.
# $ compile reduce_axis
# | reductions.py:42:9: error: reduce takes an axis of fp32[16], from -1 to 0, not the int 1
# |     r = tl.reduce(x, 1, add)
# |         ^~~~~~~~~~~~~~~~~~~~
# | reductions.py:41:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile reduce_runtime_axis
# | reductions.py:48:9: error: reduce takes an axis of fp32[16], from -1 to 0, not a run-time scalar i32
# |     r = tl.reduce(x, tl.program_id(0), add)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | reductions.py:47:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile reduce_scalar
# | reductions.py:53:9: error: reduce takes a block or a tuple of blocks, not a run-time scalar i32
# |     r = tl.reduce(tl.program_id(0), 0, add)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile reduce_shapes
# | reductions.py:59:9: error: reduce takes blocks of one shape, not fp32[16] and fp32[4, 4]
# |     r = tl.reduce((x, x.reshape(4, 4)), 0, first_two)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile reduce_empty
# | reductions.py:64:9: error: reduce takes a block or a tuple of blocks, not an empty tuple
# |     r = tl.reduce((), 0, add)
# |         ^~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile reduce_type
# | reductions.py:70:9: error: reduce combines (fp32), and its function returns (fp64); it must return the types that it takes
# |     r = tl.reduce(x, 0, widen)
# |         ^~~~~~~~~~~~~~~~~~~~~~
# | reductions.py:69:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile reduce_count
# | reductions.py:76:9: error: 'add' takes 2 arguments: a, b
# |     r = tl.reduce((x, x), 0, add)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile reduce_returns_too_few
# | reductions.py:82:9: error: reduce combines (fp32, fp32), and its function returns (fp32); it must return the types that it takes
# |     r = tl.reduce((x, x), 0, first_of_four)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile reduce_returns_nothing
# | reductions.py:88:9: error: reduce calls a function that returns scalars; this one returns None
# |     r = tl.reduce(x, 0, nothing)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~
# | reductions.py:87:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile reduce_no_function
# | reductions.py:94:9: error: reduce calls a function decorated with @triton.jit, not the int 5
# |     r = tl.reduce(x, 0, 5)
# |         ^~~~~~~~~~~~~~~~~~
# | reductions.py:93:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile reduce_host_function
# | reductions.py:100:25: error: 'on_the_host' cannot be used in a kernel (line 35: a plain Python function, without @triton.jit)
# |     r = tl.reduce(x, 0, on_the_host)
# |                         ^~~~~~~~~~~
# = 1

# Scans.
# $ compile scan_axis
# | reductions.py:106:9: error: associative_scan takes an axis of fp32[16], from -1 to 0, not the int -2
# |     r = tl.associative_scan(x, -2, add)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | reductions.py:105:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile scan_all
# | reductions.py:112:9: error: associative_scan takes an axis of fp32[16], from -1 to 0, not None
# |     r = tl.associative_scan(x, None, add)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | reductions.py:111:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile scan_type
# | reductions.py:118:9: error: associative_scan combines (fp32), and its function returns (fp64); it must return the types that it takes
# |     r = tl.associative_scan(x, 0, widen)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | reductions.py:117:5: note: 'x' is a block fp32[16], from here
# = 1

# Maps.
# $ compile map_number
# | reductions.py:124:9: error: map_elementwise maps tensors, not the int 5; tl.full makes a block of a number
# |     r = tl.map_elementwise(add, x, 5)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | reductions.py:123:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile map_scalars
# | reductions.py:129:9: error: map_elementwise maps blocks; call the function on scalars directly
# |     r = tl.map_elementwise(add, tl.program_id(0), tl.program_id(1))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile map_nothing
# | reductions.py:134:9: error: map_elementwise takes a function and at least one block
# |     r = tl.map_elementwise(add)
# |         ^~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile map_pack
# | reductions.py:140:9: error: map_elementwise takes pack=1, 2, 4, ..., not the int 3
# |     r = tl.map_elementwise(add, x, x, pack=3)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | reductions.py:139:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile map_pack_results
# | reductions.py:146:9: error: map_elementwise with pack=2 calls a function that returns 2 values per result; this one returns 1
# |     r = tl.map_elementwise(one_of_pair, x, pack=2)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | reductions.py:145:5: note: 'x' is a block fp32[16], from here
# = 1

# Histograms and gathers.
# $ compile histogram_of_floats
# | reductions.py:152:9: error: histogram takes a block of integers with one axis, not a block fp32[16]
# |     r = tl.histogram(x, 16)
# |         ^~~~~~~~~~~~~~~~~~~
# | reductions.py:151:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile histogram_of_matrix
# | reductions.py:158:9: error: histogram takes a block of integers with one axis, not a block i32[4, 4]
# |     r = q.reshape(4, 4).histogram(16)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile histogram_bins
# | reductions.py:164:9: error: a block's extents are powers of two; axis 0 of [10] has 10
# |     r = tl.histogram(q, 10)
# |         ^~~~~~~~~~~~~~~~~~~
# | reductions.py:163:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile histogram_runtime_bins
# | reductions.py:170:9: error: histogram takes a compile-time number of bins, not a run-time scalar i32
# |     r = tl.histogram(q, tl.program_id(0))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | reductions.py:169:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile histogram_mask
# | reductions.py:176:9: error: a mask is made of bools, not of i32[16]; compare, or convert with .to(tl.int1)
# |     r = tl.histogram(q, 16, mask=q)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# | reductions.py:175:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile gather_index
# | reductions.py:182:9: error: gather takes a block of integers as index, not a block fp32[16]
# |     r = tl.gather(x, x, 0)
# |         ^~~~~~~~~~~~~~~~~~
# | reductions.py:181:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile gather_rank
# | reductions.py:189:9: error: gather takes an index of the source's rank: fp32[16] and i32[4, 4] differ
# |     r = tl.gather(x, q.reshape(4, 4), 0)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | reductions.py:187:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile gather_axis
# | reductions.py:196:9: error: gather takes an axis of fp32[16], from -1 to 0, not the int 1
# |     r = tl.gather(x, q, 1)
# |         ^~~~~~~~~~~~~~~~~~
# | reductions.py:194:5: note: 'x' is a block fp32[16], from here
# | reductions.py:195:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile gather_shape
# | reductions.py:203:9: error: gather along axis 0 needs equal other axes: fp32[4, 4] and i32[8, 2] differ in axis 1
# |     r = tl.gather(x.reshape(4, 4), q.reshape(8, 2), 0)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
