#: Calls of jit functions with arguments that they do not take.
import triton
import triton.language as tl

PLAIN = 8


@triton.jit
def add(x, y=2):
    return x + y


@triton.jit
def positional_only(x, /):
    return x


@triton.jit
def keyword_only(x, *, y):
    return x + y


@triton.jit
def any_number(*xs):
    return xs[0]


@triton.jit(noinline=True)
def kept(x):
    return x + 1


@triton.jit
def endless(x):
    return endless(x)


@triton.jit
def growing(x, N: tl.constexpr):
    return growing(x, N + 1)


@triton.jit
def text(x):
    return "text"


@triton.jit
def mixed(x):
    if x > 0:
        return 1
    return 1.5


@triton.jit
def counted(x):
    if x > 0:
        return x
    return x, x


@triton.jit
def dead(x, WIDE: tl.constexpr):
    if WIDE:
        return x.to(tl.int64)
    return x


@triton.jit
def innermost(x):
    return x + tl.arange(0, 7)


@triton.jit
def middle(x):
    return innermost(x) * 2


@triton.jit
def store_only(p):
    tl.store(p, 1)


@triton.constexpr_function
def twice(n):
    return n * 2


@triton.jit
def missing(p, n):
    tl.store(p, add())


@triton.jit
def surplus(p, n):
    tl.store(p, add(n, n, n))


@triton.jit
def unknown_keyword(p, n):
    tl.store(p, add(n, z=n))


@triton.jit
def given_twice(p, n):
    tl.store(p, add(n, x=n))


@triton.jit
def spread_scalar(p, n):
    tl.store(p, add(*n))


@triton.jit
def spread_keywords(p, n):
    tl.store(p, add(**n))


@triton.jit
def calls_positional_only(p, n):
    tl.store(p, positional_only(n))


@triton.jit
def calls_keyword_only(p, n):
    tl.store(p, keyword_only(n, y=n))


@triton.jit
def calls_any_number(p, n):
    tl.store(p, any_number(n, n))


@triton.jit
def calls_scalar(p, n):
    tl.store(p, n(3))


@triton.jit
def calls_module(p, n):
    tl.store(p, tl(n))


@triton.jit
def calls_type(p, n):
    tl.store(p, tl.float32(n))


@triton.jit
def block_for_noinline(p, n):
    i = tl.arange(0, 8)
    tl.store(p + i, kept(i))


@triton.jit
def recursion(p, n):
    tl.store(p, endless(n))


@triton.jit
def growing_recursion(p, n):
    tl.store(p, growing(n, 0))


@triton.jit
def returned_text(p, n):
    text(n)


@triton.jit
def returned_types(p, n):
    tl.store(p, mixed(n))


@triton.jit
def returned_counts(p, n):
    tl.store(p, counted(n)[0])


@triton.jit
def returned_dead(p, n):
    tl.store(p, dead(n, True))


@triton.jit
def returned_nothing(p, n):
    tl.store(p, store_only(p))


@triton.jit
def returned_constant(p, n):
    tl.store(p + tl.arange(0, add(4, 4)), n)


@triton.jit
def chain(p, n):
    tl.store(p, middle(n))


@triton.jit
def library(p, n):
    i = tl.arange(0, 8)
    tl.store(p, tl.sum(i, axis=3))


@triton.jit
def tensor_at_compile_time(p, n):
    tl.store(p, twice(n))


@triton.jit
def python_function(p, n):
    tl.store(p, abs(n))


@triton.jit
def python_class(p, n):
    for i in enumerate((n, n)):
        tl.store(p, n)


@triton.jit
def plain_global(p, n):
    tl.store(p, PLAIN)


@triton.jit
def misspelt_local(p, n):
    offset = n * 2
    tl.store(p + ofset, n)


@triton.jit
def missing_attribute(p, n):
    tl.store(p, n.flatten())

# % compile() { tessera compile calls.py --kernel-name "$1" --signature "$2" --emit ttir -o -; }
# Arguments.
# $ compile missing "*i32,i32"
# | calls.py:90:17: error: 'add' needs 'x'; it takes x, y=
# |     tl.store(p, add())
# |                 ^~~~~
# = 1
# $ compile surplus "*i32,i32"
# | calls.py:95:27: error: 'add' takes 2 arguments: x, y=
# |     tl.store(p, add(n, n, n))
# |                           ^
# = 1
# $ compile unknown_keyword "*i32,i32"
# | calls.py:100:24: error: 'add' has no parameter 'z'; it takes x, y=
# |     tl.store(p, add(n, z=n))
# |                        ^~~
# = 1
# $ compile given_twice "*i32,i32"
# | calls.py:105:24: error: 'add' got two values for 'x'
# |     tl.store(p, add(n, x=n))
# |                        ^~~
# = 1
# $ compile spread_scalar "*i32,i32"
# | calls.py:110:21: error: '*' unpacks a tuple, not a run-time scalar i32
# |     tl.store(p, add(*n))
# |                     ^~
# = 1
# $ compile spread_keywords "*i32,i32"
# | calls.py:115:21: error: '**' in a call is not part of the kernel language
# |     tl.store(p, add(**n))
# |                     ^~~
# = 1

# Parameters that a jit function cannot have.
# $ compile calls_positional_only "*i32,i32"
# | calls.py:13:21: error: a jit function has no positional-only parameters; drop the '/'
# | def positional_only(x, /):
# |                     ^
# = 1
# $ compile calls_keyword_only "*i32,i32"
# | calls.py:18:24: error: a jit function has no keyword-only parameters; drop the '*'
# | def keyword_only(x, *, y):
# |                        ^
# = 1
# $ compile calls_any_number "*i32,i32"
# | calls.py:23:17: error: a jit function has a fixed list of parameters, without * and **
# | def any_number(*xs):
# |                 ^~
# = 1

# What can be called.
# $ compile calls_scalar "*i32,i32"
# | calls.py:135:17: error: a run-time scalar i32 is not callable
# |     tl.store(p, n(3))
# |                 ^~~~
# = 1
# $ compile calls_module "*i32,i32"
# | calls.py:140:17: error: the module triton.language is not callable
# |     tl.store(p, tl(n))
# |                 ^~~~~
# | calls.py:139:21: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile calls_type "*i32,i32"
# | calls.py:145:17: error: a dtype is not callable; write x.to(tl.float32)
# |     tl.store(p, tl.float32(n))
# |                 ^~~~~~~~~~~~~
# | calls.py:144:19: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile block_for_noinline "*i32,i32"
# | calls.py:151:21: error: 'kept' is noinline and takes scalars, but 'x' is a block i32[8]; drop noinline=True
# |     tl.store(p + i, kept(i))
# |                     ^~~~~~~
# = 1
# $ compile recursion "*i32,i32"
# | calls.py:34:12: error: 'endless' calls itself with the same types and constants, which would never end
# |     return endless(x)
# |            ^~~~~~~~~~
# | calls.py:156:17: note: in the call of 'endless' here
# = 1
# $ compile growing_recursion "*i32,i32" 2>&1 | grep -o "error: this is nested too deeply"
# | error: this is nested too deeply
# = 0
# $ compile tensor_at_compile_time "*i32,i32"
# | calls.py:85:12: error: code that runs at compile time cannot compute with a run-time scalar i32; only @triton.jit functions can
# |     return n * 2
# |            ^~~~~
# | calls.py:207:17: note: in the call of 'twice' here
# = 1
# $ compile python_function "*i32,i32"
# | calls.py:212:17: error: Python's 'abs' is not part of the kernel language; use tl.abs
# |     tl.store(p, abs(n))
# |                 ^~~
# = 1
# $ compile python_class "*i32,i32"
# | calls.py:217:14: error: Python's 'enumerate' is not part of the kernel language: kernels compute with numbers, tensors and tuples
# |     for i in enumerate((n, n)):
# |              ^~~~~~~~~
# = 1

# What comes back.
# $ compile returned_text "*i32,i32"
# | calls.py:44:5: error: the string 'text' cannot be returned; functions return tensors, tuples and dtypes
# |     return "text"
# |     ^~~~~~~~~~~~~
# | calls.py:166:5: note: in the call of 'text' here
# = 1
# $ compile returned_types "*i32,i32"
# | calls.py:51:5: error: this returns fp32, and another 'return' of the function i32; all have one type, also those behind a compile-time 'if' unless in its 'else'
# |     return 1.5
# |     ^~~~~~~~~~
# | calls.py:50:9: note: the other 'return'
# | calls.py:171:17: note: in the call of 'mixed' here
# = 1
# $ compile returned_counts "*i32,i32"
# | calls.py:58:5: error: this returns (i32, i32), and another 'return' of the function i32; all have one type
# |     return x, x
# |     ^~~~~~~~~~~
# | calls.py:57:9: note: the other 'return'
# | calls.py:176:17: note: in the call of 'counted' here
# = 1
# $ compile returned_dead "*i32,i32"
# | calls.py:65:5: error: this returns i32, and another 'return' of the function i64; all have one type, also those behind a compile-time 'if' unless in its 'else'
# |     return x
# |     ^~~~~~~~
# | calls.py:64:9: note: the other 'return'
# | calls.py:181:17: note: in the call of 'dead' here
# = 1
# $ compile returned_nothing "*i32,i32"
# | calls.py:186:5: error: expected a number or a tensor, got None
# |     tl.store(p, store_only(p))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
# | calls.py:185:22: note: 'p' is a run-time scalar *i32, from here
# = 1
# $ compile returned_constant "*i32,i32"
# | calls.py:191:18: error: arange takes compile-time ints, not a run-time scalar i32; make it a tl.constexpr parameter
# |     tl.store(p + tl.arange(0, add(4, 4)), n)
# |                  ^~~~~~~~~~~~~~~~~~~~~~~
# = 1

# Where: the place, then each call on the way. An error inside the library is the caller's.
# $ compile chain "*i32,i32"
# | calls.py:70:16: error: arange's length must be a power of two, got 7; next_power_of_2(7) is 8, with a mask for the rest
# |     return x + tl.arange(0, 7)
# |                ^~~~~~~~~~~~~~~
# | calls.py:75:12: note: in the call of 'innermost' here
# | calls.py:196:17: note: in the call of 'middle' here
# = 1
# $ compile library "*i32,i32"
# | calls.py:202:17: error: tl.sum: reduce takes an axis of i32[8], from -1 to 0, not the int 3
# |     tl.store(p, tl.sum(i, axis=3))
# |                 ^~~~~~~~~~~~~~~~~
# | calls.py:201:5: note: 'i' is a block i32[8], from here
# = 1

# Names.
# $ compile plain_global "*i32,i32"
# | calls.py:223:17: error: 'PLAIN' cannot be used in a kernel (line 4: a plain global; kernels read globals only as constants, so write PLAIN = tl.constexpr(...))
# |     tl.store(p, PLAIN)
# |                 ^~~~~
# = 1
# $ compile misspelt_local "*i32,i32"
# | calls.py:229:18: error: 'ofset' is not defined; did you mean 'offset'?
# |     tl.store(p + ofset, n)
# |                  ^~~~~
# = 1
# $ compile missing_attribute "*i32,i32"
# | calls.py:234:17: error: a tensor has no attribute 'flatten'; tl.reshape(x, shape) gives it another shape
# |     tl.store(p, n.flatten())
# |                 ^~~~~~~~~
# = 1
