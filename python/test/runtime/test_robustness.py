"""Nothing that a caller passes ends the process: hostile arguments, damaged programs, objects whose methods reach back into the
launch that is going on, and no references lost on the way. What may crash runs in a process of its own."""
import gc
import json
import os
import sys

import numpy as np
import pytest
from places import HERE

import tessera
import tessera.language as tl
from tessera import _native

CHECKED = {"PYTHONMALLOC": os.environ.get("PYTHONMALLOC", "debug")}  # what is freed is overwritten


@pytest.mark.parametrize("seed", range(3))
def test_hostile_arguments(python_process, seed):
    done = python_process("-X", "faulthandler", os.path.join(HERE, "hostile_arguments.py"), seed, 400,
                          env=CHECKED)
    counts = json.loads(done.stdout)
    assert counts["launched"] > 20 and sum(counts.values()) == 400, counts


@pytest.mark.parametrize("seed", range(3))
def test_damaged_programs(python_process, seed):
    done = python_process("-X", "faulthandler", os.path.join(HERE, "damaged_programs.py"), seed, 400)
    counts = json.loads(done.stdout)
    assert counts["compiled"] > 20 and sum(counts.values()) == 400 and "70" not in counts, counts


HEAD = """
import gc, sys
import numpy as np
import tessera
import tessera.language as tl
from tessera.tools.tensor_descriptor import TensorDescriptor

@tessera.jit
def nothing(a, b=None, C: tl.constexpr = 0):
    pass

x = np.zeros((8, 16), "float32")
nothing[(1,)](x)

def raises(kind, call):
    try:
        call()
    except kind as problem:
        return str(problem)
    raise AssertionError(f"no {kind}")
"""

REACHING_BACK = {
    "launches_within_launches": """
from tessera import _native
_native.set_default_device("cpu")  # the pointers do not say where they are
class Pointer:
    dtype = "float32"
    depth = 0
    def data_ptr(self):
        if Pointer.depth < 50:
            Pointer.depth += 1
            nothing[(1,)](self, (self, x), C=Pointer.depth)
        return x.ctypes.data
nothing[(1,)](Pointer())
""",
    "endless_recursion": """
class Pointer:
    dtype = "float32"
    def data_ptr(self):
        nothing[(1,)](self)
raises(RecursionError, lambda: nothing[(1,)](Pointer()))
""",
    "interrupts_pass_through": """
class Pointer:
    dtype = "float32"
    def data_ptr(self):
        raise KeyboardInterrupt
raises(KeyboardInterrupt, lambda: nothing[(1,)](Pointer()))
raises(KeyboardInterrupt, lambda: nothing[lambda meta: Pointer().data_ptr()](x))
""",
    "variants_cleared_while_compared": """
class Value:
    def __init__(self, n):
        self.n = n
    def __hash__(self):
        return 0
    def __eq__(self, other):
        nothing._clear_variants()
        return self.n == other.n
    def __repr__(self):
        return f"Value({self.n})"
for round in range(20):
    for n in range(4):
        try:
            nothing[(1,)](x, C=Value(n))
        except Exception:
            pass
""",
    "variants_added_while_compared": """
class Value:
    added = 0
    def __hash__(self):
        return 0
    def __eq__(self, other):
        if Value.added < 30:
            Value.added += 1
            nothing[(1,)](x, C=100 + Value.added)
        return self is other
for _ in range(5):
    try:
        nothing[(1,)](x, C=Value())
    except Exception:
        pass
""",
    "comparisons_that_fail": """
class Value:
    def __hash__(self):
        return 0
    def __eq__(self, other):
        raise ZeroDivisionError
class Unhashable:
    __hash__ = None
for make in (Value, Unhashable, list, dict):
    for _ in range(3):
        try:
            nothing[(1,)](x, C=make())
        except Exception as problem:
            assert not isinstance(problem, SystemError), problem
""",
    "interface_cleared_while_read": """
class Truth:
    def __bool__(self):
        interface.clear()
        gc.collect()
        return False
class Array:
    @property
    def __array_interface__(self):
        return interface
interface = {"data": (x.ctypes.data, Truth()), "typestr": "<" + "f4", "shape": (3,), "version": 3}
nothing[(1,)](Array())
""",
    "descriptor_changed_while_read": """
d = TensorDescriptor.from_tensor(x, [4, 16])
class Extent:
    def __index__(self):
        d.shape = d.strides = d.base = None
        shape.clear()
        gc.collect()
        return 8
shape = [Extent(), 16]
d.shape = shape
try:
    nothing[(1,)](d)
except Exception as problem:
    assert not isinstance(problem, SystemError), problem
""",
    "arguments_freed_by_the_grid": """
def grid(meta):
    meta.clear()
    nothing._clear_variants()
    gc.collect()
    return (1,)
for _ in range(5):
    nothing[grid](np.zeros(100, "float32"), (np.zeros(5, "int8"),), C=(1, "two"))
""",
    "finalizers_that_launch": """
class Late:
    def __del__(self):
        nothing[(1,)](x, C="late")
def grid(meta):
    Late()
    return (1,)
nothing[grid](x)
cycle = [Late()]
cycle.append(cycle)
del cycle
for n in range(200):
    nothing[(1,)](x, C=n % 3)
gc.collect()
""",
    "kernels_of_kernels": """
nothing[(1,)](nothing, (nothing, nothing), C=nothing)
raises(Exception, lambda: nothing[nothing](x))
""",
    "grids_without_an_end": """
class Endless:
    def __getitem__(self, i):
        return 1
class Claims(Endless):
    def __len__(self):
        return 2
class Fails(Endless):
    def __len__(self):
        raise ZeroDivisionError
for grid in (Endless(), nothing, range(10**12)):
    raises((TypeError, ValueError), lambda: nothing[lambda meta: grid](x))
raises(TypeError, lambda: nothing[Endless()](x))
raises(ZeroDivisionError, lambda: nothing[Fails()](x))
nothing[Claims()](x)
""",
    "tracers_and_profilers": """
def tracer(frame, event, arg):
    frame.f_locals
    return tracer
def failing(frame, event, arg):
    failing.left -= 1
    if failing.left < 0:
        raise KeyError("tracer")
    return failing
sys.settrace(tracer)
sys.setprofile(lambda *given: None)
nothing[(1,)](x, C="traced")
for count in range(0, 400, 20):  # fails in the middle of a compilation, here and there
    failing.left = count
    sys.settrace(failing)
    try:
        nothing[(1,)](x, C=count)
    except KeyError:
        pass
    sys.settrace(None)
    nothing[(1,)](x, C=count)
""",
    "handlers_that_raise": """
import signal
def handler(number, frame):
    handler.calls += 1
    nothing[(1,)](x, C="in a handler")
    if handler.calls % 3 == 0:
        raise ValueError("handled")
handler.calls = 0
signal.signal(signal.SIGALRM, handler)
done = 0
while done < 60:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005 * (1 + done % 8))
        nothing[(64,)](x, C=done)
        done += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
    except ValueError as problem:
        assert str(problem) == "handled"
""",
    "source_that_is_gone": """
import importlib, os, tempfile
folder = tempfile.mkdtemp()
sys.path.insert(0, folder)
path = os.path.join(folder, "gone.py")
text = "import tessera, tessera.language as tl\\n" \
       "@tessera.jit\\ndef kernel(x, N: tl.constexpr):\\n    tl.store(x, helper(N))\\n" \
       "@tessera.jit\\ndef helper(N: tl.constexpr):\\n    return N * 2.0\\n"
sys.dont_write_bytecode = True
for n, later in enumerate(["", "# nothing", "\\0", text.replace("2.0", "5.0"), None]):
    with open(path, "w") as file:
        file.write(text)
    sys.modules.pop("gone", None)
    importlib.invalidate_caches()
    import gone
    os.unlink(path)
    if later is not None:
        with open(path, "w") as file:
            file.write(later)
    gone.kernel[(1,)](x, n + 3)  # the module is what was imported
    assert x[0, 0] == 2 * (n + 3), later
""",
    "named_tuples_that_are_none": """
class Odd(tuple):
    _fields = ("a", "b")
for make in (None, 5, classmethod(lambda cls, items: 5), classmethod(lambda cls, items: ())):
    Odd._make = make
    try:
        nothing[(1,)](Odd((1, 2, 3)))
    except Exception as problem:
        assert not isinstance(problem, SystemError), problem
""",
    "long_tuples": """
nothing[(1,)](tuple(range(2, 3000)))
raises(Exception, lambda: nothing[(1,)]((None,) * (1 << 23)))
""",
    "lying_types": """
class Liar:
    __class__ = tuple
class Liar2:
    __class__ = int
class Index:
    def __index__(self):
        return 1
for value in (Liar(), Liar2(), Index()):
    raises(TypeError, lambda: nothing[(1,)](value))
nothing[(Index(),)](x)
""",
}


@pytest.mark.parametrize("name", REACHING_BACK)
def test_reaching_back(snippet, name):
    snippet(HEAD + REACHING_BACK[name], flags=["-X", "faulthandler"], env=CHECKED)


SUB_INTERPRETERS = """
import gc, sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

KERNEL = f"import sys; sys.path[:0] = {sys.path!r}" + '''
import ctypes, linecache, tessera, tessera.language as tl
text = "def kernel(x, C: tl.constexpr): tl.store(x, C)"
linecache.cache["<kernel>"] = (len(text), None, [text], "<kernel>")
exec(compile(text, "<kernel>", "exec"))
kernel = tessera.jit(kernel)
memory = (ctypes.c_float * 4)()
class Array:
    __array_interface__ = {"data": (ctypes.addressof(memory), False), "typestr": "<f4", "shape": (4,), "version": 3}
for n in range(3):
    kernel[(1,)](Array(), n + 1)
assert memory[0] == 3
try:
    kernel[(1,)](object(), 1)
except TypeError:
    pass
'''

def make():
    for how in ({"isolated": False}, {"config": "legacy"}):
        try:
            return interpreters.create(**how)
        except TypeError:
            pass
    return interpreters.create()

def run(interpreter):
    problem = interpreters.run_string(interpreter, KERNEL)
    assert problem is None, problem

first = make()
if sys.argv[1] == "first":
    run(first)
    interpreters.destroy(first)
    exec(KERNEL)
else:
    exec(KERNEL)
    run(first)
    interpreters.destroy(first)
gc.collect()
for n in range(3):
    kernel[(1,)](Array(), n + 10)
second = make()
run(second)
kernel[(1,)](Array(), 77)
assert memory[0] == 77

import threading
thread = threading.Thread(target=lambda: kernel[(1,)](Array(), 78), daemon=True)
thread.start()
thread.join(300)
assert memory[0] == 78
"""


@pytest.mark.parametrize("order", ["first", "last"])
def test_sub_interpreters(snippet, order):
    """One that goes takes nothing along that the others need."""
    snippet(SUB_INTERPRETERS, order, flags=["-X", "faulthandler"], env=CHECKED)


@tessera.jit
def nothing(a, b=None, C: tl.constexpr = 0):
    pass


def test_references_are_kept_and_given_back():
    """Launches, misses and errors alike leave every object's count of references as it was."""
    array, number, pair, text = np.zeros(64, "float32"), 1 << 40, (3, 5.5), "a text that nobody else has"
    objects = [array, number, pair, text, nothing]

    def call():
        nothing[(1,)](array, pair, C=text)
        nothing[lambda meta: (1,)](number, (array, pair, None), C=text)
        nothing.warmup(array, pair, C=text, grid=(1,))
        for bad in [lambda: nothing[(1,)](array, object()), lambda: nothing[(1,)](pair, (array, [])),
                    lambda: nothing[("x",)](array), lambda: nothing[(1,)](array, array, text, 7),
                    lambda: nothing[(1,)](array, unknown=text)]:
            with pytest.raises(Exception):
                bad()

    for _ in range(3):  # what is compiled and remembered once
        call()
    gc.collect()
    before = [sys.getrefcount(each) for each in objects]
    for _ in range(50):
        call()
    gc.collect()
    after = [sys.getrefcount(each) for each in objects]
    assert after == before


def test_no_memory_is_lost():
    """Ten thousand launches and ten thousand refusals grow nothing."""
    array = np.zeros(64, "float32")

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1])

    def work(count):
        for n in range(count):
            nothing[(1,)](array, (n, (array, 2.5)))
            try:
                nothing[(1,)](array, (n, [array]))
            except TypeError:
                pass

    work(2000)
    gc.collect()
    before = resident()
    work(10000)
    gc.collect()
    assert (resident() - before) * os.sysconf("SC_PAGESIZE") < 2 << 20


def compiling(*arguments):
    return lambda: _native.Session({}).compile_program(*arguments)


def parameters(described):
    return lambda: _native.Launchable()._set_parameters("k", described)


@pytest.mark.parametrize("call", [
    lambda: _native.Session({"cache-dir": 5}), lambda: _native.Session({"nonsense": "x"}), lambda: _native.Session(5),
    compiling("", "cpu"), compiling("[]", "cpu"), compiling("{}", "nowhere"), compiling("{}", "cpu", "x=1"),
    compiling("{}", "cpu", '{"num-warps": {}}'), compiling("{}", "cpu", "{"), compiling("{}", "cpu", "", "nonsense"),
    compiling("[" * 100000, "cpu"), compiling("\ud800", "cpu"), compiling("a\0b", "cpu"), compiling(5, 5), compiling(),
    lambda: _native.Session({}).compile_file("no/such/file.py", None, None, None, "cpu"),
    lambda: _native.Device("nowhere"), lambda: _native.Device("cpu", "threads=0"), lambda: _native.Device("cuda:9999"),
    lambda: _native.Device(5), lambda: _native.Device("cpu").load(5), lambda: _native.Device("cpu").property(5),
    lambda: _native.Device("cpu").can_access("x"), _native.Kernel, _native.LoadedKernel, lambda: _native.Variant(1, 2),
    lambda: _native.Launchable()[1](2), lambda: _native.Launchable()._launch((1,), (), {5: 5}),
    parameters(5), parameters([("a",)]), parameters([("a", 0, "no type", False, None)]),
    lambda: _native.references("def f(:", "x.py", 1), lambda: _native.references(5, "x.py", 1),
    lambda: _native.register_type("x", int), lambda: _native.register_type("descriptor", 5),
    lambda: _native.set_default_device("gpu"), lambda: _native.set_default_device(5), lambda: _native.current_stream("x"),
])
def test_misuse_of_the_extension(call):
    with pytest.raises(Exception) as caught:
        call()
    assert not isinstance(caught.value, SystemError), caught.value
    assert str(caught.value)


def test_launching_a_loaded_kernel_by_hand():
    kernel = nothing.warmup(np.zeros(4, "float32"), (5, 2.5), grid=(1,))
    loaded = _native.Device("cpu").load(kernel._native_kernel)
    loaded.launch(1, 1, 1, 0, (np.zeros(4, "float32"), (5, 2.5)))
    for values in [(), (1, 2), (np.zeros(4), (5, "x")), (np.zeros(4), (5, 2.5), 3), (object(), (5, 2.5)), ((), (), ()),
                   (np.zeros(4), (2**40, 2.5))]:
        with pytest.raises((TypeError, ValueError, OverflowError)):
            loaded.launch(1, 1, 1, 0, values)
    for grid in [(-1, 1, 1), (2**31, 1, 1), (2**40, 1, 1)]:
        with pytest.raises((ValueError, OverflowError)):
            loaded.launch(*grid, 0, (np.zeros(4, "float32"), (5, 2.5)))
