"""What may be passed to a kernel, and what each value means: the types, the keys, the errors."""
import collections
import math
import struct

import numpy as np
import pytest
import tessera
import tessera.language as tl
from tessera import _native

CONSTEXPR, NO_SPECIALIZE, NO_ALIGN, CONST = 1, 2, 4, 8
_native.register_type("constexpr", tl.constexpr)  # which the first jit function does otherwise


def classify(*values, flags=0, forced=None):
    """[(type, key), ...] of values, each for a parameter with the flags and the forced type."""
    kernel = _native.Launchable()
    kernel._set_parameters("k", [(f"a{i}", flags, forced, False, None) for i in range(len(values))])
    return kernel._classify(values, {})[1]


class Int(int):
    pass


class Float(float):
    pass


# ---- the table of the specification ---------------------------------------------------------------

@pytest.mark.parametrize("value, expected, plain, unaligned", [
    (None, ("constexpr", None), ("constexpr", None), ("constexpr", None)),
    (True, ("u1", None), ("u1", None), ("u1", None)),
    (1, ("constexpr", 1), ("i32", None), ("constexpr", 1)),
    (2, ("i32", ""), ("i32", None), ("i32", "")),
    (0, ("i32", "D"), ("i32", None), ("i32", "")),
    (16, ("i32", "D"), ("i32", None), ("i32", "")),
    (-16, ("i32", "D"), ("i32", None), ("i32", "")),
    (2**31 - 1, ("i32", ""), ("i32", None), ("i32", "")),
    (-2**31, ("i32", "D"), ("i32", None), ("i32", "")),
    (2**31, ("i64", "D"), ("i64", None), ("i64", "")),
    (-2**31 - 1, ("i64", ""), ("i64", None), ("i64", "")),
    (2**63 - 1, ("i64", ""), ("i64", None), ("i64", "")),
    (2**63, ("u64", "D"), ("u64", None), ("u64", "")),
    (2**64 - 1, ("u64", ""), ("u64", None), ("u64", "")),
    (1.0, ("fp32", None), ("fp32", None), ("fp32", None)),
    (np.float64(2), ("fp32", None), ("fp32", None), ("fp32", None)),
    (Int(1), ("constexpr", 1), ("i32", None), ("constexpr", 1)),
    (Int(32), ("i32", "D"), ("i32", None), ("i32", "")),
    (Float(1), ("fp32", None), ("fp32", None), ("fp32", None)),
    (tl.constexpr(7), ("constexpr", 7), ("constexpr", 7), ("constexpr", 7)),
])
def test_scalars(value, expected, plain, unaligned):
    assert classify(value) == [expected]
    assert classify(value, flags=NO_SPECIALIZE) == [plain]
    assert classify(value, flags=NO_ALIGN) == [unaligned]


def test_same_as_triton(triton, torch):
    """The real one's function gives the same answers."""
    from triton._C.libtriton import native_specialize_impl
    from triton.backends.compiler import BaseBackend
    dtypes = (torch.float32, torch.bfloat16, torch.bool, torch.uint8, torch.int64)
    tensors = [torch.zeros(8, dtype=dtype) for dtype in dtypes]
    every_rule = ((0, (False, True, True)), (NO_SPECIALIZE | CONST, (True, False, True)), (NO_ALIGN, (False, True, False)))
    values = [None, True, 1, 2, 16, 2**31, 2**63, -1, 1.5, Int(1), Int(2), (1, 2, (3.0, None)), *tensors, tensors[3][1:]]
    for value in values:
        for flags, rules in every_rule:
            assert classify(value, flags=flags) == [native_specialize_impl(BaseBackend, value, *rules)], (value, flags)


@pytest.mark.parametrize("value", [2**64, -2**63 - 1])
def test_too_large(value):
    with pytest.raises(OverflowError, match="'a0' of kernel 'k'"):
        classify(value)


@pytest.mark.parametrize("value", [[1], "text", {}, np.int32(3), np.float32(1), np.bool_(True), np.float16(2), object(),
                                   tl.float32, 1j, b"x", range(3), float])
def test_refused(value):
    with pytest.raises(TypeError, match="argument 'a0' of kernel 'k'"):
        classify(value)
    # Hashable or not, as a constexpr it is what it is.
    assert classify(value, flags=CONSTEXPR) == [("constexpr", value)]


def test_one_stays_an_int():
    (_, key), = classify(Int(1))
    assert type(key) is int


# ---- arrays ---------------------------------------------------------------------------------------

NUMPY_TYPES = {"bool": "u1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
               "uint32": "u32", "uint64": "u64", "float16": "fp16", "float32": "fp32", "float64": "fp64"}


@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_numpy_arrays(dtype):
    array = np.zeros(64, dtype)
    assert classify(array)[0][0] == "*" + NUMPY_TYPES[dtype]
    assert classify(array, flags=CONST)[0][0] == "*k" + NUMPY_TYPES[dtype]


def aligned(count, dtype):
    raw = np.zeros(count * np.dtype(dtype).itemsize + 64, "u1")
    start = -raw.ctypes.data % 64
    return raw[start:start + count * np.dtype(dtype).itemsize].view(dtype)


def test_alignment_is_of_the_address():
    array = aligned(64, "f4")
    assert classify(array) == [("*fp32", "D")] and classify(array[4:]) == [("*fp32", "D")]
    assert classify(array[1:]) == [("*fp32", "")] == classify(array, flags=NO_ALIGN)
    assert classify(array, flags=NO_SPECIALIZE) == [("*fp32", None)]


def test_numpy_refusals():
    for dtype in ("complex64", object, "S3", "M8[s]", [("x", "i4")]):
        array = np.zeros(4, dtype)
        with pytest.raises(TypeError, match="'a0' of kernel 'k'"):
            classify(array)
    with pytest.raises(TypeError, match="order"):
        classify(np.zeros(4, ">f4"))


def test_numpy_subclasses_and_strange_shapes():
    class Mine(np.ndarray):
        pass
    assert classify(np.zeros(4, "f4").view(Mine))[0][0] == "*fp32"
    assert classify(np.zeros((), "i8"))[0][0] == "*i64"
    assert classify(np.zeros((0, 3), "f4"))[0][0] == "*fp32"
    assert classify(np.zeros((4, 4), "f4").T[::2])[0][0] == "*fp32"


class Interface:
    def __init__(self, array, **changes):
        self.array, self.changes = array, changes

    @property
    def __array_interface__(self):
        return dict(self.array.__array_interface__, **self.changes)


class Pointer:
    """The least that Triton asks of a tensor."""

    def __init__(self, array, dtype="float32", **more):
        self.array, self.dtype = array, dtype
        self.__dict__.update(more)

    def data_ptr(self):
        return self.array.ctypes.data


class Exporter:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


def test_protocols():
    array = aligned(16, "f4")
    assert classify(Interface(array)) == [("*fp32", "D")]
    assert classify(Exporter(array)) == [("*fp32", "D")]
    assert classify(Pointer(array)) == [("*fp32", "D")]
    assert classify(Pointer(array, "torch.bfloat16", device="cpu")) == [("*bf16", "D")]
    assert classify(Pointer(array, tl.float8e5)) == [("*fp8e5", "D")]
    with pytest.raises(TypeError, match="quaternion"):
        classify(Pointer(array, "quaternion"))
    with pytest.raises(TypeError):
        classify(Interface(array, data=None))
    with pytest.raises(TypeError):
        classify(Interface(array, typestr="<c8"))


def test_protocols_run():
    @tessera.jit
    def double(x, out, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + i, tl.load(x + i) * 2)

    array = np.arange(16, dtype="f4")
    for wrap in (Interface, Pointer, Exporter, lambda array: Pointer(array, device="cpu")):
        out = np.zeros(16, "f4")
        _native.set_default_device("cpu")  # a Pointer does not say where it is
        try:
            double[(1,)](wrap(array), out, N=16)
        finally:
            _native.set_default_device(None)
        assert np.array_equal(out, array * 2)


def test_instances_may_be_arrays_where_their_type_is_none():
    import types
    array = aligned(16, "f4")
    for _ in range(2):
        with pytest.raises(TypeError):
            classify(types.SimpleNamespace())
        assert classify(types.SimpleNamespace(data_ptr=lambda: array.ctypes.data, dtype="float32")) == [("*fp32", "D")]


def test_errors_of_the_array_itself_pass_through():
    class Broken(Pointer):
        def data_ptr(self):
            raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        classify(Broken(aligned(4, "f4")))


def test_torch_types(torch):
    expected = {"float32": "fp32", "float64": "fp64", "float16": "fp16", "bfloat16": "bf16", "int8": "i8", "int16": "i16",
                "int32": "i32", "int64": "i64", "uint8": "u8", "bool": "u1", "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5"}
    for name, spelled in expected.items():
        if hasattr(torch, name):
            tensor = torch.zeros(16, dtype=getattr(torch, name))
            assert classify(tensor)[0][0] == "*" + spelled
    assert classify(torch.nn.Parameter(torch.zeros(16)))[0][0] == "*fp32"
    with pytest.raises(TypeError, match="complex64"):
        classify(torch.zeros(4, dtype=torch.complex64))

    class Odd(torch.Tensor):
        def data_ptr(self):
            return 4
    assert classify(torch.zeros(4).as_subclass(Odd)) == [("*fp32", "")]


def test_read_only_arrays():
    @tessera.jit
    def copy(x, out, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + i, tl.load(x + i))

    source, out = np.arange(16, dtype="f4"), np.zeros(16, "f4")
    source.flags.writeable = False
    copy[(1,)](source, out, N=16)  # only read
    assert np.array_equal(source, out)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="'out' of kernel 'copy' is a read-only .*ndarray"):
        copy[(1,)](source, out, N=16)


# ---- forced types ---------------------------------------------------------------------------------

def test_forced_integers():
    assert classify(1, 8, 16, 17, forced="i32") == [("i32", 1), ("i32", ""), ("i32", "D"), ("i32", "")]
    assert classify(1, 16, forced="i64", flags=NO_ALIGN) == [("i64", 1), ("i64", "")]
    assert classify(1, 16, forced="i64", flags=NO_SPECIALIZE) == [("i64", None), ("i64", None)]
    assert classify(True, tl.constexpr(16), forced="i8") == [("i8", None), ("i8", "D")]
    for forced, low, high in (("i8", -128, 127), ("u8", 0, 255), ("i16", -2**15, 2**15 - 1), ("u16", 0, 2**16 - 1),
                              ("i32", -2**31, 2**31 - 1), ("u32", 0, 2**32 - 1), ("i64", -2**63, 2**63 - 1),
                              ("u64", 0, 2**64 - 1)):
        classify(low, high, forced=forced)
        for value in (low - 1, high + 1):
            with pytest.raises(OverflowError, match=f"'a0' of kernel 'k': {value} does not fit {forced}"):
                classify(value, forced=forced)
    for value in (1.5, None, "x", [1]):
        for forced in ("i32", "u1"):
            with pytest.raises(TypeError, match="'a0' of kernel 'k'"):
                classify(value, forced=forced)


@pytest.mark.parametrize("value", [0, 1, 2, 3, -1, -2, 255, 256, 2**63, 2**64 - 1, 2**70, 2**70 + 1, -2**65, True, False])
def test_a_bit_is_the_lowest_of_an_int(value):
    @tessera.jit
    def keep(out, flag: tl.int1):
        tl.store(out, flag.to(tl.int32))
        tl.store(out + 1, tl.where(flag, 5, 7))
    out = np.zeros(2, "int32")
    keep[(1,)](out, value)
    assert list(out) == [value & 1, 5 if value & 1 else 7]


def test_forced_floats_and_pointers():
    assert classify(1, 1.5, True, np.float32(2), forced="fp64") == [("fp64", None)] * 4
    assert classify(aligned(4, "i4"), 64, 1, 8, None, forced="*fp32") == [
        ("*fp32", "D"), ("*fp32", "D"), ("*fp32", 1), ("*fp32", ""), ("*fp32", None)]
    for value in ("x", None):
        with pytest.raises(TypeError):
            classify(value, forced="fp16")
    with pytest.raises(TypeError):
        classify(1.5, forced="*fp32")


def stored(value, annotation, bits):
    """The bit pattern in which a scalar of an annotated type reaches a kernel."""
    @tessera.jit
    def keep(out, v: annotation, INT: tl.constexpr):
        tl.store(out, v.to(INT, bitcast=True))
    out = np.zeros(1, f"u{bits // 8}")
    keep[(1,)](out, value, INT={8: tl.uint8, 16: tl.uint16, 32: tl.uint32, 64: tl.uint64}[bits])
    return int(out[0])


def test_half_precision_scalars_are_rounded_to_nearest_even():
    values = [0.0, -0.0, 1.0, 1 / 3, 65504.0, 65519.9, 65520.0, 1e300, -1e300, math.inf, -math.inf, 6e-8, 2.9e-8, 2.98e-8,
              5.96e-8, 2**-14, 2**-14 - 2**-26, 1 + 2**-11, 1 + 2**-11 + 2**-40, 1 + 3 * 2**-11]
    for value in values:
        with np.errstate(over="ignore"):
            assert stored(value, tl.float16, 16) == np.float16(value).view("u2"), value
    # To bf16 once, not by way of fp32: just above a tie that fp32 would round onto.
    tie = 1 + 2**-8
    assert stored(tie, tl.bfloat16, 16) == 0x3F80 and stored(tie + 2**-40, tl.bfloat16, 16) == 0x3F81
    assert stored(1 + 3 * 2**-8, tl.bfloat16, 16) == 0x3F82
    assert stored(1 / 3, tl.float32, 32) == np.float32(1 / 3).view("u4")
    assert stored(1 / 3, tl.float64, 64) == struct.unpack("<Q", struct.pack("<d", 1 / 3))[0]


# ---- tuples ---------------------------------------------------------------------------------------

Pair = collections.namedtuple("Pair", "x y")


def test_tuples():
    assert classify((1, 2, (3.0, None))) == [(("constexpr", "i32", ("fp32", "constexpr")), (1, "", (None, None)))]
    assert classify((1, 16), flags=NO_SPECIALIZE | NO_ALIGN | CONST) == [(("constexpr", "i32"), (1, "D"))]
    assert classify(()) == [((), ())]
    (types, keys), = classify(Pair(aligned(4, "f4"), 3))
    assert type(types) is Pair is type(keys) and types == ("*fp32", "i32") and keys.x == "D"
    with pytest.raises(TypeError, match="list"):
        classify((1, [2]))
    deep = ()
    for _ in range(100000):
        deep = (deep,)
    with pytest.raises(RecursionError):
        classify(deep)


# ---- binding --------------------------------------------------------------------------------------

def kernel_of(*parameters):
    kernel = _native.Launchable()
    kernel._set_parameters("k", [(name, 0, None, default is not None, default) for name, default in parameters])
    return kernel


def test_binding_as_python_does():
    kernel = kernel_of(("a", None), ("b", None), ("c", 7))
    bound, _, options, device = kernel._classify((2,), {"b": 3, "num_warps": 4})
    assert list(bound.items()) == [("a", 2), ("b", 3), ("c", 7)] and options == {"num_warps": 4}
    assert kernel._classify((), {"".join(["c"]): 1, "b": 2, "a": 3})[0] == {"a": 3, "b": 2, "c": 1}
    for args, kwargs, message in (
            ((), {}, r"k\(\) missing 2 required positional arguments: 'a' and 'b'"),
            ((1,), {}, r"k\(\) missing 1 required positional argument: 'b'"),
            ((1, 2, 3, 4), {}, r"k\(\) takes 3 positional arguments but 4 were given"),
            ((1, 2), {"a": 3}, r"k\(\) got multiple values for argument 'a'"),
            ((1, 2), {3: 3}, "keywords must be strings")):
        with pytest.raises(TypeError, match=message):
            kernel._classify(args, kwargs)
    with pytest.raises(TypeError, match=r"k\(\) missing 3 required positional arguments: 'a', 'b' and 'c'"):
        kernel_of(("a", None), ("b", None), ("c", None))._classify((), {})


def test_many_parameters_by_keyword():
    names = [f"p{i}" for i in range(200)]
    kernel = kernel_of(*((name, None) for name in names))
    bound, _, options, _ = kernel._classify((), dict({name: i for i, name in reversed(list(enumerate(names)))}, q=1))
    assert bound == {name: i for i, name in enumerate(names)} and options == {"q": 1}


def test_device_of_arrays():
    kernel = kernel_of(("a", None))
    assert kernel._classify((np.zeros(3, "f4"),), {})[3] == "cpu"
    _native.set_default_device("cuda:3")
    try:
        assert kernel._classify((5,), {})[3] == "cuda:3" == _native.current_device()
        assert kernel._classify((np.zeros(3, "f4"),), {})[3] == "cpu"
    finally:
        _native.set_default_device(None)


def test_gpu_refuses_host_memory(torch):
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")

    @tessera.jit
    def copy(x, out, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + i, tl.load(x + i))

    x, out = torch.arange(16, dtype=torch.float32), torch.zeros(16, device="cuda")
    with pytest.raises(ValueError, match="'x' of kernel 'copy' is a .*Tensor.* in the host's memory"):
        copy[(1,)](x, out, N=16)
    copy[(1,)](x.pin_memory(), out, N=16)
    assert torch.equal(out.cpu(), x)
    with pytest.raises(ValueError, match="'x' of kernel 'copy'"):
        copy[(1,)](x.numpy(), out, N=16)


def test_arrays_of_records_and_of_the_other_byte_order():
    with pytest.raises(TypeError, match="another order"):
        classify(np.zeros(4, ">f4"))
    for dtype in ([("a", "f4"), ("b", "i4")], "V8", "U4", "O", "M8[s]"):
        with pytest.raises(TypeError) as caught:
            classify(np.zeros(4, dtype))
        assert "another order" not in str(caught.value)
