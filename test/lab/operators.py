#!/usr/bin/env python3
"""Runs every version of every operator of kernels/ on its correctness cases, against torch in higher precision.

    python test/lab/operators.py --device cuda                   everything on a GPU, about a minute; ends in one line
    python test/lab/operators.py softmax mha --version v4        some operators, versions whose name begins so
    python test/lab/operators.py --first 1                       the first case of each operator only
    python test/lab/operators.py --list                          names
    python -m tessera test/lab/operators.py --emulated           for cuda:90, on test/emulator: many minutes

`import triton` must be Triton or Tessera: `python -m tessera test/lab/operators.py ...`. TRITON_INTERPRET=1 runs on the CPU,
under the sanitizer if it is Tessera. Without TESSERA_AUTOTUNE_CHOICE, each kernel uses the first of its configurations, which
is what correctness needs and does not take minutes; --tune measures all of them.

The layouts and special values of a case are applied here as by `tessera lab` (docs/lab.md).
"""
import argparse
import importlib
import os
import re
import sys
import time
import traceback
import types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KERNELS = os.environ.get("TESSERA_LAB_KERNELS", os.path.join(ROOT, "kernels"))
VERSIONS = ("v1_baseline", "v2_tiling", "v3_coalesced", "v4_optimized")  # what every operator has
SPECIAL = {"nan": float("nan"), "inf": float("inf"), "-inf": -float("inf"), "zero": 0.0, "large": 3e4, "tiny": 1e-6}


def operators():
    return sorted(name for name in os.listdir(KERNELS) if os.path.exists(os.path.join(KERNELS, name, "cases.toml")))


def versions(operator):
    """The versions of an operator, in the order of their numbers."""
    found = [name[:-3] for name in os.listdir(os.path.join(KERNELS, operator)) if re.match(r"v\d+_\w+\.py$", name)]
    return sorted({*found, *VERSIONS}, key=lambda name: (int(re.match(r"v(\d+)", name).group(1)), name))


def load(operator, module):
    """Imports a module of an operator's folder, as part of the package `checked_kernels`."""
    if "checked_kernels" not in sys.modules:
        package = types.ModuleType("checked_kernels")
        package.__path__ = [KERNELS]
        sys.modules["checked_kernels"] = package
    return importlib.import_module(f"checked_kernels.{operator}.{module}")


def cases(operator):
    import tomllib
    with open(os.path.join(KERNELS, operator, "cases.toml"), "rb") as file:
        table = tomllib.load(file)
    default = table["op"].get("dtype", "float32")
    return [dict({"dtype": default}, **case) for case in table["correctness"]]


def describe(case):
    return " ".join(f"{name}={value}" for name, value in case.items())


# ---- inputs ---------------------------------------------------------------------------------------

def lay_out(tensor, layout):
    """Returns a tensor of the same values in another layout; `broadcast` repeats the first row."""
    import torch
    if tensor.dim() == 0:
        return tensor
    if layout == "strided":
        wide = torch.empty(*tensor.shape[:-1], 2 * tensor.shape[-1], dtype=tensor.dtype, device=tensor.device)
        wide[..., ::2] = tensor
        return wide[..., ::2]
    if layout == "transposed":
        order = list(range(tensor.dim()))[::-1]
        return tensor.permute(order).contiguous().permute(order)
    if layout == "offset":
        flat = torch.empty(tensor.numel() + 1, dtype=tensor.dtype, device=tensor.device)
        flat[1:] = tensor.reshape(-1)
        return flat[1:].view(tensor.shape)
    if layout == "broadcast":
        return tensor[:1].expand(tensor.shape) if tensor.dim() > 1 and tensor.shape[0] else tensor
    raise ValueError(f"unknown layout {layout}")


def make_inputs(operator, case, device):
    import torch
    generator = torch.Generator().manual_seed(1)
    args, kwargs = load(operator, "reference").make_inputs(case, device, generator)
    args = list(args)
    if "special" in case:
        for i in case.get("special_args", [0]):
            flat = args[i].clone().reshape(-1)
            places = torch.randperm(flat.numel(), generator=generator)[:max(1, flat.numel() // 50)]
            flat[places.to(device)] = SPECIAL[case["special"]]
            args[i] = flat.view(args[i].shape)
    if "layout" in case:
        wanted = case.get("layout_args", range(len(args)))
        args = [lay_out(a, case["layout"]) if i in wanted and isinstance(a, torch.Tensor) else a for i, a in enumerate(args)]
    return args, kwargs


def to_double(value):
    import torch
    if isinstance(value, torch.Tensor):
        return value.double() if value.is_floating_point() else value
    if isinstance(value, dict):
        return {name: to_double(v) for name, v in value.items()}
    return type(value)(map(to_double, value)) if isinstance(value, (tuple, list)) else value


# ---- one case -------------------------------------------------------------------------------------

def default_tolerance(dtype):
    import torch
    return {torch.float16: (2e-3, 2e-3), torch.bfloat16: (1.6e-2, 1.6e-2), torch.float32: (1e-5, 1e-5)}.get(dtype, (1e-10, 1e-10))


def flatten(result):
    return [t for part in result for t in flatten(part)] if isinstance(result, (tuple, list)) else [result]


def difference(name, actual, expected, plain, rtol, atol):
    """Returns what is wrong with a tensor, or None. `plain` has the dtype that is expected."""
    import torch
    if actual.shape != expected.shape:
        return f"{name} has shape {tuple(actual.shape)}, torch's has {tuple(expected.shape)}"
    if plain is not None and actual.dtype != plain.dtype:
        return f"{name} has type {actual.dtype}, torch's has {plain.dtype}"
    a, e = actual.detach().double().cpu(), expected.detach().double().cpu()
    # What overflows in the result's own type is infinite in torch's result, too.
    largest = torch.finfo(actual.dtype).max if actual.is_floating_point() else float("inf")
    e = torch.where(e.abs() > largest, e.sign() * float("inf"), e)
    wrong = ~torch.isclose(a, e, rtol=rtol, atol=atol, equal_nan=True)
    if not wrong.any():
        return None
    first = tuple(wrong.nonzero()[0].tolist())
    return f"{name}: {int(wrong.sum())} of {wrong.numel()} elements are wrong, first at {list(first)}: {a[first].item()!r}, expected {e[first].item()!r}"


def leaves(args):
    import torch
    return [a.detach().requires_grad_() if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in args]


def gradients(function, args, kwargs):
    """Returns the gradients of the floating-point arguments, for a fixed gradient of the result."""
    import torch
    wanted = [a for a in args if isinstance(a, torch.Tensor) and a.requires_grad]
    result = flatten(function(*args, **kwargs))[0]
    seed = torch.linspace(-1, 1, result.numel(), dtype=torch.float64).reshape(result.shape).to(result.dtype).to(result.device)
    return torch.autograd.grad(result, wanted, seed, allow_unused=True)


def run_case(operator, version, case, device):
    """Returns what is wrong with a version's result on a case, or None."""
    import torch
    reference = load(operator, "reference")
    function = getattr(load(operator, version), f"triton_{operator}")
    args, kwargs = make_inputs(operator, case, device)
    if "raises" in case:
        try:
            function(*args, **kwargs)
        except (ValueError, TypeError, RuntimeError, NotImplementedError, IndexError) as error:
            return None if case["raises"] in str(error) else f"the message has no '{case['raises']}': {error}"
        return "no error was raised"
    kept = [a.clone() if isinstance(a, torch.Tensor) else a for a in args]
    actual = function(*args, **kwargs)
    for i, (a, b) in enumerate(zip(args, kept)):
        if isinstance(a, torch.Tensor) and not torch.equal(torch.nan_to_num(a), torch.nan_to_num(b)) and not kwargs.get("inplace"):
            return f"argument {i} was changed"
    if hasattr(reference, "check"):
        return reference.check(actual, kept, kwargs)
    plain = None
    if not hasattr(reference, "high_precision") and device == "cuda":
        plain = reference.reference(*args, **kwargs)
    exact = getattr(reference, "high_precision", reference.reference)
    expected = exact(*to_double(kept), **to_double(kwargs))
    rtol, atol = getattr(reference, "tolerance", default_tolerance)(getattr(torch, case["dtype"]))
    results = list(zip(flatten(actual), flatten(expected), flatten(plain) if plain is not None else [None] * 9))
    problems = [difference(f"result {i}", a, e, p, rtol, atol) for i, (a, e, p) in enumerate(results)]
    if case.get("backward") and getattr(reference, "backward", False):
        ours = gradients(function, leaves(args), kwargs)
        theirs = gradients(exact, leaves(to_double(kept)), to_double(kwargs))
        names = [i for i, a in enumerate(args) if isinstance(a, torch.Tensor) and a.is_floating_point()]
        for i, a, e in zip(names, ours, theirs):
            problems.append(difference(f"gradient of argument {i}", a, e, None, 4 * rtol, 8 * atol))
    return next((p for p in problems if p), None)


# ---- the program ----------------------------------------------------------------------------------

def mend_interpreter():
    """Lets Triton's interpreter read a loop's bounds: NumPy from 2.4 on refuses int(array) for arrays of one element."""
    import triton
    interpreter = getattr(triton.runtime, "interpreter", None)
    patch = getattr(interpreter, "_patch_lang_tensor", None)
    if patch is None:
        return

    def patch_and_index(tensor, scope):
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))
    interpreter._patch_lang_tensor = patch_and_index


def keep_first_configuration():
    """Lets autotuned kernels use their first configuration, under Triton and under Tessera."""
    import triton
    mend_interpreter()
    tune = triton.autotune
    triton.autotune = lambda configs, *args, **kwargs: tune(configs[:1], *args, **kwargs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("operators", nargs="*")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--version", default="v")
    parser.add_argument("--first", type=int, help="only so many cases of each operator")
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--emulated", action="store_true", help="compile for cuda:90 and run on the GPU in NumPy (emulated.py)")
    parser.add_argument("--trace", action="store_true", help="print tracebacks of exceptions")
    options = parser.parse_args()
    if not options.tune:
        keep_first_configuration()
    if options.emulated:
        import emulated
        emulated.install()
    passed, failed, start = 0, 0, time.time()
    for operator in options.operators or operators():
        began, count = time.time(), passed + failed
        for version in [v for v in versions(operator) if v.startswith(options.version)]:
            if not os.path.exists(os.path.join(KERNELS, operator, version + ".py")):
                print(f"{operator} {version}: missing")
                continue
            for case in cases(operator)[:options.first]:
                if options.list:
                    print(operator, version, describe(case))
                    continue
                try:
                    problem = run_case(operator, version, case, options.device)
                except Exception as error:
                    problem = traceback.format_exc() if options.trace else f"{type(error).__name__}: {error}"
                passed, failed = passed + (problem is None), failed + (problem is not None)
                if problem:
                    print(f"{operator} {version}, {describe(case)}: {problem}", flush=True)
        print(f"{operator}: {passed + failed - count} cases in {time.time() - began:.1f} s", flush=True)
    print(f"{passed} passed, {failed} failed, {time.time() - start:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
