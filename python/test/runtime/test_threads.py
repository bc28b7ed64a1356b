"""Many threads, interrupts, and the end of the process in the middle of it."""
import sys
import textwrap
import threading
import time
import types

import pytest
import tessera
import tessera.language as tl
from tessera import knobs

np = pytest.importorskip("numpy")
THREADS = 8


def in_threads(work, count=THREADS):
    """Runs work(i) in `count` threads that start together; raises what one of them raised."""
    errors, start = [], threading.Barrier(count)

    def run(i):
        try:
            start.wait()
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i, )) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_one_variant_is_compiled_once():
    @tessera.jit
    def fn(out_ptr, n, BLOCK: tl.constexpr):
        tl.store(out_ptr + tl.arange(0, BLOCK), n)

    results = [None] * THREADS

    def work(i):
        out = np.zeros(64, "int32")
        results[i] = fn[(1, )](out, 7, BLOCK=64)
        assert (out == 7).all()

    in_threads(work)
    assert len(fn.specializations()) == 1 and len({id(result) for result in results}) == 1


def test_many_variants_at_once():
    @tessera.jit
    def fn(out_ptr, n, BLOCK: tl.constexpr):
        tl.store(out_ptr + tl.arange(0, BLOCK), n * BLOCK)

    def work(i):
        for block in (1, 2, 4, 8):
            for n in (1, 16, 17 + i):
                out = np.zeros(8, "int32")
                fn[(1, )](out, n, BLOCK=block)
                assert (out[:block] == n * block).all() and not out[block:].any()

    in_threads(work)
    assert len(fn.specializations()) == 12


def test_launches_while_a_global_changes():
    scope = {"tl": tl, "tessera": tessera, "np": np}
    scale = [tl.constexpr(2), tl.constexpr(3)]
    factor = scale[0]

    @tessera.jit
    def fn(out_ptr, x):
        tl.store(out_ptr, x * factor)

    stop = time.monotonic() + 1.0

    def work(i):
        nonlocal factor
        out = np.zeros(1, "int32")
        while time.monotonic() < stop:
            if i == 0:
                factor = scale[1] if factor is scale[0] else scale[0]
            fn[(1, )](out, 5)
            assert out[0] in (10, 15)

    in_threads(work)
    factor = scale[1]
    out = np.zeros(1, "int32")
    fn[(1, )](out, 5)
    assert out[0] == 15 and scope


def test_two_threads_that_compile_with_two_values():
    """Each read another value of what only questions of the compiler led to; the value that is there now counts."""
    settings = types.ModuleType("settings")
    settings.block = tl.constexpr(64)

    @tessera.jit
    def fn(out_ptr, NAME: tl.constexpr):
        tl.store(out_ptr, getattr(settings, NAME))

    compiled, may_go_on = [threading.Event(), threading.Event()], [threading.Event(), threading.Event()]
    is_loading, may_load = threading.Event(), threading.Event()
    order = []

    def after_compiling(**_):
        i = order.index(threading.get_ident())
        compiled[i].set()
        may_go_on[i].wait(60)

    def before_loading(*_):
        if threading.get_ident() == order[0]:
            is_loading.set()
            may_load.wait(60)

    def launch():
        order.append(threading.get_ident())
        fn[(1, )](np.zeros(1, "int32"), "block")

    with knobs.runtime.scope():
        knobs.runtime.jit_post_compile_hook = after_compiling
        knobs.runtime.kernel_load_start_hook.add(before_loading)
        try:
            threads = [threading.Thread(target=launch) for _ in range(2)]
            threads[0].start()
            assert compiled[0].wait(60)  # with 64
            settings.block = tl.constexpr(128)
            threads[1].start()
            assert compiled[1].wait(60)  # with 128
            may_go_on[0].set()
            assert is_loading.wait(60)
            may_go_on[1].set()
            threads[1].join(60)
            may_load.set()  # the first is the last to keep its variant
            threads[0].join(60)
        finally:
            knobs.runtime.kernel_load_start_hook.remove(before_loading)
            for event in (*may_go_on, may_load):
                event.set()
    out = np.zeros(1, "int32")
    fn[(1, )](out, "block")
    assert out[0] == 128


def test_a_memory_that_another_thread_empties():
    @tessera.jit
    def fn(out_ptr, K: tl.constexpr):
        tl.store(out_ptr, int(np.log2(K)))

    class Emptied(dict):
        def __setitem__(self, key, value):
            pass

    fn._call_memory = Emptied()
    out = np.zeros(1, "int32")
    fn[(1, )](out, 8)
    assert out[0] == 3


def test_a_key_that_another_thread_resets():
    class Odd(types.ModuleType):
        @property
        def SIZE(self):
            if resets:
                fn.hash = resets.pop()
            return size

    settings, size, resets = Odd("settings"), tl.constexpr(4), []

    @tessera.jit
    def fn(out_ptr):
        tl.store(out_ptr, settings.SIZE)

    first = fn.cache_key
    resets.append(None)
    assert fn.cache_key == first and not resets


def test_an_attribute_that_two_threads_compute():
    """Both go on with the same object."""
    from tessera._lazily import lazily

    class Kernel:
        first = None

        @lazily
        def record(self):
            """Computed once."""
            if self.first is None:
                self.first = "taken"
                self.first = self.record  # as another thread would meanwhile
            return object()

    kernel = Kernel()
    assert kernel.record is kernel.first and kernel.record is kernel.record and Kernel.record.__doc__ == "Computed once."


def test_functions_are_made_while_others_look_at_all():
    from tessera.runtime.variants_file import _functions

    def body(out_ptr):
        tl.store(out_ptr, 1)

    end, before, some = threading.Event(), sys.getswitchinterval(), [tessera.jit(body) for _ in range(1000)]

    def make():
        while not end.is_set():
            some[:10] = [tessera.jit(body) for _ in range(10)]

    thread = threading.Thread(target=make)
    sys.setswitchinterval(1e-6)
    try:
        thread.start()
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            assert len(_functions()) >= 990
    finally:
        sys.setswitchinterval(before)
        end.set()
        thread.join()


def fake_assembler(folder, command):
    """A ptxas that runs a command of the shell, where $2 is the file to write."""
    path = folder / "ptxas"
    path.write_text(f"#!/bin/sh\n[ $1 != --version ] || exit 0\nwhile [ $1 != -o ]; do shift; done\n{command}\n")
    path.chmod(0o755)
    return str(path)


# As an assembler in a sandbox that does not see files in memory.
LIKES_FILES = "case $2 in /proc/*) echo 'ptxas fatal : the file could not be opened' >&2; exit 1;; esac\n"


def test_assemblers_do_not_read_variables_that_threads_change(tmp_path, monkeypatch):
    """setenv frees what others read, and compilations hold no lock: a session has its own copy."""
    seen = tmp_path / "seen"
    monkeypatch.setenv("TRITON_PTXAS_PATH", fake_assembler(tmp_path, f"printf '\\177ELF made' > $2; echo ${{CHANGED:-no}} >> {seen}"))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))

    @tessera.jit
    def fn(out_ptr, K: tl.constexpr):
        tl.store(out_ptr, K)

    for k in (3, 5):
        source = tessera.compiler.ASTSource(fn, {"out_ptr": "*i32", "K": "constexpr"}, {"K": k})
        assert tessera.compile(source, target="cuda:90").asm["cubin"] == b"\x7fELF made"
        monkeypatch.setenv("CHANGED", "yes")
    assert seen.read_text() == "no\nno\n"


def test_the_folder_of_temporary_files_may_go(snippet, tmp_path):
    """It is asked for when a session begins, and again when it is not there any more."""
    snippet("""
import os, sys
import tessera, tessera.language as tl
os.makedirs(os.environ["TMPDIR"])

def folder_of(cubin):
    return os.path.dirname(os.path.dirname(cubin.decode().removeprefix("\\x7fELF")))

@tessera.jit
def fn(out_ptr, K: tl.constexpr):
    tl.store(out_ptr, K)

def compile(k):
    source = tessera.compiler.ASTSource(fn, {"out_ptr": "*i32", "K": "constexpr"}, {"K": k})
    return tessera.compile(source, target="cuda:90").asm["cubin"]

assert folder_of(compile(3)) == os.environ["TMPDIR"]
os.rmdir(os.environ["TMPDIR"])
os.environ["TMPDIR"] = os.path.dirname(os.environ["TMPDIR"])
assert folder_of(compile(5)) == os.environ["TMPDIR"]
""", env={"TMPDIR": tmp_path / "temporary", "TRITON_CACHE_DIR": tmp_path / "cache",
          "TRITON_PTXAS_PATH": fake_assembler(tmp_path, LIKES_FILES + "printf '\\177ELF%s' $2 > $2")})


def test_a_failure_in_one_thread_is_its_own():
    @tessera.jit
    def fn(out_ptr, K: tl.constexpr):
        tl.static_assert(K % 2 == 0)
        tl.store(out_ptr, K)

    def work(i):
        out = np.zeros(1, "int32")
        if i % 2:
            with pytest.raises(tessera.CompilationError):
                fn[(1, )](out, i)
        else:
            fn[(1, )](out, i)
            assert out[0] == i

    in_threads(work)


BIG_KERNEL = """
import os, signal, sys, threading, time
import numpy as np
import tessera
import tessera.language as tl

@tessera.jit
def big(out_ptr, n, K: tl.constexpr):
    x = tl.arange(0, 64)
    v = x * n
    for i in tl.static_range(K):
        v = v * 3 + tl.load(out_ptr + x + i)
        v = tl.where(v > 5, v - i, tl.cumsum(v, 0))
    tl.store(out_ptr + x, v)
"""


def test_the_process_may_end_while_threads_compile(snippet):
    text = BIG_KERNEL + textwrap.dedent("""
        for k in range(4):
            out = np.zeros(1000, "int32")
            threading.Thread(target=lambda k=k: big[(1,)](out, 3, K=60 + k), daemon=True).start()
        time.sleep(float(sys.argv[1]))
        print("done")
    """)
    for delay in ("0.0", "0.02", "0.1"):
        assert snippet(text, delay, name="ends.py").stdout == "done\n"


def test_an_interrupt_leaves_no_partial_files(snippet, fresh_cache):
    text = BIG_KERNEL + textwrap.dedent("""
        out = np.zeros(1000, "int32")
        try:
            threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            for k in range(300):
                big[(1,)](out, 3, K=60 + k)
        except KeyboardInterrupt:
            print("interrupted")
        big[(1,)](out, 3, K=3)
        print("and well")
    """)
    done = snippet(text, name="interrupted.py", env={"TRITON_CACHE_DIR": fresh_cache})
    assert done.stdout == "interrupted\nand well\n"
    leftovers = [path for path in fresh_cache.rglob("*") if path.is_file() and "tmp" in path.name]
    assert not leftovers


def test_an_interrupt_ends_precompiling(snippet, fresh_cache):
    text = BIG_KERNEL + textwrap.dedent("""
        try:
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            big.precompile("*i32", "i32", K=list(range(60, 360)), device="cpu", max_variants=10000)
        except KeyboardInterrupt:
            print("interrupted", len(big.specializations()) < 300)
    """)
    assert snippet(text, name="stops.py", env={"TRITON_CACHE_DIR": fresh_cache}).stdout == "interrupted True\n"


def test_an_interrupt_while_precompiling_begins(monkeypatch):
    import contextvars
    from tessera.runtime.jit import JITFunction
    begun, contexts, copy_context = [], [], contextvars.copy_context

    def interrupt_the_twentieth():
        contexts.append(1)
        if len(contexts) == 20:
            raise KeyboardInterrupt
        return copy_context()

    @tessera.jit
    def fn(out_ptr, K: tl.constexpr):
        tl.store(out_ptr, K)

    monkeypatch.setattr(contextvars, "copy_context", interrupt_the_twentieth)
    monkeypatch.setattr(JITFunction, "_compile_with_state", lambda *_: (begun.append(1), time.sleep(0.3)))
    with pytest.raises(KeyboardInterrupt):
        fn.precompile("*i32", K=list(range(40)), device="cpu", threads=1)
    assert len(begun) < 19


def test_async_compile_mode():
    from concurrent.futures import ThreadPoolExecutor

    @tessera.jit
    def fn(out_ptr, K: tl.constexpr):
        tl.store(out_ptr, K)

    out = np.zeros(1, "int32")
    with ThreadPoolExecutor(4) as pool, tessera.AsyncCompileMode(pool):
        futures = [fn.warmup(out, k, grid=(1, )) for k in (2, 3, 2)]
        fn[(1, )](out, 4)
        assert out[0] == 4
    assert futures[0].result() is futures[2].result() and len(fn.specializations()) == 3
    assert fn[(1, )](out, 3) is futures[1].result() and out[0] == 3


def test_threads_with_small_stacks(snippet, numpy):
    """Compilations and launches take what they need on threads of their own."""
    snippet("""
import sys, threading
import numpy as np, tessera, tessera.language as tl

@tessera.jit
def heavy(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(y + i, tl.cumsum(tl.sort(v), 0) + tl.flip(v))

@tessera.jit
def nested(x, N: tl.constexpr):
    if N > 0:
        nested(x, N - 1)
    else:
        tl.store(x, 1.0)

x, y = np.ones(16384, "float32"), np.zeros(16384, "float32")
done = []
def work():
    for block in (256, 1024, 16384):
        heavy[(1,)](x, y, block)
        assert (y[:block] == np.arange(2, block + 2)).all()
    nested[(1,)](y, 60)
    done.append(y[0])

for size in (64 << 10, 256 << 10):
    threading.stack_size(size)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
assert done == [1, 1], done
""", flags=["-X", "faulthandler"])
