"""examples/deploy, the CMake package and the pkg-config file, as a user has them: from the tree of an archive."""
import os
import re
import shutil
import subprocess
import sys

import pytest

import features
from machine import BUILD, ROOT, TESSERA, compiler

RUN = os.path.join(ROOT, "examples", "deploy", "run")
CPP = os.path.join(ROOT, "examples", "deploy", "cpp")


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """The folders of an archive, with links to what was built."""
    root = tmp_path_factory.mktemp("prefix")
    for folder, files in {"bin": [TESSERA], "lib": [os.path.join(BUILD, "lib", name) for name in ("libtessera.so", "libtessera_pack.so")],
                          "include": [os.path.join(ROOT, "include", name) for name in ("tessera.h", "tessera_pack.h")]}.items():
        (root / folder).mkdir()
        for file in files:
            os.symlink(file, root / folder / os.path.basename(file))
    subprocess.run([os.path.join(ROOT, "scripts", "dist"), "--packages", str(root)], check=True)
    return str(root)


def run(command, folder, status=0, **variables):
    done = subprocess.run(list(map(str, command)), cwd=str(folder), capture_output=True, text=True, env=dict(os.environ, **variables))
    assert done.returncode == status, f"status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


@pytest.mark.parametrize("program, lines", [("c", 4), ("cpp", 2), ("rust", 2), ("python", 3)])
def test_programs_run(tmp_path, prefix, cache, program, lines):
    needed = {"c": "cc", "cpp": "cmake", "rust": "cargo", "python": "cc"}[program]
    compiler(needed)
    printed = run([RUN, "cpu", program], tmp_path, OUT=str(tmp_path / "out"), TESSERA_CACHE_DIR=cache, TESSERA_PREFIX=prefix,
                  PYTHON=sys.executable).splitlines()
    assert printed[0] == f"== {program} on cpu" and printed[-1] == "all programs ran on cpu" and "passed over" not in "".join(printed)
    assert len(printed) == lines + 2 and printed[-2] == "softmax: no variant takes these arguments: their"


def test_a_program_with_a_pack(tmp_path, prefix, cache):
    compiler("c++")
    printed = run([RUN, "cpu", "pack"], tmp_path, OUT=str(tmp_path / "out"), TESSERA_CACHE_DIR=cache, TESSERA_PREFIX=prefix)
    assert printed.splitlines() == ["== pack on cpu", "add on cpu: 0 of 10000 are wrong", "all programs ran on cpu"]


def test_a_pack_from_cmake(tmp_path, prefix, cache):
    compiler("cmake")
    (tmp_path / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.18)
project(demo CXX)
find_package(Tessera REQUIRED)
tessera_add_pack(demo MANIFEST {ROOT}/examples/deploy/kernels.toml TARGETS cpu cuda:80)
add_executable(program {ROOT}/examples/deploy/pack/main.cpp)
target_link_libraries(program PRIVATE demo)
""")
    run(["cmake", "-S", ".", "-B", "out", f"-DCMAKE_PREFIX_PATH={prefix}"], tmp_path)
    run(["cmake", "--build", "out"], tmp_path, TESSERA_CACHE_DIR=cache)
    assert run(["out/program", "out/demo.tpack"], tmp_path) == "add on cpu: 0 of 10000 are wrong\n"
    assert "cuda:80" in run([TESSERA, "pack", "ls", "out/demo.tpack"], tmp_path)
    assert "Building the pack" not in run(["cmake", "--build", "out"], tmp_path, TESSERA_CACHE_DIR=cache)


def test_a_gpu_that_is_not_there(tmp_path, cache):
    if features.has_gpu():
        pytest.skip("this machine has a GPU")
    printed = run([RUN, "cuda", "c"], tmp_path, status=2, TESSERA_CACHE_DIR=cache)
    assert "add: no CUDA driver on this machine" in printed


def test_the_makefile(tmp_path, cache):
    compiler("make")
    folder = os.path.join(ROOT, "examples", "deploy", "c")
    make = ["make", "-C", folder, f"OUT={tmp_path}/out", f"TESSERA={TESSERA}", "run"]
    assert "12 compiled" in run(make, tmp_path, TESSERA_CACHE_DIR=cache)
    assert "tessera build" not in run(make, tmp_path, TESSERA_CACHE_DIR=cache)


def test_the_manifest_of_the_documentation(tmp_path, cache):
    """The first of docs/shipping.md, and the program below it."""
    with open(os.path.join(ROOT, "docs", "shipping.md"), encoding="utf-8") as page:
        text = page.read()
    blocks = dict(reversed(re.findall(r"```(\w+)\n(.*?)```", text, re.S)))
    shutil.copyfile(os.path.join(ROOT, "examples", "softmax.py"), tmp_path / "softmax.py")
    (tmp_path / "kernels.toml").write_text(blocks["toml"])
    include, _, rest = blocks["c"].partition("\n")
    (tmp_path / "program.c").write_text(f"""{include}
        #include <stdio.h>
        int main(void) {{
          float x[3] = {{1, 1, 2}}, y[3];
          tessera_stream stream = TESSERA_ON_CPU;
          int stride = 3, rows = 1, columns = 3;
          {rest}
          return status || y[0] != y[1] || y[2] < 0.5f;
        }}""")
    run([TESSERA, "build", "kernels.toml", "-o", "out", "-j", "8", "-t", "cpu"], tmp_path, TESSERA_CACHE_DIR=cache)
    run([compiler(), "-Iout", "program.c", "out/libmy_kernels.a", "-lm", "-ldl", "-pthread"], tmp_path)
    run(["./a.out"], tmp_path)


# ---- CMake ----------------------------------------------------------------------------------------

PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(demo LANGUAGES C)
find_package(Tessera 0.1 REQUIRED)
tessera_add_kernels(kernels MANIFEST kernels.toml TARGETS cpu)
add_executable(program main.c)
target_link_libraries(program PRIVATE kernels)
add_executable(embed embed.c)
target_link_libraries(embed PRIVATE Tessera::tessera)
"""
MAIN = '#include "kernels.h"\nint main(void) { float x[4] = {0}; return fill(TESSERA_ON_CPU, x, 3) || x[2] != VALUE || x[3] != 0; }\n'
EMBED = '#include "tessera.h"\nint main(void) { tessera_session_free(tessera_session_create()); return 0; }\n'
KERNEL = """\
import triton
import triton.language as tl
from values import VALUE

@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, VALUE, at < n)
"""


@pytest.fixture
def project(tmp_path, prefix, cache):
    """A project with a kernel; project(generator) configures, and the result builds it and says what it did."""
    compiler("cmake")
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    (tmp_path / "main.c").write_text(MAIN.replace("VALUE", "5.0f"))
    (tmp_path / "embed.c").write_text(EMBED)
    (tmp_path / "kernel.py").write_text(KERNEL)
    (tmp_path / "values.py").write_text("import triton.language as tl\nVALUE = tl.constexpr(5.0)\n")
    (tmp_path / "kernels.toml").write_text('[[kernel]]\nfile = "kernel.py"\nname = "fill"\nsignature = "*fp32,i32,4"\ngrid = "1"\n')

    def configure(generator, status=0):
        compiler({"Ninja": "ninja", "Unix Makefiles": "make"}[generator])
        configured = run(["cmake", "-G", generator, "-S", ".", "-B", "b", f"-DCMAKE_PREFIX_PATH={prefix}"], tmp_path, status)
        build = lambda status=0: run(["cmake", "--build", "b"], tmp_path, status, TESSERA_CACHE_DIR=cache)  # noqa: E731
        return build if status == 0 else configured
    return configure


@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_cmake_builds_again_what_has_changed(project, tmp_path, generator):
    build = project(generator)
    assert "Building the kernels of kernels.toml" in build()
    run([tmp_path / "b" / "program"], tmp_path)
    run([tmp_path / "b" / "embed"], tmp_path)
    assert "Building the kernels" not in build()
    # The file that a kernel imports.
    later = os.stat(tmp_path / "b" / "program").st_mtime + 5
    for name, old, new in [("values.py", "5.0", "6.0"), ("main.c", "5.0f", "6.0f")]:
        (tmp_path / name).write_text((tmp_path / name).read_text().replace(old, new))
        os.utime(tmp_path / name, (later, later))
    assert "Building the kernels" in build()
    run([tmp_path / "b" / "program"], tmp_path)
    # An error comes with the manifest's line.
    (tmp_path / "kernels.toml").write_text((tmp_path / "kernels.toml").read_text().replace('grid = "1"', 'grid = "rows"'))
    os.utime(tmp_path / "kernels.toml", (later + 9, later + 9))
    assert "kernels.toml:5:8: error: 'rows': 'rows' is no parameter of 'fill'; there are n, BLOCK" in build(status=2 if generator != "Ninja" else 1)


def test_cmake_says_what_is_missing(project, tmp_path):
    text = (tmp_path / "CMakeLists.txt").read_text()
    (tmp_path / "CMakeLists.txt").write_text(text.replace("kernels.toml", "no.toml"))
    assert "there is no manifest" in project("Ninja", status=1)
    (tmp_path / "CMakeLists.txt").write_text(text.replace("MANIFEST", "MANIFST"))
    assert "unknown arguments: MANIFST" in project("Ninja", status=1).replace("\n ", "")
    (tmp_path / "CMakeLists.txt").write_text(text.replace("Tessera 0.1", "Tessera 9.1"))
    assert "Tessera" in project("Ninja", status=1)


def test_pkg_config(prefix, tmp_path):
    compiler("pkg-config")
    (tmp_path / "embed.c").write_text(EMBED)
    flags = run(["pkg-config", "--cflags", "--libs", "tessera"], tmp_path, PKG_CONFIG_PATH=os.path.join(prefix, "lib", "pkgconfig")).split()
    run([compiler(), "embed.c", *flags, "-o", "embed"], tmp_path)
    run(["./embed"], tmp_path)
    assert shutil.which("pkg-config")
