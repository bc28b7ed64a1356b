#: Assignments and other statements that the kernel language refuses.
import triton
import triton.language as tl


@triton.jit
def chained_assignment(p, n):
    a = b = n
    tl.store(p, a + b)


@triton.jit
def too_many_values(p, n):
    a, b = n, 2, 3
    tl.store(p, a + b)


@triton.jit
def too_few_values(p, n):
    a, b, c = n, 2
    tl.store(p, a + b + c)


@triton.jit
def nested_unpacking(p, n):
    (a, b), c = (n, n, n), n
    tl.store(p, a + b + c)


@triton.jit
def unpacked_scalar(p, n):
    a, b = n
    tl.store(p, a + b)


@triton.jit
def starred_target(p, n):
    a, *b = n, 2
    tl.store(p, a)


@triton.jit
def bracketed_targets(p, n):
    [a, b] = n, 2
    tl.store(p, a + b)


@triton.jit
def attribute_target(p, n):
    n.value = 3
    tl.store(p, n)


@triton.jit
def element_target(p, n):
    t = (n, n)
    t[0] = 3
    tl.store(p, t[0])


@triton.jit
def augmented_element(p, n):
    t = (n, n)
    t[0] += 3
    tl.store(p, t[0])


@triton.jit
def text_variable(p, n):
    mode = "relu"
    tl.store(p, n)


@triton.jit
def function_variable(p, n):
    f = tl.exp
    tl.store(p, n)


@triton.jit
def integer_too_wide(p, n):
    x = 2**64
    tl.store(p, n)


@triton.jit
def run_time_constexpr(p, n):
    SIZE: tl.constexpr = n * 2
    tl.store(p + tl.arange(0, SIZE), 1)


@triton.jit
def constexpr_twice(p, n):
    SIZE: tl.constexpr = 8
    SIZE: tl.constexpr = 16
    tl.store(p + tl.arange(0, SIZE), n)


@triton.jit
def constexpr_after_variable(p, n):
    size = 8
    size: tl.constexpr = 16
    tl.store(p + tl.arange(0, size), n)


@triton.jit
def annotated_element(p, n):
    t = (n, n)
    t[0]: tl.constexpr = 3
    tl.store(p, n)


@triton.jit
def shape_from_variable(p, n):
    shape = (4, 4)
    tl.store(p, tl.sum(tl.zeros(shape, tl.int32)))


@triton.jit
def unused_advance(p, n):
    block = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.advance(block, (16,))
    tl.store(block, tl.arange(0, 16))


@triton.jit
def several_errors(p, n):
    a = nowhere
    b = a + 1
    c = nobody
    tl.store(p, b + c)
    tl.store(p, n @ n)

# % compile() { tessera compile statements.py --kernel-name "$1" --signature "$2" --emit ttir -o -; }
# Assignments.
# $ compile chained_assignment "*i32,i32"
# | statements.py:7:5: error: a chained assignment is not part of the kernel language; write one a line
# |     a = b = n
# |     ^~~~~~~~~
# = 1
# $ compile too_many_values "*i32,i32"
# | statements.py:13:5: error: cannot unpack a tuple of 3 into 2 names
# |     a, b = n, 2, 3
# |     ^~~~
# = 1
# $ compile too_few_values "*i32,i32"
# | statements.py:19:5: error: cannot unpack a tuple of 2 into 3 names
# |     a, b, c = n, 2
# |     ^~~~~~~
# = 1
# $ compile nested_unpacking "*i32,i32"
# | statements.py:25:5: error: cannot unpack a tuple of 3 into 2 names
# |     (a, b), c = (n, n, n), n
# |     ^~~~~~
# = 1
# $ compile unpacked_scalar "*i32,i32"
# | statements.py:31:5: error: cannot unpack a run-time scalar i32
# |     a, b = n
# |     ^~~~
# = 1
# $ compile starred_target "*i32,i32"
# | statements.py:37:8: error: a starred target is not part of the kernel language; name each element
# |     a, *b = n, 2
# |        ^~
# = 1
# $ compile bracketed_targets "*i32,i32"
# | statements.py:43:5: error: targets in brackets are not part of the kernel language; write a, b = ...
# |     [a, b] = n, 2
# |     ^~~~~~
# = 1
# $ compile attribute_target "*i32,i32"
# | statements.py:49:5: error: tensors and objects cannot be modified in place; assign to a name, or use tl.store
# |     n.value = 3
# |     ^~~~~~~
# = 1
# $ compile element_target "*i32,i32"
# | statements.py:56:5: error: tensors and objects cannot be modified in place; assign to a name, or use tl.store
# |     t[0] = 3
# |     ^~~~
# = 1
# $ compile augmented_element "*i32,i32"
# | statements.py:63:5: error: tensors and objects cannot be modified in place; assign to a name, or use tl.store
# |     t[0] += 3
# |     ^~~~
# = 1

# What a variable may hold.
# $ compile text_variable "*i32,i32"
# | statements.py:69:12: error: the string 'relu' cannot be assigned to a variable; declare a constant with 'name: tl.constexpr = ...'
# |     mode = "relu"
# |            ^~~~~~
# = 1
# $ compile function_variable "*i32,i32"
# | statements.py:75:9: error: the function tl.exp cannot be assigned to a variable; declare a constant with 'name: tl.constexpr = ...'
# |     f = tl.exp
# |         ^~~~~~
# = 1
# $ compile integer_too_wide "*i32,i32"
# | statements.py:81:9: error: the int 18446744073709551616 does not fit in 64 bits
# |     x = 2**64
# |         ^~~~~
# = 1
# $ compile run_time_constexpr "*i32,i32"
# | statements.py:88:18: error: arange takes compile-time ints, not a run-time scalar i32; make it a tl.constexpr parameter
# |     tl.store(p + tl.arange(0, SIZE), 1)
# |                  ^~~~~~~~~~~~~~~~~~
# | statements.py:87:5: note: 'SIZE' is a run-time scalar i32, from here
# = 1
# $ compile constexpr_twice "*i32,i32"
# | statements.py:94:5: error: 'SIZE' is already defined, and a tl.constexpr is defined once; choose another name
# |     SIZE: tl.constexpr = 16
# |     ^~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile constexpr_after_variable "*i32,i32"
# | statements.py:101:5: error: 'size' is already defined, and a tl.constexpr is defined once; choose another name
# |     size: tl.constexpr = 16
# |     ^~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile annotated_element "*i32,i32"
# | statements.py:108:5: error: only a name can be declared with an annotation
# |     t[0]: tl.constexpr = 3
# |     ^~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile shape_from_variable "*i32,i32"
# | statements.py:115:24: error: tl.zeros: a shape is made of compile-time ints, not of a run-time scalar i32; make it a tl.constexpr parameter
# |     tl.store(p, tl.sum(tl.zeros(shape, tl.int32)))
# |                        ^~~~~~~~~~~~~~~~~~~~~~~~~
# | statements.py:114:5: note: 'shape' is the tuple (i32, i32), from here
# = 1

# Results that must be used.
# $ compile unused_advance "*i32,i32"
# | statements.py:121:5: error: the result of advance is not used; it changes nothing, so write x = advance(...)
# |     tl.advance(block, (16,))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~
# = 1

# Each mistake is reported once, and none that follows from another.
# $ compile several_errors "*i32,i32"
# | statements.py:127:9: error: 'nowhere' is not defined
# |     a = nowhere
# |         ^~~~~~~
# | statements.py:129:9: error: 'nobody' is not defined
# |     c = nobody
# |         ^~~~~~
# | statements.py:131:17: error: operator '@' does not take a run-time scalar i32 and a run-time scalar i32; use tl.dot
# |     tl.store(p, n @ n)
# |                 ^~~~~
# | statements.py:126:23: note: 'n' is a run-time scalar i32, from here
# = 1
