"""The root of what Tessera raises on purpose: `except tessera.TritonError` catches all of it.

The name is Triton's, so that code written for one of them catches the other's errors too. Below it, what lets errors and warnings
show the program's lines and not this package's.
"""
import os
import sys

_PACKAGE = os.path.dirname(__file__) + os.sep


class TritonError(Exception):
    """Something is wrong with a kernel, or with what this machine can do with it."""

    @property
    def _says_all(self):
        """Whether the text is all that users need: a launch then drops the lines of this package from the traceback."""
        return _texts_say_all()


def _texts_say_all():
    from . import knobs
    return not knobs.compilation.front_end_debugging


def plain(error):
    """Marks an exception of Python's own as one that says all."""
    error._says_all = _texts_say_all()
    return error


def without_frames(error):
    """The error, to be raised again: without its traceback if it says all."""
    return error.with_traceback(None) if getattr(error, "_says_all", False) else error


def level_of_program():
    """The `stacklevel` for a warning of who calls this: that of the first function outside of this package. How many of its own
    are in between depends on how a kernel was launched."""
    frame, level = sys._getframe(1), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level
