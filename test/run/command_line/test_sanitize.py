"""`tessera run --sanitize`: finds each kind of mistake, names its place, and is silent about kernels without any.

The kernels are in kernels/sanitize.py, a mistake each. A place is the line that holds a text, so that the file can grow.
"""
import os
import re
import subprocess

import numpy as np
import pytest

from launch import EXAMPLES, KERNELS, TESSERA

FILE = os.path.join(KERNELS, "sanitize.py")


def line_of(kernel, text):
    """Where `text` stands in the function `kernel`, as line and column from 1."""
    with open(FILE, encoding="utf-8") as file:
        lines = file.read().split("\n")
    begin = next(i for i, line in enumerate(lines) if line.startswith(f"def {kernel}("))
    at = next(i for i in range(begin, len(lines)) if text in lines[i])
    return at + 1, lines[at].index(text) + 1


def sanitize(kernel, signature, grid, arguments, expect=0, options=(), file=FILE):
    command = [TESSERA, "run", file, "--sanitize", "--no-cache", "--kernel-name", kernel, "--signature", signature,
               "--grid", str(grid), *options]
    for name, value in arguments.items():
        command += ["--arg", f"{name}={value}"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    assert done.returncode == expect, f"status {done.returncode} from\n{' '.join(command)}\n{done.stdout}{done.stderr}"
    assert ("sanitized: nothing wrong" in done.stdout) == (expect == 0), done.stdout
    return done


def reports(kernel, *rest, **options):
    """The report's lines, without addresses and the file's name."""
    text = sanitize(kernel, *rest, expect=1, **options).stderr
    assert text.rstrip().split("\n")[-1].endswith(f"in '{kernel}'"), text
    text = re.sub(r"0x[0-9a-f]+", "0x", text.replace(FILE + ":", ""))
    return text


def check_error(text, kernel, where, message):
    line, column = line_of(kernel, where)
    assert f"{line}:{column}: error: {message}\n" in text, text


def check_note(text, kernel, where, message):
    if where is None:
        assert f"\nnote: {message}" in text, text
        return
    line, column = line_of(kernel, where)
    assert f"{line}:{column}: note: {message}" in text, text


N1000 = {"x_ptr": "randn:1000", "out_ptr": "empty:1000", "n": 1000}


def test_nothing_wrong():
    sanitize("add_right", "*fp32,*fp32,*fp32,i32,128", 8, {"y_ptr": "randn:1000", **N1000})


def test_off_by_one():
    text = reports("off_by_one", "*fp32,*fp32,i32,128", 8, N1000)
    check_error(text, "off_by_one", "tl.load", "load outside 'x_ptr': element 1000, 1 element past the end")
    check_note(text, "off_by_one", "offsets <= n", "the mask 'inside' is true there")
    check_note(text, "off_by_one", None, "in program (7, 0, 0) of off_by_one, at [104] of the block's [128]; address 0x")
    check_note(text, "off_by_one", None, "'x_ptr' is fp32[1000], 0x to 0x")
    # The source line, with the call underlined, as the compiler shows it.
    assert "    x = tl.load(x_ptr + offsets, mask=inside)\n        ^~~~~~~~" in text, text
    assert text.count("error:") == 2, text  # and the sentence at the end


def test_missing_mask():
    text = reports("missing_mask", "*fp32,*fp32,i32,128", 8, N1000)
    check_error(text, "missing_mask", "tl.store", "store outside 'out_ptr': element 1000, 1 element past the end")
    check_note(text, "missing_mask", None, "no mask is in force")
    check_note(text, "missing_mask", None, "24 such accesses in all")


def test_wrong_stride():
    text = reports("wrong_stride", "*fp32,*fp32,i32,i32,i32,16,32", 2,
                   {"x_ptr": "randn:32x28", "out_ptr": "empty:32x28", "rows": 32, "columns": 28, "stride": 32})
    check_error(text, "wrong_stride", "tl.load", "load outside 'x_ptr': element 896, 1 element past the end")
    check_note(text, "wrong_stride", None, "in program (1, 0, 0) of wrong_stride, at [12, 0] of the block's [16, 32]")
    check_note(text, "wrong_stride", None, "'x_ptr' is fp32[32, 28]")
    check_note(text, "wrong_stride", None, "112 such accesses in all")


def free_memory():
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable"))


@pytest.mark.skipif(free_memory() < 4 << 30, reason="needs an array of 2 GiB")
def test_overflow_at_2_to_the_31():
    # Every row lies inside: only the third one's offset, 2^31, does not fit 32 bits.
    text = reports("overflow", "*i8,*i8,i32,128", 3,
                   {"x_ptr": f"zeros:{2**31 + 128}", "out_ptr": "empty:3x128", "stride": 2**30})
    check_error(text, "overflow", "tl.load",
                f"load outside 'x_ptr': element {-2**31}, {2**31} elements before the beginning")
    check_note(text, "overflow", None, "in program (2, 0, 0) of overflow, at [0] of the block's [128]")
    check_note(text, "overflow", "row * stride",
               f"a 32-bit offset overflowed on the way there: 2 * {2**30} is {2**31} and became {-2**31}; "
               "compute it in 64 bits, with .to(tl.int64)")
    check_note(text, "overflow", None, "128 such accesses in all")


@pytest.mark.skipif(free_memory() < 4 << 30, reason="needs an array of 2 GiB")
def test_overflow_in_a_block():
    # The sum of the second row's end and its column is the first to need a 32nd bit.
    text = reports("overflow_in_block", "*i8,*i8,i32,2,16", 1,
                   {"x_ptr": f"zeros:{2**31 + 128}", "out_ptr": "empty:2x16", "stride": 2**31 - 8})
    check_error(text, "overflow_in_block", "tl.load",
                f"load outside 'x_ptr': element {-2**31}, {2**31} elements before the beginning")
    check_note(text, "overflow_in_block", None, "in program (0, 0, 0) of overflow_in_block, at [1, 8] of the block's [2, 16]")
    check_note(text, "overflow_in_block", "rows * stride",
               f"a 32-bit offset overflowed on the way there: {2**31 - 8} + 8 is {2**31} and became {-2**31}")
    check_note(text, "overflow_in_block", None, "8 such accesses in all")


@pytest.mark.skipif(free_memory() < 4 << 30, reason="needs an array of 2 GiB")
def test_overflow_in_a_loop():
    text = reports("overflow_in_loop", "*i8,*i32,i32,i32,64", 1,
                   {"x_ptr": f"zeros:{2**31 + 128}", "out_ptr": "empty:64", "stride": 2**29, "steps": 5})
    check_error(text, "overflow_in_loop", "tl.load",
                f"load outside 'x_ptr': element {-2**31}, {2**31} elements before the beginning")
    check_note(text, "overflow_in_loop", "offsets += stride",
               f"a 32-bit offset overflowed on the way there: 0 + {2**31} is {2**31} and became {-2**31}")
    check_note(text, "overflow_in_loop", None, "64 such accesses in all")


def test_overflow_of_a_later_program():
    # The second program is too far outside to overflow, the third one does.
    text = reports("overflow", "*fp32,*fp32,i32,128", 5, {"x_ptr": "randn:1000", "out_ptr": "empty:5x128", "stride": 2**30})
    check_note(text, "overflow", None, "in program (1, 0, 0) of overflow, at [0] of the block's [128]")
    check_note(text, "overflow", "row * stride",
               f"a 32-bit offset overflowed on the way in program (2, 0, 0): 2 * {2**30} is {2**31} and became {-2**31}")


def test_too_far_without_overflow():
    text = reports("overflow_in_block", "*fp32,*fp32,i32,2,16", 1,
                   {"x_ptr": "randn:1000", "out_ptr": "empty:2x16", "stride": 5000})
    check_error(text, "overflow_in_block", "tl.load", "load outside 'x_ptr': element 5000, 4001 elements past the end")
    assert "overflowed" not in text, text


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_race(threads):
    text = reports("race", "*fp32,*fp32,i32,128", 8, N1000, options=["--threads", str(threads)])
    check_error(text, "race", "tl.store", "program (0, 0, 0) and program (1, 0, 0) both write element 64 of 'out_ptr'")
    check_note(text, "race", None, "448 such elements in all")


@pytest.mark.parametrize("threads", [1, 4])
def test_everybody_writes_one(threads):
    text = reports("everybody_writes_one", "*fp32", 64, {"out_ptr": "zeros:1"}, options=["--threads", str(threads)])
    check_error(text, "everybody_writes_one", "tl.store",
                "program (0, 0, 0) and program (1, 0, 0) both write element 0 of 'out_ptr'")


def test_programs_that_read_what_others_write():
    text = reports("shift_in_place", "*fp32,i32,128", 8, {"x_ptr": "zeros:1000", "n": 1000}, options=["--threads", "1"])
    check_error(text, "shift_in_place", "tl.store",
                "program (1, 0, 0) writes element 128 of 'x_ptr', which program (0, 0, 0) reads")
    check_note(text, "shift_in_place", None, "7 such elements in all")


def test_memory_that_nobody_wrote():
    text = reports("reads_what_nobody_wrote", "*fp32,*fp32,i32,128", 8, N1000)
    check_error(text, "reads_what_nobody_wrote", "tl.load", "load of element 0 of 'out_ptr', which nothing has written")
    check_note(text, "reads_what_nobody_wrote", None, "1000 such accesses in all")
    sanitize("reads_what_nobody_wrote", "*fp32,*fp32,i32,128", 8, {**N1000, "out_ptr": "zeros:1000"})
    sanitize("writes_then_reads", "*fp32,*fp32,i32,128", 8, N1000)


def test_scalars():
    text = reports("scalars", "*fp32,*fp32,i32", 2, {"x_ptr": "randn:10", "out_ptr": "empty:2", "n": 10})
    check_error(text, "scalars", "tl.load", "load outside 'x_ptr': element 10, 1 element past the end")
    check_note(text, "scalars", None, "in program (0, 0, 0) of scalars; address 0x")
    sanitize("scalars", "*fp32,*fp32,i32", 2, {"x_ptr": "randn:11", "out_ptr": "empty:2", "n": 10})


def test_atomics():
    text = reports("atomic_outside", "*fp32,i32,128", 2, {"out_ptr": "zeros:100", "n": 10})
    check_error(text, "atomic_outside", "tl.atomic_add", "atomic add outside 'out_ptr': element 100, 1 element past the end")
    check_note(text, "atomic_outside", None, "no mask is in force")
    sanitize("atomic_outside", "*fp32,i32,128", 2, {"out_ptr": "zeros:128", "n": 10})
    text = reports("cas_outside", "*i32,i32", 2, {"lock_ptr": "zeros:2", "at": 7})
    check_error(text, "cas_outside", "tl.atomic_cas",
                "atomic compare-and-swap outside 'lock_ptr': element 7, 6 elements past the end")
    sanitize("cas_outside", "*i32,i32", 2, {"lock_ptr": "zeros:2", "at": 1})


@pytest.mark.parametrize("threads", [1, 4])
def test_what_atomics_put_in_order(threads):
    sanitize("locked_sum", "*fp32,*fp32,*i32,128", 64, {"x_ptr": "randn:64x128", "out_ptr": "zeros:128", "lock_ptr": "zeros:1"},
             options=["--threads", str(threads)])


def test_pointers_that_a_loop_moves():
    arguments = {"x_ptr": "randn:4x64", "out_ptr": "empty:128", "columns": 64}
    text = reports("advance_too_far", "*fp32,*fp32,i32,i32,32", 4, {**arguments, "steps": 3})
    check_error(text, "advance_too_far", "tl.load", "load outside 'x_ptr': element 256, 1 element past the end")
    sanitize("advance_too_far", "*fp32,*fp32,i32,i32,32", 4, {**arguments, "steps": 2})


@pytest.mark.parametrize("checked", [True, False])
def test_block_pointers(checked):
    arguments = {"x_ptr": "randn:40x28", "out_ptr": "empty:40x28", "rows": 40, "columns": 28}
    run = sanitize if checked else reports
    found = run("block_pointer", f"*fp32,*fp32,i32,i32,16,32,{checked}", 3, arguments)
    if not checked:
        check_error(found, "block_pointer", "tl.load(source)", "load outside 'x_ptr': element 1120, 1 element past the end")


def test_pointers_of_several_arguments():
    arguments = {"x_ptr": "randn:64", "y_ptr": "randn:60", "out_ptr": "empty:64"}
    sanitize("either", "*fp32,*fp32,*fp32,i32,64", 1, {**arguments, "which": 1})
    text = reports("either", "*fp32,*fp32,*fp32,i32,64", 1, {**arguments, "which": 0})
    check_error(text, "either", "tl.load", "load outside every argument's memory")
    check_note(text, "either", None, "its pointer may come from several arguments: all were searched")
    check_note(text, "either", None, "the nearest is 'y_ptr', fp32[60]: 1 element past the end")


def test_functions():
    text = reports("in_a_function", "*fp32,*fp32,64", 1, {"x_ptr": "randn:64", "out_ptr": "empty:64"})
    check_error(text, "read_at", "tl.load", "load outside 'x_ptr': element 64, 1 element past the end")
    check_note(text, "in_a_function", "read_at(x_ptr", "called from here")


def test_wrong_accesses_do_not_happen(tmp_path):
    # What is outside is not written, loads from there give 0, and everything else is as ever.
    x = np.random.default_rng(0).standard_normal(1000).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    save = tmp_path / "out.npy"
    reports("off_by_one", "*fp32,*fp32,i32,128", 8, {**N1000, "x_ptr": f"@{tmp_path}/x.npy"}, options=["--save", f"out_ptr={save}"])
    assert np.array_equal(np.load(save), x)


def test_shapes_that_are_not_the_tiles(tmp_path):
    # A matrix whose rows are longer than a tile's, and odd.
    x = np.random.default_rng(0).standard_normal((33, 65)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    save = tmp_path / "out.npy"
    sanitize("add_matrix", "*fp32,*fp32,*fp32,i32,i32,16,32", "3,3",
             {"x_ptr": f"@{tmp_path}/x.npy", "y_ptr": "zeros:33x65", "out_ptr": "empty:33x65", "rows": 33, "columns": 65},
             options=["--save", f"out_ptr={save}"], file=os.path.join(KERNELS, "grids.py"))
    assert np.array_equal(np.load(save), x)


def test_examples_have_no_mistakes():
    size = {"M": 70, "N": 50, "K": 90, "stride_am": 90, "stride_bk": 50, "stride_cm": 50}
    sanitize("matmul_kernel", "*fp32,*fp32,*fp32,i32,i32,i32,i32,1,i32,1,i32,1,32,64,16,4,1", 3,
             {"a_ptr": "randn:70x90", "b_ptr": "randn:90x50", "c_ptr": "empty:70x50", **size},
             file=os.path.join(EXAMPLES, "matmul.py"))
    sanitize("softmax_kernel", "*fp32,*fp32,i32,i32,i32,i32,128", 5,
             {"output_ptr": "empty:20x100", "input_ptr": "randn:20x100", "output_row_stride": 100, "input_row_stride": 100,
              "n_rows": 20, "n_cols": 100}, file=os.path.join(EXAMPLES, "softmax.py"))


def test_assertions_that_fail_because_of_it():
    done = sanitize("asserts", "*fp32,*fp32,8", 1, {"x_ptr": "rand:8", "out_ptr": "empty:8"}, expect=1, options=["--debug"])
    line, column = line_of("asserts", "tl.load")
    assert f"{FILE}:{line}:{column}: error: load outside 'x_ptr': element 8, 1 element past the end" in done.stderr, done.stderr
    assert "positive" in done.stderr, done.stderr


def test_many_places():
    # All mistakes are counted, the first ten shown in full.
    text = reports("many_mistakes", "*fp32,*fp32,8", 1, {"x_ptr": "randn:4", "out_ptr": "empty:64"})
    assert text.count(": error: load outside 'x_ptr'") == 10, text
    assert text.count(": note: and here: load outside 'x_ptr'") == 2, text
    assert "--sanitize found 12 mistakes in 'many_mistakes'" in text, text


def test_times_the_watched_kernel():
    done = sanitize("add_right", "*fp32,*fp32,*fp32,i32,128", 8, {"y_ptr": "randn:1000", **N1000}, options=["--time", "2"])
    assert "of 2 launches" in done.stdout


def refuse(*command):
    done = subprocess.run([TESSERA, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stderr.strip()


def test_is_for_runs_on_the_cpu():
    status, text = refuse("run", FILE, "--sanitize", "--device", "cuda:0", "--kernel-name", "everybody_writes_one",
                          "--signature", "*fp32", "--grid", "1", "--arg", "out_ptr=zeros:1")
    assert status == 3 and text.endswith("unsupported: --sanitize: kernels are watched on the CPU; take --device cpu"), text
    status, text = refuse("compile", FILE, "--sanitize", "--target", "cpu", "--kernel-name", "everybody_writes_one",
                          "--signature", "*fp32")
    assert status == 2 and "--sanitize: watches a kernel while it runs; it is for tessera run" in text, text
