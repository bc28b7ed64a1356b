"""Compiles a kernel ahead of time to C source, with a function that launches it through the CUDA driver.

    python -m tessera.tools.compile add.py --kernel-name add_kernel --target cuda:90 --num-warps 4 \\
        --signature "*fp32:16, *fp32:16, *fp32:16, i32, 1024" --grid "(n_elements + 1023) / 1024, 1, 1" --out-path out/add

This writes out/add.cuda90x<hash>_<hints>.c and .h. The signature has an entry for each parameter: a type, with :16 if the value will be
divisible by 16 (an address aligned to 16 bytes), with :1 if it will be 1; or a constant. The grid's parts are C expressions over
the parameters' names. Flags and names are those of triton.tools.compile. tools.link makes one function of several variants. Several
targets may be given, --target cuda:80,cuda:90.

The Python file is executed, with `import triton` importing Tessera, so globals, imports and decorators have the values that they
have in the program. `tessera compile` does the same without Python, from the source. Neither needs a GPU.
"""
from __future__ import annotations

import dataclasses
import importlib.util
import json
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

if __name__ == "__main__" and not __package__:  # called by the script's path, as Triton's users call theirs
    sys.path[0] = str(Path(__file__).absolute().parents[2])
    __package__ = "tessera.tools"


@dataclasses.dataclass
class CompileArgs:
    """The flags of the command line, for compile_kernel."""
    path: str = ""
    kernel_name: str = ""
    signature: str = ""
    grid: str = ""
    target: Optional[str] = None
    num_warps: int = 1
    num_stages: int = 3
    out_name: Optional[str] = None
    out_path: Optional[Path] = None


class CompileError(Exception):
    """The kernel cannot be compiled; the message says why."""


def _split(text: str) -> List[str]:
    """Splits at the commas outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([<{") - (letter in ")]>}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _constant(text: str) -> Any:
    """The number of a signature's entry, or None if it is a type."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            pass
    return {"True": True, "False": False}.get(text)


def load_kernel(path: str, name: str):
    """Executes a Python file, with its folder on sys.path, and returns the jit function of that name."""
    from ..runtime.jit import JITFunction
    file = Path(path)
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or not file.exists():
        raise CompileError(f"'{path}' is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = getattr(module, name, None)
    while kernel is not None and not isinstance(kernel, JITFunction) and hasattr(kernel, "fn"):
        kernel = kernel.fn  # inside autotune or heuristics
    if isinstance(kernel, JITFunction):
        return kernel
    have = sorted(key for key, value in vars(module).items() if isinstance(value, JITFunction))
    what = "has no such name" if not hasattr(module, name) else f"has a {type(getattr(module, name)).__name__} of that name"
    raise CompileError(f"'{name}' is no kernel: {path} {what}; its kernels are: {', '.join(have) or 'none'}")


def read_signature(kernel, entries: Sequence[str]) -> Tuple[Dict[str, str], Dict[str, Any]]:
    """(types by name, constants by name) for ASTSource."""
    names = kernel.arg_names
    if len(entries) != len(names):
        raise CompileError(f"the signature has {len(entries)} {'entry' if len(entries) == 1 else 'entries'}, and "
                           f"{kernel.__name__} has {len(names)} parameters: {', '.join(names)}")
    types, constants = {}, {}
    for name, entry in zip(names, entries):
        value, hint = _constant(entry), entry.partition(":")[2]
        if value is not None:
            types[name], constants[name] = "constexpr", value
            continue
        if hint not in ("", "1", "16"):
            raise CompileError(f"'{entry}' for {name}: only :1 and :16 may follow a type")
        types[name] = entry
    return types, constants


def _target(text: Optional[str]):
    """The target of "cuda:90:32" or "cuda:90"; that of the current GPU if none is given."""
    from ..backends.compiler import GPUTarget
    if text:
        return GPUTarget.parse(text)
    from ..runtime.driver import driver
    target = driver.active.get_current_target()
    if target.backend == "cpu":
        raise CompileError("there is no GPU whose target could be taken: name one, as in --target cuda:90")
    return target


def compile_kernel(args: CompileArgs) -> Tuple[str, List[Path]]:
    """Compiles and writes; returns (the C function's name, the files that were written)."""
    from .. import _native, compile
    from ..compiler import ASTSource
    out_name = args.out_name or args.kernel_name
    out_path = Path(args.out_path or out_name)
    grid = _split(args.grid)
    if len(grid) > 3 or not all(grid):
        raise CompileError(f"the grid '{args.grid}' is not three expressions separated by commas")
    target = _target(args.target)
    if target.backend == "cpu":
        raise CompileError("for the CPU, `tessera compile --target cpu` writes an object file and the C source beside it")
    kernel = load_kernel(args.path, args.kernel_name)
    entries = _split(args.signature)
    types, constants = read_signature(kernel, entries)
    compiled = compile(ASTSource(kernel, types, constants), target=target,
                       options={"num_warps": args.num_warps, "num_stages": args.num_stages})
    request = {"signature": entries, "grid": grid + ["1"] * (3 - len(grid)), "name": out_name, "path": str(out_path)}
    try:
        files = json.loads(compiled._native_kernel.launcher(json.dumps(request)))
    except _native.CompileFailure as failure:  # a wrong grid, or a path that #include cannot hold
        raise CompileError(str(failure)) from None
    out_path.parent.mkdir(parents=True, exist_ok=True)
    written = []
    for extension, text in ((".c", files["source"]), (".h", files["header"])):
        written.append(out_path.with_name(f"{out_path.name}.{files['variant']}{extension}"))
        written[-1].write_text(text, encoding="utf-8")
    return files["function"], written


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = ArgumentParser(prog="python -m tessera.tools.compile", formatter_class=RawDescriptionHelpFormatter,
                            description=__doc__)
    parser.add_argument("path", help="the Python file with the kernel; it is executed")
    parser.add_argument("--kernel-name", "-n", required=True, help="the kernel")
    parser.add_argument("--signature", "-s", required=True, help="a type or a constant for each parameter")
    parser.add_argument("--grid", "-g", required=True, help="three C expressions: how many programs are launched")
    parser.add_argument("--target", "-t", help="what to compile for, such as cuda:90, or several with commas; the current GPU if there is one")
    parser.add_argument("--num-warps", "-w", type=int, default=1, help="warps of a program (default 1)")
    parser.add_argument("--num-stages", "-ns", type=int, default=3, help="depth of software pipelines (default 3)")
    parser.add_argument("--out-name", "-on", help="of the C function; the kernel's name if left out")
    parser.add_argument("--out-path", "-o", type=Path, help="of the files, without the ending; the C function's name if left out")
    args = CompileArgs(**vars(parser.parse_args(arguments)))
    from .. import install_as_triton
    from ..errors import TritonError
    install_as_triton()
    try:
        for target in args.target.split(",") if args.target else [None]:
            compile_kernel(dataclasses.replace(args, target=target.strip() if target else None))
    except (CompileError, TritonError, ValueError) as error:
        print(f"compile: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
