"""Prints the progress of a search for the best configuration to standard error.

On a terminal a status line appears once the search has lasted half a second:

    autotune matmul_kernel: 5/8 compiled, 3/8 timed, 1 failed, best 0.412 ms

It stays if the search is interrupted, and is replaced by the choice at the end. With TRITON_PRINT_AUTOTUNING=1, also into files
and pipes, each configuration gets a line, and the search a summary:

    autotune matmul_kernel: 8 configurations, key (4096, 4096, 4096, 'torch.float16')
    [3/8] BM: 128, BN: 128, BK: 64, num_warps: 8, num_stages: 3: 0.412 ms, 168 registers, 0 spills
    [4/8] BM: 256, BN: 256, BK: 64, num_warps: 8, num_stages: 4: out of resource: shared memory, ...
    autotune matmul_kernel: close: [3] 0.411 ms, [7] 0.415 ms
    autotune matmul_kernel: chose [3/8] BM: 128, ...: 0.412 ms (8 configurations, 1 failed, 1.52 s)

Printing must not end a search: errors of the stream are ignored.
"""
from __future__ import annotations

import re
import shutil
import sys
import time

from ... import knobs

QUIET_SECONDS = 0.5  # a shorter search prints nothing to a terminal
REDRAW_SECONDS = 0.05
CLOSE = 5  # the number of contenders that the summary shows
ROWS = 3  # the largest number of terminal rows for the final line


def short_text(config):
    """The configuration without options that have their defaults."""
    parts = [f"{name}: {value}" for name, value in config.kwargs.items()]
    parts += [f"{name}: {getattr(config, name)}" for name in ("num_warps", "num_stages") if getattr(config, name) is not None]
    if config.num_ctas not in (None, 1):
        parts.append(f"num_ctas: {config.num_ctas}")
    parts += [f"{name}: {getattr(config, name)}" for name in ("maxnreg", "ir_override") if getattr(config, name) is not None]
    return ", ".join(parts)


def first_line(problem, width=200):
    """A failure in one line: the sentence that says why, with the file's name and line in front if there is a place."""
    text = getattr(problem, "one_line", None) or _line_that_tells(problem)
    return text if len(text) <= width else text[:width - 1] + "…"


def _line_that_tells(problem):
    """The line with the reason, of an exception without fields: one that was read from the store, or another package's."""
    lines = [line.strip() for line in str(problem).split("\n") if line.strip()]
    said = [line for line in lines if any(f"{word}:" in line for word in ("error", "unsupported", "internal"))] or lines
    text = said[0] if said else type(problem).__name__
    return re.sub(r"^(Autotuner error: )?/\S*/(?=[^/\s]+:\d+:)", "", text)  # without the folder, which is the same for all


def milliseconds(timing):
    """The first number of a timing, formatted."""
    value = timing[0] if isinstance(timing, (list, tuple)) else timing
    return f"{value:.3f} ms" if value >= 0.1 else f"{value * 1e3:.2f} us"


class Progress:
    """`stream` is standard error as it is when the search begins: pytest and notebooks replace it."""

    def __init__(self, kernel, key, total, full, stream=None):
        self.kernel, self.total, self.full = kernel, total, full
        self.stream = stream or sys.stderr
        try:
            self.is_terminal = self.stream is not None and self.stream.isatty() and knobs.variable("TERM") != "dumb"
        except (AttributeError, ValueError):
            self.is_terminal = False
        self.begin, self.drawn, self.is_drawn = time.monotonic(), 0.0, False
        self.compiled = self.timed = self.failed = 0
        self.best = None
        if full:
            self._line(f"autotune {kernel}: {total} configurations, key {key}")

    def has_known(self, trial):
        """A configuration whose timing was stored."""
        self.compiled += 1
        self.timed += trial.error is None
        self.failed += trial.error is not None
        self.report(trial)

    def has_compiled(self):
        self.compiled += 1
        self._draw()

    def has_timed(self, trial):
        self.timed += 1
        time = trial.timing[0] if isinstance(trial.timing, (list, tuple)) else trial.timing
        self.best = time if self.best is None else min(self.best, time)
        self.report(trial)
        self._draw()

    def has_raced(self, trials):
        """The configurations that were measured in turns, with their new timings."""
        if len(trials) > 1:
            best = sorted(trials, key=lambda trial: trial.timing)[:CLOSE]
            more = f" and {len(trials) - CLOSE} more" if len(trials) > CLOSE else ""
            self.note("close: " + ", ".join(f"[{trial.index + 1}] {milliseconds(trial.timing)}" for trial in best) + more)

    def has_failed(self, trial):
        self.failed += 1
        self.report(trial)
        self._draw()

    def report(self, trial):
        """The line of one configuration."""
        if self.full:
            self._line(f"[{trial.index + 1}/{self.total}] {short_text(trial.config)}: {self._outcome(trial)}")

    def note(self, text):
        if self.full:
            self._line(f"autotune {self.kernel}: {text}")

    def finish(self, trial, seconds):
        shown = self.full or (self.is_terminal and seconds >= QUIET_SECONDS)
        self.clear()
        if not shown:
            return
        failed = f", {self.failed} failed" if self.failed else ""
        hint = "" if self.full or not self.failed else "; TRITON_PRINT_AUTOTUNING=1 says why"
        begin, config = f"autotune {self.kernel}: chose [{trial.index + 1}/{self.total}] ", short_text(trial.config)
        end = f": {self._outcome(trial)} ({self.total} configurations{failed}, {seconds:.2f} s{hint})"
        room = ROWS * self._columns() - len(begin) - len(end) - 3  # an ellipsis may take three columns
        if not self.full and len(config) > room:
            config = config[:max(room, 20)] + "…"
        self._line(begin + config + end)

    def _outcome(self, trial):
        stored = " (stored)" if trial.is_stored else ""
        if trial.error is not None:
            return first_line(trial.error) + stored
        parts = [milliseconds(trial.timing)] if trial.timing is not None else ["not timed"]
        if trial.registers is not None:
            parts += [f"{trial.registers} registers", f"{trial.spills} spills"]
        if trial.attempts:
            parts.append(f"tried {trial.attempts}")
        return ", ".join(parts) + stored

    @staticmethod
    def _columns():
        return shutil.get_terminal_size().columns

    def _state(self, room):
        """Draws the status line, cut to the width of the terminal."""
        failed = [f"{self.failed} failed"] if self.failed else []
        best = [f"best {milliseconds(self.best)}"] if self.best is not None else []
        counts = [f"{self.compiled}/{self.total} compiled", f"{self.timed}/{self.total} timed", *failed, *best]
        short = [f"{self.compiled}/{self.total}", f"{self.timed} timed", *failed, *best]
        for name, parts in ((f"autotune {self.kernel}: ", counts), ("autotune: ", counts), ("autotune: ", short), ("", short)):
            text = name + ", ".join(parts)
            if len(text) <= room:
                break
        return text[:room]

    def _draw(self):
        now = time.monotonic()
        if not self.is_terminal or now - self.begin < QUIET_SECONDS or now - self.drawn < REDRAW_SECONDS:
            return
        self._write("\r" + self._state(self._columns() - 1) + "\x1b[K")
        self.drawn, self.is_drawn = now, True

    def clear(self):
        if self.is_drawn:
            self._write("\r\x1b[K")
            self.is_drawn = False

    def stop(self):
        """Called after an interrupt: leaves the status line on the screen."""
        if self.is_drawn:
            self._write("\r" + self._state(self._columns() - 1) + "\x1b[K\n")
            self.is_drawn = False

    def _line(self, text):
        self.clear()
        self._write(text + "\n")

    def _write(self, text):
        try:
            encoding = getattr(self.stream, "encoding", None) or "utf-8"
            try:
                text.encode(encoding)
            except UnicodeEncodeError:
                text = text.replace("…", "...")
            self.stream.write(text.encode(encoding, "replace").decode(encoding))
            self.stream.flush()
        except (AttributeError, OSError, ValueError, LookupError):
            pass
