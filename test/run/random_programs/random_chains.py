#!/usr/bin/python3
"""Writes loops with two products in a chain, as attention has them, in many surroundings, and says with NumPy what they leave, exactly.

    draw = Draw(seed)             # deterministic: tiles, warps, stages, loops around, loops in a row, and what else an iteration does
    draw.text()                   # a Python file with one kernel
    draw.expected(arrays)         # the arrays afterwards

    TESSERA_TEST_DEVICE=emulated TESSERA_TEST_SEED=0,1 test/run/random_programs/random_chains.py --count 300 --seed 1000     a long hunt
    test/run/random_programs/random_chains.py --show 42                                                                      one

For chips on which warps of their own copy tiles and two warp groups take turns with products: a wrong wait or release there hangs,
or reads a tile too early. Each iteration clamps the first product's result to -1 ... 1, so that the second one is exact.
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

DTYPES = {"fp16": (np.float16, "tl.float16"), "fp32": (np.float32, "tl.float32")}
KEYS, VALUES = "(j + rn)[None, :] * D + rd[:, None]", "(j + rn)[:, None] * E + re[None, :]"
# What an iteration may do besides: a line of Triton, and a line of NumPy.
EXTRAS = {
    "highest": ("top = tl.maximum(top, tl.max(s, 1))", "top = np.maximum(top, s.max(1))"),
    "columns": ("s += tl.max(s, 0)[None, :]", "s = s + s.max(0)[None, :]"),
    "bias": ("s += tl.load(bias_ptr + rm[:, None] * BN + rn[None, :])", "s = s + bias[rm]"),
    "number": ("s += tl.load(bias_ptr + j)", "s = s + bias.flat[j]"),
    "store": ("tl.store(rows_ptr + rm, tl.max(s, 1))", "rows[rm] = s.max(1)"),
    "atomic": ("tl.atomic_add(count_ptr, 1)", "count[0] += 1"),
    "barrier": ("tl.debug_barrier()", "pass"),
    "negate": ("acc = -acc", "acc = -acc"),
    "branch": ("if j % (2 * BN) == 0:\n    acc += 1.0", "if j % (2 * BN) == 0:\n    acc = acc + 1"),
    "again": ("u = tl.load(k_ptr + (j + rn)[:, None] * D + rd[None, :])\nacc2 = tl.dot(clamped(s).to(q.dtype), u, acc2)",
              "acc2 = acc2 + s.clip(-1, 1) @ k[j:j + BN]"),
}
AROUND = {"nothing": "tile = tl.program_id(0)\nif True:", "branch": "tile = tl.program_id(0)\nif tile != 1:",
          "loop": "for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):",
          "flat": "for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True):"}


def indented(lines, depth):
    return ["    " * depth + line for text in lines for line in text.split("\n")]


class Loop:
    """One of the loops in a row, over `n` rows of k and v."""

    def __init__(self, rng, block):
        self.extras = [name for name in EXTRAS if rng.random() < 0.1]
        self.masked, self.walks = rng.random() < 0.8, rng.random() < 0.3
        self.load_in_branch, self.dot_in_branch = rng.random() < 0.1, rng.random() < 0.1
        self.n = rng.choice([0, 1, block - 1, block, block + 5, 3 * block, 4 * block - 3])

    def load(self, name, place, inside):
        where = f"{name}_ptrs" if self.walks else f"{name}_ptr + {place}"
        return f"tl.load({where}" + (f", {inside}, 0.0)" if self.masked else ")")

    def lines(self, end):
        key, value = self.load("k", KEYS, f"(j + rn)[None, :] < {end}"), self.load("v", VALUES, f"(j + rn)[:, None] < {end}")
        if self.walks:
            yield from (f"{name}_ptrs = {name}_ptr + {place.replace('j + ', '')}" for name, place in (("k", KEYS), ("v", VALUES)))
        yield f"for j in range(0, {self.n}, BN):"
        body = [f"key = tl.zeros((D, BN), q.dtype)\nif j % (2 * BN) == 0:\n    key = {key}" if self.load_in_branch else f"key = {key}",
                "s = tl.dot(q, key)", *(EXTRAS[name][0] for name in self.extras), f"value = {value}"]
        dot = "acc = tl.dot(clamped(s).to(q.dtype), value, acc)"
        body.append(f"if j % (3 * BN) != BN:\n    {dot}" if self.dot_in_branch else dot)
        yield from indented(body + (["k_ptrs += BN * D", "v_ptrs += BN * E"] if self.walks else []), 1)

    def numpy_lines(self):
        yield f"for j in range(0, {self.n}, BN):"
        inside = f"(np.arange(j, j + BN) < {self.n})[:, None]" if self.masked else "True"
        body = [f"key, value = np.where({inside}, k[j:j + BN], 0).T, np.where({inside}, v[j:j + BN], 0)"]
        body += ["key = key * (j % (2 * BN) == 0)"] if self.load_in_branch else []
        body += ["s = q @ key", *(EXTRAS[name][1] for name in self.extras)]
        body.append(("if j % (3 * BN) != BN: " if self.dot_in_branch else "") + "acc = acc + s.clip(-1, 1) @ value")
        yield from indented(body, 1)


class Draw:
    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.seed, self.warps, self.stages = seed, rng.choice([4, 8, 8, 8, 16]), rng.choice([1, 2, 2, 3, 3, 4, 6])
        self.roles, self.kind = rng.choice(["auto", "auto", "on", "on", "off"]), rng.choice(["fp16", "fp16", "fp16", "fp32"])
        wide = [64] if self.kind == "fp32" else [64, 64, 128, 256]
        self.sizes = {"BM": 64 if self.warps == 4 else 128, "BN": rng.choice([16, 32, 64, 64, 128]), "D": rng.choice(wide), "E": rng.choice(wide)}
        self.around, self.tiles = rng.choice(list(AROUND)), rng.choice([1, 2, 3])
        first = Loop(rng, self.sizes["BN"])
        self.loops = [first] + [first if rng.random() < 0.5 else Loop(rng, self.sizes["BN"]) for _ in range(rng.choice([0, 0, 0, 1, 2]))]

    def text(self):
        body = ["rm = tile * BM + tl.arange(0, BM)", "q = tl.load(q_ptr + rm[:, None] * D + rd[None, :])", "acc = tl.zeros((BM, E), tl.float32)",
                "acc2 = tl.zeros((BM, D), tl.float32)", 'top = tl.full((BM,), -999.0, tl.float32)', *(line for number, loop in enumerate(self.loops) for line in loop.lines(f"n{number}")),
                "tl.store(out_ptr + rm[:, None] * E + re[None, :], acc)", "tl.store(out2_ptr + rm[:, None] * D + rd[None, :], acc2)",
                "tl.store(top_ptr + rm, top)"]
        lines = [f"{name}: tl.constexpr = {size}" for name, size in self.sizes.items()]
        lines += ["rn, rd, re = tl.arange(0, BN), tl.arange(0, D), tl.arange(0, E)", *AROUND[self.around].split("\n"), *indented(body, 1)]
        names = ", ".join(f"{name}_ptr" for name in ("q", "k", "v", "bias", "out", "out2", "top", "rows", "count"))
        return HEAD + jit("clamped", "x", "return tl.minimum(tl.maximum(x, -1.0), 1.0)") + jit("kernel", ", ".join([names, "tiles", *self.ends()]), "\n".join(lines))

    def ends(self):
        """How many rows each loop reads, by the name of the parameter."""
        return {f"n{number}": loop.n for number, loop in enumerate(self.loops)}

    def arrays(self):
        rng, size = np.random.default_rng(self.seed), self.sizes
        rows, keys = self.tiles * size["BM"], max(loop.n for loop in self.loops) + 2 * size["BN"]
        data = {f"{name}_ptr": rng.integers(-1, 2, shape).astype(DTYPES[self.kind][0])
                for name, shape in (("q", (rows, size["D"])), ("k", (keys, size["D"])), ("v", (keys, size["E"])))}
        data["bias_ptr"] = rng.integers(-5, 6, (rows, size["BN"])).astype(np.float32)
        for name, shape in (("out", (rows, size["E"])), ("out2", (rows, size["D"])), ("top", rows), ("rows", rows)):
            data[f"{name}_ptr"] = np.full(shape, 7, np.float32)
        return {**data, "count_ptr": np.zeros(1, np.int32)}

    def expected(self, arrays):
        names = {name.removesuffix("_ptr"): array.copy() if array.dtype == np.int32 else array.astype(np.float64) for name, array in arrays.items()}
        block, all_q = self.sizes["BM"], names["q"]
        steps = "\n".join(line for loop in self.loops for line in loop.numpy_lines())
        for tile in range(self.tiles):
            if self.around == "branch" and tile == 1:
                continue
            rm = tile * block + np.arange(block)
            names |= {**self.sizes, "np": np, "rm": rm, "q": all_q[rm], "acc": np.zeros((block, self.sizes["E"])),
                      "acc2": np.zeros((block, self.sizes["D"])), "top": np.full(block, -999.0)}
            exec(steps, names)
            for name, value in (("out_ptr", "acc"), ("out2_ptr", "acc2"), ("top_ptr", "top")):
                arrays[name][rm] = names[value]
        return {**arrays, "rows_ptr": names["rows"], "count_ptr": names["count"]}

    def options(self):
        return f"num-warps={self.warps},num-stages={self.stages},warp-specialize={self.roles}"

    def check(self, run):
        """None, or what is wrong. `run` launches: the fixture of the tests, or a session."""
        signature = ",".join([f"*{self.kind}:16"] * 3 + ["*fp32:16"] * 5 + ["*i32"] + ["i32"] * (1 + len(self.loops)))
        programs = 2 if self.around in ("loop", "flat") else self.tiles
        after = run(self.text(), "kernel", signature, (programs,), {**self.arrays(), "tiles": self.tiles, **self.ends()}, options=self.options())
        wrong = [name for name, array in self.expected(self.arrays()).items() if not (after[name] == array).all()]
        return f"seed {self.seed}, {self.options()}: {', '.join(wrong)}" if wrong else None


if __name__ == "__main__":
    sys.exit(hunt("Random chains of products", 100, Draw, lambda draw: f"{draw.text()}# {draw.options()}, {draw.tiles} tiles"))
