"""Compiling many kernels at once.

    with AsyncCompileMode(ThreadPoolExecutor()):
        for config in configs:
            kernel.warmup(*args, grid=grid, **config)        # returns at once
    # all of them are compiled here

Compilations do not hold the GIL, so threads run them in parallel.
"""
from __future__ import annotations

from contextvars import ContextVar

active_mode: ContextVar = ContextVar("async_compile_active_mode", default=None)


class FutureKernel:
    """A kernel that is being compiled. `result()` waits for it; so does the first use of any other attribute."""

    def __init__(self, finalize_compile, future) -> None:
        self.finalize_compile = finalize_compile
        self.future = future
        self.kernel = None

    def result(self, ignore_errors: bool = False):
        if self.kernel is None:
            try:
                kernel = self.future.result()
            except Exception:
                if ignore_errors:
                    return None
                raise
            self.finalize_compile(kernel)
            self.kernel = kernel
        return self.kernel

    def __getattr__(self, name: str):
        return getattr(self.result(), name)

    def __getitem__(self, grid):
        return self.result()[grid]


class AsyncCompileMode:
    """While it is active, `executor` runs the compilations; leaving it waits for them."""

    def __init__(self, executor, *, ignore_errors: bool = False) -> None:
        self.executor = executor
        self.ignore_errors = ignore_errors
        self.future_kernels: dict = {}

    @property
    def raw_futures(self) -> list:
        return [kernel.future for kernel in self.future_kernels.values()]

    def submit(self, key, compile_fn, finalize_fn) -> FutureKernel:
        """The kernel of `key`; the executor calls compile_fn(), and this thread calls finalize_fn(kernel) once."""
        kernel = self.future_kernels.get(key)
        if kernel is None:
            kernel = self.future_kernels[key] = FutureKernel(finalize_fn, self.executor.submit(compile_fn))
        return kernel

    def __enter__(self) -> AsyncCompileMode:
        if active_mode.get() is not None:
            raise RuntimeError("another AsyncCompileMode is active already")
        active_mode.set(self)
        return self

    def __exit__(self, *exception) -> None:
        active_mode.set(None)
        first = None
        for kernel in self.future_kernels.values():
            try:
                kernel.result(self.ignore_errors)
            except Exception as error:  # wait for the others nevertheless
                first = first or error
        if first is not None and exception[0] is None:
            raise first
