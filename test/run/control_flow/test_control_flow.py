"""Random programs of branches, loops, early returns and calls do what the same Python code does.

Each program is ordinary Python on ints, so that CPython itself is the reference: nested `if`s that return on some
paths, `for` and `while` loops that carry names, tuples, functions that call functions. All values stay below 2^16.
"""
import random

import numpy as np
import pytest

PROGRAMS = 40
CALLS = 64
NAMES = ["x", "y", "z"]
PRELUDE = "import triton\nimport triton.language as tl\n"


class Writer:
    """Writes one random program; `functions` may be called by what is written later."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines = []
        self.functions = []
        self.loops = 0

    def pick(self, *choices):
        return self.rng.choice(choices)

    def atom(self):
        return self.pick(str(self.rng.randrange(20)), *NAMES, *NAMES)

    def expression(self, depth=2):
        kind = self.rng.randrange(8 if depth else 2)
        if kind < 2:
            return self.atom()
        if kind == 2 and self.functions:
            return f"{self.pick(*self.functions)}({self.expression(depth - 1)}, {self.expression(depth - 1)})"
        if kind == 3:
            return f"({self.expression(depth - 1)} if {self.condition()} else {self.expression(depth - 1)} + 0 * x)"
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        return f"(({left} {self.pick('+', '-', '*', '^', '|')} {right}) & 65535)"

    def condition(self):
        one = f"{self.pick(*NAMES)} {self.pick('<', '>', '==', '!=', '<=', '>=')} {self.expression(1)}"
        return one if self.rng.random() < 0.8 else f"{one} {self.pick('and', 'or')} {self.pick(*NAMES)} > 7"

    def block(self, indent, depth, in_loop):
        for _ in range(self.rng.randrange(1, 4)):
            self.statement(indent, depth, in_loop)

    def put(self, indent, text):
        self.lines.append("    " * indent + text)

    def statement(self, indent, depth, in_loop):
        kind = self.rng.randrange(9 if depth else 3)
        name = self.pick(*NAMES)
        if kind < 2:
            self.put(indent, f"{name} = {self.expression()} + 0 * {self.pick(*NAMES)}")
        elif kind == 2:
            self.put(indent, f"{name}, {self.pick(*[n for n in NAMES if n != name])} = {self.atom()} + 0 * x, {self.expression()} + 0 * y")
        elif kind < 6:
            self.put(indent, f"if {self.condition()}:")
            self.block(indent + 1, depth - 1, in_loop)
            if not in_loop and self.rng.random() < 0.5:
                self.put(indent + 1, f"return {self.expression()} + 0 * x")
            if self.rng.random() < 0.5:
                self.put(indent, "else:")
                self.block(indent + 1, depth - 1, in_loop)
                if not in_loop and self.rng.random() < 0.3:
                    self.put(indent + 1, f"return {self.expression()} + 0 * x")
        elif kind < 8:
            self.loops += 1
            index = f"i{self.loops}"
            bounds = self.pick(f"({self.atom()}) & 3", "3", f"1, 2 + (({self.atom()}) & 3)", f"5, ({self.atom()}) & 3, -2")
            loop = self.pick("range", "range", "tl.static_range") if "(" not in bounds else "range"
            self.put(indent, f"for {index} in {loop}({bounds}):")
            self.put(indent + 1, f"{name} = ({name} + {index}) & 65535")
            self.block(indent + 1, depth - 1, in_loop or loop == "range")
        else:
            self.loops += 1
            count = f"n{self.loops}"
            self.put(indent, f"{count} = ({self.atom()}) & 3")
            self.put(indent, f"{count} += 0 * x")
            self.put(indent, f"while {count} > 0:")
            self.put(indent + 1, f"{count} -= 1")
            self.block(indent + 1, depth - 1, True)

    def function(self, name):
        self.put(0, "\n\n@triton.jit")
        self.put(0, f"def {name}(x, y):")
        self.put(1, "x = x + 0\n    y = y + 0\n    z = (x + y) & 65535")
        for _ in range(self.rng.randrange(2, 5)):
            self.statement(1, 3, False)
        self.put(1, f"return {self.expression()} + 0 * x")
        self.functions.append(name)


def write_program(seed):
    writer = Writer(seed)
    for number in range(3):
        writer.function(f"f{number}")
    body = "\n".join(writer.lines)
    kernel = ("\n\n\n@triton.jit\ndef kernel(out, xs, ys):\n    i = tl.program_id(0)\n"
              "    tl.store(out + i, f2(tl.load(xs + i), tl.load(ys + i)))\n")
    return PRELUDE + body + kernel


class _Language:
    """What `tl` and `triton` are to CPython here."""
    static_range = staticmethod(range)
    jit = staticmethod(lambda function: function)


def run_in_python(text, xs, ys):
    names = {"tl": _Language, "triton": _Language}
    exec(text.removeprefix(PRELUDE), names)
    return [names["f2"](int(x), int(y)) for x, y in zip(xs, ys)]


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_program(run, seed):
    text = write_program(seed)
    rng = np.random.default_rng(seed)
    xs, ys = (rng.integers(0, 40, CALLS).astype(np.int32) for _ in range(2))
    after = run(text, "kernel", "*i32,*i32,*i32", (CALLS,),
                {"out": np.full(CALLS, -1, np.int32), "xs": xs, "ys": ys})
    expected = run_in_python(text, xs, ys)
    wrong = [i for i in range(CALLS) if after["out"][i] != expected[i]]
    assert not wrong, f"{len(wrong)} of {CALLS} differ, first f2({xs[wrong[0]]}, {ys[wrong[0]]}) = " \
                      f"{after['out'][wrong[0]]} for {expected[wrong[0]]}:\n{text}"
