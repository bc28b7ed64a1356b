"""What kernels say while they run: tl.device_print on stdout, tl.device_assert on stderr and as the launch's error."""
import os
import re
import subprocess

import numpy as np
import pytest

from launch import FLOATS, INTS, KERNELS, TESSERA, UNSIGNED, random
from tiles import kernel

SOURCE = os.path.join(KERNELS, "print_assert.py")
ids = dict(ids=lambda t: t.name)


def execute(folder, source, name, signature, grid, arguments, *options, device="cpu"):
    """(status, lines of stdout, lines of stderr)."""
    if "\n" in source:
        text, source = source, os.path.join(folder, "kernel.py")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
    command = [TESSERA, "run", source, "--kernel-name", name, "--signature", signature, "--grid", ",".join(map(str, grid)),
               "--device", device, "--no-cache", *options]
    for key, value in arguments.items():
        if isinstance(value, np.ndarray):
            np.save(os.path.join(folder, f"{key}.npy"), value)
            value = f"@{folder}/{key}.npy"
        command += ["--arg", f"{key}={value}"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()


def printed(folder, *arguments):
    status, out, errors = execute(folder, *arguments, "--threads", "1")
    assert status == 0, "\n".join(errors)
    return [line for line in out if line.startswith("pid ")]


def line_of(mark):
    with open(SOURCE, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if line.endswith(f"# mark: {mark}\n"))


# ---- printing -------------------------------------------------------------------------------------

def test_formats(tmp_path):
    x = np.array([0.5, -1.25, np.inf, 1e6, 2, 3, 4, 5], np.float32)
    lines = printed(tmp_path, SOURCE, "print_kernel", "*fp32,i32,4", (1, 2, 1), {"x_ptr": x, "n": -3})
    expected = []
    for y in range(2):
        pid = f"pid (0, {y}, 0)"
        expected += [f"{pid} hello", f"{pid} idx () n: -3"]
        expected += [f"{pid} idx ({i}) x: {v}" for i, v in enumerate(["0.500000", "-1.250000", "inf", "1000000.000000"])]
        expected += [f"{pid} idx ({i}) both 100%d: (operand 0) {i}" for i in range(4)]
        expected += [f"{pid} idx () both 100%d: (operand 1) -3"]
        expected += [f"{pid} idx ({i}, {j:2}) table: {i * 100 + j}" for i in range(4) for j in range(16)]
        expected += [f"{pid} idx (0) one: (operand 0) 0", f"{pid} idx () one: (operand 1) 0"]
    assert lines == expected


def test_rows(tmp_path):
    """--print-rows: a line per call and program, in which long dimensions are shortened."""
    x = np.array([0.5, -1.25, np.inf, 1e6, 2, 3, 4, 5], np.float32)
    lines = printed(tmp_path, SOURCE, "print_kernel", "*fp32,i32,4", (1, 2, 1), {"x_ptr": x, "n": -3}, "--print-rows")
    expected = []
    for y in range(2):
        table = ", ".join("[" + ", ".join(str(i * 100 + j) for j in range(16)) + "]" for i in range(4))
        expected += [f"pid (0, {y}, 0) {text}" for text in
                     ("hello", "n: -3", "x: [0.5, -1.25, inf, 1e+06]", "both 100%d: [0, 1, 2, 3], -3", f"table: [{table}]", "one: [0], 0")]
    assert lines == expected


def test_long_rows(tmp_path):
    text = kernel("x_ptr", """
        x = tl.load(x_ptr + tl.arange(0, 32))
        tl.device_print("x", x)
        tl.device_print("table", tl.arange(0, 64)[:, None] * 1000 + tl.arange(0, 2)[None, :])
        tl.device_print("bits", x.to(tl.int32), hex=True)
    """)
    lines = printed(tmp_path, text, "kernel", "*fp32", (1,), {"x_ptr": np.arange(32, dtype=np.float32)}, "--print-rows")
    assert lines == ["pid (0, 0, 0) x: [0, 1, 2, 3, ..., 28, 29, 30, 31]",
                     "pid (0, 0, 0) table: [[0, 1], [1000, 1001], [2000, 2001], [3000, 3001], ..., [60000, 60001], [61000, 61001], "
                     "[62000, 62001], [63000, 63001]]",
                     "pid (0, 0, 0) bits: [" + ", ".join(f"0x{i:08x}" for i in range(4)) + ", ..., "
                     + ", ".join(f"0x{i:08x}" for i in range(28, 32)) + "]"]


def print_one(tmp_path, dtype, x, options=""):
    text = kernel("x_ptr", f"tl.device_print(\"x\", tl.load(x_ptr + tl.arange(0, {x.size})){options})")
    lines = printed(tmp_path, text, "kernel", f"*{dtype.name}", (1,), {"x_ptr": x})
    width = len(str(x.size - 1))
    assert [line.split(" x: ")[0] for line in lines] == [f"pid (0, 0, 0) idx ({i:{width}})" for i in range(x.size)]
    return [line.split(" x: ")[1] for line in lines]


@pytest.mark.parametrize("dtype", FLOATS + INTS + UNSIGNED, **ids)
def test_every_type(tmp_path, dtype):
    x = random(dtype, 128, 3)
    wide = dtype.widen(x)
    values = print_one(tmp_path, dtype, x)
    if dtype.is_float:
        assert [value.strip("-") if "nan" in value else value for value in values] == ["nan" if v != v else f"{v:f}" for v in wide]
    else:
        assert values == [str(int(v)) for v in x]


@pytest.mark.parametrize("dtype", FLOATS + INTS + UNSIGNED, **ids)
def test_hexadecimal(tmp_path, dtype):
    x = random(dtype, 32, 3)
    bits = x.view(f"u{x.itemsize}")
    assert print_one(tmp_path, dtype, x, ", hex=True") == [f"0x{int(v):0{2 * x.itemsize}x}" for v in bits]


def test_eight_bit_floats(tmp_path):
    x = np.array([0x3C, 0xBC, 0x7B, 0x01], np.uint8)
    text = kernel("x_ptr", 'tl.device_print("x", tl.load(x_ptr + tl.arange(0, 4)).to(tl.float8e5, bitcast=True))')
    lines = printed(tmp_path, text, "kernel", "*u8", (1,), {"x_ptr": x})
    assert [line.split(": ")[1] for line in lines] == ["1.000000", "-1.000000", "57344.000000", "0.000015"]


def test_pointers(tmp_path):
    text = kernel("x_ptr", 'tl.device_print("p", x_ptr)\ntl.device_print("q", x_ptr + tl.arange(0, 4))')
    lines = printed(tmp_path, text, "kernel", "*fp32", (1,), {"x_ptr": np.zeros(4, np.float32)})
    first, *rest = [int(line.split(": ")[1], 16) for line in lines]
    assert rest == [first + 4 * i for i in range(4)] and first > 0


@pytest.mark.parametrize("threads", [2, 7])
def test_rows_of_threads_do_not_mix(tmp_path, threads):
    x = np.arange(32, dtype=np.int32)
    status, out, errors = execute(tmp_path, SOURCE, "print_lines", "*i32,32", (64, 2), {"x_ptr": x}, "--threads", str(threads),
                                  "--print-rows")
    assert status == 0, errors
    pattern = re.compile(r"pid \((\d+), (\d), 0\) a rather long prefix, .* would show: \[0, 1, 2, 3, \.\.\., 28, 29, 30, 31\]")
    found = [pattern.fullmatch(line) for line in out if line.startswith("pid")]
    assert all(found)
    assert sorted(tuple(map(int, match.groups())) for match in found) == [(p, y) for p in range(64) for y in range(2)]


@pytest.mark.parametrize("threads", [2, 7])
def test_lines_of_threads_do_not_mix(tmp_path, threads):
    x = np.arange(32, dtype=np.int32)
    status, out, errors = execute(tmp_path, SOURCE, "print_lines", "*i32,32", (64, 2), {"x_ptr": x}, "--threads", str(threads))
    assert status == 0, errors
    pattern = re.compile(r"pid \((\d+), (\d), 0\) idx \(([ \d]\d)\) a rather long prefix, .* would show: (\d+)")
    found = [pattern.fullmatch(line) for line in out if line.startswith("pid")]
    assert all(found)
    places = [tuple(map(int, match.groups())) for match in found]
    assert sorted(places) == [(p, y, i, i) for p in range(64) for y in range(2) for i in range(32)]
    for program in {place[:2] for place in places}:  # each program's own lines are in order
        assert [place[2] for place in places if place[:2] == program] == list(range(32))


# ---- assertions -----------------------------------------------------------------------------------

def assertion(tmp_path, x, n, *options):
    return execute(tmp_path, SOURCE, "assert_kernel", "*i32,i32,8,16", (x.size // 128,), {"x_ptr": x, "n": n}, *options)


def test_assertions_that_hold(tmp_path):
    x = np.ones(128 * 20, np.int32)
    x[77] = -7  # masked off
    for threads in "1", "3":
        status, _, errors = assertion(tmp_path, x, 7, "--debug", "--threads", threads)
        assert status == 0 and not errors


def test_no_assertions_without_debug(tmp_path):
    status, _, errors = assertion(tmp_path, -np.ones(128, np.int32), 1000)
    assert status == 0 and not errors


def reported(errors):
    return [line for line in errors if "assertion failed in kernel" in line]


@pytest.mark.parametrize("program,element", [(0, 0), (0, 127), (3, 5), (6, 16)])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_failing_element(tmp_path, program, element, threads):
    x = np.ones(128 * 7, np.int32)
    x[program * 128 + element:(program + 1) * 128] = -1  # the first is named
    status, _, errors = assertion(tmp_path, x, 7, "--debug", "--threads", threads)
    assert status == 1
    assert reported(errors) == [f"{SOURCE}:{line_of('tensor')}: assertion failed in kernel 'assert_kernel', "
                                f"program ({program}, 0, 0), element ({element // 16}, {element % 16}): x is 100% positive"]
    assert any("kernel assert_kernel stopped at a failed assertion" in line for line in errors)


def test_failing_scalar(tmp_path):
    status, _, errors = assertion(tmp_path, np.ones(128, np.int32), 100, "--debug")
    assert status == 1
    assert reported(errors) == [f"{SOURCE}:{line_of('scalar')}: assertion failed in kernel 'assert_kernel', "
                                "program (0, 0, 0): n is small"]


def test_failing_in_a_function(tmp_path):
    """The assert statement, without a message, where it is written, and who called."""
    status, _, errors = assertion(tmp_path, np.ones(128, np.int32), 50, "--debug")
    assert status == 1
    assert reported(errors) == [f"{SOURCE}:{line_of('function')} (called from {SOURCE}:{line_of('call')}): "
                                "assertion failed in kernel 'assert_kernel', program (0, 0, 0)"]


def test_overflow_is_an_assertion(tmp_path):
    """With --debug integer arithmetic below 64 bits asserts that it does not wrap."""
    text = kernel("x_ptr", "i = tl.arange(0, 16)\ntl.store(x_ptr + i, tl.load(x_ptr + i) * 1000)")
    x = np.arange(16, dtype=np.int32)
    assert execute(tmp_path, text, "kernel", "*i32", (1,), {"x_ptr": x}, "--debug")[0] == 0
    x[9] = 1 << 30
    status, _, errors = execute(tmp_path, text, "kernel", "*i32", (1,), {"x_ptr": x}, "--debug")
    assert status == 1 and "element (9)" in reported(errors)[0] and "overflow" in reported(errors)[0]


def test_overflow_in_sums(tmp_path):
    """Where the sum is made, which is the library's; the kernel's own line comes with it."""
    text = kernel("x_ptr, out_ptr", """
        x = tl.load(x_ptr + tl.arange(0, 64))
        tl.store(out_ptr, tl.sum(x, 0))
        tl.store(out_ptr + 1 + tl.arange(0, 64), tl.cumsum(x, 0))
    """)
    x, saved = np.arange(64, dtype=np.int32), os.path.join(tmp_path, "after.npy")
    arguments = {"x_ptr": x, "out_ptr": np.zeros(65, np.int32)}
    status, _, _ = execute(tmp_path, text, "kernel", "*i32,*i32", (1,), arguments, "--debug", "--save", f"out_ptr={saved}")
    assert status == 0
    np.testing.assert_array_equal(np.load(saved), np.append(x.sum(), np.cumsum(x)))
    x[:40] = 1 << 26
    status, _, errors = execute(tmp_path, text, "kernel", "*i32,*i32", (1,), arguments, "--debug")
    assert status == 1 and "kernel.py:8)" in reported(errors)[0] and "overflow" in reported(errors)[0]


# ---- on a GPU -------------------------------------------------------------------------------------

@pytest.fixture
def only_on_gpus(device):
    if device == "cpu":
        pytest.skip("see above")
    if os.environ.get("TESSERA_TEST_MEMORY") == "exact":
        pytest.skip("a process that prints from a kernel does not end under compute-sanitizer")
    return device


@pytest.mark.parametrize("num_warps", ["1", "4", "32"])
def test_formats_on_a_gpu(tmp_path, only_on_gpus, num_warps):
    """The lines that the CPU prints, each once, in any order."""
    x = np.array([0.5, -1.25, np.inf, 1e6, 2, 3, 4, 5], np.float32)
    launch = (tmp_path, SOURCE, "print_kernel", "*fp32,i32,4", (1, 2, 1), {"x_ptr": x, "n": -3})
    status, out, errors = execute(*launch, "--num-warps", num_warps, device=only_on_gpus)
    assert status == 0, "\n".join(errors)
    assert sorted(line for line in out if line.startswith("pid ")) == sorted(printed(*launch))


@pytest.mark.parametrize("num_warps", [1, 4])
def test_every_thread_prints_on_a_gpu(tmp_path, only_on_gpus, num_warps):
    """As many lines as Triton's code prints: a scalar by every thread, an element by every thread that has a copy."""
    x = np.array([0.5, -1.25, np.inf, 1e6], np.float32)
    launch = (tmp_path, SOURCE, "print_kernel", "*fp32,i32,4", (1, 1, 1), {"x_ptr": x, "n": -3})
    status, out, errors = execute(*launch, "--num-warps", str(num_warps), "--print-every-thread", device=only_on_gpus)
    assert status == 0, "\n".join(errors)
    lines = [line for line in out if line.startswith("pid ")]
    assert set(lines) == set(printed(*launch))
    threads = 32 * num_warps
    assert lines.count("pid (0, 0, 0) hello") == lines.count("pid (0, 0, 0) idx () n: -3") == threads
    assert [lines.count(line) for line in lines if " x: " in line] == [threads // 4] * threads


def test_failing_element_on_a_gpu(tmp_path, only_on_gpus):
    """The driver names file, line and message; the launch fails."""
    x = np.ones(128 * 7, np.int32)
    arguments = (tmp_path, SOURCE, "assert_kernel", "*i32,i32,8,16", (7,), {"x_ptr": x, "n": 7}, "--debug")
    status, _, errors = execute(*arguments, device=only_on_gpus)
    assert status == 0, "\n".join(errors)
    x[3 * 128 + 5] = -1
    status, out, errors = execute(*arguments, device=only_on_gpus)
    assert status == 1
    assert any(f"{SOURCE}:{line_of('tensor')}" in line and "x is 100% positive" in line for line in out + errors)
