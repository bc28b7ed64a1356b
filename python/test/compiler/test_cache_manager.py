"""Kernels through TRITON_CACHE_MANAGER and TRITON_REMOTE_CACHE_BACKEND: put when compiled, found by a fresh process, compiled
again when damaged, and nothing of it where no manager is set."""
import sqlite3
import textwrap

import pytest

# A store that two processes share, and that knows only bytes by key and name: as a server far away would.
MANAGER = """
import os, sqlite3, tempfile
from tessera.runtime.cache import CacheManager, RemoteCacheBackend
FOLDER = os.path.dirname(os.path.abspath(__file__))
log = []

def table():
    store = sqlite3.connect(os.path.join(FOLDER, "store.db"), timeout=60)
    store.execute("create table if not exists files (key text, name text, data blob, primary key (key, name))")
    return store

def read(key, name):
    with table() as store:
        row = store.execute("select data from files where key = ? and name = ?", (key, name)).fetchone()
    return row and row[0]

def write(key, name, data):
    log.append(("put", name))
    with table() as store:
        store.execute("replace into files values (?, ?, ?)", (key, name, data))

class Manager(CacheManager):
    def __init__(self, key, override=False, dump=False):
        self.key = key
    def get_file(self, filename):
        data = read(self.key, filename)
        log.append(("get", filename, data is not None))
        if data is None:
            return None
        with tempfile.NamedTemporaryFile(dir=FOLDER, delete=False) as file:
            file.write(data)
        return file.name
    def put(self, data, filename, binary=True):
        assert isinstance(data, bytes) == binary
        write(self.key, filename, data if binary else data.encode())
        return filename
    def get_group(self, filename):
        names = read(self.key, "__grp__" + filename)
        return names and {name: self.get_file(name) for name in names.decode().split()}
    def put_group(self, filename, group):
        write(self.key, "__grp__" + filename, " ".join(group).encode())

class Backend(RemoteCacheBackend):
    def __init__(self, key):
        self.key = key
    def get(self, filenames):
        found = {name: read(self.key, name) for name in filenames}
        return {name: data for name, data in found.items() if data is not None}
    def put(self, filename, data):
        write(self.key, filename, data)

class Broken(Manager):
    def get_group(self, filename):
        raise ConnectionError("no network")

class BrokenPut(Manager):
    def put(self, data, filename, binary=True):
        raise OSError("full")
"""

PROGRAM = """
import sys, types, numpy, tessera, tessera.language as tl
from tessera import knobs
hits = []
knobs.compilation.listener = lambda cache_hit, **_: hits.append(cache_hit)

cfg = types.ModuleType("cfg")
cfg.SCALE = 3

@tessera.jit
def fill(x_ptr, N: tl.constexpr, VALUE: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, N), VALUE * getattr(cfg, "SCA" + "LE"))  # a question to the host

x = numpy.zeros(8, "int32")
for value in range(2):
    kernel = fill[(1,)](x, 8, VALUE=value)
    assert (x == 3 * value).all()
print(sum(hits), len(hits))
assert kernel.asm["ttir"].count("tt.store") == 1  # not in the manager: made here
import pickle
assert pickle.loads(pickle.dumps(kernel)).asm["obj"] == kernel.asm["obj"]
"""


@pytest.fixture
def shared(tmp_path, snippet, numpy):
    """shared(...) runs PROGRAM in a fresh process with an empty cache folder of its own."""
    (tmp_path / "mine.py").write_text(MANAGER)
    count = []

    def run(program=PROGRAM, manager="mine:Manager", **options):
        count.append(None)
        env = {"TRITON_CACHE_DIR": str(tmp_path / f"cache{len(count)}"), "TRITON_CACHE_MANAGER": manager, **options.pop("env", {})}
        return snippet(textwrap.dedent(program), name="p.py", env=env, **options)
    run.store = tmp_path / "store.db"
    return run


def rows(path):
    return sorted(sqlite3.connect(path).execute("select key, name, data from files").fetchall())


def test_a_fresh_machine_finds_what_another_compiled(shared):
    assert shared().stdout.split() == ["0", "2"]
    kept = rows(shared.store)
    assert sorted(name for _, name, _ in kept) == sorted(2 * ["__grp__fill.json", "fill.json", "fill.tessera"])
    assert len({key for key, _, _ in kept}) == 2 and all(b'"name": "fill"' in data for _, name, data in kept if name == "fill.json")
    assert shared().stdout.split() == ["2", "2"]
    assert rows(shared.store) == kept


@pytest.mark.parametrize("damage", ["data = x'00'", "data = x''", "data = substr(data, 1, length(data) - 1)",
                                    "data = cast(substr(data, 1, 90) || x'ff' || substr(data, 92) as blob)",
                                    "data = (select data from files where name = 'fill.tessera' and key != f.key)"])
def test_damaged_entries_are_compiled_again(shared, damage):
    shared()
    with sqlite3.connect(shared.store) as store:
        store.execute(f"update files as f set {damage} where name = 'fill.tessera' and key = (select min(key) from files)")
    damaged = rows(shared.store)
    done = shared()
    assert done.stdout.split() == ["1", "2"] and "the cache manager failed, and the kernel is compiled: ValueError: " in done.stderr
    assert "/compiler/shared.py:" not in done.stderr  # it shows the line that launched
    assert rows(shared.store) != damaged
    assert shared().stdout.split() == ["2", "2"]


def test_a_group_that_lacks_the_kernel(shared):
    shared()
    with sqlite3.connect(shared.store) as store:
        store.execute("delete from files where name = 'fill.tessera'")
    assert shared().stdout.split() == ["0", "2"]
    assert shared().stdout.split() == ["2", "2"]


def test_a_remote_backend(shared):
    env = {"TRITON_REMOTE_CACHE_BACKEND": "mine:Backend"}
    manager = "tessera.runtime.cache:RemoteCacheManager"
    assert shared(manager=manager, env=env).stdout.split() == ["0", "2"]
    assert shared(manager=manager, env=env).stdout.split() == ["2", "2"]


@pytest.mark.parametrize("manager", ["Broken", "BrokenPut"])
def test_a_manager_that_fails_costs_a_compilation(shared, manager):
    done = shared(manager=f"mine:{manager}")
    assert done.stdout.split() == ["0", "2"]
    assert "RuntimeWarning: the cache manager failed" in done.stderr


def test_always_compile_asks_for_nothing(shared):
    shared()
    assert shared(env={"TRITON_ALWAYS_COMPILE": "1"}).stdout.split() == ["0", "2"]


def test_the_cache_folder_stays_in_use(shared, tmp_path):
    env = {"TRITON_CACHE_DIR": str(tmp_path / "one")}
    shared(env=env)
    shared.store.unlink()
    assert shared(env=env).stdout.split() == ["2", "2"]
    assert len(rows(shared.store)) == 6  # and what the folder had is shared


def test_without_a_manager_nothing_is_asked():
    import sys

    import numpy
    import tessera
    import tessera.language as tl
    assert tessera.knobs.cache.manager_class is None
    sys.modules.pop("tessera.compiler.shared", None)

    @tessera.jit
    def fill(x_ptr):
        tl.store(x_ptr, 5)

    x = numpy.zeros(1, "int32")
    fill[(1,)](x)
    assert x[0] == 5 and "tessera.compiler.shared" not in sys.modules


def test_packing(numpy):
    import tessera
    import tessera.language as tl
    from tessera import _native

    @tessera.jit
    def fill(x_ptr):
        tl.store(x_ptr, 5)

    kernel = fill.warmup(numpy.zeros(1, "int32"), grid=(1,))._native_kernel
    packed = kernel.pack()
    again = _native.Kernel.unpack(kernel.key, packed)
    assert again.key == kernel.key and again.is_cached and again.metadata == kernel.metadata
    assert again.artifact("obj") == kernel.artifact("obj") and again.pack() == packed
    _native.Device("cpu").load(again)
    for key, damaged in [("0" * 64, packed), ("", packed), (kernel.key, packed[:-1]), (kernel.key, b""), (kernel.key, packed + b"x"),
                         (kernel.key, packed[:50] + b"?" + packed[51:])]:
        with pytest.raises(ValueError):
            _native.Kernel.unpack(key, damaged)
    for arguments in [(), (kernel.key, "text"), (5, packed), (kernel.key + "\0", packed)]:
        with pytest.raises((TypeError, ValueError)):
            _native.Kernel.unpack(*arguments)
    session = _native.Session({})
    with pytest.raises(_native.CompileFailure):
        session.program_key("{}", "nowhere")
    with pytest.raises(_native.CompileFailure):
        session.program_key("{}", "cpu", "nonsense=1")


@pytest.mark.parametrize("is_wanted", [False, True])
def test_a_folder_that_cannot_be_written_is_told_to_who_asked_for_files(snippet, numpy, tmp_path, is_wanted):
    """torch.compile is given a manager without asking for one."""
    (tmp_path / "file").write_text("")
    done = snippet("""
import sys, types, numpy, tessera, tessera.language as tl
sys.modules["torch._inductor.runtime.triton_heuristics"] = types.ModuleType("triton_heuristics")

@tessera.jit
def fill(x):
    tl.store(x, 1)

x = numpy.zeros(1, "int32")
fill[(1,)](x)
print(x[0])
""", env={"TRITON_CACHE_DIR": tmp_path / "file" / "cache",
                      "TRITON_CACHE_MANAGER": "tessera.runtime.cache:FileCacheManager" if is_wanted else None})
    assert done.stdout == "1\n" and ("the cache manager failed" in done.stderr) == is_wanted, done.stderr


def test_files_of_other_users_are_not_run(tmp_path):
    import os
    from tessera import knobs
    from tessera.compiler.shared import _read
    path = tmp_path / "k.tessera"
    path.write_bytes(b"kernel")
    assert _read(str(path), of_anybody=False) == b"kernel"
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a plain file"):
        _read(str(tmp_path / "pipe"), of_anybody=True)
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(path, 65534, 65534)
    with pytest.raises(PermissionError, match="belongs to another user"):
        _read(str(path), of_anybody=False)
    assert _read(str(path), of_anybody=True) == b"kernel"
    with knobs.cache.scope():
        knobs.cache.trust = "all"
        assert _read(str(path), of_anybody=False) == b"kernel"
