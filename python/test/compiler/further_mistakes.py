"""More programs that are wrong, beside first_mistakes.py: habits from other languages, launches and tuning. further_mistakes.txt has
what each says, and test_first_mistakes.py compares.

    python3 python/test/compiler/further_mistakes.py > python/test/compiler/further_mistakes.txt      after a change; read the diff
"""
import enum
import os

import numpy as np
import tessera
import tessera.language as tl

import first_mistakes

x, ints = np.arange(64, dtype="float32"), np.arange(64, dtype="int32")
PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


@tessera.jit
def copy(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


@program
def in_operator():
    @tessera.jit
    def k(p, n):
        if n in (1, 2, 3):
            tl.store(p, 1.0)
    k[(1, )](x, 5)


@program
def return_in_loop():
    @tessera.jit
    def k(p, n):
        for i in range(n):
            if i == 3:
                return
            tl.store(p + i, 1.0)
    k[(1, )](x, 5)


@program
def while_else():
    @tessera.jit
    def k(p, n):
        i = 0
        while i < n:
            i += 1
        else:
            tl.store(p, 1.0)
    k[(1, )](x, 5)


@program
def raise_in_kernel():
    @tessera.jit
    def k(p, n):
        if n > 3:
            raise ValueError("n is too large")
        tl.store(p, 1.0)
    k[(1, )](x, 5)


@program
def arange_one_argument():
    @tessera.jit
    def k(p, B: tl.constexpr):
        tl.store(p + tl.arange(B), 1.0)
    k[(1, )](x, B=64)


@program
def arange_step():
    @tessera.jit
    def k(p, B: tl.constexpr):
        tl.store(p + tl.arange(0, B, 2), 1.0)
    k[(1, )](x, B=64)


@program
def program_id_axis3():
    @tessera.jit
    def k(p):
        tl.store(p + tl.program_id(3), 1.0)
    k[(1, )](x)


@program
def program_id_no_axis():
    @tessera.jit
    def k(p):
        tl.store(p + tl.program_id(), 1.0)
    k[(1, )](x)


@program
def numba_style():
    @tessera.jit
    def k(a, b, n):
        for i in range(n):
            b[i] = a[i] + 1
    k[(1, )](x, x.copy(), 64)


@program
def dot_small():
    @tessera.jit
    def k(p):
        o = tl.arange(0, 4)[:, None]*4 + tl.arange(0, 4)[None, :]
        a = tl.load(p + o)
        tl.store(p + o, tl.dot(a, a, acc=1.0))
    k[(1, )](x)


@program
def too_many_arguments():
    @tessera.jit
    def k(p, n):
        tl.store(p, n)
    k[(1, )](x, 1, 2, 3)


@program
def positional_twice():
    @tessera.jit
    def k(p, n):
        tl.store(p, n)
    k[(1, )](x, 1, n=2)


@program
def huge_block():
    @tessera.jit
    def k(p, B: tl.constexpr):
        tl.store(p + tl.arange(0, B), 1.0)
    k[(1, )](np.zeros(1<<21, "float32"), B=1<<21)


@program
def int_too_big():
    @tessera.jit
    def k(p, n):
        tl.store(p, n)
    k[(1, )](x, 1 << 70)


@program
def uint_negative():
    @tessera.jit
    def k(p, n: tl.uint32):
        tl.store(p, n)
    k[(1, )](ints, -1)


@program
def self_recursion():
    @tessera.jit
    def f(n):
        if n == 0:
            return 1
        return n * f(n - 1)
    @tessera.jit
    def k(p, n):
        tl.store(p, f(n))
    k[(1, )](ints, 5)


@program
def print_tensor_format():
    @tessera.jit
    def k(p, B: tl.constexpr):
        v = tl.load(p + tl.arange(0, B))
        print("value: %f" % v)
    k[(1, )](x, B=64)


@program
def sort_axis():
    @tessera.jit
    def k(p, B: tl.constexpr):
        v = tl.load(p + tl.arange(0, B))
        tl.store(p + tl.arange(0, B), tl.sort(v, axis=0))
    k[(1, )](x, B=64)


@program
def other_without_mask():
    @tessera.jit
    def k(p):
        o = tl.arange(0, 4)
        tl.store(p + o, tl.load(p + o, other=0.0))
    k[(1, )](x)


@program
def swapped_store():
    @tessera.jit
    def k(p):
        o = tl.arange(0, 4)
        tl.store(tl.load(p + o), p + o)
    k[(1, )](x)


@program
def mask_positional_scalar_pointer():
    @tessera.jit
    def k(p):
        o = tl.arange(0, 4)
        tl.store(p, 1.0, o < 2)
    k[(1, )](x)


@program
def mixed_branches_type():
    @tessera.jit
    def k(p, n):
        if n > 3:
            y = 1
        else:
            y = tl.zeros((4,), tl.float32)
        tl.store(p + tl.arange(0, 4), y)
    k[(1, )](x, 5)


@program
def string_compare_runtime():
    @tessera.jit
    def k(p, ACT: tl.constexpr):
        if ACT == "relu":
            tl.store(p, 1.0)
        elif ACT == "gelu":
            tl.store(p, 2.0)
        else:
            tl.static_assert(False, "unknown activation: " + ACT)
    k[(1, )](x, ACT="silu")


@program
def transpose_wrong_perm():
    @tessera.jit
    def k(p):
        o = tl.arange(0, 4)[:, None]*4 + tl.arange(0, 4)[None, :]
        tl.store(p + o, tl.permute(tl.load(p + o), (0, 2)))
    k[(1, )](x)


@program
def async_kernel():
    @tessera.jit
    async def k(p):
        tl.store(p, 1.0)
    k[(1, )](x)


@program
def generator_kernel():
    @tessera.jit
    def k(p):
        yield tl.load(p)
    k[(1, )](x)


@program
def star_args():
    @tessera.jit
    def k(*ptrs):
        tl.store(ptrs[0], 1.0)
    k[(1, )](x, x)


@program
def nested_def():
    @tessera.jit
    def k(p):
        def double(v):
            return v * 2
        tl.store(p, double(tl.load(p)))
    k[(1, )](x)


@program
def del_statement():
    @tessera.jit
    def k(p):
        v = tl.load(p)
        del v
        tl.store(p, v)
    k[(1, )](x)


@program
def grid_none():
    @tessera.jit
    def k(p):
        tl.store(p, 1.0)
    k[None](x)


@program
def grid_lambda_returns_float():
    @tessera.jit
    def k(p):
        tl.store(p, 1.0)
    k[lambda m: (64 / 2,)](x)


@program
def class_instance_arg():
    class C:
        pass
    @tessera.jit
    def k(p, c):
        tl.store(p, 1.0)
    k[(1, )](x, C())


@program
def enum_constexpr():
    class Act(enum.Enum):
        RELU = 1
    @tessera.jit
    def k(p, A: tl.constexpr):
        if A == Act.RELU:
            tl.store(p, 1.0)
    k[(1, )](x, A=Act.RELU)


@program
def object_array():
    @tessera.jit
    def k(p):
        tl.store(p, 1.0)
    k[(1, )](np.array([object()]))


@program
def struct_array():
    @tessera.jit
    def k(p):
        tl.store(p, 1.0)
    k[(1, )](np.zeros(3, dtype=[("a", "f4")]))


@program
def bigendian():
    @tessera.jit
    def k(p):
        tl.store(p, 1.0)
    k[(1, )](np.zeros(3, dtype=">f4"))


@program
def datetime_array():
    @tessera.jit
    def k(p):
        tl.store(p, 1.0)
    k[(1, )](np.zeros(3, dtype="datetime64[s]"))


# ---- launches and tuning ---------------------------------------------------------------------------------------------

@program
def autotune_all_fail():
    tessera.autotune([tessera.Config({"BLOCK": 63}), tessera.Config({"BLOCK": 65})], key=["n"])(copy)[(1, )](x, 64)


@program
def config_num_warps_3():
    tessera.autotune([tessera.Config({"BLOCK": 64}, num_warps=3)], key=["n"])(copy)[(1, )](x, 64)


@program
def autotune_below_jit():
    @tessera.jit
    @tessera.autotune([tessera.Config({"BLOCK": 64})], key=["n"])
    def k(p, n, BLOCK: tl.constexpr):
        pass


@program
def heuristic_unknown_name():
    tessera.heuristics({"BLOK": lambda args: 64})(copy)[(1, )](x, 64)


@program
def restore_value_unknown():
    tessera.autotune([tessera.Config({"BLOCK": 64}), tessera.Config({"BLOCK": 32})], key=["n"], restore_value=["y_ptr"])(copy)[(1, )](x, 64)


@program
def prune_returns_nothing():
    tessera.autotune([tessera.Config({"BLOCK": 64}), tessera.Config({"BLOCK": 32})], key=["n"], prune_configs_by={"early_config_prune": lambda c, a, **k: []})(copy)[(1, )](x, 64)


@program
def launch_in_kernel():
    @tessera.jit
    def k(p):
        copy[(1, )](p, 64, BLOCK=64)
    k[(1, )](x)


@program
def jit_class():
    @tessera.jit
    class K:
        pass


@program
def jit_builtin():
    tessera.jit(print)


@program
def next_power_of_2_float():
    tessera.next_power_of_2(3.5)


@program
def generator_argument():
    copy[(1, )]((i for i in range(3)), 64, BLOCK=64)


@program
def grid_string():
    copy["1"](x, 64, BLOCK=64)


@program
def grid_nested():
    copy[((1, 1),)](x, 64, BLOCK=64)


@program
def grid_empty():
    copy[()](x, 64, BLOCK=64)


@program
def asm_typo():
    copy[(1, )](x, 64, BLOCK=64).asm["ttri"]


@program
def call_with_grid_kw():
    copy(x, 64, BLOCK=64, grid=(1, ))


@program
def block_ptr_args():
    @tessera.jit
    def k(p):
        b = tl.make_block_ptr(p, (8, 8), (8,), (0, 0), (4, 4), (1, 0))
        tl.store(b, tl.load(b))
    k[(1, )](x)


@program
def device_print_no_text():
    @tessera.jit
    def k(p):
        tl.device_print(tl.load(p))
    k[(1, )](x)


@program
def static_range_runtime():
    @tessera.jit
    def k(p, n):
        for i in tl.static_range(n):
            tl.store(p + i, 1.0)
    k[(1, )](x, 3)


@program
def atomic_on_scalar_value():
    @tessera.jit
    def k(p):
        v = tl.load(p)
        tl.atomic_add(v, 1.0)
    k[(1, )](x)


@program
def cas_float_types():
    @tessera.jit
    def k(p):
        tl.atomic_cas(p, 0, 1.0)
    k[(1, )](x)


@program
def ternary_on_tensor():
    @tessera.jit
    def k(p):
        o = tl.arange(0, 4)
        v = tl.load(p + o)
        tl.store(p + o, v if v > 0 else 0.0)
    k[(1, )](x)


@program
def while_true():
    @tessera.jit
    def k(p):
        while True:
            tl.store(p, 1.0)
    k[(1, )](x)


@program
def import_in_kernel():
    @tessera.jit
    def k(p):
        import math
        tl.store(p, math.pi)
    k[(1, )](x)


@program
def global_statement():
    @tessera.jit
    def k(p):
        global N
        N = 3
        tl.store(p, N)
    k[(1, )](x)


if __name__ == "__main__":
    print(first_mistakes.transcript(PROGRAMS, os.path.basename(__file__)), end="")
