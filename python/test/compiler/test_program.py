"""From live functions to programs (docs/program.md): what is in one, what is not, and what it is called."""
import collections
import dataclasses
import enum
import importlib
import inspect
import json
import linecache
import math
import re
import textwrap
import types
import zipfile
from typing import NamedTuple

import pytest
import tessera
import tessera.language as tl
from tessera.language import load as renamed_load
from tessera.runtime.program import Program

BLOCK = tl.constexpr(64)
PLAIN = 5
UNREAD = 7
HALF = tl.float16
settings = types.ModuleType("settings")
settings.M = tl.constexpr(3)
settings.tile = types.SimpleNamespace(N=7, unread=8)
settings.unread = 9


class Point(NamedTuple):
    x: int
    y: int = 3


OldPoint = collections.namedtuple("OldPoint", "a b")


class Mode(enum.Enum):
    FAST = 1


class Level(enum.IntEnum):
    HIGH = 4


@dataclasses.dataclass(frozen=True)
class Shape:
    rows: int
    columns: int = 2


def plain_helper(n):
    return int(math.log2(n)) + PLAIN


@tessera.constexpr_function
def bits(n):
    return plain_helper(n)


@tessera.jit
def callee(x, n=3, K: tl.constexpr = 2):
    return callee(x) + BLOCK + settings.M + settings.tile.N


@tessera.jit
def kernel(x, n, B: tl.constexpr):
    tl.store(x, callee(n) + bits(B) + math.pi + len((1, 2)))


def program_of(fn, *kinds, constants=None, attrs=None):
    signature = dict(zip(fn.arg_names, kinds or ["i32"] * len(fn.arg_names)))
    return Program(fn, signature, constants or {}, attrs or {})


def read(fn, *kinds, **more):
    return json.loads(program_of(fn, *kinds, **more).text)


def names_of(fn):
    return read(fn)["functions"][0]["names"]


def by_name(program):
    return {function["name"]: function for function in program["functions"]}


# ---- what is in a program ---------------------------------------------------------------------------

def test_a_kernel_and_all_that_it_reaches():
    functions = by_name(read(kernel))
    assert {name: f["kind"] for name, f in functions.items()} == {
        "kernel": "jit", "callee": "jit", "bits": "constexpr", "plain_helper": "plain", "log2": "plain"}
    assert functions["kernel"]["constexprs"] == ["B"]
    assert functions["callee"]["defaults"] == {"n": {"int": "3"}, "K": {"int": "2"}}
    assert "text" not in functions["log2"]
    number = [f["name"] for f in read(kernel)["functions"]].index("callee")
    assert functions["callee"]["names"]["callee"] == {"function": number}


def test_only_what_is_read_is_in_it(monkeypatch):
    before = program_of(kernel).text
    settings.unread, settings.tile.unread = 10, 11
    monkeypatch.setitem(globals(), "UNREAD", 12)
    assert program_of(kernel).text == before
    assert "unread" not in before.lower()
    names = by_name(json.loads(before))["callee"]["names"]
    assert names["settings"] == {"module": "settings", "members": {
        "M": {"constexpr": {"int": "3"}},
        "tile": {"object": "a types.SimpleNamespace", "members": {"N": {"int": "7"}}}}}


def test_builtins_and_unknown_names_are_left_out():
    @tessera.jit
    def fn(x):
        return min(len(x), no_such_name)  # noqa: F821

    assert names_of(fn) == {}


def test_a_global_that_hides_a_builtin_is_named():
    @tessera.jit
    def fn(x):
        return filter(x)

    globals()["filter"] = tl.constexpr(4)
    try:
        assert names_of(fn) == {"filter": {"constexpr": {"int": "4"}}}
    finally:
        del globals()["filter"]


def test_the_closure_comes_before_the_globals():
    BLOCK = tl.constexpr(1)  # noqa: F841 (read through the closure)

    @tessera.jit
    def fn(x):
        return x + BLOCK

    assert names_of(fn) == {"BLOCK": {"constexpr": {"int": "1"}}}


@pytest.mark.parametrize("value, expected", [
    (None, None), (True, True), ("text", "text"), (5, {"int": "5"}), (1 << 70, {"int": str(1 << 70)}), (-1, {"int": "-1"}),
    (1.5, {"float": "0x1.8000000000000p+0"}), (float("inf"), {"float": "inf"}), (float("nan"), {"float": "nan"}),
    (-0.0, {"float": "-0x0.0p+0"}), (HALF, {"dtype": "fp16"}), (tl.pointer_type(tl.float32), {"dtype": "*fp32"}),
    ((1, "a"), {"tuple": [{"int": "1"}, "a"]}), ([None], {"list": [None]}), ({2, 1}, {"set": [{"int": "1"}, {"int": "2"}]}),
    ({"k": 1}, {"dict": [["k", {"int": "1"}]]}), (tl, {"language": "triton.language"}),
    (tl.load, {"language": "triton.language.load"}),
    (tl.math.exp, {"language": tl.math.exp.__tessera_language__}), (tl.constexpr, {"language": "triton.language.constexpr"}),
    (tessera, {"language": "triton"}), (tessera.cdiv, {"language": "triton.cdiv"}),
    (Level.HIGH, {"int": "4"}),
    (Mode.FAST, {"object": "Mode.FAST", "same": f"{__name__}.Mode.FAST", "members": {"name": "FAST", "value": {"int": "1"}}}),
    (Shape(4), {"object": f"a {__name__}.Shape", "members": {"rows": {"int": "4"}, "columns": {"int": "2"}}}),
    (math, {"module": "math", "members": {}}), (object, {"function": 1}), (tl.constexpr(HALF), {"constexpr": {"dtype": "fp16"}}),
])
def test_values(value, expected):
    @tessera.jit
    def fn(x):
        return x + value

    assert names_of(fn) == {"value": expected}


def test_what_is_imported_by_name():
    @tessera.jit
    def fn(x):
        return renamed_load(x)

    assert names_of(fn) == {"renamed_load": {"language": "triton.language.load"}}


def test_objects_are_described_without_addresses():
    thing = object()

    @tessera.jit
    def fn(x):
        return thing

    assert names_of(fn) == {"thing": {"object": "an object", "members": {}}}


class NoHash(type):
    __hash__ = None


class Hostile(metaclass=NoHash):
    def __getattr__(self, name):
        raise RuntimeError(f"no {name}")

    def __eq__(self, other):
        raise RuntimeError("not comparable")

    __hash__ = None


def test_objects_that_refuse_everything():
    hostile = Hostile()

    @tessera.jit
    def fn(x):
        return hostile

    assert names_of(fn) == {"hostile": {"object": f"a {__name__}.Hostile", "members": {}}}


def test_containers_that_hold_themselves():
    endless = []
    endless.append(endless)

    @tessera.jit
    def fn(x):
        return endless

    assert names_of(fn)


def test_classes():
    @tessera.jit
    def fn(x):
        return Point(1, 2), OldPoint(3, 4), Mode.FAST

    program = read(fn)
    point, old, mode = sorted(program["classes"], key=lambda c: ["Point", "OldPoint", "Mode"].index(c["name"]))
    assert point["kind"] == old["kind"] == "namedtuple"
    assert point["fields"] == ["x", "y"] and point["defaults"] == {"y": {"int": "3"}}
    assert point["text"].startswith("class Point(NamedTuple):") and "text" not in old
    assert mode["kind"] == "plain" and list(mode["members"]) == ["FAST"]


def test_aggregates():
    @tl.core._aggregate
    class Pair:
        first: tl.tensor
        second: tl.constexpr

        @tessera.jit
        def __init__(self, first, second):
            self.first = first
            self.second = second

        @tessera.jit
        def total(self):
            return self.first + self.second + BLOCK

    @tessera.jit
    def fn(x):
        return Pair(x, 1).total()

    program = read(fn)
    (pair, ) = program["classes"]
    assert pair["kind"] == "aggregate" and pair["fields"] == ["first", "second"]
    assert set(pair["members"]) == {"__init__", "total"}
    total = program["functions"][pair["members"]["total"]["function"]]
    assert total["kind"] == "jit" and total["names"] == {"BLOCK": {"constexpr": {"int": "64"}}}
    assert total["text"].startswith("        def total(self):")


def test_a_tuned_callee_is_the_function_inside():
    class Tuner(tessera.KernelInterface):
        fn = callee

    tuned = Tuner()

    @tessera.jit
    def fn(x):
        return tuned(x)

    assert by_name(read(fn))["callee"]["kind"] == "jit"


def test_must_use_result_and_noinline():
    @tessera.must_use_result("keep it")
    @tessera.jit(noinline=True)
    def inner(x):
        return x

    @tessera.jit
    def fn(x):
        return inner(x)

    entry = by_name(read(fn))["inner"]
    assert entry["must_use_result"] == "keep it" and entry["noinline"] is True


# ---- the text -----------------------------------------------------------------------------------------

def decorated(*_):
    return lambda fn: fn


@tessera.jit
@decorated("def kernel(",
           2)
def with_decorators(
    x,
    y,
):
    """A docstring,
over lines."""
    if x:
        return (y +
1)
    # a comment at the end


AFTER = 1


def test_the_text_is_exact():
    entry = read(with_decorators)["functions"][0]
    lines = open(__file__, encoding="utf-8").read().splitlines()
    assert lines[entry["line"] - 1] == "def with_decorators("
    assert entry["text"].splitlines() == lines[entry["line"] - 1:entry["line"] + 9]
    assert with_decorators.src.startswith("def with_decorators(")
    assert with_decorators.raw_src[0].startswith("@tessera.jit")


def test_indentation_and_lines_stay():
    class Holder:
        @staticmethod
        @tessera.jit
        def method(x):
            return x

    entry = read(Holder.method)["functions"][0]
    assert entry["text"].startswith("        def method(x):\n            return x")
    assert Holder.method.src.startswith("def method(x):\n    return x")


def test_code_that_python_drops_is_part_of_the_text():
    @tessera.jit
    def fn(x):
        return x
        if False:
            y = ("a bracket that goes left",
1)

    assert read(fn)["functions"][0]["text"].rstrip().endswith("1)")


def test_an_edit_of_the_file_after_the_import_does_not_matter(tmp_path, monkeypatch):
    path = tmp_path / "edited_later.py"
    path.write_text("import tessera\n@tessera.jit\ndef fn(x):\n    return x + 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("edited_later")
    path.write_text("import tessera\n\n\n@tessera.jit\ndef fn(x):\n    return x + 2, 'another text'\n")
    linecache.checkcache()
    assert module.fn.src == "def fn(x):\n    return x + 1\n"
    importlib.invalidate_caches()
    assert importlib.reload(module).fn.src == "def fn(x):\n    return x + 2, 'another text'\n"


@pytest.mark.parametrize("text", [
    "@tessera.jit\ndef fn(x): return x\n",
    "@tessera.jit\ndef fn(x): return x",
    "if True:\n\t@tessera.jit\n\tdef fn(x):\n\t\ty = x\n\t\treturn y\n",
    "@tessera.jit\ndef fn(x):\n    y = x; \\\n    z = y\n    return '''a\nb''' if x else z\n",
    "@tessera.jit  # def fn(\n@tessera.must_use_result\n\n# a remark\n"
    "def fn(x,\n\n   # another\n   y=(1,\n  2)): # more\n    return (\n x)\n",
    "class A:\n  class B:\n    @staticmethod\n    @tessera.jit\n"
    "    def fn(x):\n      # déjà vu\n      return f'{x}'\n  fn = B.fn\nfn = A.fn\n",
    "@tessera.jit\ndef fn(x):\n    pass\n# after\nother = 1\n",
    "@tessera.jit\ndef fn(\n    x,\n    y=1,\n):\n    y = x\n# a remark at the margin\n\n    return y\n\n\nother = 1\n",
    "@tessera.jit\ndef fn(x):\n    y = f(\n        x\n)\n    text = '''\nat the margin\n# and no remark\n'''\n    return y\n",
    "@tessera.jit\ndef fn(x):\n    return x + \\\n1\nother = 1\n",
    "if True:\n\t@tessera.jit\n\tdef fn(x):\n            y = x\n            return y\n\tother = 1\n",
    "@tessera.jit\ndef fn(x):\n    return x\n\fother = 1\n",
    "@tessera.jit\ndef fn(x):\n    return g(x,\n1\n)\nother = 1\n",
    "def wrap():\n    z = 1\n    @tessera.jit\n    def fn(x):\n        def inner(a):\n            return a\n        # last\n"
    "        return inner(x) + z\n    # not of fn\n    return fn\nfn = wrap()\n",
])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_shapes_of_texts(text, ending, tmp_path, monkeypatch):
    name = f"shaped{abs(hash(text + ending))}"
    (tmp_path / f"{name}.py").write_bytes(f"import tessera\n{text}".replace("\n", ending).encode())
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module(name)
    entry = read(module.fn)["functions"][0]
    block = inspect.getblock(inspect.getsource(module).splitlines(True)[entry["line"] - 1:])
    assert entry["text"].rstrip() == "".join(block).rstrip() and re.match(r"\s*def fn\(", entry["text"])


def test_a_module_in_an_archive(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "library.zip", "w") as archive:
        archive.writestr("in_an_archive.py", "import tessera\n\n\n@tessera.jit\ndef fn(x):\n    return x + 1\n")
    monkeypatch.syspath_prepend(tmp_path / "library.zip")
    entry = read(importlib.import_module("in_an_archive").fn)["functions"][0]
    assert entry["line"] == 5 and entry["text"] == "def fn(x):\n    return x + 1\n"


def execute(text, name):
    scope = {"tessera": tessera, "tl": tl, "__name__": "executed"}
    exec(compile(text, name, "exec"), scope)
    return scope


def test_exec_with_a_linecache_entry():
    text = "@tessera.jit\ndef fn(x):\n    return x + 1\n"
    name = "/tmp/ipykernel_4711/1234.py"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    entry = read(execute(text, name)["fn"])["functions"][0]
    assert (entry["path"], entry["line"], entry["text"]) == ("ipykernel/1234.py", 2, "def fn(x):\n    return x + 1\n")


def test_without_a_source_there_is_an_error_that_says_so():
    with pytest.raises(ValueError, match="source of 'fn' is not available.*file or a notebook.*linecache"):
        execute("@tessera.jit\ndef fn(x):\n    return x + 1\n", "<nowhere>")


def test_a_lambda_has_no_text():
    with pytest.raises(ValueError, match="not made by a def statement"):
        read(tessera.jit(lambda x: x))


# ---- arguments ----------------------------------------------------------------------------------------

def test_arguments():
    @tessera.jit
    def fn(x, n, t, p, B: tl.constexpr, g: tl.constexpr):
        return x

    program = read(fn, "*fp32", "i32", ("i32", "constexpr", ("*fp16", )), Point("i32", "constexpr"), "constexpr", "constexpr",
                   constants={(2, 1): None, (3, 1): 1, (4, ): 1.0, (5, ): callee},
                   attrs={(0, ): [["tt.divisibility", 16]], (1, ): [], (2, 2, 0): [["tt.divisibility", 16]]})
    functions = [function["name"] for function in program["functions"]]
    assert program["arguments"] == [
        "*fp32:16", "i32", {"tuple": ["i32", {"constant": None}, {"tuple": ["*fp16:16"]}]},
        {"tuple": ["i32", {"constant": {"int": "1"}}], "class": 0}, {"constant": {"float": "0x1.0000000000000p+0"}},
        {"constant": {"function": functions.index("callee")}}]
    assert program["classes"][0]["name"] == "Point" and program["kernel"] == 0


def test_the_symbol():
    @tessera.jit(repr=lambda proxy: f"fn_{proxy.constants['B']}_{proxy.signature['x'][1:]}")
    def fn(x, B: tl.constexpr):
        return x

    assert read(fn, "*fp32", "constexpr", constants={(1, ): 64})["symbol"] == "fn_64_fp32"
    with pytest.raises(ValueError, match="gave 'fn_a b_fp32'"):
        read(fn, "*fp32", "constexpr", constants={(1, ): "a b"})
    assert "symbol" not in read(kernel)


@pytest.mark.parametrize("value", [
    0, -1, 1 << 80, True, False, None, 1.5, -0.0, 0.1, math.inf, -math.inf, math.nan, "", "a", "\"\\\n\u00e9\U0001F600", (), (1, ), HALF, 5j,
    tl.constexpr(5), tl.constexpr("a"), tl.constexpr(None), tl.constexpr(tl.constexpr(5)), tl.constexpr((1, 2)), Level.HIGH, Mode.FAST,
    callee, type("Int", (int, ), {})(3), type("Text", (str, ), {})("b"), type("Float", (float, ), {})(2.5)], ids=repr)
def test_plain_constants_have_a_short_way(value, monkeypatch):
    """Numbers and strings need no collector; the program is the same that the collector writes."""
    def texts():
        attrs = {(0, ): [["tt.divisibility", 16]], (1, ): [("tt.divisibility", 16)], (2, ): [["tt.pointer_range", 32], ["tt.divisibility", 16]],
                 (4, ): [["tt.pointer_range", 32]], (5, ): []}
        kinds = ["*fp32", "i32", "*kfp16", "constexpr", "i64", "*i8", "i32", "tensordesc<fp16[64, 64]>"]
        signature = dict(zip("abcdefgh", kinds))
        return [Program(kernel, signature, constants, attrs, plain_globals=plain).text
                for constants in ({(3, ): value}, {(3, ): value, (6, ): value}) for plain in (False, True)]

    short = texts()
    monkeypatch.setattr(Program, "_collect_plainly", lambda self, base: False)
    assert texts() == short


def test_variants_share_what_was_collected():
    """Of a function alone: what an argument brings along is not part of other variants."""
    first, second = program_of(kernel, constants={(2, ): 1}), program_of(kernel, constants={(2, ): 2})
    assert first.functions is second.functions and first.base_guards is second.base_guards
    with_function = program_of(kernel, constants={(2, ): plain_helper})
    assert program_of(kernel, constants={(2, ): 1}).text == first.text
    assert not first.own_guards and with_function.functions is not None
    assert program_of(kernel, constants={(2, ): plain_helper}).text == with_function.text


# ---- questions ----------------------------------------------------------------------------------------

def test_members_are_added_when_they_are_asked_for():
    @tessera.jit
    def fn(x):
        return getattr(settings, x)

    program = program_of(fn)
    first = program.text
    program.answer([{"member": {"function": 0, "path": ["settings", name]}} for name in ("M", "no")])
    members = json.loads(program.text)["functions"][0]["names"]["settings"]["members"]
    assert members["M"] == {"constexpr": {"int": "3"}} and members["no"] == {"absent": True}
    assert [guard[1] for guard in program.own_guards.values()] == ["M", "no"]
    again = program_of(fn)
    assert again.text == program.text != first  # not asked twice


def test_calls_are_made_once():
    calls = []

    @tessera.constexpr_function
    def opaque(n, scale=1):
        calls.append(n)
        return n * scale

    @tessera.jit
    def fn(x):
        return opaque(x)

    asked = [{"call": {"function": 1, "arguments": [{"int": "5"}], "keywords": {"scale": {"constexpr": {"int": "2"}}}}}]
    program = program_of(fn)
    program.answer(asked)
    assert json.loads(program.text)["calls"] == [
        {"function": 1, "arguments": [{"int": "5"}], "keywords": {"scale": {"constexpr": {"int": "2"}}}, "result": {"int": "10"}}]
    other = program_of(fn, "i64")
    other.answer(asked)
    assert calls == [5]


def test_bound_methods_are_the_same_function_at_each_look():
    @dataclasses.dataclass(frozen=True)
    class Tile:
        rows: int

        def area(self):
            return self.rows ** 2

    tile, table = Tile(4), {"a": 1}

    @tessera.jit
    def fn(x):
        return tile.area() + table.get("a")

    program = program_of(fn)
    area = json.loads(program.text)["functions"][0]["names"]["tile"]["members"]["area"]["function"]
    program.answer([{"call": {"function": area, "arguments": [], "keywords": {}}}])
    after = json.loads(program.text)
    assert after["calls"] == [{"function": area, "arguments": [], "keywords": {}, "result": {"int": "16"}}]
    assert after["functions"][0]["names"]["tile"]["members"]["area"]["function"] == area
    with pytest.raises(RuntimeError, match="asks again about 'area' what was answered"):
        program.answer([{"call": {"function": area, "arguments": [], "keywords": {}}}])


def test_what_a_call_raises_is_its_answer():
    program = program_of(kernel)
    number = [function["name"] for function in json.loads(program.text)["functions"]].index("log2")
    program.answer([{"call": {"function": number, "arguments": [{"int": "0"}], "keywords": {}}}])
    assert json.loads(program.text)["calls"][0]["raises"].startswith("ValueError: ")


def test_results_that_are_objects_bring_their_attributes(numpy):
    @tessera.jit
    def fn(x):
        return numpy.finfo("float32").eps

    program = program_of(fn)
    entry = json.loads(program.text)["functions"][0]["names"]["numpy"]["members"]["finfo"]
    program.answer([{"call": {"function": entry["function"], "arguments": ["float32"], "keywords": {}}}])
    result = json.loads(program.text)["calls"][0]["result"]
    assert result["members"]["bits"] == {"int": "32"}


# ---- determinism ----------------------------------------------------------------------------------------

PRINTS_A_PROGRAM = """
    import sys, tessera, tessera.language as tl
    from tessera.runtime.program import Program
    CHOICES = {"one", "two", "three", "four", tl.float32}
    A, B, C, D = (tl.constexpr(i) for i in range(4))
    @tessera.constexpr_function
    def pick(n):
        return n in CHOICES
    @tessera.jit
    def other(x):
        return x + A + D
    @tessera.jit
    def fn(x):
        return other(x) + B + C + pick(x)
    if len(sys.argv) > 1:
        other.cache_key                       # what was collected before must not show
        Program(other, {"x": "i32"}, {}, {})
    print(Program(fn, {"x": "i32"}, {}, {}).text, fn.cache_key)
"""


def test_equal_programs_have_equal_texts_in_every_process(snippet):
    text = textwrap.dedent(PRINTS_A_PROGRAM)
    outputs = {snippet(text, *arguments, name="same.py", env={"PYTHONHASHSEED": seed}).stdout
               for arguments, seed in (((), "1"), ((), "2"), (("more", ), "3"))}
    assert len(outputs) == 1 and len(outputs.pop()) > 300


# ---- beside real Triton -------------------------------------------------------------------------------

def test_objects_of_triton_itself(triton):
    their_tl = importlib.import_module("triton.language")
    if their_tl is tl:
        pytest.skip("the drop-in is installed as triton")
    theirs = triton.jit(plain_helper)
    block, kind, sums = their_tl.constexpr(8), their_tl.int32, their_tl.sum

    @tessera.jit
    def fn(x):
        return theirs(x) + block + their_tl.load(x) + kind + sums(x) + triton.cdiv(x, 2)

    names = names_of(fn)
    assert names["their_tl"] == {"language": "triton.language"} and names["triton"] == {"language": "triton"}
    assert names["sums"] == {"language": "triton.language.sum"}
    assert names["block"] == {"constexpr": {"int": "8"}} and names["kind"] == {"dtype": "i32"}
    assert by_name(read(fn))["plain_helper"]["kind"] == "jit"


def test_results_of_calls_outlive_their_reading(snippet, numpy):
    """What is freed too early is overwritten here (MALLOC_PERTURB_)."""
    snippet("""
import numpy, tessera, tessera.language as tl

@tessera.jit
def kernel(x):
    tl.store(x, numpy.finfo("float32").bits + numpy.finfo("float16").bits)

x = numpy.zeros(1, "int32")
kernel[(1,)](x)
assert x[0] == 48
""", flags=["-X", "faulthandler"], env={"MALLOC_PERTURB_": "165"})


def test_members_of_classes_outlive_their_reading(snippet, numpy):
    snippet("""
import enum, numpy, tessera, tessera.language as tl

class Mode(enum.Enum):
    FAST = 5
    SLOW = 7

@tessera.constexpr_function
def speed():
    return Mode.FAST.value + Mode.SLOW.value

@tessera.jit
def kernel(x):
    tl.store(x, speed())

x = numpy.zeros(1, "int32")
kernel[(1,)](x)
assert x[0] == 12
""", flags=["-X", "faulthandler"], env={"MALLOC_PERTURB_": "165"})
