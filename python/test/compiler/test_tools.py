"""tessera.tools: linking variants that were compiled ahead of time, disassembly, MX formats, ragged descriptors."""
import ctypes
import os
import shutil
import subprocess
import textwrap

import pytest

import features
from places import BUILD
from tessera.tools import disasm, link


def test_tools_are_imported_when_they_are_used(snippet):
    snippet("""if True:
        import sys, tessera
        assert "tessera.tools" not in sys.modules
        tessera.tools.tensor_descriptor.TensorDescriptor
        assert "disasm" in dir(tessera.tools) and "tessera.tools.disasm" not in sys.modules
        assert not hasattr(tessera.tools, "missing")
        """)


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


# ---- compile --------------------------------------------------------------------------------------

KERNELS = textwrap.dedent("""\
    import triton
    import triton.language as tl
    from helper import scale

    FACTOR = tl.constexpr(int("3"))  # what only Python can tell

    @triton.jit
    def fused(x, y, n, alpha, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + at, scale(tl.load(x + at, at < n)) * alpha * FACTOR, at < n)

    @triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=[])
    @triton.jit
    def tuned(x, BLOCK: tl.constexpr):
        tl.store(x + tl.arange(0, BLOCK), 1.0)

    number = 5
    """)
HELPER = "import triton\n\n@triton.jit\ndef scale(x):\n    return x * 2\n"

# The part of CUDA's driver that launchers call, noting what it is told.
DRIVER = textwrap.dedent("""\
    #include <string.h>
    typedef unsigned U;
    unsigned char binary[4]; char name[64]; unsigned grid[3], block, shared; unsigned long long x, y; int n; float alpha;
    int cuModuleLoadData(void **module, const void *data) { memcpy(binary, data, 4); *module = binary; return 0; }
    int cuModuleUnload(void *module) { return 0; }
    int cuModuleGetFunction(void **function, void *module, const char *symbol) { strcpy(name, symbol); *function = name; return 0; }
    int cuFuncSetAttribute(void *function, int which, int value) { return 0; }
    int cuGetErrorString(int error, const char **text) { return 0; }
    int cuMemAllocAsync(void *a, unsigned long b, void *c) { return 1; }
    int cuMemFreeAsync(unsigned long long a, void *b) { return 1; }
    int cuLaunchKernelEx(const void *config, void *function, void **arguments, void **extra) { return 1; }
    int cuLaunchKernel(void *function, U gx, U gy, U gz, U bx, U by, U bz, U bytes, void *stream, void **arguments, void **extra) {
      grid[0] = gx; grid[1] = gy; grid[2] = gz; block = bx * by * bz; shared = bytes;
      x = *(unsigned long long *)arguments[0]; y = *(unsigned long long *)arguments[1]; n = *(int *)arguments[2]; alpha = *(float *)arguments[3];
      return 0;
    }
    """)


@pytest.fixture
def aot(tmp_path, python_process):
    """aot(*flags, status=0) runs tools.compile on KERNELS."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "helper.py").write_text(HELPER)
    return lambda *flags, status=0: python_process("-m", "tessera.tools.compile", "kernels.py", *flags, status=status)


needs_ptxas = pytest.mark.skipif(features.ptxas() is None, reason=features.WHY_NOT["ptxas"])


@needs_ptxas
def test_compile_and_link_and_launch(aot, python_process, tmp_path):
    grid = ["--grid", "(n + 63) / 64, 1, 1", "--target", "cuda:90:32", "--num-warps", "2"]
    aot("-n", "fused", "-s", "*fp32:16, *fp32:16, i32, fp32, 64", *grid, "-o", "out/fused")
    aot("-n", "fused", "-s", "*fp32, *fp32, i32, fp32, 64", *grid, "-o", "out/fused")
    python_process("-m", "tessera.tools.link", *sorted(map(str, (tmp_path / "out").glob("*.h"))), "-o", "out/linked")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert len(names) == 6 and [name for name in names if name.endswith("_0d1d234.c")] and [name for name in names if name.endswith("_01234.h")]
    (tmp_path / "driver.c").write_text(DRIVER)
    library = str(tmp_path / "all.so")
    sources = [str(path) for path in (tmp_path / "out").glob("*.c")]
    subprocess.run([c_compiler(), "-Wall", "-Wextra", "-Werror", "-c", *sources], check=True, cwd=str(tmp_path))
    objects = [str(path) for path in tmp_path.glob("*.o")]
    subprocess.run([c_compiler(), "-w", "-shared", "-fPIC", *sources, str(tmp_path / "driver.c"), "-o", library], check=True)
    assert len(objects) == 3
    cuda = ctypes.CDLL(library)
    call = cuda.fused_64_warps2xstages3
    call.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int32, ctypes.c_float]
    assert call(None, 4096, 8192, 100, 1.5) == 0
    value = lambda kind, name: kind.in_dll(cuda, name).value  # noqa: E731
    assert bytes((ctypes.c_char * 4).in_dll(cuda, "binary")) == b"\x7fELF"
    assert (ctypes.c_char * 64).in_dll(cuda, "name").value == b"fused"
    assert list((ctypes.c_uint * 3).in_dll(cuda, "grid")) == [2, 1, 1] and value(ctypes.c_uint, "block") == 64
    assert (value(ctypes.c_uint64, "x"), value(ctypes.c_uint64, "y"), value(ctypes.c_int, "n")) == (4096, 8192, 100)
    assert value(ctypes.c_float, "alpha") == 1.5
    assert call(None, 4096, 8192, 0, 1.5) == 0 and list((ctypes.c_uint * 3).in_dll(cuda, "grid")) == [2, 1, 1]  # nothing to launch


@needs_ptxas
def test_paths_of_triton_s_scripts_run_ours(python_process, tmp_path):
    """As Triton's users call them: by the path of a file in its package."""
    tools = tmp_path / "site" / "triton" / "tools"
    tools.mkdir(parents=True)
    for folder in (tools, tools.parent):
        (folder / "__init__.py").write_text("")
    for name in ("compile.py", "link.py"):
        (tools / name).write_text("print('theirs')")
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "helper.py").write_text(HELPER)
    flags = ["kernels.py", "-n", "fused", "-s", "*fp32:16, *fp32, i32, fp32, 64", "-g", "n,1,1", "-t", "cuda:80"]
    python_process("-m", "tessera", tools / "compile.py", *flags, "-o", "a/one")
    python_process("-m", "tessera.tools.compile", *flags, "-o", "b/one")
    written = sorted((tmp_path / "a").iterdir())
    assert len(written) == 2 and [path.read_text() for path in written] == [path.read_text() for path in sorted((tmp_path / "b").iterdir())]
    assert python_process("-m", "tessera", tools / "link.py", written[1], "-o", "linked").stdout == ""
    assert "fused_64_warps1xstages3" in (tmp_path / "linked.h").read_text()
    # A file of that name elsewhere is a program of its own.
    (tmp_path / "compile.py").write_text("print('mine')")
    assert python_process("-m", "tessera", "compile.py").stdout == "mine\n"


def test_triton_s_scripts_find_the_compiler_at_the_kernel(snippet):
    """They read it there, after create_binder()."""
    snippet(textwrap.dedent("""\
        import triton
        from triton.compiler import ASTSource
        @triton.jit
        def empty():
            pass
        empty.create_binder()
        assert empty.ASTSource is ASTSource and empty.compile is triton.compile
    """), flags=["-m", "tessera"])


@needs_ptxas
def test_compile_names_files_as_the_command_line(aot, tmp_path):
    """An argument that is 1 included: it stays in the linker's signature alone."""
    flags = ["-n", "tuned", "-s", "*fp32:16, 64", "-g", "1,1,1", "-w", "4", "-on", "mine", "-t", "cuda:80"]
    aot(*flags, "-o", "ours")
    aot("-n", "fused", "-s", "*fp32, *fp32, i32:1, fp32, 64", "-g", "n,1,1", "-t", "cuda:80", "-o", "one")
    header = next(tmp_path.glob("one.*.h")).read_text()
    assert next(tmp_path.glob("one.*.h")).name.endswith("_012c34.h") and ":64x1_warps1xstages3" in header
    assert "int32_t n" in header.split("tt-linker")[1].split("\n")[0] and "int32_t n" not in header.split("\nCUresult fused")[-1]
    program = os.path.join(BUILD, "bin", "tessera")
    if os.path.exists(program):
        (tmp_path / "one.py").write_text("import triton\nimport triton.language as tl\n\n@triton.jit\n"
                                         + KERNELS[KERNELS.index("def tuned"):].split("\n\n")[0] + "\n")
        subprocess.run([program, "compile", "one.py", *flags, "-o", "theirs"], cwd=str(tmp_path), check=True)
        ours, theirs = (next(tmp_path.glob(f"{whose}.*.h")) for whose in ("ours", "theirs"))
        assert ours.name.partition(".")[2] == theirs.name.partition(".")[2] and ours.read_text() == theirs.read_text()


@pytest.mark.parametrize("flags, message", [
    (["-n", "missing", "-s", "i32"], "kernels.py has no such name; its kernels are: fused, scale"),
    (["-n", "number", "-s", "i32"], "has a int of that name"),
    (["-n", "fused", "-s", "i32"], "the signature has 1 entry, and fused has 5 parameters: x, y, n, alpha, BLOCK"),
    (["-n", "fused", "-s", "*fp32:8,*fp32,i32,fp32,64"], "'*fp32:8' for x: only :1 and :16 may follow a type"),
    (["-n", "fused", "-s", "*fp32,*fp32,i32,fp32,48"], "power of"),
    (["-n", "fused", "-s", "*fp32,*fp32,i32,fp32,64", "-g", "1,2,3,4"], "is not three expressions"),
    *[(["-n", "fused", "-s", "*fp32,*fp32,i32,fp32,64", "-g", grid], message) for grid, message in [
        ("a,b", "'a' is no parameter of 'fused'; there are n, alpha, BLOCK"), ("0", "at least one program along each axis"),
        ("n;", "stands where an operator is expected"), ("n // 4 /* x */", "stands where a parameter or a number is expected"),
        ("x", "'x' is a *fp32, which is no number in C"), ("system(n)", "is a call")]],
])
def test_compile_says_what_is_wrong(aot, flags, message, tmp_path):
    grid = [] if "-g" in flags else ["-g", "1,1,1"]
    done = aot(*flags, *grid, "-t", "cuda:90", status=1)
    assert message in done.stderr and "Traceback" not in done.stderr
    assert sorted(name for name in os.listdir(tmp_path) if not name.startswith("__")) == ["helper.py", "kernels.py"]


# ---- ragged descriptors ---------------------------------------------------------------------------

def test_ragged(snippet, torch):
    """Batches of rows: loads beyond a batch give zeros, stores there write nothing, whatever the tensor has there."""
    snippet(textwrap.dedent("""
        import torch, tessera, tessera.language as tl
        from tessera.tools.ragged_tma import create_ragged_descriptor, load_ragged, store_ragged

        @tessera.jit
        def copy(source, target, begin, count, row, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
            block = load_ragged(source, begin, count, [row, 0])
            store_ragged(target, begin, count, [row, 0], block + 1.0)

        x = torch.arange(64 * 16, dtype=torch.float32).reshape(64, 16)
        y = torch.zeros_like(x)
        source, target = create_ragged_descriptor(x, [8, 16]), create_ragged_descriptor(y, [8, 16])
        expected = torch.zeros_like(x)
        for begin, count in [(3, 5), (20, 8), (40, 13)]:
            expected[begin:begin + count] = x[begin:begin + count] + 1
            for row in range(0, count, 8):
                copy[(1,)](source, target, begin, count, row, 8, 16)
        assert torch.equal(y, expected)
        """))


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


@needs_ptxas
def test_sass_of_a_kernel(snippet):
    try:
        from tessera import knobs
        path = knobs.nvidia.cuobjdump.path
    except RuntimeError:
        pytest.skip("no cuobjdump on this machine")
    snippet(textwrap.dedent("""
        import tessera, tessera.language as tl
        from tessera.compiler import ASTSource
        from tessera.tools.disasm import get_sass

        @tessera.jit
        def add(x, n):
            at = tl.arange(0, 64)
            for i in range(n):
                tl.store(x + at, tl.load(x + at) + i)

        kernel = tessera.compile(ASTSource(add, {"x": "*fp32", "n": "i32"}), target="cuda:90")
        sass = kernel.asm["sass"]
        assert sass.startswith("Function:add\\n") and "EXIT;" in sass and "LBB0:" in sass and "BRA LBB" in sass
        assert sass == get_sass(kernel.asm["cubin"])
        assert sass == get_sass(kernel.asm["cubin"], "add")
        assert get_sass(kernel.asm["cubin"], "subtract") is None
        """), env={"TRITON_CUOBJDUMP_PATH": path})


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
