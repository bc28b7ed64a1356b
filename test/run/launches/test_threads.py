"""Any number of threads: the same bits, every program once, atomics that are atomic, launches side by side."""
import ctypes
import os
import threading

import numpy as np
import pytest

from launch import EXAMPLES, FP32, I32, KERNELS, assert_same_bits, poison, random
from random_kernels import PROGRAMS, inputs, write_program
from session import Library, Session

FILE = os.path.join(KERNELS, "threads.py")
THREADS = (1, 2, 3, 7, 16)


@pytest.fixture(autouse=True)
def only_cpu(device):
    if device != "cpu":
        pytest.skip("threads are the CPU's")


@pytest.mark.parametrize("rows", [1, 2, 7, 100, 3001])
def test_uneven_programs(run, rows):
    n = 200
    x = np.random.default_rng(rows).standard_normal((rows, n)).astype(np.float32)
    after = run(FILE, "norms", "*fp32,*fp32,i32,256", (rows,), {"x_ptr": x, "out_ptr": poison(FP32, x.size), "n": n}, threads=THREADS)
    wide = np.pad(x, [(0, 0), (0, 56)]).astype(np.float64)
    expected = wide.copy()
    for row, y in enumerate(expected):
        for _ in range(row % 37):
            y[:] = y * 0.5 + np.sqrt((y * y).sum()) * 0.03125
    expected += np.exp(-np.abs(wide))
    np.testing.assert_allclose(after["out_ptr"].reshape(rows, n), expected[:, :n], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("n", [1, 64, 200000])
def test_totals(run, n):
    x = np.random.default_rng(n).integers(0, 1000000, n).astype(np.int32)
    after = run(FILE, "totals", "*i32,*i32,*i64,*fp32,i32,64", (-(-n // 64),),
                {"x_ptr": x, "counts_ptr": np.zeros(17, np.int32), "total_ptr": np.zeros(1, np.int64),
                 "highest_ptr": np.zeros(1, np.float32), "n": n}, threads=THREADS)
    np.testing.assert_array_equal(after["counts_ptr"][:16], np.bincount(x % 16, minlength=16))
    assert after["counts_ptr"][16] == np.bitwise_xor.reduce(x)
    assert after["total_ptr"][0] == x.astype(np.int64).sum()
    assert after["highest_ptr"][0] == np.float32(x.max())


def test_tickets(run):
    n = 50000
    for threads in THREADS:  # who gets which number is open
        after = run(FILE, "tickets", "*i32,*i32,i32", (n,), {"counter_ptr": np.zeros(1, np.int32), "out_ptr": poison(I32, n), "n": n},
                    threads=(threads,))
        assert after["counter_ptr"][0] == n
        np.testing.assert_array_equal(np.sort(after["out_ptr"]), np.arange(n))


def test_critical_section(run):
    n = 20000
    arguments = {"lock_ptr": np.zeros(1, np.int32), "value_ptr": np.zeros(1, np.int32), "out_ptr": poison(I32, n), "n": n}
    after = run(FILE, "locked", "*i32,*i32,*i32,i32", (n,), arguments, threads=(1, 2, 4))
    assert after["value_ptr"][0] == n
    np.testing.assert_array_equal(after["out_ptr"], np.arange(n))


def test_products(run):
    m, n, k = 8 * 32, 5 * 32, 128
    a, b = (np.random.default_rng(s).standard_normal(shape).astype(np.float32) for s, shape in ((1, (m, k)), (2, (k, n))))
    after = run(FILE, "products", "*fp32,*fp32,*fp32,i32,32", (8, 5), {"a_ptr": a, "b_ptr": b, "out_ptr": poison(FP32, m * n), "k": k},
                threads=THREADS)
    np.testing.assert_allclose(after["out_ptr"].reshape(m, n), a.astype(np.float64) @ b, atol=1e-4)


@pytest.mark.parametrize("grid", [(97,), (13, 11), (5, 6, 7), (1, 1, 300)], ids=lambda g: "x".join(map(str, g)))
def test_every_program_once(run, grid):
    x, y, z = (*grid, 1, 1)[:3]
    after = run(os.path.join(KERNELS, "grids.py"), "visit", "*i32,i32", grid,
                {"out_ptr": np.zeros(x * y * z, np.int32), "n": x * y * z}, threads=THREADS)
    where = np.arange(x)[None, None, :] + 100 * np.arange(y)[None, :, None] + 10000 * np.arange(z)[:, None, None]
    assert_same_bits(after["out_ptr"], (1000000 + where).astype(np.int32).reshape(-1), "visits")


# ---- several callers ------------------------------------------------------------------------------

def compile_and_launch_at_once():
    """Eight threads of one process: each compiles its own kernel, then all launch all kernels on two devices."""
    library, problems, kernels = Library(), [], {}
    seeds = range(500, 508)
    barrier = threading.Barrier(len(seeds))

    def work(seed):
        try:
            program = write_program(seed, steps=12)
            request = ("kernel.py", program.text(), "kernel", "*i32,*i32,*i64,i32", "")
            barrier.wait()
            kernels[seed] = program, library.loaded(2, *request)[0], library.loaded(3, *request)[0]
            barrier.wait()
            for other in [*seeds, seed]:
                program, *loaded = kernels[other]
                memory, scratch, out, n = inputs(other)
                wanted = program.expected(memory, scratch, out, n)
                addresses = [ctypes.c_void_p(array.ctypes.data) for array in (memory, scratch, out)] + [ctypes.c_int32(n)]
                pointers = (ctypes.c_void_p * 4)(*[ctypes.addressof(value) for value in addresses])
                library.check(library.launch, loaded[seed % 2], PROGRAMS, 1, 1, pointers, 4, None)
                if not (np.array_equal(scratch, wanted[0]) and np.array_equal(out, wanted[1])):
                    problems.append(f"kernel {other}, launched by thread {seed}")
        except Exception as problem:
            problems.append(repr(problem))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in seeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return problems


def test_compiling_and_launching_at_once():
    assert Session().call(compile_and_launch_at_once) == []


def test_example_on_many_threads(run):
    """More threads than processors, and than programs."""
    x, y = random(FP32, 5000, 1), random(FP32, 5000, 2)
    with np.errstate(all="ignore"):
        for block in (1024, 64):
            after = run(os.path.join(EXAMPLES, "add.py"), "add_kernel", f"*fp32,*fp32,*fp32,i32,{block}", (-(-5000 // block),),
                        {"x_ptr": x, "y_ptr": y, "output_ptr": poison(FP32, 5000), "n_elements": 5000}, threads=(64, 1))
            assert_same_bits(after["output_ptr"], x + y, "sums")
