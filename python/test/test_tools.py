"""tessera.tools: linking variants that were compiled ahead of time, disassembly, MX formats, ragged descriptors."""
import ctypes
import os
import shutil
import subprocess
import textwrap

import pytest

from tessera.tools import disasm, link

HERE = os.path.dirname(os.path.abspath(__file__))


# ---- link -----------------------------------------------------------------------------------------

def c_compiler():
    found = next(filter(None, map(shutil.which, ["clang-22", "clang", "gcc", "cc"])), None)
    return found or pytest.skip("no C compiler on this machine")


class Variant:
    """What tools.compile would have written, with a function that only notes that it was called."""

    def __init__(self, number, name, signature, algo, hints=None, own=None):
        self.number, self.name, self.signature, self.algo, self.hints = number, name, signature, algo, hints
        self.own = signature if own is None else own

    def header(self):
        more = "" if self.hints is None else f"// tessera-linker: {self.name}:{self.hints}\n"
        return (f"void unload_{self.name}(void);\nvoid load_{self.name}(void);\n// tt-linker: {self.name}:{self.signature}:{self.algo}\n"
                f"{more}CUresult {self.name}(CUstream stream, {self.own});\n")

    def definition(self):
        return (f"CUresult {self.name}(CUstream stream, {self.own}) {{ called = {self.number}; return 0; }}\n"
                f"void load_{self.name}(void) {{ loads += 1; }}\nvoid unload_{self.name}(void) {{ loads -= 1; }}\n")


@pytest.fixture
def linked(tmp_path):
    """linked(variants, prefix="") is the compiled library; it compiles as C and as C++, without any warning."""
    def build(variants, prefix="", arguments=()):
        for variant in variants:
            (tmp_path / f"{variant.name}.h").write_text(variant.header())
        headers = [str(tmp_path / f"{variant.name}.h") for variant in variants]
        assert link.main([*headers, "-o", str(tmp_path / "linked"), "--prefix", prefix, *arguments]) == 0
        (tmp_path / "variants.c").write_text('#include "linked.h"\nint called = -1, loads = 0;\n'
                                             + "".join(variant.definition() for variant in variants))
        library = str(tmp_path / "linked.so")
        sources = [str(tmp_path / "linked.c"), str(tmp_path / "variants.c")]
        strict = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
        subprocess.run([c_compiler(), "-std=c11", *strict, "-shared", "-fPIC", *sources, "-o", library], check=True)
        subprocess.run([c_compiler(), "-x", "c++", *strict, "-Wno-deprecated", "-fsyntax-only", sources[0]], check=True)
        return ctypes.CDLL(library)
    return build


def called(library):
    return ctypes.c_int.in_dll(library, "called").value


ADD = "CUdeviceptr x, int32_t n"


def test_link_takes_the_most_hints_that_hold(linked):
    library = linked([Variant(0, "add_aaaaaaaa_012", ADD, "64_warps4xstages3"),
                      Variant(1, "add_bbbbbbbb_0d12", ADD, "64_warps4xstages3"),
                      Variant(2, "add_cccccccc_0d1d2", ADD, "64_warps4xstages3")])
    for x, n, wanted in [(32, 16, 2), (32, 17, 1), (33, 16, 0), (33, 17, 0), (2**40 + 16, -32, 2)]:
        assert library.add_64_warps4xstages3(None, ctypes.c_uint64(x), n) == 0
        assert called(library) == wanted, (x, n)


def test_link_without_a_variant_for_all(linked):
    library = linked([Variant(0, "add_aaaaaaaa_0d1", ADD, "_warps4xstages3")])
    assert library.add__warps4xstages3(None, ctypes.c_uint64(8), 5) == 1  # CUDA_ERROR_INVALID_VALUE
    assert called(library) == -1
    assert library.add__warps4xstages3(None, ctypes.c_uint64(16), 5) == 0


def test_link_dispatches_by_algo(linked):
    library = linked([Variant(0, "add_aaaaaaaa_012", ADD, "64_warps4xstages3"), Variant(1, "add_bbbbbbbb_012", ADD, "128_warps8xstages3"),
                      Variant(2, "add_cccccccc_0d12", ADD, "128_warps8xstages3")])
    assert library.add_get_num_algos() == 2
    for algo, x, wanted in [(0, 16, 0), (1, 16, 2), (1, 17, 1)]:
        assert library.add(None, ctypes.c_uint64(x), 5, algo) == 0 and called(library) == wanted
    assert library.add_default(None, ctypes.c_uint64(16), 5) == 0 and called(library) == 0
    assert library.add(None, ctypes.c_uint64(16), 5, 2) == 1 and library.add(None, ctypes.c_uint64(16), 5, -1) == 1
    library.load_add()
    assert ctypes.c_int.in_dll(library, "loads").value == 3
    library.unload_add_128_warps8xstages3()
    assert ctypes.c_int.in_dll(library, "loads").value == 1


def test_link_an_argument_that_is_one(linked):
    """It stays an argument of the dispatcher, not of the variant."""
    library = linked([Variant(0, "add_aaaaaaaa_01c2", ADD, "64x1_warps4xstages3", own="CUdeviceptr x")])
    assert library.add_64x1_warps4xstages3(None, ctypes.c_uint64(16), 1) == 0 and called(library) == 0
    assert library.add_64x1_warps4xstages3(None, ctypes.c_uint64(16), 2) == 1


def test_link_constants_between_parameters(linked):
    """The suffix counts them: only the header's own line tells whose hints they are."""
    variant = Variant(0, "add_aaaaaaaa_0123d", "CUdeviceptr x, int32_t n, int32_t m", "64_warps4xstages3", hints="m=16")
    library = linked([variant])
    assert library.add_64_warps4xstages3(None, ctypes.c_uint64(1), 3, 32) == 0
    assert library.add_64_warps4xstages3(None, ctypes.c_uint64(1), 32, 3) == 1


def test_link_more_than_ten_parameters(linked):
    signature = ", ".join(f"int32_t a{i}" for i in range(12))
    library = linked([Variant(0, "f_aaaaaaaa_01234567891011d", signature, "_warps1xstages3"),
                      Variant(1, "f_bbbbbbbb_01d234567891011", signature, "_warps1xstages3")])
    assert library.f__warps1xstages3(None, *[5] * 11, 16) == 0 and called(library) == 0
    assert library.f__warps1xstages3(None, 5, 16, *[5] * 10) == 0 and called(library) == 1


def test_link_several_kernels_floats_and_a_prefix(linked):
    library = linked([Variant(0, "add_aaaaaaaa_012", ADD, "0.5_warps4xstages3"), Variant(1, "add_dddddddd_012", ADD, "-1.5_warps4xstages3"),
                      Variant(2, "mul_bbbbbbbb_01", "CUdeviceptr y, double z", "_warps4xstages3")], prefix="my_")
    assert library.my_add_0p5_warps4xstages3(None, ctypes.c_uint64(1), 2) == 0 and called(library) == 0
    assert library.my_add(None, ctypes.c_uint64(1), 2, 1) == 0 and called(library) == 1
    assert library.my_mul_default(None, ctypes.c_uint64(1), ctypes.c_double(2)) == 0 and called(library) == 2


@pytest.mark.parametrize("text, message", [
    ("", "no header declares a kernel"),
    ("// tt-linker: add:CUdeviceptr x:1_warps4xstages3\n", "'add' is not the name of a compiled kernel"),
    ("// tt-linker: add_aaaaaaaa_0:x:1_warps4xstages3\n", "'x' in the signature of add_aaaaaaaa_0 is not a type and a name"),
    ("// tt-linker: add_aaaaaaaa_02:int32_t x, int32_t y:1_warps4xstages3\n", "does not count its parameters"),
    ("// tt-linker: add_aaaaaaaa_0:int32_t x, int32_t y:1_warps4xstages3\n", "counts 1 parameters of 2"),
    ("// tt-linker: add_aaaaaaaa_0:int32_t x:_w\n// tt-linker: add_bbbbbbbb_0:int64_t x:_w\n", "have different parameters"),
])
def test_link_says_what_is_wrong(tmp_path, capsys, text, message):
    (tmp_path / "a.h").write_text(text)
    assert link.main([str(tmp_path / "a.h"), "-o", str(tmp_path / "out")]) == 1
    assert message in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["a.h"]


def test_link_takes_triton_s_headers_to_the_same_dispatch(tmp_path, triton):
    """The same headers through Triton's linker: every function that it declares, ours declares too, with the same type."""
    variants = [Variant(0, "add_aaaaaaaa_012", ADD, "64_warps4xstages3"), Variant(1, "add_bbbbbbbb_0d1d2", ADD, "64_warps4xstages3"),
                Variant(2, "add_cccccccc_0d12", ADD, "128_warps4xstages3")]
    for variant in variants:
        (tmp_path / f"{variant.name}.h").write_text(variant.header())
    headers = [str(tmp_path / f"{variant.name}.h") for variant in variants]
    import sys
    subprocess.run([sys.executable, "-m", "triton.tools.link", *headers, "-o", str(tmp_path / "theirs")], check=True)
    assert link.main([*headers, "-o", str(tmp_path / "ours")]) == 0

    def declared(name):
        text = (tmp_path / name).read_text().replace("()", "(void)")
        return {" ".join(line.split()) for line in text.splitlines() if line.strip().endswith(");")}
    assert declared("theirs.h") <= declared("ours.h")


# ---- disasm ---------------------------------------------------------------------------------------

LISTING = textwrap.dedent("""\

    Fatbin elf code:
    ================
    arch = sm_90
    \tcode for sm_90
    \t\tFunction : spin
    \t.headerflags\t@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90"
            /*0000*/                   LDC R1, c[0x0][0x28] ;              /* 0x00000a00ff017b82 */
                                                                           /* 0x000ff00000000800 */
            /*0010*/                   S2R R0, SR_CTAID.X ;                /* 0x0000000000007919 */
                                                                           /* 0x000e620000002500 */
            /*0020*/              @!P0 BRA 0x10 ;                          /* 0xfffffffc00f48947 */
                                                                           /* 0x042fea000383ffff */
            /*0030*/                   EXIT ;                              /* 0x000000000000794d */
                                                                           /* 0x000fea0003800000 */
            /*0040*/                   BRA 0x40;                           /* 0xfffffffc00fc7947 */
                                                                           /* 0x000fc0000383ffff */
    \t\t..........
    """)


def test_decode():
    assert disasm.decode(LISTING) == ("Function:spin\n"
                                      "--:-:-:-:8\tLDC R1, c[0x0][0x28];\n"
                                      "LBB0:\n"
                                      "--:-:1:-:1\tS2R R0, SR_CTAID.X;\n"
                                      "02:-:-:-:5\t@!P0 BRA LBB0;\n"
                                      "--:-:-:-:5\tEXIT;\n"
                                      "LBB1:\n"
                                      "--:-:-:Y:0\tBRA LBB1;\n\n")
    assert disasm.decode("nothing\n") is None


def test_control_bits():
    bits = {"stall": 41, "yield": 45, "write": 46, "read": 49, "wait": 52}
    none = (7 << bits["write"]) | (7 << bits["read"])
    assert disasm.control(none) == "--:-:-:Y:0"
    assert disasm.control(none | (1 << bits["yield"]) | (11 << bits["stall"])) == "--:-:-:-:b"
    assert disasm.control((2 << bits["write"]) | (5 << bits["read"]) | (33 << bits["wait"])) == "33:5:2:Y:0"


def test_decode_is_triton_s(triton):
    """What Triton's own makes of the same listing."""
    import triton.tools.disasm as theirs
    from unittest import mock
    with mock.patch.object(theirs.subprocess, "check_output", lambda command: LISTING.encode()), \
            mock.patch.object(theirs, "path_to_cuobjdump", lambda: "cuobjdump"):
        assert theirs.extract("file", None) == disasm.decode(LISTING)


def test_get_sass_without_cuobjdump(monkeypatch, tmp_path):
    failing = tmp_path / "cuobjdump"
    failing.write_text("#!/bin/sh\necho no such thing >&2\nexit 3\n")
    failing.chmod(0o755)
    monkeypatch.setattr(disasm, "path_to_cuobjdump", lambda: str(failing))
    with pytest.raises(RuntimeError, match="no such thing"):
        disasm.get_sass(b"not a cubin")


# ---- mxfp -----------------------------------------------------------------------------------------

def test_e2m1_rounds_to_nearest_even(torch):
    from tessera.tools.mxfp import MXFP4Tensor
    values = torch.tensor([0.0, -0.0, 0.25, 0.26, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 5.01, 6, 100, -100, float("inf"), float("-inf"), float("nan")])
    wanted = torch.tensor([0.0, -0.0, 0.0, 0.5, 1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 6.0, 6, 6, -6, 6, -6, 6])
    codes = MXFP4Tensor(data=values)
    assert torch.equal(codes.to(torch.float32).abs(), wanted.abs())
    assert torch.equal(torch.signbit(codes.to(torch.float32))[:-1], torch.signbit(wanted)[:-1])
    every = MXFP4Tensor(data=MXFP4Tensor._values and torch.tensor(MXFP4Tensor._values()))
    assert every.data.tolist() == list(range(16))


@pytest.mark.parametrize("shape, dim", [((4, 6), 0), ((4, 6), 1), ((3, 5), 0), ((3, 5), 1), ((2, 3, 4), 1)])
def test_e2m1_pairs(torch, shape, dim):
    from tessera.tools.mxfp import MXFP4Tensor
    codes = MXFP4Tensor(size=shape).random()
    packed = codes.to_packed_tensor(dim)
    assert packed.shape[dim] == (shape[dim] + 1) // 2 and packed.dtype == torch.uint8
    assert torch.equal(codes.unpack_packed_tensor(packed, dim, shape), codes.data)


def test_e8m0(torch):
    from tessera.tools.mxfp import MXScaleTensor
    values = torch.tensor([1.0, 1.99, 2.0, 2**-126, 2**-149, 2.0**127, 0.0, -1.0, float("inf"), float("nan")])
    scales = MXScaleTensor(data=values)
    assert scales.data.tolist() == [127, 127, 128, 1, 0, 254, 255, 255, 255, 255]
    assert scales.to(torch.float32)[:6].tolist() == [1.0, 1.0, 2.0, 2**-126, 2**-127, 2.0**127]
    assert torch.isnan(scales.to(torch.float32)[6:]).all()
    random = MXScaleTensor(size=(1000, )).random(low=0.25, high=4.0).to(torch.float32)
    assert random.min() >= 0.25 and random.max() <= 4.0 and len(set(random.tolist())) == 5


def test_mxfp_is_triton_s(torch, triton):
    from tessera.tools import mxfp as ours
    from triton.tools import mxfp as theirs
    values = torch.cat([torch.randn(4096), torch.tensor([0.0, -0.0, 0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 7.0, float("inf"), float("-inf")])])
    for name in ("MXFP4Tensor", "MXScaleTensor"):
        one, other = getattr(ours, name)(data=values.clone()), getattr(theirs, name)(data=values.clone())
        assert torch.equal(one.data, other.data), name
        assert torch.equal(torch.nan_to_num(one.to(torch.float32)), torch.nan_to_num(other.to(torch.float32))), name
    codes = theirs.MXFP4Tensor(size=(8, 6)).random()
    mine = ours.MXFP4Tensor(size=(8, 6))
    mine.data = codes.data
    assert torch.equal(mine.to_packed_tensor(1), codes.to_packed_tensor(1))
