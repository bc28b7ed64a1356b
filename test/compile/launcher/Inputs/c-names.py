"""Compiles kernels with names that C has already, and their launchers as C and C++: c-names.py FOLDER."""
import os
import subprocess
import sys

KERNELS = ["cumsum_kernel", "custom", "CUBE", "get_t", "__init_kernel", "_lower", "GEMM", "k"]
PARAMETERS = ["UINT32_MAX", "INT64_MAX", "NULL", "EOF", "RAND_MAX", "PRIu64", "SCNd8", "BUFSIZ", "L_tmpnam", "stdin", "errno", "memset",
              "k_programs", "k_programs_in", "k_share", "k_worker", "k_work", "k_try_load", "cuLaunchKernel", "uint32_t", "pthread_t",
              "pthread_create", "malloc", "free", "sysconf", "grid", "args", "status", "int", "new", "main", "exit", "sched_priority",
              "linux", "CUstream", "\u03b1", "arg_int", "__x", "_X", "R_OK", "DEBUG", "status_", "attributes", "config", "load_k"]
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-c"]


def compile_all(folder, kernel, parameters, constant):
    source = os.path.join(folder, "source.py")
    names = ", ".join(["p", *parameters, "C: tl.constexpr"])
    with open(source, "w", encoding="utf-8") as file:
        file.write("import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
                   f"def {kernel}({names}):\n    tl.store(p, {' + '.join(parameters) or '1'})\n")
    signature = ",".join(["*i32", *["i32"] * len(parameters), constant])
    for target in "cpu", "cuda:90":
        for grid in [[], ["--grid", f"{parameters[0]} + 1"]] if parameters else [[]]:
            out = os.path.join(folder, "out")
            subprocess.run(["tessera", "compile", source, "-n", kernel, "-s", signature, "--target", target, "--emit", "c",
                            "--num-ctas", "2" if target != "cpu" else "1", "-o", out, *grid], check=True)
            for language in ["-xc"], ["-xc++"]:
                subprocess.run(["clang-22", *language, *WARNINGS, out + ".c", "-o", out + ".o"], check=True)


def check_comment(folder):
    """A constant with line ends stays in its comment."""
    source, out = os.path.join(folder, "source.py"), os.path.join(folder, "out")
    signature = "*i32,'a\nint INJECT(void);\n//'"
    for target in "cpu", "cuda:90":
        subprocess.run(["tessera", "compile", source, "-n", "k", "-s", signature, "--target", target, "--emit", "c", "-o", out],
                       check=True)
        for extension in ".h", ".c":
            with open(out + extension, encoding="utf-8") as file:
                assert not any(line.startswith("int INJECT") for line in file)


def main(folder):
    for kernel in KERNELS:
        compile_all(folder, kernel, [], "64")
    check_comment(folder)
    step = 12
    for begin in range(0, len(PARAMETERS), step):
        compile_all(folder, "k", PARAMETERS[begin:begin + step], "'*/x/*'")


main(sys.argv[1])
