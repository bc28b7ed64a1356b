"""Kernels whose tensor maps launches build: on a driver that only keeps notes."""
import os

import pytest

with open(os.path.join(os.path.dirname(__file__), "mapped_copy.ttgir"), encoding="utf-8") as file:
    KERNEL = file.read()
PLAIN = '''
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @k(%a: !tt.ptr<f16>, %n: i32) {
  tt.return
}
}
'''
PROGRAM = '''
import ctypes, os, sys
import tessera
from tessera import _native
from tessera.backends.compiler import GPUTarget

notes = ctypes.CDLL("libcuda.so.1")
notes.fakeNotes.restype = ctypes.c_char_p

def compiled(name):
    return tessera.compile(os.path.join(FOLDER, name), target=GPUTarget("cuda", 90, 32))

def launched(kernel, *args, stream=0):
    notes.fakeForget()
    kernel[2, 1, 1](*args, stream=stream)
    return [line for line in notes.fakeNotes().decode().splitlines() if line.startswith(("encode", "launch"))]

kernel = compiled("k.ttgir")
assert kernel.record["abi_version"] == 2 and kernel.record["tensor_maps"][0]["base"] == "arg0"
assert len(kernel.record["arguments"]) == 2
'''
CASES = {
    "the map is encoded once for the same arguments": '''
launch = "launch 2 1 1 x 128 shared %d n 7 map of 7 scratch null profile null" % kernel.metadata.shared
assert launched(kernel, 4096, 7) == ["encode type 6 at 4096 extent 7 box 32 extent 64 box 32 stride 128 swizzle 2 l2 2 fill 0", launch]
assert launched(kernel, 4096, 7) == [launch]
assert launched(kernel, 8192, 7)[0].startswith("encode type 6 at 8192")
''',
    "a launch without a map takes the other variant": '''
plain, made = compiled("plain.ttgir"), []
def make():
    made.append(1)
    return plain.load("cuda:0")
kernel.load("cuda:0").set_fallback(make)
for _ in range(3):
    assert launched(kernel, 4096, 0) == ["launch 2 1 1 x 64 shared 0 n 0 scratch null profile null"]
assert made == [1]
assert len(launched(kernel, 4096, 7)) == 2
assert launched(kernel, 4100, 7) == ["launch 2 1 1 x 64 shared 0 n 7 scratch null profile null"]
''',
    "there is no other variant": '''
try:
    launched(kernel, 4096, -1)
except _native.DeviceFailure as error:
    assert "kernel k has tensor maps itself; compile it with tma = off, from its source" in str(error), error
else:
    raise AssertionError
kernel.load("cuda:0").set_fallback(lambda: None)
try:
    launched(kernel, 4096, -1)
except TypeError as error:
    assert "a variant without tensor maps is a LoadedKernel, not None" in str(error), error
else:
    raise AssertionError
''',
    "errors of the compilation are the launch's": '''
def make():
    raise KeyError("nothing")
kernel.load("cuda:0").set_fallback(make)
try:
    launched(kernel, 0, 7)
except KeyError as error:
    assert error.args == ("nothing", )
else:
    raise AssertionError
''',
}


@pytest.mark.parametrize("name", CASES)
def test_launches(snippet, fake_gpu, tmp_path, name):
    (tmp_path / "k.ttgir").write_text(KERNEL)
    (tmp_path / "plain.ttgir").write_text(PLAIN)
    snippet(f"FOLDER = {str(tmp_path)!r}\n" + PROGRAM + CASES[name], env=fake_gpu)


def test_compile_makes_no_maps_for_others():
    """Callers of compile() launch by themselves, as torch.compile does."""
    import tessera
    import tessera.language as tl
    from tessera.backends.compiler import GPUTarget
    from tessera.compiler import ASTSource

    @tessera.jit
    def fill(x, n):
        tl.store(x, n)

    source = ASTSource(fn=fill, signature={"x": "*i32", "n": "i32"}, constexprs={})
    target = GPUTarget("cuda", 90, 32)
    assert tessera.compile(source, target=target).record["options"]["tma"] == "off"
    assert tessera.compile(source, target=target, options={"tma": "auto"}).record["options"]["tma"] == "auto"


JIT = """
import tessera, tessera.language as tl

@tessera.jit
def fill(out, n):
    tl.store(out, n)

class Tensor:
    dtype, is_cuda = "int32", True
    def data_ptr(self):
        return 0x100000

assert fill[(1, )](Tensor(), 7).record["options"]["tma"] == "auto"
assert fill[(1, )](Tensor(), 7, tma="off").record["options"]["tma"] == "off"
"""


def test_launches_may_have_maps(snippet, fake_gpu):
    snippet(JIT, env=fake_gpu)


# A product whose loads become copies by tensor maps: with K = 0 there are none.
MATMUL = """
import ctypes
import tessera, tessera.language as tl

@tessera.jit
def matmul(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    sum = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * sa + rk[None, :], (rm[:, None] < M) & (rk[None, :] < K), 0.0)
        y = tl.load(b + rk[:, None] * sb + rn[None, :], (rk[:, None] < K) & (rn[None, :] < N), 0.0)
        sum = tl.dot(x, y, sum)
    tl.store(c + rm[:, None] * sc + rn[None, :], sum, (rm[:, None] < M) & (rn[None, :] < N))

class Tensor:
    is_cuda = True
    def __init__(self, address, dtype):
        self.address, self.dtype = address, dtype
    def data_ptr(self):
        return self.address

notes = ctypes.CDLL("libcuda.so.1")
notes.fakeNotes.restype = ctypes.c_char_p
a, b, c = Tensor(0x100000, "float16"), Tensor(0x200000, "float16"), Tensor(0x300000, "float32")

def launched(k, tma="auto"):
    notes.fakeForget()
    kernel = matmul[(8, 4)](a, b, c, 1000, 500, k, 1024, 512, 512, 128, 128, 64, tma=tma)
    return kernel, [line.split()[0] for line in notes.fakeNotes().decode().splitlines() if line.startswith(("encode", "launch", "load"))]

kernel, first = launched(96)
assert len(kernel.record["tensor_maps"]) == 2 and first == ["load", "encode", "encode", "launch"], first
assert launched(96)[1] == ["launch"]
assert launched(112)[1] == ["encode", "encode", "launch"]
other, without = launched(0)  # divisible by 16, as 96 is: the same variant
assert other is kernel and without == ["load", "launch"], without
assert launched(0)[1] == ["launch"]
assert launched(96)[1] == ["encode", "encode", "launch"]
plain, lines = launched(96, tma="off")
assert "tensor_maps" not in plain.record and lines == ["load", "launch"]
"""


def test_a_kernel_falls_back(snippet, fake_gpu):
    snippet(MATMUL, env=fake_gpu)
