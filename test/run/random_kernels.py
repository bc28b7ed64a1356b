#!/usr/bin/python3
"""Writes random kernels of all kinds of operations, and says with NumPy what they compute, exactly.

    program = write_program(seed)       # deterministic
    program.text()                      # a Python file with one kernel
    program.expected(inputs)            # what it leaves in memory

    test/run/random_kernels.py --count 5000 --seed 1000     a long hunt; failing kernels are made small and printed
    test/run/random_kernels.py --show 42                    the text of one

Integers wrap; floats hold integers so small that every result is exact. A program is a list of steps, and a
step is a line of the kernel with a function of arrays that means the same. Loops and branches hold lists of steps.
Making a failing kernel small: as long as it still fails, steps are left out, and what they gave is read from memory.
"""
import argparse
import copy
import os
import random
import re
import sys
import zlib

import numpy as np

if __name__ == "__main__":
    sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    sys.dont_write_bytecode = True
from tiles import HEAD, jit, offsets

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


class Writer:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.names = 0
        self.largest = self.rng.choice([512, 2048, 2048, 8192])  # elements of a tile

    # ---- helpers

    def new(self, shape, kind):
        self.names += 1
        return Value(f"v{self.names}", shape, kind)

    def pick(self, scope, want=lambda v: True):
        """A recent value rather than an old one."""
        found = [v for v in scope if want(v)]
        if not found:
            return None
        return found[-1 - min(int(self.rng.expovariate(0.35)), len(found) - 1)]

    def shape(self, size=None):
        rng = self.rng
        if size is None:
            size = min(self.largest, 1 << rng.choice([0, 3, 4, 5, 6, 7, 8, 9, 10, 12]))
        shape = []
        for _ in range(rng.choice([1, 1, 2, 2, 2, 3, 4]) - 1):
            extent = 1 << rng.randrange(min(size.bit_length(), 6))
            shape.append(extent)
            size //= extent
        shape.insert(rng.randrange(len(shape) + 1), size)
        return tuple(shape)

    def step(self, result, line, meaning):
        """One result of an expression of `line`, whose function takes env."""
        return Step([result], [f"{result.name} = {line}"], lambda env: [meaning(env)])

    def fresh(self, scope, shape=None, kind="i32"):
        """A load from the input, of a tile that nothing has touched."""
        shape = self.shape() if shape is None else shape
        where, array = affine_address(self.rng, shape, INPUT, False)
        expression, function = read_as(kind, f"tl.load(in_ptr + ({where}))")
        return self.step(self.new(shape, kind), expression, lambda env: function(env["in"][array]))

    # ---- operations; each returns a step, or None if nothing in scope fits

    def op_load(self, scope):
        shape = self.shape()
        where, array = affine_address(self.rng, shape, INPUT, False)
        v, mask = self.new(shape, "i32"), self.pick(scope, lambda m: m.kind == "i1" and m.shape == shape)
        roll = self.rng.random()
        if mask is not None and roll < 0.6:
            other = self.rng.randrange(-9, 9)
            return self.step(v, f"tl.load(in_ptr + ({where}), mask={mask.name}, other={other})",
                             lambda env: np.where(env[mask.name], env["in"][array], other))
        if roll < 0.8:
            return self.step(v, f"tl.load(in_ptr + ({where}))", lambda env: env["in"][array])
        bound, other = self.rng.randrange(int(array.min()), int(array.max()) + 2), self.rng.randrange(9)
        address = f"({where})"
        return self.step(v, f"tl.load(in_ptr + {address}, mask={address} < {bound}, other={other})",
                         lambda env: np.where(array < bound, env["in"][array], other))

    def op_gather_load(self, scope):
        a = self.pick(scope, lambda v: v.kind in ("i32", "i64"))
        if a is None:
            return None
        return self.step(self.new(a.shape, "i32"), f"tl.load(in_ptr + ({a.name} & {INPUT - 1}))",
                         lambda env: env["in"][env[a.name] & (INPUT - 1)])

    def op_row_load(self, scope):
        """The address is a scalar that was computed, and a tile of offsets."""
        a, shape = self.pick(scope, lambda v: v.shape == () and v.kind in ("i32", "i64")), self.shape()
        if a is None:
            return None
        where, array = affine_address(self.rng, shape, INPUT - 1024, False)
        return self.step(self.new(shape, "i32"), f"tl.load(in_ptr + ({a.name} & 1023) + ({where}))",
                         lambda env: env["in"][(env[a.name] & 1023) + array])

    def op_store(self, scope):
        a = self.pick(scope, lambda v: v.kind != "i1" and v.size <= SCRATCH // 2)
        if a is None:
            return None
        where, array = affine_address(self.rng, a.shape, SCRATCH, True)
        mask = self.pick(scope, lambda m: m.kind == "i1" and m.shape == a.shape) if self.rng.random() < 0.4 else None

        def meaning(env):
            memory, value = env["scratch"], env[a.name].astype(np.int32)
            if mask is None:
                memory[array] = value
            else:
                memory[array[env[mask.name]]] = value[env[mask.name]]
            return []
        return Step([], [f"tl.store(scratch_ptr + ({where}), {a.name}{f', mask={mask.name}' if mask else ''})"], meaning)

    def op_update(self, scope):
        """Scratch memory read, changed and written back, at another place perhaps."""
        shape = self.shape()
        where, array = affine_address(self.rng, shape, SCRATCH, False)
        v = self.new(shape, "i32")
        return self.step(v, f"tl.load(scratch_ptr + ({where}))", lambda env: env["scratch"][array])

    def op_atomic(self, scope):
        a = self.pick(scope, lambda v: v.kind == "i32" and v.size <= SCRATCH // 2)
        if a is None:
            return None
        where, array = affine_address(self.rng, a.shape, SCRATCH, True)
        name, function = self.rng.choice([("add", np.add), ("max", np.maximum), ("xor", np.bitwise_xor), ("xchg", lambda old, new: new)])
        v = self.new(a.shape, "i32")

        def meaning(env):
            old = env["scratch"][array].copy()
            env["scratch"][array] = function(old, env[a.name])
            return old
        return self.step(v, f"tl.atomic_{name}(scratch_ptr + ({where}), {a.name})", meaning)

    def op_number(self, scope):
        v, value = self.new(self.shape(), self.rng.choice(["i32", "i32", "i64", "i16", "u32"])), self.rng.randrange(100)
        if self.rng.random() < 0.5:
            return self.step(v, f"tl.full({v.shape}, {value}, {WORDS[v.kind]})", lambda env: np.full(v.shape, value))
        size, first = 1 << self.rng.randrange(11), self.rng.choice([0, 0, 3, 100])
        v = self.new((size,), "i32")
        return self.step(v, f"tl.arange({first}, {first + size})", lambda env: np.arange(first, first + size))

    def op_binary(self, scope):
        a = self.pick(scope, lambda v: v.kind not in EXACT)
        if a is None:
            return None

        def fits(b):
            if b.kind != a.kind:
                return False
            if b.shape in ((), a.shape) or a.shape == ():
                return True
            return len(b.shape) == len(a.shape) and all(m == n or 1 in (m, n) for m, n in zip(a.shape, b.shape)) \
                and np.prod(np.maximum(a.shape, b.shape)) <= self.largest
        b = self.pick(scope, fits) or a
        shape = np.broadcast_shapes(a.shape, b.shape)
        if a.kind == "i1":
            sign, function = self.rng.choice([("&", np.bitwise_and), ("|", np.bitwise_or), ("^", np.bitwise_xor)])
            return self.step(self.new(shape, "i1"), f"{a.name} {sign} {b.name}", lambda env: function(env[a.name], env[b.name]))
        if self.rng.random() < 0.25:
            sign, function = self.rng.choice([("<", np.less), (">=", np.greater_equal), ("==", np.equal), ("!=", np.not_equal)])
            return self.step(self.new(shape, "i1"), f"{a.name} {sign} {b.name}", lambda env: function(env[a.name], env[b.name]))
        form, function = self.rng.choice([
            ("{} + {}", np.add), ("{} - {}", np.subtract), ("{} * {}", np.multiply), ("{} & {}", np.bitwise_and),
            ("{} | {}", np.bitwise_or), ("{} ^ {}", np.bitwise_xor), ("tl.maximum({}, {})", np.maximum),
            ("tl.minimum({}, {})", np.minimum)])
        return self.step(self.new(shape, a.kind), form.format(a.name, b.name), lambda env: function(env[a.name], env[b.name]))

    def op_constant(self, scope):
        """With a literal: also shifts, divisions and remainders, which truncate."""
        a = self.pick(scope, lambda v: v.kind != "i1" and v.kind not in EXACT)
        if a is None:
            return None
        c = self.rng.randrange(1, 8)

        def quotient(x):
            wide = x.astype(object)
            return np.vectorize(lambda n: abs(n) // c * (1 if n >= 0 else -1), otypes=[np.int64])(wide) if x.size else x
        form, function = self.rng.choice([
            ("{} + {}", lambda x: x + x.dtype.type(c)), ("{} * {}", lambda x: x * x.dtype.type(c)), ("{} << {}", lambda x: x << x.dtype.type(c)),
            ("{} >> {}", lambda x: x >> x.dtype.type(c)), ("{} // {}", quotient),
            ("{} % {}", lambda x: np.fmod(x, x.dtype.type(c))), ("{1} - {0}", lambda x: x.dtype.type(c) - x),
            ("-{}", lambda x: -x) if a.kind[0] == "i" else ("{} + 1", lambda x: x + x.dtype.type(1)), ("~{}", lambda x: ~x), ("tl.abs({})", np.abs)])
        return self.step(self.new(a.shape, a.kind), form.format(a.name, c), lambda env: function(np.asarray(env[a.name])))

    def op_cast(self, scope):
        a = self.pick(scope, lambda v: v.kind not in EXACT)
        kinds = [k for k in ("i8", "i16", "i32", "i32", "i32", "i64", "u8", "u32") if a is not None and k != a.kind]
        if not kinds:
            return None
        kind = self.rng.choice(kinds)
        return self.step(self.new(a.shape, kind), f"{a.name}.to({WORDS[kind]})", lambda env: np.asarray(env[a.name]).astype(TYPES[kind]))

    def op_where(self, scope):
        c = self.pick(scope, lambda v: v.kind == "i1")
        a = c and self.pick(scope, lambda v: v.shape == c.shape and v.kind != "i1")
        b = a and self.pick(scope, lambda v: v.kind == a.kind and v.shape in ((), a.shape))
        if b is None:
            return None
        return self.step(self.new(c.shape, a.kind), f"tl.where({c.name}, {a.name}, {b.name})",
                         lambda env: np.where(env[c.name], env[a.name], env[b.name]))

    def op_reduce(self, scope):
        a = self.pick(scope, lambda v: v.shape != () and v.kind in ("i32", "i64", "i16", "u32", "u8"))
        if a is None:
            return None
        axis = self.rng.choice([*range(len(a.shape)), None])
        keep = self.rng.random() < 0.4
        form, function = self.rng.choice([
            ("tl.sum({}, {}, keep_dims={})", np.add), ("tl.max({}, {}, keep_dims={})", np.maximum),
            ("tl.min({}, {}, keep_dims={})", np.minimum), ("tl.xor_sum({}, {}, keep_dims={})", np.bitwise_xor),
            ("tl.reduce({}, {}, product, keep_dims={})", np.multiply), ("tl.reduce({}, {}, conjunction, keep_dims={})", np.bitwise_and),
            ("tl.reduce({}, {}, chosen, keep_dims={})", np.add)])
        kind = a.kind
        if kind in ("i16", "u8") and form.startswith(("tl.sum", "tl.max", "tl.min")):
            kind = "u32" if kind == "u8" and form.startswith("tl.sum") else "i32"
        shape = tuple(1 if (axis is None or d == axis) else n for d, n in enumerate(a.shape) if keep or not (axis is None or d == axis))
        all_axes = tuple(range(len(a.shape))) if axis is None else axis
        return self.step(self.new(shape, kind), form.format(a.name, axis, keep),
                         lambda env: function.reduce(env[a.name].astype(TYPES[kind]), all_axes, dtype=TYPES[kind], keepdims=keep))

    def op_arg_reduce(self, scope):
        a = self.pick(scope, lambda v: v.shape != () and v.kind in ("i32", "i8", "i64"))
        if a is None:
            return None
        axis, name = self.rng.randrange(len(a.shape)), self.rng.choice(["max", "min"])
        shape = a.shape[:axis] + a.shape[axis + 1:]
        value, index = self.new(shape, a.kind), self.new(shape, "i32")
        return Step([value, index], [f"{value.name}, {index.name} = tl.{name}({a.name}, {axis}, return_indices=True)"],
                    lambda env: [getattr(env[a.name], name)(axis), getattr(env[a.name], "arg" + name)(axis)])

    def op_pair_reduce(self, scope):
        a = self.pick(scope, lambda v: v.shape != () and v.kind == "i32")
        b = a and self.pick(scope, lambda v: v.shape == a.shape and v.kind == "i32")
        if b is None:
            return None
        axis = self.rng.randrange(len(a.shape))
        scans, reverse = self.rng.random() < 0.5, self.rng.random() < 0.4
        maps = scans or self.rng.random() < 0.5  # or products of complex numbers, which commute
        shape = a.shape if scans else a.shape[:axis] + a.shape[axis + 1:]
        x, y = self.new(shape, "i32"), self.new(shape, "i32")

        def meaning(env):
            slopes, shifts = (np.moveaxis(env[v.name], axis, 0) for v in (a, b))
            if scans and reverse:
                slopes, shifts = slopes[::-1], shifts[::-1]
            running = [(slopes[0], shifts[0])]
            for slope, shift in zip(slopes[1:], shifts[1:]):
                a0, b0 = running[-1]
                running.append((a0 * slope, b0 * slope + shift) if maps else (a0 * slope - b0 * shift, a0 * shift + b0 * slope))
            if not scans:
                return running[-1]
            running = running[::-1] if reverse else running
            return [np.moveaxis(np.stack([pair[k] for pair in running]), 0, axis) for k in (0, 1)]
        call = f"tl.associative_scan(({a.name}, {b.name}), {axis}, affine, reverse={reverse})" if scans else \
            f"tl.reduce(({a.name}, {b.name}), {axis}, {'affine' if maps else 'complex'})"
        return Step([x, y], [f"{x.name}, {y.name} = {call}"], meaning)

    def op_scan(self, scope):
        a = self.pick(scope, lambda v: v.shape != () and v.kind in ("i32", "i64", "i8"))
        if a is None:
            return None
        axis, reverse = self.rng.randrange(len(a.shape)), self.rng.random() < 0.4
        kind = "i32" if a.kind == "i8" else a.kind

        def meaning(env):
            x = env[a.name].astype(TYPES[kind])
            x = np.flip(x, axis) if reverse else x
            x = np.cumsum(x, axis, dtype=TYPES[kind])
            return np.flip(x, axis) if reverse else x
        return self.step(self.new(a.shape, kind), f"tl.cumsum({a.name}, {axis}, reverse={reverse})", meaning)

    def op_reshape(self, scope):
        a = self.pick(scope, lambda v: v.shape != ())
        if a is None:
            return None
        shape = self.shape(a.size)
        return self.step(self.new(shape, a.kind), f"tl.reshape({a.name}, {shape})", lambda env: env[a.name].reshape(shape))

    def op_transpose(self, scope):
        a = self.pick(scope, lambda v: len(v.shape) > 1)
        if a is None:
            return None
        order = tuple(self.rng.sample(range(len(a.shape)), len(a.shape)))
        form = f"tl.permute({a.name}, {order})"
        if len(order) == 2 and self.rng.random() < 0.5:
            form, order = f"{a.name}.T", (1, 0)
        return self.step(self.new([a.shape[d] for d in order], a.kind), form, lambda env: env[a.name].transpose(order))

    def op_expand(self, scope):
        a = self.pick(scope, lambda v: 0 < len(v.shape) < HIGHEST_RANK)
        if a is None:
            return None
        axis = self.rng.randrange(len(a.shape) + 1)
        v = self.new(a.shape[:axis] + (1,) + a.shape[axis:], a.kind)
        return self.step(v, f"tl.expand_dims({a.name}, {axis})", lambda env: np.expand_dims(env[a.name], axis))

    def op_broadcast(self, scope):
        a = self.pick(scope, lambda v: v.shape == () or 1 in v.shape)
        if a is None or a.size >= self.largest:
            return None
        if a.shape == ():
            shape = self.shape()
        else:
            room, shape = self.largest // a.size, []
            for extent in a.shape:
                grown = 1 << self.rng.randrange(min(6, room.bit_length())) if extent == 1 else extent
                room //= grown // extent
                shape.append(grown)
        shape = tuple(shape)
        return self.step(self.new(shape, a.kind), f"tl.broadcast_to({a.name}, {shape})",
                         lambda env: np.broadcast_to(env[a.name], shape))

    def op_join(self, scope):
        a = self.pick(scope, lambda v: len(v.shape) < HIGHEST_RANK and v.size < self.largest and v.shape != ())
        b = a and self.pick(scope, lambda v: v.shape == a.shape and v.kind == a.kind)
        if b is None:
            return None
        if self.rng.random() < 0.3:
            shape = a.shape[:-1] + (2 * a.shape[-1],)
            return self.step(self.new(shape, a.kind), f"tl.interleave({a.name}, {b.name})",
                             lambda env: np.stack([env[a.name], env[b.name]], -1).reshape(shape))
        return self.step(self.new(a.shape + (2,), a.kind), f"tl.join({a.name}, {b.name})",
                         lambda env: np.stack([env[a.name], env[b.name]], -1))

    def op_split(self, scope):
        a = self.pick(scope, lambda v: v.shape[-1:] == (2,) and len(v.shape) > 1)
        if a is None:
            a = self.pick(scope, lambda v: v.shape != () and v.size >= 4)
            if a is None:
                return None
            shape = (a.size // 2, 2)
            x, y = self.new(shape[:1], a.kind), self.new(shape[:1], a.kind)
            return Step([x, y], [f"{x.name}, {y.name} = tl.split(tl.reshape({a.name}, {shape}))"],
                        lambda env: [env[a.name].reshape(shape)[:, k] for k in (0, 1)])
        x, y = self.new(a.shape[:-1], a.kind), self.new(a.shape[:-1], a.kind)
        return Step([x, y], [f"{x.name}, {y.name} = tl.split({a.name})"], lambda env: [env[a.name][..., k] for k in (0, 1)])

    def op_sort(self, scope):
        a = self.pick(scope, lambda v: v.shape != () and v.kind in ("i32", "i16", "f32", "f16") and v.size <= 256)
        if a is None:
            return None
        if self.rng.random() < 0.4:
            axis = self.rng.randrange(len(a.shape))
            return self.step(self.new(a.shape, a.kind), f"tl.flip({a.name}, {axis})", lambda env: np.flip(env[a.name], axis))
        descending = self.rng.random() < 0.5
        return self.step(self.new(a.shape, a.kind), f"tl.sort({a.name}, descending={descending})",
                         lambda env: np.sort(env[a.name], -1)[..., ::-1] if descending else np.sort(env[a.name], -1))

    def op_gather(self, scope):
        a = self.pick(scope, lambda v: v.shape != () and v.kind in ("i32", "i16", "f32", "f64", "u8"))
        i = a and self.pick(scope, lambda v: v.shape == a.shape and v.kind == "i32")
        if i is None:
            return None
        axis = self.rng.randrange(len(a.shape))
        last = a.shape[axis] - 1
        return self.step(self.new(a.shape, a.kind), f"tl.gather({a.name}, {i.name} & {last}, {axis})",
                         lambda env: np.take_along_axis(env[a.name], (env[i.name] & last).astype(np.int64), axis))

    def op_histogram(self, scope):
        a, bins = self.pick(scope, lambda v: len(v.shape) == 1 and v.kind == "i32"), 1 << self.rng.randrange(1, 6)
        if a is None:
            return None
        return self.step(self.new((bins,), "i32"), f"tl.histogram({a.name} & {bins - 1}, {bins})",
                         lambda env: np.bincount(env[a.name] & (bins - 1), minlength=bins))

    def op_dot(self, scope):
        a = self.pick(scope, lambda v: len(v.shape) == 2 and v.kind == "i32" and min(v.shape) >= 16)
        b = a and self.pick(scope, lambda v: len(v.shape) == 2 and v.kind == "i32" and min(v.shape) >= 16
                            and a.shape[1] in v.shape and a.shape[0] * v.size // a.shape[1] <= self.largest)
        if b is None:
            return None
        flip = b.shape[0] != a.shape[1]
        n = b.shape[0] if flip else b.shape[1]
        word, mask = self.rng.choice([("tl.float32", 15), ("tl.float16", 7), ("tl.int8", 63)])
        left, right = (f"({v.name} & {mask}).to({word})" for v in (a, b))
        exact = ', input_precision="ieee"' if word == "tl.float32" else ", out_dtype=tl.int32" if word == "tl.int8" else ""
        return self.step(self.new((a.shape[0], n), "i32"), f"tl.dot({left}, {right}{'.T' if flip else ''}{exact}).to(tl.int32)",
                         lambda env: (env[a.name] & mask) @ ((env[b.name] & mask).T if flip else env[b.name] & mask))

    def op_float_sum(self, scope):
        a = self.pick(scope, lambda v: v.shape != () and v.kind == "i32")
        if a is None:
            return None
        axis = self.rng.randrange(len(a.shape))
        v = self.new(a.shape[:axis] + a.shape[axis + 1:], "i32")
        return self.step(v, f"tl.sum(({a.name} & 255).to(tl.float32) * 0.5, {axis}).to(tl.int32)",
                         lambda env: np.floor((env[a.name] & 255).sum(axis) / 2))

    def op_float_chain(self, scope):
        """Arithmetic of floats that is exact."""
        a = self.pick(scope, lambda v: v.kind in ("i32", "i64"))
        b = a and self.pick(scope, lambda v: v.kind == a.kind and v.shape in ((), a.shape))
        if b is None:
            return None
        word, mask = self.rng.choice([("tl.float32", 255), ("tl.float64", 1023), ("tl.float16", 31), ("tl.bfloat16", 7)])
        x, y = (f"({v.name} & {mask}).to({word})" for v in (a, b))
        return self.step(self.new(a.shape, "i32"), f"({x} * {y} - {x} * 2).to(tl.int32)",
                         lambda env: (env[a.name] & mask) * (env[b.name] & mask) - (env[a.name] & mask) * 2)

    def clamped(self, shape, kind, expression, meaning):
        """Floats stay small."""
        top = EXACT[kind]
        back = ".to(tl.float16)" if kind == "f16" else ""  # the limits are fp32
        return self.step(self.new(shape, kind), f"tl.clamp({expression}, -{top}.0, {top}.0){back}",
                         lambda env: np.clip(meaning(env), -top, top))

    def op_to_float(self, scope):
        a = self.pick(scope, lambda v: v.kind in ("i32", "i64"))
        if a is None:
            return None
        kind = self.rng.choice(["f32", "f32", "f32", "f16", "f64"])
        expression, function = read_as(kind, a.name)
        return self.step(self.new(a.shape, kind), expression, lambda env: function(env[a.name]))

    def op_from_float(self, scope):
        a = self.pick(scope, lambda v: v.kind in EXACT)
        if a is None:
            return None
        kind = self.rng.choice(["i32", "i32", "i64", "f32", "f64", "f16"])
        if kind in EXACT:
            return self.clamped(a.shape, kind, f"{a.name}.to({WORDS[kind]})", lambda env: env[a.name]) if EXACT[kind] >= EXACT[a.kind] else None
        return self.step(self.new(a.shape, kind), f"{a.name}.to({WORDS[kind]})", lambda env: env[a.name])

    def op_float_binary(self, scope):
        a = self.pick(scope, lambda v: v.kind in EXACT)
        b = a and self.pick(scope, lambda v: v.kind == a.kind and v.shape in ((), a.shape))
        if b is None:
            return None
        if self.rng.random() < 0.2:
            sign, function = self.rng.choice([("<", np.less), (">=", np.greater_equal), ("==", np.equal), ("!=", np.not_equal)])
            return self.step(self.new(a.shape, "i1"), f"{a.name} {sign} {b.name}", lambda env: function(env[a.name], env[b.name]))
        form, function = self.rng.choice([
            ("{0} + {1}", np.add), ("{0} - {1}", np.subtract), ("{0} * {1}", np.multiply), ("{0} * {1} + {0}", lambda x, y: x * y + x),
            ("{0} * {1} - {1}", lambda x, y: x * y - y), ("tl.maximum({0}, {1})", np.maximum), ("tl.minimum({0}, {1})", np.minimum),
            ("tl.abs({0}) - {1}", lambda x, y: np.abs(x) - y), ("-{0} * 2", lambda x, y: -x * 2),
            ("tl.fma({0}, {1}, {0})", lambda x, y: x * y + x)])
        return self.clamped(a.shape, a.kind, form.format(a.name, b.name), lambda env: function(env[a.name], env[b.name]))

    def op_float_reduce(self, scope):
        a = self.pick(scope, lambda v: v.kind in EXACT and v.shape != ())
        if a is None:
            return None
        axis, keep = self.rng.randrange(len(a.shape)), self.rng.random() < 0.4
        shape = tuple(1 if d == axis else n for d, n in enumerate(a.shape) if keep or d != axis)
        roll = self.rng.random()
        if roll < 0.4 and (a.kind != "f16" or a.shape[axis] <= 32):
            if self.rng.random() < 0.3:
                return self.clamped(a.shape, a.kind, f"tl.cumsum({a.name}, {axis})", lambda env: np.cumsum(env[a.name], axis))
            return self.clamped(shape, a.kind, f"tl.sum({a.name}, {axis}, keep_dims={keep})",
                                lambda env: env[a.name].sum(axis, keepdims=keep))
        name, kind = self.rng.choice(["max", "min"]), "f32" if a.kind == "f16" else a.kind
        if roll < 0.7:
            return self.step(self.new(shape, kind), f"tl.{name}({a.name}, {axis}, keep_dims={keep})",
                             lambda env: getattr(env[a.name], name)(axis, keepdims=keep))
        return self.step(self.new(shape, "i32"), f"tl.arg{name}({a.name}, {axis}, keep_dims={keep})",
                         lambda env: getattr(np, "arg" + name)(env[a.name], axis, keepdims=keep))

    def op_float_dot(self, scope):
        """Of halves, with an accumulator that is another value."""
        a = self.pick(scope, lambda v: v.kind == "f16" and len(v.shape) == 2 and min(v.shape) >= 16)
        b = a and self.pick(scope, lambda v: v.kind == "f16" and len(v.shape) == 2 and min(v.shape) >= 16 and v.shape[0] == a.shape[1])
        if b is None:
            return None
        shape = (a.shape[0], b.shape[1])
        c = self.pick(scope, lambda v: v.kind == "f32" and v.shape == shape)
        more = f", {c.name}" if c else ""
        return self.clamped(shape, "f32", f"tl.dot({a.name}, {b.name}{more})",
                            lambda env: env[a.name] @ env[b.name] + (env[c.name] if c else 0))

    def op_block_pointer(self, scope):
        """A block that lies partly outside, at a place that was computed."""
        at = self.pick(scope, lambda v: v.shape == () and v.kind == "i32")
        if at is None:
            return None
        block = (1 << self.rng.randrange(5), 1 << self.rng.randrange(6))
        rows, columns = self.rng.randrange(1, 40), self.rng.randrange(1, 60)
        strides = (columns, 1) if self.rng.random() < 0.6 else (1, rows)
        column = self.rng.randrange(-8, columns + 4)

        def meaning(env):
            i = (int(env[at.name]) & 31) - 4 + np.arange(block[0])[:, None]
            j = column + np.arange(block[1])[None, :]
            inside = (i >= 0) & (i < rows) & (j >= 0) & (j < columns)
            return np.where(inside, env["in"][np.where(inside, i * strides[0] + j * strides[1], 0)], 0)
        pointer = (f"tl.make_block_ptr(in_ptr, ({rows}, {columns}), {strides}, (({at.name} & 31) - 4, {column}), {block}, (1, 0))")
        return self.step(self.new(block, "i32"), f'tl.load({pointer}, boundary_check=(0, 1), padding_option="zero")', meaning)

    def op_pointer_loop(self, scope):
        """A loop that carries a tile of pointers and a tile of sums."""
        shape, times = self.shape(), self.rng.choice(["n", "2", "5"])
        where, array = affine_address(self.rng, shape, INPUT - 64, False)
        step = self.rng.choice([1, 7, 8, 16])
        mask = self.pick(scope, lambda m: m.kind == "i1" and m.shape == shape) if self.rng.random() < 0.4 else None
        v, p = self.new(shape, "i32"), self.new(shape, "i64").name
        masked = f", mask={mask.name}, other=9" if mask else ""
        lines = [f"{p} = in_ptr + ({where})", f"{v.name} = tl.zeros({shape}, tl.int32)", f"for _ in range({times}):",
                 f"    {v.name} = {v.name} * 3 + tl.load({p}{masked})", f"    {p} += {step}"]

        def meaning(env):
            total = np.zeros(shape, np.int32)
            for k in range(int(env["n"]) if times == "n" else int(times)):
                read = env["in"][array + k * step]
                total = total * np.int32(3) + (read if mask is None else np.where(env[mask.name], read, np.int32(9)))
            return [total]
        return Step([v], lines, meaning)

    def op_dot_loop(self, scope):
        """A product accumulated over a loop, as matmul kernels do it."""
        m, n, k = (self.rng.choice([16, 32]) for _ in range(3))
        times = self.rng.choice(["n", "2", "3"])
        word, mask = self.rng.choice([("tl.float32", 15), ("tl.float16", 7)])
        v = self.new((m, n), "i32")
        acc = self.new((), "i32").name
        lines = [f"{acc} = tl.zeros({(m, n)}, tl.float32)", f"for i{acc} in range({times}):",
                 f"    {acc} = tl.dot((tl.load(in_ptr + i{acc} * {k} + ({offsets((m, k), (k * 3, 1))})) & {mask}).to({word}), "
                 f"(tl.load(in_ptr + 100 + i{acc} * {k * n} + ({offsets((k, n))})) & {mask}).to({word}), {acc}, input_precision=\"ieee\")",
                 f"{v.name} = {acc}.to(tl.int32)"]

        def meaning(env):
            total = np.zeros((m, n), np.int64)
            for t in range(int(env["n"]) if times == "n" else int(times)):
                a = env["in"][t * k + np.arange(m)[:, None] * k * 3 + np.arange(k)[None, :]] & mask
                total += a @ (env["in"][100 + t * k * n + np.arange(k * n).reshape(k, n)] & mask)
            return [total]
        return Step([v], lines, meaning)

    def op_call(self, scope):
        a = self.pick(scope, lambda v: v.kind in ("i32", "i64"))
        b = a and self.pick(scope, lambda v: v.kind == a.kind and v.shape == a.shape)
        if b is None:
            return None
        x, y = self.new(a.shape, a.kind), self.new(a.shape, a.kind)

        def meaning(env):
            p, q = env[a.name], env[b.name]
            for _ in range(int(env["n"])):
                p, q = q, p * p.dtype.type(5) + q
            return [p, p ^ q]
        return Step([x, y], [f"{x.name}, {y.name} = mix({a.name}, {b.name}, n)"], meaning)

    def op_map(self, scope):
        a = self.pick(scope, lambda v: v.kind == "i32" and v.shape != () and v.size <= 512)
        if a is None:
            return None

        def count(n):
            steps = 0
            while n > 1 and steps < 40:
                n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
            return steps
        return self.step(self.new(a.shape, "i32"), f"tl.map_elementwise(steps_to_one, {a.name} & 1023)",
                         lambda env: np.array([count(int(n)) for n in (env[a.name] & 1023).reshape(-1)], np.int32).reshape(a.shape))

    def op_bytes(self, scope):
        """The scratch memory through pointers to other types."""
        shape, kind = self.shape(), self.rng.choice(["i8", "i16", "i64", "u8"])
        width = np.dtype(TYPES[kind]).itemsize
        pointer = f"scratch_ptr.to(tl.pointer_type({WORDS[kind]}))"
        a = self.pick(scope, lambda v: v.kind == kind and v.size <= SCRATCH // 8)
        if a is not None and self.rng.random() < 0.6:
            where, array = affine_address(self.rng, a.shape, SCRATCH * 4 // width, True)

            def meaning(env):
                env["scratch"].view(TYPES[kind])[array] = env[a.name]
                return []
            return Step([], [f"tl.store({pointer} + ({where}), {a.name})"], meaning)
        where, array = affine_address(self.rng, shape, SCRATCH * 4 // width, False)
        return self.step(self.new(shape, kind), f"tl.load({pointer} + ({where}))", lambda env: env["scratch"].view(TYPES[kind])[array])

    def op_count(self, scope):
        """Atomic additions that meet at a few addresses."""
        a = self.pick(scope, lambda v: v.kind == "i32")
        if a is None:
            return None
        base = self.rng.randrange(SCRATCH - 16)

        def meaning(env):
            np.add.at(env["scratch"], base + (env[a.name] & 15), np.int32(3))
            return []
        return Step([], [f"tl.atomic_add(scratch_ptr + {base} + ({a.name} & 15), 3)"], meaning)

    def op_return(self, scope):
        """An early way out, at the top of the kernel only."""
        a = self.pick(scope, lambda v: v.shape == () and v.kind == "i32")
        if a is None:
            return None

        def meaning(env):
            if int(env[a.name]) & 7 == 5:
                raise Returned
            return []
        return Step([], [f"if ({a.name} & 7) == 5:", "    return"], meaning)

    # ---- structure

    WEIGHTS = dict(load=6, gather_load=2, row_load=2, store=4, update=3, atomic=1, number=2, binary=14, constant=5, cast=3, where=4,
                   reduce=7, arg_reduce=2, pair_reduce=2, scan=2, reshape=4, transpose=4, expand=3, broadcast=4, join=3, split=3,
                   sort=1, gather=2, histogram=1, dot=2, float_sum=1, float_chain=2, to_float=4, from_float=3, float_binary=8, float_reduce=4,
                   float_dot=2, block_pointer=1, pointer_loop=2, dot_loop=1, call=1, map=1, bytes=2, count=1,
                   **{"return": 0.5}, loop=2, branch=2)

    def block(self, scope, count, depth):
        """Random steps; what they give is added to the scope."""
        steps = []
        names, weights = zip(*((n, w) for n, w in self.WEIGHTS.items() if (depth < 2 or n not in ("loop", "branch")) and (depth == 0 or n != "return")))
        while count > 0:
            name = self.rng.choices(names, weights)[0]
            step = self.structured(name, scope, depth) if name in ("loop", "branch") else getattr(self, "op_" + name)(scope)
            if step is not None:
                steps.append(step)
                scope += step.results
                count -= 1
        return steps

    def like(self, scope, v, steps):
        """The name of a value of v's shape and type, made if there is none that will do."""
        found = self.pick(scope, lambda u: u.shape == v.shape and u.kind == v.kind and u.name != v.name)
        if found is None or self.rng.random() < 0.3:
            step = self.fresh(scope, v.shape, v.kind)
            steps.append(step)
            scope.append(step.results[0])
            found = step.results[0]
        if v.kind in EXACT:
            mixed = self.new(v.shape, v.kind)
            steps.append(self.step(mixed, f"tl.maximum({v.name}, {found.name})", lambda env: np.maximum(env[v.name], env[found.name])))
            return mixed.name
        if v.kind != "i1" and self.rng.random() < 0.7:
            mixed = self.new(v.shape, v.kind)
            steps.append(self.step(mixed, f"{v.name} * 3 + {found.name}", lambda env: env[v.name] * v_type(v, 3) + env[found.name]))
            return mixed.name
        return found.name

    def structured(self, name, scope, depth):
        wanted = [v for v in (self.pick(scope, lambda v: v.size <= 1024) for _ in range(self.rng.randrange(1, 4))) if v is not None]
        wanted = list({v.name: v for v in wanted}.values())
        if not wanted:
            return None
        if name == "loop":
            carried = [self.new(v.shape, v.kind) for v in wanted]
            index = self.new((), "i32")
            inner = scope + carried + [index]
            steps = self.block(inner, self.rng.randrange(1, 5), depth + 1)
            yields = [self.like(inner, c, steps) for c in carried]
            count = self.rng.choice(["n", "n", "2", "3", "1"])
            return Loop(carried, [v.name for v in wanted], count, steps, yields, index.name, self.rng.random() < 0.3)
        condition = self.pick(scope, lambda v: v.shape == () and v.kind == "i32")
        if condition is None:
            return None
        results, sides = [self.new(v.shape, v.kind) for v in wanted], []
        for _ in range(2):
            inner = list(scope)
            steps = self.block(inner, self.rng.randrange(0, 4), depth + 1)
            sides += [steps, [self.like(inner, v, steps) for v in wanted]]
        return Branch(results, condition.name, *sides)


def v_type(v, number):
    return TYPES[v.kind](number)


class Program:
    def __init__(self, steps, scope):
        self.steps, self.scope = steps, scope  # the scope: what the end of the kernel stores

    def stored(self):
        """(value, its place in the output)"""
        place, result = 0, []
        for v in self.scope:
            if place + v.size <= OUTPUT:
                result.append((v, place))
                place += v.size
        return result

    def text(self):
        lines = ["pid = tl.program_id(0)", f"scratch_ptr += pid * {SCRATCH}", f"out_ptr += pid * {OUTPUT}"]
        for step in self.steps:
            lines += step.text(0)
        for v, place in self.stored():
            value = f"{v.name}.to(tl.int64)" if v.kind == "i1" else v.name
            lines.append(f"tl.store(out_ptr + {place} + {f'({offsets(v.shape)})' if v.shape else 0}, {value})")
        return HEAD + FUNCTIONS + jit("kernel", "in_ptr, scratch_ptr, out_ptr, n", "\n".join(lines))

    def expected(self, memory, scratch, out, n):
        """The scratch and the output after all programs."""
        scratch, out = scratch.copy(), out.copy()
        with np.errstate(all="ignore"):
            for pid in range(PROGRAMS):
                env = {"in": memory, "scratch": scratch[pid * SCRATCH:(pid + 1) * SCRATCH], "pid": np.int32(pid), "n": np.int32(n)}
                try:
                    run_steps(self.steps, env)
                except Returned:
                    continue
                for v, place in self.stored():
                    out[pid * OUTPUT + place:][:v.size] = env[v.name].astype(np.int64).reshape(-1)
        return scratch, out


def write_program(seed, steps=None):
    writer = Writer(seed)
    scope = [Value("pid", (), "i32"), Value("n", (), "i32")]
    count = writer.rng.choice([6, 10, 15, 25]) if steps is None else steps
    body = [writer.fresh(scope) for _ in range(2)]
    scope += [step.results[0] for step in body]
    body += writer.block(scope, count, 0)
    # What nobody used would not be computed; of the rest some, so that others stay inside their loops.
    used = set(re.findall(r"\bv\d+\b", " ".join(line.split(" = ", 1)[-1] for step in body for line in step.text(0))))
    return Program(body, [v for v in scope[2:] if v.name not in used or writer.rng.random() < 0.3])


def inputs(seed):
    rng = np.random.default_rng(seed)
    wide = rng.integers(-2**31, 2**31, INPUT)
    memory = np.where(rng.random(INPUT) < 0.5, wide, rng.integers(-20, 20, INPUT)).astype(np.int32)
    scratch = rng.integers(-100, 100, PROGRAMS * SCRATCH).astype(np.int32)
    return memory, scratch, np.full(PROGRAMS * OUTPUT, -7, np.int64), int(rng.integers(0, 4))


def check(session, program, seed, threads=(1,), options=""):
    """None, or what is wrong."""
    from session import Unsupported
    memory, scratch, out, n = inputs(seed)
    expected_scratch, expected_out = program.expected(memory, scratch, out, n)
    try:
        after = session.launch(program.text(), "kernel", "*i32,*i32,*i64,i32", (PROGRAMS,),
                               {"in_ptr": memory, "scratch_ptr": scratch, "out_ptr": out, "n": n}, threads=threads, options=options)
    except Unsupported:
        raise
    except AssertionError as problem:
        return str(problem).split("\nimport triton")[0]
    for v, place in program.stored():
        for pid in range(PROGRAMS):
            actual, wanted = (a[pid * OUTPUT + place:][:v.size] for a in (after["out_ptr"], expected_out))
            if not (actual == wanted).all():
                at = int(np.flatnonzero(actual != wanted)[0])
                return (f"{v.name} {v.shape} of program {pid}: {(actual != wanted).sum()} of {v.size} differ, "
                        f"first [{at}] {actual[at]}, expected {wanted[at]}")
    if not (after["out_ptr"] == expected_out).all():
        return "something was written between the outputs"
    wrong = np.flatnonzero(after["scratch_ptr"] != expected_scratch)
    if wrong.size:
        at = wrong[0]
        return f"scratch: {wrong.size} differ, first [{at}] {after['scratch_ptr'][at]}, expected {expected_scratch[at]}"
    return None


# ---- making a failing program small ---------------------------------------------------------------

def blocks_of(steps):
    yield steps
    for step in steps:
        for body in ([step.body] if isinstance(step, Loop) else [step.then, step.otherwise] if isinstance(step, Branch) else []):
            yield from blocks_of(body)


def shrink(session, program, seed, problem, options=""):
    """Leaves out steps, or reads their results from memory instead, while some problem remains."""
    def still_fails(candidate):
        try:
            found = check(session, candidate, seed, options=options)
        except Exception:  # no longer a program, or not one that the target takes
            return False
        return found is not None and ("status 1" in found) == ("status 1" in problem)

    def tries(block, index):
        step = block[index]
        if isinstance(step, Loop):
            yield list(step.body) + [Step([c], [f"{c.name} = {y}"], lambda env, y=y: [env[y]]) for c, y in zip(step.results, step.yields)]
        yield []
        reads = []
        for result in step.results:
            where, array = offsets(result.shape), np.arange(result.size).reshape(result.shape)
            expression, function = read_as(result.kind, f"tl.load(in_ptr + ({where}))")
            reads.append(Step([result], [f"{result.name} = {expression}"],
                              lambda env, array=array, function=function: [function(env["in"][array])]))
        if reads and [s.lines for s in reads] != [getattr(step, "lines", None)]:
            yield reads

    changed = True
    while changed:
        changed = False
        for kept in range(len(program.scope) - 1, -1, -1):
            candidate = Program(program.steps, program.scope[:kept] + program.scope[kept + 1:])
            if still_fails(candidate):
                program, changed = candidate, True
        for number in range(len(list(blocks_of(program.steps)))):
            index = 0
            while True:
                found = list(blocks_of(program.steps))
                if number >= len(found) or index >= len(found[number]):
                    break
                for replacement in tries(found[number], index):
                    candidate = copy.copy(program)
                    candidate.steps = copy_steps(program.steps)
                    block = list(blocks_of(candidate.steps))[number]
                    block[index:index + 1] = replacement
                    gone = {v.name for v in found[number][index].results} if not replacement else set()
                    candidate.scope = [v for v in program.scope if v.name not in gone]
                    if still_fails(candidate):
                        program, changed = candidate, True
                        index -= 1
                        break
                index += 1
    return program


def copy_steps(steps):
    result = []
    for step in steps:
        step = copy.copy(step)
        for name in ("body", "then", "otherwise"):
            if hasattr(step, name):
                setattr(step, name, copy_steps(getattr(step, name)))
        result.append(step)
    return result


class OnGPU:
    """The CPU's session's face of a GPU. Programs get 1, 2, 4 or 8 warps in turn."""
    # One thread's stores are another's loads only after a barrier, which these programs do not have.
    WITHOUT = ("store", "update", "atomic")

    def __init__(self):
        from gpu_session import GPUSession
        self.session = GPUSession()

    def launch(self, source, kernel, signature, grid, arguments, threads=(), options=""):
        from session import Refused, Unsupported, why_not_here
        warps = f"num-warps={1 << zlib.crc32(source.encode()) % 4}"
        try:
            return self.session.launch(source, kernel, signature, grid, arguments, ",".join(filter(None, [warps, options])))
        except Refused as problem:
            if why_not_here(str(problem)):
                raise Unsupported(why_not_here(str(problem))) from None
            raise


def main():
    from session import Session, Unsupported
    parser = argparse.ArgumentParser(description="Random kernels on the CPU or a GPU, against NumPy.")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0, help="the first")
    parser.add_argument("--show", type=int, metavar="SEED", help="print the text of one kernel")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--steps", type=int, help="per kernel; random by default")
    parser.add_argument("--without", nargs="*", default=[], metavar="OPERATION", help="leave these out: " + " ".join(Writer.WEIGHTS))
    parser.add_argument("--threads", type=int, nargs="*", default=[1])
    parser.add_argument("--options", default="", help='of the compiler: "mcpu=haswell"')
    parser.add_argument("--gpu", action="store_true", help="on the first GPU instead of the CPU")
    options = parser.parse_args()
    for name in {*options.without, *(OnGPU.WITHOUT if options.gpu else ())}:
        del Writer.WEIGHTS[name]
    if options.show is not None:
        print(write_program(options.show, options.steps).text())
        return 0
    session, failed, refused = OnGPU() if options.gpu else Session(), 0, {}
    for seed in range(options.seed, options.seed + options.count):
        program = write_program(seed, options.steps)
        try:
            problem = check(session, program, seed, tuple(options.threads), options.options)
        except Unsupported as reason:
            line = str(reason).split("\n")[0].split("unsupported: ")[-1]
            refused[line] = refused.get(line, 0) + 1
            continue
        if problem is None:
            continue
        failed += 1
        print(f"\nseed {seed}: {problem}", flush=True)
        if not options.no_shrink:
            small = shrink(session, program, seed, problem, options.options)
            print(f"smallest: {check(session, small, seed, options=options.options)}\n{small.text()[len(HEAD + FUNCTIONS):]}", flush=True)
    for line, times in sorted(refused.items(), key=lambda item: -item[1]):
        print(f"{times:6} unsupported: {line}")
    print(f"{options.count - failed - sum(refused.values())} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
