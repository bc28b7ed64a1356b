"""Random Python objects as kernel arguments: every call raises an exception or returns. For test_robustness.py.

    python3 hostile_arguments.py SEED COUNT     prints how many calls ended how

Most arguments are fine, so that the others come to be looked at in all places; those are numbers out of range, arrays of types
that kernels do not have, objects that claim to be arrays, classes whose special methods lie or raise, and broken descriptors.
"""
import collections
import ctypes
import fractions
import gc
import json
import random
import sys
import types

import numpy as np

import tessera
import tessera.language as tl
from tessera.tools.tensor_descriptor import TensorDescriptor


@tessera.jit
def nothing(a, b, c=None, D: tl.constexpr = 0, n: int = 3):
    pass


@tessera.jit
def helper(x):
    return x


class Hostile:
    """Has the attributes that a dict says; a value that is an exception is raised."""

    def __init__(self, members):
        object.__setattr__(self, "members", members)

    def __getattr__(self, name):
        members = object.__getattribute__(self, "members")
        if name not in members:
            raise AttributeError(name)
        if isinstance(members[name], BaseException):
            raise members[name]
        return members[name]


FLOATS, HALVES = np.zeros((8, 16), "float32"), np.zeros(64, "float16")
DESCRIPTOR = TensorDescriptor(FLOATS, [8, 16], [16, 1], [4, 16])
FINE = [5, 16, 1, 2.5, None, True, 2**40, FLOATS, HALVES, tl.constexpr(3), helper, (3, FLOATS), (), ((16, None),), DESCRIPTOR]
NUMBERS = [0, 1, -1, 2**31, 2**63, 2**64, 2**64 - 1, -2**63, -2**63 - 1, 10**400, False, -0.0, float("nan"), float("inf"), 3j,
           fractions.Fraction(1, 3), np.int32(5), np.float32(1), np.float64(2), np.bool_(True), np.uint8(1), ctypes.c_int(4)]
OBJECTS = ["text", "", "\0", "\ud800", b"bytes", bytearray(3), Ellipsis, NotImplemented, object(), type, int, len, sys,
           range(3), slice(1), np.dtype("float32"), tl.float32, tl, tl.load, nothing, tl.constexpr(None), tl.constexpr([1]),
           tl.constexpr({}), ctypes.c_void_p(), memoryview(b"abc"), iter(()), (x for x in ()), lambda: 1, {1, 2},
           frozenset(), {}, [], [1], types.SimpleNamespace(), np.random.default_rng(), collections.OrderedDict(),
           Exception("x")]
DTYPES = ["float32", "float64", "int8", "uint64", "bool", "object", "U5", "datetime64[s]", "complex64", ">f4", "float16", "V3",
          "longdouble", np.dtype([("a", "i4")])]
JUNK = [None, 0, 5, -1, 2**70, "x", (), (1,), (0, False), ("a", 0), {}, [], ValueError("evil"), TypeError("evil"), lambda: 5,
        lambda: 2**70, lambda: -1, lambda: None, lambda: "x", lambda *args, **keywords: 0, 1.5, "<f4", "|V3", ">f8",
        {"shape": 3}, np.dtype("float32"), "float32", "fp8", "cpu", "cuda", "cuda:99", tl.float32]
PROTOCOLS = ["data_ptr", "dtype", "__array_interface__", "__cuda_array_interface__", "__dlpack__", "__dlpack_device__",
             "shape", "strides", "device", "itemsize", "nbytes", "base", "block_shape", "padding", "_fields", "value",
             "cache_key", "is_cuda", "numel", "element_size", "__len__", "is_pinned"]
METHODS = ["__eq__", "__hash__", "__index__", "__int__", "__float__", "__bool__", "__len__", "__iter__", "__repr__", "__str__",
           "__getattr__", "data_ptr", "__dlpack__", "__dlpack_device__", "__getitem__", "__class__", "__getattribute__"]
ANSWERS = [None, 0, -1, 2**70, "x", ValueError("evil"), KeyError("k"), (), b"", 1.5, RecursionError("deep")]
PARTS = [None, 5, "nan", [], [1], [2**31, 1], [2**70], (8, 16), [0, 16], [1] * 6, [3], [2**20, 2], ["x"], [2**40], [4.0],
         np.zeros(3, "int8"), [[1], 2], "ab", Hostile({})]
GRIDS = [1, [1], (), (1, 1, 1, 1), (-1,), (0,), (2**31,), (2**40,), (2**70,), (1.5,), ("x",), (None,), None, "abc", {1: 2},
         {1}, lambda meta: (1,), lambda meta: None, lambda meta: meta["nothing"], lambda meta: 1 / 0, lambda: 1,
         lambda meta: (meta["D"],), Hostile({}), range(3), np.array([1, 1]), (np.int64(1),), (True,), iter((1,)),
         (1, Hostile({}))]
KEYWORDS = ["D", "D", "n", "c", "a", "num_warps", "num_stages", "num_ctas", "debug", "unknown", "", "\ud800", "maxnreg", "grid",
            "warmup", "stream", "device", "enable_fp_fusion", "allowed_dot_input_precisions"]


def array(rng):
    made = np.zeros(rng.choice([(), (0,), (5,), (3, 4), (1,) * 20]), rng.choice(DTYPES))
    made.flags.writeable = rng.random() < 0.7
    return made[..., ::-1] if rng.random() < 0.3 and made.ndim else made


def claimed_array(rng):
    members = {name: rng.choice(JUNK) for name in rng.sample(PROTOCOLS, rng.randrange(0, 8))}
    if rng.random() < 0.5:
        fields = ["data", "typestr", "shape", "version", "strides", "mask", "descr", "stream"]
        members[rng.choice(PROTOCOLS[2:4])] = {name: rng.choice(JUNK) for name in fields if rng.random() < 0.7}
    return Hostile(members)


def lying_object(rng):
    """An instance of a class, often derived from a built-in one, whose special methods answer nonsense."""
    def answer_with(value):
        def method(self, *args, **keywords):
            if isinstance(value, BaseException):
                raise value
            return value
        return method

    body = {name: answer_with(rng.choice(ANSWERS)) for name in rng.sample(METHODS, rng.randrange(0, 4))}
    if "__class__" in body:
        body["__class__"] = property(body["__class__"])
    base = rng.choice([object, object, int, float, tuple, str, list, dict, np.ndarray])
    try:
        made = type("Liar", (base,), body)
        return made((3,)) if base is np.ndarray else made()
    except Exception:
        return None


def broken_descriptor(rng):
    descriptor = TensorDescriptor(FLOATS, [8, 16], [16, 1], [4, 16])
    for name in rng.sample(["base", "shape", "strides", "block_shape", "padding"], rng.randrange(0, 4)):
        setattr(descriptor, name, rng.choice(PARTS))
    if rng.random() < 0.2:
        del descriptor.shape
    return descriptor


def tuple_of(rng, depth):
    items = tuple(argument(rng, depth + 1) for _ in range(rng.randrange(0, 5)))
    kind = rng.random()
    if kind < 0.3:
        return collections.namedtuple("Named", [f"f{i}" for i in range(len(items))])(*items)
    if kind < 0.4:
        body = {"_fields": rng.choice([(), None, 5, ("a",)])}
        if rng.random() < 0.5:
            body["_make"] = classmethod(lambda cls, items: 5)
        return type("Odd", (tuple,), body)(items)
    return items


def deep_tuple(rng):
    deep = ()
    for _ in range(rng.choice([10, 100, 2000])):
        deep = (deep,)
    return deep


def argument(rng, depth=0):
    if rng.random() < 0.6:
        return rng.choice(FINE)
    if rng.random() < 0.2 and depth < 5:
        return tuple_of(rng, depth)
    make = rng.choice([array, claimed_array, lying_object, broken_descriptor, deep_tuple, lambda rng: rng.choice(NUMBERS),
                       lambda rng: rng.choice(OBJECTS)])
    return make(rng)


def call(rng):
    args = [argument(rng) for _ in range(rng.choice([2, 2, 2, 2, 2, 3, 3, 3, 1, 0, 4, 5, 6]))]
    keywords = {}
    for _ in range(rng.randrange(0, 3)):
        keywords[rng.choice(KEYWORDS)] = rng.choice([argument(rng), argument(rng), 4, -1, 10**9])
    launch = nothing[(1,) if rng.random() < 0.7 else rng.choice(GRIDS)]
    how = rng.randrange(6)
    if how == 0:
        nothing.warmup(*args, grid=(1,), **keywords)
    elif how == 1:
        nothing._classify(tuple(args), keywords)
    else:
        launch(*args, **keywords)


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    counts = collections.Counter()
    for i in range(count):
        try:
            call(random.Random(seed * 1000003 + i))
            counts["launched"] += 1
        except SystemError:  # the extension broke a rule of the interpreter
            raise
        except Exception as problem:
            counts[type(problem).__name__] += 1
            str(problem)
    gc.collect()
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
