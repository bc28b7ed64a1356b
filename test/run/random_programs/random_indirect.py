#!/usr/bin/python3
"""Writes loops whose loads take their addresses from other loads, and says with NumPy what they compute, exactly.

    draw = Draw(seed)             # deterministic: chains of loads, masks, stages, iterations
    draw.text()                   # a Python file with one kernel
    draw.expected(arrays)         # what it leaves in memory

    TESSERA_TEST_DEVICE=emulated test/run/random_programs/random_indirect.py --count 2000 --seed 1000     a long hunt
    test/run/random_programs/random_indirect.py --show 42                                                 the text of one

An operand of the loop's dot is at the end of a chain of 0 to 3 loads, each of which names the elements that the next one
loads. Two chains may share their first loads; a load in the middle may also feed a sum that has nothing to do with the
dot. The numbers of stages and of iterations are drawn with the chains: 1 to 7, and 0 to twice as many. So are stores in
the loop: of what was loaded, to an array of their own, or into a table that later iterations load from.
"""
import os
import random
import sys

import numpy as np

if __name__ == "__main__":
    HERE = os.path.dirname(os.path.abspath(__file__))
    sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.dirname(os.path.dirname(HERE))]
    sys.dont_write_bytecode = True
from hunt import hunt, is_emulated
from tiles import HEAD, jit

ROWS = 96       # of every table and of the data: what an index may name
ITERATIONS = 48  # i stays below: an index array has a row for each
DTYPES = {"i32": np.int32, "i64": np.int64, "fp16": np.float16, "fp32": np.float32}


class Level:
    """One load of a chain: `name` = the elements of `table` that `source` names."""

    def __init__(self, rng, name, source, length, is_scalar):
        self.name, self.source, self.length, self.is_scalar = name, source, length, is_scalar
        self.table, self.kind = f"t{name}_ptr", rng.choice(["i32", "i64"])
        self.mask = None if is_scalar else rng.choice([None, None, "r < length - 3", "r + i < length", "r >= i"])
        self.other = rng.randrange(ROWS)
        self.moves = source is None and rng.random() < 0.3   # a pointer that the loop carries
        self.is_summed = not is_scalar and rng.random() < 0.3
        self.is_logged = not is_scalar and rng.random() < 0.2   # stored as it was loaded
        self.is_overwritten = source is not None and rng.random() < 0.15

    def index(self):
        """Where in its table, as text: an expression of i, r and the source."""
        if self.source is None:
            return "i" if self.is_scalar else f"i * {self.length} + r{self.length}"
        if self.source.is_scalar and not self.is_scalar:
            return f"({self.source.name} + r{self.length}) % {ROWS}"
        return self.source.name

    def lines(self):
        where = f"tl.load({self.table} + {self.index()}" if not self.moves else f"tl.load(p{self.name}"
        if self.mask:
            mask = self.mask.replace("length", str(self.length)).replace("r ", f"r{self.length} ")
            where += f", mask={mask}, other={self.other}"
        lines = [f"{self.name} = {where})"]
        if self.moves:
            lines.append(f"p{self.name} += step" + ("" if self.is_scalar else f" * {self.length}"))
        if self.is_summed:
            lines.append(f"s{self.name} += tl.load(x_ptr + {self.name})")
        if self.is_logged:
            lines.append(f"tl.store(log_ptr + i * 32 + r{self.length}, {self.name}.to(tl.int32))")
        return lines

    def last_lines(self):
        """At the end of an iteration."""
        return [f"tl.store({self.table} + (r32 * 3 + i) % {ROWS}, (r32 * 7 + i * 5) % {ROWS})"] if self.is_overwritten else []

    def value(self, arrays, i, known):
        """The loaded indices of iteration i."""
        r = np.arange(1 if self.is_scalar else self.length)
        if self.source is None:
            where = i * r.size + r
        elif self.source.is_scalar:
            where = (known[self.source.name] + (0 if self.is_scalar else r)) % ROWS
        else:
            where = known[self.source.name]
        found = arrays[self.table][where].astype(np.int64)
        if not self.mask:
            return found
        inside = {"r < length - 3": r < self.length - 3, "r + i < length": r + i < self.length, "r >= i": r >= i}[self.mask]
        return np.where(inside, found, self.other)


class Operand:
    """A tile of the dot, of `shape`: rows or columns that the last level of a chain names."""

    def __init__(self, rng, name, shape, level, kind):
        self.name, self.shape, self.level, self.kind = name, shape, level, kind
        self.axis = 0 if level is None or level.is_scalar or rng.random() < 0.8 else 1
        self.mask = rng.choice([None, None, 0, 1])   # along which axis
        self.other = rng.choice([0.0, 0.0, 2.0])

    def lines(self):
        rows, columns = self.shape
        row, column = f"r{rows}[:, None]", f"r{columns}[None, :]"
        if self.level is None:
            row = f"((i * 5 + r{rows}) % {ROWS})[:, None]"
        elif self.level.is_scalar:
            row = f"(({self.level.name} + r{rows}) % {ROWS})[:, None]"
        elif self.axis == 0:
            row = f"{self.level.name}[:, None]"
        else:
            column = f"{self.level.name}[None, :]"
        load = f"{self.name} = tl.load({self.name}_ptr + {row} * {columns if self.axis == 0 else ROWS} + {column}"
        if self.mask is not None:
            inside = [f"r{rows}[:, None]", f"r{columns}[None, :]"][self.mask]
            load += f", mask={inside} < {self.shape[self.mask]} - i % 4, other={self.other}"
        return [load + ")"]

    def value(self, arrays, i, known):
        rows, columns = (np.arange(extent) for extent in self.shape)
        data = arrays[f"{self.name}_ptr"].reshape(ROWS, -1)
        named = None if self.level is None else known[self.level.name]
        if self.level is None:
            tile = data[(i * 5 + rows) % ROWS]
        elif self.level.is_scalar:
            tile = data[(named + rows) % ROWS]
        else:
            tile = data[named] if self.axis == 0 else data[rows][:, named]
        tile = tile[:, :self.shape[1]].astype(np.float32)
        if self.mask is None:
            return tile
        inside = [rows[:, None], columns[None, :]][self.mask] < self.shape[self.mask] - i % 4
        return np.where(inside, tile, np.float32(self.other))


class Draw:
    def __init__(self, seed, overwrites=True):
        """Without `overwrites` nothing loads or stores again what an iteration has stored: threads of a GPU would race for it."""
        rng = self.rng = random.Random(seed)
        self.seed, self.stages = seed, rng.randrange(1, 8)
        self.count = rng.randrange(0, 2 * self.stages + 1)
        self.warps, self.has_stages_in_loop = rng.choice([1, 2, 4]), rng.random() < 0.3
        self.M, self.N, self.K = (rng.choice([16, 32]) for _ in range(3))
        self.kind = rng.choice(["fp16", "fp16", "fp32"])
        self.first, self.step = rng.choice([(0, 1), (0, 1), (2, 3)])
        self.levels = []
        a = self.chain("a", rng.randrange(0, 4), self.M, None)
        start = rng.choice([level for level in self.levels if level.is_scalar or level.length == self.K] or [None])
        b = self.chain("b", rng.randrange(0, 4), self.K, start if rng.random() < 0.6 else None)
        self.operands = [self.operand("a", (self.M, self.K), a), self.operand("b", (self.K, self.N), b)]
        logged = [level for level in self.levels if level.is_logged]
        for level in self.levels if not overwrites else []:
            level.is_overwritten = False
            level.is_logged = level in logged[:1]

    def chain(self, name, depth, length, source):
        """The last level of `depth` loads in a row after `source`, which may be shared with another chain."""
        for number in range(depth):
            is_scalar = (source is None or source.is_scalar) and self.rng.random() < 0.25
            source = Level(self.rng, f"{name}{number}", source, length, is_scalar)
            self.levels.append(source)
        return source

    def operand(self, name, shape, level):
        operand = Operand(self.rng, name, shape, level, self.kind)
        if operand.axis == 1 and level.length != shape[1]:
            operand.axis = 0
        return operand

    def text(self):
        lines = [f"r{n} = tl.arange(0, {n})" for n in sorted({16, 32})]
        lines.append(f"acc = tl.zeros(({self.M}, {self.N}), tl.float32)")
        for level in self.levels:
            if level.moves:
                lines.append(f"p{level.name} = {level.table} + {self.first}" + ("" if level.is_scalar else f" * {level.length} + r{level.length}"))
            if level.is_summed:
                lines.append(f"s{level.name} = tl.zeros(({level.length},), tl.float32)")
        stages = f", num_stages={self.stages}" if self.has_stages_in_loop else ""
        lines.append(f"step: tl.constexpr = {self.step}")
        lines.append(f"for i in tl.range({self.first}, {self.first} + count * step, step{stages}):")
        for part in [*self.levels, *self.operands]:
            lines += ["    " + line for line in part.lines()]
        lines.append("    acc = tl.dot(a, b, acc)")
        for level in self.levels:
            lines += ["    " + line for line in level.last_lines()]
        lines.append(f"tl.store(out_ptr + r{self.M}[:, None] * {self.N} + r{self.N}[None, :], acc)")
        for number, level in enumerate(level for level in self.levels if level.is_summed):
            lines.append(f"tl.store(sums_ptr + {32 * number} + r{level.length}, s{level.name})")
        tables = [level.table for level in self.levels]
        return HEAD + jit("kernel", ", ".join(["a_ptr", "b_ptr", *tables, "x_ptr", "out_ptr", "sums_ptr", "log_ptr", "count"]), "\n".join(lines))

    def signature(self):
        kinds = [self.kind, self.kind, *(level.kind for level in self.levels), "fp32", "fp32", "fp32", "i32"]
        return ",".join(f"*{kind}:16" for kind in kinds) + ",i32"

    def options(self):
        return ",".join([f"num-warps={self.warps}"] + ([] if self.has_stages_in_loop else [f"num-stages={self.stages}"]))

    def arrays(self):
        rng = np.random.default_rng(self.seed)
        data = {f"{o.name}_ptr": rng.integers(-3, 4, (ROWS, o.shape[1] if o.axis == 0 else ROWS)).astype(DTYPES[o.kind]) for o in self.operands}
        for level in self.levels:
            entries = ITERATIONS * (1 if level.is_scalar else level.length) if level.source is None else ROWS
            data[level.table] = rng.integers(0, ROWS, entries).astype(DTYPES[level.kind])
        data["x_ptr"] = rng.integers(-9, 10, ROWS).astype(np.float32)
        data["out_ptr"], data["sums_ptr"] = np.full((self.M, self.N), 77, np.float32), np.full(256, 77, np.float32)
        data["log_ptr"] = np.full((ITERATIONS, 32), -1, np.int32)
        return data

    def expected(self, arrays):
        """Every array as it is afterwards."""
        arrays = {name: array.copy() for name, array in arrays.items()}
        out, sums = np.zeros((self.M, self.N), np.float32), {level.name: np.zeros(level.length, np.float32) for level in self.levels}
        r = np.arange(32)
        for i in range(self.first, self.first + self.count * self.step, self.step):
            known = {}
            for level in self.levels:
                known[level.name] = level.value(arrays, i, known)
                if level.is_summed:
                    sums[level.name] += arrays["x_ptr"][known[level.name]]
                if level.is_logged:
                    arrays["log_ptr"][i, :level.length] = known[level.name]
            out += self.operands[0].value(arrays, i, known) @ self.operands[1].value(arrays, i, known)
            for level in self.levels:
                if level.is_overwritten:
                    arrays[level.table][(r * 3 + i) % ROWS] = (r * 7 + i * 5) % ROWS
        for number, level in enumerate(level for level in self.levels if level.is_summed):
            arrays["sums_ptr"][32 * number:][:level.length] = sums[level.name]
        return {**arrays, "out_ptr": out}

    def check(self, run):
        """None, or what is wrong. `run` launches: the fixture of the tests, or a session."""
        arrays = self.arrays()
        expected = self.expected(arrays)
        after = run(self.text(), "kernel", self.signature(), (1,), {**arrays, "count": self.count}, options=self.options())
        wrong = [f"{name}: {(after[name] != wanted).sum()} of {wanted.size} differ"
                 for name, wanted in expected.items() if not (after[name] == wanted).all()]
        return f"seed {self.seed}, {self.stages} stages, {self.count} iterations, {self.options()}: " + ", ".join(wrong) if wrong else None


if __name__ == "__main__":
    sys.exit(hunt("Random loops of indirect loads", 300, lambda seed: Draw(seed, overwrites=is_emulated()),
                  lambda draw: f"{draw.text()}# {draw.signature()} {draw.options()}, {draw.count} iterations"))
