"""breakpoint() in a kernel under TRITON_INTERPRET=1: stops in pdb, with the kernel's variables as NumPy arrays.

    @tessera.jit
    def scale_kernel(x_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offsets, offsets < n)
        breakpoint()

    > scale.py(5)scale_kernel()             program_id is (0, 0, 0)
    -> breakpoint()
    (Pdb) p x.shape, x.max()
    (Pdb) c                                 goes on to the next breakpoint, of this program or another one
    (Pdb) q                                 ends the launch, with BdbQuit

The arrays are copies; changing them has no effect. Python's `next` and `step` go on to the next breakpoint, because the kernel's lines
are compiled. Launches of such kernels use one thread.
"""
from __future__ import annotations

import contextlib
import json
import sys

from .. import _native, knobs
from ..errors import plain

_NUMPY = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "u1": "bool", "i1": "bool", "ptr": "uint64",
          **{f"{sign}{bits}": f"{'u' if sign == 'u' else ''}int{bits}" for sign in "iu" for bits in (8, 16, 32, 64)}}


@contextlib.contextmanager
def debugger_for(kernel):
    """While it lasts, breakpoints of the kernel stop on this thread, which runs all programs."""
    if "breakpoint" not in getattr(getattr(kernel.src, "program", None), "text", ""):
        yield
        return
    _native.handle_breakpoints()
    with knobs.runtime.scope():
        knobs.runtime.cpu_threads = 1
        yield


def _value(variable, address):
    """A copy of a variable as a NumPy array, or as a number if it is a scalar; bf16 as float32, other small floats as bits."""
    import ctypes
    import numpy
    kind, shape = variable["type"], variable["shape"]
    width = {"bf16": 2}.get(kind) or (numpy.dtype(_NUMPY[kind]).itemsize if kind in _NUMPY else 1)
    count = 1
    for extent in shape:
        count *= extent
    data = ctypes.string_at(address, width * count)
    if kind == "bf16":
        array = (numpy.frombuffer(data, "uint16").astype("uint32") << 16).view("float32")
    else:
        array = numpy.frombuffer(data, _NUMPY.get(kind, "uint8")).copy()
    return array.reshape(shape) if shape else array[0]


def _constant(text):
    import ast
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def stop(variables, path, line, addresses, program):
    """Called by the extension."""
    found, left = {"program_id": tuple(program)}, list(addresses)
    for variable in json.loads(variables):
        found[variable["name"]] = _constant(variable["constant"]) if "constant" in variable else _value(variable, left.pop(0))
    # A frame with the kernel's file and line, so that the debugger shows its source.
    code = compile("\n" * (max(line, 1) - 1) + "__stop__()", path or "<kernel>", "exec")
    quit_by = []
    exec(code, {"__stop__": lambda: quit_by.extend(_stop(sys._getframe(1))), "__name__": "kernel"}, found)
    if quit_by:
        raise quit_by[0]


def _stop(frame):
    """Runs the debugger in a frame. Returns [the exception that ends the launch], or [] if the program goes on."""
    import bdb
    import pdb
    debugger = pdb.Pdb()
    debugger.reset()
    print(f"in program {frame.f_locals['program_id']}", file=debugger.stdout)
    debugger.interaction(frame, None)
    sys.settrace(None)
    return [plain(bdb.BdbQuit(f"left the debugger in program {frame.f_locals['program_id']}"))] if debugger.quitting else []
