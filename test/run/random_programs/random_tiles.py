#!/usr/bin/python3
"""Writes products whose tiles lie in memory in many ways, and says with NumPy what they compute, exactly.

    draw = Draw(seed)             # deterministic: addresses, masks, bounds, strides, stages, iterations
    draw.text()                   # a Python file with one kernel
    draw.expected(arrays)         # what it leaves in memory

    TESSERA_TEST_DEVICE=emulated test/run/random_programs/random_tiles.py --count 500 --seed 1000     a long hunt
    test/run/random_programs/random_tiles.py --show 42                                                the text of one

For chips that copy tiles by tensor maps (--tma auto): some tiles are what a map can describe, others are nearly so. Addresses
and masks are drawn as expressions that Triton and NumPy read alike. Arrays are larger than their bounds and have values
everywhere, so that a copy that reads one element too many or too few changes the result.
"""
import os
import random
import sys

import numpy as np

if __name__ == "__main__":
    HERE = os.path.dirname(os.path.abspath(__file__))
    sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.dirname(os.path.dirname(HERE))]
    sys.dont_write_bytecode = True
from hunt import hunt
from tiles import HEAD, jit

ARGUMENTS = ["M", "N", "K", "first", "shift", "stride_a", "stride_b", "batch"]
SPARE = 64  # elements in front of each array that no address should reach
DTYPES = {"fp16": np.float16, "fp32": np.float32, "i8": np.int8}


class Operand:
    """A tile of the dot. `along` names its indices that are not K's: m or n."""

    def __init__(self, draw, name, along):
        rng = draw.rng
        self.name, self.along, self.bound = name, along, along.upper()
        self.rows_are_contiguous = rng.random() < 0.4   # along m or n, not K
        self.has_batches = rng.random() < 0.3
        self.offset = rng.choice([0, 0, 0, 0, 16, 32, 8, 4])
        self.walks = rng.random() < 0.4   # the loop moves pointers
        self.bounds = rng.choice(["mask", "mask", "wrap", "none", "both", "bent", "bent and mask"])
        self.bent = rng.choice(["tl.where({i} < {n}, {i}, 0)", "tl.where({n} - 1 >= {i}, {i}, 0)", "tl.minimum({i}, {n} - 1)", "({i} % {n})"])
        self.k_mask = rng.choice(["k + rk < K", "rk < K - k", "rk < K - k"])
        self.other = rng.choice(["0", "0", "0", "0", "1"]) + ("" if draw.kind == "i8" else ".0")

    def index(self):
        """The indices along m or n."""
        bent = "({i} % {n})" if self.bounds == "wrap" else self.bent if "bent" in self.bounds else "{i}"
        return bent.format(i=f"r{self.along}", n=self.bound)

    def shaped(self, along, k):
        """Both indices as a matrix has them: A is m by k, B is k by n."""
        return (f"{along}[:, None]", f"{k}[None, :]") if self.name == "a" else (f"{along}[None, :]", f"{k}[:, None]")

    def place(self, k):
        """The offset from the pointer, in elements."""
        row, inner = self.shaped(self.index(), k)
        strided, plain = (inner, row) if self.rows_are_contiguous else (row, inner)
        terms = [f"{strided} * stride_{self.name}", plain]
        if self.has_batches:
            terms.append("z * batch")
        if self.offset:
            terms.append(str(self.offset))
        return " + ".join(terms)

    def mask(self):
        row, inner = self.shaped(f"r{self.along}", f"({self.k_mask.split(' <')[0]})")
        inside = f"({inner} < {self.k_mask.split('< ')[1]})"
        if self.bounds in ("mask", "both", "bent and mask"):
            inside += f" & ({row} < {self.bound})"
        if self.bounds == "both":
            inside += f" & ({row} >= 0)"
        return inside

    def before(self):
        return [f"{self.name}_ptrs = {self.name}_ptr + {self.place('(first + rk)')}"] if self.walks else []

    def lines(self):
        where = f"{self.name}_ptrs" if self.walks else f"{self.name}_ptr + {self.place('(k + rk)')}"
        return [f"{self.name} = tl.load({where}, {self.mask()}, {self.other})"]

    def after(self):
        step = f"BK * stride_{self.name}" if self.rows_are_contiguous else "BK"
        return [f"{self.name}_ptrs += {step}"] if self.walks else []

    def value(self, array, names):
        where = eval(self.place("(k + rk)"), {"tl": np}, names) + SPARE  # the offsets of the pointers, by NumPy
        inside = eval(self.mask(), {}, names)
        return np.where(inside, array[np.where(inside, where, 0)], array.dtype.type(float(self.other))).astype(np.float64)


class Draw:
    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.seed, self.stages, self.warps = seed, rng.randrange(1, 6), rng.choice([4, 4, 4, 8])
        self.kind = rng.choice(["fp16", "fp16", "fp16", "i8", "fp32"])
        self.BM, self.BN, self.BK = rng.choice([64, 64, 128]), rng.choice([16, 32, 64]), rng.choice([32, 64])
        self.operands = [Operand(self, "a", "m"), Operand(self, "b", "n")]
        tiles = rng.randrange(0, self.stages + 3)
        self.grid = (rng.randrange(1, 3), rng.randrange(1, 3), 2 if any(o.has_batches for o in self.operands) else 1)
        kinds = {o.bounds for o in self.operands}
        self.shift = rng.choice([0, 3, 16, -5] if kinds == {"both"} else [0, 0, 3, 16]) if kinds <= {"both", "none"} else 0
        self.first = rng.choice([0, 0, 0, self.BK, 16])
        self.numbers = {"M": rng.randrange(1, self.grid[0] * self.BM + 9), "N": rng.randrange(1, self.grid[1] * self.BN + 9),
                        "K": max(0, self.first + tiles * self.BK - rng.choice([0, 0, rng.randrange(self.BK)])), "first": self.first, "shift": self.shift}
        extents = {"m": self.grid[0] * self.BM, "n": self.grid[1] * self.BN, "k": self.numbers["K"] + 2 * self.BK}
        self.sizes = {}
        for o in self.operands:
            inner, outer = (extents[o.along], extents["k"]) if o.rows_are_contiguous else (extents["k"], extents[o.along])
            stride = -(-(inner + 32) // 16) * 16 + rng.choice([0, 16, 48])
            self.numbers[f"stride_{o.name}"], self.sizes[o.name] = stride, (outer + 32) * stride
        self.promises = rng.random() < 0.85   # that strides and batches are multiples of 16
        self.numbers["batch"] = -(-max(self.sizes.values()) // 16) * 16
        self.first_is_constant = rng.random() < 0.8

    def text(self):
        first = str(self.first) if self.first_is_constant else "first"
        total = "tl.int32" if self.kind == "i8" else "tl.float32"
        lines = [f"BM: tl.constexpr = {self.BM}", f"BN: tl.constexpr = {self.BN}", f"BK: tl.constexpr = {self.BK}",
                 "z = tl.program_id(2)", "tm = tl.program_id(0) * BM + tl.arange(0, BM)", "tn = tl.program_id(1) * BN + tl.arange(0, BN)",
                 "rm = tm + shift" if self.shift else "rm = tm", "rn = tn + shift" if self.shift else "rn = tn", "rk = tl.arange(0, BK)",
                 f"acc = tl.zeros((BM, BN), {total})"]
        lines += [line for o in self.operands for line in o.before()]
        lines.append(f"for k in range({first}, K, BK):")
        body = [line for o in self.operands for line in o.lines()] + [f"acc = tl.dot(a, b, acc, out_dtype={total})"]
        lines += ["    " + line for line in body + [line for o in self.operands for line in o.after()]]
        lines.append("place = (z * tl.num_programs(0) * BM + tm)[:, None] * (tl.num_programs(1) * BN) + tn[None, :]")
        lines.append("tl.store(c_ptr + place, acc, (tm[:, None] < M) & (tn[None, :] < N))")
        return HEAD + jit("kernel", ", ".join(["a_ptr", "b_ptr", "c_ptr", *ARGUMENTS]), "\n".join(lines).replace("first + rk", f"{first} + rk"))

    def signature(self):
        hint = ":16" if self.promises else ""
        numbers = ["i32"] * 5 + [f"i32{hint}"] * 3
        return ",".join([f"*{self.kind}:16"] * 2 + [f"*{'i32' if self.kind == 'i8' else 'fp32'}:16", *numbers])

    def options(self):
        roles = ",warp-specialize=on" if self.seed % 2 else ""
        return f"num-warps={self.warps},num-stages={self.stages},tma=auto{roles}"

    def arrays(self):
        """Pointers point behind SPARE elements; see `check`."""
        rng = np.random.default_rng(self.seed)
        data = {}
        for o in self.operands:
            count = SPARE + self.sizes[o.name] + (self.numbers["batch"] if o.has_batches else 0)
            data[f"{o.name}_ptr"] = rng.integers(-3, 4, count).astype(DTYPES[self.kind])
        shape = (self.grid[2] * self.grid[0] * self.BM, self.grid[1] * self.BN)
        data["c_ptr"] = np.full(shape, 77, np.int32 if self.kind == "i8" else np.float32)
        return data

    def expected(self, arrays):
        out = arrays["c_ptr"].copy()
        for x, y, z in np.ndindex(*self.grid):
            tm, tn = x * self.BM + np.arange(self.BM), y * self.BN + np.arange(self.BN)
            names = {**self.numbers, "z": z, "rm": tm + self.shift, "rn": tn + self.shift, "rk": np.arange(self.BK)}
            total = np.zeros((self.BM, self.BN))
            for k in range(self.first, self.numbers["K"], self.BK):
                a, b = (o.value(arrays[f"{o.name}_ptr"], {**names, "k": k}) for o in self.operands)
                total += a @ b
            inside = (tm[:, None] < self.numbers["M"]) & (tn[None, :] < self.numbers["N"])
            tile = out[(z * self.grid[0] + x) * self.BM:][:self.BM, y * self.BN:][:, :self.BN]
            tile[inside] = total[inside]
        return out

    def shifted_text(self):
        """The pointers that the launch passes point to the arrays' beginnings, so the kernel skips the elements in front."""
        return self.text().replace("    BM: tl.constexpr", f"    a_ptr += {SPARE}\n    b_ptr += {SPARE}\n    BM: tl.constexpr", 1)

    def check(self, run):
        """None, or what is wrong. `run` launches: the fixture of the tests, or a session."""
        arrays = self.arrays()
        expected = self.expected(arrays)
        after = run(self.shifted_text(), "kernel", self.signature(), self.grid, {**arrays, **self.numbers}, options=self.options())
        wrong = after["c_ptr"] != expected
        if not wrong.any():
            return None
        first = tuple(int(i) for i in np.argwhere(wrong)[0])
        return f"seed {self.seed}, {self.options()}: {wrong.sum()} of {wrong.size} differ, the first at {first}: {after['c_ptr'][first]}, not {expected[first]}"


if __name__ == "__main__":
    sys.exit(hunt("Random tiles of products", 100, Draw,
                  lambda draw: f"{draw.shifted_text()}# {draw.signature()} {draw.options()}, grid {draw.grid}, {draw.numbers}"))
