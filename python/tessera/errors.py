"""TritonError, the base class of Tessera's exceptions, and helpers that keep this package's frames out of tracebacks.

The name is Triton's, so that code that was written for one of them also catches the other's errors.
"""
import os
import sys

_PACKAGE = os.path.dirname(__file__) + os.sep


class TritonError(Exception):
    """A kernel is wrong, or this machine cannot compile or launch it."""

    @property
    def _says_all(self):
        """Returns whether the message is complete, so that a launch removes this package's frames from the traceback."""
        return _texts_say_all()


def _texts_say_all():
    from . import knobs
    return not knobs.compilation.front_end_debugging


def plain(error):
    """Marks a built-in exception as one with a complete message."""
    error._says_all = _texts_say_all()
    return error


def without_frames(error):
    """The error, to be raised again, without its traceback if its message is complete."""
    return error.with_traceback(None) if getattr(error, "_says_all", False) else error


def level_of_program():
    """The `stacklevel` of a warning that the caller issues: that of the first function outside of this package. The number of
    frames in between depends on how a kernel was launched."""
    frame, level = sys._getframe(1), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level
