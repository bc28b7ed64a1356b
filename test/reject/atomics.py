#: Atomics on pointers, types and values that have none.
import triton
import triton.language as tl


@triton.jit
def to_number(x_ptr, n):
    tl.atomic_add(n, 1)


@triton.jit
def to_const(x_ptr, n):
    tl.atomic_add(x_ptr, 1.0)


@triton.jit
def swap_const(x_ptr, n):
    tl.atomic_cas(x_ptr, 0, 1)


@triton.jit
def to_pointers(x_ptr, n):
    tl.atomic_add(x_ptr, 1)


@triton.jit
def add_of_bytes(x_ptr, n):
    tl.atomic_add(x_ptr, 1)


@triton.jit
def add_of_bools(x_ptr, n):
    tl.atomic_add(x_ptr, 1)


@triton.jit
def max_of_halves(x_ptr, n):
    tl.atomic_max(x_ptr, 1.0)


@triton.jit
def exchange_of_halves(x_ptr, n):
    tl.atomic_xchg(x_ptr, 1.0)


@triton.jit
def bits_of_floats(x_ptr, n):
    tl.atomic_and(x_ptr, 1)


@triton.jit
def swap_of_bytes(x_ptr, n):
    tl.atomic_cas(x_ptr, 0, 1)


@triton.jit
def swap_converts_nothing(x_ptr, n):
    tl.atomic_cas(x_ptr, 0, 1)


@triton.jit
def swap_of_floats(x_ptr, n):
    tl.atomic_cas(x_ptr, 0.0, n)


@triton.jit
def value_is_block(x_ptr, n):
    tl.atomic_add(x_ptr, tl.arange(0, 16))


@triton.jit
def mask_is_block(x_ptr, n):
    tl.atomic_add(x_ptr, 1, mask=tl.arange(0, 16) < n)


@triton.jit
def ranks_differ(x_ptr, n):
    i = tl.arange(0, 16)
    tl.atomic_add(x_ptr + i[:, None] + i[None, :], i)


@triton.jit
def sizes_differ(x_ptr, n):
    tl.atomic_add(x_ptr + tl.arange(0, 16), tl.arange(0, 8))


@triton.jit
def swap_repeats_nothing(x_ptr, n):
    tl.atomic_cas(x_ptr + tl.arange(0, 16), 0, 1)


@triton.jit
def mask_of_integers(x_ptr, n):
    tl.atomic_add(x_ptr, 1, mask=n)


@triton.jit
def order_unknown(x_ptr, n):
    tl.atomic_add(x_ptr, 1, sem="seq_cst")


@triton.jit
def scope_unknown(x_ptr, n):
    tl.atomic_add(x_ptr, 1, scope="warp")


@triton.jit
def swap_order_unknown(x_ptr, n):
    tl.atomic_cas(x_ptr, 0, 1, sem="seq_cst")

# % compile() { tessera compile atomics.py --kernel-name "$1" --signature "$2" --target "${3:-cuda:90}" --emit ttir -o -; }
# Pointers.
# $ compile to_number "*fp32,i32"
# | atomics.py:7:5: error: atomic_add takes a pointer or a block of pointers, not a run-time scalar i32; add the offsets to a pointer: array arguments are pointers
# |     tl.atomic_add(n, 1)
# |     ^~~~~~~~~~~~~~~~~~~
# | atomics.py:6:22: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile to_const "*kfp32,i32"
# | atomics.py:12:5: error: cannot store through a pointer to const *kfp32
# |     tl.atomic_add(x_ptr, 1.0)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:11:14: note: 'x_ptr' is a run-time scalar *kfp32, from here
# = 1
# $ compile swap_const "*ki32,i32"
# | atomics.py:17:5: error: cannot store through a pointer to const *ki32
# |     tl.atomic_cas(x_ptr, 0, 1)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:16:16: note: 'x_ptr' is a run-time scalar *ki32, from here
# = 1
# $ compile to_pointers "**fp32,i32"
# | atomics.py:22:5: error: atomic_add takes a pointer to i32, i64, u32, u64, fp16, bf16, fp32 or fp64, not **fp32
# |     tl.atomic_add(x_ptr, 1)
# |     ^~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:21:17: note: 'x_ptr' is a run-time scalar **fp32, from here
# = 1

# Types.
# $ compile add_of_bytes "*i8,i32"
# | atomics.py:27:5: error: atomic_add takes a pointer to i32, i64, u32, u64, fp16, bf16, fp32 or fp64, not *i8
# |     tl.atomic_add(x_ptr, 1)
# |     ^~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:26:18: note: 'x_ptr' is a run-time scalar *i8, from here
# = 1
# $ compile add_of_bools "*u1,i32"
# | atomics.py:32:5: error: atomic_add takes a pointer to i32, i64, u32, u64, fp16, bf16, fp32 or fp64, not *u1
# |     tl.atomic_add(x_ptr, 1)
# |     ^~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:31:18: note: 'x_ptr' is a run-time scalar *u1, from here
# = 1
# $ compile max_of_halves "*fp16,i32"
# | atomics.py:37:5: error: atomic_max takes a pointer to i32, i64, u32, u64, fp32 or fp64, not *fp16
# |     tl.atomic_max(x_ptr, 1.0)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:36:19: note: 'x_ptr' is a run-time scalar *fp16, from here
# = 1
# $ compile exchange_of_halves "*bf16,i32"
# | atomics.py:42:5: error: atomic_xchg takes a pointer to i32, i64, u32, u64, fp32 or fp64, not *bf16
# |     tl.atomic_xchg(x_ptr, 1.0)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:41:24: note: 'x_ptr' is a run-time scalar *bf16, from here
# = 1
# $ compile bits_of_floats "*fp32,i32"
# | atomics.py:47:5: error: atomic_and takes a pointer to i32, i64, u32 or u64, not *fp32
# |     tl.atomic_and(x_ptr, 1)
# |     ^~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:46:20: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile swap_of_bytes "*i8,i32"
# | atomics.py:52:5: error: atomic_cas takes a pointer to elements of 16, 32 or 64 bits, not *i8
# |     tl.atomic_cas(x_ptr, 0, 1)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:51:19: note: 'x_ptr' is a run-time scalar *i8, from here
# = 1
# $ compile swap_converts_nothing "*i64,i32"
# | atomics.py:57:5: error: atomic_cas converts nothing: 'cmp' is i32 and the pointer *i64; write tl.full((), x, tl.int64) or convert with .to(...)
# |     tl.atomic_cas(x_ptr, 0, 1)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:56:27: note: 'x_ptr' is a run-time scalar *i64, from here
# = 1
# $ compile swap_of_floats "*fp32,i32"
# | atomics.py:62:5: error: atomic_cas converts nothing: 'val' is i32 and the pointer *fp32; write tl.full((), x, tl.float32) or convert with .to(...)
# |     tl.atomic_cas(x_ptr, 0.0, n)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:61:20: note: 'x_ptr' is a run-time scalar *fp32, from here
# | atomics.py:61:27: note: 'n' is a run-time scalar i32, from here
# = 1

# Shapes.
# $ compile value_is_block "*fp32,i32"
# | atomics.py:67:5: error: the pointer is a scalar and the value a block i32[16]; add an offset block to the pointer
# |     tl.atomic_add(x_ptr, tl.arange(0, 16))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:66:20: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile mask_is_block "*fp32,i32"
# | atomics.py:72:5: error: the pointer is a scalar and the mask a block u1[16]; add an offset block to the pointer
# |     tl.atomic_add(x_ptr, 1, mask=tl.arange(0, 16) < n)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:71:19: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile ranks_differ "*fp32,i32"
# | atomics.py:78:5: error: the value i32[16] does not have as many axes as the pointer *fp32[16, 16]; add axes with [:, None]
# |     tl.atomic_add(x_ptr + i[:, None] + i[None, :], i)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:77:5: note: 'i' is a block i32[16], from here
# = 1
# $ compile sizes_differ "*fp32,i32"
# | atomics.py:83:5: error: shapes [8] and [16] do not broadcast: axis 0 has sizes 8 and 16
# |     tl.atomic_add(x_ptr + tl.arange(0, 16), tl.arange(0, 8))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile swap_repeats_nothing "*i32,i32"
# | atomics.py:88:5: error: atomic_cas converts nothing: 'cmp' is i32 and the pointer *i32[16]; give it the pointer's shape
# |     tl.atomic_cas(x_ptr + tl.arange(0, 16), 0, 1)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1

# Masks, orders and scopes.
# $ compile mask_of_integers "*fp32,i32"
# | atomics.py:93:5: error: a mask is made of bools, not of i32; compare, or convert with .to(tl.int1)
# |     tl.atomic_add(x_ptr, 1, mask=n)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:92:22: note: 'x_ptr' is a run-time scalar *fp32, from here
# | atomics.py:92:29: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile order_unknown "*fp32,i32"
# | atomics.py:98:5: error: sem is one of "acquire", "release", "acq_rel", "relaxed", not the string 'seq_cst'
# |     tl.atomic_add(x_ptr, 1, sem="seq_cst")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:97:19: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile scope_unknown "*fp32,i32"
# | atomics.py:103:5: error: scope is one of "gpu", "cta", "sys", not the string 'warp'
# |     tl.atomic_add(x_ptr, 1, scope="warp")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:102:19: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile swap_order_unknown "*i32,i32"
# | atomics.py:108:5: error: sem is one of "acquire", "release", "acq_rel", "relaxed", not the string 'seq_cst'
# |     tl.atomic_cas(x_ptr, 0, 1, sem="seq_cst")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | atomics.py:107:24: note: 'x_ptr' is a run-time scalar *i32, from here
# = 1
