#: Expressions of Python that are not part of the kernel language.
import triton
import triton.language as tl


@triton.jit
def set_display(p, n):
    tl.store(p, {n})


@triton.jit
def generator_expression(p, n):
    t = (v for v in (1, 2))
    tl.store(p, n)


@triton.jit
def starred_display(p, n):
    t = (n, n)
    u = (*t, 3)
    tl.store(p, u[0])


@triton.jit
def two_generators(p, n):
    t = [v * w for v in (1, 2) for w in (n, n)]
    tl.store(p, t[0])


@triton.jit
def comprehension_of_block(p, n):
    t = [v for v in tl.arange(0, 4)]
    tl.store(p, t[0])


@triton.jit
def run_time_filter(p, n):
    t = [v for v in (n, n) if v > 0]
    tl.store(p, t[0])


@triton.jit
def text_of_tensor(p, n):
    tl.static_print(f"n is {n}")


@triton.jit
def complex_number(p, n):
    tl.store(p, 1j)


@triton.jit
def power_of_tensor(p, n):
    tl.store(p, n**2)


@triton.jit
def matrix_product(p, n):
    tl.store(p, n @ n)


@triton.jit
def plus_tensor(p, n):
    tl.store(p, +n)


@triton.jit
def minus_pointer(p, n):
    tl.store(-p, n)


@triton.jit
def not_integer(p, n):
    tl.store(p, not n)


@triton.jit
def invert_float(p, x):
    tl.store(p, ~x)


@triton.jit
def and_integer(p, n):
    if n > 0 and n:
        tl.store(p, n)


@triton.jit
def tuple_plus_scalar(p, n):
    t = (n, n) + n
    tl.store(p, t[0])


@triton.jit
def membership(p, n):
    if n in (1, 2):
        tl.store(p, n)


@triton.jit
def equal_none(p, n):
    if n == None:
        tl.store(p, n)


@triton.jit
def equal_text(p, n):
    if n == "a":
        tl.store(p, n)


@triton.jit
def equal_tuples(p, n):
    tl.store(p, (n, 1) == (n, 1))


@triton.jit
def compare_shapes(p, n):
    a = tl.arange(0, 8)
    b = tl.arange(0, 16)
    tl.store(p + a, a < b)


@triton.jit
def compare_pointers(p, q):
    tl.store(p, p < q)


@triton.jit
def conditional_types(p, n):
    x = n if n > 0 else 1.0
    tl.store(p, x)


@triton.jit
def conditional_block(p, n):
    i = tl.arange(0, 8)
    tl.store(p + i, i if i > 3 else -i)


@triton.jit
def conditional_text(p, n):
    tl.store(p, n if "yes" else 3)


@triton.jit
def index_with_integer(p, n):
    i = tl.arange(0, 8)
    tl.store(p, i[0])


@triton.jit
def index_with_range(p, n):
    i = tl.arange(0, 8)
    tl.store(p, i[0:4])


@triton.jit
def index_with_ellipsis(p, n):
    i = tl.arange(0, 8)
    tl.store(p + i, i[..., None])


@triton.jit
def tuple_run_time_index(p, n):
    t = (n, n)
    tl.store(p, t[n])


@triton.jit
def tuple_index_outside(p, n):
    t = (n, n)
    tl.store(p, t[2])


@triton.jit
def tuple_slice_step(p, n):
    t = (n, n)
    tl.store(p, t[::0][0])


@triton.jit
def constant_division(p, n):
    tl.store(p, n + 1 // 0)


@triton.jit
def constant_shift(p, n):
    tl.store(p, n + (1 << -1))


@triton.jit
def constant_too_large(p, n):
    tl.store(p, n + 10**10**10)

# % compile() { tessera compile expressions.py --kernel-name "$1" --signature "$2" --emit ttir -o -; }
# Displays.
# $ compile set_display "*i32,i32"
# | expressions.py:7:17: error: a set is not part of the kernel language; use a tuple
# |     tl.store(p, {n})
# |                 ^~~
# = 1
# $ compile generator_expression "*i32,i32"
# | expressions.py:12:9: error: a generator expression is not part of the kernel language; use a tuple
# |     t = (v for v in (1, 2))
# |         ^~~~~~~~~~~~~~~~~~~
# = 1
    tl.store(p, n)
# |                 ^~~
# = 1
# $ compile starred_display "*i32,i32"
# | expressions.py:19:10: error: a starred expression is not part of the kernel language
# |     u = (*t, 3)
# |          ^~
# = 1
# $ compile two_generators "*i32,i32"
# | expressions.py:25:9: error: a list comprehension has one 'for' in the kernel language
# |     t = [v * w for v in (1, 2) for w in (n, n)]
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile comprehension_of_block "*i32,i32"
# | expressions.py:31:9: error: cannot loop over a block i32[4]
# |     t = [v for v in tl.arange(0, 4)]
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile run_time_filter "*i32,i32"
# | expressions.py:37:31: error: the 'if' of a list comprehension is known at compile time
# |     t = [v for v in (n, n) if v > 0]
# |                               ^~~~~
# = 1
# $ compile text_of_tensor "*i32,i32"
# | expressions.py:43:28: error: an f-string is made at compile time, and this is a run-time scalar i32; tl.device_print prints it
# |     tl.static_print(f"n is {n}")
# |                            ^~~
# = 1
# $ compile complex_number "*i32,i32"
# | expressions.py:48:17: error: complex numbers are not part of the kernel language
# |     tl.store(p, 1j)
# |                 ^~
# = 1

# Operators.
# $ compile power_of_tensor "*i32,i32"
# | expressions.py:53:17: error: operator '**' does not take a run-time scalar i32 and the int 2; it is for compile-time values only: write x * x, or tl.exp2(y * tl.log2(x))
# |     tl.store(p, n**2)
# |                 ^~~~
# | expressions.py:52:24: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile matrix_product "*i32,i32"
# | expressions.py:58:17: error: operator '@' does not take a run-time scalar i32 and a run-time scalar i32; use tl.dot
# |     tl.store(p, n @ n)
# |                 ^~~~~
# | expressions.py:57:23: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile plus_tensor "*i32,i32"
# | expressions.py:63:17: error: unary '+' does not take a run-time scalar i32
# |     tl.store(p, +n)
# |                 ^~
# = 1
# $ compile minus_pointer "*i32,i32"
# | expressions.py:68:14: error: unary '-' does not take a run-time scalar *i32
# |     tl.store(-p, n)
# |              ^~
# = 1
# $ compile not_integer "*i32,i32"
# | expressions.py:73:17: error: 'not' takes a bool, not a run-time scalar i32; compare with 0
# |     tl.store(p, not n)
# |                 ^~~~~
# = 1
# $ compile invert_float "*fp32,fp32"
# | expressions.py:78:17: error: '~' takes integers, not a run-time scalar fp32
# |     tl.store(p, ~x)
# |                 ^~
# = 1
# $ compile and_integer "*i32,i32"
# | expressions.py:83:18: error: 'and' takes bools, not a run-time scalar i32; compare with 0
# |     if n > 0 and n:
# |                  ^
# = 1
# $ compile tuple_plus_scalar "*i32,i32"
# | expressions.py:89:9: error: operator '+' does not take a tuple of 2 and a run-time scalar i32
# |     t = (n, n) + n
# |         ^~~~~~~~~~
# | expressions.py:88:26: note: 'n' is a run-time scalar i32, from here
# = 1

# Comparisons.
# $ compile membership "*i32,i32"
# | expressions.py:95:8: error: 'in' is not part of the kernel language; compare with each element
# |     if n in (1, 2):
# |        ^~~~~~~~~~~
# | expressions.py:94:19: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile equal_none "*i32,i32"
# | expressions.py:101:8: error: operator '==' does not take a run-time scalar i32 and None; 'is None' asks whether an argument was given
# |     if n == None:
# |        ^~~~~~~~~
# | expressions.py:100:19: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile equal_text "*i32,i32"
# | expressions.py:107:8: error: expected a number or a tensor, got the string 'a'
# |     if n == "a":
# |        ^~~~~~~~
# | expressions.py:106:19: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile equal_tuples "*i32,i32"
# | expressions.py:113:17: error: tuples are compared at compile time, and (i32, 1) holds run-time values; compare the elements
# |     tl.store(p, (n, 1) == (n, 1))
# |                 ^~~~~~~~~~~~~~~~
# = 1
# $ compile compare_shapes "*i32,i32"
# | expressions.py:120:21: error: shapes [8] and [16] do not broadcast: axis 0 has sizes 8 and 16
# |     tl.store(p + a, a < b)
# |                     ^~~~~
# | expressions.py:118:5: note: 'a' is a block i32[8], from here
# | expressions.py:119:5: note: 'b' is a block i32[16], from here
# = 1
# $ compile compare_pointers "*i32,*i32"
# | expressions.py:125:17: error: operator '<' does not take a run-time scalar *i32 and a run-time scalar *i32; tl.load reads what a pointer points to, .to(tl.int64) gives its address
# |     tl.store(p, p < q)
# |                 ^~~~~
# | expressions.py:124:22: note: 'p' is a run-time scalar *i32, from here
# | expressions.py:124:25: note: 'q' is a run-time scalar *i32, from here
# = 1

# Conditional expressions.
# $ compile conditional_types "*i32,i32"
# | expressions.py:130:9: error: the two sides of a conditional expression with a run-time condition have one type, and these are i32 and fp32
# |     x = n if n > 0 else 1.0
# |         ^~~~~~~~~~~~~~~~~~~
# = 1
# $ compile conditional_block "*i32,i32"
# | expressions.py:137:26: error: the block u1[8] has no single truth value; reduce it (tl.max, tl.sum), or choose element by element with tl.where
# |     tl.store(p + i, i if i > 3 else -i)
# |                          ^~~~~
# = 1
# $ compile conditional_text "*i32,i32"
# | expressions.py:142:22: error: the condition of an 'if' is a bool, an int or None, not the string 'yes'; write a comparison
# |     tl.store(p, n if "yes" else 3)
# |                      ^~~~~
# = 1

# Subscripts.
# $ compile index_with_integer "*i32,i32"
# | expressions.py:148:17: error: a tensor is indexed with None and ':' only, not with the int 0; tl.gather picks elements
# |     tl.store(p, i[0])
# |                 ^~~~
# = 1
# $ compile index_with_range "*i32,i32"
# | expressions.py:154:17: error: a tensor is indexed with None and ':' only, not with a slice; tl.gather picks elements
# |     tl.store(p, i[0:4])
# |                 ^~~~~~
# = 1
# $ compile index_with_ellipsis "*i32,i32"
# | expressions.py:160:21: error: a tensor is indexed with None and ':' only, not with ...; write one ':' for each axis
# |     tl.store(p + i, i[..., None])
# |                     ^~~~~~~~~~~~
# = 1
# $ compile tuple_run_time_index "*i32,i32"
# | expressions.py:166:17: error: a tuple is indexed with a compile-time int, not with a run-time scalar i32
# |     tl.store(p, t[n])
# |                 ^~~~
# = 1
# $ compile tuple_index_outside "*i32,i32"
# | expressions.py:172:17: error: index 2 is outside a tuple of 2
# |     tl.store(p, t[2])
# |                 ^~~~
# = 1
# $ compile tuple_slice_step "*i32,i32"
# | expressions.py:178:17: error: the step of a slice cannot be 0
# |     tl.store(p, t[::0][0])
# |                 ^~~~~~
# = 1

# Compile-time arithmetic.
# $ compile constant_division "*i32,i32"
# | expressions.py:183:21: error: division of a compile-time value by zero
# |     tl.store(p, n + 1 // 0)
# |                     ^~~~~~
# = 1
# $ compile constant_shift "*i32,i32"
# | expressions.py:188:22: error: operator '<<' cannot be evaluated for the int 1 and the int -1
# |     tl.store(p, n + (1 << -1))
# |                      ^~~~~~~
# = 1
# $ compile constant_too_large "*i32,i32"
# | expressions.py:193:21: error: operator '**' cannot be evaluated for the int 10 and the int 10000000000
# |     tl.store(p, n + 10**10**10)
# |                     ^~~~~~~~~~
# = 1
