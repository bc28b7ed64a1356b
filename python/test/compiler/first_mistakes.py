"""Programs that are wrong in ways beginners' programs are. first_mistakes.txt has what each says, and test_first_mistakes.py compares.

    python3 python/test/compiler/first_mistakes.py > python/test/compiler/first_mistakes.txt      after a change; read the diff
"""
import math
import os
import re

import numpy as np
import tessera
import tessera.language as tl

x, ints = np.arange(64, dtype="float32"), np.arange(64, dtype="int32")
PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


@program
def return_value_from_kernel():
    @tessera.jit
    def k(p, B: tl.constexpr):
        return tl.load(p + tl.arange(0, B))
    return k[(1, )](x, B=64)


@program
def store_to_value():
    @tessera.jit
    def k(p, B: tl.constexpr):
        v = tl.load(p + tl.arange(0, B))
        tl.store(v, v)
    k[(1, )](x, B=64)


@program
def load_scalar_argument():
    @tessera.jit
    def k(p, n, B: tl.constexpr):
        v = tl.load(n + tl.arange(0, B))
        tl.store(p + tl.arange(0, B), v)
    k[(1, )](x, 64, B=64)


@program
def python_list_in_kernel():
    @tessera.jit
    def k(p, B: tl.constexpr):
        acc = []
        for j in range(4):
            acc.append(tl.load(p + j))
        tl.store(p, acc[0])
    k[(1, )](x, B=64)


@program
def numpy_in_kernel():
    @tessera.jit
    def k(p, B: tl.constexpr):
        v = np.exp(tl.load(p + tl.arange(0, B)))
        tl.store(p + tl.arange(0, B), v)
    k[(1, )](x, B=64)


@program
def math_in_kernel():
    @tessera.jit
    def k(p, B: tl.constexpr):
        v = math.sqrt(tl.load(p + tl.arange(0, B)))
        tl.store(p + tl.arange(0, B), v)
    k[(1, )](x, B=64)


@program
def slice_tensor():
    @tessera.jit
    def k(p, B: tl.constexpr):
        v = tl.load(p + tl.arange(0, B))
        tl.store(p + tl.arange(0, 32), v[:32])
    k[(1, )](x, B=64)


@program
def index_tensor():
    @tessera.jit
    def k(p, B: tl.constexpr):
        v = tl.load(p + tl.arange(0, B))
        tl.store(p, v[3])
    k[(1, )](x, B=64)


@program
def if_on_tensor():
    @tessera.jit
    def k(p, B: tl.constexpr):
        v = tl.load(p + tl.arange(0, B))
        if v > 0:
            v = v + 1
        tl.store(p + tl.arange(0, B), v)
    k[(1, )](x, B=64)


@program
def range_over_float():
    @tessera.jit
    def k(p, f, B: tl.constexpr):
        for j in range(f):
            tl.store(p + j, 1.0)
    k[(1, )](x, 3.0, B=64)


@program
def reduce_missing_axis():
    @tessera.jit
    def k(p, B: tl.constexpr):
        v = tl.load(p + tl.arange(0, B))
        tl.store(p, tl.sum(v, axis=1))
    k[(1, )](x, B=64)


@program
def dot_ints_float():
    @tessera.jit
    def k(p, q, B: tl.constexpr):
        o = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
        tl.store(p + o, tl.dot(tl.load(p + o), tl.load(q + o)))
    k[(1, )](np.zeros(256, "float32"), np.zeros(256, "int32"), B=64)


@program
def dot_1d():
    @tessera.jit
    def k(p, B: tl.constexpr):
        v = tl.load(p + tl.arange(0, B))
        tl.store(p, tl.dot(v, v))
    k[(1, )](x, B=64)


@program
def mask_wrong_shape():
    @tessera.jit
    def k(p, B: tl.constexpr):
        o = tl.arange(0, B)[:, None] + tl.arange(0, 16)[None, :]
        tl.store(p + o, 1.0, mask=tl.arange(0, B) < 3)
    k[(1, )](x, B=32)


@program
def mask_not_bool():
    @tessera.jit
    def k(p, B: tl.constexpr):
        o = tl.arange(0, B)
        tl.store(p + o, 1.0, mask=o)
    k[(1, )](x, B=32)


@program
def augmented_pointer_loop_type():
    @tessera.jit
    def k(p, n, B: tl.constexpr):
        acc = 0
        for j in range(n):
            acc += tl.load(p + j)
        tl.store(p, acc)
    k[(1, )](x, 5, B=32)


@program
def loop_shape_changes():
    @tessera.jit
    def k(p, n, B: tl.constexpr):
        acc = tl.zeros((B,), tl.float32)
        for j in range(n):
            acc = acc[:, None] + tl.load(p + j)
        tl.store(p + tl.arange(0, B), acc)
    k[(1, )](x, 5, B=32)


@program
def undefined_after_if():
    @tessera.jit
    def k(p, n, B: tl.constexpr):
        if n > 3:
            y = 1.0
        tl.store(p, y)
    k[(1, )](x, 5, B=32)


@program
def fstring():
    @tessera.jit
    def k(p, n, B: tl.constexpr):
        print(f"n is {n}")
        tl.store(p, n)
    k[(1, )](x, 5, B=32)


@program
def call_plain_function():
    def helper(v):
        return v * 2
    @tessera.jit
    def k(p, B: tl.constexpr):
        o = tl.arange(0, B)
        tl.store(p + o, helper(tl.load(p + o)))
    k[(1, )](x, B=32)


@program
def global_array():
    @tessera.jit
    def k(p, B: tl.constexpr):
        o = tl.arange(0, B)
        tl.store(p + o, x[0])
    k[(1, )](x, B=32)


@program
def lambda_function():
    @tessera.jit
    def k(p, B: tl.constexpr):
        g = lambda v: v + 1
        tl.store(p, g(1))
    k[(1, )](x, B=32)


@program
def try_statement():
    @tessera.jit
    def k(p):
        try:
            tl.store(p, 1.0)
        except ValueError:
            pass
    k[(1, )](x)


@program
def string_dtype():
    @tessera.jit
    def k(p, B: tl.constexpr):
        tl.store(p + tl.arange(0, B), tl.zeros((B,), "float32"))
    k[(1, )](x, B=32)


@program
def torch_dtype_name():
    @tessera.jit
    def k(p, B: tl.constexpr):
        tl.store(p + tl.arange(0, B), tl.zeros((B,), tl.float))
    k[(1, )](x, B=32)


@program
def shape_runtime():
    @tessera.jit
    def k(p, n):
        tl.store(p + tl.arange(0, n), 1.0)
    k[(1, )](x, 32)


@program
def reshape_wrong():
    @tessera.jit
    def k(p, B: tl.constexpr):
        v = tl.load(p + tl.arange(0, B))
        tl.store(p, tl.sum(v.reshape(3, 16)))
    k[(1, )](x, B=64)


@program
def atomic_string():
    @tessera.jit
    def k(p, B: tl.constexpr):
        tl.atomic_add(p + tl.arange(0, B), "1")
    k[(1, )](x, B=64)


@program
def bitand_floats():
    @tessera.jit
    def k(p, B: tl.constexpr):
        v = tl.load(p + tl.arange(0, B))
        tl.store(p + tl.arange(0, B), v & 1)
    k[(1, )](x, B=64)


@program
def shift_by_float():
    @tessera.jit
    def k(p, B: tl.constexpr):
        v = tl.load(p + tl.arange(0, B))
        tl.store(p + tl.arange(0, B), v << 1.5)
    k[(1, )](ints, B=64)


@program
def grid_too_many_dims():
    @tessera.jit
    def k(p):
        tl.store(p, 1.0)
    k[(1, 1, 1, 1)](x)


@program
def grid_negative():
    @tessera.jit
    def k(p):
        tl.store(p, 1.0)
    k[(-1,)](x)


@program
def grid_lambda_no_meta():
    @tessera.jit
    def k(p):
        tl.store(p, 1.0)
    k[lambda: (1,)](x)


@program
def list_argument():
    @tessera.jit
    def k(p):
        tl.store(p, 1.0)
    k[(1, )]([1.0, 2.0])


@program
def complex_array():
    @tessera.jit
    def k(p):
        tl.store(p, 1.0)
    k[(1, )](np.zeros(4, "complex64"))


@program
def readonly_array():
    @tessera.jit
    def k(p):
        tl.store(p, 1.0)
    y = np.zeros(4, "float32")
    y.flags.writeable = False
    k[(1, )](y)


@program
def string_argument():
    @tessera.jit
    def k(p, s):
        tl.store(p, s)
    k[(1, )](x, "relu")


@program
def constexpr_array():
    @tessera.jit
    def k(p, B: tl.constexpr):
        tl.store(p, B)
    k[(1, )](x, B=np.zeros(3))


@program
def num_warps_float():
    @tessera.jit
    def k(p):
        tl.store(p, 1.0)
    k[(1, )](x, num_warps=4.0)


@program
def assign_constexpr():
    @tessera.jit
    def k(p, B: tl.constexpr):
        B = B * 2
        for j in range(3):
            B = B + 1
        tl.store(p + tl.arange(0, B), 1.0)
    k[(1, )](x, B=4)


@program
def method():
    class A:
        @tessera.jit
        def k(self, p):
            tl.store(p, 1.0)
    A().k[(1, )](x)


@program
def where_scalar_cond_shapes():
    @tessera.jit
    def k(p, B: tl.constexpr):
        v = tl.where(tl.arange(0, B) < 3, tl.arange(0, 16), 0)
        tl.store(p, tl.sum(v))
    k[(1, )](x, B=64)


@program
def misspelt_function():
    @tessera.jit
    def k(p, B: tl.constexpr):
        tl.store(p + tl.arange(0, B), tl.sigmod(tl.load(p + tl.arange(0, B))))
    k[(1, )](x, B=64)


@program
def keyword_misspelt():
    @tessera.jit
    def k(p, B: tl.constexpr):
        tl.store(p + tl.arange(0, B), tl.load(p + tl.arange(0, B), msk=None))
    k[(1, )](x, B=64)


# ---- launches, decorators and what stands around kernels -----------------------------------------------------------------------

@tessera.jit
def copy(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


@program
def grid_function_misspells_a_parameter():
    copy[lambda meta: (tessera.cdiv(64, meta["BLOK"]),)](x, 64, BLOCK=64)


@program
def grid_function_without_parameter():
    copy[lambda: (1,)](x, 64, BLOCK=64)


@program
def none_for_a_number():
    copy[(1,)](x, None, BLOCK=64)


@program
def bytes_argument():
    copy[(1,)](b"abc", 64, BLOCK=64)


@program
def array_for_a_constant():
    copy[(1,)](x, 64, BLOCK=x)


@program
def one_configuration_without_a_list():
    tessera.autotune(tessera.Config({"BLOCK": 64}), key=["n"])(copy)


@program
def configuration_misspells_a_parameter():
    tessera.autotune([tessera.Config({"BLOK": 64})], key=["n"])(copy)[(1,)](x, 64)


@program
def autotune_above_a_plain_function():
    tessera.autotune([tessera.Config({"BLOCK": 64})], key=["n"])(lambda: 1)


@program
def constant_as_heuristic():
    tessera.heuristics({"BLOCK": 64})(copy)


@program
def jit_of_a_lambda():
    tessera.jit(lambda x_ptr: tl.store(x_ptr, 1.0))[(1,)](x)


@program
def do_bench_of_a_result():
    tessera.testing.do_bench(copy[(1,)](x, 64, BLOCK=64))


@program
def compile_without_types():
    tessera.compile(copy)


@program
def stage_of_another_target():
    copy[(1,)](x, 64, BLOCK=64).asm["ptx"]


@program
def language_outside_of_a_kernel():
    tl.load(x)


@program
def unpacked_program_id():
    @tessera.jit
    def k(p):
        a, b = tl.program_id(0)
        tl.store(p, a)
    k[(1, )](x)


@program
def divided_offsets():
    @tessera.jit
    def k(p):
        half = tl.arange(0, 16) / 2
        tl.store(p + half, 1.0)
    k[(1, )](x)


@program
def arithmetic_without_load():
    @tessera.jit
    def k(p):
        i = tl.arange(0, 16)
        tl.store(p + i, (p + i) * 2)
    k[(1, )](x)


@program
def dtype_as_function():
    @tessera.jit
    def k(p):
        tl.store(p, tl.float16(tl.load(p)))
    k[(1, )](x)


@program
def matmul_operator():
    @tessera.jit
    def k(p):
        a = tl.load(p + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :])
        tl.store(p + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :], a @ a)
    k[(1, )](x)


@program
def shape_without_tuple():
    @tessera.jit
    def k(p):
        tl.store(p + tl.arange(0, 16), tl.zeros(16, tl.float32))
    k[(1, )](x)


def message_of(function, file):
    """What a user sees below the traceback's lines, without the folder and the lines' numbers, which change with this file."""
    try:
        function()
    except Exception as error:
        kind = type(error).__module__.replace("builtins", "") + "." + type(error).__name__
        text = f"{kind.lstrip('.')}: {error}"
    else:
        text = "nothing is wrong"
    text = re.sub(r"(?m)^(\S+Error: )?\S*" + re.escape(file) + r":\d+:\d+: ", r"\1", text)
    return re.sub(re.escape(file) + "(:[0-9]+)+", file, text.replace(os.path.dirname(os.path.abspath(__file__)) + "/", ""))


def transcript(programs, file):
    return "".join(f"== {name}\n{message_of(function, file)}\n" for name, function in programs.items())


if __name__ == "__main__":
    print(transcript(PROGRAMS, os.path.basename(__file__)), end="")
