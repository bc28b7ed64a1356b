"""CPU kernels as objects: C and C++ programs that call them, with nothing of Tessera in the process.

The programs are in test/run/programs; each compares with what it computes itself and prints how much is wrong.
"""
import os
import re
import shutil

import pytest

from c_programs import C, CXX, GCC, KERNELS, TESSERA, build, compile_kernel, execute
from launch import EXAMPLES


def host_flags():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return set(re.search(r"^flags\s*:(.*)$", file.read(), re.M).group(1).split())


def processors():
    """What this machine can run, besides itself."""
    flags = host_flags()
    yield "x86-64-v2"
    if {"avx2", "fma", "bmi2"} <= flags:
        yield "x86-64-v3"
    if {"avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd"} <= flags:
        yield "x86-64-v4"
    yield "portable"


def run_program(folder):
    assert execute("./program", cwd=folder) == "0 failures\n"


@pytest.mark.parametrize("processor", ["native", *processors()])
@pytest.mark.parametrize("name", KERNELS)
def test_processors(tmp_path, name, processor):
    compile_kernel(tmp_path, name, "--mcpu", processor)
    build(tmp_path, name, C)
    run_program(tmp_path)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("compiler", [CXX, GCC], ids=lambda c: c[0])
def test_compilers(tmp_path, name, compiler):
    compile_kernel(tmp_path, name, "--mcpu", "portable")
    build(tmp_path, name, compiler)
    run_program(tmp_path)


def test_needs_only_the_c_library(tmp_path):
    compile_kernel(tmp_path, "softmax", "--mcpu", "portable")
    build(tmp_path, "softmax", C)
    needed = re.findall(r"NEEDED.*\[(.*)\]", execute("readelf", "-d", "program", cwd=tmp_path))
    assert set(needed) <= {"libc.so.6", "libm.so.6", "libmvec.so.1", "libpthread.so.0"}, needed


def test_two_kernels_of_one_name(tmp_path):
    """--out-name tells specialisations apart; a program may link several."""
    for name, block in [("add_small", 64), ("add_large", 4096)]:
        execute(TESSERA, "compile", os.path.join(EXAMPLES, "add.py"), "--kernel-name", "add_kernel", "--signature",
                f"*fp32,*fp32,*fp32,i32,{block}", "--grid", "(n_elements + BLOCK_SIZE - 1) / BLOCK_SIZE", "--target", "cpu",
                "--emit", "obj,c", "--out-name", name, "-o", name, cwd=tmp_path)
    (tmp_path / "main.c").write_text("""
#include "add_large.h"
#include "add_small.h"
int main(void) {
  float x[100], a[100] = {0}, b[100] = {0};
  int i, wrong = 0;
  for (i = 0; i < 100; ++i)
    x[i] = (float)i;
  wrong += add_small(x, x, a, 100) || add_large(x, x, b, 100);
  wrong += add_small_count(x, x, a, 100) != 2 || add_large_count(x, x, b, 100) != 1;
  for (i = 0; i < 100; ++i)
    wrong += a[i] != 2 * x[i] || b[i] != a[i];
  return wrong;
}
""")
    execute(*C, "-Wall", "-Wextra", "-Werror", "main.c", "add_small.c", "add_large.c", "add_small.obj", "add_large.obj",
            "-o", "program", "-lm", "-pthread", cwd=tmp_path)
    execute("./program", cwd=tmp_path)


def test_tuples_and_descriptors(tmp_path):
    """Their parts are parameters of the C functions, and of --grid."""
    (tmp_path / "scale.py").write_text("""
import triton
import triton.language as tl

@triton.jit
def scale(x, t, BLOCK: tl.constexpr):
    out, factor = t
    row = tl.program_id(0) * BLOCK
    out.store([row, 0], x.load([row, 0]) * factor)
""")
    execute(TESSERA, "compile", "scale.py", "--signature", "tensordesc<fp32[4,16],nan>,(tensordesc<fp32[4,16]>:16,fp32),4", "--target",
            "cpu", "--grid", "(x_shape_0 + BLOCK - 1) / BLOCK", "--emit", "obj,c", "-o", "scale", "--no-cache", cwd=tmp_path)
    (tmp_path / "main.c").write_text("""
#include "scale.h"
_Alignas(16) static float x[10][20], out[10][16];
int main(void) {
  int i, j, wrong = 0;
  for (i = 0; i < 10; ++i)
    for (j = 0; j < 20; ++j)
      x[i][j] = (float)(i * 100 + j);
  wrong += scale(x[0], 9, 13, 20, 1, out[0], 10, 16, 16, 1, 0.5f);
  for (i = 0; i < 10; ++i)
    for (j = 0; j < 16; ++j) /* beyond 9 rows of 13 lies NaN, as far as the last block goes */
      wrong += i < 9 && j < 13 ? out[i][j] != x[i][j] * 0.5f : out[i][j] == out[i][j];
  return wrong + (scale_count(x[0], 9, 13, 20, 1, out[0], 10, 16, 16, 1, 0.5f) != 3);
}
""")
    execute("clang-22", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "main.c", "scale.c", "scale.obj", "-o",
            "program", "-lm", "-pthread", cwd=tmp_path)
    execute("./program", cwd=tmp_path)


@pytest.mark.parametrize("level", [2, 3, 4])
def test_portable_has_every_level(tmp_path, level):
    """Forces the version that a machine of that level would choose, by a debugger."""
    needed = {2: set(), 3: {"avx2", "fma"}, 4: {"avx512f", "avx512bw"}}[level]
    if not needed <= host_flags():
        pytest.skip(f"this machine is not x86-64-v{level}")
    if not shutil.which("gdb"):
        pytest.skip("no gdb on this machine")
    compile_kernel(tmp_path, "add", "--mcpu", "portable", "--debug-info")
    build(tmp_path, "add", C)
    output = execute("gdb", "-batch", "-nx", "-ex", "break main", "-ex", "run", "-ex", f"set {{int}}&'tessera.level' = {level}",
                     "-ex", "break add.py:22", "-ex", "continue", "-ex", "info symbol $pc", "-ex", "delete", "-ex", "continue",
                     "./program", cwd=tmp_path)
    assert f"add_kernel.v{level} " in output and "0 failures" in output, output
