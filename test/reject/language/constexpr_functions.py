#: Python that runs at compile time and fails there.
import triton
import triton.language as tl


@triton.constexpr_function
def divide(a, b):
    return a // b


@triton.constexpr_function
def check(n):
    if n & (n - 1):
        raise ValueError(f"{n} is no power of two")
    return n


@triton.constexpr_function
def spin():
    while True:
        pass


@triton.constexpr_function
def forever(n):
    return forever(n + 1)


@triton.constexpr_function
def grows():
    text = "x"
    while True:
        text += text


@triton.constexpr_function
def asserts(n):
    assert n > 100, "too small"


@triton.constexpr_function
def unknown(d):
    return d["b"] + undefined_name


@triton.jit
def device(x):
    return x


@triton.constexpr_function
def calls_device(x):
    return device(x)


@triton.jit
def values(p, n):
    tl.store(p, divide(1, 0))
    tl.store(p, divide(n, 2))
    tl.store(p, check(48))
    asserts(3)
    tl.store(p, unknown(3))
    tl.store(p, calls_device(1))
    tl.store(p, divide(1))
    tl.store(p, divide(1, 2, c=3))


@triton.jit
def endless(p, WHICH: tl.constexpr):
    if WHICH == 0:
        tl.store(p, spin())
    if WHICH == 1:
        tl.store(p, forever(0))
    if WHICH == 2:
        tl.store(p, grows())


@triton.jit
def kernel_forms(p, A: tl.constexpr):
    tl.store(p, {"a": 1}["a"])
    tl.store(p, [i for i in (1, 2) for j in (1, 2)][0])
    tl.store(p, sum([1, 2]))
    tl.store(p, 1 if 0 < A < 9 else 2)
    tl.store(p, A in (1, 2))
    f = lambda x: x
    tl.store(p, (y := 5))


# What goes wrong inside, with the call that led there.
# $ tessera compile constexpr_functions.py -n values -s "*i32,i32" --emit ttir -o -
# | constexpr_functions.py:7:12: error: division of a compile-time value by zero
# |     return a // b
# |            ^~~~~~
# | constexpr_functions.py:57:17: note: in the call of 'divide' here
# | constexpr_functions.py:7:12: error: code that runs at compile time cannot compute with a run-time scalar i32; only @triton.jit functions can
# |     return a // b
# |            ^~~~~~
# | constexpr_functions.py:58:17: note: in the call of 'divide' here
# | constexpr_functions.py:13:9: error: ValueError: 48 is no power of two
# |         raise ValueError(f"{n} is no power of two")
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | constexpr_functions.py:59:17: note: in the call of 'check' here
# | constexpr_functions.py:37:5: error: assertion failed: too small
# |     assert n > 100, "too small"
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# | constexpr_functions.py:60:5: note: in the call of 'asserts' here
# | constexpr_functions.py:42:12: error: the int 3 cannot be indexed
# |     return d["b"] + undefined_name
# |            ^~~~~~
# | constexpr_functions.py:61:17: note: in the call of 'unknown' here
# | constexpr_functions.py:52:12: error: the jit function 'device' cannot be called at compile time; only other jit functions can
# |     return device(x)
# |            ^~~~~~~~~
# | constexpr_functions.py:62:17: note: in the call of 'calls_device' here
# | constexpr_functions.py:63:17: error: 'divide' needs 'b'
# |     tl.store(p, divide(1))
# |                 ^~~~~~~~~
# | constexpr_functions.py:63:17: note: in the call of 'divide' here
# | constexpr_functions.py:64:30: error: 'divide' has no parameter 'c'
# |     tl.store(p, divide(1, 2, c=3))
# |                              ^~~
# | constexpr_functions.py:64:17: note: in the call of 'divide' here
# = 1

# What would never end, or grow without end.
# $ tessera compile constexpr_functions.py -n endless -s "*i32,0" --emit ttir -o -
# | constexpr_functions.py:19:5: error: this takes more than 500000 statements at compile time; loop at run time, over range or tl.range
# |     while True:
# |     ^~~~~~~~~~~
# | constexpr_functions.py:70:21: note: in the call of 'spin' here
# = 1
# $ tessera compile constexpr_functions.py -n endless -s "*i32,1" --emit ttir -o -
# | constexpr_functions.py:25:12: error: this is nested too deeply: more than 400 calls within calls at compile time
# |     return forever(n + 1)
# |            ^~~~~~~~~~~~~~
# | constexpr_functions.py:25:12: note: in the call of 'forever' here
# | constexpr_functions.py:72:21: note: in the call of 'forever' here
# = 1
# $ tessera compile constexpr_functions.py -n endless -s "*i32,2" --emit ttir -o -
# | constexpr_functions.py:32:9: error: this text is too long to compute with
# |         text += text
# |         ^~~~~~~~~~~~
# | constexpr_functions.py:74:21: note: in the call of 'grows' here
# = 1

# Kernels do not have these forms; only code that runs at compile time does.
# $ tessera compile constexpr_functions.py -n kernel_forms -s "*i32,4" --emit ttir -o -
# | constexpr_functions.py:79:17: error: a dict is not part of the kernel language; use a tuple
# |     tl.store(p, {"a": 1}["a"])
# |                 ^~~~~~~~
# | constexpr_functions.py:80:17: error: a list comprehension has one 'for' in the kernel language
# |     tl.store(p, [i for i in (1, 2) for j in (1, 2)][0])
# |                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | constexpr_functions.py:81:17: error: Python's 'sum' is not part of the kernel language; use tl.sum
# |     tl.store(p, sum([1, 2]))
# |                 ^~~
# | constexpr_functions.py:82:22: error: a chained comparison is not part of the kernel language; write (a < b) & (b < c)
# |     tl.store(p, 1 if 0 < A < 9 else 2)
# |                      ^~~~~~~~~
# | constexpr_functions.py:83:17: error: 'in' is not part of the kernel language; compare with each element
# |     tl.store(p, A in (1, 2))
# |                 ^~~~~~~~~~~
# | constexpr_functions.py:84:9: error: a lambda is not part of the kernel language; define a function with @triton.jit beside the kernel
# |     f = lambda x: x
# |         ^~~~~~~~~~~
# | constexpr_functions.py:85:18: error: an assignment expression (:=) is not part of the kernel language; assign in a statement of its own
# |     tl.store(p, (y := 5))
# |                  ^~~~~~
# = 1
