"""What this machine can test: one answer for lit, pytest and scripts/test.

    gpu      an NVIDIA driver with at least one device answers
    ptxas    NVIDIA's assembler is on PATH or in a CUDA toolkit's usual place
    nvdisasm NVIDIA's disassembler is there, in the same places
    libdevice  NVIDIA's library of device functions is in the toolkit
    triton   a Python with Triton is there to compare with ($TRITON_PYTHON, or python3 on PATH)
"""
import ctypes
import functools
import importlib.util
import os
import shutil
import subprocess

# Why a test that requires the feature is skipped; printed beside its name.
WHY_NOT = {
    "gpu": "no NVIDIA GPU on this machine",
    "amd-gpu": "no AMD GPU with HIP 6 or later on this machine",
    "ptxas": "no ptxas on this machine",
    "nvdisasm": "no nvdisasm on this machine",
    "libdevice": "no CUDA toolkit with libdevice on this machine",
    "triton": "no Python with Triton on this machine",
}


def ocml():
    """The path of ROCm's ocml.bc, or None."""
    roots = [os.environ.get("ROCM_PATH"), "/opt/rocm"]
    files = [os.environ.get("TESSERA_OCML_PATH", ""), *(os.path.join(root, "amdgcn/bitcode/ocml.bc") for root in roots if root)]
    return next(filter(os.path.exists, files), None)


@functools.cache
def hip_headers():
    """The folder of HIP's headers, of ROCm or of an installed Triton; empty if there are none."""
    triton = importlib.util.find_spec("triton")
    roots = ["/opt/rocm/include", "/usr/include"]
    if triton and triton.origin:
        roots.append(os.path.join(os.path.dirname(triton.origin), "backends", "amd", "include"))
    return next((root for root in roots if os.path.exists(os.path.join(root, "hip", "hip_runtime_api.h"))), "")


@functools.cache
def find_hip():
    """HIP's library, opened; None if there is none."""
    for name in ("libamdhip64.so.7", "libamdhip64.so.6", "/opt/rocm/lib/libamdhip64.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    return None


@functools.cache
def has_amd_gpu():
    hip, count = find_hip(), ctypes.c_int(0)
    return bool(hip) and hip.hipInit(0) == 0 and hip.hipGetDeviceCount(ctypes.byref(count)) == 0 and count.value > 0


@functools.cache
def has_gpu():
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def triton_file(path):
    """What this Python's Triton, where there is one, brings along of the CUDA toolkit."""
    found = importlib.util.find_spec("triton")
    file = found and os.path.join(os.path.dirname(found.origin), "backends", "nvidia", path)
    return file if file and os.path.exists(file) else None


def toolkit_program(name):
    """The path of a program of the CUDA toolkit, or None."""
    for root in [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]:
        if root and os.access(os.path.join(root, "bin", name), os.X_OK):
            return os.path.join(root, "bin", name)
    return shutil.which(name) or triton_file(os.path.join("bin", name))


@functools.cache
def ptxas():
    return toolkit_program("ptxas")


@functools.cache
def nvdisasm():
    return toolkit_program("nvdisasm")


@functools.cache
def libdevice():
    """The path of libdevice.10.bc, or None."""
    roots = [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    if ptxas():
        roots.append(os.path.dirname(os.path.dirname(os.path.realpath(ptxas()))))
    files = [os.path.join(root, "nvvm/libdevice/libdevice.10.bc") for root in roots if root]
    return next(filter(os.path.exists, files), None) or triton_file("lib/libdevice.10.bc")


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
    have = {"gpu": has_gpu(), "ptxas": ptxas() is not None, "nvdisasm": nvdisasm() is not None, "libdevice": libdevice() is not None,
            "triton": triton_python() is not None}
    return {name for name, there in have.items() if there}
