"""Tensor descriptors that the host makes, as kernel arguments: what they check, and what kernels do with them."""
import dataclasses
import random

import numpy as np
import pytest

import tessera
import tessera.language as tl
from tessera.tools.tensor_descriptor import TensorDescriptor

# ---- what the class checks ------------------------------------------------------------------------


def aligned(shape, dtype="float32"):
    """NumPy promises no more than the alignment of the element."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    buffer = np.zeros(size + 16, "uint8")
    start = -buffer.ctypes.data % 16
    return buffer[start:start + size].view(dtype).reshape(shape)


@pytest.mark.parametrize("change,error,message", [
    (dict(strides=[32]), AssertionError, "length"),
    (dict(block_shape=[4]), AssertionError, "length"),
    (dict(shape=[], strides=[], block_shape=[]), AssertionError, "dimensions"),
    (dict(shape=[1] * 6, strides=[16] * 5 + [1], block_shape=[1] * 6), AssertionError, "dimensions"),
    (dict(strides=[33, 1]), AssertionError, "16 bytes"),
    (dict(strides=[32, 2]), AssertionError, "last stride"),
    (dict(shape=[0, 32]), AssertionError, "positive"),
    (dict(shape=[8, -1]), AssertionError, "positive"),
    (dict(block_shape=[3, 16]), ValueError, "power of two"),
    (dict(block_shape=[0, 16]), ValueError, "power of two"),
    (dict(block_shape=[4.0, 16]), TypeError, "int"),
    (dict(block_shape=[2048, 1024]), ValueError, "elements"),
    (dict(padding="one"), AssertionError, "padding"),
    (dict(base=aligned((8, 32), "int32"), padding="nan"), AssertionError, "floating-point"),
    (dict(base=aligned((8, 40)).reshape(-1)[1:]), AssertionError, "aligned"),
    (dict(base=5), AssertionError, "array"),
])
def test_rejected(change, error, message):
    fine = dict(base=aligned((8, 32)), shape=[8, 32], strides=[32, 1], block_shape=[4, 16], padding="zero")
    TensorDescriptor(**fine)
    with pytest.raises(error, match=message):
        TensorDescriptor(**{**fine, **change})


def test_fields():
    x = aligned((8, 32))
    d = TensorDescriptor(x, [8, 32], [32, 1], [4, 16])
    assert (d.base is x, d.shape, d.strides, d.block_shape, d.padding) == (True, [8, 32], [32, 1], [4, 16], "zero")
    assert [field.name for field in dataclasses.fields(d)] == ["base", "shape", "strides", "block_shape", "padding"]


def test_from_numpy():
    x = aligned((8, 40))
    d = TensorDescriptor.from_tensor(x[::2, 4:36], [4, 16], padding="nan")
    assert (tuple(d.shape), list(d.strides), d.padding) == ((4, 32), [80, 1], "nan")
    with pytest.raises(AssertionError, match="stride 0 is 1"):
        TensorDescriptor.from_tensor(x.T, [4, 16])


def test_from_torch(torch):
    x = torch.zeros(8, 40, dtype=torch.float16)
    d = TensorDescriptor.from_tensor(x[:, 8:], [4, 16])
    assert (tuple(d.shape), tuple(d.strides)) == ((8, 32), (40, 1))
    with pytest.raises(AssertionError, match="aligned"):
        TensorDescriptor.from_tensor(x[:, 1:], [4, 16])
    with pytest.raises(AssertionError, match="floating-point"):
        TensorDescriptor.from_tensor(x.to(torch.int32), [4, 16], padding="nan")


def test_same_checks_as_triton(triton, torch):
    """Whatever Triton's own class accepts or refuses, ours does too (but for a block with an extent of 0)."""
    from triton.tools.tensor_descriptor import TensorDescriptor as Theirs
    rng = random.Random(1)
    for _ in range(300):
        rank = rng.randrange(1, 4)
        x = torch.zeros(64, dtype=rng.choice([torch.float16, torch.int8, torch.float32]))[rng.choice([0, 0, 0, 1]):]
        arguments = (x, [rng.choice([1, 5, 8, 0]) for _ in range(rank)],
                     [rng.choice([8, 16, 16, 4]) for _ in range(rank - 1)] + [rng.choice([1, 1, 1, 2])],
                     [rng.choice([1, 2, 16, 3]) for _ in range(rank)], rng.choice(["zero", "zero", "nan", "none"]))
        outcomes = []
        for make in (TensorDescriptor, Theirs):
            try:
                outcomes.append(type(make(*arguments)).__name__)
            except Exception as problem:
                outcomes.append(type(problem).__name__)
        assert outcomes[0] == outcomes[1], arguments


# ---- kernels --------------------------------------------------------------------------------------

@tessera.jit
def copy_1(x, out, a):
    out.store([a], x.load([a]))


@tessera.jit
def copy_2(x, out, a, b):
    out.store([a, b], x.load([a, b]))


@tessera.jit
def copy_3(x, out, a, b, c):
    out.store([a, b, c], x.load([a, b, c]))


@tessera.jit
def copy_4(x, out, a, b, c, d):
    out.store([a, b, c, d], x.load([a, b, c, d]))


@tessera.jit
def copy_5(x, out, a, b, c, d, e):
    out.store([a, b, c, d, e], x.load([a, b, c, d, e]))


COPIES = [copy_1, copy_2, copy_3, copy_4, copy_5]
DTYPES = ["float32", "float16", "float64", "int8", "uint8", "int16", "int32", "uint32", "int64"]


def window(array, start, block, fill):
    """What a load of the block sees."""
    result = np.full(block, fill, array.dtype)
    inside = [slice(max(s, 0), min(s + b, n)) for s, b, n in zip(start, block, array.shape)]
    if all(i.start < i.stop for i in inside):
        result[tuple(slice(i.start - s, i.stop - s) for i, s in zip(inside, start))] = array[tuple(inside)]
    return result


@pytest.mark.parametrize("seed", range(30))
def test_copies(device, put, get, seed):
    rng = random.Random(seed)
    rank, dtype = 1 + seed % 5, rng.choice(DTYPES)
    piece = 16 // np.dtype(dtype).itemsize  # elements in 16 bytes
    block = [rng.choice([1, 2, 4]) for _ in range(rank - 1)] + [piece * rng.choice([1, 2])]
    room = [rng.randrange(1, 2 * b + 2) for b in block[:-1]] + [piece * rng.randrange(1, 4)]
    shape = [rng.randrange(1, n + 1) for n in room]
    start = [rng.randrange(-b, n + 1) for b, n in zip(block, shape)]
    start[-1] = start[-1] // piece * piece
    x = np.random.default_rng(seed).integers(0, 100, room).astype(dtype)
    out = np.full(room, 101, dtype)
    mine, theirs = put(x), put(out)
    inside = tuple(slice(0, n) for n in shape)
    COPIES[rank - 1][(1,)](TensorDescriptor.from_tensor(mine[inside], block), TensorDescriptor.from_tensor(theirs[inside], block),
                           *start)
    expected = out.copy()
    region = tuple(slice(max(s, 0), max(min(s + b, n), 0)) for s, b, n in zip(start, block, shape))
    expected[region] = x[region]
    assert np.array_equal(get(theirs), expected)


@tessera.jit
def read(x, out, i, j, M: tl.constexpr, N: tl.constexpr):
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], x.load([i, j]))


@pytest.mark.parametrize("padding", ["zero", "nan"])
@pytest.mark.parametrize("columns", [32, 29])  # 29 is no multiple of 16 bytes
def test_padding(device, put, get, padding, columns):
    x = np.random.default_rng(0).random((10, 32), "float32")
    data, out = put(x), put(np.full((8, 16), -1, "float32"))
    d = TensorDescriptor(data, [10, columns], [32, 1], [8, 16], padding)
    for start in [(0, 0), (4, 16), (-3, 20), (100, 0)]:
        read[(1,)](d, out, *start, M=8, N=16)
        fill = np.nan if padding == "nan" else 0
        assert np.array_equal(get(out), window(x[:, :columns], start, (8, 16), fill), equal_nan=True), start


def test_attributes_may_change(device, put, get):
    """An autotuner's pre_hook sets block_shape; a launch sees what is set then."""
    x = np.random.default_rng(0).random((16, 32), "float32")
    d = TensorDescriptor.from_tensor(put(x), [1, 4])
    for block in [(8, 16), (4, 32)]:
        d.block_shape = list(block)
        out = put(np.zeros(block, "float32"))
        read[(1,)](d, out, 2, 4, M=block[0], N=block[1])
        assert np.array_equal(get(out), window(x, (2, 4), block, 0))
    d.padding = "nan"
    d.shape = [3, 32]
    d.block_shape = [4, 32]
    read[(1,)](d, out, 0, 0, M=4, N=32)
    assert np.isnan(get(out)[3]).all() and np.array_equal(get(out)[:3], x[:3])


@tessera.jit
def describe(d, out):
    tl.static_assert(d.dtype == tl.float16)
    tl.static_assert(d.block_shape[0] == 4)
    tl.store(out, d.shape[0])
    tl.store(out + 1, d.shape[1])
    tl.store(out + 2, d.strides[0])
    tl.store(out + 3, d.strides[1])


def test_what_the_kernel_sees(device, put, get):
    out = put(np.zeros(4, "int64"))
    describe[(1,)](TensorDescriptor(put(aligned((8, 48), "float16")), [7, 31], [48, 1], [4, 8]), out)
    assert list(get(out)) == [7, 31, 48, 1]


@tessera.jit
def shuffle_rows(x, out, rows):
    i = tl.arange(0, 8)
    out.scatter(x.gather(tl.load(rows + i), 4), i, 4)


def test_gather_and_scatter(device, put, get):
    x, rows = np.random.default_rng(0).random((20, 32), "float32"), np.array([3, 19, 0, 5, 20, -1, 7, 7], "int32")
    out = put(np.zeros((8, 32), "float32"))
    shuffle_rows[(1,)](TensorDescriptor.from_tensor(put(x), [1, 16]), TensorDescriptor.from_tensor(out, [1, 16]), put(rows))
    expected = np.zeros((8, 32), "float32")
    for i, row in enumerate(rows):
        if 0 <= row < 20:
            expected[i, 4:20] = x[row, 4:20]
    assert np.array_equal(get(out), expected)


@tessera.jit
def reduce_into(out, x, KIND: tl.constexpr):
    block = x.load([tl.program_id(0) * 4, 0])
    if KIND == "add":
        out.atomic_add([0, 0], block)
    elif KIND == "max":
        out.atomic_max([0, 0], block)
    elif KIND == "min":
        out.atomic_min([0, 0], block)
    elif KIND == "and":
        out.atomic_and([0, 0], block)
    elif KIND == "or":
        out.atomic_or([0, 0], block)
    else:
        out.atomic_xor([0, 0], block)


@pytest.mark.parametrize("kind,combine", [("add", np.add), ("max", np.maximum), ("min", np.minimum), ("and", np.bitwise_and),
                                          ("or", np.bitwise_or), ("xor", np.bitwise_xor)])
def test_reductions(device, put, get, kind, combine):
    x = np.random.default_rng(0).integers(-50, 50, (20, 8), "int32")
    start = np.random.default_rng(1).integers(-50, 50, (4, 8), "int32")
    out = put(start.copy())
    reduce_into[(5,)](TensorDescriptor.from_tensor(out, [4, 8]), TensorDescriptor.from_tensor(put(x), [4, 8]), KIND=kind)
    expected = start.copy()
    for tile in x.reshape(5, 4, 8):
        expected = combine(expected, tile)
    assert np.array_equal(get(out), expected)


@tessera.jit
def matmul(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([i, k]), b.load([k, j]), acc)
    c.store([i, j], acc.to(c.dtype))


@pytest.mark.parametrize("m,n,k", [(64, 64, 64), (50, 40, 72)])
def test_matmul(device, put, get, m, n, k):
    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 5, (m, k)).astype("float16"), rng.integers(-4, 5, (k, n)).astype("float16")
    c = put(np.zeros((m, n), "float16"))
    blocks = dict(BM=32, BN=32, BK=32)
    matmul[(tessera.cdiv(m, 32), tessera.cdiv(n, 32))](
        TensorDescriptor.from_tensor(put(a), [32, 32]), TensorDescriptor.from_tensor(put(b), [32, 32]),
        TensorDescriptor.from_tensor(c, [32, 32]), k, **blocks)
    assert np.array_equal(get(c), (a.astype("float32") @ b.astype("float32")).astype("float16"))


def set_blocks(nargs):
    """What programs for Triton do: the descriptors are made with any block, and get the configuration's here."""
    rows, columns, inner = nargs["BM"], nargs["BN"], nargs["BK"]
    nargs["a"].block_shape, nargs["b"].block_shape, nargs["c"].block_shape = [rows, inner], [inner, columns], [rows, columns]


def test_autotuned_blocks():
    configs = [tessera.Config(dict(BM=m, BN=n, BK=16), pre_hook=set_blocks) for m, n in [(16, 16), (32, 16), (16, 32)]]
    tuned = tessera.autotune(configs, key=["K"])(matmul)
    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 5, (48, 32)).astype("float16"), rng.integers(-4, 5, (32, 40)).astype("float16")
    c = np.zeros((48, 40), "float16")
    descriptors = [TensorDescriptor.from_tensor(each, [1, 8]) for each in (a, b, c)]
    for _ in range(2):  # searching, and with what was found
        c[:] = 0
        tuned[lambda meta: (tessera.cdiv(48, meta["BM"]), tessera.cdiv(40, meta["BN"]))](*descriptors, 32)
        assert np.array_equal(c, (a.astype("float32") @ b.astype("float32")).astype("float16"))


@tessera.jit
def from_tuple(t, out):
    tl.store(out + tl.arange(0, 8), t[1][0].load([t[0]]) + t[1][1].load([0]) * t[2])


def test_in_tuples(device, put, get):
    x, y = np.arange(20, dtype="float32"), np.arange(8, dtype="float32") * 100
    out = put(np.zeros(8, "float32"))
    pair = TensorDescriptor.from_tensor(put(x), [8]), TensorDescriptor.from_tensor(put(y), [8])
    from_tuple[(1,)]((16, pair, 2), out)
    assert np.array_equal(get(out), window(x, (16,), (8,), 0) + y * 2)


def test_torch_dtypes(device, torch):
    """bfloat16, which NumPy has not."""
    x = torch.arange(64, dtype=torch.float32).to(torch.bfloat16).reshape(4, 16).to(device)
    out = torch.zeros_like(x)
    copy_2[(1,)](TensorDescriptor.from_tensor(x, [4, 16]), TensorDescriptor.from_tensor(out, [4, 16]), 0, 0)
    assert torch.equal(x, out)


def test_variants(device, put):
    """One kernel for any shape and strides; another where the last extent is no multiple of 16 bytes, and for NaN."""
    @tessera.jit
    def first(d, out):
        tl.store(out, tl.sum(d.load([0, 0])))

    out = put(np.zeros(1, "float32"))
    data = put(aligned((64, 64)))
    for shape, strides, padding, variants in [([64, 64], [64, 1], "zero", 1), ([3, 32], [128, 1], "zero", 1),
                                              ([64, 63], [64, 1], "zero", 2), ([64, 62], [64, 1], "zero", 2),
                                              ([64, 64], [64, 1], "nan", 3)]:
        first[(1,)](TensorDescriptor(data, shape, strides, [4, 16], padding), out)
        assert len(first.specializations()) == variants, (shape, padding)


def test_triton_s_own_descriptors(device, torch, triton):
    """A program may have both packages: their descriptors serve too."""
    from triton.tools.tensor_descriptor import TensorDescriptor as Theirs
    x = torch.arange(64, dtype=torch.float32).reshape(4, 16).to(device)
    out = torch.zeros_like(x)
    copy_2[(1,)](Theirs.from_tensor(x, [4, 16]), Theirs.from_tensor(out, [4, 16]), 0, 0)
    assert torch.equal(x, out)


@pytest.mark.parametrize("change", [dict(shape=[2**31, 16]), dict(shape=["a", 16]), dict(shape=None), dict(strides=[16]),
                                    dict(strides=[2**70, 1]), dict(base=None), dict(base="x"), dict(block_shape=[]),
                                    dict(block_shape=[3, 16]), dict(block_shape=[2**40, 16]), dict(padding=7)])
def test_broken_later(change):
    """Whoever changes an attribute to nonsense gets an exception."""
    x = aligned((4, 16))
    d = TensorDescriptor.from_tensor(x, [4, 16])
    for name, value in change.items():
        setattr(d, name, value)
    out = TensorDescriptor.from_tensor(aligned((4, 16)), [4, 16])
    with pytest.raises(Exception) as caught:
        copy_2[(1,)](d, out, 0, 0)
    assert not isinstance(caught.value, SystemError)


def test_wide_accesses():
    """The promises reach the code: 16 bytes an instruction."""
    block = "tensordesc<fp16[64, 64]>"
    source = tessera.compiler.ASTSource(copy_2, {"x": block, "out": block, "a": "i32", "b": "i32"},
                                        attrs={(i,): [["tt.divisibility", 16]] for i in range(4)})
    for capability in (80, 90):
        kernel = tessera.compile(source, target=tessera.backends.compiler.GPUTarget("cuda", capability, 32))
        ptx = kernel.asm["ptx"]
        assert "ld.global.v4.b32" in ptx and "st.global.v4.b32" in ptx and "ld.global.b16" not in ptx
