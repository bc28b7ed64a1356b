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
def reduction(x_ptr):
    i = tl.arange(0, 64)
    tl.store(x_ptr, tl.sum(tl.load(x_ptr + i), axis=0))


@triton.jit
def atomic(x_ptr):
    tl.atomic_add(x_ptr, 1.0)


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

# % compile() { tessera compile unsupported.py --kernel-name "$1" --signature "$2" --emit ptx; }
# Constructs that a kernel cannot use, or that Tessera does not compile yet: each names itself.
# $ compile with_statement "*fp32"
# $ compile try_statement "*fp32"
# $ compile raise_statement "*fp32"
# $ compile while_else "*fp32"
# $ compile generator "*fp32"
# $ compile lambda_expression "*fp32"
# $ compile comprehension "*fp32"
# $ compile dictionary "*fp32"
# $ compile nested_function "*fp32"
# $ compile class_inside "*fp32"
# $ compile global_statement "*fp32"
# $ compile delete_statement "*fp32"
# $ compile import_inside "*fp32"
# $ compile match_statement "*fp32,1"
# $ compile formatted_string "*fp32,1"
# $ compile star_arguments "*fp32"
# $ compile coroutine "*fp32"
# $ compile recursion "*fp32"

# The host's functions and values.
# $ compile host_function "*fp32"
# $ compile host_library "*fp32"
# $ compile torch_function "*fp32"
# $ compile global_list "*fp32"
# $ compile global_dictionary "*fp32"

# Operations.
# $ compile subscript_pointer "*fp32"
# $ compile assign_element "*fp32"
# $ compile chained_comparison "*fp32,i32"
# $ compile matrix_multiplication "*fp32"
# $ compile reduction "*fp32"
# $ compile atomic "*fp32"
# $ compile walrus_in_condition "*fp32"
