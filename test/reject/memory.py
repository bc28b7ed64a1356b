#: Loads and stores with pointers, masks and options that they do not take.
import triton
import triton.language as tl


@triton.jit
def load_number(x_ptr, n):
    tl.store(x_ptr, tl.load(n))


@triton.jit
def load_constant(x_ptr, n):
    tl.store(x_ptr, tl.load(0))


@triton.jit
def load_descriptor(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64])
    tl.store(x_ptr, tl.load(d))


@triton.jit
def store_const(x_ptr, n):
    tl.store(x_ptr, 1.0)


@triton.jit
def store_string(x_ptr, n):
    tl.store(x_ptr, "one")


@triton.jit
def mask_of_integers(x_ptr, n):
    tl.store(x_ptr, tl.load(x_ptr, mask=n))


@triton.jit
def mask_of_store(x_ptr, n):
    tl.store(x_ptr, 1.0, mask=1)


@triton.jit
def mask_is_block(x_ptr, n):
    tl.store(x_ptr, tl.load(x_ptr, mask=tl.arange(0, 16) < n))


@triton.jit
def mask_of_store_is_block(x_ptr, n):
    tl.store(x_ptr, 1.0, mask=tl.arange(0, 16) < n)


@triton.jit
def other_is_block(x_ptr, n):
    tl.store(x_ptr, tl.load(x_ptr, mask=n > 0, other=tl.arange(0, 16)))


@triton.jit
def other_without_mask(x_ptr, n):
    tl.store(x_ptr, tl.load(x_ptr, other=0.0))


@triton.jit
def other_of_other_shape(x_ptr, n):
    i = tl.arange(0, 16)
    tl.store(x_ptr, tl.load(x_ptr + i, mask=i < n, other=tl.arange(0, 8)))


@triton.jit
def store_would_grow_pointer(x_ptr, n):
    i = tl.arange(0, 16)
    tl.store(x_ptr + i, i[:, None])


@triton.jit
def load_cache_modifier(x_ptr, n):
    tl.store(x_ptr, tl.load(x_ptr, cache_modifier=".wb"))


@triton.jit
def store_cache_modifier(x_ptr, n):
    tl.store(x_ptr, 1.0, cache_modifier=".ca")


@triton.jit
def eviction_policy(x_ptr, n):
    tl.store(x_ptr, 1.0, eviction_policy="evict_soon")


@triton.jit
def volatile_at_run_time(x_ptr, n):
    tl.store(x_ptr, tl.load(x_ptr, volatile=n > 0))


@triton.jit
def boundary_of_pointers(x_ptr, n):
    i = tl.arange(0, 16)
    tl.store(x_ptr + i, tl.load(x_ptr + i, boundary_check=(0,)))


@triton.jit
def padding_of_pointers(x_ptr, n):
    tl.store(x_ptr, tl.load(x_ptr, padding_option="zero"))


@triton.jit
def boundary_of_store(x_ptr, n):
    tl.store(x_ptr, 1.0, boundary_check=(0,))

# % compile() { tessera compile memory.py --kernel-name "$1" --signature "$2" --target "${3:-cuda:90}" --emit ttir -o -; }
# Pointers.
# $ compile load_number "*fp32,i32"
# | memory.py:7:21: error: load takes a pointer or a block of pointers, not a run-time scalar i32; add the offsets to a pointer: array arguments are pointers
# |     tl.store(x_ptr, tl.load(n))
# |                     ^~~~~~~~~~
# | memory.py:6:24: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile load_constant "*fp32,i32"
# | memory.py:12:21: error: load takes a pointer or a block of pointers, not the int 0
# |     tl.store(x_ptr, tl.load(0))
# |                     ^~~~~~~~~~
# = 1
# $ compile load_descriptor "*fp32,i32"
# | memory.py:18:21: error: load takes a pointer or a block of pointers, not a tensor descriptor of fp32[64]; a descriptor has methods of its own
# |     tl.store(x_ptr, tl.load(d))
# |                     ^~~~~~~~~~
# | memory.py:17:5: note: 'd' is a tensor descriptor of fp32[64], from here
# = 1
# $ compile store_const "*kfp32,i32"
# | memory.py:23:5: error: cannot store through a pointer to const *kfp32
# |     tl.store(x_ptr, 1.0)
# |     ^~~~~~~~~~~~~~~~~~~~
# | memory.py:22:17: note: 'x_ptr' is a run-time scalar *kfp32, from here
# = 1
# $ compile store_string "*fp32,i32"
# | memory.py:28:5: error: expected a number or a tensor, got the string 'one'
# |     tl.store(x_ptr, "one")
# |     ^~~~~~~~~~~~~~~~~~~~~~
# | memory.py:27:18: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1

# Masks and other.
# $ compile mask_of_integers "*fp32,i32"
# | memory.py:33:21: error: a mask is made of bools, not of i32; compare, or convert with .to(tl.int1)
# |     tl.store(x_ptr, tl.load(x_ptr, mask=n))
# |                     ^~~~~~~~~~~~~~~~~~~~~~
# | memory.py:32:22: note: 'x_ptr' is a run-time scalar *fp32, from here
# | memory.py:32:29: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile mask_of_store "*fp32,i32"
# | memory.py:38:5: error: a mask is made of bools, not of i32; compare, or convert with .to(tl.int1)
# |     tl.store(x_ptr, 1.0, mask=1)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | memory.py:37:19: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile mask_is_block "*fp32,i32"
# | memory.py:43:21: error: the pointer is a scalar and the mask a block u1[16]; add an offset block to the pointer
# |     tl.store(x_ptr, tl.load(x_ptr, mask=tl.arange(0, 16) < n))
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | memory.py:42:19: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile mask_of_store_is_block "*fp32,i32"
# | memory.py:48:5: error: the pointer is a scalar and the mask a block u1[16]; add an offset block to the pointer
# |     tl.store(x_ptr, 1.0, mask=tl.arange(0, 16) < n)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | memory.py:47:28: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile other_is_block "*fp32,i32"
# | memory.py:53:21: error: the pointer is a scalar and 'other' a block i32[16]; add an offset block to the pointer
# |     tl.store(x_ptr, tl.load(x_ptr, mask=n > 0, other=tl.arange(0, 16)))
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | memory.py:52:20: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile other_without_mask "*fp32,i32"
# | memory.py:58:21: error: load takes 'other' only together with a mask
# |     tl.store(x_ptr, tl.load(x_ptr, other=0.0))
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~
# | memory.py:57:24: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile other_of_other_shape "*fp32,i32"
# | memory.py:64:21: error: shapes [16] and [8] do not broadcast: axis 0 has sizes 16 and 8
# |     tl.store(x_ptr, tl.load(x_ptr + i, mask=i < n, other=tl.arange(0, 8)))
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile store_would_grow_pointer "*fp32,i32"
# | memory.py:70:5: error: the value i32[16, 1] does not fit the pointer *fp32[16]; give both one shape
# |     tl.store(x_ptr + i, i[:, None])
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1

# Options.
# $ compile load_cache_modifier "*fp32,i32"
# | memory.py:75:21: error: cache_modifier is one of "", ".ca", ".cg", ".cv", not the string '.wb'
# |     tl.store(x_ptr, tl.load(x_ptr, cache_modifier=".wb"))
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | memory.py:74:25: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile store_cache_modifier "*fp32,i32"
# | memory.py:80:5: error: cache_modifier is one of "", ".wb", ".cg", ".cs", ".wt", not the string '.ca'
# |     tl.store(x_ptr, 1.0, cache_modifier=".ca")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | memory.py:79:26: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile eviction_policy "*fp32,i32"
# | memory.py:85:5: error: eviction_policy is one of "", "evict_first", "evict_last", not the string 'evict_soon'
# |     tl.store(x_ptr, 1.0, eviction_policy="evict_soon")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | memory.py:84:21: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile volatile_at_run_time "*fp32,i32"
# | memory.py:90:21: error: 'volatile' is a compile-time bool, not a run-time scalar u1
# |     tl.store(x_ptr, tl.load(x_ptr, volatile=n > 0))
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | memory.py:89:26: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile boundary_of_pointers "*fp32,i32"
# | memory.py:96:25: error: boundary_check and padding_option are for block pointers; a block of pointers takes a mask
# |     tl.store(x_ptr + i, tl.load(x_ptr + i, boundary_check=(0,)))
# |                         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile padding_of_pointers "*fp32,i32"
# | memory.py:101:21: error: boundary_check and padding_option are for block pointers; a block of pointers takes a mask
# |     tl.store(x_ptr, tl.load(x_ptr, padding_option="zero"))
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | memory.py:100:25: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile boundary_of_store "*fp32,i32"
# | memory.py:106:5: error: boundary_check and padding_option are for block pointers; a block of pointers takes a mask
# |     tl.store(x_ptr, 1.0, boundary_check=(0,))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | memory.py:105:23: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
