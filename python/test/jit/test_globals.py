"""What a kernel reads besides its arguments: a launch uses what is there now, and nothing is compiled twice."""
import importlib
import linecache
import types

import pytest
import tessera
import tessera.language as tl

np = pytest.importorskip("numpy")

SCALE = tl.constexpr(2)
KIND = tl.int32
TABLE = [1, 2, 3]
settings = types.ModuleType("settings")
settings.OFFSET = tl.constexpr(10)
settings.inner = types.SimpleNamespace(value=5)


@tessera.jit
def helper(x):
    return x * SCALE


@tessera.constexpr_function
def from_table(i):
    return TABLE[i]


@tessera.jit
def reads_a_global(out_ptr, x):
    tl.store(out_ptr, x * SCALE)


@tessera.jit
def reads_through_a_callee(out_ptr, x):
    tl.store(out_ptr, helper(x))


@tessera.jit
def reads_a_module(out_ptr, x):
    tl.store(out_ptr, x + settings.OFFSET + settings.inner.value)


@tessera.jit
def reads_a_dtype(out_ptr, x):
    tl.store(out_ptr, (x + 0.75).to(KIND))


@tessera.jit
def reads_a_list(out_ptr, x):
    tl.store(out_ptr, x + from_table(1))


def launch(fn, x=7, dtype="float32"):
    out = np.zeros(1, dtype)
    fn[(1, )](out, x)
    return out[0]


@pytest.fixture
def set_global():
    """set_global(name, value) in this module; all is put back at the end."""
    before = {}

    def change(name, value):
        before.setdefault(name, globals()[name])
        globals()[name] = value
    yield change
    globals().update(before)


def test_a_constexpr_global(set_global):
    assert launch(reads_a_global) == 14
    set_global("SCALE", tl.constexpr(3))
    assert launch(reads_a_global) == 21
    assert "'SCALE' changed" in reads_a_global.specializations().why
    set_global("SCALE", tl.constexpr(2))
    assert launch(reads_a_global) == 14
    assert len(reads_a_global.specializations()) == 2


def test_defaults_are_those_of_the_definition():
    size = 4

    @tessera.jit
    def helper(x, B: tl.constexpr = size, factor=3):
        return x + factor * B

    size = 5

    @tessera.jit
    def kernel(out_ptr):
        tl.store(out_ptr, helper(1))

    out = np.zeros(1, "int32")
    kernel[(1, )](out)
    assert out[0] == 13 and size == 5


def test_a_constexpr_that_gets_another_value():
    """The object is the same; what kernels have read of it is not."""
    def make(constant):
        @tessera.jit
        def kernel(out_ptr, x):
            tl.store(out_ptr, x * constant)
        return kernel

    constant = tl.constexpr(3)
    held = types.SimpleNamespace(constant=constant)
    settings.held = held
    kernels = [make(constant), tessera.jit(reads_held.fn)]
    for value in (3, 4, 3, 5):
        constant.value = value
        assert [launch(kernel) for kernel in kernels] == [7 * value] * 2
    assert [len(kernel.specializations()) for kernel in kernels] == [3, 3]


@tessera.jit
def reads_held(out_ptr, x):
    tl.store(out_ptr, x * settings.held.constant)


def test_reasons_of_changes(set_global):
    @tessera.jit
    def fn(out_ptr, x):
        tl.store(out_ptr, x * SCALE)

    launch(fn, 7)
    set_global("SCALE", tl.constexpr(4))
    launch(fn, 7)
    assert fn.specializations().why == "'SCALE' changed, which the kernel reads"
    launch(fn, 16)
    assert fn.specializations().why == "x is 16: divisible by 16, unlike before"
    set_global("SCALE", tl.constexpr(5))
    launch(fn, 1)
    assert fn.specializations().why.endswith("; 'SCALE' changed, which the kernel reads")


def test_an_equal_value_in_a_new_object_compiles_nothing(set_global):
    launch(reads_a_global)
    count = len(reads_a_global.specializations())
    set_global("SCALE", tl.constexpr(2))
    assert launch(reads_a_global) == 14
    assert len(reads_a_global.specializations()) == count


def test_what_a_callee_reads(set_global):
    assert launch(reads_through_a_callee) == 14
    set_global("SCALE", tl.constexpr(5))
    assert launch(reads_through_a_callee) == 35


def test_a_callee_that_is_defined_again(set_global):
    assert launch(reads_through_a_callee) == 14

    @tessera.jit
    def other(x):
        return x + 1000

    set_global("helper", other)
    assert launch(reads_through_a_callee) == 1007


def test_a_module_attribute(monkeypatch):
    assert launch(reads_a_module) == 22
    monkeypatch.setattr(settings, "OFFSET", tl.constexpr(20))
    assert launch(reads_a_module) == 32
    monkeypatch.setattr(settings.inner, "value", 6)
    assert launch(reads_a_module) == 33


def test_a_whole_module(set_global):
    assert launch(reads_a_module) == 22
    set_global("settings", types.SimpleNamespace(OFFSET=tl.constexpr(1), inner=types.SimpleNamespace(value=1)))
    with pytest.raises(tessera.CompilationError):  # an object, which kernels may not read
        launch(reads_a_module)
    other = types.ModuleType("other")
    other.OFFSET, other.inner = tl.constexpr(1), types.SimpleNamespace(value=1)
    set_global("settings", other)
    assert launch(reads_a_module) == 9


def test_a_dtype_alias(set_global):
    assert launch(reads_a_dtype) == 7
    set_global("KIND", tl.float32)
    assert launch(reads_a_dtype) == 7.75


def test_what_a_list_holds():
    assert launch(reads_a_list) == 9
    TABLE[1] = 100
    try:
        assert launch(reads_a_list) == 107
        assert "'TABLE' changed" in reads_a_list.specializations().why
    finally:
        TABLE[1] = 2
    assert launch(reads_a_list) == 9


def test_an_attribute_that_is_made_anew_at_each_look(monkeypatch):
    class Limits:
        size = 1000

        @property
        def limit(self):
            return int(str(self.size))  # another object each time

    limits = Limits()
    holder = types.ModuleType("holder")
    holder.limits = limits

    @tessera.jit
    def fn(out_ptr, x):
        tl.store(out_ptr, x + holder.limits.limit)

    for _ in range(4):
        assert launch(fn) == 1007
    monkeypatch.setattr(tessera.JITFunction, "_guards_changed", None)  # found out: not collected again
    assert launch(fn) == 1007
    monkeypatch.undo()
    limits.size = 2000
    assert launch(fn) == 2007 and len(fn.specializations()) == 2


def test_precompile_uses_what_is_there_now(set_global):
    @tessera.jit
    def fn(out_ptr, x):
        tl.store(out_ptr, x * SCALE)

    assert launch(fn) == 14
    set_global("SCALE", tl.constexpr(3))
    fn.precompile("*fp32", "i32", device="cpu")
    assert launch(fn) == 21
    set_global("SCALE", tl.constexpr(2))
    assert launch(fn) == 14


def test_a_closure():
    factor = tl.constexpr(2)

    @tessera.jit
    def fn(out_ptr, x):
        tl.store(out_ptr, x * factor)

    assert launch(fn) == 14
    factor = tl.constexpr(4)
    assert launch(fn) == 28


def test_a_name_that_appears_later(set_global):
    @tessera.jit
    def fn(out_ptr, x):
        tl.store(out_ptr, max(x, 3) + LATER)  # noqa: F821

    with pytest.raises(tessera.CompilationError, match="LATER"):
        launch(fn)
    globals()["LATER"] = tl.constexpr(1)
    try:
        assert launch(fn) == 8
    finally:
        del globals()["LATER"]
    with pytest.raises(tessera.CompilationError, match="LATER"):
        launch(fn)


def test_plain_globals_are_refused_and_the_message_says_what_to_write():
    limit = 5

    @tessera.jit
    def fn(out_ptr, x):
        tl.store(out_ptr, x + limit)

    with pytest.raises(tessera.CompilationError, match="constexpr"):
        launch(fn)


def test_plain_globals_can_be_allowed(monkeypatch):
    monkeypatch.setenv("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", "1")
    limit = 5

    @tessera.jit
    def fn(out_ptr, x):
        tl.store(out_ptr, x + limit)

    assert launch(fn) == 12


def test_what_a_function_argument_reads(set_global):
    @tessera.jit
    def fn(out_ptr, x, f: tl.constexpr):
        tl.store(out_ptr, f(x))

    out = np.zeros(1, "float32")
    fn[(1, )](out, 7, helper)
    assert out[0] == 14
    set_global("SCALE", tl.constexpr(9))
    fn[(1, )](out, 7, helper)
    assert out[0] == 63


def test_members_that_only_the_compiler_asks_for(monkeypatch):
    @tessera.jit
    def fn(out_ptr, x, NAME: tl.constexpr):
        tl.store(out_ptr, x + getattr(settings, NAME))

    out = np.zeros(1, "float32")
    fn[(1, )](out, 7, "OFFSET")
    assert out[0] == 17
    monkeypatch.setattr(settings, "OFFSET", tl.constexpr(30))
    fn[(1, )](out, 7, "OFFSET")
    assert out[0] == 37


def run_cell(text, number, scope):
    """As a notebook runs a cell."""
    name = f"/tmp/ipykernel_99/{number}.py"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), scope)


def test_a_notebook():
    scope = {"tessera": tessera, "tl": tl, "__name__": "__main__"}
    run_cell("@tessera.jit\ndef helper(x):\n    return x + 1\n", 1, scope)
    run_cell("@tessera.jit\ndef fn(out_ptr, x):\n    tl.store(out_ptr, helper(x))\n", 2, scope)
    assert launch(scope["fn"]) == 8
    run_cell("@tessera.jit\ndef helper(x):\n    return x + 2\n", 3, scope)
    assert launch(scope["fn"]) == 9
    run_cell("@tessera.jit\ndef fn(out_ptr, x):\n    tl.store(out_ptr, helper(x) * 2)\n", 4, scope)
    assert launch(scope["fn"]) == 18


def test_a_module_that_is_imported_again(tmp_path, monkeypatch):
    path = tmp_path / "reloaded_kernels.py"
    text = "import tessera, tessera.language as tl\n@tessera.jit\ndef part(x):\n    return x + {}\n"
    path.write_text(text.format(1))
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("reloaded_kernels")

    @tessera.jit
    def fn(out_ptr, x):
        tl.store(out_ptr, module.part(x))

    assert launch(fn) == 8
    path.write_text(text.format(1000))
    importlib.invalidate_caches()
    importlib.reload(module)
    assert launch(fn) == 1007


def test_the_next_variant_does_not_collect_again_what_has_not_changed(set_global, monkeypatch):
    """And it does so after a change, also of a flag that no guard watches."""
    from tessera.runtime import program
    collected = []
    monkeypatch.setattr(program, "collect_function", lambda fn, extra=None, _own=program.collect_function: collected.append(fn) or _own(fn, extra))

    @tessera.jit
    def kernel(out, N: tl.constexpr):
        tl.store(out, helper(N))

    def launch(n):
        out = np.zeros(1, "f4")
        kernel[(1,)](out, N=n)
        return out[0]
    assert [launch(n) for n in (1, 2, 3)] == [2, 4, 6] and len(collected) == 1
    set_global("SCALE", tl.constexpr(5))
    assert [launch(n) for n in (1, 2, 4)] == [5, 10, 20] and len(collected) == 2
    helper.debug = True
    try:
        assert launch(7) == 35 and len(collected) == 3
    finally:
        helper.debug = None


def test_a_launch_reads_neither_the_record_nor_the_reason():
    @tessera.jit
    def kernel(out, N: tl.constexpr):
        tl.store(out, N)
    for n in (1, 2):
        kernel[(1,)](np.zeros(1, "f4"), N=n)
    last = kernel.specializations()[-1]
    assert not {"record", "metadata", "asm", "name"} & set(vars(last.kernel)) and callable(last._why)
    assert last.why == "N is 2, before 1" and last.kernel.metadata.name == "kernel" and last.kernel.n_spills == 0
