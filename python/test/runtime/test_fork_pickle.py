"""Jit functions in other processes: forked, spawned, sent there as pickles; and two processes on one cache."""
import os
import pickle
import sys
import textwrap

import pytest
import tessera
import tessera.language as tl

np = pytest.importorskip("numpy")

SCALE = tl.constexpr(3)


@tessera.jit
def scale_kernel(out_ptr, n):
    tl.store(out_ptr, n * SCALE)


@tessera.constexpr_function
def twice(n):
    return 2 * n


class Holder:
    @staticmethod
    @tessera.jit
    def method(out_ptr, n):
        tl.store(out_ptr, n)


def launch(fn, n):
    out = np.zeros(1, "int32")
    fn[(1, )](out, n)
    return int(out[0])


# ---- pickles ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("function", [scale_kernel, twice, Holder.method])
def test_pickles_name_the_function(function):
    assert pickle.loads(pickle.dumps(function)) is function


def test_a_pickle_inside_a_tuner_finds_the_function():
    assert pickle.loads(pickle.dumps(tuned.fn)) is tuned.fn


class Tuner(tessera.KernelInterface):
    def __init__(self, fn):
        self.fn = fn


@Tuner
@tessera.jit
def tuned(out_ptr, n):
    tl.store(out_ptr, n)


def test_functions_inside_functions_cannot_be_pickled():
    @tessera.jit
    def local(out_ptr):
        tl.store(out_ptr, 1)

    with pytest.raises(pickle.PicklingError, match="defined inside a function"):
        pickle.dumps(local)


PROGRAM = """
    import multiprocessing, os, sys
    import numpy as np
    import tessera
    import tessera.language as tl

    @tessera.jit
    def fn(out_ptr, n, K: tl.constexpr):
        tl.store(out_ptr + tl.program_id(0), n * K)

    def launch(kernel, n, K):
        out = np.zeros(64, "int32")
        kernel[(64,)](out, n, K=K)
        return out.tolist()

    if __name__ == "__main__":
        expected = [15] * 64
"""


def run(snippet, text, first="", **more):
    return snippet(first + textwrap.dedent(PROGRAM) + textwrap.indent(textwrap.dedent(text), "    "), **more)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("before", [False, True])
def test_pools(snippet, method, before):
    done = run(snippet, f"""
        if {before}:
            assert launch(fn, 5, 3) == expected
        with multiprocessing.get_context("{method}").Pool(2) as pool:
            assert pool.starmap(launch, [(fn, 5, 3)] * 4 + [(fn, 3, 5)] * 4) == [expected] * 8
        assert launch(fn, 5, 3) == expected
        print("done")
    """, name="pools.py")
    assert done.stdout == "done\n"


def test_a_fork_while_other_threads_compile_and_launch(snippet):
    done = run(snippet, """
        import threading
        stop = threading.Event()
        def work(first):
            k = first
            while not stop.is_set():
                assert launch(fn, 1 + k % 5, k)[0] == (1 + k % 5) * k
                k += 8
        threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(5):
            child = os.fork()
            if child == 0:
                os._exit(0 if launch(fn, 5, 3) == expected else 1)
            assert os.waitpid(child, 0)[1] == 0
        stop.set()
        for thread in threads:
            thread.join()
        print("done")
    """, name="forks.py", timeout=600)
    assert done.stdout == "done\n"


def test_a_fork_while_another_thread_reads_a_stage(snippet):
    """What is computed when it is read has no lock that the child would find taken."""
    done = run(snippet, """
        import signal, threading, time
        from tessera.compiler.session import Job
        kernel, other = [fn.warmup(np.zeros(64, "int32"), 5, K=k, grid=(64,)) for k in (3, 4)]
        compile, begun = Job.run, threading.Event()
        def slowly(self, outputs):
            if threading.current_thread() is thread:
                begun.set()
                time.sleep(0.5)
            return compile(self, outputs)
        thread = threading.Thread(target=lambda: kernel.asm["ttir"])
        Job.run = slowly
        thread.start()
        begun.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            os._exit(7 if other.asm["ttir"] and kernel.asm["ttir"] else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        thread.join()
        print("done")
    """, name="stages.py", timeout=600)
    assert done.stdout == "done\n"


@pytest.mark.parametrize("call", ["_native.current_device()", "_native.Device('cuda')"])
def test_a_fork_waits_for_who_opens_a_device(snippet, fake_gpu, call):
    """The system's loader, which opens the driver, is not usable in a child if the fork came meanwhile."""
    snippet(f"""
import os, threading, time
from tessera import _native
begin = time.monotonic()
thread = threading.Thread(target=lambda: {call})
thread.start()
time.sleep(0.1)
child = os.fork()
if child == 0:
    os._exit(7)
assert time.monotonic() - begin > 0.9, "the fork did not wait"
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
thread.join()
""", env=dict(fake_gpu, FAKE_CUDA_INIT_MS="1000"))


def test_a_fork_while_another_thread_imports(snippet):
    """Modules that are imported at first use, each taking long over it: a child must not find one half done."""
    done = run(snippet, """
        import importlib.machinery, threading, time
        loader = importlib.machinery.SourceFileLoader
        execute = loader.exec_module
        def slowly(self, module):
            time.sleep(0.01)
            execute(self, module)
            time.sleep(0.01)
        loader.exec_module = slowly
        def work():
            assert fn.warmup(np.zeros(64, "int32"), 5, K=3, grid=(64,)).asm["ttir"]
            assert launch(fn, 5, 3) == expected
        assert "tessera.compiler.session" not in sys.modules
        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive():
            time.sleep(0.002)
            begun = {name for name in sys.modules if name.startswith("tessera")}
            child = os.fork()
            if child == 0:
                import signal
                signal.alarm(300)
                assert begun <= set(sys.modules)  # waited for, and not begun anew
                work()
                os._exit(7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        thread.join()
        print("done")
    """, name="imports.py", timeout=600)
    assert done.stdout == "done\n"


LATE_HANDLER = """
import os, threading
begin, begun = threading.Event(), threading.Event()
os.register_at_fork(before=lambda: (begin.set(), begun.wait()))  # before tessera's, so it runs after them
"""


def test_an_import_that_begins_during_a_fork(snippet):
    done = run(snippet, """
        import importlib.machinery, signal, time
        loader = importlib.machinery.SourceFileLoader
        execute = loader.exec_module
        forked, parent = threading.Event(), os.getpid()
        def slowly(self, module):
            if module.__name__ == "tessera.compiler.session" and os.getpid() == parent:
                begun.set()
                forked.wait()
            execute(self, module)
        loader.exec_module = slowly
        thread = threading.Thread(target=lambda: (begin.wait(), launch(fn, 5, 3)))
        thread.start()
        child = os.fork()
        if child == 0:
            signal.alarm(300)
            os._exit(7 if launch(fn, 5, 3) == expected else 1)
        forked.set()
        thread.join()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        print("done")
    """, first=LATE_HANDLER, name="begins.py", timeout=600)
    assert done.stdout == "done\n"


def test_a_fork_while_another_thread_configures_logging(snippet):
    """logging's handler makes the fork wait for a thread that imports."""
    done = run(snippet, """
        import threading, time
        sys.path.insert(0, os.path.dirname(__file__))
        with open(os.path.join(sys.path[0], "handlers.py"), "w") as file:
            file.write("import logging, time, zipfile; time.sleep(0.2); import tarfile; Handler = logging.NullHandler")
        thread = threading.Thread(target=logging.config.dictConfig, args=[
            {"version": 1, "handlers": {"mine": {"class": "handlers.Handler"}}, "root": {"handlers": ["mine"]}}])
        thread.start()
        while "zipfile" not in sys.modules:
            time.sleep(0.001)
        child = os.fork()
        if child == 0:
            os._exit(0 if launch(fn, 5, 3) == expected else 1)
        assert os.waitpid(child, 0)[1] == 0
        thread.join()
        assert type(logging.getLogger().handlers[0]) is logging.NullHandler
        print("done")
    """, first="import logging.config\n", name="configures.py")
    assert done.stdout == "done\n"


def test_two_threads_fork_at_once(snippet):
    done = run(snippet, """
        import threading
        assert launch(fn, 5, 3) == expected
        statuses = []
        def fork():
            for _ in range(10):
                child = os.fork()
                if child == 0:
                    os._exit(7 if launch(fn, 5, 3) == expected else 1)
                statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        threads = [threading.Thread(target=fork, daemon=True) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
        print(statuses == [7] * 30)
    """, first="import os, time; os.register_at_fork(before=lambda: time.sleep(0.002))\n", name="both.py")
    assert done.stdout == "True\n"


def test_a_fork_after_tessera_was_imported_anew(snippet):
    done = run(snippet, """
        for name in [name for name in sys.modules if name.partition(".")[0] == "tessera"]:
            del sys.modules[name]
        import tessera, tessera.language as tl
        again = tessera.jit(fn.fn)
        for kernel in (again, fn, again):
            child = os.fork()
            if child == 0:
                os._exit(7 if launch(kernel, 5, 3) == expected else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert launch(again, 5, 3) == expected
        print("done")
    """, name="anew.py")
    assert done.stdout == "done\n"


LATE_END = """
import atexit, os, threading
ends, has_forked = threading.Event(), threading.Event()
atexit.register(lambda: (ends.set(), has_forked.wait()))  # before tessera's, so it runs after it
"""


def test_a_child_of_a_process_that_ends(snippet):
    """The gate that holds the threads of a process that ends does not hold the child's."""
    done = run(snippet, """
        def fork():
            ends.wait()
            try:
                child = os.fork()
            except RuntimeError:
                print("Python forks no more", flush=True)
                return has_forked.set()
            if child == 0:
                thread = threading.Thread(target=launch, args=(fn, 5, 3), daemon=True)
                thread.start()
                thread.join(300)
                os._exit(8 if thread.is_alive() else 7)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
            has_forked.set()
        threading.Thread(target=fork, daemon=True).start()
    """, first=LATE_END, name="ends.py")
    assert done.stdout in ("7\n", "Python forks no more\n")  # as 3.12 does


EARLY_HANDLERS = """
import os
early = []
for when in ("before", "after_in_parent", "after_in_child"):
    os.register_at_fork(**{when: lambda when=when: early.append((when, launch(fn, 5, 3 + len(early))))})
"""


def test_handlers_of_forks_may_launch(snippet):
    """Those that were registered before tessera's run after it, or before it in the child: the gate is theirs then, too."""
    done = run(snippet, """
        child = os.fork()
        if child == 0:
            os._exit(7 if early == [("before", [15] * 64), ("after_in_child", [20] * 64)] else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        assert early == [("before", [15] * 64), ("after_in_parent", [20] * 64)]
    """, first=EARLY_HANDLERS, name="handlers.py")
    assert done.stdout == "7\n"


def test_processes_share_one_cache(snippet, fresh_cache):
    text = """
        kernel = fn[(64,)](np.zeros(64, "int32"), 5, K=3)
        print(kernel.hash, kernel._native_kernel.is_cached)
    """
    outputs = [run(snippet, text, name="shares.py", env={"TRITON_CACHE_DIR": fresh_cache}).stdout.split() for _ in range(2)]
    assert outputs[0][0] == outputs[1][0] and [output[1] for output in outputs] == ["False", "True"]


def test_many_processes_fill_one_cache(tmp_path, fresh_cache):
    import subprocess
    path = tmp_path / "fills.py"
    body = textwrap.dedent("""
        for k in range(2, 8):
            assert launch(fn, 5, k) == [5 * k] * 64
        print("done")
    """)
    path.write_text(textwrap.dedent(PROGRAM) + textwrap.indent(body, "    "))
    from conftest import child_environment
    environment = child_environment({"TRITON_CACHE_DIR": fresh_cache})
    children = [subprocess.Popen([sys.executable, path], env=environment, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    assert [child.communicate(timeout=600)[0] for child in children] == ["done\n"] * 6
    assert os.listdir(fresh_cache)
