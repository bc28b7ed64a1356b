"""The steps of a random kernel: lines of its text, each with a function of NumPy arrays that means the same.

    Step([v], ["v1 = v0 + 3"], lambda env: [env["v0"] + 3]).run(env)

Loops and branches hold lists of steps. Integers wrap; floats hold integers so small that every result is exact.
"""
import numpy as np

from tiles import jit, offsets

TYPES = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u32": np.uint32}
# Floats hold integers up to these, so that a product and a sum are exact; tiles of them are float64 here.
EXACT = {"f16": 31, "f32": 2047, "f64": 1 << 20}
WORDS = {name: f"tl.{np.dtype(kind).name}" for name, kind in TYPES.items() if name != "i1"}
WORDS |= {"f16": "tl.float16", "f32": "tl.float32", "f64": "tl.float64"}
TYPES |= {name: np.float64 for name in EXACT}
INPUT, SCRATCH, OUTPUT = 8192, 4096, 1 << 16  # elements of the three arrays, the last two for each program
PROGRAMS = 3
HIGHEST_RANK = 5

FUNCTIONS = (jit("product", "a, b", "return a * b") + jit("conjunction", "a, b", "return a & b")
             + jit("affine", "a, b, c, d", "return a * c, b * c + d")
             + jit("complex", "a, b, c, d", "return a * c - b * d, a * d + b * c")
             + jit("mix", "a, b, c", "for i in range(c):\n    a, b = b, a * 5 + b\nreturn a, a ^ b")
             + jit("steps_to_one", "n", "steps = 0\nwhile (n > 1) & (steps < 40):\n    if n % 2 == 0:\n        n = n // 2\n    else:\n"
                   "        n = 3 * n + 1\n    steps += 1\nreturn steps")
             + jit("chosen", "a, b", "if (a ^ b) & 1 == 0:\n    r = a + b\nelse:\n    r = (a & b) + (a | b)\nreturn r"))


class Returned(Exception):
    """The program ended early."""


class Value:
    def __init__(self, name, shape, kind):
        self.name, self.shape, self.kind = name, tuple(shape), kind
        self.size = int(np.prod(self.shape))


class Step:
    """`lines` compute `results`; `meaning(env)` gives their arrays. Memory is env["in"], env["scratch"] and env["out"]."""

    def __init__(self, results, lines, meaning):
        self.results, self.lines, self.meaning = results, lines, meaning

    def text(self, indent):
        return [" " * indent + line for line in self.lines]

    def run(self, env):
        arrays = self.meaning(env)
        for result, array in zip(self.results, arrays):
            array = np.asarray(array)
            assert array.shape == result.shape, (self.lines, array.shape, result.shape)
            env[result.name] = array.astype(TYPES[result.kind])


class Loop:
    """for or while: carries values by name. `yields` are the names that the carried ones become."""

    def __init__(self, carried, starts, count, body, yields, index, is_while):
        self.results, self.starts, self.count, self.body, self.yields = carried, starts, count, body, yields
        self.index, self.is_while = index, is_while

    def text(self, indent):
        pad, inner = " " * indent, " " * (indent + 4)
        lines = [f"{pad}{c.name} = {s}" for c, s in zip(self.results, self.starts)]
        if self.is_while:
            lines += [f"{pad}{self.index} = 0", f"{pad}while {self.index} < {self.count}:"]
        else:
            lines.append(f"{pad}for {self.index} in range({self.count}):")
        for step in self.body:
            lines += step.text(indent + 4)
        lines.append(f"{inner}{', '.join(c.name for c in self.results)} = {', '.join(self.yields)}")
        if self.is_while:
            lines.append(f"{inner}{self.index} += 1")
        return lines

    def run(self, env):
        for c, s in zip(self.results, self.starts):
            env[c.name] = env[s]
        for i in range(int(env[self.count]) if self.count in env else int(self.count)):
            env[self.index] = np.int32(i)
            run_steps(self.body, env)
            new = [env[name] for name in self.yields]
            for c, array in zip(self.results, new):
                env[c.name] = array


class Branch:
    """if and else that give the results: `taken` and `other` are names inside each."""

    def __init__(self, results, condition, then, taken, otherwise, other):
        self.results, self.condition = results, condition
        self.then, self.taken, self.otherwise, self.other = then, taken, otherwise, other

    def text(self, indent):
        lines = []
        for head, body, names in ((f"if {self.condition} % 2 == 0:", self.then, self.taken), ("else:", self.otherwise, self.other)):
            lines.append(" " * indent + head)
            for step in body:
                lines += step.text(indent + 4)
            for result, name in zip(self.results, names):
                lines.append(" " * (indent + 4) + f"{result.name} = {name}")
        return lines

    def run(self, env):
        even = int(env[self.condition]) % 2 == 0
        run_steps(self.then if even else self.otherwise, env)
        for result, name in zip(self.results, self.taken if even else self.other):
            env[result.name] = env[name]


def run_steps(steps, env):
    for step in steps:
        step.run(env)


def read_as(kind, text):
    """(expression, function of the int32 array) of what a load is as another type."""
    if kind == "i1":
        return f"{text} % 2 == 0", lambda x: x % 2 == 0
    if kind in EXACT:
        top = EXACT[kind] if kind != "f64" else (1 << 20) - 1
        return f"(({text} & {top}) - {top // 2}).to({WORDS[kind]})", lambda x: (x & top) - top // 2
    return text + ("" if kind == "i32" else f".to({WORDS[kind]})"), lambda x: x


def affine_address(rng, shape, room, injective):
    """(expression, array) of offsets below `room`, all different if asked."""
    order = rng.sample(range(len(shape)), len(shape))
    if rng.random() < 0.5:
        order = list(range(len(shape)))
    strides, step = [0] * len(shape), rng.choice([1, 1, 1, 2, 3])
    for axis in reversed(order):
        strides[axis] = step
        if not injective and rng.random() < 0.1:
            strides[axis] = rng.choice([0, 1, 5])
            continue
        step *= shape[axis]
        if rng.random() < 0.2:
            step += rng.randrange(4)
    reach = sum((n - 1) * s for n, s in zip(shape, strides))
    if reach >= room:
        return affine_address(rng, shape, room, injective)
    base = rng.randrange(room - reach)
    array = np.full(shape, base, np.int64)
    for axis, (n, s) in enumerate(zip(shape, strides)):
        array += (np.arange(n) * s).reshape([n if a == axis else 1 for a in range(len(shape))])
    if rng.random() < 0.15 and not injective:  # backwards
        return f"{reach + 2 * base} - ({base} + {offsets(shape, strides)})", reach + 2 * base - array
    return f"{base} + {offsets(shape, strides)}", array
