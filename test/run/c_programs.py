"""Compiles CPU kernels as objects, and C programs of test/run/programs that call them."""
import os
import shutil
import subprocess

import pytest

from launch import EXAMPLES, ROOT

PROGRAMS = os.path.join(ROOT, "test", "run", "programs")
TESSERA = os.path.join(ROOT, os.environ.get("BUILD", "build"), "bin", "tessera")
KERNELS = {"add": ("add.py", "add_kernel", "*fp32,*fp32,*fp32,i32,1024"),
           "softmax": ("softmax.py", "softmax_kernel", "*fp32,*fp32,i32,i32,i32,i32,1024")}
C = ["clang-22", "-std=c99", "-D_POSIX_C_SOURCE=200809L"]
CXX = ["clang++-22", "-std=c++20", "-x", "c++"]
GCC = ["gcc", "-std=gnu99"]


def execute(*command, cwd, status=0):
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=300)
    output = done.stdout + done.stderr
    assert done.returncode == status, f"status {done.returncode}: {' '.join(map(str, command))}\n{output}"
    return output


def compile_kernel(folder, name, *options):
    file, kernel, signature = KERNELS[name]
    execute(TESSERA, "compile", os.path.join(EXAMPLES, file), "--kernel-name", kernel, "--signature", signature,
            "--target", "cpu", "--emit", "c", "-o", "kernel", "--no-cache", *options, cwd=folder)


def build(folder, name, compiler, *options):
    if not shutil.which(compiler[0]):
        pytest.skip(f"no {compiler[0]} on this machine")
    language = ["-x", "none"] if "-x" in compiler else []
    execute(*compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-I.", os.path.join(PROGRAMS, name + ".c"), "kernel.c",
            *language, "kernel.obj", "-o", "program", "-lm", "-pthread", *options, cwd=folder)
