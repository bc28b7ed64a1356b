"""Kernels on disk: hits, keys, many processes, folders that cannot be written, and the classes for programs' own files."""
import math
import os
import stat
import time

import pytest

import tessera
import tessera.language as tl

PROGRAM = """
import sys, numpy, tessera, tessera.language as tl
from tessera import knobs
hits = []
knobs.compilation.listener = lambda cache_hit, **_: hits.append(cache_hit)

@tessera.jit
def fill(x_ptr, VALUE: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, 8), VALUE)

x = numpy.zeros(8, "int32")
for value in range(int(sys.argv[1])):
    fill[(1,)](x, VALUE=value)
    assert (x == value).all()
print(sum(hits), len(hits))
"""


@tessera.jit
def copy_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets))


def source(block=64):
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "BLOCK": "constexpr"}
    return tessera.compiler.ASTSource(copy_kernel, signature, {"BLOCK": block})


def compile_native(block=64):
    return tessera.compile(source(block), target="cpu")._native_kernel


def entries(folder):
    return sorted(name for _, _, names in os.walk(folder) for name in names)


def test_sessions_of_many_folders_are_let_go(monkeypatch, tmp_path):
    from tessera.compiler.session import _sessions
    kernels = []
    for i in range(40):
        monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / str(i)))
        kernels.append(tessera.compile(source(8), target="cpu"))
    assert len(_sessions) <= 16
    assert "tt.load" in kernels[0].asm["ttir"] and kernels[0].asm["ttir"] == kernels[39].asm["ttir"]


def test_a_second_process_finds_what_the_first_compiled(snippet, numpy, fresh_cache):
    assert snippet(PROGRAM, 3, name="p.py").stdout.split() == ["0", "3"]
    before = entries(fresh_cache)
    assert len(before) == 3 and not [name for name in before if name.startswith(".") or "tmp" in name]
    assert snippet(PROGRAM, 3, name="p.py").stdout.split() == ["3", "3"]
    assert entries(fresh_cache) == before
    assert os.listdir(fresh_cache) == ["tessera"]  # beside what another compiler keeps there


def test_eight_processes_share_a_folder(python_process, tmp_path, numpy, fresh_cache):
    from concurrent.futures import ThreadPoolExecutor
    program = tmp_path / "p.py"
    program.write_text(PROGRAM)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: python_process(program, 6).stdout.split(), range(8)))
    assert all(total == "6" for _, total in results)
    assert len(entries(fresh_cache)) == 6
    assert python_process(program, 6).stdout.split() == ["6", "6"]


def test_eight_threads_compile_at_once(fresh_cache):
    from concurrent.futures import ThreadPoolExecutor
    blocks = [2**(i % 8) for i in range(32)]
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda block: compile_native(block).key, blocks))
    assert len(set(keys)) == 8 and len(entries(fresh_cache)) == 8
    assert all(keys[i] == keys[i % 8] for i in range(32))


def test_a_damaged_entry_is_compiled_again(fresh_cache):
    compile_native()
    path, = [os.path.join(folder, name) for folder, _, names in os.walk(fresh_cache) for name in names]
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        file.write(b"\0\1\2\3")
    assert not compile_native().is_cached
    assert compile_native().is_cached


def test_always_compile(fresh_cache, monkeypatch):
    assert not compile_native().is_cached
    assert compile_native().is_cached
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    assert not compile_native().is_cached


@pytest.mark.parametrize("variable", ["TRITON_KERNEL_DUMP", "TRITON_FRONT_END_DEBUGGING", "NVPTX_ENABLE_DUMP",
                                      "TRITON_PRINT_AUTOTUNING"])
def test_what_only_shows_does_not_change_the_key(variable, fresh_cache, monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "dump"))
    key = compile_native().key
    monkeypatch.setenv(variable, "1")
    kernel = compile_native()
    assert kernel.key == key and kernel.is_cached


def test_what_changes_the_code_changes_the_key(fresh_cache, monkeypatch):
    keys = {compile_native().key}
    for variable, value in [("TRITON_DEFAULT_FP_FUSION", "0"), ("TRITON_DISABLE_LINE_INFO", "1"), ("TRITON_F32_DEFAULT", "tf32")]:
        with monkeypatch.context() as patch:
            patch.setenv(variable, value)
            keys.add(compile_native().key)
    assert len(keys) == 4


def test_a_hit_takes_less_than_a_millisecond(fresh_cache):
    compile_native()
    best = math.inf
    for _ in range(500):  # on a busy machine, the first 20 tell little
        best = min(best, _time_of(compile_native))
        if best < 1e-3:
            return
    assert False, f"{best * 1e3:.2f} ms"


def _time_of(call):
    begin = time.perf_counter()
    assert call().is_cached
    return time.perf_counter() - begin


IMPORTS = """
import numpy, sys
known = set(sys.modules)
import tessera, tessera.language as tl

@tessera.jit
def fill(x_ptr, VALUE: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, 8), VALUE)

x = numpy.zeros(8, "int32")
fill[(1,)](x, VALUE=3)
assert (x == 3).all()
print(sorted(set(sys.modules) - known))
"""


def test_a_first_launch_imports_little(snippet, numpy, fresh_cache):
    """Imports are most of what the first launch of a process does, if the disk has the kernel."""
    for _ in range(2):
        imported = set(eval(snippet(IMPORTS, name="p.py").stdout))
        assert imported >= {"tessera.compiler.session", "tessera.backends.cpu.compiler"}
        assert not imported & {"tessera.compiler.errors", "tessera.runtime._async_compile", "tessera.backends.driver",
                               "tessera.runtime.autotuner", "tessera.testing", "inspect", "typing", "dataclasses", "torch"}


def test_a_folder_that_cannot_be_written_to_costs_only_misses(numpy, fresh_cache, snippet):
    os.chmod(fresh_cache, stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert snippet(PROGRAM, 2, name="p.py").stdout.split()[1] == "2"
    finally:
        os.chmod(fresh_cache, stat.S_IRWXU)


def test_a_full_disk_costs_only_misses(snippet, numpy, fresh_cache):
    limit = "import resource, signal; resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))\n"
    assert snippet(limit + PROGRAM, 2).stdout.split() == ["0", "2"]
    assert entries(fresh_cache) == []


@pytest.mark.parametrize("folder", ["/proc/no/such/folder", "/dev/full", "/dev/null/below"])
def test_a_folder_that_is_none(folder, numpy, snippet):
    assert snippet(PROGRAM, 1, name="p.py", env={"TRITON_CACHE_DIR": folder}).stdout.split() == ["0", "1"]


WRONG = """
@tessera.jit
def wrong(x_ptr):
    tl.store(x_ptr, nothing)
try:
    wrong[(1,)](x)
except tessera.CompilationError as error:
    print(ascii(str(error)).split("error")[0])
"""


def test_paths_that_are_no_text(python_process, tmp_path, numpy):
    """Of the folder, and of the program's file; errors show the bytes."""
    place = os.path.join(os.fsencode(tmp_path), b"\xffplace")
    os.mkdir(place)
    program, cache = os.path.join(place, b"p\xe9.py"), os.path.join(place, b"cache")
    with open(program, "w") as file:
        file.write(PROGRAM + WRONG)
    for hits in ("0", "2"):
        done = python_process(os.fsdecode(program), 2, env={"TRITON_CACHE_DIR": os.fsdecode(cache)})
        assert done.stdout.split()[:2] == [hits, "2"] and r"\\xffplace/p\\xe9.py:" in done.stdout, done.stdout
    assert len(entries(cache)) == 2


def test_an_interrupt_leaves_no_partial_files(snippet, numpy, fresh_cache):
    text = PROGRAM.replace("for value in", """
import signal, threading, os
def interrupt():
    import time
    for _ in range(200):
        time.sleep(0.003)
        try: os.kill(os.getpid(), signal.SIGINT)
        except OSError: return
threading.Thread(target=interrupt, daemon=True).start()
for value in""").replace("int(sys.argv[1])", "100000")
    assert snippet(text, 0, name="q.py", status=None).returncode in (1, 130, -2)
    assert not [name for name in entries(fresh_cache) if name.startswith(".") or "tmp" in name]
    assert snippet(PROGRAM, 3, name="p.py").stdout.split()[1] == "3"


# ---- files of programs ------------------------------------------------------------------------------

KEY = "0123456789abcdef" * 4


def test_a_manager_keeps_files_and_groups(fresh_cache):
    from tessera.runtime.cache import FileCacheManager, get_cache_manager
    manager = get_cache_manager(KEY)
    assert isinstance(manager, FileCacheManager) and manager.get_file("a.json") is None and manager.get_group("g") is None
    path = manager.put("text", "a.json")
    assert manager.get_file("a.json") == path and open(path).read() == "text" and manager.has_file("a.json")
    group = {"a.json": path, "b.bin": manager.put(b"\0\1", "b.bin")}
    manager.put_group("g", group)
    assert manager.get_group("g") == group
    os.unlink(group["b.bin"])
    assert manager.get_group("g") == {"a.json": path}
    assert not [name for name in entries(fresh_cache) if name.startswith(".")]


class CountingManager(__import__("tessera.runtime.cache", fromlist=["FileCacheManager"]).FileCacheManager):
    pass


def test_a_manager_of_ones_own(monkeypatch, fresh_cache):
    from tessera import knobs
    from tessera.runtime.cache import get_cache_manager
    monkeypatch.setitem(vars(knobs.cache), "manager_class", CountingManager)
    assert type(get_cache_manager(KEY)) is CountingManager


def test_dump_and_override_managers(monkeypatch, tmp_path):
    from tessera.runtime.cache import get_dump_manager, get_override_manager, triton_key
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "d"))
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path / "o"))
    assert get_dump_manager(KEY).put("x", "k.ttir").startswith(str(tmp_path / "d"))
    assert get_override_manager(KEY).get_file("k.ttir") is None
    assert triton_key() == triton_key()


def test_the_compilers_key_is_the_same_on_every_machine(tmp_path, monkeypatch):
    """Not the age of the files, nor the assembler, nor where anything lies."""
    from tessera import _native
    from tessera.runtime.cache import triton_key
    before = triton_key()
    assert before.startswith("tessera-" + _native.version())
    monkeypatch.setattr(_native, "__file__", __file__)
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("TRITON_PTXAS_PATH", str(tmp_path / "ptxas"))
    monkeypatch.chdir(tmp_path)
    assert triton_key.__wrapped__() == before


def test_names_of_the_cache_in_the_compiler(monkeypatch):
    """Programs that compile ahead take them from compiler.compiler."""
    from tessera.compiler import compiler
    from tessera.runtime import cache, driver
    assert compiler.get_cache_manager is cache.get_cache_manager and compiler.driver is driver
    monkeypatch.setenv("TRITON_F32_DEFAULT", "ieee")
    monkeypatch.delenv("TRITON_DEBUG", raising=False)
    assert compiler.get_cache_invalidating_env_vars()["TRITON_F32_DEFAULT"] == "ieee"
    assert "TRITON_DEBUG" not in compiler.get_cache_invalidating_env_vars()
    with pytest.raises(AttributeError, match="no attribute 'get_cash_manager'"):
        compiler.get_cash_manager
