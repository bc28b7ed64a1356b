"""Allocators of scratch memory, which some kernels need in addition to their arguments.

    tessera.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))

The allocator is called for each launch, on a GPU, of a kernel whose metadata has global_scratch_size > 0. It returns an object
with data_ptr(). It is set for the current context (contextvars). Until a program sets one, the device allocates the memory.
"""
from __future__ import annotations

from contextvars import ContextVar

from .. import _native


class Buffer:
    """The type of an allocator's result; any object with data_ptr() works."""

    def data_ptr(self) -> int:
        raise NotImplementedError


class Allocator:
    """The type of allocators; any function with these parameters works."""

    def __call__(self, size: int, alignment: int, stream: int | None) -> Buffer:
        raise NotImplementedError


class NullAllocator:
    """The allocator of a context without one, in a program that has set one elsewhere: raises an error that says how to set one."""

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
    """Sets the allocator of scratch memory for the current context: `allocator(size, alignment, stream)`. None removes it in all
    contexts; the device then allocates the memory."""
    if _is_asked and allocator is not None:
        _set(allocator)
        return
    _set(_NULL_ALLOCATOR if allocator is None else allocator)
    _ask(allocator is not None)


def _ask_allocator(size: int, alignment: int, stream: int):
    """Called by launches, in the context of the caller."""
    return _allocator.get()(size, alignment, stream)


class _AllocatorWrapper:
    """Like a ContextVar, but with one value for the whole process."""

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
    """The same for profilers' memory, for the whole process; None removes the allocator."""
    _profile_allocator.set(_NULL_ALLOCATOR if allocator is None else allocator)
