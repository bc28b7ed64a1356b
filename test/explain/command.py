"""Runs `tessera explain` for the tests of this folder."""
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESSERA = os.path.join(ROOT, os.environ.get("BUILD", "build"), "bin", "tessera")
ADD = ["examples/add.py", "-s", "*fp32:16,*fp32:16,*fp32:16,i32:16,1024"]
MATMUL = ["examples/matmul.py", "-n", "matmul_kernel"]
# One tile of each operand is more than the shared memory.
TOO_LARGE = [*MATMUL, "-w", "8", "--tma", "off", "-s",
             "*fp16:16,*fp16:16,*fp16:16,i32,i32,i32,i32:16,i32:1,i32:16,i32:1,i32:16,i32:1,128,256,512,8,0"]


def explain(*arguments, status=0, cwd=ROOT, env=None):
    """What the command prints, stdout and stderr; the exit status must be the given one, unless that is None."""
    done = subprocess.run([TESSERA, "explain", *map(str, arguments)], cwd=cwd, env={**os.environ, **(env or {})},
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    assert status is None or done.returncode == status, f"status {done.returncode}\n{out}\n{err}"
    return out, err


def shown(*arguments, **more):
    return explain(*arguments, **more)[0]


def read(*arguments, **more):
    """The kernels of --json."""
    return json.loads(explain(*arguments, "--json", **more)[0])["kernels"]
