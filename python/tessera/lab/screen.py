"""What the lab shows on a terminal: progress in one line that is rewritten, tables, colours if the terminal has them."""
import os
import re
import shutil
import sys
import threading
import time

ANSI = re.compile(r"\033\[[0-9;]*m")
CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


class Screen:
    """`out` is standard output; with quiet=True everything goes to standard error, because standard output has JSON."""

    def __init__(self, quiet=False, brief=False, steps=True):
        self.out = sys.stderr if quiet else sys.stdout
        self.brief, self.steps, self.lock = brief, steps, threading.RLock()
        self.is_terminal = self.out.isatty() and os.environ.get("TERM") != "dumb"
        self.has_colour = self.is_terminal and "NO_COLOR" not in os.environ
        self.shown, self.last, self.begin = False, 0.0, time.monotonic()

    def paint(self, colour, text):
        return f"\033[{CODES[colour]}m{text}\033[0m" if self.has_colour else text

    def width(self):
        return shutil.get_terminal_size((100, 24)).columns

    def line(self, text=""):
        with self.lock:
            self.clear()
            try:
                print(text, file=self.out, flush=True)
            except UnicodeEncodeError:
                print(text.encode("ascii", "replace").decode(), file=self.out, flush=True)

    def heading(self, text):
        self.line()
        self.line(self.paint("bold", text))

    def clear(self):
        if self.shown:
            self.out.write("\r\033[K")
            self.shown = False

    def progress(self, text):
        """On a terminal, one line that the next one replaces; elsewhere a line every ten seconds."""
        with self.lock:
            now = time.monotonic()
            stamp = f"{now - self.begin:5.0f} s  "
            if self.is_terminal:
                room = self.width() - len(stamp) - 1
                self.out.write("\r\033[K" + self.paint("dim", stamp + (text if len(text) <= room else text[:room - 1] + "…")))
                self.out.flush()
                self.shown = True
            elif now - self.last > 10:
                self.last = now
                print(stamp + text, file=self.out, flush=True)

    def table(self, rows, head=None, align=None, indent=2):
        """Columns as wide as their widest cell; cells may have colours. `align`: "<" or ">" for each column."""
        rows = [[str(cell) for cell in row] for row in rows]
        every = ([head] if head else []) + rows
        if not every:
            return
        columns = max(len(row) for row in every)
        align = align or "<" + ">" * (columns - 1)
        whole = [row for row in every if len(row) == columns]  # the last cell of a shorter row may run over the next columns
        widths = [max([len(plain(row[i])) for row in whole] + [len(plain(row[i])) for row in every if i < len(row) - 1]) for i in range(columns)]
        if head:
            self.line(" " * indent + self.paint("dim", join(head, widths, align)))
        for row in rows:
            self.line(" " * indent + join(row, widths, align))

    # ---- events

    def step(self, text):
        """A step of a run over several operators is done."""
        if self.brief and self.steps:
            self.line(self.paint("dim", f"{time.monotonic() - self.begin:5.0f} s  ") + text)

    def checked(self, op, version, step, outcome):
        name = f"{op} {version}" if self.brief else version
        where = "under the sanitizer" if step == "sanitizer" else "on the device"
        if outcome["ok"]:
            if not self.brief:
                self.line(f"  {self.paint('green', 'ok')}      {name:<16} {outcome['passed']} cases {where}, largest error {outcome['worst']:.1e}")
            return
        failed = outcome["failed"]
        which = f"case {outcome['passed'] + 1} of {outcome['cases']} ({failed['case']})" if outcome["passed"] < outcome["cases"] else failed["case"]
        self.line(f"  {self.paint('red', 'FAILED')}  {name:<16} {where}, {which}: {KINDS.get(failed['what'], failed['what'])}")
        for text in str(failed["message"]).rstrip().split("\n")[:12]:
            self.line("          " + text)


KINDS = {"value": "a wrong value", "shape": "a wrong shape", "dtype": "a wrong type", "count": "a wrong number of results",
         "raised": "it raised an error", "memory": "the sanitizer found a mistake", "race": "a data race",
         "mutated": "it changes an input", "uninitialized": "it reads uninitialized memory", "nondeterministic": "it is not deterministic",
         "cached": "it returns an earlier result", "aliased": "results share memory", "gradient": "a wrong gradient",
         "accepted": "it accepts a wrong argument", "message": "the error message is unclear", "hung": "it hangs", "died": "it crashes",
         "no-kernel": "no kernel", "inputs": "the inputs cannot be made"}


def plain(text):
    return ANSI.sub("", text)


def join(row, widths, align):
    parts = []
    for cell, width, side in zip(row, widths, align):
        space = " " * max(0, width - len(plain(cell)))
        parts.append(cell + space if side == "<" else space + cell)
    return "  ".join(parts).rstrip()


# ---- names and numbers ----------------------------------------------------------------------------------------

def shown_name(contestant):
    """v2_tiling, v2_tiling (Triton), torch, cuDNN."""
    kind, _, name = contestant.partition(":")
    return contestant if not name else f"{name} (Triton)" if kind == "triton" else name


def duration(us):
    """1.23 us, 45.6 us, 7.89 ms, 1.20 s with three digits."""
    for limit, factor, unit in ((1e3, 1, "µs"), (1e6, 1e3, "ms"), (float("inf"), 1e6, "s")):
        if us < limit * 0.9995:
            return f"{digits(us / factor)} {unit}"


def digits(value):
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def amount(value, unit):
    """2.10 GB, 34.4 GFLOP."""
    for factor, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{digits(value / factor)} {prefix}{unit}"
    return f"{digits(value)} {unit}" if value % 1 else f"{int(value)} {unit}"
