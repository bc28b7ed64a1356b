"""Tests the knobs that print what each pass decided."""
import pytest

PROGRAM = """
import numpy, tessera, tessera.language as tl
@tessera.jit
def gather(x_ptr, i_ptr):
    i = tl.load(i_ptr + tl.arange(0, 64))
    tl.store(x_ptr + i, 7)
x, i = numpy.zeros(64, "int32"), numpy.arange(64, dtype="int32")
gather[(1,)](x, i)
assert (x == 7).all()
"""


@pytest.mark.parametrize("variables, shown", [({"MLIR_ENABLE_REMARK": "1"}, True), ({"MLIR_ENABLE_REMARK": "0"}, False),
                                              ({"MLIR_ENABLE_DIAGNOSTICS": "warnings,remarks"}, True),
                                              ({"MLIR_ENABLE_DIAGNOSTICS": "warnings"}, False),
                                              ({"TESSERA_REMARKS": "1"}, True), ({"TESSERA_REMARKS": "cpu-"}, True),
                                              ({"TESSERA_REMARKS": "ttg-"}, False), ({}, False)])
def test_remarks_are_printed_with_the_line(variables, shown, snippet, numpy, fresh_cache):
    snippet(PROGRAM, name="p.py")  # the passes run although the cache has the kernel
    done = snippet(PROGRAM, name="p.py", env=variables)
    lines = [line for line in done.stderr.splitlines() if "cpu-convert-ttir-to-llir: " in line]
    assert bool(lines) is shown
    if shown:
        assert any("p.py:6: " in line and "not known to be consecutive" in line for line in lines)


def test_a_failure_shows_the_remarks_apart_from_the_message(snippet, numpy):
    program = """
import tessera, tessera.language as tl
@tessera.jit
def k(x_ptr):
    i = tl.arange(0, 128)
    x = tl.load(x_ptr + i[:, None] * 128 + i[None, :])
    tl.store(x_ptr + i[:, None] * 128 + i[None, :], tl.sort(tl.dot(x, x), 1))
source = tessera.compiler.ASTSource(k, {"x_ptr": "*fp32"})
try:
    tessera.compile(source, target=tessera.backends.compiler.GPUTarget("cuda", 80, 32), options={"num_warps": 64})
except Exception as error:
    assert "ttg-" not in str(error)
else:
    raise SystemExit("compiled")
"""
    snippet(program, env={"TESSERA_REMARKS": "1"})


def test_a_dump_has_the_remarks(snippet, numpy, tmp_path, fresh_cache):
    done = snippet(PROGRAM, name="p.py", env={"TRITON_KERNEL_DUMP": "1", "TRITON_DUMP_DIR": tmp_path})
    assert "cpu-convert-ttir-to-llir" not in done.stderr
    [path] = tmp_path.glob("*/gather.remarks")
    assert "p.py:6: cpu-convert-ttir-to-llir: " in path.read_text()
