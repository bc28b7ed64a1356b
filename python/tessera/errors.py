"""The root of what Tessera raises on purpose: `except tessera.TritonError` catches all of it.

The name is Triton's, so that code written for one of them catches the other's errors too.
"""


class TritonError(Exception):
    """Something is wrong with a kernel, or with what this machine can do with it."""

    @property
    def _says_all(self):
        """Whether the text is all that users need: a launch then drops the lines of this package from the traceback."""
        from . import knobs
        return not knobs.compilation.front_end_debugging


def plain(error):
    """Marks an exception of Python's own as one that says all."""
    error._says_all = True
    return error


def without_frames(error):
    """The error, to be raised again: without its traceback if it says all."""
    return error.with_traceback(None) if getattr(error, "_says_all", False) else error
