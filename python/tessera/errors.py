"""The root of what Tessera raises on purpose: `except tessera.TritonError` catches all of it.

The name is Triton's, so that code written for one of them catches the other's errors too.
"""


class TritonError(Exception):
    """Something is wrong with a kernel, or with what this machine can do with it."""
