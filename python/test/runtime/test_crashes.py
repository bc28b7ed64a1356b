"""A process that crashes in a kernel on the CPU, or after one, names the kernel and TRITON_INTERPRET=1; whoever handled the signal
before still does. And the sanitizer reports causes before consequences."""
import re
import signal

PROGRAM = """
import faulthandler, os, signal, sys, numpy, tessera
import tessera.language as tl

@tessera.jit
def scale(x_ptr, out_ptr, far, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets % 64)
    tl.store(out_ptr + offsets + far, x)

def crash(programs=1):
    scale[(programs,)](numpy.ones(64, "float32"), numpy.ones(64, "float32"), 1 << 30, BLOCK=128)

def run():
    scale[(1,)](numpy.ones(64, "float32"), numpy.ones(128, "float32"), 0, BLOCK=128)
"""
ADVICE = "TRITON_INTERPRET=1 checks every access and names the array and the element"


def crash(snippet, text, status, **options):
    return snippet(PROGRAM + text, status=-status, **options).stderr


def test_a_fault_names_the_kernel_and_the_line(snippet):
    for programs in (1, 4096):  # on the launching thread, and in the pool
        said = crash(snippet, f"crash({programs})", signal.SIGSEGV)
        assert re.search(r"^tessera: kernel 'scale' \(.*snippet\d+\.py:6\) accessed memory that does not exist, at line 9\. ", said, re.M)
        assert said.count("tessera: ") == 1 and ADVICE in said


def test_an_abort_after_a_kernel_names_it(snippet):
    said = crash(snippet, "run(); os.abort()", signal.SIGABRT)
    assert "tessera: the process was aborted after kernel 'scale'" in said and ADVICE in said


def test_a_process_without_kernels_says_nothing(snippet):
    assert snippet("import os, tessera; os.abort()", status=-signal.SIGABRT).stderr == ""


def test_faulthandler_still_reports(snippet):
    before = crash(snippet, "faulthandler.enable(); crash()", signal.SIGSEGV)
    assert "kernel 'scale'" in before and before.index("at line 9") < before.index("Fatal Python error: Segmentation fault")
    after = crash(snippet, "run(); faulthandler.enable(); crash()", signal.SIGSEGV)
    assert "Fatal Python error: Segmentation fault" in after and "kernel 'scale'" in after
    aborted = crash(snippet, "faulthandler.enable(); run(); os.abort()", signal.SIGABRT)
    assert "Fatal Python error: Aborted" in aborted and "kernel 'scale'" in aborted


def test_handlers_of_the_program_are_called(snippet):
    """A handler in C that goes on after a fault outside of kernels is not disturbed."""
    said = snippet(PROGRAM + """
import ctypes
libc = ctypes.CDLL(None)
calls = []
handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(lambda number: calls.append(number))
libc.signal(signal.SIGSEGV, handler)
run()
os.kill(os.getpid(), signal.SIGSEGV)
os.kill(os.getpid(), signal.SIGSEGV)
print(calls)
""")
    assert said.stdout == "[11, 11]\n" and said.stderr == ""


def test_causes_come_before_consequences(snippet):
    said = snippet("""
import numpy, tessera
import tessera.language as tl

@tessera.jit
def rows(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * n + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.program_id(0))

rows[(4,)](numpy.zeros(4 * 100, "int32"), 100, BLOCK=128)
""", env={"TRITON_INTERPRET": "1"}, status=1).stderr
    outside, race = said.index("store outside 'out_ptr'"), said.index("both write")
    assert outside < race
    assert re.search(r"store outside .*\n.*\n.*\^.*\nnote: no mask is in force\n", said)
