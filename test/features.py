"""What this machine can test: one answer for lit, pytest and scripts/test.

    gpu      an NVIDIA driver with at least one device answers
    ptxas    NVIDIA's assembler is on PATH or in a CUDA toolkit's usual place
    libdevice  NVIDIA's library of device functions is in the toolkit
    triton   a Python with Triton is there to compare with ($TRITON_PYTHON, or python3 on PATH)
"""
import ctypes
import functools
import os
import shutil
import subprocess

# Why a test that requires the feature is skipped; printed beside its name.
WHY_NOT = {
    "gpu": "no NVIDIA GPU on this machine",
    "ptxas": "no ptxas on this machine",
    "libdevice": "no CUDA toolkit with libdevice on this machine",
    "triton": "no Python with Triton on this machine",
}


@functools.cache
def has_gpu():
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


@functools.cache
def ptxas():
    """The path of ptxas, or None."""
    for root in [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]:
        if root and os.access(os.path.join(root, "bin", "ptxas"), os.X_OK):
            return os.path.join(root, "bin", "ptxas")
    return shutil.which("ptxas")


@functools.cache
def has_libdevice():
    roots = [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    if ptxas():
        roots.append(os.path.dirname(os.path.dirname(os.path.realpath(ptxas()))))
    return any(root and os.path.exists(os.path.join(root, "nvvm/libdevice/libdevice.10.bc")) for root in roots)


@functools.cache
def triton_python():
    """A Python interpreter that can import triton, or None."""
    python = os.environ.get("TRITON_PYTHON") or shutil.which("python3")
    if not python:
        return None
    find = "import importlib.util as u, sys; sys.exit(u.find_spec('triton') is None)"
    try:
        found = subprocess.run([python, "-c", find], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return None
    return python if found else None


def available():
    have = {"gpu": has_gpu(), "ptxas": ptxas() is not None, "libdevice": has_libdevice(),
            "triton": triton_python() is not None}
    return {name for name, there in have.items() if there}
