"""One line on a terminal about work that takes long: an assembler, many variants.

    tell("ptxas, on mm_kernel (1.2 MiB of PTX)", 2.0)         called by the extension after two seconds
    with Waiting("add_kernel", 72) as waiting: ...            waiting.done() after each of 72 compilations
"""
from __future__ import annotations

import sys
import time

AFTER = 2.0  # seconds


def is_terminal() -> bool:
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except (AttributeError, ValueError):  # a replaced or closed stream
        return False


def tell(work: str, seconds: float) -> None:
    if is_terminal():
        sys.stderr.write(f"tessera: waiting for {work}; Ctrl-C ends it\n")  # in one piece: print() can be interrupted before the newline
        sys.stderr.flush()


class Waiting:
    """Counts compilations on a line of its own, from the second second on; the line is erased at the end."""

    def __init__(self, name: str, count: int) -> None:
        self.name, self.count, self.made = name, count, 0
        self._begin, self._is_shown = time.monotonic(), False

    def done(self) -> None:
        self.made += 1
        if time.monotonic() - self._begin >= AFTER and is_terminal():
            self._is_shown = True
            print(f"\r\x1b[Ktessera: {self.name}: {self.made} of {self.count} variants compiled", end="", file=sys.stderr,
                  flush=True)

    def __enter__(self) -> Waiting:
        return self

    def __exit__(self, *exception) -> None:
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
