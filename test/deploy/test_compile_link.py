"""tessera compile for several targets, and tessera link: C functions that choose among variants and chips."""
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

import features
from machine import BUILD, ROOT, STRICT, TESSERA, compiler

SIGNATURE = "*fp32,*fp32,*fp32,i32,1024"
ALIGNED = "*fp32:16,*fp32:16,*fp32:16,i32:16,1024"
GRID = "cdiv(n_elements, BLOCK_SIZE)"
needs_ptxas = pytest.mark.skipif(features.ptxas() is None, reason=features.WHY_NOT["ptxas"])


@pytest.fixture(autouse=True)
def sources(tmp_path):
    for name in ("add.py", "matmul.py", "softmax.py"):
        shutil.copyfile(os.path.join(ROOT, "examples", name), tmp_path / name)


def files(folder):
    return sorted(name for name in os.listdir(folder) if not name.endswith(".py"))


# ---- compile --------------------------------------------------------------------------------------

@needs_ptxas
def test_several_targets_in_one_call(tessera, tmp_path):
    tessera("compile", "add.py", "-s", SIGNATURE, "-t", "sm_80, cuda:90:32 ,cpu", "--emit", "c,json", "-o", "add")
    assert files(tmp_path) == ["add.cpu.c", "add.cpu.h", "add.cpu.json", "add.cpu.obj", "add.cuda80.c", "add.cuda80.h", "add.cuda80.json",
                               "add.cuda90.c", "add.cuda90.h", "add.cuda90.json"]
    for name in ("add.cuda80.c", "add.cuda90.c", "add.cpu.c"):
        subprocess.run([compiler(), *STRICT, "-c", name, "-o", name + ".o"], check=True, cwd=str(tmp_path))
    # Linked together they do not collide: names contain the chip.
    subprocess.run([compiler("ld"), "-r", *[f"{name}.o" for name in ("add.cuda80.c", "add.cuda90.c", "add.cpu.c")], "add.cpu.obj", "-o", "all.o"],
                   check=True, cwd=str(tmp_path))


@needs_ptxas
def test_names_contain_the_chip(tessera, tmp_path):
    for target in ("cuda:80", "sm_90a", "cpu"):
        tessera("compile", "add.py", "-s", SIGNATURE, "-t", target)
    names = [re.sub("x[0-9a-f]{8}_", "xHASH_", name) for name in files(tmp_path) if name.endswith(".h")]
    assert names == ["add_kernel.cpuxHASH_01234.h", "add_kernel.cuda80xHASH_01234.h", "add_kernel.cuda90xHASH_01234.h"]


def test_wrong_targets(tessera, tmp_path):
    assert "unknown target 'sm_75'; known are cuda:80," in tessera("compile", "add.py", "-s", SIGNATURE, "-t", "cpu,sm_75", status=2)
    assert "prints one output; --target names several" in tessera("compile", "add.py", "-s", SIGNATURE, "-t", "cpu,cuda:90", "-e", "ttir",
                                                                  "-o", "-", status=2)
    assert files(tmp_path) == []


def test_a_kernel_s_helpers_are_no_kernels(tessera, tmp_path):
    (tmp_path / "plain.py").write_text(re.sub("(?m)^# signature:.*\n", "", (tmp_path / "matmul.py").read_text()))
    assert "the signature has 1 entry and 'matmul_kernel' takes 17" in tessera("compile", "plain.py", "-s", "i32", "-t", "cpu", status=1)
    (tmp_path / "two.py").write_text((tmp_path / "plain.py").read_text() + "\n\n@triton.jit\ndef other(x):\n    pass\n")
    assert "choose one with --kernel-name: matmul_kernel, other\n" in tessera("compile", "two.py", "-s", "i32", "-t", "cpu", status=1)


def test_the_signature_of_a_comment(tessera, tmp_path):
    printed = tessera("compile", "softmax.py", "-t", "cpu", "-e", "obj,json", "-o", "k")
    assert printed == 'tessera: compiles softmax_kernel for "*fp32,*fp32,i32,i32,i32,i32,1024", from its comment, the first of 2\n'
    printed = tessera("compile", "matmul.py", "-n", "matmul_kernel", "-t", "cpu", "-e", "json,obj", "-o", "m")
    assert json.loads((tmp_path / "m.json").read_text())["options"]["num-warps"] == 8  # a flag of the comment
    tessera("compile", "matmul.py", "-n", "matmul_kernel", "-t", "cpu", "-e", "json,obj", "-o", "m", "--num-warps", "2")
    assert json.loads((tmp_path / "m.json").read_text())["options"]["num-warps"] == 2
    (tmp_path / "bad.py").write_text("# signature: i32 --num-warps x\n@triton.jit\ndef k(n):\n    pass\n")
    assert "the comment '# signature:' of 'k': --num-warps" in tessera("compile", "bad.py", "-t", "cpu", status=2)


def test_the_json_says_what_is_beside_it(tessera, tmp_path):
    import hashlib
    tessera("compile", "add.py", "-s", SIGNATURE, "-g", GRID, "-t", "cpu", "-e", "c,json", "-o", "add")
    record = json.loads((tmp_path / "add.json").read_text())
    assert [each["file"] for each in record["files"]] == ["add.obj", "add.h", "add.c"]
    for each in record["files"]:
        data = (tmp_path / each["file"]).read_bytes()
        assert each["bytes"] == len(data) and each["sha256"] == hashlib.sha256(data).hexdigest()
    assert record["function"] == "add_kernel" and record["grid"] == [GRID, "1", "1"] and re.fullmatch("[0-9a-f]{64}", record["key"])
    options = record["options"]
    assert options["num-warps"] == 4 and options["enable-fp-fusion"] is True and options["mcpu"] == "" and "wgmma" not in options
    tessera("compile", "add.py", "-s", SIGNATURE, "-t", "cuda:90", "-e", "ptx,json", "-o", "gpu")
    options = json.loads((tmp_path / "gpu.json").read_text())["options"]
    assert "mcpu" not in options and options["wgmma"] == "auto"


# ---- link -----------------------------------------------------------------------------------------

CPU_MAIN = """
#include "linked.h"
#include <stdio.h>
static float x[4096], y[4096], sum[4096];
static void run(float *x, float *y, float *sum, int n, int threads) {
  int i, wrong = 0, status = threads ? add_kernel_default_parallel((unsigned)threads, x, y, sum, n) : add_kernel(x, y, sum, n, 0);
  for (i = 0; i < n; ++i)
    wrong += sum[i] != x[i] + y[i];
  printf("%d %d\\n", status, wrong);
}
int main(void) {
  int i;
  for (i = 0; i < 4096; ++i)
    x[i] = (float)i, y[i] = 3;
  run(x, y, sum, 4000, 0);
  run(x + 1, y, sum, 77, 0);
  run(x, y, sum, 4096, 2);
  printf("%d %d\\n", add_kernel_get_num_algos(), (int)add_kernel(x, y, sum, 5, 7));
  return 0;
}
"""


def test_link_for_the_cpu(tessera, program, tmp_path):
    for number, signature in enumerate([SIGNATURE, ALIGNED]):
        tessera("compile", "add.py", "-s", signature, "-g", GRID, "-t", "cpu", "-o", f"v{number}", "-e", "c", "-on", f"add_{number}")
    tessera("link", "v0.h", "v1.h", "-o", "linked")
    source = (tmp_path / "linked.c").read_text()
    assert source.index("return add_1(") < source.index("return add_0(")
    run = program(CPU_MAIN, *[tmp_path / name for name in ("linked.c", "v0.c", "v1.c", "v0.obj", "v1.obj")])
    assert run() == "0 0\n0 0\n0 0\n1 4\n"
    # A caller may pass the grid.
    tessera("compile", "add.py", "-s", SIGNATURE, "-t", "cpu", "-o", "g", "-e", "c", "-on", "add_g")
    tessera("link", "g.h", "-o", "grid", "--prefix", "my_")
    assert "int32_t my_add_kernel_default(uint32_t gridX, uint32_t gridY, uint32_t gridZ, const float *x_ptr" in (tmp_path / "grid.h").read_text()


GPU_MAIN = """
#include "linked.h"
#include <stdio.h>
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int main(void) {
  void *context;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  printf("%d\\n", (int)add_kernel_default(0, 0x1000, 0x2000, 0x3000, 2048));
  printf("%d\\n", (int)add_kernel_default(0, 0x1004, 0x2000, 0x3000, 2048));
  load_add_kernel();
  return 0;
}
"""


@needs_ptxas
@pytest.mark.parametrize("chip, expected", [(80, 80), (89, 80), (90, 90), (75, None)])
def test_link_chooses_the_chip(tessera, program, driver, tmp_path, chip, expected):
    for signature in (SIGNATURE, ALIGNED):
        tessera("compile", "add.py", "-s", signature, "-g", GRID, "-t", "cuda:80,cuda:90", "-o", "add")
    headers = [name for name in files(tmp_path) if name.endswith(".h")]
    assert len(headers) == 4
    tessera("link", *headers, "-o", "linked")
    sources = ["linked.c", *[name[:-2] + ".c" for name in headers]]
    run = program(GPU_MAIN, *sources, os.path.join(driver, "libcuda.so.1"))
    lines = run(LD_LIBRARY_PATH=driver, FAKE_CHIP=str(chip)).splitlines()
    if expected is None:
        assert lines == ["209", "209"]  # CUDA_ERROR_NO_BINARY_FOR_GPU
    else:
        assert lines[1] == lines[3] == "0" and lines[0].startswith(f"add_kernel of sm_{expected} on stream (nil): grid 2 1 1")


@pytest.mark.parametrize("arguments, status, message", [
    ([], 2, "link needs headers"),
    (["a.h"], 2, "--out: write the path of the files"),
    (["no.h", "-o", "x"], 1, "no.h"),
    (["add.py", "-o", "x"], 1, "no header declares a kernel"),
    (["cpu.h", "gpu.h", "-o", "x"], 1, "the headers are for the CPU and for GPUs"),
    (["cpu.h", "-o", "x", "--prefix", "a b"], 1, "the prefix 'a b' cannot begin a name in C"),
    (["same.h", "-o", "x"], 1, "a variant's function is called 'add', as the one that would be written"),
    (["bad.h", "-o", "x"], 1, "bad.h: 'x y' does not describe a compiled kernel"),
])
def test_link_says_what_is_wrong(tessera, tmp_path, arguments, status, message):
    (tmp_path / "cpu.h").write_text("// tessera-variant: add_1 add cpu 64_cpu : : int32_t n\n")
    (tmp_path / "gpu.h").write_text("// tt-linker: add_aaaaaaaa_0:int32_t n:64_warps4xstages3\n")
    (tmp_path / "same.h").write_text("// tessera-variant: add add cpu 64_cpu : : int32_t n\n")
    (tmp_path / "bad.h").write_text("// tessera-variant: x y\n")
    before = files(tmp_path)
    assert message in tessera("link", *arguments, status=status) and files(tmp_path) == before


# ---- Triton's command lines -----------------------------------------------------------------------

@needs_ptxas
@pytest.mark.skipif(not os.path.exists(os.path.join(BUILD, "python", "tessera", "_native.abi3.so")), reason="the Python package is not built")
@pytest.mark.parametrize("way", ["path", "module", "triton"])
def test_triton_s_command_lines(tmp_path, cache, way):
    """`python .../tools/compile.py`, `python -m tessera.tools.compile`, and `python -m triton.tools.compile` with Tessera in its place."""
    packages = os.path.join(BUILD, "python")
    environment = dict(os.environ, TESSERA_CACHE_DIR=cache, PYTHONDONTWRITEBYTECODE="1")
    environment.pop("PYTHONPATH", None)

    def tool(name, *arguments):
        start = {"path": [os.path.join(packages, "tessera", "tools", f"{name}.py")], "module": ["-m", f"tessera.tools.{name}"],
                 "triton": ["-m", f"triton.tools.{name}"]}[way]
        if way != "path":
            environment["PYTHONPATH"] = packages + (os.pathsep + os.path.join(packages, "tessera", "_as_triton") if way == "triton" else "")
        subprocess.run([sys.executable, *start, *arguments], check=True, cwd=str(tmp_path), env=environment)
    kernel = ["add.py", "--kernel-name", "add_kernel", "--num-warps", "4", "--grid", "(n_elements + 1023) / 1024, 1, 1"]
    tool("compile", *kernel, "--signature", ALIGNED, "--target", "cuda:80:32,sm_90", "--out-name", "add", "--out-path", "out")
    headers = [name for name in files(tmp_path) if name.endswith(".h")]
    assert [re.sub("x[0-9a-f]{8}_", "xHASH_", name) for name in headers] == ["out.cuda80xHASH_0d1d2d3d4.h", "out.cuda90xHASH_0d1d2d3d4.h"]
    tool("link", *headers, "-o", "linked")
    assert "CUresult add_1024_warps4xstages3(CUstream stream" in (tmp_path / "linked.h").read_text()
    assert TESSERA and not [name for name in files(tmp_path) if "pycache" in name]
