"""What the scripts that compare with Triton share: its answers to requests, and a case's launch on the emulator.

    answers = ask_triton(python, "gfx942", [request_of(case)])
    complaint = execute(case, answers[0]["text"], answers[0]["shared"])
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

import cases
import emulator

COMPILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compile.py")


def request_of(case, **more):
    return {"kernel": case.kernel, "signature": case.signature, "constants": case.constants, "warps": case.warps, "options": case.options, **more}


def ask_triton(python, chip, requests):
    """compile.py's answers; None where there is no Triton 3.6.0."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run([python, COMPILE, chip], input=json.dumps(requests).encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={"TRITON_CACHE_DIR": cache, **os.environ})
    if done.returncode == 77:
        return None
    if done.returncode:
        sys.exit(f"Triton failed for {chip}:\n{done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout)


def bits_of(number):
    return int(np.float32(number).view(np.uint32)) if isinstance(number, float) else number


def execute(case, text, shared):
    """What is wrong with the case, compiled to that assembly, or None."""
    memory, passed, arrays = emulator.GlobalMemory(), [], {}
    for name, value in case.arguments.items():
        array = value.bits if isinstance(value, cases.Small) else value
        if isinstance(array, np.ndarray):
            passed.append(memory.place(np.ascontiguousarray(array).tobytes()))
            arrays[name] = array, memory.arrays[-1][1]
        else:
            passed.append(bits_of(value))
    try:
        problems = emulator.run(emulator.parse(text), (*case.grid, 1, 1)[:3], passed, shared, memory)
    except emulator.Fault as fault:
        return str(fault)
    results = {name: data.view(array.dtype).reshape(array.shape) for name, (array, data) in arrays.items()}
    return case.complaint(results) or (problems[0] if problems else None)
