"""kernel[grid](...): grids, options, what a launch leaves behind, and what it does when it is disturbed."""
import ctypes
import gc
import os
import resource
import signal
import sys
import threading
import time

import numpy as np
import pytest
import tessera
import tessera.language as tl


@tessera.jit
def where(out, GX: tl.constexpr, GY: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    tl.store(out + x + GX * (y + GY * z), 1 + x + 10 * y + 100 * z)


@tessera.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@tessera.jit
def keep(out, value, C: tl.constexpr):
    tl.store(out, value)


# ---- grids ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("grid", [(3,), (3, 2), (3, 2, 2), [3, 2], (np.int64(3),), lambda meta: (meta["GX"], meta["GY"]),
                                  lambda meta: [meta["GX"]]])
def test_grids(device, put, get, grid):
    out = put(np.zeros(12, "int32"))
    where[grid](out, GX=3, GY=2)
    extents = tuple(grid({"GX": 3, "GY": 2}) if callable(grid) else grid)
    x, y, z = (int(extent) for extent in extents + (1,) * (3 - len(extents)))
    expected = np.zeros(12, "int32")
    expected[:x * y * z] = [1 + i + 10 * j + 100 * k for k in range(z) for j in range(y) for i in range(x)]
    assert np.array_equal(get(out), expected)


def test_torch_size_is_a_grid(torch):
    out = np.zeros(12, "int32")
    where[torch.Size([2])](out, GX=3, GY=2)
    assert list(out[:3]) == [1, 2, 0]


@pytest.mark.parametrize("grid", [(0,), (3, 0), lambda meta: (0, 1, 1)])
def test_an_empty_grid_launches_nothing(device, put, get, grid):
    out = put(np.zeros(12, "int32"))
    assert where[grid](out, GX=3, GY=2) is not None  # it compiles all the same
    assert not get(out).any()


@pytest.mark.parametrize("grid, error, message", [
    (3, TypeError, "a tuple of 1 to 3 integers"), ("abc", TypeError, "a tuple of 1 to 3 integers"),
    ((), ValueError, "has 0 axes"), ((1, 1, 1, 1), ValueError, "has 4 axes"),
    ((2.0,), TypeError, "axis 0 .* is 2.0, which is no integer"), ((1, -1), ValueError, "axis 1 .* is -1"),
    ((1 << 31,), ValueError, "axis 0"), ((1 << 80,), ValueError, "axis 0"), (None, TypeError, "None"),
    (lambda meta: 5, TypeError, "a tuple of 1 to 3 integers"), (lambda meta: meta["none"], KeyError, "none")])
def test_what_is_no_grid(grid, error, message):
    with pytest.raises(error, match=message):
        where[grid](np.zeros(12, "int32"), GX=3, GY=2)


def test_meta_has_all_parameters():
    seen = {}

    def grid(meta):
        seen.update(meta)
        return (1,)
    out = np.zeros(4, "f4")
    keep[grid](out, 2.0, C="text", num_warps=2)
    assert list(seen) == ["out", "value", "C"] and seen["out"] is out and seen["C"] == "text"


def test_a_bound_kernel_can_be_kept():
    out = np.zeros(12, "int32")
    bound = where[(2,)]
    bound(out, GX=3, GY=2)
    where[(1,)](out, GX=3, GY=2)
    bound(out, 3, GY=2)
    assert list(out[:3]) == [1, 2, 0]


# ---- keys -----------------------------------------------------------------------------------------

def variants(kernel):
    return len(kernel._variants())


def fresh(function=keep):
    """A jit function without variants."""
    return tessera.jit(function.fn)


def test_constants_are_told_apart_by_type_and_value():
    kernel, out, nan = fresh(), np.zeros(1, "f4"), float("nan")
    values = [1, 1.0, True, 0, 0.0, -0.0, False, None, "1", b"1", (1, 2), (1, 2.0), (1, True), ((1,), 2), nan, frozenset([1]),
              tl.float32, tl.int32]
    for _ in range(2):
        for value in values:
            kernel[(1,)](out, 2.0, C=value)
        assert variants(kernel) == len(values)
    kernel[(1,)](out, 2.0, C=float("nan"))
    kernel[(1,)](out, 2.0, C=(1, int("2")))
    kernel[(1,)](out, 2.0, tl.constexpr(1))
    assert variants(kernel) == len(values)


def test_values_without_hash():
    with pytest.raises(TypeError, match="'C' of 'keep' is a list.*hashable"):
        fresh()[(1,)](np.zeros(1, "f4"), 2.0, C=[1])


def test_options_are_part_of_the_key_in_any_order():
    kernel, out = fresh(), np.zeros(1, "f4")
    for options in ({}, {"num_warps": 8}, {"num_warps": 8, "num_stages": 2}, {"num_stages": 2, "num_warps": 8}, {"num_warps": 4}):
        kernel[(1,)](out, 2.0, C=1, **options)
    assert variants(kernel) == 4
    with pytest.raises(KeyError, match="no_such_option"):
        kernel[(1,)](out, 2.0, C=1, no_such_option=1)
    assert variants(kernel) == 4


def test_ints_specialise_as_the_specification_says():
    kernel, out = fresh(), np.zeros(1, "int64")
    for value in (1, 2, 4, 8, 16, 32):
        kernel[(1,)](out, value, C=0)
        assert out[0] == value
    assert variants(kernel) == 3
    for value in (2**31, 2**40 + 1, 2**63, True, -5, 2.0):
        kernel[(1,)](out.view("uint64") if value == 2**63 else out, value, C=0)
        assert out.view("uint64")[0] == value % 2**64
    kernel = tessera.jit(keep.fn, do_not_specialize=["value"])
    for value in (1, 2, 16):
        kernel[(1,)](out, value, C=0)
    assert variants(kernel) == 1


def test_values_that_run_python_code_while_they_are_compared():
    kernel, out = fresh(), np.zeros(1, "f4")

    class Tricky:
        def __init__(self, name):
            self.name = name

        def __hash__(self):
            return 1

        def __eq__(self, other):
            kernel._clear_variants()  # pulls the table from under the search
            gc.collect()
            return self.name == other.name

        def __repr__(self):
            return f"Tricky({self.name})"

    for _ in range(3):
        for name in "ab":
            try:
                kernel[(1,)](out, 2.0, C=Tricky(name))
            except Exception as error:  # the compiler may refuse such a constant; nothing may crash
                assert not isinstance(error, SystemError)


# ---- what is left behind --------------------------------------------------------------------------

class HeapSizes(ctypes.Structure):
    """glibc's struct mallinfo2."""
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks",
                                                     "uordblks", "fordblks", "keepcost")]


def heap_bytes():
    """What malloc has handed out, 0 where nobody tells."""
    count = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if count is None:
        return 0
    count.restype = HeapSizes
    sizes = count()
    return sizes.uordblks + sizes.hblkhd


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_no_leaks_in_a_hundred_thousand_launches():
    n = 64
    x, y, out = np.zeros(n, "f4"), np.zeros(n, "f4"), np.zeros(n, "f4")
    big = 1 << 40
    pair = (big, big + 1)

    @tessera.jit
    def kernel(x, y, out, n, f, t, BLOCK: tl.constexpr, NAME: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i) + tl.load(y + i))

    def launch(times):
        for _ in range(times):
            kernel[(1,)](x, y, out, n + big, 1.5, pair, BLOCK=64, NAME="name", num_warps=2)
            kernel[lambda meta: (1,)](x, y, out, n=n, f=2.5, t=pair, BLOCK=64, NAME="name")
            try:
                kernel[(1,)](x, y, [], n, 1.5, pair, BLOCK=64, NAME="name")
            except TypeError:
                pass

    def measure():
        gc.collect()
        things = (x, y, out, pair, big, kernel, np.dtype("f4"), "name", None, True)
        return [sys.getallocatedblocks(), heap_bytes(), resident_bytes(), *map(sys.getrefcount, things)]

    launch(3000)
    grown = []
    for _ in range(3):
        before = measure()
        launch(12000)
        grown.append([abs(now - then) for now, then in zip(measure(), before)])
    # What every launch loses is lost in each of the three rounds; a table that grows once, or another thread, is seen in one.
    blocks, heap, resident, *references = map(min, zip(*grown))
    assert blocks < 1000 and heap < 100_000 and resident < 6_000_000 and all(each < 100 for each in references), grown


def test_kernels_are_collected_with_their_variants():
    import weakref
    kernel, out = fresh(), np.zeros(1, "f4")
    result = kernel[(1,)](out, 2.0, C=1)
    dead = weakref.ref(kernel)
    kernel._guards = [(dead.__dict__ if hasattr(dead, "__dict__") else {}, "x", kernel)]  # a cycle through the guards
    kernel.myself = kernel
    del kernel, result
    gc.collect()
    assert dead() is None


def test_a_grid_function_and_its_closure_are_let_go():
    import weakref

    class Thing:
        extent = 1
    thing, out = Thing(), np.zeros(1, "f4")
    keep[lambda meta: (thing.extent,)](out, 2.0, C=1)
    dead = weakref.ref(thing)
    del thing
    assert dead() is None


# ---- disturbances ---------------------------------------------------------------------------------

def test_many_threads_launch_and_compile():
    kernel, errors = fresh(add), []

    def work(seed):
        rng = np.random.default_rng(seed)
        try:
            for i in range(60):
                n = int(rng.integers(1, 2000))
                block = int(rng.choice([32, 64, 128, 256]))
                x, y = rng.random(n, "f4"), rng.random(n, "f4")
                out = np.zeros(n, "f4")
                kernel[lambda meta: (tessera.cdiv(n, meta["BLOCK"]),)](x, y, out, n, BLOCK=block)
                assert np.array_equal(out, x + y)
                if i == 40 and seed == 0:
                    kernel._clear_variants()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]


def test_a_forked_child_compiles_and_launches():
    x = np.arange(4096, dtype="f4")
    out = np.zeros_like(x)
    add[(64,)](x, x, out, 4096, BLOCK=64)
    stop = threading.Event()

    def compile_all_the_time():
        while not stop.is_set():
            fresh()[(1,)](np.zeros(1, "f4"), 2.0, C=time.perf_counter_ns())
    busy = threading.Thread(target=compile_all_the_time)
    busy.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    signal.alarm(300)
                    out[:] = 0
                    add[(64,)](x, x, out, 4096, BLOCK=64)
                    right = np.array_equal(out, x + x)
                    fresh(add)[(32,)](x, x, out, 4096, BLOCK=128)
                    status = 0 if right and np.array_equal(out, x + x) else 2
                finally:
                    os._exit(status)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        busy.join()


ENDLESS = """
import sys, threading, time
import numpy as np
import tessera, tessera.language as tl

@tessera.jit
def count(out, n, C: tl.constexpr):
    total = 0
    for i in range(n):
        total += i % (C + tl.program_id(0) + 1)
    tl.store(out + tl.program_id(0) % 16, total)

out = np.zeros(16, "int32")
count[(1,)](out, 3, C=1)
"""


def test_interrupting_a_long_launch(snippet):
    snippet(ENDLESS + """
import os, signal
begin = time.monotonic()
try:
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    count[(1 << 30,)](out, 1 << 16, C=1)
except KeyboardInterrupt:
    assert 0.3 < time.monotonic() - begin < 30, time.monotonic() - begin
    count[(1,)](out, 3, C=1)
    print("interrupted")
else:
    raise SystemExit("it was not interrupted")
""")


def test_interrupting_a_compilation(snippet):
    done = snippet(ENDLESS + """
import os, signal
interrupted = 0
for i in range(20):
    try:
        threading.Timer(0.001 + 0.002 * i, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        for j in range(20):
            tessera.jit(count.fn)[(1,)](out, 3, C=100 * i + j)
        time.sleep(1)
    except KeyboardInterrupt:
        interrupted += 1
print(interrupted)
""")
    # Python itself drops an interrupt that comes while a weak reference's callback runs, and says so.
    assert int(done.stdout) + done.stderr.count("Exception ignored in") == 20, done.stdout + done.stderr


@pytest.mark.parametrize("what", [
    "tessera.jit(count.fn)[(1,)](out, 3, C=time.perf_counter_ns() % 1000000)",
    "count[(1 << 30,)](out, 1 << 20, C=1)", "count[(1,)](out, 3, C=1)"])
def test_the_interpreter_ends_while_threads_work(snippet, what):
    done = snippet(ENDLESS + f"""
def work():
    while True:
        {what}
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
""")
    assert done.stderr == ""


# ---- the way to a GPU, with a driver that only keeps notes ----------------------------------------

ON_A_GPU = """
import ctypes
import tessera, tessera.language as tl
from tessera import _native

class Tensor:
    dtype = "int32"
    def __init__(self, address, is_cuda=True):
        self.address, self.is_cuda = address, is_cuda
    def data_ptr(self):
        return self.address

@tessera.jit
def fill(out, n):
    tl.store(out, n)

@tessera.jit
def copy(out, n, x):
    tl.store(out, tl.load(x) + n)

driver = ctypes.CDLL("libcuda.so.1")
driver.fakeNotes.restype = ctypes.c_char_p
assert _native.current_device() == "cuda:0"
driver.fakeForget()
kernel = fill[(4, 5, 6)](Tensor(0x100000), 7)
assert "launch 4 5 6 x 128 shared 0 n 7" in driver.fakeNotes().decode(), driver.fakeNotes()
assert kernel.metadata.target.arch == 90
driver.fakeForget()
fill[(0, 1)](Tensor(0x100000), 7)
fill[(2,)](Tensor(0x100000), n=8, num_warps=2)
assert driver.fakeNotes().decode().count("launch") == 1 and "launch 2 1 1 x 64 shared 0 n 8" in driver.fakeNotes().decode()

# Host memory that the driver reaches is fine; it does not reach addresses below 4096.
copy[(1,)](Tensor(0x100000), 7, Tensor(0x200000, is_cuda=False))
try:
    copy[(1,)](Tensor(0x100000), 7, Tensor(16, is_cuda=False))
except ValueError as error:
    assert "argument 'x' of kernel 'copy' is a __main__.Tensor in the host's memory" in str(error)
    print("refused")

device = _native.Device("cuda:1")
assert device.target == "cuda:90" and device.property("warpSize") == 32 and not device.can_access(16)
"""


def test_the_way_to_a_gpu(snippet, tmp_path):
    from places import PACKAGES
    fake = os.path.join(os.path.dirname(PACKAGES), "unittests", "libFakeDriver.so")
    if not os.path.exists(fake):
        pytest.skip("the unit tests' CUDA driver is not built")
    (tmp_path / "fake").mkdir()
    os.symlink(fake, tmp_path / "fake" / "libcuda.so.1")
    assert snippet(ON_A_GPU, env={"LD_LIBRARY_PATH": str(tmp_path / "fake")}).stdout == "refused\n"
