# Hints, assertions and prints that make no sense.
import triton
import triton.language as tl


@triton.jit
def multiple_of_count(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = tl.multiple_of(q, [8, 8])


@triton.jit
def multiple_of_runtime(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = tl.multiple_of(q, tl.program_id(0))


@triton.jit
def multiple_of_zero(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = tl.multiple_of(q, 0)


@triton.jit
def max_contiguous_scalar(p, n):
    r = tl.max_contiguous(tl.program_id(0), 4)


@triton.jit
def max_constancy_text(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = tl.max_constancy(q, 'four')


@triton.jit
def assume_block(p, n):
    q = tl.load(n + tl.arange(0, 16))
    tl.assume(q > 0)


@triton.jit
def assume_integer(p, n):
    tl.assume(tl.program_id(0))


@triton.jit
def static_assert_fails(p, n):
    tl.static_assert(1 == 2)


@triton.jit
def static_assert_message(p, n):
    tl.static_assert(1 == 2, f'{1} is not {2}')


@triton.jit
def static_assert_runtime(p, n):
    tl.static_assert(tl.program_id(0) == 0)


@triton.jit
def static_assert_integer(p, n):
    tl.static_assert(1)


@triton.jit
def device_assert_message(p, n):
    q = tl.load(n + tl.arange(0, 16))
    tl.device_assert(q > 0, 5)


@triton.jit
def print_without_prefix(p, n):
    x = tl.load(p + tl.arange(0, 16))
    print(x)


@triton.jit
def print_unicode(p, n):
    x = tl.load(p + tl.arange(0, 16))
    tl.device_print('größe', x)


@triton.jit
def print_text(p, n):
    x = tl.load(p + tl.arange(0, 16))
    tl.device_print('x', 'y')


@triton.jit
def static_print_separator(p, n):
    tl.static_print(1, 2, sep=3)

# % compile() { tessera compile debugging.py --kernel-name $1 --signature "*fp32,*i32" --emit ttir -o -; }

# Hints.
# $ compile multiple_of_count
# | debugging.py:9:9: error: multiple_of takes one value for each axis: i32[16] needs 1, got 2
# |     r = tl.multiple_of(q, [8, 8])
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~
# | debugging.py:8:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile multiple_of_runtime
# | debugging.py:15:9: error: multiple_of takes a compile-time int above 0, or a list of them, not a run-time scalar i32
# |     r = tl.multiple_of(q, tl.program_id(0))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | debugging.py:14:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile multiple_of_zero
# | debugging.py:21:9: error: multiple_of takes a compile-time int above 0, or a list of them, not the int 0
# |     r = tl.multiple_of(q, 0)
# |         ^~~~~~~~~~~~~~~~~~~~
# | debugging.py:20:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile max_contiguous_scalar
# | debugging.py:26:9: error: max_contiguous is about the elements of a block, not about the scalar i32
# |     r = tl.max_contiguous(tl.program_id(0), 4)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile max_constancy_text
# | debugging.py:32:9: error: max_constancy takes a compile-time int above 0, or a list of them, not the string 'four'
# |     r = tl.max_constancy(q, 'four')
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# | debugging.py:31:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile assume_block
# | debugging.py:38:5: error: assume takes a scalar condition, not u1[16]
# |     tl.assume(q > 0)
# |     ^~~~~~~~~~~~~~~~
# = 1
# $ compile assume_integer
# | debugging.py:43:5: error: assume takes a scalar condition, not i32; compare with 0
# |     tl.assume(tl.program_id(0))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1

# Assertions.
# $ compile static_assert_fails
# | debugging.py:48:5: error: static assertion failed
# |     tl.static_assert(1 == 2)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile static_assert_message
# | debugging.py:53:5: error: static assertion failed: 1 is not 2
# |     tl.static_assert(1 == 2, f'{1} is not {2}')
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile static_assert_runtime
# | debugging.py:58:5: error: static_assert takes a compile-time condition, not a run-time scalar u1; device_assert checks at run time
# |     tl.static_assert(tl.program_id(0) == 0)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile static_assert_integer
# | debugging.py:63:5: error: static_assert takes a bool, not the int 1; write a comparison
# |     tl.static_assert(1)
# |     ^~~~~~~~~~~~~~~~~~~
# = 1
# $ compile device_assert_message
# | debugging.py:69:5: error: device_assert takes a compile-time string as message, not the int 5
# |     tl.device_assert(q > 0, 5)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1

# Printing.
# $ compile print_without_prefix
# | debugging.py:75:5: error: device_print takes a compile-time string first, not a block fp32[16]; print("x", x)
# |     print(x)
# |     ^~~~~~~~
# | debugging.py:74:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile print_unicode
# | debugging.py:81:5: error: device_print takes printable ASCII as prefix, not the string 'größe'
# |     tl.device_print('größe', x)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# | debugging.py:80:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile print_text
# | debugging.py:87:5: error: expected a number or a tensor, got the string 'y'
# |     tl.device_print('x', 'y')
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile static_print_separator
# | debugging.py:92:5: error: static_print takes a string as 'sep', not the int 3
# |     tl.static_print(1, 2, sep=3)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
