"""The C launcher of a kernel for an AMD GPU: compiled without HIP's header, with it where Triton's package has one, and run
against a libamdhip64 that only prints."""
import os
import subprocess

import pytest

import features
from machine import ROOT, STRICT, compiler

ADD = os.path.join(ROOT, "examples", "add.py")
SIGNATURE = "*fp32:16,*fp32:16,*fp32:16,i32,1024"
DRIVER = r"""
#include <stdio.h>
#include <string.h>
int hipModuleLoadData(void **module, const void *image) {
  printf("load %s\n", memcmp(image, "\177ELF", 4) ? "nonsense" : "ELF");
  *module = &printf;
  return 0;
}
int hipModuleUnload(void *module) { (void)module; puts("unload"); return 0; }
int hipModuleGetFunction(void **function, void *module, const char *name) {
  printf("find %s\n", name);
  *function = module;
  return 0;
}
int hipModuleLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **arguments, void **extra) {
  (void)function; (void)by; (void)bz; (void)stream; (void)extra;
  printf("launch %u %u %u x %u shared %u n %d\n", x, y, z, bx, shared, *(int *)arguments[3]);
  return 0;
}
int hipModuleLaunchCooperativeKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                                     unsigned shared, void *stream, void **arguments) {
  printf("cooperative ");
  return hipModuleLaunchKernel(function, x, y, z, bx, by, bz, shared, stream, arguments, 0);
}
int hipDrvGetErrorString(int error, const char **text) { (void)error; *text = "broken"; return 0; }
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


def run(tmp_path, function, include=()):
    (tmp_path / "driver.c").write_text(DRIVER)
    (tmp_path / "main.c").write_text(f"""#include "k.h"
int main(void) {{
  hipError_t status = {function}(0, 0, 0, 0, 5000);
  unload_{function}();
  return status != hipSuccess;
}}
""")
    cc = compiler()
    subprocess.run([cc, "-shared", "-fPIC", "driver.c", "-o", "libamdhip64.so"], check=True, cwd=tmp_path)
    subprocess.run([cc, *STRICT, *include, "main.c", "k.c", "libamdhip64.so", "-Wl,-rpath,.", "-o", "main"], check=True,
                   cwd=tmp_path)
    return subprocess.run(["./main"], check=True, cwd=tmp_path, capture_output=True, text=True).stdout


def test_launch(launcher, tmp_path):
    printed = run(tmp_path, launcher())
    assert printed == "load ELF\nfind add_kernel\nlaunch 5 1 1 x 256 shared 0 n 5000\nunload\n"


def test_warps_of_32_threads(launcher, tmp_path):
    assert "launch 5 1 1 x 256 shared 0" in run(tmp_path, launcher("--num-warps", "8", target="hip:gfx1100"))


def test_cooperative_launch(launcher, tmp_path):
    assert "cooperative launch 5 1 1 x 256" in run(tmp_path, launcher("--launch-cooperative-grid"))


def test_with_the_header_of_hip(launcher, tmp_path):
    include = features.hip_headers()
    if not include:
        pytest.skip("no headers of HIP on this machine")
    assert "launch 5 1 1" in run(tmp_path, launcher(), include=("-isystem", include))


def test_what_libraries_cannot_hold(tessera, tmp_path, launcher):
    launcher()
    printed = tessera("link", "k.h", "-o", "linked", status=1)
    assert "k.h' is for hip:gfx942, of which variants cannot be chosen at run time yet" in printed
