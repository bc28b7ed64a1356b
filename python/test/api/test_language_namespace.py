"""tessera.language offers what the compiler knows, and all that Triton's language has.

Which names there are is decided by the compiler's tables (lib/SourceToTTIR). They are read here from its sources: rows such as
`{"triton.language.load", kLoad, load}` with `Parameter kLoad[] = {{"pointer"}, {"mask", Default::None}, ...}`, the standard
library's Python files, and Libdevice.def. The signatures that the stubs give must be those of the tables.
"""
import ast
import glob
import importlib
import inspect
import json
import os
import pickle
import re

import pytest
from conftest import ROOT

import tessera.language as tl

FRONTEND = os.path.join(ROOT, "lib", "SourceToTTIR")
needs_sources = pytest.mark.skipif(not os.path.isdir(FRONTEND), reason="the compiler's sources are not here")

MODULES = ["", "core", "math", "random", "standard", "semantic", "target_info", "extra", "extra.libdevice", "extra.cuda",
           "extra.cuda.gdc", "extra.cuda.libdevice", "extra.cuda.utils", "extra.hip", "extra.hip.libdevice", "extra.hip.utils"]

# Offered, although the compiler does not know them, and why.
UNKNOWN_TO_COMPILER = {
    r"extra\.hip(\..*)?": "modules that import AMD's names must load",
    r"extra\.libdevice\.fast_tanhf": "in AMD's library alone",
    r"semantic": "imported by tools; kernels have no use for it",
    r"slice_type|tensor_descriptor_base(_type)?": "base classes that host code names; kernels get the derived ones",
    r"core\._aggregate": "a decorator of classes, which the host applies",
}
# Known, and not a name that Python code could import.
NOT_A_NAME = {
    r"dtype\..*": "methods of dtypes, which are Python's own on the host",
    r"tensor\.logical_(and|or)": "methods only",
    r"tensor_descriptor\..*": "methods only",
}


def modules():
    return [importlib.import_module(("tessera.language." + name).rstrip(".")) for name in MODULES]


def is_listed(path, table):
    return any(re.fullmatch(pattern, path) for pattern in table)


def offered():
    """Path below triton.language -> the object."""
    found = {}
    for module in modules():
        for name in dir(module):
            each = getattr(module, name)
            path = getattr(each, "__tessera_language__", None)
            if path is not None and path != "triton.language":
                found[path[len("triton.language."):]] = each
    return found


# ---- the compiler's tables ------------------------------------------------------------------------

DEFAULTS = {"None": None, "False": False, "True": True, "Zero": 0, "One": 1, "EmptyString": "", "EmptyTuple": (),
            "Float32": tl.float32, "PropagateNan": tl.PropagateNan.NONE}
REQUIRED = inspect.Parameter.empty


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def parameter_tables(text):
    """kLoad -> [("pointer", required), ("mask", None), ...]; a variadic one as ("*shape", required)."""
    tables = {}
    for name, rows in re.findall(r"constexpr Parameter (\w+)\[\]\s*=\s*\{(.*?)\};", text, re.S):
        parameters = []
        for parameter, default in re.findall(r'\{"(\w+)"(?:,\s*Default::(\w+))?\}', rows):
            if default == "Variadic":
                parameters.append(("*" + parameter, REQUIRED))
            else:
                parameters.append((parameter, DEFAULTS[default] if default else REQUIRED))
        tables[name] = parameters
    return tables


def builtin_rows():
    """Path below triton.language -> (parameters or None, whether it is a method of tensors)."""
    rows = {}
    for path in glob.glob(os.path.join(FRONTEND, "*.cpp")) + glob.glob(os.path.join(FRONTEND, "*", "*.cpp")):
        with open(path, encoding="utf-8") as file:
            text = without_comments(file.read())
        tables = parameter_tables(text)
        row = r'\{\s*(?:\.path = )?"triton\.language\.([\w.]+)",\s*(?:\.parameters = )?(\w+|\{\}),([^}]*)\}'
        for name, table, rest in re.findall(row, text):
            is_method = bool(re.search(r"^[^,]+,\s*true", rest.strip()) or ".isMethod = true" in rest)
            rows[name] = ([] if table == "{}" else tables.get(table), is_method)
        if os.path.basename(path) == "TypeFunctions.cpp":  # whose rows are macros
            for macro, name in re.findall(r"^ +(CLASS|METHOD|PREDICATE)\((\w+), ", text, re.M):
                rows[name if macro == "CLASS" else "dtype." + name] = (None, False)
    with open(os.path.join(FRONTEND, "Builtins", "Libdevice.def"), encoding="utf-8") as file:
        for name, count in re.findall(r"^(?:FUNCTION|TEST)\((\w+), (\d)", file.read(), re.M):
            parameters = [("arg%d" % index, REQUIRED) for index in range(int(count))]
            rows["extra.cuda.libdevice." + name] = (parameters, False)
            rows["extra.libdevice." + name] = (parameters, False)
    return rows


def standard_library():
    """Name -> (its definition, its file's module of the language, whether it is a method)."""
    found = {}
    for path in glob.glob(os.path.join(FRONTEND, "Stdlib", "*.py")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        module = "random" if os.path.basename(path) == "random.py" else "standard"
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.FunctionDef):
                above = lines[statement.decorator_list[0].lineno - 2]
                found[statement.name] = (statement, module, above.strip() == "# Tensor method.")
    return found


def constants():
    """Dtypes and the like: names that are values, not paths."""
    with open(os.path.join(FRONTEND, "Builtins", "TypeFunctions.cpp"), encoding="utf-8") as file:
        text = file.read()
    lookup = text[text.index("tessera::lookupLanguageConstant"):]
    return set(re.findall(r'name == "(\w+)"', lookup[:lookup.index("\n}")]))


# ---- names ----------------------------------------------------------------------------------------

@needs_sources
def test_the_tables_are_read():
    rows = builtin_rows()
    assert rows["load"][0][:2] == [("pointer", REQUIRED), ("mask", None)] and not rows["load"][1]
    assert rows["store"][1] and rows["reshape"][0][1] == ("*shape", REQUIRED)
    assert len(rows) > 450 and len(standard_library()) > 30


@needs_sources
def test_everything_offered_is_known():
    rows, library = builtin_rows(), standard_library()
    with open(os.path.join(FRONTEND, "Builtins", "Builtins.cpp"), encoding="utf-8") as file:
        table = re.search(r"kModules\[\] = \{(.*?)\};", file.read(), re.S)[1]
    known_modules = set(re.findall(r'"triton\.language\.([\w.]+)"', table))
    unknown = []
    for path in offered():
        name = path.rsplit(".", 1)[-1]
        is_library = name in library and path in (name, library[name][1] + "." + name)
        if not (path in rows or path in known_modules or is_library or is_listed(path, UNKNOWN_TO_COMPILER)):
            unknown.append(path)
    assert unknown == []


@needs_sources
def test_everything_known_is_offered():
    paths = offered()
    missing = [path for path in builtin_rows() if path not in paths and not is_listed(path, NOT_A_NAME)]
    missing += [name for name, (_, module, _) in standard_library().items() if not name.startswith("_") and name not in paths]
    missing += [name for name in constants() if not hasattr(tl, name) and not hasattr(tl.core, name)]
    assert missing == []


def test_the_compiler_takes_every_path():
    """Asked itself, with a kernel that names the object."""
    native = importlib.import_module("tessera._native")
    session, refused = native.Session({}), []
    for path in offered():
        function = {"name": "k", "module": "m", "qualname": "k", "path": "m.py", "line": 1, "kind": "jit", "constexprs": [],
                    "text": "def k():\n    name is None\n", "names": {"name": {"language": "triton.language." + path}}}
        try:
            program = json.dumps({"version": 1, "kernel": 0, "arguments": [], "functions": [function]})
            session.compile_program(program, "cuda:90", "", "ttir")
        except native.CompileFailure as failure:
            assert "that the compiler does not know" in str(failure)
            refused.append(path)
    assert [path for path in refused if not is_listed(path, UNKNOWN_TO_COMPILER)] == []
    assert [path for path in offered() if path not in refused and is_listed(path, UNKNOWN_TO_COMPILER)] == []


@needs_sources
def test_exceptions_are_needed():
    paths, rows = offered(), builtin_rows()
    for pattern in UNKNOWN_TO_COMPILER:
        assert any(re.fullmatch(pattern, path) and path not in rows for path in paths), pattern
    for pattern in NOT_A_NAME:
        assert any(re.fullmatch(pattern, path) for path in rows), pattern


@needs_sources
def test_methods_are_the_compilers():
    known = {path for path, (_, is_method) in builtin_rows().items() if is_method}
    known = {path.rsplit(".", 1)[-1] for path in known} | {"to"}
    known |= {name for name, (_, _, is_method) in standard_library().items() if is_method}
    offered_methods = {name for name, each in vars(tl.tensor).items() if hasattr(each, "__tessera_language__")}
    assert offered_methods == known
    descriptor = {path.split(".")[1] for path in builtin_rows() if path.startswith("tensor_descriptor.")}
    members = vars(tl.core.tensor_descriptor_base)
    assert {name for name, each in members.items() if hasattr(each, "__tessera_language__")} == descriptor


@needs_sources
def test_dtype_methods_are_the_compilers():
    for path in builtin_rows():
        if path.startswith("dtype."):
            name = path.split(".")[1]
            assert hasattr(tl.block_type, name), name


# ---- signatures -----------------------------------------------------------------------------------

def shape_of(signature):
    """[(name, default)] of a signature, as parameter_tables gives it; `_semantic` is for those who hand it on."""
    shape = []
    for parameter in signature.parameters.values():
        if parameter.name != "_semantic":
            star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
            shape.append((star + parameter.name, parameter.default))
    return shape


def library_shape(definition):
    names = [argument.arg for argument in definition.args.args]
    values = [tl.random.N_ROUNDS_DEFAULT if isinstance(default, ast.Name) else ast.literal_eval(default)
              for default in definition.args.defaults]
    return list(zip(names, [REQUIRED] * (len(names) - len(values)) + values))


def same(left, right):
    """Equal, and of one type where `==` would not tell: () and None, 0 and False count as equal only to themselves."""
    return [(name, type(value), str(value)) for name, value in left] == [(name, type(value), str(value)) for name, value in right]


# Defaults for which the tables have no word; there "" or None stands for them.
SPELLED_OUT = {("make_tensor_descriptor", "padding_option"): "zero", ("static_print", "sep"): " ", ("static_print", "end"): "\n"}


@needs_sources
def test_signatures_are_the_compilers():
    rows, library, wrong = builtin_rows(), standard_library(), []
    for path, each in offered().items():
        if inspect.isclass(each) or inspect.ismodule(each) or not hasattr(each, "__signature__"):
            continue
        name = path.rsplit(".", 1)[-1]
        if path in rows and rows[path][0] is not None:
            expected = [(key, SPELLED_OUT.get((path, key), default)) for key, default in rows[path][0]]
        elif name in library:
            expected = library_shape(library[name][0])
        else:
            continue
        if not same(shape_of(inspect.signature(each)), expected):
            wrong.append((path, shape_of(inspect.signature(each)), expected))
    assert wrong == []


@needs_sources
def test_signatures_of_methods_are_those_of_the_functions():
    paths = offered()
    for name, method in vars(tl.tensor).items():
        path = getattr(method, "__tessera_language__", "")[len("triton.language."):]
        if path in paths and hasattr(method, "__signature__"):
            function = shape_of(inspect.signature(paths[path]))
            assert same(shape_of(inspect.signature(method))[1:], function[1:]), name


def test_every_function_has_a_text():
    for path, each in offered().items():
        if not inspect.ismodule(each) and not path.startswith("PropagateNan."):
            assert each.__doc__ and each.__doc__.strip(), path


# ---- against Triton -------------------------------------------------------------------------------

# Public names of Triton's modules that are not here, and why.
NOT_OFFERED = {
    r"core\.(ir|knobs|builtins|inspect|typing|math|warn|wraps|partial|contextmanager|dataclass|Enum|T|TypeVar|Union|Callable"
    r"|List|Sequence|Optional|Tuple|annotations)": "imports of the module's own",
    r"(standard|math|random|semantic|target_info|extra.*)\.(annotations|List|T|wraps|tl|core|driver|ir|numbers|warnings|Generic"
    r"|Optional|Sequence|Tuple|Type|TypeVar|TensorTy|constexpr_function|is_pkg|module|module_finder|module_from_spec|module_name"
    r"|modules|pkgutil|spec)": "imports and loop variables of the modules' own",
    r"core\.(binary_op_type_legalization|builtin_max|builtin_min|check_bit_width|dispatch|is_negative_zero|get_primitive_bitwidth"
    r"|validate_block_shape)": "steps of Triton's frontend, which take its semantic object",
    r"extra\.cuda\.utils\.convert_(custom_float8|float16_to_fp8e4b15|fp8e4b15_to_float16)": "steps of the two conversions",
}


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_of_triton(triton, name):
    theirs = importlib.import_module(("triton.language." + name).rstrip("."))
    ours = importlib.import_module(("tessera.language." + name).rstrip("."))
    missing = []
    for each in dir(theirs):
        path = (name + "." + each).lstrip(".")
        if not each.startswith("_") and not hasattr(ours, each) and not is_listed(path, NOT_OFFERED):
            missing.append(path)
    assert missing == []
    for each in getattr(theirs, "__all__", []):
        assert each.rsplit(".", 1)[-1] in ours.__all__, each


def triton_default(value):
    """Triton's dtypes, enumerations and constexprs as ours."""
    kind = type(value).__name__
    if kind == "constexpr":
        return triton_default(value.value)
    if kind == "dtype":
        return tl.dtype(value.name)
    if kind == "PROPAGATE_NAN":
        return tl.PropagateNan[value.name]
    return value


@pytest.mark.parametrize("name", MODULES)
def test_signatures_are_tritons(triton, name):
    theirs = importlib.import_module(("triton.language." + name).rstrip("."))
    ours = importlib.import_module(("tessera.language." + name).rstrip("."))
    wrong = []
    for each in dir(ours):
        function = getattr(theirs, each, None)
        function = getattr(function, "fn", function)
        if each.startswith("__") or not inspect.isfunction(function) or each in ("builtin", "extern", "is_builtin", "str_to_ty"):
            continue
        expected = [(key, triton_default(default)) for key, default in shape_of(inspect.signature(function))
                    if key != "_generator"]
        found = [(key, triton_default(default)) for key, default in shape_of(inspect.signature(getattr(ours, each)))]
        if not each.startswith("_") and found != expected:
            wrong.append((each, found, expected))
    assert wrong == []


def test_methods_are_tritons(triton):
    for name in ("tensor", "tuple", "dtype", "constexpr", "pointer_type", "block_type", "tensor_descriptor"):
        mine, theirs = getattr(tl, name), getattr(triton.language, name)
        public = {name for name in dir(theirs) if not name.startswith("_") and name not in ("to_ir",)}
        assert public <= set(dir(mine)), sorted(public - set(dir(mine)))
        operators = {name for name in dir(theirs) if re.fullmatch(r"__\w+__", name)}
        # Reflected comparisons are no part of Python's protocol; nothing calls them.
        unused = {"__rgt__", "__rge__", "__rlt__", "__rle__", "__req__", "__rne__", "__getstate__", "__annotations__"}
        assert operators - unused <= set(dir(mine)), sorted(operators - unused - set(dir(mine)))


# ---- what host code does --------------------------------------------------------------------------

def test_calls_on_the_host_say_where_they_belong():
    with pytest.raises(ValueError, match=r"tl\.load works in kernels only; did you forget to add @triton\.jit\?"):
        tl.load(None)
    with pytest.raises(RuntimeError, match=r"tl\.cdiv works in kernels only"):
        tl.cdiv(3, 2)
    with pytest.raises(ValueError, match=r"libdevice\.sin works in kernels only"):
        tl.extra.libdevice.sin(1.0)
    with pytest.raises(RuntimeError, match=r"tl\.range works in kernels only"):
        for _ in tl.range(3):
            pass
    with pytest.raises(ValueError, match="__add__"):
        tl.tensor(None, tl.float32) + 1


def test_compile_time_functions_run_on_the_host():
    assert tl.standard._log2(8) == 3 and tl.standard._log2(tl.constexpr(9)) == 3
    assert tl.standard._is_power_of_two(8) and not tl.standard._is_power_of_two(6)
    assert tl.core.get_int_dtype(32, True) == tl.int32 and tl.core.get_int_dtype(8, False) == tl.uint8


def test_functions_pickle_and_bind():
    for each in (tl.load, tl.sum, tl.tensor.sum, tl.extra.cuda.libdevice.sin, tl.PropagateNan.ALL, tl.standard._log2):
        assert pickle.loads(pickle.dumps(each)) is each
    assert tl.core.is_builtin(tl.load) and not tl.core.is_builtin(len)


def test_users_own_builtins():
    @tl.core.extern
    def double(x, _semantic=None):
        """Twice x."""
        return tl.core.extern_elementwise("", "", [x], {(tl.float32,): ("f", tl.float32)}, is_pure=True, _semantic=_semantic)

    with pytest.raises(ValueError, match="double works in kernels only"):
        double(1.0)
    assert double.__doc__ == "Twice x." and tl.core.is_builtin(double) and not hasattr(double, "__tessera_language__")


def test_paths_belong_to_names_not_to_values():
    for value in (tl.float32, tl.pi32_t, tl.constexpr(3), tl.tuple([1]), tl.range(3), tl.tensor(None, tl.int32)):
        assert not hasattr(value, "__tessera_language__")

    class Derived(tl.constexpr):
        pass

    assert not hasattr(Derived, "__tessera_language__")

    class Tagged:
        def __init_subclass__(cls, tag, **options):
            super().__init_subclass__(**options)
            cls.tag = tag

    class Both(tl.constexpr, Tagged, tag="a"):
        pass

    assert Both(3).value == 3 and Both.tag == "a"
    assert tl.PropagateNan.ALL.__tessera_language__ == "triton.language.PropagateNan.ALL"


def test_help_reads_the_stub(capsys):
    help(tl.load)
    text = capsys.readouterr().out
    assert re.search(r"load\(\s*pointer", text) and "Where `mask` is false nothing is read" in text


def test_the_import_is_light(snippet):
    done = snippet("""
import sys
before = set(sys.modules)
import tessera.language as tl
loaded = set(sys.modules) - before
print(sorted(name for name in loaded if name.split(".")[0] in ("torch", "numpy", "ast", "inspect", "typing")))
print(any("libdevice" in name for name in loaded))
tl.extra.cuda.libdevice.sin, tl.extra.libdevice.sin
from tessera.language.extra import libdevice
""")
    assert done.stdout.split("\n")[1] == "False"
    assert "numpy" not in done.stdout and "torch" not in done.stdout
