"""Runs `python -m tessera.lab` for the tests of this folder, and writes small operators."""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
PACKAGES = os.path.join(BUILD, "python")


def environment(folder, more=None):
    paths = [PACKAGES] + [path for path in [os.environ.get("PYTHONPATH")] if path]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TRITON_CACHE_DIR": os.path.join(str(folder), "cache"), "CUDA_VISIBLE_DEVICES": "",
            "NO_COLOR": "1", "COLUMNS": "110", **(more or {})}


def lab(folder, *arguments, status=0, timeout=300):
    """Runs a command of the lab in a folder; returns standard output and standard error."""
    done = subprocess.run([sys.executable, "-m", "tessera.lab", *map(str, arguments)], cwd=folder, env=environment(folder),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
    assert status is None or done.returncode == status, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout, done.stderr


def lab_json(folder, *arguments, status=0):
    return json.loads(lab(folder, *arguments, "--json", status=status)[0])


def write(folder, files):
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


# ---- an operator with planted mistakes: out = 2 * x + 1 ------------------------------------------------

REFERENCE = '''"""out = 2 * x + 1"""
import torch


def reference(x):
    return 2 * x + 1


def make_inputs(case, device, generator):
    return (torch.randn(case["n"], generator=generator).to(getattr(torch, case["dtype"])).to(device),), {}


def facts(case):
    return {"bytes": 8 * case["n"], "flops": 2 * case["n"]}
'''

CASES = '''
[op]
name = "twice"
torch = "torch.add"
definition = "out = 2 * x + 1"
[sizes]
Small = { n = 4096 }
[sizes_cpu]
Small = { n = 4096 }
Medium = { n = 5000 }
[[correctness]]
n = 1000
[[correctness]]
n = 0
[[correctness]]
n = 1
[[correctness]]
n = 513
special = "nan"
'''

VERSION = '''"""{name}: {title}."""
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    out = 2 * x + 1
    tl.store(out_ptr + offsets, out, mask=mask)


def triton_twice(x):
    n = x.numel()
    out = torch.empty_like(x)
    if n:
        kernel[(triton.cdiv(n, 256),)](x, out, n, BLOCK=256)
    return out
'''


def version(name, title="a version", *replacements):
    text = VERSION.replace("{name}", name).replace("{title}", title)
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return text


def write_twice(folder, versions):
    """kernels/twice with the given {name: text} of versions."""
    files = {"__init__.py": '"""out = 2 * x + 1"""\n', "reference.py": REFERENCE, "cases.toml": CASES}
    write(os.path.join(folder, "kernels", "twice"), {**files, **{name + ".py": text for name, text in versions.items()}})
