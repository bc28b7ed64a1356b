#: Statements and definitions of Python that are not part of the kernel language.
import numpy as np
import torch
import triton
import triton.language as tl

TABLE = [1, 2, 3]
SETTINGS = {"block": 64}


def on_the_host(x):
    return x + 1


@triton.jit
def with_statement(x_ptr):
    with open("file") as f:
        tl.store(x_ptr, 1.0)


@triton.jit
def try_statement(x_ptr):
    try:
        tl.store(x_ptr, 1.0)
    except ValueError:
        pass


@triton.jit
def raise_statement(x_ptr):
    raise ValueError("no")


@triton.jit
def while_else(x_ptr):
    while tl.load(x_ptr) > 0:
        tl.store(x_ptr, 0.0)
    else:
        pass


@triton.jit
def generator(x_ptr):
    yield tl.load(x_ptr)


@triton.jit
def lambda_expression(x_ptr):
    f = lambda a: a + 1
    tl.store(x_ptr, f(1.0))


@triton.jit
def comprehension(x_ptr):
    values = {k: 1 for k in range(3)}
    tl.store(x_ptr, values[0])


@triton.jit
def dictionary(x_ptr):
    d = {"a": 1}
    tl.store(x_ptr, d["a"])


@triton.jit
def nested_function(x_ptr):
    def inner(a):
        return a
    tl.store(x_ptr, inner(1.0))


@triton.jit
def class_inside(x_ptr):
    class C:
        pass


@triton.jit
def global_statement(x_ptr):
    global TABLE
    TABLE = 3


@triton.jit
def delete_statement(x_ptr):
    a = 1
    del a


@triton.jit
def import_inside(x_ptr):
    import math
    tl.store(x_ptr, math.pi)


@triton.jit
def host_function(x_ptr):
    tl.store(x_ptr, on_the_host(1.0))


@triton.jit
def host_library(x_ptr):
    tl.store(x_ptr, np.sin(1.0))


@triton.jit
def torch_function(x_ptr):
    tl.store(x_ptr, torch.sin(1.0))


@triton.jit
def global_list(x_ptr):
    tl.store(x_ptr, TABLE[0])


@triton.jit
def global_dictionary(x_ptr):
    tl.store(x_ptr, SETTINGS["block"])


@triton.jit
def subscript_pointer(x_ptr):
    tl.store(x_ptr, x_ptr[0])


@triton.jit
def assign_element(x_ptr):
    i = tl.arange(0, 64)
    i[0] = 7


@triton.jit
def chained_comparison(x_ptr, n):
    if 0 < n < 10:
        tl.store(x_ptr, 1.0)


@triton.jit
def matrix_multiplication(x_ptr):
    a = tl.zeros((16, 16), tl.float16)
    tl.store(x_ptr, a @ a)


@triton.jit
def recursion(x_ptr):
    recursion(x_ptr)


@triton.jit
def walrus_in_condition(x_ptr):
    if (n := tl.load(x_ptr)) > 0:
        tl.store(x_ptr, n)


async def coroutine(x_ptr):
    await x_ptr


@triton.jit
def star_arguments(*pointers):
    tl.store(pointers[0], 1.0)


@triton.jit
def formatted_string(x_ptr, N: tl.constexpr):
    name = f"block {N}"
    tl.store(x_ptr, 1.0)


@triton.jit
def match_statement(x_ptr, N: tl.constexpr):
    match N:
        case 1:
            tl.store(x_ptr, 1.0)

# % compile() { tessera compile forms.py --kernel-name "$1" --signature "$2" --emit ttir -o -; }
# Constructs that a kernel cannot use: each names itself.
# $ compile with_statement "*fp32"
# | forms.py:16:5: unsupported: 'with' needs a context manager of the language, and none is supported (profiler scopes, Gluon)
# |     with open("file") as f:
# |     ^~~~~~~~~~~~~~~~~~~~~~~
# = 3
# $ compile try_statement "*fp32"
# | forms.py:22:5: error: 'try' is not part of the kernel language
# |     try:
# |     ^~~~
# = 1
# $ compile raise_statement "*fp32"
# | forms.py:30:5: error: 'raise' is not part of the kernel language; use tl.static_assert or tl.device_assert
# |     raise ValueError("no")
# |     ^~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile while_else "*fp32"
# | forms.py:38:9: error: the 'else' of a loop is not part of the kernel language
# |         pass
# |         ^~~~
# = 1
# $ compile generator "*fp32"
# | forms.py:43:5: error: yield is not part of the kernel language
# |     yield tl.load(x_ptr)
# |     ^~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile lambda_expression "*fp32"
# | forms.py:48:9: error: a lambda is not part of the kernel language; define a function with @triton.jit beside the kernel
# |     f = lambda a: a + 1
# |         ^~~~~~~~~~~~~~~
# = 1
# $ compile comprehension "*fp32"
# | forms.py:54:14: error: a dict comprehension is not part of the kernel language; use a tuple
# |     values = {k: 1 for k in range(3)}
# |              ^~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile dictionary "*fp32"
# | forms.py:60:9: error: a dict is not part of the kernel language; use a tuple
# |     d = {"a": 1}
# |         ^~~~~~~~
# = 1
# $ compile nested_function "*fp32"
# | forms.py:66:5: error: a function inside a function is not part of the kernel language; define it beside the kernel, with @triton.jit
# |     def inner(a):
# |     ^~~~~~~~~~~~~
# = 1
# $ compile class_inside "*fp32"
# | forms.py:73:5: error: a class is not part of the kernel language; define it beside the kernel
# |     class C:
# |     ^~~~~~~~
# = 1
# $ compile global_statement "*fp32"
# | forms.py:79:5: error: 'global' is not part of the kernel language; kernels write through pointers
# |     global TABLE
# |     ^~~~~~~~~~~~
# = 1
# $ compile delete_statement "*fp32"
# | forms.py:86:5: error: 'del' is not part of the kernel language
# |     del a
# |     ^~~~~
# = 1
# $ compile import_inside "*fp32"
# | forms.py:91:5: error: 'import' is not part of the kernel language; import at the top of the file
# |     import math
# |     ^~~~~~~~~~~
# = 1
# $ compile match_statement "*fp32,1"
# | forms.py:171:5: error: 'match' is not part of the kernel language; use 'if'
# |     match N:
# |     ^~~~~~~~
# = 1
# $ compile formatted_string "*fp32,1"
# | forms.py:165:12: error: the string 'block 1' cannot be assigned to a variable; declare a constant with 'name: tl.constexpr = ...'
# |     name = f"block {N}"
# |            ^~~~~~~~~~~~
# = 1
# $ compile star_arguments "*fp32"
# | forms.py:159:21: error: a jit function has a fixed list of parameters, without * and **
# | def star_arguments(*pointers):
# |                     ^~~~~~~~
# = 1
# $ compile coroutine "*fp32"
# | forms.py:154:1: error: 'coroutine' is not a kernel: it is not decorated with @triton.jit; the file's kernels are: with_statement, try_statement, raise_statement, while_else, generator, lambda_expression, comprehension, dictionary, nested_function, class_inside, global_statement, delete_statement, import_inside, host_function, host_library, torch_function, global_list, global_dictionary, subscript_pointer, assign_element, chained_comparison, matrix_multiplication, recursion, walrus_in_condition, star_arguments, formatted_string, match_statement
# | async def coroutine(x_ptr):
# | ^
# = 1
# $ compile recursion "*fp32"
# | forms.py:145:5: error: 'recursion' calls itself with the same types and constants, which would never end
# |     recursion(x_ptr)
# |     ^~~~~~~~~~~~~~~~
# | forms.py:145:5: note: in the call of 'recursion' here
# = 1

# The host's functions and values.
# $ compile host_function "*fp32"
# | forms.py:97:21: error: 'on_the_host' cannot be used in a kernel (line 10: a plain Python function, without @triton.jit)
# |     tl.store(x_ptr, on_the_host(1.0))
# |                     ^~~~~~~~~~~
# = 1
# $ compile host_library "*fp32"
# | forms.py:102:21: error: 'numpy.sin' cannot be used in a kernel (an attribute of a module that only Python can load)
# |     tl.store(x_ptr, np.sin(1.0))
# |                     ^~~~~~~~~~~
# = 1
# $ compile torch_function "*fp32"
# | forms.py:107:21: error: 'torch.sin' cannot be used in a kernel (an attribute of a module that only Python can load)
# |     tl.store(x_ptr, torch.sin(1.0))
# |                     ^~~~~~~~~~~~~~
# = 1
# $ compile global_list "*fp32"
# | forms.py:112:21: error: 'TABLE' cannot be used in a kernel (line 6: a plain global; kernels read globals only as constants, so write TABLE = tl.constexpr(...))
# |     tl.store(x_ptr, TABLE[0])
# |                     ^~~~~
# = 1
# $ compile global_dictionary "*fp32"
# | forms.py:117:21: error: 'SETTINGS' cannot be used in a kernel (line 7: a plain global; kernels read globals only as constants, so write SETTINGS = tl.constexpr(...))
# |     tl.store(x_ptr, SETTINGS["block"])
# |                     ^~~~~~~~
# = 1

# Operations.
# $ compile subscript_pointer "*fp32"
# | forms.py:122:21: error: a pointer is not indexed; tl.load(p + i) reads an element and tl.store(p + i, value) writes it
# |     tl.store(x_ptr, x_ptr[0])
# |                     ^~~~~~~~
# = 1
# $ compile assign_element "*fp32"
# | forms.py:128:5: error: tensors and objects cannot be modified in place; assign to a name, or use tl.store
# |     i[0] = 7
# |     ^~~~
# = 1
# $ compile chained_comparison "*fp32,i32"
# | forms.py:133:8: error: a chained comparison is not part of the kernel language; write (a < b) & (b < c)
# |     if 0 < n < 10:
# |        ^~~~~~~~~~
# = 1
# $ compile matrix_multiplication "*fp32"
# | forms.py:140:21: error: operator '@' does not take a block fp16[16, 16] and a block fp16[16, 16]; use tl.dot
# |     tl.store(x_ptr, a @ a)
# |                     ^~~~~
# | forms.py:139:5: note: 'a' is a block fp16[16, 16], from here
# = 1
# $ compile walrus_in_condition "*fp32"
# | forms.py:150:9: error: an assignment expression (:=) is not part of the kernel language; assign in a statement of its own
# |     if (n := tl.load(x_ptr)) > 0:
# |         ^~~~~~~~~~~~~~~~~~~
# = 1
