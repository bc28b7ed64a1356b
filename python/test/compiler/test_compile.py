"""tessera.compile, its sources, what it returns and what it raises."""
import json
import pickle
import types

import features
import pytest

import tessera
import tessera.language as tl
from tessera.backends.compiler import GPUTarget, make_backend
from tessera.compiler import ASTSource, CompilationError

CUDA = GPUTarget("cuda", 90, 32)
CPU = GPUTarget("cpu", "native", 1)
needs_ptxas = pytest.mark.skipif(not features.ptxas(), reason=features.WHY_NOT["ptxas"])


@tessera.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, x + y, mask=inside)


SIGNATURE = {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}
ALIGNED = {(i, ): [["tt.divisibility", 16]] for i in range(3)}


def source(**changes):
    arguments = dict(fn=add_kernel, signature=SIGNATURE, constexprs={"BLOCK": 256}, attrs=ALIGNED)
    return ASTSource(**{**arguments, **changes})


# ---- what comes out ---------------------------------------------------------------------------------

@needs_ptxas
def test_every_stage_for_a_gpu_that_is_not_there():
    kernel = tessera.compile(source(), target=CUDA, options={"num_warps": 8})
    assert "tt.func public @add_kernel" in kernel.asm["ttir"]
    assert '"ttg.num-warps" = 8' in kernel.asm["ttgir"]
    assert "define " in kernel.asm["llir"]
    assert ".visible .entry add_kernel" in kernel.asm["ptx"]
    assert kernel.asm["cubin"][:4] == b"\x7fELF" and kernel.kernel == kernel.asm["cubin"]
    assert "tt.func public @add_kernel" in kernel.asm["source"]
    assert set(kernel.asm) == {"source", "ttir", "ttgir", "llir", "ptx", "cubin"}
    assert "ptx" in kernel.asm and "amdgcn" not in kernel.asm and kernel.asm.get("amdgcn") is None
    with pytest.raises(KeyError, match="no stage"):
        kernel.asm["amdgcn"]


@needs_ptxas
def test_metadata():
    kernel = tessera.compile(source(), target=CUDA, options={"num_warps": 8, "num_stages": 2})
    data = kernel.metadata
    assert list(data._fields) == sorted(data._fields)
    assert (data.name, data.target, data.num_warps, data.num_stages, data.num_ctas) == ("add_kernel", CUDA, 8, 2, 1)
    assert (data.shared, data.global_scratch_size, data.profile_scratch_size, data.tmem_size) == (0, 0, 0, 0)
    assert data.enable_fp_fusion is True and data.debug is False and data.arch == "sm90"
    assert kernel.packed_metadata == (8, 1, 0)
    assert kernel.name == "add_kernel" and kernel.hash == data.hash and len(kernel.hash) == 64
    assert kernel.n_regs > 0 and kernel.n_spills == 0  # as the assembler said; no device is needed
    assert kernel.src.fn is add_kernel


@needs_ptxas
def test_files_of_a_kernel(fresh_cache):
    kernel = tessera.compile(source(), target=CUDA)
    assert "add_kernel.ptx" in kernel.metadata_group and "add_kernel.json" in kernel.metadata_group
    with open(kernel.metadata_group["add_kernel.ptx"]) as file:
        assert file.read() == kernel.asm["ptx"]
    assert kernel.metadata_group["add_kernel.json"].startswith(str(fresh_cache))


def test_the_cpu_is_a_target(numpy):
    kernel = tessera.compile(source(), target=CPU)
    assert kernel.asm["obj"][:4] == b"\x7fELF"
    assert set(kernel.asm) == {"source", "ttir", "llir", "asm", "obj"}
    assert ".text" in kernel.asm["asm"]
    x, y, out = numpy.arange(300, dtype="float32"), numpy.ones(300, "float32"), numpy.zeros(300, "float32")
    kernel[(2, 1, 1)](x, y, out, 300, 256)
    assert numpy.array_equal(out, x + y)
    out[:] = 0
    kernel.run(2, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, x, y, out, 300, 256)
    assert numpy.array_equal(out, x + y)
    assert kernel.n_regs == 0 and kernel.n_spills == 0
    with pytest.raises(ValueError, match="three extents"):
        kernel[(2, )]


@pytest.mark.parametrize("signature", ["constexpr i32 *i32 i32", "i32 constexpr *i32 i32", "i32 constexpr *i32 constexpr",
                                       "constexpr constexpr *i32 constexpr", "constexpr constexpr *i32 i32"])
def test_constants_may_be_anywhere_among_the_arguments(numpy, signature):
    @tessera.jit
    def fill(a, b, out, c):
        tl.store(out, a * 100 + b * 10 + c)

    types = dict(zip(fill.arg_names, signature.split()))
    values = {"a": 1, "b": 2, "c": 3}
    constants = {name: value for name, value in values.items() if types[name] == "constexpr"}
    kernel, out = tessera.compile(ASTSource(fill, types, constants), target=CPU), numpy.zeros(1, "int32")
    kernel.run(1, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, 1, 2, out, 3)
    assert out[0] == 123


def launch_compiled(device, put, get, numpy, **options):
    """compile() for the device, then the two ways to launch what it returns."""
    from tessera.runtime.driver import target_of_device
    kernel = tessera.compile(source(), target=target_of_device("cpu" if device == "cpu" else "cuda:0"), options=options)
    x, y, out = (put(numpy.arange(300, dtype="float32")) for _ in range(3))
    kernel[(2, 1, 1)](x, y, out, 300, 256)
    assert numpy.array_equal(get(out), 2 * numpy.arange(300, dtype="float32"))
    stream = tessera.runtime.driver.active.get_current_stream(0) if device == "cuda" else 0
    kernel.run(2, 1, 1, stream, kernel.function, kernel.packed_metadata, None, None, None, out, y, out, 300, 256)
    assert numpy.array_equal(get(out), 3 * numpy.arange(300, dtype="float32"))
    return kernel


def test_a_compiled_kernel_is_launched(device, put, get, numpy):
    kernel = launch_compiled(device, put, get, numpy, num_warps=8)
    if device == "cuda":
        assert kernel.module and kernel.function and kernel.n_regs > 0 and kernel.n_max_threads >= 256
        assert kernel.metadata.target == tessera.runtime.driver.active.get_current_target()


def test_the_driver_assembles_where_there_is_no_ptxas(device, put, get, numpy, monkeypatch):
    from tessera.backends import description
    monkeypatch.setattr(description, "find_tool", lambda name: "")
    kernel = launch_compiled(device, put, get, numpy)
    assert ("cubin" in kernel.asm) is False


def test_a_compiled_kernel_can_be_pickled(numpy):
    kernel = tessera.compile(source(), target=CPU)
    kernel.asm["llir"]
    x, out = numpy.arange(256, dtype="float32"), numpy.zeros(256, "float32")
    for state in ("new", "loaded"):
        copy = pickle.loads(pickle.dumps(kernel))
        assert copy.hash == kernel.hash and copy.metadata == kernel.metadata and copy.asm["ttir"] == kernel.asm["ttir"]
        assert copy.metadata_group["add_kernel.ttir"] == kernel.metadata_group["add_kernel.ttir"]
        copy[(1, 1, 1)](x, x, out, 256, 256)
        assert numpy.array_equal(out, 2 * x)
        kernel._init_handles()


def test_targets_in_words():
    assert tessera.compile(source(), target="cpu").metadata.target == CPU
    assert GPUTarget.parse("cuda:90") == CUDA == GPUTarget.parse("cuda:90:32")
    assert GPUTarget.parse("hip:gfx942") == GPUTarget("hip", "gfx942", 64)
    assert GPUTarget.parse("hip:gfx1201") == GPUTarget("hip", "gfx1201", 32) == GPUTarget.parse("hip:gfx1201:32")
    with pytest.raises(ValueError, match="written like"):
        GPUTarget.parse("cuda")
    with pytest.raises(RuntimeError, match="no backend"):
        tessera.compile(source(), target=GPUTarget("tpu", 5, 1))


def test_without_an_assembler_the_driver_gets_ptx(monkeypatch, tmp_path):
    from tessera.backends import description
    monkeypatch.setattr(description, "find_tool", lambda name: "")
    kernel = tessera.compile(source(), target=CUDA)
    assert ".visible .entry add_kernel" in kernel.asm["ptx"] and kernel.kernel == kernel.asm["ptx"]
    assert "cubin" not in kernel.asm


def test_options_change_the_key():
    hashes = {tessera.compile(source(), target=CPU, options=options).hash
              for options in ({}, {"debug": True}, {"enable_fp_fusion": False})}
    assert len(hashes) == 3
    assert tessera.compile(source(), target=CPU).hash == tessera.compile(source(), target=CPU, options={}).hash


# ---- sources ----------------------------------------------------------------------------------------

def test_constants_by_name_and_by_path(numpy):
    by_path = source(constexprs={(4, ): 256})
    assert by_path.constants == source().constants == {(4, ): 256}
    assert by_path.hash() == source().hash() != source(constexprs={"BLOCK": 128}).hash()
    with pytest.raises(TypeError, match="names"):
        ASTSource(add_kernel, {0: "*fp32"})
    with pytest.raises(TypeError, match="path"):
        source(constexprs={4: 256})


@tessera.jit
def mixed_kernel(a, out_ptr, C: tl.constexpr, D: tl.constexpr):
    tl.store(out_ptr, a + C * 10 + D)


@pytest.mark.parametrize("signature", [
    {"out_ptr": "*i32", "a": "i32", "C": "constexpr", "D": "constexpr"},
    {"D": "constexpr", "out_ptr": "*i32", "C": "constexpr", "a": "i32"},
    {"a": "i32", "out_ptr": "*i32"},
    {"out_ptr": "*i32", "D": "constexpr", "a": "i32"},
    {"a": "i32", "out_ptr": "*i32", "C": "i32", "D": "constexpr"},
    {"a": "i32", "out_ptr": "*i32", "C": "constexpr[1]", "D": "fp32"},
], ids=lambda signature: "-".join(signature))
def test_a_signature_in_any_order(numpy, signature):
    """Of names alone: constants may be missing in it, and are constants whatever type it gives them."""
    made = ASTSource(mixed_kernel, signature, {"C": 1, "D": 2}, {(1, ): [["tt.divisibility", 16]]})
    assert list(made.signature) == mixed_kernel.arg_names
    kernel, out = tessera.compile(made, target=CPU), numpy.zeros(1, "int32")
    assert "@mixed_kernel(%a: i32" in kernel.asm["ttir"] and "%out_ptr: !tt.ptr<i32> {tt.divisibility = 16" in kernel.asm["ttir"]
    kernel[(1, 1, 1)](100, out, 1, 2)
    assert out[0] == 112


def test_constants_that_are_not_given_are_none():
    kernel = ASTSource(optional_kernel, {"out_ptr": "*i32", "LIMIT": "constexpr"})
    assert "arith.constant 7" in tessera.compile(kernel, target=CPU).asm["ttir"]
    assert "arith.constant 7" in tessera.compile(ASTSource(optional_kernel, {"out_ptr": "*i32"}), target=CPU).asm["ttir"]


@tessera.jit
def optional_kernel(out_ptr, LIMIT: tl.constexpr):
    tl.store(out_ptr, 7 if LIMIT is None else LIMIT)


def test_a_signature_that_does_not_fit():
    with pytest.raises(ValueError, match="'b' of the signature is no parameter of 'mixed_kernel', which has a, out_ptr, C, D"):
        ASTSource(mixed_kernel, {"a": "i32", "b": "*i32"})
    with pytest.raises(ValueError, match="lacks the type of 'out_ptr'"):
        ASTSource(mixed_kernel, {"a": "i32", "C": "constexpr"}, {"D": 1})


@pytest.mark.parametrize("stage", ["ttir", "llir"])
def test_a_stage_as_a_file(stage, tmp_path, numpy):
    first = tessera.compile(source(), target=CPU)
    path = tmp_path / f"k.{stage}"
    path.write_text(first.asm[stage])
    kernel = tessera.compile(str(path), target=CPU)
    assert kernel.asm["obj"][:4] == b"\x7fELF" and kernel.name == "add_kernel"
    if stage == "ttir":
        x, out = numpy.arange(256, dtype="float32"), numpy.zeros(256, "float32")
        kernel[(1, 1, 1)](x, x, out, 256)
        assert numpy.array_equal(out, x + x)
        assert kernel.metadata.name == "add_kernel"


@needs_ptxas
@pytest.mark.parametrize("stage", ["ttir", "ttgir", "llir", "ptx"])
def test_a_stage_for_a_gpu_as_a_file(stage, tmp_path):
    first = tessera.compile(source(), target=CUDA, options={"num_warps": 2})
    path = tmp_path / f"k.{stage}"
    path.write_text(first.asm[stage])
    kernel = tessera.compile(path, target=CUDA, options={"num_warps": 2})
    assert kernel.asm["cubin"][:4] == b"\x7fELF" and kernel.name == "add_kernel"
    if stage == "ttgir":
        assert tessera.compile(path, target=CUDA).metadata.num_warps == 2  # the file says so


# ---- what is raised ---------------------------------------------------------------------------------

@tessera.jit
def wrong_kernel(x_ptr):
    a = tl.arange(0, 8)
    b = tl.arange(0, 16)
    tl.store(x_ptr + a, a + b)


@tessera.jit
def strict_kernel(x_ptr, N: tl.constexpr):
    tl.static_assert(N % 2 == 0, "N must be even")
    tl.store(x_ptr, N)


def test_a_wrong_kernel():
    with pytest.raises(CompilationError) as caught:
        tessera.compile(ASTSource(wrong_kernel, {"x_ptr": "*i32"}), target=CPU)
    error = caught.value
    assert isinstance(error, tessera.TritonError)
    assert "a + b" in str(error) and "test_compile.py:" in str(error) and "error:" in str(error)
    assert error.node.lineno == 4 and error.src.startswith("def wrong_kernel")
    assert error.src.split("\n")[error.node.lineno - 1].strip().startswith("tl.store")
    assert error.path == __file__
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is CompilationError and str(copy) == str(error) and copy.node.lineno == 4
    assert error.__cause__ is None


def test_a_failed_static_assert():
    with pytest.raises(tessera.compiler.CompileTimeAssertionFailure, match="N must be even"):
        tessera.compile(ASTSource(strict_kernel, {"x_ptr": "*i32", "N": "constexpr"}, {"N": 3}), target=CPU)
    tessera.compile(ASTSource(strict_kernel, {"x_ptr": "*i32", "N": "constexpr"}, {"N": 4}), target=CPU)


@tessera.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    rows, columns, inner = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK)
    a_ptrs = a_ptr + rows[:, None] * 4096 + inner[None, :]
    b_ptrs = b_ptr + inner[:, None] * 4096 + columns[None, :]
    acc = tl.zeros((M, N), dtype=tl.float32)
    for k in range(0, K):
        acc += tl.dot(tl.load(a_ptrs), tl.load(b_ptrs))
        a_ptrs += BLOCK
        b_ptrs += BLOCK * 4096
    tl.store(c_ptr + rows[:, None] * 4096 + columns[None, :], acc)


def test_too_much_shared_memory():
    from tessera.runtime.errors import OutOfResources
    signature = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp32", "K": "i32", "M": "constexpr", "N": "constexpr",
                 "BLOCK": "constexpr"}
    matmul = ASTSource(matmul_kernel, signature, {"M": 64, "N": 64, "BLOCK": 1024},
                       {(i, ): [["tt.divisibility", 16]] for i in range(3)})
    with pytest.raises(OutOfResources) as caught:
        tessera.compile(matmul, target="cuda:86", options={"num_warps": 8})
    assert caught.value.required > caught.value.limit == 101376 and caught.value.name == "shared memory"
    assert "Hardware limit: 101376" in str(caught.value)
    assert pickle.loads(pickle.dumps(caught.value)).required == caught.value.required


@tessera.jit
def assembly_kernel(x_ptr):
    x = tl.inline_asm_elementwise("no.such.instruction $0, $1;", "=r,r", [tl.load(x_ptr)], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(x_ptr, x)


@needs_ptxas
def test_the_assembler_refuses():
    from tessera.runtime.errors import PTXASError
    with pytest.raises(PTXASError, match="no.such.instruction"):
        tessera.compile(ASTSource(assembly_kernel, {"x_ptr": "*i32"}), target=CUDA)


def test_a_failure_of_our_own_says_how_to_repeat_it(tmp_path, monkeypatch, fresh_cache):
    from tessera.runtime.errors import PTXASError
    tool = tmp_path / "ptxas"
    tool.write_text("#!/bin/sh\necho 'ptxas fatal   : it is broken' >&2\nexit 3\n")
    tool.chmod(0o755)
    monkeypatch.setenv("TRITON_PTXAS_PATH", str(tool))
    monkeypatch.setenv("TRITON_REPRODUCER_PATH", str(tmp_path))
    with pytest.raises(PTXASError) as caught:
        tessera.compile(source(), target=CUDA, options={"num_warps": 8, "enable_fp_fusion": False})
    text, path = str(caught.value), tmp_path / "tessera-reproducer-add_kernel.ptx"
    assert "it is broken" in text
    assert f"tessera compile {path} --target cuda:90 --emit cubin --num-warps 8 --no-enable-fp-fusion" in text
    assert ".visible .entry add_kernel" in path.read_text()


def test_small_tensors_for_amd():
    """The key "S" promises a tensor of less than 2 GiB, which buffer instructions need; it means nothing to other backends."""
    backend = make_backend(GPUTarget("hip", "gfx942", 64))

    class Tensor:
        def __init__(self, size):
            self.size = size

        def data_ptr(self):
            return 64

        def untyped_storage(self):
            return types.SimpleNamespace(size=lambda: self.size)

    assert backend.get_tensor_specialization(Tensor(2**31 - 1), align=True) == "DS"
    assert backend.get_tensor_specialization(Tensor(2**31), align=True) == "D"
    assert backend.parse_attr("DS") == [["tt.divisibility", 16], ["tt.pointer_range", 32]]
    assert make_backend(GPUTarget("cuda", 90, 32)).parse_attr("DS") == [["tt.divisibility", 16]]
    for key, count in [("D", 0), ("S", 3), ("DS", 3)]:
        program = source(attrs={(index,): backend.parse_attr(key) for index in range(3)})
        assert tessera.compile(program, target=GPUTarget("hip", "gfx942", 64)).asm["ttgir"].count("amdg.buffer_") == count


@pytest.mark.parametrize("chip, lanes", [("gfx942", 64), ("gfx1100", 32)])
def test_amd_gpus(chip, lanes):
    kernel = tessera.compile(source(), target=GPUTarget("hip", chip, lanes), options={"num_warps": 8, "waves_per_eu": 2})
    assert f'.amdgcn_target "amdgcn-amd-amdhsa--{chip}' in kernel.asm["amdgcn"]
    assert kernel.asm["hsaco"][:4] == b"\x7fELF" and kernel.asm["hsaco"][18] == 224  # EM_AMDGPU
    assert {"ttir", "ttgir", "llir", "amdgcn", "hsaco"} <= set(kernel.asm) and "ptx" not in kernel.asm
    assert kernel.metadata.warp_size == lanes and kernel.metadata.num_stages == 2 and kernel.metadata.waves_per_eu == 2
    assert "amdgpu-waves-per-eu" in kernel.asm["llir"] and f'"threads_per_warp": {lanes}' in json.dumps(kernel.record)


def test_options_of_amd_gpus():
    backend = make_backend(GPUTarget("hip", "gfx942", 64))
    assert backend.binary_ext == "hsaco" and backend.flags(backend.parse_options({})) == '{"num-stages": 2}'
    options = backend.parse_options({"matrix_instr_nonkdim": 16, "kpack": 2, "allow_flush_denorm": True})
    assert json.loads(backend.flags(options)) == {"allow-flush-denorm": True, "kpack": 2, "matrix-instr-nonkdim": 16, "num-stages": 2}
    assert options.waves_per_eu == 0 and options.backend_name == "hip" and "tf32" in options.allowed_dot_input_precisions
    assert "tf32" not in make_backend("hip:gfx1100").parse_options({}).allowed_dot_input_precisions
    with pytest.raises(ValueError, match="clusters, which gfx942 does not have"):
        backend.parse_options({"num_ctas": 2})
    # Other targets take them, too, so that one launch fits all; nothing changes there.
    nvidia = make_backend(CUDA)
    assert nvidia.flags(nvidia.parse_options({"waves_per_eu": 0, "kpack": 1})) == ""


def test_amd_chips_that_are_not_there():
    with pytest.raises(CompilationError, match="hip:gfx803.*hip:gfx942"):
        tessera.compile(source(), target=GPUTarget("hip", "gfx803", 64))


def test_a_wrong_file(tmp_path):
    path = tmp_path / "k.ttir"
    path.write_text("nonsense")
    with pytest.raises(CompilationError, match="nonsense") as caught:
        tessera.compile(str(path), target=CPU)
    assert (caught.value.path, caught.value.line) == (str(path), 1) and caught.value.one_line.startswith("k.ttir:1:1: error: ")
    with pytest.raises(AssertionError, match="GPUTarget"):
        tessera.compile(source(), target=90)
    with pytest.raises(AssertionError, match="ASTSource"):
        tessera.compile(add_kernel, target=CPU)


def test_errors_can_be_made_by_hand():
    error = CompilationError("def f():\n  pass", tessera.compiler.errors.SourcePlace(2, 2), "no")
    assert str(error) == "at 2:2:\ndef f():\n  pass\n  ^\nno"


# ---- libdevice --------------------------------------------------------------------------------------

@tessera.jit
def libdevice_kernel(x_ptr):
    tl.store(x_ptr, tl.extra.libdevice.log1p(tl.load(x_ptr)))


@pytest.mark.skipif(not features.libdevice(), reason=features.WHY_NOT["libdevice"])
def test_libdevice_flushes_subnormal_numbers_unless_told(monkeypatch):
    monkeypatch.setenv("TRITON_LIBDEVICE_PATH", features.libdevice())
    kernel = ASTSource(libdevice_kernel, {"x_ptr": "*fp32"})
    assert ".ftz.f32" in tessera.compile(kernel, target=CUDA).asm["ptx"]
    assert ".ftz.f32" not in tessera.compile(kernel, target=CUDA, options={"enable_reflect_ftz": False}).asm["ptx"]


@tessera.jit
def plain_kernel(x_ptr):
    tl.store(x_ptr, 1.0)


@pytest.mark.parametrize("kernel", [libdevice_kernel, plain_kernel], ids=lambda kernel: kernel.__name__)
def test_a_library_that_does_not_exist(kernel, tmp_path):
    """As in Triton, whether the kernel calls it or not."""
    path = str(tmp_path / "lib" / "libdevice.10.bc")
    with pytest.raises(FileNotFoundError, match="extern_libs: there is no such file for libdevice") as caught:
        tessera.compile(ASTSource(kernel, {"x_ptr": "*fp32"}), target=CUDA, options={"extern_libs": {"libdevice": path}})
    assert caught.value.filename == path
    tessera.compile(ASTSource(plain_kernel, {"x_ptr": "*fp32"}), target=CPU, options={"extern_libs": {"libdevice": path}})


@pytest.mark.parametrize("how", ["extern_libs", "TRITON_LIBDEVICE_PATH"])
def test_a_library_that_is_none(how, tmp_path, monkeypatch):
    path = tmp_path / "libdevice.10.bc"
    path.write_text("no bitcode")
    options = {"extern_libs": {"libdevice": str(path)}} if how == "extern_libs" else {}
    if how != "extern_libs":
        monkeypatch.setenv("TRITON_LIBDEVICE_PATH", str(path))
    with pytest.raises(tessera.compiler.errors.UnsupportedLanguageConstruct, match="which is no device library") as caught:
        tessera.compile(ASTSource(libdevice_kernel, {"x_ptr": "*fp32"}), target=CUDA, options=options)
    assert "bug in Tessera" not in str(caught.value)


def test_a_variable_that_names_no_library(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_LIBDEVICE_PATH", str(tmp_path / "nothing.bc"))
    with pytest.raises(tessera.compiler.errors.UnsupportedLanguageConstruct, match="which cannot be read: No such file"):
        tessera.compile(ASTSource(libdevice_kernel, {"x_ptr": "*fp32"}), target=CUDA)


@pytest.mark.skipif(not features.libdevice(), reason=features.WHY_NOT["libdevice"])
def test_a_library_by_its_path(tmp_path, monkeypatch):
    import shutil
    monkeypatch.setenv("TRITON_LIBDEVICE_PATH", str(tmp_path / "nothing.bc"))  # the program's own choice comes first
    path = shutil.copy(features.libdevice(), tmp_path / "another.bc")
    kernel = tessera.compile(ASTSource(libdevice_kernel, {"x_ptr": "*fp32"}), target=CUDA,
                             options={"extern_libs": {"libdevice": str(path)}})
    assert ".visible .entry libdevice_kernel" in kernel.asm["ptx"]


# ---- prints -----------------------------------------------------------------------------------------

@tessera.jit
def print_kernel(n):
    tl.device_print("n", n)


def test_every_thread_prints_if_asked(monkeypatch):
    source = ASTSource(print_kernel, {"n": "i32"})
    once = tessera.compile(source, target=CUDA).asm["ptx"]
    assert "%tid.x" in once
    every = tessera.compile(source, target=CUDA, options={"print_every_thread": True}).asm["ptx"]
    assert "%tid.x" not in every and "vprintf" in every
    monkeypatch.setenv("TESSERA_PRINT_EVERY_THREAD", "1")
    assert tessera.compile(source, target=CUDA).asm["ptx"] == every


def test_the_knob_prints_rows(snippet):
    text = """
import numpy, tessera, tessera.language as tl

@tessera.jit
def shows(x_ptr, BLOCK: tl.constexpr):
    tl.device_print("x", tl.load(x_ptr + tl.arange(0, BLOCK)), BLOCK)

shows[(1,)](numpy.arange(64, dtype="float32"), BLOCK=64)
"""
    row = "pid (0, 0, 0) x: [0, 1, 2, 3, ..., 60, 61, 62, 63], 64\n"
    assert snippet(text, env={"TESSERA_PRINT_ROWS": "1"}).stdout == row
    assert snippet(text.replace("BLOCK=64", "BLOCK=64, print_rows=True")).stdout == row
    assert len(snippet(text).stdout.split("\n")) == 64 + 1 + 1
