"""tessera build: from a manifest to a library that C programs link."""
import hashlib
import json
import os
import re
import subprocess
import textwrap
import time

import pytest

import features
from machine import STRICT, TESSERA, compiler

KERNELS = textwrap.dedent("""\
    import triton
    import triton.language as tl
    from helper import twice

    @triton.jit
    def scale(x, y, bias, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        value = twice(tl.load(x + at, at < n)) * FACTOR
        if bias is not None:
            value += tl.load(bias + at, at < n)
        tl.store(y + at, value, at < n)

    # signature: *fp32,i32,64 --num-warps 2
    @triton.jit
    def fill(x, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + at, 7.0, at < n)
    """)
HELPER = "import triton\n\n@triton.jit\ndef twice(x):\n    return x * 2\n"
MANIFEST = textwrap.dedent("""\
    name = "mine"
    targets = ["cpu"]

    [[kernel]]
    file = "kernels.py"
    name = "scale"
    grid = "cdiv(n, BLOCK)"
    signatures = [
      "*fp32,*fp32,None,i32,3,64",
      "*fp32:16,*fp32:16,None,i32:16,3,64",   # aligned
      "*fp32,*fp32,*fp32,i32,3,64",
      "*fp32,*fp32,None,i32,5,64",
    ]

    [[kernel]]
    file = "kernels.py"
    name = "fill"
    function = "fill_with_seven"
    """)
needs_ptxas = pytest.mark.skipif(features.ptxas() is None, reason=features.WHY_NOT["ptxas"])


def write_sources(folder):
    (folder / "kernels.py").write_text(KERNELS)
    (folder / "helper.py").write_text(HELPER)
    (folder / "kernels.toml").write_text(MANIFEST)


@pytest.fixture(autouse=True)
def sources(tmp_path):
    write_sources(tmp_path)


def stamps(folder):
    """The time of each file, by name."""
    return {os.path.relpath(os.path.join(home, name), folder): os.stat(os.path.join(home, name)).st_mtime_ns
            for home, _, names in os.walk(folder) for name in names}


# ---- on the CPU -----------------------------------------------------------------------------------

MAIN = """
#include "out/mine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float x[1024], y[1024], bias[1024];

static void check(const char *what, int32_t status, int n, float factor, float more) {
  int i;
  if (status != TESSERA_KERNEL_OK) {
    printf("%s: %d, %s\\n", what, (int)status, mine_last_error());
    exit(1);
  }
  for (i = 0; i < 1024; ++i)
    if (y[i] != (i < n ? (float)i * 2 * factor + more : 0)) {
      printf("%s: y[%d] is %f\\n", what, i, (double)y[i]);
      exit(1);
    }
  memset(y, 0, sizeof y);
}

int main(void) {
  int i, threads;
  for (i = 0; i < 1024; ++i) {
    x[i] = (float)i;
    bias[i] = 10;
  }
  for (threads = 0; threads < 4; ++threads) {
    mine_set_threads((unsigned)threads);
    check("aligned", scale(TESSERA_ON_CPU, x, y, NULL, 512, 3), 512, 3, 0);
    check("any", scale(TESSERA_ON_CPU, x, y, NULL, 501, 3), 501, 3, 0);
    check("bias", scale(TESSERA_ON_CPU, x, y, bias, 1000, 3), 1000, 3, 10);
    check("another constant", scale(TESSERA_ON_CPU, x, y, NULL, 7, 5), 7, 5, 0);
    check("nothing", scale(TESSERA_ON_CPU, x, y, NULL, 0, 3), 0, 3, 0);
  }
  i = scale(TESSERA_ON_CPU, x, y, NULL, 7, 4);
  printf("%d %d\\n", i == TESSERA_KERNEL_NO_VARIANT, strncmp(mine_last_error(), "scale: no variant takes these arguments", 30));
  i = scale(NULL, x, y, NULL, 7, 3);
  printf("%d %s\\n", i == TESSERA_KERNEL_NO_BINARY, mine_last_error());
  i = scale(TESSERA_ON_CPU, x, y, NULL, -128, 3);
  printf("%d %s\\n", i == TESSERA_KERNEL_GRID, mine_last_error());
  i = fill_with_seven(TESSERA_ON_CPU, 2, 1, 1, y, 100);
  printf("%d %g %g\\n", i, (double)y[99], (double)y[100]);
  i = fill_with_seven(TESSERA_ON_CPU, 4294967295u, 1, 1, y, 100);
  printf("%d %d\\n", i == TESSERA_KERNEL_GRID, (int)mine_load());
  mine_unload();
  return 0;
}
"""
PRINTED = """\
1 0
1 scale: the library was built for the CPU alone; pass TESSERA_ON_CPU
1 scale: a grid has 0 to 2^31 - 1 programs along each axis
0 7 0
1 0
"""


@pytest.mark.parametrize("language", ["c", "c++"])
def test_a_program_calls_the_variant_that_fits(tessera, program, tmp_path, language):
    assert "2 kernels, 5 binaries, 5 compiled" in tessera("build", "kernels.toml", "-o", "out", "-j", 2)
    run = program(MAIN, tmp_path / "out" / "libmine.a", language=language)
    assert run() == PRINTED


def test_the_generated_source_is_clean_c_and_cpp(tessera, tmp_path):
    targets = "cpu,cuda:80,cuda:90" if features.ptxas() else "cpu"
    tessera("build", "kernels.toml", "-o", "out", "-t", targets)
    for name, standard in [("cc", "gnu99"), ("cc", "gnu17"), ("clang-22", "gnu99")]:
        subprocess.run([compiler(name), f"-std={standard}", *STRICT, "-c", "out/mine.c", "-o", "/dev/null"], check=True,
                       cwd=str(tmp_path))
    (tmp_path / "two.cpp").write_text('#include "out/mine.h"\n#include "out/mine.h"\n')
    subprocess.run([compiler("c++"), *STRICT, "-c", "two.cpp", "-o", "/dev/null"], check=True, cwd=str(tmp_path))


def test_the_header_says_which_variant_is_taken_when(tessera, tmp_path):
    tessera("build", "kernels.toml", "-o", "out")
    header = (tmp_path / "out" / "mine.h").read_text()
    assert """\
/* scale of kernels.py, line 6, for cpu.
 *   1. if x, y are aligned to 16 bytes; bias is NULL; n is divisible by 16; FACTOR is 3
 *      with BLOCK = 64
 *   2. if bias is NULL; FACTOR is 3
 *      with BLOCK = 64
 *   3. if bias is NULL; FACTOR is 5
 *      with BLOCK = 64
 *   4. if FACTOR is 3
 *      with BLOCK = 64
 * The grid is (cdiv(n, BLOCK), 1, 1). */
int32_t scale(tessera_stream stream, const float *x, float *y, const float *bias, int32_t n,
    int64_t arg_FACTOR);
""" in header


def test_when_chooses_by_values(tessera, program, tmp_path):
    (tmp_path / "kernels.toml").write_text("""
        name = "mine"
        [[kernel]]
        file = "kernels.py"
        name = "fill"
        targets = ["cpu"]
        signatures = [{ signature = "*fp32,i32,16", when = "n <= 16" }, "*fp32,i32,64"]
        grid = ["cdiv(n, BLOCK)", "1"]
        """)
    tessera("build", "kernels.toml", "-o", "out")
    source = (tmp_path / "out" / "mine.c").read_text()
    assert "  if ((n <= 16)) {\n" in source and "+ (16) - 1) / (16)" in source and "+ (64) - 1) / (64)" in source
    header = (tmp_path / "out" / "mine.h").read_text()
    assert "int32_t fill(tessera_stream stream, float *x, int32_t n);" in header


# ---- incremental ----------------------------------------------------------------------------------

def test_a_second_build_compiles_and_writes_what_has_changed(tessera, tmp_path):
    tessera("build", "kernels.toml", "-o", "out", "--no-cache")
    first = stamps(tmp_path / "out")
    assert tessera("build", "kernels.toml", "-o", "out", "--no-cache") == "out/libmine.a is up to date\n"
    second = stamps(tmp_path / "out")
    assert [name for name in first if first[name] != second[name]] == ["libmine.a"]  # newer than its inputs, as make wants it
    # A module that one kernel imports.
    (tmp_path / "helper.py").write_text(HELPER.replace("x * 2", "x + x"))
    assert "5 binaries, 4 compiled" in tessera("build", "kernels.toml", "-o", "out", "--no-cache")
    # One more signature: the others are taken as they are, and so is a comment's change.
    (tmp_path / "kernels.toml").write_text("# changed\n" + MANIFEST.replace('i32,5,64",', 'i32,5,64", "*fp32,*fp32,None,i32,6,64",'))
    assert "6 binaries, 1 compiled" in tessera("build", "kernels.toml", "-o", "out", "--no-cache")
    # Damage is noticed.
    (tmp_path / "out" / "objects" / "scale.v0.cpu.obj").write_bytes(b"nothing")
    assert "6 binaries, 1 compiled" in tessera("build", "kernels.toml", "-o", "out", "--no-cache")
    (tmp_path / "out" / "libmine.a").unlink()
    assert "6 binaries, 0 compiled" in tessera("build", "kernels.toml", "-o", "out", "--no-cache")
    assert "6 binaries, 6 compiled" in tessera("build", "kernels.toml", "-o", "out", "--rebuild", "--cflags", "-g0 -fno-strict-aliasing -DNOTHING=1")


def test_the_depfile_serves_make_and_ninja(tessera, tmp_path):
    tessera("build", "kernels.toml", "-o", "out")
    text = (tmp_path / "out" / "mine.d").read_text().replace("\\\n", " ")
    target, _, files = text.partition(":")
    assert target == "out/libmine.a" and [os.path.relpath(path, tmp_path) for path in files.split()] == ["kernels.toml", "kernels.py", "helper.py"]
    (tmp_path / "Makefile").write_text(f"out/libmine.a: kernels.toml\n\t{TESSERA} build $< -o out\n-include out/mine.d\n")
    make = lambda: subprocess.run([compiler("make")], cwd=str(tmp_path), check=True, capture_output=True, text=True).stdout  # noqa: E731
    make()
    assert "up to date" in make() and "tessera build" not in make()
    later = time.time() + 5
    os.utime(tmp_path / "helper.py", (later, later))
    assert "tessera build" in make() and "out/libmine.a is up to date" in make()  # touched alone


def test_the_index_says_what_is_there(tessera, tmp_path):
    tessera("build", "kernels.toml", "-o", "out")
    index = json.loads((tmp_path / "out" / "mine.json").read_text())
    assert index["library"] == "mine" and [each["function"] for each in index["kernels"]] == ["scale", "fill_with_seven"]
    for output in index["outputs"]:
        data = (tmp_path / "out" / output["file"]).read_bytes()
        assert output["bytes"] == len(data) and output["sha256"] == hashlib.sha256(data).hexdigest()
    scale = index["kernels"][0]
    assert scale["grid"] == ["cdiv(n, BLOCK)", "1", "1"] and scale["file"] == "kernels.py"
    assert [each["name"] for each in scale["parameters"]] == ["x", "y", "bias", "n", "FACTOR"]
    assert [variant["order"] for variant in scale["variants"]] == [2, 1, 4, 3]
    assert scale["variants"][1]["conditions"][0] == "(uintptr_t)x % 16 == 0"
    binary = scale["variants"][0]["binaries"][0]
    assert binary["file"] == "objects/scale.v0.cpu.obj" and binary["symbol"] == "mine_scale_v0_cpu"
    assert binary["record"]["options"]["mcpu"] == "portable" and "wgmma" not in binary["record"]["options"] and binary["record"]["arguments"][0]["name"] == "x"
    assert [source["file"] for source in binary["sources"]] == ["kernels.py", "helper.py"] and len(binary["key"]) == 64


def test_without_a_c_compiler(tessera, tmp_path):
    assert "needs a C compiler" in tessera("build", "kernels.toml", "-o", "out", status=3, PATH="/nonexistent", CC="")
    assert "out/mine.json: 2 kernels" in tessera("build", "kernels.toml", "-o", "out", "--no-archive", PATH="/nonexistent", CC="")
    assert not (tmp_path / "out" / "libmine.a").exists() and (tmp_path / "out" / "mine.c").exists()
    assert "is not a program" in tessera("build", "kernels.toml", "-o", "out", "--cc", "/bin/nothing", status=2)
    assert "fails on 'out/mine.c': exit status 1" in tessera("build", "kernels.toml", "-o", "out", "--cc", "/bin/false", status=1)


def test_progress_is_for_terminals(tessera, tmp_path, cache):
    """`script` gives the program a terminal."""
    compiler("script")
    command = f"{TESSERA} build kernels.toml -o out -j"
    done = subprocess.run(["script", "-qec", command, "/dev/null"], cwd=str(tmp_path), capture_output=True, text=True,
                          env=dict(os.environ, TESSERA_CACHE_DIR=cache, TERM="xterm"))
    assert "[5/5] " in done.stdout and done.stdout.rstrip().splitlines()[-1].endswith("s")
    assert "[5/5]" not in tessera("build", "kernels.toml", "-o", "other")


# ---- on GPUs --------------------------------------------------------------------------------------

GPU_MAIN = """
#include "out/mine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  static float x[64] = {1}, y[64];
  int32_t status = scale((tessera_stream)0x40, (float *)0x1000, (float *)0x2000, NULL, 128, 3);
  if (status)
    printf("%d %s\\n", (int)status, mine_last_error());
  status = scale(NULL, (float *)0x1004, (float *)0x2000, NULL, 128, 3);
  status = scale(NULL, (float *)0x1004, (float *)0x2000, NULL, 128, 3);
  status = scale(TESSERA_ON_CPU, x, y, NULL, 64, 3);
  printf("on the CPU: %d, %g\\n", (int)status, (double)y[0]);
  status = mine_load();
  mine_unload();
  fflush(stdout);
  return 0;
}
"""


@pytest.fixture(scope="module")
def on_gpu(tmp_path_factory, cache):
    """Runs the program with these variables, after it was built once."""
    if not features.ptxas():
        pytest.skip(features.WHY_NOT["ptxas"])
    folder = tmp_path_factory.mktemp("gpu")
    write_sources(folder)
    (folder / "main.c").write_text(GPU_MAIN)
    subprocess.run([TESSERA, "build", "kernels.toml", "-o", "out", "-t", "cuda:80,cuda:90,cpu"], check=True, cwd=str(folder),
                   env=dict(os.environ, TESSERA_CACHE_DIR=cache))
    subprocess.run([compiler(), *STRICT, "main.c", "out/libmine.a", "-lm", "-ldl", "-pthread", "-o", "main"], check=True, cwd=str(folder))

    def run(**variables):
        done = subprocess.run([str(folder / "main")], capture_output=True, text=True, env=dict(os.environ, **variables))
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run


@pytest.mark.parametrize("chip, binary", [(80, 80), (86, 80), (89, 80), (90, 90)])
def test_the_chip_is_chosen_at_run_time(on_gpu, driver, chip, binary):
    lines = on_gpu(LD_LIBRARY_PATH=driver, FAKE_CHIP=str(chip)).splitlines()
    assert lines[:4] == [
        f"scale of sm_{binary} on stream 0x40: grid 2 1 1, 128 threads, 0 bytes, first argument 0x1000",
        f"scale of sm_{binary} on stream (nil): grid 2 1 1, 128 threads, 0 bytes, first argument 0x1004",
        f"scale of sm_{binary} on stream (nil): grid 2 1 1, 128 threads, 0 bytes, first argument 0x1004", "on the CPU: 0, 6"]
    # All variants were loaded once, and unloaded.
    assert [line for line in lines[4:]] == [f"unloaded, {left} left" for left in range(4, -1, -1)]


THREADS_MAIN = """
#include "out/mine.h"
#include <pthread.h>
#include <stdio.h>

static float x[64];

static void *work(void *unused) {
  float y[64];
  int i;
  (void)unused;
  for (i = 0; i < 50; ++i) {
    if (scale(TESSERA_ON_CPU, x, y, NULL, 64, 3) || scale(NULL, (float *)0x1000, (float *)0x2000, NULL, 128 + i, 3))
      printf("wrong: %s\\n", mine_last_error());
    if (scale(NULL, (float *)0x1000, (float *)0x2000, NULL, 128, 4) != TESSERA_KERNEL_NO_VARIANT)
      printf("wrong: no error\\n");
  }
  return NULL;
}

int main(void) {
  pthread_t threads[6];
  int i;
  mine_set_threads(2);
  for (i = 0; i < 6; ++i)
    pthread_create(&threads[i], NULL, work, NULL);
  for (i = 0; i < 6; ++i)
    pthread_join(threads[i], NULL);
  mine_unload();
  return 0;
}
"""


@needs_ptxas
def test_threads_may_call_at_once(tessera, program, driver, tmp_path):
    """Under ThreadSanitizer, where the C compiler has it; a data race ends the program with another status."""
    (tmp_path / "empty.c").write_text("int main(void) { return 0; }\n")
    sanitizer = "-fsanitize=thread"
    if subprocess.run([compiler(), sanitizer, "empty.c"], cwd=str(tmp_path), capture_output=True).returncode:
        pytest.skip("this C compiler has no ThreadSanitizer")
    tessera("build", "kernels.toml", "-o", "out", "-t", "cuda:90,cpu", "--cflags", sanitizer)
    printed = program(THREADS_MAIN, tmp_path / "out" / "libmine.a", flags=[sanitizer])(LD_LIBRARY_PATH=driver, FAKE_CHIP="90")
    assert printed.count(" on stream ") == 300 and "wrong" not in printed and printed.endswith("unloaded, 0 left\n")


@pytest.mark.parametrize("variables, message", [
    ({"FAKE_CHIP": "75"}, "5 scale: the library has no code for compute capability 7.5, only for 8.0, 9.0"),
    ({"FAKE_CHIP": "100"}, "5 scale: the library has no code for compute capability 10.0, only for 8.0, 9.0"),
    ({"FAKE_CHIP": "none"}, "6 scale: the CUDA driver finds no GPU (no CUDA-capable device is detected); TESSERA_ON_CPU needs none"),
    ({"FAKE_CHIP": "90", "FAKE_ERROR": "700"}, "7 scale: cuLaunchKernel failed with 700: fake error"),
])
def test_what_keeps_a_kernel_from_a_gpu_is_said(on_gpu, driver, variables, message):
    printed = on_gpu(LD_LIBRARY_PATH=driver, **variables)
    assert message in printed and "on the CPU: 0, 6" in printed


@needs_ptxas
def test_later_chips(tessera, program, driver, tmp_path):
    """PTX serves the chips that no CUBIN fits."""
    (tmp_path / "kernels.toml").write_text("later-chips = true\n" + MANIFEST)
    tessera("build", "kernels.toml", "-o", "out", "-t", "cuda:80,cuda:90,cpu")
    run = program(GPU_MAIN.replace("mine_load()", "0"), tmp_path / "out" / "libmine.a")
    assert "scale of sm_90 on" in run(LD_LIBRARY_PATH=driver, FAKE_CHIP="90")
    assert "scale of PTX for sm_80 on stream 0x40: grid 2 1 1" in run(LD_LIBRARY_PATH=driver, FAKE_CHIP="120")
    assert "objects/scale.v0.cuda80.ptx" in (tmp_path / "out" / "mine.json").read_text()
    assert "for cuda:80, cuda:90, cpu and later chips (assembly for cuda:80)." in (tmp_path / "out" / "mine.h").read_text()


def test_machines_without_ptxas(tessera, program, driver, tmp_path):
    """The library holds PTX, which the driver compiles."""
    if "not found" not in tessera("targets").split("  ptxas")[1].split("\n")[0]:
        pytest.skip("it tests a machine without ptxas")
    tessera("build", "kernels.toml", "-o", "out", "-t", "cuda:80,cuda:90,cpu")
    run = program(GPU_MAIN.replace("mine_load()", "0"), tmp_path / "out" / "libmine.a")
    assert "scale of PTX for sm_90a on" in run(LD_LIBRARY_PATH=driver, FAKE_CHIP="90")
    assert "scale of PTX for sm_80 on" in run(LD_LIBRARY_PATH=driver, FAKE_CHIP="86")


def test_a_missing_driver_is_said(on_gpu):
    if features.has_gpu():
        pytest.skip("this machine has a driver")
    printed = on_gpu()
    assert "6 scale: no CUDA driver on this machine (libcuda.so.1: cannot open shared object file" in printed
    assert "on the CPU: 0, 6" in printed


@needs_ptxas
def test_names_contain_the_chip(tessera, tmp_path):
    tessera("build", "kernels.toml", "-o", "out", "-t", "sm_80,sm_90a,cpu")
    names = sorted(os.listdir(tmp_path / "out" / "objects"))
    assert [name for name in names if name.startswith("fill")] == [
        "fill_with_seven.v0.cpu.obj", "fill_with_seven.v0.cuda80.cubin", "fill_with_seven.v0.cuda90.cubin"]
    symbols = subprocess.run([compiler("nm"), "--defined-only", "out/libmine.a"], cwd=str(tmp_path), capture_output=True, text=True).stdout
    assert re.search(r" R mine_fill_with_seven_v0_cuda80$", symbols, re.M) and len(set(re.findall(r"mine_scale_v\d_\w+", symbols))) == 12


def test_options_of_one_target(tessera, tmp_path):
    if not features.ptxas():
        pytest.skip(features.WHY_NOT["ptxas"])
    (tmp_path / "kernels.toml").write_text("""
        name = "mine"
        targets = ["cuda:80", "cuda:90"]
        [[kernel]]
        file = "kernels.py"
        name = "fill"
        [kernel.options]
        num_warps = 8
        "cuda:90" = { num-warps = 2, num-stages = 1 }
        """)
    tessera("build", "kernels.toml", "-o", "out")
    binaries = json.loads((tmp_path / "out" / "mine.json").read_text())["kernels"][0]["variants"][0]["binaries"]
    assert [(each["target"], each["record"]["num_warps"], each["record"]["options"]["num-stages"]) for each in binaries] == [
        ("cuda:80", 8, 3), ("cuda:90", 2, 1)]
