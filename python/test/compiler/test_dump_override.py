"""TRITON_KERNEL_DUMP, TRITON_KERNEL_OVERRIDE, ir_override, and what prints while compiling."""
import os

import features
import pytest

import tessera
import tessera.language as tl

needs_ptxas = pytest.mark.skipif(not features.ptxas(), reason=features.WHY_NOT["ptxas"])


@tessera.jit
def combine_kernel(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + tl.load(y_ptr + offsets))


def source():
    signature = {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32", "BLOCK": "constexpr"}
    return tessera.compiler.ASTSource(combine_kernel, signature, {"BLOCK": 16})


@pytest.fixture
def folders(tmp_path, monkeypatch, fresh_cache):
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "dump"))
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path / "override"))
    return tmp_path / "dump", tmp_path / "override"


def run(numpy, **options):
    """A launch with a new function object, so that nothing is remembered."""
    kernel = tessera.jit(combine_kernel.fn)
    x, y, out = numpy.full(16, 5, "float32"), numpy.full(16, 3, "float32"), numpy.zeros(16, "float32")
    return kernel[(1, )](x, y, out, BLOCK=16, **options), out[0]


def test_dumping_works_on_hits_and_changes_nothing(folders, numpy, monkeypatch):
    dump, _ = folders
    plain, value = run(numpy)
    assert value == 8 and not dump.exists()
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    dumped, value = run(numpy)
    assert value == 8 and dumped.hash == plain.hash and dumped._native_kernel.is_cached
    folder, = os.listdir(dump)
    assert sorted(os.listdir(dump / folder)) == [f"combine_kernel.{stage}" for stage in ("asm", "llir", "obj", "remarks", "ttir")]
    assert "arith.addf" in (dump / folder / "combine_kernel.ttir").read_text()


@needs_ptxas
def test_dumping_for_a_gpu(folders, monkeypatch, capsys):
    dump, _ = folders
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    tessera.compile(source(), target="cuda:90")
    folder, = os.listdir(dump)
    assert {f"combine_kernel.{stage}" for stage in ("ttir", "ttgir", "llir", "ptx", "cubin")} <= set(os.listdir(dump / folder))
    assert "combine_kernel.sass" in os.listdir(dump / folder) or "no sass" in capsys.readouterr().err


def test_overriding_a_stage(folders, numpy, monkeypatch, capsys):
    dump, override = folders
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    run(numpy)
    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    folder, = os.listdir(dump)
    (override / folder).mkdir(parents=True)
    text = (dump / folder / "combine_kernel.ttir").read_text()
    path = override / folder / "combine_kernel.ttir"
    path.write_text(text.replace("arith.addf", "arith.mulf"))
    assert run(numpy)[1] == 8  # only on demand
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    capsys.readouterr()
    assert run(numpy)[1] == 15
    assert str(path) in capsys.readouterr().out
    path.write_text(text.replace("arith.addf", "arith.subf"))  # the key has its text
    assert run(numpy)[1] == 2
    path.write_text("nonsense")
    with pytest.raises(tessera.CompilationError, match="nonsense"):
        run(numpy)


def test_ir_override_as_an_option(tmp_path, numpy):
    kernel, value = run(numpy)
    assert value == 8
    path = tmp_path / "other.llir"
    path.write_text(kernel.asm["llir"].replace("fadd", "fsub"))
    changed, value = run(numpy, ir_override=str(path))
    assert value == 2 and "fsub" in changed.asm["llir"] and changed.hash != kernel.hash
    with pytest.raises(tessera.TritonError, match="does not end like"):
        run(numpy, ir_override=str(tmp_path / "other.xyz"))
    with pytest.raises(tessera.TritonError, match="missing"):
        run(numpy, ir_override=str(tmp_path / "missing.ttir"))


PROGRAM = """
import numpy, tessera, tessera.language as tl
@tessera.jit
def fill(x_ptr):
    tl.static_print("compiling fill")
    tl.store(x_ptr + tl.arange(0, 8), 7)
x = numpy.zeros(8, "int32")
fill[(1,)](x)
assert (x == 7).all()
"""


@pytest.mark.parametrize("name, shown", [("1", True), ("fill", True), ("other", False), ("0", False)])
def test_passes_are_printed(name, shown, snippet, numpy, fresh_cache):
    snippet(PROGRAM, name="p.py")  # passes that are asked for run although the cache has the kernel
    done = snippet(PROGRAM, name="p.py", env={"MLIR_ENABLE_DUMP": name})
    assert ("IR Dump After" in done.stderr) is shown


def test_passes_are_printed_to_a_file(snippet, numpy, tmp_path):
    path = tmp_path / "passes.mlir"
    done = snippet(PROGRAM, env={"MLIR_ENABLE_DUMP": "1", "MLIR_DUMP_PATH": path})
    assert "IR Dump" not in done.stderr and "IR Dump After" in path.read_text()


def test_llvm_ir_is_printed(snippet, numpy):
    assert "define " in snippet(PROGRAM, env={"LLVM_IR_ENABLE_DUMP": "1"}).stderr


def test_times_are_printed(snippet, numpy, fresh_cache):
    for _ in range(2):
        done = snippet(PROGRAM, name="p.py", env={"MLIR_ENABLE_TIMING": "1"})
        assert "fill: frontend" in done.stderr and " obj " in done.stderr


def test_static_print_prints(snippet, numpy, fresh_cache):
    assert "compiling fill" in snippet(PROGRAM, name="p.py").stdout


@needs_ptxas
def test_ptx_and_the_assembler_are_printed(monkeypatch, capsys):
    monkeypatch.setenv("NVPTX_ENABLE_DUMP", "1")
    monkeypatch.setenv("TRITON_DUMP_PTXAS_LOG", "1")
    tessera.compile(source(), target="cuda:90")
    text = capsys.readouterr().err
    assert ".visible .entry combine_kernel" in text and "registers" in text


@needs_ptxas
def test_options_for_the_assembler(monkeypatch):
    sizes = []
    for options in ("", "-O0"):
        monkeypatch.setenv("PTXAS_OPTIONS", options)
        sizes.append(len(tessera.compile(source(), target="cuda:90").asm["cubin"]))
    monkeypatch.setenv("PTXAS_OPTIONS", "--no-such-option")
    with pytest.raises(tessera.TritonError, match="no-such-option"):
        tessera.compile(source(), target="cuda:90")
    monkeypatch.delenv("PTXAS_OPTIONS")
    monkeypatch.setenv("DISABLE_PTXAS_OPT", "1")
    sizes.append(len(tessera.compile(source(), target="cuda:90").asm["cubin"]))
    assert sizes[0] != sizes[1] == sizes[2]


def test_only_the_binary_is_kept(monkeypatch):
    monkeypatch.setenv("TRITON_STORE_BINARY_ONLY", "1")
    kernel = tessera.compile(source(), target="cpu")
    assert set(kernel.asm) == {"obj"} and "combine_kernel.ttir" not in kernel.metadata_group


def test_debugging_the_front_end_keeps_the_cause(monkeypatch, tmp_path):
    path = tmp_path / "k.ttir"
    path.write_text("nonsense")
    monkeypatch.setenv("TRITON_FRONT_END_DEBUGGING", "1")
    with pytest.raises(tessera.CompilationError) as caught:
        tessera.compile(str(path), target="cpu")
    assert caught.value.__cause__ is not None
