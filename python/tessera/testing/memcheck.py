"""Tests that run again under the CUDA toolkit's memory checker: cuda_memcheck."""
from __future__ import annotations

import functools
import os

from .. import knobs


def cuda_memcheck(**target_kwargs):
    """Decorator for pytest tests with a `request` fixture: calls whose arguments include these run again under the memory
    checker of the CUDA toolkit (compute-sanitizer, formerly cuda-memcheck), which must find nothing."""
    def decorator(test_fn):
        @functools.wraps(test_fn)
        def wrapper(*args, **kwargs):
            if not target_kwargs.items() <= kwargs.items() or knobs.variable("TESSERA_UNDER_MEMCHECK"):
                test_fn(*args, **kwargs)
                return
            assert "request" in kwargs, "memcheck'ed test must have a (possibly unused) `request` fixture"
            import subprocess
            path = os.path.realpath(test_fn.__globals__["__file__"])
            test = f"{path}::{test_fn.__name__}[{kwargs['request'].node.callspec.id}]"
            environment = {"PATH": knobs.variable("PATH"), "PYTORCH_NO_CUDA_MEMORY_CACHING": "1", "TESSERA_UNDER_MEMCHECK": "1"}
            done = subprocess.run([_memory_checker(), "pytest", "-vs", test], capture_output=True, env=environment)
            assert done.returncode == 0, "the memory checker returned an error: bounds checking failed"
            assert b"ERROR SUMMARY: 0 errors" in done.stdout
        return wrapper
    return decorator


def _memory_checker():
    import shutil
    return shutil.which("compute-sanitizer") or "cuda-memcheck"
