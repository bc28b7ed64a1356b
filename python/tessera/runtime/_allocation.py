"""Who provides the memory that a kernel needs beside its arguments.

    tessera.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))

The allocator is asked at each launch on a GPU of a kernel whose metadata has global_scratch_size > 0. It holds for the
current context (contextvars), and returns anything with data_ptr(). Until a program sets one, the device provides the
memory itself.
"""
from __future__ import annotations

from contextvars import ContextVar

from .. import _native


class Buffer:
    """What an allocator returns; any object with data_ptr() will do."""

    def data_ptr(self) -> int:
        raise NotImplementedError


class Allocator:
    """The type of allocators; any function of these arguments will do."""

    def __call__(self, size: int, alignment: int, stream: int | None) -> Buffer:
        raise NotImplementedError


class NullAllocator:
    """The one of contexts in which none was set, in a program that set one elsewhere: it says how to set one."""

    def __call__(self, size: int, alignment: int, stream):
        raise RuntimeError(f"the kernel needs {size} bytes of memory beside its arguments and nobody provides them: "
                           "call triton.set_allocator with f(size, alignment, stream) -> buffer")


_NULL_ALLOCATOR = NullAllocator()

_allocator: ContextVar = ContextVar("_allocator", default=_NULL_ALLOCATOR)


_set = _allocator.set
_is_asked = False  # whether launches call _ask_allocator


def _ask(asks: bool) -> None:
    global _is_asked
    _native.set_allocator(_ask_allocator if asks else None)
    _is_asked = asks


def set_allocator(allocator) -> None:
    """From now on, in this context, scratch memory of kernels comes from `allocator(size, alignment, stream)`; with None, from
    the device again, in all contexts."""
    if _is_asked and allocator is not None:
        _set(allocator)
        return
    _set(_NULL_ALLOCATOR if allocator is None else allocator)
    _ask(allocator is not None)


def _ask_allocator(size: int, alignment: int, stream: int):
    """Called by launches, in the context of whoever launches."""
    return _allocator.get()(size, alignment, stream)


class _AllocatorWrapper:
    """Like a ContextVar, but of the whole process."""

    def __init__(self, allocator) -> None:
        self._allocator = allocator

    def get(self):
        return self._allocator

    def set(self, allocator) -> None:
        self._allocator = allocator

    def __call__(self, size: int, alignment: int, stream):
        return self._allocator(size, alignment, stream)


_profile_allocator = _AllocatorWrapper(_NULL_ALLOCATOR)


def set_profile_allocator(allocator) -> None:
    """The same for the memory of profilers, in the whole process; None takes it back."""
    _profile_allocator.set(_NULL_ALLOCATOR if allocator is None else allocator)
