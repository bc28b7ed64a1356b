"""KernelBench problems: `tessera lab import FILE` makes an operator of one, `tessera lab export OP` writes an operator as one.

A problem is a Python file with a class Model (torch.nn.Module), get_inputs() and get_init_inputs(), and usually constants at the
top of the file that give the sizes. The import keeps the file as problem.py. The sizes Small to Final scale its integer constants.
The versions to be written take the inputs, then the model's parameters.
"""
import argparse
import ast
import json
import os
import re
import shutil

from .operators import Missing, kernels_folder, load
from .scaffold import check_name, write_files

REFERENCE = '''"""The problem's Model as a function of its inputs and parameters; problem.py is the problem as it was imported."""
import torch

from . import problem

_models = {}


def _model(device):
    """The model with the parameters of seed 0, one for each set of constants and device."""
    key = tuple(sorted((name, value) for name, value in vars(problem).items() if isinstance(value, int))), str(device)
    if key not in _models:
        torch.manual_seed(0)
        _models.clear()
        _models[key] = problem.Model(*problem.get_init_inputs()).to(device).eval()
    return _models[key]


def _set_constants(case):
    for name, value in case.items():
        if hasattr(problem, name):
            setattr(problem, name, value)


def reference(*args, **kwargs):
    """Model.forward with the parameters among the arguments."""
    model = _model(args[0].device if isinstance(args[0], torch.Tensor) else "cpu")
    names = [name for name, _ in model.named_parameters()]
    inputs, parameters = args[:len(args) - len(names)], args[len(args) - len(names):]
    with torch.no_grad():
        for (name, parameter), value in zip(model.named_parameters(), parameters):
            parameter.data = value
        return model(*inputs)


def make_inputs(case, device, generator):
    _set_constants(case)
    torch.manual_seed(generator.initial_seed())
    dtype = getattr(torch, case["dtype"])

    def moved(value):
        if not isinstance(value, torch.Tensor):
            return value
        return (value.to(dtype) if value.dtype.is_floating_point else value).to(device)
    inputs = [moved(value) for value in problem.get_inputs()]
    return (*inputs, *[moved(parameter.detach().clone()) for parameter in _model(device).parameters()]), {}


def facts(case):
    """The least traffic: every input and the result once. Operations are not known; write them here if they matter."""
    args, _ = make_inputs(dict(case, dtype="float32"), "cpu", torch.Generator().manual_seed(0))
    result = reference(*args)
    tensors = [t for t in (*args, *(result if isinstance(result, (tuple, list)) else (result,))) if isinstance(t, torch.Tensor)]
    size = torch.tensor([], dtype=getattr(torch, case["dtype"])).element_size()
    n = sum(t.numel() for t in tensors)
    return {"bytes": n * size, "flops": n}
'''

VERSION = '''"""v1_baseline: not written yet; it calls torch.

Replace this by a direct translation of problem.py: an @triton.jit kernel, and the wrapper that launches it. The wrapper takes what
get_inputs returns, then the model's parameters in order.
"""
import torch  # noqa: F401
import triton
import triton.language as tl  # noqa: F401

from .reference import reference


@triton.jit
def {op}_kernel(x_ptr):
    pass  # TODO: the kernel


def triton_{op}(*args):
    return reference(*args)
'''


def constants_of(tree):
    """The integer constants at the top of the file, larger than 1: what sizes are made of."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = node.value
            if isinstance(value, ast.Constant) and type(value.value) is int and value.value > 1:
                found[node.targets[0].id] = value.value
    return found


def used_in_inputs(tree):
    """Names that get_inputs reads."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "get_inputs":
            return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return set()


def used_in_init(tree):
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "get_init_inputs":
            return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return set()


def import_command(arguments):
    parser = argparse.ArgumentParser(prog="tessera lab import", description="Makes an operator of a KernelBench problem: Model, get_inputs, get_init_inputs.")
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--name", metavar="OP", help="the operator's name (default: from the file's)")
    parser.add_argument("--kernels", metavar="DIR", default="kernels", help="the folder of operators (default: kernels)")
    parser.add_argument("--json", action="store_true", help="print the files' names as JSON")
    options = parser.parse_args(arguments)
    name = options.name or re.sub(r"^[\d_]+", "", re.sub(r"\W", "_", os.path.basename(options.file).rsplit(".", 1)[0]).lower()).strip("_")
    check_name(name)
    written = write_files(os.path.join(options.kernels, name), imported(options.file, name))
    if options.json:
        print(json.dumps({"op": name, "files": written}))
        return 0
    print("\n".join("wrote " + path for path in written))
    print(f"\nv1_baseline.py calls torch until you write its kernel. Then: tessera lab check {name}; tessera lab {name}")
    return 0


def imported(path, name):
    """{file: contents} of the operator."""
    try:
        with open(path, encoding="utf-8") as file:
            source = file.read()
        tree = ast.parse(source)
    except OSError as error:
        raise Missing(f"cannot read {path}: {error.strerror}") from None
    except SyntaxError as error:
        raise Missing(f"{path}: {error}") from None
    defined = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    missing = {"Model", "get_inputs"} - defined
    if missing:
        raise Missing(f"{path} is no KernelBench problem: it has no {' and no '.join(sorted(missing))}")
    if "get_init_inputs" not in defined:
        source += "\n\ndef get_init_inputs():\n    return []\n"
    about = next((ast.get_docstring(node) for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Model"), "") or name
    first = about.strip().split("\n")[0]
    return {"__init__.py": f'"""{name}: {first}"""\nfrom .reference import reference  # noqa: F401\n', "problem.py": source, "reference.py": REFERENCE,
            "cases.toml": cases_of(name, first, tree), "v1_baseline.py": VERSION.replace("{op}", name)}


def cases_of(name, definition, tree):
    """Final is the problem's own size. Smaller ones divide the largest constants that get_inputs uses and get_init_inputs does not."""
    constants = constants_of(tree)
    free = {key: value for key, value in constants.items() if key in used_in_inputs(tree) and key not in used_in_init(tree)}

    def scaled(factor, least=1):
        return {key: min(value, max(least, value // factor)) for key, value in free.items()}
    lines = ["[op]", f'name = "{name}"', f'torch = "problem.Model ({name})"', f"definition = {json.dumps(definition)}", 'dtype = "float32"', ""]
    for table, factors in (("sizes", (16, 8, 2, 1)), ("sizes_cpu", (64, 32, 16, 8))):
        for i, (size, factor) in enumerate(zip(("Small", "Medium", "Large", "Final"), factors)):
            lines += [f"[{table}.{size}]", *[f"{key} = {value}" for key, value in scaled(factor, 1 << i).items()], ""]
    for case in (scaled(64, 3), {**scaled(64, 3), "special": '"nan"'}, {key: 1 for key in free}):
        lines += ["[[correctness]]", *[f"{key} = {value}" for key, value in case.items()], ""]
    return "\n".join(lines)


# ---- export -----------------------------------------------------------------------------------------

PROBLEM = '''"""{op}: {definition}. Written by `tessera lab export {op}`{comment}."""
import torch
import torch.nn as nn

{reference}

CASE = {case}


class Model(nn.Module):
    """{definition}"""

    def forward(self, *args):
        return reference(*args, **KEYWORDS)


def _inputs():
    return make_inputs(CASE, "cpu", torch.Generator().manual_seed(0))


KEYWORDS = {{name: value for name, value in _inputs()[1].items()}}


def get_inputs():
    return list(_inputs()[0])


def get_init_inputs():
    return []
'''


def export_command(arguments):
    parser = argparse.ArgumentParser(prog="tessera lab export", description="Writes an operator as a KernelBench problem: its reference and inputs in one file.")
    parser.add_argument("op", metavar="OP")
    parser.add_argument("--size", default="Medium", help="whose inputs get_inputs returns (default: Medium)")
    parser.add_argument("--kernels", metavar="DIR")
    parser.add_argument("-o", "--out", metavar="FILE", help="default: OP.py")
    options = parser.parse_args(arguments)
    operator = load(kernels_folder(options.kernels), options.op)
    path = options.out or options.op + ".py"
    original = os.path.join(operator.folder, "problem.py")
    if os.path.exists(original):
        shutil.copyfile(original, path)
        print(f"wrote {path}, as it was imported")
        return 0
    sizes = operator.sizes_for("cuda")
    if options.size not in sizes:
        raise Missing(f"{options.op} has no size '{options.size}'; it has: {', '.join(sizes)}")
    with open(os.path.join(operator.folder, "reference.py"), encoding="utf-8") as file:
        reference = file.read()
    if re.search(r"^\s*from \.", reference, re.M):
        raise Missing(f"reference.py of {options.op} imports other files of its folder, and a problem is one file")
    definition = operator.about.get("definition", "")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PROBLEM.format(op=options.op, definition=definition.replace('"', "'"), comment=f" from size {options.size}", reference=reference.rstrip(),
                                  case=repr(sizes[options.size])))
    print(f"wrote {path}")
    return 0


