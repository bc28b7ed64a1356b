"""--debug-info: gdb stops at every line of a kernel and shows its arguments, in a C program and under `tessera run`.

What needs no gdb (the line table and the variables of an object) is in test/compile/cpu/debug-info.py.
"""
import os
import re
import shutil
import subprocess

import pytest

from c_programs import C, TESSERA, build, compile_kernel, execute
from launch import EXAMPLES

ADD = os.path.join(EXAMPLES, "add.py")

pytestmark = pytest.mark.skipif(not shutil.which("gdb"), reason="no gdb on this machine")


def kernel_lines():
    """The statements of add_kernel, by number."""
    with open(ADD, encoding="utf-8") as file:
        lines = file.read().split("\n")
    begin = next(i for i, line in enumerate(lines) if line.startswith("def add_kernel")) + 1
    body = []
    for number, line in enumerate(lines[begin:], begin + 1):
        if not line.strip():
            break
        if not line.strip().startswith("#"):
            body.append(number)
    return body


def gdb(commands, program, cwd):
    options = [part for command in commands for part in ("-ex", command)]
    # No debuginfod, no init files: what the test sees must not depend on the machine.
    return execute("gdb", "-batch", "-nx", "-ex", "set breakpoint pending on", "-ex", "set debuginfod enabled off", *options,
                   "--args", *program, cwd=cwd)


def run_command(*options):
    size = 4096
    return [TESSERA, "run", ADD, "--kernel-name", "add_kernel", "--signature", "*fp32,*fp32,*fp32,i32,1024", "--device", "cpu",
            "--grid", "4", "--threads", "1", "--no-cache", "--debug-info", "--arg", f"x_ptr=arange:{size}", "--arg",
            f"y_ptr=arange:{size}", "--arg", f"output_ptr=zeros:{size}", "--arg", f"n_elements={size}", *options]


def assert_stops_everywhere(output):
    """One stop at each line, each with the line's text."""
    stops = [int(number) for number in re.findall(r"^Breakpoint \d+,.* at .*add\.py:(\d+)$", output, re.M)]
    assert sorted(set(stops)) == kernel_lines(), output


def stop_everywhere():
    lines = kernel_lines()
    return [f"tbreak add.py:{line}" for line in lines] + ["run"] + ["continue"] * len(lines)


def test_every_line_of_an_object(tmp_path):
    compile_kernel(tmp_path, "add", "--debug-info")
    build(tmp_path, "add", C)
    output = gdb(stop_everywhere(), ["./program"], tmp_path).replace("Temporary breakpoint", "Breakpoint")
    assert_stops_everywhere(output)
    assert "0 failures" in output


def test_every_line_under_tessera_run(tmp_path):
    output = gdb(stop_everywhere(), run_command(), tmp_path).replace("Temporary breakpoint", "Breakpoint")
    assert_stops_everywhere(output)
    assert "add_kernel: grid (4, 1, 1)" in output


def test_variables(tmp_path):
    last = kernel_lines()[-1]
    output = gdb([f"break add.py:{last} if program_id[0] == 2", "run", "info args", "info locals", "print x_ptr[2050]",
                  "backtrace"], run_command(), tmp_path)
    for line in ["n_elements = 4096", "program_id = {2, 0, 0}", "num_programs = {4, 1, 1}", "pid = 2", "block_start = 2048",
                 "$1 = 2050"]:
        assert f"\n{line}\n" in output, output
    assert re.search(r"^x_ptr = 0x[0-9a-f]+$", output, re.M), output
    assert re.search(r"^#0 +add_kernel \(x_ptr=0x", output, re.M), output


def test_relative_names(tmp_path):
    """Names are relative to the folder of the compilation, or to --debug-dir."""
    shutil.copy(ADD, tmp_path / "add.py")
    for options, folder in [([], str(tmp_path)), (["--debug-dir", "/somewhere/else"], "/somewhere/else")]:
        subprocess.run([TESSERA, "compile", "add.py", "--kernel-name", "add_kernel", "--signature", "*fp32,*fp32,*fp32,i32,64",
                        "--target", "cpu", "--emit", "obj", "-o", "add", "--debug-info", "--no-cache", *options], cwd=tmp_path,
                       check=True)
        assert f'DW_AT_comp_dir\t("{folder}")' in execute("llvm-dwarfdump-22", "--debug-info", "add.obj", cwd=tmp_path)
