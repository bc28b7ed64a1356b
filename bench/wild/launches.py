"""What the programs of the corpus launch: found by running them with tensors that nothing reads and kernels that do not run.

The signatures that examples/ state above their kernels are launches too, and so are the cases of bench/gpu.

A launch is a kernel, the types of its arguments and what is known of them (divisible by 16, equal to 1), its constants and
options: all that a compiler needs. Both compilers get the same description, and neither needs a GPU for it.
"""
import ast
import dataclasses
import hashlib
import importlib
import importlib.util
import json
import os
import re
import sys

import corpus

ROOT = os.path.dirname(os.path.dirname(corpus.HERE))
TYPES = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64", "int8": "i8", "int16": "i16", "int32": "i32",
         "int64": "i64", "uint8": "u8", "bool": "i1", "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5"}
OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


@dataclasses.dataclass
class Launch:
    module: str   # below programs/, or a path without .py
    kernel: str
    signature: dict  # parameter: type or "constexpr"
    constants: dict  # parameter: value, or {"dtype": name}
    aligned: list    # parameters that 16 divides
    options: dict
    operator: str    # one that launches it

    def key(self):
        known = json.dumps([self.module, self.kernel, self.signature, self.constants, self.aligned, self.options], sort_keys=True)
        return f"{self.module}.{self.kernel}#{hashlib.sha256(known.encode()).hexdigest()[:8]}"


# ---- recording ------------------------------------------------------------------------------------

def type_of(value):
    """(type, constant or None, whether 16 divides it); type "constexpr" where the value is compiled in."""
    import torch
    if isinstance(value, torch.Tensor):
        return "*" + TYPES[str(value.dtype).removeprefix("torch.")], None, value.data_ptr() % 16 == 0
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        return f"tensordesc<{TYPES[str(value.base.dtype).removeprefix('torch.')]}{list(value.block_shape)}>", None, False
    if isinstance(value, bool):
        return "i1", None, False
    if isinstance(value, int):
        if value == 1:
            return "constexpr", 1, False
        kind = "i32" if -2**31 <= value < 2**31 else "i64"
        return kind, None, value % 16 == 0
    if isinstance(value, float):
        return "fp32", None, False
    if value is None:
        return "constexpr", None, False
    raise TypeError(f"no type for {type(value).__name__}")


def constant(value):
    """As JSON keeps it: dtypes by name."""
    name = getattr(value, "name", None)
    return {"dtype": name} if name and type(value).__name__ == "dtype" else getattr(value, "value", value)


class NoKernel:
    """What a launch returns where nothing is compiled."""
    n_regs, n_spills = 64, 0

    class metadata:
        shared = 0

    def _init_handles(self):
        pass

    def __getitem__(self, grid):
        return lambda *_, **__: None


class Recorder:
    def __init__(self):
        self.launches, self.operator = {}, ""

    def install(self):
        from triton.runtime.jit import JITFunction
        recorder = self

        def run(function, *arguments, grid=None, warmup=False, **keywords):
            recorder.note(function, arguments, keywords)
            return NoKernel()
        JITFunction.run = run

    def note(self, function, arguments, keywords):
        options = {"num_warps": 4, "num_stages": 3}
        options.update({k: keywords.pop(k) for k in OPTIONS if k in keywords and k not in function.arg_names})
        values = dict(zip(function.arg_names, arguments), **{k: v for k, v in keywords.items() if k in function.arg_names})
        signature, constants, aligned = {}, {}, []
        for parameter in function.params:
            value = values.get(parameter.name, parameter.default)
            if parameter.is_constexpr:
                signature[parameter.name], constants[parameter.name] = "constexpr", constant(value)
                continue
            kind, known, divides = type_of(value)
            signature[parameter.name] = kind
            if kind == "constexpr":
                constants[parameter.name] = known
            elif divides:
                aligned.append(parameter.name)
        module = function.fn.__module__.rpartition(".")[2]
        launch = Launch(module, function.fn.__name__, signature, constants, aligned, options, self.operator)
        self.launches.setdefault(launch.key(), launch)


SIGNATURE = re.compile(r"^# signature: (\S+)((?: --num-(?:warps|stages) \d+)*)$")


def stated_launches(path):
    """Those of an example: `# signature: *fp16:16,i32,128 --num-warps 8` above a kernel."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        lines = file.read().split("\n")
    functions = [node for node in ast.walk(ast.parse("\n".join(lines))) if isinstance(node, ast.FunctionDef)]
    kernels = {node.lineno - len(node.decorator_list): node for node in functions}
    for number, line in enumerate(lines, 1):
        stated = SIGNATURE.match(line)
        if stated:
            node = kernels[min(place for place in kernels if place > number)]
            options = {"num_warps": 4, "num_stages": 3}
            options.update((name.replace("-", "_"), int(value)) for name, value in re.findall(r"--(num-\w+) (\d+)", stated[2]))
            yield typed_launch(path, node.name, [a.arg for a in node.args.args], stated[1].split(","), options, path)


def typed_launch(path, kernel, names, words, options, operator):
    """A launch from types with hints ("*fp16:16", "i32:1") and constants, in the order of the parameters."""
    signature, constants, aligned = {}, {}, []
    for name, word in zip(names, words):
        kind, _, hint = word.partition(":")
        if re.fullmatch(r"-?\d+(\.\d+)?", kind) or hint == "1":
            signature[name], constants[name] = "constexpr", 1 if hint == "1" else ast.literal_eval(kind)
            continue
        signature[name] = kind
        if hint == "16":
            aligned.append(name)
    return Launch(path.removesuffix(".py"), kernel, signature, constants, aligned, options, operator)


def measured_launches():
    """Of each group of bench/gpu the middle case, with two of its configurations."""
    folder = os.path.join(ROOT, "bench", "gpu")
    cases, compilers = module_at(os.path.join(folder, "cases.py")), module_at(os.path.join(folder, "compilers.py"))
    with open(os.path.join(folder, "kernels.py"), encoding="utf-8") as file:
        nodes = {n.name: n for n in ast.parse(file.read()).body if isinstance(n, ast.FunctionDef)}
    for group in cases.groups():
        case = group.cases[len(group.cases) // 2]
        names = [a.arg for a in nodes[case.kernel].args.args]
        for config in {0: case.configs[0], 1: case.configs[len(case.configs) // 2]}.values():
            words = [kind if hint is None else f"{kind}:{hint}" for kind, hint in map(compilers.describe, case.arguments)]
            options = dict(num_warps=config.num_warps, num_stages=config.num_stages)
            launch = typed_launch("bench/gpu/kernels.py", case.kernel, names, words, options, case.name)
            launch.signature.update((name, "constexpr") for name, _ in config.constants)
            launch.constants.update(config.constants)
            yield launch


def module_at(path):
    """A module of a file that is no part of a package; the same one at every call."""
    name = "launched_" + re.sub(r"\W", "_", os.path.relpath(path, ROOT).removesuffix(".py"))
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        if os.path.dirname(path) not in sys.path:
            sys.path.append(os.path.dirname(path))  # examples import each other
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]


def record():
    """Runs every operator of programs/ once, without kernels; returns {key: Launch}, of the other sources too."""
    recorder = Recorder()
    recorder.install()
    for module in corpus.module_names("programs"):
        for name, operator in corpus.load("programs", module).items():
            recorder.operator = name
            case = operator.case(corpus.World("cpu", hollow=True))
            case.call()
    examples = [os.path.join("examples", name) for name in sorted(os.listdir(os.path.join(ROOT, "examples"))) if name.endswith(".py")]
    for launch in [*measured_launches(), *(launch for path in examples for launch in stated_launches(path))]:
        recorder.launches.setdefault(launch.key(), launch)
    return recorder.launches


# ---- the stored list ------------------------------------------------------------------------------

PATH = os.path.join(corpus.HERE, "stored", "launches.json")


def source_path(module):
    return os.path.join(ROOT, module + ".py") if "/" in module else os.path.join(corpus.HERE, "programs", module + ".py")


def source_hash(module):
    with open(source_path(module), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def store(launches):
    os.makedirs(os.path.dirname(PATH), exist_ok=True)
    sources = {module: source_hash(module) for module in sorted({launch.module for launch in launches.values()})}
    write_lines(PATH, {"sources": sources, "launches": {key: dataclasses.asdict(launch) for key, launch in sorted(launches.items())}})


def load_stored():
    """({key: Launch}, names of modules whose text has changed since)."""
    with open(PATH, encoding="utf-8") as file:
        stored = json.load(file)
    now = {*stored["sources"], *corpus.module_names("programs")}
    changed = [m for m in sorted(now) if not os.path.exists(source_path(m)) or stored["sources"].get(m) != source_hash(m)]
    return {key: Launch(**fields) for key, fields in stored["launches"].items()}, changed


def write_lines(path, tables):
    """JSON with a line for each entry of each table, so that a change is a line of a diff."""
    parts = []
    for name, table in tables.items():
        rows = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in table.items())
        parts.append(f" {json.dumps(name)}: {{\n{rows}\n }}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(parts) + "\n}\n")


# ---- compiling ------------------------------------------------------------------------------------

def value_of(stored, language):
    return language.dtype(stored["dtype"]) if isinstance(stored, dict) else stored


def compile_launch(launch, target=None, small=False):
    """Compiles with the compiler that `import triton` means here, for a GPUTarget or sm_90; returns its compiled kernel. `small`:
    tensors have less than 2 GiB, which Triton's launches on AMD GPUs say."""
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    if "/" in launch.module:
        module = module_at(source_path(launch.module))
    else:
        corpus.load("programs", launch.module)
        module = importlib.import_module("programs." + launch.module)
    function = getattr(module, launch.kernel)
    places = {name: index for index, name in enumerate(function.arg_names)}
    constants = {(places[name],): value_of(value, tl) for name, value in launch.constants.items()}
    attributes = {(places[name],): [["tt.divisibility", 16]] for name in launch.aligned}
    for name in [name for name, kind in launch.signature.items() if small and kind[0] == "*"]:
        attributes.setdefault((places[name],), []).append(["tt.pointer_range", 32])
    source = ASTSource(function, dict(launch.signature), constants, attributes)
    return triton.compile(source, target=target or GPUTarget("cuda", 90, 32), options=dict(launch.options))
