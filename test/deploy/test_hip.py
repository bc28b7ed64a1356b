"""Kernels for AMD GPUs from C: launchers, linked variants and libraries, compiled without HIP's header, with it where Triton's
package has one, and run against a libamdhip64 that only prints."""
import os
import subprocess

import pytest

import features
from machine import ROOT, STRICT, compiler

ADD = os.path.join(ROOT, "examples", "add.py")
SIGNATURE = "*fp32:16,*fp32:16,*fp32:16,i32,1024"
MANIFEST = """
name = "sums"
targets = [TARGETS]
[[kernel]]
file = "ADD"
name = "add_kernel"
function = "add"
signatures = ["*fp32:16,*fp32:16,*fp32:16,i32,1024", "*fp32,*fp32,*fp32,i32,1024"]
grid = "cdiv(n_elements, BLOCK_SIZE)"
"""
CALLS = """
#include <stdio.h>
#include "sums.h"
static void call(float *x) {
  int32_t status = add(NULL, x, x, x, 5000);
  printf("%d %s\\n", status, status ? sums_last_error() : "");
}
int main(void) {
  call((float *)64);
  call((float *)68);
  call((float *)64);
  sums_unload();
  return 0;
}
"""


@pytest.fixture
def launcher(tessera, tmp_path):
    """launcher(option, ...): the function's name, after `tessera compile` has written k.c and k.h."""
    def write(*options, target="hip:gfx942"):
        grid = "cdiv(n_elements, 1024),1,1"
        tessera("compile", ADD, "-n", "add_kernel", "-s", SIGNATURE, "--target", target, "--grid", grid, "--emit", "c", "-o", "k",
                *options)
        header = (tmp_path / "k.h").read_text()
        return next(line.split("(")[0].split()[-1] for line in header.splitlines() if line.startswith("hipError_t add_kernel_")
                    and "try_load" not in line)
    return write


def run(tmp_path, hip, function, include=()):
    (tmp_path / "main.c").write_text(f"""#include "k.h"
int main(void) {{
  hipError_t status = {function}(0, 0, 0, 0, 5000);
  unload_{function}();
  return status != hipSuccess;
}}
""")
    return run_linked(tmp_path, hip, include, "k.c")


def run_linked(tmp_path, hip, include, *sources, **variables):
    subprocess.run([compiler(), *STRICT, *include, "main.c", *sources, f"{hip}/libamdhip64.so.6", f"-Wl,-rpath,{hip}", "-o", "main"],
                   check=True, cwd=tmp_path)
    return subprocess.run(["./main"], check=True, cwd=tmp_path, capture_output=True, text=True,
                          env=dict(os.environ, **variables)).stdout


def test_launch(launcher, tmp_path, hip):
    printed = run(tmp_path, hip, launcher())
    assert printed == "load ELF for gfx942\nfind add_kernel\nlaunch 5 1 1 x 256 shared 0 n 5000\nunload\n"


def test_warps_of_32_threads(launcher, tmp_path, hip):
    assert "launch 5 1 1 x 256 shared 0" in run(tmp_path, hip, launcher("--num-warps", "8", target="hip:gfx1100"))


def test_cooperative_launch(launcher, tmp_path, hip):
    assert "cooperative launch 5 1 1 x 256" in run(tmp_path, hip, launcher("--launch-cooperative-grid"))


def test_with_the_header_of_hip(launcher, tmp_path, hip):
    include = features.hip_headers()
    if not include:
        pytest.skip("no headers of HIP on this machine")
    assert "launch 5 1 1" in run(tmp_path, hip, launcher(), include=("-isystem", include))


# ---- linked variants ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("chip, printed", [
    ("gfx942", "load ELF for gfx942\nfind add_kernel\nlaunch 5 1 1 x 256 shared 0 n 5000\n0\n"),
    ("gfx1100", "load ELF for gfx1100\nfind add_kernel\nlaunch 5 1 1 x 128 shared 0 n 5000\n0\n"),
    ("gfx90a", "209\n"),  # hipErrorNoBinaryForGpu
])
@pytest.mark.parametrize("with_header", [False, True])
def test_linked_variants(tessera, tmp_path, hip, chip, printed, with_header):
    include = ()
    if with_header:
        if not features.hip_headers():
            pytest.skip("no headers of HIP on this machine")
        include = ("-isystem", features.hip_headers())
    for target in ["gfx942", "gfx1100"]:
        tessera("compile", ADD, "-n", "add_kernel", "-s", SIGNATURE, "--target", f"hip:{target}", "--grid",
                "cdiv(n_elements, 1024),1,1", "--emit", "c", "-o", target)
    tessera("link", "gfx942.h", "gfx1100.h", "-o", "linked")
    (tmp_path / "main.c").write_text("""#include <stdio.h>
#include "linked.h"
int main(void) {
  printf("%d\\n", (int)add_kernel_default(0, 0, 0, 0, 5000));
  return 0;
}
""")
    assert run_linked(tmp_path, hip, include, "linked.c", "gfx942.c", "gfx1100.c", FAKE_HIP_CHIP=chip) == printed


def test_variants_of_two_vendors_are_not_linked(tessera, launcher):
    launcher()
    tessera("compile", ADD, "-n", "add_kernel", "-s", SIGNATURE, "--target", "cuda:90", "--grid", "cdiv(n_elements, 1024),1,1",
            "--emit", "c", "-o", "nv")
    printed = tessera("link", "k.h", "nv.h", "-o", "linked", status=1)
    assert "the headers are for hip and cuda; link each kind by itself" in printed


# ---- libraries ---------------------------------------------------------------------------------------------------------

@pytest.fixture
def library(tessera, program, tmp_path):
    """library(target, ...): a program that calls a library with kernels for them."""
    def make(*targets):
        listed = ", ".join(f'"{target}"' for target in targets)
        (tmp_path / "kernels.toml").write_text(MANIFEST.replace("TARGETS", listed).replace("ADD", ADD))
        tessera("build", "kernels.toml", "-o", "out")
        return program(CALLS, tmp_path / "out" / "libsums.a", flags=("-Iout",))
    return make


def test_library(library, hip):
    run = library("hip:gfx942", "hip:gfx1100", "cpu")
    first = "load ELF for gfx942\nfind add_kernel\nlaunch 5 1 1 x 256 shared 0 n 5000\n0 \n"
    again = "launch 5 1 1 x 256 shared 0 n 5000\n0 \n"
    assert run(LD_LIBRARY_PATH=hip, FAKE_HIP_CHIP="gfx942") == first + first + again + "unload\nunload\n"
    assert "launch 5 1 1 x 128" in run(LD_LIBRARY_PATH=hip, FAKE_HIP_CHIP="gfx1100")


@pytest.mark.parametrize("variables, said", [
    ({"FAKE_HIP_CHIP": "gfx90a"}, "5 add: the library has no code for gfx90a, only for gfx942"),
    ({"FAKE_HIP_CHIP": "gfx942", "FAKE_ERROR": "719"}, "7 add: hipModuleLaunchKernel failed with 719: broken"),
    ({}, "6 add: HIP finds no GPU (no ROCm-capable device is detected); TESSERA_ON_CPU needs none"),
    ({"LD_LIBRARY_PATH": ""}, "6 add: no HIP runtime on this machine (there is no libamdhip64.so.7 or .6)"),
])
def test_library_without_what_it_needs(library, hip, variables, said):
    run = library("hip:gfx942")
    assert said in run(**{"LD_LIBRARY_PATH": hip, **variables})


def test_library_for_both_vendors(library, hip, driver):
    run = library("cuda:90", "hip:gfx942")
    assert "load ELF for gfx942" in run(LD_LIBRARY_PATH=hip, FAKE_HIP_CHIP="gfx942")
    assert "add_kernel of sm_90" in run(LD_LIBRARY_PATH=f"{driver}:{hip}", FAKE_CHIP="90", FAKE_HIP_CHIP="gfx942")
    assert "load ELF for gfx942" in run(LD_LIBRARY_PATH=f"{driver}:{hip}", FAKE_CHIP="none", FAKE_HIP_CHIP="gfx942")
    assert "only for 9.0, gfx942" in run(LD_LIBRARY_PATH=f"{driver}:{hip}", FAKE_CHIP="80")
    said = run(LD_LIBRARY_PATH=f"{driver}:{hip}", FAKE_CHIP="none")
    assert "the CUDA driver finds no GPU (no CUDA-capable device is detected); HIP finds no GPU (no ROCm-capable" in said
