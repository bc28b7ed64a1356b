# Shapes that do not fit.
import triton
import triton.language as tl


@triton.jit
def broadcast_sizes(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.broadcast(x[:, None], tl.arange(0, 8)[:, None])


@triton.jit
def broadcast_to_rank(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.broadcast_to(x, (16, 16))


@triton.jit
def broadcast_to_size(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.broadcast_to(32)


@triton.jit
def expand_dims_axis(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.expand_dims(x, 2)


@triton.jit
def expand_dims_twice(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.expand_dims(x, (0, 0))


@triton.jit
def expand_dims_runtime(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.expand_dims(x, tl.program_id(0))


@triton.jit
def reshape_count(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.reshape(x, 4, 8)


@triton.jit
def reshape_power(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.reshape(3, 5)


@triton.jit
def reshape_minus_one(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.reshape(4, -1)


@triton.jit
def reshape_runtime(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.reshape(tl.program_id(0), 4)


@triton.jit
def reshape_to_scalar(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.reshape(())


@triton.jit
def item_of_block(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.item()


@triton.jit
def too_large(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.broadcast_to(x[:, None], (16, 131072))


@triton.jit
def trans_of_vector(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.trans(x)


@triton.jit
def transposed_vector(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.T


@triton.jit
def permute_scalar(p, n):
    r = tl.permute(tl.program_id(0), 0)


@triton.jit
def permute_short(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.permute(x.reshape(4, 4), 0)


@triton.jit
def permute_twice(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.reshape(4, 4).permute(0, 0)


@triton.jit
def permute_negative(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.reshape(4, 4).permute(-1, 0)


@triton.jit
def join_types(p, n):
    x = tl.load(p + tl.arange(0, 16))
    q = tl.load(n + tl.arange(0, 16))
    r = tl.join(x, q)


@triton.jit
def join_shapes(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.join(x, tl.arange(0, 8).to(tl.float32))


@triton.jit
def split_last_axis(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.split(x)


@triton.jit
def split_scalar(p, n):
    r = tl.split(tl.program_id(0))


@triton.jit
def cat_in_order(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.cat(x, x)


@triton.jit
def cat_types(p, n):
    x = tl.load(p + tl.arange(0, 16))
    q = tl.load(n + tl.arange(0, 16))
    r = tl.cat(x, q, can_reorder=True)


@triton.jit
def full_shape(p, n):
    r = tl.full(16, 0, tl.int32)


@triton.jit
def full_value(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.full((16, ), x, tl.float32)


@triton.jit
def full_type(p, n):
    r = tl.full((16, ), 0, 5)


@triton.jit
def full_text(p, n):
    r = tl.full((16, ), 'zero', tl.int32)


@triton.jit
def full_power(p, n):
    r = tl.full((6, 4), 0, tl.int32)


@triton.jit
def arange_runtime(p, n):
    r = tl.arange(0, tl.program_id(0))

# % compile() { tessera compile shapes.py --kernel-name $1 --signature "*fp32,*i32" --emit ttir -o -; }

# Broadcasts.
# $ compile broadcast_sizes
# | shapes.py:9:9: error: shapes [16, 1] and [8, 1] do not broadcast: axis 0 has sizes 16 and 8
# |     r = tl.broadcast(x[:, None], tl.arange(0, 8)[:, None])
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile broadcast_to_rank
# | shapes.py:15:9: error: broadcast_to keeps the rank, and fp32[16] has rank 1, the shape rank 2
# |     r = tl.broadcast_to(x, (16, 16))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | shapes.py:14:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile broadcast_to_size
# | shapes.py:21:9: error: shapes [16] and [32] do not broadcast: axis 0 has sizes 16 and 32
# |     r = x.broadcast_to(32)
# |         ^~~~~~~~~~~~~~~~~~
# | shapes.py:20:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile expand_dims_axis
# | shapes.py:27:9: error: expand_dims takes an axis from -2 to 1, not the int 2
# |     r = tl.expand_dims(x, 2)
# |         ^~~~~~~~~~~~~~~~~~~~
# | shapes.py:26:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile expand_dims_twice
# | shapes.py:33:9: error: expand_dims got the same axis twice
# |     r = tl.expand_dims(x, (0, 0))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~
# | shapes.py:32:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile expand_dims_runtime
# | shapes.py:39:9: error: expand_dims takes an axis from -2 to 1, not a run-time scalar i32
# |     r = tl.expand_dims(x, tl.program_id(0))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | shapes.py:38:5: note: 'x' is a block fp32[16], from here
# = 1

# Reshapes.
# $ compile reshape_count
# | shapes.py:45:9: error: reshape keeps the number of elements: fp32[16] has 16, fp32[4, 8] has 32
# |     r = tl.reshape(x, 4, 8)
# |         ^~~~~~~~~~~~~~~~~~~
# | shapes.py:44:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile reshape_power
# | shapes.py:51:9: error: a block's extents are powers of two; axis 0 of [3, 5] has 3
# |     r = x.reshape(3, 5)
# |         ^~~~~~~~~~~~~~~
# | shapes.py:50:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile reshape_minus_one
# | shapes.py:57:9: error: a block's extents are powers of two; axis 1 of [4, -1] has -1
# |     r = x.reshape(4, -1)
# |         ^~~~~~~~~~~~~~~~
# | shapes.py:56:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile reshape_runtime
# | shapes.py:63:9: error: a shape is made of compile-time ints, not of a run-time scalar i32; make it a tl.constexpr parameter
# |     r = x.reshape(tl.program_id(0), 4)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | shapes.py:62:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile reshape_to_scalar
# | shapes.py:69:9: error: reshape makes a scalar of a block with one element, not of fp32[16]
# |     r = x.reshape(())
# |         ^~~~~~~~~~~~~
# | shapes.py:68:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile item_of_block
# | shapes.py:75:9: error: item makes a scalar of a block with one element, not of fp32[16]
# |     r = x.item()
# |         ^~~~~~~~
# | shapes.py:74:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile too_large
# | shapes.py:81:9: error: a block has at most 1048576 elements; shape [16, 131072] has more
# |     r = tl.broadcast_to(x[:, None], (16, 131072))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1

# Permutations.
# $ compile trans_of_vector
# | shapes.py:87:9: error: trans swaps the last two axes, and fp32[16] has one
# |     r = tl.trans(x)
# |         ^~~~~~~~~~~
# | shapes.py:86:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile transposed_vector
# | shapes.py:93:9: error: .T transposes a block with two axes, not fp32[16]; use tl.trans or tl.permute
# |     r = x.T
# |         ^~~
# = 1
# $ compile permute_scalar
# | shapes.py:98:9: error: permute takes a block, not a run-time scalar i32
# |     r = tl.permute(tl.program_id(0), 0)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile permute_short
# | shapes.py:104:9: error: permute takes each of the 2 axes of fp32[4, 4] once; got 1
# |     r = tl.permute(x.reshape(4, 4), 0)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile permute_twice
# | shapes.py:110:9: error: permute takes each axis from 0 to 1 once; got the int 0 twice
# |     r = x.reshape(4, 4).permute(0, 0)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile permute_negative
# | shapes.py:116:9: error: permute takes each axis from 0 to 1 once; got the int -1
# |     r = x.reshape(4, 4).permute(-1, 0)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1

# Two blocks.
# $ compile join_types
# | shapes.py:123:9: error: join takes two blocks of one element type, not fp32[16] and i32[16]; convert one with .to(...)
# |     r = tl.join(x, q)
# |         ^~~~~~~~~~~~~
# | shapes.py:121:5: note: 'x' is a block fp32[16], from here
# | shapes.py:122:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile join_shapes
# | shapes.py:129:9: error: shapes [16] and [8] do not broadcast: axis 0 has sizes 16 and 8
# |     r = tl.join(x, tl.arange(0, 8).to(tl.float32))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | shapes.py:128:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile split_last_axis
# | shapes.py:135:9: error: split takes a block whose last axis has size 2, not fp32[16]
# |     r = tl.split(x)
# |         ^~~~~~~~~~~
# | shapes.py:134:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile split_scalar
# | shapes.py:140:9: error: split takes a block, not a run-time scalar i32
# |     r = tl.split(tl.program_id(0))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile cat_in_order
# | shapes.py:146:9: error: cat gives its elements in any order: say can_reorder=True, or use tl.join and tl.reshape
# |     r = tl.cat(x, x)
# |         ^~~~~~~~~~~~
# | shapes.py:145:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile cat_types
# | shapes.py:153:9: error: cat takes two blocks of one axis and equal types, not fp32[16] and i32[16]
# |     r = tl.cat(x, q, can_reorder=True)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | shapes.py:151:5: note: 'x' is a block fp32[16], from here
# | shapes.py:152:5: note: 'q' is a block i32[16], from here
# = 1

# Blocks of a type.
# $ compile full_shape
# | shapes.py:158:9: error: a shape is a tuple such as (64,), not the int 16
# |     r = tl.full(16, 0, tl.int32)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile full_value
# | shapes.py:164:9: error: full takes a scalar value, not a block fp32[16]
# |     r = tl.full((16, ), x, tl.float32)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | shapes.py:163:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile full_type
# | shapes.py:169:9: error: expected a dtype such as tl.float32, got the int 5
# |     r = tl.full((16, ), 0, 5)
# |         ^~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile full_text
# | shapes.py:174:9: error: full takes a number, not the string 'zero'
# |     r = tl.full((16, ), 'zero', tl.int32)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile full_power
# | shapes.py:179:9: error: a block's extents are powers of two; axis 0 of [6, 4] has 6
# |     r = tl.full((6, 4), 0, tl.int32)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile arange_runtime
# | shapes.py:184:9: error: arange takes compile-time ints, not a run-time scalar i32; make it a tl.constexpr parameter
# |     r = tl.arange(0, tl.program_id(0))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
