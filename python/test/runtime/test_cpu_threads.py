"""How many threads run kernels on the CPU, and whose: TESSERA_NUM_THREADS, torch's number and torch's pool."""
import os

import pytest

# Counts the threads that run programs: each program stores the number of the thread that is written to it by its first load.
PROGRAM = """
import os, sys, threading, numpy
if "torch" in sys.argv:
    import torch
import tessera
import tessera.language as tl
from tessera import _native, knobs

@tessera.jit
def work(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    for i in range(n):
        x = tl.sin(x)
    tl.store(x_ptr + offsets, x)

def threads():
    return len(os.listdir("/proc/self/task"))

def new_threads():
    before = threads()
    for _ in range(2):
        work[(4096,)](numpy.ones(4096 * 16, "float32"), 20, BLOCK=16)
    return threads() - before
"""


def run(snippet, text, *arguments, **env):
    return snippet(PROGRAM + text, *arguments, env={name: str(value) for name, value in env.items()}).stdout


def test_the_variable_and_the_knob_set_the_number(snippet):
    assert run(snippet, "print(_native.cpu_threads(), new_threads())", TESSERA_NUM_THREADS=1) == "1 0\n"
    assert run(snippet, "print(_native.cpu_threads(), new_threads())", TESSERA_NUM_THREADS=5) == "5 4\n"
    text = """
knobs.runtime.cpu_threads = 2
print(new_threads())
knobs.runtime.cpu_threads = 4
print(new_threads())
knobs.runtime.cpu_threads = 1
print(new_threads(), os.environ.get("TESSERA_NUM_THREADS"))
with knobs.runtime.scope():
    knobs.runtime.cpu_threads = 7
print(_native.cpu_threads())
"""
    assert run(snippet, text) == "1\n2\n0 None\n1\n"


def test_openmp_s_variable_is_the_default(snippet):
    assert run(snippet, "print(_native.cpu_threads(), new_threads())", OMP_NUM_THREADS="3,1") == "3 2\n"
    assert run(snippet, "print(_native.cpu_threads())", OMP_NUM_THREADS="many") == "0\n"


def test_wrong_numbers_are_named(snippet):
    said = snippet("import tessera", env={"TESSERA_NUM_THREADS": "two"}, status=1).stderr
    assert "TESSERA_NUM_THREADS=two: a whole number is expected" in said
    said = snippet("import tessera; tessera.knobs.runtime.cpu_threads = -1", status=1).stderr
    assert "the number of threads for the CPU is from 1 to 4096, or 0 for the default, not -1" in said


@pytest.mark.parametrize("count", [1, 3])
def test_torch_s_number_and_pool_are_used(snippet, torch, count):
    """Launches run in the threads that torch's operators have started, and start none."""
    text = f"""
torch.set_num_threads({count})
(torch.ones(1 << 22) + 1).sin()
print(new_threads(), _native.cpu_threads())
torch.set_num_threads(2)
print(_native.cpu_threads())
knobs.runtime.cpu_threads = 1
print(_native.cpu_threads())
"""
    assert run(snippet, text, "torch") == f"0 {count}\n2\n1\n"


def test_a_forked_child_and_other_threads_use_our_pool(snippet, torch):
    text = """
torch.set_num_threads(2)
(torch.ones(1 << 22) + 1).sin()
new_threads()
thread = threading.Thread(target=lambda: work[(4096,)](numpy.ones(4096 * 16, "float32"), 20, BLOCK=16))
thread.start(); thread.join()
pid = os.fork()
if pid == 0:
    work[(4096,)](numpy.ones(4096 * 16, "float32"), 20, BLOCK=16)
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    assert run(snippet, text, "torch") == "7\n"


def test_results_do_not_depend_on_the_threads(snippet, torch):
    text = """
import hashlib
for count in (1, 2, 3):
    torch.set_num_threads(count)
    x = numpy.arange(4096 * 16, dtype="float32")
    work[(4096,)](x, 3, BLOCK=16)
    print(hashlib.sha256(x).hexdigest())
"""
    assert len(set(run(snippet, text, "torch").split())) == 1
