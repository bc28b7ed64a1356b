"""tessera_pack.h on GPUs: with the drivers of the unit tests, which only keep notes."""
import json
import os
import subprocess
import sys
import textwrap

import pytest
import test_tensor_maps as maps
from machine import BUILD, TESSERA
from test_pack_library import LIBRARY

DRIVER = os.path.join(BUILD, "unittests", "libFakeDriver.so")
KERNELS = """
import triton
import triton.language as tl


@triton.jit
def scale(x, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(x + o, tl.load(x + o, mask=o < n, other=0.0) * 2, mask=o < n)


@triton.jit
def large(x, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    a = tl.load(x + o[:, None] * BLOCK + o[None, :])
    tl.store(x + o[:, None] * BLOCK + o[None, :], tl.dot(a, a).to(tl.float16))
"""
MANIFEST = """
name = "k"
[[kernel]]
file = "k.py"
name = "scale"
signatures = ["*fp32:16,i32:16,64", "*fp32,i32,64", { signature = "*fp32,i32,128", options = { num-warps = 8 } }]
%s
"""
LARGE = '[[kernel]]\nfile = "k.py"\nname = "large"\nsignatures = ["*fp16:16,i32,128"]\n'
# Opens the pack, runs the statements, and prints what launches returned and the driver noted.
PROGRAM = """
import ctypes, sys, threading
library = ctypes.CDLL(%(library)r)
library.tessera_pack_last_error.restype = ctypes.c_char_p
driver = ctypes.CDLL(%(driver)r)
driver.fakeNotes.restype = ctypes.c_char_p
driver.fakeOtherContext.restype = ctypes.c_void_p
class Place(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("stream", ctypes.c_void_p), ("threads", ctypes.c_uint)]
pack = ctypes.c_void_p()
assert library.tessera_pack_open(b"k.tpack", None, ctypes.byref(pack)) == 0, library.tessera_pack_last_error()
def said(status):
    return (status, library.tessera_pack_last_error().decode()) if status else "ok"
def launch(address=4096, n=16, block=None, grid=(3, 1, 1), kernel=b"scale", device=b"cuda", stream=None, count=3):
    values = [ctypes.c_void_p(address), ctypes.c_int64(n), None if block is None else ctypes.c_int64(block)]
    pointers = (ctypes.c_void_p * 3)(*[None if each is None else ctypes.addressof(each) for each in values])
    place = Place(device, stream, 0)
    return said(library.tessera_pack_launch(pack, kernel, (ctypes.c_uint32 * 3)(*grid), pointers, count, ctypes.byref(place)))
def target(device):
    text = ctypes.create_string_buffer(64)
    return said(library.tessera_pack_target(ctypes.byref(Place(device, None, 0)), text, 64)), text.value.decode()
def load(kernel=None, device=b"cuda"):
    return said(library.tessera_pack_load(pack, kernel, ctypes.byref(Place(device, None, 0))))
def notes():
    text = driver.fakeNotes().decode().splitlines()
    driver.fakeForget()
    return text
"""
PTXAS = """#!/usr/bin/env python3
import sys
if "--version" in sys.argv:
    print("ptxas: NVIDIA (R) Ptx optimizing assembler\\nCuda compilation tools, release 12.8, V12.8.61")
    sys.exit()
out = next(b for a, b in zip(sys.argv, sys.argv[1:]) if a in ("-o", "--output-file"))
open(out, "wb").write(b"\\x7fELF machine code of " + str(sys.argv).encode())
"""


@pytest.fixture
def place(tmp_path, tessera):
    """place(targets, more of the manifest) makes k.tpack in a folder, with CUBINs that a script writes."""
    if not os.path.exists(DRIVER):
        pytest.skip("the unit tests' driver is not built")
    for name in ("libcuda.so.1", "libamdhip64.so.7"):
        os.symlink(DRIVER, tmp_path / name)
    (tmp_path / "k.py").write_text(KERNELS)
    (tmp_path / "ptxas").write_text(PTXAS)
    (tmp_path / "ptxas").chmod(0o755)

    def make(targets, more=""):
        (tmp_path / "k.toml").write_text(MANIFEST % more)
        tessera("pack", "k.toml", "--targets", targets, "-o", "k.tpack", "--ptxas", tmp_path / "ptxas")
        return tmp_path
    return make


def run(folder, statements, **variables):
    """What the statements print."""
    program = PROGRAM % {"library": LIBRARY, "driver": str(folder / "libcuda.so.1")} + textwrap.dedent(statements)
    environment = dict(os.environ, LD_LIBRARY_PATH=str(folder), **{name: str(value) for name, value in variables.items()})
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_a_kernel_is_loaded_once_in_each_context(place):
    folder = place("cuda:90")
    printed = run(folder, """
        print(target(b"cuda"), target(b"cpu"), target(None))
        print(launch(block=64), launch(block=64), notes())
        print(launch(address=4100, block=64), notes())
        driver.cuCtxSetCurrent(ctypes.c_void_p(driver.fakeOtherContext()))
        print(launch(block=64), launch(block=64), notes())
        thread = threading.Thread(target=lambda: print(launch(block=64)))   # which has no context
        thread.start(); thread.join()
        print(notes())
        library.tessera_pack_close(pack)
        print(notes())
    """)
    line = "launch 3 1 1 x 128 shared 0 n 16 scratch null profile null"
    assert printed == ["('ok', 'cuda:90') ('ok', 'cpu') ('ok', 'cpu')", f"ok ok {['retain', 'load cubin', line, line]}",
                       f"ok {['load cubin', line]}", f"ok ok {['load cubin', line, line]}", "ok", str([line]), str(["unload"] * 3)]


def test_variants_are_chosen_by_the_arguments(place):
    folder = place("cuda:90")
    assert run(folder, """
        print(launch(block=128)); print(launch(block=32))
        print(launch(kernel=b"none")); print(launch(device=b"tpu"))
        print(launch(grid=(0, 1, 1)), launch(grid=(1, 65536, 1)))
        print([each for each in notes() if "launch" in each])
    """) == ["ok", "(5, \"no variant of 'scale' for cuda:90 fits the arguments\")", "(4, \"the pack has no kernel 'none' for cuda:90\")",
             "(7, \"there is no kind of devices 'tpu'\")", "ok (7, 'the grid is too large for cuda:90')",
             "['launch 3 1 1 x 256 shared 0 n 16 scratch null profile null']"]


def test_code_for_earlier_chips_serves(place):
    folder = place("cuda:80")
    for chip, loads in ((80, ["load cubin"]), (86, ["load cubin"]), (89, ["load cubin"]), (90, ["load ptx"]), (120, ["load ptx"])):
        assert run(folder, 'print(launch(), [each for each in notes() if "load" in each])', FAKE_CUDA_CHIP=chip) == [f"ok {loads}"]
    refused = run(folder, 'print(launch())', FAKE_CUDA_CHIP=75)
    assert refused == ["(4, \"the pack has no kernel 'scale' for cuda:75\")"]
    # A driver that does not take the binary gets the PTX.
    assert run(folder, 'print(launch(), [each for each in notes() if "load" in each])', FAKE_CUDA_CHIP=86, FAKE_CUDA_REJECT_CUBIN=1) == [
        f"ok {['load cubin', 'load ptx']}"]


def test_code_for_one_chip_serves_no_other(place):
    folder = place("cuda:90")
    assert run(folder, "print(launch())", FAKE_CUDA_CHIP=90) == ["ok"]
    for chip in (89, 100, 120):  # sm_90a
        assert run(folder, "print(launch())", FAKE_CUDA_CHIP=chip) == [f"(4, \"the pack has no kernel 'scale' for cuda:{chip}\")"]


def test_code_that_needs_too_much_is_passed_over(place):
    folder = place("cuda:80,cuda:86", LARGE)
    sizes = {}
    listed = json.loads(subprocess.run([TESSERA, "pack", "ls", "--json", "k.tpack"], cwd=folder, capture_output=True, text=True).stdout)
    for number, entry in enumerate(listed["entries"]):
        if entry["name"] == "large":
            sizes[entry["target"]] = number
    assert set(sizes) == {"cuda:80", "cuda:86"}
    printed = run(folder, """
        print(launch(kernel=b"large"), [each for each in notes() if "shared" in each])
    """, FAKE_CUDA_CHIP=86, FAKE_CUDA_SHARED=1000)
    assert printed == ["(4, \"the pack has no kernel 'large' for cuda:86: the variants that fit the arguments need more shared memory than it has\") []"]
    printed = run(folder, 'print(launch(kernel=b"large"), load(), len(notes()) > 2)', FAKE_CUDA_CHIP=86)
    assert printed == ["ok ok True"]


def test_drivers_that_are_missing_or_fail(place):
    folder = place("cuda:90,hip:gfx942")
    assert run(folder, "print(launch())", FAKE_CUDA_INIT=100)[0].startswith("(10, 'no GPU is found by the CUDA driver (cuInit failed: ")
    failed = "(11, 'cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE (invalid argument); kernel scale')"
    assert run(folder, "print(launch())", FAKE_CUDA_LAUNCH=1) == [failed]
    assert run(folder, "print(launch(device=b'hip'))", FAKE_HIP_VERSION=50000000)[0].startswith("(10, 'an old HIP runtime (version 50000000)")
    os.remove(folder / "libamdhip64.so.7")
    assert run(folder, "print(launch(device=b'hip'))")[0].startswith("(10, 'no HIP runtime (there is no libamdhip64")
    assert run(folder, "print(load(b'scale', b'cpu'), load(None, b'cpu'))") == [
        "(4, \"the pack has no kernel 'scale' for cpu\") (4, 'the pack has no kernel for cpu')"]


def test_hip(place):
    folder = place("hip:gfx942,hip:gfx1100")
    printed = run(folder, """
        print(target(b"hip"), launch(device=b"hip"), launch(device=b"hip"))
        lines = notes()
        print(len([each for each in lines if each.startswith("load")]), [each for each in lines if each.startswith(("launch", "on"))])
        library.tessera_pack_close(pack)
        print(notes()[-2:])
    """)
    line = "launch 3 1 1 x 256 shared 0 n 16 scratch null profile null"
    assert printed == ["('ok', 'hip:gfx942') ok ok", f"1 {['on device 0', line] * 2}", "['unload', 'device 0']"]


def test_many_threads_load_a_kernel_once(place):
    folder = place("cuda:90")
    assert run(folder, """
        barrier, results = threading.Barrier(8), []
        def work():
            barrier.wait()
            for _ in range(50):
                results.append(launch())
        threads = [threading.Thread(target=work) for _ in range(8)]
        [each.start() for each in threads]; [each.join() for each in threads]
        lines = notes()
        print(set(results), lines.count("load cubin"), lines.count("retain"), len([each for each in lines if "launch" in each]))
    """) == ["{'ok'} 1 1 400"]


def row(kernel, signature, options):
    return f'[[kernel]]\nfile = "k.py"\nname = "{kernel}"\nsignatures = ["{signature}"]\noptions = {{ {options} }}\n'


def test_clusters_and_cooperative_launches(place):
    folder = place("cuda:90", row("large", "*fp16:16,i32,128", "num-ctas = 2, launch-cooperative-grid = true, launch-pdl = true"))
    printed = run(folder, 'print(launch(kernel=b"large", grid=(5, 2, 1)))\nprint([each for each in notes() if "la" in each or "with" in each])')
    assert printed[0] == "ok" and "launch 10 2 1 x" in printed[1]
    assert "'with 4 = 2', 'with 5 = 1', 'with 2 = 1', 'with 6 = 1'" in printed[1]


SCRATCH = """module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @k(%x: !tt.ptr<i8>, %n: i32) {
  %one = arith.constant 1 : i8
  %memory = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 256 : i32} : !tt.ptr<i8>
  tt.store %memory, %one : !tt.ptr<i8>
  tt.return
}
}
"""


def test_scratch_memory(place, tmp_path):
    (tmp_path / "k.ttgir").write_text(SCRATCH)
    folder = place("cuda:90", '[[kernel]]\nfile = "k.ttgir"\nname = "k"\nsignature = "*i8,i32"\n')
    launched = 'print(launch(kernel=b"k", count=2, grid=({}, 2, 1)), notes()[-3:])'
    line = "launch 5 2 1 x 128 shared 0 n 16 scratch given profile null"
    assert run(folder, launched.format(5)) == [f"ok {['allocate 2560', line, 'free']}"]
    assert "(11, 'cuMemAllocAsync failed" in run(folder, launched.format(1 << 30))[0]


def test_tensor_maps(place, tmp_path):
    """Launches build the maps, and take the other variant where there are none."""
    (tmp_path / "matmul.py").write_text(maps.KERNEL)
    rows = f'[[kernel]]\nfile = "matmul.py"\nname = "matmul"\nsignatures = ["{maps.SIGNATURE}"]\noptions = {{ tma = "auto" }}\n'
    folder = place("cuda:90", rows)
    printed = run(folder, """
        def multiply(a, k):
            values = [*map(ctypes.c_void_p, (a, 0x20000, 0x30000)), *map(ctypes.c_int32, (1024, 512, k, 1024, 512, 512))]
            pointers = (ctypes.c_void_p * 12)(*map(ctypes.addressof, values), None, None, None)
            place = Place(b"cuda", None, 0)
            status = said(library.tessera_pack_launch(pack, b"matmul", (ctypes.c_uint32 * 3)(8, 4, 1), pointers, 12, ctypes.byref(place)))
            print(status, *[each.split(" n ")[0] for each in notes() if each.startswith(("encode", "launch"))], sep="|")
        multiply(0x10000, 100)
        multiply(0x10000, 0)
        multiply(0x10008, 100)
    """)
    ok, first, second, launch = printed[0].split("|")
    assert first == "encode type 6 at 65536 extent 100 box 64 extent 1024 box 128 stride 2048 swizzle 3 l2 2 fill 0"
    assert second == "encode type 6 at 131072 extent 512 box 64 extent 100 box 64 stride 1024 swizzle 3 l2 2 fill 0"
    assert ok == "ok" and launch.startswith("launch 8 4 1 x ")
    shared = printed[1].split("shared ")[1]
    assert printed[1].startswith("ok|launch 8 4 1 x ") and shared != launch.split("shared ")[1]
    assert printed[2].startswith("(5, ") and "fits the arguments" in printed[2]  # 16 does not divide the address
